"""What workers do: each kind of job, as the events that the parent of a run reports.

An event that is an answer has `next`, the number of answers up to it, from which another worker
can go on. Of an answer to `check` see `verifier.report.run`; the others have the `lines` or the
`json` of the report, the lines to `say` on standard error, and a `status`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from verifier import checker, verify
from verifier.errors import InputError, LimitReached
from verifier.report import text
from verifier.report.json import error_as_json, result_as_json
from verifier.verify import Options, Result

Json = dict[str, Any]
Tell = Callable[[Json], None]
OK, UNDECIDED, REJECTED, REFUSED = 0, 3, 4, 2  # exit statuses


def run(job: Json, tell: Tell) -> Iterator[Json]:
    """The events of a job; parts and progress are told at once.

    An error of the file, a limit on all of it, or an answer that the checker does not accept ends
    it: {"error": …}, {"stopped": reason}, {"rejected": reason}.
    """
    folder = job.get("certificates")
    options = Options(
        certificates=None if folder is None else Path(folder),
        time_limit=job["time_limit"],
        allow_python=job.get("allow_python", False),
        progress=lambda message: tell({"progress": message}),
        allow_vacuous=job.get("allow_vacuous", False),
        watch=lambda part: tell({"part": part}),
        stopped=job["stopped"],
    )
    try:
        yield from WORK[job["work"]](job, options, tell)
    except InputError as error:
        yield {"error": str(error), "json": error_as_json(error)}
    except (LimitReached, MemoryError) as error:
        yield {"stopped": str(error) or "the memory limit was reached (--memory-limit)"}
    except verify.NotAccepted as error:
        yield {"rejected": str(error)}


def _check(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    file, as_json = job["file"], job["format"] == "json"

    def listed(results: Sequence[Result]) -> None:
        items = [_item(result, as_json) for result in results]
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest() if options.certificates else ""
        tell({"listed": items, "sha256": digest})

    for result in verify.run(file, options, job["start"], listed):
        yield {"item": _item(result, as_json), "next": result.index + 1}


def _item(result: Result, as_json: bool) -> Json:
    return {
        "status": result.status,
        "vacuous": result.vacuous,
        "index": result.index,
        "name": result.name,
        "definition": result.definition,
        "verdict": result.answer.verdict,
        "title": text.title(result),
        "path": result.path,
        "sha256": result.sha256,
        "lines": [] if as_json else list(text.lines(result)),
        "notes": list(result.answer.scope.get("notes", ())),
        "json": result_as_json(result) if as_json else {},
    }


def _influence(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.curves import influence, promises
    from verifier.report import influence as report

    start = job["start"]
    found = influence.run(job["file"], options, job["mechanism"], job["runs"], start)
    for number, part in enumerate(found, start + 1):
        undecided = isinstance(part, promises.Undecided)
        event: Json = {"status": UNDECIDED if undecided else OK, "next": number}
        if job["format"] == "json":
            event["json"] = report.as_json(part)
        elif job["format"] == "text":
            event["lines"] = _headed(job, number, job["file"], report.lines(part))
        else:
            head = report.comma_separated(report.COLUMNS)
            event["lines"] = _headed(job, number, head, report.as_csv(part))
            if isinstance(part, promises.Undecided):
                event["say"] = [f"{job['file']}: {part.check}: undecided: {part.reason}"]
        yield event


def _compose(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.repeated import compose
    from verifier.report import compose as report

    start = job["start"]
    for number, part in enumerate(compose.run(job["file"], options, job["runs"], start), start + 1):
        event: Json = {"status": UNDECIDED if part.reasons else OK, "next": number}
        if job["format"] == "json":
            event["json"] = report.as_json(part)
        elif job["format"] == "text":
            event["lines"] = _headed(job, number, job["file"], report.lines(part))
        else:
            head = report.comma_separated(report.COLUMNS)
            event["lines"] = _headed(job, number, head, report.as_csv(part, number))
            event["say"] = [f"{job['file']}: undecided: {reason}" for reason in part.reasons]
        yield event


def _headed(job: Json, number: int, head: str, lines: Iterator[str]) -> list[str]:
    """The lines of an answer, the first one under its heading."""
    return [head, *lines] if number == 1 else list(lines)


def _search(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier import discover

    start, parameters = job["start"], job["parameters"]
    path = Path(job["file"])
    choices = discover.findings(path, job["goal"], parameters, options, start)
    for number, found in enumerate(choices, start + 1):
        yield {
            "found": [{"about": f.about, "spec": f.spec, "reason": f.reason} for f in found],
            "next": number,
        }


def _explain_cone(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    from verifier.explain_cone import explain
    from verifier.report import cone

    file, start = job["file"], job["start"]
    for number, one in enumerate(explain(file, options, start), start + 1):
        event: Json = {"status": OK, "next": number}
        if job["format"] == "json":
            event["json"] = {"file": file, **cone.as_json(one)}
        else:
            event["lines"] = _headed(job, number, file, cone.lines(one))
        yield event


def _certify(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    with verify.limits(options):
        verdict = checker.check_file(job["file"])
    status = {"accepted": OK, "rejected": REJECTED}.get(verdict.outcome, REFUSED)
    line = f"{job['file']}: {verdict.outcome}: {verdict.reason}"
    yield {"status": status, "lines": [line], "next": 1}


WORK: dict[str, Callable[[Json, Options, Tell], Iterator[Json]]] = {
    "check": _check,
    "influence": _influence,
    "compose": _compose,
    "search": _search,
    "explain-cone": _explain_cone,
    "certify": _certify,
}
