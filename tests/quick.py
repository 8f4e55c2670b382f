"""What `make quick` runs: the first case of each test, but of those that take long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

# names of tests whose first case takes more than a quarter of a second of the processor
SLOW = frozenset[str]()


def first_cases(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The first case of each test that does not take long."""
    seen = set()
    for item in items:
        name = item.nodeid.split("[")[0]
        if name not in seen and name.rpartition("::")[2] not in SLOW:
            yield item
        seen.add(name)
