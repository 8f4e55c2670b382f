"""The plan of the rooms, as README.md and ARCHITECTURE.md show it; docs/generate.py writes both.

A line is a room, in the order of imports, with what its docstring says first.
"""

from __future__ import annotations

import ast
import re

from tests.test_architecture import ROOMS, ROOT

RULES = re.compile(r"May enter: (.+?)\.\nMust not know: (.+?)\.(?:\n|$)", re.DOTALL)


def docstring(room: str) -> str:
    """What a room says of itself."""
    return ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text("utf-8"))) or ""


def sentence(room: str) -> str:
    """The first sentence of the docstring of a room: what it owns."""
    return " ".join(docstring(room).split()).split(". ")[0].removesuffix(".")


def rules(room: str) -> tuple[str, str]:
    """What may enter a room, and what it must not know."""
    found = RULES.search(docstring(room))
    assert found, room
    enters, unknown = (" ".join(said.split()) for said in found.groups())
    return enters, unknown


def plan() -> str:
    """All rooms, one to a line."""
    width = max(map(len, ROOMS)) + 1
    lines = [f"  {f'{room}/':<{width}}  {sentence(room)}" for room in ROOMS]
    return "\n".join(["```", "verifier/", *lines, "```"])


def rows() -> list[tuple[str, str, str, str]]:
    """All rooms: the name, what it owns, what may enter, what it must not know."""
    return [(f"`{room}`", sentence(room), *rules(room)) for room in ROOMS]
