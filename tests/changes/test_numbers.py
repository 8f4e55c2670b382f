"""Promises about numbers, given mechanisms, influence and implications."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.changes.order import promised
from verifier.run import verify

FILE = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanisms:
  often: {randomized_response: {truth: 3/4}}
  rarely: {randomized_response: {truth: 2/3}}
  never: {randomized_response: {truth: 1/2}}
checks:
  - CHECK
"""
MADE = "post_processing: {of: [often, rarely], mechanism: never}"
ROWS = "row_cone: {of: [often, rarely], mechanism: never}"
FACETS = "row_cone: {of: [often], facets: 4}"
BEST = (
    "optimal: {under: {differential_privacy: {exp_epsilon: 2}}, outputs: [0, 1], "
    "loss: abs(output - ann), equals: 1/3}"
)
WRONG = "{error: {loss: 0 if output == '00' else 1, at_most: 8/9}, mechanism: often}"
HIDDEN = "influence: {exp_epsilon: 2, entries: 1, pairs: values, priors: {list: [uniform]}}"
IMPLIED = (
    "implies: {if: {differential_privacy: {exp_epsilon: 2}}, then: {blowfish: {exp_epsilon: 3}}}"
)
COMPOSED = "composition: {exp_epsilon: 3, of: [often], pairs: values, priors: {list: [uniform]}}"
TOGETHER = (
    "parallel_composition: {groups: [{records: [ann], epsilon: 1}, {records: [bob], epsilon: 2}], "
    "at_most: 3}"
)
ALONE = (
    "universally_composable: {pairs: values, priors: {list: [{worlds: {'00': 1/2, '11': 1/2}}]}}"
)
LESS, MORE, OTHER = "promises less", "promises more", "promises otherwise"
TURNED = {LESS: MORE, MORE: LESS, OTHER: OTHER}

CASES = [  # a check, what is written instead, and what it does to the promise
    (MADE, "[often, rarely]", "[often]", MORE, "given"),
    (ROWS, "[often, rarely]", "[often]", MORE, "given"),
    (FACETS, "4", "5", OTHER, "question"),
    (FACETS, "often", "rarely", OTHER, "question"),
    (FACETS, "[often]", "[often, rarely]", OTHER, "question"),
    (BEST, "1/3}", "1/2}", LESS, "bound"),
    (BEST, ", equals: 1/3", "", LESS, "bound"),
    (BEST, "ann)", "bob)", OTHER, "question"),
    (BEST, "[0, 1], loss", "[0, 1, 2], loss", OTHER, "question"),
    (WRONG, "8/9", "15/16", LESS, "bound"),
    (WRONG, ", at_most: 8/9", "", LESS, "bound"),
    (WRONG, "'00'", "'01'", OTHER, "question"),
    (WRONG, "at_most", "prior: uniform, at_most", OTHER, "question"),
    (HIDDEN, "entries: 1", "entries: 2", LESS, "entries"),
    (HIDDEN, "uniform", "{iid: {0: 1/3, 1: 2/3}}", OTHER, "priors"),
    (IMPLIED, "epsilon: 3", "epsilon: 5/2", MORE, "level"),
    (IMPLIED, "blowfish: {", "differential_privacy: {neighbours: all, ", OTHER, "question"),
    (COMPOSED, "uniform", "uniform, {iid: {0: 1/3, 1: 2/3}}", MORE, "priors"),
    (TOGETHER, "at_most: 3", "at_most: 4", LESS, "bound"),
    (TOGETHER, "epsilon: 2", "epsilon: 1", OTHER, "question"),
    (ALONE, "{worlds", "uniform, {worlds", MORE, "priors"),
]


@pytest.mark.parametrize(("check", "old", "new", "status", "about"), CASES)
def test_a_promise(check: str, old: str, new: str, status: str, about: str, tmp_path: Path) -> None:
    path, questions = tmp_path / "spec.yaml", []
    for text in (check, check.replace(old, new)):
        path.write_text(FILE.replace("CHECK", text), "utf-8")
        (asked,) = verify.load(path).questions
        assert asked.question is not None
        questions.append(asked.question)
    before, after = questions
    assert [(each.status, each.about) for each in promised(before, after)] == [(status, about)]
    back = [(each.status, each.about) for each in promised(after, before)]
    assert back == [(TURNED[status], about)]
