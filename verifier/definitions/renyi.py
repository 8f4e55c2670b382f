"""Changing one record changes the distribution of outputs little, by Rényi's divergence.

Syntax. `renyi: {epsilon: LEVEL, order: NUMBER, neighbours: KIND, group: NUMBER}`

Statement. M[o, w] is the probability of output o in world w, a the order, and α = e^ε the level.
Then Σ_o M[o, w]^a·M[o, w']^(1 − a) <= α^(a − 1) for every ordered pair (w, w') of neighbours: the
logarithm of the sum, divided by a − 1, is Rényi's divergence of order a.

Options. `epsilon` or `exp_epsilon`; and
- `order`: a, a rational above 1
- `neighbours`: which worlds are compared, as for `differential_privacy`
- `group`: up to how many changes are made at once, 1 by default; the level is that of the group

Leakage. The smallest α, a root of degree a − 1 of the largest sum: exact where it is rational,
otherwise enclosed with a relative width below 1e-9; infinite where an output is possible in one
world only. With an order that is no integer, the sum is a rational or a sum of roots.

Example. Randomized response with truth 3/4: order 2 gives 9/4 + 1/12 = 7/3. Order 3 gives
27/4 + 1/36 = 61/9, whose square root is no rational. Order 3/2 gives √3·(3/4 + 1/12), of which the
square is 25/12.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    checks:
      - renyi: {exp_epsilon: 7/3, order: 2}
        leakage: 7/3
      - renyi: {epsilon: 0.96, order: 3}
        leakage: [2.6034, 2.6035]
      - renyi: {exp_epsilon: 25/12, order: 3/2}
        leakage: 25/12

References. Mironov 2017, Rényi differential privacy, Definition 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.base.document import Plain, tree
from verifier.base.level import Level
from verifier.definitions._divergences import largest, measured, powers, released
from verifier.definitions._order import RENYI
from verifier.definitions._plain import Matrix
from verifier.questions.question import Question
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "order", "neighbours", "group")
CLOSED = RENYI
LARGER = {"group": -1, "order": -1}
MOST = 1000  # numerator and denominator of an order


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    order: Plain,
    neighbours: Plain = "replace",
    group: Plain = 1,
) -> Question:
    """Whether a mechanism satisfies (a, ε)-Rényi differential privacy (Mironov 2017, Def. 4).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    order      a, a rational above 1
    neighbours which worlds are compared, as for `differential_privacy`
    group      in how many records neighbours may differ

    InputError where the neighbours do not go with the worlds (S603, S604), S604 for other orders.
    """
    found = _order(order)
    return measured("renyi", space, mechanism, level, neighbours, group, found)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    mechanism = released(options)
    return question(
        order=options.needed("order"),
        space=options.space_of(mechanism),
        mechanism=mechanism,
        level=options.level(),
        neighbours=options.value("neighbours", "replace"),
        group=options.value("group", 1),
    )


def value(rows: Matrix, pairs: Iterable[tuple[int, int]], order: int) -> Fraction | None:
    """The smallest α^(a − 1) for an integer order a, straight from the definition; None where
    infinite.

    rows   P(output | world), one row per output
    pairs  the ordered pairs of worlds that are neighbours
    order  a, an integer above 1
    """
    return largest(powers(rows, pair, order) for pair in pairs)


def _order(order: Plain) -> Fraction:
    """The order, above 1 and short; S604."""
    node = tree(order)
    found = node.rational("an order")
    if found <= 1:
        hint = "write a number above 1, such as 2; every output by itself: differential_privacy"
        raise node.fail("S604", f"an order above 1 was expected, found {found}", hint)
    if max(found.as_integer_ratio()) > MOST:
        said = f"an order of numbers up to {MOST} was expected, found {found}"
        raise node.fail("S604", said, "write an order such as 3/2 or 100")
    return found
