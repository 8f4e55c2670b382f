"""Certificates of kind "influence": how little the entries of a database tell about secrets when a
few of them are hidden.

What a set of entries tells is never more than what a larger set tells. So hidden entries bound the
leakage from above; from below, sets of shown entries that each tell as much, such that so few
hidden entries cannot meet all of them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from . import levels
from . import reading as read
from .document import Budget, Pair, afford, fields, index, indices, items, named_pair, need, prove
from .levels import Level
from .reading import Case, Model

Weights = dict[int, int]  # of the worlds in a secret, in proportion to P(world | secret)
View = tuple[Weights, Weights]
Rows = list[list[int]]  # the entries of each world; absent records are -1 throughout
PART = 2000  # steps that a set of entries costs, for its room in memory


@dataclass(frozen=True)
class Hiding:
    """The entries of all worlds, how many may be hidden, and for each of the pairs of secrets what
    the priors that allow both say about them."""

    rows: Rows
    most: int
    pairs: list[Pair]
    views: dict[Pair, dict[int, View]]

    def holds(self, upper: Any, at: Level) -> bool:
        """Whether entries may be hidden, those of `upper` for each pair, so that the others tell no
        more than the level `at`."""
        hidden = [set(indices(entries, len(self.rows[0]))) for entries in items(upper)]
        need(all(len(entries) <= self.most for entries in hidden), "too many entries are hidden")
        listed = [list(self.views[pair].values()) for pair in self.pairs]
        afford(len(self.rows[0]) * sum(len(s) + len(t) for views in listed for s, t in views))
        tables = zip(listed, hidden, strict=True)
        return all(_is_hidden(self.rows, views, entries, at) for views, entries in tables)

    def needs(self, lower: Any, low: Level | None) -> bool:
        """Whether the sets of entries of `lower` tell a level `low` (None: everything), and so few
        hidden ones cannot meet all of them."""
        if lower is None:
            return low is not None and low.alpha == 1
        pair, listed = fields(lower, "pair cores")
        views = self.views[named_pair(pair)]
        worlds = max((len(s) + len(t) for s, t in views.values()), default=0)
        afford(worlds * sum(2 + len(items(core["shown"])) for core in items(listed)))
        return not _can_meet([_core(self.rows, views, core, low) for core in listed], self.most)


def check_influence(case: Case) -> bool:
    """Whether the level of a `case` is met, if its witness proves the leakage; else raise."""
    asked, hiding = levels.claim(case.claim), _read_hiding(case.relation, case.model)
    need(asked.delta == 0 and "lower" not in asked.leakage, "an influence is exact, without delta")
    empty = not any(hiding.views.values())
    need(empty == (case.witness is None), "there is evidence just where something is compared")
    upper, lower = (None, None) if empty else fields(case.witness, "upper lower")
    need(empty or ("infinite" in asked.leakage) == (upper is None), "entries to hide")
    return asked.settle(
        empty, lambda at: hiding.holds(upper, at), lambda low: hiding.needs(lower, low)
    )


def _read_hiding(relation: Any, model: Model) -> Hiding:
    rows = [list(chain(*row)) for row in model.records]
    rule, entries, listed, named, priors = fields(relation, "rule entries secrets pairs priors")
    need(rule == "influence", "no such rule")
    inner = {"rule": "secrets", "secrets": listed, "pairs": named, "priors": priors}
    secrets, pairs = read.secrets(inner, model)
    beliefs = read.beliefs(priors, secrets, len(rows))
    need(priors["class"] != "hull", "no such class of priors")
    afford(2 * len(pairs) * len(beliefs))
    views = {
        (s, t): {k: (own[s], own[t]) for k, own in enumerate(beliefs) if own.keys() >= {s, t}}
        for s, t in pairs
    }
    return Hiding(rows, index(entries, len(rows[0]) + 1), pairs, views)


def _compared(rows: Rows, shown: list[int], view: View) -> dict[Any, tuple[Any, Any]]:
    """Each value of the shown entries, as it may be given s -> P(value | s), P(value | t), times
    one integer."""
    left, right = (_masses(rows, shown, side) for side in view)
    here, there = left.total(), right.total()
    return {x: (mass * there, right[x] * here) for x, mass in left.items()}


def _masses(rows: Rows, shown: list[int], weights: Weights) -> Counter[tuple[int, ...]]:
    masses: Counter[tuple[int, ...]] = Counter()
    for world, weight in weights.items():
        row = rows[world]
        masses[tuple([row[entry] for entry in shown])] += weight
    return masses


def _is_hidden(rows: Rows, views: Iterable[View], hidden: set[int], at: Level) -> bool:
    """Whether the entries that are not hidden tell no more than a level."""
    shown = [entry for entry in range(len(rows[0])) if entry not in hidden]
    found = (pair for view in views for pair in _compared(rows, shown, view).values())
    return all(at.compare(p, q) <= 0 for p, q in found)


def _core(rows: Rows, views: dict[int, View], core: Any, low: Level | None) -> int:
    """A set of entries, as bits, one value of which tells at least a level (None: everything)."""
    listed, prior, world = fields(core, "shown prior world")
    shown, world = indices(listed, len(rows[0])), index(world, len(rows))
    prove(index(prior, read.CODES) in views, "the prior does not compare the pair")
    key = tuple(rows[world][entry] for entry in shown)
    p, q = _compared(rows, shown, views[prior]).get(key, (0, 0))
    tells = p > 0 == q if low is None else p > 0 and low.compare(p, q) >= 0
    prove(tells, "a set of entries tells less than the leakage")
    return sum({1 << entry for entry in shown})


def _can_meet(cores: list[int], most: int) -> bool:
    """Whether at most so many entries have one in each of the cores. A set that does has one in
    the first core that a part of it has not met, so such parts grow entry by entry."""
    parts, budget = {0}, Budget()
    entries = {core: [1 << k for k in range(core.bit_length()) if core >> k & 1] for core in cores}
    for left in range(most, -1, -1):
        grown: set[int] = set()
        for part in parts:
            budget.spend(len(cores) + 1)
            missed = next((core for core in cores if not core & part), None)
            if missed is None:
                return True
            if left:
                grown.update(part | bit for bit in entries[missed])
                afford(PART * len(grown))
        parts = grown
    return False
