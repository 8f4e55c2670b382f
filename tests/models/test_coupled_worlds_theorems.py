"""Theorems about coupled worlds (Sections II-D, III-D of the paper), by plain fractions."""

from collections.abc import Callable
from fractions import Fraction as F
from itertools import combinations
from math import log, sqrt

import pytest

from tests.models.brute_force import (
    INFINITE,
    ZERO,
    Level,
    Mechanism,
    Prior,
    add_up,
    apply,
    coin,
    databases,
    differential_privacy,
    given,
    independent,
    one_differs,
    pufferfish,
    smallest_level,
)
from tests.models.model_files import confirm, confirm_engine, once
from tests.models.test_coupled_worlds_models import (
    BITS,
    CAUSES,
    COIN,
    FOLDER,
    HIDDEN,
    Entries,
    distributional,
    exactly,
    iid,
    inferred,
    knowing,
    majority,
    mix,
    noiseless,
    others,
    simulated,
    unseen,
)

pytestmark = pytest.mark.oracle

MAJORITY = majority(3)


def listed(mechanism: Mechanism, priors: list[Prior], level: Level, delta: F = ZERO) -> Level:
    records = len(next(iter(mechanism)))
    return simulated(mechanism, [knowing(p) for p in priors], others(records), level, delta)


def post_processing() -> list[Level]:
    ones, fair = exactly(3, BITS, sum), iid(COIN)
    two = {w: coin(F(sum(w) >= 2)) for w in ones}
    hesitant = {w: coin(F(3, 4) if sum(w) >= 2 else F(1, 4)) for w in ones}
    return [
        distributional(ones, fair, INFINITE),
        distributional(two, fair, F(2)),
        distributional(hesitant, fair, F(4, 3)),
        distributional(ones, fair, F(1), F(1, 4)),
        distributional(two, fair, F(1), F(1, 4)),
        distributional(hesitant, fair, F(1), F(1, 8)),
        *(noiseless(m, [fair]) for m in (ones, two, hesitant)),
    ]


def hull_of_beliefs() -> list[Level]:
    """Noiseless: the weight w of the optimists has the odds s = w/(1 - w). The level of True is
    (45 s^2 + 142 s + 21) / (3 (3 s + 1)^2), and 64/9 less that a multiple of (21 s - 1)^2.
    """
    two = [iid(coin(F(1, 4))), iid(coin(F(3, 4)))]

    def mixed(weight: F) -> Prior:
        return mix([(weight, two[1]), (1 - weight, two[0])])

    half, worst = mixed(F(1, 2)), noiseless(MAJORITY, [mixed(F(1, 22))])
    many = [mixed(F(k, 10)) for k in range(11)]
    assert all(noiseless(MAJORITY, [p]) <= worst for p in many)
    return [
        listed(MAJORITY, two, F(4)),
        listed(MAJORITY, [*two, *many[1:10]], F(4)),
        listed(MAJORITY, [half], F(2)),
        noiseless(MAJORITY, two),
        worst,
        worst,
        noiseless(MAJORITY, [half]),
    ]


def less_known() -> list[Level]:
    heard = [mix([(F(k, 4), CAUSES[0]), (1 - F(k, 4), CAUSES[1])]) for k in (3, 1)]
    red_or_blue: Entries = [
        (w, z, p / 2)
        for z, prior in zip(("red", "blue"), heard, strict=True)
        for w, p in prior.items()
    ]
    return [
        listed(MAJORITY, CAUSES, F(10)),
        listed(MAJORITY, heard, F(10, 3)),
        listed(MAJORITY, [HIDDEN], F(2)),
        simulated(MAJORITY, [red_or_blue], others(3), F(10, 3), ZERO),
        inferred(MAJORITY, [knowing(p) for p in CAUSES], others(3), F(95, 14)),
        inferred(MAJORITY, [knowing(p) for p in heard], others(3), F(44, 35)),
        inferred(MAJORITY, [knowing(HIDDEN)], others(3), F(50, 41)),
        noiseless(MAJORITY, CAUSES),
        noiseless(MAJORITY, heard),
        noiseless(MAJORITY, [HIDDEN]),
        listed(MAJORITY, CAUSES, F(1), F(9, 100)),
        listed(MAJORITY, [HIDDEN], F(1), F(9, 100)),
        noiseless(MAJORITY, CAUSES, delta=F(18, 100)),
        noiseless(MAJORITY, [HIDDEN], delta=F(18, 100)),
    ]


def composition() -> list[Level]:
    fair = iid(COIN)

    def level(function: Callable[..., object], found: Level, known: object = None) -> Level:
        told = known if callable(known) else lambda *w: None
        mechanism = exactly(3, BITS, lambda w: function(*w))
        return distributional(mechanism, fair, found, known=lambda w: told(*w))

    def first(x: int, y: int, z: int) -> int:
        return x ^ y

    def parity(x: int, y: int, z: int) -> int:
        return x ^ y ^ z

    def two(x: int, y: int, z: int) -> bool:
        return x + y + z >= 2

    def simulated_parity(w: tuple[int, ...]) -> dict[object, F]:
        return {1: coin(F(1, 2)), 0: {1: F(1)}, 2: {0: F(1)}}[w[1] + w[2]]

    imitated = [(w, g, p * q) for w, p in fair.items() for g, q in simulated_parity(w).items()]
    pairs = exactly(3, BITS, lambda w: (w[0] ^ w[1], w[1] ^ w[2]))
    telling = exactly(3, BITS, lambda w: (w[0] ^ w[1], w[0] ^ w[1] ^ w[2]))
    return [
        level(first, F(1)),
        level(lambda x, y, z: y ^ z, F(1), known=first),
        distributional(pairs, fair, F(1)),
        noiseless(pairs, [fair]),
        level(parity, F(1)),
        level(parity, INFINITE, known=first),
        distributional(telling, fair, INFINITE),
        noiseless(telling, [fair]),
        level(two, F(2)),
        level(parity, F(1), known=two),
        simulated(MAJORITY, [imitated], others(3), INFINITE, ZERO),
        level(lambda *w: (two(*w), parity(*w)), INFINITE),
    ]


ANSWER: Mechanism = {(0,): coin(F(1, 4)), (1,): coin(F(3, 4))}
WORD: Mechanism = {(0,): coin(F(1, 10)), (1,): coin(F(4, 10))}


def composition_of_words() -> list[Level]:
    fair = iid(COIN, 1)

    def steps(one: Mechanism, simulator: F, found: list[F]) -> list[Level]:
        both = {w: independent([row, row]) for w, row in one.items()}
        drawn = coin(simulator)
        seen = [(w, t, p * row[t]) for w, p in fair.items() for row in [one[w]] for t in row]
        imitated = [(w, t, p * drawn[t]) for w, p in fair.items() for t in drawn]
        return [
            simulated(one, [seen], others(1), found[0], ZERO),
            simulated(one, [imitated], others(1), found[1], ZERO),
            distributional(both, fair, found[2]),
            noiseless(both, [fair]),
        ]

    twice = {w: independent([row, row]) for w, row in ANSWER.items()}
    return [
        *steps(ANSWER, F(1, 2), [F(2), F(2), F(3)]),
        *steps(WORD, F(2, 10), [F(2), F(2), F(4)]),
        distributional(ANSWER, fair, F(1), F(1, 4)),
        distributional(twice, fair, F(1), F(1, 4)),
        noiseless(twice, [fair], delta=F(1, 2)),
    ]


def pufferfish_from_simulators() -> list[Level]:
    view = (lambda w: w[1:], lambda w: w[0])
    simulator = {w: coin(F(w[1] + w[2], 2)) for w in MAJORITY}
    pairs = [(lambda w: w[0] == 0, lambda w: w[0] == 1)]

    def first(mechanism: Mechanism, delta: F = ZERO) -> Level:
        return pufferfish(mechanism, [HIDDEN], pairs, delta)

    return [
        simulated(MAJORITY, [knowing(HIDDEN)], [view], F(2), ZERO),
        first(simulator),
        first(MAJORITY),
        simulated(MAJORITY, [knowing(HIDDEN)], [view], F(1), F(9, 100)),
        first(MAJORITY, F(1, 2)),
        first(MAJORITY, F("0.499999999")),
        distributional(MAJORITY, HIDDEN, F(2)),
        noiseless(MAJORITY, [HIDDEN]),
    ]


def noiseless_from_simulators() -> list[Level]:
    fair, ones = iid(COIN, 2), exactly(2, BITS, sum)
    word, response = ({w: one[w[:1]] for w in ones} for one in (WORD, ANSWER))
    return [
        distributional(word, fair, F(2)),
        noiseless(word, [fair]),
        distributional(response, fair, F(2)),
        noiseless(response, [fair]),
        distributional(ones, fair, F(1), F(1, 4)),
        noiseless(ones, [fair], delta=F(1, 2)),
        noiseless(ones, [fair], delta=F("0.499999999")),
    ]


def all_distributions() -> list[Level]:
    """All priors: those on one world for a simulator, those on two for noiseless privacy."""
    worlds = databases(2, BITS)
    points = [{w: F(1)} for w in worlds]
    pairs = [{v: F(1, 2), w: F(1, 2)} for v, w in combinations(worlds, 2)]
    response = {w: independent([ANSWER[(x,)] for x in w]) for w in worlds}
    word = {w: WORD[w[:1]] for w in worlds}
    ones = exactly(2, BITS, sum)
    return [
        differential_privacy(response, one_differs),
        listed(response, points, F(2)),
        noiseless(response, pairs),
        differential_privacy(word, one_differs),
        listed(word, points, F(2)),
        noiseless(word, pairs),
        differential_privacy(ones, one_differs, F(1)),
        listed(ones, points, F(1), F(1, 2)),
    ]


def inference_of_pufferfish() -> list[Level]:
    fair = iid(COIN)
    rows = [given(MAJORITY, fair, lambda w, v=v: w[0] == v) for v in BITS]
    whole = apply(fair, lambda w: MAJORITY[w])
    updates = [row[t] / whole[t] for row in rows for t in whole]
    return [
        noiseless(MAJORITY, [fair]),
        max([*updates, *(1 / x for x in updates)]),
        inferred(MAJORITY, [knowing(fair)], [(lambda w: None, lambda w: w[0])], F(2)),
        unseen(rows, F(2)),
    ]


SAID = {0: add_up([("no", F(21, 25)), ("silent", F(4, 25))]), 1: {"silent": F(1)}}
ANN = coin(F(41, 100))


def inference_theorem() -> list[Level]:
    rows = [SAID[x] for x in BITS]
    levels = [smallest_level(p, q, F(20, 25)) for p in rows for q in rows]
    alone = [smallest_level(p, q, F(21, 25)) for p in rows for q in rows]
    entries = [knowing({(x,): p for x, p in ANN.items()})]
    mechanism = {(x,): row for x, row in SAID.items()}
    return [
        unseen(rows, F(20), F(1, 25)),
        inferred(mechanism, entries, others(1), INFINITE, F(2, 5)),
        inferred(mechanism, entries, others(1), F(1), F(41, 100)),
        unseen(rows, INFINITE),
        max(levels),
        max(alone),
    ]


def inference_and_certainty() -> list[Level]:
    published = exactly(1, BITS, lambda w: w)
    points: list[Prior] = [{w: F(1)} for w in published]
    more = [*points, iid(COIN, 1)]
    return [
        inferred(published, [knowing(p) for p in points], others(1), F(1)),
        inferred(published, [knowing(p) for p in more], others(1), INFINITE),
        listed(published, points, INFINITE),
        listed(published, more, INFINITE),
        differential_privacy(published, one_differs),
    ]


def test_theorem_1_promises_too_much() -> None:
    """After a simulator that sees nothing, Ann's posterior is the prior."""
    level, delta = F(20), F(1, 25)
    promised = F(2, 5)
    assert float(promised) == 2 * sqrt(delta) <= log(level) * level
    bad = ZERO
    for t in ("no", "silent"):
        total = sum(p * SAID[x].get(t, ZERO) for x, p in ANN.items())
        posterior = {x: p * SAID[x].get(t, ZERO) / total for x, p in ANN.items()}
        excess = [
            sum(max(ZERO, p[x] - level**3 * q[x]) for x in BITS)
            for p, q in ((posterior, ANN), (ANN, posterior))
        ]
        bad += total if max(excess) > promised else ZERO
    assert bad == F(4956, 10000) > promised


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "all-distributions.yaml": all_distributions,
    "composition.yaml": composition,
    "composition-of-words.yaml": composition_of_words,
    "hull-of-beliefs.yaml": hull_of_beliefs,
    "inference-and-certainty.yaml": inference_and_certainty,
    "inference-of-pufferfish.yaml": inference_of_pufferfish,
    "inference-theorem.yaml": inference_theorem,
    "less-known.yaml": less_known,
    "noiseless-from-simulators.yaml": noiseless_from_simulators,
    "post-processing.yaml": post_processing,
    "pufferfish-from-simulators.yaml": pufferfish_from_simulators,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
