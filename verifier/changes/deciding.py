"""Two sides of a check, decided and compared, each part within the limits of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import partial

from verifier.base.errors import InputError, LimitReached, NotDecided, limit_reason
from verifier.base.parameters import Choice, given
from verifier.changes.answers import is_decided
from verifier.changes.compare import Side, asks_again, compare, new
from verifier.changes.gate import beside_others
from verifier.changes.informative import Comparison, blackwell, contradiction
from verifier.changes.lines import Json, of_result
from verifier.changes.matching import matched, over, same_rows
from verifier.changes.statements import Change, Statement, change
from verifier.changes.statuses import PROMISES_OTHERWISE, UNDECIDED
from verifier.questions.answer import Answer
from verifier.run.verify import Options, Result, asked, choices, limits, settled, unsettled, within
from verifier.spec.asked import Asked
from verifier.spec.reading import read_whole

Told = Callable[[Result], Json]  # a result as a report has it


@dataclass(frozen=True, eq=False)
class Checked:
    """A check of one side, decided.

    side    of the change
    result  as reports tell it
    asked   as it was read
    choice  of the parameters of its file
    told    makes a result what a report has of it
    """

    side: Side
    result: Result
    asked: Asked
    choice: Choice
    told: Told


@dataclass(frozen=True)
class Found:
    """What is found of a check on two sides.

    change      what differs
    mechanisms  which of the two tells more; None where they are the same, or not both there
    objection   why what was found contradicts itself; None where it does not
    """

    change: Change
    mechanisms: Comparison | None = None
    objection: str | None = None


class Decided:
    """The checks of a file on one side, decided one by one.

    root     the folder from which its name is read
    file     its name; None where there is no such file
    options  how to run
    values   of parameters, as texts, in place of its own
    zipped   whether the n-th values go together, instead of all combinations
    """

    def __init__(
        self,
        root: str,
        file: str | None,
        options: Options,
        told: Told,
        values: Mapping[str, Sequence[str]] = {},
        zipped: bool = False,
    ) -> None:
        self.options, self.told = options, told
        self._asked: list[tuple[Choice, Asked]] = []
        self._results: list[Result] = []
        if file is not None:
            with chdir(root):
                for choice in choices(file, values, zipped):
                    self._read(file, choice)

    def _read(self, file: str, choice: Choice) -> None:
        with given(choice):
            read = read_whole(file, self.options.allow_python, partial(limits, self.options))
            self._asked += [(choice, asked) for asked in read.questions]
            self._results += unsettled(file, read)

    def of(self, index: int) -> Checked:
        """The check of a number, decided."""
        choice, about = self._asked[index]
        before = self._results[index]
        number = f"check {index + 1} of {len(self._results)}"
        self.options.progress(f"{before.file}: {number}: {before.label}")
        try:
            with given(choice):
                result = settled(before, about, self.options)
        finally:
            self.options.progress("")
        return Checked(side(result, self.told), result, about, choice, self.told)


def side(result: Result, told: Told) -> Side:
    """A side of a change, from a `result`, which `told` makes what a report has of it."""
    return Side(
        line=of_result(told(result)),
        question=result.question,
        reason=result.answer.reason or "",
        shown=result.answer.shown,
        missed=result.mismatch or "",
    )


def compared(before: Checked | None, after: Checked, options: Options, part: str) -> Found:
    """What differs between two sides of a check.

    before   the check before the change; None where it is new
    after    the check after it
    options  the limits
    part     what this is called in them

    Where a limit stops the comparison it is not known what is promised, which is told.
    """
    if before is None:
        return Found(new(after.side))
    old, now = before.side, after.side
    try:
        order = _mechanisms(old, now, options, f"{part}: mechanisms")
        with limits(options, f"{part}: which question"):
            wanted = is_decided(old.line) and asks_again(old, now, order)
        again = _again(before, after, within(options, part)) if wanted else None
        with limits(options, f"{part}: promises"):
            found = compare(old, now, order, again)
    except (LimitReached, NotDecided, MemoryError) as limit:
        said = f"the promises could not be compared ({limit_reason(limit)})"
        return Found(change([Statement(PROMISES_OTHERWISE, "question", said)]))
    if order is None or old.question is None:
        return Found(found)
    return Found(found, order, contradiction(old.question, found, order))


def beside(others: Sequence[Checked], after: Checked, options: Options, part: str) -> Found:
    """What differs between a check that is new, and the same before it for other values.

    others  the same, decided

    after, options and part are those of `compared`.
    """
    found = (compared(one, after, options, f"{part}, {at}").change for at, one in enumerate(others))
    return Found(beside_others(found, after.side))


def _again(before: Checked, after: Checked, options: Options) -> Side:
    """The old question, asked of the new mechanism and decided; with the reason where it is not."""
    old, new = before.asked.check, after.asked.check
    try:
        if before.asked.domain is not None or after.asked.domain is not None:
            raise NotDecided("one is about all values of a parameter")
        with given(after.choice), limits(options, "its mechanism"):
            mechanism = new.mechanism()
            worlds = matched(old.model.space, new.model.space)
            if None in worlds.place:
                raise NotDecided("old worlds are gone")
            moved = over(mechanism, [at for _, at in worlds.common])
        with given(before.choice):
            with limits(options, "the old question"):
                question = asked(replace(old, asked_of=moved))
                known = before.side.line.asks or {}
                if question.stated().asks["mechanism"] == known.get("mechanism"):
                    raise NotDecided("it names the mechanisms that it is about")
            result = replace(before.result, answer=Answer("undecided"), question=question)
            result = settled(result, replace(before.asked, question=question), options)
    except (InputError, LimitReached, NotDecided, MemoryError) as error:
        return replace(
            before.side,
            line=replace(before.side.line, verdict="undecided"),
            reason=error.message if isinstance(error, InputError) else limit_reason(error),
        )
    return side(result, before.told)


def _mechanisms(before: Side, after: Side, options: Options, part: str) -> Comparison | None:
    """Which of the mechanisms of two sides tells more, within the limits; None where these are the
    same, or not on both sides."""
    old, new = before.question, after.question
    if old is None or new is None or old.mechanism is None or new.mechanism is None:
        return None
    ours, theirs = (old.space, old.mechanism), (new.space, new.mechanism)
    with limits(options, part):
        if old.mechanism.reals == new.mechanism.reals and same_rows(ours, theirs):
            return None
    if part in options.stopped:
        return Comparison(UNDECIDED, reason=options.stopped[part])
    seconds = None if options.time_limit is None else options.time_limit / 2  # two questions
    options.watch(part, 0.0)
    try:
        return blackwell(ours, theirs, seconds)
    finally:
        options.watch(None, 0.0)
