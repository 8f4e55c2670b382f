"""Arithmetic in the place of a number asks the same question as the number; labels stay words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import verifier

HEAD = """\
worlds: {records: [ann, bob], domain: [1-2, 3-4, 5-6]}
mechanism: {randomized_response: {truth: 1/2}}
checks:
"""
CHECKS = [
    "differential_privacy: {exp_epsilon: <9>, neighbours: {hamming: <2>}, delta: <1/9>}",
    "differential_privacy: {epsilon: <3/2>, group: <2>, tradeoff: [<3/2>, 2]}",
    "blowfish: {exp_epsilon: 9, graph: {partition: [[1-2, 3-4, 5-6]]}}",
    "blowfish: {exp_epsilon: 9, graph: {distance: <3/2>, between: [[1-2, 3-4, <1/2>]]}}",
    "blowfish: {exp_epsilon: 9, graph: {edges: [[1-2, 3-4], [3-4, 5-6]]}}",
    "metric_privacy: {exp_epsilon: 9, distance: {graph: [['(1-2, 3-4)', '(1-2, 5-6)', <3/2>]]}}",
    "pufferfish: {exp_epsilon: 9, pairs: values, priors: {list: [{iid: {1-2: <1/2>, 3-4: 1/2}}]}}",
    "renyi: {order: <5/2>, exp_epsilon: 9}",
    "zcdp: {rho: <5/2>}",
    "parallel_composition: {groups: [{records: [ann], epsilon: <3/2>}], at_most: <3/2>}",
    "sensitivity: {query: 'count(value == ''1-2'')', equals: <1>}",
]
WAYS = {"9": "3**2", "2": "1 + 1", "1/9": "1/3/3", "3/2": "2 - 1/2", "1/2": "1 - 1/2", "1": "2 - 1"}
WAYS["5/2"] = "(2 + 3) / 2"


def contents(path: Path, checks: list[str]) -> list[tuple[str, str]]:
    """What a file asks, and the answers, which the checker has accepted."""
    path.write_text(HEAD + "".join(f"  - {{{check}}}\n" for check in checks), encoding="utf-8")
    results = verifier.check(path).results
    assert all(result.question is not None and result.certificate for result in results)
    return [(one.question.content, one.verdict) for one in results if one.question is not None]


def test_the_same_is_asked(tmp_path: Path) -> None:
    plain = [re.sub("[<>]", "", check) for check in CHECKS]
    other = [re.sub("<(.*?)>", lambda found: WAYS[found[1]], check) for check in CHECKS]
    assert contents(tmp_path / "a.yaml", other) == contents(tmp_path / "b.yaml", plain)


def test_weights_of_what_attackers_know(tmp_path: Path) -> None:
    """A list of worlds, words and probabilities."""
    about = "  - {form: simulation, exp_epsilon: 9, auxiliary: "
    head = HEAD.replace("[1-2, 3-4, 5-6]", "[0, 1]")
    found = []
    for share in ("1/2", "1 - 1/2"):
        auxiliary = f"[[00, 1-2, {share}], [11, 3-4, 1/2]]"
        path = tmp_path / f"{len(share)}.yaml"
        check = f"{{distributional_privacy: {{{about[5:]}{auxiliary}}}}}"
        path.write_text(f"{head}  - {check}\n", encoding="utf-8")
        (result,) = verifier.check(path).results
        assert result.question is not None
        found.append((result.question.content, result.verdict))
    assert found[0] == found[1]


@pytest.mark.parametrize("declared", ["p: 1 - 1/4", "p: [1 - 1/4]", "p: 1 - 1/2 < p < 1"])
def test_parameters_have_arithmetic(tmp_path: Path, declared: str) -> None:
    """1/2 - $p is a number once a number stands for $p."""
    path = tmp_path / "parameters.yaml"
    head = HEAD.replace("1/2", "3/2 - $q").replace("1-2, 3-4, 5-6", "0, 1")
    check = "differential_privacy: {exp_epsilon: 3*p/p, delta: p - p}"
    path.write_text(f"parameters: {{{declared}}}\n{head}  - {check}\n", encoding="utf-8")
    report = verifier.check(path, values={"q": ["3/4"]})
    assert [result.verdict for result in report.results] == ["holds"]
