"""Mixtures of two priors: the smallest level from both sides, by grids and by hand."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.kernels import segments
from verifier.kernels.segments import Ends, Root

F = Fraction
EXAMPLES = examples(300)
HAIR = F(1, 10**50)
HUGE = 10**40 + 7

NUMBERS = st.sampled_from([0, 0, 1, 1, 2, 3, 9, 10**30, 10**30 + 1, HUGE])
SHARES = st.sampled_from([*(F(k, 60) for k in range(61)), HAIR, 1 - HAIR, F(1, HUGE)])


@st.composite
def ends(draw: st.DrawFn) -> Ends:
    """A <= B and C <= D, not both secrets impossible."""
    a, c, more, rest = (draw(NUMBERS) for _ in range(4))
    return a, a + more, c, c + rest


def ratio(p: Ends, q: Ends, share: Fraction) -> Fraction | None:
    """A D / (B C) at a mixture, by the definition; None is infinite, 1 where nothing is asked."""
    a, b, c, d = (share * x + (1 - share) * y for x, y in zip(p, q, strict=True))
    if not (b and d and a):
        return F(1)
    return a / b / (c / d) if c else None


@EXAMPLES
@given(ends(), ends(), st.lists(SHARES, min_size=10, max_size=10))
def test_the_smallest_level_from_both_sides(p: Ends, q: Ends, shares: list[Fraction]) -> None:
    level = segments.smallest(p, q)
    ratios = [ratio(p, q, share) for share in [*shares, F(0), F(1)]]
    attained = (
        [segments.attaining(x, y, level) for x, y in ((p, p), (p, q), (q, q))]
        if (not isinstance(level, Root) and level != 1)
        else []
    )
    for (x, y), weights in zip(((p, p), (p, q), (q, q)), attained, strict=False):
        if weights is not None:
            assert ratio(x, y, F(weights[0], sum(weights))) == level
    if level is None:
        for alpha in (F(2), F(10**100)):
            assert not segments.holds(p, q, alpha)
            exceeds(p, q, alpha)
        if not any(attained):
            assert None not in ratios
        return
    low, high = segments.bounds(level, 200)
    assert all(found is not None and found <= high for found in ratios)
    assert segments.holds(p, q, high)
    if level == 1:
        return
    below = low if isinstance(level, Root) else low - (low - 1) * HAIR
    assert not segments.holds(p, q, below)
    exceeds(p, q, below)
    if not isinstance(level, Root) and not any(attained):
        assert level not in ratios


def exceeds(p: Ends, q: Ends, alpha: Fraction) -> None:
    u, v = segments.exceeding(p, q, alpha)
    found = ratio(p, q, F(u, u + v))
    assert min(u, v) >= 0 and (found is None or found > alpha)


def mixed(first: int, second: int) -> tuple[Ends, Ends]:
    """P(o) = 9/10 and 1/10, on both sides; the first prior has weights 1 and 1 on the sides, the
    second `first` and `second`."""
    return (9, 10, 9, 10), (first, 10 * first, second, 10 * second)


def test_an_irrational_level_by_hand() -> None:
    """u, v: (9u + 2v)(u + v) / ((u + 2v)(9u + v)) = (9u² + 11uv + 2v²) / (9u² + 19uv + 2v²), below
    1; turned, 1 + 8 / (9r + 11 + 2/r) with 9r + 2/r >= 6 √2: (19 + 6 √2) / (11 + 6 √2)."""
    p, q = mixed(2, 1)
    assert segments.smallest(p, q) == 1
    p, q = ((x[2], x[3], x[0], x[1]) for x in (p, q))
    level = segments.smallest(p, q)
    assert isinstance(level, Root)
    for bits in (40, 80, 500):
        low, high = level.bounds(bits)
        unit = 10**200
        root = F(isqrt(2 * unit**2), unit)
        exact = [(19 + 6 * r) / (11 + 6 * r) for r in (root + F(1, unit), root)]
        assert low <= exact[1] and exact[0] <= high
        assert 0 < high - low < F(4, 2**bits) * low


def is_above(left: segments.Smallest, right: segments.Smallest) -> bool:
    """Whether left > right, by enclosures refined until they part."""
    if left is None or right is None:
        return left is None and right is not None
    bits = 64
    while left != right:
        (low, high), (other_low, other_high) = (segments.bounds(x, bits) for x in (left, right))
        if low >= other_high or high <= other_low:
            return low >= other_high
        bits *= 2
    return False


def test_equal_irrational_levels_are_equal() -> None:
    """Scaling priors and exchanging them changes nothing; another level parts at last."""
    p, q = ((x[2], x[3], x[0], x[1]) for x in mixed(2, 1))
    level = segments.smallest(p, q)
    scaled = tuple(7 * x for x in p)
    again = segments.smallest(q, (scaled[0], scaled[1], scaled[2], scaled[3]))
    assert level == again and not is_above(level, again)
    step = 10**60
    q_near = (q[0] * step, q[1] * step, q[2] * step + 1, q[3] * step)
    near = segments.smallest((p[0] * step, p[1] * step, p[2] * step, p[3] * step), q_near)
    assert isinstance(near, Root)
    assert is_above(level, near) and not is_above(near, level)


@pytest.mark.parametrize(
    ("p", "q", "level", "weights"),
    [
        ((81, 90, 9, 10), (1, 10, 9, 90), F(49, 9), (1, 3)),  # 90 : 10 and 10 : 90
        ((9, 10, 0, 0), (0, 0, 1, 10), F(9), (1, 1)),  # each makes one secret possible
        ((0, 0, 0, 2), (1, 2, 1, 2), None, None),  # (2 − x)/x, finite everywhere
        ((1, 1, 0, 1), (1, 1, 1, 1), None, None),  # infinite at the first
        ((1, 2, 0, 0), (1, 2, 0, 1), None, (1, 1)),  # infinite at each proper mixture
        ((0, 0, 2, 10), (5, 10, 5, 10), F(5, 2), None),  # only towards the first
        ((3, 4, 1, 4), (3, 4, 1, 4), F(3), (1, 1)),  # one prior
    ],
)
def test_levels_by_hand(
    p: Ends, q: Ends, level: Fraction | None, weights: tuple[int, int] | None
) -> None:
    assert segments.smallest(p, q) == segments.smallest(q, p) == level
    found = segments.attaining(p, q, level)
    assert found == weights or (found and weights and F(*found) == F(*weights))


def test_witnesses_have_small_weights() -> None:
    """2u/v + 1 > 99 from u = 50 v on, where only the end is worse and worse; otherwise small."""
    p, q = (0, 0, 0, 4), (1, 2, 1, 2)
    assert segments.exceeding(p, q, F(99)) == (50, 1)
    assert segments.exceeding(q, p, F(99))[1] >= 50
    assert segments.exceeding((81, 90, 9, 10), (1, 10, 9, 90), F(3)) == (1, 1)
    assert segments.exceeding((1, 1, 0, 1), (1, 1, 1, 1), F(3)) == (1, 0)
