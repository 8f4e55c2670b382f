"""Events: conjunctions of comparisons of independent draws, in a form that equal ones share.

A path of a program compares draws that have numbers of their own. Its connected components are
independent, so its probability is a product; each is named by laws and comparisons alone, its draws
in an order that does not depend on their numbers where they form a tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Any

from verifier.noise.draws import Condition, Draw, Hashed, Law, Linear, Number, Path


@dataclass(frozen=True)
class Event(Hashed):
    """Comparisons of connected draws.

    laws        of the draws 0, 1, …
    conditions  each ((draw, factor), …), constant: Σ factor · draw + constant >= 0
    """

    __hash__ = Hashed.kept_hash

    laws: tuple[Law, ...]
    conditions: tuple[tuple[tuple[tuple[int, int], ...], Number], ...]


Released = tuple[tuple[tuple[int, int], ...], Number, int]


@dataclass(frozen=True)
class Basis(Hashed):
    """Functions of a number y between two ends that are nowhere negative, and independent.

    low, high  the ends; None for an infinite one
    rate       each function is e^(rate · y) times a polynomial
    step       in U = e^(step · y); in U = y where it is 0, between two ends
    degree     of that in U
    power      of that in what y is besides
    anchor     0 or 1: the end at which what is left of y vanishes, with `order` derivatives
    order      of the polynomial in U by which y is replaced

    With A and B the values of U at the ends, 0 at an infinite one, they have the factors
    ((U − B)/(A − B))^(degree − k) ((U − A)/(B − A))^k. With one end, y is this end and a distance,
    whose power j is a factor. With two, and the end a as anchor, y is a + ln(1 + x)/step for
    x = U/A − 1, with B in place of A if a is the other one. Taylor's polynomial of this leaves V of
    one sign, with |V| <= R = (7/4 w)^(order + 1)/((order + 1) step) for w = step (high − low) <= 1.
    The factors are (1 − |V|/R)^(power − j) (|V|/R)^j: densities are near to curves in U.
    """

    __hash__ = Hashed.kept_hash

    low: Fraction | None
    high: Fraction | None
    rate: Fraction
    step: Fraction
    degree: int
    power: int
    anchor: int = 0
    order: int = 0

    @property
    def width(self) -> Fraction:
        """How much the exponent of U changes between two ends."""
        assert self.low is not None and self.high is not None
        return self.step * (self.high - self.low)

    @property
    def room(self) -> Fraction:
        """The bound R of what is left of y."""
        over = self.order + 1
        return (Fraction(7, 4) * self.width) ** over / (over * self.step)

    @property
    def sign(self) -> int:
        """The sign of what is left of y."""
        return -1 if self.anchor or self.order % 2 else 1


@dataclass(frozen=True)
class Share(Event):
    """How much of the density of a number, where an event holds, is one function of a basis.

    released  the number: ((draw, factor), …), constant, and what the sum of these is divided by
    basis     of functions
    place     k and j of the function
    """

    __hash__ = Hashed.kept_hash

    released: Released
    basis: Basis
    place: tuple[int, int]


def events(path: Path) -> list[Event]:
    """The independent events of a `path`, each with its draws in canonical order."""
    return [_event(part) for part in _components(_tight(path))]


def _tight(path: Path) -> list[Condition]:
    return [Condition(terms, constant) for terms, constant in path.tight.items()]


def seen(
    path: Path, forms: Sequence[Linear]
) -> tuple[list[Event], list[tuple[Event, Released]]] | None:
    """The independent events of a `path` without those about some numbers, which are sums of draws
    (`forms`); and of each number the one that these are together, and the number as `Share` has it,
    whose first draw is draw 0. None where two numbers are not independent of one another."""
    parts = _components(_tight(path))
    numbers, taken = list[tuple[Event, Released]](), set[Draw]()
    for form in forms:
        draws = {draw for draw, _ in form.terms}
        about = [part for part in parts if any(draws.intersection(c.draws) for c in part)]
        draws = draws.union(*(c.draws for part in about for c in part))
        if taken & draws:
            return None
        taken |= draws
        numbers.append(_number(form, list(chain.from_iterable(about))))
    others = (part for part in parts if taken.isdisjoint(part[0].draws))
    return list(map(_event, others)), numbers


def _number(form: Linear, mine: list[Condition]) -> tuple[Event, Released]:
    """A sum of draws as `Share` has it, and the conditions about it as an event."""
    times = lcm(*(factor.denominator for _, factor in form.terms))
    form = form.times(times)
    draws = {draw for draw, _ in form.terms}
    first = [draw for draw, _ in sorted(form.terms, key=lambda term: (term[0].law, term))]
    ordered = [*first, *(draw for draw in _order(mine) if draw not in draws)] if mine else first
    place = {draw: i for i, draw in enumerate(ordered)}
    terms = tuple(sorted((place[draw], int(factor)) for draw, factor in form.terms))
    laws = tuple(draw.law for draw in place)
    return Event(laws, _placed(mine, place).conditions), (terms, form.constant, times)


def _components(conditions: list[Condition]) -> list[list[Condition]]:
    parts: list[tuple[set[Draw], list[Condition]]] = []
    for condition in conditions:
        draws, inside, rest = set(condition.draws), [condition], []
        for part in parts:
            if part[0] & draws:
                draws |= part[0]
                inside = part[1] + inside
            else:
                rest.append(part)
        parts = [*rest, (draws, inside)]
    return [inside for _, inside in parts]


def _event(conditions: list[Condition]) -> Event:
    return _placed(conditions, {draw: i for i, draw in enumerate(_order(conditions))})


def _placed(conditions: Iterable[Condition], place: dict[Draw, int]) -> Event:
    found = []
    for condition in conditions:
        terms = tuple(sorted((place[draw], factor) for draw, factor in condition.terms))
        found.append((terms, condition.constant))
    return Event(tuple(draw.law for draw in place), tuple(sorted(found)))


def _order(conditions: list[Condition]) -> list[Draw]:
    """The draws: of a tree from its busiest draw on, equal branches in a row."""
    edges: dict[Draw, dict[Draw, list[Any]]] = defaultdict(lambda: defaultdict(list))
    own: dict[Draw, list[Any]] = defaultdict(list)
    for condition in conditions:
        for draw, factor in condition.terms:
            others = tuple(f for d, f in condition.terms if d != draw)
            own[draw].append((factor, others, condition.constant))
            for other in condition.draws:
                if other != draw:
                    edges[draw][other].append((factor, others, condition.constant))
    colors = {draw: (draw.law, sorted(found)) for draw, found in own.items()}
    wanted = sorted(colors, key=lambda draw: (-len(edges[draw]), colors[draw], draw))
    if sum(map(len, edges.values())) != 2 * len(colors) - 2:
        return wanted
    keys: dict[Draw, Any] = {}

    def key(draw: Draw, parent: Draw | None) -> Any:
        """What tells the branch from a `draw` on apart, seen from its `parent`."""
        inner = sorted((sorted(edges[draw][d]), key(d, draw)) for d in edges[draw] if d != parent)
        keys[draw] = (draw.law, colors[draw][1], inner)
        return keys[draw]

    def branch(draw: Draw, parent: Draw | None) -> list[Draw]:
        """The draws from a `draw` on."""
        below = sorted(
            (d for d in edges[draw] if d != parent),
            key=lambda d: (sorted(edges[draw][d]), keys[d]),
        )
        return [draw, *(found for d in below for found in branch(d, draw))]

    key(wanted[0], None)
    return branch(wanted[0], None)
