"""Whether a product of powers is below, at or above 1: always decided, powers never computed."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import gcd

from .level import logarithm
from .reading import afford, need

ZERO = Fraction(0)


def sign(powers: Iterable[tuple[Fraction, int]], minus: Fraction = ZERO) -> int:
    """The sign of the sum of k ln r over all (r, k), r > 0, minus a number.

    The r are products of powers of pairwise coprime integers b > 1, which gcds find. Then the
    product is 1 exactly if no b is left (unique factorisation), and it is e^minus for no other
    rational number but 0 (Lindemann). The sign of what is not 0 shows in bounds of growing
    precision."""
    exponents: Counter[int] = Counter()
    for r, k in powers:
        exponents[r.numerator] += k
        exponents[r.denominator] -= k
    base = _coprime({n: k for n, k in exponents.items() if k})
    bits = 64
    while base or minus:
        bounds = [(k, *_logarithm(b, bits)) for b, k in base.items()]
        if sum(k * (low if k > 0 else high) for k, low, high in bounds) > minus * 2**bits:
            return 1
        if sum(k * (high if k > 0 else low) for k, low, high in bounds) < minus * 2**bits:
            return -1
        need(bits < 2**15, "a comparison is too close to be decided")
        bits *= 2
    return 0


def _coprime(exponents: dict[int, int]) -> dict[int, int]:
    """The same product of n^k, k != 0, by pairwise coprime n > 1."""
    found: dict[int, int] = {}
    left, steps = list(exponents.items()), 0
    while left:
        n, k = left.pop()
        bits = n.bit_length()
        steps += len(found) * (bits // 10 + bits * bits // 60000)
        afford(steps)
        for b in found if n > 1 else ():
            common = gcd(n, b)
            if common > 1:
                e = found.pop(b)
                left += [(common, k + e), (n // common, k), (b // common, e)]
                break
        else:
            if n > 1:
                found[n] = k
    return {b: e for b, e in found.items() if e}


@lru_cache(maxsize=2**12)
def _logarithm(n: int, bits: int) -> tuple[int, int]:
    return logarithm(Fraction(n), bits)
