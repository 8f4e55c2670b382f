"""Composition on tables worked by hand: irrational levels, ties, zeros, supports, sets."""

from __future__ import annotations

from fractions import Fraction as F
from math import isqrt
from typing import Any

import pytest

from tests.definitions.drawn import Json, decide, read
from verifier.base.errors import InputError
from verifier.definitions.composition import value
from verifier.questions.answer import Answer
from verifier.run import verify


def file(s: list[str], t: list[str], priors: Any = None) -> Json:
    """Worlds of two secrets, given as their rows; the secrets' worlds are s1, s2, …, t1, t2, …"""
    rows = {
        f"{name}{k + 1}": row for name, side in (("s", s), ("t", t)) for k, row in enumerate(side)
    }
    table = {world: row.split() for world, row in rows.items()}
    return {
        "worlds": list(rows),
        "secrets": {n: [w for w in rows if w[0] == n[0]] for n in ("same", "to")},
        "pairs": [["same", "to"]],
        "priors": priors or {"list": ["uniform"]},
        "mechanism": {
            "table": {"outputs": [*"xyz"][: len(table["s1"])], **table},
        },
    }


def checked(spec: Json, **level: Any) -> Answer:
    return decide({**spec, "checks": [{"composition": level}]})


# World s1 against two worlds that mirror each other; s2 and s3 are there so that the other order
# of the pair asks for nothing. The mean of t1 and t2 is sqrt(p·(1 − p)) in both outputs.
RATIONAL = file(["1/2 1/2", "1/5 4/5", "4/5 1/5"], ["1/5 4/5", "4/5 1/5"])  # (1/2) / sqrt(4/25)
IRRATIONAL = file(["1/2 1/2", "1/3 2/3", "2/3 1/3"], ["1/3 2/3", "2/3 1/3"])  # (1/2) / sqrt(2/9)


def test_a_tie_of_two_worlds_is_exact() -> None:
    """One world would ask for 5/2, the mean of two for 5/4."""
    answer = checked(RATIONAL, exp_epsilon="5/4")
    assert answer.verdict == "holds" and answer.leakage and answer.leakage.exp_epsilon == F(5, 4)
    assert answer.certificate is not None
    evidence = answer.certificate["evidence"]["witness"]
    assert evidence["upper"][0][0] == [0, [{"3": F(1, 2), "4": F(1, 2)}]]
    assert evidence["lower"]["counts"] == {"0": 1, "1": 1}
    assert any("1 need" in note for note in answer.scope["notes"])


def test_the_run_that_refutes() -> None:
    """(1/2)^2 against (1/5)(4/5): ratio 25/16 in two runs, 3/2 is less than (5/4)^2 only with
    levels below 5/4; s1 has a third of the weight of its secret."""
    answer = checked(RATIONAL, exp_epsilon="6/5")
    assert answer.verdict == "violated" and answer.witness is not None
    found = answer.witness.as_json()
    assert found["pair"] == ["same", "to"] and found["world"] == "s1"
    assert found["run"] == {"x": 1, "y": 1} and found["prior_odds"] == "3/2"
    times = found["repetitions"]

    def fails(r: int) -> bool:  # given s: s1 has ratio 25/16, s2 and s3 have ratio 1
        return (F(25, 16) ** r + 2) / 3 > F(6, 5) ** (2 * r)

    assert fails(times) and not fails(times - 1) and found["runs"] == 2 * times


def test_an_irrational_level_is_enclosed() -> None:
    answer = checked(IRRATIONAL, exp_epsilon="17/16")
    assert answer.verdict == "holds" and answer.leakage and answer.leakage.bounds
    low, high = answer.leakage.bounds
    assert low**2 < F(9, 8) < high**2 and high - low < F(1, 10**9)


@pytest.mark.parametrize("digits", [10, 20, 60])
def test_levels_close_to_an_irrational_one(digits: int) -> None:
    """sqrt(9/8), cut off after some digits, and one step more."""
    steps = isqrt(9 * 10 ** (2 * digits) // 8)
    below, above = F(steps, 10**digits), F(steps + 1, 10**digits)
    assert checked(IRRATIONAL, exp_epsilon=str(below)).verdict == "violated"
    assert checked(IRRATIONAL, exp_epsilon=str(above)).verdict == "holds"


def test_a_tie_that_needs_irrational_weights() -> None:
    """Output x asks for 6/5 with any weights. At 6/5 outputs y and z leave 3^β·2^(β−1) = 1 only."""
    tie = ["5/12 1/2 1/12", "5/12 1/12 1/2"]
    spec = file(["1/2 1/5 3/10", *tie], tie)
    assert checked(spec, exp_epsilon="6/5").verdict == "holds"
    assert checked(spec, exp_epsilon="1199999/1000000").verdict == "violated"
    answer = checked(spec, exp_epsilon="1200001/1000000")
    assert answer.verdict == "holds" and answer.leakage
    assert answer.leakage.exp_epsilon == F(6, 5)


def test_worlds_that_lack_an_output_are_beaten_too() -> None:
    """t2 never gives y. Weights can only be on t1: level 2. The output x alone speaks for t2."""
    spec = file(["1/2 1/2 0", "1/4 1/4 1/2", "1 0 0"], ["1/4 1/4 1/2", "1 0 0"])
    answer = checked(spec, exp_epsilon="3/2")
    assert answer.leakage and answer.leakage.exp_epsilon == 2
    assert answer.witness is not None and answer.witness.as_json()["run"] == {"y": 1}


def test_infinite_where_every_world_lacks_an_output() -> None:
    spec = file(["1/3 1/3 1/3", "1/2 1/2 0", "0 1/2 1/2"], ["1/2 1/2 0", "0 1/2 1/2"])
    answer = checked(spec, exp_epsilon="1000000")
    assert answer.leakage and answer.leakage.infinite
    assert answer.witness is not None
    assert (
        answer.witness.as_json()["run"] == {"x": 1, "z": 1}
        and answer.witness.as_json()["repetitions"] == 1
    )
    assert answer.witness.as_json()["ratio"] == "infinite"


def test_step_3_of_theorem_5_2_has_the_wrong_sign() -> None:
    """Outputs x and y are met with equality by the mean of two worlds: 2 = sqrt(1·4). As one output
    they are 4 against sqrt(5·5) = 5. The proof's step (3) says that the weighted logarithm of the
    sums, here ln 4 - ln 5, is at least the average of 0 and 0."""
    before = [[F(2, 16), F(1, 16), F(4, 16)], [F(2, 16), F(4, 16), F(1, 16)]]
    rest = [F(12, 16), F(11, 16), F(11, 16)]
    mean = [(0, {1: F(1, 2), 2: F(1, 2)})]
    assert value(before, mean) == (1, 1)
    merged = [sum(column, F(0)) for column in zip(*before, strict=True)]
    assert merged == [F(4, 16), F(5, 16), F(5, 16)] and value([merged], mean) == (1, 1)
    assert value([*before, rest], mean) == (F(144, 121), 2) == value([merged, rest], mean)


MIRRORED = ["3/4 1/4", "1/4 3/4"]


def test_supports_are_not_to_be_missed() -> None:
    """With all worlds possible each has its like on the other side; without t1 it has not."""
    assert _level(file(MIRRORED, MIRRORED)) == 1
    prior = {"worlds": {"s1": "1/2", "t2": "1/2"}}
    assert _level(file(MIRRORED, MIRRORED, {"list": [prior]})) == 3
    assert _level(file(MIRRORED, MIRRORED, {"list": ["uniform", prior]})) == 3


def test_impossible_worlds_ask_for_nothing() -> None:
    """s2 always gives x; the prior excludes it."""
    spec = file(["1/2 1/2", "1 0"], ["1/2 1/2"])
    assert _level(spec) == 2
    possible = {"worlds": {"s1": "1/2", "t1": "1/2"}}
    assert _level({**spec, "priors": {"list": [possible]}}) == 1


def test_unions_of_supports() -> None:
    """A mixture has more worlds to choose from, so it asks for nothing more."""
    priors = [{"worlds": {"s1": "1/2", t: "1/2"}} for t in ("t1", "t2")]
    spec = file(["1/2 1/2"], MIRRORED, {"hull": priors})
    assert _level(spec) == 2 == _level({**spec, "priors": {"list": priors}})


def _level(spec: Json) -> F | None:
    answer = checked(spec, exp_epsilon="100")
    assert answer.leakage is not None
    return answer.leakage.exp_epsilon


PAD = {
    "worlds": {"records": "2", "domain": ["0", "1"]},
    "secrets": {"yes": "r1 == 1", "no": "r1 == 0"},
    "pairs": [["yes", "no"]],
    "priors": {"list": ["uniform"]},
    "mechanisms": {
        "key": {"deterministic": "r2"},
        "sum": {"deterministic": "xor(r1, r2)"},
    },
}


@pytest.mark.parametrize("key", ["of", "sequence"])
def test_a_set_of_mechanisms(key: str) -> None:
    """The key alone and the encrypted bit alone tell nothing; both of them everything."""
    for name in ("key", "sum"):
        assert checked(PAD, exp_epsilon="1", **{key: [name]}).verdict == "holds"
    answer = checked(PAD, exp_epsilon="1000000", **{key: ["key", "sum"]})
    assert answer.leakage and answer.leakage.infinite and answer.witness
    run = {"key: 0": 1, "sum: 0": 1} if key == "of" else {"(0, 0)": 1}
    assert answer.witness.as_json()["run"] == run


def test_a_sequence_counts_as_one_run() -> None:
    """Responses with 2/3 and 3/4: in any order 3 is needed, for both together 2 · 3."""
    tables = {"two": ["2/3", "1/3"], "three": ["3/4", "1/4"]}
    spec = {
        "worlds": ["w", "v"],
        "secrets": {"s": ["w"], "t": ["v"]},
        "pairs": [["s", "t"]],
        "priors": {"list": ["uniform"]},
        "mechanisms": {
            name: {"table": {"outputs": ["y", "n"], "w": row, "v": row[::-1]}}
            for name, row in tables.items()
        },
    }
    for key, level in (("of", 3), ("sequence", 6)):
        answer = checked(spec, exp_epsilon="5", **{key: ["two", "three"]})
        assert answer.leakage and answer.leakage.exp_epsilon == level
        assert answer.verdict == ("holds" if level <= 5 else "violated")


def test_results_name_all_mechanisms() -> None:
    (check,) = read(
        {**PAD, "checks": [{"composition": {"exp_epsilon": "1", "of": ["key", "sum"]}}]}
    )
    assert check.mechanism_name() == "key, sum"


def test_a_set_beside_a_mechanism_is_refused() -> None:
    options = {"exp_epsilon": "1", "of": ["key"], "mechanism": "sum"}
    (check,) = read({**PAD, "checks": [{"composition": options}]})
    with pytest.raises(InputError, match="S605"):
        verify.asked(check)
