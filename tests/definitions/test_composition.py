"""Composition: the engine against brute force, weights and runs evaluated plainly, awkward ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.cases import rows_of, spec_of
from tests.definitions.composition_cases import (
    DIGITS,
    INFINITE,
    boxes,
    ln,
    log_level,
    order,
    powers,
    smallest,
    unions,
)
from tests.definitions.drawn import Draw, Json, Space, decide
from tests.definitions.secret_cases import secrets
from tests.drawing import examples
from verifier import checker
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage
from verifier.definitions.composition import value
from verifier.questions.answer import Answer

F = Fraction
EXAMPLES = examples(20)
CLASSES = ("list", "hull", "all", "product", "iid")


@dataclass(frozen=True)
class Case:
    """A drawn file without checks, its matrix, and the supports of its class of priors."""

    spec: Json
    columns: Sequence[Sequence[Fraction]]
    pairs: Sequence[tuple[set[int], set[int]]]
    supports: set[frozenset[int]]

    def decided(self, **level: str) -> Answer:
        return decide({**self.spec, "checks": [{"composition": level}]})

    def log_level(self) -> Decimal | None:
        return smallest(rows_of(self.columns), self.pairs, self.supports)


@st.composite
def cases(draw: Draw, kind: str) -> Case:
    small = drawn.spaces().filter(lambda space: 1 < space.size <= 6)
    named = drawn.named_spaces().filter(lambda space: space.size <= 5)
    space = draw(small if kind in ("product", "iid") else named)
    columns = draw(matrices(space.size))
    sets = draw(secrets(space.size))
    sets = sets if len(sets) > 1 else [[0], [1]]
    if kind == "product":  # about one record: single changes decide, unless worlds are missing
        first = [database[0] for database in space.databases]
        sets = [[w for w, x in enumerate(first) if x == v] for v in sorted(set(first), key=repr)]
        assume(len(sets) > 1)
    names = [f"s{k}" for k in range(len(sets))]
    priors, supports = draw(classes(kind, space))
    more = {
        "secrets": {n: [space.names[w] for w in s] for n, s in zip(names, sets, strict=True)},
        "pairs": [list(pair) for pair in combinations(names, 2)],
        "priors": priors,
    }
    pairs = [(set(a), set(b)) for a, b in combinations(sets, 2)]
    return Case(spec_of(space, columns, **more), columns, pairs, supports)


@st.composite
def matrices(draw: Draw, worlds: int) -> list[list[Fraction]]:
    """Positive columns more often than elsewhere, for then weights decide."""
    if draw(st.booleans()):
        return draw(drawn.matrices(worlds))
    outputs = draw(st.integers(2, 3))
    weights = st.sampled_from(
        [F(1), F(2), F(3), F(4), F(1, 10**30), 1 + F(1, 10**30), F(10**40 + 7)]
    )
    columns = [[draw(weights) for _ in range(outputs)] for _ in range(worlds)]
    return [[p / sum(column) for p in column] for column in columns]


@st.composite
def classes(draw: Draw, kind: str, space: Space) -> tuple[Any, set[frozenset[int]]]:
    worlds = range(space.size)
    if kind == "all":
        return "all", {frozenset(pair) for pair in combinations(worlds, 2)}
    if kind == "product":
        return "product", boxes(space.databases)
    if kind == "iid":
        return "iid", powers(space.databases)
    priors = draw(st.lists(drawn.distributions(space.size), min_size=1, max_size=3))
    priors[0] = [(p + F(1, space.size)) / 2 for p in priors[0]]
    texts = [{"worlds": dict(zip(space.names, map(str, p), strict=True))} for p in priors]
    supports = [frozenset(w for w in worlds if p[w]) for p in priors]
    return {kind: texts}, unions(supports) if kind == "hull" else set(supports)


@st.composite
def conditionals(draw: Draw) -> tuple[Case, Decimal]:
    """Attackers with distributions given each secret, of pairs that may share worlds; and the log
    of the smallest level."""
    space = draw(drawn.named_spaces().filter(lambda space: 1 < space.size <= 4))
    columns = draw(matrices(space.size))
    rows, pairs, levels = rows_of(columns), list[tuple[set[int], set[int]]](), list[Decimal]()
    sides: dict[str, list[int]] = {}
    for k in range(draw(st.integers(1, 2))):
        marks = [draw(st.integers(0, 2)) for _ in range(space.size)]
        both = [[w for w, mark in enumerate(marks) if mark == side] for side in (0, 1)]
        assume(all(both))
        pairs.append((set(both[0]), set(both[1])))
        sides |= {f"s{k}": both[0], f"t{k}": both[1]}
    attackers = []
    for _ in range(draw(st.integers(1, 2))):
        given = {
            name: draw(st.sets(st.sampled_from(side), min_size=1)) for name, side in sides.items()
        }
        attackers.append(
            {
                name: {"worlds": {space.names[w]: str(F(1, len(worlds))) for w in worlds}}
                for name, worlds in given.items()
            }
        )
        for k in range(len(pairs)):
            pair = given[f"s{k}"], given[f"t{k}"]
            levels += [
                log_level(rows, world, sorted(others))
                for inside, others in (pair, pair[::-1])
                for world in inside
            ]
    more = {
        "secrets": {name: [space.names[w] for w in side] for name, side in sides.items()},
        "pairs": [[f"s{k}", f"t{k}"] for k in range(len(pairs))],
        "priors": {"conditionals": attackers},
    }
    return Case(spec_of(space, columns, **more), columns, pairs, set()), max(levels)


@EXAMPLES
@given(conditionals(), st.sampled_from(["1", "4/3", "1000000"]))
def test_conditionals_pair_by_pair(found: tuple[Case, Decimal], asked: str) -> None:
    """A world may stand in several secrets, each with a distribution of its own."""
    case, expected = found
    try:
        expect(case.decided(exp_epsilon=asked), expected, ln(F(asked)))
    except NotDecided:
        assert not order(expected, ln(F(asked)))


@pytest.mark.parametrize("kind", CLASSES)
def test_engine_brute_force_and_checker_agree(kind: str) -> None:
    @EXAMPLES
    @given(cases(kind), st.sampled_from(["1", "2", "4/3", "1000000", "31/30"]))
    def agree(case: Case, asked: str) -> None:
        expected = case.log_level()
        try:
            answer = case.decided(exp_epsilon=asked)
        except NotDecided:
            assert expected is not None and not order(expected, ln(F(asked)))
            return
        expect(answer, expected, ln(F(asked)))
        for level in near(answer):
            try:
                expect(case.decided(exp_epsilon=str(level)), expected, ln(level))
            except NotDecided:
                assert expected is not None and not order(expected, ln(level))

    agree()


@EXAMPLES
@given(st.sampled_from(CLASSES).flatmap(cases), st.sampled_from(["1/1000", "1/2", "1", "70"]))
def test_irrational_levels(case: Case, epsilon: str) -> None:
    expect(case.decided(epsilon=epsilon), case.log_level(), decimal(F(epsilon)))


def near(answer: Answer) -> list[Fraction]:
    found = answer.leakage
    assert found is not None
    if found.exp_epsilon is not None:
        return [found.exp_epsilon, found.exp_epsilon * (1 + F(1, 10**40))]
    return [sum(found.bounds, F(0)) / 2] if found.bounds else []


def decimal(value: Fraction) -> Decimal:
    with localcontext(prec=DIGITS):
        return Decimal(value.numerator) / value.denominator


def expect(answer: Answer, expected: Decimal | None, asked: Decimal) -> None:
    """Verdict and leakage for the log of the smallest level; None: vacuous."""
    assert answer.leakage is not None
    assert answer.leakage.vacuous == (expected is None)
    if expected is None:
        assert answer.verdict == "holds"
        return
    assert answer.verdict == ("holds" if order(expected, asked) <= 0 else "violated")
    assert answer.leakage.infinite == (expected == INFINITE)
    if answer.leakage.exp_epsilon is not None:
        assert not order(ln(answer.leakage.exp_epsilon), expected)
    elif answer.leakage.bounds is not None:
        low, high = answer.leakage.bounds
        assert order(ln(low), expected) <= 0 <= order(ln(high), expected)
        assert 0 < high - low <= low / 10**9


@EXAMPLES
@given(st.sampled_from(("list", "hull", "iid")).flatmap(cases), st.sampled_from(["1", "4/3", "3"]))
def test_weights_and_runs_prove_the_answer(case: Case, asked: str) -> None:
    """The certificate's parts, evaluated plainly."""
    try:
        answer = case.decided(exp_epsilon=asked)
    except NotDecided:
        return
    assert answer.certificate is not None and answer.leakage is not None
    relation = answer.certificate["question"]["relation"]
    evidence = answer.certificate["evidence"]["witness"]
    rows, leakage = rows_of(case.columns), answer.leakage
    if evidence["upper"] is not None:
        betas = [
            (world, {beta: F(1)} if isinstance(beta, int) else weights(beta))
            for entries in evidence["upper"]
            for world, found, *_ in entries
            for beta in found
        ]
        short = [item for item in betas if all(x.denominator < 1000 for x in item[1].values())]
        power, k = value(rows, short)
        high = leakage.bounds[1] if leakage.bounds else leakage.exp_epsilon
        assert high is not None and power <= high**k
    if answer.witness is None:
        return
    found, sets = evidence["lower"], relation["secrets"]
    prior, run = [F(p) for p in found["prior"]], {int(o): n for o, n in found["run"].items()}
    sides = [
        [(prior[w], prod(rows[o][w] ** n for o, n in run.items())) for w in sets[name]]
        for name in found["pair"]
    ]
    times = found["repetitions"]
    if times is None or times * sum(run.values()) > 1000:
        return
    first, second = (
        sum((p * g**times for p, g in side), F(0)) / sum(p for p, _ in side) for side in sides
    )
    runs = times * sum(run.values())
    assert first > F(asked) ** runs * second
    assert answer.witness.as_json()["runs"] == runs


def weights(beta: Json) -> dict[int, Fraction]:
    return {int(world): F(weight) for world, weight in beta.items()}


@EXAMPLES
@given(st.data(), st.integers(3, 4), st.sampled_from(["0", "1/1000000000000", "-1/1000000000000"]))
def test_skew_symmetric_games(data: st.DataObject, size: int, by: str) -> None:
    """M[o, l] is r_ol M[o, d] over α, with r_ol r_lo = 1: in logarithms both sides of the game are
    the same, so that its value is 0, and the level α; its weights are seldom rational."""
    ratios = st.sampled_from(
        [F(2), F(1, 3), F(5), F(6), F(3, 2), F(10**9 + 7, 3), 1 + F(1, 10**30)]
    )
    game = [[F(1)] * size for _ in range(size)]
    for o, w in combinations(range(size), 2):
        game[o][w] = data.draw(ratios)
        game[w][o] = 1 / game[o][w]
    most = max(map(max, game))
    alpha = most + 1
    share = 1 / (2 * size * most)
    columns = [[*[share] * size, 1 - size * share]]
    for w in range(size):
        part = [row[w] * share / alpha for row in game]
        columns.append([*part, 1 - sum(part)])
    names = ["d", *(f"l{k}" for k in range(size))]
    space = Space(names, [(name,) for name in names], names, names)
    more = {"secrets": {"s": ["d"], "t": names[1:]}, "pairs": [["s", "t"]]}
    spec = spec_of(space, columns, priors={"list": ["uniform"]}, **more)
    asked = alpha * (1 + F(by))
    answer = decide({**spec, "checks": [{"composition": {"exp_epsilon": str(asked)}}]})
    assert answer.leakage == Leakage(alpha)
    assert answer.verdict == ("holds" if F(by) >= 0 else "violated")


# Post-processing: with given weights every condition is kept (the weighted geometric mean is
# concave and homogeneous); so the smallest level never grows.


@EXAMPLES
@given(st.data())
def test_post_processing_keeps_every_condition(data: st.DataObject) -> None:
    columns = data.draw(matrices(3))
    outputs = len(columns[0])
    channel = [data.draw(drawn.distributions(2)) for _ in range(outputs)]
    after = [
        [sum((p * row[o] for p, row in zip(column, channel, strict=True)), F(0)) for o in range(2)]
        for column in columns
    ]
    share = data.draw(st.sampled_from([F(0), F(1, 2), F(1, 3), F(3, 4)]))
    beta = {1: share, 2: 1 - share} if share else {2: F(1)}
    try:
        before = value(rows_of(columns), [(0, beta)])
    except ValueError:
        return
    p, k = value(rows_of(after), [(0, beta)])
    assert p ** before[1] <= before[0] ** k
    space = Space(["a", "b", "c"], [("a",), ("b",), ("c",)], ["a", "b", "c"], ["a", "b", "c"])
    more = {"secrets": {"s": ["a"], "t": ["b", "c"]}, "pairs": [["s", "t"]]}
    levels = []
    for table in (columns, after):
        spec = spec_of(space, table, priors={"list": ["uniform"]}, **more)
        try:
            answer = decide({**spec, "checks": [{"composition": {"exp_epsilon": "7/5"}}]})
        except NotDecided:
            return
        assert answer.leakage is not None
        levels.append(answer.leakage.bounds or (answer.leakage.exp_epsilon,) * 2)
    if levels[0][1] is not None:
        assert levels[1][0] is not None and levels[1][0] <= levels[0][1]


HALF = {"0": "1/2", "1": "1/2"}
FROM_0 = {"0": ["0", "1/2"], "1": ["1/2", "1"]}
BETWEEN = {"0": ["1/4", "1/2"], "1": ["1/2", "3/4"]}


@pytest.mark.parametrize(
    ("priors", "leakage"),
    [
        ({"markov": {"initial": HALF, "transition": {"0": {"0": "1"}, "1": FROM_0}}}, F(4)),
        ({"markov": {"initial": HALF, "transition": {"0": {"0": "1"}, "1": BETWEEN}}}, F(5, 2)),
    ],
)
def test_chains_within_intervals_from_0(priors: Json, leakage: F) -> None:
    """00 against 10 is 2, against 11 it is 4, which counts where 10 may be impossible; 11 against
    00 is 5/2."""
    columns = {"00": ["2/3", "1/3"], "01": ["1/3", "2/3"], "10": ["1/3", "2/3"]}
    spec = {
        "worlds": {"records": ["ann", "bob"], "domain": [0, 1]},
        "secrets": {"well": "ann == 0", "ill": "ann == 1"},
        "mechanism": {"table": {"outputs": ["low", "high"], **columns, "11": ["1/6", "5/6"]}},
        "checks": [
            {"composition": {"exp_epsilon": "4", "pairs": [["well", "ill"]], "priors": priors}}
        ],
    }
    answer = decide(spec)
    assert answer.leakage == Leakage(leakage)
    assert checker.check(answer.certificate).outcome == "accepted"
