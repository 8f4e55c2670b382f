"""What can be drawn of a check, as JSON of a bounded size for pages.

A number is its exact text, and a float to draw it by: of a probability itself, of a level or odds
the natural logarithm, null where that is infinite. A long text is one of six digits, marked ≈.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from math import log
from typing import Any

from verifier.base import decimals, exact
from verifier.base.level import Leakage, Level
from verifier.lab.figures import Bar, Curve, Event, Figures, Matrix, Odds, Runs

LONGEST = 40  # characters of a number or a name
MAX_BITS = 10 * LONGEST

Json = dict[str, Any]
Pair = list[Any]  # [text, float]


def as_json(figures: Figures) -> Json:
    """All that there is to draw, and what is missing; only keys with something."""
    parts = {
        "asked": figures.level and [*_asked(figures.level), *_number(figures.delta, float)],
        "matrix": figures.matrix and _matrix(figures.matrix),
        "prior": [_bar(bar) for bar in figures.prior],
        "worlds": figures.worlds,
        "odds": figures.odds and _odds(figures.odds),
        "event": figures.event and _event(figures.event),
        "curve": figures.curve and _curve(figures.curve),
        "runs": [_runs(runs) for runs in figures.runs],
        "missing": list(figures.missing),
    }
    return {key: part for key, part in parts.items() if part}


def _matrix(matrix: Matrix) -> Json:
    """Distinct values once, and the place of each entry among them."""
    values = sorted({value for row in matrix.rows for value in row})
    place = {value: at for at, value in enumerate(values)}
    return {
        "outputs": list(map(_name, matrix.outputs)),
        "columns": list(map(_name, matrix.columns)),
        "secrets": matrix.secrets,
        "values": [_number(value, float) for value in values],
        "codes": [[place[value] for value in row] for row in matrix.rows],
        "marked": [list(part) for part in matrix.marked],
        "size": list(matrix.size),
    }


def _bar(bar: Bar) -> Pair:
    return [_name(bar.name), *_number(bar.weight, float), bar.side]


def _odds(odds: Odds) -> Json:
    return {
        "pair": list(map(_name, odds.pair)),
        "output": _name(odds.output),
        "before": _number(odds.before, ln),
        "after": _number(odds.after, ln),
    }


def _event(event: Event) -> Json:
    return {
        "pair": list(map(_name, event.pair)),
        "probabilities": [_number(p, float) for p in event.probabilities],
    }


def _curve(curve: Curve) -> Json:
    points = [[*_number(alpha, ln), *_number(delta, float)] for alpha, delta in curve.points]
    return {"points": points, "whole": curve.whole}


def _runs(runs: Runs) -> Pair:
    """What they leak, and the linear bound where it is another one."""
    found, bound = level(runs.leakage), level(runs.linear)
    return found if found == bound else [*found, *bound]


def _asked(level: Level) -> Pair:
    if level.exp_epsilon is not None:
        return _number(level.exp_epsilon, ln)
    assert level.epsilon is not None
    text = exact.text(level.epsilon)
    return [f"e^({text})" if "/" in text else f"e^{text}", float(level.epsilon)]


def level(leakage: Leakage) -> Pair:
    """A smallest level, and its ε; the lower one of its bounds where it is irrational."""
    if leakage.bounds is not None:
        low = leakage.bounds[0]
        return [_rounded(low), ln(low)]
    return _number(leakage.exp_epsilon, ln)


def _number(value: Fraction | None, scale: Callable[[Fraction], float | None]) -> Pair:
    """The text of a number (None: infinite), and its place on a scale (None: beyond its ends)."""
    if value is None:
        return ["infinite", None]
    if exact.is_irrational(value):
        text = exact.text(value)
        return [text if len(text) <= LONGEST else _rounded(value), scale(value)]
    if value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
        return [_rounded(value), scale(value)]
    text = exact.text(value)
    return [text if len(text) <= LONGEST else _rounded(value), scale(value)]


def ln(value: Fraction) -> float | None:
    """The natural logarithm of a number, None of 0."""
    if exact.is_irrational(value):
        return float(decimals.bounds(value, 20)[0])
    return log(value.numerator) - log(value.denominator) if value else None


def _rounded(value: Fraction) -> str:
    """Six digits of a number, however large or small it is; twelve of an irrational one."""
    if exact.is_irrational(value):
        return f"≈ {decimals.significant(value)}"
    with localcontext(prec=12, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return f"≈ {Decimal(value.numerator) / Decimal(value.denominator):.6g}"


def _name(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
