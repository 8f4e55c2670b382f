"""Probabilities of comparisons of normal draws, against quadrature with 40 digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction as F

import mpmath
import pytest

from verifier.base.errors import LimitReached
from verifier.noise.draws import LAPLACE, NORMAL, Condition, Draw, Law, Linear, Path
from verifier.noise.events import Event, events
from verifier.noise.normal import enclosed, outwards

Terms = Sequence[tuple[Sequence[int], F | int]]  # factors of the draws, and a constant: to be >= 0


def event(scales: Sequence[F | int], conditions: Terms, kind: str = NORMAL) -> Event:
    """The event that independent normal draws, the first of some `kind`, meet `conditions`."""
    kinds = [kind, *[NORMAL] * (len(scales) - 1)]
    squares = [F(x) ** (2 if name == NORMAL else 1) for name, x in zip(kinds, scales, strict=True)]
    laws = list(map(Law, kinds, squares))
    draws = [Draw(k, law) for k, law in enumerate(laws)]
    forms = [Linear.of(dict(zip(draws, factors, strict=True)), c) for factors, c in conditions]
    listed = [Condition.of(form) for form in forms]
    (found,) = events(Path(frozenset(c for c in listed if isinstance(c, Condition))))
    return found


def quad(f: Callable[[mpmath.mpf], mpmath.mpf], low: int = -40, high: int = 40) -> mpmath.mpf:
    """An integral with 40 digits."""
    breaks = [b for b in (-40, -12, -5, -2, -1, 0, 1, 2, 5, 12, 40) if low < b < high]
    return mpmath.quad(f, [low, *breaks, high])


def phi(x: mpmath.mpf, scale: int = 1) -> mpmath.mpf:
    return mpmath.npdf(x, 0, scale)


def below(x: mpmath.mpf, scale: int = 1) -> mpmath.mpf:
    return mpmath.ncdf(mpmath.mpf(x) / scale)


def is_within(value: mpmath.mpf, found: tuple[F, F], digits: int = 30) -> None:
    """The ends are on both sides of the value, which has 40 digits itself, and near each other."""
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in found)
    slack = value * mpmath.mpf(10) ** -38
    assert low - slack <= value <= high + slack
    assert high - low <= value * mpmath.mpf(10) ** -digits


CASES: dict[str, tuple[Event, Callable[[], mpmath.mpf]]] = {
    "one end": (event([2], [([1], -3)]), lambda: below(-3, 2)),
    "other end": (event([2], [([-1], 3)]), lambda: below(3, 2)),
    "far tail": (event([1], [([1], -30)]), lambda: mpmath.erfc(30 / mpmath.sqrt(2)) / 2),
    "far tail below": (event([1], [([-1], -30)]), lambda: mpmath.erfc(30 / mpmath.sqrt(2)) / 2),
    "cell": (event([3], [([1], 1), ([-1], 2)]), lambda: below(2, 3) - below(-1, 3)),
    "cell above": (event([1], [([1], -9), ([-1], 10)]), lambda: below(-9) - below(-10)),
    "cell below": (event([1], [([1], 10), ([-1], -9)]), lambda: below(-9) - below(-10)),
    "a sum is one draw": (event([3, 4], [([1, 1], -2)]), lambda: below(-2, 5)),
    "with factors": (event([2, 1], [([3, -8], -5)]), lambda: below(-5, 10)),
    "star": (
        event([2, 4, 4], [([1, -1, 0], 0), ([-1, 0, 1], -1)]),
        lambda: quad(lambda x: phi(x, 2) * below(x, 4) * below(-x - 1, 4)),
    ),
    "star with a cell": (
        event([1, 2], [([-1, 1], 0), ([1, -1], 3), ([0, 1], 0)]),
        lambda: quad(lambda y: phi(y, 2) * (below(y) - below(y - 3)), 0),
    ),
    "leaves that are sums": (
        event([1, 3, 4, 2], [([1, 1, 1, 0], 0), ([1, 0, 0, -1], 1)]),
        lambda: quad(lambda x: phi(x) * below(x, 5) * below(x + 1, 2)),
    ),
    "the middle one of a chain": (
        event([1, 1, 1], [([1, -1, 0], 0), ([0, 1, -1], 0), ([0, 1, 0], 2)]),
        lambda: quad(lambda y: phi(y) * below(-y) * below(y), -2),
    ),
    "two sums of two draws": (
        event([1, 2], [([1, 1], 0), ([1, 2], 1)]),
        lambda: quad(lambda y: phi(y, 2) * below(min(y, 1 + 2 * y))),
    ),
    "draws that go together": (
        event([3, 4, 5, 5], [([1, 1, -1, 0], 0), ([1, 1, 0, -1], 0)]),
        lambda: mpmath.mpf(1) / 3,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_enclosure_is_near_the_integral(name: str) -> None:
    found, value = CASES[name]
    with mpmath.workdps(45):
        is_within(value(), enclosed(found))


def test_half_and_nothing() -> None:
    assert enclosed(event([2], [([1], 0)])) == (F(1, 2), F(1, 2))
    assert enclosed(event([2], [([1], -1), ([-1], 1)])) == (0, 0)
    low, high = enclosed(event([1, 1, 1], [([1, 0, 0], -1), ([-1, 0, 0], 2), ([1, 1, 0], 0)]))
    assert 0 < low < high < F(14, 100)


def test_what_no_single_integral_gives_names_its_draws() -> None:
    around = event([1, 1, 2], [([1, 1, 0], 0), ([1, 0, 1], 0), ([0, 1, 1], 0)])
    with pytest.raises(LimitReached, match=r"2 draws normal\(1\) and a draw normal\(2\)"):
        enclosed(around)
    mixed = event([1, 1], [([1, -1], 0)], LAPLACE)
    with pytest.raises(LimitReached, match=r"laplace\(1\).*normal draws with others"):
        enclosed(mixed)


def test_ends_are_rounded_outwards() -> None:
    low, high = outwards(F(1, 3), F(1, 3))
    assert low < F(1, 3) < high and high - low < F(1, 10**30)
    assert outwards(F(0), F(3, 8)) == (0, F(3, 8))
