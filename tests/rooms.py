"""The plan of the rooms, as README.md and ARCHITECTURE.md show it. `make arch` writes both.

A line is a room, in the order of imports, with the first sentence of its docstring.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.test_architecture import ROOMS, ROOT

PAGES = tuple(ROOT.parent / name for name in ("README.md", "ARCHITECTURE.md"))
PART = re.compile(r"(?<=<!-- generated: rooms -->\n).*?(?=<!-- end -->)", re.DOTALL)


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
    return "\n".join(["```", "verifier/", *lines, "```\n"])


def written(page: Path) -> str:
    """A page with the plan as it is now."""
    return PART.sub(lambda _: plan(), page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for each in PAGES:
        each.write_text(written(each), encoding="utf-8")
