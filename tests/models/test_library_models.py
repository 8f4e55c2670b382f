"""Mechanisms of other libraries: the numbers by hand, and the installed libraries themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction as F
from typing import Any

import mpmath
import pytest

import verifier
from tests.models.brute_force import Level, Row, differential_privacy, geometric
from tests.models.model_files import MODELS, confirm, confirm_engine, files, once
from verifier.lab.adapters import adapted, library

FOLDER = "libraries"
GRID = 2**53
WEIGHTS = [  # e^(-ε u/2) of the categorical mechanism, ε = ln 16
    [1, F(1, 2), F(1, 4), F(1, 4), 1],
    [F(1, 2), 1, F(1, 2), F(3, 4), F(1, 4)],
    [F(1, 4), F(1, 2), 1, F(3, 4), F(1, 2)],
    [F(1, 4), F(3, 4), F(3, 4), 1, F(1, 4)],
    [1, F(1, 4), F(1, 2), F(1, 4), 1],
]


def anybody(w: object, v: object) -> bool:
    return True


def flips(epsilon: float) -> F:
    """The share of k below 2⁵³ with k/2⁵³·(e^ε + 1) > e^ε, where the product is rounded to a float.

    Rounded it is above a float where it is above the middle to the next one; no product is in the
    middle.
    """
    power = math.exp(epsilon)
    needed = (F(power) + F(math.ulp(power)) / 2) * GRID / F(power + 1)
    assert needed.denominator > 1
    return F(max(GRID - 1 - math.floor(needed), 0), GRID)


def binary() -> list[Level]:
    found = []
    for epsilon in (20.0, 36.0, 36.5):
        flip = flips(epsilon)
        one: Row = {"a": 1 - flip, "b": flip}
        found.append(differential_privacy({0: one, 1: {"a": flip, "b": 1 - flip}}, anybody))
    return found


def categorical() -> list[Level]:
    """Squares of the weights, each row divided by its sum; and the same in floats, where the last
    number of each running sum that is at most a multiple of the whole sum is counted."""
    exact = {i: {o: w**2 / sum(x**2 for x in row) for o, w in enumerate(row)} for i, row in rows()}
    return [differential_privacy(exact, anybody), differential_privacy(drawn(), anybody)]


def rows() -> list[tuple[int, list[F]]]:
    return [(number, list(map(F, row))) for number, row in enumerate(WEIGHTS)]


def drawn() -> dict[int, Row]:
    """u·C <= S_o is counted for each running sum S_o, all rounded; at the end all that is left."""
    epsilon, found = math.log(16), {}
    for number, row in rows():
        used = [1.0 if o == number else math.exp(-epsilon * utility(w)) for o, w in enumerate(row)]
        whole = sum(used)
        edges = [below(sum(used[: o + 1]), whole) for o in range(4)] + [GRID]
        counts = [high - low for low, high in zip([0, *edges], edges, strict=False)]
        found[number] = {o: F(count, GRID) for o, count in enumerate(counts)}
    return found


def utility(weight: F) -> float:
    return -2 * math.log(weight) / math.log(16)


def below(end: float, whole: float) -> int:
    """How many k have k/2⁵³·whole, rounded, at most `end`: up to the middle to the next float.

    The middle itself goes to the even one of both.
    """
    most = (F(end) + F(math.ulp(end)) / 2) * GRID / F(whole)
    odd = F(end) / F(math.ulp(end)) % 2
    return math.floor(most) + (0 if most.denominator == 1 and odd else 1)


def noise() -> dict[int, F]:
    """The law of the noise at ε = 10: how many j have j/2⁵³·(1 + e^(−10)) at most e^(−10 z).

    Each number is far from whole, so that rounding changes none. Both signs have all j from 1 on.
    """
    with mpmath.workdps(40):
        ends = [mpmath.exp(-10 * z) / (1 + mpmath.exp(-10)) * GRID for z in (1, 2, 3, 4)]
    assert all(0.01 < end % 1 < 0.99 for end in ends)
    counts = [int(end) for end in ends]
    found = {z: F(counts[z - 1] - counts[z], GRID) for z in (1, 2, 3)}
    found |= {-z: share for z, share in found.items()}
    return {**found, 0: F(GRID - 1 - 2 * counts[0], GRID)}


def geometric_noise() -> list[Level]:
    error = {"error": F(1, GRID)}
    table = {c: {**error, **{c + z: p for z, p in noise().items()}} for c in (0, 1)}
    return [differential_privacy(table, anybody, delta) for delta in (F(0), F(3, 10**12))]


def threshold() -> list[Level]:
    noisy = geometric(1, F(1, 2), 4, 5)
    assert noisy[5] == F(1, 24)
    here: Row = {"key": noisy[5], "no key": noisy[4]}
    both: dict[int, Row] = {0: {"no key": F(1)}, 1: here}
    return [differential_privacy(both, anybody, delta) for delta in (F(1, 48), F(1, 24))]


def selection() -> list[Level]:
    """The recursion of the paper, at e^ε = 2 and δ = 1/100."""
    delta, shown = F(1, 100), [F(0)]
    while len(shown) < 9:
        last = shown[-1]
        shown.append(min(2 * last + delta, 1 - (1 - last - delta) / 2, F(1)))
    table: dict[int, Row] = {n: {"shown": p, "hidden": 1 - p} for n, p in enumerate(shown)}

    def near(most: int) -> Callable[[int, int], bool]:
        return lambda w, v: abs(w - v) <= most

    asked = ((1, delta), (1, F(99, 10_000)), (2, 3 * delta))
    return [differential_privacy(table, near(most), d) for most, d in asked]


DERIVED: dict[str, Callable[[], Sequence[Level]]] = {
    "diffprivlib-binary.yaml": binary,
    "diffprivlib-categorical.yaml": categorical,
    "diffprivlib-geometric.yaml": geometric_noise,
    "opendp-laplace-threshold.yaml": threshold,
    "partition-selection.yaml": selection,
}


def test_all_of_them_are_derived() -> None:
    assert sorted(DERIVED) == files(FOLDER)


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_pinned_numbers_follow(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", sorted(DERIVED))
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))


def tables(file: str) -> list[list[list[F]]]:
    """The matrices of the checks of a file."""
    questions = verifier.load(MODELS / FOLDER / file).questions
    return [list(one.question.mechanism.rows()) for one in questions if one.question]


def matrix(made: Any) -> list[list[F]]:
    return list(adapted(made).mechanism.rows())


@pytest.mark.oracle
def test_the_installed_binary_is_that_of_the_file() -> None:
    kind = library("diffprivlib.mechanisms").Binary
    made = [matrix(kind(epsilon=e, value0="a", value1="b")) for e in (20.0, 36.0, 36.5)]
    assert made == tables("diffprivlib-binary.yaml")


@pytest.mark.oracle
def test_the_installed_categorical_mechanism_is_that_of_the_file() -> None:
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    utilities = [("abcde"[i], "abcde"[j], utility(F(WEIGHTS[i][j]))) for i, j in pairs]
    kind = library("diffprivlib.mechanisms").ExponentialCategorical
    made = kind(epsilon=math.log(16), utility_list=utilities)
    assert adapted(made).claim.epsilon == F(math.log(16))
    assert matrix(made) == tables("diffprivlib-categorical.yaml")[1]


@pytest.mark.oracle
def test_the_installed_geometric_noise_is_that_of_the_file() -> None:
    made = adapted(library("diffprivlib.mechanisms").Geometric(epsilon=10)).mechanism
    rows = dict(zip(made.outputs, made.rows(), strict=True))
    names = ["OverflowError", *map(str, range(-3, 5))]
    assert [rows[name] for name in names] == tables("diffprivlib-geometric.yaml")[0]


@pytest.mark.oracle
def test_the_installed_threshold_claims_what_the_file_says() -> None:
    dp = library("opendp.prelude")
    dp.enable_features("contrib")
    number, distance = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    space = dp.map_domain(dp.atom_domain(T=str), number), dp.l01inf_distance(distance)
    made = dp.m.make_laplace_threshold(*space, scale=1 / math.log(2), threshold=5)
    assert made.map((1, 1, 1)) == pytest.approx((math.log(2), 1 / 48), rel=1e-12)
    (shown,) = (row for row in matrix(made) if row[0] == 0)
    assert float(shown[1]) == pytest.approx(1 / 24, rel=1e-12)
