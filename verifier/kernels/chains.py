"""The worst words of outputs along a line of records, of which each depends on the one before it.

Every record answers by itself, by a channel of its own: X_i is the value of record i, o_i its
output, and C_i[o, v] the probability of output o for value v; T is the matrix of transitions. Given
X_i, the outputs before record i are independent of its own and those after it, so that, for values
a and b,

    P(o | X_i = a) / P(o | X_i = b) = m(b)/m(a) · w(a)/w(b) · d(a)/d(b)                     (1)

with w(v) = P(outputs before i, X_i = v), d(v) = P(outputs of i and after | X_i = v), m(v) =
P(X_i = v). Both factors have outputs of their own, and the largest values multiply. Both w and d
are made by matrices, one for each output: w = Tᵀ·diag(C[o])·w' and d = diag(C[o])·T·d'. A vector
counts up to scale; the vectors that words of outputs make span cones (`verifier.kernels.network`).

The worst word is found by following c = e_a − x·e_b inwards, x being the ratio of the best word so
far, until it grows no more (Dinkelbach 1967, On nonlinear fractional programming). It is the worst
one if its siblings are cut: c is nowhere positive on the cone that holds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import islice, product
from operator import mul
from typing import NamedTuple

from verifier.base import exact
from verifier.base.nouns import Later, dataclass
from verifier.world.network import Network

Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]
Channel = tuple[tuple[Fraction, ...], ...]  # for each output its probability in each state
States = frozenset[int]
Word = tuple[int, ...]  # outputs, the one of the nearest record first
Ratio = tuple[int, int]  # numerator, denominator; infinite where that is 0
MAX_NODES = 10_000  # words that are looked at before a search is given up
MAX_STATES = 6
MAX_ROUNDS = 10  # searches for a better word


class Best(NamedTuple):
    """The largest known ratio of a side, a word that has it, and whether no other exceeds it."""

    ratio: Ratio
    word: Word
    proved: bool


@dataclass(eq=False)
class Side(Later):
    """What the records on one side of a record say about it.

    start  the vector of no outputs
    steps  for each record, from the far end inwards, the matrix of each output
    cones  after each step vectors that span a cone around all vectors
    """

    start: Vector
    steps: Sequence[Mapping[int, Matrix]]
    cones: Sequence[Sequence[Vector]]

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
        """What v(a)/v(b) is at most after `level` steps, by the cone."""
        found = (0, 1)
        for vector in self.cones[level]:
            if any(ratio := (vector[a], vector[b])) and exceeds(ratio, found):
                found = ratio
        return found

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
            if highest(functional, self.cones[at]) <= 0:
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
        return tuple(places.get(state, 0) for state in range(len(self.cones[-1][0])))

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
        """The word of the outputs whose cones reach highest, taken one by one."""
        word = []
        for at in reversed(range(level)):
            pulled = {o: pull(functional, m) for o, m in self.steps[at].items()}
            output = max(pulled, key=lambda o: highest(pulled[o], self.cones[at]))
            functional = pulled[output]
            word.append(output)
        return tuple(word)


class Found(NamedTuple):
    """The ratio (1) of one record and pair, the outputs before it, and its own and those after it,
    both from it outwards."""

    ratio: Ratio
    record: int
    pair: tuple[int, int]
    left: Word
    right: Word
    proved: bool

    @property
    def outputs(self) -> Word:
        """One output for each record."""
        return (*reversed(self.left), *self.right)


@dataclass(frozen=True, eq=False)
class Sides(Later):
    """Both sides of every record of a line.

    left, right  the records before, and a record with those after it
    marginals    P(X_i = v) of each record, times one number
    """

    left: Side
    right: Side
    marginals: Sequence[Vector]

    def _times(self, record: int, a: int, b: int, left: Ratio, right: Ratio) -> Ratio:
        m = self.marginals[record]
        return m[b] * left[0] * right[0], m[a] * left[1] * right[1]

    def bound(self, record: int, a: int, b: int) -> Ratio:
        """What (1) is at most, by the cones."""
        left = self.left.bound(record, a, b)
        return self._times(record, a, b, left, self.right.bound(len(self.marginals) - record, a, b))

    def best(self, record: int, a: int, b: int) -> Found:
        """The largest ratio (1) that is found for a `record` and two of its values."""
        left = self.left.best(record, a, b)
        right = self.right.best(len(self.marginals) - record, a, b)
        ratio = self._times(record, a, b, left.ratio, right.ratio)
        return Found(ratio, record, (a, b), left.word, right.word, left.proved and right.proved)


def largest(sides: Sides, asked: Iterable[tuple[int, int, int]]) -> tuple[Ratio, list[Found]]:
    """What no ratio (1) exceeds, and the comparisons that prove it: the largest ratio first.

    sides  of every record
    asked  a record and two of its states each, at least one, both of positive probability
    """
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


def marginals_of(network: Network) -> list[Vector]:
    """P(X_i = v) of each record i of a `network`, times one number."""
    found = [*in_integers([network.initial])] * len(network.parents)
    onward = [tuple(zip(*in_integers(table), strict=True)) for table in network.transitions]
    for record in network.order:
        if (parent := network.parents[record]) >= 0:
            found[record] = reduced(push(onward[network.chosen[record]], found[parent]))
    return found


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


def distinct(channel: Channel) -> dict[int, Vector]:
    """Output -> its row times one number, without zero rows and multiples of earlier ones."""
    found: dict[Vector, int] = {}
    rows = in_integers(channel)
    for output, row in enumerate(rows):
        if any(row):
            found.setdefault(reduced(row), output)
    return {output: rows[output] for output in found.values()}


def in_integers(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    """Rows of numbers times one that makes them integers, or polynomials of a parameter."""
    found = iter(exact.cleared([x for row in rows for x in row])[1])
    return tuple(tuple(islice(found, len(row))) for row in rows)


def reduced(vector: Vector) -> Vector:
    """A vector without the common divisor of its numbers, which are not all 0."""
    return tuple(exact.coprime(vector))


def _positive(vector: Vector) -> States:
    return States(state for state, x in enumerate(vector) if x)


def _reached(matrix: Matrix, states: States) -> States:
    return States(v for v, row in enumerate(matrix) if any(row[w] for w in states))
