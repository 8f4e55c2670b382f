"""A comparison of functions of parameters, at values of these: one of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from verifier.questions.claim import ComparisonClaim
from verifier.questions.witness import Belief

Valued = Callable[[Fraction], Fraction]  # a function at the values of its parameters


def instance(claim: ComparisonClaim, valued: Valued) -> ComparisonClaim:
    """The claim for some values of the parameters.

    claim   about functions, on the cell to which the values belong
    valued  what a number of it is there
    """
    level = replace(claim.level, exp_epsilon=valued(claim.level.exp_epsilon or Fraction(1)))
    return replace(
        claim,
        mechanism=_matrix(claim.mechanism, valued),
        compared=_matrix(claim.compared, valued),
        relation=replace(claim.relation, statement=_statement(claim.relation.statement, valued)),
        level=level,
        delta=valued(claim.delta),
        describe=lambda left, right: _belief(claim.describe(left, right), valued),
    )


def _belief(belief: Belief, valued: Valued) -> Belief:
    prior = {world: valued(probability) for world, probability in belief.prior.items()}
    positive = {world: probability for world, probability in prior.items() if probability}
    return replace(belief, prior=positive, odds=valued(belief.odds))


def _matrix(matrix: Any, valued: Valued) -> Any:
    values = [valued(value) for value in matrix.values]
    return type(matrix).of(matrix.outputs, values, matrix.codes, matrix.notes)


def _statement(part: Any, valued: Valued) -> Any:
    """A part of a relation's statement, with numbers in place of functions."""
    if isinstance(part, dict):
        return {key: _statement(inner, valued) for key, inner in part.items()}
    if isinstance(part, list | tuple):
        return [_statement(inner, valued) for inner in part]
    return valued(part) if isinstance(part, Fraction) else part
