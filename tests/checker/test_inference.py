"""Certificates of kind inference, made by hand from docs/certificate.md, and broken."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.conftest import Build, Json
from tests.checker.drafts import check
from tests.checker.outcomes import siblings
from verifier.checker.reading import Model
from verifier.checker.simulation import Views
from verifier.checker.situations import read_setting

# Two worlds, 4/5 and 1/5 of output 0; the simulator sees 7 in both, so that the posterior given its
# answers is 1/2 each, against 4/5 and 1/5. With w = 1 for the value of 1/5 at either output:
# g = Q·W − α·q·S = 1/2·1/2 − α·1/10·1, in units of the prior.
COLUMNS = {"sun": ["4/5", "1/5"], "rain": ["1/5", "4/5"]}
VIEW = {"alt": [7, 7], "priv": [0, 1]}
PRIOR = [[0, 3, "1/2"], [1, 3, "1/2"]]
HALF = [[[7], [[0, "1/2"], [1, "1/2"]]]]


def conflict(output: int, value: int) -> Json:
    return {"output": output, "good": [[0, 3]], "weights": [[[0, 0, value, 3], "0", "1"]]}


FIRST, SECOND = conflict(0, 1), conflict(1, 0)


def made(
    build: Build,
    leakage: Any = "5/2",
    verdict: str = "violated",
    simulator: Any = HALF,
    conflicts: Any = (FIRST,),
    level: Json | None = None,
    columns: dict[str, list[Any]] = COLUMNS,
    **relation: Any,
) -> Json:
    stated = {"rule": "simulator", "views": [VIEW], "priors": [PRIOR], "given": None, **relation}
    witness = {"simulator": simulator, "conflicts": list(conflicts)}
    model = build.mechanism_model(columns)
    found = build.certificate(model, stated, leakage, verdict, witness, level)
    found["claim"]["kind"] = "inference"
    return found


def good() -> Json:
    return made(Build())


def outcome(document: Json) -> str:
    return check(document).outcome


def test_a_good_one(build: Build) -> None:
    assert outcome(made(build)) == "accepted"
    assert outcome(made(build, verdict="holds", level={"exp_epsilon": "5/2"})) == "accepted"
    rare = [[[7], [[0, "1/9"], [1, "2/9"], [2, "2/3"]]]]  # how often does not matter
    assert outcome(made(build, simulator=rare)) == "accepted"
    never = [[[7], [[0, "1/9"], [2, "8/9"]]]]
    assert outcome(made(build, simulator=never)) == "rejected"


def test_delta_allows_a_bad_output(build: Build) -> None:
    """Either output has probability 1/2. At δ < 1/2: 4/5 − α/2 ≤ δ and 1/2 − α/5 ≤ δ."""
    level = {"delta": "1/10"}
    assert outcome(made(build, "2", level=level, verdict="holds")) == "accepted"
    both = {"level": {"delta": "1/2"}, "conflicts": (FIRST, SECOND)}
    assert outcome(made(build, "1", verdict="holds", **both)) == "rejected"  # but 1 serves
    assert outcome(made(build, "1", verdict="holds", **both | {"conflicts": ()})) == "accepted"
    assert outcome(made(build, "5/2", **both)) == "rejected"
    twice = made(build, "5/2", level={"delta": "1/2"}, conflicts=(FIRST, FIRST))
    assert outcome(twice) == "rejected"  # it is met by one output


def test_infinite(build: Build) -> None:
    """Output 0 gives the sun away: P(rain, Sim = 0) = 0 only if it is never said."""
    columns = {"sun": ["1/2", "1/2"], "rain": ["0", "1"]}
    endless = made(build, {"infinite": True}, simulator=None, columns=columns)
    assert outcome(endless) == "accepted"
    allowed = {"level": {"delta": "1/4"}, "columns": columns}  # P(output 0)
    assert outcome(made(build, {"infinite": True}, simulator=None, **allowed)) == "rejected"
    assert outcome(made(build, {"infinite": True}, simulator=None)) == "rejected"


def test_a_given_simulator(build: Build) -> None:
    """The mechanism, run on `sun` whatever it sees."""
    given = [-1] * 7 + [0]
    assert outcome(made(build, simulator=None, given=given)) == "accepted"
    assert outcome(made(build, given=given)) == "refused"
    nothing = {"output": 0, "good": [[0, 3]], "weights": []}  # it gives this output in both worlds
    endless: Json = {"infinite": True}
    forged = made(build, endless, simulator=None, conflicts=(nothing,), given=given)
    assert outcome(forged) == "rejected"


def test_one_unit_of_mass_is_missed(build: Build) -> None:
    """The only world says 0 for sure, which the mechanism run on the other one never does."""
    sure = {"sun": ["1", "0"], "rain": ["0", "1"]}
    parts: Json = {"simulator": None, "conflicts": (), "columns": sure, "priors": [[[0, 3, "1"]]]}
    assert outcome(made(build, "1", "holds", given=[-1] * 7 + [0], **parts)) == "accepted"
    assert outcome(made(build, "1", "holds", given=[-1] * 7 + [1], **parts)) == "rejected"


def test_what_an_output_costs_under_the_prior_of_its_place(build: Build) -> None:
    """Output 0 under the second of three priors, which has the sun with 1/3: 4/15 + 2/15."""
    model, second = made(build)["model"], [[0, 3, "1/3"], [1, 3, "2/3"]]
    relation = {**made(build)["relation"], "priors": [PRIOR, second, PRIOR]}
    views = Views(read_setting(relation, Model(model)), Fraction(1))
    assert Fraction(views.cost(0, (1, 3)), views.most) == Fraction(2, 5)


Edit = Callable[[Json], object]


def witness(document: Json) -> Any:
    return document["evidence"]["witness"]


def first(document: Json) -> Any:
    return witness(document)["conflicts"][0]


test_broken_ones = siblings(
    (good, "rejected", "claim.verdict", "holds"),
    (good, "rejected", "claim.leakage", {"exp_epsilon": "12/5"}, {"exp_epsilon": "13/5"}),
    (good, "rejected", "claim.leakage", {"vacuous": True}),
    (good, "refused", "claim.leakage", {"infinite": True}),
    (good, "rejected", "witness.simulator.0.1.0.1", "1/3"),
    (good, "rejected", "witness.simulator.0.1", [[0, "-1"], [1, "2"]]),
    (good, "refused", "witness.simulator.0.1", [[0, "1/2"], [3, "1/2"]]),
    (good, "refused", "witness.simulator", None),
    (good, "rejected", "witness.conflicts", []),
    (good, "rejected", "witness.conflicts.0.weights", []),
    (good, "refused", "witness.conflicts.0.weights.0.1", "-1"),
    (good, "refused", "", lambda d: first(d).update(weights=first(d)["weights"] * 2)),
    (good, "refused", "witness.conflicts.0.good", [[0, 4]], []),
    (good, "refused", "witness.conflicts.0.output", 2),
    (good, "refused", "witness.conflicts.0.weights.0.0", [0, 0, 2, 3]),
    (good, "refused", "witness.conflicts.0.weights.0.2", 1.0),
    (good, "refused", "relation.rule", "secrets"),
    (good, "rejected", "relation.priors.0.0.2", "1/3"),
)


@pytest.mark.parametrize(
    "conflicts",
    [
        [],
        [[]],
        [[FIRST]],
        [FIRST, []],
        [{}],
        [FIRST, {}],
        [{"output": 0, "good": [], "weights": []}],
        [FIRST, {"output": 0, "good": [], "weights": []}],
        [{"output": 0, "good": [[0, 3]], "weights": []}],
        [{"output": 0, "good": [[0, 4]], "weights": []}],  # does not occur
        [{**FIRST, "good": [[0, 3], [0, 3]]}],
        [{**FIRST, "good": [[False, 3]]}],
        {},
        None,
    ],
)
@pytest.mark.parametrize("leakage", ["1000000", {"infinite": True}])
def test_what_is_empty_refutes_nothing(build: Build, leakage: Any, conflicts: Any) -> None:
    """Nothing to be avoided can be avoided."""
    for simulator in (None, HALF):
        document = made(build, leakage, simulator=simulator)
        document["evidence"]["witness"]["conflicts"] = conflicts
        assert outcome(document) != "accepted"


def test_conflicts_may_repeat(build: Build) -> None:
    """A conflict that stands twice is that conflict."""
    assert outcome(made(build, conflicts=(FIRST, FIRST))) == "accepted"
    assert outcome(made(build, conflicts=(FIRST, SECOND))) == "accepted"


def test_the_same_view_often_allows_no_more() -> None:
    """At level 1 and delta 1/4 no output is good: 4/5 - 1/2 is more."""
    level = {"delta": "1/4"}
    for views in ([VIEW], [VIEW] * 4):
        for priors in ([PRIOR], [PRIOR] * 4):
            same = made(
                build=Build(),
                leakage="1",
                verdict="holds",
                conflicts=(),
                level=level,
                views=views,
                priors=priors,
            )
            assert outcome(same) == "rejected"
    other = [[0, 3, "9/10"], [1, 3, "1/10"]]  # told that it is sunny: 36/37 against 9/10 at most
    both = made(Build(), "1", "holds", conflicts=(), level=level, priors=[other, PRIOR])
    assert outcome(both) == "rejected"
    sunny = made(Build(), "1", "holds", conflicts=(), level={"delta": "1/2"}, priors=[other, PRIOR])
    assert outcome(sunny) == "accepted"


def test_a_bad_view_is_not_made_up_for_by_a_good_one(build: Build) -> None:
    """In the second view there is one private value only, so that nothing is learned of it."""
    constant = {"alt": [7, 7], "priv": [0, 0]}
    for views in ([VIEW, constant], [constant, VIEW]):
        assert outcome(made(build, "1", "holds", conflicts=(), views=views)) == "rejected"
    assert outcome(made(build, views=[VIEW, constant])) == "accepted"
    assert outcome(made(build, views=[constant, VIEW])) == "refused"  # it weighs the first view


def test_a_given_simulator_is_compared_though_no_values_are(build: Build) -> None:
    """One private value: its posterior is 1, whatever is seen."""
    view = {"alt": [7, 7], "priv": [0, 0]}
    alone: Json = {"simulator": None, "conflicts": (), "views": [view]}
    given = [-1] * 7 + [0]
    assert outcome(made(build, "1", "holds", given=given, **alone)) == "accepted"
    assert outcome(made(build, {"vacuous": True}, "holds", given=given, **alone)) == "rejected"
    assert outcome(made(build, {"vacuous": True}, "holds", **alone)) == "accepted"
    assert outcome(made(build, "1", "holds", **alone | {"simulator": HALF})) == "rejected"


def test_a_level_at_the_lower_bound(build: Build) -> None:
    """5/2 is not below the upper bound, but nothing below 5/2 serves."""
    low, high = "24999999999/10000000000", "5/2"
    bounds = {"lower": low, "upper": high}
    assert outcome(made(build, bounds, level={"exp_epsilon": low})) == "accepted"
    assert outcome(made(build, bounds, "holds", level={"exp_epsilon": low})) == "rejected"
    inside = {"exp_epsilon": "249999999995/100000000000"}
    assert outcome(made(build, bounds, level=inside)) == "rejected"
    above = {"lower": "5/2", "upper": "25000000001/10000000000"}
    for verdict in ("holds", "violated"):
        assert outcome(made(build, above, verdict, level={"exp_epsilon": "5/2"})) == "rejected"


def test_weights_are_of_the_places_of_a_conflict(build: Build) -> None:
    """With two priors and two views; a weight of another prior is of no use, and refused."""
    more: Json = {"priors": [PRIOR, PRIOR], "views": [VIEW, VIEW]}
    assert outcome(made(build, **more)) == "accepted"
    for key in ([1, 0, 1, 3], [1, 1, 0, 3], [0, 2, 0, 3], [0, 0, 1, 4], [0, 0, 1]):
        document = made(build, **more)
        extra = {**FIRST, "weights": [*FIRST["weights"], [key, "1", "1"]]}
        document["evidence"]["witness"]["conflicts"] = [extra]
        assert outcome(document) == "refused", key
    second = {"output": 0, "good": [[1, 3]], "weights": [[[1, 1, 1, 3], "0", "1"]]}
    assert outcome(made(build, conflicts=(second,), **more)) == "accepted"
    for change in ({"output": -1}, {"more": 0}, {"good": [[0, 3], [0, 3]]}, {"good": [[0, -3]]}):
        assert outcome(made(build, conflicts=({**FIRST, **change},))) == "refused"


def test_other_keys_are_refused(build: Build) -> None:
    for edit in (
        lambda d: d["claim"].update(steps="1"),
        lambda d: witness(d).update(more=0),
        lambda d: d["relation"].update(more=0),
        lambda d: d["relation"]["views"][0].update(more=0),
        lambda d: d["relation"].update(given=[-2, 0]),
        lambda d: d["relation"].update(given=[0, 2]),
    ):
        assert outcome(build.edited(made(build), edit)) == "refused"


def test_each_prior_has_the_whole_delta(build: Build) -> None:
    """Output 0 may be bad under both priors, 1/2 each; the conflicts have an item of either."""
    second = {"output": 0, "good": [[1, 3]], "weights": [[[1, 0, 1, 3], "0", "1"]]}
    both: Json = {"priors": [PRIOR, PRIOR], "columns": {"sun": ["1/2", "1/2"], "rain": ["0", "1"]}}
    endless: Json = {"infinite": True}
    for delta, expected in (("1/5", "accepted"), ("1/4", "rejected"), ("2/5", "rejected")):
        document = made(build, endless, simulator=None, level={"delta": delta}, **both)
        first = {**FIRST, "weights": [[[0, 0, 1, 3], "0", "1"]]}
        document["evidence"]["witness"]["conflicts"] = [first, second]
        assert outcome(document) == expected


def test_values_of_one_view_are_compared(build: Build) -> None:
    """Nothing is where each view, each prior and each z has one private value."""
    one, two = {"alt": [7, 7], "priv": [0, 0]}, {"alt": [7, 7], "priv": [1, 1]}
    nothing: Json = {"simulator": None, "conflicts": ()}
    assert outcome(made(build, {"vacuous": True}, "holds", views=[one, two], **nothing)) == (
        "accepted"
    )
    for z, expected in ((3, "rejected"), (4, "accepted")):
        prior = [[0, 3, "1/2"], [1, z, "1/2"]]
        found = made(build, {"vacuous": True}, "holds", priors=[prior], **nothing)
        assert outcome(found) == expected
    split = [[[0, 3, "1"]], [[1, 3, "1"]]]
    found = made(build, {"vacuous": True}, "holds", priors=split, **nothing)
    assert outcome(found) == "accepted"


def test_how_often_an_output_is_given_does_not_matter(build: Build) -> None:
    """The mechanism tells nothing; output 0 is simulated one time in nine."""
    same = {"sun": ["1", "0"], "rain": ["1", "0"]}
    rare = [[[7], [[0, "1/9"], [2, "8/9"]]]]
    found = made(build, "1", "holds", rare, (), columns=same)
    assert outcome(found) == "accepted"
    never = made(build, "1", "holds", [[[7], [[2, "1"]]]], (), columns=same)
    assert outcome(never) == "rejected"


def test_a_simulator_may_tell_too_much(build: Build) -> None:
    """The mechanism tells nothing, what is simulated leaves 4/5 and 1/5: 1/2 is 5/2 times 1/5."""
    coin = {"sun": ["1/2", "1/2"], "rain": ["1/2", "1/2"]}
    view = {"alt": [7, 8], "priv": [0, 1]}
    shown = [[[7], [[0, "4/5"], [1, "1/5"]]], [[8], [[0, "1/5"], [1, "4/5"]]]]
    for leakage, word in (("8/5", "too small"), ("5/2", "too large")):
        document = made(build, leakage, "holds", shown, (), columns=coin, views=[view])
        verdict = check(document)
        assert verdict.outcome == "rejected" and word in verdict.reason, verdict
