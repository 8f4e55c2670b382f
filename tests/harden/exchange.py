"""A module of the checker with other code, wherever its functions and classes are known."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

PACKAGE = "verifier.checker"
CHECKER = Path(__file__).parents[2] / "verifier" / "checker"


def loaded(module: str) -> ModuleType:
    """The module of the checker whose file has this stem."""
    return import_module(PACKAGE if module == "__init__" else f"{PACKAGE}.{module}")


def install(module: str, code: CodeType, names: bool) -> None:
    """Functions and methods of other code in place of those of the module; and what else it names,
    if asked for, wherever these names are."""
    own: Any = loaded(module)
    fresh: dict[str, Any] = {**vars(own)}
    exec(code, fresh)
    others = [found for name, found in sys.modules.items() if name.startswith((PACKAGE, "tests."))]
    for name, new in fresh.items():
        old = vars(own).get(name)
        if old is new or name.startswith("__"):
            continue
        if isinstance(old, type):
            _exchange_methods(old, new)
        elif _function(old):
            _exchange(_function(old), _function(new))
        elif names:
            for other in others:
                if vars(other).get(name) is old:
                    setattr(other, name, new)


def _exchange(old: Any, new: Any) -> None:
    old.__code__, old.__defaults__, old.__kwdefaults__ = (
        new.__code__,
        new.__defaults__,
        new.__kwdefaults__,
    )


def _exchange_methods(old: type, new: type) -> None:
    for name, member in vars(new).items():
        if _function(member):
            _exchange(_function(vars(old)[name]), _function(member))


def _function(member: Any) -> Any:
    """The function of a method, a property or a cached one, if it is any."""
    for wrapper in ("__func__", "func", "fget", "__wrapped__"):
        member = getattr(member, wrapper, member)
    return member if isinstance(member, FunctionType) else None
