"""Whether a definition that compares columns implies one about priors with unknown distributions.

From above: given a secret, an output is as likely as on average over its worlds. So no prior needs
more than the worst two worlds of two secrets do; and if all records have the same distribution, no
more than two worlds that differ in one record.

From below: a prior is taken, then the row of the premise that needs most under it, by a linear
program; then the prior of the class under which this row needs most, and so on while the level
grows. Priors at the ends of curves of parameters, where single worlds remain, come first.

Example. Of three bits let an odd number be 1, and any two worlds be within 2. A prior under which
the second bit is nearly never 1 leaves of r1 = 0 the world 001, and of r1 = 1 the world 100.

After Kifer, Machanavajjhala 2014, Pufferfish, Theorem 10.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from verifier.base.errors import NotDecided
from verifier.base.level import Leakage
from verifier.base.polynomial import Curve
from verifier.engines.pufferfish import polynomials
from verifier.engines.rows import implies
from verifier.engines.rows.implications import Cone, completed, with_equations
from verifier.kernels.ends import believed, corners
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.evidence import (
    CurveEvidence,
    EndEvidence,
    ImpliesFamilyEvidence,
    PolynomialsEvidence,
    PriorEvidence,
)
from verifier.questions.rows import ImpliesFamilyClaim
from verifier.questions.witness import MechanismWitness, Table
from verifier.world.mechanism import Mechanism

ONE = Fraction(1)
OUTPUTS = ("yes", "no")
CORNERS = 64  # of each pair of secrets, at most
DRAWN = 8  # priors of each pair
STEPS = 6  # of a prior and a row

Pair = tuple[str, str]


def decide(claim: ImpliesFamilyClaim) -> Answer:
    """A prior and a mechanism that need a level, or why no prior needs more than is asked."""
    return told(claim, prove(claim))


def prove(claim: ImpliesFamilyClaim) -> Proof:
    """The proof of the answer to a claim; NotDecided between the two bounds of its level."""
    claim = replace(claim, premise=with_equations(claim.premise))
    row, proofs = implies.worst_of(claim, claim.premise)
    most = _most(claim, row)
    found = _Search(claim, most).found()
    holds = most is not None and claim.level.admits(most)
    if not holds and found.ratio is not None and claim.level.admits(found.ratio):
        above = "no level" if most is None else f"{float(most):.12g}"
        raise NotDecided(
            f"the smallest level was not found: it is at least {float(found.ratio):.12g}, and "
            f"{above} was proved to be enough"
        )
    leakage: Leakage | None = None if most is None else Leakage.within((found.ratio or ONE, most))
    if found.ratio is None:
        leakage, most = Leakage(), None
    linear = implies.evidence_of(
        claim, claim.premise, None, {} if most is None else proofs, most or ONE
    )
    end = EndEvidence(
        0, PriorEvidence(found.pair, found.curve.point, found.curve.powers), claim.within
    )
    evidence = ImpliesFamilyEvidence(end, linear.inequalities, linear.proofs)
    mechanism = Mechanism.from_rows(OUTPUTS, completed(found.row, claim.premise))
    return proved(holds, leakage, evidence, mechanism=mechanism)


def _most(claim: ImpliesFamilyClaim, row: Sequence[Fraction]) -> Fraction | None:
    """The largest ratio of worlds that are compared, in a row that needs it; None: infinite."""
    pairs = [(row[w], row[v]) for w, v, _ in claim.comparisons]
    if any(p and not q for p, q in pairs):
        return None
    return max((p / q for p, q in pairs if p), default=ONE)


def told(claim: ImpliesFamilyClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: what its prior believes of its mechanism."""
    mechanism, evidence = proof.mechanism, proof.witness
    assert mechanism is not None and isinstance(evidence, ImpliesFamilyEvidence)
    end = evidence.worst
    lower = CurveEvidence(end.curve.pair, [end.output], end.curve.point, end.curve.powers)
    inner = replace(proof, witness=PolynomialsEvidence(lower, []), mechanism=None)
    shown = polynomials.told(claim.family_of(mechanism), inner).shown
    if shown is not None:
        shown = MechanismWitness(Table.of_mechanism(claim.space, mechanism), shown)
    return replace(leveled(claim, proof, sizes(claim.space, mechanism)), shown=shown)


@dataclass(frozen=True)
class Found:
    """A level that is needed (None: infinite), under the end of a curve, by a row."""

    ratio: Fraction | None
    pair: Pair
    curve: Curve
    row: list[Fraction]

    def above(self, other: Found | None) -> bool:
        """Whether it needs more than another one."""
        if other is None or self.ratio is None:
            return other is None or other.ratio is not None
        return other.ratio is not None and self.ratio > other.ratio


class _Search:
    """A search for the prior and the row that need most, up to what is known to be enough."""

    def __init__(self, claim: ImpliesFamilyClaim, most: Fraction | None) -> None:
        self.claim, self.most, self.cone = claim, most, Cone(claim.premise)

    def found(self) -> Found:
        """The best of all starts, from which it climbs."""
        best: Found | None = None
        for pair, curve in self._starts():
            found: Found | None = self._under(pair, curve)
            for _ in range(STEPS):
                if found is None or not found.above(best):
                    break
                best = found
                if best.ratio is None or best.ratio == self.most:
                    return best
                found = self._climbed(best)
        if best is None:
            raise NotDecided("no prior of the class allows both secrets of a pair")
        return best

    def _starts(self) -> Iterator[tuple[Pair, Curve]]:
        """The middle of all priors, ends of curves, and drawn priors; always the same."""
        family, random = self.claim.family, Random(0)
        still = (0,) * sum(family.groups)
        for s, t in family.pairs:
            p, q = (family.joint[name][0] for name in (s, t))
            if not (p and q):
                continue
            ends = [still, *(e for e, _ in zip(corners(p, q), range(CORNERS), strict=False))]
            curves = [Curve((ONE,) * len(still), powers) for powers in ends]
            for _ in range(DRAWN):
                curves.append(Curve(tuple(Fraction(random.randint(1, 20)) for _ in still), still))
            for curve in curves:
                yield from (((s, t), curve), ((t, s), curve))

    def _under(self, pair: Pair, curve: Curve) -> Found | None:
        """The row that needs most at the end of a curve."""
        joint = self.claim.family.joint
        left, right = (believed(joint[name][1], curve) for name in pair)
        most = self.cone.most(left, right)
        return Found(most.ratio, pair, curve, list(most.row))

    def _climbed(self, best: Found) -> Found | None:
        """The same at the end of the curve under which a row needs most."""
        rows = completed(best.row, self.claim.premise)
        try:
            proof = polynomials.decide(self.claim.family_of(Mechanism.from_rows(OUTPUTS, rows)))
        except NotDecided:
            return None
        evidence = proof.evidence
        assert isinstance(evidence, PolynomialsEvidence)
        lower = evidence.lower
        if lower is None:
            return None
        return self._under(lower.pair, Curve(tuple(lower.point), tuple(lower.powers)))
