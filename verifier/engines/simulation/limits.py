"""With delta > 0: whether some level serves a block at all, and the proof where none does.

As the level grows, what remains to be asked is that a simulator gives no more than delta to
outputs that are impossible in a situation, and leaves out no more than delta of those that are
possible. Let d be the smallest mass, in the worst situation, that a simulator gives to impossible
outputs. If d < delta, some level serves: mix in a little of every output. If d > delta, none does.
If d = delta, the simulators that keep to it have a largest support (averages add supports up), and
it decides. The dual of the program that finds it is strictly complementary, so that it also proves
which outputs no such simulator gives.

Example. A bit is told as it is, and a simulator sees nothing: two situations, P = (1, 0) and (0,
1). Whatever it says, it says something impossible with probability 1/2 in one of them. So d = 1/2:
no level serves for delta < 1/2, and every delta > 1/2 has one.

After Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definitions 2 to 5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verifier.engines.simulation.blocks import Block, Multipliers

ZERO, ONE = Fraction(0), Fraction(1)


def hopeless(block: Block, delta: Fraction) -> Multipliers | None:
    """Multipliers of a block with h > 0 at all levels; None where some level serves for delta."""
    if delta >= 1:
        return None
    least, weights = _least(block)
    # d < delta: mix in a little of every output, and a level is found
    if least < delta:
        return None
    if least > delta:
        return _against_impossible(block, weights, ONE)
    weights, given = _widest(block, delta)
    for g, row in enumerate(block.outputs):
        inputs = [a for a, _ in block.inputs[g]]
        left = [t for t, p in enumerate(row) if p and not any((a, t) in given for a in inputs)]
        if sum(row[t] for t in left) > delta * block.totals[g]:
            found = _against_impossible(block, weights, _factor(block, weights, g, left))
            for t in left:
                found[g, t] = ONE, found.get((g, t), (ZERO, ZERO))[1]
            return found
    return None


def _against_impossible(
    block: Block, weights: dict[int, Fraction], factor: Fraction
) -> Multipliers:
    """w = the weight of the situation wherever its probability is 0."""
    return {
        (g, t): (ZERO, factor * weight)
        for g, weight in weights.items()
        for t, p in enumerate(block.outputs[g])
        if not p
    }


def _costs(block: Block, weights: dict[int, Fraction]) -> list[list[Fraction]]:
    """Σ_g weight_g K_ga [P_gt = 0] for every input a and output t."""
    found = [[ZERO] * block.output_count for _ in range(block.input_count)]
    for g, weight in weights.items():
        impossible = [t for t, p in enumerate(block.outputs[g]) if not p]
        for a, k in block.inputs[g]:
            for t in impossible:
                found[a][t] += weight * k
    return found


def _factor(block: Block, weights: dict[int, Fraction], g: int, left: list[int]) -> Fraction:
    """How large w must be so that demanding the outputs `left` in situation g gains nothing."""
    costs = _costs(block, weights)
    needed = [k / (costs[a][t] - min(costs[a])) for a, k in block.inputs[g] for t in left]
    return max(needed, default=ONE)


def _rows(block: Block) -> tuple[int, list[Any]]:
    """The number of columns S_at, by input and output, which is the index of d too; the rows that
    Σ over impossible t of (K S)_gt <= d m_g for every situation g."""
    from verifier.lp import Row

    size, last = block.output_count, block.input_count * block.output_count
    rows = []
    for g, (row, inputs) in enumerate(zip(block.outputs, block.inputs, strict=True)):
        terms = {a * size + t: k for a, k in inputs for t in range(size) if not row[t]}
        rows.append(Row("", {**terms, last: -block.totals[g]}, "<=", 0))
    return last, rows


def _answers(block: Block) -> list[dict[int, int]]:
    """Σ_t S_at for every input a."""
    size = block.output_count
    return [dict.fromkeys(range(a * size, (a + 1) * size), 1) for a in range(block.input_count)]


def _weights(block: Block, multipliers: Any) -> dict[int, Fraction]:
    """The multipliers of the rows of the situations, which come first."""
    return {g: multipliers.fraction(g) for g in range(len(block.totals)) if multipliers.fraction(g)}


def _least(block: Block) -> tuple[Fraction, dict[int, Fraction]]:
    """The smallest d of a simulator, and weights of situations that prove it."""
    from verifier.lp import Optimal, Row, solve_rows

    last, rows = _rows(block)
    rows += [Row("", answer, "=", 1) for answer in _answers(block)]
    found = solve_rows(last + 1, rows, {last: -ONE})
    assert isinstance(found, Optimal)
    return -found.value, _weights(block, found.multipliers)


def _widest(block: Block, d: Fraction) -> tuple[dict[int, Fraction], set[tuple[int, int]]]:
    """Weights, and the (input, output) that some simulator with this smallest d gives.

    In multiples σ of simulators, which are as large as needed: S_at >= e_at, 0 <= e_at <= 1, and as
    many e_at as possible are 1. The others have a positive reduced cost.
    """
    from verifier.lp import Optimal, Row, solve_rows

    last, rows = _rows(block)
    rows = [Row("", {**row.terms, last: row.terms[last] * d}, row.sense, 0) for row in rows]
    rows += [Row("", {**answer, last: -1}, "=", 0) for answer in _answers(block)]
    rows += [Row("", {last + 1 + at: 1, at: -1}, "<=", 0) for at in range(last)]
    counted = range(last + 1, 2 * last + 1)
    gains = dict.fromkeys(counted, ONE)
    found = solve_rows(2 * last + 1, rows, gains, upper=dict.fromkeys(counted, 1))
    assert isinstance(found, Optimal)
    pairs = ((a, t) for a in range(block.input_count) for t in range(block.output_count))
    support = {pair for at, pair in enumerate(pairs) if found.point.numerators.get(at)}
    return _weights(block, found.multipliers), support
