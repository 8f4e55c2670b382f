"""What a comparison asks, written from the question alone: P <= level^distance Q for every output,
or so up to delta.

Which worlds are compared is derived from the worlds wherever a rule says how. No evidence is read
here. A comparison holds exactly where all its `obligations` are at least 0; where probabilities are
in order, codes in long integers decide the same at once (`hold`).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate, chain, combinations, compress, permutations, product
from math import prod
from operator import add, mul
from typing import Any

from . import reading as read
from .digits import Digits
from .document import Budget, Pair, afford, fields, index, indices, items, mapping, need, prove
from .grids import arranged, splits
from .levels import Level
from .reading import CODES, ONE, ZERO, Model, Table, Value

# every column of the first is compared with every other one of the second, at this distance
Block = tuple[Collection[int], Collection[int], Fraction]
Kinds = Sequence[int]  # of worlds; those of one kind are compared as one


@dataclass(frozen=True)
class Compared:
    """Which columns of a table are compared, by blocks.

    `columns` says which one belongs to a world; or to the number of a prior and a secret.
    """

    table: Table
    blocks: list[Block]
    columns: Mapping[Any, int] | Kinds = ()

    @property
    def names(self) -> Mapping[tuple[int, str], int] | None:
        """The columns of pairs of a prior and a secret, where these are compared."""
        return self.columns if isinstance(self.columns, Mapping) else None

    def between(self, i: int, j: int) -> set[Fraction]:
        """At which distances two columns are compared."""
        return {d for s, t, d in self.blocks if i != j and i in s and j in t}

    def codes(self, i: int, j: int) -> list[tuple[int, int]]:
        """The codes of two columns by output."""
        return list(zip(self.table.columns[i], self.table.columns[j], strict=True))

    def obligations(self, level: Level, delta: Fraction) -> Iterator[Any]:
        """Numbers that are all at least 0 just where all that is compared holds at a `level`, up to
        `delta`: positive multiples of level^distance Q - P for two numbers, or of delta less the
        excess of an event."""
        values, seen = self.table.values, set[Any]()
        for s, t, d in self.blocks:
            for i, j in product(s, t):
                both = self.codes(i, j) if i != j else []
                afford(len(both))
                if both and delta and (i, j) not in seen:
                    seen.add((i, j))
                    yield from self._events(Counter(both), level, delta)
                for p, q in () if delta else {*both}:
                    if p != q and (p, q, d) not in seen:
                        seen.add((p, q, d))
                        yield level.gap(values[p], values[q], d)

    def _events(self, counts: Counter[Any], level: Level, delta: Fraction) -> Iterator[Any]:
        """What is left of delta after P - level Q of an event, for the event that needs most; or
        for every event, where it is not known which one that is."""
        listed = [self.table.values[code] for both in counts for code in both]
        (down, (up,)), (unit, parts) = read.whole([level.alpha or ONE]), read.whole(listed)
        below, (above,) = read.whole([delta])
        rows = zip(parts[::2], parts[1::2], counts.values(), strict=True)
        gains = [often * (down * p - up * q) for p, q, often in rows]
        open_ = [gain for gain in gains if read.is_other(gain) and not gain.is_decided]
        sure = sum(gain for gain in gains if gain not in open_ and gain > 0)
        afford(1000 * 2 ** len(open_))
        for chosen in product((0, 1), repeat=len(open_)):
            yield above * down * unit - below * sum(compress(open_, chosen), sure)

    def distances(self) -> set[Fraction]:
        """All distances; most blocks share one object."""
        return set({id(d): d for _, _, d in self.blocks}.values())

    def largest(self, alpha: Any) -> Fraction:
        """The largest excess of a pair: the sum over the outputs of max(0, P - `alpha` Q)."""
        columns, (unit, parts) = self.table.columns, self.table.whole
        afford(sum(len(s) * len(t) for s, t, _ in self.blocks) * (50 + len(columns[0])))
        pairs = {(i, j) for s, t, _ in self.blocks for i, j in product(s, t)}
        if read.is_other(alpha) or {*map(type, parts)} != {int}:
            unit_of_alpha, (scaled,) = read.whole([alpha])
            gain = cache(lambda p, q: max(ZERO, unit_of_alpha * parts[p] - scaled * parts[q]))
            sums = (sum(map(gain, columns[i], columns[j])) for i, j in pairs)
            return read.ratio(max(sums, default=ZERO), unit * unit_of_alpha)
        a, b = alpha.as_integer_ratio()
        vectors = Digits.up_to(max(a, b) * parts[-1] * len(columns[0]), len(columns[0]))
        afford(len(pairs) * vectors.count * vectors.size // 25)
        above, below = (vectors.packer([scale * part for part in parts]) for scale in (b, a))
        first, second = (cache(lambda k, p=pack: p(columns[k])) for pack in (above, below))
        found = (vectors.excess(first(i), second(j)) for i, j in pairs)
        return Fraction(max(found, default=0), b * unit)


def read_compared(
    relation: Any, model: Model, table: Table, shown: Collection[Any] = ()
) -> Compared:
    """What a `relation` compares in a `model`: columns of its `table`, or P(output | secret) under
    given priors. Worlds are compared as one where all outputs are as likely, unless `shown`."""
    kind = relation["rule"] == "secrets" and relation["priors"]["class"]
    if kind == "hedging":
        from .polynomials import known_beliefs

        return compare_beliefs(known_beliefs(relation, model), read.pairs(relation), table)
    if kind not in ("list", "conditionals"):
        different, kinds = table.alike(shown)
        return Compared(different, read_blocks(relation, model, kinds), kinds)
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
    return Compared(table.mixed(list(weighted.values())), list(blocks), names)


def read_blocks(relation: Any, model: Model, kinds: Kinds) -> list[Block]:
    """The ordered pairs of worlds of a `model` that a `relation` compares, by their `kinds`."""
    return list(RULES[relation["rule"]](relation, model, kinds))


def _changes(relation: Any, model: Model, kinds: Kinds) -> Iterator[Block]:
    """replace, entry: from 1 to `group` places differ, and the same ones are absent in both.
    add_remove: from 1 to `group` places differ, each of them absent in just one."""
    rule, group = fields(relation, "rule group")
    need(not model.is_of_one, "one record among others has secrets")
    if model.is_histograms:
        yield from _moves(rule, index(group, CODES, low=1), model, kinds)
        return
    columns, crossing = model.entries if rule == "entry" else model.places, rule == "add_remove"
    most = index(group, CODES, low=1)
    digits = _Digit.of_all(columns, 0)
    numbers = list(_added([0] * len(kinds), (digit.own() for digit in digits)))
    cells = arranged(numbers, kinds, prod(len(digit.values) for digit in digits))
    if cells is None:
        found = _among_any(kinds, columns, most, crossing)
    else:
        places = [list(digit.values) for digit in digits if len(digit.values) > 1]
        found = _in_product(cells, places, most, crossing)
    for done, lines in enumerate(found):
        afford(done * len(kinds) * len(columns))
        yield from ((s, t, ONE) for s, t in lines)


Lines = Iterable[tuple[tuple[int, ...], tuple[int, ...]]]  # which are compared with each other


def _in_product(
    cells: list[int], places: list[list[Value]], most: int, crossing: bool
) -> Iterator[Lines]:
    """What is compared, by the places that differ, in a complete product of worlds."""
    most = min(most, len(places))
    choices = (splits([cells], places, k) for k in range(1 if crossing else most, most + 1))
    for moved, parts in chain.from_iterable(choices):
        sides: dict[Any, list[list[int]]] = defaultdict(list)
        absent = product(*([-1 in value for value in values] for values in moved))
        for which, part in zip(absent, parts, strict=True):
            sides[which].append(part)
        if crossing:
            pairs = ((side, sides.get(tuple([not a for a in w]))) for w, side in sides.items())
            both = (
                zip(zip(*s, strict=True), zip(*t, strict=True), strict=True) for s, t in pairs if t
            )
            yield set(chain.from_iterable(both))
        else:
            lines = (set(zip(*side, strict=True)) for side in sides.values() if len(side) > 1)
            yield ((line, line) for line in chain.from_iterable(lines))


def _among_any(
    kinds: Kinds, columns: Sequence[Sequence[Any]], most: int, crossing: bool
) -> Iterator[Lines]:
    """The same among any worlds."""
    digits = _Digit.of_all(columns, 1)  # a moved digit is 0 or 1, which says if it is absent
    numbers = list(_added([0] * len(kinds), (digit.own() for digit in digits)))
    most = min(most, len(digits))
    sizes = range(1 if crossing else most, most + 1)
    for moved in chain.from_iterable(combinations(digits, k) for k in sizes):
        keys = list(_added(numbers, (digit.change(0) for digit in moved)))
        lines: dict[int, list[int]] = defaultdict(list)
        for key, kind in zip(keys, kinds, strict=True):
            lines[key].append(kind)
        if crossing:
            others = _added(numbers, (digit.change(1) for digit in moved))
            both = {(key, other) for key, other in zip(keys, others, strict=True) if other in lines}
            yield {(tuple(lines[key]), tuple(lines[other])) for key, other in both}
        else:
            yield {(line, line) for line in map(tuple, lines.values()) if len(line) > 1}


def _added(numbers: Iterable[int], more: Iterable[Iterable[int]]) -> Iterable[int]:
    for part in more:
        numbers = map(add, numbers, part)
    return numbers


@dataclass(frozen=True)
class _Digit:
    """The digit of a place in the numbers of worlds, where each value of the place has its own."""

    column: Sequence[Any]
    values: dict[Any, int]  # value -> its digit, times the unit of the place
    unit: int

    @classmethod
    def of(cls, column: Sequence[Any], unit: int) -> "_Digit":
        """The digit of a `column` of values, one for each world."""
        return cls(column, {x: unit * at for at, x in enumerate(set(column))}, unit)

    @classmethod
    def of_all(cls, columns: Sequence[Sequence[Any]], more: int) -> "list[_Digit]":
        """The digits of all `columns`, each with room for as many `more` values as it has."""
        *units, _ = accumulate((more + len(set(column)) for column in columns), mul, initial=1)
        return [cls.of(column, unit) for column, unit in zip(columns, units, strict=True)]

    def own(self) -> Iterator[int]:
        """What it adds to the number of each world."""
        return map(self.values.__getitem__, self.column)

    def change(self, there: int) -> Iterator[int]:
        """What makes of it 1 where the place is absent and 0 elsewhere; or, if `there` is 1, the
        other way round."""
        values = self.values.items()
        more = {x: self.unit * (((-1 in x) + there) % 2) - own for x, own in values}
        return map(more.__getitem__, self.column)


def _moves(rule: str, group: int, model: Model, kinds: Kinds) -> Iterator[Block]:
    """The same among histograms: records are moved, each from one value to another, which takes up
    to `group` changes together.

    Of add_remove those that come were absent before, so none is removed and comes back."""
    rows, steps = model.counts, [*_steps(rule, model.entries_of_values)]
    if not steps:  # whatever group would allow
        return
    places, (records,) = {tuple(row): w for w, row in enumerate(rows)}, set(map(sum, rows))
    reached = {(0,) * len(rows[0])}
    layers, budget = [reached], Budget()  # what so many changes reach, and fewer do not
    for changes in range(1, min(group, records * len(model.entries_of_values[0])) + 1):
        before = [(layers[changes - cost], step) for cost, step in steps if cost <= changes]
        budget.spend(10 * sum(len(layer) for layer, _ in before))
        layers.append({_add(row, step) for layer, step in before for row in layer} - reached)
        reached = reached | layers[-1]
        budget.spend(10 * len(layers[-1]) * len(rows))
    for w, row in enumerate(rows):
        near = (_add(row, change) for change in reached)
        others = [places[other] for other in near if other in places]
        if rule == "add_remove":
            others = [v for v in others if _has_room(row, rows[v], model.absent_value)]
        if near_by := {kinds[v] for v in others if v != w}:
            yield {kinds[w]}, near_by, ONE


def _steps(rule: str, values: list[Value]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """How the counts change when one record gets another of some `values`, and how many changes
    that is by the rule."""
    for x, y in permutations(range(len(values)), 2):
        gone = (-1 in values[x]) + (-1 in values[y])
        differ = sum(a != b for a, b in zip(values[x], values[y], strict=True))
        if gone == (rule == "add_remove"):
            cost = differ if rule == "entry" else 1
            yield cost, tuple([(v == y) - (v == x) for v in range(len(values))])


def _add(row: Sequence[int], change: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(add, row, change))


def _has_room(row: Sequence[int], other: Sequence[int], absent: Any) -> bool:
    """Whether the records that the other histogram has more, value by value, may come."""
    pairs = enumerate(zip(row, other, strict=True))
    return bool(sum(max(0, b - a) for v, (a, b) in pairs if v != absent) <= row[absent])


def _all(relation: Any, model: Model, kinds: Kinds) -> Iterator[Block]:
    fields(relation, "rule")
    if model.size > 1:
        yield set(kinds), set(kinds), ONE


def _pairs(relation: Any, model: Model, kinds: Kinds) -> Iterator[Block]:
    """For each distance, each world's list of worlds that it is compared with."""
    _, distances = fields(relation, "rule distances")
    for text, rows in mapping(distances).items():
        distance = read.number(text)
        need(distance > 0, "a distance is positive")
        for world, (kind, others) in enumerate(zip(kinds, items(rows), strict=True)):
            need(world not in indices(others, len(kinds)), "compared with itself")
            if others:
                yield (kind,), set(map(kinds.__getitem__, others)), distance


def _secrets(relation: Any, model: Model, kinds: Kinds) -> Iterator[Block]:
    """Every pair of worlds across a pair of secrets, for priors of class all.

    Of class product, where the worlds are the complete product, those that differ in the one record
    about which the secrets differ."""
    (kind,) = fields(relation["priors"], "class")
    need(kind in ("all", "product"), "no such class of priors")
    rows: list[Any] = model.records if kind == "product" else []
    if rows and model.is_of_one:  # the others are like another record
        rows = [(*row, others) for row, others in zip(rows, model.others, strict=True)]
    records = [set(column) for column in zip(*rows, strict=True)]
    prove(not rows or prod(map(len, records)) == len(rows), "the worlds are no complete product")
    secrets, pairs = read.secrets(relation, model)
    budget = Budget()
    for s, t in ((secrets[s], secrets[t]) for s, t in pairs if secrets[s] and secrets[t]):
        budget.spend(4 * (len(s) + len(t)) * len(records))
        if rows:
            yield from _about_one(rows, s, t, kinds)
        else:
            yield {kinds[w] for w in s}, {kinds[w] for w in t}, ONE


def _about_one(rows: list[Any], s: list[int], t: list[int], kinds: Kinds) -> Iterator[Block]:
    """The worlds of two secrets that differ in the one record which these are about."""
    values = enumerate(zip(_allowed(rows, s), _allowed(rows, t), strict=True))
    about = [r for r, (here, there) in values if here != there]
    prove(len(about) == 1, "two secrets do not differ about one record")
    lines: dict[Any, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, worlds in enumerate((s, t)):
        for w in worlds:
            lines[rows[w][: about[0]] + rows[w][about[0] + 1 :]][side].append(kinds[w])
    yield from ((here, there, ONE) for here, there in lines.values())


def _allowed(rows: list[Any], secret: list[int]) -> list[set[Any]]:
    """The values that a secret allows for each record."""
    values = [set(column) for column in zip(*(rows[w] for w in secret), strict=True)]
    boxed = prod(map(len, values)) == len(secret)
    prove(boxed, "a secret is no choice of values for each record")
    return values


RULES: dict[str, Callable[[Any, Model, Kinds], Iterator[Block]]] = {
    **dict.fromkeys(("replace", "add_remove", "entry"), _changes),
    "all": _all,
    "pairs": _pairs,
    "secrets": _secrets,
}


def hold(compared: Compared, level: Level, delta: Fraction) -> bool:
    """Whether all that is `compared` holds at this `level`, up to `delta`.

    Codes ascend with values. So P passes with just those Q whose code is at least its limit; and
    all of a block pass where the largest limits do with the smallest codes.
    """
    values, columns = compared.table.values, compared.table.columns
    if read.FUNCTIONS.get() and read.is_other(*values, level.alpha, delta):
        return all(left >= 0 for left in compared.obligations(level, delta))
    if delta:
        return compared.largest(level.alpha) <= delta
    distances = compared.distances()
    _afford_comparisons(compared, distances)
    vectors = Digits.up_to(len(values) - 1, len(columns[0]))
    code = vectors.packer(range(len(values)))
    limit = {d: vectors.packer(_limits(values, level, d)) for d in distances}
    codes = cache(lambda column: code(columns[column]))
    limits = cache(lambda column, distance: limit[distance](columns[column]))

    def passes(s: Collection[int], t: Collection[int], d: Fraction) -> bool:
        most = reduce(vectors.larger, [limits(i, d) for i in s])
        return vectors.covers(reduce(vectors.smaller, map(codes, t)), most)

    return all(passes(*block) for block in compared.blocks)


def _afford_comparisons(compared: Compared, distances: set[Fraction]) -> None:
    """Refuse too many comparisons; and too many tables, one for each distance."""
    values, outputs = compared.table.values, len(compared.table.columns[0])
    afford(4 * len(distances) * len(compared.table.columns) * outputs)
    afford(100 * len(distances - {ONE}) * len(values))
    sides = sum(len(s) + len(t) for s, t, _ in compared.blocks)
    afford(sides * (20 + outputs // 20))


def _limits(values: list[Fraction], level: Level, distance: Fraction) -> list[int]:
    """For each P the code of the smallest Q with P <= alpha^distance Q; it ascends with P."""
    limits, q = [], 0
    for p in values:
        while level.compare(p, values[q], distance) > 0:
            q += 1
        limits.append(q)
    return limits
