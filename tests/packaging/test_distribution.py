"""What the distribution says of itself, and what it takes along; nothing is built here."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import verifier
from tests.loops import each
from tests.pages import PAGES, ROOT
from verifier.lab.adapters.libraries import ACCOUNTANTS, LIBRARIES

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
SHARE = ROOT / "verifier" / "share"
SOURCES = [*PAGES, *(ROOT / "verifier").rglob("*.py"), *ROOT.glob("*.y*ml"), ROOT / "Makefile"]
STRANGER = re.compile(r"pip(x)? install [^\n]*(?<![\w./-])verifier\b(?!\.)")


def test_metadata_is_that_of_the_citation() -> None:
    assert PROJECT["version"] == CITATION["version"] == verifier.__version__
    assert PROJECT["license"] == CITATION["license"]
    assert PROJECT["authors"] == CITATION["authors"]
    assert set(CITATION["keywords"]) <= set(PROJECT["keywords"])


@each("path", SOURCES)
def test_nobody_is_told_to_install_the_other_verifier(path: Path) -> None:
    """`verifier` on the index is not this project."""
    assert not STRANGER.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", ["pip install verifier", "pipx install 'verifier[html]'"])
def test_the_other_verifier_would_be_found(text: str) -> None:
    assert STRANGER.search(text)
    assert not STRANGER.search(text.replace("verifier", "privacy-verifier"))


def test_all_extras_of_users_are_in_all() -> None:
    """But the libraries that are audited: each large, and one beside an older library."""
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.findall(r"\w+", everything.split("[")[1]))
    assert named == set(extras) - {"all", "dev", "docs", "oracle", *LIBRARIES, *ACCOUNTANTS}


def test_examples_and_pages_are_taken_along() -> None:
    models = {path.relative_to(ROOT) for path in (ROOT / "models").glob("*/*.yaml")}
    assert {path.relative_to(SHARE) for path in SHARE.glob("models/*/*.yaml")} == models
    for folder in ("tutorial", "how-to", "reference", "definitions"):
        assert list((SHARE / "docs" / folder).glob("*.md"))
