"""Sums of Laplace draws that are compared one after the other."""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb, prod

import pytest

from tests.loops import each
from tests.noise.test_probability import Form, chance, laplace, path_of
from verifier.noise import probability
from verifier.noise.draws import EXPONENTIAL, Law
from verifier.noise.events import Event, events
from verifier.noise.walks import walk

F = Fraction


@each("steps", [3, 4, 5])
def test_the_chance_that_a_walk_never_falls_below_0(steps: int) -> None:
    """Sparre Andersen 1954: of steps with any law that is symmetric and has no atoms, the chance
    that the first n sums are all positive is the middle one of 2n choices over 4^n."""
    forms: list[Form] = [([int(i <= k) for i in range(steps)], 0) for k in range(steps)]
    assert chance(laplace(*[F(3, 2)] * steps), forms) == F(comb(2 * steps, steps), 4**steps)


def drawn(rng: random.Random) -> tuple[list[Law], list[Form]]:
    """Three or four draws, each a step from one of the sums before it, and what these have to
    meet."""
    size = rng.choice([3, 3, 4])
    laws = laplace(*(rng.choice([F(1), F(1, 2), F(2, 3)]) for _ in range(size)))
    sums = [[rng.choice([1, 2]), *[0] * (size - 1)]]
    for step in range(1, size):
        before = sums[rng.choice([step - 1, step - 1, rng.randrange(step)])]
        factor = rng.choice([1, -1, 2])
        sums.append([c + factor * (i == step) for i, c in enumerate(before)])
    forms: list[Form] = []
    for form in sums if rng.random() < 0.7 else sums[-1:]:
        sign, constant = rng.choice([1, -1]), F(rng.randint(-3, 3), rng.choice([1, 2, 3]))
        forms.append(([sign * c for c in form], constant))
        if rng.random() < 0.3:
            forms.append(([-sign * c for c in form], abs(constant) + 1))  # from the other side
    return laws, forms


@pytest.mark.parametrize("seed", range(6))
def test_steps_and_cells_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same number as by elimination of draws in cells, which knows of no sums."""
    laws, forms = drawn(random.Random(seed))
    found = chance(laws, forms)
    monkeypatch.setattr(probability, "walk", lambda event: None)
    assert found == chance(laws, forms)


@pytest.mark.parametrize("seed", range(3))
def test_steps_of_draws_with_a_parameter(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where all rates are multiples of ε, so that places have powers of it."""
    laws, forms = drawn(random.Random(seed))
    found, cells = [], []
    for each_way in (found, cells):
        known = probability.Probabilities(multiples=True)
        each_way += [one.numerator for one in known.of(events(path_of(laws, forms)))]
        monkeypatch.setattr(probability, "walk", lambda event: None)
    assert found == cells


def test_what_is_no_walk() -> None:
    """Two draws are compared as before, so are other laws and draws that are in several sums."""
    both = ((0, 1), (1, 1)), 0
    three = ((0, 1), (1, 1), (2, 1)), 0
    other = ((0, 1), (1, -1), (2, 1)), 0
    one = Law(EXPONENTIAL, F(1))
    assert walk(Event(tuple(laplace(1, 1)), (both,))) is None
    assert walk(Event((*laplace(1, 1), one), (three,))) is None
    assert walk(Event(tuple(laplace(1, 1, 1)), (three, other))) is None
    alone: list[Form] = [([1, 0, 0], -1), ([1, 1, 0], -1), ([1, 1, 1], 2), ([0, 0, 1], 0)]
    sure = chance(laplace(1, 1, 1), alone[:3])
    assert chance(laplace(1, 1, 1), alone) < sure < prod([F(1), F(1, 2)])
