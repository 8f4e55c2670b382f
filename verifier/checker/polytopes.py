"""Certificates of kind "polytope": P(E | s) <= alpha P(E | t) + delta under all priors of a class.

It has all mixtures of given priors, or all priors that satisfy linear constraints.

Priors are points x >= 0, scaled at will, of a cone with rows G x <= 0 or = 0. An event E enters by
A = P(s, E) - delta P(s), B = P(s), C = P(t, E), D = P(t), linear in x; claimed is A D <= alpha C B.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from . import levels
from . import reading as read
from .corners import Values, corners, is_below
from .document import Pair, afford, fields, indices, items, mapping, named_pair, need, prove
from .levels import Level
from .reading import ONE, ZERO, Case, Model, Secrets, Table
from .rules import SENSES, Row, Terms, is_bounded, signed

Cell = tuple[Row, Row, Row, Row]  # A, B, C, D by coordinates


@dataclass(frozen=True)
class Cone:
    """The priors of a class, by coordinates that satisfy rows.

    `weights` has the prior of each coordinate times an integer; without, they are the weights of
    the worlds."""

    size: int
    rows: list[Row]
    weights: list[list[Any]] | None

    def has(self, point: Sequence[Fraction]) -> bool:
        """Whether a `point` is in the cone."""
        x = read.whole(point)[1]
        allowed = [row.allows(row.at(x)) for row in self.rows]
        return len(x) == self.size and min(x) >= 0 and all(allowed)

    def bounds(
        self, terms: Terms, multipliers: Sequence[Fraction], without: Collection[int] = ()
    ) -> bool:
        """Whether `multipliers` of the rows prove that the `terms` are nowhere positive, at points
        that are 0 `without` a bound."""
        proof = signed(zip(multipliers, self.rows, strict=True))
        return is_bounded(self.size, [*proof, *((-f, row) for f, row in terms)], without)


Masses = dict[int, tuple[Any, Sequence[Any]]]  # coordinate -> P(s), and P(s, o) times the unit


@dataclass(frozen=True)
class Events:
    """The probabilities of events of a table under the priors of a cone.

    `known` has those of the secrets that were asked for."""

    cone: Cone
    table: Table
    secrets: Secrets
    delta: Fraction
    known: dict[str, Masses] = field(default_factory=dict)

    def _masses(self, name: str) -> Masses:
        if name not in self.known:
            self.known[name] = self._sums(self.secrets[name])
        return self.known[name]

    def _sums(self, worlds: list[int]) -> Masses:
        if self.cone.weights is None:
            columns, parts = self.table.columns, self.table.whole[1]
            return {w: (1, list(map(parts.__getitem__, columns[w]))) for w in worlds}
        inside = [{w: p[w] for w in worlds if p[w]} for p in self.cone.weights]
        masses = (sum(weights.values()) for weights in inside)
        return dict(enumerate(zip(masses, self.table.sums(inside), strict=True)))

    def mass(self, name: str) -> Row:
        """P(secret) for its `name`."""
        return Row.over(1, {k: mass for k, (mass, _) in self._masses(name).items()})

    def _joint(self, name: str, event: Collection[int], delta: Fraction = ZERO) -> Row:
        """P(secret, event) - `delta` P(secret)."""
        (down, (up,)), unit = read.whole([delta]), self.table.whole[0]
        return Row.over(
            down * unit,
            {
                k: down * sum(map(chances.__getitem__, event)) - up * unit * mass
                for k, (mass, chances) in self._masses(name).items()
            },
        )

    def cell(self, pair: Pair, event: Collection[int]) -> Cell:
        """A, B, C and D of an `event` given the secrets of a `pair`."""
        s, t = pair
        excess = self._joint(s, event, self.delta)
        return excess, self.mass(s), self._joint(t, event), self.mass(t)

    def cells(self, compared: Sequence[Pair]) -> Iterator[Cell]:
        """Those of all pairs `compared`, one order of each after the other, and of all events."""
        outputs = range(len(self.table.columns[0]))
        sizes = outputs if self.delta else outputs[:1]
        events = [event for k in sizes for event in combinations(outputs, k + 1)]
        for s, t in compared[::2]:
            yield from (self.cell(pair, e) for e in events for pair in ((s, t), (t, s)))

    def values(self, pair: Pair, point: Sequence[Any]) -> Values:
        """P(s, o) by output, P(s), P(t, o) and P(t) of a `pair` at a `point`; those of outputs are
        times the unit of the table."""
        (a, b), (c, d) = (self._values(name, point) for name in pair)
        return a, b, c, d

    def _values(self, name: str, point: Sequence[Any]) -> tuple[list[Any], Any]:
        masses = self._masses(name)
        used = [(point[k], *masses[k]) for k in masses if point[k]]
        chances = [0] * len(self.table.columns[0])
        for x, _, row in used:
            chances = [total + x * p for total, p in zip(chances, row, strict=True)]
        return chances, sum(x * mass for x, mass, _ in used)

    def afford(self, compared: int, pieces: int, excluded: int) -> None:
        """Refuse too many pairs `compared`, `pieces` of proofs, or secrets that are `excluded`."""
        worlds, outputs = len(self.table.columns), len(self.table.columns[0])
        each = worlds * (len(self.cone.weights or ()) + 1)
        afford(10 * excluded * each)
        afford(compared * (2**outputs if self.delta else outputs) * each)
        entries = sum(len(ks) for row in self.cone.rows for ks in row.places.values())
        afford(pieces * (self.cone.size + entries))


def check_polytope(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    by_corners = "cuts" in case.witness
    keys = "lower cuts impossible" if by_corners else "lower upper impossible"
    lower, upper, impossible = fields(case.witness, keys)
    secrets, pairs = read.secrets(case.relation, case.model)
    cone = read_cone(case.relation, case.model)
    events = Events(cone, case.model.table, secrets, asked.delta)
    excluded = mapping(impossible)
    proofs = [items(pieces, 3 if by_corners else 4) for pieces in items(upper)]
    compared = [pair for pair in pairs if excluded.keys().isdisjoint(pair)]
    events.afford(0 if by_corners else len(compared), sum(map(len, proofs)), len(excluded))
    for name, multipliers in excluded.items():
        proved = cone.bounds([(ONE, events.mass(name))], read.numbers(multipliers))
        prove(proved, f"{name!r:.100} is not proved impossible")

    def holds(at: Level) -> bool:
        if by_corners:
            found = corners(cone.size, cone.rows)
            afford(len(compared) * len(found) * case.model.size * len(case.model.table.columns[0]))
            sides = [[events.values(pair, x) for x in found] for pair in compared]
            return is_below(sides, proofs, events.table.whole[0], at.alpha or ONE, asked.delta)
        checked = zip(events.cells(compared), proofs, strict=True)
        return all(_holds(cone, cell, at.alpha or ONE, pieces) for cell, pieces in checked)

    def needs(low: Level | None) -> bool:
        need(low is not None or proofs == [], "nothing is bounded")
        p, q = _read_ends(lower, events, compared)
        return _needs(p, q, low.alpha if low else None)

    prove(compared or (lower is None and proofs == []), "nothing is compared")
    return asked.settle(not compared, holds, needs)


def _read_ends(lower: Any, events: Events, compared: Sequence[Pair]) -> Iterator[list[Fraction]]:
    """A, B, C, D of the evidence at one point of the cone, given twice, or at two."""
    shown, end = "outputs" if events.delta else "output", "at" if "at" in lower else "between"
    listed, told, points = fields(lower, f"pair {shown} {end}")
    pair, outputs = named_pair(listed), len(events.table.columns[0])
    prove(pair in compared, "a pair that is not compared")
    event = set(indices(told if events.delta else [told], outputs))
    found = read.matrix([points] * 2 if end == "at" else points)
    need(len(found) == 2, "a segment has two ends")
    cell = events.cell(pair, event)
    prove(all(map(events.cone.has, found)), "a point is no prior of the class")
    yield from ([read.ratio(row.at(x), row.unit) for row in cell] for x in found)


def read_cone(relation: Any, model: Model) -> Cone:
    """The class of priors of a `relation` on the worlds of a `model`."""
    priors = relation["priors"]
    if priors["class"] == "hull":
        given = read.weights(priors, model.size, ("hull",))
        parts = iter(read.whole([p for prior in given for p in prior])[1])
        return Cone(len(given), [], [[next(parts) for _ in prior] for prior in given])
    need(priors["class"] == "constraints", "a class is hull or constraints")
    found = []
    for row in items(fields(priors, "class rows")[1]):
        sense, stated = fields(row, "sense coefficients")
        need(sense in ("<=", "="), "a row is <= 0 or = 0")
        found.append(_row(stated, model.size, SENSES[sense]))
    return Cone(model.size, found, None)


def _row(stated: Any, size: int, sense: int) -> Row:
    """A row of a class, from the worlds of each coefficient: an integer, or a function."""
    if not read.FUNCTIONS.get():
        places = {g: indices(ks, size) for g, ks in read.by_integer(stated).items()}
        return Row(places, sense=sense)
    entries: dict[int, Fraction] = defaultdict(Fraction)
    for text, listed in mapping(stated).items():
        coefficient = read.number(text)
        for w in indices(listed, size):
            entries[w] += coefficient
    return replace(Row.of(entries), sense=sense)


def _form(p: Sequence[Any], q: Sequence[Any]) -> tuple[Any, Any]:
    """The coefficients of u v in A D and in C B at u p + v q; for p = q twice those of u^2."""
    return p[0] * q[3] + q[0] * p[3], p[2] * q[1] + q[2] * p[1]


def _below(p: Sequence[Any], q: Sequence[Any], alpha: Fraction) -> bool:
    """Whether A D <= alpha C B at all mixtures of p and q: 2x2 copositivity."""
    f, g, h = (n - alpha * d for n, d in (_form(p, p), _form(q, q), _form(p, q)))
    return bool(f <= 0 and g <= 0 and (h <= 0 or h * h <= f * g))


def _holds(cone: Cone, cell: Cell, alpha: Fraction, pieces: Any) -> bool:
    """Whether A D <= alpha C B all over the cone.

    At B = p, D = 1 - p multipliers (lambda, mu, nu) with (1 - p) A - alpha p C <= mu B + nu D +
    lambda G prove A D - alpha C B <= mu p + nu (1 - p). In a piece they are linear in p."""
    a, b, c, d = cell
    start = ZERO
    for low, high, at_low, at_high in pieces:
        prove(read.number(low) == start, "a piece is missing")
        ends = []
        for p, multipliers in ((read.number(low), at_low), (read.number(high), at_high)):
            *ys, mu, nu = read.numbers(multipliers)
            terms = [(1 - p, a), (-alpha * p, c), (-mu, b), (-nu, d)]
            if not cone.bounds(terms, ys):
                return False
            ends.append((mu, 1 - p, -nu, p))
        if not _below(ends[0], ends[1], ONE):
            return False
        start = read.number(high)
    return start == 1


def _needs(p: Sequence[Any], q: Sequence[Any], alpha: Fraction | None) -> bool:
    """Whether no level below alpha (None: none at all) is enough. There is a point with at least
    this ratio, or where mixtures approach it towards the first end; or they fail at alpha."""
    (n, d), own = _form(p, q), _form(p, p)
    if alpha is None:
        return bool(n > 0 == d) and (p == q or own == (0, 0))
    if p == q:
        return bool(p[1] * p[3] > 0 and (alpha == 1 or (n >= alpha * d and n > 0)))
    return not _below(p, q, alpha) or (own == (0, 0) and bool(n == alpha * d > 0))
