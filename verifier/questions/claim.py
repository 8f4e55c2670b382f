"""Claims: what a check asks.

A definition compiles a check to a claim; an engine turns the claim into an answer with evidence;
the checker accepts or rejects the evidence. Every class says of itself which engine decides it, and
how its certificate is written. A new kind of claim is a class on `Claim`: nothing else lists the
classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from verifier.base import exact
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.base.polynomial import Point, Polynomial
from verifier.kernels.cones import Cone
from verifier.questions import evidence
from verifier.questions.answer import Json as Json
from verifier.questions.answer import Quantity
from verifier.questions.evidence import Said, SaidLevel, SaidValue
from verifier.questions.model import (
    Model,
    of_channels,
    of_functions,
    of_mechanism,
    of_parts,
    of_worlds,
)
from verifier.questions.witness import Belief, ChangeWitness
from verifier.world.local import Answer, LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Relation
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
    from verifier.world.network import Network

Parts = tuple[Json, Model]  # of a question section: relation, level and others; and the model
Given = tuple[int, str]  # the number of a prior, and the secret that it is conditioned on


@dataclass(frozen=True, eq=False)
class Claim(Later):
    """What a check asks; a definition compiles a check to a claim.

    engine      the module of `verifier.engines` that decides it
    on_cell     the one that does where its numbers are functions of parameters; None where none
                does
    rule        of the checker, by which evidence proves an answer
    said        the class of what is said in answer
    proves      the classes of evidence for it, as an annotation
    quantity    the number that it asks for, in words; "" for the smallest level
    definition  the keyword of the file
    space       the worlds; those of records with channels need not be enumerated
    scope       what was quantified over, for the report
    """

    engine: ClassVar[str]
    on_cell: ClassVar[str | None] = None
    rule: ClassVar[str] = "inequality"
    said: ClassVar[type[Said]] = SaidLevel
    proves: ClassVar[Any]
    quantity: ClassVar[str] = ""

    definition: str
    space: WorldSpace
    scope: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def section(self) -> Parts:
        """What it asks as JSON: the question section of a certificate, and the model in it."""
        raise NotImplementedError

    def proved_by(self) -> str:
        """The rule by which evidence proves an answer, on all cells of a domain."""
        return self.rule


class DomainClaim(Claim):
    """A claim about all values of real parameters; `domain` says which, and `parts` are its
    cells."""


def level_json(claim: Any) -> Json:
    """The level of a `claim`, and its delta, as JSON."""
    return {**claim.level.as_json(), "delta": exact.text(claim.delta)}


def bound_json(claim: Any) -> Json:
    """What the value that a `claim` asks for is to be, as JSON."""
    if claim.at_most is not None:
        return {"at_most": exact.text(claim.at_most)}
    return {"equals": None if claim.equals is None else exact.text(claim.equals)}


@dataclass(frozen=True, eq=False)
class ComparisonClaim(Claim):
    """M'[o, i] <= alpha^d * M'[o, j] (+ delta) for every comparison (i, j) of a relation.

    definition  the spec keyword
    mechanism   the mechanism of the file, over the worlds of `space`
    compared    the matrix whose columns are compared: the mechanism itself, or conditional
                output distributions
    relation    over the columns of `compared`
    describe    columns i, j -> what an attacker believes whom their comparison is about
    tradeoff    levels at which the smallest delta is asked for too
    keys        of each column the number of a prior and a secret; none where columns are worlds
    """

    engine = "comparison.comparison"
    on_cell = "comparison.comparison"
    proves = evidence.ComparisonEvidence | None

    mechanism: Mechanism
    compared: Mechanism
    relation: Relation
    level: Level
    delta: Fraction
    describe: Callable[[int, int], Belief]
    tradeoff: Sequence[Fraction] = ()
    keys: Sequence[Given] = ()

    @property
    def has_curve(self) -> bool:
        """Whether its pairs decide the smallest delta at every level.

        Of a metric, worlds farther apart are left out: neighbours decide them, but not with delta.
        """
        near = all(part.distance == 1 for part in self.relation.blocks)
        return near and self.definition != "metric_privacy" and not self.mechanism.reals

    def section(self) -> Parts:
        """See `Claim`."""
        levels = {"tradeoff": list(map(exact.text, self.tradeoff))} if self.tradeoff else {}
        parts = {"relation": self.relation.statement, "level": level_json(self), **levels}
        return parts, of_mechanism(self.space, self.mechanism)


@dataclass(frozen=True, eq=False)
class DivergenceClaim(Claim):
    """For every pair (i, j) of a relation the columns M[., i] and M[., j] are within the level.

    Where records are answered each by a channel of its own, these are the columns of each channel:
    all databases are compared that differ in one record.

    definition  the spec keyword, which says how columns are measured: `bounded_range`, `renyi`,
                `zcdp`
    mechanism   None where there are channels
    local       the channels; None where there is a matrix
    relation    over the worlds, or the values of one record; all distances are 1
    order       of Rényi's divergence; None for the others
    describe    columns i, j, and the record, if any -> what an attacker believes
    """

    engine = "comparison.divergence"
    on_cell = "comparison.divergence"
    proves = evidence.DivergenceEvidence | None

    mechanism: Mechanism | None
    local: LocalMechanism | None
    relation: Relation
    level: Level
    order: Fraction | None
    describe: Callable[..., Belief]
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        order = None if self.order is None else exact.text(self.order)
        pairs = self.relation.statement
        relation: Json = {"rule": self.definition, "order": order, "pairs": pairs}
        parts = {"relation": relation, "level": level_json(self)}
        if self.mechanism is not None:
            return parts, of_mechanism(self.space, self.mechanism)
        assert self.local is not None
        return parts, of_channels(self.local)


@dataclass(frozen=True, eq=False)
class Game(Later):
    """What an attacker may guess, by name, and what each guess gains in every world."""

    guesses: Sequence[str]
    gains: Sequence[Sequence[Fraction]]


@dataclass(frozen=True, eq=False)
class LeakageClaim(Claim):
    """Σ_o max_r Σ_w θ_w M[o, w] g(r, w) <= alpha * max_r Σ_w θ_w g(r, w) (+ delta) for all priors.

    game      what is guessed, and what it gains; None: the world, and 1 for the right one
    priors    the probabilities of all worlds; None, without a game, for all priors
    tradeoff  levels at which the smallest delta is asked for too
    """

    engine = "comparison.leakage"
    on_cell = "comparison.leakage"
    proves = None  # the checker finds what is guessed

    mechanism: Mechanism
    game: Game | None
    priors: Sequence[Sequence[Fraction]] | None
    level: Level
    delta: Fraction = Fraction(0)
    tradeoff: Sequence[Fraction] = ()

    def section(self) -> Parts:
        """See `Claim`."""
        listed = {} if self.priors is None else {"priors": list(map(list, self.priors))}
        priors = {"class": "list" if listed else "all", **listed}
        levels = {"tradeoff": list(map(exact.text, self.tradeoff))} if self.tradeoff else {}
        model = of_mechanism(self.space, self.mechanism)
        if self.game is not None:
            model = of_functions(self.space, self.game.gains, self.mechanism)
        return {
            "relation": {"rule": "leakage", "priors": priors},
            "level": level_json(self),
            **levels,
        }, model


@dataclass(frozen=True, eq=False)
class Changes(Later):
    """What is compared of one record: the columns of its channel, or of mixtures of these.

    answers   the matrices whose columns are compared, each with the number of its draws
    relation  over the columns; the distance of two is what their change costs
    describe  columns i, j -> what an attacker believes of the record
    """

    answers: tuple[Answer, ...]
    relation: Relation
    describe: Callable[[int, int], Belief]


@dataclass(frozen=True, eq=False)
class LocalClaim(Claim):
    """Π_i C_i[o_i, x_i] <= alpha * Π_i C_i[o_i, y_i] (+ delta) for all databases x and y whose
    records differ by compared changes that cost at most `limit` together.

    local      the channels C_i
    parts      what is compared of a record
    chosen     for each record the number of its part; -1 where it has none
    limit      None for any number of changes
    per_unit   whether one change is compared at alpha^cost instead, as a metric demands
    """

    engine = "comparison.local"
    on_cell = "comparison.local"
    rule = "network"
    proves = evidence.GridEvidence | None  # the checker finds what is worst

    local: LocalMechanism
    parts: tuple[Changes, ...]
    chosen: tuple[int, ...]
    limit: Fraction | None
    level: Level
    delta: Fraction = Fraction(0)
    per_unit: bool = False

    def section(self) -> Parts:
        """See `Claim`."""
        parts: list[Json] = []
        number = {-1: -1}
        for at, part in enumerate(self.parts):
            statement = part.relation.statement
            if statement not in parts:
                parts.append(statement)
            number[at] = parts.index(statement)
        relation: Json = {
            "rule": "network",
            "limit": None if self.limit is None else exact.text(self.limit),
            "per_unit": self.per_unit,
            "parts": parts,
            "chosen": [number[at] for at in self.chosen],
            "hidden": 0,
            "priors": None,
        }
        return {"relation": relation, "level": level_json(self)}, of_channels(self.local)


@dataclass(frozen=True, eq=False)
class NetworkClaim(Claim):
    """P(o | X_i in A, θ) <= alpha * P(o | X_i in B, θ) for records i, two sets of their values in
    both orders, all outputs o, and networks θ under which both are possible; o has one output a
    record.

    local      the channels of the records, one answer each
    networks   that the values of the records follow
    parts      lists of two sets of values, by code
    chosen     for each record the number of its part; -1 where nothing is compared
    statement  the relation as it stands in a certificate
    """

    engine = "pufferfish.network"
    on_cell = "pufferfish.network"
    rule = "network"
    proves = evidence.NetworkEvidence

    local: LocalMechanism
    networks: Sequence[Network]
    parts: Sequence[Sequence[tuple[tuple[int, ...], tuple[int, ...]]]]
    chosen: Sequence[int]
    level: Level
    statement: Json
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        return {"relation": self.statement, "level": level_json(self)}, of_channels(self.local)


@dataclass(frozen=True, eq=False)
class SensitivityClaim(Claim):
    """max of ||f(w) - f(w')||_1 over the pairs of a relation equals `equals` (where given), or is
    at most `at_most` (where given); not both.

    functions  the components of f, one tuple of rationals (one per world) each
    remarks    what else is in the scope
    told       the value in the definition's own words
    shows      numbers of two worlds, and what shows that they are far apart -> the same with more
    """

    engine = "comparison.sensitivity"
    said = SaidValue
    proves = evidence.SensitivityEvidence | None

    functions: tuple[tuple[Fraction, ...], ...]
    relation: Relation
    equals: Fraction | None
    remarks: Mapping[str, Any] = field(default_factory=dict)
    at_most: Fraction | None = None
    told: Callable[[Fraction], Quantity] = lambda value: Quantity(value, "sensitivity {}")
    shows: Callable[[int, int, ChangeWitness], ChangeWitness] = lambda left, right, found: found

    def section(self) -> Parts:
        """See `Claim`."""
        model = of_functions(self.space, self.functions)
        return {"relation": self.relation.statement, **bound_json(self)}, model


@dataclass(frozen=True, eq=False)
class PriorsClaim(Claim):
    """What is asked about pairs of secrets of a mechanism, under the priors of a class.

    pairs      pairs of secrets, by name
    statement  the relation as it stands in a certificate
    """

    mechanism: Mechanism
    level: Level
    delta: Fraction
    pairs: Sequence[tuple[str, str]]
    statement: Json

    def section(self) -> Parts:
        """See `Claim`."""
        model = of_mechanism(self.space, self.mechanism)
        return {"relation": self.statement, "level": level_json(self)}, model


@dataclass(frozen=True, eq=False)
class PolytopeClaim(PriorsClaim):
    """P(o | s, θ) <= alpha * P(o | t, θ), or so up to delta, for all pairs (s, t) of secrets in
    both orders, outputs o, and priors θ of a cone with P(s | θ) > 0 and P(t | θ) > 0.

    cone        the priors, by coordinates: mixtures of given priors, or weights of worlds
    mass        secret -> P(s) at each coordinate
    joint       secret, output -> P(s, o) at each coordinate
    prior       point of the cone, of coordinate sum 1 -> the probability of each world
    impossible  secrets that are impossible all over the cone, with multipliers of its rows that
                prove it
    """

    engine = "pufferfish.polytopes"
    on_cell = "pufferfish.polytopes"
    rule = "polytope"
    proves = evidence.PolytopeEvidence

    cone: Cone
    mass: Mapping[str, Sequence[Fraction]]
    joint: Callable[[str, int], Sequence[Fraction]]
    prior: Callable[[Sequence[Fraction]], Sequence[Fraction]]
    impossible: Mapping[str, Sequence[Fraction]]


@dataclass(frozen=True, eq=False)
class PolynomialsClaim(PriorsClaim):
    """P(o | s, θ) <= alpha * P(o | t, θ), or so up to delta, for all pairs (s, t) of secrets in
    both orders, outputs o, and priors θ of a family with P(s | θ) > 0 and P(t | θ) > 0.

    groups     sizes of the groups of variables; the parameters are a point of a simplex for each
    joint      secret -> P(s) and the list of all P(s, o), times one factor: polynomials,
               homogeneous in each group
    describe   pair and point -> what an attacker believes at the point
    """

    engine = "pufferfish.polynomials"
    on_cell = "pufferfish.unknown"
    rule = "family"
    proves = evidence.PolynomialsEvidence

    groups: Sequence[int]
    joint: Mapping[str, tuple[Polynomial, list[Polynomial]]]
    describe: Callable[[tuple[str, str], Point], Belief]


@dataclass(frozen=True, eq=False)
class InfluenceClaim(Claim):
    """For all pairs (s, t) of secrets in both orders there is a set H of at most `entries` entries,
    with P(x | s, θ) <= alpha * P(x | t, θ) for all values x of the entries outside H, and all
    priors θ with P(s | θ) > 0 and P(t | θ) > 0.

    entries    the most entries in H
    pairs      pairs of secrets, by name
    beliefs    for each prior: secret -> the weights of the worlds in it, in proportion to
               P(world | secret)
    statement  the relation as it stands in a certificate
    describe   number of a prior, s and t -> what an attacker believes
    """

    engine = "composition.influence"
    on_cell = "composition.hidden"
    proves = evidence.HidingEvidence | None

    level: Level
    entries: int
    pairs: Sequence[tuple[str, str]]
    beliefs: Sequence[Mapping[str, Mapping[int, Fraction]]]
    statement: Json
    describe: Callable[[int, str, str], Belief]

    def section(self) -> Parts:
        """See `Claim`."""
        level = {**self.level.as_json(), "delta": "0"}
        return {"relation": self.statement, "level": level}, of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class QuiltsClaim(Claim):
    """For all records and two sets of their values that are compared there is a set H of at most
    `entries` records, with P(x | X_i in A, θ) <= alpha * P(x | X_i in B, θ) for all values x of the
    records outside H, and all networks θ under which both are possible: chains, or one tree.

    values     what one record may be, as worlds
    entries    the most records in H
    compared   record and two sets of its values, by code, in both orders
    networks   that the values of the records follow
    intervals  of transitions, within which these are the worst ones; empty where all are known
    statement  the relation as it stands in a certificate
    """

    engine = "composition.quilts"
    on_cell = "composition.hidden"
    rule = "network"
    proves = evidence.HidingEvidence | None

    values: WorldSpace
    level: Level
    entries: int
    compared: Sequence[tuple[int, tuple[int, ...], tuple[int, ...]]]
    networks: Sequence[Network]
    intervals: Sequence[Sequence[tuple[Fraction, Fraction]]]
    statement: Json
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        level = {**self.level.as_json(), "delta": "0"}
        model = of_parts(self.values, {"people": list(self.space.records)})
        return {"relation": self.statement, "level": level}, model
