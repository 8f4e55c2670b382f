"""Whether all conflicts can be met within a budget, against trying every set of items."""

from fractions import Fraction
from itertools import chain, combinations
from random import Random

import pytest

from tests.loops import each
from verifier.checker.simulation import Conflict, Item, is_avoidable, is_conflict

ITEMS: list[Item] = [(t, k, 0) for t in range(3) for k in range(2)]


def by_trying(conflicts: list[Conflict], costs: dict[Item, int], budget: Fraction) -> bool:
    items = sorted(set(chain.from_iterable(conflicts)))
    for size in range(len(items) + 1):
        for chosen in combinations(items, size):
            met = all(conflict & set(chosen) for conflict in conflicts)
            sums = [sum(costs[item] for item in chosen if item[1] == k) for k in range(2)]
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
    costs = {item: random.randint(0, 4) for item in ITEMS}
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
            is_avoidable(conflicts, dict.fromkeys(ITEMS, 1), Fraction(9))


def test_budgets_are_met_exactly() -> None:
    """Two items of 2 under one prior, each met within 2 but not both; under two priors both are. An
    item of two conflicts counts once."""
    first, second, other = (frozenset([item]) for item in (ITEMS[0], ITEMS[2], ITEMS[1]))
    costs = dict.fromkeys(ITEMS, 2)
    for budget, avoided in ((Fraction(4), True), (4 - Fraction(1, 10**30), False), (2, False)):
        assert is_avoidable([first, second], costs, Fraction(budget)) == avoided
    both: Conflict = first | second
    for conflicts in ([both, first], [first, both], [first, first, both]):
        assert is_avoidable(conflicts, costs, Fraction(2))
        assert not is_avoidable(conflicts, costs, Fraction(1))
    costs = {ITEMS[0]: 3, ITEMS[1]: 3}
    assert is_avoidable([first, other], costs, Fraction(3))
    assert is_avoidable([first | other], costs, Fraction(3))
    assert not is_avoidable([first, other], costs, Fraction(2))
