"""Regions of released real numbers, in which the odds of two worlds stay on one side of a level.

For δ at a level α it is enough to know of every pair of worlds, i and j, where density i is above
α times density j: the rest of a number can be forgotten, as max(0, f_i − α·f_j) is added up. With
Laplace draws of scales b, the logarithm of f_i/f_j is the sum over the draws of

    (|y − c_j| − |y − c_i|)/b

and for normal ones of ((y − c_j)² − (y − c_i)²)/(2σ²): sums of the numbers y, between the centers
c. So it crosses a level on a plane, which cuts a cell of the grid of centers in two; a draw is then
compared with numbers, or a sum of draws, as a program does.

A plane whose place is irrational, as that of the level 2, lies in a thin region between two others.
Whoever is told the center there knows more than the number, who is not told knows less; so the true
δ lies between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import ceil, floor

from verifier.base.decimals import bounds, significant
from verifier.base.errors import LimitReached
from verifier.base.exact import is_irrational
from verifier.base.exponential import exponent
from verifier.base.nouns import Later, dataclass
from verifier.noise.draws import NORMAL, Condition, Draw, Linear, Number, Path
from verifier.world.language.axes import Axis
from verifier.world.mechanism import Several
from verifier.world.space import number

MAX_REGIONS = 5_000
LENGTHS = (12, 24, 48, 96)  # of numbers in labels
DIGITS = 40  # behind the point, of a logarithm
Interval = tuple[Fraction, Fraction]
Centers = tuple[Number, ...]
World = tuple[Fraction, Centers]  # how likely it is that numbers around these centers are released


@dataclass(frozen=True)
class Region(Later):
    """Some of the places that released numbers may have.

    forms  sums of the numbers, each as a stand-in for its draw, that are at least 0
    thin   whether odds are only known to be near a level
    """

    forms: tuple[Linear, ...] = ()
    thin: bool = False

    def conditions(
        self, draws: Sequence[Draw], centers: Sequence[Number]
    ) -> Iterator[Condition | bool]:
        """That draws, each with its center added to it, lie here."""
        for form in self.forms:
            moved = sum(factor * centers[at.number] for at, factor in form.terms)
            terms = {draws[at.number]: factor for at, factor in form.terms}
            yield Condition.of(Linear.of(terms, form.constant + moved))

    def parted(self, form: Linear, ends: Interval) -> list[Region]:
        """The parts in which a sum is at least, or at most, a number between two ends."""
        low, high = ends
        above, below = form.plus(-high), form.times(-1).plus(low)
        sides = [Region((*self.forms, side), self.thin) for side in (above, below)]
        if low < high:
            both = form.plus(-low), form.times(-1).plus(high)
            sides.append(Region((*self.forms, *both), True))
        kept = [side for side in sides if side.is_possible]
        return kept if len(kept) > 1 or kept[0].thin else [self]

    @property
    def is_possible(self) -> bool:
        """Whether some numbers lie here."""
        return Path().plus(map(Condition.of, self.forms)) is not None

    def labels(self, axes: Sequence[Axis], digits: int) -> tuple[Several, ...]:
        """What is released, for each axis; sums of several stand beside the last one. Long numbers
        have so many digits."""
        found = []
        for at, axis in enumerate(axes):
            low, high = (self._end(at, sign) for sign in (1, -1))
            first, last = (None if end is None else _short(end, digits) for end in (low, high))
            where = (
                f"≤{last}" if low is None else f"≥{first}" if high is None else f"{first} to {last}"
            )
            where = "any" if low is None and high is None else where
            end = low if low is not None else high if high is not None else 0
            found.append(Several(number(end), f"{axis.name} {where}".lstrip()))
        path = Path().plus(map(Condition.of, self.forms)) or Path()
        sums = [Linear(*side) for side in sorted(path.tight.items()) if len(side[0]) > 1]
        more = "".join(f"; {_named(form, axes, digits)}" for form in sums)
        return beside(found, more)

    def _end(self, at: int, sign: int) -> Number | None:
        """The least number that an axis has here, or the largest one."""
        ends = [
            -form.constant / Fraction(factor) * sign
            for form in self.forms
            if len(form.terms) == 1
            for draw, factor in form.terms
            if draw.number == at and factor * sign > 0
        ]
        return sign * max(ends) if ends else None


def labelled(found: Iterable[Region], axes: Sequence[Axis]) -> list[tuple[Several, ...]]:
    """The labels of all regions that were `found`, with as many digits as tell them apart."""
    parts = list(found)
    for digits in LENGTHS:
        labels = [part.labels(axes, digits) for part in parts]
        if len({tuple(one.text for one in label) for label in labels}) == len(labels):
            break
    return labels


def beside(labels: Sequence[Several], more: str) -> tuple[Several, ...]:
    """The labels of a region with `more` text."""
    last = labels[-1:]
    return (*labels[:-1], *(Several(one.end, one.text + more) for one in last))


def _named(form: Linear, axes: Sequence[Axis], digits: int) -> str:
    parts = ""
    for draw, factor in form.terms:
        axis = axes[draw.number]
        size = "" if factor in (1, -1) else f"{_short(max(factor, -factor), digits)}·"
        sign = (" - " if parts else "-") if factor < 0 else " + " if parts else ""
        parts += f"{sign}{size}{f'({axis.name})' if axis.name else f'y{axis.place + 1}'}"
    return f"{parts} ≥ {_short(-form.constant, digits)}"


def _short(value: Number, digits: int) -> str:
    text = str(value)
    return text if len(text) <= LENGTHS[0] else significant(Fraction(value), digits)


def regions(
    axes: Sequence[Axis],
    worlds: Mapping[int, World],
    pairs: Iterable[tuple[int, int]],
    levels: Iterable[Fraction],
) -> list[Region]:
    """The regions in which the odds of each of some `pairs` of worlds are on one side of `levels`.

    axes    of Laplace or normal draws
    worlds  those that may release numbers there
    """
    places = [Draw(at, axis.law) for at, axis in enumerate(axes)]
    grids = [
        _cells(place, {centers[at] for _, centers in worlds.values()})
        for at, place in enumerate(places)
    ]
    walls = [
        (worlds[i][1], worlds[j][1], _moved(alpha, worlds[i][0], worlds[j][0]))
        for alpha in levels
        for i, j in pairs
        if i in worlds and j in worlds
    ]
    found: list[Region] = []
    for cell in product(*grids):
        parts = [Region(tuple(form for _, forms in cell for form in forms))]
        middles = [middle for middle, _ in cell]
        planes = (_plane(places, middles, *wall) for wall in dict.fromkeys(walls))
        for form, ends in dict.fromkeys(planes):
            if form.terms:
                parts = [piece for part in parts for piece in part.parted(form, ends)]
            elif ends[0] < form.constant < ends[1]:
                parts = [Region(part.forms, True) for part in parts]
            if len(found) + len(parts) > MAX_REGIONS:
                said = f"more than {MAX_REGIONS} regions of released numbers"
                raise LimitReached(f"{said}, in which the odds of two worlds differ")
        found += parts
    return found


def _cells(place: Draw, centers: Iterable[Number]) -> list[tuple[Number, tuple[Linear, ...]]]:
    """The parts between neighbouring centers, each by a number inside; of a normal draw all."""
    if place.law.kind == NORMAL:
        return [(0, ())]
    ends = sorted({*centers})
    above, below = Linear(((place, 1),), 0), Linear(((place, -1),), 0)
    between = [(Fraction(a + b) / 2, (above.plus(-a), below.plus(b))) for a, b in pairwise(ends)]
    first, last = (below.plus(ends[0]),), (above.plus(-ends[-1]),)
    return [(ends[0] - 1, first), *between, (ends[-1] + 1, last)]


def _plane(
    places: Sequence[Draw],
    middles: Sequence[Number],
    one: Centers,
    other: Centers,
    ends: Interval,
) -> tuple[Linear, Interval]:
    """The logarithm of the odds of two worlds in a cell of the grid, and the ends of what it is to
    be; the first factor is 1."""
    terms: dict[Draw, Number] = {}
    constant = Fraction(0)
    for place, middle, c, d in zip(places, middles, one, other, strict=True):
        over = 1 / place.law.parameter
        if place.law.kind == NORMAL:
            terms[place] = (c - d) * over
            constant += Fraction(d * d - c * c) * over / 2
            continue
        up, down = (1 if middle > x else -1 for x in (d, c))
        terms[place] = (up - down) * over
        constant += (down * c - up * d) * over
    form = Linear.of(terms, 0)
    if not form.terms:
        return Linear((), constant), ends
    factor = Fraction(form.terms[0][1])
    low, high = sorted((end - constant) / factor for end in ends)
    return form.times(1 / factor), (low, high)


@cache
def _moved(alpha: Fraction, one: Fraction, other: Fraction) -> Interval:
    """The ends of ln(alpha · other/one)."""
    return logarithm(alpha * other / one)


def logarithm(value: Fraction) -> Interval:
    """Ends of the logarithm of a number above 0, equal where it is rational.

    >>> from verifier.base.exponential import power
    >>> logarithm(power(Fraction(1, 2)))[0], logarithm(Fraction(1))[1]
    (Fraction(1, 2), Fraction(0, 1))
    """
    known = exponent(value) if is_irrational(value) else Fraction(0) if value == 1 else None
    if known is not None:
        return known, known
    low, high = map(Fraction, bounds(value, DIGITS + 10))
    unit = 10**DIGITS
    return Fraction(floor(low * unit), unit), Fraction(ceil(high * unit), unit)
