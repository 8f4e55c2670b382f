"""The spine: read, compile, decide, check. Only what the checker accepts is reported."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from time import perf_counter
from types import FrameType

from verifier import checker
from verifier.base import exact, files
from verifier.base.document import Note
from verifier.base.errors import (
    MEMORY_REACHED,
    LimitReached,
    NotDecided,
    TimeLimitReached,
    VerifierError,
    time_reached,
)
from verifier.claims import certificate
from verifier.claims.answer import Answer
from verifier.claims.claim import (
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
from verifier.claims.rows import (
    ClosureImpliesClaim,
    ImpliesClaim,
    ImpliesClosureClaim,
    ImpliesRowConeClaim,
    OptimalClaim,
    PostProcessingClaim,
    RowClaim,
    RowConeClaim,
)
from verifier.spec import question
from verifier.spec.model import Check
from verifier.spec.reading import Question, Wanted, read_whole
from verifier.spec.reading import compile_check as compile_check
from verifier.spec.remarks import told

ENGINES: dict[type, str] = {  # modules of verifier.engines, each loaded where it is needed
    ClosureImpliesClaim: "rows.implies",
    ComparisonClaim: "comparison.comparison",
    ComposableClaim: "composition.composable",
    CompositionClaim: "composition.composition",
    ImpliesClaim: "rows.implies",
    ImpliesClosureClaim: "rows.implied_closure",
    ImpliesRowConeClaim: "rows.implied_cone",
    InfluenceClaim: "composition.influence",
    OptimalClaim: "rows.optimal",
    PolynomialsClaim: "pufferfish.polynomials",
    PolytopeClaim: "pufferfish.polytopes",
    PostProcessingClaim: "rows.post_processing",
    RowConeClaim: "rows.row_cone",
    SensitivityClaim: "comparison.sensitivity",
    SimulationClaim: "simulation.simulation",
}


@dataclass(frozen=True)
class Options:
    """How to run: where certificates go, limits, what is allowed, who is told what goes on.

    time_limit     seconds for reading a file and for each part of what is asked about it
    memory_limit   bytes of address space
    allow_vacuous  whether a check may pass that compares nothing
    progress       is told in words what begins, and "" at its end
    watch          is told the name of each part to which limits apply when it begins, and the
                   seconds already spent on it; None at its end. A file's reading is the part ""
    stopped        parts that are not tried, and why
    """

    certificates: Path | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    allow_python: bool = False
    progress: Callable[[str], None] = lambda message: None
    allow_vacuous: bool = False
    watch: Callable[[str | None, float], None] = lambda part, spent: None
    stopped: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """One check's answer beside what the file expected.

    status  "ok", "failed", "undecided", or "internal" (the checker rejected the certificate)
    path, sha256  of the certificate's file
    vacuous       whether nothing was compared, so that every mechanism passes
    notes         what it says that nobody asked for; the first check has those on the file
    isolation     how the Python functions of its mechanisms were shut in; None without such
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
    sha256: str | None = None
    vacuous: bool = False
    mismatch: str | None = None
    notes: tuple[Note, ...] = ()
    isolation: str | None = None
    seconds: float = 0.0


def run(
    path: str,
    options: Options = Options(),
    start: int = 0,
    listed: Callable[[list[Result]], None] = lambda results: None,
) -> Iterator[Result]:
    """Decide every check of a spec file from number `start` on, in its order, after all of the file
    has been read.

    What is about to be decided is first given to `listed`. Raises InputErrors where the file is
    bad.
    """
    read = read_whole(path, options.allow_python, partial(limits, options))
    notes = [] if start else read.notes
    asked = read.questions[start:]
    listed([_unknown(path, one) for one in asked])
    for one in asked:
        started, check = perf_counter(), one.check
        title = check.name or check.definition.text
        options.progress(f"{path}: check {check.index + 1} of {len(read.questions)}: {title}")
        try:
            result = _decide(path, one, options)
        finally:
            options.progress("")
        seconds = one.seconds + perf_counter() - started
        found = (*notes, *result.notes)
        yield replace(result, notes=found, isolation=check.isolation(), seconds=seconds)
        notes = []


def _decide(path: str, asked: Question, options: Options) -> Result:
    result, check = _unknown(path, asked), asked.check
    if asked.claim is None:
        return result
    try:
        with limits(options, f"check {check.index + 1}", asked.seconds):
            answer = decide(asked.claim, question.asked(check))
            vacuous = answer.leakage is not None and answer.leakage.vacuous
            if reason := _objection(answer):
                undecided = replace(answer, verdict="undecided", reason=reason, witness=None)
                return replace(result, answer=undecided, status="internal")
            saved, digest = _save(path, check, answer, options.certificates)
            notes = told(asked, answer)
    except (NotDecided, LimitReached) as limit:
        return replace(result, answer=Answer("undecided", reason=str(limit)))
    except MemoryError:
        return replace(result, answer=Answer("undecided", reason=MEMORY_REACHED))
    mismatch = _mismatch(answer, asked.expected, asked.leakage, vacuous, options.allow_vacuous)
    assert answer.certificate is not None
    return replace(
        result,
        answer=answer,
        status="failed" if mismatch else "ok",
        kind=answer.certificate["question"]["kind"],
        path=saved,
        sha256=digest,
        vacuous=vacuous,
        mismatch=mismatch,
        notes=tuple(notes),
    )


def _unknown(path: str, asked: Question) -> Result:
    """The result of a check that is not decided."""
    check = asked.check
    return Result(
        path,
        check.index,
        check.name,
        check.definition.text,
        check.mechanism_name(),
        asked.expected,
        Answer("undecided", reason=asked.reason),
        "undecided",
    )


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
    stated = (answer.certificate or {})["answer"]
    leakage = answer.leakage.claim() if answer.leakage else None
    value = None if answer.value is None else exact.text(answer.value)
    points = [list(map(exact.text, point)) for point in answer.tradeoff] or None
    keys = ("verdict", "leakage", "value", "tradeoff")
    return [stated.get(key) for key in keys] == [answer.verdict, leakage, value, points]


def decide(claim: Claim | RowClaim, by: question.Asked = question.NOBODY) -> Answer:
    """The engine's answer to a claim, with a certificate that the checker has yet to see: of the
    question that `by` asks."""
    engine = ENGINES[type(claim)]
    if isinstance(claim, SimulationClaim) and claim.posteriors:
        engine = "simulation.inference"
    answer: Answer = import_module(f"verifier.engines.{engine}").decide(claim)
    assert answer.proof is not None
    return replace(answer, certificate=certificate.document(question.of(claim, by), answer.proof))


def _mismatch(
    answer: Answer, expected: str, wanted: Wanted | None, vacuous: bool, allow_vacuous: bool
) -> str | None:
    """How an answer differs from what the file expects, in words."""
    if expected == "vacuous" and not vacuous:
        return f"expected vacuous, found {answer.verdict}: something is compared"
    if expected == "holds" and vacuous and not allow_vacuous:
        return "nothing was compared: say 'expect: vacuous' where this is meant (--allow-vacuous)"
    if answer.verdict != expected.replace("vacuous", "holds"):
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
    stated = (answer.certificate or {}).get("question", {})
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


def _save(
    path: str, check: Check, answer: Answer, folder: Path | None
) -> tuple[str | None, str | None]:
    """Where the certificate is written, and the SHA-256 of it."""
    if folder is None or answer.certificate is None:
        return None, None
    target = files.place(folder, path, check.index + 1)
    return str(target), files.write(target, certificate.write(answer.certificate))


def within(options: Options, name: str) -> Options:
    """The options for something whose parts are told under its name."""
    before = f"{name}: "
    stopped = {
        part.removeprefix(before): reason
        for part, reason in options.stopped.items()
        if part.startswith(before)
    }
    return replace(
        options,
        stopped=stopped,
        watch=lambda part, spent: options.watch(part and before + part, spent),
    )


@contextmanager
def limits(options: Options, part: str = "", spent: float = 0.0) -> Iterator[None]:
    """Apply the limits on time (TimeLimitReached) and memory (MemoryError) to a block, on which so
    many seconds were spent before.

    The limit on time interrupts the block between two steps of Python, and only in the main thread:
    elsewhere there is none. That on memory is one of the whole process.
    """
    if part in options.stopped:
        raise LimitReached(options.stopped[part])
    options.watch(part, spent)
    try:
        with ExitStack() as stack:
            if options.memory_limit is not None:
                stack.enter_context(_memory(options.memory_limit))
            if options.time_limit is not None and _has_clock():
                stack.enter_context(_clock(options.time_limit, spent))
            yield
    finally:
        options.watch(None, 0.0)


def _has_clock() -> bool:
    return hasattr(signal, "setitimer") and current_thread() is main_thread()


@contextmanager
def _memory(size: int) -> Iterator[None]:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    most = sys.maxsize if before[1] == resource.RLIM_INFINITY else before[1]
    resource.setrlimit(resource.RLIMIT_AS, (min(size, most), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def _clock(seconds: float, spent: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeLimitReached(time_reached(seconds))

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds - spent, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
