"""Which variables of a program are still needed: forgetting the others lets states merge."""

from __future__ import annotations

from dataclasses import dataclass, field

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
from verifier.world.language.syntax import Term, Variable, walk

Names = frozenset[str]


@dataclass
class Liveness:
    """The variables needed after each statement, and at the start of each block inside one.

    Standard backward analysis; at the head of a loop it is repeated until nothing is added.
    """

    after: dict[Statement, Names] = field(default_factory=dict)
    inside: dict[tuple[Statement, int], Names] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Block) -> Liveness:
        """The analysis of a whole program."""
        made = cls()
        made.block(program, frozenset(), frozenset(), frozenset())
        return made

    def block(self, block: Block, after: Names, leave: Names, again: Names) -> Names:
        """The variables needed before a block, given those needed after it, after `break` and
        after `continue`."""
        for statement in reversed(block):
            self.after[statement] = after
            after = self.before(statement, after, leave, again)
        return after

    def before(self, statement: Statement, after: Names, leave: Names, again: Names) -> Names:
        """The variables needed before a statement."""
        match statement:
            case Assign(name=name, value=value) | DrawInto(name=name, value=value):
                return (after - {name}) | _uses(value)
            case If(test=test, body=body, other=other):
                sides = [self.block(side, after, leave, again) for side in (body, other)]
                self.inside[statement, 0], self.inside[statement, 1] = sides
                return _uses(test) | sides[0] | sides[1]
            case For(name=name, items=items, body=body):
                head, grown = None, after
                while head != grown:
                    head = grown
                    grown = head | (self.block(body, head, after, head) - {name})
                self.inside[statement, 0] = head
                return _uses(items) | head
            case Return(value=value):
                return _uses(value)
            case Break():
                return leave
            case Continue():
                return again
        return after


def _uses(term: Term) -> Names:
    return frozenset(part.name for part in walk(term) if isinstance(part, Variable))
