"""Model files of the Pufferfish paper, Sections 4 and 7 to 11, derived from the definitions."""

from collections.abc import Callable, Hashable, Mapping
from itertools import pairwise, product
from math import comb, isqrt
from typing import Any

from tests.models.by_definition import (
    INFINITE,
    ZERO,
    F,
    Fraction,
    Level,
    Mechanism,
    Prior,
    Row,
    World,
    bits,
    databases,
    everything,
    exactly,
    geometric,
    independent,
    noisy,
    over_pairs,
    pufferfish,
    replace,
    smallest_level,
    split,
    together,
    uniform,
    values,
)
from tests.models.couplings import pairing
from tests.models.model_files import confirm

BITS = (0, 1)
HALF = F(1, 2)


# --- Section 7: single-prior privacy ----------------------------------------------------------


def algorithm_1(n: int, rho: Fraction, k_lo: int, k_hi: int) -> dict[int, Row]:
    """Count -> distribution of ('noisy', r) or ('true', k); the left-over mass is derived."""
    rows = {}
    for k in range(n + 1):
        row: dict[Hashable, Fraction] = {
            ("noisy", r): p for r, p in geometric(k, rho, 0, n).items()
        }
        if k_lo <= k <= k_hi:
            for r in range(k_lo, k_hi + 1):
                bend = min(abs(r - k_lo) + abs(k_lo - k), abs(r - k_hi) + abs(k_hi - k))
                row["noisy", r] = (1 - rho) / (1 + rho) * rho ** (2 + bend)
            row["true", k] = 1 - sum(row.values())
        rows[k] = row
    return rows


def mixed(rows: dict[int, Row], weights: dict[int, Fraction]) -> Row:
    out: dict[Hashable, Fraction] = {}
    for k, x in weights.items():
        for o, p in rows[k].items():
            out[o] = out.get(o, F(0)) + x * p
    return out


def binomial(n: int, q: Fraction, shift: int = 0) -> dict[int, Fraction]:
    return {k + shift: comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)}


def both(p: Row, q: Row) -> Fraction | float:
    return max(smallest_level(p, q), smallest_level(q, p))


def single_prior_levels(
    n: int, q: Fraction, rho: Fraction, k_lo: int, k_hi: int
) -> tuple[Fraction | float, Fraction | float]:
    """Leakage between the two values, and between a value and "not in the data"."""
    rows = algorithm_1(n, rho, k_lo, k_hi)
    one, zero = mixed(rows, binomial(n - 1, q, 1)), mixed(rows, binomial(n - 1, q))
    absent = mixed(rows, binomial(n, q))
    return both(one, zero), max(both(one, absent), both(zero, absent))


def test_single_prior() -> None:
    level, _ = single_prior_levels(6, HALF, HALF, 2, 4)
    confirm("pufferfish/single-prior.yaml", level, level)


def test_single_prior_replaced() -> None:
    level, replaced = single_prior_levels(6, HALF, HALF, 2, 4)
    confirm("pufferfish/single-prior-replaced.yaml", replaced, replaced, replaced, level)


def test_single_prior_four_people() -> None:
    good, _ = single_prior_levels(4, HALF, F(1, 3), 1, 3)
    biased, _ = single_prior_levels(4, F(9, 10), F(1, 3), 1, 3)
    rows = algorithm_1(4, F(1, 3), 1, 3)
    worlds = databases(BITS, 4)
    near = over_pairs({w: rows[sum(w)] for w in worlds}, replace(worlds))
    confirm("pufferfish/single-prior-four-people.yaml", good, good, biased, near)


# --- Section 8: continuous attributes and aggregates ------------------------------------------


def across(
    worlds: list[World], s: Callable[[int], bool], t: Callable[[int], bool]
) -> list[tuple[World, World]]:
    """The first record moves from s to t or back, everything else stays."""
    moves = [(v, w) for v in worlds for w in worlds if v[1:] == w[1:] and s(v[0]) and t(w[0])]
    return moves + [(w, v) for v, w in moves]


def test_salaries_within_an_interval() -> None:
    worlds = databases(range(6), 2)
    mechanism = noisy(worlds, sum, HALF)
    low, middle, high = (0, 1).__contains__, (2, 3).__contains__, (4, 5).__contains__
    next_to = over_pairs(mechanism, across(worlds, low, middle) + across(worlds, middle, high))
    confirm(
        "pufferfish/salaries-within-an-interval.yaml",
        next_to,
        next_to,
        over_pairs(mechanism, across(worlds, low, high)),
        over_pairs(mechanism, replace(worlds)),
    )


def test_salaries_within_a_factor() -> None:
    worlds = databases((1, 2, 4, 8), 2)
    mechanism = noisy(worlds, lambda w: (w[0] * w[1]).bit_length() - 1, HALF)
    level = over_pairs(mechanism, across(worlds, lambda x: 1 <= x < 4, lambda x: 4 <= x < 16))
    confirm("pufferfish/salaries-within-a-factor.yaml", level, level)


def close(worlds: list[World]) -> list[tuple[World, World]]:
    return [(v, w) for v, w in everything(worlds) if abs(v[0] - w[0]) <= 1]


def test_aggregate_secrets() -> None:
    worlds = databases(range(7), 1)
    mechanism = noisy(worlds, sum, HALF)
    level = over_pairs(
        mechanism, across(worlds, lambda x: abs(x - 3) <= 1, lambda x: abs(x - 3) == 2)
    )
    near = over_pairs(mechanism, close(worlds))
    confirm("pufferfish/aggregate-secrets.yaml", near, level, level, level)


def test_aggregate_secrets_with_a_gap() -> None:
    numbers = (0, 1, 2, 4, 5, 6)
    worlds = databases(numbers, 1)
    mechanism = exactly(worlds, lambda w: w[0] >= 4)
    level = over_pairs(
        mechanism, across(worlds, lambda x: abs(x - 2) <= 1, lambda x: abs(x - 2) == 2)
    )
    confirm(
        "pufferfish/aggregate-secrets-with-a-gap.yaml", over_pairs(mechanism, close(worlds)), level
    )
    for x, y in product(numbers, repeat=2):  # the premise of Theorem 8.1
        if abs(x - y) == 1:
            assert any((abs(x - z) <= 1) != (abs(y - z) <= 1) for z in numbers)


def test_aggregate_secrets_of_three_bits() -> None:
    """The level 2 of all independent records: no coefficient of 2·P(t, o)·P(s) − P(s, o)·P(t), a
    polynomial in the weights of the records' values, is negative."""
    names = ["001", "000", "011", "010", "110", "111", "100", "101"]
    cycle: list[World] = [tuple(map(int, name)) for name in names]
    edges = [*pairwise(cycle), (cycle[-1], cycle[0])]
    mechanism = {w: bits(HALF) for w in cycle} | {
        (0, 0, 0): bits(F(3, 4)),
        (0, 1, 1): bits(F(1, 4)),
    }
    closed = {v: {v} | {x for edge in edges if v in edge for x in edge} for v in cycle}
    secrets = [
        ([w for w in cycle if w in near], [w for w in cycle if w not in near])
        for near in closed.values()
    ]
    for s, t in [*secrets, *((t, s) for s, t in secrets)]:
        for output in BITS:
            form: dict[Any, Fraction] = {}
            for v, w in product(s, t):
                gain = 2 * mechanism[w][output] - mechanism[v][output]
                form[pairing(v, w)] = form.get(pairing(v, w), ZERO) + gain
            assert min(form.values()) >= 0
    apart = {(0, 0, 1): HALF, (0, 1, 1): HALF}
    confirm(
        "pufferfish/aggregate-secrets-of-three-bits.yaml",
        pufferfish(mechanism, secrets, [apart]),
        over_pairs(mechanism, [*edges, *((w, v) for v, w in edges)]),
    )
    for v, w in [*edges, *((w, v) for v, w in edges)]:  # the premise of Theorem 8.1
        assert closed[v] - closed[w]


# --- Section 9.1 and the axioms of priors -----------------------------------------------------


def test_two_runs_reveal_all() -> None:
    once = {("star",): {1: F(1)}, ("other",): {2: F(1)}, ("e",): {1: HALF, 2: HALF}}
    twice = {w: together(row, row) for w, row in once.items()}
    prior = {("star",): F(1, 6), ("other",): F(1, 3), ("e",): HALF}
    secrets = [([("star",), ("other",)], [("e",)])]
    level = pufferfish(once, secrets, [prior])
    confirm(
        "pufferfish/two-runs-reveal-all.yaml", level, level, pufferfish(twice, secrets, [prior])
    )


QUIET = [([("i1",), ("i2",)], [("j1",), ("j2",)])]
LIKELY: Mechanism = {
    (w,): bits(F(p, 10)) for w, p in zip(("i1", "i2", "j1", "j2"), (9, 1, 9, 1), strict=True)
}


def blend(share: Fraction, first: Mapping[str, Fraction], second: Mapping[str, Fraction]) -> Prior:
    """A share of the first prior, the rest of the second."""
    return {
        (w,): share * first.get(w, ZERO) + (1 - share) * second.get(w, ZERO)
        for w in {**first, **second}
    }


def test_priors_are_not_convex() -> None:
    first, second = {"i1": F(9, 10), "j1": F(1, 10)}, {"i2": F(1, 10), "j2": F(9, 10)}

    def level(share: Fraction) -> Level:
        return pufferfish(LIKELY, QUIET, [blend(share, first, second)])

    worst = max(level(F(k, 40)) for k in range(41))
    assert worst == level(F(1, 4))
    confirm(
        "pufferfish/priors-are-not-convex.yaml",
        max(level(F(0)), level(F(1))),
        level(HALF),
        worst,
        worst,
    )


def test_mixtures_without_a_worst() -> None:
    first, second = {"i": HALF, "j1": HALF}, {"j2": F(1)}
    secrets = [([("i",)], [("j1",), ("j2",)])]

    def level(yes: Fraction, share: Fraction) -> Level:
        mechanism: Mechanism = {("i",): bits(HALF), ("j1",): bits(HALF), ("j2",): bits(yes)}
        return pufferfish(mechanism, secrets, [blend(share, first, second)])

    shares = [F(1, k) for k in (1, 2, 3, 10, 10**9)]
    assert [level(ZERO, x) for x in shares] == [max(2 / x - 1, F(1)) for x in shares]
    noisy_levels = [level(F(1, 5), x) for x in shares]
    assert noisy_levels == [5 * (2 - x) / (4 + x) for x in shares]
    limit = 5 * F(2) / 4
    assert max(noisy_levels) < limit < max(noisy_levels) + F(1, 10**8)
    confirm("pufferfish/mixtures-without-a-worst.yaml", level(ZERO, F(1)), INFINITE, limit, limit)


def test_mixtures_with_an_irrational_level() -> None:
    first, second = {"i1": HALF, "j1": HALF}, {"i2": F(1, 3), "j2": F(2, 3)}

    def level(share: Fraction) -> Level:
        return pufferfish(LIKELY, QUIET, [blend(share, first, second)])

    root = F(isqrt(2 * 10**60), 10**30)  # below the square root of 2
    above = (137 - 48 * root) / 49
    below = level(2 * root / (9 + 2 * root))
    assert below < above < below + F(1, 10**28)
    assert max(level(F(k, 100)) for k in range(101)) < below
    confirm("pufferfish/mixtures-irrational-level.yaml", below, below)


# --- Sections 4.1 and 11 ----------------------------------------------------------------------


def test_de_finetti() -> None:
    worlds = databases(BITS, 2)
    prior = independent(worlds, [bits(F(1, 20)), bits(F(1, 100))])
    cancer = split(worlds, lambda w: w[0] == 1, lambda w: w[0] == 0)
    quiet = noisy(worlds, sum, HALF)
    confirm(
        "pufferfish/de-finetti.yaml",
        pufferfish(exactly(worlds, lambda w: sum(w) == 1), cancer, [prior]),
        pufferfish(exactly(worlds, sum), cancer, [prior]),
        over_pairs(quiet, replace(worlds)),
        pufferfish(quiet, cancer, [prior]),
    )


def test_the_figures_of_section_11() -> None:
    """Every number printed there, for tuple 9 of Figure 1: Bob in a group with one patient."""
    smoker, other = F("0.05"), F("0.01")
    worlds = databases(BITS, 2)
    prior = independent(worlds, [bits(smoker), bits(other)])
    one_patient = prior[1, 0] + prior[0, 1]
    assert prior[1, 0] == smoker * (1 - other) and one_patient == F("0.059")
    posterior = prior[1, 0] / one_patient
    assert posterior == F(99, 118) and round(posterior, 2) == F("0.84")
    before, after = smoker / (1 - smoker), posterior / (1 - posterior)
    assert before == F(1, 19) and round(before, 3) == F("0.053")
    assert after == F(99, 19) and round(after, 2) == F("5.21")
    assert round(F("0.84") / (1 - F("0.84")), 2) == F("5.25")  # printed: from the rounded 0.84
    assert after / before == 99  # two orders of magnitude
    # other groups: two smokers share a patient evenly; a non-smoker beside a smoker
    for first, second, sure in ((smoker, smoker, HALF), (other, smoker, F(19, 118))):
        both = independent(worlds, [bits(first), bits(second)])
        assert both[1, 0] / (both[1, 0] + both[0, 1]) == sure


def test_fair_coins_without_noise() -> None:
    worlds = databases(BITS, 4)
    total = exactly(worlds, sum)
    rounded = exactly(worlds, lambda w: max(1, min(3, sum(w))))
    parity = exactly(worlds, lambda w: sum(w) % 2 == 0)

    def level(mechanism: Mechanism, delta: Fraction = ZERO) -> Fraction | float:
        return pufferfish(mechanism, values(worlds), [uniform(worlds)], delta)

    merged = level(rounded)
    confirm(
        "pufferfish/fair-coins-without-noise.yaml",
        level(total),
        level(total, F(1, 8)),
        level(total, F(1, 9)),
        merged,
        merged,
        level(parity),
        merged,
    )


def test_one_random_record() -> None:
    worlds = databases(BITS, 4)
    mechanism = {w: {(i, x): F(1, 4) for i, x in enumerate(w)} for w in worlds}

    def level(delta: Fraction) -> Fraction | float:
        near = replace(worlds)[:32]  # all worlds are alike up to renaming
        return max(smallest_level(mechanism[v], mechanism[w], delta) for v, w in near)

    believed = pufferfish(mechanism, values(worlds)[:1], [uniform(worlds)], F(1, 4))
    assert over_pairs(mechanism, replace(worlds)) == INFINITE
    confirm(
        "pufferfish/one-random-record.yaml", level(F(1, 4)), level(F(24, 100)), INFINITE, believed
    )
