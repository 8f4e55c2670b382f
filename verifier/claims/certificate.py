"""Writing certificates: the answer to a question, and the evidence.

The format is described in docs/certificate.md; `verifier.checker` reads it and shares no code
with this module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.level import Leakage
from verifier.claims.evidence import Evidence, Said
from verifier.world.mechanism import Mechanism

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Proof:
    """What an engine says to a question, and why.

    said       verdict, leakage, value, …
    witness    the evidence; None where there is nothing to prove
    mechanism  that the evidence is about, where the question has none
    """

    said: Said
    witness: Evidence | None
    mechanism: Mechanism | None = None


def answer_section(said: Said) -> dict[str, Any]:
    """The answer section of a certificate from what is `said`, every rational as text."""
    return {
        key: exact.text(part) if isinstance(part, Fraction) else part
        for key, part in _object(said).items()
    }


def written(found: object) -> Any:
    """What was `found`, evidence or a part of it, as JSON; a rational stays what it is, and becomes
    text with the whole document.

    >>> from verifier.claims.evidence import ComparisonEvidence
    >>> written(ComparisonEvidence(pair=(0, 1), output=0))
    {'pair': [0, 1], 'output': 0}
    """
    if isinstance(found, str | int | Fraction | None):
        return found
    if isinstance(found, Sequence):
        return [written(part) for part in found]
    if isinstance(found, Mapping):
        return {str(key): written(part) for key, part in found.items()}
    return found.claim() if isinstance(found, Leakage) else _object(found)


def _object(found: Any) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for each in fields(found):
        part = getattr(found, each.name)
        if part is None and "absent" in each.metadata:
            continue
        if "inline" in each.metadata:
            told |= written(part)
        else:
            told[each.name] = _texts(part) if "numbers" in each.metadata else written(part)
    return told


def _texts(found: Any) -> Any:
    """The same with all numbers as text."""
    if isinstance(found, Mapping):
        return {str(key): _texts(part) for key, part in found.items()}
    if isinstance(found, int | Fraction):
        return exact.text(found)
    return found if isinstance(found, str | None) else [_texts(part) for part in found]


def write(certificate: Json) -> str:
    """The certificate as JSON text, every rational as text."""
    return json.dumps(certificate, default=str, ensure_ascii=False, separators=(",", ":")) + "\n"
