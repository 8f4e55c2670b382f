"""models/mechanisms/thousand-runs.yaml: delta by all counts of outputs, and by Fourier transforms.

Both are in floats, and nothing of grids of ratios, or of rounding, is used. Of three outputs all
501,501 counts are added up. Of twenty the privacy losses of one run are put on multiples of
1/20,000, of which the characteristic function is raised to the power of 1,000.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln

from verifier.kernels.grids import deltas
from verifier.kernels.products import drawn
from verifier.run import verify
from verifier.spec import reading
from verifier.world.mechanism import Mechanism

MODEL = "models/mechanisms/thousand-runs.yaml"
RUNS, ALPHA = 1000, 8.0


@pytest.fixture(scope="module")
def mechanisms() -> dict[str, Mechanism]:
    with verify.limits(verify.Options()):
        model, _ = reading.load(MODEL)
        names = model.node["mechanisms"].mapping()
        return {name: model.build(names[name]) for name in ("three", "twenty")}


def sides(mechanism: Mechanism, turned: bool) -> tuple[np.ndarray, np.ndarray]:
    rows = np.array([[float(mechanism.values[code]) for code in row] for row in mechanism.codes])
    return (rows[:, 1], rows[:, 0]) if turned else (rows[:, 0], rows[:, 1])


def by_counts(p: np.ndarray, q: np.ndarray) -> float:
    """Over all counts of three outputs."""
    a, b = np.meshgrid(np.arange(RUNS + 1.0), np.arange(RUNS + 1.0))
    a, b = a[a + b <= RUNS], b[a + b <= RUNS]
    counts = np.stack([a, b, RUNS - a - b])
    ways = gammaln(RUNS + 1) - gammaln(counts + 1).sum(axis=0)
    first, second = (np.exp(ways + np.log(side) @ counts) for side in (p, q))
    return float(np.maximum(0, first - ALPHA * second).sum())


def by_transforms(p: np.ndarray, q: np.ndarray) -> float:
    """On a circle that is long enough for nearly all sums of losses."""
    step, size = 1 / 20_000, 2**20
    place = np.log(p / q) / step
    whole = np.floor(place).astype(int)
    one = np.zeros(size)
    np.add.at(one, whole % size, p * (1 - place + whole))
    np.add.at(one, (whole + 1) % size, p * (place - whole))
    masses = np.fft.irfft(np.fft.rfft(one) ** RUNS, size)
    losses = step * (np.arange(size) - size * (np.arange(size) >= size // 2))
    return float((masses * np.maximum(0, 1 - ALPHA * np.exp(-losses))).sum())


def test_delta_of_a_thousand_runs(mechanisms: dict[str, Mechanism]) -> None:
    plain = {"three": by_counts, "twenty": by_transforms}
    for name, mechanism in mechanisms.items():
        worst = max(plain[name](*sides(mechanism, turned)) for turned in (False, True))
        draws = [
            [(one, RUNS * runs) for one, runs in drawn([(mechanism, 1)], pair)]
            for pair in ((0, 1), (1, 0))
        ]
        low, high = map(float, deltas(draws, Fraction(8), Fraction(8)))
        assert low <= worst <= high < low + 1e-4, (name, worst)


def test_the_model_asks_on_either_side(mechanisms: dict[str, Mechanism]) -> None:
    """Its first check holds by a little, and its second one is violated by a little."""
    three, twenty = mechanisms.values()
    assert 0.9995 < by_counts(*sides(three, True)) < 0.9997
    assert 0.4945 < by_transforms(*sides(twenty, False)) < 0.496
