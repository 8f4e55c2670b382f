"""Which constraints let induced neighbours privacy protect against independent records.

For a prior and secrets s, t: whatever is private at level α for induced neighbours is private at α
for s against t, at every α > 1, exactly if P(· | s) can be coupled with P(· | t) along neighbours.
By Hall's theorem: if P(A | s) ≤ P(N(A) | t) for every A in s, N(A) being the neighbours of A in t.
For independent records with any weights, conditioned on the constraint, this says P(N(A))·P(s) −
P(A)·P(t) ≥ 0, a polynomial in the weights: proved where no coefficient is negative, otherwise
refuted by a prior. A mechanism for the case that it fails is `revealing`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, product
from math import prod
from typing import Any

from tests.models.by_definition import (
    F,
    Mechanism,
    Prior,
    World,
    bits,
    databases,
    induced,
    presence,
    values,
)

# s, t, a part A of s, and a prior under which A is more likely given s than N(A) given t
Failure = tuple[list[World], list[World], Sequence[World], Prior]


def parts(items: Sequence[World]) -> Iterator[tuple[World, ...]]:
    """Every non-empty part."""
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def failure(worlds: list[World]) -> Failure | None:
    """Why induced neighbours privacy does not protect values and presence, or None."""
    near, domain = set(induced(worlds)), sorted({x for w in worlds for x in w}, key=repr)
    for s, t in values(worlds) + presence(worlds):
        for part in parts(s):
            reached = [w for w in t if any((v, w) in near for v in part)]
            form = Counter(pairing(v, w) for v, w in product(reached, s))
            form.subtract(pairing(v, w) for v, w in product(part, t))
            if min(form.values(), default=0) < 0:
                for prior in priors(worlds, domain):
                    masses = [sum(prior[w] for w in side) for side in (reached, s, part, t)]
                    if masses[0] * masses[1] < masses[2] * masses[3]:
                        return s, t, part, prior
                raise AssertionError("neither proved nor refuted")
    return None


def priors(worlds: list[World], domain: Sequence[Any]) -> Iterator[Prior]:
    """Independent records: first those that are uniform on some values, then others."""
    for weights in ((0, 1), (0, 1, 10)):
        rows = [row for row in product(weights, repeat=len(domain)) if any(row)]
        chances = [{x: F(k) for x, k in zip(domain, row, strict=True)} for row in rows]
        for records in product(chances, repeat=len(worlds[0])):
            mass = {w: prod(row[x] for row, x in zip(records, w, strict=True)) for w in worlds}
            if total := sum(mass.values()):
                yield {w: F(p, total) for w, p in mass.items()}


def pairing(v: World, w: World) -> tuple[frozenset[Any], ...]:
    """The monomial P(v)·P(w): for each record the two values."""
    return tuple(map(frozenset, zip(v, w, strict=True)))


def revealing(worlds: list[World], found: Failure) -> Mechanism:
    """P(yes) is 4/7 on A, a quarter of it on the rest of t, half of it elsewhere: ratio 2 for
    neighbours, P(yes | s) = 2/7·(1 + P(A | s)) and 2·P(yes | t) = 2/7·(1 + P(N(A) | t))."""
    _, t, part, _ = found
    near = set(induced(worlds))

    def yes(w: World) -> F:
        if w in part:
            return F(4, 7)
        return F(1, 7) if w in t and not any((v, w) in near for v in part) else F(2, 7)

    return {w: bits(yes(w)) for w in worlds}


def constraints(domain: Sequence[Any], people: int) -> Iterator[list[World]]:
    """Every non-empty set of databases, small ones first."""
    return map(list, parts(databases(domain, people)))


def histograms(domain: Sequence[Any], people: int) -> list[list[World]]:
    """The databases with given counts of disjoint sets of values, for every choice of them."""
    present, found = [x for x in domain if x is not None], set()
    for cells in product(range(len(present) + 1), repeat=len(present)):
        for counts in product(range(people + 1), repeat=max(cells)):
            where = histogram_is(dict(zip(present, cells, strict=True)), counts)
            found.add(tuple(databases(domain, people, where)))
    return [list(worlds) for worlds in found if worlds]


def histogram_is(cell: dict[Any, int], counts: tuple[int, ...]) -> Callable[[World], bool]:
    """Cell 0 is not counted, nor is absence."""
    return lambda w: all(sum(cell.get(x) == k + 1 for x in w) == c for k, c in enumerate(counts))
