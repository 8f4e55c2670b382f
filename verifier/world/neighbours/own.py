"""Neighbours that a file gives by itself: pairs of worlds, or an expression about two of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import LimitReached
from verifier.world.language.evaluate import related
from verifier.world.relation import Relation, listed, listing_of
from verifier.world.worlds import WorldSpace

KEYS = ("pairs", "where")
MAX_PAIRS = 4 * 10**6  # of worlds, for which an expression is evaluated


def stated(node: Mapping) -> dict[str, Any]:
    """The neighbours of a `node` as a certificate states them: names and expressions as written,
    pairs in canonical order."""
    key = next(key for key in KEYS if key in node.table)
    if key == "pairs":
        pairs = [item.sequence().items for item in node[key].sequence()]
        listed = [[name.scalar().text for name in names] for names in pairs]
        said: Any = sorted(listed if _is_directed(node) else map(sorted, listed))
    else:
        said = node[key].scalar().text
    return {key: said, **({"directed": "true"} if _is_directed(node) else {})}


def _is_directed(node: Mapping) -> bool:
    flag = node.table.get("directed")
    return flag is not None and flag.flag()


def read_relation(space: WorldSpace, node: Mapping) -> Relation:
    """The relation that a `node` gives over `space`: `pairs` of worlds, or those `where` an
    expression about two of them, w and v, holds; both ways unless it is `directed`.

    InputError S208 for an unknown world, S603 for a pair of one world, and as of expressions.
    """
    node.check_keys((*KEYS, "directed"))
    given = {key.text: value for key, value in node.entries if key.text in KEYS}
    if len(given) > 1:
        hint = "leave one of the two out"
        raise node.fail("S014", "neighbours are given twice, by pairs and by where", hint)
    ((key, value),) = given.items()
    found = set(_listed(space, value) if key == "pairs" else _where(space, value.scalar()))
    found |= set() if _is_directed(node) else {(v, w) for w, v in found}
    blocks = tuple(listed(found))
    return Relation(blocks, listing_of(space.size, blocks))


def _listed(space: WorldSpace, node: Node) -> Iterator[tuple[int, int]]:
    for item in node.sequence("a list of pairs [world, world]"):
        names = item.sequence("a pair [world, world]").items
        if len(names) != 2:
            raise item.fail("S014", "a pair is [world, world]", "write [a, b]")
        w, v = (space.locate(name.scalar("a world")) for name in names)
        if w == v:
            hint = "leave it out, or write two different worlds"
            raise item.fail("S603", "a world is no neighbour of itself", hint)
        yield w, v


def _where(space: WorldSpace, expression: Scalar) -> Iterator[tuple[int, int]]:
    if space.size**2 > MAX_PAIRS:
        said = f"an expression about two of {space.size} worlds is evaluated too often"
        raise LimitReached(f"{said}: {MAX_PAIRS} pairs at most")
    for v, holds in enumerate(related(space, expression)):
        yield from ((w, v) for w in np.flatnonzero(holds).tolist() if w != v)
