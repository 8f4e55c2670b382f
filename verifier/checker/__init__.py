"""The independent checker: re-verifies a certificate, and trusts nobody.

Standard library only: no solver, no floating point, nothing of the engine. docs/certificate.md has
the format and the trust model. A new kind of certificate is a function, `check_` and its name, and
one line in `KINDS`.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from .document import (
    MALFORMED,
    Refused,
    Rejected,
    check_digest,
    fields,
    limited,
    need,
    prove,
    read_json,
    together,
)
from .question import claimed, read_question, read_taken
from .reading import Case, Model

TABLE = {"worlds", "outputs", "values", "columns"}
CELLS = {"worlds", "cells"}
ENDS = {"worlds", "outputs", "values", "lower", "upper"}
LOCAL = {"worlds", "channels", "people", "chosen"}
WORLDS, FUNCTIONS, GIVEN = {"worlds"}, {"worlds", "functions"}, {"worlds", "given"}
RECORDS, COUNTS = {"records", "entries_per_record"}, {"counts", "entries_of_values"}


# kind -> the module that has its rule, `check_` and the name of the kind; and the parts of a model
KINDS: dict[str, tuple[str, list[set[str]]]] = {
    "boxes": ("inequality", [ENDS]),
    "comparison": ("inequality", [TABLE]),  # and the keys that a model may have
    "composable": ("couplings", [TABLE, WORLDS]),
    "composition": ("composition", [TABLE]),
    "divergence": ("inequality", [TABLE, LOCAL]),
    "error": ("inequality", [TABLE | FUNCTIONS]),
    "implies": ("feasibility", [TABLE, TABLE | GIVEN, GIVEN]),
    "inference": ("simulation", [TABLE]),
    "influence": ("inequality", [WORLDS]),
    "local": ("network", [LOCAL]),
    "network": ("network", [LOCAL]),
    "optimal": ("feasibility", [FUNCTIONS, TABLE | FUNCTIONS]),
    "parameters": ("pieces", [CELLS]),
    "pieces": ("pieces", [CELLS]),
    "polynomials": ("polynomials", [TABLE]),
    "polytope": ("polytopes", [TABLE]),
    "post_processing": ("feasibility", [TABLE | GIVEN]),
    "program": ("feasibility", [{"program"}]),
    "quilts": ("network", [{"worlds", "people"}]),
    "region": ("pieces", [CELLS]),
    "row_cone": ("feasibility", [GIVEN, TABLE | GIVEN]),
    "runs": ("runs", [TABLE]),
    "sensitivity": ("inequality", [FUNCTIONS]),
    "simulator": ("simulation", [TABLE]),
}
ON_CELLS = {"parameters", "pieces"}  # kinds that follow the rule of another one there
SHOWN = {"composable", "implies"}  # kinds whose evidence may be a mechanism of its own
CERTIFICATE = "format version question digest taken answer evidence"


@dataclass(frozen=True)
class Verdict:
    """The `outcome`, "accepted", "rejected" or "refused"; and the `reason`, which says why.

    The evidence proves the claim, it does not, or this is no certificate that can be read.

    claim  what an accepted certificate proves, in words
    taken  the parts of its question that are taken as they stand there
    """

    outcome: str
    reason: str
    claim: str = ""
    taken: tuple[str, ...] = ()


def taken(question: Any) -> list[str]:
    """The parts of a question that `check` takes as they stand there; none where it refuses it."""
    try:
        return read_taken(question, Model(question["model"]))
    except (Rejected, Refused, *MALFORMED):
        return []


def check(document: Any) -> Verdict:
    """The verdict on a certificate, given as parsed JSON (Fractions may stand for number text).

    >>> check({"format": "letter"}).outcome
    'refused'
    """
    with limited():
        return _checked(document)


def _checked(document: Any) -> Verdict:
    """The same, however many steps sums of powers of e take."""
    try:
        need(document["format"] == "verifier-certificate", "another format")
        need(repr(document["version"]) == "2", "only version 2 is read: decide the file again")
        _, _, question, digest, stated, answer, evidence = fields(document, CERTIFICATE)
        claim = {"digest": digest, **read_question(question, answer)}
        model = Model(question["model"])
        parts = read_taken(question, model)
        check_digest(question, digest)
        prove(stated == parts, f"what is taken is {parts}")
        model = read_model(model, evidence, question["kind"])
        case = Case(claim, model, question["relation"], evidence["witness"])
        holds = _ruled(case)
        verdict = holds if isinstance(holds, str) else ("holds" if holds else "violated")
        prove(claim["verdict"] == verdict, f"the verdict must be {verdict}")
        words = claimed(question, answer)
    except Rejected as error:
        return Verdict("rejected", str(error))
    except (Refused, *MALFORMED) as error:
        return Verdict("refused", f"malformed: {error!r:.300}")
    return Verdict("accepted", "the evidence proves the claim", words, tuple(parts))


def _ruled(case: Case) -> bool | str:
    """What the rule of the kind of a `case` says, whose module is loaded when it is named."""
    kind = case.claim["kind"]
    module = importlib.import_module(f".{KINDS[kind][0]}", __name__)
    rule: Callable[..., bool | str] = getattr(module, f"check_{kind}")
    if "cells" not in case.model.parts:
        return rule(case)
    with together():
        return rule(case, _on_piece) if kind in ON_CELLS else rule(case)


def _on_piece(claim: Any, parts: Any, relation: Any, evidence: Any) -> bool | str:
    """The rule of another kind on a piece of a parameter's domain, or at a point."""
    kind = claim["kind"]
    model = read_model(Model(parts, loose=kind == "comparison"), evidence, kind)
    return _ruled(Case(claim, model, relation, evidence["witness"]))


def read_model(model: Model, evidence: Any, kind: str) -> Model:
    """The `model` of a certificate of a `kind`, with the mechanism that its `evidence` may be."""
    own = "columns" in model.parts
    if kind in SHOWN and not own and "mechanism" in evidence:
        _, mechanism = fields(evidence, "witness mechanism")
        fields(mechanism, "outputs values columns")
        need(not mechanism.keys() & model.parts.keys(), "a part of the mechanism stands twice")
        model = Model({**model.parts, **mechanism})
    else:
        fields(evidence, "witness")
        need(kind not in SHOWN or not own, "a mechanism is evidence here")
    stated, parts = set(model.parts), KINDS[kind][1]
    if "noise" in stated and stated & {"columns", "lower"}:
        from .noise import check_enclosed, check_noise

        (check_noise if "columns" in stated else check_enclosed)(model)
        stated = stated - {"noise"}
    fits = stated - RECORDS - COUNTS in parts
    need(fits, f"a model has one of {[sorted(part) for part in parts]}")
    # these are refused also where no rule asks for them
    need("program" in stated or model.size, "there are worlds")
    need(not stated & RECORDS or model.places, "there are records")
    need("counts" not in stated or model.counts, "there are counts")
    need("entries_of_values" not in stated or model.entries_of_values, "there are values")
    need(not model.is_of_one or model.others, "there are others")
    return model


def check_file(path: str | PathLike[str]) -> Verdict:
    """The verdict on a JSON file of at most 1 GiB, without repeated keys."""
    return read_file(path)[0]


def read_file(path: str | PathLike[str]) -> tuple[Verdict, Any]:
    """The verdict on a file, and what was read; None where nothing could be."""
    try:
        document = read_json(path)
    except (OSError, Refused, *MALFORMED) as error:
        return Verdict("refused", f"not a readable certificate: {error!r:.300}"), None
    return check(document), document
