"""The answer about NfC conditions: certificate, and a run of outputs in the reader's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.base.level import Leakage
from verifier.beliefs.supports import ConeSupports, Found
from verifier.claims.claim import Answer, CompositionClaim, Json
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
        {
            "upper": None if upper is None else _upper(claim, upper),
            "lower": best and _lower(claim, best, run, repetitions),
        },
        counts={"conditions": len(betas)},
    )
    scope = {**found.scope, "notes": [*found.scope.get("notes", ()), *_notes(betas)]}
    if not (best and run):
        return replace(found, scope=scope)
    witness = {
        **_described(claim, best, run),
        "repetitions": repetitions,
        **_likelihoods(claim, repeated, repetitions),
    }
    return replace(found, scope=scope, witness=witness)


def _upper(claim: CompositionClaim, upper: Sequence[Sequence[Entry]]) -> list[list[list[Any]]]:
    orders = [order for s, t in claim.pairs for order in ((s, t), (t, s))]
    return [
        [
            [world, list(map(_weights, betas)), *_proofs(claim, world, t, betas)]
            for world, betas in entries
        ]
        for (_, t), entries in zip(orders, upper, strict=True)
    ]


def _weights(beta: Beta) -> int | Json:
    """One world is an integer."""
    if len(beta) == 1:
        return next(iter(beta))
    return {str(world): exact.text(weight) for world, weight in sorted(beta.items())}


def _proofs(claim: CompositionClaim, world: int, t: str, betas: Sequence[Beta]) -> list[list[Json]]:
    """For constraints: why no prior makes both sides possible and misses a world of each beta."""
    if not isinstance(claim.supports, ConeSupports):
        return []
    if prod(map(len, betas)) > MOST_PROOFS:
        raise LimitReached(f"more than {MOST_PROOFS} proofs for one world are too many")
    missed = dict.fromkeys(map(frozenset, product(*map(sorted, betas))))
    return [[claim.supports.proof(world, claim.secrets[t], avoided) for avoided in missed]]


def _lower(
    claim: CompositionClaim, best: Refutation, run: Mapping[int, int] | None, times: int | None
) -> Json:
    prior = best.found.prior
    return {
        "pair": list(best.pair),
        "world": best.world,
        "prior": [exact.text(prior.get(w, 0)) for w in range(claim.space.size)],
        "counts": _keyed(best.counts),
        "run": run and _keyed(run),
        "repetitions": times,
    }


def _keyed(counts: Mapping[int, int]) -> Json:
    return {str(output): n for output, n in sorted(counts.items())}


def _described(claim: CompositionClaim, best: Refutation, run: Mapping[int, int]) -> Json:
    prior, space = best.found.prior, claim.space
    first, second = (
        sum((prior.get(w, Fraction(0)) for w in claim.secrets[name]), Fraction(0))
        for name in best.pair
    )
    return {
        "pair": list(best.pair),
        "world": space.name(best.world),
        "prior": {space.name(w): exact.text(p) for w, p in sorted(prior.items())},
        "prior_odds": exact.text(first / second),
        "run": {claim.mechanism.outputs[o]: n for o, n in sorted(run.items())},
    }


def _likelihoods(claim: CompositionClaim, repeated: Repeated | None, times: int | None) -> Json:
    """How much likelier all the runs are under the first secret, where that is short, and how much
    linear composition allows."""
    if repeated is None or times is None:
        return {}
    runs, level = times * repeated.runs, claim.level
    allowed = f"({level.exp_epsilon})^{runs}"
    if level.epsilon is not None:
        allowed = f"e^({level.epsilon * runs})"
    shown = {"runs": runs, "allowed": allowed}
    if times * repeated.bits > MAX_BITS_SHOWN:
        return shown
    ratio = repeated.ratio(times)
    text = "infinite" if ratio is None else exact.text(ratio)
    return {**shown, "ratio": text} if len(text) <= SHORT else shown


def _notes(betas: Sequence[Beta]) -> list[str]:
    more = sum(len(beta) > 1 for beta in betas)
    notes = [
        f"{len(betas) - more} of {len(betas)} conditions are met by one world each: the "
        "differential-privacy-style inequality of two worlds"
    ]
    notes += [f"{more} need a weighted geometric mean of several worlds"] if more else []
    return notes if betas else []
