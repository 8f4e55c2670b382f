"""Hidden records of chains and trees, also where floats tell too little."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from verifier.base.cell import Cell, Root
from verifier.base.rational_function import parameter
from verifier.kernels.hidden import Edges
from verifier.kernels.quilts import Asked, Blocks, blocks_of, least
from verifier.world.network import Network

HALF = (F(1, 2), F(1, 2))


def steady(stay: F) -> tuple[tuple[F, F], tuple[F, F]]:
    return ((stay, 1 - stay), (1 - stay, stay))


def test_exact_ratios_decide_between_blocks_that_floats_do_not_tell_apart() -> None:
    """Records almost independent: floats see 1 everywhere, but even splits are better."""
    blocks = Blocks(Network.chain(HALF, steady(F(1, 2) + F(1, 10**9)), 40))
    ratio, first = least([blocks], Asked(10, (0,), (1,)), 3, (1, 1))
    assert first == 9
    step = F(2, 10**9) ** 2  # (1 + l^2)/(1 - l^2) from either side
    assert F(*ratio) == ((1 + step) / (1 - step)) ** 2


def test_a_block_that_is_enough_ends_the_search() -> None:
    blocks = blocks_of(Network.chain(HALF, steady(F(3, 4)), 9))
    assert least([blocks], Asked(4, (0,), (1,)), 3, (9, 1)) == ((25, 9), 3)
    # at the end of the chain the block in the middle of which the record stands would leave it
    assert least([blocks], Asked(0, (0,), (1,)), 3, (1, 1)) == ((9, 7), 0)


def test_a_record_that_is_known_is_not_asked_about() -> None:
    blocks = Blocks(Network.chain((F(1), F(0)), steady(F(1)), 3))
    assert not blocks.allows(Asked(2, (0,), (1,)))


def test_the_least_way_in_a_tree_that_floats_do_not_find() -> None:
    """Two branches that differ by less than floats see: the better one is hidden."""
    tables = (steady(F(3, 4)), steady(F(3, 4) + F(1, 10**18)))
    tree = Network(HALF, (-1, 0, 0), tables, (-1, 0, 1))
    edges = Edges(tree)
    assert edges.least(0, 0, 2, exact=True) == (F(3), [0, 2])
    ratio, hidden = edges.best(Asked(0, (0,), (1,)), 2, (1, 1))
    assert (ratio, hidden) == ((3, 1), [0, 2])
    assert edges.best(Asked(0, (0,), (1,)), 2, (4, 1))[0] <= (4, 1)


def test_numbers_of_one_irrational_point_serve_no_other() -> None:
    """A bit that stays with probability p is what it was, three steps on, with (1 + (2p - 1)^3)/2:
    at 1/sqrt(2), and then at 1/sqrt(3), where powers of p are reduced by other polynomials."""
    p = parameter("p")
    chain = Network.chain((F(1), F(0)), steady(p), 4)
    for polynomial in (-1, 0, 2), (-1, 0, 3):
        x = (1 / polynomial[2]) ** 0.5
        point = Root(polynomial, F(1, 2), F(1))
        with Cell("p", point, point, point):
            same, other = map(float, blocks_of(chain).marginals[3])
        assert same / (same + other) == pytest.approx((1 + (2 * x - 1) ** 3) / 2)
