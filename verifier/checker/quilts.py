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
so that these grow too. Where a + b <= 1 they fall, as they do step by step (`network`). So of all
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
from itertools import chain, combinations
from typing import Any, NamedTuple

from . import levels
from . import reading as read
from .levels import Level
from .network import (
    Matrix,
    Network,
    Vector,
    chains,
    changes,
    digits,
    networks,
    of_changes,
    reduced,
    times,
)
from .reading import Budget, Case, Model, afford, need, prove

Compared = tuple[int, list[int], list[int]]  # a record, and two sets of its values
Ratio = tuple[Any, Any]  # what is divided by what: integers, or functions of a parameter
Chain = tuple[list[Fraction], list[list[Fraction]]]  # the first distribution, the transitions
INFINITE = (1, 0)
MOST_VALUES = 6  # of a record


@dataclass
class Line:
    """Records that follow one chain: the distributions of each, the powers of the transitions."""

    marginals: list[Vector]  # equal ones that follow each other are one object
    powers: list[Matrix]
    budget: Budget

    def compares(self, one: Compared) -> bool:
        """Whether both sets of values are possible."""
        m = self.marginals[one[0]]
        return all(any(m[v] for v in values) for values in one[1:])

    def told(self, one: Compared, hidden: range) -> Iterator[Ratio]:
        """What is shown when a block of records, that of one among them, is hidden, as ratios: the
        largest one counts."""
        i, a, b = one
        m, left, right = self.marginals[i], hidden[0] - 1, hidden[-1] + 1
        before, after = [m], [[1] * len(m)]
        if left >= 0:
            weights, table = self.marginals[left], self.powers[i - left]
            before = [[w * p for p in row] for w, row in zip(weights, table, strict=True)]
        if right < len(self.marginals):
            after = [list(column) for column in zip(*self.powers[right - i], strict=True)]
        longest = max(map(digits, before)) + max(map(digits, after))
        self.budget.spend(len(before) * len(after) * len(m) * (1 + longest // 300))
        here, there = sum(m[v] for v in a), sum(m[v] for v in b)
        for f in before:
            for h in after:
                yield sum(f[v] * h[v] for v in a) * there, sum(f[v] * h[v] for v in b) * here

    def told_of(self, one: Compared, runs: list[range]) -> Iterable[Ratio]:
        """The same where several runs of records are hidden."""
        hidden = _around(one, runs)
        return self.told(one, hidden) if hidden else [INFINITE]

    def alike(self, one: Compared, runs: list[range]) -> Any:
        """The same for what tells the same: equal distances between equal distributions."""
        i, a, b = one
        hidden, m = _around(one, runs), self.marginals
        before = after = None
        if hidden and hidden[0]:
            before = id(m[hidden[0] - 1]), i - hidden[0]
        if hidden and hidden[-1] + 1 < len(m):
            after = hidden[-1] - i
        return id(m[i]), bool(hidden), before, after, tuple(a), tuple(b)

    def least(self, one: Compared, size: int) -> Iterator[Iterator[Ratio]]:
        """These ratios for each block of a size around the record."""
        i, people = one[0], len(self.marginals)
        for first in range(max(0, i - size + 1), min(i, people - size) + 1):
            yield self.told(one, range(first, first + size))


def _around(one: Compared, runs: list[range]) -> range:
    """The run of hidden records around the one that is compared; empty where it is shown."""
    return next((run for run in runs if one[0] in run), range(0))


class Link(NamedTuple):
    """A record, the one before it, and the table of the edge: its values, given those before."""

    record: int
    before: int
    table: list[list[Fraction]]


def _steps_of_product(links: Iterable[Link]) -> int:
    """Those that it takes to multiply what the edges tell."""
    tables = (link.table for link in links if link.table)
    bits = sum(max(read.size(p) for row in table for p in row) for table in tables)
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

    def alike(self, one: Compared, runs: list[range]) -> Any:
        """The same for what tells the same."""
        return one[0], one[1][0], *runs

    def told_of(self, one: Compared, runs: list[range]) -> list[Ratio]:
        """The largest ratio of what is shown, when runs of records are hidden."""
        i, (p,), _ = one
        hidden = {record for run in runs for record in run}
        if i not in hidden:
            return [INFINITE]
        links = self._links(i)
        self.budget.spend(len(links) ** 2 // 10 * _steps_of_product(links))
        factors = {link.record: [Fraction(1), Fraction(1)] for link in links}
        for record, before, table in links[:0:-1]:
            onward = factors[record] if record in hidden else None
            for q in (0, 1):
                factors[before][q] *= _through(table, q, onward)
        return [(factors[i][p], 1)]

    def least(self, one: Compared, size: int) -> Iterator[list[Ratio]]:
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
        yield [(tables[i][p][min(size, len(links)) - 1], 1)]


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
        different: dict[Any, tuple[Prior, Compared, list[range]]] = {}
        for one, views, runs in zip(self.compared, self.views, read.items(upper), strict=True):
            hidden = self._hidden(runs)
            different.update(((id(p), p.alike(one, hidden)), (p, one, hidden)) for p in views)
        told = (prior.told_of(one, hidden) for prior, one, hidden in different.values())
        return all(at.compare(p, q) <= 0 for ratios in told for p, q in ratios)

    def _hidden(self, runs: Any) -> list[range]:
        hidden = []
        for first, last in read.items(runs, 2):
            read.index(last, self.people, low=read.index(first, self.people))
            hidden.append(range(first, last + 1))
        need(sum(map(len, hidden)) <= self.most, "too many records are hidden")
        return hidden

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
        return all(any(_reaches(ratio, low) for ratio in chain(*ratios)) for ratios in ways)


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
    (codes,) = model.entries
    need(all(-1 not in code for code in codes), "a record has one entry and is there")
    budget = Budget()
    if priors["class"] == "trees":
        (tree,) = networks(priors, model)
        known: list[Prior] = [_graph(tree, budget)]
    else:
        most = read.index(entries, people + 1)
        known = [_line(one, size, people, most, budget) for one in _chains(priors, model)]
    compared = list(_compared(listed, people, size))
    afford(len(compared) * len(known) * size)
    return Hiding(compared, known, people, read.index(entries, people + 1))


def _chains(priors: Any, model: Model) -> list[Chain]:
    """The chains of a class, or those within intervals of which one is the worst."""
    if priors["class"] != "markov":
        return [_chain(*one, model.size) for one in chains(priors)]
    least, most = changes(priors)
    need(model.size == 2, "a record has two values")
    ends = [least] * (sum(least) < 1 or sum(most) <= 1) + [most] * (sum(most) > 1)
    return [of_changes(*end) for end in ends]


def _chain(initial: Any, rows: Any, size: int) -> Chain:
    table = [read.distribution(row, size, "a row of transitions") for row in read.items(rows)]
    need(len(table) == size, "not one row for each value")
    return read.distribution(initial, size, "an initial distribution"), table


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


def _line(chain: Chain, size: int, people: int, most: int, budget: Budget) -> Line:
    """So many records that follow a `chain`, with the powers that `most` hidden ones need."""
    initial, rows = chain
    _, flat = read.whole([p for row in rows for p in row])
    table = [flat[k : k + size] for k in range(0, len(flat), size)]
    back = [list(column) for column in zip(*table, strict=True)]
    first = reduced(read.whole(initial)[1])
    marginals, powers = [first], [[[int(a == b) for b in range(size)] for a in range(size)]]
    for _ in range(people - 1):
        made, last = reduced(times(back, marginals[-1])), marginals[-1]
        budget.spend(size**2 + max(digits(made), digits(last)) ** 2 // 3000)
        marginals.append(last if hash(tuple(made)) == hash(tuple(last)) and made == last else made)
    for _ in range(min(people - 1, most)):
        longest = max(map(digits, powers[-1]))
        budget.spend(size**3 * (1 + longest // 30))
        powers.append([times(back, row) for row in powers[-1]])
    return Line(marginals, powers, budget)


def _graph(tree: Network, budget: Budget) -> Graph:
    """Records of two values that follow a `tree` without zeros."""
    parents, order, rows, first = tree.parents, tree.order, tree.rows, tree.first
    need(len(first) == 2, "a record has two values")
    numbers = [*first, *(p for table in rows for row in table for p in row)]
    need(all(p > 0 for p in numbers), "nothing is impossible")
    edges: list[dict[int, list[list[Fraction]]]] = [{} for _ in parents]
    m = [[read.ratio(p, sum(first)) for p in first]] * len(parents)
    for i in order:
        if (parent := parents[i]) >= 0:
            table = [[read.ratio(p, sum(row)) for p in row] for row in rows[i]]
            longest = max(map(read.size, m[parent]))
            budget.spend(100 + longest**2 // 300)
            m[i] = [
                sum((w * row[v] for w, row in zip(m[parent], table, strict=True)), Fraction(0))
                for v in (0, 1)
            ]
            edges[parent][i] = table
            edges[i][parent] = [
                [read.ratio(m[parent][x] * table[x][v], m[i][v]) for x in (0, 1)] for v in (0, 1)
            ]
    return Graph(edges, budget)


def _through(table: list[list[Fraction]], p: int, onward: Iterable[Fraction] | None) -> Fraction:
    """What an edge tells a value `p` of its near end from the other one: where its far end is shown
    (None), or hidden, with the factors `onward` from there for either of its values."""
    (a, b), (c, d) = table
    s = p if a * d >= b * c else 1 - p
    up, down = table[p], table[1 - p]
    if onward is None:
        return read.ratio(up[s], down[s])
    factor = list(onward)[s]
    return read.ratio(up[s] * factor + up[1 - s], down[s] * factor + down[1 - s])


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
    top, bottom = ratio
    if low is None:
        return bool(top > 0 == bottom)
    return bool(top > 0) and low.compare(top, bottom) >= 0
