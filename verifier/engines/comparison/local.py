"""Deciding a local claim: from the channels of single records, without any world.

Records are answered independently, so the likelihood ratio of two databases is the product of
those of the records in which they differ.

Example. Two bits are each told with probability 3/4. One changed bit has the ratio 3, both have 9;
with delta = 1/4 one bit asks for 2, as 3/4 − 2 · 1/4 = 1/4.

    alpha* = max Π_i max_o C_i[o, x_i] / C_i[o, y_i]                                          (1)
    with delta: the largest alpha with Σ_o max(0, Π_i C_i[o_i, x_i] − alpha · Π_i …) >= delta  (2)
    per unit: max (C_i[o, x_i] / C_i[o, y_i])^(1/d)                                           (3)

The maximum is over the changes (x_i, y_i) of records that are compared, within the limit on what
they cost together. In (2) more changed records never leak less, as their answers may be thrown
away. Where losses are too many to be listed, (2) is enclosed on grids of ratios.

After Dwork, McSherry, Nissim, Smith 2006, Definition 1; Kasiviswanathan, Lee, Nissim,
Raskhodnikova, Smith 2011, Definition 2.2; at distances Chatzikokolakis, Andrés, Bordenabe,
Palamidessi 2013.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from math import comb, floor

from verifier.base.errors import LimitReached, NotDecided
from verifier.base.exact import is_irrational, is_symbolic, near, total
from verifier.base.exponential import bounds
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.engines.comparison.divergence import Level as Rooted
from verifier.engines.comparison.divergence import enclosed, root
from verifier.kernels.grids import deltas, smallest_level
from verifier.kernels.hockey_stick import profile
from verifier.kernels.products import (
    Change,
    Chosen,
    Drawn,
    Losses,
    all_losses,
    change,
    convolved,
    drawn,
    largest_changes,
    largest_product,
    losses,
    powered,
    short,
    terms_of,
)
from verifier.kernels.ratios import exceeds
from verifier.questions.answer import Answer, Proof, leveled, proved
from verifier.questions.claim import LocalClaim
from verifier.questions.evidence import GridEvidence
from verifier.questions.witness import LocalWitness, RecordWitness
from verifier.world.relation import Blocks

ZERO, ONE = Fraction(0), Fraction(1)
MAX_CHOICES = 20_000  # of changes together, with delta
MAX_BITS = 3 * 10**6  # of all losses that are listed, where each has BITS more
BITS = 500
MAX_IRRATIONAL = 5_000  # draws times losses with powers of e that are listed
MAX_PRODUCTS = 3 * 10**5  # of losses, beyond which they are enclosed
CERTAIN: Losses = {ONE: (ONE, ONE)}  # of no change

Found = tuple[bool, Leakage, Chosen, GridEvidence | None]
Kind = tuple[int, Change, Drawn]  # part, change, what is drawn
Made = tuple[tuple[int, int], ...]  # kinds of changes, and how many there are of each
Event = list[tuple[Fraction, Fraction]]  # of its outputs the probabilities on both sides


def decide(claim: LocalClaim) -> Answer:
    """The verdict on a claim, the smallest level, and the changes that need it."""
    return told(claim, _proof(claim, enclosed))


def prove(claim: LocalClaim) -> Proof:
    """The proof of the answer to a claim in a cell of a parameter, whose level may be a root."""
    return _proof(claim, root)


def _proof(claim: LocalClaim, level: Rooted) -> Proof:
    holds, leakage, _, evidence = _found(claim, level)
    return proved(holds, leakage, evidence)


def told(claim: LocalClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the changes that need its level are found again."""
    counts = {"records": len(claim.local.records), "channels": len(claim.local.channels)}
    _, leakage, chosen, evidence = _found(claim, enclosed)
    shown = None
    if chosen and evidence is not None:
        shown = LocalWitness(tuple(_record(claim, *one) for one in chosen), leakage.low)
    elif chosen:
        shown = _shown(claim, chosen)
    return replace(leveled(claim, proof, counts), shown=shown, reason=leakage.remark)


@lru_cache(maxsize=1)  # what is decided is told at once
def _found(claim: LocalClaim, level: Rooted) -> Found:
    if not any(_fits(claim, block) for part in claim.parts for block in part.relation.blocks):
        return True, NO_COMPARISON, (), None
    if claim.delta:
        return _with_delta(claim)
    options = _options(claim)
    if claim.per_unit:
        return _per_unit(claim, options, level)
    chosen = largest_product(options, claim.limit)
    ratio: Fraction | None = ONE
    for _, one in chosen:
        ratio = None if ratio is None or one.ratio is None else short(ratio * one.ratio)
    return ratio is not None and claim.level.admits(ratio), Leakage(ratio), chosen, None


def _fits(claim: LocalClaim, block: Blocks) -> bool:
    """Whether a block has changes, and each of them alone is within the limit."""
    within = claim.per_unit or claim.limit is None or block.distance <= claim.limit
    return within and block.count() > 0


def _options(claim: LocalClaim) -> list[tuple[Sequence[int], list[Change]]]:
    """The records of each part, and the best change of each cost."""
    return [
        (_records(claim, at), largest_changes(part.answers, part.relation))
        for at, part in enumerate(claim.parts)
    ]


def _records(claim: LocalClaim, part: int) -> list[int]:
    return [record for record, at in enumerate(claim.chosen) if at == part]


def _per_unit(
    claim: LocalClaim, options: list[tuple[Sequence[int], list[Change]]], level: Rooted
) -> Found:
    best: tuple[int, Change] | None = None
    for records, changes in options:
        for one in changes:
            if best is None or _steeper(one, best[1]):
                best = records[0], one
    if best is None:
        return True, Leakage(ONE), (), None
    ratio, cost = best[1].ratio, best[1].cost
    if ratio is None:
        return False, Leakage(), (best,), None
    leakage = level(ratio**cost.denominator, cost.numerator)
    return claim.level.admits(ratio, cost), leakage, (best,), None


def _steeper(one: Change, other: Change) -> bool:
    """Whether one change asks for a higher level for a unit of its cost (3)."""
    if one.ratio is None or other.ratio is None:
        return one.above(other)
    return exceeds(one.ratio, one.cost, other.ratio, other.cost)


def _with_delta(claim: LocalClaim) -> Found:
    if any(map(is_symbolic, _numbers(claim))) and (found := _of_functions(claim)) is not None:
        return found
    try:
        if _is_long(claim):
            return _on_grids(claim)
        alpha, chosen, _ = _worst(_choices(claim), claim.delta, lambda value: value)
    except LimitReached:
        if any(map(is_symbolic, _numbers(claim))):
            raise
        return _on_grids(claim)
    return alpha is not None and claim.level.admits(alpha), Leakage(alpha), chosen, None


def _is_long(claim: LocalClaim) -> bool:
    """Whether the losses of all changes of some kind are too many, or too long, to be listed; never
    said of functions of a parameter, which are not enclosed."""
    values = list(_numbers(claim))
    is_rational = not any(map(is_irrational, values))
    if any(map(is_symbolic, values)):
        return False
    return any(_is_long_kind(claim, kind, is_rational) for kind in _kinds(claim))


def _is_long_kind(claim: LocalClaim, kind: Kind, is_rational: bool) -> bool:
    part, one, draws = kind
    most = len(_records(claim, part))
    most = most if claim.limit is None else min(most, floor(claim.limit / one.cost))
    draws = [(once, runs * most) for once, runs in draws]
    if not is_rational:
        ways = ((runs, comb(runs + len(once) - 1, runs)) for once, runs in draws)
        return any((runs - 1) * terms > MAX_IRRATIONAL for runs, terms in ways)
    number = terms_of(draws, MAX_PRODUCTS)
    bits = sum(
        runs * max(p.denominator.bit_length() for both in once.values() for p in both)
        for once, runs in draws
    )
    return number is None or number * (bits + BITS) > MAX_BITS


def _on_grids(claim: LocalClaim) -> Found:
    """The smallest level (2) from both sides."""
    kinds, level = _kinds(claim), claim.level
    choices = list(_made(claim, kinds))

    def decides(low: Fraction, high: Fraction) -> bool:
        return level.admits(high) or not level.admits(low)

    several = [_drawn(kinds, made) for made in choices]
    found = smallest_level(several, claim.delta, decides)
    chosen = _placed(claim, [kinds[kind][:2] for kind, n in choices[found.worst] for _ in range(n)])
    evidence = GridEvidence(found.points)
    if found.low is None or found.high is None:
        return False, Leakage(), chosen, evidence
    return level.admits(found.high), Leakage.within((found.low, found.high)), chosen, evidence


def smallest_delta(
    claim: LocalClaim, below: Fraction, above: Fraction
) -> tuple[Fraction, Fraction]:
    """Rational ends of the smallest delta at a level: equal where it is found exactly; the lower
    end is 0 where the claim may hold without delta.

    claim         with any delta
    below, above  rationals between which the level is; equal where it is one
    """
    if any(map(is_symbolic, _numbers(claim))):
        raise NotDecided("delta is found at a level for numbers only")
    if _is_long(claim):
        return deltas(compared(claim), below, above)
    found = [all_losses(draws) for draws in compared(claim)]
    least, most = (
        max((_excess(one, alpha) for one in found), default=ZERO) for alpha in (above, below)
    )
    return (
        bounds(least)[0] if is_irrational(least) else least,
        bounds(most)[1] if is_irrational(most) else most,
    )


def compared(claim: LocalClaim) -> list[Drawn]:
    """What is drawn in each choice of changes to which no other can be added."""
    kinds = _kinds(claim)
    return [_drawn(kinds, made) for made in _made(claim, kinds)]


def _drawn(kinds: Sequence[Kind], made: Made) -> Drawn:
    """What is drawn in a choice of changes."""
    return [(one, runs * times) for kind, times in made for one, runs in kinds[kind][2]]


def _numbers(claim: LocalClaim) -> Iterator[Fraction]:
    """Delta, and all probabilities."""
    yield claim.delta
    for channel in claim.local.channels:
        for matrix, _ in channel.answers:
            yield from matrix.values


def _worst(
    choices: Iterable[tuple[Chosen, Losses]],
    delta: Fraction,
    number: Callable[[Fraction], Fraction],
) -> tuple[Fraction | None, Chosen, Event]:
    """The smallest level (2) that serves all `choices`, None where even the events that the other
    side never has exceed delta; the first choice that needs it, and the event there.

    number  what is compared in place of each value: itself, or the number at a sample
    """
    best: Fraction | None = ONE
    found: Chosen = ()
    event: Event = []
    for chosen, together in choices:
        values = [(number(p), number(q), 1) for p, q in together.values()]
        alpha = profile(values).smallest_alpha(number(delta))
        if alpha is None or best is None or alpha > best:
            sides = zip(together.values(), values, strict=True)
            event = [x for x, (p, q, _) in sides if p and (p >= alpha * q if alpha else not q)]
            best, found = alpha, chosen
        if alpha is None:
            break
    return best, found, event


def _of_functions(claim: LocalClaim) -> Found | None:
    """The same for functions of a parameter: numbers at the sample choose the event, and the cell
    records nothing but what proves its level; None where these numbers are not good enough."""
    choices, delta = list(_choices(claim)), claim.delta
    guess, chosen, event = _worst(choices, delta, near)
    p, q = (total(side) for side in zip(*event, strict=True)) if event else (delta + 1, ONE)
    if guess is None:
        return (False, Leakage(), chosen, None) if p > delta else None
    alpha = (p - delta) / q
    if alpha >= 1 and all(_excess(known, alpha) <= delta for _, known in choices):
        return claim.level.admits(alpha), Leakage(alpha), chosen, None
    return None


def _excess(losses: Losses, alpha: Fraction) -> Fraction:
    """The sum over all outputs of max(0, P - `alpha` Q)."""
    gaps = (p - alpha * q for p, q in losses.values())
    return total(gap for gap in gaps if gap > 0)


def _choices(claim: LocalClaim) -> Iterator[tuple[Chosen, Losses]]:
    """Changes to which no other can be added, with their losses; each multiset of kinds once."""
    kinds = _kinds(claim)
    power = cache(lambda kind, times: all_losses(_drawn(kinds, ((kind, times),))))

    @lru_cache(2**6)  # choices that follow each other begin alike
    def together(made: Made) -> Losses:
        return convolved(together(made[:-1]), power(*made[-1])) if made else CERTAIN

    for made in _made(claim, kinds):
        choice = [kinds[kind][:2] for kind, times in made for _ in range(times)]
        yield _placed(claim, choice), together(made)


def _made(claim: LocalClaim, kinds: Sequence[Kind]) -> Iterator[Made]:
    """The choices of changes to which no other can be added; LimitReached for too many."""
    left = [len(_records(claim, part)) for part in range(len(claim.parts))]
    for at, made in enumerate(_more(kinds, 0, claim.limit, left, ())):
        if at == MAX_CHOICES:
            raise LimitReached(f"there are more than {MAX_CHOICES} choices of changed records")
        yield made


def _more(
    kinds: Sequence[Kind], start: int, room: Fraction | None, left: Sequence[int], made: Made
) -> Iterator[Made]:
    """The ways to add changes of kinds from `start` on to those `made` until none fits any more;
    first those with the most changes of the first kinds.

    kinds  of changes: part, change, losses
    room   what more changes may cost
    left   for each part how many of its records are unchanged
    """
    fits = [
        at
        for at, (part, one, _) in enumerate(kinds)
        if left[part] and (room is None or one.cost <= room)
    ]
    if not fits:
        yield made
    for at in fits:
        if at >= start:
            part, cost = kinds[at][0], kinds[at][1].cost
            most = left[part] if room is None else min(left[part], floor(room / cost))
            for times in range(most, 0 if at < fits[-1] else most - 1, -1):
                yield from _more(
                    kinds,
                    at + 1,
                    None if room is None else room - times * cost,
                    [count - times * (part == own) for own, count in enumerate(left)],
                    (*made, (at, times)),
                )


@lru_cache(maxsize=1)  # of the claim that is decided
def _kinds(claim: LocalClaim) -> list[Kind]:
    """The changes of each part that have different losses, each at its least cost."""
    found: dict[object, Kind] = {}
    for part, about in enumerate(claim.parts):
        for block in sorted(about.relation.blocks, key=lambda block: block.distance):
            for pair in block.pairs():
                known = drawn(about.answers, pair)
                key = part, frozenset((frozenset(one.items()), runs) for one, runs in known)
                found.setdefault(key, (part, Change(None, block.distance, pair, ()), known))
    return list(found.values())


def _placed(claim: LocalClaim, choice: Sequence[tuple[int, Change]]) -> Chosen:
    """The first records that can make some changes, by their parts."""
    left = {part: iter(_records(claim, part)) for part, _ in choice}
    return tuple(sorted(((next(left[part]), one) for part, one in choice), key=lambda x: x[0]))


def _shown(claim: LocalClaim, chosen: Chosen) -> LocalWitness:
    records = tuple(_record(claim, *one) for one in chosen)
    if not claim.delta:
        ratio: Fraction | None = ONE
        for one in records:
            ratio = None if ratio is None or one.ratio is None else ratio * one.ratio
        return LocalWitness(records, ratio)
    total = CERTAIN
    kinds = Counter((claim.chosen[record], one.pair) for record, one in chosen)
    for (part, pair), count in kinds.items():
        total = convolved(total, powered(losses(claim.parts[part].answers, pair), count))
    alpha = profile((p, q, 1) for p, q in total.values()).smallest_alpha(claim.delta)
    event = [
        (p, q)
        for ratio, (p, q) in total.items()
        if ratio is None or (alpha is not None and ratio >= alpha)
    ]
    p, q = (sum((side[at] for side in event), Fraction(0)) for at in (0, 1))
    return LocalWitness(records, alpha, (p, q))


def _record(claim: LocalClaim, record: int, said: Change) -> RecordWitness:
    part, pair = claim.parts[claim.chosen[record]], said.pair
    answers = [
        matrix.outputs[output]
        for (matrix, _), output in zip(part.answers, said.outputs or (), strict=False)
    ]
    runs = [times for _, times in part.answers]
    ratio = None if claim.delta else change(part.answers, pair).ratio
    name = claim.local.records[record]
    return RecordWitness(name, part.describe(*pair), answers, runs, ratio)
