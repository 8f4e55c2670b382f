"""Certificates of kind "sensitivity": the largest L1 distance of a query at two related worlds."""

from itertools import product
from typing import Any

from .level import read_vacuous
from .reading import Rejected, afford, fields, indices, items, need, number, numbers
from .relation import read_blocks


def check_sensitivity(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the value is as expected, if it is the sensitivity; else raise."""
    bound = "at_most" if "at_most" in claim else "equals"
    points = list(zip(*map(numbers, items(model["functions"])), strict=True))
    need(len(points) == len(model["worlds"]), "a function has one value per world")
    blocks = read_blocks(relation, model)
    read_vacuous(claim, f"value {bound}", not blocks)

    def distance(p: Any, q: Any) -> Any:
        return sum(abs(x - y) for x, y in zip(p, q, strict=True))

    kinds = {point: kind for kind, point in enumerate(dict.fromkeys(points))}
    of, listed = [kinds[point] for point in points], list(kinds)  # equal points are compared once
    sides = [({of[i] for i in s}, {of[j] for j in t}) for s, t, _ in blocks]
    afford(sum(len(s) * len(t) for s, t in sides) * 50 * len(points[0]))
    found = {pair for s, t in sides for pair in product(s, t)}
    largest = max((distance(listed[a], listed[b]) for a, b in found), default=0)
    need(number(claim["value"]) == largest, "the sensitivity is another", Rejected)
    if largest or witness is not None:
        fields(witness, "pair")
        i, j = indices(witness["pair"], len(points))
        related = i != j and any(i in s and j in t for s, t, _ in blocks)
        attained = related and distance(points[i], points[j]) == largest
        need(attained, "the witness does not attain the sensitivity", Rejected)
    if bound == "at_most":
        return bool(largest <= number(claim["at_most"]))
    return claim["equals"] is None or number(claim["equals"]) == largest
