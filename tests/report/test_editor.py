"""What editors offer: each key of each example at its place, and the leakage that was found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loops import each
from verifier.base.document import Mapping, Node, Scalar, Sequence, parse
from verifier.base.registry import DEFINITIONS, MECHANISMS
from verifier.report import editor, words
from verifier.report.json import result_as_json
from verifier.run import verify
from verifier.run.verify import Options
from verifier.spec.edits import edited

EXAMPLES = {one.example: one.name for told in words.words().values() for one in told}


def keys(node: Node, named: bool = False) -> Iterator[Scalar]:
    """The keys of a tree that are words of the format, but where they are `named` in the file."""
    if isinstance(node, Mapping):
        for key, value in node.entries:
            known = key.text in words.words() or words.owners(key.text)
            if known and not named:
                yield key
            yield from keys(value, key.text == "mechanisms")
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from keys(item)


@each("text", list(EXAMPLES))
def test_each_key_of_an_example_is_offered_at_its_place(text: str) -> None:
    for key in keys(parse(text)):
        found = [one.word for one in editor.offers(text, key.line, key.column)]
        assert key.text in found, (key.place, key.text, found)


@pytest.mark.parametrize(
    ("text", "word", "snippet"),
    [
        ("wor", "worlds", "worlds: {records: [${1:ann}, ${2:bob}], domain: [${3:0}, ${4:1}]}"),
        ("mechanism: ran", "randomized_response", "{randomized_response: {truth: ${1:3/4}}}"),
        ("mechanism:\n  ran", "randomized_response", "randomized_response: {truth: ${1:3/4}}"),
        ("mechanism:\n  pro", "program", "program: |\n  $1"),
        ('{"wor', "worlds", ""),
        ("worlds: [a]\nchecks:\n  - pufferfish: {pairs: [a", "values", ""),
    ],
)
def test_an_example_is_written_with_a_word(text: str, word: str, snippet: str) -> None:
    last = text.split("\n")
    found = {one.word: one for one in editor.offers(text, len(last), len(last[-1]) + 1)}
    assert found[word].snippet == snippet


@pytest.mark.parametrize(
    "text", ["# wor", "worlds: [a]\nsource: 'wor", "mechanism: {program: |", "a: &b"]
)
def test_nothing_is_offered_where_no_word_stands(text: str) -> None:
    last = text.split("\n")
    assert editor.offers(text, len(last), len(last[-1]) + 1) == []


def test_a_second_definition_is_not_offered() -> None:
    text = "checks:\n  - differential_privacy: {epsilon: 1}\n    "
    found = {one.word for one in editor.offers(text, 3, 5)}
    assert "name" in found and not found & set(DEFINITIONS.keywords())
    text = "mechanism: {csv: a.csv, "
    assert not {one.word for one in editor.offers(text, 1, 25)} & set(MECHANISMS.keywords())


HEAD = "worlds: {records: [ann], domain: [0, 1]}\nmechanism: %s\nchecks:\n  - %s\n"
TABLE = "{table: {outputs: [x, y], '0': [%s], '1': [%s]}}"
CHECK = "differential_privacy: {epsilon: 9}"


@pytest.mark.parametrize(
    ("mechanism", "check", "leakage"),
    [
        ("{randomized_response: {truth: 3/4}}", CHECK, "3"),
        ("{randomized_response: {truth: exp(1)/(1 + exp(1))}}", CHECK, "e"),
        (TABLE % ("1, 0", "0, 1"), CHECK, "infinite"),
        ("{randomized_response: {truth: 3/4}}", f"{{leakage: 4, {CHECK}}}", "3"),
    ],
)
def test_what_is_pinned_is_what_was_found(
    mechanism: str, check: str, leakage: str, tmp_path: Path
) -> None:
    file, text = tmp_path / "a.yaml", HEAD % (mechanism, check)
    file.write_text(text, encoding="utf-8")
    (result,) = verify.run(str(file), Options())
    edit = editor.pinned(str(file), text, result_as_json(result))
    assert edit is not None
    file.write_text(edited(text, [edit]), encoding="utf-8")
    assert f"leakage: {leakage}" in file.read_text(encoding="utf-8")
    (again,) = verify.run(str(file), Options())
    assert again.mismatch is None or "leakage" not in again.mismatch
    assert editor.pinned(str(file), edited(text, [edit]), result_as_json(again)) is None
