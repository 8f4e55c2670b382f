"""Independent records conditioned on a public constraint: models/composition, by polynomials.

For a record r1 the worlds 000, 010, 001 have the weights 1, A, B given r1 = 0, and 100, 111 have
1, AB given r1 = 1, where A and B are the odds of the others. Let s = A + B and m = AB, between 0
and s²/4. An output has P0 = (x + ys)/(1 + s) and P1 = (z + tm)/(1 + m), and P0 ≤ αP1, as P1 ≤ αP0,
is linear in m after multiplication by (1 + s)(1 + m). So it holds where it holds for m = 0 and for
m = s²/4: two families of one parameter q, with s = 2q/(1 - q).
"""

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from math import prod

import pytest

from tests.models.brute_force import Level, Mechanism, Prior, coin, differential_privacy, pufferfish
from tests.models.conditions import boxes, proved
from tests.models.model_files import checks, decided
from tests.one_parameter import Poly, bernoulli, plus, times, within
from verifier.report.json import result_as_json

ONE_RECORD = "composition/product-given-constraint.yaml"
ALL_RECORDS = "composition/blowfish-row-of-table-6.yaml"
Likelihoods = dict[str, F]  # world -> P(yes)
FIRST: Likelihoods = {
    "000": F(1, 2), "001": F(1, 32), "010": F(1, 32), "100": F(1, 8), "111": F(1, 64),
}  # fmt: skip
SECOND: Likelihoods = {
    "000": F(7, 8), "001": F(1, 40), "010": F(1, 40), "100": F(1, 40), "111": F(1, 500),
}  # fmt: skip
RECORD = [(lambda w: w[0] == "0", lambda w: w[0] == "1")]
RECORDS = [(lambda w, i=i: w[i] == "0", lambda w, i=i: w[i] == "1") for i in range(3)]


def table(chances: Likelihoods, runs: int) -> Mechanism:
    rows = {w: coin(p) for w, p in chances.items()}
    return {
        w: {o: prod((row[x] for x in o), start=F(1)) for o in product(row, repeat=runs)}
        for w, row in rows.items()
    }


def believed(chances: Likelihoods, *ones: F) -> Prior:
    """Records with these probabilities of 1, given the constraint."""
    weights = {
        w: prod((p if bit == "1" else 1 - p for bit, p in zip(w, ones, strict=True)), start=F(1))
        for w in chances
    }
    return {w: x / sum(weights.values()) for w, x in weights.items()}


def sides(chances: Likelihoods, runs: int) -> Iterator[tuple[Poly, Poly]]:
    """P0 and P1 of every output, times one positive polynomial in q, for m = 0 and m = s²/4."""
    for row in zip(*(r.values() for r in table(chances, runs).values()), strict=True):
        x, y, _, z, t = row
        # with 1 - q as the unit: 1 + s is (1 + q)/(1 - q), and for m = s²/4 1 + m is
        # ((1 - q)² + q²)/(1 - q)²
        zero = plus(bernoulli(0, 1), bernoulli(1, 0), 2 * y / x), plus([F(1)], [F(0), F(1)])
        for square in (F(0), F(1)):
            one = (
                plus(bernoulli(0, 2), bernoulli(2, 0), square * t / z),
                plus(bernoulli(0, 2), bernoulli(2, 0), square),
            )
            yield (
                [x * c for c in times(zero[0], one[1])],
                [z * c for c in times(one[0], zero[1])],
            )


def at_most(chances: Likelihoods, runs: int, level: F) -> bool:
    """Whether no prior leaks more about the first record."""
    return all(within(a, b, level) and within(b, a, level) for a, b in sides(chances, runs))


def leaks(chances: Likelihoods, runs: int, odds: F) -> Level:
    """About the first record, if the two others are 1 with these odds."""
    one = odds / (1 + odds)
    return pufferfish(table(chances, runs), [believed(chances, F(1, 2), one, one)], RECORD)


def fixed(chances: Likelihoods, *ones: str) -> Level:
    """Two runs, about all records, against priors with these probabilities of 1 for each."""
    priors = [believed(chances, *map(F, probabilities.split())) for probabilities in ones]
    return pufferfish(table(chances, 2), priors, RECORDS)


@pytest.mark.parametrize(
    "chances, runs, below, odds, above",
    [
        (FIRST, 2, F("32.6309"), F(439, 50), F("32.6311")),
        (SECOND, 1, F("35.704"), F(87, 20), F("35.705")),
        (SECOND, 2, F("3784.03"), F(131, 10), F("3784.05")),
    ],
)
def test_leakage_over_all_odds(
    chances: Likelihoods, runs: int, below: F, odds: F, above: F
) -> None:
    file = ONE_RECORD if chances is FIRST else ALL_RECORDS
    check = checks(file)[runs - 1]
    assert list(map(F, check["leakage"])) == [below, above]
    assert below < leaks(chances, runs, odds) <= above
    assert at_most(chances, runs, above)
    found = result_as_json(decided(file)[runs - 1])["leakage"]
    assert below < F(found["lower"]) <= F(found["upper"]) < above


def test_one_run_and_one_prior() -> None:
    assert at_most(FIRST, 1, F(4)) and leaks(FIRST, 1, F(0)) == 4
    sixteenths = leaks(FIRST, 2, F(15))
    every_level = table(FIRST, 1)
    neighbours = differential_privacy(every_level, lambda v, w: sum(map(str.__ne__, v, w)) == 1)
    supports = [set(box) & set(FIRST) for box in boxes_of_worlds()]
    assert proved(every_level, supports, RECORD, F(4)) == 4
    stated = [check.get("leakage") for check in checks(ONE_RECORD)]
    assert stated[0] == "4" and F(stated[2]) == sixteenths and stated[3] == "4"
    assert neighbours == F(stated[4]) == 16
    assert all(result_as_json(result)["ok"] for result in decided(ONE_RECORD))


def boxes_of_worlds() -> list[set[str]]:
    return [{"".join(map(str, w)) for w in box} for box in boxes(3, (0, 1))]


def test_three_priors() -> None:
    same = [f"{p} {p} {p}" for p in ("19/20", "39/40", "79/80")]
    assert fixed(SECOND, *same) == F(checks(ALL_RECORDS)[2]["leakage"])
    assert all(result_as_json(result)["ok"] for result in decided(ALL_RECORDS))


@pytest.mark.parametrize("chances, rate", [(FIRST, 128), (SECOND, F(35**2 * 25, 2))])
def test_leakage_grows_faster_than_that_of_one_run(chances: Likelihoods, rate: F) -> None:
    """With the odds (P(100)/P(111))^(k/2), k runs leak at least the k-th power of the rate's root,
    over six; k even keeps it rational."""
    for k in (2, 4, 6):
        odds = (chances["100"] / chances["111"]) ** (k // 2)
        assert leaks(chances, k, odds) >= F(rate) ** (k // 2) / 6
