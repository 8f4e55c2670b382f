"""Exact rational solutions from a float solver: digits, residuals, rational reconstruction."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from verifier.lp.model.integers import (
    Floats,
    IntegerMatrix,
    Integers,
    Ints,
    exponents,
    fits_int64,
    join,
    scaled,
)

STEPS = (40, 24, 16, 8)  # bits gained a step; fewer where the float solver is less accurate
SLACK = 14  # bits by which a digit may exceed a step: limbs of the right side grow by the inverse
MOST_BITS = 400_000  # digits after which no more are computed

FloatSolver = Callable[[Floats], Floats]


def lift(
    matrix: IntegerMatrix,
    right: Sequence[int],
    rows: Ints,
    columns: Ints,
    solve: FloatSolver,
) -> tuple[list[int], int] | None:
    """A solution x of matrix · x = right, exact, or None where the float solver leads to none.

    rows, columns    exponents of two that equilibrate the matrix: B = 2^rows · matrix · 2^columns
    solve            v ↦ z with B z ≈ v, in floats (for more rows than columns: least squares)

    Returns numerators and the least common denominator. They satisfy every equation exactly.
    """
    if not any(right):
        return [0] * matrix.shape[1], 1
    lowest = int(columns.min(initial=0))
    shifts = columns - lowest
    balanced = _shifted(matrix, shifts)
    for step in STEPS:
        found = _Digits(balanced, right, rows, lowest, solve, step).solution()
        if found is not None:
            numerators, denominator = found
            return lowest_terms(
                [value << int(shift) for value, shift in zip(numerators, shifts, strict=True)],
                denominator,
            )
    return None


def _shifted(matrix: IntegerMatrix, shifts: Ints) -> IntegerMatrix:
    """The matrix with column j times 2^shifts[j]."""
    if not shifts.any():
        return matrix
    by_entry = shifts[matrix.indices]
    if matrix.values.dtype == np.int64 and matrix.bits + int(shifts.max()) < 62:
        values: Integers | list[int] = matrix.values << by_entry
    else:
        values = [v << s for v, s in zip(matrix.values.tolist(), by_entry.tolist(), strict=True)]
    return IntegerMatrix(matrix.shape, matrix.indptr, matrix.indices, values)


class _Digits:
    """Digits of the solution of one system in base 2^step.

    After k steps, x = 2^top · Σ_j digit_j · 2^(−step·j), up to the solution of
    matrix · y = residual, times 2^(top − step·k). Here top is a multiple of step such that
    |x| < 2^top; the bits of the right-hand side below 2^top enter one limb a step.
    """

    def __init__(
        self,
        matrix: IntegerMatrix,
        right: Sequence[int],
        rows: Ints,
        lowest: int,
        solve: FloatSolver,
        step: int,
    ) -> None:
        self.matrix, self.right, self.rows = matrix, right, rows
        self.lowest, self.solve, self.step = lowest, solve, step

    def solution(self) -> tuple[list[int], int] | None:
        """Numerators and denominator, checked exactly; None where the digits do not converge."""
        step = self.step
        size = self._float(*exponents(self.right))[1]
        if size is None:
            return None
        top = step * max(0, math.ceil((size + 1) / step))
        longest = int(np.diff(self.matrix.indptr).max())
        small = self.matrix.bits + longest.bit_length() <= 58
        residual = self._limb([value >> top for value in self.right], small)
        digits: list[Ints] = []
        attempt = top // step + 1
        while len(digits) * step < MOST_BITS:
            place = top - step * (len(digits) + 1)
            limb = self._below(place, small)
            digit, _ = self._float(*self._wanted(residual, limb))
            if digit is None or np.abs(digit).max() >= 2.0 ** (step + SLACK):
                return None
            whole = np.rint(digit).astype(np.int64)
            residual = (residual << step) + limb - self._product(whole, small)
            digits.append(whole)
            if place < 0 and len(digits) >= attempt:
                found = self._rationals(np.stack(digits[::-1], axis=1), -place)
                if found is not None and self._solves(*found):
                    return found
                if -place > self._enough:
                    return None
                attempt = len(digits) * 6 // 5 + 1
        return None

    @cached_property
    def _enough(self) -> int:
        """Bits after which right digits have led to the rationals: their common denominator is a
        minor of the matrix, at most the product of the lengths of its columns (Hadamard)."""
        places, sizes = self.matrix.indices, np.zeros(self.matrix.shape[1])
        np.maximum.at(sizes, places, [value.bit_length() for value in self.matrix.values.tolist()])
        counts = np.bincount(places, minlength=len(sizes))
        found = float(sizes.sum() + np.log2(np.maximum(counts, 1)).sum() / 2)
        return 2 * math.ceil(found) + 64

    def _rationals(self, digits: Ints, bits: int) -> tuple[list[int], int] | None:
        """The rationals the digits lead to; the first one alone tells whether they suffice."""
        if reconstruct(join(digits[:1], self.step), bits) is None:
            return None
        return reconstruct(join(digits, self.step), bits)

    def _limb(self, values: list[int], small: bool) -> Integers:
        """Integers as a residual."""
        array = fits_int64(values) if small else None
        if array is not None:
            return array
        objects = np.empty(len(values), dtype=object)
        objects[:] = values
        return objects

    def _below(self, place: int, small: bool) -> Integers:
        """The bits of the right-hand side at 2^place and above, below 2^(place + step)."""
        if place < 0:
            return self._limb([0] * len(self.right), small)
        mask = (1 << self.step) - 1
        return self._limb([(value >> place) & mask for value in self.right], small)

    def _wanted(self, residual: Integers, limb: Integers) -> tuple[Floats, Ints]:
        """residual · 2^step + limb as fractions and exponents."""
        if residual.dtype == object:
            return exponents((residual << self.step) + limb)
        values = np.ldexp(residual.astype(float), self.step) + limb.astype(float)
        fraction, exponent = np.frexp(values)
        return fraction, exponent.astype(np.int64)

    def _product(self, whole: Ints, small: bool) -> Integers:
        """matrix · whole: modulo 2^64 where the residual is kept so, else exact."""
        if small:
            return self.matrix.modular_times(whole)
        return self._limb(self.matrix.times(whole.tolist()), False)

    def _float(self, fraction: Floats, exponent: Ints) -> tuple[Floats, int] | tuple[None, None]:
        """The float solution for a right-hand side, and the exponent of its largest entry."""
        exponent = np.where(fraction != 0, exponent + self.rows, -(10**9))
        largest = int(exponent.max())
        if largest <= -(10**8):
            return np.zeros(self.matrix.shape[1]), 0
        found = self.solve(scaled(fraction, exponent - largest))
        size = np.abs(found).max()
        if not np.isfinite(size) or size == 0:
            return None, None
        shift = largest + self.lowest
        total = shift + math.frexp(size)[1]
        return (np.ldexp(found, shift) if abs(total) < 1000 else np.zeros_like(found)), total

    def _solves(self, numerators: list[int], denominator: int) -> bool:
        """Whether matrix · numerators = denominator · right, exactly."""
        product = self.matrix.times(numerators)
        return product == [denominator * value for value in self.right]


def reconstruct(values: Sequence[int], bits: int) -> tuple[list[int], int] | None:
    """Rationals with a common denominator d near values / 2^bits; None where d would be too long.

    Each value may be off by two units. The first rational comes from continued fractions; times
    its denominator, the others are near integers or add a factor. Correct only if checked.
    """
    unit, denominator = 1 << bits, 1
    numerators: list[int] = []
    for value in values:
        product = denominator * value
        part = product & (unit - 1)
        if min(part, unit - part) > 2 * denominator:
            factor = small_denominator(part, bits, 2 * denominator)
            denominator *= factor
            if factor == 0 or 2 * denominator.bit_length() + 10 > bits:
                return None
            numerators = [numerator * factor for numerator in numerators]
            product *= factor
        numerators.append((product + (unit >> 1)) >> bits)
    return numerators, denominator


def small_denominator(part: int, bits: int, error: int) -> int:
    """The first convergent's q with |q · part − p · 2^bits| ≤ q · error; 0 if q > 2^(bits/2)."""
    before, after = 0, 1
    larger, smaller = 1 << bits, part
    most = 1 << (bits // 2)
    while smaller > after * error:
        quotient, rest = divmod(larger, smaller)
        larger, smaller = smaller, rest
        before, after = after, before + quotient * after
        if after > most:
            return 0
    return after


def lowest_terms(numerators: list[int], denominator: int) -> tuple[list[int], int]:
    """The rationals `numerators` / `denominator` with the least common denominator."""
    common = math.gcd(denominator, *numerators)
    if common == 1:
        return numerators, denominator
    return [value // common for value in numerators], denominator // common
