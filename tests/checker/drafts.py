"""Certificates as tests write them: a claim, a model, a relation, evidence.

In the written format the question comes first, under one digest; `sealed` puts a draft into this
form, and `opened` takes it apart. A draft's own digest is that of its model, as `digest_of` makes
it, so that a model can be changed with or without it. A claim needs the name of a definition, which
is read where the claim has options too: other drafts are about a relation itself.
"""

import hashlib
import json
from typing import Any

from verifier import checker
from verifier.checker import Verdict

Json = dict[str, Any]

ASKED = ("level", "equals", "at_most", "facets", "steps")
TABLE = ("outputs", "values", "columns")
SHOWN = ("composable", "implies")  # kinds whose mechanism is evidence
PARTS = {"format", "version", "claim", "model", "relation", "evidence"}


def digest_of(section: Any) -> str:
    """Of a section as JSON with sorted keys, no spaces, and escapes for all but ASCII."""
    text = json.dumps(section, sort_keys=True, separators=(",", ":"), default=str)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def check(draft: Any) -> Verdict:
    """The verdict on a draft, or on whatever else is given."""
    return checker.check(sealed(draft))


def sealed(draft: Any) -> Any:
    """The certificate of a draft; what is no draft as it is."""
    if not _is_draft(draft):
        return draft
    claim, model, evidence = dict(draft["claim"]), dict(draft["model"]), draft["evidence"]
    more = {key: part for key, part in draft.items() if key not in PARTS}
    if claim.get("kind") in SHOWN:
        shown = {key: model.pop(key) for key in TABLE if key in model}
        if shown and isinstance(evidence, dict):
            evidence = {**evidence, "mechanism": shown}
        if model.get("functions") == []:
            del model["functions"]
    question = {
        "definition": claim.pop("definition") if "options" in claim else None,
        "options": claim.pop("options", {}),
        "source": claim.pop("source", None),
        **{key: claim.pop(key) for key in ("kind",) if key in claim},
        **{key: claim.pop(key) for key in ASKED if key in claim},
        "relation": draft["relation"],
        "model": model,
    }
    if isinstance(claim.get("tradeoff"), list):
        question["tradeoff"] = [point[0] for point in claim["tradeoff"] if point]
    own = claim.pop("digest", None)
    claim.pop("definition", None)
    return {
        "format": draft["format"],
        "version": draft["version"],
        "question": question,
        "digest": _known(question) if own == _known(draft["model"]) else own,
        "taken": checker.taken(question),
        "answer": claim,
        "evidence": evidence,
        **more,
    }


def opened(certificate: Any) -> Json:
    """The draft of a certificate."""
    question, evidence = certificate["question"], dict(certificate["evidence"])
    model = {**question["model"], **evidence.pop("mechanism", {})}
    claim = {key: part for key, part in question.items() if key not in ("model", "relation")}
    return {
        "format": certificate["format"],
        "version": certificate["version"],
        "claim": {**claim, **certificate["answer"], "digest": digest_of(model)},
        "model": model,
        "relation": question["relation"],
        "evidence": evidence,
    }


def _is_draft(draft: Any) -> bool:
    if not isinstance(draft, dict) or not set(draft) >= PARTS:
        return False
    claim, model = draft["claim"], draft["model"]
    return isinstance(claim, dict) and "definition" in claim and isinstance(model, dict)


def _known(section: Any) -> str | None:
    """The digest, where the section is not too broken to have one."""
    try:
        return digest_of(section)
    except (TypeError, ValueError, RecursionError):
        return None
