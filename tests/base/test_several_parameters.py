"""Rational functions of several parameters."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy
from fractions import Fraction
from random import Random

import pytest

from verifier.base import exact
from verifier.base.cell import AtRoot, Place, Symbolic
from verifier.base.errors import InputError, LimitReached
from verifier.base.exponential import power
from verifier.base.rational_function import (
    RationalFunction,
    at_point,
    parameter,
    terms_in,
)

F = Fraction
NAMES = ("p", "q")
P, Q = (parameter(name, NAMES) for name in NAMES)


def drawn(random: Random, x: Fraction, y: Fraction) -> Fraction:
    """The same expression of two numbers, whatever they are."""
    value = F(random.randint(1, 5), 3)
    for _ in range(6):
        other = random.choice([x, y, x * y, F(random.randint(1, 9), 7)])
        kind = random.randrange(4)
        value = [value + other, value - other, value * other, value / (other + 2)][kind]
    return value**2


@pytest.mark.parametrize("seed", range(20))
def test_as_with_numbers(seed: int) -> None:
    x, y = F(3, 7), F(11, 13)
    found = drawn(Random(seed), P, Q)
    assert at_point(found, NAMES, (x, y)) == drawn(Random(seed), x, y)


def test_one_way_to_write_it() -> None:
    assert (P**2 - Q**2) / (P + Q) == P - Q and P - P == 0
    assert str((1 - P * Q) / (2 * Q)) == "(1 - p*q)/(2*q)"
    assert str(1 / P**-2 * Q) == "p^2*q" and str(-P / -Q) == "p/q" and str(1 / (P * Q)) == "1/(p*q)"
    assert hash(P * Q) == hash(Q * P) and P != Q and P != 1 and P != "p"
    assert exact.text(P + 1) == "1 + p" and exact.is_symbolic(P)
    for again in (pickle.loads(pickle.dumps(P / Q)), copy(P / Q), deepcopy(P / Q)):
        assert again == P / Q
    assert exact.total([P / Q, -P / Q, Q, F(1, 2)]) == Q + F(1, 2)


def test_parts() -> None:
    assert terms_in(P / 2, ("q", "r", "p")) == ({(0, 0, 1): 1}, {(0, 0, 0): 2})
    assert terms_in(parameter("q") + 1, NAMES) == ({(0, 0): 1, (0, 1): 1}, {(0, 0): 1})
    assert terms_in(F(0), NAMES) == ({}, {(0, 0): 1})


def test_a_place_records_what_decides() -> None:
    with Place.around(NAMES, (F(2, 3), F(1, 3))) as place:
        assert max(P, Q) == P and float(P - Q) == pytest.approx(1 / 3)
        assert abs(Q - P) == P - Q and place.strict
        place.strict.clear()
        assert P >= Q and not P < Q and not place.strict  # the same where they are equal
        assert P > Q and not P <= Q and place.strict
        assert P > 0 and F(1) > Q
        with pytest.raises(AtRoot):
            _ = P < 2 * Q
        with pytest.raises(TypeError):
            _ = P < "q"
        assert not P - P < 0


def test_limits() -> None:
    with pytest.raises(Symbolic):
        _ = P < 1
    with pytest.raises(Symbolic):
        _ = P**Q
    with pytest.raises(InputError):
        _ = P + power(1)
    with pytest.raises(LimitReached):
        _ = P**100 * P**101
    with pytest.raises(LimitReached):
        _ = P**201
    with pytest.raises(LimitReached):
        _ = P + parameter("r", ("p", "r"))
    with pytest.raises(ZeroDivisionError):
        _ = P / (Q - Q)
    assert isinstance(P, RationalFunction) and exact.text(P) == "p"


def test_a_function_compared_with_itself() -> None:
    p, q = (parameter(name, ("p", "q")) for name in "pq")
    with Place.around(("p", "q"), (Fraction(1, 3), Fraction(1, 2))) as place:
        same = 1 - (1 - p * q)
        assert p * q <= same and p * q >= same
        assert not p * q < same and not p * q > same
    assert not place.recorded
