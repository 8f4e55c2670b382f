"""Signs of polynomials on a box of several parameters, where some conditions hold.

A parameter between two ends is (low·u + high·v)/(u + v) with u, v >= 0. So a polynomial becomes one
that is homogeneous in each pair of variables, with the same sign, and without positive coefficients
it is nowhere positive. Elsewhere the box is divided.

By hand: 4pq − 1 on the unit square is 3·v·y − u·x − u·y − v·x, which is positive at (3/4, 3/4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, gcd, lcm
from typing import Any

import numpy as np

from verifier.base.nouns import Later, dataclass
from verifier.base.polynomial import Polynomial, cut, multiply, primitive
from verifier.base.polynomial import value_at as value_at
from verifier.base.rational_function import Terms
from verifier.kernels.positivity import Positive, Ray, Tree, nowhere_positive, squared

PIECES = 2_000  # of a box, for one polynomial beside conditions
DEPTH = 60  # of cuts inside one another
STEPS = 6  # of coordinates of the points that floats are tried at: 1/2, 1/4, 3/4, 1/8, …
LEAST = (Fraction(1, 2**8), Fraction(1, 2**20))  # by how much a sign is shown to be strict
Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class Box(Later):
    """The points of a box of which some polynomials are >= 0.

    sides       the ends of each parameter; it lies between them, or is equal to both
    conditions  polynomials in all parameters, and whether each is > 0
    """

    sides: tuple[tuple[Fraction, Fraction], ...]
    conditions: tuple[tuple[Terms, bool], ...] = ()

    @property
    def groups(self) -> list[int]:
        """The sizes of the groups of variables."""
        return [2 for low, high in self.sides if low != high]

    def has(self, point: Point) -> bool:
        """Whether the conditions hold at a point between the ends."""
        found = [(value_at(terms, point), strict) for terms, strict in self.conditions]
        return all(x > 0 or (x == 0 and not strict) for x, strict in found)

    def point(self, ray: Sequence[int | Fraction]) -> Point:
        """The point with homogeneous coordinates."""
        rest = iter(ray)
        found = []
        for low, high in self.sides:
            if low == high:
                found.append(low)
                continue
            u, v = next(rest), next(rest)
            found.append((low * u + high * v) / Fraction(u + v))
        return tuple(found)

    def simple_points(self) -> Iterator[Point]:
        """Points inside where the conditions hold, with simple coordinates first."""
        steps = [Fraction(2 * k + 1, 2**n) for n in range(1, STEPS) for k in range(2 ** (n - 1))]
        free = len(self.groups)
        few = steps[: {0: 1, 1: 31, 2: 15, 3: 7}.get(free, 3)]
        for chosen in sorted(product(few, repeat=free), key=lambda c: [x.denominator for x in c]):
            point = self.point([x for t in chosen for x in (1 - t, t)])
            if self.has(point):
                yield point


def homogeneous(terms: Terms, box: Box) -> Polynomial:
    """A polynomial in homogeneous coordinates of a box, without what is constant in all terms.

    >>> half = (Fraction(0), Fraction(1, 2))
    >>> sorted(homogeneous({(2,): 1, (0,): -1}, Box((half,))).items())
    [((0, 2), -3), ((1, 1), -8), ((2, 0), -4)]
    """
    free = [k for k, (low, high) in enumerate(box.sides) if low != high]
    degrees = [max((e[k] for e in terms), default=0) for k in free]
    found: dict[tuple[int, ...], Fraction] = {}
    for exponents, c in terms.items():
        factor = Fraction(c)
        rows: list[list[tuple[tuple[int, int], Fraction]]] = []
        for k, (low, high) in enumerate(box.sides):
            if low == high:
                factor *= low ** exponents[k]
            else:
                rows.append(_row(low, high, exponents[k], degrees[len(rows)]))
        for chosen in product(*rows):
            key = tuple(e for pair, _ in chosen for e in pair)
            size = factor
            for _, x in chosen:
                size *= x
            found[key] = found.get(key, Fraction(0)) + size
    return _whole(found)


def _row(
    low: Fraction, high: Fraction, exponent: int, degree: int
) -> list[tuple[tuple[int, int], Fraction]]:
    """(low·u + high·v)^exponent·(u + v)^(degree − exponent) as terms."""
    row = [Fraction(0)] * (degree + 1)
    for i in range(exponent + 1):
        for j in range(degree - exponent + 1):
            size = comb(exponent, i) * low ** (exponent - i) * high**i
            row[i + j] += size * comb(degree - exponent, j)
    return [((degree - i, i), x) for i, x in enumerate(row) if x]


def _whole(found: dict[tuple[int, ...], Fraction]) -> Polynomial:
    kept = {key: x for key, x in found.items() if x}
    unit = lcm(*(x.denominator for x in kept.values()))
    return primitive({key: int(x * unit) for key, x in kept.items()})


def raised(p: Polynomial, degrees: Sequence[int], count: int) -> Polynomial:
    """p times powers of u + v, so that it has these degrees in the pairs of variables."""
    for k, degree in enumerate(degrees):
        own = sum(next(iter(p))[2 * k : 2 * k + 2])
        unit = [0] * count
        power: Polynomial = {}
        for i in range(degree - own + 1):
            unit[2 * k], unit[2 * k + 1] = degree - own - i, i
            power[tuple(unit)] = comb(degree - own, i)
        p = multiply(p, power)
    return p


def degrees_of(*polynomials: Polynomial) -> list[int]:
    """The largest degrees in the pairs of variables."""
    first = [next(iter(p)) for p in polynomials if p]
    pairs = range(0, len(first[0]) if first else 0, 2)
    return [max(e[k] + e[k + 1] for e in first) for k in pairs]


def prove(terms: Terms, box: Box) -> Tree | Point | None:
    """A proof that a polynomial is nowhere negative on a box, a point inside where it is, or None.

    terms  the polynomial
    box    between whose ends it is asked, where the conditions hold

    The proof is a tree (docs/certificate.md), where also these may stand: {"plus": [number,
    factor]}, a multiple of a condition with which no coefficient is positive; {"none": number}, a
    condition that holds nowhere; {"factor": number, "rest", "tree"}, one that is divided out.
    """
    p = {e: -c for e, c in homogeneous(terms, box).items()}
    if not p or all(c <= 0 for c in p.values()):
        return 0
    if not box.groups and box.has(box.point(())):
        return box.point(())
    divisor, p = _without_positive(p)
    found: Any = nowhere_positive(p, box.groups) if not box.conditions else None
    if isinstance(found, Positive):
        return _inside(terms, box, found.point)
    found = _with_conditions(terms, p, box) if box.conditions else found
    if divisor is None or found is None or isinstance(found, tuple):
        return found
    return {"divisor": _listed(divisor), "tree": found}


def _without_positive(p: Polynomial) -> tuple[Polynomial | None, Polynomial]:
    """The factors of a polynomial without negative coefficients, multiplied, or None if there are
    none; and the rest."""
    from flint import Ordering, fmpz_mpoly_ctx

    count = len(next(iter(p)))
    context = fmpz_mpoly_ctx.get([f"x{k}" for k in range(count)], Ordering.lex)
    whole = context.from_dict(p)
    divisor = context.constant(1)
    for factor, times in whole.factor()[1]:
        signs = {c > 0 for c in factor.to_dict().values()}
        if len(signs) == 1:
            divisor *= (factor if True in signs else -factor) ** times
    if divisor.is_one():
        return None, p
    both = (divisor, whole / divisor)
    listed = [{tuple(map(int, e)): int(c) for e, c in one.to_dict().items()} for one in both]
    return listed[0], listed[1]


def _leaf(
    p: Polynomial, conditions: Sequence[Polynomial], strict: Sequence[bool], whole: bool
) -> Tree | None:
    """The proof without a cut that p is nowhere positive where the conditions hold, of the `whole`
    box or a part of it."""
    if all(c <= 0 for c in p.values()):
        return 0
    for number, condition in enumerate(conditions):
        fails = strict[number] or (whole and condition)
        if fails and all(c <= 0 for c in condition.values()):
            return {"none": number}
        factor = multiple(p, condition)
        if factor is not None:
            return {"plus": [number, str(factor)]}
    return None


def _inside(terms: Terms, box: Box, ray: Ray) -> Point:
    """A point inside a box near one where a polynomial is negative, at which it is so too."""
    step = 1
    while True:
        point = box.point([step * x + 1 for x in ray])
        if value_at(terms, point) < 0:
            return point
        step *= 4


@dataclass
class _Search(Later):
    terms: Terms
    box: Box
    pieces: int = PIECES
    found: Point | None = None


def _with_conditions(terms: Terms, p: Polynomial, box: Box) -> Tree | Point | None:
    conditions = [homogeneous(one, box) for one, _ in box.conditions]
    count = 2 * len(box.groups)
    square, whole = squared(p)
    rest, factors = whole, []
    for number, condition in enumerate(conditions):
        while any(sum(e) for e in condition) and (h := _divided(rest, condition)) is not None:
            rest = h
            factors.append((number, h))
    rays = [tuple(int(i == j) for j in range(count)) for i in range(count)]
    search = _Search(terms, box)
    tree = _divided_tree(rest, conditions, rays, search)
    if tree is None:
        return search.found
    for number, h in reversed(factors):
        tree = {"factor": number, "rest": _listed(h), "tree": tree}
    if square:
        tree = {"square": _listed(square), "rest": _listed(whole), "tree": tree}
    return tree


def _divided_tree(
    p: Polynomial, conditions: list[Polynomial], rays: list[Ray], search: _Search, depth: int = 0
) -> Tree | None:
    """The tree of one cone, given by its rays; all polynomials in its coordinates."""
    leaf = _leaf(p, conditions, [strict for _, strict in search.box.conditions], not depth)
    if leaf is not None or not rays:
        return leaf
    search.found = _negative(rays, search)
    search.pieces -= 1
    if search.found or search.pieces < 0 or depth == DEPTH:
        return None
    k = max(range(0, len(rays), 2), key=lambda k: _length(rays[k], rays[k + 1]))
    common = gcd(sum(rays[k]), sum(rays[k + 1]))
    sizes = sum(rays[k]) // common, sum(rays[k + 1]) // common
    halves = []
    for one, other, x, y in ((k, k + 1, sizes[1], sizes[0]), (k + 1, k, sizes[0], sizes[1])):
        inner = [*rays]
        inner[other] = tuple(x * v + y * w for v, w in zip(rays[one], rays[other], strict=True))
        moved = [cut(c, one, other, x, y) for c in conditions]
        tree = _divided_tree(cut(p, one, other, x, y), moved, inner, search, depth + 1)
        if tree is None:
            return None
        halves.append(tree)
    return [k, k + 1, sizes[1], sizes[0], *halves]


def multiple(p: Polynomial, condition: Polynomial) -> Fraction | None:
    """A factor >= 0 of a condition with which p has no positive coefficient; None where there is
    none."""
    if not condition:
        return None
    degrees, count = degrees_of(p, condition), len(next(iter(p)))
    p, condition = raised(p, degrees, count), raised(condition, degrees, count)
    low, high = Fraction(0), None
    for key in p.keys() | condition.keys():
        a, b = p.get(key, 0), condition.get(key, 0)
        if b == 0 and a > 0:
            return None
        if b < 0:
            low = max(low, Fraction(a, -b))
        elif b > 0:
            high = Fraction(-a, b) if high is None else min(high, Fraction(-a, b))
    return low if high is None or low <= high else None


def _negative(rays: list[Ray], search: _Search) -> Point | None:
    """A point near a corner of the cone, or in its middle, where the polynomial is negative and
    the conditions hold."""
    box = search.box
    pairs = [(rays[k], rays[k + 1]) for k in range(0, len(rays), 2)]
    corners = [
        box.point([sum(column) for column in zip(*chosen, strict=True)])
        for chosen in product(*pairs)
    ]
    middle = tuple(sum(column) / len(corners) for column in zip(*corners, strict=True))
    nearer = [tuple((31 * x + y) / 32 for x, y in zip(one, middle, strict=True)) for one in corners]
    for point in (middle, *nearer):
        if box.has(point) and value_at(search.terms, point) < 0:
            return point
    return None


def _length(v: Ray, w: Ray) -> float:
    a, b = sum(v), sum(w)
    return sum(abs(x / a - y / b) for x, y in zip(v, w, strict=True))


def _divided(p: Polynomial, q: Polynomial) -> Polynomial | None:
    """p / q where that is a polynomial."""
    from flint import Ordering, fmpq_mpoly_ctx

    count = len(next(iter(p)))
    context = fmpq_mpoly_ctx.get([f"x{k}" for k in range(count)], Ordering.lex)
    whole, rest = divmod(context.from_dict(p), context.from_dict(q))
    if rest:
        return None
    found = whole.to_dict().items()
    return _whole({tuple(map(int, e)): Fraction(int(c.p), int(c.q)) for e, c in found})


def _listed(p: Polynomial) -> list[list[int]]:
    return [[c, *m] for m, c in p.items()]


def is_positive(terms: Terms, box: Box) -> bool | Point | None:
    """True where a polynomial is shown to be positive everywhere inside a box where the conditions
    hold; else a point where it is negative, or None: not settled.

    terms  the polynomial, which is positive somewhere
    box    as for `prove`
    """
    p = homogeneous(terms, box)
    if not p:
        return None
    count = 2 * len(box.groups)
    common = [min(e[v] for e in p) for v in range(count)]  # variables are positive inside
    p = {tuple(x - y for x, y in zip(e, common, strict=True)): c for e, c in p.items()}
    if all(c >= 0 for c in p.values()):
        return True
    known = (_divided(p, q) for q, strict in _homogeneous_conditions(box) if strict)
    if any(h is not None and all(c >= 0 for c in h.values()) for h in known):
        return True
    found: Any = prove(terms, box)
    if found is None or isinstance(found, tuple):
        return found
    for least in LEAST:
        if not isinstance(_strictly(terms, box, least), tuple | None):
            return True
    return None


def _homogeneous_conditions(box: Box) -> Iterator[tuple[Polynomial, bool]]:
    for terms, strict in box.conditions:
        yield homogeneous(terms, box), strict


def _strictly(terms: Terms, box: Box, least: Fraction) -> Tree | Point | None:
    """The proof that a polynomial is at least a little everywhere inside: `least` times the
    product of the distances from the ends."""
    bound: dict[tuple[int, ...], Fraction] = {(0,) * len(box.sides): least}
    for k, (low, high) in enumerate(box.sides):
        if low == high:
            continue
        found: dict[tuple[int, ...], Fraction] = {}
        for e, c in bound.items():
            for power, x in enumerate((-low * high, low + high, Fraction(-1))):
                key = (*e[:k], e[k] + power, *e[k + 1 :])
                found[key] = found.get(key, Fraction(0)) + c * x
        bound = found
    less = {e: Fraction(c) for e, c in terms.items()}
    for e, c in bound.items():
        less[e] = less.get(e, Fraction(0)) - c
    return prove(_whole(less), box)


def nearly(polynomials: Sequence[Terms], points: Sequence[Point]) -> np.ndarray:
    """The values of polynomials at points as floats, shape (polynomials, points)."""
    monomials: dict[tuple[int, ...], int] = {}
    for terms in polynomials:
        for e in terms:
            monomials.setdefault(e, len(monomials))
    table = np.zeros((len(polynomials), len(monomials)))
    for row, terms in enumerate(polynomials):
        largest = max(map(abs, terms.values()))
        for e, c in terms.items():
            table[row, monomials[e]] = c / largest
    where = np.array([[float(x) for x in point] for point in points])
    powers = np.array([np.prod(where ** np.array(e), axis=1) for e in monomials])
    found: np.ndarray = table @ powers
    return found


def unsettled(terms: Terms, box: Box, cuts: int = 40) -> list[Box]:
    """The parts of a box where no simple proof shows that a polynomial is nowhere negative.

    terms  the polynomial
    box    that is divided
    cuts   how often
    """
    strict = [one for _, one in box.conditions]
    waiting = [box]
    for _ in range(cuts):
        left = []
        for one in waiting:
            p = {e: -c for e, c in homogeneous(terms, one).items()}
            if _leaf(p, [homogeneous(g, one) for g, _ in box.conditions], strict, False) is None:
                left.append(one)
        if not left:
            return []
        waiting = left
        if len(waiting) > 8:
            break
        k = max(range(len(box.sides)), key=lambda k: _share(waiting[0], box, k))
        waiting = [half for one in waiting for half in _halves(one, k)]
    return waiting


def _share(part: Box, box: Box, k: int) -> Fraction:
    (a, b), (low, high) = part.sides[k], box.sides[k]
    return (b - a) / (high - low) if low != high else Fraction(-1)


def _halves(box: Box, k: int) -> list[Box]:
    low, high = box.sides[k]
    middle = (low + high) / 2
    return [
        Box((*box.sides[:k], side, *box.sides[k + 1 :]), box.conditions)
        for side in ((low, middle), (middle, high))
    ]
