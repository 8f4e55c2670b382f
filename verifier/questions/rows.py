"""Claims about what rows a mechanism may have: made of given ones, implied, or the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.halfspaces import Halfspaces
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.questions import evidence
from verifier.questions.claim import (
    Claim,
    ComparisonClaim,
    Parts,
    PolynomialsClaim,
    bound_json,
    level_json,
)
from verifier.questions.evidence import SaidValue
from verifier.questions.model import Model, of_functions, of_mechanisms, of_worlds
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class LeastLossClaim(Claim):
    """The smallest loss of some mechanisms is `equals` (where given).

    answers  of the mechanisms, in words
    loss     one row for each answer, one entry for each world
    prior    against which the loss is expected; None for that of the worst world
    """

    rule = "linear"
    said = SaidValue
    quantity = "smallest loss"

    answers: Sequence[str]
    loss: Sequence[Sequence[Fraction]]
    prior: Sequence[Fraction] | None
    equals: Fraction | None

    def under(self) -> tuple[Mapping[str, object], str | None]:
        """The relation that says which mechanisms, and the e^ε at which it is taken, if any."""
        raise NotImplementedError

    def modelled(self) -> Model:
        """The model of a certificate."""
        raise NotImplementedError

    def section(self) -> Parts:
        """See `Claim`."""
        under, level = self.under()
        prior = None if self.prior is None else list(self.prior)
        relation = {"rule": "optimal", "under": under, "exp_epsilon": level, "prior": prior}
        equals = None if self.equals is None else exact.text(self.equals)
        return {"relation": relation, "equals": equals}, self.modelled()


@dataclass(frozen=True, eq=False)
class OptimalClaim(LeastLossClaim):
    """The smallest loss of mechanisms whose rows satisfy inequalities; and a given one has it.

    halfspaces  the inequalities
    level       at which they were taken
    statement   the relation behind them, as it stands in a certificate
    mechanism   asked about, if any: with the best interpretation of its outputs
    """

    engine = "rows.optimal"
    on_cell = "rows.optimal"
    proves = evidence.OptimalEvidence

    halfspaces: Halfspaces
    level: Level
    statement: Mapping[str, object]
    mechanism: Mechanism | None

    def under(self) -> tuple[Mapping[str, object], str | None]:
        """See `LeastLossClaim`."""
        return self.statement, exact.text(self.level.alpha)

    def modelled(self) -> Model:
        """See `LeastLossClaim`."""
        return of_functions(self.space, self.loss, self.mechanism)


@dataclass(frozen=True, eq=False)
class BestMadeClaim(LeastLossClaim):
    """The smallest loss of mixtures of post-processings of `given` mechanisms, by name."""

    engine = "rows.best_made"
    on_cell = "rows.best_made"
    proves = evidence.BestMadeEvidence

    given: Mapping[str, Mechanism]

    def under(self) -> tuple[Mapping[str, object], str | None]:
        """See `LeastLossClaim`."""
        return {"rule": "post_processing"}, None

    def modelled(self) -> Model:
        """See `LeastLossClaim`."""
        return of_mechanisms(self.space, None, self.given, self.loss)


@dataclass(frozen=True, eq=False)
class ErrorClaim(Claim):
    """The expected loss of a mechanism is `equals` (where given), or at most `at_most` (where
    given); not both.

    loss   one row for each output, one entry for each world
    prior  against which the loss is expected; None for that of the worst world
    """

    engine = "rows.error"
    on_cell = "rows.error"
    said = SaidValue
    proves = None
    quantity = "expected error"

    mechanism: Mechanism
    loss: Sequence[Sequence[Fraction]]
    prior: Sequence[Fraction] | None
    equals: Fraction | None
    at_most: Fraction | None

    def section(self) -> Parts:
        """See `Claim`."""
        prior = None if self.prior is None else list(self.prior)
        parts = {"relation": {"rule": "error", "prior": prior}, **bound_json(self)}
        return parts, of_functions(self.space, self.loss, self.mechanism)


@dataclass(frozen=True, eq=False)
class PostProcessingClaim(Claim):
    """M' = Σ_k p_k A_k M_k for a distribution p and stochastic matrices A_k (outputs of M' by
    outputs of M_k).

    mechanism  M'
    given      the M_k, by name
    """

    engine = "rows.post_processing"
    on_cell = "rows.post_processing"
    rule = "linear"
    said = SaidValue
    proves = evidence.WeightsEvidence | evidence.PayoffEvidence

    mechanism: Mechanism
    given: Mapping[str, Mechanism]

    def section(self) -> Parts:
        """See `Claim`."""
        model = of_mechanisms(self.space, self.mechanism, self.given)
        return {"relation": {"rule": "post_processing"}}, model


@dataclass(frozen=True, eq=False)
class RowConeClaim(Claim):
    """The row cone of given mechanisms has so many facets; or it has every row of a mechanism.

    The cone is made of the sums of multiples >= 0 of their rows. One of the two is asked.

    given      the mechanisms, by name
    facets     how many, or None
    mechanism  whose rows, or None
    """

    engine = "rows.row_cone"
    on_cell = "rows.row_cone"
    rule = "linear"
    said = SaidValue
    proves = evidence.FacetsEvidence | evidence.WeightsEvidence | evidence.PayoffEvidence

    given: Mapping[str, Mechanism]
    facets: int | None
    mechanism: Mechanism | None

    def section(self) -> Parts:
        """See `Claim`."""
        facets = {} if self.facets is None else {"facets": str(self.facets)}
        model = of_mechanisms(self.space, self.mechanism, self.given)
        return {"relation": {"rule": "row_cone"}, **facets}, model


@dataclass(frozen=True, eq=False)
class ImpliesClaim(Claim):
    """Every mechanism whose rows satisfy the inequalities of one definition, the premise, satisfies
    another one, the conclusion: column i <= alpha^d * column j for all its comparisons.

    premise        the inequalities
    premise_of     the premise as a claim about a given mechanism
    weights        the columns that the conclusion compares: world -> weight > 0
    comparisons    i, j and d
    conclusion_of  the conclusion as a claim about a given mechanism
    level          of the conclusion
    """

    engine = "rows.implies"
    on_cell = "rows.implies"
    rule = "linear"
    proves = evidence.ImpliesEvidence

    premise: Halfspaces
    premise_of: Callable[[Mechanism], ComparisonClaim]
    weights: Sequence[Mapping[int, Fraction]]
    comparisons: Sequence[tuple[int, int, int]]
    conclusion_of: Callable[[Mechanism], ComparisonClaim]
    level: Level
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        first = _premise(self.premise_of, self.space)
        return _implied(self, first), of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class FamilyImpliesClaim(Claim):
    """Every mechanism that satisfies a definition about a family of priors, polynomials in unknown
    distributions, satisfies another one, the conclusion.

    family         the first definition, asked of the mechanism in which each world is an output
    family_of      the same as a claim about a given mechanism
    weights        the columns that the conclusion compares: world -> weight > 0
    comparisons    i, j and d, as in `ImpliesClaim`
    conclusion_of  the conclusion as a claim about a given mechanism
    level          of the conclusion
    """

    engine = "rows.family_implies"
    rule = "linear"
    proves = evidence.FamilyImpliesEvidence

    family: PolynomialsClaim
    family_of: Callable[[Mechanism], PolynomialsClaim]
    weights: Sequence[Mapping[int, Fraction]]
    comparisons: Sequence[tuple[int, int, int]]
    conclusion_of: Callable[[Mechanism], ComparisonClaim]
    level: Level
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        first = _first(self.family.statement, self.family.level)
        return _implied(self, first), of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class ImpliesFamilyClaim(Claim):
    """Every mechanism whose rows satisfy the inequalities of one definition, the premise, satisfies
    another one about a family of priors, polynomials in unknown distributions.

    premise      the inequalities
    premise_of   the premise as a claim about a given mechanism
    family       the second definition, asked of the mechanism in which each world is an output
    family_of    the same as a claim about a given mechanism
    within       a larger class of priors, by its keyword, which compares worlds
    comparisons  the pairs of worlds that it compares, each at distance 1
    level        of the second definition
    """

    engine = "rows.implies_family"
    rule = "linear"
    proves = evidence.ImpliesFamilyEvidence

    premise: Halfspaces
    premise_of: Callable[[Mechanism], ComparisonClaim]
    family: PolynomialsClaim
    family_of: Callable[[Mechanism], PolynomialsClaim]
    within: str
    comparisons: Sequence[tuple[int, int, int]]
    level: Level
    delta: Fraction = Fraction(0)

    @property
    def weights(self) -> Sequence[Mapping[int, Fraction]]:
        """Each world by itself, of which priors are means."""
        return [{world: Fraction(1)} for world in range(self.space.size)]

    def section(self) -> Parts:
        """See `Claim`."""
        first = _premise(self.premise_of, self.space)
        relation = {**first, "then": self.family.statement}
        return {"relation": relation, "level": level_json(self)}, of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class ClosureImpliesClaim(Claim):
    """Every mechanism whose rows are in the row cone of given mechanisms satisfies a definition
    that compares columns; their post-processings and mixtures among them.

    given          by name
    conclusion_of  the definition as a claim about a given mechanism
    level          of the definition
    """

    engine = "rows.implies"
    rule = "linear"
    proves = evidence.ImpliesEvidence

    given: Mapping[str, Mechanism]
    conclusion_of: Callable[[Mechanism], ComparisonClaim]
    level: Level
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        first = {"rule": "implies", "if": {"rule": "given"}, "level": None}
        return _implied(self, first), of_mechanisms(self.space, None, self.given)


@dataclass(frozen=True, eq=False)
class ImpliesRowConeClaim(Claim):
    """Every row of a mechanism that satisfies the inequalities of a definition, the premise, is in
    the row cone of given mechanisms.

    premise_of  the premise as a claim about a given mechanism
    given       the mechanisms of the cone, by name
    """

    engine = "rows.implied_cone"
    rule = "linear"
    said = SaidValue
    proves = evidence.InsideEvidence | evidence.CounterexampleEvidence

    premise: Halfspaces
    premise_of: Callable[[Mechanism], ComparisonClaim]
    given: Mapping[str, Mechanism]

    def section(self) -> Parts:
        """See `Claim`."""
        relation = {**_premise(self.premise_of, self.space), "then": {"rule": "row_cone"}}
        return {"relation": relation}, of_mechanisms(self.space, None, self.given)


@dataclass(frozen=True, eq=False)
class LinearPremise(Later):
    """All mechanisms whose rows satisfy inequalities.

    asked  the inequalities
    about  the definition behind them as a claim about a given mechanism
    """

    asked: Halfspaces
    about: Callable[[Mechanism], ComparisonClaim]


@dataclass(frozen=True, eq=False)
class ImpliesClosureClaim(Claim):
    """Every mechanism of a premise is a mixture of post-processings of given mechanisms.

    premise     a definition, or mechanisms by name
    only_rows   with mechanisms: all that have their rows in the row cone of these are of the
                premise; else only mixtures of post-processings of them
    given       the mechanisms that all is to be made of, by name
    """

    engine = "rows.implied_closure"
    rule = "linear"
    said = SaidValue
    proves = evidence.MixturesEvidence | evidence.ExtremeEvidence | evidence.CounterexampleEvidence

    premise: LinearPremise | Mapping[str, Mechanism]
    only_rows: bool
    given: Mapping[str, Mechanism]

    def section(self) -> Parts:
        """See `Claim`."""
        given = {f"then: {name}": other for name, other in self.given.items()}
        then = {"rule": "post_processing", "of": list(range(len(given)))}
        if isinstance(self.premise, LinearPremise):
            first = _premise(self.premise.about, self.space)
        else:
            rule = "row_cone" if self.only_rows else "post_processing"
            of = [len(given) + k for k in range(len(self.premise))]
            first = {"rule": "implies", "if": {"rule": rule, "of": of}, "level": None}
            given |= {f"if: {name}": other for name, other in self.premise.items()}
        return {"relation": {**first, "then": then}}, of_mechanisms(self.space, None, given)


def _silent(space: WorldSpace) -> Mechanism:
    """A mechanism that says nothing: for the comparisons that a definition makes of any."""
    return Mechanism.from_rows(("nothing",), [[Fraction(1)] * space.size])


def _premise(premise: Callable[[Mechanism], ComparisonClaim], space: WorldSpace) -> Json:
    about = premise(_silent(space))
    return _first(about.relation.statement, about.level)


def _first(statement: object, level: Level) -> Json:
    asked = {"exp_epsilon": exact.text(level.alpha)}
    return {"rule": "implies", "if": statement, "level": asked}


def _implied(claim: ImpliesClaim | FamilyImpliesClaim | ClosureImpliesClaim, first: Json) -> Json:
    then = claim.conclusion_of(_silent(claim.space)).relation.statement
    return {"relation": {**first, "then": then}, "level": level_json(claim)}
