"""Texts of users: what is printed of them cannot be taken for what we print."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.errors import InputError, Place
from verifier.base.escape import escaped, escaped_json

ANY = st.text(st.characters(exclude_categories=()))  # halves of surrogate pairs too


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("", ""),
        ("naïve ⊥ 世界 🙂 ε", "naïve ⊥ 世界 🙂 ε"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[2J\x07\x9b", "\\x1b[2J\\x07\\x9b"),
        ("a\u202eb\u2066c\u200bd", "a\\u202eb\\u2066c\\u200bd"),
        ("\u2028\u2029\x85", "\\u2028\\u2029\\x85"),
        ("bad\udcff.yaml", "bad\\udcff.yaml"),
        ("\U000e0041", "\\U000e0041"),
        ("x ##vso[task.complete]", "x #\\x23vso[task.complete]"),
        ("##[error]", "#\\x23[error]"),
        ("::error::x", "\\x3a:error::x"),
        ("  ::error::x", "  \\x3a:error::x"),
        ("a::b", "a::b"),
        ("## a heading", "## a heading"),
    ],
)
def test_escapes(text: str, printed: str) -> None:
    assert escaped(text) == printed


@given(ANY)
def test_nothing_that_moves_is_left(text: str) -> None:
    safe = escaped(text)
    assert not {unicodedata.category(c) for c in safe} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert "##[" not in safe and "##vso[" not in safe
    safe.encode()


@given(ANY)
def test_json_stays_the_same(text: str) -> None:
    made = escaped_json(json.dumps({"name": text}, ensure_ascii=False))
    assert json.loads(made) == {"name": text}
    assert not {unicodedata.category(c) for c in made} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_errors_quote_files_safely_and_the_caret_stays() -> None:
    error = InputError("S101", "found 'x\x1b[1m'", Place("a\nb.yaml", 2, 5), "a\u202eb:x")
    head, line, caret, _ = str(error).splitlines()
    assert head == "a\\nb.yaml:2:5: S101 found 'x\\x1b[1m'"
    assert line == "    2 | a\\u202eb:x"
    assert caret.index("^") == line.index("x")
