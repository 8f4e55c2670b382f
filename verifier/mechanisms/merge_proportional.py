"""Outputs that say the same about the world are added up into one.

Syntax. `merge_proportional: MECHANISM`

Options. None besides the mechanism, in full or by its name. Two outputs say the same if one is in
every world the same number of times as likely as the other.

Example. `maybe` and `perhaps` are as likely in one world as in the other, in fixed proportion; so
the leakage stays what it was.

    worlds: [sun, rain]
    mechanism:
      merge_proportional:
        table:
          outputs: [dry, maybe, perhaps]
          sun: [1/4, 1/4, 1/2]
          rain: [5/8, 1/8, 1/4]
    checks:
      - differential_privacy: {exp_epsilon: 5/2, neighbours: all}
        leakage: 5/2
"""

from __future__ import annotations

from verifier.base.document import Node
from verifier.mechanisms import Context, read_mechanism
from verifier.world.mechanism import Mechanism, merge_proportional_rows


def read(node: Node, context: Context) -> Mechanism:
    """A mechanism of which proportional rows are added up.

    node     the mechanism
    context  the worlds, and what the file names
    """
    return merge_proportional_rows(read_mechanism(node, context))
