"""Records of a tree that answer by themselves: channels decide what all worlds would."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import kind_of
from tests.definitions.drawn import Json, decide
from tests.definitions.test_chains import asked, is_decided_by_channels, row
from verifier import checker
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage, Level
from verifier.definitions import pufferfish
from verifier.questions.claim import NetworkClaim
from verifier.run.verify import certified
from verifier.world.local import Channel, LocalMechanism, values_of
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import database


def tree(draw: Random, values: list[str], count: int) -> Json:
    """Records with parents before or after them, one table for all or one for some."""
    order = [f"r{i + 1}" for i in range(count)]
    draw.shuffle(order)
    parents = {order[i]: order[draw.randrange(i)] for i in range(1, count) if draw.random() < 0.9}
    found: Json = {"parents": parents, "initial": row(draw, values)}
    own = [record for record in parents if draw.random() < 0.4]
    if own:
        found["transitions"] = {
            record: {value: row(draw, values) for value in values} for record in own
        }
    if len(own) < len(parents) or draw.random() < 0.5:
        found["transition"] = {value: row(draw, values) for value in values}
    return {"tree": found}


def drawn(draw: Random) -> Json:
    values = ["a", "b", "c"][: draw.choice((2, 2, 3))]
    count = draw.randint(2, 4 if len(values) == 2 else 3)
    channels: list[Json] = []
    for _ in range(count):
        outputs = ["x", "y", "z"][: draw.randint(1, 3)]
        table = {value: list(row(draw, outputs).values()) for value in values}
        channels.append({"table": {"outputs": outputs, **table}})
    priors = [tree(draw, values, count) for _ in range(draw.randint(1, 2))]
    if draw.random() < 0.3:
        steps = {value: row(draw, values) for value in values}
        priors.append({"markov": {"initial": row(draw, values), "transition": steps}})
    return {
        "worlds": {"records": str(count), "domain": values},
        "mechanism": {"local": channels},
        "pairs": "values",
        "priors": {"list": priors},
    }


@pytest.mark.parametrize("seed", range(25))
def test_what_all_worlds_say(seed: int) -> None:
    is_decided_by_channels(drawn(Random(seed)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["markov", "tree"])
def test_sets_of_values(seed: int, kind: str) -> None:
    """A secret that is a set of values couples what is known from each side."""
    draw = Random(seed)
    while len((spec := drawn(draw))["worlds"]["domain"]) < 3:
        pass
    if kind == "markov":
        steps = {value: row(draw, ["a", "b", "c"]) for value in "abc"}
        steps["a"], steps["b"] = {"a": "1/10", "c": "9/10"}, {"b": "1"}
        spec["priors"] = {"list": [{"markov": {"transition": steps}}]}
    for prior in spec["priors"]["list"]:  # given secrets must be possible
        prior.get("tree", prior.get("markov"))["initial"] = dict.fromkeys("abc", "1/3")
    spec["secrets"] = {"s": "r2 == 'a' or r2 == 'b'", "t": "r2 == 'c'", "u": "r1 != 'a'"}
    spec["secrets"]["v"] = "r1 == 'a'"
    is_decided_by_channels(spec, pairs=[["s", "t"], ["v", "u"]])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("pairs", ["presence", "values"])
def test_records_that_may_be_absent(seed: int, pairs: str) -> None:
    draw = Random(seed)
    values = ["a", "⊥"] if draw.random() < 0.5 else ["a", "b", "⊥"]
    channels = []
    for _ in range(3):
        table = {value: list(row(draw, ["x", "y"]).values()) for value in values}
        channels.append({"table": {"outputs": ["x", "y"], **table}})
    steps = {value: row(draw, values) for value in values}
    prior: Json = {"markov": {"initial": row(draw, values), "transition": steps}}
    if draw.random() < 0.5:
        prior = tree(draw, values, 3)
    spec: Json = {
        "worlds": {"records": "3", "domain": values[:-1], "absent": "true"},
        "mechanism": {"local": channels},
        "priors": {"list": [prior]},
    }
    if pairs == "values" and len(values) == 2:
        return  # a value is compared with no other one
    is_decided_by_channels(spec, pairs=pairs)


def test_a_family() -> None:
    """Ann's two children are like her with probability 9/10: 3·(7/3)² about her, by hand."""
    step = {"0": {"0": "9/10", "1": "1/10"}, "1": {"0": "1/10", "1": "9/10"}}
    family = {"parents": {"bob": "ann", "cat": "ann"}, "initial": "stationary", "transition": step}
    spec = {
        "worlds": {"records": ["ann", "bob", "cat"], "domain": [0, 1]},
        "mechanism": {"local": {"randomized_response": {"truth": "3/4"}}},
        "pairs": "values",
        "priors": {"list": [{"tree": family}]},
    }
    assert decide(asked(spec)).leakage == Leakage(F(49, 3))


FOUR = ["a", "b", "c", "d"]
EVEN = dict.fromkeys(FOUR, "1/4")


def large(parents: int, **options: Any) -> Json:
    """Forty records of four values, of which so many have the first one as their parent."""
    steps = {v: {w: "2/5" if v == w else "1/5" for w in FOUR} for v in FOUR}
    star = {f"r{i + 2}": "r1" for i in range(parents)}
    spec: Json = {
        "worlds": {"records": "40", "domain": FOUR},
        "mechanism": {"local": {"randomized_response": {"truth": "2/5"}}},
        "pairs": "values",
        "priors": {"list": [{"tree": {"parents": star, "initial": EVEN, "transition": steps}}]},
    }
    return asked(spec, **options)


def test_a_tree_of_four_values_is_enclosed() -> None:
    """Bounds are said where vectors are too many; both are proved."""
    answer = decide(large(12, exp_epsilon="100000000"))
    assert answer.leakage is not None and answer.leakage.bounds is not None
    assert answer.reason is not None and "was only found to lie between" in answer.reason
    assert checker.check(answer.certificate).outcome == "accepted"


def test_what_is_not_decided_is_said() -> None:
    with pytest.raises(NotDecided, match="without delta"):
        decide(large(3, delta="1/10"))
    spec = large(3)
    spec["mechanism"] = {"local": {"randomized_response": {"truth": "exp(1)/(3 + exp(1))"}}}
    with pytest.raises(NotDecided, match="rational"):
        decide(spec)


def test_few_worlds_are_enumerated_where_channels_do_not_decide() -> None:
    spec = drawn(Random(2))
    answer = decide(asked(spec, delta="1/10"))
    assert answer.certificate is not None
    assert kind_of(answer.certificate) == "comparison"
    small = large(1)
    small["worlds"]["records"] = "2"
    answer = decide(small)
    assert answer.certificate is not None
    assert kind_of(answer.certificate) == "comparison"


def test_nothing_is_compared_where_every_value_is_certain() -> None:
    stay = {"0": {"0": "1"}}
    family = {"parents": {"r2": "r1"}, "initial": {"0": "1"}, "transition": stay}
    spec = {
        "worlds": {"records": "3", "domain": [0, 1]},
        "mechanism": {"local": {"randomized_response": {"truth": "3/4"}}},
        "pairs": "values",
        "priors": {"list": [{"tree": family}]},
    }
    answer = decide(asked(spec))
    assert answer.leakage is not None and answer.leakage.vacuous
    assert checker.check(answer.certificate).outcome == "accepted"


def test_from_python() -> None:
    space = database(["ann", "bob"], [0, 1])
    told = Mechanism.from_rows(["0", "1"], [["3/4", "1/4"], ["1/4", "3/4"]])
    local = LocalMechanism.of(values_of(space), space.records, [Channel.of(told)] * 2)
    step = {0: {0: "9/10", 1: "1/10"}, 1: {0: "1/10", 1: "9/10"}}
    pair = {"parents": {"bob": "ann"}, "initial": {0: "1/2", 1: "1/2"}, "transition": step}
    question = pufferfish.question(
        space=space,
        mechanism=local,
        level=Level.of_exp_epsilon(8),
        pairs="values",
        priors={"list": [{"tree": pair}]},
    )
    assert isinstance(question.claim, NetworkClaim)
    assert certified(question).leakage == Leakage(F(7))
