"""The probability of each output in each world, written out.

Syntax. `table: {outputs: [NAME, …], WORLD: [NUMBER, …], …}`

Options. Beside one row for each world, which sums to exactly 1; a row is a list in the order of the
outputs, or a mapping in which missing outputs have probability 0:
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

from fractions import Fraction

import numpy as np

from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import choice
from verifier.mechanisms import Context
from verifier.mechanisms._rows import check_row, row_for
from verifier.world.mechanism import Coder, Mechanism


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism whose matrix is written out.

    node     {outputs: [yes, no], world: [3/4, 1/4], …}
    context  the worlds, and what the file names

    Raises S103 where a row does not sum to 1, S104 outside [0, 1], S105 for outputs, S107 for
    unknown or missing worlds.
    """
    table = node.mapping(what="a table", needs="outputs")
    outputs = _outputs(table["outputs"])
    coder, space = Coder(), context.space
    codes = np.full((space.size, len(outputs)), -1, dtype=np.int64)
    for key, value in table.entries:
        if key.text != "outputs":
            world = space.index(key.text)
            if world is None:
                hint = space.suggestion(key.text)
                raise key.fail("S107", f"unknown world '{key.text}'", hint)
            codes[world] = [coder.code(p) for p in _row(key, value, outputs)]
    missing = np.flatnonzero(codes[:, 0] < 0)
    if len(missing):
        name = space.name(missing[0])
        hint = f"add {row_for(name, len(outputs), ':')}"
        raise node.fail("S107", f"the table has no row for world '{name}'", hint)
    return Mechanism.of(outputs, coder.values, codes.T)


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


def _row(key: Scalar, node: Node, outputs: dict[str, int]) -> list[Fraction | int]:
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
    row = [cell.number("a probability") if cell else 0 for cell in cells]
    places = [cell or node for cell in cells]
    check_row(f"row '{key.text}'", row, lambda at: places[at].fail, node.fail)
    return row
