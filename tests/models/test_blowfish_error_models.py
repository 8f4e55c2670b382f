"""Model files of the Blowfish paper about expected errors: every number from Definition 2.4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.models.by_definition import (
    F,
    Mechanism,
    World,
    blowfish,
    databases,
    geometric,
    over_pairs,
    replace,
    together,
    within,
)
from tests.models.model_files import confirm

HALF = F(1, 2)
Squared = Callable[[Any, World], Any]


def errors(mechanism: Mechanism, loss: Squared) -> list[Any]:
    """The expected loss in each world."""
    return [sum(p * loss(o, w) for o, p in row.items()) for w, row in mechanism.items()]


def up_to(world: World, top: int) -> int:
    return sum(x <= top for x in world)


def test_ordered_mechanism_error() -> None:
    worlds = databases((1, 2, 3), 2)

    def counts(low: int, high: int) -> Mechanism:
        return {
            w: together(*(geometric(up_to(w, top), HALF, low, high) for top in (1, 2)))
            for w in worlds
        }

    def middle(output: Any, world: World) -> Any:
        return (output[1] - output[0] - world.count(2)) ** 2

    wide, clamped = counts(-10, 12), counts(0, 2)
    two = max(errors(wide, middle))
    assert F(239, 30) < two < 8 == 2 * 2 * HALF / (1 - HALF) ** 2
    near = errors(clamped, middle)
    confirm(
        "blowfish/ordered-mechanism-error.yaml",
        over_pairs(wide, blowfish(worlds, within(1))),
        two,
        two,
        max(errors(wide, lambda o, w: (o[1] - up_to(w, 2)) ** 2)),
        max(near),
        sum(near) / len(near),
    )


def test_histogram_error() -> None:
    worlds = databases((1, 2, 3), 2)
    one = {w: geometric(w.count(1), HALF, -12, 14) for w in worlds}
    far = {w: together(*(geometric(w.count(x), HALF, 0, 2) for x in (1, 2, 3))) for w in worlds}
    first = max(errors(one, lambda o, w: 3 * (o - w.count(1)) ** 2))
    assert F(1198, 100) < first < 12
    confirm(
        "blowfish/histogram-error.yaml",
        over_pairs(far, replace(worlds)),
        first,
        first,
        max(errors(far, lambda o, w: sum((o[x - 1] - w.count(x)) ** 2 for x in (1, 2, 3)))),
    )


NOISE = {-1: F(1, 4), 0: HALF, 1: F(1, 4)}


def test_known_sums_error() -> None:
    cells = "abcd"
    worlds = [
        w
        for w in databases(cells, 2)
        if all(w.count(x) + w.count(y) == 1 for x, y in pairwise(cells))
    ]
    assert len(worlds) == 4
    shifted = {w: [{w.count(x) + n: p for n, p in NOISE.items()} for x in cells] for w in worlds}
    noisy = {w: together(*shifted[w]) for w in worlds}

    def of(estimate: Callable[[Any], Any]) -> Any:
        found = set(errors(noisy, lambda o, w: (estimate(o) - w.count("a")) ** 2))
        (error,) = found
        return error

    confirm(
        "blowfish/known-sums-error.yaml",
        of(lambda o: o[0]),
        of(lambda o: 1 - o[3]),
        of(lambda o: (o[0] + 1 - o[1] + o[2] + 1 - o[3]) / F(4)),
    )


def test_ordered_hierarchical_error() -> None:
    """Each range by the nodes that the structure adds up for it, with signs."""
    ranges = [(i, j) for j in (1, 2, 3, 4) for i in range(1, j + 1)]
    prefixes = {  # θ -> the nodes of each cumulative count; all of them are known at 4
        1: {0: "", 1: "s", 2: "t", 3: "u", 4: ""},
        2: {0: "", 1: "l", 2: "s", 3: "sm", 4: ""},
    }

    def average(theta: int) -> Any:
        nodes = prefixes[theta]
        used = [Counter(nodes[j]) + Counter() for _, j in ranges]
        for counter, (i, _) in zip(used, ranges, strict=True):
            counter.subtract(nodes[i - 1])
        variance = sum(p * n**2 for n, p in NOISE.items())
        return sum(variance * k**2 for counter in used for k in counter.values()) / len(ranges)

    def said(theta: int, height: int) -> Any:
        """Equation (14) with f = 2, in variances."""
        return HALF * (F(2 * (4 - theta), 5) + F(height * 4, 5))

    assert average(1) == said(1, 0)
    assert average(2) < said(2, 1) == F(4, 5)
    confirm("blowfish/ordered-hierarchical-error.yaml", average(1), average(2), average(2))
