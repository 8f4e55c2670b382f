"""Proving that a polynomial is nowhere positive on a product of simplices, or finding where it is.

A polynomial whose coefficients are all <= 0 is <= 0 where the variables are >= 0. Otherwise cut
the cone of non-negative points in two, and go on in the coordinates of each part. Where the
polynomial vanishes at a point inside, the cuts go through that point; a repeated factor g that
changes sign is taken out first: F = g²·h, and h <= 0 is what is left to prove. Before all that,
variables that count only by their sum become one.

By hand: −x² + x·y − y² has a positive coefficient. Where x >= y, put x = u + v and y = v: it is
−u² − u·v − v². The other half is alike, so two leaves prove it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import gcd, lgamma, log
from typing import Any

from verifier.base.polynomial import Exponents, Polynomial, cut, primitive, value_at

# 0; [i, j, a, b, tree, tree]; {"square", "rest", "tree"}; {"merge": [i, j], "tree"}
Tree = Any
Ray = tuple[int, ...]
Leaf = Callable[[Polynomial, Sequence[range]], Tree | None]
PIECES = 3000  # of one polynomial in several parameters, if no other number is said
DEPTH = 400  # of cuts inside one another


@dataclass(frozen=True)
class Positive:
    """A point where the polynomial is positive, in integers."""

    point: Ray


@dataclass
class _Search:
    """What is left to spend on one polynomial."""

    groups: Sequence[range]
    pieces: int
    leaf: Leaf
    found: Positive | None = field(default=None)


def plain(p: Polynomial, groups: Sequence[range]) -> Tree | None:
    """The tree 0 where no coefficient of p is positive, whatever the `groups`; else None."""
    return 0 if all(c <= 0 for c in p.values()) else None


def nowhere_positive(
    p: Polynomial,
    groups: Sequence[int],
    through: Sequence[Fraction] | None = None,
    leaf: Leaf = plain,
    pieces: int | None = None,
    only_cuts: bool = False,
) -> Tree | Positive | None:
    """A proof that p <= 0 on the product of simplices, a point where p > 0, or None: not settled.

    p          homogeneous in each group
    groups     how many variables each simplex has
    through    a point where p may vanish; None where none is known
    leaf       what proves p without a cut: p and the variables of each group -> a tree or None
    pieces     the most parts into which p is cut, `PIECES` if None
    only_cuts  whether the proof has to serve for smaller coefficients too: it has cuts alone

    With one parameter it is settled, with `only_cuts` if p has no zero inside.
    """
    starts = [sum(groups[:k]) for k in range(len(groups))]
    ranges = [range(s, s + size) for s, size in zip(starts, groups, strict=True)]
    whole = leaf(p, ranges)
    if whole is not None:
        return whole
    pairs: list[tuple[int, int]] = []
    square, rest = None, p
    if not only_cuts:
        p, pairs = merged(p, ranges)
        square, rest = squared(p)
    count, most = sum(groups), PIECES if pieces is None else pieces
    is_easy = _parameters(rest, ranges) <= 1 and not only_cuts
    search = _Search(ranges, 10**6 if is_easy else most, leaf)
    rays = [tuple(int(i == j) for j in range(count)) for i in range(count)]
    near = None if square or through is None else _with_merged(through, pairs)
    tree = _prove(rest, rays, near, search)
    if search.found is not None:
        if value_at(p, search.found.point) <= 0:  # on a zero of the square
            search.found = Positive(_moved(p, search.found.point))
        return search.found
    if tree is None:
        return None
    if square:
        tree = {"square": listed(square), "rest": listed(rest), "tree": tree}
    for i, j in reversed(pairs):
        tree = {"merge": [i, j], "tree": tree}
    return tree


def is_proved(p: Polynomial, tree: Tree) -> bool:
    """Whether a tree of cuts alone proves that p, which may have irrational coefficients, is <= 0.

    >>> is_proved({(2, 0): -1, (1, 1): 1, (0, 2): -1}, [0, 1, 1, 1, 0, 0])
    True
    """
    if tree == 0:
        return all(c <= 0 for c in p.values())
    i, j, a, b, *halves = tree
    sides = cut(p, i, j, a, b), cut(p, j, i, b, a)
    return all(map(is_proved, sides, halves))


def _parameters(p: Polynomial, groups: Sequence[range]) -> int:
    """On how many parameters p depends: one less than its variables in each simplex."""
    used = [sum(1 for v in group if any(m[v] for m in p)) for group in groups]
    return sum(n - 1 for n in used if n)


def _with_merged(point: Sequence[Fraction], merged: Sequence[tuple[int, int]]) -> list[Fraction]:
    """The point where the second variable of each merged pair is added to the first."""
    found = list(point)
    for i, j in merged:
        found[i], found[j] = found[i] + found[j], Fraction(0)
    return found


def merged(p: Polynomial, groups: Sequence[range]) -> tuple[Polynomial, list[tuple[int, int]]]:
    """p at x_j = 0 where p depends on x_i + x_j only, for all such pairs of one group."""
    pairs = []
    for group in groups:
        for i, j in combinations(group, 2):
            rest = {m: c for m, c in p.items() if not m[j]}
            if any(m[i] for m in rest) and cut(rest, i, j, 1, 1) == p:
                p = rest
                pairs.append((i, j))
    return p, pairs


def _moved(p: Polynomial, point: Ray) -> Ray:
    """A point near one where p = g²·h vanishes with g, while h > 0, at which p > 0."""
    step = 2
    while True:
        for at in range(len(point)):
            near = tuple(step * x + (i == at) for i, x in enumerate(point))
            if value_at(p, near) > 0:
                return near
        step *= 2


def _prove(
    p: Polynomial,
    rays: list[Ray],
    through: list[Fraction] | None,
    search: _Search,
    depth: int = 0,
) -> Tree | None:
    """The tree of one cone, given by its rays; p and `through` in its coordinates."""
    search.found = _positive(p, rays, search.groups)
    known = None if search.found else search.leaf(p, search.groups)
    if known is not None:
        return known
    search.pieces -= 1
    if search.found or search.pieces < 0 or depth == DEPTH:
        return None
    i, j, a, b = _split(p, rays, through, search.groups)
    halves = []
    for one, other, x, y in ((i, j, a, b), (j, i, b, a)):  # the ray of `other` is replaced
        ray = tuple(x * v + y * w for v, w in zip(rays[one], rays[other], strict=True))
        inner = [*rays]
        inner[other] = ray
        halves.append(
            _prove(
                primitive(cut(p, one, other, x, y)),
                inner,
                _within(through, one, other, x, y),
                search,
                depth + 1,
            )
        )
        if halves[-1] is None:
            return None
    return [i, j, a, b, *halves]


def _positive(p: Polynomial, rays: list[Ray], groups: Sequence[range]) -> Positive | None:
    """A corner of the cone, or its middle, where p > 0."""
    if sum(p.values()) > 0:
        return Positive(tuple(sum(column) for column in zip(*rays, strict=True)))
    for m, c in p.items():
        corner = [[v for v in group if m[v]] for group in groups]
        if c > 0 and all(len(used) <= 1 for used in corner):
            chosen = [
                used[0] if used else group[0] for used, group in zip(corner, groups, strict=True)
            ]
            return Positive(tuple(map(sum, zip(*(rays[v] for v in chosen), strict=True))))
    return None


def _split(
    p: Polynomial, rays: list[Ray], through: list[Fraction] | None, groups: Sequence[range]
) -> tuple[int, int, int, int]:
    """The edge to cut, and where: at the point that p may vanish at, until it is a corner; then in
    the middle of the edge along which the largest positive Bernstein coefficient is most above its
    neighbours."""
    if through is not None:
        for group in groups:
            inside = [v for v in group if through[v]]
            if len(inside) > 1:
                ratio = through[inside[0]] / through[inside[1]]
                return inside[0], inside[1], ratio.numerator, ratio.denominator
    sizes = [sum(ray) for ray in rays]
    logs = {m: _log_height(m, c, sizes, groups) for m, c in p.items()}
    worst = max((m for m in p if p[m] > 0), key=lambda m: (logs[m], m))

    def height(i: int, j: int) -> float:
        """The Bernstein coefficient one step from j to i, in units of the worst one."""
        m = list(worst)
        m[i], m[j] = m[i] + 1, m[j] - 1
        found = logs.get(tuple(m))
        if found is None:
            return 0.0
        size: float = 2.0 ** min(60.0, found - logs[worst])
        return size if p[tuple(m)] > 0 else -size

    edges = [
        (-height(i, j) - height(j, i), _length(rays[i], rays[j]), -i, -j)
        for group in groups
        for i, j in combinations(group, 2)
        if worst[i] and worst[j]
    ]
    _, _, i, j = max(edges)
    common = gcd(sizes[-i], sizes[-j])
    return -i, -j, sizes[-j] // common, sizes[-i] // common


def _log_height(m: Exponents, c: int, sizes: list[int], groups: Sequence[range]) -> float:
    """The logarithm of the absolute Bernstein coefficient where all rays have the same size."""
    found = log(abs(c)) - sum(e * log(size) for e, size in zip(m, sizes, strict=True) if e)
    for group in groups:
        found -= lgamma(1 + sum(m[v] for v in group)) - sum(lgamma(1 + m[v]) for v in group)
    return found / log(2)


def _length(v: Ray, w: Ray) -> float:
    a, b = sum(v), sum(w)
    return sum(abs(x / a - y / b) for x, y in zip(v, w, strict=True))


def _within(point: list[Fraction] | None, i: int, j: int, a: int, b: int) -> list[Fraction] | None:
    """The coordinates of a point after the ray of j is replaced; None outside."""
    if point is None or point[i] * b < point[j] * a:
        return None
    moved = [*point]
    moved[i] -= point[j] * Fraction(a, b)
    moved[j] /= b
    return moved


def squared(p: Polynomial) -> tuple[Polynomial | None, Polynomial]:
    """(g, h) with p = g²·h, where g has the repeated factors that change sign; or (None, p)."""
    from flint import Ordering, fmpz_mpoly_ctx

    count = len(next(iter(p)))
    context = fmpz_mpoly_ctx.get([f"x{k}" for k in range(count)], Ordering.lex)
    whole = context.from_dict(p)
    _, factors = whole.factor_squarefree()
    square = context.from_dict({(0,) * count: 1})
    for factor, times in factors:
        coefficients = [int(c) for c in factor.coeffs()]
        if times > 1 and min(coefficients) < 0 < max(coefficients):
            square *= factor ** (times // 2)
    if square.total_degree() == 0:
        return None, p
    rest = whole / (square * square)
    return tuple(  # type: ignore[return-value]
        {tuple(map(int, m)): int(c) for m, c in found.to_dict().items()} for found in (square, rest)
    )


def listed(p: Polynomial) -> list[list[int]]:
    """A polynomial as terms: [[coefficient, exponents…], …]."""
    return [[c, *m] for m, c in p.items()]


def without_common(p: Polynomial, q: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial]:
    """The largest common divisor of p and q, and both divided by it; 1 in place of one that has
    negative coefficients."""
    from flint import Ordering, fmpz_mpoly_ctx

    count = len(next(iter(p)))
    context = fmpz_mpoly_ctx.get([f"x{k}" for k in range(count)], Ordering.lex)
    first, second = context.from_dict(p), context.from_dict(q)
    common = first.gcd(second)
    divisor, *parts = (
        {tuple(map(int, m)): int(c) for m, c in found.to_dict().items()}
        for found in (common, first / common, second / common)
    )
    return (divisor, parts[0], parts[1]) if min(divisor.values()) > 0 else ({(0,) * count: 1}, p, q)
