"""How many cases are drawn: every day fewer than where the search is thorough."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> settings:
    """So many drawn cases under the profile `thorough`, and in proportion under others.

    Parameters
    ----------
    count  cases of a thorough search, as hypothesis has `max_examples`, of which 100 is usual
    """
    return settings(max_examples=-(-count * settings.default.max_examples // 100))
