"""Writing certificates: the claim, the model it is about, and the evidence.

The format is described in docs/certificate.md; `verifier.checker` reads it and shares no code
with this module.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from functools import lru_cache
from typing import Any

from verifier.mechanism import Mechanism
from verifier.worlds import WorldSpace

Json = dict[str, Any]


def document(claim: Json, model: Json, relation: dict[str, object], witness: Json | None) -> Json:
    """A certificate; rationals inside may still be Fraction objects."""
    return {
        "format": "verifier-certificate",
        "version": 1,
        "claim": {**claim, "digest": digest_of(model)},
        "model": model,
        "relation": relation,
        "evidence": {"witness": witness},
    }


def write(certificate: Json) -> str:
    """The certificate as JSON text, every rational as text."""
    return json.dumps(certificate, default=str, ensure_ascii=False, separators=(",", ":")) + "\n"


@lru_cache(maxsize=4)
def of_mechanism(space: WorldSpace, mechanism: Mechanism) -> Json:
    """The model section about a mechanism."""
    return {
        **_worlds(space),
        "outputs": list(mechanism.outputs),
        "values": list(mechanism.values),
        "columns": mechanism.codes.T.tolist(),
    }


def of_functions(space: WorldSpace, functions: tuple[tuple[Fraction, ...], ...]) -> Json:
    """The model section about a query: its components, one value per world."""
    return {**_worlds(space), "functions": [list(component) for component in functions]}


def _worlds(space: WorldSpace) -> Json:
    named: Json = {"worlds": space.names(range(space.size))}
    if space.records:
        named["records"] = space.entry_codes.T.tolist()
        named["entries_per_record"] = max(1, len(space.attributes))
    return named


_digests: dict[int, tuple[Json, str]] = {}


def digest_of(model: Json) -> str:
    """The digest of a model section: SHA-256 of its canonical JSON text. The last few are
    remembered by identity."""
    known = _digests.get(id(model))
    if known is None or known[0] is not model:
        if len(_digests) >= 4:
            _digests.clear()
        text = json.dumps(model, sort_keys=True, separators=(",", ":"), default=str)
        found = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        known = _digests[id(model)] = (model, found)
    return known[1]
