"""Small questions, written by hand, and what of them is taken: nothing where they are refused."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from verifier import checker
from verifier.checker.document import Refused, Rejected
from verifier.checker.question import ASKED, read_question, read_taken

Json = dict[str, Any]
RECORDS = [[0, 0], [0, 1], [1, 0], [1, 1]]
ONE = {"rule": "pairs", "distances": {"1": [[1], [0], [3], [2]]}}
TWO = {"rule": "replace", "group": 2}


def question(definition: str, options: Json, relation: Any, kind: str = "comparison") -> Json:
    model = {"worlds": list("abcd"), "records": RECORDS, "entries_per_record": 1}
    return {
        "definition": definition,
        "options": options,
        "kind": kind,
        "relation": relation,
        "model": {**model, "columns": []},
        "source": None,
    }


def stated(asked: Json) -> Json:
    """The question as it is written: its relation has the rule of a kind that is none of secrets,
    of a simulator, or had none."""
    kind, relation = asked.get("kind"), asked["relation"]
    named = kind in ("composable", "composition", "inference", "implies", "optimal", "error")
    if named or relation is None:
        relation = {**(relation or {}), "rule": kind}
    return {**{key: part for key, part in asked.items() if key != "kind"}, "relation": relation}


def taken(asked: Json) -> list[str]:
    """What of a question is taken."""
    return checker.taken(stated(asked))


def private(neighbours: Any, relation: Any, group: Any = 1) -> Json:
    return question("differential_privacy", {"neighbours": neighbours, "group": group}, relation)


MATRIX = ["matrix", "worlds"]
LISTED = ["matrix", "neighbours", "worlds"]


@pytest.mark.parametrize(
    ("neighbours", "relation", "group", "parts"),
    [
        *((rule, {"rule": rule, "group": 1}, 1, MATRIX) for rule in ("replace", "entry")),
        ("add_remove", {"rule": "add_remove", "group": 3}, 3, MATRIX),
        ("all", {"rule": "all"}, 1, MATRIX),
        ("induced", ONE, 1, LISTED),
        ("induced", {"rule": "pairs", "distances": {}}, 1, LISTED),
        ({"hamming": "2"}, TWO, 1, MATRIX),
        ({"hamming": "2"}, ONE, 1, LISTED),
        ({"l1": "1/2"}, ONE, 1, LISTED),
        ({"linf": "3"}, ONE, 1, LISTED),
        ({"l1": "0"}, ONE, 1, []),
        ({"linf": "-1"}, ONE, 1, []),
        ({"l1": 1}, ONE, 1, []),
        ({"l2": "1"}, ONE, 1, []),
        ({"l1": "2"}, TWO, 1, []),
        ({"hamming": "1"}, TWO, 1, []),
        ({"hamming": "2", "l1": "2"}, TWO, 1, []),
        ({}, ONE, 1, []),
        ([["l1", "1"]], ONE, 1, []),
        ("some", ONE, 1, []),
        ("induced", TWO, 1, []),
        ("induced", {"rule": "pairs", "distances": {"2": []}}, 1, []),
        ("induced", {"rule": "list", "distances": {}}, 1, []),
        ("induced", ONE, 2, []),
        ("all", {"rule": "all"}, 2, []),
        ("all", TWO, 1, []),
        ("replace", TWO, 1, []),
        ("replace", {"rule": "entry", "group": 1}, 1, []),
        ("replace", {**TWO, "more": 0}, 2, []),
        ("replace", {"rule": "replace", "group": 0}, 0, []),
        ("replace", {"rule": "replace", "group": True}, True, []),
        ("all", {"rule": "all"}, True, []),
        ("replace", {"rule": "replace", "group": 1.0}, 1.0, []),
    ],
)
def test_neighbours(neighbours: Any, relation: Any, group: Any, parts: list[str]) -> None:
    assert taken(private(neighbours, relation, group)) == parts


def about(kind: str = "list", pairs: str = "values", **change: Any) -> Json:
    """Values of both bits."""
    names = {"0": [0, 1], "1": [2, 3], "x": [0, 2], "y": [1, 3]}
    relation = {"rule": "secrets", "secrets": names, "pairs": [["0", "1"], ["y", "x"]]}
    relation |= {"priors": {"class": kind}}
    return question("pufferfish", {"pairs": pairs}, relation | change)


def test_secrets_of_values() -> None:
    assert taken(about()) == ["matrix", "priors", "worlds"]
    for free in ("all", "product", "iid", "any"):
        assert taken(about(free)) == MATRIX
    assert taken(about(pairs="given")) == ["matrix", "priors", "secrets", "worlds"]
    assert taken(about(pairs="entries")) == ["matrix", "priors", "worlds"]
    empty = {"0": [0, 1], "1": [2, 3], "x": [0, 2], "y": [1, 3], "z": []}
    asked = about(secrets=empty)
    asked["relation"]["pairs"].append(["0", "z"])  # compares nothing
    assert taken(asked) == ["matrix", "priors", "worlds"]
    drawn = {"0": {"value": "0"}, "1": [2, 3], "x": [0, 2], "y": [1, 3]}
    assert taken(about(secrets=drawn)) == ["matrix", "priors", "secrets", "worlds"]
    for wrong in (
        about(pairs="presence"),
        about(pairs="x"),
        about(rule="pairs"),
        {**about(), "kind": "composition"},
    ):
        assert taken(wrong) == []


def test_an_absent_record_has_no_value() -> None:
    """Of one record, absent or 0 or 1: two values, and each of them against absence."""
    asked = about()
    asked["model"] |= {"worlds": list("abc"), "records": [[-1], [0], [1]]}
    relation = asked["relation"]
    for pairs in ("values", "entries"):
        asked["options"] = {"pairs": pairs}
        relation["secrets"], relation["pairs"] = {"0": [1], "1": [2]}, [["0", "1"]]
        assert taken(asked) == ["matrix", "priors", "worlds"]
        relation["secrets"]["-"] = [0]
        assert taken(asked) == ["matrix", "priors", "worlds"]
        relation["pairs"] = [["0", "1"], ["0", "-"], ["1", "-"]]
        assert taken(asked) == []
        relation["pairs"] = []
        assert taken(asked) == []
    asked["options"] = {"pairs": "presence"}
    relation["pairs"] = [["0", "-"], ["-", "1"]]
    assert taken(asked) == ["matrix", "priors", "worlds"]
    for wrong in ([["0", "1"]], [["0", "-"]], [["0", "-"], ["1", "-"], ["0", "1"]], []):
        relation["pairs"] = wrong
        assert taken(asked) == []


def test_influence_is_of_so_many_entries() -> None:
    asked = about("all", rule="influence", entries=1)
    asked |= {"definition": "influence", "kind": "influence"}
    asked["options"] = {"entries": 1, "pairs": "values"}
    assert taken(asked) == MATRIX
    for relation, entries in (({"rule": "secrets"}, 1), ({"entries": 2}, 1), ({"entries": 0}, 0)):
        wrong = deepcopy(asked)
        wrong["relation"] |= relation
        wrong["options"]["entries"] = entries
        assert taken(wrong) == (MATRIX if relation == {"entries": 0} else [])
    for entries in (True, -1, "1"):
        wrong = deepcopy(asked)
        wrong["relation"]["entries"] = wrong["options"]["entries"] = entries  # type: ignore[assignment]
        assert taken(wrong) == []


HEDGED = {"class": "hedging", "weight": "1/2"}


@pytest.mark.parametrize(
    ("definition", "options", "priors", "rule", "parts"),
    [
        ("hedging_privacy", {"weight": "2/4"}, HEDGED, "secrets", True),
        ("hedging_privacy", {"weight": "1/3"}, HEDGED, "secrets", False),
        ("hedging_privacy", {"weight": "1/2"}, {**HEDGED, "class": "list"}, "secrets", False),
        ("hedging_privacy", {"weight": "1/2"}, HEDGED, "influence", False),
        ("single_prior_privacy", {}, {**HEDGED, "weight": "1"}, "secrets", True),
        ("single_prior_privacy", {}, HEDGED, "secrets", False),
    ],
)
def test_hedging(definition: str, options: Json, priors: Json, rule: str, parts: bool) -> None:
    for pairs, right in (("values", parts), ("presence", parts), ("entries", False)):
        asked = about(rule=rule, priors=priors)
        asked |= {"definition": definition, "kind": "polynomials"}
        asked["options"] = {**options, "pairs": pairs}
        assert taken(asked) == (["matrix", "priors", "secrets", "worlds"] if right else [])


COUPLED = {"indexed": True, "auxiliary": None, "alt": ["r2"], "priv": ["r1"]}


@pytest.mark.parametrize(
    ("kind", "form", "relation", "right"),
    [
        ("simulator", "simulation", {"rule": "simulator", "given": None}, True),
        ("inference", "inference", {"rule": "simulator", "given": None}, True),
        ("simulator", "inference", {"rule": "simulator", "given": None}, False),
        ("inference", "simulation", {"rule": "simulator", "given": None}, False),
        ("simulator", "simulation", {"rule": "exchangeable", "given": None}, False),
        ("simulator", "simulation", {"rule": "simulator", "given": [0]}, False),
    ],
)
def test_coupled_worlds(kind: str, form: str, relation: Json, right: bool) -> None:
    asked = question("coupled_worlds", {**COUPLED, "form": form}, relation, kind)
    assert taken(asked) == (["matrix", "priors", "views", "worlds"] if right else [])
    asked["options"]["indexed"] = 1
    assert taken(asked) == []


def views(*listed: Json, indexed: bool = True, given: Any = None, simulator: str = "any") -> Json:
    options = {"form": "simulation", "indexed": indexed, "auxiliary": None, "simulator": simulator}
    relation = {"rule": "simulator", "given": given, "views": list(listed)}
    return question("distributional_privacy", options, relation, "simulator")


FIRST = {"priv": [0, 0, 1, 1], "alt": [0, 1, 0, 1]}  # the first bit is hidden, the second one seen
SECOND = {"priv": [0, 1, 0, 1], "alt": [2, 2, 3, 3]}
ALIKE = {"priv": [0, 1, 0, 1], "alt": [0, 0, 1, 1]}


def test_views_of_two_bits() -> None:
    seen = ["matrix", "priors", "worlds"]
    assert taken(views(FIRST, SECOND)) == seen
    assert taken(views(FIRST, ALIKE, indexed=False)) == seen
    for wrong in (
        views(FIRST, ALIKE),
        views(FIRST, SECOND, indexed=False),
        views(FIRST),
        views(FIRST, SECOND, SECOND),
        views(SECOND, FIRST),
        views(FIRST, {**SECOND, "priv": [0, 0, 1, 1]}),
        views({**FIRST, "alt": [0, 0, 0, 0]}, SECOND),
        views({**FIRST, "alt": [0, 1, 0]}, {**SECOND, "alt": [2, 2, 3, 3, 1]}),
        views({**FIRST, "priv": [0, 0, 1]}, SECOND),
        views({**FIRST, "priv": [0, 0, 1, True]}, SECOND),
        views({**FIRST, "priv": [0, 0, -1, -1]}, SECOND),
        views(FIRST, SECOND, simulator="canonical"),
        views(FIRST, SECOND, given=[0]),
        views(FIRST, SECOND, simulator="none"),
    ):
        assert taken(wrong) == []
    assert taken(views(FIRST, SECOND, given=[0], simulator="canonical")) == [
        "matrix",
        "priors",
        "simulator",
        "worlds",
    ]
    tuples = views(FIRST, SECOND)
    tuples["relation"]["views"] = (FIRST, SECOND)  # the same as JSON
    assert taken(tuples) == taken(views(FIRST, SECOND))
    none = views()
    none["model"]["records"] = [[], [], [], []]
    assert taken(none) == []


def test_the_place_of_an_absent_record_is_seen() -> None:
    """One bit and a record that may be absent, of two entries each: where a record is missing in
    some world, its place is seen in a view that is not indexed, so nothing falls together."""
    rows = [[0, 0, -1, -1], [1, 0, -1, -1], [0, 0, 1, 0], [1, 0, 1, 0]]
    first = {"priv": [0, 1, 0, 1], "alt": [0, 0, 1, 1]}
    second = {"priv": [0, 0, 1, 1], "alt": [2, 3, 2, 3]}
    for right, asked in (
        (True, views(first, second, indexed=False)),
        (True, views(first, second)),
        (False, views(first, {**second, "alt": [2, 1, 2, 1]}, indexed=False)),
        (False, views(first, {**second, "alt": [2, 3, 2, 2]}, indexed=False)),
    ):
        asked["model"] |= {"records": rows, "entries_per_record": 2}
        assert bool(taken(asked)) == right
    whole = [[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]  # nobody is absent
    for alt, right in (([1, 0, 1, 0], True), ([1, 1, 0, 0], False), ([3, 2, 3, 2], False)):
        asked = views(first, {**second, "alt": alt}, indexed=False)
        asked["model"] |= {"records": whole, "entries_per_record": 2}
        assert bool(taken(asked)) == right


@pytest.mark.parametrize("option", [{1: "a", "1": "b"}, {"a": {(): 1}}, 0.5, {"a": [0.5]}])
def test_options_are_plain(option: Any) -> None:
    """An option is JSON, with each key once and without numbers that have points."""
    policy = question("blowfish", {"graph": {"a": [1, True, None, "b", {"c": -1}]}}, ONE)
    assert taken(policy) == LISTED
    policy["options"] = {"graph": option}
    assert taken(policy) == []


def test_policies() -> None:
    for relation, parts in (
        ({"rule": "replace", "group": 1}, LISTED),
        (ONE, LISTED),
        (TWO, []),
        ({"rule": "all"}, []),
        ({"rule": "pairs", "distances": {"1": [], "2": []}}, []),
    ):
        assert taken(question("blowfish", {"graph": "full"}, relation)) == parts
    metric = question("metric_privacy", {"distance": "hamming"}, ONE)
    assert taken(metric) == ["distances", "matrix", "worlds"]
    assert taken({**metric, "relation": TWO}) == []


class Sub(dict[str, Any]):
    """No object of a document."""


def test_the_keys_of_questions_and_answers() -> None:
    asked, answer = stated(private("all", {"rule": "all"})), {"verdict": "holds"}
    claim = {"verdict": "holds"}
    assert read_question(asked, answer) == claim
    for key in ("level", "equals", "at_most", "facets", "steps"):
        assert read_question({**asked, key: "1"}, answer) == {**claim, key: "1"}
    said = ("leakage", "value", "one_run", "rows", "alone", "certainty", "trajectories")
    said += ("region", "pieces")
    for key in said:
        assert read_question(asked, {**answer, key: "1"}) == {**claim, key: "1"}
    assert "tradeoff" in ASKED and len(ASKED) == 6
    levels, points = ["1", "4/2"], [["1", "1/2"], ["2", "0"]]
    both = read_question({**asked, "tradeoff": levels}, {**answer, "tradeoff": points})
    assert both == {**claim, "tradeoff": points}
    named = {"spec": "sha256:" + "0" * 64, "files": {}, "check": 0, "name": "mine"}
    assert read_question({**asked, "source": named}, answer) == claim
    for wrong, reply in (
        (Sub(asked), answer),
        (asked, Sub(answer)),
        ({**asked, "value": "1"}, answer),
        ({**asked, "rows": []}, answer),
        ({**asked, "kind": "comparison"}, answer),
        (asked, {"verdict": "holds", "level": {}}),
        (asked, {"verdict": "holds", "steps": []}),
        ({key: asked[key] for key in asked if key != "source"}, answer),
        ({**asked, "tradeoff": levels}, answer),
        (asked, {**answer, "tradeoff": points}),
        ({**asked, "tradeoff": tuple(levels)}, {**answer, "tradeoff": points}),
        ({**asked, "tradeoff": levels}, {**answer, "tradeoff": tuple(points)}),
        ({**asked, "tradeoff": ["1"]}, {**answer, "tradeoff": points}),
    ):
        with pytest.raises((Refused, KeyError)):
            read_question(wrong, reply)


def test_a_relation_without_a_definition_is_taken() -> None:
    asked = {**private("all", {"rule": "all"}), "definition": None, "options": {}}
    assert taken(asked) == ["matrix", "relation", "worlds"]
    given = {"worlds": ["a"], "given": []}
    alone = {**asked, "kind": "row_cone", "relation": None, "model": given}
    assert taken(alone) == MATRIX
    assert taken({**asked, "options": {"group": 1}}) == []
    bare = {**asked, "model": {"worlds": ["a"], "given": []}}
    assert taken(bare) == ["matrix", "relation", "worlds"]
    assert taken({**asked, "model": {"worlds": ["a"]}}) == ["relation", "worlds"]
    program = {**asked, "kind": "program", "relation": None, "model": {"program": {}}}
    assert taken(program) == []


def test_what_the_definition_does_not_ask_is_rejected_and_other_words_are_refused() -> None:
    with pytest.raises(Rejected):
        read_taken(stated(private("replace", TWO)))
    with pytest.raises(Refused):
        read_taken(stated(private("some", TWO)))
    with pytest.raises(Refused):
        asked = {**private("all", {"rule": "all"}), "definition": "gossip"}
        read_taken(stated(asked))


@pytest.mark.parametrize(
    ("kind", "priors", "parts"),
    [
        ("comparison", "all", MATRIX),
        ("comparison", "product", MATRIX),
        ("comparison", "list", None),
        ("composition", "list", ["matrix", "priors", "worlds"]),
    ],
)
def test_composition(kind: str, priors: str, parts: list[str] | None) -> None:
    asked = {**about(priors), "definition": "composition", "kind": kind}
    assert taken(asked) == (parts or [])


def test_bayesian_privacy() -> None:
    asked = about("list")
    asked |= {"definition": "bayesian_privacy", "options": {"known": None}}
    assert taken(asked) == ["matrix", "priors", "secrets", "worlds"]
    asked["relation"]["rule"] = "influence"
    assert taken(asked) == []


def inside(definition: str, **options: Any) -> Json:
    return {"definition": definition, "options": options}


ALL = inside("differential_privacy", neighbours="all", group=1)


@pytest.mark.parametrize(
    ("premise", "first", "conclusion", "second", "right"),
    [
        (ALL, {"rule": "all"}, ALL, {"rule": "all"}, True),
        (ALL, {"rule": "given"}, ALL, {"rule": "all"}, False),
        (ALL, {"rule": "all"}, ALL, TWO, False),
        (inside("row_cone"), {"rule": "row_cone"}, ALL, {"rule": "all"}, True),
        (inside("row_cone"), {"rule": "given"}, ALL, {"rule": "all"}, True),
        (inside("post_processing"), {"rule": "given"}, ALL, {"rule": "all"}, True),
        (ALL, {"rule": "all"}, inside("row_cone"), {"rule": "row_cone"}, True),
        (ALL, {"rule": "all"}, inside("row_cone"), {"rule": "given"}, False),
        (ALL, {"rule": "all"}, inside("post_processing"), {"rule": "post_processing"}, True),
        (ALL, {"rule": "all"}, inside("post_processing"), {"rule": "row_cone"}, False),
        (ALL, {"rule": "all"}, inside("row_cone"), {"rule": "post_processing"}, False),
        (inside("row_cone", of="x"), {"rule": "row_cone"}, ALL, {"rule": "all"}, False),
        (inside("post_processing", of="x"), {"rule": "given"}, ALL, {"rule": "all"}, False),
        ({**ALL, "more": 0}, {"rule": "all"}, ALL, {"rule": "all"}, False),
        (inside("sensitivity", graph=0, query=0), {"rule": "all"}, ALL, {"rule": "all"}, False),
        (inside("noiseless", pairs="given"), {"rule": "all"}, ALL, {"rule": "all"}, False),
    ],
)
def test_implications(
    premise: Json, first: Json, conclusion: Json, second: Json, right: bool
) -> None:
    options, relation = {"if": premise, "then": conclusion}, {"if": first, "then": second}
    asked = question("implies", options, relation, "implies")
    assert taken(asked) == (MATRIX if right else [])


def test_optima() -> None:
    relation: Json = {"under": {"rule": "all"}, "prior": None}
    asked = question("optimal", {"under": ALL, "loss": "0"}, relation, "optimal")
    assert taken(asked) == ["loss", *MATRIX]
    relation["prior"] = ["1"]
    assert taken(asked) == ["loss", "matrix", "priors", "worlds"]
    relation["under"] = TWO
    assert taken(asked) == []


@pytest.mark.parametrize("name", ["post_processing", "row_cone", "linear_program"])
def test_what_has_no_relation(name: str) -> None:
    kind = {"linear_program": "program"}.get(name, name)
    asked = question(name, {}, None, kind)
    assert taken(asked) == MATRIX
    del asked["model"]["worlds"]  # as linear programs have none
    assert taken(asked) == ["matrix"]
    assert taken(question(name, {}, {"rule": "all"}, kind)) == []
    assert taken(question(name, {"of": "x"}, None, kind)) == []
    assert taken(question(name, {}, None)) == []


def test_sensitivities() -> None:
    asked = question("sensitivity", {"graph": "full", "query": "r1"}, ONE, "sensitivity")
    asked["model"] = {"worlds": ["a", "b", "c", "d"], "functions": []}
    parts = ["neighbours", "query", "worlds"]
    assert taken({**asked, "equals": None}) == parts
    assert taken(asked) == taken({**asked, "at_most": "1"}) == []
    assert taken({**asked, "equals": None, "relation": TWO}) == []
    bounded = {**asked, "definition": "parallel_composition"}
    bounded["options"] = {"graph": "full", "groups": []}
    assert taken({**bounded, "at_most": "1"}) == parts
    assert taken(bounded) == taken({**bounded, "equals": "1"}) == []


def test_the_presence_of_every_record() -> None:
    """Two records, absent or 0: each one's value against its absence."""
    asked = about(pairs="presence", secrets={"a": [0, 1], "b": [2, 3], "c": [0, 2], "d": [1, 3]})
    asked["model"]["records"] = [[-1, -1], [-1, 0], [0, -1], [0, 0]]
    relation = asked["relation"]
    for pairs, right in (
        ([["a", "b"], ["c", "d"]], True),
        ([["a", "b"]], False),
        ([["c", "d"]], False),
        ([["a", "b"], ["c", "b"]], False),
    ):
        relation["pairs"] = pairs
        assert taken(asked) == (["matrix", "priors", "worlds"] if right else [])
