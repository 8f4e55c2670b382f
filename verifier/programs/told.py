"""Returned values with draws in them, told apart by the cells of their axes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from verifier.base.errors import LimitReached
from verifier.noise.draws import Draw, Linear, Number, Path
from verifier.world.language.axes import Axis, Cells, Ways, apart, combination_output
from verifier.world.language.unclamped import CLAMP
from verifier.world.space import Failure, is_number, key_of

MAX_RAW = 100_000
Place = tuple[int, ...]  # in a returned value: of the element, of its element, …
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
        placed = list(raw(value))
        if not placed:
            return None
        found = apart([form for _, form in placed])
        assert found is not None  # `released` has seen to it
        made, pattern = value, value
        for place, form in placed:
            real = not all(draw.law.whole for draw, _ in form.terms)
            pattern = replaced(pattern, place, REAL if real else WHOLE)
        for i, sums, constant in found.fixed:
            made = replaced(made, placed[i][0], combination_output(sums, constant))
        parted = [a.parted(c) for a, c in zip(found.axes, found.centers, strict=True)]
        centers, rests = zip(*parted, strict=True)
        places = tuple(placed[axis.place][0] for axis in found.axes)
        return cls(Shape(pattern, found.axes), made, places, found.draws, centers, rests)

    def alone(self, at: int) -> Told:
        """What the draw of an axis, the one in this place, is told as by itself."""
        axis, one = self.shape.axes[at], slice(at, at + 1)
        shape = Shape(WHOLE if axis.law.whole else REAL, (axis,))
        own = self.draws[one], self.centers[one], self.rests[one]
        return Told(shape, None, ((),), *own)

    def expanded(
        self, path: Path, cells: Sequence[Cells | None]
    ) -> Iterator[tuple[tuple[Any, ...], Path, Fraction]]:
        """The outputs of each axis, None where it has no cells, and how they come about."""
        left: list[tuple[Any, Ways]] = [(None, [(Fraction(1), [])])]
        every = (
            left if some is None else some.outputs(draw, center)
            for some, draw, center in zip(cells, self.draws, self.centers, strict=True)
        )
        for choice in product(*every):
            labels = tuple(label for label, _ in choice)
            for ways in product(*(ways for _, ways in choice)):
                longer = path.plus(c for _, conditions in ways for c in conditions)
                if longer is not None:
                    yield labels, longer, prod((weight for weight, _ in ways), start=Fraction(1))

    def told(self, labels: Iterable[Any]) -> Any:
        """The value with the labels of its axes, of which some may be None, in their places."""
        made = self.value
        for place, label in zip(self.places, labels, strict=True):
            made = replaced(made, place, label)
        return made


CellsOf = dict[Any, Cells]  # (shape, rests, the place of an axis) -> its cells


def every_cell(made: Iterable[Told]) -> CellsOf:
    """The cells of each axis, around all centers that the values `made` have on it."""
    centers: dict[Any, list[Number]] = defaultdict(list)
    for each in made:
        for at, center in enumerate(each.centers):
            centers[each.shape, each.rests, at].append(center)
    return {
        (shape, rests, at): Cells.of(shape.axes[at], some, rests[at])
        for (shape, rests, at), some in centers.items()
    }


def cells_of(one: Told, cells: CellsOf) -> list[Cells]:
    """The cells of each axis of a value."""
    return [cells[one.shape, one.rests, at] for at in range(len(one.centers))]


def in_cells(
    pairs: Sequence[tuple[Any, Path]], made: Sequence[Told | None], cells: CellsOf
) -> list[Row]:
    """The outputs of each value and path; LimitReached where they are too many."""
    found: list[Row] = []
    total = 0
    for (value, path), one in zip(pairs, made, strict=True):
        if one is None:
            found.append([(value, path, Fraction(1))])
            continue
        own = cells_of(one, cells)
        total += prod(len(some.ends) for some in own)
        if total > MAX_RAW:
            raise LimitReached(f"more than {MAX_RAW} outputs of draws released as they are")
        cases = one.expanded(path, own)
        found.append([(one.told(labels), longer, share) for labels, longer, share in cases])
    return found


def check_shapes(values: Sequence[Any], made: Sequence[Told | None]) -> None:
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


def check_one_center(made: Sequence[Told | None], blocks: Sequence[int]) -> None:
    """Refuse normal noise around several numbers in one world."""
    known: dict[Any, Any] = {}
    for one, block in zip(made, blocks, strict=True):
        if one and known.setdefault((one.shape, block), one.centers) != one.centers:
            raise LimitReached("normal noise is released around several numbers in one world")


def raw(value: Any, at: Place = ()) -> Iterator[tuple[Place, Linear]]:
    """Where draws are in a returned value."""
    if isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from raw(item, (*at, i))
    elif isinstance(value, Linear):
        yield at, value


def replaced(value: Any, at: Place, item: Any) -> Any:
    if not at:
        return item
    inner = replaced(value[at[0]], at[1:], item)
    return (*value[: at[0]], inner, *value[at[0] + 1 :])
