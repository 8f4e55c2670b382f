"""Bounded range, Rényi and zero-concentrated privacy: how far apart columns of a matrix are.

Places of worlds whose columns have the same pairs of probabilities are looked at once. Ranges, and
divergences whose powers are rational, are compared exactly; others by enclosures, which leave the
level between two bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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
from verifier.kernels.ratios import level_of
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.claim import DivergenceClaim, RecordsDivergenceClaim
from verifier.questions.evidence import DivergenceEvidence
from verifier.questions.witness import DivergenceWitness, RangeWitness, Witness

MAX_STEPS = 5 * 10**7  # pairs of worlds times outputs
MARGINS = (  # how much is left between bounds; binary digits of bounds, and of an order
    (Fraction(3, 10**10), 40),
    (Fraction(1, 10**13), 60),
)
DIGITS = 100  # of bounds of ε: fewer than of enclosures, as those of the checker are wider
Place = tuple[int, ...]  # two worlds; or two values, and the record
Asked = DivergenceClaim | RecordsDivergenceClaim
Level = Callable[[Fraction, int], Leakage]  # of a power and a degree
Bounds = tuple[Fraction, Fraction]
Key = TypeVar("Key")
ONE = Fraction(1)
TOO_CLOSE = "the level is too close to the smallest one"


def decide(claim: DivergenceClaim) -> Answer:
    """The verdict on a claim, the smallest level, and the pair of worlds that needs it."""
    return told(claim, _found(claim, enclosed))


def prove(claim: DivergenceClaim) -> Proof:
    """The proof of the answer to a claim in a cell of a parameter, whose level may be a root."""
    return _found(claim, root)


def _found(claim: DivergenceClaim, level: Level) -> Proof:
    if claim.relation.is_empty():
        return proved(True, NO_COMPARISON, None)
    known = dict(_profiles(claim))
    if claim.definition == "bounded_range":
        return _of_range(claim, known)
    for pair, profile in known.items():
        if profile.ratios is None:
            evidence = evidence_at(pair, outputs=[_impossible(claim, pair)])
            return proved(False, Leakage(), evidence)
    return of_profiles(claim, known, claim.mechanism.values, level)


def of_profiles(
    claim: Asked,
    known: Mapping[Place, Profile],
    values: Iterable[Fraction],
    level: Level | None = None,
) -> Proof:
    """The largest divergence of one order, or in proportion to all orders.

    known   profiles of the pairs that are compared, in none of which a ratio is infinite
    values  the probabilities
    level   how a root is told; by a number or an enclosure if it is not given
    """
    apart = {pair: profile for pair, profile in known.items() if set(profile.ratios or ()) != {ONE}}
    if not apart:
        return proved(True, Leakage(ONE), None)
    if claim.order is None or claim.order.denominator > 1:
        _check_rational(claim, values)
    if claim.order is None:
        return _of_all_orders(claim, apart)
    return _of_order(claim, apart, claim.order, level or enclosed)


def evidence_at(place: Place, **found: Any) -> DivergenceEvidence:
    """What shows that a pair of worlds, or of values of a record, needs a level."""
    first, second, *record = place
    return DivergenceEvidence(record=record[0] if record else None, pair=(first, second), **found)


def told(claim: DivergenceClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the probabilities are those of the claim."""
    answer = leveled(claim, proof, sizes(claim.space, claim.mechanism))
    if not isinstance(proof.witness, DivergenceEvidence):
        return answer
    return replace(answer, shown=_shown(claim, proof.witness, answer.leakage or Leakage()))


def _shown(claim: DivergenceClaim, evidence: DivergenceEvidence, leakage: Leakage) -> Witness:
    first, second = evidence.pair
    before, outputs = claim.describe(first, second), evidence.outputs or ()
    labels = [claim.mechanism.outputs[o] for o in outputs]
    if claim.definition == "bounded_range":
        chance = claim.mechanism.probability
        (a, b), (c, d) = ([chance(o, w) for o in outputs] for w in (first, second))
        return RangeWitness(before, labels, a * d / (b * c) if b * c else None)
    if labels:
        return DivergenceWitness(before, claim.order, labels[0], None)
    order = evidence.order if claim.order is None else claim.order
    return DivergenceWitness(before, order, None, leakage.low, claim.order is None)


def _profiles(claim: DivergenceClaim) -> Iterator[tuple[Place, Profile]]:
    """The first pair of worlds of each profile."""
    mechanism, pairs = claim.mechanism, claim.relation.pairs()
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


def _impossible(claim: DivergenceClaim, pair: Place) -> int:
    """The first output that is possible in the first world only."""
    found = (claim.mechanism.probability(o, w) for o in _outputs(claim) for w in pair)
    both = zip(found, found, strict=True)
    return next(o for o, (p, q) in enumerate(both) if p and not q)


def _outputs(claim: DivergenceClaim) -> range:
    return range(len(claim.mechanism.outputs))


def _of_range(claim: DivergenceClaim, known: Mapping[Place, Profile]) -> Proof:
    """The largest of the ranges, exactly."""
    ranges = {pair: profile.range for pair, profile in known.items()}
    pair = worst(ranges)
    largest = ranges[pair]
    if largest == 1:
        return proved(True, Leakage(ONE), None)
    odds: dict[int, Fraction | None] = {}
    for output in _outputs(claim):
        p, q = (claim.mechanism.probability(output, world) for world in pair)
        if p or q:
            odds[output] = p / q if q else None
    least = {output: None if r is None else -r for output, r in odds.items()}
    finite = {output: r for output, r in least.items() if r is not None}
    evidence = evidence_at(pair, outputs=[worst(odds), worst(finite)])
    holds = largest is not None and claim.level.admits(largest)
    return proved(holds, Leakage(largest), evidence)


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


def _of_order(claim: Asked, known: Mapping[Place, Profile], order: Fraction, level: Level) -> Proof:
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
                return proved(holds, level(rational[best], degree), evidence_at(best))
            ends[best] = least, most
        pair = max(ends, key=lambda pair: ends[pair])
        low, high = ends[pair][0], max(high for _, high in ends.values())
        epsilon = low / (order - 1), high / (order - 1)
        inside = _is_within(claim.level, epsilon, bits)
        if inside is not None:
            return proved(inside, Leakage.within(_levels(*epsilon, 40)), evidence_at(pair))
    raise NotDecided(TOO_CLOSE)


def _of_all_orders(claim: Asked, known: Mapping[Place, Profile]) -> Proof:
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
        evidence = evidence_at(pair, order=order, orders=orders)
        return proved(claim.level.admits(bounds[1]), Leakage(bounds=bounds), evidence)
    raise NotDecided(TOO_CLOSE)


def _check_rational(claim: Asked, values: Iterable[Fraction]) -> None:
    if any(map(is_symbolic, values)):
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
