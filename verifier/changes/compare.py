"""One check before and after a change: all that is to be said of it.

A side is a line, as a lock or a report has it, and the question itself where it can be read. The
same is said of both; where there are only lines, what these cannot tell is *promises otherwise*.

Levels are compared under one question. Where the questions differ, the new mechanism is asked the
old one, unless it is known to leak no more: it is the same, or a post-processing of the old one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.level import Level, at_most
from verifier.changes import answers
from verifier.changes.informative import EQUIVALENT, UNKNOWN, Comparison, cannot_leak
from verifier.changes.lines import Line, is_number
from verifier.changes.matching import same_rows
from verifier.changes.numbers import same_functions
from verifier.changes.order import Loss, compared, promised, same_question
from verifier.changes.statements import Change, Statement, change
from verifier.changes.statuses import (
    NOT_KEPT,
    PROMISES_LESS,
    PROMISES_MORE,
    PROMISES_OTHERWISE,
    UNDECIDED,
    worst,
)
from verifier.kernels import hockey_stick
from verifier.questions.claim import ComparisonClaim, SensitivityClaim
from verifier.questions.question import Question
from verifier.questions.witness import Witness


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One side of a check that is compared.

    line      what it asks, expects and has found, which the checker has accepted
    question  that it asks; None where it has none, or where only the line is known
    reason    why it has none, or is undecided
    shown     the worst case, where there is one
    missed    how the answer differs from what is expected, in words; "" where it does not
    """

    line: Line
    question: Question | None = None
    reason: str = ""
    shown: Witness | None = None
    missed: str = ""


def compare(
    before: Side,
    after: Side,
    mechanisms: Comparison | None = None,
    again: Side | None = None,
) -> Change:
    """What differs between two sides of a check.

    before, after  the check on either side of the change
    mechanisms     what is known of their order; None where they are the same, or nothing is
    again          the new mechanism under the old question, where `asks_again`; None for unknown
    """
    promise = list(_promise(before, after))
    return change(
        [
            *answers.state(before.line, after.line, after.reason),
            *_found(before, after, mechanisms, again),
            *answers.expected(before.line, after.line),
            *promise,
            *_options(before.line, after.line, promise),
            *_missed(before.line, after),
        ]
    )


def new(after: Side) -> Change:
    """The change of a check that is `after` only."""
    status = UNDECIDED if after.line.verdict == "undecided" else PROMISES_MORE
    return change([Statement(status, "check", "the check is new"), *_missed(None, after)])


def _missed(before: Line | None, after: Side) -> Iterator[Statement]:
    """Whether a check that is new, or has changed, is not answered as it expects."""
    line = after.line
    is_old = before is not None and before.digest == line.digest and not expects(before, line)
    if after.missed and not is_old:
        yield Statement(NOT_KEPT, "expectation", after.missed)


def expects(before: Line, after: Line) -> bool:
    """Whether what is expected differs.

    before, after  the lines of a check
    """
    return any(answers.expected(before, after))


def _promise(before: Side, after: Side) -> Iterator[Statement]:
    """What the question promises."""
    old, new, asked = before.question, after.question, (before.line.digest, after.line.digest)
    if all(asked) and asked[0] == asked[1]:
        return
    if old is not None and new is not None:
        yield from promised(old, new)
    elif all(asked):
        yield from _by_lines(before.line, after.line)
    elif asked[0]:
        words = f"there is no question any more ({after.reason})"
        yield Statement(PROMISES_LESS, "question", words)
    elif asked[1]:
        yield Statement(PROMISES_MORE, "question", "there was no question before")
    else:
        yield Statement(UNDECIDED, "question", "there is no question that could be written down")


def _by_lines(before: Line, after: Line) -> Iterator[Statement]:
    """The same of two questions of which only the lines are known."""
    lost, gained = list(_losses(before, after)), list(_losses(after, before))
    yield from compared(lost, gained)


def _losses(old: Line, new: Line) -> Iterator[Loss]:
    """What the line of a check asks, and another one does not."""
    yield from _larger(old.level, new.level)
    ours, theirs = old.asks, new.asks
    if old.promise and old.promise == new.promise:
        return
    if old.definition != new.definition:
        yield Loss("definition", False, old.definition, new.definition)
    elif not ours or not theirs or ours["rest"] != theirs["rest"]:
        yield Loss("question", False)
    else:
        yield from _fewer(ours, theirs)


def _larger(old: Mapping[str, str] | None, new: Mapping[str, str] | None) -> Iterator[Loss]:
    """A larger level, or a larger delta; functions of parameters that differ are not compared."""
    if old is None or new is None:
        if old is not new:
            yield Loss("question", False)
        return
    ours, theirs = _level(old), _level(new)
    if ours is None or theirs is None:
        for key in old:
            if old[key] != new.get(key):
                about = "delta" if key == "delta" else "level"
                yield Loss(about, False, old[key], new.get(key))
        return
    if not at_most(theirs, ours):
        yield Loss("level", True, str(ours), str(theirs))
    if exact.number(new["delta"]) > exact.number(old["delta"]):
        yield Loss("delta", True, old["delta"], new["delta"])


def _level(found: Mapping[str, str]) -> Level | None:
    """The level of a line; None where it, or delta, is a function of parameters."""
    if not all(map(is_number, found.values())):
        return None
    return Level(**{key: exact.number(text) for key, text in found.items() if key != "delta"})


def _fewer(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Loss]:
    """What is fewer of what two questions list, and a bound that is weaker."""
    for key, ours in old["items"].items():
        theirs = new["items"].get(key, [])
        lost, gained = {*ours} - {*theirs}, {*theirs} - {*ours}
        if gained if key == "rows" else lost:
            yield Loss("pairs" if key == "pairs" else "priors", not (lost and gained))
    bound, other = old.get("bound"), new.get("bound")
    if bound is not None and (other is None or exact.number(other) > exact.number(bound)):
        yield Loss("bound", True, bound, other)


def _options(before: Line, after: Line, promise: list[Statement]) -> Iterator[Statement]:
    """Each option that differs, by its name; it weighs as much as what the promise lost by it."""
    if before.definition != after.definition or not before.asks or not after.asks:
        return
    ours, theirs = before.asks["options"], after.asks["options"]
    status = worst(one.status for one in promise)
    for key in {**ours, **theirs}:
        if ours.get(key) != theirs.get(key):
            yield Statement(status, "option", key, ours.get(key), theirs.get(key))


def asks_again(before: Side, after: Side, mechanisms: Comparison | None) -> bool:
    """Whether the new mechanism is to be asked the old question, as it may leak more under that
    one, and the new one is another.

    before, after and mechanisms are those of `compare`.
    """
    return (
        answers.is_decided(after.line)
        and bool(before.line.digest)
        and not before.line.vacuous
        and not _is_unchanged(before, after, mechanisms)
        and not _is_one_question(before, after)
        and not _is_harmless(before, mechanisms)
    )


def _found(
    before: Side, after: Side, mechanisms: Comparison | None, again: Side | None
) -> Iterator[Statement]:
    """What the new mechanism leaks more or less, under the old question."""
    both = (before.line, after.line)
    if asks_again(before, after, mechanisms):
        yield from _under_the_old(before, again)
    elif all(map(answers.is_decided, both)) and not _is_unchanged(before, after, mechanisms):
        if not _is_one_question(before, after):
            return
        for one in answers.differing_answers(*_with_curves(before, after), after.shown):
            is_open = one.status == PROMISES_OTHERWISE and one.about in UNKNOWN
            if not (is_open and _is_harmless(before, mechanisms)):
                yield one


def _under_the_old(before: Side, again: Side | None) -> Iterator[Statement]:
    if again is None or not (answers.is_decided(before.line) and answers.is_decided(again.line)):
        reason = f" ({again.reason})" if again and again.reason else ""
        words = f"what the new mechanism leaks under the old question is not known{reason}"
        yield Statement(PROMISES_OTHERWISE, "verdict", words)
        return
    where = " under the old question"
    yield from answers.differing_answers(*_with_curves(before, again), again.shown, where)


def _is_harmless(before: Side, mechanisms: Comparison | None) -> bool:
    """Whether the new mechanism is known to leak no more under the old question."""
    old = before.question
    return old is not None and mechanisms is not None and cannot_leak(old, mechanisms)


def _is_one_question(before: Side, after: Side) -> bool:
    """Whether both ask the same, but for the mechanism, and a level beside the smallest one."""
    one, other = before.line, after.line
    known = one.leakage or one.curve
    if one.level != other.level and not (known and other.level and one.level):
        return False
    if (one.level or {}).get("delta") != (other.level or {}).get("delta"):
        return False
    if before.question is not None and after.question is not None:
        return same_question(before.question, after.question)
    return bool(one.promise) and one.promise == other.promise


def _is_unchanged(before: Side, after: Side, mechanisms: Comparison | None) -> bool:
    """Whether the mechanism tells as much of the old worlds as before."""
    old, new = before.question, after.question
    if mechanisms is not None and mechanisms.relation == EQUIVALENT:
        return _is_harmless(before, mechanisms)
    known = [side.line.asks and side.line.asks["mechanism"] for side in (before, after)]
    if known[0] and known[0] == known[1]:
        return True
    if old is None or new is None or mechanisms is not None:
        return False
    if isinstance(old.claim, SensitivityClaim) and isinstance(new.claim, SensitivityClaim):
        return same_functions(old.claim, new.claim)
    ours, theirs = old.mechanism, new.mechanism
    if ours is None or theirs is None or ours.reals != theirs.reals:
        return False
    return same_rows((old.space, ours), (new.space, theirs))


def _with_curves(before: Side, after: Side) -> tuple[Line, Line]:
    """The lines, each with the smallest delta at the levels that either names."""
    alphas = sorted({alpha for side in (before, after) for alpha in answers.tradeoff(side.line)})
    if not alphas:
        return before.line, after.line
    return _with_curve(before, alphas), _with_curve(after, alphas)


def _with_curve(side: Side, alphas: list[Fraction]) -> Line:
    """A line with the smallest delta at some levels, where the mechanism tells it."""
    known = answers.tradeoff(side.line)
    claim = side.question.claim if side.question else None
    rest = [alpha for alpha in alphas if alpha not in known]
    if rest and isinstance(claim, ComparisonClaim) and claim.has_curve:
        found = hockey_stick.largest_delta(claim.compared, claim.relation.pairs(), rest)
        known |= dict(zip(rest, found, strict=True))
    points = ({"exp_epsilon": str(alpha), "delta": str(delta)} for alpha, delta in known.items())
    return replace(side.line, tradeoff=tuple(points))
