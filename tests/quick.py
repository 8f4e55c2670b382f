"""What `make quick` runs: the first case of each test, but of those that take long.

These are listed in slow.txt: their first case takes more than a quarter of a second of the
processor, or waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

SLOW = frozenset(Path(__file__).with_name("slow.txt").read_text(encoding="utf-8").split())


def first_cases(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The first case of each test that does not take long."""
    seen = set()
    for item in items:
        name = item.nodeid.split("[")[0]
        if name not in seen and name.rpartition("/")[2] not in SLOW:
            yield item
        seen.add(name)
