"""Certificates about histograms of records: good ones, and siblings that are broken by hand."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.checker.drafts import check, digest_of, opened
from tests.definitions.drawn import decide
from verifier import checker

Json = dict[str, Any]


def counted(neighbours: str = "replace", group: int = 1) -> Json:
    """The certificate of a noisy count of three records, each of which may be absent."""
    options = {"neighbours": neighbours, "group": str(group)}
    asked = {"differential_privacy": {"exp_epsilon": "3", **options}}
    noise = {"query": "count(value == 'a')", "exp_epsilon": "3", "low": "0", "high": "3"}
    worlds = {"records": "3", "domain": ["a", "b"], "absent": "true", "exchangeable": "true"}
    spec = {"worlds": worlds, "mechanism": {"geometric": noise}, "checks": [asked]}
    return deepcopy(opened(decide(spec).certificate))


BROKEN: dict[str, Callable[[Json], Any]] = {
    "two worlds swapped": lambda m: m["counts"].__setitem__(
        slice(0, 2), [m["counts"][1], m["counts"][0]]
    ),
    "a count changed": lambda m: m["counts"][0].__setitem__(0, 7),
    "a world twice": lambda m: m["counts"].__setitem__(0, m["counts"][1]),
    "counts of no values": lambda m: m.update(counts=[[] for _ in m["counts"]]),
    "no counts": lambda m: m.pop("counts"),
    "no values": lambda m: m.pop("entries_of_values"),
    "a value less": lambda m: m["entries_of_values"].pop(),
    "a value twice": lambda m: m["entries_of_values"].__setitem__(1, m["entries_of_values"][0]),
    "values without entries": lambda m: m.update(entries_of_values=[[], [], []]),
    "an absent record that has entries": lambda m: m.update(
        entries_of_values=[[0, 0], [1, 0], [-1, 0]]
    ),
    "nothing said of values": lambda m: m.update(entries_of_values=[]),
}


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
@pytest.mark.parametrize("broken", sorted(BROKEN))
def test_models_that_are_none(broken: str, neighbours: str) -> None:
    """Whatever is changed in the counts or the values, nothing of it is accepted."""
    document = counted(neighbours)
    BROKEN[broken](document["model"])
    assert check_again(document).outcome != "accepted"


def check_again(document: Json) -> checker.Verdict:
    """The verdict on a draft whose digest fits."""
    document["claim"]["digest"] = digest_of(document["model"])
    return check(document)


@pytest.mark.parametrize("neighbours", ["replace", "add_remove"])
def test_other_values_are_absent(neighbours: str) -> None:
    """Which value is that of absent records is stated; said of a, other pairs are compared."""
    document = counted(neighbours)
    document["model"]["entries_of_values"] = [[-1], [0], [1]]
    verdict = check_again(document)
    assert (verdict.outcome == "accepted") == (neighbours == "add_remove"), verdict


@pytest.mark.parametrize(("group", "outcome"), [(1, "rejected"), (2, "rejected"), (3, "accepted")])
def test_values_that_are_no_grid(group: int, outcome: str) -> None:
    """One value becomes the other in three changes, with nothing between them."""
    document = counted("entry", group)
    if group == 3:
        document = counted("entry")
        document["claim"]["options"]["group"] = document["relation"]["group"] = 3
    document["model"]["entries_of_values"] = [[0, 0, 0], [1, 1, 1], [-1, -1, -1]]
    assert check_again(document).outcome == outcome


def of_one(priors: Any = "all", pairs: str = "values") -> Json:
    """The certificate about one of two records of three values, the counts of which are released
    with noise."""
    noise = {"query": "count(value == 'a')", "exp_epsilon": "3", "low": "0", "high": "2"}
    worlds = {"records": "2", "domain": ["a", "b"], "absent": "true", "exchangeable": "true"}
    asked = {"pufferfish": {"exp_epsilon": "9", "pairs": pairs}}
    spec = {"worlds": worlds, "mechanism": {"geometric": noise}, "priors": priors}
    return deepcopy(opened(decide({**spec, "checks": [asked]}).certificate))


def drop(document: Json, world: int) -> None:
    """Leave a world out, and number the others again."""
    for key in ("worlds", "records", "counts", "columns"):
        document["model"][key].pop(world)
    for name, inside in document["relation"]["secrets"].items():
        kept = [w - (w > world) for w in inside if w != world]
        document["relation"]["secrets"][name] = kept


OF_ONE: dict[str, Callable[[Json], Any]] = {
    "a world that is missing": lambda d: drop(d, 2),
    "records told apart": lambda d: d["model"]["columns"].__setitem__(1, d["model"]["columns"][0]),
    "another record": lambda d: d["model"]["records"].__setitem__(0, d["model"]["records"][-1]),
    "two records": lambda d: d["model"].update(records=[[*r, 0] for r in d["model"]["records"]]),
    "no records": lambda d: [d["model"].pop(key) for key in ("records", "entries_per_record")],
    "no counts": lambda d: [d["model"].pop(key) for key in ("counts", "entries_of_values")],
    "another value of absent records": lambda d: d["model"]["entries_of_values"].reverse(),
    "a secret that is smaller": lambda d: next(iter(d["relation"]["secrets"].values())).pop(),
    "a pair less": lambda d: d["relation"]["pairs"].clear(),
}


@pytest.mark.parametrize("priors", ["all", "product", "iid"])
@pytest.mark.parametrize("broken", sorted(OF_ONE))
def test_questions_about_one_record_that_are_none(broken: str, priors: str) -> None:
    document = of_one(priors)
    assert check_again(document).outcome == "accepted"
    OF_ONE[broken](document)
    assert check_again(document).outcome != "accepted"


def test_one_record_is_no_database() -> None:
    """Neighbours of the worlds of one record among others are those of no definition."""
    document = of_one()
    claim = {"definition": "differential_privacy", "options": {"neighbours": "all", "group": 1}}
    document["claim"] |= claim
    document["relation"] = {"rule": "all"}
    verdict = check_again(document)
    assert verdict.outcome == "refused" and "one record among others" in verdict.reason
