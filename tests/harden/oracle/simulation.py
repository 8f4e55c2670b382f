"""Kinds about what a simulator may see: which simulator serves, put to z3."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.harden.oracle.linear import no, possible, real, unknowns
from tests.harden.oracle.reading import (
    TINY,
    Json,
    Row,
    both,
    judged,
    level,
    matrix,
    require,
)
from tests.oracles import z3

ZERO = Fraction(0)
Situation = tuple[Row, dict[int, Fraction]]  # P_t, K_a


def situations(relation: Json, model: Json) -> dict[tuple[int, int, int, int], Situation]:
    """P_t and K_a by prior, view, private value and auxiliary information."""
    worlds = len(model["worlds"])
    table = matrix(model, worlds)
    if relation["rule"] == "exchangeable":
        counts = model["counts"]
        require(len({sum(c) for c in counts}) == 1 and sum(counts[0]) > 0, "counts")
        require(len({tuple(c) for c in counts}) == worlds, "worlds")
        parts = [
            [(v, c, tuple(n - (v == k) for k, n in enumerate(row))) for v, c in enumerate(row) if c]
            for row in counts
        ]
        order = sorted({rest for part in parts for _, _, rest in part})
        views = [
            [
                [(order.index(rest), v, Fraction(c, sum(counts[0]))) for v, c, rest in p]
                for p in parts
            ]
        ]
    else:
        views = []
        for view in relation["views"]:
            require(len(view["alt"]) == len(view["priv"]) == worlds, "a view")
            views.append(
                [[(a, v, Fraction(1))] for a, v in zip(view["alt"], view["priv"], strict=True)]
            )
    require(relation["priors"] and views, "priors and views")
    found: dict[Any, Any] = {}
    for k, prior in enumerate(relation["priors"]):
        masses = [Fraction(p) for _, _, p in prior]
        require(min(masses) > 0 and sum(masses) == 1, "a prior")
        for i, view in enumerate(views):
            for (w, z, _), p in zip(prior, masses, strict=True):
                for a, v, share in view[w]:
                    out, seen = found.setdefault((k, i, v, z), ([ZERO] * len(table[0]), {}))
                    out[:] = [x + p * share * y for x, y in zip(out, table[w], strict=True)]
                    seen[a] = seen.get(a, ZERO) + p * share
    return found


def _simulated(relation: Json, model: Json, found: Any, rest: bool) -> tuple[Any, list[Any]]:
    """Sim[t | a] for each a, as numbers where it is given, and what these satisfy; it may sum to
    less than 1 if there is a `rest`."""
    table = matrix(model, len(model["worlds"]))
    seen = {a for _, inputs in found.values() for a in inputs}
    if relation["given"] is not None:
        at = {a: w for a, w in enumerate(relation["given"]) if w >= 0}
        require(seen <= at.keys(), "the simulator is given for all")
        return {a: [real(p) for p in table[at[a]]] for a in seen}, []
    sim, conditions = {}, []
    for a in sorted(seen):
        sim[a], signs = unknowns(f"sim_{a}", len(table[0]))
        conditions += [*signs, z3.Sum(sim[a]) <= 1 if rest else z3.Sum(sim[a]) == 1]
    return sim, conditions


def simulator(claim: Json, model: Json, relation: Json) -> bool | None:
    found, delta = situations(relation, model), level(claim)[1]
    sim, base = _simulated(relation, model, found, rest=False)

    def serves(alpha: Fraction, excess: Fraction) -> bool | None:
        conditions = list(base)
        for k, (out, seen) in enumerate(found.values()):
            ideal = [
                z3.Sum([real(p) * sim[a][t] for a, p in seen.items()]) for t in range(len(out))
            ]
            pairs = [(real(p), q) for p, q in zip(out, ideal, strict=True)]
            for way in range(2):
                over, signs = unknowns(f"over_{k}_{way}", len(out))
                conditions += [*signs, z3.Sum(over) <= real(excess * sum(out))]
                for x, (p, q) in zip(over, pairs, strict=True):
                    left, right = (q, p) if way else (p, q)
                    conditions.append(x >= left - real(alpha) * right)
        return possible(*conditions)

    points = [(Fraction(a), Fraction(d)) for a, d in claim.get("tradeoff", ())]
    smallest = [both(serves(a, d), not d or no(serves(a, d * (1 - TINY)))) for a, d in points]
    shown = [a for _, seen in found.values() for a, p in seen.items() if p]
    nothing = relation["given"] is None and len(shown) == len(set(shown))
    return both(judged(claim, nothing, lambda alpha: serves(alpha, delta)), *smallest)


def inference(claim: Json, model: Json, relation: Json) -> bool | None:
    require(relation["rule"] == "simulator", "a simulator")
    found, delta = situations(relation, model), level(claim)[1]
    sim, base = _simulated(relation, model, found, rest=True)
    outputs = range(len(model["outputs"]))
    places = sorted({(k, z) for k, _, _, z in found})
    views = {(k, z): sorted({key[1] for key in found if key[::3] == (k, z)}) for k, z in places}

    def good(t: int, k: int, z: int, alpha: Fraction) -> list[Any]:
        conditions = []
        for i in views[k, z]:
            parts = [s for key, s in found.items() if (key[0], key[1], key[3]) == (k, i, z)]
            qs = [out[t] for out, _ in parts]
            ws = [z3.Sum([real(p) * sim[a][t] for a, p in seen.items()]) for _, seen in parts]
            q, s = real(sum(qs)), z3.Sum(ws)
            one, ones = unknowns(f"one_{t}_{k}_{z}_{i}", len(parts))
            two, twos = unknowns(f"two_{t}_{k}_{z}_{i}", len(parts))
            conditions += [s > 0, *ones, *twos]
            conditions += [z3.Sum(part) <= real(delta * sum(qs)) * s for part in (one, two)]
            for x, y, q_v, w in zip(one, two, qs, ws, strict=True):
                conditions += [
                    x >= real(q_v) * s - real(alpha) * q * w,
                    y >= q * w - real(alpha * q_v) * s,
                ]
        return conditions

    def holds(alpha: Fraction) -> bool | None:
        conditions, bad = list(base), {k: [] for k, _ in places}
        for k, z in places:
            first = views[k, z][0]
            for t in outputs:
                mass = sum(
                    out[t]
                    for key, (out, _) in found.items()
                    if (key[0], key[1], key[3]) == (k, first, z)
                )
                if mass:
                    is_bad = z3.Bool(f"bad_{t}_{k}_{z}")
                    conditions.append(z3.Or(is_bad, z3.And(good(t, k, z, alpha))))
                    bad[k].append(z3.If(is_bad, real(mass), real(0)))
        conditions += [z3.Sum([real(0), *terms]) <= real(delta) for terms in bad.values()]
        return possible(*conditions)

    alone = len({(key[0], key[1], key[3]) for key in found}) == len(found)
    nothing = relation["given"] is None and alone
    return judged(claim, nothing, holds)
