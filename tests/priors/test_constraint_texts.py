"""How constraints on priors are read, and what a class of them may be refused for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.definitions.drawn import Json, decide, read
from verifier.base.errors import InputError
from verifier.questions.claim import PolytopeClaim
from verifier.run import verify

F = Fraction
RECORDS: Json = {"records": ["ann", "bob"], "domain": {"age": ["20", "60"], "ill": ["yes", "no"]}}


def rows_of(*constraints: str) -> list[tuple[str, dict[int, list[int]]]]:
    """The rows of constraints about two people, w/ worlds 0 to 15: ann's age and illness first."""
    spec = {
        "worlds": RECORDS,
        "secrets": {"sick": "ann.ill == 'yes'", "well": "not sick"},
        "mechanism": {"deterministic": "ann.age"},
        "checks": [{"pufferfish": {"exp_epsilon": "1", "pairs": [["sick", "well"]]}}],
        "priors": {"constraints": list(constraints)},
    }
    (check,) = read(spec)
    claim = verify.asked(check).claim
    assert isinstance(claim, PolytopeClaim)
    return [(row.sense, dict(row.coefficients)) for row in claim.cone.rows]


SICK = [*range(4), *range(8, 12)]
WELL = [*range(4, 8), *range(12, 16)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("P(sick) <= 1/4", [("<=", {3: SICK, -1: WELL})]),
        ("P(sick) >= 1/4", [("<=", {-3: SICK, 1: WELL})]),
        ("0.25 >= P(sick)", [("<=", {3: SICK, -1: WELL})]),
        ("P(sick) == 1/4", [("=", {3: SICK, -1: WELL})]),
        ("P(sick) in [1/4, 1/4]", [("=", {3: SICK, -1: WELL})]),
        ("P( sick )in[1/4,1/2]", [("<=", {1: SICK, -1: WELL}), ("<=", {-3: SICK, 1: WELL})]),
        ("1/4 <= P(sick) <= 1/2", [("<=", {-3: SICK, 1: WELL}), ("<=", {1: SICK, -1: WELL})]),
        ("P(sick) / P(well) <= 3", [("<=", {1: SICK, -3: WELL})]),
        ("3 >= P(sick) / P(well)", [("<=", {1: SICK, -3: WELL})]),
        ("P(sick) / P(well) in [1, 3]", [("<=", {1: SICK, -3: WELL}), ("<=", {-1: SICK, 1: WELL})]),
        ("P(sick) <= 3 * P(well)", [("<=", {1: SICK, -3: WELL})]),
        ("P(sick) - P(well) / 2 <= 0", [("<=", {2: SICK, -1: WELL})]),
        ("P(20/yes, 20/yes) >= P((60/no, 60/no))", []),
        ("P((20/yes, 20/yes)) >= P((60/no, 60/no))", [("<=", {-1: [0], 1: [15]})]),
        ("P(ann.age == 20 | sick) <= 1/2", [("<=", {1: SICK[:4], -1: SICK[4:]})]),
        ("P(ann.age == 20 or well | sick) <= 1/2", [("<=", {1: SICK[:4], -1: SICK[4:]})]),
        (
            "P(bob.ill == 'yes' | ann.age == 20) + P(sick | ann.age == 20) <= 1/2",
            [("<=", {3: [0, 2], 1: [1, 3, 4, 6], -1: [5, 7]})],
        ),
    ],
)
def test_rows_by_hand(text: str, rows: Any) -> None:
    if rows:
        assert rows_of(text) == [(sense, groups) for sense, groups in rows]
    else:
        with pytest.raises(InputError):
            rows_of(text)


def refused(*constraints: str) -> InputError:
    """Of three worlds a, b, c, with s = {a} against t = {b, c}."""
    table = {"outputs": ["x", "y"], "a": ["1/2", "1/2"], "b": ["1/3", "2/3"], "c": ["1/4", "3/4"]}
    spec = {
        "worlds": ["a", "b", "c"],
        "secrets": {"s": ["a"], "t": ["b", "c"]},
        "mechanism": {"table": table},
        "priors": {"constraints": list(constraints)},
        "checks": [{"pufferfish": {"exp_epsilon": "3", "pairs": [["s", "t"]]}}],
    }
    (check,) = read(spec)
    with pytest.raises(InputError) as caught:
        verify.asked(check)
    return caught.value


@pytest.mark.parametrize(
    ("constraints", "together"),
    [
        (
            ["P(b) <= 1/2", "P(a) >= 1/2", "P(c) >= 0", "P(t) >= 2/3"],
            "'P(a) >= 1/2', 'P(t) >= 2/3'",
        ),
        (
            ["P(a) == 1/2", "P(b) == 1/4", "P(c) == 1/5"],
            "'P(a) == 1/2', 'P(b) == 1/4', 'P(c) == 1/5'",
        ),
        (["P(a | s) <= 1/2", "P(a) >= 1/10"], "'P(a | s) <= 1/2', 'P(a) >= 1/10'"),
        (["P(t) <= 1", "P(s) / P(t) <= 0", "P(t) <= 0"], "'P(s) / P(t) <= 0', 'P(t) <= 0'"),
    ],
)
def test_contradictions_are_named(constraints: list[str], together: str) -> None:
    """The least that cannot be met together, at the first of them."""
    error = refused(*constraints)
    assert (error.code, error.message) == ("S511", f"no prior satisfies {together}")
    first = together.split("'")[1]
    assert error.excerpt is not None and error.place is not None
    assert error.excerpt[error.place.column :].startswith(first)


def test_a_named_secret_is_possible_under_some_prior() -> None:
    error = refused("P(a) <= 0")
    assert (error.code, error.message) == ("S403", "'s' has probability 0 under every prior")


def test_vacuous_where_no_prior_allows_both() -> None:
    """Generated secrets: ann and bob are 0 under every prior."""
    spec = {
        "worlds": {"records": ["ann", "bob"], "domain": ["0", "1"]},
        "mechanism": {"randomized_response": {"truth": "3/4"}},
        "priors": {"constraints": ["P(ann + bob == 0) == 1"]},
        "checks": [{"noiseless": {"exp_epsilon": "1"}}],
    }
    answer = decide(spec)
    assert answer.leakage is not None and answer.leakage.vacuous and answer.verdict == "holds"
    assert any("'ann = 1' has probability 0" in note for note in answer.scope["notes"])
    spec["priors"] = {"constraints": ["P(ann == 1) == 0"]}
    answer = decide(spec)  # bob's values are compared, ann's are skipped
    assert answer.leakage is not None and answer.leakage.exp_epsilon == 3
    assert any("'ann = 1' has probability 0" in note for note in answer.scope["notes"])


def test_fixed_odds_and_many_outputs() -> None:
    """With P(s) = 1/2, P(o | s) <= 1 − 1/5 for the output that w0 and w1 share."""
    names = [f"w{k}" for k in range(30)]
    outputs = [f"o{k}" for k in range(15)]
    rows = {n: [str(int(k // 2 == o)) for o in range(15)] for k, n in enumerate(names)}
    half = F(1, 2)
    spec = {
        "worlds": names,
        "secrets": {"s": names[::2], "t": names[1::2]},
        "pairs": [["s", "t"]],
        "mechanism": {"table": {"outputs": outputs, **rows}},
        "priors": {"constraints": ["P(s) == 1/2", *(f"P({n}) in [1/40, 1/20]" for n in names)]},
        "checks": [{"pufferfish": {"exp_epsilon": "2"}}],
    }
    answer = decide(spec)
    assert answer.leakage is not None and answer.leakage.exp_epsilon == F(1, 20) / half / (
        F(1, 40) / half
    )
