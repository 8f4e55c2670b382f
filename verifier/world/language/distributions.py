"""Finite distributions with exact probabilities: what `draw` takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verifier.world.language.operations import need_integer, need_number
from verifier.world.language.values import MAX_BITS, Failure, brief, is_number, number, show

MAX_OUTCOMES = 100_000


@dataclass(frozen=True)
class Distribution:
    """Distinct outcomes with positive probabilities that sum to 1."""

    outcomes: tuple[Any, ...]
    probabilities: tuple[int | Fraction, ...]


def _distribution(pairs: Iterable[tuple[Any, int | Fraction]]) -> Distribution:
    """Equal outcomes are added up, those with probability 0 left out."""
    total: dict[Any, int | Fraction] = {}
    for outcome, probability in pairs:
        if probability:
            total[outcome] = number(total.get(outcome, 0) + probability)
    return Distribution(tuple(total), tuple(total.values()))


def table(*parts: Any) -> Distribution:
    """`{value: probability, …}`, given as value, probability, value, probability, …

    Values that turn out equal are added up. Raises Failure S311 unless every probability lies in
    [0, 1] and they sum to exactly 1.
    """
    values, probabilities = parts[::2], parts[1::2]
    for value, p in zip(values, probabilities, strict=True):
        if not is_number(p) or not 0 <= p <= 1:
            raise Failure("S311", f"the probability of {show(value)} is {show(p)}, not in [0, 1]")
        if isinstance(value, Distribution):
            raise Failure("S311", "a distribution cannot be drawn from a distribution")
    total = number(sum(probabilities))
    if total != 1:
        off = f"off by {abs(1 - total)}"
        raise Failure("S311", f"the probabilities sum to {total}, must be 1 ({off})")
    return _distribution(zip(values, probabilities, strict=True))


def uniform(a: Any, b: Any) -> Distribution:
    """Each whole number from a to b, inclusive, with the same probability."""
    need_integer(a, "uniform")
    need_integer(b, "uniform")
    _check_range(a, b, "uniform")
    size = b - a + 1
    return _distribution((value, number(Fraction(1, size))) for value in range(a, b + 1))


def bernoulli(p: Any) -> Distribution:
    """1 with probability p, else 0."""
    if not is_number(p) or not 0 <= p <= 1:
        raise Failure("S311", f"the probability of bernoulli is {show(p)}, not in [0, 1]")
    return _distribution([(1, p), (0, number(1 - p))])


def geometric(center: Any, ratio: Any, low: Any, high: Any) -> Distribution:
    """center + Z, clamped to [low, high], with P(Z = z) = (1−ρ)/(1+ρ)·ρ^|z| on all integers.

    The tails are exact: P(center + Z ≤ low) is the probability of `low`, and so for `high`.

    >>> geometric(0, Fraction(1, 2), -1, 1).probabilities
    (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    """
    for value, name in ((center, "center"), (low, "low"), (high, "high")):
        need_integer(value, f"the {name} of geometric")
    if not 0 <= need_number(ratio, "the ratio of geometric") < 1:
        raise Failure("S311", f"the ratio of geometric is {ratio}, must be in [0, 1)")
    _check_range(low, high, "geometric")
    bits = max(ratio.numerator.bit_length(), ratio.denominator.bit_length())
    if bits * (max(abs(low - center), abs(high - center)) + 1) > MAX_BITS:
        raise Failure("S307", f"a probability longer than {MAX_BITS} binary digits")
    upper = [_upper_tail(value - center, ratio) for value in range(low, high + 1)]
    upper[0] = Fraction(1)
    upper.append(Fraction(0))
    steps = (number(a - b) for a, b in pairwise(upper))
    return _distribution(zip(range(low, high + 1), steps, strict=True))


def geometric_wider(center: Any, ratio: Any, low: Any, high: Any) -> Distribution:
    """`geometric` with about twice the range."""
    more = (need_integer(high, "high") - need_integer(low, "low") + 1) // 2
    return geometric(center, ratio, low - more, high + more)


def _upper_tail(z: int, ratio: int | Fraction) -> Fraction:
    """P(Z ≥ z)."""
    ratio = Fraction(ratio)
    return ratio**z / (1 + ratio) if z > 0 else 1 - ratio ** (1 - z) / (1 + ratio)


def _check_range(low: int, high: int, name: str) -> None:
    if low > high:
        raise Failure("S311", f"{name} from {low} to {high}: the range is empty")
    if high - low >= MAX_OUTCOMES:
        raise Failure("S311", f"{name} has {high - low + 1} outcomes, at most {MAX_OUTCOMES}")


def need_distribution(value: Any) -> Distribution:
    """The value, if it is a distribution."""
    if not isinstance(value, Distribution):
        raise Failure(
            "S306", f"draw needs a distribution such as {{0: 1/2, 1: 1/2}}, found {brief(value)}"
        )
    return value
