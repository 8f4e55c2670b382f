"""Each definition has all that a definition owes: its parts, its page, its checker, its tests."""

from __future__ import annotations

import re
from inspect import Parameter, signature

import pytest

from tests.bad_files import corpus
from tests.checker.test_question import CASES as CHECKED
from tests.contracts.recipes import step
from tests.definitions.test_contract import CASES, WITHOUT_LEVEL
from tests.pages import ROOT
from tests.second_reader.definitions import DEFINITIONS as READ_TWICE
from tests.test_door import CASES as ASKED
from verifier.base.registry import DEFINITIONS
from verifier.checker.question import DEFINITIONS as READ

RECIPE = "A definition"
PARTS = ("question", "read", "value")  # functions of the module
LEVEL = {
    "epsilon": "level",
    "exp_epsilon": "level",
    "rho": "level",
}  # options -> parameters of `question`
INSIDE = {  # options that are named after what they are in Python, or belong to a question inside
    "composition": {"of", "sequence"},
    "implies": {"if", "then", "pairs", "priors"},
    "optimal": {"pairs", "priors"},
}


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_a_definition_has_its_parts(keyword: str) -> None:
    found = DEFINITIONS.module(keyword)
    assert isinstance(getattr(found, "OPTIONS", None), tuple), step(RECIPE, 1, keyword)
    for part in PARTS:
        assert callable(getattr(found, part, None)), (part, step(RECIPE, 1, keyword))


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_a_question_is_asked_by_the_names_of_options(keyword: str) -> None:
    """Without a file: every parameter by its name, and each told in the docstring."""
    question = DEFINITIONS.module(keyword).question
    parameters = signature(question).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    assert kinds == {Parameter.KEYWORD_ONLY}, step(RECIPE, 1, keyword)
    options = {LEVEL.get(name, name) for name in DEFINITIONS.module(keyword).OPTIONS}
    named = {name.rstrip("_") for name in parameters}
    assert options <= named | INSIDE.get(keyword, set()), step(RECIPE, 1, keyword)
    told = set(re.findall(r"\w+", question.__doc__ or ""))
    assert set(parameters) <= told, (set(parameters) - told, step(RECIPE, 1, keyword))


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_the_checker_reads_a_definition_by_itself(keyword: str) -> None:
    assert keyword in READ, step(RECIPE, 2, keyword)


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_what_the_checker_takes_is_known_by_hand(keyword: str) -> None:
    assert keyword in {definition for definition, *_ in CHECKED.values()}, step(RECIPE, 4, keyword)
    page = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| .*`{keyword}`", page, re.MULTILINE), step(RECIPE, 3, keyword)


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_a_definition_has_its_tests(keyword: str) -> None:
    """Drawn with others in tests/definitions/test_contract.py, or in a file of its own."""
    path = ROOT / "tests" / "definitions" / f"test_{keyword}.py"
    own = path.exists() and "def test_" in path.read_text("utf-8")
    assert own or keyword in {*CASES, *WITHOUT_LEVEL}, step(RECIPE, 4, keyword)


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_a_definition_is_asked_and_read_besides(keyword: str) -> None:
    """From Python, by the second reader, and in files that are wrong."""
    assert keyword in {made().definition for _, made in ASKED}, step(RECIPE, 4, keyword)
    assert keyword in READ_TWICE, step(RECIPE, 4, keyword)
    assert any(keyword in bad.text for bad in corpus()), step(RECIPE, 4, keyword)


def test_a_definition_is_ordered() -> None:
    """By what mechanisms tell, with the reason; and by numbers, which are options of it."""
    for keyword in DEFINITIONS.keywords():
        found = DEFINITIONS.module(keyword)
        assert found.CLOSED is None or len(found.CLOSED.split()) > 3, step(RECIPE, 1, keyword)
        assert {*getattr(found, "LARGER", {})} <= {*found.OPTIONS}, step(RECIPE, 1, keyword)


@pytest.mark.parametrize("keyword", DEFINITIONS.keywords())
def test_a_definition_has_its_page(keyword: str) -> None:
    """On the site, with what its docstring says; its headings are tests/test_docs.py's."""
    page = ROOT / "docs" / "definitions" / f"{keyword}.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    assert text.startswith(f"# {keyword}\n"), step(RECIPE, 5, keyword)
    assert f"<!-- generated: definition {keyword} -->" in text, step(RECIPE, 5, keyword)
