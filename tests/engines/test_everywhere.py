"""Definitions of every kind with two parameters: what is found to be violated is so at a point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from tests.drawing import wider
from verifier import checker
from verifier.questions.evidence import PointEvidence
from verifier.run import verify
from verifier.run.verify import Options, Result

F = Fraction
DRAWN = wider(3, 30)
Point = tuple[Fraction, Fraction]
Columns = Sequence[Sequence[Fraction]]
Form = tuple[int, int, int]  # of 1, p, q, over 40


def at(form: Form, point: Point) -> Fraction:
    return (form[0] + form[1] * point[0] + form[2] * point[1]) / F(40)


def columns(forms: Sequence[Form], point: Point) -> Columns:
    """Two columns of three outputs."""
    values = [at(form, point) for form in forms]
    return [[*pair, 1 - sum(pair)] for pair in (values[:2], values[2:])]


def drawn(random: Random) -> Form:
    """From 1/20 to 18/40 for all p, q between 0 and 1."""
    return random.randint(2, 6), random.randint(0, 6), random.randint(0, 6)


def spec(forms: Sequence[Form], check: str, where: str) -> str:
    said = [f"{a}/40 + {b}*p/40 + {c}*q/40" for a, b, c in forms]
    rows = [f"[{x}, {y}, 1 - ({x}) - ({y})]" for x, y in (said[:2], said[2:])]
    return (
        "parameters: {p: 0 < p < 1, q: 0 < q < 1}\n"
        "worlds: {records: [ann], domain: [0, 1]}\n"
        f"mechanism: {{table: {{outputs: [x, y, z], 0: {rows[0]}, 1: {rows[1]}}}}}\n"
        "priors:\n  mixed: {hull: [{worlds: {0: 1/4, 1: 3/4}}, {worlds: {0: 1/2, 1: 1/2}}]}\n"
        f"checks:\n  - {{{check}, where: {where}}}\n"
    )


def both(found: Columns) -> Iterator[tuple[Sequence[Fraction], Sequence[Fraction]]]:
    yield found[0], found[1]
    yield found[1], found[0]


def ratio(found: Columns) -> Fraction:
    return max(x / y for one, other in both(found) for x, y in zip(one, other, strict=True))


def span(found: Columns) -> Fraction:
    """The largest ratio of ratios."""
    ratios = [x / y for x, y in zip(*found, strict=True)]
    return max(ratios) / min(ratios)


def order_two(found: Columns) -> Fraction:
    return max(sum(x**2 / y for x, y in zip(*pair, strict=True)) for pair in both(found))


def order_three(found: Columns) -> Fraction:
    """The square of what the order 3 needs."""
    return max(sum(x**3 / y**2 for x, y in zip(*pair, strict=True)) for pair in both(found))


def error(found: Columns) -> Fraction:
    """The expected 1 for a wrong answer, where output x stands for 0 and y for 1."""
    return max(1 - found[0][0], 1 - found[1][1])


KINDS: dict[str, tuple[str, Callable[[Columns], Fraction]]] = {
    "bounded_range": ("bounded_range: {exp_epsilon: LEVEL}", span),
    "renyi": ("renyi: {order: 2, exp_epsilon: LEVEL}", order_two),
    "order 3": ("renyi: {order: 3, exp_epsilon: LEVEL}", order_three),
    "polytope": ("pufferfish: {exp_epsilon: LEVEL, priors: mixed, pairs: values}", ratio),
    "composition": ("composition: {exp_epsilon: LEVEL, priors: mixed, pairs: values}", ratio),
    "error": (
        'error: {loss: 1 if output != ("x" if ann == 0 else "y") else 0, at_most: LEVEL}',
        error,
    ),
}
PROVED = ("bounded_range", "renyi", "order 3")
WHERE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "q <= p": lambda p, q: q <= p,
    "'[p*q < 1/2, p + q > 1/4]'": lambda p, q: p * q < F(1, 2) and p + q > F(1, 4),
}


def decided(path: Path, written: str) -> Result:
    path.write_text(written.replace("'[", "[").replace("]'", "]"))
    (result,) = verify.run(str(path), Options())
    assert result.status != "internal", result.answer.reason
    return result


@pytest.mark.parametrize("seed", range(DRAWN))
@pytest.mark.parametrize("kind", KINDS)
def test_violated_where_the_definition_is(kind: str, seed: int, tmp_path: Path) -> None:
    """At the point by the definition itself, and wherever a grid has values well above it."""
    random = Random(f"{kind} {seed}")
    forms, (check, least) = [drawn(random) for _ in range(4)], KINDS[kind]
    where = random.choice(list(WHERE))
    grid = [F(k, 13) for k in range(1, 13)]
    inside = [point for point in product(grid, repeat=2) if WHERE[where](*point)]
    values = sorted(least(columns(forms, point)) for point in inside)
    level = values[random.choice([-1, -9, len(values) // 2])] * random.choice([F(19, 20), F(2)])
    level = level if kind == "error" else max(level, F(1))
    path = tmp_path / "a.yaml"
    root = F(round(10 * float(level) ** 0.5), 10)
    level = max(root, F(1)) ** 2 if kind == "order 3" else level
    asked = str(max(root, F(1)) if kind == "order 3" else level)
    result = decided(path, spec(forms, check.replace("LEVEL", asked), where))
    if values[-1] > level * F(21, 20):
        assert result.verdict == "violated", result.answer.reason
    if result.verdict == "violated":
        assert isinstance(result.answer.evidence, PointEvidence)
        p, q = result.answer.evidence.point
        assert 0 < p < 1 and 0 < q < 1 and WHERE[where](p, q)
        assert least(columns(forms, (p, q))) > level
        assert checker.check(result.certificate).outcome == "accepted"
        single = verify.check(path, values={"p": [str(p)], "q": [str(q)]}).results[0]
        assert single.verdict == "violated" and single.witness == result.witness
    elif result.verdict == "holds":
        near = [F(1, 10**30), 1 - F(1, 10**30), F(1, 2)]
        for point in (*inside, *product(near, repeat=2)):
            assert not WHERE[where](*point) or least(columns(forms, point)) <= level, point
    else:
        assert kind not in PROVED and values[-1] <= level * F(21, 20)


HEAD = """
parameters: {p: 1/2 < p < 1, q: 1/2 < q < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanisms:
  told: {program: "if ann == 1: return draw(bernoulli(p))\\nreturn draw(bernoulli(1 - q))"}
  one: {randomized_response: {truth: p}}
  other: {randomized_response: {truth: q}}
priors:
  chain:
    list: [{markov: {initial: stationary, transition: {0: {0: q, 1: 1 - q}, 1: {0: 1 - p, 1: p}}}}]
secrets: {yes: ann == 1, no: ann == 0}
pairs: [[yes, no]]
checks:
"""
VIOLATED = [
    "{influence: {entries: 1, exp_epsilon: 3, priors: chain}}",
    "{pufferfish: {exp_epsilon: 3, priors: iid}, mechanism: told}",
    "{post_processing: {of: other}, mechanism: one}",
    "{row_cone: {of: other}, mechanism: one}",
    "{distributional_privacy: {exp_epsilon: 1, priors: chain}, mechanism: one}",
    "{implies: {if: {differential_privacy: {exp_epsilon: p/(1 - p)}}, "
    "then: {differential_privacy: {exp_epsilon: q/(1 - q)}}}}",
]


@pytest.mark.parametrize("check", VIOLATED)
def test_kinds_that_are_refuted(check: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    result = decided(path, f"{HEAD}  - {check}\n")
    assert result.verdict == "violated", result.answer.reason
    assert isinstance(result.answer.evidence, PointEvidence)
    p, q = map(str, result.answer.evidence.point)
    (single,) = verify.check(path, values={"p": [p], "q": [q]}).results
    assert single.verdict == "violated"


TOLD = """
parameters: {p: 1/2 < p < 3/4, q: 1/2 < q <= 3/4}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [x, y], 0: [p, 1 - p], 1: [1 - q, q]}}
checks:
"""
TOLD_TRULY = [  # by hand: the range is p q/((1 - p)(1 - q)), up to 9 at its corner, 7/3 for order 2
    ("{bounded_range: {exp_epsilon: 9}}", "holds"),
    ("{bounded_range: {exp_epsilon: 89/10}}", "violated"),
    ("{bounded_range: {exp_epsilon: p*q/((1 - p)*(1 - q))}}", "holds"),
    ("{bounded_range: {exp_epsilon: 21/5}, where: p + q <= 4/3}", "holds"),  # p = 7/12, q = 3/4
    ("{bounded_range: {exp_epsilon: 4}, where: p + q <= 4/3}", "violated"),
    ("{renyi: {order: 2, exp_epsilon: 7/3}}", "holds"),
    ("{renyi: {order: 2, exp_epsilon: 23/10}}", "violated"),
    ("{renyi: {order: 3, exp_epsilon: 13/5}}", "violated"),  # 27/4 + 1/36 is 61/9, above 2.6^2
    ("{renyi: {order: 3, exp_epsilon: 53/20}}", "holds"),
]


@pytest.mark.parametrize(("check", "verdict"), TOLD_TRULY)
def test_divergences_up_to_a_corner(check: str, verdict: str, tmp_path: Path) -> None:
    result = decided(tmp_path / "a.yaml", f"{TOLD}  - {check}\n")
    assert result.verdict == verdict, result.answer.reason


@pytest.mark.parametrize(("check", "verdict"), TOLD_TRULY)
def test_divergences_of_records_with_channels(check: str, verdict: str, tmp_path: Path) -> None:
    """One of thirty records changes, and the channels of the others cancel."""
    many = TOLD.replace("records: [ann]", "records: 30").replace("{table:", "{local: {table:")
    many = many.replace("]}}\nchecks", "]}}}\nchecks")
    result = decided(tmp_path / "a.yaml", f"{many}  - {check}\n")
    assert result.verdict == verdict, result.answer.reason


def test_what_stays_undecided(tmp_path: Path) -> None:
    """An order that is no integer; what is left is told in boxes where the level is not reached."""
    check = "{renyi: {order: 5/2, exp_epsilon: 9}}"
    result = decided(tmp_path / "a.yaml", f"{TOLD}  - {check}\n")
    assert result.verdict == "undecided" and "integer orders" in (result.answer.reason or "")
