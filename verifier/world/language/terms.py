"""Expressions and programs, read and checked: what is left to evaluate.

A term knows where it was written (`at`). Names are resolved, operators and functions are plain
Python functions on values (`operations`), lists are an operation like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from verifier.world.language.syntax import At


@dataclass(frozen=True, eq=False)
class Term:
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


def children(term: Term) -> tuple[Term, ...]:
    """The terms that a term is made of, in order of evaluation."""
    match term:
        case Apply(arguments=parts) | Logic(parts=parts):
            return parts
        case Choice():
            return term.test, term.chosen, term.other
        case Fold(body=part) | Draw(distribution=part):
            return (part,)
    return ()


def rebuild(term: Term, change: Callable[[Term], Term]) -> Term:
    """The term with its parts changed."""
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
    return term


def walk(term: Term) -> Iterator[Term]:
    """The term and all terms inside it."""
    yield term
    for part in children(term):
        yield from walk(part)


def mentions_current(term: Term) -> bool:
    """Whether the current record of an enclosing `count` or `sum` is needed."""
    if isinstance(term, Fold):
        return False
    return isinstance(term, Current) or any(map(mentions_current, children(term)))
