"""The independent checker: re-verifies a certificate, and trusts nobody.

Standard library only: no solver, no floating point, nothing of the engine. docs/certificate.md has
the format and the trust model. A new kind of certificate is one function and one line in `KINDS`.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from . import exponentials
from . import reading as read
from .boxes import check_boxes
from .closures import check_post_processing, check_row_cone
from .comparison import check_comparison, check_sensitivity
from .composition import check_composable, check_composition
from .divergence import check_divergence
from .error import check_error
from .inference import check_inference
from .influence import check_influence
from .linear import check_implies, check_optimal
from .local import check_local
from .network import check_network
from .noise import check_enclosed, check_noise
from .parameters import check_parameters
from .pieces import check_pieces
from .polynomials import check_polynomials
from .polytopes import check_polytopes
from .program import check_program
from .question import claimed, read_question, read_taken
from .quilts import check_quilts
from .reading import MAX_DIGITS, Case, Model, Refused, Rejected, need, prove
from .region import check_region
from .runs import check_runs
from .simulator import check_simulator

TABLE = {"worlds", "outputs", "values", "columns"}
CELLS = {"worlds", "cells"}
ENDS = {"worlds", "outputs", "values", "lower", "upper"}
LOCAL = {"worlds", "channels", "people", "chosen"}
WORLDS, FUNCTIONS, GIVEN = {"worlds"}, {"worlds", "functions"}, {"worlds", "given"}
RECORDS, COUNTS = {"records", "entries_per_record"}, {"counts", "entries_of_values"}


def _check_pieces(case: Case) -> bool:
    """Whether what is asked in a `case` holds for all values of a parameter, if its pieces are
    right; else raise."""
    return check_pieces(case, _on_piece)


def _check_parameters(case: Case) -> bool:
    """Whether what is asked in a `case` holds for all values of several parameters; else raise, or
    false where it is violated."""
    return check_parameters(case, _on_piece)


KINDS: dict[str, tuple[Callable[[Case], bool | str], list[set[str]]]] = {
    "boxes": (check_boxes, [ENDS]),
    "comparison": (check_comparison, [TABLE]),  # and the keys that a model may have
    "composable": (check_composable, [TABLE, WORLDS]),
    "composition": (check_composition, [TABLE]),
    "divergence": (check_divergence, [TABLE, LOCAL]),
    "error": (check_error, [TABLE | FUNCTIONS]),
    "implies": (check_implies, [TABLE, TABLE | GIVEN, GIVEN]),
    "inference": (check_inference, [TABLE]),
    "influence": (check_influence, [WORLDS]),
    "local": (check_local, [LOCAL]),
    "network": (check_network, [LOCAL]),
    "optimal": (check_optimal, [FUNCTIONS, TABLE | FUNCTIONS]),
    "parameters": (_check_parameters, [CELLS]),
    "pieces": (_check_pieces, [CELLS]),
    "polynomials": (check_polynomials, [TABLE]),
    "polytope": (check_polytopes, [TABLE]),
    "post_processing": (check_post_processing, [TABLE | GIVEN]),
    "program": (check_program, [{"program"}]),
    "quilts": (check_quilts, [{"worlds", "people"}]),
    "region": (check_region, [CELLS]),
    "row_cone": (check_row_cone, [GIVEN, TABLE | GIVEN]),
    "runs": (check_runs, [TABLE]),
    "sensitivity": (check_sensitivity, [FUNCTIONS]),
    "simulator": (check_simulator, [TABLE]),
}
SHOWN = {"composable", "implies"}  # kinds whose evidence may be a mechanism of its own
CERTIFICATE = "format version question digest taken answer evidence"
FILE_BYTES = 2**30
LONG = re.compile(rf"(?<![0-9])[0-9]{{{MAX_DIGITS + 1}}}")
# whatever a malformed document makes Python say; limits on time and memory are not among them
MALFORMED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    StopIteration,
)


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
    with exponentials.limited():
        return _checked(document)


def _checked(document: Any) -> Verdict:
    """The same, however many steps sums of powers of e take."""
    try:
        need(document["format"] == "verifier-certificate", "another format")
        need(repr(document["version"]) == "2", "only version 2 is read: decide the file again")
        _, _, question, digest, stated, answer, evidence = read.fields(document, CERTIFICATE)
        claim = {"digest": digest, **read_question(question, answer)}
        model = Model(question["model"])
        parts = read_taken(question, model)
        check_digest(question, digest)
        prove(stated == parts, f"what is taken is {parts}")
        model = read_model(model, evidence, question["kind"])
        case = Case(claim, model, question["relation"], evidence["witness"])
        holds = KINDS[claim["kind"]][0](case)
        verdict = holds if isinstance(holds, str) else ("holds" if holds else "violated")
        prove(claim["verdict"] == verdict, f"the verdict must be {verdict}")
        words = claimed(question, answer)
    except Rejected as error:
        return Verdict("rejected", str(error))
    except (Refused, *MALFORMED) as error:
        return Verdict("refused", f"malformed: {error!r:.300}")
    return Verdict("accepted", "the evidence proves the claim", words, tuple(parts))


def _on_piece(claim: Any, parts: Any, relation: Any, evidence: Any) -> bool | str:
    """The rule of another kind on a piece of a parameter's domain, or at a point."""
    model = read_model(Model(parts), evidence, claim["kind"])
    return KINDS[claim["kind"]][0](Case(claim, model, relation, evidence["witness"]))


def check_digest(question: Any, digest: Any) -> None:
    """Reject a `digest` that is not the one of the `question` as canonical JSON."""
    text = json.dumps(question, sort_keys=True, separators=(",", ":"), default=str)
    found = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    prove(digest == found, f"the digest of the question is {found}")


def read_model(model: Model, evidence: Any, kind: str) -> Model:
    """The `model` of a certificate of a `kind`, with the mechanism that its `evidence` may be."""
    own = "columns" in model.parts
    if kind in SHOWN and not own and "mechanism" in evidence:
        _, mechanism = read.fields(evidence, "witness mechanism")
        read.fields(mechanism, "outputs values columns")
        need(not mechanism.keys() & model.parts.keys(), "a part of the mechanism stands twice")
        model = Model({**model.parts, **mechanism})
    else:
        read.fields(evidence, "witness")
        need(kind not in SHOWN or not own, "a mechanism is evidence here")
    stated, parts = set(model.parts), KINDS[kind][1]
    if "noise" in stated and "columns" in stated:
        check_noise(model)
        stated = stated - {"noise"}
    if "noise" in stated and "lower" in stated:
        check_enclosed(model)
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
        with open(path, "rb") as file:
            content = file.read(FILE_BYTES + 1)
        need(len(content) <= FILE_BYTES, "the file is too large")
        text = content.decode()
        need(not LONG.search(text), "a number is too long")
        document = json.loads(
            text, object_pairs_hook=_object, parse_float=_no_number, parse_constant=_no_number
        )
    except (OSError, Refused, *MALFORMED) as error:
        return Verdict("refused", f"not a readable certificate: {error!r:.300}"), None
    return check(document), document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a key stands twice in an object")
    return dict(pairs)


def _no_number(text: str) -> None:
    raise Refused(f"a number is an integer or a text, not {text:.30}")
