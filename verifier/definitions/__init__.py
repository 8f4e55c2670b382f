"""Definitions of privacy: one module each, named after its keyword in a file.

Each module says its definition twice: `compile(check)` yields a claim for the engine, `value(…)`
computes the defined quantity by plain arithmetic, straight from the paper. `OPTIONS` lists the
options it takes; its docstring is what `verifier explain` prints.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


@cache
def keywords() -> list[str]:
    """The keywords of all definitions."""
    return sorted(name for _, name, _ in iter_modules(__path__) if not name.startswith("_"))


def module(keyword: str) -> ModuleType:
    """The module of a definition."""
    return import_module(f"verifier.definitions.{keyword}")
