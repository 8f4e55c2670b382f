"""SciPy, loaded without parts of NumPy that nobody here needs.

SciPy copies all names of NumPy, and so loads its tests and its reader of Fortran: a third of what a
small linear program takes. While it is loaded, NumPy tells it those alone that are there.
"""

from functools import cache

import numpy as np


@cache
def load_scipy() -> None:
    """Load what the modules of SciPy stand on; any of them may be imported then."""
    names = [name for name in vars(np) if not name.startswith("_")]
    before = np.__all__, np.__dir__
    np.__all__, np.__dir__ = names, lambda: names  # type: ignore[method-assign]
    try:
        import scipy.sparse  # noqa: F401
    finally:
        np.__all__, np.__dir__ = before  # type: ignore[method-assign]
