"""Each kind of mechanism under differential privacy: decided, or undecided for a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contracts.recipes import step
from tests.contracts.specs import of_kind, plain, report, unanswered
from tests.pages import ROOT
from verifier.base.registry import MECHANISMS
from verifier.report.words import SPEC

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
RECIPE = "A mechanism"
KINDS = of_kind("mechanism")
LEVELS = ({"exp_epsilon": "2"}, {"epsilon": "1/3"}, {"exp_epsilon": "1", "delta": "1/10"})
TESTS = {  # of mechanisms whose tests stand together; others have tests/mechanisms/test_KEYWORD.py
    **dict.fromkeys(
        ("compose", "merge_proportional", "mixture", "post_process", "repeat"), "test_combined.py"
    ),
    **dict.fromkeys(("csv", "deterministic", "table"), "test_written.py"),
    **dict.fromkeys(("exponential", "geometric", "randomized_response"), "test_noise.py"),
    "program": "../world/language/test_programs.py",
}


@pytest.mark.parametrize("keyword", KINDS)
def test_a_mechanism_under_differential_privacy(
    keyword: str, tmp_path: Path, capsys: Capture
) -> None:
    spec = plain(KINDS[keyword].example)
    names = list(spec.get("mechanisms", [None]))
    spec["checks"] = [
        {"differential_privacy": {**level, "neighbours": "all"}}
        | ({"mechanism": name} if name else {})
        for level in LEVELS
        for name in names
    ]
    files = {**KINDS[keyword].files, SPEC: json.dumps(spec)}
    status, found, said = report(files, tmp_path, capsys)
    told = f"{step(RECIPE, 1, keyword)}\n{said}"
    assert status in (0, 1, 3), told
    assert len(found["results"]) == len(LEVELS) * len(names), told
    assert not list(unanswered(found)), (told, list(unanswered(found)))


@pytest.mark.parametrize("keyword", MECHANISMS.keywords())
def test_a_mechanism_has_its_tests(keyword: str) -> None:
    path = ROOT / "tests" / "mechanisms" / TESTS.get(keyword, f"test_{keyword}.py")
    assert path.exists() and "def test_" in path.read_text("utf-8"), step(RECIPE, 2, keyword)


@pytest.mark.parametrize("keyword", MECHANISMS.keywords())
def test_a_mechanism_has_its_section(keyword: str) -> None:
    """On the page of mechanisms; programs have a page of their own."""
    reference = ROOT / "docs" / "reference"
    page = (reference / "mechanisms.md").read_text(encoding="utf-8")
    told = f"<!-- generated: mechanism {keyword} -->" in page
    assert told or (reference / f"{keyword}s.md").exists(), step(RECIPE, 3, keyword)
