"""The probability of each output in each world, written out.

Syntax. `table: {outputs: [NAME, …], WORLD: [NUMBER, …], …}`

Options. Beside one row for each world, which sums to exactly 1; a row is a list in the order of the
outputs, or a mapping in which missing outputs have probability 0. In place of a number there may be
two ends, [lower, upper], where just an estimate is known; then a row has some numbers of sum 1
between its ends:
- `outputs`: the names of the outputs

Example. The larger of the ratios is 3/4 against 1/5.

    worlds: [sun, rain]
    mechanism:
      table:
        outputs: [dry, wet]
        sun: [4/5, 1/5]
        rain: {dry: 1/4, wet: 3/4}
    checks:
      - differential_privacy: {exp_epsilon: 15/4, neighbours: all}
        leakage: 15/4
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Map
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from verifier.base import exact
from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import choice
from verifier.mechanisms import Context
from verifier.mechanisms._rows import check_row, row_for
from verifier.world.mechanism import Coder, Mechanism

if TYPE_CHECKING:
    from verifier.world.box import Box, Interval


ZERO = Fraction(0)


def read(node: Node, context: Context) -> Mechanism | Box:
    """The mechanism whose matrix is written out; the box in which it is, where there are ends.

    node     {outputs: [yes, no], world: [3/4, 1/4], …}
    context  the worlds, and what the file names

    Raises S103 where a row does not sum to 1, S104 outside [0, 1], S105 for outputs, S107 for
    unknown or missing worlds, S118 for irrational ends, S119 where no numbers are between ends.
    """
    table = node.mapping(what="a table", needs="outputs")
    outputs = _outputs(table["outputs"])
    coder, space = Coder(), context.space
    codes = np.full((space.size, len(outputs)), -1, dtype=np.int64)
    estimated: dict[int, tuple[Node, list[Interval]]] = {}
    for key, value in table.entries:
        if key.text != "outputs":
            world = space.index(key.text)
            if world is None:
                hint = space.suggestion(key.text)
                raise key.fail("S107", f"unknown world '{key.text}'", hint)
            cells = _cells(key, value, outputs)
            if any(map(_is_estimate, cells)):
                estimated[world] = value, list(map(_ends, cells))
                codes[world] = 0
            else:
                codes[world] = [coder.code(p) for p in _row(key, value, cells)]
    missing = np.flatnonzero(codes[:, 0] < 0)
    if len(missing):
        name = space.name(missing[0])
        hint = f"add {row_for(name, len(outputs), ':')}"
        raise node.fail("S107", f"the table has no row for world '{name}'", hint)
    if estimated:
        return _box(node, outputs, coder.values, codes, estimated)
    return Mechanism.of(outputs, coder.values, codes.T)


def _box(
    node: Node,
    outputs: Iterable[str],
    values: list[Fraction],
    codes: np.ndarray,
    estimated: Map[int, tuple[Node, list[Interval]]],
) -> Box:
    """The box of rows of `values`, by their codes, and of those that are `estimated`."""
    from verifier.world.box import Box, tight

    if any(map(exact.is_irrational, values)):
        raise node.fail("S118", "beside estimates all probabilities are rational")
    columns = []
    for world, row in enumerate(codes.tolist()):
        if world in estimated:
            place, ends = estimated[world]
            columns.append(place.placed(partial(tight, ends)))
        else:
            columns.append([(values[code], values[code]) for code in row])
    return Box.of(outputs, columns)


def _is_estimate(cell: Node | None) -> bool:
    return isinstance(cell, Sequence) and len(cell.items) > 1


def _ends(cell: Node | None) -> Interval:
    """The ends of a probability: [lower, upper], or one number; 0 for nothing."""
    if cell is None:
        return ZERO, ZERO
    items = cell.items if isinstance(cell, Sequence) and _is_estimate(cell) else (cell, cell)
    if len(items) != 2:
        said = f"an estimate has two ends, [lower, upper], found {len(items)}"
        raise cell.fail("S119", said, "write [1/4, 1/2]")
    low, high = (item.rational("a probability") for item in items)
    for item, end in zip(items, (low, high), strict=True):
        if not 0 <= end <= 1:
            raise item.fail("S104", f"the probability {end} is not in [0, 1]", exact.share(end))
    if low > high:
        said = f"the lower end {low} is above the upper end {high}"
        raise cell.fail("S119", said, f"write [{high}, {low}]")
    return low, high


def _outputs(node: Node) -> dict[str, int]:
    """The place of each output."""
    outputs: dict[str, int] = {}
    for item in node.sequence("a list of outputs"):
        name = item.scalar("an output").text
        if name in outputs:
            hint = "leave it out, and add its probabilities to the other one's"
            raise item.fail("S105", f"the output '{name}' appears twice", hint)
        outputs[name] = len(outputs)
    if not outputs:
        raise node.fail("S105", "a mechanism needs at least one output", "write [dry, wet]")
    return outputs


def _cells(key: Scalar, node: Node, outputs: dict[str, int]) -> list[Node | None]:
    """What stands for each output; None for nothing."""
    if isinstance(node, Mapping):
        cells: list[Node | None] = [None] * len(outputs)
        for name, value in node.entries:
            if name.text not in outputs:
                hint = choice(name.text, outputs, "outputs")
                raise name.fail("S105", f"unknown output '{name.text}'", hint)
            cells[outputs[name.text]] = value
    else:
        cells = list(node.sequence("a list of probabilities").items)
        if len(cells) != len(outputs):
            said = f"row '{key.text}' has {len(cells)} entries for {len(outputs)} outputs"
            hint = f"write one for each of: {', '.join(list(outputs)[:20])}"
            raise node.fail("S105", said, hint)
    return cells


def _row(key: Scalar, node: Node, cells: list[Node | None]) -> list[Fraction | int]:
    row = [cell.number("a probability") if cell else 0 for cell in cells]
    places = [cell or node for cell in cells]
    check_row(f"row '{key.text}'", row, lambda at: places[at].fail, node.fail)
    return row
