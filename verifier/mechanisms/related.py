"""Somebody else's mechanism, run on data that are related to the world.

Syntax. `related: {worlds: WORLDS, given: {WORLD: PRIOR, …}, mechanism: MECHANISM, sees: MECHANISM}`

Alice's world is D, Bob's is D' with probability P(D' | D), and Bob releases A(D'). Seen from
Alice's data, this is the mechanism P(o | D) = Σ_D' P(A(D') = o)·P(D' | D). `compose` of it and
Alice's mechanism is the joint release.

Options. The first three are needed:
- `worlds`: the other worlds, written as those of a file
- `given`: for each world, or for each of some secrets, a prior over the other worlds
- `mechanism`: the mechanism on the other worlds, in full; with `sees` one for each of its outputs
- `sees`: a mechanism M on this file's worlds whose output comes first, and both are released:
  P(o, o' | D) = M[o, D]·Σ_D' P(A_o(D') = o')·P(D' | D)

Example. Bob has what Ann has with probability 3/4, and tells. That tells 3 about Ann; so does a
reply to her silence.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      bob:
        related:
          worlds: {records: [bob], domain: [0, 1]}
          given: {0: {iid: {0: 3/4, 1: 1/4}}, 1: {iid: {0: 1/4, 1: 3/4}}}
          mechanism: {deterministic: bob}
      reply:
        related:
          sees: {deterministic: "'nothing'"}
          worlds: {records: [bob], domain: [0, 1]}
          given: {0: {iid: {0: 3/4, 1: 1/4}}, 1: {iid: {0: 1/4, 1: 3/4}}}
          mechanism: {nothing: {deterministic: bob}}
    checks:
      - differential_privacy: {exp_epsilon: 3}
        mechanism: bob
        leakage: 3
      - differential_privacy: {exp_epsilon: 3}
        mechanism: reply
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Section 9.1, Equation 22.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import choice
from verifier.mechanisms import Context, read_mechanism
from verifier.mechanisms._rows import quoted
from verifier.priors.list import conditional
from verifier.questions.beliefs.prior import Prior, read_prior
from verifier.world.mechanism import Coder, Column, Mechanism, Output, constant, lift
from verifier.world.worlds import WorldSpace, read_worlds


def read(node: Node, context: Context) -> Mechanism:
    """The mechanism of somebody whose data are related to the world.

    node     {worlds: …, given: …, mechanism: …, sees: …}
    context  the worlds, and what the file names

    Raises S107 for an unknown world, a world without an entry under `given`, or one with two; S105
    and S016 for outputs that the mechanism that is seen does not have, or without an entry.
    """
    options = node.mapping(("worlds", "given", "mechanism", "sees"), needs="worlds given mechanism")
    others = read_worlds(options["worlds"])
    given = options["given"].mapping(what="a mapping from worlds or secrets to priors")
    which = _entries(given, context)
    priors = [read_prior(prior, others) for _, prior in given.entries]
    inside = replace(context, space=others, secrets={}, named=_written_out)

    def released(mechanism: Node) -> Mechanism:
        return _averaged(read_mechanism(mechanism, inside), priors, which)

    seen = options.get("sees")
    if seen is None:
        return released(options["mechanism"])
    first = read_mechanism(seen, context)
    return _joint(first, _answers(first, options["mechanism"], released), context.space)


def _averaged(mechanism: Mechanism, priors: Sequence[Prior], which: np.ndarray) -> Mechanism:
    """Σ_D' P(A(D') = o)·P(D' | D), with the prior priors[which[D]] over D'."""
    everywhere, coder = np.ones(mechanism.worlds, dtype=bool), Coder()
    columns = [
        [coder.code(p) for p in conditional(mechanism, prior, everywhere)] for prior in priors
    ]
    codes = np.array(columns).T[:, which]
    return Mechanism.of(mechanism.outputs, coder.values, codes, mechanism.notes, [mechanism])


def _answers(
    first: Mechanism, node: Node, released: Callable[[Node], Mechanism]
) -> list[Mechanism]:
    """Bob's mechanism after each output of the first one."""
    table = node.mapping(what="a mapping from outputs to mechanisms")
    for key, _ in table.entries:
        if key.text not in first.outputs:
            hint = choice(key.text, first.outputs, "outputs")
            raise key.fail("S105", f"the mechanism that is seen has no output '{key.text}'", hint)
    missing = [output for output in first.outputs if table.get(output) is None]
    if missing:
        hint = f"add {quoted(missing[0])}: {{deterministic: world}}"
        raise table.fail("S016", f"the output '{missing[0]}' has no entry", hint)
    return [released(table[output]) for output in first.outputs]


def _joint(first: Mechanism, answers: Sequence[Mechanism], space: WorldSpace) -> Mechanism:
    """Both outputs: P(o, o' | D) = M[o, D]·P(o' | D) after o."""
    rows = {}
    seen = zip(first.outputs, first.released, answers, strict=True)
    for output, (label, value, answer) in enumerate(seen):
        for other, name in enumerate(answer.outputs):
            row = lift(lambda p, q: p * q, first.row(output), answer.row(other))
            made = row if isinstance(row, Column) else constant(row, first.worlds)
            rows[Output(f"({label}, {name})", (value, space.denoted(name)))] = made
    parts = (first, *answers)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return Mechanism.from_columns(rows, rows.values(), notes, parts)


def _entries(given: Mapping, context: Context) -> np.ndarray:
    """The number of each world's entry under `given`."""
    space = context.space
    which = np.full(space.size, -1)
    for number, (key, _) in enumerate(given.entries):
        worlds = _worlds(key, context)
        twice = worlds[which[worlds] >= 0]
        if len(twice):
            said = f"the world '{space.name(twice[0])}' is given twice"
            raise key.fail("S107", said, "leave one of the two out")
        which[worlds] = number
    missing = np.flatnonzero(which < 0)
    if len(missing):
        name = space.name(missing[0])
        hint = f"add {quoted(name)}: uniform, or another prior"
        raise given.fail("S107", f"nothing is given for the world '{name}'", hint)
    return which


def _worlds(key: Scalar, context: Context) -> np.ndarray:
    """The worlds that a key names: one, or those of a secret."""
    if key.text in context.secrets:
        return np.flatnonzero(context.secrets[key.text])
    space = context.space
    world = space.index(key.text)
    if world is None:
        hint = space.suggestion(key.text)
        raise key.fail("S107", f"no world or secret is named '{key.text}'", hint)
    return np.array([world])


def _written_out(name: Scalar) -> Mechanism:
    hint = "write it out, such as {deterministic: world}"
    raise name.fail("S106", "a mechanism on other worlds is written out, not named", hint)
