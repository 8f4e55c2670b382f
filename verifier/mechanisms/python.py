"""`python`: a function from a world to {output: probability}, run in a child process.

Only with `--allow-python`. The child is a separate interpreter with limits on time and memory;
what it prints is text, read through the same door as any file.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

from verifier import exact
from verifier.document import Node, digest_of
from verifier.errors import LimitReached
from verifier.mechanism import Coder, Mechanism
from verifier.mechanisms import Context
from verifier.mechanisms._rows import check_row
from verifier.worlds import WorldSpace

SECONDS = 60  # of processor time; so many more may pass on the clock:
GRACE = 5
MEMORY = 2 * 2**30
RUNNER = Path(__file__).with_name("_python_runner.py")


def read(node: Node, context: Context) -> Mechanism:
    """`python: {file: noise.py, function: noise}`, the path relative to the spec file.

    The function gets a world: its name for named worlds, otherwise a dict from record to value
    (to a dict of attributes; None where absent), numbers as int or Fraction. It returns a dict
    from outputs to int, Fraction or text; floats are refused.
    """
    options = node.mapping(("file", "function"), needs="file function")
    if not context.allow_python:
        raise node.fail("S111", "running Python code needs --allow-python on the command line")
    file = context.folder / options["file"].scalar("a path").text
    function = options["function"].scalar("a name").text
    if not file.is_file():
        raise options["file"].fail("S001", f"cannot read '{file}'")
    context.files[options["file"].scalar().text] = digest_of(file.read_bytes())
    rows = _run(node, file, function, context.space)
    outputs = list(dict.fromkeys(output for row in rows for output in row))
    coder, codes = Coder(), []
    for world, row in enumerate(rows):
        cells = node.placed(lambda row=row: [exact.number(row.get(o, "0")) for o in outputs])  # type: ignore[misc]
        name = f"the row of world '{context.space.name(world)}'"
        check_row(name, cells, lambda at: node.fail, node.fail)
        codes.append([coder.code(p) for p in cells])
    return Mechanism.of(outputs, coder.values, np.array(codes).T)


def _run(node: Node, file: Path, function: str, space: WorldSpace) -> list[dict[str, str]]:
    task = {
        "file": str(file),
        "function": function,
        "seconds": SECONDS,
        "memory": MEMORY,
        "worlds": [_world(space, world) for world in range(space.size)],
    }
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(RUNNER)],
            input=json.dumps(task),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS + GRACE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LimitReached(f"the Python function ran longer than {SECONDS} s") from None
    if done.returncode == -signal.SIGXCPU:
        raise LimitReached(f"the Python function ran longer than {SECONDS} s")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        reason = f"it ended with status {done.returncode}"
        raise node.fail("S112", f"the Python function gave no answer: {reason}") from None
    if "error" in answer:
        raise node.fail("S112", f"the Python function failed: {answer['error']}")
    rows: list[dict[str, str]] = answer["rows"]
    return rows


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
