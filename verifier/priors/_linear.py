"""Classes of priors that are the points of a cone, and how constraints on priors are written.

A constraint such as `P(flu | young) in [1/4, 1/2]` becomes rows Σ coefficient · θ_w <= 0 or = 0
after multiplying by the probability of the condition; where the condition is impossible they say
nothing.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from verifier.base import exact, parameters
from verifier.base.document import Scalar
from verifier.base.errors import InputError, NotDecided, choice
from verifier.kernels.cones import Cone, Row, impossible
from verifier.priors import check_possible
from verifier.questions.claim import PolytopeClaim
from verifier.questions.secrets import Pufferfish
from verifier.world.language.syntax import Source, Tree, parse
from verifier.world.worlds import WorldSpace, predicate

SIGNS = {ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "="}
FORMS = "P(x) <= 1/2, P(x | c) in [1/4, 1/2], P(x) / P(y) >= 2 or P(x) + P(y) <= 3 * P(z)"
WRITE = f"write {FORMS}"
EVENTS = "write the name of a secret or a world, or a predicate: P(bob == 1 | ann == 1)"
ODDS = "write P(x) / P(y) >= 2, or P(x) / (P(y) + P(z)) >= 2"
PARTS = "multiply P(…) by numbers only, and divide by one P(…) only: P(x) / P(y) <= 3"


def on_cone(
    question: Pufferfish,
    cone: Cone,
    mass: Mapping[str, Sequence[Fraction]],
    joint: Callable[[str, int], Sequence[Fraction]],
    prior: Callable[[Sequence[Fraction]], Sequence[Fraction]],
    priors: dict[str, Any],
    scope: str,
) -> PolytopeClaim:
    """The claim about all points of a cone.

    question  what is asked
    cone      the points
    mass      secret -> coefficients of P(s) at a point
    joint     secret, output -> coefficients of P(s, o) at a point
    prior     a point -> the prior that it stands for
    priors    the class as it stands in a certificate
    scope     the class in a few words

    Raises S403 for a named secret that no point makes possible.
    """
    excluded = impossible(cone, mass)
    check_possible(question.secrets.values(), excluded)
    pairs = [(left.name, right.name) for left, right in question.pairs]
    return PolytopeClaim(
        question.definition,
        question.space,
        question.mechanism,
        question.level,
        question.delta,
        pairs,
        {
            "rule": "secrets",
            "secrets": {
                name: np.flatnonzero(secret.worlds).tolist()
                for name, secret in question.secrets.items()
            },
            "pairs": [list(pair) for pair in pairs],
            "priors": priors,
        },
        cone,
        mass,
        joint,
        prior,
        excluded,
        scope=question.scope(
            scope, [f"'{name}' has probability 0 under every prior" for name in excluded]
        ),
    )


@dataclass(frozen=True, eq=False)
class Term:
    """P(event | condition): Boolean arrays over the worlds, the event inside the condition."""

    event: np.ndarray
    condition: np.ndarray


Form = dict[int, Fraction]  # a factor for each term, by its offset in the text; -1: the constant
CONSTANT = -1


def read_constraint(
    text: Scalar, space: WorldSpace, secrets: Mapping[str, np.ndarray]
) -> list[Row]:
    """The rows of one constraint.

    text     the constraint, as in a file
    space    the worlds
    secrets  name -> Boolean array over the worlds

    Raises InputError S508 to S511 at the place in its text.
    """
    if text.block or "\n" in text.text:
        hint = "write it in one line, in quotes, or as a list item for each constraint"
        raise text.fail("S508", "a constraint is written in one line", hint)
    terms, bare = {}, text.text
    for start, end in list(_spans(text)):
        terms[start] = _term(text, start, end, space, secrets)
        bare = bare[:start] + "P" + " " * (end - start - 1) + bare[end:]
    tree = parse(Source.of(replace(text, text=bare)), "eval")
    assert isinstance(tree.root, ast.Expression)
    return Reader(tree, terms).rows(tree.root.body)


def _spans(text: Scalar) -> Iterator[tuple[int, int]]:
    """Where each P(…) starts and ends."""
    end = 0
    for found in re.finditer(r"\bP\s*\(", text.text):
        if found.start() < end:
            raise _fail(text, found.start(), "S508", "P(…) inside P(…)", EVENTS)
        end = _closing(text, found.end())
        yield found.start(), end


def _closing(text: Scalar, start: int) -> int:
    """Where the parenthesis that was opened before a place has been closed."""
    depth = 1
    for at, sign in _plain(text.text, start):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return at + 1
    raise _fail(text, start - 1, "S508", "'(' was never closed", "close it with )")


def _plain(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The characters from a place on that are not inside quotes."""
    quote = ""
    for at in range(start, len(text)):
        if text[at] in "'\"" and quote in ("", text[at]):
            quote = "" if quote else text[at]
        elif not quote:
            yield at, text[at]


def _term(
    text: Scalar, start: int, end: int, space: WorldSpace, secrets: Mapping[str, np.ndarray]
) -> Term:
    """The term between two places of a text."""
    start, end = text.text.index("(", start) + 1, end - 1
    bars = [at for at, sign in _plain(text.text, start) if sign == "|" and at < end]
    if len(bars) > 1:
        hint = "write `or` or `and` in predicates"
        raise _fail(text, bars[1], "S508", "P(…) has one '|'; in predicates write `or`", hint)
    ends = [start - 1, *bars, end]
    parts = [_worlds(text, first + 1, last, space, secrets) for first, last in pairwise(ends)]
    condition = parts[1] if bars else np.ones(space.size, dtype=bool)
    if not condition.any():
        blanks = len(text.text) - len(text.text[bars[0] + 1 :].lstrip())
        raise _fail(text, blanks, "S508", "no world satisfies this condition", EVENTS)
    return Term(parts[0] & condition, condition)


def _worlds(
    text: Scalar, start: int, end: int, space: WorldSpace, secrets: Mapping[str, np.ndarray]
) -> np.ndarray:
    """The worlds of a secret, a single world, or the worlds where a predicate holds."""
    part = text.text[start:end]
    start, name = start + len(part) - len(part.lstrip()), part.strip()
    if not name:
        raise _fail(text, start, "S508", "a world, a secret or a predicate is missing", EVENTS)
    if name in secrets:
        return np.asarray(secrets[name], dtype=bool)
    world = space.index(name)
    if world is not None:
        return np.isin(np.arange(space.size), [world])
    place = replace(text, column=text.column + text.quoted + start, text=name, quoted=False)
    if not space.records and name.replace("_", "").isalnum():
        hint = choice(name, [*secrets, *space.given], "worlds and secrets")
        raise place.fail("S508", f"no world and no secret is named '{name}'", hint)
    return predicate(space, place, secrets)


def _fail(text: Scalar, at: int, code: str, message: str, hint: str = "") -> InputError:
    return text.fail_at(1, at + 1, code, message, hint)


@dataclass(frozen=True, eq=False)
class Reader:
    """Turns the comparison of a constraint, in which P stands for each term, into rows."""

    tree: Tree
    terms: Mapping[int, Term]
    forms: dict[ast.expr, Form] = field(default_factory=dict)  # of the nodes read so far

    def rows(self, node: ast.expr) -> list[Row]:
        """The rows of a comparison, `node`."""
        if not isinstance(node, ast.Compare):
            raise self.tree.fail(node, "S508", "a constraint is a comparison", WRITE)
        if isinstance(node.ops[0], ast.In) and len(node.ops) == 1:
            ends = node.comparators[0]
            if not isinstance(ends, ast.List) or len(ends.elts) != 2:
                raise self.tree.fail(
                    ends, "S508", "an interval is [lower, upper]", "write [1/4, 1/2]"
                )
            low, high = (self.number(end) for end in ends.elts)
            if low > high:
                raise self.tree.fail(
                    ends, "S509", f"the interval [{low}, {high}] is empty", f"write [{high}, {low}]"
                )
            parts = [(node.left, "<=" if low < high else "=", ends.elts[1])]
            parts += [(ends.elts[0], "<=", node.left)] if low < high else []
        else:
            sides = [node.left, *node.comparators]
            signs = [self.sign(node, op) for op in node.ops]
            parts = list(zip(sides, signs, sides[1:], strict=False))
        return [self.row(*part) for part in parts]

    def sign(self, node: ast.Compare, op: ast.cmpop) -> str:
        """<=, >= or =."""
        if type(op) in (ast.Lt, ast.Gt):
            said = "a class of priors contains its boundary"
            hint = "write <=" if type(op) is ast.Lt else "write >="
            raise self.tree.fail(node, "S508", f"write <= or >=: {said}", hint)
        if type(op) not in SIGNS:
            said = "a constraint compares by <=, >=, == or in"
            raise self.tree.fail(node, "S508", said, WRITE)
        return SIGNS[type(op)]

    def number(self, node: ast.expr) -> Fraction:
        """The number without terms that a `node` is."""
        form = self.form(node)
        if form.keys() - {CONSTANT}:
            hint = "write numbers such as [1/4, 1/2]; compare two P(…) by <="
            raise self.tree.fail(node, "S508", "a number was expected", hint)
        return form.get(CONSTANT, Fraction(0))

    def row(self, left: ast.expr, sign: str, right: ast.expr) -> Row:
        """The row of left (sign) right."""
        if self.is_odds(right) and not self.is_odds(left):
            turned = {"<=": ">=", ">=": "<=", "=": "="}[sign]
            return self.row(right, turned, left)
        if self.is_odds(left):
            assert isinstance(left, ast.BinOp)
            odds, form, below = self.number(right), self.form(left.left), self.form(left.right)
            if odds < 0:
                hint = "write a number of at least 0, such as 3"
                raise self.tree.fail(right, "S509", f"odds are at least 0, found {odds}", hint)
            if CONSTANT in form or CONSTANT in below:
                raise self.tree.fail(left, "S510", "odds are P(x) / P(y), nothing added", ODDS)
            if min(below.values()) <= 0:
                raise self.tree.fail(
                    left.right,
                    "S510",
                    "a divisor of odds adds P(…) with positive factors only",
                    ODDS,
                )
            form = _plus(form, below, -odds)
        else:
            for side, other in ((left, right), (right, left)):
                if isinstance(side, ast.Name) and not self.form(other).keys() - {CONSTANT}:
                    value = self.number(other)
                    if not 0 <= value <= 1:
                        said = f"{value} is no probability: not in [0, 1]"
                        raise self.tree.fail(other, "S509", said, exact.share(value))
            form = _plus(self.form(left), self.form(right), Fraction(-1))
        return self.homogeneous(left, form, sign)

    def homogeneous(self, node: ast.expr, form: Form, sign: str) -> Row:
        """The row of `form` (`sign`) 0 at a `node`, times the probability of what terms share."""
        known = [self.terms[at] for at in form if at != CONSTANT]
        if not known:
            raise self.tree.fail(node, "S508", "a constraint is about some P(…)", WRITE)
        condition = known[0].condition
        if any((term.condition != condition).any() for term in known):
            raise self.tree.fail(
                node,
                "S510",
                "terms with different conditions: multiplied out, this is not linear in the prior",
                "compare each with a number, in constraints of their own",
            )
        values: dict[int, Fraction] = defaultdict(Fraction)
        for at, factor in form.items():
            worlds = condition if at == CONSTANT else self.terms[at].event
            for world in np.flatnonzero(worlds).tolist():
                values[world] += -factor if sign == ">=" else factor
        real = any(
            isinstance(part, ast.Name) and part.id in parameters.active().real
            for part in ast.walk(self.tree.root)
        )
        return _grouped("=" if sign == "=" else "<=", values, real)

    def is_odds(self, node: ast.expr) -> bool:
        """Whether a node is a quotient of terms."""
        return (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div)
            and bool(self.form(node.right).keys() - {CONSTANT})
        )

    def form(self, node: ast.expr) -> Form:
        """The linear expression that a `node` is; it is read once."""
        if node not in self.forms:
            self.forms[node] = self._read(node)
        return self.forms[node]

    def _read(self, node: ast.expr) -> Form:
        match node:
            case ast.Constant():
                value = self.tree.constant(node)
                if isinstance(value, int | Fraction):
                    return {CONSTANT: Fraction(value)}
            case ast.Name(id="P") if self.offset(node) in self.terms:
                return {self.offset(node): Fraction(1)}
            case ast.Name(id=name) if (known := parameters.parameter_value(name)) is not None:
                if exact.is_symbolic(known) and len(parameters.active().real) > 1:
                    raise NotDecided(f"a constraint has the parameter {name}, one of several")
                return {CONSTANT: known}
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return _plus({}, self.form(part), Fraction(-1))
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                factor = Fraction(1 if isinstance(op, ast.Add) else -1)
                return _plus(self.form(left), self.form(right), factor)
            case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
                return self.product(node, self.form(left), op, self.form(right))
        raise self.tree.fail(node, "S508", "a constraint has terms P(…) and numbers", WRITE)

    def product(self, node: ast.expr, left: Form, op: ast.operator, right: Form) -> Form:
        """A product or quotient in which one factor, or the divisor, is a number."""
        if isinstance(op, ast.Mult) and not left.keys() - {CONSTANT}:
            left, right = right, left
        if right.keys() - {CONSTANT}:
            raise self.tree.fail(node, "S510", "this is not linear in the prior", PARTS)
        factor = right.get(CONSTANT, Fraction(0))
        if isinstance(op, ast.Div):
            if not factor:
                hint = "divide by another number, or by some P(…)"
                raise self.tree.fail(node, "S508", "division by zero", hint)
            factor = 1 / factor
        return _plus({}, left, factor)

    def offset(self, node: ast.expr) -> int:
        """Where a node starts in the text."""
        return self.tree.at(node)[1] - 1


def _plus(left: Form, right: Form, factor: Fraction) -> Form:
    """left + factor · right."""
    found = defaultdict(Fraction, left)
    for at, value in right.items():
        found[at] += factor * value
    return {at: value for at, value in found.items() if value or at != CONSTANT}


def _grouped(sense: str, values: Mapping[int, Fraction], real: bool) -> Row:
    """A row, worlds grouped by coefficient: in small integers, or as it is where a real parameter
    stands in it, so that it has the same factor for all values of this."""
    kept = {world: value for world, value in sorted(values.items()) if value}
    if kept and not real:
        kept = dict(zip(kept, exact.coprime(list(kept.values())), strict=True))
    groups: dict[Any, list[int]] = defaultdict(list)
    for world, value in kept.items():
        groups[value].append(world)
    return Row(sense, groups)
