"""Privacy in test suites: an assertion for Python, and a plugin of pytest for spec files.

May enter: a mechanism, or spec files that pytest collects.
Must not know: the command line.

Nothing of the engine is loaded before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from verifier.lab.adapters import Claim
    from verifier.questions.answer import Answer
    from verifier.questions.question import Question
    from verifier.run.verify import Options, Report, Result

__all__ = ["PrivacyNote", "assert_private"]

TEXT = "<text>"  # in the place of a file's name


class PrivacyNote(UserWarning):
    """What a spec file says that nobody asked for: a note of `verifier check`."""


@overload
def assert_private(  # type: ignore[overload-overlap]  # a mechanism may be any object but these
    subject: str | Path,
    *,
    time_limit: float | None = ...,
    allow_python: bool = ...,
    values: Mapping[str, Sequence[str]] = ...,
) -> Report: ...
@overload
def assert_private(
    subject: object,
    claim: Claim | None = ...,
    *,
    time_limit: float | None = ...,
    allow_python: bool = ...,
) -> Answer: ...
def assert_private(
    subject: object,
    claim: Claim | None = None,
    *,
    time_limit: float | None = None,
    allow_python: bool = False,
    values: Mapping[str, Sequence[str]] = {},
) -> Report | Answer:
    """Assert that each check of a spec file meets its expectation, or that a claim holds.

    subject       the path of a spec file, its text (of several lines), a question from the
                  `question` of a module of `verifier.definitions`, or a mechanism of another
                  library, itself or from `verifier.lab.adapters.adapted`
    claim         what is asserted of such a mechanism; by default what its library claims
    time_limit    seconds of the processor for reading the file and for each check
    allow_python  whether Python functions that the file names may run
    values        of the file's parameters, as texts, by their names; its own by default, and each
                  combination of them is tried

    AssertionError with the lines of the report where something is violated, undecided or compares
    nothing; InputErrors with all that is wrong in a bad file, LimitReached where it cannot be read
    within the limit.

    >>> from verifier import Level, database, mechanism
    >>> from verifier.definitions import differential_privacy
    >>> space = database(records=["ann", "bob"], domain=[0, 1])
    >>> response = mechanism(space, {"randomized_response": {"truth": "3/4"}})
    >>> level = Level.of_epsilon("ln(3)")
    >>> asked = differential_privacy.question(space=space, mechanism=response, level=level)
    >>> assert_private(asked).verdict
    'holds'
    """
    __tracebackhide__ = True
    from verifier.base.parameters import given
    from verifier.run.verify import Options, Report, choices

    options = Options(time_limit=time_limit, allow_python=allow_python)
    if not isinstance(subject, str | Path):
        return _assert_holds(_question(subject, claim), options)
    text = subject if isinstance(subject, str) and "\n" in subject else None
    path = TEXT if text is not None else str(subject)
    results: list[Result] = []
    for choice in choices(path, values, text=text):
        with given(choice):
            results += _decided(path, text, options)
    wrong = [line for result in results if result.status != "ok" for line in said(result)]
    if wrong:
        raise AssertionError("\n".join([path, *wrong]))
    return Report(path, tuple(results))


def _question(subject: object, claim: Claim | None) -> Question:
    """The question itself, or what is asked of a mechanism of another library."""
    from verifier.lab.adapters import Adapted, adapted
    from verifier.questions.question import Question

    if isinstance(subject, Question):
        return subject
    found = subject if isinstance(subject, Adapted) else adapted(subject)
    return (found if claim is None else found.claiming(claim)).question()


def _decided(path: str, text: str | None, options: Options) -> Iterator[Result]:
    """The results of all checks of a file, or of a text in its place."""
    from verifier.run.verify import limits, settled, unsettled
    from verifier.spec.reading import read_whole

    read = read_whole(path, options.allow_python, partial(limits, options), text)
    for result, asked in zip(unsettled(path, read), read.questions, strict=True):
        yield settled(result, asked, options)


def _assert_holds(question: Question, options: Options) -> Answer:
    """The answer to a question whose claim holds; AssertionError with the witness otherwise."""
    __tracebackhide__ = True
    from verifier.base.errors import LimitReached, NotDecided
    from verifier.questions.answer import Answer
    from verifier.run.verify import Result, is_vacuous, mismatch
    from verifier.run.verify import answer as answered

    try:
        answer = answered(question, time_limit=options.time_limit)
    except (NotDecided, LimitReached) as limit:
        answer = Answer("undecided", reason=str(limit))
    wrong = mismatch(answer, "holds", None)
    if wrong is None:
        return answer
    status = "undecided" if answer.verdict == "undecided" else "failed"
    definition, vacuous = question.definition, is_vacuous(answer)
    result = Result("", 0, None, definition, None, "holds", answer, status, label=definition)
    told = replace(result, vacuous=vacuous, mismatch=wrong if status == "failed" else None)
    raise AssertionError("\n".join(said(told)))


def said(result: Result) -> list[str]:
    """What the report in text says of a check, safe to print."""
    from verifier.base.escape import escaped
    from verifier.report import text
    from verifier.report.formats.text import MARKS

    first = f"{MARKS[result.status]}  {result.label}: {text.message(result)}"
    return [f"  {escaped(first)}", *(f"      {escaped(line)}" for line in text.details(result))]
