"""Lines folded at the width of a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.report.folding import columns, folded


@pytest.mark.parametrize("width", [None, 0, 5, 19])
def test_without_a_width_or_with_hardly_any_nothing_is_folded(width: int | None) -> None:
    assert folded("  ok  " + "a b " * 100, width) == ["  ok  " + "a b " * 100]


def test_a_line_is_folded_at_spaces_and_hangs() -> None:
    assert folded("      pair s against t; prior {i1: 9/40, j2: 31/40}", 30) == [
        "      pair s against t; prior",
        "          {i1: 9/40, j2:",
        "          31/40}",
    ]


def test_a_long_word_is_folded_where_it_must_be() -> None:
    assert folded("  " + "x" * 40, 20) == ["  " + "x" * 18, "      " + "x" * 14, "      " + "x" * 8]


def test_wide_characters_take_two_columns() -> None:
    assert columns("世界") == 4 and columns("e\u0301") == 1 and columns("🙂") == 2
    assert folded("世" * 15, 20) == ["世" * 10, "    " + "世" * 5]


TEXTS = st.text(st.sampled_from("ab 世é🙂-,{}"), max_size=200).map(lambda text: f"  {text}")


@given(TEXTS, st.integers(20, 90))
def test_nothing_is_lost_and_all_fits(line: str, width: int) -> None:
    found = folded(line, width)
    assert re.sub(" ", "", "".join(found)) == re.sub(" ", "", line)
    assert all(columns(part) <= width for part in found)
