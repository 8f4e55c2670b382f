"""Channels: is one another one followed by post-processing, or a mixture of such? Decided exactly.

Channels are matrices of integers over one denominator, rows the worlds: entry [w, o] / scale is
P(output o | world w). A garbling of a channel is the channel followed by post-processing (D.
Blackwell, Equivalent comparisons of experiments, Annals of Mathematical Statistics 24, 1953). The
mixtures of given channels are the smallest set of channels that has the given ones, with a channel
all its garblings, and with two channels their mixtures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import flint
import numpy as np
import scipy.sparse as sparse

from verifier.lp.exact.square import Refutation, SingularMatrix, dense, independent, unique
from verifier.lp.model.integers import Floats, IntegerMatrix, Ints, equilibrate, packed
from verifier.lp.model.program import Infeasible, Optimal, Program, Vector
from verifier.lp.solve import solve


@dataclass(frozen=True)
class Channel:
    """A stochastic matrix: entries over `scale`, every row with sum `scale`.

    Raises ValueError where an entry is negative or a row has another sum.
    """

    entries: IntegerMatrix
    scale: int

    def __post_init__(self) -> None:
        ones = [1] * self.entries.shape[1]
        if any(total != self.scale for total in self.entries.times(ones)):
            raise ValueError(f"rows of a channel must sum to {self.scale}")
        if self.entries.nnz and self.entries.values.min() < 0:
            raise ValueError("probabilities must not be negative")


@dataclass(frozen=True)
class Garbling:
    """X ≥ 0 with first · X = second and rows of sum 1; X[i, j] is entry i · (outputs of second) + j
    of the vector."""

    channel: Vector


@dataclass(frozen=True)
class NoGarbling:
    """Multipliers of the rows of `garbling_program`, y·A ≥ 0 > y·b (Farkas): there is no X."""

    multipliers: Vector


def garbling(first: Channel, second: Channel) -> Garbling | NoGarbling:
    """Whether second = first · X for a stochastic X, and the proof.

    Where the columns of `first` are independent, one solve with all columns of `second` gives the
    only candidate, and its signs decide: a negative X[i, j] is proved by the multipliers that take
    X[i, j] out of column j. Row sums are then 1 by themselves. Otherwise a linear program decides.

    Raises ValueError where the channels have different numbers of worlds.
    """
    worlds, inner = first.entries.shape
    if second.entries.shape[0] != worlds:
        raise ValueError(f"channels over {worlds} and {second.entries.shape[0]} worlds")
    if inner <= worlds:
        scaled: Floats = first.entries.floats(*equilibrate(first.entries)).toarray()
        rows = independent(scaled, inner)
        if len(rows) == inner:
            try:
                return _by_inverse(first, second, rows)
            except SingularMatrix:
                pass
    outcome = solve(garbling_program(first, second))
    if isinstance(outcome, Optimal):
        return Garbling(outcome.point)
    assert isinstance(outcome, Infeasible)
    return NoGarbling(outcome.multipliers)


def _by_inverse(first: Channel, second: Channel, rows: Ints) -> Garbling | NoGarbling:
    """The answer from rows of `first` on which it is regular. Raises SingularMatrix."""
    (worlds, inner), outer = first.entries.shape, second.entries.shape[1]
    square = dense(first.entries.take(rows, range(inner)))
    wanted = dense(second.entries.take(rows, range(outer)))
    try:
        solved = flint.fmpq_mat(square).solve(flint.fmpq_mat(wanted))
    except ZeroDivisionError:
        raise SingularMatrix from None
    numerators, denominator = solved.numer_denom()
    rest = np.setdiff1d(np.arange(worlds), rows)
    reached = dense(first.entries.take(rest, range(inner))) * numerators
    missed = reached - dense(second.entries.take(rest, range(outer))) * denominator
    entries = [int(value) for value in numerators.entries()]
    wrong = [at % outer for at, value in enumerate(missed.entries()) if value]
    wrong = wrong or [at % outer for at, value in enumerate(entries) if value < 0]
    if not wrong:
        point = {at: first.scale * value for at, value in enumerate(entries) if value}
        return Garbling(Vector(point, int(denominator) * second.scale))
    column = second.entries.take(range(worlds), wrong[:1]).times([1])
    answer = unique(first.entries, column, rows)
    assert isinstance(answer, Refutation)
    found = answer.multipliers.numerators.items()
    return NoGarbling(Vector({world * outer + wrong[0]: value for world, value in found}))


def garbling_program(first: Channel, second: Channel) -> Program:
    """The equations of `garbling`: first · X = second, then row sums of X.

    Row w · outer + j:   Σ_i (second.scale · first[w, i]) X[i, j] = first.scale · second[w, j]
    Row worlds · outer + i:   Σ_j X[i, j] = 1
    """
    (worlds, inner), outer = first.entries.shape, second.entries.shape[1]
    values = [second.scale * int(value) for value in first.entries.values] + [1]
    entries = first.entries
    places = sparse.csr_matrix(
        (range(1, entries.nnz + 1), entries.indices, entries.indptr), entries.shape
    )
    equations = sparse.kron(places, sparse.eye(outer, dtype=np.int64), "csr")
    sums = sparse.kron(sparse.eye(inner), np.full((1, outer), entries.nnz + 1), "csr")
    whole = sparse.vstack([equations, sums], "csr")
    right = [0] * (worlds * outer) + [1] * inner
    cells = second.entries.row_numbers * outer + second.entries.indices
    for cell, value in zip(cells.tolist(), second.entries.values.tolist(), strict=True):
        right[cell] = first.scale * value
    matrix = IntegerMatrix(
        whole.shape, whole.indptr, whole.indices, packed(values)[whole.data.astype(np.int64) - 1]
    )
    return Program(matrix, np.zeros(len(right), dtype=np.int8), right, [0] * (inner * outer))


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
    """The channel that picks one of the `given` ones uniformly, and tells which one.

    given  the channels, at least one, all over the same worlds
    """
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
    """The equations of `mixture` for channels side by side.

    sizes   how many outputs each of them has
    whole   the channels side by side
    wanted  the channel to be reached

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
