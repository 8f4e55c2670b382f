"""A level that is enough for all priors, where polynomials are too many to be multiplied out.

Polynomials say how likely secrets s and t are, alone and with an output o. With
A, B, C, D = P(s, o), P(s), P(t, o), P(t) the level has to be at least A·D/(C·B) everywhere.
None has a negative coefficient; so if no coefficient of A exceeds p times that of C, nor one of D
q times that of B, p·q is enough. Likewise with B and C exchanged. A monomial that divides all of
P(s) divides P(s, o) and is left out of both, as P(s) > 0.

A term of a Markov chain with intervals says how often each corner of each row of transitions is
chosen. So this lets every step choose its row, and the secrets choose apart.

Example. Of two independent bits with x and y for P(0) and P(1), each told with probability 3/4,
A = x·(3x/4 + y/4)·3/4 and C = y·(3x/4 + y/4)/4 for the output 00, B = x·(x + y), D = y·(x + y).
Without x and y before them, A is 3 times C, and D is B: 3 is enough.
"""

from __future__ import annotations

from fractions import Fraction

from verifier.base.polynomial import Polynomial
from verifier.kernels.suprema import plain_bound
from verifier.questions.claim import PolynomialsClaim

Joint = tuple[Polynomial, list[Polynomial]]  # P(s), and all P(s, o)


def enough(claim: PolynomialsClaim) -> Fraction | None:
    """A level that holds under all priors of a family; None where coefficients show none.

    claim  about polynomials, which compares something; what holds without delta holds with it
    """
    known = {s: _reduced(joint) for s, joint in claim.joint.items() if joint[0]}
    inside = {s: _within(joint) for s, joint in known.items()}
    least = Fraction(1)
    for listed in claim.pairs:
        for s, t in (listed, listed[::-1]):
            if s not in known or t not in known:
                continue
            (b, p), (d, q) = known[s], known[t]
            odds = plain_bound(d, b)
            for at, (above, below) in enumerate(zip(p, q, strict=True)):
                ways = [_times(plain_bound(above, below), odds)] if odds else []
                ways.append(_times(inside[s][at][0], inside[t][at][1]))
                found = [way for way in ways if way is not None]
                if above and not found:
                    return None
                least = max(least, min(found, default=least))
    return least


def _reduced(joint: Joint) -> Joint:
    """The polynomials of a secret without the largest monomial that divides P(s)."""
    mass, outputs = joint
    common = tuple(map(min, zip(*mass, strict=True)))

    def reduced(p: Polynomial) -> Polynomial:
        return {tuple([e - k for e, k in zip(m, common, strict=True)]): c for m, c in p.items()}

    return reduced(mass), list(map(reduced, outputs))


def _within(joint: Joint) -> list[tuple[Fraction | None, Fraction | None]]:
    """What bounds P(s, o) in terms of P(s), and P(s) in terms of P(s, o), for each output."""
    mass, outputs = joint
    return [(plain_bound(p, mass), plain_bound(mass, p)) for p in outputs]


def _times(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one * other
