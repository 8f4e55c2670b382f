"""The command search: what it prints is decided as it says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from verifier import cli
from verifier.base.errors import TimeLimitReached
from verifier.lab.search import violation

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]

HEAD = """
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
priors: {list: [uniform]}
mechanism: {randomized_response: {truth: $truth}}
checks:
"""


def written(tmp_path: Path, *checks: str) -> str:
    path = tmp_path / "spec.yaml"
    path.write_text(HEAD + "".join(f"  - {check}\n" for check in checks), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "check",
    [
        "differential_privacy: {exp_epsilon: 2}",
        "differential_privacy: {exp_epsilon: 2, delta: 1/10}",
        "metric_privacy: {exp_epsilon: 2, distance: hamming}",
        "pufferfish: {exp_epsilon: 2}",
        "pufferfish: {exp_epsilon: 2, priors: product}",
        "pufferfish: {epsilon: 1/2, priors: {constraints: ['P(ann == 0) in [1/4, 3/4]']}}",
        "composition: {exp_epsilon: 2}",
        "noiseless: {exp_epsilon: 5/2}",
    ],
)
def test_examples_of_violations_are_violations(check: str, tmp_path: Path, capsys: Capture) -> None:
    """One record is enough, and each file asks the same and meets its own expectations."""
    out = tmp_path / "found"
    spec = written(tmp_path, check)
    assert cli.main(["search", spec, "--set", "truth=1/2,3/4", "--out", str(out)]) == 0
    (found,) = out.iterdir()
    assert "truth = 3/4" in capsys.readouterr().out
    (asked,) = yaml.safe_load(text := found.read_text(encoding="utf-8"))["checks"]
    assert cli.main(["check", str(found)]) == 0
    keyword, _, options = check.partition(": ")
    assert asked[keyword] == yaml.safe_load(options)
    assert yaml.safe_load(text)["worlds"]["records"] in (["ann"], ["bob"])


def test_nothing_is_found_where_nothing_is_violated(tmp_path: Path, capsys: Capture) -> None:
    spec = written(tmp_path, "pufferfish: {exp_epsilon: 3}")
    assert cli.main(["search", spec, "--set", "truth=1/2,3/4"]) == 1
    assert "nothing found" in capsys.readouterr().err


def test_what_cannot_be_shown_is_said(tmp_path: Path, capsys: Capture) -> None:
    made = "{post_processing: {of: [m]}}"
    other = "{differential_privacy: {exp_epsilon: 2}}"
    spec = written(
        tmp_path, f"implies: {{if: {made}, then: {other}}}", "pufferfish: {exp_epsilon: 2}"
    )
    text = Path(spec).read_text(encoding="utf-8")
    Path(spec).write_text(
        text.replace("mechanism: {rand", "mechanisms:\n  m: {rand"), encoding="utf-8"
    )
    assert cli.main(["search", spec, "--set", "truth=3/4"]) == 3
    printed = capsys.readouterr()
    assert "of the file itself" in printed.err and "expect: violated" in printed.out


@pytest.mark.parametrize(
    "check",
    [
        "influence: {entries: 1, exp_epsilon: 2}",
        "composition: {exp_epsilon: 2, of: [one, other]}",
        "composition: {exp_epsilon: 2, sequence: [one, other]}",
        "metric_privacy: {exp_epsilon: 2, distance: l1, mechanism: one}",
    ],
)
def test_whatever_is_asked_stays_asked(check: str, tmp_path: Path) -> None:
    """Of influence, of several mechanisms, and of metrics with distances of more than 1."""
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    text = f"""
worlds: {{records: [ann, bob], domain: [0, 3]}}
pairs: values
priors: {{list: [{{worlds: {{"00": 3/8, "03": 1/8, "30": 1/8, "33": 3/8}}}}]}}
mechanisms: {{one: {{deterministic: ann}}, other: {{deterministic: count(value == 3)}}}}
checks:
  - {check.replace(", mechanism: one}", "}")}
"""
    text += "    mechanism: one\n" if "metric" in check else ""
    path.write_text(text, encoding="utf-8")
    assert cli.main(["search", str(path), "--out", str(out)]) == 0
    (found,) = out.iterdir()
    assert cli.main(["check", str(found)]) == 0
    assert check.partition(":")[0] + ":" in found.read_text(encoding="utf-8")


LARGE = """
worlds: {records: 3, domain: [0, 1, 2], where: [r1 >= r2, r2 >= r3]}
pairs: values
priors: PRIORS
mechanism: {geometric: {query: sum(value), exp_epsilon: 2}}
checks:
  - pufferfish: {exp_epsilon: 5/2}
"""


@pytest.mark.parametrize("priors", ["all", "product", "{list: [uniform]}"])
def test_the_class_of_priors_and_a_constraint_stay(priors: str, tmp_path: Path) -> None:
    """Records become fewer, and of two constraints one stays."""
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    path.write_text(LARGE.replace("PRIORS", priors), encoding="utf-8")
    assert cli.main(["search", str(path), "--out", str(out)]) == 0
    (found,) = out.iterdir()
    assert cli.main(["check", str(found)]) == 0
    tree = yaml.safe_load(found.read_text(encoding="utf-8"))
    assert tree["priors"] == yaml.safe_load(priors)
    assert tree["worlds"]["records"] in (["r1", "r2"], ["r2", "r3"])
    assert len(tree["worlds"]["where"]) == 1
    assert len(tree["worlds"]["domain"]) == 2


def test_worlds_stay_where_they_are_kept(tmp_path: Path) -> None:
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    text = LARGE.replace("records: 3", "records: 2").replace(", r2 >= r3", "")
    path.write_text(text.replace("PRIORS", "all"), encoding="utf-8")
    options = ["--keep", "worlds", "--out", str(out)]
    assert cli.main(["search", str(path), *options]) == 0
    (found,) = out.iterdir()
    tree = yaml.safe_load(found.read_text(encoding="utf-8"))
    assert tree["worlds"]["records"] == 2 and tree["worlds"]["domain"] == [0, 1, 2]
    assert len(tree["mechanism"]["table"]["outputs"]) == 2


def test_a_mechanism_of_the_check_itself_is_made_small(tmp_path: Path) -> None:
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    text = LARGE.replace("PRIORS", "all").replace("mechanism: {geo", "mechanisms:\n  m: {geo")
    path.write_text(text + "    mechanism: {deterministic: sum(value)}\n", encoding="utf-8")
    assert cli.main(["search", str(path), "--out", str(out)]) == 0
    (found,) = out.iterdir()
    (item,) = yaml.safe_load(found.read_text(encoding="utf-8"))["checks"]
    assert item["leakage"] == "infinite" and len(item["mechanism"]["table"]["outputs"]) == 2


def test_priors_are_conditioned_on_the_worlds_that_stay(tmp_path: Path) -> None:
    """Of a, b and c, c goes away: 1/4 and 1/2 become 1/3 and 2/3, and then 1/2 each."""
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    text = """
worlds: [a, b, c]
secrets: {s: [a], t: [b, c]}
pairs: [[s, t]]
priors: {list: [{worlds: {a: 1/4, b: 1/2, c: 1/4}}]}
mechanism: {table: {outputs: [x, y], a: [1, 0], b: [1/2, 1/2], c: [1/2, 1/2]}}
checks:
  - pufferfish: {exp_epsilon: 3/2}
"""
    path.write_text(text, encoding="utf-8")
    assert cli.main(["search", str(path), "--out", str(out)]) == 0
    (found,) = out.iterdir()
    tree = yaml.safe_load(found.read_text(encoding="utf-8"))
    (left,) = set(tree["worlds"]) - {"a"}
    assert tree["secrets"] == {"s": ["a"], "t": [left]}
    assert tree["priors"]["list"] == [{"worlds": {"a": "1/2", left: "1/2"}}]


def test_a_mechanism_separates_definitions(tmp_path: Path) -> None:
    """Two records that change at once need 4."""
    one = "{differential_privacy: {exp_epsilon: 2}}"
    every = "{differential_privacy: {exp_epsilon: 3, neighbours: all}}"
    spec, out = written(tmp_path, f"implies: {{if: {one}, then: {every}}}"), tmp_path / "found"
    assert cli.main(["search", spec, "--set", "truth=3/4", "--out", str(out)]) == 0
    (found,) = out.iterdir()
    assert cli.main(["check", str(found)]) == 0
    text = found.read_text(encoding="utf-8")
    assert "expect: violated" in text and text.count("mechanism: found") == 2


@pytest.mark.parametrize("given", ["other=1", "truth=1,2"])
def test_parameters_go_with_the_file(given: str, tmp_path: Path, capsys: Capture) -> None:
    spec = written(tmp_path, "pufferfish: {exp_epsilon: 2}")
    assert cli.main(["search", spec, "--set", given]) == 2
    assert "spec.yaml:" in capsys.readouterr().err


def test_all_values_of_a_parameter_are_tried(tmp_path: Path, capsys: Capture) -> None:
    spec = written(tmp_path, "pufferfish: {exp_epsilon: 2}")
    assert cli.main(["search", spec, "--set", "truth=3/4", "--set", "truth=1/2"]) == 0
    assert "truth = 3/4" in capsys.readouterr().out


@pytest.mark.parametrize(
    "check",
    [
        "differential_privacy: {exp_epsilon: a}",
        "zcdp: {rho: 1/3}",
        "renyi: {epsilon: 1/3, order: 5/2}",
    ],
)
def test_parameters_and_levels_stay(check: str, tmp_path: Path) -> None:
    """No value of a parameter, level or order is made rounder: another question would be asked."""
    text = HEAD.replace("$truth", "p") + f"  - {check}\nparameters: {{p: [1/2, 7/9], a: 5/2}}\n"
    (tmp_path / "spec.yaml").write_text(text, encoding="utf-8")
    out = tmp_path / "found"
    assert cli.main(["search", str(tmp_path / "spec.yaml"), "--out", str(out)]) == 0
    (found,) = out.iterdir()
    assert cli.main(["check", str(found)]) == 0
    tree = yaml.safe_load(found.read_text(encoding="utf-8"))
    assert tree["parameters"] == {"p": "7/9", "a": "5/2"}
    keyword, _, options = check.partition(": ")
    assert tree["checks"][0][keyword] == yaml.safe_load(options)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ("--goal prior --priors produkt", "--priors:1:1: S501"),
        ("--goal separate --checks 1 2 --over worlds=2", "--over:1:1: S603"),
    ],
)
def test_an_error_of_an_option_names_it(
    arguments: str, place: str, tmp_path: Path, capsys: Capture
) -> None:
    """Its place is no line of a file that the user has not written."""
    spec = written(
        tmp_path, "differential_privacy: {exp_epsilon: 2}", "pufferfish: {exp_epsilon: 2}"
    )
    assert cli.main(["search", spec, "--set", "truth=3/4", *arguments.split()]) == 2
    assert capsys.readouterr().err.startswith(place)


def test_a_file_is_no_directory_for_examples(tmp_path: Path, capsys: Capture) -> None:
    spec = written(tmp_path, "pufferfish: {exp_epsilon: 2}")
    assert cli.main(["search", spec, "--set", "truth=3/4", "--out", spec]) == 4
    printed = capsys.readouterr().err
    assert "S701 cannot write" in printed and "Traceback" not in printed


def test_a_collapse_is_found_and_decided(tmp_path: Path) -> None:
    out = tmp_path / "found"
    spec = written(tmp_path, "pufferfish: {exp_epsilon: 2}")
    arguments = ["search", spec, "--set", "truth=1/2", "--goal", "collapse", "--out", str(out)]
    status = cli.main(arguments)
    # two uniform bits, both protected: x_00 + x_01 = x_10 + x_11 and x_00 + x_10 = x_01 + x_11, so
    # x_00 = x_11 and x_01 = x_10: two outputs of a world with ann = 0 share a world with ann = 1
    assert status == 1
    Path(spec).write_text(
        Path(spec)
        .read_text(encoding="utf-8")
        .replace("pairs: values", "secrets: {yes: ann == 1, 'no': ann == 0}\npairs: [[yes, 'no']]"),
        encoding="utf-8",
    )
    assert cli.main(arguments) == 0
    (found,) = out.iterdir()
    assert cli.main(["check", str(found)]) == 0


def test_mechanisms_outside_a_row_cone_are_made_small(tmp_path: Path, capsys: Capture) -> None:
    """Rows of halves and quarters are enough: an output that is likelier in one world alone, by 3,
    is no mixture of the response's rows, which are likelier in its neighbours too."""
    one, cone = "{differential_privacy: {exp_epsilon: 3}}", "{row_cone: {of: [m]}}"
    spec, out = written(tmp_path, f"implies: {{if: {one}, then: {cone}}}"), tmp_path / "found"
    text = (
        Path(spec)
        .read_text(encoding="utf-8")
        .replace("mechanism: {rand", "mechanisms:\n  m: {rand")
    )
    Path(spec).write_text(text, encoding="utf-8")
    assert cli.main(["search", spec, "--set", "truth=3/4", "--out", str(out)]) == 0
    (found,) = out.iterdir()
    rows = found.read_text(encoding="utf-8").split("outputs:")[1].split("  m:")[0]
    assert {int(d) for d in re.findall(r"/(\d+)", rows)} == {2, 4}
    assert cli.main(["check", str(found)]) == 0


@pytest.mark.processes
@pytest.mark.parametrize("how", ["limit", "killed"])
def test_the_best_so_far_is_not_lost(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Where a limit ends the search after one step, and where its process is killed: for each
    choice of parameters a file with one record, which is as it expects."""
    whole = violation.shrunk

    def halted(*about: Any) -> Iterator[Any]:
        yield from islice(whole(*about), 2)
        if how == "killed":
            os.kill(os.getpid(), 9)
        raise TimeLimitReached("it is over")

    monkeypatch.setattr(violation, "shrunk", halted)
    spec, out = written(tmp_path, "pufferfish: {exp_epsilon: 2}"), tmp_path / "found"
    assert cli.main(["search", spec, "--set", "truth=3/4,4/5", "--out", str(out)]) == 3
    told = capsys.readouterr()
    for truth, path in zip(("3/4", "4/5"), sorted(out.iterdir()), strict=True):
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert len(found["worlds"]["records"]) == 1 and found["mechanism"] != {}
        assert f"pufferfish (truth = {truth}): the best so far: undecided: " in told.err
        assert cli.main(["check", str(path)]) == 0


RECORDS = "worlds: {records: 3, domain: [0, 1, 2]}\nmechanism: MECHANISM\n"
NOISY = "checks: [differential_privacy: {epsilon: 1}]\n"
PROGRAM = """
  program: |
    out = []
    for i in range(2):
        noise = draw(laplace(0, 1/3))
        out.append(world[i] + noise >= 1/2)
    return out
"""


@pytest.mark.parametrize(
    ("mechanism", "leakage"),
    [
        ("{randomized_response: {epsilon: 3/2}}", "e^(3/2)"),
        ("{geometric: {query: count(value == 1), epsilon: 5/4}}", "e^(5/4)"),
        ("{program: 'return count(value == 1) + draw(laplace(0, 1/2))'}", "e^2"),
        (PROGRAM, ""),
    ],
)
def test_noise_as_published_becomes_small(mechanism: str, leakage: str, tmp_path: Path) -> None:
    """One record of two values; a program loses what it does not need, and its file holds."""
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    path.write_text(RECORDS.replace("MECHANISM", mechanism) + NOISY, encoding="utf-8")
    assert cli.main(["search", str(path), "--out", str(out)]) == 0
    (found,) = out.iterdir()
    small = yaml.safe_load(text := found.read_text(encoding="utf-8"))
    assert len(small["worlds"]["records"]) == 1 and len(small["worlds"]["domain"]) == 2
    assert small["checks"][0].get("leakage") == leakage or not leakage
    assert cli.main(["check", str(found)]) == 0
    if not leakage:
        assert "range(1)" in text and "program: |" in text and text.count("draw") == 1


def test_lines_and_numbers_of_programs_go_one_by_one() -> None:
    found = list(violation._shorter("a = 3/4\nif a:\n    b = 1\nreturn a\n"))
    assert found[:5] == [
        "if a:\n    b = 1\nreturn a",
        "a = 3/4\nreturn a",
        "a = 3/4\nb = 1\nreturn a",
        "a = 3/4\nif a:\nreturn a",
        "a = 3/4\nif a:\n    b = 1",
    ]
    assert "a = 1\nif a:\n    b = 1\nreturn a\n" in found
    assert "a = 3/4\nif a:\n    b = 0\nreturn a\n" in found
