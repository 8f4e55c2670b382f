"""Results as JSON, version 1. Every rational is text; the same input gives the same bytes,
`seconds` aside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from verifier import exact
from verifier.claim import Answer
from verifier.errors import InputError
from verifier.verify import Result


def render(
    results: Sequence[Result], errors: Sequence[InputError], stopped: Sequence[str] = ()
) -> str:
    """The whole report; `stopped` says which files hit a limit before their checks were read."""
    report: dict[str, Any] = {
        "version": 1,
        "results": [_result(result) for result in results],
        "summary": {
            "ok": sum(result.status == "ok" for result in results),
            "failed": sum(result.status in ("failed", "internal") for result in results),
            "undecided": sum(result.status == "undecided" for result in results) + len(stopped),
        },
    }
    if errors:
        report["errors"] = [error_as_json(error) for error in errors]
    if stopped:
        report["stopped"] = list(stopped)
    return json.dumps(report, indent=1, ensure_ascii=False)


def _result(result: Result) -> dict[str, Any]:
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
        "level": answer.level or None,
        "leakage": _leakage(result),
        "scope": dict(answer.scope),
        "witness": answer.witness,
        **_tradeoff(answer),
        **({"best": answer.best} if answer.best else {}),
        **({"simulator": list(answer.simulator)} if answer.simulator else {}),
        **({"mixture": list(answer.mixture)} if answer.mixture else {}),
        **({"isolation": result.isolation} if result.isolation else {}),
        "certificate": certificate,
        "reason": result.mismatch or answer.reason,
        "seconds": round(result.seconds, 3),
    }


def _leakage(result: Result) -> dict[str, Any] | None:
    answer = result.answer
    if answer.value is not None:
        return {"value": exact.text(answer.value)}
    return answer.leakage.as_json() if answer.leakage else None


def _tradeoff(answer: Answer) -> dict[str, Any]:
    points = [
        {"exp_epsilon": exact.text(alpha), "delta": exact.text(delta)}
        for alpha, delta in answer.tradeoff
    ]
    return {"tradeoff": points} if points else {}


def error_as_json(error: InputError) -> dict[str, Any]:
    """Where and what an error in a file is."""
    place = error.place
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "code": error.code,
        "message": error.message,
    }
