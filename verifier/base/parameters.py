"""The parameters of the file that is being read: what their names stand for just now.

A choice is active within `with given(choice):`. A name of it may stand in every number and in every
expression: for its value, or for a function of the parameter, where this is a real one that is not
fixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from fractions import Fraction

from verifier.base.nouns import Later, dataclass

TEXT = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")  # which a text stands in the place of
_COMPOSED = re.compile(r"(?![0-9.]+$)(?:[-+*/^()0-9. ]|e(?:xp)?)+")  # a number with operators
_AFTER = re.compile(r"(?<=[^-\s]) *[-+*/^] *$|[+*/^] *$")  # no dash that begins an item of a list
_BEFORE = re.compile(r" *[-+*/^]")
_NEAR = 40  # characters of a line before a name that may tell an operator


@dataclass(frozen=True)
class Choice(Later):
    """What the parameters of a file are.

    values   name -> the number that it stands for
    real     the names of real parameters that are not fixed
    texts    name -> what stands for `$name` in the text of the file
    chosen   the names that have been chosen among several values, with these, in words
    defined  name -> the function of the real parameters that it stands for
    """

    values: Mapping[str, Fraction] = field(default_factory=dict)
    real: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    chosen: tuple[tuple[str, str], ...] = ()
    defined: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """The choice in words, such as `n = 3, p = 1/4`."""
        return ", ".join(f"{name} = {value}" for name, value in self.chosen)

    @property
    def equations(self) -> str:
        """What parameters are as functions of others, in words, such as `q = 1 - p`."""
        return ", ".join(f"{name} = {function}" for name, function in self.defined.items())

    @property
    def names(self) -> tuple[str, ...]:
        """All names that mean a number."""
        return (*self.values, *self.real, *self.defined)


NOTHING = Choice()
_ACTIVE: ContextVar[Choice] = ContextVar("parameters", default=NOTHING)


@contextmanager
def given(choice: Choice) -> Iterator[None]:
    """Let the names of a `choice` be known within a block."""
    before = _ACTIVE.get()
    _ACTIVE.set(choice)
    try:
        yield
    finally:  # a generator may be closed in another context, where a token would not fit
        _ACTIVE.set(before)


def active() -> Choice:
    """The choice that is active."""
    return _ACTIVE.get()


def pattern() -> re.Pattern[str] | None:
    """What finds a name that means a number; None where there is none."""
    names = active().names
    return re.compile(rf"(?<![\w.])({'|'.join(names)})(?!\w)") if names else None


def is_mentioned(text: str) -> bool:
    """Whether a `text` has the name of a parameter."""
    found = pattern()
    return found is not None and found.search(text) is not None


def parameter_value(name: str) -> Fraction | None:
    """What a `name` stands for: a number or a function; None where it is no parameter. At a
    rational point a real parameter is this number."""
    choice = active()
    if name in choice.defined:
        from verifier.base.rational_function import composed

        return composed(choice.defined[name], parameter_value)
    if name not in choice.real:
        return choice.values.get(name)
    from verifier.base import cell, rational_function

    within = cell.innermost()
    if len(choice.real) > 1 or (within is not None and not isinstance(within.parameter, str)):
        if isinstance(within, cell.Place) and within.alone:
            return dict(zip(within.parameter, within.point, strict=True))[name]
        return rational_function.parameter(name, choice.real)
    here = cell.active(name)
    if here is not None and here.is_point and isinstance(here.sample, Fraction) and here.reduces:
        return here.sample
    return rational_function.parameter(name)


def filled(text: str) -> str:
    """The `text` of a file in which values stand for `$name`, where they are given: such as 1/4 in
    brackets beside an operator, so that 1/$name is 4."""
    texts = active().texts

    def value_of(found: re.Match[str]) -> str:
        value, first = texts.get(found[1], found[0]), found.start()
        line = max(text.rfind("\n", 0, first) + 1, first - _NEAR)
        beside = _AFTER.search(text, line, first) or _BEFORE.match(text, found.end())
        is_file = text[found.end() : found.end() + 2].strip(".").isalpha()  # m-$n.csv
        return f"({value})" if beside and not is_file and _COMPOSED.fullmatch(value) else value

    return TEXT.sub(value_of, text) if texts else text
