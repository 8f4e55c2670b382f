"""The schema of spec files: what the reader takes validates, what has unknown keys does not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests import bad_files
from tests.drawing import wider
from tests.loops import each
from tests.pages import FORMAT, GUIDES, ROOT, blocks
from verifier.base import document
from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import InputError, LimitReached
from verifier.report import words
from verifier.report.schema import schema
from verifier.spec.reading import read_whole

SCHEMA = schema()
VALIDATOR = Draft202012Validator(SCHEMA)
MODELS = sorted((ROOT / "models").glob("*/*.yaml"))
FILES = [*MODELS, *sorted((ROOT / "benchmarks").rglob("*.yaml"))]
CORPUS = bad_files.corpus()
# Words that name something of the file, or are numbers: how many and which only the reader knows.
NAMES = {
    "bayesian-known",
    "records of secret graphs",
    *(f"numbers of known records: {number}" for number in ("2", "-1", "1/2")),
}
KEYS = [bad for bad in CORPUS if bad.code == "S015" and bad.title not in NAMES]
KINDS = [bad for bad in CORPUS if bad.code in ("S106", "S501")]

RESPONSE = """\
worlds: {{records: [ann], domain: [0, 1]}}
mechanism: {{randomized_response: {{truth: {}}}}}
checks: [{{differential_privacy: {{epsilon: ln(3)}}}}]
"""
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


def seen(node: Node) -> Any:
    """A tree as an editor sees it, with the types of YAML 1.2's core schema."""
    if isinstance(node, Mapping):
        return {key.text: seen(value) for key, value in node.entries}
    if not isinstance(node, Scalar):
        return [seen(item) for item in node]  # type: ignore[attr-defined]
    plain = not node.quoted and not node.block
    if plain and node.text.lower() in WORDS:
        return WORDS[node.text.lower()]
    if plain and FLOAT.fullmatch(node.text):
        return int(node.text) if node.text.isdigit() else float(node.text)
    return node.text


def errors(text: str) -> list[str]:
    """What the schema says is wrong with a text."""
    found = VALIDATOR.iter_errors(seen(document.parse(text)))
    return [f"{one.json_path}: {one.message}"[:300] for one in found]


def test_an_editor_sees_the_types_of_yaml() -> None:
    text = "{a: 1, b: 1.5, c: 1/3, d: '1', e: true, f: no, g: ~, h: [x, 1e-9], i: 'true'}"
    assert seen(document.parse(text)) == {
        "a": 1,
        "b": 1.5,
        "c": "1/3",
        "d": "1",
        "e": True,
        "f": "no",
        "g": None,
        "h": ["x", 1e-9],
        "i": "true",
    }


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    named = set(re.findall(r'"#/\$defs/([^"]*)"', json.dumps(SCHEMA)))
    assert named == set(SCHEMA["$defs"])


@each("path", FILES)
def test_every_model_validates(path: Path) -> None:
    assert errors(path.read_text(encoding="utf-8")) == []


@each("path", FILES[:: wider(3, 1)])
def test_quotes_change_nothing(path: Path) -> None:
    """The reader takes every scalar as text; so do the files of whoever writes JSON."""

    def quoted(node: Node) -> Any:
        if isinstance(node, Mapping):
            return {key.text: quoted(value) for key, value in node.entries}
        return node.text if isinstance(node, Scalar) else [quoted(item) for item in node]  # type: ignore[attr-defined]

    assert not list(VALIDATOR.iter_errors(quoted(document.load(path))))


def whole_files() -> Iterator[tuple[str, str]]:
    """The whole files on the pages and in the texts of words, each with its place."""
    for page in [*FORMAT, *GUIDES, ROOT / "README.md", ROOT / "ARCHITECTURE.md"]:
        for block in blocks(page):
            if block.language == "yaml" and re.search("^worlds:", block.text, re.MULTILINE):
                yield block.place, block.text
    for name, meanings in words.words().items():
        for one in meanings:
            yield f"{one.kind} {name}", one.example


WHOLE = dict(whole_files())


@each("place", WHOLE)
def test_every_example_validates(place: str) -> None:
    text = WHOLE[place]
    if "checks:" in text:
        assert errors(text) == []


def test_names_that_the_schema_does_not_know_are_in_the_corpus() -> None:
    assert {bad.title for bad in CORPUS} >= NAMES


@each("bad", KEYS)
def test_unknown_keys_do_not_validate(bad: bad_files.Bad) -> None:
    assert errors(bad.text)


def test_unknown_kinds_do_not_validate(tmp_path: Path) -> None:
    """Of mechanisms and priors, where no name could stand in their place."""
    count = 0
    for bad in KINDS:
        with pytest.raises(InputError) as told:
            read_whole(bad.write(tmp_path))
        if any(one.message.startswith("unknown kind") for one in told.value.all):
            count += 1
            assert errors(bad.text), bad.name
    assert count > 5


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Each list or mapping inside a tree, with each of its keys."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
        yield tree, key
        if isinstance(tree[key], dict | list):
            yield from places(tree[key])


def changed(tree: Any, pool: dict[Any, list[Any]], draw: Random) -> None:
    """Change one value to another one of the same key, to a list of it, or to its only element."""
    inside, key = draw.choice(list(places(tree)))
    value, kind = inside[key], draw.randrange(3)
    if kind == 0 and isinstance(key, str):
        inside[key] = deepcopy(draw.choice(pool[key]))
    elif kind == 1 and isinstance(value, list) and len(value) == 1:
        inside[key] = value[0]
    else:
        inside[key] = [value]


def test_what_the_reader_takes_validates(tmp_path: Path) -> None:
    """Models with a change of shape or another value that stands under the same key elsewhere."""
    small = [path for path in MODELS if path.stat().st_size < 2000]
    trees = [seen(document.load(path)) for path in small]
    pool: dict[Any, list[Any]] = {}
    for inside, key in (place for tree in trees for place in places(tree)):
        pool.setdefault(key, []).append(inside[key])
    draw, taken, file = Random(1), 0, tmp_path / "changed.json"
    count = wider(200, 500)
    for _ in range(count):
        tree = deepcopy(draw.choice(trees))
        changed(tree, pool, draw)
        file.write_text(json.dumps(tree), encoding="utf-8")
        with suppress(InputError, LimitReached):
            read_whole(file)
            taken += 1
            assert not [one.message for one in VALIDATOR.iter_errors(tree)], tree
    assert taken > count // 12


NUMBERS = [
    "p",
    "1 - p",
    "p/(1 - p)",
    "1",
    "-0.5",
    "1/3",
    "1/2 - 1/3",
    "(1 - 1/3)/2",
    '"1/3"',
    '" 2 "',
    "1e-9",
    ".5",
    "+1",
    "0",
    "$truth",
]
NONE = ["011/2", "two words", "1/2 - 01", "1 2", "1,5", "[1]", "true", "50%"]


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_validate(text: str) -> None:
    assert errors(RESPONSE.format(text)) == []


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_number_does_not(text: str) -> None:
    assert errors(RESPONSE.format(text))


def test_keys_tell_what_they_mean() -> None:
    """As `verifier explain` does."""
    check = SCHEMA["$defs"]["check"]["properties"]
    assert "fixed factor" in check["differential_privacy"]["description"]
    group = check["differential_privacy"]["properties"]["group"]
    assert group["description"].startswith("up to how many changes are made at once")
    told = [words for keys in check.values() for words in keys.get("properties", {}).values()]
    untold = [one for one in told if "description" not in one]
    assert len(untold) < len(told) / 3
