"""Each class of priors under each definition that takes priors: decided, or undecided and why."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

import verifier
from tests.contracts.recipes import step
from tests.contracts.specs import Json, of_kind, plain, report, unanswered
from tests.pages import ROOT, keys
from verifier.base.registry import PRIORS
from verifier.report.words import SPEC, Word

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
RECIPE = "A class of priors"
CLASSES = of_kind("class of priors")
DEFINITIONS = {name: one for name, one in of_kind("definition").items() if "priors" in one.options}
# What is bad input, as the secrets of the definition have names of their own.
NOT_ASKED = {("bayesian_privacy", "conditionals"): "S507"}
TESTS = {  # of classes whose tests stand together; others have tests/priors/test_KEYWORD.py
    **dict.fromkeys(("all", "conditionals", "list", "product"), "test_classes.py"),
    **dict.fromkeys(("hedging", "iid", "markov"), "test_families.py"),
}


def asked(one: Word, definitions: Iterable[str]) -> Json:
    """The file of a class of priors, with the checks of definitions in place of its own."""
    file = plain(one.example)
    file["mechanisms"] = {"response": file.pop("mechanism")}
    file.setdefault("pairs", "values")
    file["checks"] = []
    for name in definitions:
        other = plain(DEFINITIONS[name].example)
        file["secrets"] = {**other.get("secrets", {}), **file.get("secrets", {})}
        options = [check[name] for check in other["checks"]]
        file["checks"] += [{name: {k: o[k] for k in o if k != "priors"}} for o in options]
    return file


@pytest.mark.parametrize("keyword", CLASSES)
def test_a_class_under_every_definition(keyword: str, tmp_path: Path, capsys: Capture) -> None:
    spec = asked(
        CLASSES[keyword], (name for name in DEFINITIONS if (name, keyword) not in NOT_ASKED)
    )
    status, found, said = report({SPEC: json.dumps(spec)}, tmp_path, capsys)
    told = f"{step(RECIPE, 2, keyword)}\n{said}"
    assert status in (0, 1, 3, 4) and len(found["results"]) == len(spec["checks"]), told
    assert not list(unanswered(found)), "\n".join([told, *unanswered(found)])
    assert status != 4, told


@pytest.mark.parametrize(("definition", "keyword"), NOT_ASKED)
def test_what_is_not_asked_is_bad_input(
    definition: str, keyword: str, tmp_path: Path, capsys: Capture
) -> None:
    spec = asked(CLASSES[keyword], [definition])
    status, found, _ = report({SPEC: json.dumps(spec)}, tmp_path, capsys)
    assert status == 2
    assert {error["code"] for error in found["errors"]} == {NOT_ASKED[definition, keyword]}


@pytest.mark.parametrize("keyword", PRIORS.keywords())
def test_a_class_states_itself_and_its_supports(keyword: str, tmp_path: Path) -> None:
    """In a certificate by its keyword; supports say which worlds its priors make possible."""
    path = tmp_path / SPEC
    path.write_text(CLASSES[keyword].example, encoding="utf-8")
    (asked,) = verifier.load(path).questions
    assert asked.question and asked.question.priors
    space, pairs, priors = asked.question.space, asked.question.pairs, asked.question.priors
    assert priors.statement(space, pairs)["class"] == keyword, step(RECIPE, 1, keyword)
    assert priors.supports(space, pairs) is not None, step(RECIPE, 1, keyword)


@pytest.mark.parametrize("keyword", PRIORS.keywords())
def test_a_class_is_on_the_pages(keyword: str) -> None:
    """In the table of the checker's page, by the word that certificates have for it."""
    assert keyword in keys(ROOT / "docs" / "certificate.md"), step(RECIPE, 3, keyword)


@pytest.mark.parametrize("keyword", PRIORS.keywords())
def test_a_class_has_its_tests(keyword: str) -> None:
    path = ROOT / "tests" / "priors" / TESTS.get(keyword, f"test_{keyword}.py")
    assert path.exists() and "def test_" in path.read_text("utf-8"), step(RECIPE, 4, keyword)
