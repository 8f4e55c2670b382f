"""Claims about several runs: what levels become when mechanisms are released together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from verifier.base.nouns import dataclass
from verifier.questions import evidence
from verifier.questions.answer import Json
from verifier.questions.beliefs.supports import PairedSupports, Supports
from verifier.questions.claim import Claim, Parts, PolynomialsClaim, PriorsClaim
from verifier.questions.evidence import SaidOneRun
from verifier.questions.model import of_worlds


@dataclass(frozen=True, eq=False)
class ComposableClaim(Claim):
    """Levels of mechanisms add up when these are released together, under the priors of a class.

    secrets    the worlds of each, by name
    pairs      pairs of secrets, by name
    composes   whether the class alone says so: worlds are compared with worlds
    priors     the given priors, a weight for each world; none where the class composes
    mixed      whether all their mixtures are meant
    statement  the relation as it stands in a certificate
    """

    engine = "composition.composable"
    on_cell = "composition.composable"
    rule = "linear"
    said = SaidOneRun
    proves = evidence.ComposableEvidence | evidence.CouplingsEvidence | None

    secrets: Mapping[str, Sequence[int]]
    pairs: Sequence[tuple[str, str]]
    composes: bool
    priors: Sequence[Sequence[Fraction]]
    mixed: bool
    statement: Json

    def section(self) -> Parts:
        """See `Claim`."""
        relation = {**self.statement, "rule": "composable"}
        return {"relation": relation}, of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class FamilyComposesClaim(Claim):
    """For all mechanisms M and N: if M satisfies Pufferfish at alpha, and N at beta, with priors of
    a family, then M and N together satisfy it at alpha * beta.

    family  Pufferfish, asked of the mechanism in which each world is an output
    """

    engine = "composition.family_composes"
    rule = "linear"
    said = SaidOneRun
    proves = evidence.FamilyComposesEvidence

    family: PolynomialsClaim

    def section(self) -> Parts:
        """See `Claim`."""
        relation = {**self.family.statement, "rule": "composable"}
        return {"relation": relation}, of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class CompositionClaim(PriorsClaim):
    """The condition without which levels of many runs do not add up.

    It is about each pair (s, t) of secrets in both orders, each prior θ of a class that allows
    both, and each world D of s with θ(D) > 0. There are weights β >= 0 of sum 1 on the worlds of t
    with θ > 0, so that M[o, D] <= alpha * Π_l M[o, l]^β_l for every output o.

    supports   the worlds that priors of the class can make possible together
    secrets    the worlds of each secret, ascending
    """

    engine = "composition.composition"
    on_cell = "composition.parametric"
    rule = "composition"
    proves = evidence.CompositionEvidence

    supports: Supports | PairedSupports
    secrets: Mapping[str, Sequence[int]]
