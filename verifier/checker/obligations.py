"""What is asked, written from the question alone: obligations up <= level^power down.

Of a comparison they are P <= level^distance Q for every output, or P - delta <= level Q for an
event. Which worlds are compared is derived from the worlds wherever a rule says how. No evidence is
read here, and nothing is divided: what is given a secret stays a product with its mass. Ranks of
probabilities in long integers decide many obligations at once.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from itertools import chain, combinations, compress, permutations, product
from math import comb, prod
from operator import add, le, mul, ne
from typing import Any

from . import reading as read
from .document import Pair, fields, index, indices, items, keep, mapping, need, prove, spend
from .levels import Level
from .reading import CODES, ONE, ZERO, Model, Table, Value

# every column of the first is compared with every other one of the second, at this distance
Block = tuple[Collection[int], Collection[int], Fraction]
Kinds = Sequence[int]  # of worlds; those of one kind are compared as one
# worlds and their keys, twice: each of the first is compared with all others of an equal key among
# the second, at this distance
Lines = tuple[Sequence[int], Sequence[Any], Sequence[int], Sequence[Any], Fraction]
At = Callable[[int, int], set[Fraction]]  # at which distances two worlds are compared
GIVEN = ("list", "conditionals")  # classes of priors with numbers
Obligation = tuple[Any, Any, Fraction]  # up, down and power: up <= level^power down


def pairs_of(blocks: Sequence[Block], cost: int = 50) -> set[tuple[int, int]]:
    """The pairs of different columns, or kinds of worlds, that are compared; each has a `cost`."""
    spend(cost * sum(len(s) * len(t) for s, t, _ in blocks))
    return {(i, j) for s, t, _ in blocks for i, j in product(s, t) if i != j}


@dataclass(frozen=True)
class Compared:
    """Which columns of a table are compared, by blocks.

    A column has P(output, s) for a world or a secret s, whose mass is P(s). Two are compared by
    P(output, s) P(t) <= level P(output, t) P(s).

    at       the distances at which it has two worlds, or columns that belong to secrets
    columns  of worlds
    names    of columns that belong to secrets: the number of a prior, and a secret
    masses   of all columns; without any each of them is 1
    """

    table: Table
    blocks: list[Block]
    at: At = lambda *_: set()
    columns: Kinds = ()
    names: Mapping[tuple[int, str], int] | None = None
    masses: Sequence[Any] = ()

    def codes(self, i: int, j: int) -> list[tuple[int, int]]:
        """The codes of two columns by output."""
        return list(zip(self.table.columns[i], self.table.columns[j], strict=True))

    def scales(self, i: int, j: int) -> tuple[Any, Any, Any]:
        """Factors that give two columns the same mass, and this mass; of equal masses both 1."""
        first, last = (self.masses[k] if self.masses else ONE for k in (i, j))
        if read.written(first) == read.written(last):
            return 1, 1, first
        return last, first, first * last

    def event(self, i: int, j: int, outputs: Collection[int], delta: Fraction) -> tuple[Any, Any]:
        """What P of some `outputs` is above `delta`, and Q of them, times a positive number."""
        here, there, unit = self.scales(i, j)
        p, q = (self.table.chance(k, outputs) for k in (i, j))
        return p * here - delta * unit, q * there

    def obligations(self, level: Level, delta: Fraction) -> Iterator[Obligation]:
        """All that is asked at a `level`, up to `delta`: of each output, or of events."""
        values, seen = self.table.values, set[Any]()
        for s, t, d in self.blocks:
            for i, j in ((i, j) for i, j in product(s, t) if i != j):
                both, (here, there, unit) = self.codes(i, j), self.scales(i, j)
                spend(len(both))
                own = () if here is there else (i, j)
                if delta and (i, j) not in seen:
                    seen.add((i, j))
                    counts = Counter(both).items()
                    rows = [(values[p] * here, values[q] * there, n) for (p, q), n in counts]
                    yield from _events(rows, level, delta * unit)
                for p, q in () if delta else {*both}:
                    if (own or p != q) and (p, q, d, own) not in seen:
                        seen.add((p, q, d, own))
                        yield values[p] * here, values[q] * there, d

    def pairs(self) -> set[tuple[int, int]]:
        """The pairs of different columns that are compared."""
        return pairs_of(self.blocks, 100 + len(self.table.columns[0]))

    def distances(self) -> set[Fraction]:
        """All distances."""
        return {d for _, _, d in self.blocks}

    def holds(self, level: Level, delta: Fraction) -> bool:
        """Whether all that is compared holds at a `level`, up to `delta`."""
        others = read.is_other(*self.table.values, level.alpha, delta)
        if (read.FUNCTIONS.get() and others) or (self.masses and not delta):
            return all(level.allows(*one) for one in self.obligations(level, delta))
        if delta:
            return all(over <= delta * unit for over, unit in self.excesses(level.alpha))
        return self._holds_by_blocks(level)

    def is_least(self, alpha: Fraction, delta: Fraction) -> bool:
        """Whether `delta` is the smallest one with which all holds at `alpha`."""
        gaps = [delta * unit - over for over, unit in self.excesses(alpha)]
        return all(gap >= 0 for gap in gaps) and (not delta or any(gap == 0 for gap in gaps))

    def excesses(self, alpha: Any) -> Iterator[tuple[Any, Any]]:
        """What P exceeds `alpha` Q by, for each pair that is compared; and delta 1, in its unit."""
        for i, j in self.pairs():
            over, unit = self.excess(i, j, alpha)
            yield over, unit * self.scales(i, j)[2]

    def excess(self, i: int, j: int, alpha: Any) -> tuple[Any, Any]:
        """Of two columns the sum over the outputs of max(0, P - `alpha` Q), once they have the same
        mass, times a number; and that number."""
        (unit, parts), (below, (above,)) = self.table.whole, read.in_integers([alpha])
        here, there, _ = self.scales(i, j)
        here, there, counts = below * here, above * there, Counter(self.codes(i, j)).items()
        gains = (n * max(0, here * parts[p] - there * parts[q]) for (p, q), n in counts)
        return sum(gains), below * unit

    def _holds_by_blocks(self, level: Level) -> bool:
        """Whether all holds without delta: all of a block does where the largest P and the least Q
        do, and of those with one P the one with the least Q; by their ranks among all."""
        values, pairs = sorted({*self.table.values}), defaultdict[Fraction, set[Any]](set)
        rank = {value: at for at, value in enumerate(values)}
        ranks = Table([Fraction(rank[value]) for value in self.table.values], self.table.columns)
        seen = defaultdict[Any, set[Any]](set)  # rows at a distance, by how many of a row are P
        for s, t, d in self.blocks:
            pairs[d] |= ranks.extremes(s, t, seen[d, len(s)])
        asked = ((d, dict(sorted(found, reverse=True))) for d, found in pairs.items())
        found = ((values[p], values[q], d) for d, least in asked for p, q in least.items())
        return all(level.allows(*one) for one in found)


def _events(rows: Sequence[Any], level: Level, delta: Any) -> Iterator[Obligation]:
    """P - `delta` <= level Q of the event that needs most, for `rows` of P, Q and how often both
    are; or of every event, where it is not known which one that is."""
    below, (above,) = read.in_integers([level.number])
    unit, parts = read.in_integers([x for p, q, _ in rows for x in (p, q)])
    pairs = zip(parts[::2], parts[1::2], rows, strict=True)
    masses = [(n * p, n * q) for p, q, (_, _, n) in pairs]
    gains = [below * p - above * q for p, q in masses]
    open_ = [read.is_other(gain) and not gain.is_decided for gain in gains]
    rows = list(zip(masses, gains, open_, strict=True))
    sure = [one for one, gain, is_open in rows if not is_open and gain > 0]
    asked = list(compress(masses, open_))
    spend(1000 * 2 ** len(asked))
    for chosen in product((0, 1), repeat=len(asked)):
        event = [*sure, *compress(asked, chosen)]
        yield sum(p for p, _ in event) - delta * unit, sum(q for _, q in event), ONE


def read_compared(relation: Any, model: Model, table: Table) -> Compared:
    """What a `relation` compares in a `model`: columns of its `table`, or P(output, secret) under
    given priors. Worlds are compared as one where all outputs are as likely."""
    kind = relation["rule"] == "secrets" and relation["priors"]["class"]
    if kind == "hedging":
        from .polynomials import known_beliefs

        return compare_beliefs(known_beliefs(relation, model), read.pairs(relation), table)
    if kind not in GIVEN:
        different, kinds = table.alike()
        at = partial(compared_at, relation, model)
        return Compared(different, read_blocks(relation, model, kinds), at, kinds)
    secrets, pairs = read.secrets(relation, model)
    beliefs = read.beliefs(relation["priors"], secrets, model.size)  # sums are paid there
    return compare_beliefs(beliefs, pairs, table)


def compare_beliefs(
    beliefs: Sequence[Mapping[str, Mapping[int, int]]],
    pairs: Sequence[Pair],
    table: Table,
    across: bool = False,
) -> Compared:
    """P(output, secret) by a `table`, for the weights of worlds that `beliefs` have by secret; for
    each of the `pairs` under one belief, or `across` them under any two."""
    weighted = {(k, s): weights for k, own in enumerate(beliefs) for s, weights in own.items()}
    names = {side: at for at, side in enumerate(weighted)}
    numbers = range(len(beliefs))
    spend(2 * len(beliefs) ** (1 + across) * len(pairs))
    both = product(numbers, repeat=2) if across else zip(numbers, numbers, strict=True)
    sides = (((k, s), (other, t)) for k, other in both for s, t in pairs)
    blocks: list[Block] = [
        ([names[s]], [names[t]], ONE) for s, t in sides if s in names and t in names
    ]
    listed = list(weighted.values())
    masses = [table.whole[0] * sum(weights.values()) for weights in listed]
    compared = {(i, j) for (i,), (j,), _ in blocks}
    return Compared(
        Table.of(table.sums(listed)),
        blocks,
        lambda i, j: {ONE} if (i, j) in compared else set(),
        names=names,
        masses=masses,
    )


@dataclass(frozen=True)
class Box:
    """Ends of likelihoods, and what is compared of the matrices between them.

    lower, upper  for each world the ends of the probabilities of all outputs
    weights       for each compared column those of the worlds that it mixes, times a number
    ends          the upper ends of the compared columns, then their lower ends
    """

    lower: Sequence[Sequence[Fraction]]
    upper: Sequence[Sequence[Fraction]]
    weights: Sequence[Mapping[int, int]]
    ends: Compared

    def holds(self, level: Level, delta: Fraction) -> bool:
        """Whether the upper ends of a column pass with the lower ends of each other one."""
        if delta:
            return self._holds_together(level.number, delta)
        size, blocks = len(self.weights), list[Block]()
        spend(10 * sum(len(s) * len(t) for s, t, _ in self.ends.blocks))
        for left, right, d in self.ends.blocks:
            blocks += (([i], [size + j for j in right if j != i], d) for i in left)
        moved = replace(self.ends, blocks=[block for block in blocks if block[1]])
        return moved.holds(level, ZERO)

    def _holds_together(self, alpha: Fraction, delta: Fraction) -> bool:
        """Whether what a column exceeds `alpha` times the other one by is at most `delta`: that of
        its upper ends, or all but its lower ends together with what these exceed it by."""
        ends, size, outputs = self.ends, len(self.weights), range(len(self.lower[0]))
        for i, j in ends.pairs():
            (over, unit), (sure, _) = (ends.excess(k, size + j, alpha) for k in (i, size + i))
            rest = -unit * ends.event(size + i, j, outputs, ONE)[0]
            if min(over, rest + sure) > delta * unit * ends.scales(i, j)[2]:
                return False
        return True

    def most(self, gains: Mapping[int, Mapping[int, Fraction]]) -> Fraction:
        """The largest sum of gain times probability, for gains of worlds and outputs: in each world
        the largest ones get what the lower ends leave."""
        found = ZERO
        for world, own in gains.items():
            lower, upper = self.lower[world], self.upper[world]
            rest = 1 - sum(lower, ZERO)
            for o in sorted(range(len(lower)), key=lambda o: own.get(o, ZERO), reverse=True):
                more = min(rest, upper[o] - lower[o])
                found += own.get(o, ZERO) * (lower[o] + more)
                rest -= more
        return found


def read_box(relation: Any, model: Model) -> Box:
    """The ends that a `model` has, and what a `relation` compares of them."""
    upper, lower = model.ends
    pairs = zip(lower, upper, strict=True)
    reached = all(all(map(le, low, up)) and sum(low) <= 1 <= sum(up) for low, up in pairs)
    prove(reached, "no probabilities of sum 1 are between the ends")
    both, size = Table.of([*upper, *lower]), model.size
    if relation["rule"] != "secrets" or relation["priors"]["class"] not in GIVEN:
        at = partial(compared_at, relation, model)
        ends = Compared(both, read_blocks(relation, model), at, range(size))
        return Box(lower, upper, [{w: 1} for w in range(size)], ends)
    secrets, named = read.secrets(relation, model)
    beliefs = read.beliefs(relation["priors"], secrets, size, 20 * len(upper[0]))
    ends = compare_beliefs(beliefs, named, both)
    listed = [own[s] for own in beliefs for s in own]
    moved = [{size + w: x for w, x in own.items()} for own in listed]
    table = Table.of(both.sums([*listed, *moved]))
    unit = read.common([sum(own.values()) for own in listed])
    weights = [{w: x * (unit // sum(own.values())) for w, x in own.items()} for own in listed]
    return Box(lower, upper, weights, replace(ends, table=table, masses=[*ends.masses] * 2))


@dataclass(frozen=True)
class Loss:
    """The losses of answers, a row of worlds for each, and the prior against which they are
    expected; without one the largest of a world counts."""

    rows: Sequence[Sequence[Fraction]]
    prior: list[Fraction] | None

    def of(self, answers: Sequence[Sequence[Fraction]]) -> Fraction:
        """What a mechanism loses with these `answers` as its rows."""
        pairs = zip(zip(*self.rows, strict=True), zip(*answers, strict=True), strict=True)
        of_world = [sum(map(mul, costs, column), ZERO) for costs, column in pairs]
        return max(of_world) if self.prior is None else sum(map(mul, self.prior, of_world), ZERO)


def read_loss(model: Model, prior: Any) -> Loss:
    """The losses that a `model` has as functions, and the `prior` of a relation."""
    rows = read.matrix(model.parts["functions"])
    need({*map(len, rows)} == {model.size}, "a loss has one value per world")
    given = None if prior is None else read.distribution(prior, model.size, "a prior on the worlds")
    return Loss(rows, given)


Point = tuple[Any, ...]  # what functions are in a world, times a common denominator


def read_points(relation: Any, model: Model) -> tuple[Any, list[Point], list[Block]]:
    """What the functions of a `model` are in its worlds, times a unit; and which worlds, those with
    one point as one, a `relation` compares."""
    functions = read.matrix(model.parts["functions"])
    need({*map(len, functions)} == {model.size}, "a function has one value per world")
    unit, whole = read.in_integers(list(chain.from_iterable(functions)))
    points = [tuple(whole[w :: model.size]) for w in range(model.size)]
    first: dict[Point, int] = {}
    kinds = [first.setdefault(point, w) for w, point in enumerate(points)]
    return unit, points, read_blocks(relation, model, kinds)


def read_blocks(relation: Any, model: Model, kinds: Kinds = ()) -> list[Block]:
    """The ordered pairs of worlds of a `model` that a `relation` compares, where those of one of
    the `kinds` are as one.

    Many lines of worlds make few blocks, as none stands twice. Nothing is lost: what is compared of
    two worlds is decided by their kinds, at an equal distance. There are blocks just where two
    worlds are compared, also if they are of one kind."""
    found, kinds = dict[Block, None](), kinds or range(model.size)
    for s, here, t, there, d in RULES[relation["rule"]](relation, model):
        left = _by_key(s, here, kinds)
        right = left if there is here else _by_key(t, there, kinds)
        least = 2 if there is here else 1  # a world is not compared with itself
        both = {
            (frozenset(side), frozenset(right[key]))
            for key, side in left.items()
            if key in right and len(side) >= least
        }
        found.update(((one, other, d), None) for one, other in both)
    return list(found)


def compared_at(relation: Any, model: Model, i: int, j: int) -> set[Fraction]:
    """At which distances a `relation` compares two worlds of a `model`."""
    return {
        d
        for s, here, t, there, d in RULES[relation["rule"]](relation, model)
        if i != j and i in s and j in t and here[s.index(i)] == there[t.index(j)]
    }


def _by_key(worlds: Iterable[int], keys: Iterable[Any], kinds: Kinds) -> dict[Any, list[int]]:
    """The kinds of some `worlds` by their keys."""
    found: dict[Any, list[int]] = defaultdict(list)
    for key, kind in zip(keys, map(kinds.__getitem__, worlds), strict=True):
        found[key].append(kind)
    return found


def _changes(relation: Any, model: Model) -> Iterator[Lines]:
    """replace, entry: from 1 to `group` places differ, and the same ones are absent in both.
    add_remove: from 1 to `group` places differ, each of them absent in just one."""
    rule, group = fields(relation, "rule group")
    most, crossing = index(group, CODES, low=1), rule == "add_remove"
    if model.is_histograms:
        steps = list(_steps(rule, model.entries_of_values))
        yield from _moved(steps, most, model, crossing)
    else:
        columns = model.entries if rule == "entry" else model.places
        yield from _lines(columns, most, crossing)


def _lines(columns: Sequence[Sequence[Value]], most: int, crossing: bool) -> Iterator[Lines]:
    """Worlds that differ in up to so many of the `columns`. They are absent in both worlds alike,
    or if they are `crossing` in just one.

    The values of a world are the digits of a number. One that is moved becomes 0 or 1, which says
    if it is absent: so worlds on one line have the same number."""
    places, unit, turns = [], 1, range(1 + crossing)
    numbers: Sequence[int] = [0] * len(columns[0])
    for column in columns:
        own = {x: unit * digit for digit, x in enumerate(set(column))}
        numbers = _add(numbers, map(own.__getitem__, column))
        if len(own) > 1:
            sides = ({x: unit * ((-1 in x) ^ turn) - own[x] for x in own} for turn in turns)
            places.append([list(map(side.__getitem__, column)) for side in sides])
        unit *= 1 + len(own)
    worlds = range(len(numbers))
    for k in _sizes(len(numbers), len(places), most, crossing):
        for moved in combinations(places, k):
            keys = [reduce(_add, side, numbers) for side in zip(*moved, strict=True)]
            yield worlds, keys[0], worlds, keys[-1], ONE


def _sizes(worlds: int, places: int, most: int, crossing: bool) -> range:
    """How many of the `places` differ at once, if all choices of these can be afforded."""
    most = min(most, places)
    sizes = range(1 if crossing else max(1, most), most + 1)
    for k in sizes:  # of more than 80 places 40 are too many already
        spend((10 + worlds) * (10 + places) * comb(places, min(k, places - k, 40)))
    return sizes


def _moved(
    steps: Sequence[tuple[int, tuple[int, ...]]], group: int, model: Model, crossing: bool
) -> Iterator[Lines]:
    """The same among histograms: each of the `steps` moves a record from one value to another, and
    they take up to `group` changes together.

    If they are `crossing`, those that come were absent before: none is removed and comes back."""
    if not steps:  # whatever group would allow
        return
    rows = model.counts
    places, (records,) = {tuple(row): w for w, row in enumerate(rows)}, set(map(sum, rows))
    reached = {(0,) * len(rows[0])}
    layers = [{*reached}]  # what so many changes reach, and fewer do not
    for changes in range(1, min(group, records * len(model.entries_of_values[0])) + 1):
        before = [(layers[changes - cost], step) for cost, step in steps if cost <= changes]
        spend(10 * sum(len(layer) for layer, _ in before))
        layers.append({_add(row, step) for layer, step in before for row in layer} - reached)
        reached |= layers[-1]
        spend(10_000 + (1000 + 10 * len(rows)) * len(layers[-1]))
        keep(len(reached), 0)
    for w, row in enumerate(rows):
        near = (_add(row, change) for change in reached)
        others = [places[other] for other in near if other in places]
        if crossing:
            others = [v for v in others if _has_room(row, rows[v], model.absent_value)]
        yield _whole((w,), [v for v in others if v != w])


def _steps(rule: str, values: list[Value]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """How the counts change when one record gets another of some `values`; and how many changes
    that is by the rule."""
    for x, y in permutations(range(len(values)), 2):
        gone = (-1 in values[x]) + (-1 in values[y])
        if gone == (rule == "add_remove"):
            cost = sum(map(ne, values[x], values[y])) if rule == "entry" else 1
            yield cost, tuple([(v == y) - (v == x) for v in range(len(values))])


def _add(row: Iterable[int], change: Iterable[int]) -> tuple[int, ...]:
    return tuple(map(add, row, change))


def _has_room(row: Sequence[int], other: Sequence[int], absent: Any) -> bool:
    """Whether the records that the other histogram has more, value by value, may come."""
    pairs = enumerate(zip(row, other, strict=True))
    return bool(sum(max(0, b - a) for v, (a, b) in pairs if v != absent) <= row[absent])


def _whole(s: Sequence[int], t: Sequence[int], d: Fraction = ONE) -> Lines:
    """Each of the worlds `s` is compared with all of `t`."""
    return s, [0] * len(s), t, [0] * len(t), d


def _all(relation: Any, model: Model) -> Iterator[Lines]:
    fields(relation, "rule")
    worlds, keys = range(model.size), [0] * model.size
    yield worlds, keys, worlds, keys, ONE


def _pairs(relation: Any, model: Model) -> Iterator[Lines]:
    """For each distance, each world's list of worlds that it is compared with."""
    _, distances = fields(relation, "rule distances")
    for text, rows in mapping(distances).items():
        distance = read.number(text)
        need(distance > 0, "a distance is positive")
        for world, others in zip(range(model.size), items(rows), strict=True):
            need(world not in indices(others, model.size), "compared with itself")
            yield _whole((world,), others, distance)


def blocks_of_secrets(relation: Any, model: Model) -> Iterator[Lines]:
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
    for s, t in ((secrets[s], secrets[t]) for s, t in pairs if secrets[s] and secrets[t]):
        spend(4 * (len(s) + len(t)) * (1 + len(records)))
        yield _about_one(rows, s, t) if rows else _whole(s, t)


def _about_one(rows: list[Any], s: list[int], t: list[int]) -> Lines:
    """The worlds of two secrets that differ in the one record which these are about."""
    values = enumerate(zip(_allowed(rows, s), _allowed(rows, t), strict=True))
    about = [r for r, (here, there) in values if here != there]
    prove(len(about) == 1, "two secrets do not differ about one record")
    r, rest = about[0], about[0] + 1
    here, there = ([rows[w][:r] + rows[w][rest:] for w in worlds] for worlds in (s, t))
    return s, here, t, there, ONE


def _allowed(rows: list[Any], secret: list[int]) -> list[set[Any]]:
    """The values that a secret allows for each record."""
    values = [set(column) for column in zip(*(rows[w] for w in secret), strict=True)]
    boxed = prod(map(len, values)) == len(secret)
    prove(boxed, "a secret is no choice of values for each record")
    return values


RULES: dict[str, Callable[[Any, Model], Iterator[Lines]]] = {
    **dict.fromkeys(("replace", "add_remove", "entry"), _changes),
    "all": _all,
    "pairs": _pairs,
    "secrets": blocks_of_secrets,
}
