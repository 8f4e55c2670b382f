"""Weights that are no rationals: the level of a skew-symmetric game is its scale.

Worlds l = 1, 2, 3 against D = 0: M[o, l] = r_ol M[o, D] / 6 with r_ol = 1 / r_lo, and the rest.
In logarithms the game of r has the value 0 (it is its own other side), so the level is 6. Its
weights are ln 5 : ln 3 : ln 2 for r_01 = 2, r_02 = 1/3, r_12 = 5.
"""

from fractions import Fraction
from typing import Any

import pytest

from tests.checker.compositions import composition
from tests.checker.drafts import check
from verifier.checker.ties import serve

F = Fraction
R = [[F(1), F(2), F(1, 3)], [F(1, 2), F(1), F(5)], [F(3), F(1, 5), F(1)]]
D = [F(1, 20), F(1, 20), F(1, 20), F(17, 20)]
ALPHA = F(6)
TIED = {"worlds": [1, 2, 3], "outputs": [0, 1]}
COUNTS = {"worlds": [1, 2], "outputs": [0, 1, 2]}


def columns() -> list[list[F]]:
    found = [D]
    for other in range(3):
        column = [R[o][other] * D[o] / ALPHA for o in range(3)]
        found.append([*column, 1 - sum(column)])
    return found


def made(
    beta: Any = TIED, counts: Any = COUNTS, level: str = "6", table: Any = None, **more: Any
) -> Any:
    upper = [[[0, [beta]]], [[1, [0]], [2, [0]], [3, [0]]]]
    prior = {"class": "list", "priors": [["1/4"] * 4]}
    lower = {"pair": ["s", "t"], "world": 0, "prior": ["1/4"] * 4, "counts": counts}
    lower |= {"run": None, "repetitions": None}
    texts = [list(map(str, column)) for column in table or columns()]
    asked = {"level": {"exp_epsilon": level}, "leakage": level, **more}
    return composition(texts, {"s": [0], "t": [1, 2, 3]}, prior, upper, lower, **asked)


def test_accepted() -> None:
    assert check(made()).outcome == "accepted", check(made())
    other = made({"worlds": [1, 2, 3], "outputs": [1, 2]}, {"worlds": [2, 3], "outputs": [0, 1, 2]})
    assert check(other).outcome == "accepted"


@pytest.mark.parametrize("level", ["5", "599999/100000", "600001/100000", "7"])
def test_no_other_level(level: str) -> None:
    assert check(made(level=level)).outcome == "rejected"


@pytest.mark.parametrize(
    ("part", "outcome"),
    [
        ({"worlds": [1, 2, 3], "outputs": [0, 3]}, "rejected"),  # the rest is met with room
        ({"worlds": [1, 2], "outputs": [0]}, "rejected"),
        ({"worlds": [1], "outputs": []}, "rejected"),
        ({"worlds": [1, 2, 3], "outputs": [0]}, "refused"),
        ({"worlds": [1, 2, 3], "outputs": [1, 0]}, "refused"),
        ({"worlds": [1, 2, 3], "outputs": [0, 0]}, "refused"),
        ({"worlds": [1, 3, 2], "outputs": [0, 1]}, "refused"),
        ({"worlds": [0, 1, 2], "outputs": [0, 1]}, "refused"),
        ({"worlds": [1, 2, 3], "outputs": [0, 4]}, "refused"),
        ({"worlds": [], "outputs": []}, "refused"),
        ({"worlds": [1, 2, 3], "outputs": [0, 1], "more": 1}, "refused"),
    ],
)
def test_broken_weights(part: Any, outcome: str) -> None:
    assert check(made(beta=part)).outcome == outcome


@pytest.mark.parametrize(
    ("part", "outcome"),
    [
        ({"worlds": [1, 2], "outputs": [0, 1, 3]}, "rejected"),
        ({"worlds": [], "outputs": [0]}, "rejected"),
        ({"worlds": [1, 2, 3], "outputs": [0, 1, 2]}, "refused"),
        ({"worlds": [0, 1], "outputs": [0, 1, 2]}, "refused"),
        ({"worlds": [], "outputs": []}, "refused"),
    ],
)
def test_broken_counts(part: Any, outcome: str) -> None:
    assert check(made(counts=part)).outcome == outcome


def split(beta: Any = TIED, counts: Any = COUNTS, silent: int = 0, **more: Any) -> Any:
    """The rest as two outputs, of which D has the second alone; a world beside D in s, the mean of
    those of t, has both. The world of t that is `silent` lacks the second."""
    table = [[*column[:3], column[3] / 2, column[3] / 2] for column in columns()]
    table[0][3:] = [F(0), D[3]]
    if silent:
        table[silent][3:] = [2 * table[silent][3], F(0)]
    table.append([sum(parts) / 3 for parts in zip(*table[1:], strict=True)])
    found = made(beta, counts, table=table, **more)
    found["relation"]["secrets"] = {"s": [0, 4], "t": [1, 2, 3]}
    found["relation"]["priors"]["priors"] = [["1/5"] * 5]
    witness = found["evidence"]["witness"]
    witness["lower"]["prior"] = ["1/5"] * 5
    there = 2 if silent == 1 else 1
    witness["upper"] = [[[0, [beta]], [4, [there]]], [[w, [4]] for w in (1, 2, 3)]]
    return found


def test_outputs_that_are_impossible() -> None:
    """Weights are on worlds that have all outputs of D, at outputs of D; so are counts."""
    assert check(split()).outcome == "accepted", check(split())
    assert check(split({"worlds": [1, 2, 3], "outputs": [0, 3]})).outcome == "rejected"
    counts = {"worlds": [1, 2], "outputs": [0, 1, 3]}
    assert check(split(counts=counts)).outcome == "rejected"
    assert check(split(silent=3)).outcome == "rejected"
    least = {"level": "30"}  # world 2 says the third with 1/30 of D's
    for counts in ({"2": 1}, COUNTS):
        assert check(split(2, counts, silent=1, **least)).outcome == "rejected"


def test_too_close() -> None:
    """A sum of logarithms of which bounds do not show the sign soon."""
    hair = 1 + F(1, 10**3000)
    with pytest.raises(ArithmeticError):
        serve([[F(2), F(1, 3)], [F(2), hair / 3]], [0])
    assert serve([[F(2), F(1, 3)], [F(2), (1 + F(1, 10**30)) / 3]], [0])
    assert not serve([[F(2), F(1, 3)], [F(2), (1 - F(1, 10**30)) / 3]], [0])
    assert not serve([[F(2), F(3)], [F(5), F(5)]], [0])  # of both signs
    assert not serve([[F(1), F(1)], [F(5), F(5)]], [0])  # not unique
    assert serve([[F(1, 2), F(3)], [F(1, 2), F(3)]], [0])
    assert not serve([[F(1, 2), F(3)], [F(1, 2), F(1)]], [0])
