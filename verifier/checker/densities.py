"""Shares of the density of a number that is a sum of draws: in place of a draw the number is put."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from math import comb
from typing import Any

from . import reading as read
from .document import fields, index, items, need, prove, spend
from .functions import NOTHING, Kind, Sum, constant, exponent
from .noise import (
    LAWS,
    Event,
    Factor,
    Terms,
    Work,
    between,
    compared,
    form_of,
    placed,
    replaced,
    solved,
    span,
    stated,
    tidied,
    times,
)
from .numbers import Poly
from .reading import Model

MOST = 200  # degree of a basis
Basis = tuple[Any, ...]  # two ends, rate and step, degrees


def read_share(said: Any, size: int) -> Any:
    """A form that is 0 of draws and a number, and the function of a basis that is told of it."""
    number, ends, rates, degrees, place = items([said], 5)[0]
    terms, shift, unit = items([number], 3)[0]
    factors, over, _ = form_of(terms, shift, size)
    need(factors[0], "the first draw is part of the number")
    low, high = (None if end is None else read.number(end) for end in items([ends], 2)[0])
    rate, step = read.numbers(rates)
    (n, power), (k, j) = (tuple(index(x, MOST) for x in items([two], 2)[0]) for two in (degrees, place))
    need(k <= n and j <= power and (low, high) != (None, None), "a function of the basis")
    need(low is None or high is None or low < high, "ends ascend")
    need((step > 0) == bool(n and high is not None) and (step < 0) == bool(n and high is None), "a step")
    line = (*factors, -index(unit, read.CODES, low=1)), over, False
    return line, ((low, high), (rate, step), (n, power)), (k, j)


def check_ends(model: Model, witness: Any) -> None:
    """Reject rows of a `model` that no one function of a basis makes, and a witness whose row is no
    density at an end of a basis."""
    listed, sums = stated(model, LAWS)
    known: dict[int, set[Any]] = {}
    for value, terms in sums:
        made = {tuple(listed[event][2][1:] for event in parts if listed[event][2]) for _, parts in terms}
        known.setdefault(value, set()).update(made if len(made) == 1 else ())
    rows = zip(*model.table.columns, strict=True)
    for output, row in enumerate(rows):
        spend(20 * len(row))
        own = [known[code] for code in {*row} if code in known]
        functions = set.intersection(*own)
        prove(functions, "a row is no function of a basis")
        if witness is not None and witness["output"] == output:
            prove(any(map(_is_end, functions)), "the witness is no density")


def _is_end(function: Any) -> bool:
    """Whether it is no function, or one whose coefficients are densities at an end."""
    if not function:
        return True
    (((low, _), _, (n, power)), place), = function
    return place in ((0, 0 if low is not None else power), (n, power if low is not None else 0))


def part_of(work: Work, event: Event) -> Sum:
    """The coefficient of a function in the density, times the integral of that function."""
    laws, given, (line, basis, place) = event
    kinds = (*(Kind("real", work.m) for _ in laws), Kind("real", work.m))
    (low, high), _, _ = basis
    cell = tidied(span(kinds[-1], low, high), kinds[-1:]) or ()
    found = NOTHING
    key = laws, given, line
    if key not in work.densities:
        work.densities[key] = _density(work, laws, given, line, kinds)
    for forms, terms in work.functions[work.densities[key]][1]:
        both = tidied((*forms, *cell), kinds[-1:])
        if both is not None:
            need({form[:2] for form in both} == {form[:2] for form in cell}, "a density changes")
            found = found + _coefficient(terms, basis, place, kinds[-1])
    return found * _integral(basis, place, kinds[-1]) if found else NOTHING


def _density(work: Work, laws: Any, given: Any, line: Any, kinds: Any) -> int:
    """The function that the density of the number is: all other draws are integrated."""
    need(all(name in ("laplace", "exponential", "interval") for name, _ in laws), "a real draw")
    size, put = len(laws), solved(line)
    pieces = []
    for forms, terms in placed(work.functions[work.density(laws[0])][1], (0,), kinds):
        cell = tidied((_without(form, line) for form in forms), kinds[1:])
        moved = replaced(terms, 0, put, kinds)
        height = constant(Fraction(-line[0][-1], abs(line[0][0])))
        if cell is not None:
            pieces.append((cell, {key[1:]: c * height for key, c in moved.items()}))
    factors: list[Factor] = [(work.made(kinds[1:], pieces), tuple(range(1, size + 1)))]
    factors += [(work.density(law), (i,)) for i, law in enumerate(laws) if i]
    for factors_of, shift, strict in given:
        form = _without(((*factors_of, 0), shift, strict), line)
        draws = tuple(i for i, c in enumerate(form[0], 1) if c)
        short = (tuple(form[0][i - 1] for i in draws), *form[1:])
        factors.append((work.indicator(short, tuple(kinds[i] for i in draws)), draws))
    while len(left := work.kinds_of(factors)) > 1:
        y = min((len(work.kinds_of([f for f in factors if x in f[1]])), x) for x in left if x < size)[1]
        about = [factor for factor in factors if y in factor[1]]
        factors = [factor for factor in factors if y not in factor[1]] + [work.without(y, about)]
    return reduce(work.both, (number for number, draws in factors if draws))


def _without(form: Any, line: Any) -> Any:
    """The form with the number in place of the first draw."""
    given, shift, strict = compared(form, line, form[2])
    return given[1:], shift, strict


def _coefficient(terms: Terms, basis: Basis, place: Any, kind: Kind) -> Sum:
    """The coefficient of a function of a basis in some terms."""
    (low, high), (rate, step), (n, power) = basis
    (k, j), found = place, NOTHING
    for ((r, p),), c in terms.items():
        at = n and (Fraction(r, kind.m) - rate) / step
        need(at in range(n + 1) and p <= power and (n or Fraction(r, kind.m) == rate), "a basis")
        of_u = NOTHING
        for i in range(max(0, k - n + int(at)), min(int(at), k) + 1):
            ends = _power(low, step, int(at) - i, kind) * _power(high, step, i, kind)
            of_u = of_u + ends * constant(comb(int(at), i) * comb(n - int(at), k - i))
        of_y = sum(
            (comb(p, i) * comb(power - p, j - i) * low ** (p - i) * high**i for i in range(min(p, j) + 1))
            if None not in (low, high)
            else [comb(p, j) * (high if low is None else low) ** (p - j) * (-1) ** (j * (low is None))]
            if p >= j
            else []
        )
        found = found + c * of_u * constant(of_y)
    return found


def _power(end: Any, step: Fraction, times: int, kind: Kind) -> Sum:
    """The power of U at an end, which is 0 at an infinite one."""
    if end is None or not times:
        return constant(int(not times))
    return constant(1, exponent(step * end * times * kind.m))


@lru_cache(maxsize=2**12)
def _integral(basis: Basis, place: Any, kind: Kind) -> Sum:
    """The integral of a function of a basis."""
    (low, high), (rate, step), (n, power) = basis
    (k, j), at = place, exponent(step * kind.m)
    a, b = _power(low, step, 1, kind), _power(high, step, 1, kind)
    if None in (low, high):
        end, sign = (high, -1) if low is None else (low, 1)
        over = constant(sign, -exponent(step * end * kind.m))
        away, down = {((0, 0),): constant(-sign * end), ((0, 1),): constant(sign)}, None
    else:
        over = Sum(Poly({-exponent(step * high * kind.m): -1}), 1, {exponent(step * (high - low) * kind.m): 1})
        unit = 1 / (high - low)
        away = {((0, 0),): constant(-low * unit), ((0, 1),): constant(unit)}
        down = {((0, 0),): constant(high * unit), ((0, 1),): constant(-unit)}
    minus = constant(-1)
    parts = [{((at, 0),): over, ((0, 0),): b * over * minus}] * (n - k)
    parts += [{((at, 0),): over * minus, ((0, 0),): a * over}] * k + [away] * j
    parts += [down] * (power - j) if down else []
    whole: Terms = {((exponent(rate * kind.m), 0),): constant(1)}
    for part in parts:
        whole = times(whole, {key: c for key, c in part.items() if c}, (kind,))
    ends = (None if end is None else ((0,), end) for end in (low, high))
    return between(whole, *ends, (kind,)).get((), NOTHING)
