"""One record among those of a histogram, which are not told apart: its value, and the others'.

A question about one record is the same for each of them, so it is asked of any one. Its worlds are
pairs of a value v and a histogram of the other records. Under priors that no permutation of the
records changes, the record is each of the H_v of value v in a histogram H equally likely:

    P(v, others) = P(H)·H_v/n,    H = others + v.

What is released depends on H alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from verifier.base import histograms
from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Mechanism
from verifier.world.space import WorldSpace

NAME = "a record"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Single(Later):
    """One record among those of histograms.

    space  of worlds with this record alone; `counts` are those of all records
    whole  shape (worlds,): the histogram of each world
    """

    space: WorldSpace
    whole: np.ndarray

    def mechanism(self, of_all: Mechanism) -> Mechanism:
        """The mechanism over the worlds, by that over the histograms, `of_all`."""
        codes = of_all.codes[:, self.whole]
        return Mechanism.of(of_all.outputs, of_all.values, codes, of_all.notes, [of_all])

    def shares(self) -> list[Fraction]:
        """For each world its part of the probability of its histogram."""
        assert self.space.counts is not None
        records = self.space.record_count
        own = self.space.counts[self.space.record_codes[0], np.arange(self.space.size)]
        return [Fraction(count, records) for count in own.tolist()]

    def spread(self, of_histograms: Sequence[T]) -> list[T]:
        """For each world what its histogram has."""
        return [of_histograms[h] for h in self.whole.tolist()]


def others(space: WorldSpace) -> np.ndarray:
    """Shape (values, worlds): the counts of the other records, in a `space` of one."""
    assert space.counts is not None
    rest: np.ndarray = space.counts.copy()
    rest[space.record_codes[0], np.arange(space.size)] -= 1
    return rest


def one_record(space: WorldSpace) -> Single:
    """One record among those of the histograms of a `space`, with each value that it may have.

    >>> from verifier.world.worlds import exchangeable
    >>> one_record(exchangeable(2, ["a", "b"])).space.given
    ('a among a×1', 'a among b×1', 'b among a×1', 'b among b×1')
    """
    assert space.counts is not None
    codes, whole = np.nonzero(space.counts)
    made = WorldSpace(
        len(whole),
        (NAME,),
        space.attributes,
        space.record_values,
        codes[None, :],
        space.complete,
        counts=space.counts[:, whole],
    )
    texts, rest = space.value_names, others(made).T.tolist()
    names = (
        f"{texts[v]} among {histograms.name(row, texts)}"
        for v, row in zip(codes.tolist(), rest, strict=True)
    )
    return Single(replace(made, given=tuple(names)), whole)
