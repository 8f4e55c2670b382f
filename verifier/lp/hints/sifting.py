"""The float oracle for programs with far more columns than rows: most columns stay out.

A restricted program is solved, its multipliers price all columns in one product, the columns that
could improve it enter, and the simplex method goes on from where it was. While the restricted
program is infeasible, its Farkas multipliers price instead. (R. E. Bixby et al., Very large-scale
linear programming, Operations Research 40, 1992.)
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np
import scipy.sparse as sparse

from verifier.lp.hints.oracle import ANSWERS, DUAL, OPTIONS, PRIMAL, TOLERANCE, Oracle
from verifier.lp.model.integers import Floats, Ints, equilibrate
from verifier.lp.model.outcome import Basis
from verifier.lp.model.standard import Standard

FIRST, MORE = 10, 4  # columns to begin with, and most that enter at once, for each row
RATIO, MANY = 40, 5_000  # columns for each row, and columns, from which sifting pays
ROUNDS = 200


def pays(form: Standard) -> bool:
    """Whether a program has so many columns that most should stay out."""
    m, n = form.matrix.shape
    return n > MANY and n > RATIO * m


class Sifting(Oracle):
    """An oracle whose model holds the slacks and those columns that have entered so far."""

    def __init__(self, form: Standard) -> None:
        m, n = form.matrix.shape
        self.rows, self.columns = equilibrate(form.matrix)
        self.slack_rows = np.flatnonzero(form.senses)
        count = len(self.slack_rows)
        self.size = n + count
        self.by_column = form.matrix.floats(self.rows, self.columns).tocsc()
        self.inside = np.zeros(n, dtype=bool)
        self.order = np.zeros(0, dtype=np.int64)  # variables of the model, in its order
        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in OPTIONS.items():
            self.highs.setOptionValue(name, value)
        self.highs.setOptionValue("simplex_iteration_limit", 10_000 + 20 * (m + self.size))
        model = highspy.HighsLp()
        model.num_row_ = m
        model.row_lower_ = model.row_upper_ = np.zeros(m)
        model.a_matrix_.start_ = np.zeros(1, dtype=np.int32)
        self.highs.passModel(model)
        signs = -form.senses[self.slack_rows].astype(float)
        self._add(sparse.csc_matrix((signs, (self.slack_rows, np.arange(count))), (m, count)))
        self.order = np.arange(n, n + count)
        self._enter(np.unique(np.linspace(0, n - 1, min(n, FIRST * m)).astype(np.int64)))

    def solve(self, costs: Floats, lower: Floats, right: Floats) -> str:
        """As of the whole program: no column that is out could change the answer."""
        n = len(self.columns)
        try:
            self._enter(np.flatnonzero((lower[:n] != 0) & ~self.inside))
            self.highs.changeRowsBounds(
                len(right), np.arange(len(right), dtype=np.int32), right, right
            )
            for _ in range(ROUNDS):
                self._set(costs, lower)
                answer = self._run()
                prices = self._prices(answer, right, lower)
                if prices is None:
                    return answer
                gain = self.by_column.T @ prices
                if answer == "optimal":
                    gain += costs[:n]
                wanted = np.flatnonzero((gain > TOLERANCE) & ~self.inside)
                if not len(wanted):
                    return answer
                most = np.argsort(-gain[wanted], kind="stable")[: MORE * len(right)]
                self._enter(wanted[most])
        except RuntimeError:
            pass
        return "failed"

    def basis(self) -> Basis | None:
        """The basis where the last call ended, if HiGHS has one."""
        status, basic = self.highs.getBasicVariables()
        if status != highspy.HighsStatus.kOk:
            return None
        n = len(self.columns)
        variables = self.order[basic[basic >= 0]]
        tight = np.ones(len(self.rows), dtype=bool)
        tight[-1 - basic[basic < 0]] = False
        tight[self.slack_rows[variables[variables >= n] - n]] = False
        return Basis(np.sort(variables[variables < n]), np.flatnonzero(tight))

    def _enter(self, columns: Ints) -> None:
        """Take columns of the program into the model."""
        if len(columns):
            self._add(self.by_column[:, columns])
            self.inside[columns] = True
            self.order = np.concatenate([self.order, columns])

    def _add(self, part: sparse.csc_matrix) -> None:
        count = part.shape[1]
        zero, infinite = np.zeros(count), np.full(count, highspy.kHighsInf)
        starts, indices = part.indptr[:-1].astype(np.int32), part.indices.astype(np.int32)
        self.highs.addCols(count, zero, zero, infinite, part.nnz, starts, indices, part.data)

    def _set(self, costs: Floats, lower: Floats) -> None:
        """Costs and lower bounds of the variables in the model."""
        count = len(self.order)
        places, infinite = np.arange(count, dtype=np.int32), np.full(count, highspy.kHighsInf)
        self.highs.changeColsCost(count, places, -costs[self.order])
        self.highs.changeColsBounds(count, places, lower[self.order], infinite)

    def _run(self) -> str:
        """The answer of the restricted program."""
        for strategy in (PRIMAL, DUAL):
            self.highs.setOptionValue("simplex_strategy", strategy)
            self.highs.run()
            answer = ANSWERS.get(self.highs.getModelStatus())
            if answer is not None:
                return answer
        return "failed"

    def _prices(self, answer: str, right: Floats, lower: Floats) -> Floats | None:
        """What a unit of each row is worth; None where pricing cannot change the answer."""
        if answer == "optimal":
            return np.array(self.highs.getSolution().row_dual)
        ray = self.ray() if answer == "infeasible" else None
        if ray is None:
            return None
        n = len(self.columns)
        missing = right - self.by_column @ lower[:n]
        return ray if ray @ missing > 0 else -ray
