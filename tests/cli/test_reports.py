"""Reports in files and on standard output: several at once, unwritable ones, colours."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.contracts.parsers import PARSERS
from verifier import __version__, cli
from verifier.cli import reports
from verifier.cli.reports import has_colour
from verifier.report.formats import FORMATS

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
HEAD = "worlds: {records: 2, domain: [0, 1]}\nmechanism: {randomized_response: {truth: 3/4}}\n"
OK = "  - differential_privacy: {exp_epsilon: 3}\n"
FAILED = "  - differential_privacy: {exp_epsilon: 2}\n"
EXPECTED = f"{FAILED}    expect: violated\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", *reports.ROOTS, "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def write(name: str, *checks: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}checks:\n{''.join(checks)}", encoding="utf-8")
    return name


def test_all_formats_at_once(capsys: Capture) -> None:
    file = write("a.yaml", OK, FAILED)
    targets = [f"--report={name}=out/{name}" for name in FORMATS]
    assert cli.main(["check", file, "--format", "json", *targets]) == 1
    printed = capsys.readouterr().out
    assert json.loads(Path("out/json").read_text())["results"] == json.loads(printed)["results"]
    for name in FORMATS:
        told = PARSERS[name](Path(f"out/{name}").read_text(encoding="utf-8"))
        assert any("exp_epsilon 2" in one.text for one in told), name


def test_levels_between_two_bounds_are_told_in_each_format() -> None:
    """A table of which only ends are known: e^ε is from 73/27 to 77/23, ε from 0.9946 to 1.2083."""
    Path("a.yaml").write_text(
        "worlds: [healthy, ill]\n"
        "mechanism:\n  table:\n    outputs: [yes, no]\n"
        "    healthy: [[0.23, 0.27], [0.73, 0.77]]\n    ill: [[0.73, 0.77], [0.23, 0.27]]\n"
        "checks:\n"
        "  - differential_privacy: {exp_epsilon: 77/23, neighbours: all}\n"
        "  - {differential_privacy: {exp_epsilon: 27/10, neighbours: all}, expect: violated}\n"
    )
    assert cli.main(["check", "a.yaml", *(f"--report={name}=out/{name}" for name in FORMATS)]) == 0
    told = {name: Path(f"out/{name}").read_text(encoding="utf-8") for name in FORMATS}
    left = [name for name in ("text", "json", "jsonl", "markdown") if "0.994622" not in told[name]]
    assert not left and PARSERS["html"](told["html"])
    assert "ε in [0.994622, 1.208312]" in told["html"] and 'data-leakage="1.208312"' in told["html"]


def test_a_writer_that_fails_costs_no_other_report(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fails(document: object) -> str:
        raise ValueError("it is broken\x1b")

    file = write("a.yaml", OK)
    monkeypatch.setattr("verifier.report.formats.sarif.render", fails)
    targets = ["--report=sarif=out/sarif", "--report=json=out/json"]
    assert cli.main(["check", file, *targets]) == 4
    told = capsys.readouterr()
    assert "internal error: no report as sarif: ValueError: it is broken\\x1b" in told.err
    assert told.out.endswith("1 ok\n") and not Path("out/sarif").exists()
    assert json.loads(Path("out/json").read_text())["summary"]["ok"] == 1
    assert cli.main(["check", file, "--format", "sarif", "--report=json=out/again"]) == 4
    assert capsys.readouterr().out == "" and Path("out/again").exists()


def test_sums_count_errors_and_notes_and_name_the_program(capsys: Capture) -> None:
    """A secret that nothing uses is a note, N101; 4/3 is no probability."""
    text = Path(write("fine.yaml", OK)).read_text()
    Path("note.yaml").write_text(text.replace("mechanism", "secrets: {s: r1 == 1}\nmechanism"))
    Path("bad.yaml").write_text(text.replace("3/4", "4/3"))
    both = {"errors": 1, "notes": 1}
    for files, more in ((["note.yaml", "bad.yaml"], both), (["fine.yaml"], {})):
        cli.main(["check", *files, "--format", "jsonl", "--report", "json=out/json"])
        line = json.loads(capsys.readouterr().out.splitlines()[-1])
        whole = json.loads(Path("out/json").read_text())
        assert whole["summary"] == {"ok": 1, "failed": 0, "undecided": 0, **more}
        assert line == {"kind": "summary", "tool": whole["tool"], **whole["summary"]}
        assert whole["tool"] == f"verifier {__version__}"


def test_a_report_on_certificates(capsys: Capture) -> None:
    file = write("a.yaml", OK, EXPECTED)
    assert cli.main(["check", file, "--certificates", "c"]) == 0
    capsys.readouterr()
    targets = [f"--report={name}=out/{name}" for name in FORMATS if name != "json"]
    assert cli.main(["certify", "c", "--expect", "holds", *targets, "-q"]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("c/a.yaml-2.json: not as expected") and last == "1 ok, 1 failed"
    for name in ("text", "jsonl", "github", "sarif", "junit", "gitlab", "markdown", "html"):
        told = PARSERS[name](Path(f"out/{name}").read_text(encoding="utf-8"))
        assert any("a.yaml-2.json" in one.text for one in told), name


@pytest.mark.parametrize(
    "arguments",
    [
        ["--report", "sarif"],
        ["--report", "sarif="],
        ["--report", "sarif=-"],
        ["--report", "xml=out"],
        ["--report", "=out"],
        ["--format", "xml"],
        ["-q", "-v"],
        ["--color", "sometimes"],
    ],
)
def test_bad_usage(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["check", write("a.yaml", OK), *arguments])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("usage: verifier check") and "sarif" in said


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        (["text=out", "json=out"], "--report: 'out' cannot get two reports"),
        (["text=out", "json=./x/../out"], "--report: './x/../out' cannot get two reports"),
        (["json=a.yaml"], "--report: 'a.yaml' is a file that is read"),
        (["json=./a.yaml"], "--report: 'a.yaml' is a file that is read"),
    ],
)
def test_reports_do_not_overwrite(targets: list[str], said: str, capsys: Capture) -> None:
    file = write("a.yaml", OK)
    Path("x").mkdir()
    before = Path(file).read_bytes()
    options = [f"--report={target}" for target in targets]
    assert cli.main(["check", ".", *options]) == 2
    told = capsys.readouterr()
    assert told.err.rstrip().replace("'x/../out'", "'./x/../out'") == said and not told.out
    assert Path(file).read_bytes() == before and not Path("out").exists()


def test_a_report_that_cannot_be_written_is_no_pass(capsys: Capture) -> None:
    Path("taken").write_text("")
    assert cli.main(["check", write("a.yaml", OK), "--report", "json=taken/out"]) == 4
    told = capsys.readouterr()
    assert "1 ok" in told.out and "S701 cannot write" in told.err


def test_the_summary_of_a_build_is_added_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    summary = folder / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    file = write("a.yaml", OK, FAILED)
    assert cli.main(["check", file]) == 1
    assert summary.read_text(encoding="utf-8") == "before\n", "only for a report for GitHub"
    assert cli.main(["check", file, "--format", "github"]) == 1
    first, rest = summary.read_text(encoding="utf-8").split("\n", 1)
    assert first == "before" and PARSERS["markdown"](rest)[0].kind == "failed"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder))
    capsys.readouterr()
    assert cli.main(["check", write("b.yaml", OK), "--report", "github=out"]) == 4
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize("variable", reports.ROOTS)
def test_paths_start_at_the_root_of_the_repository(
    variable: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    write("specs/a.yaml", FAILED)
    monkeypatch.chdir(folder / "specs")
    for root, path in ((folder, "specs/a.yaml"), (folder / "elsewhere", "a.yaml")):
        monkeypatch.setenv(variable, str(root))
        for name in ("github", "sarif", "gitlab", "junit"):
            cli.main(["check", "a.yaml", "--format", name])
            assert PARSERS[name](capsys.readouterr().out)[0].file == path


@pytest.mark.parametrize(
    ("asked", "variables", "terminal", "colour"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),  # it counts only where it is not empty
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": ""}, False, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour(
    asked: str,
    variables: dict[str, str],
    terminal: bool,
    colour: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert has_colour(asked) is colour


def test_colour_is_only_in_marks(capsys: Capture) -> None:
    file = write("a.yaml", OK, FAILED)
    plain = cli.main(["check", file]), capsys.readouterr().out
    coloured = cli.main(["check", file, "--color", "always"]), capsys.readouterr().out
    assert coloured[1].count("\033[32mok\033[0m") == coloured[1].count("\033[31mFAILED\033[0m") == 1
    for code in ("\033[32m", "\033[31m", "\033[0m"):
        coloured = coloured[0], coloured[1].replace(code, "")
    assert coloured == plain


def test_lines_are_folded_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    file = write("a.yaml", FAILED)
    monkeypatch.setenv("COLUMNS", "40")
    cli.main(["check", file])
    whole = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) > 60
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    cli.main(["check", file])
    folded = capsys.readouterr().out
    assert max(map(len, folded.splitlines())) <= 40
    assert folded.split() == whole.split(), "nothing is lost"
    assert "\n" + os.linesep not in folded


def test_verbose_shows_expected_violations_and_what_is_tight(capsys: Capture) -> None:
    """P(00 | 00) = 9/16 against P(00 | 01) = 3/16."""
    file = write("a.yaml", OK, EXPECTED)
    assert cli.main(["check", file]) == 0
    assert "pair" not in capsys.readouterr().out
    assert cli.main(["check", file, "--verbose"]) == 0
    shown = [
        "pair 00 against 01; prior {00: 1/2, 01: 1/2}",
        "output 00: odds 1 before, 3 after, ratio 3",
    ]
    _, held, where, *rest = capsys.readouterr().out.splitlines()
    assert held.startswith("  ok  ") and where == "      where it is tight:"
    assert rest[:2] == [f"        {line}" for line in shown]
    assert rest[3:5] == [f"      {line}" for line in shown]


def test_verbose_shortens_no_list(capsys: Capture) -> None:
    """All 20 worlds of the prior, and 12 of them without the option."""
    weights = ", ".join(f"w{n}: 1/20" for n in range(20))
    yes = ", ".join(f"w{n}" for n in range(0, 20, 2))
    no = ", ".join(f"w{n}" for n in range(1, 20, 2))
    rows = "".join(f"    w{n}: [{3 if n % 2 else 1}/4, {1 if n % 2 else 3}/4]\n" for n in range(20))
    Path("a.yaml").write_text(
        f"worlds: [{', '.join(f'w{n}' for n in range(20))}]\n"
        f"secrets: {{yes: [{yes}], no: [{no}]}}\npairs: [[yes, no]]\n"
        f"priors: {{list: [{{worlds: {{{weights}}}}}]}}\n"
        f"mechanism:\n  table:\n    outputs: [a, b]\n{rows}"
        "checks:\n  - pufferfish: {exp_epsilon: 2}\n",
        encoding="utf-8",
    )
    assert cli.main(["check", "a.yaml"]) == 1
    assert "w19" not in (short := capsys.readouterr().out) and "… (20 in all)" in short
    assert cli.main(["check", "a.yaml", "-v"]) == 1
    assert "w19: 1/20}" in capsys.readouterr().out
