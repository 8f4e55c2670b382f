"""Cones around products of outputs of several runs, against all orders of outputs."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

from verifier.checker.cones import Cones, Vector

RUNS = 6
ENTRIES = [0, 1, 2, 3, 5, 7, 10**20 + 39, 10**20 + 40]


def drawn(random: Random, steps: int, width: int) -> list[list[Vector]]:
    """Likelihoods of two or three outputs of each step; hardly ever do two multisets say the same
    where none is 0 or stands twice."""
    entries = ENTRIES if random.random() < 0.5 else ENTRIES[3:]
    sizes = [random.choice([2, 3]) for _ in range(steps)]
    return [[[1, *random.choices(entries, k=width - 1)] for _ in range(n)] for n in sizes]


def likelihoods(steps: list[list[Vector]], runs: int) -> set[tuple[int, ...]]:
    orders = product(*(steps[run % len(steps)] for run in range(runs)))
    return {tuple(map(prod, zip(*rows, strict=True))) for rows in orders}


def gains_of(random: Random, vectors: set[tuple[int, ...]], width: int) -> list[int]:
    """Gains that are 0 at a vector or next to it, or any."""
    some = random.choice(sorted(vectors))
    if width == 2 and random.random() < 0.7:
        return [some[1] + random.choice([0, 0, 1, -1]), -some[0]]
    return [random.choice([-1, 0, 1, 1, 10**30, -3]) for _ in range(width)]


def test_what_is_so_of_all_outputs_is_so_in_the_cone() -> None:
    for seed in range(60):
        random = Random(seed)
        width = random.choice([1, 2, 2, 3, 3, 4])
        steps = drawn(random, random.choice([1, 1, 2]), width)
        cones, cone = Cones(width), [[1] * width]
        outputs = [cones.around(step) for step in steps]
        for run in range(RUNS):
            cone = cones.product(cone, outputs[run % len(steps)])
            every = likelihoods(steps, run + 1)
            for _ in range(10):
                gains = gains_of(random, every, width)
                signs = [
                    all(sum(g * x for g, x in zip(gains, v, strict=True)) >= 0 for v in vectors)
                    for vectors in (every, cone)
                ]
                assert signs[0] == signs[1], (seed, run, gains)


def test_corners_hold_all_vectors() -> None:
    """On each plane through two vectors of three numbers all are on one side if the corners are."""
    for seed in range(40):
        random = Random(seed)
        vectors = [[random.randint(0, 5), random.randint(0, 5), 1] for _ in range(7)]
        found = Cones(3).around(vectors)
        for (a, b, c), (d, e, f) in product(vectors, repeat=2):
            normal = [b * f - c * e, c * d - a * f, a * e - b * d]
            signs = [
                all(sum(g * x for g, x in zip(normal, v, strict=True)) >= 0 for v in listed)
                for listed in (vectors, found)
            ]
            assert signs[0] == signs[1], (seed, normal)
