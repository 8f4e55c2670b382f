"""Level against error: what privacy costs, point by point, of the checks of a file.

A check of `optimal` gives one point: the level that is asked for, and the smallest loss under it. A
check of `error` gives one for each check of the same mechanism that has found a smallest level.

Example. At e^ε = 2 the clamped geometric mechanism on 0, 1, 2, 3 has the expected error 17/24, and
no mechanism under differential privacy at this level has a smaller one: two points, which agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from verifier.base.level import Leakage
from verifier.verify import Result


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
        error, question = result.answer.value, result.question
        if error is None or question is None:
            continue
        if result.definition == "optimal" and question.level is not None:
            series = result.name or "best mechanism"
            yield Point(series, Leakage(question.level.alpha), error)
        elif result.definition == "error":
            for other in results:
                if other.definition == "zcdp" or other.leakage is None:  # whose level is no ε
                    continue
                if other.mechanism == result.mechanism:
                    yield Point(_series(result, other), other.leakage, error)


def _series(error: Result, level: Result) -> str:
    """A check of an error, and whose level it is drawn at."""
    about = error.name or error.mechanism or "mechanism"
    return f"{about}, level of {level.name or level.definition}"
