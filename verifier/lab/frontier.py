"""Level against error: what privacy costs, point by point, of the checks of a file.

A check of `optimal` gives one point: the level that is asked for, and the smallest loss under it. A
check of `error` gives one for each check of the same mechanism that has found a smallest level.
Where both are functions of a real parameter, they give one at each of some of its values.

Example. At e^ε = 2 the clamped geometric mechanism on 0, 1, 2, 3 has the expected error 17/24, and
no mechanism under differential privacy at this level has a smaller one: two points, which agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from verifier.base.level import Leakage
from verifier.base.rational_function import function_value
from verifier.kernels.ratios import level_of
from verifier.kernels.roots import apart
from verifier.run.verify import Result

PLACES = 20  # into which an interval of a parameter is divided


@dataclass(frozen=True)
class Point:
    """One level e^ε, and the error there.

    series  what it belongs to, in words
    """

    series: str
    level: Leakage
    error: Fraction


def points(results: Sequence[Result]) -> Iterator[Point]:
    """The points of the `results` of one choice of parameters."""
    for result in results:
        question = result.question
        if question is None or result.definition not in ("optimal", "error"):
            continue
        if result.definition == "optimal" and question.level is not None:
            series = result.name or "best mechanism"
            for x, error in _errors(result):
                yield Point(series, Leakage(_valued(question.level.alpha, x)), error)
        for other in results if result.definition == "error" else ():
            if other.definition == "zcdp" or other.mechanism != result.mechanism:  # no ε
                continue
            for x, error in _errors(result):
                if (level := _level(other, x)) is not None:
                    yield Point(_series(result, other), level, error)


def _errors(result: Result) -> Iterator[tuple[Fraction | None, Fraction]]:
    """The errors that a check has found: at values of its parameter, None where it has none."""
    if result.answer.value is not None:
        yield None, result.answer.value
    curve = result.answer.curve
    for one in curve.stretches if curve is not None and curve.quantity else ():
        if one.interval.is_point:
            continue
        low, high = apart(one.interval.low, one.interval.high)
        for k in range(1, PLACES):
            x = low + (high - low) * k / PLACES
            yield x, one.at(x)


def _level(result: Result, x: Fraction | None) -> Leakage | None:
    """The smallest level that a check has found, at a value of its parameter if there is one."""
    curve = result.answer.curve
    if curve is None or x is None or curve.quantity or not curve.domain.has(x):
        return result.leakage
    one = next((one for one in curve.stretches if one.interval.has(x)), None)
    if one is None or one.sense or one.is_infinite:
        return None
    level = level_of(one.at(x), Fraction(one.root))
    return Leakage(bounds=level) if isinstance(level, tuple) else Leakage(level)


def _valued(level: Fraction, x: Fraction | None) -> Fraction:
    return level if x is None else function_value(level, x)


def _series(error: Result, level: Result) -> str:
    """A check of an error, and whose level it is drawn at."""
    about = error.name or error.mechanism or "mechanism"
    return f"{about}, level of {level.name or level.definition}"
