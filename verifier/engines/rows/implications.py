"""How much a cone of rows allows a comparison of columns to be broken, and why not more.

Over the x >= 0 with h · x <= 0 for all h of a list, the largest ratio a · x / b · x is r exactly if
some multipliers y >= 0 have Σ_h y_h h >= a − r b, and some x attains r. Where every h compares two
worlds, x_u <= c x_v with c >= 1, the ratio of two worlds is the cheapest product along a path.

Example. x_0 <= 2 x_1 and x_1 <= 3 x_2. The only path from 0 to 2 costs 2 · 3 = 6; the row (6, 3, 1)
attains it, and the multipliers 1 and 2 prove it: (x_0 − 2 x_1) + 2 (x_1 − 3 x_2) = x_0 − 6 x_2.

After Lin, Kifer 2012, Reasoning about privacy using axioms, Section III.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from math import lcm
from typing import TYPE_CHECKING

from verifier.base.exact import is_irrational, over
from verifier.base.halfspaces import Halfspaces
from verifier.questions.answer import NotRead
from verifier.world.mechanism import Mechanism

if TYPE_CHECKING:
    from verifier.lp.model.program import Optimal
    from verifier.lp.solve import Solver

Weights = Mapping[int, Fraction]  # world -> weight > 0
Multipliers = Mapping[int, Fraction]  # number of an inequality -> multiplier > 0

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Most:
    """The largest ratio, None where it is infinite; a row that attains it; multipliers."""

    ratio: Fraction | None
    row: Sequence[Fraction]
    multipliers: Multipliers


def with_equations(asked: Halfspaces) -> Halfspaces:
    """The inequalities `asked` of rows of mechanisms: h · x <= 0 is an equation where Σ h_w = 0.

    For the rows of a mechanism sum to 1 in every world, so that the sum of all h · x is Σ h_w.
    """
    known = {tuple(sorted(row.items())) for row in asked.rows}
    rows, names = list(asked.rows), list(asked.names)
    # h · x <= 0 for rows whose sum has h · (1, …, 1) = 0: none of them can be below 0
    for row, name in zip(asked.rows, asked.names, strict=True):
        turned = {w: -h for w, h in row.items()}
        if not sum(row.values()) and tuple(sorted(turned.items())) not in known:
            rows.append(turned)
            names.append(f"{name}, turned")
    return Halfspaces(asked.worlds, rows, names)


class Graph:
    """Inequalities x_u <= c x_v with c >= 1, one for each edge (u, v).

    factors  the different numbers c
    edges    u -> v, the place of c, and the number of the inequality
    """

    def __init__(
        self,
        asked: Halfspaces,
        factors: Sequence[Fraction],
        edges: Mapping[int, Sequence[tuple[int, int, int]]],
    ) -> None:
        self.asked, self.factors, self.edges = asked, factors, edges
        self._from: dict[int, tuple[dict[int, Fraction], dict[int, tuple[int, int]]]] = {}

    @staticmethod
    def of(asked: Halfspaces) -> Graph | None:
        """The graph of what is `asked` where every inequality compares two worlds, else None."""
        edges: dict[int, list[tuple[int, int, int]]] = {}
        places: dict[Fraction, int] = {}
        for number, row in enumerate(asked.rows):
            signs = sorted(row.items(), key=lambda item: -item[1])
            if len(signs) != 2 or not signs[0][1] > 0 > signs[1][1] or sum(row.values()) > 0:
                return None
            (u, p), (v, q) = signs
            place = places.setdefault(over(-q, p), len(places))
            edges.setdefault(u, []).append((v, place, number))
        return Graph(asked, list(places), edges)

    def bounded(self, left: int, right: int, ratio: Fraction) -> Multipliers | None:
        """Multipliers that prove x_left <= ratio · x_right, `left` and `right` being worlds; None
        where that is false."""
        cost = self._paths(left)[0].get(right)
        return None if cost is None or cost > ratio else self._multipliers(left, right)

    def most(self, left: int, right: int) -> Most:
        """The largest ratio of the worlds `left` and `right`: the cheapest path from one to the
        other."""
        costs, _ = self._paths(left)
        worlds, most = range(self.asked.worlds), costs.get(right)
        if most is None:
            return Most(None, [Fraction(w in costs) for w in worlds], {})
        row = [1 / min(costs.get(w, most), most) for w in worlds]
        return Most(most, row, self._multipliers(left, right))

    def _multipliers(self, left: int, right: int) -> Multipliers:
        """Those of the inequalities along the cheapest path."""
        costs, before = self._paths(left)
        multipliers, at = {}, right
        while at != left:
            previous, number = before[at]
            multipliers[number] = costs[previous] / self.asked.rows[number][previous]
            at = previous
        return multipliers

    def _paths(self, start: int) -> tuple[dict[int, Fraction], dict[int, tuple[int, int]]]:
        """The cost of every world that can be reached, and the last step to it: from which world,
        by which inequality."""
        if start not in self._from:
            costs: dict[int, Fraction] = {}
            before: dict[int, tuple[int, int]] = {}
            heap, steps = [ONE], {ONE: [(start, start, -1)]}  # few costs are different
            while heap:
                cost, known = heappop(heap), dict[int, list[tuple[int, int, int]]]()
                level = steps[cost]
                while level:
                    world, previous, number = heappop(level)
                    if world in costs:
                        continue
                    costs[world], before[world] = cost, (previous, number)
                    for other, factor, edge in self.edges.get(world, ()):
                        if other in costs:
                            continue
                        if factor not in known:
                            then = cost * self.factors[factor]
                            if then not in steps:
                                steps[then] = []
                                heappush(heap, then)
                            known[factor] = steps[then]
                        heappush(known[factor], (other, world, edge))
            self._from[start] = costs, before
        return self._from[start]


class Cone:
    """All rows x >= 0 that satisfy inequalities; (1, …, 1) is one of them."""

    def __init__(self, asked: Halfspaces) -> None:
        self.asked = asked

    @cached_property
    def _solver(self) -> Solver:
        from verifier.lp.model.program import Program, Row
        from verifier.lp.ratio import sliced
        from verifier.lp.solve import Solver

        names = [str(world) for world in range(self.asked.worlds)]
        rows = [Row("", row, "<=", 0) for row in self.asked.rows]
        return Solver(sliced(Program.build(names, rows)))

    @cached_property
    def _is_rational(self) -> bool:
        """Whether no inequality has powers of e."""
        return not any(is_irrational(h) for row in self.asked.rows for h in row.values())

    def _best(self, goal: Weights) -> tuple[Optimal, int]:
        """The outcome of maximising what is proportional to a goal over Σ x = 1, and the factor."""
        from verifier.lp.model.program import Optimal, Row
        from verifier.lp.solve import solve_rows

        worlds = range(self.asked.worlds)
        if self._is_rational and not any(map(is_irrational, goal.values())):
            scale = lcm(*(value.denominator for value in goal.values()))
            found = self._solver.maximise([int(goal.get(w, 0) * scale) for w in worlds])
        else:
            scale, rows = 1, [Row("", row, "<=", 0) for row in self.asked.rows]
            whole = Row("", dict.fromkeys(worlds, 1), "=", 1)
            found = solve_rows(len(worlds), [*rows, whole], goal)
        assert isinstance(found, Optimal)  # not empty, and bounded by Σ x = 1
        return found, scale

    def bounded(self, left: Weights, right: Weights, ratio: Fraction) -> Multipliers | None:
        """Multipliers that prove left · x <= ratio · right · x; None where that is false."""
        goal = {w: left.get(w, ZERO) - ratio * right.get(w, ZERO) for w in {*left, *right}}
        found, scale = self._best(goal)
        return self._multipliers(found, scale) if found.value <= 0 else None

    def broken(self, inequality: Mapping[int, int]) -> Sequence[Fraction] | Multipliers:
        """A row with h · x > 0 for an inequality h, or multipliers that prove h · x <= 0."""
        found, scale = self._best({w: Fraction(h) for w, h in inequality.items()})
        if found.value > 0:
            return found.point.dense(self.asked.worlds)
        return self._multipliers(found, scale)

    def most(self, left: Weights, right: Weights) -> Most:
        """The largest ratio of two weighted sums, `left` over `right`."""
        from verifier.lp.ratio import Infinite, Largest, largest_ratio

        if not self._is_rational or any(map(is_irrational, (*left.values(), *right.values()))):
            return self._most(left, right)
        worlds = range(self.asked.worlds)
        scale = lcm(*(value.denominator for value in (*left.values(), *right.values())))
        above, below = ([int(side.get(w, 0) * scale) for w in worlds] for side in (left, right))
        found = largest_ratio(self._solver, above, below)
        assert isinstance(found, Infinite | Largest)  # (1, …, 1) has a ratio
        row = found.point.dense(self.asked.worlds)
        if isinstance(found, Infinite):
            return Most(None, row, {})
        multipliers = self.bounded(left, right, found.value)
        assert multipliers is not None
        return Most(found.value, row, multipliers)

    def _most(self, left: Weights, right: Weights) -> Most:
        """The same by W. Dinkelbach's steps, where numbers are irrational."""
        row: Sequence[Fraction] = [ONE] * self.asked.worlds
        while True:
            above, below = (sum((p * row[w] for w, p in s.items()), ZERO) for s in (left, right))
            if not below:
                return Most(None, row, {})
            ratio = above / below
            goal = {w: left.get(w, ZERO) - ratio * right.get(w, ZERO) for w in {*left, *right}}
            found, scale = self._best(goal)
            if found.value <= 0:
                return Most(ratio, row, self._multipliers(found, scale))
            row = found.point.dense(self.asked.worlds)

    def _multipliers(self, found: Optimal, scale: int) -> Multipliers:
        """Those of the inequalities, all but the last row of the program."""
        last = len(self.asked.rows)
        return {
            h: found.multipliers.fraction(h) / scale
            for h in sorted(found.multipliers.numerators)
            if h < last and found.multipliers.numerators[h]
        }


def completed(row: Sequence[Fraction], asked: Halfspaces) -> list[list[Fraction]]:
    """The mechanism with outputs (t·x, 1 − t·x) for the largest t such that both rows satisfy what
    is `asked`; `row` does, and equations are listed both ways."""
    bounds = [1 / x for x in row if x]
    for terms in asked.rows:
        slack, product = -sum(terms.values()), sum((h * row[w] for w, h in terms.items()), ZERO)
        if product < 0:
            bounds.append(slack / -product)
    t = min(bounds)
    return [[t * x for x in row], [1 - t * x for x in row]]


def name_of(mechanism: Mechanism, given: Mapping[str, Mechanism]) -> str:
    """The name of the first given mechanism with the same rows; NotRead where there is none."""
    rows = list(mechanism.rows())
    for name, other in given.items():
        if list(other.rows()) == rows:
            return name
    raise NotRead("the mechanism of the proof is none of the given ones")
