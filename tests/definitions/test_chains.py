"""Records of a Markov chain that answer by themselves: channels decide what all worlds would."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import kind_of
from tests.definitions.drawn import Json, decide
from tests.definitions.judged import judged
from verifier import checker
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage, Level
from verifier.definitions import pufferfish
from verifier.questions.claim import NetworkClaim
from verifier.run.verify import certified
from verifier.world.local import Channel, LocalMechanism, values_of
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import database

PARTS = (0, 1, 1, 2, 5, F(1, 3), F(10**10, 10**10 + 1), F(1, 10**30))


def row(draw: Random, names: list[str]) -> dict[str, str]:
    weights = [F(draw.choice(PARTS)) for _ in names]
    weights[draw.randrange(len(names))] += not any(weights)
    return {name: str(w / sum(weights)) for name, w in zip(names, weights, strict=True)}


def drawn(draw: Random) -> Json:
    values = ["a", "b", "c"][: draw.choice((2, 2, 3))]
    count = draw.randint(2, 4 if len(values) == 2 else 3)
    channels: list[Json] = []
    for _ in range(count):
        outputs = ["x", "y", "z"][: draw.randint(1, 3)]
        table = {value: list(row(draw, outputs).values()) for value in values}
        channels.append({"table": {"outputs": outputs, **table}})
    chains = [
        {
            "markov": {
                "initial": row(draw, values),
                "transition": {value: row(draw, values) for value in values},
            }
        }
        for _ in range(draw.randint(1, 2))
    ]
    return {
        "worlds": {"records": str(count), "domain": values},
        "mechanism": {"local": channels},
        "pairs": "values",
        "priors": {"list": chains},
    }


def asked(spec: Json, **options: Any) -> Json:
    return {**spec, "checks": [{"pufferfish": {"exp_epsilon": "3", **options}}]}


def enumerated(spec: Json) -> Json:
    """The same with a mechanism that is not seen to be local: its outputs are renamed by itself."""
    return {**spec, "mechanism": {"mixture": [{"weight": "1", "mechanism": spec["mechanism"]}]}}


@pytest.mark.parametrize("seed", range(25))
def test_what_all_worlds_say(seed: int) -> None:
    is_decided_by_channels(drawn(Random(seed)))


def is_decided_by_channels(spec: Json, **options: Any) -> None:
    """The answer is true, and no world was enumerated."""
    found = judged(asked(spec, **options))
    assert found.certificate is not None and kind_of(found.certificate) == "network"


def test_given_secrets() -> None:
    """Of two bits that are equal with probability 9/10: 3·7/3, and half of it is not asked."""
    step = {"0": {"0": "9/10", "1": "1/10"}, "1": {"0": "1/10", "1": "9/10"}}
    spec = {
        "worlds": {"records": ["ann", "bob"], "domain": [0, 1]},
        "mechanism": {"local": {"randomized_response": {"truth": "3/4"}}},
        "secrets": {"yes": "bob == 1", "no": "bob == 0"},
        "pairs": [["yes", "no"]],
        "priors": {"list": [{"markov": {"initial": {"0": "1/2", "1": "1/2"}, "transition": step}}]},
    }
    answer = decide(asked(spec))
    assert answer.leakage == Leakage(F(7)) and answer.certificate is not None
    relation = answer.certificate["question"]["relation"]
    (part,) = relation["parts"]
    assert (part["secrets"], part["pairs"]) == ({"0": [0], "1": [1]}, [["0", "1"]])
    assert relation["chosen"] == [-1, 0]
    assert answer.certificate["taken"] == ["matrix", "priors", "secrets", "worlds"]


def test_given_secrets_of_three_values_twice() -> None:
    """The second of two fair records, which answers alone: 1/2 against 1/4, in either order."""
    fair = {"a": "1/3", "b": "1/3", "c": "1/3"}
    spec = {
        "worlds": {"records": "2", "domain": ["a", "b", "c"]},
        "mechanism": {
            "local": {
                "table": {
                    "outputs": ["x", "y"],
                    "a": ["1/8", "7/8"],
                    "b": ["1/4", "3/4"],
                    "c": ["1/2", "1/2"],
                }
            }
        },
        "secrets": {"b": "r2 == 'b'", "c": "r2 == 'c'"},
        "pairs": [["b", "c"], ["c", "b"]],
        "priors": {
            "list": [{"markov": {"initial": fair, "transition": dict.fromkeys("abc", fair)}}]
        },
    }
    answer = decide(asked(spec))
    assert answer.leakage == Leakage(F(2)) and answer.certificate is not None
    assert checker.check(answer.certificate).outcome == "accepted"


def test_nothing_is_compared_where_every_value_is_certain() -> None:
    stay = {"0": {"0": "1"}, "1": {"1": "1"}}
    spec = {
        "worlds": {"records": "3", "domain": [0, 1]},
        "mechanism": {"local": {"randomized_response": {"truth": "3/4"}}},
        "pairs": "values",
        "priors": {"list": [{"markov": {"initial": {"0": "1"}, "transition": stay}}]},
    }
    answer = decide(asked(spec))
    assert answer.leakage is not None and answer.leakage.vacuous


STAY = {"a": {"a": "1"}, "b": {"b": "1"}, "c": {"c": "1"}}
SETS: Json = {
    "worlds": {"records": "40", "domain": ["a", "b", "c"]},
    "mechanism": {"local": {"randomized_response": {"truth": "1/2"}}},
    "secrets": {"s": "r1 == 'a' or r1 == 'b'", "t": "r1 == 'c'"},
    "priors": {"list": [{"markov": {"initial": {"a": "1/2", "c": "1/2"}, "transition": STAY}}]},
}


def test_secrets_that_are_sets_of_values() -> None:
    """The first record is a or c, for ever: forty answers a or b, against forty answers c."""
    answer = decide(asked(SETS, pairs=[["s", "t"]]))
    assert answer.leakage == Leakage(F(2) ** 40)


CHANGES = {"a": {"⊥": ["1/10", "1/3"], "a": ["2/3", "9/10"]}, "⊥": {"a": "1/4", "⊥": "3/4"}}
GONE: Json = {
    "worlds": {"records": "40", "domain": ["a"], "absent": "true"},
    "mechanism": {
        "local": {"table": {"outputs": ["x", "y"], "a": ["3/4", "1/4"], "⊥": ["1/4", "3/4"]}}
    },
    "pairs": "presence",
    "priors": {"markov": {"initial": "stationary", "transition": CHANGES}},
}


def test_intervals_of_records_that_may_be_absent() -> None:
    """The chain that changes least, with 1/10 and 1/4, is the worst one."""
    least = {"a": {"⊥": "1/10", "a": "9/10"}, "⊥": {"a": "1/4", "⊥": "3/4"}}
    worst = {"list": [{"markov": {"initial": "stationary", "transition": least}}]}
    found, expected = decide(asked(GONE)), decide(asked({**GONE, "priors": worst}))
    assert found.leakage == expected.leakage and found.leakage is not None
    few: Json = {**GONE, "worlds": {**GONE["worlds"], "records": "4"}}
    level = decide(asked(few)).leakage
    assert level == decide(asked(enumerated({**few, "priors": worst}))).leakage


OFTEN: Json = {
    "worlds": {"records": "40", "domain": [0, 1]},
    "mechanism": {"local": {"table": {"outputs": ["x", "y"], "0": ["3/4", "1/4"], "1": [0, 1]}}},
    "priors": {
        "markov": {
            "initial": "stationary",
            "transition": {v: {0: ["1/3", "2/3"], 1: ["1/3", "2/3"]} for v in (0, 1)},
        }
    },
}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (asked(SETS, pairs="values", delta="1/10"), "without delta"),
        (asked(OFTEN, pairs="values"), "at most 1 together"),
    ],
)
def test_what_is_not_decided_is_said(spec: Json, reason: str) -> None:
    with pytest.raises(NotDecided, match=reason):
        decide(spec)


@pytest.mark.parametrize("seed", range(12))
def test_the_worst_chain_within_intervals(seed: int) -> None:
    """No chain of a grid exceeds the level, and one attains it."""
    draw = Random(seed)
    spec = drawn_bits(draw)
    cuts = [sorted(F(draw.randint(1, 9), 18) for _ in range(2)) for _ in range(2)]
    rows = {
        str(v): {str(1 - v): list(map(str, ends)), str(v): [str(1 - ends[1]), str(1 - ends[0])]}
        for v, ends in enumerate(cuts)
    }
    if all(low == high for low, high in cuts):
        return
    spec["priors"] = {"markov": {"initial": "stationary", "transition": rows}}
    found = decide(asked(spec))
    assert found.certificate is not None and found.leakage is not None
    assert kind_of(found.certificate) == "network"
    grid = [[low + (high - low) * F(k, 3) for k in range(4)] for low, high in cuts]
    chains = [
        {"0": {"0": str(1 - a), "1": str(a)}, "1": {"0": str(b), "1": str(1 - b)}}
        for a in grid[0]
        for b in grid[1]
    ]
    listed = [{"markov": {"initial": "stationary", "transition": chain}} for chain in chains]
    expected = decide(asked(enumerated({**spec, "priors": {"list": listed}})))
    assert found.leakage.exp_epsilon == (expected.leakage and expected.leakage.exp_epsilon)


def drawn_bits(draw: Random) -> Json:
    while len((spec := drawn(draw))["worlds"]["domain"]) > 2:
        pass
    names = {"a": "0", "b": "1"}
    for channel in spec["mechanism"]["local"]:
        table = channel["table"]
        channel["table"] = {names.get(key, key): value for key, value in table.items()}
    spec["worlds"]["domain"] = [0, 1]
    return spec


def test_from_python() -> None:
    space = database(["ann", "bob", "cat"], [0, 1])
    told = Mechanism.from_rows(["0", "1"], [["3/4", "1/4"], ["1/4", "3/4"]])
    local = LocalMechanism.of(values_of(space), space.records, [Channel.of(told)] * 3)
    step = {0: {0: "2/3", 1: "1/3"}, 1: {0: "1/4", 1: "3/4"}}
    question = pufferfish.question(
        space=space,
        mechanism=local,
        level=Level.of_exp_epsilon(8),
        pairs="values",
        priors={"list": [{"markov": {"initial": "stationary", "transition": step}}]},
    )
    assert isinstance(question.claim, NetworkClaim)
    assert certified(question).leakage == Leakage(F(196, 27))
