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

from verifier.base.document import Node, Plain, Scalar, tree
from verifier.base.level import Level
from verifier.definitions._local import compared as of_records
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix
from verifier.definitions.differential_privacy import compared
from verifier.questions.question import Question, stated
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.neighbours import distances
from verifier.world.relation import Relation
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "distance")
CLOSED = DIVERGENCE


def question(
    *, space: WorldSpace, mechanism: Mechanism | LocalMechanism, level: Level, distance: Plain
) -> Question:
    """Whether a mechanism satisfies metric privacy (Chatzikokolakis et al. 2013).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε for worlds at distance 1
    distance   `hamming`, `l1`, `linf`, or {"graph": [[world, world, length], …]}

    InputError S604 where the distance does not go with the worlds.
    """
    if isinstance(mechanism, LocalMechanism):
        found = [_of_one_record(mechanism, tree(distance))]
        options = {"distance": stated(distance, names=space.world_name)}
        keyword = "metric_privacy"
        return of_records(keyword, space, mechanism, level, 0, found, options, per_unit=True)
    relation = distances.read_distance(space, tree(distance))
    options = {"distance": stated(distance, names=space.world_name)}
    return compared("metric_privacy", space, mechanism, level, 0, relation, options)


def _of_one_record(local: LocalMechanism, distance: Node) -> Relation:
    """The distances of the values of one record, which those of databases are sums of; S604."""
    if len(local.records) > 1 and not (isinstance(distance, Scalar) and distance.text != "linf"):
        said = "channels decide distances that add up over the records"
        raise distance.fail("S604", said, "write hamming or l1, or fewer records")
    return distances.read_distance(local.values, distance)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    distance = options.needed("distance")
    mechanism = options.released(isinstance(distance, Scalar) and distance.text != "linf")
    return question(
        space=options.space_of(mechanism),
        distance=distance,
        mechanism=mechanism,
        level=options.level(),
    )


def value(
    rows: Matrix, distances: Iterable[tuple[int, int, Fraction]], alpha: Fraction
) -> Fraction:
    """How far M[o, w]^k exceeds α^j·M[o, w']^k, straight from the definition.

    rows       P(output | world), one row per output o
    distances  (w, w', d): two worlds, and their distance d = j/k
    alpha      α, the level e^ε

    Metric privacy at α holds exactly where the largest of these is at most 0.
    """
    return max(
        (
            row[w] ** d.denominator - alpha**d.numerator * row[v] ** d.denominator
            for w, v, d in distances
            for row in rows
        ),
        default=Fraction(0),
    )
