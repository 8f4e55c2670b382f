"""Two sides of a check, decided and compared, each part within the limits of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from functools import partial

from verifier.base.errors import LimitReached, NotDecided, limit_reason
from verifier.base.parameters import Choice, given
from verifier.changes.compare import compare, new
from verifier.changes.informative import Comparison, blackwell, cleared, contradiction
from verifier.changes.matching import same_table
from verifier.changes.statements import Change, Side, Statement, change
from verifier.changes.statuses import PROMISES_OTHERWISE, UNDECIDED
from verifier.spec.reading import Asked, read_whole
from verifier.verify import Options, Result, choices, limits, settled, unsettled


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
        values: Mapping[str, Sequence[str]] = {},
        zipped: bool = False,
    ) -> None:
        self.options = options
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

    def of(self, index: int | None) -> tuple[Side, Result] | None:
        """The check of a number, and its result; None for None."""
        if index is None:
            return None
        choice, asked = self._asked[index]
        before = self._results[index]
        number = f"check {index + 1} of {len(self._results)}"
        self.options.progress(f"{before.file}: {number}: {before.label}")
        try:
            with given(choice):
                result = settled(before, asked, self.options)
        finally:
            self.options.progress("")
        return side(asked, result), result


def side(asked: Asked, result: Result) -> Side:
    """A side of a check: as it was `asked`, and its `result`."""
    return Side(
        name=asked.name,
        question=asked.question,
        reason=asked.reason,
        answer=result.answer,
        expected=asked.expected,
        wanted=asked.leakage,
        wish=asked.wish.as_json(asked.parameter),
        vacuous=result.vacuous,
        content=result.content,
    )


def compared(before: Side | None, after: Side, options: Options, part: str) -> Found:
    """What differs between two sides of a check.

    before   the check before the change; None where it is new
    after    the check after it
    options  the limits
    part     what this is called in them

    Where a limit stops the comparison it is not known what is promised, which is told.
    """
    if before is None:
        return Found(new(after))
    try:
        with limits(options, f"{part}: promises"):
            found = compare(before, after)
    except (LimitReached, NotDecided, MemoryError) as limit:
        said = f"the promises could not be compared ({limit_reason(limit)})"
        return Found(change(after.name, [Statement(PROMISES_OTHERWISE, "question", said)]))
    order = _mechanisms(before, after, options, f"{part}: mechanisms")
    if order is None:
        return Found(found)
    objection = contradiction(before, after, found, order)
    return Found(cleared(before, after, found, order), order, objection)


def _mechanisms(before: Side, after: Side, options: Options, part: str) -> Comparison | None:
    """Which of the mechanisms of two sides tells more, within the limits."""
    old, new = before.question, after.question
    if old is None or new is None or old.mechanism is None or new.mechanism is None:
        return None
    if same_table(old.mechanism, new.mechanism):
        return None
    if part in options.stopped:
        return Comparison(UNDECIDED, reason=options.stopped[part])
    seconds = None if options.time_limit is None else options.time_limit / 2  # two questions
    options.watch(part, 0.0)
    try:
        return blackwell((old.space, old.mechanism), (new.space, new.mechanism), seconds)
    finally:
        options.watch(None, 0.0)
