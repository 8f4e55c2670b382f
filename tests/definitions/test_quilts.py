"""Hidden records of chains and trees: found without worlds, what the definition says of them."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import kind_of
from tests.definitions.drawn import Json, decide
from tests.definitions.judged import judged
from tests.definitions.test_chains import row
from tests.drawing import wider
from verifier.base.errors import InputError, NotDecided
from verifier.definitions import _quilts

MANY = wider(8, 40)
POSITIVE = ("1", "2", "5", "1/3", "1000000")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds are not enumerated however few they are."""
    monkeypatch.setattr(_quilts, "FEW", 0)


def said(spec: Json, entries: int) -> tuple[F | None, Json]:
    """The smallest level, as the definition says, and the certificate, which enumerates nothing."""
    found = judged({**spec, "checks": [{"influence": {"exp_epsilon": "2", "entries": entries}}]})
    assert found.certificate is not None and found.leakage is not None
    assert kind_of(found.certificate) == "quilts"
    return found.leakage.exp_epsilon, found.certificate


def drawn_chains(draw: Random) -> tuple[Json, list[str], int]:
    values = ["a", "b", "c"][: draw.choice((2, 2, 3))]
    count = draw.randint(2, 5 if len(values) == 2 else 4)
    chains = [
        {
            "markov": {
                "initial": row(draw, values),
                "transition": {value: row(draw, values) for value in values},
            }
        }
        for _ in range(draw.randint(1, 2))
    ]
    spec = {"worlds": {"records": str(count), "domain": values}, "priors": {"list": chains}}
    return spec, values, count


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(MANY))
def test_chains_as_the_definition_says(seed: int) -> None:
    draw = Random(seed)
    spec, values, count = drawn_chains(draw)
    if draw.random() < 0.5 and len(values) == 3:  # sets of values of one record
        record = draw.randrange(count)
        name = f"r{record + 1}"
        spec["secrets"] = {"s": f"{name} == 'a' or {name} == 'c'", "t": f"{name} == 'b'"}
        spec["pairs"] = [["s", "t"]]
    else:
        spec["pairs"] = "values"
    said(spec, draw.randint(0, count))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(MANY))
def test_trees_as_the_definition_says(seed: int) -> None:
    draw = Random(seed)
    names = [f"r{i}" for i in range(draw.randint(3, 6))]
    shuffled = draw.sample(names, len(names))
    parents = {
        name: draw.choice(shuffled[:at])
        for at, name in enumerate(shuffled)
        if at == 1 or (at > 1 and draw.random() < 0.8)
    }

    def line() -> dict[str, str]:
        a, b = (F(draw.choice(POSITIVE)) for _ in range(2))
        return {"0": str(a / (a + b)), "1": str(b / (a + b))}

    node = {"parents": parents, "initial": line(), "transition": {"0": line(), "1": line()}}
    spec = {
        "worlds": {"records": names, "domain": ["0", "1"]},
        "pairs": "entries",
        "priors": {"list": [{"tree": node}]},
    }
    said(spec, draw.randint(0, len(names)))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("ends", [("1/2", "3/4"), ("3/5", "9/10"), ("2/3", "2/3")])
def test_intervals_are_never_worse_than_said_and_as_bad(ends: tuple[str, str]) -> None:
    """All stationary chains on a grid of the intervals, each by the definition."""
    low, high = map(F, ends)
    rows = {
        "0": {"0": list(ends), "1": [str(1 - high), str(1 - low)]},
        "1": {"0": ["1/5", "1/3"], "1": ["2/3", "4/5"]},
    }
    spec = {
        "worlds": {"records": "4", "domain": ["0", "1"]},
        "pairs": "values",
        "priors": {"markov": {"initial": "stationary", "transition": rows}},
    }
    stays = {low + (high - low) * F(k, 2) for k in range(3)}
    changes = [F(1, 5), F(1, 4), F(1, 3)]
    for entries in (1, 2, 3):
        level, document = said(spec, entries)
        assert document["question"]["relation"]["priors"]["class"] == "markov"
        chains = [stationary(1 - stay, change) for stay, change in product(stays, changes)]
        alone = [said({**spec, "priors": {"list": [{"markov": c}]}}, entries)[0] for c in chains]
        assert level == max(filter(None, alone))


def stationary(a: F, b: F) -> Json:
    """The chain that changes from 0 with probability a, from 1 with b."""
    return {
        "initial": {"0": str(b / (a + b)), "1": str(a / (a + b))},
        "transition": {"0": {"0": str(1 - a), "1": str(a)}, "1": {"0": str(b), "1": str(1 - b)}},
    }


AWKWARD = (F(1, 3), F(2, 7), F(1, 2), F(5, 9), F(7, 8), F(10**6 - 1, 10**6), F(1), F(1, 50))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(MANY))
def test_intervals_of_frequent_changes_against_chains_within(seed: int) -> None:
    """The corners of the box of both changes, its middle and others inside, all hidden alike: none
    of them tells more than two of the corners."""
    draw = Random(seed)
    (a, most_a), (b, most_b) = (sorted(draw.sample(AWKWARD, 2)) for _ in range(2))
    rows = {
        "0": {"0": [str(1 - most_a), str(1 - a)], "1": [str(a), str(most_a)]},
        "1": {"0": [str(b), str(most_b)], "1": ["0", "1"]},
    }
    records = draw.randint(2, 4)
    spec = {
        "worlds": {"records": str(records), "domain": ["0", "1"]},
        "pairs": "values",
        "priors": {"markov": {"initial": "stationary", "transition": rows}},
    }
    shares = (F(0), F(1, 2), F(draw.randint(1, 99), 100), F(1))
    inside = [
        stationary(a + x * (most_a - a), b + y * (most_b - b)) for x, y in product(shares, repeat=2)
    ]
    entries = draw.randint(1, records)
    level, document = said(spec, entries)
    assert document["question"]["relation"]["priors"]["class"] == "markov"
    assert (
        level == said({**spec, "priors": {"list": [{"markov": one} for one in inside]}}, entries)[0]
    )


def test_intervals_of_a_hundred_records() -> None:
    """a and b from 1/3 to 2/3: (1 + l²)/(1 - l²) twice for l = 1/3 or -1/3, hiding three."""
    both = {"0": ["1/3", "2/3"], "1": ["1/3", "2/3"]}
    class_ = {"markov": {"initial": "stationary", "transition": {"0": both, "1": both}}}
    assert said(steady(priors=class_), 3)[0] == F(25, 16)
    rows = {"0": {"0": ["1/5", "1/3"], "1": ["2/3", "4/5"]}, "1": both}
    class_ = {"markov": {"initial": "stationary", "transition": {"0": rows["0"], "1": both}}}
    # from 4/5 and 2/3, l = -7/15: 0 speaks for 1 by (2/3)/(1/5)
    assert said(steady(priors=class_), 1)[0] == F(100, 9)


def steady(**more: Any) -> Json:
    """Too many bits for their worlds, in a chain that stays with probability 3/4."""
    rows = {"0": {"0": "3/4", "1": "1/4"}, "1": {"0": "1/4", "1": "3/4"}}
    return {
        "worlds": {"records": "100", "domain": ["0", "1"]},
        "pairs": "values",
        "priors": {"list": [{"markov": {"initial": "stationary", "transition": rows}}]},
        **more,
    }


def ratio(distance: int) -> F:
    """Of records so far apart: (1 + 2^-d)/(1 - 2^-d)."""
    return F(2**distance + 1, 2**distance - 1)


@pytest.mark.parametrize(("hidden", "expected"), [(1, 9), (4, ratio(2) * ratio(3)), (100, 1)])
def test_a_hundred_records(hidden: int, expected: Any) -> None:
    assert said(steady(), hidden)[0] == expected


def test_many_hidden_records_are_close_to_nothing() -> None:
    """50 hidden: at distances 25 and 26. 99 hidden: the record in the middle is seen from one
    end only, at distance 50."""
    assert said(steady(), 50)[0] == ratio(25) * ratio(26)
    assert said(steady(), 99)[0] == ratio(50)


def test_given_secrets_are_taken_and_shown() -> None:
    spec = steady(secrets={"y": "r50 == 1", "n": "r50 == 0"}, pairs=[["y", "n"]])
    found = decide({**spec, "checks": [{"influence": {"exp_epsilon": "8", "entries": 1}}]})
    assert found.certificate is not None
    assert found.certificate["taken"] == ["priors", "secrets", "worlds"]
    assert found.witness.hidden == ["r50"]
    assert found.witness.output == "(r49 = 0, r51 = 0)"
    assert found.witness.before.prior == {"r50 = 0": F(1, 2), "r50 = 1": F(1, 2)}


def test_sets_of_values_are_named() -> None:
    rows = {a: {b: "1/2" if a == b else "1/4" for b in "xyz"} for a in "xyz"}
    spec = steady(
        worlds={"records": "30", "domain": ["x", "y", "z"]},
        secrets={"s": "r9 != 'y'", "t": "r9 == 'y'"},
        pairs=[["s", "t"]],
        priors={"list": [{"markov": {"initial": "stationary", "transition": rows}}]},
    )
    found = decide({**spec, "checks": [{"influence": {"exp_epsilon": "1", "entries": 1}}]})
    assert found.witness.before.pair == ("r9 = y", "r9 in [x, z]")
    # a neighbour has the value y with 1/2, or with 1/4 of x and of z
    assert found.leakage is not None and found.leakage.exp_epsilon == 4


TREE = {
    "parents": {f"r{i}": f"r{i // 2}" for i in range(2, 41)},
    "initial": {"0": "1/2", "1": "1/2"},
    "transition": {"0": {"0": "3/4", "1": "1/4"}, "1": {"0": "1/4", "1": "3/4"}},
}


def uniform(domain: Any, values: list[str]) -> Json:
    """Records of such values that are all alike."""
    line = dict.fromkeys(values, f"1/{len(values)}")
    chain = {"initial": line, "transition": dict.fromkeys(values, line)}
    return {
        "worlds": {"records": "40", "domain": domain},
        "priors": {"list": [{"markov": chain}]},
    }


@pytest.mark.parametrize(
    "changed, reason",
    [
        ({"priors": {"list": [{"tree": TREE}, {"tree": TREE}]}}, "one tree"),
        (
            {"priors": {"list": [{"tree": {**TREE, "initial": {"0": "0", "1": "1"}}}]}},
            "nothing is impossible",
        ),
        ({"worlds": {"records": "40", "domain": ["0", "1"], "absent": "true"}}, "present"),
        (uniform({"x": ["0"], "y": ["0", "1"]}, ["0/0", "0/1"]), "of one value"),
        (uniform(list("abcdefg"), list("abcdefg")), "at most 6 values"),
    ],
)
def test_what_is_not_decided(changed: Json, reason: str) -> None:
    spec = {
        **steady(),
        "worlds": {"records": "40", "domain": ["0", "1"]},
        "priors": {"list": [{"tree": TREE}]},
        **changed,
    }
    with pytest.raises((NotDecided, InputError), match=reason):
        decide({**spec, "checks": [{"influence": {"exp_epsilon": "2", "entries": 1}}]})
