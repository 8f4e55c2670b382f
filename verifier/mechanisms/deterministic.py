"""`deterministic`: the exact value of an expression is released."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from verifier.base.document import Node
from verifier.mechanisms import Context
from verifier.world.language.slips import tell_of_outputs
from verifier.world.language.syntax import Source
from verifier.world.mechanism import Mechanism
from verifier.world.space import labels
from verifier.world.worlds import evaluate


def read(node: Node, context: Context) -> Mechanism:
    """`deterministic: count(value == 1)`; outputs in order of first appearance."""
    expression = node.scalar("an expression")
    released = evaluate(context.space, expression, context.secrets)
    used, first = np.unique(released.codes, return_index=True)
    used = used[np.argsort(first)]
    codes = (released.codes[None, :] == used[:, None]).astype(np.uint8)
    outputs = [released.values[code] for code in used]
    tell_of_outputs(outputs, Source.of(expression))
    return Mechanism.of(labels(outputs), [Fraction(0), Fraction(1)], codes)
