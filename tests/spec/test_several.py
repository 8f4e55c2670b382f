"""Checks with several real parameters: what they are about, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.base.errors import InputError
from verifier.questions.evidence import PointEvidence
from verifier.run import verify
from verifier.run.verify import Options, Result

HEAD = """
parameters: {p: 1/2 < p < 1, q: 0 <= q <= 1/4, r: 0 < r < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [x, y], 0: [p, 1 - p], 1: [1 - p + q/8, p - q/8]}}
checks:
"""


def results(path: Path, *checks: str, head: str = HEAD) -> list[Result]:
    file = path / "a.yaml"
    file.write_text(head + "".join(f"  - {check}\n" for check in checks))
    return list(verify.run(str(file), Options()))


def told(result: Result) -> tuple[str, str | None]:
    return result.verdict, result.answer.reason


def test_conditions(tmp_path: Path) -> None:
    level = "{differential_privacy: {exp_epsilon: 5*p/(4 - 4*p)}, where: "
    found = results(
        tmp_path,
        level + "p <= 3/4}",
        level + "p <= 3/4 or q < 1/8}",
        level + "[p*q < 1/8, 3/5 < p < 4/5]}",
        level + "p > 1 or q <= 0}",
        level + "1 < 2}",
        level + "2*p**2 <= 1}",
    )
    assert {result.verdict for result in found} == {"holds"}
    assert [result.note for result in found] == [
        "1/2 < p <= 3/4, 0 <= q <= 1/4",
        "1/2 < p <= 3/4, 0 <= q <= 1/4",
        "1/2 < p < 1, 0 <= q < 1/8",
        "3/5 < p < 4/5, 0 <= q <= 1/4, 1 - 8*p*q > 0",
        "1/2 < p < 1, q = 0",
        "1/2 < p < 1, 0 <= q <= 1/4",
        "1/2 < p < 1, 0 <= q <= 1/4, 1 - 2*p^2 >= 0",
    ]


def test_a_check_takes_the_parameters_that_it_speaks_of(tmp_path: Path) -> None:
    head = HEAD.replace(" + q/8", "").replace(" - q/8", "")
    one, two = results(
        tmp_path,
        "{differential_privacy: {exp_epsilon: p/(1 - p)}, leakage: p/(1 - p)}",
        "{differential_privacy: {exp_epsilon: p/(1 - p) + r}}",
        head=head,
    )
    assert one.status == two.status == "ok"
    assert one.answer.curve is not None and two.answer.curve is None
    assert two.note == "1/2 < p < 1, 0 < r < 1"


THREE = """
parameters: {p: 1/4 < p < 1, q: 1/2 <= q < 1, r: 1/2 < r < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [a, b], 0: [p, 1 - p], 1: [1 - r, r]}}
checks:
"""


@pytest.mark.parametrize("where", ["p + q <= 1", "p + q > 31/16", "15/16 < p*q"])
def test_values_are_found_on_each_face_and_in_narrow_corners(where: str, tmp_path: Path) -> None:
    """Next to p + q = 1 functions are equal by accident, on the face q = 1/2 on one side only; of
    simple values none is in the corner. At p = 1/2, r = 3/4 the ratio of a is 2, above 3/2; at
    p = q = 63/64, r = 3/4 it is 63/16."""
    (found,) = results(
        tmp_path, f"{{differential_privacy: {{exp_epsilon: 1 + q}}, where: {where}}}", head=THREE
    )
    assert found.verdict == "violated" and found.answer.proof is not None
    evidence = found.answer.proof.witness
    assert isinstance(evidence, PointEvidence)
    p, q, r = evidence.point
    assert max(p / (1 - r), (1 - p) / r, (1 - r) / p, r / (1 - p)) > 1 + q
    assert eval(where, {"p": p, "q": q})


UNDECIDED = [
    ("{differential_privacy: {exp_epsilon: 3}, where: p**2 + q**2 == 1/2}", "not solved"),
    ("{differential_privacy: {exp_epsilon: 3}, expect: {holds: p <= 3/4}}", "one parameter"),
    ("{differential_privacy: {exp_epsilon: 3}, leakage: p/(1 - p)}", "one parameter"),
]


@pytest.mark.parametrize(("check", "reason"), UNDECIDED)
def test_what_is_not_decided(check: str, reason: str, tmp_path: Path) -> None:
    (result,) = results(tmp_path, check)
    assert result.verdict == "undecided" and reason in (result.answer.reason or "")


@pytest.mark.parametrize("where", ["2 < 1", "p < q", "p > 1", "p*q > 1/4"])
def test_conditions_without_a_value(where: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        results(tmp_path, f"{{differential_privacy: {{exp_epsilon: 3}}, where: {where}}}")
    assert error.value.code == "S805" and "no values of p and q" in error.value.message


def test_too_many_parameters(tmp_path: Path) -> None:
    names = "abcdfg"
    head = (
        f"parameters: {{{', '.join(f'{x}: 0 < {x} < 1' for x in names)}}}\n"
        "worlds: {records: [ann], domain: [0, 1]}\n"
        "mechanism: {randomized_response: {truth: 3/4}}\nchecks:\n"
    )
    check = f"{{differential_privacy: {{exp_epsilon: 3 + {' + '.join(names)}}}}}"
    (result,) = results(tmp_path, check, head=head)
    assert told(result) == ("undecided", "6 real parameters in one check, over 5")


def test_a_level_that_is_not_one_everywhere(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        results(tmp_path, "{differential_privacy: {exp_epsilon: 1/(p - 2*q - 1/4)}}")
    assert error.value.code == "S601" and "for p = " in error.value.message
    with pytest.raises(InputError) as error:
        results(tmp_path, "{differential_privacy: {exp_epsilon: exp(p*q)}}")
    assert error.value.code == "S804"
    with pytest.raises(InputError) as error:
        results(tmp_path, "{differential_privacy: {epsilon: p*q}}")
    assert error.value.code == "S803"
    with pytest.raises(InputError) as error:
        results(tmp_path, "{differential_privacy: {epsilon: 1}}")
    assert error.value.code == "S804" and "exp_epsilon: 3" in error.value.hint
    (result,) = results(tmp_path, "{zcdp: {rho: 1}}")
    said = "with a parameter there is no method for zcdp; --set gives it a value"
    assert told(result) == ("undecided", said)


def test_probabilities_that_leave_the_unit_interval(tmp_path: Path) -> None:
    head = HEAD.replace("q/8", "4*q")
    with pytest.raises(InputError) as error:
        results(tmp_path, "{differential_privacy: {exp_epsilon: 3}}", head=head)
    assert error.value.code == "S104"
    check = (
        "{differential_privacy: {exp_epsilon: 3}, where: [4*q <= p, p <= 3/4], expect: violated}"
    )
    assert results(tmp_path, check, head=head)[0].status == "ok"


def test_programs_that_compare(tmp_path: Path) -> None:
    """Which branch is taken depends on the parameters: with `where` there is one."""
    head = HEAD.split("mechanism:")[0] + (
        "mechanism:\n  program: |\n    if p > 3*q:\n      return draw(bernoulli(1 - p))\n"
        "    return ann\nchecks:\n"
    )
    level = "{differential_privacy: {exp_epsilon: 3}"
    (result,) = results(tmp_path, f"{level}}}", head=head)
    assert result.verdict == "undecided" and "p - 3*q" in (result.answer.reason or "")
    (result,) = results(tmp_path, f"{level}, where: p > 3*q}}", head=head)
    assert result.verdict == "holds"


def test_draws_of_two_parameters(tmp_path: Path) -> None:
    head = HEAD.split("mechanism:")[0] + (
        "mechanism:\n  program: |\n    return floor(draw(geometric(ann, r*q)))\nchecks:\n"
    )
    with pytest.raises(InputError) as error:
        results(tmp_path, "{differential_privacy: {exp_epsilon: 3}}", head=head)
    assert error.value.code == "S320"


def test_fixing_all_but_one(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        HEAD + "  - {differential_privacy: {exp_epsilon: 3}, expect: {holds: p <= 3/4}}\n"
    )
    (result,) = verify.check(file, values={"q": ["0"]}).results
    assert result.status == "ok" and result.answer.curve is not None
