"""Whether a polynomial of one variable is positive anywhere, over any field with signs.

Coefficients may be functions of a parameter: then every sign that decides is recorded in the active
cell, and the answer is the same as far as they are.

Example. −1 + p·t − t² has a positive value at some t >= 0 exactly where p > 2: its Sturm chain ends
in (p² − 4)/4.

After J. C. F. Sturm 1829; square-free factors by D. Y. Y. Yun 1976.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verifier.base import exact

Form = list[Any]  # numbers of any kind, from the constant term up


def is_nowhere_positive(coefficients: Sequence[Fraction]) -> bool:
    """Whether a polynomial is positive at no number above 0.

    coefficients  from the constant term up

    >>> is_nowhere_positive([-1, 2, -1]), is_nowhere_positive([-1, 3, -1])
    (True, False)
    """
    form = trimmed(coefficients)
    while form and not form[0]:
        del form[0]
    if not form:
        return True
    if form[0] > 0 or form[-1] > 0:
        return False
    chain = _chain(form, _derivative(form))
    if not _roots(chain):
        return True
    if len(chain[-1]) == 1:
        return False
    odd = _odd_part(form, chain[-1])
    return not _roots(_chain(odd, _derivative(odd)))


def trimmed(coefficients: Sequence[Any]) -> Form:
    """The `coefficients` up to the last one that is not 0."""
    found = list(coefficients)
    while found and not found[-1]:
        found.pop()
    return found


def times(one: Sequence[Any], other: Sequence[Any]) -> Form:
    """The product of `one` and `other`."""
    found: Form = [0] * max(0, len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] += a * b
    return found


def _derivative(form: Form) -> Form:
    return [k * c for k, c in enumerate(form)][1:]


def _divided(form: Form, by: Form) -> tuple[Form, Form]:
    """Quotient and remainder, both times one positive number."""
    rest, quotient = list(form), [0] * max(0, len(form) - len(by) + 1)
    sign = 1 if by[-1] > 0 else -1
    size = sign * by[-1]
    while len(rest) >= len(by):
        top, at = sign * rest[-1], len(rest) - len(by)
        rest, quotient = [size * c for c in rest], [size * c for c in quotient]
        quotient[at] = top
        for k, c in enumerate(by):
            rest[at + k] -= top * c
        rest = trimmed(rest[:-1])
    return quotient, rest


def _chain(form: Form, other: Form) -> list[Form]:
    """Both, and each time the remainder with the other sign; the last is their common divisor."""
    found = [exact.coprime(form)]
    while other:
        found.append(exact.coprime(other))
        other = [-c for c in _divided(*found[-2:])[1]]
    return found


def _roots(chain: Sequence[Form]) -> int:
    """How many different roots above 0 the first of a Sturm chain has; 0 is none of them."""
    ends = [[bool(form[at] > 0) for form in chain if form[at]] for at in (0, -1)]
    below, above = (sum(a != b for a, b in pairwise(signs)) for signs in ends)
    return below - above


def _odd_part(form: Form, again: Form) -> Form:
    """The product of the factors of odd multiplicity, each once, of a `form` that has the divisor
    `again` in common with its derivative."""
    distinct, found, odd = _divided(form, again)[0], [1], True
    while len(distinct) > 1:
        more = _chain(again, distinct)[-1]
        once = _divided(distinct, more)[0]
        found = exact.coprime(times(found, once)) if odd else found
        again, distinct, odd = _divided(again, more)[0], more, not odd
    return found
