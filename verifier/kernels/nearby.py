"""What the records of a tree tell about one of them, of which only those near by are looked at.

Of two values, what a branch tells is a vector between two rays (`verifier.kernels.trees`). A record
that is more than some steps away may tell anything: its rays are the values themselves. So no
answers of any others tell more; and the answers near by alone tell as much as they do. Both differ
by a factor that falls with each step, so that a line of a thousand records has short numbers.

Records near which all is alike are looked at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from verifier.base.errors import LimitReached
from verifier.kernels.chains import Ratio
from verifier.kernels.trees import Asked, Branches, Ray, flat, size

ANYTHING = [Ray((1, 0)), Ray((0, 1))]


class Nearby:
    """Rays of what records within `reach` steps of each one tell, for `branches` of two values;
    for all that are alike at once, if they are to be `shared`."""

    def __init__(self, branches: Branches, reach: int, shared: bool = True) -> None:
        self.branches, self.tree, self.reach, self.shared = branches, branches.tree, reach, shared
        self._made: dict[Any, tuple[int, list[Ray]]] = {}  # by what makes it: a number, and rays
        self._known: dict[Any, tuple[int, list[Ray]]] = {}  # by record and steps

    def _numbered(self, at: Any, key: Any, made: Callable[[], list[Ray]]) -> tuple[int, list[Ray]]:
        key = key if self.shared else at
        if key not in self._made:
            self._made[key] = len(self._made), made()
        self._known[at] = self._made[key]
        return self._made[key]

    def _moved(self, record: int, rays: list[Ray]) -> list[Ray]:
        return self.branches.pushed(self.branches.inwards[self.tree.chosen[record]], rays)

    def inward(self, record: int, steps: int) -> tuple[int, list[Ray]]:
        """Rays of what a record and those so many steps below it tell of it, with a number."""
        if steps < 0:
            return -1, ANYTHING
        at, tree = ("inward", record, steps), self.tree
        if at in self._known:
            return self._known[at]
        below = {c: self.inward(c, steps - 1) for c in tree.children[record]}
        kinds = tuple((tree.chosen[c], number) for c, (number, _) in below.items())

        def made() -> list[Ray]:
            return self._joined(self.branches.told(record), below)

        return self._numbered(at, ("inward", self._channel(record), kinds), made)

    def outward(self, record: int, steps: int) -> tuple[int, list[Ray]]:
        """Rays of what the records so many steps away, and not below, tell, with a number."""
        at, tree, parent = ("outward", record, steps), self.tree, self.tree.parents[record]
        if at in self._known:
            return self._known[at]
        if parent < 0:
            return self._numbered(at, ("first",), lambda: [Ray(self.branches.first)])
        onward, chosen = self.branches.onward[tree.chosen[record]], tree.chosen[record]
        if steps < 1:
            far = ("far", chosen)
            return self._numbered(at, far, lambda: self.branches.pushed(onward, ANYTHING))
        number, rays = self.outward(parent, steps - 1)
        beside = {s: self.inward(s, steps - 2) for s in tree.children[parent] if s != record}
        kinds = tuple((tree.chosen[s], kind) for s, (kind, _) in beside.items())

        def made() -> list[Ray]:
            before = self.branches.times(rays, self.branches.told(parent))
            return self.branches.pushed(onward, self._joined(before, beside))

        return self._numbered(at, (chosen, self._channel(parent), number, kinds), made)

    def _joined(self, found: list[Ray], branches: dict[int, tuple[int, list[Ray]]]) -> list[Ray]:
        for record, (_, rays) in branches.items():
            found = self.branches.times(found, self._moved(record, rays))
        return found

    def _channel(self, record: int) -> int:
        return id(self.branches.channels[record])

    def ratios(self, asked: Iterable[Asked]) -> dict[Any, tuple[Ratio, Asked]]:
        """What the ratios of some comparisons are at most, and one of the comparisons; those that
        are alike once."""
        found: dict[Any, tuple[Ratio, Asked]] = {}
        for record, a, b in asked:
            (first, above), (second, below) = (
                self.outward(record, self.reach),
                self.inward(record, self.reach),
            )
            key = first, second, self.branches.marginals[record], a, b
            if key not in found:
                ((ratio, _),) = self.branches.between(record, a, b, above, below)
                found[key] = ratio, (record, a, b)
        return found


def outputs_near(branches: Branches, asked: Asked, reach: int) -> tuple[int, ...]:
    """The outputs near a record that tell most in a comparison; -1 for all others."""
    record, a, b = asked
    own = Nearby(branches, reach, shared=False)
    sides = (side(record, reach)[1] for side in (own.outward, own.inward))
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
