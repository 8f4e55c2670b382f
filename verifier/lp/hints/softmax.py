"""Float candidates for post-processing: one smooth convex function, minimised by Newton's method.

For channels A (worlds × inner outputs) and B (worlds × outer outputs) and a table Y of payoffs
(worlds × outer outputs) let

    f(Y) = Σ_i log Σ_j exp((AᵀY)_ij) − ⟨Y, B⟩                                               (1)

Its gradient is A·X − B, where X is the softmax of the rows of AᵀY, a stochastic matrix without
zeros. So if A·X = B for such an X, the least value is there. If some Y has

    Σ_i max_j (AᵀY)_ij < ⟨Y, B⟩                                                             (2)

then f falls without end along Y, and no stochastic X has A·X = B: whoever is paid Y earns more
from B than from A (D. Blackwell, Equivalent comparisons of experiments, Annals of Mathematical
Statistics 24, 1953). Floats decide nothing here: `verifier.lp.channels` makes the candidates exact.

Example. A tells a bit with 3/4 and B with 2/3. At the minimum X keeps the bit with 5/6.

>>> A, B = np.array([[3, 1], [1, 3]]) / 4, np.array([[2, 1], [1, 2]]) / 3
>>> *_, last = candidates(A, B)
>>> last.channel.round(6).tolist()
[[0.833333, 0.166667], [0.166667, 0.833333]]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from verifier.lp.model.integers import Floats

STEPS = 35
FIRST_DAMPING, LEAST_DAMPING, LARGEST_STEP, LEAST_STEP = 1e-12, 1e-14, 64.0, 1e-8
FARTHEST = 16.0  # most that a first step may change an entry of AᵀY: X stays far from 0 and 1
CONVERGED = 1e-13
ENOUGH = 1e-4  # of the decrease that the slope promises


@dataclass(frozen=True)
class Candidate:
    """A point of the iteration.

    payoff   Y, worlds × outer outputs
    last     the step that led to it
    channel  X, inner × outer outputs
    missed   the largest entry of |A·X − B|
    """

    payoff: Floats
    last: Floats
    channel: Floats
    missed: float


def candidates(first: Floats, second: Floats, steps: int = STEPS) -> Iterator[Candidate]:
    """The points of Newton's method for (1), the last column of Y held at 0.

    first   A, worlds × inner outputs, of full row rank; also multiplied by any regular matrix
    second  B, worlds × outer outputs, multiplied by the same
    steps   how many at most
    """
    damping, payoff = FIRST_DAMPING, np.zeros(second.shape)
    last, (value, channel) = payoff, _value(first, second, payoff)
    for _ in range(steps):
        gradient = first @ channel - second
        if not np.isfinite(gradient).all():
            return
        missed = float(np.abs(gradient).max())
        yield Candidate(payoff, last, channel, missed)
        if missed < CONVERGED:
            return
        direction = _direction(first, channel, gradient, damping)
        if direction is not None:
            direction *= min(1, FARTHEST / max(np.abs(first.T @ direction).max(), 1))
        if direction is None or (slope := float((direction * gradient).sum())) > 0:
            damping = max(damping * 100, LEAST_DAMPING)
            continue
        length = _length(first, second, payoff, direction, value, slope, missed)
        if length is None:
            return
        last, payoff = direction, payoff + length * direction
        value, channel = _value(first, second, payoff)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _value(first: Floats, second: Floats, payoff: Floats) -> tuple[float, Floats]:
    """f(Y), and X."""
    earned = first.T @ payoff
    top = earned.max(axis=1, keepdims=True)
    powers = np.exp(earned - top)
    sums = powers.sum(axis=1, keepdims=True)
    value = float((np.log(sums) + top).sum() - (payoff * second).sum())
    return value, powers / sums


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _direction(first: Floats, channel: Floats, gradient: Floats, damping: float) -> Floats | None:
    """Newton's step; None where the Hessian is singular to floats.

    The Hessian has a block D_j = A·diag(X_j)·Aᵀ for each column j of Y, less V·Vᵀ, where V has the
    rows A·diag(X_j) under each other. With D_j = L_j·L_jᵀ and W = L⁻¹·V it is L·(I − W·Wᵀ)·Lᵀ, so
    one system of the size of the inner outputs is solved (Woodbury).
    """
    worlds, inner = first.shape
    shares, target = channel[:, :-1].T, gradient[:, :-1].T
    blocks = np.einsum("wi,ji,vi->jwv", first, shares, first, optimize=True)
    traces = np.trace(blocks, axis1=1, axis2=2)[:, None]
    blocks[:, range(worlds), range(worlds)] += damping * traces / worlds + 1e-300
    try:
        roots = np.linalg.inv(np.linalg.cholesky(blocks))
        scaled = np.matmul(roots, first[None] * shares[:, None, :]).reshape(-1, inner)
        kernel = np.eye(inner) * (1 + damping) - scaled.T @ scaled
        step = np.matmul(roots, target[:, :, None]).reshape(-1)
        step = step + scaled @ cho_solve(cho_factor(kernel), scaled.T @ step)
    except (np.linalg.LinAlgError, ValueError):  # ValueError: entries that are not finite
        return None
    turned = np.matmul(roots.transpose(0, 2, 1), step.reshape(-1, worlds, 1))[:, :, 0]
    return np.column_stack([-turned.T, np.zeros(worlds)])


def _length(
    first: Floats,
    second: Floats,
    payoff: Floats,
    direction: Floats,
    value: float,
    slope: float,
    missed: float,
) -> float | None:
    """How far to go: halved until f falls, or doubled along a ray while that pays."""

    def ahead(length: float) -> tuple[float, Floats]:
        return _value(first, second, payoff + length * direction)

    length, (found, channel) = 1.0, ahead(1.0)
    nearer = float(np.abs(first @ channel - second).max()) < missed
    while not nearer and not found <= value + ENOUGH * length * slope:
        length /= 2
        if length < LEAST_STEP:
            return None
        found, _ = ahead(length)
    while 1 <= length < LARGEST_STEP:
        farther, _ = ahead(2 * length)
        if not farther < found - 0.25 * abs(length * slope):
            break
        length, found = 2 * length, farther
    return length
