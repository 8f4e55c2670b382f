"""What priors with unknown distributions ask of every mechanism: worlds that they single out, by
hand and by powers that are tried one after the other; and no mechanism of theirs needs more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.checker.drafts import opened
from tests.definitions.drawn import Draw, Json, decide
from tests.drawing import examples, wider
from verifier.base.errors import NotDecided
from verifier.engines.rows import family_implies
from verifier.questions.answer import Answer

F = Fraction
World = tuple[int, ...]
Secrets = Sequence[tuple[Sequence[World], Sequence[World]]]
EXAMPLES = examples(wider(3, 25))
AT_MOST_TWO = "r1 + r2 + r3 <= 2"
CHAIN = {
    "initial": {"0": ["1/3", "1/2"], "1": ["1/2", "2/3"]},
    "transition": {"0": {"0": "1/4", "1": "3/4"}, "1": {"0": "1/2", "1": "1/2"}},
}


def spec_of(
    worlds: Json, alpha: str, then: Json, priors: Any = "product", definition: str = "pufferfish"
) -> Json:
    """Whether what priors ask at a level implies something."""
    first = {definition: {"exp_epsilon": alpha, "priors": priors}}
    check = {"implies": {"if": first, "then": then}}
    return {"worlds": worlds, "pairs": "values", "checks": [check]}


def bits(records: int, where: str | None = None) -> Json:
    worlds: Json = {"records": records, "domain": [0, 1]}
    return worlds if where is None else {**worlds, "where": where}


def any_two(level: str) -> Json:
    return {"differential_privacy": {"exp_epsilon": level, "neighbours": "all"}}


def level_of(answer: Answer) -> Fraction | None:
    assert answer.leakage is not None and answer.leakage.bounds is None
    return answer.leakage.exp_epsilon


def values_of(worlds: Sequence[World]) -> Secrets:
    """For each record each two of its values that occur."""
    found = []
    for i in range(len(worlds[0])):
        for x, y in product(sorted({w[i] for w in worlds}), repeat=2):
            if x < y:
                found.append([[w for w in worlds if w[i] == z] for z in (x, y)])
    return [(s, t) for s, t in found]


def singled_out(worlds: Sequence[World], values: int) -> set[tuple[World, World]]:
    """Pairs of worlds, one for each secret, that records leave if each value has the weight t^h for
    h from 0 to 3 and small t."""
    records = range(len(worlds[0]))
    found = set()
    for powers in product(range(4), repeat=len(records) * values):
        order = {w: sum(powers[values * i + w[i]] for i in records) for w in worlds}
        for sides in values_of(worlds):
            least = [[w for w in s if order[w] == min(map(order.get, s))] for s in sides]
            if all(len(one) == 1 for one in least):
                found |= {(least[0][0], least[1][0]), (least[1][0], least[0][0])}
    return found


def farthest(worlds: Sequence[World], steps: set[tuple[World, World]], alpha: Fraction) -> Fraction:
    """The level of any two worlds, where a step costs alpha."""
    away = {(v, w): 0 if v == w else 1 if (v, w) in steps else 99 for v in worlds for w in worlds}
    for u, v, w in product(worlds, repeat=3):
        away[v, w] = min(away[v, w], away[v, u] + away[u, w])
    assert max(away.values()) < 99
    return alpha ** max(away.values())


@pytest.mark.parametrize(
    "where", ["r1 >= r2", AT_MOST_TWO, "r1 + r2 == 1", "r1 >= r2 and r2 >= r3"]
)
@pytest.mark.parametrize("alpha", ["2", "31/30"])
def test_worlds_that_priors_single_out(where: str, alpha: str) -> None:
    worlds = [
        w
        for w in product((0, 1), repeat=3)
        if eval(where, {}, dict(zip(("r1", "r2", "r3"), w, strict=True)))
    ]
    level = farthest(worlds, singled_out(worlds, 2), F(alpha))
    answer = decide(spec_of(bits(3, where), alpha, any_two(str(level))))
    assert (answer.verdict, level_of(answer)) == ("holds", level)


def test_the_necessary_condition() -> None:
    """Theorem 10.1 of Kifer and Machanavajjhala; a level of less than alpha is not implied."""
    induced = {"induced_neighbours": {"exp_epsilon": "2"}}
    for where in ("r1 >= r2", AT_MOST_TWO):
        answer = decide(spec_of(bits(3, where), "2", induced))
        assert (answer.verdict, level_of(answer)) == ("holds", 2)
    induced["induced_neighbours"]["exp_epsilon"] = "199/100"
    answer = decide(spec_of(bits(3, AT_MOST_TWO), "2", induced))
    assert (answer.verdict, level_of(answer)) == ("violated", 2)


def test_level_one_says_nothing() -> None:
    """At level 1 what is compared is equal."""
    answer = decide(spec_of(bits(3, AT_MOST_TWO), "1", any_two("1")))
    assert (answer.verdict, level_of(answer)) == ("holds", 1)


def test_records_alike() -> None:
    """Two bits of one unknown distribution: with q for 0, q x_00 + (1 − q) x_01 is at most α times
    q x_10 + (1 − q) x_11. This is linear in q, so that q = 0 and 1 decide: one record changes."""
    level = {"differential_privacy": {"exp_epsilon": "5/2"}}
    answer = decide(spec_of(bits(2), "5/2", level, "iid"))
    assert (answer.verdict, level_of(answer)) == ("holds", F(5, 2))
    mean = {"pufferfish": {"exp_epsilon": "2", "priors": {"list": ["uniform"]}}}
    answer = decide(spec_of(bits(3), "2", mean, "iid"))
    assert (answer.verdict, level_of(answer)) == ("holds", 2)


def test_nothing_is_implied() -> None:
    """Chains that make all worlds possible never single one out; a row may be 0 in one world."""
    answer = decide(spec_of(bits(2), "2", any_two("1000"), {"markov": CHAIN}))
    assert answer.verdict == "violated"
    assert answer.leakage is not None and answer.leakage.infinite


def test_where_the_search_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three bits of one distribution: what one prior asks is not all, so that the smallest level
    is enclosed, or not bounded; inside nothing is decided."""
    monkeypatch.setattr(family_implies, "CUTS", 1)
    level = {
        "pufferfish": {"exp_epsilon": "4", "priors": {"list": [{"iid": {0: "1/7", 1: "6/7"}}]}}
    }
    answer = decide(spec_of(bits(3), "2", level, "iid"))
    assert answer.verdict == "holds" and answer.reason is None
    assert answer.leakage is not None and answer.leakage.bounds is not None
    low, high = answer.leakage.bounds
    assert 1 < low <= 2 <= high <= 4
    level["pufferfish"]["exp_epsilon"] = "2"
    with pytest.raises(NotDecided, match=r"it is at least 1\..* was proved to be enough"):
        decide(spec_of(bits(3), "2", level, "iid"))


def test_hedging() -> None:
    """Given a bit, the other one is 0 with a chance from 1/6 to 2/3, in which all is linear. Yes in
    proportion to 1, 13, 13, 4 keeps 2 at both ends, and no does: so 13 is needed."""
    yes = {"00": F(2, 33), "01": F(26, 33), "10": F(26, 33), "11": F(8, 33)}
    for row in (yes, {w: 1 - x for w, x in yes.items()}):
        for zero in (F(1, 6), F(2, 3)):
            given = [zero * row[f"{x}0"] + (1 - zero) * row[f"{x}1"] for x in (0, 1)]
            assert max(given) <= 2 * min(given)  # the same of the other bit: 01 and 10 are alike
    hedging = {
        "exp_epsilon": "2",
        "pairs": "values",
        "known": {0: "1/3", 1: "2/3"},
        "weight": "1/2",
    }
    then = {"differential_privacy": {"exp_epsilon": "12"}}
    check = {"implies": {"if": {"hedging_privacy": hedging}, "then": then}}
    answer = decide({"worlds": bits(2), "checks": [check]})
    level = level_of(answer)
    assert answer.verdict == "violated" and level is not None and level >= 13


def test_irrational_levels_are_not_decided() -> None:
    with pytest.raises(NotDecided, match="the level is to be rational"):
        decide(spec_of(bits(2, "r1 >= r2"), "exp(1)", any_two("3")))


def test_nothing_is_compared() -> None:
    answer = decide(
        spec_of(bits(2, "r1 >= r2"), "2", {"differential_privacy": {"exp_epsilon": "2"}})
        | {"worlds": {**bits(2, "r1 != r2")}}
    )
    assert answer.leakage is not None and answer.leakage.vacuous


@st.composite
def constraints(draw: Draw) -> tuple[int, list[World]]:
    """Some worlds of two or three records, in which each record has several values."""
    records = draw(st.integers(2, 3))
    values = draw(st.integers(2, 3)) if records == 2 else 2
    every = list(product(range(values), repeat=records))
    worlds = sorted(draw(st.sets(st.sampled_from(every), min_size=3, max_size=6)))
    assume(all(len({w[i] for w in worlds}) > 1 for i in range(records)))
    assume(len(worlds) < len(every))
    return values, worlds


def node_of(values: int, worlds: Sequence[World]) -> Json:
    alike = [" and ".join(f"r{i + 1} == {x}" for i, x in enumerate(w)) for w in worlds]
    where = " or ".join(f"({one})" for one in alike)
    return {"records": len(worlds[0]), "domain": list(range(values)), "where": where}


def priors_of(values: int, worlds: Sequence[World]) -> Iterator[Mapping[World, Fraction]]:
    """Weights of worlds under independent records, all combinations of a few distributions."""
    some = [one for one in product((F(0), F(1, 50), F(1, 3), F(1)), repeat=values) if max(one) == 1]
    for chosen in product(some, repeat=len(worlds[0])):
        yield {w: prod(one[x] for one, x in zip(chosen, w, strict=True)) for w in worlds}


def needed(
    rows: Sequence[Mapping[World, Fraction]], priors: Iterator[Mapping[World, Fraction]]
) -> Fraction | None:
    """The level that these priors need; None for none."""
    most = F(1)
    for prior in priors:
        for sides in values_of(list(prior)):
            masses = [sum((prior[w] for w in s), F(0)) for s in sides]
            for row in rows if all(masses) else ():
                p, q = (
                    sum((prior[w] * row[w] for w in s), F(0)) / mass
                    for s, mass in zip(sides, masses, strict=True)
                )
                if min(p, q) == 0 < max(p, q):
                    return None
                most = max(most, p / q, q / p) if p else most
    return most


@EXAMPLES
@given(constraints(), st.sampled_from(["2", "31/30", "1000000007/3"]), st.data())
def test_mechanisms_and_priors_agree(
    drawn: tuple[int, list[World]], alpha: str, data: st.DataObject
) -> None:
    """The mechanism of the certificate keeps the level under many priors; others that keep it need
    no more than what is implied."""
    values, worlds = drawn
    try:
        answer = decide(spec_of(node_of(values, worlds), alpha, any_two("2")))
    except NotDecided:
        return
    assert answer.certificate is not None
    model = opened(answer.certificate)["model"]
    columns = [[F(model["values"][code]) for code in column] for column in model["columns"]]
    rows = [dict(zip(worlds, row, strict=True)) for row in zip(*columns, strict=True)]
    level = needed(rows, priors_of(values, worlds))
    assert level is not None and level <= F(alpha)
    most = answer.leakage and answer.leakage.bounds and answer.leakage.bounds[1]
    if answer.leakage is None or answer.leakage.infinite:
        return
    upper = most or answer.leakage.exp_epsilon
    row = [data.draw(st.sampled_from([F(1), F(2), F(7, 2), F(9, 10)])) for _ in worlds]
    table = {"outputs": ["yes", "no"]}
    names = ["".join(map(str, w)) for w in worlds]
    table |= {n: [str(x / 10), str(1 - x / 10)] for n, x in zip(names, row, strict=True)}
    check = {"pufferfish": {"exp_epsilon": alpha, "priors": "product"}}
    spec = {"worlds": node_of(values, worlds), "mechanism": {"table": table}, "pairs": "values"}
    try:
        own = decide({**spec, "checks": [check]})
    except NotDecided:
        return
    if own.verdict == "holds":
        assert upper is not None and max(row) <= upper * min(row)
