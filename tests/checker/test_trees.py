"""Certificates of kind trees: good ones, and siblings that are broken by hand."""

import json
from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import pytest

from tests.checker.outcomes import accepted
from tests.checker.test_chains import broken, outcome
from tests.definitions.drawn import decide
from tests.definitions.test_chains import asked
from tests.definitions.test_trees import drawn
from tests.pages import ROOT, blocks
from verifier import checker
from verifier.checker.reading import Budget
from verifier.checker.trees import Forest
from verifier.claims.answer import write
from verifier.verify import answer, load

Json = dict[str, Any]
PAGE = blocks(ROOT / "docs" / "certificate.md")
EXAMPLE: Json = json.loads(next(block.text for block in PAGE if block.note == "trees"))
WORST = EXAMPLE["evidence"]["witness"]["worst"]
(TREE,) = EXAMPLE["question"]["relation"]["priors"]["trees"]
((TABLE,),) = (TREE["transitions"],)
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


@pytest.mark.parametrize(
    "parts",
    [
        {"answer__verdict": "holds"},
        {"answer__leakage": {"exp_epsilon": "16"}},
        {"answer__leakage": {"exp_epsilon": "17"}},
        {"answer__leakage": {"infinite": True}},
        {"answer__leakage": {"vacuous": True}},
        # without a leakage the witness is to exceed the level
        {"answer__leakage": None, "question__level__exp_epsilon": "49/3"},
        {"answer__leakage": None, "evidence__witness__worst": None},
        # a witness that shows nothing, or less
        {"evidence__witness__worst": None},
        {"evidence__witness__worst__prior": 1},
        {"evidence__witness__worst__record": 1},
        {"evidence__witness__worst__record": 3},
        {"evidence__witness__worst__pair": [[0], [0]]},
        {"evidence__witness__worst__pair": [[0, 0], [1]]},
        {"evidence__witness__worst__pair": WORST["pair"][::-1]},
        {"evidence__witness__worst__pair": [[False], [True]]},
        {"evidence__witness__worst__outputs": [0, 0]},
        {"evidence__witness__worst__outputs": [0, 0, 0, 0]},
        {"evidence__witness__worst__outputs": [0, 0, 2]},
        {"evidence__witness__worst__outputs": [0, 0, 1]},
        {"evidence__witness__bits": 7},
        {"evidence__witness__bits": 10**6},
        # other pairs
        {f"{RELATION}__parts": [[]]},
        {f"{RELATION}__parts": []},
        {f"{RELATION}__parts": [[[[0], []]]]},
        {f"{RELATION}__parts": [[[[0], [0]]]]},
        {f"{RELATION}__parts": [[[[0, 0], [1]]]]},
        {f"{RELATION}__parts": [[[[0], [2]]]]},
        {f"{RELATION}__chosen": [0, 0, -1]},
        {f"{RELATION}__chosen": [0, 0]},
        {"question__model__chosen": CHANNELS[:-1]},
        {"question__model__chosen": [*CHANNELS, 0]},
        {f"{RELATION}__chosen": [0, 0, 1]},
        {f"{RELATION}__rule": "chains"},
        {"question__options__pairs": "presence"},
        {"question__options__pairs": "anything"},
        # other trees
        {f"{RELATION}__priors__trees": []},
        {f"{RELATION}__priors__class": "chains"},
        {f"{FIRST}__initial": ["1/2", "1/3"]},
        {f"{FIRST}__initial": ["1"]},
        {f"{FIRST}__parents": [-1, 0]},
        {f"{FIRST}__parents": [1, 0, 0]},
        {f"{FIRST}__parents": [-1, 0, 3]},
        {f"{FIRST}__parents": [-1, 2, 1]},
        {f"{FIRST}__parents": [-1, 0, -1]},
        {f"{FIRST}__chosen": [-1, 0]},
        {f"{FIRST}__chosen": [-1, 0, -1]},
        {f"{FIRST}__chosen": [0, 0, 0]},
        {f"{FIRST}__chosen": [-1, 0, 1]},
        {f"{FIRST}__transitions": [TABLE[:1]]},
        {f"{FIRST}__transitions": [[["1/2", "1/3"], TABLE[1]]]},
        {f"{FIRST}__transitions": [[["19/20", "1/20"], TABLE[1]]]},
        {"question__level__delta": "1/2"},
        {"question__model__chosen": [0, 0]},
        {"question__model__chosen": [0, 0, 1]},
        {"question__model__people": ["ann", "bob"]},
        {"question__model__people": []},
        {"question__model__records": [[-1], [0]]},
        {"question__model__records": [[0, 0], [1, 1]]},
        {"question__model__counts": [[1, 0], [0, 1]]},
    ],
    ids=lambda parts: "; ".join(f"{path.split('__')[-1]} {part}" for path, part in parts.items()),
)
def test_broken_siblings(parts: Json) -> None:
    assert outcome(broken(EXAMPLE, **parts)) in ("rejected", "refused")


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
    """Exact vectors prove the level; rounded ones what is a little more, and no less."""
    document = of("tree-of-channels", check)
    assert outcome(document) == "accepted" and document["evidence"]["witness"]["bits"] is None
    level = Fraction(document["answer"]["leakage"]["exp_epsilon"])
    for factor in (1 - Fraction(1, 10**40), 1 + Fraction(1, 10**40)):
        said = {"exp_epsilon": str(level * factor)}
        assert outcome(broken(document, answer__leakage=said)) == "rejected"
    near = {"lower": str(level), "upper": str(level * (1 + Fraction(1, 10**8)))}
    rounded = broken(document, answer__leakage=near, evidence__witness__bits=44)
    assert outcome(rounded) == "accepted"
    few = broken(rounded, evidence__witness__bits=8)
    assert outcome(few) == "rejected"


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
        question__relation={
            "rule": "trees",
            "parts": [pairs],
            "chosen": [0, -1],
            "priors": {
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
        },
        question__level__exp_epsilon="1",
        answer={"verdict": "violated", "leakage": {"exp_epsilon": level}},
        evidence__witness={"worst": worst, "bits": None},
    )


def test_four_and_seven_values() -> None:
    """Bob is like Ann with probability 7/10, or 2/5, and each other one with 1/10."""
    for size, level in ((4, "7"), (7, "4")):
        document = of_many_values(size, level)
        assert outcome(document) == "accepted"
        assert outcome(broken(document, answer__leakage={"exp_epsilon": "3"})) == "rejected"
    four, seven = of_many_values(4, "7"), of_many_values(7, "4")
    wide = {"lower": "7", "upper": "1000"}
    rounded = broken(four, answer__leakage=wide, evidence__witness__bits=44)
    assert outcome(rounded) == "accepted"
    assert outcome(broken(seven, evidence__witness__bits=44)) == "refused"


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


@pytest.mark.parametrize(
    "parts",
    [
        {"evidence__witness__reach": 0},
        {"evidence__witness__reach": 101},
        {"evidence__witness__reach": None},
        {"evidence__witness__reach": 2, "evidence__witness__bits": 40},
        {"evidence__witness__worst__outputs": [0, 0, -2]},
    ],
)
def test_no_steps(parts: Json) -> None:
    assert outcome(broken(EXAMPLE, **parts)) == "refused"


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


def is_beside(point: Any, others: list[Any]) -> bool:
    """Whether a point of the plane is in no triangle of others, nor between two of them."""
    for p, q, r in combinations_with_replacement(others, 3):
        sides = [turn(a, b, point) for a, b in ((p, q), (q, r), (r, p))]
        inside = all(s >= 0 for s in sides) or all(s <= 0 for s in sides)
        corners = zip(p, q, r, strict=True)
        among = all(min(x) <= c <= max(x) for c, x in zip(point, corners, strict=True))
        if inside and among:
            return False
    return True


def turn(p: Any, q: Any, r: Any) -> Fraction:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


@pytest.mark.parametrize("seed", range(6))
def test_vectors_that_span_a_cone(seed: int) -> None:
    """Of three values those that are in no triangle of others, of two the ends, of four all."""
    random = Random(seed)
    for size in (2, 3, 4):
        forest = Forest([-1], [0], [[]], [[]], [{}], [1] * size, None, None, Budget())
        drawn = [[random.randint(0, 4) for _ in range(size)] for _ in range(9)]
        vectors = [v for v in drawn if any(v)]
        kept = {tuple(Fraction(x, sum(v)) for x in v) for v in forest._spanning(vectors)}
        points = {tuple(Fraction(x, sum(v)) for x in v) for v in vectors}
        if size == 2:
            assert kept == {max(points), min(points)}
            first = forest._spanning(vectors)[0]
            assert Fraction(first[0], sum(first)) == max(points)[0]
        elif size == 4:
            assert kept == points
        else:
            assert kept == {p for p in points if is_beside(p, [q for q in points if q != p])}
