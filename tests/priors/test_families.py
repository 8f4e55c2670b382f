"""Classes of priors that are polynomial families, against plain loops over their parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Json, Space, decide
from tests.priors import families
from tests.priors.families import Family, ratios
from verifier.claim import Answer

F = Fraction
EXAMPLES = settings(max_examples=40, deadline=None)
SMALL = drawn.spaces(attributes=False).filter(lambda space: 1 < space.size < 9)
TWO = drawn.spaces(attributes=False, absent=False).filter(
    lambda space: len(space.values) == 2 and space.size > 1
)


@st.composite
def drawn_families(draw: drawn.Draw, kind: str) -> tuple[Space, Family]:
    if kind == "iid":
        space = draw(SMALL)
        return space, families.iid(space)
    if kind == "product":
        space = draw(SMALL)
        return space, families.independent(space)
    if kind == "hedging":
        space = draw(drawn.spaces(attributes=False, constrained=False).filter(lambda s: s.size < 9))
        return space, draw(families.hedging(space))
    space = draw(TWO)
    return space, draw(families.markov(space))


def first_values(space: Space) -> list[list[int]]:
    """The worlds of each value of the first record."""
    first = [w[0] for w in space.databases]
    return [[w for w, x in enumerate(first) if x == v] for v in dict.fromkeys(first)]


def check(space: Space, columns: Any, keyword: Any, level: str, **more: str) -> Json:
    sets = first_values(space)
    names = {f"s{k}": [space.names[w] for w in s] for k, s in enumerate(sets)}
    pairs = [[a, b] for a in names for b in names if a < b]
    return {
        "worlds": space.node,
        "secrets": names,
        "mechanism": drawn.table(space, columns),
        "checks": [
            {"pufferfish": {"pairs": pairs, "priors": keyword, "exp_epsilon": level, **more}}
        ],
    }


def bounds(answer: Answer) -> tuple[Fraction, Fraction | None]:
    found = answer.leakage
    if found is None or found.infinite:
        return F(1), None
    return found.bounds or (found.exp_epsilon or F(1),) * 2


@pytest.mark.parametrize("kind", ["iid", "product", "hedging", "markov"])
def test_no_prior_exceeds_the_level(kind: str) -> None:
    @EXAMPLES
    @given(st.data(), st.sampled_from(["1", "3/2", "3", "1000000"]))
    def within(data: st.DataObject, level: str) -> None:
        space, family = data.draw(
            drawn_families(kind).filter(lambda drawn: len(first_values(drawn[0])) > 1)
        )
        columns = data.draw(drawn.matrices(space.size))
        answer = decide(check(space, columns, family.keyword, level))
        _, high = bounds(answer)
        for _ in range(5):
            weights = family.weights(families.parameters(data.draw, family.sizes))
            found = ratios(columns, weights, first_values(space))
            assert high is None or (found is not None and found <= high)
            assert answer.verdict == "violated" or (found is not None and found <= F(level))
        if answer.witness and kind != "hedging":
            weights = [F(answer.witness["prior"].get(name, 0)) for name in space.names]
            found = ratios(columns, weights, first_values(space))
            assert found is None or found > F(level)
            assert sum(weights) == 1

    within()
