"""Polynomials in several groups of variables, and why they are nowhere positive where all variables
are >= 0.

A polynomial is homogeneous in each group. A tree proves it nowhere positive: no coefficient is; or
it is so on both sides of a cut x_i / x_j = a / b; or as a simpler one is, as polynomials in a ratio
are after Sturm, or as a quadratic in one variable is by its discriminant.
"""

import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, zip_longest
from math import comb, prod
from typing import Any

from . import reading as read
from .document import MAX_DIGITS, afford, fields, index, indices, items, need
from .numbers import Divided
from .reading import ONE, ZERO
from .sturm import is_nowhere_positive, multiplied

Polynomial = dict[tuple[int, ...], Any]  # exponents, one per variable -> coefficient


def summed(terms: Iterable[tuple[Polynomial, Any]]) -> Polynomial:
    """The sum of polynomial times factor over all `terms`."""
    found: Polynomial = {}
    for p, factor in terms:
        for m, x in p.items() if factor else ():
            found[m] = found.get(m, 0) + factor * x
    return found


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product of `p` and `q`. Exponents are digits of one integer, and so added at once."""
    count = len(next(iter(p), ()))
    left, right = ([(_coded(m), x) for m, x in part.items()] for part in (p, q))
    found: dict[int, Any] = defaultdict(int)
    for m, x in left:
        for n, y in right:
            found[m + n] += x * y
    return {_decoded(m, count): x for m, x in found.items()}


def _coded(exponents: Sequence[int]) -> int:
    return int.from_bytes(array("Q", exponents).tobytes(), sys.byteorder)


def _decoded(number: int, count: int) -> tuple[int, ...]:
    return tuple(array("Q", number.to_bytes(8 * count, sys.byteorder)))


def same(p: Polynomial, q: Polynomial, scale: Any = 1) -> bool:
    """Whether `p` is `scale` times `q`."""
    return all(p.get(m, 0) == scale * q.get(m, 0) for m in (*p, *q))


def slices(groups: Sequence[int]) -> list[slice]:
    """The places of the variables of each of the `groups`, given by their sizes."""
    return [slice(end - size, end) for end, size in zip(accumulate(groups), groups, strict=True)]


def steps(tree: Any, condition: tuple[Polynomial, Polynomial], groups: list[int]) -> int:
    """A bound of the terms that a tree makes, times their degree, and more where it makes their
    coefficients long."""
    terms = [m for p in condition for m in p]
    degrees = [max(sum(m[part]) for m in terms) for part in slices(groups)]
    most = prod(comb(k + size - 1, k) for k, size in zip(degrees, groups, strict=True))
    return nodes(tree, 0, sum(degrees)) * most * (1 + max(degrees))


def nodes(tree: Any, bits: int, degree: int) -> int:
    """The nodes of a tree, each once more for every 1000 digits that coefficients grew by."""
    own = 1 + bits // 1000 + bits * bits // 10**8
    if type(tree) is dict:
        return own + nodes(tree.get("tree", 0), bits, degree)
    if type(tree) is not list:
        return own
    _, _, a, b, left, right = tree
    indices([a, b], read.LARGE, low=1)
    bits += max(a, b).bit_length() * degree
    return own + nodes(left, bits, degree) + nodes(right, bits, degree)


def nowhere_positive(p: Polynomial, tree: Any, groups: list[int]) -> bool:
    """Whether the tree proves p <= 0 where all variables are >= 0: no coefficient is positive; or
    it is so on both sides of x_i / x_j = a / b; or as other polynomials are."""
    if type(tree) is int:
        return tree == 0 and all(x <= 0 for x in p.values())
    if type(tree) is dict:
        return _by_another(p, tree, groups)
    i, j, a, b, left, right = items(tree)
    _check_edge(i, j, groups)
    return nowhere_positive(cut(p, i, j, a, b), left, groups) and nowhere_positive(
        cut(p, j, i, b, a), right, groups
    )


def _by_another(p: Polynomial, tree: Any, groups: list[int]) -> bool:
    """Whether a tree proves p <= 0 as `simpler` is; with functions also by its quotient by a
    positive polynomial, by polynomials in a ratio, or by a discriminant."""
    known = read.FUNCTIONS.get() is not None
    if known and "divisor" in tree:
        divisor, inner = fields(tree, "divisor tree")
        return nowhere_positive(quotient(p, divisor, sum(groups)), inner, groups)
    if known and "sturm" in tree:
        return _by_ratio(p, fields(tree, "sturm")[0], groups)
    if known and "quadratic" in tree:
        return _by_discriminant(p, fields(tree, "quadratic trees"), groups)
    simple = simpler(p, tree, sum(groups))
    return simple is not None and nowhere_positive(simple, tree["tree"], groups)


def _check_edge(i: Any, j: Any, groups: list[int]) -> None:
    """Refuse what are not two variables of one group."""
    indices([i, j], sum(groups))
    need(
        i != j and any({i, j} <= {*range(sum(groups))[part]} for part in slices(groups)), "no edge"
    )


def _by_ratio(p: Polynomial, edge: Any, groups: list[int]) -> bool:
    """Whether the coefficient of each monomial in all variables but the two of an `edge`, for each
    degree in these, is nowhere positive as a polynomial in their ratio."""
    i, j = items(edge)
    _check_edge(i, j, groups)
    rows: dict[tuple[int, ...], list[Any]] = {}
    degree = max((m[i] for m in p), default=0)
    for m, x in p.items():
        rest = (m[i] + m[j], *(e for k, e in enumerate(m) if k not in (i, j)))
        rows.setdefault(rest, [0] * (degree + 1))[m[i]] += x
    afford(len(rows) * (degree + 1))
    return all(map(is_nowhere_positive, rows.values()))


def _by_discriminant(p: Polynomial, told: list[Any], groups: list[int]) -> bool:
    """Whether p = A x^2 + B x + C, times a power of the variable x that is `told`, has A, C and
    B^2 - 4 A C that three trees prove to be nowhere positive. Then p is so."""
    variable, trees = told
    c, b, a = quadratic(p, index(variable, sum(groups)))
    found = summed([(multiply(b, b), 1), (multiply(a, c), -4)])
    need(len(items(trees)) == 3, "not three trees")
    pairs = list(zip((a, c, found), trees, strict=True))
    afford(sum(steps(tree, (one, {}), groups) for one, tree in pairs if one))
    return all(nowhere_positive(one, tree, groups) for one, tree in pairs)


def quadratic(p: Polynomial, variable: int) -> tuple[Polynomial, Polynomial, Polynomial]:
    """C, B and A, where p is A x^2 + B x + C times a power of the variable x."""
    least = min((m[variable] for m in p), default=0)
    parts: tuple[Polynomial, Polynomial, Polynomial] = ({}, {}, {})
    for m, x in p.items():
        need(m[variable] - least <= 2, "a polynomial of too high a degree for a discriminant")
        parts[m[variable] - least][(*m[:variable], 0, *m[variable + 1 :])] = x
    afford(20 * (len(parts[1]) ** 2 + len(parts[0]) * len(parts[2])))
    return parts


def fails_on(p: Polynomial, line: Any, eliminated: Any, count: int) -> bool:
    """Whether p, in `count` variables, is positive at start + t direction for some t > 0, start and
    direction being points of a `line`; where a variable x is `eliminated`, for some x > 0 beside.

    With A x^2 + B x + C on the line, B >= 0 and B^2 - 4 A C > 0, some x is large or near
    -B / (2 A)."""
    points = read.matrix(line)
    need(len(points) == 2 and all(len(x) == count for x in points), "no line")
    need(min(map(min, points)) >= 0, "a line of priors has no negative numbers")
    if eliminated is None:
        return not is_nowhere_positive(_along(p, points))
    parts = quadratic(p, index(eliminated, count))
    c, b, a = (_along(part, points) for part in parts)
    need(all(x >= 0 for x in b), "a value below 0")
    pairs = zip_longest(multiplied(b, b), multiplied(a, c), fillvalue=0)
    return not is_nowhere_positive([x - 4 * y for x, y in pairs])


def _along(p: Polynomial, line: list[list[Fraction]]) -> list[Any]:
    """The coefficients of p at start + t direction, a polynomial in t."""
    found: list[Any] = [ZERO]
    for m, x in p.items():
        term: Sequence[Any] = [x]
        for e, start, direction in zip(m, *line, strict=True):
            for _ in range(e):
                term = multiplied(term, [start, direction])
        found = [a + b for a, b in zip_longest(found, term, fillvalue=0)]
    return found


def simpler(p: Polynomial, tree: Any, count: int) -> Polynomial | None:
    """A polynomial that is nowhere positive just where p is, if the tree says so rightly: p is a
    square times it, or depends on x_i + x_j only and is this one where x_j = 0."""
    if "merge" in tree:
        i, j = indices(fields(tree, "merge tree")[0], count)
        rest = {m: x for m, x in p.items() if not m[j]}
        return rest if i != j and same(cut(rest, i, j, 1, 1), p) else None
    square, rest = (_read(part, count) for part in fields(tree, "square rest tree")[:2])
    afford(len(square) ** 2 * len(rest) * 10)
    again = multiply(multiply(square, square), rest)
    scale = next((Fraction(again.get(m, 0), x) for m, x in p.items() if x), ONE)
    return rest if scale > 0 and same(again, p, scale) else None


def quotient(p: Polynomial, listed: Any, count: int) -> Polynomial:
    """p by a divisor, `listed`, that is positive where all of `count` variables are."""
    divisor, rest, found = _read(listed, count), dict(p), dict[tuple[int, ...], Any]()
    need(divisor, "a divisor is not 0")
    indices(list(divisor.values()), read.CODES, low=1)
    lead = max(divisor)
    while rest:
        first = max(rest)
        x = read.ratio(rest.pop(first), divisor[lead])
        if _vanishes(x):
            continue
        place = tuple([e - k for e, k in zip(first, lead, strict=True)])
        need(min(place) >= 0, "no divisor")
        found[place] = x
        afford(len(divisor) * count * (20 + len(found)))
        for m, y in divisor.items():
            if m != lead:
                at = tuple([e + k for e, k in zip(place, m, strict=True)])
                rest[at] = rest.get(at, 0) - x * y
    return found


def _vanishes(x: Fraction) -> bool:
    """Whether a number is 0, a function everywhere on a piece."""
    try:
        return not x
    except Divided:
        return False


def _read(rows: Any, count: int) -> Polynomial:
    found = {tuple(indices(m, 10**4)): c for c, *m in items(rows, count + 1)}
    need(len(found) == len(rows), "a term stands twice")
    most = 10**MAX_DIGITS
    fits = all(type(c) is int and -most <= c < most for c in found.values())
    need(fits, "a coefficient is an integer, not too long")
    return found


def cut(p: Polynomial, i: int, j: int, a: int, b: int) -> Polynomial:
    """p at x_i + a x_j and b x_j in place of x_i and x_j: the points with x_i / x_j >= a / b."""
    found: Polynomial = {}
    for m, x in p.items():
        for k in range(m[i] + 1):
            new = list(m)
            new[i], new[j] = m[i] - k, m[j] + k
            at = tuple(new)
            found[at] = found.get(at, 0) + x * comb(m[i], k) * a**k * b ** m[j]
    return found
