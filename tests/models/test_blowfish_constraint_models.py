"""Model files of the Blowfish paper, with constraints: every number from the definitions."""

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any

from tests.models.by_definition import (
    F,
    Mechanism,
    World,
    blowfish,
    complete,
    databases,
    edges,
    everything,
    exactly,
    flips,
    geometric,
    histogram,
    noisy,
    one_attribute,
    over_pairs,
    replace,
    sensitivity,
    together,
    within,
)
from tests.models.model_files import confirm

BITS = (0, 1)
HALF = F(1, 2)


def noisy_counts(worlds: list[World], domain: Sequence[Any], high: int) -> Mechanism:
    """Each count of the histogram with its own geometric noise of ratio 1/2, clamped to 0..high."""
    return {w: together(*(geometric(w.count(x), HALF, 0, high) for x in domain)) for w in worlds}


# --- Constraints ------------------------------------------------------------------------------


def test_one_way_neighbours() -> None:
    aa, bb, bc = (tuple(w) for w in ("aa", "bb", "bc"))
    near = blowfish([aa, bb, bc], edges("ab", "bc"))
    assert (bb, aa) in near and (aa, bb) not in near

    def mechanism(**yes: Any) -> Mechanism:
        return {tuple(w): {"yes": p, "no": 1 - p} for w, p in yes.items()}

    aa_often = mechanism(aa=HALF, bb=F(1, 8), bc=F(1, 4))
    bb_often = mechanism(aa=F(1, 8), bb=HALF, bc=F(1, 4))
    confirm(
        "blowfish/one-way-neighbours.yaml",
        over_pairs(aa_often, near),
        over_pairs(bb_often, near),
        over_pairs(aa_often, everything([aa, bb, bc])),
    )


def test_plans_among_histograms() -> None:
    """All lists of three records, one of them b."""
    lists = [w for w in product("abc", repeat=3) if w.count("b") == 1]
    near, full = blowfish(lists, edges("ab", "bc")), blowfish(lists, edges("ab", "bc", "ac"))
    m = {w: geometric(w.count("a"), HALF, 0, 2) for w in lists}
    farthest = max(sum(abs(w.count(x) - v.count(x)) for x in "abc") for w, v in near)
    confirm(
        "blowfish/plans-among-histograms.yaml",
        over_pairs(m, near),
        F(farthest),
        over_pairs(m, full),
    )


def test_known_marginal() -> None:
    kinds, third = list(product("ab", repeat=2)), range(3)
    possible = {
        tuple((*kind, c) for kind, c in zip(order, cs, strict=True))
        for order in permutations(kinds)
        for cs in product(third, repeat=4)
    }
    assert len(possible) == 1944
    worst = 0
    for cs in product(third, repeat=3):  # the first database, up to renaming people and values
        v = tuple((*kind, c) for kind, c in zip(kinds, (0, *cs), strict=True))
        for w in possible:
            moved = [i for i in range(4) if v[i] != w[i]]
            partial = (
                tuple(w[i] if i in part else v[i] for i in range(4))
                for part in (
                    {i for k, i in enumerate(moved) if mask >> k & 1}
                    for mask in range(1, 2 ** len(moved) - 1)
                )
            )
            if moved and not any(u in possible for u in partial):
                cells = set(v) | set(w)
                worst = max(worst, sum(abs(v.count(x) - w.count(x)) for x in cells))
    confirm("blowfish/known-marginal.yaml", F(worst))


def histogram_sensitivity(
    domain: Sequence[Any],
    records: int,
    where: Callable[[World], bool],
    edge: Callable[[Any, Any], bool],
) -> Any:
    worlds = databases(domain, records, where)
    return sensitivity(blowfish(worlds, edge), histogram(domain))


def test_known_marginal_empty_cell() -> None:
    domain = list(product(("a1", "a2"), ("b1", "b2")))
    level = histogram_sensitivity(domain, 2, lambda w: all(p[0] == "a1" for p in w), complete)
    confirm("blowfish/known-marginal-empty-cell.yaml", level, level)
    # the condition of Theorem 8.2's equality: the most secrets that neighbours break is one, and
    # their histograms differ by 2; but a1 and a2 can be changed into one another, so α = 2
    near = blowfish(databases(domain, 2, lambda w: all(p[0] == "a1" for p in w)), complete)
    assert {sum(x != y for x, y in zip(v, w, strict=True)) for v, w in near} == {1}
    assert level == 2


def test_known_marginal_two_cells() -> None:
    domain = list(product(("a1", "a2"), ("b1", "b2")))
    worlds = databases(domain, 2, lambda w: {p[0] for p in w} == {"a1", "a2"})
    mechanism = noisy_counts(worlds, domain, 1)
    near = blowfish(worlds, complete)
    level = over_pairs(mechanism, near)
    confirm(
        "blowfish/known-marginal-two-cells.yaml",
        sensitivity(near, histogram(domain)),
        level,
        level,
        over_pairs(mechanism, replace(worlds)),
    )


def test_incomplete_graph() -> None:
    def counts(w: World) -> bool:
        return sum(x in "ae" for x in w) == 1 == sum(x in "bd" for x in w)

    near = blowfish(databases("abdegh", 3, counts), edges("ab"))
    assert (tuple("adh"), tuple("bge")) in near
    level = sensitivity(near, histogram("abdegh"))
    confirm("blowfish/incomplete-graph.yaml", level, level)


def test_two_marginals() -> None:
    domain = list(product(BITS, repeat=3))

    def counts(w: World) -> bool:
        return sum(p[0] for p in w) == 1 == sum(p[1] for p in w)

    near = blowfish(databases(domain, 3, counts), one_attribute)
    assert (((0, 0, 0), (1, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 1, 1), (0, 0, 1))) in near
    level = sensitivity(near, histogram(domain))
    confirm("blowfish/two-marginals.yaml", level, level)


def test_known_rectangles() -> None:
    def counts(w: World) -> bool:
        return sum(x <= 2 for x in w) == 1 == sum(x >= 5 for x in w)

    near = blowfish(databases(range(1, 7), 3, counts), within(1))
    assert ((2, 5, 4), (3, 1, 6)) in near
    level = sensitivity(near, histogram(range(1, 7)))
    confirm("blowfish/known-rectangles.yaml", level, level)


def test_known_range() -> None:
    def count(w: World) -> bool:
        return sum(x <= 2 for x in w) == 1

    domain = range(1, 5)
    line = histogram_sensitivity(domain, 3, count, within(1))
    confirm("blowfish/known-range.yaml", line, histogram_sensitivity(domain, 3, count, complete))


def test_public_count() -> None:
    worlds = databases(BITS, 4, lambda w: sum(w) == 2)
    near = blowfish(worlds, complete)
    level = over_pairs(noisy(worlds, lambda w: w[0] - w[1], HALF), near)
    confirm(
        "blowfish/public-count.yaml",
        sensitivity(near, lambda w: [w[0] - w[1]]),
        level,
        level,
        sensitivity(near, histogram(BITS)),
    )


def test_all_or_nothing() -> None:
    worlds = [(0, 0, 0), (1, 1, 1)]
    near = blowfish(worlds, complete)
    mechanism = noisy(worlds, sum, HALF)
    level = over_pairs(mechanism, near)
    assert level == 2**3  # metric privacy: three units of distance, 2 for each
    count = sensitivity(near, lambda w: [sum(w)])
    confirm("blowfish/all-or-nothing.yaml", count, level, level, F(2))


def test_known_sums() -> None:
    def sums(w: World) -> bool:
        return all(w.count(x) + w.count(y) == 1 for x, y in ("ab", "bc", "cd"))

    worlds = databases("abcd", 2, sums)
    near = blowfish(worlds, complete)
    level = over_pairs(noisy_counts(worlds, "abcd", 1), near)
    confirm("blowfish/known-sums.yaml", sensitivity(near, histogram("abcd")), level, level)


def test_known_sums_odd() -> None:
    def sums(w: World) -> bool:
        return all(w.count(x) + w.count(y) == 2 for x, y in ("ab", "bc"))

    worlds = databases("abc", 3, sums)
    near = blowfish(worlds, complete)
    mechanism = exactly(worlds, lambda w: tuple(map(w.count, "abc")))
    confirm(
        "blowfish/known-sums-odd.yaml",
        sensitivity(near, histogram("abc")),
        over_pairs(mechanism, near),
    )


def two_responses(worlds: list[World]) -> Any:
    mechanism = {w: together(flips(F(1, 4), w[0]), flips(F(1, 10), w[1])) for w in worlds}
    return over_pairs(mechanism, blowfish(worlds, complete))


def groups_that_differ(near: list[tuple[World, World]], *epsilons: int) -> Any:
    """The worst sum of the levels of groups of one record each: 1_i * epsilon_i changes by that."""
    return max(sum(e for e, x, y in zip(epsilons, w, v, strict=True) if x != y) for w, v in near)


def test_parallel_composition() -> None:
    worlds = databases(BITS, 2)
    level, near = two_responses(worlds), blowfish(worlds, complete)
    confirm("blowfish/parallel-composition.yaml", level, level, groups_that_differ(near, 1, 2))


def test_parallel_composition_public_count() -> None:
    worlds = databases(BITS, 2, lambda w: sum(w) == 1)
    level, near = two_responses(worlds), blowfish(worlds, complete)
    assert near == [((0, 1), (1, 0)), ((1, 0), (0, 1))]
    together = groups_that_differ(near, 1, 2)
    confirm("blowfish/parallel-composition-public-count.yaml", level, level, together, together, 1)


def test_parallel_composition_two_components() -> None:
    worlds = databases("abcd", 2, lambda w: (w[0] in "ab") != (w[1] in "ab"))
    split = groups_that_differ(blowfish(worlds, edges("ab", "cd")), 1, 1)
    whole = groups_that_differ(blowfish(worlds, complete), 1, 1)
    assert (split, whole) == (1, 2)
    confirm("blowfish/parallel-composition-two-components.yaml", split, whole, whole)


def test_parallel_composition_split_graph() -> None:
    first, second = tuple("ac"), tuple("bd")
    near = blowfish([first, second], edges("ab"))
    assert near == [(first, second), (second, first)]
    right = {first: F(3, 4), second: F(1, 4)}
    alone: Mechanism = {w: {1: p, 0: 1 - p} for w, p in right.items()}
    level = over_pairs(alone, near)
    both = {w: together(row, row) for w, row in alone.items()}
    confirm(
        "blowfish/parallel-composition-split-graph.yaml",
        groups_that_differ(near, 1, 1),
        groups_that_differ(near, 1, 1),
        level,
        level,
        over_pairs(both, near),
    )


def test_two_solutions() -> None:
    near = blowfish([(0, 1), (1, 0)], complete)
    confirm(
        "blowfish/two-solutions.yaml",
        sensitivity(near, lambda w: w),
        sensitivity(near, histogram(BITS)),
    )


def test_one_solution() -> None:
    worlds = databases(BITS, 3, lambda w: 1 in w[:2] and w[0] == 0 and w[1] != w[2])
    assert worlds == [(0, 1, 0)]
    assert blowfish(worlds, complete) == []
    confirm("blowfish/one-solution.yaml", F(0), F(1))
