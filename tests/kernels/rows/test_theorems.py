"""Theorems 4.3 and 4.5 (Lin, Kifer), and closed forms for other responses, in exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction as F
from itertools import combinations, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.kernels.rows import cones
from verifier.kernels.rows import named, read_row, row_cone
from verifier.lp.exact.double_description import primitive
from verifier.world.worlds import database

TRUTHS = [F(3, 4), F(2, 3), F(99, 100), F(501, 1000), F(1), F(1, 2) + F(1, 10**40)]
Row = Sequence[F]


def integers(rows: Iterable[Row]) -> set[tuple[int, ...]]:
    """The rows as primitive integers."""
    found = set()
    for row in rows:
        scale = prod({value.denominator for value in row})
        found.add(primitive([int(value * scale) for value in row]))
    return found


def facets_of(rows: list[list[F]]) -> set[tuple[int, ...]]:
    found = row_cone([cones.mechanism(rows)])
    assert not found.equations
    assert len(set(found.facets)) == len(found.facets)
    return set(found.facets)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_theorem_4_3(bits: int, truth: F) -> None:
    """One facet for each string s: Σ_D p^ham(s, D) (p − 1)^(k − ham(s, D)) x_D ≥ 0."""
    strings = cones.strings(bits)
    expected = integers(
        [
            truth ** cones.hamming(s, w) * (truth - 1) ** (bits - cones.hamming(s, w))
            for w in strings
        ]
        for s in strings
    )
    assert len(expected) == 2**bits
    assert facets_of(cones.response(bits, truth)) == expected


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_every_facet_is_about_the_parity_of_all_bits(bits: int) -> None:
    """… against an attacker who takes the bits to be independent, each 1 with p or 1 − p."""
    truth, space = F(3, 4), database([f"b{at}" for at in range(bits)], [0, 1])
    parity = f"xor({', '.join(space.records)}) == "
    attackers = set()
    for facet in row_cone([cones.mechanism(cones.response(bits, truth))]).facets:
        found = read_row(facet)
        assert found is not None
        sides = {named(space, side) for side in (found.positive, found.negative)}
        assert sides == {f"{parity}0", f"{parity}1"}
        assert found.factor == (1 + (2 * truth - 1) ** bits) / (1 - (2 * truth - 1) ** bits)
        attackers.add(found.weights)
    assert attackers == {product_prior(q) for q in product((truth, 1 - truth), repeat=bits)}


def product_prior(chances: Sequence[F]) -> tuple[F, ...]:
    """Bit i is 1 with probability chances[i], independently."""
    return tuple(
        prod((q if bit else 1 - q for q, bit in zip(chances, w, strict=True)), start=F(1))
        for w in cones.strings(len(chances))
    )


def bias(prior: Row, row: Row, chosen: Sequence[int], bits: int) -> F:
    """P(parity of J = 0, o) − P(parity of J = 1, o)."""
    return sum(
        (
            (-1) ** sum(w[at] for at in chosen) * p * x
            for w, p, x in zip(cones.strings(bits), prior, row, strict=True)
        ),
        F(0),
    )


@examples(60)
@given(st.data(), st.integers(1, 3), st.sampled_from(TRUTHS[:4]))
def test_theorem_4_5(data: st.DataObject, bits: int, truth: F) -> None:
    """The likelier parity of J stays at least as likely after every output of a mechanism of the
    closure, for all attackers with every bit of J outside of (1 − p, p); for all others an output
    of randomized response makes the other parity strictly likelier, or decides between equals."""
    tiny = F(1, 10**30)
    edges = [truth, 1 - truth, truth + tiny, truth - tiny, 1 - truth - tiny, F(1, 2), F(0), F(1)]
    chances = [data.draw(st.sampled_from(edges)) for _ in range(bits)]
    rows = cones.response(bits, truth)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    mixed = [
        sum(w * x for w, x in zip(weights, column, strict=True))
        for column in zip(*rows, strict=True)
    ]
    prior, ones = product_prior(chances), [F(1)] * 2**bits
    for size in range(1, bits + 1):
        for chosen in combinations(range(bits), size):
            before = bias(prior, ones, chosen, bits)
            after = [bias(prior, row, chosen, bits) for row in [*rows, mixed]]
            kept = all(a * (1 if before > 0 else -1) >= 0 for a in after)
            if before == 0:
                kept = not any(after)
            certain = all(not 1 - truth < chances[at] < truth for at in chosen)
            assert kept == certain, (chances, chosen)


@examples(40)
@given(st.data(), st.integers(1, 3))
def test_theorem_4_5_only_the_closure(data: st.DataObject, bits: int) -> None:
    """A row beyond the cone breaks the guarantee for one of the attackers with p or 1 − p."""
    truth = F(2, 3)
    row = [F(data.draw(st.integers(0, 6))) for _ in range(2**bits)]
    inside = all(
        sum(a * x for a, x in zip(facet, row, strict=True)) >= 0
        for facet in facets_of(cones.response(bits, truth))
    )
    kept = True
    for chances in product((truth, 1 - truth), repeat=bits):
        prior, everything = product_prior(chances), range(bits)
        before = bias(prior, [F(1)] * 2**bits, everything, bits)
        kept = kept and bias(prior, row, everything, bits) * before >= 0
    assert kept == inside


@pytest.mark.parametrize("values", [2, 3, 4, 6])
@pytest.mark.parametrize("truth", [F(3, 5), F(9, 10), F(1)])
def test_k_ary_response(values: int, truth: F) -> None:
    """With b = P(o | w), o ≠ w: M = (p − b)·1 + b·J, so M⁻¹ ∝ 1 − b·J, as p + (k − 1)·b = 1: the
    facets are (1 − b) x_i ≥ b Σ_{j ≠ i} x_j."""
    other = (1 - truth) / (values - 1)
    expected = integers(
        [(1 - other) if j == i else -other for j in range(values)] for i in range(values)
    )
    assert facets_of(cones.kary(values, truth)) == expected


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_asymmetric_response(bits: int) -> None:
    """For one bit with P(0 | 0) = a and P(1 | 1) = b the rows are (a, 1 − b) and (1 − a, b), and
    b x_0 ≥ (1 − a) x_1, a x_1 ≥ (1 − b) x_0 the facets; those of several bits are products."""
    zero, one = F(9, 10), F(3, 5)
    signed = [[one, -(1 - zero)], [-(1 - one), zero]]
    expected = integers(
        [
            prod((signed[choice][bit] for choice, bit in zip(s, w, strict=True)), start=F(1))
            for w in cones.strings(bits)
        ]
        for s in cones.strings(bits)
    )
    assert facets_of(cones.asymmetric(bits, zero, one)) == expected


@pytest.mark.parametrize("ratio", [F(1, 2), F(9, 10), F(1, 10**20)])
@pytest.mark.parametrize("top", [1, 2, 5])
def test_truncated_geometric(top: int, ratio: F) -> None:
    """The inverse has three diagonals: x_0 ≥ r x_1, (1 + r²) x_i ≥ r (x_{i−1} + x_{i+1}), and
    x_n ≥ r x_{n−1}."""
    expected = []
    for at in range(top + 1):
        row = [F(0)] * (top + 1)
        row[at] = F(1) if at in (0, top) else 1 + ratio**2
        for beside in (at - 1, at + 1):
            if 0 <= beside <= top:
                row[beside] = -ratio
        expected.append(row)
    assert facets_of(cones.truncated_geometric(top, ratio)) == integers(expected)
