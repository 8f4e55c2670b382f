"""`verifier init`: every first file is decided as its comments say, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.models.model_files import MODELS
from verifier import cli
from verifier.cli import init

pytestmark = pytest.mark.usefixtures("here")

SPECS = [kind for kind in init.KINDS if kind != "ci"]
GIVEN = [[kind] for kind in SPECS] + [["--like", name] for name in init.LIKE]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("given", GIVEN)
def test_what_it_says_to_do_next_succeeds(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    kind = given[-1]
    assert cli.main(["init", *given]) == 0
    first, *steps = capsys.readouterr().out.splitlines()
    assert first == f"{kind}.privacy.yaml: written; next:"
    assert steps == [
        f"  verifier check {kind}.privacy.yaml",
        f"  verifier show {kind}.privacy.yaml",
    ]
    for step in steps:
        assert cli.main([*step.split()[1:], "--strict"]) == 0


@pytest.mark.parametrize("kind", SPECS)
def test_its_comments_name_commands_that_run(kind: str) -> None:
    cli.main(["init", kind])
    lines = Path(f"{kind}.privacy.yaml").read_text(encoding="utf-8").splitlines()
    commands = [line.split(":", 1)[1].split() for line in lines if ": " in line and "# " in line]
    commands = [words for words in commands if words[:1] == ["verifier"]]
    assert len(commands) == 2
    for words in commands:
        assert cli.main(words[1:]) == 0


def test_every_deployed_system_is_an_example() -> None:
    assert set(init.LIKE) == {path.stem for path in (MODELS / "deployed").glob("*.yaml")}


def test_a_survey_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init"]) == 0
    assert Path("survey.privacy.yaml").is_file()


def test_what_is_there_stays(capsys: pytest.CaptureFixture[str]) -> None:
    Path("survey.privacy.yaml").write_text("mine", encoding="utf-8")
    assert cli.main(["init", "survey"]) == 2
    assert capsys.readouterr().err == (
        "S702 'survey.privacy.yaml' is there already\n  hint: name another one with --out\n"
    )
    assert Path("survey.privacy.yaml").read_text(encoding="utf-8") == "mine"


def test_another_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init", "blowfish", "--out", "privacy/ages.yaml"]) == 0
    assert "verifier check privacy/ages.yaml" in capsys.readouterr().out
    assert cli.main(["check", "privacy/ages.yaml"]) == 0


def test_a_workflow(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init", "ci"]) == 0
    written = Path(".github/workflows/privacy.yml")
    assert "jobs" in yaml.safe_load(written.read_text(encoding="utf-8"))
    assert f"git add {written}" in capsys.readouterr().out
