"""Certificates of kind "optimal": the smallest loss under a definition that is linear in the rows
of a mechanism, and whether a given mechanism has it.

Evidence: a mechanism of this loss; and a prior, shares and multipliers y >= 0 of the inequalities
h with prior_w loss[r][w] + Σ_h y_rh h_w >= share_w for every answer r and world w. Then every
mechanism of the definition loses at least Σ_w share_w against that prior, hence in some world.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from .halfspaces import Halfspace as Row
from .halfspaces import key, read_halfspaces
from .halfspaces import read_halfspace as read_row
from .level import read_vacuous
from .reading import (
    Rejected,
    afford,
    fields,
    indices,
    items,
    need,
    number,
    numbers,
    read_table,
)

Matrix = list[list[Fraction]]


def check_optimal(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether value and mechanism are as expected, if it is the smallest loss; else raise."""
    fields(relation, "under exp_epsilon prior")
    fields(witness, "rows prior shares inequalities multipliers use")
    value, alpha = number(claim["value"]), number(relation["exp_epsilon"])
    need(alpha >= 1, "a level is at least 1")
    asked = {key(row): row for row in read_halfspaces(relation["under"], model, alpha)}
    read_vacuous(claim, "value equals", not any(asked))
    loss, rows = _matrix(model["functions"]), _matrix(witness["rows"])
    worlds = len(model["worlds"])
    need(loss and {len(row) for row in loss} == {worlds}, "a loss has one value per world")
    need(len(rows) == len(loss), "one row per answer")
    afford(len(loss) * sum(map(len, asked)) * 10)
    used = [read_row(row, worlds) for row in items(witness["inequalities"])]
    need(all(key(row) in asked for row in used), "another inequality", Rejected)
    given = None if relation["prior"] is None else _distribution(relation["prior"], worlds)
    for column in zip(*rows, strict=True):
        need(min(column) >= 0 and sum(column) == 1, "no mechanism", Rejected)
    need(_admits(asked.values(), rows), "the mechanism is not of the definition", Rejected)
    need(_loss(loss, rows, given) <= value, "the mechanism has another loss", Rejected)
    prior = _distribution(witness["prior"], worlds)
    need(given in (None, prior), "another prior", Rejected)
    shares = list(map(number, witness["shares"]))
    need(len(shares) == worlds and sum(shares) >= value, "the shares prove less", Rejected)
    multipliers = [items(listed, 2) for listed in items(witness["multipliers"])]
    afford(4 * worlds * (len(loss) + sum(map(len, multipliers))))
    for costs, listed in zip(loss, multipliers, strict=True):
        rest = [p * x - share for p, x, share in zip(prior, costs, shares, strict=True)]
        indices([h for h, _ in listed], len(used))
        for h, y in listed:
            need(number(y) >= 0, "a multiplier is negative", Rejected)
            for w, factor in used[h].items():
                rest[w] += number(y) * factor
        need(min(rest) >= 0, "the multipliers do not prove the shares", Rejected)
    fits = claim["equals"] is None or number(claim["equals"]) == value
    if "columns" in model:
        return _attains(model, asked.values(), loss, given, value, witness["use"]) and fits
    need(witness["use"] is None, "there is no mechanism to be used")
    return fits


def _attains(
    model: Any, asked: Iterable[Row], loss: Matrix, given: Any, value: Fraction, use: Any
) -> bool:
    """Whether the mechanism of the model is of the definition and has this loss, once its outputs
    are interpreted as well as possible: by the given answers, or not as a prior proves."""
    values, columns = read_table(model)
    rows = [[values[code] for code in codes] for codes in zip(*columns, strict=True)]
    afford(4 * len(rows) * (len(loss) * len(columns) + sum(map(len, asked))))
    if not _admits(asked, rows):
        need(use is None, "no use of a mechanism that is not of the definition")
        return False
    fields(use, "answers prior")
    answers = _matrix(use["answers"])
    need(len(answers) == len(rows), "one distribution of answers per output")
    for listed in answers:
        need(len(listed) == len(loss) and min(listed) >= 0 and sum(listed) == 1, "no answers")
    used = [
        [_dot(choice, column) for column in _transposed(rows)] for choice in _transposed(answers)
    ]
    prior = _distribution(use["prior"], len(model["worlds"]))
    if _loss(loss, used, given) <= value:
        return True
    need(given in (None, prior), "another prior", Rejected)
    weighted = [[p * x for p, x in zip(prior, costs, strict=True)] for costs in loss]
    least = sum(min(_dot(costs, row) for costs in weighted) for row in rows)
    need(least > value, "the prior proves no larger loss", Rejected)
    return False


def _transposed(rows: Sequence[Sequence[Fraction]]) -> list[tuple[Fraction, ...]]:
    return list(zip(*rows, strict=True))


def _loss(loss: Matrix, rows: Sequence[Sequence[Any]], prior: Any) -> Fraction:
    """The expected loss against a prior, or the largest of a world."""
    pairs = zip(_transposed(loss), zip(*rows, strict=True), strict=True)
    of_world = [_dot(costs, column) for costs, column in pairs]
    return max(of_world) if prior is None else _dot(prior, of_world)


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(left, right, strict=True)), Fraction(0))


def _admits(asked: Iterable[Row], rows: Sequence[Sequence[Fraction]]) -> bool:
    return all(sum(h * row[w] for w, h in terms.items()) <= 0 for row in rows for terms in asked)


def _distribution(listed: Any, size: int) -> list[Fraction]:
    found = numbers(listed)
    fits = len(found) == size and min(found) >= 0 and sum(found) == 1
    need(fits, "no distribution on the worlds", Rejected)
    return found


def _matrix(rows: Any) -> Matrix:
    return list(map(numbers, items(rows)))
