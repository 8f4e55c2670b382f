"""A spec file, and the question that a check of it asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.second_reader import mechanisms
from tests.second_reader.language import Names
from tests.second_reader.mechanisms import Columns, Context
from tests.second_reader.neighbours import Distances
from tests.second_reader.spaces import Space
from tests.second_reader.values import CannotRead, number

Worlds = frozenset[int]
Pairs = list[tuple[Any, Any]]

NOTHING = object()


@dataclass(frozen=True)
class Secrets:
    """Pairs of secrets against a class of priors."""

    pairs: frozenset[frozenset[Any]]
    kind: str
    weights: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Situations:
    """What simulators see, what is private, and what attackers believe, world by world."""

    views: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]
    priors: tuple[frozenset[frozenset[tuple[int, Fraction]]], ...]
    given: dict[Any, int] | None = None


@dataclass(frozen=True)
class Implication:
    """Two definitions: each a question, or the numbers of given mechanisms."""

    first: Any
    second: Any


@dataclass(frozen=True)
class Optimum:
    """A definition, and the prior that a loss is expected against."""

    under: Any
    prior: tuple[Fraction, ...] | None


@dataclass(frozen=True)
class Expected:
    """The prior that the loss of a mechanism is expected against."""

    prior: tuple[Fraction, ...] | None


@dataclass(frozen=True)
class Guessed:
    """The priors of which what guesses gain is asked; none where all are meant."""

    priors: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Question:
    """What a check asks, without the answer."""

    definition: str
    space: Space
    columns: Columns | None = None
    level: tuple[str, Fraction] | None = None
    delta: Fraction = Fraction(0)
    compared: (
        Distances | Secrets | Situations | Implication | Optimum | Expected | Guessed | None
    ) = None
    functions: tuple[tuple[Fraction, ...], ...] = ()
    given: tuple[Columns, ...] = ()
    asked: dict[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class File:
    """A spec file, and what its checks share."""

    node: dict[str, Any]
    space: Space
    secrets: Names
    folder: Path
    known: dict[str, Columns] = field(default_factory=dict)

    def mechanism(self, around: dict[str, Any]) -> Columns | None:
        """The mechanism that a check is about; none where it is about all of them."""
        if around.get("mechanism") is NOTHING:
            return None
        named = self.node.get("mechanisms", {})
        chosen = around.get("mechanism", self.node.get("mechanism"))
        if chosen is None and len(named) == 1:
            (chosen,) = named.values()
        if chosen is None:
            raise CannotRead("a check without a mechanism")
        return self.columns(chosen)

    def columns(self, node: Any) -> Columns:
        """The columns of a mechanism; each is read once."""
        key = repr(node)
        if key not in self.known:
            named = self.node.get("mechanisms", {})
            context = Context(self.space, self.secrets, named, self.folder)
            self.known[key] = mechanisms.read(node, context)
        return self.known[key]


def level(given: dict[str, Any]) -> tuple[str, Fraction]:
    """The level as it is said: e^ε where that is rational, else ε."""
    exponent, factor = given.pop("epsilon", None), given.pop("exp_epsilon", None)
    if (exponent is None) == (factor is None):
        raise CannotRead("a level given twice, or not at all")
    if factor is not None:
        return "exp_epsilon", number(factor)
    if exponent.startswith("ln(") and exponent.endswith(")"):
        return "exp_epsilon", number(exponent[3:-1])
    value = number(exponent)
    return ("epsilon", value) if value else ("exp_epsilon", Fraction(1))
