"""Drawn checks of definitions that give conditional distributions of the records.

Unknown distributions enter linearly here: given a value of one of two records, or of one record
that is not in the data. Then the largest ratio is at a point mass, so finitely many columns do.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.cases import DELTAS, ONE, Case, rows_of, spec_of
from tests.definitions.drawn import Draw, Json
from tests.definitions.plain import Column, Pair
from verifier.definitions import hedging_privacy, single_prior_privacy

WEIGHTS = ["0", "1/1000", "1/3", "1", str(1 - drawn.TINY)]


def values_of(space: drawn.Space) -> list[Any]:
    return [*space.values, *([None] if space.absent else [])]


def weights_given(
    space: drawn.Space, record: int | None, found: Any, unknown: Any, known: Any, weight: Fraction
) -> list[Fraction]:
    """P(world | record has a value), or P(world | it is not in the data) for None."""
    mass = []
    for database in space.databases:
        p, q = 1 - weight, weight
        for at, x in enumerate(database):
            if at != record:
                p, q = p * unknown[x], q * known[x]
        inside = record is None or database[record] == found
        mass.append(p + q if inside else Fraction(0))
    return mass


@st.composite
def given_directly(draw: Draw, keyword: str) -> Case:
    space = draw(
        drawn.spaces(constrained=False).filter(
            lambda space: space.size < 7 and len(space.databases[0]) < 3
        )
    )
    columns, count = draw(drawn.matrices(space.size)), len(space.databases[0])
    values = values_of(space)
    known = dict(zip(values, draw(drawn.distributions(len(values))), strict=True))
    weight = ONE if keyword == "single_prior_privacy" else Fraction(draw(st.sampled_from(WEIGHTS)))
    kind = "values" if count > 1 and weight < 1 else draw(st.sampled_from(["values", "presence"]))
    models = [{x: Fraction(x == y) for x in values} for y in values] if weight < 1 else [known]
    conditionals: list[Column] = []
    distances: dict[Pair, Fraction] = {}

    def compare(*sides: list[Fraction]) -> None:
        at = len(conditionals)
        for mass in sides:
            outputs = zip(*columns, strict=True)
            conditionals.append(
                [
                    sum((m * p for m, p in zip(mass, row, strict=True)), Fraction(0))
                    for row in outputs
                ]
            )
        distances.update({(at, at + 1): ONE, (at + 1, at): ONE})

    for model in models:
        for i in range(count):
            given = [weights_given(space, i, x, model, known, weight) for x in values]
            if kind == "values":
                for pair in combinations(given, 2):
                    compare(*pair)
            else:
                gone = weights_given(space, None, None, model, known, weight)
                for mass in given:
                    compare(mass, gone)
    delta, rows = draw(st.sampled_from(DELTAS)), rows_of(columns)
    texts = {drawn.value_text(x): str(p) for x, p in known.items()}
    options: Json = {"known": texts, **({"delta": str(delta)} if delta else {})}
    options |= {"pairs": kind} if kind == "values" or draw(st.booleans()) else {}

    def excess(alpha: Fraction) -> Fraction:
        if keyword == "single_prior_privacy":
            return single_prior_privacy.value(rows, space.databases, known, alpha, kind)
        return hedging_privacy.value(rows, space.databases, known, weight, models, alpha, kind)

    if keyword == "hedging_privacy":
        options["weight"] = str(weight)
    return Case(spec_of(space, columns), keyword, options, conditionals, distances, excess, delta)
