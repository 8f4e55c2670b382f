"""Certificates of kind "program": the outcome of a linear program with named rows and columns.

Weak duality: with y >= 0 for rows <=, y <= 0 for rows >= and d = c − y A, every feasible x has
c x = y A x + d x <= y b + Σ d_j · (upper_j where d_j > 0, lower_j where d_j < 0).
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import compress
from math import lcm
from operator import mul
from typing import Any

from .reading import Rejected, afford, fields, indices, items, need, number, numbers, texts

WITNESS = {"optimal": "point multipliers", "infeasible": "multipliers", "unbounded": "point ray"}
SIGNS = {"<=": -1, "=": 0, ">=": 1}


def check_program(claim: Any, model: Any, relation: Any, witness: Any) -> str:
    """The verdict, if the evidence proves it (and the value of an optimum); else raise."""
    need(type(claim["verdict"]) is str, "an outcome is a text")
    verdict = str(claim["verdict"])
    fields(witness, WITNESS[verdict])
    fields(claim, "definition kind verdict digest" + " value" * (verdict == "optimal"))
    fields(model, "program")
    need(relation is None, "a program has no relation")
    program = _Program(model["program"])
    if verdict == "infeasible":
        bound = program.bound(witness["multipliers"], [0] * program.width)
        need(program.crossed() or bound < 0, "the multipliers prove nothing", Rejected)
        return verdict
    value, inside = program.point(witness["point"], 1)
    need(inside, "the point is not feasible", Rejected)
    if verdict == "unbounded":
        gain, inside = program.point(witness["ray"], 0)
        need(inside and gain > 0, "the ray leaves the program or gains nothing", Rejected)
        return verdict
    bound = program.bound(witness["multipliers"], program.objective)
    need(value == bound == number(claim["value"]), "the optimum is not proved", Rejected)
    return verdict


class _Program:
    """All numbers as integers, times `scale`."""

    def __init__(self, section: Any) -> None:
        fields(section, "columns rows values matrix senses right objective lower upper")
        names = section["columns"], section["rows"]
        self.width, height = (texts(part) if part != [] else 0 for part in names)
        self.values, self.scale = _whole(numbers(section["values"]))
        size = len(self.values)
        self.matrix = items(section["matrix"], 2)
        self.senses = [SIGNS[s] for s in items(section["senses"])]
        for places, codes in self.matrix:
            sizes = len(indices(places, self.width)), len(indices(codes, size))
            need(sizes[0] == sizes[1], "a row has as many values as columns")
        self.right, self.objective = map(self._coded, (section["right"], section["objective"]))
        self.lower, self.upper = map(self._bounds, (section["lower"], section["upper"]))
        need(len(self.right) == len(self.senses) == len(self.matrix) == height, "rows")
        ends = (self.objective, self.lower, self.upper)
        need(all(len(end) == self.width for end in ends), "columns")

    def _coded(self, codes: Any) -> list[int]:
        return [self.values[code] for code in indices(codes, len(self.values))]

    def _bounds(self, codes: Any) -> list[int | None]:
        known: dict[int | None, int | None] = {None: None, **dict(enumerate(self.values))}
        need(type(codes) is list and set(map(type, codes)) <= {int, type(None)}, "bounds")
        return [known[code] for code in codes]

    def crossed(self) -> bool:
        """Whether some lower bound is above the upper one."""
        ends = zip(self.lower, self.upper, strict=True)
        return any(low is not None and high is not None and low > high for low, high in ends)

    def point(self, vector: Any, fixed: int) -> tuple[Fraction, bool]:
        """objective · x, and whether x fits rows and bounds, all times `fixed`, 0 for a ray."""
        entries, unit = _vector(vector, self.width)
        x = [entries.get(column, 0) for column in range(self.width)]
        inside, unit_fixed = True, unit * fixed
        for (places, codes), sign, right in zip(self.matrix, self.senses, self.right, strict=True):
            found = list(map(x.__getitem__, places))  # mostly 0
            used = map(self.values.__getitem__, compress(codes, found))
            over = sum(map(mul, used, filter(None, found))) - right * unit_fixed
            inside &= over == 0 or over * sign > 0
        for entry, low, high in zip(x, self.lower, self.upper, strict=True):
            inside &= low is None or entry * self.scale >= low * unit_fixed
            inside &= high is None or entry * self.scale <= high * unit_fixed
        gain = sum(self.objective[column] * entry for column, entry in entries.items())
        return Fraction(gain, unit * self.scale), inside

    def bound(self, vector: Any, costs: list[int]) -> Fraction:
        """What costs · x does not exceed, by multipliers of the rows; else rejected."""
        entries, unit = _vector(vector, len(self.matrix))
        reduced, total = [unit * cost for cost in costs], 0
        for row, y in entries.items():
            need(y * self.senses[row] <= 0, "a multiplier has the wrong sign", Rejected)
            total += y * self.right[row] * self.scale
            places, codes = self.matrix[row]
            shares = {code: y * self.values[code] for code in set(codes)}
            for column, code in zip(places, codes, strict=True):
                reduced[column] -= shares[code]
        for cost, low, high in zip(reduced, self.lower, self.upper, strict=True):
            if cost:
                end = high if cost > 0 else low
                if end is None:
                    raise Rejected("the multipliers give no bound")
                total += cost * end
        return Fraction(total, unit * self.scale**2)


def _vector(value: Any, size: int) -> tuple[dict[int, int], int]:
    """Sparse entries over a common denominator."""
    fields(value, "indices values")
    places = indices(value["indices"], size)
    entries, unit = _whole(numbers(value["values"]))
    need(len(set(places)) == len(places), "an index stands twice")
    return dict(zip(places, entries, strict=True)), unit


def _whole(fractions: Iterable[Fraction]) -> tuple[list[int], int]:
    """The fractions times their common denominator, and it."""
    terms, unit = list(fractions), 1
    for denominator in {term.denominator for term in terms}:
        unit = lcm(unit, denominator)
        afford(unit.bit_length() * len(terms))
    return [term.numerator * (unit // term.denominator) for term in terms], unit
