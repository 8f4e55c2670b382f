"""The mechanism that a program with draws that are not clamped is: its paths, and their numbers.

Every output of every world has paths, each a conjunction of comparisons. Paths that differ only in
the names of their draws have one probability, which is found once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.noise.draws import NORMAL, Path
from verifier.programs.chances import Frame, Returned, chances, counted
from verifier.programs.compared import Compared, is_compared
from verifier.programs.cuts import Cut
from verifier.programs.front import PATH, Classes, Front, column_of
from verifier.programs.told import Row, Told, check_one_center, check_shapes, every_cell, in_cells
from verifier.world.box import Box
from verifier.world.language.axes import Cells
from verifier.world.language.unclamped import has_draw
from verifier.world.mechanism import CONE, PAIRS, Mechanism, Several, intern, told_as_one
from verifier.world.space import key_of


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
    frame = Frame(front.partition.size, front.partition.block[classes.of_world], order)
    values, paths = (column_of(front.values[name], front.size) for name in (output, PATH))
    if not any(map(has_draw, values.values)):
        weight, denominator = front.weight, front.denominator
        found = counted(values, paths, front.block, weight, denominator, frame.size)
        told(sorted(found.outputs, key=order))
        return frame.mechanism(found, [], "")
    weights = (Fraction(int(weight), front.denominator) for weight in front.weight)
    blocks = front.block.tolist()
    rows: list[Any] = list(zip(values.tolist(), paths.tolist(), blocks, weights, strict=True))
    if is_compared(rows):
        return Compared(rows, frame).mechanism()
    finite = _finite(rows, [Told.of(value) for value, _, _, _ in rows], frame, told)
    if not isinstance(finite, Mechanism) or not finite.reals:
        return finite
    return replace(finite, cutter=Cut(rows, frame).at)


def parts_of(
    front: Front, output: str, classes: Classes, order: Callable[[Any], Any]
) -> list[Mechanism | Box]:
    """The draws that numbers tell apart, such as steps of prefix sums, each as a mechanism of its
    own, and what else is returned; nothing where there are no two, or more than one state in some
    world. The arguments are those of `mechanism_of`."""
    values, paths = (column_of(front.values[n], front.size).tolist() for n in (output, PATH))
    rows: list[Returned] = [(value, paths[0], 0, Fraction(1)) for value in values]
    is_one = front.size == front.partition.size and not any(path.conditions for path in paths)
    if not is_one or not all(map(has_draw, values)) or is_compared(rows):
        return []
    each = [told for told in map(Told.of, values) if told is not None]
    axes = range(len(each[0].shape.axes))
    if len({told.shape for told in each}) > 1 or len(axes) < 2:
        return []
    rest = [key_of(told.told([ANY] * len(axes))) for told in each]
    parts: list[list[Any]] = [rest] if len({*rest}) > 1 else []
    parts += [[told.alone(at) for told in each] for at in axes]
    found = []
    for part in parts:
        kinds, place = intern(part)
        of_block = np.empty(front.size, dtype=np.int64)
        of_block[front.block] = place
        frame = Frame(len(kinds), of_block[front.partition.block[classes.of_world]], order)
        rows = [(kind, Path(), block, Fraction(1)) for block, kind in enumerate(kinds)]
        made = [kind if isinstance(kind, Told) else None for kind in kinds]
        found.append(_finite(rows, made, frame, lambda _: None))
    return found


def _finite(
    rows: list[Returned],
    made: list[Told | None],
    frame: Frame,
    told: Callable[..., None],
) -> Mechanism | Box:
    """The mechanism with finitely many outputs of what is returned, told apart as it is `made`."""
    expanded = _expanded([(value, path, block) for value, path, block, _ in rows], made)
    cases = (
        (value, path, block, weight * share)
        for (_, _, block, weight), cases in zip(rows, expanded.rows, strict=True)
        for value, path, share in cases
    )
    found = chances(cases, frame.size)
    told(sorted(found.outputs, key=frame.order))
    return frame.mechanism(found, expanded.notes, expanded.known)


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


def _expanded(rows: list[tuple[Any, Path, int]], made: list[Told | None]) -> Expanded:
    """The outputs of values in which draws may be, each with a path and a block of worlds: of each
    draw the cells of its axis.

    made  how these values are told apart
    """
    if not any(made):
        return Expanded([[(value, path, Fraction(1))] for value, path, _ in rows], [], "")
    check_shapes([value for value, _, _ in rows], made)
    cells = every_cell(filter(None, made))
    kinds = {some.axis.law.kind for some in cells.values() if not some.is_proportional}
    if NORMAL in kinds:
        check_one_center(made, [block for _, _, block in rows])
    known = PAIRS if NORMAL in kinds else CONE if kinds else ""
    pairs = [(value, path) for value, path, _ in rows]
    return Expanded(in_cells(pairs, made, cells), _notes(cells.values(), known), known)


def _notes(cells: Collection[Cells], known: str) -> list[str]:
    """What a reader of the outputs has to know."""
    merged = sorted({text for some in cells if some.is_proportional for text in some.merged})
    return [*told_as_one(merged), *(NOTES[known] if known else ())]


ANY = Several(0, "any")  # in place of a number that is told elsewhere
NOTES = {
    CONE: [
        "real numbers are released: 'near c' stands for the density at c, '≤c' and '≥c' "
        "for all numbers from c on"
    ],
    PAIRS: [
        "real numbers are released with normal noise: ratios have no bound where centers differ"
    ],
}
