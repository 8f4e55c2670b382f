"""Changing one record changes outputs little, by Rényi's divergences of all orders in proportion.

Syntax. `zcdp: {rho: LEVEL, neighbours: KIND, group: NUMBER}`

Statement. M[o, w] is the probability of output o in world w, and ρ the level. Then
Σ_o M[o, w]^a·M[o, w']^(1 − a) <= e^(ρ·a·(a − 1)) for every order a > 1 and every ordered pair
(w, w') of neighbours: Rényi's divergence of order a is at most ρ·a.

Options.
- `rho`: ρ, a number such as 1/2 or `ln(3)`
- `neighbours`: which worlds are compared, as for `differential_privacy`
- `group`: up to how many changes are made at once, 1 by default; the level is that of the group

Leakage. The smallest e^ρ, enclosed with a relative width below 1e-9; infinite where an output is
possible in one world only. It is asked for all orders at once; a certificate proves it for the
orders between some, and for those above the last.

Example. Randomized response with truth 3/4 is worst as the order approaches 1, where the
divergence becomes (3/4)·ln 3 + (1/4)·ln(1/3) = ln(3)/2 = 0.5493: the smallest e^ρ is √3.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    checks:
      - zcdp: {rho: 0.55}
        leakage: [1.73205080, 1.73205081]
      - zcdp: {rho: 0.549}
        expect: violated

References. Bun, Steinke 2016, Concentrated differential privacy: simplifications, extensions, and
lower bounds, Definition 1.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.base.document import Plain
from verifier.base.errors import InputError, NotDecided
from verifier.base.exact import is_symbolic
from verifier.base.level import Level
from verifier.definitions._divergences import largest, measured, powers, released
from verifier.definitions._order import RENYI
from verifier.definitions._plain import Matrix
from verifier.questions.question import Question
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("rho", "neighbours", "group")
CLOSED = RENYI
LARGER = {"group": -1}


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    neighbours: Plain = "replace",
    group: Plain = 1,
) -> Question:
    """Whether a mechanism is ρ-zero-concentrated differentially private (Bun, Steinke 2016).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ρ, one or more
    neighbours which worlds are compared, as for `differential_privacy`
    group      in how many records neighbours may differ

    InputError where the neighbours do not go with the worlds (S603, S604); NotDecided where
    probabilities depend on a parameter.
    """
    if isinstance(mechanism, Mechanism) and any(map(is_symbolic, mechanism.values)):
        raise NotDecided("with a parameter there is no method for zcdp; --set gives it a value")
    return measured("zcdp", space, mechanism, level, neighbours, group)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    mechanism = released(options)
    rho = options.needed("rho").scalar("a level")
    return question(
        level=rho.placed(lambda: _level(rho.text)),
        space=options.space_of(mechanism),
        mechanism=mechanism,
        neighbours=options.value("neighbours", "replace"),
        group=options.value("group", 1),
    )


def _level(text: str) -> Level:
    """The level e^ρ; errors about numbers speak of rho."""
    try:
        return Level.of_epsilon(text)
    except InputError as error:
        if error.code == "S803" or "epsilon" not in error.message:
            raise
        said = error.message.replace("epsilon", "rho")
        raise InputError(error.code, said, hint="write rho: 1/2 or rho: ln(3)") from None


def value(rows: Matrix, pairs: Iterable[tuple[int, int]], order: int) -> Fraction | None:
    """What e^(ρ·a·(a − 1)) is at least, by one integer order a; None where infinite.

    rows   P(output | world), one row per output
    pairs  the ordered pairs of worlds that are neighbours
    order  a, an integer above 1
    """
    return largest(powers(rows, pair, order) for pair in pairs)
