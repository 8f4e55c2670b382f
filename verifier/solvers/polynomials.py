"""Deciding Pufferfish where probabilities are polynomials in unknown distributions.

With (A, B, C, D) = (P(s, o), P(s), P(t, o), P(t)) the condition is n − α·d <= 0 on a product of
simplices, n = A·D, d = C·B (with delta, n = A·D − delta·B·D, for events). A search finds large
values of n/d, as exact points and limits; then the polynomials are proved to be nowhere positive
at that level or just above it. With one parameter this always settles the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, count, product
from math import prod

from verifier import certificate, exact
from verifier.claim import Answer, Json, Leakage, PolynomialsClaim
from verifier.level import Level
from verifier.polynomial import (
    Curve,
    Point,
    Polynomial,
    add,
    limit,
    multiply,
    primitive,
    value,
)
from verifier.priors import NotDecided
from verifier.solvers.positivity import Positive, Tree, nowhere_positive
from verifier.solvers.suprema import largest, plain_bound

BITS = 31  # of an enclosure, unless the level is closer
ROUNDS = 20  # improvements of the lower bound at one stage
STEPS = 8  # of the search for a smaller upper bound where the nearest ones are not proved
MAX_EVENTS = 2**10
MAX_TERMS = 10**7  # of all products, before like terms are collected
SUPPORTS = 4096  # tried for a point that attains the smallest level


@dataclass(frozen=True, eq=False)
class Cell:
    """One ordered pair of secrets and one event; both polynomials times one factor."""

    pair: tuple[str, str]
    outputs: tuple[int, ...]
    n: Polynomial
    d: Polynomial

    def at(self, alpha: Fraction) -> Polynomial:
        """alpha's denominator times n − alpha·d."""
        scaled = {m: c * alpha.denominator for m, c in self.n.items()}
        return primitive(add(scaled, self.d, -alpha.numerator))


@dataclass(frozen=True)
class Lower:
    """No level below `level` is enough (None: none is): the limit of a cell along a curve."""

    level: Fraction | None = Fraction(1)
    cell: Cell | None = None
    curve: Curve | None = None

    @property
    def is_point(self) -> bool:
        """Whether a prior attains the level."""
        return self.curve is None or not any(self.curve.powers)


@dataclass(frozen=True)
class Upper:
    """A level that is enough (None: none was found), and the proofs that are not plain."""

    level: Fraction | None = None
    proofs: tuple[tuple[Cell, Tree], ...] = ()


@dataclass(frozen=True, eq=False)
class Kind:
    """Cells with the same polynomials, and the level from which on no coefficient is positive."""

    cells: list[Cell]
    plain: Fraction | None

    @property
    def cell(self) -> Cell:
        """One of them."""
        return self.cells[0]


def decide(claim: PolynomialsClaim) -> Answer:
    """The verdict, the smallest level or an enclosure, a witness where violated."""
    cells = list(_cells(claim))
    if not cells:
        return _answer(claim, True, Leakage(Fraction(1), vacuous=True), Lower(), Upper())
    kinds = _kinds(cells)
    lower, upper = _enclosed(claim, kinds, _search(kinds, claim.groups))
    level = claim.level
    if lower.level is None:
        lower = _attaining(claim, kinds, lower)
        return _violated(claim, lower, upper, Leakage(attained=lower.is_point))
    low, high = lower.level, upper.level
    holds = high is not None and level.admits(high)
    if not holds and level.admits(low):
        least, most = _short(low), _short(high)
        raise NotDecided(
            f"the smallest level was not found: it is at least {least}, and {most} was proved to "
            "be enough"
        )
    if low == high:
        lower = _attaining(claim, kinds, lower)
        leakage: Leakage | None = Leakage(low, attained=lower.is_point)
    else:
        leakage = None if high is None else Leakage(bounds=(low, high))
    if holds:
        return _answer(claim, True, leakage, lower, upper)
    return _violated(claim, lower, upper, leakage)


def _cells(claim: PolynomialsClaim) -> Iterator[Cell]:
    """All ordered pairs of secrets that some prior makes possible, and outputs (or events)."""
    outputs = range(len(claim.mechanism.outputs))
    events: list[tuple[int, ...]] = [(o,) for o in outputs]
    if claim.delta:
        if 2 ** len(outputs) > MAX_EVENTS:
            raise NotDecided(f"with delta > 0, {len(outputs)} outputs have too many events")
        events = [e for size in outputs for e in combinations(outputs, size + 1)]
    sizes = {name: len(mass) for name, (mass, _) in claim.joint.items()}
    terms = 2 * len(events) * sum(sizes[s] * sizes[t] for s, t in claim.pairs)
    if terms > MAX_TERMS:
        raise NotDecided(f"the polynomials have {terms} terms, more than {MAX_TERMS}")
    for listed in claim.pairs:
        for left, right in (listed, listed[::-1]):
            (b, p), (d, q) = claim.joint[left], claim.joint[right]
            for event in events if b and d else ():
                a, c = (_sum(x[o] for o in event) for x in (p, q))
                n = multiply(a, d)
                if claim.delta:
                    up, down = claim.delta.as_integer_ratio()
                    n = add({m: x * down for m, x in n.items()}, multiply(b, d), -up)
                    c = {m: x * down for m, x in c.items()}
                yield Cell((left, right), event, n, multiply(c, b))


def _sum(parts: Iterator[Polynomial]) -> Polynomial:
    found: Polynomial = {}
    for part in parts:
        found = add(found, part)
    return found


def _kinds(cells: Sequence[Cell]) -> list[Kind]:
    """Cells with the same polynomials together, in the order of the largest plain bound."""
    found: dict[object, list[Cell]] = {}
    for cell in cells:
        key = frozenset(cell.n.items()), frozenset(cell.d.items())
        found.setdefault(key, []).append(cell)
    kinds = [Kind(same, plain_bound(same[0].n, same[0].d)) for same in found.values()]
    return sorted(kinds, key=lambda kind: (kind.plain is not None, -(kind.plain or 0)))


def _search(kinds: Sequence[Kind], groups: Sequence[int]) -> Lower:
    """The largest level that was found to be needed."""
    lower = Lower()
    for kind in kinds:
        assert lower.level is not None
        found = largest(kind.cell.n, kind.cell.d, groups, lower.level)
        if found:
            lower = Lower(found[0], kind.cell, found[1])
            if lower.level is None:
                break
    return lower


def _enclosed(claim: PolynomialsClaim, kinds: Sequence[Kind], lower: Lower) -> tuple[Lower, Upper]:
    """A better lower bound, and an upper bound: equal, or within a relative 2^-BITS with the level
    asked for outside, or as near as could be proved.

    First the lower bound itself is tried, then the simplest number that is hardly larger, the level
    asked for, and a number larger by a relative 2^-BITS.
    """
    proof = _Proof(kinds, claim.groups, lower)
    for target in (_same, _simple, partial(_asked, claim.level), _above):
        proof.settle(target)
        if proof.is_narrow and proof.decides(claim.level):
            return proof.lower, proof.upper
    while proof.is_narrow and not proof.decides(claim.level):
        if not proof.settle(proof.middle):
            break
    if proof.lower.level is not None and proof.upper.level is None:
        proof.widen(claim.level)
    return proof.lower, proof.upper


@dataclass
class _Proof:
    """The bounds found so far."""

    kinds: Sequence[Kind]
    groups: Sequence[int]
    lower: Lower
    upper: Upper = Upper()

    @property
    def is_narrow(self) -> bool:
        """Whether both bounds are close, or the lower one infinite."""
        low, high = self.lower.level, self.upper.level
        return low is None or (high is not None and high <= low * (1 + Fraction(1, 10**9)))

    def decides(self, level: Level) -> bool:
        """Whether the level asked for is not between the bounds."""
        low, high = self.lower.level, self.upper.level
        return low is None or not level.admits(low) or (high is not None and level.admits(high))

    def settle(self, target: Callable[[Fraction], Fraction | None]) -> bool:
        """Prove the target, a function of the lower bound, to be enough, or improve that bound."""
        for _ in range(ROUNDS):
            level = None if self.lower.level is None else target(self.lower.level)
            if level is None:
                return False
            found = self._prove(level)
            if isinstance(found, Upper):
                self.upper = found
            if not isinstance(found, Lower):
                return found is not None
            self.lower = found
        return False

    def _prove(self, level: Fraction) -> Upper | Lower | None:
        proofs: list[tuple[Cell, Tree]] = []
        for kind in self.kinds:
            if kind.plain is not None and kind.plain <= level:
                continue
            through, curve = None, self.lower.curve
            if kind.cell is self.lower.cell and self.lower.level == level and curve:
                through = curve.at(Fraction(0))
            found = nowhere_positive(kind.cell.at(level), self.groups, through)
            if found is None:
                return None
            if isinstance(found, Positive):
                curve = Curve(tuple(map(Fraction, found.point)), (0,) * len(found.point))
                return Lower(limit(kind.cell.n, kind.cell.d, curve), kind.cell, curve)
            proofs += [(cell, found) for cell in kind.cells]
        return Upper(level, tuple(proofs))

    def middle(self, low: Fraction) -> Fraction | None:
        """A simple number in the middle of both bounds."""
        high = self.upper.level
        if high is None or high <= low:
            return None
        third = (high - low) / 3
        return simplest(low + third, high - third)

    def widen(self, level: Level) -> None:
        """Prove some larger level to be enough, then smaller ones."""
        plain = [kind.plain for kind in self.kinds]
        assert self.lower.level is not None
        tops = [self.lower.level * 2**k for k in range(1, 11)]
        tops = [max(p or ONE for p in plain)] if None not in plain else tops
        asked = [level.exp_epsilon] if level.exp_epsilon is not None else []
        for top in sorted([*asked, *tops]):
            if self.lower.level is None or self.settle(partial(_larger, top)):
                break
        unproved = self.lower.level
        for _ in range(STEPS):
            if self.lower.level is None or unproved is None or self.upper.level is None:
                return
            third = (self.upper.level - max(unproved, self.lower.level)) / 3
            tried = simplest(self.upper.level - 2 * third, self.upper.level - third)
            if third and not self.settle(partial(_larger, tried)):
                unproved = tried


ONE = Fraction(1)


def _larger(level: Fraction, low: Fraction) -> Fraction | None:
    return level if level > low else None


def _same(low: Fraction) -> Fraction:
    return low


def _simple(low: Fraction) -> Fraction:
    """The simplest number that is hardly larger."""
    return simplest(low, low * (1 + Fraction(1, 2 ** (BITS + 5))))


def _asked(level: Level, low: Fraction) -> Fraction | None:
    """The level asked for, where it is hardly larger."""
    asked = level.exp_epsilon
    return asked if asked is not None and low <= asked < low * (1 + Fraction(1, 1000)) else None


def _above(low: Fraction) -> Fraction:
    """A number that is larger by a relative 2^-BITS at most."""
    step = Fraction(1, 2**BITS)
    return simplest(low * (1 + step / 2), low * (1 + step))


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational with the smallest denominator in [low, high], 0 <= low.

    >>> simplest(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    whole = low.__ceil__()
    if whole <= high:
        return Fraction(whole)
    below = low.__floor__()
    return below + 1 / simplest(1 / (high - below), 1 / (low - below))


def _attaining(claim: PolynomialsClaim, kinds: Sequence[Kind], lower: Lower) -> Lower:
    """The same bound by a point where one is known: the end of the curve, or the middle of a face
    on which the ratio is constant."""
    if lower.cell is None or lower.curve is None or lower.is_point:
        return lower
    end = Curve(lower.curve.at(Fraction(0)), (0,) * len(lower.curve.powers))
    if limit(lower.cell.n, lower.cell.d, end) == lower.level:
        return replace(lower, curve=end)
    if prod(2**size - 1 for size in claim.groups) > SUPPORTS:
        return lower
    sides = [list(product((1, 0), repeat=size)) for size in claim.groups]
    faces = [tuple(chain(*face)) for face in product(*sides) if all(map(any, face))]
    for kind in kinds:
        if kind.plain is None or lower.level is None or kind.plain >= lower.level:
            for face in faces:
                middle = Curve(tuple(map(Fraction, face)), end.powers)
                if limit(kind.cell.n, kind.cell.d, middle) == lower.level:
                    return Lower(lower.level, kind.cell, middle)
    return lower


def _short(level: Fraction | None) -> str:
    return "no level" if level is None else f"{float(level):.12g}"


def _violated(
    claim: PolynomialsClaim, lower: Lower, upper: Upper, leakage: Leakage | None
) -> Answer:
    """The answer with a prior of the class at which the condition fails."""
    cell, curve = lower.cell, lower.curve
    assert cell is not None and curve is not None
    points = (curve.at(Fraction(1, 2**k)) for k in count())
    point = next(p for p in points if _exceeds(cell, p, claim.level))
    answer = _answer(claim, False, leakage, lower, upper)
    return replace(answer, witness=_witness(claim, cell, point))


def _exceeds(cell: Cell, point: Point, level: Level) -> bool:
    n, d = Fraction(value(cell.n, point)), Fraction(value(cell.d, point))
    return n > 0 and (d == 0 or not level.admits(n / d))


def _witness(claim: PolynomialsClaim, cell: Cell, point: Point) -> Json:
    """A prior in the reader's terms, and the odds (or probabilities) at the output (or event)."""
    found = claim.describe(cell.pair, point)
    first, second = (
        sum(Fraction(value(joint[o], point)) for o in cell.outputs) / Fraction(value(mass, point))
        for mass, joint in (claim.joint[name] for name in cell.pair)
    )
    outputs = [claim.mechanism.outputs[o] for o in cell.outputs]
    if claim.delta:
        shown = [exact.text(first), exact.text(second)]
        return {**found, "outputs": outputs, "probabilities": shown}
    after = Fraction(found["prior_odds"]) * first / second if second else None
    return {
        **found,
        "output": outputs[0],
        "posterior_odds": "infinite" if after is None else exact.text(after),
        "ratio": exact.text(first / second) if second else "infinite",
    }


def _answer(
    claim: PolynomialsClaim, holds: bool, leakage: Leakage | None, lower: Lower, upper: Upper
) -> Answer:
    level = {**claim.level.as_json(), "delta": exact.text(claim.delta)}
    verdict = "holds" if holds else "violated"
    stated = {
        "definition": claim.definition,
        "kind": "polynomials",
        "verdict": verdict,
        "level": level,
        "leakage": leakage and leakage.claim(),
    }
    needs = None
    if lower.cell is not None and lower.curve is not None:
        needs = {
            **_place(lower.cell),
            "point": list(lower.curve.point),
            "powers": list(lower.curve.powers),
        }
    proofs = [{**_place(cell), "tree": tree} for cell, tree in upper.proofs]
    model = certificate.of_mechanism(claim.space, claim.mechanism)
    evidence = {"lower": needs, "upper": proofs if leakage else []}
    return Answer(
        verdict,
        leakage,
        certificate=certificate.document(stated, model, claim.statement, evidence),
        scope={
            "worlds": claim.space.size,
            "outputs": len(claim.mechanism.outputs),
            **claim.scope,
        },
        level=level,
        reason=_remark(lower, upper, leakage),
    )


def _place(cell: Cell) -> Json:
    return {"pair": list(cell.pair), "outputs": list(cell.outputs)}


def _remark(lower: Lower, upper: Upper, leakage: Leakage | None) -> str | None:
    """What is not known about the smallest level."""
    low, high = lower.level, upper.level
    if leakage is None:
        return f"the smallest level was not found: it is at least {_short(low)}"
    if low is None or high is None or high <= low * (1 + Fraction(1, 10**9)):
        return None
    return f"the smallest level was only found to lie between {_short(low)} and {_short(high)}"
