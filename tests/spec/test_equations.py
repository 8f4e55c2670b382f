"""Equations between parameters: what is left is decided as at single values on the curve."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.drawing import wider
from tests.engines.comparison.test_parameters import HAIR, drawn, excess, spec
from verifier import checker
from verifier.base.cell import Root
from verifier.base.errors import InputError
from verifier.kernels.roots import enclosed
from verifier.run import verify
from verifier.run.verify import Options, Result

F = Fraction
DRAWN = wider(4, 25)
# what is written, and the other parameter as a function of p by hand, for 0 < p, q < 1
CURVES: dict[str, Callable[[Fraction], Fraction]] = {
    "q == p": lambda p: p,
    "q == 1 - p": lambda p: 1 - p,
    "p*q == 1/8": lambda p: 1 / (8 * p),
    "p**2 == q**2": lambda p: p,
    "(p - q)*(q + 1/2) == 0": lambda p: p,
    "3*q*(1 + p**2) == p": lambda p: p / (3 + 3 * p**2),
    "q*(4*p - 1) == p**2": lambda p: p**2 / (4 * p - 1),
    "1/p == 1 + q": lambda p: 1 / p - 1,
}


TABLE = """
parameters: {p: 0 < p < 1, q: 0 < q <= 1/2, r: 0 < r < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [x, y], 0: [(1 + 4*p)/8, (7 - 4*p)/8], 1: [(1 + 4*r)/8, (7 - 4*r)/8]}}
checks:
"""


def results(path: Path, *checks: str) -> list[Result]:
    """Of a table with (1 + 4p)/8 and (1 + 4r)/8."""
    path.write_text(TABLE + "".join(f"  - {check}\n" for check in checks))
    return list(verify.run(str(path), Options()))


@pytest.mark.parametrize("written", CURVES)
@pytest.mark.parametrize("seed", range(DRAWN))
def test_as_on_the_curve(seed: int, written: str, tmp_path: Path) -> None:
    random, other, path = Random(f"{seed} {written}"), CURVES[written], tmp_path / "a.yaml"
    forms = [drawn(random) for _ in range(4)]
    level = F(random.randint(12, 50), 10)
    check = f"{{differential_privacy: {{exp_epsilon: {level}}}, where: '{written}'}}"
    path.write_text(spec(forms, check))
    found = list(verify.run(str(path), Options()))
    curves = [one.answer.curve for one in found if one.answer.curve is not None]
    assert len(curves) == len(found)
    assert {checker.check(one.certificate).outcome for one in found} == {"accepted"}
    tried = [F(random.randint(1, 96), 97) for _ in range(40)]
    for curve in curves:
        parts = [curve.domain, *curve.region.intervals]
        for end in (end for part in parts for end in (part.low, part.high)):
            low, high = enclosed(end, HAIR) if isinstance(end, Root) else (end, end)
            tried += [low - HAIR, (low + high) / 2, high + HAIR]
    inside = 0
    for p in tried:
        if not 0 < p < 1 or p == F(1, 4):  # a denominator
            continue
        at = [curve for curve in curves if curve.domain.has(p)]
        assert bool(at) == (0 < other(p) < 1), p
        if at:
            inside += 1
            smallest = max(excess(forms, (p, other(p)), level), F(0))
            assert at[0].region.has(p) == (smallest == 0), p
    assert inside
    p = next(p for p in tried if curves[0].domain.has(p) and p != F(1, 4))
    fixed = {"p": [str(p)], "q": [str(other(p))]}
    (single,) = verify.check(path, values=fixed).results
    assert (single.verdict == "holds") == curves[0].region.has(p)


LEVEL = "{differential_privacy: {exp_epsilon: 3}, where: "
LEFT = {  # what is left, and what the others are
    "r == p*p": "0 < p < 1, r = p^2",
    "p == r*r": "0 < r < 1, p = r^2",
    "p*r == 1/9": "1/9 < p < 1, r = 1/(9*p)",
    "q == p/2 and r == q and 1/2 < p": "1/2 < p < 1, q = p/2, r = p/2",
    "q == 1/4 and r == p*q": "0 < p < 1, q = 1/4, r = p/4",
    "p == q == r": "0 < r <= 1/2, p = q, q = r",
    "r*(p + q) == p*q": "0 < p < 1, 0 < q <= 1/2, r = p*q/(p + q)",
}


@pytest.mark.parametrize("where", LEFT)
def test_what_is_left(where: str, tmp_path: Path) -> None:
    """A parameter that stands alone is replaced, else the last one; its interval is kept."""
    (result,) = results(tmp_path / "a.yaml", f"{LEVEL}'{where}'}}")
    assert result.note == LEFT[where]
    assert result.verdict in ("holds", "violated")


def test_several_that_are_left(tmp_path: Path) -> None:
    """(1 + 4p)(7 - 4p) - (7 - 4r)(1 + 4r) is (p - r)(24 - 16(p + r)), where r < p and r < 1/2."""
    level, where = "(1 + 4*p)/(1 + 4*r)", "where: r*(p + q) == p*q"
    found = results(
        tmp_path / "a.yaml",
        f"{{differential_privacy: {{exp_epsilon: {level}}}, {where}}}",
        f"{{differential_privacy: {{exp_epsilon: {level} - p/100 + r/100}}, {where}, "
        "expect: violated}",
        f"{LEVEL}[r == p*q, q == 1/2], leakage: (1 + 4*p)/(1 + 2*p)}}",
    )
    assert [one.status for one in found] == ["ok"] * 3, [one.answer.reason for one in found]
    assert [one.answer.curve is None for one in found] == [True, True, False]


NOT_SOLVED = {
    "p**2 + r**2 == 1": "is not solved",
    "(p - r)*(p + r - 1) == 0": "several solutions",
    "p == r or p == q": "is not solved",  # a check for each
    "r*(p - q) == p**3 - q**2": "is not solved",  # every r where p = q = 1, or p = q = 0
}


@pytest.mark.parametrize("where", NOT_SOLVED)
def test_what_is_not_solved(where: str, tmp_path: Path) -> None:
    (result,) = results(tmp_path / "a.yaml", f"{LEVEL}'{where}'}}")
    assert result.verdict == "undecided" and NOT_SOLVED[where] in (result.answer.reason or "")


@pytest.mark.parametrize(("where", "code"), [("p == r + 1", "S805"), ("p = r", "S805")])
def test_equations_without_a_value(where: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        results(tmp_path / "a.yaml", f"{LEVEL}'{where}'}}")
    assert error.value.code == code and "where" in str(error.value.excerpt)
