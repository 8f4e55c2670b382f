"""The ways from levels for entries to Pufferfish levels: models/composition, by plain fractions."""

import math
from collections.abc import Callable
from fractions import Fraction as F
from statistics import NormalDist

import pytest

from tests.models.brute_force import (
    Level,
    Mechanism,
    Row,
    databases,
    differential_privacy,
    geometric,
    one_differs,
    pufferfish,
    values_of_each_record,
)
from tests.models.model_files import checks, confirm, confirm_engine, decided, once
from tests.models.test_influence_models import chain, of_chain
from verifier.report.json import result_as_json

FOLDER = "composition"
BITS = (0, 1)
STAY = F(3, 4)


def count(records: int, factor: F) -> Mechanism:
    worlds = databases(records, BITS)
    return {w: geometric(sum(w), 1 / factor, 0, records) for w in worlds}


def majority(records: int, base: F) -> Mechanism:
    def row(ones: int) -> Row:
        weights = {1: base**ones, 0: base ** (records - ones)}
        return {value: weight / sum(weights.values()) for value, weight in weights.items()}

    return {w: row(sum(w)) for w in databases(records, BITS)}


def markov_quilt() -> list[Level]:
    points = [of_chain(7, STAY, STAY, b) for b in (1, 2, 3)]
    promised, entry, other = F(512, 45), F(8, 5), F(25, 16)
    assert points[2] * entry**3 == promised and other < entry
    assert all(point * entry**b >= promised for b, point in enumerate(points, 1))  # the maximum
    counted, chosen, secrets = count(7, entry), majority(7, F(5, 4)), values_of_each_record(7, BITS)
    prior = [chain(7, STAY, STAY)]
    group = differential_privacy(counted, lambda w, v: w != v)
    return [
        *points,
        differential_privacy(counted, one_differs),
        pufferfish(counted, prior, secrets),
        group,
        differential_privacy(chosen, one_differs),
        pufferfish(chosen, prior, secrets),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "markov-quilt.yaml": markov_quilt,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))


def told(shown: list[int], secret: int) -> tuple[float, float]:
    """Given that an entry is r, the mean of w·x by r and its variance, w as in Gaussian regression:
    the sum w·x, scaled so that the weights have the absolute sum 2, tells all about r."""
    near = [2.0 ** -((secret - j) ** 2) for j in shown]
    inner = [
        [2.0 ** -((j - k) ** 2) - near[m] * near[n] for n, k in enumerate(shown)]
        for m, j in enumerate(shown)
    ]
    if len(shown) == 1:
        return near[0], inner[0][0]
    (a, b), (_, d) = inner
    weights = [d * near[0] - b * near[1], a * near[1] - b * near[0]]
    scale = 2 / sum(map(abs, weights))
    weights = [scale * w for w in weights]
    mean = sum(w * m for w, m in zip(weights, near, strict=True))
    return mean, a * weights[0] ** 2 + 2 * b * weights[0] * weights[1] + d * weights[1] ** 2


def largest_ratio(mean: float, variance: float, bound: int) -> float:
    """Over the whole numbers up to a bound that such a sum is rounded to, r = 1 against r = -1."""

    def cell(number: int, sign: int) -> float:
        law = NormalDist(sign * mean, math.sqrt(variance))
        return law.cdf(number + 0.5) - law.cdf(number - 0.5)

    return max(cell(k, 1) / cell(k, -1) for k in range(-bound, bound + 1))


def test_normal_entries_tell_less_the_farther_they_are() -> None:
    file = f"{FOLDER}/gaussian-influence.yaml"
    ratios = [
        largest_ratio(*told([2], 1), 2),
        largest_ratio(*told([3], 1), 2),
        largest_ratio(*told([1, 3], 2), 4),
        largest_ratio(*told([2, 3], 1), 4),
    ]
    assert ratios[0] > ratios[1] and ratios[2] > ratios[3]
    for check, result, ratio in zip(checks(file), decided(file), ratios, strict=True):
        found = result_as_json(result)
        low, high = map(float, check["leakage"])
        assert found["ok"] and low < ratio < high
        assert low <= F(found["leakage"]["lower"]) <= F(found["leakage"]["upper"]) <= high
