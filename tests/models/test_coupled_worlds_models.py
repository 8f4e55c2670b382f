"""Privacy without noise: the numbers of models/coupled-worlds, by plain fractions."""

from collections.abc import Callable, Hashable
from fractions import Fraction as F
from math import prod
from typing import Any

import pytest

from tests.definitions.simulator_cases import Question
from tests.models.brute_force import (
    INFINITE,
    ZERO,
    Level,
    Mechanism,
    Prior,
    Row,
    add_up,
    coin,
    databases,
    differential_privacy,
    hamming,
    independent,
    one_differs,
    pufferfish,
    values_of_each_record,
)
from tests.models.model_files import confirm, confirm_engine, files

FOLDER = "coupled-worlds"
BITS = (0, 1)
COIN = coin(F(1, 2))


def exactly(records: int, domain: Any, function: Callable[[Any], Hashable]) -> Mechanism:
    return {w: {function(w): F(1)} for w in databases(records, domain)}


def mix(weighted: list[tuple[F, Prior]]) -> Prior:
    return add_up((w, weight * p) for weight, prior in weighted for w, p in prior.items())


def noiseless(
    mechanism: Mechanism, priors: list[Prior], domain: Any = BITS, delta: F = ZERO
) -> Level:
    """Coupled-worlds paper, Def. 6 without auxiliary information."""
    records = len(next(iter(mechanism)))
    return pufferfish(mechanism, priors, values_of_each_record(records, domain), delta)


def iid(row: Row, records: int = 3) -> Prior:
    return independent([row] * records)


def majority(records: int) -> Mechanism:
    return exactly(records, BITS, lambda w: 2 * sum(w) > records)


CAUSES = [iid(coin(F(9, 10))), iid(coin(F(1, 10)))]
HIDDEN = mix([(F(1, 2), prior) for prior in CAUSES])


def distributional(
    mechanism: Mechanism,
    prior: Prior,
    level: Level,
    delta: F = ZERO,
    known: Callable[[Any], Hashable] = lambda w: None,
) -> Level:
    """`level`, after a solver has found a simulator for it, and none right below it (Def. 3)."""
    worlds = list(mechanism)
    outputs = list(dict.fromkeys(t for row in mechanism.values() for t in row))
    question = Question(
        [[mechanism[w].get(t, ZERO) for t in outputs] for w in worlds],
        [
            ([(i, *w[:i], *w[i + 1 :]) for w in worlds], [w[i] for w in worlds])
            for i in range(len(worlds[0]))
        ],
        [[(k, known(w), prior[w]) for k, w in enumerate(worlds) if w in prior]],
    )
    if level == INFINITE:
        assert not question.serves(F(10**30), delta)
    else:
        assert isinstance(level, F) and question.serves(level, delta)
        assert level == 1 or not question.serves(level - F(1, 10**30), delta)
    return level


def majority_without_noise() -> list[Level]:
    m = majority(3)
    fair, hidden = noiseless(m, [iid(COIN)]), noiseless(m, [HIDDEN])
    return [
        distributional(m, iid(COIN), F(2)),
        distributional(m, iid(COIN), F(2)),
        distributional(m, HIDDEN, F(2)),
        *[differential_privacy(m, one_differs), fair, fair, hidden, hidden, hidden],
    ]


def common_cause_known() -> list[Level]:
    m = majority(3)
    return [
        noiseless(m, CAUSES),
        noiseless(m, [HIDDEN]),
        noiseless(m, CAUSES, delta=F(18, 100)),
        noiseless(m, [HIDDEN], delta=F(18, 100)),
    ]


def majority_of_more() -> list[Level]:
    levels = [noiseless(majority(n), [iid(COIN, n)]) for n in (1, 3, 5, 7)]
    return [*levels, levels[-1]]


def exact_sum() -> list[Level]:
    def level(records: int, delta: F) -> Level:
        return noiseless(exactly(records, BITS, sum), [iid(COIN, records)], delta=delta)

    def simulated(records: int, least: Level, delta: F) -> Level:
        return distributional(exactly(records, BITS, sum), iid(COIN, records), least, delta)

    return [
        simulated(3, INFINITE, ZERO),
        simulated(3, F(1), F(1, 4)),
        simulated(5, F(1), F(3, 16)),
        simulated(7, F(1), F(5, 32)),
        level(7, F(0)),
        level(3, F(1, 2)),
        level(5, F(3, 8)),
        level(7, F(5, 16)),
        level(7, F("0.312499999")),
        level(5, F(1, 8)),
        level(7, F(1, 8)),
    ]


def parity_known() -> list[Level]:
    parity = exactly(3, BITS, lambda w: sum(w) % 2)
    given_parity = [{w: F(1, 4) for w in parity if sum(w) % 2 == z} for z in BITS]
    given_two = {(0, 0, 0): F(1, 2), (1, 0, 0): F(1, 2)}
    return [
        distributional(parity, iid(COIN), INFINITE, known=lambda w: sum(w) % 2),
        distributional(parity, iid(COIN), F(1)),
        *(noiseless(parity, priors) for priors in ([iid(COIN)], given_parity, [given_two])),
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

    return [
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
        noiseless(pairs, [iid(COIN)]),
        noiseless(with_parity, [iid(COIN)]),
        noiseless(pairs, [friends]),
        noiseless(pairs, [iid(coin(F(3, 4)))]),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "common-cause-known.yaml": common_cause_known,
    "exact-sum.yaml": exact_sum,
    "linear-functions.yaml": linear_functions,
    "majority-of-more.yaml": majority_of_more,
    "majority-without-noise.yaml": majority_without_noise,
    "map-estimator.yaml": map_estimator,
    "parity-with-parity-known.yaml": parity_known,
    "truncated-histogram.yaml": truncated_histogram,
}


@pytest.mark.parametrize("file", files(FOLDER))
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *DERIVED[file]())


@pytest.mark.parametrize("file", files(FOLDER))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *DERIVED[file]())
