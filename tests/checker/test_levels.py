"""Levels and leakages that are powers: comparisons with alpha^(j/k) and e^epsilon."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected
from verifier.checker.level import Level, equal_powers, logarithm


def test_irrational_leakage(build: Any) -> None:
    """Ratio 2 at distance 2: sqrt(2) = 1.41421356237..."""
    model = build.mechanism_model({"s": ["2/3", "1/3"], "t": ["1/3", "2/3"]})
    relation = build.listed(2, (0, 1, "2"), (1, 0, "2"))
    tight = {"lower": "14142135623/10000000000", "upper": "14142135624/10000000000"}
    witness = {"pair": [0, 1], "output": 0}

    def at(level: Any, verdict: str, leakage: Any = tight) -> Any:
        return build.certificate(model, relation, leakage, verdict, witness, level)

    accepted(at({}, "holds"))
    accepted(at({"exp_epsilon": "7/5"}, "violated"))
    between = "141421356237/100000000000"  # sqrt(2) = 1.414213562373...
    accepted(at({"exp_epsilon": between}, "violated"))
    between = "1414213562374/1000000000000"
    accepted(at({"exp_epsilon": between}, "holds"))
    rejected(at({"exp_epsilon": between}, "violated"), "verdict")
    high = {"lower": "14142135624/10000000000", "upper": "14142135625/10000000000"}
    rejected(at({}, "holds", high), "too large")
    low = {"lower": "14142135622/10000000000", "upper": "14142135623/10000000000"}
    rejected(at({}, "holds", low), "too small")
    wide = {"lower": "14142135/10000000", "upper": "14142136/10000000"}
    assert check(at({}, "holds", wide)).outcome == "refused"


def test_irrational_leakage_at_irrational_level(build: Any) -> None:
    """ln 2 / 2 = 0.346573590279972654...: inside the enclosure the comparisons decide."""
    model = build.mechanism_model({"s": ["2/3", "1/3"], "t": ["1/3", "2/3"]})
    relation = build.listed(2, (0, 1, "2"))
    tight = {"lower": "14142135623/10000000000", "upper": "14142135624/10000000000"}
    witness = {"pair": [0, 1], "output": 0}
    for digits, verdict in (("34657359027997266", "holds"), ("34657359027997265", "violated")):
        level = {"epsilon": digits + "/100000000000000000", "delta": "0"}
        document = build.certificate(model, relation, tight, verdict, witness)
        document["claim"]["level"] = level
        accepted(document)


@settings(max_examples=200, deadline=None)
@given(
    excess=st.fractions(0, 10**9) | st.sampled_from([Fraction(10) ** 400, Fraction(1, 10**60)]),
    bits=st.sampled_from([1, 2, 8, 64, 256]),
)
def test_bounds_of_the_logarithm(excess: Fraction, bits: int) -> None:
    """Against decimal arithmetic; 64 digits of every 256 bits are right."""
    x = 1 + excess
    with localcontext() as context:
        context.prec = 600
        logarithm_of_x = (Decimal(x.numerator) / Decimal(x.denominator)).ln() * 2**bits
    low, high = logarithm(x, bits)
    assert low <= logarithm_of_x <= high
    assert bits < 256 or high - low < 2**48


@given(*[st.integers(1, 40)] * 4)
def test_equal_powers(p: int, k: int, a: int, j: int) -> None:
    assert equal_powers(p, k, a, j) == (p**k == a**j)
    assert equal_powers(p**j, k, p**k, j)
    assert not equal_powers(p**j + 1, k, p**k, j)


@given(
    *[st.fractions(0, 1, max_denominator=9)] * 2,
    st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(9, 4), Fraction(7)]),
    st.fractions(Fraction(1, 5), 5, max_denominator=5),
)
def test_comparisons_with_powers(p: Fraction, q: Fraction, a: Fraction, d: Fraction) -> None:
    left, right = p**d.denominator, a**d.numerator * q**d.denominator
    assert Level(a).compare(p, q, d) == (left > right) - (left < right)
    exact = (a**d.numerator, Fraction(1), Fraction(d.numerator))
    assert Level(a).compare(*exact) == 0
    assert Level(a + Fraction(1, 10**50)).compare(*exact) == -1
    assert Level(a).compare(exact[0] + Fraction(1, 10**50), *exact[1:]) == 1


@pytest.mark.parametrize("distance", ["9999999/9999998", "1" * 400 + "/" + "3" * 401, "9" * 5000])
@pytest.mark.parametrize("level", [{}, {"epsilon": "1/" + "7" * 3000}, {"epsilon": "7" * 3000}])
def test_huge_distances_and_levels_take_no_time(build: Any, distance: str, level: Any) -> None:
    model = build.mechanism_model({"s": ["2/3", "1/3"], "t": ["1/3", "2/3"]})
    document = build.certificate(
        model, build.listed(2, (0, 1, distance)), "2", "holds", {"pair": [0, 1], "output": 0}
    )
    document["claim"]["level"] = {"delta": "0", **(level or {"exp_epsilon": "2"})}
    started = process_time()
    assert check(document).outcome != "accepted"
    assert process_time() - started < 10


def test_a_level_that_is_too_close_is_refused(build: Any) -> None:
    """sqrt(2) to 15,000 digits, and a level in the middle: no bound tells them apart in time."""
    unit = 10**15_000
    root = isqrt(2 * unit * unit)
    model = build.mechanism_model({"s": ["2/3", "1/3"], "t": ["1/3", "2/3"]})
    witness = {"pair": [0, 1], "output": 0}
    ends = {"lower": f"{root}/{unit}", "upper": f"{root + 1}/{unit}"}
    document = build.certificate(model, build.listed(2, (0, 1, "2")), ends, "holds", witness)
    assert "too close" in check(document).reason
