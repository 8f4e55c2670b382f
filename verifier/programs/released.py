"""The mechanism that a program with draws that are not clamped is: its paths, and their numbers.

Every output of every world has paths, each a conjunction of comparisons. Paths that differ only in
the names of their draws have one probability, which is found once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verifier.noise.draws import NORMAL, Path
from verifier.programs.chances import Frame, chances, counted
from verifier.programs.compared import Compared, is_compared
from verifier.programs.cuts import Cut
from verifier.programs.front import PATH, Classes, Front, column_of
from verifier.programs.told import Row, Told, check_one_center, check_shapes, every_cell, in_cells
from verifier.world.box import Box
from verifier.world.language.axes import Cells
from verifier.world.language.unclamped import has_draw
from verifier.world.mechanism import CONE, PAIRS, Mechanism, told_as_one


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
    made = _expanded([(value, path, block) for value, path, block, _ in rows])
    cases = (
        (value, path, block, weight * share)
        for (_, _, block, weight), cases in zip(rows, made.rows, strict=True)
        for value, path, share in cases
    )
    found = chances(cases, frame.size)
    told(sorted(found.outputs, key=order))
    finite = frame.mechanism(found, made.notes, made.known)
    if not made.known:
        return finite
    assert isinstance(finite, Mechanism)
    return replace(finite, cutter=Cut(rows, frame).at)


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


NOTES = {
    CONE: [
        "real numbers are released: 'near c' stands for the density at c, '≤c' and '≥c' "
        "for all numbers from c on"
    ],
    PAIRS: [
        "real numbers are released with normal noise: ratios have no bound where centers differ"
    ],
}
