"""Programs whose output is a list of independent elements, found one element at a time.

A program that returns a list of twenty random bits has 2^20 outputs. But where, after each
`append`, nothing random is left that the rest still uses, the elements are independent given the
world: twenty answers of two outputs say as much. The list then is never built.

By hand: `out = []`, then twice `out.append(draw(bernoulli(1/2)))`, and `return out` gives two
answers, of 0 and 1 with probability 1/2 each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Scalar
from verifier.programs import front as fronts
from verifier.programs.front import Classes, Collector, Front
from verifier.programs.run import Loop, Run, Setting, States
from verifier.world.language import operations, slips
from verifier.world.language.evaluate import apply
from verifier.world.language.operations import need_output
from verifier.world.language.reader import Scope
from verifier.world.language.statements import (
    Assign,
    Block,
    DrawInto,
    For,
    If,
    Liveness,
    Return,
    Statement,
    inside,
    read_program,
    terms_in,
    with_terms,
)
from verifier.world.language.syntax import WHOLE, Apply, Const, Term, Variable, walk
from verifier.world.language.unclamped import UNCLAMPED
from verifier.world.mechanism import Column, Mechanism
from verifier.world.space import WorldSpace, labelled, order_key

ANSWER, LIST = "an answer", "the list"  # variables that no program can write
Chances = Mapping[Any, Fraction]  # value -> probability


class NotFactored(Exception):
    """The elements may depend on one another."""


def factors(
    space: WorldSpace, source: Scalar, secrets: Mapping[str, np.ndarray] | None = None
) -> list[Mechanism] | None:
    """The elements of the list that a program returns, each as a mechanism of its own; None where
    they are not seen to be independent given the world.

    space    the worlds
    source   the text of the program
    secrets  name -> Boolean array over the worlds

    Raises what running the program would, see `run_program`.
    """
    scope = Scope(space, secrets or {})
    written, tree = read_program(source, scope)
    program = _appending(written)
    if (name := _list_of(program)) is None:
        return None
    slips.check_program(written, tree, scope)
    collector = Collector(space, tree, secrets or {})
    program = with_terms(_answering(program, name), collector.term)
    classes = Classes.of(collector.columns, space.size)
    run = _Factored(Setting(space, tree, classes, collector.records), Liveness.of(program))
    try:
        if run.block(program, fronts.start(classes), Loop()) is not None:
            return None
    except NotFactored:
        return None
    slips.tell_of_unreached(program, run.reached, tree)
    several = [run.answers[world] for world in range(space.size)]
    if not several[0] or len(set(map(len, several))) > 1:
        return None
    return [_mechanism(each) for each in zip(*several, strict=True)]


def _appending(program: Block) -> Block:
    """A program that ends with `return [x, y, …]`, as one that appends each element as soon as the
    last statement is over that makes a variable of it, or of one before; others as they are."""
    *before, last = program
    returns = sum(isinstance(s, Return) for s in chain.from_iterable(map(inside, program)))
    if not isinstance(last, Return) or returns > 1 or not isinstance(last.value, Apply):
        return program
    if last.value.operation is not operations.display:
        return program
    at, place = last.at, 0
    whole, empty = Variable(at, LIST), Apply(at, operations.display, ())
    made: dict[int, list[Statement]] = {place: [Assign(at, LIST, empty)]}
    for item in last.value.arguments:
        names = {term.name for term in walk(item) if isinstance(term, Variable)}
        place = max([place, *(n for n, s in enumerate(before, 1) if names & _made_by(s))])
        one = Apply(at, operations.display, (item,))
        longer = Apply(at, operations.append, (whole, one))
        made.setdefault(place, []).append(Assign(at, LIST, longer))
    blocks = [[*made.get(n, []), *before[n : n + 1]] for n in range(len(before) + 1)]
    return (*chain.from_iterable(blocks), Return(at, whole))


def _made_by(statement: Statement) -> set[str]:
    """The variables that a statement gives values."""
    return {s.name for s in inside(statement) if isinstance(s, Assign | DrawInto | For)}


def _list_of(program: Block) -> str | None:
    """The name of the list that a program begins, only appends to, and returns; None without one.
    It has no draws that are not clamped."""
    statements = list(chain.from_iterable(map(inside, program)))
    returned = [s.value for s in statements if isinstance(s, Return)]
    first = returned[0] if returned else None
    if not isinstance(first, Variable) or any(map(_is_unclamped, _all_terms(program))):
        return None
    grown = _times_grown(first.name, program, statements)
    uses = sum(isinstance(t, Variable) and t.name == first.name for t in _all_terms(program))
    return first.name if grown is not None and uses == grown + len(returned) else None


def _times_grown(name: str, program: Block, statements: list[Statement]) -> int | None:
    """How often a program appends to the list of a name; None if it does not begin the list once,
    outside of all loops and conditions, or assigns anything else to the name."""
    own = [s for s in statements if isinstance(s, Assign) and s.name == name]
    begun = [s for s in own if s in program and _is_empty(s.value)]
    longer = [s for s in own if _appended(s, name) is not None]
    bound = any(isinstance(s, For) and s.name == name for s in statements)
    fits = len(begun) == 1 and len(begun) + len(longer) == len(own) and not bound
    return len(longer) if fits else None


def _all_terms(program: Block) -> list[Term]:
    return list(chain.from_iterable(map(terms_in, program)))


def _is_unclamped(term: Term) -> bool:
    return isinstance(term, Apply) and term.operation in UNCLAMPED


def _is_empty(term: Term) -> bool:
    """Whether a term is the empty list."""
    return isinstance(term, Apply) and term.operation is operations.display and not term.arguments


def _appended(statement: Statement, name: str) -> Term | None:
    """What a statement appends to the list of a name; None for another statement."""
    if not isinstance(statement, Assign) or not isinstance(statement.value, Apply):
        return None
    if statement.name != name or statement.value.operation is not operations.append:
        return None
    more = statement.value.arguments[1]
    return more.arguments[0] if isinstance(more, Apply) else None


def _answering(program: Block, name: str) -> Block:
    """The program with answers in place of what is appended to the list of a name."""
    made: list[Statement] = []
    for statement in program:
        appended = _appended(statement, name)
        match statement:
            case If(body=body, other=other):
                sides = (_answering(side, name) for side in (body, other))
                statement = If(statement.at, statement.test, *sides)
            case For(at, item, items, body):
                statement = For(at, item, items, _answering(body, name))
            case Return(at=at):
                statement = Return(at, Const(at, 0))
            case Assign(at=at) if appended is not None:
                statement = Assign(at, ANSWER, appended)
        if not (isinstance(statement, Assign) and statement.name == name):
            made.append(statement)
    return tuple(made)


class _Factored(Run):
    """A run that notes each answer, of every world it comes in.

    answers  world -> the distributions of its answers so far
    """

    def __init__(self, setting: Setting, live: Liveness) -> None:
        super().__init__(setting, live)
        self.answers: dict[int, list[Chances]] = defaultdict(list)

    def statement(self, statement: Statement, front: Front, loop: Any) -> Front | None:
        """See Run. NotFactored where something random is left beside an answer."""
        if not isinstance(statement, Assign) or statement.name != ANSWER:
            return super().statement(statement, front, loop)
        front, found = self.value(statement.value, front, WHOLE)
        checked = apply(statement.value, need_output, [found], States(self.setting, front))
        self.note(front.with_value(ANSWER, checked))
        rest = fronts.merge(fronts.forget(front, self.live.after[statement]))
        if not (rest.weight == rest.denominator).all():
            raise NotFactored
        return rest

    def note(self, front: Front) -> None:
        """Add the answer of a `front` to those of its worlds."""
        told = fronts.merge(fronts.forget(front, frozenset({ANSWER})))
        given = told.values[ANSWER]
        values = given.tolist() if isinstance(given, Column) else [given] * told.size
        found: dict[int, list[tuple[Any, Any]]] = defaultdict(list)
        weights = told.weight.tolist()
        for block, value, weight in zip(told.block.tolist(), values, weights, strict=True):
            found[block].append((value, weight))
        known = {
            each: {value: exact.over(weight, told.denominator) for value, weight in each}
            for each in set(map(tuple, found.values()))
        }
        blocks = told.partition.block[self.setting.classes.of_world]
        for world in np.flatnonzero(np.isin(blocks, list(found))).tolist():
            self.answers[world].append(known[tuple(found[int(blocks[world])])])


def _mechanism(chances: Sequence[Chances]) -> Mechanism:
    """One answer, by its distribution in each world; worlds may share one."""
    different = {id(each): each for each in chances}
    outputs = sorted({value for each in different.values() for value in each}, key=order_key)
    rows = [[each.get(value, Fraction(0)) for each in different.values()] for value in outputs]
    made = Mechanism.from_rows(labelled(outputs), rows)
    place = {key: at for at, key in enumerate(different)}
    codes = made.codes[:, [place[id(each)] for each in chances]]
    return replace(made, codes=codes)
