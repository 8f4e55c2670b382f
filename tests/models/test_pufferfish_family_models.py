"""Model files with unknown distributions: every number from polynomials in one parameter, decided
by Sturm's theorem, or by hand with a grid of priors that stays below."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any

from tests.models.brute_force import INFINITE, Level
from tests.models.model_files import confirm
from tests.models.test_pufferfish_application_models import algorithm_1, single_prior_levels
from tests.one_parameter import Poly, at, bernoulli, is_supremum, plus, times

F = Fraction
ZERO, ONE, HALF = F(0), F(1), F(1, 2)
Column = dict[Any, Poly]  # output -> probability, a polynomial in q


# --- Section 7.1: single-prior privacy --------------------------------------------------------


def test_single_prior_five_people() -> None:
    between, absent = single_prior_levels(5, F(1, 4), HALF, 1, 2)
    confirm("pufferfish/single-prior-five-people.yaml", absent, between, between)


def test_single_prior_biased_bits() -> None:
    between, absent = single_prior_levels(6, F(1, 3), F(1, 4), 1, 4)
    confirm("pufferfish/single-prior-biased-bits.yaml", absent, between, between)


def test_single_prior_eight_people() -> None:
    between, absent = single_prior_levels(8, HALF, F(2, 3), 4, 4)
    confirm("pufferfish/single-prior-eight-people.yaml", absent, between, between)


# --- Section 7.2: hedging privacy -------------------------------------------------------------


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


def test_hedging_is_no_mixture() -> None:
    a = F(1, 1000)
    other = [plus([(1 - a) * c for c in bernoulli(x, 1 - x)], [a / 2]) for x in (0, 1)]
    both = {
        (x, y): plus([(1 - a) * c for c in bernoulli(x + y, 2 - x - y)], [a / 4])
        for x, y in product((0, 1), repeat=2)
    }
    given = [responses({(x, y): other[y] for y in (0, 1)}) for x in (0, 1)]
    absent = responses(both)
    against = largest([pair for side in given for pair in pairs_of(side, absent)])
    between = largest(pairs_of(*given))
    # sure of 11: given a 0 only the known distribution is left, 3/8; given a 1 the other is 1 but
    # for the weight a/4 against 1 - a + a/2
    doubt = (a / 4) / (1 - a / 2)
    mixture = F(3, 8) / (F(1, 4) * (F(1, 4) * (1 - doubt) + F(3, 4) * doubt))
    confirm("pufferfish/hedging-is-no-mixture.yaml", against, between, between, mixture)


# --- Definition 3.4 with unknown distributions ------------------------------------------------


def test_iid_two_values() -> None:
    others = {(y, z): bernoulli(y + z, 2 - y - z) for y, z in product((0, 1), repeat=2)}
    sides = [responses({(x, *rest): p for rest, p in others.items()}) for x in (0, 1)]
    response = largest(pairs_of(*sides))
    mixed = plus(others[0, 1], others[1, 0])
    yes = plus([F(1, 4)], mixed, F(1, 4))
    one, zero = {1: yes, 0: plus([ONE], yes, -ONE)}, {1: [F(1, 4)], 0: [F(3, 4)]}
    disagreement = largest(pairs_of(one, zero))
    # two of three are ones: q² given 0, 1 - (1 - q)² given 1; the ratio (2 - q)/q has no bound
    assert times([ZERO, F(2), -ONE], [ZERO, ONE]) == [ZERO, ZERO, F(2), -ONE]
    confirm("pufferfish/iid-two-values.yaml", response, disagreement, disagreement, INFINITE)


def test_iid_three_values() -> None:
    """Given r1 = a the yes has 1/4 + f(a)/2: between 1/4 and 3/4, and all of it for two values."""
    grid = [F(k, 12) for k in range(13)]
    own: Level = F(3, 5) / F(1, 5)
    ratios, hedging = [ONE], [ONE]
    for x, y in product(grid, repeat=2):
        if x + y <= 1:
            p, q = (F(1, 4) + f / 2 for f in (x, y))
            if x and y:
                ratios += [p / q, (1 - p) / (1 - q)]
            p, q = (F(1, 4) + (f / 2 + F(1, 6)) / 2 for f in (x, y))
            hedging += [p / q, (1 - p) / (1 - q)]
    sure = 1 - F(1, 10**12)
    limit = (F(1, 4) + sure / 2) / (F(1, 4) + (1 - sure) / 2)
    assert max(ratios) < limit < 3 < limit + F(1, 10**10)
    confirm("pufferfish/iid-three-values.yaml", own, F(3), max(hedging))


def test_one_winner() -> None:
    """Theorem 10.2: a mixture of two worlds against one has no ratio above that of two worlds."""
    worlds = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    one, *others = (responses({w: [ONE]}) for w in worlds)
    single = [pair for other in others for pair in pairs_of(one, other)]
    level = max(n[0] / d[0] for n, d in single)
    between = {o: plus([HALF * c for c in others[0][o]], others[1][o], HALF) for o in one}
    same = max(n[0] / d[0] for n, d in pairs_of(one, between))
    confirm("pufferfish/one-winner.yaml", level, level, same)


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
