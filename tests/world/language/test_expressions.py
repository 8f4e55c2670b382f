"""Expressions over all worlds at once against Python's own evaluation world by world.

Each drawn expression is written twice: in the language, and as Python text in which every number
is a Fraction. The second is evaluated in one world after the other by Python itself.
"""

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.base.errors import InputError
from verifier.world.language.meanings import DISTRIBUTIONS, FUNCTIONS
from verifier.world.language.reader import FOLDS
from verifier.world.space import Truth
from verifier.world.worlds import WorldSpace, database, evaluate, predicate

DOMAIN = [Fraction(-1), Fraction(0), Fraction(1, 3)]
NAMES = ("r1", "r2")
Pair = tuple[str, str]  # the same expression in the language, and in Python


def both(form: str, *parts: Pair) -> Pair:
    return form.format(*(p[0] for p in parts)), form.format(*(p[1] for p in parts))


class Writer:
    """Draws well-typed expressions."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def number(self, depth: int, inside: bool = False) -> Pair:
        draw = self.random
        leaves = [*NAMES, *(["value"] * 2 * inside)]
        if depth == 0 or draw.random() < 0.15:
            if draw.random() < 0.6:
                return both(draw.choice(leaves))
            text = draw.choice(["0", "1", "2", "0.5", "1e-3", "1000000"])
            return text, f"F('{text}')"
        a, b = (self.number(depth - 1, inside) for _ in range(2))
        kind = draw.randrange(12)
        if kind < 5:
            return both(draw.choice(["({} + {})", "({} - {})", "({} * {})", "({} / {})"]), a, b)
        if kind == 5:
            return both(draw.choice(["({} % {})", "({} // {})"]), a, b)
        if kind == 6:
            return both("(-{} if {} else {})", a, self.truth(depth - 1, inside), b)
        if kind == 7:
            return both(draw.choice(["min({}, {})", "max([{}, {}])", "abs({} - {})"]), a, b)
        if kind == 8:
            return both("[{}, {}][" + draw.choice(["0", "-1", "1"]) + "]", a, b)
        if kind == 9:
            power = draw.choice(["2", "0", "-1"])
            return both("({})**" + power, a)
        fold = draw.choice(["sum", "count"])
        if inside:
            return f"len([{a[0]}, {b[0]}])", f"F(len([{a[1]}, {b[1]}]))"
        if fold == "sum":
            body = self.number(depth - 1, inside=True)
            body = both("({} + value)", body)
            return f"sum({body[0]})", f"sum([{body[1]} for value in R])"
        test = self.truth(depth - 1, inside=True)
        test = both("({} or value == 0)", test)
        return f"count({test[0]})", f"F(sum([int({test[1]}) for value in R]))"

    def truth(self, depth: int, inside: bool = False) -> Pair:
        draw = self.random
        if depth == 0 or draw.random() < 0.5:
            a, b = (self.number(max(0, depth - 1), inside) for _ in range(2))
            sign = draw.choice(["==", "!=", "<", "<=", ">", ">="])
            return both("({} + 0 " + sign + " {})", a, b)  # not a constant outside the domain
        a, b = (self.truth(depth - 1, inside) for _ in range(2))
        kind = draw.randrange(5)
        if kind == 0:
            return both("(not {})", a)
        if kind == 1:
            return both("({} + 0 in ({}, {}))", *(self.number(depth - 1, inside) for _ in range(3)))
        if kind == 2:
            low, high = both("-1"), both("r2")
            return both("({} < {} <= {})", low, self.number(0, inside), high)
        return both(draw.choice(["({} and {})", "({} or {})"]), a, b)


def space() -> WorldSpace:
    return database(NAMES, DOMAIN)


def python_value(text: str, world: tuple[Fraction, ...]) -> object:
    scope = {"F": Fraction, "R": world, **dict(zip(NAMES, world, strict=True))}
    return eval(text, scope)


@examples(300)
@given(st.randoms(use_true_random=False), st.booleans())
def test_lifted_evaluation_is_evaluation_world_by_world(random: Random, truth: bool) -> None:
    writer = Writer(random)
    ours, python = writer.truth(4) if truth else writer.number(4)
    expected: list[object] = []
    worlds = list(product(DOMAIN, repeat=2))
    for number, world in enumerate(worlds):
        try:
            expected.append(python_value(python, world))
        except ZeroDivisionError:
            with pytest.raises(InputError) as caught:
                evaluate(space(), ours)
            assert caught.value.code == "S307"
            failing = caught.value.message.rsplit("(in world ", 1)
            if len(failing) == 2:  # otherwise it fails in every world
                names = space().names(range(len(worlds)))
                at = names.index(failing[1][:-1])
                with pytest.raises(ZeroDivisionError):
                    python_value(python, worlds[at])
                assert at >= number
            return
    found = evaluate(space(), ours).tolist()
    assert [bool(x) if isinstance(x, Truth) else x for x in found] == expected
    assert all(isinstance(x, Truth) == truth for x in found)


def test_what_is_not_reached_does_not_fail() -> None:
    worlds = space()
    assert predicate(worlds, "r1 == 0 or 1/r1 < 0").tolist() == [w[0] <= 0 for w in pairs()]
    assert predicate(worlds, "r1 != 0 and 1/r1 == 3").tolist() == [w[0] > 0 for w in pairs()]
    found = evaluate(worlds, "1/r1 if r1 != 0 else 'none'").tolist()
    assert found == [1 / w[0] if w[0] else "none" for w in pairs()]
    assert evaluate(worlds, "0 if True else 9**9**9").tolist() == [0] * 9


def test_errors_name_the_first_world() -> None:
    with pytest.raises(InputError, match=r"division by zero \(in world \(-1, 0\)\)"):
        evaluate(space(), "r1 / r2")
    with pytest.raises(InputError, match=r"\(in world \(0, 0\)\)"):
        evaluate(space(), "r1 == 0 and 1/r2 == 1")


def pairs() -> list[tuple[Fraction, ...]]:
    return list(product(DOMAIN, repeat=2))


def test_predicates_are_truths_everywhere() -> None:
    with pytest.raises(InputError, match="S306"):
        predicate(space(), "r1 == 0 if r2 == 0 else 1")
    assert predicate(space(), "True").tolist() == [True] * 9
    assert predicate(space(), "r1 == r2").dtype == np.bool_


def test_no_word_of_the_language_may_be_taken_as_a_name() -> None:
    space = database(["bob"], [0, 1])
    for word in {*FUNCTIONS, *DISTRIBUTIONS, *FOLDS}:
        assert space.owner(word) == "a word of the language"
    assert space.owner("bob") == "a record"
    assert space.owner("carol", ["carol"]) == "a secret"
    assert space.owner("carol") is None
