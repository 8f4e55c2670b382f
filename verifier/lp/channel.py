"""Is one channel another one followed by post-processing (a garbling, Blackwell)? Decided exactly.

Channels are matrices of integers over one denominator, rows the worlds: entry [w, o] / scale is
P(output o | world w).
"""

from __future__ import annotations

from dataclasses import dataclass

import flint
import numpy as np
import scipy.sparse as sparse

from verifier.lp.exact.square import SingularMatrix, dense
from verifier.lp.exact.unique import Refutation, independent, unique
from verifier.lp.model.integers import Floats, IntegerMatrix, Ints, equilibrate, packed
from verifier.lp.model.outcome import Infeasible, Optimal, Vector
from verifier.lp.model.program import Program
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
