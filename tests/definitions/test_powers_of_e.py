"""Mechanisms with powers of e: levels and verdicts against balls of another library, by definition.

The definitions are evaluated plainly on balls of 400 binary digits, which know nothing of the exact
numbers that decide here; ties, which no ball decides, are identities by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flint import arb, ctx, fmpq

from tests.mechanisms.building import build
from verifier import checker
from verifier.base.exact import number
from verifier.base.exponential import bounds, power
from verifier.base.level import Level
from verifier.definitions import differential_privacy, metric_privacy, pufferfish
from verifier.questions.answer import Answer, write
from verifier.run import verify
from verifier.run.verify import certified
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, database, named

E = power(1)
ONE = Level.of_exp_epsilon(1)
HAIR = Fraction(1, 10**25)
PARTS: dict[str, Callable[[], Any]] = {  # as it is written, and a ball around it
    "0": lambda: arb(0),
    "1/3": lambda: arb(1) / 3,
    "exp(1)": lambda: arb(1).exp(),
    "exp(-1/2)": lambda: (-arb(1) / 2).exp(),
    "exp(1) - 2": lambda: arb(1).exp() - 2,
    "exp(37/100)/(1 + exp(2))": lambda: (arb(37) / 100).exp() / (1 + arb(2).exp()),
    "exp(1) + 1e-30": lambda: arb(1).exp() + 1 / arb(10) ** 30,
    "exp(-20)": lambda: arb(-20).exp(),
}


@pytest.fixture(autouse=True)
def digits() -> Any:
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def ball(value: Fraction) -> Any:
    """A ball around a rational."""
    return arb(fmpq(value.numerator, value.denominator))


def drawn(draw: Random, worlds: int) -> tuple[Mechanism, list[list[Any]]]:
    """A mechanism, and balls around its probabilities: a list for each world."""
    outputs = draw.randint(2, 3)
    exact, balls = [], []
    for _ in range(worlds):
        parts = [draw.choice([*PARTS]) for _ in range(outputs)]
        parts[draw.randrange(outputs)] = "exp(1)"
        weights, near = [number(p) for p in parts], [PARTS[p]() for p in parts]
        exact.append([w / sum(weights) for w in weights])
        zero = [w == 0 for w in weights]
        balls.append([None if z else b / sum(near) for z, b in zip(zero, near, strict=True)])
    names = [f"o{k}" for k in range(outputs)]
    return Mechanism.from_rows(names, zip(*exact, strict=True)), balls


def smallest(balls: list[list[Any]], pairs: Any) -> Any:
    """The largest ratio of likelihoods, None for infinite."""
    found = arb(1)
    for v, w in pairs:
        for p, q in zip(balls[v], balls[w], strict=True):
            if p is not None:
                if q is None:
                    return None
                found = found.max(p / q)
    return found


def exceeds(found: Any, level: Fraction) -> bool:
    above, below = found > ball(level), found < ball(level)
    assert above != below
    return bool(above)


def agrees(answer: Answer, expected: Any) -> None:
    assert answer.leakage is not None
    level = answer.leakage.exp_epsilon
    if expected is None:
        assert answer.leakage.infinite
        return
    low, high = (level, level) if type(level) is Fraction else bounds(level, 60)
    assert ball(low) <= expected + ball(HAIR) and expected <= ball(high) + ball(HAIR)


def test_drawn_levels_and_verdicts_a_hair_from_them() -> None:
    draw = Random(7)
    space = named(("u", "v", "w"))
    for _ in range(40):
        made, balls = drawn(draw, 3)
        expected = smallest(balls, permutations(range(3), 2))
        found = certified(ask(space, made, ONE))
        agrees(found, expected)
        if expected is None or found.leakage is None or expected < ball(1 + HAIR):
            continue
        level = found.leakage.exp_epsilon
        assert level is not None
        near = level if type(level) is Fraction else bounds(level, 60)[0]
        for alpha in (near - HAIR, near + HAIR):
            verdict = certified(ask(space, made, Level.of_exp_epsilon(alpha))).verdict
            assert verdict == ("violated" if exceeds(expected, alpha) else "holds")
        assert certified(ask(space, made, Level.of_exp_epsilon(level))).verdict == "holds"


def ask(space: WorldSpace, made: Mechanism, level: Level, delta: Any = 0) -> Any:
    return differential_privacy.question(
        space=space, mechanism=made, level=level, delta=delta, neighbours="all"
    )


def test_drawn_deltas() -> None:
    draw = Random(8)
    space = named(("u", "v"))
    for _ in range(30):
        made, balls = drawn(draw, 2)
        delta = Fraction(draw.randint(1, 9), 20)
        found = certified(ask(space, made, ONE, delta))
        assert found.leakage is not None
        if found.leakage.exp_epsilon is None:
            continue
        for alpha in (Fraction(1), Fraction(3, 2), Fraction(5)):
            most = arb(0)
            for v, w in ((0, 1), (1, 0)):
                gains = [
                    (p or arb(0)) - ball(alpha) * (q or arb(0))
                    for p, q in zip(balls[v], balls[w], strict=True)
                ]
                most = most.max(sum((g.max(arb(0)) for g in gains), arb(0)))
            assert (found.leakage.exp_epsilon > alpha) == exceeds(most, delta)


def test_ties_are_identities() -> None:
    space = database(["ann", "bob"], [0, 1])
    made = build({"randomized_response": {"epsilon": "1"}}, {"records": 2, "domain": [0, 1]})
    for level, verdict in (
        (Level.of_epsilon(1), "holds"),
        (Level.of_exp_epsilon("exp(1)"), "holds"),
        (Level.of_epsilon(1 - HAIR), "violated"),
        (Level.of_exp_epsilon("exp(1) - 1e-25"), "violated"),
    ):
        question = differential_privacy.question(space=space, mechanism=made, level=level)
        found = certified(question)
        assert found.verdict == verdict
        assert found.leakage is not None and found.leakage.exp_epsilon == E


def test_many_records_are_decided_from_their_channels(tmp_path: Path) -> None:
    (tmp_path / "file.yaml").write_text(
        "worlds: {records: 40, domain: [0, 1, 2]}\n"
        "mechanism: {randomized_response: {epsilon: 1/10}}\n"
        "checks:\n"
        "  - {differential_privacy: {epsilon: 3/10, group: 3}, leakage: exp(3/10)}\n"
        "  - {differential_privacy: {epsilon: 0.2999999999, group: 3}, expect: violated}\n"
    )
    results = verify.check(tmp_path / "file.yaml").results
    assert [(r.status, r.rule) for r in results] == [("ok", "network")] * 2


def test_the_group_of_two_needs_the_square() -> None:
    made = build({"randomized_response": {"epsilon": "1/10"}}, {"records": 2, "domain": [0, 1]})
    space = database(["ann", "bob"], [0, 1])
    question = differential_privacy.question(
        space=space, mechanism=made, level=Level.of_epsilon("1/5"), group=2
    )
    found = certified(question)
    assert found.verdict == "holds" and found.leakage is not None
    assert found.leakage.exp_epsilon == power(Fraction(1, 5))


def test_distances_of_a_metric() -> None:
    """Noise of ratio e^(-1/10) on a count: at each distance d the ratio is e^(d/10)."""
    space = database(["ann"], [0, 1, 3])
    made = build(
        {"geometric": {"query": "r1", "epsilon": "1/10"}}, {"records": 1, "domain": [0, 1, 3]}
    )
    question = metric_privacy.question(
        space=space, mechanism=made, level=Level.of_epsilon("1/10"), distance="l1"
    )
    found = certified(question)
    assert found.verdict == "holds" and found.leakage is not None
    assert found.leakage.exp_epsilon == power(Fraction(1, 10))


def test_a_distance_encloses_a_level() -> None:
    """The ratio (1 + e)/2 at distance 2 asks for its square root, which is no such number."""
    low, high = 1 / (3 + E), (1 + E) / (3 + E) / 2
    rows = [[low, high], [1 - low, 1 - high]]
    made = Mechanism.from_rows(["a", "b"], rows)
    space = database(["ann"], [0, 2])
    expected = ((1 + arb(1).exp()) / 2).sqrt()
    for level, verdict in (("1.4", "holds"), ("1.3", "violated")):
        question = metric_privacy.question(
            space=space, mechanism=made, level=Level.of_exp_epsilon(level), distance="l1"
        )
        found = certified(question)
        assert found.verdict == verdict and found.leakage is not None
        least, most = found.leakage.bounds or (Fraction(0), Fraction(0))
        assert ball(least) <= expected <= ball(most) and (most - least) * 10**9 <= least


def test_listed_priors() -> None:
    """P(output | ann's value) where bob is 1 with probability e/(1 + e), plainly."""
    made = build(
        {"program": "return ann + bob if draw(bernoulli(exp(-1/2))) == 1 else 0"},
        {"records": ["ann", "bob"], "domain": [0, 1]},
    )
    question = pufferfish.question(
        space=database(["ann", "bob"], [0, 1]),
        mechanism=made,
        level=Level.of_epsilon(3),
        delta="exp(-2)",
        pairs="values",
        priors={"list": [{"iid": {"0": "1/(1 + exp(1))", "1": "exp(1)/(1 + exp(1))"}}]},
    )
    told, bob = (-arb(1) / 2).exp(), 1 / (1 + arb(-1).exp())
    given = [
        [1 - told * bob, told * bob, arb(0)],  # ann = 0: the sum is 0, 1, 2
        [1 - told, told * (1 - bob), told * bob],
    ]
    delta = arb(-2).exp()
    expected = arb(1)
    for p, q in permutations(given):
        for event in product((0, 1), repeat=3):
            above = sum((x for x, inside in zip(p, event, strict=True) if inside), arb(0))
            below = sum((x for x, inside in zip(q, event, strict=True) if inside), arb(0))
            if above > delta and below > 0:
                expected = expected.max((above - delta) / below)
            if above > delta and not below > 0:
                expected = arb("inf")
    found = certified(question)
    agrees(found, None if not expected.is_finite() else expected)


FILE = """\
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {epsilon: 1}}
checks: [{differential_privacy: {epsilon: 1}, leakage: exp(1)}]
"""


@pytest.fixture
def certificate(tmp_path: Path) -> Any:
    """That of one response at ε = 1, as it is written."""
    (tmp_path / "file.yaml").write_text(FILE)
    (result,) = verify.check(tmp_path / "file.yaml").results
    assert result.status == "ok" and result.certificate is not None
    return json.loads(write(result.certificate))


def resealed(certificate: Any) -> Any:
    text = json.dumps(certificate["question"], sort_keys=True, separators=(",", ":"))
    certificate["digest"] = f"sha256:{sha256(text.encode()).hexdigest()}"
    return checker.check(certificate).outcome


def test_certificates_have_the_numbers(certificate: Any) -> None:
    assert certificate["question"]["model"]["values"] == ["1/(1 + e)", "e/(1 + e)"]
    assert certificate["answer"]["leakage"]["closed"] == "e"
    assert checker.check(certificate).outcome == "accepted"


@pytest.mark.parametrize(
    ("closed", "lower", "upper"),
    [
        ("e", "2", "3"),
        ("e", "27182818283/10000000000", "27182818284/10000000000"),
        ("e", "27182818285/10000000000", "27182818286/10000000000"),
        ("e + 1", "371828182845/100000000000", "371828182846/100000000000"),
        ("2*e - e^(1001/1000)", "2", "2"),
        ("2718281828459045/1000000000000000", "271828182845/100000000000", "3"),
        ("e^(-1)", "1/3", "1/2"),
    ],
)
def test_other_levels_are_not_accepted(
    certificate: Any, closed: str, lower: str, upper: str
) -> None:
    certificate["answer"]["leakage"] = {"closed": closed, "lower": lower, "upper": upper}
    assert checker.check(certificate).outcome != "accepted"


def test_levels_in_another_form_are_not_accepted(certificate: Any) -> None:
    closed = certificate["answer"]["leakage"]
    for leakage in (
        {"closed": closed["closed"]},
        {"exp_epsilon": "27182818284590452353602874713526/10000000000000000000000000000000"},
        {"vacuous": True},
        {**closed, "exp_epsilon": "e"},
    ):
        forged = {**certificate, "answer": {"verdict": "holds", "leakage": leakage}}
        assert checker.check(forged).outcome != "accepted"
    said = {"verdict": "violated", "leakage": closed}
    assert checker.check({**certificate, "answer": said}).outcome == "rejected"


@pytest.mark.parametrize(
    "values",
    [
        ["1/(1 + e)", "2/(1 + e)"],  # sums to no 1
        ["1/(1 + e)", "e/(1 + e) + 1"],
        ["1/(1 + e)", "731058578630004879251159944/1000000000000000000000000000"],  # nearly
        ["e/(1 + e)", "1/(1 + e)"],  # do not ascend
        ["2 - e", "e - 1"],  # not a probability
        ["1/(1 + e)", "1/(1 + e)"],
        ["1/(1 + e)", "(e - e)/(1 + e)"],
    ],
)
def test_columns_that_are_no_distributions_are_not_accepted(
    certificate: Any, values: list[str]
) -> None:
    certificate["question"]["model"]["values"] = values
    assert resealed(certificate) in ("rejected", "refused")


def test_the_same_numbers_written_in_another_way_are_accepted(certificate: Any) -> None:
    certificate["question"]["model"]["values"] = ["(1 - e)/(1 - e^2)", "1/(1 + e^(-1))"]
    assert resealed(certificate) == "accepted"
    certificate["question"]["level"] = {"exp_epsilon": "(e^2 - 1)/(e - 1) - 1", "delta": "0"}
    assert resealed(certificate) == "refused"  # a sum less a sum is no quotient of two
    certificate["question"]["level"] = {"exp_epsilon": "(e^2 - e)/(e - 1)", "delta": "0"}
    assert resealed(certificate) == "accepted"


def test_work_is_bounded(certificate: Any) -> None:
    near = f"({10**4000} + e)/{10**4000}"
    certificate["answer"]["leakage"]["closed"] = near
    assert checker.check(certificate).outcome != "accepted"
    certificate["question"]["level"] = {"epsilon": "1000000", "delta": "0"}
    assert resealed(certificate) == "refused"
