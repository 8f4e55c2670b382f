"""Settings: which of several places counts, and what is refused with both places named."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.loops import each
from verifier import cli
from verifier.changes import gate
from verifier.cli import arguments, schema, settings
from verifier.cli.settings import NAMES, SETTINGS

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
HEAD = "worlds: {records: 2, domain: [0, 1]}\nmechanism: {randomized_response: {truth: 3/4}}\n"
HOLDS = f"{HEAD}checks:\n  - differential_privacy: {{exp_epsilon: 3}}\n"
NOTED = f"secrets: {{s: r1 == 1}}\n{HOLDS}"  # a secret that nothing uses: a note


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `at`, in which there are no settings of others."""
    for name in [name for name in os.environ if name.startswith("VERIFIER_")]:
        monkeypatch.delenv(name)
    (tmp_path / "at").mkdir()
    monkeypatch.chdir(tmp_path / "at")
    write("spec.yaml", HOLDS)
    return tmp_path / "at"


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def shown(capsys: Capture, *options: str) -> dict[str, tuple[str, str]]:
    """What `--show-settings` says: the value of each name, and who says so."""
    assert cli.main(["check", "--show-settings", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split("  ") for line in lines if ":" not in line.split(" ")[0]]
    parts = [[part.strip() for part in row if part.strip()] for row in rows]
    return {row[0]: (row[1], row[2]) for row in parts if len(row) == 3}


def refused(capsys: Capture, *command: str) -> str:
    """What is said where the settings are bad input."""
    assert cli.main([*(command or ("check",))]) == 2
    return capsys.readouterr().err


def test_the_place_that_counts(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """The default, then a file, then the environment, then the command line; each names the
    others."""
    assert shown(capsys)["time-limit"] == ("300", "default")
    write("pyproject.toml", "[project]\n# time-limit\n\n[tool.verifier]\ntime-limit = 7\n")
    assert shown(capsys)["time-limit"] == ("7", "pyproject.toml:5:1")
    monkeypatch.setenv("VERIFIER_TIME_LIMIT", "8")
    by = "VERIFIER_TIME_LIMIT, over pyproject.toml:5:1 (7)"
    assert shown(capsys)["time-limit"] == ("8", by)
    by = "--time-limit, over VERIFIER_TIME_LIMIT (8) and pyproject.toml:5:1 (7)"
    assert shown(capsys, "--time-limit", "9")["time-limit"] == ("9", by)
    assert shown(capsys, "--isolated")["time-limit"] == ("8", "VERIFIER_TIME_LIMIT")
    monkeypatch.setenv("VERIFIER_TIME_LIMIT", "")
    assert shown(capsys)["time-limit"] == ("7", "pyproject.toml:5:1")


def test_every_setting_has_its_value_from_each_place(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    texts = {
        "paths": ('["spec.yaml"]', "spec.yaml", ""),
        "strict": ("true", "true", "1"),
        "time-limit": ("0.5", "0.5", "0.5"),
        "memory-limit": ('"2G"', "2147483648 bytes", "2G"),
        "jobs": ("3", "3", "3"),
        "cache": ('"c"', "c", "c"),
        "report": ('["json=a.json", "html=b"]', "json=a.json, html=b", ""),
        "advice": ("false", "false", "false"),
        "allow-python": ("true", "true", "true"),
        "fail-on": ('"promise"', "promise", "promise"),
        "required-version": ('">=0.1, <9"', ">=0.1, <9", ""),
    }
    assert list(texts) == list(NAMES)
    lines = [f"{name} = {text}" for name, (text, _, _) in texts.items()]
    write("verifier.toml", "\n".join(lines))
    found = shown(capsys)
    wanted = enumerate(texts.items(), 1)
    assert found == {name: (text, f"verifier.toml:{n}:1") for n, (name, (_, text, _)) in wanted}
    Path("verifier.toml").unlink()
    for name, (_, _, text) in texts.items():
        assert bool(text) == bool(NAMES[name].variable)
        if text:
            assert NAMES[name].variable == f"VERIFIER_{name.upper().replace('-', '_')}"
            monkeypatch.setenv(NAMES[name].variable, text)
    found = shown(capsys)
    told = {name: (value, NAMES[name].variable) for name, (_, value, text) in texts.items() if text}
    assert {name: found[name] for name in told} == told


def test_the_options_have_the_names_of_the_table() -> None:
    """Each setting is an option of each command that takes it, undecided where it is not given."""
    assert arguments.FAIL_ON == (gate.LEAK, gate.PROMISE)
    found: dict[str, set[str]] = {}
    (parsers,) = (
        one for one in cli._parser()._actions if isinstance(one, argparse._SubParsersAction)
    )
    for command, parser in parsers.choices.items():
        for action in parser._actions:
            name = (action.option_strings or [""])[-1].removeprefix("--")
            if name in NAMES and (not NAMES[name].commands or command in NAMES[name].commands):
                assert (action.dest, action.default or None) == (settings.dest(NAMES[name]), None)
                found.setdefault(name, set()).add(command)
    assert {"check", "lock", "diff", "sweep", "plot", "certify"} <= found["time-limit"]
    assert found["fail-on"] == {"diff"} and found["report"] == {"check"}
    assert set(NAMES) - set(found) == {"paths", "required-version"}


def test_the_nearest_file_counts_alone(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """`verifier.toml` goes before `pyproject.toml` of the same folder; nothing is merged."""
    write("../pyproject.toml", "[tool.verifier]\nstrict = true\njobs = 2\n")
    assert shown(capsys)["strict"] == ("true", "../pyproject.toml:2:1")
    write("pyproject.toml", "[project]\nname = 'verifier'\n")  # no settings
    assert shown(capsys)["jobs"] == ("2", "../pyproject.toml:3:1")
    write("pyproject.toml", "[tool.verifier]\njobs = 3\n")
    found = shown(capsys)
    assert (found["jobs"], found["strict"][0]) == (("3", "pyproject.toml:2:1"), "false")
    write("verifier.toml", "time-limit = 5\njobs = 3\n")
    found = shown(capsys)
    assert (found["jobs"], found["time-limit"][0]) == (("3", "verifier.toml:2:1"), "5")
    cli.main(["check", "--show-settings"])
    head = capsys.readouterr().out.splitlines()[:2]
    assert head == ["file of settings: verifier.toml", "passed over: ../pyproject.toml"]
    write("verifier.toml", "")  # a file without a line still counts, and has the defaults
    write("pyproject.toml", "")
    assert shown(capsys)["strict"] == ("false", "default")


def test_two_files_of_a_folder_that_contradict_each_other(capsys: Capture) -> None:
    write("pyproject.toml", "[tool.verifier]\njobs = 2\nstrict = true\n")
    write("verifier.toml", "strict = false\njobs = 2\n")
    said = refused(capsys)
    assert said.startswith("pyproject.toml:3:1: S905 'strict' is another one at verifier.toml:1:1")
    write("verifier.toml", "jobs = 2\n")
    assert "pyproject.toml:3:1: S905 'strict' would be lost: verifier.toml" in refused(capsys)
    write("verifier.toml", "jobs = 2\nstrict = true\n")
    assert cli.main(["check"]) == 0


@each("name", ["strict", "advice", "allow-python"])
def test_options_that_contradict_each_other(name: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["check", f"--{name}", f"--no-{name}"])
    said = capsys.readouterr().err.splitlines()[-1]
    assert f"--{name}" in said and f"--no-{name}" in said


# text of verifier.toml -> what is said, from the line on
WRONG = {
    "jobs = 1\nstricct = true": "2:1: S905 unknown setting 'stricct'",
    "[check]\nstrict = true": "1:2: S905 unknown setting 'check'",
    "time_limit = 3": "1:1: S905 unknown setting 'time_limit'",
    "Strict = true": "1:1: S905 unknown setting 'Strict'",
    "\"str\\u0069ct\" = true\n'x y' = 1": "2:2: S905 unknown setting 'x y'",
    "strict = 1": "1:1: S905 'strict': true or false was expected",
    "strict = 'true'": "1:1: S905 'strict': true or false was expected",
    "\n  time-limit = true": "2:3: S905 'time-limit': a number was expected",
    "time-limit = 0": "1:1: S905 'time-limit': a positive number of seconds was expected, not '0'",
    "time-limit = inf": "1:1: S905 'time-limit': a positive number of seconds was expected",
    "time-limit = nan": "1:1: S905 'time-limit': a positive number of seconds was expected",
    "memory-limit = '2 elephants'": "1:1: S905 'memory-limit': a size such as 512M or 2G",
    "jobs = 1.5": "1:1: S905 'jobs': 1 to 1000 jobs, or auto, were expected, not '1.5'",
    "cache = true": "1:1: S905 'cache': a text or false was expected",
    "cache = ''": "1:1: S905 'cache': a text or false was expected",
    "cache = '/tmp'": "1:1: S905 'cache': '/tmp' lies outside the folder of this file",
    "report = ['json=../a.json']": "1:1: S905 'report': '../a.json' lies outside the folder",
    "report = ['json=.git/config']": "1:1: S905 'report': '.git/config' lies outside the folder",
    "report = ['js=a.json']": "1:1: S905 'report': FORMAT=PATH was expected, not 'js=a.json'",
    "report = 'json=a.json'": "1:1: S905 'report': a list of texts was expected",
    "paths = []": "1:1: S905 'paths': a list of texts was expected",
    "paths = [1]": "1:1: S905 'paths': a list of texts was expected",
    "paths = ['gone']": "1:1: S905 'paths': there is no 'gone'",
    "paths = ['-']": "1:1: S905 'paths': there is no '-'",
    "paths = ['empty']": "1:1: S905 'paths': 'empty': there is no spec file in this folder",
    "paths = ['*.json']": "1:1: S905 'paths': '*.json': no file matches this pattern",
    "fail-on = 'nothing'": "1:1: S905 'fail-on': leak or promise was expected",
    "required-version = '>=9'": "1:1: S905 this is verifier 0.1.0, and >=9 is required",
    "required-version = 'new'": "1:1: S905 'required-version': versions were expected",
    "strict = true\nstrict = true\n": "2:14: S905 not well-formed TOML",
    "strict\n": "1:7: S905 not well-formed TOML",
}


@each("text", WRONG)
def test_what_is_wrong_has_a_place_and_a_hint(text: str, capsys: Capture) -> None:
    Path("empty").mkdir(exist_ok=True)
    write("verifier.toml", text)
    said = refused(capsys)
    assert said.startswith(f"verifier.toml:{WRONG[text]}"), said
    assert "\n  hint: " in said


DECOY = "[project]\ntext = '''\n[tool.verifier]\njobs = 9\n'''\n# jobs\n"
WAYS = {
    "[tool.verifier]\njobs = 3": "8:1",
    "[tool]\nverifier.jobs = 3": "8:10",
    "[tool]\nverifier = {strict = false, jobs = 3}": "8:29",
    '["tool"."verifier"]\r\n  "jobs" = 3\r\n': "8:4",
    "[tool.verifier]\npaths = [ # jobs\n 'spec.yaml', # jobs\n]\njobs = 3": "11:1",
}


@each("text", WAYS)
def test_places_in_any_way_that_toml_has_to_write_a_key(text: str, capsys: Capture) -> None:
    """The place is that of the key, whatever strings and comments say before."""
    Path("pyproject.toml").write_bytes((DECOY + text).encode())
    assert shown(capsys)["jobs"] == ("3", f"pyproject.toml:{WAYS[text]}")


def test_files_that_cannot_be_read(capsys: Capture) -> None:
    Path("verifier.toml").write_bytes(b"strict = true # \xff\n")
    assert refused(capsys).startswith("verifier.toml:1:17: S905 the file is not UTF-8 text")
    Path("verifier.toml").unlink()
    Path("verifier.toml").symlink_to("nowhere")
    assert "verifier.toml:1:1: S905 cannot read the file" in refused(capsys)
    Path("verifier.toml").unlink()
    write("pyproject.toml", "[tool]\nverifier = 3\n")
    assert refused(capsys).startswith("pyproject.toml:2:1: S905 settings are a table")


def test_a_variable_that_is_wrong(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    for name, text in (("JOBS", "many"), ("STRICT", "yes"), ("FAIL_ON", "never")):
        monkeypatch.setenv(f"VERIFIER_{name}", text)
        said = refused(capsys)
        assert said.startswith(f"S905 VERIFIER_{name}: ") and f"'{text}'" in said
        monkeypatch.delenv(f"VERIFIER_{name}")


def test_required_versions() -> None:
    allowed = {
        ">=0.1": True,
        "0.1": True,
        "==0.1.0.0": True,
        ">0.1": False,
        "<0.1.1, >=0.0.9": True,
        "!=0.1.0": False,
        "~=0.1.0": True,
        "~=0.0.9": False,
        "~=0.1": True,
        "<=0.0.9": False,
    }
    assert {one: settings.is_allowed("0.1.0", one) for one in allowed} == allowed
    assert settings.is_allowed("0.10.0", ">0.9") and not settings.is_allowed("1.0", "~=0.9")


def test_check_without_files(capsys: Capture) -> None:
    """All spec files of the folder, or those of `paths`, from the folder of the settings."""
    write("models/a.yaml", HOLDS)
    write("other.json", "{}")
    assert cli.main(["check"]) == 0
    assert capsys.readouterr().out.endswith("2 ok\n")
    write("../verifier.toml", "paths = ['at/models', 'at/spec.*']\nreport = ['json=at/out.json']\n")
    assert cli.main(["check"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "models/a.yaml" and out.endswith("2 ok\n")
    assert json.loads(Path("out.json").read_text())["summary"]["ok"] == 2
    assert cli.main(["check", "models"]) == 0, "FILE goes before paths"
    assert capsys.readouterr().out.endswith("1 ok\n")
    Path("out.json").unlink()
    assert cli.main(["check", "--report", "html=out.html"]) == 0
    assert Path("out.html").exists() and not Path("out.json").exists(), "replaced, not extended"
    capsys.readouterr()
    assert cli.main(["check", "--dry-run"]) == 0
    assert capsys.readouterr().out.count("differential_privacy") == 2


def test_a_folder_without_spec_files_is_no_pass(folder: Path, capsys: Capture) -> None:
    Path("spec.yaml").unlink()
    assert "S001 there is no spec file in this folder" in refused(capsys)


def test_the_lock_has_what_check_has(capsys: Capture) -> None:
    write("models/a.yaml", HOLDS)
    write("verifier.toml", "paths = ['models']\n")
    assert cli.main(["lock"]) == 0
    assert capsys.readouterr().out == "verifier.lock: 1 check\n"
    assert cli.main(["check", "--locked"]) == 0
    Path("verifier.toml").unlink()
    assert cli.main(["check", "--locked"]) == 1, "spec.yaml is checked now, and not locked"
    assert "not locked" in capsys.readouterr().err
    assert cli.main(["lock"]) == 0
    Path("models/a.yaml").unlink()
    assert cli.main(["check", "--locked"]) == 1, "a locked file is gone"


def test_a_gate_that_is_made_weaker_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Strictness of a file is turned off by a stronger place: a note names both."""
    write("spec.yaml", NOTED)
    write("verifier.toml", "strict = true\n")
    assert cli.main(["check"]) == 1
    capsys.readouterr()
    assert cli.main(["check", "--no-strict"]) == 0
    said = capsys.readouterr().err
    assert said == "note: strict is false by --no-strict, true by verifier.toml:1:1\n"
    monkeypatch.setenv("VERIFIER_STRICT", "0")
    assert cli.main(["check"]) == 0
    said = capsys.readouterr().err
    assert said == "note: strict is false by VERIFIER_STRICT, true by verifier.toml:1:1\n"
    assert cli.main(["check", "--strict"]) == 1
    assert capsys.readouterr().err == ""


def test_a_gate_on_changes_that_is_made_weaker_is_told(capsys: Capture) -> None:
    for side, truth in (("old", "3/4"), ("new", "4/5")):
        write(f"{side}/a.yaml", HOLDS.replace("3/4", truth).replace("n: 3", "n: 9"))
    assert cli.main(["diff", "./old", "./new"]) == 1
    write("verifier.toml", "fail-on = 'promise'\n")
    capsys.readouterr()
    assert cli.main(["diff", "./old", "./new"]) == 0
    assert "note: fail-on is promise by verifier.toml:1:1, leak by default\n" in (
        capsys.readouterr().err
    )
    assert cli.main(["diff", "./old", "./new", "--fail-on", "leak"]) == 1
    assert cli.main(["diff", "./old", "./new", "--isolated"]) == 1


def test_reports_that_cannot_go_where_the_file_says(capsys: Capture) -> None:
    write("verifier.toml", "jobs = 1\nreport = ['json=a.json', 'html=./a.json']\n")
    assert refused(capsys) == "verifier.toml:2:1: 'a.json' cannot get two reports\n"
    write("verifier.toml", "report = ['json=spec.yaml']\n")
    assert refused(capsys) == "verifier.toml:1:1: 'spec.yaml' is a file that is read\n"


def test_the_cache_of_the_settings(capsys: Capture) -> None:
    write("../verifier.toml", "cache = 'kept'\n")
    assert cli.main(["check"]) == 0 and Path("../kept").is_dir()
    assert cli.main(["check", "--no-cache"]) == 0
    write("../verifier.toml", "cache = false\n")
    capsys.readouterr()
    assert "../verifier.toml:1:1: there is no cache" in refused(capsys, "cache")
    assert not Path(".verifier-cache").exists()


def test_other_commands_read_no_settings(capsys: Capture) -> None:
    write("verifier.toml", "nonsense = 1\n")
    assert cli.main(["explain", "S905"]) == 0
    assert cli.main(["schema"]) == 0


def test_the_schema_of_settings(capsys: Capture) -> None:
    """Every example is valid by it, and as settings; what the shapes refuse, it refuses too."""
    import tomllib

    assert cli.main(["schema", "--settings"]) == 0
    made = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(made)
    valid = Draft202012Validator(made).is_valid
    assert valid(tomllib.loads("\n".join(f"{one.name} = {one.example}" for one in SETTINGS)))
    assert set(settings.SHAPES) == set(schema.SHAPES)
    for text in ("x = 1", "strict = 1", "paths = []", "cache = true", "fail-on = 'x'", "jobs = 0"):
        assert not valid(tomllib.loads(text)), text


def test_no_file_costs_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """TOML is read only where a file may have settings."""
    monkeypatch.delitem(sys.modules, "tomllib", raising=False)
    write("pyproject.toml", "[project]\nname = 'x'\n")
    assert cli.main(["check", "-q"]) == 0 and "tomllib" not in sys.modules
    write("pyproject.toml", "[tool.verifier]\n")
    assert cli.main(["check", "-q"]) == 0 and "tomllib" in sys.modules


def test_statistics(capsys: Capture) -> None:
    """Checks of each definition by status, and their time."""
    more = "  - differential_privacy: {exp_epsilon: 2}\n  - sensitivity: {query: r1}\n"
    write("spec.yaml", HOLDS + more)
    assert cli.main(["check", "--statistics", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    by = {row["definition"]: row for row in report["statistics"]}
    counts = {"differential_privacy": (2, 1, 1), "sensitivity": (1, 1, 0)}
    for name, (checks, ok, failed) in counts.items():
        row, found = by[name], [one for one in report["results"] if one["definition"] == name]
        assert (row["checks"], row.get("ok", 0), row.get("failed", 0)) == (checks, ok, failed)
        assert row["seconds"] == pytest.approx(sum(one["seconds"] for one in found), abs=0.002)
        assert row["longest"]["seconds"] == max(one["seconds"] for one in found)
    assert cli.main(["check", "--statistics", "-q"]) == 1
    assert "  differential_privacy: 1 ok, 1 failed; " in capsys.readouterr().out
    assert cli.main(["check", "--statistics", "--format", "sarif"]) == 2
