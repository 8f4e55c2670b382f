"""What accountants of other libraries are asked, and how it stands beside what is exact."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from itertools import product
from math import exp, log, prod
from types import ModuleType
from typing import Any

import pytest

from verifier import cli

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
Write = Callable[[str], str]
RESPONSE = """
worlds: {records: 1, domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks: [differential_privacy: {exp_epsilon: 3}]
"""
TABLE = """
worlds: [x, y]
mechanism: {table: {outputs: [a, b, c], x: [1/2, 1/2, 0], y: [1/4, 1/2, 1/4]}}
checks: [differential_privacy: {exp_epsilon: 2, neighbours: {pairs: [[x, y]], directed: true}}]
"""


class Plain:
    """All sequences of outputs with their probabilities, in the place of dp-accounting."""

    def __init__(self, lower: dict[int, float], upper: dict[int, float], runs: int = 1) -> None:
        self.sides, self.runs = (lower, upper), runs
        for side in self.sides:
            assert abs(sum(map(exp, side.values())) - 1) < 1e-9

    def self_compose(self, times: int) -> Plain:
        return Plain(*self.sides, times)

    def get_delta_for_epsilon(self, epsilon: float) -> float:
        lower, upper = ({o: exp(p) for o, p in side.items()} for side in self.sides)
        every = product(upper, repeat=self.runs)
        both = ([prod(s.get(o, 0.0) for o in one) for s in (upper, lower)] for one in every)
        return sum(max(0.0, p - exp(epsilon) * q) for p, q in both)

    def get_epsilon_for_delta(self, delta: float) -> float:
        low, high = 0.0, 50.0
        if self.get_delta_for_epsilon(low) <= delta:
            return low
        while high - low > 1e-13:
            middle = (low + high) / 2
            low, high = (
                (low, middle) if self.get_delta_for_epsilon(middle) <= delta else (middle, high)
            )
        return high


class BudgetAccountant:
    """Says half of what is spent, and must be asked about ln 3."""

    def __init__(self, slack: float) -> None:
        self.slack, self.spent = slack, 0.0

    def spend(self, epsilon: float, delta: float) -> None:
        assert abs(epsilon - log(3)) < 1e-12 and delta == 0
        self.spent += epsilon

    def total(self) -> tuple[float, float]:
        return self.spent / 2, self.slack


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is right, one that fails, and one that says too little."""

    def broken() -> Any:
        print("what a library prints")
        raise ValueError("no such thing")

    modules: dict[str, dict[str, Any]] = {
        "dp_accounting": {},
        "dp_accounting.pld": {},
        "dp_accounting.pld.privacy_loss_distribution": {
            "from_two_probability_mass_functions": Plain
        },
        "autodp": {},
        "autodp.autodp_core": {"Mechanism": broken},
        "autodp.transformer_zoo": {},
        "diffprivlib": {},
        "diffprivlib.accountant": {"BudgetAccountant": BudgetAccountant},
    }
    for name, values in modules.items():
        module = ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)


def lines(capsys: Capture, *arguments: str) -> list[str]:
    assert cli.main(["compose", *arguments, "--accountants"]) == 0
    text = capsys.readouterr().out
    assert "what a library prints" not in text
    return [line.strip() for line in text.split("accountants of")[1].splitlines()]


@pytest.mark.usefixtures("toys")
def test_each_is_asked_and_told_beside_the_exact_one(write: Write, capsys: Capture) -> None:
    """Two answers with truth 3/4 at δ = 1/16: 9/16 − α/16 = 1/16 gives α = 8."""
    head, *told = lines(capsys, write(RESPONSE), "--runs", "2", "--delta", "1/16")
    assert head.split("  ")[0] == "2 runs"
    right, renyi, fourier, low = told
    assert right.startswith("dp-accounting ") and right.endswith("2.079442  the same")
    assert renyi.endswith("it ends in ValueError: no such thing") and " by Rényi" in renyi
    assert " by Fourier" in fourier
    # ln 3 spent twice, halved: ln(8/3) below ln 8
    assert low.endswith(f"1.098612  too low by {log(8 / 3):.4g}")


@pytest.mark.usefixtures("toys")
def test_what_one_side_never_has(write: Write, capsys: Capture) -> None:
    """P = (1/2, 1/2, 0), Q = (1/4, 1/2, 1/4): two runs at e^ε = 2 need 1/4 − 2/16 = 1/8 for (a, a),
    and nothing else."""
    path = write(TABLE)
    _, right, _, fourier, low = lines(capsys, path, "--runs", "2", "--epsilon", "ln(2)")
    assert right.endswith("0.125000  the same")
    assert fourier.endswith("an output is impossible on one side, of which it knows nothing")
    assert low.endswith("it tells no δ")
    path = write(TABLE.replace("[[x, y]],", "[[y, x]],"))
    _, right, renyi, _, low = lines(capsys, path, "--runs", "2", "--delta", "1/2")
    # 7/16 of all runs have c, which x never has, and no other runs are likelier under y
    assert right.endswith("0.000000  the same")
    for line in (renyi, low):
        assert line.endswith("a run has an infinite loss, of which it knows nothing")


@pytest.mark.usefixtures("toys")
def test_pairs_that_are_not_told_apart_need_nothing(write: Write, capsys: Capture) -> None:
    """Of three worlds the last two are alike, for which a budget of 0 is spent."""
    rows = "x: [3/4, 1/4], y: [1/4, 3/4], z: [1/4, 3/4]"
    path = write(
        f"worlds: [x, y, z]\nmechanism: {{table: {{outputs: [a, b], {rows}}}}}\n"
        "checks: [differential_privacy: {exp_epsilon: 3, neighbours: all}]\n"
    )
    _, right, _, _, low = lines(capsys, path, "--runs", "2", "--delta", "1/16")
    assert right.endswith("2.079442  the same") and low.split()[-5:][0] == "1.098612"


@pytest.mark.usefixtures("toys")
def test_json_csv_and_latex(write: Write, capsys: Capture) -> None:
    told, path = {}, write(RESPONSE)
    for kind in ("json", "csv", "latex"):
        arguments = ["--runs", "2", "--delta", "1/16", "--accountants", "--format", kind]
        assert cli.main(["compose", path, *arguments]) == 0
        told[kind] = capsys.readouterr().out
    right, renyi, _, low = json.loads(told["json"])["settings"][0]["accountants"]
    assert right["beside"] == "the same" and right["by"] is None
    assert renyi["epsilon"] is None and renyi["reason"].startswith("it ends in")
    assert low["beside"] == "too low" and abs(float(low["by"]) - log(8 / 3)) < 1e-9
    head, *rows = csv.reader(io.StringIO(told["csv"]))
    known = [dict(zip(head, row, strict=True)) for row in rows]
    assert [row["accountant"].partition(" ")[0] for row in known[2:]] == [
        "dp-accounting",
        "diffprivlib",
    ]
    assert known[3]["delta_upper"] == "1/16" and known[3]["exp_epsilon_lower"] == ""
    assert r"too low by 0.9808 \\" in told["latex"]


def test_what_is_not_installed_and_what_is_not_asked(
    write: Write, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("dp_accounting", "autodp", "diffprivlib"):
        monkeypatch.setitem(sys.modules, name, None)
    path = write(RESPONSE)
    told = lines(capsys, path, "--runs", "2", "--delta", "1/16")[1:]
    assert len(told) == 4
    for line, extra in zip(told, ("dp_accounting", "autodp", "autodp", "diffprivlib"), strict=True):
        assert f"pip install 'privacy-verifier[{extra}]'" in line
    assert cli.main(["compose", path, "--accountants"]) == 2
    assert "S121 --accountants: they are asked with --delta" in capsys.readouterr().err
    assert cli.main(["compose", path, "--delta", "1/16"]) == 0
    assert "accountants" not in capsys.readouterr().out


@pytest.mark.oracle
def test_the_libraries_themselves(write: Write, capsys: Capture) -> None:
    """As they were asked by hand, of ten and a hundred answers at δ = 1/1000; exact are 10.968206
    and 81.266046."""
    for name in ("autodp", "dp_accounting", "diffprivlib"):
        pytest.importorskip(name)
    path, known = write(RESPONSE), {10: ("10.9690", "10.9682", "-0.990", "10.9861")}
    known[100] = ("81.27", "85.2510", "-0.37", "95.765")
    for runs, numbers in known.items():
        _, *told = lines(capsys, path, "--runs", str(runs), "--delta", "1/1000")
        assert all(f"  {number}" in line for number, line in zip(numbers, told, strict=True))
        assert ["too low" in line for line in told] == [False, False, True, False]
