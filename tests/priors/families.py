"""Families of priors by plain loops, for tests: nothing of the engine is used here.

A family is drawn as the spec's class of priors and a function from parameters to conditionals:
secret -> P(world | secret), or nothing where the secret is impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Draw, Space
from tests.definitions.plain import Column

F = Fraction
Parameters = Sequence[Sequence[Fraction]]  # one distribution each
Weights = Callable[[Parameters, int], list[Fraction]]  # and a world's record 0 value -> worlds


@dataclass(frozen=True)
class Family:
    """keyword   the class of priors in a spec
    sizes     of the unknown distributions
    weights   parameters -> weight of each world, for secrets about the first record
    """

    keyword: Any
    sizes: list[int]
    weights: Callable[[Parameters], list[Fraction]]


def values_of(space: Space) -> list[Any]:
    return [*space.values, *([None] if space.absent else [])]


def iid(space: Space) -> Family:
    values = values_of(space)

    def weights(parameters: Parameters) -> list[Fraction]:
        f = dict(zip(values, parameters[0], strict=True))
        return [product(f[x] for x in w) for w in space.databases]

    return Family("iid", [len(values)], weights)


def independent(space: Space) -> Family:
    values, count = values_of(space), len(space.databases[0])

    def weights(parameters: Parameters) -> list[Fraction]:
        rows = [dict(zip(values, row, strict=True)) for row in parameters]
        return [product(f[x] for f, x in zip(rows, w, strict=True)) for w in space.databases]

    return Family("product", [len(values)] * count, weights)


@st.composite
def hedging(draw: Draw, space: Space) -> Family:
    """For secrets that give the first record one value."""
    values = values_of(space)
    known = draw(drawn.distributions(len(values)))
    a = draw(st.sampled_from([F(0), F(1, 1000), F(1, 2), F(1)]))
    texts = {drawn.value_text(x): str(p) for x, p in zip(values, known, strict=True)}
    known_row = dict(zip(values, known, strict=True))

    def weights(parameters: Parameters) -> list[Fraction]:
        f = dict(zip(values, parameters[0], strict=True))
        return [
            (1 - a) * product(f[x] for x in w[1:]) + a * product(known_row[x] for x in w[1:])
            for w in space.databases
        ]

    return Family({"hedging": {"weight": str(a), "known": texts}}, [len(values)], weights)


INTERVALS = [("0", "1"), ("1/4", "3/4"), ("1/3", "1/2"), ("1/10", "9/10"), ("1/2", "1/2")]


@st.composite
def markov(draw: Draw, space: Space) -> Family:
    """Two values a and b: each row is (p, 1 - p) with p in an interval; the parameters mix the
    ends of the intervals."""
    values = values_of(space)
    ends = [draw(st.sampled_from(INTERVALS)) for _ in range(3)]
    ends[draw(st.integers(0, 2))] = draw(st.sampled_from(INTERVALS[:-1]))
    still = draw(st.booleans())
    intervals = [(F(low), F(high)) for low, high in ends]
    names = [drawn.value_text(x) for x in values]

    def row(interval: tuple[Fraction, Fraction]) -> dict[str, list[str]]:
        low, high = interval
        return {names[0]: [str(low), str(high)], names[1]: [str(1 - high), str(1 - low)]}

    def weights(parameters: Parameters) -> list[Fraction]:
        p = [low * u + high * v for (low, high), (u, v) in zip(intervals, parameters, strict=True)]
        rows = [{values[0]: x, values[1]: 1 - x} for x in p]
        step = dict(zip(values, rows[1:], strict=True))
        first = rows[0]
        if still:  # balance: the stationary weight of a is P(b -> a), of b P(a -> b)
            first = {values[0]: step[values[1]][values[0]], values[1]: step[values[0]][values[1]]}
        return [first[w[0]] * product(step[x][y] for x, y in pairwise(w)) for w in space.databases]

    spec = {
        "initial": "stationary" if still else row(intervals[0]),
        "transition": dict(zip(names, map(row, intervals[1:]), strict=True)),
    }
    if still and all(low == high for low, high in intervals[1:]):
        spec["transition"][names[0]] = row((F(0), F(1)))
        intervals[1] = (F(0), F(1))
    return Family({"markov": spec}, [2, 2, 2], weights)


def product(factors: Any) -> Fraction:
    found = F(1)
    for factor in factors:
        found *= factor
    return found


def parameters(draw: Draw, sizes: Sequence[int]) -> Parameters:
    """Some parameters: point masses, awkward ones, and plain ones."""
    plain = st.sampled_from([F(0), F(1), F(2), F(1, 3), F(1, 1000), F(1000)])
    found = []
    for size in sizes:
        weights = draw(st.lists(plain, min_size=size, max_size=size).filter(any))
        found.append([x / sum(weights) for x in weights])
    return found


def ratios(
    columns: Sequence[Column], weights: Sequence[Fraction], sets: Sequence[list[int]]
) -> Any:
    """The largest ratio over pairs of sets, both orders, and outputs; None is infinite."""
    rows = []
    for inside in sets:
        mass = sum((weights[w] for w in inside), F(0))
        if mass:
            outputs = range(len(columns[0]))
            rows.append(
                [sum((weights[w] * columns[w][o] for w in inside), F(0)) / mass for o in outputs]
            )
    best = F(1)
    for p in rows:
        for q in rows:
            for x, y in zip(p, q, strict=True):
                if x and not y:
                    return None
                if x:
                    best = max(best, x / y)
    return best
