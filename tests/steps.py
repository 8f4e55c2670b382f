"""Work as tests measure it: calls of functions, of which there are as many on every machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """What is done inside calls functions at most so many times, or is stopped.

    Built-in functions count too; what one call of these does is not seen, nor are operations.
    """
    left = 2 * calls  # each call has an end

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise AssertionError

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert left >= 0, f"more than {calls} calls"  # where the error above was caught
