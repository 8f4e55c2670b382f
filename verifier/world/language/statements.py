"""Reads programs: from syntax trees to checked statements, and which variables each still needs.

Lists are values: `x.append(v)` means `x = x + [v]`, and `y = x` copies. A draw inside an
expression is taken out into a statement before it; under `and`, `or` and `if else` it happens
only where it is reached. Variables that are no longer needed are forgotten, so that states merge.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import count

from verifier.base.document import Scalar
from verifier.base.nouns import Later, dataclass
from verifier.world.language import operations
from verifier.world.language.meanings import SIGNS
from verifier.world.language.reader import Reader, Scope
from verifier.world.language.syntax import (
    OUTER,
    STORED,
    Apply,
    At,
    Choice,
    Draw,
    Logic,
    Source,
    Term,
    Tree,
    Variable,
    parse,
    rebuild,
    walk,
)

MAX_LOOPS = 8
Names = frozenset[str]


@dataclass(frozen=True, eq=False)
class Statement(Later):
    """Base of all statements."""

    at: At


@dataclass(frozen=True, eq=False)
class Assign(Statement):
    """`name = value`."""

    name: str
    value: Term


@dataclass(frozen=True, eq=False)
class DrawInto(Statement):
    """`name = draw(value)`."""

    name: str
    value: Term


@dataclass(frozen=True, eq=False)
class If(Statement):
    """`if test: body else: other`."""

    test: Term
    body: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class For(Statement):
    """`for name in items: body`."""

    name: str
    items: Term
    body: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Return(Statement):
    """`return value`."""

    value: Term


@dataclass(frozen=True, eq=False)
class Break(Statement):
    """Leave the innermost loop."""


@dataclass(frozen=True, eq=False)
class Continue(Statement):
    """Go on with the next element of the innermost loop."""


Block = tuple[Statement, ...]


def inside(statement: Statement) -> Iterator[Statement]:
    """The statement and all statements in its blocks."""
    yield statement
    for block in blocks(statement):
        for part in block:
            yield from inside(part)


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks inside a statement."""
    match statement:
        case If(body=body, other=other):
            return body, other
        case For(body=body):
            return (body,)
    return ()


def terms_of(statement: Statement) -> tuple[Term, ...]:
    """The terms that a statement itself evaluates."""
    match statement:
        case Assign(value=term) | DrawInto(value=term) | Return(value=term):
            return (term,)
        case If(test=term) | For(items=term):
            return (term,)
    return ()


def terms_in(statement: Statement) -> Iterator[Term]:
    """All terms in a statement and in its blocks, and the terms inside them."""
    for part in inside(statement):
        for term in terms_of(part):
            yield from walk(term)


def with_terms(block: Block, change: Callable[[Term], Term]) -> Block:
    """The `block` with every term replaced by its `change`."""
    made: list[Statement] = []
    for statement in block:
        match statement:
            case Assign(value=value) | DrawInto(value=value) | Return(value=value):
                statement = replace(statement, value=change(value))
            case If(test=test, body=body, other=other):
                sides = [with_terms(side, change) for side in (body, other)]
                statement = If(statement.at, change(test), *sides)
            case For(at, name, items, body):
                statement = For(at, name, change(items), with_terms(body, change))
        made.append(statement)
    return tuple(made)


def read_program(source: Scalar | str, scope: Scope) -> tuple[Block, Tree]:
    """The statements of the program `source` in a `scope`; InputError S301 to S305, S310, S313."""
    tree = parse(Source.of(source), "exec")
    assert isinstance(tree.root, ast.Module)
    names = _assigned(tree, scope)
    scope = replace(scope, variables=names, program=True)
    return _Statements(Reader(tree, scope)).block(tree.root.body, 0), tree


def _assigned(tree: Tree, scope: Scope) -> frozenset[str]:
    """The variables of a program; S310 for a name that already means something else."""
    names = set()
    for node in ast.walk(tree.root):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            owner = scope.space.owner(node.id, scope.secrets)
            if owner:
                raise tree.fail(node, "S310", f"'{node.id}' is {owner}; assign to another name")
            names.add(node.id)
    return frozenset(names)


class _Statements:
    """Turns the nodes of a program into statements."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.tree, self.fresh = reader, reader.tree, count(1)

    def block(self, nodes: Sequence[ast.stmt], loops: int) -> Block:
        """The statements of `nodes` inside so many `loops`."""
        return tuple(found for node in nodes for found in self.statement(node, loops))

    def statement(self, node: ast.stmt, loops: int) -> list[Statement]:
        """The statements of one `node` inside so many `loops`: draws taken out first."""
        at = self.tree.at(node)
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                before, term = self.expression(value)
                return [*before, Assign(at, name, term)]
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if type(op) in SIGNS:
                before, term = self.expression(value)
                sides = Variable(at, name), term
                return [*before, Assign(at, name, Apply(at, SIGNS[type(op)], sides, OUTER))]
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(ast.Name(id=name), "append"), args=[x])
            ):
                return self.append(at, name, x)
            case ast.If(test=test, body=body, orelse=other):
                before, term = self.expression(test)
                return [*before, If(at, term, self.block(body, loops), self.block(other, loops))]
            case ast.For(target=ast.Name(id=name), iter=items, body=body, orelse=[]):
                if loops == MAX_LOOPS:
                    raise self.tree.fail(node, "S304", f"more than {MAX_LOOPS} nested loops")
                before, term = self.split(self.reader.listed(items))
                return [*before, For(at, name, term, self.block(body, loops + 1))]
            case ast.Return(value=value) if value is not None:
                before, term = self.expression(value)
                return [*before, Return(at, term)]
            case ast.Break() if loops:
                return [Break(at)]
            case ast.Continue() if loops:
                return [Continue(at)]
            case ast.Pass():
                return []
        raise self.tree.fail(node, "S302", _refusal(node))

    def append(self, at: At, name: str, item: ast.expr) -> list[Statement]:
        """The statements of `name`.append(`item`) at the place `at`, which is x = x + [v]."""
        if name not in self.reader.scope.variables:
            raise self.tree.source.fail(at, "S303", f"'{name}' is no list of this program")
        before, term = self.expression(item)
        more = Apply(term.at, operations.display, (term,), STORED)
        longer = Apply(at, operations.append, (Variable(at, name), more), OUTER)
        return [*before, Assign(at, name, longer)]

    def expression(self, node: ast.expr) -> tuple[list[Statement], Term]:
        """The term of a `node` without draws, and the statements that draw what it needs."""
        return self.split(self.reader.term(node))

    def split(self, term: Term) -> tuple[list[Statement], Term]:
        """Takes the draws out of a term."""
        if not _draws(term):
            return [], term
        match term:
            case Draw(at, distribution):
                before, given = self.split(distribution)
                name = self.name()
                return [*before, DrawInto(at, name, given)], Variable(at, name)
            case Logic():
                return self.split_logic(term)
            case Choice(at, test, chosen, other) if _draws(chosen) or _draws(other):
                before, given = self.split(test)
                name = self.name()
                sides = [self.store(at, name, side) for side in (chosen, other)]
                return [*before, If(at, given, *sides)], Variable(at, name)
        before = []

        def take(part: Term) -> Term:
            """A `part` without its draws, which are noted."""
            more, rest = self.split(part)
            before.extend(more)
            return rest

        return before, rebuild(term, take)

    def split_logic(self, term: Logic) -> tuple[list[Statement], Term]:
        """The `term` a and b: the draws of b happen only where a holds."""
        at, first, rest = term.at, term.parts[0], term.parts[1:]
        before, given = self.split(first)
        if not any(map(_draws, rest)):
            return before, Logic(at, term.stops_at, (given, *rest))
        name = self.name()
        going = Variable(at, name)
        test = Apply(at, operations.negation, (going,)) if term.stops_at else going
        return [
            *before,
            Assign(at, name, Logic(at, term.stops_at, (given,))),
            If(at, test, self.store(at, name, Logic(at, term.stops_at, rest)), ()),
        ], going

    def store(self, at: At, name: str, term: Term) -> Block:
        """The statements that store a `term` under a `name`, written at the place `at`."""
        before, given = self.split(term)
        return (*before, Assign(at, name, given))

    def name(self) -> str:
        """A name that no program can write."""
        return f"draw {next(self.fresh)}"


def _draws(term: Term) -> bool:
    return any(isinstance(part, Draw) for part in walk(term))


def _refusal(node: ast.stmt) -> str:
    match node:
        case ast.Break() | ast.Continue():
            return "break and continue belong inside a loop"
        case ast.Return():
            return "return needs a value"
        case ast.For(orelse=[_, *_]) | ast.While():
            return "the only loop is `for name in items:`"
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.For():
            return "only `name = value` and `name += value` assign, one name at a time"
        case ast.Expr():
            return "this value is not used: assign it, or return it"
    return f"'{type(node).__name__.lower()}' is not part of the language"


@dataclass
class Liveness(Later):
    """The variables needed after each statement, and at the start of each block inside one.

    Standard backward analysis; at the head of a loop it is repeated until nothing is added.
    """

    after: dict[Statement, Names] = field(default_factory=dict)
    inside: dict[tuple[Statement, int], Names] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Block) -> Liveness:
        """The analysis of a whole program."""
        made = cls()
        made.block(program, frozenset(), frozenset(), frozenset())
        return made

    def block(self, block: Block, after: Names, leave: Names, again: Names) -> Names:
        """The variables needed before a `block`, given those needed `after` it, after `break`
        (`leave`) and after `continue` (`again`)."""
        for statement in reversed(block):
            self.after[statement] = after
            after = self.before(statement, after, leave, again)
        return after

    def before(self, statement: Statement, after: Names, leave: Names, again: Names) -> Names:
        """The variables needed before a `statement`, given those needed `after` it, after `break`
        (`leave`) and after `continue` (`again`)."""
        match statement:
            case Assign(name=name, value=value) | DrawInto(name=name, value=value):
                return (after - {name}) | _uses(value)
            case If(test=test, body=body, other=other):
                sides = [self.block(side, after, leave, again) for side in (body, other)]
                self.inside[statement, 0], self.inside[statement, 1] = sides
                return _uses(test) | sides[0] | sides[1]
            case For(name=name, items=items, body=body):
                head, grown = None, after
                while head != grown:
                    head = grown
                    grown = head | (self.block(body, head, after, head) - {name})
                self.inside[statement, 0] = head
                return _uses(items) | head
            case Return(value=value):
                return _uses(value)
            case Break():
                return leave
            case Continue():
                return again
        return after


def _uses(term: Term) -> Names:
    return frozenset(part.name for part in walk(term) if isinstance(part, Variable))
