"""The door from Python: a question asked there is the question that a file asks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from tests.definitions.told import told
from verifier import checker
from verifier.base import document
from verifier.base.registry import DEFINITIONS
from verifier.definitions import (
    bayesian_privacy,
    blowfish,
    bounded_range,
    composition,
    coupled_worlds,
    dependent_privacy,
    differential_privacy,
    distributional_privacy,
    error,
    g_leakage,
    hedging_privacy,
    implies,
    induced_neighbours,
    influence,
    label_privacy,
    maximal_leakage,
    metric_privacy,
    noiseless,
    optimal,
    parallel_composition,
    post_processing,
    pufferfish,
    renyi,
    row_cone,
    sensitivity,
    single_prior_privacy,
    universally_composable,
    zcdp,
)
from verifier.questions.answer import write
from verifier.questions.question import Question
from verifier.run.verify import asked
from verifier.spec import reading

BITS = """
worlds: {records: [ann, bob], domain: [0, 1]}
secrets: {same: ann == bob, other: ann != bob}
pairs: [[same, other]]
priors: {list: [uniform]}
mechanisms:
  response: {randomized_response: {truth: 3/4}}
  worse: {randomized_response: {truth: 5/8}}
checks:
  - """

# for definitions that need attributes
LABELLED = BITS.replace("[0, 1]", "{age: [0, 1], ill: [0, 1]}", 1)

SPACE = verifier.database(["ann", "bob"], [0, 1])
RESPONSE = verifier.mechanism(SPACE, {"randomized_response": {"truth": "3/4"}})
PEOPLE = verifier.database(["ann", "bob"], {"age": [0, 1], "ill": [0, 1]})
HONEST = verifier.mechanism(PEOPLE, {"randomized_response": {"truth": "3/4"}})
WORSE = verifier.mechanism(SPACE, {"randomized_response": {"truth": Fraction(5, 8)}})
THREE = verifier.Level.of_epsilon("ln(3)")
NINE = verifier.Level.of_exp_epsilon(9)
SECRETS = {"same": np.array([True, False, False, True])}
SECRETS["other"] = ~SECRETS["same"]
SAME, OTHER = (verifier.Secret(name, worlds, named=True) for name, worlds in SECRETS.items())
ROUNDED: Any = 0.1
UNIFORM = verifier.listed_priors(SPACE, [["1/4", "1/4", "1/4", "1/4"]])
ABOUT: dict[str, Any] = {"space": SPACE, "mechanism": RESPONSE, "level": NINE}


def private(mechanism: verifier.Mechanism, level: verifier.Level = THREE) -> Question:
    return differential_privacy.question(space=SPACE, mechanism=mechanism, level=level)


def far(mechanism: verifier.Mechanism) -> Question:
    return differential_privacy.question(
        space=SPACE, mechanism=mechanism, level=NINE, neighbours="all"
    )


CASES: list[tuple[str, Callable[[], Question]]] = [
    (
        "{bayesian_privacy: {epsilon: ln(9), known: 1}, mechanism: response}",
        lambda: bayesian_privacy.question(**ABOUT, priors=UNIFORM, known=1),
    ),
    (
        "{blowfish: {exp_epsilon: 9, delta: 0.10, graph: {edges: [[0, 1]]}}, mechanism: response}",
        lambda: blowfish.question(**ABOUT, delta="1/10", graph={"edges": [[0, 1]]}),
    ),
    (
        "{bounded_range: {exp_epsilon: 9, neighbours: all}, mechanism: response}",
        lambda: bounded_range.question(**ABOUT, neighbours="all"),
    ),
    (
        "{renyi: {exp_epsilon: 9, order: 1.5, group: 2}, mechanism: response}",
        lambda: renyi.question(**ABOUT, order="3/2", group=2),
    ),
    (
        "{zcdp: {rho: ln(9)}, mechanism: response}",
        lambda: zcdp.question(**ABOUT),
    ),
    (
        "composition: {exp_epsilon: 9, of: [response, worse]}",
        lambda: composition.question(
            space=SPACE,
            mechanisms=[("response", RESPONSE), ("worse", WORSE)],
            level=NINE,
            pairs=[(SAME, OTHER)],
            priors={"list": ["uniform"]},
        ),
    ),
    (
        "{coupled_worlds: {exp_epsilon: 9, alt: [ann, bob], priv: [bob, ann], indexed: true, "
        "auxiliary: ann == bob}, mechanism: response}",
        lambda: coupled_worlds.question(
            **ABOUT,
            alt=["ann", "bob"],
            priv=["bob", "ann"],
            indexed=True,
            auxiliary="ann == bob",
            priors=UNIFORM,
        ),
    ),
    (
        "{dependent_privacy: {exp_epsilon: 9, priors: all}, mechanism: response}",
        lambda: dependent_privacy.question(**ABOUT, priors="all"),
    ),
    (
        "{differential_privacy: {epsilon: ln(9), neighbours: {hamming: 2}}, mechanism: response}",
        lambda: differential_privacy.question(**ABOUT, neighbours={"hamming": 2}),
    ),
    (
        "{differential_privacy: {exp_epsilon: 9, group: 2}, mechanism: response}",
        lambda: differential_privacy.question(**ABOUT, group=2),
    ),
    (
        "{distributional_privacy: {exp_epsilon: 9, delta: 1/8, indexed: false}, "
        "mechanism: response}",
        lambda: distributional_privacy.question(
            **ABOUT, delta=Fraction(1, 8), indexed=False, priors={"list": ["uniform"]}
        ),
    ),
    (
        "{hedging_privacy: {exp_epsilon: 9, known: {0: 1/3, 1: 2/3}, weight: 0.5, pairs: values}, "
        "mechanism: response}",
        lambda: hedging_privacy.question(
            **ABOUT, known={0: "1/3", 1: "2/3"}, weight=Fraction(1, 2), pairs="values"
        ),
    ),
    (
        "implies: {if: {differential_privacy: {epsilon: ln(3)}}, "
        "then: {differential_privacy: {exp_epsilon: 9, neighbours: all}}}",
        lambda: implies.question(space=SPACE, premise=private, conclusion=far),
    ),
    (
        "implies: {if: {post_processing: {of: [response]}}, "
        "then: {differential_privacy: {epsilon: ln(3)}}}",
        lambda: implies.question(
            space=SPACE, premise=implies.Made({"response": RESPONSE}), conclusion=private
        ),
    ),
    (
        "{induced_neighbours: {exp_epsilon: 9}, mechanism: response}",
        lambda: induced_neighbours.question(**ABOUT),
    ),
    (
        "influence: {exp_epsilon: 9, entries: 1, pairs: values}",
        lambda: influence.question(
            space=SPACE, level=NINE, pairs="values", priors=UNIFORM, entries=1
        ),
    ),
    (
        "{label_privacy: {exp_epsilon: 9, label: ill}, mechanism: response}",
        lambda: label_privacy.question(space=PEOPLE, mechanism=HONEST, level=NINE, label="ill"),
    ),
    (
        "{metric_privacy: {exp_epsilon: 9, distance: {graph: [[00, 01], [01, 11, 1/2]]}}, "
        "mechanism: response}",
        lambda: metric_privacy.question(
            **ABOUT, distance={"graph": [["00", "01"], ["01", "11", "0.5"]]}
        ),
    ),
    (
        "{noiseless: {exp_epsilon: 9}, mechanism: response}",
        lambda: noiseless.question(**ABOUT, priors=UNIFORM),
    ),
    (
        '{error: {loss: "abs(output[0] - ann)", prior: uniform, at_most: 1/2}, '
        "mechanism: {deterministic: \"(bob, 'x')\"}}",
        lambda: error.question(
            space=SPACE,
            mechanism=verifier.mechanism(SPACE, {"deterministic": "(bob, 'x')"}),
            loss="abs(output[0] - ann)",
            prior=["1/4"] * 4,
            at_most="0.5",
        ),
    ),
    (
        "{g_leakage: {exp_epsilon: 9, guesses: [0, 1], gain: guess * ann}, "
        "priors: {list: [uniform]}, mechanism: response}",
        lambda: g_leakage.question(
            **ABOUT, guesses=[0, 1], gain="guess * ann", priors={"list": ["uniform"]}
        ),
    ),
    (
        "{maximal_leakage: {exp_epsilon: 9}, mechanism: response}",
        lambda: maximal_leakage.question(**ABOUT),
    ),
    (
        "optimal: {under: {differential_privacy: {epsilon: ln(3)}}, outputs: [0, 1], "
        "loss: abs(output - ann), prior: uniform, equals: 1/4}",
        lambda: optimal.question(
            space=SPACE,
            under=private,
            outputs=[0, 1],
            loss="abs(output - ann)",
            prior=["1/4"] * 4,
            equals="1/4",
        ),
    ),
    (
        "parallel_composition: {groups: [{records: [ann], epsilon: 1}, {records: [bob]}]}",
        lambda: parallel_composition.question(
            space=SPACE, groups=[{"records": ["ann"], "epsilon": 1}, {"records": ["bob"]}]
        ),
    ),
    (
        "{post_processing: {of: [response]}, mechanism: worse}",
        lambda: post_processing.question(space=SPACE, mechanism=WORSE, of={"response": RESPONSE}),
    ),
    (
        "{pufferfish: {exp_epsilon: 9}, mechanism: response}",
        lambda: pufferfish.question(**ABOUT, pairs=[(SAME, OTHER)], priors=UNIFORM),
    ),
    (
        "{pufferfish: {exp_epsilon: 9, pairs: entries, priors: product}, mechanism: response}",
        lambda: pufferfish.question(**ABOUT, pairs="entries", priors="product"),
    ),
    (
        "row_cone: {of: [response], facets: 4}",
        lambda: row_cone.question(space=SPACE, of={"response": RESPONSE}, facets=4),
    ),
    (
        'sensitivity: {query: "(ann, 3 * bob)", equals: 3}',
        lambda: sensitivity.question(space=SPACE, query="(ann, 3 * bob)", equals=3),
    ),
    (
        "{single_prior_privacy: {exp_epsilon: 9, known: {0: 1/3, 1: 2/3}}, mechanism: response}",
        lambda: single_prior_privacy.question(**ABOUT, known={0: "1/3", 1: "2/3"}),
    ),
    (
        "universally_composable: {pairs: [[same, other]]}",
        lambda: universally_composable.question(space=SPACE, pairs=[(SAME, OTHER)], priors=UNIFORM),
    ),
]


for one in told().values():
    CASES.append((one.asked[0], partial(lambda made: made(**ABOUT), one.asked[1])))


def of_file(text: str) -> Question:
    head = LABELLED if "label:" in text else BITS
    _, (check,) = reading.read_model_and_checks(
        document.parse(f"{head}{text}\n"), Path("door.yaml")
    )
    return asked(check)


@pytest.mark.parametrize(("text", "made"), CASES, ids=[text[:30] for text, _ in CASES])
def test_the_file_and_python_ask_the_same(text: str, made: Callable[[], Question]) -> None:
    first, second = of_file(text), made()
    assert second.stated().whole == first.stated().whole
    assert second.digest == first.digest
    answers = [verifier.decide(question, time_limit=60) for question in (first, second)]
    assert write(answers[0].certificate or {}) == write(answers[1].certificate or {})
    assert checker.check(answers[1].certificate).outcome == "accepted"


def test_a_trade_off_is_asked_for() -> None:
    text = "{differential_privacy: {exp_epsilon: 9, tradeoff: corners}, mechanism: response}"
    question = differential_privacy.question(**ABOUT).with_tradeoff("corners")
    assert question.digest == of_file(text).digest


def test_a_file_is_checked_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    level = "{differential_privacy: {exp_epsilon: %s}, mechanism: response, name: %s}"
    checks = "".join(f"  - {level % pair}\n" for pair in ((3, "three"), (2, "two")))
    path.write_text(BITS.removesuffix("  - ") + checks)
    report = verifier.check(path, certificates=tmp_path / "proofs")
    assert (report.status, report.exit_status) == ("failed", 1)
    three, two = report.results
    assert (three.verdict, two.verdict, two.name) == ("holds", "violated", "two")
    assert three.leakage == two.leakage == verifier.Leakage(Fraction(3))
    assert two.witness and three.witness is None
    assert checker.check(two.certificate).outcome == "accepted"
    assert len(list((tmp_path / "proofs").rglob("*.json"))) == 2
    read = verifier.load(path)
    assert [(one.name, one.expected) for one in read.questions] == [
        ("three", "holds"),
        ("two", "holds"),
    ]
    question = read.questions[1].question
    assert question is not None and question.source is not None
    assert question.digest == (two.certificate or {})["digest"]
    answer = verifier.decide(question)
    assert (answer.verdict, answer.leakage) == ("violated", verifier.Leakage(Fraction(3)))


def test_what_a_question_is_about() -> None:
    question = pufferfish.question(**ABOUT, delta="1/8", pairs=[(SAME, OTHER)], priors=UNIFORM)
    assert (question.space, question.mechanism) == (SPACE, RESPONSE)
    assert (question.level, question.delta) == (NINE, Fraction(1, 8))
    assert (list(question.pairs), question.priors) == ([(OTHER, SAME)], UNIFORM)
    cone = row_cone.question(space=SPACE, of={"response": RESPONSE}, facets=4)
    assert (cone.mechanism, cone.mechanisms, cone.level) == (None, {"response": RESPONSE}, None)


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda: differential_privacy.question(**ABOUT, delta=ROUNDED), "S101"),
        (lambda: differential_privacy.question(**ABOUT, delta=2), "S601"),
        (lambda: differential_privacy.question(**ABOUT, neighbours="near"), "S603"),
        (lambda: differential_privacy.question(**ABOUT, group=2, neighbours="all"), "S603"),
        (lambda: pufferfish.question(**ABOUT, pairs="vals", priors="all"), "S405"),
        (lambda: pufferfish.question(**ABOUT, pairs=[], priors="all"), "S404"),
        (lambda: pufferfish.question(**ABOUT, pairs="values", priors="al"), "S501"),
        (lambda: row_cone.question(space=SPACE, of={"response": RESPONSE}), "S602"),
        (lambda: verifier.prior(SPACE, ["1/2", "1/2"]), "S504"),
        (lambda: verifier.prior(SPACE, [1, 1, 0, -1]), "S504"),
        (lambda: verifier.mechanism(SPACE, "nobody"), "S106"),
        (
            lambda: differential_privacy.question(
                space=verifier.named(["sun", "rain"]), mechanism=RESPONSE, level=NINE
            ),
            "S603",
        ),
        (
            lambda: metric_privacy.question(
                space=verifier.named(["sun", "rain"]),
                mechanism=RESPONSE,
                level=NINE,
                distance={"graph": [["sun", "rain"]]},
            ),
            "S107",
        ),
    ],
)
def test_bad_questions(ask: Callable[[], object], code: str) -> None:
    with pytest.raises(verifier.InputError) as caught:
        ask()
    assert (caught.value.code, caught.value.place) == (code, None)


def test_parameters_have_names() -> None:
    with pytest.raises(TypeError):
        differential_privacy.question(*ABOUT.values())


def test_every_name_of_the_door_is_there() -> None:
    assert all(getattr(verifier, name) is not None for name in verifier.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        verifier.nothing  # noqa: B018


def test_the_door_is_light() -> None:
    code = "import sys, verifier; print(*(m for m in sys.modules if m.startswith('verifier')))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {
        "verifier",
        *("verifier.base", "verifier.base.nouns", "verifier.base.version"),
    }


@pytest.mark.parametrize("wrong", [9, Fraction(9), "ln(9)"])
def test_a_level_is_no_number(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every definition that takes a level says so, and none other."""
    monkeypatch.setitem(ABOUT, "level", wrong)
    monkeypatch.setattr(sys.modules[__name__], "NINE", wrong)
    takes = {
        name
        for name in DEFINITIONS.keywords()
        if "level" in signature(DEFINITIONS.module(name).question).parameters
    }
    refused = set()
    for text, made in CASES:
        try:
            made()
        except verifier.InputError as error:
            assert error.code == "S601" and "write verifier.Level.of_exp_epsilon(3)" in str(error)
            refused.add(text.strip("{").partition(":")[0])
    assert refused - {"implies"} == takes
