"""Which check, and which file, is which after a change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.changes.made import line
from verifier.changes.lines import Line
from verifier.changes.pairing import checks, renamed, repointed

OTHER = "sha256:" + "8" * 64


def test_by_name_where_the_question_changed() -> None:
    before = [line(1, name="one"), line(2, name="two")]
    after = [line(3, name="two"), line(4, name="one")]
    assert checks(before, after) == [(1, 0), (0, 1)]


def test_two_names_that_are_swapped_are_new_names() -> None:
    before = [line(1, name="one"), line(2, name="two")]
    after = [line(2, name="one"), line(1, name="two")]
    assert checks(before, after) == [(1, 0), (0, 1)]


def test_a_renamed_check_is_followed_by_its_question() -> None:
    before = [line(1, name="one"), line(2, name="two")]
    after = [line(2, name="second"), line(1, name="first")]
    assert checks(before, after) == [(1, 0), (0, 1)]


def test_a_check_moves_to_another_file() -> None:
    before = [line(1), line(2)]
    assert checks(before, [line(1), line(2, file="b.yaml")]) == [(0, 0), (1, 1)]


def test_by_definition_mechanism_and_options() -> None:
    before = [line(1, mechanism="m", promise=OTHER), line(2, mechanism="m")]
    after = [line(3, mechanism="m"), line(4, mechanism="m", promise=OTHER)]
    assert checks(before, after) == [(1, 0), (0, 1)]


def test_another_mechanism_of_the_same_promise() -> None:
    assert checks([line(1, mechanism="m")], [line(2, mechanism="n")]) == [(0, 0)]


def test_what_is_nothing_alike_is_gone_and_new() -> None:
    other = line(2, definition="pufferfish", promise=OTHER)
    assert checks([line(1)], [other]) == [(None, 0), (0, None)]


def test_no_question_is_not_the_same_question() -> None:
    nothing = replace(line(1), digest="", promise="")
    other = replace(nothing, file="b.yaml", definition="pufferfish")
    assert checks([nothing], [other]) == [(None, 0), (0, None)]


LINES = st.lists(
    st.builds(
        line,
        st.integers(1, 3),
        file=st.sampled_from(["a.yaml", "b.yaml"]),
        name=st.sampled_from([None, "one", "two"]),
        mechanism=st.sampled_from([None, "m"]),
        promise=st.sampled_from(["", OTHER]),
    ),
    max_size=6,
)


@given(LINES, LINES)
def test_each_check_is_in_one_pair(before: list[Line], after: list[Line]) -> None:
    pairs = checks(before, after)
    assert sorted(old for old, _ in pairs if old is not None) == list(range(len(before)))
    assert [new for _, new in pairs if new is not None] == list(range(len(after)))
    assert checks(before, after) == pairs


@given(LINES)
def test_what_has_not_changed_is_paired_with_itself(lines: list[Line]) -> None:
    assert all(lines[old] == lines[new] for old, new in checks(lines, lines))  # type: ignore[index]


def test_equal_files_first_then_those_most_alike() -> None:
    gone = {"old": b"1\n2\n3\n4\n", "other": b"1\n2\n3\n5\n"}
    new = {"b": b"1\n2\n3\n5\n", "a": b"1\n2\n3\n5\n6\n"}
    assert renamed(gone, new) == {"b": "other", "a": "old"}


def test_files_with_less_than_half_in_common_are_others() -> None:
    assert renamed({"old": b"1\n2\n3\n"}, {"new": b"1\n4\n5\n"}) == {}
    assert renamed({"old": b""}, {"new": b"1\n"}) == {}


def test_checks_keep_to_their_mechanisms_whatever_these_are() -> None:
    before = [line(1, mechanism="m"), line(2, mechanism="n")]
    after = [line(2, mechanism="m"), line(1, mechanism="n")]
    assert checks(before, after) == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (["m"], ["n"], [False]),  # a new name
        (["m", "m"], ["n", "n"], [False, False]),
        (["m", "n"], ["n", "m"], [True, True]),  # names are swapped
        (["m", "n"], ["n", "n"], [True, False]),  # nobody asks about m any more
        (["m", "m"], ["m", "n"], [False, True]),  # m is still there
        ([None], ["m"], [False]),
        ([None, "m"], ["m", "m"], [True, False]),
    ],
)
def test_another_mechanism_is_more_than_a_new_name(
    before: list[str | None], after: list[str | None], expected: list[bool]
) -> None:
    pairs = [
        (line(1, mechanism=old), line(1, mechanism=new))
        for old, new in zip(before, after, strict=True)
    ]
    assert repointed(pairs) == expected


def test_a_copy_in_another_file_is_not_the_check_itself() -> None:
    """The file is copied, and then changed: it is this change that is to be told."""
    now = [line(2), line(1, file="copy.yaml")]
    assert checks([line(1)], now) == [(0, 0), (None, 1)]
    named = [line(2, name="other"), line(1, name="one", file="copy.yaml")]
    assert checks([line(1, name="one")], named) == [(0, 0), (None, 1)]
