"""Definitions that are linear in the rows of a mechanism, as inequalities.

A definition that compares columns, Σ_w (a_w − α^d b_w) M[o, w] <= 0 for every output o, asks the
same of each row. Its coefficients are read off the columns that it compares when each world is an
output of its own. So two definitions can be compared, and best mechanisms found, by linear
programming over rows or over whole mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.halfspaces import Halfspaces
from verifier.questions.claim import ComparisonClaim, Json, PolynomialsClaim
from verifier.questions.question import Question
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

MOST = 200_000  # comparisons

Definition = Callable[[Mechanism], Question]  # what it asks of a mechanism


@dataclass(frozen=True, eq=False)
class LinearDefinition:
    """A definition that is linear in the rows of a mechanism, over fixed worlds.

    claim    its comparisons, of the mechanism in which every world is its own output
    weights  for every column that is compared, the worlds it averages: world -> weight > 0
    about    mechanism -> the claim that it satisfies the definition
    stated   keyword and options in canonical form
    """

    claim: ComparisonClaim
    weights: Sequence[Mapping[int, Fraction]]
    about: Callable[[Mechanism], ComparisonClaim]
    stated: Json

    def comparisons(self) -> Iterator[tuple[int, int, int]]:
        """Columns i, j and a whole distance d: column i is at most α^d times column j."""
        if sum(part.count() for part in self.claim.relation.blocks) > MOST:
            raise LimitReached(f"more than {MOST} comparisons are too many inequalities")
        for part in self.claim.relation.blocks:
            if part.distance.denominator != 1:
                raise NotDecided("distances that are no whole numbers are not linear in this sense")
            yield from ((i, j, part.distance.numerator) for i, j in part.pairs())

    def halfspaces(self, alpha: Fraction | None = None) -> Halfspaces:
        """The inequalities at a level; the one that was asked for unless another is given."""
        level = alpha or self.claim.level.alpha
        found: dict[tuple[tuple[int, Any], ...], str] = {}
        for i, j, d in dict.fromkeys(self.comparisons()):
            row = _whole(self.weights[i], self.weights[j], level**d)
            if any(value > 0 for _, value in row):
                found.setdefault(row, f"{self._name(i)} <= {level**d} {self._name(j)}")
        rows = [dict(row) for row in found]
        return Halfspaces(self.claim.space.size, rows, list(found.values()))

    def _name(self, column: int) -> str:
        worlds, names = self.weights[column], self.claim.space.name
        terms = (names(w) if p == 1 else f"{p}*{names(w)}" for w, p in worlds.items())
        return " + ".join(terms) if len(worlds) == 1 else f"({' + '.join(terms)})"


def identity(space: WorldSpace) -> Mechanism:
    """The mechanism that publishes the world."""
    codes = np.eye(space.size, dtype=np.int64)
    return Mechanism.of(space.names(range(space.size)), [Fraction(0), Fraction(1)], codes)


def linear_of(space: WorldSpace, definition: Definition) -> LinearDefinition:
    """The inequalities of a definition over worlds; NotDecided where its rows are not described by
    finitely many rational inequalities."""
    question = definition(identity(space))
    claim = _comparison(question)
    weights = [_column(claim.compared, j) for j in range(claim.compared.worlds)]
    stated = {"definition": question.definition, "options": question.options}
    return LinearDefinition(claim, weights, lambda m: _comparison(definition(m)), stated)


@dataclass(frozen=True, eq=False)
class FamilyDefinition:
    """A definition about priors that are polynomials in unknown distributions.

    claim   what it asks of the mechanism in which every world is its own output
    about   mechanism -> the claim that it satisfies the definition
    stated  keyword and options in canonical form
    """

    claim: PolynomialsClaim
    about: Callable[[Mechanism], PolynomialsClaim]
    stated: Json


def family_of(space: WorldSpace, definition: Definition) -> FamilyDefinition | None:
    """A definition about a family of priors over worlds; None where it is none, or has a delta;
    NotDecided where its level is irrational."""
    question = definition(identity(space))
    if not isinstance(question.claim, PolynomialsClaim) or question.claim.delta:
        return None
    if exact.is_irrational(question.claim.level.alpha):
        raise NotDecided("of priors with unknown distributions the level is to be rational")

    def about(mechanism: Mechanism) -> PolynomialsClaim:
        claim = definition(mechanism).claim
        assert isinstance(claim, PolynomialsClaim)
        return claim

    stated = {"definition": question.definition, "options": question.options}
    return FamilyDefinition(question.claim, about, stated)


def _comparison(question: Question) -> ComparisonClaim:
    """The comparisons that a question asks for."""
    claim = question.claim
    if not isinstance(claim, ComparisonClaim) or claim.delta:
        keyword = question.definition
        raise NotDecided(f"what '{keyword}' asks here is not linear in the rows of a mechanism")
    return claim


def _column(compared: Mechanism, column: int) -> dict[int, Fraction]:
    weights = (compared.values[code] for code in compared.codes[:, column].tolist())
    return {w: p for w, p in enumerate(weights) if p}


def _whole(
    left: Mapping[int, Fraction], right: Mapping[int, Fraction], factor: Fraction
) -> tuple[tuple[int, Any], ...]:
    """left − factor · right by ascending world, in integers without a common factor; or over the
    size of the first, where one has powers of e."""
    values = {w: left.get(w, 0) - factor * right.get(w, 0) for w in sorted({*left, *right})}
    if any(map(exact.is_irrational, values.values())):
        kept = [(w, value) for w, value in values.items() if value]
        return tuple((w, value / abs(kept[0][1])) for w, value in kept)
    common = lcm(*(Fraction(value).denominator for value in values.values()))
    whole = {w: int(value * common) for w, value in values.items() if value}
    shared = gcd(*whole.values()) or 1
    return tuple((w, value // shared) for w, value in whole.items())
