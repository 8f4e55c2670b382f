"""The wrong and the right lines of each code: the one raises it, the other does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import bad_files
from tests.lab.adapters import toy
from verifier import cli
from verifier.base.error_examples import COMMAND, EXAMPLES, SPEC, Example
from verifier.base.errors import CODES, NOTES, InputError
from verifier.run import verify

pytestmark = pytest.mark.usefixtures("here")

NAMED = "worlds: [sun, rain]\n"
PYTHON = "mechanism: {python: {file: noise.py, function: noise}}\n"
PARAMETER = "mechanism: {randomized_response: {truth: $truth}}\n"
# what the examples in other files, and the commands, are about
FRAMES = {
    "table.csv": f"{NAMED}mechanism: {{csv: table.csv}}\n",
    "noise.py": PYTHON,
    "noise.yaml": PYTHON,
    "interval.yaml": "parameters: {p: 1/2 < p < 1}\n"
    "mechanism: {randomized_response: {truth: p}}\n"
    "checks: [{differential_privacy: {exp_epsilon: p/(1 - p)}}]\n",
    "parameters.yaml": f"{PARAMETER}checks: [{{differential_privacy: {{exp_epsilon: 2}}}}]\n",
}
READERS = {  # the commands that read files that are no spec files
    "accepted.yaml": f"diff ./ ./ {SPEC} --accept accepted.yaml",
    "verifier.lock": f"lock {SPEC}",
    "verifier.toml": f"check {SPEC}",
}
NOISE = EXAMPLES["S112"].good
TABLE = "world,yes,no\n00,1/2,1/2\n01,1/2,1/2\n10,1/2,1/2\n11,1/3,2/3\n"


def whole(text: str) -> str:
    """A part of a file, with the keys that it leaves out, and what `…` stands for."""
    many = re.search(r"w1, w2, …, w(\d+)", text)
    if many:
        text = text.replace(many[0], ", ".join(f"w{i}" for i in range(1, int(many[1]) + 1)))
    return text if text.startswith("#") else bad_files.completed(text)


def encoded(text: str) -> bytes:
    """A file as it is saved: as its text says, or as UTF-8."""
    saved = re.search(r"saved as ([\w-]+)", text)
    return text.encode(saved[1] if saved else "utf-8")


def said(text: str, example: Example, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The codes of all errors and notes about a text, in the current folder."""
    for name, frame in FRAMES.items():
        path = Path(name if name.endswith(".yaml") else f"{name}.yaml")
        path.write_text(bad_files.completed(frame), encoding="utf-8")
    Path("noise.py").write_text(NOISE, encoding="utf-8")
    Path("table.csv").write_text(TABLE, encoding="utf-8")
    if example.file == COMMAND:
        Path(SPEC).write_text(bad_files.completed(""), encoding="utf-8")
        command = text.partition("#")[0].split()[1:]
        Path("verifier.lock").write_text(EXAMPLES["S902"].good + "\n", encoding="utf-8")
        if "moved.yaml" in command:
            assert cli.main(["lock", SPEC]) == 0
            Path(SPEC).rename("moved.yaml")
        cli.main(command)
        output = capsys.readouterr()
        return codes(output.out + output.err)
    if example.file in READERS:
        Path(SPEC).write_text(bad_files.completed(""), encoding="utf-8")
        Path(example.file).write_text(f"{text}\n", encoding="utf-8")
        cli.main(READERS[example.file].split())
        output = capsys.readouterr()
        return codes(output.out + output.err)
    Path(example.file).write_bytes(encoded(whole(text) if example.file == SPEC else text))
    try:
        file = SPEC if example.file == SPEC else f"{example.file}.yaml"
        results = list(verify.run(file, verify.Options(allow_python=True)))
    except InputError as error:
        return {one.code for one in error.all}
    return {note.code for result in results for note in result.notes}


def codes(text: str) -> set[str]:
    """The codes in a text."""
    return set(re.findall(r"\b[SN]\d{3}\b", text))


def test_every_code_has_an_example() -> None:
    assert list(EXAMPLES) == [*CODES, *NOTES]


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_wrong_line_raises_its_code_and_the_right_one_is_read(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    toy.install_reports(monkeypatch)
    example = EXAMPLES[code]
    assert said(example.bad, example, capsys) >= {code}
    right = said(example.good, example, capsys)
    assert code not in right
    assert not any(other.startswith("S") for other in right)


@pytest.mark.parametrize("code", ["S309", "S108", "N101"])
def test_explain_prints_both(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", code]) == 0
    printed = capsys.readouterr().out
    for text in (EXAMPLES[code].bad, EXAMPLES[code].good):
        assert "".join(f"    {line}\n" for line in text.split("\n")) in printed
