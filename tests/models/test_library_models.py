"""Mechanisms of other libraries: the numbers by hand, and the installed libraries themselves."""

from __future__ import annotations

import math
from fractions import Fraction as F
from typing import Any

import pytest

import verifier
from tests.models.model_files import MODELS
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
