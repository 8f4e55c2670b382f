"""Reads expressions: the words of the language, and checked terms with every name resolved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

import numpy as np

from verifier.base import parameters as declared
from verifier.base.document import Scalar
from verifier.base.errors import choice, nearest
from verifier.base.nouns import Later, dataclass
from verifier.world.language import operations
from verifier.world.language.meanings import DISTRIBUTIONS, FUNCTIONS, SIGNS
from verifier.world.language.syntax import (
    OUTER,
    STORED,
    Apply,
    At,
    Choice,
    Compare,
    Comprehension,
    Const,
    Current,
    CurrentWorld,
    Draw,
    Fold,
    InSecret,
    Logic,
    Record,
    Source,
    Term,
    Tree,
    Variable,
    mentions_current,
    parse,
    walk,
)
from verifier.world.space import (
    WORDS,
    Dictionary,
    Failure,
    Truth,
    World,
    WorldSpace,
    brief,
    number,
    truth,
)

VIEWS = {"keys": operations.keys_of, "values": operations.values_of, "items": operations.items_of}
IN_ANY_ORDER = {"sorted", "len", "sum", "min", "max"}  # they may be asked of a dictionary's views
FOLDS = {
    "count": (operations.as_count, operations.count_over, operations.count_list),
    "sum": (operations.as_term, operations.sum_over, operations.sum_list),
}


@dataclass(frozen=True)
class Scope(Later):
    """The names that an expression may use.

    secrets    name -> Boolean array over the worlds
    variables  names of the program's variables, or bound by the caller
    bound      of those that the caller binds, the values that they take in turn
    program    whether `draw` and distributions are allowed
    inside     whether this is inside `count` or `sum` over records
    worlds     names of two worlds, the current one and a variable; then records stand after these
    """

    space: WorldSpace
    secrets: Mapping[str, np.ndarray] = field(default_factory=dict)
    variables: Collection[str] = ()
    bound: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    program: bool = False
    inside: bool = False
    worlds: tuple[str, str] | None = None


def read_expression(source: Scalar | str, scope: Scope) -> tuple[Term, Tree]:
    """The term that the text `source` denotes in a `scope`; InputError S301 to S305."""
    tree = parse(Source.of(source), "eval")
    assert isinstance(tree.root, ast.Expression)
    return Reader(tree, scope).term(tree.root.body), tree


@dataclass(frozen=True)
class Reader(Later):
    """Turns the nodes of one syntax tree into terms."""

    tree: Tree
    scope: Scope

    def term(self, node: ast.expr) -> Term:
        """The term of a node; S302 for a node that is not part of the language."""
        at = self.tree.at(node)
        match node:
            case ast.Constant():
                return Const(at, self.tree.constant(node))
            case ast.Name():
                return self.name(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.UnaryOp(op=op, operand=part) if type(op) in SIGNS:
                return Apply(at, SIGNS[type(op)], (self.term(part),), OUTER)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
                return Apply(at, SIGNS[type(op)], (self.term(left), self.term(right)), OUTER)
            case ast.BoolOp(op=op, values=parts):
                return Logic(at, isinstance(op, ast.Or), tuple(map(self.term, parts)))
            case ast.IfExp(test=test, body=body, orelse=other):
                return Choice(at, self.term(test), self.term(body), self.term(other))
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return Apply(at, operations.display, tuple(map(self.term, items)), STORED)
            case ast.Compare():
                return self.comparison(node)
            case ast.Subscript(value=items, slice=place) if not isinstance(place, ast.Slice):
                return Apply(at, operations.index, (self.listed(items), self.place(place)), OUTER)
            case ast.Call(func=ast.Name(id=name)):
                return self.call(node, name)
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if self.scope.program:
                return self.method(node, owner, name)
            case ast.ListComp() | ast.GeneratorExp() if self.scope.program:
                return self.comprehension(node)
            case ast.Dict(keys=[]) if self.scope.program:
                return Const(at, Dictionary())
            case ast.Dict() if self.scope.program:
                return self.distribution(node)
        raise self.tree.fail(node, "S302", f"{_describe(node)} is not part of the language")

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Term:
        """The term of a `node` such as `[f(x) for x in xs if p(x)]`."""
        if len(node.generators) > 1:
            said = "a comprehension has one `for`"
            raise self.tree.fail(node, "S302", said, "write loops, and append to a list")
        ((target, items, tests),) = ((g.target, g.iter, g.ifs) for g in node.generators)
        inner = replace(self, scope=replace(self.scope, inside=False))
        parts = tuple(map(inner.term, tests)), inner.term(node.elt)
        return Comprehension(self.tree.at(node), self.names(target), self.listed(items), *parts)

    def names(self, target: ast.expr) -> tuple[str, ...]:
        """The names that a loop gives values: one, or several in a tuple; S302 for others."""
        found = target.elts if isinstance(target, ast.Tuple) else [target]
        names = tuple(part.id for part in found if isinstance(part, ast.Name))
        if len(names) < len(found):
            said = "for gives values to names, as in `for a, b in x:`"
            raise self.tree.fail(target, "S302", said)
        return names

    def listed(self, node: ast.expr) -> Term:
        """The term of a `node` of which elements are taken: of `world` in a program the list of its
        records, so that only those that are used are looked at."""
        term, space = self.term(node), self.scope.space
        if not isinstance(term, CurrentWorld) or not self.scope.program or space.counts is not None:
            return term
        records = [Record(term.at, place) for place in range(len(space.records))]
        return Apply(term.at, operations.display, tuple(records), STORED) if records else term

    def place(self, node: ast.expr) -> Term:
        """The index, or the key of a dictionary, that a `node` is."""
        term = self.term(node)
        return Apply(term.at, operations.key, (term,)) if self.scope.program else term

    def method(self, node: ast.Call, owner: ast.expr, name: str) -> Term:
        """The term of a `node` such as `x.get(key, 0)`; `owner` is x, `name` the method."""
        at = self.tree.at(node)
        if name == "get":
            if len(node.args) != 2 or node.keywords:
                raise self.tree.fail(node, "S305", "get takes a key, and what is given without it")
            key, other = node.args
            parts = self.term(owner), self.place(key), self.term(other)
            return Apply(at, operations.get, parts, OUTER)
        if name in VIEWS:
            said = f".{name}() stands inside {', '.join(sorted(IN_ANY_ORDER))} only"
            raise self.tree.fail(node, "S302", said, f"write sorted({self.tree.text(node)})")
        said = f"'.{name}' is not part of the language"
        hint = "of a dictionary x there are x[key], x.get(key, 0), sorted(x.items()) and len(x)"
        raise self.tree.fail(node, "S302", said, hint)

    def argument(self, node: ast.expr) -> Term:
        """The term of an argument of a function to which the order of elements is nothing: the
        `node` may be `x.items()`, `x.keys()` or `x.values()`."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[], keywords=[]) if (
                name in VIEWS and self.scope.program
            ):
                return Apply(self.tree.at(node), VIEWS[name], (self.term(owner),), OUTER)
        return self.term(node)

    def name(self, node: ast.Name) -> Term:
        """What the name of a `node` is: variable, current record, world, record, secret or world
        name."""
        name, at, scope = node.id, self.tree.at(node), self.scope
        space = scope.space
        if name in scope.variables:
            return Variable(at, name)
        if scope.worlds is not None:
            return self.name_of_two(node, scope.worlds)
        if name in space.attributes and scope.inside:
            return self.part(at, Current(at), space.attributes.index(name))
        if name == "value" and space.record_count and scope.inside:
            return self.whole(at, Current(at))
        if name == "world":
            return CurrentWorld(at)
        if name in space.records:
            return self.whole(at, Record(at, space.records.index(name)))
        if name in scope.secrets:
            return InSecret(at, name)
        if name in space.given:
            return Const(at, space.world(space.given.index(name)))
        if (parameter := declared.parameter_value(name)) is not None:
            return Const(at, number(parameter))
        raise self.tree.fail(node, "S303", self.unknown(name))

    def name_of_two(self, node: ast.Name, worlds: tuple[str, str]) -> Term:
        """What the name of a `node` is where there are two `worlds`, neither of them bound."""
        name, at = node.id, self.tree.at(node)
        first, second = worlds
        if name == first:
            return CurrentWorld(at)
        if name in self.scope.space.given:
            return Const(at, self.scope.space.world(self.scope.space.given.index(name)))
        if (parameter := declared.parameter_value(name)) is not None:
            return Const(at, number(parameter))
        said = f"'{name}' is no name here: there are two worlds, {first} and {second}"
        known = self.scope.space.records
        hint = f"write {first}.{name} or {second}.{name}" if name in known else ""
        raise self.tree.fail(node, "S303", said, hint)

    def record_of(self, node: ast.expr) -> Term | None:
        """The record of a `node` such as `w.bob` or `output.bob`, and `bob` where there is one
        world only; None for another one."""
        scope, records = self.scope, self.scope.space.records
        first = scope.worlds[0] if scope.worlds else None
        bound = () if scope.program else scope.variables
        match node:
            case ast.Attribute(value=ast.Name(id=world), attr=name) if (
                world == first or world in bound
            ):
                at = self.tree.at(node)
                if name not in records:
                    hint = choice(name, records, "records here")
                    raise self.tree.fail(node, "S303", f"a world has no record '{name}'", hint)
                place = records.index(name)
                if world == first:
                    return Record(at, place)
                of_record = operations.OfRecord(name, place, len(records))
                return Apply(at, of_record, (Variable(at, world),), OUTER)
        return None

    def attribute(self, node: ast.Attribute) -> Term:
        """The term of a `node` such as `bob.A1` or `bob.present`, `w.bob`, `v.bob.A1`."""
        space, at, worlds = self.scope.space, self.tree.at(node), self.scope.worlds
        if (record := self.record_of(node)) is not None:
            return self.whole(at, record) if isinstance(record, Record) else record
        owner = self.record_of(node.value)
        if owner is None and not worlds and isinstance(node.value, ast.Name):
            with suppress(ValueError):
                owner = Record(at, space.records.index(node.value.id))
        if owner is None:
            of_two = worlds and f"{worlds[0]} or {worlds[1]}, or a record of one of them"
            said = f"a dot follows {of_two or 'the name of a record only'}"
            raise self.tree.fail(node, "S302", said)
        if node.attr == "present":
            if not space.may_be_absent:
                raise self.tree.fail(node, "S303", "no record is ever absent here (absent: true)")
            return Apply(at, operations.present, (owner,), OUTER)
        if node.attr not in space.attributes:
            hint = nearest(node.attr, [*space.attributes, *(["present"] * space.may_be_absent)])
            raise self.tree.fail(node, "S303", f"records have no attribute '{node.attr}'{hint}")
        if isinstance(owner, Record) or len(space.attributes) > 1:
            return self.part(at, owner, space.attributes.index(node.attr))
        return owner  # of a world a single attribute stands for the record

    def unknown(self, name: str) -> str:
        """What to say about a name that means nothing here."""
        space = self.scope.space
        if name in space.attributes or (name == "value" and space.record_count):
            told_apart = space.records and name != "value"
            example = f", or write {space.records[0]}.{name}" if told_apart else ""
            return f"'{name}' belongs to a record: use it inside count(...) or sum(...){example}"
        if name in WORDS:
            return f"'{name}' is a function here: write {name}(...)"
        parts = [v if isinstance(v, tuple) else (v,) for v in space.record_values]
        if any(name in part for part in parts):
            return f"unknown name '{name}'; the value is written in quotes: '{name}'"
        known = {
            *declared.active().names,
            *self.scope.variables,
            *space.records,
            *space.attributes,
            *self.scope.secrets,
        }
        hint = nearest(name, known | WORDS | {*space.given[:5000]})
        own = [*space.records, *space.given]
        few = f" (known here: {', '.join(own[:8])}{', …' * (len(own) > 8)})"
        if space.counts is not None:
            few = " (records are not told apart here: use count(...) and sum(...))"
        return f"unknown name '{name}'{hint or few}"

    def whole(self, at: At, record: Term) -> Term:
        """The value of a `record` at the place `at`; a single attribute stands for the record."""
        return self.part(at, record, 0) if len(self.scope.space.attributes) == 1 else record

    def part(self, at: At, record: Term, position: int) -> Term:
        """The attribute of a `record` at a `position`; `at` is its place in the text."""
        return Apply(at, operations.Attribute(position), (record,), OUTER)

    def comparison(self, node: ast.Compare) -> Term:
        """The term of a `node` such as `a < b <= c`, `x in xs` or `world in secret`."""
        for op in node.ops:
            if type(op) not in SIGNS:
                raise self.tree.fail(node, "S302", "`is` is not part of the language; use `==`")
        at, last = self.tree.at(node), node.comparators[-1]
        if (
            isinstance(node.ops[-1], ast.In | ast.NotIn)
            and len(node.ops) == 1
            and isinstance(last, ast.Name)
            and last.id in self.scope.secrets
            and last.id not in self.scope.variables
        ):
            found = self.in_secret(at, node.left, last.id)
            if isinstance(node.ops[0], ast.In):
                return found
            return Apply(at, operations.negation, (found,))
        parts = tuple(map(self.term, [node.left, *node.comparators]))
        tests = tuple(SIGNS[type(op)] for op in node.ops)
        test = tests[0] if len(tests) == 1 else operations.Chain(tests)
        return Compare(at, test, parts, text=self.tree.text(node))

    def in_secret(self, at: At, left: ast.expr, secret: str) -> Term:
        """Whether the world `left` is in a `secret`; `at` is the place in the text."""
        world, members = self.term(left), self.scope.secrets[secret]
        if isinstance(world, CurrentWorld):
            return InSecret(at, secret)

        return Apply(at, InSecretTest(members, self.scope.space), (world,))

    def call(self, node: ast.Call, name: str) -> Term:
        """The term of a `node` that calls the function `name`."""
        at = self.tree.at(node)
        starred = next((a for a in node.args if isinstance(a, ast.Starred)), None)
        if starred is not None:
            raise self.tree.fail(starred, "S302", "`*` before an argument is not allowed")
        if name in DISTRIBUTIONS and self.scope.program:
            return self.named_distribution(node, name)
        if node.keywords:
            raise self.tree.fail(node, "S305", f"{name} takes no keywords")
        if name in FOLDS:
            self.arity(node, name, 1, 1)
            return self.fold(at, name, node.args[0])
        if name == "draw" and self.scope.program:
            self.arity(node, name, 1, 1)
            return Draw(at, self.term(node.args[0]))
        if name not in FUNCTIONS:
            raise self.tree.fail(node, "S303", self.no_function(name))
        found = FUNCTIONS[name]
        self.arity(node, name, *found.takes)
        read = self.argument if name in IN_ANY_ORDER else self.term
        parts = tuple(map(read, node.args))
        first = parts[0]
        if name == "sorted" and isinstance(first, Apply) and first.operation is operations.items_of:
            return first  # in the order of the keys, which all differ
        return Apply(at, found.concrete, parts, found.depth)

    def no_function(self, name: str) -> str:
        """What to say about a function `name` that is not there."""
        if name == "draw" or name in DISTRIBUTIONS:
            return f"{name} is allowed in programs only"
        functions = [*FUNCTIONS, *FOLDS, *([*DISTRIBUTIONS, "draw"] * self.scope.program)]
        hint = nearest(name, functions) or f" (functions: {', '.join(sorted(functions))})"
        return f"unknown function '{name}'{hint}"

    def arity(self, node: ast.Call, name: str, least: int, most: int) -> None:
        """Refuse a `node` that calls `name` with fewer than `least` or more than `most`
        arguments."""
        if not least <= len(node.args) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            wanted = f"at least {least}" if most == 1000 else wanted
            found = len(node.args)
            raise self.tree.fail(node, "S305", f"{name} takes {wanted} arguments, found {found}")

    def fold(self, at: At, name: str, node: ast.expr) -> Term:
        """The term of `count` or `sum` (`name`) of a `node`: over the records, or over a list."""
        space = self.scope.space
        single, over_records, over_list = FOLDS[name]
        if self.scope.worlds is not None:
            return Apply(at, over_list, (self.term(node),))
        inside = replace(self.scope, inside=bool(space.record_count))
        body = replace(self, scope=inside).argument(node)
        lists = ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp
        listed = isinstance(node, lists) and not mentions_current(body)
        for part in walk(body) if not listed else ():
            if isinstance(part, Draw | Comprehension):
                what, hint = "draw", ""
                if isinstance(part, Comprehension):
                    what, hint = "a comprehension", "make the list before: xs = [x + 1 for x in ys]"
                said = f"{what} is not allowed inside {name}(...)"
                raise self.tree.fail(node, "S313", said, hint)
        if not space.record_count:
            return Apply(at, over_list, (body,))
        if mentions_current(body):
            return self.sum_present(at, Apply(body.at, single, (body,)))
        one = Const(at, 1)
        number = self.sum_present(at, one) if space.may_be_absent else None
        return Apply(at, over_records, (body, number or Const(at, space.record_count)))

    def sum_present(self, at: At, body: Term) -> Term:
        """The sum of a number, `body`, over the records that are present; `at` is its place."""
        if not self.scope.space.may_be_absent:
            return Fold(at, body)
        here = Apply(at, operations.present, (Current(at),))
        return Fold(at, Choice(at, here, body, Const(at, 0)))

    def distribution(self, node: ast.Dict, made: Callable[..., Any] = operations.table) -> Term:
        """The term of a `node` such as `{value: probability, …}`, or of a dictionary, `made` of its
        parts."""
        parts: list[Term] = []
        for key, probability in zip(node.keys, node.values, strict=True):
            if key is None:
                raise self.tree.fail(node, "S302", "`**` inside braces is not allowed")
            parts += [self.term(key), self.term(probability)]
        return Apply(self.tree.at(node), made, tuple(parts))

    def named_distribution(self, node: ast.Call, name: str) -> Term:
        """The term of a `node` that calls the distribution `name`, as `uniform(1, 6)`."""
        forms = [tuple(form.parameters.split()) for form in DISTRIBUTIONS[name]]
        said = " or ".join(f"{name}({', '.join(parameters)})" for parameters in forms)
        for form, parameters in zip(DISTRIBUTIONS[name], forms, strict=True):
            found = dict(zip(parameters, node.args, strict=False))
            repeated = [keyword for keyword in node.keywords if keyword.arg in found]
            found |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            fits = len(node.args) + len(node.keywords) == len(parameters) and not repeated
            if fits and set(found) == set(parameters):
                arguments = tuple(self.term(found[parameter]) for parameter in parameters)
                return Apply(self.tree.at(node), form.concrete, arguments)
        free = {name for parameters in forms for name in parameters[len(node.args) :]}
        wrong = [keyword.value for keyword in node.keywords if keyword.arg not in free]
        raise self.tree.fail((wrong or [node])[0], "S305", f"the form is {said}")


@dataclass(frozen=True, eq=False)
class InSecretTest(Later):
    """Whether a world of a `space`, or the list of its records' values, is one of the `members` of
    a secret."""

    members: np.ndarray
    space: WorldSpace

    def __call__(self, world: Any) -> Truth:
        if isinstance(world, tuple):
            world = self.space.database(world) or world
        if not isinstance(world, World):
            raise Failure("S306", f"a secret is a set of worlds; {brief(world)} is none")
        return truth(world.number >= 0 and bool(self.members[world.number]))


_NAMES = {
    ast.Dict: "a mapping {…}",
    ast.Set: "a set {…}",
    ast.Lambda: "lambda",
    ast.ListComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Call: "calling this",
    ast.JoinedStr: "a formatted string",
    ast.NamedExpr: "`:=`",
    ast.Subscript: "a slice",
    ast.Slice: "a slice",
    ast.Starred: "`*` before a value",
}


def _describe(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return "this operator"
    return _NAMES.get(type(node), f"'{type(node).__name__}'")
