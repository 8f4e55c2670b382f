"""Which priors make records independent: products, and hairs beside them."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.kernels.rows import cones
from verifier.kernels.rows import read_row, row_cone
from verifier.kernels.rows.independence import independent
from verifier.world.worlds import database, named

THREE = database(["a", "b"], ["x", "y", "z"])


@examples(40)
@given(
    st.lists(
        st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=2, max_size=2
    ),
    st.integers(0, 8),
    st.integers(0, 8),
)
def test_products_and_hairs(weights: list[list[int]], left: int, right: int) -> None:
    chances = [[F(w, sum(row)) for w in row] for row in weights]
    prior = [
        prod((m[v] for m, v in zip(chances, w, strict=True)), start=F(1))
        for w in product(range(3), repeat=2)
    ]
    found = independent(THREE, prior)
    assert found == {
        record: {value: p for value, p in zip("xyz", row, strict=True) if p}
        for record, row in zip("ab", chances, strict=True)
    }
    moved = list(prior)
    moved[left] += F(1, 10**30)
    moved[right] -= F(1, 10**30)
    same_row, same_column = left // 3 == right // 3, left % 3 == right % 3
    surely = [all(p in (0, 1) for p in row) for row in chances]
    if left != right and not (same_row and surely[0]) and not (same_column and surely[1]):
        assert independent(THREE, moved) is None


def test_attackers_of_randomized_response_take_the_bits_to_be_independent() -> None:
    """Theorem 4.5: each bit is 1 with probability p or 1 − p."""
    space = database(["a", "b", "c"], [0, 1])
    found = set()
    for facet in row_cone([cones.mechanism(cones.response(3, F(2, 3)))]).facets:
        reading = read_row(facet)
        marginals = reading and independent(space, reading.weights)
        assert marginals
        found.add(tuple(m["1"] for m in marginals.values()))
    assert found == set(product((F(2, 3), F(1, 3)), repeat=3))


def test_fewer_than_two_records() -> None:
    assert independent(database(["a"], [0, 1]), [F(1, 2)] * 2) is None
    assert independent(named(["w", "v"]), [F(1, 2)] * 2) is None
