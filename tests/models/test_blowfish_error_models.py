"""Model files of the Blowfish paper about expected errors: every number from Definition 2.4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.models.by_definition import (
    F,
    Mechanism,
    World,
    blowfish,
    databases,
    geometric,
    over_pairs,
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
