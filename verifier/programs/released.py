"""The mechanism that a program with draws that are not clamped is: its paths, and their numbers.

Every output of every world has paths, each a conjunction of comparisons. Paths that differ only in
the names of their draws have one probability, which is found once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from verifier.base.cell import innermost
from verifier.base.errors import LimitReached
from verifier.noise.draws import NORMAL, Draw, Linear, Number, Path
from verifier.noise.events import Event, events
from verifier.programs.front import PATH, Classes, Front
from verifier.world.box import Box
from verifier.world.language.axes import Axis, Cells, apart, combination_output
from verifier.world.language.unclamped import CLAMP
from verifier.world.mechanism import CONE, PAIRS, Column, Mechanism, intern
from verifier.world.noise import Enclosures, Noise, is_normal
from verifier.world.reals import Released
from verifier.world.space import Failure, is_number, key_of, labelled, labels

MAX_RAW = 100_000
Place = tuple[int, ...]  # in a returned value: of the element, of its element, …
Chance = frozenset[tuple[tuple[Event, ...], Fraction]]  # products of events, and their weights


def mechanism_of(
    front: Front,
    output: str,
    classes: Classes,
    order: Callable[[Any], Any],
    told: Callable[..., None],
) -> Mechanism | Box | Released:
    """The mechanism whose states have returned; with normal draws the box in which it is.

    front    the states; the variable `output` holds what was returned
    classes  of the worlds
    order    key by which outputs are sorted
    told     is told what the outputs are
    """
    chances, notes, known = _chances(front, output)
    found = sorted({value for value, _ in chances}, key=order)
    told(found)
    sums, codes = intern(frozenset(chance.items()) for chance in chances.values())
    matrix = _placed(found, chances, codes.tolist(), front.partition.size)
    blocks = front.partition.block[classes.of_world]
    base = _base()
    if any(is_normal(event) for chance in sums for parts, _ in chance for event in parts):  # type: ignore[attr-defined]
        if base:
            raise LimitReached(f"normal draws stand beside ratios that are powers of {base}")
        if known:
            raise LimitReached("a real number is released beside comparisons of normal draws")
        enclosures = Enclosures.of(sums)  # type: ignore[arg-type]
        return _box(labels(found), matrix, enclosures, notes).taken(blocks)
    noise = _noise(sums, base)
    kept = [i for i, row in enumerate(matrix) if any(noise.values[c] for c in set(row.tolist()))]
    names = labelled([found[i] for i in kept])
    made = Mechanism.of(names, noise.values, matrix[kept], notes)
    made = replace(made, codes=made.codes[:, blocks], noise=None if base else noise)
    return Released(replace(made, reals=known)) if known else made


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
) -> tuple[dict[tuple[Any, int], dict[tuple[Event, ...], Fraction]], list[str], str]:
    """What adds up to the probability of each value, in each block of worlds that has it: products
    of events, with weights; what is noticed; and how much it says where it stands for numbers."""
    outputs, paths = (_values(front, name) for name in (output, PATH))
    made = _expanded(list(zip(outputs, paths, front.block.tolist(), strict=True)))
    found: dict[tuple[Any, int], dict[tuple[Event, ...], Fraction]] = defaultdict(
        lambda: defaultdict(Fraction)
    )
    known: dict[Path, tuple[Event, ...]] = {}
    same: dict[Any, Any] = {}
    for row, cases in enumerate(made.rows):
        weight = Fraction(int(front.weight[row]), front.denominator)
        for value, path, share in cases:
            if path not in known:
                known[path] = tuple(sorted(events(path), key=repr))
            value = same.setdefault(key_of(value), value)
            found[value, int(front.block[row])][known[path]] += weight * share
    return found, made.notes, made.known


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


Row = list[tuple[Any, Path, Fraction]]


@dataclass(frozen=True)
class Shape:
    """What returned values have in common that are told apart by the cells of their axes.

    pattern  a value with `REAL` or `WHOLE` in place of each number with draws
    axes     of the draws
    """

    pattern: Any
    axes: tuple[Axis, ...]


REAL, WHOLE = object(), object()


@dataclass(frozen=True)
class Told:
    """A returned value with draws in it.

    shape    what it has in common with others
    value    the same; the cells of axes stand in some `places`
    draws    of the axes
    centers  what is added to each, in its units
    rests    the fractions of units that are left
    """

    shape: Shape
    value: Any
    places: tuple[Place, ...]
    draws: tuple[Draw, ...]
    centers: tuple[Number, ...]
    rests: tuple[Number, ...]

    @classmethod
    def of(cls, value: Any) -> Told | None:
        """What a returned `value` is; None where no draw is in it."""
        raw = list(_raw(value))
        if not raw:
            return None
        found = apart([form for _, form in raw])
        assert found is not None  # `released` has seen to it
        made, pattern = value, value
        for place, form in raw:
            real = not all(draw.law.whole for draw, _ in form.terms)
            pattern = _replaced(pattern, place, REAL if real else WHOLE)
        for i, sums, constant in found.fixed:
            made = _replaced(made, raw[i][0], combination_output(sums, constant))
        parted = [a.parted(c) for a, c in zip(found.axes, found.centers, strict=True)]
        centers, rests = zip(*parted, strict=True)
        places = tuple(raw[axis.place][0] for axis in found.axes)
        return cls(Shape(pattern, found.axes), made, places, found.draws, centers, rests)

    def expanded(self, path: Path, cells: Sequence[Cells]) -> Iterator[tuple[Any, Path, Fraction]]:
        """The outputs of the value, and how each comes about."""
        every = zip(cells, self.draws, self.centers, strict=True)
        for choice in product(*(some.outputs(draw, center) for some, draw, center in every)):
            made = self.value
            for place, (label, _) in zip(self.places, choice, strict=True):
                made = _replaced(made, place, label)
            for ways in product(*(ways for _, ways in choice)):
                longer = path.plus(c for _, conditions in ways for c in conditions)
                if longer is not None:
                    yield made, longer, prod((weight for weight, _ in ways), start=Fraction(1))


@dataclass(frozen=True)
class Expanded:
    """What is released, without draws in it.

    rows   for each state its outputs with their paths, and how much of the path they are
    notes  what was merged, in words
    known  how much they say where they stand for real numbers
    """

    rows: list[Row]
    notes: list[str]
    known: str


def _expanded(rows: list[tuple[Any, Path, int]]) -> Expanded:
    """The outputs of values in which draws may be, each with a path and a block of worlds: of each
    draw the cells of its axis."""
    made = [Told.of(value) for value, _, _ in rows]
    if not any(made):
        return Expanded([[(value, path, Fraction(1))] for value, path, _ in rows], [], "")
    _check_shapes([value for value, _, _ in rows], made)
    cells = _cells(filter(None, made))
    kinds = {some.axis.law.kind for some in cells.values() if not some.is_proportional}
    if NORMAL in kinds:
        _check_one_center(made, [block for _, _, block in rows])
    known = PAIRS if NORMAL in kinds else CONE if kinds else ""
    pairs = [(value, path) for value, path, _ in rows]
    return Expanded(_in_cells(pairs, made, cells), _notes(cells.values(), known), known)


CellsOf = dict[Any, Cells]  # (shape, rests, the place of an axis) -> its cells


def _cells(made: Iterable[Told]) -> CellsOf:
    """The cells of each axis, around all centers that the values `made` have on it."""
    centers: dict[Any, list[Number]] = defaultdict(list)
    for each in made:
        for at, center in enumerate(each.centers):
            centers[each.shape, each.rests, at].append(center)
    return {
        (shape, rests, at): Cells.of(shape.axes[at], some, rests[at])
        for (shape, rests, at), some in centers.items()
    }


def _in_cells(
    pairs: Sequence[tuple[Any, Path]], made: Sequence[Told | None], cells: CellsOf
) -> list[Row]:
    """The outputs of each value and path; LimitReached where they are too many."""
    found: list[Row] = []
    total = 0
    for (value, path), one in zip(pairs, made, strict=True):
        if one is None:
            found.append([(value, path, Fraction(1))])
            continue
        own = [cells[one.shape, one.rests, at] for at in range(len(one.centers))]
        total += prod(len(some.ends) for some in own)
        if total > MAX_RAW:
            raise LimitReached(f"more than {MAX_RAW} outputs of draws released as they are")
        found.append(list(one.expanded(path, own)))
    return found


def _notes(cells: Collection[Cells], known: str) -> list[str]:
    """What a reader of the outputs has to know."""
    merged = sorted({text for some in cells if some.is_proportional for text in some.merged})
    notes = [f"merged, their rows are proportional: {', '.join(merged)}"] if merged else []
    return [*notes, *(NOTES[known] if known else ())]


NOTES = {
    CONE: [
        "real numbers are released: 'near c' stands for the density at c, '≤c' and '≥c' "
        "for all numbers from c on"
    ],
    PAIRS: [
        "real numbers are released with normal noise: ratios have no bound where centers differ"
    ],
}


def _check_shapes(values: Sequence[Any], made: Sequence[Told | None]) -> None:
    """Refuse values that may be equal without being told in the same way."""
    shapes = list(dict.fromkeys(one.shape for one in made if one))
    for i, shape in enumerate(shapes):
        for other in shapes[:i]:
            if _meet(shape.pattern, other.pattern):
                raise Failure("S323", "numbers with different noise are released at one place")
    plain = {key_of(value): value for value, one in zip(values, made, strict=True) if one is None}
    for value in plain.values():
        if any(_meet(value, shape.pattern) for shape in shapes):
            said = "what is released is a whole draw as it is on one path, a number on another"
            raise Failure("S318", said, CLAMP)


def _meet(a: Any, b: Any) -> bool:
    """Whether values of two patterns may be the same output."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_meet, a, b))
    if a in (REAL, WHOLE) and b in (REAL, WHOLE):
        return True
    if WHOLE in (a, b):
        return is_number(b if a is WHOLE else a)
    return REAL not in (a, b) and bool(key_of(a) == key_of(b))


def _check_one_center(made: Sequence[Told | None], blocks: Sequence[int]) -> None:
    """Refuse normal noise around several numbers in one world."""
    known: dict[Any, Any] = {}
    for one, block in zip(made, blocks, strict=True):
        if one and known.setdefault((one.shape, block), one.centers) != one.centers:
            raise LimitReached("normal noise is released around several numbers in one world")


def _raw(value: Any, at: Place = ()) -> Iterator[tuple[Place, Linear]]:
    """Where draws are in a returned value."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from _raw(item, (*at, i))
    elif isinstance(value, Linear):
        yield at, value


def _replaced(value: Any, at: Place, item: Any) -> Any:
    if not at:
        return item
    inner = _replaced(value[at[0]], at[1:], item)
    return (*value[: at[0]], inner, *value[at[0] + 1 :])
