"""Models with priors within linear constraints: all corners of the polytope, by solving systems of
tight constraints, and the worst mixtures of every two of them."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import isqrt

from tests.models.by_definition import INFINITE, F, Level, smallest_level
from tests.models.model_files import confirm

Vector = list[Fraction]
ONE, ZERO = F(1), F(0)
HAIR = F(1, 10**30)
STEPS = [F(k, 60) for k in range(61)]
LIKELY = [F(9, 10), F(1, 10), F(9, 10), F(1, 10)]  # P(yes | i1), i2, j1, j2


def corners(rows: Sequence[Vector], size: int) -> list[Vector]:
    """Of the distributions θ with row · θ <= 0 for all rows, by Cramer's rule."""
    bounds = [*rows, *([F(-(i == k)) for k in range(size)] for i in range(size))]
    found: list[Vector] = []
    for tight in combinations(bounds, size - 1):
        system = [[ONE] * size, *tight]
        if whole := determinant(system):
            columns = list(zip(*system, strict=True))
            first = tuple([ONE] + [ZERO] * (size - 1))
            point = [
                determinant(list(zip(*columns[:k], first, *columns[k + 1 :], strict=True))) / whole
                for k in range(size)
            ]
            inside = all(dot(row, point) <= 0 for row in bounds)
            if inside and point not in found:
                found.append(point)
    return found


def determinant(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    if not matrix:
        return ONE
    minors = ([[*row[:k], *row[k + 1 :]] for row in matrix[1:]] for k in range(len(matrix)))
    return sum(
        (
            (-1) ** k * x * determinant(m)
            for k, (x, m) in enumerate(zip(matrix[0], minors, strict=True))
        ),
        ZERO,
    )


def dot(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), ZERO)


def row(size: int, **terms: object) -> Vector:
    """A row from its coefficients, w0=1, w1="-9", …"""
    return [F(str(terms.get(f"w{k}", 0))) for k in range(size)]


def level(prior: Vector, yes: Vector, split: int, delta: Fraction = ZERO) -> Level:
    """The smallest level for one prior; the first `split` worlds are s, the others t."""
    given = []
    for worlds in (range(split), range(split, len(prior))):
        mass = sum((prior[w] for w in worlds), ZERO)
        if not mass:
            return ONE
        p = sum((prior[w] * yes[w] for w in worlds), ZERO) / mass
        given.append({"yes": p, "no": 1 - p})
    return max(smallest_level(*given, delta), smallest_level(*given[::-1], delta))


def worst_of_grid(
    found: Sequence[Vector], yes: Vector, split: int, delta: Fraction = ZERO
) -> Level:
    """Over the mixtures in 60 steps of every two corners."""
    return max(
        level([x * a + (1 - x) * b for a, b in zip(p, q, strict=True)], yes, split, delta)
        for p in found
        for q in found
        for x in STEPS
    )


def test_intervals_for_each_secret() -> None:
    """Corners of the boxes for s and for t, in every combination, by the definition."""
    in_s = corners(
        [
            row(3, w0="-4/5", w1="1/5", w2="1/5"),
            row(3, w0="1/2", w1="-1/2", w2="-1/2"),
            row(3, w0="-1/3", w1="2/3", w2="-1/3"),
        ],
        3,
    )
    in_t = corners([row(2, w0="-3/4", w1="1/4"), row(2, w0="1/4", w1="-3/4")], 2)
    yes = [F(9, 10), F(1, 2), F(1, 10), F(4, 5), F(1, 5)]
    priors = [[x / 2 for x in (*p, *q)] for p in in_s for q in in_t]
    plain, slack = (max(level(p, yes, 3, d) for p in priors) for d in (ZERO, F(1, 10)))
    assert (plain, slack) == (F(5, 2), F(55, 26))
    confirm("pufferfish/intervals-for-each-secret.yaml", plain, plain, slack, slack)


def equations(*rows: Vector) -> list[Vector]:
    return [side for found in rows for side in (found, [-x for x in found])]


def test_corners_are_not_enough() -> None:
    found = corners(equations(row(4, w0=1, w2=-9), row(4, w1=-9, w3=1)), 4)
    assert sorted(found) == [[ZERO, F(1, 10), ZERO, F(9, 10)], [F(9, 10), ZERO, F(1, 10), ZERO]]
    alone = max(level(p, LIKELY, 2) for p in found)
    worst = worst_of_grid(found, LIKELY, 2)
    assert worst == level([F(9, 40), F(3, 40), F(1, 40), F(27, 40)], LIKELY, 2)
    root = F(isqrt(640 * 10**60), 10**30)  # below the square root of 640
    share = (1 + root) / 71
    both = [share * F(9, 10), F(1, 10), share * F(1, 10), F(9, 10)]
    with_delta = level(both, LIKELY, 2, F(1, 10))
    exact = 8 * (share**2 + 9 * share) / (9 * share**2 + 10 * share + 1)
    assert with_delta == exact
    grid = worst_of_grid(found, LIKELY, 2, F(1, 10))
    assert with_delta - F(1, 100) < grid <= with_delta
    confirm("pufferfish/corners-are-not-enough.yaml", alone, worst, worst, with_delta, with_delta)


def test_odds_of_the_secrets() -> None:
    odds = [row(4, w0=-1, w2=1), row(4, w0=1, w2=-9), row(4, w1=1, w3=-1), row(4, w1=-9, w3=1)]
    free = corners(odds, 4)
    even = corners([*odds, *equations(row(4, w0=1, w1=1, w2=-1, w3=-1))], 4)
    found = worst_of_grid(free, LIKELY, 2), worst_of_grid(even, LIKELY, 2)
    assert found == (F(49, 9), F(41, 9))
    confirm("pufferfish/odds-of-the-secrets.yaml", *found)


def test_an_irrational_level() -> None:
    found = corners(equations(row(4, w0=1, w2=-3), row(4, w1=1, w3=-1)), 4)
    root = F(isqrt(3 * 10**60), 10**30)  # below the square root of 3
    above = (19 - 8 * root) / 3
    first, second = sorted(found, reverse=True)  # 3/4, 1/4 and 1/2, 1/2; weights 4u and 2v
    u, v = 4 * root / 9, F(2)  # r = 1/√27 = √3/9
    below = level(
        [(u * x + v * y) / (u + v) for x, y in zip(first, second, strict=True)], LIKELY, 2
    )
    assert below < above < below + F(1, 10**28)
    assert worst_of_grid(found, LIKELY, 2) <= below
    confirm("pufferfish/constraints-irrational-level.yaml", below, below)


def test_constraints_without_a_worst() -> None:
    silent, noisy = ([F(1, 2), F(1, 2), p] for p in (ZERO, F(1, 5)))
    bounded = corners([*equations(row(3, w0=1, w1=-1)), row(3, w0=-10, w2=1)], 3)
    assert sorted(bounded) == [[F(1, 12), F(1, 12), F(5, 6)], [F(1, 2), F(1, 2), ZERO]]
    shares = [F(1, k) for k in (1, 2, 6, 10**9)]
    for yes, formula in ((silent, lambda x: (2 - x) / x), (noisy, lambda x: 5 * (2 - x) / (4 + x))):
        for x in shares:
            assert level([x / 2, x / 2, 1 - x], yes, 1) == formula(x)
    confirm(
        "pufferfish/constraints-without-a-worst.yaml",
        INFINITE,
        F(5, 2),
        F(5, 2),
        worst_of_grid(bounded, silent, 1),
        worst_of_grid(bounded, noisy, 1),
    )
