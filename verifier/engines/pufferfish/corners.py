"""A prior that needs a large level, where polynomials are too many to be multiplied out.

P(s), P(s, o), P(t) and P(t, o) are evaluated at points of the simplices, and n/d of their values is
a lower bound. First in the middle of each face of the product of the simplices, or at corners only,
where few terms are left; then the best point is moved towards corners, as long as that helps.

Example. Of chains that change with probability 0 to 1/2, the corners are those that never change,
and those that always do so with probability 1/2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, chain, combinations, compress, count, product
from math import prod

from verifier.base.polynomial import Curve, Polynomial, value_at
from verifier.kernels.enclosure import Cell, Lower
from verifier.questions.claim import PolynomialsClaim

MAX_CORNERS = 4096
MAX_FACES = 64  # of which the middle is looked at, rather than corners alone
STEPS = (Fraction(1), Fraction(1, 2), Fraction(1, 8))  # towards a corner
ROUNDS = 3
Face = frozenset[int]  # variables, some of each group
Found = tuple[Fraction | None, str, str, int]  # level, None for infinite; secrets, output


def reached(claim: PolynomialsClaim) -> Lower | None:
    """A level that some prior needs, by middles of faces; None where nothing was found.

    claim  about polynomials, without delta
    """
    faces = [] if claim.delta else _faces(claim.groups)
    known = {s: (_parts(mass), list(map(_parts, p))) for s, (mass, p) in claim.joint.items()}
    every = ((found, face) for face in faces for found in _ratios(claim, known, face))
    best = max(every, key=lambda one: _order(one[0][0]), default=None)
    if best is None:
        return None
    (level, s, t, output), face = best
    point = [Fraction(int(v in face)) for v in range(sum(claim.groups))]
    cell = _cell(claim, s, t, output)
    if level is not None:
        level, point = _moved(cell, claim.groups, level, point)
    return Lower(level, cell, Curve(tuple(point), (0,) * len(point)))


def _faces(groups: Sequence[int]) -> list[Face]:
    """The faces of a product of simplices; the corners alone, or none, where these are too many."""
    starts = accumulate(groups, initial=0)
    sides = [range(start, start + size) for start, size in zip(starts, groups, strict=False)]
    if prod(2**size - 1 for size in groups) <= MAX_FACES:
        subsets = ([c for k in side for c in combinations(side, k - side[0] + 1)] for side in sides)
        return [frozenset(chain(*parts)) for parts in product(*subsets)]
    return list(map(frozenset, product(*sides))) if prod(groups) <= MAX_CORNERS else []


Parts = dict[Face, int]  # variables of a term -> sum of the coefficients
Known = dict[str, tuple[Parts, list[Parts]]]


def _parts(p: Polynomial) -> Parts:
    found: Parts = {}
    for exponents, coefficient in p.items():
        key = frozenset(compress(count(), exponents))
        found[key] = found.get(key, 0) + coefficient
    return found


def _ratios(claim: PolynomialsClaim, known: Known, face: Face) -> Iterator[Found]:
    """The largest ratio in the middle of a face for each ordered pair that is possible there."""
    inside = {used for parts, _ in known.values() for used in parts if used <= face}

    def at(parts: Parts) -> int:
        return sum(parts[used] for used in parts.keys() & inside)

    values = {s: (at(mass), list(map(at, joint))) for s, (mass, joint) in known.items()}
    for listed in claim.pairs:
        for s, t in (listed, listed[::-1]):
            (b, p), (d, q) = values[s], values[t]
            if b and d:
                levels = [
                    (Fraction(x * d, y * b) if y else None, s, t, output)
                    for output, (x, y) in enumerate(zip(p, q, strict=True))
                    if x
                ]
                yield max(levels, key=lambda one: _order(one[0]))


def _order(level: Fraction | None) -> tuple[bool, Fraction]:
    """Ascends with a level, None being infinite."""
    return level is None, level or Fraction(0)


def _cell(claim: PolynomialsClaim, s: str, t: str, output: int) -> Cell:
    (b, p), (d, q) = claim.joint[s], claim.joint[t]
    return Cell((s, t), (output,), (p[output], d), (q[output], b))


def _moved(
    cell: Cell, groups: Sequence[int], level: Fraction, point: list[Fraction]
) -> tuple[Fraction | None, list[Fraction]]:
    """A larger level, and its point, on lines towards corners of single simplices."""
    for _ in range(ROUNDS):
        before = level
        for moved in list(_towards(groups, point)):
            n, d = (
                prod((Fraction(value_at(p, moved)) for p in factors), start=Fraction(1))
                for factors in (cell.above, cell.below)
            )
            if n and not d and all(value_at(p, moved) for p in (cell.above[1], cell.below[1])):
                return None, moved
            if d and n / d > level:
                level, point = n / d, moved
        if level == before:
            break
    return level, point


def _towards(groups: Sequence[int], point: list[Fraction]) -> Iterator[list[Fraction]]:
    start = 0
    for size in groups:
        for corner, step in product(range(start, start + size), STEPS):
            inside = [x * (1 - step) for x in point[start : start + size]]
            inside[corner - start] += step
            yield [*point[:start], *inside, *point[start + size :]]
        start += size
