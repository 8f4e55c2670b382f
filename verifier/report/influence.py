"""Influence curves as text, as JSON and as comma-separated values; pure functions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from verifier.base import decimals, exact
from verifier.base.escape import escaped
from verifier.lab.curves.promises import (
    About,
    Budget,
    Point,
    Promise,
    Runs,
    Setting,
    Undecided,
    Value,
    Wanted,
)
from verifier.report import tex

Found = Setting | Undecided
SHOWN = 3  # pairs of secrets that are written out
MANY = 12  # hidden entries, above which they are not written out in a text
LONGEST = 40  # exact number in a text
COLUMNS = (
    *("check", "b", "exp_a", "a", "pair", "hidden"),
    *("mechanism", "runs", "exp_entry_dp", "factor", "by_entry_dp", "by_factor", "leakage"),
)


def text(value: Value) -> str:
    """The value of a level, exactly."""
    return "infinite" if value is None else exact.text(value)


def logarithm(value: Value) -> str:
    """ln of a value of at least 1, in six digits."""
    return "infinite" if value is None else decimals.logarithm(value)


def lines(part: Found) -> Iterator[str]:
    """A part of the report as tables for people."""
    if isinstance(part, Undecided):
        yield f"  {part.check}: undecided: {part.reason}"
    else:
        yield from (f"  {line}" for line in _setting(part))


def short(value: Value) -> str:
    """The value of a level, exactly unless that is long."""
    exactly = text(value)
    if value is None or len(exactly) <= LONGEST:
        return exactly
    return f"≈ {decimals.significant(value)}"


def _listed(names: Sequence[str]) -> str:
    """Names of entries; of many the first and the last one."""
    if len(names) > MANY:
        return f"{names[0]}, …, {names[-1]} ({len(names)} in all)"
    return ", ".join(names) or "nothing"


def _setting(found: Setting) -> Iterator[str]:
    pairs = ", ".join(f"{s} against {t}" for s, t in found.pairs[:SHOWN])
    more = f", … ({len(found.pairs)} in all)" if len(found.pairs) > SHOWN else ""
    yield f"{found.check}: {pairs}{more}; priors {found.priors}"
    rows = [["b", "e^a(b)", "a(b)", "needed by", "hiding"]]
    for point in found.curve:
        pair = " against ".join(point.pair)
        exp_a, hidden = point.exp_a, _listed(point.hidden)
        rows.append([str(point.entries), short(exp_a), logarithm(exp_a), pair, hidden])
    yield from table(rows)
    if found.wanted:
        yield from _wanted(found.wanted)
    for about in found.about:
        yield from _about(about, found.curve)


def _wanted(found: Wanted) -> Iterator[str]:
    """What keeps a level of Pufferfish."""
    best = found.best
    yield f"e^ε {text(found.level)} is kept by differential privacy for one entry at the largest of"
    rows = [["b", "α", "ε"]]
    for budget in found.budgets:
        mark = " (largest)" if budget is best else ""
        rows.append([str(budget.entries), _root(budget), _epsilon(budget) + mark])
    yield from table(rows)


def _root(budget: Budget, exactly: bool = False) -> str:
    """Its level for one entry, e^ε; in a text long numbers are rounded."""
    root = f"^(1/{budget.entries})" if budget.entries > 1 else ""
    power = text(budget.power) if exactly else short(budget.power)
    return f"({power}){root}" if root and power.startswith("≈") else power + root


def _epsilon(budget: Budget) -> str:
    """Its level for one entry, ε, rounded down."""
    return decimals.logarithm_of_root(budget.power, budget.entries)


def _about(about: About, curve: Sequence[Point]) -> Iterator[str]:
    vacuous = " (no two worlds differ in one entry)" if about.vacuous else ""
    name = f" {about.name}" if about.name else ""
    yield f"mechanism{name}: differential privacy for one entry α = {text(about.alpha)}{vacuous}"
    rows = [["b", "β(b)", "β(b)·e^a(b)", "α^b·e^a(b)"]]
    for point, promise in zip(curve, about.runs[0].promises, strict=True):
        numbers = promise.factor, promise.by_factor, promise.by_alpha
        if point.exp_a is not None:
            rows.append([str(point.entries), *map(short, numbers)])
    yield from table(rows)
    rows = [["runs", "leak", "at most, by β", "by α"]]
    for runs in about.runs:
        leakage = short(runs.leakage) if runs.found else "not computed"
        best = f"{short(runs.best.by_factor)} (b = {runs.best.entries})"
        by_alpha = f"{short(runs.best_by_alpha.by_alpha)} (b = {runs.best_by_alpha.entries})"
        rows.append([str(runs.runs), leakage, best, by_alpha + _false(runs)])
    yield from table(rows)


def _false(runs: Runs) -> str:
    """A remark where the group property fails so badly that its promise is broken."""
    promised = runs.best_by_alpha.by_alpha
    broken = promised is not None and (runs.leakage is None or runs.leakage > promised)
    return ", which is false here" if runs.found and broken else ""


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows of cells in columns, each as wide as it must be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  " + "  ".join(cells).rstrip()


def as_json(part: Found) -> dict[str, Any]:
    """A part of the report: a setting, every level as text; or what was not decided."""
    if isinstance(part, Undecided):
        return {"check": part.check, "reason": part.reason}
    return _setting_json(part)


def _setting_json(found: Setting) -> dict[str, Any]:
    curve = [
        {
            "entries": point.entries,
            "exp_a": text(point.exp_a),
            "a": logarithm(point.exp_a),
            "pair": list(point.pair),
            "hidden": list(point.hidden),
        }
        for point in found.curve
    ]
    more = {"wanted": _wanted_json(found.wanted)} if found.wanted else {}
    return {
        "check": found.check,
        **more,
        "pairs": [list(pair) for pair in found.pairs],
        "priors": found.priors,
        "curve": curve,
        "mechanisms": [
            {
                "name": about.name,
                "exp_entry_dp": text(about.alpha),
                "vacuous": about.vacuous,
                "runs": [_runs_json(runs) for runs in about.runs],
            }
            for about in found.about
        ],
    }


def _wanted_json(found: Wanted) -> dict[str, Any]:
    points = [
        {"entries": b.entries, "exp_entry_dp": _root(b, exactly=True), "entry_dp": _epsilon(b)}
        for b in found.budgets
    ]
    return {"exp_epsilon": text(found.level), "best": found.best.entries, "points": points}


def _runs_json(runs: Runs) -> dict[str, Any]:
    return {
        "runs": runs.runs,
        "leakage": text(runs.leakage) if runs.found else None,
        "best": {"entries": runs.best.entries, "by_factor": text(runs.best.by_factor)},
        "points": [_promise_json(promise) for promise in runs.promises],
    }


def _promise_json(promise: Promise) -> dict[str, Any]:
    return {
        "entries": promise.entries,
        "factor": text(promise.factor),
        "by_factor": text(promise.by_factor),
        "by_entry_dp": text(promise.by_alpha),
    }


def as_csv(part: Found) -> Iterator[str]:
    """A part of the report: one line for each point of a curve, mechanism and number of runs."""
    if isinstance(part, Setting):
        yield from map(comma_separated, _lines(part))


def latex(part: Found) -> Iterator[str]:
    """A part of the report as tables in LaTeX: the curve, then what runs of each mechanism leak."""
    if isinstance(part, Undecided):
        return
    head = ["$b$", "$e^{a(b)}$", "$a(b)$", "needed by", "hiding"]
    rows = [
        [
            *map(tex.number, (str(point.entries), text(point.exp_a), logarithm(point.exp_a))),
            *map(tex.text, (" against ".join(point.pair), ", ".join(point.hidden) or "nothing")),
        ]
        for point in part.curve
    ]
    yield from tex.table(head, rows, "rrrll", f"{part.check}; priors {part.priors}")
    for about in part.about:
        head = ["runs", "leak", r"at most, by $\beta$", r"by $\alpha$"]
        rows = [list(map(tex.number, _promised(runs))) for runs in about.runs]
        alpha = f"α = {text(about.alpha)} for one entry"
        yield from tex.table(head, rows, "rrrr", f"{about.name or 'mechanism'}: {alpha}")


def _promised(runs: Runs) -> list[str]:
    """What runs leak, and at most by both promises."""
    leakage = text(runs.leakage) if runs.found else "not computed"
    promised = runs.best.by_factor, runs.best_by_alpha.by_alpha
    return [str(runs.runs), leakage, *map(text, promised)]


def comma_separated(cells: Iterable[Any]) -> str:
    """The cells of one line of comma-separated values, safe to print."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="")
    writer.writerow(escaped(cell) if isinstance(cell, str) else cell for cell in cells)
    return target.getvalue()


def _lines(found: Setting) -> Iterator[list[str]]:
    for at, point in enumerate(found.curve):
        exp_a = point.exp_a
        start = [found.check, str(point.entries), text(exp_a), logarithm(exp_a)]
        start += [" against ".join(point.pair), " ".join(point.hidden)]
        if not found.about:
            yield [*start, *[""] * (len(COLUMNS) - len(start))]
        for about in found.about:
            for runs in about.runs:
                promise = runs.promises[at]
                numbers = about.alpha, promise.factor, promise.by_alpha, promise.by_factor
                leakage = short(runs.leakage) if runs.found else ""
                yield [*start, about.name or "", str(runs.runs), *map(text, numbers), leakage]
