"""Drawn tests search anew on every run, except where a build must not depend on luck."""

import os

import flint  # noqa: F401  # commands fork workers: what is loaded here is not loaded by each
import highspy  # noqa: F401
import pytest
import scipy.optimize  # noqa: F401
from hypothesis import HealthCheck, Phase, settings

from tests.oracles import MISSING

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile(
    "harden",
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),  # a mutant is not interested in small examples
    suppress_health_check=list(HealthCheck),
)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what asks oracles that are not there."""
    reason = f"without {' and '.join(MISSING)}, of the extra oracle (make oracle)"
    for item in items if MISSING else ():
        if item.get_closest_marker("oracle"):
            item.add_marker(pytest.mark.skip(reason=reason))
