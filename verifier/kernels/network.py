"""What outputs of many records say about one of them, where records depend on each other as a tree.

Every record answers by itself, by a channel of its own: X_i is the value of record i, o_i its
output, C_i[o, v] the probability of output o for value v. A record has a parent p, and T_i is the
matrix of transitions from X_p to X_i; records without a parent are independent of each other, and
have one distribution. A chain is a tree in which every record but the last one is a parent once.
Given X_i, the outputs of its branches are independent: those of each child, and those of the rest
of the tree. Let

    d_i(v) = P(outputs of i and below | X_i = v) = C_i[o_i, v] · Π u_c(v) over the children c  (1)
    u_i(v) = P(outputs of i and below | X_p = v) = Σ_w T_i[v, w] · d_i(w)                      (2)
    w_i(v) = P(all other outputs, X_i = v)
           = Σ_x T_i[x, v] · w_p(x) · C_p[o_p, x] · Π u_s(x) over the siblings s               (3)

so that, for sets A and B of values,

    P(o | X_i in A) / P(o | X_i in B) = Σ_A w_i·d_i / Σ_B w_i·d_i · P(X_i in B) / P(X_i in A)  (4)

A vector counts up to scale; the vectors that outputs make span a cone. The componentwise product is
linear in either factor: products of extreme rays span the products of cones, and (4) is largest
at a product of two extreme rays, one of w_i and one of d_i.

Two values: a cone has two rays, kept exactly. Three: the rays are the corners of a polygon. They
are kept exactly as long as they are few; otherwise, as with more values, cones are enclosed by
polytopes whose corners have short numbers. Products and images of the same cones are known.

Example. Ann and her two children, each told with probability 3/4; a child is like her with
probability 9/10. An answer about a child has the ratio 7/3 for Ann.

>>> from fractions import Fraction
>>> told = tuple(tuple(Fraction(x, 4) for x in row) for row in ((3, 1), (1, 3)))
>>> step = tuple(tuple(Fraction(x, 10) for x in row) for row in ((9, 1), (1, 9)))
>>> family = Network((Fraction(1, 2), Fraction(1, 2)), (-1, 0, 0), (step,), (-1, 0, 0))
>>> found = Branches(family, [told], [0] * 3).largest([(0, (0,), (1,))])
>>> print(Fraction(*found.enough), found.outputs)
49/3 (0, 0, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from heapq import nlargest
from itertools import pairwise, product
from math import inf
from operator import mul
from typing import Any, NamedTuple

from verifier.base import exact
from verifier.base.errors import NotDecided
from verifier.base.rational_function import parts
from verifier.kernels import spans
from verifier.kernels.chains import (
    MAX_STATES,
    ORDER,
    Channel,
    Matrix,
    Ratio,
    Side,
    Sides,
    Vector,
    distinct,
    exceeds,
    in_integers,
    marginals_of,
    push,
    reduced,
)
from verifier.world.network import Network

MOST_EXACT = 30_000  # products of rays that are kept exactly, of more than two values
MOST = 1_000_000  # products of corners
TRIED = 8  # comparisons whose outputs are evaluated
MANY = 200  # rays of more than three values that are enclosed where short numbers will do
Made = tuple[Any, ...]  # (record, output), or two of these, or none
Asked = tuple[int, tuple[int, ...], tuple[int, ...]]  # a record, and two sets of its values


class Ray(NamedTuple):
    """A vector, and the outputs that made it; of an enclosure, those of a vector near by."""

    vector: Vector
    made: Made = ()


class Cone(NamedTuple):
    """Rays of a cone, and a number that cones have which are made alike."""

    number: int
    rays: list[Ray]


ANYTHING = Cone(-1, [Ray((1, 0)), Ray((0, 1))])


class Found(NamedTuple):
    """What no ratio exceeds; and outputs, one for each record, that have a ratio (4)."""

    enough: Ratio
    ratio: Ratio
    asked: Asked
    outputs: tuple[int, ...]


class TooManyRays(NotDecided):
    """There are so many products of rays that they are not made."""


class Branches:
    """What the branches of every record say about it.

    Attributes: the `tree`, and its `channels`, of each record output -> its chance at each value,
    times one number; likewise the `first` distribution, and the matrices of transitions, from a
    parent to its child (`onward`), and their transposes (`inwards`).
    """

    def __init__(
        self,
        tree: Network,
        channels: Sequence[Channel],
        chosen: Sequence[int],
        bits: int | None = None,
        shared: bool = False,
    ) -> None:
        """The branches of each record of a `tree`.

        channels  of all records
        chosen    for each record the number of its channel
        bits      the precision of enclosures; None for rays that are exact
        shared    whether cones that are made alike are one, with the outputs of one of them
        """
        self.tree, self.chosen, self._bits, self.shared = tree, chosen, bits, shared
        self._left = MOST_EXACT if bits is None else MOST
        if bits is not None and len(tree.initial) > MAX_STATES:
            self._left = 0
        rows = list(map(distinct, channels))
        self.channels: list[Mapping[int, Vector]] = [rows[at] for at in chosen]
        self.onward = [tuple(zip(*in_integers(table), strict=True)) for table in tree.transitions]
        self.inwards = [in_integers(table) for table in tree.transitions]
        self.first = in_integers([tree.initial])[0]
        self._known: dict[Any, Any] = {}

    @cached_property
    def marginals(self) -> list[Vector]:
        """P(X_i = v) of each record, times one number."""
        return marginals_of(self.tree)

    @cached_property
    def root(self) -> Cone:
        """The cone of w_i of a record without a parent."""
        return Cone(-2, [Ray(self.first)])

    @cached_property
    def inward(self) -> list[Cone]:
        """For each record the cone of d_i (1); TooManyRays."""
        found = [self.told(record) for record in range(len(self.chosen))]
        for record in reversed(self.tree.order):
            for child in self.tree.children[record]:
                found[record] = self.times(found[record], self.upward(child, found[child]))
        return found

    @cached_property
    def outward(self) -> list[Cone]:
        """For each record the cone of w_i (3); TooManyRays."""
        inward, found = self.inward, [self.root] * len(self.chosen)
        for record in self.tree.order:
            children = self.tree.children[record]
            if children:
                branches = [self.upward(child, inward[child]) for child in children]
                start = self.times(found[record], self.told(record))
                for child, rest in zip(children, self._others(start, branches), strict=True):
                    found[child] = self.downward(child, rest)
        return found

    def _others(self, start: Cone, branches: Sequence[Cone]) -> Iterator[Cone]:
        """For each of some branches the products of a cone and all other branches."""
        after: list[Cone | None] = [None]  # products over the last branches, none at first
        for branch in branches[:0:-1]:
            last = after[-1]
            after.append(branch if last is None else self.times(branch, last))
        for branch in branches:
            rest = after.pop()
            yield start if rest is None else self.times(start, rest)
            start = start if rest is None else self.times(start, branch)

    def told(self, record: int) -> Cone:
        """The cone of what a record answers by itself."""
        rows = self.channels[record].items()
        key = "told", self.chosen[record]
        return self._kept(key, lambda: [Ray(row, (record, output)) for output, row in rows])

    def upward(self, record: int, cone: Cone) -> Cone:
        """The cone of u_i (2), from that of d_i."""
        return self._pushed("upward", self.inwards, self.tree.chosen[record], cone)

    def downward(self, record: int, cone: Cone) -> Cone:
        """The cone of w_i (3), from that of all else that is told of its parent."""
        return self._pushed("downward", self.onward, self.tree.chosen[record], cone)

    def _pushed(self, way: str, tables: Sequence[Any], at: int, cone: Cone) -> Cone:
        def images() -> list[Ray]:
            made = (Ray(push(tables[at], ray.vector), ray.made) for ray in cone.rays)
            return [ray for ray in made if any(ray.vector)]

        if len(self.first) > 2:
            return self._kept((way, at, cone.number), images)

        def ends() -> list[Ray]:
            (p, q), (r, s) = tables[at]
            return images() if p * s >= q * r else images()[::-1]

        return self._of_two((way, at, cone.number), ends)

    def times(self, one: Cone, other: Cone) -> Cone:
        """The cone of the products of two cones."""
        key = "times", one.number, other.number
        if len(self.first) == 2:
            return self._of_two(key, lambda: self._products_of_two(one.rays, other.rays))
        if key not in self._known:
            self._left -= len(one.rays) * len(other.rays)
            if self._left < 0:
                raise TooManyRays("the outputs of the branches make too many different vectors")
        return self._kept(key, lambda: [_both(*pair) for pair in product(one.rays, other.rays)])

    def _products_of_two(self, rays: Sequence[Ray], others: Sequence[Ray]) -> list[Ray]:
        ends = [_both(rays[at], others[at]) for at in (0, -1)]
        if all(any(end.vector) for end in ends):
            return ends
        return _ends([_both(*pair) for pair in product(rays, others)])

    def _of_two(self, key: Any, made: Callable[[], list[Ray]]) -> Cone:
        """A cone of two values; one that is known already if all alike are one."""
        if not self.shared:
            return Cone(0, made())
        if key not in self._known:
            self._known[key] = Cone(len(self._known), made())
        found: Cone = self._known[key]
        return found

    def _kept(self, key: Any, made: Callable[[], list[Ray]]) -> Cone:
        """A cone around some rays, the least one or one of short numbers; one for all that are
        made alike."""
        if len(self.first) == 2:
            return self._of_two(key, lambda: _ends(made()))
        rays = [ray for ray in made() if any(ray.vector)]
        rays = [Ray(reduced(ray.vector), ray.made) for ray in rays]
        are_whole = all(type(x) is int for ray in rays for x in ray.vector)
        if are_whole:
            different: dict[Vector, Ray] = {}
            for ray in rays:
                different.setdefault(ray.vector, ray)
            rays = [*different.values()]
        if key not in self._known:
            vectors, near = self._around([ray.vector for ray in rays], key[0] == "times")
            alike = tuple(vectors) if are_whole else key
            number = self._known.setdefault(("number", alike), len(self._known))
            self._known[key] = number, vectors, near
        number, vectors, near = self._known[key]
        listed = zip(vectors, near, strict=True)
        return Cone(number, [Ray(vector, rays[at].made) for vector, at in listed])

    def _around(self, vectors: list[Vector], grows: bool) -> tuple[list[Vector], Sequence[int]]:
        """Rays around some vectors, and for each the number of a vector near it."""
        size = len(self.first)
        if self._bits is not None and (grows or (size > 3 and len(vectors) > MANY)):
            return spans.enclosed(vectors, self._bits)
        if size == 3:
            near = spans.polygon(vectors)
        else:
            near = [*{v: at for at, v in enumerate(vectors)}.values()]
        return [vectors[at] for at in near], near

    @cached_property
    def line(self) -> Sides:
        """Both sides of the records of a line, in their order."""
        order, onward, inwards = self.tree.order, [], []
        for parent, record in pairwise(order):
            at, rows = self.tree.chosen[record], self.channels[parent]
            onward.append({o: _by_columns(self.onward[at], row) for o, row in rows.items()})
            inwards.append({o: _by_rows(row, self.inwards[at]) for o, row in rows.items()})
        ones = [(1,)] * len(self.first)
        last = {o: _by_rows(row, ones) for o, row in self.channels[order[-1]].items()}
        above, below = (
            [[ray.vector for ray in cones[i].rays] for i in order]
            for cones in (self.outward, self.inward)
        )
        return Sides(
            Side(self.first, onward, above),
            Side((1,), [last, *inwards[::-1]], [[(1,)], *below[::-1]]),
            [self.marginals[i] for i in order],
        )

    def largest(self, asked: Iterable[Asked]) -> Found:
        """What no ratio (4) exceeds, and outputs whose ratio is the largest that is found.

        asked  a record and two sets of its values each, at least one, all of positive probability
        """
        every = ((*self._bound(*one), one) for one in asked)
        tried = TRIED if self._bits else 1
        bounds = nlargest(tried, every, key=lambda bound: size(bound[0]))
        found: list[Found] = []
        for bound, made, one in bounds:
            if found and not exceeds(bound, max((f.ratio for f in found), key=size)):
                break
            outputs = self.outputs(made)
            if any(ratio := self.ratio(*one, outputs)):
                found.append(Found(bounds[0][0], ratio, one, outputs))
        if not found:
            raise NotDecided("no outputs were found that tell the secrets apart")
        return max(found, key=lambda f: size(f.ratio))

    def ratios(
        self, record: int, a: Sequence[int], b: Sequence[int]
    ) -> Iterator[tuple[Ratio, Made]]:
        """The ratios (4) between rays, among which is the largest one, and outputs that come near.

        record  about which the secrets are
        a, b    values of the record, of positive probability
        """
        sides = self.outward[record].rays, self.inward[record].rays
        yield from self.between(record, a, b, *sides)

    def between(
        self, record: int, a: Sequence[int], b: Sequence[int], *sides: Sequence[Ray]
    ) -> Iterator[tuple[Ratio, Made]]:
        """The same between given rays of w_i and of d_i."""
        m = self.marginals[record]
        units = sum(m[v] for v in b), sum(m[v] for v in a)
        if len(a) == len(b) == 1:  # the largest ratios of both sides multiply
            (x,), (y,) = a, b
            sides = tuple([side[-x] if len(m) == 2 else highest(side, x, y)] for side in sides)
        for ray, other in product(*sides):
            top, bottom = (sum(ray.vector[v] * other.vector[v] for v in s) for s in (a, b))
            yield (top * units[0], bottom * units[1]), (ray.made, other.made)

    def _bound(self, record: int, a: Sequence[int], b: Sequence[int]) -> tuple[Ratio, Made]:
        """What (4) is at most between the rays, and outputs that come near."""
        return max(self.ratios(record, a, b), key=lambda one: size(one[0]))

    def outputs(self, made: Made) -> tuple[int, ...]:
        """One output for each record: those that were `made`, and possible ones in other trees."""
        found, values = [0] * len(self.channels), [0] * len(self.channels)
        for record in self.tree.order:
            parent = self.tree.parents[record]
            table = None if parent < 0 else self.inwards[self.tree.chosen[record]]
            chances = self.first if table is None else table[values[parent]]
            values[record] = next(v for v, p in enumerate(chances) if p)
            rows = self.channels[record].items()
            found[record] = next(o for o, row in rows if row[values[record]])
        for record, output in flat(made):
            found[record] = output
        return tuple(found)

    def ratio(
        self, record: int, a: Sequence[int], b: Sequence[int], outputs: Sequence[int]
    ) -> Ratio:
        """The ratio (4) of `outputs`, one for each record, -1 for any; 0 to 0 where they are
        impossible.

        record  about which the secrets are
        a, b    values of the record, of positive probability
        """
        tree = self.tree
        path = [record]
        while (parent := tree.parents[path[-1]]) >= 0:
            path.append(parent)
        below = self._below(path[-1], outputs)
        vector = self.first
        for parent, child in zip(path[:0:-1], path[-2::-1], strict=True):
            parts = [self._chances(parent, outputs)]
            for sibling in tree.children[parent]:
                if sibling != child:
                    parts.append(push(self.inwards[tree.chosen[sibling]], below[sibling]))
            for part in parts:
                vector = tuple(map(mul, vector, part))
            vector = _short(push(self.onward[tree.chosen[child]], vector))
        joint, m = tuple(map(mul, vector, below[record])), self.marginals[record]
        top, bottom = (sum(joint[v] for v in s) for s in (a, b))
        return top * sum(m[v] for v in b), bottom * sum(m[v] for v in a)

    def _chances(self, record: int, outputs: Sequence[int]) -> Vector:
        """How likely the output of a record is for each value; -1 is always."""
        return self.channels[record].get(outputs[record], (1,) * len(self.first))

    def _below(self, root: int, outputs: Sequence[int]) -> dict[int, Vector]:
        """For the records below a `root`, and itself, the vector d of their `outputs`."""
        tree, order = self.tree, [root]
        for record in order:
            order += tree.children[record]
        found: dict[int, Vector] = {}
        for record in reversed(order):
            vector = self._chances(record, outputs)
            for child in tree.children[record]:
                part = _short(push(self.inwards[tree.chosen[child]], found[child]))
                vector = tuple(map(mul, vector, part))
            found[record] = vector
        return found


def _by_columns(matrix: Matrix, row: Vector) -> Matrix:
    """A matrix times the diagonal matrix of a row."""
    return tuple(tuple(map(mul, line, row)) for line in matrix)


def _by_rows(row: Vector, matrix: Sequence[Vector]) -> Matrix:
    """The diagonal matrix of a row times a matrix."""
    return tuple(tuple(x * p for p in line) for x, line in zip(row, matrix, strict=True))


def _short(vector: Vector) -> Vector:
    """A vector; of functions without their common factors."""
    return vector if {*map(type, vector)} == {int} or not any(vector) else reduced(vector)


def highest(rays: Sequence[Ray], x: int, y: int) -> Ray:
    """The ray v with the largest v(x)/v(y). Between functions of a parameter the sample decides,
    and the signs that make it so are recorded; NotDecided where they are not found."""
    ratios = [(ray.vector[x], ray.vector[y]) for ray in rays]
    at = max(range(len(rays)), key=lambda k: size(ratios[k]))
    if type(sum(ratios[at])) is not int and any(exceeds(r, ratios[at]) for r in ratios):
        raise NotDecided("the largest ratio is not known at a sample")
    return rays[at]


def size(ratio: Sequence[int]) -> tuple[Any, Any]:
    """By what ratios are ordered: mostly by a short number, which is quick; 0 to 0 is the least.
    Ratios of functions are ordered as they are near the sample."""
    top, bottom = ratio
    if {*map(type, ratio)} != {int}:
        near = _sampled(top) / _sampled(bottom) if bottom else None
        top, bottom = (int(bool(top)), 0) if near is None else near.as_integer_ratio()
    short = (top << 64) // bottom if bottom else inf if top else -1
    return short, ORDER((top, bottom))


def _sampled(value: Any) -> Fraction:
    """A number near a function of a parameter, with as many digits as its coefficients need."""
    longest = max(c.bit_length() for part in parts(value) for c in part)
    return exact.near(value, 64 + -(-longest // 256) * 256)


def _ends(rays: Sequence[Ray]) -> list[Ray]:
    """Of two values: the rays of the largest and of the smallest v(0)/v(1)."""
    low, *others = (ray for ray in rays if any(ray.vector))
    high = low
    for ray in others:
        if exceeds(ray.vector, high.vector):
            high = ray
        elif exceeds(low.vector, ray.vector):
            low = ray
    return [high, low]


def _both(one: Ray, other: Ray) -> Ray:
    made = (one.made, other.made) if one.made and other.made else one.made or other.made
    return Ray(tuple(map(mul, one.vector, other.vector)), made)


def flat(made: Made) -> Iterator[tuple[int, int]]:
    """The pairs (record, output) that went into a ray."""
    left = [made]
    while left:
        made = left.pop()
        if made and isinstance(made[0], int):
            yield made[0], made[1]
        else:
            left += made
