"""What is proved of larger values of a parameter, by where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.base.parameters import given
from verifier.lab import monotone
from verifier.run import verify

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
    ("influence: {exp_epsilon: n, entries: n, pairs: values}", 1),
    ("influence: {exp_epsilon: 2, entries: n - 1, pairs: values}", 1),
    ("renyi: {order: n + 1, exp_epsilon: 3}", -1),
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
    ("influence: {exp_epsilon: n, entries: 9 - n, pairs: values}", 0),
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
        assert found(tmp_path / "b.yaml", text.replace("3/4", "1/4 + 1/(n + 1)")) == 0
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


RECORDS = "{records: [ann, bob], domain: [0, 1, 2]}"
FREE = "geometric: {query: count(value == 1)"
MECHANISMS = [  # worlds, mechanism, check, and what is proved
    (RECORDS, "{randomized_response: {truth: n/(n + 1)}}", "{exp_epsilon: 7}", -1),
    (RECORDS, "{randomized_response: {truth: 1/2 + 1/(2*n)}}", "{exp_epsilon: 8}", 1),
    (RECORDS, "{randomized_response: {epsilon: n/2}}", "{epsilon: 3/2}", -1),
    (RECORDS, f"{{{FREE}, ratio: n/(n + 1)}}}}", "{exp_epsilon: 3/2}", 1),
    (RECORDS, f"{{{FREE}, exp_epsilon: n + 1}}}}", "{exp_epsilon: 4, delta: 1/9}", -1),
    (RECORDS, f"{{{FREE}, epsilon: n}}}}", "{epsilon: 3}", -1),
    (
        "{records: [ann], domain: [0, 1]}",
        "{repeat: {of: {randomized_response: {truth: 3/5}}, runs: n}}",
        "{exp_epsilon: 2, delta: 1/10}",
        -1,
    ),
    (
        "{records: [ann, bob], domain: [0, 1]}",
        "{compose: [{randomized_response: {truth: 3/5}}, "
        "{repeat: {of: {local: {randomized_response: {truth: 1/2 + n/20}}}, runs: n}}]}",
        "{exp_epsilon: 8 - n}",
        -1,
    ),
    (
        "{records: n, domain: [0, 1]}",
        "{local: {randomized_response: {truth: 2/3}}}",
        "{exp_epsilon: 3, group: 2}",
        -1,
    ),
    (
        "{records: n, domain: [0, 1]}",
        "{randomized_response: {truth: 2/3}}",
        "{exp_epsilon: 3, delta: 1/5, neighbours: all}",
        -1,
    ),
    # of these nothing is proved
    (RECORDS, "{randomized_response: {truth: 1/(n + 1)}}", "{exp_epsilon: 8}", 0),
    (RECORDS, "{randomized_response: {truth: n/(n + 1)}}", "{exp_epsilon: n + 1}", 0),
    (RECORDS, f"{{{FREE}, ratio: n/(n + 1), low: 0, high: 1}}}}", "{exp_epsilon: 3/2}", 0),
    (RECORDS, "{geometric: {query: n*count(value == 1), ratio: 1/2}}", "{exp_epsilon: 4}", 0),
    (RECORDS, "{deterministic: ann + n}", "{exp_epsilon: 4}", 0),
    (RECORDS, "{mixture: [{weight: 1/n, mechanism: a}]}", "{exp_epsilon: 4}", 0),
    ("{records: n, domain: [0, 1]}", "{deterministic: count(value == 1)}", "{exp_epsilon: 4}", 0),
    (
        "{records: n, domain: [0, 1], where: count(value == 1) < 2}",
        "{randomized_response: {truth: 2/3}}",
        "{exp_epsilon: 2}",
        0,
    ),
    (
        "{records: n, domain: [0, 1]}",
        "{randomized_response: {truth: 2/3}}",
        "{exp_epsilon: 2, neighbours: {hamming: 2}}",
        0,
    ),
    (
        "{records: 2, domain: [0, 1]}",
        "{post_process: {of: {randomized_response: {truth: n/(n + 1)}}, matrix: {}}}",
        "{exp_epsilon: 2}",
        0,
    ),
]


@pytest.mark.parametrize(("worlds", "mechanism", "options", "expected"), MECHANISMS)
def test_where_a_parameter_stands_in_what_is_released(
    worlds: str, mechanism: str, options: str, expected: int, tmp_path: Path
) -> None:
    """What is proved is so for all values: no verdict stands on the wrong side of another one."""
    path = tmp_path / "a.yaml"
    head = f"parameters: {{n: [3, 1, 4, 2]}}\nworlds: {worlds}\nmechanism: {mechanism}\nchecks:\n"
    path.write_text(f"{head}  - differential_privacy: {options}\n", encoding="utf-8")
    assert monotone.direction(str(path), "n", verify.choices(path)) == expected
    if expected:
        verdicts = verdicts_of(path)
        assert set(verdicts) == {"holds", "violated"}
        assert verdicts == sorted(verdicts, reverse=expected > 0)  # holds < violated
        other = "  - error: {loss: 'output != world', at_most: 1}\n"
        path.write_text(f"{head}  - differential_privacy: {options}\n{other}", encoding="utf-8")
        assert monotone.direction(str(path), "n", verify.choices(path)) == 0


def verdicts_of(path: Path) -> list[str]:
    """The verdict of the only check for each value of n, ascending."""
    found = {}
    for choice in verify.choices(path):
        with given(choice):
            (result,) = verify.run(str(path), verify.Options())
        found[choice.values["n"]] = result.verdict
    return [verdict for _, verdict in sorted(found.items())]


OPTIONS = [  # checks, what is proved, and for how many values of n from 1 to 4 it holds
    ("renyi: {order: n + 1, exp_epsilon: 8/3}", -1, 2),
    ("influence: {exp_epsilon: 9, entries: n - 1, pairs: PAIRS, priors: PRIORS}", 1, 3),
    ("influence: {exp_epsilon: 10 - n, entries: n - 1, pairs: PAIRS, priors: PRIORS}", 0, 2),
]


@pytest.mark.parametrize(("check", "expected", "holds"), OPTIONS)
def test_options_against_all_values(check: str, expected: int, holds: int, tmp_path: Path) -> None:
    """Truth 3/4 has 7/3 <= 8/3 at order 2, 61/9 <= (8/3)^2 at order 3, 81/4 + 1/108 > (8/3)^3 at
    order 4. In a chain of bits that stays with 3/4 the neighbours of a hidden one tell 9; one that
    is not hidden tells all."""
    priors = "{markov: {initial: {0: 1/2, 1: 1/2}, transition: {0: {0: 3/4, 1: 1/4}, 1: T}}}"
    check = check.replace("PAIRS", "[[yes, no]]").replace("PRIORS", f"{{list: [{priors}]}}")
    path = tmp_path / "a.yaml"
    path.write_text(
        "parameters: {n: 1..4}\nworlds: {records: [ann, bob, cat], domain: [0, 1]}\n"
        "secrets: {yes: bob == 1, no: bob == 0}\n"
        "mechanism: {randomized_response: {truth: 3/4}}\n"
        f"checks:\n  - {check.replace('T}', '{0: 1/4, 1: 3/4}}')}\n",
        encoding="utf-8",
    )
    assert monotone.direction(str(path), "n", verify.choices(path)) == expected
    verdicts = verdicts_of(path)
    assert verdicts.count("holds") == holds
    assert not expected or verdicts == sorted(verdicts, reverse=expected > 0)
