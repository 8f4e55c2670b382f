"""Whether a definition about priors with unknown distributions implies one that compares columns.

A prior asks a linear inequality of the rows of a mechanism, and so does a limit of priors. Along a
curve c·t^e, t -> 0, of the parameters the weights of lowest order in t remain, given each secret.
Where one monomial of P(s) and one of P(t) are the only lowest ones, the worlds that have them are
compared. These inequalities come first. A row that satisfies them and needs the largest level of
the conclusion satisfies the definition too; or a prior refutes it, and asks another inequality.

Example. Of three bits let the first two not be 0 and 1. A prior under which the second is nearly
always 0 compares 000 with 100, and one under which it is nearly always 1 compares 000 with 110.

After Kifer, Machanavajjhala 2014, Pufferfish, Theorem 10.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

from verifier.base.errors import NotDecided
from verifier.base.halfspaces import Halfspaces
from verifier.base.level import Leakage
from verifier.base.polynomial import Curve
from verifier.engines.comparison import comparison
from verifier.engines.pufferfish import polynomials
from verifier.engines.rows import implies
from verifier.engines.rows.implications import completed
from verifier.kernels.ends import believed, corners
from verifier.questions.answer import Answer, Proof, proved
from verifier.questions.evidence import (
    CurveEvidence,
    FamilyImpliesEvidence,
    MeetsEvidence,
    PolynomialsEvidence,
    PriorEvidence,
)
from verifier.questions.rows import FamilyImpliesClaim
from verifier.world.mechanism import Mechanism

ZERO, ONE = Fraction(0), Fraction(1)
OUTPUTS = ("yes", "no")
CUTS = 16  # priors that refute a row
NEAR = 20  # points of a curve
SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256, 1024)  # of denominators of shares
STEPS = 6  # halves of the way to a row that says nothing

Pair = tuple[str, str]
Rows = Sequence[Sequence[Fraction]]

told = implies.told


def decide(claim: FamilyImpliesClaim) -> Answer:
    """The smallest level that a claim says is implied, a mechanism that needs it, and priors whose
    inequalities prove that none needs more."""
    return told(claim, prove(claim))


def prove(claim: FamilyImpliesClaim) -> Proof:
    """The proof of the answer to a claim."""
    premise = _Premise(claim)
    rows, proofs, meets = premise.worst()
    inner, largest = _concluded(claim, rows)
    low, upper = largest.low, implies.upper_of(largest)
    leakage: Leakage | None = largest
    if meets is None:
        rows, meets = premise.nearest(rows[0])
        inner, near = _concluded(claim, rows)
        low = near.low
        leakage = Leakage.within((low, upper)) if low and upper else None
    holds = upper is not None and claim.level.admits(upper)
    if not holds and low is not None and claim.level.admits(low):
        most = "no level" if upper is None else f"{float(upper):.12g}"
        raise NotDecided(
            f"the smallest level was not found: it is at least {float(low):.12g}, and {most} was "
            "proved to be enough"
        )
    shown, proofs = implies.comparison_of(inner), {} if upper is None else proofs
    linear = implies.evidence_of(claim, premise.asked(), shown, proofs, upper or ONE)
    used = dict.fromkeys(h for multipliers in proofs.values() for h in multipliers)
    evidence = FamilyImpliesEvidence(
        linear.worst, linear.inequalities, linear.proofs, [premise.priors[h] for h in used], meets
    )
    return proved(holds, leakage, evidence, mechanism=Mechanism.from_rows(OUTPUTS, rows))


def _concluded(claim: FamilyImpliesClaim, rows: Rows) -> tuple[Answer, Leakage]:
    """What the conclusion says of the mechanism with two rows, and its smallest level."""
    found = comparison.decide(claim.conclusion_of(Mechanism.from_rows(OUTPUTS, rows)))
    assert found.leakage is not None
    return found, found.leakage


class _Premise:
    """The first definition of a claim, and inequalities that its priors ask."""

    def __init__(self, claim: FamilyImpliesClaim) -> None:
        self.claim = claim
        self.rows: list[Mapping[int, int]] = []
        self.priors: list[PriorEvidence] = []
        middle = (ONE,) * sum(claim.family.groups)
        for pair in claim.family.pairs:
            p, q = (claim.family.joint[name][0] for name in pair)
            for powers in [(0,) * len(middle), *corners(p, q)] if p and q else []:
                self.add(pair, Curve(middle, powers))

    def add(self, pair: Pair, curve: Curve) -> None:
        """What is believed at the end of a curve, given each of two secrets, both ways."""
        family = self.claim.family
        sides = {name: believed(family.joint[name][1], curve) for name in pair}
        for s, t in (pair, pair[::-1]):
            row = _whole(sides[s], sides[t], family.level.alpha)
            if row not in self.rows:
                self.rows.append(row)
                self.priors.append(PriorEvidence((s, t), curve.point, curve.powers))

    def asked(self) -> Halfspaces:
        """All these inequalities."""
        return Halfspaces(self.claim.space.size, self.rows, [""] * len(self.rows))

    def worst(self) -> tuple[Rows, implies.Proofs, MeetsEvidence | None]:
        """A mechanism that needs the largest level of those whose rows satisfy the inequalities,
        proofs that none needs more, and why it is of the definition, if that is known."""
        for _ in range(CUTS):
            row, proofs = implies.worst_of(self.claim, self.asked())
            rows, found = self._member(completed(row, self.asked()))
            if not isinstance(found, CurveEvidence):
                return rows, proofs, found
            self._refute(row, found)
        return rows, proofs, None

    def _refute(self, row: Sequence[Fraction], found: CurveEvidence) -> None:
        """Add an inequality that a row breaks, of the end of a curve or of a simple point near."""
        curve, pair = Curve(tuple(found.point), tuple(found.powers)), found.pair
        if not self._excess(row, pair, curve):
            still = (0,) * len(curve.powers)
            near = (Curve(curve.at(Fraction(1, 2**k)), still) for k in range(NEAR))
            curve = next((one for one in near if self._excess(row, pair, one)), curve)
        if not any(curve.powers):
            excess = self._excess(row, pair, curve)
            simple = (self._simple(curve, size) for size in SIZES)
            enough = (one for one in simple if 2 * self._excess(row, pair, one) >= excess)
            curve = next(enough, curve)
        self.add(pair, curve)

    def _excess(self, row: Sequence[Fraction], pair: Pair, curve: Curve) -> Fraction:
        """By how much a row breaks the inequality of a curve's end; 0 where it does not."""
        left, right = (
            sum(p * row[w] for w, p in believed(self.claim.family.joint[name][1], curve).items())
            for name in pair
        )
        return max(ZERO, left - self.claim.family.level.alpha * right)

    def _simple(self, curve: Curve, size: int) -> Curve:
        """The point of a curve with shares over numbers up to a size, none of which becomes 0."""
        point, start = list(curve.point), 0
        for count in self.claim.family.groups:
            part = point[start : start + count]
            shares = [(x / sum(part)).limit_denominator(size) for x in part]
            point[start : start + count] = shares if all(shares) or not all(part) else part
            start += count
        return Curve(tuple(point), curve.powers)

    def nearest(self, row: Sequence[Fraction]) -> tuple[Rows, MeetsEvidence]:
        """A mechanism of the definition with a row near to the given one."""
        largest = max(row)
        for k in range(STEPS, -1, -1):
            share = Fraction(1, 2**k)
            near = [share + (1 - share) * x / largest for x in row]
            rows, found = self._member(completed(near, self.asked()))
            if isinstance(found, MeetsEvidence):
                return rows, found
        raise AssertionError("the constant mechanism is of every definition")

    def _member(self, rows: Rows) -> tuple[Rows, MeetsEvidence | CurveEvidence | None]:
        """Why the mechanism with these rows, or with a smaller multiple of the first, is of the
        definition; or a prior that refutes the first row; None where neither is known."""
        for _ in range(STEPS):
            mechanism = Mechanism.from_rows(OUTPUTS, rows)
            try:
                found = polynomials.decide(self.claim.family_of(mechanism))
            except NotDecided:
                return rows, None
            evidence = found.evidence
            assert isinstance(evidence, PolynomialsEvidence)
            if found.verdict == "holds":
                assert found.leakage is not None
                level = implies.upper_of(found.leakage)
                assert level is not None
                return rows, MeetsEvidence(level, evidence.upper)
            assert evidence.lower is not None
            if evidence.lower.outputs == (0,):
                return rows, evidence.lower
            rows = [[x / 2 for x in rows[0]], [1 - x / 2 for x in rows[0]]]
        return rows, None


def _whole(
    left: Mapping[int, Fraction], right: Mapping[int, Fraction], alpha: Fraction
) -> dict[int, int]:
    """left − alpha · right by ascending world, in integers without a common factor."""
    worlds = sorted({*left, *right})
    row = {w: left.get(w, Fraction(0)) - alpha * right.get(w, Fraction(0)) for w in worlds}
    unit = lcm(*(x.denominator for x in row.values()))
    whole = {w: int(x * unit) for w, x in row.items() if x}
    common = gcd(*whole.values()) or 1
    return {w: x // common for w, x in whole.items()}
