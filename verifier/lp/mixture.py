"""Is one channel a mixture of post-processings of given channels? Decided exactly.

The mixtures are the smallest set of channels that has the given ones, and with a channel all its
post-processings, and with two channels their mixtures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
import scipy.sparse as sparse

from verifier.lp.channel import Channel, Garbling, garbling, garbling_program
from verifier.lp.model.integers import IntegerMatrix, packed
from verifier.lp.model.outcome import Infeasible, Optimal, Vector
from verifier.lp.model.program import Program
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
        return _payoff(answer.multipliers, wanted)
    whole = side_by_side(given)
    outcome = solve(mixture_program([channel.entries.shape[1] for channel in given], whole, wanted))
    if isinstance(outcome, Infeasible):
        return _payoff(outcome.multipliers, wanted)
    assert isinstance(outcome, Optimal)
    return Mixture(tuple(_parts(outcome.point, given, wanted.entries.shape[1])))


def side_by_side(given: Sequence[Channel]) -> Channel:
    """The channel that picks one of the given ones, each with the same probability, and outputs
    which one and its output."""
    if len({channel.entries.shape[0] for channel in given}) != 1:
        raise ValueError("at least one channel, and all over the same worlds")
    scale = lcm(*(channel.scale for channel in given))
    matrices = [channel.entries for channel in given]
    factors = [scale // channel.scale for channel in given]
    values = [f * int(v) for m, f in zip(matrices, factors, strict=True) for v in m.values]
    starts = np.cumsum([0, *(m.nnz for m in matrices)]).tolist()
    places = sparse.hstack(
        [
            sparse.csr_matrix((np.arange(m.nnz) + start + 1, m.indices, m.indptr), m.shape)
            for m, start in zip(matrices, starts, strict=False)
        ],
        "csr",
    )
    entries = IntegerMatrix(
        places.shape, places.indptr, places.indices, packed(values)[places.data - 1]
    )
    return Channel(entries, scale * len(given))


def mixture_program(sizes: Sequence[int], whole: Channel, wanted: Channel) -> Program:
    """The equations of `mixture` for channels side by side with so many outputs each.

    The columns X are those of `garbling_program`, r times as large as the Y_k, r being the number
    of channels; then come q_k, r times the weights p_k. Row sums of X are q_k, and Σ q_k = r.
    """
    base = garbling_program(whole, wanted)
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
        [*base.right[:first], *[0] * len(of_sum), r],
        [0] * (width + r),
    )


def _parts(point: Vector, given: Sequence[Channel], outer: int) -> list[Vector]:
    """The Y_k out of a point of `mixture_program`."""
    parts, start = [], 0
    for channel in given:
        end = start + channel.entries.shape[1] * outer
        found = {at - start: v for at, v in point.numerators.items() if start <= at < end}
        parts.append(Vector(found, point.denominator * len(given)))
        start = end
    return parts


def _payoff(multipliers: Vector, wanted: Channel) -> NoMixture:
    """The multipliers of the equations that give `wanted`, turned."""
    worlds, outer = wanted.entries.shape
    found = multipliers.numerators.items()
    turned = {at: -value for at, value in found if at < worlds * outer}
    return NoMixture(Vector(turned, multipliers.denominator))
