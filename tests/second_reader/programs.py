"""The programs of docs/reference, followed along every path."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from tests.second_reader.language import (
    NODES,
    Scope,
    combine,
    element_at,
    exact,
    truth,
    value,
    whole,
)
from tests.second_reader.values import CannotRead, Dictionary, Distribution, key, listed

State = dict[str, Any]


@dataclass
class Ends:
    """The states in which a block ends, by how it ends, each with its probability."""

    falls: dict[Any, tuple[State, Fraction]] = field(default_factory=dict)
    breaks: dict[Any, tuple[State, Fraction]] = field(default_factory=dict)
    continues: dict[Any, tuple[State, Fraction]] = field(default_factory=dict)
    returns: dict[Any, tuple[Any, Fraction]] = field(default_factory=dict)


MOST = 2**14  # states of a program in one world


def add(to: dict[Any, tuple[Any, Fraction]], what: Any, p: Fraction) -> None:
    """Adds a probability to a state or a value; equal ones are merged."""
    if len(to) > MOST:
        raise CannotRead("more states than this reader follows")
    mark = frozenset((k, key(v)) for k, v in what.items()) if isinstance(what, dict) else key(what)
    to[mark] = (what, to.get(mark, (what, Fraction(0)))[1] + p)


@cache
def parsed(text: str) -> list[ast.stmt]:
    """The statements of a program."""
    lined = textwrap.dedent(text).strip() + "\n"
    body: list[ast.stmt] = exact(ast.parse(lined), lined).body
    return body


def run(text: str, scope: Scope) -> list[tuple[Any, Fraction]]:
    """The values that a program returns in one world, and their probabilities."""
    if re.search(r"(laplace|normal|exponential|interval)\(|geometric\([^,()]*, [^,()]*\)", text):
        raise CannotRead("draws that are not clamped")
    body = parsed(text)
    scope = Scope({**scope.names, LOOKED_UP: looked_up(body)}, scope.world, scope.functions)
    ends = block(body, {}, Fraction(1), scope)
    if ends.falls or ends.breaks or ends.continues:
        raise CannotRead("a program that ends without return")
    return list(ends.returns.values())


def block(body: list[ast.stmt], state: State, p: Fraction, scope: Scope) -> Ends:
    """What follows from one state."""
    ends = Ends()
    add(ends.falls, state, p)
    for statement in body:
        before, ends.falls = list(ends.falls.values()), {}
        for found, probability in before:
            STATEMENTS.get(type(statement), unknown)(statement, found, probability, scope, ends)
    return ends


def unknown(statement: ast.stmt, *rest: Any) -> None:
    raise CannotRead(f"{type(statement).__name__} is not on the page")


def draws(node: ast.expr, state: State, scope: Scope) -> Iterator[tuple[Any, Fraction]]:
    """The values of an expression with draws in it, tried one after the other."""
    waiting: list[list[int]] = [[]]
    while waiting:
        chosen = waiting.pop()
        taken: list[tuple[int, int, Fraction]] = []

        def draw(found: Any, chosen: list[int] = chosen, taken: Any = taken) -> Any:
            if not isinstance(found, Distribution):
                raise CannotRead("draw from what is no distribution")
            place = chosen[len(taken)] if len(taken) < len(chosen) else 0
            item, p = found.items[place]
            taken.append((place, len(found.items), p))
            return item

        inner = Scope({**scope.names, **state}, scope.world, {**DISTRIBUTIONS, "draw": draw})
        found = value(node, inner)
        probability = Fraction(1)
        for _, _, p in taken:
            probability *= p
        yield found, probability
        for depth in range(len(chosen), len(taken)):
            path = [place for place, _, _ in taken[:depth]]
            waiting += [[*path, other] for other in range(1, taken[depth][1])]


def assign(node: ast.Assign, state: State, p: Fraction, scope: Scope, ends: Ends) -> None:
    if len(node.targets) != 1:
        raise CannotRead("several assignments at once")
    if isinstance(node.targets[0], ast.Subscript):
        into(node.targets[0], node.value, None, state, p, scope, ends)
        return
    if isinstance(node.value, ast.Dict) and is_looked_up(node.targets[0], scope):
        node = ast.Assign(node.targets, dictionary(node.value))
    for found, q in draws(node.value, state, scope):
        add(ends.falls, {**state, target(node.targets[0], scope): found}, p * q)


def into(
    place: ast.Subscript,
    item: ast.expr,
    operator: ast.operator | None,
    state: State,
    p: Fraction,
    scope: Scope,
    ends: Ends,
) -> None:
    """An element of a list or a dictionary is set, or changed by an operator."""
    owner, slices = place.value, [place.slice]
    while isinstance(owner, ast.Subscript):
        owner, slices = owner.value, [owner.slice, *slices]
    name = target(owner, scope)
    for (found, *places), q in draws(ast.Tuple([item, *slices]), state, scope):
        made = replaced(state[name], places, found, operator)
        add(ends.falls, {**state, name: made}, p * q)


def replaced(whole_: Any, places: list[Any], item: Any, operator: ast.operator | None) -> Any:
    """A value with another one at its first place, at the second place of this, …"""
    if not places:
        return item if operator is None else combine(operator, whole_, item)
    first, *rest = places
    if isinstance(whole_, Dictionary) and not rest and operator is None:
        return whole_.having(first, item)
    inner = replaced(element_at(whole_, first), rest, item, operator)
    if isinstance(whole_, Dictionary):
        return whole_.having(first, inner)
    changed = list(listed(whole_))
    changed[whole(first)] = inner
    return tuple(changed)


def dictionary(node: ast.Dict) -> ast.Call:
    """The call that makes a dictionary of a mapping."""
    pairs = [ast.Tuple([k, v]) for k, v in zip(node.keys, node.values, strict=True) if k]
    return ast.Call(ast.Name(LOOKED_UP), pairs, [])


def is_looked_up(node: ast.expr, scope: Scope) -> bool:
    """Whether the program asks what is in a variable, by index, key or method."""
    return isinstance(node, ast.Name) and node.id in scope.names[LOOKED_UP]


LOOKED_UP = "\0looked up"  # of a name: such variables; of a function: what makes dictionaries


def looked_up(body: list[ast.stmt]) -> set[str]:
    nodes = [node for statement in body for node in ast.walk(statement)]
    owners = [n.value for n in nodes if isinstance(n, ast.Subscript | ast.Attribute)]
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def filling(*pairs: tuple[Any, Any]) -> Dictionary:
    made = Dictionary()
    for name, item in pairs:
        made = made.having(name, item)
    return made


def target(node: ast.expr, scope: Scope) -> str:
    if not isinstance(node, ast.Name) or node.id in scope.names:
        raise CannotRead("an assignment to what is no free name")
    return node.id


def change(node: ast.AugAssign, state: State, p: Fraction, scope: Scope, ends: Ends) -> None:
    if isinstance(node.target, ast.Subscript):
        into(node.target, node.value, node.op, state, p, scope, ends)
        return
    name = target(node.target, scope)
    for found, q in draws(node.value, state, scope):
        add(ends.falls, {**state, name: combine(node.op, state[name], found)}, p * q)


def append(node: ast.Expr, state: State, p: Fraction, scope: Scope, ends: Ends) -> None:
    match node.value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[item]):
            for found, q in draws(item, state, scope):
                add(ends.falls, {**state, name: (*listed(state[name]), found)}, p * q)
        case _:
            raise CannotRead("a statement that does nothing")


def branch(node: ast.If, state: State, p: Fraction, scope: Scope, ends: Ends) -> None:
    for found, q in draws(node.test, state, scope):
        merge(block(node.body if truth(found) else node.orelse, state, p * q, scope), ends)


def merge(part: Ends, ends: Ends) -> None:
    for kind in ("falls", "breaks", "continues", "returns"):
        for what, p in getattr(part, kind).values():
            add(getattr(ends, kind), what, p)


def loop(node: ast.For, state: State, p: Fraction, scope: Scope, ends: Ends) -> None:
    if node.orelse:
        raise CannotRead("else after for")
    parts = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
    names = [target(part, scope) for part in parts]
    for items, q in draws(node.iter, state, scope):
        states: dict[Any, tuple[State, Fraction]] = {}
        add(states, state, p * q)
        for item in listed(items):
            round_ = Ends()
            for found, r in states.values():
                given = listed(item) if isinstance(node.target, ast.Tuple) else (item,)
                bound = dict(zip(names, given, strict=True))
                merge(block(node.body, {**found, **bound}, r, scope), round_)
            states = round_.falls
            for found, r in round_.continues.values():
                add(states, found, r)
            for found, r in round_.breaks.values():
                add(ends.falls, found, r)
            for found, r in round_.returns.values():
                add(ends.returns, found, r)
        for found, r in states.values():
            add(ends.falls, found, r)


def leave(node: ast.Return, state: State, p: Fraction, scope: Scope, ends: Ends) -> None:
    if node.value is None:
        raise CannotRead("return of nothing")
    for found, q in draws(node.value, state, scope):
        add(ends.returns, found, p * q)


STATEMENTS: dict[type, Callable[..., None]] = {
    ast.Assign: assign,
    ast.AugAssign: change,
    ast.Expr: append,
    ast.If: branch,
    ast.For: loop,
    ast.Return: leave,
    ast.Break: lambda node, state, p, scope, ends: add(ends.breaks, state, p),
    ast.Continue: lambda node, state, p, scope, ends: add(ends.continues, state, p),
    ast.Pass: lambda node, state, p, scope, ends: add(ends.falls, state, p),
}


def distribution(items: list[tuple[Any, Fraction]]) -> Distribution:
    """A distribution, which sums to exactly 1."""
    merged: dict[Any, tuple[Any, Fraction]] = {}
    for item, p in items:
        add(merged, item, p)
    if sum(p for _, p in merged.values()) != 1 or any(p < 0 for _, p in merged.values()):
        raise CannotRead("probabilities that do not sum to 1")
    return Distribution(tuple((item, p) for item, p in merged.values() if p))


def mapping(node: ast.Dict, scope: Scope) -> Distribution | Dictionary:
    if not node.keys:
        return Dictionary()
    keys = [value(part, scope) for part in node.keys if part is not None]
    return distribution([(k, value(v, scope)) for k, v in zip(keys, node.values, strict=True)])


NODES[ast.Dict] = mapping


def uniform(low: Any, high: Any) -> Distribution:
    items = range(whole(low), whole(high) + 1)
    return distribution([(Fraction(item), Fraction(1, len(items))) for item in items])


def bernoulli(p: Fraction) -> Distribution:
    return distribution([(Fraction(1), p), (Fraction(0), 1 - p)])


def binomial(n: Any, p: Fraction) -> Distribution:
    """How many of n draws are 1: one draw more at a time."""
    chances = [Fraction(1)]
    for _ in range(whole(n)):
        chances = [a * (1 - p) + b * p for a, b in zip([*chances, 0], [0, *chances], strict=True)]
    return distribution([(Fraction(k), chance) for k, chance in enumerate(chances)])


def tail(ratio: Fraction, least: int) -> Fraction:
    """P(noise ≥ least) of two-sided geometric noise."""
    if least <= 0:
        return 1 - tail(ratio, 1 - least)
    return ratio**least / (1 + ratio)


@cache
def clamped(center: Any, ratio: Fraction, low: Any, high: Any) -> Distribution:
    """A center plus two-sided geometric noise, clamped."""
    middle, first, last = whole(center), whole(low), whole(high)
    if first > last or not 0 < ratio < 1:
        raise CannotRead("an empty range, or a ratio outside 0..1")
    items = []
    for out in range(first, last + 1):
        above = Fraction(1) if out == first else tail(ratio, out - middle)
        beyond = Fraction(0) if out == last else tail(ratio, out + 1 - middle)
        items.append((Fraction(out), above - beyond))
    return distribution(items)


DISTRIBUTIONS: dict[str, Callable[..., Any]] = {
    "uniform": uniform,
    "bernoulli": bernoulli,
    "binomial": binomial,
    LOOKED_UP: filling,
    "geometric": clamped,
}
