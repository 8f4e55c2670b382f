"""Model files of single sentences of the Pufferfish paper, from the definitions."""

from itertools import pairwise, product
from math import exp, isclose

from tests.models.by_definition import (
    F,
    Fraction,
    bits,
    databases,
    everything,
    independent,
    induced,
    over_pairs,
    pufferfish,
    values,
)
from tests.models.model_files import checks, confirm, decided
from verifier.report.json import result_as_json

BITS = (0, 1)
HALF, THIRD = F(1, 2), F(1, 3)


def test_priors_under_a_constraint() -> None:
    """Attackers who are nearly certain, of some records more than of others, compare two databases
    each. What says x_w in proportion to 2 for one side of Ann or Cleo keeps 2 under many priors."""
    worlds = databases(BITS, 3, lambda w: w[0] >= w[1])
    near = [{0: F(1, 10**e), 1: F(1, 10**f)} for e, f in ((0, 0), (0, 2), (0, 4), (2, 0), (4, 0))]
    compared = set()
    for records in product(near, repeat=3):
        prior = independent(worlds, records)
        for sides in values(worlds):
            v, w = (max(s, key=lambda w: prior[w]) for s in sides)
            if all(
                prior[x] > F(98, 100) * sum(prior[y] for y in s)
                for x, s in zip((v, w), sides, strict=True)
            ):
                compared |= {(v, w), (w, v)}
    assert compared >= set(induced(worlds))
    two_steps = {(v, w) for v, u in compared for x, w in compared if u == x}
    assert compared | two_steps >= set(everything(worlds))
    assert not compared >= set(everything(worlds))
    mechanism = {w: bits(F((2 - w[0]) * (2 - w[2]), 6)) for w in worlds}
    for records in product([*near, {0: F(1)}, {0: F(1, 3), 1: F(2, 3)}], repeat=3):
        prior = independent(worlds, records)
        assert pufferfish(mechanism, values(worlds), [prior]) <= 2
    level = over_pairs(mechanism, everything(worlds))
    confirm("pufferfish/priors-under-a-constraint.yaml", F(2), level, level)


def test_scale_of_the_noise() -> None:
    """Rounded at 1/2 and 3/2: the ratios of the probabilities on each side, by hand."""
    file = "pufferfish/scale-of-the-noise.yaml"
    stated = [check["leakage"] for check in checks(file)]
    assert stated == ["e^2", "e^(1/2)"]
    assert [check.get("expect") for check in checks(file)] == ["violated", None]
    for result, scale in zip(decided(file), (HALF, F(2)), strict=True):

        def below(x: Fraction, scale: Fraction = scale) -> float:
            tail = exp(-abs(x) / scale) / 2
            return tail if x < 0 else 1 - tail

        rows = [[below(HALF - c), below(F(3, 2) - c) - below(HALF - c)] for c in (0, 1, 2)]
        rows = [[p, q, 1 - p - q] for p, q in rows]
        ratios = [x / y for v, w in pairwise(rows) for x, y in zip(v, w, strict=True)]
        level = max(max(r, 1 / r) for r in ratios)
        assert isclose(level, exp(1 / scale))
        assert result_as_json(result)["ok"]
