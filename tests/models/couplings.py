"""Which constraints let induced neighbours privacy protect against independent records.

For a prior and secrets s, t: whatever is private at level α for induced neighbours is private at α
for s against t, at every α > 1, exactly if P(· | s) can be coupled with P(· | t) along neighbours.
By Hall's theorem: if P(A | s) ≤ P(N(A) | t) for every A in s, N(A) being the neighbours of A in t.
For independent records with any weights, conditioned on the constraint, this says P(N(A))·P(s) −
P(A)·P(t) ≥ 0, a polynomial in the weights: proved where no coefficient is negative, otherwise
refuted by a prior. A mechanism for the case that it fails is `revealing`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from math import prod
from typing import Any

from tests.models.by_definition import (
    F,
    Prior,
    World,
    induced,
    presence,
    values,
)

# s, t, a part A of s, and a prior under which A is more likely given s than N(A) given t
Failure = tuple[list[World], list[World], Sequence[World], Prior]


def parts(items: Sequence[World]) -> Iterator[tuple[World, ...]]:
    """Every non-empty part."""
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def failure(worlds: list[World]) -> Failure | None:
    """Why induced neighbours privacy does not protect values and presence, or None."""
    near, domain = set(induced(worlds)), sorted({x for w in worlds for x in w}, key=repr)
    for s, t in values(worlds) + presence(worlds):
        for part in parts(s):
            reached = [w for w in t if any((v, w) in near for v in part)]
            form = Counter(pairing(v, w) for v, w in product(reached, s))
            form.subtract(pairing(v, w) for v, w in product(part, t))
            if min(form.values(), default=0) < 0:
                for prior in priors(worlds, domain):
                    masses = [sum(prior[w] for w in side) for side in (reached, s, part, t)]
                    if masses[0] * masses[1] < masses[2] * masses[3]:
                        return s, t, part, prior
                raise AssertionError("neither proved nor refuted")
    return None


def priors(worlds: list[World], domain: Sequence[Any]) -> Iterator[Prior]:
    """Independent records: first those that are uniform on some values, then others."""
    for weights in ((0, 1), (0, 1, 10)):
        rows = [row for row in product(weights, repeat=len(domain)) if any(row)]
        chances = [{x: F(k) for x, k in zip(domain, row, strict=True)} for row in rows]
        for records in product(chances, repeat=len(worlds[0])):
            mass = {w: prod(row[x] for row, x in zip(records, w, strict=True)) for w in worlds}
            if total := sum(mass.values()):
                yield {w: F(p, total) for w, p in mass.items()}


def pairing(v: World, w: World) -> tuple[frozenset[Any], ...]:
    """The monomial P(v)·P(w): for each record the two values."""
    return tuple(map(frozenset, zip(v, w, strict=True)))
