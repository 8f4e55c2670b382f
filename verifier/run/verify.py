"""The spine: read, compile, decide, check. Only what the checker accepts is reported."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from verifier import checker
from verifier.base import decimals, exact, files, parameters, registry
from verifier.base.document import Note, parse, read_bytes, read_text
from verifier.base.errors import (
    MEMORY_REACHED,
    InputError,
    LimitReached,
    NotDecided,
    Place,
    Unsettled,
    VerifierError,
)
from verifier.base.level import Leakage
from verifier.base.nouns import Later, Shown, dataclass, plot
from verifier.base.parameters import Choice
from verifier.checker.document import TOO_LONG
from verifier.checker.numbers import NEEDS_RATIONAL
from verifier.questions.answer import MALFORMED, Answer, Json, NotRead, Proof, write
from verifier.questions.question import Question, document
from verifier.questions.reading import read_proof
from verifier.spec.asked import Asked, Wanted, named
from verifier.spec.notes import answer_notes
from verifier.spec.options import Check
from verifier.spec.reading import Reading, read_whole
from verifier.spec.reading import asked as asked

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from verifier.run.cache.store import Store

LONGEST = 100  # closed form in a text
SHORT = 40  # end of an enclosure in a text
KEPT = ("answer", "evidence")  # of a certificate, in a cache
EXIT = {"ok": 0, "undecided": 3, "failed": 1, "internal": 4}  # statuses, the worst last


@dataclass(frozen=True)
class Options(Later):
    """How to run: where certificates go, limits, what is allowed, who is told what goes on.

    time_limit     seconds of the processor for reading a file, and for each part of what is asked
    memory_limit   bytes of address space
    allow_vacuous  whether a check may pass that compares nothing
    progress       is told in words what begins, and "" at its end
    watch          is told the name of each part to which limits apply when it begins, and the
                   seconds already spent on it; None at its end. A file's reading is the part ""
    stopped        parts that are not tried, and why
    cache          certificates of former runs, which the checker has yet to accept; None for none
    """

    certificates: Path | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    allow_python: bool = False
    progress: Callable[[str], None] = lambda message: None
    allow_vacuous: bool = False
    watch: Callable[[str | None, float], None] = lambda part, spent: None
    stopped: Mapping[str, str] = field(default_factory=dict)
    cache: Store | None = None


USUAL = Options()


@dataclass(frozen=True)
class Result(Shown, Later):
    """One check's answer beside what the file expected.

    status  "ok", "failed", "undecided", or "internal" (the checker rejected the certificate)
    place, id, label  where the check stands, by what it is known again, and what it is called
    content           the digest of its question without its source; None where it has none
    promise           that of its question without the mechanism and the level too
    asks              what is asked of what, part by part; None where it has no question
    asserted          the smallest level that the file asserts, such as "[3, 4]"
    wish              what it expects for all values of a parameter, as JSON; None where nothing
    question          what was asked; None where there is no exact method
    priors            the name of the class of priors; None where it has none
    note          for which values of the parameters it is; "" where there is one choice
    values        of parameters that have several, in words; "" without any
    equations     what real parameters are as functions of others, in words; "" without any
    path, sha256  of the certificate's file
    vacuous       whether nothing was compared, so that every mechanism passes
    notes         what it says that nobody asked for, once; the first check has those on the file
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
    rule: str | None = None
    path: str | None = None
    sha256: str | None = None
    vacuous: bool = False
    mismatch: str | None = None
    notes: tuple[Note, ...] = ()
    isolation: str | None = None
    seconds: float = 0.0
    place: Place | None = None
    id: str = ""
    label: str = ""
    content: str | None = None
    promise: str | None = None
    asks: Json | None = None
    asserted: str | None = None
    wish: Json | None = None
    question: Question | None = None
    priors: str | None = None
    note: str = ""
    values: str = ""
    equations: str = ""

    @property
    def verdict(self) -> str:
        """`holds`, `violated` or `undecided`."""
        return self.answer.verdict

    @property
    def leakage(self) -> Leakage | None:
        """The smallest level at which it holds; None for definitions without one."""
        return self.answer.leakage

    @property
    def witness(self) -> Any:
        """What shows a violation, in the reader's terms; None where there is none."""
        return self.answer.witness

    @property
    def certificate(self) -> Json | None:
        """What the checker has accepted; None where undecided."""
        return self.answer.certificate

    def plot(self, ax: Axes | None = None, what: str = "curve") -> Axes:
        """Draw a figure on given axes, or on the current ones of pyplot, and return them.

        what  `curve` of the smallest δ, `region` of a parameter, `matrix`, or an attacker's `odds`

        NotDecided with the reason where there is nothing to draw.
        """
        return plot(self, ax, what=what)


@dataclass(frozen=True)
class Report(Shown, Later):
    """What checking a file has found.

    file     its path
    results  one for each check, in order
    """

    file: str
    results: tuple[Result, ...]

    @property
    def status(self) -> str:
        """The worst status of a result: `ok`, `undecided`, `failed` or `internal`."""
        return max((result.status for result in self.results), key=list(EXIT).index)

    @property
    def exit_status(self) -> int:
        """What the command line would exit with: 0, 3, 1 or 4."""
        return EXIT[self.status]

    def plot(self, ax: Axes | None = None, what: str = "odds") -> Axes:
        """Draw a figure on given axes, or on the current ones of pyplot, and return them.

        what  `odds` of attackers in all checks, or the `frontier` of level against error

        NotDecided where there is nothing to draw.
        """
        return plot(self, ax, what=what)

    def to_dataframe(self) -> pandas.DataFrame:
        """The results as a frame of pandas with exact numbers, a row for each check.

        LibraryMissing without pandas.
        """
        from verifier.world.arrays import library

        rows = [
            {
                "check": result.label,
                "definition": result.definition,
                "mechanism": result.mechanism,
                "parameters": result.values,
                "status": result.status,
                "verdict": result.verdict,
                "exp_epsilon": result.leakage and result.leakage.exp_epsilon,
                "epsilon": result.leakage and result.leakage.decimal,
                "delta": result.answer.delta,
                "value": result.answer.value,
                "seconds": result.seconds,
            }
            for result in self.results
        ]
        frame: pandas.DataFrame = library().DataFrame(rows)
        return frame


def check(
    path: str | Path,
    *,
    certificates: str | Path | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    allow_python: bool = False,
    allow_vacuous: bool = False,
    cache: str | Path | None = None,
    values: Mapping[str, Sequence[str]] = {},
) -> Report:
    """Decide every check of a spec file in this process, for every choice of its parameters.

    path           of the file
    certificates   a folder for the certificates; None to write none
    time_limit     seconds of the processor for reading the file and for each check
    memory_limit   bytes of address space of the whole process
    allow_python   whether Python functions that the file names may run
    allow_vacuous  whether a check passes that compares nothing
    cache          a folder for answers that need not be found again; None for no such folder
    values         of parameters, as texts, by their names; those of the file by default

    InputErrors with all that is wrong in a bad file, LimitReached where it cannot be read within
    the limits. A check that cannot be decided has the verdict `undecided`. A warning where the
    cache cannot be used.
    """
    folder = None if certificates is None else Path(certificates)
    options = Options(folder, time_limit, memory_limit, allow_python, allow_vacuous=allow_vacuous)
    with ExitStack() as stack:
        if cache is not None:
            from verifier.run.cache.store import Store

            store = Store(Path(cache), warnings.warn)
            stack.callback(store.close)
            options = replace(options, cache=store)
        results, told = list[Result](), set[Note]()
        for choice in choices(path, values):
            with parameters.given(choice):
                for result in run(str(path), options):
                    notes = tuple(note for note in result.notes if note not in told)
                    results.append(replace(result, notes=notes))
                    told.update(notes)
        return Report(str(path), tuple(results))


def choices(
    path: str | Path,
    given: Mapping[str, Sequence[str]] = {},
    zipped: bool = False,
    text: str | None = None,
) -> list[Choice]:
    """Every choice of the parameters of a file; a single one where it has none.

    path    of the file
    given   name -> values, as texts, in place of those of the file
    zipped  whether the n-th values go together, instead of all combinations
    text    what stands in place of the file's

    InputError where the file cannot be read, or values do not fit.
    """
    for name, each in given.items():
        if isinstance(each, str) or not all(isinstance(value, str) for value in each):
            said = f"the values of '{name}' are a list of texts, found {each!r:.40}"
            raise InputError("S806", said, hint=f"write {{'{name}': ['3/4', '1']}}")
    # much quicker than to parse a file that cannot have any, as most have none
    if not given and b"parameters" not in (read_bytes(path) if text is None else text.encode()):
        return [parameters.NOTHING]
    from verifier.spec import parameters as declared

    text = read_text(path) if text is None else text
    return declared.choices(parse(text, str(path)), text, given, zipped)


def load(
    path: str | Path, *, time_limit: float | None = None, allow_python: bool = False
) -> Reading:
    """Read a spec file: its `questions`, each with a name and what is expected.

    path          of the file
    time_limit    seconds of the processor for reading it, and for writing down each question
    allow_python  whether Python functions that the file names may run

    InputErrors with all that is wrong in a bad file; LimitReached. A check without an exact method
    has no question, but a reason.
    """
    options = Options(time_limit=time_limit)
    return read_whole(path, allow_python, partial(limits, options))


def answer(question: Question, *, time_limit: float | None = None) -> Answer:
    """Decide a question; the answer is one that the checker accepts.

    question    from `load`, or from the `question` of a module of `verifier.definitions`
    time_limit  seconds of the processor

    NotDecided where there is no exact method, LimitReached at the limit, NotAccepted where the
    checker does not accept the certificate, which would be a fault of this package.
    """
    with limits(Options(time_limit=time_limit)):
        return certified(question)


def run(
    path: str,
    options: Options = USUAL,
    start: int = 0,
    listed: Callable[[list[Result]], None] = lambda results: None,
) -> Iterator[Result]:
    """Decide every check of a spec file from number `start` on, in its order, after all of the file
    has been read.

    What is about to be decided is first given to `listed`. Raises InputErrors where the file is
    bad.
    """
    read = read_whole(path, options.allow_python, partial(limits, options))
    # a worker that goes on after another one would tell them a second time
    notes = [] if start else read.notes
    unknown = unsettled(path, read)[start:]
    listed(unknown)
    for one, result in zip(read.questions[start:], unknown, strict=True):
        number = f"check {result.index + 1} of {len(read.questions)}"
        options.progress(f"{path}: {number}: {result.label}")
        try:
            result = settled(result, one, options)
        finally:
            options.progress("")
        yield replace(result, notes=(*notes, *result.notes))
        notes = []


def unsettled(path: str, read: Reading) -> list[Result]:
    """The results of all checks of a file that is read, before any of them is decided.

    path  of the file, as reports name it
    read  what it says
    """
    names = named(path, read.questions)
    return [
        replace(unknown(path, one), place=name.place, id=name.id, label=name.label, note=name.note)
        for one, name in zip(read.questions, names, strict=True)
    ]


def settled(result: Result, asked: Asked, options: Options) -> Result:
    """A check decided.

    result   from `unsettled`
    asked    its question
    options  limits, and where certificates go
    """
    started = perf_counter()
    found = _decide(result, asked, options)
    seconds = asked.seconds + perf_counter() - started
    return replace(found, isolation=asked.check.isolation(), seconds=seconds)


def _decide(result: Result, asked: Asked, options: Options) -> Result:
    check, part = asked.check, f"check {asked.check.index + 1}"
    if asked.question is None:
        return result
    known = _known(asked.question, part, options)
    try:
        with limits(options, part, asked.seconds):
            stated = asked.question.stated()
            result = replace(
                result, content=stated.content, promise=stated.promise, asks=stated.asks
            )
            answer = decide(asked.question) if known is None else known
            vacuous = is_vacuous(answer)
            if known is None and (reason := _objection(answer)):
                return replace(result, answer=_withdrawn(answer, reason), status="internal")
            saved, digest = _save(result, check, answer, options.certificates)
            notes = answer_notes(asked, answer)
        difference = mismatch(answer, asked.expected, asked.leakage, options.allow_vacuous)
        difference = difference or _mismatch_of_functions(answer, asked)
    except (NotDecided, LimitReached) as limit:
        boxes = limit.boxes if isinstance(limit, Unsettled) else ()
        return replace(result, answer=Answer("undecided", reason=str(limit), boxes=boxes))
    except MemoryError:
        return replace(result, answer=Answer("undecided", reason=MEMORY_REACHED))
    assert answer.certificate is not None
    if known is None and options.cache and _says_all(answer):
        options.cache.put(stated.content, {key: answer.certificate[key] for key in KEPT})
    return replace(
        result,
        answer=answer,
        status="failed" if difference else "ok",
        rule=stated.rule,
        path=saved,
        sha256=digest,
        vacuous=vacuous,
        mismatch=difference,
        notes=tuple(notes),
    )


def asserted(wanted: Wanted | None) -> str | None:
    """The smallest level that a file asserts, as text; None without one.

    wanted  the least and the largest level, None for infinite

    >>> from fractions import Fraction
    >>> asserted((Fraction(3), Fraction(4))), asserted((None, None))
    ('[3, 4]', 'infinite')
    """
    if wanted is None:
        return None
    low, high = ("infinite" if end is None else exact.text(end) for end in wanted)
    return low if low == high else f"[{low}, {high}]"


def unknown(path: str, asked: Asked) -> Result:
    """The result of a check that is not decided, without what it is called in reports.

    path   of the file
    asked  its question
    """
    check = asked.check
    has_priors = asked.question is not None and asked.question.priors is not None
    return Result(
        path,
        check.index,
        check.name,
        check.definition.text,
        check.mechanism_name(),
        asked.expected,
        Answer("undecided", reason=asked.reason),
        "undecided",
        asserted=asserted(asked.leakage),
        wish=asked.wish.as_json(asked.parameter),
        question=asked.question,
        priors=check.priors_name() if has_priors else None,
        values=parameters.active().note,
        equations=asked.equations,
    )


def _withdrawn(answer: Answer, reason: str) -> Answer:
    """What is told in place of an answer whose certificate the checker does not accept."""
    scope, level, delta = answer.scope, answer.level, answer.delta
    return Answer("undecided", reason=reason, scope=scope, level=level, delta=delta)


class NotAccepted(VerifierError):
    """The checker does not accept the certificate of an answer."""


def certified(question: Question) -> Answer:
    """The engine's answer to a question, accepted by the checker; NotAccepted otherwise."""
    answer = decide(question)
    if reason := _objection(answer):
        raise NotAccepted(reason)
    return answer


def _objection(answer: Answer) -> str | None:
    """Why the checker does not accept what an answer says; None where it does."""
    verdict = checker.check(answer.certificate)
    if verdict.outcome == "accepted" and _is_what_was_checked(answer):
        return None
    if NEEDS_RATIONAL in verdict.reason:
        from verifier.base.exponential import Irrational

        raise Irrational
    if verdict.outcome == "refused" and TOO_LONG in verdict.reason:
        raise LimitReached("an answer was found, but to check it takes too many steps")
    return f"the checker {verdict.outcome} the certificate: {verdict.reason}"


def _is_what_was_checked(answer: Answer) -> bool:
    """Whether verdict, leakage and value of an answer are those that its certificate states."""
    stated = (answer.certificate or {})["answer"]
    leakage = answer.leakage.claim() if answer.leakage else None
    value = None if answer.value is None else exact.text(answer.value)
    points = [list(map(exact.text, point)) for point in answer.tradeoff] or None
    keys = ("verdict", "leakage", "value", "tradeoff")
    return [stated.get(key) for key in keys] == [answer.verdict, leakage, value, points]


def unchecked(question: Question) -> Answer:
    """The engine's answer to a question, without a certificate."""
    found: Answer = _engine(question).decide(question.claim)
    return found


def decide(question: Question) -> Answer:
    """The engine's answer to a question, with a certificate that the checker has yet to see."""
    return _with_certificate(question, unchecked(question))


def answer_of_proof(question: Question, proof: Proof) -> Answer:
    """What a proof says in answer to a question, with its certificate.

    question  that was asked
    proof     whose certificate the checker has accepted, wherever it comes from

    All that is told follows from the two: what the checker proves, and what the question has.
    NotRead where a proof is right, but none that the engine would have found.
    """
    try:
        return _with_certificate(question, _engine(question).told(question.claim, proof))
    except MALFORMED as error:
        raise NotRead(f"no proof of an engine: {error!r:.200}") from None


def _with_certificate(question: Question, answer: Answer) -> Answer:
    assert answer.proof is not None
    return replace(answer, certificate=document(question.stated(), answer.proof))


def _engine(question: Question) -> Any:
    """The module of `verifier.engines` that decides a question."""
    return registry.ENGINES.module(question.claim.engine)


def _known(question: Question, part: str, options: Options) -> Answer | None:
    """The answer that the cache has, accepted by the checker now; None where it has none.

    The limits are those of a part of its own: no entry of a cache takes time from deciding.
    """
    if options.cache is None:
        return None
    try:
        with limits(options, f"{part}: cache"):
            kept = options.cache.get(question.content)
            if kept is not None:
                return _accepted(question, *(kept[key] for key in KEPT))
    except Exception:  # whatever a spoilt entry leads to: then the engine is asked
        return None
    return None


def _accepted(question: Question, stated: Json, evidence: Json) -> Answer | None:
    """What an answer and evidence, which somebody has stated, say to a question; None where the
    checker does not accept them, or they say less than an engine may."""
    proof = read_proof(question.claim, stated, evidence)
    if checker.check(document(question.stated(), proof)).outcome != "accepted":
        return None
    answer = answer_of_proof(question, proof)
    return answer if _is_what_was_checked(answer) and _says_all(answer) else None


def difference(asked: Asked, path: str) -> str | None:
    """How the answer of a certificate differs from the regions and functions that a file expects.

    asked  the question that it answers
    path   of the certificate, which is checked again

    None where it does not differ, or no such thing is expected.
    """
    if asked.question is None or (asked.wish.region is None and asked.wish.curve is None):
        return None
    verdict, document = checker.read_file(path)
    if document is not None and document.get("version") == 2:
        from verifier.run.earlier import checked

        verdict, document = checked(document)
    if verdict.outcome != "accepted" or document["digest"] != asked.question.stated().digest:
        return "it has changed while it was read"
    try:
        proof = read_proof(asked.question.claim, document["answer"], document["evidence"])
        return _mismatch_of_functions(answer_of_proof(asked.question, proof), asked)
    except (NotRead, NotDecided) as error:
        return str(error)


def _says_all(answer: Answer) -> bool:
    """Whether no other answer could be true as well: one that gives no smallest level, or only an
    interval, is accepted beside a sharper one."""
    found = answer.leakage
    return answer.level is None or (found is not None and found.bounds is None)


def is_vacuous(answer: Answer) -> bool:
    """Whether nothing was compared, so that every mechanism passes."""
    return answer.leakage is not None and answer.leakage.vacuous


def mismatch(
    answer: Answer, expected: str, wanted: Wanted | None, allow_vacuous: bool = False
) -> str | None:
    """How an answer differs from what the file expects, in words."""
    vacuous = is_vacuous(answer)
    if expected == "vacuous" and not vacuous:
        return f"expected vacuous, found {answer.verdict}: something is compared"
    if expected == "holds" and vacuous and not allow_vacuous:
        return "nothing was compared: say 'expect: vacuous' where this is meant (--allow-vacuous)"
    if answer.verdict != expected.replace("vacuous", "holds"):
        return f"expected {expected}, found {answer.verdict}{_asserted(answer)}"
    return None if wanted is None else _leakage_mismatch(answer, wanted)


def _mismatch_of_functions(answer: Answer, asked: Asked) -> str | None:
    """How an answer about all values of a parameter differs from what the file expects, in
    words."""
    wish = asked.wish
    if wish.region is None and wish.curve is None:
        return None
    from verifier.spec import wishes

    return wishes.mismatch(answer, wish, asked.parameter)


def _leakage_mismatch(answer: Answer, wanted: Wanted) -> str | None:
    """How the leakage of an answer differs from what is wanted, in words."""
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


def describe_leakage(answer: Answer, told: Callable[[Fraction], str] = exact.text) -> str:
    """The smallest level in words.

    answer  that has found it
    told    a rational in words
    """
    found = answer.leakage
    if found is None:
        return "none"
    if found.bounds is not None:
        low, high = map(told, found.bounds)
        least, most = map(decimals.significant, found.bounds)
        if len(low) > SHORT and least == most:
            return f"≈ {least}, enclosed by fractions"
        return f"between {low} and {high}"
    if found.exp_epsilon is None:
        return "infinite"
    if exact.is_irrational(found.exp_epsilon):
        closed, digits = found.claim()["closed"], decimals.significant(found.exp_epsilon)
        return f"{closed} ≈ {digits}" if len(closed) <= LONGEST else f"≈ {digits}, a closed form"
    return told(found.exp_epsilon)


def _save(
    result: Result, check: Check, answer: Answer, folder: Path | None
) -> tuple[str | None, str | None]:
    """Where the certificate is written, and the SHA-256 of it."""
    if folder is None or answer.certificate is None:
        return None, None
    target = files.place(folder, result.file, check.index + 1, result.note)
    return str(target), files.write(target, write(answer.certificate))


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

    The limit on time interrupts the block between two steps of Python, in any thread. That on
    memory is one of the whole process.
    """
    if part in options.stopped:
        raise LimitReached(options.stopped[part])
    options.watch(part, spent)
    size, seconds = options.memory_limit, options.time_limit
    try:
        if size is None and seconds is None:
            yield
            return
        from verifier.run.supervision.limits import clock, memory

        with (
            nullcontext() if size is None else memory(size),
            nullcontext() if seconds is None else clock(seconds, spent),
        ):
            yield
    finally:
        options.watch(None, 0.0)
