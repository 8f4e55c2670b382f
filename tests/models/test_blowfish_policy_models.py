"""Model files of the Blowfish paper: absent people, graphs of single people, and its theorems about
composition, Pufferfish and the axioms; every number from the definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from tests.definitions import plain
from tests.models.brute_force import INFINITE, Level, apply
from tests.models.by_definition import (
    F,
    Mechanism,
    World,
    add_remove,
    bits,
    databases,
    edges,
    induced,
    noisy,
    over_pairs,
    pufferfish,
    together,
    within,
)
from tests.models.model_files import confirm

HALF, ONE = F(1, 2), F(1)
Edge = Callable[[int, Any, Any], bool]


def neighbours(worlds: Sequence[World], edge: Edge) -> list[tuple[World, World]]:
    """Definition 4.1 with a graph for each record; None is an absent one."""
    return [(worlds[i], worlds[j]) for i, j in plain.blowfish(worlds, edge)]


def level(mechanism: Mechanism, edge: Edge) -> Level:
    return over_pairs(mechanism, neighbours(list(mechanism), edge))


def values_alone(i: int, x: Any, y: Any) -> bool:
    return None not in (x, y)


def all_of_it(i: int, x: Any, y: Any) -> bool:
    return True


def between(*pairs: set[Any]) -> Edge:
    return lambda i, x, y: {x, y} in pairs


def present(world: World) -> int:
    return sum(x is not None for x in world)


def ones(world: World) -> int:
    return world.count(1)


def test_absent_people() -> None:
    worlds = list(product((0, 1, None), repeat=2))
    people, answers = noisy(worlds, present, HALF), noisy(worlds, ones, HALF)
    furthest = max(abs(present(v) - present(w)) for v, w in neighbours(worlds, all_of_it))
    confirm(
        "blowfish/absent-people.yaml",
        level(people, values_alone),
        level(people, all_of_it),
        over_pairs(people, add_remove(worlds)),
        level(answers, between({1, None})),
        level(answers, between({0, None})),
        level(answers, between({0, None}, {1, None})),
        F(furthest),
        level(people, values_alone),
        level(people, lambda i, x, y: i == 0 or None not in (x, y)),
    )


def test_absent_swap() -> None:
    worlds = [w for w in product((0, 1, None), repeat=2) if present(w) == 1]
    counts = noisy(worlds, ones, HALF)
    mechanism = {w: together(bits(F(1, 4) if w[0] is None else F(3, 4)), counts[w]) for w in worlds}
    confirm(
        "blowfish/absent-swap.yaml",
        level(mechanism, values_alone),
        level(mechanism, all_of_it),
        level(mechanism, between({1, None})),
    )


def test_a_graph_for_each_person() -> None:
    worlds = databases((1, 2, 3), 3)
    ann, cat = (noisy(worlds, lambda w, at=at: w[at], HALF) for at in (0, 2))  # type: ignore[misc]
    mechanism = {w: together({w[1]: ONE}, ann[w], cat[w]) for w in worlds}

    def policy(*graphs: Callable[[Any, Any], bool]) -> Edge:
        return lambda i, x, y: graphs[i](x, y)

    def full(x: int, y: int) -> bool:
        return True

    def nothing(x: int, y: int) -> bool:
        return False

    first = policy(full, nothing, within(1))
    furthest = max(
        abs(v[0] + 5 * v[1] + v[2] - w[0] - 5 * w[1] - w[2]) for v, w in neighbours(worlds, first)
    )
    assert not neighbours(worlds, policy(nothing, nothing, nothing))
    found = level(mechanism, policy(within(1), lambda x, y: {x, y} == {2, 3}, within(1)))
    assert found == INFINITE
    confirm(
        "blowfish/a-graph-for-each-person.yaml",
        level(mechanism, first),
        level(mechanism, policy(lambda x, y: {x, y} == {1, 2}, nothing, within(1))),
        found,
        ONE,
        F(furthest),
    )


def test_sequential_composition() -> None:
    worlds = [w for w in databases((1, 2, 3), 2) if w.count(2) == 1]
    first = {w: bits(F(2, 3) if 3 in w else F(1, 3)) for w in worlds}
    has_two = [{w: bits(F(3, 4) if w[i] == 2 else F(1, 4)) for w in worlds} for i in (0, 1)]
    independent = {w: together(first[w], has_two[0][w]) for w in worlds}
    adaptive = {
        w: apply(
            first[w],
            lambda a, w=w: {(a, b): p for b, p in has_two[0 if a else 1][w].items()},  # type: ignore[misc]
        )
        for w in worlds
    }
    line = within(1)

    def of(mechanism: Mechanism) -> Level:
        return level(mechanism, lambda i, x, y: line(x, y))

    alone, second = of(first), [of(one) for one in has_two]
    assert of(adaptive) == alone * max(second)  # no more than the theorem promises
    confirm(
        "blowfish/sequential-composition.yaml",
        alone,
        *second,
        of(independent),
        of(adaptive),
        of(adaptive),
    )


def test_pufferfish_with_constraints() -> None:
    """Given that ann has a, bob has c and no other letter: product priors under the constraint are
    weights of ac, bc, ca and cb, all of which have some. So secrets of ann compare ac with bc."""
    worlds = [w for w in databases("abc", 2) if w.count("c") == 1]
    edge = edges("ab")
    letters = {
        w: together({w[1] == "c": ONE}, bits(F(3, 4) if "a" in w else F(1, 4))) for w in worlds
    }
    table = {"ac": F(1, 2), "bc": F(1, 4), "ca": F(7, 8), "cb": F(1, 8)}
    anns = {w: bits(table["".join(w)]) for w in worlds}
    secrets = [
        ([w for w in worlds if w[i] == "a"], [w for w in worlds if w[i] == "b"]) for i in (0, 1)
    ]
    assert all(len(s) == len(t) == 1 for s, t in secrets)
    belief = {w: F(1, 4) for w in worlds}

    def both(mechanism: Mechanism) -> tuple[Level, Level]:
        return level(mechanism, lambda i, x, y: edge(x, y)), pufferfish(
            mechanism, secrets, [belief]
        )

    (b, p), (c, q) = both(letters), both(anns)
    confirm(
        "blowfish/pufferfish-with-constraints.yaml",
        *(b, p, p, c, q),
        over_pairs(letters, induced(worlds)),
    )


def test_axioms() -> None:
    worlds = [w for w in databases((1, 2, 3), 2) if sum(w) == 4]
    names = ("low", "mid", "high")
    rows = {(1, 3): (6, 3, 1), (2, 2): (2, 6, 2), (3, 1): (1, 3, 6)}
    sharp = {w: dict(zip(names, (F(x, 10) for x in rows[w]), strict=True)) for w in worlds}
    dull = {w: bits(F(3, 4) if w == (2, 2) else HALF) for w in worlds}
    merged = {"low": {"a": ONE}, "mid": {"a": F(1, 3), "b": F(2, 3)}, "high": {"b": ONE}}
    processed = {w: apply(row, lambda o: merged[o]) for w, row in sharp.items()}
    mixed = {
        w: {**{o: p / 3 for o, p in sharp[w].items()}, **{o: 2 * p / 3 for o, p in dull[w].items()}}
        for w in worlds
    }
    line = within(1)
    found = [level(m, lambda i, x, y: line(x, y)) for m in (sharp, dull, processed, mixed)]
    confirm("blowfish/axioms.yaml", *found, max(found[:2]))
