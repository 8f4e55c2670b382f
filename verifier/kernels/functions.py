"""Comparisons of the columns of a matrix of rational functions: which one needs the most.

With P and Q two columns, output o has the ratio P_o/Q_o; at a distance k its k-th root counts. Up
to a delta it is events S that count: P(S) <= alpha Q(S) + delta asks for alpha >= (P(S) −
delta)/Q(S).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from verifier.base.cell import Cell, Root
from verifier.base.nouns import Later, dataclass
from verifier.base.rational_function import RationalFunction, function_value, parts
from verifier.kernels import hockey_stick
from verifier.kernels.envelopes import Lead, Poly, coefficients, near, value_at
from verifier.kernels.roots import End, sign_at
from verifier.world.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Function(Later):
    """A quotient of two polynomials."""

    top: Poly
    bottom: Poly

    @classmethod
    def of(cls, number: Fraction) -> Function:
        """A number, which may depend on a parameter."""
        from flint import fmpz_poly

        return cls(*(fmpz_poly(list(part)) for part in parts(number)))

    def __bool__(self) -> bool:
        return bool(self.top)

    def sign(self, x: End) -> int:
        """The sign at a number that is no pole."""
        return sign_at(coefficients(self.top), x) * sign_at(coefficients(self.bottom), x)


@dataclass(frozen=True, eq=False)
class Ratio(Later):
    """Two entries that are compared: P <= alpha^distance Q. The polynomials are in lowest terms
    and of no certain sign; `place` is the pair of columns, and the output."""

    first: Function
    second: Function
    distance: int
    place: tuple[int, int, int]

    @cached_property
    def parts(self) -> tuple[Poly, Poly]:
        """P/Q as a quotient of two polynomials in lowest terms."""
        top, bottom = self.first.top * self.second.bottom, self.second.top * self.first.bottom
        common = top.gcd(bottom)
        return top // common, bottom // common

    def oriented(self, x: End) -> tuple[Poly, Poly]:
        """The same with a denominator that is positive at a number where Q > 0."""
        top, bottom = self.parts
        sign = sign_at(coefficients(bottom), x)
        return (top, bottom) if sign > 0 else (-top, -bottom)


class Ratios:
    """The search for the largest ratio of single outputs."""

    def __init__(
        self, matrix: Mechanism, blocks: Iterable[tuple[np.ndarray, np.ndarray, int]]
    ) -> None:
        """A search among columns.

        matrix  of functions
        blocks  first columns, second columns and distance of pairs that are compared
        """
        self._values = [Function.of(number) for number in matrix.values]
        self.ratios: list[Ratio] = []
        self._impossible: list[Ratio] = []  # where Q is 0 as a function
        seen: set[tuple[int, int, int]] = set()
        for left, right, distance in blocks:
            for p, q, place in _entries(matrix, left, right):
                if (p, q, distance) not in seen and p != q and self._values[p]:
                    seen.add((p, q, distance))
                    ratio = Ratio(self._values[p], self._values[q], distance, place)
                    (self.ratios if ratio.second else self._impossible).append(ratio)

    def zeros(self) -> Iterator[Poly]:
        """Each entry: where it is 0, other comparisons count."""
        found = [one.top for one in self._values if one]
        return iter({coefficients(one): one for one in found}.values())

    def lead(self, x: End) -> Lead:
        """The largest ratio at a number; 1 if none is larger."""
        best = self._unbounded(x)
        if best is not None:
            return best
        best, about = _one(), near(x)
        known = [ratio for ratio in self.ratios if ratio.second.sign(x)]
        for ratio in sorted(known, key=lambda one: -_approximate(one, about)):
            top, bottom = ratio.oriented(x)
            if sign_at(coefficients(_above(top, bottom, ratio.distance, best)), x) > 0:
                best = Lead(top, bottom, ratio.distance, ratio.place)
        return best

    def _unbounded(self, x: End) -> Lead | None:
        for ratio in (*self._impossible, *self.ratios):
            if not ratio.second.sign(x) and ratio.first.sign(x):
                return Lead(ratio.first.top, ratio.first.top * 0, 1, ratio.place)
        return None

    def conditions(self, lead: Lead, x: Fraction) -> Iterator[Poly]:
        """How far the lead is above each ratio, and above 1."""
        if lead.is_infinite:
            return
        yield lead.top - lead.bottom  # the lead is at least 1
        for ratio in sorted(self.ratios, key=lambda one: -_approximate(one, x)):
            top, bottom = ratio.oriented(x)
            yield -_above(top, bottom, ratio.distance, lead)


def _one() -> Lead:
    from flint import fmpz_poly

    return Lead(fmpz_poly([1]), fmpz_poly([1]))


def _above(top: Poly, bottom: Poly, root: int, lead: Lead) -> Poly:
    """A polynomial that is positive where (top/bottom)^(1/root) is above a lead, bottom > 0."""
    return top**lead.root * lead.bottom**root - lead.top**root * bottom**lead.root


def _approximate(ratio: Ratio, x: Fraction) -> float:
    top, bottom = ratio.parts
    below = value_at(bottom, x)
    return float(abs(value_at(top, x) / below)) ** (1 / ratio.distance) if below else 0.0


def _entries(
    matrix: Mechanism, left: np.ndarray, right: np.ndarray
) -> Iterator[tuple[int, int, tuple[int, int, int]]]:
    """The different pairs of codes of two lists of columns, each with a place where it stands."""
    size = len(matrix.values)
    keys = matrix.codes[:, left].astype(np.int64) * size + matrix.codes[:, right]
    present, first = np.unique(keys.reshape(-1), return_index=True)
    for key, at_ in zip(present.tolist(), first.tolist(), strict=True):
        output, pair = divmod(at_, len(left))
        yield key // size, key % size, (int(left[pair]), int(right[pair]), output)


class Events:
    """The search for the level that serves all events, up to a delta."""

    def __init__(
        self, matrix: Mechanism, pairs: Iterable[tuple[int, int]], delta: Fraction
    ) -> None:
        """A search among columns.

        matrix  of functions
        pairs   of columns that are compared
        delta   by which a comparison may be missed, in [0, 1]
        """
        self._matrix, self._delta = matrix, delta
        listed = {(i, j): _counted(matrix, i, j) for i, j in pairs}
        # of pairs with the same entries the first one stands for all
        kept = {frozenset(counts.items()): pair for pair, counts in reversed(listed.items())}
        self._pairs = {pair: listed[pair] for pair in kept.values()}
        self._columns = {k: _Over(matrix, k) for pair in self._pairs for k in pair}
        self._threshold = Function.of(delta)

    def zeros(self) -> Iterator[Poly]:
        """Each entry, delta, and where outputs that only P allows have just that probability."""
        found = {coefficients(top): top for column in self._columns.values() for top in column.tops}
        yield from (top for top in found.values() if top)
        yield self._threshold.top
        for (i, j), counts in self._pairs.items():
            first, second = self._columns[i], self._columns[j]
            mass = sum(
                (times * first.at(p) for (p, q), times in counts.items() if not second.at(q)),
                first.unit * 0,
            )
            yield mass * self._threshold.bottom - first.unit * self._threshold.top

    def lead(self, x: End) -> Lead:
        """The level that the worst pair and event need at a number."""
        with _within((*self._matrix.values, self._delta), x):
            values = [_valued(number, x) for number in self._matrix.values]
            delta = _valued(self._delta, x)
            best: tuple[Any, tuple[int, int] | None] = (Fraction(1), None)
            for pair, counts in self._pairs.items():
                entries = [(values[p], values[q], times) for (p, q), times in counts.items()]
                alpha = hockey_stick.profile(entries).smallest_alpha(delta)
                if alpha is None or alpha > best[0]:
                    best = alpha, pair
                if alpha is None:
                    break
            return self._made(*best, values)

    def _made(self, alpha: Any, pair: tuple[int, int] | None, values: list[Any]) -> Lead:
        """The level of a pair as a function: that of the event which needs it here."""
        if pair is None:
            return _one()
        chosen = [
            (p, q)
            for p, q in self._matrix.codes[:, list(pair)].tolist()
            if values[p] and (not values[q] if alpha is None else values[p] >= alpha * values[q])
        ]
        first, second = (self._columns[k] for k in pair)
        mass = sum((first.at(p) for p, _ in chosen), first.unit * 0)
        below = sum((second.at(q) for _, q in chosen), second.unit * 0)
        top = mass * self._threshold.bottom - first.unit * self._threshold.top
        if alpha is None:
            return Lead(top, top * 0, 1, pair)
        bottom = below * first.unit * self._threshold.bottom
        top *= second.unit
        common = top.gcd(bottom)
        return Lead(top // common, bottom // common, 1, pair)

    def conditions(self, lead: Lead, x: Fraction) -> Iterator[Poly]:
        """For each pair the signs of P − alpha Q at all outputs, and that their sum is not above
        delta; alpha is the lead."""
        if lead.is_infinite:
            return
        yield (lead.top - lead.bottom) * _sign(lead.bottom, x)
        for (i, j), counts in self._pairs.items():
            first, second = self._columns[i], self._columns[j]
            unit = first.unit * second.unit * lead.bottom
            turned = _sign(unit, x)
            excess = unit * 0
            for (p, q), times in counts.items():
                gap = first.at(p) * second.unit * lead.bottom
                gap = (gap - second.at(q) * first.unit * lead.top) * turned
                side = _sign(gap, x)
                yield gap * side if side else gap
                excess += gap * times if side > 0 else 0
            allowed = self._threshold.top * unit * turned - self._threshold.bottom * excess
            yield allowed * _sign(self._threshold.bottom, x)


class _Over:
    """A column over one denominator."""

    def __init__(self, matrix: Mechanism, column: int) -> None:
        codes = set(matrix.codes[:, column].tolist())
        functions = {code: Function.of(matrix.values[code]) for code in codes}
        self.unit = functions[min(codes)].bottom
        for one in functions.values():
            self.unit = self.unit * (one.bottom // self.unit.gcd(one.bottom))
        self._tops = {k: one.top * (self.unit // one.bottom) for k, one in functions.items()}
        self.tops = [one.top for one in functions.values()]

    def at(self, code: int) -> Poly:
        """The numerator of a value over the denominator."""
        return self._tops[code]


def _counted(matrix: Mechanism, i: int, j: int) -> dict[tuple[int, int], int]:
    """The pairs of codes that two columns have at the same output, and how often."""
    return dict(Counter((p, q) for p, q in matrix.codes[:, [i, j]].tolist()))


def _sign(polynomial: Poly, x: Fraction) -> int:
    return sign_at(coefficients(polynomial), x)


def _valued(number: Fraction, x: End) -> Any:
    """What a function is at a number: a rational, or a number of the field of an active point."""
    return number * 1 if isinstance(x, Root) else function_value(number, x)


def _within(numbers: Iterable[Fraction], x: End) -> Any:
    """The field of a point where it is irrational, and some of the numbers depend on it."""
    if not isinstance(x, Root):
        return nullcontext()
    names = [v.parameter for v in numbers if isinstance(v, RationalFunction)]
    return Cell(names[0], x, x, x) if names else nullcontext()
