"""Mechanisms read from the text of a file, as plain dicts."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from verifier.base import document
from verifier.spec import reading
from verifier.world.mechanism import Mechanism

F = Fraction
Rows = dict[str, dict[str, Fraction]]  # world -> output -> positive probability

NAMED = ["u", "v", "w"]
BITS = {"records": 2, "domain": [0, 1]}


def build(
    mechanism: Any, worlds: Any = NAMED, folder: Path = Path("."), python: bool = False, **more: Any
) -> Mechanism:
    """The mechanism of a file."""
    check = {"differential_privacy": {"exp_epsilon": 1, "neighbours": "all"}}
    given = {} if mechanism is None else {"mechanism": mechanism}
    spec = {"worlds": worlds, **given, **more, "checks": [check]}
    node = document.parse(json.dumps(spec), "made.json")
    return reading.read_model_and_checks(node, folder / "made.json", python)[1][0].mechanism()


def rows(mechanism: Mechanism, names: list[str] = NAMED) -> Rows:
    """The distribution of the output in each world, without zeros."""
    return {
        name: {
            output: p
            for k, output in enumerate(mechanism.outputs)
            if (p := mechanism.probability(k, world))
        }
        for world, name in enumerate(names)
    }


def table(columns: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A `table` from world -> output -> probability as text."""
    outputs = list(dict.fromkeys(output for column in columns.values() for output in column))
    return {"table": {"outputs": outputs, **columns}}
