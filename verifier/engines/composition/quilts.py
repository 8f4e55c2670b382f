"""The a(b)-influence where records follow Markov chains or a tree, without worlds.

Which records to hide is known but for where the block around a record begins, or found by a table
(`verifier.kernels.quilts`, `verifier.kernels.hidden`). Floats say where to look; ratios are exact.

After Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Section 6, Definition 2, and
Song, Wang, Chaudhuri 2017, Pufferfish privacy mechanisms for correlated data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any, Protocol

from verifier.base.level import NO_COMPARISON, Leakage
from verifier.kernels.chains import ORDER, Ratio, Vector, exceeds
from verifier.kernels.hidden import Edges
from verifier.kernels.quilts import Asked, Blocks, Told, blocks_of, least
from verifier.questions.answer import Answer, Proof, leveled, proved
from verifier.questions.claim import QuiltsClaim
from verifier.questions.evidence import QuiltsEvidence
from verifier.questions.witness import Belief, EntriesWitness

INFINITE = (1, 0)


class Hiding(Protocol):
    """How to hide records, and what the others tell then."""

    def marginals(self, prior: int, record: int) -> Vector:
        """P(X_i = v) of a record under one of the priors, times one number."""

    def priors(self, asked: Asked) -> list[int]:
        """The priors under which both sets of values are possible, by number."""

    def best(self, asked: Asked, size: int, enough: Ratio) -> tuple[Ratio, list[int]]:
        """The least ratio when so many records are hidden, and these; or one that is `enough`."""

    def told(self, asked: Asked, hidden: list[int]) -> tuple[int, Told]:
        """The prior under which the others tell most, and what they tell."""


@dataclass(frozen=True)
class OfChains:
    """Records that follow one of some chains."""

    every: Sequence[Blocks]

    def marginals(self, prior: int, record: int) -> Vector:
        """P(X_i = v) of a record, times one number."""
        return self.every[prior].marginals[record]

    def priors(self, asked: Asked) -> list[int]:
        """The chains under which both sets of values are possible."""
        return [at for at, blocks in enumerate(self.every) if blocks.allows(asked)]

    def best(self, asked: Asked, size: int, enough: Ratio) -> tuple[Ratio, list[int]]:
        """The least ratio of a block."""
        ratio, first = least([self.every[at] for at in self.priors(asked)], asked, size, enough)
        return ratio, list(range(first, first + size))

    def told(self, asked: Asked, hidden: list[int]) -> tuple[int, Told]:
        """The worst chain."""
        found = (
            (at, self.every[at].told(asked, hidden[0], hidden[-1])) for at in self.priors(asked)
        )
        return max(found, key=lambda known: ORDER(known[1].ratio))


@dataclass(frozen=True)
class OfTree:
    """Records that follow one tree."""

    edges: Edges

    def marginals(self, prior: int, record: int) -> Vector:
        """P(X_i = v) of a record, times one number."""
        return self.edges.marginals[record]

    def priors(self, asked: Asked) -> list[int]:
        """The tree, as nothing is impossible."""
        return [0]

    def best(self, asked: Asked, size: int, enough: Ratio) -> tuple[Ratio, list[int]]:
        """The least ratio: of those found by floats, unless that is more than `enough`."""
        record, (value,), _ = asked
        _, hidden = self.edges.least(record, value, size, exact=False)
        ratio = self.edges.told(record, value, hidden).ratio
        if exceeds(ratio, enough):
            found, hidden = self.edges.least(record, value, size, exact=True)
            ratio = found.as_integer_ratio()
        return ratio, hidden

    def told(self, asked: Asked, hidden: list[int]) -> tuple[int, Told]:
        """What the tree says."""
        return 0, self.edges.told(asked.record, asked.these[0], set(hidden))


@dataclass(frozen=True, eq=False)
class Search:
    """The search for what to hide, for a claim."""

    claim: QuiltsClaim

    @cached_property
    def hiding(self) -> Hiding:
        """How to hide."""
        records = len(self.claim.space.records)
        if self.claim.tree is not None:
            return OfTree(Edges(self.claim.tree))
        return OfChains([blocks_of(chain, records) for chain in self.claim.chains])

    @cached_property
    def asked(self) -> list[Asked]:
        """All comparisons."""
        return [Asked(*one) for one in self.claim.compared]


def decide(claim: QuiltsClaim) -> Answer:
    """The largest of the least ratios over what is compared, and what to hide."""
    search = Search(claim)
    compared = [at for at, one in enumerate(search.asked) if search.hiding.priors(one)]
    if not compared:
        return told(claim, proved(True, NO_COMPARISON, None))
    if not claim.entries:
        return told(claim, proved(False, Leakage(), QuiltsEvidence(None, compared[0])))
    size = min(claim.entries, len(claim.space.records))
    reached, place = (1, 1), None
    upper: list[list[tuple[int, int]]] = [[] for _ in search.asked]
    for at in compared:
        ratio, hidden = search.hiding.best(search.asked[at], size, reached)
        upper[at] = list(_runs(hidden))
        if exceeds(ratio, reached):
            reached, place = ratio, at
    if not reached[1]:
        return told(claim, proved(False, Leakage(), QuiltsEvidence(None, place)))
    level = Fraction(*reached)
    evidence = QuiltsEvidence(upper, place)
    return told(claim, proved(claim.level.admits(level), Leakage(level), evidence))


def told(claim: QuiltsClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: the comparison and the hidden records are the
    proof's, what the others tell is found again."""
    evidence, records = proof.witness, claim.space.records
    assert isinstance(evidence, QuiltsEvidence | None)
    counts: dict[str, Any] = {"records": len(records), "entries": claim.entries}
    if evidence is None:
        return leveled(claim, proof, counts)
    search = Search(claim)
    at = _first(search) if evidence.worst is None else evidence.worst
    asked, size = search.asked[at], min(claim.entries, len(records))
    if evidence.upper is not None:
        hidden = [i for first, last in evidence.upper[at] for i in range(first, last + 1)]
    else:
        hidden = search.hiding.best(asked, size, INFINITE)[1] if size else []
    counts["worst"] = [_named(claim, asked.record, side) for side in (asked.these, asked.those)]
    counts["hidden"] = [records[i] for i in hidden]
    answer = leveled(claim, proof, counts)
    if evidence.worst is None or asked.record not in hidden:
        return answer
    return replace(answer, shown=_shown(search, asked, hidden))


def _first(search: Search) -> int:
    """The first comparison that some prior makes."""
    return next(at for at, one in enumerate(search.asked) if search.hiding.priors(one))


def _runs(hidden: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of records, first and last, that are `hidden`, in ascending order.

    >>> list(_runs([1, 2, 4]))
    [(1, 2), (4, 4)]
    """
    for _, run in groupby(enumerate(hidden), key=lambda known: known[1] - known[0]):
        listed = [record for _, record in run]
        yield listed[0], listed[-1]


def _named(claim: QuiltsClaim, record: int, values: Sequence[int]) -> str:
    names, name = claim.space.value_names, claim.space.records[record]
    if len(values) == 1:
        return f"{name} = {names[values[0]]}"
    return f"{name} in [{', '.join(names[v] for v in values)}]"


def _shown(search: Search, asked: Asked, hidden: list[int]) -> EntriesWitness:
    """The values of the nearest records that are shown which tell most."""
    claim = search.claim
    names, records = claim.space.value_names, claim.space.records
    prior, found = search.hiding.told(asked, hidden)
    m = search.hiding.marginals(prior, asked.record)
    sides = [_named(claim, asked.record, side) for side in (asked.these, asked.those)]
    prior_of = {
        _named(claim, asked.record, (v,)): Fraction(mass, sum(m))
        for v, mass in enumerate(m)
        if mass
    }
    odds = Fraction(*(sum(m[v] for v in side) for side in (asked.these, asked.those)))
    values = ", ".join(f"{records[i]} = {names[v]}" for i, v in sorted(found.values.items()))
    top, bottom = found.ratio
    return EntriesWitness(
        Belief((sides[0], sides[1]), prior_of, odds, prior + 1),
        f"({values})",
        Fraction(top, bottom) if bottom else None,
        [records[i] for i in hidden],
    )
