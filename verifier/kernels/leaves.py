"""What proves without a cut that a polynomial is nowhere positive where its variables are >= 0.

Coefficients are numbers of any kind; functions of a parameter record the signs that decide. Beside
a polynomial without positive coefficients, two kinds are seen.

Of two variables of one group only their ratio t counts, by homogeneity. So the coefficient of each
monomial in all others is a polynomial in t, and Sturm's theorem decides whether it is nowhere
positive.

A polynomial A·x² + B·x + C in one variable x is nowhere positive where A, C and B² − 4·A·C are not
positive. These have one variable less.

Example. −x² + 2·x·y − 3·y² with y in another group: A = −1, C = −3·y² and 4·y² − 12·y² = −8·y².
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, zip_longest
from math import comb
from typing import Any

from verifier.kernels.sturm import is_nowhere_positive, times

Terms = dict[tuple[int, ...], Any]  # exponents, one per variable -> coefficient of any kind
Line = tuple[Sequence[Any], Sequence[Any]]
MOST_TERMS = 100  # of a polynomial whose discriminant is looked at


def leaf(p: Terms, groups: Sequence[Sequence[int]]) -> Any:
    """The tree without a cut that proves p to be nowhere positive; None where none is found.

    p       homogeneous in each group
    groups  the numbers of the variables of each
    """
    if is_plain(p):
        return 0
    for i in (i for group in groups for i in group):
        parts = quadratic(p, i)
        trees = [leaf(part, groups) for part in discriminants(parts)] if parts else [None]
        if None not in trees:
            return {"quadratic": i, "trees": trees}
    for i, j in (edge for group in groups for edge in combinations(group, 2)):
        if is_below(p, i, j):
            return {"sturm": [i, j]}
    return None


def serves(tree: Any, p: Terms) -> bool:
    """Whether a tree, found for numbers near those of p, proves p to be nowhere positive."""
    if tree == 0:
        return is_plain(p)
    if isinstance(tree, list):
        i, j, a, b, left, right = tree
        return serves(left, cut(p, i, j, a, b)) and serves(right, cut(p, j, i, b, a))
    if "sturm" in tree:
        return is_below(p, *tree["sturm"])
    if "merge" in tree:
        i, j = tree["merge"]
        rest = {m: c for m, c in p.items() if not m[j]}
        return _same(cut(rest, i, j, 1, 1), p) and serves(tree["tree"], rest)
    parts = quadratic(p, tree["quadratic"]) if "quadratic" in tree else None
    return parts is not None and all(map(serves, tree["trees"], discriminants(parts)))


def is_plain(p: Terms) -> bool:
    """Whether no coefficient is positive."""
    return all(c <= 0 for c in p.values())


def is_below(p: Terms, i: int, j: int) -> bool:
    """Whether all coefficients of p, as one in other variables than x_i and x_j, are nowhere
    positive.

    i, j  two variables of one group
    """
    rows: dict[tuple[int, ...], list[Any]] = {}
    degree = max((m[i] for m in p), default=0)
    for m, c in p.items():
        rest = tuple([e for k, e in enumerate(m) if k not in (i, j)])
        rows.setdefault(rest, [0] * (degree + 1))[m[i]] += c
    return all(map(is_nowhere_positive, rows.values()))


def quadratic(p: Terms, i: int) -> tuple[Terms, Terms, Terms] | None:
    """C, B and A, where p is (A·x_i² + B·x_i + C)·x_i^k; None where it is of no such form, or no
    part of it has x_i, or there are too many terms."""
    least, most = (end((m[i] for m in p), default=0) for end in (min, max))
    if most - least not in (1, 2) or len(p) > MOST_TERMS:
        return None
    parts: tuple[Terms, Terms, Terms] = ({}, {}, {})
    for m, c in p.items():
        parts[m[i] - least][(*m[:i], 0, *m[i + 1 :])] = c
    return parts


def discriminants(parts: tuple[Terms, Terms, Terms]) -> tuple[Terms, Terms, Terms]:
    """A, C and the discriminant B² − 4·A·C of a quadratic A·x² + B·x + C, given as (C, B, A)."""
    c, b, a = parts
    found = product(b, b)
    for m, x in product(a, c).items():
        found[m] = found.get(m, 0) - 4 * x
    return a, c, found


def product(p: Terms, q: Terms) -> Terms:
    """p·q, where no coefficient is compared with 0."""
    found: Terms = {}
    for m, a in p.items():
        for n, b in q.items():
            both = tuple([i + j for i, j in zip(m, n, strict=True)])
            found[both] = found.get(both, 0) + a * b
    return found


def cut(p: Terms, i: int, j: int, a: int, b: int) -> Terms:
    """p with x_i + a·x_j in place of x_i, and b·x_j in place of x_j."""
    found: Terms = {}
    for m, c in p.items():
        for k in range(m[i] + 1):
            new = list(m)
            new[i], new[j] = m[i] - k, m[j] + k
            more = c * (comb(m[i], k) * a**k * b ** m[j])
            found[tuple(new)] = found.get(tuple(new), 0) + more
    return found


def _same(p: Terms, q: Terms) -> bool:
    return all(p.get(m, 0) == q.get(m, 0) for m in (*p, *q))


def exceeds(p: Terms, line: Line, eliminated: int | None) -> bool:
    """Whether p is found to be positive at start + t·direction for some t > 0; if a variable is
    `eliminated`, for some value >= 0 of it.

    p     a polynomial
    line  the start and the direction, points whose coordinates are >= 0

    A·x² + B·x + C with B >= 0 is positive for some x > 0 where B² − 4·A·C is.
    """
    if eliminated is None:
        return not is_nowhere_positive(_along(p, line))
    parts = quadratic(p, eliminated)
    if parts is None:
        return False
    c, b, a = (_along(part, line) for part in parts)
    if not all(x >= 0 for x in b):
        return False
    square, both = times(b, b), times(a, c)
    found: list[Any] = [x - 4 * y for x, y in zip_longest(square, both, fillvalue=0)]
    return not is_nowhere_positive(found)


def _along(p: Terms, line: Line) -> list[Any]:
    """The coefficients of p at start + t·direction, a polynomial in t."""
    found: list[Any] = []
    for m, c in p.items():
        term = [c]
        for e, x, y in zip(m, *line, strict=True):
            for _ in range(e):
                term = times(term, [x, y])
        found = [x + y for x, y in zip_longest(found, term, fillvalue=0)]
    return found
