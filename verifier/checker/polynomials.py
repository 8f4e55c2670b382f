"""Certificates of kind "polynomials": P(o | s) <= alpha P(o | t) under all priors of a family whose
probabilities are polynomials in unknown distributions; with delta, the same for events.

With A, B, C, D = P(s, o), P(s), P(t, o), P(t), n - alpha d must be nowhere positive where all
variables are >= 0, n = A D and d = C B (docs/certificate.md). No sum of a group is 1: both sides
of the condition have the same degree in each group.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations
from math import comb, prod
from typing import Any, NamedTuple

from .families import FAMILIES, Family, Polynomial, multiply, same, slices, summed
from .reading import (
    MAX_DIGITS,
    ONE,
    ZERO,
    Level,
    Table,
    afford,
    denominator,
    fields,
    grouped,
    indices,
    items,
    need,
    numbers,
    prove,
    read_claim,
    read_table,
)
from .relation import read_pair

Event = tuple[int, ...]
Key = tuple[str, str, Event]  # two secrets, and outputs
NEVER = 2**99  # the order of what is 0


class Condition(NamedTuple):
    """n <= alpha d, for integer polynomials n and d."""

    n: Polynomial
    d: Polynomial


def check_polynomials(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the definition of a `claim` holds in a `model` for a `relation`, if the `witness`
    proves the leakage; else raise."""
    asked, (lower, upper) = read_claim(claim), fields(witness, "lower upper")
    need(relation["rule"] == "secrets", "no secrets")
    family = FAMILIES[relation["priors"]["class"]](relation, model)
    conditions, groups = dict(_conditions(family, read_table(model), asked.delta)), family.groups
    trees = _read_trees(upper)
    need(trees.keys() <= conditions.keys(), "a proof about nothing")
    afford(sum(_steps(tree, conditions[key], groups) for key, tree in trees.items()))
    reached = ONE if lower is None else _reached(lower, conditions, groups)
    need(not trees or (asked.leakage and "infinite" not in asked.leakage), "a proof of no level")
    if asked.leakage is None:
        enough = reached is None or asked.level.compare(reached, ONE) > 0
        prove(enough, "the witness does not violate the level")
        return False

    def holds(at: Level) -> bool:
        a, b = (at.alpha or ONE).as_integer_ratio()  # what holds at 1 holds at any e^epsilon
        return all(
            _proved(summed([(n, b), (d, -a)]), trees.get(key, 0), groups)
            for key, (n, d) in conditions.items()
        )

    def needs(at: Level | None) -> bool:
        return reached is None or (at is not None and at.alpha is not None and reached >= at.alpha)

    return asked.settle(not conditions, holds, needs, wide=True)


def _conditions(family: Family, table: Table, delta: Fraction) -> Iterator[tuple[Key, Condition]]:
    """For each ordered pair of secrets that some prior makes possible, and each output; with delta,
    each event."""
    outputs = range(len(table.columns[0]))
    afford(2 ** len(outputs) * len(family.pairs) if delta else 0)
    sizes = range(1, len(outputs) + 1 if delta else 2)
    events = list(chain.from_iterable(combinations(outputs, size) for size in sizes))
    joint = {name: _joint(weights, table) for name, weights in family.weights.items()}
    afford(sum(len(joint[s][0]) * len(joint[t][0]) for s, t in family.pairs) * len(events))
    up, down = delta.as_integer_ratio()
    for s, t in family.pairs:
        (b, *p), (d, *q) = joint[s], joint[t]
        for event in events if b and d else ():
            a, c = (summed((x[o], down) for o in event) for x in (p, q))
            n = summed([(multiply(a, d), 1), (multiply(b, d), -up)])
            yield (s, t, event), Condition(n, multiply(c, b))


def _joint(weights: dict[int, Polynomial], table: Table) -> list[Polynomial]:
    """P(s) and P(s, o) for each output o, all times one integer. The chances of worlds whose weight
    is one object are added up first."""
    worlds, size = list(weights), len(table.columns[0])
    alike = [[worlds[k] for k in ks] for ks in grouped(map(id, weights.values())).values()]
    terms = sum(len(weights[members[0]]) for members in alike)
    afford((size + 1) * (10 * terms + len(worlds)))
    means = [[ONE, *table.mean(dict.fromkeys(members, 1))] for members in alike]
    parts = [(weights[ws[0]], len(ws), mean) for ws, mean in zip(alike, means, strict=True)]
    sums = [summed((p, n * mean[k]) for p, n, mean in parts) for k in range(size + 1)]
    unit = denominator(x for p in sums for x in p.values())
    return [{m: int(x * unit) for m, x in p.items() if x} for p in sums]


def _read_trees(upper: Any) -> dict[Key, Any]:
    """The tree of each ordered pair and event that has one."""
    found = {_key(*fields(part, "pair outputs tree")[:2]): part["tree"] for part in items(upper)}
    need(len(found) == len(upper), "two proofs of one condition")
    return found


def _key(pair: Any, outputs: Any) -> Key:
    return (*read_pair(pair), tuple(indices(outputs, 2**60)))


def _steps(tree: Any, condition: Condition, groups: list[int]) -> int:
    """A bound of the terms that a tree makes, times their degree, and more where it makes their
    coefficients long."""
    terms = [m for p in condition for m in p]
    degrees = [max(sum(m[part]) for m in terms) for part in slices(groups)]
    most = prod(comb(k + size - 1, k) for k, size in zip(degrees, groups, strict=True))
    return _nodes(tree, 0, sum(degrees)) * most * (1 + max(degrees))


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


def _reached(lower: Any, conditions: dict[Key, Condition], groups: list[int]) -> Fraction | None:
    """The limit of n / d along x = point t^powers for t -> 0+; None is infinite."""
    pair, outputs, listed, powers = fields(lower, "pair outputs point powers")
    (n, d), point = conditions[_key(pair, outputs)], numbers(listed)
    bits = max(max(map(int.bit_length, x.as_integer_ratio())) for x in point)
    bits *= max(map(sum, (*n, *d)))  # of the largest term
    afford((len(n) + len(d)) * (10 * len(point) + bits // 10 + bits * bits // 60000))
    indices(powers, 2**60)
    need(len(point) == len(powers) == sum(groups) and min(point) >= 0, "no point")
    need(all(any(point[part]) for part in slices(groups)), "a distribution of sum 0")
    (order, top), (below, bottom) = _leading(n, point, powers), _leading(d, point, powers)
    prove(order < NEVER and top > 0 and order <= below, "the witness proves nothing")
    return Fraction(top, bottom) if order == below else None


def _leading(p: Polynomial, point: list[Fraction], powers: list[int]) -> tuple[int, Fraction]:
    """The lowest power of t in p at point t^powers, and its coefficient."""
    orders: dict[int, Fraction] = {}
    for m, c in p.items():
        order = sum(e * k for e, k in zip(m, powers, strict=True))
        term = c * prod(x**e for e, x in zip(m, point, strict=True))
        orders[order] = orders.get(order, ZERO) + term
    return min((order, x) for order, x in [*orders.items(), (NEVER, ONE)] if x)


def _proved(p: Polynomial, tree: Any, groups: list[int]) -> bool:
    """Whether the tree proves p <= 0 where all variables are >= 0: no coefficient is positive; or
    p is so as `_simpler` is; or on both sides of x_i / x_j = a / b."""
    if type(tree) is int:
        return tree == 0 and all(x <= 0 for x in p.values())
    if type(tree) is dict:
        rest = _simpler(p, tree, sum(groups))
        return rest is not None and _proved(rest, tree["tree"], groups)
    i, j, a, b, left, right = items(tree)
    indices([i, j], sum(groups))
    need(
        i != j and any({i, j} <= {*range(sum(groups))[part]} for part in slices(groups)), "no edge"
    )
    return _proved(_cut(p, i, j, a, b), left, groups) and _proved(
        _cut(p, j, i, b, a), right, groups
    )


def _simpler(p: Polynomial, tree: Any, count: int) -> Polynomial | None:
    """A polynomial that is nowhere positive just where p is, if the tree says so rightly: p is a
    square times it, or depends on x_i + x_j only and is this one where x_j = 0."""
    if "merge" in tree:
        i, j = indices(fields(tree, "merge tree")[0], count)
        rest = {m: x for m, x in p.items() if not m[j]}
        return rest if i != j and same(_cut(rest, i, j, 1, 1), p) else None
    square, rest = (_read(part, count) for part in fields(tree, "square rest tree")[:2])
    afford(len(square) ** 2 * len(rest) * 10)
    again = multiply(multiply(square, square), rest)
    scale = next((Fraction(again.get(m, 0), x) for m, x in p.items() if x), ONE)
    return rest if scale > 0 and same(again, p, scale) else None


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
