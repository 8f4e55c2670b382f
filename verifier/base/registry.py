"""Rooms whose modules are found by name: one module for each keyword of the file.

A module whose name starts with an underscore is shared by several and is no keyword. Nothing is
imported before a file uses it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Registry:
    """A room of the package, by its name, whose modules are named after keywords."""

    room: str

    @cache  # noqa: B019 - there are three registries
    def keywords(self) -> list[str]:
        """The keywords, sorted."""
        modules = iter_modules([str(PACKAGE / self.room)])
        return sorted(name for _, name, _ in modules if not name.startswith("_"))

    def module(self, keyword: str) -> ModuleType:
        """The module of a `keyword`."""
        return import_module(f"verifier.{self.room}.{keyword}")

    def told(self, keyword: str) -> str:
        """What the module of a `keyword` tells of itself, which is not loaded for it."""
        source = (PACKAGE / self.room / f"{keyword}.py").read_text(encoding="utf-8")
        return ast.get_docstring(ast.parse(source), clean=False) or ""


DEFINITIONS = Registry("definitions")
MECHANISMS = Registry("mechanisms")
PRIORS = Registry("priors")
