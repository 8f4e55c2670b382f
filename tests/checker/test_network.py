"""Certificates of kind network: good ones, and siblings that are broken by hand."""

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.checker.outcomes import accepted, of_network, outcome, pairs_of_sets, parts, siblings
from tests.checker.outcomes import with_parts as broken
from tests.definitions.drawn import decide
from tests.definitions.test_chains import asked
from tests.definitions.test_trees import drawn
from tests.pages import ROOT, example
from verifier import checker
from verifier.questions.answer import write
from verifier.run.verify import answer, load

Json = dict[str, Any]
EXAMPLE: Json = example("network")
WORST = EXAMPLE["evidence"]["witness"]["worst"]
(TREE,) = EXAMPLE["question"]["relation"]["priors"]["trees"]
((TABLE,),) = (TREE["transitions"],)
(ANSWER,) = EXAMPLE["question"]["model"]["channels"][0]
FLAT = {"outputs": ["x"], "values": ["1"], "columns": [[0], [0]], "runs": 1}
RELATION = "question__relation"
CHANNELS = EXAMPLE["question"]["model"]["chosen"]
FIRST = f"{RELATION}__priors__trees__0"


def test_a_level_that_is_a_power_of_e() -> None:
    """49/3 is between e^2 and e^3."""
    for epsilon, verdict in (("3", "holds"), ("2", "violated")):
        level = {"delta": "0", "epsilon": epsilon}
        for said in ("holds", "violated"):
            found = broken(EXAMPLE, question__level=level, answer__verdict=said)
            assert (outcome(found) == "accepted") == (said == verdict)


def test_the_example() -> None:
    """Ann's children answer with the ratio 7/3 each about her: 3·49/9."""
    accepted(EXAMPLE)
    holds = broken(EXAMPLE, question__level__exp_epsilon="49/3", answer__verdict="holds")
    assert outcome(holds) == "accepted"
    assert outcome(broken(EXAMPLE, answer__leakage=None)) == "accepted"


test_broken_siblings = siblings(
    (EXAMPLE, "", "answer.verdict", "holds"),
    (EXAMPLE, "", "answer.leakage", {"exp_epsilon": "16"}, {"exp_epsilon": "17"}),
    (EXAMPLE, "", "answer.leakage", {"infinite": True}, {"vacuous": True}),
    (EXAMPLE, "", "", parts(answer__leakage=None, level__exp_epsilon="49/3")),
    (EXAMPLE, "", "", parts(answer__leakage=None, witness__worst=None)),
    (EXAMPLE, "", "witness.worst", None),
    (EXAMPLE, "", "witness.worst.prior", 1),
    (EXAMPLE, "", "witness.worst.record", 1, 3),
    (EXAMPLE, "", "witness.worst.pair", [[0], [0]], [[0, 0], [1]], WORST["pair"][::-1]),
    (EXAMPLE, "", "witness.worst.pair", [[False], [True]]),
    (EXAMPLE, "", "witness.worst.outputs", [0, 0], [0, 0, 0, 0], [0, 0, 2], [0, 0, 1]),
    (EXAMPLE, "", "witness.bits", 40),
    (EXAMPLE, "", "witness.words", [[0, 0, 0, 1, [], [0]]], None),
    (EXAMPLE, "", "witness.cones", None),
    (EXAMPLE, "", "relation.parts", [pairs_of_sets([])], [], [pairs_of_sets([[[0], []]])]),
    (EXAMPLE, "", "relation.parts", [pairs_of_sets([[[0], [0]]])]),
    (EXAMPLE, "", "relation.parts", [pairs_of_sets([[[0, 1], [1]]])]),
    (EXAMPLE, "", "relation.parts", [pairs_of_sets([[[0], [2]]])]),
    (EXAMPLE, "", "relation.parts.0.priors.class", "all"),
    (EXAMPLE, "", "relation.parts.0.rule", "all"),
    (EXAMPLE, "", "relation.limit", "2", None),
    (EXAMPLE, "", "relation.per_unit", True),
    (EXAMPLE, "", "relation.hidden", 1),
    (EXAMPLE, "", "relation.priors", None),
    (EXAMPLE, "", "question.kind", "local"),
    (EXAMPLE, "", "relation.chosen", [0, 0, -1], [0, 0], [0, 0, 1]),
    (EXAMPLE, "", "model.chosen", CHANNELS[:-1], [*CHANNELS, 0], [0, 0], [0, 0, 1]),
    (EXAMPLE, "", "relation.rule", "local"),
    (EXAMPLE, "", "options.pairs", "presence", "anything"),
    (EXAMPLE, "", "relation.priors.trees", []),
    (EXAMPLE, "", "relation.priors.class", "chains", "list"),
    (EXAMPLE, "", "relation.priors.trees.0.initial", ["1/2", "1/3"], ["1"], ["1/2", "1/2", "0"]),
    (EXAMPLE, "", "relation.priors.trees.0.transitions", [[*TABLE, TABLE[0]]]),
    (EXAMPLE, "", "relation.priors.trees.0.transitions", [[[*TABLE[0], "0"], TABLE[1]]]),
    (EXAMPLE, "", "relation.priors.trees.0.transitions", [[TABLE[0], [*TABLE[1], "0"]]]),
    (EXAMPLE, "", "relation.priors.trees.0.transitions", [TABLE[:1]], [[["1/2", "1/3"], TABLE[1]]]),
    (EXAMPLE, "", "relation.priors.trees.0.transitions", [[["19/20", "1/20"], TABLE[1]]]),
    (EXAMPLE, "", "relation.priors.trees.0.parents", [0, 0, 0], [-1, 0, 0, 0], [-1, 0, False]),
    (EXAMPLE, "", "relation.priors.trees.0.parents", [-1, 0], [1, 0, 0], [-1, 0, 3], [-1, 2, 1]),
    (EXAMPLE, "", "relation.priors.trees.0.parents", [-1, 0, -1]),
    (EXAMPLE, "", "relation.priors.trees.0.chosen", [-1, 0, 0, 0], [-1, 0], [-1, 0, -1], [0, 0, 0]),
    (EXAMPLE, "", "relation.priors.trees.0.chosen", [-1, 0, 1]),
    (EXAMPLE, "", "level.delta", "1/2"),
    (EXAMPLE, "", "model.people", ["ann", "bob"], []),
    (EXAMPLE, "", "model.records", [[-1], [0]], [[0, 0], [1, 1]]),
    (EXAMPLE, "", "model.counts", [[1, 0], [0, 1]]),
)


def test_given_sets() -> None:
    """Sets that are given are taken; then no others are compared."""
    given = {"question__options__pairs": "given", f"{RELATION}__chosen": [0, -1, -1]}
    document = broken(EXAMPLE, **given)
    assert outcome(document) == "accepted"
    assert checker.taken(document["question"]) == ["matrix", "priors", "secrets", "worlds"]
    assert outcome(broken(document, evidence__witness__worst__record=1)) == "rejected"


def test_what_is_impossible_is_not_compared() -> None:
    """Who is 0 for certain, and all children too, has no other value."""
    stay = {f"{FIRST}__initial": ["1", "0"], f"{FIRST}__transitions": [[["1", "0"], ["0", "1"]]]}
    vacuous = {"answer__leakage": {"vacuous": True}, "answer__verdict": "holds"}
    document = broken(EXAMPLE, **stay, **vacuous, evidence__witness__worst=None)
    assert outcome(document) == "accepted"
    assert outcome(broken(document, answer__leakage={"exp_epsilon": "1"})) == "rejected"


def test_outputs_of_another_tree_are_possible() -> None:
    """Cat is alone, 1 for certain, and tells it: 0 is no answer of hers."""
    told = {"outputs": ["0", "1"], "values": ["0", "1"], "columns": [[1, 0], [0, 1]], "runs": 1}
    (usual,) = EXAMPLE["question"]["model"]["channels"]
    document = broken(
        EXAMPLE,
        **{
            f"{FIRST}__parents": [-1, 0, -1],
            f"{FIRST}__chosen": [-1, 0, -1],
            f"{FIRST}__initial": ["1/2", "1/2"],
            "question__model__channels": [usual, [told]],
            "question__model__chosen": [0, 0, 1],
            "question__options__pairs": "given",
            f"{RELATION}__chosen": [0, -1, -1],
            "answer__leakage": {"exp_epsilon": "7"},
        },
    )
    assert outcome(document) == "accepted"  # 3·7/3, whatever cat says
    certain = broken(document, **{f"{FIRST}__initial": ["0", "1"]})
    assert outcome(certain) == "rejected"
    assert outcome(broken(document, evidence__witness__worst__outputs=[0, 0, 2])) == "refused"


def test_what_a_certain_parent_tells() -> None:
    """Ann is 0 for certain, and tells it; so only bob himself tells something about him."""
    told = {"outputs": ["0", "1"], "values": ["0", "1"], "columns": [[1, 0], [0, 1]], "runs": 1}
    (usual,) = EXAMPLE["question"]["model"]["channels"]
    document = broken(
        EXAMPLE,
        **{
            f"{FIRST}__initial": ["1", "0"],
            "question__model__channels": [usual, [told]],
            "question__model__chosen": [1, 0, 0],
            "question__level__exp_epsilon": "2",
            "answer__leakage": {"exp_epsilon": "3"},
            "evidence__witness__worst__record": 1,
        },
    )
    assert outcome(document) == "accepted"
    assert outcome(broken(document, evidence__witness__worst__outputs=[1, 0, 0])) == "rejected"


def of(name: str, check: int, **parts: Any) -> Json:
    """The certificate of a check of a model."""
    question = load(ROOT / "models" / "pufferfish" / f"{name}.yaml").questions[check].question
    assert question is not None
    document: Json = json.loads(write(answer(question).certificate))
    return broken(document, **parts)


@pytest.mark.parametrize("check", [0, 1, 2, 3])
def test_three_values(check: int) -> None:
    """Exact cones prove the level, those of short numbers what is a little more."""
    document = of("tree-of-channels", check)
    assert outcome(document) == "accepted"
    level = Fraction(document["answer"]["leakage"]["exp_epsilon"])
    for factor in (1 - Fraction(1, 10**40), 1 + Fraction(1, 10**40)):
        said = {"exp_epsilon": str(level * factor)}
        assert outcome(broken(document, answer__leakage=said)) == "rejected"
    near = broken(document, evidence__witness__bits=20)
    assert outcome(near) == "rejected"
    for wide, holds in ((Fraction(1, 10**9), False), (Fraction(1, 1000), True)):
        bounds = {"lower": str(level), "upper": str(level * (1 + wide))}
        said = broken(near, answer__leakage=bounds, question__level__exp_epsilon=str(2 * level))
        assert outcome(broken(said, answer__verdict="holds")) == (
            "accepted" if holds else "rejected"
        )


@pytest.mark.parametrize("bits", [0, -1, 1000, "40", True, 4.5, []])
def test_no_bits(bits: Any) -> None:
    assert outcome(of("tree-of-channels", 0, evidence__witness__bits=bits)) == "refused"


ROWS = {4: ["7/10", "1/10", "1/10", "1/10"], 7: ["2/5", *["1/10"] * 6]}


def of_many_values(size: int, level: str) -> Json:
    """Ann, and bob, who is told as he is; a row of transitions is turned to start with itself."""
    turned = [ROWS[size][-v:] + ROWS[size][:-v] if v else ROWS[size] for v in range(size)]
    columns = [[int(o == v) for o in range(size)] for v in range(size)]
    told = {"outputs": [*"abcdefg"[:size]], "values": ["0", "1"], "columns": columns, "runs": 1}
    still = {**told, "outputs": ["-"], "values": ["1"], "columns": [[0]] * size}
    worst = {"prior": 0, "record": 0, "pair": [[0], [1]], "outputs": [0, 0]}
    pairs = [[[v], [w]] for v in range(size) for w in range(v)]
    return broken(
        EXAMPLE,
        question__model={
            "worlds": [*"0123456"[:size]],
            "records": [[v] for v in range(size)],
            "entries_per_record": 1,
            "people": ["ann", "bob"],
            "chosen": [0, 1],
            "channels": [[still], [told]],
        },
        question__options={"pairs": "given"},
        question__relation=of_network(
            [pairs],
            [0, -1],
            {
                "class": "trees",
                "trees": [
                    {
                        "initial": [f"1/{size}"] * size,
                        "parents": [-1, 0],
                        "transitions": [turned],
                        "chosen": [-1, 0],
                    }
                ],
            },
        ),
        question__level__exp_epsilon="1",
        answer={"verdict": "violated", "leakage": {"exp_epsilon": level}},
        evidence__witness={"worst": worst, "reach": None, "bits": None, "words": []},
    )


def test_four_and_seven_values() -> None:
    """Bob is like Ann with probability 7/10, or 2/5, and each other one with 1/10."""
    for size, level in ((4, "7"), (7, "4")):
        document = of_many_values(size, level)
        assert outcome(document) == "accepted"
        assert outcome(broken(document, answer__leakage={"exp_epsilon": "3"})) == "rejected"


def test_an_output_of_neither_set_exceeds_nothing() -> None:
    """Bob is told as he is. Which of his values comes first, in neither of two sets or in one, is
    nothing to the others, which tell the sets apart."""
    for first in range(4):
        document = of_many_values(4, "1")
        columns = [[int((v + first) % 4 == o) for o in range(4)] for v in range(4)]
        sets = broken(
            document,
            question__model__channels__1__0__columns=columns,
            question__relation__parts__0__secrets={"s": [0], "t": [1, 2]},
            question__relation__parts__0__pairs=[["s", "t"]],
            question__relation__chosen=[-1, 0],
            answer__verdict="holds",
            evidence__witness__worst=None,
        )
        assert outcome(sets) == "rejected"


def test_bounds_are_those_of_the_cones() -> None:
    """Of four values what Bob tells about Ann, 7/10 to 1/10 each, is in sixteenths from 1 to 12; of
    more than six values there are no such cones."""
    near = broken(of_many_values(4, "7"), evidence__witness__bits=4)
    for upper, holds in (("7", False), ("1199/100", False), ("12", True)):
        wide = broken(near, answer__leakage={"lower": "7", "upper": upper})
        assert (outcome(wide) == "accepted") == holds
    assert outcome(broken(of_many_values(7, "4"), evidence__witness__bits=4)) == "refused"


def test_those_near() -> None:
    """Bob's sister is two steps from him. Looked at from one step, she may be sure of Ann, who then
    has odds 9·3 beside his answer: (27·9 + 1)/(27 + 9) = 61/9, and 3·61/9 about him."""
    few = broken(EXAMPLE, evidence__witness__reach=1)
    assert outcome(few) == "rejected"
    wide = {"lower": "49/3", "upper": "61/3"}
    near = broken(few, answer__leakage=wide)
    assert outcome(near) == "accepted"
    assert outcome(broken(near, answer__leakage__upper="20333/1000")) == "rejected"
    assert outcome(broken(EXAMPLE, evidence__witness__reach=2)) == "accepted"
    less = broken(EXAMPLE, evidence__witness__reach=99, answer__leakage={"exp_epsilon": "16"})
    assert outcome(less) == "rejected"


def test_answers_of_some() -> None:
    """3·7/3 of Ann and one of the children; of nobody 1."""
    for outputs, level in (([0, 0, -1], "7"), ([0, -1, 0], "7"), ([-1, 0, 0], "49/9")):
        some = broken(EXAMPLE, evidence__witness__worst__outputs=outputs)
        assert outcome(some) == "rejected"
        wide = {"lower": level, "upper": "49/3"}
        asked = {"answer__verdict": "holds", "question__level__exp_epsilon": "17"}
        assert outcome(broken(some, answer__leakage=wide, **asked)) == "accepted"
        more = {**wide, "lower": str(Fraction(level) + Fraction(1, 10**9))}
        assert outcome(broken(some, answer__leakage=more, **asked)) == "rejected"


test_no_steps = siblings(
    (EXAMPLE, "refused", "witness.reach", 0, 101, "2", True),
    (EXAMPLE, "refused", "witness.worst.outputs", [0, 0, -2]),
)


def test_steps_of_three_values() -> None:
    assert outcome(of("tree-of-channels", 0, evidence__witness__reach=9)) == "refused"


@pytest.mark.parametrize("seed", range(8))
def test_those_near_of_drawn_trees(seed: int) -> None:
    """From all steps the level itself is proved; from few nothing below it."""
    random = Random(f"near {seed}")
    while len((spec := drawn(random))["worlds"]["domain"]) > 2:
        pass
    document = json.loads(write(decide(asked(spec, exp_epsilon="1")).certificate))
    level = document["answer"].get("leakage")
    whole = broken(document, evidence__witness__reach=9)
    assert outcome(whole) == "accepted"
    if "exp_epsilon" not in level:
        return
    less = Fraction(level["exp_epsilon"]) * (1 - Fraction(1, 10**20))
    for reach in (1, 2, 9):
        wide = {"lower": "1", "upper": str(less)}
        few = broken(document, answer__leakage=wide, evidence__witness__reach=reach)
        assert less < 1 or outcome(few) == "rejected"


STEP = {"initial": ["1/2", "1/2"], "transition": [["9/10", "1/10"], ["1/10", "9/10"]]}
LINE = broken(  # of Ann and Bob: 3·7/3
    EXAMPLE,
    question__relation__priors={"class": "chains", "chains": [STEP]},
    question__relation__chosen=[0, 0],
    question__model__chosen=[0, 0],
    question__model__people=["ann", "bob"],
    answer__leakage={"exp_epsilon": "7"},
    evidence__witness__worst__outputs=[0, 0],
)
CHAIN = f"{RELATION}__priors__chains"


def test_a_line() -> None:
    """A chain is the tree in which each record is the parent of the next one."""
    tree = {"initial": STEP["initial"], "transitions": [STEP["transition"]]}
    line = {**tree, "parents": [-1, 0], "chosen": [-1, 0]}
    for document in (
        LINE,
        broken(LINE, question__relation__priors={"class": "trees", "trees": [line]}),
    ):
        assert outcome(document) == "accepted"
        assert outcome(broken(document, answer__leakage={"exp_epsilon": "8"})) == "rejected"


test_other_lines = siblings(
    (LINE, "", "relation.priors.chains", []),
    (LINE, "", "relation.priors.class", "list"),
    (LINE, "", "relation.priors.chains.0.initial", ["1/2", "1/3"], ["1"]),
    (LINE, "", "relation.priors.chains.0.transition", STEP["transition"][:1]),
    (LINE, "", "relation.priors.chains.0.transition.0", ["19/20", "1/20"], ["9/10", "1/10", "0"]),
    (LINE, "", "relation.priors.chains.0", {**STEP, "parents": [-1, 0]}),
    (LINE, "", "relation.chosen", [0]),
    (LINE, "", "model.chosen", [0], [0, 1]),
    (LINE, "", "model.people", ["ann"]),
    (LINE, "", "model.channels", [[]], [[ANSWER, ANSWER]], [[{**ANSWER, "runs": 2}]], [[FLAT]]),
)


def test_words() -> None:
    document = of("chain-of-three-values", 0)
    (word,) = document["evidence"]["witness"]["words"]
    assert outcome(document) == "accepted"
    prior, record, a, b, left, right = word
    wrong: list[Any] = [
        [],
        [word, word],
        [[prior, record, b, a, left, right]],
        [[prior, record, a, b, left, right[:-1]]],
        [[prior, record, a, b, [*left, 0], right]],
        [[prior, record, a, b, left, [(o + 1) % 3 for o in right]]],
        [[prior, record, a, b, [(o + 1) % 3 for o in left], right]],
        [[prior, record, a, b, left, [9 for _ in right]]],
    ]
    for words in wrong:
        assert outcome(broken(document, evidence__witness__words=words)) != "accepted"


def test_less_than_the_level_is_refused_with_any_words() -> None:
    document = of("chain-of-three-values", 0)
    level = Fraction(document["answer"]["leakage"]["exp_epsilon"])
    for factor in (1 - Fraction(1, 10**40), 1 + Fraction(1, 10**40)):
        said = {"exp_epsilon": str(level * factor)}
        assert outcome(broken(document, answer__leakage=said)) == "rejected"
    wide = {"lower": str(level * (1 - Fraction(1, 10**40))), "upper": str(level)}
    assert outcome(broken(document, answer__leakage=wide)) == "accepted"


BETWEEN = [[["1/2", "9/10"], ["1/10", "1/2"]], [["1/10", "1/2"], ["1/2", "9/10"]]]


def within(transition: Any) -> Json:
    """The example for all stationary chains within intervals; the worst is that of the example."""
    priors = {"class": "markov", "initial": "stationary", "transition": transition}
    return broken(LINE, question__relation__priors=priors)


def test_chains_within_intervals() -> None:
    assert outcome(within(BETWEEN)) == "accepted"


@pytest.mark.parametrize(
    "transition",
    [
        [[["1/2", "1"], ["0", "1/2"]], BETWEEN[1]],  # it may never change
        [[["2/5", "9/10"], ["1/10", "3/5"]], BETWEEN[1]],  # 3/5 + 1/2
        [[["1/2", "19/20"], ["1/20", "1/2"]], BETWEEN[1]],  # a worse chain
        [[["1/2", "4/5"], ["1/5", "1/2"]], BETWEEN[1]],  # none so bad
        [[["9/10", "1/2"], ["1/10", "1/2"]], BETWEEN[1]],
        [[["1/2", "9/10"], ["-1/10", "1/2"]], BETWEEN[1]],
        [[["1/2", "9/10"]], BETWEEN[1]],
        [*BETWEEN, BETWEEN[1]],
        BETWEEN[:1],
    ],
)
def test_intervals_of_other_chains(transition: Any) -> None:
    assert outcome(within(transition)) in ("rejected", "refused")


def test_intervals_are_of_stationary_chains() -> None:
    document = within(BETWEEN)
    document["question"]["relation"]["priors"]["initial"] = ["1/2", "1/2"]
    assert outcome(document) == "refused"


def test_so_many_generators_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    document = of("tree-of-channels", 0)
    monkeypatch.setattr("verifier.checker.document.MAX_BYTES", 1500)
    assert outcome(document) == "refused"
    assert outcome(EXAMPLE) == "accepted"


def test_likelihoods_with_powers_of_e() -> None:
    """Of bits that are true with probability e/(1 + e) three tell e ((9 e + 1)/(e + 9))^2."""
    values = {"question__model__channels__0__0__values": ["1/(1 + e)", "e/(1 + e)"]}
    leakage = "(81*e^3 + 18*e^2 + e)/(81 + 18*e + e^2)"
    for stated_one, expected in ((leakage, "accepted"), ("12", "rejected"), ("13", "rejected")):
        said = {**values, "answer__leakage": {"exp_epsilon": stated_one}}
        assert outcome(broken(EXAMPLE, **said)) == expected, stated_one
