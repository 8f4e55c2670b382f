"""What can be drawn of a check: against values by hand, and against brute force over outputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import pytest

from verifier.base.errors import TimeLimitReached
from verifier.kernels import hockey_stick
from verifier.lab import figures
from verifier.lab.figures import BARS, COLUMNS, ROWS, Bar, Event, Figures, Odds
from verifier.run import verify

F = Fraction
BIT = "worlds: {records: [ann], domain: [0, 1]}\nmechanism: {randomized_response: {truth: 3/4}}\n"
MARKOV = """\
worlds: {records: [ann, bob], domain: [0, 1]}
secrets: {yes: bob == 1, no: bob == 0}
pairs: [[yes, no]]
priors:
  list: [{worlds: {"00": 1/2, "01": 1/8, "10": 1/8, "11": 1/4}}]
mechanism: {randomized_response: {truth: 3/4}}
"""
WEIGHTS = {"00": F(1, 2), "01": F(1, 8), "10": F(1, 8), "11": F(1, 4)}


def drawn(folder: Path, text: str, check: str) -> Figures:
    """The figures of the one check of a file."""
    path = folder / "spec.yaml"
    path.write_text(f"{text}checks: [{{{check}}}]\n", encoding="utf-8")
    question = verify.load(path).questions[0].question
    assert question is not None
    return figures.figures_of(question, verify.answer(question))


def flips(world: str, output: str) -> Fraction:
    """P(output | world) where each bit is told with probability 3/4."""
    return prod((F(3, 4) if w == o else F(1, 4) for w, o in zip(world, output, strict=True)))


def joint(world: str, outputs: Sequence[str]) -> Fraction:
    """P(outputs | world) of independent runs."""
    return prod((flips(world, output) for output in outputs), start=F(1))


def delta(pairs: Sequence[tuple[Fraction, Fraction]], alpha: Fraction) -> Fraction:
    """The smallest delta of two distributions, outcome by outcome."""
    return sum((max(F(0), p - alpha * q) for p, q in pairs), F(0))


def test_a_bit_by_hand(tmp_path: Path) -> None:
    found = drawn(tmp_path, BIT, "differential_privacy: {exp_epsilon: 2}")
    matrix = found.matrix
    assert matrix is not None and found.curve is not None
    assert (matrix.outputs, matrix.columns, matrix.secrets) == (("0", "1"), ("0", "1"), 0)
    assert matrix.rows == ((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
    assert matrix.marked == ((0,), (0, 1))
    assert matrix.size == (2, 2)
    assert found.prior == (Bar("0", F(1, 2), 0), Bar("1", F(1, 2), 1))
    assert found.odds == Odds(("0", "1"), "0", F(1), F(3))
    assert found.curve.points == ((F(1), F(1, 2)), (F(3), F(0)))
    assert found.curve.whole
    leaks = [run.leakage.exp_epsilon for run in found.runs]
    assert leaks == [3, 9, 27, 81, 243, 729, 2187, 6561, 19683, 59049]
    assert not found.missing


def test_a_check_that_holds_is_drawn_too(tmp_path: Path) -> None:
    found = drawn(tmp_path, BIT, "differential_privacy: {exp_epsilon: 4}")
    assert found.odds == Odds(("0", "1"), "0", F(1), F(3))


def test_secrets_have_columns_of_their_own(tmp_path: Path) -> None:
    found = drawn(tmp_path, MARKOV, "pufferfish: {exp_epsilon: 2}")
    matrix = found.matrix
    assert matrix is not None and found.odds is not None
    assert matrix.columns[:4] == ("00", "01", "10", "11")
    assert matrix.columns[4:] == found.odds.pair
    assert matrix.secrets == 2 and matrix.marked[1] == (4, 5)
    for output, row in zip(matrix.outputs, matrix.rows, strict=True):
        assert row[:4] == tuple(flips(world, output) for world in WEIGHTS)
        for secret, value in zip(found.odds.pair, row[4:], strict=True):
            last = "1" if secret == "yes" else "0"
            inside = {w: p for w, p in WEIGHTS.items() if w[1] == last}
            chance = sum(p * flips(w, output) for w, p in inside.items())
            assert value == chance / sum(inside.values())
    left, right = (matrix.rows[matrix.marked[0][0]][c] for c in matrix.marked[1])
    assert found.odds.after is not None
    assert left / right == found.odds.after / found.odds.before
    sides = {bar.name: bar.side for bar in found.prior}
    assert {sides["00"], sides["10"]} == {found.odds.pair.index("no")}
    assert {sides["01"], sides["11"]} == {found.odds.pair.index("yes")}


def test_runs_under_a_prior_by_brute_force(tmp_path: Path) -> None:
    """All sequences of outputs, and what each tells of the two secrets."""
    found = drawn(tmp_path, MARKOV, "pufferfish: {exp_epsilon: 2}")
    assert len(found.runs) >= 3
    for k in (1, 2, 3):
        worst = F(1)
        for outputs in product(WEIGHTS, repeat=k):
            mass = {
                last: sum(p * joint(w, outputs) for w, p in WEIGHTS.items() if w[1] == last)
                / sum(p for w, p in WEIGHTS.items() if w[1] == last)
                for last in "01"
            }
            worst = max(worst, mass["0"] / mass["1"], mass["1"] / mass["0"])
        assert found.runs[k - 1].leakage.exp_epsilon == worst
        one = found.runs[0].leakage.exp_epsilon
        assert one is not None and found.runs[k - 1].linear.exp_epsilon == one**k


def test_runs_with_delta_by_brute_force(tmp_path: Path) -> None:
    """At the level told delta is just missed by nothing, and by more at any smaller one."""
    found = drawn(tmp_path, BIT, "differential_privacy: {exp_epsilon: 2, delta: 1/10}")
    assert len(found.runs) == figures.RUNS
    for k in (1, 2, 3):
        pairs = [(joint("0", outputs), joint("1", outputs)) for outputs in product("01", repeat=k)]
        level = found.runs[k - 1].leakage.exp_epsilon
        assert level is not None
        assert delta(pairs, level) == F(1, 10)
        assert delta(pairs, level - F(1, 1000)) > F(1, 10)


def test_the_curve_is_that_of_brute_force(tmp_path: Path) -> None:
    text = BIT.replace("[ann]", "[ann, bob]")
    found = drawn(tmp_path, text, "differential_privacy: {exp_epsilon: 2, delta: 1/4}")
    assert found.curve is not None
    worlds = ["00", "01", "10", "11"]
    near = [(v, w) for v in worlds for w in worlds if (v[0] != w[0]) != (v[1] != w[1])]
    for alpha, least in found.curve.points:
        assert least == max(
            delta([(flips(v, o), flips(w, o)) for o in worlds], alpha) for v, w in near
        )
    assert isinstance(found.event, Event)
    first, second = found.event.probabilities
    assert first - 2 * second == F(1, 4)  # what delta allows at e^ε = 2


def test_a_metric_has_no_curve(tmp_path: Path) -> None:
    """Worlds at distance 2 need a delta of their own, which neighbours do not tell."""
    text = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
"""
    check = "metric_privacy: {exp_epsilon: 3, distance: hamming}"
    assert drawn(tmp_path, text, check).curve is None


def test_a_large_matrix_keeps_the_worst_entries(tmp_path: Path) -> None:
    """The last output tells the last two of 40 worlds apart; all others tell nothing."""
    rows = [f"  w{n}: {{{', '.join(f'o{k}: 1/41' for k in range(41))}}}" for n in range(39)]
    last = "  w39: {" + ", ".join(f"o{k}: 1/80" for k in range(40)) + ", o40: 1/2}"
    names = ", ".join(f"w{n}" for n in range(40))
    outputs = ", ".join(f"o{k}" for k in range(41))
    table = "\n".join(["mechanism:", " table:", f"  outputs: [{outputs}]", *rows, last])
    text = f"worlds: [{names}]\n{table}\n"
    found = drawn(tmp_path, text, "differential_privacy: {exp_epsilon: 2, neighbours: all}")
    matrix = found.matrix
    assert matrix is not None
    assert (len(matrix.outputs), len(matrix.columns)) == (ROWS, COLUMNS)
    assert matrix.size == (41, 40)
    (row,), (left, right) = matrix.marked
    assert (matrix.outputs[row], matrix.columns[left]) == ("o40", "w39")
    assert (matrix.rows[row][left], matrix.rows[row][right]) == (F(1, 2), F(1, 41))
    assert list(matrix.columns) == [f"w{n}" for n in range(COLUMNS - 1)] + ["w39"]


def test_only_the_likeliest_worlds_of_a_prior(tmp_path: Path) -> None:
    text = MARKOV.replace("[ann, bob]", "[ann, bob, cat, dan, eve]")
    text = text.replace(
        text[text.index("  list:") : text.index("mechanism")], "  list: [uniform]\n"
    )
    found = drawn(tmp_path, text, "pufferfish: {exp_epsilon: 2}")
    assert (len(found.prior), found.worlds) == (BARS, 32)
    assert {bar.weight for bar in found.prior} == {F(1, 32)}


def test_what_tells_nothing_or_all_has_no_runs(tmp_path: Path) -> None:
    text = BIT.replace("{randomized_response: {truth: 3/4}}", "{deterministic: ann}")
    certain = drawn(tmp_path, text, "differential_privacy: {epsilon: 1}")
    assert certain.runs == () and certain.odds == Odds(("0", "1"), "0", F(1), None)
    text = BIT.replace("3/4", "1/2")
    assert drawn(tmp_path, text, "differential_privacy: {epsilon: 1}").runs == ()


def test_what_is_too_large_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "MAX_COMPARED", 3)
    monkeypatch.setattr(figures, "MAX_ENTRIES", 8)
    found = drawn(tmp_path, BIT, "differential_privacy: {exp_epsilon: 2, delta: 1/10}")
    assert found.curve is None
    assert len(found.runs) == 3  # {00, 01, 11} and {000, 001, 011, 111} have 6 and 8 entries
    assert found.missing == (
        "curve of δ: 4 entries are compared, more than 3",
        "more runs: a table of 10 entries for 4 runs, more than 8",
    )


def test_many_worlds_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "MAX_WORLDS", 1)
    found = drawn(tmp_path, BIT, "differential_privacy: {exp_epsilon: 2}")
    assert found.matrix is None and found.prior == ()
    said = "there are 2 worlds, more than 1"
    assert found.missing == (f"matrix: {said}", f"prior: {said}")
    assert found.odds is not None and found.curve is not None


def test_the_limit_on_time_ends_all_that_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*parts: object) -> None:
        raise TimeLimitReached("too late")

    monkeypatch.setattr(hockey_stick, "curve", late)
    found = drawn(tmp_path, BIT, "differential_privacy: {exp_epsilon: 2}")
    assert found.matrix is not None and found.runs == ()
    assert found.missing == ("curve of δ: too late", "more runs: too late")


def test_the_best_mechanism_is_drawn() -> None:
    model = next(Path("models/synthesis").glob("*.yaml"))
    asked = [one for one in verify.load(model).questions if one.check.definition.text == "optimal"]
    question = asked[0].question
    assert question is not None
    answer = verify.answer(question)
    matrix = figures.figures_of(question, answer).matrix
    assert matrix is not None and matrix.marked == ((), ())
    if matrix.size == (len(matrix.outputs), len(matrix.columns)):
        assert all(sum(column) == 1 for column in zip(*matrix.rows, strict=True))
