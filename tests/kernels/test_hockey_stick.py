"""delta as a function of alpha, against all events."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.drawing import examples
from verifier.definitions import differential_privacy
from verifier.kernels import hockey_stick
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Relation, listed

EXAMPLES = examples(100)
F = Fraction


def mechanism(columns: list[list[Fraction]]) -> Mechanism:
    rows = list(zip(*columns, strict=True))
    return Mechanism.from_rows([f"o{k}" for k in range(len(rows))], rows)


def delta_at(columns: list[list[Fraction]], alpha: Fraction) -> Fraction:
    pairs = permutations(range(len(columns)), 2)
    return max((plain.excess(columns[i], columns[j], alpha) for i, j in pairs), default=F(0))


def test_a_curve_by_hand() -> None:
    """(1/2, 1/2, 0) against (1/4, 1/2, 1/4). From w: max(0, 1/2 - alpha/4) until 2, plus
    max(0, 1/2 - alpha/2). From v: 1/4 for the third output alone. At 1 both are 1/4."""
    made = mechanism([[F(1, 2), F(1, 2), F(0)], [F(1, 4), F(1, 2), F(1, 4)]])
    one_way, other = Relation(tuple(listed([(0, 1)])), {}), Relation(tuple(listed([(1, 0)])), {})
    assert differential_privacy.curve(made, one_way) == ((1, F(1, 4)), (2, 0))
    assert differential_privacy.curve(made, other) == ((1, F(1, 4)),)
    assert hockey_stick.curve(made, [(0, 1), (1, 0)]) == ((1, F(1, 4)),)


@EXAMPLES
@given(st.integers(1, 4).flatmap(drawn.matrices), st.fractions(1, 50, max_denominator=9))
def test_the_curve_is_exact(columns: list[list[Fraction]], alpha: Fraction) -> None:
    """At its corners, between them, after the last, and at any alpha."""
    pairs = list(permutations(range(len(columns)), 2))
    corners = hockey_stick.curve(mechanism(columns), pairs)
    alphas, deltas = zip(*corners, strict=True)
    assert alphas[0] == 1 and list(alphas) == sorted(set(alphas))
    assert list(deltas) == sorted(set(deltas), reverse=True)
    for (a, d), (b, e) in pairwise(corners):
        assert delta_at(columns, a) == d and delta_at(columns, b) == e
        assert delta_at(columns, (2 * a + b) / 3) == (2 * d + e) / 3
    assert delta_at(columns, alphas[-1] * 10**9) == delta_at(columns, alphas[-1]) == deltas[-1]
    assert delta_at(columns, alpha) == interpolated(corners, alpha)
    slopes = [(e - d) / (b - a) for (a, d), (b, e) in pairwise(corners)]
    assert slopes == sorted(set(slopes)), "a corner that is none"


def interpolated(corners: tuple[tuple[Fraction, Fraction], ...], alpha: Fraction) -> Fraction:
    for (a, d), (b, e) in pairwise(corners):
        if a <= alpha <= b:
            return d + (e - d) * (alpha - a) / (b - a)
    return corners[-1][1]


@EXAMPLES
@given(
    st.integers(2, 4).flatmap(drawn.matrices), st.sampled_from(["0", "1/7", "1/3", "1", "1e-31"])
)
def test_the_smallest_level_and_its_event(columns: list[list[Fraction]], text: str) -> None:
    delta, pairs = F(text), sorted(permutations(range(len(columns)), 2))
    made = mechanism(columns)
    alpha, witness = hockey_stick.largest_alpha(made, pairs, delta)
    assert alpha == plain.smallest_alpha(columns, pairs, delta)
    if witness is None:
        assert alpha == 1
        return
    assert witness == next(p for p in pairs if plain.smallest_alpha(columns, [p], delta) == alpha)
    event = hockey_stick.event(made, witness, alpha)
    p, q = (sum((columns[w][o] for o in event), F(0)) for w in witness)
    assert q == 0 and p > delta if alpha is None else q > 0 and p - alpha * q == delta
