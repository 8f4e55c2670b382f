"""What records near by tell: no answers tell more than the bound, and theirs tell what is said."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from verifier.base.errors import LimitReached
from verifier.kernels.nearby import Nearby, outputs_near, reach_of
from verifier.kernels.network import Branches
from verifier.world.network import Network

Row = tuple[Fraction, ...]


def row(random: Random, size: int = 2) -> Row:
    weights = [random.choice((0, 1, 1, 2, 5, 10**9)) for _ in range(size)]
    weights[random.randrange(size)] += 1
    return tuple(Fraction(w, sum(weights)) for w in weights)


def drawn(random: Random) -> tuple[Network, list[tuple[Row, ...]]]:
    """A forest, and for each record the rows of its values."""
    count = random.randint(1, 6)
    parents = tuple(random.randrange(-1, i) for i in range(count))
    tables = tuple((row(random), row(random)) for _ in range(2))
    chosen = tuple(-1 if parent < 0 else random.randrange(2) for parent in parents)
    kinds = [(row(random, k), row(random, k)) for k in (2, 3)]
    return Network(row(random), parents, tables, chosen), [random.choice(kinds) for _ in parents]


def probability(
    tree: Network, told: list[tuple[Row, ...]], outputs: tuple[int, ...], at: int
) -> Row:
    """P(outputs, X = v) of a record for both values, over all worlds; -1 is any output."""
    found = [Fraction(0), Fraction(0)]
    for world in product((0, 1), repeat=len(told)):
        chance = Fraction(1)
        for i, value in enumerate(world):
            parent = tree.parents[i]
            chance *= tree.initial[value] if parent < 0 else 1
            chance *= 1 if parent < 0 else tree.transitions[tree.chosen[i]][world[parent]][value]
            chance *= told[i][value][outputs[i]] if outputs[i] >= 0 else 1
        found[world[at]] += chance
    return tuple(found)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_of_drawn_trees(seed: int) -> None:
    random = Random(f"nearby {seed}")
    tree, told = drawn(random)
    rows = [tuple(zip(*each, strict=True)) for each in told]
    known, shared = (Branches(tree, rows, range(len(told)), shared=same) for same in (False, True))
    listed = [(i, (a,), (1 - a,)) for i, m in enumerate(known.marginals) if all(m) for a in (0, 1)]
    for one in listed:
        exact = known.largest([one]).enough
        for reach in (1, 2, 9):
            ((top, bottom), _), *rest = Nearby(shared, reach).ratios([one]).values()
            assert not rest and top * exact[1] >= exact[0] * bottom
            outputs = outputs_near(known, one, reach)
            i, (a,), (b,) = one
            masses = probability(tree, told, (-1,) * len(told), i)
            chances = probability(tree, told, outputs, i)
            x, y = known.ratio(*one, outputs)
            assert x * chances[b] * masses[a] == y * chances[a] * masses[b]
            assert x * exact[1] <= exact[0] * y
            if reach == 9:
                assert top * exact[1] == exact[0] * bottom and x * exact[1] == exact[0] * y
    together = Nearby(shared, 1).ratios(listed)
    alone = [Nearby(shared, 1).ratios([one]) for one in listed]
    each = {Fraction(*ratio) if ratio[1] else None for part in alone for ratio, _ in part.values()}
    assert {Fraction(*r) if r[1] else None for r, _ in together.values()} == each


HALF = (Fraction(1, 2), Fraction(1, 2))


def line(people: int) -> Branches:
    """A line in which each record stays with 2/3, told with 3/4."""
    stay = tuple(tuple(Fraction(2 if a == b else 1, 3) for b in (0, 1)) for a in (0, 1))
    tree = Network(HALF, tuple(range(-1, people - 1)), (stay,), (-1, *[0] * (people - 1)))
    rows = tuple(tuple(Fraction(3 if a == b else 1, 4) for b in (0, 1)) for a in (0, 1))
    return Branches(tree, [rows], [0] * people, shared=True)


def test_a_line_is_looked_at_once() -> None:
    """Of ten records with two steps to either side: three at each end differ from those between, as
    nobody comes after them."""
    listed = [(i, (a,), (1 - a,)) for i in range(10) for a in (0, 1)]
    assert len(Nearby(line(10), 2).ratios(listed)) == 2 * 7


def test_how_far() -> None:
    """In a line of degree 1 each, five records are two steps to either side."""
    known = line(10)
    for most, steps in ((3, 1), (4, 1), (5, 2), (9, 4), (10, 10)):
        assert reach_of(known, [1] * 10, most) == steps
    assert reach_of(known, [0] * 10, 1) == 10
    with pytest.raises(LimitReached):
        reach_of(known, [1] * 10, 2)
