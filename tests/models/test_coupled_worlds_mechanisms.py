"""Releases without noise (Section III of the paper), by plain fractions."""

from collections.abc import Callable
from fractions import Fraction as F
from math import comb, prod
from typing import Any

import pytest

from tests.models.brute_force import (
    INFINITE,
    ZERO,
    Level,
    Mechanism,
    Prior,
    Row,
    add_up,
    coin,
    differential_privacy,
    given,
    hamming,
    independent,
    one_differs,
    pufferfish,
    smallest_level,
)
from tests.models.model_files import confirm, confirm_engine, once
from tests.models.test_coupled_worlds_models import (
    BITS,
    COIN,
    FOLDER,
    canonical,
    distributional,
    exactly,
    iid,
    knowing,
    majority,
    mix,
    noiseless,
    simulated,
    unseen,
)

pytestmark = pytest.mark.oracle


def majority_of_more() -> list[Level]:
    levels = [noiseless(majority(n), [iid(COIN, n)]) for n in (1, 3, 5, 7)]
    rows = [
        [given(majority(n), iid(COIN, n), lambda w, v=v: w[0] == v) for v in BITS]
        for n in (1, 3, 5, 7)
    ]
    promised = (INFINITE, F(2), F(8, 5), F(16, 11))
    simulators = [unseen(row, level) for row, level in zip(rows, promised, strict=True)]
    return [*simulators, *levels, levels[-1]]


def exact_sum() -> list[Level]:
    def level(records: int, delta: F) -> Level:
        return noiseless(exactly(records, BITS, sum), [iid(COIN, records)], delta=delta)

    def simulator(records: int, least: Level, delta: F) -> Level:
        return distributional(exactly(records, BITS, sum), iid(COIN, records), least, delta)

    return [
        simulator(3, INFINITE, ZERO),
        simulator(3, F(1), F(1, 4)),
        simulator(5, F(1), F(3, 16)),
        simulator(7, F(1), F(5, 32)),
        level(7, F(0)),
        level(3, F(1, 2)),
        level(5, F(3, 8)),
        level(7, F(5, 16)),
        level(7, F("0.312499999")),
        level(5, F(1, 8)),
        level(7, F(1, 8)),
    ]


def map_estimator() -> list[Level]:
    sources = [
        {0: F(1, 2), 1: F(1, 3), 2: F(1, 6)},
        {0: F(1, 6), 1: F(1, 3), 2: F(1, 2)},
    ]

    def estimator(trust: F) -> Mechanism:
        def first_wins(w: tuple[int, ...]) -> bool:
            first, second = (prod(source[x] for x in w) for source in sources)
            return trust * first >= (1 - trust) * second

        return exactly(3, range(3), first_wins)

    fair, convinced = estimator(F(1, 2)), estimator(F(10, 11))
    known = [iid(source) for source in sources]
    equal = [mix([(F(1, 2), prior) for prior in known])]
    return [
        differential_privacy(fair, one_differs),
        distributional(fair, equal[0], F(17, 7)),
        distributional(convinced, equal[0], INFINITE),
        noiseless(fair, equal, range(3)),
        noiseless(fair, equal, range(3)),
        noiseless(fair, known, range(3)),
        noiseless(convinced, equal, range(3)),
    ]


def truncated_histogram() -> list[Level]:
    bins = ("a", "b", "none")
    prior = iid({"a": F(1, 4), "b": F(1, 4), "none": F(1, 2)}, 4)

    def histogram(least: int) -> Mechanism:
        return exactly(
            4, bins, lambda w: tuple(c if c >= least else 0 for c in (w.count("a"), w.count("b")))
        )

    def simulator(least: int, level: Level, delta: F) -> Level:
        rows = [given(histogram(least), prior, lambda w, v=v: w[0] == v) for v in bins]
        return unseen(rows, level, delta)

    return [
        simulator(2, INFINITE, ZERO),
        simulator(0, F(2), F(5, 32)),
        simulator(2, F(2), F(15, 256)),
        noiseless(histogram(2), [prior], bins),
        noiseless(histogram(0), [prior], bins, F(7, 16)),
        noiseless(histogram(2), [prior], bins, F(5, 16)),
        noiseless(histogram(0), [prior], bins, F("0.421874999")),
    ]


def linear_functions() -> list[Level]:
    pairs = exactly(3, BITS, lambda w: (w[0] ^ w[1], w[1] ^ w[2]))
    with_parity = exactly(3, BITS, lambda w: (w[0] ^ w[1], w[0] ^ w[1] ^ w[2]))
    friends = {
        w: F(1, 2) * F(3, 4) ** (2 - changes) * F(1, 4) ** changes
        for w in pairs
        for changes in [hamming(w[1:], w[:-1])]
    }
    return [
        distributional(pairs, iid(COIN), F(1)),
        distributional(with_parity, iid(COIN), INFINITE),
        distributional(pairs, friends, F(1)),
        distributional(pairs, iid(coin(F(3, 4))), F(3)),
        noiseless(pairs, [iid(COIN)]),
        noiseless(with_parity, [iid(COIN)]),
        noiseless(pairs, [friends]),
        noiseless(pairs, [iid(coin(F(3, 4)))]),
    ]


def symmetric(mechanism: Mechanism, priors: list[Prior], level: Level, delta: F = ZERO) -> Level:
    """Where the order of records does not matter: a simulator sees how many have which value.

    If one serves, so does its average over all orders, which is the same whichever is gone.
    """
    view = (lambda w: tuple(sorted(w[1:])), lambda w: w[0])
    return simulated(mechanism, [knowing(prior) for prior in priors], [view], level, delta)


def each_unseen(rows: list[list[Row]], level: Level, delta: F) -> Level:
    """As `unseen`, for the outputs given each value of each record."""
    mechanism = {(i, k): row for i, values in enumerate(rows) for k, row in enumerate(values)}
    priors = [
        [((i, k), None, F(1, len(values))) for k in range(len(values))]
        for i, values in enumerate(rows)
    ]
    return simulated(mechanism, priors, [(lambda w: w[0], lambda w: w[1])], level, delta)


def present(w: tuple[Any, ...]) -> list[Any]:
    return [x for x in w if x is not None]


def stable() -> list[Level]:
    hidden = mix([(F(1, 2), iid(coin(p), 5)) for p in (F(1, 10), F(9, 10))])

    def vote(w: tuple[Any, ...]) -> bool:
        return 2 * sum(present(w)) >= len(present(w))

    released = exactly(5, BITS, vote)
    changed = [
        2 * sum(p for w, p in hidden.items() if w[0] == v and vote(w) != vote((None, *w[1:])))
        for v in BITS
    ]
    rows = [given(released, hidden, lambda w, v=v: w[0] == v) for v in BITS]  # type: ignore[misc]
    c, mu = min(p for row in rows for p in row.values()), max(changed)
    assert (c, mu) == (F(981, 10000), F(243, 5000))
    assert ((c + mu) / (c - mu), c / (c - mu)) == (F(163, 55), F(109, 55))
    return [
        canonical(vote, [hidden], mu),
        canonical(vote, [hidden], F("0.048599999")),
        symmetric(released, [hidden], F(1), mu / 2),
        canonical(vote, [hidden]),
        symmetric(released, [hidden], F(136, 109)),
        noiseless(released, [hidden]),
    ]


def exact_sum_uniform_component() -> list[Level]:
    values, two = (-1, 0, 1), F(2)
    uniform = iid({x: F(1, 3) for x in values}, 5)
    modes = [{x: F(2, 3) if x == mode else F(1, 6) for x in values} for mode in (-1, 0, 1, -1, 1)]
    half = independent(modes)
    released = exactly(5, values, sum)

    def added(w: tuple[Any, ...]) -> int:
        return sum(present(w))

    def best(prior: Prior, level: F, delta: F) -> Level:
        rows = [
            [given(released, prior, lambda w, i=i, v=v: w[i] == v) for v in values]  # type: ignore[misc]
            for i in range(5)
        ]
        return each_unseen(rows, level, delta)

    return [
        canonical(added, [uniform], F(19, 81)),
        best(uniform, F(1), F(35, 162)),
        noiseless(released, [uniform], values, F(35, 81)),
        canonical(added, [uniform], F(5, 81)),
        best(uniform, two, F(11, 243)),
        noiseless(released, [uniform], values, F(7, 27)),
        canonical(added, [uniform], F(2, 27), known=lambda w: w[0]),
        canonical(added, [uniform], F(1, 9), known=lambda w: w[:2]),
        canonical(added, [half], F(113, 1296)),
        best(half, two, F(17, 243)),
        noiseless(released, [half], values, F(10, 27)),
    ]


def histogram_of_a_sample() -> list[Level]:
    def histogram(least: int) -> Callable[[tuple[Any, ...]], tuple[int, ...]]:
        return lambda w: tuple(c if c >= least else 0 for c in (w.count("a"), w.count("b")))

    prior = independent([{x: F(1, 2), None: F(1, 2)} for x in "aaaaaab"])
    sizes = {n: F(comb(7, n), 128) for n in range(8)}
    steps = [p for n, p in sizes.items() if n and F(1, 2) <= p / sizes[n - 1] <= 2]
    assert 1 - sum(steps) == F(37, 128)
    complete, truncated = ({w: {histogram(k)(w): F(1)} for w in prior} for k in (0, 2))
    pairs = [
        (lambda w, i=i: w[i] is not None, lambda w, i=i: w[i] is None)  # type: ignore[misc]
        for i in range(7)
    ]

    def rows(mechanism: Mechanism) -> list[list[Row]]:
        return [[given(mechanism, prior, side) for side in pair] for pair in pairs]

    return [
        canonical(histogram(0), [prior], F("0.999999999")),
        each_unseen(rows(complete), F(1), F(1, 2)),
        canonical(histogram(2), [prior], F(111, 128)),
        canonical(histogram(2), [prior], F(1, 8)),
        each_unseen(rows(truncated), F(2), F(1, 48)),
        pufferfish(truncated, [prior], pairs, F(1, 8)),
        pufferfish(complete, [prior], pairs, F("0.999999999")),
    ]


def uncertain_sample_size() -> list[Level]:
    size = add_up((n, F(p, 17)) for n, p in enumerate((1, 1, 1, 2, 4, 8), 1))
    steps = [n for n in size if n > 1 and F(1, 2) <= size[n] / size[n - 1] <= 2]
    assert steps == [2, 3, 4, 5, 6] and size[1] == F(1, 17)  # condition (2)
    without = add_up((n - 1, p) for n, p in size.items())

    def apart(delta: F) -> Level:
        return max(smallest_level(size, without, delta), smallest_level(without, size, delta))

    worlds = {(n, ann): {n + ann: F(1)} for n in without for ann in BITS}
    view = (lambda w: w[0], lambda w: w[1])
    doubtful = {(n, ann): p / 2 for n, p in without.items() for ann in BITS}
    certain = {(n, 1): p for n, p in without.items()}
    return [
        apart(F(1, 17)),
        apart(F(3, 17)),
        apart(F(8, 17)),
        simulated(worlds, [knowing(doubtful)], [view], F(5, 3), F(3, 17)),
        simulated(worlds, [knowing(certain)], [view], F(1), ZERO),
    ]


def map_estimator_promise() -> list[Level]:
    """Mixtures: given a record, the weights of the sources lie between those of two extremes, and
    levels of the estimator itself are largest at an extreme. For any simulator see Theorem 4."""
    low, high = (iid(coin(p), 5) for p in (F(1, 50), F(49, 50)))
    quarter = [mix([(F(k, 4), low), (1 - F(k, 4), high)]) for k in (1, 3)]

    def estimate(w: tuple[Any, ...]) -> bool:
        sources = [prod(p if x else 1 - p for x in present(w)) for p in (F(1, 50), F(49, 50))]
        return sources[1] >= sources[0]

    released = exactly(5, BITS, estimate)
    power = (2 * F(7, 50)) ** 4  # sum of sqrt(1/50 * 49/50), twice, to the n
    wrong = 6 * F(49, 2500) ** 2  # two of four
    promised = (1 + (49 * 4 - 1) * 49 * power) / (1 - 49 * power)
    assert (50 * power, promised) == (F(4802, 15625), F(5833045, 68244))
    return [
        canonical(estimate, [low, high], 50 * power),
        canonical(estimate, [low, high], wrong),
        canonical(estimate, [low, high], F("0.0023")),
        symmetric(released, [low, high], F(1), wrong / 2),
        canonical(estimate, [low, high]),
        canonical(estimate, quarter),
        symmetric(released, quarter, F(37400, 31961)),
        noiseless(released, [low, high], delta=2 * 50 * power),
        noiseless(released, [low, high], delta=wrong),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "exact-sum.yaml": exact_sum,
    "exact-sum-uniform-component.yaml": exact_sum_uniform_component,
    "histogram-of-a-sample.yaml": histogram_of_a_sample,
    "linear-functions.yaml": linear_functions,
    "majority-of-more.yaml": majority_of_more,
    "map-estimator.yaml": map_estimator,
    "map-estimator-promise.yaml": map_estimator_promise,
    "stable.yaml": stable,
    "truncated-histogram.yaml": truncated_histogram,
    "uncertain-sample-size.yaml": uncertain_sample_size,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
