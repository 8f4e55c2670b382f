"""Linear programs to be measured: how this package answers them, and plain checks of its proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from random import Random
from typing import Any

import numpy as np

from benchmarks import programs
from verifier.lp.channels import Channel, Equations, Garbling, garbling, garbling_program
from verifier.lp.cones import Inside, membership
from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.program import Infeasible, Optimal, Program, Vector
from verifier.lp.ratio import Largest, largest_ratio, sliced
from verifier.lp.solve import Solver, solve

Check = Callable[[], bool]
Table = list[list[int]]
YES = ("yes", "no")


@dataclass(frozen=True)
class Case:
    """One instance: how this package answers (with a check of its proof), and the program.

    unit  by which the unknowns of the program are larger than those that other solvers are given
    """

    program: Program
    feasible: bool | None
    answer: Callable[[], tuple[bool | None, Check]]
    channels: tuple[Any, Any] | None = None
    unit: int = 1


def point_holds(program: Program, point: Vector) -> bool:
    """x ≥ 0 and every row, in plain integers."""
    x, scale = point.numerators, point.denominator
    matrix = program.matrix
    columns, values = matrix.indices.tolist(), matrix.values.tolist()
    starts = matrix.indptr.tolist()
    for row, (sense, right) in enumerate(zip(program.senses.tolist(), program.right, strict=True)):
        total = sum(values[at] * x.get(columns[at], 0) for at in range(*starts[row : row + 2]))
        excess = total - scale * right
        if excess * sense < 0 or (sense == 0 and excess):
            return False
    return scale > 0 and min(x.values(), default=0) >= 0


def bound(program: Program, multipliers: Vector) -> Fraction | None:
    """y·b where it bounds the objective: y of the right signs and costs − y·A ≤ 0 in every column,
    in plain integers; else None."""
    y, scale = multipliers.numerators, multipliers.denominator
    columns, values = program.matrix.indices.tolist(), program.matrix.values.tolist()
    starts, reduced = program.matrix.indptr.tolist(), [scale * c for c in program.objective]
    for row, weight in y.items():
        if weight * int(program.senses[row]) > 0:
            return None
        for at in range(*starts[row : row + 2]):
            reduced[columns[at]] -= weight * values[at]
    total = sum(weight * program.right[row] for row, weight in y.items())
    return Fraction(total, scale * program.objective_scale) if max(reduced) <= 0 else None


def refutes(program: Program, multipliers: Vector) -> bool:
    """Whether multipliers prove that no x ≥ 0 meets the rows."""
    most = bound(program, multipliers)
    return most is not None and most < 0


def feasibility(program: Program, feasible: bool) -> Case:
    """A program for `solve`."""

    def answer() -> tuple[bool, Check]:
        outcome = solve(program)
        if isinstance(outcome, Optimal):
            return True, lambda: point_holds(program, outcome.point)
        assert isinstance(outcome, Infeasible)
        return False, lambda: refutes(program, outcome.multipliers)

    return Case(program, feasible, answer)


def near_tie() -> list[Case]:
    """All near ties of `benchmarks.programs`."""
    return [feasibility(case.program, case.feasible) for case in programs.near_ties()]


def cone(bits: int, two: bool, inside: bool, keep: Fraction = programs.KEEPS[0]) -> list[Case]:
    """Is a belief a mixture of the outputs of randomized response, or of two such channels?

    Inside: a sum of outputs with weights 0 to 9. Outside: one weight is −1; for two channels, a
    single world, since all outputs are positive.
    """
    numbers = np.random.default_rng(bits)
    rows = programs.response(bits, keep)[0]
    if two:
        other = programs.response(bits, Fraction(2, 3))[0]
        rows = np.vstack([rows, other[:, numbers.permutation(2**bits)]])
    weights = numbers.integers(0, 10, len(rows)) * (numbers.random(len(rows)) < 0.5)
    weights[0] = 1
    if not inside:
        weights[0] = -1
    point = [int(value) for value in weights @ rows]
    if two and not inside:
        point = [1] + [0] * (2**bits - 1)
    generators = full(rows)
    senses = np.zeros(len(point), dtype=np.int8)
    program = Program(generators.transposed, senses, point, [0] * len(rows))

    def answer() -> tuple[bool, Check]:
        found = membership(generators, point)
        if isinstance(found, Inside):
            return True, lambda: point_holds(program, found.weights)
        turned = {at: -value for at, value in found.separator.numerators.items()}
        return False, lambda: refutes(program, Vector(turned))

    return [Case(program, inside, answer)]


def channel(first: Any, second: Any, feasible: bool, general: bool = True) -> list[Case]:
    """Is the second channel (rows: worlds) a garbling of the first? As a general program, or by
    `garbling`; tables of integers whose rows have constant sums."""
    a, b = (Channel(full(np.array(table)), int(sum(table[0]))) for table in (first, second))
    equations = Equations.of(a, b)
    case = feasibility(garbling_program(equations), feasible)

    def answer() -> tuple[bool, Check]:
        found = garbling(a, b)
        if isinstance(found, Garbling):
            return True, lambda: makes(first, second, found.channel)
        return False, lambda: pays(first, second, found.payoff)

    exact = tuple(
        [[str(Fraction(int(v), part.scale)) for v in row] for row in table]
        for part, table in ((a, first), (b, second))
    )
    return [
        replace(
            case,
            answer=case.answer if general else answer,
            channels=(exact[0], exact[1]),
            unit=equations.scale,
        )
    ]


def makes(first: Any, second: Any, found: Vector) -> bool:
    """Whether first · X = second for a stochastic X, in plain integers."""
    inner, outer = len(first[0]), len(second[0])
    flat = [found.numerators.get(at, 0) for at in range(inner * outer)]
    x = [flat[at : at + outer] for at in range(0, len(flat), outer)]
    if min(flat) < 0 or any(sum(row) != found.denominator for row in x):
        return False
    ours, theirs = int(sum(first[0])), int(sum(second[0]))
    return all(
        theirs * sum(int(v) * row[j] for v, row in zip(line, x, strict=True))
        == ours * found.denominator * int(wanted[j])
        for line, wanted in zip(first, second, strict=True)
        for j in range(outer)
    )


def pays(first: Any, second: Any, payoff: Vector) -> bool:
    """Whether payoffs earn more from the second channel than from the first, in plain integers."""
    outer = len(second[0])
    u = [
        [payoff.numerators.get(w * outer + j, 0) for j in range(outer)] for w in range(len(second))
    ]
    ours, theirs = int(sum(first[0])), int(sum(second[0]))
    earned = sum(
        p * int(v)
        for line, row in zip(u, second, strict=True)
        for p, v in zip(line, row, strict=True)
    )
    best = sum(
        max(sum(line[j] * int(v) for line, v in zip(u, column, strict=True)) for j in range(outer))
        for column in zip(*first, strict=True)
    )
    return ours * earned > theirs * best


def response_channel(bits: int, feasible: bool, by_inverse: bool = False) -> list[Case]:
    """Keeping bits with 3/4 and then with 2/3; or, not possible, the other way round. The channels
    are symmetric, so rows may be worlds or outputs."""
    pair = [programs.response(bits, keep) for keep in (Fraction(3, 4), Fraction(2, 3))]
    first, second = pair if feasible else pair[::-1]
    inverse = channel(first[0], second[0], feasible, False)
    if by_inverse:
        return inverse
    case = feasibility(programs.refinement(first, second), feasible)
    return [replace(case, channels=inverse[0].channels)]


def random_channel(worlds: int, inner: int, outer: int, feasible: bool) -> list[Case]:
    """A random channel over the denominator 1000 and a garbling of it; or the same with one entry
    of the post-processing negative."""
    numbers = np.random.default_rng(worlds)

    def table(rows: int, columns: int) -> Any:
        cuts = np.sort(numbers.integers(1, 1000, (rows, columns - 1)), axis=1)
        return np.diff(cuts, axis=1, prepend=0, append=1000)

    first, then = table(worlds, inner), table(inner, outer)
    if not feasible:
        then[0, :2] = -1, then[0, 0] + then[0, 1] + 1
    return channel(first, first @ then, feasible)


def wide_channel(sizes: tuple[int, int, int], kind: str, feasible: bool) -> list[Case]:
    """A random channel with more outputs than worlds, and a garbling of it, or an unrelated one.

    sizes  worlds, outputs of the first, outputs of the second
    kind   `full`: without zeros; `sparse`: half of the first channel's entries are 0; `half`: half
           of the post-processing's; `merged`: each output of the first becomes one of the second;
           `unused`: the same, and the second has outputs that never occur; `tie`: the channel
           that earns most from some payoffs, a 1000th of it a garbling that earns less, or a
           channel that earns more
    """
    (worlds, inner, outer), random = sizes, Random(f"{sizes} {kind}")

    def table(rows: int, columns: int, empty: float = 0) -> Table:
        found = []
        for _ in range(rows):
            row = [random.randint(1, 12) * (random.random() >= empty) for _ in range(columns)]
            row[random.randrange(columns)] += 1
            found.append(row)
        return found

    first = level(table(worlds, inner, 0.5 if kind == "sparse" else 0))
    then = level(table(inner, outer, 0.5 if kind == "half" else 0))
    second = level(table(worlds, outer))
    if kind in ("merged", "unused"):
        used = outer if kind == "merged" else outer // 2
        then = chosen([i % used for i in range(inner)], outer)
    if kind == "tie":
        payoffs = table(worlds, outer)
        earned = np.array(first, object).T @ np.array(payoffs, object)
        richest = chosen(earned.argmax(axis=1).tolist(), outer)
        then = blend(richest, then)
        known = chosen([row.index(max(row)) for row in payoffs], outer)
        second = blend(composed(first, richest), known)
    if feasible:
        second = composed(first, then)
    return channel(np.array(first, object), np.array(second, object), feasible, False)


def composed(first: Table, then: Table) -> Table:
    """One table times the other."""
    return (np.array(first, object) @ np.array(then, object)).tolist()


def chosen(outputs: list[int], outer: int) -> Table:
    """The channel that becomes these outputs, out of `outer` many."""
    return [[int(j == at) for j in range(outer)] for at in outputs]


def blend(most: Table, rest: Table, part: int = 1000) -> Table:
    """All of the first table but a part, which is of the second."""
    sums = sum(most[0]), sum(rest[0])
    pairs = zip(most, rest, strict=True)
    return [
        [(part - 1) * sums[1] * a + sums[0] * b for a, b in zip(*rows, strict=True)]
        for rows in pairs
    ]


def level(rows: Table) -> Table:
    """The rows, multiplied so that all have one sum."""
    whole = lcm(*map(sum, rows))
    return [[value * (whole // sum(row)) for value in row] for row in rows]


def odds(instance: programs.Odds) -> list[Case]:
    """The largest odds ratio: no question of feasibility, so without peers."""
    program = sliced(instance.cone)

    def answer() -> tuple[None, Check]:
        found = largest_ratio(Solver(program), instance.above, instance.below)
        assert isinstance(found, Largest)
        p, q = found.value.numerator, found.value.denominator
        costs = [q * a - p * b for a, b in zip(instance.above, instance.below, strict=True)]
        common = gcd(*costs)
        best = program.with_(objective=[cost // common for cost in costs])
        return (
            None,
            lambda: point_holds(program, found.point) and bound(best, found.proof.multipliers) == 0,
        )

    return [Case(program, None, answer)]


def marginal_odds(bits: int) -> list[Case]:
    """Priors with bands on marginals of one and two bits."""
    return odds(programs.odds_over_marginals(bits))


def sparse_odds(bits: int) -> list[Case]:
    """Priors with bands between neighbours."""
    return odds(programs.odds_over_sparse_bands(bits))


def full(table: Any) -> IntegerMatrix:
    """A table as a matrix."""
    m, n = table.shape
    return IntegerMatrix((m, n), np.arange(m + 1) * n, np.tile(np.arange(n), m), table.reshape(-1))


WIDE = {  # unknowns of the program -> worlds, outputs of the first and of the second channel
    224: (12, 16, 14),
    1440: (32, 40, 36),
    3000: (48, 60, 50),
    5600: (64, 80, 70),
    9720: (90, 108, 90),
}
KINDS = {
    "full": (1440, 3000, 5600, 9720),
    "sparse": (1440, 3000, 5600),
    "half": (1440, 3000, 5600),
    "merged": (1440, 3000, 5600),
    "unused": (1440, 3000, 5600),
    "tie": (224, 1440, 3000),
}

FAMILIES: dict[str, Callable[[], list[Case]]] = {
    "near-tie": near_tie,
    **{
        f"cone-{bits}-{channels}-{where}": partial(cone, bits, channels == "two", where == "in")
        for bits in (7, 8, 9, 10)
        for channels in ("one", "two")
        for where in ("in", "out")
    },
    **{f"inverse-6-{yes}": partial(response_channel, 6, yes == "yes", True) for yes in YES},
    **{f"response-6-{yes}": partial(response_channel, 6, yes == "yes") for yes in YES},
    **{f"random-366-{yes}": partial(random_channel, 16, 14, 22, yes == "yes") for yes in YES},
    **{f"random-1447-{yes}": partial(random_channel, 33, 28, 43, yes == "yes") for yes in YES},
    **{
        f"{kind}-{size}-{yes}": partial(wide_channel, WIDE[size], kind, yes == "yes")
        for kind, sizes in KINDS.items()
        for yes in YES
        for size in sizes
    },
    **{f"odds-marginal-{bits}": partial(marginal_odds, bits) for bits in (10, 12, 14, 16)},
    **{f"odds-sparse-{bits}": partial(sparse_odds, bits) for bits in (10, 12, 14)},
}
