"""The plan of the rooms, as README.md and ARCHITECTURE.md show it; docs/generate.py writes both.

A line is a room, in the order of imports, with the first sentence of its docstring.
"""

from __future__ import annotations

import ast

from tests.test_architecture import ROOMS, ROOT


def sentence(room: str) -> str:
    """The first sentence of the docstring of a room."""
    folder = ROOT / room
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    said = " ".join((ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split())
    return said.split(". ")[0].removesuffix(".")


def plan() -> str:
    """All rooms, one to a line."""
    width = max(map(len, ROOMS)) + 1
    names = {room: f"{room}/" if (ROOT / room).is_dir() else room for room in ROOMS}
    lines = [f"  {names[room]:<{width}}  {sentence(room)}" for room in ROOMS]
    return "\n".join(["```", "verifier/", *lines, "```"])
