"""Certificates of kind "sensitivity": the largest L1 distance of a query at two related worlds."""

from itertools import product
from typing import Any

from .reading import Rejected, check_digest, fields, need, number
from .relation import read_blocks


def check_sensitivity(document: dict[str, Any]) -> None:
    """Return if the evidence proves the claim, else raise."""
    claim, model = document["claim"], document["model"]
    fields(claim, "definition kind verdict digest value equals")
    check_digest(model, claim["digest"])
    points = list(zip(*(map(number, row) for row in model["functions"]), strict=True))
    need(len(points) == len(model["worlds"]), "a function has one value per world")
    blocks = read_blocks(document["relation"], model)

    def distance(pair: tuple[Any, Any]) -> Any:
        return sum(abs(x - y) for x, y in zip(*pair, strict=True))

    kinds = {point: kind for kind, point in enumerate(dict.fromkeys(points))}
    of, listed = [kinds[point] for point in points], list(kinds)  # equal points are compared once
    found = {pair for s, t, _ in blocks for pair in product({of[i] for i in s}, {of[j] for j in t})}
    largest = max((distance((listed[a], listed[b])) for a, b in found), default=0)
    need(number(claim["value"]) == largest, f"the sensitivity is {largest}", Rejected)
    fields(document["evidence"], "witness")
    if largest or document["evidence"]["witness"] is not None:
        fields(document["evidence"]["witness"], "pair")
        i, j = document["evidence"]["witness"]["pair"]
        related = i != j and any(i in s and j in t for s, t, _ in blocks)
        attained = related and distance((points[i], points[j])) == largest
        need(attained, "the witness does not attain the sensitivity", Rejected)
    holds = claim["equals"] is None or number(claim["equals"]) == largest
    need(claim["verdict"] == ("holds" if holds else "violated"), "wrong verdict", Rejected)
