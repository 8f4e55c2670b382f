"""Examples made simpler stay examples, and their text says the same as they do."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.base import document
from verifier.spec import reading
from verifier.studies.search.example import Example, name, rounded

SETTINGS = examples(60)


@st.composite
def distributions(draw: st.DrawFn, names: list[str]) -> dict[str, Fraction]:
    shares = draw(st.lists(st.integers(0, 7), min_size=len(names), max_size=len(names)).filter(any))
    return {
        n: Fraction(share, sum(shares)) for n, share in zip(names, shares, strict=True) if share
    }


@st.composite
def examples(draw: st.DrawFn) -> Example:
    size = draw(st.integers(2, 4))
    worlds = ["10", "no", "ann = 1", "(a, b)"][:size]
    outputs = ["yes", "it's", "{x: 1}"][: draw(st.integers(1, 3))]
    cut = draw(st.integers(1, size - 1))
    rows = {w: draw(distributions(outputs)) for w in worlds}
    even = {w: Fraction(1, size) for w in worlds}
    secrets = {"s": tuple(worlds[:cut]), "not s": tuple(worlds[cut:])}
    return Example(tuple(worlds), secrets, (("s", "not s"),), (even,), tuple(outputs), rows)


@SETTINGS
@given(examples())
def test_the_text_is_read_as_the_example(example: Example) -> None:
    text = example.spec("a: title", "'", ["pufferfish: {exp_epsilon: 1}\nmechanism: once"])
    _, (check,) = reading.read(document.parse(text), Path("found.yaml"))
    assert tuple(check.space.names(range(check.space.size))) == example.worlds
    mechanism = check.mechanism()
    assert mechanism.outputs == example.outputs
    for at, world in enumerate(example.worlds):
        column = [mechanism.probability(o, at) for o in range(len(example.outputs))]
        assert column == [example.rows[world].get(o, 0) for o in example.outputs]
    (pair,) = check.pairs().listed
    for secret in pair:
        inside = tuple(w for w, i in zip(example.worlds, secret.worlds, strict=True) if i)
        assert inside == example.secrets[secret.name]


@SETTINGS
@given(examples())
def test_simpler_examples_are_valid(example: Example) -> None:
    for other in example.simpler():
        assert set(other.rows) == set(other.worlds) <= set(example.worlds)
        for row in (*other.rows.values(), *other.priors):
            assert sum(row.values()) == 1 and min(row.values()) > 0
        assert all(set(row) <= set(other.outputs) for row in other.rows.values())
        assert all(other.secrets.values())


@SETTINGS
@given(distributions(["a", "b", "c"]), st.integers(1, 9))
def test_rounding_stays_within_one_step(given_row: dict[str, Fraction], denominator: int) -> None:
    found = rounded(given_row, denominator)
    assert sum(found.values()) == 1
    for key, p in given_row.items():
        assert abs(found.get(key, 0) - p) < Fraction(1, denominator)
        assert (found.get(key, Fraction(0)) * denominator).denominator == 1


@pytest.mark.parametrize("text", ["a\x85b", "a\u2028b", "a\tb", "\ufeffa", "é 😀", "\u00a0", "\\"])
def test_names_are_read_as_they_are(text: str) -> None:
    """Some characters end a line of YAML, or may not stand in it."""
    (item,) = document.parse(f"[{name(text)}]").sequence("").items
    assert item.scalar("").text == text
