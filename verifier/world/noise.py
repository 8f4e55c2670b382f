"""Which comparisons of independent draws make up each probability of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from verifier.base import exponential
from verifier.noise.events import Event
from verifier.noise.pieces import NOTHING
from verifier.noise.probability import Probabilities
from verifier.noise.sums import Sum

Chance = frozenset[tuple[tuple[Event, ...], Fraction]]


@dataclass(frozen=True, eq=False)
class Noise:
    """Numbers, and the products of events that each of them adds up.

    values  0, and one for each chance
    sums    the chances: products of independent events, each with its weight
    """

    values: tuple[Fraction, ...]
    sums: tuple[Chance, ...]

    @classmethod
    def of(cls, sums: Iterable[Chance]) -> Noise:
        """The numbers that these chances are."""
        sums = tuple(sums)
        wanted = dict.fromkeys(e for chance in sums for parts, _ in chance for e in parts)
        known = Probabilities()
        found = dict(zip(wanted, known.of(wanted), strict=True))
        values = [Fraction(0)]
        for chance in sums:
            total = NOTHING
            for parts, weight in chance:
                term = Sum.of(weight)
                for event in parts:
                    term = term * found[event]
                total = total + term
            values.append(number(total, known.m))
        return cls(tuple(values), sums)


def number(value: Sum, m: int) -> Fraction:
    """The number that a sum of powers of e^(1/m) is."""
    shift = sum(j * times for j, times in value.over.items())
    terms = value.numerator
    bottom = lcm(*(c.denominator for c in terms.values()))
    top = {k + shift: int(c * bottom) for k, c in terms.items()}
    factors = tuple(
        (exponential.Sum.of(m, {0: -1, j: 1}), times) for j, times in sorted(value.over.items())
    )
    return exponential.quotient(exponential.Sum.of(m, top), bottom, factors)
