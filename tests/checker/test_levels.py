"""Levels and leakages that are powers: comparisons with alpha^(j/k) and e^epsilon."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected
from tests.drawing import examples
from tests.steps import at_most
from verifier.checker import levels, numbers
from verifier.checker.document import Noted, Refused, Rejected
from verifier.checker.levels import Claim, Level
from verifier.checker.powers import logarithm, sign
from verifier.checker.reading import ONE


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


@examples(200)
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
    def equal(p: int, k: int, a: int, j: int) -> bool:
        return sign([(Fraction(p), k), (Fraction(a), -j)]) == 0

    assert equal(p, k, a, j) == (p**k == a**j)
    assert equal(p**j, k, p**k, j)
    assert not equal(p**j + 1, k, p**k, j)
    assert equal(p**j, 10**30 * k, p**k, 10**30 * j)


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
    with at_most(10**5):
        assert check(document).outcome != "accepted"


def test_a_level_that_is_too_close_is_refused(build: Any) -> None:
    """sqrt(2) to 15,000 digits, and a level in the middle: no bound tells them apart in time."""
    unit = 10**15_000
    root = isqrt(2 * unit * unit)
    model = build.mechanism_model({"s": ["2/3", "1/3"], "t": ["1/3", "2/3"]})
    witness = {"pair": [0, 1], "output": 0}
    ends = {"lower": f"{root}/{unit}", "upper": f"{root + 1}/{unit}"}
    document = build.certificate(model, build.listed(2, (0, 1, "2")), ends, "holds", witness)
    assert "too close" in check(document).reason


def test_reading_levels() -> None:
    assert levels.level({"exp_epsilon": "1", "delta": "0"}) == (Level(Fraction(1)), 0)
    assert levels.level({"exp_epsilon": "5/2", "delta": "1"}) == (Level(Fraction(5, 2)), 1)
    assert levels.level({"epsilon": "1/3", "delta": "1/2"}) == (
        Level(None, Fraction(1, 3)),
        Fraction(1, 2),
    )
    assert levels.level({"epsilon": "0", "delta": "0"}) == (Level(Fraction(1)), 0)  # e^0 is 1
    for level in (
        {"exp_epsilon": "9/10", "delta": "0"},
        {"exp_epsilon": "0", "delta": "0"},
        {"epsilon": "-1/10", "delta": "0"},
        {"epsilon": "1", "delta": "-1/10"},
        {"epsilon": "1", "delta": "11/10"},
        {"epsilon": "1"},
        {"epsilon": "1", "exp_epsilon": "2", "delta": "0"},
        {"delta": "0"},
        ["epsilon", "delta"],
    ):
        with pytest.raises((Refused, KeyError, TypeError)):
            levels.level(level)


CLAIM: dict[str, Any] = dict.fromkeys(["definition", "verdict", "digest", "leakage"])
CLAIM |= {"level": {"epsilon": "1", "delta": "0"}}


def test_reading_tradeoffs() -> None:
    points = [["1", "1"], ["5/2", "0"], ["2", "1/3"]]
    assert levels.claim({**CLAIM, "tradeoff": points}, trades=True).tradeoff == [
        (1, 1),
        (Fraction(5, 2), 0),
        (2, Fraction(1, 3)),
    ]
    assert levels.claim(CLAIM, trades=True).tradeoff == levels.claim(CLAIM).tradeoff == []
    unread = Noted({**CLAIM, "tradeoff": points})
    levels.claim(unread)
    assert "tradeoff" in unread.left
    for point in (
        ["9/10", "0"],
        ["0", "0"],
        ["1", "-1/10"],
        ["1", "11/10"],
        ["1"],
        ["1", "0", "0"],
    ):
        with pytest.raises(Refused):
            levels.claim({**CLAIM, "tradeoff": [point]}, trades=True)
        with pytest.raises(Refused):
            levels.claim({**CLAIM, "tradeoff": [["1", "0"], point]}, trades=True)
    with pytest.raises(Refused):
        levels.claim({**CLAIM, "tradeoff": ()}, trades=True)


def test_what_is_vacuous_is_said_to_be() -> None:
    claim = {"value": None}
    levels.vacuous(claim, False)
    levels.vacuous({**claim, "leakage": {"vacuous": True}}, True)
    for leakage in ({"vacuous": 1}, {}, None, {"vacuous": True, "more": 0}):
        with pytest.raises(Rejected):
            levels.vacuous({**claim, "leakage": leakage}, True)
    with pytest.raises(KeyError):
        levels.vacuous(claim, True)
    unread = Noted({"leakage": {"vacuous": True}})
    levels.vacuous(unread, False)
    assert unread.left == {"leakage"}


def settled(leakage: Any, level: Fraction | int, least: Fraction | int, **more: Any) -> bool:
    """Where the definition holds from a level `least` on, and the evidence proves nothing more."""
    assert not more.keys() - {"empty", "within", "wide", "proved", "infinite"}
    proved = more.get("proved", least)

    def alpha(at: Level) -> Fraction:
        assert at.alpha is not None
        return at.alpha

    return Claim(Level(Fraction(level)), Fraction(0), leakage).settle(
        more.get("empty", False),
        lambda at: alpha(at) >= least,
        lambda at: more.get("infinite", False) if at is None else alpha(at) <= proved,
        more.get("within", False),
        more.get("wide", False),
    )


def test_a_leakage_is_verified_from_both_sides() -> None:
    two, hair = {"exp_epsilon": "2"}, Fraction(1, 10**9)
    assert settled(two, 2, 2) and settled(two, 3, 2) and not settled(two, 1, 2)
    assert not settled(two, 2 - hair, 2)
    for least in (2 - hair, 2 + hair):
        with pytest.raises(Rejected):
            settled(two, 2, least)
    with pytest.raises(Rejected, match="too large"):
        settled(two, 2, Fraction(3, 2))
    with pytest.raises(Rejected, match="too small"):
        settled(two, 2, 3)
    for leakage in ({"exp_epsilon": "1/2"}, {"exp_epsilon": "0"}):
        with pytest.raises(Refused):
            settled(leakage, 2, 0, proved=9)
    for leakage in ({"exp_epsilon": "2", "more": 0}, {"lower": "2"}, {}, {"upper": "2"}):
        with pytest.raises(Refused):
            settled(leakage, 2, 2)
    assert settled({"exp_epsilon": "1"}, 1, 1)


def test_bounds_of_a_leakage() -> None:
    """They are a billionth apart; a level between them is decided only where it may be."""
    bounds = {"lower": "3", "upper": "3000000003/1000000000"}
    middle = 3 + Fraction(1, 10**9)
    least = 3 + Fraction(2, 10**9)
    assert settled(bounds, 4, least) and not settled(bounds, 2, least)
    assert settled(bounds, 3 + Fraction(3, 10**9), least)
    for level in (3, middle, least):
        with pytest.raises(Rejected, match="inside"):
            settled(bounds, level, least)
        assert settled(bounds, level, least, within=True) == (level >= least)
    assert not settled(bounds, 3 - Fraction(1, 10**9), least)
    wide = {"lower": "3", "upper": "3000000004/1000000000"}
    with pytest.raises(Refused):
        settled(wide, 4, least)
    assert settled(wide, 4, least, wide=True)
    for crossed in ({"lower": "3", "upper": "2"}, {"lower": "1/2", "upper": "1/2"}):
        for allowed in (True, False):
            with pytest.raises(Refused):
                settled(crossed, 4, 0, wide=allowed, proved=9)


def test_nothing_compared_and_no_level_are_told_apart() -> None:
    vacuous, infinite = {"vacuous": True}, {"infinite": True}
    assert settled(vacuous, 1, 9, empty=True)
    assert settled(infinite, 1, 9, infinite=True) is False
    for leakage, more in (
        (vacuous, {}),
        (vacuous, {"infinite": True}),
        ({"vacuous": 1}, {"empty": True}),
        ({"vacuous": True, "infinite": True}, {"empty": True}),
        (infinite, {}),
        (infinite, {"empty": True, "infinite": True}),
        ({"infinite": 1}, {"infinite": True}),
        ({"infinite": True, "exp_epsilon": "2"}, {"infinite": True}),
        ({"exp_epsilon": "2"}, {"empty": True}),
    ):
        with pytest.raises(Rejected):
            settled(leakage, 2, 2, **more)


@pytest.mark.parametrize("bits", [0, 1, 4, 64, 100])
def test_the_logarithm_of_one(bits: int) -> None:
    """ln 1 = 0: the lower bound is not above it, the upper one not below."""
    low, high = logarithm(Fraction(1), bits)
    assert low <= 0 <= high


@pytest.mark.parametrize("x", [Fraction(2), Fraction(10) ** 300, 1 + Fraction(1, 10**15)])
@pytest.mark.parametrize("bits", [64, 128, 1024])
def test_bounds_of_the_logarithm_are_close(x: Fraction, bits: int) -> None:
    """All but about sqrt(bits) digits, which the square roots cost, and a few more are right."""
    low, high = logarithm(x, bits)
    assert 0 < high - low < 2 ** (isqrt(bits) + 24)


def test_comparisons_that_are_nearly_equal_powers() -> None:
    """(3/2)^2 = 9/4 has the numerator of 9/2 and the denominator of 11/4."""
    level = Level(Fraction(3, 2))
    for ratio, found in (("9/4", 0), ("9/2", 1), ("9/5", -1), ("11/4", 1), ("7/4", -1)):
        assert level.compare(Fraction(ratio), ONE, Fraction(2)) == found
        assert level.compare(Fraction(ratio) / 5, ONE / 5, Fraction(2)) == found
    half = Fraction(1, 2)
    assert Level(Fraction(9, 4)).compare(Fraction(3, 2), ONE, half) == 0
    assert Level(Fraction(9, 2)).compare(Fraction(3, 2), ONE, half) == -1
    assert Level(Fraction(9, 5)).compare(Fraction(3, 2), ONE, half) == 1


def test_levels_of_1_need_no_bounds() -> None:
    """A gap of 10^-12000 is in no bound of a logarithm, but 1^2 is 1."""
    small, two = Fraction(1, 10**12_000), Fraction(2)
    for p, q, found in ((1 + small, ONE, 1), (ONE, 1 + small, -1), (ONE, ONE, 0), (ONE, 0, 1)):
        assert Level(ONE).compare(Fraction(p), Fraction(q), two) == found
    for level in (Level(two), Level(None, Fraction(1, 3))):
        assert level.compare(ONE, ONE, two) == level.compare(ONE, 1 + small, two) == -1
        assert level.compare(ONE, Fraction(0), two) == level.compare(ONE, Fraction(0)) == 1
        assert level.compare(Fraction(0), Fraction(0), two) == 0


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 6, 8, 9, 12, 16, 25])
def test_coarse_bounds_of_the_logarithm(bits: int) -> None:
    """Of many numbers, against decimals."""
    with localcontext() as context:
        context.prec = 40
        for n in range(1, 80):
            for x in (Fraction(n + 7, 7), Fraction(97, 97 - n), Fraction(n), Fraction(3) ** n):
                low, high = logarithm(x, bits)
                exact = (Decimal(x.numerator) / Decimal(x.denominator)).ln() * 2**bits
                assert low <= exact <= high


def test_a_level_inside_the_bounds_is_not_decided_unasked() -> None:
    bounds = {"lower": "3", "upper": "3000000003/1000000000"}
    middle = Claim(Level(3 + Fraction(1, 10**9)), Fraction(0), bounds)
    with pytest.raises(Rejected, match="inside"):
        middle.settle(False, lambda at: True, lambda at: True)
    wide = Claim(Level(ONE), Fraction(0), {"lower": "3", "upper": "4"})
    with pytest.raises(Refused, match="narrow"):
        wide.settle(False, lambda at: True, lambda at: True)


@pytest.mark.parametrize("distance", ["1", "2", "1/2", "3/2", "2/3"])
@pytest.mark.parametrize("exponent", ["1/3", "1", "5/2"])
def test_levels_that_are_powers_of_e(exponent: str, distance: str) -> None:
    """Exactly e^(q d) is at alpha^d, alpha = e^q, and a hair more is above; with alpha written as a
    number, or by its epsilon, and against a q that is itself irrational, or 0."""
    q, d, hair = Fraction(exponent), Fraction(distance), Fraction(1, 10**40)
    exact = numbers.power(q * d)
    for level in (Level(numbers.power(q)), Level(None, q)):
        for other in (ONE, Fraction(2, 7), numbers.power(Fraction(-1, 2))):
            for factor, expected in ((1 - hair, -1), (ONE, 0), (1 + hair, 1)):
                assert level.compare(exact * other * factor, other, d) == expected
        assert level.compare(exact, Fraction(0), d) == 1
        assert level.compare(Fraction(0), exact, d) == -1


def test_levels_of_irrational_probabilities() -> None:
    """At the level 2, or 1: what is compared has powers of e."""
    e, hair = numbers.power(ONE), Fraction(1, 10**40)
    for alpha, d, factor in ((2, "1", 2), (4, "1/2", 2), (1, "3", 1), (2, "3", 8)):
        level, distance = Level(Fraction(alpha)), Fraction(d)
        assert level.compare(e * factor, e, distance) == 0
        assert level.compare(e * factor + hair, e, distance) == 1
        assert level.compare(e * factor, e + hair, distance) == -1


def test_a_level_beside_delta_is_a_number() -> None:
    assert Level(Fraction(2)).number == 2
    with pytest.raises(Refused):
        _ = Level(None).number
