"""Results and errors as objects of JSON, version 1. Every rational is text; the same input gives
the same object, `seconds` aside."""

from __future__ import annotations

from typing import Any

from verifier.base import exact
from verifier.base.document import Note
from verifier.base.errors import InputError, Place
from verifier.claims.answer import Answer
from verifier.report import witnesses
from verifier.verify import Result


def result_as_json(result: Result) -> dict[str, Any]:
    """The result of one check of the report."""
    answer = result.answer
    decided = answer.certificate is not None and result.status != "internal"
    certificate = {"kind": result.kind, "accepted": True, "path": result.path} if decided else None
    return {
        "file": result.file,
        "index": result.index,
        "name": result.name,
        "definition": result.definition,
        "mechanism": result.mechanism,
        "verdict": answer.verdict,
        "expected": result.expected,
        "ok": result.status == "ok",
        "level": _level(answer),
        "leakage": _leakage(result),
        "scope": dict(answer.scope),
        "witness": answer.witness and witnesses.as_json(answer.witness),
        **_tradeoff(answer),
        **witnesses.keyed(answer.made),
        **({"isolation": result.isolation} if result.isolation else {}),
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


def _tradeoff(answer: Answer) -> dict[str, Any]:
    points = [
        {"exp_epsilon": exact.text(alpha), "delta": exact.text(delta)}
        for alpha, delta in answer.tradeoff
    ]
    return {"tradeoff": points} if points else {}


def error_as_json(error: InputError) -> dict[str, Any]:
    """Where and what an error in a file is, and what to write instead or null."""
    return {**_told(error.code, error.message, error.place), "hint": error.hint or None}


def note_as_json(note: Note) -> dict[str, Any]:
    """Where and what a note on a file is."""
    return _told(note.code, note.message, note.place)


def _told(code: str, message: str, place: Place | None) -> dict[str, Any]:
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "code": code,
        "message": message,
    }
