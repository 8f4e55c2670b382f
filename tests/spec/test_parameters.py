"""Parameters with values: each choice is as the file with these numbers in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier import cli
from verifier.base import document
from verifier.base.errors import InputError
from verifier.base.parameters import Choice, filled, given
from verifier.run import verify
from verifier.spec.parameters import choices, condition, declared

FILE = """\
title: at $n
parameters:
  p: 1/2 < p < 1
  n: 2..3
worlds: {records: n, domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks:
  - differential_privacy: {exp_epsilon: p/(1 - p)}
    leakage: p/(1 - p)
  - name: up to
    differential_privacy: {exp_epsilon: 3}
    expect: {holds: p <= 3/4}
  - name: pieces
    differential_privacy: {exp_epsilon: 10}
    leakage: [[p < 2/3, 1], [2/3 <= p and n == 2, p/(1 - p)]]
    where: p >= 2/3 and n == 2
"""


def made(text: str, given: dict[str, list[str]], zipped: bool = False) -> list[Choice]:
    return choices(document.parse(text, "f.yaml"), text, given, zipped)


def values(found: list[Choice]) -> list[dict[str, str]]:
    return [{name: str(x) for name, x in one.values.items()} for one in found]


def run(tmp_path: Path, text: str, *arguments: str) -> int:
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return cli.main(["check", str(path), "--no-cache", *arguments])


def test_lists_combine_and_a_real_parameter_stays(tmp_path: Path) -> None:
    text = "parameters: {p: 0 <= p < 1, n: 2..3, d: [1/2, 0.25], one: 7}  # $n"
    found = made(text, {})
    assert values(found) == [
        {"n": n, "d": d, "one": "7"} for n in ("2", "3") for d in ("1/2", "1/4")
    ]
    assert all(one.real == ("p",) for one in found)
    assert found[0].note == "n = 2, d = 1/2" and found[0].texts["d"] == "1/2"
    assert values(made(text, {"n": ["4..5"], "d": ["1"], "p": ["0"]})) == [
        {"n": n, "d": "1", "one": "7", "p": "0"} for n in ("4", "5")
    ]


def test_values_at_equal_distances() -> None:
    found = made("parameters: {p: 0 <= p < 1, d: 1/2..1:4}", {"p": ["0.2..1/10:3", "1/3"]})
    assert [one["p"] for one in values(found)[::4]] == ["1/5", "3/20", "1/10", "1/3"]
    assert [one["d"] for one in values(found)[:4]] == ["1/2", "2/3", "5/6", "1"]
    for text in ("0..0:2", "0..1:1", "0..exp(-1):3", "0..1/2:99999"):
        with pytest.raises(InputError) as error:
            made("parameters: {p: 0 <= p < 1}", {"p": [text]})
        assert error.value.code == "S806"


def test_values_may_go_together() -> None:
    text = "parameters: {n: 2..3, d: [1, 2]}"
    assert values(made(text, {}, zipped=True)) == [{"n": "2", "d": "1"}, {"n": "3", "d": "2"}]
    assert values(made(text, {"n": ["5"]}, zipped=True)) == [
        {"n": "5", "d": "1"},
        {"n": "5", "d": "2"},
    ]
    with pytest.raises(InputError) as error:
        made(text, {"n": ["1..3"]}, zipped=True)
    assert error.value.code == "S806" and "--zip" in error.value.hint


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"q": ["1"]}, "S801"),
        ({"p": ["1"]}, "S806"),
        ({"p": ["exp(-1)"]}, "S806"),
        ({"p": ["1/2 < p < 3/4"]}, "S806"),
        ({"n": ["x"]}, "S101"),
        ({"n": ["3..2"]}, "S806"),
    ],
)
def test_values_that_do_not_fit(given: dict[str, list[str]], code: str) -> None:
    with pytest.raises(InputError) as error:
        made("parameters: {p: 0 <= p < 1, n: 2..3}", given)
    assert error.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        *("p: 1 < p < 1/2", "p: 1 < q < 2", "p: word", "p: []", "p: 3..2", "count: 2", "e: 2"),
        *("a-b: 2", "p: 0 < p < exp(1)", "if: 2", "p: 1..99999999"),
        *("p: 1..2:1", "p: 2..2:5", "p: 1..2:10001"),
    ],
)
def test_what_is_no_parameter(text: str) -> None:
    with pytest.raises(InputError) as error:
        declared(document.parse(f"parameters: {{{text}}}", "f.yaml"))
    assert error.value.code == "S802"


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("p <= 3/4", True),
        ("1/2 < p < 3/4", True),
        ("1/2 < p < 2/3", False),
        ("p == 7/10 and n > 2", False),
        ("p == 7/10 or n > 2", True),
        ("n > 2 or n < 2 or p**2 <= 0.49", True),
        ("4*p**2 - 1 < 0", False),
    ],
)
def test_conditions_on_values(text: str, truth: bool) -> None:
    node = document.parse(f"'{text}'", "f.yaml")
    (choice,) = made("parameters: {p: 0.7, n: 2}", {})
    with given(choice):
        assert condition(node) is truth
        assert condition(document.tree([text, "p > 0"])) is truth


@pytest.mark.parametrize("text", ["p", "p <", "p <= 1 and", "<= p"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(InputError) as error, given(made("parameters: {p: 0.7}", {})[0]):
        condition(document.parse(f"'{text}'", "f.yaml"))
    assert error.value.code == "S805"


def test_every_choice_is_a_result_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: the smallest level of randomised response is p/(1 − p), 7/3 and 4 here."""
    folder = tmp_path / "proofs"
    assert run(tmp_path, FILE, "--set", "p=0.7,4/5", "--certificates", str(folder)) == 0
    printed = capsys.readouterr().out
    for n in (2, 3):
        assert f"up to (p = 0.7, n = {n}): holds; smallest e^ε 7/3" in printed
        assert f"up to (p = 4/5, n = {n}): violated; smallest e^ε 4" in printed
    assert "pieces (p = 4/5, n = 2): holds" in printed and "pieces (p = 4/5, n = 3)" not in printed
    assert "10 ok" in printed
    assert len(list(folder.rglob("*.json"))) == 10 + 1  # and the manifest


def test_a_choice_that_makes_no_distribution_does_not_end_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FILE.replace("n: 2..3", "n: [2]").replace("truth: p", "truth: p + 1/4")
    text = text.replace("p/(1 - p)", "9").replace("3/4}", "1/2}")
    text = text.replace("    leakage: 9\n", "")
    assert run(tmp_path, text, "--set", "p=3/5,4/5,7/10", "--set", "n=2") == 2
    told = capsys.readouterr()
    assert "S110 truth must lie in [0, 1]" in told.err or "is not in [0, 1]" in told.err
    assert "for p = 4/5, n = 2" in told.err
    assert "(p = 3/5, n = 2)" in told.out and "(p = 7/10, n = 2)" in told.out


def test_a_name_in_a_text_is_filled_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = FILE.replace("name: up to", "name: up to $p of $what")
    assert run(tmp_path, text, "--set", "p=0.7", "--set", "n=2", "--set", "what=it") == 0
    assert "up to 0.7 of it (" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("1 - $q", "1/2 - 1/8", "1 - (1/2 - 1/8)"),
        ("1/$q", "1/4", "1/(1/4)"),
        ("[$q**2, $q]", "-3", "[(-3)**2, -3]"),
        ("e^$q + $q", "1e-2", "e^(1e-2) + (1e-2)"),
        ("a: -$q", "exp(1)", "a: -(exp(1))"),
        ("x*$q", "exp(1)/2", "x*(exp(1)/2)"),
        # a number alone, an item of a list, words, the name of a file
        ("2*$q", "0.25", "2*0.25"),
        ("a: $q", "1/4", "a: 1/4"),
        ("b:\n  - $q\n- - $q", "1/4", "b:\n  - 1/4\n- - 1/4"),
        ("not $q - 1", "ann", "not ann - 1"),
        ("{csv: tables/m-$q.csv}", "-3", "{csv: tables/m--3.csv}"),
        ("- $q$q - $r", "1-2", "- 1-2(1-2) - $r"),
    ],
)
def test_a_value_with_operators_has_brackets(text: str, value: str, expected: str) -> None:
    """Where an operator stands beside its name, so that it is one number."""
    with given(Choice(texts={"q": value})):
        assert filled(text) == expected


def test_other_commands_take_values_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(FILE, encoding="utf-8")
    assert cli.main(["show", str(path), "--set", "p=0.7", "--set", "n=2"]) == 0
    assert "49/100" in capsys.readouterr().out


def test_python_takes_values_too(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(FILE, encoding="utf-8")
    report = verify.check(path, values={"p": ["0.7", "4/5"]})
    assert report.status == "ok" and len(report.results) == 10
    assert {one.note for one in report.results} == {
        f"p = {p}, n = {n}" for p in ("0.7", "4/5") for n in (2, 3)
    }


def test_a_file_is_read_where_there_is_one_choice(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(FILE.replace("p: 1/2 < p < 1", "p: 0.7"), encoding="utf-8")
    with pytest.raises(InputError) as error:
        verify.load(path)
    assert error.value.code == "S806" and "--set n=2" in error.value.hint
    path.write_text(
        FILE.replace("p: 1/2 < p < 1", "p: 0.7").replace("n: 2..3", "n: 2"), encoding="utf-8"
    )
    assert verify.load(path).questions[0].question is not None
