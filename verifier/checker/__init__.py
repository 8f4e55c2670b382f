"""The independent checker: re-verifies a certificate, and trusts nobody.

May enter: the text of one certificate, and the standard library.
Must not know: that there is any other room.

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
    Noted,
    Refused,
    Rejected,
    canonical,
    check_digest,
    fields,
    limited,
    mapping,
    need,
    plain,
    prove,
    read_json,
    spend,
)
from .question import claimed, read_question, read_taken, what_is_asked
from .reading import Case, Model, check_parts

# rule of evidence -> what it proves -> the module whose `check_` of this name does it
RULES: dict[str, dict[str, str]] = {
    "composition": {"composition": "composition"},
    "family": {"comparison": "polynomials"},
    "inequality": {
        **dict.fromkeys(("boxes", "comparison", "error", "sensitivity"), "inequality"),
        "divergence": "chords",
        "influence": "hiding",
    },
    "linear": {
        "composable": "couplings",
        **dict.fromkeys(
            ("implies", "optimal", "post_processing", "program", "row_cone"), "feasibility"
        ),
        **dict.fromkeys(("inference", "simulator"), "simulation"),
    },
    "network": {"local": "losses", "network": "network", "quilts": "network"},
    "polytope": {"comparison": "polytopes"},
    "runs": {"runs": "runs"},
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
            return read_taken(plain(question))
    except (Rejected, Refused, *MALFORMED):
        return []


def check(document: Any) -> Verdict:
    """The verdict on a certificate, given as parsed JSON: on what it is as text, so that Fractions
    may stand for that of numbers.

    >>> check({"format": "letter"}).outcome
    'refused'
    """
    return _checked(lambda: plain(document))[0]


def check_file(path: str | PathLike[str]) -> Verdict:
    """The verdict on a JSON file of at most 1 GiB, without repeated keys."""
    return read_file(path)[0]


def read_file(path: str | PathLike[str]) -> tuple[Verdict, Any]:
    """The verdict on a file, and what was read; None where nothing could be."""
    return _checked(lambda: read_json(path))


def _checked(read: Callable[[], Any]) -> tuple[Verdict, Any]:
    """The verdict on what is `read`, and that itself, however many steps it takes."""
    document: Any = None
    try:
        with limited():
            document = read()
            need(mapping(document).get("format") == "verifier-certificate", "another format")
            need(repr(document.get("version")) == "3", "only version 3 is read: decide it again")
            _, _, question, digest, stated, answer, evidence = fields(document, CERTIFICATE)
            text = canonical(question)
            claim = read_question(question, answer)
            parts = read_taken(question)
            check_digest(text, digest)
            prove(stated == parts, f"what is taken is {parts}")
            _followed(claim, question, evidence)
            words = claimed(question, answer)
    except Rejected as error:
        return Verdict("rejected", str(error)), document
    except (Refused, OSError, *MALFORMED) as error:
        said = str(error) if type(error) is Refused else f"malformed: {error!r:.300}"
        unread = f"not a readable certificate: {error!r:.300}"
        return Verdict("refused", unread if document is None else said), document
    return Verdict("accepted", "the evidence proves the claim", words, tuple(parts)), document


def _followed(claim: Any, question: Any, evidence: Any) -> bool | str:
    """What the evidence shows of a question, on all of its domain if it has one.

    The claim says just this, and each part of it is read."""
    said = Noted(claim)
    if "domain" in question:
        from .pieces import check_domain

        found: bool | str = check_domain(said, question, evidence, _followed)
    else:
        found = _ruled(said, question, evidence)
    verdict = found if isinstance(found, str) else ("holds" if found else "violated")
    prove(said["verdict"] == verdict, f"the verdict must be {verdict}")
    said.check()
    return found


def _ruled(claim: Any, question: Any, evidence: Any) -> bool | str:
    """What the rule that `evidence` names says of a plain question; its module is loaded then."""
    about, rule = what_is_asked(question), mapping(evidence)["rule"]
    need(type(rule) is str and rule in RULES, f"no such rule of evidence: {rule!r:.80}")
    need(about in RULES[rule], f"the rule {rule} proves nothing about {about}")
    model = read_model(question["model"], evidence, about)
    module = importlib.import_module(f".{RULES[rule][about]}", __name__)
    check_: Callable[[Case], bool | str] = getattr(module, f"check_{about}")
    holds = check_(Case(claim, model, question["relation"], evidence["witness"]))
    model.parts.check()
    return holds


def read_model(parts: Any, evidence: Any, about: str) -> Model:
    """The model of which something is asked `about`, with the mechanism that is evidence there."""
    *_, shown = fields(evidence, "rule witness" + " mechanism" * ("mechanism" in evidence))
    if "mechanism" in evidence or about in SHOWN:
        need(about in SHOWN and "columns" not in parts, "a mechanism is evidence, or of the model")
    if "mechanism" in evidence:
        fields(shown, "outputs values columns")
        need(not shown.keys() & parts.keys(), "a part of the mechanism stands twice")
        parts = {**parts, **shown}
    model = Model(parts)
    if "noise" in parts:
        from .noise import check_enclosed, check_noise

        (check_noise if "columns" in parts else check_enclosed)(model)
    if "program" not in parts:
        check_parts(model)
    return model
