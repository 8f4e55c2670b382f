"""Which worlds are compared, by docs/reference, and at which distance."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from tests.second_reader.spaces import Space
from tests.second_reader.values import ABSENT, Attributes, CannotRead, number, scalar, text

Distances = dict[tuple[int, int], Fraction]
Items = tuple[Any, ...]

ONE = Fraction(1)
MOST = 2_000_000


def ordered(space: Space) -> Iterator[tuple[int, Items, int, Items]]:
    """All ordered pairs of different databases."""
    if len(space.worlds) ** 2 * max(1, len(space.records)) > MOST * 10:
        raise CannotRead("more pairs of worlds than this reader compares")
    for first, second in itertools.permutations(space.worlds, 2):
        if first.items is None or second.items is None:
            raise CannotRead("neighbours of worlds without records")
        yield first.index, first.items, second.index, second.items


def where(test: Callable[[Items, Items], bool], space: Space) -> Distances:
    return {(i, j): ONE for i, a, j, b in ordered(space) if test(a, b)}


def everything(space: Space) -> Distances:
    if len(space.worlds) ** 2 > MOST:
        raise CannotRead("more pairs of worlds than this reader compares")
    return dict.fromkeys(itertools.permutations(range(len(space.worlds)), 2), ONE)


def changed(a: Items, b: Items) -> list[tuple[Any, Any]]:
    # all values of records are objects of one domain, so that equal ones are the same object
    return [(x, y) for x, y in zip(a, b, strict=True) if x is not y]


def alike_absent(moves: list[tuple[Any, Any]]) -> bool:
    return not any(x is ABSENT or y is ABSENT for x, y in moves)


def differential(options: dict[str, Any], space: Space) -> Distances:
    """The neighbours of `differential_privacy`."""
    kind, group = options.get("neighbours", "replace"), int(number(options.get("group", "1")))
    if kind == "replace":
        return where(lambda a, b: len(m := changed(a, b)) <= group and alike_absent(m), space)
    if kind == "add_remove":
        return where(
            lambda a, b: (
                len(m := changed(a, b)) <= group
                and all((x is ABSENT) != (y is ABSENT) for x, y in m)
            ),
            space,
        )
    if kind == "entry":
        return where(lambda a, b: 0 < entries(a, b, space) <= group, space)
    if "group" in options:
        raise CannotRead("group beside other neighbours")
    if kind == "all":
        return everything(space)
    if kind == "induced":
        return induced(space)
    if isinstance(kind, dict) and "pairs" in kind:
        return by_name(kind, space)
    if isinstance(kind, dict) and "where" in kind:
        raise CannotRead("an expression about two worlds")
    return within(kind, space)


def by_name(kind: dict[str, Any], space: Space) -> Distances:
    """Pairs of worlds that a file lists, both ways unless they are directed."""
    place = {world.name: world.index for world in space.worlds}
    pairs = [(place[first], place[second]) for first, second in kind["pairs"]]
    if kind.get("directed") != "true":
        pairs += [(second, first) for first, second in pairs]
    return dict.fromkeys(pairs, ONE)


def entries(a: Items, b: Items, space: Space) -> int:
    """How many entries differ; 0 if other records are absent."""
    moves = changed(a, b)
    if not alike_absent(moves):
        return 0
    return sum(
        p is not q for x, y in moves for p, q in zip(space.parts(x), space.parts(y), strict=True)
    )


def label(options: dict[str, Any], space: Space) -> Distances:
    """The neighbours of `label_privacy`: one record has another label."""
    place = space.attributes.index(options["label"])

    def parts_of(item: Any) -> tuple[list[Any], Any]:
        rest = list(space.parts(item))
        return rest, rest.pop(place)

    def relabelled(a: Items, b: Items) -> bool:
        moves = changed(a, b)
        if len(moves) != 1 or not alike_absent(moves):
            return False
        ((first, here), (second, there)) = map(parts_of, moves[0])
        return here is not there and all(p is q for p, q in zip(first, second, strict=True))

    return where(relabelled, space)


def told(pairs: Callable[..., Any], options: dict[str, Any], space: Space) -> Distances:
    """The neighbours that the test file of a definition tells, by plain loops over databases."""
    if any(world.items is None for world in space.worlds):
        raise CannotRead("neighbours of worlds without records")
    plain = [tuple(map(bare, world.items or ())) for world in space.worlds]
    return dict.fromkeys(pairs(space.records, plain, options), ONE)


def bare(item: Any) -> Any:
    """The value of a record, a tuple of several, None where it is absent."""
    if isinstance(item, Attributes):
        return item.values
    return None if item is ABSENT else item


def within(kind: Any, space: Space) -> Distances:
    if not isinstance(kind, dict) or len(kind) != 1:
        raise CannotRead(f"neighbours {kind}")
    ((name, bound),) = kind.items()
    limit = number(bound)
    return {pair: ONE for pair, d in measured(name, space).items() if d <= limit}


def measured(name: str, space: Space) -> Distances:
    """The distances of all two databases."""
    if name == "hamming":
        return {(i, j): Fraction(len(changed(a, b))) for i, a, j, b in ordered(space)}
    if name not in ("l1", "linf"):
        raise CannotRead(f"distance {name}")
    if space.absent:
        raise CannotRead(f"{name} where records may be absent")
    add: Callable[..., Any] = sum if name == "l1" else max
    return {(i, j): Fraction(add(differences(a, b, space))) for i, a, j, b in ordered(space)}


def differences(a: Items, b: Items, space: Space) -> list[Fraction]:
    pairs = [
        pair
        for x, y in zip(a, b, strict=True)
        for pair in zip(space.parts(x), space.parts(y), strict=True)
    ]
    if not all(isinstance(part, Fraction) for pair in pairs for part in pair):
        raise CannotRead("differences of words")
    return [abs(p - q) for p, q in pairs]


def metric(options: dict[str, Any], space: Space) -> Distances:
    """The distances of `metric_privacy`."""
    match options["distance"]:
        case str(name):
            return measured(name, space)
        case {"graph": edges}:
            return shortest(
                {frozenset(map(space.index, edge[:2])): number((*edge, "1")[2]) for edge in edges},
                len(space.worlds),
            )
    raise CannotRead("distance")


def shortest(edges: dict[frozenset[int], Fraction], size: int) -> Distances:
    """The lengths of shortest paths along edges in both directions."""
    both = {(a, b): d for ends, d in edges.items() for a, b in itertools.permutations(ends)}
    return closed(both, size)


def closed(found: Distances, size: int) -> Distances:
    """The lengths of shortest paths."""
    if size > 100:
        raise CannotRead("paths between too many worlds")
    best = dict(found)
    for k, i, j in itertools.product(range(size), repeat=3):
        if i != j and (i, k) in best and (k, j) in best:
            length = best[i, k] + best[k, j]
            best[i, j] = min(best.get((i, j), length), length)
    return best


def tuples(items: Items) -> set[tuple[int, Any]]:
    return {(i, item) for i, item in enumerate(items) if item != ABSENT}


def induced(space: Space) -> Distances:
    """Worlds with a minimal set of moves between them, each of one record's value."""
    sets = [tuples(world.items or ()) for world in space.worlds]
    moves = {(i, j): frozenset(sets[i] ^ sets[j]) for i, _, j, _ in ordered(space)}
    return {
        (i, j): ONE
        for (i, j), move in moves.items()
        if not any(moves[i, k] < move for k in range(len(sets)) if k not in (i, j))
    }


def blowfish(options: dict[str, Any], space: Space) -> Distances:
    """The neighbours of a policy."""
    joined = graph(options.get("graph", "full"), space)
    if not space.constrained:
        return where(
            lambda a, b: (
                len(changed(a, b)) == 1
                and any(
                    joined(i, x, y) for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y
                )
            ),
            space,
        )
    return minimal(joined, space)


def minimal(joined: Callable[[int, Any, Any], bool], space: Space) -> Distances:
    """Neighbours under constraints: no other world needs fewer moves along edges."""
    if len(space.worlds) > 130:
        raise CannotRead("more constrained worlds than this reader compares")
    moves, deltas = {}, {}
    for i, a, j, b in ordered(space):
        deltas[i, j] = tuples(a) ^ tuples(b)
        moves[i, j] = frozenset(
            (r, x, y)
            for r, (x, y) in enumerate(zip(a, b, strict=True))
            if x != y and joined(r, x, y)
        )
    return {(i, j): ONE for i, j in moves if least(i, j, moves, deltas, len(space.worlds))}


def least(i: int, j: int, moves: Any, deltas: Any, size: int) -> bool:
    mine = moves[i, j]
    others = [k for k in range(size) if k not in (i, j) and moves[i, k]]
    return bool(mine) and not any(
        moves[i, k] < mine or (moves[i, k] == mine and deltas[i, k] < deltas[i, j]) for k in others
    )


def graph(node: Any, space: Space) -> Callable[[int, Any, Any], bool]:
    """Whether two different values of a record are joined by an edge."""
    match node:
        case "full":
            return lambda r, x, y: ABSENT not in (x, y)
        case "attribute":
            return lambda r, x, y: ABSENT not in (x, y) and len(changed(*parts(x, y, space))) == 1
        case {"partition": blocks}:
            sets = [frozenset(value(name, space) for name in block) for block in blocks]
            return lambda r, x, y: any(x in block and y in block for block in sets)
        case {"edges": pairs} if len(node) == 1:
            edges = {frozenset(value(name, space) for name in pair) for pair in pairs}
            return lambda r, x, y: frozenset((x, y)) in edges
        case {"distance": bound, "between": pairs}:
            limit = number(bound)
            near = {
                frozenset(value(name, space) for name in pair[:2])
                for pair in pairs
                if number(pair[2]) <= limit
            }
            return lambda r, x, y: frozenset((x, y)) in near
        case {"distance": bound} if len(node) == 1:
            limit = number(bound)
            return lambda r, x, y: (
                ABSENT not in (x, y) and sum(differences((x,), (y,), space)) <= limit
            )
        case {"records": each}:
            chosen = [graph(each.get(name, "full"), space) for name in space.records]
            return lambda r, x, y: chosen[r](r, x, y)
    raise CannotRead(f"graph {node}")


def value(name: str, space: Space) -> Any:
    """The value of a record that is meant; numbers may be written differently."""
    known = {text(row): row for row in space.domain}
    if name == "⊥" and space.absent:
        return ABSENT
    found = known.get(name, known.get(text(scalar(name))))
    if found is None:
        raise CannotRead(f"{name!r} is no value of a record")
    return found


def parts(x: Any, y: Any, space: Space) -> tuple[Items, Items]:
    return space.parts(x), space.parts(y)
