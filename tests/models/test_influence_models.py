"""Influence curves: the numbers of models/composition/influence-*.yaml, by plain fractions."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction as F
from functools import cache
from itertools import combinations, pairwise, product

import pytest

from tests.models.brute_force import (
    INFINITE,
    Level,
    Mechanism,
    Prior,
    coin,
    databases,
    differential_privacy,
    hamming,
    independent,
    one_differs,
    pufferfish,
    values_of_each_record,
)
from tests.models.model_files import confirm, confirm_engine, files, once

FOLDER = "composition"
BITS = (0, 1)
Sides = tuple[Callable[..., bool], Callable[..., bool]]


def influence(priors: Sequence[Prior], secrets: Iterable[Sides], hidden: int) -> Level:
    """Definition 2: the worst ordered pair, its best set of hidden entries, the worst of the rest.
    Publishing the rest is a mechanism, and what it leaks in one order is the largest ratio."""
    entries = range(len(next(iter(priors[0]))))
    choices = [set(h) for size in range(hidden + 1) for h in combinations(entries, size)]
    ordered = [sides for s, t in secrets for sides in ((s, t), (t, s))]
    return max(
        min(told(priors, s, t, [e for e in entries if e not in chosen], F(1)) for chosen in choices)
        for s, t in ordered
    )


def told(
    priors: Sequence[Prior],
    s: Callable[..., bool],
    t: Callable[..., bool],
    shown: Sequence[int],
    least: Level,
) -> Level:
    """max P(shown | s) / P(shown | t) over priors and values."""
    for prior in priors:
        whole = math.lcm(*(p.denominator for p in prior.values()))
        above, below = defaultdict(int), defaultdict(int)  # masses times the whole
        for w, p in prior.items():
            for side, masses in ((s, above), (t, below)):
                if side(w):
                    masses[tuple(w[e] for e in shown)] += int(p * whole)
        odds = F(sum(below.values()), sum(above.values()))
        ratios = [F(p, below[x]) if below.get(x) else INFINITE for x, p in above.items() if p]
        least = max(least, *(odds * ratio for ratio in ratios))
    return least


def chain(length: int, p: F, q: F) -> Prior:
    """Stays at 0 with p, at 1 with q; stationary from the start."""
    step = {(0, 0): p, (0, 1): 1 - p, (1, 1): q, (1, 0): 1 - q}
    start = {0: (1 - q) / (2 - p - q), 1: (1 - p) / (2 - p - q)}
    return {
        w: math.prod((step[move] for move in pairwise(w)), start=start[w[0]])
        for w in databases(length, BITS)
    }


def of_chain(length: int, p: F, q: F, hidden: int) -> Level:
    return influence([chain(length, p, q)], values_of_each_record(length, BITS), hidden)


def closed_form(p: F, q: F, hidden: int) -> F:
    """Theorem of Section 6.3, in its own terms: |log| becomes the larger of a ratio and its
    inverse; node 0 where q > p, else node 1."""
    decay, node = p + q - 1, 0 if q > p else 1
    share = (1 - q if node == 0 else 1 - p) / (2 - p - q)
    found = F(1)
    for distance in ((hidden + 1) // 2, (hidden + 2) // 2):
        stay = share + decay**distance * (1 - share)
        come = share - decay**distance * share
        found *= max(stay / come, come / stay)
    return found


CHAINS = {
    "weak": (F(3, 5), F(3, 5)),
    "steady": (F(3, 4), F(3, 4)),
    "strong": (F(9, 10), F(9, 10)),
    "mostly_one": (F(1, 2), F(3, 4)),
    "mostly_zero": (F(9, 10), F(3, 10)),
}


@cache
def curves() -> list[Level]:
    """Each point of the file by the closed form and by enumeration."""
    found: list[Level] = []
    for name, (p, q) in CHAINS.items():
        points: list[Level] = [closed_form(p, q, b) for b in (1, 2, 3)]
        assert points == [of_chain(7, p, q, b) for b in (1, 2, 3)]
        found += [INFINITE, *points, F(1)] if name == "steady" else points
    return found


@pytest.mark.parametrize("p, q", [*CHAINS.values(), (F(2, 5), F(3, 5)), (F(1, 7), F(8, 9))])
def test_the_closed_form_is_right_for_long_chains_that_stay(p: F, q: F) -> None:
    assert p + q >= 1
    for hidden, length in ((1, 3), (2, 5), (1, 5)):
        assert of_chain(length, p, q, hidden) == closed_form(p, q, hidden)


def test_the_closed_form_is_wrong_for_short_chains() -> None:
    assert of_chain(3, F(3, 4), F(3, 4), 2) == 3 < closed_form(F(3, 4), F(3, 4), 2) == 5


def alternating_chain() -> list[Level]:
    p, q = F(1, 10), F(3, 10)
    assert closed_form(p, q, 1) == 49 and closed_form(p, q, 2) == 16
    assert round(math.log(16), 4) == 2.7726 and round(math.log(14), 4) == 2.6391
    two = of_chain(5, p, q, 2)
    return [of_chain(5, p, q, 1), two, two]


def uneven_split() -> list[Level]:
    p, q = F(1, 10), F(3, 10)
    assert closed_form(p, q, 3) == F(256, 49)
    return [of_chain(7, p, q, 3)] * 2


def mirrored_chains() -> list[Level]:
    changes, stays = (F(1, 10), F(3, 10)), (F(9, 10), F(7, 10))
    points = [of_chain(7, *ends, b) for b in (1, 2, 3) for ends in (changes, stays)]
    assert points[:2] == [49, 49] and points[2] != points[3] and points[4] != points[5]
    return [*points, *(of_chain(7, p, p, 2) for p in (F(1, 5), F(4, 5)))]


def short_chain() -> list[Level]:
    return [of_chain(3, F(3, 4), F(3, 4), hidden) for hidden in (1, 2)]


def of_long_chains(chains: Sequence[tuple[F, F]], hidden: int) -> F:
    """A record far from both ends: all ways to split the hidden ones, the worst chain for each, all
    values of the two nearest shown ones, by the eigenvalues of the chain."""

    def tells(p: F, q: F, distance: int, secret: int, value: int) -> F:
        """P(value at a distance | secret) / P(value | other)."""
        share = (1 - p if value else 1 - q) / (2 - p - q)
        decay = (p + q - 1) ** distance
        same = share + decay * (1 - share)
        other = share - decay * share
        return same / other if value == secret else other / same

    def largest(ends: tuple[F, F], distance: int, secret: int) -> F:
        return max(tells(*ends, distance, secret, value) for value in BITS)

    return max(
        min(
            max(largest(c, d, secret) * largest(c, hidden + 1 - d, secret) for c in chains)
            for d in range(1, hidden + 1)
        )
        for secret in BITS
    )


def of_long_chain(p: F, q: F, hidden: int) -> F:
    return of_long_chains([(p, q)], hidden)


def long_chain() -> list[Level]:
    asked = [("steady", b) for b in (1, 4, 9, 50)] + [("mostly_zero", b) for b in (4, 5)]
    assert all(of_long_chain(*CHAINS[n], b) == closed_form(*CHAINS[n], b) for n, b in asked)
    p, q = F(1, 10), F(3, 10)
    assert [of_long_chain(p, q, b) for b in (2, 3)] == [of_chain(7, p, q, b) for b in (2, 3)]
    return [
        *(of_long_chain(*CHAINS[name], b) for name, b in asked),
        *(of_long_chain(p, q, b) for b in (2, 3)),
    ]


def of_intervals() -> list[Level]:
    """The largest closed form over a grid of the chains, which all stay."""
    grid = [
        (F(1, 2) + F(k, 16), F(2, 3) + (F(4, 5) - F(2, 3)) * F(j, 4))
        for k in range(5)
        for j in range(5)
    ]
    return [max(closed_form(p, q, b) for p, q in grid) for b in (1, 2, 3)]


def of_intervals_that_change() -> list[Level]:
    """Chains of a grid, which change often or rarely, all against the same hidden records."""
    grid = [(F(2, 5) - F(7, 20) * F(k, 8), F(4, 5)) for k in range(9)]
    assert of_long_chains(grid[:1], 3) == of_chain(7, *grid[0], 3)
    return [of_long_chains(grid, b) for b in (1, 2, 3)]


def of_a_tree() -> list[Level]:
    """What one branch tells of ann, a member of the family with two friends, for each set of it
    that is hidden, over all values; branches are independent given ann."""
    step = {(x, y): F(3, 4) if x == y else F(1, 4) for x in BITS for y in BITS}
    branch: dict[int, F] = {}
    for hidden in (set(h) for size in range(4) for h in combinations(range(3), size)):
        masses = {ann: defaultdict(F) for ann in BITS}
        for ann, bob, f1, f2 in product(BITS, repeat=4):
            shown = tuple(v for at, v in enumerate((bob, f1, f2)) if at not in hidden)
            masses[ann][shown] += step[ann, bob] * step[bob, f1] * step[bob, f2]
        told = max(masses[1][x] / masses[0][x] for x in masses[0])
        branch[len(hidden)] = min(told, branch.get(len(hidden), told))
    least = [
        min(
            branch[i] * branch[j] * branch[k]
            for i, j, k in product(range(4), repeat=3)
            if 1 + i + j + k == hidden
        )
        for hidden in range(1, 11)
    ]
    assert least == [27, 21, 15, 9, 7, 5, 3, F(7, 3), F(5, 3), 1]
    return [least[b - 1] for b in (1, 2, 3, 4, 5, 7, 10)]


def of_attributes() -> list[Level]:
    """A world is the row of all cells."""
    person = {(0, 0): F(3, 8), (0, 1): F(1, 8), (1, 0): F(1, 8), (1, 1): F(3, 8)}
    prior = {a + b: person[a] * person[b] for a, b in product(person, repeat=2)}
    secrets = values_of_each_record(4, BITS)
    one, two = (influence([prior], secrets, hidden) for hidden in (1, 2))
    return [one, one, two]


def under_constraints() -> list[Level]:
    twins: Mechanism = {w: {w: F(1)} for w in ((0, 0), (1, 1))}
    prior = {w: F(1, 2) for w in twins}
    secrets = values_of_each_record(2, BITS)
    return [
        differential_privacy(twins, one_differs),
        differential_privacy(twins, lambda w, v: hamming(w, v) <= 2),
        pufferfish(twins, [prior], secrets),
        *(influence([prior], secrets, hidden) for hidden in (1, 2)),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "influence-alternating-chain.yaml": alternating_chain,
    "influence-curves.yaml": curves,
    "influence-mirrored-chains.yaml": mirrored_chains,
    "influence-of-a-long-chain.yaml": long_chain,
    "influence-of-a-tree.yaml": of_a_tree,
    "influence-of-attributes.yaml": of_attributes,
    "influence-of-intervals.yaml": of_intervals,
    "influence-of-intervals-that-change.yaml": of_intervals_that_change,
    "influence-short-chain.yaml": short_chain,
    "influence-under-constraints.yaml": under_constraints,
    "influence-uneven-split.yaml": uneven_split,
}
FILES = [file for file in files(FOLDER) if file.startswith("influence-")]


@pytest.mark.parametrize("file", FILES)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", FILES)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))


@pytest.mark.parametrize("p, q", [(F(3, 4), F(3, 4)), (F(1, 10), F(3, 10))])
def test_the_promise_is_kept_by_responses(p: F, q: F) -> None:
    """Theorems 6.1 and 6.2 on randomized response, one run and two, for each b."""
    prior, secrets = chain(3, p, q), values_of_each_record(3, BITS)
    once = {w: independent([coin(F(2, 3) if x else F(1, 3)) for x in w]) for w in prior}
    twice = {w: independent([row, row]) for w, row in once.items()}
    one, two = (pufferfish(mechanism, [prior], secrets) for mechanism in (once, twice))
    for hidden in (1, 2, 3):
        told_rest = influence([prior], secrets, hidden)
        assert one <= 2**hidden * told_rest
        assert two <= 2 ** (2 * hidden) * told_rest
