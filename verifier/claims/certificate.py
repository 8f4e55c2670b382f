"""Writing certificates: the whole question, the answer to it, and the evidence.

The format is described in docs/certificate.md; `verifier.checker` reads it and shares no code
with this module.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from verifier import checker
from verifier.base import exact
from verifier.base.level import Leakage
from verifier.claims.evidence import Evidence, Said
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

Json = dict[str, Any]

COMPACT = 100  # outputs, from which on a column is one text


@dataclass(frozen=True, eq=False)
class Model:
    """The model section of a certificate."""

    section: Json

    @cached_property
    def text(self) -> str:
        """The section as canonical JSON."""
        return _dumps(self.section)


@dataclass(frozen=True, eq=False)
class Question:
    """A whole question: the model, and all other parts of the section."""

    stated: Json
    model: Model

    @property
    def section(self) -> Json:
        """The question section of a certificate."""
        return {**self.stated, "model": self.model.section}

    @property
    def digest(self) -> str:
        """The SHA-256 of the section as canonical JSON."""
        parts = {key: _dumps(value) for key, value in self.stated.items()}
        parts["model"] = self.model.text
        text = ",".join(f'"{key}":{parts[key]}' for key in sorted(parts))
        return f"sha256:{hashlib.sha256(f'{{{text}}}'.encode()).hexdigest()}"


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


def document(question: Question, proof: Proof) -> Json:
    """The certificate of a proof; rationals inside may still be Fraction objects. It marks what a
    checker takes as the question has it."""
    evidence: Json = {"witness": written(proof.witness)}
    if proof.mechanism is not None:
        evidence["mechanism"] = _table(proof.mechanism)
    return {
        "format": "verifier-certificate",
        "version": 2,
        "question": question.section,
        "digest": question.digest,
        "taken": checker.taken(question.section),
        "answer": stated(proof.said),
        "evidence": evidence,
    }


def stated(said: Said) -> dict[str, Any]:
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


@lru_cache(maxsize=4)
def of_mechanism(space: WorldSpace, mechanism: Mechanism) -> Model:
    """The model section about a mechanism on the worlds of a space."""
    return _model(space, _table(mechanism))


def of_mechanisms(
    space: WorldSpace, mechanism: Mechanism | None, given: Mapping[str, Mechanism]
) -> Model:
    """The model section about the given mechanisms on the worlds of a space, and a mechanism that
    is compared with them if any."""
    listed = [{"name": name, **_table(other)} for name, other in given.items()]
    return _model(space, {**(_table(mechanism) if mechanism else {}), "given": listed})


def of_worlds(space: WorldSpace) -> Model:
    """The model section about the worlds of a space alone."""
    return _model(space, {})


def of_functions(
    space: WorldSpace,
    functions: Sequence[Sequence[Fraction]],
    mechanism: Mechanism | None = None,
) -> Model:
    """The model section about functions, one value per world of a space, and a mechanism if any."""
    parts: Json = {"functions": [list(component) for component in functions]}
    return _model(space, parts | (_table(mechanism) if mechanism else {}))


def _table(mechanism: Mechanism) -> Json:
    columns: list[Any] = mechanism.codes.T.tolist()
    if len(mechanism.outputs) >= COMPACT and len(mechanism.values) <= 256:
        packed = np.ascontiguousarray(mechanism.codes.T, dtype=np.uint8)
        columns = [base64.b64encode(row.tobytes()).decode("ascii") for row in packed]
    return {
        "outputs": list(mechanism.outputs),
        "values": list(mechanism.values),
        "columns": columns,
    }


def _model(space: WorldSpace, parts: Json) -> Model:
    """The worlds and other parts."""
    section = {"worlds": space.names(range(space.size)), **parts}
    if space.records:
        section["records"] = space.entry_codes.T.tolist()
        section["entries_per_record"] = max(1, len(space.attributes))
    if space.counts is not None:
        section["counts"] = space.counts.T.tolist()
    return Model(section)


def _dumps(part: object) -> str:
    return json.dumps(part, sort_keys=True, separators=(",", ":"), default=str)
