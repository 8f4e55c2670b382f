"""Polynomials of a parameter x and of powers of e with it in the exponent: 1 + 3·x²·e^(x/2).

Their zeros are counted as those of polynomials are by Budan and Fourier. Let f' − r·f, which has
the sign of the derivative of f·e^(−rx), follow f, with a rate r of f: after as many steps as there
are terms, each one power of x lower, a single term is left. In an open interval f has as many zeros
as sign changes in this chain are lost from its lower end to its upper one, or fewer by an even
number.

At a rational x other than 0 the numbers e^(qx) are linearly independent over the rationals (F.
Lindemann 1882), so that a sign is 0 just where all their coefficients are. Let f be irreducible as
a polynomial of x and t = e^(ux). Where it is 0, and x is not, only its multiples are: of two
polynomials without a common factor a resultant would make x algebraic, and e^x too. For the same
reason no zero other than 0 is a double one, since f divides its own derivative just where it is t.

    >>> f = ExponentialPolynomial.of({(1, 1): 1, (0, 0): -1})  # x·e^x − 1
    >>> variations(f, Fraction(0), INFINITE), sign_at(f, Fraction(1, 2)), sign_at(f, Fraction(1))
    (1, -1, 1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm
from typing import Any

from verifier.base.errors import LimitReached

INFINITE: Any = float("inf")  # the upper end of an interval that has none
MAX_STEPS = 5_000  # of a bisection
Term = tuple[int, Fraction]  # the exponents i and q of x^i·e^(qx)


class ExponentialPolynomial(tuple[tuple[Term, int], ...]):
    """Σ c·x^i·e^(qx): each (i, q) with its coefficient c other than 0, ascending in q, then i."""

    __slots__ = ()

    @classmethod
    def of(cls, terms: Mapping[tuple[int, Any], int]) -> ExponentialPolynomial:
        """The sum of c·x^i·e^(qx) over the (i, q) -> c of some `terms`."""
        kept = (((i, Fraction(q)), c) for (i, q), c in terms.items() if c)
        return cls(sorted(kept, key=lambda term: (term[0][1], term[0][0])))

    @property
    def coefficients(self) -> tuple[int, ...]:
        """The integers themselves."""
        return tuple(c for _, c in self)

    @property
    def is_constant(self) -> bool:
        """Whether x is not in it."""
        return all(not i and not q for (i, q), _ in self)

    def over(self, divisor: int) -> ExponentialPolynomial:
        """The same divided by a `divisor` of all coefficients."""
        return ExponentialPolynomial((key, c // divisor) for key, c in self)


def unit_of(*polynomials: Sequence[Any]) -> Fraction:
    """The largest u such that all exponents of e in some `polynomials` are multiples of it; 1 where
    there is none."""
    rates = [
        q for one in polynomials if isinstance(one, ExponentialPolynomial) for (_, q), _ in one
    ]
    below = lcm(1, *(q.denominator for q in rates))
    return Fraction(gcd(*(int(q * below) for q in rates)) or below, below)


def sign_at(polynomial: ExponentialPolynomial, x: Fraction) -> int:
    """The sign at a rational, or for all large x where that is infinite."""
    if x == INFINITE:
        return _sign(polynomial[-1][1]) if polynomial else 0
    grouped: dict[Fraction, Fraction] = {}
    for (i, q), c in polynomial:
        grouped[q * x] = grouped.get(q * x, Fraction(0)) + c * x**i
    return sign_of(grouped)


def sign_of(number: Mapping[Fraction, Any]) -> int:
    """The sign of a number, exponent of e -> coefficient."""
    signs = {_sign(c) for c in number.values()} - {0}
    if len(signs) < 2:
        return signs.pop() if signs else 0
    from flint import arb, ctx, fmpq

    before, bits = ctx.prec, 64
    try:
        while True:
            ctx.prec = bits
            total = arb(0)
            for rate, part in number.items():
                power = arb(fmpq(rate.numerator, rate.denominator)).exp()
                total += power * arb(fmpq(part.numerator, part.denominator))
            if total > 0 or total < 0:
                return 1 if total > 0 else -1
            bits *= 2
    finally:
        ctx.prec = before


def variations(polynomial: ExponentialPolynomial, low: Fraction, high: Fraction) -> int:
    """How many zeros there may be in an open interval: 0 and 1 are exact.

    low, high  its ends, of which the upper one may be infinite
    """
    chain = _chain(polynomial)
    lost = _changes(chain, low, 1) - _changes(chain, high, -1)
    bounded = lost > 1 and high != INFINITE
    return 0 if bounded and _is_apart(polynomial, low, high) else lost


@lru_cache(maxsize=1000)
def _chain(polynomial: ExponentialPolynomial) -> list[ExponentialPolynomial]:
    """A polynomial other than 0, and what follows it."""
    found = [polynomial]
    while len({q for (_, q), _ in found[-1]}) > 1 or found[-1][-1][0][0]:
        last = found[-1]
        rate = last[0][0][1]  # the least one
        unit = lcm(*((q - rate).denominator for (_, q), _ in last))
        terms: dict[Term, int] = {}
        for (i, q), c in last:
            terms[i, q] = terms.get((i, q), 0) + c * int((q - rate) * unit)
            if i:
                terms[i - 1, q] = terms.get((i - 1, q), 0) + c * i * unit
        made = ExponentialPolynomial.of(terms)
        found.append(made.over(gcd(*made.coefficients)))
    return found


def _changes(chain: Sequence[ExponentialPolynomial], x: Fraction, side: int) -> int:
    """The sign changes of a chain right of a number, where `side` is 1, or left of it."""
    last, found = 0, list[int]()
    for one in reversed(chain):
        last = sign_at(one, x) or side * last
        found.append(last)
    return sum(a != b for a, b in pairwise(found))


def _is_apart(polynomial: ExponentialPolynomial, low: Fraction, high: Fraction) -> bool:
    """Whether a ball shows that there is no zero from `low` to `high`."""
    from flint import arb, fmpq

    middle, radius = (low + high) / 2, (high - low) / 2
    x = arb(
        arb(fmpq(middle.numerator, middle.denominator)),
        arb(fmpq(radius.numerator, radius.denominator)).upper(),
    )
    value = valued(polynomial, x)
    return bool(value > 0 or value < 0)


def valued(polynomial: ExponentialPolynomial, x: Any) -> Any:
    """The value at a ball, as a ball."""
    from flint import arb, fmpq

    total = arb(0)
    for (i, q), c in polynomial:
        total += c * x**i * (x * fmpq(q.numerator, q.denominator)).exp()
    return total


def isolated(
    polynomial: ExponentialPolynomial, low: Fraction, high: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """Rationals around each zero of an irreducible polynomial in an open interval, at neither of
    which it is 0; a zero at 0, the only rational one, twice.

    low, high  the ends of the interval, of which the upper one may be infinite
    """
    waiting, steps = [(low, high)], 0
    while waiting:
        low, high = waiting.pop()
        steps += 1
        if steps > MAX_STEPS:
            raise LimitReached("the zeros of an exponential polynomial are too near to each other")
        if low < 0 < high:
            waiting += [(Fraction(0), high), (low, Fraction(0))]
            if not sign_at(polynomial, Fraction(0)):
                yield Fraction(0), Fraction(0)
            continue
        count = variations(polynomial, low, high)
        if (
            count == 1
            and high != INFINITE
            and sign_at(polynomial, low)
            and sign_at(polynomial, high)
        ):
            yield low, high
        elif count:
            middle = max(2 * low, Fraction(1)) if high == INFINITE else (low + high) / 2
            waiting += [(middle, high), (low, middle)]


def factors(polynomial: ExponentialPolynomial) -> list[Sequence[Any]]:
    """The irreducible factors that may vanish, each once; one without powers of e as integers from
    the constant term up."""
    unit = unit_of(polynomial)
    _, found = _poly(polynomial, unit).factor()
    read = (_read(factor, unit) for factor, _ in found)
    return [one for one in read if len(one) > 1]


def have_common_zero(
    one: Sequence[Any], other: Sequence[Any], low: Fraction, high: Fraction
) -> bool:
    """Whether two polynomials have a common factor that changes its sign between two rationals.

    one, other  exponential ones, or integers from the constant term up
    """
    unit = unit_of(one, other)
    common = _poly(one, unit).gcd(_poly(other, unit))
    found = ExponentialPolynomial.of({(int(i), k * unit): int(c) for (i, k), c in _terms(common)})
    return sign_at(found, low) * sign_at(found, high) < 0


def _terms(poly: Any) -> Iterator[tuple[tuple[int, int], Any]]:
    return (((int(i), int(k)), c) for (i, k), c in poly.to_dict().items())


def _poly(polynomial: Sequence[Any], unit: Fraction) -> Any:
    """A polynomial of x and e^(ux), u the `unit`, for flint."""
    from flint import Ordering, fmpz_mpoly_ctx

    context = fmpz_mpoly_ctx.get(("x", "t"), Ordering.lex)
    if isinstance(polynomial, ExponentialPolynomial):
        return context.from_dict({(i, int(q / unit)): c for (i, q), c in polynomial})
    return context.from_dict({(i, 0): c for i, c in enumerate(polynomial) if c})


def _read(poly: Any, unit: Fraction) -> Sequence[Any]:
    terms = {(i, k * unit): int(c) for (i, k), c in _terms(poly)}
    if any(q for _, q in terms):
        return ExponentialPolynomial.of(terms)
    degree = max(i for i, _ in terms)
    return tuple(terms.get((i, Fraction(0)), 0) for i in range(degree + 1))


def _sign(value: Fraction | int) -> int:
    return (value > 0) - (value < 0)
