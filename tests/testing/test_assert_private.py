"""`assert_private`: about files, texts and questions."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from verifier import InputErrors, Level, Question, database, mechanism
from verifier.definitions import differential_privacy
from verifier.testing import assert_private

RESPONSE = """\
worlds: {{records: [ann, bob], domain: [0, 1]}}
mechanism: {{randomized_response: {{truth: 3/4}}}}
checks:
  - name: one answer
    differential_privacy: {{exp_epsilon: {}}}
"""


def asked(alpha: int, *records: str) -> Question:
    """Whether randomized response with truth 3/4, which leaks 3, keeps e^ε = α."""
    space = database(records=records or ["ann"], domain=[0, 1])
    response = mechanism(space, {"randomized_response": {"truth": "3/4"}})
    level = Level.of_exp_epsilon(alpha)
    return differential_privacy.question(space=space, mechanism=response, level=level)


def test_a_question_that_holds_is_answered() -> None:
    answer = assert_private(asked(3))
    assert answer.verdict == "holds" and answer.certificate is not None


def test_a_question_that_is_violated_shows_the_witness() -> None:
    with pytest.raises(AssertionError) as told:
        assert_private(asked(2))
    first, *rest = str(told.value).splitlines()
    assert first.startswith("  FAILED  differential_privacy: violated; smallest e^ε 3")
    assert "      expected holds, found violated" in rest
    assert any("odds" in line and "ratio 3" in line for line in rest)


def test_a_question_that_stays_undecided_is_no_pass() -> None:
    said = r"undecided  differential_privacy: undecided\n.*limit"
    gc.disable()  # its callbacks swallow what is raised in them
    try:
        with pytest.raises(AssertionError, match=said):
            assert_private(asked(3, *"abcdefghij"), time_limit=0.001)
    finally:
        gc.enable()


def test_a_question_about_nothing_is_no_pass() -> None:
    space = database(records=["ann"], domain=[0])
    constant = mechanism(space, {"deterministic": "0"})
    level = Level.of_exp_epsilon(2)
    empty = differential_privacy.question(space=space, mechanism=constant, level=level)
    with pytest.raises(AssertionError, match="nothing was compared"):
        assert_private(empty)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "survey.yaml"
    path.write_text(RESPONSE.format(3), encoding="utf-8")
    for subject in (path, str(path)):
        report = assert_private(subject)
        assert [result.verdict for result in report.results] == ["holds"]
        assert report.file == str(path)


def test_a_text() -> None:
    assert assert_private(RESPONSE.format(3)).status == "ok"
    with pytest.raises(AssertionError) as told:
        assert_private(RESPONSE.format(2))
    lines = str(told.value).splitlines()
    assert lines[0] == "<text>"
    assert lines[1].startswith("  FAILED  one answer: violated; smallest e^ε 3")


def test_what_is_expected_to_be_violated_passes() -> None:
    assert_private(RESPONSE.format(2) + "    expect: violated\n")
    with pytest.raises(AssertionError, match="expected violated, found holds"):
        assert_private(RESPONSE.format(3) + "    expect: violated\n")


def test_a_bad_text_tells_places_and_hints() -> None:
    with pytest.raises(InputErrors) as told:
        assert_private(RESPONSE.format(3).replace("truth", "trut"))
    assert "<text>:2:" in str(told.value) and "did you mean 'truth'?" in str(told.value)


def test_every_value_of_a_list_is_tried(tmp_path: Path) -> None:
    """3 are needed: 2 fails, 3 and 4 pass; other values may be given."""
    text = RESPONSE.format("n").replace("worlds:", "parameters: {n: 2..4}\nworlds:")
    with pytest.raises(AssertionError) as told:
        assert_private(text)
    assert [line for line in str(told.value).splitlines() if "FAILED" in line] == [
        "  FAILED  one answer (n = 2): violated; smallest e^ε 3 (ε 1.098612)"
    ]
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    assert len(assert_private(path, values={"n": ["3..5"]}).results) == 3
