"""What the test file of a definition tells all tests that go through definitions.

A definition that compares worlds, added in one sitting, has `TOLD` in its `test_KEYWORD.py`: the
plain loops, and the cases that others would have to list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.definitions.cases import Case
from tests.definitions.plain import Database, Pair
from verifier.base.registry import DEFINITIONS
from verifier.questions.question import Question

Json = dict[str, Any]
Names = Sequence[str]
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Told:
    """What is told of a definition that compares worlds.

    options    of the file, besides level and delta
    pairs      names of records, databases, options -> the ordered pairs compared, by plain loops
    drawn      draws checks of it, each with what it compares
    taken      name -> options with a level, other parts of the file, and what the checker takes
    lies       name -> other options of this question, of which each asks for another relation
    relations  name -> other relations under its options
    asked      a check of a file, and the same question from Python, of a space, mechanism and level
    bad        files that are wrong, as in tests/bad
    """

    options: tuple[str, ...]
    pairs: Callable[[Names, Sequence[Database], Json], set[Pair]]
    drawn: st.SearchStrategy[Case]
    taken: Mapping[str, tuple[Json, Json, list[str]]]
    asked: tuple[str, Callable[..., Question]]
    bad: str
    lies: Mapping[str, list[Json]] = field(default_factory=dict)
    relations: Mapping[str, list[Json]] = field(default_factory=dict)


@cache
def told() -> dict[str, Told]:
    """What is told of definitions, by their keywords."""
    known = (word for word in DEFINITIONS.keywords() if (HERE / f"test_{word}.py").exists())
    files = {word: import_module(f"tests.definitions.test_{word}") for word in known}
    return {word: file.TOLD for word, file in files.items() if hasattr(file, "TOLD")}
