"""Whether a product of powers of functions of a parameter is above 1 around the sample of a cell.

Powers are not multiplied out. Balls around the logarithms of the functions, on intervals from the
sample on as long as they show it, prove it up to a rational end on either side, which the cell
records as if it were a root.

By hand: p^1000 · 2^1000 is above 1 wherever p is above 1/2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

from verifier.base.cell import Cell, Root
from verifier.base.rational_function import parts
from verifier.kernels.roots import enclosed, simple

BITS = 128  # of balls
NARROW = Fraction(1, 2**100)  # of an irrational point
TRIES = 48  # intervals on either side
Shown = Callable[[Fraction, Fraction], bool]


def is_above_one(powers: Iterable[tuple[Fraction, int]], cell: Cell) -> bool:
    """Whether the product of r^k over the (r, k) is shown to be above 1 at the sample of a cell,
    and around it; the ends up to which it was shown are recorded.

    powers  numbers or functions r > 0, and integers k
    cell    in which they are compared
    """
    from flint import arb, ctx, fmpq, fmpz_poly

    exponents: Counter[tuple[int, ...]] = Counter()
    for r, k in powers:
        top, bottom = parts(r)
        exponents[tuple(top)] += k
        exponents[tuple(bottom)] -= k
    forms = [(fmpz_poly(list(form)) * cell.look(form), k) for form, k in exponents.items() if k]

    def shown(one: Fraction, other: Fraction) -> bool:
        ends = (one + other) / 2, abs(one - other) / 2
        middle, radius = (arb(fmpq(end.numerator, end.denominator)) for end in ends)
        ball = arb(middle, radius.abs_upper())
        total = arb(0)
        for form, k in forms:
            total += form(ball).log() * k
        return bool(total > 0)

    before, ctx.prec = ctx.prec, BITS
    try:
        if cell.is_point:
            return shown(*enclosed(cell.sample, NARROW))
        assert not isinstance(cell.sample, Root)
        if not shown(cell.sample, cell.sample):
            return False
        low, high = enclosed(cell.low, NARROW)[0], enclosed(cell.high, NARROW)[1]
        ends = [_reached(shown, cell.sample, end) for end in (low, high)]
    finally:
        ctx.prec = before
    for at, end in zip(ends, (low, high), strict=True):
        if at == cell.sample:
            return False
        if at != end:
            cell.sign((-at.numerator, at.denominator))
    return True


def _reached(shown: Shown, sample: Fraction, end: Fraction) -> Fraction:
    """How far towards an end it is shown, in intervals that become longer where they may."""
    at, step = sample, end - sample
    for _ in range(TRIES):
        if at == end:
            return at
        ahead = at + step
        if abs(ahead - sample) > abs(end - sample):
            ahead = end
        if shown(at, ahead):
            at, step = ahead, 2 * step
        else:
            step /= 2
    if at in (sample, end):
        return at
    near = sample + (at - sample) * Fraction(15, 16)
    return simple(min(near, at), max(near, at))
