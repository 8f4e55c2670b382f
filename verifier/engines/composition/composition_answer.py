"""The answer about NfC conditions: certificate, and a run of outputs in the reader's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.base.level import Leakage
from verifier.beliefs.supports import ConeSupports, Found
from verifier.claims.answer import Answer
from verifier.claims.claim import CompositionClaim
from verifier.claims.evidence import CompositionEvidence, Mixed, RunEvidence
from verifier.claims.witness import Belief, RunWitness
from verifier.engines.answers import leveled
from verifier.engines.composition.runs import Repeated, decisive

Beta = dict[int, Fraction]  # weights of worlds, of sum 1
Order = tuple[str, str]  # a pair of secrets, in this order
Entry = tuple[int, list[Beta]]  # a world, and weights of which each possible set has some
ONE = Fraction(1)
MOST_PROOFS = 10**4
SHORT = 80  # characters of a number in a witness
MAX_BITS_SHOWN = 2**14  # beyond these no ratio is short


@dataclass(frozen=True)
class Refutation:
    """Under a prior, counts of outputs that distinguish a world from those of `found`."""

    pair: Order
    world: int
    found: Found
    counts: dict[int, int]


@dataclass(frozen=True)
class Bounds:
    """What was found: the level is at least `low`, which `best` proves (None: low is 1); `upper`
    proves, by ordered pair, that it is at most `high` (None: no level serves)."""

    low: Fraction
    high: Fraction
    best: Refutation | None
    upper: list[list[Entry]] | None


def answer(claim: CompositionClaim, bounds: Bounds) -> Answer:
    """The answer with its certificate."""
    upper, best = bounds.upper, bounds.best
    betas = [beta for entries in upper or () for _, found in entries for beta in found]
    holds = upper is not None and claim.level.admits(bounds.high)
    leakage = Leakage.within(None if upper is None else (bounds.low, bounds.high))
    if upper is not None and not betas:
        leakage = Leakage(ONE, vacuous=True)
    run, repeated, repetitions = None, None, None
    if best and not holds:
        run = decisive(claim.mechanism, best.world, best.found.worlds, best.counts, claim.level)
        sides = [claim.secrets[name] for name in best.pair]
        repeated = Repeated.of(claim.mechanism, best.found.prior, sides, run)
        repetitions = None if repeated is None else repeated.fewest(claim.level)
    found = leveled(
        claim,
        holds,
        leakage,
        (claim.space, claim.mechanism),
        CompositionEvidence(
            None if upper is None else _upper(claim, upper),
            None if best is None else _lower(claim, best, run, repetitions),
        ),
        counts={"conditions": len(betas)},
    )
    scope = {**found.scope, "notes": [*found.scope.get("notes", ()), *_notes(betas)]}
    if not (best and run):
        return replace(found, scope=scope)
    return replace(found, scope=scope, witness=_witness(claim, best, run, repeated, repetitions))


def _upper(
    claim: CompositionClaim, upper: Sequence[Sequence[Entry]]
) -> list[list[tuple[object, ...]]]:
    orders = [order for s, t in claim.pairs for order in ((s, t), (t, s))]
    return [
        [
            (world, list(map(_weights, betas)), *_proofs(claim, world, t, betas))
            for world, betas in entries
        ]
        for (_, t), entries in zip(orders, upper, strict=True)
    ]


def _weights(beta: Beta) -> Mixed:
    """One world is an integer."""
    return next(iter(beta)) if len(beta) == 1 else dict(sorted(beta.items()))


def _proofs(
    claim: CompositionClaim, world: int, t: str, betas: Sequence[Beta]
) -> list[list[object]]:
    """For constraints: why no prior makes both sides possible and misses a world of each beta."""
    if not isinstance(claim.supports, ConeSupports):
        return []
    if prod(map(len, betas)) > MOST_PROOFS:
        raise LimitReached(f"more than {MOST_PROOFS} proofs for one world are too many")
    missed = dict.fromkeys(map(frozenset, product(*map(sorted, betas))))
    return [[claim.supports.proof(world, claim.secrets[t], avoided) for avoided in missed]]


def _lower(
    claim: CompositionClaim, best: Refutation, run: Mapping[int, int] | None, times: int | None
) -> RunEvidence:
    prior = best.found.prior
    return RunEvidence(
        best.pair,
        best.world,
        [prior.get(w, Fraction(0)) for w in range(claim.space.size)],
        dict(sorted(best.counts.items())),
        run and dict(sorted(run.items())),
        times,
    )


def _witness(
    claim: CompositionClaim,
    best: Refutation,
    run: Mapping[int, int],
    repeated: Repeated | None,
    times: int | None,
) -> RunWitness:
    """The run in the reader's terms, and how much likelier it makes the first secret."""
    prior, space = best.found.prior, claim.space
    first, second = (
        sum((prior.get(w, Fraction(0)) for w in claim.secrets[name]), Fraction(0))
        for name in best.pair
    )
    ratio, infinite = None, False
    if repeated and times and times * repeated.bits <= MAX_BITS_SHOWN:
        ratio = repeated.ratio(times)
        infinite = ratio is None
    is_short = ratio is not None and len(exact.text(ratio)) <= SHORT
    return RunWitness(
        Belief(best.pair, {space.name(w): p for w, p in sorted(prior.items())}, first / second),
        space.name(best.world),
        {claim.mechanism.outputs[o]: n for o, n in sorted(run.items())},
        times,
        claim.level,
        ratio if is_short else None,
        infinite,
    )


def _notes(betas: Sequence[Beta]) -> list[str]:
    more = sum(len(beta) > 1 for beta in betas)
    notes = [
        f"{len(betas) - more} of {len(betas)} conditions are met by one world each: the "
        "differential-privacy-style inequality of two worlds"
    ]
    notes += [f"{more} need a weighted geometric mean of several worlds"] if more else []
    return notes if betas else []
