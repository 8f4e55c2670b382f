"""`mixture`: one of several mechanisms is chosen at random and run; the choice stays hidden."""

from __future__ import annotations

from verifier.base.column import Column
from verifier.base.document import Node
from verifier.mechanisms import Context, read_mechanism
from verifier.mechanisms._rows import check_row
from verifier.mechanisms._sums import add
from verifier.world.mechanism import Mechanism


def read(node: Node, context: Context) -> Mechanism:
    """`mixture: [{weight: 1/2, mechanism: …}, …]`; equal output labels are added up."""
    parts = [
        part.mapping(("weight", "mechanism"), needs="weight mechanism")
        for part in node.sequence("a list of {weight, mechanism}")
    ]
    weights = [part["weight"].number("a probability") for part in parts]
    check_row("the list of weights", weights, lambda at: parts[at]["weight"].fail, node.fail)
    rows: dict[str, Column] = {}
    notes: list[str] = []
    for part, weight in zip(parts, weights, strict=True):
        inner = read_mechanism(part["mechanism"], context)
        notes += inner.notes
        for output, label in enumerate(inner.outputs):
            rows[label] = add(rows.get(label), inner.row(output), weight)
    return Mechanism.from_columns(rows, rows.values(), dict.fromkeys(notes))
