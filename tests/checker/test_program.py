"""Certificates of linear programs, made by hand; every broken sibling is turned away."""

import json
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.checker.drafts import check, draft, sealed
from tests.checker.outcomes import accepted, rejected
from tests.pages import example
from verifier.checker import check_file
from verifier.checker.feasibility import check_program
from verifier.checker.reading import Case, Model

Json = dict[str, Any]
# maximise x + y/2 - z with a: 3 x + y <= 5, b: x - z >= -1, c: z >= 1/2, x in [0, 1], y >= 0 and
# z free: the optimum is 2, at x = 0, y = 5, z = 1/2
VALUES = ["0", "1", "3", "-1", "5", "1/2"]
PROGRAM: Json = {
    "columns": ["x", "y", "z"],
    "rows": ["a", "b", "c"],
    "values": VALUES,
    "matrix": [[[0, 1], [2, 1]], [[0, 2], [1, 3]], [[2], [1]]],
    "senses": ["<=", ">=", ">="],
    "right": [4, 3, 5],
    "objective": [1, 5, 3],
    "lower": [0, 0, None],
    "upper": [1, None, None],
}


def vector(entries: dict[int, str]) -> Any:
    return [[place, value] for place, value in entries.items()]


def made(build: Any, program: Json, verdict: str, value: str | None = None, **parts: Any) -> Json:
    witness = {name: vector(entries) for name, entries in parts.items()}
    said = {} if value is None else {"value": value}
    return draft("program", {"program": program}, None, witness, verdict, **said)


@pytest.fixture
def optimal(build: Any) -> Json:
    """Half of a and minus c: y/2 + 3/2 x - z <= 5/2 - 1/2, and the rest, -x/2, is at most 0."""
    point = {1: "5", 2: "1/2"}
    return made(build, PROGRAM, "optimal", "2", point=point, multipliers={0: "1/2", 2: "-1"})


@pytest.fixture
def unbounded(build: Any) -> Json:
    """Without c: from x = y = z = 0 along z = -1."""
    program = PROGRAM | {"rows": ["a", "b"], "matrix": PROGRAM["matrix"][:2]}
    program |= {"senses": ["<=", ">="], "right": [4, 3]}
    return made(build, program, "unbounded", point={}, ray={2: "-1"})


@pytest.fixture
def infeasible(build: Any) -> Json:
    """c: z >= 5 instead. Minus b minus c says -x <= -4, but x is at most 1."""
    program = PROGRAM | {"right": [4, 3, 4]}
    return made(build, program, "infeasible", multipliers={1: "-1", 2: "-1"})


def test_each_outcome_is_accepted(
    optimal: Json, unbounded: Json, infeasible: Json, tmp_path: Path
) -> None:
    for document in (optimal, unbounded, infeasible):
        accepted(document)
        path = tmp_path / "program.json"
        path.write_text(json.dumps(sealed(document)), encoding="utf-8")
        assert check_file(path).outcome == "accepted"


def test_the_example_of_the_page() -> None:
    accepted(example("program"))


def test_in_process_without_a_digest(optimal: Json) -> None:
    model = deepcopy(optimal["model"])
    model["program"]["values"] = [Fraction(value) for value in VALUES]
    claim = {key: part for key, part in optimal["claim"].items() if key != "kind"}
    case = Case(claim, Model(model), {"rule": "program"}, optimal["evidence"]["witness"])
    found = check_program(case)
    assert found == "optimal"


@pytest.mark.parametrize(
    "parts, value, words",
    [
        ({"multipliers": {0: "1/2"}}, "2", "no bound"),
        ({"multipliers": {0: "1/2", 2: "1"}}, "2", "sign"),
        ({"multipliers": {0: "-1/2", 2: "-1"}}, "2", "sign"),
        ({"multipliers": {0: "1", 2: "-1"}}, "2", "not proved"),
        ({"multipliers": {0: "1/2", 1: "1", 2: "-1"}}, "2", "sign"),
        ({"point": {1: "5"}}, "2", "not feasible"),
        ({"point": {1: "6", 2: "1/2"}}, "2", "not feasible"),
        ({"point": {0: "-1", 1: "5", 2: "1/2"}}, "2", "not feasible"),
        ({"point": {1: "4", 2: "1/2"}}, "2", "not proved"),
        ({"point": {0: "4/3", 1: "1", 2: "1/2"}}, "2", "not feasible"),
        ({}, "3/2", "not proved"),
        ({}, "20000000000000000000000000000001/10000000000000000000000000000000", "not proved"),
    ],
)
def test_broken_optima(build: Any, parts: Any, value: str, words: str) -> None:
    good = {"point": {1: "5", 2: "1/2"}, "multipliers": {0: "1/2", 2: "-1"}}
    rejected(made(build, PROGRAM, "optimal", value, **good | parts), words)


@pytest.mark.parametrize(
    "parts, words",
    [
        ({"ray": {2: "1"}}, "ray"),
        ({"ray": {}}, "ray"),
        ({"ray": {0: "1", 2: "-1"}}, "ray"),
        ({"ray": {1: "1", 2: "-1"}}, "ray"),
        ({"point": {2: "2"}}, "not feasible"),
    ],
)
def test_broken_rays(build: Any, unbounded: Json, parts: Any, words: str) -> None:
    program = unbounded["model"]["program"]
    good = {"point": {}, "ray": {2: "-1"}}
    rejected(made(build, program, "unbounded", **good | parts), words)


@pytest.mark.parametrize(
    "multipliers, words",
    [
        ({}, "nothing"),
        ({1: "-1"}, "no bound"),
        ({1: "-1", 2: "-1/2"}, "no bound"),
        ({1: "1", 2: "1"}, "sign"),
        ({0: "3", 1: "-1", 2: "-1"}, "nothing"),
    ],
)
def test_broken_refutations(build: Any, infeasible: Json, multipliers: Any, words: str) -> None:
    program = infeasible["model"]["program"]
    rejected(made(build, program, "infeasible", multipliers=multipliers), words)


def test_a_feasible_program_has_no_refutation(build: Any, infeasible: Json) -> None:
    document = made(build, PROGRAM, "infeasible", multipliers={1: "-1", 2: "-1"})
    rejected(document, "nothing")


def test_crossed_bounds_need_no_multipliers(build: Any) -> None:
    program = PROGRAM | {"lower": [2, 0, None]}
    accepted(made(build, program, "infeasible", multipliers={}))
    equal = PROGRAM | {"lower": [1, 0, None]}
    rejected(made(build, equal, "infeasible", multipliers={}), "nothing")


def test_the_digest_binds_the_program(optimal: Json) -> None:
    optimal["model"]["program"]["right"][0] = 2
    rejected(optimal, "digest")


def test_another_verdict_needs_other_evidence(optimal: Json) -> None:
    optimal["claim"]["verdict"] = "infeasible"
    assert check(optimal).outcome == "refused"
    del optimal["evidence"]["witness"]["point"], optimal["claim"]["value"]
    rejected(optimal, "no bound")
    for verdict in ("holds", "feasible", None, 1):
        optimal["claim"]["verdict"] = verdict
        assert check(optimal).outcome == "refused"


def test_empty_programs(build: Any) -> None:
    nothing: Json = {key: [] for key in PROGRAM}
    accepted(made(build, nothing, "optimal", "0", point={}, multipliers={}))
    rejected(made(build, nothing, "optimal", "1", point={}, multipliers={}))
    lone = nothing | {"rows": ["a"], "values": ["1", "0"], "matrix": [[[], []]]}
    impossible = lone | {"senses": [">="], "right": [0]}
    accepted(made(build, impossible, "infeasible", multipliers={0: "-1"}))
    trivial = lone | {"senses": [">="], "right": [1]}
    rejected(made(build, trivial, "infeasible", multipliers={0: "-1"}))


@pytest.mark.parametrize(
    "key, value",
    [
        ("columns", ["x", "y"]),
        ("columns", ["x", "x", "z"]),
        ("columns", None),
        ("rows", ["a", "b"]),
        ("values", ["0", "1", "3", "-1", "5", "0.5"]),
        ("values", ["0", "1", "3", "-1", "5", 1]),
        ("matrix", [[[0, 1], [2, 1]], [[0, 2], [1, 3]]]),
        ("matrix", [[[0, 1], [2]], [[0, 2], [1, 3]], [[2], [1]]]),
        ("matrix", [[[0, 1], [2, 1]], [[0, 2], [1]], [[2], [1]]]),
        ("matrix", [[[0, 1], [2, 1]], [[0, 2], [1, 3, 0]], [[2], [1]]]),
        ("matrix", [[[0, 3], [2, 1]], [[0, 2], [1, 3]], [[2], [1]]]),
        ("matrix", [[[0, 1], [2, 6]], [[0, 2], [1, 3]], [[2], [1]]]),
        ("matrix", [[[0, 1], [2, -1]], [[0, 2], [1, 3]], [[2], [1]]]),
        ("senses", ["<=", ">=", ">"]),
        ("senses", ["<=", ">="]),
        ("right", [4, 3]),
        ("right", [4, 3, 6]),
        ("right", [4, 3, 5, 0]),
        ("objective", [1, 5]),
        ("objective", [1, 5, True]),
        ("lower", [0, 0]),
        ("lower", [0, 0, 6]),
        ("lower", [0, 0, -1]),
        ("upper", [1, None, False]),
        ("upper", 1),
        ("upper", [1, None, None, None]),
        ("more", []),
    ],
)
def test_malformed_programs_are_refused(build: Any, optimal: Json, key: str, value: Any) -> None:
    def edit(document: Json) -> None:
        document["model"]["program"][key] = value

    assert check(build.edited(optimal, edit)).outcome == "refused"


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d.update(relation={"rule": "all"}),
        lambda d: d["claim"].pop("value"),
        lambda d: d["claim"].update(level="1"),
        lambda d: d["claim"].update(rows=[]),
        lambda d: d["model"].update(records=[[0]]),
        lambda d: d["evidence"]["witness"].pop("point"),
        lambda d: d["evidence"]["witness"].update(ray=vector({})),
        lambda d: d["evidence"].update(witness=None),
        *(
            lambda d, point=point: d["evidence"]["witness"].update(point=point)
            for point in (
                [[1, "5"], [1, "0"]],
                [[1, "5"], [3, "0"]],
                [[1, "5"], [0]],
                [[1, "5"], [0, "1/0"]],
                [[1, "5"], [0, 0]],
                [[1, "5"], [False, "0"]],
                {"1": "5"},
                None,
            )
        ),
    ],
)
def test_malformed_certificates_are_refused(build: Any, optimal: Json, edit: Any) -> None:
    assert check(build.edited(optimal, edit)).outcome != "accepted"


# maximise 2/3 x + 3 y with x/2 + y <= 7/3, 0 <= x <= 5/3, y <= 1: 37/9 at (5/3, 1)
THIRDS: Json = {
    "columns": ["x", "y"],
    "rows": ["a"],
    "values": ["2/3", "3", "1/2", "1", "7/3", "0", "5/3"],
    "matrix": [[[0, 1], [2, 3]]],
    "senses": ["<="],
    "right": [4],
    "objective": [0, 1],
    "lower": [5, None],
    "upper": [6, 3],
}


def test_an_optimum_of_fractions(build: Any) -> None:
    """2/3 · 5/3 + 3 = 37/9, by the bounds alone, as 5/6 + 1 <= 7/3."""
    best = {0: "5/3", 1: "1"}

    def found(value: str, point: Any = best, multipliers: Any = None, **change: Any) -> str:
        given = {"point": point, "multipliers": multipliers or {}}
        return check(made(build, THIRDS | change, "optimal", value, **given)).outcome

    assert found("37/9") == "accepted"
    for value in ("4", "38/9", "37/3", "37", "0"):
        assert found(value) == "rejected"
    for outside in ({0: "2", 1: "1"}, {0: "5/3", 1: "10/9"}, {0: "-1/9", 1: "1"}):
        assert found("37/9", outside) == "rejected"
    # with x/2 + y <= 3/2: 4/3 of the row are 2, and 5/3 y is at most 5/3; 11/3 at x = y = 1
    tight = {"values": [*THIRDS["values"], "3/2"], "right": [7]}
    assert found("11/3", {0: "1", 1: "1"}, {0: "4/3"}, **tight) == "accepted"
    assert found("37/9", best, **tight) == "rejected"
    for multiplier in ("1", "5/3", "-4/3"):
        assert found("11/3", {0: "1", 1: "1"}, {0: multiplier}, **tight) == "rejected"


def test_no_row_is_without_a_right_side(build: Any) -> None:
    """Without c the program is unbounded; and so it would be without the right side of c."""
    rest = PROGRAM | {"right": PROGRAM["right"][:2]}
    assert check(made(build, rest, "unbounded", point={}, ray={2: "-1"})).outcome == "refused"


def test_every_bound_holds(build: Any) -> None:
    """A point and a ray outside one bound each; the value would be right."""
    free = {"rows": [], "matrix": [], "senses": [], "right": []}
    box = THIRDS | free
    accepted(made(build, box, "optimal", "37/9", point={0: "5/3", 1: "1"}, multipliers={}))
    flat = box | {"objective": [5, 5]}
    accepted(made(build, flat, "optimal", "0", point={}, multipliers={}))
    for point in ({0: "-1/3"}, {0: "2"}, {1: "4/3"}, {0: "16/9"}):
        rejected(made(build, flat, "optimal", "0", point=point, multipliers={}), "not feasible")
    open_end = box | {"upper": [None, 3]}
    accepted(made(build, open_end, "unbounded", point={0: "7"}, ray={0: "1/2"}))
    for ray in ({0: "-1/2"}, {0: "1", 1: "1/3"}, {1: "-1"}):
        rejected(made(build, open_end, "unbounded", point={}, ray=ray), "ray")
    rejected(made(build, open_end, "unbounded", point={1: "2"}, ray={0: "1"}), "not feasible")
    shifted = box | {"lower": [3, None], "upper": [None, 3]}  # x >= 1
    rejected(made(build, shifted, "unbounded", point={}, ray={0: "1"}), "not feasible")
    accepted(made(build, shifted, "unbounded", point={0: "1"}, ray={0: "1"}))


def test_rows_of_equality(build: Any) -> None:
    """x + y = 1 with x, y >= 0: x + 2 y is at most 2; multipliers of an equation have any sign."""
    program: Json = {
        "columns": ["x", "y"],
        "rows": ["a"],
        "values": ["0", "1", "2", "-1", "-2"],
        "matrix": [[[0, 1], [1, 1]]],
        "senses": ["="],
        "right": [1],
        "objective": [1, 2],
        "lower": [0, 0],
        "upper": [None, None],
    }
    accepted(made(build, program, "optimal", "2", point={1: "1"}, multipliers={0: "2"}))
    negative = program | {"matrix": [[[0, 1], [3, 3]]], "right": [3]}
    accepted(made(build, negative, "optimal", "2", point={1: "1"}, multipliers={0: "-2"}))
    for point in ({1: "2"}, {1: "1/2"}, {0: "1", 1: "1"}):
        rejected(made(build, program, "optimal", "2", point=point, multipliers={0: "2"}))
    sums = program | {"right": [3]}  # x + y = -1
    accepted(made(build, sums, "infeasible", multipliers={0: "1"}))
    rejected(made(build, sums, "infeasible", multipliers={0: "-1"}), "no bound")
    rejected(made(build, program, "unbounded", point={1: "1"}, ray={1: "1"}), "ray")
    rejected(made(build, program, "unbounded", point={1: "1"}, ray={0: "-1", 1: "1"}), "ray")
    free = program | {"lower": [None, 0]}
    accepted(made(build, free, "unbounded", point={1: "1"}, ray={0: "-1", 1: "1"}))


def test_a_bound_that_is_missing_crosses_nothing(build: Any) -> None:
    for lower, upper in (([None, 5], [5, None]), ([6, None], [6, 5]), ([5, 3], [None, 3])):
        program = THIRDS | {"lower": lower, "upper": upper}
        rejected(made(build, program, "infeasible", multipliers={}), "nothing")
    crossed = THIRDS | {"lower": [5, 6], "upper": [6, 3]}  # y between 5/3 and 1
    accepted(made(build, crossed, "infeasible", multipliers={}))
