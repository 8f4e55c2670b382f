"""Certificates of kind "polytope": P(E | s) <= alpha P(E | t) + delta under all priors of a convex
class: the mixtures of given priors, or the priors that satisfy linear constraints.

Priors are points x >= 0, scaled at will, of a cone with rows G x <= 0 or = 0. An event E enters by
A = P(s, E) - delta P(s), B = P(s), C = P(t, E), D = P(t), linear in x; claimed is A D <= alpha C B.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from .level import ONE, Level, read_level, settle
from .reading import (
    Rejected,
    afford,
    denominator,
    fields,
    indices,
    items,
    mapping,
    need,
    number,
    numbers,
    read_table,
    total,
)
from .relation import read_pair, read_secrets

Cell = tuple[list[list[int]], int]  # A, B, C, D at each coordinate times an integer, and that
Row = tuple[bool, dict[int, list[int]]]  # whether = 0 (else <= 0); coefficient -> coordinates


@dataclass(frozen=True)
class Cone:
    """The priors of a class, by coordinates: `weights` has the prior of each one times an integer,
    and is None where the coordinates are the weights of the worlds."""

    size: int
    rows: list[Row]
    weights: list[list[int]] | None

    def masses(self, worlds: Sequence[int], chance: Sequence[Fraction]) -> list[Fraction]:
        """The sum of weight times chance over some worlds, at each coordinate."""
        if self.weights is None:
            inside = set(worlds)
            return [chance[w] if w in inside else Fraction(0) for w in range(self.size)]
        return [total((p[w], chance[w]) for w in worlds if p[w]) for p in self.weights]

    def has(self, x: list[int]) -> bool:
        """Whether a point is in the cone."""
        sums = [sum(g * x[k] for g, ks in row.items() for k in ks) for _, row in self.rows]
        fits = all(x == 0 if e else x <= 0 for (e, _), x in zip(self.rows, sums, strict=True))
        return len(x) == self.size and min(x) >= 0 and fits

    def bounds(self, terms: Any, multipliers: Any, without: Collection[int] = ()) -> bool:
        """Whether the sum of factor times vector (terms) is, at each coordinate but those left
        out, at most that of the multipliers times the rows; those of rows <= are not negative."""
        ys = [Fraction(y) for y in multipliers]
        unit = denominator([*(f for f, _ in terms), *ys])
        rest = [0] * self.size
        for factor, vector in terms:
            scale = int(factor * unit)
            rest = [r - scale * v for r, v in zip(rest, vector, strict=True)] if scale else rest
        for y, (equal, row) in zip(ys, self.rows, strict=True):
            need(equal or y >= 0, "a multiplier is negative", Rejected)
            for g, ks in row.items() if y else ():
                more = int(y * unit) * g
                for k in ks:
                    rest[k] += more
        return min(r for k, r in enumerate(rest) if k not in without) >= 0


def check_polytopes(claim: Any, model: Any, relation: Any, evidence: Any) -> bool:
    """Whether the definition holds, if the evidence proves the leakage; else raise."""
    fields(claim, "definition kind verdict digest level leakage")
    fields(evidence, "lower upper impossible")
    level, delta = read_level(claim["level"])
    (secrets, pairs), cone = read_secrets(relation, model), read_cone(relation, model)
    (values, columns), outputs = read_table(model), range(len(model["outputs"]))
    ones, excluded = [ONE] * len(columns), mapping(evidence["impossible"])
    upper = [items(pieces, 4) for pieces in items(evidence["upper"])]
    afford(10 * len(excluded) * len(columns) * (len(cone.weights or ()) + 1))
    for name, multipliers in excluded.items():
        (mass,), unit = whole([cone.masses(secrets[name], ones)])
        proved = cone.bounds([(ONE, mass)], [y * unit for y in numbers(multipliers)])
        need(proved, f"{name!r:.100} is not proved impossible", Rejected)
    compared = [pair for pair in pairs if excluded.keys().isdisjoint(pair)]
    events = 2 ** len(outputs) if delta else len(outputs)
    afford(len(compared) * events * len(columns) * (len(cone.weights or ()) + 1))
    entries = sum(len(ks) for _, row in cone.rows for ks in row.values())
    afford(sum(map(len, upper)) * (cone.size + entries))

    def cell(pair: Sequence[str], event: Iterable[int]) -> Cell:
        chances = [total((1, values[column[o]]) for o in event) for column in columns]
        a, b, c, d = (cone.masses(secrets[x], row) for x in pair for row in (chances, ones))
        return whole([[x - delta * y for x, y in zip(a, b, strict=True)], b, c, d])

    def holds(at: Level) -> bool:
        sizes = outputs if delta else outputs[:1]
        sets = [event for k in sizes for event in combinations(outputs, k + 1)]
        cells = (cell(p, e) for s, t in compared[::2] for e in sets for p in ((s, t), (t, s)))
        alpha = at.alpha or ONE
        return all(_holds(cone, x, alpha, pieces) for x, pieces in zip(cells, upper, strict=True))

    def needs(low: Level | None) -> bool:
        lower, key = evidence["lower"], "outputs" if delta else "output"
        fields(lower, f"pair {key} {'at' if 'at' in lower else 'between'}")
        need(read_pair(lower["pair"]) in compared, "a pair that is not compared", Rejected)
        need(low is not None or upper == [], "nothing is bounded")
        event = set(indices(lower[key] if delta else [lower[key]], len(outputs)))
        points = [lower["at"]] if "at" in lower else items(lower["between"])
        need("at" in lower or len(points) == 2, "a segment has two ends")
        return _needs(_ends(cone, cell(lower["pair"], event), points), low.alpha if low else None)

    nothing = evidence["lower"] is None and upper == []
    need(compared or nothing, "nothing is compared", Rejected)
    return settle(claim["leakage"], level, not compared, holds, needs)


def read_cone(relation: Any, model: Any) -> Cone:
    """The class of priors."""
    priors, size = relation["priors"], len(model["worlds"])
    need(relation["rule"] == "secrets", "no secrets")
    if priors["class"] == "hull":
        fields(priors, "class priors")
        weights = list(map(numbers, items(priors["priors"])))
        fit = all(len(p) == size and min(p) >= 0 and sum(p) == 1 for p in weights)
        need(fit, "a prior is no distribution on the worlds", Rejected)
        return Cone(len(weights), [], whole(weights)[0])
    need(priors["class"] == "constraints", "a class is hull or constraints")
    fields(priors, "class rows")
    rows: list[Row] = []
    for row in items(priors["rows"]):
        fields(row, "sense coefficients")
        need(row["sense"] in ("<=", "="), "a row is <= 0 or = 0")
        stated = mapping(row["coefficients"])
        groups = {int(number(g)): indices(ks, size) for g, ks in stated.items()}
        need(list(map(str, groups)) == list(stated), "coefficients are integers")
        rows.append((row["sense"] == "=", groups))
    return Cone(size, rows, None)


def whole(rows: Sequence[Sequence[Fraction]]) -> Cell:
    """Rows times their common denominator, and that."""
    unit = denominator(x for row in rows for x in row)
    return [[x.numerator * (unit // x.denominator) for x in row] for row in rows], unit


def _ends(cone: Cone, cell: Cell, points: Any) -> tuple[Any, Any]:
    """A, B, C, D at one point of the cone, given twice, or at two."""
    found = [whole([numbers(point)])[0][0] for point in points]
    need(all(map(cone.has, found)), "a point is no prior of the class", Rejected)
    sums = [[sum(x * v for x, v in zip(p, part, strict=True)) for part in cell[0]] for p in found]
    first, last = sums * 2 if len(sums) == 1 else sums
    return first, last


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
    (a, b, c, d), unit = cell
    start = Fraction(0)
    for low, high, at_low, at_high in pieces:
        need(number(low) == start, "a piece is missing", Rejected)
        ends = []
        for p, multipliers in ((number(low), at_low), (number(high), at_high)):
            *ys, mu, nu = numbers(multipliers)
            terms = [(1 - p, a), (-alpha * p, c), (-mu, b), (-nu, d)]
            if not cone.bounds(terms, [y * unit for y in ys]):
                return False
            ends.append((mu, 1 - p, -nu, p))
        if not _below(ends[0], ends[1], ONE):
            return False
        start = number(high)
    return start == 1


def _needs(ends: tuple[Any, Any], alpha: Fraction | None) -> bool:
    """Whether no level below alpha (None: none at all) is enough: there is a point with at least
    this ratio, or where mixtures approach it towards the first end; or they fail at alpha."""
    p, q = ends
    (n, d), own = _form(p, q), _form(p, p)
    if alpha is None:
        return bool(n > 0 == d) and (p == q or own == (0, 0))
    if p == q:
        return bool(p[1] * p[3] > 0 and (alpha == 1 or (n >= alpha * d and n > 0)))
    return not _below(p, q, alpha) or (own == (0, 0) and bool(n == alpha * d > 0))
