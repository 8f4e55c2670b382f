"""Evidence is written with the fields of its class as keys, and numbers as the format asks."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from fractions import Fraction as F

from tests.loops import each
from tests.pages import FORMAT_OF_CERTIFICATES, keys
from verifier.base.level import Leakage
from verifier.questions import evidence as e
from verifier.questions.answer import answer_section, written

CLASSES = [found for found in vars(e).values() if is_dataclass(found) and found is not Leakage]


@each("kind", CLASSES)
def test_every_key_is_on_a_page(kind: type) -> None:
    known = keys(*FORMAT_OF_CERTIFICATES)
    for part in fields(kind):
        if "inline" not in part.metadata:
            named = part.name in known
            assert named, f"{kind.__name__}: the key '{part.name}' is on no page of the format"


def test_a_part_that_is_not_there_has_no_key() -> None:
    assert written(e.ComparisonEvidence(pair=(0, 1), output=2)) == {"pair": [0, 1], "output": 2}
    listed = e.ComparisonEvidence(prior=0, pair=("s", "t"), outputs=[1, 2])
    assert written(listed) == {"prior": 0, "pair": ["s", "t"], "outputs": [1, 2]}
    assert list(written(listed)) == ["prior", "pair", "outputs"]


def test_nothing_is_null_where_it_is_a_part() -> None:
    """A null says that there is no level; a key that is missing says nothing of it."""
    assert written(e.HidingEvidence(None, None)) == {"upper": None, "worst": None}
    assert written(None) is None


def test_coefficients_are_fractions_and_places_are_integers() -> None:
    told = written(e.PayoffEvidence({4: [1, -2]}))
    assert json.dumps(told, default=str) == '{"payoff": {"4": ["1", "-2"]}}'
    made = written(e.WeightsEvidence([[(0, 3, F(1, 2))]]))
    assert json.dumps(made, default=str) == '{"weights": [[[0, 3, "1/2"]]]}'


def test_what_is_inside_stands_beside_the_rest() -> None:
    inside = e.RowsInsideEvidence([[[(0, 1, F(1, 2))]]])
    told = written(e.ExtremeEvidence([[F(1)]], [(1, 1)], [], inside))
    assert list(told) == ["sums", "rays", "mixtures", "weights"]
    assert told["rays"] == [["1", "1"]] and told["weights"] == [[[[0, 1, F(1, 2)]]]]


def test_evidence_inside_evidence() -> None:
    told = written(e.CounterexampleEvidence(e.PayoffEvidence({0: [1]})))
    assert told == {"worst": {"payoff": {"0": ["1"]}}}


def test_what_is_said_is_text() -> None:
    said = e.SaidLevel("holds", Leakage(F(3)), [(F(2), F(1, 4))])
    assert answer_section(said) == {
        "verdict": "holds",
        "leakage": {"exp_epsilon": "3"},
        "tradeoff": [["2", "1/4"]],
    }
    assert answer_section(e.SaidLevel("violated", None)) == {"verdict": "violated", "leakage": None}
    assert answer_section(e.SaidValue("holds", F(4, 2))) == {"verdict": "holds", "value": "2"}
    assert answer_section(e.SaidOneRun("holds", None)) == {"verdict": "holds", "one_run": None}
