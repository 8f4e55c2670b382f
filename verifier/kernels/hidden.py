"""What shown records of a tree tell about one that is hidden, with others around it.

The values 0 and 1 of records follow a tree (`verifier.kernels.network`) in which nothing is
impossible; X_i is the value of record i, and the tree is looked at from i, along edges in either
direction. For an edge from u to j let E[x, y] = P(X_j = y | X_u = x). The records that are shown
at j and beyond tell the value p of u from the other one, q, by a factor of at most

    R(p) = max over y of E[p, y] / E[q, y]                              where j is shown,
    R(p) = (E[p, s]·D + E[p, t]) / (E[q, s]·D + E[q, t])                where j is hidden,     (1)

with D the product of the factors of the edges onward from j, in favour of a value s of j, and t the
other one. The second grows with D where s = p and det E >= 0, or s = q and det E < 0; for this s
the largest factor is had. It is the best value y too where j is shown. So the records onward from
each are best hidden for one value, and factors of several edges multiply: the best way to hide b
records is found edge by edge, by a table of the least factor for each number of hidden records.

>>> from fractions import Fraction
>>> half, stay, change = Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)
>>> family = Network((half, half), (-1, 0, 0), (((stay, change), (change, stay)),), (-1, 0, 0))
>>> edges = Edges(family)
>>> edges.told(Asked(0, (1,), (0,)), [0]).ratio, edges.least(0, 1, 2, exact=True)
((9, 1), (Fraction(3, 1), [0, 2]))
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from operator import truediv
from typing import Any

from verifier.base import exact as numbers
from verifier.kernels.chains import Matrix, Ratio, Vector, exceeds, in_integers, marginals_of
from verifier.kernels.quilts import Asked, Told
from verifier.world.network import Network

Links = list[tuple[int, int]]  # records, each after the one that it was come to from, and that one


class Edges:
    """The edges of a `tree` of records with two values, in both directions.

    Attributes: for each record its `neighbours`, each with the table E of (1) times one number.
    """

    def __init__(self, tree: Network) -> None:
        """The edges of a `tree`, all of whose probabilities are positive."""
        self.tree = tree
        self.neighbours: list[dict[int, Matrix]] = [{} for _ in tree.parents]
        for record, parent in enumerate(tree.parents):
            if parent >= 0:
                table = in_integers(tree.transitions[tree.chosen[record]])
                above = zip(self.marginals[parent], table, strict=True)
                joint = [[m * p for p in row] for m, row in above]
                back = zip(zip(*joint, strict=True), self.marginals[record][::-1], strict=True)
                self.neighbours[parent][record] = table
                self.neighbours[record][parent] = tuple(
                    tuple(p * other for p in column) for column, other in back
                )

    @cached_property
    def marginals(self) -> list[Vector]:
        """P(X_i = v) of each record, times one number."""
        return marginals_of(self.tree)

    @cached_property
    def _rounded(self) -> list[dict[int, tuple[tuple[float, ...], ...]]]:
        """The tables as floats, of which the largest number is 1."""
        return [
            {
                j: tuple(tuple(x / max(map(max, table)) for x in row) for row in table)
                for j, table in row_of.items()
            }
            for row_of in self.neighbours
        ]

    def _outwards(self, record: int, through: Collection[int] | None = None) -> Links:
        """The records that are come to from one, `through` some of them, or through all."""
        found = [(record, -1)]
        for u, before in found:
            if through is None or u in through:
                found += [(j, u) for j in self.neighbours[u] if j != before]
        return found

    def _favoured(self, links: Links, value: int) -> dict[int, int]:
        """The value of each record for which the records onward from it favour a value of the first
        one most."""
        found = {links[0][0]: value}
        for j, u in links[1:]:
            (a, b), (c, d) = self.neighbours[u][j]
            found[j] = found[u] if a * d >= b * c else 1 - found[u]
        return found

    def allows(self, asked: Asked) -> bool:
        """Whether what is `asked` about is possible: nothing is impossible."""
        return True

    def ratios(self, asked: Asked, hidden: Sequence[int]) -> Iterator[Told]:
        """What the others tell at most."""
        yield self.told(asked, hidden)

    def told(self, asked: Asked, hidden: Collection[int]) -> Told:
        """What the others tell of a value of a record against the other one, when it and some more
        are `hidden`."""
        record, (value,), _ = asked
        hidden = {*hidden}
        links = self._outwards(record, hidden)
        best = self._favoured(links, value)
        factors: dict[int, Any] = {j: (1, 1) for j, _ in links}
        for j, u in links[:0:-1]:
            p, s = best[u], best[j]
            up, down = (self.neighbours[u][j][x] for x in (p, 1 - p))
            if j in hidden:
                top, bottom = (
                    factors[j][0] * row[s] + factors[j][1] * row[1 - s] for row in (up, down)
                )
            else:
                top, bottom = up[s], down[s]
            top, bottom = top * factors[u][0], bottom * factors[u][1]
            factors[u] = tuple(numbers.coprime((top, bottom)))
        return Told(factors[record], {j: best[j] for j, _ in links if j not in hidden})

    def best(self, asked: Asked, size: int, enough: Ratio) -> tuple[Ratio, list[int]]:
        """The least ratio when so many records are hidden, and these: by floats, unless what they
        find is more than `enough`."""
        record, (value,), _ = asked
        _, hidden = self.least(record, value, size, exact=False)
        ratio = self.told(asked, hidden).ratio
        if exceeds(ratio, enough):
            found, hidden = self.least(record, value, size, exact=True)
            ratio = found.as_integer_ratio()
        return ratio, hidden

    def least(self, record: int, value: int, size: int, exact: bool) -> tuple[Any, list[int]]:
        """The least factor when so many records are hidden, the `record` among them, or all that
        depend on it; and these records. An `exact` one, or a float."""
        links = self._outwards(record)
        best = self._favoured(links, value)
        tables: Sequence[Mapping[int, Any]] = self.neighbours if exact else self._rounded
        onward = {j: _Best([1]) for j, _ in links}
        for j, u in links[:0:-1]:
            p, s = best[u], best[j]
            up, down = (tables[u][j][x] for x in (p, 1 - p))
            ways = [(up[s], down[s])]
            for d in onward[j].factors[:size]:
                ways.append((up[s] * d + up[1 - s], down[s] * d + down[1 - s]))
            divide = numbers.over if exact else truediv
            onward[u].add(j, [divide(*way) for way in ways], size)
        left = min(size, len(links)) - 1
        return onward[record].factors[left], sorted(_chosen(onward, record, left))


class _Best:
    """The least product of the factors of the edges onward from a record, for each number of hidden
    records beyond it; and how many of them each edge has."""

    def __init__(self, factors: list[Any]) -> None:
        self.factors = factors
        self.shares: list[tuple[int, list[int]]] = []

    def add(self, edge: int, factors: list[Any], most: int) -> None:
        """Multiply by the `factors` of an edge, by how many are hidden there."""
        before, made, shares = self.factors, [], []
        for total in range(min(len(before) + len(factors) - 1, most)):
            ways = range(max(0, total - len(before) + 1), min(total, len(factors) - 1) + 1)
            share = min(ways, key=lambda k: before[total - k] * factors[k])
            made.append(before[total - share] * factors[share])
            shares.append(share)
        self.factors = made
        self.shares.append((edge, shares))


def _chosen(onward: dict[int, _Best], record: int, left: int) -> Iterator[int]:
    """The hidden records, of which so many are beyond one that is hidden."""
    found = [(record, left)]
    for at, beyond in found:
        yield at
        for edge, shares in reversed(onward[at].shares):
            if shares[beyond]:
                found.append((edge, shares[beyond] - 1))
            beyond -= shares[beyond]
