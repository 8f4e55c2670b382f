"""Whether the rows of a definition are in the row cone of mechanisms, against extreme rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Json, decide
from tests.definitions.rows import extreme_rows, is_combination
from tests.drawing import examples
from verifier.base.errors import NotDecided
from verifier.questions.answer import Answer

F = Fraction


def implied(worlds: Sequence[str], alpha: str, mechanisms: Json, neighbours: Json) -> Answer:
    """Whether a definition at a level implies the row cone of mechanisms."""
    premise = {next(iter(neighbours)): {**next(iter(neighbours.values())), "exp_epsilon": alpha}}
    check = {"implies": {"if": premise, "then": {"row_cone": {"of": list(mechanisms)}}}}
    return decide({"worlds": list(worlds), "mechanisms": mechanisms, "checks": [check]})


@pytest.mark.oracle
@examples(40)
@given(st.data(), st.sampled_from(["1", "9/8", "2", "1000"]))
def test_engine_and_extreme_rows_agree(data: st.DataObject, alpha: str) -> None:
    """With neighbours that are all pairs. At level 1 all rows are constant, and in every cone."""
    space = data.draw(drawn.named_spaces().filter(lambda space: space.size <= 4))
    columns = [data.draw(drawn.matrices(space.size)) for _ in range(data.draw(st.integers(1, 2)))]
    mechanisms = {f"m{k}": drawn.table(space, c) for k, c in enumerate(columns)}
    rows = [list(row) for c in columns for row in zip(*c, strict=True)]
    neighbours = {"differential_privacy": {"neighbours": "all"}}
    found = implied(space.names, alpha, mechanisms, neighbours)
    inside = all(is_combination(row, rows) for row in extreme_rows(space.size, F(alpha)))
    assert found.verdict == ("holds" if inside else "violated")
    if found.witness:
        x = [F(row[0]) for w, row in found.witness.as_json()["mechanism"].items() if w != "outputs"]
        side = x if found.witness.as_json()["output"] == "yes" else [1 - p for p in x]
        assert not is_combination(side, rows)


def test_one_bit() -> None:
    """The row cone of a response with truth 3/4 is differential privacy at 3."""
    response = {
        "response": {"table": {"outputs": ["0", "1"], "a": ["3/4", "1/4"], "b": ["1/4", "3/4"]}}
    }
    neighbours = {"differential_privacy": {"neighbours": "all"}}
    for alpha, verdict in (("3", "holds"), ("3.000000000000000000000000000001", "violated")):
        assert implied(["a", "b"], alpha, response, neighbours).verdict == verdict


def test_two_bits() -> None:
    """Section V: randomized response protects the parity better than differential privacy does."""
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"]},
        "mechanisms": {"response": {"randomized_response": {"truth": "3/4"}}},
    }
    premise = {"differential_privacy": {"exp_epsilon": "3"}}
    check = {"implies": {"if": premise, "then": {"row_cone": {"of": ["response"]}}}}
    found = decide({**spec, "checks": [check]})
    assert found.verdict == "violated" and found.witness is not None
    assert {found.witness.as_json()["likelier"], found.witness.as_json()["other"]} == {
        "xor(r1, r2) == 0",
        "xor(r1, r2) == 1",
    }


def test_not_decided() -> None:
    """A row cone in another is asked of each mechanism."""
    cone = {"row_cone": {"of": ["m"]}}
    spec = {"worlds": ["a", "b"], "mechanisms": {"m": {"deterministic": "world"}}}
    with pytest.raises(NotDecided):
        decide({**spec, "checks": [{"implies": {"if": cone, "then": cone}}]})
