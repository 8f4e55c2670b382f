"""Unknown distributions over three values: ties inside the simplex, and what stays undecided."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.definitions.drawn import Json, decide, read
from verifier import checker
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage
from verifier.kernels import positivity
from verifier.questions.answer import Answer
from verifier.run import verify

F = Fraction

# Given s, yes has 1/4 + 3·f(a)f(b)f(c), at most 13/36 by the inequality of the means; given t 1/4.
MEANS: Json = {
    "worlds": {"records": "4", "domain": ["a", "b", "c"]},
    "secrets": {"s": "r1 == 'a'", "t": "r1 != 'a'"},
    "mechanism": {
        "program": "if r1 == 'a' and r2 != r3 and r3 != r4 and r2 != r4:\n"
        "    return draw({1: 3/4, 0: 1/4})\n"
        "return draw({1: 1/4, 0: 3/4})\n"
    },
}


def spec(level: str, priors: Any = "iid", **more: str) -> Json:
    options = {"pairs": [["s", "t"]], "priors": priors, "exp_epsilon": level, **more}
    return {**MEANS, "checks": [{"pufferfish": options}]}


@pytest.mark.parametrize(
    ("level", "verdict"),
    [("13/9", "holds"), (str(F(13, 9) - F(1, 10**30)), "violated"), ("1445/1000", "holds")],
)
def test_a_tie_inside_the_simplex(level: str, verdict: str) -> None:
    answer = decide(spec(level))
    assert (answer.verdict, answer.leakage) == (verdict, Leakage(F(13, 9)))


def test_a_tie_with_delta() -> None:
    """13/36 − δ against 1/4."""
    answer = decide(spec("13/9", delta="1/100"))
    assert answer.leakage == Leakage((F(13, 36) - F(1, 100)) * 4)


def test_an_irrational_maximum_is_enclosed() -> None:
    """Half the weight on a known distribution, an exact vote for a: with x = f(a) and k = (x² +
    1/4)/2, l = 1 − ((1 − x)² + 1/4)/2, the largest l/k is 1 + 2·√2."""
    known = {"a": "1/2", "b": "1/4", "c": "1/4"}
    worlds = {"records": "3", "domain": ["a", "b", "c"]}
    checks = [
        {
            "noiseless": {
                "exp_epsilon": "3",
                "priors": {"hedging": {"weight": "1/2", "known": known}},
            }
        }
    ]
    mechanism = {"deterministic": "count(value == 'a') >= 2"}
    answer = decide({"worlds": worlds, "mechanism": mechanism, "checks": checks})
    assert answer.verdict == "violated" and answer.leakage is not None
    low, high = answer.leakage.bounds or (F(0), F(0))
    assert (low - 1) ** 2 <= 8 <= (high - 1) ** 2 and high - low <= low / 10**9


def test_little_work_leaves_honest_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where proofs are cut short: undecided, or violated by a prior; never a wrong verdict."""
    monkeypatch.setattr(positivity, "PIECES", 0)
    answers: list[Answer | None] = []
    for level in ("1", "13/9", "3"):
        (check,) = read(spec(level))
        try:
            answer = verify.decide(verify.asked(check))
        except NotDecided as reason:
            assert "1.444" in str(reason)
            answers.append(None)
            continue
        verdict = checker.check(answer.certificate)
        assert verdict.outcome == "accepted", verdict.reason
        assert answer.verdict == ("holds" if F(level) >= F(13, 9) else "violated")
        answers.append(answer)
        if answer.leakage is None or answer.leakage.bounds:
            assert "smallest level" in (answer.reason or "")
    assert answers[0] is not None and answers[-1] is not None
    assert any(a is None or a.leakage is None or a.leakage.bounds for a in answers)


def test_too_many_terms_are_not_multiplied_out() -> None:
    """After any value a the next one is a with probability 1/4 to 1/2."""
    row = {x: ["1/4", "1/2"] for x in "abc"}
    chain = {"markov": {"initial": "stationary", "transition": dict.fromkeys("abc", row)}}
    worlds = {"records": "3", "domain": ["a", "b", "c"]}
    checks = [{"noiseless": {"exp_epsilon": "2", "priors": chain}}]
    mechanism = {"deterministic": "r1 == r2"}
    answer = decide({"worlds": worlds, "mechanism": mechanism, "checks": checks})
    assert (answer.verdict, answer.leakage) == ("holds", Leakage(F(2)))
