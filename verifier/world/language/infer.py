"""What each part of a text may be, from the domains of the worlds and the constants it is made of.

Nothing is evaluated over worlds, so this is as fast for millions of them as for one. A variable
may be whatever is assigned to it anywhere in its program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from verifier.world.language import operations
from verifier.world.language import possible as may
from verifier.world.language.possible import ANY_NUMBER, ANY_TRUTH, ANYTHING, LIST, Possible
from verifier.world.language.reader import InSecretTest
from verifier.world.language.statements import Assign, Block, DrawInto, For, Statement, inside
from verifier.world.language.terms import (
    Apply,
    Choice,
    Compare,
    Const,
    Current,
    CurrentWorld,
    Draw,
    Fold,
    InSecret,
    Logic,
    Record,
    Term,
    Variable,
)
from verifier.world.space import ABSENT, Failure, WorldSpace, is_number

MAX_ROUNDS = 50
MAX_RANGE = 100

NUMBERS = frozenset(
    {
        *(operations.subtract, operations.multiply, operations.divide, operations.floor_divide),
        *(operations.modulo, operations.power, operations.negate, operations.plus),
        *(
            operations.absolute,
            operations.length,
            operations.minimum,
            operations.maximum,
            operations.hamming,
        ),
        *(
            operations.as_count,
            operations.as_term,
            operations.count_list,
            operations.sum_list,
            operations.count_over,
        ),
        operations.sum_over,
    }
)
FOLDED = frozenset({operations.negate, operations.plus, operations.divide})  # of constants


@dataclass(frozen=True)
class Known:
    """What is known where a term stands: the worlds, what each variable may be, and which of them
    the caller binds."""

    space: WorldSpace
    variables: Mapping[str, Possible]
    bound: frozenset[str] = frozenset()

    def of(self, term: Term) -> Possible:
        """What the value of a term may be."""
        match term:
            case Const(value=value):
                return may.of(value)
            case Variable(name=name):
                return self.variables.get(name, ANYTHING)
            case Record() | Current():
                return may.record(self.space)
            case CurrentWorld():
                return may.world(self.space)
            case InSecret() | Logic() | Compare():
                return ANY_TRUTH
            case Choice(chosen=chosen, other=other):
                return may.union([self.of(chosen), self.of(other)])
            case Fold():
                return ANY_NUMBER
            case Draw(distribution=given):
                return _outcomes(self.of(given))
            case Apply(operation=operation, arguments=arguments):
                return self.result(operation, [self.of(part) for part in arguments])
        return ANYTHING

    def result(self, operation: Callable[..., Any], given: list[Possible]) -> Possible:
        """What an operation may give."""
        if operation in NUMBERS:
            return _folded(operation, given) if operation in FOLDED else ANY_NUMBER
        if isinstance(operation, operations.Attribute):
            return _attribute(given[0], operation.position)
        if isinstance(operation, InSecretTest) or operation in _TRUTHS:
            return ANY_TRUTH
        special = _SPECIAL.get(operation)
        return ANYTHING if special is None else special(*given)


_TRUTHS = frozenset({operations.negation, operations.present})


def _outcomes(given: Possible) -> Possible:
    if given.anything or given.items is None:
        return ANYTHING
    return given.items


def _folded(operation: Callable[..., Any], given: list[Possible]) -> Possible:
    """The value of an operation of constants."""
    if all(len(part.values) == 1 and not part.kinds for part in given):
        try:
            return may.of(operation(*(next(iter(part.values)) for part in given)))
        except Failure:
            pass
    return ANY_NUMBER


def _attribute(record: Possible, position: int) -> Possible:
    if record.anything or record.parts is None:
        return ANYTHING
    gone = may.of(ABSENT) if ABSENT in record.values else may.NOTHING
    return may.union([record.parts[position], gone])


def _add(a: Possible, b: Possible) -> Possible:
    if a.anything or b.anything:
        return ANYTHING
    if LIST not in a.kinds or LIST not in b.kinds:
        return ANY_NUMBER
    if a.parts is not None and b.parts is not None:
        return may.listed([*a.parts, *b.parts])
    return may.list_of(may.union([a.element, b.element]))


def _append(a: Possible, b: Possible) -> Possible:
    return ANYTHING if a.anything else may.list_of(may.union([a.element, b.element]))


def _index(items: Possible, place: Possible) -> Possible:
    if items.anything:
        return ANYTHING
    if items.parts is not None and len(place.values) == 1 and not place.kinds:
        at = next(iter(place.values))
        if type(at) is int and -len(items.parts) <= at < len(items.parts):
            return items.parts[at]
    known = items.parts is not None or items.items is not None
    return items.element if known else ANYTHING


def _uniform(a: Possible, b: Possible) -> Possible:
    if len(a.values) == len(b.values) == 1 and not a.kinds | b.kinds:
        low, high = next(iter(a.values)), next(iter(b.values))
        if type(low) is int and type(high) is int and 0 <= high - low < MAX_RANGE:
            return may.distribution(may.values(range(low, high + 1)))
    return may.distribution(ANY_NUMBER)


def _xor(*given: Possible) -> Possible:
    parts = [part.element if LIST in part.kinds else part for part in given]
    if any(part.anything for part in parts):
        return ANYTHING
    numbers = any(is_number(v) for part in parts for v in part.values) or any(
        may.NUMBER in part.kinds for part in parts
    )
    truths = any(may.TRUTH in part.all_kinds for part in parts)
    bits = may.values([0, 1])
    return may.union([*([bits] if numbers else []), *([ANY_TRUTH] if truths else [])])


_SPECIAL: dict[Callable[..., Any], Callable[..., Possible]] = {
    operations.add: _add,
    operations.append: _append,
    operations.display: lambda *parts: may.listed(parts),
    operations.index: _index,
    operations.range_of: lambda *bounds: may.list_of(ANY_NUMBER),
    operations.xor: _xor,
    operations.table: lambda *parts: may.distribution(may.union(parts[::2])),
    operations.uniform: _uniform,
    operations.bernoulli: lambda p: may.distribution(may.values([0, 1])),
    operations.geometric: lambda *given: may.distribution(ANY_NUMBER),
}


def of_program(program: Block, space: WorldSpace) -> Known:
    """What each variable of a program may be: the least fixed point over its assignments."""
    statements = list(chain.from_iterable(map(inside, program)))
    assigned = {s.name for s in statements if isinstance(s, Assign | DrawInto | For)}
    found = dict.fromkeys(assigned, may.NOTHING)
    for _ in range(MAX_ROUNDS):
        before = dict(found)
        for statement in statements:
            _assign(statement, found, space)
        if found == before:
            return Known(space, found)
    return Known(space, {})


def _assign(statement: Statement, found: dict[str, Possible], space: WorldSpace) -> None:
    known = Known(space, found)
    match statement:
        case Assign(name=name, value=value):
            more = known.of(value)
        case DrawInto(name=name, value=value):
            more = _outcomes(known.of(value)) if known.of(value) != may.NOTHING else may.NOTHING
        case For(name=name, items=items):
            more = _index(known.of(items), ANYTHING)
        case _:
            return
    found[name] = may.union([found[name], more])
