"""The engine's certificates ask what a second reader of the spec files finds in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.second_reader.certificates import differences
from tests.second_reader.questions import questions
from tests.second_reader.values import CannotRead
from verifier import verify

ROOT = Path(__file__).parents[2]
MODELS = sorted((ROOT / "models").glob("*/*.yaml"))

SLOW = {
    "known-marginal.yaml",
    "sparse-vector-resampled.yaml",
    "single-prior-replaced.yaml",
    "hedging-eight-people.yaml",
}
LEAST = 500  # of 893 checks; fewer would mean that the test looks at less than it did


@dataclass
class Found:
    """How many checks could be read, why others could not, and what differs."""

    same: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)


def compare(paths: Iterable[Path]) -> Found:
    """Compares the questions of the checks of some files, read twice."""
    found = Found()
    for path in paths:
        results = verify.run(str(path))
        for place, (question, result) in enumerate(zip(questions(path), results, strict=True)):
            if isinstance(question, CannotRead):
                found.unread[str(question)] += 1
                continue
            assert result.answer is not None, f"{path} {place}: undecided"
            told = list(differences(question, result.answer.certificate))
            found.different += [f"{path.name}, check {place + 1}: {what}" for what in told]
            found.same += not told
    return found


def coverage(found: Found) -> str:
    """The coverage as text."""
    lines = [f"{found.same} questions are the same"]
    lines += [f"{n} not read: {reason}" for reason, n in found.unread.most_common()]
    return "\n".join(lines)


def campaign() -> Found:
    """All models; for the long tests."""
    found = compare(MODELS)
    print(coverage(found))
    assert not found.different, found.different
    return found


def test_models_are_read_alike() -> None:
    found = compare(path for path in MODELS if path.name not in SLOW)
    print(coverage(found))
    assert not found.different
    assert found.same >= LEAST
