"""Neighbours under constraints: pairs of worlds with a minimal set of changes.

From a fixed world w, write what a world w' changes as a vector with one code per record, 0 for
"nothing". A vector lies below another where each of its codes is 0 or the same. The neighbours
of w are the worlds with minimal vectors, found for all w' at once: one pass per record over a
table of all vectors marks everything above a world that exists. Third worlds are never tried one
by one; the cost per w is that of the table, or, where the table would be much larger than the
number of worlds, that of comparing minimal vectors with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np

from verifier.base.errors import InputError, LimitReached
from verifier.world.relation import NAMED, Blocks, Relation, keys, listing
from verifier.world.worlds import WorldSpace

MAX_WORLDS = 50_000
TABLE = 64  # the table of vectors may be this much larger than the number of worlds


def blowfish(space: WorldSpace, edges: np.ndarray) -> Relation:
    """Blowfish neighbours in `space` (He et al. 2014, Definition 4.1, with T(w, w'') non-empty).

    edges  shape (records, k, k) over the k values of a record: the discriminative secret graphs

    (w, w') is a pair when T(w, w') = {(i, x, y): record i goes from x to y, (x, y) an edge} is
    not empty, no world w'' has a non-empty T(w, w'') properly inside it, and no w'' with the
    same T has a properly smaller set of changed (individual, value) tuples: fewer records
    change, or one is deleted instead of changed. The relation need not be symmetric.
    """
    codes, sizes, middle = _codes(space)
    record = np.arange(len(codes))[:, None]
    neighbours = []
    for here in codes.T[:, :, None]:
        moved = codes != here
        changes = np.where(moved, codes + 1, 0)
        secret = np.where(moved & edges[record, here, codes], changes, 0)
        found = np.flatnonzero(secret.any(axis=0))
        found = found[minimal(secret[:, found], sizes)]
        same = keys(secret[:, found], len(found))
        _, group, count = np.unique(same, return_inverse=True, return_counts=True)
        keep = count[group] == 1
        for several in np.flatnonzero(count > 1):
            members = np.flatnonzero(group == several)
            keep[members] = minimal(changes[:, found[members]], sizes, middle)
        neighbours.append(found[keep])
    return related(neighbours)


def induced(space: WorldSpace) -> Relation:
    """Induced neighbours (Kifer, Machanavajjhala, Pufferfish paper, Def. 10.3).

    Moves add or delete one (individual, value) tuple; (w, w') is a pair when no non-empty proper
    subset of the moves from w to w' leads to a world of the space. A changed record is two
    moves, and deleting alone leads to the world where it is absent, if there is one.
    """
    codes, sizes, middle = _codes(space)
    neighbours = []
    for here in codes.T[:, :, None]:
        changes = np.where(codes != here, codes + 1, 0)
        found = np.flatnonzero(changes.any(axis=0))
        neighbours.append(found[minimal(changes[:, found], sizes, middle)])
    return related(neighbours)


def minimal(vectors: np.ndarray, sizes: Sequence[int], middle: int | None = None) -> np.ndarray:
    """Which columns of `vectors` (all non-zero) have no other non-zero column below them.

    vectors  shape (records, m), codes below `sizes`
    middle   a code that lies between 0 and every other code (the record is absent)
    """
    if not vectors.size:
        return np.zeros(vectors.shape[1], dtype=bool)
    if prod(sizes) <= TABLE * max(64, vectors.shape[1]):
        return _minimal_by_table(vectors, sizes, middle)
    return _minimal_by_pairs(vectors, middle)


def _minimal_by_table(vectors: np.ndarray, sizes: Sequence[int], middle: int | None) -> np.ndarray:
    above = np.zeros(sizes, dtype=bool)  # becomes: some column lies at or below this vector
    above[tuple(vectors)] = True
    for axis in range(len(sizes)):
        view = np.moveaxis(above, axis, 0)
        if middle is not None:
            view[middle] |= view[0]
            view[1:] |= view[middle]
        else:
            view[1:] |= view[0]
    keep = np.ones(vectors.shape[1], dtype=bool)
    for axis in range(len(sizes)):
        for lower in (0,) if middle is None else (0, middle):
            below = vectors.copy()
            below[axis] = lower
            smaller = (vectors[axis] != lower) & (vectors[axis] != 0)
            keep &= ~(smaller & above[tuple(below)])
    return keep


def _minimal_by_pairs(vectors: np.ndarray, middle: int | None) -> np.ndarray:
    rank = (vectors != 0).sum(axis=0)
    if middle is not None:
        rank = rank + ((vectors != 0) & (vectors != middle)).sum(axis=0)
    order = np.argsort(rank, kind="stable")
    keep = np.ones(vectors.shape[1], dtype=bool)
    for at, column in enumerate(order):
        later = order[at + 1 :]
        later = later[keep[later] & (rank[later] > rank[column])]
        if not keep[column] or not len(later):
            continue
        low, high = vectors[:, column, None], vectors[:, later]
        inside = (low == 0) | (low == high)
        if middle is not None:
            inside |= (low == middle) & (high != 0)
        keep[later[inside.all(axis=0)]] = False
    return keep


def _codes(space: WorldSpace) -> tuple[np.ndarray, list[int], int | None]:
    """The codes of the records, and `sizes` and `middle` of the vectors of changes."""
    if not space.records:
        raise InputError("S603", "these neighbours need worlds made of records", hint=NAMED)
    if space.size > MAX_WORLDS:
        raise LimitReached(
            f"neighbours under constraints are searched among at most {MAX_WORLDS} worlds, "
            f"here are {space.size}"
        )
    sizes = [len(space.record_values) + 1] * len(space.records)
    middle = None if space.absent_code is None else space.absent_code + 1
    return space.record_codes.astype(np.int64), sizes, middle


def related(neighbours: Sequence[np.ndarray]) -> Relation:
    """The relation in which each world is compared with its listed neighbours."""
    size = len(neighbours)
    left = np.repeat(np.arange(size), [len(others) for others in neighbours])
    right = np.concatenate(neighbours).astype(np.int64)
    blocks = (Blocks(left[:, None], right[:, None]),) if len(left) else ()
    symmetric = np.isin(right * size + left, left * size + right).all()
    notes = () if symmetric else ("the neighbour relation is not symmetric",)
    return Relation(
        blocks, listing({Fraction(1): (others.tolist() for others in neighbours)}), notes
    )
