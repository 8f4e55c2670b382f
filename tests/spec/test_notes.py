"""Notes: what a file says that nobody asked for is told, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier import cli, verify
from verifier.base.document import Notes
from verifier.base.errors import NOTES, Place
from verifier.world.language.slips import misspelt

WORLDS = "worlds: {records: [ann, bob], domain: [0, 1]}\n"
CHECKS = "checks: [{differential_privacy: {exp_epsilon: 9, neighbours: all}}]\n"
BIT = "mechanism: {randomized_response: {truth: 3/4}}\n"


def told(tmp_path: Path, text: str) -> list[tuple[str, int]]:
    """The code and the line of each note on a file."""
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    results = list(verify.run(str(path)))
    notes = [note for result in results for note in result.notes]
    assert all(note.place is not None and note.place.file == str(path) for note in notes)
    return [(note.code, note.place.line) for note in notes if note.place]


def program(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{WORLDS}mechanism:\n  program: |\n{body}{CHECKS}"


TOLD = {
    "a sum that is never so large": (
        program("if ann + bob == 3:", "    return 1", "return 0"),
        [("N101", 4), ("N102", 5)],
    ),
    "a comparison that always holds": (
        program("if ann + bob < 3:", "    return ann", "return 0"),
        [("N101", 4), ("N102", 6)],
    ),
    "an expression": (
        f"{WORLDS}mechanism: {{deterministic: 1 if ann + bob == 7 else bob}}\n{CHECKS}",
        [("N101", 2)],
    ),
    "the same in each round": (
        program("for i in range(3):", "    if i == 7:", "        return 1", "return ann"),
        [("N101", 5), ("N102", 6)],
    ),
    "different in another round": (
        program("for i in range(3):", "    if i == 2:", "        return 1", "return ann"),
        [("N102", 7)],
    ),
    "a line that is reached in one world": (
        program("if ann == 1 and bob == 1:", "    return 1", "return 0"),
        [],
    ),
    "a secret": (f"{WORLDS}secrets: {{s: ann == 1}}\n{BIT}{CHECKS}", [("N103", 2)]),
    "a secret that another one uses": (
        f"{WORLDS}secrets:\n  s: ann == 1\n  t: s and bob == 1\n{BIT}{CHECKS}",
        [("N103", 4)],
    ),
    "a secret in a mechanism": (
        f"{WORLDS}secrets: {{s: ann == 1}}\nmechanism: {{deterministic: s}}\n"
        "checks: [{sensitivity: {query: ann, equals: 1}}]\n",
        [],
    ),
    "secrets of pairs": (
        f"{WORLDS}secrets: {{s: ann == 1, t: ann == 0}}\npairs: [[s, t]]\n{BIT}{CHECKS}",
        [],
    ),
    "the priors": (f"{WORLDS}priors: all\n{BIT}{CHECKS}", [("N104", 2)]),
    "one of two priors": (
        f"{WORLDS}priors: {{one: all, other: product}}\n{BIT}"
        "checks: [{pufferfish: {exp_epsilon: 9, pairs: values}, priors: one}]\n",
        [("N104", 2)],
    ),
    "nothing compared": (
        f"worlds: [sun]\nmechanism: {{table: {{outputs: [a], sun: [1]}}}}\n{CHECKS}",
        [("N105", 3)],
    ),
    "nothing compared, as expected": (
        "worlds: [sun]\nmechanism: {table: {outputs: [a], sun: [1]}}\n"
        "checks: [{differential_privacy: {epsilon: 1, neighbours: all}, expect: vacuous}]\n",
        [],
    ),
    "a misspelt variable": (
        program("best = 0", "if ann == 1:", "    bset = 1", "return best"),
        [("N107", 6)],
    ),
    "a variable for itself": (program("n = 0", "n += ann", "return 1"), [("N107", 4), ("N107", 5)]),
    "a variable that is meant to be unused": (
        program("_ = draw(bernoulli(1/2))", "return ann"),
        [],
    ),
    "a quoted number": (
        program("x = '0'", "if ann == 1:", "    x = 1", "return x"),
        [("N108", 4)],
    ),
    "a quoted truth": (program("return 'True' if ann == 1 else False"), [("N108", 4)]),
    "the names of worlds": (program("return 1 if world in ['00', '11'] else 0"), []),
    "a misspelt output": (
        program(
            "if ann == 1:", "    return 'yes'", "if bob == 1:", "    return 'yess'", "return 0"
        ),
        [("N109", 4)],
    ),
    "a misspelt output of an expression": (
        f"{WORLDS}mechanism:\n  deterministic: \"'nothing' if ann == 1 else 'nohting'\"\n{CHECKS}",
        [("N109", 3)],
    ),
    "a misspelt output of a map": (
        f"{WORLDS}mechanism:\n  post_process:\n    of: {{randomized_response: {{truth: 3/4}}}}\n"
        f"    map: {{00: same, 01: other, 10: other, 11: smae}}\n{CHECKS}",
        [("N109", 5)],
    ),
    "a quoted name": (program("return 'ann'"), [("N110", 4)]),
    "names of variables": (
        program("low = ann", "high = bob", "return 'low' if low > high else 'high'"),
        [],
    ),
    "one of them without quotes": (
        program("low = ann", "high = bob", "return low if low > high else 'high'"),
        [("N110", 6)],
    ),
    "constraints that follow from others": (
        "worlds:\n  records: [ann, bob]\n  domain: [0, 1]\n"
        f"  where: [ann == bob, not (ann == 1 and bob == 0)]\n{BIT}{CHECKS}",
        [],
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told(name: str, tmp_path: Path) -> None:
    text, expected = TOLD[name]
    assert told(tmp_path, text) == expected


NOISY = """\
worlds: {{records: [ann, bob], domain: [0, 1]}}
mechanism:
  program: |
    return ann + bob + draw(geometric({center}, 1/2, {low}, {high}))
checks:
  - differential_privacy: {{exp_epsilon: {level}}}
"""


def test_clamped_noise_is_told(tmp_path: Path) -> None:
    """Noise in [-2, 2] cannot give 4 where the sum is 1: infinite, but 2 with a wider range."""
    text = NOISY.format(center=0, low=-2, high=2, level=2)
    assert told(tmp_path, text) == [("N106", 4)]
    assert told(tmp_path, f"{text}    expect: violated\n") == []


CHOSEN = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism:
  program: |
    return ann + draw(geometric(0, 1/2, 0, 1)) > bob + draw(geometric(0, 1/2, 0, 1))
checks:
  - differential_privacy: {exp_epsilon: 8/5}
"""


def test_what_noise_without_clamps_would_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For free X and Y, P(X = Y) = 5/27 and P(X = Y + 1) = 4/27: P(X > Y)/P(X > Y + 1) = 11/7."""
    path = tmp_path / "spec.yaml"
    path.write_text(CHOSEN, encoding="utf-8")
    assert cli.main(["check", str(path)]) == 1
    said = capsys.readouterr().out
    assert "without clamps its ratio would be about 1.57143, not infinite" in said


def test_a_clamped_release_is_not_told(tmp_path: Path) -> None:
    """Clamped around the data the ratio is 2 whatever the range: the level is at fault."""
    text = NOISY.format(center="ann + bob", low=-3, high=3, level="3/2").replace("ann + bob + ", "")
    assert told(tmp_path, text) == []


def test_strict_makes_notes_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(f"{WORLDS}priors: all\n{BIT}{CHECKS}", encoding="utf-8")
    assert cli.main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert f"  note: {path}:2:9: N104 the priors are used by no check\n1 ok, 1 note\n" in said
    assert cli.main(["check", "--strict", str(path)]) == 1
    capsys.readouterr()
    assert cli.main(["check", "--strict", "--format", "json", str(path)]) == 1
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    assert note == {
        "file": str(path),
        "line": 2,
        "column": 9,
        "code": "N104",
        "message": "the priors are used by no check",
    }
    path.write_text(f"{WORLDS}{BIT}{CHECKS}", encoding="utf-8")
    assert cli.main(["check", "--strict", str(path)]) == 0


def test_a_note_is_told_once_and_in_order() -> None:
    notes = Notes()
    for line in (3, 1, 3):
        notes.tell("N103", "x", Place("a.yaml", line, 1))
    notes.outcomes(Place("a.yaml", 2, 1), "a == b").add(True)
    notes.outcomes(Place("a.yaml", 4, 1), "a == b").update({True, False})
    assert [(note.code, note.place.line) for note in notes.all() if note.place] == [
        ("N103", 1),
        ("N101", 2),
        ("N103", 3),
    ]


def test_every_note_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for code in NOTES:
        assert cli.main(["explain", code]) == 0
        assert capsys.readouterr().out.startswith(f"{code}: ")


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        *(("yes", "yess", True), ("yes", "yse", True), ("Flu", "flu", True), ("no", "noo", True)),
        *(("sound", "round", True), ("nothing", "nothin", True)),
        *(("yes", "no", False), ("a", "b", False), ("a", "ab", False), ("left1", "left2", False)),
        *(("high", "low", False), ("here", "there_is", False), ("bin", "bit", False)),
    ],
)
def test_words_that_may_be_misspelt(a: str, b: str, alike: bool) -> None:
    assert bool(misspelt([a, b])) == alike
