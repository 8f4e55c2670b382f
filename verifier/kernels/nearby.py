"""What the records of a tree tell about one of them, of which only those near by are looked at.

Of two values, what a branch tells is a vector between two rays (`verifier.kernels.network`). A
record that is more than some steps away may tell anything: its rays are the values themselves. So
no answers of any others tell more; and the answers near by alone tell as much as they do. Both
differ by a factor that falls with each step, so that a line of a thousand records has short
numbers.

Records near which all is alike are looked at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from verifier.base.errors import LimitReached
from verifier.kernels.chains import Ratio
from verifier.kernels.network import ANYTHING, Asked, Branches, Cone, flat, size


class Nearby:
    """Cones of what records within `reach` steps of each one tell, for `branches` of two values."""

    def __init__(self, branches: Branches, reach: int) -> None:
        self.branches, self.tree, self.reach = branches, branches.tree, reach
        self.inward, self.outward = cache(self._inward), cache(self._outward)

    def _inward(self, record: int, steps: int) -> Cone:
        """The cone of what a record and those so many steps below it tell of it."""
        if steps < 0:
            return ANYTHING
        below = self.tree.children[record]
        return self._joined(self.branches.told(record), below, steps - 1)

    def _outward(self, record: int, steps: int) -> Cone:
        """The cone of what the records so many steps away, and not below, tell of it."""
        parent = self.tree.parents[record]
        if parent < 0:
            return self.branches.root
        if steps < 1:
            return self.branches.downward(record, ANYTHING)
        start = self.branches.times(self.outward(parent, steps - 1), self.branches.told(parent))
        beside = [sibling for sibling in self.tree.children[parent] if sibling != record]
        return self.branches.downward(record, self._joined(start, beside, steps - 2))

    def _joined(self, cone: Cone, records: Iterable[int], steps: int) -> Cone:
        for record in records:
            told = self.branches.upward(record, self.inward(record, steps))
            cone = self.branches.times(cone, told)
        return cone

    def ratios(self, asked: Iterable[Asked]) -> dict[Any, tuple[Ratio, Asked]]:
        """What the ratios of some comparisons are at most, and one of the comparisons; those that
        are alike once."""
        found: dict[Any, tuple[Ratio, Asked]] = {}
        for record, a, b in asked:
            above, below = self.outward(record, self.reach), self.inward(record, self.reach)
            key = above.number, below.number, self.branches.marginals[record], a, b
            if key not in found:
                ((ratio, _),) = self.branches.between(record, a, b, above.rays, below.rays)
                found[key] = ratio, (record, a, b)
        return found


def outputs_near(branches: Branches, asked: Asked, reach: int) -> tuple[int, ...]:
    """The outputs near a record that tell most in a comparison; -1 for all others. Cones of the
    `branches` are not shared."""
    record, a, b = asked
    own = Nearby(branches, reach)
    sides = (side(record, reach).rays for side in (own.outward, own.inward))
    _, made = max(branches.between(record, a, b, *sides), key=lambda one: size(one[0]))
    found = [-1] * len(branches.channels)
    for at, output in flat(made):
        found[at] = output
    return tuple(found)


def reach_of(branches: Branches, degrees: Sequence[int], most: int) -> int:
    """How many steps around each record have polynomials whose degrees are at most so large
    together; LimitReached where these are none.

    degrees  of each record: of what it tells, and of how it depends on its parent
    """
    tree, found = branches.tree, len(degrees)
    for record in tree.order:
        seen, ring, total, steps = {record}, [record], degrees[record], 0
        while ring and steps < found:
            near = [other for at in ring for other in (tree.parents[at], *tree.children[at])]
            ring = [other for other in near if other >= 0 and other not in seen]
            seen.update(ring)
            total += sum(degrees[at] for at in ring)
            if total > most:
                break
            steps += 1
        else:
            continue
        found = min(found, steps)
    if not found:
        raise LimitReached("a record has so many others beside it that polynomials are too long")
    return found
