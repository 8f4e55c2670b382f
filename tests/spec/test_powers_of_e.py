"""Checks over all values of a parameter with powers of e: the same file at single values, brute
force by quadrature, and errors."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from tests.drawing import examples
from tests.loops import each
from verifier.base import document
from verifier.base.cell import Root
from verifier.base.errors import InputError
from verifier.base.parameters import given
from verifier.run import verify
from verifier.run.verify import Options, Result
from verifier.spec.parameters import choices

F = Fraction
TWO = "worlds: {records: [a, b], domain: [0, 1]}\n"
SECRETS = """\
secrets: {yes: a == 1, no: a == 0}
pairs: [[yes, no]]
priors:
  one:
    list:
      - markov: {initial: stationary, transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}}
  mixtures:
    hull:
      - independent: [{0: 1/2, 1: 1/2}, {0: 1/3, 1: 2/3}]
      - independent: [{0: 1/2, 1: 1/2}, {0: 2/3, 1: 1/3}]
"""


def program(*lines: str) -> str:
    return TWO + "mechanism:\n  program: |\n" + "".join(f"    {line}\n" for line in lines)


SUM = program("return a + b + draw(laplace(0, 1/p)) > 1/3")
RESPONSE = TWO + "mechanism: {randomized_response: {truth: exp(p/2)/(1 + exp(p/2))}}\n"
FILES = {
    "sum": SUM + "checks: [differential_privacy: {epsilon: p}]",
    "group": SUM + "checks: [differential_privacy: {epsilon: p, group: 2}]",
    "delta": SUM + "checks: [differential_privacy: {exp_epsilon: 2, delta: 1/10}]",
    "prior": SECRETS + SUM + "checks: [pufferfish: {epsilon: p, priors: one}]",
    "response": RESPONSE + "checks: [differential_privacy: {exp_epsilon: 3}]",
    "mixtures": SECRETS + RESPONSE + "checks: [pufferfish: {exp_epsilon: 3, priors: mixtures}]",
    "order": RESPONSE + "checks: [renyi: {exp_epsilon: 3, order: 2}]",
    "double zero": RESPONSE
    + "checks: [differential_privacy: {exp_epsilon: 9/4 + exp(p/2)*(exp(p/2) - 2)}]",
    "range": RESPONSE + "checks: [bounded_range: {exp_epsilon: 5}]",
    "released": program("return a + draw(laplace(0, 3/(2*p))), b - draw(exponential(2/p))")
    + "checks: [differential_privacy: {epsilon: p}]",
    "beside": program("return a + draw(laplace(0, 1/p)) > draw(interval(0, 2))")
    + "checks: [differential_privacy: {epsilon: p/2}]",
    "three sums": program(
        "x = draw(laplace(a, 2/p))", "y = draw(laplace(b, 3/p))", "return x + y > 1, x > y"
    )
    + "checks: [differential_privacy: {epsilon: p/2}]",
    "whole": program("return a + draw(geometric(0, epsilon=p/2)) >= draw(geometric(b, exp(-p)))")
    + "checks: [differential_privacy: {epsilon: p}]",
    "least": program("return min(a + draw(exponential(1/p)), b + draw(exponential(2/p))) > 1")
    + "checks: [differential_privacy: {epsilon: p, neighbours: all}]",
}
VALUES = [F(1, 1000), F(1, 7), F(2, 3), F(1), F(13, 10), F(2), F(7, 2), F(9), F(40)]


def written(tmp_path: Path, interval: str, text: str) -> Path:
    path = tmp_path / "spec.yaml"
    path.write_text(f"parameters: {{p: {interval}}}\n{text}", encoding="utf-8")
    return path


def at(path: Path, x: Fraction) -> Result:
    """The result of the file with p fixed."""
    (choice,) = choices(document.load(path), path.read_text(encoding="utf-8"), {"p": [str(x)]})
    with given(choice):
        (result,) = verify.run(str(path), Options())
    return result


def agrees(path: Path, values: list[Fraction]) -> None:
    (result,) = verify.run(str(path), Options())
    curve = result.answer.curve
    assert curve is not None and result.verdict in ("holds", "violated"), result.answer.reason
    for x in (x for x in values if curve.domain.has(x)):
        single = at(path, x)
        assert single.verdict == ("holds" if curve.region.has(x) else "violated"), x
        stretch, found = curve.at(x), single.leakage
        assert found is not None and stretch.is_infinite == found.infinite
        assert found.infinite or stretch.at(x) == found.exp_epsilon, x


@pytest.mark.parametrize("name", FILES)
def test_the_region_says_what_the_file_says_at_each_value(name: str, tmp_path: Path) -> None:
    agrees(written(tmp_path, "0 < p", FILES[name]), VALUES)


@drawn(st.data())
@examples(20)
def test_drawn_scales(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A sparse vector whose scales are drawn, over a drawn interval with closed ends."""
    scale = st.sampled_from(["1/p", "2/p", "3/(2*p)", "4/p", "5/(3*p)"])
    noise = st.sampled_from(["draw(laplace(0, {}))", "draw(exponential({}))"])
    t, x, y = (data.draw(noise).format(data.draw(scale)) for _ in range(3))
    lines = [f"t = {t}", f"if a + {x} >= t:", "    return 1", f"return int(b - {y} >= t) * 2"]
    lines[-1] = f"return 2 if b - {y} >= t else 3"
    text = program(*lines) + "checks: [differential_privacy: {epsilon: p/2, neighbours: all}]"
    low, high = sorted(data.draw(st.sampled_from(VALUES)) for _ in range(2))
    path = written(tmp_path_factory.mktemp("drawn"), f"{low} <= p <= {high + 1}", text)
    agrees(path, [low, (low + high) / 2, high, high + 1])


def test_where_noisy_max_of_five_keeps_three_quarters(tmp_path: Path) -> None:
    """Known to twelve digits from quadrature: from 5.436843439311 on."""
    names = ", ".join(f"r{k}" for k in range(5))
    draws = ", ".join(f"draw(laplace(r{k}, 2/p))" for k in range(5))
    text = (
        f"worlds: {{records: [{names}], domain: [0, 1]}}\n"
        f"mechanism: {{program: 'return argmax({draws})'}}\n"
        "checks: [differential_privacy: {epsilon: 3*p/4, neighbours: all}]"
    )
    (result,) = verify.run(str(written(tmp_path, "0 < p", text)), Options())
    curve = result.answer.curve
    assert curve is not None and result.verdict == "violated"
    (interval,) = curve.region.intervals
    assert isinstance(interval.low, Root) and interval.low_closed
    low, high = interval.low.enclosed(F(1, 10**12))
    assert low < F("5.4368434393115") and high > F("5.4368434393105")


def test_an_end_is_where_the_level_is_met(tmp_path: Path) -> None:
    """By hand: 2e^(p/2) − 1 = 3 at p = 2·ln 2, which belongs to the region."""
    text = program("return a + draw(laplace(0, 1/p)) > 1/2")
    text += "checks: [{differential_privacy: {exp_epsilon: 3}, expect: {holds: exp(p/2) <= 2}}]"
    (result,) = verify.run(str(written(tmp_path, "0 < p", text)), Options())
    assert result.status == "ok" and result.verdict == "violated"


UNDECIDED = [
    ("-1 < p < 2", RESPONSE + "checks: [differential_privacy: {exp_epsilon: 8}]", "below 0"),
    (
        "0 < p",
        program("return a + draw(laplace(0, 1/p)) > draw(geometric(0, epsilon=p))")
        + "checks: [differential_privacy: {epsilon: p}]",
        "whole and real draws",
    ),
    ("0 < p", RESPONSE + "checks: [renyi: {epsilon: p, order: 3/2}]", "integer orders"),
]


@each("interval, text, reason", UNDECIDED)
def test_what_is_not_decided(interval: str, text: str, reason: str, tmp_path: Path) -> None:
    (result,) = verify.run(str(written(tmp_path, interval, text)), Options())
    assert result.verdict == "undecided" and reason in (result.answer.reason or "")


BAD = [
    ("draw(laplace(0, 1/p**2))", "S803", "no multiple of 1 over a parameter"),
    ("draw(laplace(0, p))", "S803", "2/epsilon"),
    ("draw(exponential(1 + 1/p))", "S803", "2/epsilon"),
    ("draw(geometric(0, epsilon=p**2))", "S803", "epsilon/2"),
    ("draw(geometric(0, exp(p)))", "S320", "no power of the parameter"),
    ("draw(normal(0, 1/p))", "S803", "--set"),
    ("draw(laplace(0, 1/p)) + draw(laplace(0, 1))", "S804", "of e^p and of e"),
    ("draw(laplace(p, 1/p))", "S320", "irrational"),
]


@each("term, code, said", BAD)
def test_noise_that_has_another_parameter(term: str, code: str, said: str, tmp_path: Path) -> None:
    text = program(f"return a + {term} > 1") + "checks: [differential_privacy: {epsilon: p}]"
    with pytest.raises(InputError) as error:
        list(verify.run(str(written(tmp_path, "1 < p < 2", text)), Options()))
    assert error.value.code == code
    assert said in f"{error.value.message} {error.value.hint}"


def test_a_parameter_without_an_upper_end(tmp_path: Path) -> None:
    """Functions without powers of e, too; by hand: p up to 3."""
    text = TWO + "mechanism: {randomized_response: {truth: p/(1 + p)}}\n"
    text += "checks: [{differential_privacy: {exp_epsilon: 3}, expect: {holds: p <= 3}}]"
    for interval in ("1 <= p", "p >= 1"):
        (result,) = verify.run(str(written(tmp_path, interval, text)), Options())
        assert result.status == "ok" and result.note == "1 <= p"
        assert result.answer.curve is not None and result.answer.curve.violated == 4
