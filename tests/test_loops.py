"""Loops of tests go through all cases, and list those that fail."""

import pytest

from tests.loops import each


def test_all_that_fail_are_listed() -> None:
    seen = []

    @each("number, other", [(n, m) for n in range(3) for m in range(2)])
    def sums_are_not_two(number: int, other: int) -> None:
        seen.append((number, other))
        assert number + other != 2

    with pytest.raises(AssertionError) as failed:
        sums_are_not_two()
    said = str(failed.value)
    assert len(seen) == 6 and said.startswith("2 of 6:\n")
    assert "(1, 1): AssertionError" in said and "(2, 0): AssertionError" in said
