"""The mechanism that a program with draws that are not clamped is: its paths, and their numbers.

Every output of every world has paths, each a conjunction of comparisons. Paths that differ only in
the names of their draws have one probability, which is found once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from verifier.base.cell import innermost
from verifier.base.errors import LimitReached
from verifier.noise.draws import Condition, Law, Linear, Path
from verifier.noise.events import Event, events
from verifier.programs.front import PATH, Classes, Front
from verifier.world.box import Box
from verifier.world.language.unclamped import CLAMP, has_draw, minus
from verifier.world.mechanism import Column, Mechanism, Several, intern
from verifier.world.noise import Enclosures, Noise, is_normal
from verifier.world.space import Failure, key_of, labelled, labels

MAX_RAW = 100_000
Place = tuple[int, ...]  # in a returned value: of the element, of its element, …
Chance = frozenset[tuple[tuple[Event, ...], Fraction]]  # products of events, and their weights


@dataclass(frozen=True)
class Range:
    """What is released of a whole draw at one place: the outputs from `low` to `high`."""

    law: Law
    low: int
    high: int

    def values(self, form: Linear) -> Iterator[tuple[Any, list[Condition | bool]]]:
        """Each output, and what it says about a `form`."""
        for k in range(self.low, self.high + 1):
            least = [] if k == self.low else [Condition.of(form.plus(-k))]
            most = [] if k == self.high else [Condition.of(minus(k, form))]
            yield self.label(k), [*least, *most]

    def label(self, k: int) -> Any:
        """The name of an output."""
        if self.low == self.high:
            return Several(k, "any")
        sign = "≤" if k == self.low else "≥" if k == self.high else ""
        return Several(k, f"{sign}{k}") if sign else k


def mechanism_of(
    front: Front,
    output: str,
    classes: Classes,
    order: Callable[[Any], Any],
    told: Callable[..., None],
) -> Mechanism | Box:
    """The mechanism whose states have returned; with normal draws the box in which it is.

    front    the states; the variable `output` holds what was returned
    classes  of the worlds
    order    key by which outputs are sorted
    told     is told what the outputs are
    """
    chances, notes = _chances(front, output)
    found = sorted({value for value, _ in chances}, key=order)
    told(found)
    sums, codes = intern(frozenset(chance.items()) for chance in chances.values())
    matrix = _placed(found, chances, codes.tolist(), front.partition.size)
    blocks = front.partition.block[classes.of_world]
    base = _base()
    if any(is_normal(event) for chance in sums for parts, _ in chance for event in parts):  # type: ignore[attr-defined]
        if base:
            raise LimitReached(f"normal draws stand beside ratios that are powers of {base}")
        enclosures = Enclosures.of(sums)  # type: ignore[arg-type]
        return _box(labels(found), matrix, enclosures, notes).taken(blocks)
    noise = _noise(sums, base)
    kept = [i for i, row in enumerate(matrix) if any(noise.values[c] for c in set(row.tolist()))]
    names = labelled([found[i] for i in kept])
    made = Mechanism.of(names, noise.values, matrix[kept], notes)
    return replace(made, codes=made.codes[:, blocks], noise=None if base else noise)


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


def _chances(
    front: Front, output: str
) -> tuple[dict[tuple[Any, int], dict[tuple[Event, ...], Fraction]], list[str]]:
    """What adds up to the probability of each value, in each block of worlds that has it: products
    of events, with weights; and what is noticed."""
    outputs, paths = (_values(front, name) for name in (output, PATH))
    rows, notes = _without_raw(list(zip(outputs, paths, strict=True)))
    found: dict[tuple[Any, int], dict[tuple[Event, ...], Fraction]] = defaultdict(
        lambda: defaultdict(Fraction)
    )
    known: dict[Path, tuple[Event, ...]] = {}
    same: dict[Any, Any] = {}
    for row, cases in enumerate(rows):
        weight = Fraction(int(front.weight[row]), front.denominator)
        for value, path in cases:
            if path not in known:
                known[path] = tuple(sorted(events(path), key=repr))
            value = same.setdefault(key_of(value), value)
            found[value, int(front.block[row])][known[path]] += weight
    return found, notes


def _box(outputs: Any, matrix: np.ndarray, noise: Enclosures, notes: list[str]) -> Box:
    """The box of a matrix of numbers that are enclosed: 0, and then those of the noise."""
    ends = [(Fraction(0), Fraction(0)), *noise.ends]
    values = sorted({end for pair in ends for end in pair})
    place = {value: at for at, value in enumerate(values)}
    lower, upper = (np.array([place[pair[side]] for pair in ends])[matrix] for side in (0, 1))
    return Box(tuple(outputs), tuple(values), lower, upper, tuple(notes), noise)


def _values(front: Front, name: str) -> list[Any]:
    value = front.values[name]
    return value.tolist() if isinstance(value, Column) else [value] * front.size


Row = list[tuple[Any, Path]]


def _without_raw(rows: list[tuple[Any, Path]]) -> tuple[list[Row], list[str]]:
    """For each row its outputs with their paths: of a whole draw released as it is those between
    its smallest and largest center, and the rest in two; and what was merged, in words."""
    ranges: dict[tuple[Any, Place], Range] = {}
    for value, _ in rows:
        for at, form in _raw(value):
            key = _skeleton(value), at
            law, center = form.terms[0][0].law, int(form.constant)
            old = ranges.get(key, Range(law, center, center))
            if old.law != law:
                said = "whole draws with different ratios are released at one place as they are"
                raise Failure("S318", said, CLAMP)
            ranges[key] = Range(law, min(old.low, center), max(old.high, center))
    if not ranges:
        return [[row] for row in rows], []
    shapes = {shape for shape, _ in ranges}
    found = []
    for value, path in rows:
        if not has_draw(value) and any(_fits(value, shape) for shape in shapes):
            said = "what is released is a whole draw as it is on one path, a number on another"
            raise Failure("S318", said, CLAMP)
        found.append(list(_expanded(value, path, ranges)))
        if sum(map(len, found)) > MAX_RAW:
            raise LimitReached(f"more than {MAX_RAW} outputs of draws released as they are")
    merged = sorted(
        {
            f"outputs {text}"
            for item in ranges.values()
            for text in (f"≤ {item.low}", f"≥ {item.high}")
            if item.low < item.high
        }
        | {"all outputs" for item in ranges.values() if item.low == item.high}
    )
    return found, [f"merged, their rows are proportional: {', '.join(merged)}"]


def _expanded(value: Any, path: Path, ranges: dict[tuple[Any, Place], Range]) -> Iterator[Any]:
    shape, raw = _skeleton(value), list(_raw(value))
    for choice in product(*(ranges[shape, at].values(form) for at, form in raw)):
        made, longer = value, path
        for (at, _), (label, conditions) in zip(raw, choice, strict=True):
            made = _replaced(made, at, label)
            more = longer.plus(conditions)
            assert more is not None
            longer = more
        yield made, longer


def _raw(value: Any, at: Place = ()) -> Iterator[tuple[Place, Linear]]:
    """Where draws are in a returned value."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from _raw(item, (*at, i))
    elif isinstance(value, Linear):
        yield at, value


def _skeleton(value: Any) -> Any:
    """The value with None for each draw."""
    if isinstance(value, tuple):
        return tuple(map(_skeleton, value))
    return None if isinstance(value, Linear) else value


def _fits(value: Any, shape: Any) -> bool:
    """Whether a value is of a shape with whole numbers in the place of draws."""
    if isinstance(shape, tuple):
        alike = isinstance(value, tuple) and len(value) == len(shape)
        return alike and all(map(_fits, value, shape))
    return type(value) is int if shape is None else bool(value == shape)


def _replaced(value: Any, at: Place, item: Any) -> Any:
    if not at:
        return item
    inner = _replaced(value[at[0]], at[1:], item)
    return (*value[: at[0]], inner, *value[at[0] + 1 :])
