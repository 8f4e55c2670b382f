"""Whether one definition implies another, and the smallest level of it that is implied.

Example. On two bits, let changing one bit be worth 2: x_00 <= 2 x_01, x_01 <= 2 x_11, …. Then any
two worlds are within 4, by (x_00 − 2 x_01) + 2 (x_01 − 2 x_11) = x_00 − 4 x_11, and the mechanism
that says yes in proportion to (4, 2, 2, 1) needs it.

After Lin, Kifer 2012, Reasoning about privacy using axioms, Section III.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from verifier.base.errors import NotDecided
from verifier.base.halfspaces import Halfspaces
from verifier.base.level import Leakage
from verifier.engines.comparison import comparison
from verifier.engines.rows.implications import (
    Cone,
    Graph,
    Most,
    Multipliers,
    Weights,
    completed,
    name_of,
    with_equations,
)
from verifier.kernels.ratios import exceeds
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.evidence import (
    ComparisonEvidence,
    ImpliesEvidence,
    InequalityEvidence,
    terms,
)
from verifier.questions.rows import (
    ClosureImpliesClaim,
    FamilyImpliesClaim,
    ImpliesClaim,
    ImpliesFamilyClaim,
)
from verifier.questions.witness import GivenWitness, MechanismWitness, Table
from verifier.world.mechanism import Mechanism

ONE = Fraction(1)

Proofs = Mapping[tuple[int, int, int], Multipliers]
Between = ImpliesClaim | FamilyImpliesClaim | ImpliesFamilyClaim


def decide(claim: ImpliesClaim | ClosureImpliesClaim) -> Answer:
    """The smallest level that a claim says is implied, a mechanism that needs it, and multipliers
    that prove that none needs more."""
    return told(claim, prove(claim))


def prove(claim: ImpliesClaim | ClosureImpliesClaim) -> Proof:
    """The proof of the answer to a claim."""
    return _of_closure(claim) if isinstance(claim, ClosureImpliesClaim) else _of_definition(claim)


def told(claim: ImpliesClaim | ClosureImpliesClaim | FamilyImpliesClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: what the conclusion asks of the proof's mechanism.
    NotRead where that is none of the given mechanisms of the claim."""
    mechanism, evidence = proof.mechanism, proof.witness
    assert mechanism is not None and isinstance(evidence, ImpliesEvidence)
    name = None
    if isinstance(claim, ClosureImpliesClaim):
        name = name_of(mechanism, claim.given)
        mechanism = claim.given[name]
    inner = Proof(proof.said, evidence.worst)
    shown = comparison.told(claim.conclusion_of(mechanism), inner).shown
    if shown and name is not None:
        shown = GivenWitness(name, shown)
    elif shown:
        shown = MechanismWitness(Table.of_mechanism(claim.space, mechanism), shown)
    return replace(leveled(claim, proof, sizes(claim.space, mechanism)), shown=shown)


def _of_definition(claim: ImpliesClaim) -> Proof:
    claim = replace(claim, premise=with_equations(claim.premise))
    row, proofs = worst_of(claim, claim.premise)
    outputs = ("yes", "no")
    mechanism = Mechanism.from_rows(outputs, completed(row, claim.premise))
    premise = claim.premise_of(mechanism)
    inner = comparison.decide(claim.conclusion_of(mechanism))
    assert comparison.decide(premise).verdict == "holds"
    assert inner.leakage is not None
    shown, level = comparison_of(inner), _proved(claim, inner)
    proofs = {} if level is None else proofs
    evidence = evidence_of(claim, claim.premise, shown, proofs, level or ONE)
    return proved(inner.verdict == "holds", inner.leakage, evidence, mechanism=mechanism)


def _of_closure(claim: ClosureImpliesClaim) -> Proof:
    """The largest of the smallest levels of the given mechanisms: an inequality that their rows
    satisfy holds all over their row cone."""
    found = [(comparison.decide(claim.conclusion_of(m)), m) for m in claim.given.values()]
    inner, mechanism = found[0]
    for other, m in found[1:]:
        if _needs_more(other.leakage, inner.leakage):
            inner, mechanism = other, m
    _proved(claim, inner)
    evidence = ImpliesEvidence(comparison_of(inner), [], [])
    return proved(inner.verdict == "holds", inner.leakage, evidence, mechanism=mechanism)


def comparison_of(inner: Answer) -> ComparisonEvidence | None:
    """The comparison that needs the level, if any does."""
    assert isinstance(inner.evidence, ComparisonEvidence | None)
    return inner.evidence


def _needs_more(left: Leakage | None, right: Leakage | None) -> bool:
    """Whether a smallest level, or its upper bound, is above another one."""
    assert left is not None and right is not None
    high, low = upper_of(left), upper_of(right)
    return low is not None and (high is None or high > low)


def upper_of(leakage: Leakage) -> Fraction | None:
    """The smallest level or its upper bound; None where it is infinite."""
    return leakage.bounds[1] if leakage.bounds else leakage.exp_epsilon


def _proved(claim: ImpliesClaim | ClosureImpliesClaim, inner: Answer) -> Fraction | None:
    """The level at which everything is proved: at most the one asked for if that is implied;
    None where no level is."""
    assert inner.leakage is not None
    level, bounds = claim.level, inner.leakage.bounds
    inside = bounds and level.admits(bounds[0]) and not level.admits(bounds[1])
    if inside and level.exp_epsilon is None:
        raise NotDecided("two irrational levels are too close to each other")
    upper = upper_of(inner.leakage)
    if upper is None or level.exp_epsilon is None or inner.verdict != "holds":
        return upper
    return min(upper, level.exp_epsilon)


def worst_of(claim: Between, premise: Halfspaces) -> tuple[Sequence[Fraction], Proofs]:
    """A row of a `premise` that needs the largest level of the conclusion of a `claim`, and
    multipliers for every comparison."""
    finder = _Finder(claim, premise)
    row: Sequence[Fraction] = [ONE] * claim.space.size
    ratio, distance = ONE, 1
    proofs: dict[tuple[int, int, int], Multipliers] = {}
    for i, j, d in claim.comparisons:
        known = ratio if d == distance else ONE
        multipliers = finder.bounded(i, j, known)
        if multipliers is None:
            most = finder.most(i, j)
            if most.ratio is None:
                return most.row, {}
            multipliers = most.multipliers
            if exceeds(most.ratio, Fraction(d), ratio, Fraction(distance)):
                row, ratio, distance = most.row, most.ratio, d
        proofs[i, j, d] = multipliers
    return row, proofs


class _Finder:
    """Largest ratios of the columns of the conclusion, over the rows of the premise."""

    def __init__(self, claim: Between, premise: Halfspaces) -> None:
        self.weights: Sequence[Weights] = claim.weights
        self.cone = Cone(premise)
        single = all(list(column.values()) == [1] for column in claim.weights)
        self.graph = Graph.of(premise) if single else None
        self.worlds = [next(iter(column)) for column in claim.weights]

    def bounded(self, i: int, j: int, ratio: Fraction) -> Multipliers | None:
        """Multipliers that prove a ratio of the columns i and j; None where it is exceeded."""
        if self.graph is not None:
            return self.graph.bounded(self.worlds[i], self.worlds[j], ratio)
        return self.cone.bounded(self.weights[i], self.weights[j], ratio)

    def most(self, i: int, j: int) -> Most:
        """The largest ratio of the columns i and j."""
        if self.graph is not None:
            return self.graph.most(self.worlds[i], self.worlds[j])
        return self.cone.most(self.weights[i], self.weights[j])


def evidence_of(
    claim: Between,
    premise: Halfspaces,
    worst: ComparisonEvidence | None,
    proofs: Proofs,
    alpha: Fraction,
) -> ImpliesEvidence:
    """The evidence that a premise implies the conclusion of a claim at a level `alpha`.

    It has the `worst` comparison, the inequalities of the `premise` that are used, and their
    multipliers for each inequality of the conclusion that not all x >= 0 satisfy.
    """
    used = dict.fromkeys(h for multipliers in proofs.values() for h in multipliers)
    place = {h: at for at, h in enumerate(used)}
    listed: dict[object, InequalityEvidence] = {}  # by inequality, up to a positive factor
    for (i, j, d), multipliers in proofs.items():
        left, right = claim.weights[i], claim.weights[j]
        row = {
            w: left.get(w, Fraction(0)) - alpha**d * right.get(w, Fraction(0))
            for w in sorted({*left, *right})
        }
        if max(row.values()) > 0:
            kept = [(w, h) for w, h in row.items() if h]
            listed.setdefault(
                tuple((w, h / abs(kept[0][1])) for w, h in kept),
                InequalityEvidence(kept, [(place[h], y) for h, y in multipliers.items()]),
            )
    rows = [terms(premise.rows[h]) for h in used]
    return ImpliesEvidence(worst, rows, list(listed.values()))
