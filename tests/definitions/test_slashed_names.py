"""Names of values and worlds with a slash mean what they name, whatever number they look like."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.definitions.drawn import decide

ANN = {"records": ["ann"], "domain": {"x": [0, 1, 2], "y": [0, 1, 2]}}
WORLDS = ["0/0", "1/0", "2/4", "1/2"]
NOISY = {"program": "return (draw(geometric(ann.x, 1/2, 0, 2)), draw(geometric(ann.y, 1/2, 0, 2)))"}
ROWS = {"0/0": ["1/2", "1/2"], "1/0": ["1/4", "3/4"], "2/4": ["1/2", "1/2"], "1/2": ["1/2", "1/2"]}
TABLE = {"table": {"outputs": ["a", "b"], **ROWS}}

# keyword, its options, the smallest e^ε: one step of x or y costs 2, as does 1/2 against 1/4
ASKED: list[tuple[dict[str, Any], str, dict[str, Any], Fraction]] = [
    (ANN, "blowfish", {"graph": {"edges": [["0/0", "1/0"]]}}, Fraction(2)),
    (ANN, "blowfish", {"graph": {"edges": [["2/2", "1/2"]]}}, Fraction(2)),
    (ANN, "blowfish", {"graph": {"edges": [["1/2", "2/1"]]}}, Fraction(4)),
    (ANN, "blowfish", {"graph": {"partition": [["0/0", "2/0"], ["1/1"]]}}, Fraction(4)),
    (ANN, "blowfish", {"graph": {"records": {"ann": {"edges": [["0/1", "0/0"]]}}}}, Fraction(2)),
    (
        ANN,
        "blowfish",
        {"graph": {"distance": "1", "between": [["0/0", "2/2", "1/2"]]}},
        Fraction(16),
    ),
    (
        {},
        "metric_privacy",
        {"distance": {"graph": [["0/0", "1/0", "1"], ["2/4", "1/2", "1/2"]]}},
        Fraction(2),
    ),
    ({}, "differential_privacy", {"neighbours": {"pairs": [["0/0", "1/0"]]}}, Fraction(2)),
]


def test_slashed_names_of_priors() -> None:
    """The output y has 1/3 and 2/3 given x = 0, 1/2 each given x = 1: 3/2 is needed."""
    iid = {"0/0": "1/6", "0/1": "1/3", "1/0": "1/4", "1/1": "1/4"}
    worlds = {f"({value})": share for value, share in iid.items()}
    bits = {"records": ["ann"], "domain": {"x": [0, 1], "y": [0, 1]}}
    file = {
        "worlds": bits,
        "mechanism": {"deterministic": "ann.y"},
        "secrets": {"s": ["(0/0)", "(0/1)"], "t": ["(1/0)", "(1/1)"]},
        "pairs": [["s", "t"]],
    }
    for prior in ({"iid": iid}, {"worlds": worlds}):
        check = {"pufferfish": {"exp_epsilon": "2", "priors": {"list": [prior]}}}
        leakage = decide({**file, "checks": [check]}).leakage
        assert leakage is not None and leakage.exp_epsilon == Fraction(3, 2), prior


def test_slashed_names() -> None:
    """The smallest level is that between the worlds named, and a certificate states these names."""
    wrong = []
    for space, keyword, options, expected in ASKED:
        worlds, mechanism = (space, NOISY) if space else (WORLDS, TABLE)
        check = {keyword: {"exp_epsilon": "16", **options}}
        answer = decide({"worlds": worlds, "mechanism": mechanism, "checks": [check]})
        assert answer.leakage is not None and answer.certificate is not None
        stated = answer.certificate["question"]["options"]
        if answer.leakage.exp_epsilon != expected or not stated.items() >= options.items():
            wrong.append((keyword, options, answer.leakage, stated))
    assert not wrong
