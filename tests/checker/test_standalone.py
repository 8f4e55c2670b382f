"""`privacy-checker.pyz`: one file, in an interpreter that has nothing installed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.pages import CERTIFICATES
from verifier import cli
from verifier.standalone import build, main

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
BARE = [sys.executable, "-S", "-I"]  # no packages, and nothing of the environment
CHECKS = [
    {"differential_privacy": {"exp_epsilon": 3}, "name": "fine"},
    {"differential_privacy": {"exp_epsilon": 2}, "expect": "violated", "leakage": 3},
]


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build.build(tmp_path_factory.mktemp("dist") / "privacy-checker.pyz")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """A folder with `spec.json`, and certificates of its two checks below `c`."""
    monkeypatch.chdir(tmp_path)
    write(CHECKS)
    assert cli.main(["check", "spec.json", "--certificates", "c"]) == 0
    capsys.readouterr()
    return tmp_path


def write(checks: list[dict[str, Any]], **more: Any) -> None:
    """The file spec.json."""
    mechanism = {"randomized_response": {"truth": "3/4"}}
    whole = {"worlds": {"records": 2, "domain": [0, 1]}, "mechanism": mechanism, **more}
    Path("spec.json").write_text(json.dumps({**whole, "checks": checks}), encoding="utf-8")


def certified(capsys: Capture, *arguments: str) -> tuple[int, str]:
    """What it does with certificates below `c`, in this process."""
    status = main.main(["certify", *(arguments if arguments[:1] == ("d",) else ("c", *arguments))])
    said = capsys.readouterr()
    return status, said.out + said.err


def bare(checker: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*BARE, checker, *arguments], capture_output=True, text=True, check=False)


def test_it_is_the_checker_and_the_same_bytes_each_time(checker: Path, tmp_path: Path) -> None:
    assert build.build(tmp_path / "again.pyz").read_bytes() == checker.read_bytes()
    with ZipFile(checker) as archive:
        names = set(archive.namelist())
    folder = build.ROOT / "verifier" / "checker"
    of_package = [f"verifier/{name}.py" for name in ("__init__", "base/__init__", "base/version")]
    own = {f"verifier/checker/{path.name}" for path in folder.glob("*.py")}
    assert names == {"LICENSE", "__main__.py", "main.py", *of_package} | own


def test_it_imports_the_standard_library_only() -> None:
    """PyYAML but where a file is YAML; and what is too old a Python can still say so."""
    found = set()
    for node in ast.walk(ast.parse(Path(main.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name.split(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    assert found - set(sys.stdlib_module_names) == {"verifier", "yaml"}
    ast.parse(build.START, feature_version=(3, 7))


def test_without_anything_installed(checker: Path, made: Path) -> None:
    """The same answers as of `verifier certify`, of every kind of certificate."""
    done = bare(checker, "certify", "c", "--spec", "spec.json")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "c/spec.json-1.json: accepted: the evidence proves the claim"
    assert lines[2].endswith("that this is what check 1 of spec.json asks")
    assert lines[5].endswith("what check 2 of spec.json asks, and the leakage that it expects")
    assert lines[6:] == ["accepted: 1 holds, 1 violated"]
    done = bare(checker, "certify", str(CERTIFICATES), "-q")
    assert (done.returncode, done.stderr) == (0, "")
    count = sum(int(part.split()[0]) for part in done.stdout[len("accepted: ") :].split(", "))
    assert count == len(list(CERTIFICATES.glob("*.json")))
    Path("spec.yaml").write_text("worlds: [a]\n")
    done = bare(checker, "certify", "c", "--spec", "spec.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("spec.yaml: this is YAML, and PyYAML is not installed.")
    assert bare(checker, "--version").stdout.startswith("privacy-checker ")


def test_what_is_rejected_or_refused(made: Path, capsys: Capture) -> None:
    document = json.loads(Path("c/spec.json-1.json").read_text())
    document["answer"]["leakage"] = {"exp_epsilon": "2"}
    Path("c/forged.json").write_text(json.dumps(document))
    status, said = certified(capsys, "-q")
    assert status == 4 and "c/forged.json: rejected: " in said
    Path("c/forged.json").write_text("[1, 2")
    assert certified(capsys)[0] == 2
    Path("c/forged.json").unlink()
    Path("d").mkdir()
    assert certified(capsys, "d") == (2, "there are no certificates\n")
    assert certified(capsys, "--expect", "holds")[0] == 1
    assert certified(capsys, "--expect", "holds", "--spec", "spec.json")[0] == 2


def test_certificates_of_another_file(made: Path, capsys: Capture) -> None:
    """A file that has changed by a blank has other bytes: its certificates are stale."""
    assert certified(capsys, "--spec", "spec.json")[0] == 0
    text = Path("spec.json").read_text()
    Path("spec.json").write_text(text + " ")
    status, said = certified(capsys, "--spec", "spec.json")
    assert status == 1 and "the file has changed since" in said
    assert "spec.json: check 2: no accepted certificate answers this check" in said
    Path("spec.json").write_text(text)
    Path("c/again.json").write_bytes(Path("c/spec.json-1.json").read_bytes())
    status, said = certified(capsys, "--spec", "spec.json")
    assert status == 1 and "another certificate answers the same check" in said
    Path("c/again.json").unlink()
    Path("c/spec.json-2.json").unlink()
    assert certified(capsys, "--spec", "spec.json")[0] == 1


def forged(**source: Any) -> None:
    """The second certificate as if it were of another place; the checker accepts it there."""
    path = Path("c/spec.json-2.json")
    document = json.loads(path.read_text())
    document["question"]["source"] |= source
    text = json.dumps(document["question"], sort_keys=True, separators=(",", ":"))
    document["digest"] = main.digest_of(text.encode())
    path.write_text(json.dumps(document))


def test_a_certificate_at_another_place(made: Path, capsys: Capture) -> None:
    forged(check=0)  # where holds is expected
    status, said = certified(capsys, "--spec", "spec.json")
    assert status == 1 and "it says violated, expected holds" in said
    forged(check=7)
    assert certified(capsys, "--spec", "spec.json")[0] == 1
    forged(check=1, files={"../spec.json": f"sha256:{'0' * 64}"})
    status, said = certified(capsys, "--spec", "spec.json")
    assert status == 1 and "which spec.json reads, has changed since" in said
    write([CHECKS[0], {"sensitivity": {"query": "r1"}, "expect": "violated"}])
    forged(check=1, files={}, spec=main.digest_of(Path("spec.json").read_bytes()))
    status, said = certified(capsys, "--spec", "spec.json")
    assert status == 1 and "check 2 of spec.json has another definition" in said


def test_digests_of_the_lock(made: Path, capsys: Capture) -> None:
    """A lock has the digests of questions without their place; `certify` needs nothing else."""
    assert cli.main(["lock", "spec.json"]) == 0
    lines = [json.loads(line) for line in Path("verifier.lock").read_text().splitlines()[1:]]
    named = [word for line in lines for word in ("--digest", line["digest"])]
    capsys.readouterr()
    assert certified(capsys, *named)[0] == 0
    status, said = certified(capsys, *named[:2])
    assert status == 1 and "its question has none of these digests" in said
    unknown = f"sha256:{'0' * 64}"
    status, said = certified(capsys, *named, "--digest", unknown)
    assert status == 1 and f"{unknown}: no accepted certificate answers this check" in said


def test_spec_files_that_it_cannot_read(made: Path, capsys: Capture) -> None:
    for text in ("[1", '{"checks": []}', '{"checks": 3}', "3", '{"a": 1, "a": 2}'):
        Path("spec.json").write_text(text)
        status, said = certified(capsys, "--spec", "spec.json")
        assert status == 2 and said.startswith("spec.json: "), text
    write(CHECKS, parameters={"p": [1, 2]})
    status, said = certified(capsys, "--spec", "spec.json")
    assert status == 2 and "name them by --digest" in said
    assert certified(capsys, "--spec", "gone.json")[0] == 2


def test_yaml_where_it_can_be_read(made: Path, capsys: Capture) -> None:
    Path("spec.json").rename("spec.yaml")  # JSON is YAML
    assert cli.main(["check", "spec.yaml", "--certificates", "d"]) == 0
    capsys.readouterr()
    assert certified(capsys, "d", "--spec", "spec.yaml")[0] == 0


def test_names_that_want_to_be_taken_for_answers(made: Path, capsys: Capture) -> None:
    forged(name="x\n\x1b[2Kc/a.json: accepted\u202e")
    status, said = certified(capsys)
    assert status == 0 and "\\n\\x1b[2Kc/a.json: accepted\\u202e" in said
    assert "\x1b" not in said and "\u202e" not in said
