"""Well-known mechanisms: the pinned numbers of models/mechanisms, derived again by hand."""

import math
from collections.abc import Callable
from fractions import Fraction as F
from functools import cache
from itertools import product
from math import comb
from operator import add
from typing import Any

import pytest

from tests.models.brute_force import (
    INFINITE,
    Level,
    Mechanism,
    Row,
    add_up,
    apply,
    coin,
    databases,
    differential_privacy,
    geometric,
    hamming,
    independent,
    one_differs,
    pufferfish,
    runs,
    smallest_level,
    values_of_each_record,
)
from tests.models.model_files import confirm, confirm_engine, files, once
from tests.models.test_selection_models import DERIVED as SELECTING
from tests.models.test_selection_models import exponential

FOLDER = "mechanisms"
HALF = F(1, 2)
BITS = (0, 1)


def response(world: tuple[Any, ...], domain: tuple[Any, ...], truth: F) -> Row:
    lie = (1 - truth) / (len(domain) - 1)
    return independent(
        [add_up((v, truth if v == answer else lie) for v in domain) for answer in world]
    )


def noisy_count(world: tuple[int, ...], ratio: F = HALF) -> Row:
    """Wide clamping stands for all integers: beyond the counts the rows are proportional."""
    return geometric(sum(world), ratio, -1, len(world) + 1)


def within(steps: int) -> Callable[[Any, Any], bool]:
    return lambda w, v: hamming(w, v) <= steps


def l1(w: tuple[int, ...], v: tuple[int, ...]) -> int:
    return sum(abs(x - y) for x, y in zip(w, v, strict=True))


def linf(w: tuple[int, ...], v: tuple[int, ...]) -> int:
    return max(abs(x - y) for x, y in zip(w, v, strict=True))


def anybody(w: object, v: object) -> bool:
    return True


def per_unit(mechanism: Mechanism, distance: Callable[[Any, Any], int], level: F) -> F:
    """The metric level is `level`: it holds for all pairs and is attained at distance 1."""
    for w in mechanism:
        for v in mechanism:
            allowed = level ** distance(w, v)
            assert all(p <= allowed * mechanism[v].get(o, 0) for o, p in mechanism[w].items())
    assert differential_privacy(mechanism, lambda w, v: distance(w, v) == 1) == level
    return level


def randomized_response() -> list[Level]:
    m = {w: response(w, BITS, F(3, 4)) for w in databases(3, BITS)}
    pure = differential_privacy(m, one_differs)
    unequal = independent([coin(F(q, 9)) for q in (1, 4, 7)])  # one product prior attains 3
    everything = max(differential_privacy(m, lambda w, v, i=i: w[i] != v[i]) for i in range(3))
    return [
        pure,
        pure,
        differential_privacy(m, one_differs, F(1, 4)),
        differential_privacy(m, one_differs, F(1, 5)),
        differential_privacy(m, within(2)),
        per_unit(m, hamming, F(3)),
        pufferfish(m, [unequal], values_of_each_record(3, BITS)),
        everything,
        everything,
    ]


def k_ary() -> list[Level]:
    colours = ("red", "green", "blue")
    m = {w: response(w, colours, HALF) for w in databases(2, colours)}
    pure = differential_privacy(m, one_differs)
    return [
        pure,
        pure,
        differential_privacy(m, within(2)),
        differential_privacy(m, one_differs, F(1, 8)),
        differential_privacy(m, one_differs, F("0.1249999999")),
        differential_privacy(m, one_differs, F(1, 4)),
        per_unit(m, hamming, F(2)),
    ]


def two_worlds(yes_if_yes: F, yes_if_no: F, delta: F = F(0)) -> Level:
    return differential_privacy({1: coin(yes_if_yes), 0: coin(yes_if_no)}, anybody, delta)


def survey_designs() -> list[Level]:
    warner = two_worlds(F(7, 10), F(3, 10))
    return [
        warner,
        warner,
        two_worlds(HALF + HALF * HALF, HALF * HALF),
        two_worlds(HALF + HALF * F(1, 4), HALF * F(1, 4)),
        two_worlds(F(1), F(3, 10)),
        two_worlds(F(1), F(3, 10), F(7, 10)),
    ]


def geometric_count() -> list[Level]:
    m = {w: noisy_count(w) for w in databases(4, BITS)}
    pure = differential_privacy(m, one_differs)
    return [
        F(max(abs(sum(w) - sum(v)) for w in m for v in m if one_differs(w, v))),
        pure,
        pure,
        pure,
        differential_privacy(m, within(3)),
        differential_privacy(m, one_differs, F(1, 6)),
        differential_privacy(m, one_differs, F("0.1666666666")),
        per_unit(m, hamming, F(2)),
    ]


def geometric_sum() -> list[Level]:
    m = {w: geometric(sum(w), HALF, -1, 5) for w in databases(2, (0, 1, 2))}
    pure = differential_privacy(m, one_differs)
    unit = differential_privacy(m, lambda w, v: l1(w, v) == 1)
    return [
        F(max(abs(sum(w) - sum(v)) for w in m for v in m if one_differs(w, v))),
        F(max(abs(sum(w) - sum(v)) for w in m for v in m if l1(w, v) == 1)),
        pure,
        pure,
        unit,
        differential_privacy(m, lambda w, v: linf(w, v) <= 1),
        per_unit(m, l1, F(2)),
        unit,
    ]


def clamped_or_renormalised() -> list[Level]:
    counts = range(4)
    clamped = {(k,): geometric(k, HALF, 0, 3) for k in counts}
    renormalised = {(k,): exponential({c: -abs(c - k) for c in counts}) for k in counts}
    neighbours = lambda w, v: l1(w, v) == 1  # noqa: E731
    wrong = differential_privacy(renormalised, neighbours)
    return [differential_privacy(clamped, neighbours), wrong, wrong]


def stability_histogram() -> list[Level]:
    def shown(noisy: int) -> object:
        return noisy if noisy >= 3 else "nothing"

    m: Mechanism = {(0,): {"nothing": F(1)}} | {
        (k,): apply(geometric(k, HALF, 0, 6), shown) for k in (1, 2, 3)
    }
    return [
        differential_privacy(m, lambda w, v: l1(w, v) == 1, delta)
        for delta in (F(0), F(1, 6), F("0.1666666666"))
    ]


def subsampling() -> list[Level]:
    worlds = databases(3, BITS)
    everybody = {w: geometric(sum(w), F(1, 3), 0, 3) for w in worlds}
    half = {
        w: apply(
            independent([coin(x * HALF) for x in w]),
            lambda kept: geometric(sum(kept), F(1, 3), 0, 3),
        )
        for w in worlds
    }
    one = {w: coin(sum((F(1, 4) + x * HALF for x in w), F(0)) / 3) for w in worlds}
    amplified = differential_privacy(half, one_differs)
    return [
        differential_privacy(everybody, one_differs),
        amplified,
        amplified,
        differential_privacy(one, one_differs),
    ]


def binomial_runs(k: int, delta: F = F(0)) -> Level:
    """k responses with truth 3/4: the number of ones tells all."""
    rows = {
        x: {j: math.comb(k, j) * p**j * (1 - p) ** (k - j) for j in range(k + 1)}
        for x, p in ((0, F(1, 4)), (1, F(3, 4)))
    }
    if k <= 3:  # the closed form against the definition: the multiset of outputs
        for x, row in rows.items():
            multisets = runs(coin(F(3, 4) if x else F(1, 4)), k)
            assert sorted(row.values()) == sorted(multisets.values())
    return differential_privacy(rows, anybody, delta)


def composition() -> list[Level]:
    both = {
        x: independent([coin(F(3, 4) if x else F(1, 4)), geometric(x, HALF, 0, 1)]) for x in BITS
    }
    ten = binomial_runs(10)
    return [
        binomial_runs(2),
        ten,
        ten,
        differential_privacy(both, anybody),
        binomial_runs(2, F(3, 8)),
        binomial_runs(3, F(3, 8)),
        binomial_runs(3, F(3, 8)),
        binomial_runs(10, F(16119, 32768)),
    ]


def post_processing() -> list[Level]:
    rows = {"healthy": (6, 3, 1), "ill": (2, 6, 2), "very ill": (1, 3, 6)}
    test = {w: add_up(enumerate(F(x, 10) for x in row)) for w, row in rows.items()}
    summary = {w: apply(row, lambda o: o == 2) for w, row in test.items()}
    blurred = {w: apply(row, lambda o: coin(F(o, 2))) for w, row in test.items()}
    last = differential_privacy(blurred, anybody)
    return [differential_privacy(test, anybody), differential_privacy(summary, anybody), last, last]


def shuffled() -> list[Level]:
    m = {
        w: apply(response(w, BITS, F(3, 4)), lambda answers: sum(answers))
        for w in databases(3, BITS)
    }
    local = {w: response(w, BITS, F(3, 4)) for w in databases(3, BITS)}
    pure = differential_privacy(m, one_differs)
    return [
        pure,
        pure,
        differential_privacy(local, one_differs, F(1, 4)),
        differential_privacy(m, one_differs, F(9, 64)),
        differential_privacy(m, one_differs, F("0.140624999")),
    ]


def noisy_count_of_a_crowd() -> list[Level]:
    """Of people who are ill, well or away, as counts (ill, well) that add up to 28 to 30."""
    sizes = [(ill, n - ill) for n in (28, 29, 30) for ill in range(n + 1)]
    m = {w: geometric(w[0], HALF, 0, 30) for w in sizes}

    def moved(w: tuple[int, int], v: tuple[int, int]) -> bool:
        return sum(w) == sum(v)

    def within(most: int) -> Level:
        return differential_privacy(m, lambda w, v: moved(w, v) and abs(w[0] - v[0]) <= most)

    presence = differential_privacy(m, lambda w, v: abs(w[0] - v[0]) + abs(w[1] - v[1]) == 1)
    return [within(1), within(3), presence, within(1)]


def noisy_histogram_of_a_crowd() -> list[Level]:
    """Of 30 places, of which up to two are empty: as counts of three cells."""
    cells = [w for w in product(range(31), repeat=3) if 28 <= sum(w) <= 30]

    @cache
    def of_one(ratio: F, here: int, there: int) -> F:
        p, q = (geometric(count, ratio, 0, 30) for count in (here, there))
        return max(p[o] / q[o] for o in p)

    def largest(ratios: list[F], moved: int, come: int) -> Level:
        """Up to so many people move, with as many places empty, or come and go."""
        changes = [
            d
            for d in product(range(-moved - come, moved + come + 1), repeat=3)
            if any(d) and abs(sum(d)) == come and sum(map(abs, d)) <= 2 * moved + come
        ]
        known = set(cells)
        pairs = ((w, tuple(map(add, w, d))) for w in cells for d in changes)
        each = {tuple(zip(ratios, w, v, strict=True)) for w, v in pairs if v in known}
        return max(math.prod(of_one(*one) for one in several) for several in each)

    same, mixed = [HALF] * 3, [HALF, F(2, 3), F(2, 3)]
    return [largest(same, 1, 0), largest(same, 2, 0), largest(same, 0, 1), largest(mixed, 1, 0)]


def shuffled_crowd() -> list[Level]:
    """The ones among 60 responses, as the sum of two binomial numbers."""

    def binomial(n: int, p: F) -> dict[int, F]:
        return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}

    def ones(true: int) -> dict[int, F]:
        sums = product(binomial(true, F(3, 4)).items(), binomial(60 - true, F(1, 4)).items())
        return add_up((a + b, p * q) for (a, p), (b, q) in sums)

    rows = {true: ones(true) for true in range(61)}
    pairs = [(k, j) for k in rows for j in (k - 1, k + 1) if j in rows]
    deltas = (F(0), F(1, 1000), F(1, 10000))
    return [max(smallest_level(rows[k], rows[j], delta) for k, j in pairs) for delta in deltas]


def name_and_shame() -> list[Level]:
    m = {
        w: independent([add_up([(x, F(1, 10)), ("hidden", F(9, 10))]) for x in w])
        for w in databases(2, BITS)
    }
    return [
        differential_privacy(m, one_differs),
        differential_privacy(m, one_differs, F(1, 10)),
        differential_privacy(m, one_differs, F("0.0999999999")),
        differential_privacy(m, within(2), F(19, 100)),
    ]


def rappor() -> list[Level]:
    def flip(bit: int) -> Row:
        return coin(F(3, 4) if bit else F(1, 4))

    def level(report: Callable[[int], Row]) -> Level:
        m = {v: independent([report(int(v == i)) for i in range(3)]) for v in range(3)}
        return differential_privacy(m, anybody)

    one = level(lambda bit: apply(flip(bit), flip))
    two = level(lambda bit: apply(flip(bit), lambda kept: independent([flip(kept)] * 2)))
    return [level(flip), one, one, two, two]


def rappor_bloom() -> list[Level]:
    """Bits are independent, and those that do not differ tell nothing: six are enough."""

    def report(bit: int) -> Row:
        kept = coin(F(bit, 4) + F(3, 8))
        return apply(kept, lambda one: coin(F(11, 20) if one else F(9, 20)))

    bits = {"v": (1, 1, 1, 0, 0, 0), "w": (0, 0, 0, 1, 1, 1)}
    m = {w: independent([report(bit) for bit in bloom]) for w, bloom in bits.items()}
    return [differential_privacy(m, anybody)]


def local_hashing() -> list[Level]:
    m = {
        v: add_up(
            ((h, bit), F(1, 3) * p)
            for h in range(3)
            for bit, p in coin(F(3, 4) if v == h else F(1, 4)).items()
        )
        for v in range(3)
    }
    pure = differential_privacy(m, anybody)
    return [pure, pure, differential_privacy(m, anybody, F(1, 3))]


def local_channels() -> list[Level]:
    """27 worlds, all outputs: nothing of channels is used."""

    def answer(world: tuple[int, ...]) -> Row:
        ann, bob, cat = world
        one, two = (response((v,), range(3), HALF) for v in (ann, cat))  # type: ignore[arg-type]
        return independent([one, coin(F(bob + 1, 4)), two, two])

    m = {w: answer(w) for w in databases(3, range(3))}
    but_cat = differential_privacy(m, lambda w, v: one_differs(w, v) and w[2] == v[2])
    return [
        differential_privacy(m, one_differs),
        differential_privacy(m, within(2)),
        differential_privacy(m, anybody),
        differential_privacy(m, lambda w, v: l1(w, v) <= 2),
        differential_privacy(m, one_differs, F(1, 4)),
        per_unit(m, l1, F(4)),
        but_cat,
        max(_range(m[w], m[v]) for w in m for v in m if one_differs(w, v)),
        max(_second_order(m[w], m[v]) for w in m for v in m if one_differs(w, v)),
    ]


def _range(one: Row, other: Row) -> F:
    """How far the odds of any two outputs change."""
    ratios = [p / other[o] for o, p in one.items()]
    return max(ratios) / min(ratios)


def _second_order(one: Row, other: Row) -> F:
    return sum((p * p / other[o] for o, p in one.items()), F(0))


def local_survey() -> list[Level]:
    """Records that do not change tell nothing, so as many people as may change are enough."""

    def people(count: int) -> Mechanism:
        return {w: response(w, BITS, F(3, 4)) for w in databases(count, BITS)}

    return [
        differential_privacy(people(1), anybody),
        differential_privacy(people(5), anybody),
        differential_privacy(people(1), anybody, F(1, 4)),
        differential_privacy(people(2), anybody, F(1, 4)),
        per_unit(people(2), hamming, F(3)),
    ]


def walker() -> list[Level]:
    m = {w: independent([geometric(x, HALF, 0, 2) for x in w]) for w in databases(2, range(3))}
    unit = per_unit(m, l1, F(2))
    return [unit, unit, per_unit(m, linf, F(4)), differential_privacy(m, anybody)]


def bounded_noise() -> list[Level]:
    exact = {(k,): {k: F(1)} for k in range(4)}
    blurred = {(k,): {k - 1: F(1, 3), k: F(1, 3), k + 1: F(1, 3)} for k in range(4)}
    step = lambda w, v: l1(w, v) == 1  # noqa: E731
    return [
        differential_privacy(exact, step),
        differential_privacy(blurred, step),
        differential_privacy(blurred, step, F(1, 3)),
        differential_privacy(blurred, step, F("0.3333333333")),
    ]


def ties() -> list[Level]:
    tiny = F(1, 10**31)
    above = two_worlds(F(3, 10) + tiny, F(1, 10))
    e_digits = F(2718281828459045235360287471352, 10**31)
    return [
        two_worlds(F(3, 10), F(1, 10)),
        above,
        above,
        two_worlds(e_digits, F(1, 10)),
        two_worlds(e_digits + tiny, F(1, 10)),
    ]


def weather() -> list[Level]:
    level = differential_privacy({d: coin(F(d, 20)) for d in (16, 10, 5)}, anybody)
    return [level, level]


def twice(level: Level) -> list[Level]:
    return [level, level]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "bounded-noise.yaml": bounded_noise,
    "clamped-or-renormalised.yaml": clamped_or_renormalised,
    "composition-of-responses.yaml": composition,
    "geo-indistinguishability.yaml": walker,
    "geometric-count.yaml": geometric_count,
    "geometric-sum.yaml": geometric_sum,
    "local-channels.yaml": local_channels,
    "local-hashing.yaml": local_hashing,
    "local-survey.yaml": local_survey,
    "mechanism-from-csv.yaml": weather,
    "mixture.yaml": lambda: [INFINITE, *twice(two_worlds(F(5, 8), F(3, 8)))],
    "name-and-shame.yaml": name_and_shame,
    "noisy-count-of-a-crowd.yaml": noisy_count_of_a_crowd,
    "noisy-histogram-of-a-crowd.yaml": noisy_histogram_of_a_crowd,
    "post-processing.yaml": post_processing,
    "randomized-response-k-ary.yaml": k_ary,
    "randomized-response.yaml": randomized_response,
    "rappor.yaml": rappor,
    "rappor-bloom.yaml": rappor_bloom,
    "shuffled-crowd.yaml": shuffled_crowd,
    "shuffled-responses.yaml": shuffled,
    "stability-histogram.yaml": stability_histogram,
    "subsampling.yaml": subsampling,
    "survey-designs.yaml": survey_designs,
    "ties.yaml": ties,
}


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))


def test_every_file_is_derived_here_or_among_the_selecting_mechanisms() -> None:
    """Tables of estimates, divergences and neighbours of one's own have tests of their own."""
    others = ["divergences.yaml", "estimates.yaml", "own-neighbours.yaml"]
    assert files(FOLDER) == sorted([*DERIVED, *SELECTING, *others])
