"""Sets of priors given by coordinates: mixtures of given priors, or weights of worlds.

Priors are points x >= 0, scaled as one likes, of a cone {x : every row holds}. For `hull` the
coordinates are the weights of the given priors, and there are no rows; for `constraints` they are
the weights of the worlds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from verifier.base.cell import Symbolic
from verifier.base.errors import LimitReached
from verifier.base.nouns import Later, dataclass

if TYPE_CHECKING:
    from verifier.lp.model.program import Outcome, Program

SIGNS = {"<=": -1, "=": 0}


@dataclass(frozen=True, eq=False)
class Row(Later):
    """Σ coefficient · x over the coordinates is <= 0, or = 0; those left out have coefficient 0.

    Coefficients are integers, or numbers where the row depends on a parameter.
    """

    sense: str
    coefficients: Mapping[Any, Sequence[int]]

    def statement(self) -> dict[str, Any]:
        """The row as it stands in a certificate."""
        groups = {str(value): list(places) for value, places in self.coefficients.items()}
        return {"sense": self.sense, "coefficients": groups}


@dataclass(frozen=True, eq=False)
class Cone(Later):
    """The x >= 0 with so many coordinates that satisfy the rows."""

    size: int
    rows: Sequence[Row] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all coefficients are integers, as they are where no parameter stands in them."""
        return all(type(value) is int for row in self.rows for value in row.coefficients)

    def program(self, *equations: Sequence[int]) -> Program:
        """The rows of the cone, then equations with these dense coefficients; right sides are 0,
        and so is the objective. Symbolic is raised where a row depends on a parameter."""
        import numpy as np

        from verifier.lp.model.integers import IntegerMatrix
        from verifier.lp.model.program import Program

        if not self.is_whole:
            raise Symbolic
        starts, places, values = [0], [], []
        for row in self.rows:
            pairs = [(at, value) for value, listed in row.coefficients.items() for at in listed]
            places += [at for at, _ in sorted(pairs)]
            values += [value for _, value in sorted(pairs)]
            starts.append(len(places))
        for equation in equations:
            places += [at for at, value in enumerate(equation) if value]
            values += [value for value in equation if value]
            starts.append(len(places))
        height = len(self.rows) + len(equations)
        signs = [SIGNS[row.sense] for row in self.rows] + [0] * len(equations)
        return Program(
            IntegerMatrix((height, self.size), starts, places, values),
            np.array(signs, dtype=np.int8),
            [0] * height,
            [0] * self.size,
        )

    def face(self, kept: Sequence[int]) -> Cone:
        """The cone of the points that are 0 outside the kept coordinates, which are renumbered."""
        place = {at: k for k, at in enumerate(kept)}
        rows = [
            Row(
                row.sense,
                {
                    value: [place[at] for at in listed if at in place]
                    for value, listed in row.coefficients.items()
                },
            )
            for row in self.rows
        ]
        return Cone(len(kept), rows)


def rays(cone: Cone, most: int) -> list[dict[int, int]]:
    """The extreme rays of a `cone`, each by its positive coordinates, in coprime integers.

    Coordinates with the same coefficients in all rows stand for each other: of each such class a
    ray has one at most, so that rays of the classes, which are fewer, tell them all. Raises
    LimitReached where there are over `most`, Symbolic where the cone depends on a parameter.
    """
    from verifier.lp.exact.double_description import dual, unit

    if not cone.is_whole:
        raise Symbolic
    places = _alike(cone)
    sides = [unit(len(places), k) for k in range(len(places))]
    for number, row in enumerate(cone.rows):
        side = tuple(-dict(column).get(number, 0) for column in places)
        sides += [side, tuple(-x for x in side)] if row.sense == "=" else [side]
    classes = list(places.values())
    found = [
        [(classes[k], x) for k, x in enumerate(ray) if x] for ray in dual(sides, 4 * most).rays
    ]
    if sum(prod(len(ats) for ats, _ in ray) for ray in found) > most:
        raise LimitReached(f"the class of priors has more than {most} corners")
    return [
        dict(zip(chosen, (x for _, x in ray), strict=True))
        for ray in found
        for chosen in product(*(ats for ats, _ in ray))
    ]


def rays_of_functions(cone: Cone, most: int) -> list[dict[int, Any]]:
    """The extreme rays of a `cone` whose rows may depend on a parameter, each by its positive
    coordinates; LimitReached where there are over `most` at any one time.

    Rows are added one after the other: rays beyond one go, and each adjacent pair on both sides of
    it gives a new one on it. Two are adjacent where no third one is 0 wherever both are.
    """
    found: list[tuple[dict[int, Any], frozenset[int]]] = [
        ({k: 1}, frozenset(range(cone.size)) - {k}) for k in range(cone.size)
    ]
    for number, row in enumerate(cone.rows, cone.size):
        entries = {at: value for value, places in row.coefficients.items() for at in places}
        sides: dict[int, list[tuple[dict[int, Any], frozenset[int], Any]]] = {-1: [], 0: [], 1: []}
        for ray, zeros in found:
            height = sum(x * entries[at] for at, x in ray.items() if at in entries)
            sides[(height > 0) - (height < 0)].append((ray, zeros, height))
        kept = [(ray, zeros | {number}) for ray, zeros, _ in sides[0]]
        for one, near, up in sides[1]:
            for other, far, down in sides[-1]:
                both = near & far
                if sum(both <= zeros for _, zeros in found) == 2:
                    places = sorted({*one, *other})
                    ray = {at: up * other.get(at, 0) - down * one.get(at, 0) for at in places}
                    kept.append((ray, both | {number}))
        if row.sense == "<=":
            kept += [(ray, zeros) for ray, zeros, _ in sides[-1]]
        found = kept
        if len(found) > most:
            raise LimitReached(f"the class of priors has more than {most} corners")
    return [ray for ray, _ in found]


def _alike(cone: Cone) -> dict[tuple[tuple[int, int], ...], list[int]]:
    """The coordinates of a `cone` by their coefficients: numbers of rows, and what stands there."""
    columns: list[list[tuple[int, int]]] = [[] for _ in range(cone.size)]
    for number, row in enumerate(cone.rows):
        for value, listed in row.coefficients.items():
            for at in listed:
                columns[at].append((number, value))
    found: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for at, column in enumerate(columns):
        found.setdefault(tuple(column), []).append(at)
    return found


def is_empty(cone: Cone) -> bool:
    """Whether 0 is the only point of a `cone`."""
    from verifier.lp.model.program import Infeasible

    return isinstance(next(largest(cone, [[0] * cone.size])), Infeasible)


def largest(cone: Cone, objectives: Iterable[Sequence[int]]) -> Iterator[Outcome]:
    """The outcomes of maximising each of the `objectives` over the points of a `cone` of sum 1."""
    from verifier.lp.solve import Solver

    solver = Solver(cone.program([1] * cone.size)) if cone.is_whole else None
    right = [0] * len(cone.rows) + [1]
    return (
        solver.maximise(objective, right)
        if solver is not None and set(map(type, objective)) <= {int}
        else maximum(cone, [[1] * cone.size], objective, right)
        for objective in objectives
    )


def maximum(
    cone: Cone, equations: Sequence[Sequence[Any]], objective: Sequence[Any], right: Sequence[Any]
) -> Outcome:
    """The outcome of maximising an objective over the points of a cone that satisfy equations,
    where numbers may be made of powers of e.

    cone       with rows
    equations  their left sides
    objective  one number for each coordinate
    right      right sides of the rows and of the equations
    """
    from verifier.lp.solve import solve_rows

    return solve_rows(cone.size, listed(cone, equations, right), terms(objective))


def listed(cone: Cone, equations: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any]:
    """The rows of a `cone`, then the `equations`, with these `right` sides."""
    from verifier.lp.model.program import Row as Inequality

    rows = [
        ({at: value for value, places in row.coefficients.items() for at in places}, row.sense)
        for row in cone.rows
    ]
    both = [*rows, *((terms(equation), "=") for equation in equations)]
    return [Inequality("", row, sense, end) for (row, sense), end in zip(both, right, strict=True)]


def terms(row: Sequence[Any]) -> dict[int, Any]:
    """The entries of a `row` that are not 0, by coordinate."""
    return {at: value for at, value in enumerate(row) if value}


def impossible(cone: Cone, masses: Mapping[str, Sequence[Fraction]]) -> dict[str, list[Fraction]]:
    """The secrets that no point of a cone makes possible, with proofs.

    cone    has a point other than 0
    masses  secret -> its probability at each coordinate

    A proof is a list of multipliers y of the rows, y >= 0 for <=: at every coordinate k the
    probability is at most Σ_i y_i G_ik.
    """
    if not cone.rows:
        return {name: [] for name, mass in masses.items() if not any(mass)}
    from verifier.lp.model.program import Optimal

    outcomes = largest(cone, ([int(m > 0) for m in mass] for mass in masses.values()))
    return {
        name: outcome.multipliers.dense(len(cone.rows))
        for name, outcome in zip(masses, outcomes, strict=True)
        if isinstance(outcome, Optimal) and not outcome.value
    }
