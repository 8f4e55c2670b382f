"""Certificates of kind "sensitivity": the largest L1 distance of a query at two related worlds."""

from itertools import product
from math import lcm
from typing import Any

from .reading import Refused, Rejected, fields, number, read_claim, read_evidence, read_model, show
from .relation import read_blocks, world_pair

RULES = ("replace", "add_remove", "entry", "all", "pairs")


def check_sensitivity(document: dict[str, Any]) -> None:
    """Return if the evidence proves the claim, else raise Rejected or Refused."""
    claim, witness = document["claim"], read_evidence(document["evidence"])
    holds = read_claim(claim, ("value", "equals"))
    value = number(claim["value"], "the value")
    model = read_model(document["model"], claim["digest"])
    if model.functions is None or not model.functions:
        raise Refused("a sensitivity needs functions in the model")
    blocks = read_blocks(document["relation"], model, RULES)

    scale = lcm(*(v.denominator for row in model.functions for v in row))
    rows = [[v.numerator * (scale // v.denominator) for v in row] for row in model.functions]
    points = list(zip(*rows, strict=True))

    def distance(i: int, j: int) -> int:
        """`scale` times the L1 distance of the functions at two worlds."""
        return sum(abs(x - y) for x, y in zip(points[i], points[j], strict=True))

    claimed = value * scale
    for first, second, _ in blocks:
        for i, j in product(first, second):
            if distance(i, j) > claimed:
                pair = f"{show(model.worlds[i])} and {show(model.worlds[j])}"
                raise Rejected(f"the value is too small: {pair} are further apart")
    if witness is not None:
        fields(witness, "the witness", ("pair",))
        i, j = world_pair(witness["pair"], len(model.worlds))
        if not any(i in first and j in second for first, second, _ in blocks):
            raise Rejected("the witness is not a pair of the relation")
        if distance(i, j) != claimed:
            raise Rejected("the value is too large, or the witness wrong: its distance is less")
    elif value != 0:
        raise Rejected("a value other than 0 needs a witness")
    if holds != (claim["equals"] is None or number(claim["equals"], "equals") == value):
        raise Rejected(f"wrong verdict for the value {show(value)}")
