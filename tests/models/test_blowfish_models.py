"""Model files of the Blowfish paper, no constraints: every number from the definitions."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from tests.models.by_definition import (
    F,
    Mechanism,
    World,
    blowfish,
    complete,
    databases,
    edges,
    everything,
    exactly,
    flips,
    geometric,
    histogram,
    inside,
    noisy,
    one_attribute,
    over_pairs,
    pufferfish,
    replace,
    response,
    sensitivity,
    together,
    uniform,
    values,
    within,
)
from tests.models.model_files import confirm

BITS = (0, 1)
HALF = F(1, 2)
ONE = F(1)


def rows(outputs: Sequence[str], **table: Sequence[float | str]) -> Mechanism:
    return {tuple(w): dict(zip(outputs, map(F, row), strict=True)) for w, row in table.items()}


# --- Graphs without constraints ---------------------------------------------------------------


def test_full_domain() -> None:
    domain = ("red", "green", "blue")
    worlds = databases(domain, 2)
    mechanism = response(worlds, F(3, 5), domain)
    full = over_pairs(mechanism, blowfish(worlds, complete))
    assert set(blowfish(worlds, complete)) == set(replace(worlds))
    cells = over_pairs(mechanism, blowfish(worlds, inside(("red", "green"), ("blue",))))
    confirm("blowfish/full-domain.yaml", full, full, full, full, cells, ONE)


def test_attributes() -> None:
    worlds = databases(list(product(BITS, repeat=2)), 2)
    mechanism = {w: together(*(flips(F(1, 4), x) for person in w for x in person)) for w in worlds}
    one = over_pairs(mechanism, blowfish(worlds, one_attribute))
    full = over_pairs(mechanism, blowfish(worlds, complete))
    confirm("blowfish/attributes.yaml", one, one, full)


def test_partition() -> None:
    mechanism = rows(
        "abcd",
        a=(F(3, 4), F(1, 4), 0, 0),
        b=(F(1, 4), F(3, 4), 0, 0),
        c=(0, 0, F(3, 4), F(1, 4)),
        d=(0, 0, F(1, 4), F(3, 4)),
    )
    worlds = databases("abcd", 1)
    cells = over_pairs(mechanism, blowfish(worlds, inside("ab", "cd")))
    listed = over_pairs(mechanism, blowfish(worlds, edges("ab", "cd")))
    full = over_pairs(mechanism, blowfish(worlds, complete))
    confirm("blowfish/partition.yaml", cells, cells, listed, full)


def test_distance_threshold() -> None:
    worlds = databases(range(5), 2)
    mechanism = noisy(worlds, sum, HALF)
    one, two = (over_pairs(mechanism, blowfish(worlds, within(d))) for d in (1, 2))
    full = over_pairs(mechanism, blowfish(worlds, complete))
    # metric privacy: 2 per unit of L1 distance, and less does not do for worlds at distance 1
    for v, w in everything(worlds):
        apart = sum(abs(x - y) for x, y in zip(v, w, strict=True))
        assert all(mechanism[v][o] <= 2**apart * mechanism[w][o] for o in mechanism[v])
    confirm("blowfish/distance-threshold.yaml", one, two, two, full, one)


def test_chosen_edges() -> None:
    yes = {"a": F(1, 8), "b": F(1, 4), "c": F(1, 2), "d": F(1)}
    mechanism = {(w,): {"yes": p, "no": 1 - p} for w, p in yes.items()}
    worlds = databases("abcd", 1)

    def level(*pairs: str) -> Any:
        return over_pairs(mechanism, blowfish(worlds, edges(*pairs)))

    path = level("ab", "bc")
    confirm(
        "blowfish/chosen-edges.yaml", path, path, level("ab", "bc", "ac"), level("ab", "bc", "cd")
    )


def test_pufferfish_with_edges() -> None:
    worlds = databases("abc", 2)
    mechanism = noisy(worlds, lambda w: 2 * "abc".index(w[0]) + "abc".index(w[1]), HALF)
    path = over_pairs(mechanism, blowfish(worlds, edges("ab", "bc")))
    full = over_pairs(mechanism, blowfish(worlds, complete))
    # Theorem 4.4: point masses for the other record are independent priors and attain the level
    priors = [{w: F(1, 3) for w in worlds if w[i] == x} for i in (0, 1) for x in "abc"] + [
        uniform(worlds)
    ]
    path_pairs = [
        (s, t) for s, t in values(worlds) if {"a", "c"} != {w[k] for w in s + t for k in _at(s)}
    ]
    assert pufferfish(mechanism, path_pairs, priors) == path
    confirm("blowfish/pufferfish-with-edges.yaml", path, path, path, full)


def _at(secret: list[World]) -> list[int]:
    """The record that a secret is about."""
    return [k for k in (0, 1) if len({w[k] for w in secret}) == 1]


# --- Policy-specific sensitivity --------------------------------------------------------------


def test_sensitivities() -> None:
    worlds = databases(range(5), 2)
    full = blowfish(worlds, complete)
    line, two = blowfish(worlds, within(1)), blowfish(worlds, within(2))

    def cumulative(w: World) -> list[int]:
        return [sum(x <= top for x in w) for top in range(4)]

    def linear(w: World) -> list[int]:
        return [w[0] + 3 * w[1]]

    confirm(
        "blowfish/sensitivities.yaml",
        sensitivity(full, histogram(range(5))),
        sensitivity(line, histogram(range(5))),
        sensitivity(full, cumulative),
        sensitivity(line, cumulative),
        sensitivity(two, cumulative),
        sensitivity(full, lambda w: [sum(1 <= x <= 3 for x in w)]),
        sensitivity(full, linear),
        sensitivity(line, linear),
    )


def test_partition_histogram() -> None:
    worlds = databases(range(5), 2)
    near = blowfish(worlds, inside((0, 1), (2, 3, 4)))

    def coarse(w: World) -> tuple[int, int]:
        return sum(x <= 1 for x in w), sum(x >= 2 for x in w)

    def fine(w: World) -> list[int]:
        return [sum(x <= 1 for x in w), w.count(2), sum(x >= 3 for x in w)]

    mechanism = exactly(worlds, coarse)
    confirm(
        "blowfish/partition-histogram.yaml",
        sensitivity(near, coarse),
        over_pairs(mechanism, near),
        sensitivity(near, fine),
        over_pairs(mechanism, blowfish(worlds, inside((0,), (1, 2), (3, 4)))),
    )


def test_k_means_sums() -> None:
    worlds = databases(range(11), 1)

    def level(edge: Callable[[Any, Any], bool]) -> Any:
        pairs = blowfish(worlds, edge)
        return sensitivity(
            pairs, lambda w: [sum(x for x in w if x <= 4), sum(x for x in w if x >= 5)]
        )

    confirm(
        "blowfish/k-means-sums.yaml",
        level(within(1)),
        level(within(2)),
        level(inside(range(4), range(4, 8), range(8, 11))),
        level(complete),
        level(inside(range(5), range(5, 11))),
        level(inside()),
    )


def test_k_means_attributes() -> None:
    worlds = databases(list(product(range(4), repeat=2)), 1)

    def sums(w: World) -> list[int]:
        return [sum(p[k] for p in w if (p[0] <= 1) == left) for left in (True, False) for k in BITS]

    def sizes(w: World) -> list[int]:
        return [sum((p[0] <= 1) == left for p in w) for left in (True, False)]

    one = blowfish(worlds, one_attribute)
    confirm(
        "blowfish/k-means-attributes.yaml",
        sensitivity(one, sums),
        sensitivity(blowfish(worlds, complete), sums),
        sensitivity(one, sizes),
    )


def test_ordered_mechanism() -> None:
    worlds = databases((1, 2, 3), 2)
    mechanism = {
        w: together(*(geometric(sum(x <= top for x in w), HALF, 0, 2) for top in (1, 2)))
        for w in worlds
    }
    line = over_pairs(mechanism, blowfish(worlds, within(1)))
    full = over_pairs(mechanism, blowfish(worlds, complete))
    confirm("blowfish/ordered-mechanism.yaml", line, line, full)


def test_ordered_hierarchical() -> None:
    worlds = databases((1, 2, 3, 4), 1)
    first, second = F(1, 4), HALF
    mechanism = {
        (x,): together(
            geometric(int(x <= 2), first, 0, 1),
            *(geometric(int(x == y), first if y <= 2 else second, 0, 1) for y in (1, 2, 3, 4)),
        )
        for (x,) in worlds
    }
    level = over_pairs(mechanism, blowfish(worlds, within(2)))
    trees = over_pairs(mechanism, blowfish(worlds, inside((1, 2), (3, 4))))
    confirm("blowfish/ordered-hierarchical.yaml", level, level, trees)
