"""Several mechanisms run independently, and all their outputs are released.

Syntax. `compose: [MECHANISM, MECHANISM, …]`

Options. None: the mechanisms are listed, each in full or by its name. Outputs are written
`(first, second)`.

Example. A bit that is answered twice with truth 3/4 leaks 3·3 = 9.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      once: {randomized_response: {truth: 3/4}}
      twice: {compose: [once, once]}
    checks:
      - differential_privacy: {exp_epsilon: 9}
        mechanism: twice
        leakage: 9
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from math import prod

import numpy as np

from verifier.base.document import Node
from verifier.base.errors import LimitReached
from verifier.mechanisms import Context, read_run
from verifier.world.mechanism import Mechanism, compress

MAX_ENTRIES = 2**27
MAX_TEXT = 2**25  # characters of all labels


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that runs all mechanisms of a list.

    node     the list, at least two; S110 otherwise
    context  the worlds, and what the file names
    """
    parts = [read_run(item, context) for item in node.sequence("a list of mechanisms")]
    if len(parts) < 2:
        hint = "write the mechanism by itself" if parts else "write [once, twice]"
        raise node.fail("S110", "compose needs at least two mechanisms", hint)
    return in_order(parts)


def in_order(parts: Sequence[Mechanism]) -> Mechanism:
    """The mechanism that runs two or more of them, each by itself, and releases all outputs.

    parts  the mechanisms, over the same worlds; the last one's output changes first

    Raises LimitReached where the outputs are too many, or their names too long.
    """
    size, worlds = prod(len(part.outputs) for part in parts), parts[0].worlds
    text = sum(size // len(part.outputs) * sum(map(len, part.outputs)) for part in parts)
    if size * worlds > MAX_ENTRIES:
        raise LimitReached(f"{size} outputs in {worlds} worlds are too many")
    if text > MAX_TEXT:
        raise LimitReached(f"{size} outputs are named by {text} characters, which is too much")
    made = reduce(_product, parts)
    released = product(*(part.released for part in parts))  # none where one knows labels only
    labels = tuple(f"({output})" for output in made.outputs)
    return replace(made, outputs=labels, released=tuple(released))


def _product(left: Mechanism, right: Mechanism) -> Mechanism:
    size = len(left.outputs) * len(right.outputs)
    base, count = len(right.values), len(left.values) * len(right.values)
    wide = np.min_scalar_type(count)
    pairs = left.codes[:, None, :].astype(wide) * wide.type(base) + right.codes[None, :, :]
    distinct, codes = compress(pairs.ravel(), count)
    values = [left.values[code // base] * right.values[code % base] for code in distinct.tolist()]
    outputs = [f"{a}, {b}" for a in left.outputs for b in right.outputs]
    notes = dict.fromkeys((*left.notes, *right.notes))
    return Mechanism.of(outputs, values, codes.reshape(size, -1), notes, (left, right))
