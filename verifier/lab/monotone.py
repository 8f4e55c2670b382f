"""Whether what holds for one value of an integer parameter holds for all larger ones, or smaller.

It is proved by where the parameter stands; at each place larger values ask for less, or for more:

- a level or a delta: a larger one asks for less. The order of Rényi's divergence, which rises with
  it, and a size `group`, by which more worlds are compared: a larger one asks for more.
- `entries` of `influence`: what at most so many hidden entries achieve, at most one more do too.
- the mechanism, where that of one value is that of another one, changed afterwards without a look
  at the world. For definitions that compare distributions of outputs the changed one leaks no
  more. So is a mechanism of fewer `runs`, which are some of all runs; randomized response with a
  smaller truth from 1/2 on, which answers the answer once more; and geometric noise of a larger
  ratio without bounds, which is other noise added. With c(r) = r/(1 - r)^2 and u = 2 - 2*cos(t),
  noise of ratio r has the characteristic function 1/(1 + c(r)*u); the quotient of those of s > r
  and r is c(r)/c(s) + (1 - c(r)/c(s))/(1 + c(s)*u), which is noise of ratio s, or none at all.
- the number of records that answer by themselves, compared without priors: fewer records are
  all records, one of which has a fixed value and whose answer is forgotten.

All of this for every value of the other parameters.

Example. With `n: 1..20`, all that is asked at the level e^ε = n for n = 7 holds for n = 8 too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Table
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from verifier.base import exact, parameters
from verifier.base.document import Mapping, Node, Scalar, parse, read_text
from verifier.base.document import Sequence as List
from verifier.base.errors import InputError
from verifier.base.parameters import Choice
from verifier.base.registry import DEFINITIONS
from verifier.definitions._order import COMPARING, LEVELS
from verifier.spec.symbolic import ASIDE, texts

COMPARED = ("differential_privacy", "bounded_range", "renyi", "zcdp")  # of any neighbours
NOISE = {  # the same of numbers of a mechanism
    "randomized_response": {"truth": -1, "epsilon": -1},
    "geometric": {"ratio": 1, "exp_epsilon": -1, "epsilon": -1},
}
PARTS = ("compose", "local")  # mechanisms made of independent ones
PLAIN = (*PARTS, "repeat", *NOISE, "table", "deterministic", "exponential")
ALONE = ("randomized_response", "local")  # records answer by themselves
NEIGHBOURS = ("replace", "add_remove", "entry", "all")
_LN = re.compile(r"\s*ln\((.*)\)\s*", re.DOTALL)


class NotProved(Exception):
    """A parameter stands where nothing is proved of larger values."""


@dataclass(frozen=True)
class Place:
    """Where a parameter stands.

    text   that it stands in
    order  1 where larger numbers ask for less, -1 for more
    least  the smallest number for which this is proved
    """

    text: str
    order: int
    least: Fraction | None = None


def direction(path: str, name: str, choices: Sequence[Choice]) -> int:
    """1 where it is proved that what holds for a value holds for all larger ones, -1 for all
    smaller ones; 0 where neither is proved.

    path     of a file
    name     of a parameter with a list of integers
    choices  of the parameters of the file
    """
    text = read_text(path)
    if re.search(rf"\${name}\b", text):
        return 0
    try:
        places = _Places(name).of(parse(text, path))
        signs = {_sign(place, name, choices) for place in places}
    except (InputError, NotProved):
        return 0
    if 0 in signs or len(signs) > 1:
        return 0
    return signs.pop() if signs else 1


class _Places:
    """Finds the places where a parameter stands; NotProved where nothing is proved of one.

    name  of the parameter
    """

    def __init__(self, name: str) -> None:
        # cells of a table in another file may have the name too
        self._word = re.compile(rf"(?<![\w.])({name}|csv)(?!\w)")

    def of(self, top: Node) -> list[Place]:
        """Those in a file."""
        file = top.mapping()
        checks = [item.mapping() for item in file["checks"].sequence()]
        found = list[Place]()
        for key, node in file.entries:
            if key.text in ASIDE or not self._is_in(node):
                continue
            if key.text == "worlds":
                found.append(self._records(file, checks))
            elif key.text in ("mechanism", "mechanisms"):
                found += self._mechanisms(file, checks)
            else:
                raise NotProved
        return [*found, *(place for check in checks for place in self._options(check))]

    def _is_in(self, node: Node) -> bool:
        return any(map(self._word.search, texts(node)))

    def _options(self, check: Mapping) -> Iterator[Place]:
        """The places in a check."""
        for key, value in check.entries:
            inner = value.entries if isinstance(value, Mapping) else ((key, value),)
            for option, node in inner if key.text != "name" else ():
                if not (self._word.search(option.text) or self._is_in(node)):
                    continue
                order = _order_of(key.text).get(option.text)
                if order is None:
                    raise NotProved
                yield _place(option.text, node, order)

    def _mechanisms(self, file: Mapping, checks: Sequence[Mapping]) -> Iterator[Place]:
        """The places in mechanisms, which are not used in other ways than by running them."""
        if not all(map(_compares_outputs, checks)):
            raise NotProved
        for node in _listed(file):
            yield from self._released(node)

    def _released(self, node: Node) -> Iterator[Place]:
        """The places in a mechanism."""
        if isinstance(node, Scalar):  # the name of one
            return
        ((kind, inside),) = node.mapping().entries
        if kind.text not in PLAIN:
            raise NotProved
        if kind.text in PARTS:
            for part in inside.items if isinstance(inside, List) else (inside,):
                yield from self._released(part)
            return
        if not isinstance(inside, Mapping):
            if self._is_in(inside):
                raise NotProved
            return
        for option, value in inside.entries:
            if kind.text == "repeat" and option.text == "of":
                yield from self._released(value)
            elif self._word.search(option.text) or self._is_in(value):
                yield _number(kind.text, option.text, inside, value)

    def _records(self, file: Mapping, checks: Sequence[Mapping]) -> Place:
        """The place in the worlds: how many records there are, which answer by themselves."""
        worlds = file["worlds"].mapping()
        others = [node for key, node in worlds.entries if key.text != "records"]
        alone = [list(node.mapping().table) for node in _listed(file)]
        if (
            any(map(self._is_in, others))
            or not {*worlds.table} <= {"records", "domain", "absent"}
            or not all(len(kinds) == 1 and kinds[0] in ALONE for kinds in alone)
            or any(isinstance(node.mapping().table.get("local"), List) for node in _listed(file))
            or not all(_is_about(check, COMPARED) and _has_neighbours(check) for check in checks)
        ):
            raise NotProved
        return _place("records", worlds["records"], -1)


def _order_of(keyword: str) -> Table[str, int]:
    """Of the options of a definition: 1 where larger values ask for less, -1 for more."""
    if keyword not in DEFINITIONS.keywords():
        return {}
    own: Table[str, int] = getattr(DEFINITIONS.module(keyword), "LARGER", {})
    return {**LEVELS, **own}


def _compares_outputs(check: Mapping) -> bool:
    """Whether a check compares distributions of what is released, in pairs."""
    asked = (key.text for key, _ in check.entries if key.text in DEFINITIONS.keywords())
    return any(DEFINITIONS.module(keyword).CLOSED in COMPARING for keyword in asked)


def _listed(file: Mapping) -> list[Node]:
    """All mechanisms of a file."""
    one, several = file.table.get("mechanism"), file.table.get("mechanisms")
    named = [node for _, node in several.mapping().entries] if several is not None else []
    return [*named, *([one] if one is not None else [])]


def _is_about(check: Mapping, definitions: Sequence[str]) -> bool:
    return any(key.text in definitions for key, _ in check.entries)


def _has_neighbours(check: Mapping) -> bool:
    """Whether neighbours are also neighbours where one more record has a fixed value."""
    (asked,) = (node for key, node in check.entries if key.text in COMPARED)
    node = asked.mapping().table.get("neighbours")
    return node is None or (isinstance(node, Scalar) and node.text in NEIGHBOURS)


def _number(kind: str, option: str, inside: Mapping, node: Node) -> Place:
    """The place in a number of a mechanism of some kind, whose options are `inside`."""
    if kind == "repeat" and option == "runs":
        return _place(option, node, -1)
    order = NOISE.get(kind, {}).get(option)
    if order is None or {"low", "high"} & {*inside.table}:
        raise NotProved
    return _place(option, node, order, Fraction(1, 2) if option == "truth" else None)


def _place(key: str, node: Node, order: int, least: Fraction | None = None) -> Place:
    if not isinstance(node, Scalar):
        raise NotProved
    logarithm = _LN.fullmatch(node.text) if key in ("epsilon", "rho") else None
    return Place(logarithm[1] if logarithm else node.text, order, least)


def _sign(place: Place, name: str, choices: Iterable[Choice]) -> int:
    """1 where larger values of a parameter ask for less, or the same, at a place; -1 for more."""
    found: dict[tuple[tuple[str, str], ...], list[tuple[Fraction, Fraction]]] = {}
    for choice in choices:
        with parameters.given(choice):
            value = exact.number(place.text)
        if place.least is not None and (exact.is_symbolic(value) or value < place.least):
            return 0
        others = tuple(one for one in choice.texts.items() if one[0] != name)
        found.setdefault(others, []).append((choice.values[name], value))
    steps = [
        after - before
        for known in found.values()
        for (_, before), (_, after) in pairwise(sorted(known, key=lambda one: one[0]))
    ]
    if any(map(exact.is_symbolic, steps)):
        return 0
    if all(step >= 0 for step in steps):
        return place.order
    return -place.order if all(step <= 0 for step in steps) else 0
