"""Certificates of kind "polynomials": P(o | s) <= alpha P(o | t) under all priors of a family whose
probabilities are polynomials in unknown distributions; with delta, the same for events.

With A, B, C, D = P(s, o), P(s), P(t, o), P(t), n - alpha d must be nowhere positive where all
variables are >= 0, n = A D and d = C B (docs/certificate.md). No sum of a group is 1: both sides
of the condition have the same degree in each group.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Any

from .families import FAMILIES, Polynomial, multiply
from .level import ONE, Level, read_level, settle
from .reading import (
    MAX_DIGITS,
    Rejected,
    afford,
    denominator,
    fields,
    indices,
    items,
    need,
    numbers,
    read_table,
    total,
)
from .relation import read_pair

Cells = dict[Any, tuple[Polynomial, Polynomial]]


def check_polynomials(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the definition holds, if the evidence proves the leakage; else raise."""
    fields(claim, "definition kind verdict digest level leakage")
    fields(witness, "lower upper")
    (level, delta), leakage, lower = read_level(claim["level"]), claim["leakage"], witness["lower"]
    need(relation["rule"] == "secrets", "no secrets")
    groups, weights, pairs = FAMILIES[relation["priors"]["class"]](relation, model)
    cells = dict(_cells(weights, pairs, read_table(model), delta))
    trees = _read_trees(witness["upper"])
    need(trees.keys() <= cells.keys(), "a proof about nothing")
    afford(sum(_steps(tree, cells[key], groups) for key, tree in trees.items()))
    reached = ONE if lower is None else _reached(lower, cells, groups)
    need(not trees or (leakage and "infinite" not in leakage), "a proof of no level")
    if leakage is None:
        enough = reached is None or level.compare(reached, ONE) > 0
        need(enough, "the witness does not violate the level", Rejected)
        return False

    def holds(at: Level) -> bool:
        a, b = (at.alpha or ONE).as_integer_ratio()  # what holds at 1 holds at any e^epsilon
        return all(
            _proved({m: b * n.get(m, 0) - a * d.get(m, 0) for m in (*n, *d)}, tree, groups)
            for tree, (n, d) in ((trees.get(key, 0), cell) for key, cell in cells.items())
        )

    def needs(at: Level | None) -> bool:
        return reached is None or (at is not None and at.alpha is not None and reached >= at.alpha)

    return settle(leakage, level, not cells, holds, needs, wide=True)


def _read_trees(upper: Any) -> dict[Any, Any]:
    """The tree of each ordered pair and event that has one."""
    for part in items(upper):
        fields(part, "pair outputs tree")
    found = {_key(part): part["tree"] for part in upper}
    need(len(found) == len(upper), "two proofs of one condition")
    return found


def _steps(tree: Any, cell: tuple[Polynomial, Polynomial], groups: list[int]) -> int:
    """A bound of the terms that a tree makes, times their degree, and more where it makes their
    coefficients long."""
    n, d = cell
    degrees, start = [], 0
    for size in groups:
        degrees.append(max(sum(m[start : start + size]) for m in (*n, *d)))
        start += size
    terms = prod(comb(k + size - 1, k) for k, size in zip(degrees, groups, strict=True))
    return _nodes(tree, 0, sum(degrees)) * terms * (1 + max(degrees))


def _nodes(tree: Any, bits: int, degree: int) -> int:
    """The nodes of a tree, each once more for every 1000 digits that coefficients grew by."""
    own = 1 + bits // 1000 + bits * bits // 10**8
    if type(tree) is dict:
        return own + _nodes(tree["tree"], bits, degree)
    if type(tree) is not list:
        return own
    _, _, a, b, left, right = tree
    indices([a, b], 10**3000, low=1)
    bits += max(a, b).bit_length() * degree
    return own + _nodes(left, bits, degree) + _nodes(right, bits, degree)


def _key(place: Any) -> Any:
    return (*read_pair(place["pair"]), tuple(indices(place["outputs"], 2**60)))


def _cells(weights: Any, pairs: Any, table: Any, delta: Fraction) -> Iterator[tuple[Any, Any]]:
    """n and d, integers, for each ordered pair of secrets that some prior makes possible, and each
    output; with delta, each event."""
    values, columns = table
    outputs = range(len(columns[0]))
    afford(2 ** len(outputs) * len(pairs) if delta else 0)
    sizes = range(1, len(outputs) + 1 if delta else 2)
    events = [event for size in sizes for event in combinations(outputs, size)]
    up, down = delta.as_integer_ratio()
    joint = {}
    for name, given in weights.items():
        alike: dict[int, tuple[Polynomial, list[int]]] = {}  # worlds whose weight is one object
        for w, p in given.items():
            alike.setdefault(id(p), (p, []))[1].append(w)
        afford((len(outputs) + 1) * (10 * sum(len(p) for p, _ in alike.values()) + len(given)))
        parts = [[(p, Fraction(len(worlds))) for p, worlds in alike.values()]]
        parts += [
            [(p, total((1, values[columns[w][o]]) for w in worlds)) for p, worlds in alike.values()]
            for o in outputs
        ]
        sums = list(map(_sum, parts))
        unit = denominator(x for p in sums for x in p.values())
        joint[name] = [{m: int(x * unit) for m, x in p.items() if x} for p in sums]
    afford(sum(len(joint[s][0]) * len(joint[t][0]) for s, t in pairs) * len(events))
    for s, t in pairs:
        (b, *p), (d, *q) = joint[s], joint[t]
        for event in events if b and d else ():
            a, c = (_sum([(x[o], down) for o in event]) for x in (p, q))
            yield (
                (s, t, event),
                (_sum([(multiply(a, d), 1), (multiply(b, d), -up)]), multiply(c, b)),
            )


def _sum(parts: Sequence[tuple[Polynomial, Any]]) -> Polynomial:
    found: Polynomial = {}
    for p, factor in parts:
        for m, x in p.items() if factor else ():
            found[m] = found.get(m, 0) + factor * x
    return found


def _reached(lower: Any, cells: Cells, groups: list[int]) -> Fraction | None:
    """The limit of n / d along x = point t^powers for t -> 0+; None is infinite."""
    fields(lower, "pair outputs point powers")
    n, d = cells[_key(lower)]
    point, powers = numbers(lower["point"]), indices(lower["powers"], 2**60)
    bits = max(max(map(int.bit_length, x.as_integer_ratio())) for x in point)
    bits *= max(map(sum, (*n, *d)))  # of the largest term
    afford((len(n) + len(d)) * (10 * len(point) + bits // 10 + bits * bits // 60000))
    starts = [sum(groups[:k]) for k in range(len(groups))]
    inside = [any(point[s : s + size]) for s, size in zip(starts, groups, strict=True)]
    need(len(point) == len(powers) == sum(groups) and min(point) >= 0, "no point")
    need(all(inside), "a distribution of sum 0")

    def leading(p: Polynomial) -> list[Any]:
        orders: dict[int, Fraction] = {}
        for m, c in p.items():
            order = sum(e * k for e, k in zip(m, powers, strict=True))
            term = c * prod(x**e for e, x in zip(m, point, strict=True))
            orders[order] = orders.get(order, Fraction(0)) + term
        return min([order, x] for order, x in [*orders.items(), (2**99, ONE)] if x)

    (order, top), (below, bottom) = leading(n), leading(d)
    need(order < 2**99 and top > 0 and order <= below, "the witness proves nothing", Rejected)
    return Fraction(top, bottom) if order == below else None


def _proved(p: Polynomial, tree: Any, groups: list[int]) -> bool:
    """Whether the tree proves p <= 0 where all variables are >= 0: no coefficient is positive; or
    p is a square times such a polynomial, or depends on x_i + x_j only and is so where x_j = 0; or
    it is so on both sides of x_i / x_j = a / b."""
    if type(tree) is int:
        return tree == 0 and all(x <= 0 for x in p.values())
    if type(tree) is dict and "merge" in tree:
        fields(tree, "merge tree")
        i, j = indices(tree["merge"], sum(groups))
        rest = {m: x for m, x in p.items() if not m[j]}
        again = _cut(rest, i, j, 1, 1)
        equal = i != j and all(again.get(m, 0) == p.get(m, 0) for m in (*again, *p))
        return equal and _proved(rest, tree["tree"], groups)
    if type(tree) is dict:
        fields(tree, "square rest tree")
        square, rest = (_read(part, sum(groups)) for part in (tree["square"], tree["rest"]))
        afford(len(square) ** 2 * len(rest) * 10)
        again = multiply(multiply(square, square), rest)
        scale = next((Fraction(again.get(m, 0), x) for m, x in p.items() if x), ONE)
        equal = scale > 0 and all(again.get(m, 0) == scale * p.get(m, 0) for m in (*again, *p))
        return equal and _proved(rest, tree["tree"], groups)
    i, j, a, b, left, right = items(tree)
    group = [g for g, size in enumerate(groups) for _ in range(size)]
    need(min(indices([i, j], len(group))) >= 0 and i != j and group[i] == group[j], "no edge")
    return _proved(_cut(p, i, j, a, b), left, groups) and _proved(
        _cut(p, j, i, b, a), right, groups
    )


def _read(rows: Any, count: int) -> Polynomial:
    found = {tuple(indices(m, 10**4)): c for c, *m in items(rows, count + 1)}
    need(len(found) == len(rows), "a term stands twice")
    most = 10**MAX_DIGITS
    fits = all(type(c) is int and -most <= c < most for c in found.values())
    need(fits, "a coefficient is an integer, not too long")
    return found


def _cut(p: Polynomial, i: int, j: int, a: int, b: int) -> Polynomial:
    """p at x_i + a x_j and b x_j in place of x_i and x_j: the points with x_i / x_j >= a / b."""
    found: Polynomial = {}
    for m, x in p.items():
        for k in range(m[i] + 1):
            new = list(m)
            new[i], new[j] = m[i] - k, m[j] + k
            at = tuple(new)
            found[at] = found.get(at, 0) + x * comb(m[i], k) * a**k * b ** m[j]
    return found
