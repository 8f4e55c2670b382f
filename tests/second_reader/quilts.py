"""Whether a certificate about dependent records without worlds asks what its file says."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

from tests.second_reader.files import Question, Secrets
from tests.second_reader.secrets import holding
from tests.second_reader.spaces import Space
from tests.second_reader.values import text


def differences(question: Question, relation: Any, model: dict[str, Any]) -> Iterator[str]:
    """In what the values of a record, the names, the secrets or the priors are others."""
    space, secrets = question.space, question.compared
    assert isinstance(secrets, Secrets)
    if model["worlds"] != [text(value) for value in space.domain]:
        yield "values of a record"
    elif tuple(model["people"]) != space.records:
        yield "names of records"
    else:
        if frozenset(pairs(relation, space)) != secrets.pairs:
            yield "pairs of secrets"
        if priors(relation["priors"], space) != (secrets.kind, secrets.weights):
            yield "priors"


def pairs(relation: Any, space: Space) -> Iterator[frozenset[frozenset[int]]]:
    """The pairs of secrets as sets of worlds."""
    for record, at in enumerate(relation["chosen"]):
        part = relation["parts"][at] if at >= 0 else {"pairs": ()}
        for names in part["pairs"]:
            sides = (part["secrets"][name] for name in names)
            values = (tuple(space.domain[code] for code in side) for side in sides)
            yield frozenset(holding(record, side, space) for side in values)


def priors(given: dict[str, Any], space: Space) -> tuple[str, tuple[Any, ...]]:
    """The class of priors as a reader of the file has it: a list is of the weights of worlds."""
    names = list(map(text, space.domain))
    if given["class"] == "markov":
        ends = [[tuple(map(Fraction, both)) for both in row] for row in given["transition"]]
        rows = {
            name: dict(zip(names, row, strict=True)) for name, row in zip(names, ends, strict=True)
        }
        return "markov", ((given["initial"], rows),)
    return "list", tuple(
        tuple(
            weight(prior, [names.index(text(item)) for item in world.items or ()])
            for world in space.worlds
        )
        for prior in given.get("trees", given.get("chains"))
    )


def weight(prior: dict[str, Any], codes: list[int]) -> Fraction:
    """The probability of a world; in a chain each record has the one before it as its parent."""
    parents = prior.get("parents", range(-1, len(codes) - 1))
    chosen = prior.get("chosen", range(-1, len(codes) - 1))
    tables = prior.get("transitions", [prior.get("transition")] * (len(codes) - 1))
    rows = (
        prior["initial"] if parent < 0 else tables[table][codes[parent]]
        for parent, table in zip(parents, chosen, strict=True)
    )
    return prod(
        (Fraction(row[code]) for row, code in zip(rows, codes, strict=True)), start=Fraction(1)
    )
