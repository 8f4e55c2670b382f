"""Writing certificates: the answer to a question, and the evidence.

The format is described in docs/certificate.md; `verifier.checker` reads it and shares no code
with this module.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verifier.world.mechanism import Mechanism

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Proof:
    """What an engine says to a question, and why.

    said       verdict, leakage, value, …: the answer section of a certificate
    witness    the evidence
    mechanism  that the evidence is about, where the question has none
    """

    said: Json
    witness: Json | Sequence[Any] | None
    mechanism: Mechanism | None = None


def write(certificate: Json) -> str:
    """The certificate as JSON text, every rational as text."""
    return json.dumps(certificate, default=str, ensure_ascii=False, separators=(",", ":")) + "\n"
