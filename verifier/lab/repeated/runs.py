"""Independent runs of mechanisms: exact likelihoods of their outputs, and what they leak.

The order of runs says nothing about the world, so k runs give a multiset of outputs, and world w
gives it a likelihood proportional to the product of M[o, w] over its outputs. With the
distributions p(w | s) of a prior, k runs leak the largest of

    Σ_w p(w | s) Π M[o, w]  /  Σ_w p(w | t) Π M[o, w].

Multisets with proportional likelihoods leak the same, so one of them is kept for each number of
runs: bits that are flipped at random have (k + 1)^n classes, not C(2^n + k - 1, k) multisets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm, log
from operator import mul

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.mechanism import Mechanism, one_of

MAX_ENTRIES = 10**7  # likelihoods of all classes of multisets together
FEW = 4  # runs without proportional multisets, after which none are looked for

Weights = Mapping[int, Fraction]  # world -> probability > 0
Vector = tuple[int, ...]  # likelihoods of a multiset by world, up to a factor
Path = tuple["Path", int, int] | None  # what came before, the last output, its place in the step


@dataclass(frozen=True, eq=False)
class Plan:
    """Which mechanism each run uses.

    mechanism  the only one, or the one that picks one of several at random and says which
    steps      the outputs of the first, second, … run, again and again
    """

    mechanism: Mechanism
    steps: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Case:
    """Two secrets under one prior, by its number and their names.

    weights  p(w | s) and p(w | t) times one integer, by class of worlds
    """

    prior: int
    pair: tuple[str, str]
    weights: tuple[Vector, Vector]


@dataclass(frozen=True)
class Worst:
    """The outputs that give the largest ratio, P(outputs | s) to P(outputs | t).

    ratio  None where infinite
    """

    ratio: Fraction | None
    prior: int
    pair: tuple[str, str]
    outputs: tuple[int, ...]


def planned(named: Sequence[tuple[str, Mechanism]], in_order: bool) -> Plan:
    """Mechanisms that are run in this order, again and again; or one of them each time."""
    mechanism = one_of(named)
    if not in_order:
        return Plan(mechanism, (tuple(range(len(mechanism.outputs))),))
    start, places = 0, {}
    for name, part in dict(named).items():
        places[name] = tuple(range(start, start + len(part.outputs)))
        start += len(part.outputs)
    return Plan(mechanism, tuple(places[name] for name, _ in named))


@dataclass(frozen=True, eq=False)
class Layer:
    """The multisets of so many outputs.

    logs   logarithms of their likelihoods, in floats (multisets, classes of worlds)
    found  the likelihoods of a multiset, by its number, up to a factor, and its outputs
    """

    logs: np.ndarray
    found: Callable[[int], tuple[Vector, Path]]


@dataclass(frozen=True)
class Table:
    """Likelihoods of the outputs of each step, by class of worlds, and who is compared.

    steps   for each step its rows, one of those that are proportional, with the first such output
    rows    output -> likelihoods, each class of worlds times its own unit
    scales  unit of all classes / unit of each
    """

    steps: Sequence[Sequence[tuple[Vector, int]]]
    rows: Sequence[Vector]
    scales: Vector
    cases: Sequence[Case]

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        steps: Sequence[Sequence[int]],
        priors: Sequence[Weights],
        pairs: Sequence[tuple[str, str]],
        secrets: Mapping[str, frozenset[int]],
    ) -> Table:
        """Worlds that no prior allows, or that no output tells apart, do not matter."""
        worlds = sorted({world for prior in priors for world in prior})
        columns = {world: mechanism.codes[:, world].tobytes() for world in worlds}
        first = {columns[world]: world for world in reversed(worlds)}
        place = {column: at for at, column in enumerate(first)}

        def weights(prior: Weights, secret: str) -> list[Fraction]:
            found = [Fraction(0)] * len(place)
            for world in secrets[secret] & prior.keys():
                found[place[columns[world]]] += prior[world]
            return found

        cases = []
        for number, prior in enumerate(priors):
            for pair in pairs:
                sides = [weights(prior, name) for name in pair]
                masses = [sum(side) for side in sides]
                if all(masses):
                    given = [[x / m for x in side] for side, m in zip(sides, masses, strict=True)]
                    (left, right), _ = in_integers(given)
                    cases.append(Case(number, pair, (left, right)))
        rows, scales = _scaled_rows(mechanism, list(first.values()))
        return cls([_distinct(rows, outputs) for outputs in steps], rows, scales, cases)

    def worst(self, layer: Layer, runs: int) -> Worst:
        """The largest ratio of some multisets of so many outputs; there are cases, and multisets.

        Sums of logarithms in floats, without differences of terms, find those that come close.
        """
        powers = [scale**runs for scale in self.scales]
        sides = [[list(map(mul, side, powers)) for side in case.weights] for case in self.cases]
        best, top, bottom = None, 0, 1
        for number, at in _closest(layer.logs, sides):
            vector, path = layer.found(at)
            a, b = (sum(map(mul, side, vector)) for side in sides[number])
            for p, q, ordered in ((a, b, True), (b, a, False)):
                if p * bottom > top * q:
                    top, bottom, best = p, q, (self.cases[number], ordered, path)
                    if not q:
                        return _worst(None, *best)
        assert best is not None
        return _worst(Fraction(top, bottom), *best)

    def extended(self, worst: Worst, step: int) -> Worst:
        """One more run with an output that is possible after those of an infinite ratio."""
        case = next(c for c in self.cases if c.prior == worst.prior and {*c.pair} == {*worst.pair})
        left: Sequence[int] = case.weights[case.pair.index(worst.pair[0])]
        for output in worst.outputs:
            left = list(map(mul, left, self.rows[output]))
        further = next(o for row, o in self.steps[step] if sum(map(mul, left, row)))
        return Worst(None, worst.prior, worst.pair, (*worst.outputs, further))


def _scaled_rows(mechanism: Mechanism, worlds: Sequence[int]) -> tuple[list[Vector], Vector]:
    """The likelihoods of each output in some worlds, each world times a unit of its own; and what
    makes of these units one."""
    chances = [[mechanism.probability(o, w) for o in range(len(mechanism.outputs))] for w in worlds]
    scaled = [in_integers([column]) for column in chances]
    rows = list(zip(*(column for (column,), _ in scaled), strict=True))
    unit = lcm(*(own for _, own in scaled))
    return rows, tuple(unit // own for _, own in scaled)


def _distinct(rows: Sequence[Vector], outputs: Sequence[int]) -> list[tuple[Vector, int]]:
    """The rows of possible outputs, of proportional ones one, with the first such output."""
    found: dict[Vector, int] = {}
    for output in outputs:
        if any(rows[output]):
            found.setdefault(_primitive(rows[output]), output)
    return list(found.items())


def alone(table: Table) -> list[Worst]:
    """The worst single output of each step."""
    return [table.worst(next(multisets([step], len(table.scales))), 1) for step in table.steps]


def leakages(table: Table, certain: Worst | None = None) -> Iterator[Worst]:
    """The worst outputs of 1, 2, 3, … runs; LimitReached where there are too many.

    certain  the fewest outputs with an infinite ratio, if they are known
    """
    runs, every = 0, multisets(table.steps, len(table.scales))
    while certain is None or runs + 1 < len(certain.outputs):
        runs += 1
        found = table.worst(next(every), runs)
        if found.ratio is None:
            certain = found
        yield found
    while True:
        if runs >= len(certain.outputs):
            certain = table.extended(certain, runs % len(table.steps))
        runs += 1
        yield certain


def multisets(steps: Sequence[Sequence[tuple[Vector, int]]], size: int) -> Iterator[Layer]:
    """The multisets of outputs of 1, 2, 3, … runs: one for each class of proportional likelihoods.

    Where all runs are alike outputs come in their order; of proportional multisets the one that
    ends earliest is kept, since it can be continued like all the others. If none are proportional
    for a few runs they are taken as they come: that costs nothing but time.
    """
    layer: dict[Vector, Path] = {(1,) * size: None}
    alike, merging, entries, runs = len(steps) == 1, True, 0, 0
    while merging:
        rows = steps[runs % len(steps)]
        following: dict[Vector, Path] = {}
        made = 0
        for vector, path in layer.items():
            start = path[2] if alike and path else 0
            made += len(rows) - start
            for place in range(start, len(rows)):
                product = _primitive(tuple(map(mul, vector, rows[place][0])))
                known = following.get(product)
                if known is None or place < known[2]:
                    following[product] = path, rows[place][1], place
            _afford(entries + len(following) * size, runs + 1)
        runs += 1
        merging = runs < FEW or len(following) < made
        following.pop((0,) * size, None)
        entries += len(following) * size
        layer = following
        yield Layer(_logarithms(list(layer)), list(layer.items()).__getitem__)
    yield from _as_they_come(steps, layer, runs, entries)


def _afford(entries: int, runs: int) -> None:
    if entries > MAX_ENTRIES:
        raise LimitReached(f"{runs} runs have too many multisets of outputs")


def _as_they_come(
    steps: Sequence[Sequence[tuple[Vector, int]]],
    layer: Mapping[Vector, Path],
    runs: int,
    entries: int,
) -> Iterator[Layer]:
    """The multisets of more than so many `runs`, each from one of a run less and the place of its
    last output. Likelihoods are multiplied where they are asked for, before the next layer is."""
    first, logs, alike = list(layer.items()), _logarithms(list(layer)), len(steps) == 1
    places = np.array([path[2] if path else 0 for _, path in first], dtype=int)
    parts: list[tuple[Sequence[tuple[Vector, int]], np.ndarray, np.ndarray]] = []

    def found(at: int) -> tuple[Vector, Path]:
        lasts = []
        for rows, before, places in reversed(parts):
            lasts.append((*rows[places[at]], int(places[at])))
            at = before[at]
        vector, path = first[at]
        for row, output, place in reversed(lasts):
            vector, path = tuple(map(mul, vector, row)), (path, output, place)
        return vector, path

    while True:
        rows = steps[runs % len(steps)]
        starts = places if alike else np.zeros(len(logs), dtype=int)
        runs, counts = runs + 1, len(rows) - starts
        _afford(entries + int(counts.sum()) * logs.shape[1], runs)
        before = np.repeat(np.arange(len(logs)), counts)
        places = np.arange(len(before)) - (np.cumsum(counts) - counts - starts)[before]
        logs = logs[before] + _logarithms([row for row, _ in rows])[places]
        possible = np.isfinite(logs).any(axis=1)
        before, places, logs = before[possible], places[possible], logs[possible]
        entries += logs.size
        parts.append((rows, before, places))
        yield Layer(logs, found)


def in_integers(rows: Sequence[Sequence[Fraction]]) -> tuple[list[Vector], int]:
    """Rows times their common denominator, and that."""
    unit = lcm(*(x.denominator for row in rows for x in row))
    return [tuple(x.numerator * (unit // x.denominator) for x in row) for row in rows], unit


def _closest(logs: np.ndarray, sides: Sequence[Sequence[Sequence[int]]]) -> list[tuple[int, int]]:
    """The numbers of sides and multiset whose ratio of sums may be the largest, either way up."""
    weights = [_logarithms(pair) for pair in sides]
    finite = [part[np.isfinite(part)] for part in (logs, *weights)]
    margin = 1e-12 * (1 + max(float(np.abs(part).max(initial=0)) for part in finite))
    top, found = -inf, []
    for number, pair in enumerate(weights):
        left, right = (_sums(logs + side) for side in pair)
        with np.errstate(invalid="ignore"):  # where both sides are impossible
            gaps = np.nan_to_num(np.abs(left - right), nan=-inf, posinf=inf, neginf=-inf)
        top = max(top, float(gaps.max()))
        found += [(number, at, gaps[at]) for at in np.flatnonzero(gaps >= top - margin).tolist()]
    return [(number, at) for number, at, gap in found if gap >= top - margin]


def _sums(logs: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of each row, of which `logs` are the logarithms."""
    largest = np.maximum(logs.max(axis=1), np.finfo(float).min)  # a row may be impossible
    with np.errstate(divide="ignore", under="ignore"):
        found: np.ndarray = largest + np.log(np.exp(logs - largest[:, None]).sum(axis=1))
    return found


def _logarithms(vectors: Sequence[Sequence[int]]) -> np.ndarray:
    try:
        with np.errstate(divide="ignore"):
            found: np.ndarray = np.log(np.array(vectors, dtype=float))
            return found
    except OverflowError:
        return np.array([[log(x) if x else -inf for x in vector] for vector in vectors])


def _primitive(vector: Vector) -> Vector:
    """A vector divided by the greatest common divisor."""
    factor = gcd(*vector)
    return vector if factor <= 1 else tuple([x // factor for x in vector])


def _worst(ratio: Fraction | None, case: Case, ordered: bool, path: Path) -> Worst:
    outputs: list[int] = []
    while path is not None:
        path, output, _ = path
        outputs.append(output)
    pair = case.pair if ordered else (case.pair[1], case.pair[0])
    return Worst(ratio, case.prior, pair, tuple(reversed(outputs)))
