"""Facets of a row cone, and whether it holds the rows of a mechanism, with evidence.

Example. A bit that is told with probability 3/4 has the rows (3, 1) and (1, 3), up to a factor, and
the facets 3 x_1 >= x_0 and 3 x_0 >= x_1. The row (7, 1) breaks the first: against the prior (1/4,
3/4) it makes the world 0, which has odds 1 : 3, the likelier one, 7 : 3.

After Lin, Kifer 2012, Reasoning about privacy using axioms, Definition 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.kernels.rows import RowCone, named, read_row, row_cone
from verifier.kernels.rows.facets import Row
from verifier.questions.answer import Answer, Proof, Quantity
from verifier.questions.evidence import (
    FacetsEvidence,
    PayoffEvidence,
    SaidValue,
    Weights,
    WeightsEvidence,
)
from verifier.questions.rows import RowConeClaim
from verifier.questions.witness import GuaranteeWitness
from verifier.world.mechanism import Mechanism

if TYPE_CHECKING:
    from verifier.lp.model.integers import IntegerMatrix
    from verifier.lp.model.program import Vector

MOST = 50_000  # facets that are counted
LOOKED_FOR = 2_000  # facets among which a broken one is looked for,
SIZES = (*range(1, 13), *(2**bits for bits in range(4, 31)))  # of rounded inequalities
ENTRIES = 2**16  # of a cone with so many entries of rows at most
SHOWN = 64  # worlds of a prior written out


def decide(claim: RowConeClaim) -> Answer:
    """What a claim asks: the number of facets, or weights of rows, or an inequality that one
    breaks."""
    return told(claim, prove(claim))


def prove(claim: RowConeClaim) -> Proof:
    """The proof of the answer to a claim."""
    if claim.facets is not None:
        return _counted(claim, row_cone(claim.given.values(), MOST))
    assert claim.mechanism is not None
    return _membership(claim, claim.mechanism)


def told(claim: RowConeClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidValue)
    shown = _shown(claim, evidence) if isinstance(evidence, PayoffEvidence) else None
    return Answer(
        said.verdict,
        quantity=None if said.value is None else Quantity(said.value, "{} facets"),
        shown=shown,
        proof=proof,
        scope={"worlds": claim.space.size, "of": list(claim.given), **claim.scope},
    )


def _counted(claim: RowConeClaim, cone: RowCone) -> Proof:
    found, asked = len(cone.facets), claim.facets
    evidence = FacetsEvidence(cone.equations, cone.facets)
    said = SaidValue("holds" if found == asked else "violated", Fraction(found))
    return Proof(said, evidence)


def _membership(claim: RowConeClaim, mechanism: Mechanism) -> Proof:
    from verifier.lp.cones import members

    values = [value for one in (mechanism, *claim.given.values()) for value in one.values]
    if any(map(exact.is_irrational, values)):
        return _in_field(claim, mechanism)
    sources = dict(_sources(claim.given))
    rows = list(sources)
    scales, points = zip(*map(_integers, mechanism.rows()), strict=True)
    together = members(_matrix(rows), _matrix(points))
    found = together if isinstance(together, list) else _one_by_one(rows, points, together)
    if isinstance(found, tuple):
        output, inequality = found
        small = len(rows) * claim.space.size <= ENTRIES
        facet = _broken(claim, points[output]) if small else None
        return _outside(output, facet or inequality)
    listed: list[Weights] = []
    for scale, weights in zip(scales, found, strict=True):
        terms: list[tuple[int, int, Fraction]] = []
        for at, numerator in sorted(weights.numerators.items()):
            k, o, factor = sources[rows[at]]
            weight = Fraction(numerator, weights.denominator * scale) / factor
            terms += [(k, o, weight)] if weight else []
        listed.append(terms)
    return Proof(SaidValue("holds"), WeightsEvidence(listed))


def _outside(output: int, inequality: Row) -> Proof:
    """The proof that the row of an output breaks an inequality, >= 0 for all of the cone: to
    announce it pays the opposite."""
    return Proof(SaidValue("violated"), PayoffEvidence({output: [-a for a in inequality]}))


def _in_field(claim: RowConeClaim, mechanism: Mechanism) -> Proof:
    """The proof where numbers have powers of e: a linear program for every row."""
    from verifier.lp import Infeasible, Optimal, solve_rows
    from verifier.lp import Row as Inequality

    known = [
        (k, o, row)
        for k, one in enumerate(claim.given.values())
        for o, row in enumerate(one.rows())
    ]
    terms = [{at: row[w] for at, (_, _, row) in enumerate(known)} for w in range(mechanism.worlds)]
    listed: list[Weights] = []
    for output, target in enumerate(mechanism.rows()):
        rows = [Inequality("", part, "=", p) for part, p in zip(terms, target, strict=True)]
        found = solve_rows(len(known), rows)
        if not isinstance(found, Optimal):
            assert isinstance(found, Infeasible)
            broken = _integer(found.multipliers, target, [row for _, _, row in known])
            return _outside(output, broken)
        weights = ((at, found.point.fraction(at)) for at in sorted(found.point.numerators))
        listed.append([(*known[at][:2], weight) for at, weight in weights])
    return Proof(SaidValue("holds"), WeightsEvidence(listed))


def _integer(
    separator: Vector, target: Sequence[Fraction], known: Sequence[Sequence[Fraction]]
) -> Row:
    """An inequality with integer coefficients, as small as rounding finds, that all known rows
    satisfy and the target breaks; `separator` is one with other numbers."""
    from verifier.lp.irrational import rounded

    worlds = range(len(target))

    def at(found: Sequence[int], row: Sequence[Fraction]) -> Fraction:
        return sum((a * x for a, x in zip(found, row, strict=True)), Fraction(0))

    if any(map(exact.is_symbolic, separator.numerators.values())):
        return tuple(exact.coprime(separator.dense(len(target))))
    # a separator is rounded, and all its entries raised where that is too little for some row
    for vector in rounded(separator):
        top = max(map(abs, vector.numerators.values()))
        for size in (*SIZES, top):
            near = [(2 * vector.numerators.get(w, 0) * size + top) // (2 * top) for w in worlds]
            for more in (0, 1):
                found = tuple(value + more for value in near)
                if at(found, target) < 0 and all(at(found, row) >= 0 for row in known):
                    divisor = gcd(*found)
                    return tuple(value // divisor for value in found)
    raise LimitReached("the probabilities are irrational, and a row is too close to the cone")


def _one_by_one(
    rows: Sequence[Row], points: Sequence[Row], outside: int | None
) -> list[Vector] | tuple[int, Row]:
    """The weights of every point, or a point outside and an inequality that it breaks; `outside`,
    if given, is the number of such a point."""
    from verifier.lp.cones import Inside, membership

    matrix, found = _matrix(rows), []
    for at in range(len(points)) if outside is None else [outside]:
        one = membership(matrix, points[at])
        if not isinstance(one, Inside):
            return at, _inequality(one.separator, len(points[at]))
        found.append(one.weights)
    return found


def _integers(row: Sequence[Fraction]) -> tuple[int, Row]:
    """A common denominator, and the row times it."""
    scale = lcm(*(value.denominator for value in row))
    return scale, tuple(value.numerator * (scale // value.denominator) for value in row)


def _sources(given: Mapping[str, Mechanism]) -> Iterator[tuple[Row, tuple[int, int, Fraction]]]:
    """Each direction, with a mechanism and an output whose row is that times a factor."""
    for k, mechanism in enumerate(given.values()):
        for o, row in enumerate(mechanism.rows()):
            scale, whole = _integers(row)
            divisor = gcd(*whole)
            if divisor:
                direction = tuple(value // divisor for value in whole)
                yield direction, (k, o, Fraction(divisor, scale))


def _broken(claim: RowConeClaim, point: Sequence[int]) -> Row | None:
    """The facet or equation that a row breaks by most, as odds; None where there are many."""
    try:
        cone = row_cone(claim.given.values(), LOOKED_FOR)
    except LimitReached:
        return None
    equations = [sign for row in cone.equations for sign in (row, tuple(-a for a in row))]
    return max((*cone.facets, *equations), key=lambda row: _excess(row, point))


def _excess(inequality: Row, point: Sequence[int]) -> tuple[bool, Fraction]:
    """How far a row is beyond an inequality: whether infinitely, and the odds."""
    plus = sum(a * x for a, x in zip(inequality, point, strict=True) if a > 0)
    minus = -sum(a * x for a, x in zip(inequality, point, strict=True) if a < 0)
    return minus > 0 == plus, Fraction(minus, plus) if plus else Fraction(0)


def _inequality(separator: Vector, worlds: int) -> Row:
    whole = [-separator.numerators.get(w, 0) for w in range(worlds)]
    divisor = gcd(*whole)
    return tuple(value // divisor for value in whole)


def _shown(claim: RowConeClaim, evidence: PayoffEvidence) -> GuaranteeWitness:
    """The guarantee that an output breaks, for the attacker with the reading's own prior."""
    ((output, pays),) = evidence.payoff.items()
    mechanism, found = claim.mechanism, read_row(tuple([-u for u in pays]))
    assert mechanism is not None
    assert found is not None, "all rows satisfy an inequality without a negative coefficient"
    row = [mechanism.probability(output, w) for w in range(mechanism.worlds)]
    space, masses = claim.space, [p * x for p, x in zip(found.weights, row, strict=True)]
    minus, plus = (sum(masses[w] for w in side) for side in (found.negative, found.positive))
    support = [w for w, p in enumerate(found.weights) if p]
    short = len(support) <= SHOWN
    return GuaranteeWitness(
        mechanism.outputs[output],
        named(space, found.positive),
        named(space, found.negative),
        {space.name(w): found.weights[w] for w in support} if short else {},
        found.odds,
        exact.over(minus, plus) if plus else None,
    )


def _matrix(rows: Sequence[Row]) -> IntegerMatrix:
    import numpy as np

    from verifier.lp.model.integers import IntegerMatrix

    entries = [(at, value) for row in rows for at, value in enumerate(row) if value]
    starts = np.cumsum([0, *(sum(map(bool, row)) for row in rows)])
    places, values = ([entry[k] for entry in entries] for k in (0, 1))
    return IntegerMatrix((len(rows), len(rows[0])), starts, places, values)
