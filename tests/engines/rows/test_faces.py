"""The work of proving that facets are complete, as foreseen and as the checker counts it."""

from __future__ import annotations

import pytest

from tests.rows import cones
from verifier.checker.document import limited
from verifier.checker.facets import _Faces
from verifier.engines.rows.faces import _on, proof_steps
from verifier.rows import row_cone

SOLIDS = {
    "cube": cones.CUBE,
    "octahedron": cones.OCTAHEDRON,
    "pyramid": cones.PYRAMID,
    "four-cube": cones.FOUR_CUBE,
    "triangle × triangle": cones.PRODUCT,
    "bipyramid over a cube": cones.BIPYRAMID_OF_CUBE,
    "three bits": cones.response(3, cones.F(3, 4)),
    "a plane": cones.exponential([[0, 1, 2, 1], [2, 1, 0, 1]], cones.F(2)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_enough_is_foreseen(name: str) -> None:
    """What is within the limit is never refused by the checker."""
    cone = row_cone([cones.mechanism(SOLIDS[name])])
    proof = _Faces(list(cone.rows))
    on = _on(cone.rows, cone.facets)
    with limited() as spent:
        proof.check((1 << len(cone.rows)) - 1, on, cone.worlds - len(cone.equations))
    size, count = cone.worlds, len(cone.rows)
    before = count * size * (size + len(cone.facets) + len(cone.equations))
    foreseen = proof_steps(cone.rows, cone.facets, len(cone.equations), 10**9)
    assert spent[0] + before <= 2 * foreseen
    assert proof_steps(cone.rows, cone.facets, len(cone.equations), 10) > 10
