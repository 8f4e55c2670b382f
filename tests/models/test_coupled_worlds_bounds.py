"""Bounds of the coupled-worlds paper with delta, with several views, for samples and for known
records: the numbers of models/coupled-worlds, by plain fractions."""

from fractions import Fraction as F
from math import factorial

from tests.models.model_files import confirm, decided
from tests.models.simulators import (
    FOLDER,
)

ONE = F(1)
POISSON = "poisson-sample-size.yaml"


def test_a_poisson_sample_size() -> None:
    """e is between two sums, so that 3/n is compared with it and its reciprocal."""
    low = sum(F(1, factorial(k)) for k in range(20))
    high = low + F(1, 10**17)
    good = [n for n in range(1, 100) if 1 / low <= F(3, n) <= low]
    assert good == [n for n in range(1, 100) if 1 / high <= F(3, n) <= high] == list(range(2, 9))
    weight = sum(F(3**n, factorial(n)) for n in good)  # times e^-3
    assert weight == F(71721, 4480)
    assert high**3 - weight > 4 * ONE and low**3 - weight > 4 * ONE  # over e^3: more than 4 e^-3
    confirm(f"{FOLDER}/{POISSON}", False, False, True)
    for result in decided(f"{FOLDER}/{POISSON}"):
        assert result.status == "ok"
        value = result.answer.value
        assert value is not None and 1 - weight / low**3 <= value <= 1 - weight / high**3
