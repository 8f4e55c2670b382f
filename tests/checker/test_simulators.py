"""Certificates of kind simulator, made by hand from docs/certificate.md, and broken."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.conftest import Build, Json
from tests.checker.drafts import check
from tests.checker.outcomes import GONE, siblings
from verifier.checker.simulation import is_close

# Two worlds, 4/5 and 1/5 of output 0; the simulator sees 7 in both. It gives 1/2 at best, so that
# α ≥ (1/2)/(1/5). With w = 1 for the output of 1/5 in either situation, of mass 1/2 each:
# h(α) = α/2 − α²/5.
COLUMNS = {"sun": ["4/5", "1/5"], "rain": ["1/5", "4/5"]}
VIEW = {"alt": [7, 7], "priv": [0, 1]}
PRIOR = [[0, 3, "1/2"], [1, 3, "1/2"]]
HALF = [[[7], [[0, "1/2"], [1, "1/2"]]]]
DEMANDS = [[[0, 0, 0, 3], 1, "0", "1"], [[0, 0, 1, 3], 0, "0", "1"]]


def made(
    build: Build,
    leakage: Any = "5/2",
    verdict: str = "violated",
    simulator: Any = HALF,
    demands: Any = DEMANDS,
    columns: dict[str, list[Any]] = COLUMNS,
    level: Json | None = None,
    **relation: Any,
) -> Json:
    stated = {"rule": "simulator", "views": [VIEW], "priors": [PRIOR], "given": None, **relation}
    witness = {"simulator": simulator, "demands": demands}
    found = build.certificate(
        build.mechanism_model(columns), stated, leakage, verdict, witness, level
    )
    found["claim"]["kind"] = "simulator"
    return found


def row(*answer: list[Any]) -> list[Any]:
    return [[[7], list(answer)]]


def good() -> Json:
    return made(Build())


def outcome(document: Json) -> str:
    return check(document).outcome


def test_a_good_one(build: Build) -> None:
    assert outcome(made(build)) == "accepted"
    assert outcome(made(build, verdict="holds", level={"exp_epsilon": "5/2"})) == "accepted"
    assert outcome(made(build, verdict="holds", level={"exp_epsilon": "3"})) == "accepted"


def test_what_is_known_beside_the_world_is_a_number(build: Build) -> None:
    """True would stand for 1 in the demands, and entries of no world for nothing."""
    demands = [[[0, 0, 0, 1], 1, "0", "1"], [[0, 0, 1, 1], 0, "0", "1"]]
    for z, expected in ((1, "accepted"), (True, "refused"), (1.0, "refused")):
        prior = [[0, z, "1/2"], [1, z, "1/2"]]
        assert outcome(made(build, priors=[prior], demands=demands)) == expected
    longer = {"alt": [7, 7, 7], "priv": [0, 1, 0]}
    assert outcome(made(build, views=[longer])) == "refused"


def test_what_is_too_little_elsewhere_takes_nothing_off() -> None:
    """Of (8, 1) and (4, 5), in ninths, the first has 8 - 4 alpha more and the second 5 - alpha;
    what is below 0 counts for nothing."""
    pairs: list[tuple[Any, Any]] = [(8, 4), (1, 5)]
    for alpha, over in (("1", "4/9"), ("3/2", "7/18"), ("2", "1/3"), ("9", "0")):
        for listed in (pairs, [(q, p) for p, q in pairs], [(7 * p, 3 * q) for p, q in pairs]):
            assert is_close(listed, Fraction(alpha), Fraction(over))
            assert not is_close(listed, Fraction(alpha), Fraction(over) - Fraction(1, 10**30))
    assert not is_close([(1, 0), (0, 0)], Fraction(1), Fraction(1))


def test_demands_may_be_scaled_and_masses_differ(build: Build) -> None:
    prior = [[0, 3, "1/3"], [1, 3, "2/3"]]  # the same sum, with half the weight for twice the mass
    demands = [[[0, 0, 0, 3], 1, "0", "6/7"], [[0, 0, 1, 3], 0, "0", "3/7"]]
    assert outcome(made(build, priors=[prior], demands=demands)) == "accepted"
    assert outcome(made(build, priors=[prior])) == "rejected"


def test_two_priors_are_two_situations(build: Build) -> None:
    """As `all`: one world each."""
    demands = [[[0, 0, 0, 0], 1, "0", "1"], [[1, 0, 0, 0], 0, "0", "1"]]
    view = {"alt": [7, 7], "priv": [0, 0]}
    document = made(build, priors=[[[0, 0, "1"]], [[1, 0, "1"]]], views=[view], demands=demands)
    assert outcome(document) == "accepted"


def test_delta(build: Build) -> None:
    """1/2 − α/5 ≤ 1/10 from α = 2 on: h(α) = α/2 − α²/5 − α/10."""
    level = {"delta": "1/10"}
    assert outcome(made(build, "2", "holds", level=level)) == "accepted"
    assert outcome(made(build, "5/2", level=level)) == "rejected"
    assert outcome(made(build, "19/10", "holds", level=level)) == "rejected"


INFINITE = {"sun": ["1", "0"], "rain": ["0", "1"]}


def test_infinite(build: Build) -> None:
    """No output is possible in both worlds: h(α) = α/2. With delta it is α/2 − α·delta."""
    endless = made(build, {"infinite": True}, simulator=None, columns=INFINITE)
    assert outcome(endless) == "accepted"
    assert outcome(made(build, {"infinite": True}, simulator=None)) == "rejected"
    for delta, expected in (("49/100", "accepted"), ("1/2", "rejected")):
        level = {"delta": delta}
        found = made(build, {"infinite": True}, simulator=None, columns=INFINITE, level=level)
        assert outcome(found) == expected


def test_infinite_because_an_output_is_left_out(build: Build) -> None:
    """Output 0 has 1/2 in `sun`, and is impossible in `rain`, where the simulator sees the same:
    h = 1/4 for u = 1 there and w = 1 here."""
    columns = {"sun": ["1/2", "1/2"], "rain": ["0", "1"]}
    demands = [[[0, 0, 0, 3], 0, "1", "0"], [[0, 0, 1, 3], 0, "0", "1"]]
    found = made(build, {"infinite": True}, simulator=None, columns=columns, demands=demands)
    assert outcome(found) == "accepted"
    del found["evidence"]["witness"]["demands"][1]
    assert outcome(found) == "rejected"


def test_a_given_simulator(build: Build) -> None:
    """The mechanism, run on `sun`: 1/5 against 4/5 in `rain`."""
    demands = [[[0, 0, 1, 3], 0, "0", "1"]]  # h(α) = α·4/10 − α²/10
    given = [-1] * 7 + [0]
    found = made(build, "4", simulator=None, demands=demands, given=given)
    assert outcome(found) == "accepted"
    assert outcome(made(build, "5", simulator=None, demands=demands, given=given)) == "rejected"
    assert outcome(made(build, "3", simulator=None, demands=demands, given=given)) == "rejected"
    assert outcome(made(build, "4", demands=demands, given=given)) == "refused"
    assert outcome(made(build, simulator=None, given=[-1] * 8)) == "refused"


def test_an_irrational_level(build: Build) -> None:
    """5/9 and 1/9 of output 0, so 5/9 / α ≤ Sim ≤ α/9: h(α) = (5 − α²)/18."""
    columns = {"sun": ["5/9", "4/9"], "rain": ["1/9", "8/9"]}
    demands = [[[0, 0, 0, 3], 0, "1", "0"], [[0, 0, 1, 3], 0, "0", "1"]]
    low, high = "2236067977/1000000000", "2236067978/1000000000"
    bounds = {"lower": low, "upper": high}
    simulator = [[[7], [[0, "2484519975/10000000000"], [1, "7515480025/10000000000"]]]]
    assert (
        outcome(made(build, bounds, "holds", simulator, demands, columns, {"exp_epsilon": "3"}))
        == "accepted"
    )
    inside = {"exp_epsilon": "22360679775/10000000000"}
    assert outcome(made(build, bounds, "holds", simulator, demands, columns, inside)) == "rejected"


Edit = Callable[[Json], object]
test_broken_ones = siblings(
    (good, "rejected", "claim.verdict", "holds"),
    (good, "rejected", "claim.leakage", {"exp_epsilon": "12/5"}, {"exp_epsilon": "13/5"}),
    (good, "rejected", "claim.leakage", {"vacuous": True}),
    (good, "refused", "claim.leakage", {"infinite": True}),
    (good, "rejected", "witness.simulator.0.1.0.1", "1/3"),
    (good, "rejected", "witness.simulator", row([0, "-1"], [1, "2"])),
    (good, "refused", "witness.simulator", row([0, "1/2"], [0, "1/2"])),
    (good, "refused", "witness.simulator", row([0, "1/2"], [2, "1/2"]), HALF * 2, None),
    (good, "refused", "witness.simulator.0.0", [6]),
    (good, "rejected", "witness.demands", []),
    (good, "rejected", "witness.demands.-1", GONE),
    (good, "refused", "witness.demands.0.3", "-1", 1.0),
    (good, "refused", "witness.demands", DEMANDS + DEMANDS[:1]),
    (good, "refused", "witness.demands.0.0", [0, 0, 2, 3], [0, 0, False, 3]),
    (good, "refused", "witness.demands.0.1", 2),
    (good, "rejected", "relation.priors.0.0.2", "1/3"),
    (good, "rejected", "relation.priors", [[[0, 3, "0"], [1, 3, "1"]]], [[]]),
    (good, "refused", "relation.priors", []),
    (good, "refused", "relation.views", []),
    (good, "refused", "relation.views.0.alt.-1", GONE),
    (good, "refused", "relation.views.0.priv+", 0),
    (good, "refused", "relation.views.0.alt", [-1, 7]),
    (good, "refused", "relation.priors.0.0.0", 2, -1),
    (good, "refused", "relation.rule", "secrets"),
    (good, "refused", "relation.more", 1),
    (good, "refused", "relation.given", [2]),
)


def witness(document: Json) -> Any:
    return document["evidence"]["witness"]


def curve(build: Build, *points: tuple[str, str, Any, Any]) -> Json:
    """The good one with a trade-off: level, delta, simulator and demands of each point."""
    document = made(build)
    document["claim"]["tradeoff"] = [[alpha, delta] for alpha, delta, _, _ in points]
    proofs = [{"simulator": shown, "demands": demands} for _, _, shown, demands in points]
    document["evidence"]["witness"]["tradeoff"] = proofs
    return document


def test_a_trade_off(build: Build) -> None:
    """At level 2, 1/2 - 2/5 is missed of each mass: h(2) = 2/2 - 4/5 against m = 2 delta. At 1
    the simulator of 1/2 misses 3/10 in both."""
    exact = ("2", "1/10", HALF, DEMANDS)
    at_one = ("1", "3/10", HALF, DEMANDS)
    enough = ("5/2", "0", HALF, [])
    for points in ((exact,), (at_one,), (enough,), (exact, at_one, enough), (exact, exact)):
        assert outcome(curve(build, *points)) == "accepted", points
    assert outcome(curve(build, ("5/2", "0", HALF, DEMANDS))) == "accepted"  # but not needed


@pytest.mark.parametrize(
    "point",
    [
        ("2", "1/9", HALF, DEMANDS),
        ("2", "1/11", HALF, DEMANDS),
        ("2", "100000001/1000000000", HALF, DEMANDS),
        ("2", "1", HALF, DEMANDS),
        ("2", "0", HALF, []),
        ("2", "1/10", HALF, []),
        ("2", "1/10", HALF, None),
        ("2", "1/10", HALF, DEMANDS[:1]),
        ("2", "1/10", None, DEMANDS),
        ("2", "1/10", [], DEMANDS),
        ("2", "1/10", [[[7], [[0, "1/3"], [1, "2/3"]]]], DEMANDS),
        ("2", "1/10", HALF, [[[0, 0, 0, 3], 1, "0", "0"], [[0, 0, 1, 3], 0, "0", "0"]]),
        ("5/2", "0", HALF, {}),
        ("5/2", "0", HALF, [[[0, 0, 0, 3], 1, "0", "0"]]),
        ("1/2", "1/10", HALF, DEMANDS),
        ("2", "-1/10", HALF, DEMANDS),
    ],
)
def test_other_trade_offs(build: Build, point: tuple[str, str, Any, Any]) -> None:
    assert outcome(curve(build, point)) != "accepted"


def test_a_trade_off_is_proved_point_by_point(build: Build) -> None:
    document = curve(build, ("2", "1/10", HALF, DEMANDS))
    for proofs in ([], None, {}, [{}], [None], document["evidence"]["witness"]["tradeoff"] * 2):
        document["evidence"]["witness"]["tradeoff"] = proofs
        assert outcome(document) != "accepted"
    for points in ([], {}, None, {"10": []}, ["10"]):
        other = curve(build, ("2", "1/10", HALF, DEMANDS))
        other["claim"]["tradeoff"] = points
        assert outcome(other) != "accepted"


def test_a_given_simulator_answers_all_that_it_sees(build: Build) -> None:
    """Nothing is vacuous about one that has no answers, also where no two situations are linked."""
    for given in ([], [-1] * 8, [-1] * 7 + [0]):
        apart = made(
            build,
            {"vacuous": True},
            "holds",
            simulator=None,
            demands=[],
            given=given,
            views=[{"alt": [7, 8], "priv": [0, 1]}],
        )
        assert outcome(apart) == "refused"


def test_a_trade_off_of_a_given_simulator(build: Build) -> None:
    """The mechanism on `sun`: against rain 1/5 - 2·4/5 < 0 and 4/5 - 2·1/5 = 2/5 at level 2."""
    demands = [[[0, 0, 1, 3], 0, "0", "1"]]  # h = alpha·2/5 - alpha²/10, m = alpha/2
    document = made(build, "4", simulator=None, demands=demands, given=[-1] * 7 + [0])
    for delta, expected in (("2/5", True), ("1/2", False), ("1/3", False)):
        document["claim"]["tradeoff"] = [["2", delta]]
        proof = {"simulator": None, "demands": demands}
        document["evidence"]["witness"]["tradeoff"] = [proof]
        assert (outcome(document) == "accepted") == expected
        document["evidence"]["witness"]["tradeoff"] = [{**proof, "simulator": HALF}]
        assert outcome(document) == "refused"


@pytest.mark.parametrize("output", [-1, 2, True, 1.0, None, "1"])
def test_outputs_that_are_none(build: Build, output: Any) -> None:
    """An output counted from the end would count twice."""
    twice = [*DEMANDS, [[0, 0, 0, 3], output, "0", "1"]]
    assert outcome(made(build, demands=twice)) == "refused"
    assert outcome(made(build, demands=[[[0, 0, 0, 3], output, "0", "1"], DEMANDS[1]])) == "refused"
    rows = [[[7], [[0, "1/2"], [output, "1/2"]]]]
    assert outcome(made(build, simulator=rows)) == "refused"


def test_demands_at_level_1_are_read(build: Build) -> None:
    same = {"sun": ["1/2", "1/2"], "rain": ["1/2", "1/2"]}
    none = made(build, "1", "holds", columns=same, demands=[])
    assert outcome(none) == "accepted"
    for demands in (None, {}, [[]], [{}], DEMANDS[:1], "none"):
        none["evidence"]["witness"]["demands"] = demands
        assert outcome(none) != "accepted"


def exchangeable(build: Build, leakage: Any, simulator: Any, demands: Any, **more: Any) -> Json:
    """Two bits that are fair coins, as histograms; yes has 3/4, 1/2, 1/4. A bit of 0 makes yes
    5/8 likely, a bit of 1 makes it 3/8; what is seen, the other bit, is as likely for both."""
    columns = {"20": ["3/4", "1/4"], "11": ["1/2", "1/2"], "02": ["1/4", "3/4"]}
    found = made(build, leakage, columns=columns, simulator=simulator, demands=demands)
    found["model"]["counts"] = [[2, 0], [1, 1], [0, 2]]
    prior = [[0, 0, "1/4"], [1, 0, "1/2"], [2, 0, "1/4"]]
    found["relation"] = {"rule": "exchangeable", "priors": [prior], "given": None, **more}
    found["claim"]["digest"] = build.digest_of(found["model"])
    found["claim"]["verdict"] = "holds"
    return found


COIN = [[[0, 1], [[0, "1/2"], [1, "1/2"]]]]
BITS = [[[0, 0, 1, 0], 0, "0", "1"], [[0, 0, 0, 0], 1, "0", "1"]]  # h = alpha/2 - 3/8 alpha²


def test_exchangeable_records(build: Build) -> None:
    """1/2 against 3/8."""
    assert outcome(exchangeable(build, "4/3", COIN, BITS)) == "accepted"
    for leakage in ("1", "5/4", "3/2", {"infinite": True}):
        for simulator in (COIN, None, []):
            for demands in (BITS, [], BITS[:1]):
                document = exchangeable(build, leakage, simulator, demands)
                for document["claim"]["verdict"] in ("holds", "violated"):
                    assert outcome(document) != "accepted"


def test_a_given_simulator_of_exchangeable_records(build: Build) -> None:
    """It runs the mechanism on the other bit twice: 5/8 and 3/8 where that is 0 and 1, each half of
    the time: 1/2 again. Always on 20: yes is 3/4 against 3/8, and no 1/4 against 5/8."""
    given = [2, 0]
    assert outcome(exchangeable(build, "4/3", None, BITS, given=given)) == "accepted"
    one = [[[0, 0, 1, 0], 1, "1", "0"]]  # h = 5/16 - alpha/8
    document = exchangeable(build, "5/2", None, one, given=[0, 0])
    document["claim"]["level"]["exp_epsilon"] = "3"
    assert outcome(document) == "accepted"
    assert outcome(exchangeable(build, "2", None, one, given=[0, 0])) == "rejected"
    assert outcome(exchangeable(build, "4/3", None, BITS, given=[0, 0])) == "rejected"


@pytest.mark.parametrize(
    "counts",
    [
        [[2, 0], [1, 1], [0, 3]],
        [[2, 0], [1, 1], [1, 1]],
        [[2, 0], [1, 1]],
        [[2, 0], [1, 1], [0, True]],
        [[2, 0], [1, 1], [3, -1]],
        [[], [], []],
        [[0, 0], [0, 0], [0, 0]],
        None,
        {},
    ],
)
def test_counts_that_are_none(build: Build, counts: Any) -> None:
    document = exchangeable(build, "4/3", COIN, BITS)
    document["model"]["counts"] = counts
    document["claim"]["digest"] = build.digest_of(document["model"])
    assert outcome(document) == "refused"
    document["model"].pop("counts")
    document["claim"]["digest"] = build.digest_of(document["model"])
    assert outcome(document) == "refused"


def test_histograms_are_of_no_other_rule(build: Build) -> None:
    document = exchangeable(build, "4/3", COIN, BITS)
    document["relation"]["views"] = []
    assert outcome(document) == "refused"
    inferred = exchangeable(build, "4/3", COIN, BITS)
    inferred["claim"]["kind"] = "inference"
    inferred["evidence"]["witness"] = {"simulator": COIN, "conflicts": []}
    assert outcome(inferred) == "refused"


test_what_is_refused = siblings(
    (good, "refused", "claim.steps", "1"),
    (good, "refused", "witness.more", 0),
    (good, "refused", "witness.tradeoff", []),
    (good, "refused", "relation.given", [-2, 0]),
    (good, "refused", "relation.views.0.more", 0),
    (good, "refused", "relation.priors.0.0+", 0),
    (good, "refused", "relation.priors.0.0.1", -1),
    (good, "refused", "witness.simulator.0+", 0),
    (good, "refused", "witness.simulator.0.0", [-1, 7], [7, 7]),
    (good, "refused", "witness.demands.0.2", "-1"),
    (good, "refused", "witness.demands.0+", "1"),
    (good, "refused", "witness.demands.0.0", [0, 0, 0]),
)


@pytest.mark.parametrize(
    "prior",
    [
        [[0, 3, "0"], [1, 3, "1"]],
        [[0, 3, "3/2"], [1, 3, "-1/2"]],
        [[0, 3, "1/4"], [1, 3, "1/4"]],
        [[0, 3, "1"], [1, 3, "1"]],
    ],
)
def test_priors_are_distributions(build: Build, prior: Any) -> None:
    for priors in ([prior], [PRIOR, prior]):
        verdict = check(made(build, priors=priors))
        assert verdict.outcome == "rejected" and "no prior" in verdict.reason


def test_rows_may_have_outputs_of_probability_0(build: Build) -> None:
    zero = [[[7], [[0, "1/2"], [1, "1/2"], [2, "0"]]]]
    columns = {"sun": ["4/5", "1/5", "0"], "rain": ["1/5", "4/5", "0"]}
    never = [[[0, 0, v, 3], 2, "0", "1"] for v in (0, 1)]
    shown = made(build, simulator=zero, demands=[*DEMANDS, *never], columns=columns)
    assert outcome(shown) == "accepted"
    given = [-1] * 7 + [0]
    demands = [[[0, 0, 1, 3], 0, "0", "1"]]
    shown = made(build, "4", simulator=None, demands=demands, given=given, columns=columns)
    assert outcome(shown) == "accepted"


def test_two_inputs_with_one_answer(build: Build) -> None:
    """The simulator sees the world, and says the same in both; demands of each are added up."""
    view = {"alt": [7, 8], "priv": [0, 0]}
    half = [[[8, 7], HALF[0][1]]]
    alone = made(build, {"vacuous": True}, "holds", None, [], views=[view])
    assert outcome(alone) == "accepted"
    more = made(build, "5/2", simulator=half, views=[VIEW, view])
    assert outcome(more) == "accepted"
    assert outcome(made(build, "5/2", simulator=HALF, views=[VIEW, view])) == "refused"


def test_a_level_is_refuted_by_its_slope(build: Build) -> None:
    """h(α) = α/2 - α²/5 is 0 at 5/2, falling; turned demands are 0 there, and rise."""
    zero = [[[0, 0, 0, 3], 1, "0", "0"], [[0, 0, 1, 3], 0, "0", "0"]]
    turned = [[[0, 0, 0, 3], 0, "1", "0"], [[0, 0, 1, 3], 1, "1", "0"]]  # 4/5 - α/2 from 8/5 on
    assert outcome(made(build, demands=zero)) == "rejected"
    assert outcome(made(build, demands=turned)) == "rejected"
    assert outcome(made(build, {"infinite": True}, simulator=None, demands=zero)) == "rejected"
    assert outcome(made(build, {"infinite": True}, simulator=None, demands=turned)) == "rejected"
    both = [[*key, "1", "1"] for key in ([[0, 0, 0, 3], 1], [[0, 0, 1, 3], 0])]
    assert outcome(made(build, demands=both)) == "rejected"


def test_situations_are_linked_by_what_is_seen(build: Build) -> None:
    """Two worlds told apart by what is seen are not, also where one view sees 7 and one 8."""
    apart = {"alt": [7, 8], "priv": [0, 1]}
    nothing: Json = {"simulator": None, "demands": []}
    assert outcome(made(build, {"vacuous": True}, "holds", views=[apart], **nothing)) == "accepted"
    other = {"alt": [8, 9], "priv": [0, 1]}
    linked = made(build, {"vacuous": True}, "holds", views=[apart, other], **nothing)
    assert outcome(linked) == "rejected"
    beyond = {"alt": [9, 10], "priv": [0, 1]}
    free = made(build, {"vacuous": True}, "holds", views=[apart, beyond], **nothing)
    assert outcome(free) == "accepted"
    for part in ({"simulator": HALF}, {"demands": DEMANDS}):
        shown = made(build, {"vacuous": True}, "holds", views=[apart], **nothing | part)
        assert outcome(shown) == "rejected"


def test_delta_takes_off_the_largest_weight(build: Build) -> None:
    """Weights of 0 for the other outputs change nothing: at delta 1/10 the level is 2."""
    more = [*DEMANDS, [[0, 0, 0, 3], 0, "0", "0"], [[0, 0, 1, 3], 1, "0", "0"]]
    level = {"delta": "1/10"}
    assert outcome(made(build, "2", "holds", demands=more, level=level)) == "accepted"
    assert outcome(made(build, "5/2", demands=more, level=level)) == "rejected"
    assert outcome(curve(build, ("2", "1/10", HALF, more))) == "accepted"
    assert outcome(curve(build, ("2", "1/9", HALF, more))) == "rejected"


def test_a_proof_of_a_point_has_its_keys_alone(build: Build) -> None:
    document = curve(build, ("2", "1/10", HALF, DEMANDS))
    witness(document)["tradeoff"][0]["more"] = 0
    assert outcome(document) == "refused"


def test_delta_takes_off_what_the_mechanism_does_too_often(build: Build) -> None:
    """Always on 20: no has 5/8 against 1/4. At delta 1/8, h = 5/16 - alpha/8 - 1/16."""
    one = [[[0, 0, 1, 0], 1, "1", "0"]]
    for leakage, expected in (("2", "accepted"), ("5/2", "rejected"), ("3", "rejected")):
        document = exchangeable(build, leakage, None, one, given=[0, 0])
        document["claim"]["level"] = {"exp_epsilon": "3", "delta": "1/8"}
        assert outcome(document) == expected


# The same with e/(1 + e) and 1/(1 + e): h(α) = α/2 − α²/(1 + e), with the root (1 + e)/2.
TOLD = {"sun": ["e/(1 + e)", "1/(1 + e)"], "rain": ["1/(1 + e)", "e/(1 + e)"]}
CLOSED = {"closed": "(1 + e)/2", "lower": "1859140914/1000000000", "upper": "1859140915/1000000000"}


def told(build: Build, leakage: Any = CLOSED, **parts: Any) -> Json:
    return made(build, leakage, columns=TOLD, level={"exp_epsilon": "3/2"}, **parts)


def test_powers_of_e(build: Build) -> None:
    assert outcome(told(build)) == "accepted"
    above = {"exp_epsilon": "(1 + e + e^(-60))/2"}
    assert outcome(made(build, CLOSED, "holds", columns=TOLD, level=above)) == "accepted"
    below = {"exp_epsilon": "(1 + e - e^(-60))/2"}
    assert outcome(made(build, CLOSED, columns=TOLD, level=below)) == "accepted"
    assert outcome(made(build, CLOSED, "holds", columns=TOLD, level=below)) == "rejected"


@pytest.mark.parametrize("hair", ["+ e^(-60)", "- e^(-60)"])
def test_a_hair_beside_a_level_with_powers_of_e(build: Build, hair: str) -> None:
    assert outcome(told(build, CLOSED | {"closed": f"(1 + e {hair})/2"})) == "rejected"


def test_simulators_and_demands_with_powers_of_e(build: Build) -> None:
    uneven = [[[7], [[0, "e/(2 + 2*e)"], [1, "(2 + e)/(2 + 2*e)"]]]]
    assert outcome(told(build, simulator=uneven)) == "rejected"
    longer = [[[7], [[0, "1/2"], [1, "e/(2 + e)"]]]]
    assert outcome(told(build, simulator=longer)) == "rejected"
    weighted = [[*demand[:3], "e/(1 + e)"] for demand in DEMANDS]
    assert outcome(told(build, demands=weighted)) == "accepted"
    weighted[0][3] = "(1 + e^(-60))/(1 + e)"
    assert outcome(told(build, demands=weighted)) == "rejected"


def test_a_given_simulator_with_powers_of_e(build: Build) -> None:
    """The mechanism, run on `sun`: 1/(1 + e) against e/(1 + e) in `rain`."""
    demands = [[[0, 0, 1, 3], 0, "0", "1"]]
    closed = {"closed": "e", "lower": "2718281828/1000000000", "upper": "2718281829/1000000000"}
    parts: Json = {"columns": TOLD, "simulator": None, "demands": demands, "given": [-1] * 7 + [0]}
    assert outcome(made(build, closed, **parts)) == "accepted"
    assert outcome(made(build, CLOSED, **parts)) == "rejected"


def test_priors_with_powers_of_e(build: Build) -> None:
    """With odds 1 : e the situations have other masses, and the same conditions."""
    prior = [[0, 3, "1/(1 + e)"], [1, 3, "e/(1 + e)"]]
    demands = [[[0, 0, 0, 3], 1, "0", "e"], [[0, 0, 1, 3], 0, "0", "1"]]
    assert outcome(told(build, priors=[prior], demands=demands)) == "accepted"
    assert outcome(told(build, priors=[prior])) == "rejected"
    bad = [[0, 3, "1/(1 + e)"], [1, 3, "e/(2 + e)"]]
    assert outcome(told(build, priors=[bad])) == "rejected"
