"""Kinds that are questions about linear inequalities, put to z3 in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.harden.oracle.direct import comparison
from tests.harden.oracle.reading import (
    HUGE,
    TINY,
    Json,
    Row,
    averages,
    both,
    distribution,
    is_family,
    judged,
    level,
    matrix,
    require,
)
from tests.oracles import z3

MILLISECONDS = 5000  # more than what is asked needs on a busy machine
ZERO = Fraction(0)


def real(x: Fraction | int) -> z3.ArithRef:
    return z3.RealVal(str(x))


def combined(factors: Iterable[Any], terms: Iterable[Any]) -> z3.ArithRef:
    pairs = [(f, t) for f, t in zip(factors, terms, strict=True) if f]
    return z3.Sum([real(0), *(real(f) * t for f, t in pairs)])


def possible(*conditions: Any, how: Any = None) -> bool | None:
    """Whether all can be met; None if z3 does not find out."""
    solver = (how or z3.Solver)()
    solver.set("timeout", MILLISECONDS)
    solver.add(*conditions)
    found = solver.check()
    return None if found == z3.unknown else bool(found == z3.sat)


def no(found: bool | None) -> bool | None:
    return None if found is None else not found


def unknowns(name: str, count: int) -> tuple[list[z3.ArithRef], list[Any]]:
    """Variables that are not negative."""
    found = [z3.Real(f"{name}_{k}") for k in range(count)]
    return found, [x >= 0 for x in found]


def boxes(claim: Json, model: Json, relation: Json) -> bool | None:
    """About every matrix between lower and upper ends, whose entries are the unknowns."""
    worlds, delta = len(model["worlds"]), level(claim)[1]
    values = [Fraction(v) for v in model["values"]]
    chances, inside = [], []
    for w, codes in enumerate(zip(model["lower"], model["upper"], strict=True)):
        ends = list(zip(*([values[code] for code in listed] for listed in codes), strict=True))
        require(len(ends) == len(model["outputs"]), "one entry per output")
        require(all(0 <= low <= high for low, high in ends), "ends")
        row, signs = unknowns(f"m_{w}", len(ends))
        chances.append(row)
        inside += [*signs, z3.Sum(row) == 1]
        for x, (low, high) in zip(row, ends, strict=True):
            inside += [x >= real(low), x <= real(high)]
    require(possible(*inside) is not False and len(chances) == worlds, "there is a matrix")
    compared = averages(relation, model)
    sides = [
        (*([combined(weights, row) for row in zip(*chances, strict=True)] for weights in (p, q)), d)
        for p, q, d in compared
    ]
    if any(d.denominator != 1 for *_, d in sides):
        return None

    def kept(alpha: Fraction) -> Any:
        """That the definition holds of the unknown matrix."""
        found = []
        for p, q, d in sides:
            gaps = [x - real(alpha**d.numerator) * y for x, y in zip(p, q, strict=True)]
            require(d == 1 or not delta, "with delta, distances are 1")
            over = z3.Sum([real(0), *(z3.If(gap > 0, gap, real(0)) for gap in gaps)])
            found.append(over <= real(delta))
        return z3.And(found)

    def always(alpha: Fraction) -> bool | None:
        return no(possible(*inside, z3.Not(kept(alpha))))

    if not sides:
        return judged(claim, True, lambda _: True)
    stated, alpha = claim["leakage"], level(claim)[0]
    if stated == {"vacuous": True} or len(alpha) > 1:
        return None if len(alpha) > 1 else False
    holds = claim["verdict"] == "holds"
    found = [always(alpha[0]) if holds else no(possible(*inside, kept(alpha[0])))]
    if stated == {"infinite": True}:
        found.append(no(possible(*inside, kept(HUGE))))
    elif stated is not None:
        ends = [Fraction(stated.get(key) or stated["exp_epsilon"]) for key in ("lower", "upper")]
        require(1 <= ends[0] <= ends[1], "bounds")
        below = ends[0] * (1 - TINY)
        found.append(always(ends[1]))
        found.append(below < 1 or no(possible(*inside, kept(below))))
    return both(stated is not None or not holds, *found)


def program(claim: Json, model: Json, relation: Json) -> bool | None:
    part = model["program"]
    values = [Fraction(v) for v in part["values"]]
    x = [z3.Real(f"x{k}") for k in range(len(part["columns"]))]
    rays = [z3.Real(f"r{k}") for k in range(len(x))]
    require(len(set(part["columns"])) == len(x), "columns")
    inside, outward = [], []
    rows = zip(part["matrix"], part["senses"], part["right"], strict=True)
    for (places, codes), sense, right in rows:
        require(len(places) == len(codes), "a row")
        factors = [values[code] for code in codes]
        for into, point, end in ((inside, x, values[right]), (outward, rays, ZERO)):
            left = combined(factors, [point[k] for k in places])
            into.append(
                {"<=": left <= real(end), ">=": left >= real(end), "=": left == real(end)}[sense]
            )
    ends = zip(x, rays, part["lower"], part["upper"], strict=True)
    for point, ray, low, high in ends:
        inside += [point >= real(values[low])] if low is not None else []
        outward += [ray >= 0] if low is not None else []
        inside += [point <= real(values[high])] if high is not None else []
        outward += [ray <= 0] if high is not None else []
    costs = [values[code] for code in part["objective"]]
    gain, drift = combined(costs, x), combined(costs, rays)
    feasible = possible(*inside)
    unbounded = both(feasible, possible(*outward, drift > 0))
    if claim["verdict"] == "infeasible":
        return no(feasible)
    if claim["verdict"] == "unbounded":
        return unbounded
    best = real(Fraction(claim["value"]))
    attained = possible(*inside, gain == best)
    return both(claim["verdict"] == "optimal", attained, no(possible(*inside, gain > best)))


def given(model: Json, of: Iterable[int] | None = None) -> list[list[Row]]:
    """The given mechanisms, world by world."""
    require(model["given"], "given mechanisms")
    chosen = range(len(model["given"])) if of is None else of
    return [matrix(model["given"][k], len(model["worlds"])) for k in chosen]


def is_mixture(wanted: list[Row], parts: list[list[Row]]) -> bool | None:
    """Whether a mechanism is a mixture of post-processings of others."""
    shares, conditions = unknowns("p", len(parts))
    conditions.append(z3.Sum(shares) == 1)
    worlds, outputs = range(len(wanted)), range(len(wanted[0]))
    sums: dict[Any, list[Any]] = {(w, o): [] for w in worlds for o in outputs}
    for k, (share, table) in enumerate(zip(shares, parts, strict=True)):
        for i in range(len(table[0])):
            row, signs = unknowns(f"a_{k}_{i}", len(outputs))
            conditions += [*signs, z3.Sum(row) == share]
            for w, o in sums:
                if table[w][i]:
                    sums[w, o].append(real(table[w][i]) * row[o])
    conditions += [
        z3.Sum([real(0), *terms]) == real(wanted[w][o]) for (w, o), terms in sums.items()
    ]
    return possible(*conditions)


def post_processing(claim: Json, model: Json, relation: Json) -> bool | None:
    found = is_mixture(matrix(model, len(model["worlds"])), given(model))
    return found if claim["verdict"] == "holds" else no(found)


def rows_of(tables: Iterable[list[Row]]) -> list[tuple[Fraction, ...]]:
    return [row for table in tables for row in zip(*table, strict=True)]


def is_inside(row: Any, cone: list[Any]) -> bool | None:
    """Whether a row is a non-negative combination of others."""
    weights, signs = unknowns("y", len(cone))
    sums = [combined([part[w] for part in cone], weights) == real(x) for w, x in enumerate(row)]
    return possible(*signs, *sums)


def row_cone(claim: Json, model: Json, relation: Json) -> bool | None:
    rows = rows_of(given(model))
    if "facets" in claim:
        count = len(facets(rows))
        fits = claim["verdict"] == ("holds" if Fraction(claim["facets"]) == count else "violated")
        return Fraction(claim["value"]) == count and fits
    wanted = rows_of([matrix(model, len(model["worlds"]))])
    found = both(*(is_inside(row, rows) for row in wanted))
    return found if claim["verdict"] == "holds" else no(found)


def facets(rows: list[Any]) -> set[frozenset[int]]:
    """Every facet of the cone of some rows, as the rows on it: all hyperplanes are tried."""
    rows = [row for row in dict.fromkeys(rows) if any(row)]
    basis = echelon(rows)
    pivots = [next(at for at, x in enumerate(row) if x) for row in basis]
    flat = [[row[at] for at in pivots] for row in rows]  # coordinates in the span
    size, found = len(pivots), set()
    for chosen in combinations(flat, size - 1):
        part = echelon(list(chosen))
        if len(part) < size - 1:
            continue
        normal = _normal(part, size)
        values = [sum(a * x for a, x in zip(normal, row, strict=True)) for row in flat]
        if min(values) >= 0 or max(values) <= 0:
            found.add(frozenset(at for at, value in enumerate(values) if not value))
    return found


def echelon(rows: list[Any]) -> list[list[Fraction]]:
    """The reduced echelon form, without rows of zeros."""
    table, found = [list(map(Fraction, row)) for row in rows], list[list[Fraction]]()
    for place in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in table if row[place]), None)
        if pivot is None:
            continue
        table = [row for row in table if row is not pivot]
        unit = [x / pivot[place] for x in pivot]
        for part in (table, found):
            for row in part:
                factor = row[place]
                row[:] = [x - factor * y for x, y in zip(row, unit, strict=True)]
        found.append(unit)
    return found


def _normal(part: list[list[Fraction]], size: int) -> Row:
    """The direction that a hyperplane in echelon form leaves out."""
    pivots = [next(at for at, x in enumerate(row) if x) for row in part]
    free = next(at for at in range(size) if at not in pivots)
    normal = [ZERO] * size
    normal[free] = Fraction(1)
    for at, row in zip(pivots, part, strict=True):
        normal[at] = -row[free]
    return normal


def inequalities(relation: Json, model: Json, alpha: Fraction) -> list[Row]:
    """Each h with Σ h_w x_w <= 0 for every row x of a mechanism of a pure definition."""
    found = []
    for p, q, d in averages(relation, model):
        require(d.denominator == 1, "a distance is whole")
        row = [x - alpha**d.numerator * y for x, y in zip(p, q, strict=True)]
        found.append(row)
        if not sum(row):  # rows sum to 1 in each world, so this is an equation
            found.append([-x for x in row])
    return found


def admits(asked: list[Row], tables: list[list[Row]]) -> bool:
    rows = rows_of(tables)
    return all(
        sum(h * x for h, x in zip(row, out, strict=True)) <= 0 for row in asked for out in rows
    )


def implies(claim: Json, model: Json, relation: Json) -> bool | None:
    then, first, worlds = relation["then"], relation["if"], len(model["worlds"])
    if then["rule"] == "post_processing":
        return _into_closure(claim, model, relation)
    if is_family(first, model) or is_family(then, model):
        return None
    x, signs = unknowns("x", worlds)
    if first["rule"] == "given":
        require(relation["level"] is None, "no level")
        tables = given(model)
        shown = "columns" not in model or matrix(model, worlds) in tables
        require(shown, "the mechanism is given")
        cone: list[Any] = []
    else:
        alpha = Fraction(relation["level"]["exp_epsilon"])
        require(alpha >= 1, "a level")
        asked, tables = inequalities(first, model, alpha), None
        cone = [*signs, *(combined(h, x) <= 0 for h in asked)]
        if "columns" in model:
            require(admits(asked, [matrix(model, worlds)]), "the mechanism is of the definition")
    if then["rule"] == "row_cone":
        outside = _outside(given(model), x)
        found = no(possible(*cone, outside))
        return found if claim["verdict"] == "holds" else no(found)

    def holds(at: Fraction) -> bool | None:
        wanted = inequalities(then, model, at)
        if tables is not None:
            return admits(wanted, tables)
        return no(possible(*cone, z3.Or([combined(b, x) > 0 for b in wanted]))) if wanted else True

    require(level(claim)[1] == 0, "delta")
    # the leakage is that of the mechanism in the model, where it has one, and of all others
    own = comparison(claim, model, then) if "columns" in model else True
    return both(judged(claim, not averages(then, model), holds), own)


def _outside(tables: list[list[Row]], x: list[Any]) -> Any:
    """That x is in no cone of the rows: some facet or equation of it fails."""
    rows = [row for row in dict.fromkeys(rows_of(tables)) if any(row)]
    basis = echelon(rows)
    pivots = [next(at for at, v in enumerate(row) if v) for row in basis]
    failing = []
    for w in range(len(x)):  # x_w is given by the coordinates at the pivots
        span = combined([row[w] for row in basis], [x[at] for at in pivots])
        failing.append(x[w] != span)
    flat = [[row[at] for at in pivots] for row in rows]
    for on in facets(rows):
        normal = _normal(echelon([flat[k] for k in on]), len(pivots)) if on else [Fraction(1)]
        values = [sum(a * v for a, v in zip(normal, row, strict=True)) for row in flat]
        sign = 1 if max(values) > 0 else -1
        failing.append(combined([sign * a for a in normal], [x[at] for at in pivots]) < 0)
    return z3.Or(failing)


def _into_closure(claim: Json, model: Json, relation: Json) -> bool | None:
    """Mixtures of post-processings: told for mechanisms that are given; else a claim that it
    holds is only tried on the mechanism in the model."""
    first, worlds = relation["if"], len(model["worlds"])
    target = given(model, relation["then"]["of"])
    if first["rule"] == "post_processing" and "columns" not in model:
        inside = both(*(is_mixture(table, target) for table in given(model, first["of"])))
        return inside if claim["verdict"] == "holds" else no(inside)
    if claim["verdict"] == "violated" and "columns" in model:
        table = matrix(model, worlds)
        if first["rule"] == "post_processing":
            require(table in given(model, first["of"]), "a mechanism of the first")
        elif first["rule"] == "row_cone":
            cone = rows_of(given(model, first["of"]))
            found = both(*(is_inside(row, cone) for row in rows_of([table])))
            require(found is not False, "a mechanism of the first")
        else:
            alpha = Fraction(relation["level"]["exp_epsilon"])
            require(
                alpha >= 1 and admits(inequalities(first, model, alpha), [table]), "of the first"
            )
        return no(is_mixture(table, target))
    if first["rule"] == "post_processing":
        return both(*(is_mixture(table, target) for table in given(model, first["of"])))
    return None


def optimal(claim: Json, model: Json, relation: Json) -> bool | None:
    worlds, loss = len(model["worlds"]), [[Fraction(v) for v in f] for f in model["functions"]]
    if relation["under"] == {"rule": "post_processing"}:
        return _best_made(claim, model, relation, loss)
    alpha = Fraction(relation["exp_epsilon"])
    require(alpha >= 1 and all(len(f) == worlds for f in loss), "a level, losses")
    prior = None if relation["prior"] is None else distribution(relation["prior"], worlds)
    asked = inequalities(relation["under"], model, alpha)
    compared = any(any(row) for row in asked)
    require(claim.get("leakage") == (None if compared else {"vacuous": True}), "what is compared")
    best = Fraction(claim["value"])

    def reached(costs: list[Any], at: Fraction, strict: bool) -> list[Any]:
        """That the expected loss, or the largest of a world, is at most or below some value."""
        sums = [combined(prior, costs)] if prior is not None else costs
        return [s < real(at) if strict else s <= real(at) for s in sums]

    rows, conditions = [], []
    for r in range(len(loss)):
        row, signs = unknowns(f"m_{r}", worlds)
        rows.append(row)
        conditions += [*signs, *(combined(h, row) <= 0 for h in asked)]
    conditions += [z3.Sum([row[w] for row in rows]) == 1 for w in range(worlds)]
    costs = [combined([f[w] for f in loss], [row[w] for row in rows]) for w in range(worlds)]
    smallest = both(
        possible(*conditions, *reached(costs, best, False)),
        no(possible(*conditions, *reached(costs, best, True))),
    )
    equal = claim["equals"] is None or Fraction(claim["equals"]) == best
    used: bool | None = True
    if equal and "columns" in model:
        table = matrix(model, worlds)
        choices, rules = [], []
        for o in range(len(table[0])):
            choice, signs = unknowns(f"c_{o}", len(loss))
            choices.append(choice)
            rules += [*signs, z3.Sum(choice) == 1]
        costs = [
            z3.Sum(
                [
                    real(table[w][o] * f[w]) * c[r]
                    for o, c in enumerate(choices)
                    for r, f in enumerate(loss)
                ]
            )
            for w in range(worlds)
        ]
        used = both(admits(asked, [table]), possible(*rules, *reached(costs, best, False)))
    holds = both(equal, used)
    right = None if holds is None else claim["verdict"] == ("holds" if holds else "violated")
    return both(smallest, right)


def _best_made(claim: Json, model: Json, relation: Json, loss: list[Row]) -> bool | None:
    """The same of what is made of given mechanisms: each is run with a probability, and one of the
    answers drawn for each output."""
    worlds, best = range(len(model["worlds"])), Fraction(claim["value"])
    require(relation["exp_epsilon"] is None and "leakage" not in claim, "no level")
    require(all(len(f) == len(worlds) for f in loss), "losses")
    prior = None if relation["prior"] is None else distribution(relation["prior"], len(worlds))
    tables = [matrix(given, len(worlds)) for given in model["given"]]
    runs, conditions = unknowns("run", len(tables))
    conditions = [*conditions, z3.Sum(runs) == 1]
    terms: list[list[Any]] = [[] for _ in worlds]
    for k, table in enumerate(tables):
        for o in range(len(table[0])):
            choice, signs = unknowns(f"c_{k}_{o}", len(loss))
            conditions += [*signs, z3.Sum(choice) == runs[k]]
            for w in worlds:
                terms[w] += [
                    real(table[w][o] * f[w]) * c for f, c in zip(loss, choice, strict=True)
                ]
    costs = [z3.Sum(listed) for listed in terms]
    sums = [combined(prior, costs)] if prior is not None else costs
    smallest = both(
        possible(*conditions, *(s <= real(best) for s in sums)),
        no(possible(*conditions, *(s < real(best) for s in sums))),
    )
    equal = claim["equals"] is None or Fraction(claim["equals"]) == best
    return both(smallest, claim["verdict"] == ("holds" if equal else "violated"))
