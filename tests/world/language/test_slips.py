"""Comparisons that can never hold are told from domains and constants alone."""

from __future__ import annotations

import pytest

from verifier.base.errors import InputError, InputErrors
from verifier.programs.run import run_program
from verifier.world.language.evaluate import evaluate, evaluate_each, predicate
from verifier.world.space import WorldSpace
from verifier.world.worlds import database, named

PEOPLE = database(["ann", "bob"], {"disease": ["flu", "none"], "age": [1, 2]})
BITS = database(["ann", "bob"], [0, 1])
MAYBE = database(["ann", "bob"], ["up", "down"], absent=True)
MIXED = database(["ann"], [0, 1, "refused"])
ALONE = database(["ann", "bob"], {"code": [12, 13]})
NAMED = named(["sun", "rain"])

NEVER = [
    (BITS, "ann == '1'", "a number (0, 1) never equals a word ('1')", "write 1 without quotes"),
    (BITS, "ann != True", "never equals a truth", ""),
    (BITS, "(ann == 1) == 1", "a truth never equals a number (1)", "a truth stands by itself"),
    (BITS, "ann == 2", "a number (2) is none of the values: 0, 1", "write one of 0, 1"),
    (BITS, "count(value == -1) > 0", "a number (-1) is none of the values", ""),
    (BITS, "ann in [0, '1']", "never equals", "write 1 without quotes"),
    (BITS, "world == [0, 0, 0]", "a list of 3 values", ""),
    (BITS, "world in [[0, 2], [1, 1]]", "", ""),
    (BITS, "world == '012'", "no world is named a word ('012')", ""),
    (BITS, "world == 0", "", ""),
    (BITS, "[ann, bob] == [0, '0']", "", ""),
    (BITS, "(ann, bob) == (1, 0, 1)", "a list of 2 values never equals a list of 3 values", ""),
    (BITS, "count(value == 1) == 'two'", "a number never equals a word ('two')", ""),
    (BITS, "0 < count(value == 1) == '2'", "", "write 2 without quotes"),
    (PEOPLE, "count(disease == 'Flu')", "none of the values: flu, none", "did you mean 'flu'?"),
    (PEOPLE, "ann.disease == 'nnoe'", "", "did you mean 'none'?"),
    (PEOPLE, "ann.age == 'flu'", "a number (1, 2) never equals a word ('flu')", ""),
    (PEOPLE, "ann.age == ann.disease", "", ""),
    (PEOPLE, "ann == 'flu'", "", ""),
    (PEOPLE, "ann == ('flu', 3)", "", ""),
    (PEOPLE, "world in [['flu', 1]]", "a world of 2 records never equals a list of 2", "records'"),
    (MAYBE, "ann == 'upp'", "none of the values: down, up", "did you mean 'up'?"),
    (MAYBE, "ann == 0", "", ""),
    (MIXED, "ann == 'refuse'", "", "did you mean 'refused'?"),
    (MIXED, "ann == 7", "", ""),
    (NAMED, "world == 'snu'", "", "did you mean 'sun'?"),
    (NAMED, "world == [1]", "", ""),
    (NAMED, "rain == 'rani'", "", ""),
]


@pytest.mark.parametrize(("space", "text", "said", "hint"), NEVER, ids=lambda x: str(x)[:30])
def test_what_can_never_hold(space: WorldSpace, text: str, said: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(space, text)
    assert caught.value.code == "S309"
    assert said in caught.value.message
    assert hint in caught.value.hint


FINE = [
    (BITS, "ann == 1 and bob != 0", ["11"]),
    (BITS, "world == [0, 1]", ["01"]),
    (BITS, "[1, 0] == world", ["10"]),
    (BITS, "world in [[0, 0], [1, 1]]", ["00", "11"]),
    (BITS, "world in ['01', '10']", ["01", "10"]),
    (BITS, "ann + bob == 5", []),  # a sum may be any number
    (BITS, "[ann, 'a'] == [1, 'a']", ["10", "11"]),
    (ALONE, "world == [12, 13]", ["(12, 13)"]),
    (ALONE, "ann.code == 12 and bob == 13", ["(12, 13)"]),
    (ALONE, "world[0] == ann and world[1] == 13", ["(12, 13)", "(13, 13)"]),
    (ALONE, "sum(world) == 24", ["(12, 12)"]),
    (PEOPLE, "world == [['flu', 1], ['none', 2]]", ["(flu/1, none/2)"]),
    (PEOPLE, "ann == ('flu', 1) and bob == ann", ["(flu/1, flu/1)"]),
    (MAYBE, "ann == 'up' and not bob.present", ["(up, ⊥)"]),
    (MIXED, "ann == 'refused' or ann == 1", ["(1)", "(refused)"]),
    (NAMED, "world == 'sun' or world == rain", ["sun", "rain"]),
]


@pytest.mark.parametrize(("space", "text", "worlds"), FINE, ids=lambda x: str(x)[:30])
def test_what_may_hold(space: WorldSpace, text: str, worlds: list[str]) -> None:
    holds = predicate(space, text)
    found = {space.name(w) for w in range(space.size) if holds[w]}
    assert found == set(worlds) & set(space.names(range(space.size)))
    assert not worlds or found


def run(program: str) -> list[str]:
    return list(run_program(BITS, program).outputs)


PROGRAMS = [
    "if bernoulli(1/2) == 1:\n    return ann\nreturn 'nothing'",
    "coin = bernoulli(1/2)\nif coin == 1:\n    return ann\nreturn 'nothing'",
    "coins = [uniform(1, 6)]\nreturn 3 in coins",
    "if draw({'keep': 1/2, 'thin': 1/2}) == 'kep':\n    return ann\nreturn 0",
    "x = 'none'\nif ann == 1:\n    x = 'some'\nreturn x == 'nobody'",
    "x = 0\nfor i in range(3):\n    x += i\nreturn x == 'three'",
    "return draw(bernoulli(1/2)) == '1'",
    "pairs = [(ann, 'a'), (bob, 'b')]\nreturn pairs[0][1] == 1",
    "pair = draw({'a': 1/2, 'b': 1/2})\nsome = ['a', 'B']\nreturn pair in some",
    "l = []\nfor v in [ann, bob]:\n    l.append(v)\nreturn 'x' in l",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_whose_comparisons_never_hold(program: str) -> None:
    with pytest.raises(InputError) as caught:
        run(program)
    assert caught.value.code == "S309"


def test_a_variable_may_hold_a_number_here_and_a_word_there() -> None:
    program = (
        "best = 'none'\n"
        "for v in [ann, bob]:\n"
        "    if best == 'none':\n"
        "        best = v\n"
        "    elif v > best:\n"
        "        best = v\n"
        "return best == 1"
    )
    assert run(program) == ["False", "True"]


def test_all_of_a_program_is_told_at_once() -> None:
    with pytest.raises(InputErrors) as caught:
        run("if ann == '1':\n    return 1\nreturn bob == 'x'")
    assert [(error.code, error.place.line) for error in caught.value.all if error.place] == [
        ("S309", 1),
        ("S309", 3),
    ]


def test_a_distribution_that_reaches_a_comparison_is_refused_when_it_does() -> None:
    program = "d = bernoulli(1/2)\nx = [d, 1][ann]\nreturn x == 1"
    with pytest.raises(InputError, match="S309"):
        run(program)


def test_a_list_with_a_second_name_is_copied() -> None:
    program = "rest = [ann]\nleft = rest\nleft.append(bob)\nreturn (len(rest), len(left))"
    assert run(program) == ["(1, 2)"]


def test_a_bound_name_takes_several_values() -> None:
    """A candidate may equal a constant in another round, and no value at all if it is far from
    them; a misspelt one is told."""
    candidates = ["flu", "none", "nobody"]
    text = "0 if candidate == 'nobody' else count(disease == candidate)"
    assert len(evaluate_each(PEOPLE, text, {}, "candidate", candidates)) == 3
    with pytest.raises(InputError) as caught:
        evaluate_each(PEOPLE, text, {}, "candidate", ["flu", "nonne", "nobody"])
    assert (caught.value.code, caught.value.hint) == ("S309", "did you mean 'none'?")
