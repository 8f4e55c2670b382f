"""Programs whose equations leave one candidate: x ≥ 0 with A x = b, A of full column rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sparse

from verifier.lp.exact.square import Refutation, SingularMatrix, Solution, independent, unique
from verifier.lp.model.integers import Floats, IntegerMatrix, Ints, equilibrate, exponents, scaled
from verifier.lp.model.program import Basis, Infeasible, Optimal, Program, Vector

LARGEST = 800  # columns of one block: beyond, the digits of exact solutions take too long
NEGATIVE = -1e-6  # a float this far below 0, in a vector with entries up to 1, is no rounding


def determined(program: Program) -> Optimal | Infeasible | None:
    """The outcome of a program that its equations decide; None where they may not.

    Concerns programs without objective, with equations only, x ≥ 0 and at least as many rows as
    columns. Floats choose the rows that determine x, and which of its parts to look at first; the
    decision is exact (`unique`).
    """
    m, n = program.matrix.shape
    bounded = program.lower is not None or program.upper is not None
    if m < n or n == 0 or bounded or program.senses.any() or any(program.objective):
        return None
    order = np.arange(m)
    found = blocks(program.matrix, order) or blocks(program.matrix, order[::-1])
    try:
        answer = None if found is None else _System(program.matrix, program.right).decided(found)
    except SingularMatrix:
        return None
    if answer is None:
        return None
    if isinstance(answer, Refutation):
        return Infeasible(answer.multipliers)
    rows = np.sort(np.concatenate([block.rows for block in found or []]))
    return Optimal(answer.point, Fraction(0), Vector({}), Basis(np.arange(n), rows))


@dataclass(frozen=True, eq=False)
class Block:
    """Columns that share rows, and those rows."""

    rows: Ints
    columns: Ints


def blocks(matrix: IntegerMatrix, order: Ints) -> list[Block] | None:
    """The blocks of a matrix, each with as many rows as columns at least; None where one has fewer
    rows, or too many columns.

    Rows are taken in this order, and a row joins the blocks it meets to one. A row that meets
    several blocks which all have enough rows is left out: they decide what it could say.
    """
    n = matrix.shape[1]
    block = np.arange(n)
    members: dict[int, Ints] = {}
    rows: dict[int, list[int]] = {}
    size, height = np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for row in order.tolist():
        met = block[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]]
        if not len(met):
            continue
        first = int(met[0])
        if (met != first).any():
            met = np.unique(met)
            if (height[met] >= size[met]).all():
                continue
            names = met.tolist()
            joined = np.concatenate([members.pop(b, np.array([b])) for b in names])
            if len(joined) > LARGEST:
                return None
            first = names[0]
            rows[first] = [row for b in names for row in rows.pop(b, [])]
            members[first], block[joined] = joined, first
            size[first], height[first] = len(joined), len(rows[first])
        rows.setdefault(first, []).append(row)
        height[first] += 1
    names = np.unique(block).tolist()
    if any(height[b] < size[b] for b in names):
        return None
    return [Block(np.array(rows[b]), np.sort(members.get(b, np.array([b])))) for b in names]


class _System:
    """The equations A x = b, exact and as floats."""

    def __init__(self, matrix: IntegerMatrix, right: Sequence[int]) -> None:
        self.matrix, self.right = matrix, right

    @cached_property
    def floats(self) -> tuple[sparse.csr_matrix, Floats]:
        """Matrix and right-hand side, equilibrated."""
        rows, columns = equilibrate(self.matrix)
        fraction, exponent = exponents(self.right)
        exponent = np.where(fraction != 0, exponent + rows, -(2**40))
        return self.matrix.floats(rows, columns), scaled(fraction, exponent - exponent.max())

    def decided(self, found: list[Block]) -> Solution | Refutation | None:
        """The exact answer: a block `found` that floats refute decides, else all together."""
        matrix, right = self.floats
        chosen = []
        for block in found:
            part = matrix[block.rows][:, block.columns].toarray()
            places = independent(part, len(block.columns))
            if len(places) < len(block.columns):
                return None
            candidate = np.linalg.solve(part[places], right[block.rows[places]])
            if candidate.min() < NEGATIVE * np.abs(candidate).max():
                refuted = self._refuted(block, places)
                if refuted is not None:
                    return refuted
            chosen.append(block.rows[places])
        return unique(self.matrix, self.right, np.sort(np.concatenate(chosen)))

    def _refuted(self, block: Block, places: Ints) -> Refutation | None:
        """The proof that one block has no solution, if so."""
        local = self.matrix.take(block.rows, block.columns)
        answer = unique(local, [self.right[i] for i in block.rows.tolist()], places)
        if not isinstance(answer, Refutation):
            return None
        multipliers = answer.multipliers
        turned = {int(block.rows[i]): value for i, value in multipliers.numerators.items()}
        return Refutation(Vector(turned, multipliers.denominator))
