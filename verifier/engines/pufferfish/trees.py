"""Deciding Pufferfish where each record answers by itself, and their values follow trees.

Under one tree, P(o | X_i in A)/P(o | X_i in B) is largest for outputs o that are found branch by
branch (`verifier.kernels.trees`). Of two values this is exact, of more as long as the vectors that
outputs make are few; otherwise it is enclosed.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from verifier.base import exact
from verifier.base.cell import innermost
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.base.rational_function import parts
from verifier.claims.answer import Answer, Proof, leveled, proved
from verifier.claims.claim import TreesClaim
from verifier.claims.evidence import TreeOutputs, TreesEvidence
from verifier.claims.witness import Belief, OutputWitness
from verifier.engines.pufferfish.chains import listed, remark, settled
from verifier.kernels.chains import ORDER
from verifier.kernels.nearby import Nearby, outputs_near, reach_of
from verifier.kernels.trees import Asked, Branches, Found, TooManyRays, size
from verifier.world.tree import Tree

BITS = 44  # of the corners of enclosures
MOST_DEGREE = 40  # of functions of a parameter, records together


def decide(claim: TreesClaim) -> Answer:
    """The verdict on a claim, the smallest level or an enclosure, and the outputs that need it."""
    try:
        bits, found = None, _found(claim, None)
    except TooManyRays:
        bits, found = BITS, _found(claim, BITS)
    if not found:
        return told(claim, proved(True, NO_COMPARISON, TreesEvidence(None, bits)))
    enough = max((one.enough for _, one in found), key=ORDER)
    prior, worst = max(found, key=lambda one: ORDER(one[1].ratio))
    record, *pair = worst.asked
    evidence = TreesEvidence(TreeOutputs(prior, record, (pair[0], pair[1]), worst.outputs), bits)
    return told(claim, settled(claim.level, worst.ratio, enough, evidence))


def prove(claim: TreesClaim) -> Proof:
    """The proof of the answer, whose numbers may be functions of a parameter: outputs that are the
    worst at the sample, and are no worse elsewhere than all others."""
    if sum(_degrees(claim)) > MOST_DEGREE:
        return _by_those_near(claim)
    every = [(at, _branches(claim, tree)) for at, tree in enumerate(claim.trees)]
    found = [
        (tuple(exact.coprime(ratio)), made, at, one)
        for at, known in every
        for one in _asked(claim, known)
        for ratio, made in known.ratios(*one)
    ]
    if not found:
        return proved(True, NO_COMPARISON, TreesEvidence(None, None))
    (top, bottom), made, at, (record, a, b) = max(found, key=lambda one: size(one[0]))
    outputs = TreeOutputs(at, record, (a, b), every[at][1].outputs(made))
    if not bottom:
        return proved(False, Leakage(), TreesEvidence(outputs, None))
    if not all(x * bottom <= top * y for x, y in dict.fromkeys(ratio for ratio, *_ in found)):
        raise NotDecided("the worst outputs are not known for this value of the parameter")
    level = exact.over(top, bottom)
    return proved(claim.level.admits(level), Leakage(level), TreesEvidence(outputs, None))


def _by_those_near(claim: TreesClaim) -> Proof:
    """The proof whether the level is enough, no more, by the records near each one."""
    every = [_branches(claim, tree) for tree in claim.trees]
    long = [_longest(p for m in known.marginals for p in m) for known in every]
    if max(long) > MOST_DEGREE or len(every[0].first) > 2:
        raise LimitReached("so many records have polynomials of the parameter that are too long")
    reach = min(reach_of(known, _degrees(claim), MOST_DEGREE) for known in every)
    found = [
        (ratio, at, one)
        for at, known in enumerate(every)
        for ratio, one in Nearby(known, reach).ratios(_asked(claim, known)).values()
    ]
    if not found:
        return proved(True, NO_COMPARISON, TreesEvidence(None, None))
    unit, (alpha,) = exact.cleared([claim.level.alpha])
    worst, at, one = max(found, key=lambda known: size(known[0]))
    if all(x * unit <= alpha * y for x, y in (worst, *(ratio for ratio, *_ in found))):
        evidence = TreesEvidence(None, None, reach)
        return proved(True, Leakage(claim.level.alpha, side="at_most"), evidence)
    (record, a, b), outputs = one, outputs_near(every[at], one, reach)
    top, bottom = every[at].ratio(*one, outputs)
    if top * unit <= alpha * bottom:
        raise NotDecided(f"the smallest level is nearly {exact.text(claim.level.alpha)}")
    return proved(False, None, TreesEvidence(TreeOutputs(at, record, (a, b), outputs), None))


def _degrees(claim: TreesClaim) -> list[int]:
    """For each record the largest degree of what it tells, and of how it depends on its parent; at
    an irrational point, where numbers are reduced, that is not known."""
    if (cell := innermost()) is not None and cell.modulus:
        return [2] * len(claim.local.chosen)
    channels = [
        _longest(p for matrix, _ in channel.answers for p in matrix.values)
        for channel in claim.local.channels
    ]
    rows = [row for tree in claim.trees for row in (tree.initial, *sum(tree.transitions, ()))]
    steps = _longest(p for row in rows for p in row)
    return [channels[at] + steps for at in claim.local.chosen]


def _longest(values: Iterable[Fraction | int]) -> int:
    """The largest degree of some functions, numerators and denominators."""
    return max((len(part) - 1 for value in values for part in parts(value)), default=0)


def told(claim: TreesClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    evidence = proof.witness
    assert isinstance(evidence, TreesEvidence)
    answer = leveled(claim, proof, {"records": len(claim.local.records)})
    if evidence.worst is None:
        return answer
    return replace(answer, shown=_shown(claim, evidence.worst), reason=remark(answer.leakage))


def _branches(claim: TreesClaim, tree: Tree, bits: int | None = None) -> Branches:
    answers = (channel.answers for channel in claim.local.channels)
    rows = [tuple(map(tuple, matrix.rows())) for ((matrix, _),) in answers]
    return Branches(tree, [rows[at] for at in claim.local.chosen], bits)


def _found(claim: TreesClaim, bits: int | None) -> list[tuple[int, Found]]:
    """The trees that compare something, by number, with the largest ratio of each."""
    every = (_branches(claim, tree, bits) for tree in claim.trees)
    asked = ((at, known, list(_asked(claim, known))) for at, known in enumerate(every))
    return [(at, known.largest(listed)) for at, known, listed in asked if listed]


def _asked(claim: TreesClaim, known: Branches) -> Iterator[Asked]:
    """What is compared of each record, in both orders, where both sets of values are possible."""
    for record, (at, m) in enumerate(zip(claim.chosen, known.marginals, strict=True)):
        for a, b in claim.parts[at] if at >= 0 else ():
            if any(m[v] for v in a) and any(m[v] for v in b):
                yield from ((record, a, b), (record, b, a))


def _shown(claim: TreesClaim, worst: TreeOutputs) -> OutputWitness:
    """The outputs in the reader's terms, with what an attacker believes of the record."""
    known, (a, b) = _branches(claim, claim.trees[worst.prior]), worst.pair
    names, record = claim.space.value_names, claim.local.records[worst.record]
    m = known.marginals[worst.record]
    prior = {
        f"{record} = {name}": Fraction(mass, sum(m))
        for name, mass in zip(names, m, strict=True)
        if mass
    }
    odds = Fraction(sum(m[v] for v in a), sum(m[v] for v in b))
    sides = (_named(record, [names[v] for v in values]) for values in (a, b))
    before = Belief((next(sides), next(sides)), prior, odds, worst.prior + 1)
    top, bottom = known.ratio(worst.record, a, b, worst.outputs)
    channels = (claim.local.channel(i).answers for i in range(len(claim.local.records)))
    outputs = [
        matrix.outputs[output]
        for ((matrix, _),), output in zip(channels, worst.outputs, strict=True)
    ]
    return OutputWitness(before, listed(outputs), Fraction(top, bottom) if bottom else None)


def _named(record: str, values: Sequence[str]) -> str:
    if len(values) == 1:
        return f"{record} = {values[0]}"
    return f"{record} in [{', '.join(values)}]"
