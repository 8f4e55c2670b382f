"""The a(b)-influence where probabilities are functions of a parameter.

What is decided with numbers near those of a sample proposes what to hide, and which comparison
needs the level. With functions as numbers it is then shown that the others tell at most the level,
and in the worst comparison at least as much whatever is hidden. So the proof is one for a piece
around the sample. Only the comparisons that it needs are made.

Example. Of three bits that stay with probability p > 1/2 the one in the middle is hidden. Both
neighbours tell p/(1 - p), for all p.

After Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Section 6, Definition 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from verifier.base import exact
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage, Level
from verifier.engines.composition import influence, quilts
from verifier.kernels.hidden import Edges
from verifier.questions.answer import Answer, Proof, proved
from verifier.questions.claim import InfluenceClaim, QuiltsClaim
from verifier.questions.evidence import HidingEvidence
from verifier.world.network import Network
from verifier.world.relation import keys

ONE = Fraction(1)
BITS = 128  # of numbers near those of an irrational sample
NEARLY = "what to hide is not known for this value of the parameter"
Ratio = tuple[Any, Any]  # what is divided by what; not both 0
Claim = InfluenceClaim | QuiltsClaim


def decide(claim: Claim) -> Answer:
    """The answer for one value of the parameter, which is no part of the numbers any more."""
    return quilts.decide(claim) if isinstance(claim, QuiltsClaim) else influence.decide(claim)


def prove(claim: Claim) -> Proof:
    """The proof of the answer to a claim; NotDecided where a sample cannot be told from others."""
    about = OfRecords(claim) if isinstance(claim, QuiltsClaim) else OfEntries(claim)
    proof = decide(about.near).proof
    assert proof is not None
    evidence: Any = proof.witness
    compared = any(about.views)
    if evidence is None:
        return _checked(not compared, proof)
    ways = list(about.ways(evidence))
    if evidence.upper is None:
        infinite = all(top > 0 and not bottom for top, bottom in map(_largest, ways))
        return _checked(infinite, proof)
    reached = list(about.reached(evidence))
    level = exact.over(*_largest(reached)) if reached else ONE
    different = dict.fromkeys(about.upper(evidence))
    enough = all(top <= level * bottom for top, bottom in different)
    needed = all(top >= level * bottom for top, bottom in map(_largest, ways))
    found = proved(claim.level.admits(level), Leakage(level), evidence)
    return _checked(enough and needed, found)


def _checked(condition: bool, proof: Proof) -> Proof:
    if not condition:
        raise NotDecided(NEARLY)
    return proof


def _largest(ratios: Sequence[Ratio]) -> Ratio:
    """The ratio that is largest at the sample."""
    return max(ratios, key=_size)


def _size(ratio: Ratio) -> tuple[bool, Fraction]:
    top, bottom = ratio
    return (False, exact.near(exact.over(top, bottom), BITS)) if bottom else (True, ONE)


def _near(values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple([exact.near(value, BITS) for value in values])


@dataclass(frozen=True)
class OfRecords:
    """What records that follow chains or a tree tell when some are hidden."""

    claim: QuiltsClaim
    known: dict[Any, list[Ratio]] = field(default_factory=dict)

    @cached_property
    def near(self) -> QuiltsClaim:
        """The claim with numbers near those of the sample, at level 1."""
        networks = list(map(_near_network, self.claim.networks))
        return replace(self.claim, networks=networks, level=Level(exp_epsilon=ONE))

    @cached_property
    def search(self) -> quilts.Search:
        """The search with functions as numbers."""
        return quilts.Search(self.claim)

    @cached_property
    def views(self) -> list[list[int]]:
        """For each comparison the priors that make it."""
        return list(map(self.search.possible, self.search.asked))

    def told(self, at: int, hidden: Sequence[int]) -> list[Ratio]:
        """What is told in a comparison, among which is the largest ratio."""
        asked, found = self.search.asked[at], list[Ratio]()
        for prior in self.views[at]:
            key = prior, asked.these, asked.those, self._place(prior, asked.record, hidden)
            if key not in self.known:
                each = self.search.priors[prior].ratios(asked, hidden)
                self.known[key] = [one.ratio for one in each]
            found += self.known[key]
        return found

    def _place(self, prior: int, record: int, hidden: Sequence[int]) -> Any:
        """What is equal for blocks of records that tell the same."""
        if isinstance(self.search.priors[prior], Edges):
            return record, tuple(hidden)
        texts, left, right = self._texts[prior], hidden[0] - 1, hidden[-1] + 1
        before = (texts[left], record - left) if left >= 0 else None
        return texts[record], before, right - record if right < len(texts) else None

    @cached_property
    def _texts(self) -> list[list[tuple[str, ...]]]:
        """The distributions of each record under each prior, as text."""
        return [[tuple(map(str, m)) for m in prior.marginals] for prior in self.search.priors]

    def upper(self, evidence: HidingEvidence) -> Iterator[Ratio]:
        """What is told in all comparisons."""
        for at, views in enumerate(self.views):
            if views:
                yield from self.told(at, evidence.hidden(at))

    def reached(self, evidence: HidingEvidence) -> Iterator[Ratio]:
        """What is told in the worst comparison."""
        if evidence.worst is not None:
            yield from self.told(evidence.worst, evidence.hidden(evidence.worst))

    def ways(self, evidence: HidingEvidence) -> Iterator[list[Ratio]]:
        """For all ways to hide records in the worst comparison: what is told."""
        at, people = evidence.worst, len(self.claim.space.records)
        if at is None or not self.claim.entries:
            return
        size, asked = min(self.claim.entries, people), self.search.asked[at]
        if isinstance(tree := self.search.priors[0], Edges):
            least, _ = tree.least(asked.record, asked.these[0], size, exact=True)
            yield [(least, ONE)]
            return
        for first in range(max(0, asked.record - size + 1), min(asked.record, people - size) + 1):
            yield self.told(at, range(first, first + size))


def _near_network(network: Network) -> Network:
    tables = tuple(tuple(map(_near, table)) for table in network.transitions)
    return replace(network, initial=_near(network.initial), transitions=tables)


@dataclass(frozen=True)
class OfEntries:
    """What the entries of enumerated worlds tell when some are hidden."""

    claim: InfluenceClaim

    @cached_property
    def near(self) -> InfluenceClaim:
        """The claim with numbers near those of the sample, at level 1."""
        beliefs = [
            {
                s: {w: exact.near(p, BITS) for w, p in weights.items()}
                for s, weights in given.items()
            }
            for given in self.claim.beliefs
        ]
        return replace(self.claim, beliefs=beliefs, level=Level(exp_epsilon=ONE))

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of secrets in both orders."""
        return influence.ordered(self.claim)

    @cached_property
    def views(self) -> list[list[int]]:
        """For each pair the priors that make it possible."""
        return [
            [at for at, given in enumerate(self.claim.beliefs) if {*pair} <= given.keys()]
            for pair in self.pairs
        ]

    def told(self, at: int, prior: int, shown: Sequence[int]) -> Mapping[int, Ratio]:
        """For each value of the entries that are shown, as a number, what it tells in a pair."""
        given = self.claim.beliefs[prior]
        groups = self.groups(shown)
        sides = []
        for secret in self.pairs[at]:
            masses: dict[int, list[Fraction]] = {}
            for world, weight in given[secret].items():
                masses.setdefault(groups[world], []).append(weight)
            sides.append({x: exact.total(parts) for x, parts in masses.items()})
        here, there = (exact.total(side.values()) for side in sides)
        zero = Fraction(0)
        values = {**sides[0], **sides[1]}
        return {x: (sides[0].get(x, zero) * there, sides[1].get(x, zero) * here) for x in values}

    def groups(self, shown: Sequence[int]) -> list[int]:
        """For each world the value of the entries that are shown, as a number."""
        codes = self.claim.space.entry_codes
        found: list[int] = keys([codes[e] + 1 for e in shown], self.claim.space.size).tolist()
        return found

    def hiding(self, evidence: HidingEvidence, at: int) -> Iterator[Ratio]:
        """What is told in a pair."""
        hidden = evidence.hidden(at)
        shown = [e for e in range(len(self.claim.space.entry_codes)) if e not in hidden]
        for prior in self.views[at]:
            yield from self.told(at, prior, shown).values()

    def upper(self, evidence: HidingEvidence) -> Iterator[Ratio]:
        """What is told in all pairs."""
        for at in range(len(self.pairs)):
            yield from self.hiding(evidence, at)

    def reached(self, evidence: HidingEvidence) -> Iterator[Ratio]:
        """What is told in the worst pair."""
        if evidence.worst is not None:
            yield from self.hiding(evidence, evidence.worst)

    def ways(self, evidence: HidingEvidence) -> Iterator[list[Ratio]]:
        """What each core tells; one of them is shown, whatever is hidden."""
        at = evidence.worst
        if at is None:
            return
        leaks, nothing = influence.leaks_of(self.near, self.pairs[at]), influence.NOTHING.size
        for core in influence.least(leaks, self.claim.entries, nothing).cores:
            most, shown = leaks.of(core), sorted(core)
            yield [self.told(at, most.prior, shown)[self.groups(shown)[most.world]]]
