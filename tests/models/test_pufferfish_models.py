"""Every number pinned in models/pufferfish, found again from the definitions, without the engine."""

import random
from collections.abc import Callable, Hashable
from itertools import product
from math import comb

import pytest

from tests.models.by_definition import (
    INFINITE,
    MODELS,
    F,
    Fraction,
    Mechanism,
    Prior,
    Row,
    World,
    add_remove,
    blowfish,
    complete,
    confirm,
    databases,
    everything,
    exactly,
    geometric,
    independent,
    induced,
    noisy,
    over_pairs,
    presence,
    pufferfish,
    ratio,
    ratio_with_delta,
    replace,
    response,
    together,
    uniform,
    values,
)

BITS = (0, 1)
HALF = F(1, 2)
TESTED: dict[str, Callable[[], None]] = {}


def model(test: Callable[[], None]) -> Callable[[], None]:
    """Mark a function as the test of the model file with its name."""
    TESTED[test.__name__.replace("_", "-") + ".yaml"] = test
    return test


@pytest.mark.parametrize("file", sorted(p.name for p in (MODELS / "pufferfish").glob("*.yaml")))
def test_every_model_file_is_derived_here(file: str) -> None:
    TESTED[file]()


def split(
    worlds: list[World], s: Callable[[World], bool], t: Callable[[World], bool]
) -> list[tuple[list[World], list[World]]]:
    return [([w for w in worlds if s(w)], [w for w in worlds if t(w)])]


def bits(p: Fraction) -> Row:
    return {1: p, 0: 1 - p}


def markov(worlds: list[World], first: Row, step: dict[int, Row]) -> Prior:
    prior = {}
    for w in worlds:
        prior[w] = first[w[0]]
        for x, y in zip(w, w[1:], strict=False):
            prior[w] *= step[x][y]
    return prior


# --- Section 3.2 ------------------------------------------------------------------------------


@model
def no_assumption() -> None:
    worlds = databases((0, 1, None), 3)
    mechanism = noisy(worlds, lambda w: w.count(1), HALF)
    # Theorem 3.1: two-world priors separate any two worlds that differ in a secret
    secrets = values(worlds) + presence(worlds)
    two_worlds = over_pairs(
        mechanism, {pair for s, t in secrets for v in s for w in t for pair in ((v, w), (w, v))}
    )
    near = over_pairs(mechanism, add_remove(worlds))
    far = over_pairs(mechanism, everything(worlds))
    confirm("pufferfish/no-assumption.yaml", near, two_worlds, two_worlds, far)


# --- Section 6: independent records -----------------------------------------------------------


@model
def independent_records() -> None:
    worlds = databases(BITS, 4)

    def level(p: Fraction) -> Fraction | float:
        return over_pairs(response(worlds, p, BITS), replace(worlds))

    far = over_pairs(response(worlds, F(3, 4), BITS), everything(worlds))
    low, middle, high = level(F(2, 3)), level(F(3, 4)), level(F(9, 10))
    confirm("pufferfish/independent-records.yaml", low, middle, high, high, high, far)


@model
def independent_colours() -> None:
    domain = ("red", "green", "blue")
    worlds = databases(domain, 2)
    half, three_fifths = response(worlds, HALF, domain), response(worlds, F(3, 5), domain)
    useless = response(worlds, F(1, 3), domain)
    near = over_pairs(three_fifths, replace(worlds))
    confirm(
        "pufferfish/independent-colours.yaml",
        over_pairs(half, replace(worlds)),
        near,
        near,
        over_pairs(useless, everything(worlds)),
        over_pairs(three_fifths, everything(worlds)),
    )


@model
def presence_of_a_record() -> None:
    worlds = databases(("up", "down", None), 3)
    mechanism = noisy(worlds, lambda w: w.count("up") - w.count("down"), HALF)
    one, two = over_pairs(mechanism, add_remove(worlds)), over_pairs(mechanism, replace(worlds))
    confirm("pufferfish/presence-of-a-record.yaml", one, one, one, two, two)


def test_single_changes_decide_independent_records() -> None:
    """Theorem 6.1: random independent priors stay below the level of single changes."""
    draw = random.Random(1)
    worlds = databases((0, 1, None), 3)
    mechanism = noisy(worlds, lambda w: w.count(1), HALF)
    for _ in range(20):
        weights = [[F(draw.randrange(1, 9)) for _ in range(3)] for _ in range(3)]
        prior = independent(worlds, [dict(zip((0, 1, None), x, strict=True)) for x in weights])
        assert pufferfish(mechanism, presence(worlds), [prior]) <= 2
        assert pufferfish(mechanism, values(worlds), [prior]) <= 2


@model
def correlation_breaks_the_bound() -> None:
    worlds = databases((1, None), 2)
    yes = {(None, None): F(2, 3), (None, 1): F(1, 3), (1, None): F(1, 3), (1, 1): F(1, 6)}
    mechanism = {w: bits(p) for w, p in yes.items()}
    both, one = F(2, 5), F(1, 10)
    couple = {(None, None): both, (1, 1): both, (None, 1): one, (1, None): one}
    near = over_pairs(mechanism, add_remove(worlds))
    confirm(
        "pufferfish/correlation-breaks-the-bound.yaml",
        near,
        near,
        pufferfish(mechanism, presence(worlds), [uniform(worlds)]),
        pufferfish(mechanism, presence(worlds), [couple]),
    )
    # the closed form of the proof, for Bob: alpha (1 + (alpha−1) P(A|absent)) / (1 + (alpha−1) P(C|1))
    assert 2 * (1 + F(4, 5)) / (1 + F(1, 5)) == 3


@model
def surely_present_records() -> None:
    worlds = databases((0, 1, None), 2)
    mechanism = exactly(worlds, lambda w: w[0] == 1)
    prior = {(0, 0): HALF, (1, 1): HALF}
    confirm(
        "pufferfish/surely-present-records.yaml",
        pufferfish(mechanism, presence(worlds), [prior]),
        pufferfish(mechanism, values(worlds), [prior]),
    )


@model
def correlated_records() -> None:
    worlds = databases(BITS, 3)
    step = {0: bits(F(1, 3)), 1: bits(F(3, 4))}
    prior = markov(worlds, bits(F(4, 7)), step)
    mechanism = response(worlds, F(3, 4), BITS)
    bob = split(worlds, lambda w: w[1] == 1, lambda w: w[1] == 0)
    level = pufferfish(mechanism, bob, [prior])
    near = over_pairs(mechanism, replace(worlds))
    confirm("pufferfish/correlated-records.yaml", near, level, level)


@model
def markov_chains() -> None:
    worlds = databases(BITS, 3)
    mechanism = response(worlds, F(3, 4), BITS)
    tuesday = split(worlds, lambda w: w[1] == 1, lambda w: w[1] == 0)

    def prior(stay: Fraction) -> Prior:
        return markov(worlds, bits(HALF), {0: bits(1 - stay), 1: bits(stay)})

    def level(stay: Fraction) -> Fraction | float:
        found = pufferfish(mechanism, tuesday, [prior(stay)])
        assert found == 3 * ((3 * stay + 1 - stay) / (stay + 3 * (1 - stay))) ** 2
        return found

    sticky = level(F(9, 10))
    every_day = pufferfish(mechanism, values(worlds), [prior(F(9, 10))])
    confirm(
        "pufferfish/markov-chains.yaml",
        level(HALF),
        level(F(2, 3)),
        sticky,
        sticky,
        level(F(1)),
        every_day,
    )


@model
def entries_and_attributes() -> None:
    people = [(a, b) for a in BITS for b in BITS]
    worlds = databases(people, 2)
    flip = {x: bits(F(3, 4) if x else F(1, 4)) for x in BITS}
    mechanism = {w: together(*(flip[x] for person in w for x in person)) for w in worlds}
    entry = [
        (v, w)
        for v, w in replace(worlds)
        if sum(x != y for p, q in zip(v, w, strict=True) for x, y in zip(p, q, strict=True)) == 1
    ]
    # one attribute from 0 to 1, the other attribute of the person free on both sides
    record = over_pairs(mechanism, replace(worlds))
    attribute = over_pairs(
        mechanism,
        [
            (v, w)
            for v, w in replace(worlds)
            if any(
                p[k] != q[k] and all(v[j] == w[j] for j in (0, 1) if j != i)
                for i, (p, q) in enumerate(zip(v, w, strict=True))
                for k in (0, 1)
            )
        ],
    )
    secrets = [
        pair
        for i in (0, 1)
        for k in (0, 1)
        for pair in split(worlds, lambda w: w[i][k] == 1, lambda w: w[i][k] == 0)  # noqa: B023
    ]
    confirm(
        "pufferfish/entries-and-attributes.yaml",
        over_pairs(mechanism, entry),
        record,
        attribute,
        attribute,
        pufferfish(mechanism, secrets, [uniform(worlds)]),
    )


@model
def indistinguishability() -> None:
    worlds = databases((0, 1, None), 3, lambda w: w.count(None) == 1)
    mechanism = noisy(worlds, lambda w: w.count(1), HALF)
    priors = [
        uniform(worlds),
        independent(
            worlds,
            [
                {0: F(1, 2), 1: F(1, 4), None: F(1, 4)},
                {0: F(1, 8), 1: F(3, 8), None: F(1, 2)},
                {0: F(1, 3), 1: F(1, 3), None: F(1, 3)},
            ],
        ),
    ]
    secrets = values(worlds) + presence(worlds)
    level = pufferfish(mechanism, secrets, priors)
    confirm(
        "pufferfish/indistinguishability.yaml",
        over_pairs(mechanism, induced(worlds)),
        level,
        level,
        pufferfish(mechanism, presence(worlds), priors),
    )
    assert (0, 0, None) in worlds  # "ann is 0" and "cat is absent" are true together: Equation 10


@model
def released_sums() -> None:
    def sums(w: World) -> bool:
        return w.count("a") + w.count("b") == 1 == w.count("b") + w.count("c")

    worlds = databases(("a", "b", "c", None), 2, sums)
    mechanism = {w: together(*(geometric(w.count(x), HALF, 0, 1) for x in "abc")) for w in worlds}
    near = over_pairs(mechanism, induced(worlds))
    assert not add_remove(worlds)
    secrets = values(worlds) + presence(worlds)
    confirm(
        "pufferfish/released-sums.yaml",
        F(1),
        near,
        near,
        pufferfish(mechanism, secrets, [uniform(worlds)]),
    )


@model
def crowd_blending() -> None:
    worlds = databases(("bob", "other"), 3, lambda w: w.count("bob") <= 1)
    secrets = split(worlds, lambda w: "bob" in w, lambda w: "bob" not in w)
    k_2 = exactly(worlds, lambda w: max(2, w.count("other")))
    k_3 = exactly(worlds, lambda w: max(3, w.count("other")))
    confirm(
        "pufferfish/crowd-blending.yaml",
        pufferfish(k_2, secrets, [uniform(worlds)]),
        over_pairs(k_2, replace(worlds)),
        pufferfish(k_3, secrets, [uniform(worlds)]),
    )


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
    return max(ratio(p, q), ratio(q, p))


def single_prior_levels(
    n: int, q: Fraction, rho: Fraction, k_lo: int, k_hi: int
) -> tuple[Fraction | float, Fraction | float]:
    """Leakage between the two values, and between a value and "not in the data"."""
    rows = algorithm_1(n, rho, k_lo, k_hi)
    one, zero = mixed(rows, binomial(n - 1, q, 1)), mixed(rows, binomial(n - 1, q))
    absent = mixed(rows, binomial(n, q))
    return both(one, zero), max(both(one, absent), both(zero, absent))


@model
def single_prior() -> None:
    level, _ = single_prior_levels(6, HALF, HALF, 2, 4)
    confirm("pufferfish/single-prior.yaml", level, level)


@model
def single_prior_replaced() -> None:
    level, replaced = single_prior_levels(6, HALF, HALF, 2, 4)
    confirm("pufferfish/single-prior-replaced.yaml", replaced, replaced, level)


@model
def single_prior_four_people() -> None:
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


@model
def salaries_within_an_interval() -> None:
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


@model
def salaries_within_a_factor() -> None:
    worlds = databases((1, 2, 4, 8), 2)
    mechanism = noisy(worlds, lambda w: (w[0] * w[1]).bit_length() - 1, HALF)
    level = over_pairs(mechanism, across(worlds, lambda x: 1 <= x < 4, lambda x: 4 <= x < 16))
    confirm("pufferfish/salaries-within-a-factor.yaml", level, level)


def close(worlds: list[World]) -> list[tuple[World, World]]:
    return [(v, w) for v, w in everything(worlds) if abs(v[0] - w[0]) <= 1]


@model
def aggregate_secrets() -> None:
    worlds = databases(range(7), 1)
    mechanism = noisy(worlds, sum, HALF)
    level = over_pairs(
        mechanism, across(worlds, lambda x: abs(x - 3) <= 1, lambda x: abs(x - 3) == 2)
    )
    near = over_pairs(mechanism, close(worlds))
    confirm("pufferfish/aggregate-secrets.yaml", near, level, level, level)


@model
def aggregate_secrets_with_a_gap() -> None:
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


# --- Section 9.1 and the axioms of priors -----------------------------------------------------


@model
def two_runs_reveal_all() -> None:
    once = {("star",): {1: F(1)}, ("other",): {2: F(1)}, ("e",): {1: HALF, 2: HALF}}
    twice = {w: together(row, row) for w, row in once.items()}
    prior = {("star",): F(1, 6), ("other",): F(1, 3), ("e",): HALF}
    secrets = [([("star",), ("other",)], [("e",)])]
    level = pufferfish(once, secrets, [prior])
    confirm(
        "pufferfish/two-runs-reveal-all.yaml", level, level, pufferfish(twice, secrets, [prior])
    )


@model
def priors_are_not_convex() -> None:
    likely = {"i1": F(9, 10), "i2": F(1, 10), "j1": F(9, 10), "j2": F(1, 10)}
    mechanism: Mechanism = {(w,): bits(p) for w, p in likely.items()}
    secrets = [([("i1",), ("i2",)], [("j1",), ("j2",)])]
    first, second = {"i1": F(9, 10), "j1": F(1, 10)}, {"i2": F(1, 10), "j2": F(9, 10)}

    def level(a: Fraction) -> Fraction | float:
        prior = {(w,): a * first.get(w, 0) + (1 - a) * second.get(w, 0) for w in likely}
        return pufferfish(mechanism, secrets, [prior])

    confirm(
        "pufferfish/priors-are-not-convex.yaml", max(level(F(0)), level(F(1))), level(HALF),
        level(F(1, 4)),
    )  # fmt: skip
    assert max(level(F(k, 40)) for k in range(41)) == level(F(1, 4))


# --- Section 10: deterministic constraints ----------------------------------------------------


@model
def exam() -> None:
    worlds = databases(BITS, 4, lambda w: list(w) == sorted(w, reverse=True))
    mechanism = noisy(worlds, sum, HALF)
    confirm(
        "pufferfish/exam.yaml",
        over_pairs(mechanism, induced(worlds)),
        over_pairs(mechanism, blowfish(worlds, complete)),
        pufferfish(mechanism, values(worlds), [uniform(worlds)]),
        over_pairs(mechanism, everything(worlds)),
    )


@model
def histogram_with_absent_people() -> None:
    worlds = databases((0, 1, None), 2, lambda w: w.count(1) == 1)
    path = [(1, 0), (1, None), (None, 1), (0, 1)]
    mechanism = noisy(worlds, path.index, HALF)
    assert set(induced(worlds)) == {p for v, w in zip(path, path[1:], strict=False)
                                    for p in ((v, w), (w, v))}  # fmt: skip
    secrets = values(worlds) + presence(worlds)
    present = independent(worlds, [{0: HALF, 1: HALF}] * 2)
    assert {w for w, p in present.items() if p} == {(1, 0), (0, 1)}
    level = pufferfish(mechanism, secrets, [present])
    confirm(
        "pufferfish/histogram-with-absent-people.yaml",
        over_pairs(mechanism, induced(worlds)),
        level,
        level,
        pufferfish(mechanism, secrets, [uniform(worlds)]),
    )


@model
def published_count() -> None:
    worlds = databases(BITS, 4, lambda w: sum(w) == 2)
    mechanism = response(worlds, F(3, 4), BITS)
    skewed = independent(worlds, [bits(HALF), bits(F(9, 10)), bits(F(1, 10)), bits(F(2, 3))])
    assert not replace(worlds)
    confirm(
        "pufferfish/published-count.yaml",
        F(1),
        over_pairs(mechanism, induced(worlds)),
        pufferfish(mechanism, values(worlds), [uniform(worlds)]),
        pufferfish(mechanism, values(worlds), [skewed]),
        over_pairs(mechanism, everything(worlds)),
    )


# --- Sections 4.1 and 11 ----------------------------------------------------------------------


@model
def de_finetti() -> None:
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
    sick = F(1, 20) * F(99, 100)
    assert sick / (sick + F(1, 100) * F(19, 20)) == F(99, 118)


@model
def fair_coins_without_noise() -> None:
    worlds = databases(BITS, 4)
    total = exactly(worlds, sum)
    rounded = exactly(worlds, lambda w: max(1, min(3, sum(w))))
    parity = exactly(worlds, lambda w: sum(w) % 2 == 0)

    def level(mechanism: Mechanism, delta: Fraction = F(0)) -> Fraction | float:
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


@model
def one_random_record() -> None:
    worlds = databases(BITS, 4)
    mechanism = {w: {(i, x): F(1, 4) for i, x in enumerate(w)} for w in worlds}

    def level(delta: Fraction) -> Fraction | float:
        near = replace(worlds)[:32]  # all worlds are alike up to renaming
        return max(ratio_with_delta(mechanism[v], mechanism[w], delta) for v, w in near)

    believed = pufferfish(mechanism, values(worlds)[:1], [uniform(worlds)], F(1, 4))
    assert over_pairs(mechanism, replace(worlds)) == INFINITE
    confirm(
        "pufferfish/one-random-record.yaml", level(F(1, 4)), level(F(24, 100)), INFINITE, believed
    )
