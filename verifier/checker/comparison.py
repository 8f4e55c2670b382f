"""Certificates of kind "comparison": P <= alpha^distance Q for every output, or so up to delta.
And of kind "sensitivity": the largest L1 distance of a query at two related worlds.

Which worlds are compared is re-derived from the worlds wherever a rule says how. The claimed
leakage is verified from both sides: there every comparison holds, and the witness allows nothing
smaller. The verdict must then be what leakage and level say.
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, permutations, product
from math import prod
from operator import add
from typing import Any

from . import reading as read
from .reading import ONE, ZERO, Budget, Case, Level, Model, Pair, Table, Value, afford, need, prove

FORMS = (("B", 7), ("H", 15), ("I", 31))  # of arrays, and the bits below the top one
FEW = 100  # comparisons of worlds that are made one by one
# every column of the first is compared with every other one of the second, at this distance
Block = tuple[Sequence[int], Sequence[int], Fraction]


@dataclass(frozen=True)
class Compared:
    """Which columns of a table are compared, by blocks.

    They belong to worlds; or, where `names` has their numbers, to pairs of a prior and a secret.
    """

    table: Table
    blocks: list[Block]
    names: dict[tuple[int, str], int] | None = None

    def reach(self, witness: Any, delta: Fraction) -> tuple[Fraction, Fraction, set[Fraction]]:
        """P - `delta`, Q and distances of a `witness`, which is to be about one comparison."""
        keys = "pair outputs" if delta else "pair output"
        if self.names is None:
            pair, shown = read.fields(witness, keys)
            i, j = read.indices(pair, len(self.table.columns))
        else:
            prior, pair, shown = read.fields(witness, f"prior {keys}")
            i, j = (self.names[read.index(prior, read.CODES), name] for name in read.pair(pair))
        distances = {d for s, t, d in self.blocks if i != j and i in s and j in t}
        prove(distances, "the witness is no pair of the relation")
        event = set(read.indices(shown if delta else [shown], len(self.table.columns[i])))
        p, q = (self.table.chance(end, event) for end in (i, j))
        return p - delta, q, distances

    def largest(self, alpha: Any) -> Fraction:
        """The largest excess of a pair: the sum over the outputs of max(0, P - `alpha` Q)."""
        values, columns = self.table
        afford(sum(len(s) * len(t) for s, t, _ in self.blocks) * (50 + len(columns[0])))
        pairs = {(i, j) for s, t, _ in self.blocks for i, j in product(s, t)}
        found = ZERO
        for i, j in pairs:
            codes = Counter(zip(columns[i], columns[j], strict=True)).items()
            gains = ((k, values[p] - alpha * values[q]) for (p, q), k in codes)
            found = max(found, read.total((k, gain) for k, gain in gains if gain > 0))
        return found


def check_comparison(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = read.claim(case.claim, trades=True)
    compared = read_compared(case.relation, case.model, case.model.table)
    near = all(d == 1 for _, _, d in compared.blocks)
    pure = not (asked.delta or asked.tradeoff)
    need(near or pure, "with distances, delta is 0, and no delta is traded")
    p, q, distances = ONE, ONE, {ONE}  # what a leakage of 1 needs
    if case.witness is not None:
        p, q, distances = compared.reach(case.witness, asked.delta)
    exact = "closed" in asked.leakage or "lower" not in asked.leakage
    need(not asked.delta or exact, "with delta, a leakage is exact")

    def needs(low: Level | None) -> bool:
        if low is None:
            return p > 0 == q
        return q > 0 and any(low.compare(p, q, d) >= 0 for d in distances)

    for alpha, least in asked.tradeoff:
        prove(compared.largest(alpha) == least, "not the smallest delta")
    empty = not compared.blocks
    return asked.settle(empty, lambda at: hold(compared, at, asked.delta), needs, within=True)


def read_compared(relation: Any, model: Model, table: Table) -> Compared:
    """What a `relation` compares in a `model`: columns of its `table`, or P(output | secret) under
    given priors."""
    given = ("list", "conditionals")
    if relation["rule"] != "secrets" or relation["priors"]["class"] not in given:
        return Compared(table, read_blocks(relation, model))
    secrets, pairs = read.secrets(relation, model)
    cost = 10 * len(table.columns[0])
    return compare_beliefs(
        read.beliefs(relation["priors"], secrets, model.size, cost), pairs, table
    )


def compare_beliefs(
    beliefs: Sequence[Mapping[str, Mapping[int, int]]],
    pairs: Sequence[Pair],
    table: Table,
    across: bool = False,
) -> Compared:
    """P(output | secret) by a `table`, for the weights of worlds that `beliefs` have by secret; for
    each of the `pairs` under one belief, or `across` them under any two."""
    weighted = {(k, s): weights for k, own in enumerate(beliefs) for s, weights in own.items()}
    names = {side: at for at, side in enumerate(weighted)}
    numbers = range(len(beliefs))
    afford(2 * len(beliefs) ** (1 + across) * len(pairs))
    both = product(numbers, repeat=2) if across else zip(numbers, numbers, strict=True)
    sides = (((k, s), (other, t)) for k, other in both for s, t in pairs)
    blocks = [([names[s]], [names[t]], ONE) for s, t in sides if s in names and t in names]
    return Compared(Table.of([table.mean(w) for w in weighted.values()]), list(blocks), names)


def read_blocks(relation: Any, model: Model) -> list[Block]:
    """The ordered pairs of worlds of a `model` that a `relation` compares."""
    return list(RULES[relation["rule"]](relation, model))


def _changes(relation: Any, model: Model) -> Iterator[Block]:
    """replace, entry: from 1 to `group` places differ, and the same ones are absent in both.
    add_remove: from 1 to `group` places differ, each of them absent in just one."""
    rule, group = read.fields(relation, "rule group")
    if model.is_histograms:
        yield from _moves(rule, read.index(group, read.CODES, low=1), model)
        return
    rows: Any = model.records
    if rule == "entry":
        rows = [[(entry,) for record in row for entry in record] for row in rows]
    places = len(rows[0])
    most = min(read.index(group, read.CODES, low=1), places)
    sizes = range(1 if rule == "add_remove" else most, most + 1)
    choices = chain.from_iterable(combinations(range(places), size) for size in sizes)
    for done, moved in enumerate(map(set, choices)):
        afford(done * len(rows) * places)
        lines = read.grouped(
            tuple([-1 in x if at in moved else x for at, x in enumerate(row)]) for row in rows
        )
        yield from _crossing(lines, moved if rule == "add_remove" else set())


def _moves(rule: str, group: int, model: Model) -> Iterator[Block]:
    """The same among histograms: up to `group` records are moved, each from one value to another.

    Of add_remove those that come were absent before, so none is removed and comes back."""
    rows, steps = model.counts, [*_steps(rule, model.entries_of_values)]
    places, (records,) = {tuple(row): w for w, row in enumerate(rows)}, set(map(sum, rows))
    reached = layer = {(0,) * len(rows[0])}
    budget = Budget()
    for _ in range(min(group, records)):
        budget.spend(10 * len(layer) * len(steps))
        layer = {_add(change, step) for change in layer for step in steps} - reached
        reached = reached | layer
        budget.spend(10 * len(layer) * len(rows))
    for w, row in enumerate(rows):
        near = (_add(row, change) for change in reached)
        others = [places[other] for other in near if other in places]
        if rule == "add_remove" and steps:
            others = [v for v in others if _has_room(row, rows[v], model.absent_value)]
        yield from _block([w], [v for v in others if v != w])


def _steps(rule: str, values: list[Value]) -> Iterator[tuple[int, ...]]:
    """The changes of counts when one record gets another of some `values`, as a rule has it."""
    for x, y in permutations(range(len(values)), 2):
        gone = (-1 in values[x]) + (-1 in values[y])
        differ = sum(a != b for a, b in zip(values[x], values[y], strict=True))
        if gone == (rule == "add_remove") and (rule != "entry" or differ == 1):
            yield tuple([(v == y) - (v == x) for v in range(len(values))])


def _add(row: Sequence[int], change: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(add, row, change))


def _has_room(row: Sequence[int], other: Sequence[int], absent: Any) -> bool:
    """Whether the records that the other histogram has more, value by value, may come."""
    pairs = enumerate(zip(row, other, strict=True))
    return bool(sum(max(0, b - a) for v, (a, b) in pairs if v != absent) <= row[absent])


def _crossing(lines: dict[Any, list[int]], moved: set[int]) -> Iterator[Block]:
    """The worlds of each line against those with just the other of the moved records."""
    for key, line in lines.items():
        other = tuple([not x if at in moved else x for at, x in enumerate(key)])
        yield from _block(line, lines.get(other, []))


def _block(s: Sequence[int], t: Sequence[int]) -> Iterator[Block]:
    """The worlds of two lists against each other, if there are two of them."""
    if t and (s is not t or len(s) > 1):
        yield s, t, ONE


def _all(relation: Any, model: Model) -> Iterator[Block]:
    read.fields(relation, "rule")
    worlds = range(model.size)
    yield from _block(worlds, worlds)


def _pairs(relation: Any, model: Model) -> Iterator[Block]:
    """For each distance, each world's list of worlds that it is compared with."""
    _, distances = read.fields(relation, "rule distances")
    worlds = range(model.size)
    for distance, rows in read.mapping(distances).items():
        need(read.number(distance) > 0, "a distance is positive")
        for world, others in zip(worlds, read.items(rows), strict=True):
            need(world not in read.indices(others, len(worlds)), "compared with itself")
            if others:
                yield (world,), others, read.number(distance)


def _secrets(relation: Any, model: Model) -> Iterator[Block]:
    """Every pair of worlds across a pair of secrets, for priors of class all.

    Of class product, where the worlds are the complete product, those that differ in the one record
    about which the secrets differ."""
    (kind,) = read.fields(relation["priors"], "class")
    need(kind in ("all", "product"), "no such class of priors")
    rows = model.records if kind == "product" else []
    records = [set(column) for column in zip(*rows, strict=True)]
    prove(not rows or prod(map(len, records)) == len(rows), "the worlds are no complete product")
    secrets, pairs = read.secrets(relation, model)
    budget = Budget()
    for s, t in ((secrets[s], secrets[t]) for s, t in pairs if secrets[s] and secrets[t]):
        budget.spend(4 * (len(s) + len(t)) * len(records))
        yield from _about_one(rows, s, t) if rows else [(s, t, ONE)]


def _about_one(rows: list[Any], s: list[int], t: list[int]) -> Iterator[Block]:
    """The worlds of two secrets that differ in the one record which these are about."""
    values = enumerate(zip(_allowed(rows, s), _allowed(rows, t), strict=True))
    about = [r for r, (here, there) in values if here != there]
    prove(len(about) == 1, "two secrets do not differ about one record")
    lines: dict[Any, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, worlds in enumerate((s, t)):
        for w in worlds:
            lines[tuple(rows[w][: about[0]] + rows[w][about[0] + 1 :])][side].append(w)
    yield from ((here, there, ONE) for here, there in lines.values())


def _allowed(rows: list[Any], secret: list[int]) -> list[set[Any]]:
    """The values that a secret allows for each record."""
    values = [set(column) for column in zip(*(rows[w] for w in secret), strict=True)]
    boxed = prod(map(len, values)) == len(secret)
    prove(boxed, "a secret is no choice of values for each record")
    return values


RULES: dict[str, Callable[[Any, Model], Iterator[Block]]] = {
    **dict.fromkeys(("replace", "add_remove", "entry"), _changes),
    "all": _all,
    "pairs": _pairs,
    "secrets": _secrets,
}


def hold(compared: Compared, level: Level, delta: Fraction) -> bool:
    """Whether all that is `compared` holds at this `level`, up to `delta`.

    Codes ascend with values. So P passes with just those Q whose code is at least its limit, and
    one subtraction of large integers, whose digits are codes, compares all outputs of two worlds.
    """
    (values, columns), blocks = compared.table, compared.blocks
    if delta:
        return compared.largest(level.alpha) <= delta
    distances = {d for _, _, d in blocks}
    _afford_comparisons(compared, distances)
    form = next(f for f, bits in FORMS if len(values) < 1 << bits)
    top = _pack(form, [1 << array(form).itemsize * 8 - 1] * len(columns[0]))
    limits = {d: _limits(values, level, d) for d in distances}

    @cache
    def packed(world: int, distance: Fraction | None) -> int:
        column = columns[world]
        return _pack(form, map(limits[distance].__getitem__, column) if distance else column)

    def passes(s: Sequence[int], t: Sequence[int], d: Fraction) -> bool:
        if len(s) * len(t) <= FEW:
            pairs = product([packed(i, d) for i in s], [packed(j, None) for j in t])
        else:  # all pass where the largest of one side do with the smallest of the other
            largest, smallest = _each(max, columns, s), _each(min, columns, t)
            limit = _pack(form, map(limits[d].__getitem__, largest))
            pairs = product([limit], [_pack(form, smallest)])
        return all(((least | top) - limit) & top == top for limit, least in pairs)

    return all(passes(*block) for block in blocks)


def _each(choose: Any, columns: list[list[int]], worlds: Sequence[int]) -> Iterator[int]:
    """The largest or smallest code of each output in some worlds."""
    return map(choose, zip(*(columns[w] for w in worlds), strict=True))


def _afford_comparisons(compared: Compared, distances: set[Fraction]) -> None:
    """Refuse too many comparisons; and too many tables, one for each distance."""
    values, columns = compared.table
    outputs = len(columns[0])
    afford(4 * len(distances) * len(columns) * outputs)
    afford(100 * len(distances - {ONE}) * len(values))
    sizes, each = [(len(s), len(t)) for s, t, _ in compared.blocks], 20 + outputs // 20
    afford(sum(a * b * each if a * b <= FEW else (a + b) * outputs for a, b in sizes))


def _limits(values: list[Fraction], level: Level, distance: Fraction) -> list[int]:
    """For each P the code of the smallest Q with P <= alpha^distance Q; it ascends with P."""
    limits, q = [], 0
    for p in values:
        while level.compare(p, values[q], distance) > 0:
            q += 1
        limits.append(q)
    return limits


def _pack(form: str, codes: Iterable[int]) -> int:
    """One integer whose digits, of the width that an array of this form has, are the codes."""
    return int.from_bytes(array(form, codes).tobytes(), sys.byteorder)


Point = tuple[Fraction, ...]  # the query's values in a world


def check_sensitivity(case: Case) -> bool:
    """Whether what a `case` claims of the sensitivity of functions holds.

    Its witness is a pair that attains the value, or it is rejected."""
    claim, model = case.claim, case.model
    bound = "at_most" if "at_most" in claim else "equals"
    points = list(zip(*map(read.numbers, read.items(model.parts["functions"])), strict=True))
    need(len(points) == model.size, "a function has one value per world")
    blocks = read_blocks(case.relation, model)
    read.vacuous(claim, f"value {bound}", not blocks)
    largest = _farthest(points, blocks)
    prove(read.number(claim["value"]) == largest, "the sensitivity is another")
    if largest or case.witness is not None:
        i, j = read.indices(read.fields(case.witness, "pair")[0], len(points))
        related = i != j and any(i in s and j in t for s, t, _ in blocks)
        attained = related and _distance(points[i], points[j]) == largest
        prove(attained, "the witness does not attain the sensitivity")
    if bound == "at_most":
        return bool(largest <= read.number(claim["at_most"]))
    return claim["equals"] is None or read.number(claim["equals"]) == largest


def _farthest(points: Sequence[Point], blocks: Sequence[Block]) -> Fraction:
    """The largest distance of related worlds; equal points are compared once."""
    kinds = read.grouped(points)
    of = {w: kind for kind, worlds in enumerate(kinds.values()) for w in worlds}
    sides = [({of[i] for i in s}, {of[j] for j in t}) for s, t, _ in blocks]
    afford(sum(len(s) * len(t) for s, t in sides) * 50 * len(points[0]))
    found, listed = {pair for s, t in sides for pair in product(s, t)}, list(kinds)
    return max((_distance(listed[a], listed[b]) for a, b in found), default=ZERO)


def _distance(p: Point, q: Point) -> Fraction:
    return sum((abs(x - y) for x, y in zip(p, q, strict=True)), ZERO)
