"""The independent checker: re-verifies a certificate, and trusts nobody.

Standard library only; nothing of the engine is imported, no solver, no floating point. The written
format and the trust model are in docs/certificate.md. A new kind of certificate is one more module
here and one more line in `KINDS`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from .comparison import check_comparison
from .reading import Refused, Rejected, fields
from .sensitivity import check_sensitivity

KINDS: dict[str, Callable[[dict[str, Any]], None]] = {
    "comparison": check_comparison,
    "sensitivity": check_sensitivity,
}
FILE_BYTES = 2**30


@dataclass(frozen=True)
class Verdict:
    """What the checker says of a certificate.

    `outcome` is "accepted" (the evidence proves the claim), "rejected" (it does not) or "refused"
    (this is not a certificate that the checker can read); `reason` says why, in words.
    """

    outcome: str
    reason: str


def check(document: Any) -> Verdict:
    """The verdict on one certificate, given as parsed JSON (Fractions may stand for number text).

    Never raises on bad documents of whatever shape: they are refused.

    >>> check({"format": "letter"}).outcome
    'refused'
    """
    try:
        keys = ("format", "version", "claim", "model", "relation", "evidence")
        fields(document, "the document", keys)
        if document["format"] != "verifier-certificate":
            raise Refused("this is not a verifier-certificate")
        if type(document["version"]) is not int or document["version"] != 1:
            raise Refused("unknown version of the certificate format; this checker reads 1")
        kind = document["claim"].get("kind") if type(document["claim"]) is dict else None
        if type(kind) is not str or kind not in KINDS:
            raise Refused(f"unknown kind of claim; this checker knows {', '.join(KINDS)}")
        KINDS[kind](document)
    except Rejected as error:
        return Verdict("rejected", str(error))
    except (Refused, RecursionError) as error:
        return Verdict("refused", str(error))
    return Verdict("accepted", "the evidence proves the claim")


def check_file(path: str | PathLike[str]) -> Verdict:
    """The verdict on one certificate in a JSON file of at most 1 GiB.

    Unreadable files, text that is not JSON, duplicate keys, numbers with a point or an exponent,
    NaN and nesting beyond Python's recursion limit are refused.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(FILE_BYTES + 1)
        if len(content) > FILE_BYTES:
            raise Refused(f"the file is larger than {FILE_BYTES} bytes")
        document = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_distinct_keys,
            parse_float=_no_float,
            parse_constant=_no_float,
        )
    except (OSError, ValueError, RecursionError, Refused) as error:
        return Verdict("refused", f"not a readable certificate: {error}")
    return check(document)


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Refused("an object has the same key twice")
    return result


def _no_float(text: str) -> None:
    raise Refused(f"the number {text[:20]}: numbers must be whole, fractions are written as text")
