"""Certificates of kind "boxes": comparisons of columns of which only ends are known.

The claim is about every matrix between a lower and an upper one whose columns sum to 1. It holds
for all where the upper ends of one column pass with the lower ends of the other. It holds for none
below a level where weights of some comparisons show that each matrix misses one of them: in a
column whose entries are between ends and sum to 1, the largest value of a linear function is found
by giving to the largest coefficients what is left.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from . import levels
from . import reading as read
from .document import Budget, afford, fields, index, indices, items, named_pair, need, prove
from .levels import Level
from .obligations import Block, Compared, compare_beliefs, hold, read_blocks
from .reading import CODES, ONE, ZERO, Case, Model, Table

Row = tuple[int, int, int]  # two of the columns that are compared, and an output
Weighted = Mapping[int, Fraction]  # worlds
GIVEN = ("list", "conditionals")


@dataclass(frozen=True)
class Box:
    """Ends of likelihoods, of the worlds and of what is compared.

    lower, upper  for each world the ends of the probabilities of all outputs
    columns       for each compared column the weights of the worlds that it mixes
    ends          the upper ends of the compared columns, then their lower ends
    blocks        which of them are compared
    names         their numbers by prior and secret; None where they belong to worlds
    """

    lower: Sequence[Sequence[Fraction]]
    upper: Sequence[Sequence[Fraction]]
    columns: Sequence[Weighted]
    ends: Table
    blocks: list[Block]
    names: Mapping[Any, int] | None

    @cached_property
    def size(self) -> int:
        """The number of compared columns."""
        return len(self.columns)

    def distances(self, i: int, j: int) -> set[Fraction]:
        """At which distances two columns are compared; none where they are not."""
        return {d for s, t, d in self.blocks if i != j and i in s and j in t}

    def most(self, gains: Mapping[int, Mapping[int, Fraction]]) -> Fraction:
        """The largest Σ gain · probability, for the gains of worlds and outputs."""
        return sum((self._most(w, own) for w, own in gains.items()), ZERO)

    def _most(self, world: int, gains: Mapping[int, Fraction]) -> Fraction:
        lower, upper = self.lower[world], self.upper[world]
        found, rest = ZERO, 1 - sum(lower, ZERO)
        for o in sorted(range(len(lower)), key=lambda o: gains.get(o, ZERO), reverse=True):
            more = min(rest, upper[o] - lower[o])
            found += gains.get(o, ZERO) * (lower[o] + more)
            rest -= more
        return found


def check_boxes(case: Case) -> bool:
    """Whether a `case` holds for every matrix of its box; raises where it holds for some only, or
    its witness does not prove what is said of the leakage."""
    asked = levels.claim(case.claim)
    need(type(asked.delta) is Fraction, "delta is rational")
    box = read_box(case.relation, case.model)
    near = {d for _, _, d in box.blocks} <= {ONE}
    need(near or not asked.delta, "with distances, delta is 0")
    low: Fraction | None = ONE
    if case.witness is not None:
        stated, listed = fields(case.witness, "lower rows")
        low, rows = None if stated is None else read.number(stated), _rows(listed, box)
        need(low is None or (type(low) is Fraction and low >= 1), "a level is at least 1")
        prove(_is_missed(box, rows, low, asked.delta), "some matrix may meet the comparisons")
    if asked.leakage is None:  # there is no upper bound
        prove(box.blocks and low, "nothing is said of the leakage")
        prove(asked.level.compare(low or ONE, ONE) > 0, "the level is not shown to be too small")
        return False

    def holds(level: Level) -> bool:
        return _holds(box, level, asked.delta)

    def needs(level: Level | None) -> bool:
        return low is None if level is None or low is None else level.compare(low, ONE) >= 0

    return asked.settle(not box.blocks, holds, needs, wide=True)


def read_box(relation: Any, model: Model) -> Box:
    """The ends that a `model` has, and what a `relation` compares of them."""
    upper, lower = model.ends
    prove(all(map(_reachable, lower, upper)), "no probabilities of sum 1 are between the ends")
    stacked = Table.of([*upper, *lower])
    if relation["rule"] != "secrets" or relation["priors"]["class"] not in GIVEN:
        blocks = read_blocks(relation, model, range(model.size))
        columns = [{w: ONE} for w in range(model.size)]
        return Box(lower, upper, columns, stacked, blocks, None)
    secrets, pairs = read.secrets(relation, model)
    beliefs = read.beliefs(relation["priors"], secrets, model.size, 20 * len(upper[0]))
    compared = compare_beliefs(beliefs, pairs, stacked)
    weights = [own[s] for own in beliefs for s in own]
    low_weights = [{w + model.size: x for w, x in own.items()} for own in weights]
    ends = [*stacked.mixed(weights).chances(), *stacked.mixed(low_weights).chances()]
    columns = [{w: Fraction(x, sum(own.values())) for w, x in own.items()} for own in weights]
    return Box(lower, upper, columns, Table.of(ends), compared.blocks, compared.names)


def _reachable(lower: Sequence[Fraction], upper: Sequence[Fraction]) -> bool:
    return all(a <= b for a, b in zip(lower, upper, strict=True)) and sum(lower) <= 1 <= sum(upper)


def _rows(listed: Any, box: Box) -> dict[Row, Fraction]:
    """The comparisons of a witness with their weights > 0; none stands twice."""
    found: dict[Row, Fraction] = {}
    budget = Budget()
    for row in items(listed):
        budget.spend(10 * len(box.blocks) + 10)
        if box.names is None:
            pair, output, weight = fields(row, "pair output weight")
            i, j = indices(pair, box.size)
        else:
            prior, pair, output, weight = fields(row, "prior pair output weight")
            i, j = (box.names[index(prior, CODES), name] for name in named_pair(pair))
        key = i, j, index(output, len(box.lower[0]))
        need(key not in found, "a comparison stands twice")
        found[key] = read.number(weight)
        need(type(found[key]) is Fraction and found[key] > 0, "a weight is rational and above 0")
        prove(box.distances(i, j), "the witness is no pair of the relation")
    need(found, "a witness has comparisons")
    return found


def _is_missed(
    box: Box, rows: Mapping[Row, Fraction], low: Fraction | None, delta: Fraction
) -> bool:
    """Whether each matrix misses one of the `rows` at each level below `low` (None: at all).

    With g(α) the largest Σ weight·(α·Q − P) + delta·Σ (the largest weight of each pair), it is
    enough that g(0) < 0 and g(low) <= 0: g is convex. At other distances one row stands alone.
    """
    gains: dict[int, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    heaviest: dict[tuple[int, int], Fraction] = {}
    for (i, j, o), weight in rows.items():
        heaviest[i, j] = max(weight, heaviest.get((i, j), ZERO))
        for w, x in box.columns[i].items():
            gains[w][o] -= weight * x
    slack = delta * sum(heaviest.values())
    afford(2 * len(box.lower[0]) * (len(gains) + sum(len(box.columns[j]) for _, j, _ in rows)))
    if box.most(gains) + slack >= 0:
        return False
    ends = box.ends.chances()
    if low is None:
        return not any(ends[j][o] for _, j, o in rows)
    distances = {d for i, j, _ in rows for d in box.distances(i, j)}
    if distances != {ONE}:
        ((i, j, o),) = rows
        p, q = ends[box.size + i][o], ends[j][o]
        return any(Level(low).compare(p, q, d) >= 0 for d in distances)
    for (_, j, o), weight in rows.items():
        for w, x in box.columns[j].items():
            gains[w][o] += low * weight * x
    return box.most(gains) + slack <= 0


def _holds(box: Box, level: Level, delta: Fraction) -> bool:
    """Whether the upper ends of one column pass with the lower ends of the other, wherever two are
    compared; of many columns also of one and the same."""
    if delta:
        return _holds_together(box, level.alpha or ONE, delta)
    moved: list[Block] = [(s, [t + box.size for t in right], d) for s, right, d in box.blocks]
    if hold(Compared(box.ends, moved), level, ZERO):
        return True
    alone: list[Block] = []
    afford(10 * sum(len(s) * len(t) for s, t, _ in box.blocks))
    for left, right, d in box.blocks:
        alone += (([i], [j + box.size for j in right if j != i], d) for i in left)
    return hold(Compared(box.ends, [block for block in alone if block[1]]), level, ZERO)


def _holds_together(box: Box, alpha: Fraction, delta: Fraction) -> bool:
    """Whether what the outputs of a column exceed `alpha` times the other one by is at most
    `delta`: the larger ones of its probabilities, or all of them but the lower ends of the rest."""
    unit, _ = box.ends.whole
    columns, (a, b) = box.ends.whole_columns(), alpha.as_integer_ratio()
    afford(sum(len(s) * len(t) for s, t, _ in box.blocks) * (50 + 2 * len(columns[0])))
    pairs = {(i, j) for s, t, _ in box.blocks for i, j in product(s, t) if i != j}

    def excess(upper: Sequence[int], lower: Sequence[int]) -> int:
        return sum(max(0, b * p - a * q) for p, q in zip(upper, lower, strict=True))

    for i, j in pairs:
        upper, lower, other = columns[i], columns[box.size + i], columns[box.size + j]
        rest = b * (unit - sum(lower))
        if min(excess(upper, other), rest + excess(lower, other)) > delta * b * unit:
            return False
    return True
