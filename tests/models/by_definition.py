"""The definitions by plain arithmetic, straight from the papers, for checking the model files.

A world is a tuple with one value per record (None: the record is absent).
A mechanism is a dictionary: world -> {output: probability}.  Nothing here uses the engine.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from tests.models import brute_force
from tests.models.brute_force import ZERO, Level, geometric, smallest_level

__all__ = ["Fraction", "Level", "geometric", "smallest_level"]

F = Fraction

World = tuple[Any, ...]
Row = Mapping[Hashable, Fraction]
Mechanism = Mapping[World, Row]
Prior = Mapping[World, Fraction]
Pairs = Iterable[tuple[World, World]]


# --- Levels -----------------------------------------------------------------------------------


def over_pairs(mechanism: Mechanism, pairs: Pairs) -> Level:
    """The smallest level at which every ordered pair of worlds is indistinguishable."""
    return max([F(1), *(smallest_level(mechanism[v], mechanism[w]) for v, w in pairs)])


def pufferfish(
    mechanism: Mechanism,
    secrets: Iterable[tuple[Sequence[World], Sequence[World]]],
    priors: Iterable[Prior],
    delta: Fraction = ZERO,
) -> Level:
    """Pufferfish paper, Definition 3.4, for a finite list of priors and secrets that are lists."""
    pairs = [(set(s).__contains__, set(t).__contains__) for s, t in secrets]
    return brute_force.pufferfish(mechanism, list(priors), pairs, delta)


# --- Worlds, secrets, priors ------------------------------------------------------------------


def databases(
    domain: Sequence[Any], records: int, where: Callable[[World], bool] = lambda w: True
) -> list[World]:
    return [w for w in product(domain, repeat=records) if where(w)]


def values(worlds: Sequence[World]) -> list[tuple[list[World], list[World]]]:
    """Each record, each two of its values (absence is not a value)."""
    out = []
    for i in range(len(worlds[0])):
        seen = sorted({w[i] for w in worlds if w[i] is not None}, key=repr)
        for x, y in combinations(seen, 2):
            out.append(([w for w in worlds if w[i] == x], [w for w in worlds if w[i] == y]))
    return out


def presence(worlds: Sequence[World]) -> list[tuple[list[World], list[World]]]:
    """Each record: has value t, or is absent."""
    out = []
    for i in range(len(worlds[0])):
        absent = [w for w in worlds if w[i] is None]
        for x in sorted({w[i] for w in worlds if w[i] is not None}, key=repr):
            out.append(([w for w in worlds if w[i] == x], absent))
    return out


def uniform(worlds: Sequence[World]) -> Prior:
    return {w: F(1, len(worlds)) for w in worlds}


def independent(worlds: Sequence[World], records: Sequence[Mapping[Any, Fraction]]) -> Prior:
    """Independent records, conditioned on the worlds that are possible."""
    weight = {w: F(1) for w in worlds}
    for w in worlds:
        for x, p in zip(w, records, strict=True):
            weight[w] *= p.get(x, F(0))
    total = sum(weight.values())
    return {w: x / total for w, x in weight.items()}


# --- Neighbours -------------------------------------------------------------------------------


def replace(worlds: Sequence[World], group: int = 1) -> list[tuple[World, World]]:
    """Up to `group` records, present on both sides, differ in value."""
    return [
        (v, w)
        for v in worlds
        for w in worlds
        if 1 <= sum(x != y for x, y in zip(v, w, strict=True)) <= group
        and all((x is None) == (y is None) for x, y in zip(v, w, strict=True))
    ]


def everything(worlds: Sequence[World]) -> list[tuple[World, World]]:
    return [(v, w) for v in worlds for w in worlds if v != w]


def difference(v: World, w: World) -> frozenset[tuple[int, Any]]:
    """Symmetric difference of the sets of (individual, value) tuples."""
    tuples = zip(range(len(v)), v, w, strict=True)
    return frozenset((i, z) for i, x, y in tuples if x != y for z in (x, y) if z is not None)


def induced(worlds: Sequence[World]) -> list[tuple[World, World]]:
    """Pufferfish paper, Definition 10.3: no non-empty proper subset of the moves will do."""
    out = []
    for v in worlds:
        moves = {w: difference(v, w) for w in worlds if w != v}
        out += [(v, w) for w, m in moves.items() if not any(n < m for n in moves.values())]
    return out


# --- Mechanisms -------------------------------------------------------------------------------


def bits(p: Fraction) -> Row:
    """1 with probability p, else 0."""
    return {1: p, 0: 1 - p}


def together(*rows: Row) -> Row:
    """Independent releases: the outputs are tuples."""
    out: dict[Hashable, Fraction] = {(): F(1)}
    for row in rows:
        out = {(*o, z): p * q for o, p in out.items() for z, q in row.items()}  # type: ignore[misc]
    return out


def response(worlds: Sequence[World], truth: Fraction, domain: Sequence[Any]) -> Mechanism:
    """Every record answers truthfully with probability `truth`, else uniformly another value."""
    lie = (1 - truth) / (len(domain) - 1)
    one = {x: {y: truth if x == y else lie for y in domain} for x in domain}
    return {w: together(*(one[x] for x in w)) for w in worlds}
