"""Certificates of kind "quilts": what the records that are shown tell about one that is hidden,
with others, where the values of the records follow Markov chains or a tree.

Under a chain a hidden record is parted from the others that are shown by the nearest two of them, l
and r, its quilt. With T the transitions and m the distributions of single records, their values are

    P(X_l = x, X_i = v, X_r = y) = m_l(x) * T^(i - l)[x, v] * T^(r - i)[v, y].

Hidden records beyond the quilt change nothing, and a longer block of hidden records tells no more.
So the blocks of b records around record i, of all where there are fewer, are all that hide it best.

Let two values change with probabilities a and b, in a stationary chain, and l = 1 - a - b. A record
at distance d tells the second value from the first by at most (1 + l^d b/a) / (1 - l^d) where l^d
>= 0, else by (1 + |l|^d) / (1 - |l|^d a/b), and the first from the second with a and b exchanged.
Where a + b >= 1 all of |l|^d, |l|^d a/b and |l|^d b/a grow with a and b, as |l| <= a and |l| <= b,
so that these grow too. Where a + b <= 1 they fall, as they do step by step (`chains`). So of all
chains within intervals the one that changes least or the one that changes most is the worst.

Under a tree of two values without zeros the factors of the edges at record i multiply. With E[x, y]
the chance of the value y at the other end of an edge, given x at this end, the edge tells p from q
by E[p, s] / E[q, s] where the record there is shown, or (E[p, s] D + E[p, t]) / (E[q, s] D +
E[q, t]) where it is hidden and the edges onward from it tell s from t by D; s is p if det E >= 0,
else q. Both are the largest possible, and the second grows with D. So the least factor for each
number of hidden records comes from those onward, for p and q each.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from . import levels
from . import reading as read
from .chains import (
    MOST_VALUES,
    Matrix,
    Ratio,
    Vector,
    changes,
    exceeds,
    fields_of_chains,
    of_changes,
    reduced,
    times,
)
from .levels import Level
from .reading import Budget, Case, Model, afford, need, prove
from .trees import branches

Compared = tuple[int, list[int], list[int]]  # a record, and two sets of its values
INFINITE = (1, 0)


@dataclass
class Line:
    """Records that follow one chain: the distributions of each, the powers of the transitions."""

    marginals: list[Vector]
    powers: list[Matrix]
    budget: Budget

    def compares(self, one: Compared) -> bool:
        """Whether both sets of values are possible."""
        m = self.marginals[one[0]]
        return all(any(m[v] for v in values) for values in one[1:])

    def told(self, one: Compared, hidden: range) -> Ratio:
        """The largest ratio of what is shown, when a block of records is hidden."""
        i, a, b = one
        if i not in hidden:
            return INFINITE
        m, left, right = self.marginals[i], hidden[0] - 1, hidden[-1] + 1
        before, after = [m], [[1] * len(m)]
        if left >= 0:
            weights, table = self.marginals[left], self.powers[i - left]
            before = [[w * p for p in row] for w, row in zip(weights, table, strict=True)]
        if right < len(self.marginals):
            after = [list(column) for column in zip(*self.powers[right - i], strict=True)]
        longest = max(map(max, before)).bit_length() + max(map(max, after)).bit_length()
        self.budget.spend(len(before) * len(after) * len(m) * (1 + longest // 300))
        found = (0, 1)
        for f in before:
            for h in after:
                ratio = sum(f[v] * h[v] for v in a), sum(f[v] * h[v] for v in b)
                found = ratio if exceeds(ratio, found) else found
        return found[0] * sum(m[v] for v in b), found[1] * sum(m[v] for v in a)

    def told_of(self, one: Compared, runs: list[range]) -> Ratio:
        """The same where several runs of records are hidden."""
        return self.told(one, next((run for run in runs if one[0] in run), range(0)))

    def least(self, one: Compared, size: int) -> Iterator[Ratio]:
        """These ratios for all blocks of a size around the record."""
        i, people = one[0], len(self.marginals)
        for first in range(max(0, i - size + 1), min(i, people - size) + 1):
            yield self.told(one, range(first, first + size))


class Link(NamedTuple):
    """A record, the one before it, and the table of the edge: its values, given those before."""

    record: int
    before: int
    table: list[list[Fraction]]


def _steps_of_product(links: Iterable[Link]) -> int:
    """Those that it takes to multiply what the edges tell."""
    tables = (link.table for link in links if link.table)
    bits = sum(max(p.denominator.bit_length() for row in table for p in row) for table in tables)
    return 1 + bits**2 // 200_000


@dataclass
class Graph:
    """Records that follow a tree: for each record its edges, other end -> table."""

    edges: list[dict[int, list[list[Fraction]]]]
    budget: Budget

    def compares(self, one: Compared) -> bool:
        """Whether both sets of values are possible, as all are."""
        return True

    def _links(self, record: int) -> list[Link]:
        """All records that hang together with one, each after the one before it."""
        found = [Link(record, -1, [])]
        for link in found:
            edges = self.edges[link.record].items()
            found += [Link(j, link.record, table) for j, table in edges if j != link.before]
        return found

    def told_of(self, one: Compared, runs: list[range]) -> Ratio:
        """The largest ratio of what is shown, when runs of records are hidden."""
        i, (p,), _ = one
        hidden = {record for run in runs for record in run}
        if i not in hidden:
            return INFINITE
        links = self._links(i)
        self.budget.spend(len(links) ** 2 // 10 * _steps_of_product(links))
        factors = {link.record: [Fraction(1), Fraction(1)] for link in links}
        for record, before, table in links[:0:-1]:
            onward = factors[record] if record in hidden else None
            for q in (0, 1):
                factors[before][q] *= _through(table, q, onward)
        return factors[i][p].as_integer_ratio()

    def least(self, one: Compared, size: int) -> Iterator[Ratio]:
        """The least of these ratios when so many records are hidden."""
        i, (p,), _ = one
        links = self._links(i)
        self.budget.spend(len(links) ** 2 * size // 10 * _steps_of_product(links))
        tables = {link.record: [[Fraction(1)], [Fraction(1)]] for link in links}
        for record, before, table in links[:0:-1]:
            for q in (0, 1):
                ways = [_through(table, q, None)]
                for factors in zip(*tables[record], strict=True):
                    ways.append(_through(table, q, factors))
                tables[before][q] = _joined(tables[before][q], ways, size)
        yield tables[i][p][min(size, len(links)) - 1].as_integer_ratio()


Prior = Line | Graph


@dataclass(frozen=True)
class Hiding:
    """What is compared, under which priors, and how many records may be hidden."""

    compared: list[Compared]
    priors: list[Prior]
    people: int
    most: int

    @cached_property
    def views(self) -> list[list[Prior]]:
        """For each comparison the priors that make it."""
        return [[p for p in self.priors if p.compares(one)] for one in self.compared]

    def holds(self, upper: Any, at: Level) -> bool:
        """Whether records may be hidden, those of `upper` for each comparison, so that the others
        tell no more than the level `at`."""
        pairs = zip(self.compared, self.views, read.items(upper), strict=True)
        return all(
            at.compare(Fraction(p), Fraction(q)) <= 0
            for one, views, runs in pairs
            for p, q in self._told(one, views, runs)
        )

    def _told(self, one: Compared, views: list[Prior], runs: Any) -> list[Ratio]:
        hidden = []
        for first, last in read.items(runs, 2):
            read.index(last, self.people, low=read.index(first, self.people))
            hidden.append(range(first, last + 1))
        need(sum(map(len, hidden)) <= self.most, "too many records are hidden")
        return [prior.told_of(one, hidden) for prior in views]

    def needs(self, worst: Any, low: Level | None) -> bool:
        """Whether for the comparison `worst` all ways to hide so few records leave the others to
        tell a level `low` (None: everything)."""
        if worst is None:
            return low is not None and low.alpha == 1
        at = read.index(worst, len(self.compared))
        one, views, size = self.compared[at], self.views[at], min(self.most, self.people)
        prove(views, "no prior makes this comparison")
        if not size:
            return True
        ways = zip(*(prior.least(one, size) for prior in views), strict=True)
        return all(any(_reaches(ratio, low) for ratio in ratios) for ratios in ways)


def check_quilts(case: Case) -> bool:
    """Whether the level of a `case` is met, if its witness proves the leakage; else raise."""
    asked, hiding = levels.claim(case.claim), _read_hiding(case.relation, case.model)
    need(asked.delta == 0 and "lower" not in asked.leakage, "an influence is exact, without delta")
    empty = not any(hiding.views)
    need(empty == (case.witness is None), "there is evidence just where something is compared")
    upper, worst = (None, None) if empty else read.fields(case.witness, "upper worst")
    need(empty or ("infinite" in asked.leakage) == (upper is None), "records to hide")
    return asked.settle(
        empty, lambda at: hiding.holds(upper, at), lambda low: hiding.needs(worst, low)
    )


def fields_of_quilts(relation: Any) -> list[Any]:
    """The parts of the relation: how many may be hidden, pairs (None: of all values), priors."""
    rule, *found = read.fields(relation, "rule entries pairs priors")
    need(rule == "quilts", "the rule is quilts")
    return found


def _read_hiding(relation: Any, model: Model) -> Hiding:
    entries, listed, priors = fields_of_quilts(relation)
    people, size = read.texts(model.parts["people"]), model.size
    need(size <= MOST_VALUES, "a record has too many values")
    budget = Budget()
    if priors["class"] == "trees":
        (tree,) = read.items(read.fields(priors, "class trees")[1])
        known: list[Prior] = [_graph(tree, model, budget)]
    else:
        known = [_line(chain, size, people, budget) for chain in _chains(priors, model)]
    compared = list(_compared(listed, people, size))
    afford(len(compared) * len(known) * size)
    return Hiding(compared, known, people, read.index(entries, people + 1))


def _chains(priors: Any, model: Model) -> list[Any]:
    """The chains of a class, or those within intervals of which one is the worst."""
    if priors["class"] != "markov":
        return fields_of_chains({"rule": "chains", "pairs": None, "priors": priors}, model)[1]
    least, most = changes(priors)
    if sum(most) > 1 > sum(least):
        return [of_changes(*least), of_changes(*most)]
    return [of_changes(*(least if sum(most) <= 1 else most))]


def _compared(listed: Any, people: int, size: int) -> Iterator[Compared]:
    """What is compared: each two values of each record, or what is listed; in both orders."""
    if listed is None:
        afford(people * size**2)
        listed = [[i, [a], [b]] for i in range(people) for a, b in combinations(range(size), 2)]
    for i, a, b in read.items(listed, 3):
        read.index(i, people)
        for values in (a, b):
            need(read.indices(values, size), "a set has a value")
            need(len(values) == len(set(values)), "a set has different values")
        need(not set(a) & set(b), "the sets of a pair have no value in common")
        yield from ((i, a, b), (i, b, a))


def _line(chain: Any, size: int, people: int, budget: Budget) -> Line:
    """So many records that follow a `chain`."""
    initial, rows = read.fields(chain, "initial transition")
    table = _transitions(rows, size)
    back = [list(column) for column in zip(*table, strict=True)]
    first = read.whole(read.distribution(initial, size, "an initial distribution"))[1]
    marginals, powers = [first], [[[int(a == b) for b in range(size)] for a in range(size)]]
    for _ in range(people - 1):
        longest = max(map(max, powers[-1])).bit_length()
        budget.spend(size**3 * (1 + longest // 30) + longest**2 // 3000)
        marginals.append(reduced(times(back, marginals[-1])))
        powers.append([times(back, row) for row in powers[-1]])
    return Line(marginals, powers, budget)


def _transitions(rows: Any, size: int) -> Matrix:
    """A matrix of transitions times one number."""
    found = [read.distribution(row, size, "a row of transitions") for row in read.items(rows)]
    need(len(found) == size, "not one row for each value")
    _, flat = read.whole([p for row in found for p in row])
    return [flat[k : k + size] for k in range(0, len(flat), size)]


def _graph(tree: Any, model: Model, budget: Budget) -> Graph:
    """The records of a `model`, of two values, that follow a `tree` without zeros."""
    parents, order, rows, _, first = branches(tree, model)
    need(model.size == 2, "a record has two values")
    numbers = [*first, *(p for table in rows for row in table for p in row)]
    need(all(p > 0 for p in numbers), "nothing is impossible")
    edges: list[dict[int, list[list[Fraction]]]] = [{} for _ in parents]
    m = [[Fraction(p, sum(first)) for p in first]] * len(parents)
    for i in order:
        if (parent := parents[i]) >= 0:
            table = [[Fraction(p, sum(row)) for p in row] for row in rows[i]]
            longest = max(p.denominator for p in m[parent]).bit_length()
            budget.spend(100 + longest**2 // 300)
            m[i] = [
                sum((w * row[v] for w, row in zip(m[parent], table, strict=True)), Fraction(0))
                for v in (0, 1)
            ]
            edges[parent][i] = table
            edges[i][parent] = [
                [Fraction(m[parent][x] * table[x][v], m[i][v]) for x in (0, 1)] for v in (0, 1)
            ]
    return Graph(edges, budget)


def _through(table: list[list[Fraction]], p: int, onward: Iterable[Fraction] | None) -> Fraction:
    """What an edge tells a value `p` of its near end from the other one: where its far end is shown
    (None), or hidden, with the factors `onward` from there for either of its values."""
    (a, b), (c, d) = table
    s = p if a * d >= b * c else 1 - p
    up, down = table[p], table[1 - p]
    if onward is None:
        return Fraction(up[s], down[s])
    factor = list(onward)[s]
    return Fraction(up[s] * factor + up[1 - s], down[s] * factor + down[1 - s])


def _joined(factors: list[Fraction], ways: list[Fraction], most: int) -> list[Fraction]:
    """The least products of two factors, by the number of hidden records of both, below `most`."""
    found: dict[int, Fraction] = {}
    for k, factor in enumerate(factors):
        for n, way in enumerate(ways[: most - k], k):
            if n not in found or factor * way < found[n]:
                found[n] = factor * way
    return [found[n] for n in sorted(found)]


def _reaches(ratio: Ratio, low: Level | None) -> bool:
    """Whether a `ratio` is at least a level, or infinite where that is None."""
    if low is None:
        return ratio[0] > 0 == ratio[1]
    return low.compare(Fraction(ratio[0]), Fraction(ratio[1])) >= 0
