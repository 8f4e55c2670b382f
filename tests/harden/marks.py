"""Which lines and branches of a module run: marks that are put into its syntax tree.

A mark stands before each statement of a function. Where a branch has no statement of its own,
a mark makes it one: a condition that is false, a loop that ends by itself, no case that matches.
Marks cost a fifth of what tracing does, and are the same in every version of Python.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import CodeType

NAME = "_marks_that_ran"  # in the module: a byte for each mark
Block = list[ast.stmt]


@dataclass
class Marks:
    """The marks of one module.

    places   mark -> line, and what is told of a branch without a statement
    outside  lines of statements that run on import
    ran      mark -> 1 if it ran since this was set to 0
    """

    code: CodeType = field(init=False)
    places: list[tuple[int, str]] = field(default_factory=list)
    outside: list[int] = field(default_factory=list)
    ran: bytearray = field(default_factory=bytearray)

    def taken(self) -> list[int]:
        """The marks that ran since this was asked for the last time."""
        found = [mark for mark, ran in enumerate(self.ran) if ran] if any(self.ran) else []
        self.ran[:] = bytes(len(self.ran))
        return found


def marked(text: str, name: str) -> Marks:
    """The code of a module with marks, and what they stand for."""
    found, tree = Marks(), ast.parse(text)
    tree.body = _block(found, tree.body, inside=False)
    found.ran = bytearray(len(found.places))
    found.code = compile(ast.fix_missing_locations(tree), name, "exec")
    return found


def _mark(found: Marks, line: int, what: str = "") -> ast.stmt:
    found.places.append((line, what))
    return ast.parse(f"{NAME}[{len(found.places) - 1}] = 1").body[0]


def _block(found: Marks, block: Block, inside: bool) -> Block:
    new: Block = []
    for statement in block:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if inside and not text:
            new.append(_mark(found, statement.lineno))
        else:
            found.outside.append(statement.lineno)
        new.append(statement)
        _parts(found, statement, inside or isinstance(statement, ast.FunctionDef))
    return new


def _parts(found: Marks, statement: ast.stmt, inside: bool) -> None:
    """Marks in the blocks of a statement, and one for a branch that has none."""
    line = statement.lineno
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    for part in (statement, *parts):
        for name in ("body", "orelse", "finalbody"):
            if block := getattr(part, name, None):
                setattr(part, name, _block(found, block, inside))
    match statement:
        case ast.If(orelse=[]):
            statement.orelse = [_mark(found, line, "is false")]
        case ast.For() | ast.While(test=ast.expr()) if not _endless(statement):
            statement.orelse.insert(0, _mark(found, line, "ends"))
        case ast.Match(cases=[*_, last]) if last.guard or not _fits_all(last.pattern):
            other = ast.match_case(ast.MatchAs(), None, [_mark(found, line, "no case")])
            statement.cases.append(other)


def _endless(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant)


def _fits_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None
