"""Vectors as long integers, against the same entry by entry."""

from __future__ import annotations

from random import Random

import pytest

from verifier.checker.digits import Digits

MOST = [1, 126, 127, 128, 255, 256, 2**15 - 1, 2**15, 2**31, 2**64, 10**40]


def drawn(random: Random, most: int, count: int) -> list[int]:
    ends = [0, 1, most, most - 1, most // 2, random.randint(0, most)]
    return [random.choice(ends) for _ in range(count)]


@pytest.mark.parametrize("most", MOST)
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8])
def test_entry_by_entry(most: int, count: int) -> None:
    random, vectors = Random(f"{most} {count}"), Digits.up_to(most, count)
    sums = Digits.up_to(count * most, count)
    for _ in range(40):
        left, right = drawn(random, most, count), drawn(random, most, count)
        if random.random() < 0.3:  # near
            right = [max(0, x - random.choice([0, 0, 1])) for x in left]
        codes = bytes(range(count))
        a, b = (vectors.packer(side)(codes) for side in (left, right))
        both = list(zip(left, right, strict=True))
        assert vectors.entries(a) == left
        assert vectors.covers(a, b) == all(x >= y for x, y in both)
        assert vectors.entries(vectors.larger(a, b)) == [max(pair) for pair in both]
        assert vectors.entries(vectors.smaller(a, b)) == [min(pair) for pair in both]
        a, b = (sums.packer(side)(codes) for side in (left, right))
        assert sums.excess(a, b) == sum(max(0, x - y) for x, y in both)


@pytest.mark.parametrize(("most", "size"), [(0, 1), (127, 1), (128, 2), (2**15 - 1, 2), (2**15, 3)])
def test_the_top_bit_stays_free(most: int, size: int) -> None:
    assert Digits.up_to(most, 3) == Digits(3, size)
    assert Digits(2, 2).top == 0x80008000


def test_codes_are_places_of_numbers() -> None:
    vectors = Digits.up_to(100, 4)
    assert vectors.entries(vectors.packer([5, 100, 7])(bytes([2, 0, 0, 1]))) == [7, 5, 5, 100]
    wide = Digits.up_to(1000, 4)
    assert wide.entries(wide.packer([5, 1000, 7])((2, 0, 0, 1))) == [7, 5, 5, 1000]
    assert vectors.packer([5, 100, 7])([2, 0, 0, 1]) == vectors.packer([5, 100, 7])(
        bytes([2, 0, 0, 1])
    )
