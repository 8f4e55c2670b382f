"""The tree of a file: scalars stay text, and every place is known."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base import document
from verifier.base.document import Mapping, Node, Scalar, Sequence, parse
from verifier.base.errors import InputError, Place


def plain(node: Node) -> object:
    """A tree as Python values, every scalar as its text."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node]
    assert isinstance(node, Mapping)
    return {key.text: plain(value) for key, value in node.entries}


def test_nothing_is_converted() -> None:
    text = "[no, yes, true, null, ~, 0o17, 012, 1_000, 1:30, 1e3, .inf, 2020-01-01, '', \"a\\nb\"]"
    found = plain(parse(text))
    assert found == [
        *("no", "yes", "true", "null", "~", "0o17", "012", "1_000", "1:30", "1e3", ".inf"),
        *("2020-01-01", "", "a\nb"),
    ]


CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
TEXTS = st.text(CHARACTERS | st.sampled_from('\u2028\u2029\x85\n \t"\\/🙂'), max_size=12)
TREES = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, TREES, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_json_is_read(tree: dict[str, object], escaped: bool, indented: bool) -> None:
    """What Python writes as JSON, with texts only, is read: escapes, emoji, line breaks."""
    indent = "\t" if indented else None
    text = json.dumps(tree, ensure_ascii=escaped, indent=indent)
    assert plain(parse(text, "a.json")) == tree


def test_escapes_of_json() -> None:
    text = '{"\\u00e9\\/\\ud83d\\ude00": "\\\\ud83d\\\\ude00 \\uD83D\\uDE01\\uD83D\\uDE02"}'
    assert plain(parse(text, "a.json")) == json.loads(text)


def test_places_count_characters_from_one() -> None:
    top = parse("title: été\nworlds: [a, 'b c', {x: 1}]\n  \n", "f.yaml").mapping()
    assert top.place == Place("f.yaml", 1, 1)
    assert top["title"].place == Place("f.yaml", 1, 8)
    worlds = top["worlds"].sequence()
    assert worlds.place == Place("f.yaml", 2, 9)
    assert [item.place.column for item in worlds] == [10, 13, 20]
    key, value = worlds.items[2].mapping().entries[0]
    assert (key.place.column, value.place.column) == (21, 24)


@pytest.mark.parametrize(
    ("text", "line", "column", "place"),
    [
        ("p: ab + cd\n", 1, 6, (1, 9)),
        ("p: 'ab + cd'\n", 1, 6, (1, 10)),
        ("p: |\n  a\n  bc\n", 2, 2, (3, 4)),
        ("p: |  # a comment\n\n    a\n      bc\n", 3, 3, (4, 7)),
        ("x:\n  p: |-\n      a\n      b\n", 2, 1, (4, 7)),
        ("p: a\n  b\n", 1, 1, (1, 4)),  # folded: the start is as good as it gets
    ],
)
def test_places_inside_scalars(text: str, line: int, column: int, place: tuple[int, int]) -> None:
    node: Node = parse(text, "f.yaml")
    while isinstance(node, Mapping):
        node = node.entries[0][1]
    assert isinstance(node, Scalar)
    assert node.at(line, column) == Place("f.yaml", *place)


def test_block_scalars_keep_their_lines() -> None:
    top = parse("p: |\n  if x:\n      y\n\n  z\nq: >\n  a\n  b\n").mapping()
    assert plain(top) == {"p": "if x:\n    y\n\nz\n", "q": "a b\n"}
    program = top["p"].scalar()
    assert str(program.fail_at(2, 5, "S301", "wrong")).splitlines()[:3] == [
        "<text>:3:7: S301 wrong",
        "    3 |       y",
        "      |       ^",
    ]


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("a: 1\na: 2\n", "S006", 2, 1),
        ("a: {b: 1, b: 2}\n", "S006", 1, 11),
        ("'a': 1\na: 2\n", "S006", 2, 1),
        ("a: &x 1\n", "S007", 1, 4),
        ("a: *x\n", "S007", 1, 4),
        ("a: !!str 1\n", "S008", 1, 4),
        ("!x\na: 1\n", "S008", 1, 1),
        ("a: 1\n---\nb: 2\n", "S009", 2, 1),
        ("<<: {b: 1}\n", "S012", 1, 1),
        ("a: [f(x, y)]\n", "S013", 1, 5),
        ("a: {b: f(x, y)}\n", "S013", 1, 8),
        ("? [a]\n: 1\n", "S014", 1, 3),
        ("a: 'b\n", "S005", 2, 1),
        ("", "S002", 1, 1),
        ("a: \ud800\n", "S004", 1, 4),
    ],
)
def test_refusals(text: str, code: str, line: int, column: int) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "f.yaml")
    assert (caught.value.code, caught.value.place) == (code, Place("f.yaml", line, column))


def test_a_quoted_merge_key_is_a_key() -> None:
    assert plain(parse("'<<': 1\n")) == {"<<": "1"}


def test_parentheses_that_a_comma_has_not_cut_are_fine() -> None:
    assert plain(parse("a: [f(x), '(', \"(\"]\nb: f(x, y)\n")) == {
        "a": ["f(x)", "(", "("],
        "b": "f(x, y)",
    }


def test_readers() -> None:
    top = parse("n: 1/3\ni: 7\nw: red\nt: true\ne:\nq: ''\nl: [1]\n").mapping()
    assert top["n"].number() == Fraction(1, 3)
    assert top["i"].integer(1, 7) == 7
    assert top["w"].word(("red", "blue"), "colour") == "red"
    assert top["t"].flag() is True
    assert top["q"].scalar().text == ""
    assert [item.number() for item in top["l"].sequence()] == [1]
    assert top.get("absent") is None
    for read, code in (
        (lambda: top["absent"], "S016"),
        (lambda: top["e"].scalar(), "S018"),
        (lambda: top["w"].number(), "S101"),
        (lambda: top["n"].integer(0, 9), "S101"),
        (lambda: top["i"].integer(0, 6), "S101"),
        (lambda: top["w"].flag(), "S017"),
        (lambda: top["w"].word(("blue",), "colour"), "S015"),
        (lambda: top["w"].word(("blue",), "colour", "S603"), "S603"),
        (lambda: top["l"].scalar(), "S014"),
        (lambda: top["n"].sequence(), "S014"),
        (lambda: top["l"].mapping(), "S014"),
        (lambda: top.mapping(("n", "i")), "S015"),
        (lambda: top.mapping(needs="n absent"), "S016"),
        (lambda: top.only("a class"), "S014"),
    ):
        with pytest.raises(InputError, match=code):
            read()


def test_errors_without_a_place_get_one() -> None:
    node = parse("a: b\n", "f.yaml").mapping()["a"]

    def wrong() -> None:
        raise InputError("S101", "wrong")

    with pytest.raises(InputError) as caught:
        node.placed(wrong)
    assert caught.value.place == Place("f.yaml", 1, 4)


def test_load_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("\ufeffa: [x\u2028y]\nb: 1\n", encoding="utf-8")
    top = document.load(path).mapping()
    assert top.place.file == str(path)
