"""The tree of an input file, with every scalar kept as text and every place known; notes on it.

A file is YAML or JSON. The YAML library only delivers events here. No value is converted (no
float, no octal, no `no` -> false), and whatever would silently lose or multiply input is refused:
duplicate keys, anchors, tags, merges, several documents, empty files, and anything beyond the caps
on size.

A note tells what a file says that nobody asked for, and what it may have meant instead. It is no
error: the answer stands, and `--strict` makes it a failure. Notes are gathered while a file is
read, by the place they are about, in the `Notes` that its `Source` holds.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections import abc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeVar

from verifier.base import exact, parameters
from verifier.base.errors import InputError, Place, choice, nearest, one_line
from verifier.base.examples import PROBLEMS, like, missing
from verifier.base.nouns import Later, dataclass

T = TypeVar("T")
MAX_BYTES = 8 * 2**20
MAX_DEPTH = 50
MAX_NODES = 300_000
SHORT = 40  # characters of a value in a title
_GIVEN: dict[str, bytes] = {}  # the contents of what is no file
_OPENED: list[set[str]] = []  # what notes which files are opened
FLAGS = {"true": ("true", "yes", "on", "y", "1"), "false": ("false", "no", "off", "n", "0")}
CSV = "a long table can be a file of its own: mechanism: {csv: table.csv}"
NAMED = "give inner mechanisms names under `mechanisms`, and write the names"
UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# What JSON reads otherwise than YAML: tabs between tokens, line breaks of Unicode in texts.
_JSON = {0x09: " ", 0x85: r"\u0085", 0x2028: r"\u2028", 0x2029: r"\u2029"}
_SURROGATES = re.compile(
    r"(?P<before>(?<!\\)(?:\\\\)*)\\u(?P<high>d[89ab][0-9a-f]{2})\\u(?P<low>d[c-f][0-9a-f]{2})",
    re.I,
)
# What stands before and after the place where a list cuts an expression off.
_NEAR = 200  # characters on either side
_LIST = r"\[(?:[^][{}]|\[[^][{}]*\])*\]"
_BEFORE = re.compile(rf"(?:[^][{{}},:]|{_LIST})+$")
_AFTER = re.compile(rf"(?:{_LIST}|[-+*=!<>]|(?:in|not|and|or) )(?:[^][{{}},]|{_LIST})*")


class Note(NamedTuple):
    """Something to look at: its code, what it says, and where."""

    code: str
    message: str
    place: Place | None = None

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.code} {self.message}"


@dataclass
class Notes(Later):
    """The notes on one file, each told once, and what has been seen of its comparisons.

    compared  place -> (text, the truths that came out so far)
    """

    told: dict[tuple[str, Place | None], Note] = field(default_factory=dict)
    compared: dict[Place, tuple[str, set[bool]]] = field(default_factory=dict)

    def tell(self, code: str, message: str, place: Place | None) -> None:
        """Add the note `code` with its `message`, unless the `place` has one of this code."""
        self.told.setdefault((code, place), Note(code, one_line(message), place))

    def outcomes(self, place: Place, text: str) -> set[bool]:
        """The truths that the comparison `text` at a `place` has had so far, to be added to."""
        return self.compared.setdefault(place, (text, set()))[1]

    def all(self) -> list[Note]:
        """The notes in the order of the file."""
        constant = [
            Note("N101", f"`{one_line(text)}` is {outcome} wherever it is compared", place)
            for place, (text, found) in self.compared.items()
            if len(found) == 1
            for outcome in found
        ]
        return in_order([*self.told.values(), *constant])


def in_order(notes: Iterable[Note]) -> list[Note]:
    """The `notes` by line and column, those without a place last."""
    return sorted(notes, key=lambda note: (note.place is None, note.place or (), note.code))


@dataclass(frozen=True)
class Source(Later):
    """A file's name and lines, for places and excerpts, and the notes on it."""

    file: str
    lines: tuple[str, ...]
    digest: str | None = None  # of the file's bytes; None for a text from elsewhere
    notes: Notes = field(default_factory=Notes, repr=False, compare=False)

    def error(self, code: str, message: str, line: int, column: int, hint: str = "") -> InputError:
        """The error at a place; without one where the value is of no file.

        code          of the table of errors
        message       what is wrong
        line, column  counted from 1
        hint          what to write instead
        """
        if not self.file:
            return InputError(code, message, hint=hint)
        excerpt = self.lines[line - 1] if 1 <= line <= len(self.lines) else None
        return InputError(code, message, Place(self.file, line, column), excerpt, hint)


@dataclass(frozen=True)
class Node(Later):
    """A value of the file; the reading methods return it typed or raise at its place."""

    source: Source = field(repr=False)
    line: int
    column: int

    kind = "value"

    @property
    def place(self) -> Place:
        """Where the value starts."""
        return Place(self.source.file, self.line, self.column)

    @property
    def written(self) -> str:
        """The value in one line, as a file may have it."""
        raise NotImplementedError

    @property
    def short(self) -> str:
        """The same, cut off where it is long."""
        text = self.written
        return text if len(text) <= SHORT else f"{text[: SHORT - 2]} …"

    def fail(self, code: str, message: str, hint: str = "") -> InputError:
        """The error to raise about this value: its `code`, `message` and `hint`."""
        return self.source.error(code, message, self.line, self.column, hint)

    def placed(self, make: Callable[[], T]) -> T:
        """make(), with an error that has no place yet placed at this value."""
        try:
            return make()
        except InputError as error:
            if error.place is None:
                raise self.fail(error.code, error.message, error.hint) from None
            raise

    def scalar(self, what: str = "a single value") -> Scalar:
        """This node as a non-empty scalar; InputError S014 or S018 say that `what` was expected."""
        if not isinstance(self, Scalar):
            raise self.fail(
                "S014",
                f"{what} was expected, found a {self.kind}",
                self.alone() or like(what) or "write a word or a number",
            )
        if not self.text and not self.quoted:
            raise self.fail("S018", f"{what} was expected, found nothing", like(what))
        return self

    def alone(self) -> str:
        """The hint to write the only element of a list by itself; nothing for other values."""
        return ""

    def sequence(self, what: str = "a list") -> Sequence:
        """This node as a list; InputError S014 says that `what` was expected."""
        if not isinstance(self, Sequence):
            plain = isinstance(self, Scalar) and re.fullmatch(r"[\w./]+", self.text)
            one = self.text if plain else "a, b"  # type: ignore[attr-defined]
            hint = like(what) or f"write [{one}]"
            raise self.fail("S014", f"{what} was expected, found a {self.kind}", hint)
        return self

    def mapping(
        self, allowed: Iterable[str] | None = None, what: str = "a mapping", needs: str = ""
    ) -> Mapping:
        """This node as a mapping.

        allowed  the keys that it may have; None for any
        what     what was expected, in words
        needs    keys that must be there, separated by blanks
        """
        if not isinstance(self, Mapping):
            known = ": …, ".join(islice(allowed or ["key"], 8))
            hint = like(what) or f"write {{{known}: …}}"
            raise self.fail("S014", f"{what} was expected, found a {self.kind}", hint)
        if allowed is not None:
            self.check_keys(allowed)
        for key in needs.split():
            if self.get(key) is None:
                raise self.fail("S016", f"the key '{key}' is missing", missing(key))
        return self

    def number(self, what: str = "a number") -> Fraction:
        """This node as an exact rational; InputError S101 or S102, or S014 where `what` is no
        scalar."""
        text = self.scalar(what).text
        return self.placed(lambda: exact.number(text))

    def rational(self, what: str = "a number") -> Fraction:
        """This node as a rational; InputError S118 where it has powers of e."""
        value = self.number(what)
        if exact.is_irrational(value):
            raise self.fail("S118", f"{what} that is rational was expected, found {value}")
        return value

    def integer(self, low: int, high: int, what: str = "a whole number") -> int:
        """This node as an integer in [`low`, `high`]; InputError S101 says that `what` was
        expected."""
        value = self.rational(what)
        if value.denominator != 1 or not low <= value <= high:
            near = min(max(low, round(value)), high)
            raise self.fail(
                "S101",
                f"{what} between {low} and {high} was expected, found {self.scalar().text}",
                f"the nearest is {near}",
            )
        return int(value)

    def flag(self) -> bool:
        """This node as exactly `true` or `false`."""
        text = self.scalar("true or false").text
        if text not in ("true", "false"):
            meant = [flag for flag, words in FLAGS.items() if text.lower() in words]
            hint = f"write {meant[0]}" if meant else "write true or false"
            raise self.fail("S017", f"true or false was expected, found '{text}'", hint)
        return text == "true"

    def word(self, allowed: Iterable[str], what: str, code: str = "S015") -> str:
        """This node as one of the `allowed` words; else InputError `code` says which `what` is
        unknown."""
        known = list(allowed)
        text = self.scalar(what).text
        if text not in known:
            raise self.fail(code, f"unknown {what} '{text}'", choice(text, known))
        return text


@dataclass(frozen=True)
class Scalar(Node):
    """A single value, as the text that was written."""

    text: str = ""
    quoted: bool = False
    block: bool = False

    kind = "single value"

    @property
    def written(self) -> str:
        """See Node."""
        return " ".join(self.text.split())

    def at(self, line: int, column: int) -> Place:
        """The place of a line and column (from 1) inside the text."""
        if self.block:
            rest = self.source.lines[self.line :]
            first = next((text for text in rest if text.strip()), "")
            indent = len(first) - len(first.lstrip(" "))
            return Place(self.source.file, self.line + line, indent + column)
        if line == 1 and "\n" not in self.text:
            return Place(self.source.file, self.line, self.column + self.quoted + column - 1)
        return self.place

    def fail_at(
        self, line: int, column: int, code: str, message: str, hint: str = ""
    ) -> InputError:
        """The error to raise about a position inside the text.

        line, column  counted from 1, inside the text
        code          of the table of errors
        message       what is wrong
        hint          what to write instead
        """
        place = self.at(line, column)
        return self.source.error(code, message, place.line, place.column, hint)


@dataclass(frozen=True)
class Sequence(Node):
    """A list."""

    items: tuple[Node, ...] = ()

    kind = "list"

    @property
    def written(self) -> str:
        """See Node."""
        return f"[{', '.join(item.written for item in self.items)}]"

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)

    def alone(self) -> str:
        """See Node."""
        one = self.items[0] if len(self.items) == 1 else None
        plain = isinstance(one, Scalar) and re.fullmatch(r"[\w./]+", one.text)
        return f"write {one.text}" if isinstance(one, Scalar) and plain else ""


@dataclass(frozen=True)
class Mapping(Node):
    """A mapping; keys are scalars, in the order of the file, without repetition.

    table  the values by the text of their keys
    """

    entries: tuple[tuple[Scalar, Node], ...] = ()
    table: dict[str, Node] = field(init=False, repr=False, compare=False)

    kind = "mapping"

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", {key.text: value for key, value in self.entries})

    @property
    def written(self) -> str:
        """See Node."""
        return f"{{{', '.join(f'{key.written}: {value.written}' for key, value in self.entries)}}}"

    def get(self, key: str) -> Node | None:
        """The value of a key, or None."""
        return self.table.get(key)

    def __getitem__(self, key: str) -> Node:
        value = self.get(key)
        if value is None:
            raise self.fail("S016", f"the key '{key}' is missing", missing(key))
        return value

    def check_keys(self, allowed: Iterable[str], code: str = "S015") -> None:
        """Refuse, as `code`, a key that is not `allowed`, suggesting the nearest one that is."""
        known = list(allowed)
        for key, _ in self.entries:
            if key.text not in known:
                hint = choice(key.text, known, "keys here")
                raise key.fail(code, f"unknown key '{key.text[:80]}'", hint)

    def only(self, what: str, allowed: Iterable[str] | None = None) -> tuple[Scalar, Node]:
        """The single entry of a one-key mapping.

        what     what was expected, in words
        allowed  the keys that it may have; None for any
        """
        if allowed is not None:
            self.check_keys(allowed)
        if len(self.entries) != 1:
            raise self.fail(
                "S014", f"{what} has exactly one key, found {len(self.entries)}", like(what)
            )
        return self.entries[0]


Plain = Node | str | int | Fraction | abc.Sequence[Any] | abc.Mapping[Any, Any]


def tree(value: Plain) -> Node:
    """A value of Python as a file would have it: text, truth value, int, Fraction, list or mapping.

    A tree is returned as it is, so that its errors know their places. InputError S101 for a float.

    >>> tree({"hamming": 2}).mapping()["hamming"].integer(1, 9)
    2
    """
    return value if isinstance(value, Node) else _tree(value, Source("", ()))


def _tree(value: Plain, source: Source) -> Node:
    if isinstance(value, Node):
        return value
    if isinstance(value, str):
        return Scalar(source, 0, 0, value)
    if isinstance(value, bool):
        return Scalar(source, 0, 0, str(value).lower())
    if isinstance(value, abc.Mapping):
        entries = [(Scalar(source, 0, 0, str(k)), _tree(v, source)) for k, v in value.items()]
        return Mapping(source, 0, 0, tuple(entries))
    if isinstance(value, abc.Sequence):
        return Sequence(source, 0, 0, tuple(_tree(item, source) for item in value))
    return Scalar(source, 0, 0, exact.text(exact.number(value)))


def load(path: str | Path) -> Node:
    """Read the file at `path` into its tree, with values in place of `$name` where they are given;
    InputError S001 to S013."""
    data = read_bytes(path)
    text = parameters.filled(decode(data, str(path)))
    return parse(text, str(path), digest_of(data))


def digest_of(data: bytes) -> str:
    """The SHA-256 of the bytes `data` of a file, as certificates have it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def read_text(path: str | Path) -> str:
    """The text of the file at `path`; InputError S001, S003, S011."""
    return decode(read_bytes(path), str(path))


def give(path: str, data: bytes) -> None:
    """Let a `path` stand for these bytes, as standard input can be read only once."""
    _GIVEN[path] = data


def read_bytes(path: str | Path) -> bytes:
    """The bytes of the file at `path`; InputError S001, S011."""
    name = str(path)
    try:
        if name in _GIVEN:
            data = _GIVEN[name]
        else:
            with open_regular(path) as stream:
                data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        place, hint = Place(name, 1, 1), nearby(Path(name))
        raise InputError("S001", f"cannot read the file: {reason}", place, hint=hint) from None
    except ValueError:
        raise InputError("S001", "the file's name is not valid", Place(name[:80], 1, 1)) from None
    if len(data) > MAX_BYTES:
        place = Place(name, 1, 1)
        raise InputError("S011", f"the file is larger than {MAX_BYTES} bytes", place, hint=CSV)
    return data


@contextmanager
def opened() -> Iterator[set[str]]:
    """The whole paths of all files that are opened in a block, as they come."""
    found = set[str]()
    _OPENED.append(found)
    try:
        yield found
    finally:
        _OPENED.remove(found)


def open_regular(path: str | Path) -> BinaryIO:
    """The regular file at `path`, to be read; OSError for others, which might have no end."""
    for found in _OPENED:
        found.add(os.path.abspath(path))
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "not a regular file")


def nearby(path: Path) -> str:
    """The hint which file was meant by a `path` to one that is missing."""
    try:
        return nearest(path.name, (other.name for other in path.parent.iterdir())).lstrip("; ")
    except (OSError, ValueError):
        return ""


def decode(data: bytes, file: str) -> str:
    """The text of the UTF-8 bytes `data` of a `file`, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        place = Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise InputError("S003", "the file is not UTF-8 text", place) from None


def parse(text: str, file: str = "<text>", digest: str | None = None) -> Node:
    """Build the tree of a text, with the digest of the file that it is from, if any; InputError
    S002 and S004 to S013."""
    import yaml

    if file.endswith(".json"):
        text = _SURROGATES.sub(_joined, text.translate(_JSON))
    bad = UNPRINTABLE.search(text)
    if bad:
        line = text.count("\n", 0, bad.start()) + 1
        place = Place(file, line, bad.start() - text.rfind("\n", 0, bad.start()))
        raise InputError("S004", f"the character U+{ord(bad[0]):04X} is not allowed", place)
    source = Source(file, tuple(text.splitlines()), digest)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(source, yaml.parse(text, Loader=loader)).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or "not well-formed YAML"
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if "maximum nesting depth" in problem and mark is not None:
            # The library looks so far ahead that it gave no value yet: those before say where.
            return parse(text[: mark.index], file, digest)
        if cut := _cut_by_list(source, problem, line, column):
            raise cut from None
        said = f"not well-formed YAML: {problem}"
        raise source.error("S005", said, line, column, _mended(source, problem, line)) from None


def _cut_by_list(source: Source, problem: str, line: int, column: int) -> InputError | None:
    """S013 where an expression inside braces or brackets, without quotes, has a list in it."""
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    near, rest = text[: column - 1][-_NEAR:], text[column - 1 :][:_NEAR]
    before, after = _BEFORE.search(near), _AFTER.match(rest)
    if "',' or '" not in problem or before is None or after is None:
        return None
    head, whole = before[0].strip(), f"{before[0]}{after[0]}".strip()
    is_value = near[: before.start()].endswith(":") or "',' or ']'" in problem
    if not head or not is_value or '"' in whole or head.endswith("]") == after[0].startswith("["):
        return None
    said = f"quote '{head} …': inside braces or brackets the list cuts it off"
    return source.error("S013", said, line, column, f'write "{whole}"')


def _mended(source: Source, problem: str, line: int) -> str:
    """What to write instead of text that the YAML library does not understand."""
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    if "cannot start any token" in problem and "\t" in text:
        return "indent with spaces; a tab is not allowed there"
    return next((hint for part, hint in PROBLEMS.items() if part in problem), "")


def _joined(pair: re.Match[str]) -> str:
    """JSON's two escapes of one character beyond U+FFFF as the one escape of YAML."""
    high, low = (int(pair[part], 16) for part in ("high", "low"))
    return f"{pair['before']}\\U{0x10000 + ((high - 0xD800) << 10) + low - 0xDC00:08X}"


class _Builder:
    """Turns the YAML library's events into nodes, refusing what the format leaves out."""

    def __init__(self, source: Source, events: Iterator[Any]) -> None:
        self.source, self.events, self.nodes, self.flow = source, events, 0, 0

    def document(self) -> Node:
        """The single document of the stream."""
        node: Node | None = None
        for event in self.events:
            name = type(event).__name__
            if name == "DocumentStartEvent":
                if node is not None:
                    self.refuse(event, "S009", "a second document starts here; a file holds one")
            elif name not in ("StreamStartEvent", "StreamEndEvent", "DocumentEndEvent"):
                node = self.node(event, 0)
        if node is None or (isinstance(node, Scalar) and not node.text.strip()):
            raise self.source.error("S002", "the file is empty: nothing would be checked", 1, 1)
        return node

    def refuse(self, event: Any, code: str, message: str, hint: str = "") -> NoReturn:
        """Raise InputError `code` with a `message` and a `hint`, at an `event`."""
        mark = event.start_mark
        raise self.source.error(code, message, mark.line + 1, mark.column + 1, hint)

    def uncut(self, event: Any, text: str) -> str:
        """The hint to quote the `text` of an `event` up to the parenthesis that closes its first
        one."""
        rest, depth = self.source.lines[event.start_mark.line][event.start_mark.column :], 0
        for at, sign in enumerate(rest[:200]):
            depth += (sign == "(") - (sign == ")")
            if sign == ")" and not depth and at >= len(text) and '"' not in rest[:at]:
                return f'write "{rest[: at + 1]}"'
        return "write the whole expression in quotes"

    def node(self, event: Any, depth: int) -> Node:
        """The node that starts with `event`, at a `depth` of nesting."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.refuse(event, "S011", f"the document has more than {MAX_NODES} values", CSV)
        if depth > MAX_DEPTH:
            self.refuse(event, "S010", f"nested more than {MAX_DEPTH} levels deep", NAMED)
        name = type(event).__name__
        if name == "AliasEvent" or event.anchor is not None:
            self.refuse(event, "S007", "anchors and aliases are not allowed; write the value out")
        if event.tag is not None:
            self.refuse(event, "S008", f"the tag '{event.tag}' is not allowed")
        if name == "ScalarEvent":
            return self.scalar(event)
        self.flow += bool(event.flow_style)
        built = (self.sequence if name == "SequenceStartEvent" else self.mapping)(event, depth)
        self.flow -= bool(event.flow_style)
        return built

    def scalar(self, event: Any) -> Scalar:
        """The scalar of an `event`; inside `{…}` and `[…]` a comma may have cut it (S013)."""
        plain, text = event.style in (None, ""), event.value
        bad = event.style == '"' and UNPRINTABLE.search(text)
        if bad:
            self.refuse(event, "S004", f"the character U+{ord(bad[0]):04X} is not allowed")
        if plain and self.flow and text.count("(") != text.count(")"):
            self.refuse(
                event,
                "S013",
                f"quote '{text}…': inside braces or brackets the comma cuts it off",
                self.uncut(event, text),
            )
        return Scalar(
            *self.start(event),
            text,
            quoted=event.style in ("'", '"'),
            block=event.style in ("|", ">"),
        )

    def start(self, event: Any) -> tuple[Source, int, int]:
        """Where the node of an `event` starts."""
        return self.source, event.start_mark.line + 1, event.start_mark.column + 1

    def sequence(self, start: Any, depth: int) -> Sequence:
        """The list from the event `start` to its end, at a `depth` of nesting."""
        items = []
        for event in self.events:
            if type(event).__name__ == "SequenceEndEvent":
                break
            items.append(self.node(event, depth + 1))
        return Sequence(*self.start(start), tuple(items))

    def mapping(self, start: Any, depth: int) -> Mapping:
        """The mapping from the event `start` to its end, at a `depth`, with scalar keys that
        differ."""
        entries: dict[str, tuple[Scalar, Node]] = {}
        for event in self.events:
            if type(event).__name__ == "MappingEndEvent":
                break
            key = self.node(event, depth + 1)
            if not isinstance(key, Scalar):
                hint = "write a plain word before the colon"
                raise key.fail("S014", f"a key is a single value, found a {key.kind}", hint)
            if key.text == "<<" and not key.quoted:
                raise key.fail("S012", "merge keys are not allowed; write the entries out")
            if key.text in entries:
                first = entries[key.text][0].line
                raise key.fail("S006", f"the key '{key.text}' was already given in line {first}")
            entries[key.text] = (key, self.node(next(self.events), depth + 1))
        return Mapping(*self.start(start), tuple(entries.values()))
