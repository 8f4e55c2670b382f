"""A small program that draws at random; every path of its draws is followed.

Syntax. `program: |` and the lines of the program below, indented

Options. None besides the text. The language is described in docs/reference/programs.md; it has
assignments, `if`, `for`, `draw` and `return`.

Example. With probability 1/2 the truth, else the answer of a fair coin: 3/4 against 1/4.

    worlds: {records: [ann], domain: [0, 1]}
    mechanism:
      program: |
        if draw(bernoulli(1/2)) == 1:
            return ann
        return draw(bernoulli(1/2))
    checks:
      - differential_privacy: {exp_epsilon: 3}
        leakage: 3
"""

from __future__ import annotations

from verifier.base.document import Node
from verifier.mechanisms import Context
from verifier.programs.run import run_program
from verifier.world.box import Box
from verifier.world.mechanism import Mechanism


def read(node: Node, context: Context) -> Mechanism | Box:
    """The mechanism that a program is; with normal draws the box in which it is.

    node     the text of the program
    context  the worlds, and what the file names
    """
    return run_program(context.space, node.scalar("a program"), context.secrets)
