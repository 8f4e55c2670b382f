"""Polynomials of parameters as the numbers of exact pivots, with their signs in a cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpq_poly

from verifier.base.cell import Symbolic, active
from verifier.base.rational_function import RationalFunction, of_polynomials, polynomials, ring
from verifier.lp.exact.ring import Poly, Ring


class Functions(Ring):
    """The polynomials of a parameter; at an irrational point only the remainders by its own one.

    Symbolic is raised where no cell of the parameter is active.
    """

    def __init__(self, listed: Sequence[Sequence[Fraction]]) -> None:
        name = next(
            value.parameter
            for values in listed
            for value in values
            if isinstance(value, RationalFunction)
        )
        found = active(name)
        if found is None:
            raise Symbolic
        self.cell, self.own = found, ring(name)
        self.zero, self.one = self.own.constant(0), self.own.one
        self.modulus = fmpq_poly(list(found.modulus)) if found.modulus else None
        self.rows, self.scales = list[list[Poly]](), list[Fraction]()
        for values in listed:
            unit, tops = polynomials(values, self.own)
            self.keep([unit])
            self.rows.append(tops)
            self.scales.append(self.number(unit, self.one))

    def sign(self, poly: Poly) -> int:
        """The sign at the sample of the cell."""
        return self.cell.look(self.own.written(poly)) if poly else 0

    def keep(self, polys: Iterable[Poly]) -> None:
        """Record polynomials in the cell."""
        for poly in polys:
            self.cell.sign(self.own.written(poly))

    def reduced(self, row: list[Poly]) -> list[Poly]:
        """A row times what is positive: polynomials without a common factor, or, at an irrational
        point, those of least degree, the last of which is an integer."""
        if self.modulus is None:
            return super().reduced(row)
        inverse = fmpq_poly(row[-1]).xgcd(self.modulus)[1]
        found = [fmpq_poly(entry) * inverse % self.modulus for entry in row]
        unit = 1
        for entry in found:
            unit = lcm(unit, int(entry.denom()))
        return [(entry * unit).numer() for entry in found]

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """The quotient of two polynomials."""
        return of_polynomials(self.own, top, bottom)

    def numbers(self, entries: Iterable[tuple[int, Poly, Poly]]) -> dict[int, Fraction]:
        """By place the quotients other than 0."""
        return {at: self.number(top, bottom) for at, top, bottom in entries if top}

    def _common(self, one: Poly, other: Poly) -> Any:
        return one.gcd(other)
