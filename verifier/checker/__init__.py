"""The independent checker: re-verifies a certificate, and trusts nobody.

Standard library only: no solver, no floating point, nothing of the engine. docs/certificate.md has
the format and the trust model. A new kind of certificate is one module and one line in `KINDS`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from .comparison import check_comparison
from .reading import Refused, Rejected, fields, need
from .sensitivity import check_sensitivity

KINDS: dict[str, Callable[[dict[str, Any]], None]] = {
    "comparison": check_comparison,
    "sensitivity": check_sensitivity,
}
FILE_BYTES = 2**30
# whatever a malformed document makes Python say; limits on time and memory are not among them
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True)
class Verdict:
    """`outcome` is "accepted" (the evidence proves the claim), "rejected" (it does not) or
    "refused" (this is no certificate that the checker can read); `reason` says why."""

    outcome: str
    reason: str


def check(document: Any) -> Verdict:
    """The verdict on a certificate, given as parsed JSON (Fractions may stand for number text).

    >>> check({"format": "letter"}).outcome
    'refused'
    """
    try:
        fields(document, "format version claim model relation evidence")
        need((document["format"], document["version"]) == ("verifier-certificate", 1), "format")
        need(document["claim"]["kind"] in KINDS, f"the kind of a claim is one of {list(KINDS)}")
        KINDS[document["claim"]["kind"]](document)
    except Rejected as error:
        return Verdict("rejected", str(error))
    except (Refused, *MALFORMED) as error:
        return Verdict("refused", f"malformed: {error!r}")
    return Verdict("accepted", "the evidence proves the claim")


def check_file(path: str | PathLike[str]) -> Verdict:
    """The verdict on a JSON file of at most 1 GiB, without repeated keys and without floats."""
    try:
        with open(path, "rb") as file:
            content = file.read(FILE_BYTES + 1)
        need(len(content) <= FILE_BYTES, "the file is too large")
        document = json.loads(
            content, object_pairs_hook=_object, parse_float=_refuse, parse_constant=_refuse
        )
    except (OSError, Refused, *MALFORMED) as error:
        return Verdict("refused", f"not a readable certificate: {error!r}")
    return check(document)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a key stands twice in an object")
    return dict(pairs)


def _refuse(text: str) -> None:
    raise Refused(f"the number {text[:20]} is not exact; fractions are written as text")
