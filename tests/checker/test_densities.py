"""Shares of densities: functions of a basis, their sums and integrals; forged certificates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flint import acb, arb, ctx, fmpq

from tests.checker.drafts import digest_of
from verifier import checker
from verifier.checker import densities as checked
from verifier.checker import noise
from verifier.checker.document import Refused, limited
from verifier.checker.functions import Kind, constant
from verifier.checker.numbers import power
from verifier.noise import densities
from verifier.noise.draws import EXPONENTIAL, INTERVAL, LAPLACE, Law
from verifier.noise.events import Basis, Event, Share
from verifier.noise.pieces import Real
from verifier.noise.probability import Probabilities
from verifier.noise.sums import Sum
from verifier.questions.answer import write
from verifier.run import verify
from verifier.spec.reading import read_whole
from verifier.world.noise import numbers

F = Fraction
M = 12  # rates are multiples of 1/M
BASES = {
    "two ends": Basis(F(-1, 3), F(2), F(-1), F(1, 2), 3, 0),
    "y itself": Basis(F(1, 2), F(2), F(-1, 2), F(0), 3, 0),
    "from below": Basis(F(1), F(5, 2), F(-1), F(1, 2), 4, 2, 0, 1),
    "from below, third order": Basis(F(1), F(5, 2), F(-1), F(1, 2), 5, 1, 0, 3),
    "from above": Basis(F(-1), F(1), F(1, 4), F(1, 4), 5, 2, 1, 2),
    "above": Basis(F(2, 3), None, F(-1, 4), F(-1, 2), 2, 1),
    "below": Basis(None, F(-1, 2), F(1, 2), F(1, 3), 2, 2),
    "a single rate": Basis(F(2), None, F(-1, 3), F(0), 0, 2),
}


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    """Forty digits, and some more."""
    before, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = before


def big(x: Fraction) -> Any:
    return arb(fmpq(F(x).numerator, F(x).denominator))


def value(found: Sum) -> Any:
    """A sum of powers of t, as a ball."""
    total = sum((arb(c) * big(F(k, M)).exp() for k, c in found.terms.items()), arb(0))
    for j, times in found.over.items():
        total /= (1 - big(F(-j, M)).exp()) ** times
    return total


def plain(basis: Basis, place: tuple[int, int], y: Any) -> Any:
    """A function of a basis at a point, as the page says."""
    (k, j), low, high = place, basis.low, basis.high
    u = (big(basis.step) * y).exp() if basis.step else y
    ends = (
        arb(0) if end is None else (big(basis.step * end).exp() if basis.step else big(end))
        for end in (low, high)
    )
    a, b = ends
    found = (big(basis.rate) * y).exp()
    if basis.degree:
        found *= ((u - b) / (a - b)) ** (basis.degree - k) * ((u - a) / (b - a)) ** k
    if low is None or high is None:
        return found * (y - big(low) if high is None else big(high) - y) ** j
    if not basis.power:
        return found
    end, top = (high, b) if basis.anchor else (low, a)
    x, m = u / top - 1, basis.order
    taylor = sum((-1) ** (r + 1) * x**r / r for r in range(1, m + 1)) / big(basis.step) + big(end)
    w = basis.step * (high - low)
    part = basis.sign * (y - taylor) / big((F(7, 4) * w) ** (m + 1) / ((m + 1) * basis.step))
    return found * (1 - part) ** (basis.power - j) * part**j


def places(basis: Basis) -> list[tuple[int, int]]:
    return list(product(range(basis.degree + 1), range(basis.power + 1)))


def piece_of(basis: Basis) -> dict[Any, Sum]:
    """Terms that the basis has, with awkward coefficients."""
    finite = basis.low is not None and basis.high is not None
    if not basis.step and finite:
        return {(int(basis.rate * M), p): Sum.of(F(2 * p - 3, 7)) for p in range(basis.degree + 1)}
    most = basis.degree - (basis.power * basis.order if finite else 0)
    rates = [int((basis.rate + basis.step * at) * M) for at in range(most + 1)]
    return {
        (rate, p): Sum.of(F(3 * i - 4, 5 + p), i - p)
        for i, rate in enumerate(rates)
        for p in range(basis.power + 1)
    }


@pytest.mark.parametrize("name", BASES)
def test_functions_of_a_basis_make_up_terms(name: str) -> None:
    """At drawn points the sum of coefficients times functions is that of the terms; no function is
    below 0; the integral is that of a quadrature; and the checker finds the same numbers."""
    basis, scale = BASES[name], Real(M)
    piece, kind = piece_of(basis), Kind("real", M)
    low = basis.low if basis.low is not None else (basis.high or F(0)) - 3
    high = basis.high if basis.high is not None else low + 3
    same = {((r, p),): constant(0) for r, p in piece}
    for (r, p), c in piece.items():
        for k, factor in c.numerator.items():
            same[((r, p),)] = same[((r, p),)] + constant(factor, k)
    for part in (F(1, 7), F(4, 5)):
        y = big(low + (high - low) * part)
        wanted = sum(
            (value(c) * y**p * (big(F(rate, M)) * y).exp() for (rate, p), c in piece.items()),
            arb(0),
        )
        found = arb(0)
        for place in places(basis):
            own = plain(basis, place, y)
            assert own > 0
            found += value(densities.coefficient(piece, basis, place, scale)) * own
        assert abs(found - wanted) < arb(10) ** -40
    said = (
        (basis.low, basis.high),
        (basis.rate, basis.step),
        (basis.degree, basis.power, basis.anchor, basis.order),
    )
    for place in places(basis)[:: max(1, len(places(basis)) // 4)]:
        whole = densities._integral(basis, place, scale)
        start, end = big(low if basis.low is not None else low - 600), big(high)
        end = end if basis.high is not None else end + 600
        quad = acb.integral(lambda y, _, place=place: plain(basis, place, y), acb(start), acb(end))
        assert abs(quad.real - value(whole)) < arb(10) ** -30
        share = densities.coefficient(piece, basis, place, scale) * whole
        again = checked._coefficient(same, said, place, kind) * checked._integral(said, place, kind)
        assert noise.exact(again, M) == noise.read.number(str(numbers([share], M)[0]))


LAWS = [Law(LAPLACE, F(2)), Law(EXPONENTIAL, F(3)), Law(INTERVAL, F(1)), Law(LAPLACE, F(3))]
NUMBERS = {  # conditions, and a number
    "one draw": ([([1, -1, 0, 0], 0), ([1, 0, 0, -1], F(1, 2))], ([2, 0, 0, 0], F(1, 3), 1)),
    "a difference": ([([1, -1, 0, 0], 0), ([0, 1, 0, -1], F(1, 2))], ([1, -1, 0, 0], F(1, 3), 1)),
    "a sum": ([([0, 1, 0, -1], F(1, 2))], ([-1, 0, 1, 0], F(1, 3), 2)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_checker_finds_the_same_density(name: str) -> None:
    """Two classes, in different arithmetic, of a basis that has all rates."""
    rows, (factors, shift, times) = NUMBERS[name]
    sparse = tuple((tuple((i, c) for i, c in enumerate(row) if c), x) for row, x in rows)
    event = Event(tuple(LAWS), sparse)
    released = tuple((i, c) for i, c in enumerate(factors) if c), shift, times
    known = Probabilities()
    f = known.over_one(lambda: known.density(event, released))
    m = f.scale.m  # type: ignore[attr-defined]
    for low, high, piece in zip(f.breaks, [*f.breaks[1:], None], f.pieces[1:], strict=True):
        rates, power = [F(rate, m) for rate, _ in piece], max((p for _, p in piece), default=0)
        if not piece or (high is not None and power):
            continue
        start = max(rates) if high is None else min(rates)
        unit = F(-1, m) if high is None else F(1, m)
        degree = int(max((rate - start) / unit for rate in rates))
        basis = Basis(low, high, start, unit if degree else F(0), degree, power)
        for place in {(degree // 2, power), (degree, 0)}:
            one = Share(event.laws, event.conditions, released, basis, place)
            wanted = numbers(known.of([one]), known.m)[0]
            line = (*factors, -times), shift, False
            shape = (low, high), (start, basis.step), (degree, power, 0, 0)
            forms = tuple((tuple(row), F(x), False) for row, x in rows)
            named = tuple((law.kind, law.parameter) for law in LAWS)
            found = noise.probabilities([(named, forms, (line, shape, place))])[0]
            assert found == noise.read.number(str(wanted))


FILE = """worlds: {records: 2, domain: [0, 1]}
mechanism:
  program: |
    noisy = [r1 + draw(laplace(0, 2)), r2 + draw(laplace(0, 2))]
    return [argmax(noisy), max(noisy)]
checks:
  - differential_privacy: {epsilon: 1, neighbours: all}
"""


SEVERAL = """worlds: {records: 2, domain: [0, 1]}
pairs: values
priors: {list: [uniform]}
mechanism:
  program: |
    noisy = [r1 + draw(laplace(0, 2)), r2 + draw(laplace(0, 2))]
    return [max(noisy), max(0, draw(laplace(r1, 1)))]
checks:
  - pufferfish: {epsilon: 2}
"""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return certificate_of(FILE, tmp_path_factory.mktemp("densities") / "spec.yaml")


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return certificate_of(SEVERAL, tmp_path_factory.mktemp("several") / "spec.yaml")


def certificate_of(text: str, path: Path) -> Any:
    path.write_text(text)
    (asked,) = read_whole(path).questions
    assert asked.question is not None
    return write(verify.answer(asked.question).certificate)


def shares(document: Any) -> list[Any]:
    return [
        event["share"]
        for event in document["question"]["model"]["noise"]["events"]
        if "share" in event
    ]


def told(name: str, document: Any) -> int:
    """The place of an output."""
    outputs: list[str] = document["question"]["model"]["outputs"]
    return outputs.index(name)


def _first(document: Any, at: tuple[int, ...], value: Any) -> None:
    part: Any = shares(document)[0]
    for k in at[:-1]:
        part = part[k]
    part[at[-1]] = value


FORGED: dict[str, Any] = {
    "a witness that is no density": lambda d: d["evidence"]["witness"].update(
        output=told("(0, 0 to 1, part 3 of 5)", d)
    ),
    "a cone": lambda d: d["question"]["model"].update(reals="cone"),
    "pairs": lambda d: d["question"]["model"].update(reals="pairs"),
    "probabilities": lambda d: d["question"]["model"].pop("reals"),
    "a delta": lambda d: d["question"]["level"].update(delta="1/10"),
    "another function": lambda d: _first(d, (4, 0), 1),
    "no function of the basis": lambda d: _first(d, (4, 0), 99),
    "a power": lambda d: _first(d, (3, 1), 1),
    "a wide cell": lambda d: _first(d, (1,), ["-7", "9"]),
    "turned ends": lambda d: _first(d, (1,), ["1", "0"]),
    "no ends": lambda d: _first(d, (1,), [None, None]),
    "another rate": lambda d: _first(d, (2, 0), "-7"),
    "another step": lambda d: _first(d, (2, 1), "1/7"),
    "another number": lambda d: _first(d, (0, 1), "1/7"),
    "a number of no draw": lambda d: _first(d, (0, 0), []),
    "a number over 0": lambda d: _first(d, (0, 2), 0),
    "a huge degree": lambda d: _first(d, (3, 0), 10**9),
    "a huge order": lambda d: _first(d, (3, 3), 199),
    "no share": lambda d: d["question"]["model"]["noise"]["events"][0].pop("share"),
    "a row of two functions": lambda d: d["question"]["model"]["columns"][0].reverse(),
}


@pytest.mark.parametrize("name", FORGED)
def test_forgeries_are_not_accepted(name: str, good: Any) -> None:
    copy = json.loads(good)
    FORGED[name](copy)
    copy["digest"] = digest_of(copy["question"])
    assert checker.check(copy).outcome != "accepted"


def test_the_certificate_is_accepted(good: Any) -> None:
    copy = json.loads(good)
    assert checker.check(copy).outcome == "accepted"
    assert copy["taken"] == ["densities", "paths", "worlds"]
    FORGED["a witness that is no density"](copy)
    assert checker.check(copy).reason == "the witness is no density"


@pytest.mark.parametrize(("degree", "step", "fits"), [(0, 1, False), (1, 1, False), (1, 0, True)])
def test_powers_of_the_number_are_functions_of_the_basis(
    degree: int, step: int, fits: bool
) -> None:
    """Of y e^(-y), the density of a sum of two draws, from 1 to 2: y is U where there is no step,
    and else it is in no function without a power."""
    line, law = ((1, 1, -1), Fraction(0), False), ("exponential", Fraction(1))
    basis = (Fraction(1), Fraction(2)), (Fraction(-1), Fraction(step)), (degree, 0, 0, 0)
    event = (law, law), (), (line, basis, (0, 0))
    with limited():
        if fits:  # the coefficient is 1, and the integral that of (2 - y) e^(-y)
            (found,) = noise.probabilities([event])
            assert found == power(Fraction(-2))
        else:
            with pytest.raises(Refused, match="a power of the basis"):
                noise.probabilities([event])


def test_a_rate_beyond_the_degree_is_refused_at_once() -> None:
    """e^(-y) is e^(-2y) times a power 10^15 of U."""
    line, law = ((1, -1), Fraction(0), False), ("exponential", Fraction(1))
    rates = Fraction(-2), Fraction(1, 10**15)
    basis = (Fraction(1), Fraction(2)), rates, (1, 0, 0, 0)
    with limited(), pytest.raises(Refused, match="a rate of the basis"):
        noise.probabilities([((law,), (), (line, basis, (0, 0)))])


FORGED_OF_SEVERAL: dict[str, Any] = {
    "a witness of which one function is no density": lambda d: d["evidence"]["witness"].update(
        output=told("(0 to 1, part 3 of 5, ≥1)", d)
    ),
    "another function": lambda d: _first(d, (4, 0), 1),
    "a number that is told of once": lambda d: d["question"]["model"]["noise"]["sums"][0][1][0][
        1
    ].pop(),
    "a number that is told of twice": lambda d: d["question"]["model"]["noise"]["sums"][0][1][0][
        1
    ].append(0),
    "a delta": lambda d: d["question"]["level"].update(delta="1/10"),
}


@pytest.mark.parametrize("name", FORGED_OF_SEVERAL)
def test_forgeries_of_several_numbers_are_not_accepted(name: str, several: Any) -> None:
    copy = json.loads(several)
    assert checker.check(copy).outcome == "accepted"
    FORGED_OF_SEVERAL[name](copy)
    copy["digest"] = digest_of(copy["question"])
    assert checker.check(copy).outcome != "accepted"


BETWEEN = """worlds: {records: 1, domain: [0, 1]}
mechanism:
  program: |
    x = draw(laplace(0, 1))
    if r1 == 1:
        return x + draw(exponential(1/2)) + draw(interval(0, 1))
    return x + draw(interval(0, 3))
checks:
  - differential_privacy: {exp_epsilon: 2}
"""


def test_a_level_between_densities_and_mixtures(tmp_path: Path) -> None:
    """It is at least that of densities, and at most that of all rows; inside, rows refute none."""
    good = json.loads(certificate_of(BETWEEN, tmp_path / "spec.yaml"))
    low, high = (F(good["answer"]["leakage"][end]) for end in ("lower", "upper"))
    inside, room = (low + high) / 2, F(1, 10**7)
    for level, ends, verdict in (
        (high, (low, high), "holds"),
        (low - room, (low, high), "violated"),
    ):
        assert outcome(good, level, ends, verdict) == "accepted"
    for level, ends, verdict in (
        (inside, (low, high), "violated"),
        (inside, (low, high), "holds"),
        (high, (low + room, high), "holds"),
        (high, (low, high - room), "holds"),
        (high, (low, high), "violated"),
        (low - room, (low, high), "holds"),
    ):
        assert outcome(good, level, ends, verdict) == "rejected"


def outcome(good: Any, level: Fraction, ends: tuple[Fraction, Fraction], verdict: str) -> str:
    copy = json.loads(json.dumps(good))
    copy["question"]["level"]["exp_epsilon"] = str(level)
    leakage = {"lower": str(ends[0]), "upper": str(ends[1])}
    copy["answer"].update(verdict=verdict, leakage=leakage)
    copy["digest"] = digest_of(copy["question"])
    return checker.check(copy).outcome
