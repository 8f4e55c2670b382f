"""Non-negative combinations in floats: hints for exact decisions, never decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from verifier.lp.model.integers import Floats

NOTHING = 1e-11  # a residual or weight that counts as none
FAR = 1e-6  # a weight this far below 0 is no rounding
BATCHES = 16  # at least, until as many generators as dimensions have entered
PATIENCE = 2  # steps without fewer wrong signs
STEPS = 400


@dataclass(frozen=True)
class Nearest:
    """Weights of the nearest non-negative combination, and what it misses the point by."""

    weights: Floats
    residual: Floats

    @property
    def reaches(self) -> bool:
        """Whether the residual is rounding only."""
        return bool(np.linalg.norm(self.residual) <= NOTHING)


def nearest(rows: Floats, point: Floats) -> Nearest | None:
    """The weights x ≥ 0 with least |point − x · rows|, or None where the search stalls.

    Block principal pivoting (Kim and Park, SIAM J. Sci. Comput. 33, 2011): generators with
    negative weight leave together, those with a negative gradient enter, at most as many as keep
    the normal equations regular. Rows and point have length near 1.
    """
    count, size = rows.shape
    chosen = np.zeros(count, dtype=bool)
    weights, residual = np.zeros(count), point.copy()
    fewest, patience = count + 1, PATIENCE
    for _ in range(STEPS):
        gain = np.where(chosen, 0, rows @ residual)
        leaving, entering = chosen & (weights < 0), gain > NOTHING / 100
        wrong = int(leaving.sum() + entering.sum())
        if wrong == 0:
            return Nearest(weights, residual)
        if np.linalg.norm(residual) <= NOTHING and weights.min() < -FAR:
            return None
        if wrong < fewest:
            fewest, patience = wrong, PATIENCE
        elif patience == 0:
            return None
        else:
            patience -= 1
        chosen &= ~leaving
        room = min(max(size // BATCHES, 1), size - int(chosen.sum()))
        candidates = np.flatnonzero(entering)
        chosen[candidates[np.argsort(-gain[candidates])[:room]]] = True
        places = np.flatnonzero(chosen)
        part = rows[places]
        factor, failed = lapack.dpotrf(part @ part.T, lower=1)
        if failed:
            return None
        found = lapack.dpotrs(factor, part @ point, lower=1)[0]
        weights = np.zeros(count)
        weights[places] = found
        residual = point - found @ part
    return None


def inner(rows: Floats, point: Floats) -> Floats | None:
    """Weights x > 0 with x · rows ≈ point, for more generators than dimensions; or None.

    Reflections between x ≥ d and the solutions of x · rows = point, nearly all the way, with a
    bound d that shrinks: a point inside the cone has solutions well inside both.
    """
    factor, failed = lapack.dpotrf(rows.T @ rows, lower=1)
    if failed or len(rows) <= len(point):
        return None
    weights = rows @ lapack.dpotrs(factor, point, lower=1)[0]
    bound = 0.1 * np.abs(weights).mean()
    for _ in range(STEPS):
        if weights.min() >= 0:
            return np.asarray(weights)
        weights = weights + 1.9 * (np.maximum(weights, bound) - weights)
        weights = weights + rows @ lapack.dpotrs(factor, point - weights @ rows, lower=1)[0]
        bound *= 0.97
    return None
