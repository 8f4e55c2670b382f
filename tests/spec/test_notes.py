"""Notes: what a file says that nobody asked for is told, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier import cli
from verifier.base.document import Notes
from verifier.base.errors import NOTES, Place
from verifier.run import verify
from verifier.world.language.slips import misspelt

WORLDS = "worlds: {records: [ann, bob], domain: [0, 1]}\n"
CHECKS = "checks: [{differential_privacy: {exp_epsilon: 9, neighbours: all}}]\n"
BIT = "mechanism: {randomized_response: {truth: 3/4}}\n"


def told(tmp_path: Path, text: str) -> list[tuple[str, int]]:
    """The code and the line of each note on a file."""
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    results = verify.check(path).results
    notes = [note for result in results for note in result.notes]
    assert all(note.place is not None and note.place.file == str(path) for note in notes)
    return [(note.code, note.place.line) for note in notes if note.place]


def program(*lines: str) -> str:
    """A file about a program; a record that it does not name is one that may be unused."""
    body = "".join(f"    {line}\n" for line in lines)
    worlds = WORLDS if "bob" in body or "world" in body else WORLDS.replace("bob", "_bob")
    return f"{worlds}mechanism:\n  program: |\n{body}{CHECKS}"


def asks(check: str, rest: str = BIT, worlds: str = WORLDS) -> str:
    """A file with one check of two lines of text, the last but one of all."""
    return f"{worlds}{rest}checks:\n  - {check}\n"


ABSENT = "worlds: {records: 3, domain: [0, 1], absent: true}\n"
PEOPLE = "mechanism: {deterministic: count(True)}\n"
VIOLATED = "differential_privacy: {epsilon: 1%s}\n    expect: violated"
FIXED = "worlds: {records: [ann, bob], domain: [0, 1], where: ann == 1}\n"
DOMAIN = "worlds: {records: [ann, bob], domain: {x: [0, 1], y: [0, 1]}}\n"
TWO = "mechanisms:\n  v1: {randomized_response: {truth: 3/4}}\n  %sv2: {deterministic: ann}\n"
OF_ONE = "differential_privacy: {exp_epsilon: 3}\n    mechanism: v1"
REAL = "parameters: {p: 1/2 < p < 1}\n"
NEEDED_BY_NOBODY = {
    "a mechanism": (asks(OF_ONE, TWO % ""), [("N111", 4)]),
    "a mechanism that is meant to be unused": (asks(OF_ONE, TWO % "_"), []),
    "a mechanism of another one": (
        asks(
            "differential_privacy: {exp_epsilon: 9, neighbours: all}\n    mechanism: both",
            "mechanisms:\n  once: {randomized_response: {truth: 2/3}}\n  both: {repeat: "
            "{of: once, runs: 2}}\n",
        ).replace("9", "16"),
        [],
    ),
    "the only mechanism": (asks("sensitivity: {query: ann + bob, equals: 1}"), [("N111", 2)]),
    "a parameter with values": (
        f"parameters: {{p: [1/2, 3/4]}}\n{WORLDS}{BIT}{CHECKS}",
        [("N112", 1)],
    ),
    "a real parameter": (f"{REAL}{WORLDS}{BIT}{CHECKS}", [("N112", 1)]),
    "a parameter that is meant to be unused": (
        f"parameters: {{_p: [1/2, 3/4]}}\n{WORLDS}{BIT}{CHECKS}",
        [],
    ),
    "a parameter of a text": (
        f"parameters: {{n: 2..3}}\nworlds: {{records: $n, domain: [0, 1]}}\n{BIT}"
        "checks: [{differential_privacy: {exp_epsilon: 3}}]\n",
        [],
    ),
    "a parameter of a check": (
        f"parameters: {{q: [3, 9]}}\n{WORLDS}{BIT}"
        "checks: [{differential_privacy: {exp_epsilon: q}}]\n",
        [],
    ),
    "presence": (
        asks("differential_privacy: {epsilon: 1}", PEOPLE, ABSENT),
        [("N113", 1), ("N116", 4)],
    ),
    "presence in a policy": (
        asks("blowfish: {epsilon: 1}", PEOPLE, ABSENT),
        [("N113", 1), ("N116", 4)],
    ),
    "presence left out on purpose": (
        asks("differential_privacy: {epsilon: 0, neighbours: replace}", PEOPLE, ABSENT),
        [],
    ),
    "presence that is compared": (asks(VIOLATED % ", neighbours: add_remove", PEOPLE, ABSENT), []),
    "presence that secrets compare": (
        asks(
            "pufferfish: {epsilon: 1, pairs: presence, priors: product}\n    expect: violated",
            PEOPLE,
            ABSENT,
        ),
        [],
    ),
    "a record of one value": (
        asks(VIOLATED % "", "mechanism: {deterministic: ann + bob}\n", FIXED),
        [("N114", 1)],
    ),
    "a record of one value that is meant": (
        asks(
            VIOLATED % "", "mechanism: {deterministic: _ann + bob}\n", FIXED.replace("ann", "_ann")
        ),
        [],
    ),
    "a record": (asks(VIOLATED % "", "mechanism: {deterministic: ann}\n"), [("N115", 1)]),
    "a record that is meant to be unused": (
        asks(VIOLATED % "", "mechanism: {deterministic: ann}\n", WORLDS.replace("bob", "_bob")),
        [],
    ),
    "a record that another mechanism needs": (
        asks(
            "differential_privacy: {epsilon: 1}\n    mechanism: v1\n    expect: violated\n"
            "  - differential_privacy: {epsilon: 1}\n    mechanism: v2\n    expect: violated",
            "mechanisms: {v1: {deterministic: ann}, v2: {deterministic: bob}}\n",
        ),
        [],
    ),
    "a record that follows from another one": (
        asks(
            "induced_neighbours: {epsilon: 1}\n    expect: violated",
            "mechanism: {deterministic: ann}\n",
            "worlds: {records: [ann, bob], domain: [0, 1], where: ann == bob}\n",
        ),
        [],
    ),
    "a record that priors are about": (
        asks(
            "pufferfish: {epsilon: 1, pairs: values}\n    expect: violated\n"
            "    priors: {list: [{worlds: {00: 1/2, 11: 1/2}}]}",
            "mechanism: {deterministic: ann}\n",
        ),
        [],
    ),
}
CONSTANT = "mechanism: {deterministic: ann == ann}\n"
DELTA = "differential_privacy: {exp_epsilon: 9, delta: %s}"
LISTED = "{list: [{worlds: {00: 1/2, 10: 1/2}}, uniform]}"
PAIR = (
    "secrets: {s: bob == 1, t: bob == 0}\npairs: [[s, t]]\nmechanism: {deterministic: ann + bob}\n"
)
NOISY = "mechanism: {table: {outputs: [a, b], 0: [3/4, 1/4], 1: [1/4, 3/4]}}\n"
ONE = "worlds: {records: [ann], domain: [0, 1]}\n"
SOMETHING_ELSE = {
    "nothing is told apart": (
        asks(
            "blowfish: {exp_epsilon: 2, graph: {edges: [[0/0, 0/1]]}}",
            "mechanism: {deterministic: ann.x + bob.x}\n",
            DOMAIN,
        ),
        [("N116", 4)],
    ),
    "nothing is told apart at level 1": (
        asks(
            "blowfish: {epsilon: 0, graph: {edges: [[0/0, 0/1]]}}",
            "mechanism: {deterministic: ann.x + bob.x}\n",
            DOMAIN,
        ),
        [],
    ),
    "nothing is told apart, as is asserted": (
        asks(
            "blowfish: {epsilon: 1, graph: {edges: [[0/0, 0/1]]}}\n    leakage: 1",
            "mechanism: {deterministic: ann.x + bob.x}\n",
            DOMAIN,
        ),
        [],
    ),
    "nothing is told apart, whatever a parameter is": (
        asks(
            "differential_privacy: {exp_epsilon: 2}",
            "mechanism: {table: {outputs: [a, b], 0: [p, 1 - p], 1: [p, 1 - p]}}\n",
            REAL + ONE.replace("ann", "_ann"),
        ),
        [("N116", 5)],
    ),
    "one record of two may be released": (asks(DELTA % "1/2"), [("N117", 4)]),
    "less than a record may be released": (asks(DELTA % "49/100"), []),
    "one record may be released, as is known": (asks(DELTA % "1/2" + "\n    leakage: [1, 9]"), []),
    "a level as its exponent": (
        asks("differential_privacy: {epsilon: 3}", NOISY, ONE),
        [("N118", 4)],
    ),
    "another exponent": (asks("differential_privacy: {epsilon: 2}", NOISY, ONE), []),
    "a prior under which a secret is impossible": (
        asks(f"pufferfish: {{epsilon: 1, priors: {LISTED}}}", PAIR.replace("ann + bob", "ann")),
        [("N116", 6), ("N119", 6)],
    ),
    "a prior under which one pair is possible": (
        asks(
            f"pufferfish: {{epsilon: 1, priors: {LISTED}}}\n    expect: violated",
            PAIR.replace("t: bob == 0", "t: bob == 0, u: ann == 0, v: ann == 1").replace(
                "[[s, t]]", "[[s, t], [u, v]]"
            ),
        ),
        [],
    ),
}
TOLD = {
    "a sum that is never so large": (
        program("if ann + bob == 3:", "    return 1", "return 0"),
        [("N115", 1), ("N101", 4), ("N102", 5), ("N116", 7)],
    ),
    "a comparison that always holds": (
        program("if ann + bob < 3:", "    return ann", "return 0"),
        [("N115", 1), ("N101", 4), ("N102", 6)],
    ),
    "an expression": (
        f"{WORLDS}mechanism: {{deterministic: 1 if ann + bob == 7 else bob}}\n{CHECKS}",
        [("N115", 1), ("N101", 2)],
    ),
    "the same in each round": (
        program("for i in range(3):", "    if i == 7:", "        return 1", "return ann"),
        [("N101", 5), ("N102", 6)],
    ),
    "different in another round": (
        program("for i in range(3):", "    if i == 2:", "        return 1", "return ann"),
        [("N115", 1), ("N102", 7), ("N116", 8)],
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
        f"{WORLDS}secrets: {{s: ann == bob}}\nmechanism: {{deterministic: s}}\n"
        "checks: [{differential_privacy: {exp_epsilon: 9}, expect: violated}]\n",
        [],
    ),
    "secrets of pairs": (
        f"{WORLDS}secrets: {{s: ann == 1, t: ann == 0}}\npairs: [[s, t]]\n{BIT}"
        "checks: [{pufferfish: {exp_epsilon: 9}, priors: product}]\n",
        [],
    ),
    "secrets of pairs that nothing needs": (
        f"{WORLDS}secrets: {{s: ann == 1, t: ann == 0}}\npairs: [[s, t]]\n{BIT}{CHECKS}",
        [("N103", 2), ("N103", 2), ("N104", 3)],
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
        [("N115", 1), ("N107", 6), ("N116", 8)],
    ),
    "a variable for itself": (
        program("n = 0", "n += ann", "return bob"),
        [("N115", 1), ("N107", 4), ("N107", 5)],
    ),
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
        [("N115", 1), ("N109", 3)],
    ),
    "a misspelt output of a map": (
        f"{WORLDS}mechanism:\n  post_process:\n    of: {{randomized_response: {{truth: 3/4}}}}\n"
        f"    map: {{00: same, 01: other, 10: other, 11: smae}}\n{CHECKS}",
        [("N109", 5)],
    ),
    "a quoted name": (program("return 'ann'"), [("N115", 1), ("N110", 4), ("N116", 5)]),
    "names of variables": (
        program("low = ann", "high = bob", "return 'low' if low > high else 'high'"),
        [],
    ),
    "one of them without quotes": (
        program("low = ann", "high = bob", "return low if low > high else 'high'"),
        [("N110", 6)],
    ),
    **NEEDED_BY_NOBODY,
    **SOMETHING_ELSE,
    "constraints that follow from others": (
        "worlds:\n  records: [ann, bob]\n  domain: [0, 1]\n"
        f"  where: [ann == bob, not (ann == 1 and bob == 0)]\n{BIT}{CHECKS}",
        [],
    ),
}


def test_what_is_told(tmp_path: Path) -> None:
    found = {name: told(tmp_path, text) for name, (text, _) in TOLD.items()}
    assert {name: one for name, one in found.items() if one != TOLD[name][1]} == {}


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


def test_a_note_is_told_once_for_all_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With several values, by the command and in Python; each as one note of the summary."""
    path = tmp_path / "spec.yaml"
    text = f"parameters: {{p: [2/3, 3/4]}}\n{WORLDS}secrets: {{s: ann == 1}}\n{BIT}{CHECKS}"
    path.write_text(text.replace("truth: 3/4", "truth: p"), encoding="utf-8")
    assert told(tmp_path, path.read_text(encoding="utf-8")) == [("N103", 3)]
    assert cli.main(["check", "--strict", str(path)]) == 1
    said = capsys.readouterr().out
    assert said.count("N103 the secret 's' is used by no check") == 1 and "2 ok, 1 note\n" in said


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
