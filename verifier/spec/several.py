"""A check with several real parameters, compiled for all values in a box where conditions hold.

As for one parameter, the file is read with functions in the place of numbers, at a sample of each
cell. What has been read is the same wherever the polynomials whose signs decided have the same
signs, which is proved; where that fails the check is undecided, or the file in error there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import Any

from verifier.base import parameters
from verifier.base.cell import AtRoot, Place
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.base.exponential_polynomial import INFINITE
from verifier.base.parameters import Choice
from verifier.base.polynomial import Polynomial, multiply, primitive
from verifier.base.rational_function import RationalFunction, polynomial_text, terms_in
from verifier.kernels.domains import Box, Point, is_positive, prove
from verifier.kernels.regions import SENSES, Interval, Region, refined, satisfying
from verifier.kernels.roots import between
from verifier.questions.cells import everywhere_question
from verifier.questions.question import Question
from verifier.questions.several import Domain, Sides
from verifier.spec.equations import Limit, boxes_of, is_nowhere_zero, solved
from verifier.spec.model import Model
from verifier.spec.options import Check
from verifier.spec.parameters import Declared, fixed_at, gaps, scalars
from verifier.spec.symbolic import (
    ASIDE,
    Over,
    has_both,
    kinds_of,
    located,
    texts,
)

ABOUT_SECRETS = ("pairs", "priors")  # sections that not every definition takes
MOST = 5  # parameters of one check
SAMPLES = 5  # at which a cell is tried to be read
ONE_LEFT = "fix all but one with --set, or say it as `where`"
Found = tuple[Sides, Question | None, Point]  # what is asked on a cell, and a point of it


class Reals:
    """The real parameters of a file, from which each check takes those that it speaks of.

    choice   in which they are not fixed
    about    what the file says of its parameters
    model    of the file
    ask      the question of a check, for a model that is read in some cell
    options  those of a definition
    """

    def __init__(
        self,
        choice: Choice,
        about: Mapping[str, Declared],
        model: Model,
        ask: Callable[[Check], Question],
        options: Callable[[str], Collection[str]],
    ) -> None:
        self._given, self._options = (choice, about, model, ask), options
        self._known: dict[Any, Over | Several] = {}

    def of(self, check: Check) -> Over | Several | None:
        """What asks a check for all values; None where it speaks of no real parameter.

        InputError S805 where its `where` cannot be read, NotDecided where an equation there has
        several solutions.
        """
        choice, about, model, ask = self._given
        word = re.compile(rf"(?<![\w.$])({'|'.join(choice.real)})(?!\w)")
        allowed = self._options(check.definition.text)
        aside = (*ASIDE, *(key for key in ABOUT_SECRETS if key not in allowed))
        shared = [node for key, node in check.model.node.entries if key.text not in aside]
        said = {
            name
            for node in (check.item, *shared)
            for one in texts(node)
            for name in word.findall(one)
        }
        names = tuple(name for name in choice.real if name in said)
        if not names:
            return None
        own = choice
        for name in set(choice.real) - set(names):  # any value will do
            interval = about[name].interval
            assert interval is not None
            own = fixed_at(own, name, between(interval.low, interval.high))
        own = replace(own, chosen=choice.chosen)
        found = solved(check.item.table.get("where"), own, about)
        key = found.choice.real, tuple(found.choice.defined.items()), found.limits
        if key not in self._known:
            made = Several if len(found.choice.real) > 1 else Over
            self._known[key] = made(found.choice, about, model, ask, found.limits)
        return self._known[key]

    def tell(self) -> None:
        """Tell what has been noticed for all values."""
        for one in self._known.values():
            one.tell()


class Several:
    """The checks of a file over a box of several real parameters.

    choice  in which they are not fixed
    about   what the file says of its parameters
    model   of the file
    ask     the question of a check, for a model that is read in some cell
    limits  comparisons that hold for the values that are asked about
    """

    name = ""  # the domain tells those of all parameters

    def __init__(
        self,
        choice: Choice,
        about: Mapping[str, Declared],
        model: Model,
        ask: Callable[[Check], Question],
        limits: Sequence[Limit] = (),
    ) -> None:
        self.choice, self.model, self.ask, self.limits = choice, model, ask, limits
        self.names = choice.real
        sides = [about[name].interval for name in self.names]
        self.sides = tuple(side for side in sides if side is not None)
        self._models: dict[tuple[Sides, Point], tuple[Place | None, Model]] = {}
        self._notes = dict(model.node.source.notes.told)

    def tell(self) -> None:
        """Keep what was told before cells were read."""
        self.model.node.source.notes.told = dict(self._notes)

    def questions(self, check: Check) -> Iterator[tuple[Domain, Question]]:
        """The question of a check over each domain that it is about.

        Raises InputError where a part of the file has no meaning for some values, NotDecided where
        there is no exact method.
        """
        node = check.item.table.get("expect")
        if isinstance(node, MappingNode) or "leakage" in check.item.table:
            raise NotDecided(f"where it holds is told for one parameter: {ONE_LEFT}")
        if len(self.names) > MOST:
            raise NotDecided(f"{len(self.names)} real parameters in one check, over {MOST}")
        if any(side.high == INFINITE for side in self.sides):
            raise NotDecided("with several real parameters each needs an upper end")
        with parameters.given(self.choice):
            domains = self._domains(check.item.table.get("where"))
        count = 0
        for domain in domains:
            found = [self._on(check, domain, sides) for sides in domain.cells()]
            known = [question for _, question, _ in found if question is not None]
            if not known:
                continue
            count += 1
            if has_both(known):
                said = f"the real parameters {' and '.join(self.names)} and powers of e"
                raise check.definition.fail("S804", f"{said} in one check")
            # functions have no content outside of a cell
            functions = RationalFunction in kinds_of(known)
            if not functions and len({question.content for question in known}) == 1:
                yield domain, known[0]
                continue
            yield domain, everywhere_question(domain, found, self._again(check))
        if not count and not self.choice.chosen:
            said = f"no values of {' and '.join(self.names)} fulfil it"
            raise check.item["where"].fail("S805", said, "leave the check out")

    def _domains(self, node: Node | None) -> list[Domain]:
        """The domains of a condition: one for each of the cases that `or` puts together."""
        cases: list[list[Limit]] = [[*self.limits]]
        for item in scalars(node):
            either = [re.split(r"\band\b", one) for one in re.split(r"\bor\b", item.text)]
            cases = [[*case, *((item, one) for one in both)] for case in cases for both in either]
        found = [self._domain(case) for case in cases]
        return [domain for domain in found if domain is not None]

    def _domain(self, case: list[Limit]) -> Domain | None:
        """Where all of some comparisons hold; None for nowhere."""
        sides, conditions = list(self.sides), list[tuple[Polynomial, bool]]()
        for node, one in case:
            for gap, sense in gaps(node, one):
                if not isinstance(gap, RationalFunction):
                    if not SENSES[sense]((gap > 0) - (gap < 0)):
                        return None
                    continue
                top, bottom = terms_in(gap if sense[0] == ">" else -gap, self.names)
                if sense == "==":
                    if is_nowhere_zero(top, boxes_of(sides)):
                        return None
                    said = f"{one.strip()} is not solved for one of the parameters"
                    raise NotDecided(f"{said}: write it as a quotient of polynomials in the others")
                whole = primitive(multiply(top, bottom))
                used = {k for e in whole for k, power in enumerate(e) if power}
                side = self._side(sides, used, whole, sense)
                if side is None:
                    conditions.append((whole, "=" not in sense))
                elif not side.intervals:
                    return None
                else:
                    sides[min(used)] = side.intervals[0]
        boxes = boxes_of(sides)
        needed = [
            (terms, strict)
            for terms, strict in conditions
            if not all(is_positive(terms, box) is True for box in boxes)
        ]
        return Domain(self.names, tuple(sides), tuple(needed))

    def _side(
        self,
        sides: list[Interval],
        used: set[int],
        product: Polynomial,
        sense: str,
    ) -> Region | None:
        """A smaller interval of the only parameter that a condition speaks of; None where there is
        no such interval with rational ends."""
        if len(used) > 1:
            return None
        (k,) = used
        degree = max(e[k] for e in product)
        zero = (0,) * len(self.names)
        listed = [product.get((*zero[:k], i, *zero[k + 1 :]), 0) for i in range(degree + 1)]
        region = satisfying([(listed, ">=" if "=" in sense else ">")], sides[k])
        region = refined([region, Region((sides[k],))], all)
        ends = [end for part in region.intervals for end in (part.low, part.high)]
        plain = len(region.intervals) < 2 and all(isinstance(end, Fraction) for end in ends)
        return region if plain else None

    def _on(self, check: Check, domain: Domain, sides: Sides) -> Found:
        """What a check asks on a cell."""
        box = Box(sides, domain.conditions)
        samples = list(islice(box.simple_points(), SAMPLES))
        if not samples:
            inside: Any = prove({(0,) * len(sides): -1}, box)
            if isinstance(inside, tuple):
                samples = [inside]
            elif inside is not None:
                return sides, None, ()
        for sample in samples:
            try:
                question, recorded = self._compiled(check, sides, _awkward(box, sample))
            except AtRoot:
                continue
            for terms, strict in recorded:
                self._need_sign(check, box, terms, strict)
            return sides, question, sample
        raise NotDecided(f"no value was found in a part of {domain.told()}")

    def _need_sign(self, check: Check, box: Box, terms: Polynomial, strict: bool) -> None:
        """NotDecided where a polynomial that decided, positive at the sample, is not shown to be
        positive everywhere, or >= 0 if that is enough; InputError where the file is in error."""
        found = is_positive(terms, box) if strict else prove(terms, box)
        if isinstance(found, tuple):
            self._compiled(check, tuple((x, x) for x in found), found)
        elif found is not None:
            return
        said = polynomial_text(self.names, terms)
        less = "is 0 or less" if strict else "is less than 0"
        raise NotDecided(f"other comparisons count where {said} {less}: leave it out by `where`")

    def _compiled(
        self, check: Check, sides: Sides, sample: Point
    ) -> tuple[Question, list[tuple[Polynomial, bool]]]:
        """The question of a check on a cell, and the polynomials that are positive at the sample,
        from whose signs it follows."""
        choice = self.choice
        for name, (low, high) in zip(self.names, sides, strict=True):
            if low == high:
                choice = fixed_at(choice, name, low)
        if (sides, sample) not in self._models:
            place = _place(self.names, sides, sample)
            made = Model(self.model.path, self.model.node, self.model.allow_python)
            self._models[sides, sample] = place, made
        place, model = self._models[sides, sample]
        within: AbstractContextManager[object] = nullcontext() if place is None else place
        try:
            with parameters.given(choice), within:
                question = self.ask(replace(check, model=model))
        except InputError as error:
            raise self._located(error, check, sample, place) from None
        finally:
            self.model.used |= model.used
            if not self.model.is_large:
                self.model.secrets.used |= model.secrets.used
        return question, [] if place is None else list(_recorded(place, self.names))

    def _again(self, check: Check) -> Callable[[Point], Question]:
        """What asks the question of a check at a point."""

        def ask(point: Point) -> Question:
            notes = self.model.node.source.notes
            before = dict(notes.told)
            made = Model(self.model.path, self.model.node, self.model.allow_python)
            try:
                with parameters.given(self.choice), Place.around(self.names, point, alone=True):
                    return self.ask(replace(check, model=made))
            finally:
                notes.told = before

        return ask

    def _located(
        self, error: InputError, check: Check, sample: Point, place: Place | None
    ) -> InputError:
        """An error with values for which it occurs, if it may occur for some only."""
        if place is not None and not place.recorded:
            return error
        near = (x.limit_denominator(1000) for x in sample)
        told = ", ".join(f"{n} = {x}" for n, x in zip(self.names, near, strict=True))
        return located(error, told, map(partial(self._error, check), self._others(check)))

    def _others(self, check: Check) -> Iterator[Point]:
        """Some values that a check is about."""
        with parameters.given(self.choice):
            domain = self._domains(check.item.table.get("where"))[0]
        whole = max(domain.cells(), key=lambda sides: sum(low < high for low, high in sides))
        yield from islice(Box(whole, domain.conditions).simple_points(), 1, 4)

    def _error(self, check: Check, point: Point) -> InputError | None:
        """The error of a check for some values; None where there is none."""
        choice = self.choice
        for name, x in zip(self.names, point, strict=True):
            choice = fixed_at(choice, name, x)
        made = Model(self.model.path, self.model.node, self.model.allow_python)
        try:
            with parameters.given(choice):
                self.ask(replace(check, model=made))
        except InputError as error:
            return error
        except (NotDecided, LimitReached):
            pass
        return None


def _awkward(box: Box, point: Point) -> Point:
    """A point very near one, where functions hardly have the same value by accident; on whichever
    side of it the conditions hold."""
    steps = [
        (high - low) * Fraction(2 * k + 3, 10_000_019 + k)
        for k, (low, high) in enumerate(box.sides)
    ]
    for signs in product((1, -1), repeat=len(steps)):
        moved = tuple(x + sign * step for x, sign, step in zip(point, signs, steps, strict=True))
        beside = zip(box.sides, moved, strict=True)
        if all(low <= x <= high for (low, high), x in beside) and box.has(moved):
            return moved
    return point


def _place(names: tuple[str, ...], sides: Sides, sample: Point) -> Place | None:
    """Where a cell is read: around its sample, of the parameters that are not at an end."""
    free = [k for k, (low, high) in enumerate(sides) if low != high]
    return Place.around([names[k] for k in free], [sample[k] for k in free]) if free else None


def _recorded(place: Place, names: tuple[str, ...]) -> Iterator[tuple[Polynomial, bool]]:
    """The polynomials whose signs decided, times these signs, in all parameters; and whether 0
    would decide otherwise."""
    own: Any = place.parameter
    listed: Any = place.recorded.items()
    for key, sign in listed:
        terms = {
            tuple(dict(zip(own, e, strict=True)).get(name, 0) for name in names): c * sign
            for e, c in key
        }
        yield terms, key in place.strict
