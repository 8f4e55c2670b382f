"""The libraries whose mechanisms are known, and what each needs."""

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


def library(name: str) -> Any:
    """The module of a library, such as `opendp.prelude`; LibraryMissing with the cause."""
    first = name.partition(".")[0]
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise LibraryMissing("this mechanism", LIBRARIES[first], first) from None
    except ImportError as error:
        needed = f"{LIBRARIES[first]}, as what is installed cannot be imported ({error})"
        raise LibraryMissing("this mechanism", needed, first) from None
