"""Mechanisms whose probabilities are sums of products of events, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.cell import innermost
from verifier.base.errors import LimitReached
from verifier.noise.draws import Path
from verifier.noise.events import Event, events
from verifier.noise.names import renamed
from verifier.programs.front import total
from verifier.world.box import Box
from verifier.world.mechanism import CUT, Column, Mechanism, combinations, compress, intern
from verifier.world.noise import Chance, Enclosures, Noise, is_normal
from verifier.world.space import key_of, labelled, labels

Returned = tuple[Any, Path, int, Fraction]  # a value, its path, the block of worlds, a weight
Case = tuple[Any, Path | tuple[Event, ...], int, Fraction]  # the same, or events in given order


@dataclass(frozen=True)
class Chances:
    """What adds up to the probability of each value, in each block of worlds.

    outputs  the values, all different
    sums     the distinct chances, products of events with weights
    codes    shape (outputs, blocks): 1 + the place of the chance, 0 where there is none
    """

    outputs: list[Any]
    sums: list[Chance]
    codes: np.ndarray


def chances(cases: Iterable[Case], blocks: int) -> Chances:
    """The chances of what is returned in so many blocks of worlds."""
    values, paths, places, weights = zip(*cases, strict=True)
    value, path = (Column(*intern(found)) for found in (values, paths))
    denominator, shares = exact.in_integers(weights)
    block, weight = np.array(places, dtype=np.int64), np.array(shares, dtype=object)
    return counted(value, path, block, weight, denominator, blocks)


def counted(
    values: Column,
    paths: Column,
    places: np.ndarray,
    weights: np.ndarray,
    denominator: int,
    blocks: int,
) -> Chances:
    """The chances of `values` that are returned on `paths`, in some of so many `blocks`.

    places   shape (rows,): the blocks
    weights  shape (rows,): positive Python integers, over the `denominator`
    """
    known: dict[Path, tuple[Event, ...]] = {}

    def told(path: Path | tuple[Event, ...]) -> tuple[Event, ...]:
        """The events of a path, one list for all that differ in names."""
        if isinstance(path, tuple):
            return path
        own = renamed(path)
        if own not in known:
            known[own] = tuple(sorted(events(own), key=repr))
        return known[own]

    same: dict[Any, Any] = {}
    outputs, value = _distinct(values, lambda found: same.setdefault(key_of(found), found))
    products, product = _distinct(paths, told)
    parts = [(len(outputs), value), (blocks, places), (len(products), product)]
    (output, block, which), group = combinations(parts)
    totals, share = intern(total(weights, group, len(output)).tolist())
    shares = [Fraction(weight, denominator) for weight in totals]  # type: ignore[call-overload]
    (which, many), term = combinations([(len(products), which), (len(shares), share)])
    terms = [(products[i], shares[j]) for i, j in zip(which.tolist(), many.tolist(), strict=True)]
    starts = np.flatnonzero(np.diff(output * blocks + block, prepend=-1))
    listed, ends = term.tolist(), [*starts.tolist(), len(term)]
    sums: Any
    sums, place = intern(tuple(listed[low:high]) for low, high in pairwise(ends))
    codes = np.zeros((len(outputs), blocks), dtype=np.int64)
    codes[output[starts], block[starts]] = place.astype(np.int64) + 1
    return Chances(outputs, [frozenset(terms[i] for i in some) for some in sums], codes)


def _distinct(column: Column, key: Callable[[Any], Any]) -> tuple[list[Any], np.ndarray]:
    """For the values of a `column` that occur what they are by a key, and the codes of that."""
    present, codes = compress(column.codes, len(column.values))
    found, kinds = intern(key(column.values[code]) for code in present.tolist())
    return list(found), kinds[codes]


@dataclass(frozen=True)
class Frame:
    """What a mechanism is put together in.

    size    the number of blocks of worlds
    blocks  the block of each world
    order   key by which outputs are sorted
    """

    size: int
    blocks: np.ndarray
    order: Callable[[Any], Any]

    def mechanism(self, chances: Chances, notes: Sequence[str], known: str) -> Mechanism | Box:
        """The mechanism whose outputs have these `chances` in blocks of worlds; with normal draws
        the box in which it is.

        notes  what was merged, in words
        known  how much it says where it stands for real numbers
        """
        order = sorted(range(len(chances.outputs)), key=lambda i: self.order(chances.outputs[i]))
        found, matrix = [chances.outputs[i] for i in order], chances.codes[order]
        base, sums = real_base(), chances.sums
        if any(is_normal(event) for chance in sums for parts, _ in chance for event in parts):
            if base:
                raise LimitReached(f"normal draws stand beside ratios that are powers of {base}")
            if known and known != CUT:
                raise LimitReached("a real number is released beside comparisons of normal draws")
            return _box(labels(found), matrix, Enclosures.of(sums), notes).taken(self.blocks)
        noise = _noise(sums, base)
        possible = np.array([bool(value) for value in noise.values])
        kept = np.flatnonzero(possible[matrix].any(axis=1)).tolist()
        names = labelled([found[i] for i in kept])
        made = Mechanism.of(names, noise.values, matrix[kept], notes)
        return replace(made.taken(self.blocks), noise=None if base else noise, reals=known)


def real_base() -> str:
    """The real parameter of whose powers all ratios of noise are, or e to the power of it; ""
    without one."""
    here = innermost()
    return here.base if here is not None and here.base != "e" else ""


def _noise(sums: Sequence[Any], base: str) -> Noise:
    """The sums of events as numbers, which are functions of the `base` if there is one."""
    if base.startswith("e^"):
        return Noise.of(sums, base.removeprefix("e^"))
    noise = Noise.of(sums)
    if not base:
        return noise
    from verifier.base.rational_function import of_powers

    return replace(noise, values=tuple(of_powers(x, base) for x in noise.values))


def _box(outputs: Any, matrix: np.ndarray, noise: Enclosures, notes: Sequence[str]) -> Box:
    """The box of a matrix of numbers that are enclosed: 0, and then those of the noise."""
    ends = [(Fraction(0), Fraction(0)), *noise.ends]
    values = sorted({end for pair in ends for end in pair})
    place = {value: at for at, value in enumerate(values)}
    lower, upper = (np.array([place[pair[side]] for pair in ends])[matrix] for side in (0, 1))
    return Box(tuple(outputs), tuple(values), lower, upper, tuple(notes), noise)
