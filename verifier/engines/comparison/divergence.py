"""Bounded range, Rényi and zero-concentrated privacy: how far apart columns of a matrix are.

Of records that are answered each by a channel of its own only one changes, and the answers of the
others cancel: what is compared are the columns of each channel. A thousand bits are each told with
probability 3/4: the ratios of one are 3 and 1/3, so the range is 9, and of order 2 the level is
9/4 + 1/12 = 7/3.

Places of worlds whose columns have the same pairs of probabilities are looked at once. Ranges, and
divergences whose powers are rational, are compared exactly; others by enclosures, which leave the
level between two bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from verifier.base import exact
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.exact import is_irrational, is_symbolic
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.base.level import Level as AskedLevel
from verifier.kernels import logarithms
from verifier.kernels.divergences import BITS, Profile, at_order, chords, of_columns, order_of
from verifier.kernels.products import losses
from verifier.kernels.ratios import level_of
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.claim import DivergenceClaim
from verifier.questions.evidence import DivergenceEvidence
from verifier.questions.witness import DivergenceWitness, RangeWitness, Witness
from verifier.world.local import Answer as Drawn
from verifier.world.mechanism import Mechanism

MAX_STEPS = 5 * 10**7  # pairs of worlds times outputs
MAX_CHANGES = 10**5  # pairs of values, in all channels
MARGINS = (  # how much is left between bounds; binary digits of bounds, and of an order
    (Fraction(3, 10**10), 40),
    (Fraction(1, 10**13), 60),
)
DIGITS = 100  # of bounds of ε: fewer than of enclosures, as those of the checker are wider
Place = tuple[int, ...]  # two worlds; or two values, and the record
Level = Callable[[Fraction, int], Leakage]  # of a power and a degree
Bounds = tuple[Fraction, Fraction]
Key = TypeVar("Key")
ONE = Fraction(1)
TOO_CLOSE = "the level is too close to the smallest one"


def decide(claim: DivergenceClaim) -> Answer:
    """The verdict on a claim, the smallest level, and the pair of columns that needs it."""
    return told(claim, _found(claim, enclosed))


def prove(claim: DivergenceClaim) -> Proof:
    """The proof of the answer to a claim in a cell of a parameter, whose level may be a root."""
    return _found(claim, root)


def _found(claim: DivergenceClaim, level: Level) -> Proof:
    if claim.relation.is_empty():
        return proved(True, NO_COMPARISON, None)
    known = dict(_profiles(claim))
    if claim.definition == "bounded_range":
        ranges = {place: profile.range for place, profile in known.items()}
        place = worst(ranges)
        largest = ranges[place]
        if largest == 1:
            return proved(True, Leakage(ONE), None)
        holds = largest is not None and claim.level.admits(largest)
        return proved(holds, Leakage(largest), _evidence(place, outputs=_ends(claim, place)))
    for place, profile in known.items():
        if profile.ratios is None:
            return proved(False, Leakage(), _evidence(place, outputs=_impossible(claim, place)))
    apart = {pair: profile for pair, profile in known.items() if set(profile.ratios or ()) != {ONE}}
    if not apart:
        return proved(True, Leakage(ONE), None)
    if claim.order is None or claim.order.denominator > 1:
        _check_rational(claim)
    if claim.order is None:
        return _of_all_orders(claim, apart)
    return _of_order(claim, apart, claim.order, level)


def _evidence(place: Place, **found: Any) -> DivergenceEvidence:
    """What shows that a pair of worlds, or of values of a record, needs a level."""
    first, second, *record = place
    return DivergenceEvidence(record=record[0] if record else None, pair=(first, second), **found)


def told(claim: DivergenceClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the probabilities are those of the claim."""
    if claim.mechanism is not None:
        counts = sizes(claim.space, claim.mechanism)
    else:
        assert claim.local is not None
        counts = {"records": len(claim.local.records), "channels": len(claim.local.channels)}
    answer = leveled(claim, proof, counts)
    if not isinstance(proof.witness, DivergenceEvidence):
        return answer
    return replace(answer, shown=_shown(claim, proof.witness, answer.leakage or Leakage()))


def _shown(claim: DivergenceClaim, evidence: DivergenceEvidence, leakage: Leakage) -> Witness:
    pair, record = evidence.pair, evidence.record
    before = claim.describe(*pair) if record is None else claim.describe(*pair, record)
    if claim.definition == "bounded_range":
        labels = _labels(claim, evidence, pair, pair[::-1])
        return RangeWitness(before, labels, leakage.exp_epsilon)
    if leakage.infinite:
        (label,) = _labels(claim, evidence, pair)
        return DivergenceWitness(before, claim.order, label, None)
    order = evidence.order if claim.order is None else claim.order
    return DivergenceWitness(before, order, None, leakage.low, claim.order is None)


def _labels(
    claim: DivergenceClaim, evidence: DivergenceEvidence, *pairs: tuple[int, int]
) -> list[str]:
    """The outputs that tell most of each of some `pairs` of columns: those of the evidence; of
    channels the output of each answer with the largest ratio."""
    if claim.mechanism is not None:
        return [claim.mechanism.outputs[o] for o in evidence.outputs or ()]
    assert claim.local is not None and evidence.record is not None
    answers = claim.local.channel(evidence.record).answers
    return [", ".join(_largest(matrix, pair) for matrix, _ in answers) for pair in pairs]


def _largest(matrix: Mechanism, pair: tuple[int, int]) -> str:
    """The output with the largest ratio of two columns."""
    ratios = {output: p / q if q else None for output, p, q in _probabilities(matrix, pair) if p}
    return matrix.outputs[worst(ratios)]


def _probabilities(
    matrix: Mechanism, pair: Sequence[int]
) -> Iterator[tuple[int, Fraction, Fraction]]:
    """Each output with its probabilities in two columns."""
    for output, (p, q) in enumerate(matrix.codes[:, list(pair)].tolist()):
        yield output, matrix.values[p], matrix.values[q]


def _profiles(claim: DivergenceClaim) -> Iterator[tuple[Place, Profile]]:
    """The first pair of worlds of each profile; or the changes of the first record of each channel.

    Answers of the other records are the same in both databases, and cancel."""
    mechanism, pairs = claim.mechanism, claim.relation.pairs()
    if mechanism is None:
        assert claim.local is not None
        if len(pairs) * len(claim.local.channels) > MAX_CHANGES:
            raise LimitReached(f"more than {MAX_CHANGES} changes of a record are compared")
        for number, channel in enumerate(claim.local.channels):
            record = claim.local.users(number)[0]
            for i, j in pairs:
                yield (i, j, record), _of_answers(channel.answers, (i, j))
        return
    if len(pairs) * len(mechanism.outputs) > MAX_STEPS:
        raise LimitReached(f"more than {MAX_STEPS} pairs of probabilities are compared")
    columns = np.ascontiguousarray(mechanism.codes.T).astype(np.int64)
    base, values, seen = len(mechanism.values), mechanism.values, set[bytes]()
    for i, j in pairs:
        codes = np.sort(columns[i] * base + columns[j])
        key = codes.tobytes()
        if key not in seen:
            seen.add(key)
            first, second = ([values[c] for c in columns[w].tolist()] for w in (i, j))
            yield (i, j), of_columns(first, second)


def _of_answers(answers: Sequence[Drawn], pair: tuple[int, int]) -> Profile:
    """The ratios of two columns of independent answers together."""
    found = losses(answers, pair)
    if None in found:
        return Profile(None)
    ratios = {ratio: q for ratio, (_, q) in found.items() if ratio is not None}
    rest = 1 - sum(ratios.values(), Fraction(0))
    return Profile({**ratios, Fraction(0): rest} if rest else ratios)


def _impossible(claim: DivergenceClaim, place: Place) -> list[int] | None:
    """The first output that is possible in the first world only; of channels nothing is told."""
    if claim.mechanism is None:
        return None
    return [next(o for o, p, q in _probabilities(claim.mechanism, place) if p and not q)]


def _ends(claim: DivergenceClaim, place: Place) -> list[int] | None:
    """The outputs with the largest and the smallest ratio; of channels nothing is told."""
    if claim.mechanism is None:
        return None
    odds: dict[int, Fraction | None] = {}
    for output, p, q in _probabilities(claim.mechanism, place):
        if p or q:
            odds[output] = p / q if q else None
    finite = {output: -r for output, r in odds.items() if r is not None}
    return [worst(odds), worst(finite)]


def worst(found: Mapping[Key, Fraction | None]) -> Key:
    """Where the first of the largest of some numbers is; None is infinite."""
    finite = [value for value in found.values() if value is not None]
    best = None if len(finite) < len(found) else exact.largest(finite)
    return next(key for key, value in found.items() if value is best)


def enclosed(power: Fraction, degree: int) -> Leakage:
    """The root of a power, exact or enclosed."""
    level = level_of(power, Fraction(degree))
    return Leakage(bounds=level) if isinstance(level, tuple) else Leakage(level)


def root(power: Fraction, degree: int) -> Leakage:
    """The root of a power, as such where it is no quotient of polynomials."""
    found = exact.root(power, degree) if is_symbolic(power) else level_of(power, Fraction(degree))
    return Leakage(found) if isinstance(found, Fraction) else Leakage(power, root=degree)


def _of_order(
    claim: DivergenceClaim, known: Mapping[Place, Profile], order: Fraction, level: Level
) -> Proof:
    """The largest divergence of one order: exactly, where it is a power of a rational."""
    powers = {pair: profile.power(order) for pair, profile in known.items()}
    rational = {pair: power for pair, power in powers.items() if power is not None}
    best = worst(rational) if rational else None
    degree = (order - 1).numerator
    others = {pair: known[pair] for pair in powers if pair not in rational}
    for bits in BITS:
        ends = {pair: profile.logarithm(order - 1, bits) for pair, profile in others.items()}
        if best is not None:
            least, most = known[best].logarithm(order - 1, bits) if ends else (ONE, ONE)
            if all(high < least for _, high in ends.values()):
                holds = claim.level.admits(rational[best], Fraction(degree))
                return proved(holds, level(rational[best], degree), _evidence(best))
            ends[best] = least, most
        pair = max(ends, key=lambda pair: ends[pair])
        low, high = ends[pair][0], max(high for _, high in ends.values())
        epsilon = low / (order - 1), high / (order - 1)
        inside = _is_within(claim.level, epsilon, bits)
        if inside is not None:
            return proved(inside, Leakage.within(_levels(*epsilon, 40)), _evidence(pair))
    raise NotDecided(TOO_CLOSE)


def _of_all_orders(claim: DivergenceClaim, known: Mapping[Place, Profile]) -> Proof:
    """The largest divergence in proportion to its order, between two bounds."""
    near = {pair: profile.worst() for pair, profile in known.items()}
    pair = max(known, key=lambda pair: near[pair][0])
    for margin, bits in MARGINS:
        order = order_of(near[pair][1], bits)
        low, _ = at_order(known[pair], order)
        bounds = _levels(low, low + margin, bits)
        if claim.level.admits(bounds[0]) and not claim.level.admits(bounds[1]):
            continue
        orders = chords(known.values(), logarithms.bounds(bounds[1], BITS[0])[0])
        evidence = _evidence(pair, order=order, orders=orders)
        return proved(claim.level.admits(bounds[1]), Leakage(bounds=bounds), evidence)
    raise NotDecided(TOO_CLOSE)


def _check_rational(claim: DivergenceClaim) -> None:
    channels = claim.local.channels if claim.local is not None else ()
    matrices = [matrix for channel in channels for matrix, _ in channel.answers]
    if claim.mechanism is not None:
        matrices.append(claim.mechanism)
    if any(is_symbolic(value) for matrix in matrices for value in matrix.values):
        raise NotDecided("with a parameter bounded_range and renyi of integer orders are decided")
    if claim.level.exp_epsilon is not None and is_irrational(claim.level.exp_epsilon):
        raise NotDecided("a level with powers of e: write it as a rational, or as an epsilon")


def _levels(low: Fraction, high: Fraction, bits: int) -> Bounds:
    """e to the power of two numbers, rounded outwards; at least 1."""
    scaled = (int(low * 2**DIGITS), -int(-high * 2**DIGITS // 1))
    least, most = logarithms.exponential(*scaled, DIGITS)
    unit = 1 << bits
    return max(ONE, Fraction(int(least * unit), unit)), Fraction(-int(-most * unit // 1), unit)


def _is_within(level: AskedLevel, epsilon: Bounds, bits: int) -> bool | None:
    """Whether a number between two bounds is at most the logarithm of a level; None if unknown."""
    exact = level.epsilon
    low, high = (exact, exact) if exact is not None else logarithms.bounds(level.alpha, bits)
    if epsilon[1] <= low:
        return True
    return False if epsilon[0] > high else None
