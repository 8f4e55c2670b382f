"""Whether a polynomial is positive anywhere above 0, after Sturm, with numbers of any kind.

On a piece of the values of a parameter coefficients are functions, and a sign that is not the same
everywhere divides the piece (`fields`).
"""

from collections.abc import Sequence
from itertools import pairwise
from math import gcd
from typing import Any

from . import reading as read
from .document import afford, need

Form = list[Any]  # coefficients from degree 0 up, the last not 0
MOST_DEGREE = 200


def is_nowhere_positive(coefficients: Sequence[Any]) -> bool:
    """Whether the polynomial with these `coefficients`, from degree 0 up, is <= 0 above 0.

    With no sign change between 0 and infinity, it is where it is so near both; and it changes its
    sign at roots of odd multiplicity."""
    need(len(coefficients) <= MOST_DEGREE, "a polynomial of too high a degree")
    form = _trimmed(coefficients)
    while form and not form[0]:
        form.pop(0)
    if not form:
        return True
    if form[0] > 0 or form[-1] > 0:
        return False
    chain = _chain(form)
    if len(chain[-1]) > 1 and _count(chain):
        chain = _chain(_odd(form, chain[-1]))
    return not _count(chain)


def _trimmed(coefficients: Sequence[Any]) -> Form:
    """A positive multiple of the polynomial, with short coefficients that have no denominators."""
    found = read.whole(coefficients)[1]
    while found and not found[-1]:
        found.pop()
    for value in found:
        if read.is_other(value):
            shortened: Form = value.without_common(found)
            return shortened
    divisor = gcd(*found) or 1
    return [value // divisor for value in found]


def _chain(form: Form) -> list[Form]:
    """The polynomial, its derivative, and remainders with opposite signs while they are not 0."""
    return _remainders(form, [k * c for k, c in enumerate(form)][1:])


def _remainders(form: Form, other: Form) -> list[Form]:
    found = [form]
    while other := _trimmed(other):
        found.append(other)
        other = [-c for c in _divided(found[-2], other)[1]]
    return found


def _divided(form: Form, by: Form) -> tuple[Form, Form]:
    """Positive multiples of quotient and remainder, the same one."""
    rest, above = list(form), [0] * (len(form) - len(by) + 1)
    steps, positive = len(above), by[-1] > 0
    bits = max(read.size(read.ratio(c, 1)) for c in (*form, *by))
    afford(steps**2 * len(by) * (1 + bits // 100 + (bits // 1000) ** 2))
    unit = by[-1] if positive else -by[-1]
    for at in reversed(range(steps)):
        factor = rest.pop() if positive else -rest.pop()
        above = [unit * c for c in above]
        above[at] = factor
        rest = [unit * c for c in rest]
        for k, c in enumerate(by[:-1]):
            rest[at + k] -= factor * c
    return above, rest


def _count(chain: Sequence[Form]) -> int:
    """The number of different roots above 0, of which 0 is none."""

    def changes(at: int) -> int:
        signs = [form[at] > 0 for form in chain if form[at]]
        return sum(a != b for a, b in pairwise(signs))

    return changes(0) - changes(-1)


def _odd(form: Form, again: Form) -> Form:
    """The product of the factors of odd multiplicity, each once; `again` is what the polynomial has
    in common with its derivative."""
    distinct, found, odd = _divided(form, again)[0], [1], True
    while len(distinct) > 1:
        distinct = _trimmed(distinct)
        more = _remainders(again, distinct)[-1]
        if odd:
            found = _trimmed(multiplied(found, _divided(distinct, more)[0]))
        again, distinct, odd = _divided(again, more)[0], more, not odd
    return found


def multiplied(one: Sequence[Any], other: Sequence[Any]) -> Form:
    """The product of two polynomials."""
    afford(len(one) * len(other))
    found: Form = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            found[i + j] += a * b
    return found
