"""Polynomials of a parameter x and of powers of e, with it in the exponent or not: e + x²·e^(x/2).

Their zeros are counted as those of polynomials are by Budan and Fourier. Let f' − r·f, which has
the sign of the derivative of f·e^(−rx), follow f, with a rate r of f: after as many steps as there
are terms, each one power of x lower, a single term is left. In an open interval f has as many zeros
as sign changes in this chain are lost from its lower end to its upper one, or fewer by an even
number.

At a rational x the numbers e^(qx + r) of different exponents are linearly independent over the
rationals (F. Lindemann 1882), so that a sign is 0 just where all their coefficients are. Let f be
irreducible as a polynomial of x, t = e^(ux) and s = e^v. A rational is a zero of it only where two
exponents are the same, as 0 for e^x − 1, and 1 for e^x − e. Elsewhere only its multiples are 0
where it is: of two polynomials without a common factor a resultant would make x algebraic, and e^x
too; or, of t and s together, algebraic over e (conjectured by S. Schanuel). For the same reason no
such zero is a double one, since f divides its own derivative just where it is t. Nothing is
believed on a conjecture: were it false, two zeros would be compared without end.

    >>> f = ExponentialPolynomial.of({(1, 1, 0): 1, (0, 0, 0): -1})  # x·e^x − 1
    >>> variations(f, Fraction(0), INFINITE), sign_at(f, Fraction(1, 2)), sign_at(f, Fraction(1))
    (1, -1, 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from math import gcd, lcm
from typing import Any

from verifier.base.errors import LimitReached

INFINITE: Any = float("inf")  # the upper end of an interval that has none
MAX_STEPS = 5_000  # of a bisection
Term = tuple[int, Fraction, Fraction]  # the i, q and r of x^i·e^(qx + r)


class ExponentialPolynomial(tuple[tuple[Term, int], ...]):
    """Σ c·x^i·e^(qx + r): each (i, q, r) with its coefficient c other than 0, ascending in q, then
    i, then r."""

    __slots__ = ()

    @classmethod
    def of(cls, terms: Mapping[tuple[int, Any, Any], int]) -> ExponentialPolynomial:
        """The sum of c·x^i·e^(qx + r) over the (i, q, r) -> c of some `terms`."""
        kept = (((i, Fraction(q), Fraction(r)), c) for (i, q, r), c in terms.items() if c)
        return cls(sorted(kept, key=lambda term: (term[0][1], term[0][0], term[0][2])))

    @property
    def coefficients(self) -> tuple[int, ...]:
        """The integers themselves."""
        return tuple(c for _, c in self)

    @property
    def is_constant(self) -> bool:
        """Whether x is not in it."""
        return all(not i and not q for (i, q, _), _ in self)

    @property
    def plain(self) -> list[int]:
        """Integers from the constant term up, of what has no powers of e."""
        known = {i: c for (i, _, _), c in self}
        return [known.get(i, 0) for i in range(max(known, default=-1) + 1)]

    def over(self, divisor: int) -> ExponentialPolynomial:
        """The same divided by a `divisor` of all coefficients."""
        return ExponentialPolynomial((key, c // divisor) for key, c in self)


Units = tuple[Fraction, Fraction]  # the u and v of e^(ux) and e^v; 0 where there are none


def units_of(*polynomials: Sequence[Any]) -> Units:
    """The largest u and v such that in some `polynomials` each exponent of e is a multiple of u
    times x, and one of v."""
    terms = [
        m for one in polynomials if isinstance(one, ExponentialPolynomial) for (_, *m), _ in one
    ]
    return divisor(q for q, _ in terms), divisor(r for _, r in terms)


def divisor(numbers: Iterable[Fraction]) -> Fraction:
    """The largest rational of which some rationals are multiples; 0 where all of them are 0."""
    pairs = [number.as_integer_ratio() for number in numbers]
    bottom = lcm(*(below for _, below in pairs))
    return Fraction(gcd(*(above * (bottom // below) for above, below in pairs)), bottom)


def multiple(number: Fraction, unit: Fraction) -> int:
    """How often a unit is in a multiple of it."""
    return int(number / unit) if number else 0


def sign_at(polynomial: ExponentialPolynomial, x: Fraction) -> int:
    """The sign at a rational, or for all large x where that is infinite."""
    if x == INFINITE:
        leading = [(key, c) for key, c in polynomial if key[:2] == polynomial[-1][0][:2]]
        polynomial, x = ExponentialPolynomial(leading), Fraction(1)
    grouped: dict[Fraction, Fraction] = {}
    for (i, q, r), c in polynomial:
        grouped[q * x + r] = grouped.get(q * x + r, Fraction(0)) + c * x**i
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
    while len({q for (_, q, _), _ in found[-1]}) > 1 or found[-1][-1][0][0]:
        last = found[-1]
        rate = last[0][0][1]  # the least one
        unit = lcm(*((q - rate).denominator for (_, q, _), _ in last))
        terms: dict[Term, int] = {}
        for (i, q, r), c in last:
            terms[i, q, r] = terms.get((i, q, r), 0) + c * int((q - rate) * unit)
            if i:
                terms[i - 1, q, r] = terms.get((i - 1, q, r), 0) + c * i * unit
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
    for (i, q, r), c in polynomial:
        exponent = x * fmpq(q.numerator, q.denominator) + fmpq(r.numerator, r.denominator)
        total += c * x**i * exponent.exp()
    return total


def isolated(
    polynomial: ExponentialPolynomial, low: Fraction, high: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """Rationals around each zero of an irreducible polynomial in an open interval, at neither of
    which it is 0; a rational zero twice.

    low, high  the ends of the interval, of which the upper one may be infinite
    """
    exponents = {tuple(m) for (_, *m), _ in polynomial}
    if any(r for _, r in exponents):
        alike = {(s - r) / (q - p) for (q, r), (p, s) in combinations(exponents, 2) if q != p}
    else:
        alike = set()
    cuts = sorted(x for x in {Fraction(0), *alike} if low < x < high)
    yield from ((x, x) for x in cuts if not sign_at(polynomial, x))
    waiting, steps = list(pairwise([low, *cuts, high])), 0
    while waiting:
        low, high = waiting.pop()
        steps += 1
        if steps > MAX_STEPS:
            raise LimitReached("the zeros of an exponential polynomial are too near to each other")
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
    units = units_of(polynomial)
    _, found = _poly(polynomial, units).factor()
    read = (_read(factor, units) for factor, _ in found)
    return [one for one in read if len(one) > 1]


def have_common_zero(
    one: Sequence[Any], other: Sequence[Any], low: Fraction, high: Fraction
) -> bool:
    """Whether two polynomials have a common factor that changes its sign between two rationals.

    one, other  exponential ones, or integers from the constant term up
    """
    units = units_of(one, other)
    common = read_poly(_poly(one, units).gcd(_poly(other, units)), units)
    return sign_at(common, low) * sign_at(common, high) < 0


def context_of(name: str) -> Any:
    """The polynomials of a parameter of this `name`, of t and of s, for flint."""
    from flint import Ordering, fmpz_mpoly_ctx

    return fmpz_mpoly_ctx.get((name, "t", "s"), Ordering.lex)


def poly_of(polynomial: Sequence[Any], context: Any, units: Units) -> Any:
    """A polynomial for flint, of x, t = e^(ux) and s = e^v.

    polynomial  an exponential one, or integers from the constant term up
    units       u and v
    """
    if isinstance(polynomial, ExponentialPolynomial):
        u, v = units
        return context.from_dict(
            {(i, multiple(q, u), multiple(r, v)): c for (i, q, r), c in polynomial}
        )
    return context.from_dict({(i, 0, 0): c for i, c in enumerate(polynomial) if c})


def read_poly(poly: Any, units: Units) -> ExponentialPolynomial:
    """The polynomial that flint has."""
    u, v = units
    listed = poly.to_dict().items()
    return ExponentialPolynomial.of(
        {(int(i), int(k) * u, int(n) * v): int(c) for (i, k, n), c in listed}
    )


def _poly(polynomial: Sequence[Any], units: Units) -> Any:
    return poly_of(polynomial, context_of("x"), units)


def _read(poly: Any, units: Units) -> Sequence[Any]:
    found = read_poly(poly, units)
    if found.is_constant:
        return ()  # of no zero
    return found if any(q or r for (_, q, r), _ in found) else tuple(found.plain)


def _sign(value: Fraction | int) -> int:
    return (value > 0) - (value < 0)
