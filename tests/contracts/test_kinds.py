"""Each kind of certificate has a rule, a page, a shape and forgeries."""

from __future__ import annotations

import json
import re
from importlib import import_module
from importlib.resources import files

import pytest

from tests.checker.forgeries import by_kind
from tests.contracts.recipes import step
from tests.pages import ROOT, blocks
from verifier.checker import KINDS, check

RECIPE = "A certificate kind"
PAGE = ROOT / "docs" / "certificate.md"
SCHEMA = json.loads((files("verifier") / "schemas" / "certificate-2.json").read_text("utf-8"))
EXAMPLES = {  # the kind that a page's block says it shows; the first block shows a comparison
    block.note or "comparison": json.loads(block.text)
    for block in blocks(PAGE)
    if block.language == "json"
}
LINEAR = {"program": "Linear programs"}  # kinds whose section has another title


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_has_its_rule(kind: str) -> None:
    """A function, with a sentence about what it proves, and the keys that its model may have."""
    name, models = KINDS[kind]
    rule = getattr(import_module(f"verifier.checker.{name}"), f"check_{kind}")
    assert callable(rule) and rule.__doc__ and models, step(RECIPE, 1, kind)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_has_a_section_with_an_example(kind: str) -> None:
    title = LINEAR.get(kind, f"Kind `{kind}`")
    text = PAGE.read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(title)}$", text, re.MULTILINE), step(RECIPE, 2, kind)
    assert kind in EXAMPLES, step(RECIPE, 2, kind)
    assert check(EXAMPLES[kind]).outcome == "accepted", step(RECIPE, 2, kind)
    assert EXAMPLES[kind]["question"]["kind"] == kind, step(RECIPE, 2, kind)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_has_its_shape(kind: str) -> None:
    listed = SCHEMA["properties"]["question"]["properties"]["kind"]["enum"]
    rules = [rule["if"]["properties"]["question"]["properties"]["kind"] for rule in SCHEMA["allOf"]]
    shaped = {name for rule in rules for name in rule["enum"]}
    assert kind in listed and kind in shaped, step(RECIPE, 3, kind)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_is_forged(kind: str) -> None:
    """Its accepted certificates are damaged in tests/checker/test_forgeries.py."""
    assert kind in by_kind(), step(RECIPE, 4, kind)
