"""Which record depends on which, where every one depends on at most one other.

A chain is a network in which each record but the first depends on the one before it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from verifier.base.nouns import Later, dataclass


@dataclass(frozen=True)
class Network(Later):
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

    @classmethod
    def chain(
        cls,
        initial: tuple[Fraction, ...],
        transition: tuple[tuple[Fraction, ...], ...],
        records: int,
    ) -> Network:
        """The Markov chain of so many `records` with one matrix of transitions."""
        chosen = (-1, *[0] * (records - 1))
        return cls(initial, tuple(range(-1, records - 1)), (transition,), chosen)

    @property
    def is_chain(self) -> bool:
        """Whether it is a Markov chain with one matrix of transitions, in the order of records."""
        ordered = all(parent == record - 1 for record, parent in enumerate(self.parents))
        return ordered and not any(self.chosen[1:])

    @property
    def is_line(self) -> bool:
        """Whether no record has two children, and all but one have a parent."""
        return self.parents.count(-1) == 1 and all(len(some) < 2 for some in self.children)

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
