"""The independent checker: re-verifies a certificate, and trusts nobody.

Standard library only: no solver, no floating point, nothing of the engine. docs/certificate.md has
the format and the trust model. The question says what is to be shown, and the evidence by which
rule: what a rule proves is a function, `check_` and a name, and one line in `RULES`.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from .document import (
    MALFORMED,
    MORE_STEPS,
    Refused,
    Rejected,
    canonical,
    check_digest,
    fields,
    limited,
    mapping,
    need,
    prove,
    read_json,
    spend,
)
from .question import claimed, read_question, read_taken, what_is_asked
from .reading import Case, Model, check_parts

TABLE = {"worlds", "outputs", "values", "columns"}
ENDS = {"worlds", "outputs", "values", "lower", "upper"}
LOCAL = {"worlds", "channels", "people", "chosen"}
WORLDS, FUNCTIONS, GIVEN = {"worlds"}, {"worlds", "functions"}, {"worlds", "given"}
RECORDS, COUNTS = {"records", "entries_per_record"}, {"counts", "entries_of_values"}


# rule of evidence -> what it proves -> the module whose `check_` of this name does it
RULES: dict[str, dict[str, str]] = {
    "composition": {"composition": "composition"},
    "family": {"comparison": "polynomials"},
    "inequality": {
        **dict.fromkeys(("boxes", "comparison", "error", "influence", "sensitivity"), "inequality"),
        "divergence": "chords",
    },
    "linear": {
        "composable": "couplings",
        **dict.fromkeys(
            ("implies", "optimal", "post_processing", "program", "row_cone"), "feasibility"
        ),
        **dict.fromkeys(("inference", "simulator"), "simulation"),
    },
    "network": dict.fromkeys(("local", "network", "quilts"), "network"),
    "polytope": {"comparison": "polytopes"},
    "runs": {"runs": "runs"},
}
MODELS: dict[str, list[set[str]]] = {  # what is asked -> the keys that a model may have
    **{key: [TABLE] for key in ("comparison", "composition", "inference", "runs", "simulator")},
    **{key: [LOCAL] for key in ("local", "network")},
    "boxes": [ENDS],
    "composable": [TABLE, WORLDS],
    "divergence": [TABLE, LOCAL],
    "error": [TABLE | FUNCTIONS],
    "implies": [TABLE, TABLE | GIVEN, GIVEN],
    "influence": [WORLDS],
    "optimal": [FUNCTIONS, TABLE | FUNCTIONS],
    "post_processing": [TABLE | GIVEN],
    "program": [{"program"}],
    "quilts": [{"worlds", "people"}],
    "row_cone": [GIVEN, TABLE | GIVEN],
    "sensitivity": [FUNCTIONS],
}
SHOWN = {"composable", "implies"}  # what may be refuted by a mechanism that is evidence
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
        with limited():
            spend(-MORE_STEPS)
            return read_taken(question)
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
    """The same, however many steps it takes."""
    try:
        need(document["format"] == "verifier-certificate", "another format")
        need(repr(document["version"]) == "3", "only version 3 is read: decide the file again")
        _, _, question, digest, stated, answer, evidence = fields(document, CERTIFICATE)
        text = canonical(question)
        claim = {"digest": digest, **read_question(question, answer)}
        parts = read_taken(question)
        check_digest(text, digest)
        prove(stated == parts, f"what is taken is {parts}")
        holds = _followed(claim, question, evidence)
        verdict = holds if isinstance(holds, str) else ("holds" if holds else "violated")
        prove(claim["verdict"] == verdict, f"the verdict must be {verdict}")
        words = claimed(question, answer)
    except Rejected as error:
        return Verdict("rejected", str(error))
    except Refused as error:
        return Verdict("refused", str(error))
    except MALFORMED as error:
        return Verdict("refused", f"malformed: {error!r:.300}")
    return Verdict("accepted", "the evidence proves the claim", words, tuple(parts))


def _followed(claim: Any, question: Any, evidence: Any) -> bool | str:
    """What the evidence shows of a question, on all of its domain if it has one."""
    if "domain" not in question:
        return _ruled(claim, question, evidence)
    from .pieces import check_domain

    return check_domain(claim, question, evidence, _ruled)


def _ruled(claim: Any, question: Any, evidence: Any) -> bool | str:
    """What the rule that `evidence` names says of a plain question; its module is loaded then."""
    about, rule = what_is_asked(question), mapping(evidence)["rule"]
    need(type(rule) is str and rule in RULES, f"no such rule of evidence: {rule!r:.80}")
    need(about in RULES[rule], f"the rule {rule} proves nothing about {about}")
    model = read_model(Model(question["model"]), evidence, about)
    module = importlib.import_module(f".{RULES[rule][about]}", __name__)
    check_: Callable[[Case], bool | str] = getattr(module, f"check_{about}")
    return check_(Case(claim, model, question["relation"], evidence["witness"]))


def read_model(model: Model, evidence: Any, about: str) -> Model:
    """The `model` that something is asked `about`, with the mechanism that `evidence` may have."""
    own = "columns" in model.parts
    if about in SHOWN and not own and "mechanism" in evidence:
        *_, mechanism = fields(evidence, "rule witness mechanism")
        fields(mechanism, "outputs values columns")
        need(not mechanism.keys() & model.parts.keys(), "a part of the mechanism stands twice")
        model = Model({**model.parts, **mechanism})
    else:
        fields(evidence, "rule witness")
        need(about not in SHOWN or not own, "a mechanism is evidence here")
    stated, parts = set(model.parts), MODELS[about]
    if "noise" in stated and stated & {"columns", "lower"}:
        from .noise import check_enclosed, check_noise

        (check_noise if "columns" in stated else check_enclosed)(model)
        stated = stated - {"noise"}
    fits = stated - RECORDS - COUNTS in parts
    need(fits, f"a model has one of {[sorted(part) for part in parts]}")
    if "program" not in stated:
        check_parts(model)
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
