"""What a set of mechanisms protects: its row cone, read as statements about attackers.

Lin, Kifer: Reasoning About Privacy Using Axioms (2012). `facets` finds the cone's inequalities,
`reading` turns one into bounds on an attacker's odds, `predicates` names the sets of worlds that
are compared, `relaxation` keeps what the cone says about two worlds at a time.
"""

from verifier.kernels.rows.facets import RowCone, directions, row_cone
from verifier.kernels.rows.independence import independent
from verifier.kernels.rows.predicates import named
from verifier.kernels.rows.reading import Reading, read_row
from verifier.kernels.rows.relaxation import Relaxation, by_elimination, relaxed

__all__ = [
    "Reading",
    "Relaxation",
    "RowCone",
    "by_elimination",
    "directions",
    "independent",
    "named",
    "read_row",
    "relaxed",
    "row_cone",
]
