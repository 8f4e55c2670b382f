"""Drawn tests search anew on every run, except where a build must not depend on luck."""

import os

import flint  # noqa: F401  # commands fork workers: what is loaded here is not loaded by each
import highspy  # noqa: F401
import scipy.optimize  # noqa: F401
from hypothesis import HealthCheck, Phase, settings

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
