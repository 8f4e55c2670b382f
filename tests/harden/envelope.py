"""Where the parts of a certificate stand; the only place here that knows its outer form."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

Json = Any


@dataclass
class Parts:
    """What a certificate says and how it proves it.

    claim     kind, verdict, level (with delta), leakage, value and what else the kind claims
    """

    claim: Json
    model: Json
    relation: Json
    witness: Json

    @property
    def kind(self) -> str:
        return str(self.claim["kind"])

    def question(self) -> str:
        """The statement without its proof, as text."""
        return json.dumps([self.claim, self.model, self.relation], sort_keys=True, default=str)


def opened(document: Json) -> Parts:
    """The parts of a certificate, as a copy."""
    claim = {k: v for k, v in document["claim"].items() if k not in ("definition", "digest")}
    rest = document["model"], document["relation"], document["evidence"]["witness"]
    return deepcopy(Parts(claim, *rest))


def closed(parts: Parts) -> Json:
    """A certificate with these parts, and the right digest."""
    text = json.dumps(parts.model, sort_keys=True, separators=(",", ":"), default=str)
    digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    about = {"definition": "a mutant", "digest": digest}
    return {
        "format": "verifier-certificate",
        "version": 1,
        "claim": about | parts.claim if type(parts.claim) is dict else parts.claim,
        "model": parts.model,
        "relation": parts.relation,
        "evidence": {"witness": parts.witness},
    }
