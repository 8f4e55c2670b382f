"""Witnesses, and what answers have made, in words: one function for each class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from verifier.claims.witness import (
    Belief,
    BestMechanism,
    ChangeWitness,
    ConflictsWitness,
    DemandsWitness,
    DivergenceWitness,
    EndsWitness,
    ErrorWitness,
    EventWitness,
    GroupsWitness,
    GuaranteeWitness,
    InequalityWitness,
    LocalWitness,
    LossWitness,
    Mixture,
    OutputWitness,
    PayoffWitness,
    RangeWitness,
    RecordWitness,
    RowPayoffWitness,
    RunWitness,
    Simulator,
    Table,
    TwoRunsWitness,
    Value,
)
from verifier.report import shortened
from verifier.report.shortened import most, some

Number = Fraction | int


def number(value: Value | int) -> str:
    """An exact value, or `infinite`."""
    return "infinite" if value is None else shortened.number(value)


def _weights(weights: Mapping[str, Number]) -> str:
    return some([f"{name}: {number(weight)}" for name, weight in weights.items()])


def _before(before: Belief) -> str:
    s, t = before.pair
    return f"pair {s} against {t}; prior {_weights(before.prior)}"


def _serves(below: Value) -> str:
    level = "any level" if below is None else f"a level e^ε below {number(below)}"
    return f"no simulator serves {level}"


def output(found: OutputWitness) -> Iterator[str]:
    """What was `found`: an output that is likelier under one secret than under the other."""
    yield _before(found.before)
    yield (
        f"output {found.output}: odds {number(found.before.odds)} before, "
        f"{number(found.after)} after, ratio {number(found.ratio)}"
    )


def event(found: EventWitness) -> Iterator[str]:
    """What was `found`: outputs that are likelier together."""
    yield _before(found.before)
    first, second = map(number, found.probabilities)
    yield f"the event {some(found.outputs)} has probability {first} against {second}"


def two_outputs(found: RangeWitness) -> Iterator[str]:
    """What was `found`: two outputs whose odds differ."""
    yield _before(found.before)
    first, second = found.outputs
    yield f"the odds of output {first} against {second} differ by a factor {number(found.ratio)}"


def divergence(found: DivergenceWitness) -> Iterator[str]:
    """What was `found`: two distributions of outputs that are far apart."""
    s, t = found.before.pair
    yield _before(found.before)
    if found.output is not None:
        yield f"output {found.output} is possible under {s} and impossible under {t}"
    else:
        told = f"Rényi divergence of order {number(found.order)}{', by its order' * found.divided}"
        yield f"{told}: e to its power is at least {number(found.least)}"


def ends(found: EndsWitness) -> Iterator[str]:
    """What was `found`: comparisons of which every matrix between known ends misses one."""
    level = "at any level" if found.below is None else f"below e^ε = {number(found.below)}"
    slack = f" by more than {number(found.slack)} together" if found.slack else ""
    which = "this comparison" if len(found.rows) == 1 else "one of these comparisons"
    yield f"{level} every matrix between the ends misses {which}{slack}"
    for row in found.rows[: most()]:
        (first, second), counts = row.pair, len(found.rows) > 1 and row.weight != 1
        yield (
            f"output {row.output}: at least {number(row.first[0])} under {first}, "
            f"at most {number(row.second[1])} under {second}"
            f"{f' (weight {number(row.weight)})' if counts else ''}"
        )
    if len(found.rows) > most():
        yield f"… ({len(found.rows)} in all)"


def local(found: LocalWitness) -> Iterator[str]:
    """What was `found`: records that differ, and what each is answered."""
    alike: dict[str, list[str]] = {}
    for record in found.records:
        alike.setdefault(_of_record(record), []).append(record.record)
    for words, names in alike.items():
        about = f"record{'s' * (len(names) > 1)} {_listed(names)}: " if names != [""] else ""
        yield f"{about}{words}"
    if found.probabilities is None:
        if len(found.records) > 1:
            yield f"all together: ratio {number(found.ratio)}"
    else:
        first, second = map(number, found.probabilities)
        least = "infinitely" if found.ratio is None else f"at least {number(found.ratio)} times"
        yield f"answers {least} as likely have probability {first} against {second}"


def _of_record(found: RecordWitness) -> str:
    words = _before(found.before)
    if not found.answers:
        return words
    answers = [
        f"{answer} ({times}×)" if times > 1 else answer
        for answer, times in zip(found.answers, found.runs, strict=True)
    ]
    plural = "s" * (len(answers) > 1)
    return f"{words}; answer{plural} {_listed(answers)}, ratio {number(found.ratio)}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else some(names)


def change(found: ChangeWitness) -> Iterator[str]:
    """What was `found`: two worlds between which a query changes most."""
    world, other = found.pair
    yield f"between {world} and {other} the query changes by {number(found.distance)}"


def groups(found: GroupsWitness) -> Iterator[str]:
    """What was `found`: two neighbours that differ in several groups."""
    world, other = found.pair
    names = " and ".join(map(some, found.groups))
    yield f"{world} and {other} are neighbours and differ in {names}"


def run(found: RunWitness) -> Iterator[str]:
    """What was `found`: outputs that an attacker waits for, and how often all of them."""
    yield _before(found.before)
    counts = [f"{label} ({n}×)" for label, n in found.run.items()]
    yield f"in world {found.world} an attacker waits for the outputs {some(counts)}"
    if found.repetitions is not None:
        is_known = found.infinite or found.ratio is not None
        ratio = f"ratio {number(found.ratio)}" if is_known else "the ratio"
        again = f", {found.repetitions} times over" if found.repetitions > 1 else ""
        runs = f"{found.runs} run{'s' * (found.runs > 1)}"
        yield (
            f"after {runs} with just these{again}: odds {number(found.before.odds)} before; "
            f"{ratio} is above {found.allowed}"
        )


def two_runs(found: TwoRunsWitness) -> Iterator[str]:
    """What was `found`: a mechanism that does not compose with itself."""
    (s, t), (first, second) = found.pair, found.runs
    given, other = map(number, found.probabilities)
    yield f"{s} against {t}; prior {_weights(found.prior)}"
    yield f"a mechanism that leaks at most e^ε {number(found.leakage)} in one run:"
    for output, row in found.mechanism.items():
        yield f"  {output} with {_weights(row)}"
    yield (
        f"two runs say {first}, then {second} with probability {given} given {s}, {other} given "
        f"{t}: more than e^ε ({number(found.leakage)})² apart"
    )


def demands(found: DemandsWitness) -> Iterator[str]:
    """What was `found`: demands on a simulator that contradict each other, the heaviest first."""
    missed = "" if found.slack is None else number(found.slack)
    spared = f", though each may be missed, by {missed} in all" if missed else ""
    yield f"{_serves(found.below)}, for these demands contradict each other{spared}:"
    for demand in found.demands[: most()]:
        prior = "" if demand.prior is None else f"prior {demand.prior}, "
        known = "" if demand.auxiliary is None else f", z = {demand.auxiliary}"
        p, side = number(demand.probability), demand.side
        bound = f"e^ε·{p}" if side == "at most" else f"{p} / e^ε"
        yield (
            f"  {prior}given {demand.private}{known}: output {demand.output} {side} {bound}, "
            f"seeing {some(demand.sees)}; weight {number(demand.weight)}"
        )
    if len(found.demands) > most():
        yield f"  … ({len(found.demands)} in all)"


def conflicts(found: ConflictsWitness) -> Iterator[str]:
    """What was `found`: what a simulator cannot make good at once, in the inference form."""
    yield f"{_serves(found.below)}: what can be inferred from these outputs is too different"
    for conflict in found.conflicts[: most()]:
        cases = []
        for case in conflict.cases:
            prior = [] if case.prior is None else [f"prior {case.prior}"]
            known = [] if case.auxiliary is None else [f"z = {case.auxiliary}"]
            cases.append(", ".join(prior + known))
        where = "; ".join(filter(None, cases))
        together = " (not all of them together)" if len(cases) > 1 else ""
        yield f"  output {conflict.output}{': ' + where if where else ''}{together}"
    if len(found.conflicts) > most():
        yield f"  … ({len(found.conflicts)} in all)"


def guarantee(found: GuaranteeWitness) -> Iterator[str]:
    """What was `found`: a guarantee of a row cone that an output breaks."""
    yield f"prior {_weights(found.prior)}" if found.prior else "a prior on many worlds"
    yield (
        f"output {found.output}: odds of {found.other} against {found.likelier} "
        f"{number(found.odds)} before, {number(found.after)} after, though at most "
        f"{number(found.bound)} in the row cone"
    )


def inequality(found: InequalityWitness) -> Iterator[str]:
    """What was `found`: an inequality that an output breaks."""
    yield f"output {found.output} breaks {found.inequality}"


def loss(found: LossWitness) -> Iterator[str]:
    """What was `found`: a prior against which a mechanism loses too much."""
    yield (
        f"however its outputs are read, it loses {number(found.loss)} against the prior "
        f"{_weights(found.prior)}"
    )


def error(found: ErrorWitness) -> Iterator[str]:
    """What was `found`: the world of the largest error."""
    yield f"the error is largest in the world {found.world}: {number(found.error)}"


def row_payoff(found: RowPayoffWitness) -> Iterator[str]:
    """What was `found`: what one output tells."""
    likelier, than = some(found.likelier), some(found.than)
    told = f"makes {likelier} likelier than {than}" if found.than else f"reveals {likelier}"
    yield f"output {found.output}, against the prior {_weights(found.prior)}, {told};"
    yield "  no output of a post-processing does that"


def payoff(found: PayoffWitness) -> Iterator[str]:
    """What was `found`: what pays in a game that no post-processing wins."""
    yield (
        f"paid by the world and by what is announced, it earns {number(found.earns)}, "
        f"a post-processing at most {number(found.best)}, though no single output tells too "
        f"much:"
    )
    rows = list(found.payoff.items())
    for label, pays in rows[: most()]:
        yield f"  {label} pays {_weights(pays)}"
    if len(rows) > most():
        yield f"  … ({len(rows)} outputs in all)"


def of_given(name: str, is_payoff: bool, shown: Iterator[str]) -> Iterator[str]:
    """A witness about a given mechanism: its name; `is_payoff`: about what it earns; what is
    shown."""
    what = "cannot be made of the given ones" if is_payoff else "needs more"
    yield f"the mechanism {name} {what}:"
    yield from shown


def of_mechanism(table: Table, shown: Iterator[str]) -> Iterator[str]:
    """A witness about a mechanism of its own, by its table, and what is shown about it."""
    rows = zip(*table.columns.values(), strict=True)
    told = [_weights(dict(zip(table.columns, row, strict=True))) for row in rows]
    if list(table.outputs) == ["yes", "no"]:
        yield f"this mechanism says yes with probability {told[0]}, no otherwise;"
    else:
        yield "this mechanism says"
        for label, row in list(zip(table.outputs, told, strict=True))[: most()]:
            yield f"  {label} with probability {row}"
        if len(told) > most():
            yield f"  … ({len(told)} outputs in all)"
    yield from shown


def best(found: BestMechanism) -> Iterator[str]:
    """What was `found`: nothing: the table is for programs, what counts is its loss."""
    yield from ()


def simulator(found: Simulator) -> Iterator[str]:
    """What was `found`: what a simulator sees, and its answers."""
    for reply in found.replies[: most()]:
        said = [f"{label}: {number(p)}" for label, p in reply.outputs.items()]
        said += [f"anything else: {number(reply.otherwise)}"] if reply.otherwise else []
        yield f"simulator: sees {some(reply.sees)}, answers {some(said)}"
    if len(found.replies) > most():
        yield f"simulator: … ({len(found.replies)} rows in all)"


def mixture(found: Mixture) -> Iterator[str]:
    """What was `found`: with which weight which mechanism is run, and what becomes of its
    outputs."""
    for part in found.parts:
        start = f"with weight {number(part.weight)} {part.mechanism} is run"
        if part.post_processing is None:
            yield f"{start} and processed ({part.entries} entries, in the certificate)"
            continue
        rows = list(part.post_processing.items())
        yield f"{start}, and"
        for label, row in rows[: most()]:
            yield f"  {label} becomes {_weights(row)}"
        if len(rows) > most():
            yield f"  … ({len(rows)} outputs in all)"
