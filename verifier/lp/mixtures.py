"""Is a channel a mixture of garblings of given channels? Decided exactly.

The mixtures of given channels are the smallest set of channels that has the given ones, with a
channel all its garblings, and with two channels their mixtures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.lp.channels import (
    Channel,
    Equations,
    Garbling,
    garbling,
    garbling_program,
    payoff_of,
    side_by_side,
)
from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.program import Infeasible, Optimal, Program, Vector
from verifier.lp.solve import solve


@dataclass(frozen=True)
class Mixture:
    """Y_k >= 0 with wanted = Σ_k given_k · Y_k, where all rows of Y_k have the same sum p_k and the
    p_k sum to 1; Y_k[i, j] is entry i · (outputs of wanted) + j of parts[k]."""

    parts: tuple[Vector, ...]


@dataclass(frozen=True)
class NoMixture:
    """Payoffs U with Σ U∘wanted > Σ_i max_j Σ_w U[w, j] given_k[w, i] for every k; U[w, j] is entry
    w · (outputs of wanted) + j."""

    payoff: Vector


def mixture(given: Sequence[Channel], wanted: Channel) -> Mixture | NoMixture:
    """Whether wanted = Σ_k given_k · Y_k as above, and the proof.

    Raises ValueError where nothing is given or the channels have different numbers of worlds.
    """
    if len(given) == 1:
        answer = garbling(given[0], wanted)
        if isinstance(answer, Garbling):
            return Mixture((answer.channel,))
        return NoMixture(answer.payoff)
    equations = Equations.of(side_by_side(given), wanted)
    sizes = [channel.entries.shape[1] for channel in given]
    outcome = solve(mixture_program(sizes, equations))
    if isinstance(outcome, Infeasible):
        return NoMixture(payoff_of(equations, outcome.multipliers))
    assert isinstance(outcome, Optimal)
    return Mixture(tuple(_parts(outcome.point, sizes, equations)))


def mixture_program(sizes: Sequence[int], equations: Equations) -> Program:
    """The equations of `mixture` for channels side by side.

    sizes      how many outputs each of them has
    equations  that the channel of all of them, side by side, followed by X is the one wanted

    The columns scale · X are those of `garbling_program`, X being r times as large as the Y_k, r
    the number of channels; then come scale · q_k, q_k being r times the weights p_k. Row sums of X
    are q_k, and Σ q_k = r.
    """
    base = garbling_program(equations)
    matrix, r = base.matrix, len(sizes)
    height, width = matrix.shape
    first = height - sum(sizes)  # of the rows of row sums
    of_sum = np.repeat(np.arange(r), sizes) + width
    ends = matrix.indptr.copy()
    ends[first + 1 :] += np.arange(1, len(of_sum) + 1)
    last = matrix.indptr[first + 1 :]
    indices = np.insert(matrix.indices, last, of_sum)
    values = np.insert(matrix.values, last, -1)
    indices = np.concatenate([indices, np.arange(r) + width])
    values = np.concatenate([values, np.ones(r, dtype=values.dtype)])
    return Program(
        IntegerMatrix((height + 1, width + r), [*ends.tolist(), len(indices)], indices, values),
        np.zeros(height + 1, dtype=np.int8),
        [*base.right[:first], *[0] * len(of_sum), r * equations.scale],
        [0] * (width + r),
    )


def _parts(point: Vector, sizes: Sequence[int], equations: Equations) -> list[Vector]:
    """The Y_k out of a point of `mixture_program`."""
    parts, start, outer = [], 0, equations.b.shape[1]
    for size in sizes:
        end = start + size * outer
        found = {at - start: v for at, v in point.numerators.items() if start <= at < end}
        parts.append(Vector(found, point.denominator * equations.scale * len(sizes)))
        start = end
    return parts
