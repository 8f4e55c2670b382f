"""Several runs of mechanisms with powers of e: k responses at ε leak e^(kε), by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from verifier.base.exponential import power
from verifier.lab.repeated import compose
from verifier.run import verify

FILE = """\
worlds: {{records: [ann], domain: [0, 1]}}
mechanism: {{randomized_response: {{epsilon: 1/10}}}}
checks:
  - pufferfish: {{epsilon: 1, pairs: values, priors: {priors}}}
"""


@pytest.mark.parametrize("priors", ["all", "{list: [{iid: {0: exp(-1), 1: 1 - exp(-1)}}]}"])
def test_responses_leak_as_often_as_they_are_given(tmp_path: Path, priors: str) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(FILE.format(priors=priors))
    (setting,) = compose.run(str(path), verify.Options(), 3)
    for k, row in enumerate(setting.rows, 1):
        assert row.leakage.exp_epsilon == row.linear.exp_epsilon == power(Fraction(k, 10))
    assert len(setting.rows) == 3
    assert any("irrational" in reason for reason in setting.reasons)


def test_what_needs_rationals_is_undecided(tmp_path: Path) -> None:
    """Logarithms and inferences: told, and never an internal error."""
    path = tmp_path / "file.yaml"
    odd = "{list: [{iid: {0: exp(-1), 1: 1 - exp(-1)}}]}"
    asked = [
        "composition: {epsilon: 1, pairs: values, priors: {list: [uniform]}}",
        "distributional_privacy: {exp_epsilon: 3, priors: {list: [uniform]}, form: inference}",
        f"influence: {{exp_epsilon: 9, entries: 1, pairs: values, priors: {odd}}}",
    ]
    checks = "".join(
        f"  - {one}\n" + "    mechanism: told\n" * (not one.startswith("influence"))
        for one in asked
    )
    path.write_text(
        "worlds: {records: [ann, bob], domain: [0, 1]}\n"
        "mechanisms:\n"
        "  told: {randomized_response: {epsilon: 1}}\n"
        f"checks:\n{checks}"
    )
    for line, result in zip(asked, verify.check(path).results, strict=True):
        assert result.status == "undecided", (line, result.answer)
        assert "irrational" in (result.answer.reason or ""), (line, result.answer.reason)


@pytest.mark.parametrize("chance", ["exp(-1)", "37/100"])
def test_levels_that_do_not_add_up(chance: str, tmp_path: Path) -> None:
    """Both bits of bob are possible, whatever ann's is, as with any other chance."""
    path = tmp_path / "file.yaml"
    priors = f"{{list: [{{iid: {{0: {chance}, 1: 1 - {chance}}}}}]}}"
    path.write_text(
        "worlds: {records: [ann, bob], domain: [0, 1]}\n"
        f"checks: [{{universally_composable: {{pairs: values, priors: {priors}}}}}]\n"
    )
    (result,) = verify.check(path).results
    assert result.answer.verdict == "violated"
