"""The exact value of an expression is released.

Syntax. `deterministic: EXPRESSION`

Options. None besides the expression. Outputs are in the order in which they first appear.

Example. Whether two people have the same answer tells all to whoever knows one of the answers.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {deterministic: ann == bob}
    checks:
      - differential_privacy: {epsilon: 10}
        expect: violated
        leakage: infinite
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from verifier.base.document import Node
from verifier.mechanisms import Context
from verifier.world.language.slips import tell_of_outputs
from verifier.world.language.syntax import Source
from verifier.world.mechanism import Mechanism, intern
from verifier.world.space import key_of, labelled
from verifier.world.worlds import evaluate


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that releases the value of an expression.

    node     the expression
    context  the worlds, and what the file names
    """
    expression = node.scalar("an expression")
    released = evaluate(context.space, expression, context.secrets)
    _, place = intern(map(key_of, released.values))
    codes = place[released.codes]
    used, first = np.unique(codes, return_index=True)
    outputs = [released.values[code] for code in released.codes[np.sort(first)]]
    used = used[np.argsort(first)]
    codes = (codes[None, :] == used[:, None]).astype(np.uint8)
    tell_of_outputs(outputs, Source.of(expression))
    return Mechanism.of(labelled(outputs), [Fraction(0), Fraction(1)], codes)
