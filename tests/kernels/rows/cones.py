"""Mechanisms whose row cones are known, in plain fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from verifier.world.mechanism import Mechanism

F = Fraction
World = tuple[int, ...]


def hamming(s: World, w: World) -> int:
    return sum(a != b for a, b in zip(s, w, strict=True))


def strings(bits: int, values: int = 2) -> list[World]:
    return list(product(range(values), repeat=bits))


def mechanism(rows: Sequence[Sequence[Fraction]]) -> Mechanism:
    return Mechanism.from_rows([f"o{at}" for at in range(len(rows))], rows)


def response(bits: int, truth: Fraction) -> list[list[Fraction]]:
    """Each bit kept with probability `truth`."""
    return [
        [truth ** (bits - hamming(s, w)) * (1 - truth) ** hamming(s, w) for w in strings(bits)]
        for s in strings(bits)
    ]


def asymmetric(bits: int, zero: Fraction, one: Fraction) -> list[list[Fraction]]:
    """A 0 kept with probability `zero`, a 1 with probability `one`."""
    keep = {(0, 0): zero, (1, 0): 1 - zero, (1, 1): one, (0, 1): 1 - one}  # output, bit

    def chance(s: World, w: World) -> Fraction:
        found = F(1)
        for pair in zip(s, w, strict=True):
            found *= keep[pair]
        return found

    return [[chance(s, w) for w in strings(bits)] for s in strings(bits)]


def kary(values: int, truth: Fraction) -> list[list[Fraction]]:
    """One value out of several kept with probability `truth`, else any other one."""
    other = (1 - truth) / (values - 1)
    return [[truth if o == w else other for w in range(values)] for o in range(values)]


def truncated_geometric(top: int, ratio: Fraction) -> list[list[Fraction]]:
    """Counts 0 to `top` with two-sided geometric noise, clamped to the same range."""
    inner = (1 - ratio) / (1 + ratio)
    ends = 1 / (1 + ratio)
    return [
        [(ends if o in (0, top) else inner) * ratio ** abs(o - w) for w in range(top + 1)]
        for o in range(top + 1)
    ]


def exponential(scores: Sequence[Sequence[int]], base: Fraction) -> list[list[Fraction]]:
    """One row of scores for each candidate, one entry for each world."""
    totals = [sum(base**s for s in column) for column in zip(*scores, strict=True)]
    return [[base**s / t for s, t in zip(row, totals, strict=True)] for row in scores]


def of_directions(rows: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """A mechanism whose row cone is the cone of these rows, each coordinate in its own unit."""
    totals = [sum(column) for column in zip(*rows, strict=True)]
    return [[F(x, t) for x, t in zip(row, totals, strict=True)] for row in rows]


def polytope(points: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """A mechanism whose row cone is the cone over a polytope."""
    low = [min(column) for column in zip(*points, strict=True)]
    return of_directions([[1, *(x - a + 1 for x, a in zip(p, low, strict=True))] for p in points])


CUBE = polytope(strings(3))
OCTAHEDRON = polytope(
    [(s * (a == 0), s * (a == 1), s * (a == 2)) for a in range(3) for s in (1, -1)]
)
PYRAMID = polytope([*((x, y, 0) for x, y in strings(2)), (0, 0, 1)])
PRISM = polytope([(x, y, z) for x, y in ((0, 0), (1, 0), (0, 1)) for z in (0, 1)])
FOUR_CUBE = polytope(strings(4))
PRODUCT = polytope([(*p, *q) for p in ((0, 0), (1, 0), (0, 1)) for q in ((0, 0), (1, 0), (0, 1))])
BIPYRAMID_OF_CUBE = polytope([*((*p, 0) for p in strings(3)), (1, 1, 1, 1), (0, 0, 0, -1)])
