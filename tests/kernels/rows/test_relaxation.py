"""Bounds on two worlds at a time: two ways to find them, and what they amount to."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples, wider
from tests.kernels.rows import cones
from tests.kernels.rows.test_facets import MECHANISMS, mechanisms
from verifier.kernels.rows import Relaxation, by_elimination, relaxed, row_cone

TRUTHS = [F(3, 4), F(2, 3), F(501, 1000), F(10**30, 10**30 + 1)]


def both(*rows: list[list[F]]) -> Relaxation:
    """By elimination from the facets and from the rows, which must agree."""
    cone = row_cone(map(cones.mechanism, rows))
    found = relaxed(cone.rows)
    assert by_elimination(cone.equations, cone.facets, cone.worlds) == found
    return found


@pytest.mark.parametrize(
    ("bits", "truth"), [*((b, p) for b in (1, 2) for p in TRUTHS), *wider([], [(3, F(2, 3))])]
)
def test_randomized_response_relaxes_to_differential_privacy(bits: int, truth: F) -> None:
    """Lin, Kifer, Section V: p/(1 − p) for each two databases that differ in one bit, and
    everything else follows."""
    worlds = cones.strings(bits)
    expected = {
        (i, j): truth / (1 - truth)
        for (i, v), (j, w) in permutations(enumerate(worlds), 2)
        if cones.hamming(v, w) == 1
    }
    assert both(cones.response(bits, truth)) == Relaxation((), expected)


def test_by_hand() -> None:
    """An ordered range: only adjacent counts remain, at 1/ratio."""
    third = both(cones.truncated_geometric(3, F(1, 3)))
    steps = [(i, j) for i in range(4) for j in range(4) if abs(i - j) == 1]
    assert third == Relaxation((), dict.fromkeys(steps, F(3)))
    assert both(cones.kary(3, F(1, 2))).bounds == dict.fromkeys(permutations(range(3), 2), F(2))
    assert both(MECHANISMS["erasure"]) == Relaxation((), {})
    assert both(MECHANISMS["nothing"]) == Relaxation(((0, 1),), {})
    twice = [[F(1, 2), F(1, 4), F(1, 2)], [F(1, 2), F(3, 4), F(1, 2)]]
    assert both(twice) == Relaxation(((0, 2),), {(0, 1): F(2), (1, 0): F(3, 2)})


@examples(20)
@given(st.data(), st.integers(2, 4), st.integers(1, 2))
def test_drawn_mechanisms(data: st.DataObject, worlds: int, many: int) -> None:
    """Both ways agree; what is left gives back every least bound, and would not with one less."""
    drawn = [data.draw(mechanisms(worlds)) for _ in range(many)]
    found = both(*drawn)
    rows = [row for rows in drawn for row in rows]
    least = {pair: least_bound(rows, *pair) for pair in permutations(range(worlds), 2)}
    kept = {**found.bounds, **{p: F(1) for e in found.equal for p in (e, e[::-1])}}
    assert closed(kept, worlds) == {pair: c for pair, c in least.items() if c is not None}
    for pair in found.bounds:
        fewer = {other: c for other, c in kept.items() if other != pair}
        assert closed(fewer, worlds).get(pair) != least[pair]


def least_bound(rows: list[list[F]], v: int, w: int) -> F | None:
    if any(row[v] and not row[w] for row in rows):
        return None
    return max(row[v] / row[w] for row in rows if row[w])


def closed(bounds: dict[tuple[int, int], F], worlds: int) -> dict[tuple[int, int], F]:
    """Products along chains, the least ones (Floyd, Warshall)."""
    found = dict(bounds)
    for u in range(worlds):
        for v, w in permutations(range(worlds), 2):
            if (v, u) in found and (u, w) in found:
                through = found[v, u] * found[u, w]
                found[v, w] = min(found.get((v, w), through), through)
    return found
