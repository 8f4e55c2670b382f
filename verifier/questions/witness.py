"""What shows a reader that a claim is false: one class for each shape of witness.

Worlds, outputs and secrets go by their names; numbers are exact, and None where infinite. Each
class says itself how it is told: as `lines` for people and, by its `keys`, as JSON.

Example. Of the mechanism that tells a bit with probability 3/4, the output 1 is a witness against
the level e^ε = 2: from even odds it makes odds 3.

>>> even = Belief(("1", "0"), {"1": Fraction(1, 2), "0": Fraction(1, 2)})
>>> OutputWitness(even, "1", Fraction(3)).after
Fraction(3, 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from verifier.base import exact, shortened
from verifier.base.level import Level
from verifier.base.nouns import Later, Shown, dataclass
from verifier.base.shortened import first_lines, some
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

Json = dict[str, Any]
Value = Fraction | None  # None: infinite


class Told(Later):
    """What is told in a report, or a part of it.

    keys  of its JSON, in their order, with a space between them. `key=field` has the value of a
          field of another name, `key?` is left out where that is None, and the JSON of `*field` is
          spread out; None is `infinite` elsewhere
    """

    keys: ClassVar[str]

    def as_json(self) -> Any:
        """As an object of JSON, with all digits: rationals are text, counts integers."""
        found: Json = {}
        for word in self.keys.split():
            key, _, field = word.partition("=")
            name = key.rstrip("?").lstrip("*")
            value = getattr(self, field or name)
            if key.startswith("*"):
                found |= json_of(value)
            elif value is not None or not key.endswith("?"):
                found[name] = json_of(value)
        return found


def json_of(value: Any) -> Any:
    """A value of a field of `Told` as JSON."""
    if value is None:
        return "infinite"
    if isinstance(value, str | int):
        return value
    if isinstance(value, Told):
        return value.as_json()
    if isinstance(value, Mapping):
        return {name: json_of(part) for name, part in value.items()}
    return [json_of(part) for part in value] if isinstance(value, Sequence) else exact.text(value)


class Example(Shown, Told):
    """What shows a reader that a claim is false, or true."""

    def lines(self) -> Iterator[str]:
        """In words for people, line by line; whoever prints a line escapes the names in it."""
        raise NotImplementedError


class Witness(Example):
    """Something that shows that a claim is false."""


class Construction(Example):
    """Something that an answer has made: it shows a reader that a claim is true.

    key  under which a report in JSON has it
    """

    key: ClassVar[str]


def number(value: Value) -> str:
    """An exact value, shortened where it is long, or `infinite`."""
    return "infinite" if value is None else shortened.number(value)


def _weights(weights: Mapping[str, Fraction]) -> str:
    return some([f"{name}: {number(weight)}" for name, weight in weights.items()])


def _rows(table: Mapping[str, Mapping[str, Fraction]], verb: str) -> Iterator[str]:
    """The rows of a table by their outputs; a `verb` stands between."""
    rows = list(table.items())
    more = "  … ({} outputs in all)"
    yield from first_lines(rows, lambda row: f"  {row[0]} {verb} {_weights(row[1])}", more)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else some(names)


def _serves(below: Value) -> str:
    level = "any level" if below is None else f"a level e^ε below {number(below)}"
    return f"no simulator serves {level}"


@dataclass(frozen=True)
class Belief(Told):
    """What an attacker believes before an output.

    pair   two secrets, or two worlds; the one that becomes likelier first
    prior  world, or value -> probability, where it is positive
    odds   of the first of the pair against the second
    place  of the prior in a list of them, from 1; None where none is listed
    """

    keys = "pair prior prior_odds=odds"
    pair: tuple[str, str]
    prior: Mapping[str, Fraction]
    odds: Fraction = Fraction(1)
    place: int | None = None

    def told(self) -> str:
        """In words, for people."""
        s, t = self.pair
        return f"pair {s} against {t}; prior {_weights(self.prior)}"


@dataclass(frozen=True)
class OutputWitness(Witness):
    """An output that is likelier under one secret than under the other.

    ratio  by which it is
    """

    keys = "*before output posterior_odds=after ratio"
    before: Belief
    output: str
    ratio: Value

    @property
    def after(self) -> Value:
        """The odds after the output."""
        return None if self.ratio is None else self.ratio * self.before.odds

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield self.before.told()
        yield (
            f"output {self.output}: odds {number(self.before.odds)} before, "
            f"{number(self.after)} after, ratio {number(self.ratio)}"
        )


@dataclass(frozen=True)
class EntriesWitness(OutputWitness):
    """Values of entries that are likelier under one secret, though others are hidden.

    hidden  the names of the hidden entries
    """

    keys = "*before output hidden posterior_odds=after ratio"
    hidden: Sequence[str]


@dataclass(frozen=True)
class EventWitness(Witness):
    """Outputs that are likelier together under one secret than under the other.

    probabilities  of all of them together, under the first secret and under the second
    """

    keys = "*before outputs probabilities"
    before: Belief
    outputs: Sequence[str]
    probabilities: tuple[Fraction, Fraction]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield self.before.told()
        first, second = map(number, self.probabilities)
        yield f"the event {some(self.outputs)} has probability {first} against {second}"


@dataclass(frozen=True)
class RangeWitness(Witness):
    """Two outputs whose odds differ between two worlds.

    ratio  the odds of the first output against the second in the first world, by those in the
           other one
    """

    keys = "*before outputs ratio"
    before: Belief
    outputs: Sequence[str]
    ratio: Value

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield self.before.told()
        first, second = self.outputs
        yield f"the odds of output {first} against {second} differ by a factor {number(self.ratio)}"


@dataclass(frozen=True)
class DivergenceWitness(Witness):
    """Two worlds whose distributions of outputs are far apart.

    order    of Rényi's divergence of the first from the second; None where every order shows it
    output   that is possible in the first world only; None where there is none
    least    what e to the power of the divergence is at least; None where infinite
    divided  whether the divergence is divided by its order before
    """

    keys = "*before order? output? at_least=least"
    before: Belief
    order: Value
    output: str | None
    least: Value
    divided: bool = False

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        s, t = self.before.pair
        yield self.before.told()
        if self.output is not None:
            yield f"output {self.output} is possible under {s} and impossible under {t}"
        else:
            told = (
                f"Rényi divergence of order {number(self.order)}{', by its order' * self.divided}"
            )
            yield f"{told}: e to its power is at least {number(self.least)}"


@dataclass(frozen=True)
class MissedRow(Told):
    """An output whose two probabilities, under two secrets or worlds, are known between ends only.

    weight         how much it counts among others
    first, second  the least and the largest probability under each of the pair
    """

    keys = "pair output weight first second"
    pair: tuple[str, str]
    output: str
    weight: Fraction
    first: tuple[Fraction, Fraction]
    second: tuple[Fraction, Fraction]

    def told(self) -> str:
        """In words, for people."""
        first, second = self.pair
        return (
            f"output {self.output}: at least {number(self.first[0])} under {first}, "
            f"at most {number(self.second[1])} under {second}"
        )

    def weighed(self) -> str:
        """The same with its weight, unless that is 1."""
        return self.told() + (f" (weight {number(self.weight)})" if self.weight != 1 else "")


@dataclass(frozen=True)
class EndsWitness(Witness):
    """A list of comparisons: below a level, each matrix between the known ends breaks one of them.

    below  the level; None: whatever the level
    slack  by how much all outputs of a pair may miss it together
    """

    keys = "below rows slack"
    below: Value
    rows: Sequence[MissedRow]
    slack: Fraction

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        level = "at any level" if self.below is None else f"below e^ε = {number(self.below)}"
        slack = f" by more than {number(self.slack)} together" if self.slack else ""
        which = "this comparison" if len(self.rows) == 1 else "one of these comparisons"
        yield f"{level} every matrix between the ends misses {which}{slack}"
        is_one = len(self.rows) == 1
        yield from first_lines(self.rows, lambda row: row.told() if is_one else row.weighed())


@dataclass(frozen=True)
class RecordWitness(Told):
    """A change of one record, and what it is answered then.

    record   its name
    before   what an attacker believes of it
    answers  the outputs of its channel, one for each answer; none where events are told
    runs     how often each comes
    ratio    by which they are likelier for the first of the pair; None where infinite, or not told
    """

    keys = "record *before"
    record: str
    before: Belief
    answers: Sequence[str]
    runs: Sequence[int]
    ratio: Value

    def as_json(self) -> Json:
        """See `Told`; without answers where events are told."""
        found: Json = super().as_json()
        if not self.answers:
            return found
        answers = {"answers": list(self.answers), "runs": [str(times) for times in self.runs]}
        return {**found, **answers, "ratio": json_of(self.ratio)}

    def told(self) -> str:
        """In words, for people."""
        words = self.before.told()
        if not self.answers:
            return words
        answers = [
            f"{answer} ({times}×)" if times > 1 else answer
            for answer, times in zip(self.answers, self.runs, strict=True)
        ]
        plural = "s" * (len(answers) > 1)
        return f"{words}; answer{plural} {_listed(answers)}, ratio {number(self.ratio)}"


@dataclass(frozen=True)
class LocalWitness(Witness):
    """Two databases, or two secrets of one record, record by record; all other records are equal.

    records        those that differ
    ratio          by which the answers of all of them are likelier; with probabilities at least;
                   where neither answers nor probabilities are told, the level that is needed
    probabilities  of the event that the answers are likelier by the ratio at least; None where
                   the answers themselves are told, or nothing is
    """

    keys = "records ratio probabilities?"
    records: Sequence[RecordWitness]
    ratio: Value
    probabilities: tuple[Fraction, Fraction] | None = None

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        alike: dict[str, list[str]] = {}
        for record in self.records:
            alike.setdefault(record.told(), []).append(record.record)
        for words, names in alike.items():
            about = f"record{'s' * (len(names) > 1)} {_listed(names)}: " if names != [""] else ""
            yield f"{about}{words}"
        if self.probabilities is None:
            if len(self.records) > 1 and self.records[0].answers:
                yield f"all together: ratio {number(self.ratio)}"
        else:
            first, second = map(number, self.probabilities)
            least = "infinitely" if self.ratio is None else f"at least {number(self.ratio)} times"
            yield f"answers {least} as likely have probability {first} against {second}"


@dataclass(frozen=True)
class ChangeWitness(Witness):
    """Two worlds between which a query changes by some distance."""

    keys = "pair distance"
    pair: tuple[str, str]
    distance: Fraction

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        world, other = self.pair
        yield f"between {world} and {other} the query changes by {number(self.distance)}"


@dataclass(frozen=True)
class GroupsWitness(ChangeWitness):
    """Two neighbours that differ in several groups of records.

    groups  the names of the records of each
    """

    keys = "pair distance groups"
    groups: Sequence[Sequence[str]]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        world, other = self.pair
        names = " and ".join(map(some, self.groups))
        yield f"{world} and {other} are neighbours and differ in {names}"


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

    keys = "*before world run"
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

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield self.before.told()
        counts = [f"{label} ({n}×)" for label, n in self.run.items()]
        yield f"in world {self.world} an attacker waits for the outputs {some(counts)}"
        if self.repetitions is not None:
            is_known = self.infinite or self.ratio is not None
            ratio = f"ratio {number(self.ratio)}" if is_known else "the ratio"
            again = f", {self.repetitions} times over" if self.repetitions > 1 else ""
            runs = f"{self.runs} run{'s' * (self.runs > 1)}"
            yield (
                f"after {runs} with just these{again}: odds {number(self.before.odds)} before; "
                f"{ratio} is above {self.allowed}"
            )

    def as_json(self) -> Json:
        """See `Told`; without what is not known of the repetitions."""
        found: Json = {**super().as_json(), "repetitions": self.repetitions}
        if self.repetitions is not None:
            found |= {"runs": self.runs, "allowed": self.allowed}
            if self.infinite or self.ratio is not None:
                found["ratio"] = json_of(self.ratio)
        return found


@dataclass(frozen=True)
class TwoRunsWitness(Witness):
    """A mechanism that leaks more in two runs than twice what it leaks in one.

    mechanism      output -> world -> likelihood
    leakage        of one run
    probabilities  of the two outputs `runs`, one after the other, under the two secrets
    """

    keys = "pair prior mechanism leakage runs probabilities"
    pair: tuple[str, str]
    prior: Mapping[str, Fraction]
    mechanism: Mapping[str, Mapping[str, Fraction]]
    leakage: Fraction
    probabilities: tuple[Fraction, Fraction]
    runs: tuple[str, str]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        (s, t), (first, second) = self.pair, self.runs
        given, other = map(number, self.probabilities)
        yield f"{s} against {t}; prior {_weights(self.prior)}"
        yield f"a mechanism that leaks at most e^ε {number(self.leakage)} in one run:"
        for output, row in self.mechanism.items():
            yield f"  {output} with {_weights(row)}"
        yield (
            f"two runs say {first}, then {second} with probability {given} given {s}, "
            f"{other} given {t}: more than e^ε ({number(self.leakage)})² apart"
        )


@dataclass(frozen=True)
class Demand(Told):
    """What is demanded of a simulator in one situation.

    prior        its number from 1, None where there is one prior
    private      the private value, in words
    auxiliary    what else is known, None for nothing
    sees         what a simulator may see there
    probability  of the output
    side         "at least" or "at most": on which side of the probability the level must keep
    weight       with which it counts
    """

    keys = "prior? private auxiliary? sees output probability demand=side weight"
    prior: int | None
    private: str
    auxiliary: str | None
    sees: Sequence[str]
    output: str
    probability: Fraction
    side: str
    weight: Fraction

    def told(self) -> str:
        """In words, for people."""
        prior = "" if self.prior is None else f"prior {self.prior}, "
        known = "" if self.auxiliary is None else f", z = {self.auxiliary}"
        p = number(self.probability)
        bound = f"e^ε·{p}" if self.side == "at most" else f"{p} / e^ε"
        return (
            f"  {prior}given {self.private}{known}: output {self.output} {self.side} {bound}, "
            f"seeing {some(self.sees)}; weight {number(self.weight)}"
        )


@dataclass(frozen=True)
class DemandsWitness(Witness):
    """Demands on a simulator that contradict each other, the heaviest first.

    below  no simulator serves a level below this
    slack  by how much all may be missed, None for not at all
    """

    keys = "no_simulator_below=below demands slack?"
    below: Value
    demands: Sequence[Demand]
    slack: Fraction | None

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        missed = "" if self.slack is None else number(self.slack)
        spared = f", though each may be missed, by {missed} in all" if missed else ""
        yield f"{_serves(self.below)}, for these demands contradict each other{spared}:"
        yield from first_lines(self.demands, Demand.told, "  … ({} in all)")


@dataclass(frozen=True)
class Case(Told):
    """One prior (its number from 1, None where there is one), and what else is known (or None)."""

    keys = "prior? auxiliary?"
    prior: int | None
    auxiliary: str | None

    def told(self) -> str:
        """In words, for people."""
        prior = [] if self.prior is None else [f"prior {self.prior}"]
        known = [] if self.auxiliary is None else [f"z = {self.auxiliary}"]
        return ", ".join(prior + known)


@dataclass(frozen=True)
class Conflict(Told):
    """An output from which too much is inferred in one of these cases at least."""

    keys = "output cases"
    output: str
    cases: Sequence[Case]

    def told(self) -> str:
        """In words, for people."""
        where = "; ".join(filter(None, map(Case.told, self.cases)))
        together = " (not all of them together)" if len(self.cases) > 1 else ""
        return f"  output {self.output}{': ' + where if where else ''}{together}"


@dataclass(frozen=True)
class ConflictsWitness(Witness):
    """What a simulator cannot make good at once, in the inference form.

    below  no simulator serves a level below this
    """

    keys = "no_simulator_below=below conflicts"
    below: Value
    conflicts: Sequence[Conflict]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield f"{_serves(self.below)}: what can be inferred from these outputs is too different"
        yield from first_lines(self.conflicts, Conflict.told, "  … ({} in all)")


@dataclass(frozen=True)
class GuaranteeWitness(Witness):
    """A guarantee of a row cone that an output breaks.

    likelier  the worlds that become too likely, as a predicate
    other     those that they are compared with
    prior     world -> probability; empty where that is too long
    odds      of the other ones before the output
    after     the same after it, at most `bound` for rows of the cone
    """

    keys = "output likelier other prior prior_odds=odds posterior_odds=after bound"
    output: str
    likelier: str
    other: str
    prior: Mapping[str, Fraction]
    odds: Fraction
    after: Value
    bound: Fraction = Fraction(1)

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield f"prior {_weights(self.prior)}" if self.prior else "a prior on many worlds"
        yield (
            f"output {self.output}: odds of {self.other} against {self.likelier} "
            f"{number(self.odds)} before, {number(self.after)} after, though at most "
            f"{number(self.bound)} in the row cone"
        )


@dataclass(frozen=True)
class InequalityWitness(Witness):
    """An output that breaks an inequality of a definition, which is told in words."""

    keys = "output inequality"
    output: str
    inequality: str

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield f"output {self.output} breaks {self.inequality}"


@dataclass(frozen=True)
class LossWitness(Witness):
    """A prior against which a mechanism loses too much, however its outputs are read."""

    keys = "loss prior"
    loss: Fraction
    prior: Mapping[str, Fraction]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield (
            f"however its outputs are read, it loses {number(self.loss)} against the prior "
            f"{_weights(self.prior)}"
        )


@dataclass(frozen=True)
class GuessWitness(Witness):
    """What an attacker guesses at best under a prior, and gains by it.

    guess, gain   without the output
    guesses       output -> guess
    after         what these gain together
    """

    keys = "prior guess gain guesses gain_after=after"
    prior: Mapping[str, Fraction]
    guess: str
    gain: Fraction
    guesses: Mapping[str, str]
    after: Fraction

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield f"prior {_weights(self.prior)}"
        yield f"without the output the best guess is {self.guess}, which gains {number(self.gain)}"
        told = [f"{guess} at {output}" for output, guess in self.guesses.items()]
        yield f"with it the gain is {number(self.after)}, by guessing {some(told)}"


@dataclass(frozen=True)
class ErrorWitness(Witness):
    """A world in which a mechanism has the largest expected error, and this error."""

    keys = "error world"
    error: Fraction
    world: str

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield f"the error is largest in the world {self.world}: {number(self.error)}"


@dataclass(frozen=True)
class PayoffWitness(Witness):
    """A game in which a mechanism earns more than any post-processing of the given ones.

    payoff  announced output -> world -> what it pays
    earns   the mechanism
    best    the most that a post-processing earns
    """

    keys = "payoff earns best"
    payoff: Mapping[str, Mapping[str, Fraction]]
    earns: Fraction
    best: Fraction

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield (
            f"paid by the world and by what is announced, it earns {number(self.earns)}, "
            f"a post-processing at most {number(self.best)}, though no single output tells too "
            f"much:"
        )
        yield from _rows(self.payoff, "pays")


@dataclass(frozen=True)
class RowPayoffWitness(PayoffWitness):
    """Such a game in which one output pays, which tells what no post-processing tells.

    prior     world -> probability
    likelier  the worlds that the output makes likelier
    than      than these
    """

    keys = "payoff earns best output prior likelier than"
    output: str
    prior: Mapping[str, Fraction]
    likelier: Sequence[str]
    than: Sequence[str]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        likelier, than = some(self.likelier), some(self.than)
        told = f"makes {likelier} likelier than {than}" if self.than else f"reveals {likelier}"
        yield f"output {self.output}, against the prior {_weights(self.prior)}, {told};"
        yield "  no output of a post-processing does that"


@dataclass(frozen=True)
class Table(Told):
    """A mechanism in full: its outputs, and world -> their probabilities."""

    keys = "outputs *columns"
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

    keys = "*shown given"
    given: str
    shown: Witness

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        is_payoff = isinstance(self.shown, PayoffWitness)
        what = "cannot be made of the given ones" if is_payoff else "needs more"
        yield f"the mechanism {self.given} {what}:"
        yield from self.shown.lines()


@dataclass(frozen=True)
class MechanismWitness(Witness):
    """A witness that is about a mechanism of its own."""

    keys = "*shown mechanism"
    mechanism: Table
    shown: Witness

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        outputs, columns = self.mechanism.outputs, self.mechanism.columns
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        table = dict(zip(outputs, rows, strict=True))
        if list(outputs) == ["yes", "no"]:
            yes = _weights(table["yes"])
            yield f"this mechanism says yes with probability {yes}, no otherwise;"
        else:
            yield "this mechanism says"
            yield from _rows(table, "with probability")
        yield from self.shown.lines()


@dataclass(frozen=True)
class BestMechanism(Construction):
    """The mechanism with the smallest loss."""

    keys = "*mechanism"
    key = "best"
    mechanism: Table

    def lines(self) -> Iterator[str]:
        """Nothing: the table is for programs, what counts for people is its loss."""
        yield from ()


@dataclass(frozen=True)
class Reply(Told):
    """What a simulator says to what it sees.

    sees       any of these
    outputs    output -> probability
    otherwise  the probability of an output that the mechanism never has
    """

    keys = "sees outputs otherwise?=spared"
    sees: Sequence[str]
    outputs: Mapping[str, Fraction]
    otherwise: Fraction = Fraction(0)

    @property
    def spared(self) -> Value:
        """The probability of anything else; None where there is none."""
        return self.otherwise or None

    def told(self) -> str:
        """In words, for people."""
        said = [f"{label}: {number(p)}" for label, p in self.outputs.items()]
        said += [f"anything else: {number(self.otherwise)}"] if self.otherwise else []
        return f"simulator: sees {some(self.sees)}, answers {some(said)}"


@dataclass(frozen=True)
class Simulator(Construction):
    """A simulator, by its replies."""

    keys = "replies"
    key = "simulator"
    replies: Sequence[Reply]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        yield from first_lines(self.replies, Reply.told, "simulator: … ({} rows in all)")

    def as_json(self) -> Any:
        """See `Told`; a list."""
        return super().as_json()["replies"]


@dataclass(frozen=True)
class Part(Told):
    """One of the mechanisms that a mixture runs, and what becomes of its outputs.

    weight           the probability that it is run
    post_processing  its outputs -> output of the mixture -> probability; None where too long
    entries          how many probabilities that has
    """

    keys = "mechanism weight"
    mechanism: str
    weight: Fraction
    post_processing: Mapping[str, Mapping[str, Fraction]] | None
    entries: int

    def as_json(self) -> Json:
        """See `Told`; only the number of entries where they are too many."""
        if self.post_processing is None:
            return {**super().as_json(), "entries": self.entries}
        return {**super().as_json(), "post_processing": json_of(self.post_processing)}


@dataclass(frozen=True)
class Mixture(Construction):
    """A mixture of post-processings of given mechanisms."""

    keys = "parts"
    key = "mixture"
    parts: Sequence[Part]

    def lines(self) -> Iterator[str]:
        """See `Example`."""
        for part in self.parts:
            start = f"with weight {number(part.weight)} {part.mechanism} is run"
            if part.post_processing is None:
                yield f"{start} and processed ({part.entries} entries, in the certificate)"
                continue
            yield f"{start}, and"
            yield from _rows(part.post_processing, "becomes")

    def as_json(self) -> Any:
        """See `Told`; a list."""
        return super().as_json()["parts"]
