"""Choosing what to give up: a set of items that meets every core, within the budget of each prior.

A core is a set of items that cannot all be good. Cores that share no item, directly or through
others, are separate groups: their costs add up, so that of each group's covers only those matter
whose costs no other one undercuts for every prior.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized

from verifier.base.errors import LimitReached

MAX_COVERS = 1000
Costs = tuple[int, ...]  # by prior
Core = frozenset[int]


def cover(cores: Iterable[Core], costs: Sequence[Costs], budget: int) -> Core | None:
    """Items that meet all of the cores and cost no more than the budget for any prior, or None.

    costs  of every item by prior, not negative

    >>> sorted(cover([frozenset({0, 1}), frozenset({2})], [(3,), (2,), (1,)], 3))
    [1, 2]
    """
    nothing = (0,) * len(costs[0])
    front: dict[Costs, Core] = {nothing: frozenset()}
    for group in groups(cores):
        covers = _covers(group, costs, budget)
        sums = {
            _sum(one, other): items | more
            for one, items in front.items()
            for other, more in covers.items()
        }
        front = _undominated({c: items for c, items in sums.items() if max(c) <= budget})
        if not front:
            return None
    return front[min(front, key=lambda c: (sum(c), c))]


def groups(cores: Iterable[Core]) -> list[list[Core]]:
    """The cores that share items, directly or through others, together."""
    found: list[tuple[set[int], list[Core]]] = []
    for core in cores:
        items, members = set(core), [core]
        apart = []
        for others, theirs in found:
            if others & items:
                items, members = items | others, theirs + members
            else:
                apart.append((others, theirs))
        found = [*apart, (items, members)]
    return [members for _, members in found]


def _covers(cores: Sequence[Core], costs: Sequence[Costs], budget: int) -> dict[Costs, Core]:
    """The cheapest covers of one group."""
    found: dict[Core, Costs] = {frozenset(): (0,) * len(costs[0])}
    for core in cores:
        more: dict[Core, Costs] = {}
        for items, cost in found.items():
            for item in () if items & core else core:
                total = _sum(cost, costs[item])
                if max(total) <= budget:
                    more[items | {item}] = total
        found = {items: cost for items, cost in found.items() if items & core} | more
        _check(found)
    return _undominated({cost: items for items, cost in found.items()})


def _undominated(front: Mapping[Costs, Core]) -> dict[Costs, Core]:
    """Those whose costs no other one undercuts for every prior."""
    kept: dict[Costs, Core] = {}
    for cost in sorted(front):  # what undercuts it comes before it
        if not any(all(a <= b for a, b in zip(c, cost, strict=True)) for c in kept):
            kept[cost] = front[cost]
            _check(kept)
    return kept


def _check(found: Sized) -> None:
    if len(found) > MAX_COVERS:
        raise LimitReached(f"more than {MAX_COVERS} choices of what may be inferred with delta")


def _sum(left: Costs, right: Costs) -> Costs:
    return tuple(a + b for a, b in zip(left, right, strict=True))
