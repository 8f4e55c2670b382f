"""One of several mechanisms is chosen at random and run, and the choice stays hidden.

Syntax. `mixture: [{weight: NUMBER, mechanism: MECHANISM}, …]`

Options. For each part:
- `weight`: the probability that it is chosen; all of them sum to 1
- `mechanism`: the mechanism, in full or by its name; equal outputs are added up

Example. With probability 1/2 the bit itself, else a fair coin: 3/4 against 1/4.

    worlds: {records: [ann], domain: [0, 1]}
    mechanism:
      mixture:
        - {weight: 1/2, mechanism: {deterministic: ann}}
        - {weight: 1/2, mechanism: {randomized_response: {truth: 1/2}}}
    checks:
      - differential_privacy: {exp_epsilon: 3}
        leakage: 3
"""

from __future__ import annotations

from typing import Any

from verifier.base.document import Node
from verifier.mechanisms import Context, read_mechanism
from verifier.mechanisms._rows import add, check_row
from verifier.world.language.operations import equal
from verifier.world.mechanism import Column, Mechanism, Output
from verifier.world.space import key_of


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism that runs one of several, chosen at random.

    node     a list of {weight, mechanism}
    context  the worlds, and what the file names

    Raises S103, S104 for weights that are no distribution.
    """
    parts = [
        part.mapping(("weight", "mechanism"), needs="weight mechanism")
        for part in node.sequence("a list of {weight, mechanism}")
    ]
    weights = [part["weight"].number("a probability") for part in parts]
    check_row("the list of weights", weights, lambda at: parts[at]["weight"].fail, node.fail)
    rows: dict[Any, Column] = {}
    outputs: dict[Any, Output] = {}
    keys: dict[str, Any] = {}
    mixed = [read_mechanism(part["mechanism"], context) for part in parts]
    for inner, weight in zip(mixed, weights, strict=True):
        for output, (label, value) in enumerate(zip(inner.outputs, inner.released, strict=True)):
            key = keys.get(label)
            if key is None or not equal(outputs[key].value, value):
                key = keys[label] = key_of(value)
            outputs.setdefault(key, Output(label, value))
            rows[key] = add(rows.get(key), inner.row(output), weight)
    notes = dict.fromkeys(note for inner in mixed for note in inner.notes)
    return Mechanism.from_columns(outputs.values(), rows.values(), notes, mixed)
