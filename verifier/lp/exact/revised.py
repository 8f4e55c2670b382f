"""The tableau of a basis of a large program, entries computed as they are asked for, by exact
solves with the kernel. The same questions as verifier.lp.exact.tableau."""

from __future__ import annotations

import flint
import numpy as np

from verifier.lp.exact.basis import Corner, products
from verifier.lp.exact.square import PRIMES, SingularMatrix, dense, pivots
from verifier.lp.exact.tableau import Entry
from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.outcome import Basis
from verifier.lp.model.standard import Standard


class Revised:
    """Starts at a basis, or where that is singular at the regular part of it."""

    def __init__(self, form: Standard, wanted: Basis) -> None:
        self.form = form
        self.n = form.matrix.shape[1]
        self._set(wanted)
        try:
            self.corner.kernel.solve([1] * len(wanted.rows))
        except SingularMatrix:
            rows, columns = regular_part(self.corner.kernel.matrix)
            self._set(Basis(wanted.columns[columns], wanted.rows[rows]))

    def _set(self, basis: Basis) -> None:
        self.corner = Corner(self.form, basis)
        self._others = np.setdiff1d(np.arange(self.form.matrix.shape[0]), basis.rows)

    @property
    def basis(self) -> Basis:
        """The present basis."""
        return self.corner.basis

    def values(self) -> dict[int, tuple[int, int]]:
        """Numerator and denominator of each basic variable."""
        found = self.corner.primal
        values = dict(zip(self.basis.columns.tolist(), found.values, strict=True))
        values |= {self.n + row: found.slacks[row] for row in self._others.tolist()}
        return {p: (value, found.denominator) for p, value in values.items()}

    def row(self, basic: int) -> tuple[int, dict[int, int], int]:
        """Scale, alphas of the nonbasic variables, and value of a basic variable's row."""
        columns, rows, other = self.basis.columns, self.basis.rows, basic - self.n
        if other < 0:
            right = (columns == basic).astype(np.int64).tolist()
            values, scale = self.corner.kernel.solve_transposed(right)
        else:
            part = self.form.matrix.take([other], columns)
            right = part.transposed.times([-1])
            values, scale = self.corner.kernel.solve_transposed(right)
            rows, values = np.append(rows, other), [*values, scale]
        alphas = dict(enumerate(products(self.form, rows, values)))
        for column in columns.tolist():
            del alphas[column]
        alphas |= {self.n + row: y for row, y in zip(rows.tolist(), values, strict=True)}
        alphas.pop(basic, None)
        right = self.form.right
        return scale, alphas, sum(y * right[i] for i, y in zip(rows.tolist(), values, strict=True))

    def reduced(self) -> tuple[int, dict[int, int]]:
        """A denominator, and by nonbasic variable the gain of the objective per unit of it."""
        found = self.corner.dual
        gains = dict(enumerate(found.reduced))
        for column in self.basis.columns.tolist():
            del gains[column]
        slacks = zip(self.basis.rows.tolist(), found.values, strict=True)
        return found.denominator, gains | {self.n + row: -y for row, y in slacks}

    def column(self, nonbasic: int) -> dict[int, Entry]:
        """By basic variable: alpha, value and scale of its row, where alpha is not 0."""
        columns, rows, m = self.basis.columns, self.basis.rows, self.form.matrix.shape[0]
        if nonbasic < self.n:
            entering = self.form.matrix.transposed.take([nonbasic], np.arange(m))
            whole = entering.transposed.times([1])
        else:
            whole = (np.arange(m) == nonbasic - self.n).astype(np.int64).tolist()
        change, scale = self.corner.kernel.solve([whole[row] for row in rows.tolist()])
        used = self.corner.used.times(change)
        alphas = dict(zip(columns.tolist(), change, strict=True))
        for row in self._others.tolist():
            alphas[self.n + row] = scale * whole[row] - used[row]
        found, values = {}, self.values()
        for p, alpha in alphas.items():
            if alpha:
                value, denominator = values[p]
                found[p] = (alpha * denominator, value * scale, scale * denominator)
        return found

    def pivot(self, leaving: int, entering: int) -> None:
        """Exchange a basic and a nonbasic variable."""
        basic = {*self.basis.columns.tolist(), *(self.n + self._others).tolist()}
        basic = basic - {leaving} | {entering}
        columns = sorted(p for p in basic if p < self.n)
        rows = [i for i in range(self.form.matrix.shape[0]) if self.n + i not in basic]
        self._set(Basis(np.array(columns, dtype=np.int64), np.array(rows, dtype=np.int64)))


def regular_part(kernel: IntegerMatrix) -> tuple[list[int], list[int]]:
    """Rows and columns of a regular submatrix, as large as the rank modulo a prime."""
    reduced = flint.nmod_mat(dense(kernel), PRIMES[0])
    return pivots(reduced.transpose()), pivots(reduced)
