"""Deciding Pufferfish where distributions are unknown and numbers are functions of a parameter.

Over two values with odds t >= 0 the condition n − α·d <= 0 is about the sign of a polynomial in t,
whose coefficients depend on the parameter. Sturm's theorem decides it over the field of functions,
by signs that the active cell records. So each piece ends where one of them changes, and each end is
decided by itself.

At a sample the ordinary search proposes a curve that needs the smallest level. If the limit along
it, as a function, is enough everywhere on the piece, it is the smallest level there. Otherwise only
the level asked for is decided.

With more unknown numbers cuts prove a polynomial nowhere positive, and on each part what serves for
all values up to the end of the region: Sturm's theorem where the worst prior lies on an edge, a
discriminant where it lies inside (`verifier.kernels.leaves`). On a line of priors the same shows
that the level is exceeded up to there. Where the worst prior lies inside and no unknown number has
degree 2, proofs only come near the end, and a narrow interval stays open.

Example. A bit with odds t is told with probability p, and s, t are its values. The output 0 needs
p·t·1 <= α·(1 − p)·1·t: all levels from p/(1 − p) on are enough, whatever t is.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, chain, permutations
from operator import add, sub
from typing import Any

from verifier.base import exact
from verifier.base.cell import AtRoot, Root, innermost
from verifier.base.cell import Cell as Piece
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.base.polynomial import Curve, Polynomial
from verifier.base.polynomial import product as multiplied
from verifier.engines.pieces import nearest
from verifier.engines.pufferfish import polynomials
from verifier.kernels.enclosure import Cell, Kind, Lower, enclosed, kinds_of, search
from verifier.kernels.leaves import Line, exceeds, is_below, is_plain, leaf, product, serves
from verifier.kernels.positivity import (
    PIECES,
    Positive,
    listed,
    merged,
    nowhere_positive,
    without_common,
)
from verifier.kernels.roots import End
from verifier.questions.answer import Answer, Proof, proved
from verifier.questions.claim import PolynomialsClaim
from verifier.questions.evidence import (
    CurveEvidence,
    FailingEvidence,
    TreeEvidence,
    UnknownEvidence,
)

ONE = Fraction(1)
BITS = 64  # of numbers near those of an irrational sample
NARROW = Fraction(1, 2**10)  # of an interval in which only the level asked for is decided
LEFT = Fraction(1, 2**20)  # of one that stays undecided
WIDE = Fraction(1, 32)  # of one that is divided where nothing is proved
LOWER = 50  # binary digits to which numbers near an irrational value are made smaller
REACHES = (ONE, Fraction(1, 2), Fraction(1, 8), Fraction(1, 64))  # of a line around a point
FEW = 300  # parts into which guides at the ends of an interval may be cut
MOST_DEGREE = 60
MOST_TERMS = 10**5  # of all products
CLOSE = "close to where the verdict changes"


@dataclass(frozen=True, eq=False)
class Compared:
    """Pairs of secrets and events whose n and d are these, times a positive divisor of each."""

    cells: list[tuple[Cell, Polynomial]]
    n: Polynomial
    d: Polynomial

    def form(self, alpha: Fraction) -> Polynomial:
        """n − alpha·d times a positive number, with polynomials of the parameter."""
        places = [*self.n, *(m for m in self.d if m not in self.n)]
        found = [self.n.get(m, 0) - alpha * self.d.get(m, 0) for m in places]
        return dict(zip(places, exact.cleared(found)[1], strict=True))


def decide(claim: PolynomialsClaim) -> Answer:
    """The answer for one value of the parameter, which is no part of the numbers any more."""
    return polynomials.decide(claim)


def prove(claim: PolynomialsClaim) -> Proof:
    """The proof of the answer to a claim; only about the level asked for where the smallest one is
    not found as a function of the parameter."""
    if not any(map(exact.is_symbolic, _numbers(claim))):
        with suppress(NotDecided):
            found = polynomials.decide(claim).proof
            assert found is not None
            return found
    compared = _compared(claim)
    if not compared:
        return _proof(True, NO_COMPARISON, None, [])
    if place_of_odds(claim.groups) is None:
        return _of_several(claim, compared)
    return _smallest(claim, compared, lambda: enclosed(*_at_sample(claim))[0]) or _at_level(
        claim, compared
    )


def place_of_odds(groups: Sequence[int]) -> int | None:
    """The first variable of the only group of two, where all others have one; else None."""
    return sum(groups[: list(groups).index(2)]) if sorted(groups)[-2:] in ([2], [1, 2]) else None


def _of_several(claim: PolynomialsClaim, compared: Sequence[Compared]) -> Proof:
    """The proof where several numbers are unknown: by cuts that serve at the sample, or by a curve
    along which the level asked for is exceeded. NotDecided where neither is found."""
    here = innermost()
    assert here is not None
    wide = here.is_point or _width(here) > NARROW
    found = None
    if here.is_point or _width(here) > LEFT:
        kinds, groups, _ = _at_sample(claim)
        proposed = search(kinds, groups)
        found = (
            (_smallest(claim, compared, lambda: proposed) if wide else None)
            or _tried(
                lambda: _exceeding(claim, compared, proposed),
                lambda: _failing(claim, compared, proposed),
            )
            or _tried(lambda: _met(claim, compared))
        )
    if found is None:
        _leave(here)
        priors = claim.statement["priors"]["class"]
        raise NotDecided(f"with several unknown numbers of priors '{priors}', {CLOSE}")
    return found


def _width(here: Piece) -> Fraction:
    """About how long an interval is."""
    low, high = (end.low if isinstance(end, Root) else end for end in (here.low, here.high))
    return high - low


def _reach(here: Piece) -> Fraction:
    """About how long the part of an interval is on which all that was recorded has one sign."""
    if here.is_point:
        return ONE
    assert isinstance(here.sample, Fraction)
    low, high = nearest(here, here.low, here.high, here.sample)
    return _width(Piece(here.parameter, low, high, here.sample))


def _leave(here: Piece) -> None:
    """Let what is around the sample be undecided: of a wide interval a quarter, else all."""
    here.recorded.clear()
    if _width(here) > WIDE and isinstance(here.sample, Fraction):
        for sign in (-1, 1):
            end = here.sample + sign * _width(here) / 8
            here.sign((-end.numerator, end.denominator))


def _numbers(claim: PolynomialsClaim) -> Iterator[Fraction]:
    """All numbers of a claim."""
    yield from (claim.level.alpha, claim.delta)
    for mass, joint in claim.joint.values():
        yield from chain.from_iterable(part.values() for part in (mass, *joint))


def _compared(claim: PolynomialsClaim) -> list[Compared]:
    """What is compared."""
    found: dict[Any, Compared] = {}
    terms = 0
    for cell in polynomials.cells(claim):
        divisor, n, d = _reduced(cell)
        terms += len(n) + len(d)
        if terms > MOST_TERMS or max(map(sum, (*n, *d)), default=0) > MOST_DEGREE:
            raise LimitReached("conditions of so high a degree, or so many, with a parameter")
        key = tuple(tuple(sorted((m, str(c)) for m, c in part.items())) for part in (n, d))
        found.setdefault(key, Compared([], n, d)).cells.append((cell, divisor))
    return list(found.values())


def _reduced(cell: Cell) -> tuple[Polynomial, Polynomial, Polynomial]:
    """A polynomial without negative coefficients that divides n and d, and what is left of both."""
    (a, left), (c, right) = cell.above, cell.below  # P(t) and P(s) are left and right
    divisor: Polynomial = {(0,) * len(next(iter(left))): 1}
    first = next(iter(left.values()))
    shares = [exact.over(x, first) for x in (*left.values(), *right.values())]
    if not any(map(exact.is_symbolic, shares)):
        numbers = iter(exact.in_integers(shares)[1])
        left, right = ({m: next(numbers) for m in part} for part in (left, right))
        divisor, left, right = without_common(left, right)
    n, d = product(a, left), product(c, right)
    least = tuple(map(min, zip(*n, *d, strict=True)))
    n, d = ({tuple(map(sub, m, least)): x for m, x in part.items()} for part in (n, d))
    return {tuple(map(add, m, least)): x for m, x in divisor.items()}, n, d


def _smallest(
    claim: PolynomialsClaim, compared: Sequence[Compared], propose: Callable[[], Lower]
) -> Proof | None:
    """The proof of the smallest level as a function; None where none was found. A limit that is the
    smallest level at the sample alone has a root there."""
    with suppress(AtRoot, NotDecided):
        return _tried(lambda: _along(claim, compared, propose()))
    return None


def _tried(*ways: Callable[[], Proof | None]) -> Proof | None:
    """What is proved in one of some ways, if something is, for most values; only then the signs
    count that were asked for."""
    here = innermost()
    assert here is not None
    known = list[tuple[Fraction, Proof, Piece]]()
    for prove in ways:
        trial = Piece(here.parameter, here.low, here.high, here.sample)
        with trial:
            found = prove()
        if found is not None:
            known.append((_reach(trial) if ways[1:] else ONE, found, trial))
    if not known:
        return None
    _, found, trial = max(known, key=lambda one: one[0])
    for polynomial in trial.recorded:
        here.sign(polynomial)
    return found


def _at_sample(claim: PolynomialsClaim) -> tuple[list[Kind], Sequence[int], Level]:
    """What is compared with numbers near those of the sample: they guide."""
    joint = {name: _near(*parts) for name, parts in claim.joint.items()}
    level = Level(exp_epsilon=max(ONE, exact.near(claim.level.alpha, BITS)))
    delta = exact.near(claim.delta, BITS)
    plain = replace(claim, joint=joint, level=level, delta=delta)
    return kinds_of(list(polynomials.cells(plain))), plain.groups, level


def _near(mass: Polynomial, joint: Sequence[Polynomial]) -> tuple[Polynomial, list[Polynomial]]:
    """P(s) and all P(s, o) with integers near their coefficients, times one number."""
    parts = (mass, *joint)
    numbers = iter(exact.in_integers([exact.near(c, BITS) for p in parts for c in p.values()])[1])
    first, *others = [{m: next(numbers) for m in p} for p in parts]
    return first, others


def _limit(
    compared: Sequence[Compared], proposed: Lower
) -> tuple[CurveEvidence | None, Fraction | None]:
    """A curve that is proposed, and the limit along it as a function; None is infinite."""
    if proposed.cell is None or proposed.curve is None:
        return None, ONE
    pair, outputs = proposed.cell.pair, proposed.cell.outputs
    points = exact.in_integers(proposed.curve.point)[1]  # all groups times one factor
    curve = Curve(tuple(map(Fraction, points)), proposed.curve.powers)
    known = (cell for one in compared for cell, _ in one.cells)
    limit = next(c for c in known if (c.pair, c.outputs) == (pair, outputs)).limit(curve)
    return CurveEvidence(pair, outputs, curve.point, curve.powers), limit


def _along(claim: PolynomialsClaim, compared: Sequence[Compared], proposed: Lower) -> Proof | None:
    """The proof that the limit along a curve is the smallest level; None where it is not."""
    needs, alpha = _limit(compared, proposed)
    if alpha is None:
        return _proof(False, Leakage(), needs, [])
    if alpha < 1:
        return None
    upper = _enough(claim, compared, alpha)
    if isinstance(upper, Compared):
        return None
    return _proof(claim.level.admits(alpha), Leakage(alpha), needs if alpha != 1 else None, upper)


def _exceeding(
    claim: PolynomialsClaim, compared: Sequence[Compared], proposed: Lower
) -> Proof | None:
    """The proof that the level asked for is exceeded along a curve, if it is."""
    needs, alpha = _limit(compared, proposed)
    if alpha is None or not alpha > claim.level.alpha:
        return None
    return _proof(False, Leakage(alpha, side="at_least"), needs, [])


def _failing(
    claim: PolynomialsClaim, compared: Sequence[Compared], proposed: Lower
) -> Proof | None:
    """The proof that the level asked for is exceeded on a line through a point that is proposed;
    another unknown number may have any value there."""
    cell, curve = proposed.cell, proposed.curve
    if cell is None or curve is None or any(curve.powers):
        return None
    key = cell.pair, cell.outputs
    one, divisor = next(
        (one, divisor)
        for one in compared
        for same, divisor in one.cells
        if (same.pair, same.outputs) == key
    )
    form, point = one.form(claim.level.alpha), list(curve.point)
    for i, j in merged(_close(form), _places(claim.groups))[1]:
        point[i], point[j] = point[i] + point[j], Fraction(0)
    for line, eliminated in _lines(point, claim.groups):
        if exceeds(form, line, eliminated):
            failing = FailingEvidence(*key, listed(divisor), line, eliminated)
            return _proof(False, None, failing, [])
    return None


def _lines(point: Sequence[Fraction], groups: Sequence[int]) -> Iterator[tuple[Line, int | None]]:
    """Lines through a point of a face with one unknown number, or with a second one that is
    eliminated."""
    found = [[k for k in group if point[k]] for group in _places(groups)]
    free = [k for group in found if len(group) > 1 for k in group]
    dimension = sum(len(group) - 1 for group in found)
    if dimension == 1:
        yield _edge(point, free[0]), None
    for i, k in permutations(free, 2) if dimension == 2 else ():
        if not any({i, k} == set(group) for group in found):
            for reach in REACHES:
                low, high = list(point), list(point)
                low[i], high[i] = (1 - reach) * point[i], (1 + reach) * point[i]
                yield (low, high), k


def _edge(point: Sequence[Fraction], i: int) -> Line:
    """The line on which one coordinate of a point has any value above 0."""
    zeros = [Fraction(0)] * len(point)
    start, direction = list(point), zeros
    start[i], direction[i] = Fraction(0), ONE
    return start, direction


def _places(groups: Sequence[int]) -> list[range]:
    """The numbers of the variables of each group."""
    return [range(end - size, end) for end, size in zip(accumulate(groups), groups, strict=True)]


def _met(claim: PolynomialsClaim, compared: Sequence[Compared]) -> Proof | None:
    """The proof that all priors meet the condition at the level that is asked for."""
    upper = _enough(claim, compared, claim.level.alpha)
    if isinstance(upper, Compared):
        return None
    return _proof(True, Leakage(claim.level.alpha, side="at_most"), None, upper)


def _at_level(claim: PolynomialsClaim, compared: Sequence[Compared]) -> Proof:
    """That all priors meet the condition at the level that is asked for, or that some does not."""
    upper = _enough(claim, compared, claim.level.alpha)
    if not isinstance(upper, Compared):
        return _proof(True, Leakage(claim.level.alpha, side="at_most"), None, upper)
    (cell, divisor), place = upper.cells[0], place_of_odds(claim.groups)
    assert place is not None
    line = _edge([ONE] * sum(claim.groups), place)
    failing = FailingEvidence(cell.pair, cell.outputs, listed(divisor), line, None)
    return _proof(False, None, failing, [])


def _enough(
    claim: PolynomialsClaim, compared: Sequence[Compared], alpha: Fraction
) -> list[TreeEvidence] | Compared:
    """The proofs, but plain ones, that a level is enough; or what fails, or is not proved."""
    found = []
    for one in compared:
        form = one.form(alpha)
        if _is_plain(form):
            continue
        tree = _tree(form, claim.groups)
        if tree is None:
            return one
        for cell, divisor in one.cells:
            whole = {"divisor": listed(divisor), "tree": tree}
            found.append(TreeEvidence(cell.pair, cell.outputs, whole))
    return found


def _is_plain(form: Polynomial) -> bool:
    """Whether no coefficient is positive, which counts only if it is so at the sample."""
    return all(exact.near(c, BITS) <= 0 for c in form.values()) and is_plain(form)


def _tree(form: Polynomial, groups: Sequence[int]) -> Any:
    """What proves that a polynomial is nowhere positive; None where it is, or nothing is found."""
    place = place_of_odds(groups)
    if place is not None:
        return {"sturm": [place, place + 1]} if is_below(form, place, place + 1) else None
    here = innermost()
    assert here is not None
    ends = [] if here.is_point else [_at(here, end, form, groups) for end in (here.high, here.low)]
    for guide in filter(None, ends):
        tree = _cuts(guide, groups, FEW)
        if tree is not None and all(serves(tree, p) for p in ends if p) and serves(tree, form):
            return tree
    near = _at(here, here.sample, form, groups) if isinstance(here.sample, Root) else _close(form)
    tree = _cuts(near, groups) if near else None
    return tree if tree is not None and serves(tree, form) else None


def _cuts(p: Polynomial, groups: Sequence[int], pieces: int = PIECES) -> Any:
    """The tree that proves a polynomial nowhere positive; None where none is found."""
    tree = nowhere_positive(p, groups, leaf=leaf, pieces=pieces)
    return None if isinstance(tree, Positive) else tree


def _at(here: Piece, end: End, form: Polynomial, groups: Sequence[int]) -> Polynomial | None:
    """The polynomial with numbers near those of another value, a little lowered, as it may vanish
    there; None where it has none."""
    with Piece(here.parameter, end, end, end), suppress(ZeroDivisionError):
        return _lowered(_close(form), groups)
    return None


def _close(form: Polynomial) -> Polynomial:
    """The polynomial with integers in proportions near those of the sample."""
    numbers = exact.in_integers([exact.near(c, BITS) for c in form.values()])[1]
    return {m: c for m, c in zip(form, numbers, strict=True) if c}


def _lowered(p: Polynomial, groups: Sequence[int]) -> Polynomial:
    """A polynomial with numbers that are a little smaller."""
    count, first = sum(groups), next(iter(p), ())
    sums: list[Polynomial] = []
    for place in _places(groups):
        units = [tuple(int(k == v) for k in range(count)) for v in place]
        sums += [dict.fromkeys(units, 1)] * sum(first[v] for v in place)
    less = multiplied(sums, count)
    least = max(map(abs, p.values()), default=1)
    return {m: (p.get(m, 0) << LOWER) - least * c for m, c in less.items()}


def _proof(
    holds: bool,
    leakage: Leakage | None,
    needs: CurveEvidence | FailingEvidence | None,
    upper: Sequence[TreeEvidence],
) -> Proof:
    return proved(holds, leakage, UnknownEvidence(needs, upper))
