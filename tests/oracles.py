"""What some tests ask: z3 and cvxpy a second time, libraries that are audited, and clusters.

These tests are marked `oracle`, as is the extra, and skipped where one of them is missing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any


class NotInstalled(Exception):
    """Something is asked of an oracle that is not there."""


class Absent:
    """Stands where a module would stand, and says so when it is asked for something."""

    def __getattr__(self, name: str) -> Any:
        raise NotInstalled(f"{name} of z3, of the extra oracle (make oracle)")


z3: Any = import_module("z3") if find_spec("z3") else Absent()
NEEDED = ("z3", "cvxpy", "diffprivlib", "opendp", "distributed", "pyarrow")
MISSING = [name for name in NEEDED if not find_spec(name)]
