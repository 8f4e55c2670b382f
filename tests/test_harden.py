"""The campaigns of `make harden` are there, and mutants are what they say."""

import os
import re
import subprocess
import sys
import tomllib
from copy import deepcopy
from pathlib import Path
from random import Random
from threading import Event
from types import ModuleType
from typing import Any

import pytest

from tests.harden import __main__ as campaigns
from tests.harden.__main__ import TABLE as CAMPAIGNS
from tests.harden.__main__ import exists, table
from tests.harden.alterations import altered
from tests.harden.claims import bases
from tests.harden.exchange import CHECKER, install
from tests.harden.marks import NAME, marked
from tests.harden.mutants import mutants
from tests.harden.others import TESTS
from tests.pace import PATIENCE

TABLE = table()


@pytest.mark.oracle
@pytest.mark.parametrize("name", TABLE)
def test_a_campaign_is_there(name: str) -> None:
    row = TABLE[name]
    assert row.get("awaited") or exists(row)
    assert 0 <= row["sample"] < row["count"]


def test_mutants_that_change_nothing_are_there() -> None:
    listed = tomllib.loads((CAMPAIGNS.parent / "mutants.toml").read_text())["equivalent"]
    same = {key for part in listed for key in part["mutants"]}
    modules = {key.split(".")[0] for key in same}
    texts = {module: (CHECKER / f"{module}.py").read_text() for module in sorted(modules)}
    assert same <= {one.key for module, text in texts.items() for one, _ in mutants(module, text)}


def test_names_are_different() -> None:
    assert len(tomllib.loads(CAMPAIGNS.read_text())["campaign"]) == len(TABLE)


def test_campaigns_side_by_side_are_told_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first ends last, and the second fails."""
    ended = Event()

    def alone(command: list[str], row: dict[str, str]) -> subprocess.CompletedProcess[str]:
        if row["name"] == "reader":
            ended.wait(PATIENCE)
        ended.set()
        return subprocess.CompletedProcess(command, row["name"] == "claims", row["name"] + "\n")

    monkeypatch.setattr(campaigns, "alone", alone)
    monkeypatch.setattr(sys, "argv", ["harden", "reader", "claims", "bad", "--count", "3"])
    assert campaigns.main() == 1
    assert capsys.readouterr().out == "reader\nclaims\nbad\n3 campaigns, failed: claims\n"


def changes(text: str) -> dict[str, str]:
    """Each change of a text, and what a function f(x) then says of 1."""
    found = {}
    for mutant, compiled in mutants("m", text):
        names: dict[str, object] = {}
        try:
            exec(compiled(), names)
            found[mutant.change] = repr(names["f"](1))  # type: ignore[operator]
        except Exception as error:
            found[mutant.change] = type(error).__name__
    return found


def test_small_changes() -> None:
    assert changes("def f(x):\n    return x < 2 and x > 0") == {
        "return None": "None",
        "return True": "True",
        "x < 2 and x > 0  ->  x < 2 or x > 0": "True",
        "x < 2 and x > 0  ->  x > 0": "True",
        "x < 2 and x > 0  ->  x < 2": "True",
        "x < 2  ->  x <= 2": "True",
        "x < 2  ->  x >= 2": "False",
        "2  ->  3": "True",
        "2  ->  1": "False",
        "x > 0  ->  x >= 0": "True",
        "x > 0  ->  x <= 0": "False",
        "0  ->  1": "False",
        "0  ->  -1": "True",
    }


def test_statements_and_loops() -> None:
    text = "def f(x):\n    s = 0\n    for k in (x, 5):\n        s += k\n    return s"
    found = changes(text)
    assert found["for k in (x, 5): pass"] == "0"
    assert found["for k in (x, 5): ... break"] == "1"
    assert found["s -= k"] == "-6"
    text = "def f(x):\n    need(x)\n    return 7\ndef need(x):\n    return 1 // (x - 1)"
    assert changes(text)["nothing"] == "7"


def test_work_is_told_apart() -> None:
    text = "def f(x):\n    spend(2 * x)\n    return x + 1"
    assert {m.work for m, _ in mutants("m", text) if "spend" in m.source} == {True}
    assert not any(m.work for m, _ in mutants("m", text) if "return" in m.source)


MARKED = """def f(x):
    'text'
    for k in range(x):
        if k > 1:
            return k
    match x:
        case 1:
            return 7
    while True:
        x += 1
        if x > 2:
            break
    return x
"""


def test_marks_say_which_lines_and_branches_ran() -> None:
    marks = marked(MARKED, "m")
    names: dict[str, object] = {NAME: marks.ran}
    exec(marks.code, names)
    said = {}
    for x, result in ((1, 7), (0, 3), (3, 2)):
        assert names["f"](x) == result  # type: ignore[operator]
        said[x] = [
            f"{line} {what}".rstrip() for line, what in map(marks.places.__getitem__, marks.taken())
        ]
    assert said[1] == ["3", "4", "4 is false", "3 ends", "6", "8"]
    assert said[0] == ["3", "3 ends", "6", "6 no case", "9", "10", "11", "12", "11 is false", "13"]
    assert said[3] == ["3", "4", "5", "4 is false"]
    assert marks.outside == [1, 2] and not marks.taken()


EXCHANGED = """
from functools import cache, cached_property

class A:
    def plain(self): return 0
    @staticmethod
    def fixed(): return 0
    @property
    def asked(self): return 0
    @cached_property
    def kept(self): return 0

@cache
def known(): return 0
LISTED = [A, known]
SIZE = 0
"""


@pytest.mark.parametrize("names", [False, True])
def test_code_is_exchanged_wherever_it_is_known(
    monkeypatch: pytest.MonkeyPatch, names: bool
) -> None:
    own: Any = ModuleType("verifier.checker.exchanged")
    exec(EXCHANGED, vars(own))
    monkeypatch.setitem(sys.modules, own.__name__, own)
    listed, a = own.LISTED, own.A()
    install("exchanged", compile(EXCHANGED.replace("0", "1"), "m", "exec"), names)
    assert (a.plain(), a.fixed(), a.asked, a.kept, own.known(), own.SIZE) == (1, 1, 1, 1, 1, names)
    assert (own.LISTED is listed) != names


def test_alterations_leave_the_certificates_that_they_start_from() -> None:
    """What is taken from another one is a copy, so that each draw depends on its number alone."""
    for listed in bases().values():
        before = deepcopy(listed)
        for number in range(50):
            random = Random(number)
            altered(random.choice(listed), random, listed)
            assert listed == before


def test_regressions_are_replayed() -> None:
    folders = {path.name for path in (Path(__file__).parent / "regressions").glob("*")}
    assert folders <= {"claims", "definitions", "forgeries"}


def test_no_variable_of_the_environment_changes_what_is_drawn() -> None:
    """Neither the profile, which hypothesis would choose by itself on machines that build, nor how
    many cases a test has."""
    told = (
        "from tests import drawing as d; d.settings.load_profile(d.EVERYDAY); "
        "print(d.settings.default, d.wider(1, 2))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", told],
            cwd=TESTS.parent,
            env={"PATH": os.defpath, **variables},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for variables in ({}, {"CI": "1"}, {"HYPOTHESIS_PROFILE": "thorough"})
    }
    assert len(found) == 1 and "derandomize=True" in found.pop()
    asked = [
        path.name
        for path in TESTS.rglob("*.py")
        if re.search(r"""environ(\.get\(|\[)?["']CI|["']CI["'] in""", path.read_text())
    ]
    assert not asked
