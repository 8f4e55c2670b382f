"""What is wrong with a file that can be told before any world is enumerated: keys, names, kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

import numpy as np

from verifier.base.document import Mapping, Node, Scalar, Sequence
from verifier.base.errors import InputError
from verifier.base.registry import DEFINITIONS
from verifier.spec.model import KEYS, check_secret_name, read_check
from verifier.world.language import slips
from verifier.world.language.reader import Scope, read_expression
from verifier.world.language.statements import read_program
from verifier.world.worlds import constraints, outline

T = TypeVar("T")

FEW = 10_000  # worlds
EXPRESSIONS = {"geometric": "query", "exponential": "score"}
ASKED = ("query", "loss")  # options of definitions that are expressions
INNER = ("of", "mechanism", "sees")
BOUND = ("candidate", "output")  # names that mechanisms and definitions bind


@dataclass
class Errors:
    """Errors as they are found, so that one does not hide another."""

    found: list[InputError] = field(default_factory=list)

    def attempt(self, make: Callable[[], T]) -> T | None:
        """make(), or None and its errors kept."""
        try:
            return make()
        except InputError as error:
            self.found += error.all
            return None


def preview(top: Mapping, errors: Errors) -> None:
    """Look at every part of a file that needs no world; `errors` get what is wrong."""
    errors.attempt(lambda: top.check_keys(KEYS))
    for item in _items(top.get("checks")):
        errors.attempt(lambda item=item: _check(item))  # type: ignore[misc]
    worlds = top.get("worlds")
    space = None if worlds is None else errors.attempt(lambda: outline(worlds))
    if worlds is None or space is None:
        return
    scope = Scope(space)
    for text in errors.attempt(lambda: constraints(worlds)) or ():
        errors.attempt(lambda text=text: _expression(text, scope))  # type: ignore[misc]
    scope = _with_secrets(top.get("secrets"), scope, errors)
    for text, read in chain(_mechanisms(top), _asked(top.get("checks"))):
        errors.attempt(lambda text=text, read=read: read(text, scope))  # type: ignore[misc]


def is_small(top: Mapping) -> bool:
    """Whether the worlds of a file are few enough to look for more errors at once."""
    try:
        space = outline(top["worlds"])
    except InputError:
        return True
    if not space.records:
        return space.counts is None
    return bool(len(space.record_values) ** len(space.records) <= FEW)


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else ()


def _entries(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _check(item: Node) -> None:
    """The keys of a check and of its definition."""
    keyword, options = read_check(item, DEFINITIONS.keywords())
    options.check_keys(allowed_options(keyword.text))


def allowed_options(keyword: str) -> tuple[str, ...]:
    """The options that a definition takes."""
    known: tuple[str, ...] = tuple(DEFINITIONS.module(keyword).OPTIONS)
    leveled = "epsilon" in known  # a definition without a level has no mechanism
    return (*known, "mechanism", "tradeoff") if leveled else known


def _with_secrets(node: Node | None, scope: Scope, errors: Errors) -> Scope:
    """The scope in which the secrets are known, each from the ones before it."""
    known: dict[str, np.ndarray] = {}
    for key, value in _entries(node):
        here = Scope(scope.space, dict(known))
        errors.attempt(lambda key=key: check_secret_name(key, scope.space))  # type: ignore[misc]
        if isinstance(value, Scalar):
            errors.attempt(lambda value=value, here=here: _expression(value, here))  # type: ignore[misc]
        known[key.text] = np.zeros(0, dtype=bool)
    return Scope(scope.space, known)


Found = tuple[Scalar, Callable[[Scalar, Scope], None]]


def _mechanisms(top: Mapping) -> Iterator[Found]:
    """The expressions and programs of all mechanisms of a file, and how to read them."""
    nodes = [node for _, node in _entries(top.get("mechanisms"))]
    nodes += [node for _, node in _entries(top) if _.text == "mechanism"]
    for item in _items(top.get("checks")):
        nodes += [value for key, value in _entries(item) if key.text == "mechanism"]
        for _, options in _entries(item):
            nodes += [value for key, value in _entries(options) if key.text == "mechanism"]
    for node in nodes:
        yield from _of_mechanism(node)


def _of_mechanism(node: Node) -> Iterator[Found]:
    for part in _items(node):
        yield from _of_mechanism(part)
    for key, value in _entries(node):
        if key.text == "program" and isinstance(value, Scalar):
            yield value, _program
        elif key.text == "deterministic" and isinstance(value, Scalar):
            yield value, _expression
        elif key.text in EXPRESSIONS:
            text = value.get(EXPRESSIONS[key.text]) if isinstance(value, Mapping) else None
            if isinstance(text, Scalar):
                yield text, _expression
        elif key.text in ("compose", "mixture", "repeat", "post_process", *INNER):
            yield from _of_mechanism(value)


def _asked(checks: Node | None) -> Iterator[Found]:
    """The expressions among the options of definitions."""
    for item in _items(checks):
        for _, options in _entries(item):
            for key, value in _entries(options):
                if key.text in ASKED and isinstance(value, Scalar) and value.text != "histogram":
                    yield value, _expression


def _expression(text: Scalar, scope: Scope) -> None:
    if not text.text and not text.quoted:
        return  # told where it is read
    scope = Scope(scope.space, scope.secrets, BOUND)
    text.scalar("an expression")
    term, tree = read_expression(text, scope)
    slips.check_expression(term, tree, scope)


def _program(text: Scalar, scope: Scope) -> None:
    if not text.text and not text.quoted:
        return
    program, tree = read_program(text.scalar("a program"), scope)
    slips.check_program(program, tree, scope)
