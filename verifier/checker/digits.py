"""Vectors of integers >= 0 as the digits of one long integer each: one addition, comparison or
multiplication of long integers is one of all entries.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

MOST_BYTES = 2**28  # of one vector


@dataclass(frozen=True)
class Digits:
    """Vectors of `count` entries, each written in `size` bytes whose top bit is 0."""

    count: int
    size: int

    @classmethod
    def up_to(cls, most: int, count: int) -> "Digits":
        """Vectors of `count` entries, none above `most`; ValueError where one would fill memory."""
        size = most.bit_length() // 8 + 1
        if count * size > MOST_BYTES:
            raise ValueError("a vector is too long")
        return cls(count, size)

    @cached_property
    def top(self) -> int:
        """The top bit of every entry."""
        return int.from_bytes((bytes(self.size - 1) + b"\x80") * self.count, "little")

    def packer(self, numbers: Sequence[int]) -> Callable[[Sequence[int]], int]:
        """What makes of some codes the vector of those of the `numbers` that have them."""
        if self.size == 1:
            table = bytes(numbers).ljust(256, b"\0")
            return lambda codes: int.from_bytes(bytes(codes).translate(table), "little")
        entry = [number.to_bytes(self.size, "little") for number in numbers].__getitem__
        return lambda codes: int.from_bytes(b"".join(map(entry, codes)), "little")

    def entries(self, vector: int) -> list[int]:
        """The entries of a `vector`."""
        text = vector.to_bytes(self.size * self.count, "little")
        places = range(0, len(text), self.size)
        return [int.from_bytes(text[k : k + self.size], "little") for k in places]

    def covers(self, left: int, right: int) -> bool:
        """Whether no entry of `left` is below that of `right`."""
        return ((left | self.top) - right) & self.top == self.top

    def _where(self, left: int, right: int) -> int:
        """All bits but the top one of the entries where `left` is not below `right`."""
        kept = ((left | self.top) - right) & self.top
        return kept - (kept >> 8 * self.size - 1)

    def larger(self, left: int, right: int) -> int:
        """The larger one of each two entries."""
        return right ^ ((left ^ right) & self._where(left, right))

    def smaller(self, left: int, right: int) -> int:
        """The smaller one of each two entries."""
        return left ^ ((left ^ right) & self._where(left, right))

    def excess(self, left: int, right: int) -> int:
        """The sum of max(0, l - r) over all entries; each partial sum is to fit in one of them."""
        found = ((left | self.top) - right) & self._where(left, right)
        bits, count = 8 * self.size, self.count
        while count > 1:  # the upper half is added to the lower one
            count = (count + 1) // 2
            found = (found >> count * bits) + (found & (1 << count * bits) - 1)
        return found
