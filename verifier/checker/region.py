"""Certificates of kind "region": for which values of one parameter a comparison holds.

Probabilities, priors and the level are rational functions of the parameter, valid on cells:
intervals and points that cover its domain. The certificate divides the domain into pieces, and says
of each what the smallest level is, as a function. All inequalities between polynomials that this
needs are derived from the model again, and decided on each piece.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from . import reading as read
from .parametric import (
    FARTHEST,
    Columns,
    Quotient,
    Spot,
    added,
    read_columns,
    read_function,
    scaled,
)
from .reading import Budget, Case, need, prove
from .univariate import (
    ONE,
    ZERO,
    End,
    Poly,
    compare,
    plus,
    power,
    read_end,
    read_integers,
    steps_of_product,
    times,
)

Kind = tuple[tuple[tuple[int, int], int], ...]


@dataclass(frozen=True)
class Lead:
    """The smallest level on a piece: the `root`-th root of top/bottom; none where bottom is 0."""

    top: Poly
    bottom: Poly
    root: int


def check_region(case: Case) -> bool:
    """Whether what is asked in a `case` holds for all values of the parameter, if the regions where
    it does are those that are claimed; else raise."""
    claim, relation = case.claim, case.relation
    rule, name, low, high, listed = read.fields(relation, "rule parameter from to cells")
    need(rule == "region", "the rule is region")
    budget = Budget()
    domain = read_domain(low, high, budget)
    parts = read.items(case.model.parts["cells"])
    need(len(parts) == len(read.items(listed)), "a relation for each cell")
    cells = spots(parts, domain, budget)
    told = read.items(claim["pieces"])
    pieces = spots(told, domain, budget)
    level = _Level.of(claim["level"], name)
    shown = read.items(read.fields(case.witness, "places")[0])
    need(len(shown) == len(pieces), "a place for each piece")
    columns = [
        read_columns(one, part, name, case.model, spot)
        for one, part, spot in zip(listed, parts, cells, strict=True)
    ]
    _read_claim(claim, any(one.compared for one in columns))
    holds, at = [], 0
    for piece, stated, place in zip(pieces, told, shown, strict=True):
        while not inside(piece, cells[at], budget):
            at += 1
        holds.append(_decided(columns[at], piece, level, _lead(stated), place))
    check_stated(read.items(claim["region"]), pieces, holds, budget)
    return all(holds)


def _read_claim(claim: Any, compared: bool) -> None:
    """A leakage is said just where nothing is compared."""
    keys = f"{read.COMMON} level region pieces"
    read.fields(claim, keys if compared else f"{keys} leakage")
    said = compared or repr(claim["leakage"]) == "{'vacuous': True}"
    prove(said, "nothing is compared, which is to be said")


def read_domain(low: Any, high: Any, budget: Budget) -> list[End]:
    """The two ends of an interval that is no point."""
    ends = [read_end(low, budget), read_end(high, budget)]
    need(compare(ends[0].at, ends[1].at, budget) < 0, "an interval has a lower and upper end")
    return ends


def spots(parts: Sequence[Any], domain: list[End], budget: Budget) -> list[Spot]:
    """The places of `parts`, which cover a domain: points and open intervals in turn."""
    found: list[Spot] = []
    for part in parts:
        low, high = (read_end(part[key], budget) for key in ("from", "to"))
        order = compare(low.at, high.at, budget)
        need(order <= 0 and low.closed == high.closed == (order == 0), "an interval or a point")
        found.append(Spot(low.at, high.at, budget, order == 0))
    need(found, "there is a piece")
    first, last = found[0], found[-1]
    starts = not compare(first.low, domain[0].at, budget) and first.is_point == domain[0].closed
    ends = not compare(last.high, domain[1].at, budget) and last.is_point == domain[1].closed
    prove(starts and ends, "the pieces do not reach the ends")
    for one, other in pairwise(found):
        meet = not compare(one.high, other.low, budget)
        prove(meet and one.is_point != other.is_point, "the pieces do not meet")
    return found


def inside(piece: Spot, cell: Spot, budget: Budget) -> bool:
    """Whether a piece lies in a cell, or has to wait for a later one."""
    low, high = compare(cell.low, piece.low, budget), compare(piece.high, cell.high, budget)
    if cell.is_point or not piece.is_point:
        return cell.is_point == piece.is_point and low <= 0 and high <= 0
    return low < 0 and high < 0


def check_stated(
    stated: Sequence[Any], pieces: Sequence[Spot], holds: Sequence[bool], budget: Budget
) -> None:
    """Reject another region than that of the pieces where it holds."""
    found: list[tuple[Spot, Spot]] = []
    for k, (piece, good) in enumerate(zip(pieces, holds, strict=True)):
        if good and k and holds[k - 1]:
            found[-1] = (found[-1][0], piece)
        elif good:
            found.append((piece, piece))
    prove(len(stated) == len(found), "the region is another")
    for part, (first, last) in zip(stated, found, strict=True):
        ends = [read_end(end, budget) for end in read.fields(part, "from to")]
        reached = [(first.low, first.is_point), (last.high, last.is_point)]
        for end, (at, closed) in zip(ends, reached, strict=True):
            same = not compare(end.at, at, budget) and end.closed == closed
            prove(same, "the region is another")


@dataclass(frozen=True)
class _Level:
    """A level and a delta that depend on the parameter."""

    alpha: Quotient
    delta: Quotient

    @classmethod
    def of(cls, asked: Any, name: str) -> "_Level":
        alpha, delta = read.fields(asked, "exp_epsilon delta")
        return cls(read_function(alpha, name), read_function(delta, name))


def _lead(stated: Any) -> Lead:
    if "infinite" in stated:
        _, _, infinite = read.fields(stated, "from to infinite")
        need(infinite is True, "infinite is true")
        return Lead(ONE, ZERO, 1)
    keys = "from to numerator denominator" + " root" * ("root" in stated)
    _, _, top, bottom, *root = read.fields(stated, keys)
    found = Lead(read_integers(top), read_integers(bottom), 1 if not root else root[0])
    need(found.bottom, "a denominator is not 0")
    read.index(found.root, FARTHEST, low=1)
    return found


def _decided(columns: Columns, piece: Spot, level: _Level, lead: Lead, place: Any) -> bool:
    """Whether all holds on a piece, once what is said of the smallest level there is proved."""
    (a, b), (delta, unit) = level.alpha, level.delta
    turned = piece.turned(b)
    a, b = scaled(a, turned), scaled(b, turned)
    prove(piece.side(plus(a, b, -1)) > 0, "the level is below 1")
    turned = piece.turned(unit)
    delta, unit = scaled(delta, turned), scaled(unit, turned)
    prove(piece.side(delta) > 0 and piece.side(plus(unit, delta, -1)) > 0, "delta out of range")
    several = not piece.vanishes(delta)
    need(not several or all(d == 1 for _, _, d in columns.pairs), "with distances, delta is 0")
    compared = _Compared(columns, piece, (delta, unit) if several else (ZERO, ONE))
    if not lead.bottom:
        prove(compared.is_unbounded(place, several), "the leakage is not proved infinite")
        return False
    turned = piece.turned(lead.bottom)
    lead = Lead(scaled(lead.top, turned), scaled(lead.bottom, turned), lead.root)
    need(not several or lead.root == 1, "with delta, a leakage is no root")
    prove(piece.side(plus(lead.top, lead.bottom, -1)) > 0, "a leakage is at least 1")
    prove(compared.hold(lead, several), "the leakage is too small")
    prove(compared.needs(lead, place, several), "the leakage is too large for the witness")
    piece.budget.spend(steps_of_product(a, b, lead.top, lead.bottom, exponent=lead.root))
    left, right = times(power(a, lead.root), lead.bottom), times(power(b, lead.root), lead.top)
    side = piece.side(plus(left, right, -1))
    prove(side, "a piece is not divided where the level meets the leakage")
    return side > 0


@dataclass
class _Compared:
    """The comparisons on one piece."""

    columns: Columns
    piece: Spot
    delta: Quotient

    def __post_init__(self) -> None:
        piece, numbers = self.piece, self.columns.numbers
        turned = {bottom: piece.turned(bottom) for bottom in {bottom for _, bottom in numbers}}
        self.numbers = [
            (scaled(top, turned[bottom]), scaled(bottom, turned[bottom])) for top, bottom in numbers
        ]  # with positive denominators
        self.none = {k for k, (top, _) in enumerate(self.numbers) if piece.vanishes(top)}
        self._known: dict[Kind, tuple[Poly, bool]] = {}  # excess at the lead

    def over(self, p: int, q: int) -> Quotient:
        """The ratio of two numbers as a quotient."""
        (a, b), (c, d) = self.numbers[p], self.numbers[q]
        return (a, c) if b == d else (times(a, d), times(c, b))

    def entries(self) -> Iterator[tuple[int, int, int]]:
        """The different pairs of numbers that are compared at a distance."""
        seen = set()
        for i, j, d in self.columns.pairs:
            first, second = self.columns.columns[i], self.columns.columns[j]
            self.piece.budget.spend(len(first))
            for p, q in set(zip(first, second, strict=True)):
                if p != q and (p, q, d) not in seen:
                    seen.add((p, q, d))
                    yield p, q, d

    def hold(self, lead: Lead, several: bool) -> bool:
        """Whether the lead is enough for all."""
        if several:
            kinds = {self._kind(i, j) for i, j, _ in self.columns.pairs}
            rest = (self._excess(kind, lead)[0] for kind in kinds)
            return all(self.piece.side(one) > 0 for one in rest)
        return all(
            self._above(p, q, d, lead) > 0 for p, q, d in self.entries() if p not in self.none
        )

    def _above(self, p: int, q: int, d: int, lead: Lead) -> int:
        """On which side the lead is of a ratio."""
        if q in self.none:
            return -1
        return self.piece.side(self._gap(p, q, d, lead))

    def _gap(self, p: int, q: int, d: int, lead: Lead) -> Poly:
        above, below = self.over(p, q)
        self.piece.budget.spend(steps_of_product(lead.top, lead.bottom, exponent=d))
        self.piece.budget.spend(steps_of_product(above, below, exponent=lead.root))
        left = times(power(lead.top, d), power(below, lead.root))
        return plus(left, times(power(above, lead.root), power(lead.bottom, d)), -1)

    def _kind(self, i: int, j: int) -> Kind:
        """What two columns have: pairs of numbers, and how often each."""
        first, second = self.columns.columns[i], self.columns.columns[j]
        self.piece.budget.spend(len(first))
        return tuple(sorted(Counter(zip(first, second, strict=True)).items()))

    def _excess(self, kind: Kind, lead: Lead) -> tuple[Poly, bool]:
        """A positive multiple of delta − Σ max(0, P − lead Q) for two columns; and whether Q allows
        one of the outputs that count."""
        if kind in self._known:
            return self._known[kind]
        total, unit, reached = ZERO, ONE, False
        for (p, q), times_ in kind:
            (a, b), (c, d) = self.numbers[p], self.numbers[q]
            over = times(b, d)
            more = () if over == unit else (unit,)
            steps = steps_of_product(a, c, over, lead.top, lead.bottom, *more)
            self.piece.budget.spend(steps)
            gain = plus(times(times(a, d), lead.bottom), times(times(c, b), lead.top), -1)
            side = self.piece.side(gain)
            if side < 0 or (side == 0 and self.piece.side(scaled(gain, -1)) > 0):
                continue
            prove(side, "a piece is not divided where an event changes")
            reached = reached or q not in self.none
            total, unit = added((total, unit), (scaled(gain, times_), over))
        delta, whole = self.delta
        rest = plus(times(times(delta, lead.bottom), unit), times(whole, total), -1)
        self._known[kind] = rest, reached
        return self._known[kind]

    def needs(self, lead: Lead, place: Any, several: bool) -> bool:
        """Whether nothing smaller than the lead will do; for 1 no place is needed."""
        if place is None:
            return self.piece.vanishes(plus(lead.top, lead.bottom, -1))
        i, j, output = self.columns.shown(place, "" if several else "output")
        if several:
            rest, reached = self._excess(self._kind(i, j), lead)
            return reached and self.piece.vanishes(rest)
        p, q = self._at(i, j, *output)
        distances = [d for s, t, d in self.columns.pairs if (s, t) == (i, j)]
        attained = p not in self.none and q not in self.none
        return attained and any(self.piece.vanishes(self._gap(p, q, d, lead)) for d in distances)

    def _at(self, i: int, j: int, output: Any) -> tuple[int, int]:
        """The numbers of two columns at an output."""
        first, second = self.columns.columns[i], self.columns.columns[j]
        return first[read.index(output, len(first))], second[output]

    def is_unbounded(self, place: Any, several: bool) -> bool:
        """Whether no level serves: outputs that Q forbids have more than delta."""
        i, j, output = self.columns.shown(place, "" if several else "output")
        if not several:
            p, q = self._at(i, j, *output)
            return p not in self.none and q in self.none
        first, second = self.columns.columns[i], self.columns.columns[j]
        mass: Quotient = (ZERO, ONE)
        for p, q in zip(first, second, strict=True):
            mass = added(mass, self.numbers[p]) if q in self.none else mass
        delta, whole = self.delta
        return self.piece.is_positive(plus(times(mass[0], whole), times(mass[1], delta), -1))
