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
    Level,
    Mechanism,
    Row,
    add_up,
    coin,
    databases,
    differential_privacy,
    geometric,
    hamming,
    independent,
    one_differs,
    smallest_level,
)
from tests.models.model_files import confirm, confirm_engine, once

FOLDER = "mechanisms"
HALF = F(1, 2)
BITS = (0, 1)


def response(world: tuple[Any, ...], domain: tuple[Any, ...], truth: F) -> Row:
    lie = (1 - truth) / (len(domain) - 1)
    return independent(
        [add_up((v, truth if v == answer else lie) for v in domain) for answer in world]
    )


def within(steps: int) -> Callable[[Any, Any], bool]:
    return lambda w, v: hamming(w, v) <= steps


def l1(w: tuple[int, ...], v: tuple[int, ...]) -> int:
    return sum(abs(x - y) for x, y in zip(w, v, strict=True))


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


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "local-channels.yaml": local_channels,
    "local-survey.yaml": local_survey,
    "noisy-count-of-a-crowd.yaml": noisy_count_of_a_crowd,
    "noisy-histogram-of-a-crowd.yaml": noisy_histogram_of_a_crowd,
    "shuffled-crowd.yaml": shuffled_crowd,
}


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
