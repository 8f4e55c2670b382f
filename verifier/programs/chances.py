"""Mechanisms whose probabilities are sums of products of events, put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.cell import innermost
from verifier.base.errors import LimitReached
from verifier.noise.draws import Path
from verifier.noise.events import Event, events
from verifier.noise.names import renamed
from verifier.world.box import Box
from verifier.world.mechanism import CUT, Mechanism, intern
from verifier.world.noise import Enclosures, Noise, is_normal
from verifier.world.space import key_of, labelled, labels

Returned = tuple[Any, Path, int, Fraction]  # a value, its path, the block of worlds, a weight
Chances = dict[tuple[Any, int], dict[tuple[Event, ...], Fraction]]  # of a value in a block


def chances(cases: Iterable[Returned]) -> Chances:
    """What adds up to the probability of each value, in each block of worlds that has it: products
    of events, with weights."""
    found: Chances = defaultdict(lambda: defaultdict(Fraction))
    names: dict[Path, Path] = {}
    known: dict[Path, tuple[Event, ...]] = {}
    same: dict[Any, Any] = {}
    for value, path, block, weight in cases:
        if path not in names:
            names[path] = own = renamed(path)
            if own not in known:
                known[own] = tuple(sorted(events(own), key=repr))
        value = same.setdefault(key_of(value), value)
        found[value, block][known[names[path]]] += weight
    return found


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
        found = sorted({value for value, _ in chances}, key=self.order)
        sums, codes = intern(frozenset(chance.items()) for chance in chances.values())
        matrix = _placed(found, chances, codes.tolist(), self.size)
        base = _base()
        if any(is_normal(event) for chance in sums for parts, _ in chance for event in parts):  # type: ignore[attr-defined]
            if base:
                raise LimitReached(f"normal draws stand beside ratios that are powers of {base}")
            if known and known != CUT:
                raise LimitReached("a real number is released beside comparisons of normal draws")
            enclosures = Enclosures.of(sums)  # type: ignore[arg-type]
            return _box(labels(found), matrix, enclosures, notes).taken(self.blocks)
        noise = _noise(sums, base)
        kept = [
            i for i, row in enumerate(matrix) if any(noise.values[c] for c in set(row.tolist()))
        ]
        names = labelled([found[i] for i in kept])
        made = Mechanism.of(names, noise.values, matrix[kept], notes)
        return replace(made.taken(self.blocks), noise=None if base else noise, reals=known)


def _placed(
    outputs: Sequence[Any], chances: Iterable[tuple[Any, int]], codes: Sequence[int], blocks: int
) -> np.ndarray:
    """A matrix (outputs × blocks of worlds): 1 + the code of each chance, 0 where there is none."""
    place = {value: i for i, value in enumerate(outputs)}
    matrix = np.zeros((len(outputs), blocks), dtype=np.int64)
    for (value, block), code in zip(chances, codes, strict=True):
        matrix[place[value], block] = code + 1
    return matrix


def _base() -> str:
    """The real parameter of whose powers all ratios of noise are; "" without one."""
    here = innermost()
    return here.base if here is not None and here.base != "e" else ""


def _noise(sums: Sequence[Any], base: str) -> Noise:
    """The sums of events as numbers, which are functions of the `base` if there is one."""
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
