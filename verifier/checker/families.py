"""Priors whose probabilities are polynomials in unknown distributions, re-derived from the worlds.

A family says, for each secret, the weight of each of its worlds: a polynomial in one variable per
value of each unknown distribution, homogeneous in each group of variables, >= 0 where they are.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate, pairwise, product
from math import comb, prod
from typing import Any

from .reading import (
    ONE,
    afford,
    fields,
    index,
    indices,
    items,
    mapping,
    need,
    number,
    prove,
    read_records,
)
from .relation import Pair, read_pairs, read_secrets

MOST_VALUES = 30  # of a chain: more have too many maps of transitions
Polynomial = dict[tuple[int, ...], Any]  # exponents, one per variable -> coefficient
Value = tuple[int, ...]  # the entries of a record


@dataclass(frozen=True)
class Family:
    """The sizes of the groups of variables; for each secret, its worlds and their weights; and the
    ordered pairs of secrets."""

    groups: list[int]
    weights: dict[str, dict[int, Polynomial]]
    pairs: list[Pair]


def summed(terms: Iterable[tuple[Polynomial, Any]]) -> Polynomial:
    """The sum of polynomial times factor over all `terms`."""
    found: Polynomial = {}
    for p, factor in terms:
        for m, x in p.items() if factor else ():
            found[m] = found.get(m, 0) + factor * x
    return found


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product of `p` and `q`."""
    found: Polynomial = {}
    for m, x in p.items():
        for n, y in q.items():
            both = tuple(map(sum, zip(m, n, strict=True)))
            found[both] = found.get(both, 0) + x * y
    return found


def same(p: Polynomial, q: Polynomial, scale: Any = 1) -> bool:
    """Whether `p` is `scale` times `q`."""
    return all(p.get(m, 0) == scale * q.get(m, 0) for m in (*p, *q))


def slices(groups: Sequence[int]) -> list[slice]:
    """The places of the variables of each of the `groups`, given by their sizes."""
    return [slice(end - size, end) for end, size in zip(accumulate(groups), groups, strict=True)]


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
    known: dict[Value, Polynomial] = {m: {m: ONE} for m in powers}  # one object for equal weights
    groups = list(Counter(group for group, _ in variables).values())
    return _joint(groups, [known[m] for m in powers], relation, model)


def _joint(groups: list[int], weights: list[Polynomial], relation: Any, model: Any) -> Family:
    """Every world has one weight, whatever the secret."""
    secrets, pairs = read_secrets(relation, model)
    inside = {name: {w: weights[w] for w in worlds} for name, worlds in secrets.items()}
    return Family(groups, inside, pairs)


def read_value(value: Any) -> Value:
    """The entries of a record, listed in `value`."""
    return tuple(indices(value, 2**60, low=-1))


def read_values(listed: Any) -> dict[Value, int]:
    """Different values, `listed`, and their numbers."""
    found = {read_value(value): code for code, value in enumerate(items(listed))}
    need(len(found) == len(listed), "a value stands twice")
    return found


def read_known(priors: Any, model: Any) -> tuple[Fraction, dict[Value, Fraction]]:
    """The weight of the known distribution of hedging `priors`, and that distribution, on the
    records of a `model`."""
    _, weight, known = fields(priors, "class weight known")
    values = read_values([value for value, _ in items(known, 2)])
    found = dict(zip(values, [number(p) for _, p in known], strict=True))
    occurring = {record for row in read_records(model) for record in row}
    need(occurring == set(found), "the known distribution is of other values")
    a = number(weight)
    fits = 0 <= a <= 1 and min(found.values()) >= 0 and sum(found.values()) <= 1
    prove(fits, "no weight, or no distribution")
    return a, found


def _hedging(relation: Any, model: Any) -> Family:
    """Given a value of record i, the others have (1-a) prod f + a prod known; given nothing, all
    have. Only worlds of the model count."""
    _, secrets, _, priors = fields(relation, "rule secrets pairs priors")
    rows, (a, known) = read_records(model), read_known(priors, model)
    values, places = sorted(known), len(rows[0])
    afford(len(rows) * len(values) * comb(places + len(values), len(values)))
    everyone = linear([ONE] * len(values), 0, len(values))
    totals = [power(everyone, places - less, len(values)) for less in (0, 1)]

    @cache
    def weight(others: Sequence[Any]) -> Polynomial:
        likely = a * prod(map(known.__getitem__, others))
        found = {m: likely * x for m, x in totals[places - len(others)].items()}
        unknown = tuple(map(Counter(others).__getitem__, values))
        found[unknown] += 1 - a
        return {m: x for m, x in found.items() if x}

    afford(10 * len(mapping(secrets)) * len(rows) * places)
    others = {name: _others(given, rows) for name, given in secrets.items()}
    weights = {name: {w: weight(rest) for w, rest in left.items()} for name, left in others.items()}
    return Family([len(values)], weights, read_pairs(relation))


def _others(given: Any, rows: list[list[Value]]) -> dict[int, tuple[Value, ...]]:
    """The worlds where a record has a value, and their other records, sorted; or all of all."""
    if given is None:
        return {w: tuple(sorted(row)) for w, row in enumerate(rows)}
    record, value = fields(given, "record value")
    i, value = index(record, len(rows[0])), read_value(value)
    inside = ((w, row) for w, row in enumerate(rows) if row[i] == value)
    return {w: tuple(sorted(row[:i] + row[i + 1 :])) for w, row in inside}


@dataclass(frozen=True)
class Chains:
    """Numbered values, and intervals of the probabilities of each transition; of the first value
    too, or none where the chain is stationary."""

    codes: dict[Value, int]
    first: list[Any] | None
    transitions: list[Any]


def read_chains(priors: Any) -> Chains:
    """The chains of `priors` of class markov."""
    _, values, initial, listed = fields(priors, "class values initial transition")
    codes, first = read_values(values), None if initial == "stationary" else initial
    need(len(items(listed)) == len(codes), "not one row for each value")
    return Chains(codes, first, listed)


def _markov(relation: Any, model: Any) -> Family:
    """Rows of probabilities within intervals: mixtures of the corners, one group for each row."""
    chains, rows = read_chains(relation["priors"]), read_records(model)
    size, steps, still = len(chains.codes), len(rows[0]) - 1, chains.first is None
    need(size <= MOST_VALUES, "too many values")
    lists = chains.transitions if still else [chains.first, *chains.transitions]
    afford(size**size * len(lists))
    corners = [_corners(row, size) for row in lists]
    groups = list(map(len, corners))
    afford(len(rows) * steps * prod(comb(steps + n, n) for n in groups))
    forms = [_forms(points, groups, at) for at, points in enumerate(corners)]
    begin, forms = (_stationary(forms, sum(groups)), forms) if still else (forms[0], forms[1:])
    sums = [summed((form, 1) for form in row) for row in forms]

    def weight(row: Sequence[Value]) -> Polynomial:
        """The initial weight, the transitions, and sums up to the same degree for all paths."""
        visited = [chains.codes[record] for record in row]
        left = [steps - visited[:-1].count(code) for code in range(size)]
        left[visited[0]] += still  # its row has no part in a stationary weight
        factors = [forms[before][after] for before, after in pairwise(visited)]
        factors += [p for p, n in zip(sums, left, strict=True) for _ in range(n)]
        return reduce(multiply, factors, begin[visited[0]])

    return _joint(groups, list(map(weight, rows)), relation, model)


def _forms(points: list[tuple[Fraction, ...]], groups: list[int], at: int) -> list[Polynomial]:
    """For each value its probability, a mixture of the corners of a group."""
    start = sum(groups[:at])
    return [linear(column, start, sum(groups)) for column in zip(*points, strict=True)]


def _stationary(forms: list[list[Polynomial]], count: int) -> list[Polynomial]:
    """The stationary weight of each value: trees of transitions into it."""
    found, one = [], power({}, 0, count)
    for root in range(len(forms)):
        ways = ([forms[v][w] for v, w in tree.items()] for tree in trees(root, len(forms)))
        found.append(summed((reduce(multiply, way, one), 1) for way in ways))
    return found


def _corners(row: Any, size: int) -> list[tuple[Fraction, ...]]:
    """The corners of the distributions within intervals: all but one probability at an end."""
    ends = [(number(low), number(high)) for low, high in items(row, 2)]
    fits = len(ends) == size and all(0 <= low <= high <= 1 for low, high in ends)
    prove(fits, "an interval is [low, high], one for each value")
    found: set[tuple[Fraction, ...]] = set()
    for at, (low, high) in enumerate(ends):
        for chosen in product(*ends[:at], *ends[at + 1 :]):
            rest = ONE - sum(chosen)
            if low <= rest <= high:
                found.add((*chosen[:at], rest, *chosen[at:]))
    prove(found, "no distribution is within the intervals")
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
