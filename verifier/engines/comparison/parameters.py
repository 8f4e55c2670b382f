"""Deciding whether a comparison holds for all values of several parameters.

A violation is a point: floats say where to look, and one exact comparison decides. Where none is
found, each inequality becomes a polynomial that is proved to be nowhere negative on its cell.

Example. One bit is told with probability p, another one with probability q, 1/2 < q <= p < 1: both
keep the level p/(1 − p), as p(1 − q) − q(1 − p) = p − q, which is a condition of the domain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from verifier.base.errors import NotDecided, Unsettled
from verifier.base.level import NO_COMPARISON
from verifier.base.polynomial import Polynomial, add, multiply, primitive
from verifier.base.polynomial import product as product_of
from verifier.base.several import at_point, parts, polynomial_text, value
from verifier.claims.answer import Answer, Proof
from verifier.claims.claim import ComparisonClaim
from verifier.claims.evidence import (
    CellEvidence,
    CellsEvidence,
    ComparisonEvidence,
    PointEvidence,
    SaidParameters,
    SignEvidence,
)
from verifier.claims.several import ParametersClaim, Part
from verifier.engines.comparison import comparison
from verifier.engines.comparison.instances import instance
from verifier.kernels.domains import Box, Point, nearly, prove, unsettled

MOST_EVENTS = 1_000  # of two columns, with delta
MOST_POINTS = 300  # at which floats are tried
CANDIDATES = 6  # at which one exact comparison is made
SHOWN = 3  # boxes that are not settled, in words
Quotient = tuple[Polynomial, Polynomial]


def decide(claim: ParametersClaim) -> Answer:
    """The verdict for all values: some that violate it, or a proof for each cell."""
    cells = [_Cell(claim, part) for part in claim.parts]
    for cell in cells:
        if (found := cell.violation()) is not None:
            return told(claim, found)
    proofs = []
    for cell in cells:
        proof = cell.proof()
        if isinstance(proof, Proof):
            return told(claim, proof)
        proofs.append(proof)
    empty = all(part.claim is None or part.claim.relation.is_empty() for part in claim.parts)
    said = SaidParameters("holds", NO_COMPARISON if empty else None)
    return told(claim, Proof(said, CellsEvidence(proofs)))


def told(claim: ParametersClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; where it is violated, the witness at a point."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidParameters)
    answer = Answer(
        said.verdict,
        said.leakage,
        proof=proof,
        scope=dict(claim.scope),
        level=claim.level,
        delta=claim.delta,
    )
    if not isinstance(evidence, PointEvidence):
        return answer
    point = tuple(evidence.point)
    part = next(one for one in claim.parts if _has(one, point))
    shown = comparison.decide(_at(claim, part, point)).shown
    values = zip(claim.domain.names, point, strict=True)
    where = ", ".join(f"{name} = {x}" for name, x in values)
    return replace(answer, shown=shown, reason=f"violated at {where}")


def _has(part: Part, point: Point) -> bool:
    return part.claim is not None and all(
        low == x == high or low < x < high for x, (low, high) in zip(point, part.sides, strict=True)
    )


def _at(claim: ParametersClaim, part: Part, point: Point) -> ComparisonClaim:
    """The comparison at a point of a cell."""
    assert part.claim is not None
    return instance(part.claim, lambda number: at_point(number, claim.domain.names, point))


class _Cell:
    """A cell, and the polynomials that must not be negative on it."""

    def __init__(self, claim: ParametersClaim, part: Part) -> None:
        self._claim, self._part = claim, part
        self._names = claim.domain.names
        self._box = Box(part.sides, claim.domain.conditions)
        signs = [{(0,) * len(self._names): -1}] if part.claim is None else self._signs(part.claim)
        listed = (primitive(one) for one in signs if one)
        self._polynomials = {tuple(sorted(one.items())): one for one in listed}

    def _oriented(self, number: Fraction) -> Quotient:
        """Numerator and denominator, the latter positive at the sample."""
        top, bottom = parts(number, self._names)
        if value(bottom, self._part.sample) < 0:
            return {e: -c for e, c in top.items()}, {e: -c for e, c in bottom.items()}
        return top, bottom

    def _signs(self, claim: ComparisonClaim) -> Iterator[Polynomial]:
        """The polynomials of which the claim, and that its numbers are right, asks a sign."""
        level = self._oriented(self._claim.level.exp_epsilon or Fraction(1))
        delta = self._oriented(self._claim.delta)
        statement: Any = claim.relation.statement
        given = statement.get("priors", {}).get("priors", [])
        numbers = [self._oriented(x) for x in (*claim.mechanism.values, *_numbers(given))]
        compared, codes = self._compared(claim)
        for top, bottom in (*numbers, delta):
            yield top
            yield bottom
        yield level[1]
        yield from (add(bottom, top, -1) for top, bottom in (delta,))
        yield add(level[0], level[1], -1)
        if self._claim.delta:
            for i, j in set(claim.relation.pairs()):
                if codes[i] != codes[j]:
                    counts = Counter(zip(codes[i], codes[j], strict=True))
                    yield from _events(counts, compared, level, delta)
        else:
            yield from _ratios(claim, compared, codes, level)

    def _compared(self, claim: ComparisonClaim) -> tuple[list[Quotient], Sequence[Sequence[int]]]:
        """The numbers that are compared, and which ones each column has: P(o, s) over P(s) given a
        secret s, in which nothing cancels."""
        if not claim.keys:
            values = [self._oriented(x) for x in claim.compared.values]
            return values, claim.compared.codes.T.tolist()
        statement: Any = claim.relation.statement
        values = [self._oriented(x) for x in claim.mechanism.values]
        known, numbers, columns = dict[Any, int](), list[Quotient](), list[list[int]]()
        for prior, secret in claim.keys:
            given = statement["priors"]["priors"][prior]
            listed = given[secret] if isinstance(given, dict) else given
            weights = {w: self._oriented(listed[w]) for w in statement["secrets"][secret]}
            mass, column = self._total(weights.values()), list[int]()
            for row in claim.mechanism.codes.tolist():
                joint = self._total(_times(x, values[row[w]]) for w, x in weights.items())
                ratio = multiply(joint[0], mass[1]), multiply(joint[1], mass[0])
                key = tuple(frozenset(half.items()) for half in ratio)
                column.append(known.setdefault(key, len(known)))
                if len(known) > len(numbers):
                    numbers.append(ratio)
            columns.append(column)
        return numbers, columns

    def _total(self, numbers: Iterable[Quotient]) -> Quotient:
        """Their sum, over one denominator for those that are equal."""
        sums: dict[Any, Quotient] = {}
        for top, bottom in numbers:
            key = frozenset(bottom.items())
            sums[key] = add(sums[key][0] if key in sums else {}, top), bottom
        found: Quotient = ({}, {(0,) * len(self._names): 1})
        for top, bottom in sums.values():
            if top:
                above = add(multiply(found[0], bottom), multiply(top, found[1]))
                found = above, multiply(found[1], bottom)
        return found

    def violation(self) -> Proof | None:
        """The proof by a point at which floats see a violation; None where there is none."""
        listed = list(self._polynomials.values())
        points = [
            point for point, _ in zip(self._box.simple_points(), range(MOST_POINTS), strict=False)
        ]
        if not listed or not points or self._part.claim is None:
            return None
        lowest = nearly(listed, points).min(axis=0)
        simple = [k for k, x in enumerate(lowest) if x < 0][:CANDIDATES]
        worst = [int(k) for k in lowest.argsort()[:CANDIDATES] if lowest[k] < 0]
        for k in dict.fromkeys([*simple, *worst]):
            if (found := self.at(points[k])) is not None:
                return found
        return None

    def at(self, point: Point) -> Proof | None:
        """The proof that the claim is violated at a point; None where it is not."""
        found = comparison.decide(_at(self._claim, self._part, point))
        if found.verdict != "violated":
            return None
        witness = found.evidence
        assert found.leakage is not None and isinstance(witness, ComparisonEvidence | None)
        return Proof(SaidParameters("violated"), PointEvidence(point, found.leakage, witness))

    def proof(self) -> Proof | CellEvidence:
        """Why the claim holds on the cell; or a violation, where a polynomial is negative."""
        signs = []
        for terms in self._polynomials.values():
            found: Any = prove(terms, self._box)
            if isinstance(found, tuple) and (violated := self.at(found)) is not None:
                return violated
            if found is None or isinstance(found, tuple):
                raise open_at(terms, self._names, self._box)
            if found:
                signs.append(SignEvidence([[c, *e] for e, c in terms.items()], found))
        return CellEvidence(self._part.sample if self._part.claim else (), signs)


def open_at(terms: Polynomial, names: Sequence[str], box: Box) -> Unsettled:
    """Where in a box it is not settled whether a polynomial is negative.

    terms  the polynomial
    names  of its parameters
    """
    boxes = [
        {name: list(map(str, side)) for name, side in zip(names, part.sides, strict=True)}
        for part in unsettled(terms, box)
    ]
    said = [
        " and ".join(
            f"{name} = {low}" if low == high else f"{low} < {name} < {high}"
            for name, (low, high) in part.items()
        )
        for part in boxes
    ]
    more = f", and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    where = f" where {', or '.join(said[:SHOWN])}{more}" if said else ""
    shown = polynomial_text(names, terms)
    shown = shown if len(shown) < 100 else "a polynomial"
    return Unsettled(f"{shown} is not shown to be nowhere negative{where}", boxes)


def _numbers(rows: Any) -> Iterator[Fraction]:
    """The numbers of given priors."""
    if isinstance(rows, dict):
        rows = list(rows.values())
    if isinstance(rows, list | tuple):
        for row in rows:
            yield from _numbers(row)
    else:
        yield rows


def _times(x: Quotient, y: Quotient) -> Quotient:
    return multiply(x[0], y[0]), multiply(x[1], y[1])


def _power(p: Polynomial, exponent: int) -> Polynomial:
    found = p
    for _ in range(exponent - 1):
        found = multiply(found, p)
    return found


def _ratios(
    claim: ComparisonClaim,
    numbers: Sequence[Quotient],
    columns: Sequence[Sequence[int]],
    level: Quotient,
) -> Iterator[Polynomial]:
    """For each two entries P, Q that are compared at a distance d: alpha^d Q − P."""
    seen = set[tuple[int, int, int]]()
    for part in claim.relation.blocks:
        if part.distance.denominator != 1:
            raise NotDecided("with a parameter distances are integers")
        d = int(part.distance)
        up, down = _power(level[0], d), _power(level[1], d)
        for i, j in part.pairs():
            for p, q in set(zip(columns[i], columns[j], strict=True)):
                if p == q or (p, q, d) in seen:
                    continue
                seen.add((p, q, d))
                (a, b), (c, e) = numbers[p], numbers[q]
                if b != e:
                    a, c = multiply(a, e), multiply(c, b)
                yield add(multiply(up, c), multiply(down, a), -1)


def _events(
    counts: Counter[tuple[int, int]],
    numbers: Sequence[Quotient],
    level: Quotient,
    delta: Quotient,
) -> Iterator[Polynomial]:
    """For each event S of two columns, given by how often they have two numbers: delta − P(S) +
    alpha Q(S)."""
    if 2 ** len(counts) > MOST_EVENTS:
        raise NotDecided(f"with delta and several parameters, {len(counts)} outputs are too many")
    bottoms = _distinct(numbers[k][1] for both in counts for k in both)
    variables = len(next(iter(bottoms[0])))
    unit = product_of(bottoms, variables)
    gains = []
    for (p, q), times in counts.items():
        (a, b), (c, e) = numbers[p], numbers[q]
        rest_p, rest_q = (product_of((x for x in bottoms if x != own), variables) for own in (b, e))
        over = multiply(level[1], multiply(a, rest_p))
        gain = add(over, multiply(level[0], multiply(c, rest_q)), -1)
        gains.append({m: x * times for m, x in gain.items()})
    allowed = multiply(delta[0], multiply(level[1], unit))
    for chosen in product((False, True), repeat=len(gains)):
        total: Polynomial = {}
        for gain, counts_ in zip(gains, chosen, strict=True):
            total = add(total, gain) if counts_ else total
        yield add(allowed, multiply(delta[1], total), -1)


def _distinct(listed: Iterable[Polynomial]) -> list[Polynomial]:
    return list({tuple(sorted(one.items())): one for one in listed}.values())
