"""The nearer two worlds are, the more alike are their distributions of outputs.

Syntax. `metric_privacy: {epsilon: LEVEL, distance: DISTANCE}`

Statement. M[o, w] is the probability of output o in world w, d a metric with rational values, and
α = e^ε the level for one unit of distance. Then M[o, w] <= α^d(w, w')·M[o, w'] for every output
and every two worlds.

Options. `epsilon` or `exp_epsilon`; and
- `distance`: `hamming` (records that differ), `l1` or `linf` (numeric records), or
  `{graph: [[a, b], [b, c, 1/2], …]}`: shortest paths between named worlds; worlds that no path
  joins are not compared

Leakage. The smallest α per unit of distance, max of (M[o, w] / M[o, w'])^(1/d). It may be
irrational; then it is enclosed with a relative width below 1e-9 and the verdict is decided on
M^k <= α^j·M'^k for d = j/k.

Example. Randomized response with truth 3/4 satisfies it at 3 for each record that differs.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    checks:
      - metric_privacy: {exp_epsilon: 3, distance: hamming}
        leakage: 3

References. Chatzikokolakis, Andrés, Bordenabe, Palamidessi 2013, Broadening the scope of
differential privacy using metrics.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.base.examples import missing
from verifier.claims.claim import ComparisonClaim
from verifier.definitions import _worlds
from verifier.definitions._plain import Matrix
from verifier.spec.model import Check
from verifier.world.neighbours import distances

OPTIONS = ("epsilon", "exp_epsilon", "distance")


def compile(check: Check) -> ComparisonClaim:
    """The comparisons of worlds with their distances."""
    node = check.options.get("distance")
    if node is None:
        raise check.definition.fail("S016", "the key 'distance' is missing", missing("distance"))
    return _worlds.claim(check, distances.read(check.space, node))


def value(
    rows: Matrix, distances: Iterable[tuple[int, int, Fraction]], alpha: Fraction
) -> Fraction:
    """max over (w, w', d = j/k) and outputs of M[o, w]^k − α^j·M[o, w']^k, straight from the
    definition; metric privacy at α holds exactly when it is at most 0."""
    return max(
        (
            row[w] ** d.denominator - alpha**d.numerator * row[v] ** d.denominator
            for w, v, d in distances
            for row in rows
        ),
        default=Fraction(0),
    )
