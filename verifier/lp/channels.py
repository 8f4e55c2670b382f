"""Channels: is one another one followed by post-processing? Decided exactly.

Channels are matrices of integers over one denominator, rows the worlds: entry [w, o] / scale is
P(output o | world w). A garbling of a channel is the channel followed by post-processing (D.
Blackwell, Equivalent comparisons of experiments, Annals of Mathematical Statistics 24, 1953).

For channels A and B that is a stochastic X with A·X = B. Three ways are tried in this order:

- where the columns of A are independent, one solve gives the only candidate;
- Newton's method (`hints.softmax`) gives a candidate without zeros, which is made exact by one
  solve; or candidates that tend to zeros, which say where they are; or payoffs that refute, which
  are rounded;
- a linear program decides what is left: near ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, lcm

import flint
import numpy as np
import scipy.sparse as sparse
from scipy.linalg import qr

from verifier.lp.exact.determined import determined
from verifier.lp.exact.square import Refutation, SingularMatrix, dense, independent, unique
from verifier.lp.hints.softmax import Candidate, candidates
from verifier.lp.model.integers import Floats, IntegerMatrix, Ints, equilibrate, packed
from verifier.lp.model.program import Infeasible, Optimal, Outcome, Program, Vector
from verifier.lp.solve import solve

BITS = (8, 16, 28, 40)  # of rounded payoffs, the fewest first
ONE = 2 ** BITS[-1]  # the denominator of rounded probabilities
SMALL = 1e-9  # a pivot of floats, against the largest, that counts as 0
NEAR = 1e-6  # the largest |A·X − B| of floats from which X is made exact
CERTAIN = 0.1  # how far from 0 and 1 the entries of X may be where all are tried as 0 and 1
FARTHER = (
    100  # what entries of X may be beside the largest |A·X − B|, and have to be 0 all the same
)
MOST = 2**24  # worlds · inner · outer outputs: 128 MiB for Newton's method


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


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations a · X = b / scale, which say that first · X = second.

    a        worlds × inner outputs: the first channel, each row without a common factor
    b        worlds × outer outputs
    factors  by which the rows of the first channel were divided
    """

    a: IntegerMatrix
    b: IntegerMatrix
    scale: int
    factors: list[int]

    @staticmethod
    def of(first: Channel, second: Channel) -> Equations:
        """The equations for two channels over the same worlds."""
        worlds = first.entries.shape[0]
        ends = first.entries.indptr.tolist()
        values = first.entries.values.tolist()
        factors = [gcd(*values[ends[w] : ends[w + 1]]) or 1 for w in range(worlds)]
        by = first.entries.row_numbers.tolist()
        reduced = [value // factors[w] for value, w in zip(values, by, strict=True)]
        rows = second.entries.row_numbers.tolist()
        below = [second.scale * factors[w] for w in rows]
        above = [first.scale * value for value in second.entries.values.tolist()]
        scale = lcm(*(d // gcd(n, d) for n, d in zip(above, below, strict=True)))
        right = [n * scale // d for n, d in zip(above, below, strict=True)]
        a, b = first.entries, second.entries
        return Equations(
            IntegerMatrix(a.shape, a.indptr, a.indices, reduced),
            IntegerMatrix(b.shape, b.indptr, b.indices, right),
            scale,
            factors,
        )

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The numbers of worlds, inner outputs and outer outputs."""
        return *self.a.shape, self.b.shape[1]

    @cached_property
    def dense(self) -> tuple[flint.fmpz_mat, flint.fmpz_mat]:
        """a and b as FLINT holds them."""
        return dense(self.a), dense(self.b)


@dataclass(frozen=True)
class Garbling:
    """X ≥ 0 with first · X = second and rows of sum 1; X[i, j] is entry i · (outputs of second) + j
    of the vector."""

    channel: Vector


@dataclass(frozen=True)
class NoGarbling:
    """Payoffs U with Σ U∘second > Σ_i max_j Σ_w U[w, j] first[w, i]: there is no X, for whoever is
    paid U earns more from the second channel. U[w, j] is entry w · (outputs of second) + j."""

    payoff: Vector


def garbling(first: Channel, second: Channel) -> Garbling | NoGarbling:
    """Whether second = first · X for a stochastic X, and the proof.

    Raises ValueError where the channels have different numbers of worlds.
    """
    worlds, inner = first.entries.shape
    if second.entries.shape[0] != worlds:
        raise ValueError(f"channels over {worlds} and {second.entries.shape[0]} worlds")
    scaled: Floats = first.entries.floats(*equilibrate(first.entries)).toarray()
    if inner <= worlds and len(rows := independent(scaled, inner)) == inner:
        with suppress(SingularMatrix):
            return _by_inverse(first, second, rows)
    equations = Equations.of(first, second)
    return _by_newton(equations, _spanning(scaled)) or _by_program(equations)


def _spanning(scaled: Floats) -> Ints:
    """Places of independent rows that span the others, by floats."""
    triangle, order = qr(scaled.T, pivoting=True, mode="r")
    steps = np.abs(np.diag(triangle))
    return np.sort(order[: len(steps)][steps > SMALL * steps.max()])


def _by_inverse(first: Channel, second: Channel, rows: Ints) -> Garbling | NoGarbling:
    """The answer from rows of `first` on which it is regular. Raises SingularMatrix.

    The only candidate is X with first · X = second on these rows, and its signs decide: a negative
    X[i, j] is proved by the multipliers that take X[i, j] out of column j. Row sums are then 1 by
    themselves.
    """
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
    return NoGarbling(Vector({world * outer + wrong[0]: -value for world, value in found}))


def _by_newton(equations: Equations, rows: Ints) -> Garbling | NoGarbling | None:
    """The answer where Newton's method finds one.

    rows  worlds whose rows of `a` are independent, and span the others
    """
    _, inner, outer = equations.sizes
    if len(rows) * inner * outer > MOST:
        return None
    try:
        turned = _Turned.of(equations, rows)
    except np.linalg.LinAlgError:  # independent, but not in floats
        return None
    tried = NEAR
    for candidate in candidates(turned.first, turned.second):
        found = turned.refuted(candidate) or _certain(equations, candidate)
        if not found and candidate.missed < min(NEAR, candidate.channel.min()):
            found = _completed(equations, turned.first, rows, candidate)
        if not found and candidate.missed < tried:
            found = _supported(equations, candidate, determined)
            tried = candidate.missed / FARTHER
        if found:
            return found
    return _supported(equations, candidate, solve) if tried < NEAR else None


@dataclass(frozen=True, eq=False)
class _Turned:
    """The equations of some worlds in floats, multiplied by a matrix T that makes the rows of T·a
    orthonormal: the same problem in better numbers.

    first   T·a
    second  T·b
    back    takes payoffs for these equations to payoffs for the worlds `rows`
    """

    equations: Equations
    rows: Ints
    first: Floats
    second: Floats
    back: Floats

    @staticmethod
    def of(equations: Equations, rows: Ints) -> _Turned:
        """The equations of worlds whose rows of `a` are independent."""
        exponents, _ = equilibrate(equations.a)
        a = equations.a.floats(exponents).toarray()[rows]
        bits = equations.scale.bit_length()  # the scale may be beyond floats
        b = equations.b.floats(exponents - bits).toarray()[rows] / (equations.scale / 2**bits)
        orthonormal, triangle = np.linalg.qr(a.T)
        turn = np.linalg.inv(triangle.T)
        back = turn.T * 2.0 ** exponents[rows, None]
        return _Turned(equations, rows, orthonormal.T.copy(), turn @ b, back)

    def refuted(self, candidate: Candidate) -> NoGarbling | None:
        """The proof by the candidate's payoffs, or by the last step there."""
        worlds, _, outer = self.equations.sizes
        for ray in (candidate.payoff, candidate.last):
            if (ray * self.second).sum() > (self.first.T @ ray).max(axis=1).sum():
                payoff = np.zeros((worlds, outer))
                payoff[self.rows] = self.back @ ray
                if found := _refuting(self.equations, payoff):
                    return found
        return None


def _certain(equations: Equations, candidate: Candidate) -> Garbling | None:
    """The candidate's X rounded to 0 and 1, where it is near, if that is an X."""
    whole = np.rint(candidate.channel)
    if np.abs(candidate.channel - whole).max() > CERTAIN:
        return None
    return _proved(equations, whole.astype(np.int64).tolist(), 1)


def _supported(
    equations: Equations, candidate: Candidate, decide: Callable[[Program], Outcome | None]
) -> Garbling | None:
    """An X whose entries are 0 where the candidate's are nearly so, if `decide` finds one."""
    kept = np.flatnonzero(candidate.channel > FARTHER * candidate.missed)
    program = garbling_program(equations)
    rows = range(program.matrix.shape[0])
    part = replace(program, matrix=program.matrix.take(rows, kept), objective=[0] * len(kept))
    outcome = decide(part)
    if not isinstance(outcome, Optimal):
        return None
    found = outcome.point.numerators.items()
    point = {int(kept[at]): value for at, value in found}
    return Garbling(Vector(point, outcome.point.denominator * equations.scale))


def _refuting(equations: Equations, payoff: Floats) -> NoGarbling | None:
    """The payoffs, rounded to few bits, if they refute; for the rows of `a`."""
    a, b = equations.dense
    top = np.abs(payoff).max()
    if not 0 < top < np.inf:
        return None
    for bits in BITS:
        whole = flint.fmpz_mat([[int(v) for v in row] for row in np.rint(payoff / top * 2.0**bits)])
        gain = sum(int(u) * int(v) for u, v in zip(whole.entries(), b.entries(), strict=True))
        best = sum(max(map(int, row)) for row in (a.transpose() * whole).tolist())
        if equations.scale * best < gain:
            return _unscaled(equations, [int(value) for value in whole.entries()])
    return None


def _unscaled(equations: Equations, payoff: Sequence[int]) -> NoGarbling:
    """Payoffs for the rows of the channels, from those for the rows of `a`."""
    outer, common = equations.b.shape[1], lcm(*equations.factors)
    by = [common // factor for factor in equations.factors]
    return NoGarbling(Vector({at: v * by[at // outer] for at, v in enumerate(payoff) if v}))


def _completed(
    equations: Equations, first: Floats, rows: Ints, candidate: Candidate
) -> Garbling | None:
    """An exact X near the candidate's, if there is one without a negative entry.

    Where k rows of `a` are independent, k rows of X are left to be solved for: those that weigh
    most. The others are rounded, with sum 1; the sums of those that are solved for then follow.
    """
    _, inner, outer = equations.sizes
    near = candidate.channel
    order = qr(first * near.min(axis=1), pivoting=True, mode="r")[1]
    solved, rounded = np.sort(order[: len(rows)]), np.sort(order[len(rows) :])
    fixed = np.rint(near * ONE).astype(np.int64)
    fixed[range(inner), near.argmax(axis=1)] += ONE - fixed.sum(axis=1)
    a, b = equations.a, dense(equations.b.take(rows, range(outer)))
    right = b * ONE
    if len(rounded):
        known = flint.fmpz_mat(fixed[rounded].tolist())
        right -= dense(a.take(rows, rounded)) * known * equations.scale
    try:
        system = flint.fmpq_mat(dense(a.take(rows, solved)))
        numerators, denominator = system.solve(flint.fmpq_mat(right)).numer_denom()
    except ZeroDivisionError:
        return None
    scale = int(denominator) * equations.scale
    table = [[int(value) * scale for value in row] for row in fixed.tolist()]
    for row, values in zip(solved.tolist(), numerators.tolist(), strict=True):
        table[row] = [int(value) for value in values]
    return _proved(equations, table, scale * ONE)


def _proved(equations: Equations, table: list[list[int]], scale: int) -> Garbling | None:
    """The `table` over `scale` if it is stochastic and solves the equations."""
    if any(sum(row) != scale or min(row) < 0 for row in table):
        return None
    a, b = equations.dense
    if a * flint.fmpz_mat(table) * equations.scale != b * scale:
        return None
    outer = len(table[0])
    entries = {i * outer + j: v for i, row in enumerate(table) for j, v in enumerate(row) if v}
    return Garbling(Vector(entries, scale))


def _by_program(equations: Equations) -> Garbling | NoGarbling:
    """The answer by a linear program."""
    outcome = solve(garbling_program(equations))
    if isinstance(outcome, Optimal):
        found = outcome.point
        return Garbling(Vector(found.numerators, found.denominator * equations.scale))
    assert isinstance(outcome, Infeasible)
    return NoGarbling(payoff_of(equations, outcome.multipliers))


def payoff_of(equations: Equations, multipliers: Vector) -> Vector:
    """The multipliers of the equations that give the second channel, as payoffs."""
    cells = equations.b.shape[0] * equations.b.shape[1]
    found = [-multipliers.numerators.get(cell, 0) for cell in range(cells)]
    return _unscaled(equations, found).payoff


def garbling_program(equations: Equations) -> Program:
    """The equations for scale · X, then its row sums.

    Row w · outer + j:   Σ_i a[w, i] · scale · X[i, j] = b[w, j]
    Row worlds · outer + i:   Σ_j scale · X[i, j] = scale
    """
    a, b = equations.a, equations.b
    worlds, inner, outer = equations.sizes
    places = sparse.csr_matrix((range(1, a.nnz + 1), a.indices, a.indptr), a.shape)
    rows = sparse.kron(places, sparse.eye(outer, dtype=np.int64), "csr")
    sums = sparse.kron(sparse.eye(inner), np.full((1, outer), a.nnz + 1), "csr")
    whole = sparse.vstack([rows, sums], "csr")
    right = [0] * (worlds * outer) + [equations.scale] * inner
    cells = b.row_numbers * outer + b.indices
    for cell, value in zip(cells.tolist(), b.values.tolist(), strict=True):
        right[cell] = value
    values = packed([*a.values.tolist(), 1])[whole.data.astype(np.int64) - 1]
    matrix = IntegerMatrix(whole.shape, whole.indptr, whole.indices, values)
    return Program(matrix, np.zeros(len(right), dtype=np.int8), right, [0] * (inner * outer))
