"""Every word of the format is explained: one sentence, how it is written, an example that runs."""

from __future__ import annotations

import ast
import re
from inspect import getsource
from itertools import chain
from pathlib import Path

import pytest

from tests.contracts.recipes import step
from tests.contracts.specs import report
from tests.loops import each
from verifier import cli
from verifier.base.registry import DEFINITIONS, MECHANISMS, PRIORS, Registry
from verifier.questions.beliefs import prior
from verifier.questions.secrets import GENERATED
from verifier.report.words import TOLD, Word, known, listed, owners, words
from verifier.spec import reading
from verifier.world.language.meanings import DISTRIBUTIONS, FUNCTIONS
from verifier.world.neighbours import distances, graphs
from verifier.world.relation import RULES
from verifier.world.space import WORDS

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
RECIPES = {
    "definition": "A definition",
    "mechanism": "A mechanism",
    "class of priors": "A class of priors",
}
HEADINGS = {
    "definition": ["Syntax", "Statement", "Options", "Leakage", "Example", "References"],
    "mechanism": ["Syntax", "Options", "Example"],
    "class of priors": ["Syntax", "Options", "Statement", "Example", "References"],
}
ROOMS = {"definition": DEFINITIONS, "mechanism": MECHANISMS, "class of priors": PRIORS}
AROUND = ("name", "mechanism", "pairs", "priors", "expect", "leakage")  # keys of a check
LONGEST = 20  # words of a first sentence
SYMBOLS = re.compile(r"[α-ωΑ-Ω₁²ⁿ_|^<>={}\[\]]|(?<!')\b[b-zB-Z]\b")  # a letter stands for nothing

ALL = list(chain.from_iterable(words().values()))
OPTIONS = sorted({option for one in ALL for option in one.options})
EXAMPLES = {one.example: one for one in ALL}  # several words may share one


def missing(one: Word) -> str:
    """Where a text of a word is to be mended."""
    if one.kind in RECIPES:
        return step(RECIPES[one.kind], 1, one.name)
    return f"{one.name}: verifier/report/vocabulary.py says what a {one.kind} is"


def identity(one: Word) -> str:
    return f"{one.kind}-{one.name}".replace(" ", "-")


@each("one", ALL)
def test_a_word_begins_with_one_plain_sentence(one: Word) -> None:
    said = one.summary
    assert said.endswith(".") and said.count(". ") == 0, missing(one)
    assert 3 <= len(said.split()) <= LONGEST, missing(one)
    assert not SYMBOLS.search(said), missing(one)


@each("one", ALL)
def test_a_word_has_a_syntax_that_names_its_options(one: Word) -> None:
    assert re.search(rf"\b{one.name}\b", one.syntax), missing(one)
    named = set(re.findall(r"\w+", one.syntax + one.sections.get("Options", "")))
    assert set(one.options) <= named, missing(one)
    assert all(len(meaning) > 3 for meaning in one.options.values()), missing(one)


@each("one", [one for one in ALL if one.kind in HEADINGS])
def test_a_docstring_has_its_headings(one: Word) -> None:
    assert set(HEADINGS[one.kind]) <= one.sections.keys(), missing(one)
    assert all(one.sections[heading].strip() for heading in HEADINGS[one.kind]), missing(one)


@each("keyword", DEFINITIONS.keywords())
def test_options_of_a_definition_are_explained(keyword: str) -> None:
    (one,) = (one for one in words()[keyword] if one.kind == "definition")
    assert set(one.options) == set(DEFINITIONS.module(keyword).OPTIONS), missing(one)


def keys_read(room: Registry, keyword: str) -> set[str]:
    """The keys that `read` of a module allows or needs, taken from its source."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(getsource(room.module(keyword)))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "mapping":
            allowed = node.args[0] if node.args else None
            if isinstance(allowed, ast.Tuple):
                found |= {key.value for key in allowed.elts if isinstance(key, ast.Constant)}
            needs = [word.value for word in node.keywords if word.arg == "needs"]
            found |= {key for text in needs for key in ast.literal_eval(text).split()}
    return found


@each(
    "kind, keyword",
    [(kind, word) for kind in ("mechanism", "class of priors") for word in ROOMS[kind].keywords()],
)
def test_options_that_are_read_are_explained(kind: str, keyword: str) -> None:
    (one,) = (one for one in words()[keyword] if one.kind == kind)
    assert set(one.options) == keys_read(ROOMS[kind], keyword), missing(one)


def test_options_are_found_in_the_source() -> None:
    assert keys_read(MECHANISMS, "randomized_response") == {"truth", "epsilon", "per"}
    assert keys_read(MECHANISMS, "table") == {"outputs"}
    assert keys_read(PRIORS, "hedging") == {"weight", "known"}


@each("one", ALL)
def test_an_example_shows_the_word(one: Word) -> None:
    assert re.search(rf"\b{one.name}\b", one.example), missing(one)


@pytest.mark.parametrize("one", EXAMPLES.values(), ids=identity)
def test_an_example_runs(one: Word, tmp_path: Path, capsys: Capture) -> None:
    """It is whole, and all its checks are as it expects them, decided and accepted."""
    status, found, said = report(dict(one.files), tmp_path, capsys)
    assert status == 0, f"{missing(one)}\n{said}\n{[r['reason'] for r in found['results']]}"
    assert all(result["certificate"]["accepted"] for result in found["results"])


@each("option", OPTIONS)
def test_an_option_is_shown_in_an_example_of_a_word_that_has_it(option: str) -> None:
    shown = owners(option)[0]
    said = f"{option}: an example of one of {[one.name for one in owners(option)]} is to show it"
    assert re.search(rf"\b{option}:", shown.example), said


def test_every_word_of_the_format_is_known() -> None:
    expected = {
        *(word for room in ROOMS.values() for word in room.keywords()),
        *("uniform", *prior.KINDS),
        *reading.KEYS,
        *AROUND,
        *GENERATED,
        *(*graphs.WORDS, *graphs.KINDS, *distances.METRICS, *RULES),
        *(*FUNCTIONS, *DISTRIBUTIONS, *WORDS.difference({"True", "False"}), "tradeoff"),
        *TOLD,
        *OPTIONS,
    }
    assert expected <= set(known())
    assert len(known()) == len(set(known()))


@each("word", known())
def test_explain_knows_it(word: str, capsys: Capture) -> None:
    assert cli.main(["explain", word]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{word}: ")
    if word not in TOLD:
        assert "Syntax." in said and "Example" in said and "checks:\n" in said


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("difrential_privacy", "differential_privacy"),
        ("epsilonn", "epsilon"),
        ("blow", "blowfish"),
        ("Pufferfish", "pufferfish"),
        ("randomised_response", "randomized_response"),
        ("post_procesing", "post_processing"),
        ("conditional", "conditionals"),
        ("metric", "metric_privacy"),
        ("s10", "S101"),
    ],
)
def test_near_misses(typed: str, meant: str, capsys: Capture) -> None:
    assert cli.main(["explain", typed]) == 2
    said = capsys.readouterr().err
    assert re.search(rf"did you mean '{meant}'", said), said


def test_models_has_a_line_for_each_word(capsys: Capture) -> None:
    assert cli.main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for title, found in listed().items():
        assert f"{title}:" in lines
        for one in found:
            (line,) = (x for x in lines if x.split()[0] == one.name and one.summary in x)
            assert line.startswith("  ")
    assert len(lines) == sum(len(found) + 1 for found in listed().values())
