"""Discriminative secret graphs of Blowfish policies: which values of a record must stay secret
from each other.

`full`, `attribute`, `{partition: [[a, b], [c]]}`, `{distance: 2}` (L1; or a metric given as
`{distance: 2, between: [[a, b, 3], …]}`), `{edges: [[a, b], …]}`, and `{records: {bob: …}}` with
one graph for each record (`full` for records not named). In `partition`, `edges` and `between` an
absent record has the value `⊥`; the other graphs join it to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import InputError, choice
from verifier.world import transport
from verifier.world.neighbours import minimal, plans
from verifier.world.relation import (
    NAMED,
    Blocks,
    Relation,
    by_rule,
    crossings,
    keys,
    listing_of,
    paired,
)
from verifier.world.worlds import WorldSpace

WORDS = ("full", "attribute")
KINDS = ("partition", "distance", "edges", "records")

Adjacency = Callable[[int, int], bool]


def read_adjacency(space: WorldSpace, node: Node) -> np.ndarray:
    """The adjacency of record values of `space` that a `node` describes, shape (records, k, k); of
    histograms there is one for all records."""
    if not space.records and not space.is_histograms:
        raise node.fail("S603", "a secret graph needs worlds made of records", NAMED)
    if isinstance(node, Mapping) and node.get("records"):
        if space.is_histograms:
            said = "records that are not told apart have one graph"
            raise node.fail("S604", said, "write it without records, or leave exchangeable out")
        named = node.only("per-record graphs")[1].mapping(space.records)
        graphs = [named.get(record) for record in space.records]
        complete = full(space)[0]
        return np.array([complete if graph is None else _one(space, graph) for graph in graphs])
    return np.array([_one(space, node)] * max(1, len(space.records)))


def full(space: WorldSpace) -> np.ndarray:
    """The complete graph on the values of every record of `space`."""
    if not space.records and not space.is_histograms:
        raise InputError("S603", "a secret graph needs worlds made of records", hint=NAMED)
    return np.array([_adjacency(space, lambda a, b: True)] * max(1, len(space.records)))


def neighbours(space: WorldSpace, edges: np.ndarray) -> Relation:
    """The Blowfish neighbours of a policy (He, Machanavajjhala, Ding 2014, Definition 4.1). Where
    no constraint removed a world there is a shortcut: exactly the changes of one record along one
    edge are minimal.

    space  the worlds
    edges  shape (records, k, k), the discriminative secret graphs
    """
    if space.is_histograms and not space.complete:
        return plans.blowfish(space, edges[0])
    if not space.complete:
        return minimal.blowfish(space, edges)
    if (edges == full(space)).all():
        return by_rule(space, "replace")
    if space.is_histograms:
        joined = np.argwhere(edges[0]).tolist()
        moves = [transport.change(len(edges[0]), (x, y)) for x, y in joined]
        blocks = paired(transport.displaced(space, moves))
        return Relation(tuple(blocks), listing_of(space.size, blocks))
    found: list[Blocks] = []
    codes = space.record_codes
    for record, graph in enumerate(edges):
        same = keys(np.delete(codes, record, axis=0), space.size)
        for left, right in np.argwhere(graph):
            found += crossings(same, codes[record] == left, codes[record] == right)
    return Relation(tuple(found), listing_of(space.size, found))


def _one(space: WorldSpace, node: Node) -> np.ndarray:
    if isinstance(node, Scalar):
        if node.word(WORDS, "graph", "S604") == "full":
            return _adjacency(space, lambda a, b: True)
        if not space.attributes:
            said = "the graph 'attribute' needs records with several attributes"
            raise node.fail("S604", said, "write full")
        table = space.record_values
        return _adjacency(
            space, lambda a, b: sum(x != y for x, y in zip(table[a], table[b], strict=True)) == 1
        )
    graph = node.mapping(("partition", "distance", "between", "edges"), "a graph")
    if graph.get("distance"):
        return _threshold(space, graph)
    kind, value = graph.only("a graph", ("partition", "edges"))
    if kind.text == "edges":
        joined = _edges(space, value)
        return _adjacency(space, lambda a, b: (a, b) in joined or (b, a) in joined, absent=True)
    block: dict[int, int] = {}
    for at, part in enumerate(value.sequence("a list of blocks of values")):
        for item in part.sequence("a block: a list of values"):
            code = value_code(space, item)
            if code in block:
                said = f"the value '{item.scalar().text}' is in two blocks"
                raise item.fail("S604", said, "leave it out of one of the two")
            block[code] = at
    return _adjacency(space, lambda a, b: a in block and block.get(a) == block.get(b), absent=True)


def _threshold(space: WorldSpace, graph: Mapping) -> np.ndarray:
    limit = graph["distance"].rational("a distance")
    given = graph.get("between")
    graph.check_keys(("distance", "between"))
    if given is not None:
        far: dict[tuple[int, int], Fraction] = {}
        for item in given.sequence("a list of [value, value, distance]"):
            parts = item.sequence("[value, value, distance]").items
            if len(parts) != 3:
                hint = "write [a, b, 1]"
                raise item.fail("S014", "a distance is given as [value, value, distance]", hint)
            pair = value_code(space, parts[0]), value_code(space, parts[1])
            far[pair] = far[pair[::-1]] = parts[2].rational("a distance")
        return _adjacency(space, lambda a, b: (a, b) in far and far[a, b] <= limit, absent=True)
    rows = [value if space.attributes else (value,) for value in space.record_values]
    for code, row in enumerate(rows):
        if code != space.absent_code and not all(
            isinstance(entry, int | Fraction) and not isinstance(entry, bool) for entry in row
        ):
            hint = "add between: [[a, b, 1], [b, c, 2]], or write a domain of numbers"
            said = "the graph 'distance' needs numeric values, or 'between'"
            raise graph.fail("S604", said, hint)
    return _adjacency(
        space, lambda a, b: sum(abs(x - y) for x, y in zip(rows[a], rows[b], strict=True)) <= limit
    )


def _edges(space: WorldSpace, node: Node) -> set[tuple[int, int]]:
    joined = set()
    for item in node.sequence("a list of edges [value, value]"):
        parts = item.sequence("an edge [value, value]").items
        if len(parts) != 2:
            raise item.fail("S014", "an edge is [value, value]", "write [a, b]")
        left, right = (value_code(space, part) for part in parts)
        if left == right:
            hint = "leave it out, or write two different values"
            raise item.fail("S604", "an edge joins two different values", hint)
        joined.add((left, right))
    return joined


def value_code(space: WorldSpace, node: Node) -> int:
    """The code of a record value of `space` that a `node` writes as names do (`a1/b1`, `⊥`)."""
    text = node.scalar("a value of the domain").text
    code = space.value_code(text)
    if code is None:
        hint = choice(text, space.value_names, "values")
        raise node.fail("S604", f"'{text}' is not a value of a record", hint)
    return code


def _adjacency(space: WorldSpace, joined: Adjacency, absent: bool = False) -> np.ndarray:
    size = len(space.record_values)
    codes = [code for code in range(size) if absent or code != space.absent_code]
    graph = np.zeros((size, size), dtype=bool)
    for a in codes:
        for b in codes:
            graph[a, b] = a != b and joined(a, b)
    return graph
