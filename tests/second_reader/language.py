"""The expressions of docs/reference, evaluated exactly, one world at a time."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any

from tests.second_reader.values import (
    ABSENT,
    Absent,
    Attributes,
    CannotRead,
    Dictionary,
    Secret,
    World,
    listed,
    rank,
    same,
)

Names = dict[str, Any]


@dataclass
class Scope:
    """Where an expression is evaluated: names, the records of the world, more functions."""

    names: Names
    world: World | None
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)


@cache
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression; decimals stay as they are written."""
    return exact(ast.parse(text.strip(), mode="eval"), text.strip()).body


def exact(tree: Any, text: str) -> Any:
    """The tree with every number that is written in it as a fraction."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            node.value = Fraction(ast.get_source_segment(text, node) or "")
    return tree


def evaluate(text: str, scope: Scope) -> Any:
    """The value of an expression."""
    if not isinstance(text, str):
        raise CannotRead(f"{text!r} is not an expression")
    return value(parsed(text), scope)


def value(node: ast.expr, scope: Scope) -> Any:
    """The value of a node."""
    method = NODES.get(type(node))
    if method is None:
        raise CannotRead(f"{type(node).__name__} is not on the page")
    return method(node, scope)


def constant(node: ast.Constant, scope: Scope) -> Any:
    if isinstance(node.value, bool | str | Fraction):
        return node.value
    raise CannotRead(f"the constant {node.value!r}")


def name(node: ast.Name, scope: Scope) -> Any:
    found = scope.names.get(node.id)
    if found is None:
        raise CannotRead(f"the name {node.id}")
    if isinstance(found, Secret):
        return scope.world is not None and scope.world.index in found.worlds
    return found


def elements(node: ast.List | ast.Tuple, scope: Scope) -> Any:
    return tuple(value(item, scope) for item in node.elts)


def attribute(node: ast.Attribute, scope: Scope) -> Any:
    record = value(node.value, scope)
    if node.attr == "present":
        return not isinstance(record, Absent)
    if isinstance(record, Absent):
        return ABSENT
    if isinstance(record, Attributes) and node.attr in record.names:
        return record.values[record.names.index(node.attr)]
    if not isinstance(record, Attributes) and node.attr == scope.names.get("\0attribute"):
        return record
    raise CannotRead(f"the attribute {node.attr}")


def subscript(node: ast.Subscript, scope: Scope) -> Any:
    return element_at(value(node.value, scope), value(node.slice, scope))


def element_at(owner: Any, place: Any) -> Any:
    """What stands at a place of a list, or under a key of a dictionary."""
    if not isinstance(owner, Dictionary):
        return listed(owner)[whole(place)]
    if found := owner.at(place):
        return found[0]
    raise CannotRead("a key that a dictionary has not")


def whole(found: Any) -> int:
    if not isinstance(found, Fraction) or found.denominator != 1:
        raise CannotRead(f"{found!r} is not an integer")
    return int(found)


def truth(found: Any) -> bool:
    if not isinstance(found, bool):
        raise CannotRead(f"{found!r} is not a truth")
    return found


def logic(node: ast.BoolOp, scope: Scope) -> bool:
    stop = isinstance(node.op, ast.Or)
    for part in node.values:
        if truth(value(part, scope)) is stop:
            return stop
    return not stop


def unary(node: ast.UnaryOp, scope: Scope) -> Any:
    found = value(node.operand, scope)
    if isinstance(node.op, ast.Not):
        return not truth(found)
    if isinstance(node.op, ast.USub | ast.UAdd):
        return -numeric(found) if isinstance(node.op, ast.USub) else numeric(found)
    raise CannotRead(f"{type(node.op).__name__} is not on the page")


def numeric(found: Any) -> Fraction:
    if not isinstance(found, Fraction):
        raise CannotRead(f"arithmetic with {found!r}")
    return found


def binary(node: ast.BinOp, scope: Scope) -> Any:
    return combine(node.op, value(node.left, scope), value(node.right, scope))


def combine(operator: ast.operator, left: Any, right: Any) -> Any:
    """The value of an arithmetic operation."""
    if isinstance(operator, ast.Add) and isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    if isinstance(operator, ast.Mult) and isinstance(left, tuple):
        return left * whole(right)
    if isinstance(operator, ast.Mult) and isinstance(right, tuple):
        return right * whole(left)
    method = ARITHMETIC.get(type(operator))
    if method is None:
        raise CannotRead(f"{type(operator).__name__} is not on the page")
    return method(numeric(left), numeric(right))


ARITHMETIC: dict[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a ** whole(b),
}


def comparison(node: ast.Compare, scope: Scope) -> bool:
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        if not holds(operator, left, right, scope):
            return False
        left = right
    return True


def holds(operator: ast.cmpop, left: ast.expr, right: ast.expr, scope: Scope) -> bool:
    if isinstance(operator, ast.In | ast.NotIn):
        return element(left, right, scope) is isinstance(operator, ast.In)
    first, second = value(left, scope), value(right, scope)
    if isinstance(operator, ast.Eq | ast.NotEq):
        return same(first, second) is isinstance(operator, ast.Eq)
    if type(operator) not in ORDER:
        raise CannotRead(f"{type(operator).__name__} is not on the page")
    return ORDER[type(operator)](numeric(first), numeric(second))


ORDER: dict[type, Callable[[Fraction, Fraction], bool]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


def element(left: ast.expr, right: ast.expr, scope: Scope) -> bool:
    found = value(left, scope)
    secret = scope.names.get(right.id) if isinstance(right, ast.Name) else None
    if isinstance(secret, Secret):
        if not isinstance(found, World):
            raise CannotRead("what is no world, in a secret")
        return found.index in secret.worlds
    items = value(right, scope)
    if isinstance(items, Dictionary):
        return bool(items.at(found))
    return any(same(found, item) for item in listed(items))


def choice(node: ast.IfExp, scope: Scope) -> Any:
    return value(node.body if truth(value(node.test, scope)) else node.orelse, scope)


VIEWS: dict[str, Callable[[Dictionary], Any]] = {
    "keys": lambda found: tuple(name for name, _ in found.ordered()),
    "values": lambda found: tuple(item for _, item in found.ordered()),
    "items": lambda found: tuple(found.ordered()),
}


def method(node: ast.Call, function: ast.Attribute, scope: Scope) -> Any:
    """`x.get(key, other)`, and the views of a dictionary."""
    owner = value(function.value, scope)
    given = [value(item, scope) for item in node.args]
    if not isinstance(owner, Dictionary) or node.keywords:
        raise CannotRead(f"the method {function.attr}")
    if function.attr == "get" and len(given) == 2:
        return (owner.at(given[0]) or [given[1]])[0]
    if function.attr in VIEWS and not given:
        return VIEWS[function.attr](owner)
    raise CannotRead(f"the method {function.attr}")


def call(node: ast.Call, scope: Scope) -> Any:
    if isinstance(node.func, ast.Attribute):
        return method(node, node.func, scope)
    if not isinstance(node.func, ast.Name):
        raise CannotRead("a call of something that is no name")
    function = node.func.id
    if function in ("count", "sum") and len(node.args) == 1 and not node.keywords:
        return aggregate(function, node.args[0], scope)
    known = {**FUNCTIONS, **scope.functions}
    if function not in known:
        raise CannotRead(f"the function {function}")
    given = {word.arg: value(word.value, scope) for word in node.keywords if word.arg}
    return known[function](*(value(item, scope) for item in node.args), **given)


def aggregate(function: str, inside: ast.expr, scope: Scope) -> Fraction:
    """The count or sum over the records that are present, or over a list."""
    if speaks_of_a_record(inside, scope):
        found = [(value(inside, within(record, scope)), n) for record, n in present(scope)]
    else:
        once = value(inside, scope)
        several = isinstance(once, tuple | World)
        found = (
            [(item, 1) for item in listed(once)]
            if several
            else [(once, n) for _, n in present(scope)]
        )
    read: Callable[[Any], Any] = truth if function == "count" else numeric
    return sum((read(item) * n for item, n in found), Fraction(0))


def speaks_of_a_record(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression has `value` or an attribute in it, standing by itself."""
    inner = {"value", *scope.names.get("\0attributes", ())}
    return any(isinstance(part, ast.Name) and part.id in inner for part in ast.walk(node))


def present(scope: Scope) -> list[tuple[Any, int]]:
    """The values of records that are present, and how many have each."""
    if scope.world is not None and scope.world.counts is not None:
        return [(record, n) for record, n in scope.world.counts if not isinstance(record, Absent)]
    if scope.world is None or scope.world.items is None:
        raise CannotRead("records of a world that has none")
    return [(record, 1) for record in scope.world.items if not isinstance(record, Absent)]


def within(record: Any, scope: Scope) -> Scope:
    """The scope inside `count` and `sum`, for one record."""
    names = {**scope.names, "value": record}
    if isinstance(record, Attributes):
        names.update(zip(record.names, record.values, strict=True))
    elif "\0attribute" in scope.names:
        names[scope.names["\0attribute"]] = record
    return Scope(names, scope.world, scope.functions)


def xor(*items: Any) -> Any:
    found = listed(items[0]) if len(items) == 1 else items
    if all(isinstance(part, bool) for part in found):
        return sum(found) % 2 == 1
    if any(numeric(part) not in (0, 1) for part in found):
        raise CannotRead("xor of other numbers than 0 and 1")
    return Fraction(sum(found) % 2)


def hamming(first: Any, second: Any) -> Fraction:
    pairs = zip(listed(first), listed(second), strict=True)
    return Fraction(sum(not same(a, b) for a, b in pairs))


def extreme(pick: Callable[..., Fraction]) -> Callable[..., Fraction]:
    def found(*items: Any) -> Fraction:
        return pick(map(numeric, listed(items[0]) if len(items) == 1 else items))

    return found


def length(found: Any) -> Fraction:
    return Fraction(len(found.pairs if isinstance(found, Dictionary) else listed(found)))


def ordered(found: Any) -> tuple[Any, ...]:
    """A list in order, or the keys of a dictionary."""
    if isinstance(found, Dictionary):
        return tuple(name for name, _ in found.ordered())
    return tuple(sorted(listed(found), key=rank))


def root(found: Any) -> Fraction:
    sides = [isqrt(part) for part in numeric(found).as_integer_ratio()]
    if Fraction(*sides) ** 2 != found:
        raise CannotRead("a root that is no fraction")
    return Fraction(*sides)


def span(*ends: Any) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, range(*map(whole, ends))))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": lambda a: abs(numeric(a)),
    "len": length,
    "sorted": ordered,
    "sqrt": root,
    "max": extreme(max),
    "min": extreme(min),
    "range": span,
    "xor": xor,
    "hamming": hamming,
}


def comprehension(node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> Any:
    """The list of what an expression is for each element that passes the tests."""
    if len(node.generators) > 1:
        raise CannotRead("a comprehension with several loops")
    (loop,), found = node.generators, []
    for item in listed(value(loop.iter, scope)):
        names = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        parts = listed(item) if isinstance(loop.target, ast.Tuple) else [item]
        own = {part.id: x for part, x in zip(names, parts, strict=True)}  # type: ignore[attr-defined]
        inner = replace(scope, names={**scope.names, **own})
        if all(truth(value(test, inner)) for test in loop.ifs):
            found.append(value(node.elt, inner))
    return tuple(found)


NODES: dict[type, Callable[..., Any]] = {
    ast.ListComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.Constant: constant,
    ast.Name: name,
    ast.List: elements,
    ast.Tuple: elements,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.BoolOp: logic,
    ast.UnaryOp: unary,
    ast.BinOp: binary,
    ast.Compare: comparison,
    ast.IfExp: choice,
    ast.Call: call,
}
