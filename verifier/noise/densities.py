"""The density of a number that is a sum of draws, some of which are compared with others.

It is a function of the number: in place of one of its draws the number is put, and all other draws
are integrated. On each piece it is a sum of terms c·y^j·e^(ry), and so, with U = e^(sy), a product
of e^(ry) and a polynomial in U and y. In the basis of Bernstein between two ends its coefficients
are those of functions that are nowhere negative; the first and the last are its values at the ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any

from verifier.base.errors import LimitReached
from verifier.noise.cells import Cells, Form, Key, TooMany
from verifier.noise.events import Basis, Event, Released, Share
from verifier.noise.pieces import NOTHING, Piece, Pieces, Real, exponent
from verifier.noise.sums import Sum, rational
from verifier.noise.trees import Eliminator, Graph

Place = tuple[int, int]
Line = tuple[Any, Any]  # what is put for a variable and for 1, of two new ones


def density(event: Event, released: Released, eliminator: Eliminator) -> Pieces:
    """The density of a number, a sum of draws, where an `event` holds; LimitReached where it has
    too many cells.

    released    the number
    eliminator  of real draws
    """
    terms, constant, times = released
    graph = Graph.of(event)
    graph.fold([i for i, _ in terms])
    if graph.more or len(graph.nodes) > 1:
        found = _of_several(graph, terms, constant, eliminator)
        return _scaled(found.composed(Fraction(times), Fraction(0)), Fraction(times))
    ((i, factor),) = terms
    found = eliminator.function(graph.nodes[i])
    found = found.composed(Fraction(times, factor), Fraction(-constant) / factor)
    return _scaled(found, Fraction(times, abs(factor)))


def _scaled(f: Pieces, factor: Fraction) -> Pieces:
    by = rational(factor)
    return Pieces(
        f.scale, f.breaks, [{key: c.scaled(by) for key, c in p.items()} for p in f.pieces]
    )


def _of_several(graph: Graph, terms: Any, constant: Any, eliminator: Eliminator) -> Pieces:
    """The density of a sum of draws that are compared with one another, or of which there are
    several; one of them is put for by the sum and the others."""
    scale, place = eliminator.scale, {i: k for k, i in enumerate(graph.nodes)}
    size = len(place)
    functions = [eliminator.function(node) for node in graph.nodes.values()]
    factors = [Fraction(0)] * (size + 1)
    for i, factor in terms:
        factors[place[i]] = Fraction(factor)
    first = place[terms[0][0]]
    over = -1 / factors[first]  # draw = over · (the other draws + constant − number)
    line: Form = (
        *(0 if k == first else over * f for k, f in enumerate(factors[:-1])),
        -over,
        over * constant,
    )

    def put(form: Form) -> Form:
        """The form with the line in place of the draw."""
        own = form[first]
        return tuple(
            (Fraction(0) if k == first else c) + own * d
            for k, (c, d) in enumerate(zip(form, line, strict=True))
        )

    given = []
    for parts, shift in graph.conditions():
        form = [Fraction(0)] * (size + 1) + [Fraction(shift)]
        for i, factor in parts:
            form[place[i]] = Fraction(factor)
        given.append(put(tuple(form)))
    cells, found = Cells(scale), Pieces(scale, [], [{}])
    variables = [k for k in range(size) if k != first]
    try:
        for conditions, piece in _pieces(functions, size):
            moved: dict[Key, Sum] = {}
            for key, c in piece.items():
                cells.put(moved, key, c, first, line, rational(1))
            own = [*given, *map(put, conditions)]
            for left, inner in cells.leaves(variables, own, moved):
                found = found.plus(_between(scale, size, left, inner))
    except TooMany as reason:
        raise LimitReached(f"{size} draws are compared beside a released number: {reason}") from None
    return _scaled(found, abs(over))


def _pieces(functions: Any, size: int) -> Iterator[tuple[list[Form], dict[Key, Sum]]]:
    """The products of pieces of functions of `size` draws, with where they are; of one more
    variable too."""
    for choice in product(*(range(len(f.pieces)) for f in functions)):
        found: dict[Key, Sum] = {((), ()): Sum.of(1)}
        conditions: list[Form] = []
        for i, (f, k) in enumerate(zip(functions, choice, strict=True)):
            unit = tuple(Fraction(v == i) for v in range(size + 1))
            if k:
                conditions.append((*unit, -f.breaks[k - 1]))
            if k < len(f.breaks):
                conditions.append((*(-u for u in unit), f.breaks[k]))
            found = {
                ((*rates, rate), (*powers, power)): c * d
                for (rates, powers), c in found.items()
                for (rate, power), d in f.pieces[k].items()
            }
        still = functions[0].scale.still
        yield conditions, {((*r, still), (*p, 0)): c for (r, p), c in found.items()}


def _between(scale: Any, at: int, conditions: list[Form], terms: Any) -> Pieces:
    """Some terms, of one variable alone, where conditions hold; else 0."""
    piece: Piece = {}
    for (rates, powers), c in terms.items():
        key = rates[at], powers[at]
        piece[key] = piece.get(key, NOTHING) + c
    lows = [-form[-1] / form[at] for form in conditions if form[at] > 0]
    highs = [-form[-1] / form[at] for form in conditions if form[at] < 0]
    if any(not form[at] and form[-1] < 0 for form in conditions):
        piece = {}
    kept = {key: c for key, c in piece.items() if c}
    return Pieces(scale, [], [kept]).within(max(lows, default=None), min(highs, default=None))


def share(found: Pieces, one: Share) -> Sum:
    """How much of a density is a function of a basis: its coefficient times the integral."""
    basis: Basis = one.basis
    piece = found.at(basis.low)
    factor = coefficient(piece, basis, one.place, found.scale)
    return factor * _integral(basis, one.place, found.scale) if factor else NOTHING


def coefficient(piece: Piece, basis: Basis, place: Place, scale: Any) -> Sum:
    """The coefficient of a function of a `basis` in some terms."""
    (k, j), total = place, NOTHING
    of_u, of_y = _lines(basis, scale)
    for (rate, power), c in piece.items():
        at = (Fraction(rate, scale.m) - basis.rate) / basis.step if basis.degree else 0
        first = _expanded(of_u, int(at), basis.degree, k)
        total = total + c * first.scaled(_expanded_in_y(of_y, power, basis.power, j))
    return total


def _lines(basis: Basis, scale: Any) -> tuple[tuple[Sum, Sum], tuple[Fraction, Fraction, int]]:
    """U = A·P + B·Q, where 1 = P + Q; and y = a·P + b·Q, where 1 = P + Q or 1 = P."""
    low, high = basis.low, basis.high

    def at(end: Any) -> Sum:
        return NOTHING if end is None else Sum.of(1, exponent(basis.step * end * scale.m))

    if low is not None and high is not None:
        return (at(low), at(high)), (Fraction(low), Fraction(high), 1)
    end, sign = (high, -1) if low is None else (low, 1)
    return (at(low), at(high)), (Fraction(end or 0), Fraction(sign), 0)


def _expanded(line: tuple[Sum, Sum], power: int, degree: int, k: int) -> Sum:
    """The coefficient of P^(degree − k)·Q^k in U^power·(P + Q)^(degree − power)."""
    total = NOTHING
    for i in range(max(0, k - degree + power), min(power, k) + 1):
        term = Sum.of(comb(power, i) * comb(degree - power, k - i))
        for of, times in ((line[0], power - i), (line[1], i)):
            for _ in range(times):
                term = term * of
        total = total + term
    return total


def _expanded_in_y(line: tuple[Fraction, Fraction, int], power: int, degree: int, j: int) -> Any:
    """The same of y, rational."""
    a, b, one = line
    total = Fraction(0)
    for i in range(min(power, j) + 1):
        more = comb(degree - power, j - i) * one if j > i else 1
        total += comb(power, i) * a ** (power - i) * b**i * more
    return rational(total)


@lru_cache(maxsize=2**12)
def _integral(basis: Basis, place: Place, scale: Any) -> Sum:
    """The integral of a function of a `basis` between its ends."""
    (k, j), (of_u, (a, b, both)) = place, _lines(basis, scale)
    step, m = exponent(basis.step * scale.m), scale.m
    (low, high), over = of_u, _over(basis, m)
    of_p: Piece = {(step, 0): over, (0, 0): -high * over}
    of_q: Piece = {(0, 0): low * over, (step, 0): -over}
    shift, up = Sum.of(a), Sum.of(1 / (b - a) if both else b)
    down: Piece = {(0, 1): -up, (0, 0): up.scaled(rational(b))} if both else {(0, 0): Sum.of(1)}
    away: Piece = {(0, 1): up, (0, 0): -(shift * up)}
    parts = [of_p] * (basis.degree - k) + [of_q] * k + [away] * j
    parts += [down] * (basis.power - j) if both else []
    whole: Piece = {(exponent(basis.rate * m), 0): Sum.of(1)}
    for part in parts:
        made: Piece = {}
        for (r, p), c in whole.items():
            for (s, q), d in part.items():
                if d:
                    made[r + s, p + q] = made.get((r + s, p + q), NOTHING) + c * d
        whole = {key: c for key, c in made.items() if c}
    f = Pieces(scale, [], [whole]).within(basis.low, basis.high)
    return f.total()


def _over(basis: Basis, m: int) -> Sum:
    """1/(A − B)."""
    step, low, high = basis.step, basis.low, basis.high
    if low is None or high is None:
        end, sign = (high, -1) if low is None else (low, 1)
        return Sum.of(sign, -exponent(step * (end or 0) * m))
    # A < B, as the step is above 0: 1/(A − B) = −1/B · 1/(1 − A/B)
    width = exponent(step * (high - low) * m)
    return Sum(Sum.of(-1, -exponent(step * high * m)).terms, {width: 1})
