"""Zero leakage once, collapse later: the numbers of models/composition, by plain fractions."""

from collections.abc import Callable
from fractions import Fraction as F
from itertools import combinations

import pytest

from tests.models.brute_force import (
    INFINITE,
    Level,
    Mechanism,
    Prior,
    Row,
    Secret,
    add_up,
    apply,
    coin,
    databases,
    differential_privacy,
    hamming,
    independent,
    one_differs,
    pufferfish,
    runs,
    values_of_each_record,
)
from tests.models.conditions import all_together, boxes, possible, proved
from tests.models.model_files import confirm, confirm_engine, once

FOLDER = "composition"
BITS = (0, 1)


def repeated(mechanism: Mechanism, number: int) -> Mechanism:
    return {w: runs(row, number) for w, row in mechanism.items()}


# Worlds are (side, number): the pair of secrets is side a against side b.
SIDES = [(lambda w: w[0] == "a", lambda w: w[0] == "b")]


def pair_with_the_truth(prior: dict[tuple[str, int], F]) -> Mechanism:
    """Example 1: the true world and one of the other side, drawn from the prior."""
    weight = {side: sum(p for w, p in prior.items() if w[0] == side) for side in "ab"}

    def row(world: tuple[str, int]) -> Row:
        others = ((w, p / weight[w[0]]) for w, p in prior.items() if w[0] != world[0])
        return add_up((tuple(sorted((world, other))), p) for other, p in others)

    return {w: row(w) for w in prior}


def example_1(weights_a: list[F], weights_b: list[F], deltas: list[F]) -> list[Level]:
    prior = {("a", i): p / 2 for i, p in enumerate(weights_a)}
    prior |= {("b", i): p / 2 for i, p in enumerate(weights_b)}
    once = pair_with_the_truth(prior)
    twice = repeated(once, 2)
    return [
        pufferfish(once, [prior], SIDES),
        proved(once, possible(prior), SIDES, INFINITE),
        *(pufferfish(twice, [prior], SIDES, delta) for delta in deltas),
    ]


def one_prior() -> list[Level]:
    levels = example_1([F(1, 4), F(3, 4)], [F(1, 2), F(1, 2)], [F(0), F(1, 2), F("0.499999999")])
    once = pair_with_the_truth({("a", 0): F(1, 8), ("a", 1): F(3, 8), ("b", 0): F(1, 2)})
    return [*levels, differential_privacy(once, lambda w, v: True)]


def unequal_worlds() -> list[Level]:
    weights = [F(1, 6), F(1, 3), F(1, 2)], [F(2, 3), F(1, 3)]
    return example_1(*weights, [F(0), F("0.611111111")])


def fair(records: int) -> Prior:
    return independent([coin(F(1, 2))] * records)


def agreement_or_parity(records: int, parity_of: slice) -> Mechanism:
    """Example 2: the agreement with the first bit, or the parity of some of the bits."""
    return {
        w: add_up(
            [
                (("A", *((w[0] + x) % 2 for x in w[1:])), F(1, 2)),
                (("B", sum(w[parity_of]) % 2), F(1, 2)),
            ]
        )
        for w in databases(records, BITS)
    }


def xor_three() -> list[Level]:
    once = agreement_or_parity(3, slice(0, 3))
    secrets = values_of_each_record(3, BITS)
    biased = independent([coin(F(3, 4))] * 3)
    return [
        pufferfish(once, [fair(3)], secrets),
        proved(once, possible(fair(3)), secrets, INFINITE),
        pufferfish(repeated(once, 2), [fair(3)], secrets),
        pufferfish(repeated(once, 2), [fair(3)], secrets, F(1, 2)),
        pufferfish(once, [biased], secrets),
        proved(once, possible(biased), secrets, INFINITE),
    ]


def xor_four() -> list[Level]:
    once = agreement_or_parity(4, slice(1, 4))
    all_four = agreement_or_parity(4, slice(0, 4))
    secrets = values_of_each_record(4, BITS)
    return [
        pufferfish(once, [fair(4)], secrets),
        proved(once, possible(fair(4)), secrets, INFINITE),
        pufferfish(repeated(once, 2), [fair(4)], secrets),
        pufferfish(repeated(all_four, 2), [fair(4)], secrets),
        proved(all_four, possible(fair(4)), secrets, F(1)),
    ]


def xor_two() -> list[Level]:
    once = agreement_or_parity(2, slice(1, 2))
    secrets = values_of_each_record(2, BITS)
    return [
        pufferfish(once, [fair(2)], secrets),
        pufferfish(once, [fair(2)], secrets, F(1, 2)),
    ]


def test_a_tuple_of_type_a_has_probability_two_to_the_minus_n() -> None:
    """The appendix says 2**(1-n), which would add up to more than 1."""
    once = agreement_or_parity(3, slice(0, 3))
    row = add_up((o, p / 8) for w in once for o, p in once[w].items())
    assert row["A", 0, 0] == F(1, 8)
    assert row["B", 0] == F(1, 4)


def interval_corners() -> list[Level]:
    half = F(1, 2)
    once = {
        ("a", 1): {"1a2a": half, "1a2b": half},
        ("a", 0): {"1b2a": half, "1b2b": half},
        ("b", 1): {"1a2a": half, "1b2a": half},
        ("b", 0): {"1a2b": half, "1b2b": half},
    }
    corners = [
        {("a", 1): t / 2, ("a", 0): (1 - t) / 2, ("b", 1): f / 2, ("b", 0): (1 - f) / 2}
        for t in (F(1, 4), F(1, 2))
        for f in (F(1, 3), F(3, 5))
    ]
    level = pufferfish(once, corners, SIDES)
    twice = repeated(once, 2)
    return [
        level,
        level,
        level,
        proved(once, possible(*corners), SIDES, INFINITE),
        pufferfish(twice, corners, SIDES),
        pufferfish(twice, corners, SIDES, half),
    ]


def interval_priors() -> list[Level]:
    """P(o | s1) and P(o | not_s1) range over intervals whose ends are those of the corners.

    No end is 0 or 1: all priors allow all worlds, as those of the corners do.
    """
    level, _, _, conditions, twice, _ = interval_corners()
    return [level, level, conditions, twice]


def test_the_printed_maximum_of_example_3_misses_two_ratios() -> None:
    low_t, high_t, low_f, high_f = F(1, 4), F(1, 2), F(1, 3), F(3, 5)
    printed = [
        high_t / low_f,
        low_t / high_f,
        (1 - high_t) / high_f,
        (1 - low_t) / low_f,
        low_t / (1 - low_f),
        high_t / (1 - high_f),
        (1 - high_t) / (1 - low_f),
        (1 - low_t) / (1 - high_f),
    ]
    assert max(printed) == F(9, 4)
    assert max(max(r, 1 / r) for r in printed) == F(8, 3) == interval_corners()[0]


def two_runs_of_zero() -> list[Level]:
    kinds = {"yes": F(1), "coin": F(1, 2), "no": F(0)}
    once = {(side, kind): coin(p) for side in "ab" for kind, p in kinds.items()}
    weights = {"a": (F(2, 5), F(1, 5), F(2, 5)), "b": (F(1, 4), F(1, 2), F(1, 4))}
    prior = {
        (side, kind): p / 2 for side in "ab" for kind, p in zip(kinds, weights[side], strict=True)
    }
    one, two, three = (pufferfish(repeated(once, k), [prior], SIDES) for k in (1, 2, 3))
    return [one, proved(once, possible(prior), SIDES, F(1)), two, two, three]


def one_time_pad() -> list[Level]:
    message = values_of_each_record(1, BITS)
    worlds = databases(2, BITS)
    cipher: Mechanism = {(m, k): {m ^ k: F(1)} for m, k in worlds}
    key: Mechanism = {(m, k): {k: F(1)} for m, k in worlds}
    both: Mechanism = {(m, k): {(m ^ k, k): F(1)} for m, k in worlds}
    together = all_together({"cipher": cipher, "key": key})
    fair_bits = possible(fair(2))
    return [
        *(pufferfish(m, [fair(2)], message) for m in (cipher, key)),
        *(proved(m, fair_bits, message, F(1)) for m in (cipher, key)),
        proved(together, fair_bits, message, INFINITE),
        pufferfish(both, [fair(2)], message),
    ]


def response(world: tuple[int, ...]) -> Row:
    return independent([coin(F(3, 4) if x else F(1, 4)) for x in world])


def responses_compose() -> list[Level]:
    """Independent records: only the runs of one record matter (Thm 6.1); one record suffices."""
    once = {w: response(w) for w in databases(1, BITS)}
    levels = [differential_privacy(repeated(once, k), one_differs) for k in (1, 2, 3)]
    one, two, three = levels
    pair = {w: response(w) for w in databases(2, BITS)}
    conditions = [
        proved(repeated(pair, k), boxes(2, BITS), values_of_each_record(2, BITS), F(3) ** k)
        for k in (1, 2)
    ]
    return [one, *conditions, two, three, three]


def markov_influence() -> list[Level]:
    once = {w: response(w) for w in databases(3, BITS)}
    twice = {
        w: apply(independent([row] * 2), lambda o: tuple(sorted(o))) for w, row in once.items()
    }
    chain = {
        w: F(1, 2) * F(3, 4) ** (2 - changes) * F(1, 4) ** changes
        for w in once
        for changes in [hamming(w[1:], w[:-1])]
    }
    secrets = values_of_each_record(3, BITS)
    one, two = pufferfish(once, [chain], secrets), pufferfish(twice, [chain], secrets)
    # Given the middle record its neighbours are independent, and change by 3 each.
    told_by_neighbours = F(3, 4) ** 2 / F(1, 4) ** 2
    conditions = proved(once, possible(chain), secrets, F(3))
    near = differential_privacy(once, one_differs)
    return [told_by_neighbours, near, one, conditions, one, two, two]


def with_known(records: int, known: int) -> list[tuple[Secret, Secret]]:
    """Record i is 0 or 1, for adversaries who know the values of so many others."""

    def told(place: dict[int, int]) -> Secret:
        return lambda w: all(w[r] == x for r, x in place.items())

    return [
        (told({**given, i: 0}), told({**given, i: 1}))
        for i in range(records)
        for others in combinations([r for r in range(records) if r != i], known)
        for values in databases(known, BITS)
        for given in [dict(zip(others, values, strict=True))]
    ]


def table_6() -> list[Level]:
    noisy = {w: response(w) for w in databases(3, BITS)}
    parity: Mechanism = {w: {sum(w) % 2: F(1)} for w in noisy}
    sticky = {
        w: F(1, 2) * F(9, 10) ** (2 - changes) * F(1, 10) ** changes
        for w in noisy
        for changes in [hamming(w[1:], w[:-1])]
    }
    near = differential_privacy(noisy, one_differs)
    none, one, two = (pufferfish(noisy, [sticky], with_known(3, k)) for k in range(3))
    hidden = [pufferfish(parity, [fair(3)], with_known(3, k)) for k in range(3)]
    assert none == pufferfish(noisy, [sticky], values_of_each_record(3, BITS))
    assert near == pufferfish(noisy, [fair(3)], with_known(3, 2))
    known = [near, near, none, none, one, two, max(none, one, two), *hidden[1:], hidden[0]]
    changes: Mechanism = {w: {(w[0] ^ w[1], w[0] ^ w[2]): F(1)} for w in noisy}
    both: Mechanism = {w: {(sum(w) % 2, w[0] ^ w[1], w[0] ^ w[2]): F(1)} for w in noisy}
    together = all_together({"parity": parity, "changes": changes})
    days = values_of_each_record(3, BITS)
    runs_of_both = pufferfish(both, [fair(3)], days)
    return [
        *known,
        pufferfish(changes, [fair(3)], days),
        runs_of_both,
        runs_of_both,
        proved(together, possible(fair(3)), days, INFINITE),
        proved(noisy, boxes(3, BITS), days, F(3)),
        proved(noisy, possible(sticky), days, F(3)),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "collapse-interval-corners.yaml": interval_corners,
    "collapse-interval-priors.yaml": interval_priors,
    "collapse-one-prior.yaml": one_prior,
    "collapse-unequal-worlds.yaml": unequal_worlds,
    "collapse-xor-four.yaml": xor_four,
    "collapse-xor-two.yaml": xor_two,
    "collapse-xor.yaml": xor_three,
    "markov-influence.yaml": markov_influence,
    "one-time-pad.yaml": one_time_pad,
    "responses-compose.yaml": responses_compose,
    "table-6.yaml": table_6,
    "two-runs-of-zero.yaml": two_runs_of_zero,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
