"""Deciding Pufferfish where each record answers by itself, and their values follow Markov chains.

Under one chain, P(o | X_i = a)/P(o | X_i = b) is largest for outputs o that are found from both
ends of the chain inwards (`verifier.kernels.chains`). Of two values this is exact. Of more, the
largest ratio is exact where all other words of outputs were cut; otherwise it is enclosed.

Example. Two bits that are equal with probability 9/10, each told with probability 3/4: given the
first one, the second answer has the ratio 7/3 at most, (9/10·3/4 + 1/10·1/4)/(9/10·1/4 + 1/10·3/4),
so that both answers together have 3·7/3 = 7.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from verifier.base.errors import NotDecided
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.claims.answer import Answer, Proof, leveled, proved
from verifier.claims.claim import ChainsClaim
from verifier.claims.evidence import ChainsEvidence, Evidence, WorstOutputs
from verifier.claims.witness import Belief, OutputWitness
from verifier.kernels.chains import ORDER, Chain, Found, Ratio, Sides, largest

PRECISIONS = (40, 160)  # bits of the corners of enclosures
SHOWN = 40  # outputs that are told one by one


def decide(claim: ChainsClaim) -> Answer:
    """The verdict on a claim, the smallest level or an enclosure, and the outputs that need it."""
    for bits in PRECISIONS:
        found = [(at, *largest(sides, asked)) for at, sides, asked in _asked(claim, bits)]
        if not found:
            return told(claim, proved(True, NO_COMPARISON, ChainsEvidence(None, [], bits)))
        enough = max((bound for _, bound, _ in found), key=ORDER)
        prior, _, (worst, *_) = max(found, key=lambda known: ORDER(known[2][0].ratio))
        if ORDER(enough) == ORDER(worst.ratio):
            break
    words = [_word(at, one) for at, _, listed in found for one in listed if one.proved]
    evidence = ChainsEvidence(
        WorstOutputs(prior, worst.record, worst.pair, worst.outputs),
        [] if len(claim.local.values.record_values) == 2 else words,
        bits,
    )
    return told(claim, settled(claim.level, worst.ratio, enough, evidence))


def told(claim: ChainsClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    evidence = proof.witness
    assert isinstance(evidence, ChainsEvidence)
    answer = leveled(claim, proof, {"records": len(claim.local.records)})
    if evidence.worst is None:
        return answer
    return replace(answer, shown=_shown(claim, evidence.worst), reason=remark(answer.leakage))


def _asked(
    claim: ChainsClaim, bits: int
) -> Iterator[tuple[int, Sides, list[tuple[int, int, int]]]]:
    """The chains that compare something, by number, with what they compare."""
    for at, chain in enumerate(claim.chains):
        sides = _sides(claim, chain, bits)
        pairs = dict.fromkeys(
            one
            for i, a, b in claim.compared
            if sides.marginals[i][a] and sides.marginals[i][b]
            for one in ((i, a, b), (i, b, a))
        )
        if pairs:
            yield at, sides, list(pairs)


def _sides(claim: ChainsClaim, chain: Chain, bits: int = PRECISIONS[0]) -> Sides:
    answers = (channel.answers for channel in claim.local.channels)
    rows = [tuple(map(tuple, matrix.rows())) for ((matrix, _),) in answers]
    return Sides.of(chain, [rows[at] for at in claim.local.chosen], bits)


def _word(prior: int, found: Found) -> tuple[int, int, int, int, tuple[int, ...], tuple[int, ...]]:
    return prior, found.record, *found.pair, found.left, found.right


def settled(level: Level, low: Ratio, enough: Ratio, evidence: Evidence) -> Proof:
    """The proof of a verdict, where the bounds have one; else NotDecided.

    level     that is asked
    low       the largest ratio that is found
    enough    what none exceeds
    evidence  for both
    """
    if not low[1]:
        return proved(False, Leakage(), evidence)
    reached = Fraction(*low)
    if not enough[1]:
        if level.admits(reached):
            least = _short(reached)
            raise NotDecided(f"the smallest level was not found: it is at least {least}")
        return proved(False, None, evidence)
    bounds = reached, Fraction(*enough)
    holds = level.admits(bounds[1])
    if not holds and level.admits(reached):
        least, most = map(_short, bounds)
        raise NotDecided(
            f"the smallest level was not found: it is at least {least}, and at most {most}"
        )
    return proved(holds, Leakage.within(bounds), evidence)


def _short(level: Fraction) -> str:
    return f"{float(level):.12g}"


def remark(leakage: Leakage | None) -> str | None:
    """What is said of a `leakage` that is not exact; None of one that is."""
    if leakage is None:
        return "the smallest level was not found"
    if leakage.bounds is None:
        return None
    least, most = map(_short, leakage.bounds)
    return f"the smallest level was only found to lie between {least} and {most}"


def _shown(claim: ChainsClaim, worst: WorstOutputs) -> OutputWitness:
    """The outputs in the reader's terms, with what an attacker believes of the record."""
    sides, (a, b) = _sides(claim, claim.chains[worst.prior]), worst.pair
    names, record = claim.space.value_names, claim.local.records[worst.record]
    marginal = sides.marginals[worst.record]
    prior = {
        f"{record} = {name}": Fraction(mass, sum(marginal))
        for name, mass in zip(names, marginal, strict=True)
        if mass
    }
    before = Belief(
        (f"{record} = {names[a]}", f"{record} = {names[b]}"),
        prior,
        Fraction(marginal[a], marginal[b]),
        worst.prior + 1,
    )
    top, bottom = sides.ratio(worst.record, a, b, tuple(worst.outputs))
    channels = (claim.local.channel(i).answers for i in range(len(claim.local.records)))
    outputs = [
        matrix.outputs[output]
        for ((matrix, _),), output in zip(channels, worst.outputs, strict=True)
    ]
    return OutputWitness(before, listed(outputs), Fraction(top, bottom) if bottom else None)


def listed(outputs: list[str]) -> str:
    """One of some `outputs` for each record; of many records equal neighbours together.

    >>> listed(["0", "1"]), listed(["yes", "no"]), listed(["0"] * 99 + ["1"])
    ('01', '(yes, no)', '(0 (99×), 1)')
    """
    if len(outputs) <= SHOWN and all(len(output) == 1 for output in outputs):
        return "".join(outputs)
    if len(outputs) > SHOWN:
        runs = [(name, len(list(same))) for name, same in groupby(outputs)]
        outputs = [f"{name} ({times}×)" if times > 1 else name for name, times in runs]
    return f"({', '.join(outputs)})"
