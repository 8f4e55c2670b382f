"""What figures need, as JSON: names as texts, levels as ε in floats, null where infinite.

A drawing has its `kind` and a `title`; `verifier.report.plot` draws it. The numbers of figures come
from exact ones that the checker has accepted, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from verifier.base.errors import NotDecided
from verifier.lab import figures as studied
from verifier.lab import frontier
from verifier.lab.curves import influence, promises
from verifier.lab.repeated import compose
from verifier.report import figures, region
from verifier.run import verify
from verifier.run.verify import Options, Report, Result
from verifier.spec import reading
from verifier.world.mechanism import Mechanism

Json = dict[str, Any]
NOTHING = {  # is there to draw, and why
    "curve": "no distributions are compared, and no tradeoff is asked for",
    "matrix": "it is about no single mechanism",
    "odds": "no single output moves an attacker's odds",
}


@dataclass(frozen=True)
class Drawn:
    """What is to be drawn of a part of a file.

    names      of the checks that it is about, also as `check 2`
    drawings   as `verifier.report.plot` takes them
    say        why there are none, in lines
    undecided  whether that is so because something was not decided
    """

    names: Sequence[str]
    drawings: Sequence[Json] = ()
    say: Sequence[str] = ()
    undecided: bool = False


def of_file(
    path: str, what: str | None, options: Options, runs: int = 10, note: str = ""
) -> Iterator[Drawn]:
    """All that is to be drawn of a spec file, part by part, for one choice of its parameters.

    path     of the file
    what     a key of `verifier.report.plot.KINDS`; None for the region of a check, or its curve
    options  limits
    runs     how many runs are looked at
    note     for which choice of parameters it is

    Raises InputError for a bad file, or one that has no checks of the kind that is drawn.
    """
    if what == "frontier":
        results = list(verify.run(path, options))
        undecided = any(result.verdict == "undecided" for result in results)
        yield Drawn((), list(of_frontier(results)), undecided=undecided)
    elif what == "runs":
        for found in compose.run(path, options, runs):
            undecided = not found.rows
            yield _drawn(found.checks, found.checks[0], undecided, partial(of_runs, found))
    elif what == "influence":
        for one in influence.run(path, options, runs=1):
            if isinstance(one, promises.Undecided):
                yield Drawn([one.check], (), [f"{one.check}: undecided: {one.reason}"])
            else:
                yield Drawn([one.check], [of_influence(one, note)])
    else:
        for result in verify.run(path, options):
            names = [result.name or "", f"check {result.index + 1}"]
            undecided = result.verdict == "undecided"
            yield _drawn(names, result.label, undecided, partial(of_check, result, what))


def called(path: str, check: str | None, options: Options) -> set[str]:
    """What parts of a spec file may call a check that is asked for; nothing where none is.

    check  its name, or its number from 1 on
    """
    if check is None:
        return set()
    with verify.limits(options):
        _, checks = reading.load(path, options.allow_python)
    named = {one.name for one in checks if one.name and str(one.index + 1) == check}
    return {check, f"check {check}", *named}


def _drawn(names: Sequence[str], title: str, undecided: bool, make: Callable[[], Json]) -> Drawn:
    try:
        return Drawn(names, [make()])
    except NotDecided as reason:
        return Drawn(names, (), [f"{title}: {reason}"], undecided)


def of_check(result: Result, what: str | None) -> Json:
    """What a figure of a check shows; NotDecided with the reason where there is nothing.

    result  of a check
    what    `curve`, `region`, `matrix` or `odds`; None for the region, or the curve
    """
    question, answer = result.question, result.answer
    what = what or ("curve" if answer.curve is None else "region")
    head = {"kind": what, "title": _title(result, what)}
    if answer.verdict == "undecided" or question is None:
        raise NotDecided(answer.reason or "undecided")
    if what == "region":
        if answer.curve is None:
            raise NotDecided("there is no function of one real parameter")
        return {**head, **region.drawing(result, region.DRAWN)}
    if studied.is_about_parameters(question):
        raise NotDecided("it is about all values of a parameter; draw its region, or --set one")
    found = figures.as_json(studied.figures_of(question, answer, (what,)))
    if what not in found:
        raise NotDecided("; ".join(found.get("missing", ())) or NOTHING[what])
    if what == "matrix":  # of a mechanism, whoever asks about it
        return {**head, "matrix": {**found["matrix"], "marked": None}}
    if what == "odds":
        head["verdict"] = answer.verdict
    return {**head, **{key: found[key] for key in (what, "asked") if key in found}}


def of_report(report: Report, what: str) -> Iterator[Json]:
    """What a figure of all checks shows, for all choices of the parameters; nothing of those that
    have nothing.

    what  `odds` or `frontier`
    """
    groups: dict[str, list[Result]] = {}
    for result in report.results:
        groups.setdefault(result.values, []).append(result)
    for results in groups.values():
        if what == "frontier":
            yield from of_frontier(results)
        else:
            for result in results:
                with suppress(NotDecided):
                    yield of_check(result, what)


def _title(result: Result, what: str) -> str:
    """The check; the mechanism where it is drawn, and for which choice of parameters."""
    if what != "matrix" or result.question is None or result.question.mechanism is None:
        return result.label
    return " ".join([result.mechanism or "mechanism", *filter(None, [result.values])])


def of_mechanism(mechanism: Mechanism) -> Json:
    """What a figure of a mechanism shows: a part of its matrix; worlds are numbered from 1."""
    whole = len(mechanism.outputs), mechanism.worlds
    rows, columns = min(whole[0], studied.ROWS), min(whole[1], studied.COLUMNS)
    matrix = studied.Matrix(
        mechanism.outputs[:rows],
        tuple(str(world + 1) for world in range(columns)),
        0,
        tuple(tuple(map(partial(mechanism.probability, o), range(columns))) for o in range(rows)),
        ((), ()),
        whole,
    )
    return {"kind": "matrix", "title": "", **figures.as_json(studied.Figures(matrix=matrix))}


def of_runs(found: compose.Setting) -> Json:
    """What a figure of repeated runs shows; NotDecided where none was decided."""
    if not found.rows:
        raise NotDecided("; ".join(found.reasons) or "no run tells of secrets")
    name = ", ".join(filter(None, found.mechanisms)) or found.checks[0]
    points = [
        [row.runs, figures.level(row.leakage)[1], figures.level(row.linear)[1]]
        for row in found.rows
    ]
    return {"kind": "runs", "title": f"{name}; priors {found.priors}", "points": points}


def of_influence(found: promises.Setting, note: str = "") -> Json:
    """What a figure of an influence curve shows: a(b) for each number b of hidden entries.

    found  the curve
    note   for which choice of parameters it is; without one the check is named
    """
    points = [
        [point.entries, None if point.exp_a is None else figures.ln(point.exp_a)]
        for point in found.curve
    ]
    return {"kind": "influence", "title": note or found.check, "points": points}


def of_frontier(results: Sequence[Result]) -> Iterator[Json]:
    """What a figure of level against error shows: the points of the results of one choice of
    parameters."""
    for point in frontier.points(results):
        ends = [figures.level(point.level)[1], float(point.error)]
        yield {"kind": "frontier", "title": point.series, "point": ends}
