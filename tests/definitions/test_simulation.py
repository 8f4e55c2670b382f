"""Simulators: known numbers, theorems of the paper, and certificates that do not hold."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions import drawn
from tests.definitions.cases import Case
from tests.definitions.drawn import Draw, Json, decide, read
from tests.definitions.simulator_cases import coupled, distributional
from tests.drawing import examples
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import Leakage
from verifier.definitions import coupled_worlds
from verifier.questions.answer import Answer
from verifier.run import verify

EXAMPLES = examples(12)
CHECKS = st.one_of(coupled(), distributional())
BITS: Json = {"records": "3", "domain": ["0", "1"]}
MAJORITY: Json = {"deterministic": "count(value == 1) >= 2"}
COIN: Json = {"list": ["uniform"]}
HIDDEN: Json = {
    "list": [
        {
            "mixture": [
                {"weight": "1/2", "prior": {"iid": {"0": p, "1": q}}}
                for p, q in (("1/10", "9/10"), ("9/10", "1/10"))
            ]
        }
    ]
}


def ask(
    worlds: Any, mechanism: Json, options: Json, keyword: str = "distributional_privacy"
) -> Answer:
    check = {keyword: {"exp_epsilon": "2", **options}}
    return decide({"worlds": worlds, "mechanism": mechanism, "checks": [check]})


def highest(leakage: Leakage | None) -> Fraction | None:
    """The smallest level, or a bound above it; None where infinite."""
    assert leakage
    return leakage.bounds[1] if leakage.bounds else leakage.exp_epsilon


def is_at_most(left: Leakage | None, right: Leakage | None) -> bool:
    """Whether a leakage is not above another; equal irrational ones have equal bounds."""
    low, high = highest(left), highest(right)
    return high is None or (low is not None and low <= high)


# ------------------------------------------------------------------------------ known numbers


@pytest.mark.parametrize("priors", [COIN, HIDDEN])
def test_the_majority_of_three(priors: Json) -> None:
    """1/4 of either output given the other value of a fair coin: at most α/4 + α/4."""
    assert ask(BITS, MAJORITY, {"priors": priors}).leakage == Leakage(Fraction(2))


def test_linear_constraints_are_their_corners() -> None:
    """01 or 10, and 00 or 11, evenly. Who sees Bob's bit serves both truths of Ann's with a fair
    coin: (1/2)/(1/4) = 2; no other coin is nearer to both."""
    constraints = ["P(01) == P(10)", "P(00) == P(11)"]
    two: Json = {"records": ["ann", "bob"], "domain": ["0", "1"]}
    response: Json = {"randomized_response": {"truth": "3/4"}}
    found = ask(two, response, {"priors": {"constraints": constraints}})
    assert (found.verdict, found.leakage) == ("holds", Leakage(Fraction(2)))


@pytest.mark.parametrize(
    ("worlds", "priors", "said"),
    [
        (
            {"records": "14", "domain": ["0", "1"]},
            ["P(r1 == 0) == 1/2"],  # 2^13 worlds on either side
            "more than 10000 corners",
        ),
        (
            {"records": "3", "domain": ["0", "1"], "exchangeable": "true"},
            ["P(count(value == 1) >= 2) <= 1/2"],
            "constraints on histograms",
        ),
    ],
)
def test_constraints_that_are_not_decided(worlds: Json, priors: Any, said: str) -> None:
    with pytest.raises((NotDecided, LimitReached), match=said):
        ask(worlds, {"deterministic": "1"}, {"priors": {"constraints": priors}})


def test_parity_to_somebody_who_knows_it() -> None:
    parity = {"deterministic": "xor(r1, r2, r3)"}
    known = ask(BITS, parity, {"priors": COIN, "auxiliary": "xor(r1, r2, r3)"})
    assert known.leakage and known.leakage.infinite
    assert known.witness and known.witness.as_json()["no_simulator_below"] == "infinite"
    assert ask(BITS, parity, {"priors": COIN}).leakage == Leakage(Fraction(1))


THREE = ["w1", "w2", "w3"]


def three(*columns: str, **more: str) -> Answer:
    """Three situations, one per world; the simulator sees nothing."""
    rows = dict(zip(THREE, (column.split() for column in columns), strict=True))
    outputs = [f"o{k}" for k in range(len(rows["w1"]))]
    options = {"alt": "1", "priv": "world", "priors": "all", **more}
    return ask(THREE, {"table": {"outputs": outputs, **rows}}, options, "coupled_worlds")


def test_an_irrational_level() -> None:
    """5/9 and 1/9 of one output, so α² is at least 5."""
    answer = three("5/9 4/9", "1/9 8/9", "1/9 8/9")
    assert answer.leakage and answer.leakage.bounds
    low, high = answer.leakage.bounds
    assert low**2 < 5 < high**2 and (high - low) * 10**9 <= low
    assert answer.verdict == "violated"


def test_a_level_close_to_an_irrational_one() -> None:
    digits = 10**40
    for root, verdict in ((isqrt(5 * digits**2), "violated"), (isqrt(5 * digits**2) + 1, "holds")):
        answer = three("5/9 4/9", "1/9 8/9", "1/9 8/9", exp_epsilon=f"{root}/{digits}")
        assert answer.verdict == verdict


@pytest.mark.parametrize(
    ("third", "delta", "level"),
    [
        ("1/6 1/6 2/3", "1/2", None),  # o2 must not be given: 2/3 is left out
        ("1/4 1/4 1/2", "1/2", 1),
        ("1/4 1/4 1/2", "1/2000000000000", None),
        ("1/6 1/6 2/3", "500000001/1000000000", 500000001),  # 2·10^-9 may be given to o2 …
    ],
)
def test_no_level_with_delta(third: str, delta: str, level: int | None) -> None:
    """Half of what a simulator gives is impossible in the first or second situation."""
    answer = three("1 0 0", "0 1 0", third, delta=delta)
    assert answer.leakage
    if level is None:
        assert answer.leakage.infinite
    elif level == 1:
        assert answer.leakage == Leakage(Fraction(1))
    else:  # … for an output of 2/3, of which about 1/6 has to be made up
        found = highest(answer.leakage)
        assert found and 10**7 < found < 10**9


def test_delta_one_serves_everything() -> None:
    assert three("1 0", "0 1", "0 1", delta="1").leakage == Leakage(Fraction(1))


def test_the_trade_off() -> None:
    """The majority of three: a simulator that gives half each misses 1/2 − α/4."""
    check = {"distributional_privacy": {"exp_epsilon": "1", "priors": COIN}}
    (read_check,) = read({"worlds": BITS, "mechanism": MAJORITY, "checks": [check]})
    claim: Any = verify.asked(read_check).claim
    levels = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)]
    expected = [Fraction(1, 4), Fraction(1, 8), Fraction(0), Fraction(0)]
    assert coupled_worlds.tradeoff(claim.coupled, levels) == list(
        zip(levels, expected, strict=True)
    )


@pytest.mark.oracle
@examples(10)
@given(CHECKS, st.sampled_from([Fraction(1), Fraction(31, 30), Fraction(4)]))
def test_the_trade_off_is_that_of_another_solver(case: Case, alpha: Fraction) -> None:
    (check,) = read(case.with_level(exp_epsilon="1"))
    claim: Any = verify.asked(check).claim
    assert coupled_worlds.tradeoff(claim.coupled, [alpha]) == [(alpha, case.excess(alpha))]


# ------------------------------------------------------------------- theorems, and the simulator


@EXAMPLES
@given(CHECKS)
def test_the_simulator_that_is_shown_serves(case: Case) -> None:
    """The definition's own `value` of the simulator in the certificate is at most delta."""
    answer = decide(case.with_level(exp_epsilon="1"))
    level = highest(answer.leakage)
    if level is None or (answer.leakage and answer.leakage.vacuous):
        return
    (check,) = read(case.with_level(exp_epsilon="1"))
    claim: Any = verify.asked(check).claim
    simulator: dict[int, list[Fraction]] = {}
    assert answer.certificate
    for inputs, row in answer.certificate["evidence"]["witness"]["simulator"]:
        answers = [dict(map(tuple, row)).get(t, Fraction(0)) for t in range(len(case.columns[0]))]
        simulator |= dict.fromkeys(inputs, answers)
    seen = [list(map(int, view.alt)) for view in claim.coupled.views]
    views = [(alt, priv) for alt, (_, priv) in zip(seen, case.about.views, strict=True)]
    question = type(case.about)(case.columns, views, case.about.priors)
    assert question.value(simulator, level) <= case.delta


@st.composite
def mixed(draw: Draw) -> tuple[Case, Json]:
    """A check under a list of priors, and with a mixture of them in the list too."""
    case = draw(coupled().filter(lambda c: set(c.options.get("priors", ())) & {"list", "hull"}))
    (given_priors,) = case.options["priors"].values()
    parts = draw(drawn.distributions(len(given_priors)))
    mixture = {
        "mixture": [
            {"weight": str(p), "prior": prior} for p, prior in zip(parts, given_priors, strict=True)
        ]
    }
    return case, {"priors": {"list": [*given_priors, mixture]}}


@EXAMPLES
@given(mixed())
def test_mixtures_of_priors_come_for_free(drawn_case: tuple[Case, Json]) -> None:
    """Theorem 4."""
    case, more = drawn_case
    spec = case.with_level(exp_epsilon="2")
    wider = {**spec, "checks": [{case.keyword: {**spec["checks"][0][case.keyword], **more}}]}
    few, many = decide(spec).leakage, decide(wider).leakage
    assert few is not None and many is not None
    assert replace(few, vacuous=many.vacuous) == many, "two priors may compare what one does not"


def changed(case: Case, **options: Any) -> Leakage | None:
    found = {k: v for k, v in {**case.options, **options}.items() if v is not None}
    check = {case.keyword: {**found, "exp_epsilon": "2"}}
    return decide({**case.spec, "checks": [check]}).leakage


@EXAMPLES
@given(CHECKS.filter(lambda case: isinstance(case.options.get("auxiliary"), dict)))
def test_less_auxiliary_information_leaks_less(case: Case) -> None:
    """Theorem 5."""
    assert is_at_most(changed(case, auxiliary=None), changed(case))


@EXAMPLES
@given(distributional())
def test_being_told_who_is_gone_can_only_help(case: Case) -> None:
    assert is_at_most(changed(case, indexed="true"), changed(case, indexed="false"))


@EXAMPLES
@given(distributional().filter(lambda case: case.spec["worlds"]["absent"] == "true"))
def test_any_simulator_is_at_least_as_good_as_the_canonical_one(case: Case) -> None:
    if "where" not in case.spec["worlds"]:
        canonical = changed(case, simulator="canonical")
        assert is_at_most(changed(case, indexed="false"), canonical)
        assert not canonical or not canonical.bounds


# ------------------------------------------------------------------------------- broken siblings


def broken(certificate: Json) -> Iterator[Json]:
    """Siblings of a good certificate, none of which holds."""

    def sibling() -> tuple[Json, Json]:
        copy = deepcopy(certificate)
        return copy, copy["evidence"]["witness"]

    leakage = certificate["claim"]["leakage"]
    if "exp_epsilon" in leakage:
        for factor in (Fraction(999, 1000), Fraction(1001, 1000)):
            copy, _ = sibling()
            level = Fraction(leakage["exp_epsilon"]) * factor
            copy["claim"]["leakage"] = {"exp_epsilon": str(level)}
            yield copy
    if leakage != {"infinite": True}:
        copy, _ = sibling()
        copy["claim"] |= {"leakage": {"infinite": True}, "verdict": "violated"}
        yield copy
        copy, witness = sibling()
        witness["simulator"] = None
        if certificate["relation"]["given"] is None and "vacuous" not in leakage:
            yield copy
    known = leakage.get("exp_epsilon"), leakage.get("lower")
    if "vacuous" not in leakage and "1" not in known:  # which needs none
        copy, witness = sibling()
        witness["demands"] = []
        yield copy
    if leakage != {"exp_epsilon": "1"}:
        copy, _ = sibling()
        copy["claim"] |= {"leakage": {"exp_epsilon": "1"}, "verdict": "holds"}
        yield copy
    for row in range(len(certificate["evidence"]["witness"]["simulator"] or ())):
        copy, witness = sibling()
        witness["simulator"][row][1][0][1] += Fraction(1, 1000)
        yield copy
        copy, witness = sibling()
        witness["simulator"].append(witness["simulator"][row])
        yield copy
    copy, _ = sibling()
    copy["relation"]["priors"][0][0][2] += Fraction(1, 1000)
    yield copy
    copy, _ = sibling()
    copy["relation"]["views"][0]["alt"].pop()
    yield copy
    copy, _ = sibling()
    copy["claim"]["verdict"] = "holds" if copy["claim"]["verdict"] == "violated" else "violated"
    yield copy


@EXAMPLES
@given(CHECKS)
def test_broken_certificates_are_not_accepted(case: Case) -> None:
    certificate = decide(case.with_level(exp_epsilon="2")).certificate
    assert certificate
    for sibling in broken(opened(certificate)):
        assert check(sibling).outcome != "accepted"


# ------------------------------------------------------------------------------- the trade-off


@pytest.mark.oracle
@examples(5)
@given(CHECKS, st.lists(st.sampled_from(["1", "31/30", "4"]), min_size=1, max_size=2))
def test_the_reported_trade_off(case: Case, levels: list[str]) -> None:
    spec = case.with_level(exp_epsilon="2")
    spec["checks"][0][case.keyword]["tradeoff"] = levels
    answer = decide(spec)
    assert answer.tradeoff == [(Fraction(a), case.excess(Fraction(a))) for a in levels]
    for at, (_, delta) in enumerate(answer.tradeoff):
        for change in (Fraction(1, 10**9), -Fraction(1, 10**9)):
            assert answer.certificate
            copy = deepcopy(opened(answer.certificate))
            copy["claim"]["tradeoff"][at][1] = str(delta + change)
            assert check(copy).outcome != "accepted"


def test_the_trade_off_of_a_canonical_simulator() -> None:
    """Two answers of 3/4 and of 1/4 and what the absent record gets, 1/2 each."""
    rows = {"0": ["3/4", "1/4"], "1": ["1/4", "3/4"], "⊥": ["1/2", "1/2"]}
    answer = decide(
        {
            "worlds": {"records": "1", "domain": ["0", "1"], "absent": "true"},
            "mechanism": {"table": {"outputs": ["no", "yes"], **rows}},
            "checks": [
                {
                    "distributional_privacy": {
                        "exp_epsilon": "2",
                        "priors": "all",
                        "simulator": "canonical",
                        "tradeoff": ["1", "5/4", "3/2", "2"],
                    }
                }
            ],
        }
    )
    assert [str(delta) for _, delta in answer.tradeoff] == ["1/4", "3/16", "1/8", "0"]


@pytest.mark.parametrize("levels", ["corners", ["1", "2", "3", "4"]])
def test_the_trade_off_of_randomized_response(levels: Any) -> None:
    """δ = 3/4 − α/4: a line from 1/2 at α = 1 down to 0 at α = 3."""
    answer = decide(
        {
            "worlds": {"records": "2", "domain": ["0", "1"]},
            "mechanism": {"randomized_response": {"truth": "3/4"}},
            "checks": [{"differential_privacy": {"exp_epsilon": "3", "tradeoff": levels}}],
        }
    )
    expected = {1: Fraction(1, 2), 2: Fraction(1, 4), 3: Fraction(0), 4: Fraction(0)}
    given_levels = [1, 3] if levels == "corners" else [1, 2, 3, 4]
    assert answer.tradeoff == [(Fraction(a), expected[a]) for a in given_levels]
    assert answer.certificate
    copy = deepcopy(opened(answer.certificate))
    copy["claim"]["tradeoff"][0][1] = "1/3"
    assert check(copy).outcome == "rejected"
