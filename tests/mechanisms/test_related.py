"""`related`: another person's data and mechanism, against the sum of Equation 22."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.drawing import examples
from tests.mechanisms.building import BITS, NAMED, F, build, rows, table
from verifier.base.errors import InputError

OTHERS = ["x", "y", "z"]
ONE_OUTPUT = table({name: {"o": 1} for name in OTHERS})


def related(given: dict[str, Any], mechanism: Any = ONE_OUTPUT, worlds: Any = OTHERS) -> Any:
    return {"related": {"worlds": worlds, "given": given, "mechanism": mechanism}}


@examples(40)
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


@examples(40)
@given(drawn.matrices(3), st.data())
def test_who_sees_the_first_output(columns: list[list[Fraction]], data: st.DataObject) -> None:
    first = table(named(NAMED, columns))
    outputs = [f"o{k}" for k in range(len(columns[0]))]
    later = {output: data.draw(drawn.matrices(3)) for output in outputs}
    conditionals = [data.draw(drawn.distributions(3)) for _ in NAMED]
    phi = {
        world: {"worlds": {name: str(p) for name, p in zip(OTHERS, likely, strict=True)}}
        for world, likely in zip(NAMED, conditionals, strict=True)
    }
    answers = {output: table(named(OTHERS, found)) for output, found in later.items()}
    made = related(phi, answers)
    made["related"]["sees"] = first
    found = rows(build(made))
    for world, column, likely in zip(NAMED, columns, conditionals, strict=True):
        expected = {
            f"({output}, o{k})": p * sum(likely[d] * later[output][d][k] for d in range(3))
            for output, p in zip(outputs, column, strict=True)
            for k in range(len(later[output][0]))
        }
        assert found[world] == {pair: p for pair, p in expected.items() if p}


def named(names: list[str], columns: list[list[Fraction]]) -> dict[str, dict[str, Any]]:
    """World -> output -> probability as text."""
    return {
        name: {f"o{k}": str(p) for k, p in enumerate(column)}
        for name, column in zip(names, columns, strict=True)
    }


def test_every_output_that_is_seen_has_an_answer() -> None:
    for answers, code in (({"yes": ONE_OUTPUT}, "S016"), ({"maybe": ONE_OUTPUT}, "S105")):
        made = related(dict.fromkeys(NAMED, "uniform"), answers)
        made["related"]["sees"] = table({name: {"yes": "1/2", "no": "1/2"} for name in NAMED})
        with pytest.raises(InputError, match=code):
            build(made)
