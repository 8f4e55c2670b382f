"""SciPy, loaded without parts of NumPy that nobody here needs.

SciPy copies all names of NumPy, and so loads its tests and its reader of Fortran: a third of what a
small linear program takes. While it is loaded, NumPy tells it those alone that are there.
"""

from importlib import import_module
from typing import Any

import numpy as np


def scipy(name: str) -> Any:
    """The module of SciPy with this `name`."""
    names = [one for one in vars(np) if not one.startswith("_")]
    before = np.__all__, np.__dir__
    np.__all__, np.__dir__ = names, lambda: names  # type: ignore[method-assign]
    try:
        return import_module(f"scipy.{name}")
    finally:
        np.__all__, np.__dir__ = before  # type: ignore[method-assign]
