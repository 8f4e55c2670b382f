"""Ratios at points of every family, against priors written out by their definition.

A witness without a leakage shows that a level is not enough: it is accepted just below the ratio.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from random import Random
from typing import Any

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import check
from tests.loops import each

Json = dict[str, Any]
Row = tuple[int, ...]
Weigh = Callable[[str, Row], Fraction]  # P(world | secret), up to a factor of the secret
Family = tuple[Json, list[Fraction], Any, Weigh]  # class, point, secrets if not drawn, weights
HAIR = Fraction(1, 10**20)


def distribution(random: Random, size: int) -> list[Fraction]:
    parts = [random.randint(1, 9) for _ in range(size)]
    return [Fraction(part, sum(parts)) for part in parts]


def scaled(random: Random, shares: list[Fraction]) -> list[Fraction]:
    """A point of a group need not sum to 1."""
    factor = random.randint(1, 5)
    return [factor * share for share in shares]


def independent(random: Random, rows: list[Row], name: str) -> Family:
    one = name == "iid"
    marks = sorted({(0 if one else i, x) for row in rows for i, x in enumerate(row)})
    chance, point = {}, []
    for group in sorted({i for i, _ in marks}):
        alike = [mark for mark in marks if mark[0] == group]
        shares = distribution(random, len(alike))
        chance |= dict(zip(alike, shares, strict=True))
        point += scaled(random, shares)

    def weigh(_: str, row: Row) -> Fraction:
        return prod((chance[0 if one else i, x] for i, x in enumerate(row)), start=Fraction(1))

    return {"class": name}, point, None, weigh


def hedging(random: Random, rows: list[Row], name: str) -> Family:
    values = sorted({x for row in rows for x in row})
    known = dict(zip(values, distribution(random, len(values)), strict=True))
    shares, a = distribution(random, len(values)), Fraction(random.randint(0, 4), 4)
    f = dict(zip(values, shares, strict=True))
    place = random.randrange(len(rows[0]))
    asked: Json = {"s": {"record": place, "value": [0]}, "t": {"record": place, "value": [1]}}
    if name == "hedging of all":
        asked["t"] = None

    def weigh(secret: str, row: Row) -> Fraction:
        given, others = asked[secret], list(row)
        if given is not None:
            if row[place] != given["value"][0]:
                return Fraction(0)
            del others[place]
        return (1 - a) * prod(f[x] for x in others) + a * prod(known[x] for x in others)

    listed = [[[x], str(p)] for x, p in known.items()]
    priors = {"class": "hedging", "weight": str(a), "known": listed}
    return priors, scaled(random, shares), asked, weigh


def moves(
    random: Random, size: int, exact: bool = False
) -> tuple[Any, list[Fraction], list[Fraction]]:
    """Intervals, shares of the corners that they have, and the mixture of these."""
    if exact or random.random() < 0.4:
        row = distribution(random, size)
        return [[str(p), str(p)] for p in row], [Fraction(1)], row
    low = Fraction(random.randint(0, 3), 12)
    corners = [[low] * k + [1 - (size - 1) * low] + [low] * (size - 1 - k) for k in range(size)]
    shares = distribution(random, size)
    parts = list(zip(shares, sorted(corners), strict=True))
    mixed = [sum((x * corner[k] for x, corner in parts), Fraction(0)) for k in range(size)]
    return [[str(low), "1"]] * size, shares, mixed


def stationary(steps: list[list[Fraction]]) -> list[Fraction]:
    """By Gauss: x T = x with the last weight 1."""
    size = len(steps) - 1
    rows = [[steps[i][k] - (i == k) for i in range(size)] + [-steps[size][k]] for k in range(size)]
    for at in range(size):
        pivot = next(k for k in range(at, size) if rows[k][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [x / rows[at][at] for x in rows[at]]
        for k in range(size):
            if k != at:
                rows[k] = [x - rows[k][at] * y for x, y in zip(rows[k], rows[at], strict=True)]
    return [*(row[-1] for row in rows), Fraction(1)]


def markov(random: Random, rows: list[Row], name: str) -> Family:
    size = 1 + max(x for row in rows for x in row)
    still = name == "stationary"
    drawn = [moves(random, size, still and 1 < k < size) for k in range(size + 1)]
    steps = [mixed for _, _, mixed in drawn[1:]]
    begin, parts = drawn[0][2], drawn
    if still:
        begin, parts = stationary(steps), drawn[1:]

    def weigh(_: str, row: Row) -> Fraction:
        return begin[row[0]] * prod(steps[x][y] for x, y in pairwise(row))

    priors = {
        "class": "markov",
        "values": [[x] for x in range(size)],
        "initial": "stationary" if still else drawn[0][0],
        "transition": [ends for ends, _, _ in drawn[1:]],
    }
    point = [x for _, shares, _ in parts for x in scaled(random, shares)]
    return priors, point, None, weigh


FAMILIES = {
    "iid": independent,
    "product": independent,
    "hedging": hedging,
    "hedging of all": hedging,
    "markov": markov,
    "stationary": markov,
}


@each("seed", range(12))
@each("name", FAMILIES)
def test_the_ratio_at_a_point(name: str, seed: int) -> None:
    random = Random(f"{name} {seed}")
    values, length = random.choice([(2, 2), (2, 3), (3, 2)])
    rows = list(product(range(values), repeat=length))
    if name not in ("markov", "stationary"):
        rows = [row for row in rows if len(set(row)) == 1 or random.random() < 0.8]
    priors, point, asked, weigh = FAMILIES[name](random, rows, name)
    columns = {str(row): distribution(random, 3) for row in rows}
    if asked is None:
        sides = [[0], [len(rows) - 1]]
        for w in range(1, len(rows) - 1):
            random.choice([*sides, []]).append(w)
        asked = dict(zip("st", map(sorted, sides), strict=True))
        inside = {name: {rows[w] for w in worlds} for name, worlds in asked.items()}
    else:
        inside = {key: set(rows) for key in "st"}
    event = random.choice([[0], [2], [0, 1]])
    delta = Fraction(1, 20) if len(event) > 1 else Fraction(0)
    chances = {}
    for secret in "st":
        weights = {row: weigh(secret, row) for row in rows if row in inside[secret]}
        of_event = {row: sum((columns[str(row)][o] for o in event), Fraction(0)) for row in rows}
        whole = sum(weights.values())
        chances[secret] = sum(p * of_event[row] for row, p in weights.items()) / whole
    s, t = sorted("st", key=chances.__getitem__, reverse=True)
    ratio = (chances[s] - delta) / chances[t]
    lower = {"pair": [s, t], "outputs": event, "point": list(map(str, point))}
    lower["powers"] = [0] * len(point)
    relation = {"rule": "secrets", "secrets": asked, "pairs": [["s", "t"]], "priors": priors}
    model = mechanism_model(columns, [list(row) for row in rows])
    document = certificate(model, relation, "1", "violated", {"lower": lower, "upper": []})
    document["claim"].update(kind="polynomials", leakage=None)

    def outcome(alpha: Fraction) -> str:
        document["claim"]["level"] = {"exp_epsilon": str(alpha), "delta": str(delta)}
        return check(document).outcome

    if ratio <= 1:
        assert outcome(Fraction(1)) == "rejected"
        return
    assert outcome(max(Fraction(1), ratio - HAIR)) == "accepted", check(document)
    assert outcome(ratio) == "rejected"
