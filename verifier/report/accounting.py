"""What many runs leak with delta, as text, JSON, csv and LaTeX; pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.decimals import logarithm, significant
from verifier.lab.repeated.accounting import Account, Row
from verifier.lab.repeated.setting import ends
from verifier.questions.answer import write
from verifier.report import tex
from verifier.report.influence import comma_separated, table

Json = dict[str, Any]
LONG = 20  # characters of a number that is written in full
COLUMNS = (
    *("setting", "mechanism", "neighbours", "group", "runs", "epsilon_lower", "epsilon_upper"),
    *("exp_epsilon_lower", "exp_epsilon_upper", "delta_lower", "delta_upper"),
)


def lines(found: Account) -> Iterator[str]:
    """What was found as a table for people."""
    yield f"  {_title(found)}"
    head, rows = _table(found)
    if rows:
        yield from (f"  {line}" for line in table([head, *rows]))
    for reason in found.reasons:
        yield f"    undecided: {reason}"


def _title(found: Account) -> str:
    neighbours = found.options["neighbours"]
    if not isinstance(neighbours, str):
        ((key, value),) = list(neighbours.items())[:1]
        neighbours = f"{key} {value}" if isinstance(value, str) else key
    group = "" if found.options["group"] == 1 else f", group {found.options['group']}"
    asked = found.asked
    about = f"least ε at δ = {asked}" if isinstance(asked, Fraction) else f"least δ at {asked}"
    return f"{found.mechanism or found.checks[0]}, neighbours {neighbours}{group}: {about}"


def _table(found: Account) -> tuple[list[str], list[list[str]]]:
    is_level = isinstance(found.asked, Fraction)
    head = ["runs", "ε", "e^ε"] if is_level else ["runs", "δ"]
    return head, [[str(row.runs), *_cells(row)] for row in found.rows]


def _cells(row: Row) -> list[str]:
    if row.leakage is None:
        return [_between(row.deltas)]
    return [row.leakage.decimal, _between(ends(row.leakage))]


def _between(both: tuple[Fraction, Fraction] | None) -> str:
    """A number, or its ends."""
    if both is None:
        return "infinite"
    low, high = map(_short, both)
    return low if low == high else f"[{low}, {high}]"


def _short(value: Fraction) -> str:
    exactly = exact.text(value)
    return exactly if len(exactly) <= LONG and "/" not in exactly else significant(value)


def as_json(found: Account) -> Json:
    """Everything that was found, with certificates; every rational as text."""
    return {
        "checks": list(found.checks),
        "mechanism": found.mechanism,
        **found.options,
        "runs": [_row_json(row) for row in found.rows],
        "undecided": list(found.reasons),
    }


def _row_json(row: Row) -> Json:
    told: Json = {"runs": row.runs}
    if row.leakage is not None:
        told |= {"leakage": row.leakage.as_json(), "epsilon": row.leakage.decimal}
    if row.deltas is not None:
        told["delta"] = dict(zip(("lower", "upper"), map(exact.text, row.deltas), strict=True))
    return {**told, "certificates": [json.loads(write(one)) for one in row.certificates]}


def as_csv(found: Account, number: int) -> Iterator[str]:
    """What was found, a line for each number of runs; settings are numbered from 1: this is
    `number`."""
    for row in found.rows:
        levels = (found.asked.alpha,) * 2 if not isinstance(found.asked, Fraction) else None
        levels = ends(row.leakage) if row.leakage is not None else levels
        epsilons, numbers = ["infinite"] * 2, ["infinite"] * 2
        if levels is not None:
            roundings = (ROUND_FLOOR, ROUND_CEILING) if levels[0] < levels[1] else ()
            epsilons = [logarithm(*both) for both in zip(levels, roundings, strict=False)]
            epsilons = epsilons or [logarithm(levels[0])] * 2
            numbers = [exact.text(level) for level in levels]
        deltas = row.deltas or (found.asked, found.asked)
        options = [str(found.options[key]) for key in ("neighbours", "group")]
        start = [number, found.mechanism or "", *options, row.runs]
        yield comma_separated([*start, *epsilons, *numbers, *map(str, deltas)])


def latex(found: Account) -> Iterator[str]:
    """What was found as a table in LaTeX, a row for each number of runs."""
    head, rows = _table(found)
    if rows:
        shown = [[tex.number(cell) for cell in row] for row in rows]
        heads = {"ε": tex.EPSILON, "e^ε": tex.ALPHA, "δ": r"$\delta$"}
        yield from tex.table([heads.get(x, x) for x in head], shown, "r" * len(head), _title(found))
