"""What a function of one random number gives, exactly, where the number is a multiple of 2⁻⁵³.

`random()` of Python and of NumPy gives each of these numbers below 1 with the same probability.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

from verifier.base.errors import LimitReached, NotDecided

GRID = 2**53
MAX_PIECES = 4000
AROUND = 32  # numbers that are tried on either side of an end of a piece


def law(
    outcome: Callable[[float], str], turns: Sequence[int] = (), most: int = MAX_PIECES
) -> dict[str, Fraction]:
    """The probability of each outcome of a random number, in order of first appearance.

    outcome  what follows from the number; between turns it never comes back to a former outcome
    turns    multiples of 2⁻⁵³ where that may begin anew, ascending
    most     how many pieces with one outcome there may be

    The ends of pieces are found by bisection; around each of them all numbers are tried.
    LimitReached beyond `most`; NotDecided where an outcome comes back near an end.

    >>> law(lambda number: "yes" if number < 0.75 else "no")
    {'yes': Fraction(3, 4), 'no': Fraction(1, 4)}
    """

    def at(number: int) -> str:
        return outcome(number / GRID)

    def differs(former: str, number: int) -> bool:
        return at(number) != former

    starts: list[int] = []
    found: list[str] = []
    for low, high in pairwise([0, *turns, GRID]):
        while low < high:
            if len(starts) == most:
                raise LimitReached(f"a random number has more than {most} outcomes")
            here = at(low)
            starts.append(low)
            found.append(here)
            low = bisect_left(range(high), True, low + 1, key=partial(differs, here))
    for start in starts[1:]:
        for number in range(max(start - AROUND, 0), min(start + AROUND, GRID)):
            if at(number) != found[bisect_right(starts, number) - 1]:
                raise NotDecided(f"the outcomes around the random number {number}/2^53 alternate")
    counts: Counter[str] = Counter()
    for name, (start, end) in zip(found, pairwise([*starts, GRID]), strict=True):
        counts[name] += end - start
    return {name: Fraction(count, GRID) for name, count in counts.items()}
