"""Certificates of kind "sensitivity": the largest L1 distance of a query at two related worlds."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from .comparison import Block, read_blocks
from .reading import (
    ZERO,
    afford,
    fields,
    grouped,
    indices,
    items,
    need,
    number,
    numbers,
    prove,
    read_vacuous,
)

Point = tuple[Fraction, ...]  # the query's values in a world


def check_sensitivity(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the value of a `claim` is as expected, if it is the sensitivity of the functions of a
    `model` for a `relation`, which the `witness` attains; else raise."""
    bound = "at_most" if "at_most" in claim else "equals"
    points = list(zip(*map(numbers, items(model["functions"])), strict=True))
    need(len(points) == len(model["worlds"]), "a function has one value per world")
    blocks = read_blocks(relation, model)
    read_vacuous(claim, f"value {bound}", not blocks)
    largest = _largest(points, blocks)
    prove(number(claim["value"]) == largest, "the sensitivity is another")
    if largest or witness is not None:
        i, j = indices(fields(witness, "pair")[0], len(points))
        related = i != j and any(i in s and j in t for s, t, _ in blocks)
        attained = related and _distance(points[i], points[j]) == largest
        prove(attained, "the witness does not attain the sensitivity")
    if bound == "at_most":
        return bool(largest <= number(claim["at_most"]))
    return claim["equals"] is None or number(claim["equals"]) == largest


def _largest(points: Sequence[Point], blocks: Sequence[Block]) -> Fraction:
    """The largest distance of related worlds; equal points are compared once."""
    kinds = grouped(points)
    of = {w: kind for kind, worlds in enumerate(kinds.values()) for w in worlds}
    sides = [({of[i] for i in s}, {of[j] for j in t}) for s, t, _ in blocks]
    afford(sum(len(s) * len(t) for s, t in sides) * 50 * len(points[0]))
    found, listed = {pair for s, t in sides for pair in product(s, t)}, list(kinds)
    return max((_distance(listed[a], listed[b]) for a, b in found), default=ZERO)


def _distance(p: Point, q: Point) -> Fraction:
    return sum((abs(x - y) for x, y in zip(p, q, strict=True)), ZERO)
