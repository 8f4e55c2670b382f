"""Which comparisons of independent draws make up each probability of a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from verifier.base import exponential
from verifier.base.exact import is_irrational
from verifier.noise.draws import NORMAL
from verifier.noise.events import Event
from verifier.noise.normal import DIGITS, Interval, enclosed, outwards
from verifier.noise.pieces import NOTHING
from verifier.noise.probability import Probabilities
from verifier.noise.sums import Sum, exponents, over_one_denominator

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
    def of(cls, sums: Iterable[Chance], parameter: str = "") -> Noise:
        """The numbers that these chances are; functions of a `parameter` of which the rates of all
        draws are multiples, if it is given."""
        sums = tuple(sums)
        wanted = dict.fromkeys(e for chance in sums for parts, _ in chance for e in parts)
        known = Probabilities(multiples=bool(parameter))
        found = dict(zip(wanted, known.of(wanted), strict=True))
        values = numbers([_total(chance, found) for chance in sums], known.m, parameter)
        return cls((Fraction(0), *values), sums)


@dataclass(frozen=True, eq=False)
class Enclosures:
    """Ends of numbers, and the products of events that each of them adds up; some of these events
    compare normal draws.

    ends  for each of the `sums` a lower and an upper one
    """

    ends: tuple[Interval, ...]
    sums: tuple[Chance, ...]

    @classmethod
    def of(cls, sums: Iterable[Chance]) -> Enclosures:
        """Ends of the numbers that these chances are."""
        sums = tuple(sums)
        wanted = dict.fromkeys(e for chance in sums for parts, _ in chance for e in parts)
        exact = [event for event in wanted if not is_normal(event)]
        known = Probabilities()
        found = known.of(exact)
        ends: dict[Event, Interval] = {
            event: _around(value)
            for event, value in zip(exact, numbers(found, known.m), strict=True)
        }
        ends |= {event: enclosed(event) for event in wanted if event not in ends}
        return cls(tuple(_between(chance, ends) for chance in sums), sums)


def is_normal(event: Event) -> bool:
    """Whether a normal draw is among those that an `event` compares."""
    return any(law.kind == NORMAL for law in event.laws)


def _around(value: Fraction) -> Interval:
    """Rational ends of a number."""
    return exponential.bounds(value, DIGITS + 5) if is_irrational(value) else (value, value)


def _between(chance: Chance, known: Mapping[Event, Interval]) -> Interval:
    """The ends of the number that a `chance` is, of `known` ends of events."""
    low, high = Fraction(0), Fraction(0)
    for parts, weight in chance:
        least = most = weight
        for event in parts:
            least, most = least * known[event][0], most * known[event][1]
        low, high = low + least, high + most
    return outwards(low, min(high, Fraction(1)))


def _total(chance: Chance, known: Mapping[Event, Sum]) -> Sum:
    """The number that a `chance` is, of `known` events."""
    total = NOTHING
    for parts, weight in chance:
        term = Sum.of(weight)
        for event in parts:
            term = term * known[event]
        total = total + term
    return total


def numbers(sums: Iterable[Sum], m: int, parameter: str = "") -> list[Fraction]:
    """The values of some sums of powers of t: numbers where t = e^(1/m), functions of a `parameter`
    ε where t = e^(ε/m)."""
    if parameter:
        given, below = over_one_denominator(sums)
        from verifier.base.rational_function import function_of_rates

        over, *tops = (
            {(i, Fraction(k, m)): c for (i, k), c in each}
            for each in (
                ((exponents(key), c) for key, c in found.numerator.items())
                for found in (below, *given)
            )
        )
        return [function_of_rates(parameter, top, over) for top in tops]
    bottoms: dict[frozenset[tuple[int, int]], dict[Fraction, Fraction]] = {}
    found = []
    for one in sums:  # each over its own denominator, as one of all is long
        key = frozenset(one.over.items())
        if key not in bottoms:
            bottoms[key] = _powers(over_one_denominator([one])[1], m)
        found.append(exponential.quotient(_powers(one, m), bottoms[key]))
    return found


def _powers(value: Sum, m: int) -> dict[Fraction, Fraction]:
    """The terms of a sum, exponent of e -> coefficient."""
    return {Fraction(k, m): c for k, c in value.numerator.items()}
