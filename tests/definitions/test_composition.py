"""Composition: the engine against brute force, weights and runs evaluated plainly, awkward ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.cases import rows_of, spec_of
from tests.definitions.drawn import Draw, Json, Space, decide
from tests.definitions.judged import judged
from tests.definitions.secret_cases import secrets
from tests.drawing import examples
from verifier import checker
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage
from verifier.definitions.composition import value
from verifier.questions.answer import Answer

F = Fraction
EXAMPLES = examples(20)
HAIR = F(1, 10**12)
CLASSES = ("list", "hull", "all", "product", "iid")


@dataclass(frozen=True)
class Case:
    """A drawn file without checks, and its matrix."""

    spec: Json
    columns: Sequence[Sequence[Fraction]]

    def decided(self, **level: str) -> Answer:
        """What is true: the oracle finds the same smallest level in decimals, as a matrix game."""
        return judged({**self.spec, "checks": [{"composition": level}]})


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
    priors = draw(classes(kind, space))
    more = {
        "secrets": {n: [space.names[w] for w in s] for n, s in zip(names, sets, strict=True)},
        "pairs": [list(pair) for pair in combinations(names, 2)],
        "priors": priors,
    }
    return Case(spec_of(space, columns, **more), columns)


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
def classes(draw: Draw, kind: str, space: Space) -> Any:
    if kind in ("all", "product", "iid"):
        return kind
    priors = draw(st.lists(drawn.distributions(space.size), min_size=1, max_size=3))
    priors[0] = [(p + F(1, space.size)) / 2 for p in priors[0]]
    return {kind: [{"worlds": dict(zip(space.names, map(str, p), strict=True))} for p in priors]}


@st.composite
def conditionals(draw: Draw) -> Case:
    """Attackers with distributions given each secret, of pairs that may share worlds."""
    space = draw(drawn.named_spaces().filter(lambda space: 1 < space.size <= 4))
    columns, sides = draw(matrices(space.size)), dict[str, list[int]]()
    for k in range(draw(st.integers(1, 2))):
        marks = [draw(st.integers(0, 2)) for _ in range(space.size)]
        both = [[w for w, mark in enumerate(marks) if mark == side] for side in (0, 1)]
        assume(all(both))
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
    more = {
        "secrets": {name: [space.names[w] for w in side] for name, side in sides.items()},
        "pairs": [[f"s{k}", f"t{k}"] for k in range(len(sides) // 2)],
        "priors": {"conditionals": attackers},
    }
    return Case(spec_of(space, columns, **more), columns)


def undecided(case: Case, level: Fraction) -> bool:
    """Whether a level is so near to the smallest one that none of both verdicts is found; a hair
    beside it there are both."""
    try:
        case.decided(exp_epsilon=str(level))
    except NotDecided:
        near = [case.decided(exp_epsilon=str(level * (1 + by))) for by in (HAIR, -HAIR)]
        assert [one.verdict for one in near] == ["holds", "violated"]
        return True
    return False


@EXAMPLES
@given(conditionals(), st.sampled_from(["1", "4/3", "1000000"]))
def test_conditionals_pair_by_pair(case: Case, asked: str) -> None:
    """A world may stand in several secrets, each with a distribution of its own."""
    undecided(case, F(asked))


@pytest.mark.parametrize("kind", CLASSES)
def test_all_classes(kind: str) -> None:
    @EXAMPLES
    @given(cases(kind), st.sampled_from(["1", "2", "4/3", "1000000", "31/30"]))
    def agree(case: Case, asked: str) -> None:
        if not undecided(case, F(asked)):
            for level in near(case.decided(exp_epsilon=asked)):
                undecided(case, level)

    agree()


@EXAMPLES
@given(st.sampled_from(CLASSES).flatmap(cases), st.sampled_from(["1/1000", "1/2", "1", "70"]))
def test_irrational_levels(case: Case, epsilon: str) -> None:
    case.decided(epsilon=epsilon)


def near(answer: Answer) -> list[Fraction]:
    found = answer.leakage
    assert found is not None
    if found.exp_epsilon is not None:
        return [found.exp_epsilon, found.exp_epsilon * (1 + F(1, 10**40))]
    if found.bounds:
        assert found.bounds[1] - found.bounds[0] <= found.bounds[0] / 10**9
        return [sum(found.bounds, F(0)) / 2]
    return []


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
