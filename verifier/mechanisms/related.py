"""`related`: another person's data, related to the world, goes through a mechanism of its own.

Alice's world is D, Bob's is D' with probability P(D' | D), and Bob releases A(D'). Seen from
Alice's data, this is the mechanism P(o | D) = Σ_D' P(A(D') = o)·P(D' | D). `compose` of it and
Alice's mechanism is the joint release. Source: Kifer, Machanavajjhala 2014, Section 9.1,
Equation 22.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier.document import Mapping, Node, Scalar
from verifier.mechanism import Coder, Mechanism
from verifier.mechanisms import Context, read_mechanism
from verifier.prior import read_prior
from verifier.priors.list import conditional
from verifier.worlds import WorldSpace, read_worlds


def read(node: Node, context: Context) -> Mechanism:
    """`{worlds: …, given: {world or secret: prior over the other worlds, …}, mechanism: …}`.

    The other worlds and their mechanism are written as in a file, the mechanism in full. Every
    world has exactly one entry under `given`, its own or that of a secret it is in. Raises S107
    for an unknown world, a world without an entry, or one with two.
    """
    keys = ("worlds", "given", "mechanism")
    options = node.mapping(keys, needs="worlds given mechanism")
    others = read_worlds(options["worlds"])
    inner = read_mechanism(
        options["mechanism"], replace(context, space=others, secrets={}, named=_written_out)
    )
    given = options["given"].mapping(what="a mapping from worlds or secrets to priors")
    which, everywhere = _entries(given, context), np.ones(others.size, dtype=bool)
    coder, columns = Coder(), []
    for _, prior in given.entries:
        released = conditional(inner, read_prior(prior, others), everywhere)
        columns.append([coder.code(p) for p in released])
    return Mechanism.of(inner.outputs, coder.values, np.array(columns).T[:, which], inner.notes)


def _entries(given: Mapping, context: Context) -> np.ndarray:
    """The number of each world's entry under `given`."""
    space = context.space
    which = np.full(space.size, -1)
    for number, (key, _) in enumerate(given.entries):
        worlds = _worlds(key, context)
        twice = worlds[which[worlds] >= 0]
        if len(twice):
            raise key.fail("S107", f"the world '{space.name(twice[0])}' is given twice")
        which[worlds] = number
    missing = np.flatnonzero(which < 0)
    if len(missing):
        raise given.fail("S107", f"nothing is given for the world '{space.name(missing[0])}'")
    return which


def _worlds(key: Scalar, context: Context) -> np.ndarray:
    """The worlds that a key names: one, or those of a secret."""
    if key.text in context.secrets:
        return np.flatnonzero(context.secrets[key.text])
    space: WorldSpace = context.space
    world = space.index(key.text)
    if world is None:
        hint = space.suggestion(key.text)
        raise key.fail("S107", f"no world or secret is named '{key.text}'{hint}")
    return np.array([world])


def _written_out(name: Scalar) -> Mechanism:
    raise name.fail("S106", "a mechanism on other worlds is written out, not named")
