"""Programs whose output is a list of independent parts, found one part at a time.

A program that returns a list of twenty random bits has 2^20 outputs. But where nothing random is
left that the rest still uses, what has been appended so far is independent of what follows, given
the world: twenty answers of two outputs say as much. The list then is never built.

By hand: `out = []`, then twice `out.append(draw(bernoulli(1/2)))`, and `return out` gives two
answers, of 0 and 1 with probability 1/2 each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from verifier.base.document import Scalar
from verifier.noise.draws import Path
from verifier.noise.events import events
from verifier.programs import front as fronts
from verifier.programs.front import NONE, PATH, Classes, Collector, Front, Partition
from verifier.programs.run import (
    OUTPUT,
    Loop,
    Run,
    Setting,
    States,
    is_unclamped,
    of_states,
    split_states,
)
from verifier.world.language import operations, slips
from verifier.world.language.evaluate import apply
from verifier.world.language.operations import Distribution, need_output
from verifier.world.language.reader import Scope
from verifier.world.language.statements import (
    Assign,
    Block,
    Break,
    Continue,
    DrawInto,
    For,
    If,
    Liveness,
    Return,
    Statement,
    inside,
    read_program,
    terms_in,
    with_terms,
)
from verifier.world.language.syntax import OUTER, WHOLE, Apply, At, Term, Variable, walk
from verifier.world.language.unclamped import has_draw, released
from verifier.world.local import NotFactored
from verifier.world.mechanism import CONE, Column, Mechanism, intern, lift
from verifier.world.space import WorldSpace

MOST_STATES = 2**7  # in which a part may be that is not known to end
LIST = "the list"  # a variable that no program can write


def factors(
    space: WorldSpace, source: Scalar, secrets: Mapping[str, np.ndarray] | None = None
) -> list[Mechanism]:
    """The parts of the list that a program returns, each as a mechanism of its own; a part of one
    element gives this, of several a list.

    space    the worlds
    source   the text of the program
    secrets  name -> Boolean array over the worlds

    Raises NotFactored where there are no two parts that are seen to be independent given the world,
    and what running the program would, see `run_program`.
    """
    scope = Scope(space, secrets or {})
    written, tree = read_program(source, scope)
    program = _appending(written)
    if (name := _list_of(program)) is None:
        raise NotFactored
    slips.check_program(written, tree, scope)
    unclamped = is_unclamped(program)
    collector = Collector(space, tree, secrets or {})
    program = with_terms(program, collector.term)
    classes = Classes.of(collector.columns, space.size)
    setting = Setting(space, tree, classes, collector.records, unclamped)
    run = _Parts(setting, program, name)
    if run.block(program, fronts.start(classes, unclamped), Loop()) is not None:
        raise NotFactored
    slips.tell_of_unreached(program, run.reached, tree)
    return run.parts()


def _appending(program: Block) -> Block:
    """A program that ends with `return [x, y, …]`, as one that appends each element as soon as the
    last statement is over that makes a variable of it, or of one before; others as they are."""
    if not program:
        return program
    *before, last = program
    returns = sum(isinstance(s, Return) for s in chain.from_iterable(map(inside, program)))
    if not isinstance(last, Return) or returns > 1 or not isinstance(last.value, Apply):
        return program
    if last.value.operation is not operations.display:
        return program
    at, place = last.at, 0
    whole, empty = Variable(at, LIST), Apply(at, operations.display, ())
    made: dict[int, list[Statement]] = {place: [Assign(at, LIST, empty)]}
    for item in last.value.arguments:
        names = {term.name for term in walk(item) if isinstance(term, Variable)}
        place = max([place, *(n for n, s in enumerate(before, 1) if names & _made_by(s))])
        one = Apply(at, operations.display, (item,))
        longer = Apply(at, operations.append, (whole, one))
        made.setdefault(place, []).append(Assign(at, LIST, longer))
    blocks = [[*made.get(n, []), *before[n : n + 1]] for n in range(len(before) + 1)]
    return (*chain.from_iterable(blocks), Return(at, whole))


def _made_by(statement: Statement) -> set[str]:
    """The variables that a statement gives values."""
    return {s.name for s in inside(statement) if isinstance(s, Assign | DrawInto | For)}


def _list_of(program: Block) -> str | None:
    """The name of the list that a program begins, only appends to, and returns; None without
    one."""
    statements = list(chain.from_iterable(map(inside, program)))
    returned = [s.value for s in statements if isinstance(s, Return)]
    first = returned[0] if returned else None
    if not isinstance(first, Variable):
        return None
    grown = _times_grown(first.name, program, statements)
    uses = sum(isinstance(t, Variable) and t.name == first.name for t in _all_terms(program))
    return first.name if grown is not None and uses == grown + len(returned) else None


def _times_grown(name: str, program: Block, statements: list[Statement]) -> int | None:
    """How often a program appends to the list of a name; None if it does not begin the list once,
    outside of all loops and conditions, or assigns anything else to the name."""
    own = [s for s in statements if isinstance(s, Assign) and s.name == name]
    begun = [s for s in own if s in program and _is_empty(s.value)]
    longer = [s for s in own if _appended(s, name)]
    bound = any(isinstance(s, For) and s.name == name for s in statements)
    fits = len(begun) == 1 and len(begun) + len(longer) == len(own) and not bound
    return len(longer) if fits else None


def _all_terms(program: Block) -> list[Term]:
    return list(chain.from_iterable(map(terms_in, program)))


def _is_empty(term: Term) -> bool:
    """Whether a term is the empty list."""
    return isinstance(term, Apply) and term.operation is operations.display and not term.arguments


def _appended(statement: Statement, name: str) -> bool:
    """Whether a statement appends to the list of a name."""
    return (
        isinstance(statement, Assign)
        and statement.name == name
        and isinstance(statement.value, Apply)
        and statement.value.operation is operations.append
    )


class _Parts(Run):
    """A run that empties the list, as a part of its own, wherever the rest is independent of it.

    name    of the list
    noted   for each part the states in which it is known; each time of other worlds
    widths  for each part how many elements it has
    count   shape (worlds,): how many parts each world has so far
    depth   how many branches are open that draws decide
    left    whether draws have decided that some states go elsewhere
    reason  what has kept a part open first
    """

    def __init__(self, setting: Setting, program: Block, name: str) -> None:
        super().__init__(setting, Liveness.of(program))
        self.program, self.name = program, name
        self.noted: list[list[Front]] = []
        self.widths: list[set[int]] = []
        self.count = np.zeros(setting.space.size, dtype=np.int64)
        self.depth, self.left, self.reason = 0, False, ""

    def statement(self, statement: Statement, front: Front, loop: Loop) -> Front | None:
        """See Run. NotFactored where some states end in the middle of a part."""
        if isinstance(statement, Return):
            self.note(front, statement.at)
        if isinstance(statement, Break | Continue | Return):
            self.left |= self.depth > 0
        if isinstance(statement, Return):
            return None
        rest = super().statement(statement, front, loop)
        if rest is None or self.depth or rest.values.get(self.name, ()) == ():
            return rest
        return self.cut(rest, statement)

    def branch(self, statement: If, front: Front, loop: Loop) -> Front | None:
        """See Run."""
        front, test = self.value(statement.test, front, OUTER, test="if")
        is_drawn = _varies(front, test)
        self.depth += is_drawn
        rest = super().branch(statement, front, loop)
        self.depth -= is_drawn
        return rest

    def loop(self, statement: For, front: Front) -> Front | None:
        """See Run."""
        front, items = self.value(statement.items, front, OUTER)
        is_drawn = _varies(front, items)
        self.depth += is_drawn
        rest = super().loop(statement, front)
        self.depth -= is_drawn
        return rest

    def reads(self, statement: For) -> bool:
        """See Run: each list is gone through by itself, so that worlds end their parts in order."""
        return True

    def cut(self, front: Front, statement: Statement) -> Front:
        """The states after a `statement`, without what is in the list if nothing random is left
        beside it, which then is a part."""
        rest = fronts.forget(front, self.live.after[statement] - {self.name})
        if self.setting.unclamped:
            rest = rest.with_value(PATH, Path())
        shared = [n for n, x in rest.values.items() if _varies(front, x) or _has_draw(x)]
        if shared or _varies(front, lift(len, front.values[self.name])):
            self.reason = self.reason or _reason(self.program, shared, statement)
            if front.size > max(MOST_STATES, len(np.unique(front.block))):
                raise NotFactored(self.reason)
            return front
        self.note(front, statement.at)
        rest = fronts.merge(rest)
        ones = np.array([1] * rest.size, dtype=object)
        rest = replace(rest, weight=ones, denominator=1).with_value(self.name, ())
        if rest.size < rest.partition.size or any(map(_is_column, rest.values.values())):
            return rest
        return replace(fronts.start(self.setting.classes), values=rest.values)  # reads anew

    def note(self, front: Front, at: At) -> None:
        """Take what is in the list, in states of a `front`, for the next part of their worlds."""
        rows = np.flatnonzero(_lengths(front, self.name))
        if not len(rows):
            return
        if _varies(front, lift(len, front.values[self.name])):
            raise NotFactored(self.reason)
        front = front.take(rows)
        term: Term = Variable(at, self.name)
        if self.setting.unclamped:
            term = Apply(at, released, (term,), WHOLE)
        front, found = self.value(term, front, WHOLE)
        checked = apply(term, need_output, [found], States(self.setting, front))
        given = lift(lambda value: value if value[1:] else value[0], checked)
        told = fronts.merge(fronts.forget(front, frozenset()).with_value(OUTPUT, given))
        worlds = np.isin(told.partition.block[self.setting.classes.of_world], told.block)
        places = set(self.count[worlds].tolist())
        if self.depth or self.left or len(places) > 1:
            raise NotFactored(self.reason)
        (place,) = places
        self.noted += [[]] if place == len(self.noted) else []
        self.widths += [set()] if place == len(self.widths) else []
        self.noted[place].append(told)
        self.widths[place].update(_lengths(front, self.name).tolist())
        self.count[worlds] += 1

    def parts(self) -> list[Mechanism]:
        """The parts; NotFactored where worlds have others, or there is one alone."""
        alike = len(set(self.count.tolist())) == 1 and all(len(each) == 1 for each in self.widths)
        if not alike or not self.noted:
            raise NotFactored(self.reason)
        is_one = self.widths == [{n} for n in self.widths[0] if n > 1]
        known: dict[object, list[Mechanism]] = {}
        found = list[Mechanism]()
        for several in self.noted:
            front = _in_kinds(fronts.unite(several, self.setting.classes))
            if (key := _key(front)) not in known:
                known[key] = self.told(front, is_one)
            found += known[key]
        return found

    def told(self, front: Front, is_one: bool) -> list[Mechanism]:
        """A part as a mechanism, of released sums one for each draw; NotFactored where it is all
        there is, and is no sums."""
        made = split_states(front, self.setting, self.program[-1].at)
        if is_one and not made:
            raise NotFactored(self.reason)
        made = made or [of_states(front, self.setting, self.program[-1].at)]
        if not all(isinstance(one, Mechanism) and one.reals in ("", CONE) for one in made):
            raise NotFactored("normal draws, or a number after comparisons, are in the list")
        return made  # type: ignore[return-value]


def _in_kinds(told: Front) -> Front:
    """The states in which a part is known, with blocks of worlds in which these are the same as one
    block."""
    columns = [x for x in told.values.values() if isinstance(x, Column)]
    weights = intern(told.weight.tolist())[1]
    codes = np.stack([*(x.codes.astype(np.int64) for x in columns), weights, told.block])
    order = np.lexsort(codes)
    ends = np.searchsorted(told.block[order], np.arange(told.partition.size + 1))
    rows = [order[low:high] for low, high in pairwise(ends.tolist())]
    _, kind = intern(codes[:-1, own].tobytes() for own in rows)
    of_kind = np.unique(kind, return_index=True)[1]
    kept = np.concatenate([rows[block] for block in of_kind.tolist()])
    partition = Partition(NONE, kind[told.partition.block], told.partition.first[of_kind])
    return replace(told.take(kept), partition=partition, block=kind[told.block[kept]])


def _key(told: Front) -> object:
    """What is the same for states in which parts are known that differ in names of draws alone."""
    states = tuple(told.weight.tolist()), told.denominator, told.block.tobytes()
    given, path = (told.values.get(name) for name in (OUTPUT, PATH))
    outputs = tuple(given.tolist()) if isinstance(given, Column) else given
    paths = path.tolist() if isinstance(path, Column) else [path or Path()]
    worlds = told.partition.block.tobytes()
    return (*states, worlds, outputs, tuple(frozenset(events(path)) for path in paths))


def _lengths(front: Front, name: str) -> np.ndarray:
    """For each state of a `front` how many elements the list of a `name` has."""
    found = lift(len, front.values.get(name, ()))
    return np.array(found.tolist() if isinstance(found, Column) else [found] * front.size)


def _varies(front: Front, value: Any) -> bool:
    """Whether a `value`, or a column of the `front`, differs between states of the same worlds."""
    if not isinstance(value, Column):
        return False
    pairs = front.block.astype(np.int64) * len(value.values) + value.codes
    return len(np.unique(pairs)) > len(np.unique(front.block))


def _is_column(value: Any) -> bool:
    return isinstance(value, Column)


def _has_draw(value: Any) -> bool:
    """Whether a draw that is not clamped is in a value, a distribution or a column of these."""
    if isinstance(value, Column):
        return any(map(_has_draw, value.values))
    if isinstance(value, Distribution):
        return any(map(_has_draw, value.outcomes))
    return has_draw(value)


def _reason(program: Block, shared: Iterable[str], last: Statement) -> str:
    """Why the elements are not independent after a statement, the `last` of one of them."""
    for name in (name for name in shared if " " not in name):
        made = [s for s in chain.from_iterable(map(inside, program)) if name in _made_by(s)]
        lines = f"line {made[0].at[0]}" if made else "a draw"
        return f"'{name}', from {lines}, is used on after an element, in line {last.at[0]}"
    return ""
