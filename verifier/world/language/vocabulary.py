"""The words of the language, what they stand for, and the names that a text may use."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verifier.world.language import operations
from verifier.world.language.terms import OUTER, WHOLE
from verifier.world.space import WorldSpace

BINARY: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operations.add,
    ast.Sub: operations.subtract,
    ast.Mult: operations.multiply,
    ast.Div: operations.divide,
    ast.FloorDiv: operations.floor_divide,
    ast.Mod: operations.modulo,
    ast.Pow: operations.power,
}
UNARY: dict[type[ast.unaryop], Callable[..., Any]] = {
    ast.USub: operations.negate,
    ast.UAdd: operations.plus,
    ast.Not: operations.negation,
}
COMPARE: dict[type[ast.cmpop], Callable[..., Any]] = {
    ast.Eq: operations.equal,
    ast.NotEq: operations.different,
    ast.Lt: operations.less,
    ast.LtE: operations.at_most,
    ast.Gt: operations.greater,
    ast.GtE: operations.at_least,
    ast.In: operations.member,
    ast.NotIn: operations.not_member,
}
# name -> operation, least and greatest number of arguments, how much it looks at
FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int, int]] = {
    "len": (operations.length, 1, 1, OUTER),
    "min": (operations.minimum, 1, 1000, WHOLE),
    "max": (operations.maximum, 1, 1000, WHOLE),
    "abs": (operations.absolute, 1, 1, OUTER),
    "xor": (operations.xor, 1, 1000, WHOLE),
    "hamming": (operations.hamming, 2, 2, WHOLE),
    "range": (operations.range_of, 1, 3, OUTER),
}
# name -> operation and its parameters, which may be given by keyword
DISTRIBUTIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "uniform": (operations.uniform, ("a", "b")),
    "bernoulli": (operations.bernoulli, ("p",)),
    "geometric": (operations.geometric, ("center", "ratio", "low", "high")),
}
FOLDS = {
    "count": (operations.as_count, operations.count_over, operations.count_list),
    "sum": (operations.as_term, operations.sum_over, operations.sum_list),
}
WORDS = frozenset(
    {"world", "value", "present", "draw", "True", "False", *FUNCTIONS, *DISTRIBUTIONS, *FOLDS}
)


@dataclass(frozen=True)
class Scope:
    """The names that an expression may use.

    secrets    name -> Boolean array over the worlds
    variables  names of the program's variables, or bound by the caller
    bound      of those that the caller binds, the values that they take in turn
    program    whether `draw` and distributions are allowed
    inside     whether this is inside `count` or `sum` over records
    """

    space: WorldSpace
    secrets: Mapping[str, np.ndarray] = field(default_factory=dict)
    variables: Collection[str] = ()
    bound: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    program: bool = False
    inside: bool = False

    def owner(self, name: str) -> str | None:
        """What a name means before the program assigns anything, or None if it is free."""
        if name in WORDS:
            return "a word of the language"
        kinds: dict[str, Collection[str]] = {
            "a record": self.space.records,
            "an attribute": self.space.attributes,
            "a secret": self.secrets,
            "a world": self.space.given,
        }
        return next((kind for kind, names in kinds.items() if name in names), None)
