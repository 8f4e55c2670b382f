"""Linear constraints on priors, as inequalities between the weights of worlds."""

from __future__ import annotations

import ast
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.second_reader.files import File
from tests.second_reader.language import evaluate, exact, truth
from tests.second_reader.values import CannotRead, Secret

Row = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Form:
    """A linear form of the weights, and what it is divided by."""

    top: tuple[Fraction, ...]
    bottom: tuple[Fraction, ...] | None = None


def rows(node: list[str], file: File) -> frozenset[Row]:
    """All constraints, each up to a positive factor."""
    return frozenset(row for text in node for row in constraint(text, file))


def constraint(text: str, file: File) -> list[Row]:
    stripped, events = cut(text)
    parts = [event.split("|") for event in events]
    conditions = {part[1].strip() for part in parts if len(part) == 2}
    if len(conditions) > 1 or (conditions and any(len(part) == 1 for part in parts)):
        raise CannotRead("two conditions in one constraint")
    given = worlds(conditions.pop(), file) if conditions else [Fraction(1)] * len(file.space.worlds)
    terms = {
        f"P{i}": tuple(a * b for a, b in zip(worlds(part[0], file), given, strict=True))
        for i, part in enumerate(parts)
    }
    tree = exact(ast.parse(stripped.strip(), mode="eval"), stripped.strip()).body
    return compared(tree, terms, tuple(given))


def cut(text: str) -> tuple[str, list[str]]:
    """The constraint with P0, P1, … in place of its probabilities, and their events."""
    events: list[str] = []
    while (start := text.find("P(")) >= 0:
        depth, end = 1, start + 2
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        events.append(text[start + 2 : end - 1])
        text = f"{text[:start]}P{len(events) - 1}{text[end:]}"
    return text, events


def worlds(event: str, file: File) -> list[Fraction]:
    """1 for each world of an event."""
    name = event.strip()
    if name in file.space.indices and not isinstance(file.secrets.get(name), Secret):
        return [Fraction(world.name == name) for world in file.space.worlds]
    scopes = [file.space.scope(world, file.secrets) for world in file.space.worlds]
    return [Fraction(truth(evaluate(name, scope))) for scope in scopes]


def compared(tree: Any, terms: dict[str, Any], given: tuple[Fraction, ...]) -> list[Row]:
    if not isinstance(tree, ast.Compare):
        raise CannotRead("a constraint that compares nothing")
    sides = [tree.left, *tree.comparators]
    if isinstance(tree.ops[0], ast.In):
        (interval,) = tree.comparators
        if not isinstance(interval, ast.List):
            raise CannotRead("in what is no interval")
        low, high = interval.elts
        sides, signs = [low, tree.left, high], ["<=", "<="]
    else:
        signs = [{ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "="}[type(op)] for op in tree.ops]
    forms = [form(part, terms, given) for part in sides]
    return [row(sign, a, b) for sign, (a, b) in zip(signs, itertools.pairwise(forms), strict=True)]


def row(sign: str, left: Form, right: Form) -> Row:
    """One inequality, multiplied out; coefficients in lowest terms."""
    if left.bottom and right.bottom:
        raise CannotRead("two quotients in one comparison")
    if left.bottom or right.bottom:
        bottom = left.bottom or right.bottom or ()
        left, right = (
            part if part.bottom else Form(tuple(share(part) * b for b in bottom))
            for part in (left, right)
        )
    difference = [a - b for a, b in zip(left.top, right.top, strict=True)]
    if sign == ">=":
        difference = [-d for d in difference]
    return lowest("=" if sign == "=" else "<=", difference)


def share(part: Form) -> Fraction:
    """The number that a form is."""
    values = set(part.top) - {Fraction(0)}
    if len(values) > 1:
        raise CannotRead("a quotient compared with what is no number")
    return values.pop() if values else Fraction(0)


def lowest(sense: str, coefficients: list[Fraction]) -> Row:
    scale = math.lcm(*(c.denominator for c in coefficients))
    whole = [int(c * scale) for c in coefficients]
    common = math.gcd(*whole) or 1
    found = tuple(c // common for c in whole)
    if sense == "=":
        found = max(found, tuple(-c for c in found))
    return sense, found


def form(node: Any, terms: dict[str, Any], given: tuple[Fraction, ...]) -> Form:
    """The linear form of one side of a comparison."""
    match node:
        case ast.Constant(value=Fraction() as number):
            return Form(tuple(number * g for g in given))
        case ast.Name(id=name) if name in terms:
            return Form(terms[name])
        case ast.BinOp(left=left, op=op, right=right):
            return joined(op, form(left, terms, given), form(right, terms, given), node, given)
    raise CannotRead("a constraint that is not linear")


def joined(op: ast.operator, a: Form, b: Form, node: Any, given: tuple[Fraction, ...]) -> Form:
    if a.bottom or b.bottom:
        raise CannotRead("arithmetic with a quotient")
    if isinstance(op, ast.Add | ast.Sub):
        sign = 1 if isinstance(op, ast.Add) else -1
        return Form(tuple(x + sign * y for x, y in zip(a.top, b.top, strict=True)))
    if isinstance(op, ast.Mult):
        number, other = (a, b) if constant(node.left) else (b, a)
        return Form(tuple(share(number) * x for x in other.top))
    if isinstance(op, ast.Div) and constant(node.right):
        return Form(tuple(x / share(b) for x in a.top))
    if isinstance(op, ast.Div):
        return Form(a.top, b.top)
    raise CannotRead("a constraint that is not linear")


def constant(node: ast.expr) -> bool:
    return not any(isinstance(part, ast.Name) for part in ast.walk(node))
