"""Reports about one of a few values, as papers and libraries describe them, in real numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from verifier.base.errors import InputError
from verifier.lab.adapters.claimed import ALL, Adapted, Claim, table
from verifier.world.worlds import named

MAX_VALUES = 6
SEED = 20_000
Law = Callable[[int, int], Mapping[str, str | Fraction]]  # of how many values, of which one


def adapted(title: str, count: int, law: Law, claim: Claim, draw: Callable[[int], Any]) -> Adapted:
    """A report about one of `count` values, which are called 0, 1, …

    title  the library with its version, and the report as it is called there
    law    the outputs with their probabilities, which may be formulas
    claim  what is promised
    draw   releases an output for a value

    InputError S121 for too few or too many values.
    """
    if not 2 <= count <= MAX_VALUES:
        raise InputError("S121", f"2 to {MAX_VALUES} values are known here, found {count}")
    names = tuple(map(str, range(count)))
    described = table(named(names), {name: law(count, int(name)) for name in names})

    def release(name: Any) -> Callable[[], str]:
        return lambda: output_name(draw(int(name)))

    covers = f"{ALL} of {count} values"
    return Adapted(title, names, described, "all", claim, covers, release=release)


def seed() -> None:
    """Let the random numbers of Python and of NumPy begin at a place that is always the same."""
    import numpy as np

    random.seed(SEED)
    np.random.seed(SEED)


def output_name(released: Any) -> str:
    """The name of an output: a number, or numbers in parentheses."""
    try:
        return f"({', '.join(str(int(one)) for one in released)})"
    except TypeError:
        return str(int(released))


def response(epsilon: Fraction) -> Law:
    """The truth with weight e^ε, every other value with weight 1."""
    return lambda count, value: {
        str(said): f"exp({epsilon if said == value else 0})/(exp({epsilon}) + {count - 1})"
        for said in range(count)
    }


def unary(kept: str, made_up: str) -> Law:
    """A bit for each value: 1 with one probability for the true value, with another for others."""

    def law(count: int, value: int) -> dict[str, str]:
        found = {}
        for bits in product((0, 1), repeat=count):
            ones = (f"({kept if place == value else made_up})" for place in range(count))
            chances = (one if bit else f"(1 - {one})" for bit, one in zip(bits, ones, strict=True))
            found[output_name(bits)] = " * ".join(chances)
        return found

    return law


def subset(epsilon: Fraction, size: Callable[[int], int]) -> Law:
    """Several values in a row: with weight size·e^ε to count − size the true one is first, and
    others come after it; else all are others."""

    def law(count: int, value: int) -> dict[str, str]:
        m, found = size(count), {}
        total = f"({m} * exp({epsilon}) + {count - m})"
        others = [other for other in range(count) if other != value]
        for rest in (rows := [*permutations(others, m - 1)]):
            found[output_name((value, *rest))] = f"{m} * exp({epsilon})/{total}/{len(rows)}"
        for row in (rows := [*permutations(others, m)]):
            found[output_name(row)] = f"{count - m}/{total}/{len(rows)}"
        return found

    return law
