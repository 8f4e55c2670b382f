"""The output of a mechanism is replaced by another one, surely or at random.

Syntax. `post_process: {of: MECHANISM, map: {OUTPUT: NEW, …}}`,
or `post_process: {of: MECHANISM, matrix: {OUTPUT: {NEW: NUMBER, …}, …}}`

Options. The mechanism, and one of `map` and `matrix`, with an entry for each of its outputs:
- `of`: the mechanism, in full or by its name
- `map`: the new output for each output
- `matrix`: the probabilities of the new outputs for each output

Example. The bit itself, kept with probability 3/4, is randomized response; and who answers the same
to everybody tells nothing.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      exact: {deterministic: ann}
      noisy: {post_process: {of: exact, matrix: {0: {0: 3/4, 1: 1/4}, 1: {0: 1/4, 1: 3/4}}}}
      silent: {post_process: {of: exact, map: {0: none, 1: none}}}
    checks:
      - differential_privacy: {exp_epsilon: 3}
        mechanism: noisy
        leakage: 3
      - differential_privacy: {exp_epsilon: 1}
        mechanism: silent
        leakage: 1
"""

from __future__ import annotations

from fractions import Fraction

from verifier.base.document import Mapping, Node
from verifier.base.errors import choice
from verifier.mechanisms import Context, read_mechanism
from verifier.mechanisms._rows import check_row, quoted, weighted_sums
from verifier.world.language.slips import misspelt
from verifier.world.mechanism import Mechanism


def read(node: Node, context: Context) -> Mechanism:
    """A mechanism whose outputs are replaced.

    node     {of: mechanism, map or matrix: an entry for every output}
    context  the worlds, and what the file names

    New outputs appear in the order of the file. Raises S105, S016 for outputs that the mechanism
    does not have, or without an entry.
    """
    options = node.mapping(("of", "map", "matrix"), needs="of")
    if (options.get("map") is None) == (options.get("matrix") is None):
        given = options.get("map") is not None
        hint = "leave one of the two out" if given else "add map: {yes: a, no: b}"
        raise node.fail("S016", "exactly one of 'map' and 'matrix' is needed", hint)
    inner = read_mechanism(options["of"], context)
    chosen = (options.get("map") or options["matrix"]).mapping(what="a mapping from outputs")
    places = {output: place for place, output in enumerate(inner.outputs)}
    weights: dict[str, list[tuple[int, Fraction]]] = {}
    for key, value in chosen.entries:
        if key.text not in places:
            hint = choice(key.text, inner.outputs, "outputs")
            raise key.fail("S105", f"the mechanism has no output '{key.text}'", hint)
        output = places[key.text]
        for target, weight in _targets(key.text, value, options.get("map") is not None):
            weights.setdefault(target, []).append((output, weight))
    example = "same" if options.get("map") is not None else "{same: 1}"
    missing = [output for output in inner.outputs if chosen.get(output) is None]
    if missing:
        hint = f"add {quoted(missing[0])}: {example}"
        raise chosen.fail("S016", f"the output '{missing[0]}' has no entry", hint)
    for a, b in misspelt(weights):
        message = f"the words '{a}' and '{b}' are different outputs: is one of them misspelt?"
        chosen.source.notes.tell("N109", message, chosen.place)
    rows = (weighted_sums(inner, terms) for terms in weights.values())
    return Mechanism.from_columns(weights, rows, inner.notes, [inner])


def _targets(name: str, node: Node, direct: bool) -> list[tuple[str, Fraction]]:
    if direct:
        return [(node.scalar("an output").text, Fraction(1))]
    row = node.mapping(what="a mapping from new outputs to probabilities")
    assert isinstance(row, Mapping)
    values = [value.number("a probability") for _, value in row.entries]
    check_row(f"row '{name}'", values, lambda at: row.entries[at][1].fail, row.fail)
    return [(key.text, p) for (key, _), p in zip(row.entries, values, strict=True)]
