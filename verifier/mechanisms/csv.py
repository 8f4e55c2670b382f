"""`csv`: the likelihood matrix from a file: a header with the outputs, then a row per world."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from verifier import exact
from verifier.document import UNPRINTABLE, Node, digest_of
from verifier.errors import InputError, Place
from verifier.mechanism import Coder, Mechanism
from verifier.mechanisms import Context
from verifier.mechanisms._rows import Fail, check_row


def read(node: Node, context: Context) -> Mechanism:
    """`csv: matrix.csv`, the path relative to the spec file.

    The first line is `world,<output>,<output>…`; every further line is a world's name and its
    probabilities. Errors name the line and column of the table.
    """
    path = context.folder / node.scalar("the path of a csv file").text
    if path.exists() and not path.is_file():
        raise node.fail("S001", f"cannot read '{path}': it is not a file")
    try:
        data = path.read_bytes()
        context.files[node.scalar().text] = digest_of(data)
        return _read(io.StringIO(data.decode("utf-8-sig"), newline=""), path, context)
    except OSError as error:
        raise node.fail("S001", f"cannot read '{path}': {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise node.fail("S108", f"'{path}' is not a csv file: {error}") from None


def _read(stream: Iterator[str], path: Path, context: Context) -> Mechanism:
    lines, space = csv.reader(stream), context.space
    header = next(lines, [])
    outputs = [name.strip() for name in header[1:]]

    def fail_at(line: int, column: int) -> Fail:
        return lambda code, message: InputError(code, message, Place(str(path), line, column))

    if not outputs:
        raise fail_at(1, 1)("S105", "the first line names no outputs: world,<output>,…")
    if len(set(outputs)) < len(outputs):
        raise fail_at(1, 1)("S105", "an output appears twice in the first line")
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
            raise fail_at(line, 1)("S107", f"unknown world '{name}'{space.suggestion(name)}")
        if codes[world, 0] >= 0:
            raise fail_at(line, 1)("S107", f"a second row for world '{name}'")
        if len(cells) != len(header):
            raise fail_at(line, 1)(
                "S105", f"{len(cells) - 1} probabilities for {len(outputs)} outputs"
            )
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
        raise fail_at(lines.line_num, 1)("S107", f"no row for world '{space.name(missing[0])}'")
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
        raise fail(error.code, error.message) from None
