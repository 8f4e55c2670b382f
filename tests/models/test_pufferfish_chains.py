"""Records that follow a Markov chain: levels of model files by brute force, and by plain floats."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import pairwise, permutations, product
from math import prod

import pytest

from tests.models.brute_force import INFINITE, Level
from tests.models.model_files import checks, confirm

Rows = Sequence[Sequence[F]]  # of a channel: for each output its probability for each value
HALF, THIRD, QUARTER = F(1, 2), F(1, 3), F(1, 4)
STEPS = ((F(2, 3), THIRD), (QUARTER, F(3, 4)))
STATIONARY, FIFTH = (F(3, 7), F(4, 7)), (F(1, 5), F(4, 5))


def response(truth: F, values: int = 2) -> Rows:
    """Randomized response: the value itself, or each other one alike."""
    other = (1 - truth) / (values - 1)
    return [[truth if o == v else other for v in range(values)] for o in range(values)]


def leakage(initial: Sequence[F], steps: Rows, channels: Sequence[Rows]) -> Level:
    """The largest P(o | X_i = a) / P(o | X_i = b), from all worlds and outputs."""
    count, size = len(channels), len(initial)
    chance = {
        world: initial[world[0]] * prod(steps[a][b] for a, b in pairwise(world))
        for world in product(range(size), repeat=count)
    }
    worst = F(0)
    for outputs in product(*(range(len(channel)) for channel in channels)):
        joint = {
            world: p * prod(c[o][v] for c, o, v in zip(channels, outputs, world, strict=True))
            for world, p in chance.items()
            if p
        }
        for i, (a, b) in product(range(count), permutations(range(size), 2)):
            mass = [sum(p for w, p in chance.items() if w[i] == v) for v in (a, b)]
            p, q = (sum(x for w, x in joint.items() if w[i] == v) for v in (a, b))
            if all(mass) and p:
                if not q:
                    return INFINITE
                worst = max(worst, F(p / mass[0]) / F(q / mass[1]))
    return worst


SEVERAL = [
    response(F(3, 4)),
    [[HALF, QUARTER], [THIRD, QUARTER], [F(1, 6), HALF]],
    [[F(1), F(1)]],
    response(F(2, 3)),
]
CONTAGION = (
    (HALF, THIRD, F(1, 6)),
    ((F(7, 10), F(1, 5), F(1, 10)), (F(1, 9), F(7, 9), F(1, 9)), (F(1, 5), F(1, 7), F(23, 35))),
)
STAGES = (
    (HALF, HALF, F(0)),
    ((HALF, HALF, F(0)), (F(0), F(2, 3), THIRD), (F(0), F(0), F(1))),
)


def found(initial: Sequence[float], n: int) -> float:
    """The largest leakage of n bits told with probability 3/4, in floats: of each side the
    likelihoods of all words that matter, which are those of equal outputs."""
    marginals = [initial]
    for _ in range(n - 1):
        p, q = marginals[-1]
        marginals.append((p * 2 / 3 + q / 4, p / 3 + q * 3 / 4))
    told = {0: (0.75, 0.25), 1: (0.25, 0.75)}
    worst = 0.0
    for output, i in product((0, 1), range(n)):
        c, after, before = told[output], (1.0, 1.0), initial
        for _ in range(n - 1 - i):
            x, y = c[0] * after[0], c[1] * after[1]
            after = ((2 * x + y) / 3, (x + 3 * y) / 4)
            after = (after[0] / sum(after), after[1] / sum(after))
        for _ in range(i):
            x, y = c[0] * before[0], c[1] * before[1]
            before = (x * 2 / 3 + y / 4, x / 3 + y * 3 / 4)
            before = (before[0] / sum(before), before[1] / sum(before))
        m, own = marginals[i], 3 if output == 0 else 1 / 3
        ratio = own * after[0] / after[1] * before[0] / before[1] * m[1] / m[0]
        worst = max(worst, ratio, 1 / ratio)
    return worst


def test_bits() -> None:
    told = [response(F(3, 4))] * 4
    confirm(
        "pufferfish/chain-of-channels.yaml",
        leakage(STATIONARY, STEPS, told),
        leakage(FIFTH, STEPS, told),
        max(leakage(initial, STEPS, SEVERAL) for initial in (STATIONARY, FIFTH)),
        leakage((HALF, HALF), ((HALF, HALF), (F(0), F(1))), told),
    )


def test_three_values() -> None:
    told = [response(HALF, 3)] * 4
    file = "pufferfish/chain-of-three-values.yaml"
    confirm(file, leakage(*CONTAGION, told), leakage(*STAGES, told))


def test_a_thousand_people() -> None:
    first, second = checks("pufferfish/chain-of-a-thousand.yaml")
    low, high = map(float, first["leakage"])
    assert low < found((3 / 7, 4 / 7), 1000) < high < float(first["pufferfish"]["exp_epsilon"])
    assert found((3 / 7, 4 / 7), 3) == pytest.approx(196 / 27)
    assert second["leakage"] == "3"  # of one record: 3/4 against 1/4
