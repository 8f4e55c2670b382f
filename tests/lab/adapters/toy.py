"""A library in the place of diffprivlib, with one mechanism that is understood without it."""

from __future__ import annotations

import math
import random
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


class RAPPORClient:
    """Never clears a bit, and promises what it would have if it did."""

    def __init__(self, *, f: float, m: int, hash_funcs: Any, num_of_cohorts: int) -> None:
        self.f, self.m, self.hash_family = f, m, hash_funcs

    def convert_f_to_eps(self, f: float, k: int) -> float:
        return 2.1972245773362196

    def privatise(self, value: int) -> tuple[list[int], int]:
        return [
            1 if place == value - 1 else random.random() < self.f / 2 for place in range(self.m)
        ], 0


class DEClient:
    """The truth with probability e/(e + 1), of two values, as ε = 1 has it."""

    def __init__(self, *, epsilon: float, d: int) -> None:
        self.epsilon, self.d = epsilon, d

    def privatise(self, value: int) -> int:
        return value - 1 if random.random() < math.e / (math.e + 1) else 2 - value


def install_reports(patch: pytest.MonkeyPatch) -> None:
    """Put these two in the place of pure-ldp."""
    package, oracles = ModuleType("pure_ldp"), ModuleType("pure_ldp.frequency_oracles")
    vars(oracles).update(RAPPORClient=RAPPORClient, DEClient=DEClient)
    for module in (package, oracles):
        patch.setitem(sys.modules, module.__name__, module)
    patch.setattr("importlib.metadata.version", lambda name: "0")


def install(patch: pytest.MonkeyPatch) -> None:
    """Put it in the place of diffprivlib, for workers that are forked too."""
    package, mechanisms = ModuleType("diffprivlib"), ModuleType("diffprivlib.mechanisms")
    vars(package)["__version__"], vars(mechanisms)["Binary"] = "0", Binary
    for module in (package, mechanisms):
        patch.setitem(sys.modules, module.__name__, module)
