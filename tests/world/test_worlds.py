"""Reading and building spaces of worlds."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from verifier.base.document import parse
from verifier.base.errors import InputError
from verifier.world.space import ABSENT, FALSE, TRUE, World
from verifier.world.worlds import (
    WorldSpace,
    check_name,
    database,
    evaluate,
    exchangeable,
    named,
    predicate,
    read_worlds,
)


def read(text: str) -> WorldSpace:
    return read_worlds(parse(f"w: {text}").mapping()["w"])


def names(space: WorldSpace) -> list[str]:
    return space.names(range(space.size))


NAMES = [
    ("[a, b, '00']", ["a", "b", "00"]),
    ("{records: 2, domain: [0, 1]}", ["00", "01", "10", "11"]),
    ("{records: [x, y], domain: [b, a]}", ["bb", "ba", "ab", "aa"]),
    ("{records: 2, domain: [0, 1], exchangeable: true}", ["0×2", "0×1 1×1", "1×2"]),
    ("{records: 1..2, domain: [b], exchangeable: true}", ["b×2", "b×1 ⊥×1"]),
    ("{records: 2..2, domain: [b], exchangeable: true}", ["b×2"]),
    ("{records: 0..1, domain: [b], exchangeable: true}", ["b×1", "⊥×1"]),
    (
        "{records: 2, domain: [b], absent: true, exchangeable: true, where: count(True) > 0}",
        ["b×2", "b×1 ⊥×1"],
    ),
    ("{records: 1, domain: [1, 10]}", ["(1)", "(10)"]),
    ("{records: 2, domain: [0.5, no]}", ["(1/2, 1/2)", "(1/2, no)", "(no, 1/2)", "(no, no)"]),
    ("{records: 1, domain: {A: [a, b], B: [0, 1]}}", ["(a/0)", "(a/1)", "(b/0)", "(b/1)"]),
    ("{records: 2, domain: [0], absent: true}", ["00", "0⊥", "⊥0", "⊥⊥"]),
    ("{records: 3, domain: [0, 1], where: r1 > r2}", ["100", "101"]),
    ("{records: 3, domain: [0, 1], where: [r1 > r2, r3 == 1]}", ["101"]),
    ("{records: 2, domain: [0, 1], where: ['r2 != 0', r1 / r2 == 1]}", ["11"]),
    ("{records: 2, domain: [7]}", ["77"]),
]


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_names_in_order(text: str, expected: list[str]) -> None:
    space = read(text)
    assert names(space) == expected
    assert [space.index(name) for name in expected] == list(range(space.size))
    assert space.index("nowhere") is None
    assert space.complete == ("where" not in text and "1.." not in text)


MALFORMED = [
    ("[]", "S201", 4),
    ("5", "S201", 4),
    ("[a, [b]]", "S014", 8),
    ("[a, b, a]", "S202", 11),
    ("[a, world]", "S203", 8),
    ("[a, '']", "S203", 8),
    ("{records: 2}", "S016", 4),
    ("{records: 2, domian: [0]}", "S015", 17),
    ("{records: 0, domain: [0]}", "S205", 14),
    ("{records: -1, domain: [0]}", "S205", 14),
    ("{records: 1/2, domain: [0]}", "S205", 14),
    ("{records: 1000000, domain: [0]}", "S205", 14),
    ("{records: bob, domain: [0]}", "S205", 14),
    ("{records: [], domain: [0]}", "S205", 14),
    ("{records: [a, a], domain: [0]}", "S202", 18),
    ("{records: [a, 2b], domain: [0]}", "S203", 18),
    ("{records: [a, count], domain: [0]}", "S203", 18),
    ("{records: [a, if], domain: [0]}", "S203", 18),
    ("{records: [value], domain: [0]}", "S203", 15),
    ("{records: [A], domain: {A: [0]}}", "S202", 15),
    ("{records: 2, domain: []}", "S204", 25),
    ("{records: 2, domain: {}}", "S204", 25),
    ("{records: 2, domain: x}", "S204", 25),
    ("{records: 2, domain: {A: []}}", "S204", 29),
    ("{records: 2, domain: {A: x}}", "S014", 29),
    ("{records: 2, domain: {present: [0]}}", "S203", 26),
    ("{records: 2, domain: {r1: [0]}}", "S203", 14),
    ("{records: 2, domain: [0.5, 1/2]}", "S202", 31),
    ("{records: 2, domain: [1, '1']}", "S202", 29),
    ("{records: 2, domain: [a, 'b,c']}", "S204", 29),
    ("{records: 2, domain: [a, '⊥']}", "S204", 29),
    ("{records: 2, domain: [a, ' a']}", "S204", 29),
    ("{records: 2, domain: {A: [x, x/y], B: [y/z, z]}}", "S204", 25),
    ("{records: 40, domain: [0, 1]}", "S206", 14),
    ("{records: 1000, domain: [0, 1]}", "S206", 14),
    ("{records: 2, domain: [0, 1], where: r1 + r2 == 5}", "S207", 40),
    ("{records: 2, domain: [0, 1], where: r1 == r9}", "S303", 46),
    ("{records: 2, domain: [0, 1], where: r1}", "S306", 40),
    ("{records: 2, domain: [0, 1], where: [[r1]]}", "S014", 41),
    ("{records: 2, domain: [0, 1], absent: yes}", "S017", 41),
]


@pytest.mark.parametrize(("text", "code", "column"), MALFORMED)
def test_malformed_worlds(text: str, code: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert (caught.value.code, caught.value.place.column) == (code, column)


def test_too_many_worlds_says_how_many() -> None:
    with pytest.raises(InputError, match=r"2\^40 = 1099511627776 possible worlds"):
        read("{records: 40, domain: [0, 1]}")


def test_python_callers_get_the_same_checks() -> None:
    with pytest.raises(InputError, match="S202"):
        named(["a", "a"])
    with pytest.raises(InputError, match="S202"):
        database(["a"], [1, 1])


def test_record_codes_and_values() -> None:
    space = database(["x", "y"], {"A": ["u", "v"], "B": [0, 1]}, absent=True)
    assert space.attributes == ("A", "B")
    assert space.record_values == (("u", 0), ("u", 1), ("v", 0), ("v", 1), ABSENT)
    expected = [list(codes) for codes in product(range(5), repeat=2)]
    assert space.record_codes.T.tolist() == expected


def test_several_chunks_agree_with_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.world.worlds.CHUNK", 7)
    space = database(["x", "y", "z"], [0, 1, 2], where=["x + y + z == 3"])
    assert names(space) == [
        f"{x}{y}{z}" for x, y, z in product(range(3), repeat=3) if x + y + z == 3
    ]


def test_check_name() -> None:
    space = database(["bob"], [0, 1])
    for text, code in (("bob", "S202"), ("s", "S202"), ("count", "S203"), ("a b", "S203")):
        name = parse(f"'{text}': 1").mapping().entries[0][0]
        with pytest.raises(InputError) as caught:
            check_name(name, "secret", space, ["s"])
        assert caught.value.code == code


def test_secrets_in_expressions() -> None:
    space = named(["a", "b", "c"])
    secrets = {"s": np.array([True, False, True])}
    holds = {
        "world in s": [1, 0, 1],
        "s": [1, 0, 1],
        "not s": [0, 1, 0],
        "world not in s": [0, 1, 0],
        "b in s": [0, 0, 0],
        "c in s and world == c": [0, 0, 1],
    }
    for text, expected in holds.items():
        assert predicate(space, text, secrets).tolist() == [bool(x) for x in expected]
    with pytest.raises(InputError, match="S306"):
        evaluate(space, "1 in s", secrets)


def test_attributes_and_absent_records() -> None:
    space = database(["ann", "bob"], {"age": [1, 2], "ill": ["flu", "no"]}, absent=True)
    world = {name: i for i, name in enumerate(names(space))}
    found = {
        text: evaluate(space, text).tolist()
        for text in (
            "bob.present",
            "count(ill == 'flu')",
            "sum(age)",
            "count(True)",
            "bob.ill",
            "bob",
        )
    }
    here, gone = world["(2/flu, 1/no)"], world["(2/flu, ⊥)"]
    assert [found[text][here] for text in found] == [TRUE, 1, 3, 2, "no", (1, "no")]
    assert [found[text][gone] for text in found] == [FALSE, 1, 2, 1, ABSENT, ABSENT]
    with pytest.raises(InputError, match=r"in world \(1/flu, ⊥\)"):
        evaluate(space, "bob.age + 1")
    with pytest.raises(InputError, match="written in quotes: 'flu'"):
        evaluate(space, "ann.ill == flu")
    with pytest.raises(InputError, match=r"write ann\.ill"):
        evaluate(space, "ill == 'flu'")
    with pytest.raises(InputError, match="did you mean 'ill'"):
        evaluate(space, "ann.il == 'flu'")


def test_single_attribute_reads_like_a_value() -> None:
    space = database(["x"], {"A": ["u", "v"]})
    for text in ("x == 'u'", "x.A == 'u'", "count(A == 'u') == 1", "count(value == 'u') == 1"):
        assert predicate(space, text).tolist() == [True, False]


def test_folds_over_records_and_lists() -> None:
    space = database(["x", "y"], [0, 1])
    values = {
        "count(value == 1)": [0, 1, 1, 2],
        "count(value == x)": [2, 1, 1, 2],
        "count([x == 1])": [0, 0, 1, 1],
        "count(True)": [2, 2, 2, 2],
        "sum([x, y])": [0, 1, 1, 2],
        "sum(3)": [6, 6, 6, 6],
        "sum(value * count(value == 1))": [0, 1, 1, 4],
        "count(count(value == 1) == 1)": [0, 2, 2, 0],
        "hamming(world, (0, 1))": [1, 0, 2, 1],
    }
    for text, expected in values.items():
        assert evaluate(space, text).tolist() == expected, text


def test_million_worlds_with_a_constraint() -> None:
    space = database([f"r{i + 1}" for i in range(20)], [0, 1], where=["count(value == 1) <= 2"])
    assert space.size == 1 + 20 + 190
    full = database([f"r{i + 1}" for i in range(20)], [0, 1])
    assert (full.size, full.complete, space.complete) == (2**20, True, False)
    assert np.bincount(evaluate(full, "count(value == 1) % 2").codes).tolist() == [2**19, 2**19]


def test_errors_point_into_block_scalars() -> None:
    text = "records: 2\ndomain: [0, 1]\nwhere: |\n  r1 == 0 or\\\n   r9 == 1\n"
    with pytest.raises(InputError) as caught:
        read_worlds(parse(text))
    assert caught.value.place[1:] == (5, 4)


def test_a_value_of_several_attributes_is_found_by_its_name_alone() -> None:
    space = database(["x"], {"a": ["1/2", "1/3"], "b": ["p", "q"]})
    assert space.value_code("1/2/p") == 0
    assert database(["x"], {"a": [1, 2], "b": [2, 3]}).value_code("2/4") is None
    assert database(["x"], ["1/2", 1]).value_code("0.5") == 0


def test_texts_denote_values_before_numbers() -> None:
    """A world, else a record's value, else a list of such, a truth, a number or a word."""
    bits, digits = database(["x", "y"], [0, 1]), database(["x"], [0, 10])
    pairs = database(["x"], {"a": [0, 1], "b": [0, 1]})
    words = database(["x", "y"], ["True", "1/0"], where=["x == y"])
    for space, text, value, number in (
        *((bits, "10", (1, 0), 10), (bits, "01", (0, 1), None), (digits, "(10)", (10,), 10)),
        (words, "(True, 1/0)", ("True", "1/0"), None),
    ):
        world = space.denoted(text)
        assert isinstance(world, World) and (world.records, world.value) == (value, number), text
    assert bits.denoted("10").number == 2 and words.denoted("(True, 1/0)").number == -1
    for space, text, found in (
        *((bits, "0.5", Fraction(1, 2)), (bits, "12", 12), (digits, "10.0", 10), (bits, "1", 1)),
        *((pairs, "1/0", (1, 0)), (pairs, "0/2", 0), (pairs, "2/0", "2/0"), (bits, "1/0", "1/0")),
        *(
            (bits, "True", TRUE),
            (words, "True", "True"),
            (bits, "('a, b', (1, '2'))", ("a, b", (1, "2"))),
        ),
        *((bits, "(3,)", (3,)), (bits, "()", ()), (bits, "(a", "(a"), (bits, "(a)", "(a)")),
    ):
        assert space.denoted(text) == found, text
    assert [part.records for part in bits.denoted("(00, 10)")] == [(0, 0), (1, 0)]


def test_a_world_of_one_record_is_its_value() -> None:
    for values in ([0, 1], ["n", "y"], ["00", "01"]):
        space = database(["x"], values)
        for text in ("world == x", "world[0] == world", "x in [world]", "[x] == world"):
            assert predicate(space, text).all(), (values, text)
    with pytest.raises(InputError, match="never equals"):
        predicate(database(["x", "y"], [0, 1]), "world == 1")


def test_expressions_on_histograms() -> None:
    """They have the same values as on the lists of a histogram."""
    domain = {"A": [0, 1], "B": ["u", "v"]}
    lists, histograms = database(["x", "y", "z"], domain, True), exchangeable(3, domain, True)
    texts = ["count(A == 1 and B == 'u')", "sum(A + 2)", "count(True)", "count(1 / (2*A - 1) > 0)"]
    counts = [
        " ".join(sorted(f"{histograms.value_names[c]}×{list(row).count(c)}" for c in set(row)))
        for row in lists.record_codes.T.tolist()
    ]
    order = [" ".join(sorted(name.split())) for name in names(histograms)]
    for text in texts:
        found = dict(zip(order, evaluate(histograms, text).tolist(), strict=True))
        assert [found[name] for name in counts] == evaluate(lists, text).tolist()


def test_what_no_record_of_a_histogram_has_is_not_evaluated() -> None:
    space = exchangeable(2, [0, 1])
    assert predicate(space, "count(1 / value == 1) == 2 if count(value == 0) == 0 else False").sum()
    with pytest.raises(InputError, match=r"S307.*0×2"):
        evaluate(space, "sum(1 / value)")
