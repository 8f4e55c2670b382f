"""Names of draws that are in a path alone."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tests.noise.test_probability import Form, geometric, laplace, path_of
from verifier.noise.draws import Draw, Law, Path
from verifier.noise.events import events
from verifier.noise.names import renamed
from verifier.noise.probability import Probabilities

F = Fraction


def drawn(rng: random.Random) -> tuple[list[Law], list[Form]]:
    """Comparisons of up to five draws, many of which are alike."""
    size = rng.randint(2, 5)
    laws = [rng.choice([*laplace(1, 2)]) for _ in range(size)]
    forms: list[Form] = []
    for i in range(1, size):
        factors = [0] * size
        factors[i], factors[rng.randrange(i)] = rng.choice([(1, -1), (-1, 1)])
        forms.append((factors, rng.choice([0, 1, 1, F(1, 2)])))
    if rng.random() < 0.5:
        forms.append(([1, *[0] * (size - 1)], 1))
    return laws, forms


@pytest.mark.parametrize("seed", range(8))
def test_other_numbers_are_the_same_names(seed: int) -> None:
    rng = random.Random(seed)
    laws, forms = drawn(rng)
    order = rng.sample(range(len(laws)), len(laws))
    turned = [([factors[i] for i in order], constant) for factors, constant in forms]
    path = path_of(laws, forms)
    other = path_of([laws[i] for i in order], turned, first=9)
    assert sorted(map(repr, events(renamed(path)))) == sorted(map(repr, events(renamed(other))))
    known = Probabilities()
    chances = [known.of(events(each)) for each in (path, renamed(path), other)]
    values = [sorted(str(one.numerator) for one in found) for found in chances]
    assert values[0] == values[1] == values[2]


def star(centers: list[int], live: int = 0) -> Path:
    """The draw 0 is at least each of several others plus a number."""
    size = len(centers) + 1
    forms: list[Form] = [
        ([1, *(-int(k == i) for k in range(1, size))], -center)
        for i, center in enumerate(centers, 1)
    ]
    return path_of(laplace(*[2] * size), forms, first=live)


def test_leaves_are_told_apart_by_their_offsets() -> None:
    assert renamed(star([0, 1, 1])) == renamed(star([1, 0, 1])) == renamed(star([1, 1, 0], live=5))
    assert renamed(star([0, 1, 1])) != renamed(star([0, 0, 1]))
    assert renamed(star([0, 1])) != renamed(star([0, 1, 1]))


def test_draws_that_are_in_values_keep_their_names() -> None:
    """What is live is told apart by its name: of two leaves with other offsets either is."""
    root, first, second = (Draw(i, law) for i, law in enumerate(laplace(2, 2, 2)))
    one, other = star([0, 1]), star([1, 0])
    live = frozenset([root])
    assert renamed(one, live) == renamed(other, live)
    assert root in renamed(one, live).draws
    live = frozenset([root, first])
    assert renamed(one, live) != renamed(other, live)
    assert {root, first} <= renamed(one, live).draws
    assert second not in renamed(one, live).draws
    everything = frozenset([root, first, second])
    assert renamed(one, everything) is one


def test_branches_are_told_apart_by_what_is_beyond_them() -> None:
    """Two chains from the draw 0, of which one ends lower; the first steps are alike."""
    chains: list[Form] = [([1, -1, 0, 0, 0], 0), ([1, 0, -1, 0, 0], 0)]
    ends: list[Form] = [([0, 1, 0, -1, 0], 1), ([0, 0, 1, 0, -1], 2)]
    turned: list[Form] = [([0, 1, 0, -1, 0], 2), ([0, 0, 1, 0, -1], 1)]
    laws = geometric(*["1/2"] * 5)
    one, other = (renamed(path_of(laws, [*chains, *last])) for last in (ends, turned))
    assert one == other
