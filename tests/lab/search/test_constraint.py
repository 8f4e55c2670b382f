"""Constraints under which checks fail, and worst priors, by hand and by plain enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from verifier import cli

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]

COUNT = """
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
mechanism: {geometric: {query: count(value == 1), exp_epsilon: 2}}
checks:
  - CHECK
"""


def searched(tmp_path: Path, text: str, *options: str) -> tuple[int, dict[str, Any]]:
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    path.write_text(text, encoding="utf-8")
    status = cli.main(["search", str(path), "--out", str(out), *options])
    if not out.exists():
        return status, {}
    (found,) = out.iterdir()
    assert cli.main(["check", str(found)]) == 0
    return status, yaml.safe_load(found.read_text(encoding="utf-8"))


def test_independent_records_are_not_independent_under_a_constraint(tmp_path: Path) -> None:
    """The count of two bits with noise of ratio 1/2: without 00 the other record of a 0 is 1, so
    one value has count 1 and the other 1 or 2: 2 at most. Without 01, to learn that ann is 1
    may be to learn that both are: 4."""
    check = "pufferfish: {exp_epsilon: 2, priors: product}"
    status, found = searched(tmp_path, COUNT.replace("CHECK", check), "--goal", "constraint")
    assert status == 0
    assert found["worlds"]["where"] == ["ann != 0 or bob != 1"]
    assert found["checks"][0]["leakage"] == 4


def test_blowfish_privacy_is_not_enough_under_a_constraint(tmp_path: Path) -> None:
    """Without a constraint neighbours of any two worlds of a pair are in step; without one world,
    the neighbours 01 and 11, and 10 and 11, still are, but 01 and 10 may be 4 apart."""
    inner = "if: {blowfish: {exp_epsilon: 2, graph: full}}, then: {pufferfish: {exp_epsilon: 2, "
    check = f"implies: {{{inner}priors: {{list: [uniform]}}}}}}}}"
    status, found = searched(tmp_path, COUNT.replace("CHECK", check), "--goal", "constraint")
    assert status == 0 and len(found["worlds"]["where"]) == 1
    assert found["checks"][1]["expect"] == "violated"


def test_the_fewest_worlds_are_left_out(tmp_path: Path, capsys: Capture) -> None:
    """Likelihoods of one output under a uniform prior, at the level 2: the fewest of four worlds
    whose absence breaks it, by trying all."""
    rows = {"a": 2, "b": 4, "c": 5, "d": 9}  # twelfths

    def breaks(away: tuple[str, ...]) -> bool:
        left, right = ([rows[w] for w in side if w not in away] for side in ("ab", "cd"))
        if not left or not right:
            return False
        p, q = Fraction(sum(left), 12 * len(left)), Fraction(sum(right), 12 * len(right))
        return any(max(x / y, y / x) > 3 for x, y in ((p, q), (1 - p, 1 - q)))

    fewest = next(k for k in range(4) if any(map(breaks, combinations(rows, k))))
    table = ", ".join(f"{w}: [{x}/12, {12 - x}/12]" for w, x in rows.items())
    text = f"""
worlds: [a, b, c, d]
secrets: {{s: [a, b], t: [c, d]}}
pairs: [[s, t]]
priors: {{list: [uniform]}}
mechanism: {{table: {{outputs: [x, y], {table}}}}}
checks: [pufferfish: {{exp_epsilon: 3}}]
"""
    status, found = searched(tmp_path, text, "--goal", "constraint")
    assert status == 0 and len(found["worlds"]) == 4 - fewest
    assert breaks(tuple(set(rows) - set(found["worlds"])))
    tried = "constraints tried: 10; all that leave out fewer than 3 worlds"
    (tmp_path / "wide").mkdir()
    wide = text.replace("exp_epsilon: 3", "exp_epsilon: 9")
    assert searched(tmp_path / "wide", wide, "--goal", "constraint") == (1, {})
    assert tried in capsys.readouterr().err


def test_what_is_violated_already_needs_no_constraint(tmp_path: Path, capsys: Capture) -> None:
    check = "differential_privacy: {exp_epsilon: 3/2}"
    assert searched(tmp_path, COUNT.replace("CHECK", check), "--goal", "constraint")[0] == 3
    assert "without a further constraint" in capsys.readouterr().err


def test_records_that_may_be_absent(tmp_path: Path) -> None:
    """Two people of whom 11 is out: the constraint is a predicate about those present."""
    text = COUNT.replace("domain: [0, 1]}", "domain: [1], absent: true}")
    check = "pufferfish: {exp_epsilon: 2, pairs: presence, priors: product}"
    status, found = searched(tmp_path, text.replace("CHECK", check), "--goal", "constraint")
    assert status == 0 and found["checks"][0]["expect"] == "violated"


BITS = "pufferfish: {exp_epsilon: 3}"


@pytest.mark.parametrize(
    ("priors", "leakage"),
    [
        ("all", 4),  # both records are equal
        ("product", 2),  # one record changes
        # bob is equal to ann
        ('{constraints: ["P(bob == 1 | ann == 1) == 1", "P(bob == 1 | ann == 0) == 0"]}', 4),
        ('{list: [{worlds: {"00": 1/2, "10": 1/2}}]}', 2),
    ],
)
def test_the_worst_prior_of_a_class(priors: str, leakage: int, tmp_path: Path) -> None:
    options = ("--goal", "prior", "--priors", priors)
    status, found = searched(tmp_path, COUNT.replace("CHECK", BITS), *options)
    assert status == 0 and found["checks"][0]["leakage"] == leakage
    assert len(found["priors"]["list"]) == 1


def test_no_prior_where_nothing_leaks(tmp_path: Path, capsys: Capture) -> None:
    text = COUNT.replace("CHECK", BITS).replace("count(value == 1)", "count(value == 5)")
    assert searched(tmp_path, text, "--goal", "prior")[0] == 3
    assert "no prior of the class" in capsys.readouterr().err


def test_what_is_no_class_of_priors_is_said(tmp_path: Path, capsys: Capture) -> None:
    text = COUNT.replace("CHECK", BITS)
    assert searched(tmp_path, text, "--goal", "prior", "--priors", "prodcut")[0] == 2
    assert "S501" in capsys.readouterr().err
