"""The spine: read, compile, decide, check. Only what the checker accepts is reported."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from types import FrameType

from verifier import certificate, checker, exact
from verifier.claim import (
    Answer,
    Claim,
    ComparisonClaim,
    ComposableClaim,
    CompositionClaim,
    InfluenceClaim,
    PolynomialsClaim,
    PolytopeClaim,
    SensitivityClaim,
    SimulationClaim,
)
from verifier.errors import InputError, LimitReached, TimeLimitReached, VerifierError
from verifier.model import Check
from verifier.notes import Note
from verifier.priors import NotDecided
from verifier.reading import Question, Wanted, read_whole
from verifier.reading import compile_check as compile_check
from verifier.remarks import told
from verifier.row_claims import (
    ClosureImpliesClaim,
    ImpliesClaim,
    ImpliesClosureClaim,
    ImpliesRowConeClaim,
    OptimalClaim,
    PostProcessingClaim,
    RowClaim,
    RowConeClaim,
)

ENGINES: dict[type, str] = {  # modules of verifier.solvers, each loaded where it is needed
    ClosureImpliesClaim: "implies",
    ComparisonClaim: "comparison",
    ComposableClaim: "composable",
    CompositionClaim: "composition",
    ImpliesClaim: "implies",
    ImpliesClosureClaim: "implied_closure",
    ImpliesRowConeClaim: "implied_cone",
    InfluenceClaim: "influence",
    OptimalClaim: "optimal",
    PolynomialsClaim: "polynomials",
    PolytopeClaim: "polytopes",
    PostProcessingClaim: "post_processing",
    RowConeClaim: "row_cone",
    SensitivityClaim: "sensitivity",
    SimulationClaim: "simulation",
}


@dataclass(frozen=True)
class Options:
    """How to run: where certificates go, limits per check, whether Python mechanisms may run."""

    certificates: Path | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    allow_python: bool = False
    progress: Callable[[str], None] = lambda message: None


@dataclass(frozen=True)
class Result:
    """One check's answer beside what the file expected.

    status  "ok", "failed", "undecided", or "internal" (the checker rejected the certificate)
    notes   what it says that nobody asked for; the first check of a file has those on the file
    """

    file: str
    index: int
    name: str | None
    definition: str
    mechanism: str | None
    expected: str
    answer: Answer
    status: str
    kind: str | None = None
    path: str | None = None
    mismatch: str | None = None
    notes: tuple[Note, ...] = ()
    seconds: float = 0.0


def run(path: str, options: Options = Options()) -> Iterator[Result]:
    """Decide every check of a spec file, in its order, after all of the file has been read;
    InputErrors where the file is bad."""
    read = read_whole(path, options.allow_python, partial(limits, options))
    notes = read.notes
    for question in read.questions:
        started, check = perf_counter(), question.check
        title = check.name or check.definition.text
        options.progress(f"{path}: check {check.index + 1} of {len(read.questions)}: {title}")
        try:
            result = _decide(path, question, options)
        finally:
            options.progress("")
        seconds = question.seconds + perf_counter() - started
        yield replace(result, notes=(*notes, *result.notes), seconds=seconds)
        notes = []


def _decide(path: str, question: Question, options: Options) -> Result:
    check = question.check
    result = Result(
        path,
        check.index,
        check.name,
        check.definition.text,
        check.mechanism_name(),
        question.expected,
        Answer("undecided", reason=question.reason),
        "undecided",
    )
    if question.claim is None:
        return result
    try:
        with limits(replace(options, time_limit=_left(options.time_limit, question.seconds))):
            answer = decide(question.claim)
            if reason := _objection(answer):
                undecided = replace(answer, verdict="undecided", reason=reason, witness=None)
                return replace(result, answer=undecided, status="internal")
            saved = _save(path, check, answer, options.certificates)
            notes = told(question, answer)
    except (NotDecided, LimitReached) as limit:
        return replace(result, answer=Answer("undecided", reason=str(limit)))
    except MemoryError:
        return replace(result, answer=Answer("undecided", reason="the memory limit was reached"))
    mismatch = _mismatch(answer, question.expected, question.leakage)
    assert answer.certificate is not None
    return replace(
        result,
        answer=answer,
        status="failed" if mismatch else "ok",
        kind=answer.certificate["claim"]["kind"],
        path=saved,
        mismatch=mismatch,
        notes=tuple(notes),
    )


def _left(limit: float | None, spent: float) -> float | None:
    """What reading a check has left of its time."""
    return None if limit is None else max(limit - spent, 0.001)


class NotAccepted(VerifierError):
    """The checker does not accept the certificate of an answer."""


def certified(claim: Claim | RowClaim) -> Answer:
    """The engine's answer to a claim, accepted by the checker; NotAccepted otherwise."""
    answer = decide(claim)
    if reason := _objection(answer):
        raise NotAccepted(reason)
    return answer


def _objection(answer: Answer) -> str | None:
    """Why the checker does not accept what an answer says; None where it does."""
    verdict = checker.check(answer.certificate)
    if verdict.outcome == "accepted" and _is_what_was_checked(answer):
        return None
    return f"the checker {verdict.outcome} the certificate: {verdict.reason}"


def _is_what_was_checked(answer: Answer) -> bool:
    """Whether verdict, leakage and value of an answer are those that its certificate states."""
    stated = (answer.certificate or {})["claim"]
    leakage = answer.leakage.claim() if answer.leakage else None
    value = None if answer.value is None else exact.text(answer.value)
    points = certificate.of_tradeoff(answer.tradeoff).get("tradeoff")
    keys = ("verdict", "leakage", "value", "tradeoff")
    return [stated.get(key) for key in keys] == [answer.verdict, leakage, value, points]


def decide(claim: Claim | RowClaim) -> Answer:
    """The engine's answer to a claim, with a certificate that the checker has yet to see."""
    engine = ENGINES[type(claim)]
    if isinstance(claim, SimulationClaim) and claim.posteriors:
        engine = "inference"
    answer: Answer = import_module(f"verifier.solvers.{engine}").decide(claim)
    return answer


def _mismatch(answer: Answer, expected: str, wanted: Wanted | None) -> str | None:
    """How an answer differs from what the file expects, in words."""
    if answer.verdict != expected:
        return f"expected {expected}, found {answer.verdict}{_asserted(answer)}"
    if wanted is None:
        return None
    found, (low, high) = answer.leakage, wanted
    if found is None:
        return "the smallest level was not found" if answer.level else "it has no smallest level"
    if low is None or high is None or found.infinite:
        fine = low is None and found.infinite
    elif found.bounds is not None:
        fine = low <= found.bounds[0] and found.bounds[1] <= high and low < high
    else:
        assert found.exp_epsilon is not None
        fine = low <= found.exp_epsilon <= high
    if fine:
        return None
    text = "infinite" if low is None else exact.text(low)
    asked = text if low == high else f"in [{text}, {high}]"
    return f"expected the leakage {asked}, it is {describe_leakage(answer)}"


def _asserted(answer: Answer) -> str:
    """Which value was asserted, where there is one and it is another."""
    stated = (answer.certificate or {}).get("claim", {})
    asked = next((stated[key] for key in ("equals", "facets", "at_most") if stated.get(key)), None)
    if asked is None or answer.value is None or asked == exact.text(answer.value):
        return ""
    return f": the value is {exact.text(answer.value)}, asserted {asked}"


def describe_leakage(answer: Answer) -> str:
    """The smallest level in words."""
    found = answer.leakage
    if found is None:
        return "none"
    if found.bounds is not None:
        return f"between {found.bounds[0]} and {found.bounds[1]}"
    return "infinite" if found.exp_epsilon is None else exact.text(found.exp_epsilon)


def _save(path: str, check: Check, answer: Answer, folder: Path | None) -> str | None:
    if folder is None or answer.certificate is None:
        return None
    target = folder / f"{Path(path).name}-{check.index + 1}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(certificate.write(answer.certificate), encoding="utf-8")
    except OSError as error:
        raise InputError("S701", f"cannot write '{target}': {error.strerror}") from None
    return str(target)


@contextmanager
def limits(options: Options) -> Iterator[None]:
    """Apply the limits on time (TimeLimitReached) and memory (MemoryError) to a block."""
    if options.memory_limit is not None:
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        most = sys.maxsize if before[1] == resource.RLIM_INFINITY else before[1]
        resource.setrlimit(resource.RLIMIT_AS, (min(options.memory_limit, most), before[1]))
    if options.time_limit is not None:

        def stop(number: int, frame: FrameType | None) -> None:
            raise TimeLimitReached(f"the time limit of {options.time_limit:g} s was reached")

        previous = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, options.time_limit)
    try:
        yield
    except ImportError as error:  # a library that does not fit into the memory
        if options.memory_limit is None:
            raise
        raise MemoryError from error
    finally:
        if options.time_limit is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        if options.memory_limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, before)
