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
        *(Fraction(0) if k == first else over * f for k, f in enumerate(factors[:-1])),
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
        raise LimitReached(
            f"{size} draws are compared beside a released number: {reason}"
        ) from None
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
    assert isinstance(found.scale, Real)
    factor = coefficient(found.at(basis.low), basis, one.place, found.scale)
    return factor * _integral(basis, one.place, found.scale) if factor else NOTHING


def coefficient(piece: Piece, basis: Basis, place: Place, scale: Real) -> Sum:
    """The coefficient of a function of a `basis` in some terms."""
    (k, j), total = place, NOTHING
    finite = basis.low is not None and basis.high is not None
    for (rate, power), c in piece.items():
        at = int((Fraction(rate, scale.m) - basis.rate) / basis.step) if basis.step else 0
        for i in range(min(j, power) + 1):  # of the powers of y that of what is left of it
            if finite:
                room = basis.sign * basis.room if i else 1
                left = Fraction(comb(basis.power - i, j - i)) * room**i
                inner = power - i
            else:
                end, sign = _one_end(basis)
                left, inner = (sign**i * end ** (power - i) if i == j else Fraction(0)), 0
            if left:
                row = _bernstein(basis, at, inner, scale)
                total = total + (c * row[k]).scaled(rational(Fraction(comb(power, i) * left)))
    return total


def _one_end(basis: Basis) -> tuple[Fraction, int]:
    """The finite end, or 0, and the sign of the distance to it."""
    if basis.low is not None:
        return Fraction(basis.low), 1
    return Fraction(basis.high or 0), -1


@lru_cache(maxsize=2**12)
def _bernstein(basis: Basis, power: int, of_y: int, scale: Real) -> list[Sum]:
    """The coefficients of P^(degree − k)·Q^k in a power of U, and of y without what is left of it,
    where P + Q = 1."""
    one = [Sum.of(1), Sum.of(1)]
    factors = [_ends(basis, scale) for _ in range(power)]
    factors += [_taylor(basis, scale) for _ in range(of_y)]
    found = [Sum.of(1)]
    factors += [one] * (basis.degree - sum(len(factor) - 1 for factor in factors))
    for factor in factors:
        made = [NOTHING] * (len(found) + len(factor) - 1)
        for i, c in enumerate(found):
            for k, d in enumerate(factor):
                made[i + k] = made[i + k] + c * d
        found = made
    return found


def _ends(basis: Basis, scale: Real) -> list[Sum]:
    """The values of e^(step · y) at both ends."""
    return [
        NOTHING if end is None else Sum.of(1, exponent(basis.step * end * scale.m))
        for end in (basis.low, basis.high)
    ]


def _taylor(basis: Basis, scale: Real) -> list[Sum]:
    """The coefficients of y, without what is left of it, between two finite ends."""
    low, high, order = basis.low, basis.high, basis.order
    assert low is not None and high is not None
    if not basis.step:
        return [Sum.of(low), Sum.of(high)]
    sign = -1 if basis.anchor else 1  # x is its value at the other end times P, or Q
    width = exponent(basis.width * scale.m)
    other = Sum.of(1, sign * width) - Sum.of(1)
    found, power = [Sum.of(high if basis.anchor else low)] * (order + 1), Sum.of(1)
    found = [c.scaled(rational(comb(order, i))) for i, c in enumerate(found)]
    for r in range(1, order + 1):
        power = power * other
        slope = Fraction((-1) ** (r + 1), r) / basis.step
        for i in range(r, order + 1):
            found[i] = found[i] + power.scaled(rational(slope * comb(order - r, i - r)))
    return found[::sign]


@lru_cache(maxsize=2**12)
def _integral(basis: Basis, place: Place, scale: Real) -> Sum:
    """The integral of a function of a `basis` between its ends."""
    (k, j), low, high = place, basis.low, basis.high
    of_p, of_q = _factors(basis, scale)
    parts = [of_p] * (basis.degree - k) + [of_q] * k
    if low is None or high is None:
        end, sign = _one_end(basis)
        parts += [{(0, 1): Sum.of(sign), (0, 0): Sum.of(-sign * end)}] * j
    elif basis.power:
        left = _left(basis, scale)
        rest = {key: -c for key, c in left.items()}
        rest[0, 0] = rest[0, 0] + Sum.of(1)
        parts += [rest] * (basis.power - j) + [left] * j
    whole: Piece = {(exponent(basis.rate * scale.m), 0): Sum.of(1)}
    for part in parts:
        whole = _product(whole, part)
    return Pieces(scale, [], [whole]).within(low, high).total()


def _product(one: Piece, other: Piece) -> Piece:
    made: Piece = {}
    for (r, p), c in one.items():
        for (s, q), d in other.items():
            made[r + s, p + q] = made.get((r + s, p + q), NOTHING) + c * d
    return {key: c for key, c in made.items() if c}


def _left(basis: Basis, scale: Real) -> Piece:
    """What is left of y between two ends, as a part of its bound."""
    anchor = (basis.high if basis.anchor else basis.low) or 0
    step = exponent(basis.step * scale.m)
    x: Piece = {(step, 0): Sum.of(1, -exponent(basis.step * anchor * scale.m)), (0, 0): Sum.of(-1)}
    found: Piece = {(0, 1): Sum.of(1), (0, 0): Sum.of(-anchor)}
    power: Piece = {(0, 0): Sum.of(1)}
    for r in range(1, basis.order + 1):
        power = _product(power, x)
        slope = rational(Fraction((-1) ** r, r) / basis.step)
        for key, c in power.items():
            found[key] = found.get(key, NOTHING) + c.scaled(slope)
    return {key: c.scaled(rational(basis.sign / basis.room)) for key, c in found.items()}


def _factors(basis: Basis, scale: Real) -> tuple[Piece, Piece]:
    """(U − B)/(A − B) and (U − A)/(B − A)."""
    low, high, step = basis.low, basis.high, basis.step
    if not basis.degree:
        return {}, {}
    if not step:
        assert low is not None and high is not None
        over = Fraction(1) / (high - low)
        first, other = Sum.of(over), Sum.of(-over)
        return (
            {(0, 1): other, (0, 0): Sum.of(high * over)},
            {(0, 1): first, (0, 0): Sum.of(-low * over)},
        )
    (a, b), rate = _ends(basis, scale), exponent(step * scale.m)
    if low is None or high is None:
        end, _ = _one_end(basis)
        unit = Sum.of(-1 if low is None else 1, -exponent(step * end * scale.m))
    else:  # A < B, and 1/(A − B) = −1/B · 1/(1 − A/B)
        width = exponent(step * (high - low) * scale.m)
        unit = Sum(Sum.of(-1, -exponent(step * high * scale.m)).terms, {width: 1})
    return {(rate, 0): unit, (0, 0): -(b * unit)}, {(rate, 0): -unit, (0, 0): a * unit}
