"""Side constraints in cvxpy, solved exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from verifier import checker
from verifier.base.halfspaces import Halfspaces
from verifier.kernels.rows.synthesis import best_mechanism, best_modelled
from verifier.lp import convex

HALF = Fraction(1, 2)

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def cvxpy() -> Any:
    """Loaded for these tests alone: it takes a second."""
    import cvxpy

    return cvxpy


def line(size: int, alpha: int) -> Halfspaces:
    """Differential privacy of counts: neighbours on a line."""
    steps = [(w, w + 1) for w in range(size - 1)]
    rows = [row for a, b in steps for row in ({a: 1, b: -alpha}, {a: -alpha, b: 1})]
    return Halfspaces(size, rows, [f"{row}" for row in rows])


def errors(size: int) -> np.ndarray:
    return np.array([[float(abs(r - w)) for w in range(size)] for r in range(size)])


def test_a_loss_without_side_constraints_is_the_same_either_way(cvxpy: Any) -> None:
    x = cvxpy.Variable((4, 4))
    worst = cvxpy.max(cvxpy.sum(cvxpy.multiply(errors(4), x), axis=0))
    found = best_modelled(cvxpy.Minimize(worst), [], x, line(4, 2))
    loss = [[Fraction(abs(r - w)) for w in range(4)] for r in range(4)]
    assert found is not None and found.value == best_mechanism(loss, line(4, 2)).loss
    assert checker.check(found.certificate).outcome == "accepted"


def test_a_side_constraint_costs_what_it_costs_by_hand(cvxpy: Any) -> None:
    """A bit at level 3 is answered rightly with 3/4 at most. If in world 0 one must say 1 half of
    the time at least, say p >= 1/2, and q in world 1, then 1 - q >= (1 - p)/3. So q <= 5/6 for
    p = 1/2, and the error p/2 + (1 - q)/2 is 1/4 + 1/12 = 1/3; as the objective has 1 more."""
    x = cvxpy.Variable((2, 2))
    error = (x[1, 0] + x[0, 1]) / 2
    found = best_modelled(cvxpy.Minimize(error + 1), [x[1, 0] >= 0.5], x, line(2, 3))
    assert found is not None
    assert found.value == Fraction(4, 3)
    assert found.rows == [[HALF, Fraction(1, 6)], [HALF, Fraction(5, 6)]]
    assert checker.check(found.certificate).outcome == "accepted"


def test_side_constraints_that_nothing_satisfies(cvxpy: Any) -> None:
    x = cvxpy.Variable((2, 2))
    sure = [x[0, 0] >= 0.75, x[0, 1] <= 0.25 - 2**-40]
    assert best_modelled(cvxpy.Minimize(x[0, 1]), sure, x, line(2, 3)) is None
    barely = [x[0, 0] >= 0.75, x[0, 1] <= 0.25]
    found = best_modelled(cvxpy.Minimize(x[0, 1]), barely, x, line(2, 3))
    assert found is not None and found.value == Fraction(1, 4)


def test_what_is_not_linear_is_refused(cvxpy: Any) -> None:
    x = cvxpy.Variable((2, 2))
    with pytest.raises(ValueError, match="not linear"):
        best_modelled(cvxpy.Minimize(cvxpy.norm2(x[:, 0])), [], x, line(2, 3))
    with pytest.raises(ValueError, match="Minimize"):
        convex.parts(cvxpy.Problem(cvxpy.Maximize(x[0, 0])))
    with pytest.raises(ValueError, match="attributes"):
        convex.parts(cvxpy.Problem(cvxpy.Minimize(cvxpy.Variable(nonneg=True))))
    with pytest.raises(ValueError, match="worlds"):
        best_modelled(cvxpy.Minimize(x[0, 0]), [], x, line(3, 3))
