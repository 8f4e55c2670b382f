"""Whether all mechanisms of a premise are mixtures of post-processings of given mechanisms.

If the premise is such mixtures of other mechanisms, it is enough that each of these is one. If it
asks something of each row alone, a row is a sum of extreme ones, up to factors r_1, …, r_n, and
its mechanisms are the mixtures of post-processings of finitely many: those with rows λ_i r_i, λ an
extreme point of {λ ≥ 0 : Σ λ_i r_i = (1, …, 1)}. For x_o = Σ_i y_oi r_i with y ≥ 0 are the rows of
a post-processing of that for λ_i = Σ_o y_oi. There is one such λ where the r_i are independent. In
place of the extreme rows any others serve that have all rows of the premise in their cone, such as
those of a given mechanism.

Example. Differential privacy of a bit at the level 3: its extreme rows are (3, 1) and (1, 3). They
are independent, and λ = 1/4 for both makes their sum (1, 1). So there is one extreme mechanism, the
bit that is told with probability 3/4: all others are post-processings of it.

After Lin, Kifer 2012, Reasoning about privacy using axioms, Definition 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from operator import mul
from typing import Protocol

from verifier.base.errors import LimitReached, TimeLimitReached
from verifier.engines.rows import implied_cone, post_processing, row_cone
from verifier.engines.rows.implications import completed, name_of, with_equations
from verifier.kernels.rows import directions
from verifier.kernels.rows import row_cone as cone_of
from verifier.kernels.rows.facets import Row
from verifier.questions.answer import Answer, NotRead, Proof
from verifier.questions.evidence import (
    CounterexampleEvidence,
    ExtremeEvidence,
    InsideEvidence,
    MixturesEvidence,
    PayoffEvidence,
    RowsInsideEvidence,
    SaidValue,
    Weights,
    WeightsEvidence,
)
from verifier.questions.rows import (
    ImpliesClosureClaim,
    LinearPremise,
    PostProcessingClaim,
    RowConeClaim,
)
from verifier.questions.witness import GivenWitness, MechanismWitness, Table, Witness
from verifier.world.mechanism import Mechanism

Inside = InsideEvidence | RowsInsideEvidence

EXTREME = 2_000  # rows of the premise, or mechanisms made of them, at any time


def decide(claim: ImpliesClosureClaim) -> Answer:
    """For a claim, a mechanism of the premise that cannot be made of the given ones, or how all
    are."""
    if isinstance(claim.premise, LinearPremise):
        return _of_rows(claim, _Definition(claim.premise))
    rows, mixtures = _RowCone(claim), []
    for mechanism in claim.premise.values():
        made = _made(claim, mechanism)
        if made.verdict == "violated":
            weights = rows.belongs(mechanism) if claim.only_rows else rows.itself(mechanism)
            return _violated(claim, mechanism, made, weights)
        mixtures.append(_mixture(made))
    if claim.only_rows:
        return _of_rows(claim, rows)
    return told(claim, Proof(SaidValue("holds"), MixturesEvidence(mixtures)))


class _Rows(Protocol):
    """A premise that asks something of each row alone."""

    def inside(self, given: Sequence[Mechanism]) -> Inside | Mechanism:
        """Evidence that all its rows are in the row cone of given mechanisms, or a mechanism of it
        that has a row outside."""

    def extreme(self) -> Sequence[Row]:
        """Its extreme rows."""

    def belongs(self, mechanism: Mechanism) -> Sequence[Weights] | None:
        """What proves that a mechanism is of it, if a checker needs anything."""


class _Definition:
    """All mechanisms whose rows satisfy inequalities."""

    def __init__(self, premise: LinearPremise) -> None:
        self.asked = with_equations(premise.asked)

    def inside(self, given: Sequence[Mechanism]) -> Inside | Mechanism:
        """See _Rows, for `given` mechanisms."""
        found = implied_cone.inside(self.asked, given)
        if isinstance(found, InsideEvidence):
            return found
        return Mechanism.from_rows(("yes", "no"), completed(found, self.asked), parts=())

    def extreme(self) -> Sequence[Row]:
        worlds = range(self.asked.worlds)
        rows = [[-terms.get(w, 0) for w in worlds] for terms in self.asked.rows]
        return _rays([*rows, *([int(v == w) for v in worlds] for w in worlds)])

    def belongs(self, mechanism: Mechanism) -> Sequence[Weights] | None:
        """Nothing: the checker looks at the mechanism itself."""
        return None


class _RowCone:
    """All mechanisms with rows in the row cone of known ones."""

    def __init__(self, claim: ImpliesClosureClaim) -> None:
        assert not isinstance(claim.premise, LinearPremise)
        self.claim, self.known = claim, claim.premise

    def inside(self, given: Sequence[Mechanism]) -> Inside | Mechanism:
        """See _Rows, for `given` mechanisms."""
        weights = []
        for mechanism in self.known.values():
            found = self._weights(mechanism, given)
            if found is None:
                return mechanism
            weights.append(found)
        return RowsInsideEvidence(weights)

    def extreme(self) -> Sequence[Row]:
        cone = cone_of(self.known.values(), EXTREME)
        turned = [tuple(-a for a in row) for row in cone.equations]
        return _rays([*cone.facets, *cone.equations, *turned])

    def belongs(self, mechanism: Mechanism) -> Sequence[Weights] | None:
        """The rows of a mechanism as combinations of known ones."""
        return self._weights(mechanism, list(self.known.values()))

    def itself(self, mechanism: Mechanism) -> Sequence[Weights]:
        """The rows of a known mechanism as its own."""
        at = [other is mechanism for other in self.known.values()].index(True)
        return [[(at, output, Fraction(1))] for output in range(len(mechanism.outputs))]

    def _weights(
        self, mechanism: Mechanism, given: Sequence[Mechanism]
    ) -> Sequence[Weights] | None:
        """The evidence that rows are in a row cone; None where they are not."""
        named = {str(k): other for k, other in enumerate(given)}
        claim = RowConeClaim(self.claim.definition, self.claim.space, named, None, mechanism)
        found = row_cone.decide(claim)
        return found.evidence.weights if isinstance(found.evidence, WeightsEvidence) else None


def _of_rows(claim: ImpliesClosureClaim, premise: _Rows) -> Answer:
    """The answer where the premise is a cone of rows."""
    for given in claim.given.values():
        rows = directions([given])
        if len(rows) <= len(rows[0]) and len(_sums(rows)[0]) == 1:  # independent
            extreme = _extreme(rows)
            if not isinstance(found := premise.inside([extreme.whole]), Mechanism):
                return _holds(claim, extreme, found)
    # a row outside the row cone is cheaper to find than an extreme mechanism that fails
    outside = premise.inside(list(claim.given.values()))
    if isinstance(outside, Mechanism):
        return _violated(claim, outside, _made(claim, outside), premise.belongs(outside))
    try:
        extreme = _extreme(premise.extreme())
    except TimeLimitReached:
        raise
    except LimitReached:
        raise LimitReached(
            "all rows are in the row cone of the given mechanisms, but the extreme mechanisms of "
            "the first definition are too many"
        ) from None
    for mechanism in extreme.mechanisms:
        made = _made(claim, mechanism)
        if made.verdict == "violated":
            return _violated(claim, mechanism, made, premise.belongs(mechanism))
    found = premise.inside([extreme.whole])
    assert not isinstance(found, Mechanism)
    return _holds(claim, extreme, found)


@dataclass(frozen=True, eq=False)
class _Extreme:
    """The extreme mechanisms with rows λ_i r_i.

    whole       their mean, with rows ρ_i r_i
    sums        all λ_i/ρ_i with Σ λ_i r_i the same in every world are Σ_k sums[i][k] z_k
    rays        the z of the extreme λ ≥ 0, up to a factor
    mechanisms  in the same order, without impossible outputs
    """

    whole: Mechanism
    sums: Sequence[Sequence[Fraction]]
    rays: Sequence[Row]
    mechanisms: Sequence[Mechanism]


def _extreme(rows: Sequence[Row]) -> _Extreme:
    """The extreme mechanisms of these directions of rows."""
    sums = _sums(rows)
    rays = _rays(sums)
    factors = [[_product(row, ray) for row in sums] for ray in rays]
    totals = [_product(found, [row[0] for row in rows]) for found in factors]
    shares = [[Fraction(y, t) for y in found] for found, t in zip(factors, totals, strict=True)]
    mean = [sum(column) / len(rays) for column in zip(*shares, strict=True)]
    scaled = [[a / m for a in row] for row, m in zip(sums, mean, strict=True)]
    return _Extreme(_scaled(mean, rows), scaled, rays, [_scaled(found, rows) for found in shares])


def _sums(rows: Sequence[Row]) -> Sequence[Row]:
    """A basis of all λ with Σ λ_i r_i the same in every world: an entry of each for every row."""
    import flint

    first, *others = zip(*rows, strict=True)
    equal = [[a - b for a, b in zip(other, first, strict=True)] for other in others]
    found, count = flint.fmpz_mat([*equal, [0] * len(rows)]).nullspace()
    columns = [[int(a) for a in column] for column in found.transpose().tolist()[:count]]
    return list(zip(*([a // gcd(*column) for a in column] for column in columns), strict=True))


def _rays(rows: Sequence[Sequence[int]]) -> Sequence[Row]:
    """The extreme rays of the cone of all x with a · x ≥ 0 for all rows a."""
    from verifier.lp.exact.double_description import dual

    return dual(rows, EXTREME).rays


def _scaled(factors: Sequence[Fraction], rows: Sequence[Row]) -> Mechanism:
    """The mechanism of the rows times factors that are not 0."""
    table = [[y * a for a in row] for y, row in zip(factors, rows, strict=True) if y]
    return Mechanism.from_rows([f"output {k}" for k in range(1, len(table) + 1)], table)


def _product(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(map(mul, left, right))


def _made(claim: ImpliesClosureClaim, mechanism: Mechanism) -> Answer:
    """Whether a mechanism is a mixture of post-processings of the given ones."""
    return post_processing.decide(_about(claim, mechanism))


def _about(claim: ImpliesClosureClaim, mechanism: Mechanism) -> PostProcessingClaim:
    return PostProcessingClaim(claim.definition, claim.space, mechanism, claim.given)


def _mixture(answer: Answer) -> Sequence[Weights]:
    """The mixture of an answer that holds."""
    assert isinstance(answer.evidence, WeightsEvidence)
    return answer.evidence.weights


def _holds(claim: ImpliesClosureClaim, extreme: _Extreme, inside: Inside) -> Answer:
    """The answer where all extreme mechanisms can be made of the given ones."""
    mixtures = [_mixture(_made(claim, mechanism)) for mechanism in extreme.mechanisms]
    evidence = ExtremeEvidence(extreme.sums, extreme.rays, mixtures, inside)
    return told(claim, Proof(SaidValue("holds"), evidence, extreme.whole))


def _violated(
    claim: ImpliesClosureClaim,
    mechanism: Mechanism,
    made: Answer,
    belongs: Sequence[Weights] | None,
) -> Answer:
    """The answer that one mechanism of the premise proves."""
    assert isinstance(made.evidence, PayoffEvidence)
    evidence = CounterexampleEvidence(made.evidence, weights=belongs)
    return told(claim, Proof(SaidValue("violated"), evidence, mechanism))


def told(claim: ImpliesClosureClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidValue)
    shown = None
    if isinstance(evidence, CounterexampleEvidence) and proof.mechanism is not None:
        shown = _shown(claim, proof.mechanism, Proof(said, evidence.worst))
    scope = {"worlds": claim.space.size, **claim.scope}
    return Answer(said.verdict, shown=shown, proof=proof, scope=scope)


def _shown(claim: ImpliesClosureClaim, mechanism: Mechanism, inner: Proof) -> Witness | None:
    """Why a mechanism of the premise cannot be made of the given ones."""
    found = post_processing.told(_about(claim, mechanism), inner).shown
    if not isinstance(claim.premise, LinearPremise):
        with suppress(NotRead):
            return found and GivenWitness(name_of(mechanism, claim.premise), found)
    return found and MechanismWitness(Table.of_mechanism(claim.space, mechanism), found)
