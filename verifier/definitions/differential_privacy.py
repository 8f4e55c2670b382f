"""Changing one record changes the probability of every output by at most a fixed factor.

Syntax. `differential_privacy: {epsilon: LEVEL, delta: NUMBER, neighbours: KIND, group: NUMBER}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. Then
M[o, w] <= α·M[o, w'] for every output o and every ordered pair (w, w') of neighbours; with δ:
Σ_o max(0, M[o, w] − α·M[o, w']) <= δ.

Options. `epsilon` or `exp_epsilon`, `delta`; and
- `neighbours`: `replace` (the default: one record's value changes, both present), `add_remove`
  (one record is present or absent), `entry` (one attribute of one record changes), `all`,
  `induced`, `{hamming: g}`, `{l1: d}` or `{linf: d}`
- `group`: up to how many changes are made at once, 1 by default; the level is that of the group

Leakage. The smallest α at the given δ: a largest ratio of two probabilities, or, with δ, the
point where the piecewise linear function δ(α) reaches δ; always rational or infinite.
`differential_privacy.curve` gives the whole exact function δ(α).

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

from verifier.base.document import Mapping, Scalar
from verifier.claims.claim import ComparisonClaim
from verifier.definitions import _worlds
from verifier.definitions._plain import Matrix, smallest_delta
from verifier.kernels import hockey_stick
from verifier.spec.model import Check
from verifier.world.mechanism import Mechanism
from verifier.world.neighbours import distances, minimal
from verifier.world.relation import RULES, Relation, by_rule

OPTIONS = ("epsilon", "exp_epsilon", "delta", "neighbours", "group")
MAX_GROUP = 1000


def compile(check: Check) -> ComparisonClaim:
    """The comparisons of all neighbouring worlds."""
    return _worlds.claim(check, neighbours(check))


def value(rows: Matrix, pairs: Iterable[tuple[int, int]], alpha: Fraction) -> Fraction:
    """The smallest δ at α over ordered pairs of columns of a matrix, straight from the
    definition; pure differential privacy at α holds exactly when it is 0."""
    return smallest_delta(rows, pairs, alpha)


def curve(mechanism: Mechanism, relation: Relation) -> tuple[tuple[Fraction, Fraction], ...]:
    """The exact curve δ(α), α >= 1, over a neighbour relation: its corners (α, δ) ascending,
    linear between them and constant after the last."""
    return hockey_stick.curve(mechanism, relation.pairs())


def neighbours(check: Check) -> Relation:
    """The neighbour relation a check asks for; S603, S604 where the worlds do not allow it."""
    node, space = check.options.get("neighbours"), check.space
    group_node = check.options.get("group")
    group = group_node.integer(1, MAX_GROUP, "a group size") if group_node else 1
    if isinstance(node, Mapping):
        key, limit = node.only("neighbours", distances.METRICS)
        rule = key.text
    else:
        known = (*RULES, "induced")
        rule = node.word(known, "neighbours", "S603") if isinstance(node, Scalar) else "replace"
        if node is not None and not isinstance(node, Scalar):
            said = "neighbours are a word or a mapping such as {hamming: 2}"
            raise node.fail("S603", said, f"one of: {', '.join(known)}")
        limit = None
    if group_node is not None and rule not in ("replace", "add_remove", "entry"):
        hint = "leave it out, or write neighbours: replace, add_remove or entry"
        raise group_node.fail("S603", f"'group' does not go with neighbours '{rule}'", hint)
    if limit is None:
        return minimal.induced(space) if rule == "induced" else by_rule(space, rule, group)
    if rule == "hamming":
        size = limit.integer(1, MAX_GROUP, "a number of records")
        if space.absent_code is None:
            return by_rule(space, "replace", size)
        return distances.within(space, rule, Fraction(size))
    distance = limit.number("a distance")
    if distance <= 0:
        said = f"a distance above 0 was expected, found {distance}"
        raise limit.fail("S604", said, "write a number above 0, such as 1")
    return distances.within(space, rule, distance)
