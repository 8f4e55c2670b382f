"""Mutants of a module: one small change of its syntax tree each, and the code it compiles to."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType

COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
SWAPPED = {"all": "any", "any": "all", "min": "max", "max": "min", "sorted": "list", "abs": "+"}
TYPES = {"dict", "tuple", "list", "set", "frozenset", "defaultdict", "Counter", "Callable", "type"}
Place = tuple[ast.AST, str, int | None]  # node, field, and place in it where that is a list


@dataclass(frozen=True)
class Mutant:
    """One change.

    number    among the changes with the same text
    module    stem of the file
    function  qualified name of the function that it is in, "" outside of all
    lines     first and last line of the statement (its head, if it has a body)
    source    that statement, on one line
    change    what stands there instead
    work      whether the change is inside a call of `spend`
    """

    module: str
    function: str
    lines: tuple[int, int]
    source: str
    change: str
    work: bool
    number: int = 0

    @property
    def key(self) -> str:
        """What names it in a list that outlives other changes of the file."""
        again = f"  #{self.number}" if self.number else ""
        return f"{self.module}.{self.function}: {self.source}  ~>  {self.change}{again}"


def mutants(module: str, text: str) -> Iterator[tuple[Mutant, Callable[[], CodeType]]]:
    """Every mutant of a module, and how to compile it; to be done before the next one is asked for.
    What stands there instead may be no Python."""
    tree, seen = ast.parse(text), Counter[str]()
    for place, function, statement, work in list(_places(tree, "", None, False)):
        old, source = _at(place), _head(statement)
        before, lines = _head(old), (statement.lineno, _last_line(statement))
        for new in _replacements(old):
            ast.copy_location(new, old)
            after = "nothing" if isinstance(new, ast.Pass) else _change(new)
            change = f"{before}  ->  {after}" if before != source else after
            mutant = Mutant(module, function, lines, source, change, work)
            _put(place, new)
            yield (
                replace(mutant, number=seen[mutant.key]),
                lambda: compile(ast.fix_missing_locations(tree), f"{module}.py", "exec"),
            )
            _put(place, old)
            seen[mutant.key] += 1


def _at(place: Place) -> ast.AST:
    node, field, at = place
    found = getattr(node, field)
    return found if at is None else found[at]  # type: ignore[no-any-return]


def _put(place: Place, new: ast.AST) -> None:
    node, field, at = place
    if at is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[at] = new


def _places(
    node: ast.AST, function: str, statement: ast.stmt | None, work: bool
) -> Iterator[tuple[Place, str, ast.stmt, bool]]:
    """Every place below a node that may be changed; not types, texts that are printed, imports."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        for at, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(part, ast.AST) or _is_apart(node, field, part):
                continue
            inside, about = function, part if isinstance(part, ast.stmt) else statement
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                inside = f"{function}.{part.name}".lstrip(".")
            bound = work or _is_spent(part)
            if about is not None:
                yield (node, field, at), function, about, bound
            yield from _places(part, inside, about, bound)


def _is_apart(node: ast.AST, field: str, part: ast.AST) -> bool:
    typed = isinstance(node, ast.Subscript) and field == "slice"
    named = typed and isinstance(node.value, ast.Name) and node.value.id in TYPES  # type: ignore[attr-defined]
    text = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
    imports = isinstance(part, ast.Import | ast.ImportFrom | ast.JoinedStr)
    raised = isinstance(node, ast.Raise)
    return named or text or imports or raised


def _is_spent(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Expr) else node
    called = call.func if isinstance(call, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) == "spend"


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=ends):
            for at, op in enumerate(ops):
                for new in COMPARISONS[type(op)]:
                    yield ast.Compare(left, [*ops[:at], new(), *ops[at + 1 :]], ends)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for at in range(len(values)):
                rest = [*values[:at], *values[at + 1 :]]
                yield ast.BoolOp(op, rest) if len(rest) > 1 else rest[0]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.BinOp(left=left, op=op, right=right):
            yield ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.AugAssign(target=target, op=op, value=value):
            yield ast.AugAssign(target, ARITHMETIC[type(op)](), value)
        case ast.IfExp(body=body, orelse=other):
            yield from (body, other)
        case (
            ast.If(test=test, body=body, orelse=other)
            | ast.While(test=test, body=body, orelse=other)
        ):
            yield type(node)(ast.UnaryOp(ast.Not(), test), body, other)
        case ast.For(target=target, iter=over, orelse=other, body=body):
            yield ast.For(target, over, [ast.Pass()], other)
            yield ast.For(target, over, [*body, ast.Break()], other)
        case ast.comprehension(target=target, iter=over, ifs=ifs) if ifs:
            yield ast.comprehension(target, over, [], 0)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in SWAPPED:
            swapped = SWAPPED[name]
            if swapped == "+":
                yield args[0]
            else:
                yield ast.Call(ast.Name(swapped, ast.Load()), args, keywords)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) if len(parts) > 1:
            if isinstance(node, ast.Set) or isinstance(node.ctx, ast.Load):
                for at in range(len(parts)):
                    rest = [*parts[:at], *parts[at + 1 :]]
                    yield ast.Set(rest) if isinstance(node, ast.Set) else type(node)(rest, node.ctx)
        case ast.Dict(keys=keys, values=values) if len(keys) > 1:
            for at in range(len(keys)):
                yield ast.Dict([*keys[:at], *keys[at + 1 :]], [*values[:at], *values[at + 1 :]])
        case ast.Expr(value=ast.Call() | ast.Tuple()) | ast.Raise():
            yield ast.Pass()
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
            if isinstance(value, ast.Compare | ast.BoolOp) or (
                isinstance(value, ast.Call) and getattr(value.func, "id", "") in ("all", "any")
            ):
                yield ast.Return(ast.Constant(True))
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Pass()


def _last_line(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    return body[0].lineno - 1 if body else statement.end_lineno or statement.lineno


def _head(node: ast.AST) -> str:
    """The text without a body, on one line."""
    return ast.unparse(node).split("\n")[0]


def _change(new: ast.AST) -> str:
    """The text of a replacement; of a loop that is skipped or left its body is what changes."""
    if isinstance(new, ast.For):
        return f"{_head(new)} {'pass' if isinstance(new.body[0], ast.Pass) else '... break'}"
    return _head(new)
