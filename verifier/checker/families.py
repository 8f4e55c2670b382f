"""Priors whose probabilities are polynomials in unknown distributions, re-derived from the worlds.

A family says, for each secret, the weight of each of its worlds: a polynomial in one variable per
value of each unknown distribution, homogeneous in each group of variables, >= 0 where they are.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise, product
from math import comb, prod
from typing import Any

from .level import ONE
from .reading import (
    Rejected,
    afford,
    fields,
    indices,
    items,
    mapping,
    need,
    number,
    read_records,
)
from .relation import read_pairs, read_secrets

MOST_VALUES = 30  # of a chain: more have too many maps of transitions
Polynomial = dict[tuple[int, ...], Any]  # exponents, one per variable -> coefficient
# sizes of the groups; secret -> its worlds -> their weights; ordered pairs of secrets
Family = tuple[list[int], dict[str, dict[int, Polynomial]], list[tuple[str, str]]]


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product."""
    found: Polynomial = {}
    for m, x in p.items():
        for n, y in q.items():
            both = tuple(map(sum, zip(m, n, strict=True)))
            found[both] = found.get(both, 0) + x * y
    return found


def power(p: Polynomial, times: int, count: int) -> Polynomial:
    """p^times, in `count` variables."""
    return reduce(multiply, [p] * times, {(0,) * count: ONE})


def linear(coefficients: Sequence[Any], start: int, count: int) -> Polynomial:
    """The linear form with these coefficients of the variables from `start` on."""
    unit = [tuple(int(k == start + v) for k in range(count)) for v in range(len(coefficients))]
    return {m: x for m, x in zip(unit, coefficients, strict=True) if x}


def _independent(relation: Any, model: Any) -> Family:
    """iid: one unknown distribution of all records; product: one for each record."""
    fields(relation["priors"], "class")
    rows, one = read_records(model), relation["priors"]["class"] == "iid"
    tagged = [[(0 if one else i, record) for i, record in enumerate(row)] for row in rows]
    variables = sorted({variable for row in tagged for variable in row})
    afford(20 * len(rows) * len(variables))
    powers = [tuple(map(Counter(row).__getitem__, variables)) for row in tagged]
    known = {m: {m: ONE} for m in powers}
    found: list[Polynomial] = [known[m] for m in powers]
    return list(Counter(group for group, _ in variables).values()), *_joint(relation, model, found)


def read_value(value: Any) -> tuple[int, ...]:
    """The entries of a record."""
    return tuple(indices(value, 2**60, low=-1))


def read_values(listed: Any) -> dict[tuple[int, ...], int]:
    """Different values, numbered."""
    found = {read_value(value): code for code, value in enumerate(items(listed))}
    need(len(found) == len(listed), "a value stands twice")
    return found


def read_known(priors: Any, model: Any) -> tuple[Fraction, dict[tuple[int, ...], Fraction]]:
    """The weight of the known distribution of hedging priors, and its value for each record."""
    listed = items(priors["known"], 2)
    values = read_values([value for value, _ in listed])
    known = dict(zip(values, [number(p) for _, p in listed], strict=True))
    occurring = {record for row in read_records(model) for record in row}
    need(occurring == set(known), "the known distribution is of other values")
    a = number(priors["weight"])
    fits = 0 <= a <= 1 and min(known.values()) >= 0 and sum(known.values()) <= 1
    need(fits, "no weight, or no distribution", Rejected)
    return a, known


def _joint(relation: Any, model: Any, weights: list[Polynomial]) -> Any:
    """Every world has one weight, whatever the secret."""
    secrets, pairs = read_secrets(relation, model)
    return {name: {w: weights[w] for w in worlds} for name, worlds in secrets.items()}, pairs


def _hedging(relation: Any, model: Any) -> Family:
    """Given a value of record i, the others have (1-a) prod f + a prod known; given nothing, all
    have. Only worlds of the model count."""
    fields(relation, "rule secrets pairs priors")
    fields(relation["priors"], "class weight known")
    rows, (a, known) = read_records(model), read_known(relation["priors"], model)
    values = sorted(known)
    afford(len(rows) * len(values) * comb(len(rows[0]) + len(values), len(values)))
    everyone = linear([ONE] * len(values), 0, len(values))
    totals = [power(everyone, len(rows[0]) - less, len(values)) for less in (0, 1)]

    @cache
    def weight(others: Sequence[Any]) -> Polynomial:
        likely = a * prod(map(known.__getitem__, others))
        found = {m: likely * x for m, x in totals[len(rows[0]) - len(others)].items()}
        unknown = tuple(map(Counter(others).__getitem__, values))
        found[unknown] += 1 - a
        return {m: x for m, x in found.items() if x}

    weights = {}
    afford(10 * len(mapping(relation["secrets"])) * len(rows) * len(rows[0]))
    for name, given in relation["secrets"].items():
        if given is None:
            weights[name] = {w: weight(tuple(sorted(row))) for w, row in enumerate(rows)}
        else:
            fields(given, "record value")
            (i,), value = indices([given["record"]], len(rows[0])), read_value(given["value"])
            inside = [(w, row) for w, row in enumerate(rows) if row[i] == value]
            rest = {w: sorted(row[:i] + row[i + 1 :]) for w, row in inside}
            weights[name] = {w: weight(tuple(others)) for w, others in rest.items()}
    return [len(values)], weights, read_pairs(relation)


def _markov(relation: Any, model: Any) -> Family:
    """Rows of probabilities within intervals: mixtures of the corners, one group for each row."""
    fields(relation["priors"], "class values initial transition")
    priors, rows = relation["priors"], read_records(model)
    codes, still = read_values(priors["values"]), priors["initial"] == "stationary"
    size, lists = (
        len(codes),
        [*([] if still else [priors["initial"]]), *items(priors["transition"])],
    )
    need(len(lists) == size + (not still), "not one row for each value")
    need(size <= MOST_VALUES, "too many values")
    afford(size**size * len(lists))
    corners = [_corners(row, size) for row in lists]
    sizes, steps = list(map(len, corners)), len(rows[0]) - 1
    count, first = sum(sizes), len(lists) - size
    afford(len(rows) * steps * prod(comb(steps + n, n) for n in sizes))
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    forms = [
        [linear([point[code] for point in found], start, count) for code in range(size)]
        for start, found in zip(starts, corners, strict=True)
    ]
    sums = [linear([ONE] * n, start, count) for start, n in zip(starts, sizes, strict=True)]
    one = power({}, 0, count)

    def into(root: int) -> Polynomial:
        """The stationary weight of a value: trees of transitions into it."""
        found: Polynomial = {}
        for tree in trees(root, size):
            for m, x in reduce(multiply, [forms[v][w] for v, w in tree.items()], one).items():
                found[m] = found.get(m, 0) + x
        return found

    begin = [into(code) for code in range(size)] if still else forms[0]

    def path(row: Sequence[Any]) -> Polynomial:
        """The initial weight, the transitions, and sums up to the same degree for all paths."""
        visited = [codes[record] for record in row]
        left = {code: steps - visited[:-1].count(code) for code in range(size)}
        if still:
            left = {code: n + (code == visited[0]) for code, n in left.items()}
        factors = [forms[first + before][after] for before, after in pairwise(visited)]
        factors += [sums[first + code] for code, n in left.items() for _ in range(n)]
        return reduce(multiply, factors, begin[visited[0]])

    return sizes, *_joint(relation, model, list(map(path, rows)))


def _corners(row: Any, size: int) -> list[tuple[Fraction, ...]]:
    """The corners of the distributions within intervals: all but one probability at an end."""
    ends = [(number(low), number(high)) for low, high in items(row, 2)]
    fits = len(ends) == size and all(0 <= low <= high <= 1 for low, high in ends)
    need(fits, "an interval is [low, high], one for each value", Rejected)
    found: set[tuple[Fraction, ...]] = set()
    for at, (low, high) in enumerate(ends):
        for chosen in product(*ends[:at], *ends[at + 1 :]):
            if low <= ONE - sum(chosen) <= high:
                found.add((*chosen[:at], ONE - sum(chosen), *chosen[at:]))
    need(found, "no distribution is within the intervals", Rejected)
    return sorted(found)


def trees(root: int, size: int) -> Iterator[dict[int, int]]:
    """Every way to go from each other value to another one that leads to the root."""
    others = [code for code in range(size) if code != root]
    for targets in product(range(size), repeat=size - 1):
        tree = dict(zip(others, targets, strict=True))
        ends = set(others)
        for _ in range(size):
            ends = {tree.get(code, code) for code in ends}
        if ends <= {root}:
            yield tree


FAMILIES: dict[str, Callable[[Any, Any], Family]] = {
    "iid": _independent,
    "product": _independent,
    "hedging": _hedging,
    "markov": _markov,
}
