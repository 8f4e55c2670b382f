"""Small linear programs drawn at random, and two other ways to decide them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

from tests.oracles import z3
from verifier.lp.model.program import Infeasible, Optimal, Outcome, Program, Row

AWKWARD = ["1/3", "-7/5", "1e30", "1e-30", "-1e-30", "22/7", "1000000007"]


@dataclass(frozen=True)
class Drawn:
    """The parts that a program is built of."""

    columns: list[str]
    rows: list[Row]
    objective: dict[Any, Any]
    lower: dict[Any, Any] | None
    upper: dict[Any, Any] | None

    @property
    def program(self) -> Program:
        return Program.build(self.columns, self.rows, self.objective, self.lower, self.upper)


def drawn(random: Random) -> Drawn:
    """Up to 6 rows and 5 columns: all senses, degenerate, redundant, awkward, free, bounded."""
    m, n = random.randint(0, 5), random.randint(0, 5)
    plain = random.random() < 0.5

    def value() -> Any:
        awkward = not plain and random.random() < 0.2
        return random.choice(AWKWARD) if awkward else random.randint(-3, 3)

    def row(name: str) -> Row:
        right = random.choice([value(), 0, random.randint(0, 9)])
        terms = {column: value() for column in range(n)}
        return Row(name, terms, random.choice(["<=", "=", ">="]), right)

    rows = [row(f"r{at}") for at in range(m)]
    if rows and random.random() < 0.3:
        again, times = random.choice(rows), random.randint(1, 3)
        terms = {column: times * Fraction(v) for column, v in again.terms.items()}
        right = times * Fraction(again.right) + random.choice([0, 0, 0, 1])
        rows.append(Row("again", terms, again.sense, right))
    ends: list[dict[Any, Any] | None] = [None, None]
    for at, choices in enumerate([[None, None, -2, "1/3", 0], [None, 2, "7/2", 5, 0, -1]]):
        if random.random() < 0.5:
            chosen = [column for column in range(n) if random.random() < 0.5]
            ends[at] = {column: random.choice(choices) for column in chosen}
    objective = {column: value() for column in range(n)} if random.random() < 0.8 else {}
    return Drawn([f"x{at}" for at in range(n)], rows, objective, ends[0], ends[1])


def by_z3(parts: Drawn) -> str | Fraction:
    """ "infeasible", "unbounded" or the optimal value, by z3."""
    columns = [z3.Real(name) for name in parts.columns]

    def real(value: Any) -> Any:
        return z3.RealVal(str(Fraction(value)))

    def linear(terms: dict[Any, Any]) -> Any:
        return sum((real(value) * columns[at] for at, value in terms.items()), real(0))

    solver = z3.Optimize()
    for row in parts.rows:
        left, right = linear(dict(row.terms)), real(row.right)
        solver.add({"<=": left <= right, "=": left == right, ">=": left >= right}[row.sense])
    for at, column in enumerate(columns):
        low = (parts.lower or {}).get(at, 0)
        high = (parts.upper or {}).get(at)
        solver.add(*([column >= real(low)] if low is not None else []))
        solver.add(*([column <= real(high)] if high is not None else []))
    best = solver.maximize(linear(parts.objective))
    if solver.check() == z3.unsat:
        return "infeasible"
    value = str(solver.upper(best))
    return "unbounded" if "oo" in value else Fraction(value)


def by_enumeration(rows: Sequence[tuple[list[int], int]], costs: list[int]) -> str | Fraction:
    """The same for maximise costs·x subject to rows a·x <= b and x >= 0, by all vertices: if any
    point is feasible, one is a vertex, and the value grows without end only along a ray, which
    scaled to Σ x = 1 is a combination of vertices of the directions."""
    n = len(costs)
    below_zero = [([-int(at == column) for at in range(n)], 0) for column in range(n)]
    every = [*rows, *below_zero]
    points = vertices(every, n)
    if not points:
        return "infeasible"
    still = [(a, 0) for a, _ in every]
    unit = [([1] * n, 1), ([-1] * n, -1)]
    rays = vertices([*still, *unit], n)
    if any(dot(costs, ray) > 0 for ray in rays):
        return "unbounded"
    return max(dot(costs, point) for point in points)


def vertices(rows: Sequence[tuple[list[int], int]], n: int) -> list[list[Fraction]]:
    """All points where n independent rows a·x <= b are tight and none is broken."""
    found = (tight([rows[at] for at in chosen], n) for chosen in combinations(range(len(rows)), n))
    return [x for x in found if x is not None and all(dot(a, x) <= b for a, b in rows)]


def tight(rows: Sequence[tuple[list[int], int]], n: int) -> list[Fraction] | None:
    """The only solution of n equations, by Gauss and Jordan, if there is just one."""
    table = [[Fraction(value) for value in (*a, b)] for a, b in rows]
    for column in range(n):
        at = next((i for i in range(column, n) if table[i][column]), None)
        if at is None:
            return None
        table[column], table[at] = table[at], table[column]
        lead = table[column] = [value / table[column][column] for value in table[column]]
        for i in range(n):
            if i != column:
                factor = table[i][column]
                table[i] = [a - factor * b for a, b in zip(table[i], lead, strict=True)]
    return [row[n] for row in table]


def dot(a: Sequence[int], x: Sequence[Fraction]) -> Fraction:
    return sum((v * w for v, w in zip(a, x, strict=True)), Fraction(0))


def said(outcome: Outcome) -> str | Fraction:
    """An outcome in the words of the two functions above."""
    if isinstance(outcome, Optimal):
        return outcome.value
    return "infeasible" if isinstance(outcome, Infeasible) else "unbounded"
