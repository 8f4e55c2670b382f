"""Certificates as tests write them: a claim, a model, a relation, evidence.

A draft has the parts of format 2, where a claim has a kind: one word for what is asked and for the
rule that proves it. `sealed` makes a certificate of it, as files of that format are converted, and
`opened` takes one apart. A draft's own digest is that of its model, as `digest_of` makes it, so
that a model can be changed with or without it. A claim needs the name of a definition, which is
read where the claim has options too: other drafts are about a relation itself.
"""

import hashlib
import json
from copy import deepcopy
from typing import Any

from verifier import checker
from verifier.checker import Verdict
from verifier.checker.domains import read_parts
from verifier.checker.numbers import read_function
from verifier.checker.question import what_is_asked
from verifier.checker.rates import has_rates
from verifier.checker.signs import dense
from verifier.run.earlier import KINDS as OF_RULES
from verifier.run.earlier import NOTHING, RENAMED, RULES, WITHOUT, NotConverted, converted

Json = dict[str, Any]

ASKED = ("level", "equals", "at_most", "facets", "steps")
TABLE = ("outputs", "values", "columns")
KINDS = {*RULES}
ON_DOMAINS = {"parameters", "pieces", "region"}
KINDS |= ON_DOMAINS
SHOWN = ("composable", "implies")  # kinds whose mechanism is evidence
APART = ("model", "relation", "domain")  # parts of a question that are none of a claim
PARTS = {"format", "version", "claim", "model", "relation", "evidence"}


def digest_of(section: Any) -> str:
    """Of a section as JSON with sorted keys, no spaces, and escapes for all but ASCII."""
    text = json.dumps(section, sort_keys=True, separators=(",", ":"), default=str)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def draft(
    kind: str, model: Json, relation: Any, witness: Any, verdict: str = "holds", **claim: Any
) -> Json:
    """A claim of this kind, which names no definition, and how it is proved."""
    named = {"definition": "made by hand", "kind": kind, "verdict": verdict}
    return {
        "format": "verifier-certificate",
        "version": 2,
        "claim": {**named, "digest": digest_of(model), **claim},
        "model": model,
        "relation": relation,
        "evidence": {"witness": witness},
    }


def between(secrets: Json, pairs: list[Any], priors: Any) -> Json:
    """The relation that compares these pairs of secrets under priors."""
    return {"rule": "secrets", "secrets": secrets, "pairs": pairs, "priors": priors}


def asking(kind: str, model: Json, relation: Any, answer: Json, witness: Any, **asked: Any) -> Json:
    """A document of format 2 whose question names no definition unless it is told to."""
    about = {"definition": None, "options": {}, "source": None, "kind": kind}
    return {
        "format": "verifier-certificate",
        "version": 2,
        "question": {**about, "relation": relation, "model": model, **asked},
        "digest": "",
        "taken": ["matrix", "worlds"],
        "answer": answer,
        "evidence": {"witness": witness},
    }


def check(draft: Any) -> Verdict:
    """The verdict on a draft, or on whatever else is given."""
    return checker.check(sealed(draft))


def sealed(draft: Any) -> Any:
    """The certificate of a draft, or of a document of format 2; what is neither, or cannot be
    converted, as it is."""
    document = _of_format_2(draft) if _is_draft(draft) else draft
    if not isinstance(document, dict) or repr(document.get("version")) != "2":
        return document
    try:
        made = converted(document)
    except NotConverted:
        return document
    return {**made, "taken": checker.taken(made["question"])} if _is_draft(draft) else made


def stated(document: Json) -> Json:
    """A document of either format whose question was changed, stated rightly again."""
    found = deepcopy(document)
    found["digest"] = digest_of(found["question"])
    found["taken"] = checker.taken(sealed(found)["question"]) or found.get("taken", ["worlds"])
    return found


def of_format_2(certificate: Any) -> Json:
    """A certificate as a document of format 2, with all that it says."""
    kind, relation, model, answer, evidence = _parts(certificate)
    asked = {key: part for key, part in certificate["question"].items() if key not in APART}
    question = {**asked, "kind": kind, "relation": relation, "model": model}
    parts = {"question": question, "answer": answer, "evidence": evidence}
    return {**certificate, **parts, "version": 2, "digest": digest_of(question)}


def _of_format_2(draft: Json) -> Json:
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
        points = (point for point in claim["tradeoff"] if isinstance(point, list) and point)
        question["tradeoff"] = [point[0] for point in points]
    own = claim.pop("digest", None)
    claim.pop("definition", None)
    return {
        "format": draft["format"],
        "version": draft["version"],
        "question": question,
        "digest": _known(question) if own == _known(draft["model"]) else own,
        "taken": [],
        "answer": claim,
        "evidence": evidence,
        **more,
    }


def opened(certificate: Any) -> Json:
    """The draft of a certificate."""
    kind, relation, model, answer, evidence = _parts(certificate)
    question, evidence = certificate["question"], dict(evidence)
    claim = {key: part for key, part in question.items() if key not in APART}
    model = {**model, **evidence.pop("mechanism", {})}
    return {
        "format": certificate["format"],
        "version": 2,
        "claim": {**claim, "kind": kind, **answer, "digest": digest_of(model)},
        "model": model,
        "relation": relation,
        "evidence": evidence,
    }


def _parts(certificate: Json) -> tuple[str, Any, Json, Json, Json]:
    """Kind, relation, model, answer and evidence of a certificate, as format 2 had them."""
    question, answer, evidence = (certificate[key] for key in ("question", "answer", "evidence"))
    if "domain" in question:
        return _on_domain(question, answer, evidence)
    kind, relation, evidence = _plain(question, evidence)
    return kind, relation, question["model"], answer, evidence


def _plain(question: Json, evidence: Json) -> tuple[str, Any, Json]:
    """The kind of a plain question with such evidence, its relation, and the evidence without the
    rule."""
    kind = OF_RULES.get(evidence["rule"], what_is_asked(question))
    own = {key: part for key, part in evidence.items() if key != "rule"}
    return kind, _relation(question["relation"]), own


def _relation(relation: Json) -> Any:
    """A relation as in format 2, where some have another rule, or none."""
    rule = relation["rule"]
    if rule in (*NOTHING, *WITHOUT):
        return {key: part for key, part in relation.items() if key != "rule"} or None
    return {**relation, "rule": RENAMED.get(rule, rule)}


def kind_of(certificate: Json) -> str:
    """The kind of a certificate, as a draft has it."""
    return str(opened(certificate)["claim"]["kind"])


def _on_domain(question: Json, answer: Json, evidence: Json) -> tuple[str, Json, Json, Json, Json]:
    """Kind, relation, model, answer and evidence of a question with a domain."""
    domain = question["domain"]
    asked = [one for _, one in read_parts(question)]
    known = next(one for one in asked if one is not None)
    several = len(domain["parameters"]) > 1
    if "places" in evidence:
        own = next(one for one in evidence["places"] if one is not None)
    else:
        own = evidence["evidence"] if "point" in evidence else evidence["cells"][0]
    kind = _plain(known, own)[0]
    relations = [one and _relation(one["relation"]) for one in asked]
    ends = [
        {key: one[key] for key in ("from", "to") if key in (one or {})} for one in domain["cells"]
    ]
    pairs = zip(domain["cells"], ends, strict=True)
    cells = [None if one is None else {**at, **one["model"]} for one, at in pairs]
    model = {**question["model"], "cells": cells}
    if several:
        values = {"parameters": domain["parameters"], "domain": domain["sides"]}
        relation = {"rule": "parameters", **values, "where": domain["where"], "cells": relations}
        if kind != "comparison":
            relation["kind"] = kind
        return "parameters", relation, model, answer, {"witness": _shown(kind, evidence)}
    (side,), (name,) = domain["sides"], domain["parameters"]
    relation = {"rule": "pieces", "parameter": name, **side, "cells": relations}
    if _is_region(kind, question, relations, answer):
        places = [place["witness"] for place in evidence["places"]]
        told = {**answer, "pieces": [_stretch(name, piece) for piece in answer["pieces"]]}
        relation["rule"] = "region"
        return "region", relation, model, told, {"witness": {"places": places}}
    pieces = [None if place is None else _plain(known, place)[2] for place in evidence["places"]]
    return "pieces", {**relation, "kind": kind}, model, answer, {"witness": {"pieces": pieces}}


def _is_region(kind: str, question: Json, relations: list[Any], answer: Json) -> bool:
    """Whether format 2 had this as a region: comparisons without more."""
    hedging = any('"hedging"' in json.dumps(one, default=str) for one in relations)
    undecided = any("undecided" in piece for piece in answer["pieces"])
    return kind == "comparison" and "tradeoff" not in question and not hedging and not undecided


def _stretch(name: str, piece: Json) -> Json:
    """A piece with the smallest level as coefficients; as it is where it has powers of e."""
    ends, leakage = {key: piece[key] for key in ("from", "to")}, piece["leakage"]
    if "infinite" in leakage:
        return {**ends, "infinite": True}
    halves = read_function(leakage.get("exp_epsilon", "1"), (name,))
    if any(map(has_rates, halves)):
        return {**ends, **leakage}
    top, bottom = ([str(c) for c in dense(half)] for half in halves)
    root = {"root": leakage["root"]} if "root" in leakage else {}
    return {**ends, "numerator": top, "denominator": bottom, **root}


def _shown(kind: str, evidence: Json) -> Json:
    """The witness of several parameters."""
    if "cells" in evidence:
        cells = [{key: one[key] for key in ("sample", "signs")} for one in evidence["cells"]]
        return {"cells": cells}
    point, answer = evidence["point"], evidence["answer"]
    inner = {key: part for key, part in evidence["evidence"].items() if key != "rule"}
    if kind == "comparison":
        return {"point": point, "leakage": answer["leakage"], "witness": inner["witness"]}
    return {"point": point, "answer": answer, "evidence": inner}


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
