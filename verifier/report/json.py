"""Results as objects of JSON, version 1. Every rational is text; the same input gives
the same object, `seconds` aside."""

from __future__ import annotations

from typing import Any

from verifier.base import exact
from verifier.questions.answer import Answer
from verifier.questions.witness import GivenWitness, MechanismWitness, Witness
from verifier.run.verify import Result


def result_as_json(result: Result) -> dict[str, Any]:
    """The result of one check of the report."""
    answer = result.answer
    decided = answer.certificate is not None and result.status != "internal"
    certificate = {"rule": result.rule, "accepted": True, "path": result.path} if decided else None
    return {
        "file": result.file,
        "line": result.place.line if result.place else None,
        "column": result.place.column if result.place else None,
        "index": result.index,
        "id": result.id,
        "name": result.name,
        "label": result.label,
        "definition": result.definition,
        "mechanism": result.mechanism,
        "status": result.status,
        "verdict": answer.verdict,
        "expected": result.expected,
        "ok": result.status == "ok",
        "level": _level(answer),
        "level_epsilon": answer.level.decimal if answer.level else None,
        "leakage": _leakage(result),
        "epsilon": answer.leakage.decimal if answer.leakage else None,
        "scope": dict(answer.scope),
        "witness": answer.witness and answer.witness.as_json(),
        "tight": answer.shown and tight(answer.shown, result.priors),
        **_curve(answer),
        **({"boxes": list(answer.boxes)} if answer.boxes else {}),
        **_tradeoff(answer),
        **({answer.made.key: made} if answer.made and (made := answer.made.as_json()) else {}),
        **({"isolation": result.isolation} if result.isolation else {}),
        **({"values": result.values} if result.values else {}),
        "asserted": result.asserted,
        **({"wish": result.wish} if result.wish else {}),
        "digest": result.content,
        "promise": result.promise,
        "asks": result.asks,
        "certificate": certificate,
        "reason": result.mismatch or answer.reason,
        "seconds": round(result.seconds, 3),
    }


def _level(answer: Answer) -> dict[str, str] | None:
    if answer.level is None:
        return None
    return {**answer.level.as_json(), "delta": exact.text(answer.delta)}


def _leakage(result: Result) -> dict[str, Any] | None:
    answer = result.answer
    if answer.value is not None:
        found: dict[str, Any] | None = {"value": exact.text(answer.value)}
    else:
        found = answer.leakage.as_json() if answer.leakage else None
    if result.vacuous and found is not None:
        found.pop("attained", None)
        found["vacuous"] = True
    return found


def _curve(answer: Answer) -> dict[str, Any]:
    """Where a check holds, and the smallest level there, as functions of a parameter."""
    if answer.curve is None:
        return {}
    found = answer.curve.as_json()
    return {key: part for key, part in found.items() if key != "leakage" or not answer.leakage}


def _tradeoff(answer: Answer) -> dict[str, Any]:
    points = [
        {"exp_epsilon": exact.text(alpha), "delta": exact.text(delta)}
        for alpha, delta in answer.tradeoff
    ]
    return {"tradeoff": points} if points else {}


def tight(found: Witness, priors: str | None) -> dict[str, Any]:
    """What was `found` as JSON, with the name of its class of `priors` and the prior's place in
    their list, as far as there are any."""
    about = found
    while isinstance(about, GivenWitness | MechanismWitness):
        about = about.shown
    before = getattr(about, "before", None)
    place = before and before.place
    told: dict[str, Any] = dict(found.as_json())
    told |= {"prior_index": place} if place else {}
    return told | ({"prior_name": priors} if before and priors else {})
