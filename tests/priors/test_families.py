"""Classes of priors that are polynomial families, against plain loops over their parameters."""

from __future__ import annotations

import json
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker import drafts
from tests.definitions import drawn, plain
from tests.definitions.drawn import Json, Space, decide
from tests.drawing import examples
from tests.one_parameter import Poly, bernoulli, plus, times, within
from tests.priors import families
from tests.priors.families import Family, ratios
from tests.priors.mixtures import no_sibling_is_accepted
from verifier import checker
from verifier.base import exact
from verifier.base.level import Leakage
from verifier.questions.answer import Answer, write

F = Fraction
EXAMPLES = examples(40)
SMALL = drawn.spaces(attributes=False).filter(lambda space: 1 < space.size < 9)
TWO = drawn.spaces(attributes=False, absent=False).filter(
    lambda space: len(space.values) == 2 and space.size > 1
)


@st.composite
def drawn_families(draw: drawn.Draw, kind: str) -> tuple[Space, Family]:
    if kind == "iid":
        space = draw(SMALL)
        return space, families.iid(space)
    if kind == "product":
        space = draw(SMALL)
        return space, families.independent(space)
    if kind == "hedging":
        space = draw(drawn.spaces(attributes=False, constrained=False).filter(lambda s: s.size < 9))
        return space, draw(families.hedging(space))
    space = draw(TWO)
    return space, draw(families.markov(space))


def first_values(space: Space) -> list[list[int]]:
    """The worlds of each value of the first record."""
    first = [w[0] for w in space.databases]
    return [[w for w, x in enumerate(first) if x == v] for v in dict.fromkeys(first)]


def check(space: Space, columns: Any, keyword: Any, level: str, **more: str) -> Json:
    sets = first_values(space)
    names = {f"s{k}": [space.names[w] for w in s] for k, s in enumerate(sets)}
    pairs = [[a, b] for a in names for b in names if a < b]
    return {
        "worlds": space.node,
        "secrets": names,
        "mechanism": drawn.table(space, columns),
        "checks": [
            {"pufferfish": {"pairs": pairs, "priors": keyword, "exp_epsilon": level, **more}}
        ],
    }


def bounds(answer: Answer) -> tuple[Fraction, Fraction | None]:
    found = answer.leakage
    if found is None or found.infinite:
        return F(1), None
    return found.bounds or (found.exp_epsilon or F(1),) * 2


@pytest.mark.parametrize("kind", ["iid", "product", "hedging", "markov"])
def test_no_prior_exceeds_the_level(kind: str) -> None:
    @EXAMPLES
    @given(st.data(), st.sampled_from(["1", "3/2", "3", "1000000"]))
    def within(data: st.DataObject, level: str) -> None:
        space, family = data.draw(
            drawn_families(kind).filter(lambda drawn: len(first_values(drawn[0])) > 1)
        )
        columns = data.draw(drawn.matrices(space.size))
        answer = decide(check(space, columns, family.keyword, level))
        _, high = bounds(answer)
        for _ in range(5):
            weights = family.weights(families.parameters(data.draw, family.sizes))
            found = ratios(columns, weights, first_values(space))
            assert high is None or (found is not None and found <= high)
            assert answer.verdict == "violated" or (found is not None and found <= F(level))
        if answer.witness and kind != "hedging":
            weights = [F(answer.witness.as_json()["prior"].get(name, 0)) for name in space.names]
            found = ratios(columns, weights, first_values(space))
            assert found is None or found > F(level)
            assert sum(weights) == 1

    within()


POWERS = {  # numbers with powers of e, and rational ones that differ by less than 10^-60
    text: F(value)
    for text, value in {
        "exp(-1)": Context(70).exp(-1),
        "exp(-1/2)/2": Context(70).exp(Decimal("-0.5")) / 2,
        "1/(1 + exp(1))": 1 / (1 + Context(70).exp(1)),
        "1/3": F(1, 3),
        "3/4 - exp(-2)": Decimal("0.75") - Context(70).exp(-2),
        "1/2": F(1, 2),
    }.items()
}


@st.composite
def with_powers(draw: drawn.Draw, size: int) -> tuple[list[list[str]], list[list[Fraction]]]:
    """Columns of two outputs as texts, and as numbers that are hardly different."""
    texts = [draw(st.sampled_from(sorted(POWERS))) for _ in range(size)]
    near = [[POWERS[text], 1 - POWERS[text]] for text in texts]
    return [[text, f"1 - ({text})"] for text in texts], near


@pytest.mark.parametrize("kind", ["iid", "product", "hedging", "markov"])
def test_no_prior_exceeds_a_level_with_powers_of_e(kind: str) -> None:
    hair = F(1, 10**50)

    @examples(12)
    @given(st.data(), st.sampled_from(["1", "5/4", "exp(1/2)", "1000000"]))
    def within(data: st.DataObject, level: str) -> None:
        space, family = data.draw(
            drawn_families(kind).filter(lambda drawn: len(first_values(drawn[0])) > 1)
        )
        texts, near = data.draw(with_powers(space.size))
        answer = decide(check(space, texts, family.keyword, level))
        _, high = bounds(answer)
        asked = F(Context(70).exp(Decimal("0.5"))) if "exp" in level else F(level)
        for _ in range(5):
            weights = family.weights(families.parameters(data.draw, family.sizes))
            found = ratios(near, weights, first_values(space))
            assert high is None or found <= exact.near(high, 200) + hair
            assert answer.verdict == "violated" or found <= asked + hair
        if answer.witness and kind != "hedging":
            weights = [F(answer.witness.as_json()["prior"].get(name, 0)) for name in space.names]
            assert ratios(near, weights, first_values(space)) > asked - hair

    within()


def test_a_tie_with_powers_of_e_at_an_interior_double_root() -> None:
    """P(yes | one) = a + q(1 - q)/2 against a = e^-1: the ratio is 1 + e/8 at q = 1/2."""
    rows = {0: "exp(-1)", 1: "(exp(-1) + 1/4)", 2: "exp(-1)"}
    spec = response_to_others(rows, "exp(-1)", 3)
    level = 1 + exact.number("exp(1)") / 8
    for asked_for, verdict in (
        (level, "holds"),
        (level - F(1, 10**25), "violated"),
        (level + F(1, 10**25), "holds"),
    ):
        answer = asked(spec, str(asked_for))
        assert (answer.verdict, answer.leakage) == (verdict, Leakage(level))


def test_an_enclosed_level_with_powers_of_e() -> None:
    """P(yes | one) is a, b, c where none, one, two others are 1, against a: so the worst q is
    irrational. Against decimals of 70 digits, 10^-25 on both sides."""
    rows = {0: "exp(-1)", 1: "exp(-1/2)", 2: "1/3"}
    spec = response_to_others(rows, "exp(-1)", 3)
    with localcontext(Context(70)):
        a, b, c = Decimal(-1).exp(), Decimal("-0.5").exp(), 1 / Decimal(3)
        # a(1 - q)^2 + 2bq(1 - q) + cq^2 is largest at q = (b - a)/(2b - a - c)
        q = (b - a) / (2 * b - a - c)
        worst = F((a * (1 - q) ** 2 + 2 * b * q * (1 - q) + c * q * q) / a)
    for sign, verdict in ((-1, "violated"), (1, "holds")):
        answer = asked(spec, str(worst + F(sign, 10**25)))
        low, high = bounds(answer)
        assert high is not None and low <= worst <= high and (high - low) * 10**9 <= low
        assert answer.verdict == verdict


def one_parameter(space: Space, columns: Any) -> list[tuple[Poly, Poly, Poly]]:
    """A·D, C·B and B·D for iid records over two values, as polynomials in the second one's
    probability."""
    values = families.values_of(space)
    ones = [sum(x == values[1] for x in w) for w in space.databases]
    weights = [bernoulli(k, len(w) - k) for k, w in zip(ones, space.databases, strict=True)]
    sides = []
    for inside in first_values(space):
        mass: Poly = []
        joint: list[Poly] = [[] for _ in columns[0]]
        for w in inside:
            mass = plus(mass, weights[w])
            joint = [plus(p, weights[w], columns[w][o]) for o, p in enumerate(joint)]
        sides.append((mass, joint))
    return [
        (times(a, d), times(c, b), times(b, d))
        for b, p in sides
        for d, q in sides
        if b is not d
        for a, c in zip(p, q, strict=True)
    ]


ONE_PARAMETER = drawn.spaces(attributes=False).filter(
    lambda space: len(families.values_of(space)) == 2 and len(first_values(space)) == 2
)


@EXAMPLES
@given(st.data())
def test_one_parameter_is_always_decided(data: st.DataObject) -> None:
    """Against Sturm's theorem: at the level found, 10^-30 around it, and at 3."""
    space = data.draw(ONE_PARAMETER)
    columns = data.draw(drawn.matrices(space.size))
    cells = [(n, d) for n, d, _ in one_parameter(space, columns)]
    answer = decide(check(space, columns, "iid", "3"))
    low, high = bounds(answer)
    if high is None:
        assert not all(within(n, d, F(10) ** 300) for n, d in cells)
        return
    assert all(within(n, d, high) for n, d in cells)
    assert low == 1 or not all(within(n, d, low - F(1, 10**60)) for n, d in cells)
    assert (high - low) * 10**9 <= low
    hair = F(1, 10**30)
    for level in {F(3), high, *([low - hair] if low >= 1 + hair else []), low + hair}:
        again = decide(check(space, columns, "iid", str(level)))
        holds = all(within(n, d, level) for n, d in cells)
        assert again.verdict == ("holds" if holds else "violated")


def response_to_others(rows: dict[int, str], otherwise: str, records: int) -> Json:
    """Worlds of bits; the output is yes with a probability that depends on the count of ones among
    the others where the first bit is 1."""
    lines = [
        f"if r1 == 1 and k == {k}:\n    return draw({{1: {p}, 0: 1 - {p}}})"
        for k, p in rows.items()
    ]
    others = " + ".join(f"r{i}" for i in range(2, records + 1))
    program = "\n".join(
        [f"k = {others}", *lines, f"return draw({{1: {otherwise}, 0: 1 - {otherwise}}})"]
    )
    return {
        "worlds": {"records": str(records), "domain": ["0", "1"]},
        "secrets": {"one": "r1 == 1", "zero": "r1 == 0"},
        "mechanism": {"program": program + "\n"},
    }


def asked(spec: Json, level: str, priors: Any = "iid", **more: str) -> Answer:
    options = {"pairs": [["one", "zero"]], "priors": priors, "exp_epsilon": level, **more}
    return decide({**spec, "checks": [{"pufferfish": options}]})


def test_a_tie_at_an_interior_double_root() -> None:
    """P(yes | one) = 1/4 + q(1 - q)/2 against 1/4: the ratio is 3/2 at q = 1/2 and nowhere more."""
    spec = response_to_others({0: "1/4", 1: "1/2", 2: "1/4"}, "1/4", 3)
    for level, verdict in (("3/2", "holds"), (str(F(3, 2) - F(1, 10**30)), "violated")):
        answer = asked(spec, level)
        assert (answer.verdict, answer.leakage) == (verdict, Leakage(F(3, 2)))
    assert asked(spec, str(F(3, 2) + F(1, 10**30))).verdict == "holds"


QUARTIC = {0: "1/2", 1: "9/16", 2: "5/12", 3: "9/16", 4: "1/2"}


def test_a_tie_at_irrational_double_roots() -> None:
    """With z = q(1 - q), P(yes | one) = 1/2 + z/4 - z², at most 33/64 at z = 1/8, where q is
    irrational; so P(no | zero) / P(no | one) is at most (1/2) / (31/64)."""
    spec = response_to_others(QUARTIC, "1/2", 5)
    answer = asked(spec, "32/31")
    assert answer.verdict == "holds" and answer.leakage is not None
    low, high = bounds(answer)
    assert high == F(32, 31) and F(32, 31) - low < F(1, 10**9)
    assert asked(spec, str(F(32, 31) - F(1, 10**30))).verdict == "violated"
    assert asked(spec, str(F(32, 31) + F(1, 10**30))).verdict == "holds"


def test_an_irrational_level_is_enclosed() -> None:
    """Hedging with half the weight on fair bits, five records, the exact majority is released:
    Sturm's theorem agrees with both ends of the enclosure."""
    n, known = 5, F(1, 2)
    spec = {
        "worlds": {"records": str(n), "domain": ["0", "1"]},
        "secrets": {"one": "r1 == 1", "zero": "r1 == 0"},
        "mechanism": {"deterministic": "count(value == 1) >= 3"},
    }
    hedging = {"hedging": {"weight": "1/2", "known": {"0": "1/2", "1": "1/2"}}}
    answer = asked(spec, "3", hedging)
    sides = []
    for least in (2, 3):  # ones that the other four need
        tail: Poly = []
        for k in range(least, n):
            ways = F(comb(n - 1, k))
            tail = plus(tail, bernoulli(k, n - 1 - k), ways / 2)
            tail = plus(tail, [ways / 2 * known ** (n - 1)])
        sides += [[tail, plus([F(1)], tail, F(-1))]]
    pairs = [(x, y) for a, b in (sides, sides[::-1]) for x, y in zip(a, b, strict=True)]
    low, high = bounds(answer)
    assert high is not None and low < high < low * (1 + F(1, 10**9))
    assert all(within(x, y, high) for x, y in pairs)
    assert not all(within(x, y, low - F(1, 10**30)) for x, y in pairs)
    for level in (low - F(1, 10**30), high):
        holds = all(within(x, y, level) for x, y in pairs)
        assert asked(spec, str(level), hedging).verdict == ("holds" if holds else "violated")


def test_an_exam_with_a_fixed_order() -> None:
    """Pufferfish paper, Example 10.5: every two worlds count, 2^4, and no prior attains it."""
    worlds = {"records": "4", "domain": ["0", "1"], "where": ["r1 >= r2", "r2 >= r3", "r3 >= r4"]}
    mechanism = {"geometric": {"query": "count(value == 1)", "exp_epsilon": "2"}}
    for level, verdict in (("2", "violated"), ("16", "holds"), (str(16 - drawn.TINY), "violated")):
        options = {"exp_epsilon": level, "pairs": "values", "priors": "product"}
        answer = decide(
            {"worlds": worlds, "mechanism": mechanism, "checks": [{"pufferfish": options}]}
        )
        assert (answer.verdict, answer.leakage) == (verdict, Leakage(F(16), attained=False))
        if answer.witness:
            assert F(answer.witness.as_json()["ratio"]) > F(level)


def test_secrets_about_several_records() -> None:
    """Equal bits against 01: with P(r1 = 1) = p, P(r2 = 1) = q and response with 3/4, `00` has
    9/16 given 00 and 3/16 given 01, and nothing above 3 or below 1/3 is mixed from these."""
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"]},
        "mechanism": {"randomized_response": {"truth": "3/4"}},
        "secrets": {"one": "r1 == r2", "zero": "r1 < r2"},
    }
    answer = asked(spec, "2", "product")
    assert answer.leakage is not None and answer.leakage.exp_epsilon == 3
    assert answer.verdict == "violated"


@EXAMPLES
@given(st.data(), st.sampled_from(["1/10", "1/3"]), st.sampled_from(["1", "3/2", "3"]))
def test_delta_with_one_parameter(data: st.DataObject, delta: str, level: str) -> None:
    """Every event, by Sturm's theorem: A_E·D − δ·B·D <= α·C_E·B."""
    space = data.draw(ONE_PARAMETER)
    columns = data.draw(drawn.matrices(space.size).filter(lambda m: len(m[0]) < 4))
    merged = [[sum((c[o] for o in e), F(0)) for e in plain.events(len(c))] for c in columns]
    cells = [(plus(n, both, -F(delta)), d) for n, d, both in one_parameter(space, merged)]
    answer = decide(check(space, columns, "iid", level, delta=delta))
    low, high = bounds(answer)
    holds = all(within(n, d, F(level)) for n, d in cells)
    assert answer.verdict == ("holds" if holds else "violated")
    assert high is None or all(within(n, d, high) for n, d in cells)
    assert low == 1 or not all(within(n, d, low - F(1, 10**60)) for n, d in cells)


SPOILED = [
    ({0: "exp(-1)", 1: "1/2", 2: "1/3"}, 3, "6/5", "iid"),
    ({0: "exp(-1)", 1: "1/2", 2: "1/3"}, 3, "3", "iid"),
    ({0: "1/4", 1: "1/2", 2: "1/4"}, 3, "3/2", "iid"),
    ({0: "1/4", 1: "1/2", 2: "1/4"}, 3, "6/5", "iid"),
    (QUARTIC, 5, "32/31", "iid"),
    (QUARTIC, 5, "33/32", "iid"),
    ({0: "0", 1: "1/2", 2: "1/3"}, 3, "3/2", "iid"),
    (
        {0: "1/4", 1: "1/2", 2: "1/4"},
        3,
        "5/4",
        {"hedging": {"weight": "1/3", "known": {"0": "1/5", "1": "4/5"}}},
    ),
]


@pytest.mark.parametrize(("rows", "records", "level", "priors"), SPOILED)
def test_spoiled_certificates_are_not_accepted(
    rows: dict[int, str], records: int, level: str, priors: Any
) -> None:
    good = asked(response_to_others(rows, "1/4", records), level, priors).certificate
    assert good is not None
    good = json.loads(write(good))
    assert checker.check(good).outcome == "accepted"
    no_sibling_is_accepted(good)


def test_the_family_is_part_of_the_claim() -> None:
    """Intervals, weights and known distributions that are changed in a certificate change what it
    claims, and then its evidence does not prove it."""
    spec = response_to_others({0: "1/4", 1: "1/2", 2: "1/4"}, "1/4", 3)
    row = {"0": ["1/3", "2/3"], "1": ["1/3", "2/3"]}
    chain = {"markov": {"initial": {"0": "1/2", "1": "1/2"}, "transition": {"0": row, "1": row}}}
    mixed = {"hedging": {"weight": "1/3", "known": {"0": "1/5", "1": "4/5"}}}
    for priors, key, to in (
        (chain, "transition", [[["0", "1"], ["0", "1"]]] * 2),
        (chain, "initial", "stationary"),
        (mixed, "weight", "0"),
        (mixed, "known", [[[0], "1/2"], [[1], "1/2"]]),
    ):
        good = asked(spec, "3", priors).certificate
        assert good is not None and checker.check(good).outcome == "accepted"
        good = drafts.opened(good)
        good["relation"]["priors"][key] = to
        assert drafts.check(good).outcome != "accepted", key
