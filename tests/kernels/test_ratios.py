"""Largest ratios over blocks, and powers with rational exponents."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.drawing import examples
from verifier.kernels import ratios
from verifier.kernels.ratios import exceeds, level_of, root
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks

EXAMPLES = examples(100)
F = Fraction


@EXAMPLES
@given(st.data())
def test_blocks_against_their_pairs(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 6))
    columns = data.draw(drawn.matrices(size))
    width, height = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    side = st.lists(st.integers(0, size - 1), unique=True)
    shapes = (
        st.tuples(
            *(
                side.filter(lambda s, n=n: len(s) >= n).map(lambda s, n=n: sorted(s[:n]))
                for n in (width, height)
            )
        )
        if max(width, height) <= size
        else st.just(([0], [1]))
    )
    rows = data.draw(st.lists(shapes, min_size=1, max_size=4))
    blocks = [Blocks(np.array([s for s, _ in rows]), np.array([t for _, t in rows]))]
    pairs = [pair for s, t in rows for pair in product(s, t)]
    table = ratios.Comparison(
        Mechanism.from_rows(
            [f"o{k}" for k in range(len(columns[0]))], list(zip(*columns, strict=True))
        )
    )
    found = table.largest(blocks)
    compared = [(p, q) for i, j in pairs for p, q in zip(columns[i], columns[j], strict=True) if p]
    assert found is not None
    infinite = any(q == 0 for _, q in compared)
    assert found.ratio == (None if infinite else max(p / q for p, q in compared))
    if found.ratio is None or found.ratio > 1:
        first = plain.first_witness(columns, pairs)
        witness = table.first(blocks, found)
        assert (witness.left, witness.right, witness.output) == first


def test_the_first_world_that_rules_another_out() -> None:
    """The largest probability need not be the first positive one."""
    rows = [[F(1, 4), F(1, 2), F(0)], [F(3, 4), F(1, 2), F(1)]]
    everything = np.arange(3)[None, :]
    table = ratios.Comparison(Mechanism.from_rows(["a", "b"], rows))
    blocks = [Blocks(everything, everything)]
    found = table.largest(blocks)
    assert found is not None and found.ratio is None
    assert table.first(blocks, found) == ratios.Witness(0, 2, 0)


def test_more_values_than_a_map_of_bits_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two comparisons: 1/2 against 1/3, and 1/3 against 1/4."""
    rows = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)]]
    mechanism = Mechanism.from_rows(["a", "b"], [*rows, [1 - p for p in rows[0]]])
    monkeypatch.setattr(ratios, "BITMAP", 0)
    pairs = Blocks(np.array([[0], [1]]), np.array([[1], [2]]))
    found = ratios.Comparison(mechanism).largest([pairs])
    assert found is not None and found.ratio == Fraction(3, 2)


def test_ratios_that_floats_cannot_tell_apart() -> None:
    """1 + 2e-40 against 1 + 1e-40, and denominators of 20,000 digits."""
    tiny, huge = F(1, 10**40), 10**20_000 + 1
    rows = [
        [F(1, 4), F(1, 4) * (1 + tiny), F(1, 4) * (1 + 2 * tiny), F(1, huge), F(3, huge)],
        [F(3, 4), F(3, 4) - tiny / 4, F(3, 4) - tiny / 2, 1 - F(1, huge), 1 - F(3, huge)],
    ]
    table = ratios.Comparison(Mechanism.from_rows(["a", "b"], rows))
    first = [Blocks(np.array([[0, 1, 2]]), np.array([[0, 1, 2]]))]
    found = table.largest(first)
    assert found is not None and found.ratio == 1 + 2 * tiny
    assert table.first(first, found) == ratios.Witness(2, 0, 0)
    last = table.largest([Blocks(np.array([[3, 4]]), np.array([[3, 4]]))])
    assert last is not None and last.ratio == 3


def test_pairs_that_are_too_many_to_be_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[F(1, 4), F(1, 2), F(1, 3)], [F(3, 4), F(1, 2), F(2, 3)]]
    table = ratios.Comparison(Mechanism.from_rows(["a", "b"], rows))
    blocks = [Blocks(np.array([[0], [1]]), np.array([[1], [2]]))]
    monkeypatch.setattr(ratios, "BITMAP", 0)
    found = table.largest(blocks)
    assert found is not None and found.ratio == F(3, 2)


RATIONALS = st.fractions(F(1, 9), 9, max_denominator=12)


@EXAMPLES
@given(RATIONALS, RATIONALS, RATIONALS, RATIONALS)
def test_comparing_roots(a: Fraction, d: Fraction, b: Fraction, e: Fraction) -> None:
    """a^(1/d) > b^(1/e) exactly where a^(n/d) > b^(n/e), for n a multiple of d and e."""
    n = lcm(d.numerator, e.numerator)
    assert exceeds(a, d, b, e) == (a ** int(n / d) > b ** int(n / e))
    assert not exceeds(a**e.numerator, F(e.numerator), a, F(1))


@EXAMPLES
@given(st.fractions(1, 10**6), st.fractions(F(1, 9), 9, max_denominator=12))
def test_levels_of_ratios(ratio: Fraction, distance: Fraction) -> None:
    """A level of exactly the ratio to the distance, or bounds that are tight and not attained."""
    found = level_of(ratio, distance)
    j, k = distance.as_integer_ratio()
    if isinstance(found, tuple):
        lower, upper = found
        assert lower**j < ratio**k < upper**j
        assert (upper - lower) * 10**9 <= lower
    else:
        assert found**j == ratio**k


@pytest.mark.parametrize(
    ("ratio", "distance", "level"),
    [
        (F(9, 4), F(2), F(3, 2)),
        (F(9, 4), F(2, 3), F(27, 8)),
        (F(8), F(3, 2), F(4)),
        (F(1), F(7, 5), F(1)),
        (F(10**120 + 1) ** 2, F(2), F(10**120 + 1)),
    ],
)
def test_rational_levels(ratio: Fraction, distance: Fraction, level: Fraction) -> None:
    assert level_of(ratio, distance) == level


def test_roots_of_high_degree() -> None:
    """Distances of 10,000 units, as between salaries."""
    found = level_of(F(3), F(10_000))
    assert isinstance(found, tuple)
    assert found[0] ** 10_000 < 3 < found[1] ** 10_000


@EXAMPLES
@given(st.integers(0, 10**60), st.integers(1, 9))
def test_integer_roots(value: int, degree: int) -> None:
    found = root(value, degree)
    assert found**degree <= value < (found + 1) ** degree
