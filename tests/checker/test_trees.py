"""Rules of trees that use conditions, by hand: u and v are >= 0, and so is g = u - v."""

from fractions import Fraction
from typing import Any

import pytest

from verifier.checker.cuts import Region, fails_on, read_terms
from verifier.checker.document import Refused
from verifier.checker.numbers import Divided, Poly, packed
from verifier.checker.signs import Cell, Spot
from verifier.checker.sturm import Real

HALF = Fraction(1, 2)
G = {(1, 0): 1, (0, 1): -1}
MINUS_G = {(1, 0): -1, (0, 1): 1}
MINUS_U = {(1, 0): -1}
U_AND_W = [["1", "0", "0"], ["0", "1", "0"]]  # u = 1 and w = t; x is eliminated
MINUS_SQUARES = {(2, 0): -1, (0, 2): 1}  # -(u + v) g


def proves(
    p: dict[tuple[int, ...], int],
    tree: Any,
    condition: dict[tuple[int, ...], int] = G,
    *,
    strict: bool = False,
    is_open: bool = True,
    below: bool = False,
) -> bool:
    return Region([2], [condition], [strict], is_open).proved(p, tree, below)


def test_a_condition_times_the_rest() -> None:
    tree = {"factor": 0, "rest": [[-1, 1, 0], [-1, 0, 1]], "tree": 0}
    positive = {**tree, "rest": [[1, 1, 0], [1, 0, 1]]}
    assert proves(MINUS_SQUARES, tree)
    assert not proves({m: -x for m, x in MINUS_SQUARES.items()}, positive)  # the rest is positive
    assert not proves({m: -x for m, x in MINUS_SQUARES.items()}, tree)  # another sign
    assert not proves({**MINUS_SQUARES, (1, 1): 1}, tree) and not proves({}, tree)
    assert proves({**MINUS_SQUARES, (1, 1): 0}, tree)
    # what is 0 is no multiple of anything else, and not below 0 itself
    assert not proves(G, tree, {}) and not proves({}, tree, {}, strict=True, below=True)
    for strict in (False, True):
        assert proves(MINUS_SQUARES, tree, strict=strict, below=True) == strict
        mixed = {**tree, "rest": [[-1, 1, 0], [1, 0, 1]]}  # -g g, whose rest needs a condition
        square = {(2, 0): -1, (1, 1): 2, (0, 2): -1}
        assert not proves(square, mixed, strict=strict, below=True)
        own = {**mixed, "tree": {"plus": [0, "1"]}}
        assert proves(square, own, strict=strict, below=True) == strict
    with pytest.raises(Refused):
        proves(MINUS_SQUARES, {**tree, "factor": 1})


def test_a_multiple_of_a_condition_is_added() -> None:
    assert proves(MINUS_G, {"plus": [0, "1"]})
    assert not proves(MINUS_G, {"plus": [0, "1/2"]}) and not proves(MINUS_G, {"plus": [0, "2"]})
    less = {(1, 0): -2, (0, 1): 1}
    for strict in (False, True):
        assert proves(MINUS_G, {"plus": [0, "1"]}, strict=strict, below=True) == strict
        assert proves(less, {"plus": [0, "1"]}, strict=strict, below=True)
        assert not proves({}, {"plus": [0, "0"]}, strict=strict, below=True)
    for wrong in ([0, "-1"], [1, "1"], [0, 1], ["0", "1"]):
        with pytest.raises(Refused):
            proves(MINUS_G, {"plus": wrong})


def test_a_condition_that_fails() -> None:
    """-u >= 0 fails inside only, -u > 0 everywhere; and 0 >= 0 holds."""
    for is_open in (False, True):
        for strict in (False, True):
            found = proves(G, {"none": 0}, MINUS_U, strict=strict, is_open=is_open)
            assert found == (strict or is_open)
            assert proves(G, {"none": 0}, {}, strict=strict, is_open=is_open) == strict
            assert not proves(G, {"none": 0}, G, strict=strict, is_open=is_open)
    sides = [0, 1, 1, 1, {"none": 0}, {"none": 0}]  # after a cut nothing is inside
    assert not proves(G, sides, MINUS_U) and proves(G, sides, MINUS_U, strict=True)


def test_what_proves_nothing_below_0() -> None:
    """Where all variables are > 0 a coefficient has to be; a square, ratio or cut is no proof."""
    assert proves(MINUS_U, 0, below=True) and proves({}, 0)
    assert not proves({}, 0, below=True) and not proves({(1, 0): 0}, 0, below=True)
    square = {(2, 0): -1, (1, 1): 2, (0, 2): -1}
    whole = {"square": [[1, 1, 0], [-1, 0, 1]], "rest": [[-1, 0, 0]], "tree": 0}
    discriminant = {"quadratic": 0, "trees": [0, 0, 0]}
    for tree in (whole, {"sturm": [0, 1]}, discriminant, [0, 1, 1, 1, 0, 0]):
        assert proves(square, tree) and not proves(square, tree, below=True)
    assert proves({(0, 3): 0, **square}, whole)
    for wrong in ({}, {"other": 0}, "0", None, {"merge": [0, 1], "tree": {"none": 0}}):
        with pytest.raises(Refused):
            proves({}, wrong)


def test_terms() -> None:
    assert read_terms([[2, 1, 0], [-3, 0, 1]], 2) == {(1, 0): 2, (0, 1): -3}
    for wrong in ([], [[0, 1, 0], [1, 0, 1]], [[1, 0, 1], [0, 1, 0]], [[1, 1, 0], [2, 1, 0]]):
        with pytest.raises(Refused):
            read_terms(wrong, 2)
    for wrong in ([[True, 1, 0]], [["1", 1, 0]], [[1, 1]], [[1, -1, 0]], [[10**100_000, 1, 0]]):
        with pytest.raises(Refused):
            read_terms(wrong, 2)


def test_a_line_has_two_points_without_negative_numbers() -> None:
    wrong = [["0", "1"]], [["0", "1"]] * 3, [["0"], ["1"]], [["0", "1"], ["0", "-1"]]
    for points in (*wrong, [["0", "1"], ["0"]]):
        with pytest.raises(Refused):
            fails_on(G, points, None, 2)


def test_a_variable_beside_a_line() -> None:
    """-x^2 + B x + C: some x > 0 is found by the discriminant where B has no negative
    coefficient along the line, and not where it has one."""
    assert fails_on({(0, 0, 2): -1, (0, 1, 1): 1, (2, 0, 0): -1}, U_AND_W, 2, 3)  # B = t, C = -1
    assert fails_on({(0, 0, 2): -1, (0, 3, 0): 1}, [["0"] * 3, ["0", "1/2", "0"]], 2, 3)
    assert not fails_on({(0, 0, 2): -1, (2, 0, 0): -1, (0, 2, 0): -1}, U_AND_W, 2, 3)
    with pytest.raises(Refused):  # B = -1 and C = 0, nowhere positive
        fails_on({(0, 2): -1, (1, 1): -1}, [["1", "0"], ["0", "0"]], 1, 2)
    with pytest.raises(Refused):  # B = t - 3
        fails_on({(0, 0, 2): -1, (0, 1, 1): 1, (1, 0, 1): -3, (2, 0, 0): -1}, U_AND_W, 2, 3)


def test_ratios_of_each_monomial_of_the_others() -> None:
    """-(u^2 + v^2) w + u v z is positive where z is large, and -(u^2 - u v + v^2) w is not."""
    tree, squares = {"sturm": [0, 1]}, {(2, 0, 1, 0): -1, (0, 2, 1, 0): -1}
    assert not Region([2, 2]).proved({**squares, (1, 1, 0, 1): 1}, tree)
    assert Region([2, 2]).proved({**squares, (1, 1, 1, 0): 1}, tree)


def test_points_of_a_cell() -> None:
    """2 p - 1 is 0 at 1/2: there it is >= 0, not > 0. A parameter with one value has no u, v."""
    condition = Poly({packed([1]): 2, 0: -1})
    for strict in (False, True):
        cell = Cell(("p",), ((Fraction(0), Fraction(1)),), [(condition, strict)])
        assert cell.has([HALF]) != strict
        assert cell.has([Fraction(3, 4)]) and not cell.has([Fraction(1, 4)])
        assert not cell.has([Fraction(0)]) and not cell.has([Fraction(1)])
    q = Poly({packed([0, 1]): 1})
    sides = ((HALF, HALF), (Fraction(0), Fraction(1)))
    assert Cell(("p", "q"), sides, []).nonnegative(q)
    assert not Cell(("p", "q"), sides, []).positive(Poly())
    assert Cell(("p", "q"), sides, [], {q: [0, 1, 1, 1, 0, 0]}).nonnegative(q)
    with pytest.raises(Refused):
        Cell(("p", "q"), sides, [], {q: [2, 3, 1, 1, 0, 0]}).nonnegative(q)


def test_zero_at_some_points_divides() -> None:
    piece = Spot("p", Real(Fraction(0), Fraction(0)), Real(Fraction(1), Fraction(1)), False)
    with pytest.raises(Divided):
        piece.vanishes(Poly({1: 2, 0: -1}))
    assert not piece.vanishes(Poly({1: 1, 0: 1}))


def test_a_condition_of_a_lower_degree() -> None:
    """1 - p + p^3 exceeds 1 - p >= 0, and 1 - p - p^3 does not; nor does p^300 - 2."""
    condition = Poly({0: 1, 1: -1})
    for polynomial, proved in (
        (Poly({0: 1, 1: -1, 3: 1}), True),
        (Poly({0: 1, 1: -1, 3: -1}), False),
        (Poly({0: -2, 300: 1}), False),
    ):
        trees = {polynomial: {"plus": [0, "1"]}}
        cell = Cell(("p",), ((Fraction(0), Fraction(2)),), [(condition, False)], trees)
        assert cell.proves(polynomial) == proved
