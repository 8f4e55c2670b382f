"""Priors that are Markov chains, as chains rather than weights of worlds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from verifier.base.document import Mapping, Node, Sequence
from verifier.kernels.chains import Chain
from verifier.priors.markov import MarkovPriors, Row
from verifier.priors.markov import read as read_markov
from verifier.questions.beliefs.records import read_chain, read_tree
from verifier.world.tree import Tree
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


def read_trees(node: Node, space: WorldSpace) -> list[Tree] | None:
    """The trees of `{list: [{tree: …}, …]}`, among which may be Markov chains; None where a node is
    another class, or has another prior.

    node   the class of priors, as a file has it
    space  what worlds are made of; they need not be enumerated
    """
    listed = node.table.get("list") if isinstance(node, Mapping) else None
    if not isinstance(listed, Sequence) or not listed.items:
        return None
    tables = [prior.table for prior in listed.items if isinstance(prior, Mapping)]
    kinds = {key for table in tables for key in table}
    if len(tables) < len(listed.items) or not kinds <= {"markov", "tree"} or "tree" not in kinds:
        return None
    found = (entry for table in tables for entry in table.items())
    return [item.placed(partial(READERS[kind], item, space)) for kind, item in found]


def as_tree(chain: Chain, records: int) -> Tree:
    """A `chain` of so many `records` as a tree, in which each is the parent of the next one."""
    chosen = (-1, *[0] * (records - 1))
    return Tree(chain.initial, tuple(range(-1, records - 1)), (chain.transition,), chosen)


def read_intervals(node: Node, space: WorldSpace) -> tuple[list[Chain], MarkovPriors] | None:
    """The chains of a class `markov` of two values that may be the worst ones, and the class; None
    for another class.

    node   the class of priors, as a file has it
    space  what worlds are made of; they need not be enumerated

    With a and b the probabilities of change, let the chains be stationary. They are those with the
    smallest a and b, unless a + b >= 1 all over the class, and with the largest a and b, unless a +
    b <= 1 all over it. Where records are shown or hidden one of these is the worst
    (`verifier.kernels.quilts`).

    Where a + b <= 1 all over the class, the only one is the worst for all channels: with x
    the likelihood ratio of a record's own output and of those further out, that of one record
    further in is ((1 − a)·x + a)/(b·x + 1 − b). It grows with x, as 1 − a − b >= 0, and is at least
    1 where x is, as it is at the worst outputs; there it falls with a and with b. A stationary
    chain of two values is reversible, so the same holds of the other side.
    """
    options = node.table.get("markov") if isinstance(node, Mapping) else None
    if options is None or len(space.record_values) != 2:
        return None
    known = read_markov(options, space)
    least, most = zip(
        *(_change(row, code) for code, row in enumerate(known.transition)), strict=True
    )
    if known.initial is not None or not all(least):
        return None
    ends = [least] if sum(most) <= 1 else [most] if sum(least) >= 1 else [least, most]
    return [_of_changes(*end) for end in ends], known


def _of_changes(a: Fraction, b: Fraction) -> Chain:
    """The stationary chain that changes from the first value with probability a, back with b."""
    return Chain((b / (a + b), a / (a + b)), ((1 - a, a), (b, 1 - b)))


def _change(row: Row, code: int) -> tuple[Fraction, Fraction]:
    """The least and the largest probability of the other one of two values."""
    (low, high), (other_low, other_high) = row[code], row[1 - code]
    return max(other_low, 1 - high), min(other_high, 1 - low)


def _chain(node: Node, space: WorldSpace) -> Chain:
    """A chain; a value that is never left is followed by itself."""
    first, rows = read_chain(node, space)
    table = [
        tuple(row) if any(row) else tuple(Fraction(int(a == b)) for b in range(len(rows)))
        for a, row in enumerate(rows)
    ]
    return Chain(tuple(first), tuple(table))


READERS: dict[str, Callable[[Node, WorldSpace], Tree]] = {
    "markov": lambda node, space: as_tree(_chain(node, space), len(space.records)),
    "tree": read_tree,
}
