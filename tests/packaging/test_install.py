"""The distributions, built, installed in fresh environments and used there; asks an index."""

from __future__ import annotations

import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.packaging.building import Environment, copied, interpreter, output
from tests.packaging.test_distribution import PROJECT
from tests.pages import ROOT
from tests.services.repository import BROKEN, GOOD, NAME

pytestmark = pytest.mark.packaging
VERSIONS = [
    text.rpartition(" ")[2]
    for text in PROJECT["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", text)
]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and with the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("build")
    sources = copied(folder / "sources")
    output([sys.executable, "-m", "build", "--outdir", folder / "dist"], sources)
    return folder / "dist"


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    (found,) = distributions.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def unpacked(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked."""
    (sdist,) = distributions.glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / sdist.name.removesuffix(".tar.gz")


def test_the_wheel_has_what_is_needed_and_no_more(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {str(p.relative_to(ROOT)) for p in (ROOT / "verifier").rglob("*.py")}
    assert modules <= names
    about = wheel.name.removesuffix("-py3-none-any.whl")
    assert {name.split("/")[0] for name in names} == {"verifier", f"{about}.dist-info"}
    assert "verifier/share/models/pufferfish/correlated-records.yaml" in names
    assert "verifier/share/docs/how-to/pytest.md" in names
    assert "verifier/py.typed" in names
    assert not [name for name in names if name.startswith("verifier/share") and name[-3:] == ".py"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_wheel_works_in_a_fresh_environment(wheel: Path, tmp_path: Path, version: str) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    fresh = Environment.fresh(python, tmp_path / "environment")
    fresh.install(wheel, "pytest")
    fresh.run("python", "-m", "pip", "check", within=tmp_path)
    assert fresh.run("verifier", "--version", within=tmp_path) == f"verifier {PROJECT['version']}\n"
    listed = fresh.run("verifier", "models", within=tmp_path)
    assert "randomized_response" in listed
    models = fresh.run("verifier", "models", "--files", within=tmp_path).splitlines()
    assert len(models) == len(list((ROOT / "models").glob("*/*.yaml")))
    (one,) = (path for path in models if path.endswith("pufferfish/correlated-records.yaml"))
    assert "ok" in fresh.run("verifier", "check", one, within=tmp_path)
    fresh.run("verifier", "init", within=tmp_path)
    assert "3 passed" in fresh.run("pytest", "-q", "survey.privacy.yaml", within=tmp_path)


def test_the_wheel_works_as_a_command_of_its_own(wheel: Path, tmp_path: Path) -> None:
    """With pipx."""
    tool = Environment.fresh(sys.executable, tmp_path / "tool")
    tool.install("pipx")
    places = {"PIPX_HOME": str(tmp_path / "home"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    output([tool.folder / "bin" / "pipx", "install", wheel], tmp_path, **places)
    (tmp_path / NAME).write_text(GOOD, encoding="utf-8")
    printed = output([tmp_path / "bin" / "verifier", "check", NAME], tmp_path)
    assert printed.endswith("1 ok\n")


def test_extras_install_what_they_say(wheel: Path, tmp_path: Path) -> None:
    fresh = Environment.fresh(sys.executable, tmp_path / "environment")
    fresh.install(f"{wheel}[completion,html,terminal]")
    assert "verifier" in fresh.run("verifier", "completion", "bash", within=tmp_path)
    fresh.run("python", "-c", "import jinja2, rich", within=tmp_path)


def test_the_sdist_tests_itself(unpacked: Path) -> None:
    """A part of what `make quick` runs, with its own modules and in this environment."""
    places = {"PYTHONPATH": str(unpacked)}
    found = output([sys.executable, "-c", "import verifier; print(verifier)"], unpacked, **places)
    assert str(unpacked) in found
    parts = ["base", "spec", "commands", "packaging", "report", "test_docs.py", "test_readme.py"]
    arguments = ["-n", "0", "-m", "quick and not packaging", "--hypothesis-profile=quick"]
    arguments += [f"tests/{part}" for part in parts]
    assert " passed" in output(
        [sys.executable, "-m", "pytest", *arguments, "-o", "addopts=--import-mode=importlib"],
        unpacked,
        **places,
    )


def test_the_sdist_has_all_that_is_tracked(unpacked: Path) -> None:
    def files(folder: Path) -> set[str]:
        found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        skipped = {"share", "__pycache__", ".verifier-cache", ".git", ".venv", "site"}
        return {
            str(path)
            for path in found
            if not skipped & set(path.parts) and "_cache" not in path.parts[0]
        }

    generated = {"PKG-INFO", "setup.cfg"}
    here = {name for name in files(ROOT) if "egg-info" not in name and ".hypothesis" not in name}
    there = {name for name in files(unpacked) if "egg-info" not in name} - generated
    assert here - there == {".dockerignore"}


def test_what_the_image_installs(tmp_path: Path) -> None:
    """The commands of the Dockerfile that need no engine, in an environment of their own."""
    sources, wheels = copied(tmp_path / "sources"), tmp_path / "wheels"
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    commands = re.findall(r"python (-m pip (?:wheel|install) .*)", text)
    assert len(commands) == 2
    build = Environment.fresh(sys.executable, tmp_path / "build")
    final = Environment.fresh(sys.executable, tmp_path / "final")
    for environment, command in zip((build, final), commands, strict=True):
        arguments = command.replace("/wheels", str(wheels)).replace('"', "").split()
        environment.run("python", *arguments, within=sources)
    (tmp_path / NAME).write_text(GOOD, encoding="utf-8")
    assert "1 ok" in final.run("verifier", "check", NAME, within=tmp_path)


def test_pre_commit_runs_the_hooks(tmp_path: Path) -> None:
    """In a real repository, with hooks from a repository of this project."""
    from tests.services.repository import git

    project, home = copied(tmp_path / "project"), tmp_path / "home"
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--no-verify", "--message", "all")
    revision = git(project, "rev-parse", "HEAD")
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "--quiet")
    config = f"repos:\n- repo: {project}\n  rev: {revision}\n  hooks: [{{id: verifier-check}}]\n"
    (work / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    (work / NAME).write_text(GOOD, encoding="utf-8")
    git(work, "add", "--all")
    command = [sys.executable, "-m", "pre_commit", "run", "--all-files"]
    places = {"PRE_COMMIT_HOME": str(home), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    printed = output(command, work, **places)
    assert "promises of privacy hold" in printed and "Passed" in printed
    (work / NAME).write_text(BROKEN, encoding="utf-8")
    git(work, "add", "--all")
    with pytest.raises(AssertionError, match="FAILED  one participant: violated"):
        output(command, work, **places)
    shutil.rmtree(home)
