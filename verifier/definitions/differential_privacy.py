"""Changing one record changes the probability of every output by at most a fixed factor.

Syntax. `differential_privacy: {epsilon: LEVEL, delta: NUMBER, neighbours: KIND, group: NUMBER}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. Then
M[o, w] <= α·M[o, w'] for every output o and every ordered pair (w, w') of neighbours; with δ:
Σ_o max(0, M[o, w] − α·M[o, w']) <= δ.

Options. `epsilon` or `exp_epsilon`, `delta`; and
- `neighbours`: `replace` (the default: one record's value changes, both present), `add_remove`
  (one record is present or absent), `entry` (one attribute of one record changes), `all`,
  `induced`, `{hamming: g}`, `{l1: d}` or `{linf: d}`; `{pairs: [[w, v], …]}`, or
  `{where: EXPRESSION}` about two worlds w and v, one way only with `directed: true` beside it
- `group`: up to how many changes are made at once, 1 by default; the level is that of the group

Leakage. The smallest α at the given δ: a largest ratio of two probabilities, or, with δ, the
point where the piecewise linear function δ(α) reaches δ; always rational or infinite.
`differential_privacy.curve` gives the whole exact function δ(α). Of many runs it may lie between
two ends, of which the level is on one side.

Example. Randomized response with truth 3/4 has ratios 3 and 1/3: it is ln(3)-differentially
private, and no better. Two changes need 9. At level 2 one output exceeds it by 3/4 − 2·1/4.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    checks:
      - differential_privacy: {epsilon: ln(3)}
        leakage: 3
      - differential_privacy: {exp_epsilon: 9, group: 2}
        leakage: 9
      - differential_privacy: {exp_epsilon: 9, neighbours: all}
        leakage: 9
      - differential_privacy: {exp_epsilon: 2, delta: 1/4}
        leakage: 2

References. Dwork, McSherry, Nissim, Smith 2006, Calibrating noise to sensitivity in private data
analysis, Definition 1; with δ: Dwork, Kenthapadi, McSherry, Mironov, Naor 2006, Our data,
ourselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.base.document import Mapping, Node, Plain, Scalar, tree
from verifier.base.level import Level
from verifier.definitions._local import compared as of_records
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix, smallest_delta
from verifier.kernels import hockey_stick
from verifier.questions.claim import ComparisonClaim, Json
from verifier.questions.question import Question, share, stated
from verifier.questions.witness import Belief
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.neighbours import distances, own, plans
from verifier.world.relation import RULES as RULES_OF_RECORDS
from verifier.world.relation import Relation, by_rule
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "neighbours", "group")
CLOSED = DIVERGENCE
LARGER = {"group": -1}
MAX_GROUP = 1000
RULES = (*RULES_OF_RECORDS, "induced")
ONE = Fraction(1)
Changes = tuple[Relation, Fraction | None]  # of one record, and what all may cost together


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    delta: Plain = 0,
    neighbours: Plain = "replace",
    group: Plain = 1,
) -> Question:
    """Whether a mechanism satisfies (ε, δ)-differential privacy (Dwork et al. 2006, Def. 1).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    neighbours `replace`, `add_remove`, `entry`, `all`, `induced`, {metric: distance}, or
               {"pairs": …} or {"where": …}
    group      in how many records neighbours may differ

    InputError where the neighbours do not go with the worlds (S603, S604).
    """
    keyword = "differential_privacy"
    if isinstance(mechanism, LocalMechanism):
        found, limit = changes_of(mechanism, neighbours, group)
        options = stated_options(neighbours, group)
        return of_records(keyword, space, mechanism, level, delta, [found], options, limit)
    relation = neighbours_of(space, neighbours, group)
    return compared(
        keyword, space, mechanism, level, delta, relation, stated_options(neighbours, group)
    )


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    delta = options.delta()
    neighbours = options.value("neighbours", "replace")
    channels = not is_own(tree(neighbours)) or _is_run(options)
    mechanism = options.released(channels, not delta, parts=True, runs=True)
    return question(
        space=options.space_of(mechanism),
        mechanism=mechanism,
        level=options.level(),
        delta=delta,
        neighbours=neighbours,
        group=options.value("group", 1),
    )


def _is_run(options: Options) -> bool:
    """Whether a mechanism is run several times that knows whole worlds alone."""
    found = options.channels(parts=True, runs=True)
    return found is not None and found.records == ("",) and found.is_repeated


def compared(
    definition: str,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain,
    relation: Relation,
    options: Json,
) -> Question:
    """The question whether no two worlds of a relation are told apart.

    definition  the keyword that asks
    space       the possible worlds
    mechanism   what is released
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    relation    the ordered pairs of worlds that are compared
    options     the definition's own, in canonical form
    """

    def describe(left: int, right: int) -> Belief:
        return Belief((space.name(left), space.name(right)), space.halves(left, right))

    claim = ComparisonClaim(
        definition,
        space,
        mechanism,
        mechanism,
        relation,
        level,
        share(delta),
        describe,
        scope={"pairs": relation.count(), "notes": [*mechanism.notes, *relation.notes]},
    )
    return Question(definition=definition, claim=claim, options=options)


def value(rows: Matrix, pairs: Iterable[tuple[int, int]], alpha: Fraction) -> Fraction:
    """The smallest δ at α, straight from the definition; 0 exactly where it holds purely.

    rows   P(output | world), one row per output
    pairs  the ordered pairs of worlds that are neighbours
    alpha  α, the level e^ε
    """
    return smallest_delta(rows, pairs, alpha)


def curve(mechanism: Mechanism, relation: Relation) -> tuple[tuple[Fraction, Fraction], ...]:
    """The exact curve δ(α), α >= 1: its corners (α, δ) ascending.

    mechanism  the matrix over the worlds
    relation   which worlds are neighbours

    It is linear between corners and constant after the last.
    """
    return hockey_stick.curve(mechanism, relation.pairs())


def neighbours_of(space: WorldSpace, neighbours: Plain, group: Plain = 1) -> Relation:
    """The relation of `neighbours`, up to `group` changes, over the worlds of `space`."""
    rule, limit, size = _read(neighbours, group)
    if rule in own.KEYS:
        return own.read_relation(space, tree(neighbours).mapping())
    if limit is None:
        return plans.induced(space) if rule == "induced" else by_rule(space, rule, size)
    if rule == "hamming" and space.absent_code is None:
        return by_rule(space, "replace", int(limit))
    return distances.within(space, rule, limit)


def stated_options(neighbours: Plain, group: Plain) -> Json:
    """The options `neighbours` and `group` as a certificate has them."""
    node = tree(neighbours)
    said = own.stated(node.mapping()) if is_own(node) else stated(neighbours)
    return {"neighbours": said, "group": stated(group, 1)}


def changes_of(local: LocalMechanism, neighbours: Plain, group: Plain) -> Changes:
    """Which values of one record are compared, or which histograms, and what all changes together
    may cost."""
    rule, limit, size = _read(neighbours, group)
    if local.is_whole or (rule in own.KEYS and local.records == ("",)):
        return neighbours_of(local.values, neighbours, group), ONE
    if rule in own.KEYS:
        said = "neighbours of your own are pairs of worlds, which are not enumerated here"
        raise tree(neighbours).fail("S603", said, "write fewer records")
    if rule in ("all", "linf"):
        return neighbours_of(local.values, neighbours), None
    if rule == "l1" or (rule == "entry" and size > 1):
        return distances.costs(local.values, rule), limit or Fraction(size)
    one = "induced" if rule == "induced" else {rule: 1} if limit else rule
    return neighbours_of(local.values, one), limit or Fraction(size)


def is_own(node: Node) -> bool:
    """Whether a node says by itself which worlds are neighbours."""
    return isinstance(node, Mapping) and any(key in node.table for key in own.KEYS)


def _read(neighbours: Plain, group: Plain) -> tuple[str, Fraction | None, int]:
    """The rule of `neighbours`, the distance within which they are, if any, and how many change."""
    node, group_node = tree(neighbours), tree(group)
    size = group_node.integer(1, MAX_GROUP, "a group size")
    limit = None
    if isinstance(node, Mapping) and is_own(node):
        rule = next(key for key in own.KEYS if key in node.table)
    elif isinstance(node, Mapping):
        key, limit = node.only("neighbours", (*distances.METRICS, *own.KEYS))
        rule = key.text
    elif isinstance(node, Scalar):
        rule = node.word(RULES, "neighbours", "S603")
    else:
        said = "neighbours are a word or a mapping such as {hamming: 2}"
        raise node.fail("S603", said, f"one of: {', '.join(RULES)}")
    if size != 1 and rule not in ("replace", "add_remove", "entry"):
        hint = "leave it out, or write neighbours: replace, add_remove or entry"
        raise group_node.fail("S603", f"'group' does not go with neighbours '{rule}'", hint)
    if limit is None:
        return rule, None, size
    if rule == "hamming":
        return rule, Fraction(limit.integer(1, MAX_GROUP, "a number of records")), size
    distance = limit.rational("a distance")
    if distance <= 0:
        said = f"a distance above 0 was expected, found {distance}"
        raise limit.fail("S604", said, "write a number above 0, such as 1")
    return rule, distance, size
