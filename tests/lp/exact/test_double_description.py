"""Facets and extreme rays: by hand, against every hyperplane through generators, and back."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, gcd
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.lp import faces
from verifier.base.errors import LimitReached
from verifier.lp.exact import double_description as dd
from verifier.lp.exact.double_description import Dual, dual

AWKWARD = [0, 0, 1, 1, 2, 3, -1, -2, 10**30, 10**30 + 1, 2**31, 2**62 + 1, 1000000007]
EXAMPLES = examples(60)


@st.composite
def generators(draw: st.DrawFn, values: list[int]) -> list[list[int]]:
    """Up to 8 generators in up to 4 dimensions, some of them repeated, sums of others, or zero,
    perhaps all in a subspace."""
    size = draw(st.integers(1, 4))
    row = st.lists(st.sampled_from(values), min_size=size, max_size=size)
    rows = draw(st.lists(row, min_size=1, max_size=6))
    if draw(st.booleans()):
        rows.append([draw(st.integers(0, 3)) * v for v in draw(st.sampled_from(rows))])
    if draw(st.booleans()):
        rows.append([a + b for a, b in zip(rows[0], rows[-1], strict=True)])
    if size < 4 and draw(st.booleans()):
        at = draw(st.integers(0, size - 1))
        rows = [[*r, r[at] - 2 * r[0]] for r in rows]
    return rows


def agrees(rows: list[list[int]]) -> None:
    """Equations and facets are those of the brute force."""
    found, size = dual(rows), len(rows[0])
    assert all(faces.dot(line, row) == 0 for line in found.lines for row in rows)
    assert faces.rank(found.lines, size) == len(found.lines) == size - faces.rank(rows, size)
    assert all(faces.dot(ray, row) >= 0 for ray in found.rays for row in rows)
    assert all(gcd(*row) == 1 for row in (*found.lines, *found.rays))
    on = faces.incidences(found.rays, rows)
    assert len(set(on)) == len(on)
    assert set(on) == faces.facets(rows)


@EXAMPLES
@given(generators([0, 0, 1, 1, 2, 3]))
def test_pointed_cones_agree_with_brute_force(rows: list[list[int]]) -> None:
    agrees(rows)


@EXAMPLES
@given(generators(AWKWARD))
def test_any_cones_agree_with_brute_force(rows: list[list[int]]) -> None:
    """Not pointed, with entries that need more than 64 bits."""
    agrees(rows)


@EXAMPLES
@given(generators([0, 1, 1, 2, 3, 5]), st.randoms(use_true_random=False))
def test_order_repetitions_and_scale_do_not_matter(rows: list[list[int]], random: Random) -> None:
    again = [[v * factor for v in row] for row in rows * 2 for factor in [random.randint(1, 9)]]
    random.shuffle(again)
    assert dual(again) == dual(rows)


@EXAMPLES
@given(generators([0, 0, 1, 2, 3]))
def test_facets_of_the_facets_are_the_extreme_generators(rows: list[list[int]]) -> None:
    found = dual(rows)
    both = [*found.rays, *found.lines, *([-v for v in line] for line in found.lines)]
    back = dual(both)
    assert not back.lines  # the cones drawn lie in the orthant: they are pointed
    given_rows = {dd.primitive(row) for row in rows if any(row)}
    on = {row: frozenset(faces.incidences([row], found.rays)[0]) for row in given_rows}
    extreme = {r for r in on if not any(on[r] <= on[other] for other in on if other != r)}
    assert {frozenset(faces.incidences([r], found.rays)[0]) for r in back.rays} == {
        on[r] for r in extreme
    }


def test_by_hand() -> None:
    assert dual([(0, 0)]) == Dual(((1, 0), (0, 1)), ())
    assert dual([(2, 0), (0, 0)]) == Dual(((0, 1),), ((1, 0),))
    assert dual([(1,), (-1,)]) == Dual((), ())  # the whole line has no facet
    assert dual([(1, 0), (-1, 0), (0, 1)]) == Dual((), ((0, 1),))  # a half-plane has one
    square = [(1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1)]
    assert dual(square).rays == ((1, 0, -1), (1, -1, 0), (0, 1, 0), (0, 0, 1))


@pytest.mark.parametrize("size", range(2, 7))
def test_cubes_and_cross_polytopes(size: int) -> None:
    cube = [(1, *corner) for corner in product((0, 1), repeat=size)]
    assert len(dual(cube).rays) == 2 * size
    cross = [(1, *(s * v for v in dd.unit(size, at))) for at in range(size) for s in (1, -1)]
    assert set(dual(cross).rays) == {(1, *signs) for signs in product((1, -1), repeat=size)}


@pytest.mark.parametrize("chosen", range(1, 5))
def test_subsets(chosen: int) -> None:
    """The hypersimplex of subsets of 6 with 2 to 4 members: 12 facets; with 1 or 5, a simplex."""
    rows = [[int(at in s) for at in range(6)] for s in combinations(range(6), chosen)]
    assert len(dual(rows).rays) == (6 if chosen == 1 else 12)


def test_cyclic_polytopes_have_the_most_facets() -> None:
    """McMullen's bound, n points on the moment curve of dimension d: entries far beyond 64 bits."""
    for n, d in ((8, 4), (9, 6), (12, 5)):
        rows = [[(10**6 * t) ** power for power in range(d + 1)] for t in range(1, n + 1)]
        half = d // 2
        if d % 2 == 0:
            expected = comb(n - half, half) + comb(n - half - 1, half - 1)
        else:
            expected = 2 * comb(n - half - 1, half)
        assert len(dual(rows).rays) == expected


def test_too_many_are_refused() -> None:
    rows = [[t**power for power in range(7)] for t in range(1, 13)]
    with pytest.raises(LimitReached, match="more than 20 facets"):
        dual(rows, most=20)


@pytest.mark.parametrize("rows", [[], [[1, 2], [1]]])
def test_rows_that_are_none(rows: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="rows of one length"):
        dual(rows)


def test_no_ray_is_left_when_a_large_row_comes() -> None:
    """The first three rows leave 0 alone; then numbers beyond 64 bits must not be squeezed in."""
    huge = 10**30
    assert dual([[0, huge], [-1, 0], [1, -1], [1, huge - 1]]).rays == ()
