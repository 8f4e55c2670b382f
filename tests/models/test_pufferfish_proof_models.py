"""Model files of steps in the proofs of the Pufferfish paper, and of ranges of its Algorithm 3."""

from itertools import product
from math import ceil, comb, floor, log

import pytest

from tests.models.by_definition import (
    F,
    Fraction,
    Mechanism,
    Row,
    databases,
    geometric,
    noisy,
    over_pairs,
    pufferfish,
    replace,
    smallest_level,
    values,
)
from tests.models.model_files import confirm
from tests.models.test_pufferfish_application_models import algorithm_1, both
from tests.models.test_pufferfish_family_models import hedged, largest, pairs_of, released
from tests.one_parameter import at

HALF, THIRD, QUARTER = F(1, 2), F(1, 3), F(1, 4)


@pytest.mark.parametrize("ratio", [HALF, F(2, 7)])
@pytest.mark.parametrize("n, low, high", [(6, 2, 4), (6, 1, 4), (5, 2, 3), (4, 2, 2)])
def test_what_is_left_for_the_exact_count(n: int, low: int, high: int, ratio: Fraction) -> None:
    """Algorithm 1, line 8, as printed: two fractions, the second one of the noise that is kept."""
    x, rows = ratio, algorithm_1(n, ratio, low, high)
    for k in range(low, high + 1):
        inside = 1 + x - x ** (k - low + 1) - x ** (high - k + 1)
        kept = x ** (k - low + 2) + x ** (high - k + 2) - x ** (high - low + 3)
        kept -= x ** (high - low + 2)
        assert rows[k]["true", k] == (inside - kept) / (1 + x)
        noise = geometric(k, ratio, 0, n)
        assert all(rows[k]["noisy", r] < noise[r] for r in range(low, high + 1))


def test_the_range_of_algorithm_3_as_printed() -> None:
    """Line 5 for n = 8, q* = 1/2, α = 49/100 and e^(ε/3) = 2, so that q_hi = 2/3 and its odds 2."""
    factor = F(51, 49)

    def fits(k: int) -> bool:
        return factor * F(2, 3) ** k * THIRD ** (7 - k) <= HALF**7

    assert [fits(k) for k in range(8)] == [True] * 5 + [False] * 3
    printed = 7 * log(THIRD / HALF) / log(2) - log(factor) / log(2)
    meant = 7 * log(HALF / THIRD) / log(2) - log(factor) / log(2)
    assert (ceil(printed), floor(meant), ceil(meant)) == (-4, 4, 5)


def noisy_cell(count: int) -> Row:
    """A cell of Algorithm 2 for two people with q = 1/3 and e^ε = 2, given that it is noisy."""
    row = algorithm_1(2, HALF, 1, 1)[count]
    inside = {r: p for (kind, r), p in row.items() if kind == "noisy"}  # type: ignore[misc]
    return {r: p / sum(inside.values()) for r, p in inside.items()}


def test_noisy_cells_given_exact_ones() -> None:
    """One person is left with b or c: two cells, with one person and with none."""

    def cells(b: int, c: int) -> Row:
        return {
            (x, y): p * q
            for (x, p), (y, q) in product(noisy_cell(b).items(), noisy_cell(c).items())
        }

    has_b, has_c = cells(1, 0), cells(0, 1)
    out = {o: (p + has_c[o]) / 2 for o, p in has_b.items()}
    level = both(has_b, out)
    assert level > 2
    confirm("pufferfish/noisy-cells-given-exact-ones.yaml", level)


def test_exact_cells_are_impossible_given_the_third_value() -> None:
    """Equations 28 and 29: two exact cells have a probability without Bob, and none with him."""
    exact = {w for w in product("abc", repeat=2) if w.count("a") == w.count("b") == 1}
    assert exact and not [w for w in exact if w[0] == "c"]


def test_income_and_the_middle() -> None:
    worlds = databases(range(8), 1)
    mechanism = noisy(worlds, sum, HALF)

    def away(near: range) -> Fraction | float:
        pairs = [((2,), (x,)) for x in near if x != 2]
        return over_pairs(mechanism, [p for v, w in pairs for p in ((v, w), (w, v))])

    confirm("pufferfish/income-and-the-middle.yaml", away(range(4)), away(range(4, 8)))


def chance(k: int, q: Fraction) -> Fraction:
    """Of k ones among six."""
    return comb(6, k) * q**k * (1 - q) ** (6 - k)


def test_likelihood_of_a_count() -> None:
    def told(k: int, q: Fraction) -> Row:
        return {1: chance(k, q), 0: 1 - chance(k, q)}

    def level(k: int, q: Fraction) -> Fraction | float:
        return both(told(k, HALF), told(k, q))

    levels = level(3, THIRD), level(2, THIRD), level(3, 2 * THIRD), level(3, QUARTER)
    confirm("pufferfish/likelihood-of-a-count.yaml", *levels, level(3, 3 * QUARTER))


def test_the_claims_about_likelihoods() -> None:
    """Claims G.1 to G.3 for six records, λ = 729/512 and 1; G.1 (2) as printed fails."""
    factor, first, second = F(729, 512), log(4 / 3), log(2)

    def likelier(q: Fraction, times: Fraction) -> list[int]:
        return [k for k in range(7) if chance(k, HALF) >= times * chance(k, q)]

    assert likelier(THIRD, factor) == [3, 4, 5, 6]
    assert 2 < 6 * first / second + log(factor) / second < 3 + 1e-9
    assert likelier(2 * THIRD, factor) == [0, 1, 2, 3]
    printed = 6 * log((1 / 3) / (1 / 2)) / second - log(factor) / second
    meant = 6 * log((1 / 2) / (1 / 3)) / second - log(factor) / second
    assert printed < -2 and 3 - 1e-9 < meant < 4
    assert set(likelier(THIRD, factor)) <= set(likelier(QUARTER, factor))
    assert min(F(k, 6) for k in likelier(THIRD, factor)) >= THIRD
    k_1, k_2 = min(likelier(THIRD, F(1))), max(likelier(2 * THIRD, F(1)))
    assert THIRD <= F(k_1, 6) <= HALF <= F(k_2, 6) <= 2 * THIRD


def test_odds_of_a_count() -> None:
    worlds = databases((0, 1), 6)
    mechanism: Mechanism = {
        w: {sum(w): F(1, 10), "other": F(9, 10)} if 2 <= sum(w) <= 4 else {"other": F(1)}
        for w in worlds
    }
    priors = [
        {w: q ** sum(w) * (1 - q) ** (6 - sum(w)) for w in worlds} for q in (THIRD, HALF, 2 * THIRD)
    ]
    level = pufferfish(mechanism, values(worlds)[:1], priors)
    odds = [F(6 - k, k) * q / (1 - q) for k in (2, 3, 4) for q in (THIRD, HALF, 2 * THIRD)]
    assert max(max(x, 1 / x) for x in odds) == level == 4
    confirm("pufferfish/odds-of-a-count.yaml", level, level)


def test_hedging_few_people() -> None:
    """No count is in the range, and clamped noise has the ratio 8 at the ends."""
    factor, low = F(999), THIRD
    assert all(factor * low ** (k - 1) * (1 - low) ** (2 - k) > HALF for k in (1, 2))
    worlds = databases((0, 1), 2)
    near = over_pairs(noisy(worlds, sum, F(1, 8)), replace(worlds))
    ends = [geometric(k, F(1, 8), 0, 2)[2] for k in (0, 1, 2)]
    assert ends[1] / ends[0] == ends[2] / ends[1] == near
    confirm("pufferfish/hedging-few-people.yaml", near, near)


def test_hedging_with_more_weight() -> None:
    rows, levels = algorithm_1(6, F(1, 27), 3, 3), []
    for weight in (THIRD, F(2, 5), F(49, 100)):
        others = hedged(5, HALF, weight)
        one, zero = released(others, rows, 1), released(others, rows)
        levels.append(largest(pairs_of(one, zero)))
    others = hedged(5, HALF, THIRD)
    tenth = {k: {1: F(k == 3, 10), 0: 1 - F(k == 3, 10)} for k in range(7)}
    one, zero = released(others, tenth, 1), released(others, tenth)
    grid = [F(k, 60) for k in range(61)]
    exact = max(
        smallest_level(
            {o: at(p, q) for o, p in first.items()}, {o: at(p, q) for o, p in second.items()}
        )
        for first, second in ((one, zero), (zero, one))
        for q in grid
    )
    assert F(3, 2) < exact < 2  # Claim G.5 says at most 27
    confirm("pufferfish/hedging-with-more-weight.yaml", *levels, exact)
