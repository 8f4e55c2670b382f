"""`deterministic`: the exact value of an expression is released."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from verifier.document import Node
from verifier.language.values import labels
from verifier.mechanism import Mechanism
from verifier.mechanisms import Context
from verifier.worlds import evaluate


def read(node: Node, context: Context) -> Mechanism:
    """`deterministic: count(value == 1)`; outputs in order of first appearance."""
    released = evaluate(context.space, node.scalar("an expression"), context.secrets)
    used, first = np.unique(released.codes, return_index=True)
    used = used[np.argsort(first)]
    codes = (released.codes[None, :] == used[:, None]).astype(np.uint8)
    return Mechanism.of(
        labels([released.values[code] for code in used]), [Fraction(0), Fraction(1)], codes
    )
