"""Renaming the values of a domain changes no answer.

A file in which values are names only is written again with other values: each place where one
stands, in domains, names of worlds and outputs, keys and expressions. Files that compute with
values cannot be renamed; they are counted with the reason.
"""

from __future__ import annotations

import ast
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, product
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from tests.definitions.cases import Case
from tests.definitions.test_contract import ALL, CASES
from tests.slips import LANGUAGE, MODELS
from verifier.base import document
from verifier.base.document import Mapping, Node, Scalar
from verifier.base.errors import InputError, LimitReached, VerifierError
from verifier.report.json import result_as_json
from verifier.run import verify
from verifier.run.verify import Options

SCHEMES: dict[str, Callable[[int], list[str]]] = {
    "words": lambda count: ["n", "y"] if count == 2 else [f"{chr(97 + i)}z" for i in range(count)],
    "numbers": lambda count: list(map(str, range(count))),
    "zeros": lambda count: [f"0{i}" for i in range(count)],
    "bits": lambda count: (["10", "01"] if count == 2 else ["10", "11", "00", "01"])[:count],
    "slashes": lambda count: ["0/1", "0/0", "1/0"][:count],
}  # ascending as outputs are: numbers, then words
WORLDS = 20_000  # databases at most, whose names are listed
NAMED = {
    "domain",
    "outputs",
    "candidates",
    "edges",
    "partition",
    "map",
    "graph",
    "support",
    "sensitive",
}
ROWS = {"auxiliary": 1, "between": 2, "graph": 2}  # names at the start of rows; then numbers
VALUED = {
    "between",
    "known",
    "edges",
    "partition",
    "iid",
    "outputs",
    "candidates",
    "graph",
    "sensitive",
}
EXPRESSIONS = LANGUAGE | {"distance", "priv", "alt", "indexed", "constraints"}
FREE = {"title", "source", "name"}
PROSE = ("likelier", "other", "private", "sees", "reason", "output", "outputs")  # names in the
# middle of sentences, and one of several outputs, the first as they are sorted
TOLD = ("verdict", "leakage", "value", "ok", "reason")  # of a result
SECONDS = 10.0  # for each check


class Skipped(Exception):
    """A file cannot be renamed, for a reason."""


# What a part of an expression is: VALUE with the number of its attribute, LIST with its elements,
# or one of these words.
VALUE, LIST, WORLD, OUTPUT, CONSTANT, OTHER = "VLWOC-"
Kind = tuple[Any, ...]
Edit = tuple[int, int, str]  # start, end, new text


@dataclass(frozen=True)
class Renaming:
    """Other values in place of those of a domain.

    attributes  their names; none for a plain domain
    values      for each attribute (or the plain domain) old text -> new text
    worlds      the names of all databases
    texts       the names of a record's values
    """

    records: tuple[str, ...]
    attributes: tuple[str, ...]
    values: tuple[dict[str, str], ...]
    worlds: dict[str, str]
    texts: dict[str, str]
    secrets: frozenset[str]

    @property
    def record(self) -> Kind:
        """The kind of a record's value."""
        parts = tuple((VALUE, at) for at in range(len(self.values)))
        return parts[0] if len(parts) == 1 else (LIST, parts)

    def text(self, text: str, key: str = "worlds") -> str:
        """A name of a world, a value or an output, and what is made of such; where it may be both,
        that of a value under some keys."""
        first, other = self.worlds, self.texts
        if key in VALUED:
            first, other = other, first
        if text in first or text in other:
            return first.get(text, other.get(text, text))
        if " | " in text:
            return " | ".join(map(self.text, text.split(" | ")))
        if text[:1] == "(" and text[-1:] == ")":
            return f"({', '.join(map(self.text, _parts(text[1:-1])))})"
        if text[:1] == "{" and text[-1:] == "}":
            pairs = (part.rpartition(": ") for part in _parts(text[1:-1]))
            return f"{{{', '.join(f'{self.text(key)}: {n}' for key, _, n in pairs)}}}"
        if text[:1] == "'" and text[-1:] == "'":
            return repr(self.text(text[1:-1])) if len(text) > 1 else text
        return text

    def same(self, old: Any, new: Any) -> bool:
        """Whether an answer is the other one, up to names."""
        if isinstance(old, dict) and isinstance(new, dict):
            pairs = zip(old.items(), new.items(), strict=False)
            return len(old) == len(new) and all(
                self.same(k, key) and (k in PROSE or self.same(v, value))
                for (k, v), (key, value) in pairs
            )
        if isinstance(old, list) and isinstance(new, list):
            return len(old) == len(new) and all(map(self.same, old, new))
        if not isinstance(old, str) or not isinstance(new, str):
            return bool(old == new)
        old, new = (text.replace("'", "") for text in (old, new))
        known = (values.get(old) for values in self.values)
        if new in (old, self.text(old), self.text(old, "edges"), *known):
            return True
        a, b = (_pieces(text) for text in (old, new))
        return 1 < len(a) == len(b) and all(map(self.same, a, b))


def _pieces(text: str) -> list[str]:
    """What a name such as `r1 = 0`, `f(0)` or `(0, 1)` is made of."""
    if text[:1] == "(" and text[-1:] == ")":
        return ["(", *_parts(text[1:-1])]
    if found := re.fullmatch(r"(\w+)\((.*)\)", text):
        return [found[1], found[2]]
    return re.split(r" = | \| | ", text)


def _parts(text: str) -> list[str]:
    """What is between the outer commas."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign in "({") - (sign in ")}")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [part.strip() for part in found]


def shown(text: str) -> str:
    """A value as names have it: numbers in lowest terms."""
    return str(Fraction(text)) if is_number(text) else text


def is_number(text: str) -> bool:
    """Whether a text of a file is a number; a leading zero makes a word of it."""
    return re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+|/[1-9]\d*)?", text) is not None


def literal(text: str) -> str:
    """A value as expressions have it."""
    if not is_number(text):
        return repr(text)
    return shown(text) if re.fullmatch(r"\d+", shown(text)) else f"({shown(text)})"


def names(values: Sequence[Sequence[str]], count: int, absent: bool) -> tuple[list[str], list[str]]:
    """The names of a record's values, and of all databases, in order."""
    texts = ["/".join(map(shown, parts)) for parts in product(*values)] + ["⊥"] * absent
    short = all(len(text) == 1 for text in texts)
    every = product(texts, repeat=count)
    return texts, ["".join(w) if short else f"({', '.join(w)})" for w in every]


def renaming(top: Node, scheme: str) -> Renaming:
    """Other values, by a scheme, for the domain of a file."""
    worlds = top.table.get("worlds") if isinstance(top, Mapping) else None
    if not isinstance(worlds, Mapping):
        raise Skipped("no records")
    table = worlds.table
    if table.get("exchangeable") is not None:
        raise Skipped("records are not told apart")
    domain, absent = table["domain"], "absent" in table and table["absent"].flag()
    attributes = tuple(domain.table) if isinstance(domain, Mapping) else ()
    lists = list(domain.table.values()) if isinstance(domain, Mapping) else [domain]
    old = [[item.scalar().text for item in part.sequence()] for part in lists]
    new = [SCHEMES[scheme](len(part)) for part in old]
    if any(len(a) > len(b) for a, b in zip(old, new, strict=True)):
        raise Skipped("more values than the scheme has")
    if any(re.search(r"[^\w./-]", text) or text.isidentifier() for text in chain(*old)) and any(
        text in {"uniform", "all", "worst", "values"} for text in chain(*old)
    ):
        raise Skipped("a value is a word of the language")
    if len(old) > 1 and scheme == "slashes":
        raise Skipped("names of several attributes have slashes")
    named = table["records"]
    if isinstance(named, Scalar):
        if not named.text.isdigit():
            raise Skipped("a parameter is the number of records")
        records = tuple(f"r{i + 1}" for i in range(int(named.text)))
    else:
        records = tuple(item.scalar().text for item in named.sequence())
    size = 1
    for part in old:
        size *= len(part)
    if (size + absent) ** len(records) > WORLDS:
        raise Skipped("many worlds")
    texts, again = (names(part, len(records), absent) for part in (old, new))
    assert isinstance(top, Mapping)
    secrets = top.table.get("secrets")
    return Renaming(
        (*records, "record"),
        attributes,
        tuple(dict(zip(map(shown, a), b, strict=True)) for a, b in zip(old, new, strict=True)),
        dict(zip(texts[1], again[1], strict=True)),
        dict(zip(texts[0], again[0], strict=True)),
        frozenset(secrets.table) if isinstance(secrets, Mapping) else frozenset(),
    )


@dataclass
class Text:
    """An expression or a program that is renamed."""

    by: Renaming
    source: str
    edits: set[Edit] = field(default_factory=set)
    kinds: dict[str, Kind] = field(default_factory=dict)  # of variables
    returned: list[tuple[ast.expr, Kind]] = field(default_factory=list)
    value: bool = False  # whether an expression is one, or made of some

    def renamed(self, mode: str) -> str:
        """The text with other values; Skipped where it computes with them."""
        if not self.source.isascii():
            raise Skipped("signs of another alphabet")
        try:
            root = ast.parse(self.source, mode=mode)
        except SyntaxError:
            raise Skipped("a text that is no expression") from None
        if isinstance(root, ast.Expression):
            self.value = _has_value(self.kind(root.body))
        else:
            for _ in range(4):
                self.edits, self.returned = set(), []
                self.block(root.body)  # type: ignore[attr-defined]
            self.check_returned()
        text = self.source
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def check_returned(self) -> None:
        """Skipped where a value and a number like one are returned beside each other."""
        if any(_has_value(kind) for _, kind in self.returned):
            known = {text for values in self.by.values for text in values}
            for node, _ in self.returned:
                if known.intersection(_constants(node)):
                    raise Skipped("a value and a constant are returned")

    def block(self, body: Iterable[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.assign(name, value)
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    self.assign(name, ast.BinOp(ast.Name(name), node.op, value))
                case ast.Expr(value=ast.Call(func=ast.Attribute(ast.Name(id=name)), args=[item])):
                    known = self.kinds.get(name, (LIST, ()))
                    kind = self.joined([(None, _element(known)), (item, self.kind(item))])
                    self.kinds[name] = (LIST, (kind,), "any")
                case ast.If(test=test, body=then, orelse=other):
                    self.kind(test)
                    self.block(then)
                    self.block(other)
                case ast.For(target=ast.Name(id=name), iter=items, body=then):
                    kind = self.kind(items)
                    self.kinds[name] = self.by.record if kind == (WORLD,) else _element(kind)
                    self.block(then)
                case ast.Return(value=ast.expr() as value):
                    self.returned.append((value, self.kind(value)))

    def assign(self, name: str, value: ast.expr) -> None:
        before = self.kinds.get(name, (CONSTANT,))
        self.kinds[name] = self.joined([(None, before), (value, self.kind(value))])

    def joined(self, parts: Sequence[tuple[ast.expr | None, Kind]]) -> Kind:
        """What is one of several things; constants beside a value are values."""
        kinds = {kind for _, kind in parts if kind != (CONSTANT,)}
        if not kinds:
            return (CONSTANT,)
        if len(kinds) > 1 and all(kind[0] == LIST for kind in kinds):
            written = [node.elts for node, _ in parts if isinstance(node, ast.Tuple | ast.List)]
            for items in zip(*written, strict=False):
                self.joined([(item, self.kind(item)) for item in items])
            return (LIST, (_element((LIST, tuple(part for k in kinds for part in k[1]))),), "any")
        if len(kinds) > 1:
            if any(map(_has_value, kinds)):
                raise Skipped("a variable is a value or something else")
            return (OTHER,)
        (kind,) = kinds
        if _has_value(kind):
            for node, own in parts:
                if own == (CONSTANT,) and node is not None:
                    self.mark(node, kind)
        return kind

    def mark(self, node: ast.expr, kind: Kind) -> None:
        """Rename what a node is written as: a value, or a list of such."""
        match node:
            case ast.IfExp(body=a, orelse=b):
                self.mark(a, kind)
                self.mark(b, kind)
            case ast.Tuple(elts=items) | ast.List(elts=items) if kind[0] in (LIST, WORLD, OUTPUT):
                each = self.elements(kind, len(items))
                for item, one in zip(items, each, strict=False):
                    self.mark(item, one)
            case _ if (own := self.kind(node)) == (CONSTANT,):
                self.constant(node, kind)
            case _ if own != kind and not {own[0], kind[0]} & {WORLD, OUTPUT, LIST}:
                raise Skipped("a value is compared with something that is computed")

    def elements(self, kind: Kind, count: int) -> list[Kind]:
        if kind[0] == LIST and len(kind) == 2:
            return list(kind[1])
        if kind[0] == LIST:
            return [kind[1][0]] * count
        return [self.by.record if kind[0] == WORLD else (OUTPUT,)] * count

    def constant(self, node: ast.expr, kind: Kind) -> None:
        if any(isinstance(part, ast.Name) for part in ast.walk(node)):
            raise Skipped("a value is compared with a variable that is a constant")
        text = ast.get_source_segment(self.source, node) or ""
        found = text[1:-1] if text[:1] in "'\"" else shown(text.strip("() ").replace(" ", ""))
        if kind[0] == VALUE:
            table = self.by.values[kind[1]]
            if found in table:
                self.replace(node, literal(table[found]))
            return
        if kind[0] in (WORLD, OUTPUT) and found in self.by.worlds and text[:1] in "'\"":
            self.replace(node, repr(self.by.worlds[found]))
        elif kind[0] == OUTPUT and found in self.by.texts and len(self.by.values) == 1:
            self.replace(node, literal(self.by.values[0].get(found, found)))

    def replace(self, node: ast.expr, new: str) -> None:
        before = self.source.split("\n")
        start = sum(len(line) + 1 for line in before[: node.lineno - 1]) + node.col_offset
        last = node.end_lineno or node.lineno
        end = sum(len(line) + 1 for line in before[: last - 1]) + (node.end_col_offset or 0)
        self.edits.add((start, end, new))

    def equal(self, a: ast.expr, b: ast.expr) -> None:
        """Two things that are compared."""
        for one, other in ((a, b), (b, a)):
            kind = self.kind(one)
            written = isinstance(one, ast.Tuple | ast.List) and not _has_value(kind)
            if kind[0] in (VALUE, LIST, WORLD, OUTPUT) and not written:
                self.mark(other, kind)

    def plain(self, *nodes: ast.expr) -> Kind:
        """What an operation computes from things that are no values."""
        for node in nodes:
            if self.kind(node)[0] in (VALUE, WORLD, OUTPUT) or _has_value(self.kind(node)):
                raise Skipped("it computes with values")
        return (OTHER,)

    def kind(self, node: ast.expr) -> Kind:
        """What a part is."""
        match node:
            case ast.Constant():
                return (CONSTANT,)
            case ast.Name(id=name):
                return self.named(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                if attr == "present":
                    return (OTHER,)
                if attr in self.by.attributes:
                    return (VALUE, self.by.attributes.index(attr))
                return self.by.record
            case ast.Attribute(attr=attr):
                known = attr in self.by.attributes
                return (VALUE, self.by.attributes.index(attr)) if known else (OTHER,)
            case ast.Subscript(value=items, slice=place):
                self.plain(place)
                kind = self.kind(items)
                if kind[0] == WORLD:
                    return self.by.record
                if kind[0] == LIST and len(kind) == 2 and isinstance(place, ast.Constant):
                    return kind[1][place.value]  # type: ignore[no-any-return]
                return _element(kind)
            case ast.Compare(left=left, ops=ops, comparators=others):
                for a, op, b in zip([left, *others], ops, others, strict=False):
                    if isinstance(op, ast.Eq | ast.NotEq):
                        self.equal(a, b)
                    elif isinstance(op, ast.In | ast.NotIn):
                        self.member(a, b)
                    else:
                        self.plain(a, b)
                return (OTHER,)
            case ast.BoolOp(values=parts):
                return self.plain(*parts)
            case ast.UnaryOp(operand=part):
                found = self.plain(part)
                return (CONSTANT,) if isinstance(part, ast.Constant) else found
            case ast.IfExp(test=test, body=a, orelse=b):
                self.kind(test)
                return self.joined([(a, self.kind(a)), (b, self.kind(b))])
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return (LIST, tuple(map(self.kind, items)))
            case ast.BinOp(left=a, right=b):
                both = self.kind(a), self.kind(b)
                if both == ((CONSTANT,), (CONSTANT,)):
                    return (CONSTANT,)
                if isinstance(node.op, ast.Add) and all(kind[0] == LIST for kind in both):
                    return (LIST, (_element((LIST, (*both[0][1], *both[1][1]))),), "any")
                return self.plain(a, b)
            case ast.Call(func=ast.Name(id=name), args=given, keywords=keywords):
                return self.call(name, [*given, *(k.value for k in keywords)])
            case ast.Dict(keys=keys, values=chances):
                self.plain(*chances)
                return self.joined([(key, self.kind(key)) for key in keys if key is not None])
        raise Skipped(f"{type(node).__name__} in a text")

    def member(self, a: ast.expr, items: ast.expr) -> None:
        if isinstance(items, ast.Name) and items.id in self.by.secrets:
            return
        if isinstance(items, ast.Tuple | ast.List):
            for item in items.elts:
                self.equal(a, item)
            return
        kind = self.kind(items)
        self.mark(a, self.by.record if kind[0] == WORLD else _element(kind))

    def named(self, name: str) -> Kind:
        by = self.by
        if name in self.kinds:
            return self.kinds[name]
        if name in by.attributes:
            return (VALUE, by.attributes.index(name))
        if name in by.records or name == "value":
            return by.record
        if name in ("world", "w", "v") and name not in by.secrets:
            return (WORLD,)
        return (OUTPUT,) if name in ("output", "candidate") else (OTHER,)

    def call(self, name: str, given: list[ast.expr]) -> Kind:
        if name == "draw":
            return self.kind(given[0])
        if name in ("count", "len"):
            for part in given:
                self.kind(part)
            return (OTHER,)
        if name == "hamming":
            self.equal(*given)
            return (OTHER,)
        return self.plain(*given)


def _has_value(kind: Kind) -> bool:
    return kind[0] == VALUE or (kind[0] == LIST and any(map(_has_value, kind[1])))


def _constants(node: ast.expr) -> Iterator[str]:
    """The constants that are returned, or are elements of what is."""
    match node:
        case ast.Constant(value=value):
            yield str(value)
        case ast.IfExp(body=a, orelse=b):
            yield from chain(_constants(a), _constants(b))
        case ast.Tuple(elts=items) | ast.List(elts=items):
            yield from chain.from_iterable(map(_constants, items))


def _element(kind: Kind) -> Kind:
    """What an element of a list is."""
    if kind[0] == OUTPUT:
        return kind
    kinds = set(kind[1]) if kind[0] == LIST else set()
    if len(kinds - {(CONSTANT,)}) > 1 and any(map(_has_value, kinds)):
        raise Skipped("a list has values and something else")
    if not kinds:
        return (CONSTANT,)
    return next(iter(kinds - {(CONSTANT,)} or kinds)) if len(kinds) <= 2 else (OTHER,)


def rewritten(node: Node, by: Renaming, key: str = "", named: bool = False) -> Any:
    """A part of a file, which stands under a key, with other values."""
    if isinstance(node, Scalar):
        if key in FREE:
            return node.text
        if node.text in ("l1", "linf"):
            raise Skipped("it computes with values")
        if key == "constraints":
            return _probabilities(node.text, by)
        if key in EXPRESSIONS and node.text not in ("", "histogram", *by.secrets):
            text = Text(by, node.text)
            again = text.renamed("exec" if key == "program" else "eval")
            if key == "query" and text.value:
                raise Skipped("it computes with values")
            return again
        if key == "sensitive" and node.text not in by.texts:  # a predicate about one value
            return Text(by, node.text).renamed("eval")
        return by.text(node.text, key) if named else node.text
    if isinstance(node, Mapping):
        if {"related", "csv", "python"} & set(node.table):
            raise Skipped("worlds or tables beside the file")
        if {"l1", "linf"} & set(node.table) or (key == "graph" and [*node.table] == ["distance"]):
            raise Skipped("it computes with values")
        if key == "domain":
            parts = zip(node.table, by.values, strict=True)
            return {name: list(values.values()) for name, values in parts}
        made = {}
        for name, value in node.entries:
            listed = key == "secrets" or name.text in NAMED or (named and name.text not in LEVELS)
            if key == "secrets":
                inner = "where" if isinstance(value, Scalar) else "worlds"
                made[name.text] = rewritten(value, by, inner, listed)
            else:
                inner = key if key == "sensitive" else name.text  # of each record
                made[by.text(name.text, key)] = rewritten(value, by, inner, listed)
        return made
    if key == "domain" and not by.attributes:
        return list(by.values[0].values())
    if key in ROWS and all(isinstance(row, document.Sequence) for row in node):  # type: ignore[attr-defined]
        rows = [[item.scalar().text for item in row.sequence()] for row in node.sequence()]
        count = ROWS[key]
        return [[*(by.text(x, key) for x in row[:count]), *row[count:]] for row in rows]
    pairs = key == "pairs"
    return [rewritten(item, by, key, named or pairs) for item in node]  # type: ignore[attr-defined]


LEVELS = {"epsilon", "exp_epsilon", "delta"}


def _probabilities(text: str, by: Renaming) -> str:
    """A constraint on priors, of which each condition is an expression."""

    def renamed(found: re.Match[str]) -> str:
        parts = found[1].split("|")
        if found[1] in by.worlds:
            return f"P({by.worlds[found[1]]})"
        return f"P({' | '.join(Text(by, part.strip()).renamed('eval') for part in parts)})"

    return re.sub(r"P\((\([^()]*\)|[^()]*)\)", renamed, text)


def answers(path: Path) -> list[dict[str, Any]]:
    """What is said about each check of a file."""
    found = []
    for result in verify.run(str(path), Options(time_limit=SECONDS)):
        said = result_as_json(result)
        kept = {name: said.get(name) for name in TOLD}
        found.append(kept | {"witness": said.get("witness")})
    return found


def compared(text: str, scheme: str, path: Path | None = None) -> int:
    """How many answers are the same with other values; AssertionError where one is not.

    text    the file
    scheme  of the new values
    path    of the file, if it has one

    Skipped where it cannot be renamed.
    """
    with tempfile.TemporaryDirectory() as folder:
        old = path or Path(folder) / "old.yaml"
        if path is None:
            old.write_text(text, encoding="utf-8")
        by = renaming(top := document.load(old), scheme)
        again = rewritten(top, by)
        new = Path(folder) / "new.yaml"
        new.write_text(json.dumps(again, indent=1), encoding="utf-8")
        found = []
        for one in (old, new):
            try:
                found.append(answers(one))
            except LimitReached:
                raise Skipped("a limit is reached") from None
            except (InputError, VerifierError) as error:
                if not found and path is not None:
                    raise Skipped("the file is not right") from error
                found.append([{"error": getattr(error, "code", ""), "said": str(error)}])
        before, after = found
        for at, (a, b) in enumerate(zip(before, after, strict=False)):
            if "undecided" not in (a.get("verdict"), b.get("verdict")):
                wrong = [key for key in a if key != "said" and not by.same(a[key], b.get(key))]
                said = "; ".join(f"{key} {a[key]!s:.300} -> {b.get(key)!s:.300}" for key in wrong)
                assert not wrong, f"check {at + 1}: {said}; {b.get('said', '')}"
        assert len(before) == len(after)
        return len(before)


DOMAINS = [["n", "y"], ["0", "1"], ["a", "b", "c"], ["0", "1", "2"]]
LOSSES = (  # of an answer that is a database of ann and bob; {v} is a value
    *("0 if output == world else 1", "1 if output != (ann, bob) else 0", "hamming(output, world)"),
    *("0 if output[0] == ann else 1", "0 if output.bob == bob else 2"),
    *("1 if output == ({v}, bob) else 0", "0 if world == output and bob == {v} else 1"),
    *("1 if output[1] in [ann, {v}] else 0", "3 if output.ann == {v} or bob == {v} else 1"),
    "1 if output in twins else hamming(world, output)",
)
SCORES = (
    *("1 if candidate == world else 0", "2 - hamming(candidate, (ann, bob))"),
    *("count(value == candidate[0])", "1 if candidate.bob == bob and candidate in twins else 0"),
    "1 if candidate[1] == {v} and world != candidate else 0",
)
PROGRAMS = (
    "return (ann, bob) if draw(bernoulli(1/3)) == 1 else (bob, ann)",
    "kept = [ann if draw(bernoulli(1/2)) == 1 else {v}]\nkept.append(bob)\nreturn kept",
    "seen = 0\nfor value_here in world:\n    if value_here == {v}:\n        seen += 1\nreturn seen",
    "return draw({{(ann, bob): 2/3, ({v}, bob): 1/3}})",
)


def drawn(random: Random) -> str:
    """A file in which values are names only, about databases as outputs and candidates."""
    domain = random.choice(DOMAINS)
    value = literal(random.choice(domain))
    every = names([domain], 2, False)[1]

    def filled(texts: Sequence[str]) -> str:
        return random.choice(texts).format(v=value)

    weights = ["1/2", "1/2"] if len(domain) == 2 else ["1/4", "1/4", "1/2"]
    turned = (weights[at:] + weights[:at] for at in range(len(domain)))
    rows = (dict(zip(domain, row, strict=True)) for row in turned)
    table = dict(zip(domain, rows, strict=True))
    mechanisms: dict[str, Any] = {
        "response": {"randomized_response": {"truth": "3/4"}},
        "swap": {"program": filled(PROGRAMS)},
        "choice": {"exponential": {"candidates": every, "score": filled(SCORES), "base": "2"}},
        "each": {"local": {"table": {"outputs": domain, **table}}},
        "both": {"deterministic": random.choice(["world", "(ann, bob)"])},
        "turned": {
            "post_process": {
                "of": "response",
                "map": dict(zip(every, reversed(every), strict=True)),
            }
        },
        "mixed": {
            "mixture": [
                {"weight": "1/3", "mechanism": "response"},
                {"weight": "2/3", "mechanism": "each"},
            ]
        },
    }
    told = ["response", "choice", "each", "both", "turned", "mixed"]
    bound = {"exp_epsilon": str(random.randint(1, 4))}
    checks: list[Any] = [
        {"error": {"loss": filled(LOSSES), **prior}, "mechanism": name}
        for name in random.sample(told, 3)
        for prior in ({}, {"prior": "uniform"})
    ]
    checks += [
        {"optimal": {**best, "under": {"differential_privacy": bound}, "outputs": every[:5]}}
        for best in ({"loss": filled(LOSSES), "prior": "uniform"}, {"loss": filled(LOSSES)})
    ]
    graphs = [{"edges": [domain[:2]]}, {"partition": [domain[:1], domain[1:]]}]
    checks += [
        {keyword: {**bound, **options}, "mechanism": random.choice(list(mechanisms))}
        for keyword, options in (
            ("differential_privacy", {}),
            ("blowfish", {"graph": random.choice(graphs)}),
            ("metric_privacy", {"distance": "hamming"}),
            ("pufferfish", {}),
        )
    ]
    prior = {name: f"{1 + (at == 0)}/{len(every) + 1}" for at, name in enumerate(every)}
    file = {
        "worlds": {"records": ["ann", "bob"], "domain": domain},
        "secrets": {"twins": "ann == bob", "told": f"bob == {value}", "no": [every[1], every[2]]},
        "pairs": [["twins", "no"]],
        "priors": {"list": [{"worlds": prior}, {"iid": dict(zip(domain, weights, strict=True))}]},
        "mechanisms": mechanisms,
        "checks": checks,
    }
    if random.random() < 1 / 3:
        file["worlds"] |= {"where": f"not (ann == {value} and bob == {value})"}  # type: ignore[operator]
        del mechanisms["each"], mechanisms["mixed"], file["priors"]
        out = ("each", "mixed")
        file["priors"] = {"list": ["uniform"]}
        file["checks"] = [check for check in checks if check.get("mechanism") not in out]
        file["secrets"]["no"] = "ann != bob"  # type: ignore[index]
    return json.dumps(file)


def of_definitions(count: int, start: int) -> int:
    """So many drawn questions of all definitions, with other values."""
    each, same = -(-count // len(CASES)), 0

    def agree(case: Case, scheme: str) -> None:
        nonlocal same
        with suppress(Skipped):
            same += compared(json.dumps(case.with_level(exp_epsilon="3")), scheme)

    for keyword in sorted(CASES):
        chosen = settings(
            max_examples=each, deadline=None, database=None, suppress_health_check=ALL
        )
        seed(start)(chosen(given(CASES[keyword], st.sampled_from([*SCHEMES]))(agree)))()
    return same


def campaign(count: int, start: int) -> str:
    """So many files, of models, of definitions and drawn ones, with other values; AssertionError
    where an answer is another one."""
    random = Random(start)
    models = [(path, scheme) for path in sorted(MODELS.glob("*/*.yaml")) for scheme in SCHEMES]
    chosen: list[tuple[Path | None, str]] = random.sample(models, min(count, len(models)))
    chosen += [(None, scheme) for _ in range(count) for scheme in [random.choice([*SCHEMES])]]
    same, skipped, wrong = 0, Counter[str](), list[str]()
    for path, scheme in chosen:
        text = drawn(random) if path is None else ""
        try:
            same += compared(text, scheme, path)
        except Skipped as reason:
            skipped[str(reason)] += 1
        except AssertionError as error:
            wrong.append(f"{path.name if path else text}, {scheme}: {error!s:.600}")
    same += of_definitions(count, start)
    reasons = "; ".join(f"{n} {what}" for what, n in skipped.most_common())
    summary = f"{len(chosen)} files, {same} answers the same; not renamed: {reasons}"
    assert not wrong, f"{summary}; {len(wrong)} are wrong: {' | '.join(wrong[:20])}"
    return summary
