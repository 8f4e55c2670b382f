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
from typing import Any

from verifier.base.level import NO_COMPARISON, Leakage
from verifier.kernels.chains import ORDER, Ratio, exceeds
from verifier.kernels.hidden import Edges
from verifier.kernels.quilts import Asked, Blocks, Told, blocks_of, least
from verifier.questions.answer import Answer, Proof, leveled, proved
from verifier.questions.claim import QuiltsClaim
from verifier.questions.evidence import HidingEvidence
from verifier.questions.witness import Belief, EntriesWitness

INFINITE = (1, 0)


@dataclass(frozen=True, eq=False)
class Search:
    """The search for what to hide, for a claim."""

    claim: QuiltsClaim

    @cached_property
    def priors(self) -> list[Blocks | Edges]:
        """What the records that are shown tell, under each prior."""
        return [blocks_of(one) if one.is_chain else Edges(one) for one in self.claim.networks]

    def possible(self, asked: Asked) -> list[int]:
        """The priors under which both sets of values are possible, by number."""
        return [at for at, prior in enumerate(self.priors) if prior.allows(asked)]

    def best(self, asked: Asked, size: int, enough: Ratio) -> tuple[Ratio, list[int]]:
        """The least ratio when so many records are hidden, and these; or one that is `enough`."""
        priors = [self.priors[at] for at in self.possible(asked)]
        if isinstance(tree := priors[0], Edges):  # which is the only one
            return tree.best(asked, size, enough)
        ratio, first = least(
            [one for one in priors if isinstance(one, Blocks)], asked, size, enough
        )
        return ratio, list(range(first, first + size))

    def told(self, asked: Asked, hidden: Sequence[int]) -> tuple[int, Told]:
        """The prior under which the others tell most, and what they tell."""
        found = ((at, self.priors[at].told(asked, hidden)) for at in self.possible(asked))
        return max(found, key=lambda known: ORDER(known[1].ratio))

    @cached_property
    def asked(self) -> list[Asked]:
        """All comparisons."""
        return [Asked(*one) for one in self.claim.compared]


def decide(claim: QuiltsClaim) -> Answer:
    """The largest of the least ratios over what is compared, and what to hide."""
    search = Search(claim)
    compared = [at for at, one in enumerate(search.asked) if search.possible(one)]
    if not compared:
        return told(claim, proved(True, NO_COMPARISON, None))
    if not claim.entries:
        return told(claim, proved(False, Leakage(), HidingEvidence(None, compared[0])))
    size = min(claim.entries, len(claim.space.records))
    reached, place = (1, 1), None
    upper: list[list[tuple[int, int]]] = [[] for _ in search.asked]
    for at in compared:
        ratio, hidden = search.best(search.asked[at], size, reached)
        upper[at] = list(runs(hidden))
        if exceeds(ratio, reached):
            reached, place = ratio, at
    if not reached[1]:
        return told(claim, proved(False, Leakage(), HidingEvidence(None, place)))
    level = Fraction(*reached)
    evidence = HidingEvidence(upper, place)
    return told(claim, proved(claim.level.admits(level), Leakage(level), evidence))


def told(claim: QuiltsClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: the comparison and the hidden records are the
    proof's, what the others tell is found again."""
    evidence, records = proof.witness, claim.space.records
    assert isinstance(evidence, HidingEvidence | None)
    counts: dict[str, Any] = {"records": len(records), "entries": claim.entries}
    if evidence is None:
        return leveled(claim, proof, counts)
    search = Search(claim)
    at = _first(search) if evidence.worst is None else evidence.worst
    asked, size = search.asked[at], min(claim.entries, len(records))
    if evidence.upper is not None:
        hidden = evidence.hidden(at)
    else:
        hidden = search.best(asked, size, INFINITE)[1] if size else []
    counts["worst"] = [_named(claim, asked.record, side) for side in (asked.these, asked.those)]
    counts["hidden"] = [records[i] for i in hidden]
    answer = leveled(claim, proof, counts)
    if evidence.worst is None or asked.record not in hidden:
        return answer
    return replace(answer, shown=_shown(search, asked, hidden))


def _first(search: Search) -> int:
    """The first comparison that some prior makes."""
    return next(at for at, one in enumerate(search.asked) if search.possible(one))


def runs(hidden: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of records or entries, first and last, that are `hidden`, in ascending order.

    >>> list(runs([1, 2, 4]))
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
    prior, found = search.told(asked, hidden)
    m = search.priors[prior].marginals[asked.record]
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
