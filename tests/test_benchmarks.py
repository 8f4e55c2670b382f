"""The benchmarks can be loaded: what they name is still there."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import benchmarks

PACKAGE = Path(benchmarks.__file__).parent
NAMES = sorted(path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__"))


@pytest.mark.parametrize("name", NAMES)
def test_a_module_loads(name: str) -> None:
    assert import_module(f"benchmarks.{name}").__doc__
