"""Draws that are not clamped: programs that must agree, matrices by hand, refusals."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from verifier.base.errors import InputError, LimitReached
from verifier.base.exponential import power
from verifier.programs.run import run_program
from verifier.world.box import Box
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import database

BITS = database(["r1", "r2"], [0, 1])
THREE = database(["r1", "r2", "r3"], [0, 1])


def rows(made: Mechanism) -> dict[str, list[Fraction]]:
    """Each output with its probabilities, one per world."""
    return dict(zip(made.outputs, made.rows(), strict=True))


RUNNING = """\
best = 0
arg = 0
for i in range(3):
    v = world[i] + draw(geometric(0, 1/2))
    if i == 0 or v > best:
        best = v
        arg = i
return arg
"""
AT_ONCE = """\
v = []
for i in range(3):
    v.append(world[i] + draw(geometric(0, 1/2)))
return argmax(v)
"""
BACKWARDS = """\
noisy = [draw(geometric(r1, 1/2)), draw(geometric(r2, 1/2)), draw(geometric(r3, 1/2))]
arg = 2
best = noisy[2]
for i in (1, 0):
    if noisy[i] >= best:
        best = noisy[i]
        arg = i
return arg
"""
BY_MAXIMUM = """\
noisy = [r1 + draw(geometric(0, 1/2)), r2 + draw(geometric(0, 1/2)), r3 + draw(geometric(0, 1/2))]
top = max(noisy)
if noisy[0] == top:
    return 0
return 1 if noisy[1] >= top else 2
"""


@pytest.mark.parametrize("other", [AT_ONCE, BACKWARDS, BY_MAXIMUM])
def test_noisy_max_however_it_is_written(other: str) -> None:
    assert rows(run_program(THREE, RUNNING)) == rows(run_program(THREE, other))


def test_noisy_max_by_clamps_far_away() -> None:
    clamped = RUNNING.replace("geometric(0, 1/2)", "geometric(0, 1/2, -14, 14)")
    near, exact = rows(run_program(THREE, clamped)), rows(run_program(THREE, RUNNING))
    gaps = [abs(a - b) for o in exact for a, b in zip(near[o], exact[o], strict=True)]
    assert 0 < max(gaps) < Fraction(1, 2**12)


IN_TURN = [
    "for v in [x, y]:\n    if v > 1:\n        return 1\nreturn 0",
    "for v in (x, y, 1):\n    if v > 1:\n        return 1\nreturn 0",
    "for v in [[x, y]]:\n    for w in v:\n        if w > 1:\n            return 1\nreturn 0",
    "n = 0\nfor v in [x, y]:\n    if v <= 1:\n        continue\n    n = 1\n    break\nreturn n",
    "kept = []\nfor v in [x, y]:\n    kept.append(v)\nreturn 1 if max(kept) > 1 else 0",
    "kept = [x] if r1 == 1 else [x, 0]\nkept.append(y)\nn = 0\nfor v in kept:\n"
    "    if v > 1:\n        n = 1\nreturn n",
]


def test_a_loop_over_draws_is_one_over_their_places() -> None:
    """1 unless both are at most 1, which a draw around 0 is with 1 − ρ²/(1 + ρ), one around 1 with
    1 − ρ/(1 + ρ): the tails of geometric noise, here of ratio ρ = 1/3."""
    low, high = 1 - Fraction(1, 9) / Fraction(4, 3), 1 - Fraction(1, 3) / Fraction(4, 3)
    at_most = [low * low, low * high, high * low, high * high]
    for program in IN_TURN:
        drawn = "x = draw(geometric(r1, 1/3))\ny = r2 + draw(geometric(0, 1/3))\n"
        found = rows(run_program(BITS, drawn + program))
        assert found == {"0": at_most, "1": [1 - p for p in at_most]}, program


def test_two_draws_by_hand() -> None:
    """P(X > Y) = (1 − P(X = Y))/2 with P(X = Y) = (1/9)·(1 + 2·(1/4)/(1 − 1/4)) = 5/27."""
    made = run_program(
        database(["r"], [0]), "return draw(geometric(0, 1/2)) > draw(geometric(0, 1/2))"
    )
    assert rows(made) == {"False": [Fraction(16, 27)], "True": [Fraction(11, 27)]}


@pytest.mark.parametrize(
    "program",
    [
        "return max(-2, min(3, draw(geometric(r1 + r2, 1/3))))",
        "return min(3, max(-2, r1 + r2 - draw(geometric(0, 1/3))))",
        "x = r1 + draw(geometric(r2, 1/3))\nif x < -2:\n    return -2\nreturn x if x <= 3 else 3",
    ],
)
def test_clamping_what_is_released(program: str) -> None:
    clamped = run_program(BITS, "return draw(geometric(r1 + r2, 1/3, -2, 3))")
    assert rows(run_program(BITS, program)) == rows(clamped)


def test_a_whole_draw_released_as_it_is() -> None:
    made = run_program(BITS, "return count(value == 1) + draw(geometric(0, 1/2))")
    third = Fraction(1, 3)
    assert rows(made) == {
        "≤0": [2 * third, third, third, third / 2],
        "1": [third / 2, third, third, third / 2],
        "≥2": [third / 2, third, third, 2 * third],
    }
    assert made.notes == (
        "told as one, as they say the same of the worlds: outputs ≤ 0, outputs ≥ 2",
    )


def test_a_histogram_is_a_product() -> None:
    program = "return [r1 + draw(geometric(0, 1/2)), r2 - draw(geometric(0, 1/3))]"
    made = rows(run_program(BITS, program))
    first = {"≤0": [Fraction(2, 3), Fraction(1, 3)], "≥1": [Fraction(1, 3), Fraction(2, 3)]}
    second = {"≤0": [Fraction(3, 4), Fraction(1, 4)], "≥1": [Fraction(1, 4), Fraction(3, 4)]}
    expected = {
        f"({a}, {b})": [x * y for x in first[a] for y in second[b]] for a in first for b in second
    }
    assert made == expected


def test_finite_draws_beside() -> None:
    program = """\
x = draw(geometric(r1, 1/2))
coin = draw(bernoulli(1/4))
if coin == 1:
    return x > 0
return x >= 0
"""
    made = rows(run_program(BITS, program))
    above = {0: (Fraction(1, 3), Fraction(2, 3)), 1: (Fraction(2, 3), Fraction(5, 6))}
    expected = [above[r][0] / 4 + above[r][1] * 3 / 4 for r in (0, 0, 1, 1)]
    assert made["True"] == expected


def test_equal_whole_draws_and_floors() -> None:
    program = """\
x = r1 + draw(geometric(0, 1/2))
if x == 0 or x / 2 == 1:
    return 'zero or two'
return 'odd' if floor(x / 2) * 2 != x and -2 < x < 2 else 'other'
"""
    with pytest.raises(InputError) as caught:
        run_program(BITS, program)
    assert caught.value.code == "S315"  # twice a floor
    program = program.replace("floor(x / 2) * 2 != x and ", "")
    made = rows(run_program(BITS, program))
    third = Fraction(1, 3)
    assert made["zero or two"][0] == third + third / 4
    assert made["odd"][0] == third
    assert made["zero or two"][2] == third


def test_paths_that_cannot_be_taken_need_no_return() -> None:
    program = """\
x = draw(geometric(0, 1/2))
y = draw(geometric(r1, 1/2))
if x > y:
    if y >= x:
        return 1 / 0
    return 'above'
elif x <= y:
    return 'not'
"""
    assert set(rows(run_program(BITS, program))) == {"above", "not"}


def test_a_threshold_that_is_renewed() -> None:
    """A chain of two stars, against far clamps."""
    program = """\
found = []
t = draw(geometric(0, 1/4))
for q in (r1, r2, r3):
    if q + draw(geometric(0, 1/3)) >= t:
        found.append(1)
        t = draw(geometric(0, 1/4))
    else:
        found.append(0)
return found
"""
    clamped = program.replace("1/4)", "1/4, -7, 7)").replace("1/3)", "1/3, -7, 7)")
    near, exact = rows(run_program(THREE, clamped)), rows(run_program(THREE, program))
    gaps = [abs(a - b) for o in exact for a, b in zip(near[o], exact[o], strict=True)]
    assert 0 < max(gaps) < Fraction(1, 2**9)


def test_a_whole_draw_plus_a_real_one() -> None:
    """N + U > 1/2 for N >= 1, or N = 0 and U > 1/2; with 1 more for N >= 0, or N = −1 and so on."""
    program = "x = r + draw(geometric(0, 1/2)) + draw(interval(0, 1))\nreturn x > 1/2"
    made = rows(run_program(database(["r"], [0, 1]), program))
    third = Fraction(1, 3)
    assert made["True"] == [third + third / 2, 2 * third + third / 4]


def test_twelve_digits_of_epsilon() -> None:
    """P(X >= 1) for geometric noise is ρ/(1 + ρ), for Laplace noise P(X > 1) = ρ/2."""
    program = "x = draw(KIND)\nreturn x >= 1"
    epsilon = Fraction("0.123456789012")
    rho = power(-epsilon)
    one = rows(
        run_program(
            database(["r"], [0]), program.replace("KIND", f"geometric(0, epsilon={epsilon})")
        )
    )
    assert one["True"] == [rho / (1 + rho)]
    two = rows(
        run_program(database(["r"], [0]), program.replace("KIND", f"laplace(0, 1/({epsilon}))"))
    )
    assert two["True"] == [rho / 2]


def test_scales_without_a_common_part_stay_undecided() -> None:
    program = f"return draw(laplace(0, {10**40 + 1})) > draw(laplace(0, {10**30 + 1}))"
    with pytest.raises(LimitReached, match="no common part"):
        run_program(BITS, program)


def test_columns_are_distributions() -> None:
    made = run_program(THREE, RUNNING)
    totals = np.zeros(made.worlds, dtype=object)
    for row in made.rows():
        totals += np.array(row, dtype=object)
    assert all(total == 1 for total in totals)


REFUSED = {
    "return [1, 2][draw(geometric(0, 1/2))]": ("S315", (1, 15)),
    "x = draw(laplace(r1, 1))\nreturn x % 2": ("S315", (2, 8)),
    "x = draw(geometric(r1, 1/2))\nreturn 0 < x in [1, 2]": ("S315", (2, 8)),
    "x = draw(laplace(r1, 1))\nreturn x * x > 1": ("S316", (2, 8)),
    "x = draw(laplace(r1, 1))\nreturn 1 / x > 1": ("S316", (2, 8)),
    "x = draw(laplace(r1, 1))\nreturn x == 1": ("S317", (2, 8)),
    "x = draw(laplace(r1, 1))\nreturn floor(x)": ("S318", (2, 8)),
    "x = draw(geometric(r1, 1/2))\nif x > 1:\n    return 1\nreturn x": ("S322", (4, 8)),
    "x = draw(laplace(r1, 1))\nreturn [x, x, 1 if x > 1 else 0]": ("S322", (2, 8)),
    "x = draw(laplace(r1, 1))\nreturn [x + draw(laplace(r1, 1)), x + draw(laplace(r2, 1))]": (
        "S322",
        (2, 8),
    ),
    "return draw(geometric(r1, 1/2)) - draw(geometric(r2, 1/2))": ("S322", (1, 8)),
    "return max(draw(normal(r1, 1)), draw(normal(r2, 1)))": ("S322", (1, 8)),
    "return draw(laplace(0, 1 + r1))": ("S323", (1, 1)),
    "return draw(laplace(0, 1)) if r1 == 1 else draw(exponential(1))": ("S323", (1, 1)),
    "x = draw(laplace(0, 1))\nif r1 == 1:\n    return [x, x]\nreturn [x, draw(laplace(0, 1))]": (
        "S323",
        (3, 5),
    ),
    "return draw(geometric(0, 1/2)) if r1 == 1 else 3": ("S318", (1, 1)),
    "return [draw(geometric(0, 1/2)), r1] if r2 == 1 else [0, draw(geometric(0, 1/2))]": (
        "S323",
        (1, 1),
    ),
    "x = draw(geometric(r1, 1/2))\nfor i in range(x):\n    y = 1\nreturn 2": ("S319", (2, 10)),
    "return draw(laplace(r1, 0)) > 1": ("S320", (1, 13)),
    "return draw(exponential(-1)) > 1": ("S320", (1, 13)),
    "return draw(geometric(0, epsilon=0)) > 1": ("S320", (1, 13)),
    "return draw(interval(1, 1)) > 1": ("S320", (1, 13)),
    "return draw(geometric(0, 1/2)) > draw(laplace(0, 1))": ("S321", (1, 8)),
    "return draw(geometric(0, 1/2)) > draw(geometric(0, epsilon=1))": ("S321", (1, 8)),
    "return draw(geometric(0, 1)) > 0": ("S311", (1, 13)),
    "return draw(geometric(1/2, 1/2)) > 0": ("S306", (1, 13)),
    "return laplace(0, 2)": ("S306", (1, 8)),
    "return [geometric(0, 1/2), r1]": ("S306", (1, 8)),
    "return draw({laplace(0, 1): 1/2, 3: 1/2})": ("S311", (1, 13)),
    "return draw(laplace(exp(1), 1)) > 0": ("S320", (1, 13)),
    "return draw(interval(0, exp(1))) > 0": ("S320", (1, 13)),
}


@pytest.mark.parametrize("program", REFUSED)
def test_what_is_refused(program: str) -> None:
    code, place = REFUSED[program]
    with pytest.raises(InputError) as caught:
        run_program(BITS, program)
    assert caught.value.code == code
    assert caught.value.place is not None
    assert tuple(caught.value.place[1:]) == place
    assert caught.value.hint


SAID = {
    "return laplace(0, 2) > 1": "found a distribution (laplace(0, 2))",
    "x = exponential(1/2)\nreturn x + 1": "with x = exponential(1/2)",
    "return 1 + geometric(r1, epsilon=1)": "(geometric(0, epsilon=1))",
    "return abs(geometric(-1, 1/3))": "(geometric(-1, 1/3))",
    "return abs(interval(1, 3))": "(interval(1, 3))",
    "return abs(bernoulli(1/3))": "({1: 1/3, 0: 2/3})",
    "return draw({1: laplace(0, 1), 2: 1})": "the probability of 1 is laplace(0, 1)",
    "return 1 if draw(laplace(0, 1)) else 0": "if would look at a draw",
}


@pytest.mark.parametrize("program", SAID)
def test_messages_show_what_was_written(program: str) -> None:
    with pytest.raises(InputError) as caught:
        run_program(BITS, program)
    assert SAID[program] in str(caught.value)


def test_normal_draws_by_their_variance() -> None:
    """P(round(r1 + Z) = 0, 1) of Z with the variance 2, by the error function; and a variance that
    is a square says the same as a scale."""
    text = "return max(0, min(1, round(r1 + draw(normal(0, {})))))"
    found = run_program(BITS, text.format("variance=2"))
    assert isinstance(found, Box)
    with mpmath.workdps(40):
        for world, r1 in enumerate((0, 0, 1, 1)):
            chance = mpmath.ncdf((mpmath.mpf("0.5") - r1) / mpmath.sqrt(2))
            low, high = (found.values[side[0, world]] for side in (found.lower, found.upper))
            ends = [mpmath.mpf(end.numerator) / end.denominator for end in (low, high)]
            assert ends[0] <= chance <= ends[1] <= ends[0] * (1 + mpmath.mpf(10) ** -25)
    one, other = (run_program(BITS, text.format(law)) for law in ("variance=9/4", "sqrt(9/4)"))
    assert isinstance(one, Box) and isinstance(other, Box) and one.values == other.values
