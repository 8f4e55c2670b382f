"""From text to syntax trees, safely, with every position known; and the terms made of them.

The standard library's parser reads the text and nothing is ever executed. What it may contain is
decided by the readers of the tree (`reader`, `statements`), which list the allowed nodes.

A term is an expression that has been read and checked: what is left to evaluate. It knows where it
was written (`at`). Names are resolved, operators and functions are plain Python functions on values
(`operations`), lists are an operation like any other.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from verifier.base import exact
from verifier.base.document import Notes, Scalar
from verifier.base.errors import InputError, Place
from verifier.base.nouns import Later, dataclass
from verifier.world.space import Value, number, truth

MAX_SOURCE = 20_000
SHORT = 18  # digits of a whole number that Python has read already
MAX_DEPTH = 100

At = tuple[int, int]  # line and column in the text, from 1


@dataclass(frozen=True)
class Source(Later):
    """The text of an expression or program, and where it was written."""

    text: str
    scalar: Scalar | None = None

    @classmethod
    def of(cls, source: Scalar | str) -> Source:
        """The text of a `source`: a scalar of a file, or plain text from a Python caller."""
        return cls(source.text, source) if isinstance(source, Scalar) else cls(source)

    @property
    def blank(self) -> str:
        """The white space before the text."""
        return self.text[: len(self.text) - len(self.text.lstrip())]

    @property
    def notes(self) -> Notes | None:
        """The notes on the file in which the text was written, if it was."""
        return None if self.scalar is None else self.scalar.source.notes

    def place(self, at: At) -> Place:
        """The place of a position `at` in the text."""
        return Place("<expression>", *at) if self.scalar is None else self.scalar.at(*at)

    def tell(self, at: At, code: str, message: str) -> None:
        """Make the note `code` with a `message` about a position `at` in the text of a file."""
        if self.notes is not None:
            self.notes.tell(code, message, self.place(at))

    def fail(self, at: At, code: str, message: str, hint: str = "") -> InputError:
        """The error to raise about a position in the text.

        at       line and column, from 1
        code     of the table of errors
        message  what is wrong
        hint     what to write instead
        """
        if self.scalar is not None:
            return self.scalar.fail_at(*at, code, message, hint)
        lines = self.text.split("\n")
        line = lines[at[0] - 1] if at[0] <= len(lines) else None
        return InputError(code, message, self.place(at), line, hint)


@dataclass(frozen=True)
class Tree(Later):
    """A parsed text: its syntax tree, and positions and texts of its nodes."""

    root: ast.AST
    source: Source
    lines: tuple[bytes, ...]  # as parsed, so without leading white space
    line: int = 0
    column: int = 0

    def at(self, node: ast.AST) -> At:
        """The position of a node; the parser counts UTF-8 bytes, we count characters."""
        line: int = getattr(node, "lineno", 1)
        before = self.lines[line - 1][: getattr(node, "col_offset", 0)]
        return self.place(line, len(before.decode(errors="ignore")) + 1)

    def place(self, line: int, column: int) -> At:
        """The `line` and `column` of a position in the parsed text as a position in the source."""
        return self.line + line, column + (self.column if line == 1 else 0)

    def segment(self, node: ast.expr) -> str:
        """The text of a node within one line."""
        return self.lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()

    def text(self, node: ast.expr) -> str:
        """The text of a node, in one line."""
        if node.end_lineno == node.lineno:
            return self.segment(node)
        return " ".join(ast.unparse(node).split())

    def fail(self, node: ast.AST, code: str, message: str, hint: str = "") -> InputError:
        """The error to raise about a `node`: its `code`, `message` and `hint`."""
        return self.source.fail(self.at(node), code, message, hint)

    def constant(self, node: ast.Constant) -> Value:
        """The value of a literal `node`; numbers are read from the source text, so 0.1 is 1/10."""
        if isinstance(node.value, bool):
            return truth(node.value)
        if isinstance(node.value, str):
            return node.value
        if isinstance(node.value, int | float | complex):
            text = self.segment(node)
            if re.fullmatch(r"[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?", text) is None:
                said = f"the number '{text}' is not written in decimal"
                hint = f"write {node.value}" if isinstance(node.value, int) else ""
                raise self.fail(node, "S304", said, hint)
            if type(node.value) is int and len(text) <= SHORT and text == str(node.value):
                return node.value
            try:
                return number(exact.number(text.rstrip(".")))
            except InputError as error:
                raise self.fail(node, error.code, error.message, error.hint) from None
        raise self.fail(node, "S302", f"'{self.segment(node)}' is not part of the language")


def parse(source: Source, mode: str) -> Tree:
    """The syntax tree of `source`: an expression (`mode` is eval) or a program (exec).

    Raises InputError S301 for text that is not Python, S304 for text that is too long or nested
    too deeply.
    """
    text, blank = source.text, source.blank if mode == "eval" else ""
    if len(text) > MAX_SOURCE:
        raise source.fail((1, 1), "S304", f"{len(text)} characters, at most {MAX_SOURCE} allowed")
    if not text.strip():
        raise source.fail((1, 1), "S301", "an expression was expected, found nothing")
    control = re.search(r"[\r\f\v\0\ud800-\udfff]", text)
    if control:
        raise source.fail((1, 1), "S301", f"the character {control[0]!r} is not allowed here")
    text = text[len(blank) :].rstrip() if mode == "eval" else text
    shift = blank.count("\n"), len(blank) - blank.rfind("\n") - 1
    tree = Tree(ast.Pass(), source, tuple(line.encode() for line in text.split("\n")), *shift)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root = ast.parse(text + "\n", mode=mode)
    except SyntaxError as error:
        line = min(max(1, error.lineno or 1), len(tree.lines))
        at = tree.place(line, max(1, error.offset or 1))
        raise source.fail(at, "S301", _explain(error, source, mode)) from None
    except (RecursionError, MemoryError):
        raise source.fail((1, 1), "S304", "nested too deeply") from None
    except ValueError as error:
        raise source.fail((1, 1), "S301", str(error)) from None
    tree = Tree(root, source, tree.lines, *shift)
    _check_depth(tree)
    return tree


def _explain(error: SyntaxError, source: Source, mode: str) -> str:
    what = "an expression" if mode == "eval" else "a program"
    message = f"not {what} of the language: {(error.msg or 'invalid syntax').split(';')[0]}"
    cut = "never closed" in message or "unterminated" in message
    if cut and source.scalar is not None and not source.scalar.quoted:
        return message + "; inside {…} and […] an expression with a comma must be quoted"
    if "&&" in source.text or "||" in source.text:
        return message + "; use `and`, `or`, `not`"
    if mode == "eval" and re.search(r"[^=!<>]=[^=]", source.text):
        return message + "; `==` compares"
    if "leading zeros" in message:
        return message + "; a word such as '011' is quoted"
    return message


def _check_depth(tree: Tree) -> None:
    """Refuse deep nesting, so that no later walk can exhaust the stack."""
    level: list[ast.AST] = [tree.root]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise tree.fail(level[0], "S304", f"nested more than {MAX_DEPTH} levels deep")


@dataclass(frozen=True, eq=False)
class Term(Later):
    """Base of all terms."""

    at: At


@dataclass(frozen=True, eq=False)
class Const(Term):
    """A value."""

    value: Any


@dataclass(frozen=True, eq=False)
class Variable(Term):
    """A variable of the program, or a name bound by the caller."""

    name: str


@dataclass(frozen=True, eq=False)
class Record(Term):
    """The value of the record with this number."""

    number: int


@dataclass(frozen=True, eq=False)
class Current(Term):
    """The value of the record over which `count` or `sum` currently runs."""


@dataclass(frozen=True, eq=False)
class CurrentWorld(Term):
    """The current world."""


@dataclass(frozen=True, eq=False)
class InSecret(Term):
    """Whether the current world is in the secret."""

    name: str


@dataclass(frozen=True, eq=False)
class Input(Term):
    """A value that the world alone decides, by its number in a program's list of inputs."""

    number: int


# How much of its arguments an operation looks at: nothing (it only stores them), the values
# themselves, or everything inside them. Programs keep what is not looked at symbolic.
STORED, OUTER, WHOLE = range(3)


@dataclass(frozen=True, eq=False)
class Apply(Term):
    """An operation of all its arguments."""

    operation: Callable[..., Any]
    arguments: tuple[Term, ...]
    depth: int = WHOLE


@dataclass(frozen=True, eq=False)
class Compare(Apply):
    """A comparison, as it is written in `text`."""

    text: str = ""


@dataclass(frozen=True, eq=False)
class Logic(Term):
    """`and` (stops at the first false part) or `or` (stops at the first true part)."""

    stops_at: bool
    parts: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Choice(Term):
    """`chosen if test else other`."""

    test: Term
    chosen: Term
    other: Term


@dataclass(frozen=True, eq=False)
class Fold(Term):
    """The sum of a number over the records; `body` mentions the current record."""

    body: Term


@dataclass(frozen=True, eq=False)
class Draw(Term):
    """A random draw from a distribution."""

    distribution: Term


@dataclass(frozen=True, eq=False)
class Comprehension(Term):
    """`[item for names in items if tests]`; a program takes it out as a loop, as it does draws."""

    names: tuple[str, ...]
    items: Term
    tests: tuple[Term, ...]
    item: Term


def children(term: Term) -> tuple[Term, ...]:
    """The terms that a term is made of, in order of evaluation."""
    match term:
        case Apply(arguments=parts) | Logic(parts=parts):
            return parts
        case Choice():
            return term.test, term.chosen, term.other
        case Fold(body=part) | Draw(distribution=part):
            return (part,)
        case Comprehension(items=items, tests=tests, item=item):
            return items, *tests, item
    return ()


def rebuild(term: Term, change: Callable[[Term], Term]) -> Term:
    """The `term` with its parts replaced by their `change`."""
    match term:
        case Apply(arguments=arguments):
            return replace(term, arguments=tuple(map(change, arguments)))
        case Logic(at, stops_at, parts):
            return Logic(at, stops_at, tuple(map(change, parts)))
        case Choice(at, test, chosen, other):
            return Choice(at, change(test), change(chosen), change(other))
        case Fold(at, body):
            return Fold(at, change(body))
        case Draw(at, distribution):
            return Draw(at, change(distribution))
        case Comprehension(at, names, items, tests, item):
            return Comprehension(at, names, change(items), tuple(map(change, tests)), change(item))
    return term


def walk(term: Term) -> Iterator[Term]:
    """The term and all terms inside it."""
    yield term
    for part in children(term):
        yield from walk(part)


def mentions_current(term: Term) -> bool:
    """Whether `term` needs the current record of an enclosing `count` or `sum`."""
    if isinstance(term, Fold):
        return False
    return isinstance(term, Current) or any(map(mentions_current, children(term)))
