"""Verdicts about all values of two parameters, against plain ratios at many values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from verifier import checker
from verifier.questions.evidence import PointEvidence
from verifier.run import verify
from verifier.run.verify import Options, Result

DRAWN = wider(12, 60)
HAIR = Fraction(1, 10**30)
F = Fraction
Form = tuple[Fraction, Fraction, Fraction, Fraction]  # of 1, p, q, pq
Point = tuple[Fraction, Fraction]


def at(form: Form, point: Point) -> Fraction:
    (a, b, c, d), (p, q) = form, point
    return a + b * p + c * q + d * p * q


def text(form: Form) -> str:
    a, b, c, d = form
    return f"{a} + ({b})*p + ({c})*q + ({d})*p*q"


def drawn(random: Random) -> Form:
    """A probability between 1/20 and 2/5 for all p and q between 0 and 1."""
    corners = [F(random.randint(21, 160), 400) for _ in range(4)]
    a, b, c, d = corners
    return a, b - a, c - a, a - b - c + d


def columns(forms: Sequence[Form], point: Point) -> list[list[Fraction]]:
    """Both columns: two forms each, and what is left."""
    values = [at(form, point) for form in forms]
    return [[*pair, 1 - sum(pair)] for pair in (values[:2], values[2:])]


def excess(forms: Sequence[Form], point: Point, level: Fraction) -> Fraction:
    """The largest that an event of a column exceeds the level times its probability in the other
    by."""
    one, two = columns(forms, point)
    both = ((one, two), (two, one))
    return max(sum(max(F(0), x - level * y) for x, y in zip(*p, strict=True)) for p in both)


def points(random: Random, inside: Any) -> Iterator[Point]:
    """Values between 0 and 1, some a hair from an end, or from each other."""
    ends = [HAIR, 1 - HAIR, F(1, 2)]
    for _ in range(40):
        p, q = (random.choice([*ends, F(random.randint(1, 96), 97)]) for _ in range(2))
        for point in ((p, q), (p, p), (p, min(p + HAIR / 2, 1 - HAIR / 2))):
            if inside(*point):
                yield point


def spec(forms: Sequence[Form], check: str, ends: str = "<") -> str:
    rows = [[text(a), text(b), f"1 - ({text(a)}) - ({text(b)})"] for a, b in (forms[:2], forms[2:])]
    table = "".join(f"    {w}: [{', '.join(row)}]\n" for w, row in enumerate(rows))
    return (
        f"parameters: {{p: 0 {ends} p < 1, q: 0 < q {ends} 1}}\n"
        "worlds: {records: [ann], domain: [0, 1]}\n"
        f"mechanism:\n  table:\n    outputs: [x, y, z]\n{table}"
        f"checks:\n  - {check}\n"
    )


def decided(path: Path, written: str) -> Result:
    path.write_text(written)
    (result,) = verify.run(str(path), Options(allow_vacuous=True))
    assert result.verdict != "undecided", (result.answer.reason, written)
    assert checker.check(result.certificate).outcome == "accepted"
    return result


WHERE = {
    "": lambda p, q: True,
    "q <= p": lambda p, q: q <= p,
    "p + q < 3/2": lambda p, q: p + q < F(3, 2),
    "[4*p*q > 1, p <= 9/10]": lambda p, q: 4 * p * q > 1 and p <= F(9, 10),
}


@pytest.mark.parametrize("seed", range(DRAWN))
def test_as_at_single_values(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    forms = [drawn(random) for _ in range(4)]
    level, delta = F(random.randint(10, 60), 10), random.choice([F(0), F(0), F(1, 20)])
    where = random.choice(list(WHERE))
    check = f"{{differential_privacy: {{exp_epsilon: {level}, delta: {delta}}}"
    check += f", where: {where}}}" if where else "}"
    path = tmp_path / "a.yaml"
    result = decided(path, spec(forms, check, random.choice(["<", "<="])))
    inside = WHERE[where]
    if result.verdict == "violated":
        assert isinstance(result.answer.evidence, PointEvidence)
        p, q = result.answer.evidence.point
        assert inside(p, q) and 0 <= p < 1 and 0 < q <= 1
        assert excess(forms, (p, q), level) > delta
        assert result.witness is not None
        fixed = {"p": [str(p)], "q": [str(q)]}
        assert verify.check(path, values=fixed).results[0].verdict == "violated"
        return
    for point in points(random, inside):
        assert excess(forms, point, level) <= delta, point
    p, q = next(points(random, inside))
    fixed = {"p": [str(p)], "q": [str(q)]}
    assert verify.check(path, values=fixed).results[0].verdict == "holds"


def test_both_verdicts_are_drawn(tmp_path: Path) -> None:
    """The level decides: at a corner of the values a ratio of the first form is 8."""
    low, high = (F(1, 20),) * 1, F(2, 5)
    forms: list[Form] = [
        (low[0], high - low[0], F(0), F(0)),  # from 1/20 to 2/5 with p
        (F(1, 5), F(0), F(0), F(0)),
        (low[0], F(0), high - low[0], F(0)),  # and with q
        (F(1, 5), F(0), F(0), F(0)),
    ]
    for level, verdict in (("8", "holds"), ("79/10", "violated")):
        check = f"{{differential_privacy: {{exp_epsilon: {level}}}}}"
        assert decided(tmp_path / "a.yaml", spec(forms, check)).verdict == verdict


ALONG = [  # ratios that are the level on a whole line, or at an end that belongs to the domain
    ("q <= p", "(1 + 7*p)/(1 + 7*q)", "holds"),
    ("q < p", "(1 + 7*p)/(1 + 7*q)", "holds"),
    ("q <= p", "(1 + 7*p)/(1 + 7*q) - (p - q)**2/100", "violated"),
    ("q <= p", "(1 + 7*p)/(1 + 7*q) + (p - q)**2*(p - 1/2)**2", "holds"),
    ("q < p and p <= 1/2", "(1 + 7*p)/(1 + 7*q) + (p - q)*(1/2 - p)", "holds"),
]


@pytest.mark.parametrize(("where", "level", "verdict"), ALONG)
def test_equality_along_a_line(where: str, level: str, verdict: str, tmp_path: Path) -> None:
    """The first output has (1 + 7p)/20 and (1 + 7q)/20, the third one less between the two."""
    forms: list[Form] = [
        (F(1, 20), F(7, 20), F(0), F(0)),
        (F(1, 5), F(0), F(0), F(0)),
        (F(1, 20), F(0), F(7, 20), F(0)),
        (F(1, 5), F(0), F(0), F(0)),
    ]
    check = f"{{differential_privacy: {{exp_epsilon: {level}}}, where: {where}}}"
    path = tmp_path / "a.yaml"
    path.write_text(spec(forms, check))
    (result,) = verify.run(str(path), Options())
    assert result.verdict == verdict, result.answer.reason


def test_where_a_polynomial_is_not_settled(tmp_path: Path) -> None:
    """p² − pq + q² is positive but for the corner, where no box proves it."""
    forms: list[Form] = [(F(1, 5), F(0), F(0), F(0))] * 4
    check = "{differential_privacy: {exp_epsilon: 1 + p**2 - p*q + q**2}}"
    path = tmp_path / "a.yaml"
    path.write_text(spec(forms, check))
    (result,) = verify.run(str(path), Options())
    assert result.verdict == "undecided"


def test_too_many_events(tmp_path: Path) -> None:
    shares = [f"p/{2 ** (k + 1)}" for k in range(15)]
    rest = " - ".join(["1", *shares])
    other = [f"q/{2 ** (k + 1)}" for k in range(15)]
    path = tmp_path / "a.yaml"
    path.write_text(
        "parameters: {p: 0 < p < 1, q: 0 < q < 1}\n"
        "worlds: {records: [ann], domain: [0, 1]}\n"
        f"mechanism:\n  table:\n    outputs: [{', '.join(f'o{k}' for k in range(16))}]\n"
        f"    0: [{', '.join([*shares, rest])}]\n"
        f"    1: [{', '.join([*other, ' - '.join(['1', *other])])}]\n"
        "checks:\n  - differential_privacy: {exp_epsilon: 3, delta: 1/10}\n"
    )
    (result,) = verify.run(str(path), Options())
    assert result.verdict == "undecided"
    assert result.answer.reason is not None and "too many to be proved" in result.answer.reason


def test_distances_that_are_no_integers(tmp_path: Path) -> None:
    """At distance 1/2 the root of 9 is allowed, and p/(1 - q) is below 3 up to 3/4."""
    for level, verdict in (("9", "holds"), ("8", "violated")):
        text = (
            "parameters: {p: 1/2 < p < 3/4, q: 1/2 < q < 3/4}\n"
            "worlds: {records: [ann], domain: [0, 1]}\n"
            "mechanism: {table: {outputs: [x, y], 0: [p, 1 - p], 1: [1 - q, q]}}\n"
            f"checks:\n  - metric_privacy: {{exp_epsilon: {level}, "
            "distance: {graph: [[0, 1, 1/2]]}}\n"
        )
        assert decided(tmp_path / "a.yaml", text).verdict == verdict
