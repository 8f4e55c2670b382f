"""Regions of bounded range, Rényi's divergence, leakage and expected errors, against the ordinary
check at single values of the parameter, and by hand.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import ROWS, answers, one, same_everywhere
from verifier.engines.comparison.region import merged
from verifier.kernels.regions import Interval
from verifier.questions.answer import Answer
from verifier.questions.curve import Stretch
from verifier.run import verify

CASES = wider(1, 30)
LEVELS = ("3/2", "2", "1 + p", "4", "1/(1-p)**2", "5/4")
ZEROS = ("[1, 0]", "[(1-2*p)**2, 4*p*(1-p)]")  # impossible everywhere; at 1/2 alone
LOSSES = ("abs(output - ann)", "output * (1 + 3 * ann) + (2 - ann) ** 2", "(output - ann) ** 2")


def drawn(random: Random) -> str:
    """A file with a check of each kind."""
    rows = [random.choice(ROWS + (ZEROS if random.random() < 0.3 else ())) for _ in "abc"]
    table = ", ".join(f"{world}: {row}" for world, row in zip("012", rows, strict=True))
    level, order, loss = (random.choice(one) for one in (LEVELS, (2, 2, 3, 4), LOSSES))
    bound = random.choice(("at_most: 1/2", "at_most: 1/3 + p", "equals: p"))
    delta = random.choice(("0", "1/9", "p/8"))
    prior = random.choice(("worst", "{worlds: {0: p, 2: 1-p}}", "uniform"))
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: {{records: [ann], domain: [0, 1, 2]}}
mechanism: {{table: {{outputs: [0, 1], {table}}}}}
checks:
  - bounded_range: {{exp_epsilon: {level}, neighbours: all}}
  - renyi: {{exp_epsilon: {level}, order: {order}, neighbours: all}}
  - maximal_leakage: {{exp_epsilon: {level}}}
  - g_leakage: {{exp_epsilon: {level}, delta: {delta}, priors: all}}
  - g_leakage:
      exp_epsilon: {level}
      delta: {delta}
      priors: {{list: [{{worlds: {{0: p, 2: 1-p}}}}, uniform]}}
      guesses: [0, 1]
      gain: 1/2 if guess < ann else ann / 3
  - error: {{loss: {loss}, prior: {prior}, {bound}}}
"""


def confirm(answer: Answer, x: Fraction, plain: Answer) -> None:
    """An answer for all values says of one what is found there without a parameter."""
    curve = answer.curve
    assert curve is not None and not curve.undecided
    assert curve.region.has(x) == (plain.verdict == "holds"), x
    stretch, known = curve.at(x), plain.leakage
    if known is None:
        assert stretch.at(x) == plain.value and curve.quantity == "expected error"
        return
    assert stretch.is_infinite == known.infinite, x
    if not known.infinite:
        low, high = known.bounds or (known.exp_epsilon, known.exp_epsilon)
        assert low is not None and high is not None
        assert low**stretch.root <= stretch.at(x) <= high**stretch.root, (x, stretch)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"divergences {seed}"), tmp_path / "drawn.yaml"
    path.write_text(drawn(random))
    assert None not in answers(path)
    same_everywhere(path, random, confirm)


BIT = """
parameters: {p: DOMAIN}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [CHECK]
"""


def of_a_bit(path: Path, check: str, domain: str = "1/2 < p < 1") -> Any:
    """The answer about a bit that is told with probability p."""
    return one(path, BIT.replace("CHECK", check).replace("DOMAIN", domain))


def functions(answer: Answer) -> list[tuple[str, str]]:
    assert answer.curve is not None
    return [(each.told("p"), each.interval.told("p")) for each in answer.curve.stretches]


def test_a_range_of_a_bit(tmp_path: Path) -> None:
    """The ratios are p/(1 − p) and its inverse; below 1/2 the other way round."""
    found = of_a_bit(tmp_path / "a.yaml", "bounded_range: {exp_epsilon: 9}", "0 < p <= 1")
    assert found.curve.region.told("p") == "1/4 <= p <= 3/4"
    below, above, at_one = functions(found)
    assert below == ("(1 - 2*p + p^2)/(p^2)", "0 < p <= 1/2")
    assert above == ("p^2/(1 - 2*p + p^2)", "1/2 < p < 1")
    assert at_one == ("infinite", "p = 1")
    assert found.curve.violated is not None and not found.curve.region.has(found.curve.violated)


def test_an_order_of_a_bit(tmp_path: Path) -> None:
    """Order 2 gives p²/(1 − p) + (1 − p)²/p, and order 3 the root of p³/(1 − p)² + (1 − p)³/p²,
    over one denominator of p⁵ + (1 − p)⁵ = 1 − 5p + 10p² − 10p³ + 5p⁴; at 3/4 this is 61/9."""
    second = of_a_bit(tmp_path / "a.yaml", "renyi: {exp_epsilon: 7/3, order: 2}")
    assert functions(second) == [("(1 - 3*p + 3*p^2)/(p - p^2)", "1/2 < p < 1")]
    assert second.curve.region.told("p") == "1/2 < p <= 3/4"
    third = of_a_bit(tmp_path / "a.yaml", "renyi: {exp_epsilon: 3, order: 3}")
    told = "((1 - 5*p + 10*p^2 - 10*p^3 + 5*p^4)/(p^2 - 2*p^3 + p^4))^(1/2)"
    assert functions(third) == [(told, "1/2 < p < 1")]
    assert third.curve.at(Fraction(3, 4)).at(Fraction(3, 4)) == Fraction(61, 9)
    (held,) = third.curve.region.intervals  # up to where p⁵ + (1 − p)⁵ is 9p²(1 − p)²
    x = float(held.high.low)
    assert abs(x**5 + (1 - x) ** 5 - 9 * x**2 * (1 - x) ** 2) < 1e-6


def test_a_root_that_is_a_function(tmp_path: Path) -> None:
    """P = (1/2, 1/2, 0) and Q = (p, p, 1 − 2p): of order 3 the sum is 1/(2p)²; so is no other one,
    as the third output is infinite the other way round."""
    text = """
parameters: {p: 1/4 < p < 1/2}
worlds: [a, b]
mechanism: {table: {outputs: [x, y, z], a: [1/2, 1/2, 0], b: [p, p, 1-2*p]}}
checks: [{renyi: {exp_epsilon: 3/2, order: 3, neighbours: {pairs: [[a, b]], directed: true}}}]
"""
    found = one(tmp_path / "a.yaml", text)
    assert functions(found) == [("1/(2*p)", "1/4 < p < 1/2")]
    assert found.curve.region.told("p") == "1/3 <= p < 1/2"


@pytest.mark.parametrize("check", ["zcdp: {rho: 1/2}", "renyi: {exp_epsilon: 3, order: 3/2}"])
def test_what_has_no_method_is_undecided(check: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(BIT.replace("CHECK", check).replace("DOMAIN", "1/2 < p < 1"))
    (found,) = verify.check(path).results
    assert found.status == "undecided" and "with a parameter" in str(found.answer.reason)


def test_channels(tmp_path: Path) -> None:
    """Two records of which one is told with p and the other with 3/4, which is the worse one."""
    text = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {local: [{randomized_response: {truth: p}}, {randomized_response: {truth: 3/4}}]}
checks: [{bounded_range: {exp_epsilon: 16}}]
"""
    found = one(tmp_path / "a.yaml", text)
    (first, second) = functions(found)
    assert first == ("9", "1/2 < p <= 3/4")
    assert second == ("p^2/(1 - 2*p + p^2)", "3/4 < p < 1")
    assert found.curve.region.told("p") == "1/2 < p <= 4/5"


def test_many_records(tmp_path: Path) -> None:
    """A thousand records are as one of them, whose functions are proved by hand above."""
    path = tmp_path / "a.yaml"
    for check in ("bounded_range: {exp_epsilon: 9}", "renyi: {exp_epsilon: 3, order: 3}"):
        few = of_a_bit(path, check)
        many = one(path, path.read_text().replace("[ann]", "1000"))
        assert functions(many) == functions(few)
        assert many.curve.region.same(few.curve.region) and many.shown is not None


MIXED = """
parameters: {p: 1/4 < p < 3/4}
worlds: {records: [ann, bob], domain: [0, 1, 2]}
mechanism: {local: [{table: {outputs: [x, y], FIRST}}, {table: {outputs: [x, y], SECOND}}]}
checks:
  - bounded_range: {exp_epsilon: 4}
  - renyi: {exp_epsilon: 2, order: 2}
  - renyi: {exp_epsilon: 1 + p, order: 3}
"""


@pytest.mark.parametrize("seed", range(min(CASES, 8)))
def test_drawn_channels(seed: int, tmp_path: Path) -> None:
    random, path, text = Random(f"channels {seed}"), tmp_path / "drawn.yaml", MIXED
    for place in ("FIRST", "SECOND"):
        rows = [random.choice(ROWS + (ZEROS if random.random() < 0.2 else ())) for _ in "012"]
        table = ", ".join(f"{value}: {row}" for value, row in zip("012", rows, strict=True))
        text = text.replace(place, table)
    path.write_text(text)
    assert None not in answers(path)
    same_everywhere(path, random, confirm)


def test_stretches_with_roots_meet() -> None:
    """√(p²) is p, though only where both are asked at a number."""
    half = Fraction(1, 2)
    before = Stretch(Interval(Fraction(0), half, False, False), (0, 0, 1), (1,), 2)
    point = Stretch(Interval(half, half, True, True), (1,), (2,))
    after = Stretch(Interval(half, Fraction(1), False, False), (0, 0, 1), (1,), 2)
    (whole,) = merged([before, point, after])
    assert whole.root == 2 and whole.interval == Interval(Fraction(0), Fraction(1), False, False)
    assert len(merged([before, Stretch(point.interval, (1,), (3,)), after])) == 3
