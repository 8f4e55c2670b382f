"""The Dockerfile, as far as it can be looked at without an engine that builds images.

`tests/packaging` runs what it installs.
"""

from __future__ import annotations

import re

from tests.pages import ROOT

LINES = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
STEPS = [line.split(maxsplit=1) for line in LINES if line and not line.startswith("#")]
STAGES = ("FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD")


def test_it_has_known_instructions_only() -> None:
    assert {word for word, _ in STEPS} == set(STAGES)
    assert STEPS[0][0] == "FROM"


def test_its_stages_are_there() -> None:
    bases = [rest.split() for word, rest in STEPS if word == "FROM"]
    made = {words[2] for words in bases if words[1:2] == ["AS"]}
    named = set(re.findall(r"from=(\w+)", " ".join(rest for _, rest in STEPS)))
    assert named == made == {"build"}
    assert {words[0] for words in bases} == {"python:3.12-slim"}


def test_it_does_not_run_as_root() -> None:
    words = [word for word, _ in STEPS]
    assert words.index("USER") > max(at for at, word in enumerate(words) if word == "RUN")


def test_what_it_must_not_take_along_stays_out() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {".git", ".venv"} <= set(ignored)
