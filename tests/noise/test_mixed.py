"""Whole and real draws in one comparison: against sums over the whole ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

import mpmath
import pytest

from tests.noise.test_probability import Form, chance, distribution, path_of
from verifier.base.errors import LimitReached
from verifier.base.exponential import Exponential, bounds
from verifier.noise import mixed
from verifier.noise.draws import (
    EXPONENTIAL,
    GEOMETRIC,
    GEOMETRIC_EPSILON,
    INTERVAL,
    LAPLACE,
    Condition,
    Draw,
    Law,
    Linear,
    Path,
)
from verifier.noise.events import events
from verifier.noise.probability import Probabilities
from verifier.noise.sums import Sum
from verifier.world.noise import numbers

F = Fraction


def law(kind: str, parameter: Any) -> Law:
    return Law(kind, F(parameter))


L, E, U = (partial(law, kind) for kind in (LAPLACE, EXPONENTIAL, INTERVAL))
G, R = (partial(law, kind) for kind in (GEOMETRIC_EPSILON, GEOMETRIC))


# No two real draws are compared with one another: given the whole ones they are independent.
APART: dict[str, tuple[list[Law], list[Form]]] = {
    "one of each": ([G(1), L(2)], [([1, -1], F(1, 3))]),
    "a real one between two": ([L(2), G(1), G("3/2")], [([1, -1, 0], F(1, 3)), ([-1, 0, 1], 1)]),
    "a real one below two": ([L(2), G(1), G(1)], [([1, -1, 0], F(1, 3)), ([1, 0, -1], F(-1, 2))]),
    "real ones around a whole one": (
        [G(1), L(2), E(3), U("5/2")],
        [([1, -1, 0, 0], F(1, 3)), ([-1, 0, 1, 0], F(1, 4)), ([1, 0, 0, -1], 2)],
    ),
    "factors": (
        [L(1), G(1), G(2)],
        [([2, -3, 0], F(1, 3)), ([-1, 0, 2], F(5, 4)), ([0, 1, -1], 1)],
    ),
    "one-sided": ([E(1), G(1), G(2)], [([2, -1, -3], F(1, 3)), ([-1, 1, 0], F(5, 4))]),
    "ratios and an interval": (
        [U("5/2"), R("1/2"), R("1/3")],
        [([1, -1, 0], F(1, 3)), ([-1, 0, 1], F(1, 4))],
    ),
    "an interval of whole length": ([U(2), R("1/2")], [([-1, 1], F(1, 3)), ([1, 0], -1)]),
    "a real one with ends": ([L(2), G(1)], [([1, 0], 1), ([-1, 0], F(7, 2)), ([2, -1], F(1, 5))]),
    "a chain": (
        [G(1), L(1), G(2), L(3)],
        [([1, -1, 0, 0], 0), ([0, 1, -1, 0], F(1, 2)), ([0, 0, 1, -1], F(2, 7))],
    ),
    "three in one comparison": ([L(2), G(1), G(1)], [([1, 1, -2], F(1, 2))]),
    "whole factors beside": ([G(1), G(2), L(3)], [([2, -3, 0], 1), ([0, 1, -1], F(1, 4))]),
}  # fmt: skip


def summed(laws: Sequence[Law], forms: Sequence[Form], reach: int) -> Any:
    """The probability, with whole draws up to `reach`."""

    @cache
    def share(i: int, z: int) -> Any:
        """The probability that a whole draw is z."""
        b = mpmath.mpf(laws[i].parameter.numerator) / laws[i].parameter.denominator
        rho = b if laws[i].kind == GEOMETRIC else mpmath.exp(-b)
        return (1 - rho) / (1 + rho) * rho ** abs(z)

    @cache
    def below(i: int, end: Fraction) -> Any:
        """The probability that a real draw is at most an end."""
        return distribution(laws[i], _float(end))

    wholes = [i for i, law in enumerate(laws) if law.whole]
    total = mpmath.mpf(0)
    for values in product(range(-reach, reach + 1), repeat=len(wholes)):
        at = dict(zip(wholes, values, strict=True))
        term = mpmath.mpf(1)
        for i, z in at.items():
            term *= share(i, z)
        low: dict[int, Fraction] = {}
        high: dict[int, Fraction] = {}
        for factors, constant in forms:
            rest = F(constant) + sum(F(factors[i]) * z for i, z in at.items())
            real = [i for i, f in enumerate(factors) if f and i not in at]
            if not real:
                term *= rest >= 0
                continue
            (i,) = real
            end = -rest / F(factors[i])
            if factors[i] > 0:
                low[i] = max(end, low.get(i, end))
            else:
                high[i] = min(end, high.get(i, end))
        for i in {*low, *high}:
            up = below(i, high[i]) if i in high else mpmath.mpf(1)
            down = below(i, low[i]) if i in low else mpmath.mpf(0)
            term *= max(up - down, mpmath.mpf(0))
        total += term
    return total


def _float(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def nearly(found: Fraction) -> Any:
    """The number with 38 digits."""
    return _float(bounds(found, 38)[0] if isinstance(found, Exponential) else found)


@pytest.mark.parametrize("name", APART)
def test_mixed_events_by_sums(name: str) -> None:
    """Whole draws up to 40, of which the tails are below 1e-11 (1e-35 for one of them up to 90)."""
    laws, forms = APART[name]
    wholes = sum(law.whole for law in laws)
    with mpmath.workdps(40):
        expected = summed(laws, forms, 90 if wholes == 1 else 40)
        gap = abs(nearly(chance(laws, forms)) - expected)
        assert gap < mpmath.mpf(10) ** (-26 if wholes == 1 else -11)


def test_growing_clamps_converge() -> None:
    laws, forms = APART["a chain"]
    exact = nearly(chance(laws, forms))
    gaps = [abs(summed(laws, forms, reach) - exact) for reach in (1, 2, 4, 8)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-3


def test_a_sum_of_two_real_draws() -> None:
    """X + Y of scale 1 has P(X + Y > z) = (2 + z)e^(−z)/4 for z >= 0; N is whole."""
    with mpmath.workdps(40):

        def above(z: Any) -> Any:
            half = (2 + abs(z)) * mpmath.exp(-abs(z)) / 4
            return half if z >= 0 else 1 - half

        rho, third = mpmath.exp(-1), mpmath.mpf(1) / 3
        expected = sum(
            (1 - rho) / (1 + rho) * rho ** abs(n) * above(n - third) for n in range(-99, 100)
        )
        found = chance([L(1), L(1), G(1)], [([1, 1, -1], F(1, 3))])
        assert abs(nearly(found) - expected) < mpmath.mpf(10) ** -30


@pytest.mark.parametrize(
    "laws, cuts",
    [
        ([L("3/2"), E(2), G(1)], [([1, 0, -1], F(1, 3)), ([1, 0, -2], 0), ([0, 1, 1], F(1, 2))]),
        ([L("3/2"), E(2), G(1)], [([1, -1, -1], F(1, 3)), ([1, 0, -2], 0)]),
        ([L("3/2"), E(2), G(1), G("1/2")], [([1, 0, -1, 0], F(1, 3)), ([0, 1, 1, -1], F(1, 2))]),
    ],
)
def test_both_sides_are_certain_together(laws: list[Law], cuts: list[Form]) -> None:
    """Each comparison or its contrary: the probabilities add up to 1, as an identity."""
    known, wanted = Probabilities(), []
    for signs in product((1, -1), repeat=len(cuts)):
        turned = [([s * f for f in fs], s * c) for s, (fs, c) in zip(signs, cuts, strict=True)]
        wanted += events(path_of(laws, turned))
    assert len(wanted) == 2 ** len(cuts)
    total = sum(known.of(wanted), Sum({}))
    assert numbers([total], known.m) == [1]


def test_what_is_known_of_whole_draws_is_no_contradiction() -> None:
    """n = m is possible beside a comparison with a real draw; n < x < n is not."""
    n, m, x = Draw(0, G(1)), Draw(1, G(1)), Draw(2, L(1))

    def above(a: Draw, b: Draw) -> Condition:
        found = Condition.of(Linear.of({a: 1, b: -1}, 0))
        assert isinstance(found, Condition)
        return found

    both = Path().plus([above(n, m), above(m, n), above(x, n)])
    assert both is not None
    assert both.plus([above(m, x)]) is None


def test_too_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed, "MAX_CELLS", 3)
    (event,) = events(path_of(*APART["factors"]))
    with pytest.raises(LimitReached, match="more than 3 cells"):
        list(mixed.cells(event))


def test_bases_meet_by_way_of_an_interval() -> None:
    """An interval has no base: what it is compared with may have two, which stays undecided."""
    with pytest.raises(LimitReached, match="a ratio"):
        chance([U(1), R("1/2"), L(1)], [([1, -1, 0], 0), ([1, 0, -1], 0)])
