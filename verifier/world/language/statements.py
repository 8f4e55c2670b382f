"""Reads programs: from syntax trees to checked statements, and which variables each still needs.

Lists are values: `x.append(v)` means `x = x + [v]`, and `y = x` copies. A draw inside an
expression is taken out into a statement before it; under `and`, `or` and `if else` it happens
only where it is reached. Variables that are no longer needed are forgotten, so that states merge.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import count
from typing import Any

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
    Comprehension,
    Const,
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
    return _Statements(Reader(tree, scope), _looked_up(tree)).block(tree.root.body, 0), tree


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


def _looked_up(tree: Tree) -> frozenset[str]:
    """The variables of a program of which it says x[…], x.get(…), x.items(), …"""
    return frozenset(
        node.value.id
        for node in ast.walk(tree.root)
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.value, ast.Name)
    )


class _Statements:
    """Turns the nodes of a program into statements.

    looked_up  variables that are lists or dictionaries: for them `{…}` is no distribution
    """

    def __init__(self, reader: Reader, looked_up: frozenset[str]) -> None:
        self.reader, self.tree, self.fresh = reader, reader.tree, count(1)
        self.looked_up = looked_up

    def block(self, nodes: Sequence[ast.stmt], loops: int) -> Block:
        """The statements of `nodes` inside so many `loops`."""
        return tuple(found for node in nodes for found in self.statement(node, loops))

    def statement(self, node: ast.stmt, loops: int) -> list[Statement]:
        """The statements of one `node` inside so many `loops`: draws taken out first."""
        at = self.tree.at(node)
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value) if (
                name in self.looked_up and value.keys
            ):
                before, term = self.split(self.reader.distribution(value, operations.dictionary))
                return [*before, Assign(at, name, term)]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                term = self.reader.term(value)
                if isinstance(term, Comprehension) and name not in _uses(term):
                    return self.comprehension(term, name)
                before, term = self.split(term)
                return [*before, Assign(at, name, term)]
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if type(op) in SIGNS:
                before, term = self.expression(value)
                sides = Variable(at, name), term
                return [*before, Assign(at, name, Apply(at, SIGNS[type(op)], sides, OUTER))]
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                return self.put(at, target, value)
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value) if (
                type(op) in SIGNS
            ):
                return self.put(at, target, value, SIGNS[type(op)])
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(ast.Name(id=name), "append"), args=[x])
            ):
                return self.append(at, name, x)
            case ast.If(test=test, body=body, orelse=other):
                before, term = self.expression(test)
                return [*before, If(at, term, self.block(body, loops), self.block(other, loops))]
            case ast.For(target=ast.Name() | ast.Tuple(), orelse=[]):
                return self.loop(node, loops)
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

    def loop(self, node: ast.For, loops: int) -> list[Statement]:
        """The statements of a loop, `node`, inside so many `loops`; of `for a, b in items` the
        first ones in it give a and b their values."""
        at, target = self.tree.at(node), node.target
        if loops == MAX_LOOPS:
            raise self.tree.fail(node, "S304", f"more than {MAX_LOOPS} nested loops")
        before, term = self.split(self.reader.listed(node.iter))
        names, body = self.reader.names(target), self.block(node.body, loops + 1)
        return [*before, self.each(at, names, term, body)]

    def each(self, at: At, names: Sequence[str], items: Term, body: Block) -> For:
        """A loop at the place `at` over `items`; several `names` are given the elements of each."""
        if len(names) == 1:
            return For(at, names[0], items, body)
        whole = Variable(at, self.name())
        made = []
        for place, name in enumerate(names):
            given = whole, Const(at, place), Const(at, len(names))
            made.append(Assign(at, name, Apply(at, operations.unpacked, given, OUTER)))
        return For(at, whole.name, items, (*made, *body))

    def comprehension(self, term: Comprehension, name: str) -> list[Statement]:
        """The loop that a `term` is, whose list has the `name`; its own names are seen nowhere
        else."""
        at, own = term.at, {name: self.name() for name in term.names}
        before, items = self.split(term.items)
        body = self.appended(at, name, _renamed(term.item, own))
        for test in reversed(term.tests):
            drawn, given = self.split(_renamed(test, own))
            body = [*drawn, If(test.at, given, tuple(body), ())]
        empty = Assign(at, name, Apply(at, operations.display, (), STORED))
        return [*before, empty, self.each(at, [*own.values()], items, tuple(body))]

    def append(self, at: At, name: str, item: ast.expr) -> list[Statement]:
        """The statements of `name`.append(`item`) at the place `at`, which is x = x + [v]."""
        self.check_list(name, at)
        return self.appended(at, name, self.reader.term(item))

    def appended(self, at: At, name: str, item: Term) -> list[Statement]:
        """The same for an `item` that is a term."""
        before, term = self.split(item)
        more = Apply(term.at, operations.display, (term,), STORED)
        longer = Apply(at, operations.append, (Variable(at, name), more), OUTER)
        return [*before, Assign(at, name, longer)]

    def put(
        self,
        at: At,
        target: ast.Subscript,
        value: ast.expr,
        operation: Callable[..., Any] | None = None,
    ) -> list[Statement]:
        """The statements of x[i] = `value`, `target` being x[i]: x = x with this element. With an
        `operation`, as in x[i] += v, of the element and the value."""
        before, term = self.expression(value)
        places: list[Term] = []
        owner: ast.expr = target
        while isinstance(owner, ast.Subscript):
            more, place = self.split(self.reader.place(owner.slice))
            before, places = [*before, *more], [place, *places]
            owner = owner.value
        if not isinstance(owner, ast.Name):
            raise self.tree.fail(target, "S302", "only elements of a variable are set")
        self.check_list(owner.id, at)
        owners: list[Term] = [Variable(at, owner.id)]
        for place in places:
            owners.append(Apply(at, operations.index, (owners[-1], place), OUTER))
        old = owners.pop()
        if operation is not None:
            term = Apply(at, operation, (old, term), OUTER)
        for whole, place in zip(reversed(owners), reversed(places), strict=True):
            item = Apply(term.at, operations.display, (term,), STORED)
            term = Apply(at, operations.put, (whole, place, item), OUTER)
        return [*before, Assign(at, owner.id, term)]

    def check_list(self, name: str, at: At) -> None:
        """Refuse, at the place `at`, a change of a list that is no variable of the program."""
        scope = self.reader.scope
        if name in scope.variables:
            return
        if owner := scope.space.owner(name, scope.secrets):
            said = f"'{name}' is {owner}; copy it first"
            raise self.tree.source.fail(at, "S310", said, f"write x = {name}, and change x")
        said = f"'{name}' is no list of this program"
        raise self.tree.source.fail(
            at, "S303", said, f"begin it before: {name} = [] or {name} = {{}}"
        )

    def expression(self, node: ast.expr) -> tuple[list[Statement], Term]:
        """The term of a `node` without draws, and the statements that draw what it needs."""
        return self.split(self.reader.term(node))

    def split(self, term: Term) -> tuple[list[Statement], Term]:
        """Takes the draws out of a term."""
        if not _draws(term):
            return [], term
        match term:
            case Comprehension(at=at):
                name = self.name()
                return self.comprehension(term, name), Variable(at, name)
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
    return any(isinstance(part, Draw | Comprehension) for part in walk(term))


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    """The `term` with other names for some variables, but where a comprehension in it has them."""
    match term:
        case Variable(at, name):
            return Variable(at, names.get(name, name))
        case Comprehension(at, own, items, tests, item):
            rest = {name: new for name, new in names.items() if name not in own}
            inner = tuple(_renamed(test, rest) for test in tests), _renamed(item, rest)
            return Comprehension(at, own, _renamed(items, names), *inner)
    return rebuild(term, lambda part: _renamed(part, names))


def _refusal(node: ast.stmt) -> str:
    match node:
        case ast.Break() | ast.Continue():
            return "break and continue belong inside a loop"
        case ast.Return():
            return "return needs a value"
        case ast.For(orelse=[_, *_]) | ast.While():
            return "the only loop is `for name in items:`"
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.For():
            return "only `x = value`, `x[i] = value`, `x += value` assign, one name at a time"
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
