"""Rooms whose modules are found by name: the one place that imports what is not known before.

Of three rooms the names are keywords of a file, one module for each; a module whose name starts
with an underscore is shared by several and is no keyword. Nothing is imported before it is used.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[1]


class Registry:
    """A room of the package, by its name, whose modules are found by theirs."""

    def __init__(self, room: str) -> None:
        self.room = room

    @cache  # noqa: B019 - there are few registries
    def keywords(self) -> list[str]:
        """The keywords, sorted."""
        from pkgutil import iter_modules

        modules = iter_modules([str(PACKAGE / self.room)])
        return sorted(name for _, name, _ in modules if not name.startswith("_"))

    def module(self, keyword: str) -> ModuleType:
        """The module of a `keyword`, or name."""
        return import_module(f"verifier.{self.room}.{keyword}")

    def told(self, keyword: str) -> str:
        """What the module of a `keyword` tells of itself, which is not loaded for it."""
        import ast

        source = (PACKAGE / self.room / f"{keyword}.py").read_text(encoding="utf-8")
        return ast.get_docstring(ast.parse(source), clean=False) or ""


ADAPTERS = Registry("lab.adapters")
COMMANDS = Registry("cli")
DEFINITIONS = Registry("definitions")
ENGINES = Registry("engines")
FORMATS = Registry("report.formats")
MECHANISMS = Registry("mechanisms")
PRIORS = Registry("priors")
