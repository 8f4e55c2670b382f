"""The a(b)-influence: which b entries to hide so that the others tell least about a secret.

The entries L that are shown are a mechanism, so what they tell, f(L), never grows when entries are
taken away (post-processing). Hence b hidden entries serve at least as well as fewer, and a set C
with f(C) >= α, a *core*, shows that a set H that serves below α has an entry of C. The search
branches over the entries of a core that H has not met yet, at most b deep; so does the checker.

Example. Two bits are equal with probability 3/4; s and t say that the first is 1, or 0. Who sees
the first knows all: {first} is a core for every level. Hidden, the second tells a factor of
(3/4) / (1/4) = 3, so for b = 1 the level is 3.

After Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Section 6, Definition 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from verifier.base.errors import LimitReached
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.engines.composition.quilts import runs
from verifier.questions.answer import Answer, Proof, proved
from verifier.questions.claim import InfluenceClaim
from verifier.questions.evidence import HidingEvidence, SaidLevel
from verifier.questions.witness import EntriesWitness
from verifier.world.relation import keys
from verifier.world.space import show
from verifier.world.worlds import WorldSpace

MAX_STEPS = 2 * 10**8  # worlds looked at, over all sets of entries

Entries = frozenset[int]
Side = tuple[np.ndarray, int]  # integer weights of all worlds, as P(world | s); their sum
Size = tuple[bool, Fraction]  # whether a ratio is infinite, and what it is if not


@dataclass(frozen=True)
class Ratio:
    """The largest P(x | s, θ) / P(x | t, θ): its size, the prior's number, a world of s with x."""

    size: Size
    prior: int
    world: int


NOTHING = Ratio((False, Fraction(1)), 0, 0)


@dataclass(eq=False)
class Leaks:
    """f(L) for a pair of secrets in one order, kept for each L asked for.

    views  for each prior with both secrets: its number, and the weights inside s and t
    """

    codes: np.ndarray
    views: Sequence[tuple[int, Side, Side]]
    known: dict[Entries, Ratio] = field(default_factory=dict)
    steps: int = 0

    def of(self, shown: Entries) -> Ratio:
        """The largest ratio over the priors and the values of the entries that are shown."""
        if shown not in self.known:
            size = self.codes.shape[1]
            self.steps += size
            if self.steps > MAX_STEPS:
                raise LimitReached(f"more than {MAX_STEPS} steps over sets of entries")
            groups = keys([self.codes[entry] + 1 for entry in sorted(shown)], size)
            order = np.argsort(groups, kind="stable")
            ordered = groups[order]
            starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
            found = [_largest(order, starts, *view) for view in self.views]
            self.known[shown] = max(found, key=lambda ratio: ratio.size, default=NOTHING)
        return self.known[shown]

    def core(self, shown: Entries, least: Size, free: Entries) -> Entries:
        """A smallest part of `shown` with a ratio of `least`, with few entries of `free`."""
        for entry in sorted(shown, key=lambda entry: (entry not in free, entry)):
            if self.of(shown - {entry}).size >= least:
                shown = shown - {entry}
        return shown


@dataclass(frozen=True)
class Found:
    """What hiding few entries comes to: the least ratio, the entries hidden, and the cores."""

    size: Size
    hidden: Entries
    cores: tuple[Entries, ...]


def decide(claim: InfluenceClaim) -> Answer:
    """The largest of the least ratios over the ordered pairs of a claim, and a certificate."""
    leaks = {pair: leaks_of(claim, pair) for pair in ordered(claim)}
    if not any(found.views for found in leaks.values()):
        return told(claim, proved(True, NO_COMPARISON, None))
    worst, place = Found((False, Fraction(1)), frozenset(), ()), None
    upper: list[list[tuple[int, int]]] = []
    for at, leak in enumerate(leaks.values()):
        found = least(leak, claim.entries, worst.size)
        upper.append(list(runs(sorted(found.hidden))))
        if found.size > worst.size:
            worst, place = found, at
    infinite, ratio = worst.size
    evidence = HidingEvidence(None if infinite else upper, place)
    holds = not infinite and claim.level.admits(ratio)
    return told(claim, proved(holds, Leakage(None if infinite else ratio), evidence))


def told(claim: InfluenceClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: the pair and the hidden entries are the proof's, what
    the other entries tell is found again."""
    said, evidence, names = proof.said, proof.witness, entry_names(claim.space)
    assert isinstance(said, SaidLevel) and isinstance(evidence, HidingEvidence | None)
    worst: dict[str, Any] = {}
    shown = None
    if evidence is not None:
        at = evidence.worst or 0
        pair, hidden = ordered(claim)[at], evidence.hidden(at)
        worst = {"worst": list(pair), "hidden": [names[entry] for entry in hidden]}
        shown = None if evidence.worst is None else _shown(claim, pair, hidden)
    sizes = {"worlds": claim.space.size, "entries": claim.entries, "of": len(names)}
    return Answer(
        said.verdict,
        said.leakage,
        shown=shown,
        proof=proof,
        scope={**sizes, **worst, **claim.scope},
        level=claim.level,
    )


def _shown(claim: InfluenceClaim, pair: tuple[str, str], hidden: Sequence[int]) -> EntriesWitness:
    """The values of entries that are not hidden which tell most."""
    names = entry_names(claim.space)
    shown = [entry for entry in range(len(names)) if entry not in hidden]
    largest = leaks_of(claim, pair).of(frozenset(shown))
    infinite, ratio = largest.size
    values = [f"{names[e]} = {entry_text(claim.space, e, largest.world)}" for e in shown]
    return EntriesWitness(
        claim.describe(largest.prior, *pair),
        f"({', '.join(values)})",
        None if infinite else ratio,
        [names[entry] for entry in sorted(hidden)],
    )


def ordered(claim: InfluenceClaim) -> list[tuple[str, str]]:
    """The pairs of secrets in both orders."""
    return [pair for s, t in claim.pairs for pair in ((s, t), (t, s))]


def leaks_of(claim: InfluenceClaim, pair: tuple[str, str]) -> Leaks:
    """f(L) for a pair."""
    views = _views(claim.beliefs, *pair, claim.space.size)
    return Leaks(claim.space.entry_codes, views)


def least(leaks: Leaks, most: int, enough: Size) -> Found:
    """The least ratio of `leaks` with at most `most` entries hidden; or any that is at most
    `enough`."""
    everything = frozenset(range(len(leaks.codes)))
    size, best = leaks.of(everything).size, frozenset[int]()
    cores: list[Entries] = []

    def visit(hidden: Entries, kept: Entries) -> bool:
        """Go through the sets that contain `hidden` and nothing of `kept`; whether to stop."""
        nonlocal size, best
        core = next((core for core in cores if not core & hidden), None)
        if core is None:
            shown = everything - hidden
            if leaks.of(shown).size < size:
                size, best = leaks.of(shown).size, hidden
            if size <= enough:
                return True
            # a core of the best size so far: what hides none of it is no better
            core = leaks.core(shown, size, shown - kept)
            cores.append(core)
        if len(hidden) == most:
            return False
        for entry in sorted(core - kept):
            if visit(hidden | {entry}, kept):
                return True
            kept = kept | {entry}
        return False

    visit(frozenset(), frozenset())
    return Found(size, best, tuple(cores))


def _views(
    beliefs: Sequence[Mapping[str, Mapping[int, Fraction]]], s: str, t: str, size: int
) -> list[tuple[int, Side, Side]]:
    return [
        (number, _side(given[s], size), _side(given[t], size))
        for number, given in enumerate(beliefs)
        if s in given and t in given
    ]


def _side(weights: Mapping[int, Fraction], size: int) -> Side:
    unit = lcm(*(weight.denominator for weight in weights.values()))
    integers = [weight.numerator * (unit // weight.denominator) for weight in weights.values()]
    total = sum(integers)
    vector = np.zeros(size, dtype=np.int64 if total < 2**62 else object)
    vector[list(weights)] = integers
    return vector, total


def _largest(order: np.ndarray, starts: np.ndarray, prior: int, left: Side, right: Side) -> Ratio:
    """The largest ratio of the masses of a group of worlds, and the first world of the first such
    group; groups start at `starts` in the order of worlds `order`."""
    above, below = (np.add.reduceat(vector[order], starts).tolist() for vector, _ in (left, right))
    top, bottom, best = 0, 1, -1
    for group, (mass, other) in enumerate(zip(above, below, strict=True)):
        if mass * bottom > top * other:
            top, bottom, best = mass, other, group
            if not other:
                break
    inside = order[starts[best] : (*starts.tolist(), len(order))[best + 1]]
    size = (not bottom, Fraction(top * right[1], bottom * left[1]) if bottom else Fraction(0))
    return Ratio(size, prior, int(inside[left[0][inside] > 0][0]))


def entry_names(space: WorldSpace) -> list[str]:
    """The name of each entry of a space: the record's, and the attribute's where there are any.

    >>> from verifier.world.worlds import database
    >>> entry_names(database(["ann", "bob"], {"age": [1, 2], "ill": [0, 1]}))
    ['ann.age', 'ann.ill', 'bob.age', 'bob.ill']
    """
    if not space.attributes:
        return list(space.records)
    return [f"{record}.{attribute}" for record in space.records for attribute in space.attributes]


def entry_text(space: WorldSpace, entry: int, world: int) -> str:
    """The value of an entry in a world of a space, as it is written in names of worlds."""
    values, code = space.entry_values[entry % len(space.entry_values)], space.entry_codes[entry]
    return "⊥" if code[world] < 0 else show(values[int(code[world])])
