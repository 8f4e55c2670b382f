"""What a set of mechanisms protects: its row cone, read as statements about attackers.

Lin, Kifer: Reasoning About Privacy Using Axioms (2012). `facets` finds the cone's inequalities,
`reading` turns one into bounds on an attacker's odds, `predicates` names the sets of worlds that
are compared, `relaxation` keeps what the cone says about two worlds at a time.
"""

from verifier.rowcone.facets import RowCone, directions, row_cone
from verifier.rowcone.independence import independent
from verifier.rowcone.predicates import named
from verifier.rowcone.reading import Reading, read
from verifier.rowcone.relaxation import Relaxation, by_elimination, relaxed

__all__ = [
    "Reading",
    "Relaxation",
    "RowCone",
    "by_elimination",
    "directions",
    "independent",
    "named",
    "read",
    "relaxed",
    "row_cone",
]
