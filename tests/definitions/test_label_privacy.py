"""Label privacy: drawn worlds by brute force, mechanisms of the paper, bad input."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.drawn import Json, decide
from tests.drawing import examples
from verifier.base.errors import InputError
from verifier.definitions import label_privacy

EXAMPLES = examples(60)
F = Fraction

PEOPLE = {"records": ["ann", "bob"], "domain": {"age": ["0", "1"], "ill": ["0", "1"]}}
ONE = {"records": ["ann"], "domain": {"age": ["0", "1"], "ill": ["a", "b", "c"]}}


def check(worlds: Any, mechanism: Json, **options: str) -> Json:
    spec = {"worlds": worlds, "mechanism": mechanism}
    return {**spec, "checks": [{"label_privacy": {"exp_epsilon": "2", "label": "ill", **options}}]}


def leaked(spec: Json) -> Fraction | None:
    answer = decide(spec)
    assert answer.leakage is not None and not answer.leakage.vacuous
    return answer.leakage.exp_epsilon


@EXAMPLES
@given(st.data())
def test_the_leakage_is_that_of_brute_force(data: st.DataObject) -> None:
    """Every database, every record, every other label: the world that this makes, if any."""
    space = data.draw(drawn.spaces(attributes=True))
    columns = data.draw(drawn.matrices(space.size))
    label = data.draw(st.integers(0, 1))
    delta = data.draw(st.sampled_from([F(0), F(1, 3)]))
    known = {value[label] for value in space.values}
    pairs = set()
    for w, database in enumerate(space.databases):
        for record, other in product(range(len(database)), known):
            if database[record] is not None and database[record][label] != other:
                changed = list(database)
                changed[record] = tuple(
                    other if at == label else x for at, x in enumerate(database[record])
                )
                if tuple(changed) in space.databases:
                    pairs.add((w, space.databases.index(tuple(changed))))
    options = {"label": "AB"[label], "delta": str(delta)}
    answer = decide(check(space.node, drawn.table(space, columns), **options))
    assert answer.leakage is not None
    assert answer.leakage.vacuous == (not pairs)
    smallest = plain.smallest_alpha(columns, pairs, delta)
    assert answer.verdict == ("holds" if smallest is not None and smallest <= 2 else "violated")
    if pairs:
        assert answer.leakage.exp_epsilon == smallest
    rows = [list(row) for row in zip(*columns, strict=True)]
    found = label_privacy.value(rows, space.databases, label, F(2))
    assert found == max((plain.excess(columns[i], columns[j], F(2)) for i, j in pairs), default=0)


def of_labels(given: Sequence[Sequence[str]]) -> Json:
    """Ann's age in the clear, and her label a, b, c as one of `given` distributions."""
    outputs = [f"{age}{label}" for age in "01" for label in "abc"]
    rows: Json = {"outputs": outputs}
    for age, (label, told) in product("01", zip("abc", given, strict=True)):
        rows[f"({age}/{label})"] = [*told, *"000"] if age == "0" else [*"000", *told]
    return {"table": rows}


def test_randomized_response_of_labels() -> None:
    """Ghazi et al. 2021, Section 2: the label with e^ε/(e^ε + K − 1), each other one with
    1/(e^ε + K − 1); for K = 3 and e^ε = 2 these are 1/2 and 1/4."""
    told = of_labels((("1/2", "1/4", "1/4"), ("1/4", "1/2", "1/4"), ("1/4", "1/4", "1/2")))
    assert leaked(check(ONE, told)) == 2
    assert decide(check(ONE, told)).verdict == "holds"
    assert decide(check(ONE, told, exp_epsilon="199/100")).verdict == "violated"
    assert leaked(check(ONE, told, label="age")) is None  # the age is told


def test_randomized_response_among_the_likeliest_labels() -> None:
    """Ghazi et al. 2021, Algorithm 1: randomized response among the k = 2 likeliest labels a, b;
    of another label one of these two, each with 1/2."""
    told = of_labels((("2/3", "1/3", "0"), ("1/3", "2/3", "0"), ("1/2", "1/2", "0")))
    assert leaked(check(ONE, told)) == 2


def test_one_label_is_not_many() -> None:
    """Two labels that change at once are not compared; differential privacy of labels is."""
    same = {"deterministic": "ann.ill == bob.ill"}
    assert leaked(check(PEOPLE, same)) is None
    fixed = {**PEOPLE, "where": ["ann.ill == bob.ill"]}
    answer = decide(check(fixed, {"deterministic": "ann.ill"}))
    assert answer.leakage is not None and answer.leakage.vacuous


def test_features_are_public() -> None:
    assert leaked(check(PEOPLE, {"deterministic": "(ann.age, bob.age)"})) == 1


def test_records_that_may_be_absent() -> None:
    """Who is there is public; the labels of those who are there are not."""
    absent = {**PEOPLE, "absent": "true"}
    assert leaked(check(absent, {"deterministic": "ann.present"})) == 1
    assert leaked(check(absent, {"deterministic": "ann.present and ann.ill == 1"})) is None


@pytest.mark.parametrize(
    ("premise", "conclusion", "level"),
    [
        ({"differential_privacy": {}}, {"label_privacy": {"label": "ill"}}, 2),
        ({"differential_privacy": {"neighbours": "entry"}}, {"label_privacy": {"label": "ill"}}, 2),
        ({"label_privacy": {"label": "ill"}}, {"differential_privacy": {}}, None),
        ({"label_privacy": {"label": "ill"}}, {"label_privacy": {"label": "age"}}, None),
    ],
)
def test_labels_are_a_part_of_what_differential_privacy_protects(
    premise: Json, conclusion: Json, level: int | None
) -> None:
    asked = {
        side: {word: {**options, "exp_epsilon": "2"} for word, options in definition.items()}
        for side, definition in (("if", premise), ("then", conclusion))
    }
    answer = decide({"worlds": PEOPLE, "checks": [{"implies": asked}]})
    assert answer.leakage is not None and answer.leakage.exp_epsilon == level


@pytest.mark.parametrize(
    ("worlds", "label", "code", "said"),
    [
        (PEOPLE, "il", "S603", "did you mean 'ill'"),
        (PEOPLE, "ann", "S603", "one of: age, ill"),
        (PEOPLE, ["ill"], "S014", ""),
        (PEOPLE, None, "S016", "'label' is missing"),
        ({"records": ["ann"], "domain": ["0", "1"]}, "ill", "S603", "there are none"),
        (["a", "b"], "ill", "S603", "there are none"),
    ],
)
def test_bad_input(worlds: Any, label: Any, code: str, said: str) -> None:
    spec = check(worlds, {"deterministic": "1"})
    options = spec["checks"][0]["label_privacy"]
    options.pop("label")
    options |= {} if label is None else {"label": label}
    with pytest.raises(InputError) as caught:
        decide(spec)
    assert caught.value.code == code
    assert said in f"{caught.value} {caught.value.hint}"
