"""Levels of noise that is not clamped: known answers, quadrature, and a hair beside them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath
import pytest

from verifier.base.exponential import Exponential, bounds
from verifier.questions.answer import Answer
from verifier.run import verify
from verifier.spec import reading

F = Fraction
FIRST_ABOVE = """\
    t = draw(laplace({threshold}, 2))
    for i in range({n}):
        if world[i] + draw(laplace(0, 4)) >= t:
            return i
    return 'none'
"""
EVERY = """\
    t = draw(laplace(0, 2))
    out = []
    for i in range({n}):
        out.append(world[i] + draw(laplace(0, 2)) >= t)
    return out
"""
LARGEST = """\
    noisy = []
    for i in range({n}):
        noisy.append(world[i] + draw(laplace(0, 2)))
    return argmax(noisy)
"""


def answer(folder: Path, program: str, n: int, level: str) -> Answer:
    """The answer for all neighbours over n answers, 0 or 1."""
    path = folder / "spec.yaml"
    path.write_text(
        f"worlds: {{records: {n}, domain: [0, 1]}}\nmechanism:\n  program: |\n{program}"
        f"checks:\n  - differential_privacy: {{exp_epsilon: {level}, neighbours: all}}\n"
    )
    _, checks = reading.load(str(path), False)
    return verify.decide(verify.asked(checks[0]))


def level(found: Answer, digits: int) -> Any:
    """The smallest level, with some digits."""
    assert found.leakage is not None
    exact = found.leakage.exp_epsilon
    assert isinstance(exact, Exponential)
    low, high = bounds(exact, digits)
    assert high - low < F(1, 10 ** (digits - 2))
    return mpmath.mpf(low.numerator) / low.denominator


def below(x: Any, scale: int) -> Any:
    """P(draw <= x) of Laplace noise."""
    return mpmath.exp(x / scale) / 2 if x < 0 else 1 - mpmath.exp(-x / scale) / 2


def integral(f: Callable[[Any], Any], root: int) -> Any:
    """∫ f(x)·e^(−abs(x)/root)/(2·root), by quadrature between the corners and far out."""
    ends = [-400, -100, -20, -4, -1, F(-1, 2), 0, F(1, 2), 1, 4, 20, 100, 400]
    points = [mpmath.mpf(F(e).numerator) / F(e).denominator for e in ends]
    return mpmath.fsum(
        mpmath.quad(lambda x: f(x) * mpmath.exp(-abs(x) / root) / (2 * root), pair)
        for pair in pairwise(points)
    )


def first_above(n: int, threshold: Any = 0) -> Any:
    """The largest ratio, over outputs and how many of the answers before it are 1."""
    found = []
    for i in range(n + 1):
        values = [
            integral(
                lambda x, ones=ones, last=last, i=i: (
                    below(x + threshold - 1, 4) ** ones
                    * below(x + threshold, 4) ** (i - ones)
                    * (1 if last is None else 1 - below(x + threshold - last, 4))
                ),
                2,
            )
            for ones in range(i + 1)
            for last in ((None,) if i == n else (0, 1))
        ]
        found.append(max(values) / min(values))
    return max(found)


def largest(n: int) -> Any:
    """The largest ratio, over the center of the winner and how many of the others are 1."""
    values = [
        integral(
            lambda x, ones=ones, own=own: (
                below(x + own - 1, 2) ** ones * below(x + own, 2) ** (n - 1 - ones)
            ),
            2,
        )
        for ones in range(n)
        for own in (0, 1)
    ]
    return max(values) / min(values)


PUBLISHED = {
    "first above, 2": (FIRST_ABOVE.format(threshold=0, n=2), 2, "1.485594953892218900"),
    "first above, 3": (FIRST_ABOVE.format(threshold=0, n=3), 3, "1.802450808277341734"),
    "first above, 6": (FIRST_ABOVE.format(threshold=0, n=6), 6, "2.459147355994631744"),
    "first above, threshold 1/2": (
        FIRST_ABOVE.format(threshold="1/2", n=2),
        2,
        "1.48951579822515",
    ),
    "every comparison, 2": (EVERY.format(n=2), 2, "2.089038042106510894"),
    "largest, 2": (LARGEST.format(n=2), 2, "1.637954033120205035"),
    "largest, 6": (LARGEST.format(n=6), 6, "2.589919432736723034"),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_known_levels(name: str, tmp_path: Path) -> None:
    program, n, digits = PUBLISHED[name]
    with mpmath.workdps(40):
        gap = abs(level(answer(tmp_path, program, n, "3"), 30) - mpmath.mpf(digits))
        assert gap < mpmath.mpf(10) ** (2 - len(digits))


QUADRATURE: dict[str, Callable[[], Any]] = {
    "first above, 2": lambda: first_above(2),
    "first above, threshold 1/2": lambda: first_above(2, mpmath.mpf(1) / 2),
    "largest, 6": lambda: largest(6),
}


@pytest.mark.parametrize("name", QUADRATURE)
def test_levels_by_quadrature_with_forty_digits(name: str, tmp_path: Path) -> None:
    program, n, _ = PUBLISHED[name]
    with mpmath.workdps(50):
        expected = QUADRATURE[name]()
        gap = abs(level(answer(tmp_path, program, n, "3"), 48) - expected)
        assert gap < mpmath.mpf(10) ** -40


def closed_form() -> Fraction:
    """(24e^(3/4) − 21e^(1/2) + 8e^(1/4) − 1)/(11e^(1/2) − 1) with 90 digits."""
    with mpmath.workdps(100):
        e = mpmath.exp
        top = 24 * e(mpmath.mpf(3) / 4) - 21 * e(mpmath.mpf(1) / 2) + 8 * e(mpmath.mpf(1) / 4) - 1
        return F(int(top / (11 * e(mpmath.mpf(1) / 2) - 1) * mpmath.mpf(10) ** 90), 10**90)


@pytest.mark.parametrize("hair", [25, 60])
def test_verdicts_a_hair_beside_the_level(hair: int, tmp_path: Path) -> None:
    program, n, _ = PUBLISHED["first above, 2"]
    for sign, outcome in ((1, "holds"), (-1, "violated")):
        near = closed_form() + sign * F(1, 10**hair)
        assert answer(tmp_path, program, n, str(near)).verdict == outcome


def test_growing_clamps_converge_to_the_level(tmp_path: Path) -> None:
    """Geometric noise between −r and r: the level of noisy max of two comes to that without."""
    program = "    return draw(geometric(r1, 1/2{0})) > draw(geometric(r2, 1/2{0}))\n"
    records = "[r1, r2]"

    def smallest(clamp: str) -> Fraction:
        path = tmp_path / "spec.yaml"
        path.write_text(
            f"worlds: {{records: {records}, domain: [0, 1]}}\nmechanism:\n  program: |\n"
            f"{program.format(clamp)}checks:\n  - differential_privacy: {{exp_epsilon: 4, "
            "neighbours: all}\n"
        )
        _, checks = reading.load(str(path), False)
        found = verify.decide(verify.asked(checks[0])).leakage
        assert found is not None
        assert found.exp_epsilon is not None
        return found.exp_epsilon

    free = smallest("")
    gaps = [abs(smallest(f", {-r}, {r}") - free) for r in (2, 4, 8, 16)]
    assert all(later < earlier / 2 for earlier, later in pairwise(gaps))
    assert gaps[-1] < F(1, 2**12)
