"""The shrinker on plain values: it ends, at something that cannot be made smaller."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.lab.search.shrink import shrunk


@examples(60)
@given(st.lists(st.integers(0, 9), max_size=8), st.integers(0, 30))
def test_lists_of_a_sum_shrink_to_few_large_numbers(given_list: list[int], least: int) -> None:
    """Of lists with a sum of at least n, dropping numbers one by one: none can be dropped."""

    def holds(numbers: tuple[int, ...]) -> bool:
        return sum(numbers) >= least

    def simpler(numbers: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(*numbers[:at], *numbers[at + 1 :]) for at in range(len(numbers))]

    start = tuple(given_list)
    if holds(start):
        *_, found = shrunk(start, holds, simpler, len)
        assert holds(found) and not any(map(holds, simpler(found)))


def test_what_is_no_smaller_is_never_taken() -> None:
    seen: list[int] = []

    def holds(number: int) -> bool:
        seen.append(number)
        return True

    found = list(shrunk(3, holds, lambda n: [n, n + 1, n - 1] if n else [n, 5], lambda n: n))
    assert found == [3, 2, 1, 0]
    assert seen == [2, 1, 0]
