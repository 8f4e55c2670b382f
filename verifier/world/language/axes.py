"""Real numbers that a program releases, told apart into draws that each have a number added.

Numbers y = A·X + c are released, X independent draws that nothing else has looked at, and A has
an inverse. A⁻¹·y = X + A⁻¹·c says as much, as A is the same in all worlds: so what is released is
one draw plus a number, several times. Such a draw lies on an `Axis`, which is cut into cells:

- of whole, exponential and uniform draws all numbers of a cell have proportional rows. They are
  one output, and nothing is lost
- of Laplace draws of scale b a cell is a center, the number that is added. Between two centers that
  are neighbours, c < d, the densities in all worlds are, at y, sinh((d − y)/b)/sinh((d − c)/b)
  times those at c, and so with d: each is a combination of e^(y/b) and e^(−y/b), and so fixed by
  two places. So whoever is told a center, with the density there times the integral of its share,
  can draw y; and the rows of y, seen as vectors over worlds, span the same cone as those of centers
- of normal draws the center is told. Of two worlds with different ones no ratio is bounded
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import floor
from typing import Any

from verifier.base.errors import LimitReached
from verifier.base.nouns import Later, dataclass
from verifier.noise.draws import (
    EXPONENTIAL,
    GEOMETRIC_EPSILON,
    INTERVAL,
    LAPLACE,
    NORMAL,
    Condition,
    Draw,
    Law,
    Linear,
    Number,
)
from verifier.world.mechanism import Several
from verifier.world.space import number

NEAR, APART = "near", "about"  # of outputs that are a place of a density, or a center
MAX_CELLS = 100_000
Conditions = list[Condition | bool]
Ways = list[tuple[Fraction, Conditions]]  # weights, and what has to hold besides
Combination = tuple[tuple[int, Number], ...]  # of released numbers: the place of each, and a factor


@dataclass(frozen=True)
class Axis(Later):
    """Where a draw plus a number lies, seen from the released numbers.

    law     of the draw; of real ones scaled so that the first number that has it has it once
    step    by which a whole draw is multiplied; else 1
    sign    −1 where the number minus an exponential draw is released
    column  the factors of the draw in all released numbers
    place   the released number in whose place it is told
    sum     the combination of released numbers that it is
    """

    law: Law
    step: Number
    sign: int
    column: tuple[Number, ...]
    place: int
    sum: Combination

    @property
    def name(self) -> str:
        """The combination of released numbers in words, y1 the first; empty for a number itself."""
        return "" if self.sum == ((self.place, 1),) else named(self.sum)

    def ends(self, center: Number) -> tuple[Number, ...]:
        """Where densities change when a number is added to the draw."""
        if self.law.kind == INTERVAL:
            return center, center + self.law.parameter
        return (center,)

    def parted(self, center: Number) -> tuple[Number, Number]:
        """Of whole draws the center in units of the step, and the fraction that is left; else the
        center and 0."""
        if not self.law.whole:
            return center, 0
        units = Fraction(center) / self.step
        return floor(units), _plain(units - floor(units))


@dataclass(frozen=True)
class Found(Later):
    """What some released numbers tell.

    axes     one for each draw
    draws    the draw of each axis, in the scale of its axis
    centers  what is added to each draw
    fixed    for some released numbers a combination that no draw is in, and what it is
    """

    axes: tuple[Axis, ...]
    draws: tuple[Draw, ...]
    centers: tuple[Number, ...]
    fixed: tuple[tuple[int, Combination, Number], ...]


def apart(forms: Sequence[Linear]) -> Found | None:
    """What released `forms` tell; None where some draws are only seen in sums with others."""
    found = _solved(tuple(form.terms for form in forms))
    if found is None:
        return None
    constants = [Fraction(form.constant) for form in forms]
    centers = tuple(
        _plain(sum((f * constants[j] for j, f in axis.sum), shift))
        for axis, shift in zip(found.axes, found.centers, strict=True)
    )
    fixed = tuple(
        (i, sums, _plain(sum(f * constants[j] for j, f in sums))) for i, sums, _ in found.fixed
    )
    return Found(found.axes, found.draws, centers, fixed)


@lru_cache(maxsize=2**10)  # worlds have their numbers beside the same sums
def _solved(forms: tuple[tuple[tuple[Draw, Number], ...], ...]) -> Found | None:
    """The same of sums of draws to which nothing is added."""
    columns = [_column(draw, forms) for draw in {d for form in forms for d, _ in form}]
    columns.sort(key=lambda column: (column[1], column[0].law), reverse=True)
    rows: list[tuple[int, dict[int, Number], dict[int, Number]]] = []
    fixed = []
    for i in range(len(forms)):
        row: dict[int, Number] = {j: c[i] for j, (_, c, _) in enumerate(columns) if c[i]}
        tells: dict[int, Number] = {i: 1}
        for _, known, its in rows:
            pivot = min(known)
            if factor := row.get(pivot, 0):
                _add(row, known, -factor)
                _add(tells, its, -factor)
        if not row:
            sums = tuple(sorted(tells.items()))
            fixed.append((i, sums, 0))
            continue
        pivot = min(row)
        over = Fraction(1) / row[pivot]
        row, tells = ({k: _plain(f * over) for k, f in part.items()} for part in (row, tells))
        for _, known, its in rows:
            if factor := known.get(pivot, 0):
                _add(known, row, -factor)
                _add(its, tells, -factor)
        rows.append((i, row, tells))
    if len(rows) < len(columns):
        return None
    parts = []
    for at, known, its in rows:
        draw, column, factor = columns[min(known)]
        parts.append(_on_axis(at, draw, column, factor, tuple(sorted(its.items()))))
    axes, draws, centers = zip(*parts, strict=True) if parts else ((), (), ())
    return Found(axes, draws, centers, tuple(fixed))


def _column(draw: Draw, forms: Iterable[Any]) -> tuple[Draw, tuple[Number, ...], Number]:
    """A draw with its factors in all forms, of which the first is made 1; and that factor."""
    factors = [dict(form).get(draw, 0) for form in forms]
    first = next(factor for factor in factors if factor)
    return draw, tuple(_plain(Fraction(f) / first) for f in factors), first


def _on_axis(
    place: int,
    draw: Draw,
    column: tuple[Number, ...],
    factor: Number,
    tells: Combination,
) -> tuple[Axis, Draw, Number]:
    """The axis of a draw that some forms have, first with a factor; the draw, and what is added to
    its center."""
    center = Fraction(0)
    size, law, sign, step = abs(Fraction(factor)), draw.law, 1, Fraction(1)
    if law.whole:
        step = size
    elif law.kind == INTERVAL and factor < 0:
        center -= size * law.parameter
    elif law.kind == EXPONENTIAL and factor < 0:
        sign = -1
    if not law.whole:
        law = Law(law.kind, law.parameter * size ** (2 if law.kind == NORMAL else 1))
    axis = Axis(law, _plain(step), sign, column, place, tells)
    return axis, Draw(draw.number, law), _plain(center)


def _add(row: dict[int, Number], other: Mapping[int, Number], factor: Number) -> None:
    for k, more in other.items():
        total = _plain(row.pop(k, 0) + factor * more)
        if total:
            row[k] = total


def _plain(value: Number) -> Number:
    return value if type(value) is int or value.denominator != 1 else value.numerator


def named(sums: Combination) -> str:
    """A combination of released numbers in words.

    >>> named(((0, -1), (1, 1))), named(((0, 1), (2, Fraction(-1, 2))))
    ('y2 - y1', 'y1 - 1/2 y3')
    """
    parts = sorted(sums, key=lambda part: part[1] < 0)
    text = ""
    for i, factor in parts:
        sign = (" - " if text else "-") if factor < 0 else " + " if text else ""
        times = "" if abs(factor) == 1 else f"{abs(factor)} "
        text += f"{sign}{times}y{i + 1}"
    return text


def combination_output(sums: Combination, value: Number) -> Several:
    """The output that says what a combination without draws is."""
    return Several(number(value), f"{named(sums)} = {value}")


@dataclass(frozen=True)
class Cells(Later):
    """The outputs of an axis.

    axis  where the draw lies
    ends  ascending: between two neighbours lies a cell, or each is one
    rest  of a whole draw in units of its step, the fractional part of all centers
    """

    axis: Axis
    ends: tuple[Number, ...]
    rest: Number

    @classmethod
    def of(cls, axis: Axis, centers: Iterable[Number], rest: Number) -> Cells:
        """The cells of an `axis`, of draws around some `centers`."""
        ends = sorted({end for center in set(centers) for end in axis.ends(center)})
        if axis.law.whole:
            low, high = int(ends[0]), int(ends[-1])
            if high - low >= MAX_CELLS:
                raise LimitReached(f"more than {MAX_CELLS} outputs of a draw released as it is")
            return cls(axis, tuple(range(low, high + 1)), rest)
        return cls(axis, tuple(ends), rest)

    def outputs(self, draw: Draw, center: Number) -> Iterator[tuple[Any, Ways]]:
        """Each output that a draw plus a number may have, and how it comes about."""
        kind = self.axis.law.kind
        if self.axis.law.whole:
            yield from self._whole(draw, int(center))
        elif kind == LAPLACE:
            for k, end in enumerate(self.ends):
                yield self._label(k, NEAR), self._near(k, draw, abs(Fraction(end - center)))
        elif kind == NORMAL:
            yield self._label(self.ends.index(center), APART), [(Fraction(1), [])]
        else:
            yield from self._between(draw, center)

    @property
    def is_proportional(self) -> bool:
        """Whether all numbers of an output have proportional rows."""
        return self.axis.law.kind not in (LAPLACE, NORMAL) or len(self.ends) == 1

    @property
    def merged(self) -> list[str]:
        """The outputs that stand for many numbers with proportional rows, in words."""
        if not self.axis.law.endless:
            return ["all numbers between two neighbouring ends"]
        if len(self.ends) == 1:
            return ["all numbers of a draw with one center in all worlds"]
        about = f"{self.axis.name} " if self.axis.name else ""
        return [f"outputs {about}≤ {self._values[0]}", f"outputs {about}≥ {self._values[-1]}"]

    @property
    def _values(self) -> list[Any]:
        """What is released at each end."""
        whole, step = self.axis.law.whole, self.axis.step
        return [number(_plain((end + self.rest) * step if whole else end)) for end in self.ends]

    def _label(self, k: int, word: str = "") -> Any:
        """The name of the output at an end; a plain number only where it is no other one."""
        name, end = self.axis.name, self._values[k]
        if len(self.ends) == 1:
            like = (
                f" like {end}"
                if self.axis.law.whole and (self.axis.step, self.rest) != (1, 0)
                else ""
            )
            return Several(end, f"{name} any{like}".lstrip())
        beyond = {0: "≤", len(self.ends) - 1: "≥"} if word != APART else {}
        if k in beyond:
            return Several(end, f"{name} {beyond[k]} {end}" if name else f"{beyond[k]}{end}")
        if name:
            return Several(end, f"{name} {word or '='} {end}")
        return Several(end, f"{word} {end}") if word else end

    def _whole(self, draw: Draw, center: int) -> Iterator[tuple[Any, Ways]]:
        low, high = self.ends[0], self.ends[-1]
        form = Linear(((draw, 1),), center)
        for k, end in enumerate(self.ends):
            least = [] if end == low else [Condition.of(form.plus(-end))]
            most = [] if end == high else [Condition.of(form.times(-1).plus(end))]
            yield self._label(k), [(Fraction(1), [*least, *most])]

    def _near(self, k: int, draw: Draw, distance: Number) -> Ways:
        """The density at an end, at a distance from the center, times the integral of its share:
        with ρ = e^(−gap/b), (1 − ρ)/(1 + ρ)/2 on each side with a neighbour, 1/2 on another."""
        scale = draw.law.parameter
        away = Draw(draw.number, Law(EXPONENTIAL, scale))
        far: Conditions = [Condition.of(Linear(((away, 1),), -distance))] if distance else []
        gaps = sorted(d - c for c, d in pairwise(self.ends[max(k - 1, 0) : k + 2]))
        if not gaps:
            return [(Fraction(1), [])]
        outer = len(gaps) == 1
        ways = []
        for gap in dict.fromkeys(gaps):
            beside = Draw(draw.number, Law(GEOMETRIC_EPSILON, Fraction(gap) / scale))
            sides = (1,) if outer else (1, -1)
            still = [Condition.of(Linear(((beside, sign),), 0)) for sign in sides]
            ways.append((Fraction(gaps.count(gap), len(gaps)), [*far, *still]))
        return ways

    def _between(self, draw: Draw, center: Number) -> Iterator[tuple[Any, Ways]]:
        """Of an exponential or uniform draw: that it is between two ends."""
        sign, high = self.axis.sign, draw.law.high
        least, most = (center, high and center + high) if sign > 0 else (None, center)
        spans: list[tuple[Number | None, Number | None]] = [*pairwise(self.ends)]
        if high is None:
            spans.append((self.ends[-1], None) if sign > 0 else (None, self.ends[0]))
        form = Linear(((draw, sign),), center)
        for a, b in spans:
            above = least is None or (a is not None and a >= least)
            below = most is None or (b is not None and b <= most)
            if above and below:
                low = [] if a is None or a == least else [Condition.of(form.plus(-a))]
                top = [] if b is None or b == most else [Condition.of(form.times(-1).plus(b))]
                yield self._span(a, b), [(Fraction(1), [*low, *top])]

    def _span(self, a: Number | None, b: Number | None) -> Several:
        """The output of all numbers from a to b; None for no end."""
        where = f"≤{b}" if a is None else f"≥{a}" if b is None else f"{a} to {b}"
        end = self.ends[0] if a is None else a
        return Several(number(end), f"{self.axis.name} {where}".lstrip())
