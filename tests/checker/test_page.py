"""The pages of the format: their keys are those of the checker, their examples are accepted."""

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from docs.generate import RULE_MODULES
from tests.checker.drafts import KINDS, kind_of
from tests.checker.outcomes import accepted
from tests.pages import BLOCK, FORMAT_OF_CERTIFICATES, ROOT, blocks, example, examples, keys, whole
from verifier.checker import RULES, check, check_file
from verifier.checker.question import DEFINITIONS, PIECEWISE

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
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("| definition | asks") : page.index("Generated `pairs`")]
    rows = [re.findall("`([a-z_]+)`", cell) for cell in re.findall(r"^\| (`.*?) \|", table, re.M)]
    assert sorted(name for row in rows for name in row) == sorted(DEFINITIONS)


CHECKER = ROOT / "verifier" / "checker"
PROGRAM = {"certify", "FILE", "checker", "json", "dumps", "sort_keys", "separators"}
PROGRAM |= {"fractions", "Fraction", "hashlib", *(path.stem for path in CHECKER.glob("*.py"))}
MEANT = {"END", "constant", "draw", "share", "c₀", "c₁"}  # what stands for parts
MEANT |= {"full", "vector"}  # an option whose value is not looked at, and a list that is defined


def parsed() -> Iterator[ast.AST]:
    """All that the checker's modules are made of, but for what they say of themselves."""
    for path in sorted(CHECKER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = None
            yield node


def literals(*nodes: ast.AST) -> set[str]:
    """The words of the texts inside of some nodes."""
    inner = (part for node in nodes for part in ast.walk(node))
    texts = (part.value for part in inner if isinstance(part, ast.Constant))
    return {word for text in texts if isinstance(text, str) for word in re.findall(r"\w+", text)}


def read_by(node: ast.AST) -> set[str]:
    """The keys that a part of the checker reads: in `fields`, by an index, or a question."""
    match node:
        case ast.Call(func=ast.Name(id="fields"), args=[_, keys]):
            return literals(keys)
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]):
            return literals(key)
        case ast.Subscript(slice=key) | ast.Compare(left=key, ops=[ast.In() | ast.NotIn()]):
            return literals(key)
        case ast.Assign(targets=[ast.Name(id="keys" | "PROVES" | "CERTIFICATE")], value=keys):
            return literals(keys)
    return set()


def test_every_key_that_the_checker_reads_is_on_the_pages() -> None:
    read = set[str]().union(*map(read_by, parsed()))
    assert {"entries_per_record", "repetitions", "worst", "undecided"} <= read
    assert read - keys(*FORMAT_OF_CERTIFICATES) - {*PIECEWISE} == set()


def test_the_pages_have_no_word_that_the_checker_does_not_know() -> None:
    known = literals(*parsed()) | PROGRAM | MEANT
    assert {word for word in keys(*FORMAT_OF_CERTIFICATES) - known if len(word) > 1} == set()


MOST_WORDS, MOST_OF_ALL = 4286, 9000  # of the format, and of the rules too


def test_the_pages_are_short() -> None:
    """A word has a letter or a digit; a piece of code is one word."""
    texts = map(whole, FORMAT_OF_CERTIFICATES)
    bare = (re.sub("`[^`]+`", "code", BLOCK.sub("", text)) for text in texts)
    own, more = (sum(bool(re.search(r"\w", word)) for word in text.split()) for text in bare)
    assert own <= MOST_WORDS and own + more <= MOST_OF_ALL, (own, more)


def test_the_first_sentence_of_a_rule_is_short_and_plain() -> None:
    """At most 20 words, and no symbol before it is introduced."""
    for name in {module for rule in RULES for module in RULE_MODULES.get(rule, (rule,))}:
        told = import_module(f"verifier.checker.{name}").__doc__ or ""
        first = re.split(r"(?<=[.?])\s", told)[0]
        assert len(first.split()) <= 20, first
        assert not re.search(r"[αβδθεΣΠρ≤≥_]|P\(|<=", first), first


def test_no_line_of_a_rule_begins_with_a_sign_that_pages_read() -> None:
    """A comparison at the start of a line would be a quotation, a sum a list."""
    text = whole(FORMAT_OF_CERTIFICATES[1])
    assert re.findall(r"^ *(?:>|\+ |=|\d+[.)] ).*", text, re.MULTILINE) == []


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
