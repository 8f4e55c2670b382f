"""Leakage as guesses see it: strategies of attackers gone through one by one, numbers of papers.

The oracle tries every way in which guesses can follow outputs, and every prior that is uniform on
some of the worlds; it shares nothing with the engine, which looks at each output alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Json, decide
from tests.drawing import examples
from verifier.base.errors import InputError, NotDecided
from verifier.definitions import g_leakage, maximal_leakage
from verifier.questions.witness import GuessWitness

F = Fraction
EXAMPLES = examples(60)
GAINS: dict[str, Any] = {  # of guess g, in the world in which ann has x and bob y
    "1 if guess == ann else 0": lambda g, x, y: F(g == x),
    "1/3 if guess == ann else (-1 if guess < 10**6 else 0)": lambda g, x, y: (
        F(1, 3) if g == x else F(-1 if g < 10**6 else 0)
    ),
    "0 if guess == bob else 10**-12": lambda g, x, y: F(0) if g == y else F(1, 10**12),
    "0": lambda g, x, y: F(0),
}
HAIR = F(1, 10**30)
Matrix = Sequence[Sequence[Fraction]]


def gained(columns: Matrix, prior: Sequence[Fraction], gains: Matrix) -> tuple[Fraction, Fraction]:
    """The best gain without output and with it, by trying all strategies: output -> guess."""
    guesses, outputs = range(len(gains)), range(len(columns[0]))
    worlds = range(len(prior))
    before = max(sum(prior[w] * gains[g][w] for w in worlds) for g in guesses)
    after = max(
        sum(prior[w] * columns[w][o] * gains[told[o]][w] for w in worlds for o in outputs)
        for told in product(guesses, repeat=len(outputs))
    )
    return before, after


def smallest(found: Sequence[tuple[Fraction, Fraction]], delta: Fraction) -> Fraction | None:
    """The smallest level for such gains; None where infinite."""
    if any(after > delta and not before for before, after in found):
        return None
    return max([F(1), *((after - delta) / before for before, after in found if before)])


def right(worlds: int) -> Matrix:
    """1 for the right world, 0 for others."""
    return [[F(g == w) for w in range(worlds)] for g in range(worlds)]


def check(keyword: str, spec: Json, **options: Any) -> Json:
    """The file with one check, at the level 1 unless another is given."""
    return {**spec, "checks": [{keyword: {"exp_epsilon": "1", **options}}]}


def agrees(
    keyword: str, spec: Json, found: Sequence[tuple[Fraction, Fraction]], **options: Any
) -> None:
    """The level, its verdict a hair around it, and the smallest delta, are those of gains."""
    delta = F(options.get("delta", "0"))
    level = smallest(found, delta)
    for asked in {F(1), F(3, 2), *([] if level is None else [level, max(F(1), level - HAIR)])}:
        answer = decide(check(keyword, spec, **{**options, "exp_epsilon": str(asked)}))
        assert answer.leakage is not None and answer.leakage.exp_epsilon == level
        assert answer.leakage.infinite == (level is None)
        assert (answer.verdict == "holds") == (level is not None and level <= asked)
        if isinstance(answer.shown, GuessWitness):
            assert (answer.shown.gain, answer.shown.after) in found
    if keyword == "g_leakage":
        least = [(a, max(F(0), *(y - a * x for x, y in found))) for a in (F(1), F(3, 2))]
        answer = decide(check(keyword, spec, **options, tradeoff=["1", "3/2"]))
        assert list(answer.tradeoff) == least


@EXAMPLES
@given(st.data())
def test_guesses_by_all_strategies(data: st.DataObject) -> None:
    domain = [F(x) for x in data.draw(st.sampled_from(drawn.NUMBERS))]
    worlds = [(x, y) for x in domain for y in domain]
    outputs = ["u", "v", "w"][: data.draw(st.integers(1, 3))]
    columns = [data.draw(drawn.distributions(len(outputs))) for _ in worlds]
    names = [drawn.world_name(w, domain, absent=False) for w in worlds]
    table = {w: list(map(str, column)) for w, column in zip(names, columns, strict=True)}
    priors = data.draw(st.lists(drawn.distributions(len(worlds)), min_size=1, max_size=2))
    stated = [{"worlds": dict(zip(names, map(str, prior), strict=True))} for prior in priors]
    spec: Json = {
        "worlds": {"records": ["ann", "bob"], "domain": [str(x) for x in domain]},
        "mechanism": {"table": {"outputs": outputs, **table}},
        "priors": {"list": stated},
    }
    delta = {"delta": data.draw(st.sampled_from(["0", "1/7", "1", str(HAIR)]))}
    rows = [list(row) for row in zip(*columns, strict=True)]
    known = [gained(columns, prior, right(len(worlds))) for prior in priors]
    assert known == [g_leakage.value(rows, prior, right(len(worlds))) for prior in priors]
    agrees("g_leakage", spec, known, **delta)
    text = data.draw(st.sampled_from(sorted(GAINS)))
    guesses = [*domain, F(10**7)]
    gains = [[GAINS[text](g, *w) for w in worlds] for g in guesses]
    found = [gained(columns, prior, gains) for prior in priors]
    assert found == [g_leakage.value(rows, prior, gains) for prior in priors]
    agrees("g_leakage", spec, found, guesses=list(map(str, guesses)), gain=text, **delta)


@EXAMPLES
@given(st.data())
def test_all_priors_are_no_worse_than_uniform_ones(data: st.DataObject) -> None:
    """On some of the worlds; drawn priors gain no more, and no drawn gains leak more."""
    space = data.draw(drawn.named_spaces())
    columns = data.draw(drawn.matrices(space.size))
    spec: Json = {"worlds": space.node, "mechanism": drawn.table(space, columns)}
    worlds = range(space.size)
    rows = [list(row) for row in zip(*columns, strict=True)]
    uniform = [
        [F(w in some, len(some)) for w in worlds]
        for size in range(1, space.size + 1)
        for some in combinations(worlds, size)
    ]
    most = maximal_leakage.value(rows)
    assert most == sum((max(row) for row in rows), F(0))
    agrees("maximal_leakage", spec, [(F(1, space.size), most / space.size)])
    found = [g_leakage.value(rows, prior, right(space.size)) for prior in uniform]
    delta = data.draw(st.sampled_from([F(0), F(1, 5), F(1, 3)]))
    agrees("g_leakage", spec, found, priors="all", delta=str(delta))
    level = smallest(found, delta)
    assert level is not None and (delta or level == most)
    prior = data.draw(drawn.distributions(space.size))
    before, after = g_leakage.value(rows, prior, right(space.size))
    assert after <= level * before + delta
    gains = data.draw(st.lists(drawn.distributions(space.size), min_size=1, max_size=3))
    before, after = g_leakage.value(rows, prior, gains)
    assert after <= most * before


def test_a_game_that_leaks_all_that_can_leak() -> None:
    """Alvim et al. 2012, Theorem 5.1: under any prior that allows all worlds some gain attains it:
    each world gains what makes all alike before."""
    worlds = ["dry", "wet"]
    table = {"outputs": ["u", "v"], "dry": ["2/3", "1/3"], "wet": ["1/4", "3/4"]}
    spec: Json = {
        "worlds": worlds,
        "mechanism": {"table": table},
        "priors": {"list": [{"worlds": {"dry": "1/5", "wet": "4/5"}}]},
        "secrets": {"is_wet": ["wet"]},
    }
    gain = "(1/4 if is_wet else 0) if guess == 'rain' else (0 if is_wet else 1)"
    agrees("maximal_leakage", spec, [(F(1, 2), F(17, 24))])
    found = [(F(1, 5), F(17, 60))]
    agrees("g_leakage", spec, found, guesses=["rain", "sun"], gain=gain)


EIGHT: Json = {"records": ["high"], "domain": [str(n) for n in range(256)]}


@pytest.mark.parametrize(
    ("program", "level"),
    [
        ("high if high % 8 == 0 else 1", 33),  # 2^5 multiples of 8, and 1
        ("high % 4", 4),  # the last k + 1 bits, k = 1
        ("0 if high == 7 else 1", 2),  # a password that is tried once
    ],
)
def test_deterministic_programs(program: str, level: int) -> None:
    """Smith 2009, Section 3: of a program without coins it is the number of its outputs."""
    spec: Json = {"worlds": EIGHT, "mechanism": {"deterministic": program}}
    agrees("maximal_leakage", spec, [(F(1, 256), F(level, 256))])
    spec["priors"] = {"list": ["uniform"]}
    agrees("g_leakage", spec, [(F(1, 256), F(level, 256))])


def test_powers_of_e() -> None:
    """Issa, Wagner, Kamath 2020: a binary symmetric channel leaks 2(1 − p), p the smaller one."""
    spec: Json = {"worlds": {"records": ["ann"], "domain": ["0", "1"]}}
    spec["mechanism"] = {"randomized_response": {"epsilon": "1"}}
    answer = decide(check("maximal_leakage", spec))
    assert answer.leakage is not None and str(answer.leakage.exp_epsilon) == "2*e/(1 + e)"


PEOPLE: Json = {
    "worlds": {"records": ["ann", "bob"], "domain": ["0", "1"]},
    "mechanism": {"randomized_response": {"truth": "3/4"}},
    "priors": {"list": ["uniform"]},
}


def test_a_record_may_be_called_like_a_guess() -> None:
    """Where no guess is asked for, the name is free."""
    worlds = {"records": ["guess", "bob"], "domain": ["0", "1"]}
    spec = {**PEOPLE, "worlds": worlds, "mechanism": {"deterministic": "guess + bob"}}
    agrees("maximal_leakage", spec, [(F(1, 4), F(3, 4))])


@pytest.mark.parametrize(
    ("priors", "gain"),
    [("product", None), ({"hull": ["uniform"]}, None), ("all", "1 if guess == ann else 0")],
)
def test_other_priors_are_undecided(priors: Any, gain: str | None) -> None:
    options = {} if gain is None else {"guesses": ["0", "1"], "gain": gain}
    with pytest.raises(NotDecided, match="priors are listed"):
        decide(check("g_leakage", {**PEOPLE, "priors": priors}, **options))


def test_maximal_leakage_has_no_trade_off() -> None:
    with pytest.raises(InputError, match="no exact trade-off"):
        decide(check("maximal_leakage", PEOPLE, tradeoff=["1"]))


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ({"gain": "1"}, "S602", "write both"),
        ({"guesses": ["0"]}, "S602", "write both"),
        ({"guesses": ["0", "0"], "gain": "1"}, "S110", "guesses must be different"),
        ({"guesses": ["0"], "gain": "'x'"}, "S604", "a gain must be a number"),
        ({"guesses": ["0"], "gain": "ann * 3"}, "S604", "divide all gains by 3"),
        ({"guesses": ["0"], "gain": "-ann"}, "S604", "add a guess that gains 0"),
        ({"guesses": ["0"], "gain": "output"}, "S303", "output"),
        ({"delta": "2"}, "S601", "delta must lie in"),
        ({"tradeoff": "corners"}, "S014", "a list of levels"),
    ],
)
def test_bad_input(options: Json, code: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        decide(check("g_leakage", PEOPLE, **options))
    assert caught.value.code == code
    assert said in f"{caught.value} {caught.value.hint}"
