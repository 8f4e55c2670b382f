"""Pufferfish with δ over all priors of a cone by its corners, where events are many.

On the segment between two corners all events are decided at once, see `verifier.kernels.events`.

After Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definition 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

from verifier.base.errors import LimitReached, TimeLimitReached
from verifier.base.exact import is_symbolic
from verifier.engines.pufferfish.cells import cell_of, dense, numbers
from verifier.kernels import cones
from verifier.kernels.events import Segment, Values
from verifier.kernels.segments import ONE, Cell, Edge, Point, scaled
from verifier.questions.claim import PolytopeClaim
from verifier.questions.evidence import ConePrior

MAX_EVENTS = 2**10  # that are decided one by one, where corners are too many
MAX_CORNERS = 300
Pair = tuple[str, str]
Between = tuple[tuple[int, int], tuple[Point, Point], Segment]  # two corners, by number


def decide(claim: PolytopeClaim) -> bool:
    """Whether corners decide a claim, rather than each event by itself: with delta, where they are
    not too many; LimitReached where events are too."""
    if not claim.delta:
        return False
    try:
        if not claim.cone.is_whole or any(map(is_symbolic, numbers(claim))):
            raise LimitReached(f"over {MAX_EVENTS} events, with a parameter")
        return bool(_corners(claim.cone))
    except TimeLimitReached:
        raise
    except LimitReached:
        if 2 ** len(claim.mechanism.outputs) > MAX_EVENTS:
            raise
        return False


@lru_cache(maxsize=1)  # asked for by whoever decides, and by whoever tells
def _corners(cone: cones.Cone) -> list[Point]:
    """The corners, in descending order of their coordinates in coprime integers."""
    found = cones.rays(cone, MAX_CORNERS)
    return sorted(found, key=lambda x: [x.get(k, 0) for k in range(cone.size)], reverse=True)


def sides(claim: PolytopeClaim) -> Iterator[tuple[Pair, Iterable[Between]]]:
    """All pairs of possible secrets of a claim in both orders, with the segments between corners;
    LimitReached where these are too many."""
    corners, outputs = _corners(claim.cone), range(len(claim.mechanism.outputs))
    for names in _compared(claim):
        (b, d), unit = scaled(*(claim.mass[name] for name in names))
        joint = [[x * unit for x in claim.joint(name, o)] for name in names for o in outputs]
        (*rows, (_, loss)), _ = scaled(*joint, [ONE, claim.delta])

        def values(x: Point, rows: Sequence[Any] = (*rows, b, d)) -> list[Any]:
            return [sum(weight * row[k] for k, weight in x.items()) for row in rows]

        known, half = [values(x) for x in corners], len(outputs)
        of_first = [(x[:half], x[-2], x[half:-2], x[-1]) for x in known]
        yield names, _segments(corners, of_first, loss)
        yield names[::-1], _segments(corners, [(c, d, a, b) for a, b, c, d in of_first], loss)


def _segments(corners: Sequence[Point], values: Sequence[Values], loss: Any) -> Iterator[Between]:
    """Between any two corners; of a single corner from it to itself."""
    for i, j in list(combinations(range(len(corners)), 2)) or [(0, 0)]:
        yield (i, j), (corners[i], corners[j]), Segment(values[i], values[j], loss)


def attaining(claim: PolytopeClaim, level: Fraction | None) -> Iterator[tuple[Cell, Point]]:
    """Priors that attain the smallest level of a claim by themselves, with an event each."""
    for names, between in sides(claim):
        for _, points, segment in between:
            found = segment.attaining(level)
            if found:
                event, weights = found
                cell = cell_of(claim, ConePrior(names, outputs=event))
                yield cell, Edge(points, segment.ends(event)).mixed(weights)


def possible(claim: PolytopeClaim) -> ConePrior:
    """A prior that allows both secrets of a pair of the claim: the sum of all corners."""
    total: Point = {}
    for corner in _corners(claim.cone):
        for k, x in corner.items():
            total[k] = total.get(k, 0) + x
    return ConePrior(next(_compared(claim)), outputs=(0,), at=dense(claim, total))


def _compared(claim: PolytopeClaim) -> Iterator[Pair]:
    """The pairs of secrets that some prior allows."""
    return (names for names in claim.pairs if claim.impossible.keys().isdisjoint(names))
