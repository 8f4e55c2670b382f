"""What is found of a check on two sides, as a worker tells it; names in it are as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from verifier.base import exact
from verifier.changes.compare import Side
from verifier.changes.deciding import Checked, Found
from verifier.changes.informative import EQUIVALENT, INCOMPARABLE, Comparison, closed
from verifier.changes.statements import Statement
from verifier.changes.statuses import PROMISES_OTHERWISE, UNDECIDED
from verifier.report.json import result_as_json
from verifier.report.text import message

Json = dict[str, Any]


def differences_told(before: Checked | None, after: Checked, found: Found) -> Json:
    """What differs, for programs and for people.

    before, after  the check on either side; before is None where it is new
    found          what differs
    """
    results = [side and side.result for side in (before, after)]
    verdicts = {result.verdict for result in results if result}
    statements = [_known(one, verdicts) for one in found.change.statements]
    details = [
        *([] if before else [message(after.result)]),
        *_worst(statements),
        *(_order(found.mechanisms, after.side) if found.mechanisms else ()),
        *([f"INTERNAL ERROR: {found.objection}"] if found.objection else ()),
    ]
    return {
        "found": [[one.status, one.about, one.told] for one in statements],
        "told": {
            "before": results[0] and result_as_json(results[0]),
            "after": result_as_json(after.result),
            "statements": [_statement(one) for one in statements],
            "blackwell": found.mechanisms and _as_json(found.mechanisms),
            "details": details,
        },
        "internal": bool(found.objection) or any(r and r.status == "internal" for r in results),
    }


def _known(one: Statement, verdicts: Collection[str]) -> Statement:
    """A statement; what is not known of two sides that are both undecided is undecided too."""
    if (
        set(verdicts) == {"undecided"}
        and one.status == PROMISES_OTHERWISE
        and one.about in ("verdict", "question")
    ):
        return replace(one, status=UNDECIDED)
    return one


def _statement(one: Statement) -> Json:
    epsilon = one.epsilon and dict(zip(("before", "after", "difference"), one.epsilon, strict=True))
    return {
        "status": one.status,
        "about": one.about,
        "words": one.words,
        "before": one.before,
        "after": one.after,
        "names": list(one.names),
        "count": one.count,
        "factor": None if one.factor is None else exact.text(one.factor),
        "epsilon": epsilon,
        "shown": one.shown and one.shown.as_json(),
    }


def _worst(statements: list[Statement]) -> Iterator[str]:
    """The newly worst case, where there is one."""
    shown = next((one.shown for one in statements if one.shown), None)
    if shown is not None:
        yield from shown.lines()


def _order(found: Comparison, after: Side) -> Iterator[str]:
    """Which of the two mechanisms tells more."""
    if found.relation == UNDECIDED:
        yield f"which mechanism tells more is undecided: {found.reason}"
    elif found.harmless:
        why = after.question and closed(after.question)
        hurt = "; no definition closed under post-processing can be hurt" if why else ""
        yield f"the new mechanism is a post-processing of the old one{hurt}"
    else:
        joined = {EQUIVALENT: "to", INCOMPARABLE: "with"}.get(found.relation, "than")
        yield f"the new mechanism is {found.relation} {joined} the old one"
        if found.gain is not None:
            yield from found.gain.lines()


def _as_json(found: Comparison) -> Json:
    rows = found.processing
    return {
        "relation": found.relation,
        "harmless": found.harmless,
        "processing": rows
        and {
            output: {new: exact.text(p) for new, p in row.items()} for output, row in rows.items()
        },
        "gain": found.gain and found.gain.as_json(),
        "only": {"before": list(found.only[0]), "after": list(found.only[1])},
        "reason": found.reason or None,
    }
