"""`program`: a small probabilistic program; every path is enumerated exactly."""

from __future__ import annotations

from verifier.document import Node
from verifier.language.program import run_program
from verifier.mechanism import Mechanism
from verifier.mechanisms import Context


def read(node: Node, context: Context) -> Mechanism:
    """`program: |` followed by the text; the language is described in docs/reference."""
    return run_program(context.space, node.scalar("a program"), context.secrets)
