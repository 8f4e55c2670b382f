"""Runs the statements of a program over fronts of states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.language import front as fronts
from verifier.world.language.evaluate import apply, truth_of, value_of
from verifier.world.language.front import Front
from verifier.world.language.liveness import Liveness, Names
from verifier.world.language.operations import Distribution, elements, need_distribution
from verifier.world.language.slips import tell_of_unreached
from verifier.world.language.statements import (
    Assign,
    Block,
    Break,
    Continue,
    DrawInto,
    For,
    If,
    Return,
    Statement,
)
from verifier.world.language.states import Need, Setting, States
from verifier.world.language.syntax import OUTER, STORED, WHOLE, Term
from verifier.world.mechanism import Column
from verifier.world.space import Failure

MAX_WORK = 400_000_000
STEP = 1000  # work of a statement, in rows

OUTPUT = "returned value"
_NOTHING: Names = frozenset()


@dataclass
class _Loop:
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

    @classmethod
    def of(cls, program: Block, setting: Setting, most: int | None = None) -> list[Front]:
        """All states that return; S312 if a state reaches the end. LimitReached beyond `most`
        work."""
        run = cls(setting, Liveness.of(program), most=most)
        rest = run.block(program, fronts.start(setting.classes), _Loop())
        if rest is not None:
            row = int(np.argmin(setting.classes.first[rest.partition.first[rest.block]]))
            where = States(setting, rest).describe(row)
            at = program[-1].at if program else (1, 1)
            message = f"the program can reach its end without `return`{where}"
            raise setting.tree.source.fail(at, "S312", message)
        tell_of_unreached(program, run.reached, setting.tree)
        return run.returned

    def block(self, block: Block, front: Front | None, loop: _Loop) -> Front | None:
        """The states after a block, None if there are none."""
        for statement in block:
            if front is None:
                break
            self.spend(STEP + front.size)
            self.reached.add(statement)
            front = self.statement(statement, front, loop)
            if front is not None:
                front = fronts.settle(front, self.live.after[statement])
        return front

    def spend(self, work: int) -> None:
        """Count work, up to the limit."""
        self.work += work
        if self.work > (self.most or MAX_WORK):
            raise LimitReached("the program takes too many steps")

    def statement(self, statement: Statement, front: Front, loop: _Loop) -> Front | None:
        """The states after a statement."""
        match statement:
            case Assign(name=name, value=value):
                front, found = self.value(value, front, STORED)
                return front.with_value(name, found)
            case DrawInto(name=name, value=value):
                front, found = self.value(value, front, OUTER)
                given = apply(value, need_distribution, [found], States(self.setting, front))
                return fronts.draw(front, name, given)
            case If():
                return self.branch(statement, front, loop)
            case For():
                return self.loop(statement, front)
            case Return(value=value):
                front, found = self.value(value, front, WHOLE)
                checked = apply(value, _output, [found], States(self.setting, front))
                out = fronts.forget(front, _NOTHING).with_value(OUTPUT, checked)
                self.returned.append(fronts.merge(out))
            case Break():
                loop.left.append(front)
            case Continue():
                loop.again.append(front)
        return None

    def value(self, term: Term, front: Front, depth: int, test: str = "") -> tuple[Front, Any]:
        """The value of a term in every state; states are split by the inputs it looks at."""
        while True:
            context = States(self.setting, front)
            try:
                if test:
                    return front, truth_of(term, context, test)
                return front, context.force(value_of(term, context), depth)
            except Need as need:
                front = fronts.refine(front, self.setting.classes, need.read)

    def branch(self, statement: If, front: Front, loop: _Loop) -> Front | None:
        """`if`: each side with the states that go there."""
        front, test = self.value(statement.test, front, OUTER, test="if")
        always = np.full(front.size, bool(test))
        holds = test.where(bool) if isinstance(test, Column) else always
        ends = []
        for side, mask, block in ((0, holds, statement.body), (1, ~holds, statement.other)):
            rows = np.flatnonzero(mask)
            if len(rows):
                part = front if len(rows) == front.size else front.take(rows)
                part = fronts.settle(part, self.live.inside[statement, side])
                ends.append(self.block(block, part, loop))
        return self.unite(ends, self.live.after[statement])

    def loop(self, statement: For, front: Front) -> Front | None:
        """`for`: states with the same list go through it together."""
        front, items = self.value(statement.items, front, OUTER)
        context = States(self.setting, front)
        items = apply(statement.items, lambda found: elements(found, "for"), [items], context)
        if not isinstance(items, Column):
            return self.rounds(statement, front, items)
        ends = []
        for code in np.unique(items.codes):
            part = front.take(np.flatnonzero(items.codes == code))
            ends.append(self.rounds(statement, part, items.values[code]))
        return self.unite(ends, self.live.after[statement])

    def rounds(self, statement: For, front: Front | None, items: tuple[Any, ...]) -> Front | None:
        """The states after a loop over one list."""
        head, after = self.live.inside[statement, 0], self.live.after[statement]
        left: list[Front | None] = []
        for item in items:
            if front is None:
                break
            self.spend(STEP)
            loop = _Loop()
            end = self.block(statement.body, front.with_value(statement.name, item), loop)
            left += [fronts.settle(part, after) for part in loop.left]
            front = self.unite([end, *loop.again], head)
        return self.unite([front, *left], after)

    def unite(self, parts: list[Front | None] | list[Front], live: Names) -> Front | None:
        """The states of several fronts, settled; None if there are none."""
        some = [fronts.settle(part, live) for part in parts if part is not None]
        if len(some) < 2:
            return some[0] if some else None
        return fronts.merge(fronts.unite(some, self.setting.classes))


def _output(value: Any) -> Any:
    """Refuse to return what has no label."""
    if isinstance(value, Distribution):
        raise Failure("S306", "return needs a value; draw(...) draws one from a distribution")
    if isinstance(value, tuple):
        for item in value:
            _output(item)
    return value
