"""Whole questions: what each definition takes, and every way to ask another one under its name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import product
from operator import ne
from typing import Any

import pytest

from tests.checker.drafts import digest_of
from tests.definitions.drawn import decide
from tests.definitions.told import told as told_definitions
from tests.loops import each
from verifier import checker
from verifier.checker.question import DEFINITIONS, Asked, _of_one_record, _where, claimed
from verifier.checker.reading import Model
from verifier.questions.answer import write

Json = dict[str, Any]

BITS = {"records": "2", "domain": ["0", "1"]}
RESPONSE = {"randomized_response": {"truth": "3/4"}}
HALF = {"list": ["uniform"]}
NAMED: Json = {
    "secrets": {"s": "r1 == 0", "t": "r1 == 1"},
    "pairs": [["s", "t"]],
    "mechanism": RESPONSE,
}
TABLES = {
    "clear": {"table": {"outputs": ["x", "y"], "a": ["1", "0"], "b": ["0", "1"]}},
    "noisy": {"table": {"outputs": ["x", "y"], "a": ["3/4", "1/4"], "b": ["1/4", "3/4"]}},
}
LEVEL = {"exp_epsilon": "4"}
MATRIX = ["matrix", "worlds"]
DP = {"differential_privacy": {"exp_epsilon": "2"}}

# name -> the definition, its options, other parts of the file, and what is taken, by hand
CASES: dict[str, tuple[str, Json, Json, list[str]]] = {
    "replace": ("differential_privacy", LEVEL, {"mechanism": RESPONSE}, MATRIX),
    "group": (
        "differential_privacy",
        {**LEVEL, "neighbours": "entry", "group": "2"},
        {"mechanism": RESPONSE},
        MATRIX,
    ),
    "add or remove": (
        "differential_privacy",
        {**LEVEL, "neighbours": "add_remove"},
        {
            "worlds": {"records": "2", "domain": ["0", "1"], "absent": "true"},
            "mechanism": {"deterministic": "r1.present"},
        },
        MATRIX,
    ),
    "all": (
        "differential_privacy",
        {**LEVEL, "neighbours": "all"},
        {"mechanism": RESPONSE},
        MATRIX,
    ),
    "hamming": (
        "differential_privacy",
        {**LEVEL, "neighbours": {"hamming": "2"}},
        {"mechanism": RESPONSE},
        MATRIX,
    ),
    "named pairs": (
        "differential_privacy",
        {"exp_epsilon": "9", "neighbours": {"pairs": [["00", "11"], ["01", "00"]]}},
        {"mechanism": RESPONSE},
        MATRIX,
    ),
    "one way": (
        "bounded_range",
        {"exp_epsilon": "9", "neighbours": {"pairs": [["00", "01"]], "directed": "true"}},
        {"mechanism": RESPONSE},
        MATRIX,
    ),
    "two worlds": (
        "differential_privacy",
        {"exp_epsilon": "9", "neighbours": {"where": "w.r1 < v.r1"}},
        {"mechanism": RESPONSE},
        ["matrix", "neighbours", "worlds"],
    ),
    "two worlds, one way": (
        "renyi",
        {
            "exp_epsilon": "9",
            "order": "2",
            "neighbours": {"where": "w.r1 < v.r1", "directed": "true"},
        },
        {"mechanism": RESPONSE},
        ["matrix", "neighbours", "worlds"],
    ),
    "induced": (
        "induced_neighbours",
        LEVEL,
        {"mechanism": RESPONSE},
        ["matrix", "neighbours", "worlds"],
    ),
    "policy": ("blowfish", LEVEL, {"mechanism": RESPONSE}, ["matrix", "neighbours", "worlds"]),
    "label": (
        "label_privacy",
        {**LEVEL, "label": "B"},
        {
            "worlds": {"records": "2", "domain": {"A": ["0", "1"], "B": ["0", "1"]}},
            "mechanism": {"deterministic": "(r1.A, r2.A)"},
        },
        ["label", "matrix", "worlds"],
    ),
    "range": ("bounded_range", LEVEL, {"mechanism": RESPONSE}, MATRIX),
    "order": (
        "renyi",
        {**LEVEL, "order": "3", "neighbours": "entry", "group": "2"},
        {"mechanism": RESPONSE},
        MATRIX,
    ),
    "all orders": (
        "zcdp",
        {"rho": "1", "neighbours": "induced"},
        {"mechanism": RESPONSE},
        ["matrix", "neighbours", "worlds"],
    ),
    "metric": (
        "metric_privacy",
        {"exp_epsilon": "3", "distance": "hamming"},
        {"mechanism": RESPONSE},
        ["distances", "matrix", "worlds"],
    ),
    "all priors": (
        "pufferfish",
        LEVEL,
        {**NAMED, "priors": "all"},
        ["matrix", "secrets", "worlds"],
    ),
    "values": (
        "pufferfish",
        {**LEVEL, "pairs": "values"},
        {"mechanism": RESPONSE, "priors": HALF},
        ["matrix", "priors", "worlds"],
    ),
    "presence": (
        "pufferfish",
        {**LEVEL, "pairs": "presence"},
        {
            "worlds": {"records": "1", "domain": ["0", "1"], "absent": "true"},
            "mechanism": {"deterministic": "r1.present"},
            "priors": "all",
        },
        MATRIX,
    ),
    "entries": (
        "pufferfish",
        {**LEVEL, "pairs": "entries"},
        {
            "worlds": {"records": "1", "domain": {"A": ["0", "1"], "B": ["0", "1"]}},
            "mechanism": {"deterministic": "r1.A"},
            "priors": HALF,
        },
        ["matrix", "priors", "worlds"],
    ),
    "hull": (
        "pufferfish",
        LEVEL,
        {**NAMED, "priors": {"hull": ["uniform"]}},
        ["matrix", "priors", "secrets", "worlds"],
    ),
    "iid": ("noiseless", LEVEL, {"mechanism": RESPONSE, "priors": "iid"}, MATRIX),
    "dependent": (
        "dependent_privacy",
        LEVEL,
        {"mechanism": RESPONSE, "priors": HALF},
        ["matrix", "priors", "worlds"],
    ),
    "bayesian": (
        "bayesian_privacy",
        LEVEL,
        {"mechanism": RESPONSE, "priors": HALF},
        ["matrix", "priors", "secrets", "worlds"],
    ),
    "hedging": (
        "hedging_privacy",
        {**LEVEL, "weight": "1/2", "pairs": "values", "known": {"0": "1/2", "1": "1/2"}},
        {"mechanism": RESPONSE},
        ["matrix", "priors", "secrets", "worlds"],
    ),
    "single prior": (
        "single_prior_privacy",
        {**LEVEL, "pairs": "values", "known": {"0": "1/2", "1": "1/2"}},
        {"mechanism": RESPONSE},
        ["matrix", "priors", "secrets", "worlds"],
    ),
    "composition": (
        "composition",
        LEVEL,
        {**NAMED, "priors": HALF},
        ["matrix", "priors", "secrets", "worlds"],
    ),
    "composition of all": (
        "composition",
        LEVEL,
        {**NAMED, "priors": "all"},
        ["matrix", "secrets", "worlds"],
    ),
    "composable": (
        "universally_composable",
        {"pairs": "values"},
        {"priors": HALF},
        ["priors", "worlds"],
    ),
    "influence": (
        "influence",
        {**LEVEL, "entries": "1", "pairs": "values"},
        {"priors": HALF},
        ["priors", "worlds"],
    ),
    "sensitivity": (
        "sensitivity",
        {"query": "r1 + r2", "equals": "1"},
        {},
        ["neighbours", "query", "worlds"],
    ),
    "parallel": (
        "parallel_composition",
        {"groups": [{"records": ["r1"], "epsilon": "1"}], "at_most": "1"},
        {},
        ["neighbours", "query", "worlds"],
    ),
    "optimal": (
        "optimal",
        {"under": DP, "outputs": ["0", "1"], "loss": "0 if output == r1 else 1", "equals": "1/3"},
        {"worlds": {"records": "1", "domain": ["0", "1"]}},
        ["loss", "worlds"],
    ),
    "optimal of what is made": (
        "optimal",
        {
            "under": {"post_processing": {"of": ["clear", "noisy"]}},
            "outputs": ["a", "b"],
            "loss": "0 if output == world else 1",
            "prior": "uniform",
        },
        {"worlds": ["a", "b"], "mechanisms": TABLES},
        ["loss", "matrix", "priors", "worlds"],
    ),
    "error": (
        "error",
        {"loss": "0 if output == r1 else 1", "at_most": "3/4"},
        {"worlds": {"records": "1", "domain": ["0", "1"]}, "mechanism": RESPONSE},
        ["loss", "matrix", "worlds"],
    ),
    "error of a prior": (
        "error",
        {"loss": "0 if output == r1 else 1", "prior": "uniform"},
        {"worlds": {"records": "1", "domain": ["0", "1"]}, "mechanism": RESPONSE},
        ["loss", "matrix", "priors", "worlds"],
    ),
    "maximal leakage": (
        "maximal_leakage",
        LEVEL,
        {"worlds": {"records": "1", "domain": ["0", "1"]}, "mechanism": RESPONSE},
        MATRIX,
    ),
    "guesses of worlds": (
        "g_leakage",
        {**LEVEL, "priors": HALF},
        {"mechanism": RESPONSE},
        [*MATRIX[:1], "priors", "worlds"],
    ),
    "guesses": (
        "g_leakage",
        {**LEVEL, "priors": HALF, "guesses": ["0"], "gain": "r1"},
        {"mechanism": RESPONSE},
        ["gain", "matrix", "priors", "worlds"],
    ),
    "implies": (
        "implies",
        {"if": DP, "then": {"differential_privacy": {"exp_epsilon": "4", "group": "2"}}},
        {"worlds": {"records": "2", "domain": ["0", "1"], "where": ["r1 >= r2"]}},
        ["worlds"],
    ),
    "implies a closure": (
        "implies",
        {
            "if": {"row_cone": {"of": "noisy"}},
            "then": {"differential_privacy": {"exp_epsilon": "4", "neighbours": "all"}},
        },
        {"worlds": ["a", "b"], "mechanisms": TABLES},
        MATRIX,
    ),
    "post-processing": (
        "post_processing",
        {"of": "clear"},
        {"worlds": ["a", "b"], "mechanisms": TABLES},
        MATRIX,
    ),
    "row cone": (
        "row_cone",
        {"of": "noisy"},
        {"worlds": ["a", "b"], "mechanisms": TABLES},
        MATRIX,
    ),
    "coupled": (
        "coupled_worlds",
        {**LEVEL, "alt": ["r2"], "priv": ["r1"], "priors": HALF},
        {"mechanism": RESPONSE},
        ["matrix", "priors", "views", "worlds"],
    ),
    "distributional": (
        "distributional_privacy",
        {**LEVEL, "priors": HALF},
        {"mechanism": RESPONSE},
        ["matrix", "priors", "worlds"],
    ),
    "not indexed": (
        "distributional_privacy",
        {**LEVEL, "priors": HALF, "indexed": "false"},
        {
            "worlds": {"records": "2", "domain": ["0", "1"], "absent": "true"},
            "mechanism": {"deterministic": "r1.present"},
        },
        ["matrix", "priors", "worlds"],
    ),
    "canonical": (
        "distributional_privacy",
        {**LEVEL, "priors": HALF, "simulator": "canonical"},
        {
            "worlds": {"records": "1", "domain": ["0", "1"], "absent": "true"},
            "mechanism": {
                "table": {
                    "outputs": ["x", "y"],
                    "0": ["1/2", "1/2"],
                    "1": ["1/4", "3/4"],
                    "⊥": ["1/2", "1/2"],
                }
            },
        },
        ["matrix", "priors", "simulator", "worlds"],
    ),
    "inference": (
        "distributional_privacy",
        {**LEVEL, "priors": HALF, "form": "inference"},
        {"worlds": {"records": "1", "domain": ["0", "1"]}, "mechanism": RESPONSE},
        ["matrix", "priors", "worlds"],
    ),
}
for word, one in told_definitions().items():
    CASES |= {name: (word, *rest) for name, rest in one.taken.items()}
NOISY = {"mechanism": "noisy"}
CHOSEN = {"post-processing": NOISY, "row cone": {"mechanism": "clear"}}


@cache
def _made(name: str) -> str:
    definition, options, parts, _ = CASES[name]
    check = {definition: options, **CHOSEN.get(name, {})}
    found = decide({"worlds": BITS, **parts, "checks": [check]}).certificate
    assert found is not None
    return write(found)


def made(name: str) -> Json:
    """The certificate of a case."""
    found: Json = json.loads(_made(name))
    return found


def sealed(certificate: Json) -> Json:
    """With the digest and the taken parts that a liar would write."""
    question = certificate["question"]
    return {**certificate, "digest": digest_of(question), "taken": checker.taken(question)}


def told(certificate: Json) -> bool:
    """Whether a lie about the question is accepted, under a digest that fits."""
    return checker.check(sealed(certificate)).outcome == "accepted"


def test_every_definition_has_a_case() -> None:
    named = {definition for definition, *_ in CASES.values()}
    assert named | {"linear_program"} == set(DEFINITIONS)


@pytest.mark.parametrize("name", CASES)
def test_what_is_taken(name: str) -> None:
    certificate = made(name)
    verdict = checker.check(certificate)
    assert verdict.outcome == "accepted", verdict
    assert list(verdict.taken) == certificate["taken"] == CASES[name][3]
    assert certificate["question"]["definition"] in verdict.claim
    assert certificate["answer"]["verdict"] in verdict.claim


@pytest.mark.parametrize("name", CASES)
def test_taken_is_exactly_what_is_taken(name: str) -> None:
    certificate = made(name)
    whole = certificate["taken"]
    wrong: list[Any] = [whole[1:], [*whole, "digest"], [*whole, whole[0]], None, {}]
    wrong += [whole[::-1]] if len(whole) > 1 else []
    for taken in wrong:
        if taken != whole:
            assert checker.check({**certificate, "taken": taken}).outcome == "rejected"
    assert checker.check({**certificate, "digest": "sha256:" + "0" * 64}).outcome == "rejected"


PUFFERFISH = "comparison boxes"
COMPARED = "comparison boxes local"
BELIEVED = f"{PUFFERFISH} local network"
# as the table of docs/certificate.md: what it may ask, and the keys of its options
ASKED = {
    "bayesian_privacy": (PUFFERFISH, "known"),
    "blowfish": (COMPARED, "graph"),
    "bounded_range": ("divergence", "neighbours group"),
    "renyi": ("divergence", "neighbours group order"),
    "zcdp": ("divergence", "neighbours group"),
    "composition": ("comparison boxes composition", "pairs"),
    "coupled_worlds": ("simulator inference", "form indexed auxiliary alt priv"),
    "dependent_privacy": (BELIEVED, ""),
    "differential_privacy": (COMPARED, "neighbours group"),
    "distributional_privacy": ("simulator inference", "form indexed auxiliary simulator"),
    "hedging_privacy": ("comparison", "weight pairs"),
    "implies": ("implies", "if then"),
    "induced_neighbours": (COMPARED, ""),
    "influence": ("influence quilts", "entries pairs"),
    "label_privacy": (COMPARED, "label"),
    "linear_program": ("program", ""),
    "error": ("error", "loss"),
    "g_leakage": ("divergence", "gain"),
    "maximal_leakage": ("divergence", ""),
    "metric_privacy": (COMPARED, "distance"),
    "noiseless": (BELIEVED, "pairs"),
    "optimal": ("optimal", "under loss"),
    "parallel_composition": ("sensitivity", "graph groups"),
    "post_processing": ("post_processing", ""),
    "pufferfish": (BELIEVED, "pairs"),
    "row_cone": ("row_cone", ""),
    "sensitivity": ("sensitivity", "graph query"),
    "single_prior_privacy": ("comparison", "pairs"),
    "universally_composable": ("composable", "pairs"),
    **{word: (COMPARED, " ".join(one.options)) for word, one in told_definitions().items()},
}


@pytest.mark.parametrize("name", sorted({*ASKED, *DEFINITIONS}))
def test_what_a_definition_asks_with_which_options(name: str) -> None:
    abouts, keys = ASKED[name]

    def refusal(about: str, keys: list[str]) -> str:
        networks = ("local", "network", "quilts")
        rules = dict.fromkeys(("boxes", "comparison", "sensitivity"), "all")
        rules |= {"divergence": "zcdp", **dict.fromkeys(networks, "network")}
        relation = {"rule": rules.get(about, about), "of": None}
        relation["priors"] = {} if about != "network" else {"class": "trees"}
        parts = {"boxes": "lower", "sensitivity": "functions"}
        parts |= {"local": "channels", "network": "channels"}
        model = {"worlds": ["a", "b"], parts.get(about, "given"): []}
        question = {"definition": name, "options": dict.fromkeys(keys), "relation": relation}
        with pytest.raises(Exception) as raised:  # the relation has other keys
            checker.read_taken({**question, "model": model})
        return str(raised.value)

    for about in {about for proved in checker.RULES.values() for about in proved}:
        known = "asks for" not in refusal(about, keys.split())
        assert known == (about in abouts.split()), about
    for wrong in ([*keys.split(), "more"], keys.split()[1:] if keys else ["pairs"]):
        assert "an object needs" in refusal(abouts.split()[0], wrong)


PLACES = ((), ("question",), ("question", "options"), ("answer",), ("evidence",))


def at(certificate: Json, path: tuple[Any, ...]) -> Any:
    for key in path:
        certificate = certificate[key]
    return certificate


@pytest.mark.parametrize("name", CASES)
def test_every_key_of_the_envelope_is_needed_and_none_added(name: str) -> None:
    certificate = made(name)
    certificate["question"]["source"] = dict(SOURCE)
    assert told(certificate)
    for path in (*PLACES, ("question", "source"), ("question", "level")):
        if path[-1:] == ("level",) and "level" not in certificate["question"]:
            continue
        for key in [*at(certificate, path), "extra"]:
            copy = deepcopy(certificate)
            inner = at(copy, path)
            if key in inner:
                del inner[key]
            else:
                inner[key] = None
            good = copy if path == () or "question" not in copy else sealed(copy)
            assert checker.check(good).outcome != "accepted", (path, key)


SOURCE = {"spec": "sha256:" + "a" * 64, "files": {"m.csv": "sha256:" + "b" * 64}, "check": 0}
SOURCE |= {"name": None}


@pytest.mark.parametrize(
    "source",
    [
        {},
        [],
        0,
        "sha256:" + "a" * 64,
        {**SOURCE, "spec": "sha256:"},
        {**SOURCE, "spec": "sha256:" + "A" * 64},
        {**SOURCE, "spec": "sha256:" + "a" * 64 + "\n"},
        {**SOURCE, "spec": None},
        {**SOURCE, "files": []},
        {**SOURCE, "files": {"m.csv": "b"}},
        {**SOURCE, "check": -1},
        {**SOURCE, "check": True},
        {**SOURCE, "check": 10**9},
        {**SOURCE, "check": "0"},
        {**SOURCE, "name": 0},
        {**SOURCE, "name": ["n"]},
        {**SOURCE, "more": 0},
    ],
)
def test_sources_that_are_refused(source: Any) -> None:
    certificate = made("replace")
    certificate["question"]["source"] = source
    assert checker.check(sealed(certificate)).outcome == "refused"


@pytest.mark.parametrize("name", CASES)
def test_other_definitions(name: str) -> None:
    """No word but its own, and one that asks the same of the same kind with the same options."""
    certificate = made(name)
    own = certificate["question"]["definition"]
    for word in (*DEFINITIONS, "privacy", "", {}, [own], 1, True, [], {own: 1}):
        if word == own:
            continue
        certificate["question"]["definition"] = word
        if told(certificate):
            assert (own, word) in SAME, (name, word)


SAME = {
    ("pufferfish", "noiseless"),
    ("noiseless", "pufferfish"),
    ("pufferfish", "composition"),  # with all priors
    ("composition", "pufferfish"),
    ("composition", "noiseless"),
    ("single_prior_privacy", "noiseless"),  # of class hedging, taken secrets
    ("single_prior_privacy", "pufferfish"),
}


@each("name", CASES)
@each("rule", [*sorted(checker.RULES), "gossip", None, [], {}, 1])
def test_other_rules(name: str, rule: Any) -> None:
    """Evidence that names another rule proves nothing."""
    certificate = made(name)
    if certificate["evidence"]["rule"] != rule:
        certificate["evidence"]["rule"] = rule
        assert not told(certificate)


@pytest.mark.parametrize("name", CASES)
def test_no_definition_is_said(name: str) -> None:
    """The same claim about the relation itself is told so, and takes the relation."""
    certificate = made(name)
    certificate["question"] |= {"definition": None, "options": {}}
    verdict = checker.check(sealed(certificate))
    assert verdict.outcome == "accepted", verdict
    assert "no definition" in verdict.claim
    alone = certificate["question"]["relation"]["rule"] in ("post_processing", "row_cone")
    assert ("relation" in verdict.taken) == (not alone)
    certificate["question"]["options"] = {"group": 1}
    assert not told(certificate)


DERIVED = {  # a case -> changes of its options, each of which asks for another relation, or nothing
    "replace": [
        {"neighbours": word}
        for word in ("entry", "add_remove", "all", "induced", "some", "", None, True, 1, [], {})
    ]
    + [{"neighbours": {key: "2"}} for key in ("hamming", "l1", "linf", "l2")]
    + [{"neighbours": {"hamming": "1", "l1": "1"}}, {"neighbours": {"hamming": True}}]
    + [{"group": other} for other in (2, 0, -1, True, 1.0, "1", None, [1])],
    "group": [{"group": 1}, {"group": 3}, {"neighbours": "replace"}],
    "add or remove": [{"neighbours": "replace"}, {"neighbours": "entry"}, {"neighbours": "all"}],
    "all": [{"neighbours": "replace"}, {"neighbours": "induced"}, {"group": 2}, {"group": True}],
    "hamming": [{"neighbours": {"hamming": n}} for n in ("1", "3", "0", 2, "2.0", " 2", "2_0")]
    + [{"neighbours": {"l1": "2"}}, {"neighbours": "induced"}, {"group": 2}],
    "range": [{"neighbours": "entry"}, {"neighbours": "all"}, {"group": 2}, {"group": "1"}],
    "order": [{"order": other} for other in ("2", "6/2", 3, None, True, ["3"])]
    + [{"group": 1}, {"neighbours": "replace"}],
    "all orders": [{"neighbours": other} for other in ("replace", "all", None, {"l3": "1"})]
    + [{"group": 2}],
    "named pairs": [
        {"neighbours": other}
        for other in (
            {"pairs": [["00", "11"]]},
            {"pairs": [["00", "11"], ["01", "00"], ["01", "10"]]},
            {"pairs": [["00", "11"], ["01", "00"]], "directed": "true"},
            {"pairs": [["00", "11"], ["01", "00"]], "directed": "false"},
            {"pairs": [["00", "11"], ["01", "00"]], "directed": True},
            {"pairs": [["00", "11"], ["01", "00"]], "where": "w != v"},
            {"pairs": [["00", "11"], ["01", "02"]]},
            {"pairs": [["00", "11", "01"]]},
            {"pairs": [["00", "11"], ["01", "00"], ["01", "01"]]},
            {"pairs": []},
            {"pairs": None},
            {"listed": [["00", "11"], ["01", "00"]]},
            {"directed": "true"},
            {},
        )
    ]
    + [{"group": 2}],
    "one way": [
        {"neighbours": {"pairs": [["00", "01"]]}},
        {"neighbours": {"pairs": [["01", "00"]], "directed": "true"}},
    ],
    "two worlds": [{"neighbours": {"where": other}} for other in (1, None, ["w"], True)]
    + [{"neighbours": {"where": "w", "directed": flag}} for flag in ("false", True, 1, None)],
    "two worlds, one way": [{"neighbours": {"where": "w.r1 < v.r1"}}],
    "policy": [{"graph": 0.5}, {"graph": {"a": 1.5}}],
    "label": [{"label": other} for other in (1, True, None, ["B"], {"B": "1"})],
    "values": [{"pairs": kind} for kind in ("presence", "x", 1, None, ["values"], {}, True)],
    "presence": [{"pairs": kind} for kind in ("values", "entries")],
    "entries": [{"pairs": kind} for kind in ("values", "presence")],
    "hedging": [{"weight": w} for w in ("1", "0", "1/3", None, "0.5", 1, True)]
    + [{"pairs": "entries"}, {"pairs": None}],
    "influence": [{"entries": n} for n in (0, 2, True, "1", None, 1.0)] + [{"pairs": "presence"}],
    "composable": [{"pairs": "presence"}, {"pairs": "all"}],
    "distributional": [
        {"indexed": False},
        {"indexed": "true"},
        {"indexed": 1},
        {"indexed": None},
        {"form": "inference"},
        {"form": None},
        {"simulator": "canonical"},
        {"simulator": "none"},
        {"simulator": None},
    ],
    "not indexed": [{"indexed": True}, {"indexed": 0}, {"indexed": ""}],
    "canonical": [{"simulator": "any"}, {"simulator": ["canonical"]}],
    "inference": [{"form": "simulation"}],
    "coupled": [{"form": "inference"}, {"indexed": 1}, {"indexed": "false"}],
    "implies": [
        {"if": {"definition": "differential_privacy", "options": {"neighbours": "replace"}}},
        {"if": {"definition": "metric_privacy", "options": {"distance": "hamming"}}},
        {"if": {"definition": "row_cone", "options": {}}},
        {"then": {"definition": "post_processing", "options": {}}},
        {"then": {"definition": "sensitivity", "options": {"graph": "full", "query": "r1"}}},
        {"then": {"definition": "implies", "options": {}}},
        {"then": {"definition": "influence", "options": {"entries": 0, "pairs": "values"}}},
        {"then": None},
        {"if": "differential_privacy"},
        {"if": []},
    ],
    "implies a closure": [
        {"if": {"definition": "row_cone", "options": {"of": "noisy"}}},
        {"if": {"definition": "row_cone", "options": {}, "of": "noisy"}},
        {"if": {"definition": "row_cone"}},
        {"if": {"definition": ["row_cone"], "options": {}}},
        {"then": {"definition": "row_cone", "options": {}}},
    ],
    "optimal": [
        {"under": {"definition": "differential_privacy", "options": {"neighbours": "all"}}},
        {
            "under": {
                "definition": "differential_privacy",
                "options": {"neighbours": "replace", "group": 2},
            }
        },
        {"under": {"definition": "row_cone", "options": {}}},
        {"under": None},
        {"loss": 0.5},
    ],
}
for one in told_definitions().values():
    DERIVED |= one.lies
LIES = [(name, change) for name, changes in DERIVED.items() for change in changes]


@each("name, change", LIES)
def test_other_options(name: str, change: Json) -> None:
    certificate = made(name)
    certificate["question"]["options"] |= change
    assert not told(certificate)


@pytest.mark.parametrize("name", CASES)
def test_no_option_is_a_number_with_a_point_or_an_object_of_another_kind(name: str) -> None:
    certificate = made(name)
    for key in certificate["question"]["options"]:
        for junk in (0.5, float("nan"), b"1", (1,), {1: "1"}, [[0.0]], {"a": {"b": 1.5}}, {1}):
            copy = deepcopy(certificate)
            copy["question"]["options"][key] = junk
            assert checker.check(copy | {"taken": checker.taken(copy["question"])}).outcome != (
                "accepted"
            )


def relations() -> Iterator[tuple[str, Json]]:
    """Other relations under the options of a case."""
    listed = {"rule": "pairs", "distances": {"1": [[1], [0], [3], [2]]}}
    for name in ("replace", "group", "all"):
        for other in (
            {"rule": "replace", "group": 2},
            {"rule": "entry", "group": 1},
            {"rule": "add_remove", "group": 1},
            {"rule": "replace", "group": True},
            {"rule": "entry", "group": 2, "more": 0},
            listed,
        ):
            yield name, other
    yield "replace", {"rule": "all"}
    yield "group", {"rule": "all"}
    for name in ("induced", "policy"):
        for distance in ("2", "2/2", "1/2"):
            yield name, {"rule": "pairs", "distances": {distance: listed["distances"]["1"]}}
        yield name, {"rule": "all"}
        yield name, {"rule": "replace", "group": 2}
    yield "induced", {"rule": "replace", "group": 1}
    yield "metric", {"rule": "replace", "group": 1}
    near = {"rule": "replace", "group": 1}
    for rule, order in (("zcdp", None), ("renyi", "2"), ("bounded_range", "2"), ("range", None)):
        yield "range", {"rule": rule, "order": order, "pairs": near}
    yield "range", near
    yield "range", {"rule": "bounded_range", "order": None, "pairs": {"rule": "all"}}
    yield "order", {"rule": "renyi", "order": "2", "pairs": {"rule": "entry", "group": 2}}
    yield "order", {"rule": "zcdp", "order": None, "pairs": {"rule": "entry", "group": 2}}
    apart = {"rule": "pairs", "distances": {"2": listed["distances"]["1"]}}
    yield "all orders", {"rule": "zcdp", "order": None, "pairs": apart}
    yield "all orders", {"rule": "zcdp", "order": None, "pairs": {"rule": "all"}}
    yield "label", {"rule": "replace", "group": 1}
    yield "label", {"rule": "entry", "group": 1}
    for one in told_definitions().values():
        yield from ((name, other) for name, others in one.relations.items() for other in others)


@pytest.mark.parametrize(("name", "other"), list(relations()), ids=str)
def test_other_relations(name: str, other: Json) -> None:
    certificate = made(name)
    certificate["question"]["relation"] = other
    for leakage in ({"vacuous": True}, *({"exp_epsilon": str(n)} for n in (1, 3, 9))):
        for witness in (None, *({"pair": pair, "output": 0} for pair in ([0, 1], [0, 3]))):
            certificate["answer"] = {"verdict": "holds", "leakage": leakage}
            certificate["evidence"] = {"rule": "inequality", "witness": witness}
            assert not told(certificate)


def labelled(model: Model) -> list[set[tuple[int, int]]]:
    """For each attribute the pairs of worlds that differ there in one record only."""
    counted = "counts" in model.parts
    width = len((model.entries_of_values if counted else model.records[0])[0])
    none = {"rule": "pairs", "distances": {}}
    _, changes = _of_one_record(Asked("label_privacy", {}, none, "comparison", {}, model))
    differ = {(w, v): [*map(ne, x, y)] for (w, v, _), (_, x, y) in changes.items()}
    one = ([i == k for i in range(width)] for k in range(width))
    return [{pair for pair in differ if differ[pair] == alone} for alone in one]


def test_one_label_of_three_changes_and_an_absent_record_has_none() -> None:
    """Worlds 0 and 1 differ in the first attribute, 0 and 2 in the second, 2 and 3 in the third; in
    world 4 the record is absent."""
    rows = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1], [-1, -1, -1]]
    model = {"worlds": list("abcde"), "records": rows, "entries_per_record": 3}
    assert labelled(Model(model)) == [
        {(0, 1), (1, 0)},
        {(0, 2), (2, 0)},
        {(2, 3), (3, 2)},
    ]


@pytest.mark.parametrize("records", [1, 2])
def test_one_world_has_no_labels_to_change(records: int) -> None:
    model = {"worlds": ["a"], "records": [[0, 1] * records], "entries_per_record": 2}
    assert labelled(Model(model)) == [set(), set()]
    one = {"worlds": ["a", "b"], "records": [[0] * records, [1] * records]}
    expected = {(0, 1), (1, 0)} if records == 1 else set()
    assert labelled(Model({**one, "entries_per_record": 1})) == [expected]


def test_labels_that_are_left_out_or_added() -> None:
    """Pairs that differ in one attribute of one record: all of them, and no others."""
    certificate = made("label")
    model, relation = certificate["question"]["model"], certificate["question"]["relation"]
    (rows,) = relation["distances"].values()
    names = model["worlds"]
    at = {name: w for w, name in enumerate(names)}
    label, other = [at["(0/0, 0/0)"], at["(0/1, 0/0)"]], [at["(0/0, 0/0)"], at["(1/0, 0/0)"]]
    both = [at["(0/0, 0/0)"], at["(0/1, 0/1)"]]
    assert label[1] in rows[label[0]]
    wrong = [[sorted({*row, w}) for w, row in enumerate(rows)], [row[1:] for row in rows]]
    for left, right in (other, both):
        wrong.append([sorted([*row, right]) if w == left else row for w, row in enumerate(rows)])
    wrong.append([[v for v in row if (w, v) != (*label,)] for w, row in enumerate(rows)])
    wrong.append([[] for _ in rows])
    for listed in wrong:
        copy = deepcopy(certificate)
        copy["question"]["relation"]["distances"] = {"1": listed}
        said = "is not what the definition asks|compared with itself"
        with pytest.raises(Exception, match=said):
            checker.read_taken(copy["question"])
    for distances in ({}, {"2": rows}, {"1": rows, "2": rows}):
        copy = deepcopy(certificate)
        copy["question"]["relation"]["distances"] = distances
        assert not told(copy)


@pytest.mark.parametrize("name", ["values", "presence", "entries", "iid", "dependent", "influence"])
def test_pairs_that_are_left_out_or_added(name: str) -> None:
    certificate = made(name)
    relation = certificate["question"]["relation"]
    secrets, pairs = relation["secrets"], relation["pairs"]

    def lies() -> Iterator[Json]:
        for k in range(len(pairs)):
            yield {"pairs": pairs[:k] + pairs[k + 1 :]}
        yield {"pairs": []}
        first, *rest = secrets
        yield {"secrets": {**secrets, first: secrets[first][1:]}}
        yield {"secrets": {**secrets, first: []}}
        yield {"secrets": {name: [] for name in secrets}}
        other = {world for name in (first, *rest) for world in secrets[name]} - {*secrets[first]}
        yield {"secrets": {**secrets, first: sorted({*secrets[first], min(other)})}}
        yield {"secrets": {**secrets, "x": [0], "y": [1, 2]}, "pairs": [*pairs, ["x", "y"]]}

    for lie in lies():
        copy = deepcopy(certificate)
        copy["question"]["relation"] |= lie
        with pytest.raises(Exception, match="is not what the definition asks"):
            checker.read_taken(copy["question"])
        assert not told(copy)


def test_pairs_under_other_names_and_in_another_order_are_the_same() -> None:
    certificate = made("values")
    relation = certificate["question"]["relation"]
    names = {name: f"n{k}" for k, name in enumerate(relation["secrets"])}
    relation["secrets"] = {names[n]: [*w[::-1], w[0]] for n, w in relation["secrets"].items()}
    relation["pairs"] = [[names[n] for n in pair[::-1]] for pair in relation["pairs"]]
    assert checker.taken(certificate["question"]) == ["matrix", "priors", "worlds"]


VIEWS = ("distributional", "not indexed", "canonical", "inference")


@pytest.mark.parametrize("name", VIEWS)
def test_other_views(name: str) -> None:
    """A record that is left out, one that is seen, others that are not."""
    certificate = made(name)
    views = certificate["question"]["relation"]["views"]
    size = len(views[0]["alt"])
    none, each = [0] * size, list(range(size))

    def lies() -> Iterator[Any]:
        yield []
        yield {}
        yield views[1:]
        yield [*views, views[0]]
        if len(views) > 1:
            yield views[::-1]
            yield [views[0], views[0]]
            yield [{**view, "alt": none} for view in views]
        for k, view in enumerate(views):
            for change in ({"priv": none}, {"priv": each}, {"alt": each}, {"alt": view["priv"]}):
                if {**view, **change} != view and not (size == 2 and "priv" in change):
                    yield [*views[:k], {**view, **change}, *views[k + 1 :]]

    for lie in lies():
        copy = deepcopy(certificate)
        copy["question"]["relation"]["views"] = lie
        assert checker.taken(copy["question"]) == []
        assert not told(copy)


def test_a_place_for_a_record_tells_which_one_it_is() -> None:
    """Two views of two bits: without a place both see one bit."""
    certificate = made("distributional")
    question = certificate["question"]
    question["options"]["indexed"] = False
    shown = [([0, 1, 0, 1], [0, 0, 1, 1]), ([0, 0, 1, 1], [0, 1, 0, 1])]
    for shift, taken in ((0, ["matrix", "priors", "worlds"]), (2, [])):
        question["relation"]["views"] = [
            {"alt": [a + k * shift for a in alt], "priv": priv}
            for k, (alt, priv) in enumerate(shown)
        ]
        assert checker.taken(question) == taken


def test_bounds_stand_where_they_are_asked_for() -> None:
    """`at_most` is the question of parallel composition, `equals` that of a sensitivity."""
    for name, own, other in (
        ("sensitivity", "equals", "at_most"),
        ("parallel", "at_most", "equals"),
    ):
        certificate = made(name)
        bound = certificate["question"].pop(own)
        certificate["answer"][own] = bound
        assert not told(certificate)
        del certificate["answer"][own]
        certificate["question"][other] = bound
        assert not told(certificate)
    certificate = made("sensitivity")
    certificate["question"]["value"] = certificate["answer"].pop("value")
    assert not told(certificate)


def test_values_of_which_nothing_is_decided_are_told_together() -> None:
    """Of pieces beside each other as one interval, of others each alone."""

    def end(at: str, closed: bool = False) -> Json:
        return {"rational": at, "closed": closed}

    def piece(low: str, high: str, **more: Any) -> Json:
        return {"from": end(low), "to": end(high), **more}

    why = {"undecided": "it takes too long"}
    pieces = [
        piece("0", "1", **why),
        piece("1", "2", **why),
        piece("2", "3"),
        piece("3", "4", **why),
    ]
    domain = {"parameters": ["p"]}
    told = _where({"pieces": pieces, "region": []}, domain)
    assert told == "(undecided for 0 < p < 2 or 3 < p < 4)"
    told = _where({"pieces": pieces[1:3], "region": [piece("2", "3")]}, domain)
    assert told == "(it holds for 2 < p < 3; undecided for 1 < p < 2)"
    told = _where({"pieces": pieces[2:3], "region": []}, domain)
    assert told == "(it holds for no p)"


def test_tradeoffs_are_at_the_levels_asked_for() -> None:
    """Randomised response with truth 3/4 has δ = 3/4 − α/4 up to 3."""
    certificate = made("replace")
    certificate["question"]["tradeoff"] = ["1", "2"]
    certificate["answer"]["tradeoff"] = [["1", "1/2"], ["2", "1/4"]]
    assert told(certificate)
    one, two = certificate["answer"]["tradeoff"]
    for points in (
        [one],
        [two],
        [two, one],
        [one, one],
        [one, two, ["3", "0"]],
        [],
        {},
        None,
        "12",
    ):
        assert not told({**certificate, "answer": {**certificate["answer"], "tradeoff": points}})
    for levels in (["1"], ["2", "1"], [], None, "12", {"1": 0, "2": 0}, ["1", "3"]):
        question = {**certificate["question"], "tradeoff": levels}
        assert not told({**certificate, "question": question})
    del certificate["answer"]["tradeoff"]
    assert not told(certificate)
    certificate["answer"]["tradeoff"] = certificate["question"].pop("tradeoff")
    assert not told(certificate)


def test_other_levels_of_premises() -> None:
    """What `if` and `under` are asked at is part of the question, and of its words."""
    certificate = made("implies")
    assert "if at exp_epsilon: 2" in checker.check(certificate).claim
    certificate["question"]["relation"]["level"]["exp_epsilon"] = "3"
    assert not told(certificate)
    assert "exp_epsilon: 2" in checker.check(made("optimal")).claim
    assert "priors: all" in checker.check(made("all priors")).claim


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"leakage": {"exp_epsilon": "3"}}, "holds; smallest exp_epsilon 3"),
        (
            {"leakage": {"closed": "3^(1/2)", "lower": "1", "upper": "2"}},
            "holds; smallest exp_epsilon 3^(1/2)",
        ),
        (
            {"leakage": {"lower": "1", "upper": "2"}},
            "holds; smallest exp_epsilon from 1 to 2",
        ),
        ({"leakage": {"infinite": True}}, "holds; no level serves"),
        ({"leakage": {"vacuous": True}}, "holds; vacuous, nothing is compared"),
        ({"leakage": None, "value": "0"}, "holds; value 0"),
        ({"value": None}, "holds"),
        ({}, "holds"),
    ],
)
def test_words_of_answers(answer: Json, words: str) -> None:
    question = {"definition": "blowfish", "options": {"graph": "full"}, "relation": {"rule": "all"}}
    question |= {"level": {"exp_epsilon": "2", "delta": "0"}, "source": None}
    said = "blowfish (graph: full) at exp_epsilon 2, delta 0"
    assert claimed(question, {"verdict": "holds", **answer}) == f"{said} {words}"


@pytest.mark.parametrize(
    "values", [[(-1,), (0,), (1,)], [(0, 0), (0, 1), (1, 1), (-1, -1)], [(0, 0), (1, 1), (2, 0)]]
)
def test_labels_of_histograms(values: list[tuple[int, ...]]) -> None:
    """Against lists of two records, one of which has another value of one attribute."""
    lists = list(product(range(len(values)), repeat=2))
    rows = sorted({tuple(one.count(v) for v in range(len(values))) for one in lists})
    width = len(values[0])
    expected: list[set[tuple[int, int]]] = [set() for _ in range(width)]
    for one, other in product(lists, repeat=2):
        pairs = [(values[a], values[b]) for a, b in zip(one, other, strict=True) if a != b]
        if len(pairs) == 1 and -1 not in pairs[0][0] + pairs[0][1]:
            differ = [k for k in range(width) if pairs[0][0][k] != pairs[0][1][k]]
            if len(differ) == 1:
                counts = (tuple(x.count(v) for v in range(len(values))) for x in (one, other))
                w, v = map(rows.index, counts)
                expected[differ[0]].add((w, v))
    model = {"worlds": [str(w) for w in range(len(rows))], "counts": [list(row) for row in rows]}
    assert labelled(Model({**model, "entries_of_values": [*map(list, values)]})) == expected
