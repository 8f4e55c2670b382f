"""100,000 worlds, 20 outputs, two million distinct probabilities with 200-digit denominators."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from verifier.base.level import Level
from verifier.definitions import differential_privacy
from verifier.questions.question import Question
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, database

RECORDS, VALUES, OUTPUTS, DIGITS = 5, 10, 20, 200
LEVEL = 4  # weights differ by a factor below 2, and so do the totals of columns


def space() -> WorldSpace:
    """The databases of five digits."""
    return database([f"r{i + 1}" for i in range(RECORDS)], list(range(VALUES)))


def rows() -> list[list[Fraction]]:
    """One row of probabilities per output: random weights over the total of their column."""
    random = Random(1)
    low = 10**DIGITS // OUTPUTS
    columns = []
    for _ in range(VALUES**RECORDS):
        weights = [random.randrange(low, 2 * low) for _ in range(OUTPUTS)]
        total = sum(weights)
        columns.append([Fraction(weight, total) for weight in weights])
    return [list(row) for row in zip(*columns, strict=True)]


def mechanism(rows: list[list[Fraction]]) -> Mechanism:
    """The rows as a mechanism."""
    return Mechanism.from_rows([f"o{i + 1}" for i in range(OUTPUTS)], rows)


def question(mechanism: Mechanism) -> Question:
    """Differential privacy for one changed record."""
    level = Level.of_exp_epsilon(LEVEL)
    return differential_privacy.question(space=space(), mechanism=mechanism, level=level)
