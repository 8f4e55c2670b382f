"""Whether all conflicts can be met within a budget, against trying every set of items."""

from fractions import Fraction
from itertools import chain, combinations
from random import Random

import pytest

from tests.loops import each
from verifier.checker.simulation import Conflict, Costs, Item, is_avoidable, is_conflict

ITEMS: list[Item] = [(t, k, 0) for t in range(3) for k in range(2)]


def by_trying(conflicts: list[Conflict], costs: dict[Item, Costs], budget: Fraction) -> bool:
    items = sorted(set(chain.from_iterable(conflicts)))
    for size in range(len(items) + 1):
        for chosen in combinations(items, size):
            met = all(conflict & set(chosen) for conflict in conflicts)
            sums = [sum(costs[item][k] for item in chosen) for k in range(2)]
            if met and max(sums) <= budget:
                return True
    return False


@each("seed", range(150))
def test_budgets(seed: int) -> None:
    random = Random(seed)
    split = random.choice([[ITEMS], [ITEMS[:3], ITEMS[3:]], [ITEMS[:2], ITEMS[2:4], ITEMS[4:]]])
    conflicts = [
        frozenset(random.sample(part, random.randint(1, len(part))))
        for part in split
        for _ in range(random.randint(1, 4))
    ]
    random.shuffle(conflicts)
    costs = {
        item: tuple(random.randint(0, 4) if k == item[1] else 0 for k in range(2)) for item in ITEMS
    }
    for budget in map(Fraction, range(9)):
        assert is_avoidable(conflicts, costs, budget) == by_trying(conflicts, costs, budget)


def test_nothing_to_avoid_is_avoided() -> None:
    assert is_avoidable([], {}, Fraction(0))


# One view of two values with q = 4 and 1, of which a simulator sees the same: u = 1 for the first
# says q S - alpha Q W = 4 * 2 - alpha * 5 * 1 <= 0, so 8/5 is needed.
VIEW = [(4, {0: 1}, 1, 0), (1, {0: 1}, 0, 0)]


@pytest.mark.parametrize(
    ("alpha", "closed", "proved"),
    [
        (Fraction(8, 5), False, True),
        (Fraction(8, 5), True, False),
        (Fraction(8, 5) - Fraction(1, 10**30), True, True),
        (Fraction(8, 5) + Fraction(1, 10**30), False, False),
        (None, False, False),
    ],
)
def test_a_weight_needs_a_level(alpha: Fraction | None, closed: bool, proved: bool) -> None:
    assert is_conflict([VIEW], Fraction(0), alpha, closed) == proved


def test_delta_takes_off() -> None:
    """4 * 2 - delta * 5 * 2 = 15/2 at delta 1/20: 3/2 is needed, the level at which 5/2 is left."""
    delta, tiny = Fraction(1, 20), Fraction(1, 10**30)
    assert is_conflict([VIEW], delta, Fraction(3, 2), False)
    assert not is_conflict([VIEW], delta, Fraction(3, 2), True)
    assert not is_conflict([VIEW], delta, Fraction(3, 2) + tiny, False)
    other = [(4, {0: 1}, 0, 0), (1, {0: 1}, 0, 1)]  # 5 * 1 - alpha * 1 * 2, less delta * 10
    assert is_conflict([other], delta, Fraction(9, 4), False)
    assert not is_conflict([other], delta, Fraction(9, 4) + tiny, False)


def test_what_no_level_serves() -> None:
    """The value of q = 0 has the weight w: Q W <= 0 at every level. Its part of q is 0, that of the
    other one is all, and sees something else."""
    sees = [(4, {0: 1}, 0, 0), (0, {1: 1}, 0, 1)]
    assert not is_conflict([sees], Fraction(0), None, False)  # nothing is left out
    both = [(4, {0: 1, 1: 1}, 0, 0), (0, {1: 1}, 0, 1)]
    assert not is_conflict([both], Fraction(0), None, False)  # it still sees 0
    same = [(4, {1: 2}, 0, 0), (0, {1: 1}, 0, 1)]
    assert is_conflict([same], Fraction(0), None, False)
    assert not is_conflict([same], Fraction(1), None, False)


def test_a_conflict_without_items_is_refused() -> None:
    """Nothing meets it, and it may stand beside others."""
    one: Conflict = frozenset(ITEMS[:1])
    for conflicts in ([frozenset()], [one, frozenset()], [frozenset(), one]):
        with pytest.raises(Exception, match="a conflict has items"):
            is_avoidable(conflicts, dict.fromkeys(ITEMS, (1, 1)), Fraction(9))


def test_budgets_are_met_exactly() -> None:
    """Two items of 2, each met within 2 but not both; for the other prior they are free. An item of
    two conflicts counts once."""
    first, second = frozenset(ITEMS[:1]), frozenset(ITEMS[1:2])
    costs: dict[Item, Costs] = dict.fromkeys(ITEMS, (2, 0))
    for budget, avoided in ((Fraction(4), True), (4 - Fraction(1, 10**30), False), (2, False)):
        assert is_avoidable([first, second], costs, Fraction(budget)) == avoided
    both: Conflict = frozenset(ITEMS[:2])
    for conflicts in ([both, first], [first, both], [first, first, both]):
        assert is_avoidable(conflicts, costs, Fraction(2))
        assert not is_avoidable(conflicts, costs, Fraction(1))
    costs = {ITEMS[0]: (3, 0), ITEMS[1]: (0, 3)}
    assert is_avoidable([first, second], costs, Fraction(3))
    assert is_avoidable([both], costs, Fraction(3))
    assert not is_avoidable([first, second], costs, Fraction(2))


# Two values of which a simulator sees 0 and 1 apart: q = 1 and 3, Q = 4.
APART = [(1, {0: 1}, 1, 0), (3, {1: 1}, 0, 0)]


def test_every_input_counts() -> None:
    """u = 1 for the first: (x_0 + x_1) - 4 alpha x_0 <= 0, so that both are 0 below 1/4, and x_1
    at 1/4, where the second value gets nothing."""
    assert is_conflict([APART], Fraction(0), Fraction(1, 4), False)
    assert is_conflict([APART], Fraction(0), Fraction(1, 4), True)
    assert not is_conflict([APART], Fraction(3, 4), Fraction(1, 4), True)
    for alpha in (Fraction(1, 4) + Fraction(1, 10**30), Fraction(1), Fraction(9)):
        assert not is_conflict([APART], Fraction(0), alpha, False)
    same = [(1, {0: 1, 1: 1}, 1, 0), (3, {0: 1, 1: 1}, 0, 0)]  # 2 - 4 alpha for either input
    assert is_conflict([same], Fraction(0), Fraction(1, 2), False)
    assert not is_conflict([same], Fraction(0), Fraction(1, 2), True)
    uneven = [(1, {0: 1, 1: 2}, 1, 0), (3, {0: 1, 1: 1}, 0, 0)]  # 2 - 4 alpha, 3 - 8 alpha
    assert is_conflict([uneven], Fraction(0), Fraction(3, 8), False)
    assert not is_conflict([uneven], Fraction(0), Fraction(1, 2), False)
    assert not is_conflict([uneven], Fraction(0), Fraction(3, 8) + Fraction(1, 10**30), False)


def test_one_view_that_gets_nothing_is_enough() -> None:
    """The second view sees input 1, about which the weights of the first say nothing."""
    other = [(1, {1: 1}, 0, 0), (1, {1: 1}, 0, 0)]
    for views in ([VIEW, other], [other, VIEW]):
        assert is_conflict(views, Fraction(0), Fraction(8, 5), False)
        assert not is_conflict(views, Fraction(0), Fraction(8, 5), True)
    assert not is_conflict([other], Fraction(0), Fraction(1), False)
    assert not is_conflict([other], Fraction(0), Fraction(1), True)
    both = [(1, {0: 1}, 0, 0), (1, {1: 1}, 0, 0)]  # it sees 0 as well, and may get input 1
    assert not is_conflict([both, other], Fraction(0), Fraction(1), False)


def test_the_part_that_gets_nothing() -> None:
    """w = 1 for the last value, of q = 0: x_1 <= 0, which leaves 3/4 of the values out; with delta
    that is x_1 <= delta (x_0 + 2 x_1) only."""
    view = [(3, {1: 1}, 0, 0), (1, {0: 1}, 0, 0), (0, {1: 1}, 0, 1)]
    assert is_conflict([view], Fraction(0), None, False)
    assert not is_conflict([view], Fraction(1, 100), None, False)
