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


HAIR = Fraction(1, 10**30)
THREE = [MIDDLE, LEFT, RIGHT]
SIDES = {"s": [0], "t": [1, 2]}
UPPER = [[[0, [BOTH]]], [[1, [0]], [2, [0]]]]
UNIFORM = {"class": "list", "priors": [["1/3", "1/3", "1/3"]]}
ROWS = [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]


def implied(*pairs: tuple[int, int]) -> Json:
    """The constraints x_i <= x_j."""
    rows = [{"sense": "<=", "coefficients": {"1": [i], "-1": [j]}} for i, j in pairs]
    return {"class": "constraints", "rows": rows}


def lower(**changes: Any) -> Json:
    return LOWER | changes


def listed() -> Json:
    return composition(THREE, SIDES, UNIFORM, UPPER, LOWER)


def hull() -> Json:
    """No given prior has both secrets, their mixtures have all worlds."""
    priors = {"class": "hull", "priors": [["1", "0", "0"], ["0", "1/3", "2/3"]]}
    known = lower(prior=["1/2", "1/6", "1/3"])
    return composition(THREE, SIDES, priors, UPPER, known)


def conditionals() -> Json:
    priors = [{"s": ["1", "0", "0"]}, {"s": ["1", "0", "0"], "t": ["0", "1/3", "2/3"]}]
    known = lower(prior=["1/2", "1/6", "1/3"])
    return composition(THREE, SIDES, {"class": "conditionals", "priors": priors}, UPPER, known)


def iid() -> Json:
    """The world 00 and both 01 and 10, as records have one distribution."""
    return composition(
        THREE, SIDES, {"class": "iid"}, UPPER, LOWER, records=[[0, 0], [0, 1], [1, 0]]
    )


def everything() -> Json:
    """All priors: each other world by itself is possible."""
    known = lower(prior=["1/5", "4/5", "0"], counts={"0": 3})
    upper = [[[0, [1, 2]]], [[1, [0]], [2, [0]]]]
    return composition(
        THREE, SIDES, {"class": "all"}, upper, known, "4", level={"exp_epsilon": "4"}
    )


def independent() -> Json:
    """00 with 01 or with 10; where 11 is possible, 01 and 10 are."""
    known = lower(prior=["1/2", "1/2", "0", "0"], counts={"0": 3})
    upper = [[[0, [1, 2]]], [[1, [0]], [2, [0]], [3, [0]]]]
    return composition(
        [*THREE, ["1/4", "1/4", "1/2"]],
        {"s": [0], "t": [1, 2, 3]},
        {"class": "product"},
        upper,
        known,
        "4",
        records=[[0, 0], [0, 1], [1, 0], [1, 1]],
        level={"exp_epsilon": "4"},
    )


def hedging() -> Json:
    """01 needs f(1) > 0, which leaves 11 of t; and the known distribution leaves 10."""
    priors = {"class": "hedging", "weight": "1/3", "known": [[[0], "1"], [[1], "0"]]}
    mixed = {"2": "1/2", "3": "1/2"}
    upper = [[[0, [2]], [1, [mixed]]], [[2, [0]], [3, [1]]]]
    return composition(
        [LEFT, MIDDLE, LEFT, RIGHT],
        {"s": [0, 1], "t": [2, 3]},
        priors,
        upper,
        lower(world=1, prior=["1/6", "1/3", "1/6", "1/3"]),
        records=[[0, 0], [0, 1], [1, 0], [1, 1]],
    )


def markov() -> Json:
    """After 0 comes 1, so 00 is impossible. Half way up the intervals, 1 is followed by 0 with
    5/8."""
    priors = {
        "class": "markov",
        "values": [[0], [1]],
        "initial": [["1/4", "3/4"], ["1/4", "3/4"]],
        "transition": [[["0", "0"], ["1/2", "1"]], [["1/4", "1"], ["1/4", "1/2"]]],
    }
    upper = [[[0, []], [1, [{"2": "1/2", "3": "1/2"}]]], [[2, [1]], [3, [1]]]]
    return composition(
        [RIGHT, MIDDLE, LEFT, RIGHT],
        {"s": [0, 1], "t": [2, 3]},
        priors,
        upper,
        lower(world=1, prior=["0", "1/2", "5/16", "3/16"]),
        records=[[0, 0], [0, 1], [1, 0], [1, 1]],
    )


def constraints() -> Json:
    """The worlds 1 and 2 are equally likely. Where one is impossible, so is t."""
    upper = [
        [[0, [BOTH], [{"others": ["0", "1"]}, {"others": ["1", "0"]}]]],
        [[w, [0], [{"others": ["0", "0"]}]] for w in (1, 2)],
    ]
    return composition(THREE, SIDES, implied((1, 2), (2, 1)), upper, LOWER)


def dependent() -> Json:
    """Where 0 is possible, so is 1: with 2 alone it is impossible itself. Where 1 is, so is 2."""
    upper = [
        [[0, [BOTH], [{"world": ["1", "0"]}, {"world": ["1", "1"]}]]],
        [[w, [0], [{"others": ["0", "0"]}]] for w in (1, 2)],
    ]
    return composition(THREE, SIDES, implied((0, 1), (1, 2)), upper, LOWER)


CASES = [
    listed,
    hull,
    conditionals,
    iid,
    everything,
    independent,
    hedging,
    markov,
    constraints,
    dependent,
]
