"""Influence curves: the numbers of models/composition/influence-*.yaml, by plain fractions."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction as F
from itertools import combinations, pairwise, product

import pytest

from tests.models.brute_force import (
    INFINITE,
    Level,
    Prior,
    databases,
    values_of_each_record,
)
from tests.models.model_files import confirm, confirm_engine, once

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


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "influence-of-a-long-chain.yaml": long_chain,
    "influence-of-a-tree.yaml": of_a_tree,
}


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))
