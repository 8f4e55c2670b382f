"""What priors make possible, and powers: the checker against the definitions, spelled out."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from math import prod
from operator import contains
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.checker.document import Refused, Rejected
from verifier.checker.levels import Level
from verifier.checker.powers import sign
from verifier.checker.reading import Model
from verifier.checker.supports import Supports, read_supports

Json = dict[str, Any]
Sides = tuple[set[int], set[int]]  # the possible worlds of s, and of t
VALUES = [0, 1, 2]


def subsets(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All but the empty one."""
    return chain.from_iterable(combinations(items, k + 1) for k in range(len(items)))


def cut(possible: set[int], secrets: Json) -> Sides:
    return possible & set(secrets["s"]), possible & set(secrets["t"])


def of_list(priors: Any, rows: Any, secrets: Json) -> Iterator[Sides]:
    for prior in priors["priors"]:
        yield cut({w for w, p in enumerate(prior) if Fraction(p)}, secrets)


def of_hull(priors: Any, rows: Any, secrets: Json) -> Iterator[Sides]:
    for chosen in subsets(priors["priors"]):
        yield cut({w for p in chosen for w, x in enumerate(p) if Fraction(x)}, secrets)


def of_product(priors: Any, rows: Any, secrets: Json) -> Iterator[Sides]:
    for values in product(subsets(VALUES), repeat=len(rows[0])):
        inside = (all(x in v for x, v in zip(row, values, strict=True)) for row in rows)
        yield cut({w for w, fits in enumerate(inside) if fits}, secrets)


def of_iid(priors: Any, rows: Any, secrets: Json) -> Iterator[Sides]:
    for values in subsets(VALUES):
        yield cut({w for w, row in enumerate(rows) if set(row) <= set(values)}, secrets)


def of_all(priors: Any, rows: Any, secrets: Json) -> Iterator[Sides]:
    for worlds in subsets(range(len(rows))):
        yield cut(set(worlds), secrets)


def of_hedging(priors: Any, rows: Any, secrets: Json) -> Iterator[Sides]:
    """Given the value of a record, the likelihood of the others is (1-a) prod f + a prod known."""
    known = {value: Fraction(p) for (value,), p in priors["known"]}
    for values in subsets(list(known)):
        a, f = Fraction(priors["weight"]), dict.fromkeys(values, Fraction(1, len(values)))
        sides = []
        for name in ("s", "t"):
            (at,) = {
                i
                for i in range(len(rows[0]))
                if secrets[name]
                == [w for w, r in enumerate(rows) if r[i] == rows[secrets[name][0]][i]]
            }
            others = {w: rows[w][:at] + rows[w][at + 1 :] for w in secrets[name]}
            sides.append(
                {
                    w
                    for w, row in others.items()
                    if (1 - a) * prod(f.get(x, 0) for x in row) + a * prod(known[x] for x in row)
                }
            )
        yield sides[0], sides[1]


def of_markov(priors: Any, rows: Any, secrets: Json) -> Iterator[Sides]:
    """Any chain within the intervals: here at the ends and in the middle of what two values leave
    open."""

    def chains(row: Any) -> list[list[Fraction]]:
        (a, b), (c, d) = ([Fraction(x) for x in ends] for ends in row)
        low, high = max(a, 1 - d), min(b, 1 - c)
        return [[first, 1 - first] for first in (low, (low + high) / 2, high)]

    still = priors["initial"] == "stationary"
    begin = [] if still else [priors["initial"]]
    for chosen in product(*map(chains, [*begin, *priors["transition"]])):
        steps = chosen[-2:]
        first = [steps[1][0], steps[0][1]] if still else chosen[0]
        possible = set()
        for w, row in enumerate(rows):
            moves = pairwise(row)
            if first[row[0]] * prod(steps[x][y] for x, y in moves):
                possible.add(w)
        yield cut(possible, secrets)


SIDES = {
    "list": of_list,
    "hull": of_hull,
    "product": of_product,
    "iid": of_iid,
    "all": of_all,
    "hedging": of_hedging,
    "markov": of_markov,
}


def weights(draw: Any, size: int, among: Sequence[int] | None = None) -> list[str]:
    """A distribution, often 0."""
    parts = [
        draw(st.sampled_from([0, 0, 1, 2])) if w in (among or range(size)) else 0
        for w in range(size)
    ]
    if not any(parts):
        parts[draw(st.sampled_from(list(among or range(size))))] = 1
    return [str(Fraction(part, sum(parts))) for part in parts]


@st.composite
def classes(draw: st.DrawFn, name: str) -> tuple[Json, list[list[int]], Json]:
    """A class, the records of some worlds, and two secrets."""
    values = VALUES[:2] if name == "markov" else VALUES
    everything = [
        list(row) for row in product(values, repeat=draw(st.sampled_from([1, 2, 2, 2, 3])))
    ]
    some = st.lists(st.sampled_from(everything), min_size=2, max_size=7, unique_by=tuple)
    rows = draw(some)
    worlds = range(len(rows))
    side = draw(st.lists(st.sampled_from("stn"), min_size=len(rows), max_size=len(rows)))
    secrets = {name: [w for w in worlds if side[w] == name] for name in "st"}
    priors: Json = {"class": name}
    if name in ("list", "hull"):
        priors["priors"] = [weights(draw, len(rows)) for _ in range(draw(st.integers(1, 3)))]
    if name == "hedging":
        occurring = sorted({x for row in rows for x in row})
        known = weights(draw, len(occurring))
        priors["weight"] = draw(st.sampled_from(["0", "1/3", "1"]))
        priors["known"] = [[[x], p] for x, p in zip(occurring, known, strict=True)]
        found: dict[tuple[int, ...], int] = {}
        for i in range(len(rows[0])):
            for x in occurring:
                chosen = tuple(w for w in worlds if rows[w][i] == x)
                found[chosen] = found.get(chosen, 0) + 1
        single = [chosen for chosen, times in found.items() if chosen and times == 1]
        pairs = [(s, t) for s in single for t in single if not {*s} & {*t}]
        s, t = draw(st.sampled_from(pairs)) if pairs else ((), ())
        secrets = {"s": list(s), "t": list(t)}
    if name == "markov":
        first = st.sampled_from(
            [["0", "0"], ["1", "1"], ["1/4", "1/2"], ["1/3", "1/3"], ["1/9", "1"], ["0", "1/2"]]
        )
        rest = {"0": ["1/2", "1"], "1": ["0", "1"]}  # from 0, and to 1, may be either
        drawn = [draw(first) for _ in range(3)]
        full = [[ends, rest.get(ends[0], ["1/3", "3/4"])] for ends in drawn]
        priors |= {"values": [[0], [1]], "initial": full[0], "transition": full[1:]}
        never_moves = drawn[1][0] == "1" and drawn[2][0] == "0"  # such a chain is refused
        if draw(st.booleans()) and not never_moves:
            priors["initial"] = "stationary"
    return priors, rows, secrets


def supports_of(priors: Json, rows: Any, secrets: Json) -> Supports:
    relation = {"rule": "secrets", "secrets": secrets, "pairs": [], "priors": priors}
    worlds = list(map(str, range(len(rows))))
    model = Model({"worlds": worlds, "records": rows, "entries_per_record": 1})
    return read_supports(relation, model, secrets)


def covers(priors: Json, rows: Any, secrets: Json, *asked: Any) -> bool:
    try:
        supports_of(priors, rows, secrets).cover(*asked)
    except Rejected:
        return False
    return True


@st.composite
def bases_of(draw: st.DrawFn, others: list[int]) -> list[frozenset[int]]:
    base = st.frozensets(st.sampled_from(others), min_size=1, max_size=2)
    return draw(st.lists(base, max_size=4, unique=True))


@pytest.mark.parametrize("name", SIDES)
@examples(50)
@given(data=st.data())
def test_what_priors_make_possible(name: str, data: Any) -> None:
    """Every set that the definition allows, against bases that are drawn, and those that fit."""
    priors, rows, secrets = data.draw(classes(name))
    if not secrets["s"] or not secrets["t"]:
        return
    sides = list(SIDES[name](priors, rows, secrets))
    for world in secrets["s"]:
        possible = [t for s, t in sides if world in s and t]
        least = [frozenset(t) for t in possible if not any(other < t for other in possible)]
        for bases in (data.draw(bases_of(secrets["t"])), least, least[:-1]):
            holds = all(any(base <= t for base in bases) for t in possible)
            expected = holds and bool(bases) == bool(possible)
            assert covers(priors, rows, secrets, world, "s", "t", bases, []) == expected


@examples(50)
@given(data=st.data())
def test_what_conditionals_make_possible(data: Any) -> None:
    size = 5
    secrets = {"s": [0, 1], "t": [2, 3, 4]}
    attackers = [
        {
            name: weights(data.draw, size, secrets[name])
            for name in data.draw(st.sampled_from(["st", "s", "t"]))
        }
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    for world in secrets["s"]:
        possible = [
            {w for w in secrets["t"] if Fraction(given["t"][w])}
            for given in attackers
            if len(given) == 2 and Fraction(given["s"][world])
        ]
        bases = data.draw(bases_of(secrets["t"]))
        holds = all(any(base <= t for base in bases) for t in possible)
        found = covers(
            {"class": "conditionals", "priors": attackers},
            [[w] for w in range(size)],
            secrets,
            world,
            "s",
            "t",
            bases,
            [],
        )
        assert found == (holds and bool(bases) == bool(possible))


def path(start: int, ends: frozenset[int], rules: list[tuple[int, int]]) -> list[int] | None:
    """The rules x_i <= x_j that lead from a world to one of the ends; None if none do."""
    ways: dict[int, list[int]] = {start: []}
    for here in (queue := [start]):
        for at, (i, j) in enumerate(rules):
            if i == here and j not in ways:
                ways[j] = [*ways[here], at]
                queue.append(j)
    return next((way for end, way in ways.items() if end in ends), None)


@examples(60)
@given(data=st.data())
def test_what_constraints_make_possible(data: Any) -> None:
    """Constraints x_i <= x_j: a set is possible if it is closed. Multipliers add up such paths to
    the worlds of a transversal that the bases miss."""
    size = data.draw(st.integers(3, 6))
    worlds = list(range(size))
    half = data.draw(st.integers(1, size - 1))
    secrets = {"s": worlds[:half], "t": worlds[half:]}
    rules = data.draw(st.lists(st.permutations(worlds).map(lambda p: (p[0], p[1])), max_size=5))
    rows = [{"sense": "<=", "coefficients": {"1": [i], "-1": [j]}} for i, j in rules]
    closed = [set(x) for x in subsets(worlds) if all(j in x for i, j in rules if i in x)]
    world, bases = data.draw(st.sampled_from(secrets["s"])), data.draw(bases_of(secrets["t"]))
    leaves = []
    for missed in dict.fromkeys(map(frozenset, product(*map(sorted, bases)))):
        for key, zero in (("world", [world]), ("others", secrets["t"])):
            ways = [path(w, missed, rules) for w in zero]
            used = [at for way in ways if way for at in way]
            leaf = {key: [str(used.count(at)) for at in range(len(rules))]}
            if None not in ways:
                break
        leaves.append(leaf)
    possible = [x & {*secrets["t"]} for x in closed if world in x and x & {*secrets["t"]}]
    holds = all(any(base <= t for base in bases) for t in possible)
    priors = {"class": "constraints", "rows": rows}
    found = covers(priors, [[w] for w in worlds], secrets, world, "s", "t", bases, [leaves])
    assert found == holds


@pytest.mark.parametrize("name", SIDES)
@examples(50)
@given(data=st.data())
def test_priors_that_are_accepted_are_possible(name: str, data: Any) -> None:
    """Whatever is accepted has a support of the class."""
    priors, rows, secrets = data.draw(classes(name))
    if not secrets["s"] or not secrets["t"]:
        return
    supports = supports_of(priors, rows, secrets)
    sides = list(SIDES[name](priors, rows, secrets))
    drawn = [Fraction(p) for p in weights(data.draw, len(rows))]
    given_ones = [[Fraction(p) for p in prior] for prior in priors.get("priors", [])]
    uniform = [
        [Fraction(w in side, len(side)) for w in range(len(rows))]
        for side in (s | t for s, t in sides if s and t)
    ]
    for prior in (drawn, *given_ones, *uniform):
        for world in secrets["s"]:
            support = cut({w for w, p in enumerate(prior) if p}, secrets)
            if world in support[0] and support[1] and supports.has(prior, world, "s", "t"):
                assert support in sides


@examples(50)
@given(data=st.data())
def test_uniform_priors_on_the_values_of_two_worlds_are_accepted(data: Any) -> None:
    """Where records are independent; and no others that have weight on the same worlds."""
    name = data.draw(st.sampled_from(["product", "iid"]))
    priors, rows, secrets = data.draw(classes(name))
    supports = supports_of(priors, rows, secrets)
    for world, other in product(secrets["s"], secrets["t"]):
        both = [*zip(rows[world], rows[other], strict=True)]
        allowed = both if name == "product" else [{*rows[world], *rows[other]}] * len(both)
        fits = [all(map(contains, allowed, row)) for row in rows]
        prior = [Fraction(fit, sum(fits)) for fit in fits]
        assert supports.has(prior, world, "s", "t")
        inside = [w for w in secrets["s"] if prior[w]]
        if len(inside) > 1:
            prior[inside[0]] *= Fraction(2, 3)
            assert not supports.has(prior, world, "s", "t")


def test_intervals_that_leave_a_choice() -> None:
    """The other world is possible with some chains; a stationary chain that never moves is none."""
    rows, secrets = [[0, 0], [1, 1]], {"s": [0], "t": [1]}
    fixed = [["1/2", "1/2"], ["1/2", "1/2"]]
    for row in ([["0", "1"], ["0", "1"]], [["0", "1/2"], ["1/2", "1"]]):
        for at in range(3):
            three = [*([fixed] * at), row, *([fixed] * (2 - at))]
            priors = {
                "class": "markov",
                "values": [[0], [1]],
                "initial": three[0],
                "transition": three[1:],
            }
            assert not covers(priors, rows, secrets, 0, "s", "t", [], [])
            assert covers(priors, rows, secrets, 0, "s", "t", [frozenset([1])], [])
    still = {"class": "markov", "values": [[0], [1]], "initial": "stationary"}
    free = [["0", "1"], ["0", "1"]]
    with pytest.raises(Refused, match="several stationary"):
        covers({**still, "transition": [free, free]}, rows, secrets, 0, "s", "t", [], [])
    for row in ([["0", "1/2"], ["0", "1/3"]], [["2/3", "1"], ["1/2", "1"]]):
        priors = {
            "class": "markov",
            "values": [[0], [1]],
            "initial": row,
            "transition": [fixed] * 2,
        }
        assert not covers(priors, rows, secrets, 0, "s", "t", [], [])


NUMBERS = st.one_of(
    st.fractions(Fraction(1, 50), 50, max_denominator=60),
    st.integers(10**20, 10**20 + 5).map(lambda n: Fraction(n, 10**20)),
    st.sampled_from([Fraction(2**9, 3**4), Fraction(6), Fraction(1, 12)]),
)


@examples(60)
@given(powers=st.lists(st.tuples(NUMBERS, st.integers(-12, 12)), max_size=5))
def test_signs_of_products(powers: list[tuple[Fraction, int]]) -> None:
    """Against the product itself; with its inverse, also by other factors, it is 1."""
    whole = prod((r**k for r, k in powers), start=Fraction(1))
    assert sign(powers) == (whole > 1) - (whole < 1)
    assert sign([*powers, (1 / whole, 1)]) == 0
    assert sign([*((r, 3 * k) for r, k in powers), (whole, -3)]) == 0
    assert sign([*powers, (1 / whole, 1), (1 + Fraction(1, 10**60), 1)]) == 1


@examples(60)
@given(powers=st.lists(st.tuples(NUMBERS, st.integers(-12, 12)), max_size=4), data=st.data())
def test_signs_against_powers_of_e(powers: list[tuple[Fraction, int]], data: Any) -> None:
    """As the comparison of two numbers says."""
    epsilon = data.draw(st.fractions(Fraction(1, 9), 40, max_denominator=30))
    whole = prod((r**k for r, k in powers), start=Fraction(1))
    assert sign(powers, epsilon) == Level(None, epsilon).compare(whole, Fraction(1))
    assert sign(powers, -epsilon) == -Level(None, epsilon).compare(1 / whole, Fraction(1))
