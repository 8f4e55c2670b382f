"""Changing one record changes the odds of any two outputs by at most a fixed factor.

Syntax. `bounded_range: {epsilon: LEVEL, neighbours: KIND, group: NUMBER}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. Then
M[o, w]·M[p, w'] <= α·M[p, w]·M[o, w'] for every two outputs o and p and every ordered pair (w, w')
of neighbours. So all ratios M[o, w] / M[o, w'] of a pair lie in an interval whose ends differ by
the factor α.

Options. `epsilon` or `exp_epsilon`; and
- `neighbours`: which worlds are compared, as for `differential_privacy`
- `group`: up to how many changes are made at once, 1 by default; the level is that of the group

Leakage. The smallest α: the largest ratio over the smallest, of the worst pair; rational or
infinite.

Example. The exponential mechanism at base 2 with a score that one record changes by 1 gives the
odds of two candidates a factor of 4: it is ln(4)-bounded range. Its differential privacy is better
than that: 3/2. Randomized response with truth 3/4 has the ratios 3 and 1/3.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      choice: {exponential: {candidates: [0, 1], score: "1 - abs(ann - candidate)", base: 2}}
      response: {randomized_response: {truth: 3/4}}
    checks:
      - bounded_range: {exp_epsilon: 4}
        mechanism: choice
        leakage: 4
      - bounded_range: {exp_epsilon: 9}
        mechanism: response
        leakage: 9

References. Durfee, Rogers 2019, Practical differentially private top-k selection with
pay-what-you-get composition, Definition 4.1; Dong, Durfee, Rogers 2020, Optimal differential
privacy composition for exponential mechanisms.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.definitions._divergences import largest, measured, released
from verifier.definitions._order import ODDS
from verifier.definitions._plain import Matrix
from verifier.questions.question import Question
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "neighbours", "group")
CLOSED = ODDS
LARGER = {"group": -1}


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    neighbours: Plain = "replace",
    group: Plain = 1,
) -> Question:
    """Whether a mechanism has a bounded range (Durfee and Rogers 2019, Def. 4.1).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    neighbours which worlds are compared, as for `differential_privacy`
    group      in how many records neighbours may differ

    InputError where the neighbours do not go with the worlds (S603, S604).
    """
    return measured("bounded_range", space, mechanism, level, neighbours, group)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    mechanism = released(options)
    return question(
        space=options.space_of(mechanism),
        mechanism=mechanism,
        level=options.level(),
        neighbours=options.value("neighbours", "replace"),
        group=options.value("group", 1),
    )


def value(rows: Matrix, pairs: Iterable[tuple[int, int]]) -> Fraction | None:
    """The smallest α, straight from the definition; None where infinite.

    rows   P(output | world), one row per output
    pairs  the ordered pairs of worlds that are neighbours
    """
    sides = (
        (first[w] * second[v], second[w] * first[v])
        for w, v in pairs
        for first in rows
        for second in rows
    )
    return largest((p / q if q else None) for p, q in sides if p)
