"""The possible worlds: a list of names, all databases over named records, or all histograms.

Reads the `worlds:` part of a file and builds the `WorldSpace`. Constraints are applied chunk by
chunk, so only the worlds that remain are ever held in memory.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from math import prod
from typing import Any, TypeVar

import numpy as np

from verifier.base import histograms
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node, Scalar
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import InputError
from verifier.base.nouns import Later, dataclass
from verifier.world.language.evaluate import evaluate, evaluate_each, predicate
from verifier.world.space import ABSENT, WorldSpace, as_value, literal, literals, show

__all__ = [
    "WorldSpace",
    "check_name",
    "constraints",
    "database",
    "evaluate",
    "evaluate_each",
    "exchangeable",
    "named",
    "outline",
    "predicate",
    "read_worlds",
]

T = TypeVar("T")

MAX_RECORDS = 1000
MAX_WORLDS = 20_000_000
MAX_EXCHANGEABLE = 10_000  # records that are not told apart
MAX_HISTOGRAMS = 1_000_000
CHUNK = 2**18


def check_name(name: Scalar, what: str, space: WorldSpace, secrets: Collection[str] = ()) -> None:
    """Refuse a `name` that expressions could not use (S203), or that is already taken (S202).

    what     it is to be the name of
    space    the worlds
    secrets  the names of secrets
    """
    text = name.text
    if not text.isidentifier() or unicodedata.normalize("NFKC", text) != text:
        said = f"the {what} name '{text}' is no plain word (letters, digits, _)"
        raise name.fail("S203", said, _plain_word(text, what))
    if keyword.iskeyword(text):
        said = f"'{text}' is a word of the language and cannot be a name"
        raise name.fail("S203", said, f"write {text}_")
    owner = space.owner(text, secrets)
    if owner == "a word of the language":
        said = f"'{text}' is a word of the language and cannot be a name"
        raise name.fail("S203", said, f"write {text}_")
    if owner:
        said = f"the {what} name '{text}' is already the name of {owner}"
        raise name.fail("S202", said, f"write another name, such as {text}_2")


def _plain_word(text: str, what: str) -> str:
    """The hint how a name is written as a plain word."""
    word = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", text[:60])).strip("_")
    word = f"{what[0]}{word}" if word[:1].isdigit() else word
    return f"write {word}" if word.isidentifier() else f"write a word such as {what}_1"


Problem = tuple[int, str, str]  # which item, code, message


def problem_with_names(names: Sequence[str]) -> Problem | None:
    """What is wrong with the names of a list of worlds."""
    if not names:
        return 0, "S201", "the list of worlds is empty"
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name.strip() or name != name.strip() or "\n" in name:
            return i, "S203", "a world's name is not empty and has no blanks around it"
        if name in ("world", "outputs", "True", "False", "None"):
            return i, "S203", f"'{name}' is reserved and cannot name a world"
        if name in seen:
            return i, "S202", f"the world '{name}' is listed twice"
        seen.add(name)
    return None


def problem_with_values(values: Sequence[Any]) -> Problem | None:
    """What is wrong with the values of a domain."""
    if not values:
        return 0, "S204", "the domain is empty"
    seen: set[Any] = set()
    for i, value in enumerate(values):
        text = show(value)
        if not text.strip() or text != text.strip():
            return i, "S204", "a value is not empty and has no blanks around it"
        if any(sign in text for sign in "(),⊥\n") or isinstance(value, tuple):
            return i, "S204", f"the value '{text}' contains one of ( ) , ⊥, which names use"
        if value in seen:
            return i, "S202", f"the value '{text}' is listed twice"
        seen.add(value)
    return None


def check_texts(values: Sequence[Any], attributes: tuple[str, ...]) -> None:
    """Refuse (S204) values whose names are ambiguous where `attributes` are joined by `/`.

    values  of a record, one for each attribute
    """
    if len(attributes) < 2 or not any("/" in show(part) for value in values for part in value):
        return
    seen: dict[str, Any] = {}
    for value in values:
        text = "/".join(map(show, value))
        if text in seen:
            raise InputError(
                "S204", f"the records {show(seen[text])} and {show(value)} would both be '{text}'"
            )
        seen[text] = value


def named(names: Sequence[str]) -> WorldSpace:
    """The worlds of a list of names.

    >>> named(["a", "b"]).index("b")
    1
    """
    problem = problem_with_names(names)
    if problem:
        raise InputError(*problem[1:])
    return WorldSpace(len(names), given=tuple(names))


def database(
    records: Sequence[str],
    domain: Sequence[Any] | Mapping[str, Sequence[Any]],
    absent: bool = False,
    where: Sequence[Scalar | str] = (),
) -> WorldSpace:
    """Every assignment of domain values to the records that satisfies the constraints.

    `domain` lists the values of one record, or maps each attribute to its values; with `absent`
    each record may also be missing. The order is that of counting, the first record slowest.
    Raises InputError S204 (values), S206 (too many worlds), S207 (no world is left).

    >>> database(["x", "y"], [0, 1], where=["x <= y"]).names(range(3))
    ['00', '01', '11']
    """
    attributes, parts = _parts(domain)
    return _build(tuple(records), attributes, parts, absent, where)


def exchangeable(
    records: int,
    domain: Sequence[Any] | Mapping[str, Sequence[Any]],
    absent: bool = False,
    where: Sequence[Scalar | str] = (),
) -> WorldSpace:
    """Every histogram of so many `records`, not told apart, that satisfies the constraints.

    domain  the values of a record, or attribute -> its values
    absent  whether a record may be missing
    where   the constraints

    >>> exchangeable(3, ["a", "b"]).names(range(4))
    ['a×3', 'a×2 b×1', 'a×1 b×2', 'b×3']
    """
    attributes, parts = _parts(domain)
    return _histograms(records, attributes, parts, absent, where)


def _parts(
    domain: Sequence[Any] | Mapping[str, Sequence[Any]],
) -> tuple[tuple[str, ...], list[Any]]:
    """Attributes and their values, or no attributes and the values of a record."""
    attributes = tuple(domain) if isinstance(domain, Mapping) else ()
    parts = [
        as_value(list(v)) for v in (domain.values() if isinstance(domain, Mapping) else [domain])
    ]
    for values in parts:
        problem = problem_with_values(values)  # type: ignore[arg-type]
        if problem:
            raise InputError(*problem[1:])
    return attributes, parts


def _histograms(
    records: int,
    attributes: tuple[str, ...],
    parts: Sequence[Any],
    absent: bool,
    where: Sequence[Scalar | str],
) -> WorldSpace:
    values = _values(attributes, parts, absent)
    size = _check_histograms(records, len(values))
    counts = histograms.all_counts(records, len(values))
    space = WorldSpace(size, (), attributes, values, counts=counts)
    texts = [space.record_text(value) for value in values]
    names = [histograms.name(row, texts) for row in counts.T.tolist()]
    space = replace(space, given=tuple(names))
    _look_at(space, where[1:])
    for constraint in where:
        rows = np.flatnonzero(predicate(space, constraint))
        if not len(rows):
            raise InputError(
                "S207", f"none of the {size} possible histograms satisfies the constraints"
            )
        assert space.counts is not None
        given = tuple(space.given[row] for row in rows.tolist())
        space = WorldSpace(
            len(rows),
            (),
            attributes,
            values,
            complete=len(rows) == size,
            given=given,
            counts=space.counts[:, rows],
        )
    return space


def _values(attributes: tuple[str, ...], parts: Sequence[Any], absent: bool) -> tuple[Any, ...]:
    """What one record may be."""
    values = tuple(product(*parts)) if attributes else parts[0]
    check_texts(values, attributes)
    return (*values, *(ABSENT,) * absent)


def _build(
    records: tuple[str, ...],
    attributes: tuple[str, ...],
    parts: Sequence[Any],
    absent: bool,
    where: Sequence[Scalar | str],
) -> WorldSpace:
    size, n = prod(map(len, parts)) + absent, len(records)
    _check_size(n, size)
    values = _values(attributes, parts, absent)
    first = next(_all_codes(n, size))
    _look_at(WorldSpace(first.shape[1], records, attributes, values, first), where[1:])
    chunks = [
        _filtered(WorldSpace(codes.shape[1], records, attributes, values, codes), where)
        for codes in _all_codes(n, size)
    ]
    codes = np.concatenate(chunks, axis=1)
    found = codes.shape[1]
    if found == 0:
        raise InputError("S207", f"none of the {size**n} possible worlds satisfies the constraints")
    return WorldSpace(found, records, attributes, values, codes, complete=found == size**n)


def _check_size(records: int, size: int) -> None:
    """Refuse (S206) too many worlds of so many records with so many values."""
    if records * np.log2(size) > np.log2(MAX_WORLDS) + 1 or size**records > MAX_WORLDS:
        exact = f" = {size**records}" if records * np.log10(size) < 40 else ""
        raise InputError(
            "S206",
            f"{size}^{records}{exact} possible worlds, at most {MAX_WORLDS} are allowed",
            hint=f"write fewer records or values; {EXCHANGEABLE}; {LOCAL}",
        )


def _check_histograms(records: int, values: int) -> int:
    """The number of histograms; S206 where there are too many."""
    size = histograms.number_of(records, values)
    if size > MAX_HISTOGRAMS:
        raise InputError(
            "S206",
            f"{size} possible histograms, at most {MAX_HISTOGRAMS} are allowed",
            hint="write fewer records, or a smaller domain",
        )
    return size


def _all_codes(records: int, size: int) -> Iterator[np.ndarray]:
    """The digits of 0, 1, 2, … in base `size`, shape (records, worlds), chunk by chunk."""
    kind = np.min_scalar_type(size - 1)
    for start in range(0, size**records, CHUNK):
        rest = np.arange(start, min(start + CHUNK, size**records), dtype=np.uint32)
        codes = np.empty((records, len(rest)), dtype=kind)
        for record in reversed(range(records)):
            quotient = rest // np.uint32(size)
            codes[record] = rest - quotient * np.uint32(size)
            rest = quotient
        yield codes


def _look_at(space: WorldSpace, where: Sequence[Scalar | str]) -> None:
    """Evaluate constraints, each by itself, so that one which follows from those before it is
    not said to compare nothing."""
    for constraint in where:
        with suppress(InputError):  # may be undefined where an earlier one fails
            predicate(space, constraint)


def _filtered(space: WorldSpace, where: Sequence[Scalar | str]) -> np.ndarray:
    """The codes of the worlds that satisfy the constraints; later ones see fewer worlds."""
    codes = space.record_codes
    for constraint in where:
        if not codes.shape[1]:
            break
        rest = WorldSpace(
            codes.shape[1], space.records, space.attributes, space.record_values, codes
        )
        holds = predicate(rest, constraint)
        codes = codes if holds.all() else codes[:, holds]
    return codes


LOCAL = "or a mechanism that answers every record by itself: {local: {table: …}}"
EXCHANGEABLE = "where only counts matter, write records: 200, exchangeable: true"


def read_worlds(node: Node) -> WorldSpace:
    """The worlds that a `node` describes: a list of names, or `records`, `domain`, `absent`,
    `where`, `exchangeable`."""
    return described(node).space


def outline(node: Node) -> WorldSpace:
    """The `outline` of worlds that a `node` describes; S206 where they could not be enumerated."""
    found = described(node)
    found.check_size()
    return found.outline


def described(node: Node) -> Described:
    """The worlds that a `node` describes, which are not enumerated yet."""
    return Described(node, _read_form(node))


def constraints(node: Node) -> list[Scalar]:
    """The constraints of the worlds that a `node` describes."""
    return _read_where(node.table.get("where")) if isinstance(node, MappingNode) else []


@dataclass(frozen=True, eq=False)
class Described(Later):
    """Worlds as a `node` describes them: listed, or of a form."""

    node: Node
    form: WorldSpace | _Form

    @cached_property
    def space(self) -> WorldSpace:
        """All worlds, enumerated."""
        form = self.form
        return form if isinstance(form, WorldSpace) else _placed(self.node, form.build)

    @cached_property
    def outline(self) -> WorldSpace:
        """Names and values without any world, unless these are listed; of exchangeable records the
        first histogram, without a name. There may be more worlds than could be enumerated."""
        form = self.form
        return form if isinstance(form, WorldSpace) else _placed(self.node, form.outline)

    def check_size(self) -> None:
        """Refuse (S206) databases that are too many to be enumerated."""
        form = self.form
        if not isinstance(form, WorldSpace) and not isinstance(form.records, int):
            _placed(self.node, partial(_check_size, len(form.records), form.size))


@dataclass(frozen=True)
class _Form(Later):
    """Databases as a file describes them; `records` is a number where they are exchangeable, and
    `least` of these are present."""

    records: tuple[str, ...] | int
    attributes: tuple[str, ...]
    parts: list[Any]
    absent: bool
    where: list[Scalar]
    least: int = 0

    def build(self) -> WorldSpace:
        """All that satisfy the constraints."""
        rest = self.attributes, self.parts, self.absent
        if isinstance(self.records, int):
            present = [f"count(True) >= {self.least}"] if self.least else []
            return _histograms(self.records, *rest, [*present, *self.where])
        return _build(self.records, *rest, self.where)

    @property
    def size(self) -> int:
        """How many values a record may have."""
        return prod(map(len, self.parts)) + self.absent

    def outline(self) -> WorldSpace:
        """None of them, but what they are made of; S206 where the values of one record are too
        many, or histograms are."""
        if isinstance(self.records, int):
            _check_histograms(self.records, self.size)
        else:
            _check_size(1, self.size)
        values = _values(self.attributes, self.parts, self.absent)
        if isinstance(self.records, int):
            counts = np.zeros((len(values), 1), dtype=np.int64)
            counts[0] = self.records
            return WorldSpace(1, (), self.attributes, values, counts=counts)
        none = np.zeros((len(self.records), 0), dtype=np.uint8)
        return WorldSpace(0, self.records, self.attributes, values, none)


def _read_form(node: Node) -> WorldSpace | _Form:
    """A list of worlds, or the description of databases."""
    if isinstance(node, SequenceNode):
        names = [item.scalar("a world's name") for item in node]
        problem = problem_with_names([name.text for name in names])
        if problem:
            raise (names[problem[0]] if names else node).fail(*problem[1:])
        return WorldSpace(len(names), given=tuple(name.text for name in names))
    if not isinstance(node, MappingNode):
        raise node.fail("S201", "worlds are a list of names, or `records` and `domain`")
    given = node.mapping(
        ("records", "domain", "absent", "where", "exchangeable"),
        "the worlds",
        needs="records domain",
    ).table
    absent, alike = (_flag(given.get(key)) for key in ("absent", "exchangeable"))
    attributes, parts = _read_domain(given["domain"])
    where = _read_where(given.get("where"))
    if alike:
        least, most = _read_numbers(given["records"])
        fewer = least < most
        return _Form(most, attributes, parts, absent or fewer, where, least if fewer else 0)
    return _Form(_read_records(given["records"], attributes), attributes, parts, absent, where)


def _read_numbers(node: Node) -> tuple[int, int]:
    """How many records that are not told apart there are at least, and at most: `3..50`, or one
    number for both."""
    text = node.text if isinstance(node, Scalar) else ""
    found = re.fullmatch(r"([0-9]{1,9})\.\.([0-9]{1,9})", text)
    if found is None:
        count = node.integer(1, MAX_EXCHANGEABLE, "a number of records")
        return count, count
    least, most = map(int, found.groups())
    if least > most:
        raise node.fail("S205", f"{text} are no numbers of records", f"write {most}..{least}")
    if not 1 <= most <= MAX_EXCHANGEABLE:
        raise node.fail("S205", f"{most} records, 1 to {MAX_EXCHANGEABLE} are allowed")
    return least, most


def _placed(node: Node, make: Callable[[], T]) -> T:
    """What is wrong with a description as a whole, placed at its part."""
    try:
        return make()
    except InputError as error:
        if error.place is not None:
            raise
        culprit = {"S204": "domain", "S207": "where"}.get(error.code, "records")
        raise node.mapping()[culprit].fail(error.code, error.message, error.hint) from None


def _flag(node: Node | None) -> bool:
    return node is not None and node.flag()


def _read_records(node: Node, attributes: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(node, SequenceNode):
        if not 1 <= len(node.items) <= MAX_RECORDS:
            hint = "" if not node.items else EXCHANGEABLE
            said = f"{len(node.items)} records, 1 to {MAX_RECORDS} are allowed"
            raise node.fail("S205", said, hint)
        scalars = [item.scalar("a record's name") for item in node.items]
        names = tuple(name.text for name in scalars)
        for at, name in enumerate(scalars):
            check_name(name, "record", WorldSpace(0, names[:at], attributes))
        return names
    text = node.scalar("a number of records, or a list of their names").text
    value = node.placed(lambda: literal(text))
    if type(value) is not int:
        hint = f"write [{text}] for one record of that name" if text.isidentifier() else ""
        hint = "add exchangeable: true" if ".." in text else hint
        raise node.fail("S205", f"'{text}' is no number of records", hint)
    if not 1 <= value <= MAX_RECORDS:
        hint = EXCHANGEABLE if value > 0 else ""
        raise node.fail("S205", f"{value} records, 1 to {MAX_RECORDS} are allowed", hint)
    made = tuple(f"r{i + 1}" for i in range(value))
    clash = next((name for name in attributes if name in made), None)
    if clash:
        others = ", ".join(f"person_{i + 1}" for i in range(min(value, 3))) + ", …" * (value > 3)
        said = f"'{clash}' is an attribute, so the records need other names"
        raise node.fail("S203", said, f"write [{others}]")
    return made


def _read_domain(node: Node) -> tuple[tuple[str, ...], list[Any]]:
    """Attributes and, for each, its values; no attributes and one list for a plain domain."""
    if isinstance(node, SequenceNode):
        return (), [_read_values(node)]
    if not isinstance(node, MappingNode):
        raise node.fail("S204", "a domain is a list of values, or attribute: list of values")
    if not node.entries:
        raise node.fail("S204", "the domain has no attribute")
    if len(node.entries) > MAX_RECORDS:
        raise node.fail(
            "S204", f"{len(node.entries)} attributes, at most {MAX_RECORDS} are allowed"
        )
    names: list[str] = []
    for key, _ in node.entries:
        if not (key.text == "value" and len(node.entries) == 1):
            check_name(key, "attribute", WorldSpace(0, (), tuple(names)))
        names.append(key.text)
    values = [
        _read_values(item.sequence(f"the list of values of {key.text}"))
        for key, item in node.entries
    ]
    return tuple(names), values


def _read_values(node: SequenceNode) -> tuple[Any, ...]:
    scalars = [item.scalar("a value") for item in node.items]
    values = _literals(scalars)
    problem = problem_with_values(values)
    if problem:
        place = scalars[problem[0]] if scalars else node
        raise place.fail(*problem[1:])
    return values


def _literals(nodes: Sequence[Scalar]) -> tuple[Any, ...]:
    """The values of scalars, all at once; where one has none, the error is at its place."""
    try:
        return literals([node.text for node in nodes])
    except InputError:
        return tuple(node.placed(partial(literal, node.text)) for node in nodes)


def _read_where(node: Node | None) -> list[Scalar]:
    if node is None:
        return []
    items = list(node) if isinstance(node, SequenceNode) else [node]
    return [item.scalar("a constraint (an expression)") for item in items]
