"""Whether some items, within a budget for each prior, meet every conflict."""

from collections.abc import Iterable
from fractions import Fraction

from .reading import afford, need

MAX_COVERS, MAX_SUMS = 4000, 10**6
Item = tuple[int, int, int]  # output, prior, z
Costs = tuple[int, ...]  # by prior
Conflict = frozenset[Item]


def is_avoidable(groups: list[list[Conflict]], costs: dict[Item, Costs], budget: Fraction) -> bool:
    """Whether some items cost no more than the budget for any prior and meet every conflict. No
    item stands in two groups, so that the costs of groups add up."""
    seen: set[Item] = set()
    front: list[Costs] | None = None
    for group in groups:
        need(group and all(group), "a group has conflicts, and a conflict has items")
        items = frozenset[Item]().union(*group)
        need(not seen & items, "an item stands in two groups of conflicts")
        seen |= items
        found = _covers(group, costs, budget)
        need(len(front or ()) * len(found) <= MAX_SUMS, f"more than {MAX_SUMS} ways to go on")
        sums = found if front is None else [_sum(one, other) for one in front for other in found]
        front = _cheapest(cost for cost in sums if max(cost) <= budget)
    return front is None or front != []


def _covers(group: list[Conflict], costs: dict[Item, Costs], budget: Fraction) -> list[Costs]:
    """The costs of all ways to meet the conflicts of a group, one item after the other."""
    found: dict[frozenset[Item], Costs | None] = {frozenset(): None}
    steps = 0
    for conflict in dict.fromkeys(group):
        steps += len(found) * (len(conflict) + max(map(len, found), default=0)) * 10
        afford(steps)
        more: dict[frozenset[Item], Costs | None] = {}
        for items, cost in found.items():
            if items & conflict:
                more[items] = cost
                continue
            for item in conflict:
                total = costs[item] if cost is None else _sum(cost, costs[item])
                if max(total) <= budget:
                    more[items | {item}] = total
        need(len(more) <= MAX_COVERS, f"more than {MAX_COVERS} ways to meet conflicts")
        found = more
    return _cheapest(cost for cost in found.values() if cost is not None)


def _cheapest(front: Iterable[Costs]) -> list[Costs]:
    """The costs that no other ones undercut for every prior."""
    kept: list[Costs] = []
    for cost in sorted(set(front)):  # what undercuts it comes before it
        if not any(all(a <= b for a, b in zip(c, cost, strict=True)) for c in kept):
            kept.append(cost)
            need(len(kept) <= MAX_COVERS, f"more than {MAX_COVERS} ways to meet conflicts")
    return kept


def _sum(left: Costs, right: Costs) -> Costs:
    return tuple(a + b for a, b in zip(left, right, strict=True))
