"""Equations between real parameters: one parameter is written as a function of the others.

`where: q == 1 - p` leaves one parameter, p: wherever q stands, 1 - p is read, and that this lies in
the interval of q is a condition on p. An equation is solved for a parameter in which it is linear:
a·q + b = 0 gives q = -b/a, where a is not 0. Where a and b are 0, every q is a solution: so it is
solved only where that is excluded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from verifier.base import exact, parameters
from verifier.base.document import Node, Scalar
from verifier.base.errors import NotDecided
from verifier.base.nouns import Later, dataclass
from verifier.base.parameters import Choice
from verifier.base.polynomial import Polynomial
from verifier.base.rational_function import RationalFunction, polynomial_text, text
from verifier.kernels.domains import Box, is_positive
from verifier.kernels.regions import Interval
from verifier.questions.several import Domain
from verifier.spec.parameters import Declared, gaps, scalars

Limit = tuple[Scalar, str]  # a comparison that must hold, and where the equation stands


@dataclass(frozen=True)
class Solved(Later):
    """The parameters that are left, and what equations say of the others.

    choice  in which the others are written as functions of those that are left
    limits  comparisons that hold where these functions lie in their intervals
    """

    choice: Choice
    limits: tuple[Limit, ...] = ()


def solved(node: Node | None, choice: Choice, about: Mapping[str, Declared]) -> Solved:
    """What the equations of a condition leave, while there are several real parameters.

    node    the condition, `where` of a check; None without one
    choice  in which all its real parameters are not fixed
    about   what the file says of them

    An equation in one of the cases of an `or`, or one that has no such solution, stays. InputError
    S805 for what is no comparison; NotDecided where it has several solutions.
    """
    found = Solved(choice)
    listed = list(_comparisons(node))
    waiting = True
    while waiting and len(found.choice.real) > 1:
        waiting = False
        for item, one in listed:
            step = _step(found, item, one, about)
            if step is not None:
                found, waiting = step, True
                break
    return found


def _comparisons(node: Node | None) -> Iterator[Limit]:
    """The comparisons with an equation that a condition asks for in every case."""
    for item in scalars(node):
        if not re.search(r"\bor\b", item.text):
            yield from ((item, one) for one in re.split(r"\band\b", item.text) if "==" in one)


def _step(found: Solved, item: Scalar, one: str, about: Mapping[str, Declared]) -> Solved | None:
    """What is left after one more equation is solved; None where there is none to solve."""
    with parameters.given(found.choice):
        listed = gaps(item, one)
    for gap, sense in listed:
        if sense != "==" or not isinstance(gap, RationalFunction):
            continue
        solution = _solution(gap, one, about)
        if solution is not None:
            name, function, pole = solution
            limits = [(item, _inside(name, _interval(about, name)))]
            limits += [(item, pole)] if pole else []
            return Solved(_without(found.choice, name, function), (*found.limits, *limits))
    return None


def _without(choice: Choice, name: str, function: str) -> Choice:
    """The choice in which a parameter is a function of the other real ones."""
    real = tuple(other for other in choice.real if other != name)
    with parameters.given(choice):
        defined = {**choice.defined, name: exact.number(function)}
    return replace(choice, real=real, defined=defined)


def _interval(about: Mapping[str, Declared], name: str) -> Interval:
    found = about[name].interval
    assert found is not None
    return found


def _inside(name: str, interval: Interval) -> str:
    """That a parameter lies in its interval, as text."""
    return interval.told(name)


def _solution(
    gap: RationalFunction, said: str, about: Mapping[str, Declared]
) -> tuple[str, str, str] | None:
    """A parameter, the function of the others that it is where a gap is 0, and what must hold for
    its denominator not to be 0, if that has to be said; None where there is none."""
    names: tuple[str, ...] = gap.parameter
    boxes = boxes_of([_interval(about, name) for name in names])
    factors: list[Any] = [factor for factor, _ in gap._top.factor()[1]]
    factors = [one for one in map(_terms, factors) if not is_nowhere_zero(one, boxes)]
    if len(factors) > 1:
        raise NotDecided(f"{said.strip()} has several solutions: write a check for each of them")
    if not factors:
        return None
    (terms,) = factors
    alone = [side.strip() for side in said.split("==") if side.strip() in names]
    order = [*alone, *(name for name in reversed(names) if name not in alone)]
    pieces = [(name, *_linear(terms, names.index(name))) for name in order]
    linear = [(name, a, b) for name, a, b in pieces if a is not None]
    for name, a, b in linear:
        if is_nowhere_zero(a, boxes):
            return name, _quotient(names, a, b), ""
    if linear and len(names) == 2:  # what is left of a and b is one polynomial each, and coprime
        name, a, b = linear[0]
        return name, _quotient(names, a, b), f"({polynomial_text(names, a)})**2 > 0"
    return None


def _quotient(names: Sequence[str], a: Polynomial, b: Polynomial) -> str:
    return text(names, {e: -c for e, c in b.items()} or {(0,) * len(names): 0}, a)


def _terms(polynomial: Any) -> Polynomial:
    return {tuple(map(int, e)): int(c) for e, c in polynomial.to_dict().items()}


def _linear(terms: Polynomial, k: int) -> tuple[Polynomial | None, Polynomial]:
    """The polynomials a and b without the parameter number k, if another one is a·x + b; None in
    place of a if it is not."""
    if max(e[k] for e in terms) != 1:
        return None, {}
    a = {(*e[:k], 0, *e[k + 1 :]): c for e, c in terms.items() if e[k]}
    return a, {e: c for e, c in terms.items() if not e[k]}


def boxes_of(sides: Sequence[Interval]) -> list[Box]:
    """The boxes of all values, and of those at ends that belong to their intervals."""
    return list(map(Box, Domain(("",) * len(sides), tuple(sides)).cells()))


def is_nowhere_zero(terms: Polynomial, boxes: Sequence[Box]) -> bool:
    """Whether a polynomial is shown to be nowhere 0 on any of some boxes."""
    if not any(map(any, terms)):
        return True
    return any(
        all(is_positive({e: sign * c for e, c in terms.items()}, box) is True for box in boxes)
        for sign in (1, -1)
    )
