"""`related`: another person's data and mechanism, against the sum of Equation 22."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.mechanisms.building import BITS, NAMED, F, build, rows, table
from verifier.errors import InputError

OTHERS = ["x", "y", "z"]
ONE_OUTPUT = table({name: {"o": 1} for name in OTHERS})


def related(given: dict[str, Any], mechanism: Any = ONE_OUTPUT, worlds: Any = OTHERS) -> Any:
    return {"related": {"worlds": worlds, "given": given, "mechanism": mechanism}}


@settings(max_examples=40, deadline=None)
@given(
    drawn.matrices(3),
    st.lists(drawn.distributions(3), min_size=3, max_size=3),
)
def test_the_sum_over_the_other_worlds(
    columns: list[list[Fraction]], conditionals: list[list[Fraction]]
) -> None:
    outputs = [f"o{k}" for k in range(len(columns[0]))]
    mechanism = table(
        {
            name: {o: str(p) for o, p in zip(outputs, column, strict=True)}
            for name, column in zip(OTHERS, columns, strict=True)
        }
    )
    phi = {
        world: {"worlds": {name: str(p) for name, p in zip(OTHERS, likely, strict=True)}}
        for world, likely in zip(NAMED, conditionals, strict=True)
    }
    made = rows(build(related(phi, mechanism)))
    for world, likely in zip(NAMED, conditionals, strict=True):
        for k, output in enumerate(outputs):
            total = sum(likely[d] * columns[d][k] for d in range(3))
            assert made[world].get(output, 0) == total


def test_secrets_and_worlds_may_be_mixed() -> None:
    response = {"randomized_response": {"truth": "3/4"}}
    made = build(
        related(
            {"first_is_0": {"iid": {"0": "1/4", "1": "3/4"}}, "10": "uniform", "11": "uniform"},
            response,
            {"records": ["bob"], "domain": [0, 1]},
        ),
        BITS,
        secrets={"first_is_0": "r1 == 0"},
    )
    # 1/4 3/4 + 3/4 1/4 = 3/8
    assert rows(made, ["00", "01", "10", "11"]) == {
        "00": {"0": F(3, 8), "1": F(5, 8)},
        "01": {"0": F(3, 8), "1": F(5, 8)},
        "10": {"0": F(1, 2), "1": F(1, 2)},
        "11": {"0": F(1, 2), "1": F(1, 2)},
    }


def test_related_to_someone_who_is_related() -> None:
    """Carol's data depend on Bob's, and Bob's on Alice's."""
    last = table({"c0": {"a": 1}, "c1": {"b": 1}})
    carol = related({"x": {"worlds": {"c0": 1}}, "y": "uniform"}, last, ["c0", "c1"])
    made = build(related(dict.fromkeys(NAMED, "uniform"), carol, ["x", "y"]))
    assert rows(made)["u"] == {"a": F(3, 4), "b": F(1, 4)}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"u": "uniform", "v": "uniform"}, "S107"),
        ({"u": "uniform", "v": "uniform", "w": "uniform", "x": "uniform"}, "S107"),
        ({"u": "uniform", "pair": "uniform", "w": "uniform"}, "S107"),
        ({"pair": "uniform", "w": {"worlds": {"x": "1/2"}}}, "S504"),
        ({"pair": "uniform", "w": {"worlds": {"u": "1"}}}, "S504"),
    ],
)
def test_refusals(given: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError, match=code):
        build(related(given), secrets={"pair": ["u", "v"]})


def test_the_other_worlds_know_no_names_of_the_file() -> None:
    with pytest.raises(InputError, match="S106"):
        build(related(dict.fromkeys(NAMED, "uniform"), "other"))
