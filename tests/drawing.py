"""How many cases are drawn: the same ones in every run, fewer for `make quick`, and others and more
where pytest has the option --hypothesis-profile=thorough."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, settings

EVERYDAY = "everyday"
T = TypeVar("T")

settings.register_profile(
    EVERYDAY,
    settings.get_profile("default"),  # and not the one that hypothesis has for builds
    max_examples=20,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
everyday = settings.get_profile(EVERYDAY)
settings.register_profile("quick", everyday, max_examples=10)
settings.register_profile("thorough", everyday, max_examples=100, derandomize=False)
settings.register_profile(
    "harden",
    everyday,
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),  # a mutant is not interested in small examples
    suppress_health_check=list(HealthCheck),
)


def examples(count: int) -> settings:
    """So many drawn cases under the profile `thorough`, and in proportion under others.

    Parameters
    ----------
    count  cases of a thorough search, as hypothesis has `max_examples`, of which 100 is usual
    """
    return settings(max_examples=-(-count * settings.default.max_examples // 100))


def wider(usual: T, wide: T) -> T:
    """What is `usual`; under the profile `thorough` what is `wide`."""
    return wide if settings.default is settings.get_profile("thorough") else usual
