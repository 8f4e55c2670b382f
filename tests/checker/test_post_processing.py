"""Certificates of mixtures of post-processings, made by hand; broken siblings are rejected."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.conftest import digest_of, mechanism_model
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected

Json = dict[str, Any]
HAIR = Fraction(1, 10**50)

ERASURE = {"l": ["1/2", "0", "1/2"], "r": ["0", "1/2", "1/2"]}  # left, right, nothing
RESPONSE = {"l": ["4/5", "1/5"], "r": ["1/5", "4/5"]}
IDENTITY = {"l": ["1", "0"], "r": ["0", "1"]}
# half of the runs guess after erasure, right with 3/4, half are the response: 31/40
BLEND = {"l": ["31/40", "9/40"], "r": ["9/40", "31/40"]}


def certificate(mechanism: Json, given: dict[str, Json], verdict: str, witness: Json) -> Json:
    listed = []
    for name, columns in given.items():
        model = mechanism_model(columns)
        listed.append({"name": name, **{key: model[key] for key in model if key != "worlds"}})
    model = {**mechanism_model(mechanism), "given": listed}
    return {
        "format": "verifier-certificate",
        "version": 2,
        "claim": {
            "definition": "made by hand",
            "kind": "post_processing",
            "verdict": verdict,
            "digest": digest_of(model),
        },
        "model": model,
        "relation": None,
        "evidence": {"witness": witness},
    }


def blend() -> Json:
    guess = [[[0, "1"]], [[1, "1"]], [[0, "1/2"], [1, "1/2"]]]
    keep = [[[0, "1"]], [[1, "1"]]]
    parts = [
        {"weight": "1/2", "post_processing": guess},
        {"weight": "1/2", "post_processing": keep},
    ]
    given = {"erasure": ERASURE, "response": RESPONSE}
    return certificate(BLEND, given, "holds", {"mixture": parts})


def test_every_output_of_a_mixture_is_compared() -> None:
    """Left stays, and the other two outputs of erasure are exchanged."""
    for kept, outcome in (([0, 1, 2], "accepted"), ([0, 2, 1], "rejected")):
        part = {"weight": "1", "post_processing": [[[place, "1"]] for place in kept]}
        document = certificate(ERASURE, {"erasure": ERASURE}, "holds", {"mixture": [part]})
        assert check(document).outcome == outcome


def guessed() -> Json:
    """Who guesses the world is right with 3/4 after erasure, with 4/5 after the response."""
    payoff = {"0": ["1", "0"], "1": ["0", "1"]}
    witness = {"payoff": payoff, "earns": "2", "best": "8/5"}
    given = {"erasure": ERASURE, "response": RESPONSE}
    return certificate(IDENTITY, given, "violated", witness)


def one_row() -> Json:
    """Output 0 makes l more than four times likelier; the other output pays nothing."""
    witness = {"payoff": {"0": ["1", "-4"]}, "earns": "1", "best": "0"}
    return certificate(IDENTITY, {"response": RESPONSE}, "violated", witness)


@pytest.mark.parametrize("make", [blend, guessed, one_row])
def test_good_ones(make: Callable[[], Json]) -> None:
    accepted(make())


def test_a_mechanism_of_weight_0() -> None:
    given = {"identity": IDENTITY, "response": RESPONSE}
    parts = [
        {"weight": "1", "post_processing": [[[0, "1"]], [[1, "1"]]]},
        {"weight": "0", "post_processing": []},
    ]
    accepted(certificate(IDENTITY, given, "holds", {"mixture": parts}))
    parts[1]["post_processing"] = [[[0, "1"]], [[1, "1"]]]
    assert check(certificate(IDENTITY, given, "holds", {"mixture": parts})).outcome == "refused"


def parts_of(document: Json) -> list[Json]:
    parts: list[Json] = document["evidence"]["witness"]["mixture"]
    return parts


@pytest.mark.parametrize(
    ("edit", "word"),
    [
        (lambda d: d["claim"].update(verdict="violated"), "verdict"),
        (lambda d: parts_of(d)[0].update(weight="1/3"), "weights"),
        (
            lambda d: [
                part.update(weight=w) for part, w in zip(parts_of(d), ("2/3", "1/3"), strict=True)
            ],
            "another mechanism",
        ),
        (
            lambda d: [
                part.update(weight=w) for part, w in zip(parts_of(d), ("2", "-1"), strict=True)
            ],
            "negative",
        ),
        (
            lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[1, "1"]]),
            "another mechanism",
        ),
        (
            lambda d: parts_of(d)[0]["post_processing"].__setitem__(2, [[0, "1/2"], [1, "1/3"]]),
            "sum to 1",
        ),
        (
            lambda d: parts_of(d)[0]["post_processing"].__setitem__(2, [[0, "3/2"], [1, "-1/2"]]),
            "negative",
        ),
        (lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, []), "sum to 1"),
        (lambda d: parts_of(d).reverse(), "another"),
    ],
)
def test_broken_mixtures(build: Any, edit: Callable[[Json], object], word: str) -> None:
    document = build.edited(blend(), edit)
    assert check(document).outcome != "accepted"
    if word != "another":
        rejected(document, word)


def test_a_hair_beside_the_mixture() -> None:
    document = blend()
    left = [str(Fraction(31, 40) + HAIR), str(Fraction(9, 40) - HAIR)]
    witness = document["evidence"]["witness"]
    given = {"erasure": ERASURE, "response": RESPONSE}
    rejected(certificate({**BLEND, "l": left}, given, "holds", witness), "another mechanism")


@pytest.mark.parametrize(
    ("make", "change", "word"),
    [
        (guessed, {"earns": "3"}, "another sum"),
        (guessed, {"best": "3/2"}, "best is another"),
        (guessed, {"best": "9/5"}, "best is another"),
        (guessed, {"payoff": {"0": ["1", "0"], "1": ["0", "0"]}}, "another sum"),
        (one_row, {"payoff": {"0": ["1", "-3"]}}, "best is another"),
        (one_row, {"payoff": {"0": ["1", "-3"]}, "best": "1/5"}, ""),
        (one_row, {"payoff": {}, "earns": "0", "best": "0"}, "may earn as much"),
        (one_row, {"payoff": {"0": ["0", "0"], "1": ["0", "0"]}, "earns": "0"}, "may earn"),
    ],
)
def test_payoffs(make: Callable[[], Json], change: Json, word: str) -> None:
    document = make()
    document["evidence"]["witness"].update(change)
    if word:
        rejected(document, word)
    else:  # (1, -3) still pays 1 with certainty, and at most 4/5 - 3/5 after the response
        accepted(document)


def test_the_best_of_all_given_mechanisms_counts() -> None:
    document = guessed()
    document["evidence"]["witness"]["best"] = "3/2"
    rejected(document, "best is another")
    given = {"response": RESPONSE, "erasure": ERASURE}
    accepted(certificate(IDENTITY, given, "violated", guessed()["evidence"]["witness"]))
    given = {"response": RESPONSE, "identity": IDENTITY}
    witness = {**guessed()["evidence"]["witness"], "best": "2"}
    rejected(certificate(IDENTITY, given, "violated", witness), "may earn as much")


def test_unlisted_outputs_pay_nothing_and_are_announced_too() -> None:
    """With both outputs paying, a loss cannot be avoided."""
    witness = {"payoff": {"0": ["1", "-4"], "1": ["0", "-1"]}, "earns": "0", "best": "-4/5"}
    accepted(certificate(IDENTITY, {"response": RESPONSE}, "violated", witness))
    witness = {"payoff": {"0": ["1", "-4"]}, "earns": "1", "best": "-4/5"}
    rejected(certificate(IDENTITY, {"response": RESPONSE}, "violated", witness), "another")


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d.update(relation={"rule": "all"}),
        lambda d: d["claim"].update(level={"exp_epsilon": "2", "delta": "0"}),
        lambda d: d["evidence"].update(witness=None),
        lambda d: d["evidence"].update(witness={"mixture": []}),
        lambda d: d["evidence"]["witness"].update(payoff={}),
        lambda d: parts_of(d).pop(),
        lambda d: parts_of(d)[0].update(note="x"),
        lambda d: parts_of(d)[0]["post_processing"].pop(),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[2, "1"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[-1, "1"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[0, "1/2"], [0, "1/2"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[0, 1.0]]),
        lambda d: parts_of(d)[0].update(weight=0.5),
        lambda d: d["model"].update(given=[]),
        lambda d: d["model"].update(given={}),
        lambda d: d["model"].pop("given"),
        lambda d: d["model"]["given"][0].update(worlds=["l", "r"]),
        lambda d: d["model"]["given"][1].update(name="erasure"),
        lambda d: d["model"]["given"][0]["columns"].pop(),
        lambda d: d["model"]["given"][0].update(values=["0", "1/3"]),
    ],
)
def test_malformed(build: Any, edit: Callable[[Json], object]) -> None:
    assert check(build.edited(blend(), edit)).outcome != "accepted"


def test_payoffs_of_outputs_that_are_none() -> None:
    for output in ("2", "-1", "x", "1.0"):
        document = one_row()
        document["evidence"]["witness"]["payoff"] = {output: ["1", "-4"]}
        assert check(document).outcome != "accepted"
    document = one_row()
    document["evidence"]["witness"]["payoff"] = {"0": ["1", "-4"], "00": ["1", "-4"]}
    assert check(document).outcome != "accepted"
    document["evidence"]["witness"]["payoff"] = {"0": ["1"]}
    assert check(document).outcome != "accepted"


def test_the_digest_covers_the_given_mechanisms() -> None:
    document = one_row()
    better = mechanism_model({"l": ["9/10", "1/10"], "r": ["1/10", "9/10"]})
    document["model"]["given"][0].update(values=better["values"], columns=better["columns"])
    rejected(document, "digest")


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: parts_of(d)[0]["post_processing"].pop(),
        lambda d: parts_of(d)[0]["post_processing"].append([[0, "1"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[0, "1/2"], [0, "1/2"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[0, "1"], [0, "1"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[0, "1"], [-1, "0"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, [[0, "1", "0"]]),
        lambda d: parts_of(d)[0]["post_processing"].__setitem__(0, {}),
        lambda d: parts_of(d)[0].update(more=0),
        lambda d: parts_of(d).append({"weight": "0", "post_processing": []}),
        lambda d: d["evidence"]["witness"].update(more=0),
        lambda d: d["claim"].update(steps="1"),
        lambda d: d.update(relation={}),
    ],
)
def test_what_is_refused(build: Any, edit: Callable[[Json], object]) -> None:
    assert check(build.edited(blend(), edit)).outcome == "refused"


def test_every_given_mechanism_has_a_part() -> None:
    given = {"identity": IDENTITY, "response": RESPONSE}
    kept = {"weight": "1", "post_processing": [[[0, "1"]], [[1, "1"]]]}
    assert check(certificate(IDENTITY, given, "holds", {"mixture": [kept]})).outcome == "refused"
    for rows in ([[[0, "1"]]], [[[0, "1"]], [[1, "1"]], []]):
        parts = [{**kept, "post_processing": rows}, {"weight": "0", "post_processing": []}]
        document = certificate(IDENTITY, given, "holds", {"mixture": parts})
        assert check(document).outcome == "refused"


def test_an_output_that_never_occurs_is_processed_too() -> None:
    never = {"l": ["1", "0", "0"], "r": ["0", "1", "0"]}
    rows: list[Any] = [[[0, "1"]], [[1, "1"]], [[0, "1/2"], [1, "1/2"]]]
    parts = [{"weight": "1", "post_processing": rows}]
    accepted(certificate(IDENTITY, {"never": never}, "holds", {"mixture": parts}))
    parts[0]["post_processing"] = rows[:2]
    document = certificate(IDENTITY, {"never": never}, "holds", {"mixture": parts})
    assert check(document).outcome == "refused"
    parts[0]["post_processing"] = [*rows[:2], [[0, "1/2"]]]
    rejected(certificate(IDENTITY, {"never": never}, "holds", {"mixture": parts}), "sum to 1")
    parts[0]["post_processing"] = [*rows[:2], [[0, "2"], [1, "-1"]]]
    rejected(certificate(IDENTITY, {"never": never}, "holds", {"mixture": parts}), "negative")


def test_payoffs_of_fractions_with_different_denominators() -> None:
    """Right in l pays 1/2, in r 1/3: 5/6 with the identity, 4/5 of it after the response."""
    payoff = {"0": ["1/2", "0"], "1": ["0", "1/3"]}
    witness = {"payoff": payoff, "earns": "5/6", "best": "2/3"}
    accepted(certificate(IDENTITY, {"response": RESPONSE}, "violated", witness))
    for change in ({"earns": "1"}, {"best": "3/5"}, {"best": "5/6"}, {"earns": "2/3"}):
        document = certificate(IDENTITY, {"response": RESPONSE}, "violated", witness | change)
        assert check(document).outcome == "rejected"
    same = {"payoff": payoff, "earns": "5/6", "best": "5/6"}
    rejected(certificate(IDENTITY, {"identity": IDENTITY}, "violated", same), "may earn as much")
    for shown in ({**witness, "more": 0}, {**witness, "payoff": {"0": ["1"], "1": ["1"]}}):
        document = certificate(IDENTITY, {"response": RESPONSE}, "violated", shown)
        assert check(document).outcome == "refused"


TOLD = {"l": ["e/(1 + e)", "1/(1 + e)"], "r": ["1/(1 + e)", "e/(1 + e)"]}
COIN = {"l": ["1/2", "1/2"], "r": ["1/2", "1/2"]}


def test_a_mixture_with_powers_of_e_is_compared_as_an_identity() -> None:
    """Half and half, 1/(1 + e) and e/(1 + e) make 1/2; no enclosure of e shows that."""
    for last, outcome in (("1/2", "accepted"), ("499999999999999/1000000000000000", "rejected")):
        rest = str(1 - Fraction(last))
        part = {
            "weight": "1",
            "post_processing": [[[0, "1/2"], [1, "1/2"]], [[0, last], [1, rest]]],
        }
        found = check(certificate(COIN, {"told": TOLD}, "holds", {"mixture": [part]}))
        assert found.outcome == outcome, found.reason


@pytest.mark.parametrize(("left", "kept"), [("e", "1 + e + e^2"), ("e^2", "1 + 2*e")])
def test_a_post_processing_with_powers_of_e(left: str, kept: str) -> None:
    """Told with odds e^2 : 1, and turned round with e/(1 + e)^2, it is told with odds e : 1."""
    louder = {"l": ["e^2/(1 + e^2)", "1/(1 + e^2)"], "r": ["1/(1 + e^2)", "e^2/(1 + e^2)"]}
    stays, turned = f"({kept})/(1 + 2*e + e^2)", f"{left}/(1 + 2*e + e^2)"
    listed = [[[0, stays], [1, turned]], [[0, turned], [1, stays]]]
    part = {"weight": "1", "post_processing": listed}
    found = check(certificate(TOLD, {"louder": louder}, "holds", {"mixture": [part]}))
    assert found.outcome == ("accepted" if left == "e" else "rejected"), found.reason


def test_payoffs_with_powers_of_e() -> None:
    """Guessed right the truth earns 2e/(1 + e), and a coin 1."""
    pays = {"0": ["1", "0"], "1": ["0", "1"]}
    for earns, best, outcome in (
        ("2*e/(1 + e)", "1", "accepted"),
        ("2*e/(1 + e)", "e/(1 + e)", "rejected"),
        ("e", "1", "rejected"),
    ):
        witness = {"payoff": pays, "earns": earns, "best": best}
        made = certificate(TOLD, {"coin": COIN}, "violated", witness)
        assert check(made).outcome == outcome
    witness = {"payoff": pays, "earns": "1", "best": "2*e/(1 + e)"}
    assert check(certificate(COIN, {"told": TOLD}, "violated", witness)).outcome == "rejected"
