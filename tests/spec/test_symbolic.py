"""A check over an interval of its parameter, against the same file at single values of it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.drawing import wider
from verifier.base import document
from verifier.base.cell import Root
from verifier.base.errors import InputError
from verifier.base.parameters import given
from verifier.run import verify
from verifier.run.verify import Options, Result
from verifier.spec.parameters import choices

CHAIN = """\
worlds: {records: [ann, bob, cat], domain: [0, 1]}
secrets: {bob_yes: bob == 1, bob_no: bob == 0}
pairs: [[bob_yes, bob_no]]
priors:
  list:
    - markov: {initial: stationary, transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}}
mechanism: {randomized_response: {truth: p}}
checks:
  - pufferfish: {exp_epsilon: 3}
    expect: {holds: 124*p**3 - 400*p**2 + 583*p - 243 <= 0}
"""
BRANCHES = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism:
  program: |
    if 2*p**2 > 1 or p == 1/3:
      noise = draw(bernoulli(p))
    else:
      noise = draw(bernoulli(max(p, 1/2)))
    return (ann + noise) % 2
checks:
  - differential_privacy: {exp_epsilon: 3}
"""
PRIOR = """\
worlds: [a, b, c]
secrets: {s: [a], t: [b, c]}
pairs: [[s, t]]
mechanism: {table: {outputs: [x, y], a: [1/2, 1/2], b: [p, 1 - p], c: [1/4, 3/4]}}
checks:
  - pufferfish:
      exp_epsilon: 2 + p
      priors:
        list: [{worlds: {a: 1/3, b: (2*p**2 - 1)**2/3, c: 2/3 - (2*p**2 - 1)**2/3}}]
"""
DELTA = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {repeat: {of: {randomized_response: {truth: p}}, runs: 2}}
checks:
  - differential_privacy: {exp_epsilon: 2, delta: 1/10 + p/20, group: 2}
"""
SPARSE = """\
worlds: {records: [q1, q2], domain: [0, 1]}
mechanism:
  program: |
    threshold = draw(geometric(0, p**2))
    if q1 + draw(geometric(0, p)) >= threshold:
      return 1
    if q2 + draw(geometric(0, p)) >= threshold:
      return 2
    return 0
checks:
  - differential_privacy: {exp_epsilon: 1/p**2, neighbours: all}
"""
FILES = {
    "sparse": ("0 < p < 1", SPARSE),
    "chain": ("1/2 < p < 1", CHAIN),
    "branches": ("0 < p < 1", BRANCHES),
    "prior": ("0 < p < 1", PRIOR),
    "delta": ("1/2 < p < 1", DELTA),
}
VALUES = [Fraction(k, 23) for k in range(1, 23)]
VALUES += [Fraction(1, 3), Fraction(1, 2), Fraction(70710678118, 10**11), Fraction(3, 4)]


def written(tmp_path: Path, parameters: str, text: str) -> Path:
    path = tmp_path / "spec.yaml"
    path.write_text(f"parameters: {{p: {parameters}}}\n{text}", encoding="utf-8")
    return path


def at(path: Path, x: Fraction) -> list[Result]:
    """The results of the file with p fixed."""
    top = document.load(path)
    (choice,) = choices(top, path.read_text(encoding="utf-8"), {"p": [str(x)]})
    with given(choice):
        return list(verify.run(str(path), Options()))


@pytest.mark.parametrize("name", FILES)
def test_the_region_says_what_the_file_says_at_each_value(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, *FILES[name])
    (result,) = verify.run(str(path), Options())
    curve = result.answer.curve
    assert curve is not None and result.status != "internal"
    for x in VALUES:
        if not curve.domain.has(x):
            continue
        (single,) = at(path, x)
        assert curve.region.has(x) == (single.verdict == "holds"), x
        leakage, stretch = single.leakage, curve.at(x)
        if leakage is not None and name != "delta":
            assert stretch.is_infinite == leakage.infinite, x
            assert leakage.infinite or stretch.at(x) == leakage.exp_epsilon, x


def test_a_known_answer(tmp_path: Path) -> None:
    """The middle record of a chain (Pufferfish, Theorem 6.2), by hand: 512/243 and 2023/432."""
    (result,) = verify.run(str(written(tmp_path, "1/2 < p < 1", CHAIN)), Options())
    assert result.status == "ok" and result.verdict == "violated"
    curve = result.answer.curve
    assert curve is not None
    (interval,) = curve.region.intervals
    assert isinstance(interval.high, Root) and interval.high.polynomial == (-243, 583, -400, 124)
    low, high = interval.high.enclosed(Fraction(1, 10**10))
    assert low < Fraction("0.6454570406") + Fraction(1, 10**10) and high > Fraction("0.6454570406")
    assert curve.at(Fraction(3, 5)).at(Fraction(3, 5)) == Fraction(512, 243)
    assert curve.at(Fraction(7, 10)).at(Fraction(7, 10)) == Fraction(2023, 432)


def sparse(queries: int, level: int) -> str:
    """The sparse vector with so many queries, of which all may change, at level p^-`level`."""
    names = [f"q{i + 1}" for i in range(queries)]
    asks = [f"    if {q} + draw(geometric(0, p)) >= t:\n      return {q!r}" for q in names]
    return "\n".join(
        [
            f"worlds: {{records: [{', '.join(names)}], domain: [0, 1]}}",
            "mechanism:\n  program: |\n    t = draw(geometric(0, p**2))",
            *asks,
            "    return 'none'",
            f"checks: [{{differential_privacy: {{exp_epsilon: 1/p**{level}, neighbours: all}}}}]",
        ]
    )


@pytest.mark.parametrize(
    ("queries", "level", "holds"),
    [(2, 2, True), (3, 3, True), (3, 2, False), (4, 3, False), (4, 4, True)],
)
def test_the_sparse_vector_for_every_epsilon(
    queries: int, level: int, holds: bool, tmp_path: Path
) -> None:
    """Known: with ratios x² and x the level x^-4 holds for every x, x^-3 for up to three queries
    only, x^-2 for up to two."""
    path = written(tmp_path, "0 < p < 1", sparse(queries, level))
    (result,) = verify.run(str(path), Options())
    assert (result.verdict == "holds") == holds


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("draw(geometric(0, p))", "draw(geometric(0, epsilon=1))", "S804"),
        ("draw(geometric(0, epsilon=1))", "draw(geometric(0, p))", "S804"),
        ("draw(geometric(0, 2*p))", "0", "S320"),
        ("draw(geometric(0, p + 1))", "0", "S320"),
    ],
)
def test_draws_with_other_ratios(first: str, second: str, code: str, tmp_path: Path) -> None:
    program = f"    x = {first}\n    y = {second}\n    return x >= y\n"
    text = f"worlds: [a, b]\nmechanism:\n  program: |\n{program}"
    text += "checks: [{differential_privacy: {exp_epsilon: 9, neighbours: all}}]"
    with pytest.raises(InputError) as error:
        list(verify.run(str(written(tmp_path, "0 < p < 1", text)), Options()))
    assert error.value.code == code


RESPONSE = (
    "worlds: {records: 2, domain: [0, 1]}\nmechanism: {randomized_response: {truth: TRUTH}}\n"
)


def response(check: str, truth: str = "p") -> str:
    return f"{RESPONSE.replace('TRUTH', truth)}checks:\n  - {check}\n"


@pytest.mark.parametrize(
    ("check", "status"),
    [
        ("{differential_privacy: {exp_epsilon: p/(1 - p)}}", "ok"),
        ("{differential_privacy: {exp_epsilon: 3}}", "failed"),
        ("{differential_privacy: {exp_epsilon: 3}, expect: violated}", "ok"),
        ("{differential_privacy: {exp_epsilon: 3}, expect: {holds: p <= 3/4}}", "ok"),
        ("{differential_privacy: {exp_epsilon: 3}, expect: {holds: p < 3/4}}", "failed"),
        ("{differential_privacy: {exp_epsilon: 3}, where: p <= 3/4}", "ok"),
        ("{differential_privacy: {exp_epsilon: 3}, where: p == 3/4, leakage: 3}", "ok"),
        ("{differential_privacy: {exp_epsilon: 3}, where: p <= 3/4, leakage: p/(1 - p)}", "ok"),
        ("{differential_privacy: {exp_epsilon: 9}, where: p < 9/10, leakage: 3}", "failed"),
        ("{differential_privacy: {exp_epsilon: 9}, where: p < 9/10, leakage: infinite}", "failed"),
        (
            "{differential_privacy: {exp_epsilon: 3}, where: p <= 3/4, "
            "leakage: [[p < 2/3, p/(1 - p)], [p >= 2/3, -1 + 1/(1 - p)]]}",
            "ok",
        ),
    ],
)
def test_what_is_expected_over_an_interval(check: str, status: str, tmp_path: Path) -> None:
    path = written(tmp_path, "1/2 < p < 1", response(check))
    assert [result.status for result in verify.run(str(path), Options())] == [status]


def test_where_may_leave_several_intervals_each_a_result(tmp_path: Path) -> None:
    check = "{differential_privacy: {exp_epsilon: 3}, where: p < 3/5 or p == 2/3 or p > 5/6, "
    path = written(tmp_path, "1/2 < p < 1", response(f"{check}expect: {{holds: p < 4/5}}}}"))
    found = list(verify.run(str(path), Options()))
    assert [one.verdict for one in found] == ["holds", "holds", "violated"]
    assert [one.note for one in found] == ["1/2 < p < 3/5", "p = 2/3", "5/6 < p < 1"]
    assert all(one.status == "ok" for one in found)


def test_a_check_without_the_parameter_is_decided_once(tmp_path: Path) -> None:
    text = response("{differential_privacy: {exp_epsilon: 3}}", "3/4")
    (result,) = verify.run(str(written(tmp_path, "1/2 < p < 1", text)), Options())
    assert result.answer.curve is None and result.leakage is not None
    assert result.leakage.exp_epsilon == 3 and result.status == "ok" and result.note == ""


AT_3 = "{differential_privacy: {exp_epsilon: 3}}"
MEANINGLESS = [
    (response(AT_3, "p + 1/4"), "S104", "for p"),
    (response(AT_3, "1/p"), "S104", "for p"),
    (response("{differential_privacy: {exp_epsilon: 2*p}}"), "S601", "for p"),
    (response("{differential_privacy: {epsilon: 1/p}}"), "S803", "exp_epsilon"),
    (response(AT_3, "exp(-p**2)"), "S804", "exponent"),
    (response(AT_3).replace("records: 2", "records: p"), "S205", "no number of records"),
    (response(AT_3).replace("[0, 1]", "[0, p]"), "S803", "size or a value"),
    (response("{differential_privacy: {exp_epsilon: 3}, where: p}"), "S805", "no comparison"),
    (response("{differential_privacy: {exp_epsilon: 3}, leakage: [1, 2]}"), "S607", "pieces"),
    (
        response("{differential_privacy: {exp_epsilon: 3}, where: p < 1/3 and p > 2/3}"),
        "S805",
        "no",
    ),
]
DRAWS = """
worlds: {records: [ann], domain: [0, 1]}
mechanisms:
  one: {program: "return draw(geometric(ann, p)) >= 1"}
  other: {program: "return draw(geometric(ann, epsilon=1)) >= 1"}
checks:
  - {differential_privacy: {exp_epsilon: 1/p}, mechanism: one}
  - {differential_privacy: {epsilon: 1}, mechanism: other}
"""


def test_draws_with_p_and_with_e_in_different_mechanisms(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        list(verify.run(str(written(tmp_path, "0 < p < 1", DRAWS)), Options()))
    assert error.value.code == "S804" and "for p" not in error.value.message
    assert "such as exp(p/2)" in error.value.hint


BESIDE_E = """
worlds: {records: [ann], domain: [0, 1]}
mechanisms:
  kept: {randomized_response: {truth: p}}
  told: {mixture: [{weight: p, mechanism: at_e}, {weight: 1 - p, mechanism: nothing}]}
  at_e: {randomized_response: {truth: exp(1)/(1 + exp(1))}}
  nothing: {randomized_response: {truth: 1/2}}
  fixed:
    program: |
      return ann + draw(laplace(0, 2)) >= 1/2
checks:
  - differential_privacy: {epsilon: 1}
    mechanism: kept
    where: p >= 1/2
    expect: {holds: p <= e/(1 + e)}
    leakage: p/(1 - p)
  - {differential_privacy: {exp_epsilon: 3}, mechanism: kept, where: p > 1/2 and p < exp(-1/3)}
  - differential_privacy: {exp_epsilon: 2, delta: 0}
    mechanism: told
    expect: {holds: "p <= (1 + e)/(3*(e - 1))"}
    leakage: (1 + e + p*(e - 1))/(1 + e - p*(e - 1))
  - differential_privacy: {exp_epsilon: 1 + p}
    mechanism: fixed
    expect: {holds: p >= 2*(exp(1/4) - 1)}
    leakage: 2*exp(1/4) - 1
  - {pufferfish: {epsilon: 1, pairs: values, priors: product}, mechanism: kept, where: p >= 1/2,
     expect: {holds: p <= e/(1 + e)}}
  - bounded_range: {epsilon: 1}
    mechanism: told
    expect: {holds: "p <= (exp(1/2) - 1)*(e + 1)/((exp(1/2) + 1)*(e - 1))"}
"""
NOISE_BESIDE_E = """
worlds: {records: [ann], domain: [0, 1]}
mechanism: {program: "return ann + draw(laplace(0, 1/p)) >= 1/2"}
checks:
  - {differential_privacy: {epsilon: 1/4}, expect: {holds: exp(p/2) <= (1 + exp(1/4))/2}}
  - {differential_privacy: {exp_epsilon: 2*exp(1/3) - 1}, expect: {holds: p <= 2/3}}
"""


@pytest.mark.parametrize("text", [BESIDE_E, NOISE_BESIDE_E])
def test_powers_of_e_beside_a_parameter(text: str, tmp_path: Path) -> None:
    """By hand. Randomized response keeps p/(1 − p). With probability p the bit is told at level e,
    else a coin: yes has the probabilities 1/2 ± p·(e − 1)/(2·(e + 1)). Noise of scale b, compared
    with 1/2, keeps 2·e^(1/(2b)) − 1."""
    found = list(verify.run(str(written(tmp_path, "0 < p < 1", text)), Options()))
    assert all(one.status == "ok" and one.certificate for one in found), found


@pytest.mark.parametrize("seed", range(2, 2 + wider(4, 38)))
def test_what_is_said_beside_e_is_so_at_single_values(seed: int, tmp_path: Path) -> None:
    """Where it holds, and the smallest level, as the file says with each value in its place."""
    draw = Random(seed)
    terms = ["p", "1/3", "exp(-1)", "exp(1/2)/4", "p*exp(-p)", "p*exp(-1/3)", "(1 - p)/3"]
    weights = [[f"({draw.choice(terms)} + {draw.choice(terms)})" for _ in "01"] for _ in "ab"]
    rows = [[f"{one}/({' + '.join(row)})" for one in row] for row in weights]
    level = draw.choice(["epsilon: 1/2", "epsilon: 1", "exp_epsilon: 1 + p*exp(1/4)"])
    delta = draw.choice(["0", "0", "1/10", "exp(-2)/2"])
    text = (
        f"worlds: [a, b]\nmechanism: {{table: {{outputs: [x, y], a: [{', '.join(rows[0])}], "
        f"b: [{', '.join(rows[1])}]}}}}\nchecks:\n"
        f"  - {{differential_privacy: {{{level}, delta: {delta}, neighbours: all}}}}\n"
    )
    path = written(tmp_path, "0 < p < 1", text)
    (found,) = verify.run(str(path), Options())
    assert found.answer.curve is not None and found.certificate is not None, found.answer.reason
    for x in (Fraction(k, 17) for k in range(1, 17, 3)):
        (single,) = verify.check(path, values={"p": [str(x)]}).results
        assert found.answer.curve.region.has(x) == (single.verdict == "holds")
        assert single.leakage is not None
        if single.leakage.exp_epsilon is not None:
            assert found.answer.curve.at(x).at(x) == single.leakage.exp_epsilon


def test_an_asserted_power_of_e_is_no_function(tmp_path: Path) -> None:
    """Neither e nor p/(1 − p) + e is what is found; a check without p may leak e."""
    check = "{differential_privacy: {exp_epsilon: 9}, where: p < 9/10, leakage: exp(1)}"
    (result,) = verify.run(str(written(tmp_path, "1/2 < p < 1", response(check))), Options())
    assert result.status == "failed" and "expected the leakage e" in (result.mismatch or "")


@pytest.mark.parametrize(("text", "code", "said"), MEANINGLESS)
def test_what_has_no_meaning_for_some_value(
    text: str, code: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        list(verify.run(str(written(tmp_path, "0 < p < 1", text)), Options()))
    assert error.value.code == code
    assert said in error.value.message


A_CHAIN = (
    "priors: {a: {markov: {initial: {0: 1/2, 1: 1/2}, "
    "transition: {0: {0: 1/4, 1: 3/4}, 1: {0: 1/4, 1: 3/4}}}}}\n"
)
CONSTANT = [  # errors that no value of the parameter makes or mends
    ("{renyi: {order: 1/2, exp_epsilon: 3}}", "", "S604"),
    ("{renyi: {order: 1/2, exp_epsilon: p + 2}, where: p < 1/2 or p > 2/3}", "", "S604"),
    ("{pufferfish: {exp_epsilon: 3, pairs: values, priors: a}}", A_CHAIN, "S501"),
]


@pytest.mark.parametrize("interval", ["1/3 < p < 1", "1/3 < p < 1, q: 1/2 < q < 1"])
@pytest.mark.parametrize(("check", "more", "code"), CONSTANT)
def test_an_error_of_all_values_names_none(
    interval: str, check: str, more: str, code: str, tmp_path: Path
) -> None:
    """Neither the value at which it was found, nor that such values may be left out."""
    text = more + response(check, "p" if "q" not in interval else "(p + q)/2")
    with pytest.raises(InputError) as error:
        list(verify.run(str(written(tmp_path, interval, text)), Options()))
    assert error.value.code == code
    assert "for p" not in error.value.message and "where" not in error.value.hint


def test_an_error_of_some_values_names_one(tmp_path: Path) -> None:
    """A secret has probability 0 at p = 1 alone; what tells it does not name p."""
    text = """
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: 1/2 + p/4}}
secrets: {no: ann == 0, yes: ann == 1}
pairs: [[no, yes]]
priors: {list: [{worlds: {0: (1 - p)/2, 1: (1 + p)/2}}]}
checks: [{pufferfish: {exp_epsilon: 9}}]
"""
    with pytest.raises(InputError) as error:
        list(verify.run(str(written(tmp_path, "1/2 < p <= 1", text)), Options()))
    assert error.value.code == "S403" and "where" in error.value.hint
    assert error.value.message.endswith("under every prior, for p = 1")


def test_where_excludes_what_has_no_meaning(tmp_path: Path) -> None:
    check = "{differential_privacy: {exp_epsilon: 9}, where: 1/4 <= p <= 3/5}"
    path = written(tmp_path, "0 < p < 1", response(check, "p + 1/4"))
    assert [result.status for result in verify.run(str(path), Options())] == ["ok"]
