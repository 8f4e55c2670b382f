"""Newton's method for post-processing: where it ends, in floats."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.lp.hints.softmax import candidates


def stochastic(numbers: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    table = numbers.integers(1, 13, (rows, columns)).astype(float)
    return table / table.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(10))
def test_a_garbling_is_reached(seed: int) -> None:
    """B = A·X for a positive X: the iteration comes near some stochastic X, and A·X near B."""
    numbers = np.random.default_rng(seed)
    first, then = stochastic(numbers, 5, 8), stochastic(numbers, 8, 4)
    *_, last = candidates(first, first @ then)
    assert np.abs(first @ last.channel - first @ then).max() < 1e-9
    assert np.allclose(last.channel.sum(axis=1), 1) and last.channel.min() > 0


@pytest.mark.parametrize("seed", range(10))
def test_payoffs_are_found_where_there_is_none(seed: int) -> None:
    """B tells the worlds and A does not: some point or step is paid more by B than by A."""
    numbers = np.random.default_rng(seed)
    first, second = stochastic(numbers, 5, 8), np.eye(5) * 0.9 + 0.02

    def gains(payoff: np.ndarray) -> bool:
        return bool((payoff * second).sum() > (first.T @ payoff).max(axis=1).sum())

    assert any(gains(c.payoff) or gains(c.last) for c in candidates(first, second))
