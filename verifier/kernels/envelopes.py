"""The largest of many ratios of polynomials as a function, piece by piece.

On an open interval without zeros, a leading ratio is found at one rational sample, and it leads as
far as polynomials keep their signs. Descartes' rule proves most of them at once; only those that it
leaves open have their roots isolated.

By hand: of p/(1 − p) and (1 − p)/p on (0, 1) the second leads up to 1/2, the first from there on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any, Protocol

from verifier.base.cell import Root
from verifier.base.errors import LimitReached
from verifier.base.nouns import Later, dataclass
from verifier.kernels.regions import distinct
from verifier.kernels.roots import End, between, compare, may_vanish, real_roots, sign_at

MAX_PIECES = 10_000
Poly = Any  # fmpz_poly
Quotient = tuple[Poly, Poly]  # numerator and denominator
Place = tuple[Any, ...]  # where a comparison stands, in the terms of its search


@dataclass(frozen=True, eq=False)
class Lead(Later):
    """The `root`-th root of top/bottom; infinite where the bottom is 0.

    place  the comparison that it is the ratio of; None for 1, which no comparison needs
    """

    top: Poly
    bottom: Poly
    root: int = 1
    place: Place | None = None

    @property
    def is_infinite(self) -> bool:
        """Whether no level serves."""
        return not self.bottom


@dataclass(frozen=True, eq=False)
class Piece(Later):
    """What leads on an open interval, or at one point."""

    low: End
    high: End
    lead: Lead

    @property
    def is_point(self) -> bool:
        """Whether it is one point."""
        return compare(self.low, self.high) == 0


class Search(Protocol):
    """What is compared with what, as functions of the parameter."""

    def zeros(self) -> Iterable[Poly]:
        """The polynomials at whose roots something becomes possible or impossible."""
        ...

    def lead(self, x: End) -> Lead:
        """What leads at a number."""
        ...

    def conditions(self, lead: Lead, x: Fraction) -> Iterator[Poly]:
        """Polynomials that are at least 0 at a sample; where all are, the lead is the same.

        They come in an order in which those that soon change their signs are early.
        """
        ...


def pieces(search: Search, low: End, high: End) -> list[Piece]:
    """What leads on an open interval, in alternating open pieces and points, ascending.

    search     what is compared
    low, high  the ends of the interval; they are no pieces of their own
    """
    found: list[Piece] = []
    cuts = [
        root
        for polynomial in search.zeros()
        if may_vanish(coefficients(polynomial), low, high)
        for root in real_roots(coefficients(polynomial), low, high)
    ]
    for a, b in pairwise([low, *distinct(cuts), high]):
        if found:
            found.append(Piece(a, a, search.lead(a)))
        found += _without_zeros(search, a, b)
    return found


def crossed(piece: Piece, polynomial: Poly) -> list[Piece]:
    """A piece, divided at the roots of a polynomial.

    piece       an open interval
    polynomial  other than 0
    """
    ends = [piece.low, *real_roots(coefficients(polynomial), piece.low, piece.high), piece.high]
    found: list[Piece] = []
    for a, b in pairwise(ends):
        if found:
            found.append(Piece(a, a, piece.lead))
        found.append(Piece(a, b, piece.lead))
    return found


def _without_zeros(search: Search, low: End, high: End) -> list[Piece]:
    """The same where nothing that is asked for vanishes inside: what leads is continuous there, so
    that at an end between two pieces it is what leads on either."""
    waiting, found = [(low, high)], list[Piece]()
    while waiting:
        low, high = waiting.pop()
        piece = _around(search, low, high)
        if compare(low, piece.low):
            waiting.append((low, piece.low))
        if compare(piece.high, high):
            waiting.append((piece.high, high))
        found.append(piece)
        if len(found) > MAX_PIECES:
            raise LimitReached(f"the leakage has over {MAX_PIECES} pieces")
    ordered: list[Piece] = []
    for piece in sorted(found, key=lambda one: cmp_to_key(compare)(one.low)):
        if ordered:
            ordered.append(Piece(piece.low, piece.low, piece.lead))
        ordered.append(piece)
    return ordered


def _around(search: Search, low: End, high: End) -> Piece:
    """The piece around a sample."""
    sample = between(low, high)
    while True:
        lead = search.lead(sample)
        for condition in search.conditions(lead, sample):
            near = condition if condition.degree() > 0 else None
            if near is None or not may_vanish(coefficients(near), low, high):
                continue
            if not sign_at(coefficients(near), sample):
                break  # a tie at the sample itself: another one
            low, high = _narrowed(coefficients(near), low, high, sample)
        else:
            return Piece(low, high, lead)
        sample = between(low, sample)


def _narrowed(polynomial: Sequence[int], low: End, high: End, sample: Fraction) -> tuple[End, End]:
    """The largest part of an interval around a sample where a polynomial is at least 0, as it is
    at the sample."""
    ends = [low, *real_roots(polynomial, low, high), high]
    for a, b in pairwise(ends):
        if sign_at(polynomial, between(a, b)) >= 0:
            continue
        if compare(b, sample) <= 0:
            low = b
        else:
            high = a
            break
    return low, high


def coefficients(polynomial: Poly) -> tuple[int, ...]:
    """The coefficients of a polynomial, from the constant term up."""
    return tuple(map(int, polynomial.coeffs()))


def near(x: End) -> Fraction:
    """The number itself, or a rational very near it, where floats guide."""
    return x.enclosed(Fraction(1, 2**80))[0] if isinstance(x, Root) else x


def value_at(polynomial: Poly, x: Fraction) -> Fraction:
    """A polynomial at a rational."""
    from flint import fmpq

    found = polynomial(fmpq(x.numerator, x.denominator))
    return Fraction(int(found.p), int(found.q))
