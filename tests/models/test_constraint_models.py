"""Independent records given a public constraint, how far levels add up: models/composition.

Worlds are texts of bits, A and B the odds of the other records. With s = A + B and m = AB an
inequality between likelihoods that treat both alike is linear in m for fixed s. So it holds where
it holds for m = 0, where one of them is 0, and for m = s²/4, where they are equal. The proofs stand
in docs/theory.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from itertools import product
from math import prod
from random import Random

import pytest
import yaml

from tests.models.brute_force import Level, Mechanism, Prior, differential_privacy, pufferfish
from tests.models.model_files import MODELS, checks, decided
from tests.models.test_constrained_products import RECORD, at_most, believed, leaks
from tests.one_parameter import Poly, bernoulli, plus, times, within
from verifier.report.json import result_as_json

FOLDER = "composition"
ROOT_FIVE = F("2.2360679775")  # a bit more
FAR = {"000": F(1, 2), "001": F(1, 512), "010": F(1, 512), "100": F(1, 32), "111": F(1, 512)}


def stated(file: str, place: int) -> str:
    found: str = checks(f"{FOLDER}/{file}")[place]["leakage"]
    return found


def accepted(file: str) -> bool:
    return all(result_as_json(result)["ok"] for result in decided(f"{FOLDER}/{file}"))


def repeated(once: Mechanism, runs: int) -> Mechanism:
    return {
        w: {o: prod((row[x] for x in o), start=F(1)) for o in product(row, repeat=runs)}
        for w, row in once.items()
    }


def test_nearly_four_times_as_much_with_each_run() -> None:
    file = "product-given-constraint-far.yaml"
    low, high = map(F, checks(f"{FOLDER}/{file}")[1]["leakage"])
    assert at_most(FAR, 1, F(16)) and leaks(FAR, 1, F(0)) == F(stated(file, 0)) == 16
    assert at_most(FAR, 2, high) and low < leaks(FAR, 2, F(327, 20)) < high
    for k in (1, 2, 3):
        assert leaks(FAR, k, F(4**k)) >= F(16**k * (1 + 16**k), 2 + 4 * 4**k)
        assert at_most(FAR, k, 16**k + (16 * (2 + ROOT_FIVE)) ** k / 4)
    assert accepted(file)


def at_most_two() -> Mechanism:
    z, x, c = F(2, 7), F(1, 49), F(1, 32)
    rows = {
        "100": (8 * c, F(15, 64)),
        "000": (c, c),
        "010": (z * c, x * c),
        "001": (z * c, x * c),
        "011": (z * x * c, c),
        "110": (z * c / 7, c / 7),
        "101": (z * c / 7, c / 7),
    }
    return {w: {"a": a, "b": b, "rest": 1 - a - b} for w, (a, b) in rows.items()}


def two_at_most(once: Mechanism, level: F) -> bool:
    """Whether no prior leaks more about the first of three records, of which at most two are 1."""
    sides: list[tuple[Poly, Poly]] = []
    for o in once["000"]:
        p = {w: row[o] for w, row in once.items()}
        sides.append(
            (mixed((p["100"], 0, 1), (p["110"], 1, 0)), mixed((p["000"], 0, 1), (p["010"], 1, 0)))
        )
        equal = mixed((p["000"], 0, 2), (2 * p["010"], 1, 1), (p["011"], 2, 0))
        one = mixed((p["100"], 0, 1), (2 * p["110"], 1, 0))
        sides.append((one, times(equal, [F(1), F(1)])))
    return all(within(a, b, level) and within(b, a, level) for a, b in sides)


def mixed(*terms: tuple[F, int, int]) -> Poly:
    """Σ c·q^i·(1 - q)^j, for A = B = q/(1 - q)."""
    found: Poly = []
    for c, ones, zeros in terms:
        found = plus(found, bernoulli(ones, zeros), c)
    return found


def test_two_runs_of_at_most_two() -> None:
    file, once = "at-most-two.yaml", at_most_two()
    assert two_at_most(once, F(8)) and not two_at_most(once, F(7999, 1000))
    likely: Prior = believed({w: F(0) for w in once}, F(1, 2), F(14, 15), F(14, 15))
    twice = pufferfish(repeated(once, 2), [likely], RECORD)
    assert [F(stated(file, 0)), F(stated(file, 1))] == [8, twice]
    assert 64 < twice <= (4 * 8 + 4 * 8**3) ** 2
    assert accepted(file)


def drawn(random: Random, worlds: Sequence[str]) -> Mechanism:
    weights = {w: [F(random.randint(1, 9)) for _ in "abc"] for w in worlds}
    return {
        w: {o: x / sum(row) for o, x in zip("abc", row, strict=True)} for w, row in weights.items()
    }


def swapped(v: str, w: str) -> bool:
    return sum(map(str.__ne__, v, w)) == 2


def one_elsewhere(v: str, w: str) -> bool:
    return v != w


Allowed = Callable[[str], bool]
COMPOSE: list[tuple[str, Allowed, Callable[[str, str], bool]]] = [
    ("exact-count-composes.yaml", lambda w: w.count("1") == 2, swapped),
    ("at-most-one-composes.yaml", lambda w: w.count("1") <= 1, one_elsewhere),
]


@pytest.mark.parametrize("file, allowed, compared", COMPOSE)
def test_levels_add_up(file: str, allowed: Allowed, compared: Callable[[str, str], bool]) -> None:
    """Against drawn priors two runs leak at most the square of what compared worlds do; against
    priors that are nearly certain, nearly all of it."""
    table = of_file(file)
    random, size = Random(7), len(next(iter(table)))
    secrets = [
        (lambda w, i=i: w[i] == "0", lambda w, i=i: w[i] == "1")  # type: ignore[misc]
        for i in range(size)
    ]
    for once in (table, drawn(random, list(table)), drawn(random, list(table))):
        level = differential_privacy(once, compared)
        one, two = repeated(once, 1), repeated(once, 2)
        odds = [F(1, 1000), F(1, 2), F(999, 1000), F(random.randint(1, 99), 100)]
        priors = [
            believed({w: F(0) for w in once}, *ones)
            for ones in random.sample(list(product(odds, repeat=size)), 24)
        ]
        assert pufferfish(one, priors, secrets) <= level
        assert pufferfish(two, priors, secrets) <= level**2
        sure = [F(1, 10**6), F(1, 2), 1 - F(1, 10**6), 1 - F(1, 10**12)]
        nearly = [believed({w: F(0) for w in once}, *x) for x in product(sure, repeat=size)]
        assert pufferfish(one, nearly, secrets) >= F(999, 1000) * level
        if once is table:
            assert [F(stated(file, 0)), F(stated(file, 1))] == [level, level**2]
    assert accepted(file)


def of_file(file: str) -> Mechanism:
    """The table of a file."""
    node = yaml.load((MODELS / FOLDER / file).read_text(encoding="utf-8"), yaml.BaseLoader)
    rows = dict(node["mechanisms"]["once"]["table"])
    outputs = rows.pop("outputs")
    return {w: dict(zip(outputs, map(F, row), strict=True)) for w, row in rows.items()}


def test_worlds_that_are_not_compared() -> None:
    table = of_file("exact-count-composes.yaml")
    found: Level = differential_privacy(table, one_elsewhere)
    assert found == F(stated("exact-count-composes.yaml", 2)) == 4
