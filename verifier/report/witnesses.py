"""The forms of witnesses, and of what answers have made: text and JSON for each class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from verifier.base.nouns import Later, dataclass
from verifier.claims import witness as classes
from verifier.claims.witness import Construction, GivenWitness, MechanismWitness, Witness
from verifier.report import witness_json, witness_text
from verifier.report.shortened import whole


@dataclass(frozen=True)
class Form(Later):
    """How a class is told: lines of `text` for people, `json` for programs, and its `key` there."""

    text: Callable[[Any], Iterator[str]]
    json: Callable[[Any], Any]
    key: str = "witness"


def text(found: Witness | Construction) -> Iterator[str]:
    """What was `found`, in words."""
    return FORMS[type(found)].text(found)


def as_json(found: Witness | Construction) -> Any:
    """What was `found`, as JSON, with all digits."""
    with whole():
        return FORMS[type(found)].json(found)


def tight(found: Witness, priors: str | None) -> dict[str, Any]:
    """What was `found` as JSON, with the name of its class of `priors` and the prior's place in
    their list, as far as there are any."""
    about = found
    while isinstance(about, GivenWitness | MechanismWitness):
        about = about.shown
    before = getattr(about, "before", None)
    place = before and before.place
    told: dict[str, Any] = dict(as_json(found))
    told |= {"prior_index": place} if place else {}
    return told | ({"prior_name": priors} if before and priors else {})


def keyed(found: Construction | None) -> dict[str, Any]:
    """What was `found` under its key in a report; nothing for nothing."""
    told = found and as_json(found)
    return {FORMS[type(found)].key: told} if found and told else {}


def _given_text(found: GivenWitness) -> Iterator[str]:
    is_payoff = isinstance(found.shown, classes.PayoffWitness)
    return witness_text.of_given(found.given, is_payoff, text(found.shown))


def _given_json(found: GivenWitness) -> dict[str, Any]:
    return {**as_json(found.shown), "given": found.given}


def _mechanism_text(found: MechanismWitness) -> Iterator[str]:
    return witness_text.of_mechanism(found.mechanism, text(found.shown))


def _mechanism_json(found: MechanismWitness) -> dict[str, Any]:
    return {**as_json(found.shown), "mechanism": witness_json.table(found.mechanism)}


FORMS: dict[type[Witness | Construction], Form] = {
    classes.OutputWitness: Form(witness_text.output, witness_json.output),
    classes.EntriesWitness: Form(witness_text.output, witness_json.entries),
    classes.EventWitness: Form(witness_text.event, witness_json.event),
    classes.RangeWitness: Form(witness_text.two_outputs, witness_json.two_outputs),
    classes.DivergenceWitness: Form(witness_text.divergence, witness_json.divergence),
    classes.EndsWitness: Form(witness_text.ends, witness_json.ends),
    classes.LocalWitness: Form(witness_text.local, witness_json.local),
    classes.ChangeWitness: Form(witness_text.change, witness_json.change),
    classes.GroupsWitness: Form(witness_text.groups, witness_json.groups),
    classes.RunWitness: Form(witness_text.run, witness_json.run),
    classes.TwoRunsWitness: Form(witness_text.two_runs, witness_json.two_runs),
    classes.DemandsWitness: Form(witness_text.demands, witness_json.demands),
    classes.ConflictsWitness: Form(witness_text.conflicts, witness_json.conflicts),
    classes.GuaranteeWitness: Form(witness_text.guarantee, witness_json.guarantee),
    classes.InequalityWitness: Form(witness_text.inequality, witness_json.inequality),
    classes.ErrorWitness: Form(witness_text.error, witness_json.error),
    classes.LossWitness: Form(witness_text.loss, witness_json.loss),
    classes.PayoffWitness: Form(witness_text.payoff, witness_json.payoff),
    classes.RowPayoffWitness: Form(witness_text.row_payoff, witness_json.row_payoff),
    classes.GivenWitness: Form(_given_text, _given_json),
    classes.MechanismWitness: Form(_mechanism_text, _mechanism_json),
    classes.BestMechanism: Form(witness_text.best, witness_json.best, "best"),
    classes.Simulator: Form(witness_text.simulator, witness_json.simulator, "simulator"),
    classes.Mixture: Form(witness_text.mixture, witness_json.mixture, "mixture"),
}
