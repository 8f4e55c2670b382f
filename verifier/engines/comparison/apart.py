"""What a range of ratios, or a divergence of an integer order, asks of polynomials in parameters.

P(o) Q(o') <= alpha Q(o) P(o') for each two outputs, or the sum of P^a / Q^(a - 1) is at most
alpha^(a - 1): each is one polynomial that must be nowhere negative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

from verifier.base.errors import NotDecided
from verifier.base.polynomial import Polynomial, add
from verifier.base.polynomial import product as product_of
from verifier.base.several import parts, value
from verifier.claims.claim import DivergenceClaim

HIGHEST = 20  # order
Quotient = tuple[Polynomial, Polynomial]
Counts = Counter[tuple[int, int]]


def signs(
    claim: DivergenceClaim, names: Sequence[str], sample: Sequence[Fraction]
) -> Iterator[Polynomial]:
    """The polynomials that must be nowhere negative.

    names   of the parameters
    sample  a point, at which denominators are made positive

    NotDecided for zcdp, and for an order that is no integer.
    """
    order = claim.order
    if claim.definition != "bounded_range" and (
        order is None or order.denominator > 1 or order > HIGHEST
    ):
        raise NotDecided("with several parameters only integer orders up to 20 are proved")

    def oriented(number: Fraction) -> Quotient:
        top, bottom = parts(number, names)
        sign = 1 if value(bottom, sample) > 0 else -1
        return {e: sign * c for e, c in top.items()}, {e: sign * c for e, c in bottom.items()}

    level, numbers = oriented(claim.level.alpha), list(map(oriented, claim.mechanism.values))
    for both in numbers:
        yield from both
    yield level[1]
    yield add(level[0], level[1], -1)
    for i, j in claim.relation.pairs():
        counts = Counter(map(tuple, claim.mechanism.codes[:, [i, j]].tolist()))
        if all(p == q for p, q in counts):
            continue
        if order is None:
            yield from _range(counts, numbers, level)
        else:
            yield _divergence(counts, numbers, level, int(order))


def _range(counts: Counts, numbers: Sequence[Quotient], level: Quotient) -> Iterator[Polynomial]:
    for (p, q), (x, y) in permutations(counts, 2):
        one = [numbers[k] for k in (p, y)]  # P(o) Q(o')
        other = [numbers[k] for k in (q, x)]
        up = [level[0], *(top for top, _ in other), *(bottom for _, bottom in one)]
        down = [level[1], *(top for top, _ in one), *(bottom for _, bottom in other)]
        yield add(_times(up), _times(down), -1)


def _divergence(
    counts: Counts, numbers: Sequence[Quotient], level: Quotient, order: int
) -> Polynomial:
    sums = dict[frozenset[tuple[tuple[int, ...], int]], Quotient]()
    for (p, q), often in counts.items():
        (a, b), (c, e) = numbers[p], numbers[q]
        if a:
            bottom = _times([*[b] * order, *[c] * (order - 1)])
            top = {m: often * x for m, x in _times([*[a] * order, *[e] * (order - 1)]).items()}
            key = frozenset(bottom.items())
            sums[key] = add(sums[key][0], top) if key in sums else top, bottom
    bottoms = [bottom for _, bottom in sums.values()]
    total: Polynomial = {}
    for top, own in sums.values():
        total = add(total, _times([top, *(other for other in bottoms if other is not own)]))
    up, down = ([part] * (order - 1) for part in level)
    return add(_times([*up, *bottoms]), _times([*down, total]), -1)


def _times(factors: Sequence[Polynomial]) -> Polynomial:
    return product_of(factors, len(next(iter(next(iter(factors))))))
