"""What workers do for a sweep: each combination as if it were alone, whatever they share."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.drawing import wider
from verifier.base.errors import InputError
from verifier.lab.sweeps import deciding
from verifier.lab.sweeps.tables import OF_CHECK
from verifier.run import verify
from verifier.run.verify import Options

SHARED = """
parameters: {p: 1/2 < p < 1, n: 2..4, q: [1/3, 3/7]}
worlds: {records: [ann, bob], domain: [0, 1], where: ann + bob > 0}
secrets: {one: bob == 1, none: bob == 0}
pairs: [[one, none]]
priors: {list: [{worlds: {01: q, 10: 1 - q}}, uniform]}
mechanism:
  program: |
    if draw(bernoulli(p)) == 1:
      return bob
    return 1 - bob
checks:
  - differential_privacy: {exp_epsilon: n, neighbours: all}
  - pufferfish: {exp_epsilon: n}
    where: n > 2
"""
OF_WORLDS = """
parameters: {n: 1..3, p: [2/3, 5/7]}
worlds: {records: n, domain: [0, 1]}
secrets: {first: r1 == 1}
mechanism: {randomized_response: {truth: p}}
checks:
  - pufferfish: {exp_epsilon: 3, pairs: values, priors: product}
"""
OF_SECRETS = """
parameters: {n: 0..2}
worlds: {records: [ann, bob], domain: [0, 1, 2]}
secrets: {low: ann <= n, high: ann > n}
pairs: [[low, high]]
mechanism: {geometric: {query: ann + bob, ratio: 1/2}}
checks:
  - pufferfish: {exp_epsilon: 4, priors: {list: [uniform]}}
"""
OF_TEXT = """
parameters: {n: 2..3}
title: $name
worlds: {records: [ann, bob], domain: [$low, 1]}
mechanism: {deterministic: "ann + n*bob"}
checks:
  - name: $name for n
    sensitivity: {query: ann + n*bob}
"""
FILES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "shared": (
        SHARED,
        {"p": ["1/3", "3/5", "7/9"], "n": ["1", "2", "3"], "q": ["1/3", "2", "5/8"]},
    ),
    "of worlds": (OF_WORLDS, {"n": ["1", "2", "x", "1"], "p": ["2/3", "5/7"]}),
    "of secrets": (OF_SECRETS, {"n": ["2", "0", "1"]}),
    "of text": (OF_TEXT, {"n": ["2", "3/2"], "name": ["a", "b: c"], "low": ["0", "1", "-1"]}),
}


def swept(job: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The rows of each combination of a batch."""
    events = deciding.batch_events(job, Options(stopped=job["stopped"]), lambda event: None)
    found = [rows for event in events for rows in event["rows"]]
    return [[dict(zip(OF_CHECK, row, strict=True)) for row in rows] for rows in found]


def alone(file: str, values: dict[str, str]) -> list[tuple[Any, ...]]:
    """What a check of one combination says, in a reading of its own."""
    try:
        report = verify.check(file, values={name: [value] for name, value in values.items()})
    except InputError as error:
        return [(0, "bad", error.code)]
    levels = [
        r.answer.value if r.leakage is None else r.leakage.low or "infinite" for r in report.results
    ]
    return [
        (r.index + 1, r.status, r.content, r.verdict, str(level))
        for r, level in zip(report.results, levels, strict=True)
    ]


@pytest.mark.parametrize("name", FILES)
def test_a_combination_is_decided_as_if_it_were_alone(name: str, tmp_path: Path) -> None:
    """In any order: what the first ones share is not taken from one of other values."""
    text, given = FILES[name]
    file = str(tmp_path / "spec.yaml")
    Path(file).write_text(text, encoding="utf-8")
    plan = deciding.plan(file, given, False)
    draw = random.Random(name)
    batch = [tuple(draw.choice(values) for values in plan["lists"]) for _ in range(wider(6, 30))]
    job = {"file": file, "names": plan["names"], "batch": batch, "certified": False}
    found = swept({**job, "start": 0, "stopped": {}})
    assert len(found) == len(batch) and any(row["verdict"] for rows in found for row in rows)
    for values, rows in zip(batch, found, strict=True):
        expected = alone(file, dict(zip(plan["names"], values, strict=True)))
        for row, one in zip(rows, expected, strict=True):
            if one[1] == "bad":
                assert (row["check_number"], row["status"]) == (0, "bad")
                assert one[2] in row["reason"], values
            else:
                near = (row["digest"], row["verdict"], row["leakage"])
                status = (row["check_number"], row["status"])
                assert (*status, *near) == one, values


def test_worlds_are_made_once_where_no_parameter_stands_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifier.spec import model

    batches = {
        "shared": [("3/5", "2", q) for q in ("1/3", "5/8", "2/3")],
        "of secrets": [("0",), ("1",), ("0",)],
        "of worlds": [("1", "2/3"), ("2", "2/3")],
    }
    made, read = list[Any](), model.described
    monkeypatch.setattr(model, "described", lambda node: made.append(node) or read(node))
    for name, count in (("shared", 1), ("of secrets", 3), ("of worlds", 2)):
        file = str(tmp_path / f"{name}.yaml")
        text, given = FILES[name]
        Path(file).write_text(text, encoding="utf-8")
        job = {"file": file, "names": list(given), "batch": batches[name], "certified": False}
        made.clear()
        rows = swept({**job, "start": 0, "stopped": {}})
        assert len(made) == count and all(row["verdict"] for one in rows for row in one), name


def test_no_channel_is_read_where_the_matrix_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two bits that are answered without the word `local`, also by way of other mechanisms."""
    from verifier.mechanisms import local

    response, written = (
        "randomized_response: {truth: p}",
        "local: {randomized_response: {truth: p}}",
    )
    read = list[object]()
    channel = local._channel
    monkeypatch.setattr(local, "_channel", lambda *given: read.append(given) or channel(*given))
    text = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanisms: {one: {repeat: {of: once, runs: 2}}, once: {%s}}
checks: [{differential_privacy: {exp_epsilon: 9}, mechanism: one, leakage: 9}]
"""
    for once, seen in ((response, False), (written, True)):
        file = tmp_path / "spec.yaml"
        file.write_text(text % once, encoding="utf-8")
        job = {"file": str(file), "names": ["p"], "batch": [("3/4",)], "certified": False}
        read.clear()
        ((row,),) = swept({**job, "start": 0, "stopped": {}})
        assert row["leakage"] == "9" and row["status"] == "ok" and bool(read) == seen, once


def test_rows_come_many_at_a_time_and_a_batch_goes_on_where_it_was(tmp_path: Path) -> None:
    file = str(tmp_path / "spec.yaml")
    Path(file).write_text(OF_SECRETS, encoding="utf-8")
    batch = [(str(at % 2),) for at in range(120)]
    job = {"file": file, "names": ["n"], "batch": batch, "certified": False}
    said = list[Any]()
    events = list(deciding.batch_events({**job, "start": 3, "stopped": {}}, Options(), said.append))
    assert [e["first"] for e in events] == [3, *(e["next"] for e in events[:-1])]
    assert events[-1]["next"] == 120 and sum(len(e["rows"]) for e in events) == 117
    assert all(len(e["rows"]) == e["next"] - e["first"] <= deciding.MANY for e in events)
    seconds = sum(event["seconds"] for event in events)
    assert {"part": deciding.TOGETHER} in said and len(said) <= 2 + seconds / deciding.ALIVE
    said.clear()
    watched = list[str | None]()
    named = Options(watch=lambda part, spent: watched.append(part))
    again = {**job, "start": 119, "stopped": {deciding.TOGETHER: "slow"}}
    list(deciding.batch_events(again, named, said.append))
    assert "n = 1: check 1" in watched and {"part": deciding.TOGETHER} not in said


def test_a_part_that_was_stopped_is_undecided_and_no_other(tmp_path: Path) -> None:
    file = str(tmp_path / "spec.yaml")
    Path(file).write_text(OF_SECRETS, encoding="utf-8")
    stopped = {deciding.TOGETHER: "slow", "n = 1: check 1": "too slow", "n = 0: ": "too long"}
    job = {"file": file, "names": ["n"], "batch": [("0",), ("1",), ("2",)], "certified": False}
    first, second, third = swept({**job, "start": 0, "stopped": stopped})
    assert (first[0]["check_number"], first[0]["verdict"], first[0]["reason"]) == (
        *(0, "undecided", "too long"),
    )
    assert (second[0]["check_number"], second[0]["verdict"], second[0]["reason"]) == (
        *(1, "undecided", "too slow"),
    )
    assert third[0]["status"] == "bad"  # no world has more than 2
