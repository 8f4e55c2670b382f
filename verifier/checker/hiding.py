"""Hidden entries by the rule "inequality"."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from . import levels
from . import reading as read
from .document import fields, index, items, keep, need, prove, spend
from .inequality import of_nothing, reaches
from .levels import Claim, Level
from .obligations import GIVEN
from .reading import Case, Model

View = tuple[dict[int, int], dict[int, int]]  # of two secrets: P(world | secret), in proportion


def check_influence(case: Case) -> bool:
    """Whether the level of a `case` is met, if its witness proves the leakage; else raise."""
    asked, (rows, most, views) = levels.claim(case.claim), _read_views(case.relation, case.model)
    everything = frozenset(range(len(rows[0])))

    def told(at: int, shown: Collection[int]) -> Iterator[tuple[Any, Any]]:
        """What entries that are shown tell in a comparison, by prior and value x: as it may be
        given s, P(x, s) P(t) and P(x, t) P(s)."""
        for view in views[at]:
            spend(2 * (1 + len(shown)) * sum(map(len, view)))
            left, right = Counter[Any](), Counter[Any]()
            for masses, weights in zip((left, right), view, strict=True):
                for world, weight in weights.items():
                    masses[tuple([rows[world][entry] for entry in shown])] += weight
            here, there = left.total(), right.total()
            yield from ((mass * there, right[x] * here) for x, mass in left.items())

    def holds(level: Level, hidden: Sequence[set[int]]) -> bool:
        both = enumerate(hidden)
        return all(level.allows(p, q) for at, own in both for p, q in told(at, everything - own))

    def needs(at: int, low: Level | None) -> bool:
        """Whether entries tell a level (None: everything), whatever is hidden: of a set that does,
        and no part of which does, one has to be."""

        @cache
        def always(shown: frozenset[int], left: int) -> bool:
            core = shown
            for entry in sorted(shown) if left else ():
                core = core - {entry} if tells(core - {entry}) else core
            return tells(core) and all(always(shown - {entry}, left - 1) for entry in core if left)

        @cache
        def tells(shown: frozenset[int]) -> bool:
            keep(tells.cache_info().currsize, 250 * len(shown))
            return any(reaches(ratio, low) for ratio in told(at, shown))

        return always(everything, most)

    made, sizes = list(map(len, views)), (len(everything), most)
    return settle_hidden(asked, case.witness, made, sizes, holds, needs)


def _read_views(relation: Any, model: Model) -> tuple[list[list[int]], int, list[list[View]]]:
    """The entries of all worlds of a `model`, -1 throughout where a record is absent; how many a
    `relation` allows to hide; and by comparison what the priors that allow both secrets say."""
    rows = [list(chain(*row)) for row in model.records]
    rule, entries, listed, named, priors = fields(relation, "rule entries secrets pairs priors")
    need(rule == "influence" and priors["class"] in GIVEN, "no such rule, or class of priors")
    inner = {"rule": "secrets", "secrets": listed, "pairs": named, "priors": priors}
    secrets, pairs = read.secrets(inner, model)
    beliefs = read.beliefs(priors, secrets, len(rows))
    spend(2 * len(pairs) * len(beliefs))
    views = [[(own[s], own[t]) for own in beliefs if own.keys() >= {s, t}] for s, t in pairs]
    return rows, index(entries, len(rows[0]) + 1), views


def settle_hidden(
    asked: Claim,
    witness: Any,
    views: Sequence[int],
    sizes: tuple[int, int],
    holds: Callable[[Level, Sequence[set[int]]], bool],
    needs: Callable[[int, Level | None], bool],
) -> bool:
    """Whether a level is met where entries are hidden, in each comparison those of a `witness`.

    views  how many priors make each comparison
    sizes  how many entries there are, and how many may be hidden
    holds  whether the others tell no more than a level
    needs  whether in a comparison they always tell as much (None: everything)
    """
    need(asked.delta == 0 and "lower" not in asked.leakage, "an influence is exact, without delta")
    empty = not any(views)
    need(empty == (witness is None), "there is evidence just where something is compared")
    upper, worst = (None, None) if empty else fields(witness, "upper worst")
    need(empty or ("infinite" in asked.leakage) == (upper is None), "entries to hide")
    hidden = [_hidden(runs, *sizes) for runs in items(upper or [])]
    known = upper is None or all(k or not own for k, own in zip(views, hidden, strict=True))
    need(known, "entries are hidden for nothing")

    def needed(low: Level | None) -> bool:
        if worst is None:
            return of_nothing(low)
        prove(views[index(worst, len(views))], "no prior makes this comparison")
        return needs(worst, low)

    return asked.settle(empty, lambda level: holds(level, hidden), needed)


def _hidden(runs: Any, count: int, most: int) -> set[int]:
    """The entries of some `runs`, no more than `most` of so many."""
    found = set[int]()
    for first, last in items(runs, 2):
        index(last, count, low=index(first, count))
        need(len(found) + last - first < most, "too many entries are hidden")
        found.update(range(first, last + 1))
    return found
