"""Certificates of kind simulator, made by hand from docs/certificate.md, and broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.checker.conftest import Build, Json
from tests.checker.drafts import check

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


def outcome(document: Json) -> str:
    return check(document).outcome


def test_a_good_one(build: Build) -> None:
    assert outcome(made(build)) == "accepted"
    assert outcome(made(build, verdict="holds", level={"exp_epsilon": "5/2"})) == "accepted"
    assert outcome(made(build, verdict="holds", level={"exp_epsilon": "3"})) == "accepted"


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
BROKEN: dict[str, tuple[str, Edit]] = {
    "verdict": ("rejected", lambda d: d["claim"].update(verdict="holds")),
    "too small": ("rejected", lambda d: d["claim"].update(leakage={"exp_epsilon": "12/5"})),
    "too large": ("rejected", lambda d: d["claim"].update(leakage={"exp_epsilon": "13/5"})),
    "vacuous": ("rejected", lambda d: d["claim"].update(leakage={"vacuous": True})),
    "infinite": ("refused", lambda d: d["claim"].update(leakage={"infinite": True})),
    "a row": ("rejected", lambda d: witness(d)["simulator"][0][1][0].__setitem__(1, "1/3")),
    "negative": ("refused", lambda d: witness(d).update(simulator=row([0, "-1"], [1, "2"]))),
    "twice": ("refused", lambda d: witness(d).update(simulator=row([0, "1/2"], [0, "1/2"]))),
    "output": ("refused", lambda d: witness(d).update(simulator=row([0, "1/2"], [2, "1/2"]))),
    "two rows": ("refused", lambda d: witness(d).update(simulator=HALF * 2)),
    "unseen": ("refused", lambda d: witness(d)["simulator"][0].__setitem__(0, [6])),
    "no simulator": ("refused", lambda d: witness(d).update(simulator=None)),
    "no demands": ("rejected", lambda d: witness(d).update(demands=[])),
    "one demand": ("rejected", lambda d: witness(d)["demands"].pop()),
    "negative demand": ("refused", lambda d: witness(d)["demands"][0].__setitem__(3, "-1")),
    "demand twice": ("refused", lambda d: witness(d).update(demands=DEMANDS + DEMANDS[:1])),
    "no situation": ("refused", lambda d: witness(d)["demands"][0].__setitem__(0, [0, 0, 2, 3])),
    "true situation": (
        "refused",
        lambda d: witness(d)["demands"][0].__setitem__(0, [0, 0, False, 3]),
    ),
    "no output": ("refused", lambda d: witness(d)["demands"][0].__setitem__(1, 2)),
    "prior": ("rejected", lambda d: d["relation"]["priors"][0][0].__setitem__(2, "1/3")),
    "zero": ("rejected", lambda d: d["relation"].update(priors=[[[0, 3, "0"], [1, 3, "1"]]])),
    "no prior": ("refused", lambda d: d["relation"].update(priors=[])),
    "empty prior": ("refused", lambda d: d["relation"].update(priors=[[]])),
    "no view": ("refused", lambda d: d["relation"].update(views=[])),
    "short view": ("refused", lambda d: d["relation"]["views"][0]["alt"].pop()),
    "long view": ("refused", lambda d: d["relation"]["views"][0]["priv"].append(0)),
    "negative view": ("refused", lambda d: d["relation"]["views"][0].update(alt=[-1, 7])),
    "world": ("refused", lambda d: d["relation"]["priors"][0][0].__setitem__(0, 2)),
    "negative world": ("refused", lambda d: d["relation"]["priors"][0][0].__setitem__(0, -1)),
    "rule": ("refused", lambda d: d["relation"].update(rule="secrets")),
    "another key": ("refused", lambda d: d["relation"].update(more=1)),
    "given world": ("refused", lambda d: d["relation"].update(given=[2])),
    "float": ("refused", lambda d: witness(d)["demands"][0].__setitem__(3, 1.0)),
}


def witness(document: Json) -> Any:
    return document["evidence"]["witness"]


def row(*answer: list[Any]) -> list[Any]:
    return [[[7], list(answer)]]


@pytest.mark.parametrize("name", BROKEN)
def test_broken_ones(name: str, build: Build) -> None:
    expected, edit = BROKEN[name]
    assert outcome(build.edited(made(build), edit)) == expected
