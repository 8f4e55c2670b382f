"""The float oracle: HiGHS on the equality form, which stays hot between calls.

It guides and decides nothing. Rows and slacks are scaled by powers of two; every row that is no
equation has its slack as a column of its own, so that refined costs and bounds fit all variables.

For programs with far more columns than rows most columns stay out (`Sifting`): a restricted
program is solved, its multipliers price all columns in one product, the columns that could improve
it enter, and the simplex method goes on from where it was. While the restricted program is
infeasible, its Farkas multipliers price instead. (R. E. Bixby, J. W. Gregory, I. J. Lustig, R. E.
Marsten and D. F. Shanno, Very large-scale linear programming, Operations Research 40, 1992.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sparse

from verifier.lp.model.integers import Floats, Ints, equilibrate, exponents, scaled
from verifier.lp.model.program import Basis, Standard

FIRST, MORE = 10, 4  # columns to begin with, and most that enter at once, for each row
RATIO, MANY = 40, 5_000  # columns for each row, and columns, from which sifting pays
ROUNDS = 200

TOLERANCE = 1e-9
# HiGHS gives one option two meanings. Where entries are loaded, smaller ones are dropped; where it
# runs, a proof of infeasibility counts only if the round-off of all its columns together is
# smaller: with SMALLEST it finds such proofs, and refuses them.
SMALLEST, ROUND_OFF = 1e-12, 1e-7
LONG, DEVEX = 10_000, 1  # rows from which pivots are chosen by devex: steepest edges take too long
OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "presolve": "off",
    "threads": 1,
    "simplex_scale_strategy": 0,
    "small_matrix_value": SMALLEST,
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
}
DUAL, PRIMAL = (1, 4), (4, 1)  # simplex methods: the one that begins, and the other if it fails
BASIC, LOWER = highspy.HighsBasisStatus.kBasic, highspy.HighsBasisStatus.kLower
ANSWERS = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
    highspy.HighsModelStatus.kUnbounded: "unbounded",
}


class Quiet(highspy.Highs):
    """HiGHS without a word on standard output."""

    def enableCallbacks(self) -> None:
        """Be silent first: HiGHS 1.16 says its name when it is made, before options are read."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


class Oracle:
    """A float model of programs with the same matrix and senses. Variables are the n columns, then
    the slacks of the rows `slack_rows`, which are >= 0 (the sign of those of rows >= is turned)."""

    def __init__(self, form: Standard) -> None:
        m, n = form.matrix.shape
        self.rows, self.columns = equilibrate(form.matrix)
        self.slack_rows = np.flatnonzero(form.senses)
        self.met: Sequence[int] | None = None  # right sides that the point of the basis satisfies
        signs = -form.senses[self.slack_rows].astype(float)
        count = len(self.slack_rows)
        self.size = n + count
        slacks = sparse.csr_matrix((signs, (self.slack_rows, np.arange(count))), (m, count))
        whole = sparse.hstack([form.matrix.floats(self.rows, self.columns), slacks]).tocsc()
        self.highs: Any = Quiet()  # type: ignore[no-untyped-call]
        for name, value in OPTIONS.items():
            self.highs.setOptionValue(name, value)
        self.highs.setOptionValue("simplex_iteration_limit", 10_000 + 20 * (m + self.size))
        none, zeros, infinite = (
            np.array([], dtype=np.int32),
            np.zeros(self.size),
            _infinite(self.size),
        )
        self.highs.addRows(m, np.zeros(m), np.zeros(m), 0, none, none, np.array([]))
        parts = whole.nnz, whole.indptr[:-1], whole.indices, whole.data
        self.highs.addCols(self.size, zeros, zeros, infinite, *parts)
        if m > LONG:
            self.highs.setOptionValue("simplex_dual_edge_weight_strategy", DEVEX)
        start = highspy.HighsBasis()  # of all slacks, which are columns here
        start.col_status = [LOWER] * n + [BASIC] * count
        start.row_status = [LOWER if sense else BASIC for sense in form.senses.tolist()]
        start.valid = True
        self.highs.setBasis(start)

    @property
    def exponents(self) -> Ints:
        """Scaled variable = variable · 2^-exponent, up to a common factor."""
        return np.concatenate([self.columns, -self.rows[self.slack_rows]])

    def solve(
        self, costs: Floats, lower: Floats, right: Floats, methods: tuple[int, ...] = DUAL
    ) -> str:
        """maximise `costs` · z subject to the rows with these `right` sides and z >= `lower`, all
        scaled: one of optimal, infeasible, unbounded, failed. PRIMAL suits where the basis has a
        feasible point, and only costs have changed."""
        m, size = len(right), self.size
        try:
            self.highs.changeColsCost(size, np.arange(size, dtype=np.int32), -costs)
            upper = _infinite(size)
            self.highs.changeColsBounds(size, np.arange(size, dtype=np.int32), lower, upper)
            self.highs.changeRowsBounds(m, np.arange(m, dtype=np.int32), right, right)
            return self._run(methods)
        except RuntimeError:
            return "failed"

    def _run(self, methods: tuple[int, ...]) -> str:
        """The answer of the first of these simplex methods that has one."""
        self.highs.setOptionValue("small_matrix_value", ROUND_OFF)
        for strategy in methods:
            self.highs.setOptionValue("simplex_strategy", strategy)
            self.highs.run()
            answer = ANSWERS.get(self.highs.getModelStatus())
            if answer is not None:
                return answer
        return "failed"

    def scaled_costs(self, objective: Sequence[int]) -> Floats:
        """The objective as floats of at most 1; no costs of slacks."""
        costs = normalised(*exponents(objective), self.columns)
        return np.concatenate([costs, np.zeros(len(self.slack_rows))])

    def scaled_right(self, right: Sequence[int]) -> Floats:
        """The right sides as floats of at most 1."""
        return normalised(*exponents(right), self.rows)

    def point(self) -> Floats:
        """The scaled columns where the last call ended."""
        return np.array(self.highs.getSolution().col_value)[: len(self.columns)]

    def basis(self) -> Basis | None:
        """The basis where the last call ended, if HiGHS has one."""
        status, basic = self.highs.getBasicVariables()
        if status != highspy.HighsStatus.kOk:
            return None
        m, n = len(self.rows), len(self.columns)
        tight = np.ones(m, dtype=bool)
        tight[-1 - basic[basic < 0]] = False
        tight[self.slack_rows[basic[basic >= n] - n]] = False
        return Basis(np.sort(basic[(basic >= 0) & (basic < n)]), np.flatnonzero(tight))

    def ray(self) -> Floats | None:
        """Multipliers of the scaled rows that prove them infeasible, if HiGHS has any."""
        _, found, values = self.highs.getDualRay()
        return np.array(values) if found else None


def normalised(fraction: Floats, exponent: Ints, shift: Ints) -> Floats:
    """fraction · 2^(exponent + shift), over the largest power of two that occurs."""
    exponent = exponent + shift
    top = exponent[fraction != 0].max(initial=-(2**60))
    return scaled(fraction, exponent - top)


def _infinite(size: int) -> Floats:
    return np.full(size, highspy.kHighsInf)


def pays(form: Standard) -> bool:
    """Whether a program, `form`, has so many columns that most should stay out."""
    m, n = form.matrix.shape
    return n > MANY and n > RATIO * m


class Sifting(Oracle):
    """An oracle whose model holds the slacks and those columns that have entered so far."""

    def __init__(self, form: Standard) -> None:
        m, n = form.matrix.shape
        self.rows, self.columns = equilibrate(form.matrix)
        self.slack_rows = np.flatnonzero(form.senses)
        self.met: Sequence[int] | None = None
        count = len(self.slack_rows)
        self.size = n + count
        self.by_column = form.matrix.floats(self.rows, self.columns).tocsc()
        self.inside = np.zeros(n, dtype=bool)
        self.order = np.zeros(0, dtype=np.int64)  # variables of the model, in its order
        self.highs: Any = Quiet()  # type: ignore[no-untyped-call]
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

    def solve(
        self, costs: Floats, lower: Floats, right: Floats, methods: tuple[int, ...] = PRIMAL
    ) -> str:
        """As of the whole program: no column that is out could change the answer for `costs`,
        `lower` and `right`."""
        n = len(self.columns)
        try:
            self._enter(np.flatnonzero((lower[:n] != 0) & ~self.inside))
            self.highs.changeRowsBounds(
                len(right), np.arange(len(right), dtype=np.int32), right, right
            )
            for _ in range(ROUNDS):
                self._set(costs, lower)
                answer = self._run(PRIMAL)
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

    def point(self) -> Floats:
        """The scaled columns where the last call ended."""
        point, n = np.zeros(self.size), len(self.columns)
        point[self.order] = self.highs.getSolution().col_value
        return point[:n]

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
        self.highs.setOptionValue("small_matrix_value", SMALLEST)
        self.highs.addCols(count, zero, zero, infinite, part.nnz, starts, indices, part.data)

    def _set(self, costs: Floats, lower: Floats) -> None:
        """Costs and lower bounds of the variables in the model."""
        count = len(self.order)
        places, infinite = np.arange(count, dtype=np.int32), np.full(count, highspy.kHighsInf)
        self.highs.changeColsCost(count, places, -costs[self.order])
        self.highs.changeColsBounds(count, places, lower[self.order], infinite)

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
