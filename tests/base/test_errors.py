"""Errors: their text, suggestions, and a table of codes that agrees with the source."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import verifier
from tests.loops import each
from verifier.base.errors import (
    CODES,
    HINTS,
    LONGEST,
    InputError,
    InputErrors,
    LimitReached,
    Place,
    VerifierError,
    nearest,
)

SOURCE = [
    path for path in Path(verifier.__file__).parent.rglob("*.py") if "checker" not in path.parts
]


def used_codes() -> dict[str, Path]:
    """Every code that is written in the source, outside the table."""
    found = {}
    for path in SOURCE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if path.name == "errors.py":
            tree.body = [node for node in tree.body if not isinstance(node, ast.AnnAssign)]
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and re.fullmatch(r"S\d{3}", str(node.value)):
                found[str(node.value)] = path
    return found


def test_every_code_of_the_source_is_in_the_table_and_the_other_way_round() -> None:
    assert set(used_codes()) == set(CODES)


@each("code", CODES)
def test_every_explanation_is_a_sentence(code: str) -> None:
    assert re.fullmatch(r"S[0-9]\d\d", code)
    assert CODES[code][0].isupper() or CODES[code][0] == "`"
    assert CODES[code].endswith(".")


def test_the_text_of_an_error() -> None:
    place = Place("spec.yaml", 5, 9)
    assert str(InputError("S112", "it failed")) == "S112 it failed"
    assert str(InputError("S112", "wrong", place)) == "spec.yaml:5:9: S112 wrong"
    assert str(InputError("S103", "wrong", place, "    s1: {a: 0.5}", "write 1")) == (
        "spec.yaml:5:9: S103 wrong\n    5 |     s1: {a: 0.5}\n      |         ^\n  hint: write 1"
    )


def test_hints() -> None:
    """Its own, a suggestion at the end of the message, that of the code, or none."""
    assert InputError("S103", "wrong", hint="write 1").hint == "write 1"
    meant = InputError("S015", "unknown key 'b'; did you mean 'a'?")
    assert (meant.message, meant.hint) == ("unknown key 'b'", "did you mean 'a'?")
    assert InputError("S103", "wrong").hint == HINTS["S103"]
    assert InputError("S112", "wrong").hint == ""
    assert InputErrors([InputError("S112", "a", hint="b"), meant]).hint == "b"
    assert set(HINTS) <= set(CODES)


def test_the_caret_stays_under_its_character_in_long_lines_and_after_tabs() -> None:
    long = InputError("S101", "wrong", Place("f", 12, 501), "x" * 500 + "!" + "x" * 500)
    _, text, caret = str(long).splitlines()[:3]
    assert text[caret.index("^")] == "!" and len(text) < 140
    tabs = InputError("S101", "wrong", Place("f", 1, 3), "\t\t!")
    _, text, caret = str(tabs).splitlines()[:3]
    assert text[caret.index("^")] == "!"


def test_a_message_is_one_line_of_bounded_length() -> None:
    assert InputError("S101", "a\nb\r\nc").message == "a b c"
    assert len(InputError("S101", "x" * 10**6).message) == LONGEST
    assert len(str(LimitReached("x" * 10**6))) == LONGEST
    assert InputError("S101", "x" * LONGEST).message == "x" * LONGEST


def test_one_family() -> None:
    assert issubclass(InputError, VerifierError) and issubclass(LimitReached, VerifierError)
    assert InputError("S101", "wrong").args[:2] == ("S101", "wrong")


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("mechansim", ["mechanism", "mechanisms", "worlds"], "; did you mean 'mechanism'?"),
        ("banana", ["mechanism", "worlds"], ""),
        ("banana", [], ""),
        ("", ["worlds"], ""),
        ("w" * 10**6, ["w" * 10**6, "x"], ""),  # nothing quadratic happens to long names
    ],
)
def test_nearest(word: str, known: list[str], hint: str) -> None:
    assert nearest(word, known) == hint


def test_nearest_looks_at_some_of_many_names() -> None:
    names = (f"world {number}" for number in range(10**9))
    assert nearest("wrold 7", names) == "; did you mean 'world 7'?"
