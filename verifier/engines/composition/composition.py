"""Deciding the NfC conditions (Bai et al., Thm 5.1): the smallest level, then the verdict.

For a world D of s only the smallest sets T of worlds of t count that a prior can make possible
together with D. One of them is asked for after the other, each without a world of the weights found
before, until there is none: then all sets are covered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from verifier.base.errors import NotDecided
from verifier.beliefs.supports import ConeSupports, Found
from verifier.claims.answer import Answer
from verifier.claims.claim import CompositionClaim
from verifier.engines.composition.composition_answer import (
    ONE,
    Beta,
    Bounds,
    Entry,
    Order,
    Refutation,
    answer,
)
from verifier.engines.composition.conditions import MARGIN, Condition, Table, logarithm
from verifier.engines.composition.runs import eliminating


def decide(claim: CompositionClaim) -> Answer:
    """The verdict, the smallest level, a run of outputs where violated, and a certificate."""
    search = _Search(claim)
    upper = search.run()
    best = search.best
    if best is None and search.seen and isinstance(claim.supports, ConeSupports):
        best = _compared(claim, *search.seen)
    return answer(claim, Bounds(search.low, search.high, best, upper))


def _compared(claim: CompositionClaim, order: Order, world: int, found: Found) -> Refutation:
    """Evidence that the level is at least 1, which needs no proof but that something is compared.

    Outputs as often as in the world itself are nowhere likelier than there (Gibbs)."""
    outputs = range(len(claim.mechanism.outputs))
    column = [claim.mechanism.probability(o, world) for o in outputs]
    scale = lcm(*(p.denominator for p in column))
    counts = {o: int(p * scale) for o, p in enumerate(column) if p}
    return Refutation(order, world, found, counts)


class _Search:
    """The smallest level that is known to be needed, and one that serves all that was seen."""

    def __init__(self, claim: CompositionClaim) -> None:
        self.claim, self.table = claim, Table(claim.mechanism)
        self.low, self.high = ONE, ONE
        self.best: Refutation | None = None
        self.seen: tuple[Order, int, Found] | None = None
        self.known: dict[tuple[int, tuple[int, ...]], Beta] = {}

    def run(self) -> list[list[Entry]] | None:
        """World and weights for all conditions, by ordered pair; None where no level serves."""
        orders = [order for s, t in self.claim.pairs for order in ((s, t), (t, s))]
        secrets = {name: tuple(worlds) for name, worlds in self.claim.secrets.items()}
        conditions = sorted((world, at) for at, (s, _) in enumerate(orders) for world in secrets[s])
        for world, at in self._hardest([(w, at, secrets[orders[at][1]]) for w, at in conditions]):
            found = self.claim.supports.within(world, secrets[orders[at][1]], frozenset())
            assert found is not None
            if self._beta(orders[at], world, found) is None:
                return None
        upper: list[list[Entry]] = [[] for _ in orders]
        for world, at in conditions:
            betas = self._covering(orders[at], world, secrets[orders[at][1]])
            if betas is None:
                return None
            upper[at].append((world, betas))
        return upper

    def _hardest(
        self, conditions: Sequence[tuple[int, int, tuple[int, ...]]]
    ) -> Iterator[tuple[int, int]]:
        """Conditions that one world does not meet at the level found so far, the worst first."""
        sizes = []
        for world, at, others in conditions:
            found = self.claim.supports.within(world, others, frozenset())
            if found is not None:
                least = float(self.table.ratios(world)[list(found.worlds)].min())
                sizes.append((-least, at, world))
        for size, at, world in sorted(sizes):
            if -size > logarithm(self.high) + MARGIN:
                yield world, at

    def _covering(self, order: Order, world: int, others: tuple[int, ...]) -> list[Beta] | None:
        """Weights of which each possible set of others has some; None where no level serves."""
        betas: list[Beta] = []
        seen, todo = {frozenset[int]()}, [frozenset[int]()]
        while todo:
            avoided = todo.pop()
            found = self.claim.supports.within(world, others, avoided)
            if found is None:
                continue
            beta = self._beta(order, world, found)
            if beta is None:
                return None
            betas.append(beta)
            more = [avoided | {other} for other in sorted(beta, reverse=True)]
            todo += [wider for wider in more if wider not in seen]
            seen.update(more)
        return betas

    def _beta(self, order: Order, world: int, found: Found) -> Beta | None:
        """Weights that meet a condition at `high`, which is increased where needed; None where no
        level serves."""
        self.seen = self.seen or (order, world, found)
        one = self.table.single(world, found.worlds, self.high)
        if one is not None:
            return {one: ONE}
        key = world, found.worlds
        if key not in self.known:
            kept = self.table.dominating(world, found.worlds)
            if not kept:
                counts = eliminating(self.claim.mechanism, world, found.worlds)
                self.best = Refutation(order, world, found, counts)
                return None
            self.known[key] = self._solved(order, world, kept, found)
        return self.known[key]

    def _solved(self, order: Order, world: int, kept: list[int], found: Found) -> Beta:
        """One output may need the level that one world asks for; otherwise a game decides."""
        low, output = self.table.output(world, kept)
        self._need(low, Refutation(order, world, found, {output: 1}))
        one = self.table.single(world, kept, self.high)
        if one is not None:
            return {one: ONE}
        condition = Condition.of(self.table, world, kept)
        beta = condition.beta(self.high)
        if beta is None:
            low, counts, high = condition.enclosed(self.claim.level)
            self._need(low, Refutation(order, world, found, counts))
            self.high = max(self.high, high)
            one = self.table.single(world, kept, self.high)
            beta = {one: ONE} if one is not None else condition.beta(self.high)
        if beta is None:
            raise NotDecided("the weights of worlds that meet a condition are irrational")
        return beta

    def _need(self, low: Fraction, why: Refutation) -> None:
        if low > self.low:
            self.low, self.best = low, why
            self.high = max(self.high, low)
