"""What workers do: each kind of job, as the events that the parent of a run reports.

An event that is an answer has `next`, the number of answers up to it, from which another worker
can go on. Of an answer to `check` see `_item`; the others have the `lines` or the `json` of the
report, the lines to `say` on standard error, and a `status`. A "warning" tells what no answer
depends on.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import chdir, nullcontext, suppress
from dataclasses import asdict, replace
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from verifier.base import document, exact, parameters
from verifier.base.document import Note, give, read_bytes
from verifier.base.errors import (
    InputError,
    LibraryMissing,
    LimitReached,
    NotDecided,
    Place,
    limit_reason,
    nearest,
)
from verifier.base.parameters import Choice
from verifier.base.shortened import written_out_whole
from verifier.report import text
from verifier.report.errors import error_as_json, note_as_json
from verifier.report.json import result_as_json
from verifier.run import verify
from verifier.run.verify import Options, Result
from verifier.spec.asked import path_from_here
from verifier.spec.reading import read_whole
from verifier.spec.recognising import is_spec

if TYPE_CHECKING:
    from verifier.run.cache.store import Store

Json = dict[str, Any]
Tell = Callable[[Json], None]
OK, FAILED, UNDECIDED = 0, 1, 3  # exit statuses
OF_RESULTS = {"ok": OK, "failed": FAILED, "undecided": UNDECIDED, "internal": 4}
SIDES = ("before", "after")
ADVISED = 1.0  # seconds for the advice on all checks of a file
MOST_ANSWERS = 10**9  # for one choice of parameters: answers are numbered from a multiple of it


def run(job: Json, tell: Tell) -> Iterator[Json]:
    """The events of a job; parts and progress are told at once.

    An error of the file, a limit on all of it, or an answer that the checker does not accept ends
    it: {"error": …}, {"stopped": reason}, {"rejected": reason}.
    """
    if "given" in job:
        # bytes travel in JSON as one character each
        give(job["file"], job["given"].encode("latin-1"))
    folder = job.get("certificates")
    options = Options(
        certificates=None if folder is None else Path(folder),
        time_limit=job["time_limit"],
        allow_python=job.get("allow_python", False),
        progress=lambda message: tell({"progress": message}),
        allow_vacuous=job.get("allow_vacuous", False),
        watch=lambda part, spent: tell({"part": part, "spent": spent}),
        stopped=job["stopped"],
        cache=_cache(job.get("cache"), tell),
    )
    tell({"progress": f"{job['file']}: reading"})
    try:
        yield from _chosen(job, options, tell)
    except InputError as error:
        yield _told(error.all)
    except (LimitReached, MemoryError) as error:
        yield {"stopped": limit_reason(error)}
    except verify.NotAccepted as error:
        yield {"rejected": str(error)}


def _chosen(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """The events of a job for every choice of the parameters of its file, one after the other.

    The number of an answer is then one of its choice, which stands before it.
    """
    work = WORK[job["work"]]
    choices = _choices(job) if job["work"] in OVER else [parameters.NOTHING]
    first, start = divmod(job.get("start", 0), MOST_ANSWERS)
    job = {**job, "advised": Counter()}  # the seconds that advice has taken so far
    for number, choice in enumerate(choices[first:], first):
        own = verify.within(options, choice.note) if choice.note else options
        before, chosen = number * MOST_ANSWERS, dict(choice.chosen)
        with parameters.given(choice):
            try:
                about = {"start": start, "note": choice.note, "chosen": chosen}
                for event in work({**job, **about}, own, tell):
                    yield {**event, "next": before + event["next"]} if "next" in event else event
            except InputError as error:
                if not choice.note:
                    raise
                of = {"chosen": chosen, "note": choice.note, "choices": len(choices)}
                # after all answers of this choice: another worker would go on with the next
                yield {**_told(error.all), **of, "next": before + MOST_ANSWERS}
        start = 0


def _choices(job: Json) -> list[Choice]:
    """The choices of the parameters of a job's file; a single one where it has none."""
    return verify.choices(job["file"], job.get("parameters") or {}, job.get("zip", False))


def _told(errors: Iterable[InputError]) -> Json:
    """Errors of a file, as an event."""
    found = list(errors)
    return {"error": list(map(str, found)), "json": list(map(error_as_json, found))}


def _cache(folder: str | None, tell: Tell) -> Store | None:
    """The store of a folder, which stays open for the next job; what is wrong with it is told."""
    if folder is None:
        return None
    store = _store(folder)
    # the store outlives the job: what it warns of goes to whoever listens now
    store.tell = lambda reason: tell({"warning": reason})
    return store


@lru_cache(maxsize=1)
def _store(folder: str) -> Store:
    from verifier.run.cache.store import Store

    return Store(Path(folder))


def _check(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    file, verbose = job["file"], job.get("verbose", False)
    if job["dry_run"]:
        yield from _dry_run(job, options)
        return

    if "watched" in job:
        from verifier.lab.sweeps.deciding import named_files

        # before they are read, as they may be what is wrong
        tell({"reads": list(map(str, named_files(file, document.parse(document.read_text(file)))))})

    def listed(results: Sequence[Result]) -> None:
        items = [_item(result, verbose) for result in results]
        digest = hashlib.sha256(read_bytes(file)).hexdigest() if options.certificates else ""
        tell({"listed": items, "sha256": digest})

    same = None
    if options.cache is not None:
        from verifier.run.cache.unchanged import unchanged

        same = unchanged(options.cache, job, path_from_here(file))
    if same is not None and (items := same.told()) is not None:
        for number, item in enumerate(items, 1):
            yield {"item": item, "next": number}
        return
    results, items = list[Result](), []
    with document.opened() as opened:
        for result in verify.run(file, options, job["start"], listed):
            drawn = {"figures": {"": _figures(result, options)}} if job["figures"] else {}
            item = {**_item(result, verbose), **drawn}
            is_violated = result.status == "failed" and result.verdict == "violated"
            if job.get("advice") and is_violated and (advised := _advised(result, job, options)):
                item["json"]["advice"] = advised
            results.append(result)
            items.append(item)
            yield {"item": item, "next": job["start"] + len(items)}
    # advice depends on the time that it had
    settled = {"ok"} if job.get("advice") else {"ok", "failed"}
    if same is not None and {result.status for result in results} <= settled:
        # what is told again takes no time
        again = [{**item, "json": {**item["json"], "seconds": 0.0}} for item in items]
        asked = [one.question.source for one in results if one.question is not None]
        same.keep(again, filter(None, asked), opened)


def _advised(result: Result, job: Json, options: Options) -> list[Json]:
    """What a check would hold with, as far as it is found in what is left of the time for the
    advice on its file."""
    from verifier.lab.advice import advice

    started, left = process_time(), ADVISED - job["advised"]["seconds"]
    part, limit = f"advice on check {result.index + 1}", options.time_limit or ADVISED
    # it has a clock of its own; the parent ends what does not listen to it, as it is told that the
    # limit was all but reached before
    outer = verify.limits(replace(options, time_limit=None), part, max(0.0, limit - left))
    own = replace(options, watch=Options().watch)
    with suppress(InputError, LimitReached, MemoryError), outer:
        found = advice(result, own, job["parameters"], job["zip"], left)
        job["advised"]["seconds"] += process_time() - started
        return [one.as_json() for one in found]
    return []


def _advise(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """What the violated checks of a file would hold with, all of them or one."""
    from verifier.lab.advice import advice
    from verifier.report import advice as report

    file, known = job["file"], list[str]()
    for number, result in enumerate(verify.run(file, options, job["start"]), job["start"] + 1):
        names = [result.name, f"check {number}", str(number)]
        known += filter(None, names)
        is_meant = job["check"] in names if job["check"] else result.expected != "violated"
        if result.verdict == "holds" or not is_meant:
            continue
        found = []
        if result.verdict == "violated":
            own = verify.within(options, f"advice on {names[1]}")
            found = advice(result, own, job["parameters"], job["zip"])
        told = {**result_as_json(result), "advice": [one.as_json() for one in found]}
        event: Json = {"status": OK if found else UNDECIDED, "json": told, "next": number}
        if job["format"] == "text":
            event |= {"head": file, "lines": list(report.lines(result, found))}
        yield event
    if not job["start"] and job["check"] not in (None, *known):
        said, hint = f"no check is called '{job['check']}'", nearest(job["check"], known)
        raise InputError("S606", said, Place(file, 1, 1), hint=hint.lstrip("; "))


def _audit(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """A mechanism of a library is built, written as a spec file, and checked."""
    from verifier.lab.adapters import audited
    from verifier.lab.adapters.sampled import agreement

    try:
        with verify.limits(options):
            found = audited(job["file"], job["arguments"], job["values"], job["slack"])
            drawn = agreement(found)
    except NotDecided as error:
        raise LimitReached(str(error)) from None
    except LibraryMissing as error:
        yield {"crash": str(error)}
        return
    text = found.spec()
    give(job["file"], text.encode())
    tell({"spec": text})
    for event in _check({**job, "dry_run": False}, options, tell):
        event["item"]["json"]["covers"] = found.covers
        event["item"]["json"]["drawn"] = drawn
        event["item"]["details"] += [f"looked at: {found.covers}", drawn]
        if event["item"]["json"]["verdict"] == "violated" and (margin := found.margin()):
            event["item"]["details"].append(margin)
        yield event


def _item(result: Result, verbose: bool = False) -> Json:
    """What the parent is told of a result, see `verifier.report.findings`."""
    with written_out_whole() if verbose else nullcontext():
        message, details = text.message(result), list(text.details(result, verbose))
    return {
        "json": result_as_json(result),
        "message": message,
        "details": details,
        "sha256": result.sha256,
        "told": [note_as_json(note) for note in result.notes],
    }


def _figures(result: Result, options: Options) -> Json:
    """What can be drawn of a result, within the limits of a part of its own."""
    from verifier.lab import figures
    from verifier.report.figures import as_json

    if result.question is None or result.certificate is None or result.status == "internal":
        return {}
    try:
        with verify.limits(options, f"figures of check {result.index + 1}"):
            return as_json(figures.figures_of(result.question, result.answer))
    except (LimitReached, MemoryError) as limit:
        return {"missing": [limit_reason(limit)]}


def _dry_run(job: Json, options: Options) -> Iterator[Json]:
    from verifier.report import reading as report

    read = read_whole(job["file"], options.allow_python, partial(verify.limits, options))
    event: Json = {"status": _strict(job, read.notes), "next": 1}
    if job["format"] == "json":
        notes = [note_as_json(note) for note in read.notes]
        yield {**event, "json": {"checks": report.would_check(read), "notes": notes}}
    else:
        yield {**event, "lines": list(report.dry_run(read))}


def _show(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.lab import show
    from verifier.report import reading as report

    read = read_whole(job["file"], options.allow_python, partial(verify.limits, options))
    shown = show.shown_file(read)
    event: Json = {"status": _strict(job, read.notes), "next": 1}
    if job["format"] == "json":
        yield {**event, "json": report.as_json(shown)}
    else:
        write = {"text": report.text, "csv": report.comma_separated, "html": report.page_part}
        yield {**event, "lines": list(write[job["format"]](shown))}


def _strict(job: Json, notes: Sequence[Note]) -> int:
    return FAILED if job["strict"] and notes else OK


def _influence(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.lab.curves import influence, promises
    from verifier.report import influence as report

    start = job["start"]
    level = None if job["level"] is None else exact.number(job["level"])
    found = influence.run(job["file"], options, job["mechanism"], job["runs"], start, level)
    for number, part in enumerate(found, start + 1):
        undecided = isinstance(part, promises.Undecided)
        event: Json = {"status": UNDECIDED if undecided else OK, "next": number}
        if job["format"] == "json":
            event["json"] = report.as_json(part)
        elif job["format"] == "text":
            event["lines"] = _headed(job, number, job["file"], report.lines(part))
        else:
            if job["format"] == "latex":
                event["lines"] = _headed(job, number, f"% {job['file']}", report.latex(part))
            else:
                head = report.comma_separated(report.COLUMNS)
                event["lines"] = _headed(job, number, head, report.as_csv(part))
            if isinstance(part, promises.Undecided):
                event["say"] = [f"{job['file']}: {part.check}: undecided: {part.reason}"]
        yield event


def _region(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.report import region as report
    from verifier.report.influence import comma_separated

    start, style, chosen = job["start"], job["format"], job["chosen"]
    for number, result in enumerate(verify.run(job["file"], options, start), start + 1):
        event: Json = {"status": OF_RESULTS[result.status], "next": number}
        is_vacuous = result.vacuous and result.expected != "vacuous"
        event |= {"chosen": chosen, "verdict": "vacuous" if is_vacuous else result.verdict}
        if options.certificates is not None:
            event["paths"] = [path for path in (result.path, _beside(job, result, options)) if path]
        if job["figure"] and result.answer.curve is not None:
            event["drawing"] = report.drawing(result, job["points"])
        lines = report.lines(result, chosen, job["verbose"])
        if style == "json":
            event["json"] = report.as_json(result, chosen)
        elif style == "text":
            event["lines"] = _headed(job, number, job["file"], lines)
        elif style == "latex":
            event["lines"] = list(report.latex(result))
        else:
            event["head"] = comma_separated(report.COLUMNS)
            event["lines"] = list(report.as_csv(result, chosen, job["points"]))
        if style in ("csv", "latex") and not event["lines"]:
            event["say"] = [f"{job['file']}: {line.strip()}" for line in lines]
        yield event
    yield {"complete": True, "chosen": chosen}


def _beside(job: Json, result: Result, options: Options) -> str | None:
    """The path of the ordinary certificate at the value that violates a check; None where there is
    no such value."""
    from verifier.spec.parameters import fixed_at

    curve, own = result.answer.curve, verify.within(options, f"where check {result.index} fails")
    if curve is None or curve.violated is None:
        return None
    choice = fixed_at(parameters.active(), curve.parameter, curve.violated)
    with parameters.given(choice):
        read = read_whole(job["file"], options.allow_python, partial(verify.limits, own))
        both = zip(verify.unsettled(job["file"], read), read.questions, strict=True)
        found = next(pair for pair in both if pair[0].index == result.index)
        return verify.settled(*found, own).path


def _compose(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.report.influence import comma_separated

    report: Any
    start, asked = job["start"], (job["delta"], job["epsilon"])
    if asked == (None, None):
        from verifier.lab.repeated import compose
        from verifier.report import compose as report

        found: Iterator[Any] = compose.run(job["file"], options, job["runs"], start)
    else:
        from verifier.base import exact
        from verifier.base.level import Level
        from verifier.lab.repeated import accounting
        from verifier.report import accounting as report

        level = Level.of_epsilon(asked[1]) if asked[0] is None else exact.number(asked[0])
        about = job["file"], options, job["runs"], level, start
        found = accounting.run(*about, accountants=job["accountants"])
    for number, part in enumerate(found, start + 1):
        event: Json = {"status": UNDECIDED if part.reasons else OK, "next": number}
        if job["format"] == "json":
            event["json"] = report.as_json(part)
        elif job["format"] == "text":
            event["lines"] = _headed(job, number, job["file"], report.lines(part))
        else:
            if job["format"] == "latex":
                event["lines"] = _headed(job, number, f"% {job['file']}", report.latex(part))
            else:
                head = comma_separated(report.COLUMNS)
                event["lines"] = _headed(job, number, head, report.as_csv(part, number))
            event["say"] = [f"{job['file']}: undecided: {reason}" for reason in part.reasons]
        yield event


def _plot(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """What is to be drawn of a file; an event that is an answer has `drawings`, and what to say."""
    from verifier.report import drawings

    found = drawings.of_file(job["file"], job["what"], options, job["runs"], job["note"])
    chosen, known = drawings.called(job["file"], job["check"], options), list[str]()
    for number, one in enumerate(found, 1):
        known += filter(None, one.names)
        if number > job["start"] and (not chosen or chosen & {*one.names}):
            say = [f"{job['file']}: {line}" for line in one.say]
            status = UNDECIDED if one.undecided else OK
            yield {"drawings": one.drawings, "say": say, "status": status, "next": number}
    if chosen and not chosen & {*known}:
        said = f"'{job['check']}' is no check that stands alone in a figure of '{job['what']}'"
        hint = f"choose of {', '.join(dict.fromkeys(known))}" if known else "leave out --check"
        raise InputError("S606", said, Place(job["file"], 1, 1), hint=hint)


def _headed(job: Json, number: int, head: str, lines: Iterator[str]) -> list[str]:
    """The lines of an answer, the first one under its heading and the choice of parameters."""
    mark = "%" if job["format"] == "latex" else "#"
    note = [f"{mark} {job['note']}"] if job["note"] else []
    return [*note, head, *lines] if number == 1 else list(lines)


def _search(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.lab.search import discover
    from verifier.lab.search.collapse import Goal
    from verifier.lab.search.separate import Family

    if not job["start"]:
        more = job["more_than"]
        goal = Goal(Fraction(job["once"]), job["runs"], None if more is None else Fraction(more))
        wanted = discover.Wanted(
            job["goal"],
            job["keep"] == "worlds",
            goal,
            tuple(job["checks"] or ()),
            Family(**job["over"]),
            job["priors"],
            options.time_limit,
        )
        best = job["best"].get(job["note"])

        def told(one: discover.Finding) -> None:
            tell({"found": asdict(one), "note": job["note"]})

        discover.findings(
            Path(job["file"]), wanted, options, told, best and discover.Finding(**best)
        )
        yield {"searched": True, "next": 1}


def _explain_cone(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.lab.explain_cone import explain
    from verifier.report import cone

    file, start = job["file"], job["start"]
    for number, one in enumerate(explain(file, options, start), start + 1):
        event: Json = {"status": OK, "next": number}
        if job["format"] == "json":
            event["json"] = {"file": file, **cone.as_json(one)}
        else:
            event["lines"] = _headed(job, number, file, cone.lines(one))
        yield event


def _values(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """The values of a parameter of a file, as they are written, with the number of choices that
    have each, and whether it is proved that what holds for one holds for larger ones, or for
    smaller ones."""
    from verifier.lab import monotone

    choices, name = _choices(job), job["name"]
    different = {tuple(choice.texts.items()): choice.texts.get(name, "") for choice in choices}
    counts = dict(Counter(text.strip() for text in different.values()))
    known = all(name in choice.values for choice in choices) and not job.get("zip", False)
    proved = monotone.direction(job["file"], name, choices) if known else 0
    yield {"values": counts, "proved": proved, "next": 1}


def _plan(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.lab.sweeps import deciding

    with verify.limits(options):
        found = deciding.plan(job["file"], job["parameters"], job["zip"])
    yield {"plan": found, "next": 1}


def _sweep(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.lab.sweeps import deciding

    yield from deciding.batch_events(job, options, tell)


def _certify(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.run import certify

    with verify.limits(options):
        found = certify.read_certificate(job["file"])
    yield {"status": OK, "json": asdict(found), "next": 1}


def _questions(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """What every check of a file asks, for certificates to be held against."""
    from verifier.run import certify

    file = job["file"]
    read = read_whole(file, options.allow_python, partial(verify.limits, options))
    for number, asked in enumerate(read.questions[job["start"] :], job["start"] + 1):
        note = f", {job['note']}" if job["note"] else ""
        title = f"check {number} ({asked.check.name or asked.check.definition.text}{note})"
        if asked.question is None:
            yield {"undecided": f"{title}: undecided: {asked.reason}", "next": number}
            continue
        whole = asked.question.stated()
        paths = [path for path, digest in job["found"].items() if digest == whole.digest]
        with verify.limits(options, title):
            differences = {path: verify.difference(asked, path) for path in paths}
        stated = certify.Question(
            file,
            title,
            whole.digest,
            whole.parts["source"],
            certify.digests(whole.whole),
            asked.expected,
            asked.leakage and (_text(asked.leakage[0]), _text(asked.leakage[1])),
            {path: said for path, said in differences.items() if said},
        )
        yield {"status": OK, "json": asdict(stated), "next": number}


def _lines(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """The checks of a file of one side of a comparison; none where it is not a spec file."""
    from verifier.changes import questions

    found: list[Json] = []
    with chdir(job["root"]):
        if job["named"] or is_spec(job["file"]):
            guard = partial(verify.limits, options)
            for choice in _choices(job):
                with parameters.given(choice):
                    read = read_whole(job["file"], options.allow_python, guard)
                    if job["top"] is not None:
                        questions.check_inside(job["file"], read, job["top"])
                    found += questions.listed(job["file"], read, len(found))
    yield {"lines": found, "next": 1}


def _diff(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """What differs between checks of two files."""
    from verifier.changes import deciding
    from verifier.report import compared

    start, given = job["start"], [(key, job[key]) for key in SIDES]
    values, zipped = job.get("parameters") or {}, job.get("zip", False)
    sides = [
        deciding.Decided(root, file, verify.within(options, key), result_as_json, values, zipped)
        for key, (root, file) in given
    ]
    for number, (old, others, new) in enumerate(job["pairs"][start:], start + 1):
        part = f"pair {number}"
        after = sides[1].of(new)
        before = None if old is None else sides[0].of(old)
        if others:
            found = deciding.beside([*map(sides[0].of, others)], after, options, part)
        else:
            found = deciding.compared(before, after, options, part)
        event = compared.differences_told(before, after, found)
        if job["figures"]:
            pairs = zip(SIDES, (before, after), strict=True)
            event["told"]["figures"] = {
                key: _figures(one.result, verify.within(options, key)) for key, one in pairs if one
            }
        yield {**event, "pair": number - 1, "next": number}


def _accepted(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """The changes that a file accepts."""
    from verifier.changes import accept

    entries = accept.read_acceptances(document.load(job["file"]))
    yield {"accepted": [accept.as_json(entry) for entry in entries], "next": 1}


def _lock(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """The results of all checks of a file, for the lock; none where it is not a spec file."""
    if job["named"] or is_spec(job["file"]):
        results = verify.run(job["file"], options, job["start"])
        for number, result in enumerate(results, job["start"] + 1):
            yield {"item": _item(result), "next": number}


def _text(end: Fraction | None) -> str | None:
    return None if end is None else str(end)


WORK: dict[str, Callable[[Json, Options, Tell], Iterator[Json]]] = {
    "check": _check,
    "advise": _advise,
    "audit": _audit,
    "influence": _influence,
    "region": _region,
    "values": _values,
    "plan": _plan,
    "sweep": _sweep,
    "compose": _compose,
    "plot": _plot,
    "search": _search,
    "explain-cone": _explain_cone,
    "certify": _certify,
    "questions": _questions,
    "show": _show,
    "lines": _lines,
    "diff": _diff,
    "accepted": _accepted,
    "lock": _lock,
}
OVER = (
    "check",
    "advise",
    "influence",
    "region",
    "compose",
    "plot",
    "search",
    "explain-cone",
    "questions",
    "show",
    "lock",
)
