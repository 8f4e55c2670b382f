"""What each output of a run leaves possible is paid by the outputs, not by the steps alone."""

from fractions import Fraction

import pytest

from verifier.checker.document import Refused, limited
from verifier.checker.reading import Table
from verifier.checker.runs import Chain, Runs


def test_many_outputs_are_paid() -> None:
    """All subsets of 12 worlds are outputs: each run multiplies 2,048 sets by as many."""
    size, outputs = 12, range(1, 1 << 12)
    chance = Fraction(1, 1 << 11)
    columns = [tuple([k >> w & 1 for k in outputs]) for w in range(size)]
    runs = Runs([[*range(len(outputs))]], Table([Fraction(0), chance], columns))
    prior = {w: Fraction(1, size) for w in range(size)}
    with limited() as spent:
        spent[0] = 95 * 10**6
        with pytest.raises(Refused, match="steps"):
            Chain(runs, prior, 2)
