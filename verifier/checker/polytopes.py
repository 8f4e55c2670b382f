"""The rule "polytope": a comparison under all mixtures of priors, or all within linear constraints.

**Question.** Priors are points x >= 0, scaled at will, of a cone with rows G x <= 0 or = 0: weights
of worlds; or for `hull` shares of the priors, without rows. An event E enters by A = P(s, E) -
delta P(s), B = P(s), C = P(t, E), D = P(t), linear in x. To be shown is A D <= L C B, for each pair
in both orders and each output, or with delta each set of outputs but the empty one.

**Evidence** is `{"lower": …, "upper": […], "impossible": {…}}`, or has `cuts` in place of `upper`.
Multipliers of rows are >= 0 where these are <= 0.

- `impossible` maps secrets that no prior allows to multipliers whose sum is at least P(s)
  everywhere. Their pairs are not compared; where none is left, `lower` is null, and the rest empty.
- `upper` has, for each pair, each event (smaller ones first, then in lexicographic order) and each
  order, pieces `[l, h, multipliers at l, multipliers at h]` that cover the shares p = B/(B + D)
  from 0 to 1. After those λ of the rows stand μ and ν, and in all coordinates (1 - p) A - L p C <=
  μ B + ν D + λ G.
- `cuts` has for each pair and order `[i, j, [share, …]]`: i < j are corners of the cone, its
  extreme rays in coprime integers, descending, found again; shares of j, ascending, divide the
  segment.
- `lower` is `{"pair": [s, t], "output": o, "at": x}`, with delta `outputs`, or has
  `"between": [x, x']` for `at`. It is null, or `upper` empty, where that end is not claimed.

**Why it is sound.** At B = p, D = 1 - p such multipliers say A D - L C B <= μ p + ν (1 - p).
Between l and h they are mixed. What is left is A D <= C B between (A, B, C, D) = (μ, 1 - l, -ν, l)
and (μ', 1 - h, -ν', h). There a form f u² + 2 h u v + g v² decides, which is
nowhere positive for u, v >= 0 if f <= 0, g <= 0, and h <= 0 or h² <= f g.

The excess of the worst event, Σ max(0, A D - L C B) - delta B D with A of outputs without delta, is
linear where B and D are fixed, hence largest between two corners, or at a single one. On a piece
from x to y it is at most half the form of F(x, x), F(x, y) and F(y, y), F(x, y) = Σ max(0, A D' +
A' D - L (C B' + C' B)) - delta (B D' + B' D).

From below, `at` has B D > 0, and A D >= L C B, A D > 0 unless L is 1; no level is enough if A D >
0 = C B. Of two points A D <= L C B fails between them; or A D = C B = 0 at x, and A D' + A' D = L
(C B' + C' B) > 0, which mixtures approach; with 0 for C B' + C' B no level is enough. Where none
is, `upper` is empty.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, pairwise
from typing import Any

from . import levels
from . import reading as read
from .document import Pair, fields, index, indices, items, mapping, named_pair, need, prove, spend
from .levels import Level
from .linear import SENSES, Point, Row, Terms, corners, is_bounded, signed
from .reading import ONE, ZERO, Case, Model, Secrets, Table

Cell = tuple[Row, Row, Row, Row]  # A, B, C, D by coordinates
Values = tuple[Sequence[Any], Any, Sequence[Any], Any]  # A by output, B, C by output, D


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
        x = read.in_integers(point)[1]
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
            worlds, weights = self.secrets[name], self.cone.weights
            inside = {w: {w: 1} for w in worlds}
            if weights is not None:
                inside = {k: {w: p[w] for w in worlds if p[w]} for k, p in enumerate(weights)}
            sums = zip(inside.items(), self.table.sums([*inside.values()]), strict=True)
            self.known[name] = {k: (sum(p.values()), chances) for (k, p), chances in sums}
        return self.known[name]

    def mass(self, name: str) -> Row:
        """P(secret) for its `name`."""
        return Row.over(1, {k: mass for k, (mass, _) in self._masses(name).items()})

    def cell(self, pair: Pair, event: Collection[int], delta: Fraction) -> Cell:
        """A, B, C and D of an `event` given the secrets of a `pair`."""
        (down, (up,)), unit = read.in_integers([delta]), self.table.whole[0]
        above, below = (
            {k: (sum(map(p.__getitem__, event)), mass) for k, (mass, p) in self._masses(s).items()}
            for s in pair
        )
        excess = {k: down * p - up * unit * mass for k, (p, mass) in above.items()}
        chances = {k: p for k, (p, _) in below.items()}
        masses = map(self.mass, pair)
        return Row.over(down * unit, excess), next(masses), Row.over(unit, chances), next(masses)

    def cells(self, compared: Sequence[Pair]) -> Iterator[Cell]:
        """Those of all pairs `compared`, one order of each after the other, and of all events."""
        outputs = range(len(self.table.columns[0]))
        sizes = outputs if self.delta else outputs[:1]
        for s, t in compared[::2]:
            both = ((s, t), (t, s))
            events = chain.from_iterable(combinations(outputs, k + 1) for k in sizes)
            yield from (self.cell(pair, e, self.delta) for e in events for pair in both)

    def values(self, pair: Pair) -> Callable[[Point], Values]:
        """What finds A of each output without delta, B, C of each and D at a point; those of
        outputs times the unit of the table."""
        cells = [self.cell(pair, [o], ZERO) for o in range(len(self.table.columns[0]))]

        def found(x: Point) -> Values:
            a, b, c, d = zip(*([row.at(x) for row in cell] for cell in cells), strict=True)
            return a, b[0], c, d[0]

        return cache(found)

    def spend(self, compared: int, pieces: int, excluded: int) -> None:
        """Refuse too many pairs `compared`, `pieces` of proofs, or secrets that are `excluded`."""
        worlds, outputs = len(self.table.columns), len(self.table.columns[0])
        each = worlds * (len(self.cone.weights or ()) + 1)
        entries = sum(len(ks) for row in self.cone.rows for ks in row.places.values())
        spend((10 * excluded + compared * (2**outputs if self.delta else outputs)) * each)
        spend(pieces * (self.cone.size + entries))


def check_comparison(case: Case) -> bool:
    """Whether the definition of a `case` is met, if its witness proves the leakage; else raise."""
    asked = levels.claim(case.claim)
    shown, width = ("cuts", 3) if "cuts" in case.witness else ("upper", 4)
    lower, upper, impossible = fields(case.witness, f"lower {shown} impossible")
    secrets, pairs = read.secrets(case.relation, case.model)
    events = Events(read_cone(case.relation, case.model), case.model.table, secrets, asked.delta)
    excluded = mapping(impossible)
    proofs = [items(pieces, width) for pieces in items(upper)]
    compared = [pair for pair in pairs if excluded.keys().isdisjoint(pair)]
    bounded = len(compared) if shown == "upper" else 0
    events.spend(bounded, sum(map(len, proofs)), len(excluded))
    for name, multipliers in excluded.items():
        proved = events.cone.bounds([(ONE, events.mass(name))], read.numbers(multipliers))
        prove(proved, f"{name!r:.100} is not proved impossible")

    # what shows an end that is not claimed is not read
    need(proofs == [] or not {"infinite", "at_least"} & set(asked.leakage), "nothing is bounded")
    need(lower is None or "at_most" not in asked.leakage, "nothing is needed")

    def holds(at: Level) -> bool:
        alpha = at.alpha or ONE
        if shown == "cuts":
            return _is_below(events, compared, proofs, alpha)
        checked = zip(events.cells(compared), proofs, strict=True)
        return all(_holds(events.cone, cell, alpha, pieces) for cell, pieces in checked)

    def needs(low: Level | None) -> bool:
        return _needs(_read_ends(lower, events, compared), low.alpha if low else None)

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
    cell = events.cell(pair, event, events.delta)
    prove(all(map(events.cone.has, found)), "a point is no prior of the class")
    yield from ([read.ratio(row.at(x), row.unit) for row in cell] for x in found)


def read_cone(relation: Any, model: Model) -> Cone:
    """The class of priors of a `relation` on the worlds of a `model`."""
    priors = relation["priors"]
    if priors["class"] == "hull":
        given = read.weights(priors, model.size, ("hull",))
        parts = iter(read.in_integers([p for prior in given for p in prior])[1])
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
    entries: dict[int, Fraction] = defaultdict(Fraction)
    known = mapping(stated) if read.FUNCTIONS.get() else read.by_integer(stated)
    for coefficient, listed in known.items():
        for w in indices(listed, size):
            entries[w] += read.number(str(coefficient))
    return replace(Row.of(entries), sense=sense)


def _form(p: Sequence[Any], q: Sequence[Any]) -> tuple[Any, Any]:
    """The coefficients of u v in A D and in C B at u p + v q; for p = q twice those of u^2."""
    return p[0] * q[3] + q[0] * p[3], p[2] * q[1] + q[2] * p[1]


def _is_nowhere_positive(form: Callable[[Any, Any], Any], p: Any, q: Any) -> bool:
    """Whether a quadratic form with these coefficients is nowhere positive between two points, by
    2x2 copositivity."""
    f, g, h = form(p, p), form(q, q), form(p, q)
    return bool(f <= 0 and g <= 0 and (h <= 0 or h * h <= f * g))


def _below(p: Sequence[Any], q: Sequence[Any], alpha: Fraction) -> bool:
    """Whether A D <= alpha C B at all mixtures of p and q."""

    def form(p: Sequence[Any], q: Sequence[Any]) -> Any:
        above, below = _form(p, q)
        return above - alpha * below

    return _is_nowhere_positive(form, p, q)


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


def _needs(ends: Iterable[Sequence[Any]], alpha: Fraction | None) -> bool:
    """Whether no level below alpha (None: none at all) is enough. There is a point with at least
    this ratio, or where mixtures approach it towards the first end; or they fail at alpha."""
    p, q = ends
    (n, d), own = _form(p, q), _form(p, p)
    if alpha is None:
        return bool(n > 0 == d) and (p == q or own == (0, 0))
    if p == q:
        return bool(p[1] * p[3] > 0 and (alpha == 1 or (n >= alpha * d and n > 0)))
    return not _below(p, q, alpha) or (own == (0, 0) and bool(n == alpha * d > 0))


def _is_below(events: Events, compared: Sequence[Pair], cuts: Any, alpha: Fraction) -> bool:
    """Whether the condition holds at `alpha` on all segments between corners, as `cuts` prove."""
    found = corners(events.cone.size, events.cone.rows)
    (below, (above,)), (down, (up,)) = read.in_integers([alpha]), read.in_integers([events.delta])
    loss = up * below * events.table.whole[0]
    size, outputs = len(events.table.columns), len(events.table.columns[0])
    spend(len(compared) * len(found) * size * outputs)
    need(found or not compared, "there are priors")

    def excess(x: Values, y: Values) -> Any:
        """The coefficient of u v in a form that is at least the excess, at u x + v y."""
        (a, b, c, d), (p, q, r, s) = x, y
        over = (
            below * (i * s + k * d) - above * (j * q + m * b)
            for i, j, k, m in zip(a, c, p, r, strict=True)
        )
        return down * sum(x for x in over if x > 0) - loss * (b * s + q * d)

    for pair, listed in zip(compared, cuts, strict=True):
        values, shares = events.values(pair), _shares(listed, len(found))
        for i, j in list(combinations(range(len(found)), 2)) or [(0, 0)]:
            ends = [ZERO, *shares.get((i, j), []), ONE]
            spend(10 * len(ends) * (1 + outputs))
            points = [values(_mixed(found[i], found[j], share)) for share in ends]
            if not all(_is_nowhere_positive(excess, x, y) for x, y in pairwise(points)):
                return False
    return True


def _shares(listed: Any, count: int) -> dict[tuple[int, int], list[Fraction]]:
    """The shares of the second corner at which segments between two of `count` are cut."""
    found: dict[tuple[int, int], list[Fraction]] = {}
    for i, j, shares in items(listed, 3):
        at = index(i, count), index(j, count)
        need(at[0] < at[1] and at not in found, "a segment is between two corners, cut once")
        found[at] = read.numbers(shares)
        prove(all(x < y for x, y in pairwise([ZERO, *found[at], ONE])), "shares do not ascend")
    return found


def _mixed(first: Point, last: Point, share: Fraction) -> Point:
    """A mixture with this `share` of the last corner, times a positive number."""
    whole, (part,) = read.in_integers([share])
    return tuple((whole - part) * x + part * y for x, y in zip(first, last, strict=True))
