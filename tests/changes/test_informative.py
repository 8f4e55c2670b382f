"""Blackwell's order by hand, and against a plain linear program in floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.changes.sides import compared as compared_files
from tests.changes.sides import decided
from verifier.changes import deciding, informative
from verifier.changes.compare import compare
from verifier.changes.informative import (
    EQUIVALENT,
    INCOMPARABLE,
    LESS_INFORMATIVE,
    MORE_INFORMATIVE,
    Comparison,
    blackwell,
    contradiction,
)
from verifier.changes.statements import Statement, change
from verifier.changes.statuses import LEAKS_MORE, UNDECIDED
from verifier.questions.witness import RowPayoffWitness
from verifier.run.verify import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, database, named

Rows = Sequence[Sequence[Fraction | int | str]]
BIT, THREE = named(["a", "b"]), named(["a", "b", "c"])


def made(rows: Rows, prefix: str = "") -> Mechanism:
    return Mechanism.from_rows([f"{prefix}{at}" for at in range(len(rows))], rows)


def compared(old: Rows, new: Rows, space: WorldSpace = BIT) -> Comparison:
    return blackwell((space, made(old, "old ")), (space, made(new, "new ")))


def keeping(p: str) -> Rows:
    q = str(1 - Fraction(p))
    return [[p, q], [q, p]]


ERASED: Rows = [["1/2", 0], [0, "1/2"], ["1/2", "1/2"]]
CASES: list[tuple[Rows, Rows, str]] = [
    (keeping("3/4"), keeping("2/3"), LESS_INFORMATIVE),  # keep with 3/4, then with 5/6
    (keeping("2/3"), keeping("3/4"), MORE_INFORMATIVE),
    (keeping("3/4"), keeping("1/4"), EQUIVALENT),  # the other way round
    (keeping("3/4"), keeping("3/4")[::-1], EQUIVALENT),
    # an output is split in halves, another one never comes
    (keeping("3/4"), [["3/8", "1/8"], ["3/8", "1/8"], ["1/4", "3/4"], [0, 0]], EQUIVALENT),
    (keeping("3/4"), [[1, 1]], LESS_INFORMATIVE),
    ([[1, 1]], [["1/2", "1/2"], ["1/2", "1/2"]], EQUIVALENT),
    (keeping("4/5"), ERASED, INCOMPARABLE),  # certainty now and then; 4/5 against 1/2 + 1/4
    (keeping("3/4"), ERASED, MORE_INFORMATIVE),  # a guess where it is erased is right with 3/4
    (keeping("1"), ERASED, LESS_INFORMATIVE),
]


@pytest.mark.parametrize(("old", "new", "relation"), CASES)
def test_by_hand(old: Rows, new: Rows, relation: str) -> None:
    found = compared(old, new)
    assert found.relation == relation
    assert found.harmless == (relation in (EQUIVALENT, LESS_INFORMATIVE))
    assert (found.gain is None) == found.harmless


def test_its_matrix() -> None:
    """Keeping with 3/4 and then with 5/6 keeps with 5/8 + 1/24 = 2/3."""
    found = compared(keeping("3/4"), keeping("2/3"))
    often, rarely = Fraction(5, 6), Fraction(1, 6)
    assert found.processing == {
        "old 0": {"new 0": often, "new 1": rarely},
        "old 1": {"new 0": rarely, "new 1": often},
    }
    assert found.forward is not None
    assert found.forward.certificate is not None


def test_what_it_breaks_in_words() -> None:
    """Odds are 3 at most after an output of the old one, 4 after one of the new one."""
    found = compared(keeping("3/4"), keeping("4/5"))
    gain = found.gain
    assert isinstance(gain, RowPayoffWitness)
    assert {*gain.likelier, *gain.than} == {"a", "b"}
    assert sorted(gain.prior.values()) == [Fraction(1, 4), Fraction(3, 4)]


def test_one_output_alone_tells_nothing_new() -> None:
    """Whether the bit is erased is told with certainty at times, as before; only more often."""
    found = compared(ERASED, keeping("1"))
    assert found.relation == MORE_INFORMATIVE
    assert found.gain is not None
    assert not isinstance(found.gain, RowPayoffWitness)
    assert found.gain.earns > found.gain.best


def drawn(random: Random, outputs: int, worlds: int) -> list[list[Fraction]]:
    columns = []
    for _ in range(worlds):
        weights = [random.choice([0, 1, 1, 2, 3]) for _ in range(outputs)]
        weights[random.randrange(outputs)] += 1
        columns.append([Fraction(weight, sum(weights)) for weight in weights])
    return [list(row) for row in zip(*columns, strict=True)]


def processed(random: Random, rows: list[list[Fraction]], outputs: int) -> list[list[Fraction]]:
    table = drawn(random, outputs, len(rows))
    return [
        [
            sum((p * row[w] for p, row in zip(line, rows, strict=True)), Fraction(0))
            for w in range(len(rows[0]))
        ]
        for line in table
    ]


def missed(old: list[list[Fraction]], new: list[list[Fraction]]) -> float:
    """The least total by which a post-processing of one matrix misses another one, in floats."""
    given, wanted = (np.array(rows, dtype=float) for rows in (old, new))
    (m, worlds), n = given.shape, len(wanted)
    fits, right = [], []
    for o, w in product(range(n), range(worlds)):
        line = np.zeros(m * n + 2 * n * worlds)
        line[[o * m + i for i in range(m)]] = given[:, w]
        line[m * n + 2 * (o * worlds + w)] = 1
        line[m * n + 2 * (o * worlds + w) + 1] = -1
        fits.append(line)
        right.append(wanted[o, w])
    for i in range(m):
        line = np.zeros(m * n + 2 * n * worlds)
        line[[o * m + i for o in range(n)]] = 1
        fits.append(line)
        right.append(1)
    costs = np.r_[np.zeros(m * n), np.ones(2 * n * worlds)]
    found = linprog(costs, A_eq=np.array(fits), b_eq=right)
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize("seed", range(40))
def test_against_a_program_in_floats(seed: int) -> None:
    random = Random(seed)
    old = drawn(random, random.choice([2, 3]), 3)
    new = drawn(random, random.choice([2, 3]), 3)
    if random.random() < 0.6:
        new = processed(random, old, random.choice([2, 3, 4]))
    found = compared(old, new, THREE)
    forth, back = missed(old, new), missed(new, old)
    for distance, relations in (
        (forth, (EQUIVALENT, LESS_INFORMATIVE)),
        (back, (EQUIVALENT, MORE_INFORMATIVE)),
    ):
        assert distance < 1e-9 or distance > 1e-6
        assert (found.relation in relations) == (distance < 1e-9)
    if found.processing is not None:
        names = [f"new {at}" for at in range(len(new))]
        for name, row in zip(names, new, strict=True):
            for w in range(3):
                parts = (
                    found.processing[f"old {i}"].get(name, Fraction(0)) * line[w]
                    for i, line in enumerate(old)
                )
                assert sum(parts, Fraction(0)) == row[w]


def test_worlds_on_both_sides_are_compared() -> None:
    """Of the new world nothing is known; the records of the others are in another order."""
    before = database(["ann", "bob"], ["x", "y"], where=["not (ann == 'y' and bob == 'y')"])
    after = database(["bob", "ann"], ["x", "y"])
    old = made([[1, 0, "1/2"], [0, 1, "1/2"]])
    new = made([[1, "1/2", 0, 0], [0, "1/2", 1, 1]])
    found = blackwell((before, old), (after, new))
    assert (found.relation, found.only) == (EQUIVALENT, ((), ("yy",)))
    assert not found.harmless
    back = blackwell((after, new), (before, old))
    assert (back.relation, back.only) == (EQUIVALENT, (("yy",), ()))


def test_no_world_on_both_sides() -> None:
    found = blackwell((BIT, made(keeping("3/4"))), (named(["c", "d"]), made(keeping("3/4"))))
    assert found.relation == UNDECIDED
    assert found.reason


def test_a_limit_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.changes.matching.MOST", 1)
    found = blackwell((named(["a", "c"]), made(keeping("3/4"))), (BIT, made(keeping("3/4"))))
    assert found.relation == UNDECIDED
    assert "too many" in found.reason


def test_a_limit_on_time_is_no_error() -> None:
    found = blackwell((BIT, made(keeping("3/4"))), (BIT, made(ERASED)), time_limit=1e-9)
    assert found.relation == UNDECIDED
    assert found.reason


WIDE = {"lower": "3", "upper": "4", "attained": True}

SPEC = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
priors: {list: [uniform, {worlds: {"00": 1/2, "11": 1/4, "01": 1/4}}]}
pairs: values
checks:
  - differential_privacy: {exp_epsilon: 4}
  - differential_privacy: {exp_epsilon: 2, delta: 1/4}
  - metric_privacy: {exp_epsilon: 4, distance: hamming}
  - blowfish: {exp_epsilon: 4}
  - induced_neighbours: {exp_epsilon: 16}
  - pufferfish: {exp_epsilon: 4}
  - pufferfish: {exp_epsilon: 4, priors: product}
  - noiseless: {exp_epsilon: 4}
  - dependent_privacy: {exp_epsilon: 4}
  - bayesian_privacy: {exp_epsilon: 4}
  - single_prior_privacy: {exp_epsilon: 4, known: {0: 1/2, 1: 1/2}}
  - hedging_privacy: {exp_epsilon: 4, known: {0: 1/2, 1: 1/2}, weight: 1/2}
  - distributional_privacy: {exp_epsilon: 4}
  - coupled_worlds: {exp_epsilon: 9, alt: ann, priv: bob}
  - composition: {exp_epsilon: 9}
"""


def test_post_processing_hurts_none_of_these(tmp_path: Path) -> None:
    """Every fourth answer is told truthfully no more: keeping with 3/4, 2/3, 5/8 and 1/2."""
    for old in decided(tmp_path, SPEC):
        assert old.side.question and informative.closed(old.side.question)
    for fewer in ("2/3", "5/8", "1/2"):
        for one in compared_files(tmp_path, SPEC, SPEC.replace("3/4}}", fewer + "}}")):
            assert one.change.status in ("leaks less", "same")
            assert one.objection is None


def test_a_contradiction_is_told(tmp_path: Path) -> None:
    """What cannot be: the new one is a post-processing, and leaks more."""
    old = decided(tmp_path, SPEC)[0].side.question
    assert old is not None
    harmless = compared(keeping("3/4"), keeping("2/3"))
    wrong = change([Statement(LEAKS_MORE, "level", "", "2", "3")])
    assert contradiction(old, change([]), harmless) is None
    assert contradiction(old, wrong, harmless)
    assert contradiction(old, wrong, compared(keeping("2/3"), keeping("3/4"))) is None


def test_what_is_not_known_may_follow_from_the_mechanisms(tmp_path: Path) -> None:
    """Enclosures overlap, or no level is found, as the outputs are only renamed."""
    text = SPEC.split("checks:")[0].replace("list: [", "hull: [")
    text += "checks:\n  - pufferfish: {exp_epsilon: 9}\n"
    columns = "'00': [3/4, 1/4], '01': [1/4, 3/4], '10': [1/3, 2/3], '11': [1, 0]"
    table = f"table: {{outputs: [OUT], {columns}}}"
    files = [
        text.replace("randomized_response: {truth: 3/4}", table.replace("OUT", outputs))
        for outputs in ("a, b", "c, d")
    ]
    sides = [decided(tmp_path, file)[0] for file in files]
    for leakage, about in ((WIDE, "overlap"), (None, "level found")):
        old, new = (
            replace(
                one,
                side=replace(one.side, line=replace(one.side.line, leakage=leakage), missed=""),
            )
            for one in sides
        )
        for mechanisms, expected in (
            (None, [("promises otherwise", about)]),
            (compared(keeping("2/3"), keeping("3/4")), [("promises otherwise", about)]),
            (compared(keeping("3/4"), keeping("1/4")), []),
        ):
            found = compare(old.side, new.side, mechanisms)
            assert [(each.status, each.about) for each in found.statements] == expected
        assert deciding.compared(old, new, Options(), "check 1").change.status == "same"
