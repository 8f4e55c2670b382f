"""What some tests ask a second time: z3 and cvxpy, of the extra `oracle`.

These tests are marked `oracle`, and skipped where one of the two is missing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

z3: Any = import_module("z3") if find_spec("z3") else None
MISSING = [name for name in ("z3", "cvxpy") if not find_spec(name)]
