"""Changes of a file that must never pass in silence, each told in its own words."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.changes.sides import compared, sides_of
from verifier.changes import compare
from verifier.changes.statements import Change
from verifier.questions.witness import OutputWitness

FILE = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {table: {outputs: [yes, no],
  "00": [11/49, 38/49], "01": [1/2, 1/2], "10": [1/2, 1/2], "11": [38/49, 11/49]}}
checks:
  - pufferfish: {exp_epsilon: 5, pairs: [[low, high]], priors: {list: [
      {worlds: {"00": 1/2, "11": 1/2}}, {worlds: {"01": 1/2, "11": 1/2}}]}}
secrets: {low: "ann == 0", high: "ann == 1"}
"""


def change(tmp_path: Path, after: str, before: str = FILE) -> Change:
    (found,) = compared(tmp_path, before, after)
    return found.change


def test_nothing_changed(tmp_path: Path) -> None:
    found = change(tmp_path, FILE)
    assert (found.status, found.statements) == ("same", ())


def test_a_larger_leak_under_the_same_promise(tmp_path: Path) -> None:
    """38/11 becomes 77/17, which the promise 5 allows: both by hand, as is ln of their quotient."""
    found = change(tmp_path, FILE.replace("38/49", "77/94").replace("11/49", "17/94"))
    (risen,) = found.statements
    assert found.status == risen.status == "leaks more"
    assert (risen.before, risen.after) == ("38/11", "77/17")
    assert str(risen.factor) == "847/646"
    assert risen.epsilon == ("1.239691", "1.510592", "+0.270901")
    assert "38/11 -> 77/17" in risen.line and "+0.270901" in risen.line
    assert isinstance(risen.shown, OutputWitness)
    told = (*risen.shown.before.pair, risen.shown.output)
    assert told in (("high", "low", "yes"), ("low", "high", "no"))
    assert risen.shown.before.prior == {"00": Fraction(1, 2), "11": Fraction(1, 2)}


def test_a_smaller_leak(tmp_path: Path) -> None:
    before = FILE.replace("38/49", "77/94").replace("11/49", "17/94")
    assert change(tmp_path, FILE, before).status == "leaks less"


def test_a_new_check(tmp_path: Path) -> None:
    (found,) = sides_of(tmp_path, FILE)
    assert compare.new(found).status == "promises more"


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        ("exp_epsilon: 5", "exp_epsilon: 6", "level"),
        ("exp_epsilon: 5", "epsilon: ln(6)", "level"),
        ("exp_epsilon: 5", "epsilon: 2", "level"),
        ("exp_epsilon: 5", "exp_epsilon: 5, delta: 1/100", "delta"),
        (', {worlds: {"01": 1/2, "11": 1/2}}', "", "priors"),
        ("epsilon: 5", "epsilon: 3", None),
        ("checks:", "checks:", None),
    ],
)
def test_a_promise(tmp_path: Path, old: str, new: str, about: str | None) -> None:
    found = change(tmp_path, FILE.replace(old, new))
    less = [each.about for each in found.having("promises less")]
    assert less == ([about] if about else [])


def test_priors_narrowed_until_nothing_is_compared(tmp_path: Path) -> None:
    """The one prior that is left gives one secret the probability 0."""
    before = FILE.replace("[[low, high]]", "values")
    priors = '{worlds: {"00": 1/2, "11": 1/2}}, {worlds: {"01": 1/2, "11": 1/2}}'
    found = change(tmp_path, before.replace(priors, '{worlds: {"00": 1}}'), before)
    assert [each.about for each in found.having("promises less")] == ["vacuous", "priors"]
    assert [each.words.split(":")[0] for each in found.having("not kept")] == [
        "nothing was compared"
    ]


def test_which_prior_is_gone(tmp_path: Path) -> None:
    found = change(tmp_path, FILE.replace('{worlds: {"00": 1/2, "11": 1/2}}, ', ""))
    assert [each.line for each in found.having("promises less")] == [
        "promises less: fewer priors: list of 2 -> list of 1; namely prior 1 (00: 1/2, 11: 1/2)"
    ]


def test_other_priors_of_an_unchanged_mechanism(tmp_path: Path) -> None:
    """The second prior alone leaks 1/2 : 11/49, the first one 38/11: levels of two questions. The
    mechanism leaks no more, whatever is asked of it."""
    first, second = '{worlds: {"00": 1/2, "11": 1/2}}', '{worlds: {"01": 1/2, "11": 1/2}}'
    one, other = FILE.replace(f"{first}, ", ""), FILE.replace(f", {second}", "")
    for before, after, expected in (
        (one, FILE, ("promises more", "priors")),
        (FILE, one, ("promises less", "priors")),
        (one, other, ("promises otherwise", "priors")),
    ):
        found = change(tmp_path, after, before)
        assert [(each.status, each.about) for each in found.statements] == [expected]


WORLDS = ("00", "01", "10", "11")
QUESTIONS = {  # who is compared with whom
    "neighbours: replace": ["00 01", "00 10", "01 11", "10 11"],
    "neighbours: all": ["00 01", "00 10", "01 11", "10 11", "00 11", "01 10"],
    "group: 2": ["00 01", "00 10", "01 11", "10 11", "00 11", "01 10"],
    "neighbours: {pairs: [['00', '11']]}": ["00 11"],
    "neighbours: {pairs: [['00', '11'], ['01', '10']]}": ["00 11", "01 10"],
}
Columns = dict[str, list[Fraction]]


def drawn(random: Random) -> tuple[str, Columns]:
    """A table of small numbers, as a file has it, and its columns."""
    columns: Columns = {}
    for world in WORLDS:
        weights = [random.choice([1, 1, 2, 3, 5]) for _ in "xyz"]
        columns[world] = [Fraction(weight, sum(weights)) for weight in weights]
    rows = "".join(f", '{world}': [{', '.join(map(str, p))}]" for world, p in columns.items())
    return f"{{table: {{outputs: [x, y, z]{rows}}}}}", columns


def level(columns: Columns, pairs: list[str]) -> Fraction:
    """The largest ratio, both ways, over pairs of worlds."""
    return max(
        max(p / q, q / p)
        for one, other in map(str.split, pairs)
        for p, q in zip(columns[one], columns[other], strict=True)
    )


def test_more_leaks_exactly_where_it_does_under_the_old_question(tmp_path: Path) -> None:
    """Whatever the new question is; and nothing that leaks more passes."""
    random, wrong, seen = Random(7), [], set()
    for _ in range(60):
        texts, sides = [], []
        for question in random.choices(list(QUESTIONS), k=2):
            table, columns = drawn(random)
            check = f"differential_privacy: {{exp_epsilon: 99, {question}}}"
            texts.append(
                f"worlds: {{records: [ann, bob], domain: [0, 1]}}\nmechanism: {table}\n"
                f"checks:\n  - {check}\n"
            )
            sides.append((question, columns))
        (asked, before), (_, after) = sides
        rises = level(after, QUESTIONS[asked]) > level(before, QUESTIONS[asked])
        (found,) = compared(tmp_path, *texts)
        seen.add((rises, texts[0].count(sides[1][0])))
        if (found.change.status == "leaks more") != rises:
            wrong.append((texts, found.change))
    assert not wrong and len(seen) == 4
