"""What shows a reader that a claim is false: one class for each shape of witness.

Worlds, outputs and secrets go by their names; numbers are exact, and None where infinite. Each
class has a text and a JSON form in `verifier.report.witnesses`.

Example. Of the mechanism that tells a bit with probability 3/4, the output 1 is a witness against
the level e^ε = 2: from even odds it makes odds 3.

>>> even = Belief(("1", "0"), {"1": Fraction(1, 2), "0": Fraction(1, 2)})
>>> OutputWitness(even, "1", Fraction(3)).after
Fraction(3, 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.base.shown import Shown
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

Value = Fraction | None  # None: infinite


class Witness(Shown, Later):
    """Something that shows that a claim is false."""


@dataclass(frozen=True)
class Belief(Later):
    """What an attacker believes before an output.

    pair   two secrets, or two worlds; the one that becomes likelier first
    prior  world, or value -> probability, where it is positive
    odds   of the first of the pair against the second
    place  of the prior in a list of them, from 1; None where none is listed
    """

    pair: tuple[str, str]
    prior: Mapping[str, Fraction]
    odds: Fraction = Fraction(1)
    place: int | None = None


@dataclass(frozen=True)
class OutputWitness(Witness):
    """An output that is likelier under one secret than under the other.

    ratio  by which it is
    """

    before: Belief
    output: str
    ratio: Value

    @property
    def after(self) -> Value:
        """The odds after the output."""
        return None if self.ratio is None else self.ratio * self.before.odds


@dataclass(frozen=True)
class EntriesWitness(OutputWitness):
    """Values of entries that are likelier under one secret, though others are hidden.

    hidden  the names of the hidden entries
    """

    hidden: Sequence[str]


@dataclass(frozen=True)
class EventWitness(Witness):
    """Outputs that are likelier together under one secret than under the other.

    probabilities  of all of them together, under the first secret and under the second
    """

    before: Belief
    outputs: Sequence[str]
    probabilities: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class RangeWitness(Witness):
    """Two outputs whose odds differ between two worlds.

    ratio  the odds of the first output against the second in the first world, by those in the
           other one
    """

    before: Belief
    outputs: Sequence[str]
    ratio: Value


@dataclass(frozen=True)
class DivergenceWitness(Witness):
    """Two worlds whose distributions of outputs are far apart.

    order    of Rényi's divergence of the first from the second; None where every order shows it
    output   that is possible in the first world only; None where there is none
    least    what e to the power of the divergence is at least; None where infinite
    divided  whether the divergence is divided by its order before
    """

    before: Belief
    order: Value
    output: str | None
    least: Value
    divided: bool = False


@dataclass(frozen=True)
class MissedRow(Later):
    """The comparison of an output under two secrets or worlds, of which only ends are known.

    weight         how much it counts among others
    first, second  the least and the largest probability under each of the pair
    """

    pair: tuple[str, str]
    output: str
    weight: Fraction
    first: tuple[Fraction, Fraction]
    second: tuple[Fraction, Fraction]


@dataclass(frozen=True)
class EndsWitness(Witness):
    """Comparisons of which every matrix between known ends misses one, below a level.

    below  the level; None: whatever the level
    slack  by how much all outputs of a pair may miss it together
    """

    below: Value
    rows: Sequence[MissedRow]
    slack: Fraction


@dataclass(frozen=True)
class RecordWitness(Later):
    """A change of one record, and what it is answered then.

    record   its name
    before   what an attacker believes of it
    answers  the outputs of its channel, one for each answer; none where events are told
    runs     how often each comes
    ratio    by which they are likelier for the first of the pair; None where infinite, or not told
    """

    record: str
    before: Belief
    answers: Sequence[str]
    runs: Sequence[int]
    ratio: Value


@dataclass(frozen=True)
class LocalWitness(Witness):
    """Two databases, or two secrets of one record, record by record; all other records are equal.

    records        those that differ
    ratio          by which the answers of all of them are likelier; with probabilities at least
    probabilities  of the event that the answers are likelier by the ratio at least; None where
                   the answers themselves are told
    """

    records: Sequence[RecordWitness]
    ratio: Value
    probabilities: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True)
class ChangeWitness(Witness):
    """Two worlds between which a query changes by some distance."""

    pair: tuple[str, str]
    distance: Fraction


@dataclass(frozen=True)
class GroupsWitness(ChangeWitness):
    """Two neighbours that differ in several groups of records.

    groups  the names of the records of each
    """

    groups: Sequence[Sequence[str]]


@dataclass(frozen=True)
class RunWitness(Witness):
    """Outputs that an attacker waits for, and how often all of them.

    world        in which they come
    run          output -> how often it comes
    repetitions  of all of the run; None where nobody knows how many are enough
    level        that one run is allowed
    ratio        by which all is likelier; None where it is infinite, or too long to be told
    infinite     which of the two
    """

    before: Belief
    world: str
    run: Mapping[str, int]
    repetitions: int | None
    level: Level
    ratio: Value
    infinite: bool

    @property
    def runs(self) -> int:
        """All outputs, counted as often as they come."""
        return (self.repetitions or 0) * sum(self.run.values())

    @property
    def allowed(self) -> str:
        """What linear composition allows for so many runs."""
        if self.level.epsilon is not None:
            return f"e^({self.level.epsilon * self.runs})"
        return f"({self.level.exp_epsilon})^{self.runs}"


@dataclass(frozen=True)
class TwoRunsWitness(Witness):
    """A mechanism that leaks more in two runs than twice what it leaks in one.

    mechanism      output -> world -> likelihood
    leakage        of one run
    probabilities  of the two outputs `runs`, one after the other, under the two secrets
    """

    pair: tuple[str, str]
    prior: Mapping[str, Fraction]
    mechanism: Mapping[str, Mapping[str, Fraction]]
    leakage: Fraction
    probabilities: tuple[Fraction, Fraction]
    runs: tuple[str, str]


@dataclass(frozen=True)
class Demand(Later):
    """What is demanded of a simulator in one situation.

    prior        its number from 1, None where there is one prior
    private      the private value, in words
    auxiliary    what else is known, None for nothing
    sees         what a simulator may see there
    probability  of the output
    side         "at least" or "at most": on which side of the probability the level must keep
    weight       with which it counts
    """

    prior: int | None
    private: str
    auxiliary: str | None
    sees: Sequence[str]
    output: str
    probability: Fraction
    side: str
    weight: Fraction


@dataclass(frozen=True)
class DemandsWitness(Witness):
    """Demands on a simulator that contradict each other, the heaviest first.

    below  no simulator serves a level below this
    slack  by how much all may be missed, None for not at all
    """

    below: Value
    demands: Sequence[Demand]
    slack: Fraction | None


@dataclass(frozen=True)
class Case(Later):
    """One prior (its number from 1, None where there is one), and what else is known (or None)."""

    prior: int | None
    auxiliary: str | None


@dataclass(frozen=True)
class Conflict(Later):
    """An output from which too much is inferred in one of these cases at least."""

    output: str
    cases: Sequence[Case]


@dataclass(frozen=True)
class ConflictsWitness(Witness):
    """What a simulator cannot make good at once, in the inference form.

    below  no simulator serves a level below this
    """

    below: Value
    conflicts: Sequence[Conflict]


@dataclass(frozen=True)
class GuaranteeWitness(Witness):
    """A guarantee of a row cone that an output breaks.

    likelier  the worlds that become too likely, as a predicate
    other     those that they are compared with
    prior     world -> probability; empty where that is too long
    odds      of the other ones before the output
    after     the same after it, at most `bound` for rows of the cone
    """

    output: str
    likelier: str
    other: str
    prior: Mapping[str, Fraction]
    odds: Fraction
    after: Value
    bound: Fraction = Fraction(1)


@dataclass(frozen=True)
class InequalityWitness(Witness):
    """An output that breaks an inequality of a definition, which is told in words."""

    output: str
    inequality: str


@dataclass(frozen=True)
class LossWitness(Witness):
    """A prior against which a mechanism loses too much, however its outputs are read."""

    loss: Fraction
    prior: Mapping[str, Fraction]


@dataclass(frozen=True)
class ErrorWitness(Witness):
    """A world in which a mechanism has the largest expected error, and this error."""

    error: Fraction
    world: str


@dataclass(frozen=True)
class PayoffWitness(Witness):
    """A game in which a mechanism earns more than any post-processing of the given ones.

    payoff  announced output -> world -> what it pays
    earns   the mechanism
    best    the most that a post-processing earns
    """

    payoff: Mapping[str, Mapping[str, int]]
    earns: Fraction
    best: Fraction


@dataclass(frozen=True)
class RowPayoffWitness(PayoffWitness):
    """Such a game in which one output pays, which tells what no post-processing tells.

    prior     world -> probability
    likelier  the worlds that the output makes likelier
    than      than these
    """

    output: str
    prior: Mapping[str, Fraction]
    likelier: Sequence[str]
    than: Sequence[str]


@dataclass(frozen=True)
class Table(Later):
    """A mechanism in full: its outputs, and world -> their probabilities."""

    outputs: Sequence[str]
    columns: Mapping[str, Sequence[Fraction]]

    @classmethod
    def of(
        cls, space: WorldSpace, outputs: Sequence[str], rows: Iterable[Sequence[Fraction]]
    ) -> Table:
        """The table of the worlds of `space`, from one of `rows` for each of `outputs`."""
        names = space.names(range(space.size))
        return cls(tuple(outputs), dict(zip(names, zip(*rows, strict=True), strict=True)))

    @classmethod
    def of_mechanism(cls, space: WorldSpace, mechanism: Mechanism) -> Table:
        """The table of a `mechanism` over the worlds of `space`."""
        return cls.of(space, mechanism.outputs, mechanism.rows())


@dataclass(frozen=True)
class GivenWitness(Witness):
    """A witness that is about one of given mechanisms, by its name."""

    given: str
    shown: Witness


@dataclass(frozen=True)
class MechanismWitness(Witness):
    """A witness that is about a mechanism of its own."""

    mechanism: Table
    shown: Witness


class Construction(Shown, Later):
    """Something that an answer has made: it shows a reader that a claim is true."""


@dataclass(frozen=True)
class BestMechanism(Construction):
    """The mechanism with the smallest loss."""

    mechanism: Table


@dataclass(frozen=True)
class Reply(Later):
    """What a simulator says to what it sees.

    sees       any of these
    outputs    output -> probability
    otherwise  the probability of an output that the mechanism never has
    """

    sees: Sequence[str]
    outputs: Mapping[str, Fraction]
    otherwise: Fraction = Fraction(0)


@dataclass(frozen=True)
class Simulator(Construction):
    """A simulator, by its replies."""

    replies: Sequence[Reply]


@dataclass(frozen=True)
class Part(Later):
    """One of the mechanisms that a mixture runs, and what becomes of its outputs.

    weight           the probability that it is run
    post_processing  its outputs -> output of the mixture -> probability; None where too long
    entries          how many probabilities that has
    """

    mechanism: str
    weight: Fraction
    post_processing: Mapping[str, Mapping[str, Fraction]] | None
    entries: int


@dataclass(frozen=True)
class Mixture(Construction):
    """A mixture of post-processings of given mechanisms."""

    parts: Sequence[Part]
