"""Forged certificates about what is compared, added or counted as one: equal columns, equal texts,
entries that share an integer."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.checker.conftest import certificate, listed, mechanism_model, sensitivity
from tests.checker.drafts import check
from verifier.checker.cuts import multiply
from verifier.checker.document import Refused
from verifier.checker.levels import Level
from verifier.checker.linear import Row, combined
from verifier.checker.obligations import Compared
from verifier.checker.reading import Table, is_distribution, numbers

ONE, HAIR = Fraction(1), Fraction(1, 10**30)
# a and c are alike, and so are b and d; only a and b, and c and a are neighbours
FIRST, SECOND = ["3/4", "1/4"], ["1/4", "3/4"]
WORLDS = {"a": FIRST, "b": SECOND, "c": FIRST, "d": SECOND}
PAIRS = listed(4, (0, 1), (2, 0))


@pytest.mark.parametrize("i", range(4))
@pytest.mark.parametrize("j", range(4))
def test_a_witness_is_no_other_pair_with_the_same_columns(i: int, j: int) -> None:
    witness = {"pair": [i, j], "output": 0}
    found = check(certificate(mechanism_model(WORLDS), PAIRS, "3", "violated", witness))
    assert (found.outcome == "accepted") == ((i, j) == (0, 1))
    delta = {"exp_epsilon": "2", "delta": "1/8"}  # 3/4 - 1/8 is 5/2 times 1/4
    witness = {"pair": [i, j], "outputs": [0]}
    found = check(certificate(mechanism_model(WORLDS), PAIRS, "5/2", "violated", witness, delta))
    assert (found.outcome == "accepted") == ((i, j) == (0, 1))


@pytest.mark.parametrize(
    "pair", [[False, True], [0.0, 1], [0, "1"], [0], [0, 1, 1], [], {0: 1}, "01", None, [[0], 1]]
)
def test_a_pair_is_of_two_worlds(pair: Any) -> None:
    for witness in ({"pair": pair, "output": 0}, {"pair": pair}, pair, [pair]):
        document = certificate(mechanism_model(WORLDS), PAIRS, "3", "violated", witness)
        assert check(document).outcome != "accepted"
    model = {"worlds": list("abcd"), "functions": [["1", "0", "1", "0"]]}
    assert check(sensitivity(model, PAIRS, "1", None, "holds", pair)).outcome != "accepted"


@pytest.mark.parametrize("rule", ["replace", "entry", "add_remove"])
def test_worlds_that_are_alike_are_neighbours_all_the_same(rule: str) -> None:
    """Neighbours with equal columns are compared, so that nothing may be said to be vacuous."""
    rows = [[0], [-1]] if rule == "add_remove" else [[0], [1]]
    model = mechanism_model({"a": ["1/2", "1/2"], "b": ["1/2", "1/2"]}, rows)
    relation = {"rule": rule, "group": 1}
    assert check(certificate(model, relation, "1", "holds")).outcome == "accepted"
    assert check(certificate(model, relation, {"vacuous": True}, "holds")).outcome == "rejected"
    points = {key: model[key] for key in ("worlds", "records", "entries_per_record")}
    points["functions"] = [["1", "1"]]
    for pair in (None, [0, 1], [1, 0]):
        document = sensitivity(points, relation, "0", None, "holds", pair)
        assert check(document).outcome == "accepted"
    assert check(sensitivity(points, relation, "0", None, "holds", [0, 0])).outcome == "rejected"


@pytest.mark.parametrize("i", range(4))
@pytest.mark.parametrize("j", range(4))
def test_a_witness_of_sensitivity_is_a_pair_of_the_relation(i: int, j: int) -> None:
    model = {"worlds": list("abcd"), "functions": [["1", "0", "1", "0"]]}
    found = check(sensitivity(model, PAIRS, "1", None, "holds", [i, j]))
    assert (found.outcome == "accepted") == ((i, j) == (0, 1))


@pytest.mark.parametrize(
    "forged",
    [
        *(["1", 1], ["1", True], [1, "1"], ["1", 1.0], ["1", None], ["1", ["1"]], ("1", "1")),
        *(["1", "1 "], ["+1", "1"], ["1.0"], ["1/0"], ["١"], [b"1"]),
    ],
)
def test_equal_texts_are_read_once_and_nothing_else_is(forged: Any) -> None:
    assert numbers(["1", "2/2", "1"]) == [ONE, ONE, ONE]
    assert numbers(["1", ONE]) == [ONE, ONE]
    with pytest.raises((Refused, ZeroDivisionError)):
        numbers(forged)


@pytest.mark.parametrize(
    ("found", "size", "fits"),
    [
        (["1/2", "1/2"], 2, True),
        (["1/2", "1/2"], 3, False),
        (["3/2", "-1/2"], 2, False),
        (["1/2", "1/3"], 2, False),
        (["1/2", "1/2", "0"], 3, True),
        ([], 0, False),
        ([f"1/{10**40}", f"{10**40 - 1}/{10**40}"], 2, True),
        ([f"1/{10**40}", f"{10**40 - 2}/{10**40}"], 2, False),
    ],
)
def test_what_is_a_distribution(found: list[str], size: int, fits: bool) -> None:
    assert is_distribution(numbers(found), size) is fits


def test_sums_of_rows_one_by_one() -> None:
    random, outcomes = Random(1), set()
    for _ in range(100):
        rows = [[random.choice([0, 0, 1, 2**31]) for _ in range(3)] for _ in range(3)]
        factors = [random.choice([ONE, -ONE, Fraction(1, 3), Fraction(-2, 2**31)]) for _ in rows]
        rows.append([sum(map(int, column)) for column in zip(*rows, strict=True)])
        terms = [
            (y, Row.over(random.choice([1, 3]), dict(enumerate(row))))
            for y, row in zip([*factors, -ONE], rows, strict=True)
        ]
        at = [
            sum(
                y * Fraction(v, row.unit)
                for y, row in terms
                for v, ks in row.places.items()
                if k in ks
            )
            for k in range(3)
        ]
        outcomes.add(not any(at))
        unit, found = combined(3, terms)
        assert unit > 0 and [Fraction(x, unit) for x in found] == at
    assert outcomes == {True, False}


@pytest.mark.parametrize("size", [2, 5, 130])
@pytest.mark.parametrize("alpha", [ONE, Fraction(3, 2), 1 + HAIR, Fraction(10**40)])
def test_the_largest_excess_of_drawn_pairs(size: int, alpha: Fraction) -> None:
    """A delta that is a hair less than the largest excess does not hold, whatever the width."""
    random = Random(f"{size} {alpha}")
    ends = [Fraction(0), HAIR, Fraction(1, 3), Fraction(1, 2), Fraction(1, 7)]
    for _ in range(10):
        values = sorted({*ends, *(Fraction(random.randint(1, 99), 300) for _ in range(size))})
        columns = [tuple(random.choices(range(len(values)), k=4)) for _ in range(4)]
        blocks = [([0, 1], [2, 3], ONE), ([2], [0], ONE)]
        excesses = [
            sum(
                max(Fraction(0), values[p] - alpha * values[q])
                for p, q in zip(columns[i], columns[j], strict=True)
            )
            for i, j in [*product([0, 1], [2, 3]), (2, 0)]
        ]
        compared = Compared(Table(values, columns), blocks)
        assert compared.is_least(alpha, max(excesses))
        if max(excesses) > HAIR:
            assert compared.holds(Level(alpha), max(excesses))
            assert not compared.holds(Level(alpha), max(excesses) - HAIR**2)
            assert not compared.is_least(alpha, max(excesses) + HAIR**2)


def test_an_excess_is_of_each_entry_alone() -> None:
    """What one entry is above does not make up for what another one is below."""
    values = [Fraction(n, 2**16) for n in (0, 1, 2**15)]
    compared = Compared(Table(values, [(2, 0, 1), (0, 2, 1), (0, 0, 1), (1, 1, 0)]), [])
    excesses = ((0, 1, 2**15), (2, 3, 1), (3, 2, 2))
    assert all(compared.excess(i, j, Fraction(1)) == (n, 2**16) for i, j, n in excesses)


def test_extremes_are_of_each_output_alone() -> None:
    """The largest probability of one side and the least one of the other, output by output."""
    random = Random("extremes")
    for _ in range(200):
        values = [Fraction(random.randint(0, 9), 7) for _ in range(4)]
        columns = [[random.randrange(4) for _ in range(3)] for _ in range(5)]
        s, t = (random.sample(range(5), random.randint(1, 3)) for _ in range(2))
        table = Table(values, list(map(tuple, columns)))
        found = {
            (max(values[columns[i][o]] for i in s), min(values[columns[j][o]] for j in t))
            for o in range(3)
        }
        unit, pairs = table.whole[0], table.extremes(s, t, seen := set())
        assert {(Fraction(p, unit), Fraction(q, unit)) for p, q in pairs} == found
        assert not table.extremes(s, t, seen)


def test_blocks_together_ask_what_their_pairs_ask_one_by_one() -> None:
    random, held = Random(7), 0
    for _ in range(1000):
        values = [Fraction(random.randint(1, 9), 10) for _ in range(2)]
        columns = [tuple(random.randrange(2) for _ in range(3)) for _ in range(4)]
        sides = [frozenset(random.sample(range(4), random.randint(1, 3))) for _ in range(4)]
        blocks = [(*random.choices(sides, k=2), Fraction(d)) for d in (3, 2, 1, 1)]
        # a world is not compared with itself
        blocks = [(s, t, d) for s, t, d in blocks if s != t or len(s) > 1]
        alpha = Fraction(random.choice([10, 13, 15, 20, 30, 60]), 10)
        told = all(
            values[p] <= alpha**d * values[q]
            for s, t, d in blocks
            for i, j in product(s, t)
            if i != j or s != t
            for p, q in zip(columns[i], columns[j], strict=True)
        )
        held += told
        assert Compared(Table(values, columns), blocks).holds(Level(alpha), Fraction(0)) == told
    assert 100 < held < 900


def test_one_row_asks_for_more_where_more_of_it_is_above() -> None:
    table = Table([Fraction(1, 10), Fraction(9, 10)], [(0,), (1,), (0,)] * 2)
    first = frozenset({0}), frozenset({1, 2}), Fraction(1)
    other = frozenset({3, 4}), frozenset({5}), Fraction(1)
    held = [
        Compared(table, list(blocks)).holds(Level(Fraction(2)), Fraction(0))
        for blocks in ([first], [other], [first, other])
    ]
    assert held == [True, False, False]


def test_exponents_do_not_carry_into_the_next_variable() -> None:
    most = 10**4
    for m, n in (((most, 0), (most, 1)), ((2**16, 0), (2**16 - 1, 1)), ((2**32, 5), (2**32, 0))):
        assert multiply({m: 2}, {n: 3}) == {(m[0] + n[0], m[1] + n[1]): 6}
    assert multiply({(1, 0): 1, (0, 1): 1}, {(1, 0): 1, (0, 1): -1}) == {
        (2, 0): 1,
        (1, 1): 0,
        (0, 2): -1,
    }
    assert multiply({}, {(1, 0): 1}) == {} == multiply({(1, 0): 1}, {})
    assert multiply({(2**64,): 1}, {(0,): 1}) == {(2**64,): 1}


def test_many_long_denominators_are_no_reason_to_refuse(monkeypatch: Any) -> None:
    """Each column has a denominator of its own: what they have in common is not needed."""
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**6)
    random, columns = Random(3), {}
    for world in range(100):
        weights = [random.randrange(10**200, 2 * 10**200) for _ in range(4)]
        columns[str(world)] = [Fraction(weight, sum(weights)) for weight in weights]
    model = mechanism_model(columns, [[world] for world in range(100)])
    relation = {"rule": "replace", "group": 1}
    worst = max(
        (Fraction(max(row), min(row)), o)
        for o, row in enumerate(zip(*columns.values(), strict=True))
    )
    row = [column[worst[1]] for column in columns.values()]
    witness = {"pair": [row.index(max(row)), row.index(min(row))], "output": worst[1]}
    document = certificate(model, relation, str(worst[0]), "violated", witness)
    assert check(document).outcome == "accepted"
    for wrong in (worst[0] + HAIR, worst[0] - HAIR):
        document = certificate(model, relation, str(wrong), "violated", witness)
        assert check(document).outcome == "rejected"
    model["columns"][7] = [*model["columns"][7][:3], model["columns"][8][3]]
    document = certificate(model, relation, str(worst[0]), "violated", witness)
    assert "sum to 1" in check(document).reason
