"""Moved to `reading`; to be deleted when no module asks for it any more."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .reading import ONE, ZERO, Claim, Level, read_claim, read_level, read_vacuous

__all__ = ["ONE", "Level", "read_level", "read_tradeoff", "read_vacuous", "settle"]


def settle(
    leakage: Any,
    level: Level,
    empty: bool,
    holds: Callable[[Level], bool],
    needs: Callable[[Level | None], bool],
    within: bool = False,
    wide: bool = False,
) -> bool:
    return Claim(level, ZERO, leakage).settle(empty, holds, needs, within, wide)


def read_tradeoff(claim: Any) -> list[tuple[Fraction, Fraction]]:
    return read_claim(claim, trades=True).tradeoff
