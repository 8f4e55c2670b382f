"""Certificates of kind quilts: good ones, and siblings that are broken by hand."""

from typing import Any

import pytest

from tests.checker.outcomes import accepted, outcome, pairs_of_sets, parts, siblings
from tests.checker.outcomes import with_parts as broken
from tests.pages import example
from verifier import checker

Json = dict[str, Any]
EXAMPLE: Json = example("quilts")
RELATION = "question__relation"
UPPER = EXAMPLE["evidence"]["witness"]["upper"]
HALF = ["1/2", "1/2"]
STEADY = [["3/4", "1/4"], ["1/4", "3/4"]]
(CHAIN,) = EXAMPLE["question"]["relation"]["priors"]["chains"]


def said(document: Json, entries: int, level: Any, upper: Any, worst: Any, **more: Any) -> str:
    """The outcome where so many are hidden, and this is said to be the smallest level."""
    leakage = level if isinstance(level, dict) else {"exp_epsilon": level}
    asked = {f"{RELATION}__hidden": entries}
    if "question__definition" not in more:
        asked["question__options__entries"] = entries
    verdict = "violated" if level == INFINITE else "holds"
    return outcome(
        broken(
            document,
            **asked,
            answer__leakage=leakage,
            answer__verdict=verdict,
            question__level__exp_epsilon="1000",
            evidence__witness__upper=upper,
            evidence__witness__worst=worst,
            **more,
        )
    )


INFINITE = {"infinite": True}


def test_the_example() -> None:
    accepted(EXAMPLE)
    violated = {"question__level__exp_epsilon": "8", "answer__verdict": "violated"}
    assert outcome(broken(EXAMPLE, **violated)) == "accepted"
    same = [[[i, i]] for i in (0, 0, 1, 1, 2, 2)]
    assert same == UPPER
    assert outcome(broken(EXAMPLE, evidence__witness__worst=3)) == "accepted"  # the other order


def test_how_many_are_hidden() -> None:
    """Two: an end with its neighbour, or the middle one with an end, leave one factor of 3. All:
    nothing. None: everything."""
    two = [[[0, 1]]] * 4 + [[[1, 2]]] * 2
    assert said(EXAMPLE, 2, "3", two, 2) == "accepted"
    assert said(EXAMPLE, 2, "3", [[[0, 0], [1, 1]], *two[1:]], 0) == "rejected"  # 5/3 is enough
    assert said(EXAMPLE, 3, "1", [[[0, 2]]] * 6, None) == "accepted"
    assert said(EXAMPLE, 0, INFINITE, None, 0) == "accepted"
    assert said(EXAMPLE, 1, INFINITE, None, 0) == "rejected"
    assert said(EXAMPLE, 0, "9", [[]] * 6, 2) == "rejected"


def test_runs_that_touch_are_one() -> None:
    """The records of all runs are hidden together: ann alone is shown, 3."""
    apart = [[[0, 1]]] * 2 + [[[1, 1], [2, 2]]] * 2 + [[[1, 2]]] * 2
    assert said(EXAMPLE, 2, "3", apart, 2) == "accepted"
    assert said(EXAMPLE, 2, "9", apart, 2) == "rejected"


test_broken_siblings = siblings(
    (EXAMPLE, "", "answer.verdict", "violated"),
    (EXAMPLE, "", "answer.leakage", {"exp_epsilon": "8"}, {"exp_epsilon": "10"}),
    (EXAMPLE, "", "answer.leakage", {"lower": "9", "upper": "9"}, INFINITE, {"vacuous": True}),
    (EXAMPLE, "", "level.delta", "1/2"),
    (EXAMPLE, "", "witness.upper", None, UPPER[:-1], [*UPPER, [[2, 2]]], [[], *UPPER[1:]]),
    (EXAMPLE, "", "witness.upper", [[[1, 1]], *UPPER[1:]], [[[0, 1]], *UPPER[1:]]),
    (EXAMPLE, "", "witness.upper", [[[0, 0], [0, 0]], *UPPER[1:]], [[[0, -1]], *UPPER[1:]]),
    (EXAMPLE, "", "witness.upper", [[[1, 0]], *UPPER[1:]], [[[0]], *UPPER[1:]]),
    (EXAMPLE, "", "witness.upper", [[[0, 3]], *UPPER[1:]]),
    (EXAMPLE, "", "witness.worst", None, 0, 6, -1, "2"),
    (EXAMPLE, "", "witness", None),
    (EXAMPLE, "", "relation.rule", "chains"),
    (EXAMPLE, "", "relation.hidden", 2),
    (EXAMPLE, "", "", parts(relation__hidden=4, options__entries=4)),
    (EXAMPLE, "", "relation.chosen", [-1, 0, -1]),
    (EXAMPLE, "", "relation.parts", [pairs_of_sets([])]),
    (EXAMPLE, "", "relation.priors", None),
    (EXAMPLE, "", "relation.limit", "2"),
    (EXAMPLE, "", "options.pairs", "presence"),
    (EXAMPLE, "", "relation.priors.class", "list"),
    (EXAMPLE, "", "relation.priors.chains", []),
    (EXAMPLE, "", "relation.priors.chains.0.initial", ["1"], ["1/2", "1/3"]),
    (EXAMPLE, "", "relation.priors.chains.0.transition", STEADY[:1], [["1/2", "1/3"], STEADY[1]]),
    (EXAMPLE, "", "relation.priors.chains.0.transition", [["4/5", "1/5"], STEADY[1]]),
    (EXAMPLE, "", "model.people", [], ["ann", "ann", "cat"], ["ann", "bob"]),
    (EXAMPLE, "", "model.records", [[0], [-1]], [[0], [0]], [[0, 0], [1, 1]]),
    (EXAMPLE, "", "", parts(model__records=[[0, 0], [1, 1]], model__entries_per_record=2)),
    (EXAMPLE, "", "model.channels", []),
)


@pytest.mark.parametrize(("rows", "width"), [([[0], [-1]], 1), ([[0, 0], [1, 0]], 1)])
def test_a_record_has_one_entry_and_is_there(rows: Json, width: int) -> None:
    """Also where the question has no definition, so that its relation is taken."""
    bare = {"question__definition": None, "question__options": {}, "taken": ["relation", "worlds"]}
    assert outcome(broken(EXAMPLE, **bare)) == "accepted"
    model = {"question__model__records": rows, "question__model__entries_per_record": width}
    assert outcome(broken(EXAMPLE, **bare, **model)) == "refused"


def given(*pairs: Any) -> Json:
    return of_given(EXAMPLE, *pairs)


def of_given(document: Json, *pairs: Any) -> Json:
    """The same about a list of pairs, each a record and two sets of values."""
    parts = [[list(sides) for i, *sides in pairs if i == k] for k in range(3)]
    kept = [part for part in parts if part] or [[]]
    chosen = [kept.index(part) if part in kept else -1 for part in parts]
    relation = {f"{RELATION}__parts": list(map(pairs_of_sets, kept)), f"{RELATION}__chosen": chosen}
    return broken(document, **relation, question__options__pairs="given")


def test_given_pairs_are_taken() -> None:
    document = given([1, [0], [1]])
    assert said(document, 1, "9", [[[1, 1]]] * 2, 1) == "accepted"
    assert said(document, 1, "9", [[[1, 1]]] * 2, 2) == "refused"
    assert checker.taken(document["question"]) == ["priors", "secrets", "worlds"]


@pytest.mark.parametrize(
    "pair",
    [
        [3, [0], [1]],
        [-1, [0], [1]],
        [1, [], [1]],
        [1, [0], []],
        [1, [0], [0]],
        [1, [0], [2]],
        [1, [0]],
        [1, 0, 1],
    ],
    ids=str,
)
def test_pairs_that_are_none(pair: Any) -> None:
    assert said(given(pair), 1, "9", [[[1, 1]]] * 2, 1) in ("refused", "rejected")
    assert said(given(pair), 0, INFINITE, None, 0) in ("refused", "rejected")


def test_nothing_is_compared() -> None:
    """All records have the value 0, or no pair is there."""
    certain = {"initial": ["1", "0"], "transition": [["1", "0"], ["0", "1"]]}
    vacuous = {
        "answer__leakage": {"vacuous": True},
        "answer__verdict": "holds",
        "evidence__witness": None,
    }
    for document in (broken(EXAMPLE, **{f"{RELATION}__priors__chains": [certain]}), given()):
        assert outcome(broken(document, **vacuous)) == "accepted"
        assert outcome(document) != "accepted"
        assert said(document, 1, "1", [], None) != "accepted"
    assert outcome(broken(EXAMPLE, **vacuous)) != "accepted"
    assert checker.taken(given()["question"]) == ["priors", "secrets", "worlds"]
    none = {f"{RELATION}__parts": [], f"{RELATION}__chosen": [-1] * 3}
    assert outcome(broken(given(), **vacuous, **none)) == "refused"  # nobody took the secrets


def test_a_comparison_that_no_prior_makes_asks_for_nothing() -> None:
    """The first record is certain: nobody can learn it."""
    first = {f"{RELATION}__priors__chains__0__initial": ["1", "0"]}
    document = broken(EXAMPLE, **first)
    # the last one is 1 with 3/8; bob is 1 then with 1/2, (1/4·3/4)/(3/8), else with (1/4·1/4)/(5/8)
    upper = [[], [], *UPPER[2:]]
    assert said(document, 1, "5", upper, 5) == "accepted"
    assert said(document, 1, "5", upper, 0) == "rejected"


def test_the_worst_of_several_chains_counts() -> None:
    strong = {"initial": HALF, "transition": [["9/10", "1/10"], ["1/10", "9/10"]]}
    document = broken(EXAMPLE, **{f"{RELATION}__priors__chains": [CHAIN, strong]})
    assert said(document, 1, "81", UPPER, 2) == "accepted"
    assert said(document, 1, "9", UPPER, 2) == "rejected"


def test_intervals_are_their_worst_chain() -> None:
    rows = [[["1/2", "3/4"], ["1/4", "1/2"]], [["1/4", "1/2"], ["1/2", "3/4"]]]
    priors = {"class": "markov", "initial": "stationary", "transition": rows}
    document = broken(EXAMPLE, **{f"{RELATION}__priors": priors})
    assert said(document, 1, "9", UPPER, 2) == "accepted"
    assert said(document, 1, "8", UPPER, 2) == "rejected"


def within(*changes: tuple[str, str, str, str]) -> Json:
    """The three bits in a stationary chain that changes with probabilities within intervals."""
    rows = [
        [[c, d], [a, b]] if at == 0 else [[a, b], [c, d]] for at, (a, b, c, d) in enumerate(changes)
    ]
    priors = {"class": "markov", "initial": "stationary", "transition": rows}
    return broken(EXAMPLE, **{f"{RELATION}__priors": priors})


def test_intervals_that_allow_frequent_changes() -> None:
    """Both change with 1/4 to 4/5: 3 from either side where rarely, (4/5)/(1/5) where often."""
    both = within(*[("1/4", "4/5", "1/5", "3/4")] * 2)
    assert said(both, 1, "16", UPPER, 2) == "accepted"
    assert said(both, 1, "9", UPPER, 2) == "rejected"
    two = [[[0, 1]]] * 4 + [[[1, 2]]] * 2
    assert said(both, 2, "4", two, 2) == "accepted"
    assert said(both, 2, "3", two, 2) == "rejected"
    rarely = within(*[("1/10", "4/5", "1/5", "9/10")] * 2)
    assert said(rarely, 1, "81", UPPER, 2) == "accepted"
    assert said(rarely, 1, "16", UPPER, 2) == "rejected"
    often = within(*[("1/2", "4/5", "1/5", "1/2")] * 2)
    assert said(often, 1, "16", UPPER, 2) == "accepted"
    assert said(often, 1, "1", UPPER, None) == "rejected"
    always = within(*[("1/2", "1", "0", "1/2")] * 2)
    assert said(always, 1, INFINITE, None, 2) == "accepted"
    assert said(always, 3, "1", [[[0, 2]]] * 6, None) == "accepted"


def test_intervals_without_chains_or_changes() -> None:
    """No chain within: the rows leave no change; or a value may be left never."""
    for change in (
        ("4/5", "9/10", "3/10", "2/5"),
        ("0", "1/2", "1/2", "1"),
        ("1/2", "1/4", "1/2", "3/4"),
    ):
        document = within(change, ("1/4", "4/5", "1/5", "3/4"))
        assert said(document, 1, "16", UPPER, 2) == "rejected"
        assert said(document, 3, "1", [[[0, 2]]] * 6, None) == "rejected"


def test_a_chain_that_reveals_all() -> None:
    """Records that are equal: hiding one leaves the others."""
    equal = {"initial": HALF, "transition": [["1", "0"], ["0", "1"]]}
    document = broken(EXAMPLE, **{f"{RELATION}__priors__chains": [equal]})
    assert said(document, 2, INFINITE, None, 0) == "accepted"
    assert said(document, 3, INFINITE, None, 0) == "rejected"
    assert said(document, 3, "1", [[[0, 2]]] * 6, None) == "accepted"


TREE = {"initial": HALF, "parents": [-1, 0, 0], "transitions": [STEADY], "chosen": [-1, 0, 0]}


def tree(**changed: Any) -> Json:
    """The three bits as a family: bob and cat are children of ann."""
    priors = {"class": "trees", "trees": [{**TREE, **changed}]}
    return broken(EXAMPLE, **{f"{RELATION}__priors": priors})


def test_a_tree() -> None:
    """Ann is told by two children, 3 each; a child by ann alone, 3. With ann hidden a child is told
    by the other one, at distance two, 5/3."""
    assert said(tree(), 1, "9", UPPER, 0) == "accepted"
    assert said(tree(), 1, "9", UPPER, 2) == "rejected"
    assert said(tree(), 1, "3", UPPER, 0) == "rejected"
    two = [[[0, 1]]] * 2 + [[[0, 1]]] * 2 + [[[0, 0], [2, 2]]] * 2
    assert said(tree(), 2, "3", two, 0) == "accepted"
    assert said(tree(), 2, "5/3", two, 2) == "rejected"
    assert said(tree(), 2, "3", [[[1, 2]], *two[1:]], 0) == "rejected"  # ann herself is shown
    assert said(tree(), 3, "1", [[[0, 2]]] * 6, None) == "accepted"
    assert said(tree(), 0, INFINITE, None, 0) == "accepted"
    assert said(tree(), 1, INFINITE, None, 0) == "rejected"


def test_a_child_alone() -> None:
    """A pair about bob: with ann hidden too, cat tells 5/3 of him, at distance two."""
    document = of_given(tree(), [1, [0], [1]])
    assert said(document, 1, "3", [[[1, 1]]] * 2, 0) == "accepted"
    assert said(document, 2, "5/3", [[[0, 1]]] * 2, 1) == "accepted"
    assert said(document, 2, "8/5", [[[0, 1]]] * 2, 1) == "rejected"
    assert said(document, 2, "3", [[[1, 1]]] * 2, 1) == "rejected"


def test_a_tree_that_alternates() -> None:
    """Each change is likelier than none: p = 1/10, q = 3/10, of records ann, bob, cat in a row. Bob
    and cat hidden, ann tells 7 of bob, (7/10)/(1/10), in favour of the value 1."""
    table = [["1/10", "9/10"], ["7/10", "3/10"]]
    row = {"parents": [-1, 0, 1], "transitions": [table], "initial": ["7/16", "9/16"]}
    document = of_given(tree(**row), [1, [1], [0]])
    assert said(document, 2, "7", [[[1, 2]]] * 2, 0) == "accepted"
    assert said(document, 1, "49", [[[1, 1]]] * 2, 0) == "accepted"
    # cat: ann's value 1, at distance two through bob, is 18/25 against 9/25; 0 is 16/25 : 7/25
    cat = of_given(document, [2, [1], [0]])
    assert said(cat, 2, "16/7", [[[1, 2]]] * 2, 1) == "accepted"
    assert said(cat, 2, "2", [[[1, 2]]] * 2, 0) == "rejected"


def test_several_trees_of_records_tell_nothing_of_each_other() -> None:
    apart = {"parents": [-1, -1, 1], "chosen": [-1, -1, 0]}
    assert said(tree(**apart), 1, "3", UPPER, 2) == "accepted"
    two = [[[0, 0]], [[0, 0]], *[[[1, 2]]] * 4]
    assert said(tree(**apart), 2, "1", two, None) == "accepted"
    assert said(tree(**apart), 2, "3", UPPER, 2) == "rejected"


@pytest.mark.parametrize(
    "changed",
    [
        {"initial": ["1", "0"]},
        {"transitions": [[["1", "0"], ["0", "1"]]]},
        {"parents": [-1, 0]},
        {"parents": [1, 0, 0]},
        {"chosen": [-1, 0, 1]},
        {"chosen": [0, 0, 0]},
    ],
    ids=str,
)
def test_trees_that_are_none(changed: Any) -> None:
    assert said(tree(**changed), 1, "9", UPPER, 0) == "refused"


def test_more_than_one_tree_and_more_than_two_values() -> None:
    bare = {"question__definition": None, "question__options": {}}
    twice = broken(tree(), **{f"{RELATION}__priors__trees": [TREE, TREE]})
    assert said(twice, 1, "9", UPPER, 0) == "refused"
    three = {"question__model__worlds": list("012"), "question__model__records": [[0], [1], [2]]}
    line = ["1/3"] * 3
    of_three = broken(tree(initial=line, transitions=[[line] * 3]), **three)
    every = [[[i, i]] for i in (0, 1, 2) for _ in range(2)]
    assert said(of_three, 1, "1", every, None, **bare) == "refused"
    seven = {
        "question__model__worlds": list("0123456"),
        "question__model__records": [[i] for i in range(7)],
    }
    assert outcome(broken(EXAMPLE, **seven, **bare)) == "rejected"  # the priors are of two


def test_three_values() -> None:
    """Records that stay with probability 1/2, else become one of the others: sets of values."""
    rows = [["1/2" if a == b else "1/4" for b in range(3)] for a in range(3)]
    chain = {"initial": ["1/3"] * 3, "transition": rows}
    document = broken(
        given([1, [0, 2], [1]]),
        **{
            f"{RELATION}__priors__chains": [chain],
            "question__model__worlds": list("xyz"),
            "question__model__records": [[0], [1], [2]],
        },
    )
    # a neighbour is 1 with 1/2, or with 1/4 of either of the others
    assert said(document, 1, "4", [[[1, 1]]] * 2, 1) == "accepted"
    assert said(document, 1, "4", [[[1, 1]]] * 2, 0) == "rejected"


def test_values_that_are_neither_of_two() -> None:
    """Of three values that stay as they are, the neighbours tell which; the one of neither of the
    two that are compared comes first among what they show."""
    still = [[str(int(a == b)) for b in range(3)] for a in range(3)]
    document = broken(
        given([1, [0], [1]]),
        **{
            f"{RELATION}__priors__chains": [{"initial": ["1/3"] * 3, "transition": still}],
            "question__model__worlds": list("xyz"),
            "question__model__records": [[0], [1], [2]],
        },
    )
    assert said(document, 1, "1", [[[1, 1]]] * 2, None) == "rejected"
    assert said(document, 1, INFINITE, None, 0) == "accepted"
