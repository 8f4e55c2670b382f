"""Privacy levels straight from the definitions: plain fractions, nothing of the package.

A mechanism is a dictionary world -> {output: probability}; a world is any hashable value.
The model tests derive every pinned number here a second time. Worlds that are databases, their
neighbours and usual secrets are in by_definition.py.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Row = dict[Any, Fraction]
Mechanism = Mapping[Any, Row]
Prior = Mapping[Any, Fraction]
Secret = Callable[[Any], bool]
Level = Fraction | float
INFINITE = math.inf


# ---------------------------------------------------------------- distributions


def add_up(pairs: Iterable[tuple[Hashable, Fraction]]) -> Row:
    """{output: total probability}, outputs of probability 0 left out."""
    row: Row = {}
    for output, probability in pairs:
        if probability:
            row[output] = row.get(output, Fraction(0)) + probability
    assert sum(row.values()) == 1, row
    return row


def coin(probability: Fraction) -> Row:
    return add_up([(1, probability), (0, 1 - probability)])


def independent(rows: Sequence[Row]) -> Row:
    """The tuple of independent draws."""
    return add_up(
        (outcome, math.prod((row[x] for row, x in zip(rows, outcome, strict=True)), start=ONE))
        for outcome in product(*rows)
    )


def apply(row: Row, function: Callable[[Any], Row | Hashable]) -> Row:
    """Post-processing: `function` gives an output, or a distribution of outputs."""
    pairs: list[tuple[Hashable, Fraction]] = []
    for output, probability in row.items():
        result = function(output)
        following = result if isinstance(result, dict) else {result: ONE}
        pairs += [(later, probability * p) for later, p in following.items()]
    return add_up(pairs)


def geometric(center: int, ratio: Fraction, low: int, high: int) -> Row:
    """Two-sided geometric noise, everything beyond the ends reported as the end.

    P(Z = z) = (1-r)/(1+r) r^|z-c|, hence P(Z >= x) = r^(x-c)/(1+r) for x >= c.
    """

    def at_least(x: int) -> Fraction:
        return (
            ratio ** (x - center) / (1 + ratio)
            if x >= center
            else 1 - ratio ** (center - x + 1) / (1 + ratio)
        )

    reach = {low: ONE} | {x: at_least(x) for x in range(low + 1, high + 1)} | {high + 1: ZERO}
    return add_up((x, reach[x] - reach[x + 1]) for x in range(low, high + 1))


ONE, ZERO = Fraction(1), Fraction(0)


# ---------------------------------------------------------------- definitions


def smallest_level(
    p: Mapping[Any, Fraction], q: Mapping[Any, Fraction], delta: Fraction = ZERO
) -> Level:
    """The smallest alpha >= 1 with P(S) <= alpha Q(S) + delta for every event S.

    For each alpha the worst event is {o: P(o) > alpha Q(o)}: try every such set.
    """
    ordered = sorted(p, key=lambda o: p[o] / q[o] if q.get(o) else INFINITE, reverse=True)
    best: Level = ONE
    p_event = q_event = ZERO
    for output in ordered:
        p_event += p[output]
        q_event += q.get(output, ZERO)
        if p_event > delta:
            best = max(best, (p_event - delta) / q_event if q_event else INFINITE)
    return best


def differential_privacy(
    mechanism: Mechanism, neighbours: Callable[[Any, Any], bool], delta: Fraction = ZERO
) -> Level:
    """Smallest level over all ordered pairs of neighbours; 1 where there are none."""
    levels = [
        smallest_level(mechanism[w], mechanism[v], delta)
        for w in mechanism
        for v in mechanism
        if w != v and neighbours(w, v)
    ]
    return max([ONE, *levels])


def given(
    mechanism: Mechanism, prior: Mapping[Any, Fraction], secret: Callable[[Any], bool]
) -> Row:
    """P(output | secret) under the prior."""
    inside = {w: p for w, p in prior.items() if p and secret(w)}
    total = sum(inside.values())
    return add_up(
        (o, p * chance / total) for w, p in inside.items() for o, chance in mechanism[w].items()
    )


def pufferfish(
    mechanism: Mechanism,
    priors: Sequence[Prior],
    pairs: Sequence[tuple[Secret, Secret]],
    delta: Fraction = ZERO,
) -> Level:
    """Smallest level over the priors and both orders of each pair (Pufferfish, Def. 3.4)."""
    levels: list[Level] = [ONE]
    for prior in priors:
        for pair in pairs:
            if all(any(p and secret(w) for w, p in prior.items()) for secret in pair):
                first, second = (given(mechanism, prior, secret) for secret in pair)
                levels += [
                    smallest_level(first, second, delta),
                    smallest_level(second, first, delta),
                ]
    return max(levels)


def values_of_each_record(records: int, domain: Sequence[Hashable]) -> list[tuple[Secret, Secret]]:
    """The pairs `values`: record i is x against record i is y."""
    return [
        (lambda w, i=i, x=x: w[i] == x, lambda w, i=i, y=y: w[i] == y)
        for i in range(records)
        for k, x in enumerate(domain)
        for y in domain[k + 1 :]
    ]


def hamming(w: Sequence[Any], v: Sequence[Any]) -> int:
    return sum(x != y for x, y in zip(w, v, strict=True))


def one_differs(w: Sequence[Any], v: Sequence[Any]) -> bool:
    return hamming(w, v) == 1


def databases(records: int, domain: Iterable[Hashable]) -> list[tuple[Any, ...]]:
    return list(product(domain, repeat=records))
