"""The ways from levels for entries to Pufferfish levels: models/composition, by plain fractions."""

import math
from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations
from statistics import NormalDist

import pytest

from tests.models.brute_force import (
    INFINITE,
    Level,
    Mechanism,
    Prior,
    Row,
    add_up,
    coin,
    databases,
    differential_privacy,
    geometric,
    hamming,
    independent,
    one_differs,
    pufferfish,
    runs,
    values_of_each_record,
)
from tests.models.model_files import checks, confirm, confirm_engine, decided, once
from tests.models.test_influence_models import chain, influence, of_chain
from verifier.report.json import result_as_json

FOLDER = "composition"
BITS = (0, 1)
STAY = F(3, 4)


def response(world: tuple[int, ...]) -> Row:
    return independent([coin(STAY if bit else 1 - STAY) for bit in world])


def count(records: int, factor: F) -> Mechanism:
    worlds = databases(records, BITS)
    return {w: geometric(sum(w), 1 / factor, 0, records) for w in worlds}


def majority(records: int, base: F) -> Mechanism:
    def row(ones: int) -> Row:
        weights = {1: base**ones, 0: base ** (records - ones)}
        return {value: weight / sum(weights.values()) for value, weight in weights.items()}

    return {w: row(sum(w)) for w in databases(records, BITS)}


def together(*parts: Mechanism) -> Mechanism:
    return {w: independent([part[w] for part in parts]) for w in parts[0]}


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


def different_points() -> list[Level]:
    """Each mechanism at its own point, all at the sum of what remains and one influence."""
    one, two, three = (of_chain(5, STAY, STAY, b) for b in (1, 2, 3))
    noisy = {w: response(w) for w in databases(5, BITS)}
    parts: list[Mechanism] = [noisy, count(5, F(2)), majority(5, F(6, 5))]
    entry = [F(3), F(2), F(36, 25)]
    for part, level in zip(parts, entry, strict=True):
        assert differential_privacy(part, one_differs) <= level
    assert (one * 3, two * 2**2, three * entry[2] ** 3) == (27, 20, F(5184, 625))
    assert 322 < one * 3 * 2**2 * entry[2] ** 3 < 323 and one * math.prod(entry) == F(1944, 25)
    prior, secrets = [chain(5, STAY, STAY)], values_of_each_record(5, BITS)
    all_three = pufferfish(together(*parts), prior, secrets)
    return [three, *(pufferfish(part, prior, secrets) for part in parts), all_three, all_three]


def dependent_groups() -> list[Level]:
    prior: Prior = {
        w: F(1, 4) * (F(9, 10) if w[0] == w[1] else F(1, 10)) for w in databases(3, BITS)
    }
    secrets = values_of_each_record(3, BITS)
    noisy = {w: response(w) for w in databases(3, BITS)}
    twice = {w: independent([runs(coin(STAY if bit else 1 - STAY), 2) for bit in w]) for w in prior}
    hidden = [influence([prior], secrets, b) for b in (1, 2)]
    return [*hidden, *(pufferfish(mechanism, [prior], secrets) for mechanism in (noisy, twice))]


def trajectories() -> list[Level]:
    prior = {(noon, noon + step): F(1, 8) for noon in range(4) for step in (0, 1)}
    secrets = [
        (lambda w, c=c: w[0] == c, lambda w, c=c: w[0] == c + 1)  # type: ignore[misc]
        for c in range(3)
    ]
    step: Mechanism = {w: {w[1] - w[0]: F(1)} for w in prior}
    parity: Mechanism = {w: {w[1] % 2: F(1)} for w in prior}
    releases = (step, parity, together(step, parity))
    levels = [pufferfish(release, [prior], secrets) for release in releases]
    assert levels == [1, 1, INFINITE]
    return levels


def bayesian_twice() -> list[Level]:
    """Who knows the other record, or does not, as the worst of both."""
    yes = {(0, 0): F(2, 5), (0, 1): F(1, 10), (1, 0): F(1, 10), (1, 1): F(1, 16)}
    prior = {w: F(1, 3) if w[0] == w[1] else F(1, 6) for w in yes}
    secrets = values_of_each_record(2, BITS)
    levels = []
    for number in (1, 2):
        mechanism = {w: runs(coin(p), number) for w, p in yes.items()}
        known = differential_privacy(mechanism, one_differs)
        levels.append(max(known, pufferfish(mechanism, [prior], secrets)))
    return levels


def top(world: tuple[int, ...], number: int) -> Row:
    """The first so many of a draw of all colours by weights 2^count, without replacement."""

    def chance(order: tuple[int, ...]) -> F:
        weights = [2 ** world.count(colour) for colour in order]
        return math.prod((F(w, sum(weights[i:])) for i, w in enumerate(weights)), start=F(1))

    return add_up((order[:number], chance(order)) for order in permutations(range(3)))


def iterated_top_k() -> list[Level]:
    worlds = databases(3, range(3))
    return [
        differential_privacy({w: top(w, number) for w in worlds}, one_differs) for number in (1, 2)
    ]


def entries_and_groups() -> list[Level]:
    """Four entries, each answered truly with probability 3/4."""
    noisy = {w: response(w) for w in databases(4, BITS)}
    groups: list[Level] = [
        differential_privacy(noisy, lambda w, v, size=size: 1 <= hamming(w, v) <= size)
        for size in (1, 2, 3, 4)
    ]
    record = differential_privacy(noisy, lambda w, v: (w[:2] == v[:2]) != (w[2:] == v[2:]))
    return [groups[0], record, *groups[1:], groups[3]]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "bayesian-privacy-twice.yaml": bayesian_twice,
    "dependent-groups.yaml": dependent_groups,
    "different-points.yaml": different_points,
    "entries-and-groups.yaml": entries_and_groups,
    "iterated-top-k.yaml": iterated_top_k,
    "markov-quilt.yaml": markov_quilt,
    "table-6-trajectories.yaml": trajectories,
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
