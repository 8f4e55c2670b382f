"""What outputs of many records say about one of them, where records follow a Markov chain.

Every record answers by itself, by a channel of its own: X_i is the value of record i, o_i its
output, and C_i[o, v] the probability of output o for value v; T is the matrix of transitions. Given
X_i, the outputs before record i and those after it are independent, so that, for values a and b,

    P(o | X_i = a) / P(o | X_i = b)
        = C_i[o_i, a]/C_i[o_i, b] · f(a) m(b)/(f(b) m(a)) · h(a)/h(b)                           (1)

with f(v) = P(outputs before i, X_i = v), h(v) = P(outputs after i | X_i = v), m(v) = P(X_i = v).
Each factor has outputs of its own, and the largest values multiply. Both f and h are made by
matrices, one for each output of the next record further out: f = Tᵀ·diag(C[o])·f' and
h = T·diag(C[o])·h'. A vector counts up to scale; the vectors that words of outputs make span a
cone, and a ratio is largest at one of its extreme rays.

Two states: a cone has two rays, kept exactly; n records take n steps from either side.
More states: rays may double at each step. The cones are enclosed by polytopes whose corners have
short numbers. The worst word is found by following c = e_a − x·e_b inwards, x being the ratio of
the best word so far, until it grows no more (Dinkelbach 1967, On nonlinear fractional programming).
It is the worst one if its siblings are cut: c is nowhere positive on what encloses them.

Example. Three bits, each told with probability 3/4, that follow the stationary chain 2/3, 1/4:

>>> p, q = Fraction(3, 4), Fraction(1, 4)
>>> chain = Chain((Fraction(3, 7), Fraction(4, 7)), ((Fraction(2, 3), Fraction(1, 3)), (q, p)))
>>> sides = Sides.of(chain, [((p, q), (q, p))] * 3)
>>> asked = [(record, a, 1 - a) for record in range(3) for a in (0, 1)]
>>> enough, (found, *_) = largest(sides, asked)
>>> print(Fraction(*enough), found.record, found.outputs)
196/27 1 (0, 0, 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import islice, product
from math import prod
from operator import mul
from typing import Any, NamedTuple

from verifier.base import exact
from verifier.base.nouns import Later, dataclass

Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]
Channel = tuple[tuple[Fraction, ...], ...]  # for each output its probability in each state
States = frozenset[int]
Word = tuple[int, ...]  # outputs, the one of the nearest record first
Point = tuple[Any, Any]  # of the plane, of integers or of fractions
Ratio = tuple[int, int]  # numerator, denominator; infinite where that is 0
BITS = 40  # of a corner's coordinates
MAX_NODES = 3_000  # words that are looked at before a search is given up
MAX_STATES = 6
MAX_ROUNDS = 10  # searches for a better word


@dataclass(frozen=True)
class Chain(Later):
    """A Markov chain: the distribution of the first state, and for each state that of the next."""

    initial: tuple[Fraction, ...]
    transition: tuple[tuple[Fraction, ...], ...]


class Best(NamedTuple):
    """The largest known ratio of a side, a word that has it, and whether no other exceeds it."""

    ratio: Ratio
    word: Word
    proved: bool


class Ray(NamedTuple):
    """An extreme ray of two states: a vector, the output that made it, and of which end."""

    vector: Vector
    output: int
    end: int


@dataclass(eq=False)
class Side(Later):
    """What the records on one side of a record say about it.

    start  the vector of no outputs
    steps  for each record, from the far end inwards, the matrix of each output
    bits   the precision of the enclosures
    """

    start: Vector
    steps: Sequence[Mapping[int, Matrix]]
    bits: int = BITS

    @cached_property
    def ends(self) -> list[tuple[Ray, Ray]]:
        """Of two states: after each step the rays of the smallest and the largest v(1)/v(0)."""
        found = [(Ray(self.start, -1, 0), Ray(self.start, -1, 0))]
        for matrices in self.steps:
            rays = [
                Ray(image, output, end)
                for output, matrix in matrices.items()
                for end, ray in enumerate(found[-1])
                if any(image := push(matrix, ray.vector))
            ]
            low = high = rays[0]
            for ray in rays[1:]:
                if exceeds(low.vector[::-1], ray.vector[::-1]):
                    low = ray
                elif exceeds(ray.vector[::-1], high.vector[::-1]):
                    high = ray
            found.append((low, high))
        return found

    @cached_property
    def corners(self) -> list[list[Vector]]:
        """After each step the corners of a polytope around all vectors, scaled to sum 2^bits."""
        found = [around([self.start], self.bits)]
        for matrices in self.steps:
            images = (push(m, corner) for m in matrices.values() for corner in found[-1])
            found.append(around(filter(any, images), self.bits))
        return found

    @cached_property
    def supports(self) -> list[dict[States, tuple[int, States]]]:
        """After each step the states where a vector is positive: the output that leads there, and
        the states before it."""
        found = [{_positive(self.start): (-1, States())}]
        for matrices in self.steps:
            made: dict[States, tuple[int, States]] = {}
            for before, (output, matrix) in product(found[-1], matrices.items()):
                made.setdefault(_reached(matrix, before), (output, before))
            made.pop(States(), None)
            found.append(made)
        return found

    def vector(self, word: Word) -> Vector:
        """The vector that a `word` makes, one output for each of the first steps."""
        found = self.start
        for output, matrices in zip(reversed(word), self.steps, strict=False):
            found = push(matrices[output], found)
        return found

    def bound(self, level: int, a: int, b: int) -> Ratio:
        """What v(a)/v(b) is at most after `level` steps, by the enclosure."""
        found = (0, 1)
        for corner in self.corners[level]:
            if any(ratio := (corner[a], corner[b])) and exceeds(ratio, found):
                found = ratio
        return found

    def end(self, level: int, a: int) -> Best:
        """Of two states: the largest v(a)/v(b) after `level` steps, b being the other one."""
        vector, end, word = self.ends[level][a].vector, a, []
        for rays in reversed(self.ends[1 : level + 1]):
            _, output, end = rays[end]
            word.append(output)
        return Best((vector[a], vector[1 - a]), tuple(word), True)

    def best(self, level: int, a: int, b: int) -> Best:
        """The largest v(a)/v(b) that is found after `level` steps, where v(a) > 0."""
        ending = next((s for s in self.supports[level] if a in s and b not in s), None)
        if ending is not None:
            return Best((1, 0), tuple(self._towards(level, ending)), True)
        guess = self.bound(level, a, b)
        word = self._followed(level, self._beyond(a, b, guess if guess[1] else (1, 1)))
        for _ in range(MAX_ROUNDS):
            ratio, word = self._climbed(level, a, b, word)
            above, proved = self.exceeding(level, self._beyond(a, b, ratio))
            if above is None:
                return Best(ratio, word, proved)
            word = above
        return Best(*self._climbed(level, a, b, word), False)

    def exceeding(self, level: int, functional: Vector) -> tuple[Word | None, bool]:
        """A word at whose vector a `functional` is positive after `level` steps, None where none
        is found; then whether there is none."""
        left: list[tuple[Vector, Word]] = [(functional, ())]
        for _ in range(MAX_NODES):
            if not left:
                return None, True
            functional, word = left.pop()
            at = level - len(word)
            if highest(functional, self.corners[at] if at else [self.start]) <= 0:
                continue
            if not at:
                return word, False
            for output, matrix in self.steps[at - 1].items():
                left.append((pull(functional, matrix), (*word, output)))
        return None, False

    def _towards(self, level: int, ending: States) -> Iterator[int]:
        """A word after which just the states of `ending` are possible, the nearest output first."""
        for made in reversed(self.supports[1 : level + 1]):
            output, ending = made[ending]
            yield output

    def _beyond(self, a: int, b: int, ratio: Ratio) -> Vector:
        """The functional that is positive where v(a)/v(b) exceeds a ratio."""
        places = {a: ratio[1], b: -ratio[0]}
        return tuple(places.get(state, 0) for state in range(len(self.start)))

    def _climbed(self, level: int, a: int, b: int, word: Word) -> tuple[Ratio, Word]:
        """The ratio and the word that following leads to, until it grows no more."""
        vector = self.vector(word)
        ratio = (vector[a], vector[b]) if vector[a] else (0, 1)
        while True:
            other = self._followed(level, self._beyond(a, b, ratio))
            vector = self.vector(other)
            if not vector[a] or not exceeds((vector[a], vector[b]), ratio):
                return ratio, word
            ratio, word = (vector[a], vector[b]), other

    def _followed(self, level: int, functional: Vector) -> Word:
        """The word of the outputs whose enclosures reach highest, taken one by one."""
        word = []
        for at in reversed(range(level)):
            pulled = {o: pull(functional, m) for o, m in self.steps[at].items()}
            output = max(pulled, key=lambda o: highest(pulled[o], self.corners[at]))
            functional = pulled[output]
            word.append(output)
        return tuple(word)


class Found(NamedTuple):
    """The ratio (1) of one record and pair, the words left and right of it, its own output."""

    ratio: Ratio
    record: int
    pair: tuple[int, int]
    left: Word
    own: int
    right: Word
    proved: bool

    @property
    def outputs(self) -> Word:
        """One output for each record."""
        return (*reversed(self.left), self.own, *self.right)


@dataclass(frozen=True, eq=False)
class Sides(Later):
    """Both sides of every record.

    left, right  the records before, and those after
    channels     of each record: output -> its chance in each state, all times one number
    marginals    P(X_i = v) of each record, times one number
    """

    left: Side
    right: Side
    channels: Sequence[Mapping[int, Vector]]
    marginals: Sequence[Vector]

    @classmethod
    def of(cls, chain: Chain, channels: Sequence[Channel], bits: int = BITS) -> Sides:
        """The sides of each record of a chain.

        chain     of the states
        channels  one for each record
        bits      the precision of enclosures
        """
        table = whole(chain.transition)
        back = tuple(zip(*table, strict=True))
        rows = {channel: distinct(channel) for channel in set(channels)}
        onward, inward = (
            {c: {o: _scaled(matrix, row) for o, row in rows[c].items()} for c in rows}
            for matrix in (back, table)
        )
        marginals = [*whole([chain.initial])]
        for _ in channels[1:]:
            marginals.append(reduced(push(back, marginals[-1])))
        return cls(
            Side(marginals[0], [onward[c] for c in channels[:-1]], bits),
            Side((1,) * len(table), [inward[c] for c in channels[:0:-1]], bits),
            [rows[c] for c in channels],
            marginals,
        )

    def own(self, record: int, a: int, b: int) -> tuple[Ratio, int]:
        """The largest factor of the own output of a `record`, times m(b)/m(a), and that output."""
        rows, m = self.channels[record], self.marginals[record]
        possible = [output for output, row in rows.items() if row[a]]
        found = max(possible, key=lambda output: ORDER((rows[output][a], rows[output][b])))
        return (rows[found][a] * m[b], rows[found][b] * m[a]), found

    def ratio(self, record: int, a: int, b: int, outputs: Word) -> Ratio:
        """The ratio (1) of `outputs`, one for each record."""
        f = self.left.vector(outputs[:record][::-1])
        h = self.right.vector(outputs[record + 1 :])
        row, m = self.channels[record][outputs[record]], self.marginals[record]
        return _times((row[a] * m[b], row[b] * m[a]), (f[a], f[b]), (h[a], h[b]))

    def of_two(self, record: int, a: int, b: int) -> Ratio:
        """The largest ratio (1) for a `record` and its two states."""
        ends = self.left.ends[record][a], self.right.ends[len(self.channels) - 1 - record][a]
        sides = ((ray.vector[a], ray.vector[b]) for ray in ends)
        return _times(self.own(record, a, b)[0], *sides)

    def bound(self, record: int, a: int, b: int) -> Ratio:
        """What (1) is at most, by the enclosures."""
        after = len(self.channels) - 1 - record
        sides = self.left.bound(record, a, b), self.right.bound(after, a, b)
        return _times(self.own(record, a, b)[0], *sides)

    def best(self, record: int, a: int, b: int) -> Found:
        """The largest ratio (1) that is found for a `record` and two of its states."""
        after = len(self.channels) - 1 - record
        if len(self.left.start) == 2:
            left, right = self.left.end(record, a), self.right.end(after, a)
        else:
            left, right = self.left.best(record, a, b), self.right.best(after, a, b)
        factor, own = self.own(record, a, b)
        ratio, proved = _times(factor, left.ratio, right.ratio), left.proved and right.proved
        return Found(ratio, record, (a, b), left.word, own, right.word, proved)


def largest(sides: Sides, asked: Iterable[tuple[int, int, int]]) -> tuple[Ratio, list[Found]]:
    """What no ratio (1) exceeds, and the comparisons that prove it: the largest ratio first.

    sides  of every record
    asked  a record and two of its states each, at least one, both of positive probability
    """
    if len(sides.left.start) == 2:
        found = sides.best(*max(asked, key=lambda one: ORDER(sides.of_two(*one))))
        return found.ratio, [found]
    bounds = sorted(
        ((sides.bound(*one), one) for one in asked),
        key=lambda known: ORDER(known[0]),
        reverse=True,
    )
    proofs: list[Found] = []
    best = enough = (0, 1)
    for bound, one in bounds:
        if proofs and not exceeds(bound, best):
            break
        proofs.append(found := sides.best(*one))
        best = max(best, found.ratio, key=ORDER)
        if not found.proved:
            enough = max(best, bound, key=ORDER)
            break
        enough = best
    return enough, sorted(proofs, key=lambda found: ORDER(found.ratio), reverse=True)


def exceeds(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether a ratio exceeds an `other`; each has a numerator and a denominator, not both 0."""
    return one[0] * other[1] > other[0] * one[1]


def _compared(one: Sequence[int], other: Sequence[int]) -> int:
    return exceeds(one, other) - exceeds(other, one)


ORDER = cmp_to_key(_compared)


def push(matrix: Matrix, vector: Vector) -> Vector:
    """The product of a matrix and a vector."""
    return tuple([sum(map(mul, row, vector)) for row in matrix])


def pull(functional: Vector, matrix: Matrix) -> Vector:
    """The product of a row vector and a matrix."""
    return tuple([sum(map(mul, functional, column)) for column in zip(*matrix, strict=True)])


def highest(functional: Vector, corners: Iterable[Vector]) -> int:
    """The largest value of a functional at some corners."""
    reached: Iterator[int] = (sum(map(mul, functional, corner)) for corner in corners)
    return max(reached)


def around(vectors: Iterable[Vector], bits: int) -> list[Vector]:
    """The corners, whole numbers >= 0 of sum 2^bits, of a polytope around vectors scaled so.

    Each vector lies in a box of the grid within the simplex. Of three states this is the hull of
    all these boxes, a polygon; of more the least box around them.
    """
    one = 1 << bits
    boxes = [
        [(x // s, -(-x // s)) for x in line]
        for line, s in (([x << bits for x in v], sum(v)) for v in vectors)
    ]
    if len(boxes[0]) == 3:
        grid = {(x, y) for near in boxes for x, y, _ in box(near, one)}
        return [(x, y, one - x - y) for x, y in hull(sorted(grid))]
    around_all = [
        (min(low for low, _ in axis), max(high for _, high in axis))
        for axis in zip(*boxes, strict=True)
    ]
    return sorted(set(box(around_all, one)))


def box(ends: Sequence[tuple[int, int]], one: int) -> Iterator[Vector]:
    """The corners of a box within the points of a sum: all but one coordinate at an end.

    ends  of each coordinate, the lower one first
    one   the sum
    """
    for free, (low, high) in enumerate(ends):
        for chosen in product(*ends[:free], *ends[free + 1 :]):
            if low <= one - sum(chosen) <= high:
                yield (*chosen[:free], one - sum(chosen), *chosen[free:])


def hull(points: list[Point]) -> list[Point]:
    """The corners of the convex hull of ascending `points` (Andrew 1979)."""
    if len(points) < 3:
        return points
    lower, upper = _half(points), _half(points[::-1])
    return lower[:-1] + upper[:-1]


def _half(points: list[Point]) -> list[Point]:
    found: list[Point] = []
    for x, y in points:
        while len(found) > 1:
            (u, v), (s, t) = found[-2:]
            if (s - u) * (y - v) > (t - v) * (x - u):
                break
            found.pop()
        found.append((x, y))
    return found


def distinct(channel: Channel) -> dict[int, Vector]:
    """Output -> its row times one number, without zero rows and multiples of earlier ones."""
    found: dict[Vector, int] = {}
    rows = whole(channel)
    for output, row in enumerate(rows):
        if any(row):
            found.setdefault(reduced(row), output)
    return {output: rows[output] for output in found.values()}


def whole(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    """Rows of numbers times one that makes them integers, or polynomials of a parameter."""
    found = iter(exact.cleared([x for row in rows for x in row])[1])
    return tuple(tuple(islice(found, len(row))) for row in rows)


def _scaled(matrix: Matrix, row: Vector) -> Matrix:
    """The matrix times the diagonal matrix of a row."""
    return tuple(tuple(map(mul, line, row)) for line in matrix)


def reduced(vector: Vector) -> Vector:
    """A vector without the common divisor of its numbers, which are not all 0."""
    return tuple(exact.coprime(vector))


def _positive(vector: Vector) -> States:
    return States(state for state, x in enumerate(vector) if x)


def _reached(matrix: Matrix, states: States) -> States:
    return States(v for v, row in enumerate(matrix) if any(row[w] for w in states))


def _times(*ratios: Ratio) -> Ratio:
    return prod(top for top, _ in ratios), prod(bottom for _, bottom in ratios)
