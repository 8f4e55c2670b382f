"""What is proved of larger values of a parameter, by where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier import verify
from verifier.studies import monotone

FILE = """\
title: of n people
parameters: {n: 1..9, m: [1, 2]}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: TRUTH}}
checks:
  - name: for n
    CHECK
"""
DP = "differential_privacy: "
CASES = [
    (f"{DP}{{exp_epsilon: n}}", 1),
    (f"{DP}{{epsilon: ln(n)}}", 1),
    (f"{DP}{{epsilon: n/2, delta: n/100}}", 1),
    (f"{DP}{{exp_epsilon: 3}}", 1),
    (f"{DP}{{exp_epsilon: 10 - n}}", -1),
    (f"{DP}{{exp_epsilon: 3, group: n}}", -1),
    (f"{DP}{{exp_epsilon: 10 - n, group: n}}", -1),
    ("zcdp: {rho: n}", 1),
    ("metric_privacy: {exp_epsilon: n + m, distance: hamming}", 1),
    # of these nothing is proved
    (f"{DP}{{exp_epsilon: n, group: n}}", 0),
    (f"{DP}{{exp_epsilon: (n - 4)**2 + 1}}", 0),
    (f"{DP}{{exp_epsilon: 20 + (-1)**m*n}}", 0),
    (f"{DP}{{exp_epsilon: 1/(n - 2)}}", 0),
    (f"{DP}{{exp_epsilon: $n}}", 0),
    (f"{DP}{{exp_epsilon: n, neighbours: {{hamming: n}}}}", 0),
    (f"{DP}{{exp_epsilon: n}}\n    where: n <= 3", 0),
    (f"{DP}{{exp_epsilon: n}}\n    leakage: n", 0),
    ("renyi: {order: n + 1, exp_epsilon: n}", 0),
    ("implies: {of: {differential_privacy: {exp_epsilon: n}}, exp_epsilon: 3}", 0),
    ("influence: {exp_epsilon: n, pairs: values}", 0),
    ("metric_privacy: {exp_epsilon: 3, group: n}", 0),
]


def found(path: Path, text: str) -> int:
    path.write_text(text, encoding="utf-8")
    return monotone.direction(str(path), "n", verify.choices(path))


@pytest.mark.parametrize(("check", "expected"), CASES)
def test_where_a_parameter_stands(tmp_path: Path, check: str, expected: int) -> None:
    text = FILE.replace("CHECK", check).replace("TRUTH", "3/4")
    assert found(tmp_path / "a.yaml", text) == expected
    if "$" not in check:
        assert found(tmp_path / "b.yaml", text.replace("3/4", "1 - 1/(n + 1)")) == 0
        table = text.replace("{randomized_response: {truth: 3/4}}", "{csv: table.csv}")
        assert found(tmp_path / "c.yaml", table) == 0  # whose cells may have n


def test_checks_are_seen_together(tmp_path: Path) -> None:
    """Two that rise, and two of which one rises and one falls."""
    text = FILE.replace("TRUTH", "3/4").replace("CHECK", f"{DP}{{exp_epsilon: n}}")
    assert found(tmp_path / "a.yaml", f"{text}  - {DP}{{exp_epsilon: 2*n}}\n") == 1
    assert found(tmp_path / "a.yaml", f"{text}  - {DP}{{exp_epsilon: 12 - n}}\n") == 0


def test_levels_with_a_real_parameter(tmp_path: Path) -> None:
    """A difference that depends on it has signs that are not looked at."""
    text = FILE.replace("m: [1, 2]", "p: 0 < p < 1").replace("TRUTH", "p")
    for level, expected in (("n*p", 0), ("n + p", 1), ("n", 1)):
        check = f"{DP}{{exp_epsilon: {level}}}"
        assert found(tmp_path / "a.yaml", text.replace("CHECK", check)) == expected
