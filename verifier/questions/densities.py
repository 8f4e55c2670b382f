"""Which claims about released real numbers are those about the finite mechanism in their place.

A claim that says the same of a row and of its multiples, and for each prior holds for the sum of
two rows where it holds for both, is about the cone of rows. So is "P(o | s) <= alpha P(o | t)" of
worlds, mixtures of worlds, or conditional distributions, for each prior of any class; and with the
simulator that runs the mechanism in another world. A share of all probability, delta, is not; nor
are divergences, losses, and what may choose a simulator or a post-processing.
"""

from __future__ import annotations

from verifier.questions.beliefs.exchangeable import Exchangeable
from verifier.questions.claim import (
    Claim,
    ComparisonClaim,
    DivergenceClaim,
    PolynomialsClaim,
    PolytopeClaim,
)
from verifier.questions.simulation import SimulationClaim
from verifier.world.mechanism import CONE, CUT, ENDS, MIXED

OTHERWISE = (
    "real numbers are released: this is decided where likelihoods of worlds are compared without "
    "delta, such as by differential_privacy, metric_privacy, blowfish or pufferfish; clamp and "
    "round the number to ask for more"
)
COMPARED = (
    "a real number is released after its draws have been compared or summed: decided is whether "
    "likelihoods of worlds, or under given priors, are close, such as by differential_privacy or "
    "pufferfish, of this mechanism alone; clamp and round the number to ask for more"
)
INSIDE = (
    "a real number is released after comparisons, and the odds of two worlds are largest at a "
    "number that is no end of a cell"
)
OF_PAIRS = (
    "real numbers are released with normal noise: without delta no ratio of two worlds has a bound "
    "where their numbers differ, and mixtures of worlds are not decided"
)


def reason(claim: Claim, reals: str) -> str:
    """Why a `claim` about released real numbers is not decided; empty where it is.

    reals  how far a finite mechanism stands for them
    """
    direct = isinstance(claim, ComparisonClaim) and claim.compared is claim.mechanism
    of_worlds = direct and claim.relation.statement["rule"] != "secrets"  # type: ignore[attr-defined]
    delta, traded = getattr(claim, "delta", 0), getattr(claim, "tradeoff", ())
    if reals == CUT:
        return "" if isinstance(claim, ComparisonClaim) and delta and not traded else OTHERWISE
    if reals in (ENDS, MIXED):
        decided = isinstance(claim, ComparisonClaim) and reals == ENDS and not (delta or traded)
        return "" if decided else COMPARED
    if delta or traded:
        return OTHERWISE
    if reals != CONE:
        return "" if of_worlds else OF_PAIRS
    if isinstance(claim, DivergenceClaim):
        return "" if claim.definition == "bounded_range" else OTHERWISE
    if isinstance(claim, SimulationClaim):
        of_worlds = not isinstance(claim.coupled, Exchangeable)
        runs = type(claim) is SimulationClaim and claim.given is not None
        return "" if runs and of_worlds else OTHERWISE
    kinds = ComparisonClaim | PolytopeClaim | PolynomialsClaim
    return "" if isinstance(claim, kinds) else OTHERWISE
