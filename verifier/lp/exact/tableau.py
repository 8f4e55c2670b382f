"""A simplex tableau of integers: every row has its own scale, so that pivots leave rows without
the entering variable alone.

Variables are numbered: column j is j, the slack right_i − (A x)_i of row i is n + i.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from verifier.lp.model.outcome import Basis
from verifier.lp.model.standard import Standard

Entry = tuple[int, int, int]


class Tableau:
    """Rows scale · p + Σ_k alpha_k · z_k = value, p basic and z nonbasic; the last row has the
    objective as p. Starts at the basis of all slacks, moved towards `wanted` if given."""

    def __init__(self, form: Standard, wanted: Basis | None = None) -> None:
        m, self.n = form.matrix.shape
        self.nonbasic = list(range(self.n))
        self.basic = list(range(self.n, self.n + m))
        self.scales = [1] * (m + 1)
        starts, places = form.matrix.indptr.tolist(), form.matrix.indices.tolist()
        entries = form.matrix.values.tolist()
        self.rows = [[0] * self.n + [right] for right in form.right]
        for i, row in enumerate(self.rows):
            for at in range(starts[i], starts[i + 1]):
                row[places[at]] = entries[at]
        self.rows.append([-cost for cost in form.objective] + [0])
        if wanted is not None:
            self._move(wanted)

    def _move(self, wanted: Basis) -> None:
        """Pivot the columns of a basis in, those that depend on others excepted."""
        leaving = {self.n + row for row in wanted.rows.tolist()}
        for column in wanted.columns.tolist():
            at = self.nonbasic.index(column)
            usable = [i for i, p in enumerate(self.basic) if p in leaving and self.rows[i][at]]
            if usable:
                chosen = max(usable, key=lambda i: self.rows[i].count(0))
                leaving.remove(self.basic[chosen])
                self.pivot(self.basic[chosen], column)

    @property
    def basis(self) -> Basis:
        """The present basis."""
        columns = sorted(p for p in self.basic if p < self.n)
        rows = sorted(k - self.n for k in self.nonbasic if k >= self.n)
        return Basis(np.array(columns, dtype=np.int64), np.array(rows, dtype=np.int64))

    def values(self) -> dict[int, tuple[int, int]]:
        """Numerator and denominator of each basic variable."""
        scaled = zip(self.basic, self.rows, self.scales, strict=False)
        return {p: (row[-1], scale) for p, row, scale in scaled}

    def row(self, basic: int) -> tuple[int, dict[int, int], int]:
        """Scale, alphas of the nonbasic variables, and value of a basic variable's row."""
        at = self.basic.index(basic)
        row = self.rows[at]
        return self.scales[at], dict(zip(self.nonbasic, row, strict=False)), row[-1]

    def reduced(self) -> tuple[int, dict[int, int]]:
        """A denominator, and by nonbasic variable the gain of the objective per unit of it."""
        gains = (-alpha for alpha in self.rows[-1])
        return self.scales[-1], dict(zip(self.nonbasic, gains, strict=False))

    def column(self, nonbasic: int) -> dict[int, Entry]:
        """By basic variable: alpha, value and scale of its row, where alpha is not 0."""
        at = self.nonbasic.index(nonbasic)
        scaled = zip(self.basic, self.rows, self.scales, strict=False)
        return {p: (row[at], row[-1], scale) for p, row, scale in scaled if row[at]}

    def pivot(self, leaving: int, entering: int) -> None:
        """Exchange a basic and a nonbasic variable."""
        r, s = self.basic.index(leaving), self.nonbasic.index(entering)
        own = self.rows[r]
        size = abs(own[s])
        own[s], sign = self.scales[r], (1 if own[s] > 0 else -1)
        if sign < 0:
            own = self.rows[r] = [-entry for entry in own]
        self.scales[r] = size
        for i, row in enumerate(self.rows):
            factor = row[s]
            if i == r or not factor:
                continue
            row[s] = 0
            changed = [size * e - factor * o for e, o in zip(row, own, strict=True)]
            scale = self.scales[i] * size
            common = gcd(scale, *changed)
            self.rows[i] = [entry // common for entry in changed] if common > 1 else changed
            self.scales[i] = scale // common
        self.basic[r], self.nonbasic[s] = entering, leaving
