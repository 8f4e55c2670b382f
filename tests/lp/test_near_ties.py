"""Programs that are feasible, or are not, by a margin from 1e-4 to 1e-30, by construction."""

from __future__ import annotations

from itertools import islice

import pytest

from benchmarks.programs import near_ties
from tests.drawing import wider
from verifier.checker import check
from verifier.lp import Infeasible, Optimal, solve
from verifier.lp.model.certificate import document


@pytest.mark.parametrize("start", range(9))
def test_near_ties(start: int) -> None:
    step = wider(27, 9)
    instances = list(islice(near_ties(), start, None, step))
    assert len(instances) == 513 // step
    for instance in instances:
        outcome = solve(instance.program)
        expected = Optimal if instance.feasible else Infeasible
        assert isinstance(outcome, expected), instance.name
        assert check(document(instance.program, outcome)).outcome == "accepted"
