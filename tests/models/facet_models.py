"""Facets of the row cones of models/row-cone, by trying hyperplanes or from closed forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction as F

from tests.kernels.rows import cones
from tests.lp import faces
from tests.models.brute_force import Level

Rows = Sequence[Sequence[F]]


def count(*mechanisms: Rows) -> Level:
    """Hyperplanes through rows, one fewer than the dimension, with no row beyond."""
    return F(len(faces.facets([row for rows in mechanisms for row in rows])))


def within(facets: Rows, mechanism: Rows) -> bool:
    """Whether every row satisfies every inequality."""
    return all(faces.dot(facet, row) >= 0 for facet in facets for row in mechanism)


def two_rows(*first: F | str) -> list[list[F]]:
    """The mechanism with this row and what is missing to 1."""
    row = list(map(F, first))
    return [row, [1 - p for p in row]]


def k_ary() -> list[Level]:
    """The facets (1 − b) x_i ≥ b Σ x_j with b = 1/6: from 1 − b·J, the inverse of the matrix."""
    response = cones.kary(4, F(1, 2))
    facets = [[F(5) if i == j else F(-1) for j in range(4)] for i in range(4)]
    assert all(sum(not faces.dot(facet, row) for row in response) == 3 for facet in facets)
    sixth = F(1, 6)
    halves = two_rows("3/4", "3/4", "1/4", "1/4")
    other = [sum((row[w] for w in (1, 2, 3)), F(0)) / 3 for row in response]
    ratios = [r for row, p in zip(response, other, strict=True) for r in (p / row[0], row[0] / p)]
    return [
        count(response),
        within(facets, two_rows(F(1, 2), sixth, sixth, sixth)),
        within(facets, two_rows(F(500001, 1000000), sixth, sixth, sixth)),
        within(facets, two_rows("2/3", "2/3", "1/3", "1/3")),
        within(facets, halves),
        max(p / q for row in halves for p in row for q in row),
        max(ratios),
    ]


def asymmetric() -> list[Level]:
    """The facets of two bits are products of those of one: (6, −1) and (−4, 9)."""
    response = cones.asymmetric(2, F(9, 10), F(3, 5))
    facets = [[F(a * b) for a in u for b in v] for u in BIT for v in BIT]
    assert all(sum(not faces.dot(facet, row) for row in response) == 3 for facet in facets)

    def parity(t: F) -> list[list[F]]:
        return two_rows(t, 1 - t, 1 - t, t)

    return [
        count(response),
        within(facets, parity(F(97, 169))),
        within(facets, parity(F(98, 169))),
        F(98, 71),
        max(F(6), F(9, 4)),  # (3/5)/(1/10) for an output 1, (9/10)/(2/5) for a 0
    ]


BIT = ((6, -1), (-4, 9))


def truncated_geometric() -> list[Level]:
    clamped = cones.truncated_geometric(3, F(1, 2))
    facets = [[F(a) for a in row] for row in GEOMETRIC]
    assert all(sum(not faces.dot(facet, row) for row in clamped) == 3 for facet in facets)
    response = cones.kary(4, F(2, 5))
    zigzag, gentler = (two_rows(t, 1 - t, t, 1 - t) for t in (F(2, 3), F(5, 9)))
    return [
        count(clamped),
        count(clamped),  # outputs beyond 0 and 3 have rows proportional to those of 0 and 3
        True,
        True,
        within(facets, response),
        within(facets, zigzag),
        within(facets, gentler),
        count(clamped, response),
    ]


GEOMETRIC = ((2, -1, 0, 0), (-2, 5, -2, 0), (0, -2, 5, -2), (0, 0, -1, 2))


def exponential() -> list[Level]:
    def rows(candidates: Sequence[int], power: int) -> list[list[F]]:
        scores = [[-(abs(w - c) ** power) for w in (0, 2, 4)] for c in candidates]
        return cones.exponential(scores, F(2))

    return [count(rows((0, 2, 4), 1)), count(rows(range(5), 1)), count(rows(range(5), 2))]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "asymmetric-facets.yaml": asymmetric,
    "exponential-facets.yaml": exponential,
    "k-ary-facets.yaml": k_ary,
    "truncated-geometric-facets.yaml": truncated_geometric,
}
