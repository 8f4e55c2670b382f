"""Certificates of kind "composition", built from docs/certificate.md alone."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from typing import Any

from tests.checker.conftest import certificate, mechanism_model

Json = dict[str, Any]

# the first is in one secret, the others in the other: against one of these alone the first leaks 4,
# against both of them 2, as 1/4 <= 2 (1/16 * 1/4)^(1/2); and they leak 11/8 against the first
MIDDLE = ["1/4", "1/4", "1/2"]
LEFT = ["1/16", "1/4", "11/16"]
RIGHT = ["1/4", "1/16", "11/16"]
BOTH = {"1": "1/2", "2": "1/2"}
LOWER: Json = {
    "pair": ["s", "t"],
    "world": 0,
    "prior": ["1/3", "1/3", "1/3"],
    "counts": {"0": 1, "1": 1},
    "run": None,
    "repetitions": None,
}


def composition(
    columns: Sequence[Sequence[Any]],
    secrets: Mapping[str, Sequence[int]],
    priors: Json,
    upper: Any,
    lower: Json | None,
    leakage: Any = "2",
    verdict: str = "holds",
    records: list[list[int]] | None = None,
    level: Json | None = None,
) -> Json:
    """The claim about the pair s, t of the secrets."""
    model = mechanism_model({f"w{k}": list(p) for k, p in enumerate(columns)}, records)
    relation = {
        "rule": "secrets",
        "secrets": {name: list(worlds) for name, worlds in secrets.items()},
        "pairs": [["s", "t"]],
        "priors": priors,
    }
    found = certificate(model, relation, leakage, verdict)
    found["claim"]["level"] = {"delta": "0", **(level or {"exp_epsilon": "2"})}
    found["claim"]["kind"] = "composition"
    found["evidence"]["witness"] = {"upper": upper, "lower": lower}
    return deepcopy(found)


def texts(numbers: Sequence[Any]) -> list[str]:
    return [str(Fraction(x)) for x in numbers]
