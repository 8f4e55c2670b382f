"""Priors that are Markov chains, as chains rather than weights of worlds."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from verifier.base.document import Mapping, Node, Sequence
from verifier.beliefs.prior import read_chain
from verifier.kernels.chains import Chain
from verifier.world.worlds import WorldSpace


def read_chains(node: Node, space: WorldSpace) -> list[Chain] | None:
    """The Markov chains of `{list: [{markov: …}, …]}`; None where a node is another class, or has
    another prior.

    node   the class of priors, as a file has it
    space  what worlds are made of; they need not be enumerated
    """
    listed = node.table.get("list") if isinstance(node, Mapping) else None
    if not isinstance(listed, Sequence) or not listed.items:
        return None
    tables = [prior.table for prior in listed.items if isinstance(prior, Mapping)]
    found = [table["markov"] for table in tables if list(table) == ["markov"]]
    if len(found) < len(listed.items):
        return None
    return [item.placed(partial(_chain, item, space)) for item in found]


def _chain(node: Node, space: WorldSpace) -> Chain:
    """A chain; a value that is never left is followed by itself."""
    first, rows = read_chain(node, space)
    table = [
        tuple(row) if any(row) else tuple(Fraction(int(a == b)) for b in range(len(rows)))
        for a, row in enumerate(rows)
    ]
    return Chain(tuple(first), tuple(table))
