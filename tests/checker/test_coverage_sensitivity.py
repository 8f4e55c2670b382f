"""Witnesses of a sensitivity that are no pair of the relation, although they attain it."""

from typing import Any

import pytest

from tests.checker.drafts import check

MODEL = {"worlds": ["a", "b", "c", "d"], "functions": [["0", "1", "0", "1"]]}


def outcome(build: Any, pair: Any, value: str = "1", model: Any = MODEL) -> str:
    relation = build.listed(4, (0, 1))
    found = build.sensitivity(model, relation, value, None, "holds", pair)
    return str(check(found).outcome)


@pytest.mark.parametrize("pair", [[0, 3], [2, 1], [2, 3], [1, 0], [0, 0], [1, 1], [0, 2]])
def test_the_pair_is_one_of_the_relation(build: Any, pair: list[int]) -> None:
    assert outcome(build, [0, 1]) == "accepted"
    assert outcome(build, pair) == "rejected"
    assert outcome(build, None) == "refused"


@pytest.mark.parametrize("pair", [[0, 0], [1, 1], [0, 2], [2, 1], [2, 3], [1, 0]])
def test_a_witness_of_no_difference_is_a_pair_too(build: Any, pair: list[int]) -> None:
    constant = {**MODEL, "functions": [["1", "1", "1", "1"]]}
    assert outcome(build, None, "0", constant) == "accepted"
    assert outcome(build, [0, 1], "0", constant) == "accepted"
    assert outcome(build, pair, "0", constant) == "rejected"


@pytest.mark.parametrize(
    "functions",
    [
        [["0", "1", "0"]],
        [["0", "1", "0", "1", "0"]],
        [["0", "1", "0", "1"], ["0", "0", "0"]],
        [["0", "1", "0", "1"], ["0", "0", "0", "0", "0"]],
        [],
    ],
)
def test_a_function_has_a_value_for_each_world(build: Any, functions: Any) -> None:
    assert outcome(build, [0, 1], model={**MODEL, "functions": functions}) == "refused"
