"""Certificates of kind "optimal": the smallest loss under a definition that is linear in the rows
of a mechanism, and whether a given mechanism has it.

Evidence: a mechanism of this loss; and a prior, shares and multipliers y >= 0 of the inequalities
h with prior_w loss[r][w] + Σ_h y_rh h_w >= share_w for every answer r and world w. Then every
mechanism of the definition loses at least Σ_w share_w against that prior, hence in some world.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

from .halfspaces import Halfspace, admits, key, read_halfspaces, read_multiples, read_used
from .reading import (
    ONE,
    ZERO,
    afford,
    distribution,
    fields,
    is_distribution,
    items,
    need,
    number,
    numbers,
    prove,
    read_table,
    read_vacuous,
)
from .rules import Row, is_bounded

Bounds = list[Fraction]  # an entry for each world
Matrix = Sequence[Sequence[Fraction]]  # a row per answer or output, with an entry for each world


@dataclass(frozen=True)
class Losses:
    """The loss of each answer in each world; it is expected against the `prior`, if one is given,
    and else in the worst world."""

    table: Matrix
    prior: Sequence[Fraction] | None

    def of(self, rows: Matrix) -> Fraction:
        """The loss of a mechanism that gives the answers by these `rows`."""
        pairs = zip(zip(*self.table, strict=True), zip(*rows, strict=True), strict=True)
        of_world = [_dot(costs, column) for costs, column in pairs]
        return max(of_world) if self.prior is None else _dot(self.prior, of_world)


def check_optimal(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether value and mechanism are as a `claim` expects, if it is the smallest loss of a `model`
    under a `relation`, which the `witness` proves; else raise."""
    under, level, prior = fields(relation, "under exp_epsilon prior")
    keys = "rows prior shares inequalities multipliers use"
    answers, worst, shares, inequalities, multipliers, use = fields(witness, keys)
    value, alpha, worlds = number(claim["value"]), number(level), len(model["worlds"])
    need(alpha >= 1, "a level is at least 1")
    asked = {key(one): one for one in read_halfspaces(under, model, alpha)}
    read_vacuous(claim, "value equals", not any(asked))
    losses, rows = Losses(_matrix(model["functions"]), None), _matrix(answers)
    need(losses.table and {len(row) for row in losses.table} == {worlds}, "one value per world")
    need(len(rows) == len(losses.table), "one row per answer")
    afford(len(rows) * sum(map(len, asked)) * 10)
    used = read_used(inequalities, asked, worlds)
    if prior is not None:
        losses = Losses(losses.table, distribution(prior, worlds, "a prior on the worlds"))
    mechanism = all(is_distribution(column, len(rows)) for column in zip(*rows, strict=True))
    prove(mechanism, "no mechanism: an answer has another probability")
    prove(admits(asked.values(), rows), "the mechanism is not of the definition")
    prove(losses.of(rows) <= value, "the mechanism has another loss")
    against = distribution(worst, worlds, "a prior on the worlds")
    prove(losses.prior in (None, against), "another prior")
    bounds = list(map(number, shares))
    prove(len(bounds) == worlds and sum(bounds) >= value, "the shares prove less")
    _check_shares(losses.table, against, bounds, used, multipliers)
    fits = claim["equals"] is None or number(claim["equals"]) == value
    if "columns" in model:
        return _attains(model, asked.values(), losses, value, use) and fits
    need(use is None, "there is no mechanism to be used")
    return fits


def _check_shares(
    table: Matrix, prior: Bounds, shares: Bounds, used: list[Row], multipliers: Any
) -> None:
    """Each mechanism of the definition loses the share of each world, or more, against the prior."""
    listed = [items(part, 2) for part in items(multipliers)]
    afford(4 * len(prior) * (len(table) + sum(map(len, listed))))
    for costs, part in zip(table, listed, strict=True):
        rest = (p * x - share for p, x, share in zip(prior, costs, shares, strict=True))
        terms = [(ONE, Row.of(dict(enumerate(rest)))), *read_multiples(part, used)]
        prove(is_bounded(len(prior), terms), "the multipliers do not prove the shares")


def _attains(
    model: Any, asked: Collection[Halfspace], losses: Losses, value: Fraction, use: Any
) -> bool:
    """Whether the mechanism of the model is of the definition and has this loss, once its outputs
    are interpreted as well as possible: by the given answers, or not as a prior proves."""
    rows = read_table(model).rows()
    afford(4 * len(rows) * len(losses.table) * len(model["worlds"]))
    if not admits(asked, rows):
        need(use is None, "no use of a mechanism that is not of the definition")
        return False
    answers, listed = fields(use, "answers prior")
    chosen, columns = _matrix(answers), list(zip(*rows, strict=True))
    need(len(chosen) == len(rows), "one distribution of answers per output")
    need(all(is_distribution(p, len(losses.table)) for p in chosen), "no answers")
    choices = zip(*chosen, strict=True)
    used = [[_dot(choice, column) for column in columns] for choice in choices]
    prior = distribution(listed, len(columns), "a prior on the worlds")
    if losses.of(used) <= value:
        return True
    prove(losses.prior in (None, prior), "another prior")
    weighted = [list(map(mul, prior, costs)) for costs in losses.table]
    least = sum(min(_dot(costs, row) for costs in weighted) for row in rows)
    prove(least > value, "the prior proves no larger loss")
    return False


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum(map(mul, left, right), ZERO)


def _matrix(rows: Any) -> Matrix:
    return list(map(numbers, items(rows)))
