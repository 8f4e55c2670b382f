"""Notes on the answer of a check, which may be about something else than was meant.

Whoever asserts the smallest level (`leakage`) knows the answer, and is told nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from verifier.base import exact
from verifier.base.document import Note
from verifier.priors.list import ListedPriors
from verifier.questions.answer import Answer
from verifier.spec.reading import Asked


def answer_notes(asked: Asked, answer: Answer) -> list[Note]:
    """The notes on an answer.

    asked   the check
    answer  accepted by the checker
    """
    check = asked.check
    found = [Note(code, said, check.definition.place) for code, said in _said(asked, answer)]
    if check.program() is not None:
        from verifier.spec import clamped

        found += clamped.clamped_notes(asked, answer)
    return found


def _said(asked: Asked, answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.leakage is not None and answer.leakage.vacuous:
        if asked.expected != "vacuous":
            yield "N105", "this check compared nothing"
        return
    is_asserted = "leakage" in asked.check.item.table
    if answer.verdict != "holds" or asked.expected != "holds" or is_asserted:
        return
    yield from _level(asked, answer)
    yield from _delta(asked)
    yield from _skipped(asked)


def _level(asked: Asked, answer: Answer) -> Iterator[tuple[str, str]]:
    """N116, N118: a smallest level of 1, and one that is the number given as ε."""
    question = asked.question
    assert question is not None
    level, smallest = question.level, _smallest(answer)
    if level is None or smallest is None or question.delta:
        return
    if smallest == 1 and level.exp_epsilon != 1 and question.definition != "influence":
        said = "the smallest e^ε is 1, as nothing that is compared tells the outputs apart"
        yield "N116", f"{said}: write leakage: 1 where this is meant"
    if smallest == level.epsilon != 1:
        q = exact.text(smallest)
        said = f"ε is {q}, and the smallest e^ε is {q} too"
        yield "N118", f"{said}: write exp_epsilon: {q}, or leakage: {q} where this is meant"


def _smallest(answer: Answer) -> Fraction | None:
    """The smallest e^ε of an answer, where it is a rational number, for all values of a parameter;
    None for another one."""
    if answer.curve is not None:
        same = all(s.top == s.bottom and not s.sense for s in answer.curve.stretches)
        return Fraction(1) if same and answer.curve.stretches else None
    found = None if answer.leakage is None else answer.leakage.exp_epsilon
    return None if found is None or exact.is_irrational(found) else found


def _delta(asked: Asked) -> Iterator[tuple[str, str]]:
    """N117: a δ by which one record may be released as it is."""
    question = asked.question
    assert question is not None
    count, delta = question.space.record_count, question.delta
    if count and not exact.is_irrational(delta) and delta * count >= 1:
        said = f"δ is at least 1/{count}: one of {count} records, drawn at random, may be released"
        yield "N117", f"{said}: write a smaller one, or leakage: … where this is meant"


def _skipped(asked: Asked) -> Iterator[tuple[str, str]]:
    """N119: listed priors under which no pair of secrets is possible."""
    question = asked.question
    if question is None or not isinstance(question.priors, ListedPriors) or asked.domain:
        return  # whether a prior with a real parameter is possible, may depend on it
    for number, prior in enumerate(question.priors.priors, 1):
        possible = [all(prior.probability(s.worlds) for s in pair) for pair in question.pairs]
        if possible and not any(possible):
            said = f"prior {number} compares nothing: a secret of each pair has probability 0"
            yield "N119", f"{said}: leave it out, or write leakage: … where this is meant"
