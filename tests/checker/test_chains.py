"""Certificates of kind chains: good ones, and siblings that are broken by hand."""

import json
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.outcomes import accepted, outcome
from tests.checker.outcomes import with_parts as broken
from tests.pages import ROOT, blocks
from verifier import checker
from verifier.claims.answer import write
from verifier.verify import answer, load

Json = dict[str, Any]
PAGE = blocks(ROOT / "docs" / "certificate.md")
EXAMPLE: Json = json.loads(next(block.text for block in PAGE if block.note == "chains"))
WORST = EXAMPLE["evidence"]["witness"]["worst"]
CHAIN = EXAMPLE["question"]["relation"]["priors"]["chains"][0]
(ANSWER,) = EXAMPLE["question"]["model"]["channels"][0]
FLAT = {"outputs": ["x"], "values": ["1"], "columns": [[0], [0]], "runs": 1}


def test_the_example() -> None:
    accepted(EXAMPLE)
    assert outcome(EXAMPLE) == "accepted"


@pytest.mark.parametrize(
    "parts",
    [
        # other answers
        {"answer__leakage": {"exp_epsilon": "3"}, "answer__verdict": "holds"},
        {"answer__leakage": {"exp_epsilon": "8"}},
        {"answer__leakage": {"lower": "7", "upper": "8"}, "answer__verdict": "holds"},
        {"answer__leakage": {"lower": "5", "upper": "13/2"}},
        {"answer__leakage": {"infinite": True}},
        {"answer__leakage": {"vacuous": True}, "answer__verdict": "holds"},
        {"answer__leakage": None, "answer__verdict": "holds"},
        {"answer__leakage": None, "question__level": {"exp_epsilon": "7", "delta": "0"}},
        {"answer__verdict": "holds"},
        # other evidence
        {"evidence__witness__worst": None},
        {"evidence__witness__worst__prior": 1},
        {"evidence__witness__worst__record": 2},
        {"evidence__witness__worst__pair": [0, 0]},
        {"evidence__witness__worst__pair": WORST["pair"][::-1]},
        {"evidence__witness__worst__outputs": WORST["outputs"][:1]},
        {"evidence__witness__worst__outputs": [*WORST["outputs"], 0]},
        {"evidence__witness__worst__outputs": [0, 2]},
        {"evidence__witness__worst__outputs": [0, 1]},
        {"evidence__witness__bits": 7},
        {"evidence__witness__bits": 10**6},
        # another relation, channels that say something else
        {"question__relation__pairs": []},
        {"question__relation__pairs": [[0, 0, 1]]},
        {"question__relation__priors__chains": []},
        {"question__relation__priors__class": "list"},
        {"question__relation__priors__chains__0__initial": ["1/2", "1/3"]},
        {"question__relation__priors__chains__0__initial": ["1"]},
        {"question__relation__priors__chains__0__transition": CHAIN["transition"][:1]},
        {"question__relation__priors__chains__0__transition__0": ["19/20", "1/20"]},
        {"question__relation__rule": "local"},
        {"question__level__delta": "1/2"},
        {"question__model__channels": [[]]},
        {"question__model__channels": [[ANSWER, ANSWER]]},
        {"question__model__channels": [[{**ANSWER, "runs": 2}]]},
        {"question__model__channels": [[FLAT]]},
        {"question__model__chosen": [0]},
        {"question__model__chosen": [0, 1]},
        {"question__model__people": ["ann"]},
        # worlds that are no values of one record that is there
        {"question__model__records": [[-1], [0]]},
        {"question__model__records": [[0, 0], [1, 1]]},
        {"question__model__counts": [[1, 0], [0, 1]]},
    ],
    ids=lambda parts: "; ".join(f"{path.split('__')[-1]} {part}" for path, part in parts.items()),
)
def test_broken_siblings(parts: Json) -> None:
    assert outcome(broken(EXAMPLE, **parts)) in ("rejected", "refused")


def test_given_values() -> None:
    """Values that are given are taken; then no others are compared."""
    given = {"question__options__pairs": "given", "question__relation__pairs": [[0, 0, 1]]}
    about = {"evidence__witness__worst__record": 0, "evidence__witness__worst__pair": [0, 1]}
    zeros = {"evidence__witness__worst__outputs": [0, 0]}
    document = broken(EXAMPLE, **given, **about, **zeros)
    assert outcome(document) == "accepted"
    assert checker.taken(document["question"]) == ["matrix", "priors", "secrets", "worlds"]
    assert outcome(broken(document, evidence__witness__worst__record=1)) == "rejected"
    assert outcome(broken(document, question__relation__pairs=[[0, 0, 0]])) == "refused"


def three_values() -> Json:
    """A certificate in which words are needed: bounds of so few bits are too wide."""
    read = load(ROOT / "models" / "pufferfish" / "chain-of-three-values.yaml")
    question = read.questions[0].question
    assert question is not None
    document: Json = json.loads(write(answer(question).certificate))
    return document


def test_words() -> None:
    document = three_values()
    (word, *more) = document["evidence"]["witness"]["words"]
    assert outcome(document) == "accepted" and not more
    prior, record, a, b, left, right = word
    wrong: list[Any] = [
        [],
        [word, word],
        [[prior, record, b, a, left, right]],
        [[prior, record, a, b, left, right[:-1]]],
        [[prior, record, a, b, [*left, 0], right]],
        [[prior, record, a, b, left, [(o + 1) % 3 for o in right]]],
        [[prior, record, a, b, [(o + 1) % 3 for o in left], right]],
        [[prior, record, a, b, left, [9 for _ in right]]],
    ]
    for words in wrong:
        assert outcome(broken(document, evidence__witness__words=words)) != "accepted"


def test_less_than_the_level_is_refused_with_any_words() -> None:
    document = three_values()
    level = Fraction(document["answer"]["leakage"]["exp_epsilon"])
    for factor in (1 - Fraction(1, 10**40), 1 + Fraction(1, 10**40)):
        said = {"exp_epsilon": str(level * factor)}
        assert outcome(broken(document, answer__leakage=said)) == "rejected"
    wide = {"lower": str(level * (1 - Fraction(1, 10**40))), "upper": str(level)}
    assert outcome(broken(document, answer__leakage=wide)) == "accepted"


BETWEEN = [[["1/2", "9/10"], ["1/10", "1/2"]], [["1/10", "1/2"], ["1/2", "9/10"]]]


def within(transition: Any) -> Json:
    """The example for all stationary chains within intervals; the worst is that of the example."""
    priors = {"class": "markov", "initial": "stationary", "transition": transition}
    return broken(EXAMPLE, question__relation__priors=priors)


def test_chains_within_intervals() -> None:
    assert outcome(within(BETWEEN)) == "accepted"


@pytest.mark.parametrize(
    "transition",
    [
        [[["1/2", "1"], ["0", "1/2"]], BETWEEN[1]],  # it may never change
        [[["2/5", "9/10"], ["1/10", "3/5"]], BETWEEN[1]],  # 3/5 + 1/2
        [[["1/2", "19/20"], ["1/20", "1/2"]], BETWEEN[1]],  # a worse chain
        [[["1/2", "4/5"], ["1/5", "1/2"]], BETWEEN[1]],  # none so bad
        [[["9/10", "1/2"], ["1/10", "1/2"]], BETWEEN[1]],
        [[["1/2", "9/10"], ["-1/10", "1/2"]], BETWEEN[1]],
        [[["1/2", "9/10"]], BETWEEN[1]],
        [*BETWEEN, BETWEEN[1]],
        BETWEEN[:1],
    ],
)
def test_intervals_of_other_chains(transition: Any) -> None:
    assert outcome(within(transition)) in ("rejected", "refused")


def test_intervals_are_of_stationary_chains() -> None:
    document = within(BETWEEN)
    document["question"]["relation"]["priors"]["initial"] = ["1/2", "1/2"]
    assert outcome(document) == "refused"
