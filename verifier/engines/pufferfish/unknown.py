"""Deciding Pufferfish with one unknown distribution of two values, where numbers are functions.

Over two values with odds t >= 0 the condition n − α·d <= 0 is about the sign of a polynomial in t,
whose coefficients depend on the parameter. Sturm's theorem decides it over the field of functions,
by signs that the active cell records. So each piece ends where one of them changes, and each end is
decided by itself.

At a sample the ordinary search proposes a curve that needs the smallest level. If the limit along
it, as a function, is enough everywhere on the piece, it is the smallest level there. Otherwise only
the level asked for is decided.

Example. A bit with odds t is told with probability p, and s, t are its values. The output 0 needs
p·t·1 <= α·(1 − p)·1·t: all levels from p/(1 − p) on are enough, whatever t is.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

from verifier.base import exact
from verifier.base.cell import AtRoot, innermost
from verifier.base.cell import Cell as Piece
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.base.polynomial import Curve, Polynomial
from verifier.claims.answer import Answer, Proof, proved
from verifier.claims.claim import PolynomialsClaim
from verifier.claims.evidence import (
    CurveEvidence,
    FailingEvidence,
    TreeEvidence,
    UnknownEvidence,
)
from verifier.engines.pufferfish import polynomials
from verifier.kernels.enclosure import Cell, Lower, enclosed, kinds_of
from verifier.kernels.sturm import is_nowhere_positive, times

ONE = Fraction(1)
BITS = 64  # of numbers near those of an irrational sample
STURM = "sturm"  # the tree of a polynomial of two variables that the checker decides itself
MOST_DEGREE = 60


@dataclass(frozen=True, eq=False)
class Compared:
    """Pairs of secrets and events with the same n and d, as polynomials of the odds, from degree 0
    up."""

    cells: list[Cell]
    n: Sequence[Any]
    d: Sequence[Any]

    def form(self, alpha: Fraction) -> list[Any]:
        """n − alpha·d times a positive number, as polynomials of the parameter."""
        return exact.cleared([x - alpha * y for x, y in zip(self.n, self.d, strict=True)])[1]


def decide(claim: PolynomialsClaim) -> Answer:
    """The answer for one value of the parameter, which is no part of the numbers any more."""
    return polynomials.decide(claim)


def prove(claim: PolynomialsClaim) -> Proof:
    """The proof of the answer to a claim; only about the level asked for where the smallest one is
    not found as a function of the parameter."""
    if not any(map(exact.is_symbolic, _numbers(claim))):
        found = polynomials.decide(claim).proof
        assert found is not None
        return found
    if sorted(claim.groups)[-2:] not in ([2], [1, 2]):
        raise NotDecided("with a parameter the unknown numbers are one distribution of two values")
    compared = _compared(claim)
    if not compared:
        return _proof(True, NO_COMPARISON, None, [])
    return _smallest(claim, compared) or _at_level(claim, compared)


def _numbers(claim: PolynomialsClaim) -> Iterator[Fraction]:
    """All numbers of a claim."""
    yield from (claim.level.alpha, claim.delta)
    for mass, joint in claim.joint.values():
        yield from chain.from_iterable(part.values() for part in (mass, *joint))


def _compared(claim: PolynomialsClaim) -> list[Compared]:
    """What is compared."""
    place = sum(claim.groups[: list(claim.groups).index(2)])
    found: dict[Any, Compared] = {}
    for cell in polynomials.cells(claim):
        n, d = (times(*(_of_odds(p, place) for p in part)) for part in (cell.above, cell.below))
        size = max(len(n), len(d))
        if size > MOST_DEGREE:
            raise LimitReached(f"a condition of degree {size - 1} with a parameter")
        n, d = ([*part, *[0] * (size - len(part))] for part in (n, d))
        one = found.setdefault((tuple(map(str, n)), tuple(map(str, d))), Compared([], n, d))
        one.cells.append(cell)
    return list(found.values())


def _of_odds(p: Polynomial, place: int) -> list[Any]:
    """The coefficients of a polynomial by the exponent of the variable at a place."""
    found: list[Any] = [0] * (1 + max((m[place] for m in p), default=0))
    for m, c in p.items():
        found[m[place]] += c
    return found


def _smallest(claim: PolynomialsClaim, compared: Sequence[Compared]) -> Proof | None:
    """The proof of the smallest level as a function; None where none was found. Signs count only
    if it was."""
    here = innermost()
    assert here is not None
    trial = Piece(here.parameter, here.low, here.high, here.sample)
    try:
        with trial:
            found = _along(claim, compared, _proposed(claim))
    except (AtRoot, NotDecided):
        return None
    for polynomial in trial.recorded if found else ():
        here.sign(polynomial)
    return found


def _proposed(claim: PolynomialsClaim) -> Lower:
    """What needs the smallest level at the sample, by the search for numbers."""
    joint = {name: _near(*parts) for name, parts in claim.joint.items()}
    level = Level(exp_epsilon=max(ONE, exact.near(claim.level.alpha, BITS)))
    delta = exact.near(claim.delta, BITS)
    plain = replace(claim, joint=joint, level=level, delta=delta)
    return enclosed(kinds_of(list(polynomials.cells(plain))), plain.groups, level)[0]


def _near(mass: Polynomial, joint: Sequence[Polynomial]) -> tuple[Polynomial, list[Polynomial]]:
    """P(s) and all P(s, o) with integers near their coefficients, times one number."""
    parts = (mass, *joint)
    numbers = iter(exact.whole([exact.near(c, BITS) for p in parts for c in p.values()])[1])
    first, *others = [{m: next(numbers) for m in p} for p in parts]
    return first, others


def _along(claim: PolynomialsClaim, compared: Sequence[Compared], proposed: Lower) -> Proof | None:
    """The proof that the limit along a curve is the smallest level; None where it is not."""
    alpha, needs = ONE, None
    if proposed.cell is not None and proposed.curve is not None:
        pair, outputs = proposed.cell.pair, proposed.cell.outputs
        points = exact.whole(proposed.curve.point)[1]  # of one distribution, up to a factor
        curve = Curve(tuple(map(Fraction, points)), proposed.curve.powers)
        needs = CurveEvidence(pair, outputs, curve.point, curve.powers)
        known = (cell for one in compared for cell in one.cells)
        limit = next(c for c in known if (c.pair, c.outputs) == (pair, outputs)).limit(curve)
        if limit is None:
            return _proof(False, Leakage(), needs, [])
        alpha = limit
    if alpha < 1:
        return None
    upper = _enough(compared, alpha)
    if isinstance(upper, Compared):
        return None
    return _proof(claim.level.admits(alpha), Leakage(alpha), needs if alpha != 1 else None, upper)


def _at_level(claim: PolynomialsClaim, compared: Sequence[Compared]) -> Proof:
    """That all priors meet the condition at the level that is asked for, or that some does not."""
    upper = _enough(compared, claim.level.alpha)
    if not isinstance(upper, Compared):
        return _proof(True, Leakage(claim.level.alpha, side="at_most"), None, upper)
    cell = upper.cells[0]
    return _proof(False, None, FailingEvidence(cell.pair, cell.outputs), [])


def _enough(compared: Sequence[Compared], alpha: Fraction) -> list[TreeEvidence] | Compared:
    """The proofs, but plain ones, that a level is enough; or what fails."""
    found = []
    for one in compared:
        form = one.form(alpha)
        if all(exact.near(c, BITS) <= 0 for c in form) and all(c <= 0 for c in form):
            continue
        if not is_nowhere_positive(form):
            return one
        found += [TreeEvidence(cell.pair, cell.outputs, STURM) for cell in one.cells]
    return found


def _proof(
    holds: bool,
    leakage: Leakage | None,
    needs: CurveEvidence | FailingEvidence | None,
    upper: Sequence[TreeEvidence],
) -> Proof:
    return proved(holds, leakage, UnknownEvidence(needs, upper))
