"""Sets of real numbers that are finite unions of intervals and points.

A `Region` has its intervals ascending, none of which could be joined to the next: so two regions
are the same set exactly where their intervals are the same.

>>> half, one = Fraction(1, 2), Fraction(1)
>>> up_to = satisfying([((-3, 4), "<=")], Interval(half, one))  # 4p - 3 <= 0
>>> str(up_to), up_to.has(Fraction(3, 4)), up_to.has(one)
('1/2 < p <= 3/4', True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby, pairwise

from verifier.base.cell import Root
from verifier.base.decimals import significant
from verifier.base.exponential_polynomial import INFINITE
from verifier.base.nouns import Later, dataclass
from verifier.kernels.roots import End, between, compare, enclosed, real_roots, sign_at

SENSES: dict[str, Callable[[int], bool]] = {
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    "==": lambda sign: sign == 0,
    ">=": lambda sign: sign >= 0,
    ">": lambda sign: sign > 0,
}
SHOWN = Fraction(1, 10**15)  # width of an enclosure that is rounded for readers


@dataclass(frozen=True)
class Interval(Later):
    """The numbers between two ends, each of which belongs to them or not; or one number."""

    low: End
    high: End
    low_closed: bool = False
    high_closed: bool = False

    @classmethod
    def point(cls, x: End) -> Interval:
        """The interval of one number."""
        return cls(x, x, True, True)

    @property
    def is_point(self) -> bool:
        """Whether it is one number."""
        return compare(self.low, self.high) == 0

    def has(self, x: End) -> bool:
        """Whether `x` is one of the numbers."""
        left, right = compare(self.low, x), compare(x, self.high)
        above = left < 0 or (left == 0 and self.low_closed)
        return above and (right < 0 or (right == 0 and self.high_closed))

    @property
    def has_negative(self) -> bool:
        """Whether some of the numbers are below 0."""
        return compare(self.low, Fraction(0)) < 0

    def told(self, name: str) -> str:
        """In words, as inequalities of a parameter."""
        if self.is_point:
            return f"{name} = {end_text(self.low)}"
        signs = ["<=" if closed else "<" for closed in (self.low_closed, self.high_closed)]
        if self.high == INFINITE:
            return f"{end_text(self.low)} {signs[0]} {name}"
        return f"{end_text(self.low)} {signs[0]} {name} {signs[1]} {end_text(self.high)}"

    def same(self, other: Interval) -> bool:
        """Whether both have the same numbers."""
        closed = (self.low_closed, self.high_closed) == (other.low_closed, other.high_closed)
        return closed and not compare(self.low, other.low) and not compare(self.high, other.high)


@dataclass(frozen=True)
class Region(Later):
    """A finite union of intervals, ascending, with a gap or a missing point between any two."""

    intervals: tuple[Interval, ...] = ()

    def has(self, x: End) -> bool:
        """Whether `x` is one of the numbers."""
        return any(interval.has(x) for interval in self.intervals)

    def same(self, other: Region) -> bool:
        """Whether both are the same set."""
        if len(self.intervals) != len(other.intervals):
            return False
        pairs = zip(self.intervals, other.intervals, strict=True)
        return all(one.same(two) for one, two in pairs)

    def within(self, other: Region) -> Region:
        """What belongs to both."""
        return refined([self, other], all)

    def told(self, name: str) -> str:
        """In words, as inequalities of a parameter."""
        return " or ".join(interval.told(name) for interval in self.intervals) or "nowhere"

    def __str__(self) -> str:
        return self.told("p")


def end_text(end: End) -> str:
    """An end for readers: a rational, or twelve digits of a root."""
    if not isinstance(end, Root):
        return str(end)
    low, high = enclosed(end, SHOWN)
    return significant((low + high) / 2)


def distinct(ends: Iterable[End]) -> list[End]:
    """The numbers among `ends`, each once, ascending."""
    found: list[End] = []
    for end in sorted(ends, key=cmp_to_key(compare)):
        if not found or compare(found[-1], end):
            found.append(end)
    return found


def joined(ends: Sequence[End], inside: Sequence[bool], at: Sequence[bool]) -> Region:
    """The region of some of the open intervals between ascending ends, and some of the ends.

    ends    ascending
    inside  of each interval between two of them, whether it belongs to the region
    at      of each end, whether it does
    """
    places = [k // 2 for k in range(2 * len(ends) - 1)]  # of an end, or the interval right of it
    flags = [(inside if k % 2 else at)[place] for k, place in enumerate(places)]
    found = []
    for belongs, run in groupby(range(len(flags)), flags.__getitem__):
        if belongs:
            listed = list(run)
            first, last = listed[0], listed[-1]
            low, high = ends[first // 2], ends[(last + 1) // 2]
            found.append(Interval(low, high, first % 2 == 0, last % 2 == 0))
    return Region(tuple(found))


def refined(regions: Sequence[Region], together: Callable[[Iterable[bool]], bool]) -> Region:
    """The numbers that belong to `together`, such as all or any, of some regions."""
    parts = [part for region in regions for part in region.intervals]
    ends = distinct(end for part in parts for end in (part.low, part.high))
    inside = [together(region.has(between(*pair)) for region in regions) for pair in pairwise(ends)]
    return joined(ends, inside, [together(region.has(end) for region in regions) for end in ends])


def satisfying(conditions: Sequence[tuple[Sequence[int], str]], domain: Interval) -> Region:
    """The numbers of a domain at which polynomials have the signs that are asked.

    conditions  polynomials with `<`, `<=`, `==`, `>=` or `>`, which compares them with 0
    domain      the numbers that are considered
    """
    roots = [
        root
        for polynomial, _ in conditions
        if any(polynomial) and not domain.is_point
        for root in real_roots(polynomial, domain.low, domain.high)
    ]
    ends = distinct([domain.low, *roots, domain.high])

    def fits(x: End) -> bool:
        return all(SENSES[sense](sign_at(polynomial, x)) for polynomial, sense in conditions)

    inside = [fits(between(*pair)) for pair in pairwise(ends)]
    return joined(ends, inside, [domain.has(end) and fits(end) for end in ends])
