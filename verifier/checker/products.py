"""Largest products of ratios: of two columns in several answers, and of changes that cost
something."""

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from math import floor
from operator import mul
from typing import Any

from . import reading as read
from .cones import exceeds
from .document import spend
from .losses import Answers
from .obligations import Block
from .reading import ONE, ZERO, Table

Best = dict[Fraction, Any]  # cost -> the largest ratio, None where infinite
Found = Iterator[tuple[Fraction, Fraction | None]]  # costs and ratios


def largest_ratios(answers: Answers, blocks: list[Block]) -> Best:
    """At each cost the largest product of the ratios of two columns, drawn in all `answers`."""
    found: Best = {}
    for cost, ratio in (_of_one if len(answers) == 1 else _of_several)(answers, blocks):
        known = found.get(cost, ZERO)
        found[cost] = None if ratio is None or known is None else max(ratio, known)
    return found


def _of_one(answers: Answers, blocks: list[Block]) -> Found:
    ((table, runs),) = answers
    for s, t, cost in blocks:
        spend((len(s) + len(t)) * len(table.columns[0]))
        yield cost, _largest(table, s, t, runs)


def _of_several(answers: Answers, blocks: list[Block]) -> Found:
    """Each cost with the products of the ratios of pairs of columns, equal ones once."""
    chosen = dict[Fraction, set[tuple[int, ...]]]()
    each = [_Ratios(table, runs) for table, runs in answers]
    for s, t, cost in blocks:
        spend(30 * len(each) * len(s) * len(t))
        lines = [one.numbers(s, t) for one in each]
        chosen.setdefault(cost, set()).update(*map(zip, *lines))
    for cost, every in chosen.items():
        for numbers in every:
            yield cost, _product([one.ratios[k] for one, k in zip(each, numbers, strict=True)])


class _Ratios:
    """The largest `ratios` of two columns of a `table`, drawn so often (`runs`), each once, None
    where infinite."""

    def __init__(self, table: Table, runs: int) -> None:
        self.table, self.kinds = table.alike()
        self.runs = runs
        self.ratios: list[Fraction | None] = []
        self.known: dict[Any, int] = {}

    def numbers(self, s: Collection[int], t: Collection[int]) -> list[list[int]]:
        """For each column in `s` the numbers of its ratios to those in `t`."""
        left, right = ([self.kinds[column] for column in side] for side in (s, t))
        lines = {u: {v: self._number(u, v) for v in {*right}} for u in {*left}}
        return [[lines[u][v] for v in right] for u in left]

    def _number(self, u: int, v: int) -> int:
        if (u, v) not in self.known:
            spend(10 * len(self.table.columns[0]))
            ratio = _largest(self.table, (u,), (v,), self.runs)
            if ratio not in self.known:
                self.known[ratio] = len(self.ratios)
                self.ratios.append(ratio)
            self.known[u, v] = self.known[ratio]
        return self.known[u, v]


def _largest(table: Table, s: Collection[int], t: Collection[int], runs: int) -> Fraction | None:
    """The largest ratio of an output in columns `s` and `t`, drawn so often; None: infinite."""
    columns = ((table.columns[w] for w in side) for side in (s, t))
    highs, lows = (zip(*side, strict=True) for side in columns)
    found, parts = (0, 1), table.whole[1]
    for high, low in set(zip(map(max, highs), map(min, lows), strict=True)):
        if exceeds((parts[high], parts[low]), found):
            found = parts[high], parts[low]
    return powered(read.ratio(*found), runs) if found[1] else None


def powered(value: Fraction, times: int) -> Fraction:
    """A power of a `value`, if it is not too long to be made."""
    bits = times * read.size(value)
    spend(bits**2 // 10**7)
    return value**times


def _product(ratios: Iterable[Any]) -> Any:
    """The product of some `ratios`, None where one is infinite."""
    found = ONE
    for ratio in ratios:
        if ratio is None:
            return None
        found *= ratio
    return found


def largest_product(best: list[Best], several: list[int], room: Fraction | None) -> Any:
    """The largest product of so many changes (`several`) of each kind, which cost at most a `room`
    together (None: any), None where infinite; `best` has their ratios."""
    fits = [{c: r for c, r in one.items() if room is None or c <= room} for one in best]
    if any(None in found.values() for found in fits):
        return None
    if room is not None:
        return _within(fits, several, room)
    each = zip(fits, several, strict=True)
    return _product(max(found.values(), default=ONE) ** k for found, k in each)


def _within(fits: list[Best], several: list[int], room: Fraction) -> Fraction:
    """The same within a `room`: for each amount the largest so far."""
    unit, _ = read.whole([*{cost for found in fits for cost in found}, ONE])
    items = [[(int(cost * unit), ratio) for cost, ratio in found.items()] for found in fits]
    longest = (
        k * max((c for c, _ in own), default=0) for own, k in zip(items, several, strict=True)
    )
    top = min(floor(room * unit), sum(longest))
    sizes = (max(map(read.size, found.values()), default=0) for found in fits)
    bits = sum(map(mul, several, sizes))
    spend(100 * top)
    best = [ONE] * (top + 1)
    for own, k in zip(items, several, strict=True):
        for _ in range(min(k, top // min((cost for cost, _ in own), default=top + 1))):
            spend((100 + bits**2 // 10**6) * top * len(own))
            for spent in range(top, 0, -1):
                options = [best[spent - cost] * ratio for cost, ratio in own if cost <= spent]
                best[spent] = max([best[spent], *options])
    return max(best)
