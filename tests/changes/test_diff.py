"""`verifier diff` on real repositories, folders and reports: statuses, exit statuses, files."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as tree

import pytest

from tests.pace import PATIENCE
from verifier import cli
from verifier.changes.gate import Changed, Entry, undecided
from verifier.changes.lines import Line
from verifier.questions.answer import Answer
from verifier.questions.question import Question
from verifier.report.diff import finding
from verifier.report.findings import Document
from verifier.report.formats import FORMATS
from verifier.run import verify

pytestmark = pytest.mark.usefixtures("here")
Capture = pytest.CaptureFixture[str]
HEAD = """\
worlds: {{records: [ann, bob], domain: [0, 1]}}
mechanism: {{randomized_response: {{truth: {}}}}}
"""
HELD = "  - name: held\n    differential_privacy: {exp_epsilon: 4}\n"
UNDECIDED = """\
  - implies: {if: {differential_privacy: {epsilon: 1}}, then: {differential_privacy: {epsilon: 2}}}
"""
SUN = """\
worlds: [sun, rain]
mechanism: %s
checks:
  - differential_privacy: {exp_epsilon: 9, neighbours: all}
"""
CSV = SUN % "{csv: table.csv}"
PYTHON = SUN % "{python: {file: noise.py, function: noise}}"
NOISE = """\
from fractions import Fraction


def noise(world):
    p = Fraction({}, 4)
    return {{"a": p, "b": 1 - p}} if world == "sun" else {{"a": 1 - p, "b": p}}
"""


def spec(truth: str = "3/4", checks: str = HELD) -> str:
    """A file about randomized response, of which the smallest e^ε is truth / (1 - truth)."""
    return f"{HEAD.format(truth)}checks:\n{checks}"


def git(*arguments: str) -> str:
    """Run git in the current folder."""
    person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = subprocess.run(["git", *person, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def commit(**texts: str | None) -> None:
    """Write files, or remove those without a text, and commit all."""
    save(texts)
    git("add", "--all")
    git("commit", "--quiet", "--message=next", "--allow-empty")


def save(texts: Any) -> None:
    for name, text in texts.items():
        path = Path(name)
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, which is the current folder; and no others count."""
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    git("init", "--quiet", "--initial-branch=main")
    return folder


class Told:
    """What `diff` has told: its exit status, its report, and what stands on standard error."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err
        self.report: dict[str, Any] = json.loads(out)

    @property
    def changes(self) -> dict[str, str]:
        """The status of each change, by the label of its check."""
        return {change["label"]: change["status"] for change in self.report["changes"]}

    @property
    def files(self) -> set[str]:
        return {change["file"] for change in self.report["changes"]}


@pytest.fixture
def diff(
    capsys: Capture, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Told]:
    """Runs the command, and looks that it leaves nothing behind."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    def run(*arguments: str) -> Told:
        capsys.readouterr()
        status = cli.main(["diff", *arguments, "--format", "json"])
        assert list(folder.iterdir()) == []
        return Told(status, *capsys.readouterr())

    return run


Diff = Callable[..., Told]


@pytest.mark.parametrize(
    ("before", "after", "expected", "status"),
    [
        (spec("3/4"), spec("4/5"), "leaks more", 1),  # 3 -> 4, still at most 4
        (spec("3/4"), spec("5/6"), "leaks more", 1),  # 3 -> 5, violated
        (spec("3/4"), spec("2/3"), "leaks less", 0),  # 3 -> 2
        (spec(), spec(checks=HELD.replace("4}", "5}")), "promises less", 1),
        (spec(), spec(checks=HELD.replace("4}", "3}")), "promises more", 0),
        (spec(), spec(checks=HELD + "    expect: violated\n"), "not kept", 1),  # it holds
        (spec(), spec(checks=HELD.replace("4}", "1/2}")), "error", 2),
        (spec(checks=HELD.replace("4}", "4, neighbours: all}")), spec(), "promises less", 1),
        (spec(checks=HELD + "    leakage: 3\n"), spec(), "promises less", 1),
        (
            spec(checks=HELD + "    leakage: [2, 3]\n"),
            spec(checks=HELD + "    leakage: 3\n"),
            "promises more",
            0,
        ),
    ],
)
def test_every_status(
    repository: Path, diff: Diff, before: str, after: str, expected: str, status: int
) -> None:
    commit(**{"a.yaml": before})
    commit(**{"a.yaml": after})
    told = diff("HEAD~1", "HEAD")
    assert told.status == status
    if expected != "error":
        assert told.changes == {"held": expected}


def test_nothing_has_changed(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec(), "b.json": json.dumps({"worlds": [], "checks": []})})
    told = diff("HEAD")
    assert (told.status, told.report["changes"]) == (0, [])
    assert told.report["summary"] == {"unchanged files": 2}
    Path("a.yaml").write_text(f"# a comment\n{spec()}")
    told = diff("HEAD")
    assert (told.status, told.report["changes"]) == (0, [])
    assert told.report["summary"] == {"same": 1, "unchanged files": 1}


def test_what_leaks_more_is_told_with_numbers_and_the_payoff(repository: Path, diff: Diff) -> None:
    """3/4 against 1/4 is 3; 4/5 against 1/5 is 4; ln 4 - ln 3 = 0.287682…"""
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    (change,) = diff("main").report["changes"]
    (statement,) = change["statements"]
    assert (statement["before"], statement["after"], statement["factor"]) == ("3", "4", "4/3")
    assert statement["epsilon"]["difference"] == "+0.287682"
    assert [change[side]["leakage"]["exp_epsilon"] for side in ("before", "after")] == ["3", "4"]
    assert change["blackwell"]["relation"] == "more informative"
    assert change["blackwell"]["gain"]["payoff"]
    assert change["accepted"] is False and change["line"] == 4


def test_a_post_processing_of_the_old_mechanism_is_told_with_its_matrix(
    repository: Path, capsys: Capture
) -> None:
    """Truth 3/4 and then flipped with 1/4 each is truth 3/4·3/4 + 1/4·1/4 = 5/8."""
    commit(**{"a.yaml": spec("3/4").replace("bob, ", "").replace(", bob", "")})
    save({"a.yaml": spec("5/8").replace(", bob", "")})
    assert cli.main(["diff", "main"]) == 0
    printed = capsys.readouterr().out
    assert "no definition closed under post-processing can be hurt" in printed
    assert "0 becomes {0: 3/4, 1: 1/4}" in printed


def test_checks_and_files_that_are_gone_or_new(repository: Path, diff: Diff) -> None:
    other = "  - name: other\n    differential_privacy: {exp_epsilon: 9, group: 2}\n"
    commit(
        **{"a.yaml": spec(checks=HELD + other), "b.yaml": spec("2/3", HELD.replace("held", "b"))}
    )
    commit(**{"a.yaml": spec(), "b.yaml": None})
    told = diff("HEAD~1", "HEAD")
    assert told.status == 1
    assert told.changes == {"other": "promises less", "b": "promises less"}
    told = diff("HEAD", "HEAD~1")
    assert (told.status, told.changes) == (0, {"other": "promises more", "b": "promises more"})
    assert all(change["after"]["ok"] for change in told.report["changes"])


def test_what_is_asked_twice_may_be_asked_once(repository: Path, diff: Diff) -> None:
    twice = HELD + HELD.replace("held", "again")
    commit(**{"a.yaml": spec(checks=twice)})
    save({"a.yaml": spec()})
    told = diff("main")
    assert (told.status, told.changes) == (0, {"again": "same"})


TWO_MECHANISMS = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanisms:
  ours: {randomized_response: {truth: %s}}
  other: {randomized_response: {truth: %s}}
checks:
"""
OURS = "  - differential_privacy: {exp_epsilon: 3, mechanism: ours}\n"
OTHER = "  - differential_privacy: {exp_epsilon: 3, mechanism: other}\n"
VIOLATED = "    expect: violated\n"


def test_mechanisms_that_swap_their_names(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": TWO_MECHANISMS % ("3/4", "4/5") + OURS + OTHER + VIOLATED})
    save({"a.yaml": TWO_MECHANISMS % ("4/5", "3/4") + OURS + VIOLATED + OTHER})
    told = diff("main")
    ours = "differential_privacy (exp_epsilon 3) [ours]"
    assert (told.status, told.changes[ours]) == (1, "leaks more")


def test_a_check_that_turns_to_another_mechanism(repository: Path, diff: Diff) -> None:
    named = OURS + "    name: held\n"
    commit(**{"a.yaml": TWO_MECHANISMS % ("3/4", "3/4") + named + OTHER})
    save({"a.yaml": TWO_MECHANISMS % ("9/10", "3/4") + named.replace("ours", "other") + OTHER})
    told = diff("main")
    assert (told.status, told.changes) == (1, {"held [other]": "promises otherwise"})
    (change,) = told.report["changes"]
    assert change["statements"][0]["words"].endswith("ours -> other")
    save({"a.yaml": TWO_MECHANISMS % ("9/10", "3/4") + OTHER})  # the same is asked, of another one
    assert diff("main").changes == {"held [ours]": "promises less"}


def test_renames_are_followed(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec(), "b.yaml": spec("2/3")})
    git("mv", "a.yaml", "moved.yaml")
    save({"b.yaml": spec("2/3", HELD.replace("held", "renamed"))})
    told = diff("main")
    assert told.status == 0
    assert told.changes == {"held": "same", "renamed": "same"}
    assert told.files == {"moved.yaml", "b.yaml"}


def test_a_file_is_renamed_and_leaks_more(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec("3/4")})
    commit(**{"a.yaml": None, "folder/b.yaml": spec("4/5")})
    told = diff("HEAD~1")
    assert (told.status, told.changes) == (1, {"held": "leaks more"})
    assert told.files == {"folder/b.yaml"}


@pytest.mark.parametrize(
    "name", ["a b.yaml", "two\nlines.yaml", "süß-世界.yml", "-dash.yaml", "ü\u202e.json"]
)
def test_names_of_files(repository: Path, diff: Diff, name: str) -> None:
    text = (
        spec
        if name.endswith(("yaml", "yml"))
        else lambda truth: json.dumps(
            {
                "worlds": {"records": ["ann", "bob"], "domain": [0, 1]},
                "mechanism": {"randomized_response": {"truth": truth}},
                "checks": [{"differential_privacy": {"exp_epsilon": 4}}],
            }
        )
    )
    commit(**{name: text("3/4")})
    save({name: text("4/5")})
    told = diff("main")
    assert (told.status, told.files) == (1, {name})


def test_uncommitted_untracked_and_ignored_files(repository: Path, diff: Diff) -> None:
    commit(**{".gitignore": "ignored/\n", "a.yaml": spec()})
    save({"ignored/b.yaml": spec("1/2"), "new.yaml": spec("2/3", HELD.replace("held", "new"))})
    save({"a.yaml": spec("4/5")})
    told = diff("main")
    assert told.changes == {"held": "leaks more", "new": "promises more"}
    git("add", "--all")
    assert diff("main").changes == told.changes


def test_what_files_read_is_their_content(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": CSV, "table.csv": "world,dry,wet\nsun,3/4,1/4\nrain,1/4,3/4\n"})
    save({"table.csv": "world,dry,wet\nsun,4/5,1/5\nrain,1/5,4/5\n"})
    told = diff("main")
    assert (told.status, list(told.changes.values())) == (1, ["leaks more"])
    save({"table.csv": "world,dry,wet\nsun,0.75,0.25\nrain,0.25,0.75\n"})
    assert diff("main").report["summary"] == {"same": 1}


def test_a_file_outside_of_what_is_compared_is_not_known(repository: Path, diff: Diff) -> None:
    table = "world,a,b\nsun,%s\nrain,%s\n"
    path = repository / "table.csv"
    commit(**{"a.yaml": CSV.replace("table.csv", str(path)), "table.csv": table % ("1,0", "1,0")})
    save({"table.csv": table % ("3/4,1/4", "1/4,3/4")})
    told = diff("main")  # both sides would read the new table
    assert (told.status, {*told.changes.values()}) == (1, {"promises otherwise"})
    assert "outside of what is compared" in told.err
    git("commit", "--quiet", "--all", "--message=next")
    assert diff("HEAD~1", "HEAD").status == 2


def test_python_is_its_matrix(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": PYTHON, "noise.py": NOISE.format(3)})
    save({"noise.py": "# another text\n" + NOISE.format(3)})
    assert diff("main", "--allow-python").report["summary"] == {"same": 1}
    save({"noise.py": NOISE.format("Fraction(7, 2)")})
    told = diff("main", "--allow-python")
    assert (told.status, list(told.changes.values())) == (1, ["leaks more"])
    told = diff("main")
    assert told.status == 2 and told.report["errors"][0]["code"] == "S111"


def test_tags_detached_heads_and_merge_bases(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec("2/3")})
    git("tag", "v1")
    git("checkout", "--quiet", "-b", "topic")
    commit(**{"b.yaml": spec("4/5", HELD.replace("held", "b"))})
    git("checkout", "--quiet", "main")
    commit(**{"a.yaml": spec("1/2")})
    git("checkout", "--quiet", "--detach", "topic")
    assert diff("v1").changes == {"b": "promises more"}
    assert diff("main").changes == {"held": "leaks more", "b": "promises more"}
    for arguments in (["main...topic"], ["main..."], ["main", "--merge-base"]):
        assert diff(*arguments).changes == {"b": "promises more"}
    assert diff("v1", "main").changes == {"held": "leaks less"}


def test_from_a_subfolder(repository: Path, diff: Diff, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(**{"a.yaml": spec(), "sub/b.yaml": spec("3/4", HELD.replace("held", "b"))})
    commit(**{"a.yaml": spec("4/5"), "sub/b.yaml": spec("4/5", HELD.replace("held", "b"))})
    monkeypatch.chdir("sub")
    told = diff("HEAD~1")
    assert told.files == {"../a.yaml", "b.yaml"}
    assert diff("HEAD~1", "b.yaml").files == {"b.yaml"}
    assert diff("HEAD~1", "HEAD", "../a.yaml").files == {"../a.yaml"}
    assert diff("HEAD~1", ".").files == {"b.yaml"}


def test_only_some_files(repository: Path, diff: Diff) -> None:
    commit(**{name: spec() for name in ("a.yaml", "sub/b.yaml", "sub/c.yaml")})
    save({name: spec("4/5") for name in ("a.yaml", "sub/b.yaml", "sub/c.yaml")})
    assert diff("main", "sub").files == {"sub/b.yaml", "sub/c.yaml"}
    assert diff("main", "sub/*.yaml", "a.yaml").files == {"a.yaml", "sub/b.yaml", "sub/c.yaml"}
    told = diff("main", "mian")
    assert told.status == 2 and "mian" in told.err


def test_other_yaml_files_are_no_spec_files(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec(), "ci.yaml": "jobs: {checks: worlds}\n", "list.json": "[]"})
    save({"ci.yaml": "jobs: {checks: other worlds}\n", "list.json": "[worlds, checks"})
    assert (diff("main").status, diff("main").report["summary"]) == (0, {"unchanged files": 1})


def test_a_file_that_is_broken_after_the_change(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec()})
    save({"a.yaml": spec() + "  - {oops: [\n"})
    told = diff("main")
    assert (told.status, told.changes) == (2, {"held": "promises less"})
    assert [error["file"] for error in told.report["errors"]] == ["a.yaml"]


def test_a_file_that_was_broken_before_the_change(repository: Path, diff: Diff) -> None:
    """Nobody knows what it promised."""
    commit(**{"a.yaml": spec().replace("truth: 3/4", "truth: 7/4")})
    save({"a.yaml": spec()})
    told = diff("main")
    assert (told.status, told.changes) == (1, {"held": "promises otherwise"})
    assert "a.yaml could not be read" in told.err and "errors" not in told.report
    Path("a.yaml").unlink()
    assert (diff("main").status, diff("main").changes) == (1, {"the file": "promises otherwise"})


def test_undecided_on_both_sides(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec(checks=UNDECIDED)})
    save({"a.yaml": spec(checks="  - name: x\n    " + UNDECIDED[4:])})
    assert diff("main").status in (0, 3)
    told = diff("main")
    assert set(told.changes.values()) <= {"undecided", "same"}


def test_undecided_after_the_change(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec(checks=HELD)})
    save({"a.yaml": spec(checks=UNDECIDED.replace("- implies", "- name: held\n    implies"))})
    told = diff("main")
    assert told.status == 1 and told.changes["held"].startswith("promises")


def test_links_out_of_the_tree_are_not_followed(repository: Path, diff: Diff) -> None:
    save({"../outside.yaml": spec("1/2"), "../table.csv": "world,dry,wet\nsun,1,0\nrain,0,1\n"})
    commit(**{"a.yaml": spec(), "b.yaml": CSV, "table.csv": "world,dry,wet\nsun,1,0\nrain,0,1\n"})
    os.symlink("../outside.yaml", "link.yaml")
    Path("table.csv").unlink()
    os.symlink("../table.csv", "table.csv")
    os.symlink("a.yaml", "inside.yaml")
    git("add", "--all")
    git("commit", "--quiet", "--message=links")
    told = diff("HEAD~1", "HEAD")
    assert "link.yaml is a link out of" in told.err and "table.csv" in told.err
    assert told.files == {"b.yaml", "inside.yaml"} and told.status == 2  # its table is not there
    assert "link.yaml is a link out of" in diff("HEAD~1").err


def test_a_file_that_is_named_must_be_a_spec_file(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec(), "ci.yaml": "jobs: []\n"})
    assert diff("main", "./a.yaml").status == 0
    save({"ci.yaml": "jobs: {}\n"})
    told = diff("main", "./ci.yaml")
    assert told.status == 2 and told.report["errors"][0]["file"] == "ci.yaml"


@pytest.mark.processes
def test_limits_are_never_a_pass(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("2/3")})
    assert diff("main", "--total-time", "0.001").status == 3
    assert diff("main", "--time-limit", "0.00001").status in (1, 3)


@pytest.mark.processes
@pytest.mark.usefixtures("resting")
def test_a_check_that_is_not_decided_in_time_after_the_change(
    repository: Path, diff: Diff, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the version of 4/5 alone nothing is found within the limit."""
    real = verify.decide

    def slow(question: Question) -> Answer:
        assert question.mechanism
        if Fraction(16, 25) in question.mechanism.values:
            time.sleep(600)
        return real(question)

    monkeypatch.setattr(verify, "decide", slow)
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    told = diff("main", "--time-limit", "0.3", "--no-cache")
    assert (told.status, told.changes) == (1, {"held": "promises less"})
    assert "undecided now" in told.report["changes"][0]["statements"][0]["words"]


def test_submodules_are_told(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec()})
    digest = git("rev-parse", "HEAD").strip()
    git("update-index", "--add", "--cacheinfo", f"160000,{digest},inner")
    git("-c", "user.name=Ann", "-c", "user.email=a@example.org", "commit", "-qm", "inner")
    assert "inner is a submodule: not compared" in diff("HEAD", "HEAD~1").err


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, diff: Diff) -> None:
    monkeypatch.chdir(tmp_path)
    save({"old/a.yaml": spec("3/4"), "new/a.yaml": spec("4/5"), "old/b.yaml": spec("1/2")})
    told = diff("./old", "./new")
    assert told.changes and told.status == 1
    assert told.files == {"a.yaml", "b.yaml"}
    assert diff("old", "new", "a.yaml").files == {"a.yaml"}
    monkeypatch.chdir("new")
    assert diff("../old").files == {"a.yaml", "b.yaml"}


def test_a_revision_goes_before_a_folder_of_the_same_name(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec("3/4"), "main/a.yaml": spec("4/5")})
    assert diff("main").changes == {}
    assert diff("./main").files == {"a.yaml", "main/a.yaml"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "neither a revision, nor a folder, nor a report"),
        (["a.yaml"], "neither a revision, nor a folder, nor a report"),
        (["main", "--accept", "nope.yaml"], "nope.yaml"),
        (["./sub", "--merge-base"], "needs a revision"),
        (["main...topic", "main"], "given twice"),
        (["report.json"], "another report"),
    ],
)
def test_bad_sides(repository: Path, diff: Diff, arguments: list[str], said: str) -> None:
    commit(**{"a.yaml": spec(), "sub/b.yaml": spec(), "report.json": '{"results": []}'})
    git("branch", "topic")
    told = diff(*arguments)
    assert told.status == 2 and said in told.err


def test_hints_say_what_to_write(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec()})
    save({"old.json": '{"results": []}'})
    dots, report = diff("main..HEAD"), diff("old.json")
    assert "A B, or A...B" in dots.report["errors"][0]["hint"]
    assert "verifier diff old.json NEW.json" in report.report["errors"][0]["hint"]
    assert diff("HEAD").report["summary"] == {"unchanged files": 1}


def test_one_unchanged_file(repository: Path, capsys: Capture) -> None:
    commit(**{"a.yaml": spec()})
    assert cli.main(["diff", "main"]) == 0
    assert capsys.readouterr().out == "1 unchanged file\n"


def test_what_is_missing_is_named(capsys: Capture) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["diff"])
    assert capsys.readouterr().err.endswith("are required: BASE\n")


def test_not_in_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, diff: Diff) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    assert diff("HEAD").status == 2


def test_a_repository_without_a_working_tree(
    repository: Path, diff: Diff, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(**{"a.yaml": spec("3/4")})
    commit(**{"a.yaml": spec("4/5")})
    git("clone", "--quiet", "--bare", ".", "../bare.git")
    monkeypatch.chdir("../bare.git")
    assert diff("HEAD~1", "HEAD").changes == {"held": "leaks more"}
    told = diff("HEAD~1")
    assert told.status == 2 and "no working tree" in told.err


def test_the_index_and_the_tree_are_not_touched(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec("3/4"), ".gitattributes": "a.yaml export-ignore\n"})
    commit(**{"a.yaml": spec("4/5")})
    save({"b.yaml": spec()})
    before = git("status", "--porcelain"), Path(".git/index").read_bytes()
    assert diff("HEAD~1", "HEAD").changes == {"held": "leaks more"}
    assert (git("status", "--porcelain"), Path(".git/index").read_bytes()) == before


def test_two_reports(repository: Path, diff: Diff, capsys: Capture) -> None:
    for name, text in (("old", spec("3/4")), ("new", spec("4/5"))):
        save({"a.yaml": text})
        assert (
            cli.main(["check", "a.yaml", "--format", "json", "--report", f"json=../{name}.json"])
            == 0
        )
    told = diff("../old.json", "../new.json")
    assert (told.status, told.changes) == (1, {"held": "leaks more"})
    assert "cannot be compared" in told.err
    assert diff("../new.json", "../old.json").changes == {"held": "leaks less"}
    assert diff("../new.json", "../new.json").report["summary"] == {"same": 1}


@pytest.mark.parametrize(
    "parts",
    [
        {"verdict": "maybe"},
        {"verdict": {}},
        {"leakage": {"lower": "3"}},
        {"leakage": "3"},
        {"level": {"exp_epsilon": 4, "delta": "0"}},
        {"file": None},
        {"id": []},
        {"line": "1"},
    ],
)
def test_what_is_no_report(repository: Path, diff: Diff, parts: Any) -> None:
    save({"a.yaml": spec()})
    assert cli.main(["check", "a.yaml", "--report", "json=../old.json"]) == 0
    report = json.loads(Path("../old.json").read_text())
    report["results"][0] |= parts
    Path("../new.json").write_text(json.dumps(report))
    for sides in (("../old.json", "../new.json"), ("../new.json", "../old.json")):
        told = diff(*sides)
        assert told.status == 2 and "result 1 of ../new.json is none of" in told.err


def test_what_was_not_run_is_undecided_in_a_report(repository: Path, diff: Diff) -> None:
    save({"a.yaml": spec()})
    assert cli.main(["check", "a.yaml", "--report", "json=../old.json"]) == 0
    report = json.loads(Path("../old.json").read_text())
    report["results"][0] |= {"verdict": "not run", "leakage": None}
    Path("../new.json").write_text(json.dumps(report))
    told = diff("../old.json", "../new.json")
    assert (told.status, told.changes) == (1, {"held": "promises less"})


@pytest.mark.parametrize("part", ["errors", "stopped"])
def test_a_report_of_files_that_were_not_read(part: str, repository: Path, diff: Diff) -> None:
    """What it does not tell of could be anything."""
    save({"a.yaml": spec()})
    assert cli.main(["check", "a.yaml", "--report", "json=../old.json"]) == 0
    report = json.loads(Path("../old.json").read_text())
    Path("../torn.json").write_text(json.dumps({**report, part: ["b.yaml"]}))
    for sides in (("../old.json", "../torn.json"), ("../torn.json", "../old.json")):
        told = diff(*sides)
        assert told.status == 2 and "has not read all files" in told.err


def test_two_sides_without_a_check(repository: Path, diff: Diff, tmp_path: Path) -> None:
    """Nothing was compared, so nothing passes."""
    commit(**{"notes.yaml": "hello: world\n"})
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        Path(f"../{name}.json").write_text('{"version": 1, "results": []}')
    for sides in (
        ("main",),
        (str(tmp_path / "old"), str(tmp_path / "new")),
        ("../old.json", "../new.json"),
    ):
        told = diff(*sides)
        assert told.status == 2 and "no check on either side" in told.err


def test_only_promises(repository: Path, diff: Diff, capsys: Capture) -> None:
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    told = diff("main", "--fail-on", "promise")
    assert (told.status, told.changes) == (0, {"held": "leaks more"})
    assert cli.main(["diff", "main", "--fail-on", "promise"]) == 0
    assert "it still holds as it promises" in capsys.readouterr().out.replace(
        "as promised", "as it promises"
    )
    save({"a.yaml": spec("5/6")})
    assert diff("main", "--fail-on", "promise").status == 1  # e^ε 5 is above 4
    save({"a.yaml": spec("4/5", HELD.replace("4}", "5}"))})
    assert diff("main", "--fail-on", "promise").status == 1  # less is promised too


ENTRY = """\
- {{file: a.yaml, check: held, status: leaks more, from: '{}', to: '{}', reason: agreed,
   expires: {}}}
"""


def test_accepted_changes(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    (change,) = diff("main").report["changes"]
    sides = change["comparison"]["from"], change["comparison"]["to"]
    save({"accepted.yaml": ENTRY.format(*sides, "2999-12-31")})
    told = diff("main", "--accept", "accepted.yaml")
    assert told.status == 0 and told.report["changes"][0]["accepted"] is True
    save({"a.yaml": spec("5/6")})  # a later and larger change
    told = diff("main", "--accept", "accepted.yaml")
    assert told.status == 1 and told.report["notes"][0]["code"] == "N201"
    assert "no change has this file, check, status, from and to" in told.err + told.out
    save({"a.yaml": spec("4/5"), "accepted.yaml": ENTRY.format(*sides, "2020-12-31")})
    told = diff("main", "--accept", "accepted.yaml")
    assert told.status == 1 and "expired on 2020-12-31" in told.report["notes"][0]["message"]


def test_junit_fails_only_for_changes_that_fail_the_run(repository: Path, diff: Diff) -> None:
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    (change,) = diff("main", "--report", "junit=../bad.xml").report["changes"]
    sides = change["comparison"]["from"], change["comparison"]["to"]
    save({"accepted.yaml": ENTRY.format(*sides, "2999-12-31")})
    assert diff("main", "--accept", "accepted.yaml", "--report", "junit=../good.xml").status == 0
    assert diff("main", "--fail-on", "promise", "--report", "junit=../kept.xml").status == 0
    bad, good, kept = (
        tree.parse(f"../{name}.xml").getroot()[0] for name in ("bad", "good", "kept")
    )
    assert [
        (suite.get("tests"), suite.get("failures"), suite.get("errors"))
        for suite in (bad, good, kept)
    ] == [("1", "1", "0"), ("1", "0", "0"), ("1", "0", "0")]
    assert bad.find("testcase/failure") is not None
    assert "accepted until 2999-12-31: agreed" in good.findtext("system-out", "")
    assert "leaks more: held" in kept.findtext("system-out", "")


def test_what_is_undecided_does_not_pass() -> None:
    line = Line("a.yaml", "held", "implies", None, None, None, "undecided", "holds", None, "1", "1")
    entry = Entry(line, "a.yaml", 0, "0123456789abcdef", "held", (3, 5))
    found = finding(undecided(Changed(entry, entry), "it takes too long"), {})
    assert found.json["passes"] is False
    suite = tree.fromstring(FORMATS["junit"].render(Document("diff", (found,), {}, {})))[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")


def test_an_expectation_that_turns_is_accepted_by_itself_only(repository: Path, diff: Diff) -> None:
    """Its question stays the same, and so do the digests."""
    commit(**{"a.yaml": spec(checks=HELD + "    leakage: 3\n")})
    save({"a.yaml": spec(checks=HELD + "    leakage: [2, 4]\n")})
    (change,) = diff("main").report["changes"]
    sides = change["comparison"]["from"], change["comparison"]["to"]
    save(
        {"accepted.yaml": ENTRY.replace("leaks more", "promises less").format(*sides, "2999-12-31")}
    )
    assert diff("main", "--accept", "accepted.yaml").status == 0
    save({"a.yaml": spec(checks=HELD + "    leakage: [2, 9]\n")})
    assert diff("main", "--accept", "accepted.yaml").status == 1


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("- {file: a.yaml}\n", "S016"),
        ("a: b\n", "S014"),
        (ENTRY.format("gone", "gone", "2999-12-31").replace("leaks more", "leaks"), "S015"),
        (ENTRY.format("gone", "gone", "2999-12-31").replace("reason", "because"), "S015"),
        (ENTRY.format("gone", "gone", "2999-12-31").replace("agreed", "''"), "S901"),
        (ENTRY.format("gone", "sha256:12", "2999-12-31"), "S901"),
        (ENTRY.format("gone", "gone", "31.12.2999"), "S901"),
    ],
)
def test_bad_lists_of_accepted_changes(repository: Path, diff: Diff, entry: str, code: str) -> None:
    commit(**{"a.yaml": spec()})
    save({"accepted.yaml": entry})
    told = diff("main", "--accept", "accepted.yaml")
    assert told.status == 2
    assert {error["code"] for error in told.report["errors"]} == {code}
    assert all(error["line"] and error["hint"] for error in told.report["errors"])


@pytest.mark.processes
def test_the_worst_comes_first(repository: Path, capsys: Capture) -> None:
    names = {"a": "3/4", "b": "3/4", "c": "3/4"}
    commit(**{f"{name}.yaml": spec(t, HELD.replace("held", name)) for name, t in names.items()})
    save({"a.yaml": spec("2/3", HELD.replace("held", "a"))})  # leaks less
    save({"b.yaml": spec("3/4", HELD.replace("held", "b").replace("4}", "5}"))})  # promises less
    save({"c.yaml": spec("4/5", HELD.replace("held", "c"))})  # leaks more
    assert cli.main(["diff", "main"]) == 1
    lines = [line.split(":")[0].split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert [name for name in lines if name in "abc"] == ["c", "b", "a"]


@pytest.mark.parametrize("form", list(FORMATS))
def test_formats(repository: Path, capsys: Capture, form: str) -> None:
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    assert cli.main(["diff", "main", "--format", form, "--report", "json=../out.json"]) == 1
    assert "leaks more" in capsys.readouterr().out
    assert json.loads(Path("../out.json").read_text())["summary"] == {"leaks more": 1}


def test_a_promise_that_is_not_kept_is_told_in_every_format(
    repository: Path, capsys: Capture
) -> None:
    """A new check, of which 99 against 1 is too much for a level of 4; and one that asserts
    another level from now on."""
    commit(**{"a.yaml": spec()})
    false = HELD.replace("held", "false")
    for text in (spec("99/100", HELD) + false, spec(checks=HELD + "    leakage: 2\n")):
        save({"a.yaml": text})
        silent = []
        for form in FORMATS:
            status = cli.main(["diff", "main", "--format", form])
            said = capsys.readouterr().out
            told = re.search("expected (holds, found violated|the leakage 2, it is 3)", said)
            if status != 1 or "not kept" not in said or (told is None and form != "latex"):
                silent.append((form, status, said[:300]))
        assert not silent


def test_a_promise_that_is_not_kept_between_reports(repository: Path, diff: Diff) -> None:
    for name, text in (("old", spec()), ("new", spec(checks=HELD + HELD.replace("4}", "2}")))):
        save(
            {
                "a.yaml": text.replace(
                    "held\n    differential_privacy: {exp_epsilon: 2",
                    "f\n    differential_privacy: {exp_epsilon: 2",
                )
            }
        )
        cli.main(["check", "a.yaml", "--report", f"json=../{name}.json"])
    told = diff("../old.json", "../new.json")
    assert (told.status, told.changes) == (1, {"f": "not kept"})
    assert diff("../new.json", "../new.json").status == 0  # it was so before


def test_what_is_not_kept_may_be_accepted(repository: Path, diff: Diff) -> None:
    commit(**{"b.yaml": spec()})
    save({"a.yaml": spec("99/100")})
    (change,) = diff("main").report["changes"]
    sides = change["comparison"]["from"], change["comparison"]["to"]
    assert (change["status"], sides[0]) == ("not kept", "gone")
    entry = ENTRY.replace("leaks more", "not kept").format(*sides, "2999-12-31")
    save({"accepted.yaml": entry})
    assert diff("main", "--accept", "accepted.yaml").status == 0
    assert diff("main", "--fail-on", "promise").status == 1


def test_a_page_has_figures_of_both_sides(repository: Path, capsys: Capture) -> None:
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    assert cli.main(["diff", "main", "--format", "html"]) == 1
    page = capsys.readouterr().out
    data = page.split('id="data">')[1].split("</script>")[0].strip()
    (before, old), (after, new) = json.loads(data)
    assert (before, after) == ("before", "after")
    assert [value[0] for value in old["matrix"]["values"]] == ["1/16", "3/16", "9/16"]
    assert [value[0] for value in new["matrix"]["values"]] == ["1/25", "4/25", "16/25"]


SLEEPY = """
import sys, time
from verifier import checker, cli
checker.check = lambda document: time.sleep(600)
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("numbers", "status"),
    [
        ([signal.SIGINT], 130),
        ([signal.SIGTERM], 143),
        ([signal.SIGINT, signal.SIGINT], 130),
        ([signal.SIGKILL], -signal.SIGKILL),
    ],
)
def test_a_signal_leaves_no_folder(
    repository: Path, tmp_path: Path, numbers: list[int], status: int
) -> None:
    commit(**{"a.yaml": spec("3/4")})
    save({"a.yaml": spec("4/5")})
    folder = tmp_path / "temporary"
    folder.mkdir()
    run = subprocess.Popen(
        [sys.executable, "-c", SLEEPY, "diff", "main"],
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(Path(cli.__file__).parents[2])},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr
    while "check 1 of 1: held" not in (line := run.stderr.readline()):
        assert line
    assert len(list(folder.iterdir())) == 1
    for number in numbers:
        run.send_signal(number)
    assert run.wait() == status
    end = time.monotonic() + PATIENCE
    while list(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.01)
    assert list(folder.iterdir()) == []


def test_values_of_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, diff: Diff) -> None:
    """Each value is compared with itself, wherever it stands in its list: 3 -> 4 at n = 4; n = 3
    is gone; n = 5 is new, and leaks more than any value did. --set gives both sides others."""
    monkeypatch.chdir(tmp_path)
    for side, values, truth in (("before", "3, 4", "3/4"), ("after", "4, 5", "4/5")):
        text = spec(truth, HELD.replace("exp_epsilon: 4", "exp_epsilon: n"))
        save({f"{side}/a.yaml": f"parameters: {{n: [{values}]}}\n{text}"})
    found = diff("./before", "./after")
    assert found.changes == {
        "held (n = 3)": "promises less",
        "held (n = 4)": "leaks more",
        "held (n = 5)": "leaks more",
    }
    assert diff("./before", "./after", "--set", "n=7").changes == {"held (n = 7)": "leaks more"}
