"""Distances between worlds: hamming, l1, linf on records; graphs and tables given in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from math import floor, lcm

import numpy as np

from verifier.base.document import Node, Scalar
from verifier.base.errors import InputError, LimitReached
from verifier.world import transport
from verifier.world.relation import Blocks, Relation, crossings, keys, lines, listing_of, paired
from verifier.world.worlds import WorldSpace

METRICS = ("hamming", "l1", "linf")
SINGLE = {
    "hamming": "pairs that differ in several records follow from pairs that differ in one",
    "l1": "pairs that differ by several steps follow from pairs that differ by one",
}
MAX_COMPARED = 2 * 10**8  # pairs of worlds whose distance is computed
MAX_POWER = 10**7  # numerator and denominator of a distance: powers are compared exactly


def within(space: WorldSpace, metric: str, limit: Fraction) -> Relation:
    """The pairs of different worlds of `space` at most `limit` apart by a `metric`; S604."""
    _need_records(space, metric)
    if space.is_histograms:
        blocks = tuple(_moved_within(space, metric, limit))
        return Relation(blocks, listing_of(space.size, blocks))
    pairs = [
        (world, int(other))
        for world, row, scale in _rows(space, metric)
        for other in np.flatnonzero(row <= floor(limit * scale))
        if other != world
    ]
    blocks = _batches({Fraction(1): pairs})
    return Relation(blocks, listing_of(space.size, blocks))


def all_distances(space: WorldSpace, metric: str) -> Relation:
    """Every pair of worlds of `space` with its distance, by a `metric`.

    Where no constraint removed a world, pairs that differ in one record are enough for hamming,
    and pairs that differ by one step of one entry for l1: any two worlds are joined by a chain
    of such pairs whose distances add up to theirs, and the inequalities multiply along it.
    InputError S604 for worlds that are not made of records.
    """
    _need_records(space, metric)
    if space.is_histograms:
        return _of_histograms(space, metric)
    if space.complete and metric == "hamming":
        codes, everyone = space.record_codes, np.arange(space.size)
        blocks = [
            part
            for record in range(len(codes))
            for part in lines(keys(np.delete(codes, record, axis=0), space.size), everyone)
        ]
        return _distances(space, tuple(blocks), (SINGLE["hamming"],))
    if space.complete and metric == "l1":
        return _distances(space, tuple(_steps(space)), (SINGLE["l1"],))
    found: dict[Fraction, list[tuple[int, int]]] = {}
    for world, row, scale in _rows(space, metric):
        for value in np.unique(row):
            if value:
                near = found.setdefault(Fraction(int(value), scale), [])
                near += [(world, int(other)) for other in np.flatnonzero(row == value)]
    return _distances(space, _batches(found))


def costs(space: WorldSpace, metric: str) -> Relation:
    """Every two worlds of `space`, without absent records, at their distance by a `metric`: l1, or
    `entry`, how many entries differ."""
    _need_records(space, metric)
    found: dict[Fraction, list[tuple[int, int]]] = {}
    points, scale = numeric(space) if metric == "l1" else (space.entry_codes, 1)
    here = [w for w in range(space.size) if not (space.entry_codes[:, w] < 0).any()]
    for world, other in permutations(here, 2):
        steps = points[:, world] - points[:, other]
        far = abs(steps).sum() if metric == "l1" else (steps != 0).sum()
        found.setdefault(Fraction(int(far), scale), []).append((world, other))
    return _distances(space, _batches(found))


def of_graph(space: WorldSpace, node: Node) -> Relation:
    """The graph on the worlds of `space` that a `node` lists: [world, world, length] for each edge.

    The distance is the length of a shortest path; worlds that no path joins are not compared.
    Edges are enough: the inequalities multiply along a path.
    """
    edges: dict[tuple[int, int], Fraction] = {}
    for item in node.sequence("a list of edges [world, world] or [world, world, length]"):
        parts = item.sequence("an edge [world, world] or [world, world, length]").items
        if len(parts) not in (2, 3):
            hint = "write [a, b], or [b, c, 1/2]"
            raise item.fail("S014", "an edge is [world, world] or [world, world, length]", hint)
        length = parts[2].rational("a length") if len(parts) == 3 else Fraction(1)
        left, right = (space.locate(part.scalar("a world")) for part in parts[:2])
        if left == right or length <= 0:
            hint = "write [a, b, 1/2] with two different worlds and a length above 0"
            said = "an edge joins two different worlds at a positive length"
            raise item.fail("S604", said, hint)
        for pair in ((left, right), (right, left)):
            edges[pair] = min(length, edges.get(pair, length))
    found: dict[Fraction, list[tuple[int, int]]] = {}
    for pair, length in edges.items():
        found.setdefault(length, []).append(pair)
    note = "worlds joined by longer paths follow from the edges"
    return _distances(space, _batches(found), (note,))


def read_distance(space: WorldSpace, node: Node) -> Relation:
    """The `distance` of metric privacy over `space`, a `node`: hamming, l1, linf or a graph."""
    if isinstance(node, Scalar):
        metric = node.word((*METRICS, "graph"), "distance", "S604")
        if metric == "graph":
            hint = "write {graph: [[a, b], [b, c, 1/2]]}"
            raise node.fail("S604", "a graph lists its edges", hint)
        return node.placed(lambda: all_distances(space, metric))
    _, edges = node.mapping(("graph",), "a distance").only("a distance")
    return of_graph(space, edges)


def _need_records(space: WorldSpace, metric: str) -> None:
    """InputError S604 for worlds that are not made of records."""
    if not space.records and not space.is_histograms:
        hint = "for named worlds write distance: {graph: [[a, b], [b, c, 1/2]]}"
        said = f"the distance '{metric}' needs worlds made of records"
        raise InputError("S604", said, hint=hint)


def _rows(space: WorldSpace, metric: str) -> Iterator[tuple[int, np.ndarray, int]]:
    """For each world its distances to all worlds, times the returned common denominator."""
    if space.size**2 > MAX_COMPARED:
        raise LimitReached(f"distances between all pairs of {space.size} worlds are too many")
    points, scale = (space.record_codes, 1) if metric == "hamming" else numeric(space)
    for world in range(space.size):
        moved = points != points[:, world, None]
        steps = moved if metric == "hamming" else abs(points - points[:, world, None])
        yield world, steps.max(axis=0) if metric == "linf" else steps.sum(axis=0), scale


def numeric(space: WorldSpace) -> tuple[np.ndarray, int]:
    """The entries of `space` as integers over one common denominator: shape (entries, worlds)."""
    if space.absent_code is not None:
        hint = "write hamming, or leave `absent: true` out"
        raise InputError("S604", "a numeric distance needs every record to be present", hint=hint)
    columns = space.entry_values
    for value in (v for column in columns for v in column):
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            said = f"a numeric distance needs numbers, found '{value}'"
            raise InputError("S604", said, hint="write hamming, or a domain of numbers")
    scale = lcm(*(Fraction(v).denominator for column in columns for v in column))
    tables = [[int(Fraction(v) * scale) for v in column] for column in columns]
    wide = max(abs(v) for table in tables for v in table) * 2 * len(space.entry_codes) >= 2**62
    kind = object if wide else np.int64
    return np.array(
        [
            np.array(tables[at % len(tables)], dtype=kind)[row]
            for at, row in enumerate(space.entry_codes)
        ]
    ), scale


def _steps(space: WorldSpace) -> Iterator[Blocks]:
    """The pairs that differ in one entry, from one value of its domain to the next."""
    points, scale = numeric(space)
    for at, row in enumerate(points):
        same = keys(np.delete(space.entry_codes, at, axis=0), space.size)
        for low, high in pairwise(np.unique(row).tolist()):
            for left, right in ((low, high), (high, low)):
                for part in crossings(same, row == left, row == right):
                    yield replace(part, distance=Fraction(high - low, scale))


def _gaps(space: WorldSpace, metric: str) -> tuple[np.ndarray, int]:
    """How far each value of a record is from each other one, times the returned denominator."""
    one = space.of_one_record()
    if metric == "hamming":
        return 1 - np.eye(one.size, dtype=np.int64), 1
    points, scale = numeric(one)
    gaps = abs(points[:, :, None] - points[:, None, :])
    return gaps.max(axis=0) if metric == "linf" else gaps.sum(axis=0), scale


def _moved_within(space: WorldSpace, metric: str, limit: Fraction) -> list[Blocks]:
    """The pairs of histograms of `space` at most `limit` apart by a `metric`."""
    gaps, scale = _gaps(space, metric)
    most = floor(limit * scale)
    if metric == "linf":
        return paired(transport.bottleneck(space, gaps <= most))
    return paired(transport.displaced(space, transport.costs(space, _moves(gaps), most)))


def _moves(gaps: np.ndarray) -> dict[transport.Move, int]:
    """The moves of one record, and how far each is."""
    return {(x, y): int(gaps[x, y]) for x, y in np.argwhere(gaps).tolist()}


def _of_histograms(space: WorldSpace, metric: str) -> Relation:
    """Every pair of histograms of `space` with its distance, or those that decide."""
    gaps, scale = _gaps(space, metric)
    single = space.complete and metric in SINGLE
    if metric == "linf":
        found = _widening(space, gaps)
    else:
        moves, values = _moves(gaps), len(gaps)
        known = (
            {transport.change(values, move): far for move, far in moves.items()}
            if single
            else transport.costs(space, moves, None)
        )
        found = {}
        for change, cost in known.items():
            found.setdefault(cost, []).extend(transport.displaced(space, [change]))
    blocks = [
        part for far, pairs in sorted(found.items()) for part in paired(pairs, Fraction(far, scale))
    ]
    return _distances(space, tuple(blocks), (SINGLE[metric],) if single else ())


def _widening(space: WorldSpace, gaps: np.ndarray) -> dict[int, list[transport.Found]]:
    """The pairs of histograms of `space` by how far some record has to move."""
    found: dict[int, list[transport.Found]] = {}
    seen = np.zeros(0, dtype=np.int64)
    for far in np.unique(gaps[gaps > 0]).tolist():
        ((left, right),) = transport.bottleneck(space, gaps <= far)
        pairs = left * space.size + right
        new = ~np.isin(pairs, seen)
        found[far], seen = [(left[new], right[new])], pairs
    return found


def _batches(found: dict[Fraction, list[tuple[int, int]]]) -> tuple[Blocks, ...]:
    return tuple(
        Blocks(table[:, :1], table[:, 1:], distance)
        for distance, pairs in sorted(found.items())
        if len(table := np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2))
    )


def _distances(
    space: WorldSpace, blocks: tuple[Blocks, ...], notes: tuple[str, ...] = ()
) -> Relation:
    for part in blocks:
        if max(part.distance.as_integer_ratio()) >= MAX_POWER:
            raise LimitReached(f"the distance {part.distance} needs powers of {MAX_POWER} or more")
    return Relation(blocks, listing_of(space.size, blocks), notes)
