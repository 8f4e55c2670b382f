"""The installed diffprivlib, against hand, documented formulas, and a count of single numbers."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import verifier
from tests.pages import DOCS
from verifier.base.errors import InputError, NotDecided
from verifier.lab.adapters import adapted, built, library
from verifier.lab.adapters.grid import GRID
from verifier.testing import assert_private

pytestmark = pytest.mark.oracle
MODULE = "diffprivlib.mechanisms"


def mechanisms() -> Any:
    return library(MODULE)


def rows(mechanism: Any, **options: Any) -> dict[str, list[Fraction]]:
    """output -> probabilities in all inputs."""
    matrix = adapted(mechanism, **options).mechanism
    return dict(zip(matrix.outputs, matrix.rows(), strict=True))


def test_binary_at_36_by_hand() -> None:
    """e³⁶ is 4311231547115195.227, as a float 4311231547115195.0 or half a unit beside; the steps
    of u·(e³⁶ + 1) are 0.479 long, and half a unit in the last place is 0.25: only the last number
    lies, rounded, above e³⁶."""
    found = rows(mechanisms().Binary(epsilon=36.0, value0="no", value1="yes"))
    last = Fraction(1, GRID)
    assert found == {"no": [1 - last, last], "yes": [last, 1 - last]}


def test_binary_from_36_and_a_half_on_never_lies() -> None:
    """The steps are 0.789 long, so that the last one, 0.211 above e^36.5, is rounded down."""
    found = rows(mechanisms().Binary(epsilon=36.5, value0="no", value1="yes"))
    assert found == {"no": [1, 0], "yes": [0, 1]}


def test_a_categorical_claim_is_wrong() -> None:
    """ε = ln 16 is claimed for weights of equal sums before the halving factor is dropped; without
    it the smallest level in real numbers is 304/17, from a to c, see the model."""
    levels = {"ab": "1/2", "ac": "1/4", "ad": "1/4", "ae": "1", "bc": "1/2"}
    levels |= {"bd": "3/4", "be": "1/4", "cd": "3/4", "ce": "1/2", "de": "1/4"}
    utilities = [
        (first, last, -2 * math.log(Fraction(weight)) / math.log(16))
        for (first, last), weight in levels.items()
    ]
    made = mechanisms().ExponentialCategorical(epsilon=math.log(16), utility_list=utilities)
    answer = verifier.decide(adapted(made).question())
    assert answer.verdict == "violated" and answer.leakage and answer.leakage.exp_epsilon
    assert abs(answer.leakage.exp_epsilon - Fraction(304, 17)) < Fraction(1, 10**12)
    with pytest.raises(AssertionError, match="violated"):
        assert_private(made)


def test_a_hierarchy_has_the_probabilities_of_its_formula() -> None:
    """Utilities 1 inside a group, 2 outside: weights 1, e^(−ε/2), e^(−ε), as it is balanced."""
    made = mechanisms().ExponentialHierarchical(epsilon=2.0, hierarchy=[["a", "b"], ["c", "d"]])
    weights = [1, math.exp(-1), math.exp(-2), math.exp(-2)]
    (a, b, c, d) = (row[0] for row in rows(made).values())
    for found, weight in zip((a, b, c, d), weights, strict=True):
        assert float(found) == pytest.approx(weight / sum(weights), abs=1e-15)


def test_a_choice_has_the_probabilities_of_its_formula() -> None:
    """Utilities 1, 0, 3, of sensitivity 2, at ε = 1: weights e^(u/4), each u as it is, or 2 less or
    more; of any two with each u at most 2 apart, one may need the level."""
    made = mechanisms().Exponential(epsilon=1.0, sensitivity=2.0, utility=[1.0, 0.0, 3.0])
    found, choice = adapted(made), rows(made)
    assert found.space.name(23) == "(1, 0, 1)" and "no other utilities" in found.covers
    weights = [math.exp(u / 4) for u in (3, 0, 5)]
    for name, weight in zip("012", weights, strict=True):
        assert float(choice[name][23]) == pytest.approx(weight / sum(weights), abs=1e-15)
    answer = verifier.decide(found.question())
    assert answer.verdict == "holds"
    assert answer.leakage and answer.leakage.exp_epsilon
    laws = {}
    for more in product((-2, 0, 2), repeat=3):
        parts = [math.exp((u + m) / 4) for u, m in zip((1, 0, 3), more, strict=True)]
        laws[more] = [part / sum(parts) for part in parts]
    most = max(
        p / q
        for one, other in product(laws, repeat=2)
        if max(abs(x - y) for x, y in zip(one, other, strict=True)) <= 2
        for p, q in zip(laws[one], laws[other], strict=True)
    )
    assert float(answer.leakage.exp_epsilon) == pytest.approx(most, rel=1e-12)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_geometric_noise_counted_one_by_one() -> None:
    """All random numbers of one stretch are tried: outcomes that lie inside have this many."""

    class Told:
        def random(self) -> float:
            return self.number

    made, told = mechanisms().Geometric(epsilon=1.0), Told()
    found = rows(made, values=[0, 1])
    made._rng = told
    counts: Counter[str] = Counter()
    for number in range(GRID // 2 - 1500, GRID // 2 + 1500):
        told.number = number / GRID
        try:
            counts[str(made.randomise(1))] += 1
        except OverflowError:
            counts["OverflowError"] += 1
    assert counts["OverflowError"] == 1
    inside = {
        name: n for name, n in counts.items() if abs(int(name.replace("OverflowError", "0"))) >= 31
    }
    assert len(inside) >= 10
    assert all(found[name][1] == Fraction(n, GRID) for name, n in inside.items())
    for z in range(-20, 21):
        law = math.tanh(0.5) * math.exp(-abs(z))
        assert float(found[str(z)][0]) == pytest.approx(law, abs=1e-15)


def test_geometric_noise_has_ends_that_tell_inputs_apart() -> None:
    answer = verifier.decide(adapted(mechanisms().Geometric(epsilon=1.0)).question())
    assert answer.verdict == "violated" and answer.leakage and answer.leakage.infinite


def test_truncated_and_folded_noise() -> None:
    """Of 0 and 2 between 0 and 2 at ε = ln 2: noise z has probability 2^(−|z|)/3. Truncated 0 gives
    2/3, 1/6, 1/6; folded 0 gives by period 4, z = 0 or 4k, then 1, 2."""
    low = {"epsilon": math.log(2), "lower": 0, "upper": 2}
    truncated = rows(mechanisms().GeometricTruncated(**low), values=[0, 1, 2])
    shares = [float(truncated[name][0]) for name in "012"]
    assert shares == pytest.approx([2 / 3, 1 / 6, 1 / 6], abs=1e-15)
    folded = rows(mechanisms().GeometricFolded(**low), values=[0, 1, 2])
    law = dict.fromkeys("012", 0.0)
    for z in range(-60, 61):
        law[str(abs(z) % 4 if abs(z) % 4 < 3 else 1)] += 2.0 ** -abs(z) / 3
    assert [float(folded[name][0]) for name in "012"] == pytest.approx(
        list(law.values()), abs=1e-14
    )


def test_inputs_beyond_narrow_bounds_are_looked_at() -> None:
    """Bounds 0 and 1, and neighbours 2 apart: 0 against 2 needs 4 where one step is a factor 2."""
    narrow = mechanisms().GeometricTruncated(epsilon=math.log(4), sensitivity=2, lower=0, upper=1)
    found = adapted(narrow)
    answer = verifier.decide(found.question())
    assert found.inputs == (-2, -1, 0, 1, 2, 3) and "from -2 to 3" in found.covers
    assert answer.leakage and answer.leakage.exp_epsilon
    assert float(answer.leakage.exp_epsilon) == pytest.approx(4, rel=1e-12)
    assert "0, 1 alone" in adapted(narrow, values=[0, 1]).covers


def test_a_claim_with_slack_is_asserted() -> None:
    from verifier.lab.adapters import Claim

    made = mechanisms().GeometricTruncated(epsilon=1, sensitivity=2, lower=0, upper=3)
    assert adapted(made).neighbours == {"l1": 2}
    assert assert_private(made, Claim.of("1.000000001")).verdict == "holds"


def test_the_example_of_the_page_runs() -> None:
    page = (DOCS / "reference" / "audit.md").read_text(encoding="utf-8")
    exec(page.split("```py\n")[1].split("```")[0], {})


def test_what_is_not_known() -> None:
    made = mechanisms().Laplace(epsilon=1, sensitivity=1)
    with pytest.raises(InputError, match="'Laplace' are not known here"):
        adapted(made)
    binary = mechanisms().Binary(epsilon=1, value0="a", value1="b")
    with pytest.raises(InputError, match="not whole numbers"):
        adapted(binary, values=[0, 1])
    for options in ({"d_in": 1}, {"candidates": 2}):
        with pytest.raises(InputError, match="the mechanism's own"):
            adapted(binary, **options)
    with pytest.raises(InputError, match=r"more than 100 inputs.*\n.*--values"):
        adapted(mechanisms().GeometricTruncated(epsilon=1, lower=0, upper=1000))
    with pytest.raises(InputError, match="more than 100 inputs between -inf and 0"):
        adapted(mechanisms().GeometricTruncated(epsilon=1, lower=float("-inf"), upper=0))
    with pytest.raises(InputError, match=r"no whole number between 0\.5 and 0\.5"):
        adapted(mechanisms().GeometricFolded(epsilon=1, lower=0.5, upper=0.5))
    choice = {"epsilon": 1, "sensitivity": 1}
    with pytest.raises(InputError, match="up and down"):
        adapted(mechanisms().Exponential(**choice, utility=[0, 1], monotonic=True))
    with pytest.raises(InputError, match="7 candidates: more than 6"):
        adapted(mechanisms().Exponential(**choice, utility=[0] * 7))
    with pytest.raises(InputError, match="division by zero"):
        built(
            f"{MODULE}.ExponentialCategorical", {"epsilon": "1", "utility_list": '[["a", "b", 0]]'}
        )
    with pytest.raises(InputError, match="Epsilon must be non-negative"):
        built(f"{MODULE}.Binary", {"epsilon": "-1"})
    with pytest.raises(InputError, match="--epsilon: 'one' cannot be read"):
        built(f"{MODULE}.Binary", {"epsilon": "one"})


def test_a_mechanism_that_draws_again_is_not_decided() -> None:
    class Twice(mechanisms().Binary):  # type: ignore[misc]
        def randomise(self, value: str) -> str:
            super().randomise(value)
            return str(super().randomise(value))

    class Bits(mechanisms().Binary):  # type: ignore[misc]
        def randomise(self, value: str) -> str:
            return str(self._rng.getrandbits(1))

    Twice.__name__ = Bits.__name__ = "Binary"
    for kind, reason in ((Twice, "more than one"), (Bits, "'getrandbits'")):
        made = kind(epsilon=1, value0="a", value1="b")
        kind.__module__ = MODULE
        with pytest.raises(NotDecided, match=reason):
            adapted(made)
