"""Whether probabilities are about those of the comparisons of draws that are said to make them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import exp, log, prod, sqrt
from random import Random

from tests.harden.oracle.reading import Json, require

DRAWN = 3000  # times, so that a frequency is within 0.06 of the probability
NEAR = 0.06
Draw = Callable[[Random], float]


def is_drawn(model: Json) -> bool:
    """Whether no value of a model is far from what is drawn; the probability of one that is said to
    be between two others may lie beyond these as far."""
    noise, values = model["noise"], [float(Fraction(v)) for v in model["values"]]
    laws = [_law(name, float(Fraction(parameter))) for name, parameter in noise["laws"]]
    if any("share" in event for event in noise["events"]):
        return True  # of densities nothing is drawn

    @cache
    def chance(at: int) -> float:
        event, random = noise["events"][at], Random(at)
        own = [laws[k] for k in event["draws"]]
        rows = [(terms, float(Fraction(x))) for terms, x in event["conditions"]]
        met = 0
        for _ in range(DRAWN):
            drawn = [law(random) for law in own]
            met += all(sum(c * drawn[k] for k, c in terms) + x >= 0 for terms, x in rows)
        return met / DRAWN

    for place, terms in noise["sums"]:
        found = sum(float(Fraction(w)) * prod(map(chance, events)) for w, events in terms)
        low, high = (values[k] for k in (place if type(place) is list else (place, place)))
        size = max(1.0, sum(float(Fraction(w)) * len(events) for w, events in terms))
        if not low - NEAR * size <= found <= high + NEAR * size:
            return False
    return True


def _law(name: str, parameter: float) -> Draw:
    require(parameter > 0, "a parameter")
    if name == "normal":
        return lambda random: random.gauss(0, sqrt(parameter))
    if name == "interval":
        return lambda random: random.uniform(0, parameter)
    if name == "exponential":
        return lambda random: random.expovariate(1 / parameter)
    if name == "laplace":
        return lambda random: random.expovariate(1 / parameter) * random.choice((1, -1))
    ratio = parameter if name == "geometric" else exp(-parameter)
    require(ratio < 1, "a ratio")

    def side(random: Random) -> int:
        return int(log(1 - random.random()) / log(ratio))

    return lambda random: side(random) - side(random)
