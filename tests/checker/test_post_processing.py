"""Certificates of mixtures of post-processings, made by hand; broken siblings are rejected."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.checker.conftest import digest_of, mechanism_model
from tests.checker.drafts import check, draft
from tests.checker.outcomes import accepted, rejected

Json = dict[str, Any]
HAIR = Fraction(1, 10**50)

ERASURE = {"l": ["1/2", "0", "1/2"], "r": ["0", "1/2", "1/2"]}  # left, right, nothing
RESPONSE = {"l": ["4/5", "1/5"], "r": ["1/5", "4/5"]}
IDENTITY = {"l": ["1", "0"], "r": ["0", "1"]}
# half of the runs guess after erasure, right with 3/4, half are the response: 31/40
GUESS = {"0": ["1", "0"], "1": ["0", "1"]}  # pays 1 for each world that is told right
BLEND = {"l": ["31/40", "9/40"], "r": ["9/40", "31/40"]}


def certificate(mechanism: Json, given: dict[str, Json], verdict: str, witness: Json) -> Json:
    listed = []
    for name, columns in given.items():
        model = mechanism_model(columns)
        listed.append({"name": name, **{key: model[key] for key in model if key != "worlds"}})
    model = {**mechanism_model(mechanism), "given": listed}
    return draft("post_processing", model, None, witness, verdict=verdict)


def blend() -> Json:
    """Half of the runs guess after erasure, the other half are the response."""
    given = {"erasure": ERASURE, "response": RESPONSE}
    weights = [
        [[0, 0, "1/2"], [0, 2, "1/4"], [1, 0, "1/2"]],
        [[0, 1, "1/2"], [0, 2, "1/4"], [1, 1, "1/2"]],
    ]
    return certificate(BLEND, given, "holds", {"weights": weights})


def guessed() -> Json:
    """Who guesses the world is right with 3/4 after erasure, with 4/5 after the response."""
    given = {"erasure": ERASURE, "response": RESPONSE}
    return certificate(IDENTITY, given, "violated", {"payoff": GUESS})


def one_row() -> Json:
    """Output 0 makes l more than four times likelier; the other output pays nothing."""
    given = {"response": RESPONSE}
    return certificate(IDENTITY, given, "violated", {"payoff": {"0": ["1", "-4"]}})


def witness(document: Json) -> Json:
    found: Json = document["evidence"]["witness"]
    return found


def test_good_ones() -> None:
    for make in (blend, guessed, one_row):
        accepted(make())


def test_every_output_of_a_mixture_is_compared() -> None:
    """Left stays, and the other two outputs of erasure are exchanged."""
    for kept, outcome in (([0, 1, 2], "accepted"), ([0, 2, 1], "rejected")):
        weights = [[[0, place, "1"]] for place in kept]
        document = certificate(ERASURE, {"erasure": ERASURE}, "holds", {"weights": weights})
        assert check(document).outcome == outcome


def test_a_row_may_be_made_where_a_mechanism_may_not() -> None:
    """Each row of the identity is twice a row of erasure, whose third output is then not used."""
    doubled = {"weights": [[[0, 0, "2"]], [[0, 1, "2"]]]}
    document = certificate(IDENTITY, {"erasure": ERASURE}, "holds", doubled)
    rejected(document, "used unequally")
    document["claim"]["kind"] = "row_cone"
    accepted(document)


def test_broken_weights(build: Any) -> None:
    edits: dict[str, list[Any]] = {
        "the verdict must be": [lambda d: d["claim"].update(verdict="violated")],
        "another row": [
            lambda d: witness(d)["weights"][0].pop(),
            lambda d: witness(d)["weights"].__setitem__(0, []),
            lambda d: witness(d).update(weights=[[], []]),
            lambda d: witness(d)["weights"].reverse(),
            lambda d: witness(d)["weights"][0][0].__setitem__(2, "0"),
            lambda d: witness(d)["weights"][0][0].__setitem__(2, str(Fraction(1, 2) + HAIR)),
            lambda d: witness(d)["weights"][0].append([1, 1, str(10**40)]),
        ],
        "negative": [lambda d: witness(d)["weights"][0][0].__setitem__(2, "-1/2")],
    }
    for word, listed in edits.items():
        for edit in listed:
            rejected(build.edited(blend(), edit), word)


def test_a_row_stands_once(build: Any) -> None:
    def in_parts(document: Json) -> None:
        terms = witness(document)["weights"][0]
        terms[0] = [0, 0, "1/3"]
        terms += [[0, 0, "1/6"], [0, 1, "0"]]

    assert check(build.edited(blend(), in_parts)).reason == "a row stands twice"


def test_a_hair_beside_the_mixture() -> None:
    left = [str(Fraction(31, 40) + HAIR), str(Fraction(9, 40) - HAIR)]
    given = {"erasure": ERASURE, "response": RESPONSE}
    rejected(certificate({**BLEND, "l": left}, given, "holds", witness(blend())), "another row")


def test_payoffs(build: Any) -> None:
    """(1, -3) still pays 1 with certainty, and at most 4/5 - 3/5 after the response."""
    for make, payoff, word in (
        (guessed, {"0": ["1", "0"], "1": ["0", "0"]}, "as much"),
        (guessed, {"0": ["1", "0"]}, "as much"),
        (one_row, {"0": ["1", "-3"]}, ""),
        (one_row, {"0": ["1", "0"]}, "as much"),
        (one_row, {"0": ["-1", "-4"]}, "as much"),
        (one_row, {}, "as much"),
        (one_row, {"0": ["0", "0"], "1": ["0", "0"]}, "as much"),
        (one_row, {"0": ["1/2", "0"], "1": ["0", "1/3"]}, ""),  # 5/6, and 4/5 of it
    ):
        document = build.edited(make(), lambda d, p=payoff: witness(d).update(payoff=p))
        rejected(document, word) if word else accepted(document)


def test_the_best_of_all_given_mechanisms_counts() -> None:
    given = {"response": RESPONSE, "erasure": ERASURE}
    accepted(certificate(IDENTITY, given, "violated", {"payoff": GUESS}))
    for given in ({"response": RESPONSE, "same": IDENTITY}, {"same": IDENTITY, "late": RESPONSE}):
        rejected(certificate(IDENTITY, given, "violated", {"payoff": GUESS}), "as much")


def test_unlisted_outputs_pay_nothing_and_are_announced_too() -> None:
    """With both outputs paying, a loss cannot be avoided."""
    for payoff, outcome in (
        ({"0": ["1", "-4"], "1": ["0", "-1"]}, "accepted"),  # 0 against -4/5
        ({"0": ["0", "-4"], "1": ["0", "-1"]}, "rejected"),  # -1 against -1
        ({"0": ["-1", "-1"]}, "rejected"),  # -1 against 0
    ):
        made = certificate(IDENTITY, {"response": RESPONSE}, "violated", {"payoff": payoff})
        assert check(made).outcome == outcome, payoff


def test_what_is_refused(build: Any) -> None:
    edits: list[Any] = [
        lambda d: d.update(relation={"rule": "all"}),
        lambda d: d["claim"].update(level={"exp_epsilon": "2", "delta": "0"}),
        lambda d: d["claim"].update(steps="1"),
        lambda d: d["evidence"].update(witness=None),
        lambda d: d["evidence"].update(witness={}),
        lambda d: witness(d).update(payoff={}),
        lambda d: witness(d).update(more=0),
        lambda d: witness(d).update(weights=[]),
        lambda d: witness(d).update(weights={}),
        lambda d: witness(d)["weights"].pop(),
        lambda d: witness(d)["weights"].append([]),
        lambda d: witness(d)["weights"].__setitem__(0, {}),
        *(
            lambda d, e=entry: witness(d)["weights"][0].__setitem__(0, e)
            for entry in (
                [2, 0, "1/2"],
                [-1, 0, "1/2"],
                [0, 3, "1/2"],
                [0, -3, "1/2"],
                [False, 0, "1/2"],
                [0, 0, 0.5],
                [0, 0],
                [0, 0, "1/2", "0"],
            )
        ),
        lambda d: d["model"].update(given=[]),
        lambda d: d["model"].update(given={}),
        lambda d: d["model"].pop("given"),
        lambda d: d["model"]["given"][0].update(worlds=["l", "r"]),
        lambda d: d["model"]["given"][1].update(name="erasure"),
    ]
    for at, edit in enumerate(edits):
        assert check(build.edited(blend(), edit)).outcome == "refused", at
    for edit in (
        lambda d: d["model"]["given"][0]["columns"].pop(),
        lambda d: d["model"]["given"][0].update(values=["0", "1/3"]),
    ):
        assert check(build.edited(blend(), edit)).outcome != "accepted"


def test_payoffs_that_are_none(build: Any) -> None:
    for payoff in (
        *({output: ["1", "-4"]} for output in ("2", "-1", "x", "1.0", "00")),
        {"0": ["1", "-4"], "00": ["1", "-4"]},
        {"0": ["1"], "1": ["1"]},
        {"0": ["1", "-4", "0"]},
        {"0": []},
        [["1", "-4"]],
        None,
    ):
        document = build.edited(one_row(), lambda d, p=payoff: witness(d).update(payoff=p))
        assert check(document).outcome == "refused", payoff


def test_the_digest_covers_the_given_mechanisms() -> None:
    document = one_row()
    better = mechanism_model({"l": ["9/10", "1/10"], "r": ["1/10", "9/10"]})
    document["model"]["given"][0].update(values=better["values"], columns=better["columns"])
    rejected(document, "digest")


def test_an_output_that_never_occurs_may_be_left_out() -> None:
    """It becomes anything; but an output that occurs is told on with probability 1."""
    never = {"l": ["1", "0", "0"], "r": ["0", "1", "0"]}
    weights: list[Any] = [[[0, 0, "1"]], [[0, 1, "1"]]]
    for more, outcome in (
        ([], "accepted"),
        ([0, 2, "1"], "accepted"),
        ([0, 2, "7"], "accepted"),
        ([0, 2, "-1"], "rejected"),
    ):
        listed = {"weights": [weights[0] + [more] * bool(more), weights[1]]}
        assert check(certificate(IDENTITY, {"never": never}, "holds", listed)).outcome == outcome


TOLD = {"l": ["e/(1 + e)", "1/(1 + e)"], "r": ["1/(1 + e)", "e/(1 + e)"]}
COIN = {"l": ["1/2", "1/2"], "r": ["1/2", "1/2"]}


def told_on(stays: str, turned: str) -> Json:
    return {"weights": [[[0, 0, stays], [0, 1, turned]], [[0, 0, turned], [0, 1, stays]]]}


def test_a_mixture_with_powers_of_e_is_compared_as_an_identity() -> None:
    """Half and half, 1/(1 + e) and e/(1 + e) make 1/2; no enclosure of e shows that."""
    for last, outcome in (("1/2", "accepted"), ("499999999999999/1000000000000000", "rejected")):
        rest = str(1 - Fraction(last))
        found = check(certificate(COIN, {"told": TOLD}, "holds", told_on(last, rest)))
        assert found.outcome == outcome, found.reason


def test_a_post_processing_with_powers_of_e() -> None:
    """Told with odds e^2 : 1, and turned round with e/(1 + e)^2, it is told with odds e : 1."""
    louder = {"l": ["e^2/(1 + e^2)", "1/(1 + e^2)"], "r": ["1/(1 + e^2)", "e^2/(1 + e^2)"]}
    for left, kept, outcome in (
        ("e", "1 + e + e^2", "accepted"),
        ("e^2", "1 + 2*e", "rejected"),
    ):
        made = told_on(f"({kept})/(1 + 2*e + e^2)", f"{left}/(1 + 2*e + e^2)")
        found = check(certificate(TOLD, {"louder": louder}, "holds", made))
        assert found.outcome == outcome, found.reason


def test_payoffs_with_powers_of_e() -> None:
    """Guessed right the truth earns 2e/(1 + e), and a coin 1."""
    accepted(certificate(TOLD, {"coin": COIN}, "violated", {"payoff": GUESS}))
    rejected(certificate(COIN, {"told": TOLD}, "violated", {"payoff": GUESS}), "as much")
    rejected(certificate(TOLD, {"told": TOLD}, "violated", {"payoff": GUESS}), "as much")


def test_many_worlds_are_added_up_at_once() -> None:
    """Among 300 worlds, each told with probability 3/4, a payoff of 1 for each that is guessed
    tells the truth from it; added up one by one that would be 27 million products."""
    names = [f"w{k}" for k in range(300)]
    model = {"worlds": names, "outputs": names, "values": ["1/1196", "3/4"]}
    columns = [[int(o == w) for o in range(300)] for w in range(300)]
    noisy = {**{k: model[k] for k in ("outputs", "values")}, "columns": columns, "name": "noisy"}
    model |= {"values": ["0", "1"], "columns": columns, "given": [noisy]}
    pays = {str(o): ["1" if o == w else "0" for w in range(300)] for o in range(300)}
    document = one_row() | {"model": model, "evidence": {"witness": {"payoff": pays}}}
    document["claim"]["digest"] = digest_of(model)
    accepted(document)
