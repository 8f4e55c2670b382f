"""Claims: what a check asks.

A definition compiles a check to a claim; an engine turns the claim into an answer with evidence;
the checker accepts or rejects the evidence. What every class says of itself is in
`verifier.questions.kinds`.
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
from verifier.questions.answer import Quantity
from verifier.questions.beliefs.coupled import Coupled
from verifier.questions.beliefs.exchangeable import Exchangeable
from verifier.questions.beliefs.supports import PairedSupports, Supports
from verifier.questions.evidence import Evidence, SaidOneRun, SaidValue
from verifier.questions.kinds import Claim, Parts, bound_json, level_json
from verifier.questions.model import of_channels, of_functions, of_mechanism, of_parts, of_worlds
from verifier.questions.witness import Belief, ChangeWitness
from verifier.world.local import Answer, LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Relation
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
    from verifier.kernels.chains import Chain
    from verifier.world.tree import Tree

Json = dict[str, Any]
Given = tuple[int, str]  # the number of a prior, and the secret that it is conditioned on


@dataclass(frozen=True, eq=False)
class ComparisonClaim(Claim):
    """M'[o, i] <= alpha^d * M'[o, j] (+ delta) for every comparison (i, j) of a relation.

    definition  the spec keyword
    mechanism   the mechanism of the file, over the worlds of `space`
    compared    the matrix whose columns are compared: the mechanism itself, or conditional
                output distributions
    relation    over the columns of `compared`
    describe    columns i, j -> what an attacker believes whom their comparison is about
    scope       what was quantified over, for the report
    tradeoff    levels at which the smallest delta is asked for too
    keys        of each column the number of a prior and a secret; none where columns are worlds
    """

    engine = "comparison.comparison"
    on_cell = "comparison.comparison"
    proves = evidence.ComparisonEvidence | None

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    compared: Mechanism
    relation: Relation
    level: Level
    delta: Fraction
    describe: Callable[[int, int], Belief]
    scope: Mapping[str, Any] = field(default_factory=dict)
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

    definition  the spec keyword, which says how columns are measured: `bounded_range`, `renyi`,
                `zcdp`
    relation    over the worlds; all distances are 1
    order       of Rényi's divergence; None for the others
    describe    worlds i, j -> what an attacker believes whom their comparison is about
    scope       what was quantified over, for the report
    """

    engine = "comparison.divergence"
    on_cell = "comparison.divergence"
    proves = evidence.DivergenceEvidence | None

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    relation: Relation
    level: Level
    order: Fraction | None
    describe: Callable[[int, int], Belief]
    scope: Mapping[str, Any] = field(default_factory=dict)
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        return _divergence(self), of_mechanism(self.space, self.mechanism)


@dataclass(frozen=True, eq=False)
class RecordsDivergenceClaim(Claim):
    """The same of all databases that differ in one record, each answered by a channel of its own.

    space     what worlds are made of; they need not be enumerated
    local     the channels
    relation  over the values of one record
    describe  record, values i, j -> what an attacker believes
    """

    engine = "comparison.records"
    on_cell = "comparison.records"
    proves = evidence.DivergenceEvidence | None

    definition: str
    space: WorldSpace
    local: LocalMechanism
    relation: Relation
    level: Level
    order: Fraction | None
    describe: Callable[[int, int, int], Belief]
    scope: Mapping[str, Any] = field(default_factory=dict)
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        return _divergence(self), of_channels(self.local)


def _divergence(claim: DivergenceClaim | RecordsDivergenceClaim) -> Json:
    order = None if claim.order is None else exact.text(claim.order)
    pairs = claim.relation.statement
    relation: Json = {"rule": claim.definition, "order": order, "pairs": pairs}
    return {"relation": relation, "level": level_json(claim)}


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

    space      what worlds are made of; they need not be enumerated
    local      the channels C_i
    parts      what is compared of a record
    chosen     for each record the number of its part; -1 where it has none
    limit      None for any number of changes
    per_unit   whether one change is compared at alpha^cost instead, as a metric demands
    scope      what was quantified over, for the report
    """

    engine = "comparison.local"
    on_cell = "comparison.local"
    rule = "network"
    proves = None  # the checker finds what is worst

    definition: str
    space: WorldSpace
    local: LocalMechanism
    parts: tuple[Changes, ...]
    chosen: tuple[int, ...]
    limit: Fraction | None
    level: Level
    delta: Fraction = Fraction(0)
    per_unit: bool = False
    scope: Mapping[str, Any] = field(default_factory=dict)

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
    both orders, all outputs o, and trees θ under which both are possible; o has one output a
    record.

    space      what worlds are made of; they need not be enumerated
    local      the channels of the records, one answer each
    trees      that the values of the records follow
    parts      lists of two sets of values, by code
    chosen     for each record the number of its part; -1 where nothing is compared
    statement  the relation as it stands in a certificate
    scope      what was quantified over, for the report
    """

    engine = "pufferfish.network"
    on_cell = "pufferfish.network"
    rule = "network"
    proves = evidence.NetworkEvidence

    definition: str
    space: WorldSpace
    local: LocalMechanism
    trees: Sequence[Tree]
    parts: Sequence[Sequence[tuple[tuple[int, ...], tuple[int, ...]]]]
    chosen: Sequence[int]
    level: Level
    statement: Json
    scope: Mapping[str, Any] = field(default_factory=dict)
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

    definition: str
    space: WorldSpace
    functions: tuple[tuple[Fraction, ...], ...]
    relation: Relation
    equals: Fraction | None
    scope: Mapping[str, Any] = field(default_factory=dict)
    remarks: Mapping[str, Any] = field(default_factory=dict)
    at_most: Fraction | None = None
    told: Callable[[Fraction], Quantity] = lambda value: Quantity(value, "sensitivity {}")
    shows: Callable[[int, int, ChangeWitness], ChangeWitness] = lambda left, right, found: found

    def section(self) -> Parts:
        """See `Claim`."""
        model = of_functions(self.space, self.functions)
        return {"relation": self.relation.statement, **bound_json(self)}, model


@dataclass(frozen=True, eq=False)
class PolytopeClaim(Claim):
    """P(o | s, θ) <= alpha * P(o | t, θ), or so up to delta, for all pairs (s, t) of secrets in
    both orders, outputs o, and priors θ of a cone with P(s | θ) > 0 and P(t | θ) > 0.

    cone        the priors, by coordinates: mixtures of given priors, or weights of worlds
    mass        secret -> P(s) at each coordinate
    joint       secret, output -> P(s, o) at each coordinate
    prior       point of the cone, of coordinate sum 1 -> the probability of each world
    impossible  secrets that are impossible all over the cone, with multipliers of its rows that
                prove it
    pairs       pairs of secrets, by name
    statement   the relation as it stands in a certificate
    scope       what was quantified over, for the report
    """

    engine = "pufferfish.polytopes"
    on_cell = "pufferfish.polytopes"
    rule = "polytope"
    proves = evidence.PolytopeEvidence

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    level: Level
    delta: Fraction
    cone: Cone
    mass: Mapping[str, Sequence[Fraction]]
    joint: Callable[[str, int], Sequence[Fraction]]
    prior: Callable[[Sequence[Fraction]], Sequence[Fraction]]
    impossible: Mapping[str, Sequence[Fraction]]
    pairs: Sequence[tuple[str, str]]
    statement: Json
    scope: Mapping[str, Any] = field(default_factory=dict)

    def section(self) -> Parts:
        """See `Claim`."""
        model = of_mechanism(self.space, self.mechanism)
        return {"relation": self.statement, "level": level_json(self)}, model


@dataclass(frozen=True, eq=False)
class PolynomialsClaim(Claim):
    """P(o | s, θ) <= alpha * P(o | t, θ), or so up to delta, for all pairs (s, t) of secrets in
    both orders, outputs o, and priors θ of a family with P(s | θ) > 0 and P(t | θ) > 0.

    groups     sizes of the groups of variables; the parameters are a point of a simplex for each
    joint      secret -> P(s) and the list of all P(s, o), times one factor: polynomials,
               homogeneous in each group
    pairs      pairs of secrets, by name
    statement  the relation as it stands in a certificate
    scope      what was quantified over, for the report
    describe   pair and point -> what an attacker believes at the point
    """

    engine = "pufferfish.polynomials"
    on_cell = "pufferfish.unknown"
    rule = "family"
    proves = evidence.PolynomialsEvidence

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    level: Level
    delta: Fraction
    groups: Sequence[int]
    joint: Mapping[str, tuple[Polynomial, list[Polynomial]]]
    pairs: Sequence[tuple[str, str]]
    statement: Json
    scope: Mapping[str, Any]
    describe: Callable[[tuple[str, str], Point], Belief]

    def section(self) -> Parts:
        """See `Claim`."""
        model = of_mechanism(self.space, self.mechanism)
        return {"relation": self.statement, "level": level_json(self)}, model


@dataclass(frozen=True, eq=False)
class SimulationClaim(Claim):
    """For one simulator Sim[t | alt], in every situation, P(F | v, z) and P(Sim(alt) | v, z) are
    within (alpha, delta) of each other, both ways.

    given     what the simulator sees, by number -> the world on which it runs the mechanism; None
              where any simulator will do
    tradeoff  levels at which the smallest delta is asked for too
    """

    engine = "simulation.simulation"
    on_cell = "simulation.simulation"
    rule = "linear"
    proves: ClassVar[type[Evidence]] = evidence.SimulatorEvidence
    form: ClassVar[str] = "simulator"

    definition: str
    coupled: Coupled
    level: Level
    delta: Fraction
    given: Mapping[int, int] | None = None
    scope: Mapping[str, Any] = field(default_factory=dict)
    tradeoff: Sequence[Fraction] = ()

    @property
    def space(self) -> WorldSpace:
        """The possible worlds."""
        return self.coupled.space

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is simulated."""
        return self.coupled.mechanism

    def section(self) -> Parts:
        """See `Claim`."""
        coupled = self.coupled
        about = coupled.space, coupled.mechanism
        if isinstance(coupled, Exchangeable):
            about = coupled.histograms, coupled.released
        levels = {"tradeoff": list(map(exact.text, self.tradeoff))} if self.tradeoff else {}
        parts = {"relation": self._situations(), "level": level_json(self), **levels}
        return parts, of_mechanism(*about)

    def _situations(self) -> Json:
        """What the simulator sees, what is private, and the priors."""
        coupled, given = self.coupled, self.given
        worlds = None if given is None else [given.get(a, -1) for a in range(len(coupled.seen))]
        if isinstance(coupled, Exchangeable):
            priors = [[list(entry) for entry in prior] for prior in coupled.priors]
            if worlds is not None:
                worlds = [w if w < 0 else int(coupled.whole[w]) for w in worlds]
            return {"rule": "exchangeable", "priors": priors, "given": worlds}
        return {
            "rule": self.form,
            "views": [{"alt": v.alt.tolist(), "priv": v.priv.tolist()} for v in coupled.views],
            "priors": [[list(entry) for entry in belief] for belief in coupled.beliefs],
            "given": worlds,
        }


@dataclass(frozen=True, eq=False)
class InferenceClaim(SimulationClaim):
    """In every view P(priv | F = t, z) and P(priv | Sim(alt) = t, z) are within (alpha, delta), for
    (t, z) of probability 1 - delta under each prior; there is no trade-off."""

    engine = on_cell = "simulation.inference"
    proves = evidence.InferenceEvidence
    form = "inference"


@dataclass(frozen=True, eq=False)
class ComposableClaim(Claim):
    """Levels of mechanisms add up when these are released together, under the priors of a class.

    secrets    the worlds of each, by name
    pairs      pairs of secrets, by name
    composes   whether the class alone says so: worlds are compared with worlds
    priors     the given priors, a weight for each world; none where the class composes
    mixed      whether all their mixtures are meant
    statement  the relation as it stands in a certificate
    scope      what was quantified over, for the report
    """

    engine = "composition.composable"
    on_cell = "composition.composable"
    rule = "linear"
    said = SaidOneRun
    proves = evidence.ComposableEvidence | evidence.CouplingsEvidence | None

    definition: str
    space: WorldSpace
    secrets: Mapping[str, Sequence[int]]
    pairs: Sequence[tuple[str, str]]
    composes: bool
    priors: Sequence[Sequence[Fraction]]
    mixed: bool
    statement: Json
    scope: Mapping[str, Any] = field(default_factory=dict)

    def section(self) -> Parts:
        """See `Claim`."""
        relation = {**self.statement, "rule": "composable"}
        return {"relation": relation}, of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class FamilyComposesClaim(Claim):
    """For all mechanisms M and N: if M satisfies Pufferfish at alpha, and N at beta, with priors of
    a family, then M and N together satisfy it at alpha * beta.

    family  Pufferfish, asked of the mechanism in which each world is an output
    scope   what was quantified over, for the report
    """

    engine = "composition.family_composes"
    rule = "linear"
    said = SaidOneRun
    proves = evidence.FamilyComposesEvidence

    definition: str
    space: WorldSpace
    family: PolynomialsClaim
    scope: Mapping[str, Any] = field(default_factory=dict)

    def section(self) -> Parts:
        """See `Claim`."""
        relation = {**self.family.statement, "rule": "composable"}
        return {"relation": relation}, of_worlds(self.space)


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
    scope      what was quantified over, for the report
    """

    engine = "composition.influence"
    on_cell = "composition.hidden"
    proves = evidence.InfluenceEvidence | None

    definition: str
    space: WorldSpace
    level: Level
    entries: int
    pairs: Sequence[tuple[str, str]]
    beliefs: Sequence[Mapping[str, Mapping[int, Fraction]]]
    statement: Json
    describe: Callable[[int, str, str], Belief]
    scope: Mapping[str, Any] = field(default_factory=dict)

    def section(self) -> Parts:
        """See `Claim`."""
        level = {**self.level.as_json(), "delta": "0"}
        return {"relation": self.statement, "level": level}, of_worlds(self.space)


@dataclass(frozen=True, eq=False)
class QuiltsClaim(Claim):
    """For all records and two sets of their values that are compared there is a set H of at most
    `entries` records, with P(x | X_i in A, θ) <= alpha * P(x | X_i in B, θ) for all values x of the
    records outside H, and all θ under which both are possible: chains, or one tree.

    space      what worlds are made of; they need not be enumerated
    values     what one record may be, as worlds
    entries    the most records in H
    compared   record and two sets of its values, by code, in both orders
    chains     that the values of the records follow
    tree       that they follow in place of chains
    intervals  of transitions, within which the chains are the worst ones; empty where all are known
    statement  the relation as it stands in a certificate
    scope      what was quantified over, for the report
    """

    engine = "composition.quilts"
    on_cell = "composition.hidden"
    rule = "network"
    proves = evidence.QuiltsEvidence | None

    definition: str
    space: WorldSpace
    values: WorldSpace
    level: Level
    entries: int
    compared: Sequence[tuple[int, tuple[int, ...], tuple[int, ...]]]
    chains: Sequence[Chain]
    tree: Tree | None
    intervals: Sequence[Sequence[tuple[Fraction, Fraction]]]
    statement: Json
    scope: Mapping[str, Any] = field(default_factory=dict)
    delta: Fraction = Fraction(0)

    def section(self) -> Parts:
        """See `Claim`."""
        level = {**self.level.as_json(), "delta": "0"}
        model = of_parts(self.values, {"people": list(self.space.records)})
        return {"relation": self.statement, "level": level}, model


@dataclass(frozen=True, eq=False)
class CompositionClaim(Claim):
    """For all pairs (s, t) of secrets in both orders, priors θ of a class with P(s), P(t) > 0 and
    worlds D of s with θ(D) > 0 there are β >= 0 of sum 1 on the worlds of t with θ > 0, so that
    M[o, D] <= alpha * Π_l M[o, l]^β_l for every output o.

    supports   the worlds that priors of the class can make possible together
    secrets    the worlds of each secret, ascending
    pairs      pairs of secrets, by name
    statement  the relation as it stands in a certificate
    scope      what was quantified over, for the report
    """

    engine = "composition.composition"
    on_cell = "composition.parametric"
    rule = "composition"
    proves = evidence.CompositionEvidence

    definition: str
    space: WorldSpace
    mechanism: Mechanism
    level: Level
    delta: Fraction
    supports: Supports | PairedSupports
    secrets: Mapping[str, Sequence[int]]
    pairs: Sequence[tuple[str, str]]
    statement: Json
    scope: Mapping[str, Any] = field(default_factory=dict)

    def section(self) -> Parts:
        """See `Claim`."""
        relation = {**self.statement, "rule": "composition"}
        parts = {"relation": relation, "level": level_json(self)}
        return parts, of_mechanism(self.space, self.mechanism)
