"""Runs programs: every path exactly, all worlds at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.column import Column, combinations, intern, join, lift
from verifier.document import Scalar
from verifier.errors import InputError, LimitReached
from verifier.language import front as fronts
from verifier.language.distributions import Distribution, need_distribution
from verifier.language.evaluate import truth_of, value_of
from verifier.language.front import UNSET, Front
from verifier.language.inputs import Classes, Collector, Ref, refs, resolve
from verifier.language.liveness import Liveness
from verifier.language.operations import elements
from verifier.language.reader import Scope
from verifier.language.space import WorldSpace
from verifier.language.statements import (
    Assign,
    Block,
    Break,
    Continue,
    DrawInto,
    For,
    If,
    Return,
    Statement,
    read_program,
)
from verifier.language.syntax import Tree
from verifier.language.terms import (
    OUTER,
    STORED,
    WHOLE,
    Apply,
    Const,
    Current,
    Input,
    Term,
    Variable,
)
from verifier.language.values import Failure, order_key, show

MAX_WORK = 400_000_000
MAX_ENTRIES = 400_000_000


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """What a program computes: P(outputs[o] | world w) = values[codes[o, w]].

    outputs  distinct values of the language: numbers ascending, then truths, words, worlds, lists
    labels   their distinct texts
    values   distinct probabilities, ascending
    codes    shape (outputs, worlds)
    """

    outputs: tuple[Any, ...]
    labels: tuple[str, ...]
    values: tuple[Fraction, ...]
    codes: np.ndarray


def run_program(
    space: WorldSpace, source: Scalar | str, secrets: Mapping[str, np.ndarray] | None = None
) -> Likelihoods:
    """The exact likelihoods of a program's outputs in every world.

    Raises InputError S301 to S314 at the place in the text, naming a world and the state where a
    step fails, and LimitReached when there are too many states, steps or outputs.
    """
    program, tree = read_program(source, Scope(space, secrets or {}))
    collector = Collector(space, tree, secrets or {})
    program = _with_inputs(program, collector)
    classes = Classes.of(collector.columns, space.size)
    run = _Run(space, tree, classes, collector.records, Liveness.of(program))
    run.finish(run.block(program, fronts.start(classes), _Exits()))
    return run.likelihoods()


def _with_inputs(block: Block, collector: Collector) -> Block:
    """The block with what the world alone decides replaced by inputs."""
    made: list[Statement] = []
    for statement in block:
        match statement:
            case Assign(value=value) | DrawInto(value=value) | Return(value=value):
                statement = replace(statement, value=collector.term(value))
            case If(test=test, body=body, other=other):
                sides = [_with_inputs(side, collector) for side in (body, other)]
                statement = If(statement.at, collector.term(test), *sides)
            case For(at, name, items, body):
                statement = For(at, name, collector.term(items), _with_inputs(body, collector))
        made.append(statement)
    return tuple(made)
