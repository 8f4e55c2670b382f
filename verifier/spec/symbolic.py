"""A check with a real parameter, compiled for all values of an interval.

The file is read with a function in the place of each number that depends on the parameter, within a
`Cell`: validation and branches are decided at a sample. What has been read is the same up to the
nearest roots of the polynomials whose signs decided. These roots are read by themselves, and what
lies beyond them with a sample of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cmp_to_key, partial
from typing import Any

import numpy as np

from verifier.base import parameters
from verifier.base.cell import AtRoot, Cell
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node, Note, Scalar
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.base.exponential import Exponential
from verifier.base.level import Level
from verifier.base.parameters import Choice
from verifier.base.rational_function import RationalFunction
from verifier.kernels.regions import Interval, Region, end_text
from verifier.kernels.roots import End, apart, between, compare, real_roots
from verifier.questions.cells import region_question
from verifier.questions.question import Question
from verifier.spec.model import Model
from verifier.spec.options import Check
from verifier.spec.parameters import Declared, condition, fixed_at

MAX_PARTS = 1_000  # of an interval, between which the question changes
NARROW = "leave such values out: `where` of the check, or a smaller interval under `parameters`"
OF_NO_VALUE = ("S117", "S118", "S803", "S804")  # errors that functions of a parameter make
ASIDE = ("parameters", "checks", "title", "source")  # keys that are not part of each question
Part = tuple[End, End, Question]


class Over:
    """The checks of a file over the interval of its real parameter.

    choice  in which the parameter is not fixed
    about   what the file says of its parameters
    model   of the file
    ask     the question of a check, for a model that is read in some cell
    limits  comparisons that hold for the values that are asked about
    """

    def __init__(
        self,
        choice: Choice,
        about: Mapping[str, Declared],
        model: Model,
        ask: Callable[[Check], Question],
        limits: Sequence[tuple[Scalar, str]] = (),
    ) -> None:
        self.choice, self.model, self.ask, self.limits = choice, model, ask, limits
        (self.name,) = choice.real
        interval = about[self.name].interval
        assert interval is not None
        self.domain = interval
        self._models: dict[tuple[End, End, bool], tuple[Cell, Model]] = {}
        self._beside = False  # whether powers of e stand besides functions
        self._told: list[dict[Any, Note]] = []  # in each cell

    def domain_of(self, check: Check) -> tuple[Interval, ...]:
        """The intervals that a check is about, as its `where` narrows them."""
        node = check.item.table.get("where")
        with parameters.given(self.choice):
            return self.part(node, self.domain, self.limits).intervals

    def part(
        self, node: Node | None, domain: Interval, more: Sequence[tuple[Scalar, str]] = ()
    ) -> Region:
        """Where in a `domain` a condition holds, all of it for None, and `more` comparisons."""
        found = condition(node, self.name, domain, more)
        return found if isinstance(found, Region) else Region((domain,) if found else ())

    def questions(self, check: Check) -> Iterator[tuple[Interval, Question]]:
        """The question of a check over each interval that it is about.

        Raises InputError where a part of the file has no meaning for some value, NotDecided where
        there is no exact method. Where channels decide for some values only, worlds are enumerated
        for all.
        """
        domains = self.domain_of(check)
        if not domains and not self.choice.chosen:
            said = f"no value of {self.name}, {self.domain.told(self.name)}, fulfils it"
            raise check.item["where"].fail("S805", said, "leave the check out")
        for domain in domains:
            found = self._parts(check, domain)
            mixed = has_both([question for *_, question in found])
            if mixed and not self.has_powers:  # no number at an irrational point is reduced
                self._models, self._beside = {}, True
                found = self._parts(check, domain)
            if not self.model.is_large and len({type(one.claim) for *_, one in found}) > 1:
                check = replace(check, model=self._made(by_worlds=True))
                found = self._parts(check, domain)
            first = found[0][2]
            if RationalFunction not in kinds_of([question for *_, question in found]) and (
                len(found) == 1 or len({question.content for _, _, question in found}) == 1
            ):
                yield domain, first
                continue
            ask = self._again(check)
            if mixed:
                found, ask = [(x, y, _as_power(one)) for x, y, one in found], _powers_of(ask)
            yield domain, region_question(self.name, domain, found, ask, self.has_powers)

    def _parts(self, check: Check, domain: Interval) -> list[Part]:
        if domain.is_point:
            return [self._at(check, domain.low)]
        inside = self._between(check, domain.low, domain.high)
        first = [self._at(check, domain.low)] if domain.low_closed else []
        return [*first, *inside, *([self._at(check, domain.high)] if domain.high_closed else [])]

    def _between(self, check: Check, low: End, high: End) -> list[Part]:
        """The parts of an open interval, with the points between them."""
        pending, found = [(low, high)], list[Part]()
        while pending:
            if len(found) > MAX_PARTS:
                raise LimitReached(f"over {MAX_PARTS} intervals of {self.name}")
            left, right = pending.pop()
            if compare(left, right) == 0:
                found.append(self._at(check, left))
                continue
            sample = between(left, right)
            cell = Cell(self.name, left, right, sample)
            try:
                question = self._compiled(check, cell)
            except AtRoot:
                pending += [(sample, right), (sample, sample), (left, sample)]
                continue
            below, above = self._nearest(check, left, right, sample)
            found.append((below, above, question))
            if compare(above, right):
                pending += [(above, right), (above, above)]
            if compare(left, below):
                found.pop()
                pending += [(below, above), (below, below), (left, below)]
        return found

    def _nearest(self, check: Check, low: End, high: End, sample: Fraction) -> tuple[End, End]:
        """The nearest roots around a sample of what its cell has recorded, or the ends."""
        cell = self._models[low, high, check.model.by_worlds][0]
        roots = {r for polynomial in cell.recorded for r in real_roots(polynomial, low, high)}
        order = cmp_to_key(compare)
        below = max((r for r in roots if compare(r, sample) < 0), key=order, default=low)
        return below, min((r for r in roots if compare(r, sample) > 0), key=order, default=high)

    def _at(self, check: Check, x: End) -> Part:
        cell = Cell(self.name, x, x, x, reduces=not self.has_powers)
        return x, x, self._compiled(check, cell)

    @property
    def has_powers(self) -> bool:
        """Whether powers of e have been found so far, which functions may have in them."""
        return self._beside or any(cell.powers for cell, _ in self._models.values())

    def _compiled(self, check: Check, cell: Cell) -> Question:
        """The question of a check within a cell."""
        by_worlds, notes = check.model.by_worlds, self.model.node.source.notes
        key = cell.low, cell.high, by_worlds
        is_fresh, before = key not in self._models, dict(notes.told)
        if is_fresh:
            self._models[key] = cell, self._made(by_worlds)
        cell, model = self._models[key]
        try:
            with cell, parameters.given(self.choice):
                return self.ask(replace(check, model=model))
        except InputError as error:
            raise self._located(error, check, cell) from None
        finally:
            self._note_use(model)
            told = {key: note for key, note in notes.told.items() if key not in before}
            notes.told = before
            if is_fresh:
                self._told.append(told)

    def _made(self, by_worlds: bool) -> Model:
        """The file, read anew."""
        return Model(self.model.path, self.model.node, self.model.allow_python, by_worlds)

    def _again(self, check: Check) -> Callable[[Cell], Question]:
        """What asks the question of a check anew within a cell that is active."""

        def ask(cell: Cell) -> Question:
            notes = self.model.node.source.notes
            before = dict(notes.told)
            made = self._made(check.model.by_worlds)
            try:
                with parameters.given(self.choice):
                    return self.ask(replace(check, model=made))
            finally:
                notes.told = before

        return ask

    def _located(self, error: InputError, check: Check, cell: Cell) -> InputError:
        """An error with the value for which it occurs, if it may occur for some only."""
        if not cell.recorded and not cell.is_point:
            return error
        told = f"{self.name} = {end_text(cell.sample)}"
        return located(error, told, map(partial(self._error, check), self._others(check)))

    def _others(self, check: Check) -> Iterator[Fraction]:
        """Some values that a check is about."""
        domain = self.domain_of(check)[0]
        if not domain.is_point:
            low, high = apart(domain.low, domain.high)
            yield from (low + (high - low) * k / 26 for k in (1, 13, 25))

    def _error(self, check: Check, x: Fraction) -> InputError | None:
        """The error of a check for a value; None where there is none."""
        try:
            with Cell(self.name, x, x, x) as cell:
                self._again(check)(cell)
        except InputError as error:
            return error
        except (NotDecided, LimitReached):
            pass
        return None

    def tell(self) -> None:
        """Tell what has been noticed in every cell."""
        first, *others = self._told or [{}]
        for key, note in first.items():
            if all(key in told for told in others):
                self.model.node.source.notes.told.setdefault(key, note)

    def _note_use(self, model: Model) -> None:
        """Keep in mind which secrets, priors, pairs and mechanisms have been used."""
        self.model.used |= model.used
        if not self.model.is_large:
            self.model.secrets.used |= model.secrets.used


def located(error: InputError, told: str, others: Iterable[InputError | None]) -> InputError:
    """An error with the values of parameters for which it occurs, unless there is the same one for
    other values too.

    error   that occurs
    told    the values for which it does
    others  what occurs for some other values, None for no error
    """
    same = error.code, error.message, error.place
    known = [one and (one.code, one.message, one.place) for one in others]
    if error.code in OF_NO_VALUE or (known and all(one == same for one in known)):
        return error
    said = f"{error.message}, for {told}"
    return InputError(error.code, said, error.place, error.excerpt, NARROW)


def _as_power(question: Question) -> Question:
    """A question with its level as a number."""
    claim: Any = question.claim
    if question.level is None or not question.level.epsilon:
        return question
    return replace(question, claim=replace(claim, level=Level(exp_epsilon=question.level.alpha)))


def _powers_of(ask: Callable[[Cell], Question]) -> Callable[[Cell], Question]:
    return lambda cell: _as_power(ask(cell))


def texts(node: Node) -> Iterator[str]:
    """All that is written in a part of a file."""
    if isinstance(node, MappingNode):
        for key, value in node.entries:
            yield key.text
            yield from texts(value)
    else:
        yield node.written


def has_both(questions: Sequence[Question]) -> bool:
    """Whether numbers of some questions are functions of parameters, and others powers of e."""
    kinds, levels = kinds_of(questions), [question.level for question in questions]
    powers = Exponential in kinds or any(level is not None and level.epsilon for level in levels)
    return RationalFunction in kinds and powers


def kinds_of(value: Any) -> set[type]:
    """The kinds of irrational numbers within a question."""
    pending, seen, found = [value], set[int](), set[type]()
    while pending:
        one = pending.pop()
        if isinstance(one, RationalFunction | Exponential):
            found.add(type(one))
        if id(one) in seen or isinstance(one, str | int | Fraction | type(None)):
            continue
        seen.add(id(one))
        if isinstance(one, Mapping):
            pending += (*one, *one.values())
        elif isinstance(one, tuple | list | set | frozenset):
            pending += one
        elif isinstance(one, np.ndarray):
            pending += one.ravel().tolist() if one.dtype == object else []
        elif is_dataclass(one) and not isinstance(one, type):
            pending += [getattr(one, each.name) for each in fields(one)]
    return found


def probe(choice: Choice, about: Mapping[str, Declared]) -> Choice:
    """A choice in which all real parameters are fixed at some value."""
    for name in choice.real:
        interval = about[name].interval
        assert interval is not None
        choice = fixed_at(choice, name, between(interval.low, interval.high))
    return choice
