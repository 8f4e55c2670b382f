"""Definitions that need linear programs, for mechanisms with powers of e.

What is expected is the definition in floats or balls, where nothing is close, and an identity by
hand where two numbers are equal.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.definitions.test_powers_of_e import HAIR, PARTS, agrees, ball, digits, drawn
from verifier.base.exact import number
from verifier.base.exponential import power
from verifier.base.level import Level
from verifier.claims.answer import Answer
from verifier.definitions import coupled_worlds, distributional_privacy, post_processing
from verifier.engines.simulation import simulators
from verifier.verify import certified
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
    for _ in range(30):
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
    with pytest.raises(Exception, match="the probabilities are irrational"):
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
    for _ in range(40):
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
