"""Certificates of kind "runs", made by hand, and their broken siblings."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.conftest import digest_of, mechanism_model
from tests.checker.drafts import between, check, draft
from tests.checker.outcomes import accepted, rejected, siblings
from tests.pages import example
from verifier.checker.document import Refused, Rejected
from verifier.checker.reading import Table
from verifier.checker.runs import Runs


def certificate(
    columns: dict[str, list[str]],
    secrets: dict[str, list[int]],
    priors: Any,
    claim: Any,
    evidence: Any,
) -> Any:
    model = mechanism_model(columns)
    (pair,) = [list(secrets)[:2]]
    return draft(
        "runs",
        model,
        between(secrets, [pair], {"class": "list", "priors": priors}),
        evidence,
        **claim,
    )


def mean(*worlds: str, average: str) -> Any:
    return {"worlds": list(worlds), "average": average}


def response() -> Any:
    """A bit, told truthfully with probability 3/4; each run multiplies the odds by 3."""
    never = {
        "fewest": {},
        "probability": [mean("0", "0", average="0")] * 3,
        "expected": mean("infinite", "infinite", average="infinite"),
    }
    levels = [{"exp_epsilon": level} for level in ("3", "9", "27")]
    witnesses = [{"prior": 0, "pair": ["s", "t"], "outputs": [0] * k} for k in (1, 2, 3)]
    return certificate(
        {"0": ["3/4", "1/4"], "1": ["1/4", "3/4"]},
        {"s": [0], "t": [1]},
        [["1/3", "2/3"]],
        {
            "steps": [[0, 1]],
            "alone": levels[:1],
            "rows": levels,
            "certainty": [
                {"prior": 0, "pair": None, **never},
                {"prior": 0, "pair": ["t", "s"], **never},
            ],
            "trajectories": [
                # 3/4, then 3/8 before 1/4, then 3/12 as much as 1/4
                {
                    "prior": 0,
                    "pair": ["s", "t"],
                    "outputs": [0, 0, 1],
                    "odds": ["1/2", "3/2", "9/2", "3/2"],
                    "world": 0,
                },
                {
                    "prior": 0,
                    "pair": ["t", "s"],
                    "outputs": [0, 1],
                    "odds": ["2", "2/3", "2"],
                    "world": None,
                },
            ],
        },
        {"alone": witnesses[:1], "rows": witnesses},
    )


def collapse() -> Any:
    """Example 1 of the paper: (a, b) shows the true world and a fair one of the other side; two
    different outputs show which side is true. From a1: 1/2 after two runs, 3 on average."""
    half = "1/2"
    columns = {
        "a1": [half, half, "0", "0"],
        "a2": ["0", "0", half, half],
        "b1": [half, "0", half, "0"],
        "b2": ["0", half, "0", half],
        "nobody": ["1", "0", "0", "0"],
    }
    entry = {
        "fewest": {"outputs": [0, 1]},
        "probability": [mean(*[p] * 4, average=p) for p in ("0", half, "3/4")],
        "expected": mean(*["3"] * 4, average="3"),
    }
    two = {"prior": 0, "pair": ["a", "b"], "outputs": [0, 1]}
    return certificate(
        columns,
        {"a": [0, 1], "b": [2, 3]},
        [["1/4", "1/4", "1/4", "1/4", "0"]],
        {
            "steps": [[0, 1, 2, 3]],
            "alone": [{"exp_epsilon": "1"}],
            "rows": [{"exp_epsilon": "1"}, {"infinite": True}, {"infinite": True}],
            "certainty": [
                {"prior": 0, "pair": None, **entry},
                {"prior": 0, "pair": ["a", "b"], **entry},
            ],
            "trajectories": [
                {
                    "prior": 0,
                    "pair": ["a", "b"],
                    "outputs": [0, 0, 1],
                    "odds": ["1", "1", "1", "infinite"],
                    "world": None,
                }
            ],
        },
        {"alone": [None], "rows": [None, two, {**two, "outputs": [0, 1, 1]}]},
    )


def in_turn() -> Any:
    """First a fair coin that says nothing, then the response; then the coin again: 1, 3, 3. The
    matrix is the mechanism that picks one of both and says which."""
    levels = [{"exp_epsilon": level} for level in ("1", "3", "3")]
    witness = {"prior": 0, "pair": ["s", "t"], "outputs": [0, 2]}
    never = {
        "prior": 0,
        "pair": ["s", "t"],
        "fewest": {},
        "probability": [mean("0", "0", average="0")],
        "expected": None,
    }
    return certificate(
        {"0": ["1/4", "1/4", "3/8", "1/8"], "1": ["1/4", "1/4", "1/8", "3/8"]},
        {"s": [0], "t": [1]},
        [["1/2", "1/2"]],
        {
            "steps": [[0, 1], [2, 3]],
            "alone": levels[:2],
            "rows": levels,
            "certainty": [never],
            "trajectories": [],
        },
        {
            "alone": [None, {"prior": 0, "pair": ["t", "s"], "outputs": [3]}],
            "rows": [None, witness, {**witness, "outputs": [1, 2, 0]}],
        },
    )


GOOD = {"response": response, "collapse": collapse, "in turn": in_turn}


def test_a_witness_is_of_a_pair_that_is_compared() -> None:
    """t against s is 2, and s against a third secret 3; only s and t are compared."""
    half = ["1/2", "1/2"]
    columns = {"s": ["3/4", "1/4"], "t": half, "u": ["1/4", "3/4"]}
    secrets, priors = {"s": [0], "t": [1], "u": [2]}, [["1/3", "1/3", "1/3"]]
    claim = {"steps": [[0, 1]], "alone": [], "certainty": [], "trajectories": []}
    for level, pair, output, outcome in (
        ("2", ["t", "s"], 1, "accepted"),
        ("3", ["s", "u"], 0, "rejected"),
        ("2", ["t", "u"], 0, "rejected"),
    ):
        said = {**claim, "rows": [{"exp_epsilon": level}]}
        witness = {"prior": 0, "pair": pair, "outputs": [output]}
        document = certificate(columns, secrets, priors, said, {"alone": [], "rows": [witness]})
        assert check(document).outcome == outcome, level


def test_every_output_stands_in_a_step() -> None:
    """The second and the third output tell the worlds apart; only the first one would not."""
    columns = {"0": ["1/2", "1/2", "0"], "1": ["1/2", "0", "1/2"]}
    claim = {"alone": [], "rows": [{"exp_epsilon": "1"}], "certainty": [], "trajectories": []}
    evidence: Any = {"alone": [], "rows": [None]}

    def outcome(steps: list[list[int]]) -> str:
        said = {**claim, "steps": steps}
        secrets, priors = {"s": [0], "t": [1]}, [["1/2", "1/2"]]
        return check(certificate(columns, secrets, priors, said, evidence)).outcome

    assert outcome([[0, 1, 2]]) == "rejected"
    assert outcome([[0]]) == "refused"
    assert outcome([[0], [0]]) == "refused"


@pytest.mark.parametrize("make", GOOD.values(), ids=GOOD)
def test_made_by_hand(make: Callable[[], Any]) -> None:
    accepted(make())


def test_the_example_of_the_page() -> None:
    accepted(example("runs"))


def edited(document: Any, *path: Any) -> Any:
    """A copy with the last of `path` in the place of the others."""
    *steps, last, value = path
    copy = deepcopy(document)
    inner = copy
    for step in steps:
        inner = inner[step]
    inner[last] = value
    copy["claim"]["digest"] = digest_of(copy["model"])
    return copy


ROWS, WITNESS = ("claim", "rows"), ("evidence", "witness", "rows")
CERTAIN, ODDS = ("claim", "certainty"), ("claim", "trajectories")


test_broken_siblings = siblings(
    (response, "too small", "claim.rows.1.exp_epsilon", "8", str(9 - Fraction(1, 10**40))),
    (response, "too large", "claim.rows.1.exp_epsilon", str(9 + Fraction(1, 10**40))),
    (response, "not infinite", "claim.rows.1", {"infinite": True}),
    (response, "too large", "claim.rows.0.exp_epsilon", "1/3"),
    (response, "too small", "claim.alone.0.exp_epsilon", "2"),
    (response, "too large", "witness.rows.1.outputs", [0, 1]),
    (response, "too large", "witness.rows.1.pair", ["t", "s"]),
    (response, "missing", "witness.rows.1", None),
    (response, "no distribution", "relation.priors.priors.0", ["1/3", "1/3"]),
    (response, "compared", "relation.priors.priors.0", ["1", "0"]),
    (response, "the verdict", "claim.verdict", "violated"),
    (collapse, "not infinite", "claim.rows.1.infinite", False),
    (collapse, "too large", "claim.rows.1", {"exp_epsilon": "1000"}),
    (collapse, "missing", "claim.rows.0", {"infinite": True}),
    (collapse, "not infinite", "witness.rows.1.outputs", [0, 0], [1, 2]),
    (in_turn, "too large", "claim.rows.2.exp_epsilon", "9"),
    (in_turn, "too small", "claim.rows.2.exp_epsilon", "2"),
    (in_turn, "another mechanism", "witness.rows.1.outputs", [2, 0]),
    (in_turn, "another mechanism", "witness.alone.1.outputs", [0]),
    (in_turn, "no mechanism", "claim.steps", [[0, 2], [1, 3]], [[0, 1, 2], [3]]),
    (response, "nothing is certain", "claim.certainty.0.fewest", {"outputs": [0]}),
    (response, "another probability", "claim.certainty.0.expected", mean("4", "4", average="4")),
    (response, "no such pair", "claim.certainty.1.pair", ["s", "s"]),
    (collapse, "a shorter way", "claim.certainty.0.fewest", {}, {"outputs": [0, 0, 1]}),
    (collapse, "nothing is certain", "claim.certainty.1.fewest", {"outputs": [0, 0]}),
    (collapse, "nothing is certain", "claim.certainty.1.fewest", {"outputs": [0, 3]}),
    (collapse, "another probability", "claim.certainty.1.probability.1.worlds.2", "1/3"),
    (collapse, "another probability", "claim.certainty.1.probability.2.average", "1/2"),
    (collapse, "another probability", "claim.certainty.0.expected.worlds.3", "infinite"),
    (collapse, "another probability", "claim.certainty.0.expected.average", "2"),
    (in_turn, "another mechanism", "claim.certainty.0.fewest", {"outputs": [2]}),
    (response, "other odds", "claim.trajectories.0.odds.3", "9/2"),
    (response, "other odds", "claim.trajectories.0.odds.0", "1"),
    (response, "less likely", "claim.trajectories.0.outputs", [0, 1, 0]),
    (response, "less likely", "claim.trajectories.0.world", 1),
    (collapse, "other odds", "claim.trajectories.0.odds.3", "1000"),
    (collapse, "other odds", "claim.trajectories.0.odds.2", "infinite"),
    (collapse, "no such pair", "claim.trajectories.0.pair", ["b", "b"]),
)


test_what_cannot_be_read = siblings(
    (response, "", "claim.rows", []),
    (response, "", "claim.alone", []),
    (response, "", "claim.steps", [], [[0, 0, 1]], [[0]]),
    (response, "", "witness.rows.1.prior", 1),
    (response, "", "claim.trajectories.0.odds", ["1/2"], ["1/2", "3/2", "9/2", "3/2", "7"]),
    (response, "", "relation.priors.class", "hull"),
    (collapse, "", "claim.certainty.0.prior", True, -1),
    (collapse, "", "claim.certainty.0.fewest", {"outputs": [0, 1], "more": 0}),
    (response, "", "claim.certainty.0.fewest", [], "", 0),
    (response, "", "witness.more", []),
    (in_turn, "", "claim.alone.1.exp_epsilon", 3),
)


def two_priors() -> Any:
    """The response under two priors, of which the second allows three worlds: given t, which is
    1 or 2 with the same weight, the first output has 1/4 or 1/2, so 3/8 on average."""
    columns = {"0": ["3/4", "1/4"], "1": ["1/4", "3/4"], "2": ["1/2", "1/2"]}
    never = {"pair": None, "fewest": None, "expected": None}
    first = {"prior": 0, **never, "probability": [mean("0", "0", average="0")] * 2}
    second = {"prior": 1, **never, "probability": [mean("0", "0", "0", average="0")]}
    third = {**first, "probability": first["probability"][:1]}
    # 0 0: 9/16 against (1/16 + 1/4) / 2 = 5/32; 0 against 3/8; the first prior has 3 and 9
    return certificate(
        columns,
        {"s": [0], "t": [1, 2]},
        [["1/2", "1/2", "0"], ["1/2", "1/4", "1/4"]],
        {
            "steps": [[0, 1]],
            "alone": [],
            "rows": [{"exp_epsilon": "3"}, {"exp_epsilon": "9"}],
            "certainty": [first, third, second],
            "trajectories": [
                {
                    "prior": 1,
                    "pair": ["s", "t"],
                    "outputs": [0, 0],
                    "odds": ["1", "2", "18/5"],
                    "world": None,
                }
            ],
        },
        {
            "alone": [],
            "rows": [
                {"prior": 0, "pair": ["s", "t"], "outputs": [0]},
                {"prior": 0, "pair": ["s", "t"], "outputs": [0, 0]},
            ],
        },
    )


def test_two_priors() -> None:
    good = two_priors()
    accepted(good)
    exchanged = deepcopy(good)
    exchanged["relation"]["priors"]["priors"].reverse()
    rejected(exchanged)
    for path, words in (
        ((*WITNESS, 0, "prior", 1), "too large"),
        ((*ROWS, 1, "exp_epsilon", "18/5"), "too small"),
        ((*ODDS, 0, "prior", 0), "other odds"),
        ((*CERTAIN, 2, "prior", 0), "another probability"),
        (("relation", "priors", "priors", 1, ["1/2", "-1/4", "3/4"]), "no distribution"),
        (("relation", "priors", "priors", 1, ["1/2", "1/2"]), "no distribution"),
        (("relation", "priors", "priors", 0, ["3/2", "-1/2", "0"]), "no distribution"),
        (("relation", "priors", "priors", 1, ["1", "0", "0"]), ""),
    ):
        rejected(edited(good, *path), words)
    second = deepcopy(good)  # alone: 5/8 against 1/4 of output 1; 13/32 against 1/16 of 1 1
    second["relation"]["priors"]["priors"].reverse()
    second["relation"]["priors"]["priors"].pop()
    second["claim"] |= {"certainty": [], "trajectories": []}
    second["claim"]["rows"] = [{"exp_epsilon": "5/2"}, {"exp_epsilon": "13/2"}]
    for k, witness in enumerate(second["evidence"]["witness"]["rows"]):
        witness |= {"pair": ["t", "s"], "outputs": [1] * (k + 1)}
    second["claim"]["rows"].append({"exp_epsilon": "35/2"})  # (27/64 + 1/8) / 2 against 1/64
    three = {"prior": 0, "pair": ["t", "s"], "outputs": [1, 1, 1]}
    second["evidence"]["witness"]["rows"].append(three)
    accepted(second)
    for at, level in ((0, "2"), (1, "18/5"), (2, "6")):  # what output 0 needs, the other way
        lie = edited(second, *ROWS, at, "exp_epsilon", level)
        lie["evidence"]["witness"]["rows"][at] = {
            "prior": 0,
            "pair": ["s", "t"],
            "outputs": [0] * (at + 1),
        }
        rejected(lie, "too small")
    second["claim"]["rows"].pop()
    second["evidence"]["witness"]["rows"].pop()
    # a second prior that is worse than the first one must not be overlooked
    worse = deepcopy(good)
    worse["relation"]["priors"]["priors"].reverse()
    worse["claim"] |= {"certainty": [], "trajectories": []}
    worse["claim"]["rows"] = second["claim"]["rows"]
    worse["evidence"] = deepcopy(second["evidence"])
    rejected(worse, "too small")
    worse["evidence"] = deepcopy(good["evidence"])
    for at in (0, 1):
        worse["evidence"]["witness"]["rows"][at]["prior"] = 1
    worse["claim"]["rows"] = [{"exp_epsilon": "3"}, {"exp_epsilon": "9"}]
    accepted(worse)


def test_a_leakage_for_each_step_or_none() -> None:
    good = in_turn()
    accepted(edited(edited(good, "claim", "alone", []), "evidence", "witness", "alone", []))
    short = edited(good, "claim", "alone", good["claim"]["alone"][:1])
    short["evidence"]["witness"]["alone"].pop()
    assert "each step" in check(short).reason
    long = edited(good, "claim", "alone", [*good["claim"]["alone"], {"exp_epsilon": "1"}])
    long["evidence"]["witness"]["alone"].append(None)
    assert "each step" in check(long).reason


NEVER = {"prior": 0, "pair": None, "fewest": None, "probability": [], "expected": None}


@pytest.mark.parametrize("said", [{}, *({key: True} for key in ("alone", "rows", "trajectories"))])
def test_something_is_claimed(said: Any) -> None:
    document = response()
    for key in ("alone", "rows", "trajectories"):
        if key not in said:
            document["claim"][key] = []
            if key != "trajectories":
                document["evidence"]["witness"][key] = []
    for certain in ([], [NEVER], [NEVER, NEVER]):
        document["claim"]["certainty"] = certain
        if said:
            accepted(document)
        else:
            assert "nothing is claimed" in check(document).reason
    for part in (
        {"fewest": {}},
        {"probability": [mean("0", "0", average="0")]},
        {"expected": mean("infinite", "infinite", average="infinite")},
    ):
        document["claim"]["certainty"] = [NEVER, {**NEVER, **part}]
        accepted(document)


def test_outputs_are_integers() -> None:
    """1 is True, and 1.0, for Python."""
    good = response()
    for junk in (True, 1.0, Fraction(1)):
        document = edited(good, *ODDS, 1, "outputs", [0, junk])
        assert check(document).outcome != "accepted"
        document = edited(good, *WITNESS, 0, {"prior": 0, "pair": ["t", "s"], "outputs": [junk]})
        assert check(document).outcome != "accepted"
    accepted(edited(good, *WITNESS, 0, {"prior": 0, "pair": ["t", "s"], "outputs": [1]}))
    found = collapse()
    for junk in (True, 1.0):
        document = edited(found, *CERTAIN, 0, "fewest", {"outputs": [0, junk]})
        assert check(document).outcome != "accepted"
    runs = Runs([[0, 1]], Table([Fraction(1, 2)], [[0, 0]] * 2))
    runs.follows([0, 1, 1])
    for outputs in ([True], [1.0], [2], [-1], (0,), {0: 0}):
        with pytest.raises((Refused, Rejected)):
            runs.follows(outputs)


def test_long_numbers_at_the_exact_level() -> None:
    """Likelihoods of 60 digits, whose heads do not settle what is equal: the level is exact."""
    unit = 10**60 + 7
    p, q = Fraction(10**60 - 1, 3 * unit), Fraction(10**59 + 3, 7 * unit)
    level, other = p / q, (1 - q) / (1 - p)
    assert level > other > 1
    hair = Fraction(1, 10**58)
    for change, outcome in ((Fraction(0), "accepted"), (hair, "rejected"), (-hair, "rejected")):
        rows = [{"exp_epsilon": str(level + change)}, {"exp_epsilon": str((level + change) ** 2)}]
        claim = {"steps": [[0, 1]], "alone": [], "rows": rows, "certainty": []}
        document = certificate(
            {"0": [str(p), str(1 - p)], "1": [str(q), str(1 - q)]},
            {"s": [0], "t": [1]},
            [["1/3", "2/3"]],
            {**claim, "trajectories": []},
            {
                "alone": [],
                "rows": [{"prior": 0, "pair": ["s", "t"], "outputs": [0] * k} for k in (1, 2)],
            },
        )
        assert check(document).outcome == outcome


@pytest.mark.parametrize("steps", [[[]], [[0, 1], []], [[0, 1], [0, 0]], [[0, 1], [True]]])
def test_steps_have_different_outputs(steps: Any) -> None:
    document = edited(response(), "claim", "steps", steps)
    document["claim"] |= {"alone": [], "certainty": [], "trajectories": []}
    document["evidence"]["witness"]["alone"] = []
    assert check(document).outcome == "refused"
    again = edited(document, "claim", "steps", [[0, 1], [0, 1]])
    accepted(again)


def test_every_output_is_looked_at() -> None:
    """1/2, 1/4, 1/4 against 1/2, 1/8, 3/8: 2 by the second output, 3/2 by the third one."""
    columns = {"0": ["1/2", "1/4", "1/4"], "1": ["1/2", "1/8", "3/8"]}
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        at = order.index(1)
        witness = {"prior": 0, "pair": ["s", "t"], "outputs": [at]}
        for level, outcome in (("2", "accepted"), ("3/2", "rejected"), ("1", "rejected")):
            claim = {"steps": [[0, 1, 2]], "alone": [], "rows": [{"exp_epsilon": level}]}
            document = certificate(
                {name: [row[o] for o in order] for name, row in columns.items()},
                {"s": [0], "t": [1]},
                [["1/2", "1/2"]],
                {**claim, "certainty": [], "trajectories": []},
                {"alone": [], "rows": [witness]},
            )
            assert check(document).outcome == outcome


def leaking(columns: Any, steps: Any, levels: list[str], pair: list[str], outputs: Any) -> str:
    """The outcome of levels after 1, 2, … runs, with the first ones of these outputs as witness."""
    rows = [{"exp_epsilon": level} for level in levels]
    shown = [
        None if level == "1" else {"prior": 0, "pair": pair, "outputs": outputs[: k + 1]}
        for k, level in enumerate(levels)
    ]
    size = len(columns)
    secrets = {"s": list(range(0, size, 2)), "t": list(range(1, size, 2))}
    document = certificate(
        columns,
        secrets,
        [[str(Fraction(1, size))] * size],
        {"steps": steps, "alone": [], "rows": rows, "certainty": [], "trajectories": []},
        {"alone": [], "rows": shown},
    )
    return str(check(document).outcome)


def test_steps_whose_outputs_are_combined_in_any_order() -> None:
    """s: 1/2, 1/2 twice; t: 3/4, 1/4 and 1/4, 3/4. The second output, then the first one, need 2
    and 4; the other way round t needs 3/2 and 9/4."""
    columns = {"s": ["1/4"] * 4, "t": ["3/8", "1/8", "1/8", "3/8"]}
    steps = [[0, 1], [2, 3]]
    assert leaking(columns, steps, ["2", "4"], ["s", "t"], [1, 2]) == "accepted"
    assert leaking(columns, steps, ["2", "4", "8"], ["s", "t"], [1, 2, 1]) == "accepted"
    for wrong in (["2", "9/4"], ["2", "2"], ["3/2", "9/4"]):
        assert leaking(columns, steps, wrong, ["t", "s"], [0, 3]) == "rejected"


def test_three_steps_in_turn() -> None:
    """Steps that say nothing, and one that tells 3 to 1: it comes second, or third."""
    columns = {"s": ["1/3", "1/4", "1/12", "1/3"], "t": ["1/3", "1/12", "1/4", "1/3"]}
    for steps, outputs, levels in (
        ([[0], [1, 2], [3]], [0, 1, 3, 0, 1], ["1", "3", "3", "3", "9"]),
        ([[0], [3], [1, 2]], [0, 3, 1, 0, 3], ["1", "1", "3", "3", "3"]),
    ):
        assert leaking(columns, steps, levels, ["s", "t"], outputs) == "accepted"
        for k in range(1, 5):
            lie = [
                *levels[:k],
                levels[k - 1] if levels[k] != levels[k - 1] else "4",
                *levels[k + 1 :],
            ]
            assert leaking(columns, steps, lie, ["s", "t"], outputs) == "rejected"


def test_outputs_that_no_world_has_together() -> None:
    """Two pairs of equal worlds, and what one pair says the other one never does."""
    columns = {"a": ["1", "0"], "b": ["1", "0"], "c": ["0", "1"], "d": ["0", "1"]}
    assert leaking(columns, [[0, 1]], ["1", "1", "1"], ["s", "t"], [0, 0, 0]) == "accepted"
    assert leaking(columns, [[0, 1]], ["1", "2"], ["s", "t"], [0, 1]) == "rejected"


def test_the_shortest_of_several_steps() -> None:
    """The first step tells nothing; only an odd number of runs more does."""
    document = in_turn()
    document["claim"]["certainty"][0]["probability"] = [mean("0", "0", average="0")] * 3
    accepted(document)
    for wrong in ({"outputs": [0, 2]}, {"outputs": [0]}, {"outputs": []}):
        rejected(edited(document, *CERTAIN, 0, "fewest", wrong), "nothing is certain")


def test_as_many_outputs_as_runs() -> None:
    """Three outputs would prove 27 of two runs; one proves 3."""
    document = edited(response(), *ROWS, 1, "exp_epsilon", "27")
    document = edited(document, *WITNESS, 1, "outputs", [0, 0, 0])
    document["claim"]["rows"].pop()
    document["evidence"]["witness"]["rows"].pop()
    assert check(document).outcome == "refused"
    for outputs in ([0], []):
        assert check(edited(response(), *WITNESS, 1, "outputs", outputs)).outcome == "refused"


def test_the_second_output_before_the_first_one_is_tried() -> None:
    """As above: 4 is needed of s, 1 and then 2; 9/4 of t is too small."""
    columns = {"s": ["1/4"] * 4, "t": ["3/8", "1/8", "1/8", "3/8"]}
    rows = [{"exp_epsilon": "2"}, {"exp_epsilon": "9/4"}]
    shown = [
        {"prior": 0, "pair": ["s", "t"], "outputs": [1]},
        {"prior": 0, "pair": ["t", "s"], "outputs": [0, 3]},
    ]
    claim = {"steps": [[0, 1], [2, 3]], "alone": [], "rows": rows, "certainty": []}
    evidence = {"alone": [], "rows": shown}
    secrets = {"s": [0], "t": [1]}
    claim["trajectories"] = []
    rejected(certificate(columns, secrets, [["1/2", "1/2"]], claim, evidence), "too small")


def test_nothing_has_no_odds() -> None:
    """After an output that neither has, the odds are 0 to 0."""
    columns = {"a": ["1", "0"], "b": ["1", "0"], "c": ["0", "1"]}
    for outputs, odds, outcome in (
        ([0], ["1", "1"], "accepted"),
        ([1], ["1", "1"], "rejected"),
        ([1], ["1", "7"], "rejected"),
        ([1], ["1", "infinite"], "rejected"),
    ):
        said = {"prior": 0, "pair": ["s", "t"], "outputs": outputs, "odds": odds, "world": None}
        claim = {"steps": [[0, 1]], "alone": [], "rows": [], "certainty": []}
        document = certificate(
            columns,
            {"s": [0], "t": [1]},
            [["1/3", "1/3", "1/3"]],
            {**claim, "trajectories": [said]},
            {"alone": [], "rows": []},
        )
        assert check(document).outcome == outcome


def test_no_other_answer() -> None:
    document = response()
    document["claim"]["value"] = "1"
    assert check(document).outcome == "refused"
