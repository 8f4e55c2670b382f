"""The claim of a certificate in words, as a reader is to see it."""

from __future__ import annotations

from typing import Any

import pytest

from verifier.checker.question import claimed

LEVEL = {"exp_epsilon": "2", "delta": "0"}
DP = {"definition": "differential_privacy", "options": {"neighbours": "all", "group": 1}}
NO_OPTIONS = {"definition": "row_cone", "options": {}}
SOURCE = {"spec": "sha256:" + "0123456789abcdef" * 4, "files": {}, "check": 2, "name": None}


def question(**parts: Any) -> Any:
    bare = {"definition": "pufferfish", "options": {}, "relation": None}
    return {**bare, "source": None, **parts}


@pytest.mark.parametrize(
    ("asked", "answer", "words"),
    [
        (question(), {"verdict": "holds"}, "pufferfish holds"),
        (
            question(definition="blowfish", options={"graph": "Age to City"}),
            {"verdict": "holds"},
            "blowfish (graph: Age to City) holds",
        ),
        (
            question(definition=None, relation={"rule": "all"}, level=LEVEL),
            {"verdict": "violated", "leakage": {"exp_epsilon": "3"}},
            "no definition: the stated relation, of rule all at exp_epsilon 2, delta 0"
            " violated; smallest exp_epsilon 3",
        ),
        (
            question(
                options={"pairs": "values", "graph": None, "indexed": True, "group": 1},
                relation={"rule": "secrets", "priors": {"class": "list", "priors": [["1"]]}},
                level=LEVEL,
            ),
            {"verdict": "holds", "leakage": {"lower": "1", "upper": "3/2"}},
            "pufferfish (pairs: values; indexed: true; group: 1; priors: list)"
            " at exp_epsilon 2, delta 0 holds; smallest exp_epsilon from 1 to 3/2",
        ),
        (
            question(
                options={"indexed": False}, relation={"rule": "secrets", "priors": [[0, 0, "1"]]}
            ),
            {"verdict": "holds", "leakage": {"vacuous": True}},
            "pufferfish (indexed: false) holds; vacuous, nothing is compared",
        ),
        (
            question(definition="implies", options={"if": DP, "then": NO_OPTIONS})
            | {"relation": {"rule": "implies", "level": {"exp_epsilon": "2", "delta": "1/4"}}},
            {"verdict": "violated", "leakage": {"infinite": True}},
            "implies (if: differential_privacy (neighbours: all; group: 1); then: row_cone;"
            " if at exp_epsilon: 2; if at delta: 1/4) violated; no level serves",
        ),
        (
            question(
                definition="optimal",
                relation={"rule": "optimal", "exp_epsilon": "2", "level": None},
            )
            | {"equals": "1/3"},
            {"verdict": "holds", "value": "1/3"},
            "optimal (exp_epsilon: 2) with equals 1/3 holds; value 1/3",
        ),
        (
            question(definition="sensitivity", equals=None, at_most="5"),
            {"verdict": "violated", "value": "6", "leakage": {"vacuous": True}},
            "sensitivity with at_most 5 violated; value 6; vacuous, nothing is compared",
        ),
        (
            question(facets="4"),
            {"verdict": "holds", "value": None},
            "pufferfish with facets 4 holds",
        ),
        (
            question(options={"query": "x" * 60, "loss": "y" * 61}),
            {"verdict": "holds"},
            f"pufferfish (query: {'x' * 60}; loss: {'y' * 59}…) holds",
        ),
        (
            question(options={"known": {"definition": "a"}, "more": {"x": 1}}),
            {"verdict": "holds"},
            "pufferfish (known: {'definition': 'a'}; more: {'x': 1}) holds",
        ),
        (
            question(source=SOURCE),
            {"verdict": "holds"},
            "pufferfish holds [check 3 of a file with sha256:0123456789ab…]",
        ),
        (
            question(source={**SOURCE, "check": 0, "name": "mine"}),
            {"verdict": "holds"},
            "pufferfish holds [check 1 (mine) of a file with sha256:0123456789ab…]",
        ),
    ],
)
def test_what_is_said(asked: Any, answer: Any, words: str) -> None:
    assert claimed(asked, answer) == words
