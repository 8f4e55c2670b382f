"""A Python function gives the probabilities of the outputs in each world.

Syntax. `python: {file: PATH, function: NAME}`, only with `--allow-python`

Options. Both are needed:
- `file`: the path of the Python file, from the folder of the spec file
- `function`: the function's name. It gets a world: its name for named worlds, otherwise a dict from
  record to value (to a dict of attributes; None where absent), numbers as int or Fraction. It
  returns a dict from outputs to int, Fraction or text; floats are refused

The function runs as an untrusted guest: two processes, shut in as far as the system can, are asked;
what comes back is text of bounded size, read through the same doors as any file, and must agree.

Example. With the file `noise.py`

    def noise(world):
        return {0: "3/4", 1: "1/4"} if world["ann"] == 0 else {0: "1/4", 1: "3/4"}

this is randomized response with truth 3/4:

    worlds: {records: [ann], domain: [0, 1]}
    mechanism: {python: {file: noise.py, function: noise}}
    checks:
      - differential_privacy: {exp_epsilon: 3}
        leakage: 3
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from fractions import Fraction
from io import BytesIO

import numpy as np

from verifier.base import document, exact
from verifier.base.document import UNPRINTABLE, Node, digest_of
from verifier.base.errors import InputError, LimitReached
from verifier.mechanisms import Context, _guests
from verifier.mechanisms._guests import Ended
from verifier.mechanisms._rows import check_row
from verifier.world.mechanism import Coder, Mechanism
from verifier.world.worlds import WorldSpace

MAX_OUTPUTS = 2 * 10**6  # over all worlds together
MAX_ENTRIES = 10**8  # of the matrix
LONGEST = 2**16  # characters of a line: a label, or a probability

Row = dict[str, Fraction]


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that a Python function is; it runs as a guest.

    node     {file: noise.py, function: noise}
    context  the worlds, and what the file names

    Raises InputError S111 where Python code is not allowed, S112 where the function fails, S113
    where it answers differently when asked again; LimitReached.
    """
    options = node.mapping(("file", "function"), needs="file function")
    if not context.allow_python:
        raise node.fail("S111", "running Python code needs --allow-python on the command line")
    file = context.folder / options["file"].scalar("a path").text
    function = options["function"].scalar("a name").text
    if not file.is_file():
        raise options["file"].fail("S001", f"cannot read '{file}'")
    data, space = document.read_bytes(file), context.space
    context.files[options["file"].scalar().text] = digest_of(data)
    task = {
        "file": str(file),
        "source": document.decode(data, str(file)),
        "function": function,
        "worlds": [_world(space, world) for world in range(space.size)],
    }
    try:
        ended = _guests.ask(task)
    except OSError as error:
        raise LimitReached(f"the Python function cannot be run: {error.strerror}") from None
    rows, again = [*_rows(node, ended[0], space)], _rows(node, ended[1], space)
    for world, row in zip(reversed(range(space.size)), again, strict=True):
        if row != rows[world]:
            raise _differs(node, space, world)
    return _mechanism(node, rows, space)


def _mechanism(node: Node, rows: list[Row], space: WorldSpace) -> Mechanism:
    """The matrix of all rows, each a distribution."""
    outputs = list(dict.fromkeys(output for row in rows for output in row))
    if len(outputs) * len(rows) > MAX_ENTRIES:
        raise LimitReached(f"{len(outputs)} outputs in {len(rows)} worlds are too many to list")
    coder, nothing = Coder(), Fraction(0)
    codes = np.empty((len(outputs), len(rows)), dtype=np.int64)
    for world, row in enumerate(rows):
        name = f"the row of world '{space.name(world)}'"
        check_row(name, [*row.values()], lambda at: node.fail, node.fail)
        codes[:, world] = [coder.code(row.get(output, nothing)) for output in outputs]
    return Mechanism.of(outputs, coder.values, codes)


def _rows(node: Node, guest: Ended, space: WorldSpace) -> Iterator[Row]:
    """What a guest says about each world, in the order in which it was asked."""
    if guest.reason == "time" or guest.status == -signal.SIGXCPU:
        raise LimitReached(f"the Python function ran longer than {_guests.SECONDS} s")
    if guest.status == -signal.SIGKILL and guest.reason is None:
        raise LimitReached("the Python function was ended by the system, for its memory or time")
    if guest.reason == "threads":
        raise node.fail("S112", f"the Python function started more than {_guests.THREADS} threads")
    if guest.status or not guest.answer:
        ended = f"signal {-guest.status}" if guest.status < 0 else f"status {guest.status}"
        raise node.fail("S112", f"the Python function gave no answer: it ended with {ended}")
    try:
        yield from _read(node, _lines(guest.answer), space)
    except (ValueError, RecursionError):
        raise node.fail("S112", "the Python function gave an answer that cannot be read") from None


def _lines(answer: bytes) -> Iterator[str]:
    """The lines of an answer; ValueError where one is too long or unfinished."""
    stream = BytesIO(answer)
    while line := stream.readline(LONGEST):
        if not line.endswith(b"\n"):
            raise ValueError
        yield line[:-1].decode()


def _next(lines: Iterator[str]) -> str:
    if (line := next(lines, None)) is None:
        raise ValueError
    return line


def _read(node: Node, lines: Iterator[str], space: WorldSpace) -> Iterator[Row]:
    """One row per world: the number of its outputs, and a line for each; or why there is none."""
    known: dict[str, Fraction] = {}
    left, word = MAX_OUTPUTS, _next(lines)
    if word == "null":
        raise LimitReached("the Python function cannot be run: the system does not shut it in")
    if word == "memory":
        raise LimitReached("the Python function needs more memory than it may have")
    if word == "error":
        raise node.fail("S112", f"the Python function failed: {_texts(_next(lines), 1)[0]}")
    if word == "differs":
        raise _differs(node, space, int(_texts(_next(lines), 1)[0]))
    for _ in range(space.size):
        count = int(word)
        left -= count
        if left < 0:
            raise LimitReached(f"the Python function answers with more than {MAX_OUTPUTS} numbers")
        row: Row = {}
        for _ in range(count):
            number, label = _texts(_next(lines), 2)
            if number not in known:
                known[number] = node.placed(lambda number=number: exact.number(number))  # type: ignore[misc]
            row[_label(node, label)] = known[number]
        if len(row) != count:
            raise ValueError
        yield row
        word = _next(lines)
    if word != "end" or next(lines, None) is not None:
        raise ValueError


def _texts(line: str, count: int) -> list[str]:
    """So many texts, written as a list in JSON; ValueError."""
    found = json.loads(line)
    if type(found) is not list or [type(part) for part in found] != [str] * count:
        raise ValueError
    return found


def _label(node: Node, label: str) -> str:
    """A label, of characters that a file may hold as well."""
    if bad := UNPRINTABLE.search(label):
        raise node.fail("S004", f"the character U+{ord(bad[0]):04X} is not allowed in an output")
    return label


def _differs(node: Node, space: WorldSpace, world: int) -> InputError:
    name = space.name(world) if 0 <= world < space.size else "?"
    return node.fail(
        "S113", f"the Python function answers differently when it is asked again, in world '{name}'"
    )


def _world(space: WorldSpace, world: int) -> object:
    """A world as JSON; numbers are [text], so that none is rounded on the way."""

    def coded(value: object) -> object:
        return [str(value)] if isinstance(value, int | Fraction) else value

    if not space.records:
        return space.name(world)
    found: dict[str, object] = {}
    for record, code in zip(space.records, space.record_codes[:, world].tolist(), strict=True):
        value = space.record_values[code]
        if code == space.absent_code:
            found[record] = None
        elif space.attributes:
            pairs = zip(space.attributes, value, strict=True)
            found[record] = {attribute: coded(entry) for attribute, entry in pairs}
        else:
            found[record] = coded(value)
    return {"records": found}
