"""One check before and after a change: all that is to be said of it."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.changes import curves
from verifier.changes.matching import identical, same_table
from verifier.changes.measured import measured
from verifier.changes.order import promised
from verifier.changes.statements import Change, Side, Statement, change
from verifier.changes.statuses import PROMISES_LESS, PROMISES_MORE, PROMISES_OTHERWISE
from verifier.claims.question import Question
from verifier.spec.wishes import Wanted
from verifier.verify import asserted


def compare(before: Side, after: Side) -> Change:
    """What differs between two sides of a check.

    before, after  the check on either side of the change

    Both answers are ones that the checker has accepted, or undecided.
    """
    asked = list(_asked(before, after))
    weaker = any(statement.status in (PROMISES_LESS, PROMISES_OTHERWISE) for statement in asked)
    alike = not weaker and _same_mechanism(before.question, after.question)
    return change(
        after.name,
        [
            *measured(before, after, alike),
            *_expectations(before, after),
            *asked,
            *_unknown(before, after),
        ],
    )


def new(after: Side) -> Change:
    """The change of a check that is `after` only."""
    return change(after.name, [Statement(PROMISES_MORE, "check", "the check is new")])


def _asked(before: Side, after: Side) -> Iterator[Statement]:
    """What the question promises."""
    if before.content is not None and before.content == after.content:
        return
    if before.question is not None and after.question is not None:
        yield from promised(before.question, after.question)
    elif before.question is not None:
        words = f"there is no question any more ({after.reason})"
        yield Statement(PROMISES_LESS, "question", words)
    elif after.question is not None:
        yield Statement(
            PROMISES_MORE, "question", f"there was no question before ({before.reason})"
        )
    else:
        words = f"there is no question on either side that could be compared ({after.reason})"
        yield Statement(PROMISES_OTHERWISE, "question", words)


def _unknown(before: Side, after: Side) -> Iterator[Statement]:
    """Mechanisms that changed while it is known of neither what it leaks."""
    old, found = before.question, after.question
    if old is None or found is None or _same_mechanism(old, found):
        return
    verdicts = {before.answer.verdict, after.answer.verdict}
    if verdicts == {"undecided"}:
        words = "neither side is decided, and the mechanism changed: nothing is known of a leak"
        yield Statement(PROMISES_OTHERWISE, "verdict", words)
    elif "undecided" not in verdicts and not _has_level(before):
        words = "the smallest level was not found before, and the mechanism changed"
        yield Statement(PROMISES_OTHERWISE, "level found", words)


def _has_level(side: Side) -> bool:
    """Whether the smallest level is found, or there is none."""
    answer, question = side.answer, side.question
    no_level = question is None or question.level is None
    known = answer.leakage is not None or answer.value is not None
    return no_level or known or (answer.curve is not None and bool(answer.curve.stretches))


def _expectations(before: Side, after: Side) -> Iterator[Statement]:
    """What the file expects of the answer."""
    old, found = before.expected, after.expected
    if old != found:
        status = (
            PROMISES_LESS
            if old == "holds"
            else PROMISES_MORE
            if found == "holds"
            else PROMISES_OTHERWISE
        )
        yield Statement(status, "expect", "expect", old, found)
    if before.wanted != after.wanted:
        status = _wanted(before.wanted, after.wanted)
        yield Statement(
            status,
            "leakage",
            "the interval of the leakage",
            asserted(before.wanted),
            asserted(after.wanted),
        )
    for one in curves.expected(before.wish, after.wish):
        yield Statement(*one)


def _wanted(old: Wanted | None, found: Wanted | None) -> str:
    """Whether an interval allows larger levels than another one, or all of its levels and more."""
    if old is None or found is None:
        return PROMISES_MORE if old is None else PROMISES_LESS
    if old[0] is None or old[1] is None or found[0] is None or found[1] is None:  # infinite
        return PROMISES_LESS if found[1] is None else PROMISES_MORE
    wider = found[1] > old[1] or (found[1] == old[1] and found[0] < old[0])
    return PROMISES_LESS if wider else PROMISES_MORE


def _same_mechanism(before: Question | None, after: Question | None) -> bool:
    """Whether both questions are about one mechanism over the same worlds, or about none."""
    if before is None or after is None:
        return False
    old, found = before.mechanism, after.mechanism
    if any(one.local is not None or one.is_for_all for one in (before, after)):
        return before.stated().model.text == after.stated().model.text
    if old is None or found is None:
        return old is found
    return identical(before.space, after.space) and same_table(old, found)
