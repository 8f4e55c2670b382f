"""Reuse: with any cache, true or poisoned, the answers are those of a run without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NoReturn
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verifier
from tests.checker.forgeries import EMPTIES, OTHER, SOURCES, part, places
from tests.drawing import examples, wider
from tests.golden.reports import FOLDERS
from tests.loops import each
from tests.models.model_files import MODELS, decided, decided_with, some_files
from verifier import checker
from verifier.questions.answer import Answer, write
from verifier.questions.question import Question
from verifier.report.json import result_as_json
from verifier.run import verify
from verifier.run.verify import Options, Result
from verifier.spec.asked import Asked

Json = dict[str, Any]
Case = tuple[str, int]  # a model file, and the number of a check
CASES: list[Case] = [(f"{name}.yaml", number) for name, ns in SOURCES.items() for number in ns]
CASES = CASES[:: wider(3, 1)]
ODD: list[Any] = [*EMPTIES, OTHER, True, 0, -1, 1.0, 10**30, "0", "1", "-1/3", "1/0", "2/4", "x"]
SAID = ("verdict", "leakage", "value", "tradeoff")


class Entries:
    """A cache in memory, with what somebody has put there."""

    def __init__(self, kept: dict[str, Any] | None = None) -> None:
        self.kept = kept or {}

    def get(self, question: str) -> Any:
        return deepcopy(self.kept.get(question))

    def put(self, question: str, section: Json) -> None:
        self.kept[question] = json.loads(json.dumps(section, default=str))


@cache
def asked(file: str) -> tuple[list[Result], tuple[Asked, ...]]:
    read = verifier.load(MODELS / file)
    return verify.unsettled(f"models/{file}", read), tuple(read.questions)


def settled(case: Case, entries: Any) -> Result:
    results, questions = asked(case[0])
    return verify.settled(results[case[1]], questions[case[1]], Options(cache=entries))


@cache
def plain(case: Case) -> Result:
    return settled(case, None)


def kept(result: Result) -> Json:
    """What a cache keeps of it, as it comes out of a file."""
    assert result.certificate is not None
    certificate = json.loads(write(result.certificate))
    return {key: certificate[key] for key in ("answer", "evidence")}


def content(case: Case) -> str:
    found = plain(case).content
    assert found is not None
    return found


def report(result: Result) -> Json:
    """All that is told of it, but how long it took."""
    return {**result_as_json(result), "seconds": 0}


def says(result: Result) -> list[Any]:
    """What is proved."""
    assert result.certificate is not None
    answer = kept(result)["answer"]
    return [result.status, result.mismatch, *(answer.get(key) for key in SAID)]


def no_engine(*arguments: object) -> NoReturn:
    raise AssertionError("an engine was asked")


@cache
def outcome(certificate: str) -> str:
    """What the checker says of a certificate as it is written."""
    return checker.check(json.loads(certificate)).outcome


def assert_as_without(case: Case, entry: Any) -> None:
    """With this entry for its question, a check ends as it does without a cache. An engine that is
    asked again says the same again, to which the checker has no objection."""
    first, entries = plain(case), Entries({content(case): entry})
    engine = {"decide": lambda question: first.answer, "_objection": lambda answer: None}
    with patch.multiple(verify, **engine):
        result = settled(case, entries)
    assert says(result) == says(first)
    assert outcome(write(result.certificate or {})) == "accepted"
    if kept(result) == kept(first):
        assert report(result) == report(first)


def is_kept(result: Result) -> bool:
    """Whether its answer has no weaker one beside it that is true too. One about all values of
    parameters is found again."""
    return (
        result.answer.curve is None
        and (result.certificate or {"question": {}})["question"].get("kind") != "parameters"
        and result.verdict != "undecided"
        and "lower" not in (kept(result)["answer"].get("leakage") or {})
    )


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_second_run_tells_the_same_and_asks_no_engine(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = Entries()
    first = [result for file in some_files(folder) for result in decided(f"{folder}/{file}")]
    for result in filter(is_kept, first):
        entries.put(result.content or "", kept(result))
    answers = {one.content: one.answer for one in first}
    anew: list[str] = []

    def decide(question: Question) -> Answer:
        anew.append(question.content)
        return answers[question.content]

    monkeypatch.setattr(verify, "decide", decide)
    options = Options(cache=entries)  # type: ignore[arg-type]
    again = [
        one for file in some_files(folder) for one in decided_with(f"{folder}/{file}", options)
    ]
    for one, other in zip(again, first, strict=True):
        assert report(one) == report(other)
        assert write(one.certificate or {}) == write(other.certificate or {})
        assert [str(note) for note in one.notes] == [str(note) for note in other.notes]
    assert anew == [one.content for one in first if one.content and not is_kept(one)]


def test_what_is_decided_is_kept_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    case, entries = CASES[0], Entries()
    first = settled(case, entries)
    assert entries.kept == {content(case): kept(first)}
    monkeypatch.setattr(verify, "decide", no_engine)
    assert report(settled(case, entries)) == report(first)


@each("case", CASES)
def test_the_entry_of_another_question(case: Case) -> None:
    for other in Random(str(case)).sample(CASES, 3):
        assert_as_without(case, kept(plain(other)))


def forged_answers(answer: Json) -> Iterator[Json]:
    """Other verdicts and numbers, in every place."""
    for verdict in ("holds", "violated", "undecided", "accepted", None):
        yield {**answer, "verdict": verdict}
    for key, others in {
        "leakage": ({"exp_epsilon": "1"}, {"infinite": True}, {"vacuous": True}, None),
        "value": ("0", "1", "1000000", None),
    }.items():
        yield from ({**answer, key: other} for other in others if answer.get(key) != other)
        yield {name: part for name, part in answer.items() if name != key}


@each("case", CASES)
def test_forged_answers(case: Case) -> None:
    entry = kept(plain(case))
    for answer in forged_answers(entry["answer"]):
        assert_as_without(case, {**entry, "answer": answer})


@pytest.mark.parametrize("entry", [*ODD, {"answer": {}, "evidence": {}}, {"answer": {}}], ids=str)
def test_garbage(entry: Any) -> None:
    for case in CASES[::4]:
        assert_as_without(case, entry)


def with_part(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another part at a place."""
    if not path:
        return value
    found = deepcopy(document)
    part(found, path[:-1])[path[-1]] = value
    return found


@examples(600)
@given(data=st.data(), case=st.sampled_from(CASES))
def test_any_part_exchanged(data: st.DataObject, case: Case) -> None:
    entry = kept(plain(case))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(list(places(entry))))
        other = part(entry, data.draw(st.sampled_from(list(places(entry)))))
        entry = with_part(entry, path, data.draw(st.sampled_from([*ODD, other])))
    assert_as_without(case, entry)


@examples(200)
@given(data=st.data(), case=st.sampled_from(CASES))
def test_any_part_left_out(data: st.DataObject, case: Case) -> None:
    entry = kept(plain(case))
    path = data.draw(st.sampled_from(list(places(entry))[1:]))
    del part(entry, path[:-1])[path[-1]]
    assert_as_without(case, entry)


def test_an_entry_may_not_end_in_an_error_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[0]
    for error in (MemoryError, RecursionError, AttributeError, verifier.LimitReached):

        def fail(*arguments: object, error: type[Exception] = error) -> NoReturn:
            raise error("spoilt")

        with monkeypatch.context() as patched:
            patched.setattr(verify, "read_proof", fail)
            assert_as_without(case, kept(plain(case)))


def test_an_entry_takes_no_time_from_deciding() -> None:
    """A part that was stopped in the cache is decided when it is tried again."""
    case, parts = CASES[0], []
    results, questions = asked(case[0])
    options = Options(
        cache=Entries({content(case): kept(plain(case))}),  # type: ignore[arg-type]
        stopped={f"check {case[1] + 1}: cache": "the time limit"},
        watch=lambda part, spent: parts.append(part),
    )
    result = verify.settled(results[case[1]], questions[case[1]], options)
    assert says(result) == says(plain(case)) and parts == [f"check {case[1] + 1}", None]


UNDECIDED = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: 3}
  - differential_privacy: {exp_epsilon: 2, tradeoff: corners}
"""


def test_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = tmp_path / "spec.yaml", tmp_path / "cache"
    path.write_text(UNDECIDED)
    without = verifier.check(path)
    first = verifier.check(path, cache=folder)
    monkeypatch.setattr(verify, "decide", no_engine)
    moved = tmp_path / "moved.yaml"
    moved.write_text(f"# the same\n{UNDECIDED}")
    second, third = verifier.check(path, cache=folder), verifier.check(moved, cache=str(folder))
    for found in (first, second):
        assert list(map(report, found.results)) == list(map(report, without.results))
    assert [
        one.certificate["question"]["source"]["check"] for one in third.results if one.certificate
    ] == [0, 1]
    assert third.results[0].certificate != first.results[0].certificate
    assert says(third.results[1]) == says(first.results[1])


def test_from_python_a_cache_that_cannot_be_used_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(UNDECIDED)
    with pytest.warns(UserWarning, match="the cache in .* cannot be written"):
        found = verifier.check(path, cache=path)
    assert list(map(report, found.results)) == list(map(report, verifier.check(path).results))


def test_what_is_undecided_is_not_kept() -> None:
    entries, case = Entries(), CASES[0]
    results, questions = asked(case[0])
    options = Options(cache=entries, stopped={f"check {case[1] + 1}": "stopped"})  # type: ignore[arg-type]
    found = verify.settled(results[case[1]], questions[case[1]], options)
    assert found.verdict == "undecided" and not entries.kept


def test_what_the_checker_rejects_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = Entries()
    monkeypatch.setattr(checker, "check", lambda document: checker.Verdict("rejected", "no"))
    assert settled(CASES[0], entries).status == "internal" and not entries.kept
