"""From the float oracle to an exact outcome, for programs with x >= 0.

Iterative refinement (Gleixner, Steffy, Wolter, INFORMS J. on Computing 28, 2016), centred at the
exact point x* and multipliers of the last basis: with x = x* + d the rows become A d = 0, the
costs the exact reduced costs, the bounds d >= -x*; both are magnified until violations are near 1.
"""

from __future__ import annotations

import numpy as np

from verifier.lp.exact.simplex import Corner, is_farkas, products, vector
from verifier.lp.exact.square import SingularMatrix
from verifier.lp.hints.oracle import DUAL, PRIMAL, Oracle
from verifier.lp.model.integers import Floats, Ints, exponents, scaled
from verifier.lp.model.program import Basis, Infeasible, Outcome, Standard, Vector

ROUNDS = 40
CLIP = 1e7  # of magnified costs and bounds that are not violated
SHARPER = 10  # binary orders by which a basis that comes back is magnified further
FARKAS_BITS = 40
UNPROVED = 4  # times that the oracle may find nothing feasible without a proof: it may be wrong


def refined(form: Standard, oracle: Oracle, rounds: int = ROUNDS) -> Outcome | Basis | None:
    """The exact outcome; or else the last basis, if any, for exact pivots to go on from.

    form    the program
    oracle  its float model
    rounds  of refinement at most
    """
    right, nothing = oracle.scaled_right(form.right), np.zeros(oracle.size)
    basis, sharper, unproved = None, 0, 0
    answer = _asked(form, oracle)
    if answer in ("failed", "unbounded"):
        answer = oracle.solve(nothing, nothing, right)
    for turn in range(rounds + 1):
        previous, basis = basis, oracle.basis() or basis
        if answer == "infeasible":
            unproved += 1
            if proof := farkas(form, oracle):
                return proof
        elif answer != "optimal":
            return basis
        if basis is None or unproved > UNPROVED:
            return basis
        corner = Corner(form, basis)
        try:
            if optimum := corner.optimum:
                return optimum
        except SingularMatrix:
            return basis
        if previous is not None and np.array_equal(previous.columns, basis.columns):
            sharper += SHARPER * np.array_equal(previous.rows, basis.rows)
        if turn < rounds:
            costs = magnified(*_reduced_costs(oracle, corner), sharper)
            lower = -magnified(*_point(oracle, corner), sharper, -1)
            methods = PRIMAL if corner.primal.feasible(form) else DUAL
            answer = oracle.solve(costs, lower, np.zeros(len(right)), methods)
    return basis


def floating(form: Standard, oracle: Oracle) -> Vector | None:
    """The best point in floats, up to a positive factor.

    form    the program
    oracle  its float model
    """
    if _asked(form, oracle) != "optimal":
        return None
    fraction, exponent = np.frexp(np.maximum(oracle.point(), 0))
    return unscaled(np.ldexp(fraction, 53).astype(np.int64), exponent + oracle.columns)


def _asked(form: Standard, oracle: Oracle) -> str:
    """What floats answer; the `oracle` remembers for which right sides its basis has a point."""
    costs, right = oracle.scaled_costs(form.objective), oracle.scaled_right(form.right)
    methods = PRIMAL if oracle.met == form.right else DUAL
    answer = oracle.solve(costs, np.zeros(oracle.size), right, methods)
    oracle.met = form.right if answer == "optimal" else None
    return answer


def magnified(fraction: Floats, exponent: Ints, sharper: int, violated: int = 1) -> Floats:
    """fraction · 2^exponent over the largest power of two of an entry with the sign `violated`,
    times 2^`sharper`; entries of the other sign are clipped. Without such entries the largest one
    counts."""
    sized = fraction * violated > 0 if (fraction * violated > 0).any() else fraction != 0
    top = exponent[sized].max(initial=-(2**60))
    values = scaled(fraction, exponent - top + sharper) * violated
    return np.clip(values, -CLIP, CLIP if sharper else None) * violated


def _reduced_costs(oracle: Oracle, corner: Corner) -> tuple[Floats, Ints]:
    """The exact reduced costs of columns and slacks, scaled."""
    multipliers = [0] * len(oracle.rows)
    for row, value in zip(corner.basis.rows.tolist(), corner.dual.values, strict=True):
        multipliers[row] = value
    senses = corner.form.senses.tolist()
    slacks = [multipliers[row] * senses[row] for row in oracle.slack_rows.tolist()]
    fraction, exponent = exponents([*corner.dual.reduced, *slacks])
    return fraction, exponent + oracle.exponents


def _point(oracle: Oracle, corner: Corner) -> tuple[Floats, Ints]:
    """The exact columns and slacks, scaled."""
    columns = [0] * len(oracle.columns)
    for column, value in zip(corner.basis.columns.tolist(), corner.primal.values, strict=True):
        columns[column] = value
    found, senses = corner.primal.slacks, corner.form.senses.tolist()
    slacks = [-senses[row] * found[row] for row in oracle.slack_rows.tolist()]
    fraction, exponent = exponents([*columns, *slacks])
    return fraction, exponent - oracle.exponents


def farkas(form: Standard, oracle: Oracle) -> Infeasible | None:
    """The ray of the `oracle`, rounded, if it proves exactly that the `form` has no point."""
    ray = oracle.ray()
    if ray is None or not np.abs(ray).max(initial=0) > 0:
        return None
    whole = np.rint(ray / np.abs(ray).max() * 2.0**FARKAS_BITS).astype(np.int64)
    for signed in (whole, -whole):
        kept = np.where(signed * form.senses > 0, 0, signed)
        multipliers = unscaled(kept, oracle.rows)
        for proof in (multipliers, inside(form, multipliers)):
            if is_farkas(form, proof):
                return Infeasible(proof)
    return None


def unscaled(values: Ints, rows: Ints) -> Vector:
    """The multipliers `values` · 2^`rows`, as integers."""
    places = np.flatnonzero(values)
    shifts = rows[places] - rows[places].min(initial=2**60)
    shifted = [v << s for v, s in zip(values[places].tolist(), shifts.tolist(), strict=True)]
    return vector(places, shifted)


def inside(form: Standard, multipliers: Vector) -> Vector:
    """The `multipliers` and such rows of the `form` with one sign as make y·A >= 0, if any do."""
    signs = np.sign(form.matrix.values).astype(np.int64)
    m = form.matrix.shape[0]
    balance = np.bincount(form.matrix.row_numbers, signs, minlength=m)
    sizes = np.diff(form.matrix.indptr)
    direction = np.where((balance == sizes) & (sizes > 0) & (form.senses <= 0), 1, 0)
    direction = np.where((balance == -sizes) & (sizes > 0) & (form.senses >= 0), -1, direction)
    rows = np.flatnonzero(direction)
    gains = products(form, rows, direction[rows].tolist())
    values = multipliers.numerators
    found = products(form, np.array(list(values), dtype=np.int64), list(values.values()))
    lacking = [(-y, gain) for y, gain in zip(found, gains, strict=True) if y < 0]
    if not all(gain > 0 for _, gain in lacking):
        return multipliers
    steps = max((-(-lack // gain) for lack, gain in lacking), default=0)
    added = {row: steps * int(direction[row]) for row in rows.tolist()}
    return Vector({row: values.get(row, 0) + added.get(row, 0) for row in {*values, *added}})
