"""Bounded range, Rényi and zero-concentrated privacy against sums over outputs, and what follows
from them for δ, as in the papers, against the exact curve.

By hand, for randomized response with truth 3/4: the ratios are 3 and 1/3, the range 9; order 2
gives 9/4 + 1/12 = 7/3; all orders together give half of ln 3.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction as F
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.cases import rows_of, spec_of
from tests.definitions.drawn import Draw, Space, decide
from tests.drawing import examples
from verifier.base.errors import NotDecided
from verifier.definitions import bounded_range, renyi, zcdp
from verifier.kernels.divergences import of_columns, order_of
from verifier.questions.answer import Answer
from verifier.questions.witness import DivergenceWitness, RangeWitness

Json = dict[str, Any]
Columns = list[list[F]]
BIT: Json = {
    "worlds": {"records": ["ann"], "domain": ["0", "1"]},
    "mechanism": {"randomized_response": {"truth": "3/4"}},
}


def asked(spec: Json, keyword: str, **options: Any) -> Answer:
    return decide({**spec, "checks": [{keyword: options}]})


def exact(answer: Answer) -> F | None:
    """The smallest level, None where infinite; it is one of the two."""
    assert answer.leakage is not None
    assert answer.leakage.infinite or answer.leakage.exp_epsilon is not None
    return answer.leakage.exp_epsilon


@st.composite
def compared(draw: Draw) -> tuple[Space, Columns, set[tuple[int, int]], Json]:
    """Worlds with columns, which are neighbours, and the options that say so."""
    kind = draw(st.sampled_from(["replace", "entry", "all"]))
    spaces = {"all": drawn.named_spaces(), "entry": drawn.spaces(attributes=True)}
    space = draw(spaces.get(kind, drawn.spaces()))
    columns = [list(column) for column in draw(drawn.matrices(space.size))]
    found = set(permutations(range(space.size), 2))
    if kind != "all":
        test = plain.is_replace if kind == "replace" else plain.is_entry
        found = plain.pairs_of(space.databases, test, 1)
    return space, columns, found, {"neighbours": kind}


@examples(40)
@given(compared(), st.sampled_from(["1", "3/2", "1000000"]))
def test_a_range_is_the_largest_ratio_over_the_smallest(case: Any, level: str) -> None:
    space, columns, pairs, options = case
    answer = asked(spec_of(space, columns), "bounded_range", exp_epsilon=level, **options)
    expected = bounded_range.value(rows_of(columns), pairs)
    assert exact(answer) == expected
    assert answer.verdict == ("holds" if expected and expected <= F(level) else "violated")
    if expected is not None and expected > 1:
        assert isinstance(answer.shown, RangeWitness)
        assert answer.shown.ratio == expected


@examples(40)
@given(compared(), st.integers(2, 5), st.sampled_from(["1", "3/2", "1000000"]))
def test_a_divergence_is_a_sum_of_powers(case: Any, order: int, level: str) -> None:
    """The level to the power of the order less 1 is at most the sum, and no level below is."""
    space, columns, pairs, options = case
    spec = spec_of(space, columns)
    answer = asked(spec, "renyi", exp_epsilon=level, order=str(order), **options)
    expected = renyi.value(rows_of(columns), pairs, order)
    assert answer.verdict == (
        "holds" if expected and expected <= F(level) ** (order - 1) else "violated"
    )
    leakage = answer.leakage
    assert leakage is not None and leakage.infinite == (expected is None)
    if expected is not None:
        low, high = leakage.bounds or (leakage.exp_epsilon,) * 2
        assert low is not None and high is not None
        assert low ** (order - 1) <= expected <= high ** (order - 1)
        assert high - low <= low / 10**9
        assert bool(leakage.bounds) == (low ** (order - 1) != expected)


def in_decimals(
    columns: Columns, pairs: set[tuple[int, int]], order: F, digits: int = 100
) -> Decimal:
    """The largest divergence of any order to nearly so many digits."""
    with localcontext(prec=digits):
        a = Decimal(order.numerator) / order.denominator
        sums = [
            sum(
                decimal(columns[w][o]) ** a * decimal(columns[v][o]) ** (1 - a)
                for o in range(len(columns[0]))
                if columns[w][o]
            )
            for w, v in pairs
        ]
        return max(Decimal(total).ln() / (a - 1) for total in sums)


def decimal(value: F) -> Decimal:
    return Decimal(value.numerator) / value.denominator


@st.composite
def with_full_support(draw: Draw) -> tuple[Space, Columns, set[tuple[int, int]]]:
    space = draw(drawn.spaces(absent=False))
    weights = st.sampled_from([F(1), F(2), F(1, 3), F(7), F(1, 1000)])
    size = draw(st.integers(2, 3))
    columns = []
    for _ in range(space.size):
        row = draw(st.lists(weights, min_size=size, max_size=size))
        columns.append([x / sum(row) for x in row])
    return space, columns, plain.pairs_of(space.databases, plain.is_replace, 1)


@examples(15)
@given(with_full_support(), st.sampled_from(["3/2", "4/3", "11/10", "17/5"]))
def test_an_order_that_is_no_integer(case: Any, order: str) -> None:
    space, columns, pairs = case
    answer = asked(spec_of(space, columns), "renyi", epsilon="1/2", order=order)
    assert answer.leakage is not None
    if answer.leakage.vacuous:
        return
    expected = in_decimals(columns, pairs, F(order))
    assert answer.verdict == ("holds" if expected <= Decimal("0.5") else "violated")
    low, high = answer.leakage.bounds or (answer.leakage.exp_epsilon,) * 2
    assert low is not None and high is not None
    tiny = Decimal(10) ** -50
    with localcontext(prec=100):
        assert decimal(low).ln() - tiny <= expected <= decimal(high).ln() + tiny


@examples(15)
@given(with_full_support())
def test_all_orders_are_below_and_one_is_as_large(case: Any) -> None:
    """Between 1 and 100 no order exceeds rho, and some order reaches it nearly."""
    space, columns, pairs = case
    answer = asked(spec_of(space, columns), "zcdp", rho="10")
    leakage = answer.leakage
    assert leakage is not None
    if leakage.vacuous or leakage.exp_epsilon == 1:
        assert leakage.vacuous or all(columns[i] == columns[j] for i, j in pairs)
        return
    assert leakage.bounds is not None and leakage.bounds[1] <= leakage.bounds[0] * (1 + F(1, 10**9))
    rho = [math.log(end) for end in leakage.bounds]
    orders = [1 + F(1, 10**6), *(1 + F(k * k, 40) for k in range(1, 64, 9))]
    found = [float(in_decimals(columns, pairs, order)) / float(order) for order in orders]
    assert max(found) <= rho[1] + 1e-12
    assert isinstance(answer.shown, DivergenceWitness)
    worst = answer.shown.order
    assert worst is not None and worst > 1
    assert abs(float(in_decimals(columns, pairs, worst)) / float(worst) - rho[0]) < 1e-9
    for order in (2, 3):
        least = zcdp.value(rows_of(columns), pairs, order)
        assert least is not None and math.log(least) <= rho[1] * order * (order - 1) + 1e-9


def test_numbers_by_hand() -> None:
    assert exact(asked(BIT, "bounded_range", exp_epsilon="9")) == 9
    assert exact(asked(BIT, "renyi", exp_epsilon="9", order="2")) == F(7, 3)
    assert exact(asked(BIT, "renyi", exp_epsilon="9", order="3/2")) == F(25, 12)
    found = asked(BIT, "zcdp", rho="1/2")
    assert found.verdict == "violated"
    assert found.leakage is not None and found.leakage.bounds is not None
    low, high = found.leakage.bounds
    assert low**2 <= 3 <= high**2


def test_an_order_is_the_worst_inside() -> None:
    """A rare output with a large ratio: at order a about ln(p^(1/(a-1)) r) / a, which is largest
    inside. P = (1/1000, 999/1000), Q = (1/10^6, 1 - 1/10^6)."""
    spec = {
        "worlds": ["x", "y"],
        "mechanism": {
            "table": {"outputs": ["a", "b"], "x": ["0.001", "0.999"], "y": ["1e-6", "0.999999"]}
        },
    }
    answer = asked(spec, "zcdp", rho="10", neighbours="all")
    assert isinstance(answer.shown, DivergenceWitness)
    worst = answer.shown.order
    assert worst is not None and 2 < worst < 5
    columns = [[F(1, 1000), F(999, 1000)], [F(1, 10**6), 1 - F(1, 10**6)]]
    pairs = {(0, 1), (1, 0)}
    least = float(in_decimals(columns, pairs, worst)) / float(worst)
    for near in (worst - F(1, 10), worst + F(1, 10)):
        assert float(in_decimals(columns, pairs, near)) / float(near) < least


def test_a_level_that_is_too_close_is_not_decided() -> None:
    """Half of ln 3, to 25 digits."""
    with pytest.raises(NotDecided, match="too close"):
        asked(BIT, "zcdp", rho="0.5493061443340548456976226")
    assert asked(BIT, "zcdp", rho="0.5493061443").verdict == "violated"
    assert asked(BIT, "zcdp", rho="0.5493061444").verdict == "holds"


def table(*columns: list[F]) -> Json:
    outputs = [f"o{k}" for k in range(len(columns[0]))]
    rows = {f"w{k}": list(map(str, column)) for k, column in enumerate(columns)}
    return {"worlds": list(rows), "mechanism": {"table": {"outputs": outputs, **rows}}}


def test_levels_are_told_from_the_smallest_one_as_near_as_the_pages_say() -> None:
    """Of one order within 10^-200 on either side, where the smallest level is no root; of all
    orders within 1.1 times 10^-13, where the worst is next to 1, the divergence of Kullback and
    Leibler: 4/5 ln 22/5 + 1/5 ln 11/45. By decimals, and with a certificate that is accepted."""
    columns = [[F(1, 6), F(1, 3), F(1, 2)], [F(2, 5), F(2, 5), F(1, 5)]]
    far = [[F(4, 5), F(1, 5)], [F(2, 11), F(9, 11)]]
    digits = (9, 15, 16, 20, 30, 80, 200)
    with localcontext(prec=250):
        rho = (4 * (Decimal(22) / 5).ln() + (Decimal(11) / 45).ln()) / 5
        sides = [
            (table(*columns), "renyi", {"epsilon": level, "order": str(order)}, far_by)
            for order in (F(3, 2), F(11, 10), F(7, 3))
            for near in [in_decimals(columns, {(0, 1), (1, 0)}, order, 250)]
            for far_by in (sign * Decimal(10) ** -k for k in digits for sign in (1, -1))
            for level in [str(near + far_by)]
        ]
        sides += [
            (table(*far), "zcdp", {"rho": str(rho + far_by)}, far_by)
            for far_by in map(Decimal, ("1e-9", "-1e-9", "1e-11", "-1e-11", "1.1e-13", "-1.1e-13"))
        ]
    wrong = []
    for spec, keyword, options, far_by in sides:
        try:
            found = asked(spec, keyword, neighbours="all", **options).verdict
        except NotDecided:
            found = "undecided"
        if found != ("holds" if far_by > 0 else "violated"):
            wrong.append((keyword, options.get("order"), far_by, found))
    assert not wrong


def test_rare_outputs_with_large_ratios() -> None:
    """Orders of a few hundred are needed; an order of long numbers takes no long powers."""
    columns = [[F(1, 10**40), F(0), F(3, 10**40)], [F(6, 10**40), F(0), F(21, 10**40)]]
    for column in columns:
        column[1] = 1 - sum(column)
    x, y = (list(map(str, column)) for column in columns)
    spec = {
        "worlds": ["x", "y"],
        "mechanism": {"table": {"outputs": ["a", "b", "c"], "x": x, "y": y}},
    }
    answer = asked(spec, "zcdp", rho="1", neighbours="all")
    assert isinstance(answer.shown, DivergenceWitness)
    assert answer.shown.order is not None and answer.shown.order > 50
    assert answer.leakage is not None and answer.leakage.bounds is not None
    rho = float(in_decimals(columns, {(0, 1), (1, 0)}, answer.shown.order) / answer_order(answer))
    assert abs(rho - math.log(answer.leakage.bounds[0])) < 1e-9
    found = asked(spec, "renyi", epsilon="1", order="1000/999", neighbours="all")
    assert found.verdict == "holds"


def answer_order(answer: Answer) -> Decimal:
    assert isinstance(answer.shown, DivergenceWitness) and answer.shown.order is not None
    return decimal(answer.shown.order)


def test_powers_of_e() -> None:
    spec = {
        "worlds": ["x", "y"],
        "mechanism": {
            "table": {
                "outputs": ["a", "b"],
                "x": ["exp(1)/(1 + exp(1))", "1/(1 + exp(1))"],
                "y": ["1/2", "1/2"],
            }
        },
    }
    found = asked(spec, "bounded_range", epsilon="1", neighbours="all")
    assert found.verdict == "holds" and found.leakage is not None
    assert found.leakage.exp_epsilon == 1 * found.level.alpha  # type: ignore[union-attr]
    assert asked(spec, "renyi", epsilon="1", order="2", neighbours="all").verdict == "holds"
    with pytest.raises(NotDecided, match="a level with powers of e"):
        asked(spec, "zcdp", rho="ln((1 + exp(1))/2)", neighbours="all")


def test_other_orders_and_all_of_them_with_powers_of_e() -> None:
    """Three outputs, against decimals: an order that is no integer 10^-25 on both sides of the
    level; and the largest of many orders lies within the bounds of rho, or a little below."""
    texts = [["exp(-1)", "1/(1 + exp(1))"], ["1/2", "exp(-2)"]]
    with localcontext(prec=60):
        one, two = Decimal(1), Decimal(2)
        near = [[F((-one).exp()), F(1 / (1 + one.exp()))], [F(1, 2), F((-two).exp())]]
    columns = [[*column, 1 - sum(column)] for column in near]
    spec = {
        "worlds": ["x", "y"],
        "mechanism": {
            "table": {
                "outputs": ["a", "b", "c"],
                **{w: [p, q, f"1 - {p} - {q}"] for w, (p, q) in zip("xy", texts, strict=True)},
            }
        },
    }
    both = {(0, 1), (1, 0)}
    level = in_decimals(columns, both, F(10, 3), 60)
    for far, verdict in ((Decimal("1e-25"), "holds"), (Decimal("-1e-25"), "violated")):
        options = {"epsilon": f"{level + far:.40f}", "order": "10/3"}
        assert asked(spec, "renyi", neighbours="all", **options).verdict == verdict
    answer = asked(spec, "zcdp", rho="1/10", neighbours="all")
    assert answer.leakage is not None and answer.leakage.bounds is not None
    low, high = (decimal(end).ln() for end in answer.leakage.bounds)
    orders = [1 + F(2) ** k for k in range(-20, 6)] + [F(k, 8) for k in range(9, 30)]
    found = max(in_decimals(columns, both, order, 40) / decimal(order) for order in orders)
    assert found <= high and found >= low * Decimal("0.999")
    assert high - low < Decimal("1e-9")


@examples(15)
@given(with_full_support(), st.sampled_from([F(1, 10), F(1, 100), F(1, 10**6)]))
def test_what_follows_with_delta_is_no_less_than_the_curve(case: Any, delta: F) -> None:
    """Mironov 2017, Proposition 3: epsilon + ln(1/δ)/(a − 1); Bun and Steinke 2016, Proposition
    1.3: rho + 2√(rho ln(1/δ)); Durfee and Rogers 2019: epsilon itself without δ; and rho is at most
    epsilon²/8 of the range (Cesar and Rogers 2021, Lemma 3.2)."""
    space, columns, pairs = case
    spec = spec_of(space, columns)
    least = asked(spec, "differential_privacy", exp_epsilon="1", delta=str(delta))
    pure = asked(spec, "differential_privacy", exp_epsilon="1")
    span, rho = asked(spec, "bounded_range", exp_epsilon="1"), asked(spec, "zcdp", rho="10")
    order2 = asked(spec, "renyi", exp_epsilon="1", order="2")
    if not pairs:
        return
    inverse = math.log(1 / delta)
    assert exact(pure) <= exact(span) <= exact(pure) ** 2  # type: ignore[operator]
    assert log_of(least) <= log_of(order2) + inverse + 1e-9
    assert log_of(least) <= log_of(rho) + 2 * math.sqrt(log_of(rho) * inverse) + 1e-9
    assert log_of(rho) <= log_of(span) ** 2 / 8 + 1e-9
    assert log_of(order2) <= 2 * log_of(rho) + 1e-9


def log_of(answer: Answer) -> float:
    assert answer.leakage is not None
    found = answer.leakage.bounds[1] if answer.leakage.bounds else answer.leakage.exp_epsilon
    assert found is not None
    return math.log(found)


def test_profiles() -> None:
    assert of_columns([F(1), F(0)], [F(0), F(1)]).ratios is None
    assert of_columns([F(1), F(0), F(0)], [F(1, 2), F(1, 2), F(0)]).ratios == {
        F(2): F(1, 2),
        F(0): F(1, 2),
    }
    assert order_of(0.0, 40) > 1
