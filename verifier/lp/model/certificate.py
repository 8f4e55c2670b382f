"""Certificates of linear programs, in the written format (docs/certificate.md)."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from verifier.lp.model.program import (
    SENSES,
    Infeasible,
    Optimal,
    Outcome,
    Program,
    Unbounded,
    Vector,
)

Json = dict[str, Any]


def document(program: Program, outcome: Outcome) -> Json:
    """The certificate of the `outcome` of a `program`; rationals inside are Fraction objects."""
    question = {
        "definition": "linear_program",
        "options": {},
        "relation": {"rule": "program"},
        "model": {"program": section(program)},
        "source": None,
    }
    text = json.dumps(question, sort_keys=True, separators=(",", ":"), default=str)
    return {
        "format": "verifier-certificate",
        "version": 3,
        "question": question,
        "digest": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}",
        "taken": [],
        "answer": said(outcome),
        "evidence": {"rule": "linear", "witness": witness(outcome)},
    }


def said(outcome: Outcome) -> Json:
    """What an outcome says."""
    if isinstance(outcome, Optimal):
        return {"verdict": "optimal", "value": outcome.value}
    return {"verdict": "infeasible" if isinstance(outcome, Infeasible) else "unbounded"}


def witness(outcome: Outcome) -> Json:
    """What proves an outcome."""
    if isinstance(outcome, Optimal):
        parts = {"point": outcome.point, "multipliers": outcome.multipliers}
    elif isinstance(outcome, Unbounded):
        parts = {"point": outcome.point, "ray": outcome.ray}
    else:
        parts = {"multipliers": outcome.multipliers}
    return {name: _vector(part) for name, part in parts.items()}


def section(program: Program) -> Json:
    """The program; every number is a place in the list of values."""
    m, n = program.matrix.shape
    distinct, codes = np.unique(program.matrix.values, return_inverse=True)
    places = {Fraction(value): at for at, value in enumerate(distinct.tolist())}

    def code(value: Fraction | int | None) -> int | None:
        """The place of a `value` in the list of values."""
        return None if value is None else places.setdefault(Fraction(value), len(places))

    starts, columns = program.matrix.indptr.tolist(), program.matrix.indices.tolist()
    entries = codes.tolist()
    spans = [slice(*ends) for ends in pairwise(starts)]
    bounds = [program.bounds(column) for column in range(n)]
    parts = {
        "columns": list(program.column_names or (f"x{column + 1}" for column in range(n))),
        "rows": list(program.row_names or (f"r{row + 1}" for row in range(m))),
        "matrix": [[columns[span], entries[span]] for span in spans],
        "senses": [SENSES[sign] for sign in program.senses.tolist()],
        "right": [code(value) for value in program.right],
        "objective": [code(Fraction(c, program.objective_scale)) for c in program.objective],
        "lower": [code(low) for low, _ in bounds],
        "upper": [code(high) for _, high in bounds],
    }
    return {**parts, "values": list(places)}


def _vector(vector: Vector) -> list[list[int | Fraction]]:
    """Places and values of the entries."""
    return [[at, Fraction(value, vector.denominator)] for at, value in vector.numerators.items()]
