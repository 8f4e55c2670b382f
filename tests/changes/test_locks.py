"""The lock: its lines, what is held against them, the commands that write and hold it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.changes.made import PLAIN, line
from verifier import cli
from verifier.base.errors import InputError
from verifier.changes.lines import Line
from verifier.changes.locks import HEADER, held, read_lock, written

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
HEAD = "worlds: {records: [ann, bob], domain: [0, 1]}\n"
RESPONSE = "mechanism: {randomized_response: {truth: %s}}\n"
ONE = "  - name: one\n    differential_privacy: {exp_epsilon: 4}\n"
TWO = "  - differential_privacy: {exp_epsilon: 99, group: 2}\n"
UNDECIDED = """\
  - universally_composable: {pairs: values, priors: {constraints: ['P(00) >= 1/5']}}
"""


def spec(checks: str = ONE, truth: str = "3/4") -> str:
    """A file about randomized response, of which the smallest e^ε is truth / (1 - truth)."""
    return f"{HEAD}{RESPONSE % truth}checks:\n{checks}"


def statuses(locked: Sequence[Line], now: Sequence[Line]) -> list[str]:
    return [one.status for one in held(locked, now)]


def test_lines_are_read_as_they_are_written() -> None:
    lines = [
        line(2, file="süß\n.yaml", name="a \"quoted\" 'name'\u2028"),
        line(3, level=None, leakage={"value": "3/2"}, asserted="[1, 2]", values="n = 2"),
        line(4, level={"epsilon": "1", "delta": "1/9"}, leakage={"lower": "1", "upper": "2"}),
        replace(PLAIN, digest="", promise="", verdict="undecided", leakage=None),
    ]
    text = written(lines)
    assert text.startswith(f"{HEADER}\n") and text.endswith("\n")
    assert len(text.split("\n")) == 6
    assert sorted(map(repr, read_lock(text))) == sorted(map(repr, lines))


def test_the_same_answers_give_the_same_bytes() -> None:
    lines = [line(number, name=f"check {number}") for number in range(1, 6)]
    assert written(lines) == written([*lines[::-1], lines[0]])


GOOD = written([PLAIN]).split("\n")[1]


def without(key: str) -> str:
    return json.dumps({k: v for k, v in json.loads(GOOD).items() if k != key})


def having(**parts: Any) -> str:
    """The line with other parts, as a hand would change it."""
    return json.dumps({**json.loads(GOOD), **parts})


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", (1, 1), "header"),
        (f"# verifier.lock 1\n{GOOD}\n", (1, 1), "another version"),
        (f"{HEADER}\n{GOOD}\n\n", (3, 1), "no object"),
        (f"{HEADER}\n{GOOD}\n<<<<<<< HEAD\n", (3, 1), "conflict"),
        (f"{HEADER}\n{GOOD}\n=======\n", (3, 1), "conflict"),
        (f"{HEADER}\n{GOOD}\n{GOOD}\n", (3, 1), "already line 2"),
        (f"{HEADER}\n{GOOD[:-9]}\n", (2, GOOD.rindex('"', 0, -9) + 1), "no object"),
        (f"{HEADER}\n[1]\n", (2, 1), "keys"),
        (f"{HEADER}\n{without('digest')}\n", (2, 1), "keys"),
        (f"{HEADER}\n{having(more=1)}\n", (2, 1), "keys"),
        (f'{HEADER}\n{{"file": "b.yaml", {GOOD[1:]}\n', (2, 1), "twice"),
        (f"{HEADER}\n{having(file=None)}\n", (2, 2), "'file'"),
        (f"{HEADER}\n{having(level={'exp_epsilon': 4.0, 'delta': '0'})}\n", None, "'level'"),
        (f"{HEADER}\n{having(level={'exp_epsilon': '4'})}\n", None, "'level'"),
        (f"{HEADER}\n{having(leakage={'exp_epsilon': 'nan'})}\n", None, "'leakage'"),
        (f"{HEADER}\n{having(leakage={'exp_epsilon': '-1'})}\n", None, "'leakage'"),
        (f"{HEADER}\n{having(leakage={'infinite': 'yes'})}\n", None, "'leakage'"),
        (f"{HEADER}\n{having(asserted='[1, 2, 3]')}\n", None, "'asserted'"),
        (f"{HEADER}\n{having(verdict='not run')}\n", None, "'verdict'"),
        (f"{HEADER}\n{having(expected='hold')}\n", None, "'expected'"),
        (f"{HEADER}\n{'[' * 100_000}\n", (2, 1), ""),
    ],
)
def test_a_poisoned_lock(text: str, place: tuple[int, int] | None, said: str) -> None:
    with pytest.raises(InputError) as found:
        read_lock(text)
    error = found.value
    assert error.code == "S902" and error.place and error.hint
    assert said in error.message
    assert place is None or (error.place.line, error.place.column) == place


@pytest.mark.parametrize(
    ("now", "status"),
    [
        (PLAIN, "as locked"),
        (line(2), "better than locked"),  # another mechanism, which leaks as much
        (line(2, leakage={"exp_epsilon": "2"}), "better than locked"),
        (line(2, leakage={"exp_epsilon": "4"}), "weaker than locked"),
        (line(2, level={"exp_epsilon": "5", "delta": "0"}), "weaker than locked"),
        (line(1, expected="violated"), "weaker than locked"),
        (line(1, verdict="undecided", leakage=None), "weaker than locked"),
        (line(2, promise="sha256:" + "7" * 64), "changed since locked"),
        (line(1, leakage={"exp_epsilon": "2"}), "not what was locked"),
        (line(1, level={"exp_epsilon": "9", "delta": "0"}), "not what was locked"),
        (replace(PLAIN, file="b.yaml"), "better than locked"),
        (replace(PLAIN, name="new"), "better than locked"),
    ],
)
def test_a_check_held_against_its_line(now: Line, status: str) -> None:
    assert statuses([PLAIN], [now]) == [status]


def test_a_line_that_a_hand_has_changed() -> None:
    """A larger level, another smallest one, a promise that is another: each is refused, whatever
    the file says by now."""
    known = json.loads(GOOD)
    for key, part in (
        ("level", {"exp_epsilon": "99", "delta": "0"}),
        ("leakage", {"exp_epsilon": "5/2", "attained": True}),
        ("promise", "sha256:" + "0" * 64),
        ("asks", {**known["asks"], "mechanism": "0" * 16}),
        ("expected", "violated"),
        ("seal", "0" * 16),
    ):
        with pytest.raises(InputError, match="not as it was written") as found:
            read_lock(f"{HEADER}\n{having(**{key: part})}\n")
        assert found.value.code == "S902" and found.value.place


def test_a_level_that_was_changed_in_lock_and_file(folder: Path, capsys: Capture) -> None:
    lock = Path("verifier.lock")
    lock.write_text(lock.read_text().replace('"exp_epsilon": "4"', '"exp_epsilon": "9"'))
    Path("a.yaml").write_text(spec(ONE.replace("4}", "9}") + TWO))
    assert cli.main(["check", "--locked", "a.yaml"]) == 2
    assert "verifier.lock:2:" in (said := capsys.readouterr().err) and "seal" in said
    assert cli.main(["lock", "--update", "one"]) == 2
    assert cli.main(["lock"]) == 0
    assert "nothing is compared with what was locked" in capsys.readouterr().err
    assert cli.main(["check", "--locked", "a.yaml"]) == 0


def test_missing_and_not_locked() -> None:
    other = line(2, definition="pufferfish", promise="sha256:" + "7" * 64)
    assert statuses([PLAIN], []) == ["locked, and missing"]
    assert statuses([], [PLAIN]) == ["not locked"]
    assert statuses([PLAIN], [other]) == ["not locked", "locked, and missing"]
    assert statuses([PLAIN], [PLAIN, PLAIN]) == ["as locked"]  # alike in all: they share a line


def test_mechanisms_that_swap_their_names() -> None:
    locked = [line(1, name="one", mechanism="m"), line(2, name="two", mechanism="n")]
    now = [line(1, name="one", mechanism="n"), line(2, name="two", mechanism="m")]
    assert statuses(locked, now) == ["changed since locked"] * 2
    assert statuses(locked[:1], now[:1]) == ["as locked"]  # a new name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a lock of the file a.yaml."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(spec(ONE + TWO))
    assert cli.main(["lock"]) == 0
    return tmp_path


def test_nothing_has_changed(folder: Path, capsys: Capture) -> None:
    first = Path("verifier.lock").read_bytes()
    assert cli.main(["check", "--locked", "a.yaml"]) == 0
    assert cli.main(["lock", "a.yaml"]) == 0
    assert Path("verifier.lock").read_bytes() == first
    assert capsys.readouterr().out.endswith("verifier.lock: 2 checks\n")


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (spec(ONE + TWO, "4/5"), 1, "weaker than locked: the smallest level e^ε: 3 -> 4"),
        (spec(ONE + TWO, "2/3"), 0, "better than locked: the smallest level e^ε: 3 -> 2"),
        (spec(ONE.replace("4}", "5}") + TWO), 1, "the level is larger: e^ε = 4 -> e^ε = 5"),
        (spec(TWO), 1, "one: locked, and missing"),
        (spec(ONE + TWO + TWO.replace("2}", "1}")), 1, "not locked"),
        (spec(ONE + TWO).replace("bob]", "bob, cat]"), 1, "changed since locked"),
        (spec(ONE + "    leakage: 3\n" + TWO), 0, "the interval of the leakage: none -> 3"),
        (spec(ONE.replace("one", "first") + TWO), 0, "its name was one"),
        (spec(ONE + TWO) + "\n# a comment\n", 0, ""),
    ],
)
def test_a_file_that_has_changed(
    folder: Path, capsys: Capture, text: str, status: int, said: str
) -> None:
    Path("a.yaml").write_text(text)
    assert cli.main(["check", "--locked", "a.yaml"]) == status
    output = capsys.readouterr()
    assert said in output.out + output.err
    assert ("S904" in output.err) == (status == 1)
    assert status == 0 or "verifier lock --update" in output.err


def test_a_better_answer_fails_where_notes_do(folder: Path, capsys: Capture) -> None:
    Path("a.yaml").write_text(spec(ONE + TWO, "2/3"))
    assert cli.main(["check", "--locked", "--strict", "a.yaml"]) == 1
    assert "N202" in capsys.readouterr().out


def test_a_lock_that_is_not_there_or_malformed(folder: Path, capsys: Capture) -> None:
    Path("verifier.lock").write_text("<<<<<<< HEAD\n")
    assert cli.main(["check", "--locked", "a.yaml"]) == 2
    assert "verifier.lock:1:1: S902" in capsys.readouterr().err
    Path("verifier.lock").write_bytes(b"\xff")
    assert cli.main(["check", "--locked", "a.yaml"]) == 2
    Path("verifier.lock").unlink()
    assert cli.main(["check", "--locked", "a.yaml"]) == 2
    assert "run `verifier lock`, and commit it" in capsys.readouterr().err
    assert cli.main(["lock", "--update", "one"]) == 2


def test_files_that_are_gone_moved_or_not_named(folder: Path, capsys: Capture) -> None:
    Path("b.yaml").write_text(spec(ONE, "2/3"))
    assert cli.main(["lock"]) == 0
    assert cli.main(["check", "--locked", "a.yaml"]) == 0
    assert "note: 1 locked check not asked for" in capsys.readouterr().err
    Path("b.yaml").rename("c.yaml")
    assert cli.main(["check", "--locked", "a.yaml", "c.yaml"]) == 0
    assert "it stood in b.yaml" in capsys.readouterr().out
    Path("c.yaml").unlink()
    assert cli.main(["check", "--locked", "a.yaml"]) == 1
    assert "verifier.lock:4:1: S904 one: locked, and missing" in capsys.readouterr().err


@pytest.mark.parametrize("named", [".", "./", "*.yaml", "**/*.yaml", "models", "models/[ab].*"])
def test_a_file_that_lost_its_checks_was_named_by_its_folder(
    folder: Path, capsys: Capture, named: str
) -> None:
    Path("models").mkdir()
    for name in ("a", "b"):
        Path(f"models/{name}.yaml").write_text(spec(ONE))
    assert cli.main(["lock"]) == 0
    Path("models/b.yaml").write_text("nothing: []\n")
    status = cli.main(["check", "--locked", named])
    output = capsys.readouterr().err
    if named == "*.yaml":  # in this folder alone
        assert (status, "2 locked checks not asked for" in output) == (0, True)
    else:
        assert status != 0 and "S904 one: locked, and missing" in output


def test_a_lock_is_written_anew_and_tells_what_got_worse(folder: Path, capsys: Capture) -> None:
    Path("a.yaml").write_text(spec(ONE, "4/5"))
    assert cli.main(["lock"]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "a.yaml: one: weaker than locked: the smallest level e^ε: 3 -> 4"
        " (ε 1.098612 -> 1.386294, +0.287682)",
        "a.yaml: differential_privacy (exp_epsilon 99): locked, and missing",
        "verifier.lock: 1 check",
    ]


def test_files_may_be_named_in_several_ways(folder: Path, capsys: Capture) -> None:
    for name in ("./a.yaml", str(folder / "a.yaml"), ".", "*.yaml"):
        assert cli.main(["check", "--locked", "--strict", name]) == 0
        before = Path("verifier.lock").read_bytes()
        assert cli.main(["lock", name]) == 0
        assert Path("verifier.lock").read_bytes() == before
    assert cli.main(["lock", "-"]) == 2
    assert "standard input cannot be locked" in capsys.readouterr().err
    assert cli.main(["lock", "no*.yaml"]) == 2
    assert Path("verifier.lock").read_bytes() == before


def test_only_some_lines(folder: Path, capsys: Capture) -> None:
    Path("a.yaml").write_text(spec(ONE + TWO, "4/5"))
    before = Path("verifier.lock").read_text().splitlines()
    assert cli.main(["lock", "--update", "one"]) == 0
    after = Path("verifier.lock").read_text().splitlines()
    assert len(after) == 3 and len(set(before) & set(after)) == 2
    assert cli.main(["check", "--locked", "a.yaml"]) == 1  # the other line is still the old one
    assert cli.main(["lock", "--update", "nope"]) == 2
    assert "no check is named 'nope'" in capsys.readouterr().err
    Path("b.yaml").write_text(spec(ONE.replace("one", "new")))
    assert cli.main(["lock", "--update", "new", "b.yaml"]) == 0
    assert len(Path("verifier.lock").read_text().splitlines()) == 4
    Path("b.yaml").unlink()
    assert cli.main(["lock", "--update", "new", "a.yaml"]) == 0
    assert len(Path("verifier.lock").read_text().splitlines()) == 3


def test_what_cannot_be_read_is_not_locked(folder: Path, capsys: Capture) -> None:
    before = Path("verifier.lock").read_bytes()
    Path("b.yaml").write_text(spec(ONE.replace("4}", "1/2}")))
    assert cli.main(["lock"]) == 2
    assert "verifier.lock is not written" in capsys.readouterr().err
    assert Path("verifier.lock").read_bytes() == before


def test_checks_that_fail_or_are_undecided_are_locked_and_told(
    folder: Path, capsys: Capture
) -> None:
    Path("a.yaml").write_text(spec(ONE.replace("4}", "2}")))
    assert cli.main(["lock"]) == 1
    assert "expected holds, found violated" in capsys.readouterr().err
    assert cli.main(["check", "--locked", "a.yaml"]) == 1
    assert "S904" not in capsys.readouterr().err
    Path("a.yaml").write_text(spec(UNDECIDED))
    assert cli.main(["lock"]) == 3
    assert cli.main(["check", "--locked", "a.yaml"]) == 3


def test_nothing_to_lock(folder: Path, capsys: Capture) -> None:
    for path in folder.iterdir():
        path.unlink()
    assert cli.main(["lock"]) == 2
    assert "there is no check to lock" in capsys.readouterr().err
    assert not list(folder.iterdir())


def test_answers_are_needed(folder: Path, capsys: Capture) -> None:
    assert cli.main(["check", "--locked", "--dry-run", "a.yaml"]) == 2
    assert "no answers for --locked" in capsys.readouterr().err


def test_only_spec_files_below_the_folder_are_locked(folder: Path) -> None:
    Path("ci.yaml").write_text("jobs: {checks: worlds}\n")
    Path("sub").mkdir()
    Path("sub/b.json").write_text(
        json.dumps({"worlds": ["sun"], "mechanism": {"deterministic": "world"}, "checks": []})
    )
    assert cli.main(["lock"]) == 2  # the list of checks is empty, which is told
    Path("sub/b.json").unlink()
    assert cli.main(["lock"]) == 0
