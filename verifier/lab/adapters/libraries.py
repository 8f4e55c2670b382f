"""The libraries whose mechanisms, or accountants, are known, and what each needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from verifier.base.errors import LibraryMissing

LIBRARIES = {  # and what each needs
    "diffprivlib": "diffprivlib 0.6.6 beside scikit-learn before 1.9",
    "multi_freq_ldpy": "multi-freq-ldpy 0.2.5",
    "opendp": "opendp 0.16",
    "pure_ldp": "pure-ldp 1.2.0 beside scikit-learn and statsmodels",
}
ACCOUNTANTS = {  # that are asked besides
    "autodp": "autodp 0.2.3.1",
    "dp_accounting": "dp-accounting 0.6.0",
}


def library(name: str, what: str = "this mechanism") -> Any:
    """The module of a library, such as `opendp.prelude`, for `what` needs it; LibraryMissing with
    the cause."""
    first = name.partition(".")[0]
    needed = {**LIBRARIES, **ACCOUNTANTS}[first]
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise LibraryMissing(what, needed, first) from None
    except ImportError as error:
        needed = f"{needed}, as what is installed cannot be imported ({error})"
        raise LibraryMissing(what, needed, first) from None
