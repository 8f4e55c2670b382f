"""`merge_proportional`: outputs with proportional rows are added up into one."""

from __future__ import annotations

from verifier.base.document import Node
from verifier.mechanisms import Context, read_mechanism
from verifier.world.mechanism import Mechanism, merge_proportional_rows


def read(node: Node, context: Context) -> Mechanism:
    """`merge_proportional: <mechanism>`: fewer outputs that say the same about the world."""
    return merge_proportional_rows(read_mechanism(node, context))
