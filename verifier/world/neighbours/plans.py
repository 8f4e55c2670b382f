"""Neighbours under constraints among histograms: minimal plans that move records.

A plan says how many records move from each value x to each value y. Two histograms are neighbours
where two lists of records are that have them, so where some plan from one to the other is minimal.
Their difference does not say so: with edges a–b and b–c and the constraint that one record is b, a
record that goes from c to b and one from b to a are a minimal plan, in all from c to a, which is no
edge. Plans are grown from none on, and none above one that leads to a possible histogram.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.neighbours import minimal
from verifier.world.relation import Relation
from verifier.world.transport import MAX_VALUES, Move
from verifier.world.worlds import WorldSpace

MAX_PLANS = 3 * 10**6

Counts = tuple[int, ...]
Plan = tuple[int, ...]  # how many records make each of some moves
Growth = list[tuple[int | None, int]]  # a move that may grow into another one; None into any new


def blowfish(space: WorldSpace, edges: np.ndarray) -> Relation:
    """Blowfish neighbours among the histograms of `space`, see `minimal.blowfish` for lists.

    edges  shape (k, k) over the k values of a record: the discriminative secret graph

    (h, h') is a pair when a plan from h to h' moves records along edges; no plan from h to a
    possible histogram moves some of these records, not all, along these edges, whatever it does
    with the rest; and none has the same moves along edges and fewer others, or a deletion in
    place of a change. LimitReached for too many plans.
    """
    search = _Search(space, edges)
    return minimal.related([search.blowfish(counts) for counts in search.worlds])


def induced(space: WorldSpace) -> Relation:
    """Induced neighbours in `space`, see `minimal.induced`; among histograms by minimal plans."""
    if not space.is_histograms:
        return minimal.induced(space)
    search = _Search(space, np.zeros((len(space.record_values),) * 2, dtype=bool))
    nothing = (0,) * len(space.record_values)
    return minimal.related([search.settled(h, nothing, {search.worlds[h]}) for h in search.worlds])


class _Search:
    """Minimal plans among the histograms of a space.

    worlds  counts -> the number of the histogram
    secret  the moves along an edge
    others  all other moves
    """

    def __init__(self, space: WorldSpace, edges: np.ndarray) -> None:
        assert space.counts is not None
        self.counts, self.tried = space.counts, 0
        self.worlds = {tuple(row): w for w, row in enumerate(space.counts.T.tolist())}
        values, gone = range(len(edges)), space.absent_code
        moves = [(x, y) for x in values for y in values if x != y]
        self.secret = [move for move in moves if edges[move]]
        self.others = [move for move in moves if not edges[move]]
        self.growth: Growth = [
            (self._deletion(move, gone), at) for at, move in enumerate(self.others)
        ]
        self.reach = self._reach(~edges)

    def _deletion(self, move: Move, gone: int | None) -> int | None:
        """The place of the deletion that a change of a record begins with, where there is one."""
        if gone is None or gone in move:
            return None
        return self.others.index((move[0], gone))

    def _reach(self, joined: np.ndarray) -> list[tuple[list[int], list[int]]]:
        """The sets of values, and for each the values that records with one of them may get."""
        values = range(len(joined))
        if len(values) > MAX_VALUES:
            raise LimitReached(f"neighbours under constraints have at most {MAX_VALUES} values")
        sets = [list(s) for size in values for s in combinations(values, size) if s]
        return [(s, np.flatnonzero(joined[s].any(axis=0)).tolist()) for s in sets]

    def blowfish(self, here: Counts) -> np.ndarray:
        """The neighbours of a histogram."""
        found: set[int] = set()

        def parts(plan: Plan) -> tuple[Counts, Counts]:
            return _moved(here, self.secret, plan)

        growth: Growth = [(None, at) for at in range(len(self.secret))]
        for plan in self._minimal(self.secret, growth, here, lambda p: self._leads(*parts(p))):
            left, come = parts(plan)
            both = _sum(left, come)
            found |= (
                {self.worlds[both]}
                if both in self.worlds
                else set(self.settled(left, come, set()).tolist())
            )
        return np.array(sorted(found - {self.worlds[here]}), dtype=np.int64)

    def settled(self, left: Counts, come: Counts, without: set[int]) -> np.ndarray:
        """The histograms that minimal plans without edges, but some moves, lead to.

        left     the records that may move
        come     those that have moved
        without  histograms that do not count
        """

        def target(plan: Plan) -> Counts:
            return _sum(come, _sum(*_moved(left, self.others, plan)))

        plans = self._minimal(self.others, self.growth, left, lambda p: target(p) in self.worlds)
        found = {self.worlds[target(plan)] for plan in plans}
        return np.array(sorted(found - without), dtype=np.int64)

    def _leads(self, left: Counts, come: Counts) -> bool:
        """Whether moves along no edge lead to a possible histogram (Hall's theorem)."""
        if _sum(left, come) in self.worlds:
            return True
        room = self.counts - np.array(come)[:, None]
        fits = (room >= 0).all(axis=0)
        for chosen, targets in self.reach:
            fits &= room[targets].sum(axis=0) >= sum(left[x] for x in chosen)
        return bool(fits.any())

    def _minimal(
        self, moves: Sequence[Move], growth: Growth, left: Counts, leads: Callable[[Plan], bool]
    ) -> Iterator[Plan]:
        """The plans that move records, lead somewhere, and are above no other such plan.

        moves   how often each is made is a plan
        growth  how plans grow, by one step each
        left    the records that there are to move
        leads   whether a plan leads to a possible histogram
        """
        layer: set[Plan] = {(0,) * len(moves)}
        while layer:
            above: set[Plan] = set()
            for plan in {_changed(p, step, 1) for p in layer for step in growth}:
                self._spend()
                below = (_changed(plan, step, -1) for step in growth if plan[step[1]])
                if (
                    min(plan) < 0
                    or min(_moved(left, moves, plan)[0]) < 0
                    or not layer.issuperset(below)
                ):
                    continue
                if leads(plan):
                    yield plan
                else:
                    above.add(plan)
            layer = above

    def _spend(self) -> None:
        self.tried += 1
        if self.tried > MAX_PLANS:
            raise LimitReached(f"more than {MAX_PLANS} plans to move records under constraints")


def _changed(plan: Plan, step: tuple[int | None, int], by: int) -> Plan:
    """The plan grown, or shrunk, by one step."""
    less, more = step
    return tuple(n + by * ((at == more) - (at == less)) for at, n in enumerate(plan))


def _moved(counts: Counts, moves: Sequence[Move], plan: Plan) -> tuple[Counts, Counts]:
    """The counts of the records that stay, and of those that have moved."""
    left, come = list(counts), [0] * len(counts)
    for (x, y), n in zip(moves, plan, strict=True):
        left[x] -= n
        come[y] += n
    return tuple(left), tuple(come)


def _sum(first: Counts, second: Counts) -> Counts:
    return tuple(a + b for a, b in zip(first, second, strict=True))
