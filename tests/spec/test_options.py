"""What a file says about secrets, pairs, priors and mechanisms reaches the checks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.definitions.drawn import decide, read
from verifier.base.errors import InputError
from verifier.run import verify

BITS = {"records": "2", "domain": ["0", "1"]}
RESPONSE = {"randomized_response": {"truth": "3/4"}}
TWO = {"one": "r1 == 1", "none": "r1 == 0", "equal": "r1 == r2"}


def spec(check: Any, **more: Any) -> dict[str, Any]:
    return {"worlds": BITS, "mechanism": RESPONSE, "secrets": TWO, **more, "checks": [check]}


def compiled(given: dict[str, Any]) -> Any:
    (check,) = read(given)
    return verify.asked(check).claim


def test_pairs_may_be_generated_and_named_together() -> None:
    options = {"exp_epsilon": "2", "priors": "all", "pairs": ["values", ["one", "none"]]}
    (check,) = read(spec({"pufferfish": options}))
    names = [(left.name, right.name) for left, right in check.pairs().listed]
    assert names == [("none", "one"), ("r1 = 0", "r1 = 1"), ("r2 = 0", "r2 = 1")]


def test_two_secrets_of_one_name_are_refused() -> None:
    """A named secret that reads like a generated one, but means something else."""
    secrets = {"r1 = 1": "r2 == 1", "none": "r2 == 0"}
    options = {"exp_epsilon": "2", "priors": "all", "pairs": ["values", ["r1 = 1", "none"]]}
    with pytest.raises(InputError, match="S401"):
        compiled(spec({"pufferfish": options}, secrets=secrets))
    same = {"r1 = 1": "r1 == 1", "none": "r1 == 0"}
    assert compiled(spec({"pufferfish": options}, secrets=same))


@pytest.mark.parametrize(
    ("pairs", "code"),
    [
        ([["one", "equal"]], "S406"),
        ([["one", "one"]], "S406"),
        ([["one", "nobody"]], "S405"),
        ([["one"]], "S405"),
        ([], "S404"),
        ("presence", "S407"),
        ("everything", "S405"),
    ],
)
def test_pairs_that_are_none(pairs: Any, code: str) -> None:
    options = {"exp_epsilon": "2", "priors": "all", "pairs": pairs}
    with pytest.raises(InputError, match=code):
        compiled(spec({"pufferfish": options}))


@pytest.mark.parametrize(
    ("secrets", "code"),
    [
        ({"00": "r1 == 1"}, "S401"),
        ({"r1": "r1 == 1"}, "S401"),
        ({"never": "r1 > 1"}, "S402"),
        ({"never": []}, "S402"),
        ({"some": ["00", "02"]}, "S208"),
    ],
)
def test_secrets_that_are_none(secrets: Any, code: str) -> None:
    check = {"differential_privacy": {"exp_epsilon": "3"}}
    with pytest.raises(InputError, match=code):
        read(spec(check, secrets=secrets))


def test_secrets_may_use_earlier_ones() -> None:
    secrets = {**TWO, "both": "one and equal", "rest": "not both"}
    (check,) = read(spec({"differential_privacy": {"exp_epsilon": "3"}}, secrets=secrets))
    assert check.model.secrets["both"].tolist() == [False, False, False, True]
    assert check.model.secrets["rest"].tolist() == [True, True, True, False]


LISTED = {"list": ["uniform"]}


@pytest.mark.parametrize(
    ("shared", "own", "words"),
    [
        (LISTED, None, "list of 1"),
        ({"mine": LISTED, "other": "all"}, "mine", "list of 1"),
        ({"mine": LISTED, "other": "all"}, "other", "all"),
        ({"mine": LISTED, "other": "all"}, "product", "product"),
        ({"mine": LISTED}, None, "list of 1"),
        (None, "product", "product"),
        ("all", {"list": ["uniform", "uniform"]}, "list of 2"),
    ],
)
def test_the_priors_of_a_check(shared: Any, own: Any, words: str) -> None:
    options = {"exp_epsilon": "3", "pairs": "values", **({"priors": own} if own else {})}
    more = {} if shared is None else {"priors": shared}
    assert compiled(spec({"pufferfish": options}, **more)).scope["priors"] == words


@pytest.mark.parametrize(
    ("shared", "own", "code"),
    [
        (None, None, "S506"),
        ({"mine": LISTED, "other": "all"}, None, "S506.*mine, other"),
        ({"mine": LISTED, "other": "all"}, "min", "S506"),
        ({"mine": LISTED, "all": "all"}, "mine", "S506"),
        (None, {"list": []}, "S505"),
        (None, "everyone", "S501"),
    ],
)
def test_priors_that_are_none(shared: Any, own: Any, code: str) -> None:
    options = {"exp_epsilon": "3", "pairs": "values", **({"priors": own} if own else {})}
    more = {} if shared is None else {"priors": shared}
    with pytest.raises(InputError, match=code):
        compiled(spec({"pufferfish": options}, **more))


def test_a_check_may_bring_its_own_mechanism() -> None:
    options = {"exp_epsilon": "9", "mechanism": {"repeat": {"of": RESPONSE, "runs": "2"}}}
    answer = decide(spec({"differential_privacy": options}))
    assert answer.leakage is not None and answer.leakage.exp_epsilon == 9
    assert decide(spec({"differential_privacy": {"exp_epsilon": "9"}})).leakage != answer.leakage


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "S601"),
        ({"epsilon": "1", "exp_epsilon": "3"}, "S601"),
        ({"epsilon": "-1"}, "S601"),
        ({"epsilon": "ln(1/2)"}, "S601"),
        ({"exp_epsilon": "1/2"}, "S601"),
        ({"exp_epsilon": "3", "delta": "2"}, "S601"),
        ({"exp_epsilon": "3", "delta": "-1"}, "S601"),
        ({"exp_epsilon": "3", "neighbours": "someone"}, "S603"),
        ({"exp_epsilon": "3", "neighbours": "all", "group": "2"}, "S603"),
        ({"exp_epsilon": "3", "group": "0"}, "S101"),
        ({"exp_epsilon": "3", "typo": "1"}, "S015"),
    ],
)
def test_options_that_are_none(options: Any, code: str) -> None:
    with pytest.raises(InputError, match=code):
        compiled(spec({"differential_privacy": options}))


@pytest.mark.parametrize(
    ("epsilon", "verdict"),
    [
        ("ln(3)", "holds"),
        ("1.0986122886681098", "holds"),
        ("1.098612288668109691395245", "violated"),
        ("1.098612288668109691395246", "holds"),
        ("1.0986", "violated"),
        ("0", "violated"),
        ("1e4", "holds"),
    ],
)
def test_irrational_levels(epsilon: str, verdict: str) -> None:
    """ln 3 = 1.09861228866810969139524523692…"""
    answer = decide(spec({"differential_privacy": {"epsilon": epsilon}}))
    assert answer.leakage is not None and answer.leakage.exp_epsilon == 3
    assert answer.verdict == verdict


def test_one_definition_a_check() -> None:
    for check in ({}, {"differential_privacy": {}, "blowfish": {}}):
        with pytest.raises(InputError, match="S602"):
            read(spec(check))
    with pytest.raises(InputError, match="S606"):
        read({**spec({}), "checks": []})
