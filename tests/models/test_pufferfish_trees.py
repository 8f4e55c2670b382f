"""Records that depend on each other as a tree: levels of model files by brute force."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import permutations, product
from math import prod

from tests.models.brute_force import INFINITE, Level
from tests.models.model_files import checks, confirm
from tests.models.test_pufferfish_chains import HALF, QUARTER, Rows, response

THIRD, EIGHTH = F(1, 3), F(1, 8)
Sets = Sequence[tuple[int, set[int], set[int]]]  # a record, and two sets of its values
VALUES: Sets = [(i, {a}, {b}) for i in range(4) for a, b in permutations(range(3), 2)]
STEPS = ((F(3, 4), EIGHTH, EIGHTH), (QUARTER, HALF, QUARTER), (EIGHTH, F(3, 8), HALF))


def leakage(
    initial: Sequence[F],
    above: Sequence[int | None],
    steps: Sequence[Rows],
    channels: Sequence[Rows],
    compared: Sets,
) -> Level:
    """The largest P(o | X_i in A) / P(o | X_i in B), from all worlds and outputs.

    above, steps  the parent of each record, and its transitions
    """
    chance = {
        world: prod(
            initial[v] if p is None else rows[world[p]][v]
            for v, p, rows in zip(world, above, steps, strict=True)
        )
        for world in product(range(3), repeat=len(channels))
    }
    worst = F(0)
    for outputs in product(*(range(len(channel)) for channel in channels)):
        joint = {
            world: p * prod(c[o][v] for c, o, v in zip(channels, outputs, world, strict=True))
            for world, p in chance.items()
            if p
        }
        for i, a, b in compared:
            mass = [sum(p for w, p in chance.items() if w[i] in s) for s in (a, b)]
            p, q = (sum(x for w, x in joint.items() if w[i] in s) for s in (a, b))
            if all(mass) and p:
                if not q:
                    return INFINITE
                worst = max(worst, F(p) / mass[0] / (F(q) / mass[1]))
    return worst


def test_four_people() -> None:
    told, family = [response(HALF, 3)] * 4, (HALF, QUARTER, QUARTER)
    several = [
        told[0],
        [[F(3, 4), HALF, QUARTER], [QUARTER, HALF, F(3, 4)]],
        [[F(1)] * 3],
        response(F(2, 3), 3),
    ]
    by_chance = ((HALF, HALF, F(0)),) * 3
    # p·STEPS = p: 2·p_0 = 2·p_1 + p_2, 4·p_1 = p_0 + 3·p_2
    still = (F(10, 23), F(7, 23), F(6, 23))
    assert still == tuple(sum(still[a] * STEPS[a][b] for a in range(3)) for b in range(3))
    stages = ((HALF, HALF, F(0)), (F(0), F(2, 3), THIRD), (F(0), F(0), F(1)))
    about_cat: Sets = [(2, {0}, {1, 2}), (2, {1, 2}, {0})]
    confirm(
        "pufferfish/tree-of-channels.yaml",
        leakage(family, (None, 0, 0, 2), [STEPS] * 4, told, VALUES),
        leakage(family, (None, 0, 0, 2), [STEPS] * 4, told, about_cat),
        leakage(still, (None, 0, 0, None), [STEPS, STEPS, by_chance, STEPS], several, VALUES),
        leakage((HALF, HALF, F(0)), (1, None, 1, 1), [stages] * 4, told, VALUES),
    )


def alike(record: int) -> tuple[F, F]:
    """P(all answers 0 | X_record = v) for v = 0, 1, where r1 is the parent of r2 and r3, and so
    on: the tree is cut into branches, walking away from the record."""

    def seen(one: int, origin: int, value: int) -> F:
        chance = F(3 - 2 * value, 4)
        for other in {one // 2, 2 * one, 2 * one + 1} - {origin}:
            if 1 <= other <= 127:
                chance *= F(3, 4) * seen(other, one, value) + F(1, 4) * seen(other, one, 1 - value)
        return chance

    return seen(record, 0, 0), seen(record, 0, 1)


def test_seven_generations() -> None:
    """The steps are the same in either direction, and like values follow each other: the answers
    that are all alike tell most."""
    (check,) = checks("pufferfish/tree-of-generations.yaml")
    low, high = map(F, check["leakage"])
    found = max(F(p) / q for p, q in (alike(record) for record in (1, 2, 4, 8, 16, 32, 64)))
    assert low < found < high
