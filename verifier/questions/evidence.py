"""What proves an answer to the checker: one class for each shape of evidence.

The fields of a class are the keys of its JSON object, in their order; docs/certificate.md says
what each of them means, and `verifier.questions.answer` writes them. A `Fraction` is written as
text, an integer is a count or an index.

Example. The mechanism that tells a bit with probability 3/4 needs e^ε = 3 for its output 0, which
is the worst one between the worlds 0 and 1: `ComparisonEvidence(pair=(0, 1), output=0)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from verifier.base.exact import number
from verifier.base.level import Leakage
from verifier.base.nouns import Later, dataclass

Terms = Sequence[tuple[int, Fraction]]  # of a sum: place, coefficient
Row = Sequence[int]  # integers, each of which is written as a fraction
Weights = Sequence[tuple[int, int, Fraction]]  # mechanism, output, factor of its row


# What is special about writing a field:
ABSENT = {"absent": True}  # it is left out where it is None
NUMBERS = {"numbers": True}  # its integers are no indices: they are written as fractions
INLINE = {"inline": True}  # its own fields stand beside the others


class Evidence(Later):
    """Evidence for one answer."""


def terms(row: Mapping[int, Fraction | int]) -> Terms:
    """The terms of a sum from `row`: place -> coefficient."""
    return [(at, number(value)) for at, value in row.items()]


@dataclass(frozen=True, kw_only=True)
class ComparisonEvidence(Evidence):
    """The comparison that needs the level: of worlds, or of secrets under a prior of a list."""

    prior: int | None = field(default=None, metadata=ABSENT)
    pair: tuple[int, int] | tuple[str, str]
    output: int | None = field(default=None, metadata=ABSENT)
    outputs: Sequence[int] | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, kw_only=True)
class DivergenceEvidence(Evidence):
    """The pair of worlds that needs the level.

    record   then the pair are two values of this record
    outputs  the two that need it; a single one shows that no level is enough
    order    that needs it
    orders   chords between these prove that the level is enough
    """

    record: int | None = field(default=None, metadata=ABSENT)
    pair: tuple[int, int]
    outputs: Sequence[int] | None = field(default=None, metadata=ABSENT)
    order: Fraction | None = field(default=None, metadata=ABSENT)
    orders: Sequence[Fraction] | None = field(default=None, metadata=ABSENT)


class OnDomain(Evidence):
    """Evidence for all values of parameters: each part of it names its own rule."""


@dataclass(frozen=True)
class PointEvidence(OnDomain):
    """Values of parameters that violate a claim, and the answer and evidence sections there."""

    point: Sequence[Fraction]
    answer: Mapping[str, object]
    evidence: Mapping[str, object]


@dataclass(frozen=True)
class SignEvidence(Later):
    """A polynomial, as coefficients with exponents, and a tree that proves that it is nowhere
    negative."""

    polynomial: Sequence[Sequence[int]]
    tree: object


@dataclass(frozen=True)
class CellEvidence(Later):
    """Why a claim holds on a cell: a point of it, and trees of polynomials that need one."""

    sample: Sequence[Fraction]
    signs: Sequence[SignEvidence]
    rule: str = "inequality"


@dataclass(frozen=True)
class CellsEvidence(OnDomain):
    """Why a claim holds on each cell of a domain."""

    cells: Sequence[CellEvidence]


@dataclass(frozen=True)
class PiecesEvidence(OnDomain):
    """For each piece of a parameter's domain the evidence section of a plain question, with
    functions as numbers; None where nothing is decided."""

    places: Sequence[Mapping[str, object] | None]


@dataclass(frozen=True, kw_only=True)
class BoxRow(Later):
    """The comparison of an output in two columns, and how much it counts."""

    prior: int | None = field(default=None, metadata=ABSENT)
    pair: tuple[int, int] | tuple[str, str]
    output: int
    weight: Fraction


@dataclass(frozen=True)
class BoxEvidence(Evidence):
    """A level (None: infinite) below which no matrix of a box meets all of some comparisons."""

    lower: Fraction | None
    rows: Sequence[BoxRow]


@dataclass(frozen=True)
class WorstOutputs(Later):
    """Outputs of all records that need the level, about two sets of values of one, by code."""

    prior: int
    record: int
    pair: tuple[Sequence[int], Sequence[int]]
    outputs: Sequence[int]


@dataclass(frozen=True)
class GridEvidence(Evidence):
    """The number of points of a grid on which privacy losses are enclosed."""

    points: int


@dataclass(frozen=True)
class NetworkEvidence(Evidence):
    """Outputs that need the level, and what proves it to be enough.

    reach  how many steps from a record others are looked at; None where all are
    bits   of the generators of cones of more than two values; None where these are exact
    words  prior, record, two values, the worst outputs before the record, and its own and those
           after it, both from the record outwards, where cones are too wide
    """

    worst: WorstOutputs | None
    reach: int | None
    bits: int | None
    words: Sequence[tuple[int, int, int, int, Sequence[int], Sequence[int]]]


@dataclass(frozen=True)
class SensitivityEvidence(Evidence):
    """Two worlds between which the query changes most."""

    pair: tuple[int, int]


@dataclass(frozen=True)
class ComposableEvidence(Evidence):
    """A prior, or weights of given ones, a pair of secrets, and outputs of two runs that tell them
    apart."""

    prior: int | Sequence[Fraction]
    pair: tuple[str, str]
    outputs: tuple[int, int]


@dataclass(frozen=True)
class CouplingsEvidence(Evidence):
    """For each comparison, how much of a world of one secret goes with a world of the other."""

    couplings: Sequence[Sequence[tuple[int, int, Fraction]]]


@dataclass(frozen=True)
class PriorEvidence(Later):
    """Two secrets, and a curve x = c·t^e of parameters: what is believed at its end."""

    pair: tuple[str, str]
    point: Sequence[Fraction]
    powers: Sequence[int]


@dataclass(frozen=True)
class LikelyEvidence(Later):
    """A tree that proves that worlds of a secret are nowhere likelier than their neighbours."""

    pair: tuple[str, str]
    worlds: Sequence[int]
    tree: object


@dataclass(frozen=True)
class FamilyComposesEvidence(Evidence):
    """Ends of curves of priors that compare two worlds each; and proofs that all priors are made of
    such comparisons."""

    alone: Sequence[PriorEvidence]
    trees: Sequence[LikelyEvidence]


@dataclass(frozen=True)
class ConePrior(Later):
    """A prior of a cone that needs the level, or two between which it is approached."""

    pair: tuple[str, str]
    output: int | None = field(default=None, metadata=ABSENT)
    outputs: Sequence[int] | None = field(default=None, metadata=ABSENT)
    at: Sequence[Fraction] | None = field(default=None, metadata=ABSENT)
    between: Sequence[Sequence[Fraction]] | None = field(default=None, metadata=ABSENT)


Piece = Sequence[Fraction | Sequence[Fraction]]  # low, high, multipliers at both
Cuts = Sequence[int | Sequence[Fraction]]


@dataclass(frozen=True)
class PolytopeEvidence(Evidence):
    """What needs the level, and secrets that are impossible.

    What proves the level is pieces for each cell, or, by ordered pairs of secrets, cuts of segments
    between corners: the numbers of two corners, and shares of the second one."""

    lower: ConePrior | None
    impossible: Mapping[str, Sequence[Fraction]]
    upper: Sequence[Sequence[Piece]] | None = field(default=None, metadata=ABSENT)
    cuts: Sequence[Sequence[Cuts]] | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class CurveEvidence(Later):
    """A curve x = c·t^e of parameters along which the level is needed."""

    pair: tuple[str, str]
    outputs: Sequence[int]
    point: Sequence[Fraction]
    powers: Sequence[int]


@dataclass(frozen=True)
class TreeEvidence(Later):
    """A tree that proves a polynomial to be nowhere positive."""

    pair: tuple[str, str]
    outputs: Sequence[int]
    tree: object


@dataclass(frozen=True)
class PolynomialsEvidence(Evidence):
    """What needs the level, and why no more is needed: None where coefficients of factors show it,
    before they are multiplied out."""

    lower: CurveEvidence | None
    upper: Sequence[TreeEvidence] | None


@dataclass(frozen=True)
class FailingEvidence(Later):
    """What fails at the level asked for, somewhere on a line of priors.

    divisor     terms, a coefficient and exponents each, of a positive polynomial
    line        the start and the direction
    eliminated  a variable of the priors that has a value of its own on the line
    """

    pair: tuple[str, str]
    outputs: Sequence[int]
    divisor: Sequence[Sequence[int]]
    line: tuple[Sequence[Fraction], Sequence[Fraction]]
    eliminated: int | None


@dataclass(frozen=True)
class UnknownEvidence(Evidence):
    """The same as of polynomials, on a piece of the values of a parameter."""

    lower: CurveEvidence | FailingEvidence | None
    upper: Sequence[TreeEvidence]


Replies = Sequence[tuple[Sequence[int], Terms]]  # what is seen; output and probability


@dataclass(frozen=True)
class SimulatorEvidence(Evidence):
    """A simulator, and demands that contradict each other below the level.

    demands  prior, view, private value and z; output; both multipliers
    """

    simulator: Replies | None
    demands: Sequence[tuple[Sequence[int], int, Fraction, Fraction]]
    tradeoff: Sequence[SimulatorEvidence] | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class ConflictEvidence(Later):
    """(prior, z) that are not good together at an output, with weights of situations."""

    output: int
    good: Sequence[tuple[int, int]]
    weights: Sequence[tuple[Sequence[int], Fraction, Fraction]]


@dataclass(frozen=True)
class InferenceEvidence(Evidence):
    """A simulator, and conflicts, those with common (t, z) one after the other."""

    simulator: Replies | None
    conflicts: Sequence[ConflictEvidence]


@dataclass(frozen=True)
class TiedWeights(Later):
    """Weights of worlds, or counts of outputs, that are no rationals but follow from equations.

    With the weights, as many `outputs` as worlds less one meet the level with equality. With the
    counts, as many `worlds` as outputs less one do.
    """

    worlds: Sequence[int]
    outputs: Sequence[int]


@dataclass(frozen=True)
class HidingEvidence(Evidence):
    """For each comparison the runs of entries to hide, first and last; and the comparison, by
    number, that asks for no less."""

    upper: Sequence[Sequence[tuple[int, int]]] | None
    worst: int | None

    def hidden(self, at: int) -> list[int]:
        """The entries that are hidden in a comparison; none where everything is told."""
        runs = self.upper[at] if self.upper else ()
        return [entry for first, last in runs for entry in range(first, last + 1)]


Mixed = int | TiedWeights | Mapping[int, Fraction]  # one world, or weights of worlds
Covered = tuple[int, Sequence[Mixed]] | tuple[int, Sequence[Mixed], object]  # with proofs


@dataclass(frozen=True)
class RunEvidence(Later):
    """Counts of outputs that need the level, and a run that exceeds the level asked for."""

    pair: tuple[str, str]
    world: int
    prior: Sequence[Fraction]
    counts: TiedWeights | Mapping[int, int]
    run: Mapping[int, int] | None
    repetitions: int | None


@dataclass(frozen=True)
class CompositionEvidence(Evidence):
    """For each ordered pair, each world with its betas (and proofs); what needs the level."""

    upper: Sequence[Sequence[Covered]] | None
    lower: RunEvidence | None


@dataclass(frozen=True)
class OutputsEvidence(Later):
    """Outputs of several runs after which the odds of a pair have changed most under a prior."""

    prior: int
    pair: tuple[str, str]
    outputs: Sequence[int]


@dataclass(frozen=True)
class RunsEvidence(Evidence):
    """The worst outputs of each step by itself, and of 1, 2, … runs."""

    alone: Sequence[OutputsEvidence | None]
    rows: Sequence[OutputsEvidence | None]


@dataclass(frozen=True)
class PayoffEvidence(Evidence):
    """Payoffs with which a mechanism earns more than anything that is made of the given ones.

    payoff  output -> what it pays in each world
    """

    payoff: Mapping[int, Row] = field(metadata=NUMBERS)


@dataclass(frozen=True)
class FacetsEvidence(Evidence):
    """All equations and facets of a cone."""

    equations: Sequence[Row] = field(metadata=NUMBERS)
    facets: Sequence[Row] = field(metadata=NUMBERS)


@dataclass(frozen=True)
class WeightsEvidence(Evidence):
    """Each row of a mechanism as a combination of rows of given mechanisms.

    In a mixture of post-processings the weights of one given mechanism have the same sum for each
    of its rows.
    """

    weights: Sequence[Weights]


@dataclass(frozen=True)
class InequalityEvidence(Later):
    """An inequality Σ h_w x_w <= 0, and multipliers of others that prove it."""

    inequality: Terms
    multipliers: Terms


@dataclass(frozen=True)
class ImpliesEvidence(Evidence):
    """What needs the level, and proofs of the conclusion's inequalities from the premise's."""

    worst: ComparisonEvidence | None
    inequalities: Sequence[Terms]
    proofs: Sequence[InequalityEvidence]


@dataclass(frozen=True)
class MeetsEvidence(Later):
    """A level at which a mechanism is proved to meet a definition, and the trees that prove it."""

    exp_epsilon: Fraction
    upper: Sequence[TreeEvidence] | None


@dataclass(frozen=True)
class FamilyImpliesEvidence(ImpliesEvidence):
    """The same where priors, or limits of priors, ask the inequalities of the premise; and why the
    mechanism is of the premise."""

    priors: Sequence[PriorEvidence]
    meets: MeetsEvidence


@dataclass(frozen=True)
class EndEvidence(Later):
    """An output, and the end of a curve of priors under which its likelihoods need a level; and a
    larger class of priors, which compares worlds."""

    output: int
    curve: PriorEvidence
    within: str


@dataclass(frozen=True)
class ImpliesFamilyEvidence(Evidence):
    """The end of a curve of priors that needs the level, and proofs that a larger class of priors
    needs no more, from the premise's inequalities."""

    worst: EndEvidence
    inequalities: Sequence[Terms]
    proofs: Sequence[InequalityEvidence]


@dataclass(frozen=True)
class InsideEvidence(Evidence):
    """Proofs of all equations and facets of a cone from the premise's inequalities."""

    equations: Sequence[Row] = field(metadata=NUMBERS)
    facets: Sequence[Row] = field(metadata=NUMBERS)
    inequalities: Sequence[Terms]
    proofs: Sequence[InequalityEvidence]


@dataclass(frozen=True)
class RowsInsideEvidence(Evidence):
    """For each mechanism of a premise its rows as combinations of other rows."""

    weights: Sequence[Sequence[Weights]]


@dataclass(frozen=True)
class CounterexampleEvidence(Evidence):
    """Why the mechanism of the certificate breaks the conclusion, and why it is of the premise."""

    worst: PayoffEvidence
    weights: Sequence[Weights] | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class MixturesEvidence(Evidence):
    """For each mechanism of a premise, how it is made of the given ones."""

    mixtures: Sequence[Sequence[Weights]]


@dataclass(frozen=True)
class ExtremeEvidence(Evidence):
    """All extreme mechanisms of a premise, and how each is made of the given ones.

    inside  why all rows of the premise are combinations of those of the certificate's mechanism
    """

    sums: Sequence[Sequence[Fraction]]
    rays: Sequence[Row] = field(metadata=NUMBERS)
    mixtures: Sequence[Sequence[Weights]]
    inside: InsideEvidence | RowsInsideEvidence = field(metadata=INLINE)


@dataclass(frozen=True)
class UseEvidence(Later):
    """How a mechanism's outputs are read best, and the prior against which nothing is better."""

    answers: Sequence[Sequence[Fraction]]
    prior: Sequence[Fraction]


@dataclass(frozen=True)
class OptimalEvidence(Evidence):
    """The best mechanism, and multipliers that prove that none is better."""

    rows: Sequence[Sequence[Fraction]]
    prior: Sequence[Fraction]
    shares: Sequence[Fraction]
    inequalities: Sequence[Terms]
    multipliers: Sequence[Terms]
    use: UseEvidence | None


@dataclass(frozen=True)
class BestMadeEvidence(Evidence):
    """A best mechanism among those that are made of given ones.

    rows     its rows
    prior    against it nothing that is made of them loses less
    weights  how it is made of them
    """

    rows: Sequence[Sequence[Fraction]]
    prior: Sequence[Fraction]
    weights: Sequence[Weights]


class Said(Later):
    """What a certificate says: its answer section."""


@dataclass(frozen=True)
class SaidLevel(Said):
    """The smallest level (None: not found), and the smallest delta at other levels."""

    verdict: str
    leakage: Leakage | None
    tradeoff: Sequence[tuple[Fraction, Fraction]] | None = field(
        default=None, metadata={**ABSENT, **NUMBERS}
    )


@dataclass(frozen=True)
class SaidValue(Said):
    """A number, where one is asked for; leakage only where nothing is compared."""

    verdict: str
    value: Fraction | None = field(default=None, metadata=ABSENT)
    leakage: Leakage | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class SaidOneRun(Said):
    """What one run of a mechanism leaks that does not compose; None where all do."""

    verdict: str
    one_run: Fraction | None
    leakage: Leakage | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class SaidRegion(Said):
    """For which values of a parameter a check holds, and the smallest level piece by piece; leakage
    only where nothing is compared. Ends and functions stand as on the page."""

    verdict: str
    region: Sequence[Mapping[str, object]]
    pieces: Sequence[Mapping[str, object]]
    leakage: Leakage | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class SaidParameters(Said):
    """Whether a check holds for all values of parameters; leakage only where nothing is
    compared."""

    verdict: str
    leakage: Leakage | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True)
class SaidRuns(Said):
    """What several runs leak, when all is known, and how odds change; see the page."""

    verdict: str
    alone: Sequence[Leakage]
    rows: Sequence[Leakage]
    certainty: Sequence[Mapping[str, object]]
    trajectories: Sequence[Mapping[str, object]]
