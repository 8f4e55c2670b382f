"""Mechanisms of other libraries: the numbers by hand, and the installed libraries themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations, product
from math import comb
from operator import ne
from typing import Any

import mpmath as mp
import pytest

import verifier
from tests.models.laws import Law, bit, is_told, level, mixed, ratio, renyi, together
from tests.models.model_files import MODELS, checks
from verifier.lab.adapters import adapted, library

FOLDER = "libraries"
WEIGHTS = [  # e^(-ε u/2) of the categorical mechanism, ε = ln 16
    [1, F(1, 2), F(1, 4), F(1, 4), 1],
    [F(1, 2), 1, F(1, 2), F(3, 4), F(1, 4)],
    [F(1, 4), F(1, 2), 1, F(3, 4), F(1, 2)],
    [F(1, 4), F(3, 4), F(3, 4), 1, F(1, 4)],
    [1, F(1, 4), F(1, 2), F(1, 4), 1],
]


def rows() -> list[tuple[int, list[F]]]:
    return [(number, list(map(F, row))) for number, row in enumerate(WEIGHTS)]


def utility(weight: F) -> float:
    return -2 * math.log(weight) / math.log(16)


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


def two_of_six(value: int, in_order: bool) -> Law:
    """Two of six values, with probability 2e/(2e + 4) the true one among them and then first."""
    others = [one for one in range(6) if one != value]
    true = mp.e / (mp.e + 2)
    law: dict[Any, Any] = {(value, one): true / 5 for one in others}
    law |= dict.fromkeys(permutations(others, 2), (1 - true) / 20)
    if in_order:
        return law
    return mixed((p, {frozenset(pair): 1}) for pair, p in law.items())


def fake(sizes: tuple[int, ...], person: tuple[int, ...], vector: bool = False) -> Law:
    """One attribute told, the others made up; by k-ary responses, or by vectors of bits."""
    d = len(sizes)
    amplified = d * (mp.e - 1) + 1

    def told(size: int, value: int | None) -> Law:
        if vector:
            low = 1 / (amplified + 1)
            return together(*(bit(mp.mpf(1) / 2 if n == value else low) for n in range(size)))
        if value is None:
            return dict.fromkeys(range(size), mp.mpf(1) / size)
        return {n: (amplified if n == value else 1) / (amplified + size - 1) for n in range(size)}

    return mixed(
        (1, together(*(told(k, person[n] if n == one else None) for n, k in enumerate(sizes))))
        for one in range(d)
    )


def worst(sizes: tuple[int, ...], changed: int, vector: bool = False) -> Any:
    """The level of two people who differ in at most so many attributes, of values 0 and 1."""
    people = list(product((0, 1), repeat=len(sizes)))
    laws = {person: fake(sizes, person, vector) for person in people}
    near = (
        pair for pair in product(people, repeat=2) if sum(map(ne, *pair)) in range(1, changed + 1)
    )
    return max(ratio(laws[one], laws[other]) for one, other in near)


def set_bits(f: Any, value: int) -> Law:
    """A bit of each of two values, which is turned around with probability f/2."""
    return together(*(bit(1 - f / 2 if n == value else f / 2) for n in (0, 1)))


def rounds(size: int, value: int) -> Law:
    """L_GRR at ε = 1 for ever and 1/5 for a report."""
    first = {n: (mp.e if n == value else 1) / (mp.e + size - 1) for n in range(size)}
    p, q, a = first[value], first[1 - value], mp.exp(mp.mpf(1) / 5)
    stays = (q - a * p) / (-p * a + (size - 1) * q * a - p * (size - 1) + q)
    return {
        n: sum(first[m] * (stays if m == n else (1 - stays) / (size - 1)) for m in range(size))
        for n in range(size)
    }


def chosen(gap: Any) -> Law:
    """The exponential mechanism on two scores that lie so far apart."""
    return bit(1 / (1 + mp.exp(-gap)))


def flipped(gap: Any) -> Law:
    """Permute-and-flip on two scores, the first the larger."""
    return bit(1 - mp.exp(-gap) / 2)


def answers(truth: Any, runs: int, value: int) -> Law:
    """How many of so many answers are 1."""
    p = truth if value else 1 - truth
    return {n: comb(runs, n) * p**n * (1 - p) ** (runs - n) for n in range(runs + 1)}


def of_rappor() -> list[Any]:
    laws = [[set_bits(f, v) for v in (0, 1)] for f in (F(1, 2), F(3, 20), F(1, 100), F(0))]
    half, five, ten, twelve = (ratio(*pair) for pair in laws)
    released = [together(*(bit(F(1)) if n == v else bit(F(1, 4)) for n in (0, 1))) for v in (0, 1)]
    return [half, ratio(*released), five, five**2, ten, twelve]


def of_fake_data() -> list[Any]:
    small, large = (3, 2), (20, 2, 2)
    found = [worst(sizes, changed) for sizes in (small, large) for changed in (1, len(sizes))]
    return [*found, worst((2, 2), 1, vector=True), worst((2, 2), 2, vector=True)]


def of_subset() -> list[Any]:
    return [ratio(*(two_of_six(v, order) for v in (0, 1))) for order in (True, False)]


def of_longitudinal() -> list[Any]:
    kept = [[F(1, 2) if n == v else F(1, 10) for n in (0, 1)] for v in (0, 1)]
    report = ratio(*(together(*(bit(F(1, 8) + F(3, 4) * k) for k in row)) for row in kept))
    first = ratio(*(together(*map(bit, row)) for row in kept))
    return [report, first, report**2, *(ratio(rounds(k, 0), rounds(k, 1)) for k in (10, 50))]


def of_accountants() -> list[Any]:
    small = F(1, 1000)
    ten, hundred = (level(*(answers(F(3, 4), k, v) for v in (0, 1)), small) for k in (10, 100))
    one = mp.e / (1 + mp.e)
    at_one = level(*(answers(one, 100, v) for v in (0, 1)), mp.mpf(10) ** -6)
    return [ten, ten, hundred, hundred, at_one]


def of_noisy_max() -> list[Any]:
    orders = [1 + F(n, 1000) for n in range(0, 600, 2)]

    def rho(one: Law, other: Law) -> Any:
        return mp.exp(max(renyi(one, other, order) / order for order in orders))

    gaps = [F(gap, 4) for gap in (-5, -3, 0, 3, 5, 8)]
    near = [[*map(chosen, pair)] for pair in product(gaps, repeat=2) if 0 < pair[1] - pair[0] <= 2]
    ranges = [b[1] * a[0] / (b[0] * a[1]) for a, b in near]
    largest = max(rho(*pair) for pair in near)
    return [largest, largest, max(ranges), rho(flipped(0), flipped(2))]


DERIVED: dict[str, Callable[[], list[Any]]] = {
    "accountants": of_accountants,
    "multi-freq-ldpy-fake-data": of_fake_data,
    "multi-freq-ldpy-longitudinal": of_longitudinal,
    "multi-freq-ldpy-subset": of_subset,
    "opendp-noisy-max": of_noisy_max,
    "pure-ldp-rappor": of_rappor,
}


@pytest.mark.parametrize("file", DERIVED)
def test_levels_by_enumeration(file: str) -> None:
    told = [check.get("leakage") for check in checks(f"libraries/{file}.yaml")]
    with mp.workdps(60):
        found = DERIVED[file]()
    for leakage, one in zip(told, found, strict=False):  # an error has none
        assert leakage is not None and is_told(leakage, one), one
    assert not any(told[len(found) :])


@pytest.mark.oracle
def test_what_accountants_say() -> None:
    """Ten and a hundred answers, truth 3/4; a hundred at ε = 1; a sparse vector with b = 1."""
    zoo, pld = (
        pytest.importorskip(name)
        for name in ("autodp.mechanism_zoo", "dp_accounting.pld.privacy_loss_distribution")
    )
    compose = pytest.importorskip("autodp.transformer_zoo")
    fourier = zoo.RandresponseMechanism(p=0.75, RDP_off=True, phi_off=False)
    by_order = zoo.RandresponseMechanism(p=0.75)
    response = pld.from_randomized_response(0.5, 2)  # the truth, or one of both
    accountant = library("diffprivlib").BudgetAccountant(slack=1e-6)
    for _ in range(100):
        accountant.spend(1, 0)
    said = [
        compose.ComposeAFA()([fourier], [10]).get_approxDP(1e-3),
        response.self_compose(10).get_epsilon_for_delta(1e-3),
        compose.Composition()([by_order], [100]).get_approxDP(1e-3),
        response.self_compose(100).get_epsilon_for_delta(1e-3),
        accountant.total()[0],
        zoo.LaplaceSVT_Mechanism({"b": 1.0, "k": 3, "c": 1}).RenyiDP(math.inf),
    ]
    expected = [-0.99, 10.96909, 85.25102, 81.27385, 98.77694, 2]
    assert said == [pytest.approx(one, abs=1e-3) for one in expected]
