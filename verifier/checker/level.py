"""Comparisons with powers of a level alpha or e^epsilon: always decided, powers never computed."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from .reading import Rejected, fields, items, need, number

ONE = Fraction(1)


@dataclass(frozen=True)
class Level:
    """alpha >= 1; or, where that is None, e^epsilon with epsilon > 0."""

    alpha: Fraction | None
    epsilon: Fraction = ONE

    def compare(self, p: Fraction, q: Fraction, distance: Fraction = ONE) -> int:
        """Whether p is below (-1), at (0) or above (1) alpha^distance q >= 0.

        Equal powers are found by their bases, and e^epsilon is never rational (Lindemann); other
        logarithms differ, which bounds of growing precision show."""
        if self.alpha is not None and distance == 1:
            left = p.numerator * q.denominator * self.alpha.denominator
            right = q.numerator * p.denominator * self.alpha.numerator
            return (left > right) - (left < right)
        if p < q or q == 0 or self.alpha == 1:
            return (p > q) - (p < q)
        ratio, (j, k), bits = Fraction(p, q), distance.as_integer_ratio(), 64
        if self.alpha:
            (m, n), (a, b) = ratio.as_integer_ratio(), self.alpha.as_integer_ratio()
            if equal_powers(m, k, a, j) and equal_powers(n, k, b, j):
                return 0
        while True:
            low, high = logarithm(ratio, bits)
            least = most = self.epsilon * 2**bits
            if self.alpha:
                least, most = map(Fraction, logarithm(self.alpha, bits))
            if k * high < j * least or k * low > j * most:
                return -1 if k * high < j * least else 1
            need(bits < 2**15, "a comparison is too close to be decided")
            bits *= 2


def read_level(level: Any) -> tuple[Level, Fraction]:
    """The level of a claim, epsilon >= 0 or alpha >= 1, and its delta."""
    key = "epsilon" if "epsilon" in level else "exp_epsilon"
    fields(level, f"{key} delta")
    value, delta = number(level[key]), number(level["delta"])
    need(value >= (key == "exp_epsilon") and 0 <= delta <= 1, "a level out of range")
    return Level(None, value) if key == "epsilon" and value else Level(value or ONE), delta


def read_tradeoff(claim: Any) -> list[tuple[Fraction, Fraction]]:
    """Levels alpha >= 1, and a delta for each, of a claim that may have them."""
    points = items(claim["tradeoff"], 2) if "tradeoff" in claim else []
    has = " tradeoff" if points else ""
    fields(claim, f"definition kind verdict digest level leakage{has}")
    found = [(number(alpha), number(delta)) for alpha, delta in points]
    need(all(alpha >= 1 and 0 <= delta <= 1 for alpha, delta in found), "a level out of range")
    return found


def read_vacuous(claim: Any, keys: str, empty: bool) -> None:
    """Refuse other keys of a claim without a level; just where nothing is compared, it has a
    leakage, and says so."""
    fields(claim, f"definition kind verdict digest {keys}" + " leakage" * empty)
    said = not empty or repr(claim["leakage"]) == "{'vacuous': True}"
    need(said, "nothing is compared, which is to be said", Rejected)


def settle(
    leakage: Any,
    level: Level,
    empty: bool,
    holds: Callable[[Level], bool],
    needs: Callable[[Level | None], bool],
    within: bool = False,
    wide: bool = False,
) -> bool:
    """Whether the definition is met at the level, once its leakage is verified from both sides.

    `holds` says whether it is met at another level, `needs` whether the evidence proves that
    nothing smaller will do (None: nothing at all). A level inside the bounds of the leakage is
    decided by `holds` too if it may lie `within`. Bounds may be `wide` if nothing better is known.
    """
    if "vacuous" in leakage or empty:
        said = repr(leakage) == "{'vacuous': True}" and empty
        need(said, "vacuous is said of nothing else", Rejected)
        return True
    if "infinite" in leakage:
        said = repr(leakage) == "{'infinite': True}" and needs(None)
        need(said, "the leakage is not proved infinite", Rejected)
        return False
    first, last = ("lower", "upper") if "lower" in leakage else ("exp_epsilon", "exp_epsilon")
    fields(leakage, f"{first} {last}")
    low, high = number(leakage[first]), number(leakage[last])
    narrow = wide or (high - low) * 10**9 <= low
    need(1 <= low <= high and narrow, "a leakage is at least 1, and narrow")
    need(holds(Level(high)), "the leakage is too small", Rejected)
    need(needs(Level(low)), "the leakage is too large for the witness", Rejected)
    inside = level.compare(low, ONE) <= 0 < level.compare(high, ONE)
    need(within or not inside, "the level is inside the bounds", Rejected)
    return level.compare(high, ONE) <= 0 or (inside and holds(level))


def equal_powers(p: int, k: int, a: int, j: int) -> bool:
    """p^k = a^j for positive integers, by Euclid's algorithm on the exponents: with j = nk + rest,
    it says that a^n divides p and (p / a^n)^k = a^rest."""
    while k:
        n, rest = divmod(j, k)
        if n * (a.bit_length() - 1) > p.bit_length() or p % a**n:
            return False
        p, k, a, j = a, rest, p // a**n, k
    return a == 1


def logarithm(x: Fraction, bits: int) -> tuple[int, int]:
    """low <= 2^bits ln x <= high for x >= 1. Take square roots until ln y < 2^-terms; then
    ln y = 2 (z + z^3/3 + z^5/5 + …) with z = (y - 1) / (y + 1), the rest below the next power."""
    terms, one = isqrt(bits), 1 << bits
    roots = terms + x.numerator.bit_length().bit_length()
    low = (x.numerator << bits) // x.denominator
    high = low + 1
    for _ in range(roots):
        low, high = isqrt(low << bits), isqrt(high << bits) + 1

    def series(y: int, up: int) -> int:
        z = ((y - one) << bits) // (y + one) + up
        found, power, square = 0, z, (z * z >> bits) + up
        for k in range(1, 2 * terms, 2):
            found, power = found + power // k + up, (power * square >> bits) + up
        return found + up * power << roots + 1

    return series(low, 0), series(high, 1)
