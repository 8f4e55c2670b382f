"""Small certificates of every kind, each with one part more or less: none is accepted."""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from tests.checker.drafts import KINDS
from tests.drawing import wider
from tests.harden.claims import bases
from tests.harden.envelope import Parts, closed
from verifier.checker import check

OPTIONAL = {"closed", "noise", "reals", "tradeoff"}  # less is asked, or said, without them
OFTEN = wider(1, 3)
GARBAGE = {"garbage": ["1"]}
# objects from names or indices that are chosen freely to something: another entry may be right
MAPS = {"secrets", "distances", "payoff", "coefficients", "impossible", "counts", "run"}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all lists and objects."""
    if isinstance(value, list | dict):
        yield path
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def is_map(path: tuple[Any, ...], value: Any) -> bool:
    """Betas and the weights of conditionals are inside lists, from names to shares."""
    free = {str(key) for key in value} & {"", *map(str, range(100))}
    return bool(path) and (
        path[-1] in MAPS or bool(free) or not value or path[-2:-1] == ("priors",)
    )


def changed(parts: Parts, name: str, path: tuple[Any, ...], seen: Counter[Any]) -> Iterator[Parts]:
    """With garbage in a list or object, and without its last entry or each of its keys; but what
    was done often enough at such a place, in whatever list."""
    value = at(getattr(parts, name), path)
    place = tuple("" if isinstance(key, int) else key for key in path)
    shape = place, frozenset(value) if isinstance(value, dict) else len(value)
    seen[shape] += 1
    if seen[shape] > OFTEN:
        return
    if isinstance(value, list):
        copy = deepcopy(parts)
        at(getattr(copy, name), path).append(deepcopy(GARBAGE))
        yield copy
    elif not is_map(path, value):
        for key in (*(key for key in value if key not in OPTIONAL), "garbage"):
            copy = deepcopy(parts)
            part = at(getattr(copy, name), path)
            if key in value:
                del part[key]
            else:
                part[key] = GARBAGE
            yield copy


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("name", ["claim", "model", "relation", "witness"])
def test_a_part_more_or_less_is_not_accepted(kind: str, name: str) -> None:
    seen = Counter[Any]()
    for parts in bases()[kind]:
        for path in places(getattr(parts, name)):
            for copy in changed(parts, name, path, seen):
                assert check(closed(copy)).outcome != "accepted", (name, path, copy)
