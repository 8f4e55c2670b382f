"""Mechanisms that leak little once and much in several runs, by plain arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples, wider
from verifier import cli
from verifier.lab.search.collapse import Goal, Setting, best, enough, mechanism, never, rays
from verifier.priors.list import ListedPriors
from verifier.questions.beliefs.prior import prior_of
from verifier.questions.secrets import Pairs, Secret
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import named

pytestmark = pytest.mark.usefixtures("here")

ZERO, ONE = Fraction(0), Fraction(1)
FEW = wider(8, 40)


def setting(weights: list[int], cut: int) -> Setting:
    """The secrets "one of the first worlds" and "one of the others", under one prior."""
    space = named([f"w{at}" for at in range(len(weights))])
    inside = np.arange(len(weights)) < cut
    pair = Secret("s", inside, named=True), Secret("t", ~inside, named=True)
    prior = prior_of(space, [Fraction(x, sum(weights)) for x in weights])
    return Setting(space, Pairs((pair,), "given"), ListedPriors((prior,)))


def likelihood(weights: list[int], worlds: range, rows: list[list[Fraction]]) -> Fraction:
    """P(outputs of independent runs | one of the worlds), from the rows of the outputs."""
    total = sum(weights[w] for w in worlds)
    return sum((Fraction(weights[w], total) * prod(r[w] for r in rows) for w in worlds), ZERO)


def ratios(weights: list[int], cut: int, found: Mechanism, runs: int) -> list[tuple[Fraction, ...]]:
    """The likelihoods of every sequence of outputs under both secrets."""
    sides = range(cut), range(cut, len(weights))
    table = [list(row) for row in found.rows()]
    return [
        tuple(likelihood(weights, side, list(rows)) for side in sides)
        for rows in product(table, repeat=runs)
    ]


@examples(FEW)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=6), st.data())
def test_one_pair_collapses_where_a_secret_has_two_worlds(
    weights: list[int], data: st.DataObject
) -> None:
    """Two worlds w, w' of t, one D of s: outputs that D and w, or D and w', can give. The two
    worlds on either side that Example 1 asks for are not needed. One against one is differential
    privacy, where equal columns stay equal."""
    cut = data.draw(st.integers(1, len(weights) - 1))
    left, right = (sum(map(bool, part)) for part in (weights[:cut], weights[cut:]))
    if left and right:
        found = mechanism(setting(weights, cut), Goal())
        assert (found is not None) == (max(left, right) >= 2)
        if found is not None:
            assert all(p == q for p, q in ratios(weights, cut, found, 1))
            assert any((p == 0) != (q == 0) for p, q in ratios(weights, cut, found, 2))


@examples(FEW)
@given(
    st.lists(st.integers(1, 3), min_size=3, max_size=4),
    st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2)]),
)
def test_no_row_leaks_more_than_the_best_ones(weights: list[int], once: Fraction) -> None:
    """Any rows of few values that respect the level leak at most what the best rays do."""
    about = setting(weights, 1)
    goal = Goal(once, 2, Fraction(1))
    sides = range(1), range(1, len(weights))

    def ratio(rows: list[list[Fraction]]) -> Fraction | None:
        """The larger of the ratios either way; None where infinite."""
        p, q = (likelihood(weights, side, rows) for side in sides)
        return max(p / q, q / p) if p and q else (None if p or q else ZERO)

    found = best(about.linear(once), goal)
    limit = ONE if found is None else ratio([list(map(Fraction, ray)) for ray in found])
    values = product([ZERO, ONE, Fraction(2), Fraction(3)], repeat=len(weights))
    fine = [list(row) for row in values if (r := ratio([list(row)])) is not None and r <= once]
    for row in fine:
        for other in fine:
            several = ratio([row, other])
            assert limit is None or (several is not None and several <= limit)


@examples(FEW)
@given(
    st.lists(st.integers(1, 3), min_size=4, max_size=4),
    st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any),
    st.sampled_from([1, 2]),
    st.sampled_from([ONE, Fraction(3, 2)]),
)
def test_no_number_of_runs_is_enough_where_none_is(
    first: list[int], second: list[int], cut: int, once: Fraction
) -> None:
    """What supports of rows tell of all numbers of runs, and the products of rows of 2 to 4."""
    one = setting([1] * 4, cut)
    priors = [prior_of(one.space, [Fraction(x, sum(row)) for x in row]) for row in (first, second)]
    about = Setting(one.space, one.pairs, ListedPriors(tuple(priors)))
    definition = about.linear(once)
    runs = enough(definition, rays(definition, once))
    for count in (2, 3, 4):
        is_found = best(definition, Goal(once, count)) is not None
        assert is_found or runs is None or count < runs
        assert not is_found or runs is not None


CIRCLE = """
worlds: {records: 2, domain: [0, 1, 2]}
pairs: values
priors: {list: [{worlds: {"00": 1/6, "11": 1/6, "22": 1/6, "01": 1/6, "12": 1/6, "20": 1/6}}]}
checks: [{pufferfish: {exp_epsilon: 2}}]
"""


def test_why_nothing_can_be_found_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """x_00 + x_01 = x_11 + x_12 = x_22 + x_20 and x_00 + x_20 = x_11 + x_01 = x_22 + x_12, so
    x_00 = x_11 = x_22 and x_01 = x_12 = x_20: products of such rows are such rows. Besides these
    two rays there is one for each of the three impossible worlds."""
    assert searched(tmp_path, CIRCLE) == (1, "")
    said = "there is none: of 5 extreme rows any 2 were tried together, and no number of runs"
    assert said in capsys.readouterr().err
    assert searched(tmp_path, CIRCLE, "--more-than", "2") == (1, "")
    assert "any 2 were tried together, compared in floats" in capsys.readouterr().err
    assert searched(tmp_path, PAPER.replace("PRIORS", BOXES)) == (1, "")
    assert "no finite list, so there may be one" in capsys.readouterr().err


EQUAL = """
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
priors: iid
checks: [{pufferfish: {exp_epsilon: 2}}]
"""


def test_equal_distributions_do_not_collapse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """p x_00 + q x_01 = p x_10 + q x_11 for all p and q, and so for the other record: all are
    equal. With every distribution all worlds are possible, or a secret is not."""
    assert searched(tmp_path, EQUAL) == (1, "")
    assert "which make all others, no number of runs rules one out" in capsys.readouterr().err


@examples(FEW)
@given(
    st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any),
    st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any),
    st.sampled_from([1, 2]),
    st.sampled_from([ONE, Fraction(3, 2)]),
)
def test_what_is_said_of_a_class_is_so_of_all_its_priors(
    first: list[int], second: list[int], cut: int, once: Fraction
) -> None:
    """Of two listed priors, as if they were a class: where some of them show that there is none,
    all rows of both do."""
    one = setting([1] * 4, cut)
    priors = [prior_of(one.space, [Fraction(x, sum(row)) for x in row]) for row in (first, second)]
    about = Setting(one.space, one.pairs, ListedPriors(tuple(priors)))
    definition = about.linear(once)
    if never(about, Goal(once)) is not None:
        assert enough(definition, rays(definition, once)) is None


def test_the_rays_of_one_pair_are_pairs_of_worlds() -> None:
    """{w, w'} with x_w = 1/θ(w | s), x_w' = 1/θ(w' | t): here 4, 4/3 against 2, 2."""
    about = setting([1, 3, 2, 2], 2)
    assert set(rays(about.linear(ONE), ONE)) == {
        (2, 0, 1, 0),
        (2, 0, 0, 1),
        (0, 2, 3, 0),
        (0, 2, 0, 3),
    }


PAPER = """
worlds: [t, t_other, f, f_other]
secrets: {s1: [t, t_other], not_s1: [f, f_other]}
pairs: [[s1, not_s1]]
priors: PRIORS
checks: [{pufferfish: {exp_epsilon: 2}}]
"""
BOXES = '{constraints: ["P(t | s1) in [1/4, 1/2]", "P(f | not_s1) in [1/3, 3/5]"]}'


def searched(tmp_path: Path, text: str, *options: str) -> tuple[int, str]:
    path, out = tmp_path / "spec.yaml", tmp_path / "found"
    path.write_text(text, encoding="utf-8")
    status = cli.main(["search", str(path), "--goal", "collapse", "--out", str(out), *options])
    (found,) = out.iterdir() if out.exists() else [None]
    if found is None:
        return status, ""
    assert cli.main(["check", str(found)]) == 0
    return status, found.read_text(encoding="utf-8")


def test_intervals_of_priors_collapse_from_some_level_on(tmp_path: Path) -> None:
    """Conditional probabilities in [1/4, 1/2] and [1/3, 3/5]: the output of t and f alone has at
    most 1/2 against 1/3 and 3/5 against 1/4, so it leaks 12/5 at most; at level 1 rows x have
    equal averages for both ends of either interval, so they are constant."""
    text = PAPER.replace("PRIORS", BOXES)
    assert searched(tmp_path, text) == (1, "")
    status, found = searched(tmp_path, text, "--once", "12/5")
    assert status == 0 and "constraints:" in found
    assert "leakage: infinite" in found


def test_more_runs_are_needed_for_some(tmp_path: Path) -> None:
    """No assumption about two worlds: a level of 2 once is 4 in two runs, 8 in three."""
    text = "worlds: [a, b]\nsecrets: {s: [a], t: [b]}\npairs: [[s, t]]\npriors: all\n"
    text += "checks: [{pufferfish: {exp_epsilon: 2}}]\n"
    assert searched(tmp_path, text, "--once", "2", "--more-than", "4")[0] == 1
    options = ("--once", "2", "--more-than", "4", "--runs", "3")
    status, found = searched(tmp_path, text, *options)
    assert status == 0 and "leakage: 8" in found


@pytest.mark.parametrize("wrong", ["--once=1/2", "--more-than=x", "--runs=1"])
def test_what_is_no_level_or_number_of_runs_is_said(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        searched(tmp_path, PAPER.replace("PRIORS", BOXES), wrong)
