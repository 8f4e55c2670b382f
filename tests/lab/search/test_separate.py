"""Families of small tables, and checks that are told apart, by plain enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import count, permutations, product
from pathlib import Path
from typing import Any

import pytest
import yaml

from verifier import cli
from verifier.lab.search import separate
from verifier.lab.search.families import distributions, tables
from verifier.lab.search.files import answer
from verifier.lab.search.separate import Family, Search, settings
from verifier.mechanisms.repeat import repeated
from verifier.spec import reading
from verifier.world.mechanism import Mechanism

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
Columns = tuple[tuple[Fraction, ...], ...]


def numbers(denominator: int) -> list[Fraction]:
    """All of [0, 1] with no larger denominator."""
    return [p for b in range(1, denominator + 1) for a in range(b + 1) if (p := Fraction(a, b))] + [
        Fraction(0)
    ]


def plain(worlds: int, outputs: int, denominator: int) -> set[Columns]:
    """All tables with no larger denominators."""
    every = product(set(numbers(denominator)), repeat=outputs)
    rows = [row for row in every if sum(row) == 1]
    return set(product(rows, repeat=worlds))


@pytest.mark.parametrize("sizes", [(2,), (1, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("outputs", [2, 3])
def test_each_table_is_listed_once_up_to_symmetry(sizes: tuple[int, ...], outputs: int) -> None:
    """The orbits of all tables in which every output occurs: those listed, each with all that is
    the same, are all tables, and none twice."""
    most = 3 if outputs == 2 and sum(sizes) < 4 else 2
    swap = len(sizes) == 2 and sizes[0] == sizes[1]
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    classes = [list(range(s, s + size)) for s, size in zip(starts, sizes, strict=True)]
    orders = [
        [w for part in chosen for w in part]
        for parts in ([classes, classes[::-1]] if swap else [classes])
        for chosen in product(*map(permutations, parts))
    ]
    seen: set[Columns] = set()
    for denominator in range(1, most + 1):
        for table in tables(sizes, outputs, denominator, swap):
            rows = [row for part in table for row in part]
            same = {
                tuple(tuple(rows[w][o] for o in order) for w in worlds)
                for order in permutations(range(outputs))
                for worlds in orders
            }
            assert not same & seen
            seen |= same
    every = plain(sum(sizes), outputs, most)
    assert seen == {t for t in every if all(map(any, zip(*t, strict=True)))}


def test_distributions_have_small_denominators() -> None:
    assert set(distributions(3, 4)) == {row for (row,) in plain(1, 3, 4)}


BOTH = """
worlds: [x, y]
priors: all
checks:
  - name: pairs
    pufferfish: {exp_epsilon: FIRST}
  - name: every
    differential_privacy: {exp_epsilon: SECOND, neighbours: all}
"""


def searched(tmp_path: Path, text: str, *options: str) -> tuple[int, dict[str, Any]]:
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    path.write_text(text, encoding="utf-8")
    status = cli.main(["search", str(path), "--goal", "separate", "--out", str(out), *options])
    if not out.exists():
        return status, {}
    (found,) = out.iterdir()
    assert cli.main(["check", str(found)]) == 0
    return status, yaml.safe_load(found.read_text(encoding="utf-8"))


def test_a_family_is_exhausted_and_the_smallest_is_found(tmp_path: Path, capsys: Capture) -> None:
    """Over two worlds the definitions are one; over three, that of all worlds is the stronger."""
    both, over = ("--checks", "pairs", "every"), "outputs=2,denominators=3"
    text = BOTH.replace("FIRST", "2").replace("SECOND", "2")
    assert searched(tmp_path, text, *both, "--over", f"worlds=2,{over}") == (1, {})
    every = len([t for d in (1, 2, 3) for t in tables((1, 1), 2, d, True)])
    said = f"{every} tried in order; all up to symmetry with: 2 worlds, 2 outputs, denominators <= "
    assert said + "3" in capsys.readouterr().err
    status, found = searched(tmp_path, text, *both, "--over", f"worlds=2..3,{over}")
    assert status == 0 and found["worlds"] == ["w1", "w2", "w3"]
    backwards = ("--checks", "every", "pairs")
    assert searched(tmp_path / "", text, *backwards, "--over", f"worlds=2..3,{over}")[0] == 1


def test_worlds_of_the_file_are_taken_as_they_are(tmp_path: Path) -> None:
    """Two bits: one record changed at 3/2 allows more for both. With numbers up to thirds it is 1/3
    against 2/3, with 1/2 between."""
    text = """
worlds: {records: [ann, bob], domain: [0, 1]}
checks:
  - differential_privacy: {exp_epsilon: 3/2}
  - differential_privacy: {exp_epsilon: 3/2, neighbours: all}
"""
    options = ("--checks", "1", "2", "--over", "outputs=2,denominators=6")
    status, found = searched(tmp_path, text, *options)
    assert status == 0
    assert [check["leakage"] for check in found["checks"]] == ["3/2", 2]


def test_priors_are_found_too(tmp_path: Path) -> None:
    """A uniform prior over three worlds tells nothing of one that is not: 1/4, 1/4, 1/2 weighs the
    worlds of a secret by 1 to 2."""
    text = """
worlds: [x, y]
priors: all
checks:
  - name: some
    pufferfish: {exp_epsilon: 1}
  - name: every
    differential_privacy: {exp_epsilon: 5, neighbours: all}
"""
    over = "worlds=3,outputs=2,denominators=2,priors=4"
    status, found = searched(tmp_path, text, "--checks", "some", "every", "--over", over)
    assert status == 0 and "priors" in found


def test_what_is_not_exhausted_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the time for tables in order, two fifths for drawn ones; a clock that each look at it
    moves on by a second."""
    path, family = tmp_path / "spec.yaml", Family([6], [4], 6, None)
    path.write_text(BOTH.replace("FIRST", "2").replace("SECOND", "2"), encoding="utf-8")
    pairs, every = reading.load(path)[1]
    monkeypatch.setattr(separate, "thread_time", count(1).__next__)
    search = Search(settings(every, pairs, family), family, seconds=40, started=0)
    assert search.found("none, as fewer pairs are compared than all") is None
    said = "20 tried in order, and 15 drawn at random; all up to symmetry with: "
    assert search.told().startswith(said)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--checks", "pairs", "other"),
        ("--checks", "1", "2", "--over", "worlds=2", "--goal", "violation"),
    ],
)
def test_two_checks_of_the_file_are_needed(options: tuple[str, ...], tmp_path: Path) -> None:
    text = BOTH.replace("FIRST", "2").replace("SECOND", "2")
    assert searched(tmp_path, text, *options)[0] == 2


@pytest.mark.parametrize(
    "over", ["worlds=3..2", "worlds", "denominators=1..2", "worlds=2,worlds=3"]
)
def test_what_is_no_family_is_said(over: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        searched(tmp_path, BOTH, "--checks", "1", "2", "--over", over)


def test_names_of_generated_worlds_may_not_stand_in_the_file(
    tmp_path: Path, capsys: Capture
) -> None:
    text = BOTH.replace("priors: all", 'priors: {constraints: ["P(s) <= 1/2"]}')
    text = text.replace("FIRST", "2").replace("SECOND", "2")
    assert searched(tmp_path, text, "--checks", "1", "2", "--over", "worlds=2")[0] == 3
    assert "s, t, w1, w2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--once", "2"], "--once belongs to --goal collapse"),
        (["--goal", "prior", "--more-than", "2"], "--more-than belongs to --goal collapse"),
        (["--runs", "2"], "--runs belongs to --goal collapse or separate"),
        (["--goal", "collapse", "--priors", "iid"], "--priors belongs to --goal prior"),
        (["--checks", "pairs", "every"], "--checks belongs to --goal separate"),
        (["--goal", "separate"], "--goal separate needs --checks FIRST SECOND"),
    ],
)
def test_options_of_another_goal_are_refused(
    options: list[str], said: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(BOTH.replace("FIRST", "2").replace("SECOND", "2"), encoding="utf-8")
    assert cli.main(["search", str(path), *options]) == 2
    assert said in capsys.readouterr().err


def test_what_is_left_out_would_not_separate(tmp_path: Path) -> None:
    """Each small table is decided with certificates too, for checks that are linear and that are
    not."""
    path = tmp_path / "spec.yaml"
    path.write_text(
        """
worlds: [x, y]
checks:
  - differential_privacy: {exp_epsilon: 2, neighbours: all}
  - renyi: {exp_epsilon: 5/4, order: 2, neighbours: all}
  - differential_privacy: {exp_epsilon: 3/2, delta: 1/6, neighbours: all}
  - differential_privacy: {exp_epsilon: 3, neighbours: {pairs: [[x, y]], directed: true}}
""",
        encoding="utf-8",
    )
    checks, known = reading.load(path)[1], set()
    for first, second in permutations(checks, 2):
        (setting,) = settings(first, second, Family(None, (2,), 4, None))
        for table in tables(setting.sizes, 2, 4, setting.swap):
            columns = setting.rows(table).values()
            released = Mechanism.from_rows(["a", "b"], list(zip(*columns, strict=True)))
            both = [answer(replace(check, asked_of=released)) for check in setting.checks]
            said = both[0].verdict == "holds" and both[1].verdict == "violated"
            assert setting.separates(table) == said
            assert setting.may_separate(table) or not said
            known.add((said, setting.may_separate(table)))
    assert known == {(True, True), (False, True), (False, False)}


RUNS = """
worlds: [x, y]
checks:
  - differential_privacy: {exp_epsilon: 4, neighbours: all}
  - differential_privacy: {exp_epsilon: 7, neighbours: all}
"""


def test_little_in_some_runs_and_much_in_one_more(tmp_path: Path) -> None:
    """Two runs need r² and three r³: between the root of 4 and the third root of 7 is 2, which is
    2/3 against 1/3."""
    options = ("--checks", "1", "2", "--runs", "3", "--over", "denominators=5")
    status, found = searched(tmp_path, RUNS, *options)
    assert status == 0 and found["mechanisms"]["runs_3"] == {"repeat": {"of": "once", "runs": 3}}
    table = found["mechanisms"]["once"]["table"]
    assert sorted([table["x"], table["y"]]) == [["1/3", "2/3"], ["2/3", "1/3"]]
    assert [check["leakage"] for check in found["checks"]] == [4, 8]
    nothing = RUNS.replace("7", "8")
    assert searched(tmp_path / "", nothing, *options[:-1], "denominators=2")[0] == 1


def test_several_runs_are_those_of_the_repeated_mechanism(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(RUNS, encoding="utf-8")
    first, second = reading.load(path)[1]
    (setting,) = settings(first, second, Family(None, (2,), 4, None, 3))
    for table in tables(setting.sizes, 2, 4, setting.swap):
        columns = setting.rows(table).values()
        once = Mechanism.from_rows(["a", "b"], list(zip(*columns, strict=True)))
        asked = zip(setting.checks, (2, 3), strict=True)
        both = [answer(replace(check, asked_of=repeated(once, runs))) for check, runs in asked]
        said = both[0].verdict == "holds" and both[1].verdict == "violated"
        assert setting.separates(table) == setting.may_separate(table) == said


def test_there_is_none_where_the_first_check_implies_the_second(
    tmp_path: Path, capsys: Capture
) -> None:
    """One changed record of two at 2 is 4 for any two worlds; at 3 there is one."""
    text = """
worlds: {records: [ann, bob], domain: [0, 1]}
checks:
  - differential_privacy: {exp_epsilon: 2}
  - differential_privacy: {exp_epsilon: 4, neighbours: all}
  - differential_privacy: {exp_epsilon: 3, neighbours: all}
"""
    assert searched(tmp_path, text, "--checks", "1", "2") == (1, {})
    said = "there is none: the first check implies the second, of which e^ε 4 is needed"
    assert said in capsys.readouterr().err
    status, found = searched(tmp_path, text, "--checks", "1", "3", "--over", "denominators=5")
    assert status == 0 and found["checks"][0]["leakage"] == 2
