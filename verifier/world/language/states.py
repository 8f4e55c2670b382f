"""Evaluates terms over the states of a program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from verifier.base.errors import InputError
from verifier.world.language.front import UNSET, Front
from verifier.world.language.inputs import Classes, Ref, outer_refs, refs, refs_in, resolve
from verifier.world.language.syntax import STORED, WHOLE, Current, Input, Term, Tree, Variable
from verifier.world.mechanism import Column
from verifier.world.space import Failure, WorldSpace, show


class Need(Exception):
    """Inputs have to be read before the evaluation can go on."""

    def __init__(self, read: frozenset[int]) -> None:
        super().__init__(read)
        self.read = read


@dataclass(frozen=True, eq=False)
class Setting:
    """What does not change while a program runs; `records` are the inputs of the records."""

    space: WorldSpace
    tree: Tree
    classes: Classes
    records: tuple[int, ...]


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
        """Records are told apart."""

    def leaf(self, term: Term) -> Any:
        """The value of a name; inputs stay symbolic."""
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
        """The value with inputs looked at, as deep as an operation looks; `Need` if they have
        not been read."""
        if depth == STORED:
            return value
        wanted = refs if depth == WHOLE else outer_refs
        blocks = self.front.block if self.rows is None else self.front.block[self.rows]
        missing = refs_in(value, wanted) - self.front.partition.read
        if missing:
            raise Need(missing)
        return self.setting.classes.look(value, self.front.partition, blocks, wanted)

    def restrict(self, rows: np.ndarray) -> States:
        """The context of some of the rows."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def bind(self, record: int) -> States:
        """The context in which a record is the current one."""
        return replace(self, current=record)

    def error(self, term: Term, failure: Failure, row: int | None) -> InputError:
        """The error to raise when a term fails, naming a world and the state."""
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
