"""Work that is bounded by calls is stopped, whoever catches what stops it."""

from contextlib import suppress

import pytest

from tests.steps import at_most


def test_so_many_calls_and_no_more() -> None:
    with at_most(100):
        assert sum(map(abs, range(10))) == 45
        assert [abs(k) for k in range(90)]
    made = []
    caught = pytest.raises(AssertionError, match="more than 100 calls")
    with caught, at_most(100), suppress(AssertionError):
        for k in range(10**6):
            made.append(k)
    assert len(made) <= 100
