"""The installed OpenDP: its claims by hand, and what it draws against what is documented."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, log, tanh
from typing import Any

import pytest

import verifier
from verifier.base.errors import InputError
from verifier.base.level import Level
from verifier.lab.adapters import Adapted, Claim, adapted, built, library
from verifier.lab.adapters.sampled import agreement

pytestmark = pytest.mark.oracle


def dp() -> Any:
    found = library("opendp.prelude")
    found.enable_features("contrib")
    return found


def of(name: str, **arguments: str) -> Adapted:
    return built(f"opendp.measurements.{name}", arguments)


def whole() -> tuple[Any, Any]:
    return dp().atom_domain(T=int), dp().absolute_distance(T=int)


@pytest.mark.parametrize(
    ("name", "arguments", "epsilon"),
    [
        ("make_laplace", {"scale": "1.5"}, 2 / 3),
        ("make_laplace", {"scale": "1.5", "d_in": "3"}, 2),
        ("make_geometric", {"scale": "0.5", "lower": "0", "upper": "3"}, 2),
        ("make_randomized_response_bool", {"prob": "0.75"}, log(3)),
        ("make_randomized_response", {"prob": "0.75", "categories": "a,b,c"}, log(6)),
    ],
)
def test_tight_claims(name: str, arguments: dict[str, str], epsilon: float) -> None:
    """The claim holds, and is tight but for its last digit."""
    found = of(name, **arguments)
    answer = verifier.decide(found.question())
    assert answer.verdict == "holds"
    assert float(found.claim.epsilon) == pytest.approx(epsilon, rel=1e-15)
    less = Fraction(found.claim.epsilon) * (1 - Fraction(1, 10**12))
    assert answer.leakage and answer.leakage.exp_epsilon
    assert not Level.of_epsilon(less).admits(answer.leakage.exp_epsilon)


@pytest.mark.parametrize(("candidates", "d_in"), [(2, 1), (2, 3), (3, 1)])
def test_noisy_scores_by_hand(candidates: int, d_in: int) -> None:
    """Of equal scores the first wins with 1/n. Where it falls by d and the others rise by d, its
    noise has to exceed 2d first, and what is left is as before: e^(−2d)/n, as is claimed."""
    found = of("make_noisy_max", scale="1", candidates=str(candidates), d_in=str(d_in))
    answer = verifier.decide(found.question())
    assert float(found.claim.epsilon) == 2 * d_in and answer.verdict == "holds"
    assert answer.leakage and float(answer.leakage.exp_epsilon or 0) == pytest.approx(exp(2 * d_in))
    less = found.claiming(found.claim.with_slack(-Fraction(1, 1000), Fraction(0)))
    assert verifier.decide(less.question()).verdict == "violated"
    assert f"{candidates} scores, each {-d_in}, 0 or {d_in};" in found.covers


def test_a_threshold_claim_is_wrong() -> None:
    """At ratio 1/2 and threshold 5 a first count appears where noise is 4 or more: (1/2)⁴/(3/2) is
    1/24, and P(noise >= 5) = 1/48 is claimed."""
    found = of("make_laplace_threshold", scale=repr(1 / log(2)), threshold="5")
    assert float(found.claim.delta) == pytest.approx(1 / 48, rel=1e-12)
    assert found.inputs == (0, 1, 2)  # two counts that are there lie d_in apart too
    assert verifier.decide(found.question()).verdict == "violated"
    assert "the smallest δ is 0.0416667;" in found.margin()
    more = found.claiming(found.claim.with_slack(Fraction(0), Fraction(1, 47)))
    assert verifier.decide(more.question()).verdict == "holds"


def test_a_threshold_is_reached_by_a_count_that_equals_it() -> None:
    space = dp().map_domain(dp().atom_domain(T=str), whole()[0]), dp().l01inf_distance(whole()[1])
    sure = dp().m.make_laplace_threshold(*space, scale=0.01, threshold=5)
    assert [sure({"key": count}) for count in (4, 5)] == [{}, {"key": 5}]
    agreement(adapted(dp().m.make_laplace_threshold(*space, scale=1.5, threshold=2)))


def test_what_is_drawn() -> None:
    """Each release has the matrix, as far as 20,000 draws tell."""
    clamped = dp().m.make_geometric(*whole(), scale=1.5, bounds=(0, 3))
    agreement(adapted(clamped, values=[0, 7]))
    agreement(adapted(dp().m.make_laplace(*whole(), scale=1.5)))
    agreement(adapted(dp().m.make_randomized_response(["a", "b", "c"], 0.75)))
    agreement(adapted(dp().m.make_randomized_response_bool(0.75)))
    scores = dp().vector_domain(dp().atom_domain(T=int)), dp().linf_distance(T=int)
    for measure in (dp().max_divergence(), dp().zero_concentrated_divergence()):
        for negate in (False, True):
            best = dp().m.make_noisy_max(*scores, measure, scale=1.5, negate=negate)
            agreement(adapted(best, candidates=2))
        agreement(adapted(dp().m.make_noisy_top_k(*scores, measure, k=2, scale=1.5), candidates=3))


def test_another_scale_is_found() -> None:
    found = adapted(dp().m.make_geometric(*whole(), scale=1.5, bounds=(0, 3)))
    other = adapted(dp().m.make_geometric(*whole(), scale=2.5, bounds=(0, 3)))
    with pytest.raises(InputError, match="S123"):
        agreement(replace(found, release=other.release))


def test_concentrated_claims() -> None:
    """Of two scores the first has 1/(1 + e) and e/(1 + e) where it is less or more by one: order 1
    is the worst, (e - 1)/(e + 1) = tanh(1/2). One place of two tells both, so k = 2 has it too."""
    zero = {"scale": "1", "measure": "zero_concentrated", "candidates": "2"}
    for name, more, claimed in (
        ("make_noisy_max", {}, Fraction(1, 2)),
        ("make_noisy_top_k", {"k": "2"}, Fraction(1)),
    ):
        found = of(name, **zero, **more)
        assert found.claim == Claim(claimed, concentrated=True)
        answer = verifier.decide(found.question())
        assert answer.verdict == "holds" and answer.leakage and answer.leakage.bounds
        low, high = answer.leakage.bounds
        assert low - Fraction(1, 10**12) < exp(tanh(0.5)) < high + Fraction(1, 10**12)


def test_what_is_not_known() -> None:
    floats = dp().atom_domain(T=float, nan=False), dp().absolute_distance(T=float)
    scores = dp().vector_domain(dp().atom_domain(T=int)), dp().linf_distance(T=int, monotonic=True)
    noisy = dp().m.make_noisy_max(*scores, dp().max_divergence(), scale=1.0)
    free = dp().m.make_laplace(*whole(), scale=1.0)
    keys = dp().atom_domain(T=str)
    counts = dp().map_domain(keys, floats[0]), dp().l01inf_distance(floats[1])
    plain = dp().vector_domain(dp().atom_domain(T=int)), dp().linf_distance(T=int)
    scored = dp().m.make_noisy_max(*plain, dp().max_divergence(), scale=1.0)
    cases = [
        (dp().m.make_laplace(*floats, scale=1.0), {}, "noise on floats"),
        (dp().m.make_laplace_threshold(*counts, scale=1.0, threshold=2.0), {}, "noise on floats"),
        (dp().m.make_laplace(*whole(), scale=0.0), {}, "nothing is private"),
        (free, {"d_in": 0}, "1 or more"),
        (noisy, {}, "up and down"),
        (scored, {"values": [0, 1]}, "scores of -d_in, 0 and d_in"),
        (free, {"candidates": 2}, "no candidates"),
        (dp().m.make_gaussian(*whole(), scale=1.0), {}, "'make_gaussian' are not known"),
        (dp().m.make_randomized_response_bool(0.75), {"values": [0]}, "its categories"),
        (free, {"d_in": 2**40, "values": [0, 1]}, "claims nothing"),
        (free, {"d_in": 200}, "more than 100 inputs"),
    ]
    for measurement, options, reason in cases:
        with pytest.raises(InputError, match=reason):
            adapted(measurement, **options)
    for arguments in ({"scale": "-1"}, {"scale": "1", "lower": "0"}, {}):
        with pytest.raises(InputError, match=r"S121 opendp\.measurements\.make_geometric: "):
            of("make_geometric", **arguments)
    with pytest.raises(InputError, match="nothing is private"):
        of("make_laplace_threshold", scale="0", threshold="3")
    with pytest.raises(InputError, match="2 to 5 candidates"):
        of("make_noisy_max", scale="1", candidates="9")
