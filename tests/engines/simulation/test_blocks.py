"""Outputs that are added up: nothing changes for a simulator that sees nothing."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.engines.simulation import simulators
from verifier.engines.simulation.blocks import Block, at_level, by_support
from verifier.engines.simulation.simulators import Simulators, hopeless

EXAMPLES = examples(25)
LEVELS = st.sampled_from([Fraction(1), Fraction(5, 4), Fraction(2), Fraction(9)])
NUMBERS = st.lists(st.sampled_from([0, 0, 1, 2, 3, 12]), min_size=4, max_size=7)


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    """Two or three distributions, and one input."""
    first = draw(NUMBERS.filter(any))
    rows = [first]
    for _ in range(draw(st.integers(1, 2))):
        rows.append(draw(NUMBERS.map(lambda row: (row + [1] * 9)[: len(first)]).filter(any)))
    totals = tuple(map(sum, rows))
    return Block(tuple(map(tuple, rows)), tuple(((0, total),) for total in totals), totals)


def excess(block: Block, row: dict[int, Fraction], alpha: Fraction) -> Fraction:
    """The smallest delta of a simulator with one answer, from the definition."""
    worst = Fraction(0)
    for numbers, total in zip(block.outputs, block.totals, strict=True):
        pairs = [(Fraction(p, total), row.get(t, Fraction(0))) for t, p in enumerate(numbers)]
        worst = max(worst, sum((max(Fraction(0), p - alpha * q) for p, q in pairs), Fraction(0)))
        worst = max(worst, sum((max(Fraction(0), q - alpha * p) for p, q in pairs), Fraction(0)))
    return worst


@EXAMPLES
@given(blocks(), LEVELS)
def test_the_smallest_delta_is_that_of_all_outputs(block: Block, alpha: Fraction) -> None:
    found = simulators.smallest_delta(block, alpha)
    assert found.missed == Simulators(block, Fraction(0), scaled=alpha).best(alpha).missed
    assert sum(found.simulator[0].values()) == 1
    assert excess(block, found.simulator[0], alpha) == found.missed


@EXAMPLES
@given(blocks(), LEVELS, st.sampled_from([Fraction(0), Fraction(1, 7)]))
def test_the_demands_are_missed_as_with_all_outputs(
    block: Block, alpha: Fraction, delta: Fraction
) -> None:
    if not delta:
        assume(hopeless(block) is None)
        assert hopeless(by_support(block).block) is None
    found = simulators.solver(block, delta)(alpha)
    missed = Simulators(block, delta).best(alpha).missed
    assert (found.missed == 0) == (missed == 0)
    if not missed:
        assert excess(block, found.simulator[0], alpha) <= delta


def test_many_outputs_become_few() -> None:
    """Sums of 100 bits given the two values of one of them: six orders and two ends."""
    row = [comb(99, k) for k in range(100)]
    block = Block(((*row, 0), (0, *row)), (((0, 2**99),),) * 2, (2**99, 2**99))
    assert at_level(block, Fraction(2)).block.output_count <= 8
    assert by_support(block).block.output_count == 3
