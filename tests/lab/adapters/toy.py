"""A library in the place of diffprivlib, with one mechanism that is understood without it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

BINARY = "diffprivlib.mechanisms.Binary"


class Binary:
    """Says the truth for three quarters of all random numbers, whatever it claims: ε is ln 3."""

    delta = 0.0
    _rng: Any = None

    def __init__(self, *, epsilon: float, value0: str, value1: str) -> None:
        self.epsilon, self.value0, self.value1 = epsilon, value0, value1

    def randomise(self, value: str) -> str:
        other = self.value1 if value == self.value0 else self.value0
        return value if self._rng.random() < 0.75 else other


def install(patch: pytest.MonkeyPatch) -> None:
    """Put it in the place of diffprivlib, for workers that are forked too."""
    package, mechanisms = ModuleType("diffprivlib"), ModuleType("diffprivlib.mechanisms")
    vars(package)["__version__"], vars(mechanisms)["Binary"] = "0", Binary
    for module in (package, mechanisms):
        patch.setitem(sys.modules, module.__name__, module)
