"""Certificates of comparisons of draws: integrated again, and forgeries are not accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import lcm, prod
from pathlib import Path
from typing import Any

import pytest

from tests.checker.drafts import digest_of
from tests.drawing import wider
from tests.noise.test_mixed import APART, E, G, L, R, U
from tests.noise.test_probability import WHOLE, chance, geometric, laplace
from tests.pages import example
from verifier import checker
from verifier.base.errors import LimitReached
from verifier.base.exponential import Exponential, power
from verifier.checker import functions, integrals, noise
from verifier.checker.document import Refused, limited
from verifier.checker.numbers import Number
from verifier.noise.draws import EXPONENTIAL, INTERVAL, Law
from verifier.questions.answer import write
from verifier.run import verify
from verifier.spec import reading

F = Fraction
Json = dict[str, Any]


def again(laws: list[Law], forms: list[Any]) -> Fraction:
    """The probability as the checker finds it."""
    rows = tuple(whole(factors, F(constant)) for factors, constant in forms)
    named = tuple((law.kind, law.parameter) for law in laws)
    return noise.probabilities([(named, rows)])[0]


def whole(factors: Any, constant: Fraction) -> tuple[Any, ...]:
    """The form with integer factors."""
    unit = lcm(*(F(factor).denominator for factor in factors))
    return tuple(int(factor * unit) for factor in factors), constant * unit, False


REAL: list[tuple[list[Law], list[Any]]] = [
    (laplace(2, 4, 4), [([1, -1, 0], 0), ([-1, 0, 1], F(-1, 2))]),
    (laplace(2, 2, 2), [([1, -1, 0], 0), ([0, 1, -1], 0), ([-1, 0, 1], 1)]),
    (laplace(2, 3, 7), [([1, 1, -1], F(1, 2))]),
    (laplace(2, 3, 7), [([1, F(-1, 2), 0], F(1, 3)), ([1, 0, -1], 1)]),
    (laplace(2, 2), [([1, 0], 0), ([-1, 0], 1), ([1, 1], 0), ([-1, -1], 2)]),
    (
        [Law(EXPONENTIAL, F(2)), Law(INTERVAL, F(3)), *laplace(1)],
        [([1, -1, 0], 0), ([0, 1, -1], 1)],
    ),
    (
        laplace(1, 1, 1, 1),
        [([1, 0, -1, 0], 0), ([1, 0, 0, -1], 0), ([0, 1, -1, 0], 0), ([0, 1, 0, -1], 0)],
    ),
]


@pytest.mark.parametrize("case", range(len(REAL) + len(WHOLE)))
def test_the_checker_finds_the_same_probability(case: int) -> None:
    """Two classes, in different arithmetic; the engine's is tested by quadrature and by sums."""
    laws, forms = [*REAL, *WHOLE][case]
    mine, its = chance(laws, forms), again(laws, forms)
    assert isinstance(its, Number) == isinstance(mine, Exponential)
    assert its == noise.read.number(str(mine))


LOOSE: list[tuple[list[Law], list[Any]]] = [
    ([L(1), L(1), G(1)], [([1, 1, -1], F(1, 3))]),
    ([L(1), L(2), G(1)], [([1, 1, 0], F(1, 3)), ([0, -1, 1], 0)]),
    ([U(1), U("3/2"), R("1/2")], [([2, -1, -1], F(1, 3)), ([1, 0, -1], 1), ([0, 1, 0], -1)]),
    ([L(1), E(2), G(1)], [([1, -1, 0], 0), ([-1, 1, 0], 2), ([0, -1, 1], 1)]),
    ([L(1), E(2), G(1)], [([1, -1, 0], 0), ([1, -2, 0], 2), ([0, -1, 1], 1)]),
    ([L(1), G(2), G(1)], [([1, -1, 0], 0), ([1, 0, -1], F(1, 2)), ([-1, 0, 1], F(1, 3))]),
]


@pytest.mark.parametrize("case", range(len(APART) + len(LOOSE)))
def test_whole_and_real_draws_have_the_same_probability(case: int) -> None:
    """The engine splits real draws into whole numbers and fractions, the checker does not."""
    laws, forms = [*APART.values(), *LOOSE][case]
    assert again(laws, forms) == noise.read.number(str(chance(laws, forms)))


def test_whole_and_real_draws_by_hand() -> None:
    """N + U > 1/2 for U in [0, 1]: N >= 1, or N = 0 and U > 1/2; P(N = 0) = 1/3 at ratio 1/2."""
    assert again([R("1/2"), U(1)], [([1, 1], F(-1, 2))]) == F(1, 3) + F(1, 6)
    assert again([R("1/2"), U("1/2")], [([1, 1], F(-1, 4))]) == F(1, 3) + F(1, 6)
    both = [([1, 1], F(-1, 2)), ([-1, -1], F(1, 4))]  # they contradict each other
    assert again([R("1/2"), U(1)], both) == 0


def test_a_real_draw_beside_a_large_factor() -> None:
    """1000 x + k >= 1/3 and x + n >= 0: nothing is tried for every multiple."""
    found = again([L(1), G(1), G(1)], [([1000, 1, 0], F(1, 3)), ([1, 0, 1], 0)])
    assert F(1, 4) < found < F(1, 2)


def test_by_hand() -> None:
    assert again([Law("geometric", F(1, 2))] * 2, [([-1, 2], 0)]) == F(4, 7)
    assert again(laplace(1, 1, 1), [([1, -1, 0], 0), ([0, 1, -1], 0)]) == F(1, 6)
    tail = again(laplace(3), [([1], -2)])
    assert tail == noise.read.number(str(power(F(-2, 3)) / 2))
    for signs in ((1, 1), (1, -1)):
        assert again(laplace(1, 1), [([1, 0], 0), ([*signs], 0)]) == F(3, 8)


def test_limits_that_meet() -> None:
    """A real draw is exactly at a point, or at a distance from another, with probability 0."""
    r = F(1, 2)
    for laws in (laplace(2), laplace(2, 3)):
        at = [1, *(-1 for _ in laws[1:])]
        assert again(laws, [(at, -1), ([-c for c in at], 1)]) == 0
        assert again(laws, [(at, -1), ([-c for c in at], 1), ([1, *at[1:]], 5)]) == 0
    assert again(geometric(r), [([1], -1), ([-1], 1)]) == (1 - r) / (1 + r) * r
    assert again(geometric(r), [([1], -1), ([-1], 0)]) == 0
    both = [([1, -1], -1), ([-1, 1], 1)]  # sum of r^|y| r^|y+1| over y, times 1/9
    assert again(geometric(r, r), both) == F(1, 9) * (2 * r / (1 - r**2))
    assert again(laplace(1, 1), [([1, -1], -1), ([-1, 1], 0)]) == 0


def test_one_draw_is_a_multiple_of_another() -> None:
    """P(x = 2y) is the sum of r^|2y| r^|y| over y, times 1/9; an odd x never is."""
    r = F(1, 2)
    expected = F(1, 9) * (1 + 2 * r**3 / (1 - r**3))
    assert again(geometric(r, r), [([1, -2], 0), ([-1, 2], 0)]) == expected
    assert again(geometric(r, r), [([2, -4], -1), ([-2, 4], 1)]) == 0


RATIO = F(1, 5)
MOST = 9  # of a draw that is enumerated


def enumerated(draws: int, forms: list[Any]) -> tuple[Fraction, Fraction]:
    """What the probability is at least and at most: draws beyond `MOST` are left out, each of which
    has a probability of 2 r^10 / (1 + r)."""
    mass = {n: (1 - RATIO) / (1 + RATIO) * RATIO ** abs(n) for n in range(-MOST, MOST + 1)}
    found = F(0)
    for values in product(mass, repeat=draws):
        sums = (sum(c * n for c, n in zip(factors, values, strict=True)) for factors, _ in forms)
        if all(total + shift >= 0 for total, (_, shift) in zip(sums, forms, strict=True)):
            found += prod(mass[n] for n in values)
    return found, found + draws * 2 * RATIO ** (MOST + 1) / (1 + RATIO)


THREE: list[list[Any]] = [
    [([2, 3, -5], 0)],
    [([2, 3, -5], 1), ([-2, -3, 5], 1)],
    [([2, -3, 4], 0), ([-2, 3, -4], 0)],
    [([2, 4, -6], -1), ([-2, -4, 6], 1)],
]


@pytest.mark.parametrize("forms", THREE)
def test_residue_classes_of_three_whole_draws(forms: list[Any]) -> None:
    """No draw is alone, has the factor 1, or is compared with one other."""
    found = again(geometric(*[RATIO] * 3), forms)
    low, high = enumerated(3, forms)
    assert low <= found <= high


TWO: list[list[Any]] = [
    [([1, -1], -1), ([-1, 1], 2)],
    [([1, -1], -1)],
    [([-1, 1], 2)],
    [([1, 2], 0), ([-1, -2], 3)],
    [([1, -2], 1), ([-1, 2], 1)],
    [([1, -1], -1), ([-1, 1], 2), ([0, 1], 0), ([0, -1], 4)],
]


@pytest.mark.parametrize("forms", TWO)
def test_two_whole_draws_between_limits(forms: list[Any]) -> None:
    found = again(geometric(*[RATIO] * 2), forms)
    low, high = enumerated(2, forms)
    assert low <= found <= high


@pytest.mark.parametrize("power", range(6))
@pytest.mark.parametrize("name", ["ratios", "powers"])
def test_sums_of_whole_numbers(name: str, power: int) -> None:
    """F(x + 1) - F(x) = x^n b^x: for b = 1, as where two draws of one ratio are compared, too."""
    kind = functions.Kind(name, 2)
    rates: list[Any] = [F(1), F(1, 3), F(5, 2)] if name == "ratios" else [0, 3, -2]
    for rate in rates:
        sums = kind.primitive(rate, power)

        def at(x: int, rate: Any = rate, sums: Any = sums) -> Fraction:
            total = functions.NOTHING
            for j, factor in enumerate(sums):
                total = total + factor * kind.power(rate, F(x)) * functions.constant(F(x) ** j)
            return noise.exact(total, 2)

        for x in (-3, 0, 1, 4):
            expected = kind.power(rate, F(x)) * functions.constant(F(x) ** power)
            assert at(x + 1) - at(x) == noise.exact(expected, 2)


SPEC = """\
worlds: {records: 2, domain: [0, 1]}
mechanism:
  program: |
    t = draw(laplace(0, 2))
    for i in range(2):
        if world[i] + draw(laplace(0, 4)) >= t:
            return i
    return 'none'
checks:
  - differential_privacy: {epsilon: 1, neighbours: all}
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """A certificate of the sparse vector technique."""
    path = tmp_path_factory.mktemp("noise") / "spec.yaml"
    path.write_text(SPEC)
    _, checks = reading.load(str(path), False)
    answer = verify.decide(verify.asked(checks[0]))
    found: Json = json.loads(write(answer.certificate))
    return found


def changed(certificate: Json, change: Callable[[Json], None]) -> checker.Verdict:
    """The verdict on a certificate with a changed question, its digest made right."""
    copy = json.loads(json.dumps(certificate))
    change(copy["question"]["model"]["noise"])
    copy["digest"] = digest_of(copy["question"])
    return checker.check(copy)


def test_it_is_accepted_and_says_what_is_taken(certificate: Json) -> None:
    found = checker.check(certificate)
    assert found.outcome == "accepted", found
    assert found.taken == ("paths", "worlds")


def _set(*path: Any) -> Callable[[Json], None]:
    *inner, last, value = path

    def change(part: Any) -> None:
        for key in inner:
            part = part[key]
        part[last] = value

    return change


FORGED: dict[str, Callable[[Json], None]] = {
    "another scale": _set("laws", 0, 1, "3"),
    "another law": _set("laws", 0, 0, "exponential"),
    "a law of no name": _set("laws", 0, 0, "cauchy"),
    "a scale of 0": _set("laws", 0, 1, "0"),
    "one more condition": lambda part: part["events"][0]["conditions"].append([[[0, 1]], "0"]),
    "a factor": _set("events", -1, "conditions", 0, 0, 0, 1, 5),
    "a factor of 0": _set("events", 0, "conditions", 0, 0, 0, 1, 0),
    "an offset": _set("events", -1, "conditions", 0, 1, "1/3"),
    "no conditions": _set("events", 0, "conditions", []),
    "a condition of nothing": _set("events", 0, "conditions", 0, 0, []),
    "a draw that is not there": _set("events", 0, "conditions", 0, 0, 0, 0, 9),
    "no events": _set("events", []),
    "no sums": _set("sums", []),
    "an empty sum": _set("sums", 0, 1, []),
    "a weight": _set("sums", 0, 1, 0, 0, "1/2"),
    "a negative weight": _set("sums", 0, 1, 0, 0, "-1"),
    "no product": _set("sums", 0, 1, 0, 1, []),
    "another value": _set("sums", 0, 0, 0),
    "a value that is not there": _set("sums", 0, 0, 99),
    "the first sum left out": lambda part: part["sums"].pop(0),
    "a sum of its own for 1": lambda part: part["sums"].append([0, [["1", []]]]),
    "an event twice": lambda part: part["events"].append(part["events"][0]),
    "an event that is not used": lambda part: part["events"].append(
        {"draws": [0], "conditions": [[[[0, 1]], "17"]]}
    ),
    "a law that is not used": lambda part: part["laws"].append(["interval", "1"]),
    "a law twice": lambda part: part["laws"].append(part["laws"][0]),
    "a repeated factor": lambda part: part["sums"][0][1][0][1].append(0),
    "a law of the checker's own": _set("laws", 0, 0, "whole part"),
    "mixed bases": lambda part: (
        part["laws"].append(["geometric", "1/2"]),
        part["events"][0]["draws"].append(len(part["laws"]) - 1),
    ),
    "a key": _set("more", 1),
}


def test_other_mechanisms_are_taken_beside_paths() -> None:
    """A uniform draw is above 1/4 with 3/4; why the given mechanism does so nobody says."""
    document = example("post_processing")
    sides = [[[[[0, sign]], f"{-sign}/4"]] for sign in (1, -1)]
    document["question"]["model"]["noise"] = {
        "laws": [["interval", "1"]],
        "events": [{"draws": [0], "conditions": side} for side in sides],
        "sums": [[1, [["1", [0]]]], [0, [["1", [1]]]]],
    }
    document["taken"] = ["matrix", "paths", "worlds"]
    assert changed(document, lambda part: None).outcome == "accepted"
    document["taken"] = ["paths", "worlds"]
    assert changed(document, lambda part: None).outcome == "rejected"


@pytest.mark.parametrize("name", FORGED)
def test_forgeries_are_not_accepted(name: str, certificate: Json) -> None:
    assert changed(certificate, FORGED[name]).outcome != "accepted"


def test_repeating_or_reordering_a_sum_proves_no_more(certificate: Json) -> None:
    """The same sum twice, and another order, state the same: they are accepted."""
    again_ = changed(certificate, lambda part: part["sums"].append(part["sums"][0]))
    assert again_.outcome == "accepted"
    assert changed(certificate, lambda part: part["sums"].reverse()).outcome == "accepted"


def test_long_probabilities_are_refused() -> None:
    event = ((("geometric", F(1, 2)),), (((1,), F(-(10**9)), False),))
    with pytest.raises(Refused, match="too long"):
        noise.probabilities([event])


def test_scales_without_a_common_part_are_refused() -> None:
    with pytest.raises(Refused, match="no common part"):
        again(laplace(10**40 + 1, 10**30 + 1), [([1, -1], 0)])


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of six draws is compared with all others."""
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 100 * integrals.CELL)
    laws = (("laplace", F(1)),) * 6
    forms = tuple(
        (tuple((i == k) - (j == k) for k in range(6)), F(1), False)
        for i, j in product(range(6), repeat=2)
        if i < j
    )
    with limited(), pytest.raises(Refused, match="steps"):
        noise.probabilities([(laws, forms)])


@pytest.mark.parametrize("asked", [[13, -15, 17], [3, -5, 1]])
def test_too_many_steps_are_refused(asked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Three whole draws: 17^2 residue classes are few, and each of them takes its time."""
    laws, limits = geometric("1/2", "1/2", "1/2"), [(asked, 0)]
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 3 * 10**6)
    with limited():
        if max(asked) > 10:
            with pytest.raises(Refused, match="more steps"):
                again(laws, limits)
        else:
            assert 0 < again(laws, limits) < 1


def test_too_many_residue_classes_are_refused() -> None:
    """Two whole draws between lines of slopes 10^9 and about 10^3; by the engine too."""
    laws = geometric("1/2", "1/2")
    forms: list[Any] = [([10**9, -1], 0), ([-(10**9), 10**6 + 1], 10**5)]
    with pytest.raises(Refused, match="steps"):
        again(laws, forms)
    with pytest.raises(LimitReached, match="residue classes"):
        chance(laws, forms)


def test_too_many_terms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws of n different scales below another one: a density of 2^n terms."""
    monkeypatch.setattr(integrals, "MAX_TERMS", 100)
    forms = [([1, *(-F(i == k) for k in range(8))], 0) for i in range(8)]
    with pytest.raises(Refused, match="terms"):
        again(laplace(1, *range(2, 10)), forms)


def test_parallel_conditions_are_one() -> None:
    """x >= -1/2 is less than x >= -3; of whole draws 2x >= 1 is x >= 1; 3/2 <= x <= 1 is never."""
    weak, strong = ((1, 0), F(3), False), ((2, 0), F(1), False)
    real, whole = ((functions.Kind(name, 1),) * 2 for name in ("real", "powers"))
    assert integrals.tidied([weak, strong], real) == (((1, 0), F(1, 2), False),)
    assert integrals.tidied([strong, weak], real) == (((1, 0), F(1, 2), False),)
    assert integrals.tidied([((2, 0), F(-1), False)], whole) == (((1, 0), F(-1), False),)
    assert integrals.tidied([((2, 0), F(-3), False), ((-1, 0), F(1), False)], real) is None
    for kinds, meeting in ((real, False), (whole, True)):
        found = integrals.tidied([((2, 0), F(-2), False), ((-1, 0), F(1), False)], kinds)
        assert (found is not None) == meeting
    assert integrals.tidied([((0, 0), F(-1), False)], real) is None


def test_strict_conditions_matter_beside_whole_draws() -> None:
    """k > 1/2 and k > 0 are k >= 1, k > -1/2 is k >= 0; and 0 > 0 is never."""
    kinds = (functions.Kind("powers", 1),)
    for shift, least in ((F(-1, 2), -1), (F(0), -1), (F(1, 2), 0)):
        assert integrals.tidied([((1,), shift, True)], kinds) == (((1,), F(least), False),)
    mixed = (*kinds, functions.Kind("real", 1))
    loose, strict = ((1, 1), F(0), False), ((1, 1), F(0), True)
    for given in ([loose, strict], [strict, loose]):
        assert integrals.tidied(given, mixed) == (strict,)
    assert integrals.tidied([((0,), F(0), True)], kinds) is None
    assert integrals.tidied([((0,), F(0), False)], kinds) == ()


def test_ties_of_whole_draws_below_a_real_one() -> None:
    """P(x >= k, x >= n): the larger one of two whole draws counts once where they are equal. For x
    uniform on [0, 1] it is P(k, n <= 0) and, with the measure 0 of x = 1, nothing else."""
    r = F(1, 2)
    assert again([U(1), R(r), R(r)], [([1, -1, 0], 0), ([1, 0, -1], 0)]) == F(2, 3) ** 2
    assert again([U(2), R(r), R(r)], [([1, -1, 0], 0), ([1, 0, -1], 0)]) == (
        F(1, 2) * F(2, 3) ** 2 + F(1, 2) * F(5, 6) ** 2
    )


def test_an_integral_without_end_is_refused() -> None:
    """No density is constant up to infinity; nor would a sum of it be a number."""
    kinds = (functions.Kind("real", 1),)
    with pytest.raises(Refused, match="infinite"):
        integrals.Work(1).between({((0, 0),): functions.constant(1)}, ((F(0),), F(0)), None, kinds)


@pytest.mark.parametrize("factor", [10**7, 10**15])
def test_large_factors_of_whole_draws_are_refused(factor: int) -> None:
    """x + f·y >= 0: the probability has the power f of a ratio."""
    event = (("geometric", F(1, 2)),) * 2, (((1, factor), F(0), False),)
    with limited(), pytest.raises(Refused, match="a probability is too long"):
        noise.probabilities([event])


def test_many_draws_above_a_multiple_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of twelve draws is at least twice the first: their 2^12 parities are not tried."""
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 1000 * integrals.CELL)
    forms = [([-2, *(int(i == k) for i in range(12))], 0) for k in range(12)]
    with limited():
        r, found = F(1, 10**4), again(geometric(*[F(1, 10**4)] * 13), forms)
    below = {n: (1 - r) / (1 + r) * r ** abs(n) for n in range(-3, 4)}

    def tail(n: int) -> Fraction:
        """P(a draw is at least n)."""
        return r**n / (1 + r) if n > 0 else 1 - r ** (1 - n) / (1 + r)

    low = sum(mass * tail(2 * n) ** 12 for n, mass in below.items())
    assert low <= found <= low + 2 * r**4


REALS = """\
worlds: {records: [ann, bob], domain: [0, 1], absent: true}
mechanisms:
  laplace: {program: "return count(value == 1) + draw(laplace(0, 1))"}
  normal: {program: "return count(value == 1) + draw(normal(0, 1))"}
pairs: [[ann_yes, ann_no]]
secrets: {ann_yes: ann.present and ann == 1, ann_no: ann.present and ann == 0}
priors: {list: [{independent: [{0: 1/4, 1: 1/4, ⊥: 1/2}, {0: 1/3, 1: 1/3, ⊥: 1/3}]}]}
checks:
  - {mechanism: laplace, differential_privacy: {epsilon: 1}}
  - {mechanism: laplace, bounded_range: {epsilon: 2}}
  - {mechanism: laplace, pufferfish: {epsilon: 1}}
  - {mechanism: laplace, composition: {epsilon: 1}, priors: product}
  - mechanism: laplace
    distributional_privacy: {epsilon: 2, form: simulation, simulator: canonical}
  - {mechanism: normal, differential_privacy: {epsilon: 1}, expect: violated}
"""
CUT = """\
  - {mechanism: laplace, differential_privacy: {epsilon: 1/2, delta: 1/4}}
  - {mechanism: laplace, differential_privacy: {epsilon: 1/2, delta: 1/5}}
  - {mechanism: normal, differential_privacy: {epsilon: 1, delta: 1/4}}
"""


def _stands_for(document: Json, kind: str | list[str]) -> checker.Verdict:
    """The verdict on a certificate whose rows stand for real numbers in another way."""
    copy = json.loads(json.dumps(document))
    copy["question"]["model"]["reals"] = kind
    copy["digest"] = digest_of(copy["question"])
    return checker.check(copy)


def test_real_numbers_are_asked_for_ratios_alone(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(REALS)
    _, checks = reading.load(str(path), False)
    answers = [verify.decide(verify.asked(check)) for check in checks]
    documents = [json.loads(write(answer.certificate)) for answer in answers]
    for document in documents:
        found = checker.check(document)
        assert found.outcome == "accepted", (document["question"]["definition"], found)
        assert {"densities", "paths"} <= set(found.taken)
    kinds = [document["question"]["model"]["reals"] for document in documents]
    assert kinds == ["cone"] * 5 + ["pairs"]
    known = [_stands_for(document, "pairs").outcome for document in documents]
    assert known == ["accepted"] + ["refused"] * 4 + ["accepted"]
    assert {_stands_for(document, "all").outcome for document in documents} == {"refused"}
    with_delta = json.loads(json.dumps(documents[0]))
    with_delta["question"]["level"]["delta"] = "1/10"
    with_delta["digest"] = digest_of(with_delta["question"])
    assert "real numbers and delta" in checker.check(with_delta).reason
    with_curve = json.loads(json.dumps(documents[0]))
    with_curve["question"]["tradeoff"], with_curve["answer"]["tradeoff"] = [], []
    with_curve["digest"] = digest_of(with_curve["question"])
    assert "no trade-off" in checker.check(with_curve).reason


def test_real_numbers_with_delta_are_cut_at_levels(tmp_path: Path) -> None:
    """The upper end of what is said is one of these, and there is a delta."""
    path = tmp_path / "spec.yaml"
    path.write_text(REALS.split("checks:")[0] + "checks:\n" + CUT)
    _, checks = reading.load(str(path), False)
    answers = [verify.decide(verify.asked(check)) for check in checks]
    assert [answer.verdict for answer in answers] == ["holds", "violated", "holds"]
    for document in (json.loads(write(answer.certificate)) for answer in answers):
        assert {"densities", "paths"} <= set(checker.check(document).taken)
        levels = document["question"]["model"]["reals"]
        assert document["answer"]["leakage"]["upper"] in levels
        assert _stands_for(document, [*levels, "9"]).outcome == "accepted"
        assert "other levels" in _stands_for(document, ["9"]).reason
        assert {_stands_for(document, kind).outcome for kind in ("cone", "pairs")} == {"refused"}
        document["question"]["level"]["delta"] = "0"
        assert "for delta" in _stands_for(document, levels).reason


ONE_NUMBER = """\
worlds: {records: 1, domain: [0, 1]}
mechanism: {program: "return r1 + draw(laplace(0, 1))"}
checks: [{differential_privacy: {epsilon: 1/2, delta: "1 - exp(-1/4)"}}]
"""


@pytest.fixture(scope="module")
def one_number(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """A number with Laplace noise, cut where its odds are e^(1/2): at 1/4 and 3/4."""
    path = tmp_path_factory.mktemp("one") / "spec.yaml"
    path.write_text(ONE_NUMBER)
    (answer,) = (verify.decide(verify.asked(one)) for one in reading.load(str(path), False)[1])
    found: Json = json.loads(write(answer.certificate))
    assert checker.check(found).outcome == "accepted"
    assert found["question"]["model"]["reals"] == ["e^(1/2)"]
    return {**found, "question": {**found["question"], "definition": None, "options": {}}}


def _again(document: Json, **parts: Any) -> checker.Verdict:
    """The verdict on other parts of a certificate and of its question."""
    question = {**document["question"], **{k: x for k, x in parts.items() if k not in document}}
    own = {k: x for k, x in parts.items() if k in document}
    stated = {"digest": digest_of(question), "taken": checker.taken(question) or ["worlds"]}
    return checker.check({**document, "question": question, **stated, **own})


# Below e^(1/2) = 1.64872127070012… the rows say 1 - e^(-1/4)/2 - L e^(-3/4)/2, which is less than
# what the number itself exceeds L by: that of the numbers up to (1 - ln L)/2, above 1/4.
BELOW = "16487212706/10000000000"
LESS = "(20000000000 - 10000000000*e^(-1/4) - 16487212706*e^(-3/4))/20000000000"
AT = {"exp_epsilon": BELOW, "delta": LESS}
PAIR = {"secrets": {"s": [0], "t": [1]}, "pairs": [["s", "t"]]}


def test_a_level_below_a_cut_is_not_decided_by_the_rows(one_number: Json) -> None:
    index = one_number["question"]["model"]["outputs"].index
    outputs = [index("≤0"), index("0 to 1/4")]
    shown = {"rule": "inequality", "witness": {"pair": [0, 1], "outputs": outputs}}
    bounds = {"lower": BELOW, "upper": "e^(1/2)"}
    answer = {"verdict": "holds", "leakage": bounds}
    assert "inside" in _again(one_number, level=AT, answer=answer, evidence=shown).reason
    model = {k: x for k, x in one_number["question"]["model"].items() if k != "reals"}
    told = _again(one_number, level=AT, answer=answer, evidence=shown, model=model)
    assert told.outcome == "accepted"  # of regions, which are told alone, it is so


def test_what_is_enough_on_a_domain_is_a_cut(one_number: Json) -> None:
    model, relation = dict(one_number["question"]["model"]), one_number["question"]["relation"]
    own = {k: model.pop(k) for k in ("outputs", "values", "columns", "noise", "reals")}
    sides = {key: {"rational": end, "closed": False} for key, end in (("from", "0"), ("to", "1"))}
    cell = {**sides, "relation": relation, "model": own}
    domain = {"parameters": ["p"], "sides": [sides], "where": [], "cells": [cell]}
    asked = {"model": model, "relation": None, "domain": domain}
    for level, delta, fits in ((BELOW, LESS, False), ("e^(1/2)", "1 - e^(-1/4)", True)):
        piece = {**sides, "verdict": "holds", "leakage": {"at_most": level}}
        answer = {"verdict": "holds", "region": [sides], "pieces": [piece]}
        places = {"places": [{"rule": "inequality", "witness": None}]}
        at = {"exp_epsilon": level, "delta": delta}
        found = _again(one_number, **asked, level=at, answer=answer, evidence=places)
        assert (found.outcome == "accepted") == fits, found
        assert fits or "other levels" in found.reason


@pytest.mark.parametrize("rule", ["polytope", "family"])
def test_cut_rows_are_asked_by_the_rule_of_inequalities_alone(one_number: Json, rule: str) -> None:
    index = one_number["question"]["model"]["outputs"].index
    lower = {"pair": ["s", "t"], "outputs": [index("≤0"), index("0 to 1/4")]}
    if rule == "polytope":
        priors: Json = {"class": "hull", "priors": [["1/2", "1/2"]]}
        witness = {"lower": {**lower, "at": ["1"]}, "cuts": [[], []], "impossible": {}}
    else:
        priors = {"class": "product"}
        witness = {"lower": {**lower, "point": ["1", "1"], "powers": [0, 0]}, "upper": []}
    evidence = {"rule": rule, "witness": witness}
    relation = {"rule": "secrets", **PAIR, "priors": priors}
    answer = {"verdict": "holds", "leakage": {"exp_epsilon": BELOW}}
    asked: Json = {"level": AT, "relation": relation, "answer": answer, "evidence": evidence}
    assert "reads reals" in _again(one_number, **asked).reason
    model = {k: x for k, x in one_number["question"]["model"].items() if k != "reals"}
    assert _again(one_number, **asked, model=model).outcome == "accepted"


@pytest.mark.parametrize("delta", ["0", "-0", "0/1"])
def test_levels_are_cut_where_delta_is_not_0(one_number: Json, delta: str) -> None:
    """Both halves of the real line are told at odds of 3 at most; the number itself at e^2."""
    table = {"outputs": ["less", "more"], "values": ["1/4", "3/4"], "columns": [[1, 0], [0, 1]]}
    kept = {k: x for k, x in one_number["question"]["model"].items() if k not in (*table, "noise")}
    asked = {"level": {"exp_epsilon": "3", "delta": delta}, "model": {**kept, **table}}
    answer = {"verdict": "holds", "leakage": {"exp_epsilon": "3"}}
    shown = {"rule": "inequality", "witness": {"pair": [0, 1], "output": 0}}
    assert "for delta" in _again(one_number, **asked, answer=answer, evidence=shown).reason


def test_trees_say_nothing_of_cut_rows(one_number: Json) -> None:
    worlds = {k: one_number["question"]["model"][k] for k in ("worlds", "records")}
    table = {"outputs": ["less", "more"], "values": ["1/4", "3/4"], "columns": [[1, 0], [0, 1]]}
    side = {key: {"rational": end, "closed": False} for key, end in (("from", "0"), ("to", "1"))}
    trees = {"cells": [{"rule": "inequality", "sample": ["1/2", "1/2"], "signs": []}]}
    for more in ({}, {"reals": ["7"]}):
        cell = {"relation": {"rule": "all"}, "model": {**table, **more}}
        domain = {"parameters": ["p", "q"], "sides": [side] * 2, "where": [], "cells": [cell]}
        asked = {
            "level": {"exp_epsilon": "2", "delta": "1/4"},
            "relation": None,
            "model": {**worlds, "entries_per_record": 1},
            "domain": domain,
        }
        found = _again(one_number, **asked, answer={"verdict": "holds"}, evidence=trees)
        assert (found.outcome == "accepted") == (not more), found
        assert not more or "reads reals" in found.reason


def _damaged(model: Json) -> Iterator[tuple[str, Json]]:
    """Regions without one, with one twice, with an empty one; and cuts that are elsewhere."""

    def copy() -> Json:
        found: Json = json.loads(json.dumps(model))
        return found

    tables = [key for key in ("columns", "lower", "upper") if key in model]
    for at in range(len(model["outputs"])):
        for name in ("dropped", "doubled", "emptied"):
            if name == "emptied" and "0" not in model["values"]:
                continue
            made = copy()
            for row in (row for key in tables for row in made[key]):
                if name == "dropped":
                    del row[at]
                elif name == "doubled":
                    row.append(row[at])
                else:
                    row[at] = model["values"].index("0")
            if name == "dropped":
                del made["outputs"][at]
            elif name == "doubled":
                made["outputs"].append("again")
            yield f"{name} {at}", made
    if "lower" in model:
        return  # where integrals are taken, so are the places of cuts
    for i, event in enumerate(model["noise"]["events"]):
        for j, (terms, end) in enumerate(event["conditions"]):
            made = copy()
            own = made["noise"]["events"][i]["conditions"]
            own[j] = [[[draw, -factor] for draw, factor in terms], str(-Fraction(end))]
            yield f"sides of {i}, {j}", made
            made = copy()
            own = made["noise"]["events"][i]["conditions"]
            own[j][1] = str(Fraction(end) + Fraction(1, 10**12))
            yield f"cut of {i}, {j}", made
            made = copy()
            del made["noise"]["events"][i]["conditions"][j]
            yield f"no end of {i}, {j}", made


def test_damaged_regions_are_not_accepted(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(REALS.split("checks:")[0] + "checks:\n" + CUT)
    _, checks = reading.load(str(path), False)
    for check in checks:
        document = json.loads(write(verify.decide(verify.asked(check)).certificate))
        for name, made in [*_damaged(document["question"]["model"])][:: wider(3, 1)]:
            copy = {**document, "question": {**document["question"], "model": made}}
            copy["digest"] = digest_of(copy["question"])
            assert checker.check(copy).outcome != "accepted", name


def test_real_numbers_are_not_asked_for_divergences(tmp_path: Path) -> None:
    """Beside a whole draw everything may be asked; what stands for real numbers is marked here."""
    path = tmp_path / "spec.yaml"
    for check in (
        "renyi: {epsilon: 3, order: 2}",
        "distributional_privacy: {epsilon: 2, form: simulation, simulator: any}",
    ):
        head = REALS.split("checks:")[0].replace("laplace(0, 1)", "geometric(0, 1/2)")
        path.write_text(f"{head}checks:\n  - {{mechanism: laplace, {check}}}\n")
        _, checks = reading.load(str(path), False)
        document = json.loads(write(verify.decide(verify.asked(checks[0])).certificate))
        assert checker.check(document).outcome == "accepted"
        assert "more than ratios" in _stands_for(document, "cone").reason, check


def test_the_comparisons_of_a_channel_are_integrated_again(tmp_path: Path) -> None:
    """The chance that r + X >= Y, X and Y Laplace draws with scales 1 and 2, by hand."""
    one = "world[{}] + draw(laplace(0, 1)) >= draw(laplace(0, 2))"
    program = f"return [{', '.join(one.format(k) for k in range(8))}]"
    path = tmp_path / "spec.yaml"
    path.write_text(
        f"worlds: {{records: 8, domain: [0, 1]}}\nmechanism: {{program: '{program}'}}\n"
        "checks: [{differential_privacy: {exp_epsilon: 2}}]\n"
    )
    _, checks = reading.load(str(path), False)
    document = json.loads(write(verify.decide(verify.asked(checks[0])).certificate))
    ((answer,),) = document["question"]["model"]["channels"]
    assert answer["values"] == ["(-e^(-1) + 4*e^(-1/2))/6", "1/2", "(e^(-1) - 4*e^(-1/2) + 6)/6"]
    assert checker.check(document).outcome == "accepted"
    for change in (
        _set("laws", 0, 1, "3"),
        _set("events", 0, "conditions", 0, 1, "1/2"),
        _set("sums", []),
        _set("sums", 0, 0, 0),
    ):
        copy = json.loads(json.dumps(document))
        change(copy["question"]["model"]["channels"][0][0]["noise"])
        copy["digest"] = digest_of(copy["question"])
        assert checker.check(copy).outcome in ("rejected", "refused")


def test_channels_of_real_numbers_are_asked_for_ratios_alone(tmp_path: Path) -> None:
    """Twenty answers about one record: e^(1/20) each, so e together."""
    path = tmp_path / "spec.yaml"
    path.write_text(
        "worlds: {records: 2, domain: [0, 1]}\n"
        "mechanism: {program: 'return [r1 + draw(laplace(0, 20)) for i in range(20)]'}\n"
        "checks: [{differential_privacy: {epsilon: 1}}]\n"
    )
    _, checks = reading.load(str(path), False)
    found = verify.decide(verify.asked(checks[0]))
    document = json.loads(write(found.certificate))
    assert found.leakage.exp_epsilon == power(F(1))
    assert checker.check(document).taken == ("densities", "matrix", "paths", "worlds")

    def changed_to(change: Callable[[Json], None]) -> checker.Verdict:
        copy = json.loads(json.dumps(document))
        change(copy["question"])
        copy["digest"] = digest_of(copy["question"])
        return checker.check(copy)

    def told(kind: Any) -> Callable[[Json], None]:
        return lambda question: question["model"]["channels"][0][0].update(reals=kind)

    assert changed_to(lambda question: None).outcome == "accepted"
    for kind in ("pairs", "", None, ["e"]):
        assert "more than ratios" in changed_to(told(kind)).reason
    with_delta = changed_to(lambda question: question["level"].update(delta="1/10"))
    assert "more than ratios" in with_delta.reason
