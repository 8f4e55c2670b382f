"""Polynomials whose values are the numbers of exact pivots, with signs decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpq_poly

from verifier.base import quotient
from verifier.base.cell import active
from verifier.base.exponential import powers_of_e
from verifier.base.quotient import Poly

ZERO = Fraction(0)


class Ring:
    """The polynomials of the generators that some numbers are made of; at an irrational point of a
    parameter only the remainders by its own one.

    rows    the polynomials that the numbers of each row are, times what is positive
    scales  these factors
    """

    def __init__(self, listed: Sequence[Sequence[Fraction]]) -> None:
        """The ring of the numbers of some rows."""
        own = quotient.ring_of(value for values in listed for value in values)
        self.own = own or powers_of_e(Fraction(1))
        self.zero, self.one = self.own.constant(0), self.own.one
        cell = active(getattr(self.own, "name", ""))
        self.modulus = fmpq_poly(list(cell.modulus)) if cell and cell.modulus else None
        self.rows, self.scales = list[list[Poly]](), list[Fraction]()
        for values in listed:
            unit, tops = quotient.polynomials(values, self.own)
            self.keep([unit])
            self.rows.append(tops)
            self.scales.append(self.number(unit, self.one))

    def sign(self, poly: Poly) -> int:
        """-1, 0 or 1: that of the value of a polynomial, which only guides."""
        found: int = self.own.look(poly) if poly else 0
        return found

    def keep(self, polys: Iterable[Poly]) -> None:
        """Take note of polynomials whose signs prove something."""
        for poly in polys:
            self.own.keep(poly)

    def reduced(self, row: list[Poly]) -> list[Poly]:
        """A row times what is positive: polynomials without a common factor, or, at an irrational
        point, those of least degree, the last of which is an integer."""
        if self.modulus is None:
            common = self.divisor(row[::-1])
            return row if common.is_one() else [entry and entry // common for entry in row]
        inverse = fmpq_poly(row[-1]).xgcd(self.modulus)[1]
        found = [fmpq_poly(entry) * inverse % self.modulus for entry in row]
        unit = lcm(*(int(entry.denom()) for entry in found))
        return [(entry * unit).numer() for entry in found]

    def divisor(self, polys: Iterable[Poly]) -> Poly:
        """A common divisor of polynomials that are not all 0, with a positive value."""
        found = self.zero
        for poly in polys:
            if poly:
                found = self.own.common(found, poly) if found else poly
                if found.is_one():
                    break
        return -found if self.sign(found) < 0 else found

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """The quotient of two values."""
        found: Fraction = self.own.made(top, bottom)
        return found

    def numbers(self, entries: Iterable[tuple[int, Poly, Poly]]) -> dict[int, Any]:
        """By place the quotients of two values other than 0, given by a place, top and bottom."""
        return {at: self.number(top, bottom) for at, top, bottom in entries if top}
