"""The combinations of a sweep, and their keys."""

from __future__ import annotations

from itertools import product

import pytest

from verifier.lab.sweeps.plan import Plan

LISTS = (("2", "3"), ("1/3", "1/2", "2/3"))


def test_combinations_are_counted_without_being_made() -> None:
    plan = Plan(("n", "p"), LISTS, False, "x")
    assert list(plan.combinations()) == list(product(*LISTS)) and plan.size == 6
    together = Plan(("n", "p"), (LISTS[0], LISTS[1][:2]), True, "x")
    assert list(together.combinations()) == [("2", "1/3"), ("3", "1/2")] and together.size == 2
    for zipped in (False, True):  # a file without parameters is decided once
        assert list(Plan((), (), zipped, "x").combinations()) == [()]
        assert Plan((), (), zipped, "x").size == 1
    assert (
        Plan(("a", "b"), (tuple("12345") * 2000, tuple("12345") * 2000), False, "x").size == 10**8
    )


@pytest.mark.parametrize(
    "other",
    [
        (("n", "p"), ("2", "1/2"), "x"),
        (("n", "p"), ("3", "1/3"), "x"),
        (("n", "q"), ("2", "1/3"), "x"),
        (("p", "n"), ("2", "1/3"), "x"),
        (("n", "p"), ("2", "1/3"), "y"),
    ],
)
def test_a_key_is_that_of_all_values_and_of_the_file(
    other: tuple[tuple[str, ...], tuple[str, ...], str],
) -> None:
    key = Plan(("n", "p"), LISTS, False, "x").key(("2", "1/3"))
    assert key == Plan(("n", "p"), (), True, "x").key(("2", "1/3")) and len(key) == 64
    names, values, digest = other
    assert Plan(names, (), False, digest).key(values) != key
