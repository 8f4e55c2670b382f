"""Constraints: the Pufferfish paper's Sections 6.2, 6.3.2 and 10, the Blowfish paper's conjecture.

Where `failure` is None, independent records conditioned on the constraint are protected as well as
induced neighbours (couplings.py), and not better: a prior that is certain of either of two
neighbours, given either of two values, always exists (Theorem 10.1, tested here).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.models.by_definition import (
    F,
    Level,
    Mechanism,
    Prior,
    World,
    add_remove,
    bits,
    blowfish,
    complete,
    databases,
    everything,
    geometric,
    independent,
    induced,
    noisy,
    over_pairs,
    presence,
    pufferfish,
    replace,
    response,
    split,
    together,
    uniform,
    values,
)
from tests.models.couplings import constraints, failure, histograms, revealing
from tests.models.model_files import confirm

BITS = (0, 1)
HALF = F(1, 2)

FEW = [(BITS, 1), (BITS, 2), (BITS, 3), ((0, 1, 2), 2), ((0, None), 3), ((0, 1, None), 2)]


@pytest.mark.parametrize(("domain", "people"), FEW)
def test_theorem_10_1_every_two_induced_neighbours_are_compared(
    domain: Sequence[Any], people: int
) -> None:
    """Given either value of a record in which they differ, the prior of the proof is certain."""
    for worlds in constraints(domain, people):
        for v, w in induced(worlds):
            box = [u for u in worlds if all(x in pair for x, *pair in zip(u, v, w, strict=True))]
            i = next(i for i in range(people) if v[i] != w[i])
            assert [u for u in box if u[i] == v[i]] == [v]
            assert [u for u in box if u[i] == w[i]] == [w]


@pytest.mark.parametrize(("domain", "people"), FEW)
def test_each_constraint_is_safe_or_has_a_mechanism_that_reveals(
    domain: Sequence[Any], people: int
) -> None:
    for worlds in constraints(domain, people):
        found = failure(worlds)
        if found:
            s, t, _, prior = found
            mechanism = revealing(worlds, found)
            assert over_pairs(mechanism, induced(worlds)) <= 2
            assert pufferfish(mechanism, [(s, t)], [prior]) > 2


@pytest.mark.parametrize(
    ("domain", "people"), [(BITS, 2), (BITS, 3), (BITS, 4), ((0, 1, 2), 2), ((0, 1, 2), 3)]
)
def test_theorem_10_2_holds_where_nobody_can_be_absent(domain: Sequence[Any], people: int) -> None:
    for worlds in histograms(domain, people):
        assert failure(worlds) is None


def test_theorem_10_2_fails_for_people_who_may_be_absent() -> None:
    """The smallest constraint for which it does, and constraints on two and three people."""
    failing = [worlds for worlds in constraints((0, 1, None), 1) if failure(worlds)]
    assert failing == [[(0,), (1,), (None,)]]
    assert failing[0] in [[w for w in h if w] for h in histograms((0, 1, 2, None), 1)]
    for people, where in (
        (2, lambda w: w.count(1) == 1),
        (3, lambda w: w.count(1) == 2),
        (3, lambda w: w.count(0) == w.count(1) == 1),
    ):
        assert failure(databases((0, 1, None), people, where))
    assert not failure(databases((0, 1, None), 3, lambda w: w.count(None) == 1))  # Section 6.2


def protected(worlds: list[World], mechanism: Mechanism) -> Level:
    """The level of induced neighbours, and of independent records conditioned on the constraint."""
    assert failure(worlds) is None
    return over_pairs(mechanism, induced(worlds))


def test_indistinguishability() -> None:
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
        protected(worlds, mechanism),
        pufferfish(mechanism, presence(worlds), priors),
    )
    assert (0, 0, None) in worlds  # "ann is 0" and "cat is absent" are true together: Equation 10


def test_released_sums() -> None:
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
        protected(worlds, mechanism),
    )


def test_published_count() -> None:
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
        protected(worlds, mechanism),
        over_pairs(mechanism, everything(worlds)),
    )


def test_histogram_with_absent_people() -> None:
    worlds = databases((0, 1, None), 2, lambda w: w.count(1) == 1)
    path = [(1, 0), (1, None), (None, 1), (0, 1)]
    mechanism = noisy(worlds, path.index, HALF)
    assert set(induced(worlds)) == {p for v, w in pairwise(path) for p in ((v, w), (w, v))}
    secrets = values(worlds) + presence(worlds)
    present = independent(worlds, [{0: HALF, 1: HALF}] * 2)
    assert {w for w, p in present.items() if p} == {(1, 0), (0, 1)}
    level = pufferfish(mechanism, secrets, [present])
    confirm(
        "pufferfish/histogram-with-absent-people.yaml",
        over_pairs(mechanism, induced(worlds)),
        level,
        level,
        over_pairs(mechanism, everything(worlds)),
        pufferfish(mechanism, secrets, [uniform(worlds)]),
    )


def test_one_person_who_may_be_absent() -> None:
    worlds: list[World] = [(0,), (None,), (1,)]
    mechanism = noisy(worlds, worlds.index, HALF)
    near, far = over_pairs(mechanism, induced(worlds)), over_pairs(mechanism, everything(worlds))
    assert far == 4
    level = pufferfish(mechanism, values(worlds), [uniform(worlds)])
    there = pufferfish(mechanism, presence(worlds), [uniform(worlds)])
    confirm("pufferfish/absent-or-changed.yaml", near, level, level, there)


def test_the_smallest_counterexamples_of_the_conjecture() -> None:
    """Blowfish neighbours under the full graph are the induced ones. One person, or two worlds:
    every two worlds are neighbours. Two bits: three worlds, and no other number of them."""
    for people in (1, 2, 3):
        for worlds in constraints(BITS, people):
            assert set(blowfish(worlds, complete)) == set(induced(worlds))
            if people == 1 or len(worlds) == 2:
                assert set(induced(worlds)) == set(everything(worlds))
    assert all((len(worlds) == 3) == bool(failure(worlds)) for worlds in constraints(BITS, 2))


def test_sufficiency_conjecture() -> None:
    """Independent records, conditioned on nobody overtaking, have any odds P(11):P(10) = b/(1−b)
    and P(10):P(00) = a/(1−a): every prior that excludes no world, or just 00, or just 11."""
    worlds = databases(BITS, 2, lambda w: w[0] >= w[1])
    mechanism = noisy(worlds, sum, HALF)

    def given(a: F, b: F) -> Prior:
        return independent(worlds, [bits(a), bits(b)])

    def level(prior: Prior) -> Any:
        return pufferfish(mechanism, values(worlds), [prior])

    drawn = {(0, 0): F(1, 6), (1, 0): F(1, 3), (1, 1): HALF}
    assert given(F(2, 3), F(3, 5)) == drawn
    confident = given(HALF, F(99, 100))
    near = over_pairs(mechanism, blowfish(worlds, complete))
    all_pairs = over_pairs(mechanism, everything(worlds))
    shares = [1 - F(1, 10**k) for k in range(1, 12)]
    levels = [level(given(HALF, b)) for b in shares]
    assert levels == sorted(levels) and 4 - F(1, 10**9) < levels[-1] < all_pairs == 4
    confirm(
        "blowfish/sufficiency-conjecture.yaml",
        near,
        level(given(HALF, HALF)),
        level(confident),
        all_pairs,
        all_pairs,
    )
    assert level(confident) == (99 * F(2, 3) + F(1, 3)) / 100 / F(1, 6)


def test_exam() -> None:
    """Example 10.5; the limit in Equation 26 is 2^n for n students, and no prior attains it."""
    worlds = databases(BITS, 4, lambda w: list(w) == sorted(w, reverse=True))
    mechanism = noisy(worlds, sum, HALF)
    first = split(worlds, lambda w: w[0] == 0, lambda w: w[0] == 1)

    def sure(share: F) -> Prior:
        return independent(worlds, [bits(HALF), *[bits(share)] * 3])

    levels = [pufferfish(mechanism, first, [sure(1 - F(1, 10**k))]) for k in (1, 2, 3, 12)]
    assert levels == sorted(levels) and 16 - F(1, 10**9) < levels[-1] < 16
    confirm(
        "pufferfish/exam.yaml",
        over_pairs(mechanism, induced(worlds)),
        over_pairs(mechanism, blowfish(worlds, complete)),
        pufferfish(mechanism, values(worlds), [uniform(worlds)]),
        pufferfish(mechanism, values(worlds), [sure(F(9, 10))]),
        over_pairs(mechanism, everything(worlds)),
        over_pairs(mechanism, everything(worlds)),
    )
    assert not set(replace(worlds)) ^ set(induced(worlds))
