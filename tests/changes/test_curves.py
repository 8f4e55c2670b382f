"""Changes of what holds for all values of a parameter, by hand and against plain evaluation.

Randomized response that tells the truth with a probability t leaks e^ε = t/(1 - t), for t > 1/2.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from verifier import cli
from verifier.changes import curves
from verifier.changes.compare import Side, compare
from verifier.changes.lines import Line, of_result, wrong
from verifier.changes.statements import Statement
from verifier.kernels.regions import Interval, Region
from verifier.kernels.roots import End
from verifier.questions.curve import Curve, Stretch

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("here")
ZERO, HALF, ONE, TWO = Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)
SPEC = """
parameters: {p: %(domain)s}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: %(truth)s}}
checks:
  - name: both
    differential_privacy: {exp_epsilon: %(level)s}
    expect: %(expect)s
"""
PLAIN = {
    "domain": "1/2 < p < 1",
    "truth": "p",
    "level": "3",
    "expect": "{holds: p <= 3/4}",
}


def between(low: End, high: End) -> Interval:
    return Interval(low, high)


def curve(stretches: list[Stretch], **parts: Any) -> Curve:
    return Curve("p", between(ZERO, ONE), stretches, Region((between(ZERO, ONE),)), **parts)


def drawn(random: Random) -> Curve:
    """Polynomials, quotients and roots on up to three intervals, with the points between them."""
    inner = sorted(Fraction(random.randint(1, 7), 8) for _ in range(random.randint(0, 2)))
    ends = list(dict.fromkeys([ZERO, *inner, ONE]))
    stretches: list[Stretch] = []
    for low, high in pairwise(ends):
        if stretches:
            stretches.append(part(random, Interval.point(low)))
        stretches.append(part(random, between(low, high)))
    return curve(stretches)


def part(random: Random, where: Interval) -> Stretch:
    if random.random() < 0.15:
        return Stretch(where, (1,), ())
    top = [random.randint(0, 3) for _ in range(random.randint(1, 3))]
    bottom = random.choice(((1,), (2,), (1, 1), (-2, 1), (-1,)))
    sign = 1 if bottom[0] > 0 else -1
    return Stretch(
        where,
        (sign * (1 + top[0]), *(sign * c for c in top[1:])),
        bottom,
        random.choice((1, 1, 2, 3)),
    )


def value(one: Curve, x: Fraction) -> tuple[bool, Fraction]:
    """By which levels are compared: the sixth power, or that there is none."""
    found = one.at(x)
    return (True, ZERO) if found.is_infinite else (False, found.at(x) ** (6 // found.root))


@pytest.mark.parametrize("seed", range(40))
def test_where_one_function_is_larger(seed: int) -> None:
    random = Random(f"larger {seed}")
    old, new = drawn(random), drawn(random)
    found = curves.moved(old, new)
    larger, smaller = curves._larger(old, new), curves._larger(new, old)
    xs = [Fraction(k, 48) for k in range(1, 48)] + [Fraction(k, 8) for k in range(1, 8)]
    for x in xs:
        before, after = value(old, x), value(new, x)
        assert larger.has(x) == (after > before) and smaller.has(x) == (after < before), x
    statuses = {one.status for one in found}
    assert ("leaks more" in statuses) == bool(larger.intervals)
    assert ("leaks less" in statuses) == bool(smaller.intervals)
    assert not curves.moved(old, old) and not curves.moved(new, new)
    assert [one.status for one in curves.moved(old, Curve.of_json(new.as_json()))] == [
        one.status for one in found
    ]


def test_a_function_that_is_known_from_one_side() -> None:
    where = between(ZERO, ONE)
    exact, most = Stretch(where, (2,), (1,)), Stretch(where, (3,), (1,), sense="at most")
    for old, new in ((exact, most), (most, exact), (most, replace(most, sense="at least"))):
        (found,) = curves.moved(curve([old]), curve([new]))
        assert found.status == "promises otherwise"
        assert (found.before, found.after) == (
            curves._told(curve([old]), HALF),
            curves._told(curve([new]), HALF),
        )
    assert not curves.moved(curve([most]), curve([most]))


def test_what_is_undecided_now_or_has_no_level_any_more() -> None:
    half = between(ZERO, HALF)
    whole = curve([Stretch(between(ZERO, ONE), (2,), (1,))])
    rest = [Stretch(half, (2,), (1,))]
    unknown = curve(rest, undecided=[Interval(HALF, ONE, True, False)])
    (less,) = curves.moved(whole, unknown)
    assert less.status == "promises less" and "1/2 <= p < 1" in less.words
    (more,) = curves.moved(unknown, whole)
    assert more.status == "promises more"
    (lost,) = curves.moved(whole, curve(rest))
    assert (lost.status, lost.about) == ("promises less", "level found")
    (news,) = curves.moved(unknown, replace(whole, region=Region((half,))))
    assert news.status == "promises otherwise"


def test_another_number_than_a_level_is_no_leak() -> None:
    small, large = (curve([Stretch(between(ZERO, ONE), (k,), (1,))]) for k in (1, 2))
    (error,) = curves.moved(small, replace(large, quantity="expected error"))
    assert error.status == "promises otherwise" and error.words.startswith("expected error")


def differences(before: Line, after: Line) -> tuple[Statement, ...]:
    return compare(Side(line=before), Side(line=after)).statements


def test_a_trade_off_is_compared_level_by_level() -> None:
    where = between(ZERO, ONE)
    old, new, none = (
        curve([], tradeoff=[(TWO, [Stretch(where, top, (4,))])] if top else [])
        for top in ((0, 1), (0, 0, 1), ())
    )
    (less,) = curves.moved(old, new)  # p² < p
    assert less.status == "leaks less" and "delta at e^ε = 2" in less.words
    (more,) = curves.moved(new, Curve.of_json(old.as_json()))
    assert (more.status, more.before, more.after) == ("leaks more", "1/16", "1/8")
    (gone,) = curves.moved(old, none)
    assert gone.status == "promises less"


def test_a_trade_off_at_a_level_that_is_a_function(tmp_path: Path, capsys: Capture) -> None:
    """It is locked and read again as it was written."""
    text = spec().replace("exp_epsilon: 3", "exp_epsilon: 3, tradeoff: [2, 1 + p]")
    (tmp_path / "file.yaml").write_text(text)
    cli.main(["check", str(tmp_path / "file.yaml"), "--format", "json", "--no-cache"])
    line = of_result(json.loads(capsys.readouterr().out)["results"][0])
    assert not list(wrong(line)) and line.curve is not None
    assert [one["exp_epsilon"] for one in line.curve["tradeoff"]] == ["2", "1 + p"]
    assert Curve.of_json(dict(line.curve)).as_json() == line.curve
    assert not differences(line, line)
    odd = {**line.curve, "tradeoff": [{"exp_epsilon": "1 +", "delta": []}]}
    assert list(wrong(replace(line, curve=odd))) == ["curve"]


def spec(**parts: str) -> str:
    return SPEC % {**PLAIN, **parts}


CHANGES = [  # what changes, the status in a diff, the one in a lock, and what is said of it
    ({}, None, None, ""),
    (
        {"truth": "(1+p)/2", "expect": "violated"},
        *("leaks more", "weaker than locked", "1/2 < p <= 3/4"),
    ),
    (  # more truth than before up to 5/9, less from there on
        {"truth": "2*p*(1-p) + p/9", "expect": "holds"},
        *("leaks more", "weaker than locked", "larger for 1/2 < p < 5/9"),
    ),
    ({"truth": "1/4 + p/2", "expect": "holds"}, "leaks less", None, "3/4 < p < 1"),
    (
        {"domain": "1/2 < p < 4/5"},
        *("promises less", "changed since locked", "fewer values of a parameter"),
    ),
    ({"domain": "1/3 < p < 1"}, "promises more", "changed since locked", "more values"),
    ({"level": "p/(1-p)", "expect": "holds"}, "promises less", "changed since locked", "level"),
    (
        {"level": "2", "expect": "{holds: p <= 2/3}"},
        *("promises less", "weaker than locked", "1/2 < p <= 3/4 -> 1/2 < p <= 2/3"),
    ),
    (
        {"expect": "violated"},
        *("promises less", "weaker than locked", "expected to hold: 1/2 < p <= 3/4 -> nowhere"),
    ),
    (
        {"expect": "{holds: p <= 3/4}\n    leakage: p/(1-p)"},
        *("promises more", None, "the asserted leakage: none -> p/(1 - p)"),
    ),
]


@pytest.mark.parametrize(("parts", "status", "held", "words"), CHANGES)
def test_both_gates(
    parts: dict[str, str],
    status: str | None,
    held: str | None,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    for name, text in (("old", spec()), ("new", f"# so\n{spec(**parts)}")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    failing = {None: 0, "leaks less": 0, "promises more": 0}
    assert cli.main(["diff", "./old", "./new", "--no-cache"]) == failing.get(status, 1)
    out = capsys.readouterr().out
    assert (status or "1 same") in out and words in out
    monkeypatch.chdir(tmp_path / "old")
    assert cli.main(["lock", "file.yaml", "--no-cache"]) == 0
    (tmp_path / "old" / "file.yaml").write_text(spec(**parts))
    capsys.readouterr()
    assert cli.main(["check", "file.yaml", "--locked", "--no-cache"]) == (held is not None)
    out = "".join(capsys.readouterr())
    assert (held or "1 ok") in out


def result(tmp_path: Path, capsys: Capture, **parts: str) -> dict[str, Any]:
    (tmp_path / "file.yaml").write_text(spec(**parts))
    cli.main(["check", str(tmp_path / "file.yaml"), "--format", "json", "--no-cache"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["results"][0]
    return found


def test_a_line_about_all_values(tmp_path: Path, capsys: Capture) -> None:
    """It is read as it is written; and refused where a part of it cannot be."""
    line = of_result(result(tmp_path, capsys))
    assert not list(wrong(line)) and line.curve is not None and line.wish is not None
    assert line.curve["region"] == line.wish["region"]
    broken: list[tuple[str, Any]] = [
        ("curve", {**line.curve, "domain": 1}),
        ("curve", {**line.curve, "leakage": [{"from": 1}]}),
        ("wish", {"region": [{}]}),
        ("wish", 7),
        ("level", {"exp_epsilon": "p/(1 - p", "delta": "import os;"}),
    ]
    for key, part in broken:
        assert list(wrong(replace(line, **{key: part}))) == [key]
    assert not list(wrong(replace(line, level={"exp_epsilon": "p/(1 - p)", "delta": "0"})))


def test_a_change_that_only_lines_are_known_of(tmp_path: Path, capsys: Capture) -> None:
    """Between reports: functions are compared, or it is said that they are others."""
    line = of_result(result(tmp_path, capsys))
    more = of_result(result(tmp_path, capsys, truth="(1+p)/2", expect="violated"))
    assert {one.status for one in differences(line, more)} == {"leaks more", "promises less"}
    found = differences(line, replace(more, curve=None))
    assert ("promises otherwise", "parameter") in {(one.status, one.about) for one in found}
    raised = replace(line, digest="sha256:2", level={"exp_epsilon": "p/(1 - p)", "delta": "0"})
    (other,) = differences(line, raised)
    assert (other.status, other.told) == (
        "promises otherwise",
        "level: 3 -> p/(1 - p)",
    )


def test_no_line_of_many_values_is_one_of_a_number() -> None:
    assert Line.__dataclass_fields__["curve"].default is None
