"""Git repositories with a file of promises, for the tests of hooks and builds."""

from __future__ import annotations

import subprocess
from pathlib import Path

NAME = "survey.privacy.yaml"
SURVEY = """\
worlds: {{records: [ann, bob], domain: [0, 1]}}
mechanism: {{randomized_response: {{truth: {truth}}}}}
checks:
  - name: one participant
    differential_privacy: {{exp_epsilon: {level}}}
"""
GOOD = SURVEY.format(truth="3/4", level=9)  # it leaks 3
WORSE = SURVEY.format(truth="4/5", level=9)  # it leaks 4, and keeps its promise
BROKEN = SURVEY.format(truth="10/11", level=9)  # it leaks 10


def git(folder: Path, *arguments: str) -> str:
    """What a command of git prints; CalledProcessError where it fails."""
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *settings, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(folder: Path, text: str, message: str = "a change") -> str:
    """Commit the file of promises, with a text; the commit's name."""
    (folder / NAME).write_text(text, encoding="utf-8")
    git(folder, "add", NAME)
    git(folder, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def proposed(folder: Path, text: str, depth: int | None = None) -> Path:
    """A clone in which a change is checked out, as a build of a pull request has it.

    folder  where the repositories go
    text    of the file of promises after the change; on the main branch it is GOOD
    depth   of the history that the clone has; all of it by default
    """
    origin, clone = folder / "origin", folder / "clone"
    origin.mkdir(parents=True)
    git(origin, "init", "--quiet", "--initial-branch", "main")
    commit(origin, GOOD, "begin")
    git(origin, "checkout", "--quiet", "-b", "change")
    commit(origin, text)
    git(origin, "checkout", "--quiet", "main")
    (origin / "other.txt").write_text("somebody else's", encoding="utf-8")
    git(origin, "add", "other.txt")
    git(origin, "commit", "--quiet", "--message", "elsewhere")
    shallow = [f"--depth={depth}"] if depth else []
    address = f"file://{origin}"
    git(folder, "clone", "--quiet", "--branch", "change", *shallow, address, str(clone))
    return clone
