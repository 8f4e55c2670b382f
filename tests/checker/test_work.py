"""Short certificates that ask for hours of work are refused at once."""

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import check
from tests.checker.test_composition_levels import listed
from tests.checker.test_optimal import made as optimal
from tests.checker.test_polynomials import interior, markov

Json = dict[str, Any]
COIN = ["1/2", "1/2"]


def many_distances() -> Json:
    """A table of all outputs for each distance."""
    model = mechanism_model({"a": COIN, "b": COIN})
    size = 30000
    halves = [0] * (size // 2), [1] * (size // 2)
    columns = [[*halves[0], *halves[1]], [*halves[1], *halves[0]]]
    codes = {"values": [f"1/{2 * size}", f"3/{2 * size}"], "columns": columns}
    model |= {"outputs": [str(o) for o in range(size)], **codes}
    distances = {f"{k}/7": [[1], []] for k in range(1, 6001)}
    return certificate(model, {"rule": "pairs", "distances": distances}, "3", "holds")


def many_pairs() -> Json:
    """One pair of large secrets, very often."""
    worlds = {str(w): COIN for w in range(6000)}
    relation = {
        "rule": "secrets",
        "secrets": {"s": list(range(3000)), "t": list(range(3000, 6000))},
        "pairs": [["s", "t"]] * 30000,
        "priors": {"class": "all"},
    }
    return certificate(mechanism_model(worlds), relation, "1", "holds")


def many_conditionals() -> Json:
    """Every prior given every secret."""
    worlds = {str(w): COIN for w in range(100)}
    model = mechanism_model(worlds)
    size = 1000
    model |= {"outputs": [str(o) for o in range(size)], "values": [f"1/{size}"]}
    model["columns"] = [[0] * size] * 100
    relation = {
        "rule": "secrets",
        "secrets": {f"s{k}": list(range(100)) for k in range(200)},
        "pairs": [],
        "priors": {"class": "list", "priors": [["1/100"] * 100] * 100},
    }
    return certificate(model, relation, {"vacuous": True}, "holds")


def deep_tree() -> Json:
    """Each level of the tree makes coefficients longer by 40,000 binary digits."""
    tree: Any = 0
    for _ in range(300):
        tree = [0, 1, 10**2999, 10**2999, tree, 0]
    return interior(tree)


def deeper_tree() -> Json:
    tree: Any = 0
    for _ in range(10**5):
        tree = {"merge": [0, 1], "tree": tree}
    document = interior()
    document["evidence"]["witness"]["upper"][0]["tree"] = tree
    return document


def long_chain() -> Json:
    document = markov()
    wide = [["0", "1"]] * 31
    values = [[v] for v in range(31)]
    document["relation"]["priors"].update(values=values, initial=wide, transition=[wide] * 31)
    return document


def long_power() -> Json:
    document = optimal()
    document["relation"]["under"] = {"rule": "pairs", "distances": {"10000000": [[1], []]}}
    return document


def long_run() -> Json:
    document = listed()
    document["claim"].update(verdict="violated", level={"exp_epsilon": "19/10", "delta": "0"})
    known = document["evidence"]["witness"]["lower"]
    known.update(run=dict(known["counts"]), repetitions=10**12)
    return document


def _at_distance(distance: str, alpha: str) -> Json:
    relation = {"rule": "pairs", "distances": {distance: [[1], [0]]}}
    return certificate(mechanism_model({"a": ["1/3", "2/3"], "b": COIN}), relation, alpha, "holds")


def irrational_root() -> Json:
    """A level with a power of e, at a distance that raises probabilities to a high power."""
    return _at_distance("1/1000000000000", "e")


def irrational_power() -> Json:
    """The same, where it is the level that is raised."""
    return _at_distance("1000000000000", "e")


@pytest.mark.parametrize(
    "make",
    [
        *(many_distances, many_pairs, many_conditionals, deep_tree, deeper_tree),
        *(long_chain, long_power, long_run, irrational_root, irrational_power),
    ],
)
def test_refused_at_once(make: Callable[[], Json]) -> None:
    document = make()
    started = process_time()
    assert check(document).outcome == "refused"
    assert process_time() - started < 2
