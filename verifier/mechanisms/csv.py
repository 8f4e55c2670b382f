"""The probability of each output in each world, read from a file.

Syntax. `csv: PATH`

Options. None: the path starts at the folder of the spec file. The first line of the table is
`world,OUTPUT,OUTPUT,…`, each further line the name of a world and its probabilities, exactly one
line for each world. A name with a comma stands in quotes.

Example. With the file `weather.csv`

    world,dry,wet
    sun,4/5,1/5
    rain,1/4,3/4

the larger of the ratios is 3/4 against 1/5:

    worlds: [sun, rain]
    mechanism: {csv: weather.csv}
    checks:
      - differential_privacy: {exp_epsilon: 15/4, neighbours: all}
        leakage: 15/4
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from verifier.base import exact
from verifier.base.document import MAX_BYTES, UNPRINTABLE, Node, digest_of, nearby, open_regular
from verifier.base.errors import InputError, Place
from verifier.mechanisms import Context
from verifier.mechanisms._rows import Fail, check_row, row_for
from verifier.world.mechanism import Coder, Mechanism

MAX_TABLE = 8 * MAX_BYTES
LARGE = "write a program, or compose: of smaller tables"
RELATIVE = "a path starts at the folder of the spec file"
ADD_UP = "leave it out, and add its column to the other one's"


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism whose matrix a file holds.

    node     the path of the file
    context  the worlds, and what the file names

    Errors name the line and column of the table: S001, S011, S103 to S105, S107, S108.
    """
    path = context.folder / node.scalar("the path of a csv file").text
    try:
        with open_regular(path) as stream:
            data = stream.read(MAX_TABLE + 1)
        if len(data) > MAX_TABLE:
            raise node.fail("S011", f"'{path}' is larger than {MAX_TABLE} bytes", LARGE)
        context.files[node.scalar().text] = digest_of(data)
        return _read(io.StringIO(data.decode("utf-8-sig"), newline=""), path, context)
    except OSError as error:
        raise node.fail(
            "S001", f"cannot read '{path}': {error.strerror}", nearby(path) or RELATIVE
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise node.fail("S108", f"'{path}' is not a csv file: {error}") from None


def _read(stream: Iterator[str], path: Path, context: Context) -> Mechanism:
    lines, space = csv.reader(stream), context.space
    header = next(lines, [])
    outputs = [name.strip() for name in header[1:]]

    def fail_at(line: int, column: int) -> Fail:
        place = Place(str(path), line, column)
        return lambda code, message, hint="": InputError(code, message, place, hint=hint)

    if not outputs:
        hint = "write world,dry,wet in the first line, with the names of the outputs"
        raise fail_at(1, 1)("S105", "the first line names no outputs: world,<output>,…", hint)
    if len(set(outputs)) < len(outputs):
        raise fail_at(1, 1)("S105", "an output appears twice in the first line", ADD_UP)
    _check_text(header, fail_at(1, 1))
    coder = Coder()
    codes = np.full((space.size, len(outputs)), -1, dtype=np.int64)
    for cells in lines:
        if not cells:
            continue
        line = lines.line_num
        _check_text(cells, fail_at(line, 1))
        columns = np.cumsum([1, *(len(cell) + 1 for cell in cells)]).tolist()
        name = cells[0].strip()
        world = space.index(name)
        if world is None:
            hint = space.suggestion(name)
            raise fail_at(line, 1)("S107", f"unknown world '{name}'", hint)
        if codes[world, 0] >= 0:
            hint = "leave one of the two out"
            raise fail_at(line, 1)("S107", f"a second row for world '{name}'", hint)
        if len(cells) != len(header):
            said = f"{len(cells) - 1} probabilities for {len(outputs)} outputs"
            hint = f"write one for each of: {', '.join(outputs[:20])}"
            raise fail_at(line, 1)("S105", said, hint)
        row = [_number(cell, fail_at(line, columns[at + 1])) for at, cell in enumerate(cells[1:])]
        check_row(
            f"row '{name}'",
            row,
            lambda at, line=line, columns=columns: fail_at(line, columns[at + 1]),  # type: ignore[misc]
            fail_at(line, 1),
        )
        codes[world] = [coder.code(p) for p in row]
    missing = np.flatnonzero(codes[:, 0] < 0)
    if len(missing):
        name = space.name(missing[0])
        hint = f"add the line {row_for(name, len(outputs), ',')}"
        raise fail_at(lines.line_num, 1)("S107", f"no row for world '{name}'", hint)
    return Mechanism.of(outputs, coder.values, codes.T)


def _check_text(cells: list[str], fail: Fail) -> None:
    """Refuse (S004) a line with characters that are not text."""
    bad = UNPRINTABLE.search("".join(cells))
    if bad:
        raise fail("S004", f"the character U+{ord(bad[0]):04X} is not allowed")


def _number(cell: str, fail: Fail) -> Fraction:
    try:
        return exact.number(cell)
    except InputError as error:
        raise fail(error.code, error.message, error.hint) from None
