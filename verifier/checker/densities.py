"""Shares of the density of a number that is a sum of draws: in place of a draw the number is put.

The density is a sum of terms c y^p e^(ry) on each piece. On a cell, between two ends or beyond one,
it is a combination of functions that are nowhere negative: e^(rate y) times powers of
(U − B)/(A − B) and (U − A)/(B − A), where U = e^(step y) has the values A and B at the ends, 0 far
out, or U = y; and powers of the distance to a single end, or of |V|/R and 1 − |V|/R. V is what
Taylor's polynomial of ln(U) about the anchor leaves of y; it has one sign, and |V| <= R. A share is
a coefficient times the integral of its function.
"""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb
from typing import Any

from .document import kept, need, spend
from .functions import NOTHING, Kind, Sum, constant, exponent
from .integrals import (
    ORIGIN,
    Event,
    Factor,
    Form,
    Forms,
    Key,
    Kinds,
    Law,
    Piece,
    Terms,
    Work,
    add,
    compared,
    placed,
    replaced,
    solved,
    span,
    tidied,
    times,
)
from .numbers import Poly

Basis = tuple[Any, ...]  # two ends; rate and step; degree, power, anchor, order


def part_of(work: Work, event: Event) -> Sum:
    """The coefficient of a function in the density, times the integral of that function."""
    laws, given, (line, basis, place) = event
    kinds = tuple(Kind("real", work.m) for _ in line[0])
    cell, found, key = tidied(span(kinds[-1], *basis[0]), kinds[-1:]) or (), NOTHING, event[:2]
    if (key, line) not in work.densities:
        work.densities[key, line] = _density(work, laws, given, line, kinds)
    for forms, terms in work.functions[work.densities[key, line]][1]:
        both = tidied((*forms, *cell), kinds[-1:])
        if both is not None:
            need({form[:2] for form in both} == {form[:2] for form in cell}, "a density changes")
            found = found + _coefficient(terms, basis, place, kinds[-1])
    return found * _integral(basis, place, kinds[-1]) if found else NOTHING


def _density(work: Work, laws: tuple[Law, ...], given: Forms, line: Form, kinds: Kinds) -> int:
    """The function that the density of the number is: all other draws are integrated."""
    need(all(name in ("laplace", "exponential", "interval") for name, _ in laws), "a real draw")
    put, height = solved(line), constant(Fraction(-line[0][-1], abs(line[0][0])))
    pieces: list[Piece] = []
    for forms, terms in placed(work.functions[work.density(laws[0])][1], (0,), kinds):
        cell = tidied((_without(form, line) for form in forms), kinds[1:])
        moved = replaced(terms, 0, put, kinds)
        if cell is not None:
            pieces.append((cell, {key[1:]: c * height for key, c in moved.items()}))
    factors: list[Factor] = [(work.made(kinds[1:], pieces), tuple(range(1, len(kinds))))]
    factors += [(work.density(law), (i,)) for i, law in enumerate(laws) if i]
    for own, shift, strict in given:
        form = _without(((*own, 0), shift, strict), line)
        draws = tuple(i for i, c in enumerate(form[0], 1) if c)
        short = (tuple(form[0][i - 1] for i in draws), *form[1:])
        factors.append((work.indicator(short, tuple(kinds[i] for i in draws)), draws))
    while len(left := work.kinds_of(factors)) > 1:
        spend(10 * len(left) * len(factors))
        beside = {x: work.kinds_of([f for f in factors if x in f[1]]) for x in left}
        y = min((len(beside[x]), x) for x in left if x < len(laws))[1]
        about = [factor for factor in factors if y in factor[1]]
        factors = [factor for factor in factors if y not in factor[1]] + [work.without(y, about)]
    return reduce(work.both, (number for number, draws in factors if draws))


def _without(form: Form, line: Form) -> Form:
    """The form with the number in place of the first draw."""
    given, shift, strict = compared(form, line, form[2])
    return given[1:], shift, strict


def _coefficient(terms: Terms, basis: Basis, place: Any, kind: Kind) -> Sum:
    """The coefficient of a function of a basis in some terms."""
    (low, high), (rate, step), (n, power, _, _) = basis
    (k, j), found, single = place, NOTHING, None in (low, high)
    for ((r, p),), c in terms.items():
        at = Fraction(Fraction(r, kind.m) - rate, step or 1)
        need(at.denominator == 1 and 0 <= at <= n and (step or not at), "a rate of the basis")
        need(p <= power or not (single or step), "a power of the basis")
        for i in range(min(p, j) + 1):
            if single:
                end, sign = (high, -1) if low is None else (low, 1)
                factor, inner = sign**i * end ** (p - i) * (i == j), 0
            else:
                factor, inner = comb(power - i, j - i) * (_room(basis) ** i if i else 1), p - i
            if factor:
                row = _row(basis, int(at), inner, kind)
                found = found + c * row[k] * constant(Fraction(comb(p, i) * factor))
    return found


@kept
def _row(basis: Basis, at: int, inner: int, kind: Kind) -> list[Sum]:
    """The coefficients in powers of U, and of y without what is left of it, by k."""
    parts = [_ends(basis, kind) for _ in range(at)] + [_taylor(basis, kind) for _ in range(inner)]
    more = basis[2][0] - sum(len(part) - 1 for part in parts)
    need(more >= 0, "a degree of the basis")
    found = [constant(1)]
    for part in parts + [[constant(1)] * 2] * more:
        made = [NOTHING] * (len(found) + len(part) - 1)
        for (i, c), (k, d) in product(enumerate(found), enumerate(part)):
            made[i + k] = made[i + k] + c * d
        found = made
    return found


def _ends(basis: Basis, kind: Kind) -> list[Sum]:
    """The values of U at both ends, 0 at an infinite one."""
    step = basis[1][1] * kind.m
    return [NOTHING if end is None else constant(1, exponent(step * end)) for end in basis[0]]


def _room(basis: Basis) -> Fraction:
    """The bound of what is left of y, with the sign of that."""
    (low, high), (_, step), (_, _, anchor, order) = basis
    sign, over = -1 if anchor or order % 2 else 1, order + 1
    return sign * Fraction((Fraction(7, 4) * step * (high - low)) ** over, over * step)


def _taylor(basis: Basis, kind: Kind) -> list[Sum]:
    """The coefficients of y without what is left of it, between two ends, by k."""
    (low, high), (_, step), (_, _, anchor, order) = basis
    if not step:
        return [constant(low), constant(high)]
    sign, power = -1 if anchor else 1, constant(1)
    other = constant(1, exponent(sign * step * (high - low) * kind.m)) + constant(-1)
    found = [constant((high if anchor else low) * comb(order, i)) for i in range(order + 1)]
    for r in range(1, order + 1):
        power = power * other
        for i in range(r, order + 1):
            slope = Fraction((-1) ** (r + 1) * comb(order - r, i - r), r * step)
            found[i] = found[i] + power * constant(slope)
    return found[::sign]


@kept
def _integral(basis: Basis, place: Any, kind: Kind) -> Sum:
    """The integral of a function of a basis."""
    (low, high), (rate, step), (n, power, _, _) = basis
    (k, j), kinds, at = place, (kind,), exponent(step * kind.m)
    y: Key = ((0, 1),)
    u: Key = ((at, 0),)
    still: Key = ((0, 0),)
    parts: list[Terms] = []
    if n and not step:
        over = Fraction(1, high - low)
        parts += [{y: constant(-over), still: constant(high * over)}] * (n - k)
        parts += [{y: constant(over), still: constant(-low * over)}] * k
    elif n:
        a, b = _ends(basis, kind)
        if None in (low, high):
            one = low or high or ORIGIN
            unit = constant(-1 if low is None else 1, -exponent(step * one * kind.m))
        else:
            below = {exponent(step * (high - low) * kind.m): 1}
            unit = Sum(Poly({-exponent(step * high * kind.m): -1}), 1, below)
        minus = unit * constant(-1)
        parts += [{u: unit, still: b * minus}] * (n - k) + [{u: minus, still: a * unit}] * k
    if None in (low, high):
        end, sign = (high, -1) if low is None else (low, 1)
        parts += [{y: constant(sign), still: constant(-sign * end)}] * j
    elif power:
        left = _left(basis, kind)
        rest: Terms = {still: constant(1)}
        add(rest, left, -1)
        parts += [left] * j + [rest] * (power - j)
    whole: Terms = {((exponent(rate * kind.m), 0),): constant(1)}
    for part in parts:
        whole = times(whole, {key: c for key, c in part.items() if c}, kinds)
    first, last = (None if end is None else ((0,), end) for end in (low, high))
    return Work(kind.m).between(whole, first, last, kinds).get((), NOTHING)


def _left(basis: Basis, kind: Kind) -> Terms:
    """What is left of y between two ends, as a part of its bound."""
    (low, high), (_, step), (_, _, anchor, order) = basis
    room, end = _room(basis), high if anchor else low
    at, still = exponent(step * kind.m), ((0, 0),)
    x: Terms = {((at, 0),): constant(1, -exponent(step * end * kind.m)), still: constant(-1)}
    found: Terms = {((0, 1),): constant(Fraction(1, room))}
    add(found, {still: constant(Fraction(end, room))}, -1)
    power: Terms = {still: constant(1)}
    for r in range(1, order + 1):
        power = times(power, x, (kind,))
        slope = constant(Fraction((-1) ** r, r * step * room))
        add(found, {key: c * slope for key, c in power.items()})
    return found
