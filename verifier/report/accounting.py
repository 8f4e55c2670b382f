"""What many runs leak with delta, as text, JSON, csv and LaTeX; pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.decimals import DIGITS, bounds, logarithm, rounded, significant
from verifier.lab.repeated.accountants import Said
from verifier.lab.repeated.accounting import Account, Row
from verifier.lab.repeated.setting import ends
from verifier.questions.answer import write
from verifier.report import tex
from verifier.report.influence import comma_separated, table

Json = dict[str, Any]
LONG = 20  # characters of a number that is written in full
SAME = Fraction(1, 10**9)  # of a number, below which what is said in floats is told as the same
COLUMNS = (
    *("setting", "mechanism", "neighbours", "group", "runs", "epsilon_lower", "epsilon_upper"),
    *("exp_epsilon_lower", "exp_epsilon_upper", "delta_lower", "delta_upper", "accountant"),
)


def lines(found: Account) -> Iterator[str]:
    """What was found as a table for people."""
    yield f"  {_title(found)}"
    head, rows = _table(found)
    if rows:
        yield from (f"  {line}" for line in table([head, *rows]))
    if found.said:
        yield from (f"  {line}" for line in table(_said(found)))
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


def _said(found: Account) -> list[list[str]]:
    """What accountants say, in cells, under a head."""
    head = "ε" if isinstance(found.asked, Fraction) else "δ"
    rows = [[f"accountants of {found.rows[-1].runs} runs", head, "beside the exact one"]]
    for one in found.said:
        kind, by = beside(one, found.rows[-1])
        told = "-" if one.reason else "infinite" if one.number is None else rounded(one.number)
        rows.append([one.accountant, told, kind if by is None else _distance(kind, by, one)])
    return rows


def _distance(kind: str, by: Fraction, one: Said) -> str:
    if kind == "too low":
        return f"too low by {significant(by, 4)}"
    exactly = (one.number or by) - by
    part = 100 * by / exactly if exactly else Fraction(0)
    share = f" ({round(part) if part >= 100 else significant(part, 2)} %)" if part else ""
    return f"sound, {significant(by, 4)} above{share}"


def beside(one: Said, row: Row) -> tuple[str, Fraction | None]:
    """Whether what an accountant says is `sound`, `too low`, `the same` or `between the ends`, or
    else why it says nothing; and by how much it is above or below."""
    if one.reason:
        return one.reason, None
    low, high = _ends(row)
    if one.number is None or low is None or high is None:
        return ("sound" if one.number is None else "too low"), None
    if one.number < low * (1 - SAME):
        return "too low", low - one.number
    if one.number > high * (1 + SAME):
        return "sound", one.number - high
    return ("the same" if high - low <= SAME * high else "between the ends"), None


def _ends(row: Row) -> tuple[Fraction | None, Fraction | None]:
    """Those of ε or δ; None where it is infinite."""
    if row.leakage is None:
        return row.deltas or (None, None)
    levels = ends(row.leakage)
    if levels is None:
        return None, None
    low, high = (bounds(levels[at], DIGITS)[at] for at in (0, 1))
    return max(Fraction(0), Fraction(low)), Fraction(high) if levels[1] > 1 else Fraction(0)


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
        **({"accountants": [_said_json(one, found) for one in found.said]} if found.said else {}),
        "undecided": list(found.reasons),
    }


def _said_json(one: Said, found: Account) -> Json:
    key = "epsilon" if isinstance(found.asked, Fraction) else "delta"
    kind, by = beside(one, found.rows[-1])
    said = None if one.reason else _float(one)
    told = {"accountant": one.accountant, key: said, "beside": None if one.reason else kind}
    return {**told, "by": None if by is None else str(float(by)), "reason": one.reason or None}


def _float(one: Said) -> str:
    """What an accountant says, in the digits of its float."""
    return "infinite" if one.number is None else str(float(one.number))


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
        yield comma_separated([*start, *epsilons, *numbers, *map(str, deltas), ""])
    for one in found.said:
        if not one.reason:
            told = [_float(one)] * 2
            sides = (told, deltas) if isinstance(found.asked, Fraction) else (epsilons, told)
            yield comma_separated([*start, *sides[0], "", "", *map(str, sides[1]), one.accountant])


def latex(found: Account) -> Iterator[str]:
    """What was found as a table in LaTeX, a row for each number of runs."""
    head, rows = _table(found)
    if rows:
        shown = [[tex.number(cell) for cell in row] for row in rows]
        heads = {"ε": tex.EPSILON, "e^ε": tex.ALPHA, "δ": r"$\delta$"}
        yield from tex.table([heads.get(x, x) for x in head], shown, "r" * len(head), _title(found))
    if found.said:
        head, *rows = _said(found)
        shown = [[tex.text(one), tex.number(number), tex.text(told)] for one, number, told in rows]
        yield from tex.table([*map(tex.text, head)], shown, "lrl", f"{_title(found)}; accountants")
