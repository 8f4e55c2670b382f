"""The example of docs/certificate.md, and the digest that the page describes."""

import hashlib
import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.checker.drafts import KINDS, kind_of
from tests.checker.outcomes import accepted
from tests.pages import ROOT, blocks, example, examples
from verifier.checker import check, check_file
from verifier.checker.question import DEFINITIONS

PAGE = ROOT / "docs" / "certificate.md"
BLOCKS = blocks(PAGE)
EXAMPLE = next(block.text for block in BLOCKS if block.language == "json")
CANONICAL = next(block.text for block in BLOCKS if block.note == "canonical").rstrip("\n")


def test_the_example_is_accepted_as_text_and_as_a_file(tmp_path: Path) -> None:
    accepted(json.loads(EXAMPLE))
    path = tmp_path / "example.json"
    path.write_text(EXAMPLE, encoding="utf-8")
    assert check_file(path).outcome == "accepted"


def test_the_page_shows_its_first_example_and_leads_to_all_others() -> None:
    assert json.loads(EXAMPLE) == example("comparison")
    links = re.findall(r"\(certificates/(\w+)\.json\)", PAGE.read_text(encoding="utf-8"))
    assert {"comparison", *links} == {*examples()}


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"comparison"}))
def test_the_examples_of_other_kinds_are_accepted(kind: str) -> None:
    """Each names a definition, but for runs, which no definition asks for."""
    document = example(kind)
    accepted(document)
    assert kind_of(document) == kind
    assert (document["question"]["definition"] is None) == (kind == "runs")


def test_the_table_of_definitions_is_that_of_the_checker() -> None:
    page = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
    table = page[page.index("| definition | asks") : page.index("With generated `pairs`")]
    rows = [re.findall("`([a-z_]+)`", cell) for cell in re.findall(r"^\| (`.*?) \|", table, re.M)]
    assert sorted(name for row in rows for name in row) == sorted(DEFINITIONS)


def test_the_canonical_text_is_that_of_the_example() -> None:
    document = json.loads(EXAMPLE)
    assert json.loads(CANONICAL) == document["question"]
    digest = hashlib.sha256(CANONICAL.encode("ascii")).hexdigest()
    assert document["digest"] == f"sha256:{digest}"


def test_escapes_of_the_canonical_text() -> None:
    document = json.loads(EXAMPLE)
    document["question"]["model"]["worlds"] = ["⊥\U0001f600", '"\\\n\x01/']
    names = r'["\u22a5\ud83d\ude00","\"\\\n\u0001/"]'
    text = CANONICAL.replace('["0","1"]', names)
    document["digest"] = "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()
    accepted(document)


@pytest.mark.parametrize(
    "path, value",
    [
        (("question", "level", "exp_epsilon"), "2"),
        (("question", "model", "worlds", 0), "2"),
        (("question", "relation", "group"), 0),
        (("question", "options", "group"), 2),
        (("question", "definition"), None),
        (("digest",), "sha256:"),
        (("taken",), []),
        (("answer", "verdict"), "violated"),
        (("answer", "leakage", "exp_epsilon"), "4"),
        (("answer", "leakage", "exp_epsilon"), "2"),
        (("evidence", "witness"), None),
        (("version",), 1),
    ],
)
def test_one_change_is_one_too_many(path: tuple[Any, ...], value: Any) -> None:
    document = deepcopy(json.loads(EXAMPLE))
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert check(document).outcome != "accepted"
