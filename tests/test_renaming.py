"""Other values in place of those of a domain: what is rewritten, and that no answer changes."""

from __future__ import annotations

from random import Random

import pytest

from tests.renaming import (
    SCHEMES,
    Skipped,
    Text,
    compared,
    drawn,
    of_definitions,
    renaming,
    rewritten,
)
from tests.slips import MODELS
from verifier.base import document

SMALL = [
    *("mechanisms/mixture", "mechanisms/local-survey", "mechanisms/rappor"),
    *("blowfish/partition", "composition/influence-of-attributes", "coupled-worlds/schools"),
    *("blowfish/pufferfish-with-edges", "pufferfish/independent-records"),
]
FILE = """
worlds: {records: [ann, bob], domain: [0, 1], where: ann == 0 or bob != 1}
secrets: {a: "ann == 1 and count(value == 0) == 1", b: ["00"]}
mechanisms:
  m:
    program: |
      kept = [ann if draw(bernoulli(1/2)) == 1 else 0]
      if kept[0] in (0, bob):
          return kept
      return [bob]
  t: {table: {outputs: [00, other], 00: [1, 0], 01: {other: 1}, 10: [1/2, 1/2]}}
priors: {list: [{iid: {0: 1/3, 1: 2/3}}]}
checks:
  - error: {loss: "1 if output == (0, bob) else 0", mechanism: t}
"""


def test_a_value_is_rewritten_wherever_it_stands() -> None:
    top = document.parse(FILE)
    assert isinstance(top, document.Mapping)
    again = rewritten(top, renaming(top, "zeros"))
    assert again["worlds"]["domain"] == ["00", "01"]
    assert again["worlds"]["where"] == "ann == '00' or bob != '01'"
    assert again["secrets"] == {
        "a": "ann == '01' and count(value == '00') == 1",
        "b": ["(00, 00)"],
    }
    assert again["mechanisms"]["t"]["table"] == {
        "outputs": ["(00, 00)", "other"],
        "(00, 00)": ["1", "0"],
        "(00, 01)": {"other": "1"},
        "(01, 00)": ["1/2", "1/2"],
    }
    assert again["priors"] == {"list": [{"iid": {"00": "1/3", "01": "2/3"}}]}
    assert again["checks"][0]["error"]["loss"] == "1 if output == ('00', bob) else 0"
    program = again["mechanisms"]["m"]["program"]
    assert "== 1 else '00']\n" in program and "in ('00', bob):" in program


def test_what_computes_with_values_is_left_alone() -> None:
    top = document.parse(FILE)
    by = renaming(top, "words")
    for text in ("ann + 1", "ann < bob", "xor(ann, bob)", "abs(output - ann)", "[1, 2][bob]"):
        with pytest.raises(Skipped, match="computes with values"):
            Text(by, text).renamed("eval")
    for program, reason in (
        ("x = draw({0: 1/2, 1: 1/2})\nreturn x == ann", "is compared with"),
        ("if bob == 1:\n    return ann\nreturn 0", "a value and a constant are returned"),
    ):
        with pytest.raises(Skipped, match=reason):
            Text(by, program).renamed("exec")


def test_other_values_change_no_answer() -> None:
    """Of some models, of drawn files about databases as outputs, and of drawn definitions."""
    same = 0
    for at, name in enumerate(SMALL):
        path = MODELS / f"{name}.yaml"
        for scheme in [*SCHEMES][at % 2 :: 2]:
            try:
                same += compared("", scheme, path)
            except Skipped:
                continue
    assert same > 40
    random = Random(5)
    for scheme in SCHEMES:
        assert compared(drawn(random), scheme) >= 5
    assert of_definitions(14, 3) > 8
