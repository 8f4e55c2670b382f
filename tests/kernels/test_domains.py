"""Signs of polynomials on boxes with conditions, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verifier.base.rational_function import Terms
from verifier.kernels.domains import Box, homogeneous, is_positive, nearly, prove, unsettled

F = Fraction
UNIT = (F(0), F(1))
SQUARE = Box((UNIT, UNIT))
BELOW: tuple[Terms, bool] = ({(1, 0): 1, (0, 1): -1}, False)  # q <= p
TRIANGLE = Box((UNIT, UNIT), (({(0, 0): 1, (1, 0): -1, (0, 1): -1}, False),))  # p + q <= 1


def test_homogeneous() -> None:
    """(p − 1/2)² on [0, 2] with p = 2v/(u + v) is (3v − u)²/4."""
    terms = {(2,): 4, (1,): -4, (0,): 1}
    assert homogeneous(terms, Box(((F(0), F(2)),))) == {(2, 0): 1, (1, 1): -6, (0, 2): 9}


def test_a_parameter_at_an_end_is_put_in() -> None:
    box = Box(((F(1, 2), F(1, 2)), UNIT))
    assert homogeneous({(1, 1): 4, (0, 0): -1}, box) == {(1, 0): -1, (0, 1): 1}
    assert Box(((F(1, 2), F(1, 2)),)).groups == []


PROVED: list[tuple[Terms, Box]] = [
    ({(1, 0): 1, (0, 1): 1}, SQUARE),
    ({(2, 0): 1, (1, 1): -2, (0, 2): 1}, SQUARE),  # a square that changes sign inside
    ({(0, 0): 17, (1, 0): -32, (2, 0): 16}, SQUARE),  # 16(p − 1)² + 1, after cuts
    ({(2, 0): 1, (0, 2): -1}, Box((UNIT, UNIT), (BELOW,))),  # (p − q)(p + q)
    ({(3, 0): 1, (2, 1): -1, (1, 2): -1, (0, 3): 1}, Box((UNIT, UNIT), (BELOW,))),  # (p−q)²(p+q)
    ({(0, 0): 10, (1, 0): -9, (0, 1): -10}, TRIANGLE),  # 10(1 − p − q) + p
    ({(0, 0): 3, (1, 0): -2, (0, 1): -2, (1, 1): -1}, TRIANGLE),
    ({(0, 0): -1}, Box((UNIT, UNIT), (({(1, 1): -1}, True),))),  # nothing is left
    ({(0, 0): -1}, Box(((F(0), F(0)), UNIT), (BELOW,))),
    ({(0,): -1}, Box(((F(0), F(0)),), (({(1,): 1, (0,): -1}, False),))),
]


@pytest.mark.parametrize(("terms", "box"), PROVED)
def test_proofs(terms: Terms, box: Box) -> None:
    found = prove(terms, box)
    assert found is not None and not isinstance(found, tuple)


REFUTED: list[tuple[Terms, Box]] = [
    ({(1, 1): 4, (0, 0): -1}, SQUARE),
    ({(1, 0): 1, (0, 1): -1}, SQUARE),
    ({(3, 0): 1, (0, 1): -1}, Box((UNIT, UNIT), (BELOW,))),  # p³ < q <= p
    ({(0, 0): 99, (1, 0): -100, (0, 1): 100}, Box((UNIT, UNIT), (BELOW,))),  # only near (1, 0)
    ({(0, 0): -1}, Box(((F(0), F(0)), (F(1), F(1))))),
]


@pytest.mark.parametrize(("terms", "box"), REFUTED)
def test_points(terms: Terms, box: Box) -> None:
    point = prove(terms, box)
    assert isinstance(point, tuple) and box.has(point)
    assert sum(c * point[0] ** e[0] * point[1] ** e[1] for e, c in terms.items()) < 0
    sides = zip(point, box.sides, strict=True)
    assert all(low < x < high or low == x == high for x, (low, high) in sides)


def test_what_is_not_settled() -> None:
    corner = {(2, 0): 1, (1, 1): -1, (0, 2): 1}  # 0 at (0, 0), where no box is small enough
    assert prove(corner, SQUARE) is None and is_positive(corner, SQUARE) is None
    boxes = unsettled(corner, SQUARE)
    assert boxes and all(high < F(1, 1000) for box in boxes for _, high in box.sides)
    assert unsettled({(1, 0): 1}, SQUARE) == []
    line = {(2, 0): 1, (1, 1): -2, (0, 2): 1}
    assert len(unsettled(line, SQUARE)) > 8  # the whole diagonal


def test_strictly_positive() -> None:
    assert is_positive({(1, 1): 1}, SQUARE) is True  # 0 at ends only
    assert is_positive({(0, 0): 17, (1, 0): -32, (2, 0): 16}, SQUARE) is True
    assert is_positive({(2, 0): 1, (1, 1): -2, (0, 2): 1}, SQUARE) is None  # 0 inside
    assert isinstance(is_positive({(1, 0): 1, (0, 1): -1}, SQUARE), tuple)
    terms, _ = BELOW
    assert is_positive(terms, Box((UNIT, UNIT), ((terms, True),))) is True
    assert is_positive(terms, Box((UNIT, UNIT), (BELOW,))) is None


def test_simple_points_and_floats() -> None:
    points = list(Box((UNIT, UNIT), (BELOW,)).simple_points())
    assert points[0] == (F(1, 2), F(1, 2)) and all(q <= p for p, q in points)
    found = nearly([{(1, 0): 2, (0, 1): -2}, {(0, 0): 3}], [(F(1, 2), F(1, 4))])
    assert found.tolist() == [[0.25], [1.0]]
    fixed = Box(((F(1), F(1)), (F(2), F(2))))
    assert list(fixed.simple_points()) == [(F(1), F(2))]
