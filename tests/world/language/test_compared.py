"""One real number released after comparisons, against quadratures of its densities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import exp
from pathlib import Path
from typing import Any

import pytest
from flint import acb, arb, ctx, fmpq

from verifier.run import verify
from verifier.spec.reading import read_whole

F = Fraction
NEAR = F(1, 10**25)


@pytest.fixture(autouse=True)
def digits() -> Any:
    """Forty digits, and some more."""
    before, ctx.prec = ctx.prec, 160
    yield
    ctx.prec = before


def big(x: Any) -> Any:
    return x if isinstance(x, arb | acb) else arb(fmpq(F(x).numerator, F(x).denominator))


def density(x: Any, scale: int, side: int) -> Any:
    """Of Laplace noise, on a side of 0."""
    return (-side * big(x) / scale).exp() / (2 * scale)


def below(x: Any, scale: int, side: int) -> Any:
    """The probability that Laplace noise is below a number on a side of 0."""
    part = (-side * big(x) / scale).exp() / 2
    return 1 - part if side > 0 else part


def sign(x: Fraction) -> int:
    return 1 if x > 0 else -1


def integral(f: Callable[[Any, Fraction], Any], ends: Sequence[Any]) -> Any:
    """Over pieces on which a function, told a number inside, is analytic."""
    total = arb(0)
    for low, high in pairwise(sorted(set(map(F, ends)))):
        middle = (low + high) / 2

        def inside(x: Any, _: Any, middle: Fraction = middle) -> Any:
            return f(x, middle)

        total += acb.integral(inside, acb(big(low)), acb(big(high))).real
    return total


def largest(queries: Sequence[int], i: int, y: Any, at: Fraction | None = None) -> Any:
    """Of the value of noisy max, noise of scale 2, where query i is the largest; on the piece with
    a number where that is another."""
    at = y if at is None else at
    found = density(y - queries[i], 2, sign(at - queries[i]))
    for j, q in enumerate(queries):
        found *= below(y - q, 2, sign(at - q)) if j != i else 1
    return found


def threshold(queries: Sequence[int], i: int, t: Any, at: Fraction) -> Any:
    """The density of a threshold that is above all queries before i, on the piece with a number."""
    found = density(t, 2, sign(at))
    for q in queries[:i]:
        found *= below(t - q, 4, sign(at - q))
    return found


def numeric(queries: Sequence[int], i: int, y: Fraction) -> Any:
    """Sparse vector that releases the number that it compared, scales 2 and 4."""
    ends = [x for x in (F(-400), F(0), F(1), y) if x <= y]
    passed = integral(lambda t, at: threshold(queries, i, t, at), ends)
    return density(y - queries[i], 4, sign(y - queries[i])) * passed


def gap(queries: Sequence[int], i: int, g: Fraction) -> Any:
    """Sparse vector that releases how far a query is above the threshold, times e^(g/4)."""
    kink = queries[i] - g

    def f(t: Any, at: Fraction) -> Any:
        noise = density(t - big(kink), 4, sign(at - kink)) * (big(g) / 4).exp()
        return threshold(queries, i, t, at) * noise

    return integral(f, [kink - 400, kink, 0, 1, 400])


PROGRAMS = {
    largest: """noisy = []
    for i in range({n}):
        noisy.append(world[i] + draw(laplace(0, 2)))
    return [argmax(noisy), max(noisy)]""",
    numeric: """threshold = draw(laplace(0, 2))
    for i in range({n}):
        x = world[i] + draw(laplace(0, 4))
        if x >= threshold:
            return [i, x]
    return 'none'""",
    gap: """threshold = draw(laplace(0, 2))
    for i in range({n}):
        x = world[i] + draw(laplace(0, 4))
        if x >= threshold:
            return [i, x - threshold]
    return 'none'""",
}
FILE = """worlds: {{records: {n}, domain: [0, 1]}}
mechanism:
  program: |
    {program}
checks:
  - differential_privacy: {{exp_epsilon: {level}, neighbours: all}}
"""
PLACES: dict[Any, list[Any]] = {  # where the odds may be largest; infinity is far out
    largest: [F(-3), F(0), F(1, 3), F(1), F(5, 2)],
    numeric: [F(-2), F(0), F(1, 3), F(1), F(5, 2)],
    gap: [F(1, 8), F(1), F(9, 8), F(300)],
}
CASES = [(largest, 2), (largest, 3), (numeric, 2), (gap, 2)]


def odds(f: Any, n: int) -> Fraction:
    """The largest odds of two worlds at all places, to 30 digits."""
    worlds = list(product((0, 1), repeat=n))
    found = []
    for y, i in product(PLACES[f], range(n)):
        values = [f(world, i, y) for world in worlds]
        found += [p / q for p, q in permutations(values, 2)]
    best = max(found, key=lambda ratio: float(ratio.mid()))
    return rounded(best)


def asked(f: Any, n: int, level: Fraction, path: Path) -> Any:
    path.write_text(FILE.format(n=n, program=PROGRAMS[f].format(n=n), level=level))
    ((question),) = [found.question for found in read_whole(path).questions]
    return question


@pytest.mark.parametrize("case", range(len(CASES)))
def test_levels_are_those_of_quadratures(case: int, tmp_path: Path) -> None:
    """1e-25 above the largest odds that quadrature finds a level holds, and below it none does."""
    f, n = CASES[case]
    wanted, path = odds(f, n), tmp_path / "spec.yaml"
    assert verify.answer(asked(f, n, wanted + NEAR, path)).verdict == "holds"
    assert verify.decide(asked(f, n, wanted - NEAR, path)).verdict == "violated"


def excess(p: Callable[..., Any], q: Callable[..., Any], level: Any) -> Any:
    """The integral of max(0, p − level · q) over all numbers: changes of sign are found by halving
    on pieces of a grid, and it is integrated between them."""

    def gap(y: Any, at: Fraction) -> Any:
        return p(y, at) - level * q(y, at)

    ends = [F(-200), *(F(k, 7) for k in range(-35, 50)), F(0), F(1), F(200)]
    places = list(ends)
    for low, high in pairwise(sorted(ends)):
        at, inner = (low + high) / 2, (high - low) / 10**6
        a, b = low + inner, high - inner
        first, last = (gap(big(x), at) > 0 for x in (a, b))
        if first != last:
            for _ in range(150):
                middle = (a + b) / 2
                a, b = (middle, b) if (gap(big(middle), at) > 0) == first else (a, middle)
            places.append(a)

    def above(y: Any, at: Fraction) -> Any:
        return gap(y, at) if gap(big(at), at) > 0 else 0 * y

    return integral(above, places)


def rounded(number: Any) -> Fraction:
    """A ball's middle, to 30 digits."""
    return F(int((number * 10**30).mid().floor().unique_fmpz()), 10**30)


WORLDS = list(product((0, 1), repeat=2))
PRIOR = """list:
    - markov: {initial: stationary, transition: {0: {0: 3/4, 1: 1/4}, 1: {0: 1/4, 1: 3/4}}}"""


def halves(record: int) -> list[dict[Any, Fraction]]:
    """The worlds given each value of a record, under the prior."""
    return [
        {w: F(3 if w[0] == w[1] else 1, 4) for w in WORLDS if w[record] == value}
        for value in (0, 1)
    ]


DELTAS: dict[str, list[Any]] = {  # what is asked, and which mixtures of worlds it compares
    "differential_privacy: {epsilon: 1/2, delta: DELTA, neighbours: all}": [
        ({one: F(1)}, {other: F(1)}) for one, other in permutations(WORLDS, 2)
    ],
    "pufferfish: {epsilon: 1/2, delta: DELTA}": [
        both for record in (0, 1) for both in permutations(halves(record), 2)
    ],
}


@pytest.mark.parametrize("check", DELTAS)
def test_deltas_are_those_of_quadratures(check: str, tmp_path: Path) -> None:
    """1e-25 above the delta of the value of noisy max and below it."""
    level, found = big(F(1, 2)).exp(), []

    def mixed(weights: Any, i: int) -> Callable[..., Any]:
        return lambda y, at: sum(big(x) * largest(w, i, y, at) for w, x in weights.items())

    for one, other in DELTAS[check]:
        found.append(sum(excess(mixed(one, i), mixed(other, i), level) for i in (0, 1)))
    wanted, path = rounded(max(found, key=lambda delta: float(delta.mid()))), tmp_path / "a.yaml"
    text = FILE.format(n=2, program=PROGRAMS[largest].format(n=2), level=1)
    text = text.split("  - ")[0] + f"  - {check}\npairs: values\npriors:\n  {PRIOR}\n"
    for delta, verdict in ((wanted + NEAR, "holds"), (wanted - NEAR, "violated")):
        path.write_text(text.replace("DELTA", str(delta)))
        ((question),) = [found.question for found in read_whole(path).questions]
        assert verify.answer(question).verdict == verdict


SEVERAL = {  # level, by hand: the odds of independent numbers multiply
    "x = max(0, r1 + draw(laplace(0, 1)))\n    return [x, r2 + draw(laplace(0, 1))]": "e^2",
    "return [max(0, r1 + draw(laplace(0, 1))), min(1, r2 + draw(laplace(0, 2)))]": "e^(3/2)",
    "a = [r1 + draw(laplace(0, 2)), r2 + draw(laplace(0, 2))]\n"
    "    return [argmax(a), max(a), r1 + draw(laplace(0, 1)) + draw(laplace(0, 2))]": "e^(3/2)",
}


@pytest.mark.parametrize("program", SEVERAL)
def test_independent_numbers_multiply(program: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    for level, verdict in ((2, "holds"), (F(1), "violated")):
        text = FILE.format(n=2, program=program, level=1)
        path.write_text(text.replace("exp_epsilon: 1", f"epsilon: {level}"))
        ((question),) = [found.question for found in read_whole(path).questions]
        answer = verify.answer(question)
        assert answer.verdict == verdict
        assert str(answer.leakage.exp_epsilon) == SEVERAL[program]


BETWEEN = """
    x = draw(laplace(0, 1))
    if r1 == 1:
        return x + draw(exponential(1/2)) + draw(interval(0, 1))
    return x + draw(interval(0, 3))
"""


def test_odds_that_are_largest_inside_of_a_cell_are_enclosed(tmp_path: Path) -> None:
    """Distributions by hand: of noise 1 - e^(-y)/2, with the exponential draw 1 - e^(-y) +
    e^(-2y)/3 for y >= 0, and e^y/2 and e^y/3 below."""

    def odds(y: float) -> float:
        ends = (y, y - 1, y - 3)
        first = [1 - exp(-x) / 2 if x >= 0 else exp(x) / 2 for x in ends]
        second = [1 - exp(-x) + exp(-2 * x) / 3 if x >= 0 else exp(x) / 3 for x in ends]
        return (first[0] - first[2]) / 3 / (second[0] - second[1])

    most = max(odds(2 + k / 10_000) for k in range(20_000))
    path = tmp_path / "spec.yaml"
    for level, verdict in ((1.9751, "violated"), (1.9753, "holds"), (1.9752, "undecided")):
        path.write_text(FILE.format(n=1, program=BETWEEN.strip(), level=level))
        (found,) = list(verify.run(str(path), verify.Options()))
        assert found.answer.verdict == verdict
        assert "between 1.97512780681 and 1.97523363794" in found.answer.reason
        if leakage := found.answer.leakage:
            assert leakage.bounds[0] <= most <= leakage.bounds[1]
            assert leakage.bounds[0] == F("1.97512780681")


UNDECIDED = {
    "renyi: {order: 2, epsilon: 1}": "of this mechanism alone",
    "mechanism: {repeat: {of: once, runs: 2}}\n    differential_privacy: {epsilon: 1}": (
        "of this mechanism alone"
    ),
}
ONE = """worlds: {{records: 1, domain: [0, 1]}}
pairs: values
priors: {{list: [uniform]}}
mechanisms:
  once:
    program: |
      x = r1 + draw(laplace(0, 1))
      return max(x, 1/2)
checks:
  - {check}
"""


@pytest.mark.parametrize("check", UNDECIDED)
def test_what_is_asked_besides_is_undecided(check: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(ONE.format(check=check))
    (found,) = list(verify.run(str(path), verify.Options()))
    assert found.answer.verdict == "undecided"
    assert UNDECIDED[check] in found.answer.reason


def test_a_number_that_is_cut_off_is_decided(tmp_path: Path) -> None:
    """The atom at 1/2 has odds of 2 e^(1/2) - 1 < e, the density above 1 those of e."""
    path = tmp_path / "spec.yaml"
    path.write_text(ONE.format(check="differential_privacy: {epsilon: 1}"))
    (found,) = list(verify.run(str(path), verify.Options()))
    assert found.answer.verdict == "holds"
    assert str(found.answer.leakage.exp_epsilon) == "e"
