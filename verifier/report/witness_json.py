"""Witnesses, and what answers have made, as objects of JSON: one function for each class.

Every rational is text, `infinite` where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.base import exact
from verifier.claims.witness import (
    Belief,
    BestMechanism,
    ChangeWitness,
    ConflictsWitness,
    Demand,
    DemandsWitness,
    DivergenceWitness,
    EndsWitness,
    EntriesWitness,
    ErrorWitness,
    EventWitness,
    GroupsWitness,
    GuaranteeWitness,
    InequalityWitness,
    LocalWitness,
    LossWitness,
    Mixture,
    OutputWitness,
    Part,
    PayoffWitness,
    RangeWitness,
    RecordWitness,
    Reply,
    RowPayoffWitness,
    RunWitness,
    Simulator,
    Table,
    TwoRunsWitness,
)
from verifier.report.witness_text import Number, number

Json = dict[str, Any]


def _weights(weights: Mapping[str, Number]) -> Json:
    return {name: exact.closed(weight) for name, weight in weights.items()}


def _optional(**parts: object) -> Json:
    """Those parts that there are."""
    return {key: part for key, part in parts.items() if part is not None}


def _before(before: Belief) -> Json:
    return {
        "pair": list(before.pair),
        "prior": _weights(before.prior),
        "prior_odds": exact.closed(before.odds),
    }


def output(found: OutputWitness) -> Json:
    """What was `found`: the odds before and after an output."""
    return {**_before(found.before), "output": found.output, **_after(found)}


def _after(found: OutputWitness) -> Json:
    return {"posterior_odds": number(found.after), "ratio": number(found.ratio)}


def entries(found: EntriesWitness) -> Json:
    """What was `found`: the odds before and after the values of some entries are known."""
    hidden = {"output": found.output, "hidden": list(found.hidden)}
    return {**_before(found.before), **hidden, **_after(found)}


def event(found: EventWitness) -> Json:
    """What was `found`: the probabilities of an event."""
    probabilities = list(map(exact.closed, found.probabilities))
    outputs = {"outputs": list(found.outputs), "probabilities": probabilities}
    return {**_before(found.before), **outputs}


def two_outputs(found: RangeWitness) -> Json:
    """What was `found`: two outputs whose odds differ."""
    told = {"outputs": list(found.outputs), "ratio": number(found.ratio)}
    return {**_before(found.before), **told}


def divergence(found: DivergenceWitness) -> Json:
    """What was `found`: two distributions of outputs that are far apart."""
    order = None if found.order is None else exact.text(found.order)
    told = _optional(order=order, output=found.output)
    return {**_before(found.before), **told, "at_least": number(found.least)}


def ends(found: EndsWitness) -> Json:
    """What was `found`: comparisons of which every matrix between known ends misses one."""
    rows = [
        {
            "pair": list(row.pair),
            "output": row.output,
            "weight": exact.text(row.weight),
            "first": list(map(exact.text, row.first)),
            "second": list(map(exact.text, row.second)),
        }
        for row in found.rows
    ]
    return {"below": number(found.below), "rows": rows, "slack": exact.text(found.slack)}


def local(found: LocalWitness) -> Json:
    """What was `found`: records that differ, and what each is answered."""
    together = found.probabilities
    return {
        "records": [_record(record) for record in found.records],
        "ratio": number(found.ratio),
        **_optional(probabilities=together and list(map(exact.text, together))),
    }


def _record(found: RecordWitness) -> Json:
    told = {"record": found.record, **_before(found.before)}
    if not found.answers:
        return told
    answers = {"answers": list(found.answers), "runs": [str(times) for times in found.runs]}
    return {**told, **answers, "ratio": number(found.ratio)}


def change(found: ChangeWitness) -> Json:
    """What was `found`: two worlds and the distance of the query."""
    return {"pair": list(found.pair), "distance": exact.closed(found.distance)}


def groups(found: GroupsWitness) -> Json:
    """What was `found`: two worlds and the groups in which they differ."""
    return {**change(found), "groups": list(map(list, found.groups))}


def run(found: RunWitness) -> Json:
    """What was `found`: a run, and what its repetitions tell where that is known."""
    before = _before(found.before)
    told: Json = {
        "pair": before.pop("pair"),
        "world": found.world,
        **before,
        "run": dict(found.run),
        "repetitions": found.repetitions,
    }
    if found.repetitions is not None:
        told |= {"runs": found.runs, "allowed": found.allowed}
        if found.infinite or found.ratio is not None:
            told["ratio"] = number(found.ratio)
    return told


def two_runs(found: TwoRunsWitness) -> Json:
    """What was `found`: a mechanism that does not compose with itself."""
    return {
        "pair": list(found.pair),
        "prior": _weights(found.prior),
        "mechanism": {output: _weights(row) for output, row in found.mechanism.items()},
        "leakage": exact.closed(found.leakage),
        "runs": list(found.runs),
        "probabilities": list(map(exact.closed, found.probabilities)),
    }


def demands(found: DemandsWitness) -> Json:
    """What was `found`: demands that contradict each other."""
    return {
        "no_simulator_below": number(found.below),
        "demands": list(map(_demand, found.demands)),
        **_optional(slack=None if found.slack is None else exact.closed(found.slack)),
    }


def _demand(demand: Demand) -> Json:
    return {
        **_optional(prior=demand.prior),
        "private": demand.private,
        **_optional(auxiliary=demand.auxiliary),
        "sees": list(demand.sees),
        "output": demand.output,
        "probability": exact.closed(demand.probability),
        "demand": demand.side,
        "weight": exact.closed(demand.weight),
    }


def conflicts(found: ConflictsWitness) -> Json:
    """What was `found`: what is not good together, output by output."""
    listed = [
        {
            "output": conflict.output,
            "cases": [_optional(prior=c.prior, auxiliary=c.auxiliary) for c in conflict.cases],
        }
        for conflict in found.conflicts
    ]
    return {"no_simulator_below": number(found.below), "conflicts": listed}


def guarantee(found: GuaranteeWitness) -> Json:
    """What was `found`: a guarantee and the odds that break it."""
    return {
        "output": found.output,
        "likelier": found.likelier,
        "other": found.other,
        "prior": _weights(found.prior),
        "prior_odds": exact.closed(found.odds),
        "posterior_odds": number(found.after),
        "bound": exact.closed(found.bound),
    }


def inequality(found: InequalityWitness) -> Json:
    """What was `found`: an output and the inequality that it breaks."""
    return {"output": found.output, "inequality": found.inequality}


def loss(found: LossWitness) -> Json:
    """What was `found`: a loss and the prior of it."""
    return {"loss": exact.closed(found.loss), "prior": _weights(found.prior)}


def error(found: ErrorWitness) -> Json:
    """What was `found`: an error and the world of it."""
    return {"error": exact.closed(found.error), "world": found.world}


def payoff(found: PayoffWitness) -> Json:
    """What was `found`: what pays, and what is earned."""
    return {
        "payoff": {label: _weights(pays) for label, pays in found.payoff.items()},
        "earns": exact.closed(found.earns),
        "best": exact.closed(found.best),
    }


def row_payoff(found: RowPayoffWitness) -> Json:
    """What was `found`: the same, and what the one output tells."""
    return {
        **payoff(found),
        "output": found.output,
        "prior": _weights(found.prior),
        "likelier": list(found.likelier),
        "than": list(found.than),
    }


def table(found: Table) -> Json:
    """What was `found`: a mechanism as `table` in a file has it."""
    columns = {world: list(map(exact.closed, row)) for world, row in found.columns.items()}
    return {"outputs": list(found.outputs), **columns}


def best(found: BestMechanism) -> Json:
    """What was `found`: the table of the best mechanism."""
    return table(found.mechanism)


def simulator(found: Simulator) -> list[Json]:
    """What was `found`: the replies of a simulator."""
    return list(map(_reply, found.replies))


def _reply(reply: Reply) -> Json:
    otherwise = exact.closed(reply.otherwise) if reply.otherwise else None
    told = {"sees": list(reply.sees), "outputs": _weights(reply.outputs)}
    return {**told, **_optional(otherwise=otherwise)}


def mixture(found: Mixture) -> list[Json]:
    """What was `found`: the parts of a mixture."""
    return list(map(_part, found.parts))


def _part(part: Part) -> Json:
    told: Json = {"mechanism": part.mechanism, "weight": exact.closed(part.weight)}
    if part.post_processing is None:
        return {**told, "entries": part.entries}
    rows = {label: _weights(row) for label, row in part.post_processing.items()}
    return {**told, "post_processing": rows}
