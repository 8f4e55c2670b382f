"""Writing certificates: the claim, the model it is about, and the evidence.

The format is described in docs/certificate.md; `verifier.checker` reads it and shares no code
with this module.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
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
    """The digest of a model section; the last few are remembered by identity."""
    known = _digests.get(id(model))
    if known is None or known[0] is not model:
        if len(_digests) >= 4:
            _digests.clear()
        hashed = hashlib.sha256()
        for part in _digest_text(model):
            hashed.update(part.encode())
        known = _digests[id(model)] = (model, "sha256:" + hashed.hexdigest())
    return known[1]


def _digest_text(model: Json) -> Iterator[str]:
    for key, lines in (
        ("worlds", map(json.dumps, model["worlds"])),
        ("records", map(_spaced, model.get("records", ()))),
        ("entries_per_record", map(str, [model.get("entries_per_record")])),
        ("outputs", map(json.dumps, model.get("outputs", ()))),
        ("values", map(_hex, model.get("values", ()))),
        ("columns", map(_spaced, model.get("columns", ()))),
        ("functions", (" ".join(map(_hex, row)) for row in model.get("functions", ()))),
    ):
        if key in model:
            yield key + "\n"
            for line in lines:
                yield line + "\n"


def _spaced(codes: list[int]) -> str:
    return " ".join(map(str, codes))


def _hex(value: Fraction) -> str:
    return f"{value.numerator:x}/{value.denominator:x}"
