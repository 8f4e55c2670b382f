"""Writing certificates: the claim, the model it is about, and the evidence.

The format is described in docs/certificate.md; `verifier.checker` reads it and shares no code
with this module.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from verifier.mechanism import Mechanism
from verifier.worlds import WorldSpace

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Model:
    """The model section of a certificate, and its digest."""

    section: Json
    digest: str


def document(
    claim: Json, model: Model, relation: dict[str, object] | None, witness: Json | None
) -> Json:
    """A certificate; rationals inside may still be Fraction objects."""
    return {
        "format": "verifier-certificate",
        "version": 1,
        "claim": {**claim, "digest": model.digest},
        "model": model.section,
        "relation": relation,
        "evidence": {"witness": witness},
    }


def write(certificate: Json) -> str:
    """The certificate as JSON text, every rational as text."""
    return json.dumps(certificate, default=str, ensure_ascii=False, separators=(",", ":")) + "\n"


@lru_cache(maxsize=4)
def of_mechanism(space: WorldSpace, mechanism: Mechanism) -> Model:
    """The model section about a mechanism."""
    values, columns = list(mechanism.values), mechanism.codes.T
    return _model(space, _table(mechanism), {"values": _numbers(values), "columns": _rows(columns)})


def of_mechanisms(
    space: WorldSpace, mechanism: Mechanism | None, given: Mapping[str, Mechanism]
) -> Model:
    """The model section about given mechanisms, and one that is compared with them if any."""
    listed = [{"name": name, **_table(other)} for name, other in given.items()]
    return _model(space, {**(_table(mechanism) if mechanism else {}), "given": listed}, {})


def of_tradeoff(points: Sequence[tuple[Fraction, Fraction]]) -> Json:
    """Levels and the smallest delta at each, as they stand in a claim; nothing for none."""
    return {"tradeoff": [[str(part) for part in point] for point in points]} if points else {}


def of_worlds(space: WorldSpace) -> Model:
    """The model section about the worlds alone."""
    return _model(space, {}, {})


def of_functions(
    space: WorldSpace,
    functions: Sequence[Sequence[Fraction]],
    mechanism: Mechanism | None = None,
) -> Model:
    """The model section about functions, one value per world each, and a mechanism if any."""
    parts: Json = {"functions": [list(component) for component in functions]}
    return _model(space, parts | (_table(mechanism) if mechanism else {}), {})


def _table(mechanism: Mechanism) -> Json:
    columns = mechanism.codes.T.tolist()
    return {
        "outputs": list(mechanism.outputs),
        "values": list(mechanism.values),
        "columns": columns,
    }


def _model(space: WorldSpace, parts: Json, texts: dict[str, bytes]) -> Model:
    """The worlds and other parts. The digest is the SHA-256 of the section as canonical JSON;
    `texts` has the text of large parts, written faster than by `json`."""
    section = {"worlds": space.names(range(space.size)), **parts}
    if space.records:
        section["records"] = space.entry_codes.T.tolist()
        section["entries_per_record"] = max(1, len(space.attributes))
    if space.counts is not None:
        section["counts"] = space.counts.T.tolist()
    hashed, opening = hashlib.sha256(), "{"
    for key in sorted(section):
        hashed.update(f'{opening}"{key}":'.encode())
        hashed.update(texts[key] if key in texts else _dumps(section[key]).encode())
        opening = ","
    hashed.update(b"}")
    return Model(section, f"sha256:{hashed.hexdigest()}")


def _numbers(values: list[Fraction]) -> bytes:
    """A list of rationals as JSON text; it is not empty."""
    return ('["' + '","'.join(map(str, values)) + '"]').encode()


def _dumps(part: object) -> str:
    return json.dumps(part, sort_keys=True, separators=(",", ":"), default=str)


def _rows(codes: np.ndarray) -> bytes:
    """Rows of codes >= -1 as JSON text."""
    table = np.array([b"%d," % code for code in (*range(int(codes.max()) + 1), -1)])
    rows = (table[row].tobytes().replace(b"\0", b"")[:-1] for row in codes)
    return b"[[" + b"],[".join(rows) + b"]]"
