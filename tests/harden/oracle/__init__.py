"""Is the claim of a certificate true? What the pages of the format define, evaluated plainly.

Shares no code with the checker or the engine, and does not look at the evidence.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.harden.oracle import crowds, direct, linear, nonlinear, parametric, simulation
from tests.harden.oracle.noise import is_drawn
from tests.harden.oracle.powers import Unknown, near_e
from tests.harden.oracle.reading import Json, Wrong, both

Judge = Callable[[Json, Json, Json], bool | None]
JUDGES: dict[str, Judge] = {
    "boxes": linear.boxes,
    "comparison": direct.comparison,
    "composable": direct.composable,
    "composition": nonlinear.composition,
    "divergence": direct.divergence,
    "error": direct.error,
    "implies": linear.implies,
    "inference": simulation.inference,
    "influence": direct.influence,
    "local": crowds.local,
    "network": crowds.network,
    "optimal": linear.optimal,
    "parameters": parametric.parameters,
    "pieces": parametric.pieces,
    "polynomials": nonlinear.polynomials,
    "polytope": nonlinear.polytope,
    "post_processing": linear.post_processing,
    "program": linear.program,
    "quilts": crowds.quilts,
    "region": parametric.region,
    "row_cone": linear.row_cone,
    "runs": direct.runs,
    "sensitivity": direct.sensitivity,
    "simulator": simulation.simulator,
}


def is_true(claim: Json, model: Json, relation: Json) -> bool | None:
    """Whether the claim is true; None where that takes too long to find out."""
    try:
        claim, model, relation = near_e(claim, model, relation)
        found = JUDGES[claim["kind"]](claim, model, relation)
        return both(found, "noise" not in model or is_drawn(model))
    except Wrong:
        return False
    except Unknown:
        return None
