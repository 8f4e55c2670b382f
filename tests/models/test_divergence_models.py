"""Bounded range and Rényi's divergences of a vote and of a coin, by sums over outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction as F

from tests.models.brute_force import databases, one_differs, smallest_level
from tests.models.model_files import decided

Columns = dict[tuple[int, ...], Sequence[F]]


def vote(votes: tuple[int, ...]) -> list[F]:
    weights = [F(2) ** votes.count(candidate) for candidate in range(3)]
    return [weight / sum(weights) for weight in weights]


def coin(votes: tuple[int, ...]) -> list[F]:
    return [F(1, 4), F(3, 4)] if votes[0] > 0 else [F(3, 4), F(1, 4)]


def pairs(columns: Columns) -> list[tuple[Sequence[F], Sequence[F]]]:
    return [(columns[w], columns[v]) for w in columns for v in columns if one_differs(w, v)]


def spread(p: Sequence[F], q: Sequence[F]) -> F:
    return max(
        a * d / (b * c) for a, c in zip(p, q, strict=True) for b, d in zip(p, q, strict=True)
    )


def of_order_2(p: Sequence[F], q: Sequence[F]) -> F:
    return sum((a * a / b for a, b in zip(p, q, strict=True)), F(0))


def of_order(p: Sequence[F], q: Sequence[F], order: float) -> float:
    terms = (float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True))
    return math.log(sum(terms)) / (order - 1)


def test_a_vote_and_a_coin() -> None:
    worlds = databases(2, range(3))
    voted, tossed = ({w: choose(w) for w in worlds} for choose in (vote, coin))
    results = decided("mechanisms/divergences.yaml")
    assert all(result.status == "ok" for result in results)
    found = [result.leakage.exp_epsilon for result in results if result.leakage]
    rows = [[dict(enumerate(side)) for side in both] for both in pairs(voted)]
    pure = max(smallest_level(p, q) for p, q in rows)
    assert found[:3] == [
        max(spread(*both) for both in pairs(voted)),
        pure,
        max(of_order_2(*both) for both in pairs(voted)),
    ]
    assert found[4:6] == [
        max(spread(*both) for both in pairs(tossed)),
        max(of_order_2(*both) for both in pairs(tossed)),
    ]
    halves = max(of_order(*both, order=1.5) for both in pairs(tossed) if both[0] != both[1])
    assert abs(math.log(found[6] or 1) - halves) < 1e-12
    for columns, place in ((voted, 3), (tossed, 7)):
        leakage = results[place].leakage
        assert leakage is not None and leakage.bounds is not None
        orders = [1 + 1e-6, *(1 + k / 8 for k in range(1, 80))]
        rho = max(of_order(*both, order) / order for both in pairs(columns) for order in orders)
        low, high = map(math.log, leakage.bounds)
        assert rho <= high + 1e-8
        assert low - rho < 1e-3
    delta, promised = F(1, 10), F(7, 3) * 10
    rows = [[dict(enumerate(side)) for side in both] for both in pairs(tossed)]
    assert found[8] == max(smallest_level(p, q, delta) for p, q in rows)
    assert found[8] is not None and found[8] <= promised
