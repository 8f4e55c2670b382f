"""Numbers that are released as they are: matrices by hand, densities, however they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import pytest

from tests.loops import each
from verifier.base.errors import InputError, LimitReached, NotDecided
from verifier.base.exact import is_irrational
from verifier.base.exponential import bounds, power
from verifier.base.level import Level
from verifier.changes.matching import over
from verifier.definitions import differential_privacy, post_processing, row_cone
from verifier.mechanisms import mechanism_of
from verifier.mechanisms.compose import in_order
from verifier.mechanisms.repeat import repeated
from verifier.noise.draws import GEOMETRIC, LAPLACE, Draw, Law, Linear
from verifier.programs.run import run_program
from verifier.questions.answer import Answer
from verifier.run import verify
from verifier.run.verify import Result
from verifier.spec import reading
from verifier.world.language.axes import apart, named
from verifier.world.mechanism import CONE, PAIRS, Mechanism, merge_proportional_rows, one_of
from verifier.world.worlds import database

F = Fraction
BITS = database(["r1", "r2"], [0, 1])
THREE = database(["r1", "r2", "r3"], [0, 1])


def rows(made: Any) -> dict[str, list[Fraction]]:
    """Each output with its probabilities, one per world; of real numbers what stands for them."""
    assert isinstance(made, Mechanism)
    return dict(zip(made.outputs, made.rows(), strict=True))


def digits(value: Any) -> Any:
    """A number with 40 digits."""
    low, high = bounds(value, 45) if is_irrational(value) else (value, value)
    return (
        mpmath.mpf(low.numerator) / low.denominator + mpmath.mpf(high.numerator) / high.denominator
    ) / 2


def test_a_count_by_hand() -> None:
    """The geometric mechanism of ratio 1/e, cut off at the outermost counts."""
    made = run_program(BITS, "return r1 + r2 + draw(laplace(0, 1))")
    assert isinstance(made, Mechanism)
    assert made.reals == CONE
    e = power(1)
    whole = rows(run_program(BITS, "return r1 + r2 + draw(geometric(0, epsilon=1))"))
    assert rows(made) == {"≤0": whole["≤0"], "near 1": whole["1"], "≥2": whole["≥2"]}
    assert whole["≤0"][0] == e / (1 + e)


def test_gaps_of_any_length() -> None:
    """Centers 0, 1 and 4 with scale 2: e^(-distance/2), times half the sum of (1 − ρ)/(1 + ρ) on
    both sides, ρ = e^(-gap/2), where 1 stands on a side without a neighbour."""
    program = "return [0, 1, 4][r1 + r2] + draw(laplace(0, 2))"
    near, far = power(F(-1, 2)), power(F(-3, 2))
    a, b = (1 - near) / (1 + near), (1 - far) / (1 + far)
    share = {"≤0": (1 + a) / 2, "near 1": (a + b) / 2, "≥4": (1 + b) / 2}
    centers, worlds = [0, 1, 4], [0, 1, 1, 4]
    expected = {
        label: [share[label] * power(F(-abs(c - w), 2)) for w in worlds]
        for label, c in zip(share, centers, strict=True)
    }
    assert rows(run_program(BITS, program)) == expected


def test_densities_are_drawn_from_what_stands_for_them() -> None:
    """Σ_k a_k(y)/A_k · F[k, w] is the density; a_k(y) is the share of the center k, and A_k its
    integral."""
    centers, scale = [F(0), F(1, 3), F(2)], F(3, 2)
    program = "return [0, 1/3, 2][r1 + r2] + draw(laplace(0, 3/2))"
    made = list(rows(run_program(BITS, program)).values())
    random = Random(1)
    with mpmath.workdps(40):
        b = mpmath.mpf(3) / 2
        c = [mpmath.mpf(x.numerator) / x.denominator for x in centers]

        def shares(y: Any) -> list[Any]:
            if y <= c[0]:
                return [mpmath.exp((y - c[0]) / b), 0, 0]
            if y >= c[2]:
                return [0, 0, mpmath.exp((c[2] - y) / b)]
            k = 0 if y <= c[1] else 1
            gap = c[k + 1] - c[k]
            found = [mpmath.mpf(0)] * 3
            found[k] = mpmath.sinh((c[k + 1] - y) / b) / mpmath.sinh(gap / b)
            found[k + 1] = mpmath.sinh((y - c[k]) / b) / mpmath.sinh(gap / b)
            return found

        whole = [
            mpmath.quad(lambda y, k=k: shares(y)[k], [-99, *c, 99])  # type: ignore[misc]
            for k in range(3)
        ]
        for _ in range(30):
            y = mpmath.mpf(random.randrange(-4000, 6000)) / 1000
            for world, center in enumerate([c[0], c[1], c[1], c[2]]):
                mixed = sum(
                    s / a * digits(row[world])
                    for s, a, row in zip(shares(y), whole, made, strict=True)
                )
                density = mpmath.exp(-abs(y - center) / b) / (2 * b)
                assert abs(mixed - density) < mpmath.mpf(10) ** -25 * density
    assert scale == F(3, 2)


BY_HAND: dict[str, dict[str, list[Any]]] = {
    "return r1 + draw(exponential(2))": {
        "0 to 1": [1 - power(F(-1, 2))] * 2 + [F(0)] * 2,
        "≥1": [power(F(-1, 2))] * 2 + [F(1)] * 2,
    },
    "return r1 - draw(exponential(2))": {
        "≤0": [F(1)] * 2 + [power(F(-1, 2))] * 2,
        "0 to 1": [F(0)] * 2 + [1 - power(F(-1, 2))] * 2,
    },
    "return r1 + draw(interval(0, 2))": {
        "0 to 1": [F(1, 2)] * 2 + [F(0)] * 2,
        "1 to 2": [F(1, 2)] * 4,
        "2 to 3": [F(0)] * 2 + [F(1, 2)] * 2,
    },
    "return r1/2 - 2*draw(interval(0, 1))": {
        "-2 to -3/2": [F(1, 4)] * 2 + [F(0)] * 2,
        "-3/2 to 0": [F(3, 4)] * 4,
        "0 to 1/2": [F(0)] * 2 + [F(1, 4)] * 2,
    },
    "return r1 + 2*draw(geometric(0, 1/2))": {  # odd or even: the bit
        "any like 0": [F(1), F(1), F(0), F(0)],
        "any like 1": [F(0), F(0), F(1), F(1)],
    },
    "return 2*r1 + 2*draw(geometric(0, 1/2))": {
        "≤0": [F(2, 3)] * 2 + [F(1, 3)] * 2,
        "≥2": [F(1, 3)] * 2 + [F(2, 3)] * 2,
    },
    "x = draw(laplace(0, 1))\nreturn [x, r1 + x]": {  # the difference is the bit
        "(any, y2 - y1 = 0)": [F(1), F(1), F(0), F(0)],
        "(any, y2 - y1 = 1)": [F(0), F(0), F(1), F(1)],
    },
    "return 5 + draw(normal(0, 1))": {"any": [F(1)] * 4},
    "if r1 == 0:\n    return 3\nreturn draw(laplace(r2, 1))": {  # 3 itself is drawn with 0
        "≤0": [F(0), F(0), 1 / (1 + power(-1)), 1 / (1 + power(1))],
        "≥1": [F(0), F(0), 1 / (1 + power(1)), 1 / (1 + power(-1))],
        "3": [F(1), F(1), F(0), F(0)],
    },
}


def test_matrices_by_hand() -> None:
    for program, expected in BY_HAND.items():
        made = run_program(BITS, program)
        assert rows(made) == expected, program
        assert isinstance(made, Mechanism)
        assert (not made.reals) == ("if r1" not in program), program


def test_a_normal_draw_tells_the_center_to_pairs() -> None:
    made = run_program(BITS, "return r1 + draw(normal(0, 1))")
    assert isinstance(made, Mechanism)
    assert made.reals == PAIRS
    assert rows(made) == {"about 0": [1, 1, 0, 0], "about 1": [0, 0, 1, 1]}
    coin = "return r1 + draw(bernoulli(1/2)) + draw(normal(0, 1))"
    with pytest.raises(LimitReached, match="around several numbers"):
        run_program(BITS, coin)
    beside = "return [draw(laplace(r1, 1)), draw(normal(0, 1)) > draw(normal(r2, 1))]"
    with pytest.raises(LimitReached, match="beside comparisons of normal draws"):
        run_program(BITS, beside)


def test_what_sums_tell_apart() -> None:
    """Any invertible sums: the axes give each draw back, whatever its number."""
    random = Random(3)
    for _ in range(40):
        size = random.randrange(1, 4)
        draws = [Draw(random.randrange(99) * 4 + i, Law(LAPLACE, F(1))) for i in range(size)]
        factors = [[random.randrange(-3, 4) for _ in draws] for _ in range(size + 1)]
        forms = [
            Linear.of(dict(zip(draws, row, strict=True)), random.randrange(5)) for row in factors
        ]
        forms = [form for form in forms if form.terms]
        told = apart(forms)
        seen = {d for form in forms for d, _ in form.terms}
        matrix = mpmath.matrix([[dict(f.terms).get(d, 0) for d in sorted(seen)] for f in forms])
        full = bool(forms) and _rank(matrix) == len(seen)
        assert (told is not None) == (full or not forms)
        if told is None or not forms:
            continue
        for axis, draw, center in zip(told.axes, told.draws, told.centers, strict=True):
            total = Linear((), 0)
            for at, factor in axis.sum:
                total = total.plus(forms[at], factor)
            ((found, factor),) = total.terms
            assert (found.number, total.constant) == (draw.number, center)
            assert draw.law.parameter == abs(factor)
        for _, sums, constant in told.fixed:
            total = Linear((), 0)
            for at, factor in sums:
                total = total.plus(forms[at], factor)
            assert (total.terms, total.constant) == ((), constant)


def _rank(matrix: Any) -> int:
    """The rank, by elimination with fractions."""
    rows = [[F(int(x)) for x in matrix[i, :]] for i in range(matrix.rows)]
    rank = 0
    for column in range(matrix.cols):
        pivot = next((r for r in rows[rank:] if r[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows = [
            [x - r[column] / pivot[column] * p for x, p in zip(r, pivot, strict=True)] for r in rows
        ]
        rows.insert(rank, [F(0)] * matrix.cols)
        rank += 1
    return rank


def test_a_whole_draw_keeps_its_law() -> None:
    draw = Draw(7, Law(GEOMETRIC, F(1, 2)))
    told = apart([Linear(((draw, -3),), F(7, 2))])
    assert told is not None
    (axis,) = told.axes
    assert (axis.law, axis.step, axis.parted(F(7, 2))) == (draw.law, 3, (1, F(1, 6)))
    assert named(((0, F(-1, 2)), (2, 1))) == "y3 - 1/2 y1"


def results(folder: Path, text: str) -> list[Result]:
    """The results of a file's checks."""
    path = folder / "spec.yaml"
    path.write_text(text)
    return list(verify.check(path).results)


HEAD = "worlds: {records: 3, domain: [0, 1]}\nmechanism:\n  program: |\n"
CHAIN = """\
pairs: values
priors:
  list:
    - markov: {initial: stationary, transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}}
"""


def answer(folder: Path, program: str, check: str, more: str = "") -> Answer:
    """The answer to a check of a program."""
    lines = "".join(f"    {line}\n" for line in program.splitlines())
    path = folder / "spec.yaml"
    path.write_text(f"{HEAD}{lines}{more}checks:\n  - {check}\n")
    _, checks = reading.load(str(path), False)
    return verify.decide(verify.asked(checks[0]))


COUNTS = "return [r1 + r2 + r3 + {}, r1*r2 + r2*r3 + {}]"
TWO = COUNTS.format("draw(laplace(0, 1))", "draw(laplace(0, 2))")


def test_two_counts_of_a_chain_by_densities(tmp_path: Path) -> None:
    """The odds at (3, 2) are the largest; at no other real numbers they are larger."""
    found = answer(tmp_path, TWO, "pufferfish: {epsilon: 2}", CHAIN)
    assert (found.verdict, found.leakage is None) == ("violated", False)
    with mpmath.workdps(40):
        level = digits(found.leakage.exp_epsilon)  # type: ignore[union-attr]
        assert mpmath.nstr(level, 12) == "14.331392356"
        assert abs(level - _odds((3, 2), 1)) < mpmath.mpf(10) ** -38
        random = Random(5)
        for _ in range(300):
            place = [mpmath.mpf(random.randrange(-3000, 6000)) / 1000 for _ in "12"]
            for record in range(3):
                odds = _odds(place, record)
                assert max(odds, 1 / odds) <= level * (1 + mpmath.mpf(10) ** -38)


def _odds(place: Sequence[Any], record: int) -> Any:
    """How much likelier two released counts are when a record is 1 than when it is 0."""
    start = [mpmath.mpf(3) / 7, mpmath.mpf(4) / 7]
    step = [[mpmath.mpf(2) / 3, mpmath.mpf(1) / 3], [mpmath.mpf(1) / 4, mpmath.mpf(3) / 4]]
    density, mass = [mpmath.mpf(0)] * 2, [mpmath.mpf(0)] * 2
    for world in product((0, 1), repeat=3):
        a, b, c = world
        p = start[a] * step[a][b] * step[b][c]
        far = abs(place[0] - a - b - c) + abs(place[1] - a * b - b * c) / 2
        density[world[record]] += p * mpmath.exp(-far)
        mass[world[record]] += p
    return density[1] / mass[1] * mass[0] / density[0]


def test_finer_and_finer_rounding_comes_near(tmp_path: Path) -> None:
    """Rounded to 1/k and clamped, a count leaks less, and more with each division."""
    count = "return r1 + r2 + r3 + draw(laplace(0, 1))"
    released = answer(tmp_path, count, "pufferfish: {epsilon: 2}", CHAIN).leakage
    levels = []
    for k in (1, 2, 4, 8):
        inner = f"floor({k}*(r1 + r2 + r3 + draw(laplace(0, 1))))"
        program = f"return max(0, min({3 * k}, {inner}))"
        found = answer(tmp_path, program, "pufferfish: {epsilon: 2}", CHAIN).leakage
        assert found is not None
        levels.append(digits(found.exp_epsilon))
    assert released is not None
    gaps = [digits(released.exp_epsilon) - level for level in levels]
    assert gaps[-1] >= 0
    assert all(b <= a for a, b in pairwise(gaps))


SAME: dict[str, Sequence[str]] = {  # a leakage, and programs that must have it
    "e": (
        "return r1 + r2 + r3 + draw(laplace(0, 1))",
        "return draw(laplace(r3, 1)) + (r1 + r2)",
        "return 2 * draw(laplace(0, 1/2)) + r1 + r2 + r3",
        "return r1 + r2 + r3 - draw(laplace(7, 1))",
        "return [3 - (r1 + r2 + r3 + draw(laplace(0, 1)))/2]",
        "x = draw(laplace(0, 1))\ny = draw(laplace(0, 1))\nreturn [r1 + x, r1 + r2 + x + y]",
        "y = draw(laplace(0, 1))\nx = draw(laplace(0, 1))\nreturn [r1 + x, r1 + r2 + x + y]",
        "y = draw(laplace(0, 1))\nx = draw(laplace(0, 1))\nreturn [r1 + r2 + x + y, r1 + x]",
        "x = draw(laplace(0, 1))\ny = draw(laplace(0, 1))\nif r3 == 0:\n"
        "    return [r1 + x, r2 + y]\nreturn [r1 + y, r2 + x]",
        "x = draw(laplace(r1, 1))\nz = draw(laplace(r2, 1))\nreturn [x, z, x + z, x - z]",
        "x = draw(laplace(0, 1))\nif draw(laplace(0, 1)) > 0:\n    return r1 + x\nreturn r1 + x",
        "n = r1 + draw(geometric(0, epsilon=1))\nreturn [n, r2 + draw(laplace(0, 1)) + n]",
        "x = draw(laplace(0, 1))\ny = draw(laplace(0, 1))\nreturn [r1 + x - y, r2 + x + y + r1]",
    ),
    "e^2": ("return [draw(laplace(r1 + r2, 1)), draw(laplace(r1 + r3, 1))]",),
}


@each("level, program", [(level, one) for level, programs in SAME.items() for one in programs])
def test_renaming_reordering_and_splitting_change_nothing(
    tmp_path: Path, level: str, program: str
) -> None:
    found = answer(tmp_path, program, "differential_privacy: {epsilon: 2}").leakage
    assert found is not None
    assert found.exp_epsilon == power({"e": 1, "e^2": 2}[level])


UNDECIDED = (
    "differential_privacy: {epsilon: 1, tradeoff: [1, 2]}",
    "differential_privacy: {epsilon: 1, delta: 1/10, tradeoff: [1, 2]}",
    "renyi: {epsilon: 1, order: 2}",
    "zcdp: {rho: 1}",
    "pufferfish: {epsilon: 1, delta: 1/10}",
    "distributional_privacy: {epsilon: 1, form: simulation, simulator: any}",
    "coupled_worlds: {epsilon: 1, alt: [r1], priv: [r2]}",
)


def test_other_questions_stay_undecided(tmp_path: Path) -> None:
    text = f"{HEAD}    return r1 + r2 + r3 + draw(laplace(0, 1))\n{CHAIN}checks:\n"
    lines = "".join(f"  - {{{check}}}\n" for check in UNDECIDED)
    for found in results(tmp_path, text + lines):
        assert found.status == "undecided", found
        assert "real numbers are released" in str(found.answer.reason), found


FURTHER: dict[str, Callable[[], Any]] = {
    "metric_privacy: {epsilon: 1, distance: hamming}": lambda: power(1),
    "differential_privacy: {epsilon: 3, group: 3}": lambda: power(3),
    "bounded_range: {epsilon: 2}": lambda: power(2),
    "blowfish: {epsilon: 1, graph: full}": lambda: power(1),
    "pufferfish: {epsilon: 1}, priors: product": lambda: power(1),
    "pufferfish: {epsilon: 3}, priors: all": lambda: power(3),
}


def test_questions_about_ratios_are_decided(tmp_path: Path) -> None:
    text = f"{HEAD}    return r1 + r2 + r3 + draw(laplace(0, 1))\npairs: values\nchecks:\n"
    lines = "".join(f"  - {{{check}}}\n" for check in FURTHER)
    for found, expected in zip(results(tmp_path, text + lines), FURTHER.values(), strict=True):
        assert found.answer.leakage is not None, found
        assert found.answer.leakage.exp_epsilon == expected(), found
        assert found.answer.verdict == "holds"


def test_independent_runs_multiply(tmp_path: Path) -> None:
    text = """\
worlds: {records: 2, domain: [0, 1]}
mechanisms:
  one: {program: "return r1 + r2 + draw(laplace(0, 1))"}
  two: {compose: [one, one]}
  three: {repeat: {of: one, runs: 3}}
  with a bit: {compose: [one, {randomized_response: {truth: 3/4}}]}
  normal: {program: "return r1 + r2 + draw(normal(0, 1))"}
  both: {compose: [one, normal]}
checks:
  - {mechanism: two, differential_privacy: {epsilon: 2}, leakage: e^2}
  - {mechanism: three, differential_privacy: {epsilon: 3}, leakage: e^3}
  - {mechanism: with a bit, differential_privacy: {epsilon: 3}, leakage: 3*e}
  - {mechanism: both, differential_privacy: {epsilon: 3}, leakage: infinite, expect: violated}
  - {mechanism: two, differential_privacy: {epsilon: 1, delta: 1/2}}
"""
    found = results(tmp_path, text)
    assert [one.status for one in found] == ["ok"] * 4 + ["undecided"]


def test_normal_noise_is_not_asked_of_secrets(tmp_path: Path) -> None:
    """Neither engine nor checker says more than about worlds; it was an internal error."""
    count = "return r1 + r2 + r3 + draw(normal(0, 1))"
    for check in ("pufferfish: {epsilon: 1}", "composition: {epsilon: 1}"):
        text = f"{HEAD}    {count}\npairs: values\npriors: all\nchecks:\n  - {{{check}}}\n"
        (found,) = results(tmp_path, text)
        assert found.status == "undecided", found
        assert "normal noise" in str(found.answer.reason)


def test_what_is_made_of_a_mechanism_stands_for_the_same() -> None:
    """For δ = 1/10 the channel needs (9e - 1)/10, the released number 81e/100."""
    bit = database(["r1"], [0, 1])
    one = run_program(bit, "return r1 + draw(laplace(0, 1))")
    assert isinstance(one, Mechanism)
    plain = Mechanism.from_rows(["a", "b"], [["2/3", "1/3"], ["1/3", "2/3"]])
    several = [("real", one), ("plain", plain)]
    for other in (
        repeated(one, 2),
        in_order([one, plain]),
        one_of(several),
        merge_proportional_rows(one),
        over(one, [1, 0]),
    ):
        assert other.reals == CONE
    level = Level.of_epsilon(1)
    for described in (
        {"merge_proportional": "real"},
        {"mixture": [{"weight": 1, "mechanism": "real"}]},
    ):
        with pytest.raises(InputError, match="releases real numbers"):
            mechanism_of(bit, described, {"real": one})
    with pytest.raises(NotDecided, match="real numbers"):
        differential_privacy.question(
            space=bit, mechanism=merge_proportional_rows(one), level=level, delta=F(1, 10)
        )


def test_nothing_is_compared_with_real_numbers() -> None:
    """A released number does not answer a bit as truthfully as what stands for it."""
    bit = database(["r1"], [0, 1])
    made = run_program(bit, "return r1 + draw(laplace(0, 1))")
    assert isinstance(made, Mechanism)
    plain = Mechanism.from_rows(["a", "b"], [["2/3", "1/3"], ["1/3", "2/3"]])
    with pytest.raises(NotDecided, match="nothing is compared"):
        post_processing.question(space=bit, mechanism=plain, of={"real": made})
    with pytest.raises(NotDecided, match="nothing is compared"):
        row_cone.question(space=bit, mechanism=plain, of={"real": made})
