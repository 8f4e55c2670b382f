"""Sets of values that are possible, and what operations give of them.

What a part of a text may be follows from the domains of the worlds and the constants that it is
made of. Nothing is evaluated over worlds, so this is as fast for millions of them as for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import Any

from verifier.base.nouns import Later, dataclass
from verifier.world.space import (
    ABSENT,
    FALSE,
    TRUE,
    Dictionary,
    Failure,
    World,
    WorldSpace,
    is_number,
    kind,
    only,
)

MAX_VALUES = 300
MAX_DEPTH = 5

NUMBER, WORD, TRUTH, LIST = "a number", "a word", "a truth", "a list"
WORLD, DISTRIBUTION, DICTIONARY = "a world", "a distribution", "a dictionary"
ANY = "anything"
MAX_RANGE = 100


@dataclass(frozen=True)
class Possible(Later):
    """A set of possible values.

    values  single numbers, words and truths, and ⊥
    kinds   kinds of which any value is possible; ANY stands for all of them
    parts   of lists and worlds that all have as many elements: what each may be
    items   of other lists: what any element may be; of distributions, any outcome; of
            dictionaries, what any key may stand for
    """

    values: frozenset[Any] = frozenset()
    kinds: frozenset[str] = frozenset()
    parts: tuple[Possible, ...] | None = None
    items: Possible | None = None

    @property
    def anything(self) -> bool:
        """Whether nothing is known."""
        return ANY in self.kinds

    @property
    def all_kinds(self) -> frozenset[str]:
        """The kinds of all values but ⊥."""
        return self.kinds | {kind(value) for value in self.values if value is not ABSENT}

    @property
    def element(self) -> Possible:
        """What any element may be."""
        parts = self.parts or ()
        return union([*parts, *([self.items] if self.items else [])])


Abstract = Callable[..., Possible]  # what an operation may give of what its values may be

ANYTHING = Possible(kinds=frozenset([ANY]))
NOTHING = Possible()
ANY_NUMBER = Possible(kinds=frozenset([NUMBER]))
ANY_TRUTH = Possible(frozenset([TRUE, FALSE]))


def just_value(value: Any) -> Possible:
    """Just this value."""
    if isinstance(value, tuple):
        return listed(map(just_value, value))
    if isinstance(value, Dictionary):
        return dictionary(*(just_value(part) for entry in value.entries for part in entry))
    if isinstance(value, World):
        known = replace(listed(map(just_value, value.records)), kinds=frozenset([WORLD]))
        also = only(value.records) if value.value is None else value.value
        return known if also is None else _either(known, just_value(also))
    return Possible(frozenset([value]))


def values(found: Iterable[Any]) -> Possible:
    """Each of the values `found`, of which many become any number (words are never many)."""
    return union(map(just_value, found))


def listed(parts: Iterable[Possible]) -> Possible:
    """A list with the elements `parts`."""
    return Possible(kinds=frozenset([LIST]), parts=tuple(parts))


def list_of(items: Possible) -> Possible:
    """A list of any length with elements that `items` allows."""
    return Possible(kinds=frozenset([LIST]), items=items)


def distribution(outcomes: Possible) -> Possible:
    """A distribution over these outcomes."""
    return Possible(kinds=frozenset([DISTRIBUTION]), items=outcomes)


def record(space: WorldSpace) -> Possible:
    """The value of any record of a world of `space`."""
    return values(space.record_values)


def world(space: WorldSpace) -> Possible:
    """Any world of `space`, also the value of its only record; of named worlds and of histograms
    nothing is known but their names."""
    one = values(space.element_values)
    parts = tuple([one] * len(space.records)) if space.records else None
    known = Possible(kinds=frozenset([WORLD]), parts=parts)
    return _either(known, one) if len(space.records) == 1 else known


def union(sets: Iterable[Possible]) -> Possible:
    """What is possible in one of several ways, `sets`."""
    return reduce(_either, sets, NOTHING)


def _either(a: Possible, b: Possible) -> Possible:
    if a == b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    if a.anything or b.anything:
        return ANYTHING
    found, kinds = a.values | b.values, a.kinds | b.kinds
    numbers = frozenset(filter(is_number, found))
    if NUMBER in kinds or len(numbers) > MAX_VALUES:
        found, kinds = found - numbers, kinds | {NUMBER}
    parts, items = _together(a, b)
    return _capped(Possible(found, kinds, parts, items), MAX_DEPTH)


def _together(a: Possible, b: Possible) -> tuple[tuple[Possible, ...] | None, Possible | None]:
    """What the elements may be: place by place where both have as many."""
    for one, other in ((a, b), (b, a)):
        if one.parts is None and one.items is None:
            return other.parts, other.items
    if a.parts is not None and b.parts is not None and len(a.parts) == len(b.parts):
        return tuple(map(_either, a.parts, b.parts)), union(filter(None, [a.items, b.items]))
    return None, _either(a.element, b.element)


def _capped(given: Possible, depth: int) -> Possible:
    """Without what is nested too deeply, so that growing lists come to an end."""
    if not depth:
        return ANYTHING
    parts = None if given.parts is None else tuple(_capped(p, depth - 1) for p in given.parts)
    return replace(given, parts=parts, items=given.items and _capped(given.items, depth - 1))


def may_equal(a: Possible, b: Possible, space: WorldSpace) -> bool:
    """Whether values `a` and `b` over `space` may be equal. ⊥ on both sides is no reason."""
    if a.anything or b.anything:
        return True
    if (a.values & b.values) - {ABSENT} or a.values == b.values == {ABSENT}:
        return True
    if any(kind(v) in b.kinds for v in a.values) or any(kind(v) in a.kinds for v in b.values):
        return True
    if a.kinds & b.kinds & {NUMBER, WORLD, DICTIONARY}:
        return True
    return _world_may_equal(a, b, space) or _world_may_equal(b, a, space) or _lists_may(a, b, space)


def _world_may_equal(a: Possible, b: Possible, space: WorldSpace) -> bool:
    """A world against the word of its name, or the list of its records' values."""
    if WORLD not in a.kinds:
        return False
    if any(isinstance(v, str) and space.may_be_named(v) for v in b.values):
        return True
    return LIST in b.kinds and bool(space.records) and _elements_may(a, b, space)


def _lists_may(a: Possible, b: Possible, space: WorldSpace) -> bool:
    return LIST in a.kinds and LIST in b.kinds and _elements_may(a, b, space)


def _elements_may(a: Possible, b: Possible, space: WorldSpace) -> bool:
    if a.parts is not None and b.parts is not None:
        same = len(a.parts) == len(b.parts)
        return same and all(may_equal(x, y, space) for x, y in zip(a.parts, b.parts, strict=True))
    if a.parts is None and b.parts is None:
        return True  # two empty lists, if nothing else
    parts, other = (a.parts, b) if a.parts is not None else (b.parts or (), a)
    return all(may_equal(part, other.element, space) for part in parts)


def outcomes(given: Possible) -> Possible:
    """What is drawn from what is `given`."""
    if given.anything or given.items is None:
        return ANYTHING
    return given.items


def folded(operation: Callable[..., Any], *given: Possible) -> Possible:
    """What an `operation` on numbers gives: of constants its value."""
    if all(len(part.values) == 1 and not part.kinds for part in given):
        with suppress(Failure):
            return just_value(operation(*(next(iter(part.values)) for part in given)))
    return ANY_NUMBER


def any_number(*given: Possible) -> Possible:
    """Any number, whatever is `given`."""
    return ANY_NUMBER


def any_truth(*given: Possible) -> Possible:
    """Any truth, whatever is `given`."""
    return ANY_TRUTH


def anything(*given: Possible) -> Possible:
    """Anything, whatever is `given`."""
    return ANYTHING


def numbers(*given: Possible) -> Possible:
    """Any list of numbers, whatever is `given`."""
    return list_of(ANY_NUMBER)


def bits(*given: Possible) -> Possible:
    """A distribution over 0 and 1, whatever is `given`."""
    return distribution(values([0, 1]))


def drawn_numbers(*given: Possible) -> Possible:
    """A distribution over numbers, whatever is `given`."""
    return distribution(ANY_NUMBER)


def display(*parts: Possible) -> Possible:
    """A list of the parts."""
    return listed(parts)


def table(*parts: Possible) -> Possible:
    """A distribution over every second part."""
    return distribution(union(parts[::2]))


def attribute(record: Possible, position: int) -> Possible:
    """The attribute at a `position` of a record."""
    if record.anything or record.parts is None:
        return ANYTHING
    gone = just_value(ABSENT) if ABSENT in record.values else NOTHING
    return union([record.parts[position], gone])


def add(a: Possible, b: Possible) -> Possible:
    """The sum of numbers, or one list after the other."""
    if a.anything or b.anything:
        return ANYTHING
    if LIST not in a.kinds or LIST not in b.kinds:
        return ANY_NUMBER
    if a.parts is not None and b.parts is not None:
        return listed([*a.parts, *b.parts])
    return list_of(union([a.element, b.element]))


def multiply(a: Possible, b: Possible) -> Possible:
    """The product of numbers, or a list repeated."""
    if a.anything or b.anything:
        return ANYTHING
    lists = [part.element for part in (a, b) if LIST in part.kinds]
    return list_of(union(lists)) if lists else ANY_NUMBER


def append(a: Possible, b: Possible) -> Possible:
    """A list with the elements of another one added."""
    return ANYTHING if a.anything else list_of(union([a.element, b.element]))


def index(items: Possible, place: Possible) -> Possible:
    """The element of a list, or of a world, at a place."""
    if items.anything:
        return ANYTHING
    if items.parts is not None and (at := _place(items.parts, place)) is not None:
        return items.parts[at]
    known = items.parts is not None or items.items is not None
    return items.element if known else ANYTHING


def dictionary(*parts: Possible) -> Possible:
    """A dictionary in which every second part stands for the one before."""
    return Possible(kinds=frozenset([DICTIONARY]), items=union(parts[1::2]))


def get(items: Possible, place: Possible, other: Possible) -> Possible:
    """What a dictionary has for a key, or another value."""
    return ANYTHING if items.anything else union([items.element, other])


def same(given: Possible) -> Possible:
    """What is given."""
    return given


def put(items: Possible, place: Possible, item: Possible) -> Possible:
    """A list or dictionary with one of its elements replaced."""
    if DICTIONARY in items.kinds:
        kinds = items.kinds & {DICTIONARY, LIST, ANY}
        return Possible(kinds=kinds, items=union([items.element, item.element]))
    if items.anything or (items.parts is None and items.items is None):
        return ANYTHING
    if items.parts is not None and (at := _place(items.parts, place)) is not None:
        return listed([*items.parts[:at], item.element, *items.parts[at + 1 :]])
    if items.parts is not None and items.items is None:
        return listed(union([part, item.element]) for part in items.parts)
    return list_of(union([items.element, item.element]))


def _place(parts: tuple[Possible, ...], place: Possible) -> int | None:
    """The only place in a list that an index may mean, from 0; None where it may be several."""
    if len(place.values) == 1 and not place.kinds:
        at = next(iter(place.values))
        if type(at) is int and -len(parts) <= at < len(parts):
            return at % len(parts)
    return None


def unpacked(items: Possible, place: Possible, count: Possible) -> Possible:
    """The element at a place of a list of so many."""
    return index(items, place)


def uniform(a: Possible, b: Possible) -> Possible:
    """A distribution over the whole numbers from `a` to `b`."""
    if len(a.values) == len(b.values) == 1 and not a.kinds | b.kinds:
        low, high = next(iter(a.values)), next(iter(b.values))
        if type(low) is int and type(high) is int and 0 <= high - low < MAX_RANGE:
            return distribution(values(range(low, high + 1)))
    return distribution(ANY_NUMBER)


def binomial(n: Possible, p: Possible) -> Possible:
    """A distribution over the whole numbers from 0 to `n`."""
    return uniform(just_value(0), n)


def xor(*given: Possible) -> Possible:
    """Exclusive or of truths, or of numbers 0 and 1."""
    parts = [part.element if LIST in part.kinds else part for part in given]
    if any(part.anything for part in parts):
        return ANYTHING
    are_numbers = any(is_number(v) for part in parts for v in part.values) or any(
        NUMBER in part.kinds for part in parts
    )
    truths = any(TRUTH in part.all_kinds for part in parts)
    return union([*([values([0, 1])] if are_numbers else []), *([ANY_TRUTH] if truths else [])])
