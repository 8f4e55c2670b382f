"""The option `tradeoff` of a check: at which levels the smallest delta is reported too.

`tradeoff: [1, 2, 3]` lists levels e^ε. `tradeoff: corners` stands for the corners of the curve
δ(e^ε) where distributions are compared: it is convex and linear between them, and constant after
the last.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from verifier.base.document import Node, Scalar
from verifier.claims.claim import Claim, ComparisonClaim, SimulationClaim
from verifier.kernels import hockey_stick
from verifier.spec.model import Check

MAX_LEVELS = 1000


def asked(check: Check, claim: Claim) -> Claim:
    """The claim with the levels that its check asks for; S602 where it has no such curve."""
    node = check.options.get("tradeoff")
    if node is None:
        return claim
    if isinstance(claim, SimulationClaim) and not claim.posteriors:
        return replace(claim, tradeoff=_levels(node))
    # of a metric, worlds farther apart are left out: neighbours decide them, but not with delta
    metric = check.definition.text == "metric_privacy"
    if isinstance(claim, ComparisonClaim) and not metric and _is_near(claim):
        return replace(claim, tradeoff=_of_comparisons(node, claim))
    said = "there is no exact trade-off for this definition or class of priors"
    raise node.fail("S602", said, "leave tradeoff out")


def _is_near(claim: ComparisonClaim) -> bool:
    return all(part.distance == 1 for part in claim.relation.blocks)


def _of_comparisons(node: Node, claim: ComparisonClaim) -> tuple[Fraction, ...]:
    if not isinstance(node, Scalar):
        return _levels(node)
    node.word(("corners",), "trade-off")
    corners = hockey_stick.curve(claim.compared, claim.relation.pairs())
    return tuple(alpha for alpha, _ in corners)


def _levels(node: Node) -> tuple[Fraction, ...]:
    items = node.sequence("a list of levels e^ε").items
    if not 1 <= len(items) <= MAX_LEVELS:
        hint = "write some, such as [1, 3/2, 2]" if not items else "leave some out"
        raise node.fail("S601", f"{len(items)} levels, 1 to {MAX_LEVELS} are allowed", hint)
    levels = []
    for item in items:
        level = item.number("a level e^ε")
        if level < 1:
            hint = "write e^ε, a number of at least 1"
            raise item.fail("S601", f"a level e^ε is at least 1, found {level}", hint)
        levels.append(level)
    return tuple(levels)
