"""Notes on the answer of a check: nothing was compared, or the worst output lies on a clamp."""

from __future__ import annotations

from verifier.claim import Answer
from verifier.notes import Note
from verifier.reading import Question


def told(question: Question, answer: Answer) -> list[Note]:
    """The notes on an answer, at the place of the check."""
    place = question.check.definition.place
    found = []
    vacuous = answer.leakage is not None and answer.leakage.vacuous
    if vacuous and question.expected != "vacuous":
        found.append(Note("N105", "this check compared nothing", place))
    return found
