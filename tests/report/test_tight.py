"""The tight example of a check in the JSON report: held or violated, with the prior's place."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

import verifier
from verifier.questions.witness import Belief, GivenWitness, OutputWitness
from verifier.report import json as report
from verifier.report.json import result_as_json

SPEC = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
pairs: [[same, different]]
secrets: {same: ann == bob, different: ann != bob}
priors:
  fair: {list: [uniform]}
  biased: {list: [uniform, {worlds: {"00": 1/2, "01": 1/2}}]}
  any: all
checks:
  - pufferfish: {exp_epsilon: LEVEL, priors: biased}
  - pufferfish: {exp_epsilon: LEVEL, priors: fair}
  - pufferfish: {exp_epsilon: LEVEL, priors: any}
  - pufferfish: {exp_epsilon: LEVEL, priors: {list: [{worlds: {"00": 1/2, "01": 1/2}}]}}
  - differential_privacy: {exp_epsilon: LEVEL}
"""


def tight(folder: Path, level: str) -> list[dict[str, Any]]:
    """What the checks at a level show."""
    path = folder / "spec.yaml"
    path.write_text(SPEC.replace("LEVEL", level), encoding="utf-8")
    found = [result_as_json(result) for result in verifier.check(path).results]
    for one in found:
        assert (one["witness"] is not None) == (one["verdict"] == "violated")
        assert one["witness"] is None or one["witness"].items() <= one["tight"].items()
    return [one["tight"] for one in found]


@pytest.mark.parametrize("level", ["1", "9"])
def test_the_prior_has_its_place_and_its_class_a_name(tmp_path: Path, level: str) -> None:
    """Under 00 and 01 alone the mechanism tells Bob's bit: P(01 | 01) = 9/16 is three times P(01 |
    00) = 3/16. Secrets of a pair stand in the order of their names."""
    biased, fair, every, alone, plain = tight(tmp_path, level)
    assert biased == {
        "pair": ["different", "same"],
        "prior": {"00": "1/2", "01": "1/2"},
        "prior_odds": "1",
        "output": "01",
        "posterior_odds": "3",
        "ratio": "3",
        "prior_index": 2,
        "prior_name": "biased",
    }
    # uniform: P(00 | same) = (9/16 + 1/16)/2 = 5/16, P(00 | different) = 3/16
    assert (fair["ratio"], fair["prior_index"], fair["prior_name"]) == ("5/3", 1, "fair")
    assert every["ratio"] == "3"  # same and different worlds differ in one bit, as 00 and 01
    assert every["prior_name"] == "any" and "prior_index" not in every
    assert alone["prior_index"] == 1 and "prior_name" not in alone
    assert plain["pair"] == ["00", "01"] and not {"prior_index", "prior_name"} & set(plain)


def test_the_prior_of_a_given_mechanism_has_its_place() -> None:
    shown = OutputWitness(Belief(("s", "t"), {"w": F(1)}, place=3), "yes", None)
    told = report.tight(GivenWitness("survey", shown), "biased")
    assert (told["given"], told["prior_index"], told["prior_name"]) == ("survey", 3, "biased")
