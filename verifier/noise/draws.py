"""Independent random draws, rational sums of them, and comparisons of such sums with 0.

A comparison is kept as `sum >= 0` in a normal form: coprime integer factors, and for whole draws
a whole constant. Its contrary is a comparison too; for real draws the two overlap in a set of
probability 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from math import floor, gcd, lcm

from verifier.base.nouns import Later, dataclass

Number = int | Fraction

GEOMETRIC, GEOMETRIC_EPSILON = "geometric", "geometric_epsilon"
LAPLACE, EXPONENTIAL, INTERVAL = "laplace", "exponential", "interval"
WHOLE_PART, FRACTION, STEPS = "whole_part", "fraction", "steps"  # of real draws: see `mixed`
NORMAL = "normal"
WHOLE = frozenset({GEOMETRIC, GEOMETRIC_EPSILON, WHOLE_PART, STEPS})
RATIO, POWER = "ratio", "power"
BASES = {GEOMETRIC: RATIO} | dict.fromkeys((INTERVAL, STEPS), "")  # of all others powers of e


class Hashed(Later):
    """Keeps its hash: draws and conditions are looked up very often."""

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(map(vars(self).get, self.__dataclass_fields__)))  # type: ignore[attr-defined]

    def kept_hash(self) -> int:
        """The hash of all fields."""
        return self._hash


@dataclass(frozen=True, order=True)
class Law(Hashed):
    """The distribution of a draw around 0.

    geometric          P(z) = (1 − ρ)/(1 + ρ)·ρ^|z| on all integers, ρ the parameter
    geometric_epsilon  the same with ρ = e^(−parameter)
    laplace            density e^(−|x|/b)/(2b), b the parameter
    exponential        density e^(−x/b)/b for x >= 0
    interval           density 1/b for 0 <= x <= b
    whole_part         of an exponential draw: P(z) = (1 − ρ)·ρ^z for z >= 0, ρ = e^(−1/b)
    fraction           what is left of it: density e^(−x/b)/(b(1 − ρ)) for 0 <= x <= 1
    steps              P(z) = 1/n for the whole numbers from 0 to n − 1, n the parameter
    normal             density e^(−x²/(2v))/√(2πv), the variance v the parameter
    """

    kind: str
    parameter: Fraction

    __hash__ = Hashed.kept_hash

    @property
    def whole(self) -> bool:
        """Whether a draw is an integer."""
        return self.kind in WHOLE

    @property
    def base(self) -> str:
        """What is raised to powers: a `RATIO` or e (`POWER`); empty where nothing is."""
        return BASES.get(self.kind, POWER)

    @property
    def low(self) -> int | None:
        """The least value, if there is one."""
        return None if self.kind in (GEOMETRIC, GEOMETRIC_EPSILON, LAPLACE, NORMAL) else 0

    @property
    def endless(self) -> bool:
        """Whether a draw may be any number, whole or real."""
        return self.low is None

    @property
    def high(self) -> Fraction | None:
        """The greatest value, if there is one."""
        if self.kind == FRACTION:
            return Fraction(1)
        ends = {INTERVAL: self.parameter, STEPS: self.parameter - 1}
        return ends.get(self.kind)


@dataclass(frozen=True, order=True)
class Draw(Hashed):
    """A draw: its `number` tells independent ones of the same law apart."""

    number: int
    law: Law

    __hash__ = Hashed.kept_hash


def _plain(value: Number) -> Number:
    """The number, an `int` where it is whole: that is much quicker."""
    return value if type(value) is int or value.denominator != 1 else value.numerator


@dataclass(frozen=True)
class Linear(Hashed):
    """Σ factor · draw + constant, with factors that are not 0, in the order of the draws."""

    terms: tuple[tuple[Draw, Number], ...]
    constant: Number

    __hash__ = Hashed.kept_hash

    @classmethod
    def of(cls, terms: Mapping[Draw, Number], constant: Number) -> Linear:
        """The sum with these factors."""
        kept = sorted((draw, _plain(factor)) for draw, factor in terms.items() if factor)
        return cls(tuple(kept), _plain(constant))

    def plus(self, other: Linear | Number, factor: Number = 1) -> Linear:
        """self + factor · other."""
        if not isinstance(other, Linear):
            return Linear(self.terms, _plain(self.constant + factor * other))
        terms = dict(self.terms)
        for draw, more in other.terms:
            terms[draw] = terms.get(draw, 0) + factor * more
        return Linear.of(terms, self.constant + factor * other.constant)

    def times(self, factor: Number) -> Linear:
        """factor · self."""
        return Linear.of({d: f * factor for d, f in self.terms}, self.constant * factor)

    def __repr__(self) -> str:
        return "a draw"

    @cached_property
    def whole(self) -> bool:
        """Whether it is always an integer."""
        numbers = self.constant, *(factor for _, factor in self.terms)
        return all(d.law.whole for d, _ in self.terms) and all(n.denominator == 1 for n in numbers)


@dataclass(frozen=True)
class Floor(Later):
    """The largest integer that is at most a sum of draws."""

    of: Linear

    def __repr__(self) -> str:
        return "the floor of a draw"


@dataclass(frozen=True)
class Condition(Hashed):
    """Σ factor · draw + constant >= 0, in normal form; `Condition.of` makes one."""

    terms: tuple[tuple[Draw, int], ...]
    constant: Number

    __hash__ = Hashed.kept_hash

    @classmethod
    def of(cls, form: Linear, strict: bool = False) -> Condition | bool:
        """The condition form >= 0, or > 0 where `strict`; a truth where no draw is in it."""
        if not form.terms:
            return form.constant > 0 if strict else form.constant >= 0
        up = lcm(*(factor.denominator for _, factor in form.terms))
        down = gcd(*((factor * up).numerator for _, factor in form.terms))
        terms = tuple((draw, (factor * up).numerator // down) for draw, factor in form.terms)
        constant = form.constant if up == down else form.constant * Fraction(up, down)
        if all(draw.law.whole for draw, _ in terms):
            rest = strict and constant.denominator == 1
            constant = floor(constant) - rest
        return cls(terms, _plain(constant))

    @cached_property
    def contrary(self) -> Condition:
        """The condition that holds exactly where this one does not, but for probability 0."""
        terms = tuple((draw, -factor) for draw, factor in self.terms)
        return Condition(terms, -self.constant - (not self.is_strict))

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The draws that are compared."""
        return tuple(draw for draw, _ in self.terms)

    @property
    def is_strict(self) -> bool:
        """Whether equality has probability 0, as with a real draw."""
        return not all(draw.law.whole for draw, _ in self.terms)


@lru_cache(maxsize=2**15)
def implied(one: Condition, other: Condition) -> Condition | bool:
    """What two conditions together imply of the sum of both sides."""
    mine, its = (Linear(c.terms, c.constant) for c in (one, other))
    return Condition.of(mine.plus(its))


Sides = tuple[tuple[Draw, int], ...]
Side = tuple[Sides, Number, bool]  # Σ factor · draw + constant >= 0, or > 0 where it is strict


@dataclass(frozen=True)
class Path(Hashed):
    """What has been found out about draws: a conjunction of conditions."""

    conditions: frozenset[Condition] = frozenset()

    __hash__ = Hashed.kept_hash

    @cached_property
    def tight(self) -> dict[Sides, Number]:
        """For each sum of draws that is bounded from below the tightest constant."""
        found: dict[Sides, Number] = {}
        for condition in self.conditions:
            known = found.get(condition.terms)
            if known is None or condition.constant < known:
                found[condition.terms] = condition.constant
        return found

    def truth(self, condition: Condition | bool) -> bool | None:
        """Whether a `condition` holds on the path; None where the same sum does not tell."""
        if isinstance(condition, bool):
            return condition
        known = self.tight.get(condition.terms)
        if known is not None and known <= condition.constant:
            return True
        contrary = condition.contrary
        known = self.tight.get(contrary.terms)
        return False if known is not None and known <= contrary.constant else None

    def tells(self, condition: Condition) -> bool:
        """Whether a `condition` follows from one of the path, or from two with a draw in common
        that goes out."""
        known = self.truth(condition)
        if known is not None:
            return known
        draw, factor = condition.terms[0]  # it is in one of the two
        return any(
            _agree(one, other, condition)
            for one in self.about.get((draw, factor > 0), ())
            for draw, factor in one.terms
            for other in self.about.get((draw, factor < 0), ())
        )

    @cached_property
    def about(self) -> dict[tuple[Draw, bool], list[Condition]]:
        """The conditions in which each draw is, by the sign of its factor."""
        found: dict[tuple[Draw, bool], list[Condition]] = {}
        for condition in self.conditions:
            for draw, factor in condition.terms:
                found.setdefault((draw, factor > 0), []).append(condition)
        return found

    def plus(self, conditions: Iterable[Condition | bool]) -> Path | None:
        """The path with more `conditions`, None where they cannot hold."""
        more = [c for c in conditions if not isinstance(c, bool)]
        new = [c for c in more if c not in self.conditions]
        if not new:
            return self
        made = Path(self.conditions | set(new))
        sides = {(draw, factor > 0) for condition in new for draw, factor in condition.terms}
        own = {
            draw
            for draw, up in sides
            if (draw.law.high if up else draw.law.low) is None
            and (draw, not up) not in sides
            and draw not in self.draws
        }
        if all(own.intersection(condition.draws) for condition in new):
            return made  # these draws, far out on their sides, meet each condition
        left = _held(made.conditions)
        seeds = left.intersection(new)
        return made if not seeds or is_possible(_connected(seeds, left)) else None

    @cached_property
    def draws(self) -> frozenset[Draw]:
        """The draws that are compared."""
        return frozenset(draw for condition in self.conditions for draw in condition.draws)


def _held(conditions: Collection[Condition]) -> set[Condition]:
    """The `conditions` without those of draws that, far out on one side, meet all that they are in,
    and then of those that meet all that are left."""
    about: dict[Draw, list[Condition]] = {}
    sides: Counter[tuple[Draw, bool]] = Counter()
    for condition in conditions:
        for draw, factor in condition.terms:
            about.setdefault(draw, []).append(condition)
            sides[draw, factor > 0] += 1
    for draw in about:
        sides[draw, True] += draw.law.low is not None
        sides[draw, False] += draw.law.high is not None
    left = set(conditions)
    todo = [draw for draw in about if not (sides[draw, True] and sides[draw, False])]
    while todo:
        for condition in left.intersection(about[todo.pop()]):
            left.remove(condition)
            for draw, factor in condition.terms:
                sides[draw, factor > 0] -= 1
                todo += [draw] if not sides[draw, factor > 0] else []
    return left


def _connected(seeds: Iterable[Condition], conditions: Iterable[Condition]) -> set[Condition]:
    """Of some `conditions` those on draws that are compared, directly or not, with those of some
    `seeds`."""
    found, todo = set(seeds), list(seeds)
    by: dict[Draw, list[Condition]] = {}
    for condition in conditions:
        for draw in condition.draws:
            by.setdefault(draw, []).append(condition)
    while todo:
        for draw in todo.pop().draws:
            fresh = [c for c in by.pop(draw, ()) if c not in found]
            found.update(fresh)
            todo += fresh
    return found


MAX_CONDITIONS = 1_000


def is_possible(conditions: Collection[Condition]) -> bool:
    """Whether some numbers meet all `conditions`; for whole draws also where only fractions do.

    Fourier and Motzkin: a draw is eliminated by adding each lower bound to each upper one. With a
    real draw in it a comparison is strict, as equality has probability 0, and so is each sum of it.
    """
    forms = {(c.terms, c.constant, c.is_strict) for c in conditions} | _ends(conditions)
    while forms:
        sides = Counter((d, f > 0) for terms, _, _ in forms for d, f in terms)
        draws = {d for d, _ in sides}
        draw = min(draws, key=lambda d: (sides[d, True] * sides[d, False], d))
        rest = {form for form in forms if all(d != draw for d, _ in form[0])}
        bounds: dict[bool, list[tuple[Linear, bool]]] = {True: [], False: []}
        for terms, constant, strict in forms - rest:
            factor = dict(terms)[draw]
            form = Linear(terms, constant)
            unit = abs(factor) == 1
            form = form if unit else form.times(Fraction(1, abs(factor)))
            bounds[factor > 0].append((form, strict))
        for low, open_ in bounds[True]:
            for high, its in bounds[False]:
                found = Condition.of(low.plus(high), strict=open_ or its)
                if found is False:
                    return False
                if isinstance(found, Condition):
                    rest.add((found.terms, found.constant, found.is_strict))
        if len(rest) > MAX_CONDITIONS:
            return True
        forms = rest
    return True


def _ends(conditions: Collection[Condition]) -> set[Side]:
    """That each draw lies between the ends of its law."""
    found: set[Side] = set()
    for draw in {d for c in conditions for d in c.draws}:
        if draw.law.low is not None:
            found.add((((draw, 1),), -draw.law.low, not draw.law.whole))
        if draw.law.high is not None:
            found.add((((draw, -1),), draw.law.high, not draw.law.whole))
    return found


def one_of_them(paths: list[Path]) -> Path | None:
    """The path that is met just where one of several `paths` is; None where none is found.

    They are those on which one of several numbers is the largest: each pair of paths is told apart
    by one comparison, and what is left on all of them follows from each.
    """
    every = frozenset[Condition]().union(*(path.conditions for path in paths))
    some = (condition for condition in every if condition.contrary not in every)
    kept = Path(frozenset(c for c in some if all(path.tells(c) for path in paths)))
    own = [{c for c in path.conditions if kept.truth(c) is not True} for path in paths]
    if any(len(part) != len(paths) - 1 for part in own):
        return None
    return kept if _is_largest(own) else None


def _is_largest(own: list[set[Condition]]) -> bool:
    """Whether, of some numbers v_1, v_2, …, the i-th conditions say that v_i is the largest.

    With d_ij for v_i − v_j >= 0 (or > 0 where a tie goes to j) as a condition, d_ij has to be the
    contrary of d_ji, and d_ij + d_jk a form of d_ik; and ties have to go in one order. Where there
    are none, it is enough for one j, as then d_ij + d_jk is d_ik itself.
    """
    rivals: list[dict[int, Condition]] = [{} for _ in own]
    holders: dict[Condition, list[int]] = {}
    for j, its in enumerate(own):
        for condition in its:
            holders.setdefault(condition, []).append(j)
    for i, mine in enumerate(own):
        for condition in mine:
            for j in holders.get(condition.contrary, ()):
                if i != j and rivals[i].setdefault(j, condition) is not condition:
                    return False
    if any(len(set(found.values())) != len(own) - 1 for found in rivals):
        return False
    each = range(len(own))
    between = each if any(not c.is_strict for c in holders) else each[:1]
    return all(
        _agree(rivals[i][j], rivals[j][k], rivals[i][k])
        for j in between
        for i in each
        for k in each
        if len({i, j, k}) == 3
    )


def _agree(a: Condition, b: Condition, both: Condition) -> bool:
    """Whether two conditions together say at least what a third one says."""
    found = implied(a, b)
    return (
        isinstance(found, Condition)
        and found.terms == both.terms
        and (found.constant <= both.constant)
    )
