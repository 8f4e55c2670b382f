"""Events of one known distribution: comparisons of what it makes likely given each secret.

One bit is told with probability 3/4; a stranger's is 0 or 1 with 1/2. Given 0 the answers have
3/4 and 1/4, of a stranger 1/2 and 1/2. With delta 1/8: 3/4 - a/2 <= 1/8 for a = 5/4, and 1/2 - a/4
<= 1/8 for a = 3/2.
"""

from typing import Any

import pytest

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import between, check

HALF = [[[0], "1/2"], [[1], "1/2"]]
WITNESS = {"prior": 0, "pair": ["gone", "none"], "outputs": [1]}


def made(
    leakage: Any = "3/2",
    weight: str = "1",
    known: Any = HALF,
    witness: Any = WITNESS,
    verdict: str = "holds",
    model: Any = None,
) -> Any:
    columns = {"0": ["3/4", "1/4"], "1": ["1/4", "3/4"]}
    secrets = {"none": {"record": 0, "value": [0]}, "one": {"record": 0, "value": [1]}}
    relation = between(
        {**secrets, "gone": None},
        [["none", "gone"], ["one", "gone"]],
        {"class": "hedging", "weight": weight, "known": known},
    )
    model = model or mechanism_model(columns, [[0], [1]])
    return certificate(model, relation, leakage, verdict, witness, {"delta": "1/8"})


def test_accepted() -> None:
    assert check(made()).outcome == "accepted", check(made())
    # both are 0 for sure; the bit 1, 1/4 against 3/4: 3/4 - a/4 <= 1/8 for 5/2
    sure = [[[0], "1"], [[1], "0"]]
    witness = {"prior": 0, "pair": ["one", "gone"], "outputs": [1]}
    found = made("5/2", known=sure, witness=witness, verdict="violated")
    assert check(found).outcome == "accepted", check(found)
    assert check(made("5/2", witness=witness, verdict="violated")).outcome == "rejected"


def test_a_value_that_is_impossible() -> None:
    """Two records, where the other one never has 1: a world with 1 in it is given by nobody."""
    model = mechanism_model({"0": ["1", "0"], "1": ["0", "1"]}, [[0, 1], [1, 0]])
    known = [[[0], "1"], [[1], "0"]]  # given 0 the other one has 1
    found = made({"vacuous": True}, known=known, witness=None, model=model)
    assert check(found).outcome == "accepted", check(found)
    assert check(made("1", known=known, witness=None, model=model)).outcome == "rejected"


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"leakage": "7/5"}, "rejected"),
        ({"leakage": "8/5"}, "rejected"),
        ({"witness": {**WITNESS, "outputs": [0]}}, "rejected"),
        ({"witness": {**WITNESS, "pair": ["none", "gone"]}}, "rejected"),
        ({"witness": {**WITNESS, "pair": ["none", "one"]}}, "rejected"),
        ({"witness": {**WITNESS, "prior": 1}}, "refused"),
        ({"witness": None}, "rejected"),
        ({"weight": "1/2"}, "refused"),
        ({"weight": "2"}, "rejected"),
        ({"known": [[[0], "1/2"]]}, "refused"),
    ],
)
def test_broken(change: Any, outcome: str) -> None:
    assert check(made(**change)).outcome == outcome, check(made(**change))
