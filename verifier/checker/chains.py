"""Certificates of kind "chains": each record is answered by a channel of its own, and the values of
the records, which are the worlds of the model, follow Markov chains.

Given the value of record i, the outputs before it and those after it are independent. So

    P(o | X_i = a) / P(o | X_i = b) = C[o_i, a] / C[o_i, b] * f(a) m(b) / (f(b) m(a)) * h(a) / h(b)

where f(v) = P(outputs before i, X_i = v), h(v) = P(outputs after i | X_i = v), m(v) = P(X_i = v),
and the largest values of the three factors multiply. One more record multiplies f and h by a matrix
for each of its outputs. Here both sides are gone through again. With two values the vectors lie
between two extreme ones. With more they lie in a polytope around the images of the polytope before,
whose corners are rounded outwards; where that is too wide, the evidence has a word of outputs for
either side, and all other words are cut: e_a - x e_b, x the ratio of the word, is pulled through
the matrices, and is <= 0 on the polytope before a word is at its end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import gcd, prod
from operator import mul
from typing import Any

from . import levels
from . import reading as read
from .levels import Level
from .reading import Budget, Case, Model, need, prove

Vector = list[int]
Matrix = list[Vector]
Ratio = tuple[int, int]  # numerator and denominator; infinite where that is 0
Point = tuple[Any, Any]  # of the plane, of integers or of fractions
Step = dict[int, Matrix]  # output -> matrix
MOST_BITS = 2000
MOST_VALUES = 6  # of a record, unless there are two: a box has values * 2^(values - 1) corners


@dataclass
class Side:
    """The records on one side: the vector of no outputs, and a step for each, the far one first."""

    start: Vector
    steps: list[Step]
    bits: int
    budget: Budget

    def extremes(self) -> list[tuple[Vector, Vector]]:
        """Of two values, after each step: the vectors with the largest v[0] / v[1], v[1] / v[0]."""
        found = [(self.start, self.start)]
        for step in self.steps:
            self.budget.spend(20 * len(step) * (1 + max(found[-1][0]).bit_length() // 300))
            made = [v for m in step.values() for end in found[-1] if any(v := times(m, end))]
            first = last = made[0]
            for v in made:
                first = v if v[0] * first[1] > first[0] * v[1] else first
                last = v if v[1] * last[0] > last[1] * v[0] else last
            found.append((first, last))
        return found

    def polytopes(self) -> list[list[Vector]]:
        """After each step the corners of a polytope, of sum 2^bits, around all vectors."""
        found = [around([self.start], self.bits)]
        for step in self.steps:
            size = len(self.start)
            self.budget.spend((size**2 + 30) * len(step) * len(found[-1]) * (1 + self.bits // 60))
            made = [times(m, corner) for m in step.values() for corner in found[-1]]
            found.append(around([v for v in made if any(v)], self.bits))
        return found

    def reached(self, word: Sequence[int]) -> Vector:
        """The vector of a `word`, the nearest output first, of the first steps."""
        found = self.start
        for output, step in zip(reversed(word), self.steps[: len(word)], strict=True):
            self.budget.spend(len(found) ** 2 * (1 + max(found).bit_length() // 300))
            found = times(step[output], found)
        return found

    def is_largest(self, word: Any, level: int, a: int, b: int, corners: list[Any]) -> Ratio:
        """The ratio v[a] / v[b] of a `word` after `level` steps, where no other word exceeds it."""
        need(len(read.indices(word, read.CODES)) == level, "a word has an output for each record")
        v = self.reached(word)
        prove(v[a], "a word is impossible")
        functional = [0] * len(v)
        functional[a], functional[b] = v[b], -v[a]
        left = [(functional, level)] if v[b] else []
        while left:
            functional, at = left.pop()
            points = corners[at] if at else [self.start]
            longest = max(map(int.bit_length, functional))
            self.budget.spend(len(v) * len(points) * (1 + longest // 300))
            if max(sum(map(mul, functional, point)) for point in points) > 0:
                prove(at, "a word is not the worst one")
                left += [(_pulled(functional, m), at - 1) for m in self.steps[at - 1].values()]
        return v[a], v[b]


@dataclass
class Sides:
    """Both sides of all records under one chain, their channels, and P(X_i = v) up to a factor."""

    before: Side
    after: Side
    rows: list[Step]  # output -> its chance at each value, as a matrix of one row
    marginals: list[Vector]

    def compared(self, pairs: Any) -> Iterator[tuple[int, int, int]]:
        """A record and two of its values in both orders, where both are possible."""
        for i, m in enumerate(self.marginals):
            both = combinations(range(len(m)), 2) if pairs is None else pairs.get(i, ())
            yield from ((i, *p) for a, b in both if m[a] and m[b] for p in ((a, b), (b, a)))

    def own(self, i: int, a: int, b: int) -> Iterator[tuple[int, Ratio]]:
        """The outputs of a record, each with its ratio times m(b) / m(a)."""
        m = self.marginals[i]
        for output, (row,) in self.rows[i].items():
            yield output, (row[a] * m[b], row[b] * m[a])

    def largest_own(self, i: int, a: int, b: int) -> Ratio:
        """The largest of these ratios."""
        return _largest(ratio for _, ratio in self.own(i, a, b))

    def shown(self, i: int, a: int, b: int, outputs: Any) -> Ratio:
        """The ratio of `outputs`, one of each record."""
        need(len(read.indices(outputs, read.CODES)) == len(self.rows), "an output for each record")
        f, h = self.before.reached(outputs[:i][::-1]), self.after.reached(outputs[i + 1 :])
        found = _product([dict(self.own(i, a, b))[outputs[i]], (f[a], f[b]), (h[a], h[b])])
        prove(found[0], "the outputs of the witness are impossible")
        return found


def check_chains(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    need(asked.delta == 0, "delta is 0")
    pairs, chains = fields_of_chains(case.relation, case.model)
    worst, words, bits = read.fields(case.witness, "worst words bits")
    read.index(bits, MOST_BITS, low=8)
    channels = [
        rows_of(answers, case.model) for answers in read.items(case.model.parts["channels"])
    ]
    every = [_sides(chain, case.model, channels, bits) for chain in chains]
    empty = not any(True for sides in every for _ in sides.compared(pairs))
    reached = (1, 1) if worst is None else _shown(worst, every, pairs)

    def holds(level: Level) -> bool:
        bound: Any = level.alpha  # that of a leakage, which is rational
        listed = _words(words, every)
        return all(_within(bound, at, sides, pairs, listed) for at, sides in enumerate(every))

    def needs(level: Level | None) -> bool:
        if level is None:
            return reached[1] == 0
        bound: Any = level.alpha
        return not exceeds(bound.as_integer_ratio(), reached)

    if asked.leakage is None:
        enough = not reached[1] or asked.level.compare(Fraction(*reached), read.ONE) > 0
        prove(enough, "the witness does not violate the level")
        return False
    return asked.settle(empty, holds, needs, wide=True)


def fields_of_chains(relation: Any, model: Model) -> tuple[Any, list[Any]]:
    """Which values of records are compared, None for all of each record, by records; and the
    chains."""
    rule, listed, priors = read.fields(relation, "rule pairs priors")
    need(rule == "chains", "the rule is chains")
    chains = (
        worst(priors) if priors["class"] == "markov" else read.fields(priors, "class chains")[1]
    )
    need(read.items(chains) and priors["class"] in ("chains", "markov"), "there is a chain")
    if listed is None:
        return None, chains
    pairs: dict[int, list[tuple[int, int]]] = {}
    for i, a, b in read.items(listed, 3):
        read.index(i, len(model.parts["people"]))
        read.indices([a, b], model.size)
        need(a != b, "a pair is of two values")
        pairs.setdefault(i, []).append((a, b))
    return pairs, chains


def worst(priors: Any) -> list[Any]:
    """The worst stationary chain of two values whose transitions lie within intervals.

    The values change with probabilities a and b, at most 1 together. With one record more, a ratio
    x of likelihoods becomes ((1 - a) x + a) / (b x + 1 - b): it grows with x, and for x >= 1 falls
    with a and b. So the worst chain changes least; either direction is alike.
    """
    least, most = changes(priors)
    prove(sum(most) <= 1, "not the worst chain")
    initial, transition = of_changes(*least)
    return [{"initial": initial, "transition": transition}]


def changes(priors: Any) -> list[tuple[Fraction, Fraction]]:
    """The least and the largest probabilities of change of two values, in stationary chains whose
    transitions lie within intervals."""
    _, initial, rows = read.fields(priors, "class initial transition")
    need(initial == "stationary", "the chains are stationary")
    change = []
    for code, row in enumerate(read.items(rows, 2)):
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


def _sides(chain: Any, model: Model, channels: list[Step], bits: int) -> Sides:
    """Both sides of the records of a `model`, with these `channels`, under a `chain`."""
    initial, rows = read.fields(chain, "initial transition")
    size, budget = model.size, Budget()
    need(size <= MOST_VALUES, "a record has too many values")
    first = read.whole(read.distribution(initial, size, "an initial distribution"))[1]
    table = [read.distribution(row, size, "a row of transitions") for row in read.items(rows)]
    need(len(table) == size, "not one row for each value")
    _, flat = read.whole([p for row in table for p in row])
    onward = [flat[k : k + size] for k in range(0, len(flat), size)]
    back = [list(column) for column in zip(*onward, strict=True)]
    people, chosen = read.texts(model.parts["people"]), model.parts["chosen"]
    need(len(read.indices(chosen, len(channels))) == people, "a channel for each record")
    budget.spend((people + sum(map(len, channels))) * 10 * size**2)
    marginals = [first]
    for _ in range(people - 1):
        made = times(back, marginals[-1])
        budget.spend(size * max(made).bit_length() ** 2 // 3000)
        marginals.append(reduced(made))
    steps = [
        [{o: _scaled(matrix, row) for o, (row,) in channel.items()} for channel in channels]
        for matrix in (back, onward)
    ]
    return Sides(
        Side(first, [steps[0][k] for k in chosen[:-1]], bits, budget),
        Side([1] * size, [steps[1][k] for k in chosen[:0:-1]], bits, budget),
        [channels[k] for k in chosen],
        marginals,
    )


def rows_of(answers: Any, model: Model) -> Step:
    """The rows of a channel of one of the `answers` of a `model`, each times one number; without
    rows of zeros, and of those that are multiples of each other the first one."""
    ((outputs, values, columns, runs),) = [
        read.fields(answer, "outputs values columns runs") for answer in read.items(answers)
    ]
    need(read.index(runs, 2) == 1, "an answer is drawn once")
    parts = {"outputs": outputs, "values": values, "columns": columns}
    _, rows = Model({"worlds": model.parts["worlds"], **parts}).table.whole_rows()
    found: dict[tuple[int, ...], int] = {}
    for output, row in enumerate(rows):
        if any(row):
            found.setdefault(tuple(reduced(row)), output)
    return {output: [list(rows[output])] for output in found.values()}


def _shown(worst: Any, every: list[Sides], pairs: Any) -> Ratio:
    """The ratio that a witness attains."""
    prior, record, pair, outputs = read.fields(worst, "prior record pair outputs")
    sides = every[read.index(prior, len(every))]
    a, b = read.indices(pair, len(sides.before.start))
    read.index(record, len(sides.rows))
    prove((record, a, b) in set(sides.compared(pairs)), "the witness is not compared")
    return sides.shown(record, a, b, outputs)


def _words(words: Any, every: list[Sides]) -> dict[Any, tuple[Any, Any]]:
    """For a prior, a record and two of its values, the worst words before and after it."""
    found = {(p, i, a, b): (left, right) for p, i, a, b, left, right in read.items(words, 6)}
    need(len(found) == len(words), "words stand twice")
    for key in found:
        read.index(key[0], len(every))
        read.indices(list(key), read.CODES)
    return found


def _within(bound: Fraction, at: int, sides: Sides, pairs: Any, words: dict[Any, Any]) -> bool:
    """Whether all ratios under the prior numbered `at` are at most a `bound`."""
    two = len(sides.before.start) == 2
    side = _extremes(sides) if two else _enclosed(at, sides, words)
    limit = bound.as_integer_ratio()
    return not any(
        exceeds(_product([sides.largest_own(*one), *side(*one)]), limit)
        for one in sides.compared(pairs)
    )


Bounds = Callable[[int, int, int], Iterable[Ratio]]


def _extremes(sides: Sides) -> Bounds:
    before, after = sides.before.extremes(), sides.after.extremes()[::-1]
    return lambda i, a, b: [(v[a], v[b]) for v in (before[i][a], after[i][a])]


def _enclosed(at: int, sides: Sides, words: dict[Any, Any]) -> Bounds:
    before, after = sides.before.polytopes(), sides.after.polytopes()

    def bounds(i: int, a: int, b: int) -> Iterable[Ratio]:
        last = len(after) - 1 - i
        if (at, i, a, b) not in words:
            return [_highest(before[i], a, b), _highest(after[last], a, b)]
        left, right = words[at, i, a, b]
        return [
            sides.before.is_largest(left, i, a, b, before),
            sides.after.is_largest(right, last, a, b, after),
        ]

    return bounds


def _highest(corners: list[Vector], a: int, b: int) -> Ratio:
    """What v[a] / v[b] is at most between `corners`."""
    return _largest((v[a], v[b]) for v in corners)


def _largest(ratios: Iterable[Ratio]) -> Ratio:
    """The largest of some `ratios`; 0 / 0, of what is impossible, is none."""
    found = (0, 1)
    for ratio in ratios:
        found = ratio if exceeds(ratio, found) else found
    return found


def exceeds(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether a ratio, `one`, exceeds an `other`; each is a numerator and a denominator."""
    return one[0] * other[1] > other[0] * one[1]


def _product(ratios: Iterable[Ratio]) -> Ratio:
    tops, bottoms = zip(*ratios, strict=True)
    return prod(tops), prod(bottoms)


def times(matrix: Matrix, vector: Sequence[int]) -> Vector:
    """The product of a `matrix` and a `vector`."""
    return [sum(map(mul, row, vector)) for row in matrix]


def _pulled(functional: Vector, matrix: Matrix) -> Vector:
    return [sum(map(mul, functional, column)) for column in zip(*matrix, strict=True)]


def _scaled(matrix: Matrix, row: Vector) -> Matrix:
    return [list(map(mul, line, row)) for line in matrix]


def reduced(vector: Sequence[Any]) -> Vector:
    """A `vector`, not of zeros alone, without the common divisor of its numbers."""
    for x in vector:
        if read.is_other(x):
            found: Any = x.without_common(vector)
            return found  # type: ignore[no-any-return]
    parts: Vector = read.whole(vector)[1]
    common = gcd(*parts)
    return [x // common for x in parts]


def digits(vector: Iterable[int]) -> int:
    """How long the integers of a `vector` are; functions are paid for where they are used."""
    return max(x.bit_length() if type(x) is int else 0 for x in vector)


def around(vectors: list[Vector], bits: int) -> list[Vector]:
    """The corners, whole numbers >= 0 of sum 2^`bits`, of a polytope around `vectors` so scaled."""
    one = 1 << bits
    near = [[((x * one) // sum(v), -(-(x * one) // sum(v))) for x in v] for v in vectors]
    if len(near[0]) == 3:
        grid = {
            (x, y)
            for first, second, (low, high) in near
            for x, y in product(first, second)
            if low <= one - x - y <= high
        }
        return [[x, y, one - x - y] for x, y in hull(sorted(grid))]
    lows, highs = ([[side[k] for side in box] for box in near] for k in (0, 1))
    largest = zip(
        map(min, zip(*lows, strict=True)), map(max, zip(*highs, strict=True)), strict=True
    )
    return sorted(map(list, _corners(list(largest), one)))


def _corners(box: list[Ratio], one: int) -> set[tuple[int, ...]]:
    """The corners of a `box`, given by two ends of each number, within the points of sum `one`."""
    found = set()
    for free, (low, high) in enumerate(box):
        for chosen in product(*box[:free], *box[free + 1 :]):
            if low <= (rest := one - sum(chosen)) <= high:
                found.add((*chosen[:free], rest, *chosen[free:]))
    return found


def hull(points: list[Point]) -> list[Point]:
    """The corners of the hull of `points` of the plane, given in ascending order."""
    found: list[Point] = []
    for line in (points, points[::-1]):
        half: list[Point] = []
        for x, y in line:
            while len(half) > 1 and not _turns(half[-2], half[-1], (x, y)):
                half.pop()
            half.append((x, y))
        found += half
    return list(dict.fromkeys(found))


def _turns(p: Point, q: Point, r: Point) -> bool:
    return bool((q[0] - p[0]) * (r[1] - p[1]) > (q[1] - p[1]) * (r[0] - p[0]))
