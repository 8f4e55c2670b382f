"""Mechanisms at a given ε: the numbers of models/exponentials, again in decimals of 60 digits."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest

from tests.models.model_files import decided, files

FOLDER = "exponentials"
Row = dict[object, Decimal]
World = tuple[int, ...]


def exp(value: str | int) -> Decimal:
    return (Decimal(Fraction(value).numerator) / Fraction(value).denominator).exp()


def made(records: int, row: Callable[[World], Row]) -> dict[World, Row]:
    return {world: row(world) for world in product((0, 1), repeat=records)}


def proportional(weights: Row) -> Row:
    return {output: weight / sum(weights.values()) for output, weight in weights.items()}


def response(odds: Decimal) -> Callable[[World], Row]:
    def row(world: World) -> Row:
        found: Row = {}
        for answer in product((0, 1), repeat=len(world)):
            found[answer] = Decimal(1)
            for said, true in zip(answer, world, strict=True):
                found[answer] *= (odds if said == true else 1) / (1 + odds)
        return found

    return row


def count(ratio: Decimal) -> Callable[[World], Row]:
    """Two-sided geometric noise; beyond the counts the rows are proportional."""

    def row(world: World) -> Row:
        middle = sum(world)
        top = len(world) + 1
        inside = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z - middle) for z in range(top)}
        return {**inside, -1: ratio ** (middle + 1) / (1 + ratio)} | {
            top: ratio ** (top - middle) / (1 + ratio)
        }

    return row


def noisy(weight: Callable[[int], Decimal]) -> Callable[[World], Row]:
    return lambda world: proportional({z: weight(z - sum(world)) for z in range(-4, 7)})


def vote(world: World) -> Row:
    return proportional({side: exp("1/2") ** world.count(side) for side in (0, 1)})


def smallest(mechanism: dict[World, Row], most: int = 1, delta: Decimal = Decimal(0)) -> Decimal:
    """The smallest level of worlds that differ in so many records, by groups of outputs that fall
    by their ratios."""
    found = Decimal(1)
    for w, p in mechanism.items():
        for v, q in mechanism.items():
            if 0 < sum(a != b for a, b in zip(w, v, strict=True)) <= most:
                above = below = Decimal(0)
                for o in sorted(p, key=lambda o: -p[o] / q[o]):  # type: ignore[operator]
                    above, below = above + p[o], below + q[o]
                    found = max(found, (above - delta) / below)
                    if not delta:
                        break
    return found


def one_epsilon() -> list[Decimal]:
    told, careful = made(3, response(exp(1))), made(3, response(exp("1/10")))
    numbers, close = made(3, count(exp(-1))), made(3, count(exp("-1/10")))
    delta = (exp(1) - exp("1/2")) / (1 + exp(1))
    single = smallest(told)
    return [
        *(single, single, smallest(careful, 3), single),
        *(smallest(numbers), smallest(numbers, delta=delta)),
        *(smallest(close), smallest(close), smallest(made(3, vote))),
        *(single, smallest(told, 3)),  # independent others say nothing; copies say it three times
    ]


def discrete_gaussian() -> list[Decimal]:
    bell = made(2, noisy(lambda z: exp(f"-{z * z}/8")))
    peak = made(2, noisy(lambda z: exp(f"-{abs(z)}/2")))
    small = smallest(bell, delta=Decimal(1) / 100)
    pure = smallest(bell)
    return [pure, pure, small, small, smallest(peak), smallest(peak), pure]


def laplace_count(world: World) -> Row:
    """A count with Laplace noise of scale 2, rounded, and clamped to 0, …, 3."""

    def below(x: Decimal) -> Decimal:
        half = (-abs(x) / 2).exp() / 2
        return half if x < 0 else 1 - half

    middle, half = sum(world), Decimal("0.5")
    ends = [Decimal(0), *(below(k - half - middle) for k in range(1, 4)), Decimal(1)]
    return {k: ends[k + 1] - ends[k] for k in range(4)}


def unknown_records() -> list[Decimal]:
    """The chain over a grid of its two probabilities to stay, whose corners are in it."""
    mechanism, found = made(3, laplace_count), Decimal(1)
    for p, q in product([Decimal(k) / 16 for k in range(8, 13)], repeat=2):
        step = {(0, 0): p, (0, 1): 1 - p, (1, 0): 1 - q, (1, 1): q}
        first = {0: (1 - q) / (2 - p - q), 1: (1 - p) / (2 - p - q)}
        prior = {w: first[w[0]] * step[w[:2]] * step[w[1:]] for w in mechanism}
        for i in range(3):
            told = []
            for value in (0, 1):
                inside = [w for w in mechanism if w[i] == value]
                mass = sum(prior[w] for w in inside)
                told.append(
                    [sum(prior[w] * mechanism[w][o] for w in inside) / mass for o in range(4)]
                )
            found = max(found, *(x / y for x, y in zip(*told, strict=True)))
            found = max(found, *(y / x for x, y in zip(*told, strict=True)))
    return [smallest(mechanism), smallest(mechanism), found, found]


DERIVED = {
    "unknown-records.yaml": unknown_records,
    "discrete-gaussian.yaml": discrete_gaussian,
    "one-epsilon.yaml": one_epsilon,
}


def test_every_file_is_derived() -> None:
    """The linear programs are in tests/definitions/test_linear_programs_of_powers_of_e.py."""
    assert files(FOLDER) == sorted([*DERIVED, "linear-programs.yaml"])


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_levels_are_those_of_decimals(file: str) -> None:
    with localcontext(prec=60):
        derived = DERIVED[file]()
    results = decided(f"{FOLDER}/{file}")
    for result, expected in zip(results, derived, strict=True):
        assert result.status == "ok"
        leakage = result.leakage
        assert leakage is not None
        said = leakage.claim()
        low, high = (Fraction(said[key]) for key in ("lower", "upper"))
        assert low <= Fraction(expected) <= high and (high - low) * 10**11 <= low
