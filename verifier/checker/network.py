"""The rule "network": what answers about records, or records shown, tell of a single one.

**Question.** Worlds are the values of a record. For each record a part says which are compared, and
at which distance, the cost of a change. Without priors records are independent; else a value
depends on that of the parent.

**Dependent records** (network). For each network, each pair of sets A and B of values of record i,
both possible, in both orders, and outputs of all records: P(o | X_i in A) <= L P(o | X_i in B).
With channels C, of one answer drawn once, and transitions T_i from the parent p of i,

    d_i(v) = C_i[o_i, v] * product of Σ_w T_c[v, w] d_c(w) over the children c of i
    w_i(v) = Σ_x T_i[x, v] w_p(x) C_p[o_p, x] * product of the same over the siblings
    P(o, X_i in A) P(X_i in B) = Σ_A w_i d_i P(X_i in B)

This is linear in each vector: what is so at all generators of cones that hold the outputs of each
channel, and products and images of one another, is so for all outputs.

The witness is `{"worst": W, "reach": n, "bits": k, "words": […]}`, null or empty where not needed.
It names no output whose row is 0 or a multiple of an earlier one.

- W is `{"prior": k, "record": i, "pair": [A, B], "outputs": [o, …]}`, -1 for any output: its ratio
  is at least the leakage, or above the level where that is null.
- `reach`, below 100: with two values, whose cones are exact, records n + 1 steps away show theirs.
- `bits`, below 1000: with three to six values generators may be rounded outwards to whole numbers
  of sum 2^k.
- `words`: `[k, i, a, b, left, right]`, of values a and b of record i. They are outputs of its
  parent and so on upwards, and of itself and so on downwards, without other branches. With x the
  ratio v(a)/v(b) of their w_i, and of d_i, the row e_a - x e_b is pulled through the matrices
  outwards, for each output, until it is at most 0 on a cone. So x is the largest one.

**Shown records** (quilts). All are shown but for a set H of at most `hidden` ones. For each
comparison the largest P(x | X_i in A) / P(x | X_i in B), over values x of the others that are
possible given A, is at most L for some H. So in
chains blocks around i hide best; in a tree, one of two values, all possible, the factors of edges
multiply. The witness is `{"upper": U, "worst": n}`, as of an influence, by record, pair and order.

Of stationary chains within intervals the one that changes least is the worst, or, if the
probabilities of change can have a sum above 1, the one that changes most; with channels these are
**refused**. So are shown records of several entries, or absent.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import count, product
from operator import mul
from typing import Any

from . import levels
from . import reading as read
from .cones import (
    Cone,
    Cones,
    Matrix,
    Vector,
    digits,
    exceeds,
    highest,
    multiplied,
    pulled,
    reduced,
    times,
    written,
)
from .document import fields, index, indices, items, need, prove, spend, texts
from .hiding import settle_hidden
from .inequality import Ratio, reaches
from .levels import Level
from .losses import Answers, read_channels
from .question import fields_of_network
from .reading import ONE, Case, Model

Compared = tuple[int, list[int], list[int]]  # a record, and two sets of its values
Told = dict[int, Cone]  # by record
Side = list[tuple[Cone, dict[int, Matrix]]]  # cones, and a matrix for each output of the next one
MOST_STEPS = 100  # from a record to others that are looked at
MOST_BITS = 1000  # of generators
MOST_VALUES = 6  # of a record, if these are rounded


def _compared(parts: Any, chosen: list[int], model: Model) -> Iterator[Compared]:
    """A record and two sets of its values, in both orders."""
    listed = []
    for part in parts:
        sets, pairs = read.secrets(part, model)
        need(part["priors"] == {"class": "network"}, "priors are those of the network")
        need(all(sets.values()), "a set has a value")
        listed.append([(sets[s], sets[t]) for s, t in pairs])
    spend(20 * sum(len(listed[at]) for at in chosen if at >= 0))
    for i, at in enumerate(chosen):
        yield from ((i, a, b) for a, b in (listed[at] if at >= 0 else ()))


@dataclass
class Network:
    """Records with their `parents` (-1: none), each before its children in `order`; the transitions
    to each by `rows` and by `columns`, and the distribution of those without a parent."""

    parents: list[int]
    order: list[int]
    rows: Sequence[Matrix]
    columns: Sequence[Matrix]
    first: Vector

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each record."""
        found = read.grouped(self.parents)
        return [found.get(i, []) for i in range(len(self.parents))]

    @cached_property
    def is_chain(self) -> bool:
        """Whether each record is the parent of the next one, always by the same transitions."""
        is_line = self.parents == list(range(-1, len(self.parents) - 1))
        return is_line and len({*map(id, self.rows[1:])}) < 2

    @cached_property
    def ranks(self) -> dict[int, int]:
        """Where each record stands in the order."""
        return {i: at for at, i in enumerate(self.order)}

    def beside(self, i: int) -> list[int]:
        """The records next to one."""
        return self.children[i] + [self.parents[i]] * (self.parents[i] >= 0)

    @cached_property
    def marginals(self) -> list[Vector]:
        """P(X_i = v) of each record, up to a factor; equal ones are one list."""
        found, known = [self.first] * len(self.parents), dict[Any, Vector]()
        for i in self.order:
            if self.parents[i] >= 0:
                made = times(self.columns[i], found[self.parents[i]])
                spend(len(made) ** 2 + digits(made) ** 2 // 3000)
                found[i] = known.setdefault(written(reduced(made)), reduced(made))
        return found

    def compares(self, one: Compared) -> bool:
        """Whether both sets of values that are compared are possible."""
        i, *sides = one
        return all(any(self.marginals[i][v] for v in side) for side in sides)

    def ratio(self, one: Compared, w: Vector, d: Vector) -> Ratio:
        """P(o | X_i in A) / P(o | X_i in B) of the outputs that make w_i and d_i."""
        i, a, b = one
        m = self.marginals[i]
        up, down = (sum(w[x] * d[x] for x in values) for values in (a, b))
        return up * sum(m[x] for x in b), down * sum(m[x] for x in a)


@dataclass
class Messages:
    """What records of a `network` tell, each a cone (`own`): what its channel does, output ->
    likelihoods; or if there are no `channels`, its value, unless it is hidden. Perhaps the steps
    within which records count (`reach`), and worst words."""

    network: Network
    own: list[Cone]
    cones: Cones
    channels: Sequence[dict[int, Vector]] = ()
    reach: int | None = None
    words: dict[tuple[int, int, int], Any] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict)
    cut: set[Any] = field(default_factory=set)

    @cached_property
    def value(self) -> Cone:
        """The cone of what a record tells that is shown."""
        size = range(len(self.network.first))
        return [[int(v == w) for w in size] for v in size]

    @cached_property
    def everywhere(self) -> tuple[Told, Told]:
        """Cones of w_i, and of d_i, for each record."""
        return self._sides(dict(enumerate(self.own)), self.network.ranks)

    def _sides(self, told: Told, asked: Collection[int]) -> tuple[Told, Told]:
        """The same of records that are together, from what each of them tells; w_i of those `asked`
        for, with whom all above them are."""
        net, below, above = self.network, dict(told), Told()
        order = sorted(told, key=net.ranks.__getitem__)
        inside = {i: [c for c in net.children[i] if c in told] for i in order}
        for i in reversed(order):
            for c in inside[i]:
                below[i] = self.cones.product(below[i], self.cones.moved(net.rows[c], below[c]))
        for i in order:
            cone = self.known.setdefault(id(net.marginals[i]), [net.marginals[i]])
            cone = above.setdefault(i, cone)  # that of a record without others above
            if inside[i] and i in asked:
                branches = [self.cones.moved(net.rows[c], below[c]) for c in inside[i]]
                others = self.cones.others(self.cones.product(cone, told[i]), branches)
                for c, found in zip(inside[i], others, strict=True):
                    above[c] = self.cones.moved(net.columns[c], found)
        return above, below

    def sides(self, i: int, hidden: Collection[int] | None = None) -> tuple[Cone, Cone]:
        """Cones of w_i and of d_i. Where records are `hidden`, or within reach, those next to them
        show their values, and part all others from record i."""
        if hidden is None and self.reach is None:
            return self.everywhere[0][i], self.everywhere[1][i]
        net, told, left, key = self.network, Told(), [(i, 0)], None
        if hidden is not None and net.is_chain:  # all that is as far from the next that are shown
            first, last = (next(k for k in count(i, way) if k not in hidden) for way in (-1, 1))
            before = tuple(map(bool, net.marginals[first])) if first >= 0 else ()
            key = before, i - first, last - i, last == len(net.parents)
            if key in self.known:
                return self.known[key]  # type: ignore[no-any-return]
        for k, steps in left:
            inside = k in hidden if hidden is not None else steps <= (self.reach or 0)
            told[k] = self.own[k] if inside else self.value
            left += [(j, steps + 1) for j in net.beside(k) if j not in told] if inside else []
        spend(20 * len(told))
        path = [i]
        while net.parents[path[-1]] in told:
            path.append(net.parents[path[-1]])
        above, below = self._sides(told, path)
        if key:
            self.known[key] = above[i], below[i]
        return above[i], below[i]

    def ratios(self, one: Compared, hidden: Collection[int] | None = None) -> list[Ratio]:
        """Ratios of which no outputs exceed all, those of whole numbers the largest; the same list
        for all that is alike."""
        (i, a, b), m = one, self.network.marginals[one[0]]
        sides = self.sides(i, hidden)
        word = i, *a, *b
        key = *map(id, sides), id(m), word in self.words and word, tuple(a), tuple(b)
        if key not in self.known:
            if word in self.words:
                sides = self._worst(*word)
                self.cut.add(word)
            elif self.cones.size == 2:
                sides = [sides[0][-a[0]]], [sides[1][-a[0]]]
            elif len(a) == len(b) == 1:
                sides = [highest(sides[0], a[0], b[0])], [highest(sides[1], a[0], b[0])]
            above, below = sides
            longest = max(map(digits, [*above, *below]))
            spend(len(above) * len(below) * (20 + longest // 10))
            found = self.known[key] = list[Ratio]()
            for w, d in product(above, below):
                ratio = self.network.ratio(one, w, d)
                if not found or read.is_other(*ratio, *found[0]):
                    found.append(ratio)
                elif exceeds(ratio, found[0]) or not any(found[0]):  # 0 / 0 is exceeded by all
                    found[0] = ratio
        return self.known[key]  # type: ignore[no-any-return]

    def _worst(self, i: int, a: int, b: int) -> tuple[Cone, Cone]:
        """w_i and d_i of the words that are stated to be worst, once all others are cut."""
        up, down = items(self.words[i, a, b])
        before = self._longest(up, self._path(i, 0), a, b)
        return [before], [self._longest(down, self._path(i, 1), a, b)]

    def _path(self, i: int, side: int) -> Side:
        """From a record up, the cones of w, each with a matrix for each output of the next one; or
        down (`side` 1), the cones of d, with one for each of its own."""
        net, found = self.network, Side()
        while i >= 0:
            cone, steps, parent = self.sides(i)[side], dict[int, Matrix](), net.parents[i]
            further, *others = net.children[i] or [-1] if side else [parent]
            if side:
                table = net.rows[further] if further >= 0 else [[1]] * len(net.first)
                for o, row in self.channels[i].items():
                    steps[o] = [[x * p for p in line] for x, line in zip(row, table, strict=True)]
            elif parent >= 0:
                others = net.children[parent][1:]
                for o, row in self.channels[parent].items():
                    steps[o] = [multiplied(line, row) for line in net.columns[i]]
            need(not others, "a word goes along a branch without others")
            found.append((cone, steps))
            i = further
        return [*found, ([[1]], {})] if side else found

    def _longest(self, word: Any, side: Side, *pair: int) -> Vector:
        """The vector of a `word`, the output of the nearest record first, once no other word is
        proved to have a larger v[a] / v[b]."""
        indices(word, read.CODES)
        ((v,), _), (a, b) = side[-1], pair
        for output, (_, steps) in zip(reversed(word), reversed(side[:-1]), strict=True):
            v = times(steps[output], v)
        prove(v[a], "a word is impossible")
        functional: Vector = [0] * len(v)
        functional[a], functional[b] = v[b], -v[a]
        left = [(functional, 0)] if v[b] else []
        while left:
            functional, at = left.pop()
            cone, steps = side[at]
            longest = 1 + digits(functional) // 300
            spend(len(functional) * (len(cone) + len(steps)) * longest)
            if any(sum(map(mul, functional, g)) > 0 for g in cone):
                prove(steps, "a word is not the worst one")
                left += [(pulled(functional, m), at + 1) for m in steps.values()]
        return v


@dataclass
class Views:
    """What is `compared` under each of some networks, and what records tell in each of these."""

    compared: list[Compared]
    every: list[Messages]

    @cached_property
    def views(self) -> list[list[Messages]]:
        """For each comparison the networks that make it."""
        return [[m for m in self.every if m.network.compares(one)] for one in self.compared]

    def holds(self, level: Level, hidden: Sequence[Collection[int] | None]) -> bool:
        """Whether nothing that is told exceeds a `level`, where for each comparison records are
        `hidden`, or all have channels."""
        both = zip(self.compared, self.views, hidden, strict=True)
        found = (told.ratios(one, own) for one, views, own in both for told in views)
        different = {id(ratios): ratios for ratios in found}  # those of records alike are one
        return all(level.compare(*r) <= 0 for ratios in different.values() for r in ratios)


def _read(case: Case, is_shown: bool) -> tuple[levels.Claim, list[Compared], list[Network]]:
    """What is asked of records that depend on each other; what is compared, and their networks."""
    limit, per_unit, parts, chosen, hidden, priors = fields_of_network(case.relation)
    people, asked = texts(case.model.parts["people"]), levels.claim(case.claim)
    need(len(chosen) == people, "a part, or none, for each record")
    need(is_shown or not hidden, "records are hidden where the others are shown")
    need(limit == "1" and not (per_unit or asked.delta), "one record counts, without delta")
    every = networks(priors, case.model, is_shown)
    return asked, list(_compared(parts, chosen, case.model)), every


def check_network(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked, compared, every = _read(case, is_shown=False)
    worst, reach, bits, words = fields(case.witness, "worst reach bits words")
    size = case.model.size
    need(reach is None or (index(reach, MOST_STEPS, low=1) and size == 2), "of two values")
    need(bits is None or (index(bits, MOST_BITS, low=1) and 2 < size <= MOST_VALUES), "bits")
    channels, at = read_channels(case.model)
    rows = list(map(_rows_of, channels))
    cones = Cones(size, bits)
    around = [cones.around(row.values()) for row in rows]
    own, answers = [around[k] for k in at], [rows[k] for k in at]
    told = [Messages(net, own, cones, answers, reach) for net in every]
    for prior, i, a, b, *both in items(words, 6):
        indices([i, a, b], read.CODES)
        known = told[index(prior, len(every))].words
        need((i, a, b) not in known, "words stand twice")
        known[i, a, b] = both
    shown = (1, 1) if worst is None else _shown(worst, compared, told)
    found, hidden, said = Views(compared, told), [None] * len(compared), asked.leakage is not None
    prove(said or asked.level.compare(*shown) > 0, "the witness does not violate the level")
    met = said and asked.settle(
        not any(found.views),
        lambda level: found.holds(level, hidden),
        lambda low: reaches(shown, low),
        wide=True,
    )
    for one in told:
        need(one.words.keys() <= one.cut, "a word of nothing")
    return met


def _shown(said: Any, compared: list[Compared], every: list[Messages]) -> Ratio:
    """The ratio that outputs, one of each record, attain; -1 is any."""
    prior, record, pair, outputs = fields(said, "prior record pair outputs")
    told = every[index(prior, len(every))]
    size, net = len(told.network.first), told.network
    a, b = (indices(values, size) for values in items(pair))
    one = index(record, len(net.parents)), a, b
    prove(one in compared and net.compares(one), "the witness is not compared")
    listed = zip(indices(outputs, read.CODES, low=-1), told.channels, strict=True)
    own = [[channel[output] if output >= 0 else [1] * size] for output, channel in listed]
    alone = Messages(net, own, Cones(size))
    for i in net.order:
        alone.cones.product(*alone.sides(i))
    (found,) = alone.ratios(one)
    prove(found[0], "the outputs of the witness are impossible")
    return found


def _rows_of(answers: Answers) -> dict[int, Vector]:
    """The rows of one of the `answers` of a channel, times one number; without rows of zeros, and
    of those that are multiples of each other the first one."""
    ((table, runs),) = answers
    need(runs == 1, "an answer is drawn once")
    found: dict[tuple[Any, ...], tuple[int, Vector]] = {}
    for output, row in enumerate(table.whole_rows()[1]):
        if any(row):
            found.setdefault(tuple(reduced(row)), (output, list(row)))
    return dict(found.values())


def check_quilts(case: Case) -> bool:
    """Whether the definition of a `case` is met where records are shown and some hidden: those of
    its witness for each comparison; and there is one comparison for which nothing is better."""
    asked, compared, every = _read(case, is_shown=True)
    most, size, net = case.relation["hidden"], case.model.size, every[0]
    people = len(net.parents)
    (codes,) = case.model.entries
    need(all(-1 not in code for code in codes), "a record has one entry and is there")
    need(most <= people, "no more records are hidden than there are")
    is_tree = case.relation["priors"]["class"] == "trees"
    if is_tree:
        numbers = [*net.first, *(p for table in net.rows for row in table for p in row)]
        need(size == 2 and all(p > 0 for p in numbers), "of two values nothing is impossible")
        need(len(every) == 1, "there is one tree")
    spend(len(compared) * len(every) * size)
    own: list[Cone] = [[[1] * size]] * people
    told = Views(compared, [Messages(one, own, Cones(size)) for one in every])

    def holds(level: Level, hidden: Sequence[set[int]]) -> bool:
        """Whether the hidden records leave the others to tell no more than a level."""
        own = zip(compared, told.views, hidden, strict=True)
        return all(i in k or not v for (i, *_), v, k in own) and told.holds(level, hidden)

    def needs(at: int, low: Level | None) -> bool:
        """Whether in a comparison all blocks of so many records leave the others to tell a level
        (None: everything)."""
        i, (a, *_), _ = compared[at]
        if is_tree and most:
            return reaches((_least(net, i, a, most), 1), low)
        first, last = max(0, i - most + 1), min(i, people - most)
        blocks = [range(k, k + most) for k in range(first, last + 1)] if most else []
        found = ((m.ratios(compared[at], block) for m in told.views[at]) for block in blocks)
        return all(any(reaches(r, low) for one in ratios for r in one) for ratios in found)

    views = list(map(len, told.views))
    return settle_hidden(asked, case.witness, views, (people, most), holds, needs)


def _least(net: Network, i: int, p: int, size: int) -> Fraction:
    """The least factor by which so many hidden records of a tree leave the others to tell a value
    `p` of record i."""
    links: list[tuple[int, int, Matrix]] = [(i, -1, [])]
    for record, before, _ in links:
        links += [(j, record, table) for j, table in _edges(net, record) if j != before]
    bits = sum(digits([x for row in table for x in row]) for *_, table in links[1:])
    spend(len(links) ** 2 * size // 10 * (1 + bits**2 // 200_000))
    found = {record: [[ONE], [ONE]] for record, *_ in links}
    for record, before, table in links[:0:-1]:
        for q in (0, 1):
            ways = [_through(table, q, None)]
            ways += [_through(table, q, factors) for factors in zip(*found[record], strict=True)]
            found[before][q] = _joined(found[before][q], ways, size)
    return found[i][p][min(size, len(links)) - 1]


def _edges(net: Network, i: int) -> Iterator[tuple[int, Matrix]]:
    """The records beside one of a tree, with what is in proportion to their values, given its."""
    yield from ((j, net.rows[j]) for j in net.children[i])
    if (j := net.parents[i]) >= 0:
        own, above, rows = net.marginals[i], net.marginals[j], net.rows[i]
        yield j, [[own[1 - v] * above[x] * rows[x][v] for x in (0, 1)] for v in (0, 1)]


def _through(table: Matrix, p: int, onward: Iterable[Fraction] | None) -> Fraction:
    """What an edge tells a value `p` of its near end from the other one: where its far end is shown
    (None), or hidden, with the factors `onward` from there for either of its values."""
    (a, b), (c, d) = table
    s = p if a * d >= b * c else 1 - p
    up, down = table[p], table[1 - p]
    if onward is None:
        return read.ratio(up[s], down[s])
    factor = list(onward)[s]
    return read.ratio(up[s] * factor + up[1 - s], down[s] * factor + down[1 - s])


def _joined(factors: list[Fraction], ways: list[Fraction], most: int) -> list[Fraction]:
    """The least products of two factors, by the number of hidden records of both, below `most`."""
    found: list[list[Fraction]] = [[] for _ in range(min(most, len(factors) + len(ways) - 1))]
    for k, factor in enumerate(factors):
        for n, way in enumerate(ways[: most - k], k):
            found[n].append(factor * way)
    return list(map(min, found))


def networks(priors: Any, model: Model, are_shown: bool) -> list[Network]:
    """The networks of a class of `priors`, over the values of the records of a `model`, which may
    be shown; those of chains, in which each record is the parent of the next one."""
    people = texts(model.parts["people"])
    if priors["class"] == "trees":
        _, trees = fields(priors, "class trees")
        keys = "initial parents transitions chosen"
        found = [fields(tree, keys) for tree in items(trees)]
    else:
        line, chosen = list(range(-1, people - 1)), [-1] + [0] * (people - 1)
        found = [[first, line, [table], chosen] for first, table in _chains(priors, are_shown)]
    need(found, "there is a network")
    return [_network(parts, model.size, people) for parts in found]


def _chains(priors: Any, are_shown: bool) -> list[Any]:
    """The first distributions and the transitions of a class of chains; of stationary ones of two
    values whose transitions lie within intervals the worst ones.

    The values change with probabilities a and b. Where a + b <= 1, with one record more, a ratio x
    of likelihoods becomes ((1 - a) x + a) / (b x + 1 - b): it grows with x, and for x >= 1 falls
    with a and b. So the worst chain changes least; either direction is alike.

    If records are shown, let l = 1 - a - b. One at distance d tells the second value from the first
    by at most (1 + l^d b/a) / (1 - l^d) where l^d >= 0, else by (1 + |l|^d) / (1 - |l|^d a/b), and
    the first from the second with a and b exchanged. Where a + b >= 1 all of |l|^d, |l|^d a/b and
    |l|^d b/a grow with a and b, as |l| <= a and |l| <= b, so that these grow too. So of all chains
    within intervals the one that changes least or the one that changes most is the worst."""
    if priors["class"] != "markov":
        kind, listed = fields(priors, "class chains")
        need(kind == "chains", "there are chains")
        return [fields(one, "initial transition") for one in items(listed)]
    _, initial, rows = fields(priors, "class initial transition")
    need(initial == "stationary", "the chains are stationary")
    change = []
    for code, row in enumerate(items(rows, 2)):
        ends = [read.numbers(interval) for interval in row]
        prove(all(0 <= low <= high <= 1 for low, high in ends), "an interval is [low, high]")
        (low, high), (other, most) = ends[code], ends[1 - code]
        change.append((max(other, 1 - high), min(most, 1 - low)))
    prove(all(0 < low <= high for low, high in change), "values always change with a probability")
    rarely, often = ([ends[at] for ends in change] for at in (0, 1))
    prove(are_shown or sum(often) <= 1, "not the worst chain")
    worst = [rarely] * (sum(rarely) < 1 or sum(often) <= 1) + [often] * (sum(often) > 1)
    unit = read.ratio
    return [([unit(b, a + b), unit(a, a + b)], [[1 - a, a], [b, 1 - b]]) for a, b in worst]


def _network(parts: list[Any], size: int, people: int) -> Network:
    """A network of so many `people`, of records with values of a `size`."""
    initial, parents, tables, chosen = parts
    need(len(indices(parents, people, low=-1)) == people, "a parent for each record, or -1")
    need(len(indices(chosen, len(items(tables)), low=-1)) == people, "one for each record")
    has = all((at < 0) == (parent < 0) for at, parent in zip(chosen, parents, strict=True))
    need(has, "transitions lead from a parent")
    first = read.in_integers(read.distribution(initial, size, "an initial distribution"))[1]
    rows: list[Matrix] = [[] for _ in range(len(tables) + 1)]  # the last one is of no record
    for at, table in enumerate(tables):
        listed = [read.distribution(row, size, "a row of transitions") for row in items(table)]
        need(len(listed) == size, "not one row for each value")
        flat = read.in_integers([p for row in listed for p in row])[1]
        rows[at] = [flat[k : k + size] for k in range(0, len(flat), size)]
    columns = [[list(column) for column in zip(*table, strict=True)] for table in rows]
    order = [i for i, parent in enumerate(parents) if parent < 0]
    children = read.grouped(parents)
    for i in order:
        order += children.get(i, [])
    need(len(order) == people, "a record is its own ancestor")
    onward, back = ([side[at] for at in chosen] for side in (rows, columns))
    return Network(parents, order, onward, back, first)
