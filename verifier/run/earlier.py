"""Certificates of format 2, which files of the last release have, as ones of format 3.

There the question had a `kind`, which mixed what is asked with the rule that proves it, and a
domain of parameters was a relation of its own. What is made here is no more true than the file: it
is for the checker to accept it, and a digest that was wrong stays wrong.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from verifier import checker
from verifier.base.rational_function import text
from verifier.checker.document import MALFORMED, Refused, Rejected, limited
from verifier.checker.domains import End, is_inside, read_end, read_integers, read_parts
from verifier.checker.numbers import functions_on
from verifier.checker.obligations import read_compared
from verifier.checker.question import what_is_asked
from verifier.checker.reading import Model
from verifier.checker.signs import Spot
from verifier.checker.sturm import compare

Json = dict[str, Any]
KINDS = {"family": "polynomials", "polytope": "polytope"}  # rule -> kind; of others what is asked
RULES = {KINDS.get(rule, about): rule for rule, known in checker.RULES.items() for about in known}
RENAMED: Mapping[str, str] = {  # kinds whose relation had the rule of another one
    **dict.fromkeys(("composable", "composition", "runs"), "secrets"),
    "inference": "simulator",
}
WITHOUT = ("error", "implies", "optimal")  # kinds whose relation had no rule
FOUND = {"local": {"changes"}}  # kinds whose evidence is found by the checker -> what it had
NOTHING = ("post_processing", "program", "row_cone")  # kinds that had no relation
ENDS = ("from", "to")


class NotConverted(ValueError):
    """What is no certificate of format 2 that can be converted."""


def checked(document: Json) -> tuple[checker.Verdict, Json]:
    """The verdict on a certificate of format 2, and what it is in format 3; NotConverted where it
    is none."""
    made = converted(document)
    return checker.check(made), made


def converted(document: Json) -> Json:
    """A certificate of format 2, as parsed JSON, in format 3; NotConverted where it is none."""
    try:
        with limited():
            question, answer = document["question"], document["answer"]
            made, shown = _question(question), _evidence(question, document["evidence"])
            told = _answer(made, answer, shown) if question["kind"] == "region" else answer
            digest = _digest(made) if document["digest"] == _digest(question) else None
    except (Refused, Rejected, *MALFORMED) as error:
        said = "it cannot be converted from format 2; decide its spec file again"
        raise NotConverted(f"{said}: {error!r:.200}") from None
    parts = {"version": 3, "question": made, "answer": told, "evidence": shown}
    return {**document, **parts, "digest": digest}


def _digest(question: Json) -> str:
    whole = json.dumps(question, sort_keys=True, separators=(",", ":"), default=str)
    return f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"


def _question(question: Json) -> Json:
    """The same question without its kind, a domain of parameters apart from the relation."""
    kind, relation = question["kind"], question["relation"]
    plain = {key: part for key, part in question.items() if key != "kind"}
    if "domain" in question:
        raise NotConverted("format 2 has no domain")
    if kind not in ("parameters", "pieces", "region"):
        return {**plain, "relation": _relation(kind, relation, question["model"])}
    several, whole, inner = kind == "parameters", dict(question["model"]), _kind(question)
    keys = "rule parameters domain where cells" if several else "rule parameter from to cells"
    named = kind == "pieces" or (several and "kind" in relation)
    rule, *values, relations = _parts(relation, keys, "kind" if named else "")
    parts = whole.pop("cells")
    if rule != kind or len(parts) != len(relations):
        raise NotConverted("a relation of another kind")
    cells: list[Json | None] = []
    for one, about in zip(parts, relations, strict=True):
        if one is None and about is None and several:
            cells.append(None)
            continue
        ends = {} if several else {key: one[key] for key in ENDS}
        own = {key: part for key, part in one.items() if key not in ends}
        cells.append({**ends, "relation": _relation(inner, about, {**whole, **own}), "model": own})
    if several:
        names, sides, where = values
    else:
        names, sides, where = [values[0]], [dict(zip(ENDS, values[1:], strict=True))], []
    if several != (len(names) > 1):
        raise NotConverted("one parameter has pieces, and several have none")
    domain = {"parameters": names, "sides": sides, "where": where, "cells": cells}
    return {**plain, "relation": None, "model": whole, "domain": domain}


def _kind(question: Json) -> str:
    """The kind of what is asked, on the cells of a domain if there is one."""
    kind: str = question["kind"]
    if kind in ("parameters", "pieces"):
        kind = question["relation"].get("kind", "comparison")
    return "comparison" if kind == "region" else kind


def _relation(kind: str, relation: Any, parts: Json) -> Json:
    """A plain relation of a kind, with a rule that says what is asked; of these parts of a model it
    is to be what the kind said."""
    if kind in NOTHING and relation is None:
        found: Json = {"rule": kind}
    elif kind in WITHOUT and "rule" not in relation:
        found = {"rule": kind, **relation}
    elif relation["rule"] == RENAMED.get(kind):
        found = {**relation, "rule": kind}
    else:
        found = relation
    about = what_is_asked({"relation": found, "model": parts})
    rule = RULES[kind]
    if about not in checker.RULES[rule] or KINDS.get(rule, about) != kind:
        raise NotConverted(f"a relation that is not one of kind {kind}")
    return found


def _evidence(question: Json, evidence: Json) -> Json:
    """The same evidence, which names its rule."""
    kind, inner = question["kind"], _kind(question)
    if kind not in ("parameters", "pieces", "region"):
        return _named(inner, evidence)
    (witness,) = (evidence[key] for key in evidence)
    if set(evidence) != {"witness"}:
        raise NotConverted("evidence of a domain is a witness alone")
    if kind == "pieces":
        (pieces,) = _parts(witness, "pieces")
        return {"places": [None if one is None else _named(inner, one) for one in pieces]}
    if kind == "region":
        (places,) = _parts(witness, "places")
        return {"places": [_named(inner, {"witness": one}) for one in places]}
    if "cells" in witness:
        (cells,) = _parts(witness, "cells")
        return {"cells": [_named("comparison", one) for one in cells]}
    if "leakage" in witness:
        point, leakage, shown = _parts(witness, "point leakage witness")
        answer, own = {"verdict": "violated", "leakage": leakage}, {"witness": shown}
    else:
        point, answer, own = _parts(witness, "point answer evidence")
    return {"point": point, "answer": answer, "evidence": _named(inner, own)}


def _named(kind: str, evidence: Json) -> Json:
    """The same, of a plain question of a kind; without what the checker finds itself by now."""
    if "rule" in evidence:
        raise NotConverted("the evidence of format 2 names no rule")
    made = {"rule": RULES[kind], **evidence}
    witness = made.get("witness")
    if type(witness) is dict and witness.keys() == FOUND.get(kind):
        made["witness"] = None
    return made


def _parts(found: Json, keys: str, more: str = "") -> list[Any]:
    """The parts of an object that has just these keys, and `more` of which nothing is given."""
    if set(found) != {*keys.split(), *more.split()}:
        raise NotConverted(f"an object needs: {keys}")
    return [found[key] for key in keys.split()]


def _answer(made: Json, answer: Json, evidence: Json) -> Json:
    """What was said of where a comparison holds, and of the smallest level there, piece by piece.

    made      the question in format 3
    evidence  of that format too
    """
    (name,), cells = made["domain"]["parameters"], read_parts(made)
    held = [[read_end(part[key]) for key in ENDS] for part in answer["region"]]
    empty, at, pieces = "vacuous" in answer.get("leakage", {}), 0, []
    for stated, place in zip(answer["pieces"], evidence["places"], strict=True):
        low, high = (read_end(stated[key]).at for key in ENDS)
        order = compare(low, high)
        if order > 0:
            raise NotConverted("a piece ends before it begins")
        piece = Spot(name, low, high, is_point=not order)
        while not is_inside(piece, cells[at][0]):
            at += 1
        said = _level(name, {key: part for key, part in stated.items() if key not in ENDS})
        if said == {"exp_epsilon": "1"} and place["witness"] is None:
            said = {"vacuous": True} if empty or _is_empty(piece, cells[at][1]) else said
        holds = any(_covers(first, last, piece) for first, last in held)
        ends = {key: stated[key] for key in ENDS}
        pieces.append({**ends, "verdict": "holds" if holds else "violated", "leakage": said})
    return {**answer, "pieces": pieces}


def _level(name: str, stated: Json) -> Json:
    """The smallest level on a piece, which was a root of a quotient of two polynomials."""
    if "infinite" in stated:
        return stated
    top, bottom, *root = _parts(stated, "numerator denominator" + " root" * ("root" in stated))
    found = {"exp_epsilon": text(name, *map(read_integers, (top, bottom)))}
    if any(type(degree) is not int for degree in root):
        raise NotConverted("a root has a degree")
    return found if root in ([], [1]) else {**found, "root": root[0]}


def _is_empty(piece: Spot, question: Json) -> bool:
    """Whether nothing is compared on a piece, which was not told there."""
    with functions_on(piece):
        model = Model(question["model"])
        return not read_compared(question["relation"], model, model.table).blocks


def _covers(low: End, high: End, piece: Spot) -> bool:
    """Whether a piece lies in an interval."""
    first, last = compare(low.at, piece.low), compare(piece.high, high.at)
    if piece.is_point:
        return first < low.closed and last < high.closed
    return first <= 0 and last <= 0
