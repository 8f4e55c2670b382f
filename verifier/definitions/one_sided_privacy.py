"""Hiding one sensitive record behind any other value keeps every output nearly as likely.

Syntax. `one_sided_privacy: {epsilon: LEVEL, delta: NUMBER, sensitive: POLICY}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. A policy says
which values of a record are sensitive. World w' is a one-sided neighbour of w if one record, whose
value in w is sensitive, has any other value in w', and all else is the same. Then
M[o, w] <= α·M[o, w'] for every output o and every such (w, w'); with δ:
Σ_o max(0, M[o, w] − α·M[o, w']) <= δ. Where both values are sensitive (w', w) is compared too, else
nothing is said of it: that a record is not sensitive may be told. Records that are absent stay so.

Options. `epsilon` or `exp_epsilon`, `delta`; and
- `sensitive`: the policy: a list of the values that are sensitive, or a predicate about one value,
  such as `age < 18`; or a mapping from records to such, where a record that is not named has none

Leakage. The smallest α at the given δ: a largest ratio of two probabilities, or, with δ, the point
where the piecewise linear function δ(α) reaches δ; always rational or infinite.

Example. Ann's value is released with probability 2/3 if it is not sensitive, and never if it is. No
answer is a third as likely for `no` as for `yes`, so that the level is 3 = 1/(1 − 2/3). It protects
at no level who has the value `no`, which is told.

    worlds: {records: [ann], domain: [yes, no]}
    mechanism:
      table:
        outputs: [no answer, no]
        (yes): [1, 0]
        (no): [1/3, 2/3]
    checks:
      - one_sided_privacy: {epsilon: ln(3), sensitive: [yes]}
        leakage: 3
      - one_sided_privacy: {exp_epsilon: 1, delta: 2/3, sensitive: [yes]}
        leakage: 1
      - one_sided_privacy: {epsilon: ln(3), sensitive: [yes, no]}
        leakage: infinite
        expect: violated

References. Kotsogiannis, Doudalis, Haney, Machanavajjhala, Mehrotra 2020, One-sided differential
privacy, Definition 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from verifier.base.document import Mapping, Node, Plain, Scalar, tree
from verifier.base.level import Level
from verifier.definitions._local import compared as of_records
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix, smallest_delta
from verifier.definitions.differential_privacy import compared
from verifier.questions.claim import Json
from verifier.questions.question import Question, stated
from verifier.spec.options import Options
from verifier.world import transport
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.neighbours.graphs import value_code
from verifier.world.relation import Blocks, Relation, crossings, keys, listing_of, paired
from verifier.world.worlds import WorldSpace, predicate

OPTIONS = ("epsilon", "exp_epsilon", "delta", "sensitive")
CLOSED = DIVERGENCE

Policy = Callable[[int, object], bool]  # is a value of record i sensitive?


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    sensitive: Plain,
    delta: Plain = 0,
) -> Question:
    """Whether a mechanism is one-sided private (Kotsogiannis et al. 2020, Def. 3.1).

    space      the possible worlds, of records
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    sensitive  the policy: a list of values, a predicate, or a mapping from records to such
    delta      what may be missed, in [0, 1]

    InputError where the policy does not go with the worlds (S603, S604, and those of expressions).
    """
    options: Json = {"sensitive": stated(sensitive, names=space.value_name)}
    policy = policy_of(space, sensitive)
    if isinstance(mechanism, LocalMechanism):
        known = {row.tobytes(): _changes(mechanism.values, row[None]) for row in policy}
        found = [known[row.tobytes()] for row in policy]
        return of_records("one_sided_privacy", space, mechanism, level, delta, found, options)
    relation = _changes(space, policy)
    return compared("one_sided_privacy", space, mechanism, level, delta, relation, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    sensitive, mechanism = options.needed("sensitive"), options.released()
    return question(
        space=options.space_of(mechanism),
        sensitive=sensitive,
        mechanism=mechanism,
        level=options.level(),
        delta=options.delta(),
    )


def policy_of(space: WorldSpace, sensitive: Plain) -> np.ndarray:
    """Which values of each record of `space` are sensitive, shape (records, values), Boolean; of
    histograms there is one row for all records."""
    node = tree(sensitive)
    if not space.records and not space.is_histograms:
        hint = "for named worlds write differential_privacy with neighbours: {pairs: …}"
        raise node.fail("S603", "a policy needs worlds made of records", hint)
    if not isinstance(node, Mapping):
        return np.array([_values(space, node)] * max(1, len(space.records)))
    if space.is_histograms:
        said = "records that are not told apart have one policy"
        raise node.fail("S604", said, "write it without records, or leave exchangeable out")
    named = node.mapping(space.records, "a policy")
    none = np.zeros(len(space.record_values), dtype=bool)
    return np.array(
        [_values(space, named[one]) if named.get(one) else none for one in space.records]
    )


def _values(space: WorldSpace, node: Node) -> np.ndarray:
    """The values that a `node` lists, or for which its predicate holds; absence is none of them."""
    if isinstance(node, Scalar):
        # no expression can name this record: only `value` and attributes are left
        one = replace(space.of_one_record(), records=("",))
        counted = replace(node, text=f"count({node.text}) == 1", column=node.column - len("count("))
        return predicate(one, counted)
    listed = node.sequence("a list of values, or a predicate")
    found = np.zeros(len(space.record_values), dtype=bool)
    for item in listed:
        code = value_code(space, item)
        if code == space.absent_code:
            hint = "leave it out: absent records stay absent"
            raise item.fail("S604", "an absent record is not sensitive", hint)
        found[code] = True
    return found


def _changes(space: WorldSpace, policy: np.ndarray) -> Relation:
    """The ordered pairs of worlds of `space` in which one record's value, sensitive by the
    `policy`, becomes another one."""
    present = [code for code in range(len(space.record_values)) if code != space.absent_code]
    if space.is_histograms:
        moves = [(x, y) for x in np.flatnonzero(policy[0]).tolist() for y in present if x != y]
        changes = [transport.change(len(space.record_values), move) for move in moves]
        blocks = paired(transport.displaced(space, changes))
    else:
        codes, blocks = space.record_codes, list[Blocks]()
        for record, sensitive in enumerate(policy):
            own, same = codes[record], keys(np.delete(codes, record, axis=0), space.size)
            for value in np.flatnonzero(sensitive):
                blocks += crossings(same, own == value, (own != value) & space.present(record))
    return Relation(tuple(blocks), listing_of(space.size, blocks))


def value(
    rows: Matrix, databases: Sequence[Sequence[object]], policy: Policy, alpha: Fraction
) -> Fraction:
    """The smallest δ at α, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world the value of each record, None where absent
    policy     record, value -> whether it is sensitive
    alpha      α, the level e^ε
    """
    return smallest_delta(rows, neighbours(databases, policy), alpha)


def neighbours(databases: Sequence[Sequence[object]], policy: Policy) -> Iterator[tuple[int, int]]:
    """The ordered pairs of worlds in which one sensitive record gets another value.

    databases  for each world the value of each record, None where absent
    policy     record, value -> whether it is sensitive
    """
    for w, left in enumerate(databases):
        for v, right in enumerate(databases):
            moved = [i for i, (x, y) in enumerate(zip(left, right, strict=True)) if x != y]
            if len(moved) == 1:
                (i,) = moved
                if None not in (left[i], right[i]) and policy(i, left[i]):
                    yield w, v
