"""Whether levels add up for priors that are polynomials in unknown distributions.

Ends of curves of priors compare two worlds by themselves. If under every prior what is believed
given s and given t is a coupling of such worlds, levels add up: average over it. By Hall and
Strassen there is one exactly if no set A of worlds of s is likelier, given s, than its neighbours N
are, given t: P(A) P(t) <= P(N) P(s), which are polynomials.

Example. Two of three bits are 1. Given that the first is, 110 and 101 have the weights b and c,
the odds of the others; given that it is not, 011 is left, which is compared with both.

After Kifer, Machanavajjhala 2014, Pufferfish, Theorem 9.1; Strassen 1965, The existence of
probability measures with given marginals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON
from verifier.base.polynomial import Curve, Polynomial, add, multiply
from verifier.kernels.ends import believed, corners
from verifier.kernels.positivity import Positive, nowhere_positive
from verifier.questions.answer import Answer, Proof
from verifier.questions.composition import FamilyComposesClaim
from verifier.questions.evidence import (
    FamilyComposesEvidence,
    LikelyEvidence,
    PriorEvidence,
    SaidOneRun,
)

MAX_SETS = 5_000
Weights = Mapping[int, Polynomial]  # of the worlds of a secret


def decide(claim: FamilyComposesClaim) -> Answer:
    """That levels add up under the priors of a claim; NotDecided where couplings do not prove it,
    LimitReached where there are too many sets of worlds."""
    family = claim.family
    weights = {
        name: {w: p for w, p in enumerate(outputs) if p}
        for name, (_, outputs) in family.joint.items()
    }
    smaller = [sorted(pair, key=lambda name: len(weights[name])) for pair in family.pairs]
    compared = [(s, t) for s, t in smaller if weights[s]]
    alone, near = _alone(claim)
    trees = [
        one for s, t in compared for one in _likely(claim, (s, t), weights[s], weights[t], near)
    ]
    vacuous = None if compared else NO_COMPARISON
    evidence = FamilyComposesEvidence(alone, trees)
    return told(claim, Proof(SaidOneRun("holds", None, leakage=vacuous), evidence))


def told(claim: FamilyComposesClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    assert isinstance(proof.said, SaidOneRun)
    scope = {"worlds": claim.space.size, **claim.scope}
    return Answer(proof.said.verdict, proof.said.leakage, proof=proof, scope=scope)


def _alone(claim: FamilyComposesClaim) -> tuple[list[PriorEvidence], dict[int, set[int]]]:
    """Ends of curves that compare two worlds, each two once; and the neighbours of each world."""
    found: list[PriorEvidence] = []
    near: dict[int, set[int]] = {}
    for s, t in claim.family.pairs:
        (p, first), (q, second) = (claim.family.joint[name] for name in (s, t))
        for powers in corners(p, q):
            curve = Curve((Fraction(1),) * len(powers), powers)
            left, right = believed(first, curve), believed(second, curve)
            (w, *others), (v, *more) = left, right
            if not others and not more and v not in near.get(w, ()):
                near.setdefault(w, set()).add(v)
                near.setdefault(v, set()).add(w)
                found.append(PriorEvidence((s, t), curve.point, powers))
    return found, near


def _likely(
    claim: FamilyComposesClaim,
    pair: tuple[str, str],
    first: Weights,
    second: Weights,
    near: Mapping[int, set[int]],
) -> list[LikelyEvidence]:
    """Proofs, where coefficients are not enough, that no worlds of the first secret of a pair are
    likelier than their neighbours."""
    neighbours = {w: frozenset(near.get(w, ())).intersection(second) for w in first}
    unions = {frozenset[int]()}
    for more in set(neighbours.values()):
        unions |= {one | more for one in unions}
        if len(unions) > MAX_SETS:
            raise LimitReached(f"more than {MAX_SETS} sets of worlds may be likelier than others")
    p, q = _sum(first.values()), _sum(second.values())
    found = []
    for union in sorted(unions, key=sorted):
        inside = [w for w, others in neighbours.items() if others <= union]
        above = multiply(_sum(first[w] for w in inside), q)
        below = multiply(_sum(second[w] for w in union), p)
        tree = nowhere_positive(add(above, below, -1), claim.family.groups)
        if tree is None or isinstance(tree, Positive):
            names = ", ".join(claim.space.names(inside)[:3])
            raise NotDecided(
                "what is believed given two secrets is not made of worlds that are compared by "
                f"themselves: given '{pair[0]}', {names} may be likelier than what they are "
                f"compared with given '{pair[1]}'"
            )
        if tree:
            found.append(LikelyEvidence(pair, inside, tree))
    return found


def _sum(parts: Iterable[Polynomial]) -> Polynomial:
    found: Polynomial = {}
    for part in parts:
        found = add(found, part)
    return found
