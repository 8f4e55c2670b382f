"""The best mechanism for a stated loss under a definition that is linear in its rows.

A mechanism answers r in world w with probability X[r, w], which costs loss[r][w]. Against a prior
its loss is Σ_w θ_w Σ_r loss[r][w] X[r, w]; without one, the largest expected loss of a world. Both
are linear programs. Multipliers of the optimum prove that no mechanism is better; in the second
case they contain a least favourable prior, against which none is better either (Ghosh,
Roughgarden, Sundararajan 2009; Gupte, Sundararajan 2010, for counts).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.base.halfspaces import Halfspaces

if TYPE_CHECKING:
    import cvxpy

    from verifier.lp.model.program import Optimal, Row

Matrix = Sequence[Sequence[Fraction]]  # one row for each answer, one entry for each world


@dataclass(frozen=True)
class Optimum:
    """The smallest loss, a mechanism that has it, and why there is no better one.

    With cost[r][w] = prior_w · loss[r][w], every mechanism X that satisfies the halfspaces costs
    at least Σ_w shares_w: cost[r][w] + Σ_h multipliers[r][h] h_w >= shares_w for all r and w.

    rows         the mechanism, one row for each answer
    prior        the given one, or a least favourable one
    multipliers  for every answer: number of a halfspace -> multiplier > 0
    """

    loss: Fraction
    rows: Matrix
    prior: Sequence[Fraction]
    shares: Sequence[Fraction]
    multipliers: Sequence[Mapping[int, Fraction]]


@dataclass(frozen=True)
class Use:
    """The smallest loss of those who see a mechanism and answer as they like.

    answers  one distribution over the answers for each output of the mechanism; of several times
             the probability that it is run
    prior    against which no other answers are better
    """

    loss: Fraction
    answers: Matrix
    prior: Sequence[Fraction]


def best_mechanism(
    loss: Matrix, halfspaces: Halfspaces, prior: Sequence[Fraction] | None = None
) -> Optimum:
    """The best mechanism whose rows satisfy the halfspaces, for a prior or for the worst world.

    >>> one, zero = Fraction(1), Fraction(0)
    >>> pure = Halfspaces(2, [{0: 1, 1: -3}, {0: -3, 1: 1}], ["", ""])
    >>> best_mechanism([[zero, one], [one, zero]], pure).loss
    Fraction(1, 4)
    """
    from verifier.lp.model.program import Row

    size, answers, asked = halfspaces.worlds, range(len(loss)), len(halfspaces.rows)
    sums = [Row("", {r * size + w: 1 for r in answers}, "=", 1) for w in range(size)]
    private = [
        Row("", {r * size + w: h for w, h in row.items()}, "<=", 0)
        for r in answers
        for row in halfspaces.rows
    ]
    of_world = [{r * size + w: row[w] for r, row in enumerate(loss)} for w in range(size)]
    found, theta, y = _minimise(of_world, len(loss) * size, [*sums, *private], prior)
    of_answer = [y[size + r * asked : size + (r + 1) * asked] for r in answers]
    return Optimum(
        -found.value,
        [[found.point.fraction(r * size + w) for w in range(size)] for r in answers],
        theta,
        [-share for share in y[:size]],
        [{h: value for h, value in enumerate(listed) if value} for listed in of_answer],
    )


def best_use(given: Sequence[Matrix], loss: Matrix, prior: Sequence[Fraction] | None = None) -> Use:
    """The best answers to the outputs of given mechanisms: a mixture of post-processings of them.

    given  the rows of each; answers are those to all outputs, one mechanism after the other, times
           the probability that it is run
    loss   of each answer in each world
    prior  of the worlds; None for the least favourable one
    """
    from verifier.lp.model.program import Row

    rows = [row for one in given for row in one]
    outputs, answers, size = range(len(rows)), range(len(loss)), len(rows) * len(loss)
    runs = [size + k for k, one in enumerate(given) for _ in one]
    sums = [
        Row("", {**{o * len(loss) + r: 1 for r in answers}, runs[o]: -1}, "=", 0) for o in outputs
    ]
    sums.append(Row("", dict.fromkeys(runs, 1), "=", 1))
    of_world = [
        {o * len(loss) + r: loss[r][w] * rows[o][w] for o in outputs for r in answers}
        for w in range(len(rows[0]))
    ]
    found, theta, _ = _minimise(of_world, size + len(given), sums, prior)
    chosen = [[found.point.fraction(o * len(loss) + r) for r in answers] for o in outputs]
    return Use(-found.value, chosen, theta)


def _minimise(
    of_world: Sequence[Mapping[int, Fraction]],
    columns: int,
    rows: Sequence[Row],
    prior: Sequence[Fraction] | None,
) -> tuple[Optimal, Sequence[Fraction], list[Fraction]]:
    """The outcome of maximising minus the loss, where `of_world` has that of each world; the
    prior, given or least favourable; and the multipliers of the rows."""
    from verifier.lp.model.program import Optimal, Row
    from verifier.lp.solve import solve_rows

    if prior is not None:
        gains: dict[int, Fraction] = {}
        for weight, terms in zip(prior, of_world, strict=True):
            for at, value in terms.items():
                gains[at] = gains.get(at, Fraction(0)) - weight * value
        above, found = 0, solve_rows(columns, rows, gains)
    else:
        most = [Row("", {**terms, columns: -1}, "<=", 0) for terms in of_world]
        above, loss = len(most), {columns: Fraction(-1)}
        found = solve_rows(columns + 1, [*most, *rows], loss, free=[columns])
    assert isinstance(found, Optimal)  # feasible: always the same answer; bounded: X <= 1
    y = found.multipliers.dense(above + len(rows))
    return found, y[:above] if prior is None else prior, y[above:]


@dataclass(frozen=True)
class Modelled:
    """The optimum of a problem of the user's own, and a certificate of kind "program" for it."""

    value: Fraction
    rows: Matrix
    certificate: dict[str, Any]


def best_modelled(
    objective: cvxpy.Minimize,
    constraints: Sequence[cvxpy.Constraint],
    mechanism: cvxpy.Variable,
    halfspaces: Halfspaces,
) -> Modelled | None:
    """The best mechanism for a linear objective under linear side constraints, written in cvxpy
    about a variable of shape (answers, worlds); None where no mechanism satisfies them all.

    That the entries are probabilities, and the rows in the halfspaces, need not be written.
    Numbers of cvxpy are read as decimals, see verifier.lp.convex; ValueError where the problem is
    not linear, or has no best mechanism.
    """
    import cvxpy

    from verifier.lp import convex
    from verifier.lp.model import certificate
    from verifier.lp.model.program import Infeasible, Optimal, Program, Row
    from verifier.lp.solve import solve

    answers, size = mechanism.shape
    if size != halfspaces.worlds:
        raise ValueError(f"a variable for {size} worlds, where there are {halfspaces.worlds}")
    columns = cvxpy.sum(mechanism, axis=0) == 1
    given = convex.parts(cvxpy.Problem(objective, [*constraints, columns]))
    first = given.first[mechanism.id]
    place = [[first + w * answers + r for w in range(size)] for r in range(answers)]
    private = [
        Row(f"answer {r + 1}: {name}", {place[r][w]: h for w, h in row.items()}, "<=", 0)
        for r in range(answers)
        for row, name in zip(halfspaces.rows, halfspaces.names, strict=True)
    ]
    names = [f"x{column + 1}" for column in range(given.columns)]
    free = {c: None for c in range(given.columns) if not first <= c < first + answers * size}
    gains = {column: -cost for column, cost in given.costs.items()}
    program = Program.build(names, [*given.rows, *private], gains, lower=free)
    found = solve(program)
    if isinstance(found, Infeasible):
        return None
    if not isinstance(found, Optimal):
        raise ValueError("the objective can be as small as one likes")
    rows = [[found.point.fraction(column) for column in line] for line in place]
    return Modelled(given.offset - found.value, rows, certificate.document(program, found))
