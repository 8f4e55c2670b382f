"""Every definition and class of priors, by the examples that the format explains them with."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.changes.sides import sides_of
from tests.drawing import wider
from verifier.base.level import Level
from verifier.base.registry import DEFINITIONS, PRIORS
from verifier.changes.compare import compare
from verifier.changes.order import losses, promised
from verifier.changes.statuses import WORST_FIRST
from verifier.questions.question import Question
from verifier.questions.rows import OptimalClaim
from verifier.report.words import words
from verifier.run import verify
from verifier.spec.asked import Asked

WORDS = [*DEFINITIONS.keywords(), *PRIORS.keywords()]


def example(word: str) -> str:
    """The file that a word is explained with."""
    kinds = ("definition", "class of priors")
    return next(one for one in words()[word] if one.kind in kinds).example


def checks(folder: Path, word: str) -> list[Asked]:
    """The checks of the example of a word that have a question."""
    path = folder / f"{word}.yaml"
    path.write_text(example(word), "utf-8")
    return [asked for asked in verify.load(path).questions if asked.question]


@pytest.mark.parametrize("word", WORDS)
def test_what_is_read_twice_is_the_same(word: str, tmp_path: Path) -> None:
    before, after = sides_of(tmp_path, example(word)), sides_of(tmp_path, example(word))
    assert before
    for old, new in zip(before, after, strict=True):
        assert compare(old, new).statements == ()


def raised(question: Question, level: Level) -> Question:
    return replace(question, claim=replace(question.claim, level=level))


@pytest.mark.parametrize("word", WORDS)
def test_a_larger_level_promises_less(word: str, tmp_path: Path) -> None:
    for asked in checks(tmp_path, word):
        question = asked.question
        assert question is not None
        if not isinstance(getattr(question.claim, "level", None), Level):
            continue
        if isinstance(question.claim, OptimalClaim):  # its inequalities are those of its level
            continue
        level = Level(exp_epsilon=Fraction(10**9))
        statuses = [(one.status, one.about) for one in promised(question, raised(question, level))]
        assert statuses == [("promises less", "level")]
        back = [(one.status, one.about) for one in promised(raised(question, level), question)]
        assert back == [("promises more", "level")]


@pytest.mark.parametrize("seed", range(wider(3, 6)))
def test_any_two_are_compared(seed: int, tmp_path: Path) -> None:
    """Whatever a check becomes, something is said, and never that nothing is lost while the new
    one is about other worlds."""
    random = Random(seed)
    chosen = random.sample(WORDS, 8)
    asked = [question for word in chosen for question in checks(tmp_path, word)]
    for old in asked:
        for new in asked:
            before, after = old.question, new.question
            assert before is not None
            assert after is not None
            found = promised(before, after)
            assert all(one.status in WORST_FIRST and one.line for one in found)
            ours = set(before.space.names(range(before.space.size)))
            theirs = set(after.space.names(range(after.space.size)))
            if not ours & theirs:
                assert losses(before, after)
