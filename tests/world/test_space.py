"""The scalar semantics, by table."""

from fractions import Fraction

import pytest

from verifier.base.errors import InputError
from verifier.world.space import FALSE, TRUE, World, WorldSpace, as_value, literal, order_key, show
from verifier.world.worlds import evaluate, named

HALF = Fraction(1, 2)
ONE = named(["w"])

TABLE = [
    ("1 + 2 * 3", 7),
    ("1 / 2", HALF),
    ("4 / 2", 2),
    ("0.1 + 0.2 == 0.3", TRUE),
    ("1e-3", Fraction(1, 1000)),
    (".5", HALF),
    ("2.", 2),
    ("-7 // 2", -4),
    ("-7 % 3", 2),
    ("7/2 % 1", HALF),
    ("-2 ** 2", -4),
    ("2 ** -2", Fraction(1, 4)),
    ("(1/2) ** 3", Fraction(1, 8)),
    ("0 ** 0", 1),
    ("(-1) ** (10**30 + 1)", -1),
    ("True == True", TRUE),
    ("(1, 'a') == [1, 'a']", TRUE),
    ("0 < 1 <= 1 < 2", TRUE),
    ("0 < 1 > 2", FALSE),
    ("True and not False", TRUE),
    ("False or 1 == 1", TRUE),
    ("True or 1/0 == 1", TRUE),
    ("False and 1/0 == 1", FALSE),
    ("1 if 1 < 2 else 1/0", 1),
    ("[1, 2, 3][-1]", 3),
    ("(1, 2) + [3]", (1, 2, 3)),
    ("()", ()),
    ("len([1, [2, 3]])", 2),
    ("2 in (1, 2)", TRUE),
    ("3 not in [1, 2]", TRUE),
    ("min(3, 1, 2)", 1),
    ("max([3, 1, 2])", 3),
    ("abs(-1/2)", HALF),
    ("xor(1, 1, 1)", 1),
    ("xor(True, True)", FALSE),
    ("xor([1, 0])", 1),
    ("hamming((1, 'a', 2), (1, 'b', 3))", 2),
    ("range(3)", (0, 1, 2)),
    ("range(3, 0, -2)", (3, 1)),
    ("sum([1, 1/2])", Fraction(3, 2)),
    ("sum(range(5))", 10),
    ("sum([])", 0),
    ("count([1 == 1, 1 == 2, True])", 2),
    ("world", World("w")),
    ("world == w", TRUE),
    ("world == 'w'", TRUE),
    ("'é' + 'x' if False else 'é'", "é"),
    ("  1 +\\\n 1", 2),
]


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_value(text: str, expected: object) -> None:
    (found,) = evaluate(ONE, text).values
    assert found == expected
    assert type(found) is type(expected)


FAILURES = [
    ("1 / 0", "S307", 1),
    ("1 + 1 % 0", "S307", 5),
    ("0 ** -1", "S307", 1),
    ("2 ** (1/2)", "S307", 1),
    ("9**9**9", "S307", 1),
    ("range(10**9)", "S307", 1),
    ("1 == True", "S309", 1),
    ("0 != False", "S309", 1),
    ("2 + ('1' == 1)", "S309", 6),
    ("(1, True) == (1, 1)", "S309", 1),
    ("(1, 2) == (1, 2, 3)", "S309", 1),
    ("1 != 'a'", "S309", 1),
    ("[1] == 'a'", "S309", 1),
    ("1 == 1 == 'a'", "S309", 1),
    ("3 in (1, 'a', True)", "S309", 10),
    ("'3' not in [1, 2]", "S309", 13),
    ("world == 'v'", "S309", 1),
    ("world == 1", "S309", 1),
    ("world in ['w', 'v']", "S309", 16),
    ("world == [1]", "S309", 1),
    ("1 + 'a'", "S306", 1),
    ("True + 1", "S306", 1),
    ("'a' < 'b'", "S306", 1),
    ("True < 2", "S306", 1),
    ("(1, 2) < (1, 3)", "S306", 1),
    ("not 1", "S306", 1),
    ("1 == 1 and 1", "S306", 12),
    ("1 if 0 else 2", "S306", 6),
    ("len(3)", "S306", 1),
    ("1 in 1", "S306", 1),
    ("sum([1 == 1])", "S306", 1),
    ("count([1])", "S306", 1),
    ("count(1 == 1)", "S306", 1),
    ("xor(2, 1)", "S306", 1),
    ("xor(True, 1)", "S306", 1),
    ("[1][1]", "S308", 1),
    ("[1][1/2]", "S306", 1),
    ("min([])", "S308", 1),
    ("hamming([1], [1, 2])", "S308", 1),
    ("1j", "S304", 1),
    ("1 + 0x10", "S304", 5),
    ("1_000", "S304", 1),
    ("1e99999", "S102", 1),
    ("...", "S302", 1),
    ("None", "S302", 1),
    ("b'x'", "S302", 1),
    ("f'{w}'", "S302", 1),
    ("'é' == lambda: 1", "S301", 8),
    ("[x for x in (1, 2)]", "S302", 1),
    ("{1: 2}", "S302", 1),
    ("{1, 2}", "S302", 1),
    ("[1, 2][0:1]", "S302", 1),
    ("1 @ 2", "S302", 1),
    ("~1", "S302", 1),
    ("1 is 1", "S302", 1),
    ("w.name", "S302", 1),
    ("(1).real", "S302", 1),
    ("len(*[1])", "S302", 5),
    ("'éé' == nothing", "S303", 9),
    ("lenn([1])", "S303", 1),
    ("len", "S303", 1),
    ("value", "S303", 1),
    ("draw(1)", "S303", 1),
    ("len()", "S305", 1),
    ("len(x=1)", "S305", 1),
    ("abs(1, 2)", "S305", 1),
    ("", "S301", 1),
    ("1 +", "S301", 4),
    ("1) + (1", "S301", 2),
    ("1 = 1", "S301", 1),
    ("-" * 3000 + "1", "S304", 1),
    ("(" * 3000, "S301", 201),
    ("+".join(["1"] * 5000), "S304", 1),
    ("1 " * 20_000, "S304", 1),
    ("9" * 12_000, "S102", 1),
]


@pytest.mark.parametrize(("text", "code", "column"), FAILURES, ids=lambda x: str(x)[:20])
def test_failure_with_its_place(text: str, code: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(ONE, text)
    assert caught.value.code == code
    if code != "S301":  # where a syntax error is seen differs between versions of Python
        assert caught.value.place.column == column


def test_nearest_name_is_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'hamming'"):
        evaluate(ONE, "haming([1], [1])")


def test_variables_of_the_caller() -> None:
    found = evaluate(
        ONE, "candidate + [x]", variables={"candidate": [True, 1], "x": Fraction(4, 2)}
    )
    assert found.values == ((TRUE, 1, 2),)
    with pytest.raises(InputError, match="S101"):
        evaluate(ONE, "x", variables={"x": 0.1})


def test_literals_of_a_file() -> None:
    assert [literal(t) for t in ("1", "1/2", "0.5", "011", "yes")] == [1, HALF, HALF, "011", "yes"]
    assert as_value((True, [Fraction(2, 2)])) == (TRUE, (1,))


def test_labels() -> None:
    shown = {
        "('noisy', 2)": ("noisy", 2),
        "(3,)": (3,),
        "((1/2,), True)": ((HALF,), TRUE),
        "yes": "yes",
        "(a1, b1)": (World("a1"), World("b1")),
    }
    assert all(show(value) == label for label, value in shown.items())


def test_order_of_outputs() -> None:
    ordered = [
        -1,
        HALF,
        3,
        FALSE,
        TRUE,
        "a",
        "b",
        World("z", 0),
        World("y", 1),
        (1,),
        (1, 2),
        ("a",),
    ]
    backwards = ordered[::-1]
    assert sorted(backwards, key=order_key) == ordered


def test_named_space_knows_its_worlds() -> None:
    space = WorldSpace(2, given=("a", "b"))
    assert (space.index("b"), space.index("c"), space.name(0)) == (1, None, "a")
