"""Claims about what rows a mechanism may have: made of given ones, implied, or the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any

from verifier.base.halfspaces import Halfspaces
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.claims.claim import ComparisonClaim, PolynomialsClaim
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True, eq=False)
class OptimalClaim(Later):
    """The smallest loss of a mechanism whose rows satisfy given inequalities is `equals` (where
    given), and a given mechanism has it.

    answers     of the mechanisms, in words
    loss        one row for each answer, one entry for each world
    halfspaces  the inequalities
    level       at which they were taken
    statement   the relation behind them, as it stands in a certificate
    prior       against which the loss is expected; None for that of the worst world
    mechanism   asked about, if any: with the best interpretation of its outputs
    """

    definition: str
    space: WorldSpace
    answers: Sequence[str]
    loss: Sequence[Sequence[Fraction]]
    halfspaces: Halfspaces
    level: Level
    statement: Mapping[str, object]
    prior: Sequence[Fraction] | None
    mechanism: Mechanism | None
    equals: Fraction | None
    scope: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ErrorClaim(Later):
    """The expected loss of a mechanism is `equals` (where given), or at most `at_most` (where
    given); not both.

    loss   one row for each output, one entry for each world
    prior  against which the loss is expected; None for that of the worst world
    """

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    loss: Sequence[Sequence[Fraction]]
    prior: Sequence[Fraction] | None
    equals: Fraction | None
    at_most: Fraction | None


@dataclass(frozen=True, eq=False)
class PostProcessingClaim(Later):
    """M' = Σ_k p_k A_k M_k for a distribution p and stochastic matrices A_k (outputs of M' by
    outputs of M_k).

    mechanism  M'
    given      the M_k, by name
    """

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    given: Mapping[str, Mechanism]
    scope: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RowConeClaim(Later):
    """The non-negative combinations of all rows of given mechanisms: the cone has so many facets,
    or every row of a mechanism is one of them. Exactly one of the two is asked.

    given      the mechanisms, by name
    facets     how many, or None
    mechanism  whose rows, or None
    """

    definition: str
    space: WorldSpace
    given: Mapping[str, Mechanism]
    facets: int | None
    mechanism: Mechanism | None
    scope: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ImpliesClaim(Later):
    """Every mechanism whose rows satisfy the inequalities of one definition, the premise, satisfies
    another one, the conclusion: column i <= alpha^d * column j for all its comparisons.

    premise        the inequalities
    premise_of     the premise as a claim about a given mechanism
    weights        the columns that the conclusion compares: world -> weight > 0
    comparisons    i, j and d
    conclusion_of  the conclusion as a claim about a given mechanism
    level          of the conclusion
    """

    definition: str
    space: WorldSpace
    premise: Halfspaces
    premise_of: Callable[[Mechanism], ComparisonClaim]
    weights: Sequence[Mapping[int, Fraction]]
    comparisons: Sequence[tuple[int, int, int]]
    conclusion_of: Callable[[Mechanism], ComparisonClaim]
    level: Level
    scope: Mapping[str, Any] = field(default_factory=dict)
    delta: Fraction = Fraction(0)


@dataclass(frozen=True, eq=False)
class FamilyImpliesClaim(Later):
    """Every mechanism that satisfies a definition about a family of priors, polynomials in unknown
    distributions, satisfies another one, the conclusion.

    family         the first definition, asked of the mechanism in which each world is an output
    family_of      the same as a claim about a given mechanism
    weights        the columns that the conclusion compares: world -> weight > 0
    comparisons    i, j and d, as in `ImpliesClaim`
    conclusion_of  the conclusion as a claim about a given mechanism
    level          of the conclusion
    """

    definition: str
    space: WorldSpace
    family: PolynomialsClaim
    family_of: Callable[[Mechanism], PolynomialsClaim]
    weights: Sequence[Mapping[int, Fraction]]
    comparisons: Sequence[tuple[int, int, int]]
    conclusion_of: Callable[[Mechanism], ComparisonClaim]
    level: Level
    scope: Mapping[str, Any] = field(default_factory=dict)
    delta: Fraction = Fraction(0)


@dataclass(frozen=True, eq=False)
class ClosureImpliesClaim(Later):
    """Every mechanism whose rows are in the row cone of given mechanisms satisfies a definition
    that compares columns; their post-processings and mixtures among them.

    given          by name
    conclusion_of  the definition as a claim about a given mechanism
    level          of the definition
    """

    definition: str
    space: WorldSpace
    given: Mapping[str, Mechanism]
    conclusion_of: Callable[[Mechanism], ComparisonClaim]
    level: Level
    scope: Mapping[str, Any] = field(default_factory=dict)
    delta: Fraction = Fraction(0)


@dataclass(frozen=True, eq=False)
class ImpliesRowConeClaim(Later):
    """Every row of a mechanism that satisfies the inequalities of a definition, the premise, is in
    the row cone of given mechanisms.

    premise_of  the premise as a claim about a given mechanism
    given       the mechanisms of the cone, by name
    """

    definition: str
    space: WorldSpace
    premise: Halfspaces
    premise_of: Callable[[Mechanism], ComparisonClaim]
    given: Mapping[str, Mechanism]
    scope: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class LinearPremise(Later):
    """All mechanisms whose rows satisfy inequalities.

    asked  the inequalities
    about  the definition behind them as a claim about a given mechanism
    """

    asked: Halfspaces
    about: Callable[[Mechanism], ComparisonClaim]


@dataclass(frozen=True, eq=False)
class ImpliesClosureClaim(Later):
    """Every mechanism of a premise is a mixture of post-processings of given mechanisms.

    premise     a definition, or mechanisms by name
    only_rows   with mechanisms: all that have their rows in the row cone of these are of the
                premise; else only mixtures of post-processings of them
    given       the mechanisms that all is to be made of, by name
    """

    definition: str
    space: WorldSpace
    premise: LinearPremise | Mapping[str, Mechanism]
    only_rows: bool
    given: Mapping[str, Mechanism]
    scope: Mapping[str, Any] = field(default_factory=dict)


RowClaim = (
    OptimalClaim
    | ErrorClaim
    | PostProcessingClaim
    | RowConeClaim
    | ImpliesClaim
    | ClosureImpliesClaim
    | FamilyImpliesClaim
    | ImpliesRowConeClaim
    | ImpliesClosureClaim
)
