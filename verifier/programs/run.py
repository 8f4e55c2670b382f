"""Runs programs: every statement takes all states at once, and the last ones make a mechanism."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Scalar
from verifier.base.errors import InputError, LimitReached
from verifier.programs import front as fronts
from verifier.programs.front import (
    PATH,
    UNSET,
    Classes,
    Collector,
    Front,
    Ref,
    outer_refs,
    refs_in,
    resolve,
)
from verifier.world.box import Box
from verifier.world.language import operations, slips
from verifier.world.language.evaluate import apply, truth_of, value_of
from verifier.world.language.meanings import Asking
from verifier.world.language.operations import (
    Distribution,
    need_distribution,
    need_output,
)
from verifier.world.language.reader import Scope
from verifier.world.language.slips import tell_of_outputs, tell_of_unreached
from verifier.world.language.statements import (
    Assign,
    Block,
    Break,
    Continue,
    DrawInto,
    For,
    If,
    Liveness,
    Names,
    Return,
    Statement,
    inside,
    read_program,
    terms_in,
    with_terms,
)
from verifier.world.language.syntax import (
    OUTER,
    STORED,
    WHOLE,
    Apply,
    At,
    Current,
    Input,
    Source,
    Term,
    Tree,
    Variable,
    parse,
    rebuild,
)
from verifier.world.language.unclamped import (
    UNCLAMPED,
    Alternatives,
    Unclamped,
    has_draw,
    released,
)
from verifier.world.language.unclamped import geometric as free_geometric
from verifier.world.mechanism import Column, Mechanism, combinations, intern
from verifier.world.space import Failure, WorldSpace, key_of, labelled, order_key, show

MAX_WORK = 400_000_000
STEP = 1000  # work of a statement, in rows

OUTPUT = "returned value"
_NOTHING: Names = frozenset()
MAX_ENTRIES = 400_000_000
SHORT_WORK = 10_000_000  # as MAX_WORK counts
SHORT_PATHS = 5_000


class Need(Exception):
    """Inputs have to be read before the evaluation can go on."""

    def __init__(self, read: frozenset[int]) -> None:
        super().__init__(read)
        self.read = read


@dataclass(frozen=True, eq=False)
class Setting:
    """What does not change while a program runs; `records` are the inputs of the records.

    unclamped  whether it has draws that are not clamped
    """

    space: WorldSpace
    tree: Tree
    classes: Classes
    records: tuple[int, ...]
    unclamped: bool = False


class Split(Exception):
    """Some states have to be told apart by how draws compare.

    rows   their numbers
    asked  the alternatives for them, or a column of values some of which are alternatives
    """

    def __init__(self, rows: np.ndarray, asked: Any) -> None:
        super().__init__(rows, asked)
        self.rows, self.asked = rows, asked


def _may_have_draw(value: Any) -> bool:
    return any(map(has_draw, value.values if isinstance(value, Column) else (value,)))


@dataclass(frozen=True)
class States:
    """The context whose rows are states: all of a front, or those numbered by `rows`."""

    setting: Setting
    front: Front
    rows: np.ndarray | None = None
    current: int = -1

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.front.size if self.rows is None else len(self.rows)

    @property
    def tree(self) -> Tree:
        """The text of the program."""
        return self.setting.tree

    @property
    def records(self) -> int:
        """The number of records of a world."""
        return len(self.setting.space.records)

    def times(self, record: int) -> None:
        """None: records, such as `record`, are told apart."""

    def leaf(self, term: Term) -> Any:
        """The value of a name, `term`; inputs stay symbolic."""
        match term:
            case Input(number=number):
                return Ref(number)
            case Current():
                return Ref(self.setting.records[self.current])
            case Variable(name=name):
                value = self._pick(self.front.values.get(name, UNSET))
                missing = self._first_unset(value)
                if missing is not None:
                    shown = "the result of `draw`" if " " in name else f"'{name}'"
                    raise self.error(term, Failure("S314", f"{shown} has no value here"), missing)
                return value
        raise AssertionError(f"{type(term).__name__} is no name of a program")

    def _first_unset(self, value: Any) -> int | None:
        if value is UNSET:
            return 0
        if isinstance(value, Column) and UNSET in value.values:
            rows = np.flatnonzero(value.where(lambda found: found is UNSET))
            return int(rows[0]) if len(rows) else None
        return None

    def _pick(self, value: Any) -> Any:
        return (
            value.take(self.rows) if isinstance(value, Column) and self.rows is not None else value
        )

    def force(self, value: Any, depth: int) -> Any:
        """The `value` with inputs looked at, as deep as an operation looks (`depth`); `Need` if
        they have not been read."""
        if depth == STORED:
            return value
        wanted = self.setting.classes.refs if depth == WHOLE else outer_refs
        blocks = self.front.block if self.rows is None else self.front.block[self.rows]
        missing = refs_in(value, wanted) - self.front.partition.read
        if missing:
            raise Need(missing)
        return self.setting.classes.look(value, self.front.partition, blocks, wanted)

    def asking(self, operation: Callable[..., Any], values: list[Any]) -> tuple[Any, list[Any]]:
        """The `operation` after the path where a draw may be in its `values`."""
        if PATH not in self.front.values or not any(map(_may_have_draw, values)):
            return operation, values
        return Asking(operation), [self._pick(self.front.values[PATH]), *values]

    def answered(self, value: Any) -> Any:
        """The `value`; `Split` where it asks how draws compare."""
        found = value.values if isinstance(value, Column) else (value,)
        if PATH in self.front.values and any(isinstance(one, Alternatives) for one in found):
            raise Split(np.arange(self.front.size) if self.rows is None else self.rows, value)
        return value

    def restrict(self, rows: np.ndarray) -> States:
        """The context of some of the rows."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def bind(self, record: int) -> States:
        """The context in which a record is the current one."""
        return replace(self, current=record)

    def error(self, term: Term, failure: Failure, row: int | None) -> InputError:
        """The error to raise when a `term` fails with a `failure` in a `row`, with world and
        state."""
        text = failure.message + self.describe(row or 0)
        return self.setting.tree.source.fail(term.at, failure.code, text, failure.hint)

    def describe(self, row: int) -> str:
        """A row in words: a world and the values of the variables."""
        number = row if self.rows is None else int(self.rows[row])
        classes = self.setting.classes
        group = int(self.front.partition.first[self.front.block[number]])
        known = {i: column.values[column.codes[group]] for i, column in enumerate(classes.inputs)}
        state: list[str] = []
        for name, value in self.front.values.items():
            found = value.values[value.codes[number]] if isinstance(value, Column) else value
            if " " not in name and found is not UNSET and len(state) < 8:
                shown = show((resolve(found, known),))[1:-2]
                state.append(f"{name} = {shown if len(shown) <= 40 else shown[:37] + '...'}")
        world = self.setting.space.name(int(classes.first[group]))
        return f" (in world {world}{', with ' * bool(state)}{', '.join(state)})"


@dataclass
class Loop:
    """Where the states go that leave a loop, or its current round, early."""

    left: list[Front] = field(default_factory=list)
    again: list[Front] = field(default_factory=list)


@dataclass
class Run:
    """One run of a program; `returned` collects states whose only variable is OUTPUT, `reached`
    the statements that some state has come to."""

    setting: Setting
    live: Liveness
    returned: list[Front] = field(default_factory=list)
    work: int = 0
    most: int | None = None  # work; MAX_WORK where None
    reached: set[Statement] = field(default_factory=set)
    draws: int = 0  # so far
    apart: int = 0  # branches that are open, where states of one world are told apart

    @classmethod
    def of(cls, program: Block, setting: Setting, most: int | None = None) -> list[Front]:
        """All states in which a `program` returns; S312 if a state reaches its end.

        setting  what does not change while it runs
        most     work after which LimitReached is raised
        """
        run = cls(setting, Liveness.of(program), most=most)
        rest = run.block(program, fronts.start(setting.classes, setting.unclamped), Loop())
        if rest is not None:
            row = int(np.argmin(setting.classes.first[rest.partition.first[rest.block]]))
            where = States(setting, rest).describe(row)
            at = program[-1].at if program else (1, 1)
            message = f"the program can reach its end without `return`{where}"
            raise setting.tree.source.fail(at, "S312", message)
        tell_of_unreached(program, run.reached, setting.tree)
        return run.returned

    def block(self, block: Block, front: Front | None, loop: Loop) -> Front | None:
        """The states after a `block` that a `front` enters inside a `loop`, None if there are
        none."""
        for statement in block:
            if front is None:
                break
            self.spend(STEP + front.size)
            self.reached.add(statement)
            front = self.statement(statement, front, loop)
            if front is not None:
                front = fronts.settle(front, self.live.after[statement])
                front = front if self.apart else fronts.rename(front)
        return front

    def spend(self, work: int) -> None:
        """Count work, up to the limit."""
        self.work += work
        if self.work > (self.most or MAX_WORK):
            raise LimitReached("the program takes too many steps")

    def statement(self, statement: Statement, front: Front, loop: Loop) -> Front | None:
        """The states after a `statement` that a `front` enters inside a `loop`."""
        match statement:
            case Assign(name=name, value=value):
                front, found = self.value(value, front, STORED)
                return front.with_value(name, found)
            case DrawInto(name=name, value=value):
                front, found = self.value(value, front, OUTER)
                self.draws += 1
                need = partial(_drawn, self.draws)
                given = apply(value, need, [found], States(self.setting, front))
                return fronts.draw(front, name, given)
            case If():
                return self.branch(statement, front, loop)
            case For():
                return self.loop(statement, front)
            case Return(value=value):
                if self.setting.unclamped:
                    value = Apply(value.at, released, (value,), WHOLE)
                front, found = self.value(value, front, WHOLE)
                checked = apply(value, need_output, [found], States(self.setting, front))
                out = fronts.forget(front, _NOTHING).with_value(OUTPUT, checked)
                self.returned.append(fronts.merge(out))
            case Break():
                loop.left.append(front)
            case Continue():
                loop.again.append(front)
        return None

    def value(self, term: Term, front: Front, depth: int, test: str = "") -> tuple[Front, Any]:
        """The value of a `term` in every state of a `front`, split by the inputs looked at.

        depth  how much of it is looked at
        test   what needs a truth; empty for other values
        """
        while True:
            context = States(self.setting, front)
            try:
                if test:
                    return front, truth_of(term, context, test)
                return front, context.force(value_of(term, context), depth)
            except Need as need:
                front = fronts.refine(front, self.setting.classes, need.read)
            except Split as split:
                front = fronts.split(front, split.rows, split.asked)

    def branch(self, statement: If, front: Front, loop: Loop) -> Front | None:
        """`if`, a `statement`: each side with the states of a `front` that go there, in a
        `loop`."""
        front, test = self.value(statement.test, front, OUTER, test="if")
        always = np.full(front.size, bool(test))
        holds = test.where(bool) if isinstance(test, Column) else always
        ends = []
        apart = 0 < int(holds.sum()) < front.size
        self.apart += apart
        for side, mask, block in ((0, holds, statement.body), (1, ~holds, statement.other)):
            rows = np.flatnonzero(mask)
            if len(rows):
                part = front if len(rows) == front.size else front.take(rows)
                part = fronts.settle(part, self.live.inside[statement, side])
                ends.append(self.block(block, part, loop))
        self.apart -= apart
        return self.unite(ends, self.live.after[statement])

    def loop(self, statement: For, front: Front) -> Front | None:
        """A `for` `statement`: states of a `front` with the same list go through it together."""
        front, items = self.value(statement.items, front, OUTER)
        context = States(self.setting, front)
        items = apply(statement.items, operations.rounds, [items], context)
        if not isinstance(items, Column):
            return self.rounds(statement, front, items)
        lists: tuple[Any, ...] = items.values
        lengths = np.array([len(each) for each in lists])[items.codes]
        if not self.reads(statement):
            return self.turns(statement, front, lengths)
        ends = []
        self.apart += 1
        for code in np.unique(items.codes):
            part = front.take(np.flatnonzero(items.codes == code))
            ends.append(self.rounds(statement, part, items.values[code]))
        self.apart -= 1
        return self.unite(ends, self.live.after[statement])

    def reads(self, statement: For) -> bool:
        """Whether the variable of a loop, `statement`, is looked at in it or after it."""
        terms = chain.from_iterable(map(terms_in, statement.body))
        used = any(isinstance(term, Variable) and term.name == statement.name for term in terms)
        return used or statement.name in self.live.after[statement]

    def turns(self, statement: For, front: Front, lengths: np.ndarray) -> Front | None:
        """The states after a loop, `statement`, whose variable nobody reads: those of a `front`
        join it when as many rounds are left as their list is long.

        lengths  shape (rows,): of the lists
        """
        head, after = self.live.inside[statement, 0], self.live.after[statement]
        left: list[Front | None] = []
        rest: Front | None = None
        for number in range(int(lengths.max()), -1, -1):
            rows = np.flatnonzero(lengths == number)
            joining = [front.take(rows)] if len(rows) else []
            if number == 0:
                left += joining
                break
            rest = self.unite([rest, *joining], head)
            if rest is None:
                continue
            self.spend(STEP)
            loop = Loop()
            end = self.block(statement.body, rest, loop)
            left += [fronts.settle(part, after) for part in loop.left]
            rest = self.unite([end, *loop.again], head)
        return self.unite([rest, *left], after)

    def rounds(self, statement: For, front: Front | None, items: tuple[Any, ...]) -> Front | None:
        """The states after a loop, `statement`, that a `front` enters with one list, `items`."""
        head, after = self.live.inside[statement, 0], self.live.after[statement]
        left: list[Front | None] = []
        for item in items:
            if front is None:
                break
            self.spend(STEP)
            loop = Loop()
            end = self.block(statement.body, front.with_value(statement.name, item), loop)
            left += [fronts.settle(part, after) for part in loop.left]
            front = self.unite([end, *loop.again], head)
        return self.unite([front, *left], after)

    def unite(self, parts: list[Front | None] | list[Front], live: Names) -> Front | None:
        """The states of several fronts, `parts`, with the variables `live`; None if there are
        none."""
        some = [fronts.settle(part, live) for part in parts if part is not None]
        if len(some) < 2:
            return some[0] if some else None
        return fronts.join_paths(fronts.merge(fronts.unite(some, self.setting.classes)))


def _drawn(place: int, value: Any) -> Distribution:
    """The distribution that a value is; of one that is not clamped the draw at a `place`."""
    if isinstance(value, Unclamped):
        return Distribution((value.drawn(place),), (1,))
    return need_distribution(value)


def run_program(
    space: WorldSpace,
    source: Scalar | str,
    secrets: Mapping[str, np.ndarray] | None = None,
    wider: bool = False,
    free: bool = False,
) -> Mechanism | Box:
    """The exact likelihoods of a program's outputs in every world; with normal draws the box in
    which they are.

    space    the worlds
    source   the text of the program
    secrets  name -> Boolean array over the worlds

    With `wider`, all noise is clamped to about twice its range, with `free` not at all; then no
    long work is done.

    Outputs are sorted: numbers ascending, then truths, words, worlds, lists element by element.

    Raises InputError S301 to S314 at the place in the text, naming a world and the state where a
    step fails, and LimitReached when there are too many states, steps or outputs.
    """
    scope = Scope(space, secrets or {})
    program, tree = read_program(source, scope)
    slips.check_program(program, tree, scope)
    if wider or free:
        program = with_terms(program, _widened if wider else _freed)
    unclamped = is_unclamped(program)
    collector = Collector(space, tree, secrets or {})
    program = with_terms(program, collector.term)
    classes = Classes.of(collector.columns, space.size)
    setting = Setting(space, tree, classes, collector.records, unclamped)
    returned = Run.of(program, setting, SHORT_WORK if wider or free else None)
    front = fronts.unite(returned, classes)
    if free and front.size > SHORT_PATHS:
        raise LimitReached(f"{front.size} paths without clamps")
    return of_states(front, setting, _returns(program))


def of_states(front: Front, setting: Setting, at: At) -> Mechanism | Box:
    """The likelihoods of what was returned, the variable OUTPUT of the states of a `front`.

    at  where it is returned
    """
    tree, classes = setting.tree, setting.classes
    if not setting.unclamped:
        return _likelihoods(front, classes, tree)
    from verifier.programs.released import mechanism_of

    with _placed(tree, at):
        told = partial(tell_of_outputs, source=tree.source)
        return mechanism_of(front, OUTPUT, classes, order_key, told)


def split_states(front: Front, setting: Setting, at: At) -> list[Mechanism | Box]:
    """The same of each draw that returned numbers tell apart; empty where there are no two.

    at  where they are returned
    """
    if not setting.unclamped:
        return []
    from verifier.programs.released import parts_of

    with _placed(setting.tree, at):
        return parts_of(front, OUTPUT, setting.classes, order_key)


@contextmanager
def _placed(tree: Tree, at: At) -> Iterator[None]:
    """Failures as errors at a place."""
    try:
        yield
    except Failure as failure:
        raise tree.source.fail(at, failure.code, failure.message, failure.hint) from None


def is_unclamped(program: Block) -> bool:
    """Whether a `program` has draws that are not clamped."""
    terms = chain.from_iterable(map(terms_in, program))
    return any(isinstance(term, Apply) and term.operation in UNCLAMPED for term in terms)


def _returns(program: Block) -> At:
    """Where a program returns first."""
    statements = chain.from_iterable(map(inside, program))
    return next(s.at for s in statements if isinstance(s, Return))


def clamps(source: Scalar) -> list[At]:
    """Where a program, `source`, draws clamped noise."""
    tree = parse(Source.of(source), "exec")
    return [
        tree.at(node)
        for node in ast.walk(tree.root)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "geometric"
        and len(node.args) + len(node.keywords) == 4
    ]


def _widened(term: Term) -> Term:
    """The term with noise clamped to about twice its range."""
    if isinstance(term, Apply) and term.operation is operations.geometric:
        term = replace(term, operation=operations.geometric_wider)
    return rebuild(term, _widened)


def _freed(term: Term) -> Term:
    """The term with noise that is not clamped."""
    if isinstance(term, Apply) and term.operation is operations.geometric:
        term = replace(term, operation=free_geometric, arguments=term.arguments[:2])
    return rebuild(term, _freed)


def _likelihoods(front: Front, classes: Classes, tree: Tree) -> Mechanism:
    """The likelihoods of what was returned: one variable, OUTPUT."""
    given = front.values[OUTPUT]
    column = given if isinstance(given, Column) else Column((given,), np.zeros(front.size, int))
    given_back = sorted({column.values[code] for code in np.unique(column.codes)}, key=order_key)
    outputs = list({key_of(value): value for value in reversed(given_back)}.values())[::-1]
    tell_of_outputs(outputs, tree.source)
    rank = {key_of(value): place for place, value in enumerate(outputs)}
    rows = np.array([rank.get(key_of(value), 0) for value in column.values])[column.codes]
    worlds = len(classes.of_world)
    if len(outputs) * worlds > MAX_ENTRIES:
        raise LimitReached(f"{len(outputs)} outputs in {worlds} worlds are too many probabilities")
    (place, block), group = combinations(
        [(len(outputs), rows), (front.partition.size, front.block)]
    )
    found: Any
    found, codes = intern(fronts.total(front.weight, group, len(place)).tolist())
    kind = np.min_scalar_type(len(found))
    matrix = np.zeros((len(outputs), front.partition.size), dtype=kind)
    matrix[place, block] = codes.astype(kind) + kind.type(1)
    values = [exact.over(mass, front.denominator) for mass in (0, *found)]
    by_block = Mechanism.of(labelled(outputs), values, matrix)
    return by_block.taken(front.partition.block[classes.of_world])
