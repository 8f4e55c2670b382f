"""Which record depends on which, where every one depends on at most one other."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from verifier.base.nouns import Later, dataclass


@dataclass(frozen=True)
class Tree(Later):
    """Records that depend on their parents.

    initial      the distribution of the records without a parent
    parents      for each record the number of its parent, or -1
    transitions  distinct matrices, with one row for each value of the parent
    chosen       for each record the number of its matrix; -1 without a parent
    """

    initial: tuple[Fraction, ...]
    parents: tuple[int, ...]
    transitions: tuple[tuple[tuple[Fraction, ...], ...], ...]
    chosen: tuple[int, ...]

    @cached_property
    def children(self) -> list[list[int]]:
        """For each record its children."""
        found: list[list[int]] = [[] for _ in self.parents]
        for record, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(record)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The records, each after its parent; without those that are their own ancestors."""
        found = [record for record, parent in enumerate(self.parents) if parent < 0]
        for record in found:
            found += self.children[record]
        return found
