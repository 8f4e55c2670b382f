"""Priors under which records are independent."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from verifier.world.worlds import WorldSpace

Marginals = dict[str, dict[str, Fraction]]  # record -> value -> probability


def independent(space: WorldSpace, prior: Sequence[Fraction]) -> Marginals | None:
    """The distribution of each record, where the records are independent under a prior; None where
    they are not, or where there are fewer than two.

    >>> from verifier.world.worlds import database
    >>> space = database(["ann", "bob"], [0, 1])
    >>> found = independent(space, [Fraction(n, 8) for n in (3, 3, 1, 1)])
    >>> found["ann"] == {"0": Fraction(3, 4), "1": Fraction(1, 4)}
    True
    """
    if len(space.records) < 2:
        return None
    marginals = []
    for codes in space.record_codes.tolist():
        found = [Fraction(0)] * len(space.record_values)
        for code, p in zip(codes, prior, strict=True):
            found[code] += p
        marginals.append(found)
    for codes, p in zip(space.record_codes.T.tolist(), prior, strict=True):
        if prod(m[code] for m, code in zip(marginals, codes, strict=True)) != p:
            return None
    names = space.value_names
    return {
        record: {names[code]: p for code, p in enumerate(found) if p}
        for record, found in zip(space.records, marginals, strict=True)
    }
