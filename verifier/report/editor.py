"""What editors show and offer at a place of a spec file; pure functions.

A file is incomplete while somebody writes it. So what can be written at a place is found from the
text before it alone, of which the YAML library tells how far it is understood. Lines and columns
are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from math import inf
from typing import Any

from verifier.base import document
from verifier.base.document import Node, Scalar, parse
from verifier.base.errors import InputError
from verifier.report import words
from verifier.report.schema import schema
from verifier.spec.edits import Edit, Places

Json = dict[str, Any]
WORD = re.compile(r"\w+")
HERE = "written_here"  # stands at the place in question
ENDINGS = ("", ":", '"')  # with which it can be understood: as a value, a key, or in quotes
SPECIAL, ESCAPED = re.compile(r"[$}\\]"), r"\\\g<0>"  # characters of snippets
ITEM = None  # in a path: an item of a list


@dataclass(frozen=True)
class Offer:
    """A word that can be written.

    word     the word
    about    what it means; "" where nothing is told
    snippet  it with an example of its value, in the notation of editors; "" without one
    """

    word: str
    about: str = ""
    snippet: str = ""


@dataclass
class _Open:
    """A mapping or list of YAML that has not ended.

    keys    of a mapping so far
    is_key  whether a key comes next
    """

    is_mapping: bool
    is_key: bool
    keys: list[str] = field(default_factory=list)

    @property
    def step(self) -> str | None:
        """What leads from it to the value that comes next."""
        return self.keys[-1] if self.is_mapping else ITEM


def word_at(line: str, column: int) -> tuple[int, str]:
    """The word at a column of a line, and where it begins; "" where there is none."""
    found = (one for one in WORD.finditer(line) if one.start() < column <= one.end() + 1)
    return next(((one.start() + 1, one[0]) for one in found), (column, ""))


def length_at(line: str, column: int) -> int:
    """How many characters are marked for what is told of a place: a word, a number, or what
    stands there."""
    found = re.compile(r"\w[\w./]*|[^\s,]+").match(line, column - 1)
    return len(found[0]) if found else 0


def check_at(text: str, checks: Iterable[Json], line: int) -> list[Json]:
    """Those of some checks, as reports in JSON have them, in whose lines a line is."""
    lines = text.split("\n")
    return [check for check in checks if check["line"] <= line <= _last(lines, check)]


def _last(lines: Sequence[str], check: Json) -> int:
    """The last line of a check."""
    rest = enumerate(lines[check["line"] :], check["line"])
    inner = " " * (check["column"] - 1)
    ends = (number for number, one in rest if one.strip() and not one.startswith(inner))
    return next(ends, len(lines))


def definition_at(text: str, check: Json) -> tuple[int, int]:
    """Line and column of the definition of a check: what is marked; where it begins if that has
    none."""
    lines, line, column = text.split("\n"), check["line"], check["column"]
    word = re.compile(rf"\b{check['definition']}\b")
    for number in range(line, _last(lines, check) + 1):
        if found := word.search(lines[number - 1], column - 1 if number == line else 0):
            return number, found.start() + 1
    return line, column


def pinned(file: str, text: str, check: Json) -> Edit | None:
    """To write the exact leakage of a check, as its file does; None where it stands there already,
    or cannot be said as a number.

    file, text  name and text of the file
    check       its result, as reports in JSON have it
    """
    value = _level(check["leakage"] or {})
    try:
        item = parse(text, file).mapping()["checks"].sequence().items[check["index"]].mapping()
    except (InputError, IndexError):  # it is no longer what it was
        return None
    places, known = Places(file, text), item.get("leakage")
    if value is None or (places.is_json and value.startswith("[")):
        return None
    if known is None:
        return places.first(item, "leakage", value)
    if not isinstance(known, Scalar) or known.text == value:
        return None
    key = next(key for key, _ in item.entries if key.text == "leakage")
    return places.entry(key, known, "leakage", value)


def _level(leakage: Json) -> str | None:
    """A smallest level as `leakage` has it in a file."""
    if "vacuous" in leakage or "root" in leakage:
        return None
    if leakage.get("infinite"):
        return "infinite"
    if "lower" in leakage and "closed" not in leakage:
        return f"[{leakage['lower']}, {leakage['upper']}]"
    return leakage.get("closed", leakage.get("exp_epsilon"))


def offers(text: str, line: int, column: int) -> list[Offer]:
    """What can be written at a place of a text, by the schema."""
    lines = text.split("\n")[:line]
    last = lines[-1][: column - 1]
    start = len(last) - len(re.search(r"\w*$", last)[0])  # type: ignore[index]
    before = "\n".join([*lines[:-1], last[:start]])
    for ending in ENDINGS:
        opened = _opened(f"{before}{HERE}{ending}")
        if opened is not None:
            is_inner = before.rstrip(" ").endswith((":", "[", ","))
            return list(_offers(opened, ending == '"', is_inner))
    return []


def _opened(text: str) -> list[_Open] | None:
    """The mappings and lists that are open where a text says `HERE`; None where it does not."""
    import yaml

    found: list[_Open] = []
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
    try:
        for event in events:
            name = type(event).__name__
            if name == "ScalarEvent" and event.value == HERE:
                return found
            if name in ("MappingEndEvent", "SequenceEndEvent"):
                found.pop()
            if found and name == "ScalarEvent" and found[-1].is_key:
                found[-1].keys.append(event.value)
                found[-1].is_key = False
            elif name in ("ScalarEvent", "MappingEndEvent", "SequenceEndEvent") and found:
                found[-1].is_key = found[-1].is_mapping
            elif name in ("MappingStartEvent", "SequenceStartEvent"):
                found.append(_Open(name == "MappingStartEvent", name == "MappingStartEvent"))
    except yaml.YAMLError:
        pass
    return None


def _offers(opened: Sequence[_Open], is_quoted: bool, is_inner: bool) -> Iterator[Offer]:
    """The words where some mappings and lists are open.

    is_quoted  whether they stand in quotes, and no example beside them
    is_inner   whether a mapping needs braces there
    """
    is_key = bool(opened) and opened[-1].is_key
    path = [one.step for one in (opened[:-1] if is_key else opened)]
    taken = set(opened[-1].keys) if is_key else set()
    shapes = list(_flat(schema_of_files()))
    for step in path:
        shapes = [inner for shape in shapes for inner in _flat(_below(shape, step))]
    found: dict[str, Offer] = {}
    for shape in shapes:
        for word in () if is_key else shape.get("enum", ()):
            found.setdefault(str(word).lower(), Offer(str(word).lower()))
        for key, value in _keys(shape, taken):
            about = value.get("description", "")
            snippet = "" if is_quoted else _snippet(key, about)
            braced = f"{{{snippet}}}" if snippet and is_inner and not is_key else snippet
            found.setdefault(key, Offer(key, about, braced))
    yield from found.values()


@cache
def schema_of_files() -> Json:
    """The schema, made once."""
    return schema()


def _flat(shape: Json) -> Iterator[Json]:
    """The shapes that one stands for, by its name or as alternatives."""
    if "$ref" in shape:
        yield from _flat(schema_of_files()["$defs"][shape["$ref"].rpartition("/")[2]])
    elif "anyOf" in shape:
        for one in shape["anyOf"]:
            yield from _flat(one)
    else:
        yield shape


def _below(shape: Json, step: str | None) -> Json:
    """The shape of the items of a list, or of the value of a key."""
    if step is ITEM:
        return shape.get("items", {})  # type: ignore[no-any-return]
    found = {"": shape.get("additionalProperties", False), **shape.get("properties", {})}
    return found.get(step, found[""]) or {}


def _keys(shape: Json, taken: set[str]) -> Iterator[tuple[str, Json]]:
    """The keys that a mapping can have beside those that it has."""
    if len(taken) >= shape.get("maxProperties", inf):
        return
    rivals = {key for one in shape.get("oneOf", ()) for key in one["required"]}
    left_out = taken | rivals if rivals & taken else taken
    for key, value in shape.get("properties", {}).items():
        if key not in left_out:
            yield key, value


@cache
def _snippet(key: str, about: str) -> str:
    """A key with the value that it has in an example of what is told of it."""
    own = [one for one in words.words().get(key, ()) if about.startswith(one.summary)]
    for one in [*own, *words.owners(key)]:
        values = _values(parse(one.example), key) if one.example else iter(())
        for value in values:
            return f"{key}: {_written(value, count(1))}"
    return f"{key}: $1"


def _values(node: Node, key: str) -> Iterator[Node]:
    """The values that a key has in a tree."""
    if isinstance(node, document.Mapping):
        for name, value in node.entries:
            if name.text == key:
                yield value
            yield from _values(value, key)
    elif isinstance(node, document.Sequence):
        for item in node.items:
            yield from _values(item, key)


def _written(node: Node, numbers: Iterator[int]) -> str:
    """A value in the notation of snippets: each single value is a place to be filled in."""
    if isinstance(node, Scalar):
        if node.block:
            return f"|\n  ${next(numbers)}"
        quote = '"' if node.quoted else ""
        return f"{quote}${{{next(numbers)}:{SPECIAL.sub(ESCAPED, node.text)}}}{quote}"
    if isinstance(node, document.Mapping):
        parts = [f"{key.text}: {_written(value, numbers)}" for key, value in node.entries]
        return f"{{{', '.join(parts)}}}"
    assert isinstance(node, document.Sequence)
    return f"[{', '.join(_written(item, numbers) for item in node.items)}]"
