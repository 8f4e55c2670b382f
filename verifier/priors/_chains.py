"""Priors under which records depend on each other, as networks rather than weights of worlds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from verifier.base.document import Mapping, Node, Sequence
from verifier.priors.markov import MarkovPriors, Row
from verifier.priors.markov import read as read_markov
from verifier.questions.beliefs.records import read_chain, read_tree
from verifier.world.network import Network
from verifier.world.worlds import WorldSpace


def read_networks(node: Node, space: WorldSpace) -> tuple[list[Network], bool] | None:
    """The networks of `{list: [{markov: …}, {tree: …}, …]}`, and whether all are chains; None where
    a node is another class, or has another prior.

    node   the class of priors, as a file has it
    space  what worlds are made of; they need not be enumerated
    """
    listed = node.table.get("list") if isinstance(node, Mapping) else None
    if not isinstance(listed, Sequence) or not listed.items:
        return None
    tables = [prior.table for prior in listed.items if isinstance(prior, Mapping)]
    kinds = {key for table in tables for key in table}
    single = all(len(table) == 1 for table in tables)
    if len(tables) < len(listed.items) or not kinds <= READERS.keys() or not single:
        return None
    found = (entry for table in tables for entry in table.items())
    made = [item.placed(partial(READERS[kind], item, space)) for kind, item in found]
    return made, kinds == {"markov"}


def read_intervals(node: Node, space: WorldSpace) -> tuple[list[Network], MarkovPriors] | None:
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
    return [_of_changes(a, b, len(space.records)) for a, b in ends], known


def _of_changes(a: Fraction, b: Fraction, records: int) -> Network:
    """The stationary chain that changes from the first value with probability a, back with b."""
    return Network.chain((b / (a + b), a / (a + b)), ((1 - a, a), (b, 1 - b)), records)


def _change(row: Row, code: int) -> tuple[Fraction, Fraction]:
    """The least and the largest probability of the other one of two values."""
    (low, high), (other_low, other_high) = row[code], row[1 - code]
    return max(other_low, 1 - high), min(other_high, 1 - low)


def _chain(node: Node, space: WorldSpace) -> Network:
    """A chain; a value that is never left is followed by itself."""
    first, rows = read_chain(node, space)
    table = [
        tuple(row) if any(row) else tuple(Fraction(int(a == b)) for b in range(len(rows)))
        for a, row in enumerate(rows)
    ]
    return Network.chain(tuple(first), tuple(table), len(space.records))


READERS: dict[str, Callable[[Node, WorldSpace], Network]] = {"markov": _chain, "tree": read_tree}
