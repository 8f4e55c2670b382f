"""Mixtures of post-processings of several channels; the facet that a point violates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.lp.model.test_integers import sparse
from tests.lp.test_channels import after, channel, stochastic
from verifier.lp.channels import Channel, side_by_side
from verifier.lp.cones import Inside, membership, violated_facet
from verifier.lp.mixtures import Mixture, NoMixture, mixture

Rows = list[list[int]]


def rows_of(part: Channel) -> list[list[Fraction]]:
    """P(output | world), by worlds."""
    rows = [[Fraction(0)] * part.entries.shape[1] for _ in range(part.entries.shape[0])]
    places = zip(part.entries.row_numbers, part.entries.indices, part.entries.values, strict=True)
    for w, o, value in places:
        rows[w][o] = Fraction(int(value), part.scale)
    return rows


def decided(parts: list[Channel], wanted: Channel) -> bool:
    """The answer of `mixture`, once its proof holds in Fractions."""
    answer, target = mixture(parts, wanted), rows_of(wanted)
    outer = wanted.entries.shape[1]
    if isinstance(answer, Mixture):
        found = [[Fraction(0)] * outer for _ in target]
        weights = []
        for part, vector in zip(parts, answer.parts, strict=True):
            y = vector.dense(part.entries.shape[1] * outer)
            assert min(y) >= 0
            table = [y[k : k + outer] for k in range(0, len(y), outer)]
            (weight,) = {sum(line) for line in table}
            weights.append(weight)
            for made, row in zip(found, rows_of(part), strict=True):
                for p, line in zip(row, table, strict=True):
                    for j, q in enumerate(line):
                        made[j] += p * q
        assert found == target and sum(weights) == 1
        return True
    assert isinstance(answer, NoMixture)
    pays = answer.payoff.dense(len(target) * outer)
    payoff = [pays[k : k + outer] for k in range(0, len(pays), outer)]
    earned = sum(
        u * p for us, ps in zip(payoff, target, strict=True) for u, p in zip(us, ps, strict=True)
    )
    for part in parts:
        columns = zip(*rows_of(part), strict=True)
        best = sum(
            max(sum(payoff[w][j] * p for w, p in enumerate(column)) for j in range(outer))
            for column in columns
        )
        assert best < earned
    return False


LEFT, RIGHT = [[1, 0], [1, 0], [0, 1], [0, 1]], [[1, 0], [0, 1], [1, 0], [0, 1]]
EITHER = [[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]]


def test_by_hand() -> None:
    """A coin decides which half of the world is told."""
    left, right, either = channel(LEFT), channel(RIGHT), channel(EITHER)
    assert decided([left, right], either)
    assert not decided([left], either) and not decided([right], either)
    assert decided([either], left) is False  # it may hear of the other half
    assert decided([left, right, either], left)
    hair = [[10**30 + 1 if p else 10**30 - 1 for p in line] for line in LEFT]
    assert decided([left], channel(hair))


def test_side_by_side() -> None:
    both = rows_of(side_by_side([channel([[3, 1], [1, 3]]), channel([[1], [1]])]))
    half = Fraction(1, 2)
    assert both == [[3 * half / 4, half / 4, half], [half / 4, 3 * half / 4, half]]
    with pytest.raises(ValueError, match="same worlds"):
        side_by_side([channel([[1]]), channel([[1], [1]])])
    with pytest.raises(ValueError, match="at least one"):
        side_by_side([])


@examples(40)
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(2, 4), st.booleans())
def test_mixtures_are_found(seed: int, count: int, worlds: int, nudged: bool) -> None:
    numbers = np.random.default_rng(seed)
    given = [stochastic(numbers, worlds, int(numbers.integers(1, 5))) for _ in range(count)]
    parts = [after(rows, stochastic(numbers, len(rows[0]), 3)) for rows in given]
    made = [
        [sum(cells) for cells in zip(*lines, strict=True)] for lines in zip(*parts, strict=True)
    ]
    wanted = [[10**30 * p for p in line] for line in made]
    if nudged and wanted[0][0]:
        wanted[0] = [wanted[0][0] - 1, wanted[0][1] + 1, wanted[0][2]]
        decided([channel(rows) for rows in given], channel(wanted))
    else:
        assert decided([channel(rows) for rows in given], channel(wanted))


@examples(40)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 6))
@example(47760, 3, 3)  # several separate it best
def test_a_violated_facet(seed: int, size: int, count: int) -> None:
    """It separates, and touches as many independent generators as a facet does, unless the cone is
    flat and the point outside its span."""
    numbers = np.random.default_rng(seed)
    rows: Rows = numbers.integers(0, 4, (count, size)).tolist()
    point = numbers.integers(0, 4, size).tolist()
    generators = sparse(rows, size)
    if isinstance(membership(generators, point), Inside):
        if any(map(any, rows)):
            with pytest.raises(ValueError, match="in the cone"):
                violated_facet(generators, point)
        return
    found = violated_facet(generators, point)
    products = [sum(s * g for s, g in zip(found, row, strict=True)) for row in rows]
    assert max(products) <= 0 < sum(s * x for s, x in zip(found, point, strict=True))
    touched = [row for row, value in zip(rows, products, strict=True) if not value]
    rank = np.linalg.matrix_rank(np.array(rows))
    if rank == size:
        assert np.linalg.matrix_rank(np.array(touched)) == size - 1
