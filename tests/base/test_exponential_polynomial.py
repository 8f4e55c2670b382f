"""Exponential polynomials against mpmath: signs, how many zeros there are, and where."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, findroot, mp, mpf

from tests.drawing import examples
from verifier.base.cell import Root
from verifier.base.exponential_polynomial import (
    INFINITE,
    ExponentialPolynomial,
    factors,
    have_common_zero,
    isolated,
    sign_at,
    variations,
)
from verifier.base.rational_function import parameter, parts, power_of
from verifier.kernels.regions import Interval, satisfying
from verifier.kernels.roots import between, compare, real_roots
from verifier.kernels.roots import sign_at as sign_at_end

F = Fraction
ZERO = F(0)
RATES = [F(0), F(1, 3), F(1, 2), F(1), F(3, 2)]
KEYS = st.tuples(
    st.integers(0, 2), st.sampled_from(RATES), st.sampled_from([F(0), F(0), F(1, 2), F(1)])
)


def made(terms: dict[tuple[Any, ...], int]) -> ExponentialPolynomial:
    """The sum of c·x^i·e^(qx + r) over (i, q, r) -> c, or (i, q) -> c."""
    return ExponentialPolynomial.of({(i, q, sum(r)): c for (i, q, *r), c in terms.items()})


DRAWN = st.dictionaries(KEYS, st.integers(-4, 4).filter(bool), min_size=2, max_size=5).map(made)


def value(polynomial: ExponentialPolynomial, x: mpf) -> mpf:
    terms = (
        c * x**i * exp(mpf(q.numerator) / q.denominator * x + mpf(r.numerator) / r.denominator)
        for (i, q, r), c in polynomial
    )
    return sum(terms, mpf(0))


def plain_sign(polynomial: ExponentialPolynomial, x: Fraction) -> int:
    found = value(polynomial, mpf(x.numerator) / x.denominator)
    return 0 if abs(found) < mpf(10) ** -25 else 1 if found > 0 else -1


@given(DRAWN, st.lists(st.fractions(0, 9, max_denominator=7), min_size=3, max_size=3))
@examples(100)
def test_signs(polynomial: ExponentialPolynomial, points: list[Fraction]) -> None:
    with mp.workdps(40):
        for x in (ZERO, *points):
            assert sign_at(polynomial, x) == plain_sign(polynomial, x)
        far = plain_sign(polynomial, F(60))
    assert sign_at(polynomial, INFINITE) == far


@given(DRAWN)
@examples(100)
def test_zeros_are_where_the_sign_changes(polynomial: ExponentialPolynomial) -> None:
    """Of a fine grid: each change has a zero of its own, and no other zero is missed or made up."""
    low, high = F(1, 50), F(8)
    roots = real_roots(polynomial, low, high)
    with mp.workdps(40):
        grid = [low + (high - low) * k / 160 for k in range(161)]
        signs = [plain_sign(polynomial, x) for x in grid]
        for (a, s), (b, t) in pairwise(zip(grid, signs, strict=True)):
            inside = [r for r in roots if compare(a, r) < 0 < compare(b, r)]
            assert s * t == 0 or (len(inside) % 2 == 1) == (s != t) or len(inside) > 1
        for root in roots:
            if isinstance(root, Root):
                a, b = root.enclosed(F(1, 10**20))
                assert sign_at_end(polynomial, root) == 0
                assert plain_sign(polynomial, root.low) and plain_sign(polynomial, root.high)
                assert abs(value(polynomial, mpf(a.numerator) / a.denominator)) < mpf("1e-12")
    count = variations(polynomial, low, high)
    assert len(roots) <= count or count > 1


def test_a_known_zero() -> None:
    """x·e^x = 1 at the omega constant, 0.567143290409783872999968662210…"""
    (root,) = real_roots(made({(1, 1): 1, (0, 0): -1}), ZERO, INFINITE)
    assert isinstance(root, Root)
    low, high = root.enclosed(F(1, 10**28))
    assert low < F("0.5671432904097838729999686623") and high > F("0.5671432904097838729999686622")
    with mp.workdps(30):
        omega = findroot(lambda x: x * exp(x) - 1, 0.5)
        assert abs(omega - mpf(low.numerator) / low.denominator) < mpf("1e-26")


def test_one_number_written_in_two_ways() -> None:
    """2·ln 2 is where e^x is 4 and where e^(x/2) is 2; ln 3 is another one."""
    four, two, three = (
        made({(0, rate): 1, (0, 0): -c}) for rate, c in ((1, 4), (F(1, 2), 2), (1, 3))
    )
    (x,), (y,), (z,) = (real_roots(one, ZERO, INFINITE) for one in (four, two, three))
    assert compare(x, y) == 0 and compare(x, z) == 1 and compare(z, x) == -1
    assert sign_at_end(two, x) == 0 == sign_at_end(four, y) and sign_at_end(three, x) == 1
    assert between(x, INFINITE) > 1 and compare(x, INFINITE) == -1
    assert have_common_zero(four, two, F(1), F(2)) and not have_common_zero(three, two, F(1), F(2))


def test_factors_and_double_zeros() -> None:
    """(x² − 2)(e^(x/2) − 2)²·e^x, by hand."""
    x, e = parameter("x"), power_of("x", F(1, 2))
    polynomial, _ = parts((x**2 - 2) * (e - 2) ** 2 * e * e)
    assert sorted(map(len, factors(polynomial))) == [2, 3]
    first, second = real_roots(polynomial, ZERO, INFINITE)
    assert isinstance(first, Root) and isinstance(second, Root)
    assert second.polynomial == (-2, 0, 1) or first.polynomial == (-2, 0, 1)
    region = satisfying([(polynomial, ">=")], Interval(ZERO, INFINITE, True))
    assert region.told("x") == "x = 1.38629436112 or 1.41421356237 <= x"


def test_a_zero_at_0_is_rational() -> None:
    """e^x − 1 − x, which has no other one, where 0 is inside, at an end or outside."""
    f = made({(0, 1): 1, (0, 0): -1, (1, 0): -1})
    assert list(isolated(f, F(-1), F(1))) == [(0, 0)]
    assert real_roots(f, ZERO, INFINITE) == [] == real_roots(f, F(-5), ZERO)
    assert real_roots(f, F(-1), F(1)) == [0]


def test_rational_zeros_where_two_exponents_are_the_same() -> None:
    """Of e^x − e the zero is 1; of (x·e − 1)(e^x − e^(1/3)) they are 1/e and 1/3."""
    assert real_roots(made({(0, 1, 0): 1, (0, 0, 1): -1}), ZERO, INFINITE) == [1]
    f = made({(1, 1, 1): 1, (1, 0, F(4, 3)): -1, (0, 1, 0): -1, (0, 0, F(1, 3)): 1})
    first, second = real_roots(f, ZERO, INFINITE)
    assert first == F(1, 3) and isinstance(second, Root) and sign_at_end(f, second) == 0
    low, high = second.enclosed(F(1, 10**12))
    assert low < F("0.367879441172") and high > F("0.367879441171")


def test_zeros_beside_e() -> None:
    """p·e − 1 is 0 at 1/e, and so are its multiples; p − 1/3 is not."""
    one, square = made({(1, 0, 1): 1, (0, 0, 0): -1}), made({(2, 0, 2): 1, (0, 0, 0): -1})
    (x,), (y,) = (real_roots(each, ZERO, INFINITE) for each in (one, square))
    assert compare(x, y) == 0 == sign_at_end(one, y) == sign_at_end(square, x)
    assert sign_at_end((-1, 3), x) == 1 and compare(x, F(3, 8)) == -1
