"""Everything a file can do wrong: one error, at the right place, with a hint, and no traceback.

The corpus is that of `bad_files`. Files that editors would spoil, or that are large, are made here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests import bad_files
from tests.bad_files import Bad
from tests.steps import at_most
from verifier.base import errors
from verifier.base.errors import InputError
from verifier.cli import running

# codes of csv files, of Python functions, other libraries, certificates, searches, settings, notes
ELSEWHERE = {
    *(
        "S108",
        "S112",
        "S113",
        "S121",
        "S123",
        "S701",
        "S702",
        "S801",
        "S901",
        "S902",
        "S903",
        "S904",
    ),
    "S905",
}
CORPUS = bad_files.corpus()
BAD = [bad for bad in CORPUS if bad.code != bad_files.LIMIT]
CALLS, BYTES = 4 * 10**6, 256 * 2**20  # of one file; three times what the longest needs

NAMED = "worlds: [w1, w2]\n"
RECORDS = "worlds: {records: [ann, bob], domain: [0, 1]}\n"
TABLE = "mechanism: {table: {outputs: [a, b], w1: [1/2, 1/2], w2: [1/3, 2/3]}}\n"
ALL = "checks:\n  - differential_privacy: {exp_epsilon: 2, neighbours: all}\n"
PRIVATE = "checks:\n  - differential_privacy: {exp_epsilon: 3}\n"


def releases(expression: str) -> str:
    return f"{RECORDS}mechanism:\n  deterministic: {expression}\n{PRIVATE}"


def program(*lines: str) -> str:
    text = "".join(f"    {line}\n" for line in lines)
    return f"{RECORDS}mechanism:\n  program: |\n{text}{PRIVATE}"


def nested(statement: str, times: int, last: str) -> list[str]:
    lines = [" " * depth + statement.format(depth) for depth in range(times)]
    return [*lines, " " * times + last]


CHAIN = "".join(f"  m{i}: {{merge_proportional: m{i + 1}}}\n" for i in range(5000))

# name -> (content, LINE:COLUMN: CODE and the start of the message)
MADE: dict[str, tuple[str | bytes, str]] = {
    "empty.yaml": (b"", "1:1: S002 the file is empty"),
    "byte-order-mark.yaml": (b"\xef\xbb\xbf", "1:1: S002 the file is empty"),
    "blank.yaml": (b"\n  \n\n", "1:1: S002 the file is empty"),
    "nul.yaml": (b"worlds: [w1]\n\x00\n", "2:1: S004 the character U+0000 is not allowed"),
    "bell.yaml": (b"title: a\x07\n", "1:9: S004 the character U+0007 is not allowed"),
    "utf-16.yaml": (NAMED.encode("utf-16"), "1:1: S003 the file is not UTF-8 text"),
    "utf-16-unmarked.yaml": (NAMED.encode("utf-16-be"), "1:1: S004 the character U+0000"),
    "latin-1.yaml": ("title: café\n".encode("latin-1"), "1:11: S003 the file is not UTF-8 text"),
    "surrogate.yaml": (b"title: \xed\xa0\x80\n", "1:8: S003 the file is not UTF-8 text"),
    "windows.yaml": ("worlds: [w]\r\nchecks: []\r\n", "2:9: S606 the list of checks is empty"),
    "large.yaml": (b"#" * (9 * 2**20), "1:1: S011 the file is larger than 8388608 bytes"),
    "many.yaml": ("worlds: [" + "w," * 300_000, "1:600004: S011 the document has more than"),
    # JSON, read by the same loader
    "empty.json": (b"", "1:1: S002 the file is empty"),
    "twice.json": ('{"worlds": ["a"], "worlds": []}', "1:19: S006 the key 'worlds' was already"),
    "shape.json": ('{"worlds": 5, "checks": [1]}', "1:12: S201 worlds are a list of names"),
    "null.json": ('{"worlds": null, "checks": [1]}', "1:12: S201 worlds are a list of names"),
    "list.json": ("[1, 2]", "1:1: S014 a mapping of worlds, mechanism, checks, …"),
    "open.json": ('{"worlds": ["a", "b"', "2:1: S005 not well-formed YAML"),
    "surrogate.json": ('{"title": "\\ud800"}', "1:14: S005 not well-formed YAML"),
    "tabs.json": ('{\t"worlds": ["a"],\n\t"checks": []}', "2:12: S606 the list of checks is"),
    # depth
    "brackets.yaml": ("worlds: " + "[" * 100_000, "1:59: S010 nested more than 50 levels deep"),
    "brackets.json": ("[" * 100_000, "1:52: S010 nested more than 50 levels deep"),
    "braces.json": ('{"a":' * 100_000, "1:252: S010 nested more than 50 levels deep"),
    "dashes.yaml": ("- " * 100_000, "1:103: S010 nested more than 50 levels deep"),
    "parentheses.yaml": (releases("(" * 100_000), "3:18: S304 100000 characters, at most 20000"),
    "some-parentheses.yaml": (releases("(" * 9000 + "1" + ")" * 9000), "3:218: S301 "),
    "minus.yaml": (releases("-" * 100_000 + "1"), "3:18: S304 100001 characters, at most 20000"),
    "some-minus.yaml": (releases("-" * 19_000 + "1"), "3:18: S304 nested too deeply"),
    "nots.yaml": (releases("not " * 4000 + "1"), "3:18: S304 nested too deeply"),
    "sum.yaml": (releases("1" + "+1" * 9000), "3:18: S304 nested too deeply"),
    "powers.yaml": (releases("2" + "**2" * 6000), "3:18: S304 nested too deeply"),
    "dots.yaml": (releases("ann" + ".x" * 9000), "3:18: S304 nested too deeply"),
    "calls.yaml": (releases("abs(" * 90 + "ann" + ")" * 90 + ".x"), "3:18: S302 a dot follows"),
    "ifs.yaml": (program(*nested("if ann == 1:", 150, "return 1")), "104:5: S301 not a program"),
    "some-ifs.yaml": (program(*nested("if ann == 1:", 95, "return 1")), "4:5: S312 the program"),
    "fors.yaml": (program(*nested("for i{} in range(2):", 30, "pass")), "12:13: S304 more than 8"),
    "elifs.yaml": (
        program("if ann == 1:", "    return 1", *["elif ann == 1:", "    return 1"] * 400),
        "4:5: S304 nested more than 100 levels deep",
    ),
    "long-program.yaml": (program(*["x = 1"] * 30_000), "4:5: S304 180000 characters, at most"),
    "names.yaml": (
        f"{NAMED}mechanisms:\n{CHAIN}  m5000: {{deterministic: world}}\nchecks:\n"
        "  - differential_privacy: {exp_epsilon: 2, neighbours: all}\n    mechanism: m0\n",
        "32:29: S106 more than 30 mechanisms made of one another",
    ),
    # size
    "digits.yaml": (
        f"{NAMED}mechanism: {{table: {{outputs: [a], w1: [0.{'3' * 100_000}], w2: [1]}}}}\n{ALL}",
        "2:40: S102 number with 100002 characters, at most 10000 allowed",
    ),
    "level.yaml": (ALL.replace("2", "9" * 100_000) + NAMED + TABLE, "2:41: S102 number with"),
    "number.yaml": (releases("9" * 15_000), "3:18: S102 number with 15000 characters"),
    "product.yaml": (releases("*".join(["1e9999"] * 50)), "3:18: S307 a number longer than"),
    "lists.yaml": (releases(f"len({'+'.join(['range(99999)'] * 9)})"), "3:22: S307 a list of more"),
    "squares.yaml": (
        program("x = 3", "for i in range(10000):", "    x = x * x", "return x"),
        "6:13: S307 a number longer than 100000 binary digits",
    ),
    "far.yaml": (program("return draw(geometric(10**9, 1/2, 0, 3))"), "4:17: S307 a probability"),
    "wide.yaml": (program("return draw(uniform(1, 10**9))"), "4:17: S311 uniform has 1000000000"),
    "records.yaml": (
        f"worlds: {{records: [{'r,' * 20_000}], domain: [0]}}\n{PRIVATE}",
        "1:19: S205 20000 records, 1 to 1000 are allowed",
    ),
    "long-key.yaml": (f"{NAMED}? {'k' * 10**6}\n: 1\n", "2:3: S015 unknown key 'kkkk"),
}


def run(path: Path, allow_python: bool = False) -> tuple[int, str]:
    """The exit status and what is written to standard error, soon."""
    with at_most(CALLS):
        answer = bad_files.found(path, allow_python)
    return (running.BAD_INPUT, f"{answer}\n") if isinstance(answer, InputError) else (0, "")


def confirm(status: int, said: str, expected: str) -> None:
    """One error, in at most three lines and one for the hint, as expected; the caret is at the
    column."""
    lines = said.splitlines()
    at = next((at for at, line in enumerate(lines) if line.startswith(expected)), 0)
    head, *rest = lines[at:]
    again = next((at for at, line in enumerate(rest) if not line.startswith("  ")), len(rest))
    rest = rest[:again]  # of several errors, the expected one
    assert (status, head[: len(expected)]) == (running.BAD_INPUT, expected)
    assert len(head) < 2 * errors.LONGEST
    if rest and rest[-1].startswith("  hint: "):
        assert len(rest.pop()) < 2 * errors.LONGEST
    assert len(rest) in (0, 2)
    if rest:
        column = int(expected.split(":")[2])
        caret = rest[1].split(" | ", 1)[1]
        assert caret.strip() == "^"
        assert column > 60 or caret.index("^") == column - 1


def collections() -> dict[str, list[Bad]]:
    """The corpus by the file that a case is in; those that are files of their own together."""
    found: dict[str, list[Bad]] = {}
    for bad in BAD:
        found.setdefault(bad.collection, []).append(bad)
    return found


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Bad, InputError]]]:
    """What is said about each file of the corpus, by collection."""
    folder, answers = tmp_path_factory.mktemp("bad"), {}
    for name, bads in collections().items():
        found = [(bad, bad_files.found(bad.write(folder))) for bad in bads]
        objections = [said for bad, answer in found if (said := bad_files.objection(bad, answer))]
        assert not objections, "\n".join(objections)
        answers[name] = [(bad, answer) for bad, answer in found if isinstance(answer, InputError)]
    return answers


@pytest.mark.parametrize("name", collections())
def test_the_corpus(name: str, answers: dict[str, list[tuple[Bad, InputError]]]) -> None:
    """Code, place and hint are as expected (by the fixture), and each error is told in full."""
    for bad, answer in answers[name]:
        for error in answer.all:
            place = error.place
            assert place is not None and bad.name in place.file
            confirm(running.BAD_INPUT, str(error), f"{place}: {error.code} {error.message[:100]}")


def test_most_errors_have_a_hint(answers: dict[str, list[tuple[Bad, InputError]]]) -> None:
    """At least 90 percent a hint, and 60 percent one that is not that of all errors of a code."""
    errors_found = [error for found in answers.values() for _, error in found]
    hints = [error.hint for error in errors_found if error.hint]
    own = [hint for hint in hints if hint not in errors.HINTS.values()]
    assert len(errors_found) >= 900
    assert len(hints) >= 0.9 * len(errors_found)
    assert len(own) >= 0.6 * len(errors_found)


def test_hints_are_right(answers: dict[str, list[tuple[Bad, InputError]]], tmp_path: Path) -> None:
    """What a hint says to write ends the error. Most files are right then; others have one more."""
    wrong, right, tried = [], 0, 0
    for bad, error in (found for several in answers.values() for found in several):
        text = bad_files.mended(bad, error)
        if text is not None and bad.name not in bad_files.SEVERAL:
            tried += 1
            again = bad_files.found(replace(bad, text=text).write(tmp_path))
            if not isinstance(again, InputError):
                right += 1
            elif (again.code, again.place) == (error.code, error.place):
                wrong.append(f"{bad.name}: {error.hint}: {again}")
    assert not wrong, "\n".join(wrong)
    assert tried > 400 and right >= tried / 2


@pytest.mark.parametrize("name", MADE)
def test_made_file(name: str, tmp_path: Path) -> None:
    content, expected = MADE[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    confirm(*run(path), f"{path}:{expected}")


def test_the_example_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = "mechanism:\n  table:\n    outputs: [a, b]\n    s1: {a: 0.3, b: 0.69999}\n"
    Path("spec.yaml").write_text(f"worlds: [s1]\n{table}{ALL}")
    assert run(Path("spec.yaml")) == (
        2,
        "spec.yaml:5:9: S103 row 's1' sums to 99999/100000, must be 1 (off by 1/100000)\n"
        "    5 |     s1: {a: 0.3, b: 0.69999}\n"
        "      |         ^\n"
        "  hint: 7/10 in place of 69999/100000 makes it 1\n",
    )


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("missing.yaml", "No such file or directory"),
        (".", "Is a directory"),
        ("a" * 5000, "File name too long"),
    ],
)
def test_files_that_are_not_there(file: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / file if file != "." else Path(".")
    assert run(path) == (2, f"{path}:1:1: S001 cannot read the file: {reason}\n")


def test_a_file_that_is_named_in_another_way(tmp_path: Path) -> None:
    (tmp_path / "weather.yaml").touch()
    assert "  hint: did you mean 'weather.yaml'?" in run(tmp_path / "wether.yaml")[1]


def test_a_file_without_a_valid_name() -> None:
    assert run(Path("a\0b"))[0] == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.touch(mode=0)
    assert "S001 cannot read the file: Permission denied" in run(path)[1]


def test_the_corpus_has_every_code() -> None:
    """All codes of spec files, but those of Python functions, certificates and commands."""
    codes = {bad.code for bad in BAD} | {said.split()[1] for _, said in MADE.values()}
    assert set(errors.CODES) - codes <= ELSEWHERE
    assert codes <= set(errors.CODES)


# A small process in between: Linux counts the memory of whoever starts a process as its own.
MEASURED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss)
sys.exit(status)
"""


@pytest.mark.parametrize(
    "name", ["row-sum", "yaml-laughs", "expr-tower-of-nines", "brackets.yaml", "minus.yaml"]
)
def test_the_real_command(name: str, tmp_path: Path) -> None:
    """One process each: exit status 2 within the limit on memory, no traceback."""
    path = Path(__file__).parent / "bad" / f"{name}.yaml"
    if name in MADE:
        path = tmp_path / name
        path.write_text(str(MADE[name][0]))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, sys.executable, "-m", "verifier", "check", str(path)],
        capture_output=True,
        text=True,
    )
    said = done.stderr.removeprefix(f"{path}: reading\n")  # where that lasts
    assert done.returncode == 2
    assert said.startswith(f"{path}:") and said.count("\n") in (3, 4)
    assert int(done.stdout) * 1024 < BYTES  # and nothing else was written
