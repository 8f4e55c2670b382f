"""What a contract says when a step of a recipe of CONTRIBUTING.md is missing."""

from __future__ import annotations

import re
from functools import cache

from tests.pages import ROOT

PAGE = ROOT / "CONTRIBUTING.md"


@cache
def recipes() -> dict[str, list[str]]:
    """The steps of each recipe, by its title."""
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        title: [" ".join(step.split()) for step in re.split(r"^\d+\. ", body, flags=re.M)[1:]]
        for title, body in (part.split("\n", 1) for part in parts)
    }


def step(recipe: str, number: int, name: str) -> str:
    """What to write for a step that is missing.

    recipe  the title of the recipe
    number  of the step, from 1
    name    of what was added: a keyword, a kind, a class
    """
    return f"{name}: CONTRIBUTING.md, {recipe}, step {number}: {recipes()[recipe][number - 1]}"
