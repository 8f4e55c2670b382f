"""`merge_proportional`: outputs with proportional rows are added up into one."""

from __future__ import annotations

from verifier.document import Node
from verifier.mechanism import Mechanism, merge_proportional_rows
from verifier.mechanisms import Context, read_mechanism


def read(node: Node, context: Context) -> Mechanism:
    """`merge_proportional: <mechanism>`: fewer outputs that say the same about the world."""
    return merge_proportional_rows(read_mechanism(node, context))
