"""`compose`: independent runs of several mechanisms; all outputs are released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from math import prod

import numpy as np

from verifier.base.document import Node
from verifier.base.errors import LimitReached
from verifier.mechanisms import Context, read_mechanism
from verifier.world.mechanism import Mechanism

MAX_ENTRIES = 2**27
MAX_TEXT = 2**25  # characters of all labels


def read(node: Node, context: Context) -> Mechanism:
    """`compose: [first, second]`, each a mechanism or a name; outputs are `(a, b)`."""
    parts = [read_mechanism(item, context) for item in node.sequence("a list of mechanisms")]
    if len(parts) < 2:
        hint = "write the mechanism by itself" if parts else "write [once, twice]"
        raise node.fail("S110", "compose needs at least two mechanisms", hint)
    return in_order(parts)


def in_order(parts: Sequence[Mechanism]) -> Mechanism:
    """The mechanism that runs two or more of them, each by itself, and releases all outputs.
    Raises LimitReached where these are too many."""
    size, worlds = prod(len(part.outputs) for part in parts), parts[0].worlds
    text = sum(size // len(part.outputs) * sum(map(len, part.outputs)) for part in parts)
    if size * worlds > MAX_ENTRIES:
        raise LimitReached(f"{size} outputs in {worlds} worlds are too many")
    if text > MAX_TEXT:
        raise LimitReached(f"{size} outputs are named by {text} characters, which is too much")
    made = reduce(_product, parts)
    return replace(made, outputs=tuple(f"({output})" for output in made.outputs))


def _product(left: Mechanism, right: Mechanism) -> Mechanism:
    size = len(left.outputs) * len(right.outputs)
    base = len(right.values)
    codes = left.codes[:, None, :].astype(np.int64) * base + right.codes[None, :, :]
    distinct, codes = np.unique(codes.reshape(size, -1), return_inverse=True)
    values = [left.values[code // base] * right.values[code % base] for code in distinct.tolist()]
    outputs = [f"{a}, {b}" for a in left.outputs for b in right.outputs]
    notes = dict.fromkeys((*left.notes, *right.notes))
    return Mechanism.of(outputs, values, codes.reshape(size, -1), notes)
