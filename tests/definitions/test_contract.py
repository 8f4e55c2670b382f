"""What every definition owes: an engine that agrees with `value` and the checker."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.definitions import plain
from tests.definitions.cases import Case, differential, induced, labels, metrics, policies
from tests.definitions.drawn import decide
from tests.definitions.family_cases import given_directly
from tests.definitions.influence_cases import influences
from tests.definitions.secret_cases import given_conditionals, record_values, secrets_compared
from tests.definitions.simulator_cases import Question, coupled, distributional
from tests.definitions.told import told
from tests.drawing import examples
from verifier.base.level import Leakage
from verifier.base.registry import DEFINITIONS
from verifier.questions.answer import Answer

CASES: Mapping[str, st.SearchStrategy[Case]] = {
    "blowfish": policies(),
    "coupled_worlds": coupled(),
    "differential_privacy": differential(),
    "distributional_privacy": distributional(),
    "induced_neighbours": induced(),
    "influence": influences(),
    "label_privacy": labels(),
    "metric_privacy": metrics(),
    "bayesian_privacy": record_values("bayesian_privacy"),
    "dependent_privacy": record_values("dependent_privacy"),
    "pufferfish": st.one_of(secrets_compared("pufferfish"), given_conditionals()),
    "noiseless": secrets_compared("noiseless"),
    "hedging_privacy": given_directly("hedging_privacy"),
    "single_prior_privacy": given_directly("single_prior_privacy"),
    **{word: one.drawn for word, one in told().items()},
}
WITHOUT_LEVEL = {  # or without a mechanism, or maybe undecided: tested in files of their own
    "bounded_range",
    "composition",
    "error",
    "g_leakage",
    "implies",
    "maximal_leakage",
    "optimal",
    "parallel_composition",
    "post_processing",
    "renyi",
    "row_cone",
    "sensitivity",
    "universally_composable",
    "zcdp",
}
BY_Z3 = ("coupled_worlds", "distributional_privacy")
EXAMPLES = examples(60)
FEWER = examples(15)  # each with several exact linear programs of z3
ASKED = st.sampled_from(["1", "3", "1000000", "31/30"])
ALL = list(HealthCheck)
REGRESSIONS = Path(__file__).parents[1] / "regressions" / "definitions"


def test_what_is_drawn_is_there() -> None:
    """That every definition is drawn, or has tests of its own, is said in tests/contracts."""
    assert {*CASES, *WITHOUT_LEVEL} <= set(DEFINITIONS.keywords())


@pytest.mark.parametrize(
    "keyword",
    [
        pytest.param(word, marks=pytest.mark.oracle) if word in BY_Z3 else word
        for word in sorted(CASES)
    ],
)
def test_engine_plain_definition_and_checker_agree(keyword: str) -> None:
    (FEWER if keyword in BY_Z3 else EXAMPLES)(given(CASES[keyword], ASKED)(agree))()


def agree(case: Case, asked: str) -> None:
    answer = decide(case.with_level(exp_epsilon=asked))
    assert answer.leakage is not None
    compares = bool(case.distances)
    if isinstance(case.about, Question):
        compares = case.about.compares
    assert answer.leakage.vacuous == (not compares)
    expect(case, answer, Fraction(asked))
    for level in near(answer.leakage):
        again = decide(case.with_level(exp_epsilon=str(level)))
        assert is_refined(again.leakage, answer.leakage)
        expect(case, again, level)


def campaign(count: int, start: int) -> str:
    """So many drawn questions, of all definitions alike: decided, checked, and evaluated plainly.
    What fails is made smaller, and kept in tests/regressions/definitions."""
    each = -(-count // len(CASES))
    for keyword in sorted(CASES):
        drawn = settings(max_examples=each, deadline=None, database=None, suppress_health_check=ALL)
        try:
            seed(start)(drawn(given(CASES[keyword], ASKED)(agree)))()
        except Exception as failure:
            said = "\n".join([repr(failure), *getattr(failure, "__notes__", ())])
            REGRESSIONS.mkdir(parents=True, exist_ok=True)
            (REGRESSIONS / f"{keyword}-{start}.txt").write_text(said + "\n", encoding="utf-8")
            raise AssertionError(f"{keyword}: {said}") from failure
    return f"{each} drawn questions of each of {len(CASES)} definitions, all answers as evaluated"


@EXAMPLES
@given(st.one_of(*CASES.values()), st.sampled_from(["1/1000", "1/2", "1", "5", "70"]))
def test_irrational_levels(case: Case, epsilon: str) -> None:
    """e^epsilon against ratios, to 120 digits."""
    answer = decide(case.with_level(epsilon=epsilon))
    if case.delta or case.serves:
        assert answer.leakage
        found = answer.leakage.bounds[1] if answer.leakage.bounds else answer.leakage.exp_epsilon
        holds = found is not None and plain.is_at_most_exp(found, Fraction(epsilon))
    else:
        holds = all(
            p <= q or (q > 0 and plain.is_at_most_exp(p / q, Fraction(epsilon) * distance))
            for (i, j), distance in case.distances.items()
            for p, q in zip(case.columns[i], case.columns[j], strict=True)
        )
    assert answer.verdict == ("holds" if holds else "violated")


def near(leakage: Leakage) -> list[Fraction]:
    """Levels at the smallest one and a hair around it."""
    if leakage.exp_epsilon is not None:
        below = leakage.exp_epsilon - Fraction(1, 10**40)
        return [leakage.exp_epsilon, *([below] if below >= 1 else [])]
    return list(leakage.bounds or ())


def is_refined(found: Leakage | None, known: Leakage) -> bool:
    """The same leakage, or within its bounds narrower ones, which leave the level that is asked for
    outside, or the level itself."""
    if found and known.bounds:
        low, high = found.bounds or (found.exp_epsilon, found.exp_epsilon)
        return low is not None and known.bounds[0] <= low <= high <= known.bounds[1]
    return found == known


def expect(case: Case, answer: Answer, level: Fraction) -> None:
    """The verdict is that of `value` and of brute force; so is the leakage."""
    holds = meets(case, level)
    assert answer.verdict == ("holds" if holds else "violated")
    within = case.excess(level) <= case.delta
    assert within == holds
    assert answer.leakage is not None
    assert (answer.witness is None) == holds
    bounds = answer.leakage.bounds
    if bounds is not None:
        assert meets(case, bounds[1]) and not meets(case, bounds[0])
        assert bounds[1] - bounds[0] <= bounds[0] / 10**9
    elif answer.leakage.exp_epsilon is not None:
        found = answer.leakage.exp_epsilon
        assert meets(case, found)
        assert found == 1 or not meets(case, found - (found - 1) / 10**50)
    else:
        assert not meets(case, Fraction(10) ** 200)


def meets(case: Case, alpha: Fraction) -> bool:
    """Every comparison at alpha, by plain arithmetic: M^k <= alpha^j M'^k for d = j/k."""
    if case.serves:
        return case.serves(alpha)
    if case.delta:
        return all(
            plain.excess(case.columns[i], case.columns[j], alpha) <= case.delta
            for i, j in case.distances
        )
    return all(
        p**d.denominator <= alpha**d.numerator * q**d.denominator
        for (i, j), d in case.distances.items()
        for p, q in zip(case.columns[i], case.columns[j], strict=True)
    )
