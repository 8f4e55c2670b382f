"""Evaluates terms over many worlds (or program states) at once.

The value of a term is a plain value, the same everywhere, or a `Column` with one value per row
of the context. `and`, `or` and `if else` evaluate a part only on the rows that reach it, so what
cannot happen raises no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from verifier.base.document import Scalar
from verifier.base.errors import InputError
from verifier.base.nouns import Later, dataclass
from verifier.world.language import slips
from verifier.world.language.operations import add, multiply, need_truth
from verifier.world.language.reader import Scope, read_expression
from verifier.world.language.syntax import (
    OUTER,
    Apply,
    Choice,
    Compare,
    Const,
    Current,
    CurrentWorld,
    Fold,
    InSecret,
    Logic,
    Record,
    Source,
    Term,
    Tree,
    Variable,
)
from verifier.world.mechanism import Column, constant, join, lift
from verifier.world.space import FALSE, TRUE, Failure, Truth, Value, WorldSpace, as_value, truth


class Context(Protocol):
    """The rows over which a term is evaluated."""

    @property
    def size(self) -> int:
        """The number of rows."""

    @property
    def tree(self) -> Tree:
        """The text that is evaluated."""

    @property
    def records(self) -> int:
        """The number of records of a world, or of the kinds of records."""

    def times(self, record: int) -> Column | None:
        """How many records of that kind a world has; None where it is a record."""

    def leaf(self, term: Term) -> Any:
        """The value of a name, `term`."""

    def force(self, value: Any, depth: int) -> Any:
        """The `value` with symbolic parts replaced, as deep as an operation looks (`depth`)."""

    def restrict(self, rows: np.ndarray) -> Context:
        """The context of some of the rows."""

    def bind(self, record: int) -> Context:
        """The context in which a record is the current one."""

    def asking(self, operation: Callable[..., Any], values: list[Any]) -> tuple[Any, list[Any]]:
        """An `operation` and its `values`, so that it may ask how draws compare."""

    def answered(self, value: Any) -> Any:
        """The `value`, unless it asks how draws compare: then the states are split."""

    def error(self, term: Term, failure: Failure, row: int | None) -> InputError:
        """The error to raise when a `term` fails with a `failure`; in `row` if not everywhere."""


def value_of(term: Term, context: Context) -> Any:
    """The value of a term: a plain value, or a column over the rows of the context."""
    match term:
        case Const(value=value):
            return value
        case Apply(operation=operation, arguments=arguments, depth=depth):
            found = [context.force(value_of(part, context), depth) for part in arguments]
            value = apply(term, operation, found, context)
            if isinstance(term, Compare):
                _watch(term, value, context.tree.source)
            return value
        case Logic():
            return _logic(term, context)
        case Choice():
            return _choice(term, context)
        case Fold(body=body):
            total: Any = 0
            for record in range(context.records):
                more = _added(term, body, record, context)
                total = apply(term, add, [total, more], context)
            return total
    return context.leaf(term)


def _watch(term: Compare, value: Any, source: Source) -> None:
    """Tell the notes on a file which truths a comparison has had."""
    if source.notes is None:
        return
    seen = source.notes.outcomes(source.place(term.at), term.text)
    if len(seen) == 2:
        return
    if isinstance(value, Column):  # of at most two values, all truths
        seen |= {bool(value.values[code]) for code in (value.codes.min(), value.codes.max())}
    else:
        seen.add(bool(value))


def _added(term: Term, body: Term, record: int, context: Context) -> Any:
    """What a record, or all those of its kind, adds to a sum."""
    times = context.times(record)
    if times is None:
        return context.force(value_of(body, context.bind(record)), OUTER)
    rows = np.flatnonzero(times.where(bool))
    if not len(rows):
        return 0
    here = context.restrict(rows)
    one = here.force(value_of(body, here.bind(record)), OUTER)
    more = apply(term, multiply, [times.take(rows), one], here)
    rest = np.flatnonzero(~times.where(bool))
    return join(context.size, [(rows, more), (rest, 0)])


def truth_of(term: Term, context: Context, where: str) -> Any:
    """The value of a `term` in a `context`, a truth; `where` says what needs one (S306)."""
    value = context.force(value_of(term, context), OUTER)
    if isinstance(value, Column) and all(isinstance(found, Truth) for found in value.values):
        return value
    return apply(term, partial(need_truth, where=where), [value], context)


def apply(term: Term, operation: Callable[..., Any], values: list[Any], context: Context) -> Any:
    """An `operation` of `values` in every row of a `context`, as the `term` says; its error is
    placed."""
    operation, values = context.asking(operation, values)
    try:
        return context.answered(lift(operation, *values))
    except Failure as failure:
        reason, row = _first_failure(operation, values, failure)
        raise context.error(term, reason, row) from None


def _first_failure(
    operation: Callable[..., Any], values: list[Any], failure: Failure
) -> tuple[Failure, int | None]:
    """The failure in the first row that has one."""

    def outcome(*arguments: Any) -> Failure | None:
        try:
            operation(*arguments)
        except Failure as found:
            return found
        return None

    column = lift(outcome, *values)
    if not isinstance(column, Column):
        return failure, None
    row = int(np.argmax(column.where(lambda found: found is not None)))
    return column.values[column.codes[row]], row


def _logic(term: Logic, context: Context) -> Any:
    """Parts in turn, each on the rows that no part before it has decided."""
    stop = truth(term.stops_at)
    word = "or" if term.stops_at else "and"
    rows, here = np.arange(context.size), context
    parts: list[tuple[np.ndarray, Any]] = []
    for part in term.parts:
        value = truth_of(part, here, word)
        if not isinstance(value, Column):
            if value is stop:
                break
            continue
        decided = value.where(lambda found: found is stop)
        parts.append((rows[decided], stop))
        going = np.flatnonzero(~decided)
        rows = rows[going]
        if not len(rows):
            break
        here = here.restrict(going) if len(going) < len(decided) else here
    else:
        value = truth(not term.stops_at)
    if not parts:
        return value
    last = value if not isinstance(value, Column) else stop
    return join(context.size, [*parts, (rows, last)])


def _choice(term: Choice, context: Context) -> Any:
    test = truth_of(term.test, context, "if")
    if not isinstance(test, Column):
        return value_of(term.chosen if test else term.other, context)
    mask = test.where(bool)
    parts = []
    for rows, part in ((np.flatnonzero(mask), term.chosen), (np.flatnonzero(~mask), term.other)):
        if len(rows) == context.size:
            return value_of(part, context)
        if len(rows):
            parts.append((rows, value_of(part, context.restrict(rows))))
    return join(context.size, parts)


@dataclass(frozen=True)
class Worlds(Later):
    """The context whose rows are worlds: all of them, or those numbered by `rows`."""

    space: WorldSpace
    tree: Tree
    secrets: Mapping[str, np.ndarray]
    variables: Mapping[str, Any]
    rows: np.ndarray | None = None
    current: int = -1

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.space.size if self.rows is None else len(self.rows)

    @property
    def records(self) -> int:
        """The number of records of a world, or of the kinds of records."""
        space = self.space
        return len(space.records) if space.counts is None else len(space.record_values)

    def times(self, record: int) -> Column | None:
        """How many records of the kind `record` a world has, where its records are not told
        apart."""
        counts = self.space.counts
        if counts is None:
            return None
        return self._pick(Column(tuple(range(self.space.record_count + 1)), counts[record]))

    def leaf(self, term: Term) -> Any:
        """The value of a name, `term`."""
        match term:
            case Record(number=number):
                return self._pick(self.space.record(number))
            case Current() if self.space.counts is not None:
                return self.space.record_values[self.current]
            case Current():
                return self._pick(self.space.record(self.current))
            case Variable(name=name):
                return self.variables[name]
            case InSecret(name=name):
                members = np.asarray(self.secrets[name], dtype=bool)
                return self._pick(Column((FALSE, TRUE), members.view(np.uint8)))
            case CurrentWorld():
                return self._pick(self.space.worlds())
        raise AssertionError(f"{type(term).__name__} is no name")

    def _pick(self, column: Column) -> Column:
        return column if self.rows is None else column.take(self.rows)

    def force(self, value: Any, depth: int) -> Any:
        """The `value` itself, whatever the `depth`: nothing is symbolic here."""
        return value

    def restrict(self, rows: np.ndarray) -> Worlds:
        """The context of some of the rows."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def bind(self, record: int) -> Worlds:
        """The context in which a record is the current one."""
        return replace(self, current=record)

    def asking(self, operation: Callable[..., Any], values: list[Any]) -> tuple[Any, list[Any]]:
        """The `operation` and its `values`: no draw is in them."""
        return operation, values

    def answered(self, value: Any) -> Any:
        """The `value`."""
        return value

    def error(self, term: Term, failure: Failure, row: int | None) -> InputError:
        """The error to raise when a `term` fails with a `failure`, first in a `row`, with its
        world."""
        if row is None and self.rows is not None:
            row = 0
        world = "" if row is None else f" (in world {self.space.name(self.number(row))})"
        return self.tree.source.fail(term.at, failure.code, failure.message + world, failure.hint)

    def number(self, row: int) -> int:
        """The world of a row."""
        return row if self.rows is None else int(self.rows[row])


def evaluate(
    space: WorldSpace,
    source: Scalar | str,
    secrets: Mapping[str, np.ndarray] | None = None,
    variables: Mapping[str, Any] | None = None,
) -> Column:
    """The value of an expression in every world.

    space   the worlds
    source  the text of the expression

    `secrets` maps names to Boolean arrays over the worlds, `variables` further names to plain
    values. Raises InputError S301 to S309 at the place in
    the text, naming the first world in which the expression has no value.
    """
    value = _evaluate(space, source, secrets or {}, variables or {}, "")
    return value if isinstance(value, Column) else constant(value, space.size)


def evaluate_each(
    space: WorldSpace,
    source: Scalar | str,
    secrets: Mapping[str, np.ndarray],
    name: str,
    values: Sequence[Any],
) -> list[Column]:
    """For each value of one more name the value of an expression in every world.

    space    the worlds
    source   the text of the expression
    secrets  name -> Boolean array over the worlds
    name     what is called by it in the text
    values   plain ones, which it has in turn

    InputError as for `evaluate`.
    """
    taken = list(map(as_value, values))
    scope = Scope(space, secrets, [name], {name: taken})
    term, tree = read_expression(source, scope)
    slips.check_expression(term, tree, scope)
    found = [value_of(term, Worlds(space, tree, secrets, {name: value})) for value in taken]
    return [v if isinstance(v, Column) else constant(v, space.size) for v in found]


def related(
    space: WorldSpace, source: Scalar | str, names: tuple[str, str] = ("w", "v")
) -> Iterator[np.ndarray]:
    """For each world v a Boolean array: for which worlds w an expression about both holds.

    space   the worlds
    source  the text of the expression
    names   what the two worlds are called in it

    InputError as for `evaluate`; S306 where it is no truth.
    """
    taken = list(map(space.world, range(space.size)))
    scope = Scope(space, {}, names[1:], {names[1]: taken}, worlds=names)
    term, tree = read_expression(source, scope)
    slips.check_expression(term, tree, scope)
    for world in taken:
        context = Worlds(space, tree, {}, {names[1]: world})
        value = truth_of(term, context, "this condition")
        yield np.full(space.size, bool(value)) if isinstance(value, Truth) else value.where(bool)


def predicate(
    space: WorldSpace,
    source: Scalar | str,
    secrets: Mapping[str, np.ndarray] | None = None,
    variables: Mapping[str, Any] | None = None,
) -> np.ndarray:
    """Boolean array: in which worlds an expression holds; S306 where it is no truth.

    space      the worlds
    source     the text of the expression
    secrets    name -> Boolean array over the worlds
    variables  further names -> plain values
    """
    value = _evaluate(space, source, secrets or {}, variables or {}, "this condition")
    if isinstance(value, Truth):
        return np.full(space.size, bool(value))
    return value.where(bool)  # type: ignore[no-any-return]


def _evaluate(
    space: WorldSpace,
    source: Scalar | str,
    secrets: Mapping[str, np.ndarray],
    variables: Mapping[str, Value],
    condition: str,
) -> Any:
    bound = {name: as_value(value) for name, value in variables.items()}
    scope = Scope(space, secrets, bound, {name: [value] for name, value in bound.items()})
    term, tree = read_expression(source, scope)
    slips.check_expression(term, tree, scope)
    context = Worlds(space, tree, secrets, bound)
    return truth_of(term, context, condition) if condition else value_of(term, context)
