"""`compose`: independent runs of several mechanisms; all outputs are released."""

from __future__ import annotations

from functools import reduce

import numpy as np

from verifier.document import Node
from verifier.errors import LimitReached
from verifier.mechanism import Mechanism
from verifier.mechanisms import Context, read_mechanism

MAX_ENTRIES = 2**27
MAX_TEXT = 2**28


def read(node: Node, context: Context) -> Mechanism:
    """`compose: [first, second]`, each a mechanism or a name; outputs are `(a, b)`."""
    parts = [read_mechanism(item, context) for item in node.sequence("a list of mechanisms")]
    if len(parts) < 2:
        raise node.fail("S110", "compose needs at least two mechanisms")
    made = reduce(_product, parts)
    labels = [""]
    for part in parts:
        added = sum(map(len, part.outputs)) * len(labels)
        if added + sum(map(len, labels)) * len(part.outputs) > MAX_TEXT:
            raise LimitReached(f"outputs named by more than {MAX_TEXT} characters")
        labels = [f"{left}, {right}" for left in labels for right in part.outputs]
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    outputs = tuple(f"({label[2:]})" for label in labels)
    return Mechanism(outputs, made.values, made.codes, tuple(notes))


def _product(left: Mechanism, right: Mechanism) -> Mechanism:
    size = len(left.outputs) * len(right.outputs)
    if size * left.worlds > MAX_ENTRIES:
        raise LimitReached(f"{size} outputs in {left.worlds} worlds are too many")
    base = len(right.values)
    codes = left.codes[:, None, :].astype(np.int64) * base + right.codes[None, :, :]
    distinct, codes = np.unique(codes.reshape(size, -1), return_inverse=True)
    values = [left.values[code // base] * right.values[code % base] for code in distinct.tolist()]
    return Mechanism.of(map(str, range(size)), values, codes.reshape(size, -1))
