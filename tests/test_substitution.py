"""Numbers of small models become parameters; what is compared, and how a difference is told."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.harden import substitution
from tests.harden.substitution import Substitution, different, found, substitutions
from tests.slips import MODELS
from verifier.base.level import Leakage
from verifier.kernels.regions import Interval, Region
from verifier.questions.answer import Answer
from verifier.questions.curve import Curve, Stretch

HALF, ONE = Fraction(1, 2), Fraction(1)
SMALL = [
    *(("coupled-worlds/all-distributions", "3/4"), ("mechanisms/survey-designs", "7/10")),
    *(("pufferfish/noisy-cells-given-exact-ones", "19/27"), ("pufferfish/zlw-privacy", "8")),
    *(("row-cone/undecided-attacker", "1/2"), ("blowfish/chosen-edges", "4")),
]
FILE = """
worlds: {records: [ann], domain: [0, 1, 2]}
mechanism:
  table: {outputs: [x, y, z], 0: [1/4, 1/2, 1/4], 1: [0.75, 1/8, 1/8], 2: [1/3, 1/3, 1/3]}
priors: {list: [{iid: {0: 1/4, 1: 1/4, 2: 1/2}}]}
checks:
  - title: of 1/4
    error: {loss: "1/4 * ann + 3/4 if ann < 2**1/4 else 1/4/2", at_most: 1/4}
    expect: violated
  - differential_privacy: {exp_epsilon: 4}
    leakage: 5
"""


@pytest.mark.parametrize(("name", "number"), SMALL)
def test_regions_are_the_ordinary_verdicts(name: str, number: str) -> None:
    report = found(Substitution(MODELS / f"{name}.yaml", Fraction(number)), Random(name))
    assert not report.wrong
    assert report.compared >= 5


def test_a_number_is_replaced_wherever_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(FILE)
    assert [str(one.value) for one in substitutions([path])] == ["1/2", "2/3", "3/4", "7/8", "4"]
    made = json.loads(Substitution(path, Fraction(3, 4)).text())
    assert made["parameters"] == {"p": "73/100 < p < 77/100"}
    assert made["mechanism"]["table"]["0"] == ["1 - p", "-1/4 + p", "1/4"]
    assert made["mechanism"]["table"]["1"] == ["p", "7/8 - p", "1/8"]
    assert made["mechanism"]["table"]["2"] == ["1/3"] * 3
    assert made["priors"]["list"][0]["iid"] == {"0": "1 - p", "1": "1/4", "2": "-1/4 + p"}
    first, second = made["checks"]
    assert first["error"]["loss"] == "(1 - p) * ann + (p) if ann < 2**1/4 else 1/4/2"
    assert first["error"]["at_most"] == "1 - p"
    assert first["title"] == "of 1/4" and "expect" not in first
    assert second == {"differential_privacy": {"exp_epsilon": "4"}}
    made = json.loads(Substitution(path, Fraction(4)).text())
    assert made["checks"][1] == {"differential_privacy": {"exp_epsilon": "p"}}


def test_ends_keep_a_level_a_level() -> None:
    assert Substitution(Path(), Fraction(101, 100)).ends == (Fraction(201, 200), Fraction(203, 200))
    assert Substitution(Path(), Fraction(1, 4)).ends == (Fraction(23, 100), Fraction(27, 100))
    assert Substitution(Path(), Fraction(2)).ends == (Fraction(99, 50), Fraction(101, 50))


def test_an_error_has_a_place_and_a_crash_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(FILE.replace("ann]", "ann, ann]"))
    report = found(Substitution(path, Fraction(3, 4)), Random(1))
    assert report.said and report.said[0].startswith("error S") and not report.wrong
    monkeypatch.setattr(substitution, "_compare", lambda *_: {}["no key"])
    assert found(Substitution(path, Fraction(3, 4)), Random(1)).wrong == ["KeyError: 'no key'"]


def curve(*stretches: Stretch) -> Curve:
    """It holds up to 3/4."""
    domain = Interval(HALF, ONE, False, False)
    return Curve("p", domain, stretches, Region((Interval(HALF, Fraction(3, 4), False, True),)))


@pytest.mark.parametrize(
    ("x", "verdict", "level", "said"),
    [
        ("3/4", "holds", "3", None),
        ("3/4", "violated", "3", "the verdict is holds, found violated"),
        ("4/5", "holds", "4", "the verdict is violated, found holds"),
        ("4/5", "violated", "4", None),
        ("4/5", "violated", "5", "it is p/(1 - p), found 5"),
        ("4/5", "violated", "infinite", "it is p/(1 - p), found infinite"),
    ],
)
def test_differences(x: str, verdict: str, level: str, said: str | None) -> None:
    whole = curve(Stretch(Interval(HALF, ONE, False, False), (0, 1), (1, -1)))
    known = Leakage() if level == "infinite" else Leakage(Fraction(level))
    answer = Answer(verdict, known)
    assert different(whole, Fraction(x), answer) == said


@pytest.mark.parametrize(
    ("sense", "root", "level", "differs"),
    [
        *(("", 1, 4, False), ("", 2, 2, False), ("", 2, 4, True), ("at most", 1, 3, False)),
        *(("at most", 1, 5, True), ("at least", 1, 5, False), ("at least", 1, 3, True)),
    ],
)
def test_roots_and_sides(sense: str, root: int, level: int, differs: bool) -> None:
    """At 4/5 it is said to be the root of 4, or on one side of it."""
    whole = curve(Stretch(Interval(HALF, ONE, False, False), (0, 1), (1, -1), root, sense))
    answer = Answer("violated", Leakage(Fraction(level)))
    assert (different(whole, Fraction(4, 5), answer) is not None) == differs


def test_no_level_where_others_have_one() -> None:
    part = curve(Stretch(Interval(HALF, Fraction(3, 4), False, True), (0, 1), (1, -1)))
    assert different(part, Fraction(4, 5), Answer("violated", Leakage(Fraction(4)))) is not None
