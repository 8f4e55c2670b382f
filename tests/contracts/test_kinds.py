"""What each rule proves has a function, a page and forgeries."""

from __future__ import annotations

from importlib import import_module

import pytest

from docs.generate import RULE_MODULES
from tests.checker.drafts import ON_DOMAINS, kind_of
from tests.checker.forgeries import by_kind
from tests.contracts.recipes import step
from tests.pages import ROOT, examples
from verifier.checker import RULES, check
from verifier.run.earlier import KINDS as OF_RULES

RECIPE = "A rule of evidence"
PAGE = ROOT / "docs" / "rules.md"
PROVED = {  # kind -> what is asked, and the module that proves it
    OF_RULES.get(rule, about): (about, module)
    for rule, known in RULES.items()
    for about, module in known.items()
}
KINDS = {*PROVED, *ON_DOMAINS}
EXAMPLES = examples()


@pytest.mark.parametrize("kind", sorted(PROVED))
def test_a_kind_has_its_rule(kind: str) -> None:
    """A function, with a sentence about what it proves, and the keys that its model may have."""
    about, name = PROVED[kind]
    rule = getattr(import_module(f"verifier.checker.{name}"), f"check_{about}")
    assert callable(rule) and rule.__doc__, step(RECIPE, 1, kind)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_rule_is_on_its_page(rule: str) -> None:
    """By the docstrings of its modules, which stand there on the site."""
    text = PAGE.read_text(encoding="utf-8")
    part = f"## {rule}\n\n<!-- on the site: rule {rule} -->"
    assert part in text, step(RECIPE, 2, rule)
    modules = {*RULES[rule].values()}
    assert modules <= {*RULE_MODULES.get(rule, [rule])}, step(RECIPE, 2, rule)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_has_an_example(kind: str) -> None:
    assert kind in EXAMPLES, step(RECIPE, 2, kind)
    assert check(EXAMPLES[kind]).outcome == "accepted", step(RECIPE, 2, kind)
    assert kind_of(EXAMPLES[kind]) == kind, step(RECIPE, 2, kind)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_is_forged(kind: str) -> None:
    """Its accepted certificates are damaged in tests/checker/test_forgeries.py."""
    assert kind in by_kind(), step(RECIPE, 3, kind)
