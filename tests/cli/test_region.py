"""The command `region`: each format, a figure, the smallest value of a list."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import verifier
from tests.checker.drafts import kind_of
from verifier import cli
from verifier.cli import region
from verifier.report import region as report

pytestmark = pytest.mark.usefixtures("here")

RECORDS = """
title: From which truth on correlated records leak more than 3
source: Kifer, Machanavajjhala 2014, Theorem 6.1; the polynomial by hand
parameters:
  p: 1/2 < p < 1
worlds:
  records: [ann, bob, cat]
  domain: [0, 1]
secrets:
  bob_yes: bob == 1
  bob_no: bob == 0
pairs: [[bob_yes, bob_no]]
priors:
  list:
    - markov:
        initial: stationary                      # (3/7, 4/7)
        transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}
mechanism:
  randomized_response: {truth: p}
checks:
  - pufferfish: {exp_epsilon: 3}
    expect: {holds: 124*p**3 - 400*p**2 + 583*p - 243 <= 0}
  - differential_privacy: {exp_epsilon: p/(1-p)}
  - differential_privacy: {exp_epsilon: 3}
    expect: {holds: p <= 3/4}
    leakage: [[p < 1, p/(1-p)]]
"""
BIT = """
parameters: {p: 0 <= p < 1}
worlds: [a, b]
mechanism: {table: {outputs: [x, y], a: [p, 1-p], b: [1-p, p]}}
checks:
  - differential_privacy: {exp_epsilon: 1 + 2*p, neighbours: all}
    expect: violated
"""


@pytest.fixture
def bit(tmp_path: Path) -> str:
    """p/(1 − p) <= 1 + 2p where 2p² <= 1, up to √½; (1 − p)/p where 2p² + 2p >= 1, from
    (√3 − 1)/2 on."""
    path = tmp_path / "bit.yaml"
    path.write_text(BIT, encoding="utf-8")
    return str(path)


def test_text(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["region", bit]) == 0
    said = capsys.readouterr().out
    assert "holds for      0.366025403784 <= p <= 0.707106781187" in said
    assert "infinite, for p = 0" in said and "(1 - p)/p, for 0 < p <= 1/2" in said
    assert "0.707106781187 is the root of -1 + 2*p^2 near there" in said


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The shape that the page has, with the polynomial of the known answer."""
    path = tmp_path / "records.yaml"
    path.write_text(RECORDS, encoding="utf-8")
    assert cli.main(["region", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    first, *_, last = report["results"]
    assert report["version"] == 1 and (first["index"], last["index"]) == (0, 2)
    (interval,) = first["region"]
    assert interval["from"] == {"rational": "1/2", "closed": False}
    assert interval["to"]["polynomial"] == ["-243", "583", "-400", "124"]
    assert interval["to"]["closed"] is True and len(interval["to"]["between"]) == 2
    (piece,) = last["leakage"]
    assert (piece["numerator"], piece["denominator"]) == (["0", "1"], ["1", "-1"])


def test_the_report_of_check_has_the_same(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the level meets (1 − p)/p and p/(1 − p): roots of 2p² + 2p − 1 and of 2p² − 1."""
    assert cli.main(["check", bit, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert cli.main(["region", bit, "--format", "json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["results"]
    (interval,) = found["region"]
    assert interval["from"]["polynomial"] == ["-1", "2", "2"]
    assert interval["to"]["polynomial"] == ["-1", "0", "2"]
    assert found["leakage"][0]["infinite"] is True
    first, second = ((one["numerator"], one["denominator"]) for one in found["leakage"][1:])
    assert first == (["1", "-1"], ["0", "1"]) and second == (["0", "1"], ["1", "-1"])
    keys = ("parameter", "domain", "region", "leakage")
    assert [found[key] for key in keys] == [told[key] for key in keys]
    for style in ("html", "sarif", "junit", "markdown"):
        assert cli.main(["check", bit, "--format", style]) == 0
    assert "1/2 &lt; p" in capsys.readouterr().out


def test_csv(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["region", bit, "--format", "csv", "--points", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "check,parameter,value,exp_epsilon,level,holds,quantity"
    values = [line.split(",")[-5:-1] for line in lines[1:]]
    assert ["0", "infinite", "1", "no"] in values and ["1/2", "1", "2", "yes"] in values
    assert ["1/4", "3", "3/2", "no"] in values and ["5/8", "5/3", "9/4", "yes"] in values


ERROR = """
parameters: {x: 0 < x < 1}
worlds: {records: [total], domain: [0, 1, 2]}
mechanism: {geometric: {query: total, ratio: x, low: 0, high: 2}}
checks:
  - error: {loss: (output - total) ** 2, at_most: 5/6}
    expect: {holds: x <= 1/2}
"""


def test_an_error_as_a_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A count of 1 is off by 1 with 2x/(1 + x); one of 0 by 1 with x(1 − x)/(1 + x), and by 2 with
    x²/(1 + x), so (x + 3x²)/(1 + x), which is more from 1/3 on and 5/6 at 1/2."""
    path = tmp_path / "error.yaml"
    path.write_text(ERROR, encoding="utf-8")
    assert cli.main(["region", str(path)]) == 0
    told = capsys.readouterr().out
    assert "holds for      0 < x <= 1/2" in told and "smallest e^ε" not in told
    assert "expected error 2*x/(1 + x), for 0 < x <= 1/3" in told
    assert "(x + 3*x^2)/(1 + x), for 1/3 < x < 1" in told
    cli.main(["region", str(path), "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert "leakage" not in found and found["value"][0]["numerator"] == ["0", "2"]
    cli.main(["region", str(path), "--format", "csv", "--points", "1"])
    lines = capsys.readouterr().out.splitlines()
    values = [line.split(",")[-5:] for line in lines[1:]]
    assert values[0] == ["1/6", "", "", "yes", "2/7"] and values[1][-1] == "1/2"
    pytest.importorskip("sympy")
    cli.main(["region", str(path), "--format", "latex"])
    assert r"\text{expected error}(x) = \begin{cases}" in capsys.readouterr().out
    cli.main(["check", str(path)])
    assert "expected error in 2 pieces" in capsys.readouterr().out


def test_latex(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sympy")
    assert cli.main(["region", bit, "--format", "latex"]) == 0
    said = capsys.readouterr().out
    assert r"\infty & \text{for } p = 0 \\" in said and r"\le p \le \frac{\sqrt{2}}{2}" in said
    assert r"- \frac{1}{2} + \frac{\sqrt{3}}{2} \le p" in said


def test_a_figure(bit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An image of more than a frame; another kind of file is refused."""
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    assert cli.main(["region", bit, "--out", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert "<svg" in text and text.count("<path") > 10
    with pytest.raises(SystemExit):
        cli.main(["region", bit, "--out", "figure.doc"])
    assert "a file .png, .svg, .pdf was expected" in capsys.readouterr().err


def test_a_figure_has_an_irrational_point(tmp_path: Path) -> None:
    """One output is twice as likely in one world as in the other, and impossible at √½ alone: there
    nothing is told. The other output has at most (1 − 1/4)/(1 − 1/2)."""
    path = tmp_path / "point.yaml"
    path.write_text(
        "parameters: {p: 0 < p < 1}\nworlds: [a, b]\nmechanism:\n  table:\n    outputs: [x, y]\n"
        "    a: [(2*p**2 - 1)**2/2, 1 - (2*p**2 - 1)**2/2]\n"
        "    b: [(2*p**2 - 1)**2/4, 1 - (2*p**2 - 1)**2/4]\n"
        "checks: [{differential_privacy: {exp_epsilon: 2, neighbours: all}}]\n",
        encoding="utf-8",
    )
    (result,) = verifier.check(path).results
    curve = result.answer.curve
    assert curve is not None
    found = report.drawing(result, 5)["stretches"]
    assert [one["point"] for one in found].count(True) == 1
    (point,) = (one for one in found if one["point"])
    assert abs(point["x"][0] - 0.5**0.5) < 1e-9 and len(point["x"]) == 1
    assert point["y"] == [1] and all(set(one["y"]) == {2} for one in found if one is not point)


@pytest.mark.parametrize(
    ("level", "least"),
    [("n", "n: 2, of 4 values"), ("n - 1", "n: 3, of 4 values"), ("1 + 1/n", "none is found")],
)
def test_the_smallest(
    level: str, least: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Truth 2/3 needs 2: n has it from the start, n − 1 from 3 on, 1 + 1/n never."""
    path = tmp_path / "least.yaml"
    path.write_text(
        "parameters: {n: 2..5}\nworlds: [a, b]\n"
        "mechanism: {table: {outputs: [x, y], a: [2/3, 1/3], b: [1/3, 2/3]}}\n"
        f"checks:\n  - differential_privacy: {{exp_epsilon: {level}, neighbours: all}}\n",
        encoding="utf-8",
    )
    cli.main(["region", str(path), "--least", "n"])
    assert least in capsys.readouterr().out
    assert cli.main(["region", str(path), "--least", "m"]) == 2
    assert "m is no parameter with a list of integers: write m: 2..9" in capsys.readouterr().out
    assert cli.main(["region", str(path), "--least", "n", "--set", "n=4..2"]) == 2
    told = capsys.readouterr()
    assert told.err.count("4..2 has no value") == 1 and not told.out


def test_a_check_without_a_parameter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plain.yaml"
    path.write_text(
        "worlds: [a, b]\nmechanism: {deterministic: 1}\nchecks:\n"
        "  - differential_privacy: {epsilon: 0, neighbours: all}\n",
        encoding="utf-8",
    )
    for style in ("text", "json", "csv", "latex"):
        assert cli.main(["region", str(path), "--format", style]) == 0
        said = capsys.readouterr()
        assert "no parameter stands in it" in said.out + said.err


def test_a_constant_mechanism_leaks_nothing(tmp_path: Path) -> None:
    """What is compared is equal for every p, and still compared: the answer is not vacuous."""
    path = tmp_path / "constant.yaml"
    constant = BIT.replace("b: [1-p, p]", "b: [p, 1-p]").replace("violated", "holds")
    path.write_text(f"{constant}    leakage: 1\n", encoding="utf-8")
    assert cli.main(["check", "-q", str(path)]) == 0


HALVES = """
parameters: {n: [0, 2, 3]}
worlds: {records: 2, domain: [0, 1]}
mechanism: {randomized_response: {truth: 1/n}}
checks:
  - differential_privacy: {exp_epsilon: 3}
"""


def test_values_of_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Truth 1/2 leaks nothing, 1/3 leaks 2; 1/0 is no truth, and does not end the others."""
    path = tmp_path / "halves.yaml"
    path.write_text(HALVES, encoding="utf-8")
    assert cli.main(["region", str(path), "--out", str(tmp_path / "a.svg")]) == 2
    told = capsys.readouterr()
    assert "(n = 2): holds; smallest e^ε 1" in told.out and "(n = 3): holds; smallest e^ε 2" in (
        told.out
    )
    assert "divides by zero, for n = 0" in told.err and "is not drawn" in told.err
    cli.main(["region", str(path), "--format", "csv"])
    assert capsys.readouterr().out.splitlines() == [
        "check,parameter,value,exp_epsilon,level,holds,quantity",
        "differential_privacy (exp_epsilon 3) (n = 2),n,2,1,3,yes,",
        "differential_privacy (exp_epsilon 3) (n = 3),n,3,2,3,yes,",
    ]
    cli.main(["region", str(path), "--format", "json", "--least", "n"])
    report = json.loads(capsys.readouterr().out)
    assert [(one["chosen"], one["leakage"]["exp_epsilon"]) for one in report["results"]] == [
        ({"n": "2"}, "1"),
        ({"n": "3"}, "2"),
    ]
    assert report["least"]["value"] == "2" and report["least"]["tried"] == ["2", "3"]
    assert report["errors"][0]["message"].endswith("for n = 0")


@pytest.mark.parametrize(
    ("values", "level", "told"),
    [
        ("{n: [2, 3, 4]}", "q", [""]),  # no value of n changes it
        ("{n: [2]}", "q", [""]),
        (
            "{m: [0, 4], n: 2..6}",
            "4/m",
            [", for m = 0, n = 2; m = 0, n = 3; m = 0, n = 4; and 2 more"],
        ),
        ("{n: 2..3, m: [0, 1]}", "4/m", [", for n = 2, m = 0; n = 3, m = 0"]),
        ("{n: [2, 2, 3], m: 1..2}", "4/(n - 2)", [", for n = 2, m = 1; n = 2, m = 2"]),
    ],
)
def test_an_error_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: str, level: str, told: list[str]
) -> None:
    """It has the values of parameters that it is of, one after the other, unless it is of all."""
    path = tmp_path / "errors.yaml"
    text = HALVES.replace("{n: [0, 2, 3]}", values).replace("1/n", "1/2")
    path.write_text(text.replace("exp_epsilon: 3", f"exp_epsilon: {level}"), encoding="utf-8")
    assert cli.main(["check", str(path), "--format", "json"]) == 2
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert ["".join(one["message"].partition(", for")[1:]) for one in errors] == told
    assert cli.main(["region", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.count("hint") == len(told)
    first = said.splitlines()[0]
    assert first == f"{path}:6:41: {errors[0]['code']} {errors[0]['message']}"


@pytest.mark.parametrize("more", [[], ["--assume-monotone"]])
@pytest.mark.parametrize("values", ["1..9", "[7]"])
def test_an_error_of_all_values_is_told_once_beside_the_least(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: str, more: list[str]
) -> None:
    """Also where values are tried one after the other; none of them is found to hold."""
    path = tmp_path / "least.yaml"
    text = HALVES.replace("[0, 2, 3]", values).replace("1/n", "1/2")
    path.write_text(text.replace("exp_epsilon: 3", "exp_epsilon: $n, foo: 3"), encoding="utf-8")
    assert cli.main(["region", str(path), "--least", "n", *more]) == 2
    told = capsys.readouterr()
    assert told.err.count("unknown key 'foo'") == 1 and "none is found to hold" in told.out
    assert (", for n" in told.err) == (values == "[7]")


LEAST = """
parameters: {n: NS, m: [1, 2]}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: LEVEL}
"""


@pytest.mark.parametrize(
    ("values", "level", "value", "undecided"),
    [
        ("[9, 2, 7, 4]", "$n - 1", "4", []),  # 3 is needed: neither ascending nor without gaps
        ("[7]", "$n - 1", "7", []),
        ("[1, 2, 5, 3]", "3 + 1/(($n - 3)*($n - 5))**2", "1", []),
        ("[3, 2, 4]", "3 + (4 - $n)*($m - 2)/($n - 3)**2", "4", []),  # an error; 1 for m = 1; 3
        ("[3, 4]", "3 + 1/($m*$n - 3)**2", "4", []),  # an error for m = 1
    ],
)
def test_the_smallest_of_any_list(
    values: str,
    level: str,
    value: str | None,
    undecided: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is in error for one value of m does not hold for all."""
    path = tmp_path / "least.yaml"
    path.write_text(LEAST.replace("NS", values).replace("LEVEL", level), encoding="utf-8")
    cli.main(["region", str(path), "--format", "json", "--least", "n"])
    found = json.loads(capsys.readouterr().out)["least"]
    assert found["value"] == value and found["undecided"] == undecided


def told_of(verdicts: dict[int, list[str]], monotone: str, proved: int) -> tuple[int | None, Any]:
    least = region.Least("n", verdicts, 9, monotone, proved)
    return least.value, least.undecided


def test_what_follows_for_undecided_values() -> None:
    """From larger values, where what holds for one is proved of larger ones, or of smaller ones."""
    verdicts = {2: ["undecided"], 4: ["holds"], 5: ["undecided", "holds"], 7: ["violated"]}
    assert told_of(verdicts, "", 0) == (4, [2])
    assert told_of(verdicts, "proved", -1) == (2, [])
    del verdicts[4]
    assert told_of(verdicts, "", 0) == (None, [2, 5])
    assert told_of(verdicts, "proved", 1) == told_of(verdicts, "assumed", 0) == (None, [])
    assert told_of({0: ["undecided"], 1: ["holds"]}, "", 0) == (1, [0])
    assert told_of({2: ["vacuous", "holds"], 3: ["error", "holds"]}, "proved", -1) == (None, [])


def test_what_compares_nothing_is_not_the_smallest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With n = 1 there is one world, and no pair of neighbours."""
    path = tmp_path / "vacuous.yaml"
    path.write_text(
        "parameters: {n: 0..3}\nworlds: {records: [a], domain: [0, 1], where: a < n}\n"
        "mechanism: {table: {outputs: [x, y], 0: [2/3, 1/3], 1: [1/3, 2/3]}}\n"
        "checks: [{differential_privacy: {exp_epsilon: 3}}]\n",
        encoding="utf-8",
    )
    cli.main(["region", str(path), "--format", "json", "--least", "n"])
    assert json.loads(capsys.readouterr().out)["least"]["value"] == "2"


def test_errors_alone_are_a_report_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "errors.yaml"
    path.write_text(HALVES.replace("exp_epsilon", "exp_eps"), encoding="utf-8")
    for command in ("region", "influence", "compose"):
        assert cli.main([command, str(path), "--format", "json"]) == 2
        report = json.loads(capsys.readouterr().out)
        assert not report.get("results", []) and report["errors"]


def test_a_figure_that_is_not_drawn_is_no_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "halves.yaml"
    path.write_text(HALVES.replace("[0, 2, 3]", "[2]"), encoding="utf-8")
    assert cli.main(["region", str(path)]) == 0
    assert cli.main(["region", str(path), "--out", str(tmp_path / "a.svg")]) == 2
    assert "a.svg is not drawn" in capsys.readouterr().err and not (tmp_path / "a.svg").exists()


def test_a_list_beside_an_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """p/(1 − p) <= 1 + n up to p = (1 + n)/(2 + n); a table has one head."""
    path = tmp_path / "both.yaml"
    path.write_text(
        "parameters: {p: 1/2 < p < 1, n: [1, 2]}\nworlds: [a, b]\n"
        "mechanism: {table: {outputs: [x, y], a: [p, 1-p], b: [1-p, p]}}\nchecks:\n"
        "  - differential_privacy: {exp_epsilon: 1 + n, neighbours: all}\n"
        "    expect: {holds: p <= (1 + n)/(2 + n)}\n",
        encoding="utf-8",
    )
    assert cli.main(["region", str(path), "--format", "json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    ends = [(one["chosen"]["n"], one["region"][0]["to"]["rational"]) for one in results]
    assert ends == [("1", "2/3"), ("2", "3/4")]
    assert cli.main(["region", str(path), "--format", "csv", "--points", "1"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("check,")]
    assert len(heads) == 1


RISING = """
parameters: {n: 1..20}
worlds: [a, b]
mechanism: {table: {outputs: [x, y], a: [9/10, 1/10], b: [1/10, 9/10]}}
checks:
  - differential_privacy: {exp_epsilon: LEVEL, neighbours: all}
"""


@pytest.mark.parametrize(
    ("level", "least"), [("n", "9"), ("n + 8", "1"), ("n/3 + 1", None), ("10 - n/4", None)]
)
def test_assumed_monotone(
    level: str, least: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Truth 9/10 needs 9. At most 5 of 20 values are tried; what falls is not found so. Nothing is
    proved of what stands for $n."""
    path = tmp_path / "rising.yaml"
    path.write_text(RISING.replace("LEVEL", level.replace("n", "$n")), encoding="utf-8")
    cli.main(["region", str(path), "--format", "json", "--least", "n", "--assume-monotone"])
    found = json.loads(capsys.readouterr().out)["least"]
    assert found["assumed_monotone"] is True and len(found["tried"]) <= 5
    assert found["value"] == least and found["monotone"] == "assumed"


@pytest.mark.parametrize(
    ("options", "tried"),
    [
        *(("exp_epsilon: N", 5), ("exp_epsilon: N/3 + 1", 5), ("exp_epsilon: 10 - N/4", 1)),
        ("exp_epsilon: 5, delta: N/100", 5),
        ("exp_epsilon: 5, delta: 1/N", 1),
        ("exp_epsilon: (N - 9)**2 + 1", 20),
    ],
)
def test_what_is_monotone_is_found_by_few_values(
    options: str, tried: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same value is found where nothing is proved of $n, so that all values are tried."""
    found = []
    for name in ("n", "$n"):
        path = tmp_path / f"{len(name)}.yaml"
        text = RISING.replace("exp_epsilon: LEVEL", options.replace("N", name))
        path.write_text(text, encoding="utf-8")
        cli.main(["region", str(path), "--format", "json", "--least", "n"])
        found.append(json.loads(capsys.readouterr().out)["least"])
    assert found[0]["value"] == found[1]["value"] and len(found[0]["tried"]) <= tried
    assert found[0]["monotone"] == ("proved" if tried < 20 else None)
    assert found[1]["monotone"] is None and len(found[1]["tried"]) == 20
    assert not found[0]["assumed_monotone"]


def test_without_an_assumption_all_values_are_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "falling.yaml"
    path.write_text(RISING.replace("LEVEL", "10 - $n/4"), encoding="utf-8")
    cli.main(["region", str(path), "--format", "csv", "--least", "n"])
    assert "least n: 1, of 20 values" in capsys.readouterr().err
    assert cli.main(["region", str(path), "--assume-monotone"]) == 2
    assert "--assume-monotone goes with --least" in capsys.readouterr().err


def test_what_stays_undecided_is_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The level has no value at n = 2, in the middle, so that all others are tried."""
    path = tmp_path / "gap.yaml"
    text = RISING.replace("1..20", "1..3").replace("LEVEL", "9 + 4/($n - 2)")
    path.write_text(text, encoding="utf-8")
    cli.main(["region", str(path), "--least", "n", "--assume-monotone"])
    assert "least n: 3, of 3 values (2 tried; assumed" in capsys.readouterr().out


TOUCHING = """
parameters: {p: 1/2 < p < 1, q: 1/2 < q < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks:
  - differential_privacy: {exp_epsilon: p/(1 - p) + (2*p**2 - 1)**2 + (2*q**2 - 1)**2}
"""


def test_boxes_that_are_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The level is needed exactly where 2p² = 2q² = 1, which no box with rational ends shows: some
    boxes around this point are left, and all are small."""
    path = tmp_path / "touching.yaml"
    path.write_text(TOUCHING, encoding="utf-8")
    for command in ("region", "check"):
        assert cli.main([command, str(path), "--format", "json"]) == 3
        (result,) = json.loads(capsys.readouterr().out)["results"]
        boxes = [{n: tuple(map(Fraction, side)) for n, side in b.items()} for b in result["boxes"]]
        assert all(2 * low**2 - 1 < Fraction(1, 100) for b in boxes for low, _ in b.values())
        assert all(2 * high**2 - 1 > Fraction(-1, 100) for b in boxes for _, high in b.values())
        around = [all(2 * x**2 <= 1 <= 2 * y**2 for x, y in b.values()) for b in boxes]
        assert any(around) and all(set(b) == {"p", "q"} for b in boxes)


def test_certificates_and_witnesses(
    bit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The simplest value that violates it is 0, where an output tells the world. A later run
    removes the certificates of this one."""
    folder = tmp_path / "proofs"
    assert cli.main(["region", bit, "-v", "--certificates", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "violated at p = 0" in said and "odds 1 before" in said
    region, ordinary = sorted(folder.rglob("*.json"), key=lambda path: "p_=_" in path.name)
    kinds = [kind_of(json.loads(path.read_text())) for path in (region, ordinary)]
    assert kinds == ["region", "comparison"]
    assert cli.main(["certify", "--expect", "violated", str(folder)]) == 0
    assert cli.main(["region", bit, "--set", "p=1/2", "--certificates", str(folder)]) == 1
    assert [path.name for path in folder.rglob("*.json")] == ["bit.yaml-1-p_=_1_2.json"]


MADE = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanisms:
  response: {randomized_response: {truth: p}}
  careful: {randomized_response: {truth: 9/10}}
checks:
  - post_processing: {of: response}
    mechanism: careful
    expect: {holds: p >= 9/10}
"""
ONE_SIDE = """
parameters: {p: 1/2 < p < 1}
worlds: [i1, i2, j1, j2]
secrets: {s: [i1, i2], t: [j1, j2]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], i1: [p, 1-p], i2: [1-p, p], j1: [p, 1-p], j2: [1-p, p]}}
priors: {hull: [{worlds: {i1: 1/2, j1: 1/2}}, {worlds: {i2: 1/3, j2: 2/3}}]}
checks: [{pufferfish: {exp_epsilon: 13/10}, expect: violated}]
"""


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert cli.main(list(arguments)) == status
    return capsys.readouterr().out


def test_formats_without_a_level(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A truth of 9/10 can be made of a larger one only, by hand."""
    path = tmp_path / "made.yaml"
    path.write_text(MADE, encoding="utf-8")
    lines = told(capsys, "region", str(path), "--format", "csv", "--points", "1").splitlines()[1:]
    found = {line.split(",")[-5]: line.split(",")[-4:] for line in lines}
    assert found["9/10"] == ["", "", "yes", ""] == found.popitem()[1]
    assert {cells[-2] for cells in found.values()} == {"yes", "no"}
    pytest.importorskip("sympy")
    said = told(capsys, "region", str(path), "--format", "latex")
    assert r"\frac{9}{10} \le p" in said and "cases" not in said
    pytest.importorskip("matplotlib")
    told(capsys, "region", str(path), "--out", str(tmp_path / "figure.svg"))


def test_what_is_unknown_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one piece, up to 9/10, no other is looked for; an expectation about the rest is not
    confirmed, one that fails before is refuted."""
    monkeypatch.setattr("verifier.engines.pieces.MAX_PIECES", 0)
    path = tmp_path / "made.yaml"

    def expecting(words: str, status: int) -> str:
        path.write_text(MADE.replace("{holds: p >= 9/10}", words), encoding="utf-8")
        return told(capsys, "check", str(path), status=status)

    assert "undecided where 9/10 < p < 1" in expecting("{holds: p >= 9/10}", 3)
    assert "undecided where 9/10 < p < 1" in expecting("violated", 0)
    assert "expected to hold where 4/5 <= p < 1" in expecting("{holds: p >= 4/5}", 1)
    assert "no smallest level" in expecting("violated\n    leakage: 2", 1)
    said = told(capsys, "region", str(path), "--format", "csv", status=1)
    assert said.splitlines()[-1].endswith(",undecided,")
    pytest.importorskip("sympy")
    said = told(capsys, "region", str(path), "--format", "latex", status=1)
    assert r"\text{undecided for } \frac{9}{10} < p" in said


def test_a_level_from_one_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No assertion about it is confirmed."""
    path = tmp_path / "side.yaml"
    path.write_text(ONE_SIDE, encoding="utf-8")
    found = json.loads(told(capsys, "region", str(path), "--format", "json"))["results"][0]
    assert {one.get("bound") for one in found["leakage"]} >= {"at most", "at least"}
    assert "at most 13/10" in told(capsys, "region", str(path), "--format", "csv")
    path.write_text(ONE_SIDE.replace("violated}", "violated, leakage: 5/4}"), encoding="utf-8")
    assert "only that the smallest level is at" in told(capsys, "check", str(path), status=3)


def test_where_no_check_is_asked_nothing_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A check about n > 3 alone; for all values of n it would be an error of the file."""
    path = tmp_path / "none.yaml"
    text = HALVES.replace("[0, 2, 3]", "[2, 4]") + "    where: n > 3\n"
    path.write_text(text, encoding="utf-8")
    assert cli.main(["region", str(path), "--set", "n=4"]) == 0
    assert cli.main(["region", str(path), "--set", "n=2"]) == 2
    assert "none.yaml: no check is about these values" in capsys.readouterr().err
    path.write_text(text.replace("n > 3", "n > 4"), encoding="utf-8")
    for command in ("region", "check"):
        assert cli.main([command, str(path)]) == 2
        assert "no value of n fulfils it" in capsys.readouterr().err
