"""Certificates of kind divergence, made by hand; broken siblings are not accepted.

A bit is told with probability 3/4: the ratios are 3 and 1/3, the range 9. Of order 2 the sum is
9/4 + 1/12 = 7/3, of order 3 it is 27/4 + 1/36 = 61/9, of order 3/2 it is the root of 25/12. Of all
orders the worst are those near 1: rho is half of ln 3, as 3/4 ln 3 - 1/4 ln 3.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest

from tests.checker.conftest import certificate, listed, mechanism_model
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected
from verifier.checker.chords import _is_below
from verifier.checker.divergences import _power, _root, around, bounds_of_logarithm, power_of_sum
from verifier.checker.document import Refused
from verifier.checker.numbers import power

Json = dict[str, Any]
BIT: dict[str, list[Any]] = {"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]}
ONE_SIDED: dict[str, list[Any]] = {"a": ["1/2", "1/2", "0"], "b": ["1/2", "1/4", "1/4"]}
SAME: dict[str, list[Any]] = {"a": ["1/3", "2/3"], "b": ["1/3", "2/3"]}
THIRDS: dict[str, list[Any]] = {"a": ["2/3", "1/3"], "b": ["1/2", "1/2"]}
OF_E: dict[str, list[Any]] = {"a": ["e/(1 + e)", "1/(1 + e)"], "b": ["1/(1 + e)", "e/(1 + e)"]}
BOTH = listed(2, (0, 1), (1, 0))
ORDERS = [F(1), *(1 + F(2) ** k for k in range(-40, 3))]
ROOT = {"lower": "1732050807/1000000000", "upper": "1732050808/1000000000"}


def made(
    rule: str,
    leakage: Any,
    witness: Any = None,
    verdict: str = "holds",
    order: str | None = None,
    columns: Any = BIT,
    pairs: Any = BOTH,
    **level: str,
) -> Json:
    """At the level 20 where none is given."""
    level = level or {"exp_epsilon": "20"}
    relation = {"rule": rule, "order": order, "pairs": pairs}
    model = mechanism_model(columns)
    found = certificate(model, relation, leakage, verdict, witness)
    found["claim"].update(kind="divergence", level={"delta": "0", **level})
    return found


def of_all(orders: Any = None, order: str = "1000000000001/1000000000000", **parts: Any) -> Json:
    texts = list(map(str, ORDERS if orders is None else orders))
    witness = {"pair": [0, 1], "order": order, "orders": texts}
    return made("zcdp", **{"leakage": ROOT, "witness": witness, **parts})


PAIR = {"pair": [0, 1]}
RANGE = {"pair": [0, 1], "outputs": [0, 1]}


def test_a_range() -> None:
    accepted(made("bounded_range", "9", RANGE))
    accepted(made("bounded_range", "9", {"pair": [1, 0], "outputs": [1, 0]}))
    accepted(made("bounded_range", "9", RANGE, "violated", exp_epsilon="8"))
    accepted(made("bounded_range", "9", RANGE, exp_epsilon="9"))
    rejected(made("bounded_range", "9", RANGE, exp_epsilon="8"), "verdict must be violated")
    rejected(made("bounded_range", "8", RANGE), "too small")
    rejected(made("bounded_range", "10", RANGE), "too large")
    rejected(made("bounded_range", "9", {"pair": [0, 1], "outputs": [1, 0]}), "too large")
    rejected(made("bounded_range", "9", {"pair": [0, 1], "outputs": [0, 0]}), "too large")
    rejected(made("bounded_range", "9"), "too large")
    rejected(made("bounded_range", "9", RANGE, pairs=listed(2, (1, 0))), "no pair")
    rejected(made("bounded_range", {"infinite": True}, RANGE, "violated"), "infinite")
    accepted(made("bounded_range", "1", columns=SAME))
    rejected(made("bounded_range", "1"), "too small")


def test_an_infinite_range() -> None:
    """An output that is impossible in one world, in either order; and it is not 0/0."""
    infinite = {"infinite": True}
    for pair, outputs in (([0, 1], [0, 2]), ([0, 1], [1, 2]), ([1, 0], [2, 0])):
        witness = {"pair": pair, "outputs": outputs}
        accepted(made("bounded_range", infinite, witness, "violated", columns=ONE_SIDED))
        rejected(made("bounded_range", "9", witness, columns=ONE_SIDED), "too small")
    for outputs in ([2, 0], [2, 2], [0, 1]):
        witness = {"pair": [0, 1], "outputs": outputs}
        rejected(made("bounded_range", infinite, witness, "violated", columns=ONE_SIDED))
    nothing = {"a": ["1/2", "1/2", "0"], "b": ["1/3", "2/3", "0"]}
    accepted(made("bounded_range", "2", {"pair": [0, 1], "outputs": [0, 1]}, columns=nothing))


def test_an_order() -> None:
    accepted(made("renyi", "7/3", PAIR, order="2"))
    accepted(made("renyi", "7/3", PAIR, "violated", order="2", exp_epsilon="2"))
    accepted(made("renyi", "7/3", PAIR, "violated", order="2", epsilon="21/25"))
    rejected(made("renyi", "2", PAIR, order="2"), "too small")
    rejected(made("renyi", "5/2", PAIR, order="2"), "too large")
    rejected(made("renyi", "7/3", order="2"), "too large")
    rejected(made("renyi", "7/3", PAIR, order="3"), "too small")
    accepted(made("renyi", "1", order="2", columns=SAME))
    infinite = {"infinite": True}
    rejected(made("renyi", infinite, PAIR, "violated", order="2"), "not proved infinite")


def bounds(value: float) -> Json:
    """Around a number."""
    return {
        "lower": str(F(math.floor(value * 2**40), 2**40)),
        "upper": str(F(math.ceil(value * 2**40), 2**40)),
    }


def test_an_order_whose_level_is_a_root() -> None:
    """The square root of 61/9, between bounds; a level between them is decided."""
    found = bounds(math.sqrt(61) / 3)
    accepted(made("renyi", found, PAIR, order="3"))
    accepted(made("renyi", found, PAIR, "violated", order="3", exp_epsilon=found["lower"]))
    accepted(made("renyi", found, PAIR, order="3", exp_epsilon=found["upper"]))
    accepted(made("renyi", found, PAIR, order="3", epsilon="9569/10000"))
    rejected(made("renyi", found | {"upper": found["lower"]}, PAIR, order="3"), "too small")
    rejected(made("renyi", found | {"lower": found["upper"]}, PAIR, order="3"), "too large")


def test_an_order_that_is_no_integer() -> None:
    """The quotient of both terms is 9: its square root is rational, its cube root is not."""
    accepted(made("renyi", "25/12", PAIR, order="3/2"))
    rejected(made("renyi", "26/12", PAIR, order="3/2"), "too large")
    rejected(made("renyi", "24/12", PAIR, order="3/2"), "too small")
    value = (3 / 4 * 3 ** (1 / 3) + 1 / 4 * 3 ** (-1 / 3)) ** 3
    found = bounds(value)
    accepted(made("renyi", found, PAIR, order="4/3"))
    rejected(made("renyi", bounds(value + 1e-6), PAIR, order="4/3"), "too large")
    rejected(made("renyi", bounds(value - 1e-6), PAIR, order="4/3"), "too small")
    accepted(made("renyi", found, PAIR, "violated", order="4/3", epsilon="1/2"))


def test_powers_of_sums_of_roots() -> None:
    """Rational only where all terms are rational multiples of one root."""
    terms = [(F(1, 2), F(1, 4), 1), (F(1, 2), F(3, 4), 1)]
    assert power_of_sum(terms, F(4, 3)) is None
    assert power_of_sum(terms, F(2)) == F(4, 3)
    assert power_of_sum([(F(1), F(1, 8), 1)], F(4, 3)) == 8


def test_a_level_that_is_too_close_is_refused() -> None:
    """To 400 digits it is the smallest one; to 200 digits it is decided."""
    found = bounds((3 / 4 * 3 ** (1 / 3) + 1 / 4 * 3 ** (-1 / 3)) ** 3)
    with localcontext(prec=450):
        root = Decimal(3) ** (Decimal(1) / 3)
        level = F((Decimal(3) / 4 * root + 1 / (4 * root)) ** 3)
        epsilon = F((Decimal(3) / 4 * root + 1 / (4 * root)).ln() * 3)
    for sign, verdict in ((1, "holds"), (-1, "violated")):  # between the bounds
        asked = str(F(round(epsilon * 10**30) + sign, 10**30))
        accepted(made("renyi", found, PAIR, verdict, "4/3", epsilon=asked))
    close, near = (str(F(round(level * 10**k) + 1, 10**k)) for k in (400, 200))
    assert check(made("renyi", found, PAIR, order="4/3", exp_epsilon=close)).outcome == "refused"
    accepted(made("renyi", found, PAIR, order="4/3", exp_epsilon=near))


def test_an_output_that_is_impossible_in_the_other_world() -> None:
    infinite, columns = {"infinite": True}, ONE_SIDED
    shown = {"pair": [1, 0], "outputs": [2]}
    for rule, order in (("renyi", "2"), ("renyi", "4/3"), ("zcdp", None)):
        accepted(made(rule, infinite, shown, "violated", order, columns))
        rejected(made(rule, "9", shown, "holds", order, columns), "too small")
        for other in ({**shown, "outputs": [0]}, {"pair": [0, 1], "outputs": [2]}):
            rejected(made(rule, infinite, other, "violated", order, columns), "infinite")
        rejected(made(rule, infinite, None, "violated", order, columns), "infinite")
        for junk in ({**shown, "outputs": [0, 2]}, {**shown, "outputs": []}):
            assert (
                check(made(rule, infinite, junk, "violated", order, columns)).outcome == "refused"
            )
    rejected(made("renyi", "9", {"pair": [1, 0]}, order="2", columns=columns), "too small")
    accepted(made("renyi", infinite, {"pair": [1, 0]}, "violated", "2", columns))
    rejected(made("renyi", infinite, PAIR, "violated", "2", columns), "infinite")
    # from a to b it is finite: 1/2 + 1
    accepted(made("renyi", "3/2", PAIR, order="2", columns=columns, pairs=listed(2, (0, 1))))
    # an output that shows a ratio shows no divergence
    rejected(made("renyi", "7/3", {"pair": [0, 1], "outputs": [0]}, order="2"), "too large")


def test_all_orders() -> None:
    accepted(of_all())
    accepted(of_all(epsilon="11/20"))
    accepted(of_all(epsilon="549/1000", verdict="violated"))
    accepted(of_all(exp_epsilon=ROOT["upper"]))
    rejected(of_all(exp_epsilon=str((F(ROOT["lower"]) + F(ROOT["upper"])) / 2)), "inside")
    rejected(of_all(order="2"), "too large")
    # the bounds are right, and the orders prove nothing
    for orders in (
        [],
        [1],
        [1, 2],
        ORDERS[:1] + ORDERS[20:],
        ORDERS[:20],
        ORDERS[:10] + ORDERS[35:],
    ):
        rejected(of_all(orders), "too small")
    lower = {"lower": "1732050806/1000000000", "upper": "1732050807/1000000000"}
    rejected(of_all(leakage=lower), "too small")
    rejected(of_all(leakage={"exp_epsilon": "1"}), "too small")
    infinite = {"infinite": True}
    rejected(of_all(leakage=infinite, verdict="violated"), "not proved infinite")
    accepted(made("zcdp", "1", columns=SAME))
    rejected(made("zcdp", "1"), "too small")


def test_orders_that_are_none() -> None:
    for order in ("1", "1/2", "0", "-2", "e", str(F(2**121 + 1, 2**121))):
        assert check(of_all(order=order)).outcome == "refused"
    for orders in ([2, 3], [1, 3, 2], [1, 1], [F(1, 2), 1], ["x"], [1, F(2**121)]):
        assert check(of_all(orders)).outcome == "refused"
    assert check(of_all(order="1")).outcome == "refused"
    assert check(of_all(order="1/2")).outcome == "refused"
    assert check(of_all(order=str(2**121))).outcome == "refused"
    assert check(of_all(order=str(2**40))).outcome == "refused"  # a power is too long
    for order in ("1", "1/2", "0", "1001", "e", "2003/1001"):
        assert check(made("renyi", "7/3", PAIR, order=order)).outcome == "refused"


def test_shapes() -> None:
    assert check(made("renyi", "7/3", PAIR)).outcome == "refused"
    assert check(made("bounded_range", "9", RANGE, order="2")).outcome == "refused"
    assert check(made("range", "9", RANGE)).outcome == "refused"
    found = made("bounded_range", "9", RANGE)
    found["claim"]["level"]["delta"] = "1/2"
    assert check(found).outcome == "refused"
    secrets = {"rule": "secrets", "secrets": {}, "pairs": [], "priors": {"class": "all"}}
    assert check(made("bounded_range", "9", RANGE, pairs=secrets)).outcome == "refused"
    far = listed(2, (0, 1, "2"))
    assert check(made("bounded_range", "9", RANGE, pairs=far)).outcome == "refused"
    nothing = {"vacuous": True}
    accepted(made("renyi", nothing, order="2", pairs=listed(2)))
    rejected(made("renyi", nothing, order="2"), "vacuous")
    for witness in ({"pair": [0, 1], "outputs": [0]}, {"pair": [0, 2], "outputs": [0, 1]}, PAIR):
        assert check(made("bounded_range", "9", witness)).outcome == "refused"


def test_powers_of_e() -> None:
    """The range is e^2, of order 2 the sum is (e^3 + 1)/(e (1 + e)); of order 3/2 it is (e^3/2 +
    e^-1/2)/(1 + e), between bounds; and rho is (e - 1)/(e + 1), at order 1."""
    square = {"closed": "e^2", "lower": "7389056098/1000000000", "upper": "7389056099/1000000000"}
    accepted(made("bounded_range", square, RANGE, columns=OF_E))
    rejected(made("bounded_range", "8", RANGE, columns=OF_E), "too large")
    for end in ("7", "7389056099/1000000000", "8"):  # e^2 is 7.389056098930…
        beside = square | {"lower": end, "upper": end}
        assert (
            "within its bounds" in check(made("bounded_range", beside, RANGE, columns=OF_E)).reason
        )
    value = (math.e**3 + 1) / (math.e * (1 + math.e))
    found = {"closed": "(1 + e^3)/(e + e^2)", **bounds(value)}
    accepted(made("renyi", found, PAIR, order="2", columns=OF_E))
    value = ((math.e**1.5 + math.e**-0.5) / (1 + math.e)) ** 2
    accepted(made("renyi", bounds(value), PAIR, order="3/2", columns=OF_E))
    for far, said in ((1e-9, "too large"), (-1e-9, "too small")):
        rejected(made("renyi", bounds(value + far), PAIR, order="3/2", columns=OF_E), said)
    rho = F(math.exp((math.e - 1) / (math.e + 1)))
    ends = {"lower": str(rho - F(4, 10**10)), "upper": str(rho + F(4, 10**10))}
    accepted(of_all(leakage=ends, columns=OF_E))
    accepted(of_all(leakage=ends, columns=OF_E, verdict="violated", exp_epsilon="3/2"))
    for end, far in (("upper", -8), ("lower", 8)):
        moved = ends | {end: str(F(ends[end]) + F(far, 10**10))}
        rejected(of_all(leakage=dict(sorted(moved.items())), columns=OF_E))


def test_bounds_of_a_number_are_around_it() -> None:
    """Of numbers with powers of e, small and large ones too; others are refused, never wrong."""
    e, step = power(F(1)), F(1, 2**128)
    ends = power(F(-177, 2)), power(F(443, 10))  # above 2^-128, and below 2^64
    for value in (e, 1 / (1 + e), *ends):
        low, high = around(value, 64)
        assert low < value < high == low + step
    assert around(ends[0], 64)[0] == step
    assert around(F(1, 3), 64) == (F(1, 3), F(1, 3))
    for value in (power(F(-89)), power(F(222, 5)), 1 - e):
        with pytest.raises(Refused):
            around(value, 64)


@pytest.mark.parametrize(
    ("value", "degree", "expected"), [(8, 3, 2), (F(9, 4), 2, F(3, 2)), (2, 2, None), (1, 5, 1)]
)
def test_roots(value: F, degree: int, expected: F | None) -> None:
    assert _root(F(value), degree) == expected


def test_a_line_is_below_where_its_vertex_is() -> None:
    """t + 1/4 touches nothing of t (t + 1); above rho 0 there is nothing."""
    assert _is_below(F(1), F(0), F(0), F(1), F(5))
    assert not _is_below(F(1), F(0), F(0), F(3), F(5))
    assert not _is_below(F(1), F(0), F(1, 4), F(1), None)
    assert _is_below(F(1), F(1), F(9, 4) - F(1, 4), F(3), None)  # the tangent at 1
    assert not _is_below(F(1), F(0), F(-1) + F(1, 100), F(3), F(2))  # its vertex is inside
    assert not _is_below(F(0), F(0), F(0), F(0), F(1))
    assert not _is_below(F(1), F(0), F(0), F(10), F(1))  # its vertex is beyond the end


def test_bounds_of_a_logarithm_are_around_it() -> None:
    """Against logarithms in floats, for ratios on both sides of 1."""
    exact = [(F(3), F(3, 4)), (F(1, 3), F(1, 4))]
    terms = [((r, r), (p, p)) for r, p in exact]
    for t in (F(1, 1000), F(1, 3), F(2), F(30)):
        low, high = bounds_of_logarithm(terms, t, 256)
        expected = math.log(0.75 * 3 ** float(t) + 0.25 * 3 ** -float(t))
        assert low < high < low + F(1, 10**60)
        assert abs(float(low) - expected) < 1e-12 * max(1, expected)


def test_bounds_of_a_logarithm_are_rounded_outwards() -> None:
    """With few digits, where the ends are seldom equal; also for bounds of the ratios."""
    for bits, k in product((6, 9), range(2, 30)):
        r, t = F(k, 7), F(k % 5 + 1, 3)
        for s, p, q in ((r, F(1, 3), F(1, 3)), (r + 1, F(1, 5), F(2, 3))):
            low, high = bounds_of_logarithm([((r, s), (p, q)), ((F(3), F(3)), (p, q))], t, bits)
            with localcontext(prec=40):
                power = Decimal(t.numerator) / t.denominator
                ends = [
                    Decimal(x.numerator) / x.denominator
                    * ((Decimal(a.numerator) / a.denominator) ** power + 3**power)
                    for x, a in ((p, r), (q, s))
                ]  # fmt: skip
                assert low <= max(F(0), F(ends[0].ln())) and F(ends[1].ln()) <= high


def test_bounds_of_a_power_are_around_it() -> None:
    """Against its own powers, which are exact; for numbers near 1 on both sides, and 1."""
    for r in (F(1), F(6, 5), F(5, 6), F(3, 2), F(7), F(1, 7)):
        for t in (F(1, 2), F(2, 3), F(3)):
            low, high = _power(r, t, 64)
            exact = r**t.numerator * 2 ** (64 * t.denominator)
            assert low**t.denominator <= exact <= high**t.denominator
            assert high - low < 2**32
