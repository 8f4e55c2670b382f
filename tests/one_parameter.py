"""Polynomials in one parameter q on [0, 1] by Sturm's theorem, for tests; coefficients ascend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

Poly = list[Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


def trim(p: Iterable[Fraction]) -> Poly:
    found = list(p)
    while found and not found[-1]:
        found.pop()
    return found


def plus(p: Poly, q: Poly, factor: Fraction = ONE) -> Poly:
    size = max(len(p), len(q))
    padded = [[*x, *[ZERO] * (size - len(x))] for x in (p, q)]
    return trim(a + factor * b for a, b in zip(*padded, strict=True))


def times(p: Poly, q: Poly) -> Poly:
    found = [ZERO] * max(0, len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            found[i + j] += a * b
    return trim(found)


def bernoulli(ones: int, zeros: int) -> Poly:
    """q^ones (1 - q)^zeros."""
    found = [ONE]
    for factor in [[ZERO, ONE]] * ones + [[ONE, -ONE]] * zeros:
        found = times(found, factor)
    return found


def at(p: Poly, q: Fraction) -> Fraction:
    found = ZERO
    for c in reversed(p):
        found = found * q + c
    return found


def divided(p: Poly, q: Poly) -> tuple[Poly, Poly]:
    quotient, rest = [ZERO] * max(0, len(p) - len(q) + 1), list(p)
    for k in reversed(range(len(quotient))):
        quotient[k] = rest[k + len(q) - 1] / q[-1]
        for j, c in enumerate(q):
            rest[k + j] -= quotient[k] * c
    return trim(quotient), trim(rest)


def derivative(p: Poly) -> Poly:
    return trim(k * c for k, c in enumerate(p) if k)


def common(p: Poly, q: Poly) -> Poly:
    while q:
        p, q = q, divided(p, q)[1]
    return [c / p[-1] for c in p]


def odd_part(p: Poly) -> Poly:
    """The product of the factors of odd multiplicity (Yun's algorithm)."""
    g = common(p, derivative(p))
    b, odd, times_found = divided(p, g)[0], [ONE], 1
    c = divided(derivative(p), g)[0]
    d = plus(c, derivative(b), -ONE)
    while len(b) > 1:
        a = common(b, d) if d else [x / b[-1] for x in b]
        if times_found % 2:
            odd = times(odd, a)
        b, c = divided(b, a)[0], divided(d, a)[0] if d else []
        d = plus(c, derivative(b), -ONE)
        times_found += 1
    return odd


def roots_inside(p: Poly) -> int:
    """The number of roots of a squarefree p in 0 < q < 1."""
    for end in ([ZERO, ONE], [-ONE, ONE]):
        while p and not at(p, -end[0]):
            p = divided(p, end)[0]
    chain = [p, derivative(p)]
    while chain[-1]:
        chain.append([-c for c in divided(chain[-2], chain[-1])[1]])
    signs = [[x for f in chain[:-1] if (x := at(f, q))] for q in (ZERO, ONE)]
    changes = [sum((a > 0) != (b > 0) for a, b in pairwise(s)) for s in signs]
    return changes[0] - changes[1]


def nowhere_positive(p: Poly) -> bool:
    """Whether p <= 0 on [0, 1]."""
    if not p:
        return True
    if len(p) > 1 and roots_inside(odd_part(p)):
        return False
    return all(at(p, Fraction(k, 2 * len(p))) <= 0 for k in range(2 * len(p) + 1))


def nowhere_positive_above(form: Sequence[Fraction | int]) -> bool:
    """Whether a polynomial in t > 0 is nowhere positive, by t = q/(1 - q), 0 < q < 1."""
    found: Poly = []
    for k, c in enumerate(form):
        found = plus(found, bernoulli(k, len(form) - 1 - k), Fraction(c))
    return nowhere_positive(found)


def within(n: Poly, d: Poly, alpha: Fraction) -> bool:
    """Whether n <= alpha d on [0, 1]."""
    return nowhere_positive(plus(n, d, -alpha))


def is_supremum(pairs: Sequence[tuple[Poly, Poly]], alpha: Fraction) -> bool:
    """Whether alpha is the largest of 1 and the suprema of n / d, to a relative 10^-40."""
    below = alpha * (1 - Fraction(1, 10**40))
    enough = all(within(n, d, alpha) for n, d in pairs)
    return enough and (alpha == 1 or not all(within(n, d, below) for n, d in pairs))
