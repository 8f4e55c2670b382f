"""Polynomials whose values are the numbers of exact pivots: of t = e^unit, with signs decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import flint

from verifier.base import exponential
from verifier.base.exponential import Sum

Poly = Any  # of t, as FLINT holds it
ZERO = Fraction(0)
SHORT = 200  # terms of a common denominator
DEGREE = 10_000  # of polynomials whose greatest common divisor is looked for


class Ring:
    """The polynomials of t = e^unit for what all exponents of the numbers are multiples of."""

    def __init__(self, listed: Sequence[Sequence[Fraction]]) -> None:
        """The ring of the numbers of some rows; `rows` has them times what is positive, and
        `scales` these factors."""
        whole = [exponential.shared(values) for values in listed]
        sums = [sum_ for unit, found in whole for sum_ in (unit, *found)]
        different = {Fraction(k, s.unit) for s in sums for k, _ in s.terms} - {Fraction(0)}
        bottom = lcm(1, *(q.denominator for q in different))
        top = gcd(*(q.numerator * (bottom // q.denominator) for q in different))
        self.unit = Fraction(top or 1, bottom)
        self.context = flint.fmpz_mpoly_ctx.get(("t",), "lex")
        self.zero: Poly = self.context.constant(0)
        self.one: Poly = self.context.constant(1)
        self.rows, self.scales = list[list[Poly]](), list[Fraction]()
        for unit, found in whole:
            least = min((Fraction(s.terms[0][0], s.unit) for s in found if s.terms), default=ZERO)
            self.rows.append([self.poly(sum_, least) for sum_ in found])
            self.scales.append(exponential.quotient(unit) * exponential.power(-least))

    def poly(self, sum_: Sum, least: Fraction) -> Poly:
        """A sum times e^-least."""
        terms: dict[tuple[int, ...], Any] = {}
        for k, c in sum_.terms:
            power = (Fraction(k, sum_.unit) - least) / self.unit
            terms[(power.numerator,)] = c
        return self.context.from_dict(terms)

    def sum_of(self, poly: Poly) -> Sum:
        """The value of a polynomial."""
        p, q = self.unit.numerator, self.unit.denominator
        return Sum.of(q, {int(k) * p: int(c) for (k,), c in poly.to_dict().items()})

    def sign(self, poly: Poly) -> int:
        """-1, 0 or 1: that of the value of a polynomial."""
        return self.sum_of(poly).sign() if poly else 0

    def keep(self, polys: Iterable[Poly]) -> None:
        """Take note of polynomials whose signs prove something."""

    def reduced(self, row: list[Poly]) -> list[Poly]:
        """A row times what is positive, in shorter polynomials."""
        common = self.divisor(row[::-1])
        if common.is_one():
            return row
        return [entry // common if entry else entry for entry in row]

    def divisor(self, polys: Iterable[Poly]) -> Poly:
        """A common divisor of polynomials that are not all 0, with a positive value."""
        found = self.zero
        for poly in polys:
            if poly:
                found = self._common(found, poly) if found else poly
                if found.is_one():
                    break
        return -found if self.sign(found) < 0 else found

    def _common(self, one: Poly, other: Poly) -> Poly:
        """The greatest common divisor; of long polynomials one that is easily found."""
        if max(one.degrees()[0], other.degrees()[0]) <= DEGREE:
            return one.gcd(other)
        if one in (other, -other):
            return one
        terms = [*one.to_dict().items(), *other.to_dict().items()]
        least = min(int(k) for (k,), _ in terms)
        return self.context.from_dict({(least,): gcd(*(int(c) for _, c in terms))})

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """The quotient of two values."""
        return exponential.quotient(self.sum_of(top)) / exponential.quotient(self.sum_of(bottom))

    def numbers(self, entries: Iterable[tuple[int, Poly, Poly]]) -> dict[int, Fraction]:
        """By place the quotients of two values other than 0, given by a place, top and bottom.

        Sums are in lowest terms, and quotients over one denominator where it is short: that saves
        whoever adds them up much work.
        """
        lowest = []
        for at, top, bottom in entries:
            if top:
                common = self.divisor((top, bottom))
                lowest.append((at, top // common, bottom // common))
        unit = self.one
        for _, _, bottom in lowest:
            if len(bottom) > 1 and len(unit) <= SHORT:
                unit *= bottom // self.divisor((unit, bottom))
        if len(unit) > SHORT:
            return {at: self.number(top, bottom) for at, top, bottom in lowest}
        return {
            at: self.number(top, bottom)
            if len(bottom) == 1
            else self.number(top * (unit // bottom), unit)
            for at, top, bottom in lowest
        }
