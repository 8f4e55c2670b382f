"""Definitions that need linear programs, for mechanisms with powers of e.

What is expected is the definition in floats or balls, where nothing is close, and an identity by
hand where two numbers are equal.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.definitions.test_powers_of_e import HAIR, PARTS, agrees, ball, digits, drawn
from tests.drawing import wider
from verifier.base.errors import LimitReached
from verifier.base.exact import number
from verifier.base.exponential import power
from verifier.base.level import Level
from verifier.definitions import (
    coupled_worlds,
    differential_privacy,
    distributional_privacy,
    implies,
    optimal,
    post_processing,
    pufferfish,
    row_cone,
)
from verifier.engines.simulation import simulators
from verifier.questions.answer import Answer
from verifier.run.verify import certified
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import database, named

__all__ = ["digits"]  # a fixture

E = power(1)
TRUE, FALSE = E / (1 + E), 1 / (1 + E)
ONE = Level.of_exp_epsilon(1)
UNIFORM = {"list": ["uniform"]}


def told(odds: Fraction) -> Mechanism:
    """A bit, told with these odds."""
    true, false = odds / (1 + odds), 1 / (1 + odds)
    return Mechanism.from_rows(["0", "1"], [[true, false], [false, true]])


def blind(made: Mechanism, level: Level = ONE, delta: Any = 0) -> Answer:
    """What a simulator can do that sees nothing of the one record."""
    space = database(["ann"], list(range(made.worlds)))
    asked = distributional_privacy.question(
        space=space, mechanism=made, level=level, delta=delta, priors=UNIFORM
    )
    return certified(asked)


def test_simulators_that_see_nothing() -> None:
    """Q serves α where max_v P_v/α <= Q <= α·min_v P_v for all outputs, and Σ Q = 1."""
    draw, enclosed = Random(11), 0
    for _ in range(wider(8, 20)):
        made, balls = drawn(draw, 3)
        columns = [[ball(Fraction(0)) if p is None else p for p in row] for row in balls]
        found = blind(made)
        by_output = list(zip(*columns, strict=True))
        most = [_extreme(values, "max") for values in by_output]
        least = [_extreme(values, "min") for values in by_output]
        if any(p > 0 and not q > 0 for p, q in zip(most, least, strict=True)):
            assert found.leakage is not None and found.leakage.infinite
            continue
        expected = _extreme([sum(most), 1 / sum(least)], "max")
        for p, q in zip(most, least, strict=True):
            expected = expected.max((p / q).sqrt()) if p > 0 else expected
        assert found.leakage is not None
        if found.leakage.bounds is None:
            agrees(found, expected)
        else:
            low, high = found.leakage.bounds
            assert ball(low) <= expected <= ball(high)
            enclosed += 1
    assert enclosed


def _extreme(values: Any, which: str) -> Any:
    first, *rest = values
    for value in rest:
        first = getattr(first, which)(value)
    return first


def test_simulators_with_delta() -> None:
    """A simulator with one answer of two outputs has an excess that is convex in the answer."""
    draw = Random(12)
    for _ in range(15):
        made, _ = drawn(draw, 3)
        rows = [[made.probability(o, w) for o in range(len(made.outputs))] for w in range(3)]
        if len(rows[0]) != 2:
            continue
        delta = Fraction(draw.randint(1, 8), 20)
        found = blind(made, delta=delta)
        assert found.leakage is not None
        if found.leakage.infinite:
            assert _excess(rows, 1e9) > float(delta) - 1e-9
            continue
        low = found.leakage.low
        assert low is not None
        assert _excess(rows, float(low) + 1e-6) <= float(delta)
        assert low == 1 or _excess(rows, float(low) - 1e-6) > float(delta)


def _excess(rows: Any, alpha: float) -> float:
    """The smallest δ, by halving the interval of answers."""
    low, high = 0.0, 1.0

    def missed(q: float) -> float:
        worst = 0.0
        for p, _ in rows:
            pairs = [(float(p), q), (1 - float(p), 1 - q)]
            worst = max(worst, sum(max(0.0, a - alpha * b) for a, b in pairs))
            worst = max(worst, sum(max(0.0, b - alpha * a) for a, b in pairs))
        return worst

    for _ in range(200):
        third = (high - low) / 3
        if missed(low + third) <= missed(high - third):
            high -= third
        else:
            low += third
    return missed((low + high) / 2)


def test_the_response_at_epsilon_1_has_the_level_by_hand() -> None:
    """(1/2) / (1/(1 + e)): a fair coin is what a simulator answers."""
    expected = (1 + E) / 2
    for alpha, verdict in (
        (expected, "holds"),
        (expected - HAIR, "violated"),
        (expected + HAIR, "holds"),
    ):
        found = blind(told(E), Level.of_exp_epsilon(alpha))
        assert found.verdict == verdict
        assert found.leakage is not None
        assert found.leakage.exp_epsilon == expected


def test_a_simulator_that_sees_a_noisy_copy() -> None:
    """The other bit is the same with odds e : 1, and so is what is told. Who repeats it, or tells
    it with these odds, says the same as the mechanism. Nothing but identities shows the level 1."""
    space = database(["ann", "bob"], [0, 1])
    prior = {
        "worlds": {
            "00": str(TRUE / 2),
            "11": str(TRUE / 2),
            "01": str(FALSE / 2),
            "10": str(FALSE / 2),
        }
    }
    codes = np.array([[0, 0, 1, 1], [1, 1, 0, 0]])  # ann's bit, told with e : 1
    made = Mechanism.of(["0", "1"], [TRUE, FALSE], codes)
    asked = distributional_privacy.question(
        space=space, mechanism=made, level=ONE, priors={"list": [prior]}
    )
    found = certified(asked)
    assert found.leakage is not None
    assert found.leakage.exp_epsilon == 1


def test_a_canonical_simulator_and_a_trade_off() -> None:
    space = named(("a", "b"))
    asked = coupled_worlds.question(
        space=space,
        mechanism=told(E),
        level=ONE,
        priors=UNIFORM,
        alt="0",
        priv="world",
    )
    found = certified(asked)
    assert found.leakage is not None
    assert found.leakage.exp_epsilon == (1 + E) / 2
    coupled = asked.claim.coupled  # type: ignore[union-attr]
    (_, least), (_, none) = coupled_worlds.tradeoff(coupled, [Fraction(1), (1 + E) / 2])
    # a fair coin misses each column by e/(1 + e) − 1/2
    assert (least, none) == (TRUE - Fraction(1, 2), 0)


def test_inferences_stay_undecided() -> None:
    space = database(["ann"], [0, 1])
    asked = distributional_privacy.question(
        space=space, mechanism=told(E), level=ONE, priors=UNIFORM, form="inference"
    )
    with pytest.raises(LimitReached, match="the probabilities are irrational"):
        certified(asked)


def test_a_root_that_is_made_of_powers_of_e() -> None:
    """4 − 4 α^2 e^2 and the like: the root of a square is found, that of another number is not."""
    square = simulators.Quadratic(E**2, Fraction(0), Fraction(-1))
    assert square.last_root(8) == (E, E)
    line = simulators.Quadratic(E, -1 / E, Fraction(0))
    assert line.last_root(8) == (E**2, E**2)
    low, high = simulators.Quadratic(1 + E, Fraction(0), Fraction(-1)).last_root(20)
    assert low < high
    assert low**2 < 1 + E < high**2


def of_a_bit(made: Mechanism, *given: Mechanism) -> str:
    asked = post_processing.question(
        space=named(tuple(f"w{k}" for k in range(made.worlds))),
        mechanism=made,
        of={f"m{k}": one for k, one in enumerate(given)},
    )
    return certified(asked).verdict


def test_post_processings_of_two_worlds() -> None:
    """One mechanism is a post-processing of another one exactly if no test of two worlds is better
    (Blackwell): Σ_o max(0, P_o − t·Q_o) is at most as large for all t >= 0, hence where it bends
    and, for large t, in the outputs that are impossible in the second world."""
    draw, verdicts, none = Random(13), set(), ball(Fraction(0))
    for _ in range(25):
        (first, one), (second, other) = drawn(draw, 2), drawn(draw, 2)
        sides = [[[none if p is None else p for p in row] for row in rows] for rows in (one, other)]
        bends = [p / q for rows in sides for p, q in zip(*rows, strict=True) if q > 0]
        gaps = [_gain(sides[0], t) - _gain(sides[1], t) for t in bends]
        ends = [sum((p for p, q in zip(*rows, strict=True) if not q > 0), none) for rows in sides]
        gaps.append(ends[0] - ends[1])
        close = ball(Fraction(1, 10**60))
        assert all(gap < -close or gap > close or abs(gap) < close / 10**40 for gap in gaps)
        expected = "violated" if any(gap < -close for gap in gaps) else "holds"
        assert of_a_bit(second, first) == expected
        verdicts.add(expected)
    assert verdicts == {"holds", "violated"}


def _gain(rows: Any, t: Any) -> Any:
    """Σ max(0, P − t·Q)."""
    none = ball(Fraction(0))
    return sum((_extreme([p - t * q, none], "max") for p, q in zip(*rows, strict=True)), none)


def test_made_post_processings_are_found() -> None:
    draw = Random(14)
    for _ in range(15):
        first, _ = drawn(draw, 3)
        outer = []
        for _ in first.outputs:
            weights = [number(draw.choice([*PARTS])) + draw.choice([0, 1]) for _ in range(2)]
            weights[0] += 1
            outer.append([w / sum(weights) for w in weights])
        rows = [
            [
                sum((outer[i][j] * first.probability(i, w) for i in range(len(outer))), Fraction(0))
                for w in range(3)
            ]
            for j in range(2)
        ]
        made = Mechanism.from_rows(["x", "y"], rows)
        assert of_a_bit(made, first) == "holds"


@pytest.mark.parametrize(("left", "right"), [*permutations([E, E + HAIR, E - HAIR], 2)])
def test_post_processings_a_hair_apart(left: Fraction, right: Fraction) -> None:
    assert of_a_bit(told(left), told(right)) == ("holds" if left <= right else "violated")


def test_a_coin_is_made_of_a_response() -> None:
    """Half and half, 1/(1 + e) and e/(1 + e) make 1/2: both ends of any enclosure deny it."""
    coin = Mechanism.from_rows(["0", "1"], [["1/2", "1/2"], ["1/2", "1/2"]])
    assert of_a_bit(coin, told(E)) == "holds"
    assert of_a_bit(told(E), coin) == "violated"
    tilted = Fraction(1, 2) + HAIR
    off = Mechanism.from_rows(["0", "1"], [[tilted, "1/2"], [1 - tilted, "1/2"]])
    assert of_a_bit(off, coin, told(1 + HAIR)) == "violated"
    assert of_a_bit(off, coin, told(E)) == "holds"
    # told with e : 1 half of the time, else a coin: 3/4 of the way from 1/2 to e/(1 + e) is too far
    for share, verdict in (
        (Fraction(1, 2), "holds"),
        (Fraction(3, 4), "holds"),
        (1 + HAIR, "violated"),
    ):
        true = Fraction(1, 2) + share * (TRUE - Fraction(1, 2))
        mixed = Mechanism.from_rows(["0", "1"], [[true, 1 - true], [1 - true, true]])
        assert of_a_bit(mixed, coin, told(E)) == verdict


def attackers(made: Mechanism, priors: Any, level: Level = ONE, delta: Any = 0) -> Answer:
    """Two people's bits, each of which is a secret."""
    asked = pufferfish.question(
        space=database(["ann", "bob"], [0, 1]),
        mechanism=made,
        level=level,
        delta=delta,
        pairs="values",
        priors=priors,
    )
    return certified(asked)


WORLDS = ("00", "01", "10", "11")


def test_mixtures_of_priors() -> None:
    """The largest ratio over mixtures of two priors, looked for on a grid that is made finer."""
    draw, kinds = Random(15), set()
    chances = [Fraction(0), Fraction(1, 3), FALSE, TRUE, 1 / E, 1 - 1 / E]
    for _ in range(wider(8, 12)):
        column = [draw.choice(chances) for _ in WORLDS]
        made = Mechanism.from_rows(["yes", "no"], [column, [1 - p for p in column]])
        priors = []
        for _ in range(2):
            weights = [draw.choice([Fraction(1), Fraction(3), E]) for _ in WORLDS]
            priors.append([w / sum(weights) for w in weights])
        given = [{"worlds": dict(zip(WORLDS, map(str, row), strict=True))} for row in priors]
        found = attackers(made, {"hull": given})
        assert found.leakage is not None
        kinds.add((found.leakage.infinite, found.leakage.bounds is None))
        near = [[float(p) for p in row] for row in priors]
        table = [
            [float(made.probability(o, w)) for w in range(4)] for o in range(len(made.outputs))
        ]
        expected = _largest(table, near)
        if found.leakage.infinite:
            assert expected > 1e15
        else:
            assert abs(float(found.leakage.low or 0) / expected - 1) < 1e-6
    assert {(False, True), (True, True)} <= kinds


def test_a_level_that_is_a_root_of_numbers_with_powers_of_e() -> None:
    given = [{"iid": {"0": "1/2", "1": "1/2"}}, {"iid": {"0": "1/4", "1": "3/4"}}]
    found = attackers(response(E), {"hull": given}, Level.of_exp_epsilon(2))
    assert found.leakage is not None and found.leakage.bounds is not None
    table = [[float(response(E).probability(o, w)) for w in range(4)] for o in range(4)]
    expected = _largest(table, [[1 / 4] * 4, [1 / 16, 3 / 16, 3 / 16, 9 / 16]])
    low, high = found.leakage.bounds
    assert low < high
    assert abs(float(low) / expected - 1) < 1e-6
    assert found.shown is not None
    for alpha, verdict in ((low, "violated"), (high, "holds")):
        assert (
            attackers(response(E), {"hull": given}, Level.of_exp_epsilon(alpha)).verdict == verdict
        )


def _largest(table: list[list[float]], priors: list[list[float]]) -> float:
    """The largest ratio of posterior odds to prior odds of any bit, over mixtures of two priors."""
    worst = 1.0
    for record in (2, 1):
        sides = [w for w in range(4) if not w & record], [w for w in range(4) if w & record]
        for (s, t), row in product((sides, sides[::-1]), table):
            worst = max(worst, _best(row, s, t, priors))
    return worst


def _best(row: list[float], s: Any, t: Any, priors: list[list[float]]) -> float:
    def ratio(x: float) -> float:
        mixed = [(1 - x) * p + x * q for p, q in zip(*priors, strict=True)]
        a, b = sum(row[w] * mixed[w] for w in s), sum(mixed[w] for w in s)
        c, d = sum(row[w] * mixed[w] for w in t), sum(mixed[w] for w in t)
        return a * d / (b * c) if c else (1e300 if a else 1.0)

    centre, width = 0.5, 0.5
    while width > 1e-12:
        grid = [min(1.0, max(0.0, centre + width * k / 20)) for k in range(-20, 21)]
        centre, width = max(grid, key=ratio), width / 4
    return ratio(centre)


def test_mixtures_with_delta_and_a_tie() -> None:
    """Both records are told with odds e : 1. Who knows that they are alike learns from both."""
    made = response(E)
    alike = {"worlds": {"00": "1/2", "11": "1/2"}}
    other = {"iid": {"0": "1/2", "1": "1/2"}}
    found = attackers(made, {"hull": [alike, other]})
    assert found.leakage is not None
    assert found.leakage.exp_epsilon == E**2
    # of both columns of ann = bob, the excess of e^2 : 1 beyond α is 3/10
    found = attackers(made, {"hull": [alike, other]}, delta=Fraction(3, 10))
    assert found.leakage is not None
    # Σ (P − α Q)^+ with P, Q of sums 0, 1, 1, 2 ones: e^2 − α and then e·(1 − α) < 0
    assert found.leakage.exp_epsilon == E**2 - Fraction(3, 10) * (1 + E) ** 2


def test_odds_that_are_made_of_powers_of_e() -> None:
    """A prior in the middle of a segment attains the level, which is a square: 2.88282339824."""
    half = {"iid": {"0": "1/2", "1": "1/2"}}
    other = {"iid": {"0": "1/(1 + exp(1))", "1": "exp(1)/(1 + exp(1))"}}
    found = attackers(response(E), {"hull": [half, other]})
    assert found.leakage is not None
    assert found.leakage.exp_epsilon == (E * (3 + E) / (1 + 3 * E)) ** 2


def response(odds: Fraction) -> Mechanism:
    """Two bits, each told with these odds."""
    bit = (odds / (1 + odds), 1 / (1 + odds))
    rows = [[bit[(o ^ w) & 1] * bit[(o ^ w) >> 1] for w in range(4)] for o in range(4)]
    return Mechanism.from_rows(WORLDS, rows)


def test_linear_constraints_on_priors() -> None:
    """Let ann be 1 with probability 1/4 to 1/2, and bob as she is with 1/3 to 2/3."""
    priors = {"constraints": ["P(ann == 1) in [1/4, 1/2]", "P(bob == 1 | ann == 1) in [1/3, 2/3]"]}
    found = attackers(response(E), priors)
    assert found.leakage is not None
    # given bob = 0 ann may be 0 with 9/10 (3/4 : 1/12), given bob = 1 she may be 1 for certain
    ratio = (Fraction(9, 10) * E + Fraction(1, 10)) * E
    assert found.leakage.exp_epsilon == ratio
    for alpha, verdict in ((ratio, "holds"), (ratio - HAIR, "violated")):
        assert attackers(response(E), priors, Level.of_exp_epsilon(alpha)).verdict == verdict


def test_levels_without_bound() -> None:
    """Only mixtures of both priors allow ann to be 0 and 1: then `yes` tells which it is."""
    made = Mechanism.from_rows(["yes", "no"], [[TRUE, TRUE, 0, 0], [FALSE, FALSE, 1, 1]])
    apart = [{"worlds": {"00": "1/2", "01": "1/2"}}, {"worlds": {"10": "1/2", "11": "1/2"}}]
    for delta, is_infinite in ((0, True), (TRUE - HAIR, True), (TRUE, False)):
        found = attackers(made, {"hull": apart}, delta=delta)
        assert found.leakage is not None
        assert found.leakage.infinite == is_infinite
    found = attackers(made, {"constraints": ["P(ann == 1) <= 1/2"]})
    assert found.leakage is not None and found.leakage.infinite


def of_rows(made: Mechanism, *given: Mechanism) -> str:
    asked = row_cone.question(
        space=named(tuple(f"w{k}" for k in range(made.worlds))),
        mechanism=made,
        of={f"m{k}": one for k, one in enumerate(given)},
    )
    return certified(asked).verdict


def test_row_cones_of_two_worlds() -> None:
    """In two worlds a row is in the cone if its ratio is between the smallest and the largest."""
    draw, verdicts = Random(16), set()
    for _ in range(25):
        (first, one), (second, other) = drawn(draw, 2), drawn(draw, 2)
        shares = [
            [
                p / (p + q)
                for p, q in zip(*([_number(p) for p in row] for row in rows), strict=True)
                if p + q > 0
            ]
            for rows in (one, other)
        ]
        low, high = _extreme(shares[0], "min"), _extreme(shares[0], "max")
        close = ball(Fraction(1, 10**60))
        expected = "holds" if all(low - close < x < high + close for x in shares[1]) else "violated"
        assert of_rows(second, first) == expected
        verdicts.add(expected)
    assert verdicts == {"holds", "violated"}


def _number(p: Any) -> Any:
    return ball(Fraction(0)) if p is None else p


@pytest.mark.parametrize(("left", "right"), [*permutations([E, E + HAIR, E - HAIR], 2)])
def test_row_cones_a_hair_apart(left: Fraction, right: Fraction) -> None:
    assert of_rows(told(left), told(right)) == ("holds" if left <= right else "violated")
    assert of_rows(told(left), told(left)) == "holds"


def test_facets_stay_undecided() -> None:
    asked = row_cone.question(space=named(("a", "b")), of={"told": told(E)}, facets=2)
    with pytest.raises(LimitReached, match="irrational"):
        certified(asked)


SPACE = database(["ann", "bob"], [0, 1])


def private(level: Level, **options: Any) -> Any:
    return lambda made: differential_privacy.question(
        space=SPACE, mechanism=made, level=level, **options
    )


def believed(level: Level, *priors: Any) -> Any:
    return lambda made: pufferfish.question(
        space=SPACE, mechanism=made, level=level, pairs="values", priors={"list": list(priors)}
    )


COINS = {"iid": {"0": "1/2", "1": "1/2"}}
FRIENDS = {"worlds": {"00": "3/8", "11": "3/8", "01": "1/8", "10": "1/8"}}
EPSILON = Level.of_epsilon(1)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # two steps of one record
        (private(EPSILON), private(EPSILON, group=2), E**2),
        (private(EPSILON), believed(EPSILON, COINS), E),
        # rows (e^2, e, e, 1): 3/4 of e^2 and 1/4 of e against 3/4 of 1 and 1/4 of e
        (private(EPSILON), believed(EPSILON, FRIENDS), E * (3 * E + 1) / (3 + E)),
        # a row (1, 0, 0, 1) is allowed: both bits say the same
        (believed(EPSILON, COINS), private(EPSILON), None),
    ],
)
def test_implications(first: Any, second: Any, expected: Fraction | None) -> None:
    found = certified(implies.question(space=SPACE, premise=first, conclusion=second))
    assert found.leakage is not None
    assert found.leakage.exp_epsilon == expected
    assert found.verdict == ("holds" if expected == E else "violated")


def test_an_implication_that_needs_a_program() -> None:
    """Premises that compare averages; the levels are those of the same program in floats."""
    found = certified(
        implies.question(
            space=SPACE, premise=believed(EPSILON, FRIENDS), conclusion=believed(EPSILON, COINS)
        )
    )
    assert found.leakage is not None and found.leakage.exp_epsilon is not None
    side = {"00": 0, "01": 1, "10": 2, "11": 3}
    weights = {0: [0.75, 0.25], 1: [0.25, 0.75]}
    rows = []
    for pairs in (
        ((side["00"], side["01"]), (side["10"], side["11"])),
        ((side["00"], side["10"]), (side["01"], side["11"])),
    ):
        for k, (s, t) in enumerate((pairs, pairs[::-1])):
            row = [0.0] * 4
            for at, w in zip(s, weights[k], strict=True):
                row[at] += w
            for at, w in zip(t, weights[1 - k], strict=True):
                row[at] -= math.e * w
            rows.append(row)
    # x_00 + x_01 is largest where x_10 + x_11 = 1
    outcome = linprog([-1, -1, 0, 0], A_ub=rows, b_ub=[0] * 4, A_eq=[[0, 0, 1, 1]], b_eq=[1])
    assert abs(float(found.leakage.exp_epsilon) + outcome.fun) < 1e-6


def loss_of(level: Level, prior: Any, **options: Any) -> Answer:
    asked = optimal.question(
        space=SPACE,
        under=private(level),
        outputs=["0", "1", "2"],
        loss="abs(output - ann - bob)",
        prior=prior,
        **options,
    )
    return certified(asked)


@pytest.mark.parametrize("prior", [None, [Fraction(1, 4)] * 4])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 10)])
def test_best_mechanisms(prior: Any, epsilon: Fraction) -> None:
    """The smallest loss is that of the same program in floats."""
    found = loss_of(Level.of_epsilon(epsilon), prior)
    assert found.value is not None
    alpha, rows, loss = math.exp(epsilon), [], []
    for r in range(3):
        for w, v in ((0, 1), (0, 2), (1, 3), (2, 3)):
            for a, b in ((w, v), (v, w)):
                row = [0.0] * 13
                row[4 * r + a], row[4 * r + b] = 1, -alpha
                rows.append(row)
    for w in range(4):
        row = [0.0] * 13
        for r in range(3):
            row[4 * r + w] = abs(r - w.bit_count())
        loss.append(row)
    sums = [[float(at % 4 == w) * (at < 12) for at in range(13)] for w in range(4)]
    if prior is None:
        worst = [[*row[:12], -1.0] for row in loss]
        outcome = linprog(
            [0.0] * 12 + [1.0],
            A_ub=rows + worst,
            b_ub=[0] * len(rows + worst),
            A_eq=sums,
            b_eq=[1] * 4,
        )
    else:
        costs = [sum(column) / 4 for column in zip(*loss, strict=True)]
        outcome = linprog(costs, A_ub=rows, b_ub=[0] * len(rows), A_eq=sums, b_eq=[1] * 4)
    assert abs(float(found.value) - outcome.fun) < 1e-7


def test_the_best_guess_of_a_bit() -> None:
    """Told with odds e : 1, a bit is wrong with probability 1/(1 + e), and nothing is better."""
    space = named(("0", "1"))
    asked = dict[str, Any](
        space=space,
        under=lambda made: differential_privacy.question(
            space=space, mechanism=made, level=EPSILON, neighbours="all"
        ),
        outputs=["0", "1"],
        loss="0 if (output == 1) == (world == '1') else 1",
    )
    for made, verdict in (
        (told(E), "holds"),
        (told(E - HAIR), "violated"),
        (told(E + HAIR), "violated"),
    ):
        found = certified(optimal.question(**asked, mechanism=made))
        assert (found.verdict, found.value) == (verdict, FALSE)
    for value, verdict in ((FALSE, "holds"), (FALSE + HAIR, "violated")):
        found = certified(optimal.question(**asked, equals=value))
        assert found.verdict == verdict
