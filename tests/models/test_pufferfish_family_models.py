"""Model files with unknown distributions: every number from polynomials in one parameter, decided
by Sturm's theorem, or by hand with a grid of priors that stays below."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any

from tests.models.model_files import confirm
from tests.models.single_priors import algorithm_1, single_prior_levels
from tests.one_parameter import Poly, at, bernoulli, is_supremum, plus

F = Fraction
ZERO, ONE, HALF = F(0), F(1), F(1, 2)
Column = dict[Any, Poly]  # output -> probability, a polynomial in q


def test_single_prior_biased_bits() -> None:
    between, absent = single_prior_levels(6, F(1, 3), F(1, 4), 1, 4)
    confirm("pufferfish/single-prior-biased-bits.yaml", absent, between, between)


def test_single_prior_eight_people() -> None:
    between, absent = single_prior_levels(8, HALF, F(2, 3), 4, 4)
    confirm("pufferfish/single-prior-eight-people.yaml", absent, between, between)


def hedged(n: int, known: Fraction, a: Fraction) -> list[Poly]:
    """The distribution of the number of ones among n records, as polynomials in q."""
    found = []
    for k in range(n + 1):
        expected = comb(n, k) * known**k * (1 - known) ** (n - k)
        unknown = [comb(n, k) * (1 - a) * c for c in bernoulli(k, n - k)]
        found.append(plus(unknown, [a * expected]))
    return found


def released(counts: list[Poly], rows: dict[int, Any], shift: int = 0) -> Column:
    column: Column = {}
    for k, p in enumerate(counts):
        for o, x in rows[k + shift].items():
            column[o] = plus(column.get(o, []), p, x)
    return column


def pairs_of(first: Column, second: Column) -> list[tuple[Poly, Poly]]:
    """P and Q of every output, both orders."""
    outputs = sorted({*first, *second}, key=repr)
    sides = [(first.get(o, []), second.get(o, [])) for o in outputs]
    return sides + [(q, p) for p, q in sides]


def largest(pairs: list[tuple[Poly, Poly]]) -> Fraction:
    """The largest ratio at q = 0, 1/2 or 1, which must be the supremum."""
    ends = [ZERO, HALF, ONE]
    level = max(at(n, q) / at(d, q) for n, d in pairs for q in ends if at(d, q))
    assert is_supremum(pairs, level)
    return level


def hedging_levels(n: int, a: Fraction, cube: int) -> tuple[Fraction, Fraction]:
    """Algorithm 3 with q* = 1/2: against "not in the data", and between the two values."""
    low, wanted = F(1, 1 + cube), (1 - a) / (a * (cube - 1))
    is_likely = [
        k for k in range(1, n) if HALF ** (n - 1) >= wanted * low ** (k - 1) * (1 - low) ** (n - k)
    ]
    k_lo = min(is_likely)
    rows = algorithm_1(n, F(1, cube**3), k_lo, n - k_lo)
    others, absent = hedged(n - 1, HALF, a), released(hedged(n, HALF, a), rows)
    one, zero = released(others, rows, 1), released(others, rows)
    return largest(pairs_of(one, absent) + pairs_of(zero, absent)), largest(pairs_of(one, zero))


def test_hedging_six_people() -> None:
    absent, between = hedging_levels(6, F(1, 3), 3)
    confirm("pufferfish/hedging-six-people.yaml", absent, absent, between)


def test_hedging_small_lambda() -> None:
    absent, between = hedging_levels(6, F(49, 100), 4)
    confirm("pufferfish/hedging-small-lambda.yaml", absent, absent, between)


def test_hedging_eight_people() -> None:
    absent, between = hedging_levels(8, F(49, 100), 2)
    confirm("pufferfish/hedging-eight-people.yaml", absent, absent, between)


TRUTH = {(x, y): F(3, 4) if x == y else F(1, 4) for x in (0, 1) for y in (0, 1)}


def responses(worlds: dict[tuple[int, ...], Poly]) -> Column:
    """Randomized response with 3/4 on worlds with polynomial probabilities."""
    column: Column = {}
    for w, p in worlds.items():
        for o in product((0, 1), repeat=len(w)):
            chance = ONE
            for x, y in zip(w, o, strict=True):
                chance *= TRUTH[x, y]
            column[o] = plus(column.get(o, []), p, chance)
    return column


# --- Definition 3.4 with unknown distributions ------------------------------------------------


def test_markov_intervals() -> None:
    """Given Tuesday, Monday's and Wednesday's answers are independent: 3 for Tuesday's own answer,
    and the ratio of each neighbour's. The corners of the intervals bound them, as each ratio is
    monotone in P(yes | yes) and in P(yes | no)."""

    def level(firsts: Any, after_no: Any, after_yes: Any, still: bool = False) -> Fraction:
        worst = ONE
        for first, p, q in product(firsts, after_no, after_yes):
            row = {0: {1: p, 0: 1 - p}, 1: {1: q, 0: 1 - q}}
            start = {1: p, 0: 1 - q} if still else {1: first, 0: 1 - first}
            prior = {}
            for w in product((0, 1), repeat=3):
                prior[w] = start[w[0]]
                for x, y in pairwise(w):
                    prior[w] *= row[x][y]
            sides = [responses({w: [x] for w, x in prior.items() if w[1] == v}) for v in (0, 1)]
            mass = [sum(x for w, x in prior.items() if w[1] == v) for v in (0, 1)]
            if all(mass):
                for n, d in pairs_of(
                    *(
                        {o: [c / m for c in p] for o, p in s.items()}
                        for s, m in zip(sides, mass, strict=True)
                    )
                ):
                    worst = max(worst, n[0] / d[0])
        return worst

    def grid(low: Fraction, high: Fraction) -> list[Fraction]:
        return [low + (high - low) * F(k, 4) for k in range(5)]

    third = grid(F(1, 3), F(2, 3))
    half = level([HALF], third, third)
    assert half == 3 * F(7, 5) ** 2
    unknown = level(grid(ZERO, ONE), grid(ZERO, ONE), grid(ZERO, ONE))
    assert unknown == 3**3
    after_yes = level([HALF], [HALF], grid(F(1, 4), HALF))
    assert after_yes == 3 * F(33, 25) * F(4, 3)
    still = level([HALF], third, third, still=True)
    confirm("pufferfish/markov-intervals.yaml", half, half, still, unknown, after_yes)
