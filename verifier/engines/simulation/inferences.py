"""Whether what a simulator gives to one output can make several (t, z) good at once.

Under one prior, (t, z) is **good** at alpha if for every view P(Sim = t, z) > 0 and the posteriors
of the private value given F = t, z and given Sim = t, z are within (alpha, delta) of each other.
Let x_a = Sim[t | a], W_v(x) = Σ_a P(v, a, z) x_a, S = Σ_v W_v, q_v = P(v, F = t, z), Q = Σ_v q_v:

    Σ_v max(0, q_v S − alpha Q W_v) <= delta Q S,                                            (1)
    Σ_v max(0, Q W_v − alpha q_v S) <= delta Q S,

and S > 0. All of this is homogeneous in x, and convex. So different outputs do not meet: any
vectors x >= 0, one per output, can be scaled to Σ_t Sim[t | a] <= 1, and what is left goes to a
symbol outside the range of F. The vectors for one set of conditions form a convex cone, so that
outputs with the same conditions need one vector; but each of them is good or bad for itself, and
proportional outputs must not be added up where delta > 0.

With weights u, w >= 0 for the terms of both sums, every x that meets the conditions has
Σ_a g_a x_a <= 0, where

    g_a = c0_a − alpha c1_a,                                                                 (2)
    c0_a = Σ (u_v q_v S_a + w_v Q W_va) − delta Σ Q S_a (max u + max w),
    c1_a = Σ (u_v Q W_va + w_v q_v S_a) >= 0.

So no x makes all conditions good if g >= 0, and g_a > 0 wherever S_a > 0 for one of them and one of
its views. What holds at a level holds below it: g grows as alpha falls.

At any level the values with q_v = 0 get at most delta S. So with weights w for them alone, g = c0;
where it is >= 0, x_a is 0 if g_a > 0. No level serves if that leaves out more than delta Q in q.

Example. q = (3, 1) and W = (x, x), so Q = 4 and S = 2 x. The second condition of (1) for the second
value is 4 x <= alpha · 2 x. The weight w = 1 for it is g = 4 − 2 alpha of (2): no level below 2.

After Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definitions 2 to 5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from verifier.base import exact
from verifier.engines.simulation.blocks import classes
from verifier.kernels import hockey_stick

if TYPE_CHECKING:
    from verifier.lp import Outcome, Row
    from verifier.lp.model.program import Basis

ZERO, ONE = Fraction(0), Fraction(1)
Part = tuple[Any, tuple[tuple[int, Any], ...]]  # q_v; a and W_va
Condition = tuple[tuple[Part, ...], ...]  # the parts of each view
Place = tuple[int, int, int]  # condition, view, part
Weights = dict[Place, tuple[Fraction, Fraction]]
Gift = dict[int, Fraction]  # a -> x_a
Core = frozenset[int]  # conditions


@dataclass(frozen=True, eq=False)
class Refutation:
    """Weights that prove that some conditions are not met together below `root` (None: anywhere),
    nor at the level `at` for which they were found."""

    core: Core
    weights: Weights
    root: Fraction | None
    at: Fraction | None = None

    def covers(self, alpha: Fraction, closed: bool) -> bool:
        """Whether everything below alpha is refuted, and alpha too if `closed`."""
        if self.root is None or alpha < self.root or (alpha == self.root and not closed):
            return True
        return self.at is not None and alpha <= self.at


@dataclass(frozen=True, eq=False)
class Served:
    """A vector that meets conditions at a level, the smallest one for it."""

    gift: Gift
    level: Fraction


@dataclass(frozen=True, eq=False)
class _Table:
    """Some conditions; inputs that occur in the same proportion everywhere are one column.

    inputs  those of each column
    sums    condition, view -> S by column
    parts   condition, view, part -> q and W by column
    """

    inputs: list[list[int]]
    sums: dict[tuple[int, int], list[Any]]
    parts: dict[Place, tuple[Any, list[Any]]]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.inputs)

    def total(self, place: tuple[int, ...]) -> Any:
        """Q of the view of a place."""
        return sum(q for (c, i, _), (q, _) in self.parts.items() if (c, i) == place[:2])


class Inferences:
    """What can be good together, for given conditions and delta; all answers are kept."""

    def __init__(self, conditions: Sequence[Condition], delta: Fraction) -> None:
        self.conditions, self.delta = conditions, delta
        self.table = lru_cache(maxsize=256)(self._table)
        self.endless = lru_cache(maxsize=None)(self._endless)
        self.served: dict[Core, Served] = {}
        self.refuted: dict[Core, Refutation] = {}
        self.bases: dict[tuple[Core, bool], Basis] = {}  # where the last search for a vector ended

    def at(self, core: Core, alpha: Fraction) -> Served | Refutation:
        """A vector that meets the conditions of a core at alpha, or a proof that there is none."""
        if core in self.served and self.served[core].level <= alpha:
            return self.served[core]
        if core in self.refuted and self.refuted[core].covers(alpha, closed=True):
            return self.refuted[core]
        found = self._solved(core, alpha, beyond=False)
        if isinstance(found, Refutation):
            self.refuted[core] = found
            return found
        self.served[core] = self.measured(core, found)
        return self.served[core]

    def below(self, core: Core, alpha: Fraction) -> Refutation | None:
        """One proof for a core and all levels below alpha > 1; there need not be one at the
        smallest level."""
        if core in self.refuted and self.refuted[core].covers(alpha, closed=False):
            return self.refuted[core]
        if core in self.served and self.served[core].level < alpha:
            return None
        found = self._solved(core, alpha, beyond=True)
        if not isinstance(found, Refutation):
            return None
        self.refuted[core] = found
        return found

    def _table(self, core: Core) -> _Table:
        occurs: dict[int, dict[Place, Any]] = defaultdict(dict)
        for c in sorted(core):
            for i, view in enumerate(self.conditions[c]):
                for v, (_, inputs) in enumerate(view):
                    for a, weight in inputs:
                        occurs[a][c, i, v] = weight
        alike = classes(sorted(occurs), lambda a: _direction(occurs[a]))
        columns = [{p: sum(occurs[a][p] for a in part) for p in occurs[part[0]]} for part in alike]
        sums, parts = {}, {}
        for c in sorted(core):
            for i, view in enumerate(self.conditions[c]):
                for v, (q, _) in enumerate(view):
                    parts[c, i, v] = q, [column.get((c, i, v), 0) for column in columns]
                rows = [parts[c, i, v][1] for v in range(len(view))]
                sums[c, i] = [sum(entries) for entries in zip(*rows, strict=True)]
        return _Table(alike, sums, parts)

    def _solved(self, core: Core, alpha: Fraction, beyond: bool) -> list[Fraction] | Refutation:
        """A vector by column, or a proof. If `beyond`, the proof sought is one for all smaller
        levels: g >= 0, and g_a + c1_a in place of g_a is positive where it has to be."""
        from verifier.lp import Infeasible, Optimal

        table = self.table(core)
        listed = list(self._rows(table, alpha, beyond))
        rows = [row for row, _, _ in listed]
        vector = [f"{letter} {k}" for letter in _letters(beyond) for k in range(table.width)]
        excess = (name for row in rows for name in row.terms if name.startswith("e "))
        names = list(dict.fromkeys([*vector, *excess]))
        found = _outcome(names, rows, basis=self.bases.get((core, beyond)))
        if isinstance(found, Optimal):
            self.bases[core, beyond] = found.basis
            return found.point.dense(table.width)
        assert isinstance(found, Infeasible)
        weights: dict[Place, list[Fraction]] = defaultdict(lambda: [ZERO, ZERO])
        for number in found.multipliers.numerators:
            _, place, side = listed[number]
            if place[2] >= 0:
                weights[place][side] = found.multipliers.fraction(number)
        return self._refutation(table, {p: (u, w) for p, (u, w) in weights.items()}, alpha)

    def _rows(
        self, table: _Table, alpha: Fraction, beyond: bool
    ) -> Iterator[tuple[Row, Place, int]]:
        """The rows of the program of a level, with their places and sides: both conditions (1) of
        each view, and S >= 1, which scales the vector."""
        from verifier.lp import Row

        for (c, i), sums in table.sums.items():
            for side in (0, 1):
                yield from self._condition(table, (c, i), side, alpha, beyond)
            positive = {f"x {k}": s for k, s in enumerate(sums)}
            yield Row(f"{c} {i}", positive, ">=", 1), (c, i, -1), 0

    def _condition(
        self, table: _Table, view: tuple[int, int], side: int, alpha: Fraction, beyond: bool
    ) -> Iterator[tuple[Row, Place, int]]:
        """One side of (1) for a view: an excess for each private value, and their sum."""
        from verifier.lp import Row

        (c, i), whole, sums = view, table.total(view), table.sums[view]
        excess: dict[str, Any] = {}
        for v in range(len(self.conditions[c][i])):
            q, weights = table.parts[c, i, v]
            both = [q * s for s in sums], [whole * k for k in weights]
            gain, loss = both if side == 0 else both[::-1]
            terms: dict[str, Any] = _terms("x", gain, loss, alpha - 1 if beyond else alpha)
            if beyond:
                terms |= _terms("y", gain, loss, alpha)
            if self.delta:
                excess[f"e {c} {i} {v} {side}"] = 1
                terms[f"e {c} {i} {v} {side}"] = -1
            yield Row(f"{c} {i} {v} {side}", terms, "<=", 0), (c, i, v), side
        if self.delta:
            # times the denominator of alpha, as the terms are
            allowed = [self.delta * exact.ratio(alpha)[1] * whole * s for s in sums]
            for letter in _letters(beyond):
                excess |= {f"{letter} {k}": -s for k, s in enumerate(allowed)}
            yield Row(f"{c} {i} {side}", excess, "<=", 0), (c, i, -1), side

    def _refutation(self, table: _Table, weights: Weights, alpha: Fraction) -> Refutation:
        """The last level below which some weights refute; they refute at least all below alpha."""
        c0, c1 = self._gains(table, weights)
        roots = [a / b for a, b in zip(c0, c1, strict=True) if b]
        root = min(roots) if roots else None
        used = {place[0] for place in weights}
        best: tuple[bool, bool, int] | None = None
        for (c, _), sums in table.sums.items():
            inside = [k for k, s in enumerate(sums) if s]
            closed = all(c0[k] > alpha * c1[k] for k in inside)
            if all(c0[k] > alpha * c1[k] or c1[k] for k in inside):
                best = max(best or (False, False, -1), (closed, c in used, c))
        assert best is not None and all(a >= alpha * b for a, b in zip(c0, c1, strict=True))
        return Refutation(frozenset(used | {best[2]}), weights, root, alpha if best[0] else None)

    def _gains(self, table: _Table, weights: Weights) -> tuple[list[Fraction], list[Fraction]]:
        """c0 and c1 by column."""
        # (2), but for the last sum of c0, which is taken off below
        width = len(table.inputs)
        c0, c1 = [ZERO] * width, [ZERO] * width
        most: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
        for (c, i, v), (u, w) in weights.items():
            (q, row), sums, whole = table.parts[c, i, v], table.sums[c, i], table.total((c, i))
            for k in range(width):
                c0[k] += u * q * sums[k] + w * whole * row[k]
                c1[k] += u * whole * row[k] + w * q * sums[k]
            before = most.get((c, i), (ZERO, ZERO))
            most[c, i] = max(before[0], u), max(before[1], w)
        for place, (u, w) in most.items():
            for k, s in enumerate(table.sums[place]):
                c0[k] -= self.delta * table.total(place) * s * (u + w)
        return c0, c1

    def _endless(self, core: Core) -> Served | Refutation:
        """A vector that meets the conditions at some level, or a proof that none does.

        The largest support of a vector that gives at most delta to impossible values; where it
        cannot be larger, the reduced cost r_a is positive.
        """
        table = self.table(core)
        if not table.width:  # a given simulator that never says so
            return Refutation(frozenset({min(core)}), {}, None)
        gift, weights = self._widest(table)
        for c, i in table.sums:
            missed = sum(
                q
                for place, (q, entries) in table.parts.items()
                if place[:2] == (c, i) and not any(map(_times, entries, gift))
            )
            if missed > self.delta * table.total((c, i)):
                return Refutation(frozenset({c, *(place[0] for place in weights)}), weights, None)
        return self.measured(core, gift)

    def _widest(self, table: _Table) -> tuple[list[Fraction], Weights]:
        """A vector of largest support, by column, and weights w for the impossible values that
        prove that it is."""
        from verifier.lp import Optimal, Row

        columns, rows = range(table.width), []
        for (c, i), sums in table.sums.items():
            impossible = [
                r for place, (q, r) in table.parts.items() if place[:2] == (c, i) and not q
            ]
            over = {f"x {k}": sum(r[k] for r in impossible) - self.delta * sums[k] for k in columns}
            rows.append(Row(f"{c} {i}", over, "<=", 0))
        rows += [Row(f"e {k}", {f"e {k}": 1, f"x {k}": -1}, "<=", 0) for k in columns]
        counted = [f"e {k}" for k in columns]
        names, ones = [*(f"x {k}" for k in columns), *counted], dict.fromkeys(counted, 1)
        found = _outcome(names, rows, ones, ones)
        assert isinstance(found, Optimal)
        weights: Weights = {}
        for row, view in enumerate(table.sums):
            y = found.multipliers.fraction(row)
            for place, (q, _) in table.parts.items() if y else ():
                if place[:2] == view and not q:
                    weights[place] = ZERO, y / table.total(view)
        return found.point.dense(table.width), weights

    def measured(self, core: Core, gift: Sequence[Fraction]) -> Served:
        """The smallest level at which a gift, a vector by column, meets the conditions of a
        core."""
        table, level = self.table(core), ONE
        for c, i in table.sums:
            whole = table.total((c, i))
            given = sum(map(_times, table.sums[c, i], gift), ZERO)
            pairs = [
                (exact.over(q, whole), sum(map(_times, entries, gift), ZERO) / given)
                for place, (q, entries) in table.parts.items()
                if place[:2] == (c, i)
            ]
            for one in (pairs, [(q, p) for p, q in pairs]):
                needed = hockey_stick.profile((p, q, 1) for p, q in one).smallest_alpha(self.delta)
                assert needed is not None
                level = max(level, needed)
        by_input = {a: x for alike, x in zip(table.inputs, gift, strict=True) for a in alike}
        return Served(by_input, level)


def _outcome(
    names: Sequence[str],
    rows: Sequence[Row],
    objective: Mapping[str, int] | None = None,
    upper: Mapping[str, int] | None = None,
    basis: Basis | None = None,
) -> Outcome:
    """The outcome of a program with columns of these names, whatever its numbers are."""
    from verifier.lp import Program, solve, solve_rows

    values = (value for row in rows for value in row.terms.values())
    if not any(isinstance(value, Fraction) and exact.is_irrational(value) for value in values):
        return solve(Program.build(names, rows, objective, upper=upper), basis)
    place = {name: at for at, name in enumerate(names)}
    placed = [replace(row, terms=_placed(row.terms, place)) for row in rows]
    gains, ends = _placed(objective or {}, place), _placed(upper or {}, place)
    return solve_rows(len(names), placed, gains, upper=ends)


def _placed(values: Mapping[Any, Any], place: Mapping[str, int]) -> dict[int, Any]:
    return {place[name]: value for name, value in values.items()}


def _letters(beyond: bool) -> str:
    return "xy" if beyond else "x"


def _times(k: Any, x: Fraction) -> Fraction:
    found: Fraction = k * x
    return found


def _terms(
    letter: str, gain: Sequence[Any], loss: Sequence[Any], alpha: Fraction
) -> dict[str, Any]:
    """gain - alpha loss by column, in integers: times the denominator of alpha."""
    p, q = exact.ratio(alpha)
    return {f"{letter} {k}": q * a - p * b for k, (a, b) in enumerate(zip(gain, loss, strict=True))}


def _direction(entries: dict[Place, Any]) -> tuple[tuple[Place, Any], ...]:
    """Numbers by place, up to a common positive factor."""
    return tuple(zip(entries, exact.coprime(list(entries.values())), strict=True))
