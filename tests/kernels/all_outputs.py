"""What all outputs of a network tell about its records, from the definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations, product
from random import Random

from verifier.kernels.chains import Channel, Ratio, exceeds
from verifier.kernels.network import Asked
from verifier.world.network import Network

Pair = tuple[tuple[int, ...], tuple[int, ...]]  # two sets of values
PARTS = (0, 0, 1, 1, 2, 5, F(1, 3), F(10**10, 10**10 + 1), F(1, 10**30))


def distribution(draw: Random, size: int) -> tuple[F, ...]:
    weights = [F(draw.choice(PARTS)) for _ in range(size)]
    weights[draw.randrange(size)] += not any(weights)
    return tuple(weight / sum(weights) for weight in weights)


def sets(size: int) -> list[Pair]:
    every = [c for n in range(1, size) for c in combinations(range(size), n)]
    return [(a, b) for a in every for b in every if not set(a) & set(b)]


def by_all_outputs(
    tree: Network, channels: Sequence[Channel], pairs: Sequence[Pair]
) -> dict[Asked, Ratio]:
    """The largest P(o | X_i in A) / P(o | X_i in B) of pairs of sets, from the definition."""
    size, records = len(tree.initial), range(len(channels))
    found, worlds = dict[Asked, Ratio](), dict[tuple[int, ...], F]()
    for world in product(range(size), repeat=len(channels)):
        chance = F(1)
        for i, parent in enumerate(tree.parents):
            row = tree.initial if parent < 0 else tree.transitions[tree.chosen[i]][world[parent]]
            chance *= row[world[i]]
        worlds[world] = chance
    for outputs in product(*(range(len(channel)) for channel in channels)):
        joint = dict(worlds)
        for world in joint:
            for channel, output, value in zip(channels, outputs, world, strict=True):
                joint[world] *= channel[output][value]
        for i, (a, b) in product(records, pairs):
            mass, masses = (
                [sum(p for w, p in of.items() if w[i] in s) for s in (a, b)]
                for of in (joint, worlds)
            )
            if all(masses) and mass[0]:
                unit = F(mass[0]) * masses[1], F(mass[1]) * masses[0]
                ratio = (unit[0] / unit[1]).as_integer_ratio() if unit[1] else (1, 0)
                if exceeds(ratio, found.get((i, a, b), (0, 1))):
                    found[i, a, b] = ratio
    return found
