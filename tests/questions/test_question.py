"""The digest of a question's content: the same wherever the question stands, and only then."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode
from fractions import Fraction
from pathlib import Path

import pytest

import verifier
from verifier.run.verify import answer

HEAD = (
    "worlds: {records: [ann, bob], domain: [0, 1]}\nmechanism: {randomized_response: {truth: %s}}\n"
)
CHECK = "  - differential_privacy: {exp_epsilon: %s}\n"


def contents(path: Path, text: str) -> list[str]:
    path.write_text(text)
    found = [asked.question for asked in verifier.load(path).questions]
    assert all(question is not None for question in found)
    return [question.content for question in found if question is not None]


def test_content_is_the_digest_without_a_source(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    (content,) = contents(path, HEAD % "3/4" + "checks:\n" + CHECK % 3)
    question = verifier.load(path).questions[0].question
    assert question is not None and question.source is not None
    section = {**question.stated().whole, "source": None}
    text = json.dumps(section, sort_keys=True, separators=(",", ":"), default=str)
    assert content == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert content != question.digest


def test_place_comment_spelling_and_expectation_are_no_content(tmp_path: Path) -> None:
    plain = HEAD % "3/4" + "checks:\n" + CHECK % 3
    moved = "# the same\n" + HEAD % "0.75" + "checks:\n" + CHECK % 2 + CHECK % "6/2"
    asked = "differential_privacy: {exp_epsilon: 3, neighbours: replace}"
    named = HEAD % "3/4" + f"checks:\n  - {{{asked}, name: one, expect: violated}}\n"
    (first,) = contents(tmp_path / "spec.yaml", plain)
    other, second = contents(tmp_path / "moved.yaml", moved)
    (third,) = contents(tmp_path / "named.yaml", named)
    assert first == second == third != other


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("3/4", "2/3", True),
        ("exp_epsilon: 3", "exp_epsilon: 4", True),
        ("exp_epsilon: 3", "exp_epsilon: 3, delta: 1/10", True),
        ("exp_epsilon: 3", "exp_epsilon: 3, tradeoff: [1]", True),
        ("exp_epsilon: 3", "exp_epsilon: 3, neighbours: all", False),
        ("bob]", "bob, cat]", False),
        ("[0, 1]", "[0, 2]", False),
        ("differential_privacy: {", "metric_privacy: {distance: hamming, ", False),
    ],
)
def test_a_promise_is_without_mechanism_and_level(
    tmp_path: Path, old: str, new: str, same: bool
) -> None:
    promises = []
    text = HEAD % "3/4" + "checks:\n" + CHECK % 3
    for number, one in enumerate((text, text.replace(old, new))):
        path = tmp_path / f"{number}.yaml"
        path.write_text(one)
        (asked,) = verifier.load(path).questions
        assert asked.question
        promises.append(asked.question.promise)
    assert text != text.replace(old, new)
    assert (promises[0] == promises[1]) == same


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3/4", "2/3"),
        ("exp_epsilon: 3", "exp_epsilon: 4"),
        ("[0, 1]", "[1, 0]"),
        ("exp_epsilon: 3", "exp_epsilon: 3, delta: 1/10"),
        ("exp_epsilon: 3", "exp_epsilon: 3, tradeoff: [1]"),
    ],
)
def test_what_changes_an_answer_is_content(tmp_path: Path, old: str, new: str) -> None:
    text = HEAD % "3/4" + "checks:\n" + CHECK % 3
    assert contents(tmp_path / "a.yaml", text) != contents(
        tmp_path / "a.yaml", text.replace(old, new)
    )


PAIRED = """\
worlds: {records: [ann, bob], domain: [0, 1]}
secrets: {a0: ann == 0, a1: ann == 1, b0: bob == 0, b1: bob == 1}
pairs: %s
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - pufferfish: {exp_epsilon: 4, priors: %s}
  - influence: {exp_epsilon: 81, entries: 1, priors: {list: [uniform]}}
"""


def test_pairs_in_any_order_are_one_question(tmp_path: Path) -> None:
    """And the checker accepts its certificate, for worlds and for channels."""
    for priors in ("product", "{list: [uniform]}", "{hull: [uniform]}"):
        found = []
        for pairs in ("[[a0, a1], [b0, b1]]", "[[b0, b1], [a0, a1]]", "[[b1, b0], [a1, a0]]"):
            path = tmp_path / "a.yaml"
            found.append(contents(path, PAIRED % (pairs, priors)))
            for asked in verifier.load(path).questions:
                assert asked.question and answer(asked.question).certificate
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("people", "bytes_of_one"), [(120, 1), (300, 2)])
def test_columns_of_many_outputs_are_text(people: int, bytes_of_one: int, tmp_path: Path) -> None:
    """One byte or two for each code, the lower one first; what is read again is the mechanism."""
    path = tmp_path / "spec.yaml"
    noise = f"query: count(value == 1), ratio: 1/2, low: 0, high: {people}"
    path.write_text(
        f"worlds: {{records: {people}, domain: [0, 1], exchangeable: true}}\n"
        f"mechanism: {{geometric: {{{noise}}}}}\n"
        "checks: [{differential_privacy: {exp_epsilon: 2}}]\n"
    )
    (found,) = verifier.load(path).questions
    assert found.question is not None
    section = found.question.stated().whole["model"]
    values, column = section["values"], b64decode(section["columns"][0])
    assert (len(values) > 256) == (bytes_of_one == 2)
    assert len(column) == bytes_of_one * (people + 1)
    codes = [
        int.from_bytes(column[at : at + bytes_of_one], "little")
        for at in range(0, len(column), bytes_of_one)
    ]
    half = Fraction(1, 2)
    inner = [half**z / 3 for z in range(1, people)]
    assert [values[code] for code in codes] == [Fraction(2, 3), *inner, half**people * 2 / 3]
