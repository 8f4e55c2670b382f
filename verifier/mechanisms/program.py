"""`program`: a small probabilistic program; every path is enumerated exactly."""

from __future__ import annotations

from verifier.base.document import Node
from verifier.mechanisms import Context
from verifier.world.language.run import run_program
from verifier.world.mechanism import Mechanism


def read(node: Node, context: Context) -> Mechanism:
    """`program: |` followed by the text; the language is described in docs/format.md."""
    return run_program(context.space, node.scalar("a program"), context.secrets)
