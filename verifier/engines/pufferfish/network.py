"""Deciding Pufferfish where each record answers by itself, and depends on one other at most.

Under one network, P(o | X_i in A)/P(o | X_i in B) is largest for outputs o that are found branch by
branch (`verifier.kernels.network`). Of two values this is exact. Of more it is along a line of
records if all other words of outputs are cut (`verifier.kernels.chains`), and otherwise as long as
the vectors that outputs make are few; else it is enclosed.

Example. Two bits that are equal with probability 9/10, each told with probability 3/4: given the
first one, the second answer has the ratio 7/3 at most, (9/10·3/4 + 1/10·1/4)/(9/10·1/4 + 1/10·3/4),
so that both answers together have 3·7/3 = 7.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from verifier.base import exact
from verifier.base.cell import innermost
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.base.rational_function import parts
from verifier.kernels.chains import MAX_STATES, ORDER, Ratio, largest
from verifier.kernels.nearby import Nearby, outputs_near, reach_of
from verifier.kernels.network import Asked, Branches, TooManyRays, size
from verifier.questions.answer import Answer, Proof, leveled, proved
from verifier.questions.claim import NetworkClaim
from verifier.questions.evidence import NetworkEvidence, WorstOutputs
from verifier.questions.witness import Belief, OutputWitness
from verifier.world.network import Network

PRECISIONS = (40, 160)  # bits of the corners of enclosures that words are searched in
BITS = 44  # of the corners of others
MOST_DEGREE = 40  # of functions of a parameter, records together
SHOWN = 40  # outputs that are told one by one
Word = tuple[int, int, int, int, Sequence[int], Sequence[int]]


class Found(NamedTuple):
    """Two bounds of the largest ratio.

    enough       no ratio exceeds it; `bits` and `words` prove that
    reached      the ratio of the outputs in `worst`
    """

    enough: Ratio
    reached: Ratio
    worst: WorstOutputs
    bits: int | None
    words: Sequence[Word]

    @property
    def is_exact(self) -> bool:
        """Whether the bounds are equal."""
        return ORDER(self.enough) == ORDER(self.reached)


def decide(claim: NetworkClaim) -> Answer:
    """The verdict on a claim, the smallest level or an enclosure, and the outputs that need it."""
    every = [list(_asked(claim, _branches(claim, tree))) for tree in claim.networks]
    if not any(every):
        return told(claim, proved(True, NO_COMPARISON, _shows()))
    return told(claim, settled(claim, _found(claim, every)))


def _found(claim: NetworkClaim, every: Sequence[Sequence[Asked]]) -> Found:
    """Bounds of what is told: along lines by words, else by rays, exactly if they are few.

    every  for each tree what is compared under it
    """
    found = None
    if _are_lines(claim, every):
        for bits in PRECISIONS:
            found = _by_words(claim, every, bits)
            if found.is_exact:
                return found
    try:
        return _by_rays(claim, every, None)
    except TooManyRays:
        return found or _by_rays(claim, every, BITS)


def _are_lines(claim: NetworkClaim, every: Sequence[Sequence[Asked]]) -> bool:
    """Whether words are searched: of a few values, more than two, that are compared one by one."""
    lines = all(network.is_line for network in claim.networks)
    single = all(len(a) == len(b) == 1 for asked in every for _, a, b in asked)
    return lines and single and 2 < len(claim.networks[0].initial) <= MAX_STATES


def _by_words(claim: NetworkClaim, every: Sequence[Sequence[Asked]], bits: int) -> Found:
    found: list[tuple[Ratio, Ratio, WorstOutputs]] = []
    words: list[Word] = []
    for at, (tree, asked) in enumerate(zip(claim.networks, every, strict=True)):
        if not asked:
            continue
        known = _branches(claim, tree, bits)
        place = {record: k for k, record in enumerate(tree.order)}
        enough, listed = largest(known.line, [(place[i], a, b) for i, (a,), (b,) in asked])
        for one in listed:
            record, (a, b) = tree.order[one.record], one.pair
            if one.proved:
                words.append((at, record, a, b, one.left, one.right))
        outputs = dict(zip(tree.order, listed[0].outputs, strict=True))
        record, (a, b) = tree.order[listed[0].record], listed[0].pair
        said = [outputs[i] for i in range(len(outputs))]
        found.append((enough, listed[0].ratio, WorstOutputs(at, record, ((a,), (b,)), said)))
    return _together(found, bits, words)


def _by_rays(claim: NetworkClaim, every: Sequence[Sequence[Asked]], bits: int | None) -> Found:
    found = []
    for at, (tree, asked) in enumerate(zip(claim.networks, every, strict=True)):
        if asked:
            one = _branches(claim, tree, bits).largest(asked)
            record, a, b = one.asked
            found.append((one.enough, one.ratio, WorstOutputs(at, record, (a, b), one.outputs)))
    return _together(found, bits)


def _together(
    found: Sequence[tuple[Ratio, Ratio, WorstOutputs]],
    bits: int | None,
    words: Sequence[Word] = (),
) -> Found:
    """What is found of all trees that compare something."""
    enough = max((bound for bound, _, _ in found), key=ORDER)
    _, reached, worst = max(found, key=lambda one: ORDER(one[1]))
    return Found(enough, reached, worst, bits, words)


def _shows(
    worst: WorstOutputs | None = None,
    bits: int | None = None,
    words: Sequence[Word] = (),
    reach: int | None = None,
) -> NetworkEvidence:
    """The evidence of some worst outputs, and of what proves that no more is needed."""
    return NetworkEvidence(worst, reach, bits, words)


def prove(claim: NetworkClaim) -> Proof:
    """The proof of the answer, whose numbers may be functions of a parameter: outputs that are the
    worst at the sample, and are no worse elsewhere than all others."""
    if sum(_degrees(claim)) > MOST_DEGREE:
        return _by_those_near(claim)
    every = [(at, _branches(claim, tree)) for at, tree in enumerate(claim.networks)]
    found = [
        (tuple(exact.coprime(ratio)), made, at, one)
        for at, known in every
        for one in _asked(claim, known)
        for ratio, made in known.ratios(*one)
    ]
    if not found:
        return proved(True, NO_COMPARISON, _shows())
    (top, bottom), made, at, (record, a, b) = max(found, key=lambda one: size(one[0]))
    outputs = WorstOutputs(at, record, (a, b), every[at][1].outputs(made))
    if not bottom:
        return proved(False, Leakage(), _shows(outputs))
    if not all(x * bottom <= top * y for x, y in dict.fromkeys(ratio for ratio, *_ in found)):
        raise NotDecided("the worst outputs are not known for this value of the parameter")
    level, evidence = exact.over(top, bottom), _shows(outputs)
    return proved(claim.level.admits(level), Leakage(level), evidence)


def _by_those_near(claim: NetworkClaim) -> Proof:
    """The proof whether the level is enough, no more, by the records near each one."""
    every = [_branches(claim, tree, shared=True) for tree in claim.networks]
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
        return proved(True, NO_COMPARISON, _shows())
    unit, (alpha,) = exact.cleared([claim.level.alpha])
    worst, at, one = max(found, key=lambda known: size(known[0]))
    if all(x * unit <= alpha * y for x, y in (worst, *(ratio for ratio, *_ in found))):
        leakage = Leakage(claim.level.alpha, side="at_most")
        return proved(True, leakage, _shows(reach=reach))
    known = _branches(claim, claim.networks[at])
    (record, a, b), outputs = one, outputs_near(known, one, reach)
    top, bottom = known.ratio(*one, outputs)
    if top * unit <= alpha * bottom:
        raise NotDecided(f"the smallest level is nearly {exact.text(claim.level.alpha)}")
    return proved(False, None, _shows(WorstOutputs(at, record, (a, b), outputs)))


def _degrees(claim: NetworkClaim) -> list[int]:
    """For each record the largest degree of what it tells, and of how it depends on its parent; at
    an irrational point, where numbers are reduced, that is not known."""
    if (cell := innermost()) is not None and cell.modulus:
        return [2] * len(claim.local.chosen)
    channels = [
        _longest(p for matrix, _ in channel.answers for p in matrix.values)
        for channel in claim.local.channels
    ]
    rows = [row for tree in claim.networks for row in (tree.initial, *sum(tree.transitions, ()))]
    steps = _longest(p for row in rows for p in row)
    return [channels[at] + steps for at in claim.local.chosen]


def _longest(values: Iterable[Fraction | int]) -> int:
    """The largest degree of some functions, numerators and denominators."""
    return max((len(part) - 1 for value in values for part in parts(value)), default=0)


def told(claim: NetworkClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    evidence = proof.witness
    assert isinstance(evidence, NetworkEvidence)
    answer = leveled(claim, proof, {"records": len(claim.local.records)})
    if evidence.worst is None:
        return answer
    return replace(answer, shown=_shown(claim, evidence.worst), reason=remark(answer.leakage))


def _branches(
    claim: NetworkClaim, tree: Network, bits: int | None = None, shared: bool = False
) -> Branches:
    answers = (channel.answers for channel in claim.local.channels)
    rows = [tuple(map(tuple, matrix.rows())) for ((matrix, _),) in answers]
    return Branches(tree, rows, claim.local.chosen, bits, shared)


def settled(claim: NetworkClaim, found: Found) -> Proof:
    """The proof of a verdict, where bounds that are `found` have one; else NotDecided."""
    level, enough, shown = claim.level, found.enough, _shows(found.worst)
    if not found.reached[1]:
        return proved(False, Leakage(), shown)
    reached = Fraction(*found.reached)
    if not enough[1]:
        if level.admits(reached):
            least = _short(reached)
            raise NotDecided(f"the smallest level was not found: it is at least {least}")
        return proved(False, None, shown)
    bounds = reached, Fraction(*enough)
    holds = level.admits(bounds[1])
    if not holds and level.admits(reached):
        least, most = map(_short, bounds)
        raise NotDecided(
            f"the smallest level was not found: it is at least {least}, and at most {most}"
        )
    evidence = _shows(found.worst, found.bits, found.words)
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


def _asked(claim: NetworkClaim, known: Branches) -> Iterator[Asked]:
    """What is compared of each record, in both orders, where both sets of values are possible."""
    for record, (at, m) in enumerate(zip(claim.chosen, known.marginals, strict=True)):
        for a, b in claim.parts[at] if at >= 0 else ():
            if any(m[v] for v in a) and any(m[v] for v in b):
                yield from ((record, a, b), (record, b, a))


def _shown(claim: NetworkClaim, worst: WorstOutputs) -> OutputWitness:
    """The outputs in the reader's terms, with what an attacker believes of the record."""
    known, (a, b) = _branches(claim, claim.networks[worst.prior]), worst.pair
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


def listed(outputs: list[str]) -> str:
    """A list of `outputs`, one for each record, as text; a long one counts equal neighbours.

    >>> listed(["0", "1"]), listed(["yes", "no"]), listed(["0"] * 99 + ["1"])
    ('01', '(yes, no)', '(0 (99×), 1)')
    """
    if len(outputs) <= SHOWN and all(len(output) == 1 for output in outputs):
        return "".join(outputs)
    if len(outputs) > SHOWN:
        runs = [(name, len(list(same))) for name, same in groupby(outputs)]
        outputs = [f"{name} ({times}×)" if times > 1 else name for name, times in runs]
    return f"({', '.join(outputs)})"
