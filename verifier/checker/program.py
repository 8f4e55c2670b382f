"""Certificates of kind "program": the outcome of a linear program with named rows and columns.

Weak duality: with y >= 0 for rows <=, y <= 0 for rows >= and d = c − y A, every feasible x has
c x = y A x + d x <= y b + Σ d_j · (upper_j where d_j > 0, lower_j where d_j < 0).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import reading as read
from .document import fields, indices, items, need, prove, texts
from .reading import COMMON, ONE, ZERO, Case, grouped, whole
from .rules import SENSES, Row, combined, multiples

WITNESS = {"optimal": "point multipliers", "infeasible": "multipliers", "unbounded": "point ray"}
End = Fraction | None  # a bound of a column, if there is one


@dataclass(frozen=True)
class Program:
    """Maximise objective · x: rows with their right sides, columns between their ends."""

    rows: list[tuple[Row, Fraction]]
    objective: Row
    ends: list[tuple[End, End]]

    def is_crossed(self) -> bool:
        """Whether some lower bound is above the upper one."""
        return any(low is not None and high is not None and low > high for low, high in self.ends)

    def value(self, vector: Any, fixed: int) -> tuple[Fraction, bool]:
        """objective · x for a `vector` x, and whether it satisfies rows and bounds times `fixed`,
        0 for a ray."""
        entries = _read_vector(vector, len(self.ends))
        unit, values = whole(list(entries.values()))
        known = dict(zip(entries, values, strict=True))
        x, scale = [known.get(k, 0) for k in range(len(self.ends))], fixed * unit
        inside = all(row.allows(row.at(x) - end * row.unit * scale) for row, end in self.rows)
        between = all(
            (low is None or entry >= low * scale) and (high is None or entry <= high * scale)
            for entry, (low, high) in zip(x, self.ends, strict=True)
        )
        return Fraction(self.objective.at(x), self.objective.unit * unit), inside and between

    def bound(self, vector: Any, costs: Row) -> Fraction:
        """What `costs` · x does not exceed, by a `vector` of multipliers of rows; else rejected."""
        multipliers = _read_vector(vector, len(self.rows))
        used = multiples((y, self.rows[at][0]) for at, y in multipliers.items())
        most = sum((y * self.rows[at][1] for at, y in multipliers.items()), ZERO)
        unit, reduced = combined(len(self.ends), [(ONE, costs), *((-y, row) for y, row in used)])
        for cost, (low, high) in zip(reduced, self.ends, strict=True):
            end = high if cost > 0 else low
            prove(cost == 0 or end is not None, "the multipliers give no bound")
            most += Fraction(cost, unit) * (end or 0)
        return most


def check_program(case: Case) -> str:
    """The verdict of a `case` about a program, if its witness proves it; else raise."""
    witness, verdict = case.witness, case.claim["verdict"]
    need(type(verdict) is str, "an outcome is a text")
    fields(witness, WITNESS[verdict])
    fields(case.claim, COMMON + " value" * (verdict == "optimal"))
    need(case.relation is None, "a program has no relation")
    program = _read_program(*fields(case.model.parts, "program"))
    if verdict == "infeasible":
        bound = program.bound(witness["multipliers"], Row({}))
        prove(program.is_crossed() or bound < 0, "the multipliers prove nothing")
        return "infeasible"
    value, inside = program.value(witness["point"], 1)
    prove(inside, "the point is not feasible")
    if verdict == "unbounded":
        gain, inside = program.value(witness["ray"], 0)
        prove(inside and gain > 0, "the ray leaves the program or gains nothing")
        return "unbounded"
    bound = program.bound(witness["multipliers"], program.objective)
    optimum = read.number(case.claim["value"])
    prove(value == bound == optimum, "the optimum is not proved")
    return "optimal"


def _read_program(section: Any) -> Program:
    keys = "columns rows values matrix senses right objective lower upper"
    columns, names, listed, *coefficients, lower, upper = fields(section, keys)
    matrix, senses, right, objective = map(items, coefficients)
    width, height = (texts(part) if part != [] else 0 for part in (columns, names))
    values = read.numbers(listed)
    unit, integers = whole(values)
    rows = []
    for (places, codes), sense in zip(items(matrix, 2), senses, strict=True):
        sizes = len(indices(places, width)), len(indices(codes, len(values)))
        need(sizes[0] == sizes[1], "a row has as many values as columns")
        found = grouped(map(integers.__getitem__, codes)).items()
        rows.append(Row({v: [places[k] for k in ks] for v, ks in found}, unit, SENSES[sense]))
    known: dict[int | None, End] = {None: None, **dict(enumerate(values))}
    need(set(map(type, [*lower, *upper])) <= {int, type(None)}, "a bound is an index, or none")
    codes = (indices(part, len(values)) for part in (right, objective))
    fixed, gains = ([values[code] for code in part] for part in codes)
    need(len(rows) == height and len(gains) == len(lower) == width, "rows and columns")
    both = zip(items(lower), items(upper), strict=True)
    ends = [(known[low], known[high]) for low, high in both]
    return Program(list(zip(rows, fixed, strict=True)), Row.of(dict(enumerate(gains))), ends)


def _read_vector(value: Any, size: int) -> dict[int, Fraction]:
    places, entries = fields(value, "indices values")
    found = dict(zip(indices(places, size), read.numbers(entries), strict=True))
    need(len(found) == len(places), "an index stands twice")
    return found
