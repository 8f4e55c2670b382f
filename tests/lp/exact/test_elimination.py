"""Fourier–Motzkin elimination: against the shadows of generators, and by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.lp import faces
from verifier.lp.exact.double_description import dual
from verifier.lp.exact.elimination import irredundant, projection

EXAMPLES = examples(40)


@EXAMPLES
@given(st.data(), st.integers(2, 4))
def test_the_shadow_of_a_cone_is_the_cone_of_the_shadows(data: st.DataObject, size: int) -> None:
    row = st.lists(st.sampled_from([0, 1, 1, 2, 10**20]), min_size=size, max_size=size)
    rows = data.draw(st.lists(row, min_size=1, max_size=6))
    kept = data.draw(st.sets(st.integers(0, size - 1), min_size=1))
    found = dual(rows)
    both = [*found.rays, *found.lines, *(tuple(-v for v in line) for line in found.lines)]
    left = projection(both, kept)
    shadows = [[v if at in kept else 0 for at, v in enumerate(r)] for r in rows]
    assert all(not h[at] for h in left for at in range(size) if at not in kept)
    assert all(faces.dot(h, shadow) >= 0 for h in left for shadow in shadows)
    again, inside = dual(left), dual(shadows)  # rays of what is left; facets of the shadow
    assert len(again.lines) == size - len(kept)
    for ray in again.rays:
        assert all(faces.dot(h, ray) >= 0 for h in inside.rays)
        assert not any(faces.dot(h, ray) for h in inside.lines if any(h[at] for at in kept))
    assert irredundant(left) == left


def test_by_hand() -> None:
    chain = [(1, -2, 0), (0, 1, -3)]  # x ≥ 2y, y ≥ 3z
    assert projection(chain, {0, 2}) == [(1, 0, -6)]
    assert projection(chain, {0, 1}) == [(1, -2, 0)]  # some z is small enough
    assert projection([], {0}) == []
    assert irredundant([(1, 0), (2, 0), (1, 1), (0, 1), (0, 0)]) == [(0, 1), (1, 0)]
    assert irredundant([(1, -1), (-1, 1), (0, 0)]) == [(-1, 1), (1, -1)]
