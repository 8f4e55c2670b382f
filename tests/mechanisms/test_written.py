"""Mechanisms that are written out: tables, csv files, expressions and Python functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms.building import BITS, NAMED, F, build, rows, table
from verifier.base.errors import InputError

EXPECTED = {"u": {"yes": F(3, 4), "no": F(1, 4)}, "v": {"yes": F(1)}, "w": {"no": F(1)}}


def test_table_with_lists_and_mappings() -> None:
    rows_given = {"w": {"no": 1}, "u": ["3/4", "0.25"], "v": ["1e0", 0]}
    assert rows(build({"table": {"outputs": ["yes", "no"], **rows_given}})) == EXPECTED


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (["1/2", "1/3"], "S103"),
        ([2, -1], "S104"),
        ([1], "S105"),
        ({"maybe": 1}, "S105"),
        (None, "S107"),
    ],
)
def test_table_errors(row: Any, code: str) -> None:
    given = {"u": row, "v": [1, 0], "w": [1, 0]}
    given = {world: r for world, r in given.items() if r is not None}
    with pytest.raises(InputError, match=code):
        build({"table": {"outputs": ["yes", "no"], **given}})


def test_csv(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("world,yes,no\nw,0,1\n\nv,1,0\nu,3/4,0.25\n", encoding="utf-8")
    assert rows(build({"csv": "m.csv"}, folder=tmp_path)) == EXPECTED


def test_csv_with_names_that_contain_commas(tmp_path: Path) -> None:
    text = (
        '\ufeffworld,"(a, b)",c\n"(xx, y)",1/2,1/2\n"(xx, xx)",1,0\n"(y, xx)",1,0\n"(y, y)",0,1\n'
    )
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    worlds = {"records": 2, "domain": ["xx", "y"]}
    made = build({"csv": "m.csv"}, worlds, folder=tmp_path)
    assert made.outputs == ("(a, b)", "c")
    assert [made.probability(0, w) for w in range(4)] == [1, F(1, 2), 1, 0]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("world,yes,no\nu,1/2,1/3\nv,1,0\nw,0,1\n", ":2:1: S103"),
        ("world,yes,no\nu,1/2,half\nv,1,0\nw,0,1\n", ":2:7: S101"),
        ("world,yes,no\nu,2,-1\nv,1,0\nw,0,1\n", ":2:3: S104"),
        ("world,yes,no\nu,1,0\nu,1,0\nw,0,1\n", ":3:1: S107"),
        ("world,yes,no\nu,1,0\nv,1\nw,0,1\n", ":3:1: S105"),
        ("world,yes,no\nu,1,0\nv,1,0\n", "S107"),
        ("world,yes,yes\nu,1,0\nv,1,0\nw,1,0\n", ":1:1: S105"),
        ("world\n", ":1:1: S105"),
        ("", "S105"),
        ("world,yes,no\nx,1,0\n", ":2:1: S107"),
    ],
)
def test_csv_errors(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=place):
        build({"csv": "m.csv"}, folder=tmp_path)


def test_deterministic() -> None:
    made = build({"deterministic": "(r1, 'one') if r2 == 1 else r1 / 2"}, BITS)
    assert made.outputs == ("0", "(0, 'one')", "1/2", "(1, 'one')")
    assert rows(made, ["00", "01", "10", "11"]) == {
        "00": {"0": 1},
        "01": {"(0, 'one')": 1},
        "10": {"1/2": 1},
        "11": {"(1, 'one')": 1},
    }


def test_a_word_and_a_number_that_read_alike_stay_apart() -> None:
    made = build({"deterministic": "'1' if r1 == 0 else 1"}, BITS)
    assert made.outputs == ("'1'", "1")
    made = build({"deterministic": "'True' if r1 == 0 else True"}, BITS)
    assert made.outputs == ("'True'", "True")
    made = build({"deterministic": "1 if r1 == 0 else True"}, BITS)
    assert made.outputs == ("1", "True")


def test_a_constant_is_one_output() -> None:
    assert rows(build({"deterministic": "7"})) == {world: {"7": 1} for world in NAMED}


SOURCE = """
from fractions import Fraction

def by_name(world):
    print("noise on standard output")
    rows = {"u": {"yes": "3/4", "no": Fraction(1, 4)}, "v": {"yes": 1}, "w": {"no": 1}}
    return rows[world]

def inexact(world):
    return {"yes": 0.5, "no": 0.5}

def heavy(world):
    return {"yes": "1/2", "no": "1/3"}

def alike(world):
    return {1: "1/2", "1": "1/2"}

def broken(world):
    raise RuntimeError("no idea")

def wrong(world):
    return ["yes"]
"""


def python(tmp_path: Path, function: str, worlds: Any = NAMED, allowed: bool = True) -> Any:
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    given = {"python": {"file": "m.py", "function": function}}
    return build(given, worlds, folder=tmp_path, python=allowed)


def test_python(tmp_path: Path) -> None:
    assert rows(python(tmp_path, "by_name")) == EXPECTED


def test_python_numbers_and_words(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(world): return {repr(world): 1}\n", encoding="utf-8")
    worlds = {"records": ["number"], "domain": ["1/2", "011", 7], "absent": "true"}
    given = {"python": {"file": "m.py", "function": "f"}}
    made = build(given, worlds, folder=tmp_path, python=True)
    assert list(made.outputs) == [
        "{'number': Fraction(1, 2)}",
        "{'number': '011'}",
        "{'number': 7}",
        "{'number': None}",
    ]


@pytest.mark.parametrize(
    ("function", "code"),
    [
        ("inexact", "S112"),
        ("heavy", "S103"),
        ("alike", "S112"),
        ("broken", "S112.*no idea"),
        ("wrong", "S112"),
        ("missing", "S112"),
    ],
)
def test_python_errors(tmp_path: Path, function: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        python(tmp_path, function)


def test_python_only_when_allowed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="S111"):
        python(tmp_path, "by_name", allowed=False)


def test_program_and_table_agree() -> None:
    program = """
if world == u:
    return draw({'yes': 3/4, 'no': 1/4})
return 'yes' if world == v else 'no'
"""
    assert (
        rows(build({"program": program}))
        == EXPECTED
        == rows(
            build(
                table(
                    {
                        world: {output: str(p) for output, p in row.items()}
                        for world, row in EXPECTED.items()
                    }
                )
            )
        )
    )


def test_candidates_that_name_worlds_are_worlds() -> None:
    """The true database has weight 2 or 4, another one weight 1 or 2, whatever they are called."""
    for names in (["nn", "ny", "yn", "yy"], ["00", "01", "10", "11"]):
        worlds = {"records": ["ann", "bob"], "domain": [names[0][0], names[3][0]]}
        for score, weights in (
            ("1 if candidate == world else 0", (2, 1, 1, 1)),
            ("count([candidate[0] == ann, candidate.bob == bob])", (4, 2, 2, 1)),
            ("2 - hamming(candidate, world)", (4, 2, 2, 1)),
            ("1 if candidate in [world] and world in twins else 0", (2, 1, 1, 1)),
        ):
            chosen = {"exponential": {"candidates": names, "score": score, "base": 2}}
            made = build(chosen, worlds, secrets={"twins": "ann == bob"})
            first = {name: F(w, sum(weights)) for name, w in zip(names, weights, strict=True)}
            assert rows(made, names)[names[0]] == first, (names, score)
