"""Whether one definition implies another, and the smallest level of it that is implied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from verifier.base import exact
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage
from verifier.claims.claim import Answer, Json
from verifier.claims.rows import ClosureImpliesClaim, ImpliesClaim
from verifier.engines.answers import leveled, table
from verifier.engines.comparison import comparison
from verifier.engines.rows.implications import (
    Cone,
    Graph,
    Most,
    Multipliers,
    Weights,
    completed,
    with_equations,
)
from verifier.kernels.ratios import exceeds
from verifier.world.mechanism import Mechanism

ONE = Fraction(1)

Proofs = Mapping[tuple[int, int, int], Multipliers]


def decide(claim: ImpliesClaim | ClosureImpliesClaim) -> Answer:
    """The smallest level that is implied, a mechanism that needs it, and multipliers that prove
    that none needs more."""
    return _of_closure(claim) if isinstance(claim, ClosureImpliesClaim) else _of_definition(claim)


def _of_definition(claim: ImpliesClaim) -> Answer:
    claim = replace(claim, premise=with_equations(claim.premise))
    row, proofs = _worst(claim)
    outputs = ("yes", "no")
    mechanism = Mechanism.from_rows(outputs, completed(row, claim.premise))
    premise = claim.premise_of(mechanism)
    inner = comparison.decide(claim.conclusion_of(mechanism))
    assert comparison.decide(premise).verdict == "holds"
    assert inner.leakage is not None and inner.proof is not None
    level = _proved(claim, inner)
    evidence = {
        "worst": inner.proof.witness,
        **_evidence(claim, {} if level is None else proofs, level or ONE),
    }
    answer = leveled(
        claim,
        inner.verdict == "holds",
        inner.leakage,
        (claim.space, mechanism),
        evidence,
        shown=mechanism,
    )
    if inner.witness is None:
        return answer
    return replace(
        answer,
        witness={
            **inner.witness,
            "mechanism": table(claim.space, mechanism.outputs, mechanism.rows()),
        },
    )


def _of_closure(claim: ClosureImpliesClaim) -> Answer:
    """The largest of the smallest levels of the given mechanisms: an inequality that their rows
    satisfy holds all over their row cone."""
    found = [(comparison.decide(claim.conclusion_of(m)), m) for m in claim.given.values()]
    inner, mechanism = found[0]
    for other, m in found[1:]:
        if _needs_more(other.leakage, inner.leakage):
            inner, mechanism = other, m
    assert inner.proof is not None
    _proved(claim, inner)
    answer = leveled(
        claim,
        inner.verdict == "holds",
        inner.leakage,
        (claim.space, mechanism),
        {"worst": inner.proof.witness, "inequalities": [], "proofs": []},
        shown=mechanism,
    )
    if inner.witness is None:
        return answer
    name = next(name for name, m in claim.given.items() if m is mechanism)
    return replace(answer, witness={**inner.witness, "given": name})


def _needs_more(left: Leakage | None, right: Leakage | None) -> bool:
    """Whether a smallest level, or its upper bound, is above another one."""
    assert left is not None and right is not None
    high, low = _upper(left), _upper(right)
    return low is not None and (high is None or high > low)


def _upper(leakage: Leakage) -> Fraction | None:
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
    upper = _upper(inner.leakage)
    if upper is None or level.exp_epsilon is None or inner.verdict != "holds":
        return upper
    return min(upper, level.exp_epsilon)


def _worst(claim: ImpliesClaim) -> tuple[Sequence[Fraction], Proofs]:
    """A row of the premise that needs the largest level, and multipliers for every comparison."""
    finder = _Finder(claim)
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

    def __init__(self, claim: ImpliesClaim) -> None:
        self.weights: Sequence[Weights] = claim.weights
        self.cone = Cone(claim.premise)
        single = all(list(column.values()) == [1] for column in claim.weights)
        self.graph = Graph.of(claim.premise) if single else None
        self.worlds = [next(iter(column)) for column in claim.weights]

    def bounded(self, i: int, j: int, ratio: Fraction) -> Multipliers | None:
        """Multipliers that prove a ratio; None where it is exceeded."""
        if self.graph is not None:
            return self.graph.bounded(self.worlds[i], self.worlds[j], ratio)
        return self.cone.bounded(self.weights[i], self.weights[j], ratio)

    def most(self, i: int, j: int) -> Most:
        """The largest ratio."""
        if self.graph is not None:
            return self.graph.most(self.worlds[i], self.worlds[j])
        return self.cone.most(self.weights[i], self.weights[j])


def _evidence(claim: ImpliesClaim, proofs: Proofs, alpha: Fraction) -> Json:
    """Inequalities of the premise that are used, and multipliers for those of the conclusion at a
    level; inequalities that all x >= 0 satisfy need none."""
    used = dict.fromkeys(h for multipliers in proofs.values() for h in multipliers)
    place = {h: at for at, h in enumerate(used)}
    listed: dict[object, Json] = {}  # by inequality, up to a positive factor
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
                {
                    "inequality": [[w, exact.text(h)] for w, h in kept],
                    "multipliers": [[place[h], exact.text(y)] for h, y in multipliers.items()],
                },
            )
    return {
        "inequalities": [[[w, str(v)] for w, v in claim.premise.rows[h].items()] for h in used],
        "proofs": list(listed.values()),
    }
