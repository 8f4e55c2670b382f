"""Families of linear programs whose answer is known by construction, or that are large.

Channels are matrices of integers over a common denominator: entry [o, w] is P(output o | world w).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.program import SIGNS, Program

KEEPS = (Fraction(3, 4), Fraction(9, 10), Fraction(99, 100))
MARGINS = (4, 6, 8, 10, 12, 15, 20, 25, 30)  # decimal places
Table = npt.NDArray[Any]
Line = tuple[
    Sequence[int] | Table, Sequence[int] | Table, str, int
]  # columns, entries, sense, right


@dataclass(frozen=True)
class Instance:
    """A program that asks for a feasible point, and whether there is one."""

    name: str
    program: Program
    feasible: bool


@dataclass(frozen=True)
class Odds:
    """A cone {x >= 0} of prior weights, and two functions whose largest ratio is wanted."""

    cone: Program
    above: list[int]
    below: list[int]


def program_of(lines: Sequence[Line], width: int) -> Program:
    """The program of these rows over columns >= 0, asking for a feasible point."""
    parts = [np.array(entries) for _, entries, _, _ in lines]
    kind = object if any(part.dtype == object for part in parts) else np.int64
    return Program(
        IntegerMatrix(
            (len(lines), width),
            np.cumsum([0, *(len(part) for part in parts)]),
            np.concatenate([np.asarray(columns, dtype=np.int64) for columns, _, _, _ in lines]),
            np.concatenate([part.astype(kind) for part in parts]),
        ),
        np.array([SIGNS[sense] for _, _, sense, _ in lines], dtype=np.int8),
        [right for _, _, _, right in lines],
        [0] * width,
    )


def response(bits: int, keep: Fraction) -> tuple[Table, int]:
    """Randomized response on every one of some bits: the channel, and its denominator."""
    stay, leave, denominator = _odds(keep)
    fits = denominator**bits < 2**62
    one = np.array([[stay, leave], [leave, stay]], dtype=np.int64 if fits else object)
    channel = one[:1, :1] * 0 + 1
    for _ in range(bits):
        channel = np.kron(channel, one)
    return channel, denominator**bits


def counted_response(bits: int, keep: Fraction) -> tuple[list[list[int]], int]:
    """Randomized response, where only the number of ones is seen: [j][i], from i to j ones."""
    stay, leave, denominator = _odds(keep)

    def column(ones: int) -> list[int]:
        counts = [1]  # coefficients of Π (leave + stay z)^ones · (stay + leave z)^(bits − ones)
        for bit in range(bits):
            zero, one = (leave, stay) if bit < ones else (stay, leave)
            before = [0, *counts]
            counts = [a * zero + b * one for a, b in zip([*counts, 0], before, strict=True)]
        return counts

    columns = [column(ones) for ones in range(bits + 1)]
    return [list(row) for row in zip(*columns, strict=True)], denominator**bits


def near_tie_cone(bits: int, keep: Fraction, places: int, sign: int) -> Instance:
    """Is M y = x for some y >= 0, where the only y has one entry sign · 10^-places?"""
    channel, _ = counted_response(bits, keep)
    random = Random(f"cone {bits} {keep} {places} {sign}")
    weights = [10**places * random.randint(0, 6) for _ in channel]
    weights[random.randrange(len(weights))] = sign
    columns = range(bits + 1)
    lines: list[Line] = []
    for row in channel:
        right = sum(entry * weight for entry, weight in zip(row, weights, strict=True))
        lines.append((columns, [10**places * entry for entry in row], "=", right))
    name = f"cone {bits} {keep} {sign}e-{places}"
    return Instance(name, program_of(lines, bits + 1), sign >= 0)


def near_tie_refinement(bits: int, keep: Fraction, places: int, sign: int) -> Instance:
    """Is B = X A for a stochastic X, where B keeps a bit with probability keep − sign·10^-places?
    The only X keeps bits with (B's + A's − 1) / (2 A's − 1), at most 1 unless the sign is −."""
    first = counted_response(bits, keep)
    second = counted_response(bits, keep - Fraction(sign, 10**places))
    name = f"refinement {bits} {keep} {sign}e-{places}"
    return Instance(name, refinement(first, second), sign >= 0)


def refinement(first: tuple[Any, int], second: tuple[Any, int]) -> Program:
    """Is B = X A for some X >= 0 with columns of sum 1? Its columns are X_11, X_12, …."""
    (a, a_scale), (b, b_scale) = first, second
    size, outputs = len(a), len(b)
    lines: list[Line] = []
    for i, world in product(range(outputs), range(len(a[0]))):
        entries = [int(a[j][world]) * b_scale for j in range(size)]
        lines.append((range(i * size, (i + 1) * size), entries, "=", int(b[i][world]) * a_scale))
    for j in range(size):
        lines.append((range(j, outputs * size, size), [1] * outputs, "=", 1))
    return program_of(lines, outputs * size)


def near_tie_odds(bits: int, keep: Fraction, places: int, sign: int) -> Instance:
    """Are odds of alpha (1 − sign · 10^-places) reached? The first bit is independent of the
    others, and an output that keeps it has odds of exactly alpha = keep / (1 − keep)."""
    size = 2**bits
    likelihoods = response(bits, keep)[0][-1].tolist()  # the output 1…1, by world
    half = size // 2  # worlds whose first bit is 0 come first
    level = keep / (1 - keep) * (1 - Fraction(sign, 10**places))
    weights = [-level.numerator * value for value in likelihoods[:half]]
    weights += [level.denominator * value for value in likelihoods[half:]]
    lines: list[Line] = [([rest, half + rest], [1, -1], "=", 0) for rest in range(half)]
    lines.append((range(size), np.array(weights, dtype=object), ">=", 0))
    lines.append((range(size), [1] * size, "=", 1))
    return Instance(f"odds {bits} {keep} {sign}e-{places}", program_of(lines, size), sign >= 0)


def near_ties() -> Iterator[Instance]:
    """All near ties: three families, sizes and keeps, margins to 1e-30, and exact ties."""
    margins = [*product(MARGINS, (1, -1)), (0, 0)]
    for (places, sign), keep in product(margins, KEEPS):
        for bits in (4, 8, 12):
            yield near_tie_cone(bits, keep, places, sign)
        for bits in (2, 4, 6):
            yield near_tie_refinement(bits, keep, places, sign)
            yield near_tie_odds(bits + 1, keep, places, sign)


def odds_over_marginals(bits: int, keep: Fraction = KEEPS[0], seed: int = 0) -> Odds:
    """Priors of 2^bits worlds with P(bit 0) = 2/5, every other bit and every pair of bits in a
    band; odds of bit 0 at one output of randomized response. The rows are dense."""
    random, worlds = Random(seed), _worlds(bits)
    lines = [_share(worlds[:, 0], 2, 5, "=")]
    for bit in range(1, bits):
        lines.append(_share(worlds[:, bit], random.randint(30, 60), 100, "<="))
        lines.append(_share(worlds[:, bit], random.randint(5, 25), 100, ">="))
    for i, j in combinations(range(bits), 2):
        both = worlds[:, i] & worlds[:, j]
        lines.append(_share(both, 30, 100, "<="))
        lines.append(_share(both, 7, 1000, ">="))
    return _odds_over(lines, worlds, keep, random)


def odds_over_sparse_bands(bits: int, keep: Fraction = KEEPS[0], seed: int = 0) -> Odds:
    """Priors where worlds that differ in one bit have weights within a factor from 2 to 5, on 3/2 ·
    2^bits pairs drawn at random; every bit in a band. Most rows have two entries."""
    random, worlds = Random(seed), _worlds(bits)
    pairs = [(w, w | 1 << bit) for bit in range(1, bits) for w in range(len(worlds))]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    lines: list[Line] = []
    for pair in random.sample(pairs, min(len(pairs), 3 * len(worlds) // 2)):
        factor = random.randint(20, 50)
        lines += [(pair, [-factor, 10], "<=", 0), (pair, [10, -factor], "<=", 0)]
    lines.append(_share(worlds[:, 0], 2, 5, "="))
    for bit in range(1, bits):
        lines.append(_share(worlds[:, bit], 70, 100, "<="))
        lines.append(_share(worlds[:, bit], 20, 100, ">="))
    return _odds_over(lines, worlds, keep, random)


def _odds(keep: Fraction) -> tuple[int, int, int]:
    return keep.numerator, keep.denominator - keep.numerator, keep.denominator


def _worlds(bits: int) -> Table:
    """All worlds as rows of bits."""
    return np.arange(2**bits)[:, None] >> np.arange(bits) & 1


def _share(inside: Table, part: int, whole: int, sense: str) -> Line:
    """The weight of some worlds against part/whole of all weight."""
    return np.arange(len(inside)), whole * inside - part, sense, 0


def _odds_over(lines: list[Line], worlds: Table, keep: Fraction, random: Random) -> Odds:
    """The ratio P(output, bit 0 is 1) / P(output, bit 0 is 0) for one output with bit 0 = 1."""
    stay, leave, _ = _odds(keep)
    bits = worlds.shape[1]
    output = np.array([1, *(random.randint(0, 1) for _ in range(bits - 1))])
    agreeing = (worlds == output).sum(axis=1).tolist()
    likelihoods = [stay**count * leave ** (bits - count) for count in agreeing]
    secret = worlds[:, 0].tolist()
    above = [value * bit for value, bit in zip(likelihoods, secret, strict=True)]
    below = [value * (1 - bit) for value, bit in zip(likelihoods, secret, strict=True)]
    return Odds(program_of(lines, len(worlds)), above, below)
