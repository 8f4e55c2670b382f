"""Powers of privacy losses, against as many answers one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from itertools import product
from random import Random
from typing import Any

import pytest

from verifier.checker import losses, numbers
from verifier.checker.document import MAX_STEPS, Refused, limited, spend
from verifier.checker.levels import Level
from verifier.checker.losses import (
    CERTAIN,
    Losses,
    all_together,
    choices,
    losses_of,
    needs_level,
    powered,
    together,
)
from verifier.checker.obligations import Block
from verifier.checker.reading import Table

NEAR = 10**30
E = numbers.power(Fraction(1))
KINDS = [(2, 4, 5), (1, 4), (3, 7)]  # ninths of an output, by column
COSTS = [list(map(Fraction, row)) for row in ((1, 1, 1, 1), (1, 2, 1, 3), (2, 1, 1, 1))]
COSTS.append([Fraction(1, 2), Fraction(1, 3), Fraction(1), Fraction(3, 2)])


def drawn(random: Random) -> Losses:
    """Of two columns with up to four outputs; some ratios are equal, some 0."""
    sides = []
    for _ in range(2):
        weights = [random.choice([1, 2, 4, NEAR, NEAR + 1]) for _ in range(random.randint(1, 4))]
        weights += [0] * (4 - len(weights))
        sides.append([Fraction(w, sum(weights)) for w in weights])
    return of_outputs(zip(*sides, strict=True))


def of_outputs(pairs: Iterable[tuple[Fraction, Fraction]]) -> Losses:
    """Of outputs with these P and Q."""
    found: Losses = {}
    for p, q in pairs:
        if p:
            found[q / p] = found.get(q / p, 0) + p
    return found


def one_by_one(one: Losses, times: int) -> Losses:
    found = CERTAIN
    for _ in range(times):
        found = together(found, one)
    return found


def test_powers(monkeypatch: pytest.MonkeyPatch) -> None:
    for most in (0, 10**5):
        monkeypatch.setattr(losses, "MAX_TERMS", most)
        for seed in range(40):
            random = Random(seed)
            one, times = drawn(random), random.randint(0, 9)
            assert powered(one, times) == one_by_one(one, times), (most, seed)


def test_powers_of_irrational_losses() -> None:
    high, low = E / (1 + E), 1 / (1 + E)
    one: Losses = {1 / E: high, E: low}
    assert powered(one, 3) == one_by_one(one, 3)


def test_powers_are_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    one: Losses = {Fraction(1, 3): Fraction(3, 4), Fraction(3): Fraction(1, 4)}
    for most in (0, 10**5):
        monkeypatch.setattr(losses, "MAX_TERMS", most)
        with limited(), pytest.raises(Refused):
            spend(MAX_STEPS)
            powered(one, 10)


def test_choices_to_which_no_change_can_be_added() -> None:
    """Of two, two and one records with changes at some costs, against all choices, by loops."""
    bits = [Table.of([[Fraction(k, 9), Fraction(9 - k, 9)] for k in own]) for own in KINDS]
    several = [2, 2, 1]
    for room in (None, *map(Fraction, ("1/2", "1", "3/2", "2", "3"))):
        for costs in COSTS:
            pairs = [[(0, 1, costs[0]), (1, 2, costs[1])], [(0, 1, costs[2])], [(1, 0, costs[3])]]
            blocks: list[list[Block]] = [[([i], [j], d) for i, j, d in own] for own in pairs]
            answers = [[(bit, 1)] for bit in bits]
            parts = list(zip(answers, blocks, strict=True))
            found = list(map(all_together, choices(parts, several, room)))
            records = [at for at, k in enumerate(several) for _ in range(k)]
            every = [
                (changes, sum(change[2] for change in changes if change))
                for changes in product(*([None, *pairs[at]] for at in records))
            ]
            fitting = [c for c, cost in every if room is None or cost <= room]
            largest = [c for c in fitting if not any(_is_more(d, c) for d in fitting)]
            expected = []
            for changes in largest:
                both = zip(records, changes, strict=True)
                one = [losses_of(answers[at], *d[:2]) for at, d in both if d]
                expected.append(reduce(together, one, CERTAIN))
            assert all(one in expected for one in found)
            assert all(one in found for one in expected)


def _is_more(some: Any, others: Any) -> bool:
    both = list(zip(some, others, strict=True))
    return some != others and all(a == b or b is None for a, b in both)


def test_of_equal_changes_the_cheapest_counts() -> None:
    """Two records change within 1, for 1/2 each, though the same change is listed for 1 too."""
    bit = [(Table.of([[Fraction(1, 4), Fraction(3, 4)], [Fraction(3, 4), Fraction(1, 4)]]), 1)]
    one = losses_of(bit, 0, 1)
    for costs in (("1", "1/2"), ("1/2", "1")):
        blocks: list[Block] = [([0], [1], Fraction(cost)) for cost in costs]
        (found,) = choices([(bit, blocks)], [2], Fraction(1))
        assert all_together(found) == together(one, one)


def test_losses_of_several_answers() -> None:
    """Of two answers, one drawn twice, against all three outputs together."""
    first = Table.of([[Fraction(k, 6), Fraction(6 - k, 6)] for k in (1, 4)])
    other = Table.of([[Fraction(k, 5), Fraction(5 - k, 5)] for k in (0, 2)])
    columns = zip(first.chances(), other.chances(), strict=True)
    sides = [[a * b * c for a, b, c in product(x, x, y)] for x, y in columns]
    for i, j in ((0, 1), (1, 0)):
        expected = of_outputs(zip(sides[i], sides[j], strict=True))
        assert losses_of([(first, 2), (other, 1)], i, j) == expected


def test_what_needs_a_level() -> None:
    """The event P >= L Q of all events, with P - delta >= L Q > 0; or > 0 = Q."""
    thirds, levels = [Fraction(k, 3) for k in range(4)], [Fraction(k, 2) for k in (2, 3, 4, 6, 9)]
    for p, q, r, s in product(thirds, repeat=4):
        outputs = [(p, q), (r, s), (Fraction(1, 7), Fraction(1, 9))]
        found, pairs = of_outputs(outputs), [(a, b) for a, b in outputs if a]
        for delta in map(Fraction, ("0", "1/7", "1/3", "1/2")):
            assert needs_level(found, None, delta) == (sum(a for a, b in pairs if b == 0) > delta)
            for level in levels[1:]:
                event = [(a, b) for a, b in pairs if a >= level * b]
                a, b = (sum(side) for side in zip((0, 0), *event, strict=True))
                expected = b > 0 and a - delta >= level * b
                assert needs_level(found, Level(level), delta) == expected
            assert needs_level(found, Level(levels[0]), delta)
