"""The peers: the same answers by plain loops, without engine or certificate.

python -m benchmarks.floors NAME     prints the processor seconds of the loop alone as JSON
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from time import process_time
from typing import Any

from benchmarks import digits


def response() -> tuple[bool, float]:
    """Eight bits: M[o, w] <= 3 M[o, w'] for every output and ordered pair of neighbours."""
    bits = 8
    truth, lie = Fraction(3, 4), Fraction(1, 4)
    worlds = range(2**bits)
    matrix = [
        [lie ** (o ^ w).bit_count() * truth ** (bits - (o ^ w).bit_count()) for w in worlds]
        for o in worlds
    ]
    started = process_time()
    holds = all(
        row[w] <= 3 * row[w ^ (1 << bit)] for row in matrix for w in worlds for bit in range(bits)
    )
    return holds, process_time() - started


def local() -> tuple[bool, float]:
    """A thousand bits: the largest ratio of each, the five largest, and two with delta."""
    truth, lie = Fraction(3, 4), Fraction(1, 4)
    started = process_time()
    ratios = sorted(max(truth / lie, lie / truth) for _ in range(1000))
    five = Fraction(1)
    for ratio in ratios[-5:]:
        five *= ratio
    once = [(truth, lie), (lie, truth)]
    pairs = [(p * r, q * s) for p, q in once for r, s in once]
    excess = sum(max(Fraction(0), p - 5 * q) for p, q in pairs)
    holds = ratios[-1] <= 3 and five <= 243 and excess <= Fraction(1, 4)
    return holds, process_time() - started


def floats() -> tuple[bool, float]:
    """Twelve bits in float64 arrays: what rounding saves."""
    import numpy as np

    bits = 12
    started = process_time()
    one, matrix = np.array([[0.75, 0.25], [0.25, 0.75]]), np.ones((1, 1))
    for _ in range(bits):
        matrix = np.kron(matrix, one)
    worlds = np.arange(2**bits)
    holds = all(
        bool((matrix <= 3 * (1 + 1e-9) * matrix[:, worlds ^ (1 << bit)]).all())
        for bit in range(bits)
    )
    return holds, process_time() - started


def sparse_vector() -> tuple[bool, float]:
    """The program by the formula a reader would write for it, then every comparison."""
    queries, clamp, level = 6, 12, 8
    started = process_time()
    half = Fraction(1, 2)
    noise = {z: half ** abs(z) / 3 for z in range(1 - clamp, clamp)}
    noise[clamp] = noise[-clamp] = half**clamp * 2 / 3
    above = {
        (answer, 1 + t): sum((p for z, p in noise.items() if answer + z >= 1 + t), Fraction(0))
        for answer in range(3)
        for t in noise
    }
    worlds = list(product(range(3), repeat=queries))

    def column(world: tuple[int, ...]) -> list[Fraction]:
        """The probability that the first "above" is at each place, and that there is none."""
        found = [Fraction(0)] * (queries + 1)
        for t, p in noise.items():
            for at, answer in enumerate(world):
                found[at] += p * above[answer, 1 + t]
                p *= 1 - above[answer, 1 + t]
            found[queries] += p
        return found

    columns = [column(world) for world in worlds]
    position = {world: at for at, world in enumerate(worlds)}
    close = {0: (0, 1), 1: (0, 1, 2), 2: (1, 2)}
    holds = True
    for world, mine in zip(worlds, columns, strict=True):
        for other in product(*(close[answer] for answer in world)):
            theirs = columns[position[other]]
            holds &= all(p <= level * q for p, q in zip(mine, theirs, strict=True))
    return holds, process_time() - started


def digits_sample() -> tuple[bool, float]:
    """The comparisons of 100 worlds, spread evenly, times 1000: the full loop would take hours."""
    rows, worlds = digits.rows(), digits.VALUES**digits.RECORDS
    steps = [digits.VALUES**record for record in range(digits.RECORDS)]
    sample = range(0, worlds, 1000)
    started = process_time()
    holds = all(
        row[w] <= digits.LEVEL * row[w + (value - w // step % digits.VALUES) * step]
        for row in rows
        for w in sample
        for step in steps
        for value in range(digits.VALUES)
    )
    return holds, (process_time() - started) * worlds / len(sample)


def chain() -> tuple[bool, float]:
    """A thousand bits of a chain: the two extreme likelihoods of either side in reduced fractions,
    from record to record, and the largest products."""
    one, n, level = Fraction(1), 1000, 11
    told = [(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))]
    onward = ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 4), Fraction(3, 4)))
    started = process_time()
    # from the stationary distribution 3/7, 4/7 the chain looks the same in either direction
    ends = [(one, one)]
    for _ in range(n - 1):
        moved = [
            (onward[1][0] * c + onward[1][1] * d * r) / (onward[0][0] * c + onward[0][1] * d * r)
            for c, d in told
            for r in ends[-1]
        ]
        ends.append((min(moved), max(moved)))
    holds = all(
        3 * ends[i][1] * ends[n - 1 - i][1] <= level
        and level * ends[i][0] * ends[n - 1 - i][0] >= 3
        for i in range(n)
    )
    return holds, process_time() - started


def points() -> tuple[bool, float]:
    """The middle one of three correlated records at 100,000 values of the truth p, each by itself:
    the largest ratio of the likelihoods of the 8 outputs. True if the pieces say the same."""
    from verifier import check

    (result,) = check("benchmarks/specs/region.yaml").results
    curve = result.answer.curve
    assert curve is not None
    values = [Fraction(1, 2) + Fraction(k, 200_002) for k in range(1, 100_001)]
    started = process_time()
    levels = [_middle(p) for p in values]
    taken = process_time() - started
    pieces = iter(curve.stretches)
    piece, same = next(pieces), True
    for p, level in zip(values, levels, strict=True):
        while not piece.interval.has(p):
            piece = next(pieces)
        same &= piece.at(p) == level and curve.region.has(p) == (level <= 3)
    return same, taken


def _middle(p: Fraction) -> Fraction:
    """The smallest level of the middle record of the stationary chain of the README."""
    start, moves = (Fraction(3, 7), Fraction(4, 7)), ((F23, 1 - F23), (F14, 1 - F14))
    told = [(p, 1 - p), (1 - p, p)]  # output, then value
    sides = []
    for bob in (0, 1):
        before = [start[a] * moves[a][bob] / start[bob] for a in (0, 1)]
        ann = [sum(before[a] * told[o][a] for a in (0, 1)) for o in (0, 1)]
        cat = [sum(moves[bob][c] * told[o][c] for c in (0, 1)) for o in (0, 1)]
        sides.append([x * told[o][bob] * y for x in ann for o in (0, 1) for y in cat])
    return max(max(x / y, y / x) for x, y in zip(*sides, strict=True))


F23, F14 = Fraction(2, 3), Fraction(1, 4)


def noise() -> tuple[bool, float]:
    """Ten queries of the sparse vector technique with Laplace noise: the 121 different integrals by
    quadrature with 20 digits, which proves nothing, and the largest ratio of each output."""
    import mpmath

    def integral(ones: int, zeros: int, last: int | None) -> Any:
        """That so many queries 1 and 0 are below the threshold, and the last one is not."""

        def below(x: Any) -> Any:
            return mpmath.exp(x / 4) / 2 if x < 0 else 1 - mpmath.exp(-x / 4) / 2

        def likely(x: Any) -> Any:
            found = mpmath.exp(-abs(x) / 2) / 4 * below(x) ** zeros * below(x - 1) ** ones
            return found if last is None else found * (1 - below(x - last))

        return mpmath.quad(likely, [-100, -20, 0, 1, 20, 100])

    started = process_time()
    with mpmath.workdps(20):
        worst = mpmath.mpf(1)
        for place in range(11):
            lasts = (0, 1) if place < 10 else (None,)
            row = [integral(k, place - k, last) for k in range(place + 1) for last in lasts]
            worst = max(worst, max(row) / min(row))
    return bool(worst < mpmath.e), process_time() - started


FLOORS: dict[str, Callable[[], tuple[bool, float]]] = {
    "response": response,
    "floats": floats,
    "local": local,
    "sparse-vector": sparse_vector,
    "digits": digits_sample,
    "chain": chain,
    "noise": noise,
    "points": points,
}

if __name__ == "__main__":
    answer, seconds = FLOORS[sys.argv[1]]()
    print(json.dumps({"holds": answer, "loop": seconds}))
