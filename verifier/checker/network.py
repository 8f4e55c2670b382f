"""Certificates of kind "network": each record is answered by a channel of its own, and the values
of the records, which are the worlds of the model, depend on those of their parents.

Given the value of record i, the outputs of its branches are independent. With C[o, v] the channels,
T_i the transitions from the parent of i to i, and p the distribution of records without a parent,

    d_i(v) = C_i[o_i, v] * product of sum_w T_c[v, w] d_c(w) over the children c of i
    w_i(v) = sum_x T_i[x, v] w_p(x) C_p[o_p, x] * product of the same over the siblings; p(v) at top

are P(outputs of i and below | X_i = v) and P(all other outputs, X_i = v) for the outputs o, and

    P(o | X_i in A) P(X_i in B) = sum_A w_i d_i P(X_i in B),

likewise with A and B exchanged. All of this is linear in the vectors of each branch. So cones that
hold the outputs of each channel, and all products and images of one another, hold all vectors; and
what is so at all generators of the cones of w_i and d_i is so for all outputs. With two values a
cone has two generators, those of the largest and smallest v[0] / v[1], which are gone through here.
With more the evidence states each cone, and how the products or images are sums of its generators.

Where that is too wide, the evidence has words of outputs that go along branches which have no
others: e_a - x e_b, x the ratio of a word, is pulled through the matrices, and is <= 0 on the cone
before a word is at its end. Of two values it may be enough to look at the records within some steps
of each one: those further away may tell anything. Outputs of some records prove what is needed,
too, as those of the others are a mixture.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import gcd
from operator import mul
from typing import Any

from . import levels
from . import reading as read
from .document import Budget, fields, index, indices, items, need, prove, texts
from .levels import Level
from .reading import Case, Model

Vector = list[Any]  # of integers, or of polynomials of a parameter
Matrix = Sequence[Sequence[Any]]
Cone = list[Vector]  # generators
Ratio = tuple[Any, Any]  # numerator and denominator; infinite where that is 0
Pair = tuple[list[int], list[int]]  # two sets of values
Compared = tuple[int, list[int], list[int]]  # a record, and two sets of its values
Side = list[tuple[Cone, dict[int, Matrix]]]  # cones, and a matrix for each output of the next one
Words = dict[tuple[int, int, int], Any]  # record and two values -> a word for either side
MOST_STEPS = 100  # from a record to others that are looked at
MOST_VECTORS = 30_000  # of a cone that is not stated


@dataclass
class Cones:
    """Cones around products and images of others. Those of two values may have two `ends`. Others
    are `stated`, in the order in which they are needed; one has just these generators where it is
    null, or none is left. Equal ones are one list."""

    ends: bool
    stated: list[Any]
    budget: Budget
    used: int = 0
    known: dict[Any, Any] = field(default_factory=dict)

    def around(self, vectors: Iterable[Vector]) -> Cone:
        """A cone that holds some vectors."""
        found = [v for v in vectors if any(v)]
        prove(found, "outputs are impossible")
        if self.ends and len(found) > 1:
            first = last = found[0]
            for v in found:
                first = v if exceeds(v, first) else first
                last = v if exceeds(last, v) else last
            return [first, last]
        found = list(map(reduced, found))
        whole = {*map(type, (x for v in found for x in v))} == {int}
        found = list(map(list, dict.fromkeys(map(tuple, found)))) if whole else found
        self.used += 1
        cone = self._holding(found)
        return self.known.setdefault(tuple(map(tuple, cone)), cone) if whole else cone

    def _holding(self, vectors: Cone) -> Cone:
        """The generators that are `stated`, once some vectors are proved to be sums of them."""
        stated = self.stated[self.used - 1] if self.used <= len(self.stated) else None
        if stated is None:
            need(len(vectors) <= MOST_VECTORS, "so many vectors need a cone")
            return vectors
        listed, sums = fields(stated, "generators sums")
        cone = [read.whole(row)[1] for row in read.matrix(listed)]
        need(all(len(v) == len(vectors[0]) and all(x >= 0 for x in v) for v in cone), "a cone")
        for v, parts in zip(vectors, items(sums), strict=True):
            factors = read.sparse(parts, len(cone))
            self.budget.spend(20 * len(parts) * len(v))
            weights = read.whole([*factors.values()])[1]
            prove(all(x >= 0 for x in weights), "a factor is negative")
            total = times([*zip(*map(cone.__getitem__, factors), strict=True)], weights)
            k = next(k for k, x in enumerate(v) if x)
            same = all(x * v[k] == total[k] * y for x, y in zip(total, v, strict=True))
            prove(total[k] > 0 and same, "a vector is not in its cone")
        return cone

    def moved(self, matrix: Matrix, cone: Cone) -> Cone:
        """A cone that holds the images of one under a `matrix`."""
        return self._once(matrix, cone, len(cone), lambda: self._moved(matrix, cone))

    def _moved(self, matrix: Matrix, cone: Cone) -> Cone:
        images = [times(matrix, v) for v in cone]
        if len(cone) == 1:
            return self.around(map(short, images))
        if not self.ends:
            return self.around(images)
        (p, q), (r, s) = matrix
        images = [v for v in images if any(v)]
        return images if p * s >= q * r else images[::-1]  # the largest one stays so, or is least

    def product(self, one: Cone, other: Cone) -> Cone:
        """A cone that holds the products of the vectors of two cones."""
        count = len(one) * len(other)
        return self._once(one, other, count, lambda: self._product(one, other))

    def _product(self, one: Cone, other: Cone) -> Cone:
        if self.ends and len(one) + len(other) > 2:
            ends = [multiplied(one[at], other[at]) for at in (0, -1)]
            if all(map(any, ends)):
                return ends
        return self.around(multiplied(v, w) for v, w in product(one, other))

    def _once(self, one: Any, other: Cone, count: int, made: Callable[[], Cone]) -> Cone:
        """What is `made` of two lists, so many vectors; of the same lists once."""
        if (id(one), id(other)) not in self.known:
            longest = max(map(digits, other))
            each = 30 if self.ends else 150 + 150 * len(other[0])
            self.budget.spend(count * each * (1 + longest // 300))
            self.known[id(one), id(other)] = made(), one, other
        found: Cone = self.known[id(one), id(other)][0]
        return found

    def others(self, start: Cone, branches: list[Cone]) -> Iterator[Cone]:
        """For each of some `branches` the products of a cone and all other branches."""
        rest: list[Cone | None] = [None]
        for branch in branches[:0:-1]:
            rest.append(self.product(branch, rest[-1]) if rest[-1] is not None else branch)
        for branch in branches:
            after = rest.pop()
            yield self.product(start, after) if after is not None else start
            start = self.product(start, branch) if rest else start


@dataclass
class Network:
    """Records with their `parents` (-1: none), each before its children in `order`; the transitions
    to each by `rows` and by `columns`, and the distribution of those without a parent."""

    parents: list[int]
    order: list[int]
    rows: Sequence[Matrix]
    columns: Sequence[Matrix]
    first: Vector
    budget: Budget

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each record."""
        found: list[list[int]] = [[] for _ in self.parents]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(i)
        return found

    @cached_property
    def marginals(self) -> list[Vector]:
        """P(X_i = v) of each record, up to a factor; equal ones are one list."""
        found, known = [self.first] * len(self.parents), dict[Any, Vector]()
        for i in self.order:
            if self.parents[i] >= 0:
                made = times(self.columns[i], found[self.parents[i]])
                self.budget.spend(len(made) ** 2 + digits(made) ** 2 // 3000)
                found[i] = known.setdefault(written(reduced(made)), reduced(made))
        return found

    def compares(self, i: int, a: list[int], b: list[int]) -> bool:
        """Whether both of two sets of values of a record are possible."""
        m = self.marginals[i]
        return any(m[v] for v in a) and any(m[v] for v in b)

    def ratio(self, i: int, a: list[int], b: list[int], w: Vector, d: Vector) -> Ratio:
        """P(o | X_i in A) / P(o | X_i in B) of the outputs that make w_i and d_i."""
        m = self.marginals[i]
        up, down = (sum(w[x] * d[x] for x in values) for values in (a, b))
        return up * sum(m[x] for x in b), down * sum(m[x] for x in a)


@dataclass
class Answered:
    """A `network` whose records are answered by `channels`, output -> likelihoods, with the cones,
    perhaps the steps within which records count, and worst words."""

    network: Network
    channels: list[dict[int, Vector]]
    cones: Cones
    reach: int | None
    words: Words
    known: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def told(self) -> list[Cone]:
        """Cones of what each record is answered."""
        found = {id(channel): channel for channel in self.channels}
        cones = {at: self.cones.around(channel.values()) for at, channel in found.items()}
        return [cones[id(channel)] for channel in self.channels]

    @cached_property
    def sides(self) -> tuple[list[Cone], list[Cone]]:
        """Cones of w_i, and of d_i, for each record."""
        net, told = self.network, self.told
        if self.reach is not None:
            return self._near(self.reach)
        above, below = [[net.first]] * len(told), list(told)
        for i in reversed(net.order):
            for c in net.children[i]:
                below[i] = self.cones.product(below[i], self.cones.moved(net.rows[c], below[c]))
        for i in net.order:
            self._spread(i, above[i], below, above)
        return above, below

    def _spread(self, i: int, cone: Cone, below: list[Cone], above: list[Cone]) -> None:
        """Put what is told of the children of a record, from its cone and those of d_i, `above`."""
        rows, columns, children = self.network.rows, self.network.columns, self.network.children[i]
        if children:
            branches = [self.cones.moved(rows[c], below[c]) for c in children]
            start = self.cones.product(cone, self.told[i])
            for c, found in zip(children, self.cones.others(start, branches), strict=True):
                above[c] = self.cones.moved(columns[c], found)

    def _near(self, reach: int) -> tuple[list[Cone], list[Cone]]:
        """The same where records more than so many steps away may tell anything."""
        net, people = self.network, range(len(self.told))
        anything: Cone = [[1, 0], [0, 1]]
        first = [net.first]
        below = [[anything] * len(people)] * 2
        above = [
            first if net.parents[i] < 0 else self.cones.moved(net.columns[i], anything)
            for i in people
        ]
        for step in range(reach + 1):
            if step:
                before, above = above, [first] * len(people)
                for i in people:
                    self._spread(i, before[i], below[-2], above)
            made = list(self.told)
            for i in people:
                for c in net.children[i]:
                    moved = self.cones.moved(net.rows[c], below[-1][c])
                    made[i] = self.cones.product(made[i], moved)
            below = [below[-1], made]
        return above, below[-1]

    def compared(self, listed: list[list[Pair]]) -> Iterator[Compared]:
        """A record and two sets of its values in both orders, where both are possible."""
        need(len(listed) == len(self.told), "a part for each record")
        for i, part in enumerate(listed):
            for a, b in part:
                if self.network.compares(i, a, b):
                    yield from ((i, a, b), (i, b, a))

    def largest(self, i: int, a: list[int], b: list[int]) -> Ratio:
        """What no P(o | X_i in A) / P(o | X_i in B) exceeds; the same object for all alike."""
        above, below, m = self.sides[0][i], self.sides[1][i], self.network.marginals[i]
        word = (i, a[0], b[0]) if len(a) == len(b) == 1 else None
        if word not in self.words:
            word = None
        key = id(above), id(below), id(m), word, tuple(a), tuple(b)
        if key not in self.known:
            if word:
                above, below = self._worst(*word)
            elif self.cones.ends:
                above, below = ([side[-a[0]]] for side in (above, below))
            elif len(a) == len(b) == 1:  # sides have outputs of their own
                above, below = ([_highest(side, a[0], b[0])] for side in (above, below))
            longest = max(map(digits, [*above, *below]))
            self.network.budget.spend(len(above) * len(below) * (20 + longest // 10))
            self.known[key] = 0, 1
            for w, d in product(above, below):
                up, down = self.network.ratio(i, a, b, w, d)
                if exceeds((up, down), self.known[key]):
                    self.known[key] = up, down
        found: Ratio = self.known[key]
        return found

    def _worst(self, i: int, a: int, b: int) -> tuple[Cone, Cone]:
        """w_i and d_i of the words that are stated to be worst, once all others are cut."""
        words = items(self.words[i, a, b])
        levels = self._before(i), self._after(i)
        before, after = (
            [self._longest(word, side, a, b)] for word, side in zip(words, levels, strict=True)
        )
        return before, after

    def _before(self, i: int) -> Side:
        """From a record up: cones of w, and the matrix of each output of the next one."""
        net, found = self.network, Side()
        while (parent := net.parents[i]) >= 0:
            need(len(net.children[parent]) == 1, "a word goes along a branch without others")
            rows = self.channels[parent]
            steps: dict[int, Matrix] = {
                o: [multiplied(line, row) for line in net.columns[i]] for o, row in rows.items()
            }
            found.append((self.sides[0][i], steps))
            i = parent
        return [*found, ([net.first], {})]

    def _after(self, i: int) -> Side:
        """From a record down: cones of d, and the matrix of each of its outputs."""
        net, found = self.network, Side()
        while i >= 0:
            children = net.children[i]
            need(len(children) < 2, "a word goes along a branch without others")
            table = net.rows[children[0]] if children else [[1]] * len(net.first)
            steps: dict[int, Matrix] = {
                o: [[x * p for p in line] for x, line in zip(row, table, strict=True)]
                for o, row in self.channels[i].items()
            }
            found.append((self.sides[1][i], steps))
            i = children[0] if children else -1
        return [*found, ([[1]], {})]

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
            self.network.budget.spend(len(functional) * (len(cone) + len(steps)) * longest)
            if any(sum(map(mul, functional, g)) > 0 for g in cone):
                prove(steps, "a word is not the worst one")
                left += [(pulled(functional, m), at + 1) for m in steps.values()]
        return v


def check_network(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    need(asked.delta == 0, "delta is 0")
    parts, chosen, priors = fields_of_network(case.relation, case.model)
    listed = [parts[at] if at >= 0 else [] for at in chosen]
    every = _answered(case, networks(priors, case.model))
    empty = not any(True for one in every for _ in one.compared(listed))
    worst = case.witness["worst"]
    reached = (1, 1) if worst is None else _shown(worst, every, listed)

    def holds(level: Level) -> bool:
        limit = _parts(level.alpha or Fraction(1))  # leakages are no powers of e
        found = (one.largest(*asked) for one in every for asked in one.compared(listed))
        different = {id(ratio): ratio for ratio in found}  # those of records that are alike are one
        return not any(exceeds(ratio, limit) for ratio in different.values())

    def needs(level: Level | None) -> bool:
        if level is None:
            return reached[1] == 0
        return not exceeds(_parts(level.alpha or Fraction(1)), reached)

    if asked.leakage is None:
        enough = not reached[1] or asked.level.compare(read.ratio(*reached), read.ONE) > 0
        prove(enough, "the witness does not violate the level")
    met = asked.leakage is not None and asked.settle(empty, holds, needs, wide=True)
    for one in every:
        need(one.cones.used >= len(one.cones.stated), "a cone of nothing")
        need(len(one.words) == sum(key[3] is not None for key in one.known), "a word of nothing")
    return met


def _answered(case: Case, every: list[Network]) -> list[Answered]:
    """The networks with the channels of the model, and what the witness says of each."""
    _, reach, cones, words = fields(case.witness, "worst reach cones words")
    model, size = case.model, case.model.size
    if reach is not None:
        index(reach, MOST_STEPS, low=1)
        need(size == 2, "with reach there are two values")
    channels = [_rows_of(answers, model) for answers in items(model.parts["channels"])]
    chosen = indices(model.parts["chosen"], len(channels))
    need(len(chosen) == texts(model.parts["people"]), "a channel for each record")
    need(len(items(cones)) == len(every), "cones of each network")
    known: list[Words] = [{} for _ in every]
    for prior, i, a, b, left, right in items(words, 6):
        index(prior, len(every))
        indices([i, a, b], read.CODES)
        need((i, a, b) not in known[prior], "words stand twice")
        known[prior][i, a, b] = [left, right]
    return [
        Answered(
            network,
            [channels[at] for at in chosen],
            Cones(size == 2, items(stated), network.budget),
            reach,
            own,
        )
        for network, stated, own in zip(every, cones, known, strict=True)
    ]


def _shown(said: Any, every: list[Answered], listed: list[list[Pair]]) -> Ratio:
    """The ratio that outputs, one of each record, attain; -1 is any."""
    prior, record, pair, outputs = fields(said, "prior record pair outputs")
    one = every[index(prior, len(every))]
    size, network = len(one.network.first), one.network
    a, b = (indices(values, size) for values in items(pair))
    index(record, len(listed))
    prove((record, a, b) in one.compared(listed), "the witness is not compared")
    told = [
        {0: channel[output] if output >= 0 else [1] * size}
        for output, channel in zip(indices(outputs, read.CODES, low=-1), one.channels, strict=True)
    ]
    alone = Answered(network, told, Cones(size == 2, [], network.budget), None, {})
    above, below = alone.sides
    for i in network.order:
        alone.cones.product(above[i], below[i])
    found = alone.largest(record, a, b)
    prove(found[0], "the outputs of the witness are impossible")
    return found


def _rows_of(answers: Any, model: Model) -> dict[int, Vector]:
    """The rows of a channel of one of the `answers` of a `model`, each times one number; without
    rows of zeros, and of those that are multiples of each other the first one."""
    ((outputs, values, columns, runs),) = [
        fields(answer, "outputs values columns runs") for answer in items(answers)
    ]
    need(index(runs, 2) == 1, "an answer is drawn once")
    parts = {"outputs": outputs, "values": values, "columns": columns}
    _, rows = Model({"worlds": model.parts["worlds"], **parts}).table.whole_rows()
    found: dict[tuple[Any, ...], int] = {}
    for output, row in enumerate(rows):
        if any(row):
            found.setdefault(tuple(reduced(row)), output)
    return {output: list(rows[output]) for output in found.values()}


def fields_of_network(relation: Any, model: Model) -> tuple[list[list[Pair]], list[int], Any]:
    """Lists of two sets of values each, the number of its list for each record (-1: none), and the
    class of networks."""
    rule, parts, chosen, priors = fields(relation, "rule parts chosen priors")
    need(rule == "network", "the rule is network")
    for part in items(parts):
        for a, b in items(part, 2):
            for values in (a, b):
                indices(values, model.size)
                need(values and len(values) == len(set(values)), "a set has different values")
            need(not set(a) & set(b), "the sets of a pair have no value in common")
    return parts, indices(chosen, len(parts), low=-1), priors


def networks(priors: Any, model: Model) -> list[Network]:
    """The networks of a class of `priors`, over the values of the records of a `model`; those of
    chains, in which each record is the parent of the next one."""
    people = texts(model.parts["people"])
    if priors["class"] == "trees":
        _, trees = fields(priors, "class trees")
        keys = "initial parents transitions chosen"
        found = [fields(tree, keys) for tree in items(trees)]
    else:
        line, chosen = list(range(-1, people - 1)), [-1] + [0] * (people - 1)
        found = [[first, line, [table], chosen] for first, table in chains(priors)]
    need(found, "there is a network")
    return [_network(parts, model.size, people) for parts in found]


def chains(priors: Any) -> list[Any]:
    """The first distributions and the transitions of a class of chains; of stationary ones of two
    values whose transitions lie within intervals the worst one.

    The values change with probabilities a and b, at most 1 together. With one record more, a ratio
    x of likelihoods becomes ((1 - a) x + a) / (b x + 1 - b): it grows with x, and for x >= 1 falls
    with a and b. So the worst chain changes least; either direction is alike.
    """
    if priors["class"] == "markov":
        least, most = changes(priors)
        prove(sum(most) <= 1, "not the worst chain")
        return [of_changes(*least)]
    kind, listed = fields(priors, "class chains")
    need(kind == "chains", "there are chains")
    return [fields(chain, "initial transition") for chain in items(listed)]


def changes(priors: Any) -> list[tuple[Fraction, Fraction]]:
    """The least and the largest probabilities of change of two values, in stationary chains whose
    transitions lie within intervals."""
    _, initial, rows = fields(priors, "class initial transition")
    need(initial == "stationary", "the chains are stationary")
    change = []
    for code, row in enumerate(items(rows, 2)):
        ends = [read.numbers(interval) for interval in row]
        prove(all(0 <= low <= high <= 1 for low, high in ends), "an interval is [low, high]")
        (low, high), (other, most) = ends[code], ends[1 - code]
        change.append((max(other, 1 - high), min(most, 1 - low)))
    prove(all(0 < low <= high for low, high in change), "values always change with a probability")
    (a, most_a), (b, most_b) = change
    return [(a, b), (most_a, most_b)]


def of_changes(a: Fraction, b: Fraction) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The first distribution and the transitions of the stationary chain of two values that changes
    from the first one with probability `a`, back with `b`."""
    return [read.ratio(b, a + b), read.ratio(a, a + b)], [[1 - a, a], [b, 1 - b]]


def _network(parts: list[Any], size: int, people: int) -> Network:
    """A network of so many `people`, of records with values of a `size`."""
    initial, parents, tables, chosen = parts
    need(len(indices(parents, people, low=-1)) == people, "a parent for each record, or -1")
    need(len(indices(chosen, len(items(tables)), low=-1)) == people, "one for each record")
    has = all((at < 0) == (parent < 0) for at, parent in zip(chosen, parents, strict=True))
    need(has, "transitions lead from a parent")
    first = read.whole(read.distribution(initial, size, "an initial distribution"))[1]
    rows = [_table(table, size) for table in tables]
    columns = [[list(column) for column in zip(*table, strict=True)] for table in rows]
    order = [i for i, parent in enumerate(parents) if parent < 0]
    children = read.grouped(parents)
    for i in order:
        order += children.get(i, [])
    need(len(order) == people, "a record is its own ancestor")
    onward = [rows[at] if at >= 0 else [] for at in chosen]
    back = [columns[at] if at >= 0 else [] for at in chosen]
    return Network(parents, order, onward, back, first, Budget())


def _table(table: Any, size: int) -> Matrix:
    """A matrix of transitions times one number."""
    found = [read.distribution(row, size, "a row of transitions") for row in items(table)]
    need(len(found) == size, "not one row for each value")
    _, flat = read.whole([p for row in found for p in row])
    return [flat[k : k + size] for k in range(0, len(flat), size)]


def _parts(value: Fraction) -> Ratio:
    """A number as a quotient of integers, or of polynomials of a parameter."""
    unit, (top,) = read.whole([value])
    return top, unit


def _highest(vectors: Cone, a: int, b: int) -> Vector:
    """The vector with the largest v[a] / v[b]."""
    found, *others = [v for v in vectors if v[a]] or vectors
    for v in others:
        found = v if exceeds((v[a], v[b]), (found[a], found[b])) else found
    return found


def exceeds(one: Any, other: Any) -> bool:
    """Whether a ratio, `one`, exceeds an `other`; each is a numerator and a denominator."""
    return bool(one[0] * other[1] > other[0] * one[1])


def times(matrix: Matrix, vector: Sequence[Any]) -> Vector:
    """The product of a `matrix` and a `vector`."""
    return [sum(map(mul, row, vector)) for row in matrix]


def multiplied(one: Sequence[Any], other: Sequence[Any]) -> Vector:
    """The products of the numbers of two vectors."""
    return list(map(mul, one, other))


def pulled(functional: Vector, matrix: Matrix) -> Vector:
    """The product of a row and a `matrix`."""
    return [sum(map(mul, functional, column)) for column in zip(*matrix, strict=True)]


def reduced(vector: Sequence[Any]) -> Vector:
    """A `vector`, not of zeros alone, without the common divisor of its numbers."""
    for x in vector:
        if read.is_other(x):
            found: list[Any] = x.without_common(vector)
            return found
    parts = read.whole(vector)[1]
    common = gcd(*parts)
    return [x // common for x in parts]


def short(vector: Vector) -> Vector:
    """A vector; of functions without their common factors."""
    return vector if {*map(type, vector)} == {int} or not any(vector) else reduced(vector)


def written(vector: Vector) -> Any:
    """What is equal for vectors that are written alike."""
    return tuple(map(read.written, vector))


def digits(vector: Iterable[Any]) -> int:
    """How long the integers of a `vector` are; functions are paid for where they are used."""
    return max(x.bit_length() if type(x) is int else 0 for x in vector)
