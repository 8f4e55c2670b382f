"""Bounds of powers of e and of logarithms, and signs of sums of logarithms: always exact, and no
power of a rational is ever computed.

What cannot be decided in reasonable time is an ArithmeticError, and `check` refuses it.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import gcd, isqrt
from typing import Any

from .document import kept, spend

MOST_BITS = 2**15  # of logarithms


def settled(bounds: Callable[[int], tuple[Any, Any]], most: int) -> int:
    """The sign of a number other than 0, by its `bounds` with ever more binary digits, at `most` so
    many."""
    bits = 64
    while bits <= most:
        low, high = bounds(bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        bits *= 2
    raise ArithmeticError("a comparison is too close to be decided")


def sign(powers: Iterable[tuple[Fraction, int]], minus: Fraction = Fraction(0)) -> int:
    """The sign of the sum of k ln r over all (r, k) of `powers`, `minus` a number.

    Powers are never computed. What is not 0 shows in bounds of growing precision. If the r are
    products of powers of pairwise coprime integers b > 1, then the product is 1 exactly if no b is
    left (unique factorisation), and it is e^minus for no other rational number but 0 (Lindemann).
    """
    exponents: Counter[int] = Counter()
    for r, k in powers:
        exponents[r.numerator] += k
        exponents[r.denominator] -= k
    base = coprime({n: k for n, k in exponents.items() if k})

    def bounds(bits: int) -> tuple[Any, Any]:
        ends = [[k * end for end in logarithm(Fraction(b), bits)] for b, k in base.items()]
        return sum(map(min, ends)) - minus * 2**bits, sum(map(max, ends)) - minus * 2**bits

    return settled(bounds, MOST_BITS) if base or minus else 0


def coprime(exponents: dict[int, int]) -> dict[int, int]:
    """The same product of n^k by pairwise coprime n > 1, k != 0."""
    found: dict[int, int] = {}
    left = list(exponents.items())
    while left:
        n, k = left.pop()
        bits = n.bit_length()
        spend(10 + len(found) * (2 + bits // 10 + bits * bits // 60_000))
        b = next((b for b in found if gcd(n, b) > 1), None)
        if b is None:
            found |= {n: k} if n > 1 else {}
        else:
            common, e = gcd(n, b), found.pop(b)
            (u, n), (v, b) = divided(n, common), divided(b, common)
            left += [(common, u * k + v * e), (n, k), (b, e)]
    return {b: e for b, e in found.items() if e}


def divided(n: int, by: int) -> tuple[int, int]:
    """How often a number > 1 divides n, and what is left; by its powers of two, four, … first."""
    if n % by:
        return 0, n
    times, rest = divided(n, by * by)
    return (2 * times, rest) if rest % by else (2 * times + 1, rest // by)


@kept
def logarithm(x: Fraction, bits: int) -> tuple[int, int]:
    """low <= 2^`bits` ln `x` <= high for x >= 1.

    Take square roots until ln y < 2^-terms; then ln y = 2 (z + z^3/3 + z^5/5 + …) with
    z = (y - 1) / (y + 1), the rest below the next power."""
    long = x.numerator.bit_length() + x.denominator.bit_length()
    terms, one = isqrt(bits), 1 << bits
    spend((40 + 2 * terms) * (10 + bits // 300 + bits**2 // 70000) + long * (long + bits) // 70000)
    roots = terms + x.numerator.bit_length().bit_length()
    low, high = ((x.numerator << bits) // x.denominator + up for up in (0, 1))
    for _ in range(roots):
        low, high = isqrt(low << bits), isqrt(high << bits) + 1

    def series(y: int, up: int) -> int:
        z = ((y - one) << bits) // (y + one) + up
        found, power, square = 0, z, (z * z >> bits) + up
        for k in range(1, 2 * terms, 2):
            found, power = found + power // k + up, (power * square >> bits) + up
        return found + up * power << roots + 1

    return series(low, 0), series(high, 1)


@kept
def enclosure(n: int, d: int, bits: int) -> tuple[int, int]:
    """Integers at most 2^bits · e^(n/d) and at least that, for n >= 0; by the series of a quotient
    that is halved, with `wide` numbers."""
    halved = (n // d).bit_length() + 4
    wide = bits + 2 * halved + 2 * (n // d) + 8
    terms, size = wide // (halved + wide.bit_length() - 6), n.bit_length() + d.bit_length()
    spend(60 + terms * (10 + (wide >> 11) + (wide * size >> 17)) + halved * (wide * wide >> 17))
    term, low, k = 1 << wide, 0, 0
    while term:
        low, k = low + term, k + 1
        term = term * n // ((d << halved) * k)
    # a term lost less than 2, and the rest is less than 4, as the exponent is below 1/16
    high = low + (2 * k + 4 if n else 0)
    for _ in range(halved):
        low, high = low * low >> wide, -(-high * high >> wide)
    return low >> (wide - bits), -(-high >> (wide - bits))
