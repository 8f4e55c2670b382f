"""Certificates of kind "quilts": what the records that are shown tell about one that is hidden,
with others, where the values of the records follow Markov chains or a tree.

A hidden record is parted from the others by the nearest ones that are shown, each of which tells
its value: the cones of what branches tell are those of `network`, from these records on. Under a
chain hidden records beyond them change nothing, and a longer block of hidden records tells no more.
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
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any

from . import levels
from . import reading as read
from .document import afford, fields, index, indices, items, need, prove, texts
from .levels import Level
from .network import (
    Compared,
    Cone,
    Cones,
    Matrix,
    Network,
    Ratio,
    Vector,
    changes,
    digits,
    networks,
    of_changes,
)
from .reading import Case, Model

MOST_VALUES = 6  # of a record


@dataclass
class Shown:
    """Records of a `network` that are shown as they are, unless they are hidden."""

    network: Network
    is_tree: bool
    known: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def cones(self) -> Cones:
        """Cones of what is told."""
        return Cones(self.is_tree, [], self.network.budget)

    @cached_property
    def nothing(self) -> Cone:
        """The cone of what a hidden record tells."""
        return [[1] * len(self.network.first)]

    def told(self, one: Compared, runs: list[range]) -> list[Ratio]:
        """What is shown when runs of records are hidden, as ratios of which the largest one counts;
        the same list for all that are alike."""
        (i, a, b), net = one, self.network
        run = next((run for run in runs if i in run), None)
        if run is None:
            return [(1, 0)]
        above, below = self._inside({*chain(*runs)}, i) if self.is_tree else self._between(run, i)
        key = id(above), id(below), id(net.marginals[i]), tuple(a), tuple(b)
        if key not in self.known:
            if self.is_tree:
                above, below = [above[-a[0]]], [below[-a[0]]]
            net.budget.spend(20 * len(above) * len(below))
            self.known[key] = [net.ratio(i, a, b, w, d) for w, d in product(above, below)]
        found: list[Ratio] = self.known[key]
        return found

    def _between(self, run: range, i: int) -> tuple[Cone, Cone]:
        """Cones of w_i and of d_i, of a record in a run that is hidden, of a chain."""
        net, above, below = self.network, self._alone(self.network.marginals[i]), self.nothing
        if run[0]:
            start = self._values(net.marginals[run[0] - 1])
            above = self._moved(net.columns[i], start, i - run[0] + 1)
        if run[-1] + 1 < len(net.parents):
            start = self._values(self.nothing[0])
            below = self._moved(net.rows[run[-1] + 1], start, run[-1] + 1 - i)
        return above, below

    def _moved(self, matrix: Matrix, cone: Cone, steps: int) -> Cone:
        """What is moved so many times."""
        found: list[Cone] = self.known.setdefault((id(matrix), id(cone)), [cone])
        while len(found) <= steps:
            found.append(self.cones.moved(matrix, found[-1]))
        return found[steps]

    def _alone(self, vector: Vector) -> Cone:
        found: Cone = self.known.setdefault(id(vector), [vector])
        return found

    def _values(self, allowed: Vector) -> Cone:
        """The cone of what a record tells that shows a value, one that is not 0 where `allowed`."""
        which = tuple([v for v, x in enumerate(allowed) if x])
        size = range(len(allowed))
        found: Cone = self.known.setdefault(which, [[int(v == w) for w in size] for v in which])
        return found

    def _inside(self, hidden: set[int], i: int) -> tuple[Cone, Cone]:
        """The same of a tree."""
        net, path = self.network, [i]
        while path[-1] in hidden and net.parents[path[-1]] >= 0:
            path.append(net.parents[path[-1]])
        order = [k for k in path if k in hidden][-1:]
        for k in order:
            order += net.children[k] if k in hidden else []
        net.budget.spend(20 * len(order))
        shown = self._values(self.nothing[0])
        below = {k: self.nothing if k in hidden else shown for k in order}
        for k in reversed(order):
            for c in net.children[k] if k in hidden else []:
                below[k] = self._joined(below[k], c, below[c])
        above = self._alone(net.first)
        for parent, child in zip(path[:0:-1], path[-2::-1], strict=True):
            above = above if parent in hidden else shown
            for c in net.children[parent] if parent in hidden else []:
                above = above if c == child else self._joined(above, c, below[c])
            above = self.cones.moved(net.columns[child], above)
        return above, below[i]

    def _joined(self, cone: Cone, child: int, below: Cone) -> Cone:
        return self.cones.product(cone, self.cones.moved(self.network.rows[child], below))

    def least(self, one: Compared, size: int) -> Iterator[list[Ratio]]:
        """These ratios for each way to hide so many records that may tell least."""
        i, people = one[0], len(self.network.parents)
        if self.is_tree:
            yield [(self._least(i, one[1][0], size), 1)]
            return
        for first in range(max(0, i - size + 1), min(i, people - size) + 1):
            yield self.told(one, [range(first, first + size)])

    def _least(self, i: int, p: int, size: int) -> Fraction:
        """The least factor of a value of a record of a tree."""
        links: list[tuple[int, int, Matrix]] = [(i, -1, [])]
        for record, before, _ in links:
            links += [(j, record, table) for j, table in self._edges(record) if j != before]
        bits = sum(digits([x for row in table for x in row]) for *_, table in links[1:])
        self.network.budget.spend(len(links) ** 2 * size // 10 * (1 + bits**2 // 200_000))
        found = {record: [[Fraction(1)], [Fraction(1)]] for record, *_ in links}
        for record, before, table in links[:0:-1]:
            for q in (0, 1):
                ways = [_through(table, q, None)]
                for factors in zip(*found[record], strict=True):
                    ways.append(_through(table, q, factors))
                found[before][q] = _joined(found[before][q], ways, size)
        return found[i][p][min(size, len(links)) - 1]

    def _edges(self, record: int) -> Iterator[tuple[int, Matrix]]:
        """Records beside one of a tree, with what is in proportion to their values, given its."""
        net = self.network
        for child in net.children[record]:
            yield child, net.rows[child]
        if (parent := net.parents[record]) >= 0:
            own, above, rows = net.marginals[record], net.marginals[parent], net.rows[record]
            yield parent, [[own[1 - v] * above[x] * rows[x][v] for x in (0, 1)] for v in (0, 1)]


@dataclass(frozen=True)
class Hiding:
    """What is compared, under which priors, and how many records may be hidden."""

    compared: list[Compared]
    priors: list[Shown]
    people: int
    most: int

    @cached_property
    def views(self) -> list[list[Shown]]:
        """For each comparison the priors that make it."""
        return [[p for p in self.priors if p.network.compares(*one)] for one in self.compared]

    def holds(self, upper: Any, at: Level) -> bool:
        """Whether records may be hidden, those of `upper` for each comparison, so that the others
        tell no more than the level `at`."""
        different: dict[int, list[Ratio]] = {}
        for one, views, runs in zip(self.compared, self.views, items(upper), strict=True):
            hidden = self._hidden(runs)
            told = (prior.told(one, hidden) for prior in views)
            different.update((id(ratios), ratios) for ratios in told)
        return all(at.compare(p, q) <= 0 for told in different.values() for p, q in told)

    def _hidden(self, runs: Any) -> list[range]:
        hidden: list[range] = []
        for first, last in items(runs, 2):
            index(last, self.people, low=index(first, self.people))
            hidden.append(range(first, last + 1))
        need(sum(map(len, hidden)) <= self.most, "too many records are hidden")
        return hidden

    def needs(self, worst: Any, low: Level | None) -> bool:
        """Whether for the comparison `worst` all ways to hide so few records leave the others to
        tell a level `low` (None: everything)."""
        if worst is None:
            return low is not None and low.alpha == 1
        at = index(worst, len(self.compared))
        one, views, size = self.compared[at], self.views[at], min(self.most, self.people)
        prove(views, "no prior makes this comparison")
        if not size:
            return True
        ways = zip(*(prior.least(one, size) for prior in views), strict=True)
        return all(any(_reaches(r, low) for ratios in way for r in ratios) for way in ways)


def check_quilts(case: Case) -> bool:
    """Whether the level of a `case` is met, if its witness proves the leakage; else raise."""
    asked, hiding = levels.claim(case.claim), _read_hiding(case.relation, case.model)
    need(asked.delta == 0 and "lower" not in asked.leakage, "an influence is exact, without delta")
    empty = not any(hiding.views)
    need(empty == (case.witness is None), "there is evidence just where something is compared")
    upper, worst = (None, None) if empty else fields(case.witness, "upper worst")
    need(empty or ("infinite" in asked.leakage) == (upper is None), "records to hide")
    return asked.settle(
        empty, lambda at: hiding.holds(upper, at), lambda low: hiding.needs(worst, low)
    )


def fields_of_quilts(relation: Any) -> list[Any]:
    """The parts of the relation: how many may be hidden, pairs (None: of all values), priors."""
    rule, *found = fields(relation, "rule entries pairs priors")
    need(rule == "quilts", "the rule is quilts")
    return found


def _read_hiding(relation: Any, model: Model) -> Hiding:
    entries, listed, priors = fields_of_quilts(relation)
    people, size = texts(model.parts["people"]), model.size
    need(size <= MOST_VALUES, "a record has too many values")
    (codes,) = model.entries
    need(all(-1 not in code for code in codes), "a record has one entry and is there")
    is_tree = priors["class"] == "trees"
    known = [Shown(network, is_tree) for network in networks(_worst(priors), model)]
    if is_tree:
        ((net, _),) = [(one.network, one) for one in known]
        need(size == 2, "a record has two values")
        numbers = [*net.first, *(p for table in net.rows for row in table for p in row)]
        need(all(p > 0 for p in numbers), "nothing is impossible")
    compared = list(_compared(listed, people, size))
    afford(len(compared) * len(known) * size)
    return Hiding(compared, known, people, index(entries, people + 1))


def _worst(priors: Any) -> Any:
    """A class of priors; of intervals the chains of which one is the worst."""
    if priors["class"] != "markov":
        return priors
    least, most = changes(priors)
    ends = [least] * (sum(least) < 1 or sum(most) <= 1) + [most] * (sum(most) > 1)
    parts = [zip(("initial", "transition"), of_changes(*end), strict=True) for end in ends]
    return {"class": "chains", "chains": list(map(dict, parts))}


def _compared(listed: Any, people: int, size: int) -> Iterator[Compared]:
    """What is compared: each two values of each record, or what is listed; in both orders."""
    if listed is None:
        afford(people * size**2)
        listed = [[i, [a], [b]] for i in range(people) for a, b in combinations(range(size), 2)]
    for i, a, b in items(listed, 3):
        index(i, people)
        for values in (a, b):
            need(indices(values, size), "a set has a value")
            need(len(values) == len(set(values)), "a set has different values")
        need(not set(a) & set(b), "the sets of a pair have no value in common")
        yield from ((i, a, b), (i, b, a))


def _through(table: Matrix, p: int, onward: Iterable[Fraction] | None) -> Fraction:
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
