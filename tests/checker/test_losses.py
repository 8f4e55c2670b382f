"""Powers of privacy losses, against as many answers one after the other."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from verifier.checker import losses, numbers
from verifier.checker.document import Budget, Refused
from verifier.checker.losses import CERTAIN, Losses, add, powered, together

NEAR = 10**30
E = numbers.power(Fraction(1))


def drawn(random: Random) -> Losses:
    """Of two columns with up to four outputs; some ratios are equal, some infinite."""
    sides = []
    for _ in range(2):
        weights = [random.choice([1, 2, 4, NEAR, NEAR + 1]) for _ in range(random.randint(1, 4))]
        weights += [0] * (4 - len(weights))
        sides.append([Fraction(w, sum(weights)) for w in weights])
    found: Losses = {}
    for p, q in zip(*sides, strict=True):
        if p:
            add(found, p / q if q else None, p, q)
    return found


def one_by_one(one: Losses, times: int) -> Losses:
    found = CERTAIN
    for _ in range(times):
        found = together(found, one)
    return found


@pytest.mark.parametrize("most", [0, 10**5])
@pytest.mark.parametrize("seed", range(30))
def test_powers(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "MAX_TERMS", most)
    random = Random(seed)
    one, times = drawn(random), random.randint(0, 7)
    assert powered(one, times, Budget()) == one_by_one(one, times)


def test_powers_of_irrational_losses() -> None:
    high, low = E / (1 + E), 1 / (1 + E)
    one: Losses = {E: (high, low), 1 / E: (low, high)}
    assert powered(one, 3, Budget()) == one_by_one(one, 3)


@pytest.mark.parametrize("most", [0, 10**5])
def test_powers_are_paid(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "MAX_TERMS", most)
    one: Losses = {Fraction(3): (Fraction(3, 4), Fraction(1, 4))}
    one[Fraction(1, 3)] = (Fraction(1, 4), Fraction(3, 4))
    budget = Budget()
    budget.spent = 10**9
    with pytest.raises(Refused):
        powered(one, 10, budget)
