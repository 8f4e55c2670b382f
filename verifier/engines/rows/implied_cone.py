"""Whether the rows of a definition are in the row cone of given mechanisms.

Example. The row cone of a bit that is told with probability 3/4 has the facets 3 x_1 >= x_0 and
3 x_0 >= x_1. These are the inequalities of differential privacy at the level 3, each with the
multiplier 1. At the level 4 the row (4, 1) breaks the first.

After Lin, Kifer 2012, Reasoning about privacy using axioms, Definition 3.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from verifier.base.halfspaces import Halfspaces
from verifier.engines.comparison import comparison
from verifier.engines.rows import row_cone
from verifier.engines.rows.implications import Cone, Multipliers, completed, with_equations
from verifier.kernels.rows import row_cone as cone_of
from verifier.questions.answer import Answer, Proof
from verifier.questions.evidence import (
    CounterexampleEvidence,
    InequalityEvidence,
    InsideEvidence,
    PayoffEvidence,
    SaidValue,
    terms,
)
from verifier.questions.rows import ImpliesRowConeClaim, RowConeClaim
from verifier.questions.witness import MechanismWitness, Table
from verifier.world.mechanism import Mechanism

MOST = 50_000  # facets


def decide(claim: ImpliesRowConeClaim) -> Answer:
    """For a claim, a mechanism of the definition with a row outside the cone, or multipliers that
    prove every facet and equation of the cone."""
    claim = replace(claim, premise=with_equations(claim.premise))
    found = inside(claim.premise, claim.given.values())
    if isinstance(found, InsideEvidence):
        return told(claim, Proof(SaidValue("holds"), found))
    mechanism = Mechanism.from_rows(("yes", "no"), completed(found, claim.premise))
    premise = comparison.decide(claim.premise_of(mechanism))
    inner = row_cone.decide(_membership(claim, mechanism))
    assert premise.verdict == "holds" and isinstance(inner.evidence, PayoffEvidence)
    evidence = CounterexampleEvidence(inner.evidence)
    return told(claim, Proof(SaidValue("violated"), evidence, mechanism))


def told(claim: ImpliesRowConeClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    said, evidence, mechanism, shown = proof.said, proof.witness, proof.mechanism, None
    assert isinstance(said, SaidValue)
    if isinstance(evidence, CounterexampleEvidence) and mechanism is not None:
        inner = Proof(said, evidence.worst)
        found = row_cone.told(_membership(claim, mechanism), inner).shown
        shown = found and MechanismWitness(Table.of_mechanism(claim.space, mechanism), found)
    scope = {"worlds": claim.space.size, **claim.scope}
    return Answer(said.verdict, shown=shown, proof=proof, scope=scope)


def _membership(claim: ImpliesRowConeClaim, mechanism: Mechanism) -> RowConeClaim:
    """Whether the rows of a mechanism are in the cone."""
    return RowConeClaim(claim.definition, claim.space, claim.given, None, mechanism)


def inside(asked: Halfspaces, given: Iterable[Mechanism]) -> InsideEvidence | Sequence[Fraction]:
    """Evidence that all rows that satisfy what is `asked`, equations both ways, are in the row cone
    of given mechanisms; or a row that is not."""
    cone = cone_of(given, MOST)
    premise = Cone(asked)
    proofs: list[tuple[Mapping[int, int], Multipliers]] = []
    for row in (*cone.equations, *([-a for a in e] for e in cone.equations), *cone.facets):
        inequality = {w: -a for w, a in enumerate(row) if a}
        found = premise.broken(inequality)
        if not isinstance(found, Mapping):
            return found
        proofs.append((inequality, found))
    used = dict.fromkeys(h for _, multipliers in proofs for h in multipliers)
    place = {h: at for at, h in enumerate(used)}
    listed = [
        InequalityEvidence(terms(inequality), [(place[h], y) for h, y in multipliers.items()])
        for inequality, multipliers in proofs
    ]
    return InsideEvidence(cone.equations, cone.facets, [terms(asked.rows[h]) for h in used], listed)
