"""Certificates of kind parameters that refute a question of another kind at a point, and siblings.

A bit is told with probability p where it is 0, q where it is 1. At p = 63/64, q = 3/4 ratios are
(63/64)/(1/4) = 63/16 and (1/64)/(3/4) = 1/48: the largest ratio of two is 189. The expected error
of the answer is 1 - q = 1/4 at 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.test_pieces import written
from tests.checker.test_region import broken, outcome, sealed

Json = dict[str, Any]
SPEC = """
parameters: {p: 1/2 < p < 1, q: 1/2 <= q < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [x, y], 0: [p, 1 - p], 1: [1 - q, q]}}
checks:
  - bounded_range: {exp_epsilon: 180*p}
    where: p > 3*q - 3/2
  - error: {loss: 'abs(ann - (0 if output == "x" else 1))', at_most: q/4}
"""
POINT = ["63/64", "3/4"]
W = "evidence.witness"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    ranges, error = written(SPEC, tmp_path_factory.mktemp("spec"))
    ranges = broken(ranges, f"{W}.point", POINT)
    ranges = broken(ranges, f"{W}.answer.leakage", {"exp_epsilon": "189"})
    error = broken(error, f"{W}.point", POINT)
    return [ranges, broken(error, f"{W}.answer.value", "1/4")]


def test_good_ones(made: list[Json]) -> None:
    for document in made:
        found = check(sealed(document))
        assert (found.outcome, found.reason) == ("accepted", "the evidence proves the claim")


NEITHER = {"rule": "replace", "group": 1}
BROKEN: list[tuple[int, str, Any]] = [
    # another answer at the point, or another point
    (0, f"{W}.answer.leakage", {"exp_epsilon": "190"}),
    (0, f"{W}.answer.leakage", {"exp_epsilon": "188"}),
    (0, f"{W}.answer.leakage", {"exp_epsilon": "190*p/p"}),
    (0, f"{W}.answer.verdict", "holds"),
    (0, f"{W}.answer", {"verdict": "violated", "level": {"exp_epsilon": "1", "delta": "0"}}),
    (0, f"{W}.answer", {"verdict": "violated", "leakage": {"at_least": "180"}}),
    (0, f"{W}.answer", []),
    (0, f"{W}.point", ["3/4", "3/4"]),  # where the largest ratio is 9
    (0, f"{W}.point", ["63/64", "7/8"]),  # outside of the condition
    (0, f"{W}.point", ["63/64", "1"]),
    (0, f"{W}.point", ["63/64"]),
    (0, f"{W}.point", ["p", "3/4"]),
    (0, f"{W}.evidence", {"witness": None}),
    (1, f"{W}.answer.value", "1/5"),
    (1, f"{W}.answer.value", None),
    # another question
    (0, "question.level.exp_epsilon", "200*p"),
    (0, "question.level.exp_epsilon", "180/(3 - 4*q)"),
    (0, "question.relation.kind", "comparison"),
    (0, "question.relation.kind", "error"),
    (0, "question.relation.rule", "pieces"),
    (0, "question.relation.cells", []),
    (0, "question.relation.cells", [NEITHER, NEITHER]),
    (0, "question.model.cells", [None, None]),
    (0, "question.model.cells.1", None),
    (0, "question.model.cells.1.worlds", ["0", "1"]),
    (0, "question.model.cells.1.records", [[0], [1]]),
    (0, "question.model.cells.1.values.0", "2*p"),
    (1, "question.at_most", "1/3"),
    # another claim
    (0, "answer.verdict", "holds"),
    (0, "answer.leakage", {"vacuous": True}),
    (1, "answer.value", "1/4"),
]


@pytest.mark.parametrize(("number", "path", "part"), BROKEN)
def test_broken_ones(number: int, path: str, part: Any, made: list[Json]) -> None:
    assert outcome(broken(made[number], path, part)) in ("rejected", "refused")


def test_a_condition_that_the_point_meets_changes_nothing(made: list[Json]) -> None:
    changed = broken(made[0], "question.relation.where.0.polynomial", "p - q")
    assert outcome(changed) == "accepted"


def test_a_point_where_no_value_is(made: list[Json]) -> None:
    """The lower end of q belongs to its interval, and has no model."""
    changed = broken(made[1], f"{W}.point", ["63/64", "1/2"])
    changed = broken(changed, f"{W}.answer.value", "1/2")
    assert outcome(changed) == "accepted"
    changed["question"]["model"]["cells"][0] = changed["question"]["relation"]["cells"][0] = None
    assert outcome(changed) == "rejected"


PROVED = """
parameters: {p: 1/2 < p < 3/4, q: 1/2 <= q <= 3/4}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [x, y, never], 0: [p, 1 - p, 0], 1: [1 - q, q, 0]}}
checks:
  - bounded_range: {exp_epsilon: 9}
  - renyi: {order: 2, exp_epsilon: 7/3}
  - renyi: {order: 3, exp_epsilon: 53/20}
"""


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    return written(PROVED, tmp_path_factory.mktemp("spec"))


@pytest.mark.parametrize("number", range(3))
def test_divergences_that_hold(number: int, proved: list[Json]) -> None:
    found = check(sealed(proved[number]))
    assert (found.outcome, found.reason) == ("accepted", "the evidence proves the claim")


RULE = "question.relation.cells.1"
OTHERS: list[tuple[int, str, Any]] = [
    (0, "question.level.exp_epsilon", "89/10"),
    (1, "question.level.exp_epsilon", "69/30"),
    (2, "question.level.exp_epsilon", "13/5"),
    (0, "question.level.delta", "1/10"),
    (0, f"{RULE}.rule", "zcdp"),
    (0, f"{RULE}.order", "2"),
    (1, f"{RULE}.order", None),
    (1, f"{RULE}.order", "1"),
    (1, f"{RULE}.order", "3"),
    (1, f"{RULE}.order", "5/2"),
    (1, f"{RULE}.order", "21"),
    (1, f"{RULE}.rule", "bounded_range"),
    (0, f"{RULE}.pairs", {"rule": "secrets", "secrets": {}, "pairs": [], "priors": {}}),
    (0, "question.relation.kind", "quilts"),
    (0, "question.relation.domain.0.to.rational", "4/5"),
    (0, f"{W}.cells.1.sample", ["3/4", "5/8"]),
    (0, f"{W}.cells.1.signs", [{"polynomial": [[1, 0, 0]], "tree": 1}] * 2),
    (0, f"{W}.cells", []),
    # an output that is possible at 0 alone
    (0, "question.model.cells.1.columns", [[0, 1, 2], [0, 3, 3]]),
]


@pytest.mark.parametrize(("number", "path", "part"), OTHERS)
def test_other_divergences(number: int, path: str, part: Any, proved: list[Json]) -> None:
    assert outcome(broken(proved[number], path, part)) in ("rejected", "refused")


def test_probabilities_that_are_0(proved: list[Json]) -> None:
    """Two outputs are possible at 0 alone: the sum times all denominators is 0, proving nothing."""
    changed = broken(proved[1], "question.model.cells.1.values", ["0", "1", "p", "1 - p"])
    changed["question"]["model"]["cells"][1]["columns"] = [[2, 3, 0], [0, 0, 1]]
    found = check(sealed(changed))
    said = "an obligation is not met"
    assert (found.outcome, found.reason) == ("rejected", said)


def test_what_is_compared(proved: list[Json]) -> None:
    """Worlds at distance 1; without any nothing is compared, which is to be said."""
    listed = {"rule": "pairs", "distances": {"2": [[1], [0]]}}
    changed = broken(proved[0], f"{RULE}.pairs", listed)
    changed["question"] |= {"definition": None, "options": {}}
    assert outcome(changed) == "refused"
    for cell in changed["question"]["relation"]["cells"]:
        cell["pairs"] = {"rule": "pairs", "distances": {"1": [[], []]}}
    assert outcome(changed) == "refused"
    changed["answer"]["leakage"] = {"vacuous": True}
    assert outcome(changed) == "accepted"


def test_pairs_that_compare_alike(tmp_path: Path) -> None:
    """Two records answer: each pair of neighbours has the same numbers, (p/(1 - p))² at most 9."""
    text = """
parameters: {p: 1/2 < p < 3/4, q: 9 <= q <= 10}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [{bounded_range: {exp_epsilon: q}}]
"""
    (document,) = written(text, tmp_path)
    assert document["answer"]["verdict"] == "holds"
    assert outcome(sealed(document)) == "accepted"
    assert outcome(broken(document, "question.level.exp_epsilon", "q/2 + 4")) != "accepted"
