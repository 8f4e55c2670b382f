"""What checks would hold with, as text; a pure function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.lab.advice import Advice
from verifier.report import text
from verifier.run.verify import Result


def lines(result: Result, found: Sequence[Advice]) -> Iterator[str]:
    """A check that does not hold, and what it would hold with: the lines to write in its file.

    result  of the check
    found   what is advised
    """
    yield f"  {result.label}: {text.message(result)}"
    if result.answer.reason:
        yield f"      {result.answer.reason}"
    elif not found:
        yield "      nothing was found that it holds with"
    for one in found:
        yield f"      holds with {one.says}"
        for number, line in enumerate(one.lines, one.edit.line):
            yield f"        {number:4} | {line}"
