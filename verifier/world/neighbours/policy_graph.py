"""The policy graph of a Blowfish policy whose constraints are count queries, and its bound.

He et al., Definitions 8.1 to 8.3 and Theorem 8.2: with sparse constraints the histogram changes
by at most 2 * max(alpha, xi), where alpha is the length of the longest simple cycle and xi that
of the longest simple path from v+ to v-. The proof needs a complete secret graph; for incomplete
graphs the bound is false, so it is reported beside the enumerated value and never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MAX_QUERIES = 12  # longest simple cycles are searched exhaustively

PLUS, MINUS = "v+", "v-"
Vertex = int | str


@dataclass(frozen=True)
class PolicyGraph:
    """alpha and xi of a sparse policy."""

    alpha: int
    xi: int


def policy_graph(queries: Sequence[np.ndarray], edges: np.ndarray) -> PolicyGraph | None:
    """The policy graph's lengths; None where the constraints are not sparse or too many.

    queries  one Boolean array over the values of a record for each count query
    edges    shape (k, k): the secret graph on those values
    """
    if len(queries) > MAX_QUERIES:
        return None
    arcs: dict[Vertex, set[Vertex]] = {PLUS: {MINUS}}
    for x, y in np.argwhere(edges):
        lifted = [q for q, query in enumerate(queries) if query[y] and not query[x]]
        lowered = [q for q, query in enumerate(queries) if query[x] and not query[y]]
        if len(lifted) > 1 or len(lowered) > 1:
            return None
        if lifted or lowered:
            source: Vertex = lowered[0] if lowered else PLUS
            arcs.setdefault(source, set()).add(lifted[0] if lifted else MINUS)
    cycles = [_longest(arcs, q, q, {q}) for q in range(len(queries))]
    return PolicyGraph(max([0, *cycles]), _longest(arcs, PLUS, MINUS, {PLUS}))


def _longest(
    arcs: dict[Vertex, set[Vertex]], at: Vertex, goal: Vertex, visited: set[Vertex]
) -> int:
    """The length of a longest simple path from `at` to `goal` off `visited`; 0 for none."""
    best = 0
    for following in arcs.get(at, ()):
        if following == goal:
            best = max(best, 1)
        elif following not in visited:
            rest = _longest(arcs, following, goal, visited | {following})
            best = max(best, rest + 1 if rest else 0)
    return best
