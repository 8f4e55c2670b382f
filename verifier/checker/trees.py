"""Certificates of kind "trees": each record is answered by a channel of its own, and the values of
the records, which are the worlds of the model, depend on those of their parents.

Given the value of record i, the outputs of its branches are independent. With C[o, v] the channels,
T_i the transitions from the parent of i to i, and p the distribution of records without a parent,

    d_i(v) = C_i[o_i, v] * product of sum_w T_c[v, w] d_c(w) over the children c of i
    w_i(v) = sum_x T_i[x, v] w_p(x) C_p[o_p, x] * product of the same over the siblings; p(v) at top

are P(outputs of i and below | X_i = v) and P(all other outputs, X_i = v) for the outputs o, and

    P(o | X_i in A) / P(o | X_i in B)
        = sum_A w_i d_i / sum_B w_i d_i * P(X_i in B) / P(X_i in A).

All of this is linear in the vectors of each branch, so that cones are gone through with finitely
many vectors that span them: products of two vectors span the products of two cones. With two values
a cone has two of them, those of the largest and smallest v(0) / v(1). With more they are kept as
they are, of three values without those inside a polygon; or their cone is put into a polytope with
corners that are rounded outwards.

Of two values it may be enough to look at the records within some steps of each one: those further
away may tell anything, so that their vectors span all that are nowhere negative. Outputs of
some records prove what is needed, too, as those of the others are a mixture.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from operator import mul
from typing import Any

from . import levels
from . import reading as read
from .chains import (
    MOST_BITS,
    MOST_VALUES,
    Matrix,
    Ratio,
    Vector,
    around,
    digits,
    exceeds,
    hull,
    reduced,
    rows_of,
    times,
    worst,
)
from .levels import Level
from .reading import Budget, Case, Model, need, prove

MOST_STEPS = 100  # from a record to others that are looked at
Pair = tuple[list[int], list[int]]  # two sets of values
Compared = tuple[int, list[int], list[int]]  # a record, and two sets of its values


@dataclass
class Forest:
    """Records with their parents (-1: none), each before its children in `order`; the transitions
    to each, by rows and by columns; its channel, output -> likelihoods; the first distribution."""

    parents: list[int]
    order: list[int]
    rows: list[Matrix]
    columns: list[Matrix]
    channels: list[dict[int, Vector]]
    first: Vector
    bits: int | None
    reach: int | None
    budget: Budget

    @cached_property
    def near(self) -> "Nearby":
        """What the records within reach tell."""
        return Nearby(self)

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
        """P(X_i = v) of each record, up to a factor."""
        found = [self.first] * len(self.parents)
        for i in self.order:
            if self.parents[i] >= 0:
                made = times(self.columns[i], found[self.parents[i]])
                self.budget.spend(len(made) ** 2 + digits(made) ** 2 // 3000)
                found[i] = reduced(made)
        return found

    @cached_property
    def below(self) -> list[list[Vector]]:
        """Vectors that span those of d_i, for each record."""
        found: list[list[Vector]] = [[]] * len(self.parents)
        for i in reversed(self.order):
            found[i] = self.told(i)
            for child in self.children[i]:
                found[i] = self.products(found[i], self.moved(self.rows[child], found[child]))
        return found

    @cached_property
    def above(self) -> list[list[Vector]]:
        """Vectors that span those of w_i, for each record."""
        found = [[self.first]] * len(self.parents)
        for i in self.order:
            if not (children := self.children[i]):
                continue
            branches = [self.moved(self.rows[child], self.below[child]) for child in children]
            rest = [[[1] * len(self.first)]]
            for branch in branches[:0:-1]:
                rest.append(self.products(branch, rest[-1]))
            before = self.products(found[i], self.told(i))
            for child, branch in zip(children, branches, strict=True):
                joint = self.products(before, rest.pop())
                found[child] = self.moved(self.columns[child], joint)
                before = self.products(before, branch) if rest else before
        return found

    def told(self, i: int) -> list[Vector]:
        """Vectors that span those of the channel of a record."""
        return self._spanning(list(self.channels[i].values()))

    def moved(self, matrix: Matrix, vectors: list[Vector]) -> list[Vector]:
        """Vectors that span the images of a cone under a matrix."""
        self._pay(len(vectors) * len(self.first), vectors)
        images = [image for v in vectors if any(image := times(matrix, v))]
        if len(self.first) > 2:
            return self._spanning(images)
        (p, q), (r, s) = matrix
        return images if p * s >= q * r else images[::-1]  # the largest one stays so, or is least

    def products(self, vectors: list[Vector], others: list[Vector]) -> list[Vector]:
        """Vectors that span the products of two cones."""
        self._pay(len(vectors) * len(others), [*vectors, *others])
        if len(self.first) == 2:
            ends = [list(map(mul, vectors[at], others[at])) for at in (0, -1)]
            if all(map(any, ends)):
                return ends
        made = (list(map(mul, v, w)) for v, w in product(vectors, others))
        return self._spanning([v for v in made if any(v)])

    def _pay(self, count: int, vectors: list[Vector]) -> None:
        longest = max(map(digits, vectors))
        size = len(self.first)
        self.budget.spend(count * (20 + size * 2**size) * (1 + longest // 300) // 4)

    def _spanning(self, vectors: list[Vector]) -> list[Vector]:
        """Vectors of the same cone, or of one around it; of two values the two at its ends."""
        if len(self.first) == 2:
            first = last = vectors[0]
            for v in vectors:
                first = v if exceeds(v, first) else first
                last = v if exceeds(last, v) else last
            return [first, last]
        if self.bits is not None:
            return around(vectors, self.bits)
        exact = {tuple(reduced(v)): v for v in vectors}
        if len(self.first) > 3:
            return list(map(list, exact))
        points = {(read.ratio(v[0], sum(v)), read.ratio(v[1], sum(v))): list(v) for v in exact}
        return [points[point] for point in hull(sorted(points))]

    def largest(self, i: int, a: list[int], b: list[int]) -> Ratio:
        """What no P(o | X_i in A) / P(o | X_i in B) exceeds."""
        if self.reach is not None:
            return self.near.largest(i, a, b, self.reach)
        return self.between(i, a, b, self.above[i], self.below[i])

    def between(
        self, i: int, a: list[int], b: list[int], above: list[Vector], below: list[Vector]
    ) -> Ratio:
        """The same where w_i and d_i lie in the cones of some vectors."""
        if len(self.first) == 2:
            above, below = ([side[-a[0]]] for side in (above, below))
        elif len(a) == len(b) == 1:  # sides have outputs of their own
            above, below = ([_highest(side, a[0], b[0])] for side in (above, below))
        self._pay(len(above) * len(below), [*above, *below])
        m, found = self.marginals[i], (0, 1)
        for v, w in product(above, below):
            top, bottom = (sum(v[x] * w[x] for x in values) for values in (a, b))
            ratio = top * sum(m[x] for x in b), bottom * sum(m[x] for x in a)
            found = ratio if exceeds(ratio, found) else found
        return found

    def shown(self, i: int, a: list[int], b: list[int], outputs: list[int]) -> Ratio:
        """The ratio of `outputs`, one of each record, which are possible."""
        need(len(outputs) == len(self.parents), "an output for each record")
        for output, channel in zip(outputs, self.channels, strict=True):
            need(output in channel or output == -1, "an output is of its channel")
        all_alike = [1] * len(self.first)
        told = [
            channel.get(output, all_alike)
            for output, channel in zip(outputs, self.channels, strict=True)
        ]
        below = list(told)
        for k in reversed(self.order):
            if (parent := self.parents[k]) < 0:
                prove(any(map(mul, self.first, below[k])), "the outputs are impossible")
            else:
                self._pay(len(self.first), [below[k]])
                moved = _short(times(self.rows[k], below[k]))
                below[parent] = list(map(mul, below[parent], moved))
        v, w = self._beside(i, told, below), below[i]
        m = self.marginals[i]
        top, bottom = (sum(v[x] * w[x] for x in values) for values in (a, b))
        prove(top, "the outputs of the witness are impossible")
        return top * sum(m[x] for x in b), bottom * sum(m[x] for x in a)

    def _beside(self, i: int, told: list[Vector], below: list[Vector]) -> Vector:
        """w_i for outputs that have these likelihoods, at each record and below it."""
        path = [i]
        while self.parents[path[-1]] >= 0:
            path.append(self.parents[path[-1]])
        found = self.first
        for parent, child in zip(path[:0:-1], path[-2::-1], strict=True):
            found = list(map(mul, found, told[parent]))
            for sibling in self.children[parent]:
                if sibling != child:
                    self._pay(len(found), [found])
                    found = list(map(mul, found, times(self.rows[sibling], below[sibling])))
            found = _short(times(self.columns[child], found))
        return found


@dataclass
class Nearby:
    """What the records of a tree within some steps of each one tell, once for all that are alike;
    those further away may tell anything."""

    tree: Forest
    cones: list[list[Vector]] = field(default_factory=lambda: [[[1, 0], [0, 1]]])
    numbers: dict[Any, int] = field(default_factory=dict)  # what makes a cone -> its number
    known: dict[Any, Any] = field(default_factory=dict)

    def _number(self, key: Any, made: Callable[[], list[Vector]]) -> int:
        self.tree.budget.spend(20 * len(key))
        if key not in self.numbers:
            self.numbers[key] = len(self.cones)
            self.cones.append(made())
        return self.numbers[key]

    def below(self, i: int, steps: int) -> int:
        """The number of the cone of d_i, of records so many `steps` below i at most."""
        if steps < 0:
            return 0
        if (i, steps) not in self.known:
            tree, children = self.tree, self.tree.children[i]
            cones = [self.below(c, steps - 1) for c in children]
            key = id(tree.channels[i]), *self._key(children, cones)
            self.known[i, steps] = self._number(
                key, lambda: self._joined(tree.told(i), children, cones)
            )
        return int(self.known[i, steps])

    def above(self, i: int, steps: int) -> int:
        """The number of the cone of w_i, of records so many `steps` away at most."""
        tree, parent = self.tree, self.tree.parents[i]
        if parent < 0:
            return self._number(("first",), lambda: [tree.first])
        rows, columns = tree.rows[i], tree.columns[i]
        if steps < 1:
            return self._number(("far", id(rows)), lambda: tree.moved(columns, self.cones[0]))
        if ("above", i, steps) not in self.known:
            siblings = [c for c in tree.children[parent] if c != i]
            cones = [self.below(c, steps - 2) for c in siblings]
            onward = self.above(parent, steps - 1)
            key = id(rows), id(tree.channels[parent]), onward, *self._key(siblings, cones)

            def made() -> list[Vector]:
                before = tree.products(self.cones[onward], tree.told(parent))
                return tree.moved(columns, self._joined(before, siblings, cones))

            self.known["above", i, steps] = self._number(key, made)
        return int(self.known["above", i, steps])

    def _key(self, records: list[int], cones: list[int]) -> Iterator[tuple[int, int]]:
        return zip((id(self.tree.rows[c]) for c in records), cones, strict=True)

    def _joined(self, found: list[Vector], records: list[int], cones: list[int]) -> list[Vector]:
        """The products of some vectors and of those of branches, whose cones have numbers."""
        for c, number in zip(records, cones, strict=True):
            moved = self.tree.moved(self.tree.rows[c], self.cones[number])
            found = self.tree.products(found, moved)
        return found

    def largest(self, i: int, a: list[int], b: list[int], steps: int) -> Ratio:
        """What no P(o | X_i in A) / P(o | X_i in B) exceeds; the same object for all alike."""
        above, below = self.above(i, steps), self.below(i, steps)
        key = above, below, _written(self.tree.marginals[i]), tuple(a), tuple(b)
        if key not in self.known:
            cones = self.cones[above], self.cones[below]
            self.known[key] = self.tree.between(i, a, b, *cones)
        ratio: Ratio = self.known[key]
        return ratio


def _written(vector: Vector) -> Any:
    """What is equal for vectors that are written alike."""
    return tuple(map(read.written, vector))


def _short(vector: Vector) -> Vector:
    """A vector; of functions without their common factors."""
    return vector if {*map(type, vector)} == {int} or not any(vector) else reduced(vector)


def check_trees(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    need(asked.delta == 0, "delta is 0")
    parts, chosen, priors = fields_of_trees(case.relation, case.model)
    shown, bits, *steps = _read_witness(case)
    answers = [rows_of(part, case.model) for part in read.items(case.model.parts["channels"])]
    channels = [{o: row for o, (row,) in channel.items()} for channel in answers]
    every = [
        _forest(tree, case.model, channels, bits, *steps) for tree in _trees(priors, len(chosen))
    ]
    listed = [parts[at] if at >= 0 else [] for at in chosen]
    need(all(len(tree.parents) == len(listed) for tree in every), "a part for each record")
    empty = not any(True for tree in every for _ in _compared(tree, listed))
    reached = (1, 1) if shown is None else _shown(shown, every, listed)

    def holds(level: Level) -> bool:
        limit = _parts(level.alpha or Fraction(1))  # leakages are no powers of e
        found = (tree.largest(*one) for tree in every for one in _compared(tree, listed))
        different = {id(ratio): ratio for ratio in found}  # those of records that are alike are one
        return not any(exceeds(ratio, limit) for ratio in different.values())

    def needs(level: Level | None) -> bool:
        if level is None:
            return reached[1] == 0
        return not exceeds(_parts(level.alpha or Fraction(1)), reached)

    if asked.leakage is None:
        enough = not reached[1] or asked.level.compare(read.ratio(*reached), read.ONE) > 0
        prove(enough, "the witness does not violate the level")
        return False
    return asked.settle(empty, holds, needs, wide=True)


def _read_witness(case: Case) -> list[Any]:
    """The worst outputs, the digits of bounds (None: exact), and perhaps how far records count."""
    keys = "worst bits reach" if "reach" in case.witness else "worst bits"
    shown, bits, *steps = read.fields(case.witness, keys)
    for reach in steps:
        read.index(reach, MOST_STEPS, low=1)
        need(case.model.size == 2 and bits is None, "with reach there are two values, exactly")
    if bits is not None:
        read.index(bits, MOST_BITS, low=8)
        need(case.model.size <= MOST_VALUES, "a record has too many values")
    return [shown, bits, *steps]


def _parts(value: Fraction) -> Ratio:
    """A number as a quotient of integers, or of polynomials of a parameter."""
    unit, (top,) = read.whole([value])
    return top, unit


def fields_of_trees(relation: Any, model: Model) -> tuple[list[list[Pair]], list[int], Any]:
    """Lists of two sets of values each, the number of its list for each record (-1: none), and the
    class of trees."""
    rule, parts, chosen, priors = read.fields(relation, "rule parts chosen priors")
    need(rule == "trees" and priors["class"] in ("trees", "markov"), "there is a tree")
    for part in read.items(parts):
        for a, b in read.items(part, 2):
            for values in (a, b):
                read.indices(values, model.size)
                need(values and len(values) == len(set(values)), "a set has different values")
            need(not set(a) & set(b), "the sets of a pair have no value in common")
    return parts, read.indices(chosen, len(parts), low=-1), priors


def _trees(priors: Any, people: int) -> list[Any]:
    """The trees of a class; of stationary chains within intervals the worst one of so many
    records."""
    if priors["class"] == "trees":
        _, trees = read.fields(priors, "class trees")
        need(read.items(trees), "there is a tree")
        return list(trees)
    ((initial, table),) = (read.fields(one, "initial transition") for one in worst(priors))
    line = {"parents": list(range(-1, people - 1)), "chosen": [-1, *[0] * (people - 1)]}
    return [{**line, "initial": initial, "transitions": [table]}]


def _compared(tree: Forest, listed: list[list[Pair]]) -> Iterator[Compared]:
    """A record and two sets of its values in both orders, where both are possible."""
    for i, (m, part) in enumerate(zip(tree.marginals, listed, strict=True)):
        for a, b in part:
            if any(m[v] for v in a) and any(m[v] for v in b):
                yield from ((i, a, b), (i, b, a))


def _forest(
    tree: Any,
    model: Model,
    channels: list[dict[int, Vector]],
    bits: int | None,
    reach: int | None = None,
) -> Forest:
    """A tree, or several, of the records of a `model`, with their `channels`."""
    parents, order, rows, columns, first = branches(tree, model)
    used = model.parts["chosen"]
    need(len(read.indices(used, len(channels))) == len(parents), "a channel for each record")
    told = [channels[at] for at in used]
    return Forest(parents, order, rows, columns, told, first, bits, reach, Budget())


def branches(
    tree: Any, model: Model
) -> tuple[list[int], list[int], list[Matrix], list[Matrix], Vector]:
    """Of a tree, or several, of the records of a `model`: the parents, an order with each record
    after its parent, the transitions to each by rows and by columns, the first distribution."""
    initial, parents, tables, chosen = read.fields(tree, "initial parents transitions chosen")
    size, people = model.size, read.texts(model.parts["people"])
    need(len(read.indices(parents, people, low=-1)) == people, "a parent for each record, or -1")
    order = [i for i, parent in enumerate(parents) if parent < 0]
    children: dict[int, list[int]] = read.grouped(parents)
    for i in order:
        order += children.get(i, [])
    need(len(order) == people, "a record is its own ancestor")
    need(
        len(read.indices(chosen, len(read.items(tables)), low=-1)) == people, "one for each record"
    )
    has = all((at < 0) == (parent < 0) for at, parent in zip(chosen, parents, strict=True))
    need(has, "transitions lead from a parent")
    rows = [_table(table, size) for table in tables]
    columns = [[list(column) for column in zip(*table, strict=True)] for table in rows]
    first = read.whole(read.distribution(initial, size, "an initial distribution"))[1]
    none: Matrix = []
    return (
        parents,
        order,
        [rows[at] if at >= 0 else none for at in chosen],
        [columns[at] if at >= 0 else none for at in chosen],
        first,
    )


def _table(table: Any, size: int) -> Matrix:
    """A matrix of transitions times one number."""
    found = [read.distribution(row, size, "a row of transitions") for row in read.items(table)]
    need(len(found) == size, "not one row for each value")
    _, flat = read.whole([p for row in found for p in row])
    return [flat[k : k + size] for k in range(0, len(flat), size)]


def _shown(said: Any, every: list[Forest], listed: list[list[Pair]]) -> Ratio:
    """The ratio that a witness attains."""
    prior, record, pair, outputs = read.fields(said, "prior record pair outputs")
    tree = every[read.index(prior, len(every))]
    a, b = (read.indices(values, len(tree.first)) for values in read.items(pair))
    read.index(record, len(listed))
    prove((record, a, b) in _compared(tree, listed), "the witness is not compared")
    return tree.shown(record, a, b, read.indices(outputs, read.CODES, low=-1))


def _highest(vectors: list[Vector], a: int, b: int) -> Vector:
    """The vector with the largest v[a] / v[b]."""
    found = vectors[0]
    for v in vectors:
        if v[a] and (not found[a] or exceeds((v[a], v[b]), (found[a], found[b]))):
            found = v
    return found
