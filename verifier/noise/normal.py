"""Comparisons of normal draws: enclosures of their probability by rigorous integrals.

What is compared are sums of independent normal draws, which are jointly normal; so only their
variances and covariances matter. If, given one number x, they are independent of one another, the
probability is one integral over x of products of error functions. Such an x is looked for among
the draws, the sums, and draws that always occur together. Where there is none, it would take an
integral of integrals, and the question stays undecided.

By hand: of three draws with one law the first is the largest with probability 1/3; given the first
one, the two comparisons are independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import TYPE_CHECKING

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.base.intervals import ends_of_ball
from verifier.noise.draws import NORMAL, Law, Number
from verifier.noise.events import Event

if TYPE_CHECKING:
    from flint import arb

DIGITS = 30  # the relative width of an enclosure is below 10^−DIGITS, where it can be had
BITS = 112  # of an end
MOST_BITS = 1_000  # of precision, for probabilities that are very small
Interval = tuple[Fraction, Fraction]
Ends = tuple[Number | None, Number | None]  # None: infinite
Factors = Mapping[int, int]  # draw -> factor


@dataclass(frozen=True)
class Leaf:
    """slope·u + s·z lies between two ends, with normal u and z of variance 1; `variance` is s²,
    and `slope` is given by its sign and its square."""

    sign: int
    square: Fraction
    variance: Fraction
    ends: Ends


def enclosed(event: Event) -> Interval:
    """A lower and an upper bound of the probability of an `event` of normal draws.

    Raises LimitReached, naming the draws, where no single integral gives it.
    """
    if any(law.kind != NORMAL for law in event.laws):
        raise LimitReached(f"{_named(event)} are compared: normal draws with others")
    forms = _forms(event)
    if any(low is not None and high is not None and high <= low for low, high in forms.values()):
        return Fraction(0), Fraction(0)
    variances = [law.parameter for law in event.laws]
    listed = [dict(form) for form in forms]
    for root in _roots(listed):
        leaves = _leaves(listed, list(forms.values()), root, variances)
        if leaves is not None:
            return _integrated(leaves)
    said = f"{_named(event)} are compared with one another"
    raise LimitReached(f"{said}: that is no single integral, as no one draw makes the rest apart")


def _named(event: Event) -> str:
    kinds = Counter(map(_told, event.laws))
    listed = (f"{n} draws {name}" if n > 1 else f"a draw {name}" for name, n in kinds.items())
    return " and ".join(listed)


def _told(law: Law) -> str:
    """A law, as a program has it."""
    if law.kind != NORMAL:
        return f"{law.kind}({law.parameter})"
    scale = exact.root(law.parameter)
    return f"normal({f'variance={law.parameter}' if scale is None else scale})"


def _forms(event: Event) -> dict[tuple[tuple[int, int], ...], Ends]:
    """The different sums of draws, each between two ends."""
    found: dict[tuple[tuple[int, int], ...], Ends] = {}
    for terms, constant in event.conditions:
        up = terms[0][1] > 0
        key = terms if up else tuple((draw, -factor) for draw, factor in terms)
        low, high = found.get(key, (None, None))
        if up:
            low = -constant if low is None else max(low, -constant)
        else:
            high = constant if high is None else min(high, constant)
        found[key] = low, high
    return found


def _roots(forms: Sequence[Factors]) -> Iterator[Factors]:
    """What may be integrated over: draws that always occur together, then the sums themselves."""
    together: dict[tuple[Fraction, ...], dict[int, int]] = {}
    for draw in sorted({draw for form in forms for draw in form}):
        column = [form.get(draw, 0) for form in forms]
        first = next(factor for factor in column if factor)
        shape = tuple(Fraction(factor, first) for factor in column)
        together.setdefault(shape, {})[draw] = first
    by_size = sorted(together.items(), key=lambda item: -sum(map(bool, item[0])))
    yield from (draws for _, draws in by_size)
    yield from forms


def _covariance(a: Factors, b: Factors, variances: Sequence[Fraction]) -> Fraction:
    return sum((factor * b.get(i, 0) * variances[i] for i, factor in a.items()), Fraction(0))


def _leaves(
    forms: Sequence[Factors], ends: Sequence[Ends], root: Factors, variances: Sequence[Fraction]
) -> list[Leaf] | None:
    """The sums in terms of the root; None where they depend on one another beside it."""
    whole = _covariance(root, root, variances)
    shared = [_covariance(form, root, variances) for form in forms]
    for i, a in enumerate(forms):
        for j in range(i):
            if _covariance(a, forms[j], variances) * whole != shared[i] * shared[j]:
                return None
    found = []
    for form, own, limits in zip(forms, shared, ends, strict=True):
        square = own**2 / whole
        rest = _covariance(form, form, variances) - square
        found.append(Leaf((own > 0) - (own < 0), square, rest, limits))
    return found


def _integrated(leaves: Sequence[Leaf]) -> Interval:
    """The probability that all leaves are between their ends."""
    from flint import ctx

    before, bits = ctx.prec, 160
    try:
        while True:
            ctx.prec = bits
            found = _one(leaves[0]) if len(leaves) == 1 else _star(leaves, bits - 40)
            low, high = _fractions(found)
            if high - low <= low / 10**DIGITS or bits >= MOST_BITS:
                return low, high
            bits *= 2
    finally:
        ctx.prec = before


def _arb(value: Number) -> arb:
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))


def _one(leaf: Leaf) -> arb:
    """The probability of a normal number between two ends."""
    from flint import arb

    scale = (2 * _arb(leaf.square + leaf.variance)).sqrt()
    low, high = (None if end is None else _arb(end) / scale for end in leaf.ends)
    if leaf.ends[0] is not None and leaf.ends[0] >= 0:
        assert low is not None
        return (low.erfc() - (arb(0) if high is None else high.erfc())) / 2
    if leaf.ends[1] is not None and leaf.ends[1] <= 0:
        assert high is not None
        return ((-high).erfc() - (arb(0) if low is None else (-low).erfc())) / 2
    outside = sum(((-low).erfc() for _ in [0] if low is not None), arb(0))
    outside += sum((high.erfc() for _ in [0] if high is not None), arb(0))
    return 1 - outside / 2


def _star(leaves: Sequence[Leaf], bits: int) -> arb:
    """The integral over the root u of its density times the probabilities of the leaves; outside
    of some range it is at most the mass of the density, by erfc."""
    from flint import acb, arb

    cut = _arb(Fraction(ceil(16 * (sqrt(2 * bits * log(2)) + 1)), 16))
    low, high = -cut, cut
    inner = []
    for leaf, times in Counter(leaves).items():
        slope = leaf.sign * _arb(leaf.square).sqrt()
        ends = [None if end is None else _arb(end) for end in leaf.ends]
        if leaf.variance:
            scale = (2 * _arb(leaf.variance)).sqrt()
            inner.append((slope / scale, [e and e / scale for e in ends], times))
            continue
        limits = [end and end / slope for end in ends]
        below, above = limits if leaf.sign > 0 else limits[::-1]
        low = low if below is None else low.max(below)
        high = high if above is None else high.min(above)
    if not low < high:
        return (cut / arb(2).sqrt()).erfc() * arb(0.5, 0.5)

    def density(u: acb, analytic: bool) -> acb:
        """The integrand."""
        value = (-u * u / 2).exp()
        for slope, (least, most), times in inner:
            below = (slope * u - most).erfc() if most is not None else acb(2)
            above = (least - slope * u).erfc() if least is not None else acb(2)
            value *= ((below + above) / 2 - 1) ** times
        return value

    tolerance = arb(2) ** -bits
    found = acb.integral(density, acb(low), acb(high), rel_tol=tolerance, abs_tol=tolerance).real
    tail = (cut / arb(2).sqrt()).erfc()
    return found / (2 * arb.pi()).sqrt() + tail * arb(0.5, 0.5)


def _fractions(found: arb) -> Interval:
    """The ends of a ball within [0, 1], rounded outwards."""
    low, high = ends_of_ball(found)
    return outwards(max(Fraction(0), low), min(Fraction(1), high))


def outwards(low: Fraction, high: Fraction) -> Interval:
    """An interval with short ends around one from `low` to `high`, both 0 or more."""
    return _short(low, up=False), _short(high, up=True)


def _short(value: Fraction, up: bool) -> Fraction:
    """A number next to a `value`, with so many bits."""
    if not value:
        return value
    shift = BITS - value.numerator.bit_length() + value.denominator.bit_length()
    scaled = value * Fraction(2) ** shift
    return Fraction(-(-scaled // 1) if up else scaled // 1) / Fraction(2) ** shift
