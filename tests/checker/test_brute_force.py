"""The checker against the definitions, spelled out again by brute force on tiny drawn models."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check
from tests.drawing import examples

GAP = Fraction(1, 10**30)
RULES = ("replace", "add_remove", "entry", "all", "pairs")
Comparison = tuple[Any, list[Fraction], list[Fraction]]  # how a witness names it, P, Q


@st.composite
def distributions(draw: st.DrawFn, outputs: int) -> list[Fraction]:
    """Ties, zeros, gaps of 1e-30 and denominators of 40 digits."""
    ties = st.sampled_from([Fraction(0), Fraction(1), Fraction(1), Fraction(2), 1 + GAP, 1 - GAP])
    weights = st.one_of(ties, st.integers(0, 10**40).map(Fraction))
    drawn = draw(st.lists(weights, min_size=outputs, max_size=outputs).filter(any))
    return [weight / sum(drawn) for weight in drawn]


@st.composite
def databases(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Some or all databases of 1 or 2 records with 1 or 2 bits each, possibly absent."""
    width, records = draw(st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]))
    values = list(product(range(2), repeat=width))
    if draw(st.booleans()):
        values.append((-1,) * width)
    everything = [list(chain(*row)) for row in product(values, repeat=records)]
    limit = draw(st.sampled_from([4, 9]))
    some = st.lists(st.sampled_from(everything), min_size=1, max_size=limit, unique_by=tuple)
    chosen = draw(some)
    rows = everything if draw(st.booleans()) and len(everything) <= 9 else chosen
    return rows, width


def cut(row: list[int], width: int) -> list[list[int]]:
    return [row[k : k + width] for k in range(0, len(row), width)]


def are_neighbours(rule: str, v: list[int], w: list[int], width: int, group: int) -> bool:
    """From the definitions: who is absent, and how many records or entries differ."""
    first, second = cut(v, width), cut(w, width)
    changed = [(x, y) for x, y in zip(first, second, strict=True) if x != y]
    same_people = all((x[0] == -1) == (y[0] == -1) for x, y in changed)
    if rule == "replace":
        return same_people and 1 <= len(changed) <= group
    if rule == "entry":
        entries = sum(x != y for x, y in zip(v, w, strict=True))
        return same_people and 1 <= entries <= group
    if rule == "add_remove":
        moved = all((x[0] == -1) != (y[0] == -1) for x, y in changed)
        return moved and 1 <= len(changed) <= group
    return v != w


def smallest_level(comparisons: list[Comparison], delta: Fraction) -> tuple[Any, Any]:
    """The leakage (None: vacuous, inf: infinite) and a witness: every event of every comparison."""
    best, witness = Fraction(1), None
    for name, p, q in comparisons:
        outputs = range(len(p))
        sizes = [1] if delta == 0 else outputs
        for event in chain.from_iterable(combinations(outputs, k or len(p)) for k in sizes):
            here, there = sum(p[o] for o in event), sum(q[o] for o in event)
            if there == 0 and here > delta:
                return "infinite", (name, list(event))
            if there and (here - delta) / there > best:
                best, witness = (here - delta) / there, (name, list(event))
    return (best, witness) if comparisons else ("vacuous", None)


def verify(build: Any, data: Any, model: Any, relation: Any, found: list[Comparison]) -> None:
    """Accept the right claim at a drawn level; reject its neighbours."""
    delta = data.draw(st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 7), GAP]))
    best, named = smallest_level(found, delta)
    witness = None
    if named is not None:
        event = {"output": named[1][0]} if delta == 0 else {"outputs": named[1]}
        witness = {**named[0], **event}
    exact = isinstance(best, Fraction)
    near = [best, best + GAP, max(Fraction(1), best - GAP)] if exact else [Fraction(2)]
    level = data.draw(st.sampled_from([*near, Fraction(1), Fraction(3)]))
    verdict = best == "vacuous" or (exact and best <= level)
    words = ["violated", "holds"]
    levels = {"exp_epsilon": str(level), "delta": str(delta)}

    def outcome(leakage: Any, holds: bool, witness: Any) -> str:
        claim = (leakage, words[holds], witness, levels)
        return check(build.certificate(model, relation, *claim)).outcome

    leakage = str(best) if exact else {best: True}
    assert outcome(leakage, verdict, witness) == "accepted"
    assert outcome(leakage, not verdict, witness) == "rejected"
    others = ["1", "2", {"infinite": True}, {"vacuous": True}]
    if exact:
        others += [str(best + GAP), str(max(Fraction(1), best - GAP))]
    for other in others:
        if other != leakage:
            for holds in (True, False):
                assert outcome(other, holds, witness) == "rejected"
                assert outcome(other, holds, None) == "rejected"


@examples(60)
@given(data=st.data())
@pytest.mark.parametrize("rule", RULES)
def test_rules_on_databases(build: Any, rule: str, data: st.DataObject) -> None:
    rows, width = data.draw(databases())
    outputs = data.draw(st.integers(1, 3))
    table = [data.draw(distributions(outputs)) for _ in rows]
    model = build.mechanism_model(dict(zip(map(str, rows), table, strict=True)), rows, width)
    worlds = range(len(rows))
    group = data.draw(st.integers(1, 3))
    related = [
        (i, j)
        for i in worlds
        for j in worlds
        if are_neighbours(rule, rows[i], rows[j], width, group)
    ]
    relation: Any = {"rule": rule}
    if rule == "pairs":
        related = data.draw(st.lists(st.sampled_from(related), max_size=4)) if related else []
        relation = build.listed(len(rows), *related)
    elif rule != "all":
        relation["group"] = group
    verify(
        build, data, model, relation, [({"pair": [i, j]}, table[i], table[j]) for i, j in related]
    )


@examples(60)
@given(data=st.data())
@pytest.mark.parametrize("priors", ["all", "product", "list"])
def test_secrets(build: Any, priors: str, data: st.DataObject) -> None:
    rows = [list(row) for row in product(range(3), range(2))]
    table = [data.draw(distributions(2)) for _ in rows]
    model = build.mechanism_model(
        {str(row): column for row, column in zip(rows, table, strict=True)}, rows
    )
    split = st.lists(st.sampled_from("st-"), min_size=3, max_size=3)
    if priors == "product":
        record = data.draw(st.integers(0, 1))
        side = data.draw(split)
        sides = [side[row[record]] for row in rows]
    else:
        record = None
        sides = [*data.draw(split), *data.draw(split)]
    secrets = {name: [w for w in range(6) if sides[w] == name] for name in "st"}
    relation: Any = {"rule": "secrets", "secrets": secrets, "pairs": [["t", "s"]]}
    relation["priors"] = {"class": priors}
    found: list[Comparison] = []
    if priors == "list":
        thetas = data.draw(st.lists(distributions(6), min_size=1, max_size=2))
        relation["priors"]["priors"] = [[str(x) for x in theta] for theta in thetas]
        for k, theta in enumerate(thetas):
            for s, t in ("st", "ts"):
                masses = [sum(theta[w] for w in secrets[name]) for name in (s, t)]
                if all(masses):
                    p, q = (
                        [
                            Fraction(sum(theta[w] * table[w][o] for w in secrets[name]), mass)
                            for o in (0, 1)
                        ]
                        for name, mass in zip((s, t), masses, strict=True)
                    )
                    found.append(({"prior": k, "pair": [s, t]}, p, q))
    else:
        for s, t in ("st", "ts"):
            for i, j in product(secrets[s], secrets[t]):
                if record is None or rows[i][1 - record] == rows[j][1 - record]:
                    found.append(({"pair": [i, j]}, table[i], table[j]))
    verify(build, data, model, relation, found)


def root_below(ratio: Fraction, distance: Fraction, unit: int) -> Fraction:
    """The largest x/unit with (x/unit)^distance <= ratio, by bisection."""
    j, k = distance.as_integer_ratio()
    low, high = unit, unit * 2
    while Fraction(high, unit) ** j <= ratio**k:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle, unit) ** j <= ratio**k else (low, middle)
    return Fraction(low, unit)


@examples(60)
@given(data=st.data())
def test_distances(build: Any, data: st.DataObject) -> None:
    table = [data.draw(distributions(2).filter(all)) for _ in range(3)]
    model = build.mechanism_model({str(w): column for w, column in enumerate(table)})
    distances = st.sampled_from(
        [Fraction(1), Fraction(2), Fraction(3), Fraction(1, 2), Fraction(3, 2)]
    )
    pairs = [(i, j, data.draw(distances)) for i in range(3) for j in range(3) if i != j]
    relation = build.listed(3, *((i, j, str(d)) for i, j, d in pairs))
    unit = 10**12
    best, witness = Fraction(1), None
    for i, j, d in pairs:
        for o in (0, 1):
            ratio = table[i][o] / table[j][o]
            if ratio > 1 and (here := root_below(ratio, d, unit)) > best:
                best, witness = here, {"pair": [i, j], "output": o}
    enclosure = {"lower": str(best), "upper": str(best + Fraction(1, unit))}
    level = data.draw(st.sampled_from([best, best + Fraction(1, unit), Fraction(2)]))
    holds = all(
        table[i][o] ** d.denominator <= level**d.numerator * table[j][o] ** d.denominator
        for i, j, d in pairs
        for o in (0, 1)
    )
    levels = {"exp_epsilon": str(level)}
    for verdict, outcome in ((holds, "accepted"), (not holds, "rejected")):
        word = "holds" if verdict else "violated"
        document = build.certificate(model, relation, enclosure, word, witness, levels)
        assert check(document).outcome == outcome
    if best > 1:
        high = {"lower": str(best + Fraction(1, unit)), "upper": str(best + Fraction(2, unit))}
        low = {"lower": str(best - Fraction(1, unit)), "upper": str(best - Fraction(1, unit))}
        for wrong in (high, low):
            document = build.certificate(model, relation, wrong, "holds", witness)
            assert check(document).outcome == "rejected"


@examples(40)
@given(
    epsilon=st.one_of(
        st.fractions(0, 60, max_denominator=10**6),
        st.sampled_from([Fraction(1, 10**9), Fraction(50), Fraction(49, 3), Fraction(1, 10**40)]),
    ),
    digits=st.sampled_from([3, 40, 300]),
)
def test_irrational_levels(build: Any, epsilon: Fraction, digits: int) -> None:
    """Leakage within 10^-digits of e^epsilon, on both sides; e^epsilon by decimal arithmetic."""
    with localcontext() as context:
        context.prec = 500
        power = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
    scaled = Fraction(power) * 10**digits
    below = Fraction(scaled.numerator // scaled.denominator, 10**digits)
    for alpha, verdict in ((below, "holds"), (below + Fraction(1, 10**digits), "violated")):
        if alpha == 1 or (epsilon == 0 and verdict == "violated"):
            continue
        q = Fraction(1, 2) / alpha
        model = build.mechanism_model({"s": [alpha * q, 1 - alpha * q], "t": [q, 1 - q]})
        relation = build.listed(2, (0, 1))
        witness = {"pair": [0, 1], "output": 0}
        for word in ("holds", "violated"):
            document = build.certificate(model, relation, str(alpha), word, witness)
            document["claim"]["level"] = {"epsilon": str(epsilon), "delta": "0"}
            assert check(document).outcome == ("accepted" if word == verdict else "rejected")


@pytest.mark.parametrize(("worlds", "size"), [(9, 4), (12, 5), (12, 90), (60, 10**6)])
def test_many_worlds_and_values(build: Any, worlds: int, size: int) -> None:
    """Blocks above and below 100 comparisons, tables with few and with many values."""
    random = Random(worlds * size)
    parts = [[random.randint(1, size) for _ in range(3)] for _ in range(worlds)]
    table = [[Fraction(part, sum(row)) for part in row] for row in parts]
    model = build.mechanism_model({str(w): column for w, column in enumerate(table)})
    found = [
        (table[i][o] / table[j][o], {"pair": [i, j], "output": o})
        for i, j in permutations(range(worlds), 2)
        for o in range(3)
    ]
    best, witness = max(found, key=lambda item: item[0])
    near = [best, best - GAP, best + GAP, max(r for r, _ in found if r < best)]
    for relation in ({"rule": "all"}, build.listed(worlds, *permutations(range(worlds), 2))):
        for leakage in near:
            document = build.certificate(model, relation, str(leakage), "violated", witness)
            document["claim"]["level"]["exp_epsilon"] = "1"
            assert check(document).outcome == ("accepted" if leakage == best else "rejected")
