"""Theorems 10.1 and 10.2 of the Pufferfish paper and the conjecture after Theorem 4.5 of the
Blowfish paper, for every constraint on few people.

For a prior and secrets s, t: whatever is private at level α for induced neighbours is private at α
for s against t, at every α > 1, exactly if P(· | s) can be coupled with P(· | t) along neighbours.
By Hall's theorem: if P(A | s) ≤ P(N(A) | t) for every A in s, N(A) being the neighbours of A in t.
For independent records with any weights, conditioned on the constraint, this says P(N(A))·P(s) −
P(A)·P(t) ≥ 0, a polynomial in the weights: proved where no coefficient is negative, otherwise
refuted by a prior. A mechanism for the case that it fails is `revealing`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, product
from math import prod
from typing import Any

import pytest

from tests.models.by_definition import (
    F,
    Mechanism,
    Prior,
    World,
    bits,
    blowfish,
    complete,
    databases,
    everything,
    independent,
    induced,
    noisy,
    over_pairs,
    presence,
    pufferfish,
    replace,
    split,
    uniform,
    values,
)
from tests.models.model_files import confirm

BITS = (0, 1)
HALF = F(1, 2)
Neighbours = set[tuple[World, World]]
# s, t, a part A of s, and a prior under which A is more likely given s than N(A) given t
Failure = tuple[list[World], list[World], Sequence[World], Prior]


def parts(items: Sequence[World]) -> Iterator[tuple[World, ...]]:
    """Every non-empty part."""
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def failure(worlds: list[World]) -> Failure | None:
    """Why induced neighbours privacy does not protect values and presence, or None."""
    near, domain = set(induced(worlds)), sorted({x for w in worlds for x in w}, key=repr)
    for s, t in values(worlds) + presence(worlds):
        for part in parts(s):
            reached = [w for w in t if any((v, w) in near for v in part)]
            form = Counter(pairing(v, w) for v, w in product(reached, s))
            form.subtract(pairing(v, w) for v, w in product(part, t))
            if min(form.values(), default=0) < 0:
                for prior in priors(worlds, domain):
                    masses = [sum(prior[w] for w in side) for side in (reached, s, part, t)]
                    if masses[0] * masses[1] < masses[2] * masses[3]:
                        return s, t, part, prior
                raise AssertionError("neither proved nor refuted")
    return None


def priors(worlds: list[World], domain: Sequence[Any]) -> Iterator[Prior]:
    """Independent records: first those that are uniform on some values, then others."""
    for weights in ((0, 1), (0, 1, 10)):
        rows = [row for row in product(weights, repeat=len(domain)) if any(row)]
        chances = [{x: F(k) for x, k in zip(domain, row, strict=True)} for row in rows]
        for records in product(chances, repeat=len(worlds[0])):
            mass = {w: prod(row[x] for row, x in zip(records, w, strict=True)) for w in worlds}
            if total := sum(mass.values()):
                yield {w: F(p, total) for w, p in mass.items()}


def pairing(v: World, w: World) -> tuple[frozenset[Any], ...]:
    """The monomial P(v)·P(w): for each record the two values."""
    return tuple(map(frozenset, zip(v, w, strict=True)))


def revealing(worlds: list[World], found: Failure) -> Mechanism:
    """P(yes) is 4/7 on A, a quarter of it on the rest of t, half of it elsewhere: ratio 2 for
    neighbours, P(yes | s) = 2/7·(1 + P(A | s)) and 2·P(yes | t) = 2/7·(1 + P(N(A) | t))."""
    _, t, part, _ = found
    near = set(induced(worlds))

    def yes(w: World) -> F:
        if w in part:
            return F(4, 7)
        return F(1, 7) if w in t and not any((v, w) in near for v in part) else F(2, 7)

    return {w: bits(yes(w)) for w in worlds}


def constraints(domain: Sequence[Any], people: int) -> Iterator[list[World]]:
    """Every non-empty set of databases, small ones first."""
    return map(list, parts(databases(domain, people)))


def histograms(domain: Sequence[Any], people: int) -> list[list[World]]:
    """The databases with given counts of disjoint sets of values, for every choice of them."""
    present, found = [x for x in domain if x is not None], set()
    for cells in product(range(len(present) + 1), repeat=len(present)):
        for counts in product(range(people + 1), repeat=max(cells)):
            where = histogram_is(dict(zip(present, cells, strict=True)), counts)
            found.add(tuple(databases(domain, people, where)))
    return [list(worlds) for worlds in found if worlds]


def histogram_is(cell: dict[Any, int], counts: tuple[int, ...]) -> Callable[[World], bool]:
    """Cell 0 is not counted, nor is absence."""
    return lambda w: all(sum(cell.get(x) == k + 1 for x in w) == c for k, c in enumerate(counts))


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


def test_one_person_who_may_be_absent() -> None:
    worlds: list[World] = [(0,), (None,), (1,)]
    mechanism = noisy(worlds, worlds.index, HALF)
    near, far = over_pairs(mechanism, induced(worlds)), over_pairs(mechanism, everything(worlds))
    assert (near, far) == (2, 4)
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
    )
    assert not set(replace(worlds)) ^ set(induced(worlds))
